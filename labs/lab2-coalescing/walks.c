/* walks.c - what lies in memory in the stages of lab 2, and what is right.
 * A family of stages has a shape, made of the four sizes of a case, buffers, and its elements' right values. */
#include "walks.h"

#include "lab/answer.h"

enum { ADDENDS = 30, ROW_BYTES = 128 };

struct shape shape_of(const struct lab_run *run)
{
    return ((const struct walk *)run->stage->own)->shape(run->size);
}

static int elements_of(const long *size)
{
    return (int)(size[0] * size[1] * size[2]);
}

/* Bytes of a row of floats, rounded up so that every row begins at a line of memory. */
static size_t pitch_of(int width)
{
    return (width * sizeof(float) + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
}

static long stride_of(const struct shape *shape)
{
    return (long)(shape->pitch / sizeof(float));
}

static float in(const struct lab_run *run, long i)
{
    return (float)lab_at(run, 1, (size_t)i);
}

static float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

/* ---- strided, unit: `count` elements; offset, aligned, vector: behind `offset` others ---- */

static struct shape line_shape(const long *size)
{
    return (struct shape){.count = elements_of(size)};
}

static struct shape offset_shape(const long *size)
{
    return (struct shape){.count = elements_of(size), .offset = (int)size[3]};
}

/* One rounding, the same everywhere. */
static void line_layout(struct lab_run *run, const struct shape *shape)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", shape->offset + shape->count)->is_exact = true;
    lab_add(run, LAB_IN, LAB_FLOAT, "in", shape->offset + shape->count);
}

bool line_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = scaled(in(run, (long)i));
    return (long)i >= shape_of(run).offset;
}

/* ---- soa: FIELDS arrays of `count` floats; aos: `count` structures in the same buffer ---- */

static struct shape soa_shape(const long *size)
{
    int particles = (elements_of(size) + 1) / 2;
    return (struct shape){.count = particles, .pitch = pitch_of(particles)};
}

static void soa_layout(struct lab_run *run, const struct shape *shape)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", shape->count);
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", stride_of(shape), FIELDS);
}

/* A particle's fields are x, y, z, vx, vy, vz and mass, each `step` floats behind the one before. */
static float energy(const struct lab_run *run, long first, long step)
{
    float vx = in(run, first + 3 * step), vy = in(run, first + 4 * step), vz = in(run, first + 5 * step);
    float mass = in(run, first + 6 * step);
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

bool aos_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = energy(run, (long)i * FIELDS, 1);
    return true;
}

bool soa_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const struct shape shape = shape_of(run);
    (void)index;
    *value = energy(run, (long)i, stride_of(&shape));
    return true;
}

double soa_work(const struct lab_run *run)
{
    return 1e-9 * sizeof(float) * (FIELDS_USED + 1) * (double)run->buffers[0].count;
}

/* ---- down, pitched: height * depth rows of `width` floats ---- */

static struct shape pitched_shape(const long *size)
{
    int width = (int)size[0], height = (int)(size[1] * size[2]);
    return (struct shape){.width = width, .height = height, .pitch = pitch_of(width)};
}

static void pitched_layout(struct lab_run *run, const struct shape *shape)
{
    lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", stride_of(shape), shape->height)->is_exact = true;
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", stride_of(shape), shape->height);
}

/* What fills a row up is nobody's. */
bool pitched_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const struct shape shape = shape_of(run);
    (void)index;
    *value = scaled(in(run, (long)i));
    return (long)i % stride_of(&shape) < shape.width;
}

double pitched_work(const struct lab_run *run)
{
    return 2e-9 * sizeof(float) * elements_of(run->size);
}

/* ---- allocated: the same rows without padding; the student pads them ---- */

static struct shape packed_shape(const long *size)
{
    struct shape shape = pitched_shape(size);
    shape.pitch = shape.width * sizeof(float);
    return shape;
}

/* ---- column: ADDENDS rows of `width` floats, summed down each column; rows: `width` rows of ADDENDS, packed ---- */

static struct shape column_shape(const long *size)
{
    int width = (elements_of(size) + 14) / 15;
    return (struct shape){.width = width, .height = ADDENDS, .pitch = pitch_of(width)};
}

static void column_layout(struct lab_run *run, const struct shape *shape)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", shape->width)->operations = ADDENDS;
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", stride_of(shape), ADDENDS);
}

static float sum_of(const struct lab_run *run, long first, long step)
{
    double sum = 0;
    for (long k = 0; k < ADDENDS; k++)
        sum += in(run, first + k * step);
    return (float)sum;
}

bool rows_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = sum_of(run, (long)i * ADDENDS, 1);
    return true;
}

bool column_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const struct shape shape = shape_of(run);
    (void)index;
    *value = sum_of(run, (long)i, stride_of(&shape));
    return true;
}

/* ---- nested, flat: a 4-D array ---- */

static struct shape flat_shape(const long *size)
{
    return (struct shape){.n = {(int)size[0], (int)size[1], (int)(size[2] + 1) / 2, 2}};
}

static void flat_layout(struct lab_run *run, const struct shape *shape)
{
    const int *n = shape->n;
    lab_add_3d(run, LAB_OUT, LAB_FLOAT, "out", n[0], n[1], (long)n[2] * n[3])->is_exact = true;
    lab_add_3d(run, LAB_IN, LAB_FLOAT, "in", n[0], n[1], (long)n[2] * n[3]);
}

bool flat_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const struct shape shape = shape_of(run);
    const long n0 = shape.n[0], n1 = shape.n[1], n2 = shape.n[2], at = (long)i;
    const long i0 = at % n0, i1 = at / n0 % n1, i2 = at / n0 / n1 % n2, i3 = at / n0 / n1 / n2;
    (void)index;
    *value = in(run, at) + (float)(i0 + 2 * i1 + 3 * i2 + 4 * i3);
    return true;
}

/* ---- gather, records: RECORD floats of each record, drawn by an index; records: side by side; gather: an array for each ---- */

static struct shape gather_shape(const long *size)
{
    int count = (elements_of(size) + RECORD - 1) / RECORD;
    return (struct shape){.count = count, .pitch = pitch_of(count)};
}

static struct shape records_shape(const long *size)
{
    return (struct shape){.count = gather_shape(size).count};
}

/* Both get as many bytes: each is measured with the other's. There are two records at least, or nothing is drawn. */
static void records_layout(struct lab_run *run, const struct shape *shape)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", shape->count);
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", (long)(pitch_of(shape->count) / sizeof(float)), RECORD);
    lab_add(run, LAB_IN, LAB_INT, "shape.index", shape->count)->high =
        shape->count > 2 ? shape->count - 1 : 1;
}

/* Kinetic energy, and that of a charge in a field along (1, 1, 1). */
static float total(const struct lab_run *run, long first, long step)
{
    return energy(run, first, step) +
           in(run, first + 7 * step) * (in(run, first) + in(run, first + step) + in(run, first + 2 * step));
}

bool gather_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const struct shape shape = shape_of(run);
    (void)index;
    *value = total(run, (long)lab_at(run, 2, i), stride_of(&shape));
    return true;
}

bool records_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = total(run, (long)lab_at(run, 2, i) * RECORD, 1);
    return true;
}

double records_work(const struct lab_run *run)
{
    return 1e-9 * sizeof(float) * (RECORD + 2) * (double)run->buffers[0].count;
}

/* ---- every: `count` elements, each `stride` behind the one before; and an answer ---- */

static struct shape every_shape(const long *size)
{
    return (struct shape){.count = (elements_of(size) + EVERY - 1) / EVERY,
                          .stride = (int)size[3] + !size[3]};
}

static void every_layout(struct lab_run *run, const struct shape *shape)
{
    const long room = (long)(shape->count - 1) * shape->stride + 1;
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", room)->is_exact = true;
    lab_add_answers(run, 1);
    lab_add(run, LAB_IN, LAB_FLOAT, "in", room);
    lab_add_sheet(run, 1);
}

/* What lies between is nobody's. The answer, and where it comes from, is in handouts/answers.md. */
bool every_element(const struct lab_run *run, int index, size_t i, double *value)
{
    static const uint32_t digest = 0x90ec22e9;
    const struct shape shape = shape_of(run);
    if (index == 1)
        return lab_right_answer(run, "lab2 every", i, &digest, value);
    *value = scaled((float)lab_at(run, 2, i));
    return (long)i % shape.stride == 0;
}

double every_work(const struct lab_run *run)
{
    return 2e-9 * sizeof(float) * shape_of(run).count;
}

/* ------------------------------------------------------------------------------------------- the table */

const struct walk line_walk = {line_shape, line_layout};
const struct walk offset_walk = {offset_shape, line_layout};
const struct walk aos_walk = {soa_shape, soa_layout};
const struct walk soa_walk = {soa_shape, soa_layout};
const struct walk pitched_walk = {pitched_shape, pitched_layout};
const struct walk packed_walk = {packed_shape, pitched_layout};
const struct walk rows_walk = {column_shape, column_layout};
const struct walk column_walk = {column_shape, column_layout};
const struct walk flat_walk = {flat_shape, flat_layout};
const struct walk gather_walk = {gather_shape, records_layout};
const struct walk records_walk = {records_shape, records_layout};
const struct walk every_walk = {every_shape, every_layout};
