/* walks.c - what lies in memory in the stages of lab 2, and what is right.
 * A family of stages has a shape, made of the four sizes of a case, buffers, and a walk on the CPU. */
#include "walks.h"

enum { ADDENDS = 30, ROW_BYTES = 128 };

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

static void line_expected(const struct shape *shape, const float *in, float *out)
{
    for (int i = shape->offset; i < shape->offset + shape->count; i++)
        out[i] = scaled(in[i]);
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
static float energy(const float *first, long step)
{
    float vx = first[3 * step], vy = first[4 * step], vz = first[5 * step], mass = first[6 * step];
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

static void aos_expected(const struct shape *shape, const float *in, float *out)
{
    for (long i = 0; i < shape->count; i++)
        out[i] = energy(in + i * FIELDS, 1);
}

static void soa_expected(const struct shape *shape, const float *in, float *out)
{
    for (long i = 0; i < shape->count; i++)
        out[i] = energy(in + i, stride_of(shape));
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

static void pitched_expected(const struct shape *shape, const float *in, float *out)
{
    for (long y = 0; y < shape->height; y++)
        for (long x = 0; x < shape->width; x++)
            out[y * stride_of(shape) + x] = scaled(in[y * stride_of(shape) + x]);
}

double pitched_work(const struct lab_run *run)
{
    return 2e-9 * sizeof(float) * elements_of(run->size);
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

static float sum_of(const float *first, long step)
{
    double sum = 0;
    for (long k = 0; k < ADDENDS; k++)
        sum += first[k * step];
    return (float)sum;
}

static void rows_expected(const struct shape *shape, const float *in, float *out)
{
    for (long i = 0; i < shape->width; i++)
        out[i] = sum_of(in + i * ADDENDS, 1);
}

static void column_expected(const struct shape *shape, const float *in, float *out)
{
    for (long i = 0; i < shape->width; i++)
        out[i] = sum_of(in + i, stride_of(shape));
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

static void flat_expected(const struct shape *shape, const float *in, float *out)
{
    const int *n = shape->n;
    long i = 0;
    for (int i3 = 0; i3 < n[3]; i3++)
        for (int i2 = 0; i2 < n[2]; i2++)
            for (int i1 = 0; i1 < n[1]; i1++)
                for (int i0 = 0; i0 < n[0]; i0++, i++)
                    out[i] = in[i] + (float)(i0 + 2 * i1 + 3 * i2 + 4 * i3);
}

/* ------------------------------------------------------------------------------------------- the table */

const struct walk line_walk = {line_shape, line_layout, line_expected};
const struct walk offset_walk = {offset_shape, line_layout, line_expected};
const struct walk aos_walk = {soa_shape, soa_layout, aos_expected};
const struct walk soa_walk = {soa_shape, soa_layout, soa_expected};
const struct walk pitched_walk = {pitched_shape, pitched_layout, pitched_expected};
const struct walk rows_walk = {column_shape, column_layout, rows_expected};
const struct walk column_walk = {column_shape, column_layout, column_expected};
const struct walk flat_walk = {flat_shape, flat_layout, flat_expected};
