/* lab5.c - the driver of lab 5, matrix product.
 * The stage table below is what an instructor changes; the functions behind it say what a case needs and what is right.
 * Points of all rows but the bonus add up to 100. Bounds are counted at the timed case: n = 2048, and 2047 for `edges`. */
#include "lab5.h"

#include <math.h>

#include "exact.h"
#include "lab/answer.h"
#include "lab/bounds.h"
#include "lab/lab.h"
#include "references.h"

enum { N, TIMED = 2048, UNALIGNED = 2047 };

/* ------------------------------------------------------------------------------------------- the bounds
 * In comments: what the counters show for the step before -> for this step. There are n * n / 4 sectors of input and n * n * n
 * / 32 multiply-adds of warps: at n = 2048, 256 of these for each sector. */

/* A tile of T rows and columns loads each input n / T times: 64 times with tiles of 32. */
#define FEW_SECTORS(most, advice)                                                                            \
    LAB_BOUND("sectors_in", "input_sectors", 0, most, "32-byte sectors loaded per sector of input", advice)
/* 8448 -> 1280 */
#define COALESCED                                                                                            \
    FEW_SECTORS(1700,                                                                                        \
                "Right, but the lanes of a warp still load from 32 rows at once: threadIdx.x must give "     \
                "the column of b and c.")
/* 14000 -> 256; two by two results have 512. */
#define RESULTS_SHARE_LOADS                                                                                  \
    FEW_SECTORS(700,                                                                                         \
                "Right, but too much is loaded for each result: neighbouring threads need neighbouring "     \
                "columns, and each value that a thread loads should serve several of its results.")
/* Tiles in shared memory are loaded seldom, too: they are what the next stages are about. */
#define NO_TILES                                                                                             \
    LAB_BOUND("shared_written_bytes", "input_bytes", 0, 0.1,                                                 \
              "bytes written to shared memory per byte of input",                                            \
              "Right, but with tiles in shared memory: this stage is about results in registers.",           \
              .is_needed = true)
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
        .counter = "used_shared_written_bytes", .per = "input_bytes", .at_least = 4, .is_needed = true,      \
        .meaning = "bytes through shared memory per byte of input",                                          \
        .hint = "Right, but without shared memory: this stage is about tiles in shared memory."              \
    }
/* tiled 512 -> two_results 384 -> transposed 96 */
#define FEW_SHARED_LOADS(most, advice)                                                                       \
    LAB_BOUND("shared_requests_in", "input_sectors", 0, most,                                                \
              "shared loads per 256 multiply-adds of a warp", advice)
/* Passes of shared memory: two_results 384 -> transposed 256 -> rank1 128 -> registers 48 */
#define FEW_WAVEFRONTS(most, advice)                                                                         \
    LAB_BOUND("shared_in", "input_sectors", 0, most, "shared wavefronts per 256 multiply-adds of a warp",    \
              advice)
#define FEW_OPERAND_LOADS                                                                                    \
    FEW_WAVEFRONTS(80, "Right, but there are too many loads from shared memory: read 16 floats as float4s "  \
                       "for 64 multiply-adds, neighbouring lanes side by side.")
/* For other sizes stage 10 is stage 9: 128, and on some GPUs not far from the threshold. */
#define AS_IN_REGISTERS                                                                                      \
    LAB_BOUND("shared_in", "input_sectors", 0, 80, "shared wavefronts per 256 multiply-adds of a warp",      \
              "Right, but there are too many loads from shared memory: the multiplication is that of "       \
              "stage 10.",                                                                                   \
              .is_needed = true)
/* 0 -> 16, as much as goes through shared memory */
#define ASYNCHRONOUS                                                                                         \
    LAB_BOUND("used_async_copy_bytes", "input_bytes", 4, 0, "bytes copied asynchronously per byte of input", \
              "Right, but data still passes through registers: copy with __pipeline_memcpy_async(). GPUs "   \
              "before compute capability 8.0 have no such copies.",                                          \
              .is_needed = true)

/* 0.0015 where copies are waited for at once -> 0.95: all but the first ones and the last tile */
#define MEANWHILE                                                                                            \
    LAB_BOUND("used_async_instructions", "used_warp_instructions", 0.5, 0,                                   \
              "share of the instructions that are issued while a copy is under way",                         \
              "Right, but the copies are waited for at once, and nothing is computed meanwhile: start the "  \
              "copy of the next slice, then multiply this one, and wait only then.",                         \
              .is_needed = true)

/* ------------------------------------------------------------------------------------------- the stages */

#define STAGE(name) .id = #name, LAB_CALLS(matmul_##name)
/* Steps that gain less than ten times over another are measured against the coalesced kernel. */
#define OVER_COALESCED .baseline = "baseline_coalesced"
/* 384 or 512: as at the timed size, tiles are full. Kernels with large tiles often have another way for that. */
#define LARGE_MIDDLE .middle = LAB_CASE(384), .grain = LAB_CASE(128), .grains = 2
/* 381 to 383: nearly full, as at the timed size, and no row but the first is sure to begin at a multiple of 16 bytes. */
#define UNALIGNED_MIDDLE .middle = LAB_CASE(381), .grain = LAB_CASE(1), .grains = 3

static void prediction_layout(struct lab_run *run)
{
    lab_add_answers(run, QUESTIONS);
    lab_add_sheet(run, QUESTIONS);
}

static bool prediction_element(const struct lab_run *run, int index, size_t i, double *value)
{
    static const uint32_t digests[QUESTIONS] = {0x536c1d49, 0x505268ae, 0x2dd7e573, 0x31be3bdd, 0x08067ab0};
    (void)index;
    return lab_right_answer(run, "lab5 prediction", i, digests, value);
}

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
        .learned = "The same arithmetic, another order of threads: lanes along a row share what they load, "
                   "and loads are coalesced.",
        .points = {.correct = 4, .clean = 2, .concept = 2},
        .bounds = {COALESCED},
        .speed = {{5, 2}},
        .hints =
            {{LAB_FAULT, "A thread left its matrix: rows and columns from n on have no result, and their "
                         "threads should return."},
             {LAB_PARTLY,
              "Some results are never written: launch n / 32 blocks, rounded up, in both directions."},
             {LAB_WRONG, "Only the two lines that compute row and column should differ from column_kernel."},
             {LAB_SLOW, "Neighbouring threads should load neighbouring elements of b: threadIdx.x must give "
                        "the column."}},
    },
    {
        STAGE(coarse),
        .title = "32 x 32 results per thread",
        .timed = LAB_CASE(128), /* one block computes it all: 0.25 s on the virtual GPU; 5 s at size 512 */
        .is_given = true,
        OVER_COALESCED,
    },
    {
        STAGE(coarse_local),
        .title = "4 x 4 results per thread, in registers",
        .todo = {2, .section = 4},
        .learned = "Results that a thread keeps in registers use each loaded value several times. An array "
                   "that is indexed at run time, or is too large, goes to local memory instead.",
        .points = {.correct = 4, .clean = 2, .concept = 2},
        .bounds = {LAB_NO_LOCAL_MEMORY, RESULTS_SHARE_LOADS, NO_TILES},
        .speed = {{1.5, 2}},
        .previous = "coalesced", /* coarse is there to be looked at */
        OVER_COALESCED,
        .hints = {{LAB_FAULT,
                   "A thread left its matrix: a thread's later rows and columns may lie beyond n even if its "
                   "first ones do not. Load from the last one instead, and do not store the result."},
                  {LAB_PARTLY, "Some results are never written: a block has EDGE * FEW rows and columns; "
                               "round the number of blocks up."},
                  {LAB_EDGE,
                   "Each of a thread's rows and columns needs a test of its own where results are stored."},
                  {LAB_WRONG, "Result [y][x] of a thread belongs to row top + y * EDGE and column left + x * "
                              "EDGE, in loads and in stores."},
                  {LAB_SLOW,
                   "If there are stores to local memory, an array of the thread's lies in local memory: "
                   "unroll every loop over its results. Are there as many blocks as c has squares of 64 x "
                   "64, and not more? Each step of k should be FEW loads of a, FEW of b, and FEW * FEW "
                   "multiply-adds. Unroll the loop over k by 4: several loads are then under way at once."}},
    },
    {
        STAGE(tiled),
        .title = "tiles in shared memory",
        .todo = {3, .section = 5},
        .learned = "A tile in shared memory is loaded once and used by the whole block. Traffic to global "
                   "memory falls by the width of the tile.",
        .points = {.correct = 8,
                   .clean = 4,
                   .concept = 8}, /* an H200 gains 1.37: too near to the step before for a threshold */
        .bounds = {TILES, THROUGH_SHARED},
        .slowest = 0.9,
        .previous = "coalesced",
        OVER_COALESCED,
        .hints =
            {{LAB_FAULT, "A thread left its matrix: each load of a tile needs a test of its own, row and "
                         "column against n."},
             {LAB_RACE, "Two barriers: one between filling the tiles and reading them, one between reading "
                        "them and filling them again."},
             {LAB_BARRIER, "All threads of the block must reach both barriers, also those that have no "
                           "result: no return and no continue before them."},
             {LAB_UNINITIALISED,
              "A thread reads a place of a tile that no thread wrote: beyond the edge, store 0 there; and "
              "threads that have no result must fill their places too, so none may return before the loop."},
             {LAB_PARTLY,
              "Some results are never written: launch n / 32 blocks, rounded up, in both directions."},
             {LAB_EDGE,
              "Multiples of 32 are right, others are not: round the number of blocks up; the loop over k "
              "must reach the last, partly filled tiles, and what lies beyond the edge must be 0 in them."},
             {LAB_WRONG, "The tile of a is read along a row, [threadIdx.y][i], and that of b down a column, "
                         "tile_b[i][threadIdx.x]."},
             {LAB_SLOW,
              "One load per thread and tile, 32 products, two barriers: what else is in the loop?"}},
    },
    {
        STAGE(two_results),
        .title = "two results per thread",
        .todo = {4, .section = 6},
        .learned = "Then loads from shared memory are the limit: a value that is used for two results of a "
                   "thread is loaded half as often.",
        .points = {.correct = 5, .clean = 3, .concept = 7},
        .bounds = {FEW_SHARED_LOADS(440, "Right, but there are too many shared loads: a value of b's tile, "
                                         "loaded once, should serve two rows. And is the grid that of "
                                         "stage 5, not twice as large?"),
                   TILES, THROUGH_SHARED},
        .slowest = 1.2, /* as fast as the step before */
        OVER_COALESCED,
        .hints = {{LAB_FAULT,
                   "A thread left its matrix or its tile: is the block 32 x 16 threads, and does "
                   "each of the two rows have its own test?",
                   .about = ""},
                  {LAB_RACE, "Both barriers stay where they were in stage 5."},
                  {LAB_BARRIER, "All threads of the block must reach both barriers."},
                  {LAB_UNINITIALISED,
                   "Half as many threads fill tiles of the same size: each thread loads two "
                   "elements of each tile."},
                  {LAB_PARTLY, "Results are missing: thread (x, y) has rows y and y + HALF of the tile."},
                  {LAB_EDGE, "The second row needs a test of its own."},
                  {LAB_WRONG, "Both results take the same element of tile_b; the second one takes row "
                              "threadIdx.y + HALF of the tile of a."},
                  {LAB_SLOW, "Is tile_b[i][threadIdx.x] loaded once for both results? And are there 16 rows "
                             "of threads, not 32?"}},
    },
    {
        STAGE(prediction),
        .title = "what will a transposed tile gain?",
        .is_first = true,
        .layout = prediction_layout,
        .element = LAB_ANSWER(prediction_element),
        .timed = LAB_CASE(1),
        .middle = LAB_CASE(1),
        .todo = {5, .section = 7},
        .learned = "A counter that falls saves time only where what it counts was the limit.",
        .points = {.correct = 4},
        .hints =
            {{LAB_WRONG,
              "Not all answers are right. Count the bytes that a warp reads from shared memory for "
              "eight multiply-adds, before the step and after it (handout section 7)."},
             {LAB_WRONG,
              "Some answers are still to be given: write them into prediction_answers (handout section 7).",
              .about = "not given yet"}},
    },
    {
        STAGE(transposed),
        .title = "b's tile transposed and padded, float4 loads",
        .todo = {6, .section = 7},
        .learned = "Wide loads need neighbours in memory, so the tile is stored the other way round; padding "
                   "keeps its columns in different banks.",
        .points = {.correct = 2, .clean = 1, .concept = 3},
        .bounds = {FEW_SHARED_LOADS(140, "Right, but without float4 loads: with b's tile transposed, four "
                                         "steps of k need one float4 of each row."),
                   FEW_WAVEFRONTS(320, "Right, but there are bank conflicts when a warp reads b's tile: how "
                                       "long must its rows be?"),
                   TILES, THROUGH_SHARED},
        .previous = "two_results",
        .slowest = 1.4, /* its points are for the counters */
        OVER_COALESCED,
        .hints = {{LAB_FAULT,
                   "A thread left its array: tile_b is now indexed [column][k], when it is filled "
                   "and when it is read.",
                   .about = ""},
                  {LAB_MISALIGNED, "A float4 must begin at a multiple of 16 bytes: so must every row of both "
                                   "tiles. Which padding keeps that?"},
                  {LAB_RACE, "Both barriers stay where they were in stage 6."},
                  {LAB_UNINITIALISED, "Every place of both tiles must be filled before it is read: 32 x 32 "
                                      "of each, the padding left out."},
                  {LAB_EDGE, "Places beyond the edge must hold 0, in the transposed tile too."},
                  {LAB_WRONG,
                   "tile_b[column][k] = b[k][column]: transposed when it is filled, and read along "
                   "a row, tile_b[threadIdx.x][i]."},
                  {LAB_SLOW, "Too slow. If the wavefronts are more than the goal, there are bank conflicts "
                             "when a warp reads b's tile: how long must its rows be? Else look at the "
                             "registers (-v): with more than 32 for each thread fewer than four blocks fit "
                             "on an SM; __launch_bounds__(512, 4) after __global__ void limits them."}},
    },
    {
        STAGE(rank1),
        .title = "rank-1 updates: one operand in a register",
        .todo = {7, .section = 8},
        .learned = "With an outer product one operand stays in a register while the other passes by: fewer "
                   "loads for the same multiplications.",
        .points = {.correct = 5, .clean = 3, .concept = 4},
        .bounds = {FEW_WAVEFRONTS(
                       180, "Right, but there are too many loads from shared memory: keep the element of b "
                            "in a register for all rows, and read a's column as float4s. Is a's tile "
                            "declared with __align__(16)?"),
                   TILES, THROUGH_SHARED},
        .speed = {{2.3, 3}},
        .slowest = 1.6,
        OVER_COALESCED,
        .hints =
            {{LAB_FAULT, "A thread left its matrix: row k + i of b must be below n in the last strip, and a "
                         "thread whose column lies beyond n must load from the last column."},
             {LAB_RACE,
              "Two barriers: one between filling a's tile and reading it, one between reading it and "
              "filling it again."},
             {LAB_BARRIER, "All threads must reach both barriers, also those whose column lies beyond n."},
             {LAB_UNINITIALISED, "64 threads fill 16 x 16 places of a's tile: four each."},
             {LAB_PARTLY,
              "Results are missing: the grid needs n / WIDTH blocks along the columns and n / STRIP "
              "along the rows, both rounded up."},
             {LAB_EDGE, "The last strip of k may be shorter, and the last blocks may have fewer rows and "
                        "columns."},
             {LAB_WRONG, "Row r of the column that a thread has sums up a's element [r][k] times "
                         "b[k][column]: each thread has its own element of b, and all "
                         "threads use the same column of a. All must fill a's tile, even if their column "
                         "lies beyond n."},
             {LAB_SLOW, "Unroll the loop over k: loads of b then start before their values are needed. And "
                        "read a's column as float4s."}},
    },
    {
        STAGE(registers),
        LARGE_MIDDLE,
        .title = "128 x 128 results per block, 8 x 8 per thread",
        .todo = {8, .section = 9},
        .learned = "Larger tiles raise the arithmetic per loaded byte, in shared memory and in registers. "
                   "Registers, not occupancy, are what pays here.",
        .points = {.correct = 4, .clean = 2, .concept = 3},
        .bounds = {LARGE_TILES, FEW_OPERAND_LOADS, LAB_NO_LOCAL_MEMORY, THROUGH_SHARED},
        .speed = {{4, 3}},
        OVER_COALESCED,
        .hints =
            {{LAB_FAULT,
              "A thread left its matrix or its slice: each of 256 threads loads 8 floats of each slice. "
              "Only multiples of 128 may come to this kernel: its loads have no tests.",
              .about =
                  ""},
             {LAB_MISALIGNED,
              "Rows begin at multiples of 16 bytes only where n is a multiple of 4: leave the "
              "first lines of matmul_registers() as they are, other sizes are for stage 11."},
             {LAB_RACE, "Two barriers: before a slice is multiplied, and before it is overwritten."},
             {LAB_BARRIER, "All threads must reach both barriers."},
             {LAB_PARTLY, "Results are missing: a thread has 8 rows and 8 columns, in two groups of four "
                          "each. Sizes that are no multiple of 128 go to stage 9's kernel."},
             {LAB_EDGE, "Sizes that are no multiple of 128 go to stage 9's kernel: is that right?"},
             {LAB_LOST, "Two threads store to the same place, or a thread stores to another thread's place: "
                        "write down for one thread which rows and columns it has, and use the same ones "
                        "where it reads the slices and where it stores."},
             {LAB_WRONG, "Write down for one thread which rows and columns it has, and use the same ones "
                         "where it reads the slices and where it stores."},
             {LAB_SLOW,
              "Unroll all loops over the 8 x 8 results and over the slice. Read 16 floats as four float4s "
              "for 64 multiply-adds; a thread's 8 columns are two groups of four, 32 apart. Fill the slices "
              "with float4 loads. With more than 128 registers per thread only one block fits on an SM."}},
    },
    {
        STAGE(edges),
        UNALIGNED_MIDDLE,
        .timed = LAB_CASE(UNALIGNED),
        .title = "every n at this speed",
        .todo = {9, .section = 10},
        .learned =
            "Tests at the edge cost little where a loaded value is used many times: loads are a small part "
            "of the work, and the multiplication needs no test, since zeros change no sum.",
        .points = {.correct = 2, .clean = 2, .concept = 2},
        .bounds = {AS_IN_REGISTERS, LAB_NO_LOCAL_MEMORY, THROUGH_SHARED},
        .speed = {{3.9, 2}},
        OVER_COALESCED,
        .hints =
            {{LAB_FAULT,
              "A thread left its matrix: each of the four floats that stage 10 loads or stores as a float4 "
              "needs a test of its own, row and column against n.",
              .about = ""},
             {LAB_MISALIGNED, "Rows begin at multiples of 16 bytes only where n is a multiple of 4: load "
                              "and store single floats of a, b and c."},
             {LAB_RACE, "Two barriers: before a slice is multiplied, and before it is overwritten."},
             {LAB_BARRIER, "All threads must reach both barriers, also those whose results all lie beyond "
                           "the edge."},
             {LAB_UNINITIALISED, "Every place of both slices must be filled before it is read, those beyond "
                                 "the edge with 0."},
             {LAB_PARTLY, "Results are missing: the grid needs n / 128 blocks, rounded up, in both "
                          "directions; and each of a thread's 64 results is stored if it lies inside."},
             {LAB_EDGE, "Beyond the edge, slices must hold 0, in rows, in columns and in steps of k; and "
                        "results beyond it are not stored."},
             {LAB_WRONG, "The slices hold the same as in stage 10: only how they are filled differs, and how "
                         "results are stored."},
             {LAB_SLOW, "Only the filling and the stores need tests, not the multiplication: it is that of "
                        "stage 10. Unroll the loops that fill the slices, and load all 16 floats of a thread "
                        "before the first is stored into a slice. If you do so, compare with plain rows: "
                        "warps that load neighbours need fewer sectors, and more instructions."}},
    },
    {
        STAGE(pipeline),
        LARGE_MIDDLE,
        .title = "bonus: asynchronous copies, two buffers",
        .todo = {10, .section = 11},
        .learned = "While one tile is computed the next is on its way, without registers in between. Two "
                   "buffers hide the latency that warps alone did not.",
        .is_bonus = true,
        .points = {.correct = 3, .clean = 2, .concept = 5},
        .bounds = {ASYNCHRONOUS, MEANWHILE, LARGE_TILES, FEW_OPERAND_LOADS, LAB_NO_LOCAL_MEMORY,
                   THROUGH_SHARED},
        .slowest = 4.2,          /* the step before has 5 to 6 */
        .previous = "registers", /* edges is for other sizes */
        .contains = "edges",     /* where n is no multiple of 128, single floats are copied */
        OVER_COALESCED,
        .hints =
            {{LAB_FAULT,
              "A thread left its matrix or its buffer: where n is not a multiple of 128, let the "
              "copy fill in zeros (its fourth argument) and keep its address within the matrix.",
              .about =
                  ""},
             {LAB_MISALIGNED, "A copy of 16 bytes needs both addresses at multiples of 16: copy 4 bytes "
                              "where n is not a multiple of 4."},
             {LAB_RACE,
              "__pipeline_wait_prior() waits for the thread's own copies only. The barrier after it "
              "waits for those of the others; start to fill a buffer again only after a barrier."},
             {LAB_UNINITIALISED,
              "A thread reads a buffer before it waited for the copy, or a part of it was never copied."},
             {LAB_EDGE,
              "Beyond the edge fill in 0: the copy's fourth argument is the number of bytes to set to 0."},
             {LAB_WRONG, "Which buffer is multiplied, and which one is filled meanwhile? Exchange them after "
                         "every slice."}},
    },
};

/* ------------------------------------------------------------------------------------------- cases and data */

/* The last one has several blocks of whole tiles. */
static const struct lab_case cases[] = {
    LAB_CASE(33),  LAB_CASE(32),  LAB_CASE(31),  LAB_CASE(64),  LAB_CASE(65),
    LAB_CASE(1),   LAB_CASE(2),   LAB_CASE(15),  LAB_CASE(16),  LAB_CASE(100),
    LAB_CASE(127), LAB_CASE(128), LAB_CASE(129), LAB_CASE(161), LAB_CASE_OF("registers", 256),
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
    .size_words = {"rows and columns of the matrices"},
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
    .references = LAB_ANSWER(references_print),
};
