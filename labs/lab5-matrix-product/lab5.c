/* lab5.c - the driver of lab 5, matrix product.
 * The stage table below is what an instructor changes; the functions behind it say what a case needs and what is right.
 * Points of all rows but the bonus add up to 100. Bounds are counted at the timed case, n = 2048. */
#include "lab5.h"

#include <math.h>

#include "exact.h"
#include "lab/bounds.h"
#include "lab/lab.h"

enum { N, TIMED = 2048 };

/* ------------------------------------------------------------------------------------------- the bounds
 * In comments: what the counters show for the step before -> for this step. There are n * n / 4 sectors of input and n * n * n
 * / 32 multiply-adds of warps: at n = 2048, 256 of these for each sector. */

/* A tile of T rows and columns loads each input n / T times: 64 times with tiles of 32. */
#define FEW_SECTORS(most, advice)                                                                            \
    LAB_BOUND("sectors_in", "input_sectors", 0, most, "32-byte sectors loaded per sector of input", advice)
/* 8448 -> 1280 */
#define COALESCED                                                                                            \
    FEW_SECTORS(1700,                                                                                        \
                "Right, but the lanes of a warp still load from 32 rows at once: threadIdx.x must run "      \
                "along the columns of b and c.")
/* 14000 -> 256; two by two results have 512. */
#define RESULTS_SHARE_LOADS                                                                                  \
    FEW_SECTORS(700,                                                                                         \
                "Right, but too much is loaded for each result: neighbouring threads need neighbouring "     \
                "columns, and each value that a thread loads should serve several of its results.")
/* 1280 -> 64; tiles of 16 have 128, rank-1 updates 80. */
#define TILES                                                                                                \
    FEW_SECTORS(150,                                                                                         \
                "Right, but each value is loaded too often: a block should load a tile of a and one of "     \
                "b into shared memory once, and all its threads read them there.")
/* 80 -> 16; tiles of 64 have 32. */
#define LARGE_TILES                                                                                          \
    FEW_SECTORS(36, "Right, but each value is loaded too often: a block should have 128 rows and 128 "       \
                    "columns of results, and bring both tiles through shared memory.")
/* 0 -> 64, 16 where only a goes through it. */
#define THROUGH_SHARED                                                                                       \
    {                                                                                                        \
        .counter = "shared_written_bytes", .per = "input_bytes", .at_least = 4, .is_needed = true,           \
        .meaning = "bytes written to shared memory per byte of input",                                       \
        .hint = "Right, but not through shared memory: this stage is about tiles there."                     \
    }
/* tiled 512 -> two_results 384 -> transposed 96 */
#define FEW_SHARED_LOADS(most, advice)                                                                       \
    LAB_BOUND("shared_requests_in", "input_sectors", 0, most,                                                \
              "shared loads per 256 multiply-adds of a warp", advice)
/* Passes of shared memory: two_results 384 -> transposed 256 -> rank1 128 -> registers 48 */
#define FEW_WAVEFRONTS(most, advice)                                                                         \
    LAB_BOUND("shared_in", "input_sectors", 0, most, "shared wavefronts per 256 multiply-adds of a warp",    \
              advice)
/* 0 -> 16, as much as goes through shared memory */
#define ASYNCHRONOUS                                                                                         \
    LAB_BOUND("async_copy_bytes", "input_bytes", 4, 0, "bytes copied asynchronously per byte of input",      \
              "Right, but data still passes through registers: copy with __pipeline_memcpy_async(). GPUs "   \
              "before compute capability 8.0 have no such copies.",                                          \
              .is_needed = true)

/* ------------------------------------------------------------------------------------------- the stages */

#define STAGE(name) .id = #name, LAB_CALLS(matmul_##name)
/* Steps that gain less than ten times over another are measured against the coalesced kernel. */
#define OVER_COALESCED .baseline = "baseline_coalesced"

static const struct lab_stage stages[] = {
    {
        STAGE(column),
        .title = "a result per thread, threads down a column",
        .is_given = true,
    },
    {
        STAGE(coalesced),
        .title = "threads along a row",
        .todo = {1, .section = 2},
        .points = {.correct = 4, .clean = 2, .concept = 2},
        .bounds = {COALESCED},
        .speed = {{5, 2}},
    },
    {
        STAGE(coarse),
        .title = "32 x 32 results per thread",
        .timed = LAB_CASE(1024),
        .is_given = true,
        OVER_COALESCED,
    },
    {
        STAGE(coarse_local),
        .title = "4 x 4 results per thread, in registers",
        .todo = {2, .section = 4},
        .points = {.correct = 4, .clean = 2, .concept = 2},
        .bounds = {LAB_NO_LOCAL_MEMORY, RESULTS_SHARE_LOADS},
        .speed = {{1, 2}},
        OVER_COALESCED,
    },
    {
        STAGE(tiled),
        .title = "tiles in shared memory",
        .todo = {3, .section = 5},
        .points = {.correct = 8, .clean = 4, .concept = 4},
        .bounds = {TILES, THROUGH_SHARED},
        .speed = {{1.19, 4}},
        .previous = "coalesced",
        OVER_COALESCED,
    },
    {
        STAGE(two_results),
        .title = "two results per thread",
        .todo = {4, .section = 6},
        .points = {.correct = 5, .clean = 3, .concept = 4},
        .bounds = {FEW_SHARED_LOADS(440,
                                    "Right, but each multiplication still needs loads of its own: a value of "
                                    "b's tile should serve two rows."),
                   TILES, THROUGH_SHARED},
        .speed = {{1.77, 3}},
        OVER_COALESCED,
    },
    {
        STAGE(transposed),
        .title = "b's tile turned and padded, float4 loads",
        .todo = {5, .section = 7},
        .points = {.correct = 3, .clean = 2, .concept = 5},
        .bounds = {FEW_SHARED_LOADS(240,
                                    "Right, but not by float4: with b's tile turned, four steps of k are one "
                                    "float4 of each tile."),
                   FEW_WAVEFRONTS(
                       320, "Right, but lanes of a warp meet at banks when they read b's tile: how long "
                            "must its rows be?"),
                   TILES, THROUGH_SHARED},
        OVER_COALESCED,
    },
    {
        STAGE(rank1),
        .title = "rank-1 updates: one operand in a register",
        .todo = {6, .section = 8},
        .points = {.correct = 5, .clean = 3, .concept = 4},
        .bounds = {FEW_WAVEFRONTS(
                       180, "Right, but shared memory is asked too often: an element of b is used for all "
                            "rows of the strip from a register, and a's column is read as float4s."),
                   TILES, THROUGH_SHARED},
        .speed = {{2.52, 3}},
        OVER_COALESCED,
    },
    {
        STAGE(registers),
        .title = "128 x 128 results per block, 8 x 8 per thread",
        .todo = {7, .section = 9},
        .points = {.correct = 6, .clean = 4, .concept = 5},
        .bounds = {LARGE_TILES,
                   FEW_WAVEFRONTS(80, "Right, but shared memory is asked too often: 16 floats should feed 64 "
                                      "multiplications, read as float4s that lie side by side."),
                   LAB_NO_LOCAL_MEMORY, THROUGH_SHARED},
        .speed = {{4.5, 5}},
        OVER_COALESCED,
    },
    {
        STAGE(pipeline),
        .title = "bonus: asynchronous copies, two buffers",
        .todo = {8, .section = 10},
        .is_bonus = true,
        .points = {.correct = 3, .clean = 2, .concept = 5},
        .bounds = {ASYNCHRONOUS, LARGE_TILES,
                   FEW_WAVEFRONTS(80, "Right, but shared memory is asked too often: 16 floats should feed 64 "
                                      "multiplications, read as float4s that lie side by side."),
                   LAB_NO_LOCAL_MEMORY, THROUGH_SHARED},
        OVER_COALESCED,
    },
};

/* ------------------------------------------------------------------------------------------- cases and data */

static const struct lab_case cases[] = {
    LAB_CASE(1),  LAB_CASE(2),  LAB_CASE(15),  LAB_CASE(16),  LAB_CASE(31),  LAB_CASE(32),  LAB_CASE(33),
    LAB_CASE(64), LAB_CASE(65), LAB_CASE(100), LAB_CASE(127), LAB_CASE(128), LAB_CASE(129), LAB_CASE(200),
};

/* Inputs have both signs, so that sums stay about as large as sqrt(n) terms, and so do the roundings of n additions: four
 * times that is more than single precision needs in any order. Factors that lost their last 13 bits (TF32) or 14 (half) are
 * further off from n = 1 on. */
static void layout(struct lab_run *run)
{
    long n = run->size[N];
    struct lab_buffer *c = lab_add_2d(run, LAB_OUT, LAB_FLOAT, "c", n, n);
    c->operations = (int)ceil(4 * sqrt((double)n));
    c->scale = sqrt((double)n);
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "a", n, n)->low = -1;
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "b", n, n)->low = -1;
}

static void call(const struct lab_run *run)
{
    matmul_fn *multiply = (matmul_fn *)run->stage->function;
    multiply(run->buffers[0].device, run->buffers[1].device, run->buffers[2].device, (int)run->size[N]);
}

/* 1e9 additions and multiplications. */
static double work(const struct lab_run *run)
{
    double n = (double)run->size[N];
    return 2e-9 * n * n * n;
}

const struct lab lab = {
    .id = "lab5",
    .title = "matrix product",
    .size_names = {"n"},
    .size_options = {'n'},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    .timed = LAB_CASE(TIMED),
    .drawn = LAB_CASE(150),
    .middle = LAB_CASE(369), /* to 384: tiles of any size are nearly full, as at the timed size */
    .grain = LAB_CASE(1),
    .architecture = 80, /* asynchronous copies */
    .unit = "GFLOP/s",
    .baseline = "baseline_column",
    .layout = layout,
    .call = call,
    .reference = LAB_ANSWER(exact_product),
    .element = LAB_ANSWER(exact_element),
    .work = work,
    .least = 0.5, /* a multiply-add is two operations */
    .recognise = LAB_ANSWER(exact_recognise),
};
