/* lab2.c - the driver of lab 2, coalescing: walks through global memory.
 * The stage table below is what an instructor changes; behind it stands, per stage, what lies in memory and what is right.
 * All stages derive their data from the same four sizes, so one timed case serves them all. */
#include "lab2.h"

#include <string.h>

#include "lab/lab.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define ENTRY(name)  .entry = #name, .function = (void (*)(void))name

/* The timed case: no row begins at a multiple of 32 bytes by chance, and every walk moves 260 MB or more, much more than
 * an L2 cache holds. */
enum { WIDTH = 1003, HEIGHT = 4099, DEPTH = 8, OFFSET = 3 };
#define ELEMENTS ((double)WIDTH * HEIGHT * DEPTH)
/* What stages make of the sizes. */
enum { FIELDS = 7, FIELDS_USED = 4, ADDENDS = 30, ROW_BYTES = 128 };
#define PARTICLES (ELEMENTS / 2)
#define SUMS      (ELEMENTS / 15)

/* ------------------------------------------------------------------------------------------- the stages */

/* Sectors are counted over the whole walk and not per request: a float fills 1/8 of a sector, however many of them a
 * thread takes at a time. `slack` is what edges may cost; an unaligned walk needs 1.25 times the least. */
#define LOADS(floats, slack)                                                                                 \
    {                                                                                                        \
        "global_load_sectors", .at_most = (slack) * (floats) / 8, .meaning = "32-byte sectors loaded"        \
    }
#define STORES(floats, slack)                                                                                \
    {                                                                                                        \
        "global_store_sectors", .at_most = (slack) * (floats) / 8, .meaning = "32-byte sectors stored"       \
    }
/* A warp that loads a float4 per thread asks for 512 bytes at once: 16 sectors. */
#define WIDE_LOADS                                                                                           \
    {                                                                                                        \
        "global_load_sectors", "global_load_requests", .at_least = 15, .at_most = 16.5,                      \
                                                       .meaning = "sectors per load request"                 \
    }

static const struct lab_stage stages[] = {
    {
        .id = "strided",
        .title = "a run of elements per thread",
        ENTRY(walk_strided),
        .baseline = "baseline_strided",
        .is_given = true,
    },
    {
        .id = "unit",
        .title = "unit stride",
        ENTRY(walk_unit),
        .baseline = "baseline_strided",
        .correct = 4,
        .clean = 1,
        .concept = 4,
        .bounds = {LOADS(ELEMENTS, 1.06), STORES(ELEMENTS, 1.06)},
        .speed = {{3.0, 3}},
        .hints =
            {
                {LAB_MISSING, "lab2.cu must define walk_unit with the prototype of lab2.h."},
                {LAB_UNTOUCHED, "TODO 1 is still open: write the body of unit_kernel (handout section 2)."},
                {LAB_NO_LAUNCH,
                 "walk_unit returns without a launch: unit_kernel<<<blocks, BLOCK>>>(...) is missing."},
                {LAB_LAUNCH,
                 "A launch was refused: a block has 1 to 1024 threads, a grid at least one block."},
                {LAB_FAULT,
                 "A thread left its array: the last block is only partly used, so test the index against "
                 "shape.count first."},
                {LAB_PARTLY,
                 "Elements are missing: round the number of blocks up, and count what each thread does."},
                {LAB_EDGE,
                 "Only counts that are no multiples of 32 are wrong: look at the test of the index."},
                {LAB_WRONG, "out[i] is scaled(in[i]), with the same i on both sides."},
                {LAB_CONCEPT,
                 "Right, but too many sectors: threadIdx.x must change the index by 1, so that lane k of "
                 "a warp takes element first + k. A thread's second element is a whole block away, not "
                 "next door (handout section 2)."},
                {LAB_SLOW, "The stride is what costs time: compare the sectors with those of stage strided."},
            },
    },
    {
        .id = "offset",
        .title = "an offset, as it comes",
        ENTRY(walk_offset),
        .baseline = "baseline_offset",
        .is_given = true,
    },
    {
        .id = "aligned",
        .title = "an offset, aligned",
        ENTRY(walk_aligned),
        .baseline = "baseline_offset",
        .correct = 5,
        .clean = 2,
        .concept = 6,
        .bounds = {LOADS(ELEMENTS, 1.1), STORES(ELEMENTS, 1.1)},
        .hints =
            {
                {LAB_MISSING, "lab2.cu must define walk_aligned with the prototype of lab2.h."},
                {LAB_UNTOUCHED,
                 "TODO 2 is still open: write the body of aligned_kernel and its launch (handout section "
                 "3)."},
                {LAB_NO_LAUNCH, "walk_aligned returns without a launch."},
                {LAB_LAUNCH,
                 "A launch was refused: a block has 1 to 1024 threads, a grid at least one block."},
                {LAB_FAULT, "A thread left its array: the last element is offset + count - 1."},
                {LAB_PARTLY,
                 "Where no element is written, TODO 2 is still open: the body of aligned_kernel (handout "
                 "section 3). Where only some are missing: threads begin before the offset, so the grid "
                 "must hold more than count."},
                {LAB_EDGE,
                 "Only some counts and offsets are wrong: test both ends, i >= offset and i < offset + "
                 "count."},
                {LAB_WRONG, "Elements before the offset are not yours and must stay as they are; out[i] is "
                            "scaled(in[i]) from offset to offset + count - 1."},
                {LAB_CONCEPT,
                 "Right, but warps still begin in the middle of a sector: each needs 5 sectors for 4 "
                 "sectors' worth. Let thread 0 stand at the last multiple of 32 before the offset "
                 "(handout section 3)."},
            },
    },
    {
        .id = "aos",
        .title = "an array of structures",
        ENTRY(walk_aos),
        .baseline = "baseline_aos",
        .is_given = true,
    },
    {
        .id = "soa",
        .title = "a structure of arrays",
        ENTRY(walk_soa),
        .baseline = "baseline_aos",
        .reference = "reference_soa",
        .correct = 5,
        .clean = 1,
        .concept = 4,
        .bounds = {LOADS(FIELDS_USED * PARTICLES, 1.06), STORES(PARTICLES, 1.06)},
        .speed = {{1.2, 4}},
        .hints =
            {
                {LAB_MISSING, "lab2.cu must define walk_soa with the prototype of lab2.h."},
                {LAB_UNTOUCHED,
                 "TODO 3 is still open: declare the structure of arrays, write soa_kernel and launch it "
                 "(handout section 4)."},
                {LAB_NO_LAUNCH, "walk_soa returns without a launch."},
                {LAB_LAUNCH,
                 "A launch was refused: a block has 1 to 1024 threads, a grid at least one block."},
                {LAB_FAULT,
                 "A thread left its array: test the index against shape.count, and mind that the pitch "
                 "counts bytes while a float pointer moves by 4 of them."},
                {LAB_PARTLY, "Particles are missing: one output per particle, shape.count of them."},
                {LAB_EDGE,
                 "Only some counts are wrong: arrays begin a pitch apart, and the pitch is more than "
                 "count floats where count is no multiple of 32."},
                {LAB_WRONG,
                 "Field f of particle i lies f * pitch bytes and i floats after `in`; vx, vy, vz and mass "
                 "are fields 3 to 6."},
                {LAB_CONCEPT,
                 "Right, but too many sectors: neighbouring threads must take neighbouring particles, "
                 "and no field that the formula does not need."},
                {LAB_SLOW, "Only vx, vy, vz and mass should travel: 16 of a particle's 28 bytes."},
            },
    },
    {
        .id = "down",
        .title = "2-D, down the columns",
        ENTRY(walk_down),
        .baseline = "baseline_down",
        .is_given = true,
    },
    {
        .id = "pitched",
        .title = "2-D, along padded rows",
        ENTRY(walk_pitched),
        .baseline = "baseline_down",
        .correct = 5,
        .clean = 2,
        .concept = 4,
        .bounds = {LOADS(ELEMENTS, 1.1), STORES(ELEMENTS, 1.1)},
        .speed = {{3.0, 3}},
        .hints =
            {
                {LAB_MISSING, "lab2.cu must define walk_pitched with the prototype of lab2.h."},
                {LAB_UNTOUCHED,
                 "TODO 4 is still open: write the body of pitched_kernel and its launch (handout section "
                 "5)."},
                {LAB_NO_LAUNCH, "walk_pitched returns without a launch."},
                {LAB_LAUNCH,
                 "A launch was refused. gridDim.y ends at 65535, and one case has 70000 rows: let a "
                 "block take several rows, or put the rows along gridDim.x."},
                {LAB_FAULT,
                 "A thread left its array. The pitch counts bytes: move a char pointer by y * pitch, "
                 "then take element x of the float pointer that it becomes."},
                {LAB_PARTLY,
                 "Where no element is written, TODO 4 is still open: the body of pitched_kernel (handout "
                 "section 5). Where only some are missing: x goes up to width, y up to height, and both "
                 "numbers of blocks are rounded up."},
                {LAB_EDGE, "Only widths that are no multiples of 32 are wrong: test x against the width, not "
                           "against the pitch."},
                {LAB_WRONG,
                 "Row y begins y * pitch BYTES after the array's begin; the padding behind column width "
                 "- 1 is not yours and must stay as it is."},
                {LAB_CONCEPT,
                 "Right, but too many sectors: threadIdx.x must run along x, and a warp should begin at "
                 "a multiple of 32 columns. One flat index over all elements does not: rows are padded, "
                 "and warps straddle them."},
                {LAB_SLOW, "threadIdx.x must run along x, not along y."},
            },
    },
    {
        .id = "rows",
        .title = "a row per thread",
        ENTRY(walk_rows),
        .baseline = "baseline_rows",
        .is_given = true,
    },
    {
        .id = "column",
        .title = "a column per thread, transposed",
        ENTRY(walk_column),
        .baseline = "baseline_rows",
        .reference = "reference_column",
        .correct = 5,
        .clean = 1,
        .concept =
            8, /* an H200's L1 hides most of the time that the scattered walk costs: sectors alone tell */
        .bounds = {LOADS(ADDENDS * SUMS, 1.06)},
        .hints =
            {
                {LAB_MISSING, "lab2.cu must define walk_column with the prototype of lab2.h."},
                {LAB_UNTOUCHED,
                 "TODO 5 is still open: write column_kernel and launch it (handout section 6)."},
                {LAB_NO_LAUNCH, "walk_column returns without a launch."},
                {LAB_LAUNCH,
                 "A launch was refused: a block has 1 to 1024 threads, a grid at least one block."},
                {LAB_FAULT,
                 "A thread left its array: threads are counted by width, the loop by height, and the "
                 "pitch counts bytes."},
                {LAB_PARTLY, "Sums are missing: one thread per column, width of them."},
                {LAB_EDGE,
                 "Only some widths are wrong: row k begins k * pitch bytes after the first, and the "
                 "pitch is more than width floats where width is no multiple of 32."},
                {LAB_WRONG,
                 "out[i] is the sum over k of element i of row k: the thread stays in its column and "
                 "goes down."},
                {LAB_CONCEPT,
                 "Right, but too many sectors: in every step of the loop the lanes of a warp must stand "
                 "side by side in one row."},
                {LAB_SLOW, "Threads must stand side by side while each goes down its column."},
            },
    },
    {
        .id = "nested",
        .title = "a line of a 4-D array per thread",
        ENTRY(walk_nested),
        .baseline = "baseline_nested",
        .is_given = true,
    },
    {
        .id = "flat",
        .title = "a 4-D array under one index",
        ENTRY(walk_flat),
        .baseline = "baseline_nested",
        .correct = 5,
        .clean = 2,
        .concept = 3,
        .bounds = {LOADS(ELEMENTS, 1.06), STORES(ELEMENTS, 1.06)},
        .speed = {{4.0, 4}},
        .hints =
            {
                {LAB_MISSING, "lab2.cu must define walk_flat with the prototype of lab2.h."},
                {LAB_UNTOUCHED, "TODO 6 is still open: write flat_kernel and launch it (handout section 7)."},
                {LAB_NO_LAUNCH, "walk_flat returns without a launch."},
                {LAB_LAUNCH,
                 "A launch was refused: a block has 1 to 1024 threads, a grid at least one block, and "
                 "gridDim.y ends at 65535."},
                {LAB_FAULT, "A thread left its array: it has n[0] * n[1] * n[2] * n[3] elements."},
                {LAB_PARTLY, "Elements are missing: the grid must hold the product of all four sizes."},
                {LAB_EDGE,
                 "Only some sizes are wrong: test the flat index against the product of all four sizes."},
                {LAB_WRONG,
                 "Split from the fastest index on: i0 is the remainder by n[0], then divide by n[0], and "
                 "so on. The weights are 1, 2, 3 and 4."},
                {LAB_CONCEPT,
                 "Right, but too many sectors: let the flat index be the thread's number, and compute "
                 "the four indexes from it, not the other way round."},
                {LAB_SLOW,
                 "Integer divisions are subroutines. Use unsigned numbers, get the remainder from the "
                 "quotient, or split once and let several elements per thread carry on from there."},
            },
    },
    {
        .id = "vector",
        .title = "16 bytes per thread",
        ENTRY(walk_vector),
        .baseline = "baseline_offset",
        .previous = "aligned",
        .correct = 7,
        .clean = 2,
        .concept = 4,
        .bounds = {WIDE_LOADS, LOADS(ELEMENTS, 1.1), STORES(ELEMENTS, 1.1)},
        .speed = {{1.28, 6}},
        .hints =
            {
                {LAB_MISSING, "lab2.cu must define walk_vector with the prototype of lab2.h."},
                {LAB_UNTOUCHED,
                 "TODO 7 is still open: write vector_kernel and launch it (handout section 8)."},
                {LAB_NO_LAUNCH, "walk_vector returns without a launch."},
                {LAB_LAUNCH,
                 "A launch was refused: a block has 1 to 1024 threads, a grid at least one block, also "
                 "where there is not a single whole vector."},
                {LAB_FAULT,
                 "A float4 lies at a multiple of 16 bytes, that is of 4 elements, and needs all 4 inside "
                 "the array: what comes before the first such place and after the last is done float by "
                 "float."},
                {LAB_PARTLY,
                 "Where no element is written, TODO 7 is still open: the body of vector_kernel (handout "
                 "section 8). Where only some are missing: up to 3 before the first whole vector and up to "
                 "3 after the last are done float by float."},
                {LAB_EDGE,
                 "Only some counts and offsets are wrong: look at the vectors that hang over either end."},
                {LAB_WRONG,
                 "Only elements from offset to offset + count - 1 change; the others are not yours and "
                 "must stay as they are."},
                {LAB_CONCEPT,
                 "Right, but not with 16 bytes per thread: a warp's load of float4 covers 16 sectors. "
                 "Begin at a multiple of 32 elements, so that none is fetched twice."},
                {LAB_SLOW, "One float per thread leaves too few bytes under way. Load and store float4."},
            },
    },
};

/* Width, height, depth, offset. The offset matters to aligned and vector only; soa takes half of the elements as particles,
 * column a fifteenth as sums: their own cases bring them to the edges as well. The first one leaves no element of any output
 * unwritten, so that an empty stage is told from one that forgets elements. */
static const struct lab_case cases[] = {
    {.size = {32, 1, 1, 0}},
    {.size = {2, 31, 1, 0}, .stage = "soa"},
    {.size = {2, 33, 1, 0}, .stage = "soa"},
    {.size = {15, 31, 1, 0}, .stage = "column"},
    {.size = {15, 32, 1, 0}, .stage = "column"},
    {.size = {15, 33, 1, 0}, .stage = "column"},
    {.size = {15, 1023, 1, 0}, .stage = "column"},
    {.size = {33, 1, 1, 2}},
    {.size = {1, 1, 1, 1}},
    {.size = {31, 1, 1, 1}},
    {.size = {33, 65, 1, 3}},
    {.size = {100, 30, 3, 5}},
    {.size = {256, 64, 2, 3}},
    {.size = {1023, 9, 2, 33}},
    {.size = {70000, 1, 1, 7}},
    {.size = {3, 70000, 1, 4}},
    {.size = {257, 33, 3, 31}},
};

/* ------------------------------------------------------------------------------------------- what lies in memory */

static long elements_of(const long *size)
{
    return size[0] * size[1] * size[2];
}

/* Bytes of a row of floats, rounded up so that every row begins at a line of memory. */
static size_t pitch_of(size_t width)
{
    return (width * sizeof(float) + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
}

static size_t stride_of(const struct shape *shape)
{
    return shape->pitch / sizeof(float);
}

static float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

/* strided, unit, offset, aligned, vector: `count` elements behind `offset` others. */
static struct shape line_shape(const long *size)
{
    return (struct shape){.count = (int)elements_of(size)};
}

static struct shape offset_shape(const long *size)
{
    return (struct shape){.count = (int)elements_of(size), .offset = (int)size[3]};
}

static size_t line_floats(const struct shape *shape)
{
    return (size_t)shape->offset + (size_t)shape->count;
}

static void line_expected(const struct shape *shape, const float *in, float *out)
{
    for (int i = shape->offset; i < shape->offset + shape->count; i++)
        out[i] = scaled(in[i]);
}

/* soa: FIELDS arrays of `count` floats. aos: `count` structures in the same buffer. */
static struct shape soa_shape(const long *size)
{
    long particles = (elements_of(size) + 1) / 2;
    return (struct shape){.count = (int)particles, .pitch = pitch_of((size_t)particles)};
}

static size_t soa_floats(const struct shape *shape)
{
    return FIELDS * stride_of(shape);
}

/* A particle's fields are x, y, z, vx, vy, vz and mass, each `step` floats behind the one before. */
static float energy(const float *first, size_t step)
{
    float vx = first[3 * step], vy = first[4 * step], vz = first[5 * step], mass = first[6 * step];
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

static void aos_expected(const struct shape *shape, const float *in, float *out)
{
    for (int i = 0; i < shape->count; i++)
        out[i] = energy(in + (size_t)i * FIELDS, 1);
}

static void soa_expected(const struct shape *shape, const float *in, float *out)
{
    for (int i = 0; i < shape->count; i++)
        out[i] = energy(in + i, stride_of(shape));
}

/* down, pitched: height * depth rows of `width` floats. */
static struct shape pitched_shape(const long *size)
{
    return (struct shape){
        .width = (int)size[0], .height = (int)(size[1] * size[2]), .pitch = pitch_of((size_t)size[0])};
}

static size_t pitched_floats(const struct shape *shape)
{
    return (size_t)shape->height * stride_of(shape);
}

static void pitched_expected(const struct shape *shape, const float *in, float *out)
{
    for (size_t y = 0; y < (size_t)shape->height; y++)
        for (size_t x = 0; x < (size_t)shape->width; x++)
            out[y * stride_of(shape) + x] = scaled(in[y * stride_of(shape) + x]);
}

/* column: ADDENDS rows of `width` floats, summed down each column. rows: `width` rows of ADDENDS in the same buffer, packed,
 * each summed. */
static struct shape column_shape(const long *size)
{
    long width = (elements_of(size) + 14) / 15;
    return (struct shape){.width = (int)width, .height = ADDENDS, .pitch = pitch_of((size_t)width)};
}

static float sum_of(const float *first, size_t step)
{
    double sum = 0;
    for (size_t k = 0; k < ADDENDS; k++)
        sum += first[k * step];
    return (float)sum;
}

static void rows_expected(const struct shape *shape, const float *in, float *out)
{
    for (size_t i = 0; i < (size_t)shape->width; i++)
        out[i] = sum_of(in + i * ADDENDS, 1);
}

static void column_expected(const struct shape *shape, const float *in, float *out)
{
    for (size_t i = 0; i < (size_t)shape->width; i++)
        out[i] = sum_of(in + i, stride_of(shape));
}

/* nested, flat: 2 volumes of half the depth, of planes, of lines of `width` floats. */
static struct shape flat_shape(const long *size)
{
    return (struct shape){.n = {(int)size[0], (int)size[1], (int)(size[2] + 1) / 2, 2}};
}

static size_t flat_floats(const struct shape *shape)
{
    return (size_t)shape->n[0] * (size_t)shape->n[1] * (size_t)shape->n[2] * (size_t)shape->n[3];
}

static void flat_expected(const struct shape *shape, const float *in, float *out)
{
    const int *n = shape->n;
    size_t i = 0;
    for (int i3 = 0; i3 < n[3]; i3++)
        for (int i2 = 0; i2 < n[2]; i2++)
            for (int i1 = 0; i1 < n[1]; i1++)
                for (int i0 = 0; i0 < n[0]; i0++, i++)
                    out[i] = in[i] + (float)(i0 + 2 * i1 + 3 * i2 + 4 * i3);
}

static size_t count_floats(const struct shape *shape)
{
    return (size_t)shape->count;
}

static size_t area_floats(const struct shape *shape)
{
    return (size_t)shape->width * (size_t)shape->height;
}

static size_t width_floats(const struct shape *shape)
{
    return (size_t)shape->width;
}

/* ------------------------------------------------------------------------------------------- the stages' data */

struct walk {
    const char *stage;
    struct shape (*shape)(const long *size);
    size_t (*floats_in)(const struct shape *shape); /* sizes of the buffers */
    size_t (*floats_out)(const struct shape *shape);
    /* Fills in what the walk writes; the rest of `out` holds the poison already. */
    void (*expected)(const struct shape *shape, const float *in, float *out);
    size_t (*written)(const struct shape *shape); /* floats of the output that the walk writes */
    int moved;                                    /* floats that travel for each of them: loaded and stored */
    double tolerance; /* 2^-24 per rounding, with some to spare; 0: one rounding, the same everywhere */
};

static const struct walk walks[] = {
    {"strided", line_shape, line_floats, line_floats, line_expected, count_floats, 2, 0},
    {"unit", line_shape, line_floats, line_floats, line_expected, count_floats, 2, 0},
    {"offset", offset_shape, line_floats, line_floats, line_expected, count_floats, 2, 0},
    {"aligned", offset_shape, line_floats, line_floats, line_expected, count_floats, 2, 0},
    {"aos", soa_shape, soa_floats, count_floats, aos_expected, count_floats, FIELDS_USED + 1, 1e-6},
    {"soa", soa_shape, soa_floats, count_floats, soa_expected, count_floats, FIELDS_USED + 1, 1e-6},
    {"down", pitched_shape, pitched_floats, pitched_floats, pitched_expected, area_floats, 2, 0},
    {"pitched", pitched_shape, pitched_floats, pitched_floats, pitched_expected, area_floats, 2, 0},
    {"rows", column_shape, pitched_floats, width_floats, rows_expected, width_floats, ADDENDS + 1, 3e-6},
    {"column", column_shape, pitched_floats, width_floats, column_expected, width_floats, ADDENDS + 1, 3e-6},
    {"nested", flat_shape, flat_floats, flat_floats, flat_expected, flat_floats, 2, 0},
    {"flat", flat_shape, flat_floats, flat_floats, flat_expected, flat_floats, 2, 0},
    {"vector", offset_shape, line_floats, line_floats, line_expected, count_floats, 2, 0},
};

static const struct walk *walk_of(const struct lab_run *run)
{
    for (int i = 0; i < COUNT(walks); i++)
        if (strcmp(walks[i].stage, run->stage->id) == 0)
            return &walks[i];
    return NULL; /* a row of the stage table without one of walks[] */
}

static void set_dims(struct lab_buffer *buffer, const struct shape *shape)
{
    long floats_per_row = (long)stride_of(shape);
    if (shape->n[0]) {
        buffer->dims[0] = shape->n[0];
        buffer->dims[1] = shape->n[1];
        buffer->dims[2] = (long)shape->n[2] * shape->n[3];
    } else if (floats_per_row && buffer->count % (size_t)floats_per_row == 0) {
        buffer->dims[0] = floats_per_row;
        buffer->dims[1] = (long)(buffer->count / (size_t)floats_per_row);
    }
}

static void layout(struct lab_run *run)
{
    const struct walk *walk = walk_of(run);
    struct shape shape = walk->shape(run->size);
    struct lab_buffer *out = lab_add(run, LAB_OUT, LAB_FLOAT, "out", walk->floats_out(&shape));
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_FLOAT, "in", walk->floats_in(&shape));
    set_dims(out, &shape);
    set_dims(in, &shape);
    out->tolerance = walk->tolerance;
    in->low = 0;
    in->high = 1;
}

static void call(const struct lab_run *run)
{
    typedef void entry(float *out, const float *in, struct shape shape);
    ((entry *)run->stage->function)(run->buffers[0].device, run->buffers[1].device,
                                    walk_of(run)->shape(run->size));
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    const struct walk *walk = walk_of(run);
    struct shape shape = walk->shape(run->size);
    memset(expected, LAB_POISON, lab_buffer_bytes(&run->buffers[index]));
    walk->expected(&shape, run->buffers[1].host, expected);
}

static double work(const struct lab_run *run)
{
    const struct walk *walk = walk_of(run);
    struct shape shape = walk->shape(run->size);
    return (double)walk->written(&shape) * walk->moved * sizeof(float) / 1e9;
}

/* ------------------------------------------------------------------------------------------- known mistakes */

/* True if the output holds at [i] what it should hold at [i + shift], wherever both exist. */
static bool is_shifted(const float *got, const float *expected, size_t count, long shift)
{
    size_t from = shift < 0 ? (size_t)-shift : 0, seen = 0;
    for (size_t i = from; i + (size_t)(shift > 0 ? shift : 0) < count; i++) {
        float want = expected[(long)i + shift];
        if (want != want)
            continue;
        if (got[i] != want)
            return false;
        seen++;
    }
    return seen > 1;
}

/* True if all that should have been written is the input itself. */
static bool is_copied(const float *got, const float *expected, const float *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (expected[i] == expected[i] && got[i] != in[i])
            return false;
    return true;
}

/* True if something was written where the reference leaves the poison. */
static bool is_overrun(const float *got, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (expected[i] != expected[i] && got[i] == got[i])
            return true;
    return false;
}

static const char *recognise(const struct lab_run *run, int index, const void *expected)
{
    const struct lab_buffer *out = &run->buffers[index], *in = &run->buffers[1];
    size_t count = out->count;
    if (in->count >= count && is_copied(out->host, expected, in->host, count))
        return "the output is the input: the elements were moved, but not changed";
    if (is_shifted(out->host, expected, count, 1) || is_shifted(out->host, expected, count, -1))
        return "every element holds its neighbour's value: the index is off by one on one side";
    if (is_overrun(out->host, expected, count))
        return "something was written where nothing should be: before the offset, or into the padding behind "
               "a row";
    return NULL;
}

/* ------------------------------------------------------------------------------------------- the lab */

const struct lab lab = {
    .id = "lab2",
    .title = "coalescing: walks through global memory",
    .size_names = {"width", "height", "depth", "offset"},
    .size_options = {'n', 'm', 'd', 'o'},
    .stages = stages,
    .nstages = COUNT(stages),
    .cases = cases,
    .ncases = COUNT(cases),
    .timed = {.size = {WIDTH, HEIGHT, DEPTH, OFFSET}},
    .unit = "GB/s",
    .layout = layout,
    .call = call,
    .reference = reference,
    .work = work,
    .recognise = recognise,
};
