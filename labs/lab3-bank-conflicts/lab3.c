/* lab3.c - the driver of lab 3, bank conflicts: matrix transpose.
 * The stage table below is what an instructor changes; the functions behind it say what a case needs and what
 * is right. Points of all rows but the bonus add up to 100. */
#include "lab3.h"

#include <string.h>

#include "lab/lab.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define ENTRY(name)  .entry = #name, .function = (void (*)(void))name

/* ------------------------------------------------------------------------------------------- the stages */

#define BOUND(over, under, least, most, words)                                                               \
    {                                                                                                        \
        .counter = over, .per = under, .at_least = least, .at_most = most, .meaning = words                  \
    }

/* A warp that reads or writes 32 neighbouring floats touches 4 sectors of 32 bytes. */
#define COALESCED_LOADS                                                                                      \
    BOUND("global_load_sectors", "global_load_requests", 1, 4.2, "sectors per global load")
#define COALESCED_STORES                                                                                     \
    BOUND("global_store_sectors", "global_store_requests", 1, 4.2, "sectors per global store")
#define ONE_PASS_PER_LOAD                                                                                    \
    BOUND("shared_load_wavefronts", "shared_load_requests", 1, 1.05, "shared wavefronts per load")
#define ONE_PASS_PER_STORE                                                                                   \
    BOUND("shared_store_wavefronts", "shared_store_requests", 1, 1.05, "shared wavefronts per store")

/* The same facts where a thread may move a float4 at a time. Each sector is asked for once. One wavefront of
 * shared memory carries 128 bytes, the content of 4 sectors: 0.25 wavefronts per sector is the least
 * possible. */
#define EACH_SECTOR_ONCE                                                                                     \
    BOUND("global_store_sectors", "global_load_sectors", 0.95, 1.05, "sectors stored per sector loaded")
#define NO_LOAD_CONFLICTS                                                                                    \
    BOUND("shared_load_wavefronts", "global_load_sectors", 0.2, 0.27,                                        \
          "shared load wavefronts per global sector")
#define NO_STORE_CONFLICTS                                                                                   \
    BOUND("shared_store_wavefronts", "global_load_sectors", 0.2, 0.27,                                       \
          "shared store wavefronts per global sector")

/* One element per thread is one barrier of a warp for 4 sectors, 0.25; four elements per thread are 0.0625. */
#define FEW_BARRIERS BOUND("barriers", "global_load_sectors", 0.0001, 0.07, "barriers per sector loaded")
#define NO_PADDING   BOUND("shared_bytes_per_block", NULL, 1, 4096, "bytes of shared memory per block")

static const struct lab_stage stages[] = {
    {
        .id = "naive",
        .title = "one element per thread, straight through",
        ENTRY(transpose_naive),
        .baseline = "baseline_naive",
        .is_given = true,
    },
    {
        .id = "tiled",
        .title = "through a tile in shared memory",
        ENTRY(transpose_tiled),
        .baseline = "baseline_naive",
        .correct = 12,
        .clean = 6,
        .concept = 6,
        .bounds = {COALESCED_LOADS, COALESCED_STORES},
        .speed = {{1.35, 6}},
        .hints =
            {
                {LAB_MISSING, "lab3.cu must define transpose_tiled with the prototype of lab3.h."},
                {LAB_UNTOUCHED, "Nothing was written: TODO 1, the body of tiled_kernel, is still open "
                                "(handout section 2)."},
                {LAB_NO_LAUNCH, "TODO 1 is still open: write tiled_kernel and launch it in "
                                "transpose_tiled (handout section 2)."},
                {LAB_LAUNCH, "A launch was refused. A block holds at most 1024 threads (32 x 32), "
                             "and gridDim.y ends at 65535: let a block cover 32 rows, not one. No "
                             "side of the grid may be 0: round up."},
                {LAB_FAULT, "A thread left its array. Both sides need a test of their own: column < "
                            "width and row < height for reading, the swapped pair for writing."},
                {LAB_RACE, "Threads read what other threads put into the tile: __syncthreads() "
                           "must stand between the writing and the reading of the tile."},
                {LAB_BARRIER, "__syncthreads() must be reached by all threads of the block: keep it "
                              "out of the if, and do not return early at the matrix's edge."},
                {LAB_UNINITIALISED, "A place of the tile is read that nobody has written yet: "
                                    "__syncthreads() must stand between writing and reading; if it does, "
                                    "the second bounds test must ask for the place in the output, width and "
                                    "height swapped."},
                {LAB_PARTLY, "Part of the output was never written: round the grid up (x: width, y: "
                             "height), swap blockIdx.x and blockIdx.y for the place in the output, "
                             "and let no thread return early: one that has nothing to read may have "
                             "something to write."},
                {LAB_EDGE, "Only sizes that are no multiples of 32 are wrong: look at the two "
                           "bounds tests, at which of width and height is the length of an output "
                           "row, and for a return that stands too early."},
                {LAB_WRONG, "Draw a 2 x 3 matrix: tile (bx, by) of the input becomes tile (by, bx) "
                            "of the output, and inside it threadIdx.x still runs along a row "
                            "(handout section 2)."},
                {LAB_CONCEPT, "Results are right, but a warp's accesses are scattered: threadIdx.x "
                              "must run along rows when you read in and also when you write out."},
            },
    },
    {
        .id = "padded",
        .title = "tile without bank conflicts",
        ENTRY(transpose_padded),
        .baseline = "baseline_naive",
        .correct = 8,
        .clean = 4,
        .concept = 12,
        .bounds = {ONE_PASS_PER_LOAD, ONE_PASS_PER_STORE, COALESCED_STORES},
        .speed = {{2.65, 6}},
        .hints =
            {
                {LAB_MISSING, "lab3.cu must define transpose_padded with the prototype of lab3.h."},
                {LAB_UNTOUCHED, "TODO 2 is still open: begin with a copy of tiled_kernel and change the "
                                "tile (handout section 3)."},
                {LAB_NO_LAUNCH, "TODO 2 is still open: write padded_kernel and launch it in "
                                "transpose_padded (handout section 3)."},
                {LAB_LAUNCH, "A launch was refused: the grid and block of transpose_tiled fit here "
                             "unchanged. No side of the grid may be 0: round up."},
                {LAB_FAULT, "A thread left its array: only the declaration of the tile should "
                            "differ from tiled_kernel."},
                {LAB_RACE, "__syncthreads() must stand between the writing and the reading of the "
                           "tile."},
                {LAB_BARRIER, "__syncthreads() must be reached by all threads of the block: keep it "
                              "out of the if."},
                {LAB_EDGE, "Only sizes that are no multiples of 32 are wrong: compare the bounds "
                           "tests with tiled_kernel."},
                {LAB_WRONG, "Only the declaration of the tile should differ from tiled_kernel: its "
                            "indexes stay the same."},
                {LAB_CONCEPT, "Results are right, but threads of a warp still wait for each other at "
                              "a bank. Down a column the bank must change from row to row: how long "
                              "must a row of the tile be? (handout section 3)"},
                {LAB_SLOW, "Look at shared wavefronts per load: 1 is the goal, 32 means that a "
                           "whole warp stands in one line."},
            },
    },
    {
        .id = "rows",
        .title = "several rows per thread",
        ENTRY(transpose_rows),
        .baseline = "baseline_naive",
        .correct = 8,
        .clean = 4,
        .concept = 12,
        .bounds = {FEW_BARRIERS, EACH_SECTOR_ONCE, NO_LOAD_CONFLICTS, NO_STORE_CONFLICTS},
        .speed = {{4.6, 16}},
        .hints =
            {
                {LAB_MISSING, "lab3.cu must define transpose_rows with the prototype of lab3.h."},
                {LAB_UNTOUCHED, "TODO 3 is still open: a block of 32 x 8 threads moves a tile of 32 x "
                                "32, four rows per thread (handout section 4)."},
                {LAB_NO_LAUNCH, "TODO 3 is still open: write rows_kernel and launch it in "
                                "transpose_rows (handout section 4)."},
                {LAB_LAUNCH, "A launch was refused: the block is now 32 x 8, the grid is still one "
                             "block per tile. No side of the grid may be 0: round up."},
                {LAB_FAULT, "A thread left its array: each of its rows needs its own bounds test, "
                            "also row + 24. And is the block 32 x 8 threads?"},
                {LAB_RACE, "One __syncthreads() after the loop that fills the tile is enough, but "
                           "it must be there."},
                {LAB_BARRIER, "__syncthreads() belongs between the two loops, not into one of them "
                              "behind a test."},
                {LAB_PARTLY, "Rows are missing: the loop must go through all 32 rows of the tile in "
                             "steps of the block's height, in both halves of the kernel."},
                {LAB_EDGE, "Only sizes that are no multiples of 32 are wrong: each row needs its "
                           "own bounds test."},
                {LAB_WRONG, "Use the same offset in the tile and in the matrix: tile[threadIdx.y + "
                            "k] and row + k."},
                {LAB_CONCEPT, "Results are right, but each thread should move at least four elements "
                              "for one barrier, and keep rows coalesced and the tile free of "
                              "conflicts."},
                {LAB_SLOW, "Let the loads of one thread be on their way together: unroll the loop "
                           "over rows, and do not wait between them (handout section 4)."},
            },
    },
    {
        .id = "swizzle",
        .title = "bonus: swizzled tile instead of padding",
        ENTRY(transpose_swizzle),
        .baseline = "baseline_naive",
        .correct = 3,
        .clean = 1,
        .concept = 3,
        .bounds = {NO_PADDING, EACH_SECTOR_ONCE, NO_LOAD_CONFLICTS, NO_STORE_CONFLICTS},
        .speed = {{4.6, 3}},
        .previous = "padded",
        .is_bonus = true,
        .hints =
            {
                {LAB_MISSING, "lab3.cu must define transpose_swizzle with the prototype of lab3.h."},
                {LAB_UNTOUCHED, "TODO 4 is a bonus: keep element (r, c) of the tile at [r][c ^ r] "
                                "(handout section 5)."},
                {LAB_NO_LAUNCH, "TODO 4 is still open: write swizzle_kernel and launch it in "
                                "transpose_swizzle (handout section 5)."},
                {LAB_RACE, "__syncthreads() must stand between the writing and the reading of the "
                           "tile."},
                {LAB_EDGE, "Only sizes that are no multiples of the tile are wrong: look at the "
                           "bounds tests."},
                {LAB_WRONG, "Write and read must agree: what is written at [r][c ^ r] is read back "
                            "with the same r and c."},
                {LAB_CONCEPT, "Results are right, but there are bank conflicts left: the bank must "
                              "depend on row and column both, along a row and down a column."},
                {LAB_SLOW, "Combine it with what stage 4 taught: several elements per thread, all "
                           "loads on their way together, or a float4 at a time."},
            },
    },
};

/* ------------------------------------------------------------------------------------------- the cases */

enum { WIDTH, HEIGHT };

static const struct lab_case cases[] = {
    {.size = {1, 1}},     {.size = {31, 31}},   {.size = {32, 32}},   {.size = {33, 33}},
    {.size = {64, 64}},   {.size = {64, 32}},   {.size = {32, 64}},   {.size = {1, 100}},
    {.size = {100, 1}},   {.size = {65, 33}},   {.size = {127, 129}}, {.size = {3, 70001}},
    {.size = {70000, 2}}, {.size = {300, 200}},
};

static void layout(struct lab_run *run)
{
    long width = run->size[WIDTH], height = run->size[HEIGHT];
    struct lab_buffer *out = lab_add(run, LAB_OUT, LAB_FLOAT, "out", (size_t)width * height);
    out->dims[0] = height;
    out->dims[1] = width;
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_FLOAT, "in", (size_t)width * height);
    in->dims[0] = width;
    in->dims[1] = height;
}

static void call(const struct lab_run *run)
{
    void (*transpose)(float *, const float *, int, int) =
        (void (*)(float *, const float *, int, int))run->stage->function;
    transpose(run->buffers[0].device, run->buffers[1].device, (int)run->size[WIDTH], (int)run->size[HEIGHT]);
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    (void)index;
    long width = run->size[WIDTH], height = run->size[HEIGHT];
    const float *in = run->buffers[1].host;
    float *out = expected;
    for (long row = 0; row < height; row++)
        for (long column = 0; column < width; column++)
            out[column * height + row] = in[row * width + column];
}

/* Every element is read once and written once. */
static double work(const struct lab_run *run)
{
    return 2e-9 * sizeof(float) * (double)run->size[WIDTH] * (double)run->size[HEIGHT];
}

/* ------------------------------------------------------------------------------------------- known mistakes */

static bool is_copy(const struct lab_run *run, const float *expected)
{
    (void)expected;
    return !memcmp(run->buffers[0].host, run->buffers[1].host, lab_buffer_bytes(&run->buffers[0]));
}

/* Each tile arrived at its place, but as it was. */
static bool is_unturned(const struct lab_run *run, const float *expected)
{
    long width = run->size[WIDTH], height = run->size[HEIGHT], moved = 0;
    const float *out = run->buffers[0].host;
    for (long row = 0; row < width; row++)
        for (long column = 0; column < height; column++) {
            long x = column / 32 * 32 + row % 32, y = row / 32 * 32 + column % 32;
            if (x >= height || y >= width)
                continue;
            if (out[row * height + column] != expected[y * height + x])
                return false;
            moved += out[row * height + column] != expected[row * height + column];
        }
    return moved > 0;
}

/* Tile (bx, by) of the input went to tile (bx, by) of the output. */
static bool is_unmoved(const struct lab_run *run, const float *expected)
{
    (void)expected;
    long width = run->size[WIDTH], height = run->size[HEIGHT], checked = 0;
    const float *out = run->buffers[0].host, *in = run->buffers[1].host;
    if (width != height)
        return false;
    for (long row = 0; row < height; row++)
        for (long column = 0; column < width; column++) {
            long x = column / 32 * 32 + row % 32, y = row / 32 * 32 + column % 32;
            if (x >= width || y >= height)
                continue;
            if (out[row * width + column] != in[y * width + x])
                return false;
            checked += row / 32 != column / 32;
        }
    return checked > 0;
}

static const struct {
    bool (*looks_so)(const struct lab_run *run, const float *expected);
    const char *sentence;
} mistakes[] = {
    {is_copy, "the output equals the input: rows and columns were not swapped"},
    {is_unmoved,
     "each tile is transposed, but still lies where it came from: block indexes must change places too"},
    {is_unturned, "the tiles lie where they belong, but inside each tile rows and columns are not swapped"},
};

static const char *recognise(const struct lab_run *run, int index, const void *expected)
{
    (void)index;
    for (int i = 0; i < COUNT(mistakes); i++)
        if (mistakes[i].looks_so(run, expected))
            return mistakes[i].sentence;
    return NULL;
}

const struct lab lab = {
    .id = "lab3",
    .title = "bank conflicts: matrix transpose",
    .size_names = {"width", "height"},
    .size_options = {'n', 'm'},
    .stages = stages,
    .nstages = COUNT(stages),
    .cases = cases,
    .ncases = COUNT(cases),
    .timed = {.size = {8192, 8192}},
    .unit = "GB/s",
    .layout = layout,
    .call = call,
    .reference = reference,
    .work = work,
    .recognise = recognise,
};
