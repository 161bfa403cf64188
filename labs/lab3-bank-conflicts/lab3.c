/* lab3.c - the driver of lab 3, bank conflicts: matrix transpose.
 * The stage table below is what an instructor changes; the functions behind it say what a case needs and what
 * is right. Points of all rows but the bonus add up to 100. */
#include "lab3.h"

#include "lab/bounds.h"
#include "lab/lab.h"

enum { WIDTH, HEIGHT, TILE = 32 };

/* ------------------------------------------------------------------------------------------- the stages */

/* Each element is loaded and stored once, and nobody waits at a bank. */
#define COALESCED    LAB_LOADS_ONCE(1.05), LAB_STORES_ONCE(1.05)
#define NO_CONFLICTS LAB_TILE_LOADS_ONCE(1.05), LAB_TILE_STORES_ONCE(1.05)
/* One element per thread is a barrier of a warp for 4 sectors, 0.25; four are 0.0625. A block that walks over several
 * tiles needs two barriers for each: 0.125. */
#define FEW_BARRIERS                                                                                         \
    LAB_BOUND("barriers", "input_sectors", 0, 0.15, "barriers per sector of input",                          \
              "Right, but each thread should move at least four elements for one barrier.")
/* A padded tile of 32 x 33 floats has 1.03 bytes for each byte that goes through it. */
#define NO_PADDING                                                                                           \
    LAB_BOUND("shared_bytes", "input_bytes", 0, 1.005, "bytes of shared memory per byte moved",              \
              "Right, but the tile is larger than the data that it holds: swizzle instead of padding.",      \
              .is_needed = true)

static lab_layout_fn layout_copy;
static lab_element_fn element_of_copy;

static const struct lab_stage stages[] = {
    {
        .id = "naive",
        .title = "one element per thread, straight through",
        LAB_CALLS(transpose_naive),
        .is_given = true,
    },
    {
        .id = "tiled",
        .title = "through a tile in shared memory",
        LAB_CALLS(transpose_tiled),
        .todo = {1, .section = 2},
        .learned = "Shared memory turns the data round: loads and stores of global memory both run along "
                   "rows, and the awkward step happens inside the block.",
        .points = {.correct = 12, .clean = 6, .concept = 6},
        /* Half of what the first step takes: no time makes up for more. */
        .bounds = {COALESCED, LAB_LOADS_ONCE(4.5, .is_needed = true),
                   LAB_STORES_ONCE(4.5, .is_needed = true)},
        .speed = {{1.35, 6}},
        .apart_on = "a100 h100",
        .hints =
            {{LAB_FAULT,
              "The index is wrong, not the test: a row of the output has height elements, so element (row, "
              "column) of it has index row * height + column.",
              .about = "the index is computed wrongly"},
             {LAB_FAULT,
              "A thread left its array. Reading and writing need a test each: column < width and "
              "row < height, and the swapped pair for writing. A row of the output has height elements."},
             {LAB_RACE, "__syncthreads() must stand between the writes to the tile and the reads from it."},
             {LAB_LOST, "Two threads write the same place. For the place in the output swap blockIdx.x and "
                        "blockIdx.y; its bounds test and the length of its rows swap width and height."},
             {LAB_BARRIER, "All threads of the block must reach __syncthreads(): keep it out of the if, "
                           "and do not return early at the edge of the matrix."},
             {LAB_UNINITIALISED,
              "All threads have passed a barrier, and still nobody has stored this element: it lies beyond "
              "the "
              "edge of the input. For the place in the output swap blockIdx.x and blockIdx.y, and width and "
              "height in its test.",
              .about = "a barrier was passed"},
             {LAB_UNINITIALISED,
              "An element of the tile is read before it is written. Is __syncthreads() there? For the place "
              "in the output, are blockIdx.x and blockIdx.y swapped, and width and height in its test?"},
             {LAB_PARTLY, "For the place in the output swap blockIdx.x and blockIdx.y, and width and height "
                          "in its test. If they are "
                          "swapped: round the grid up (x: width, y: height), and let no thread return early, "
                          "it may have something to write."},
             {LAB_EDGE, "Check the two bounds tests, which of width and height is the length of an output "
                        "row, and whether threads return too early."},
             {LAB_WRONG,
              "Draw 2 x 3 tiles: tile (bx, by) of the input becomes tile (by, bx) of the output, and "
              "inside it threadIdx.x still runs along a row (handout section 2)."}},
    },
    {
        .id = "padded",
        .title = "tile without bank conflicts",
        LAB_CALLS(transpose_padded),
        .todo = {2, .section = 3},
        .learned = "Shared memory has 32 banks, and a column of a tile whose rows fill them all lies in one. "
                   "A row that is one word longer moves each element to another bank.",
        .points = {.correct = 8, .clean = 4, .concept = 12},
        .bounds = {NO_CONFLICTS, COALESCED},
        .speed = {{2.65, 6}},
        .apart_on = "a100",
        .hints =
            {{LAB_FAULT, "Only the declaration of the tile should differ from tiled_kernel."},
             {LAB_EDGE, "Compare the bounds tests with those of tiled_kernel."},
             {LAB_WRONG, "Only the tile's declaration should differ from tiled_kernel: indexes stay."},
             {LAB_CONCEPT,
              "Right, but threads of a warp still wait for each other at a bank. The 32 elements of a column "
              "must lie in 32 different banks: how long must a row of the tile be? (handout section 3)"},
             {LAB_SLOW,
              "The tile is right; the rest of the kernel takes the time. Use one element per thread, one "
              "barrier, and indexes from blockIdx and threadIdx alone, as in tiled_kernel."}},
    },
    {
        .id = "rows",
        .title = "several rows per thread",
        LAB_CALLS(transpose_rows),
        .todo = {3, .section = 4},
        .learned = "More work per thread keeps more loads in flight and shares a barrier and the index "
                   "arithmetic among several elements. Latency was the limit, not the bytes.",
        .points = {.correct = 8, .clean = 4, .concept = 12},
        .bounds = {FEW_BARRIERS, COALESCED, NO_CONFLICTS},
        .speed = {{4.6, 16}},
        .hints = {{LAB_FAULT,
                   "A thread left its array. Each of its rows needs its own bounds "
                   "test, also row + 24. Does the block have 32 x 8 threads?",
                   .about = ""},
                  {LAB_RACE, "Put one __syncthreads() after the loop that fills the tile."},
                  {LAB_LOST,
                   "Two threads write the same place. Rows of a thread must be apart by the height of "
                   "the block, both in the tile and in the matrix. Does the block have 32 x 8 threads?"},
                  {LAB_BARRIER, "Put __syncthreads() between the two loops, outside of any if."},
                  {LAB_PARTLY, "Rows are missing: the loop must go through all 32 rows of the tile in steps "
                               "of the block's height, in both halves of the kernel."},
                  {LAB_EDGE, "Each row needs a bounds test of its own."},
                  {LAB_WRONG, "Use the same offset in tile and matrix: tile[threadIdx.y + k] and row + k."},
                  {LAB_SLOW,
                   "Keep the loads of one thread in flight together: unroll the loop over rows, and do "
                   "not wait between them. If it is unrolled, load into registers first, or handle "
                   "whole tiles without bounds tests (handout section 4)."}},
    },
    {
        .id = "swizzle",
        .title = "bonus: swizzled tile instead of padding",
        LAB_CALLS(transpose_swizzle),
        .todo = {4, .section = 5},
        .learned = "A permutation of columns that differs from row to row avoids conflicts without any "
                   "wasted memory: the same is done in libraries for tensor cores.",
        .is_bonus = true,
        .points = {.correct = 3, .clean = 1, .concept = 3},
        .bounds = {NO_PADDING, COALESCED, NO_CONFLICTS},
        .speed = {{4.6, 3}},
        .previous = "padded",
        .contains = "rows", /* several rows per thread, and as fast */
        .hints = {{LAB_LOST, "Two threads write the same place. In a row of the tile, c ^ r must take every "
                             "value from 0 to 31 once."},
                  {LAB_WRONG,
                   "Write and read must agree: both use [r][c ^ r]. r and c are the element's row and "
                   "column in the tile, not the thread's."},
                  {LAB_SLOW,
                   "Start all loads of a thread before the first value is needed, as in stage 4, with "
                   "few tests and little index arithmetic between them; or move a float4 at a time."}},
    },
    {
        .id = "control",
        .title = "a copy through the same tile",
        LAB_CALLS(copy_tiled),
        .is_given = true,
        .baseline = "baseline_copy",
        .layout = layout_copy,
        .element = LAB_ANSWER(element_of_copy),
    },
};

/* ------------------------------------------------------------------------------------------- cases and data */

static const struct lab_case cases[] = {
    LAB_CASE(1, 1),
    LAB_CASE(31, 31),
    LAB_CASE(32, 32),
    LAB_CASE(33, 33),
    LAB_CASE(64, 64),
    LAB_CASE(64, 32),
    LAB_CASE(32, 64),
    LAB_CASE(1, 100),
    LAB_CASE(100, 1),
    LAB_CASE(65, 33),
    LAB_CASE(127, 129),
    LAB_NARROW_CASE(3, 70001),
    LAB_NARROW_CASE(70000, 2),
    LAB_CASE(300, 200),
};

static void layout(struct lab_run *run)
{
    long width = run->size[WIDTH], height = run->size[HEIGHT];
    lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", height, width)->is_exact = true;
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", width, height);
}

/* The control keeps the matrix as it is. */
static void layout_copy(struct lab_run *run)
{
    long width = run->size[WIDTH], height = run->size[HEIGHT];
    lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", width, height)->is_exact = true;
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", width, height);
}

static void call(const struct lab_run *run)
{
    transpose_fn *transpose = (transpose_fn *)run->stage->function;
    transpose(run->buffers[0].device, run->buffers[1].device, (int)run->size[WIDTH], (int)run->size[HEIGHT]);
}

static bool element(const struct lab_run *run, int index, size_t i, double *value)
{
    const size_t width = (size_t)run->size[WIDTH], height = (size_t)run->size[HEIGHT];
    (void)index;
    *value = lab_at(run, 1, i % height * width + i / height);
    return true;
}

static bool element_of_copy(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = lab_at(run, 1, i);
    return true;
}

/* ------------------------------------------------------------------------------------------- known mistakes */

/* True if each tile of the output is the tile at the same place of `from`, turned. Both have rows of one length. */
static bool is_turned_tile_by_tile(const struct lab_run *run, const float *from)
{
    const struct lab_buffer *out = &run->buffers[0];
    long width = out->dims[0], height = out->dims[1], moved = 0;
    for (long i = 0; i < width * height; i++) {
        long row = i / width, column = i % width;
        long x = column / TILE * TILE + row % TILE, y = row / TILE * TILE + column % TILE;
        if (x < width && y < height && ((float *)out->host)[i] != from[y * width + x])
            return false;
        moved += row / TILE != column / TILE;
    }
    return moved > 0;
}

static const char *recognise(const struct lab_run *run, int index, const void *expected)
{
    (void)index;
    if (run->stage->is_given)
        return NULL; /* the control turns nothing */
    if (run->size[WIDTH] == run->size[HEIGHT] && is_turned_tile_by_tile(run, run->buffers[1].host))
        return "each tile is transposed, but lies where it came from: block indexes must change places too";
    if (is_turned_tile_by_tile(run, expected))
        return "the tiles lie where they belong, but inside each tile rows and columns are not swapped";
    return NULL;
}

const struct lab lab = {
    .id = "lab3",
    .title = "bank conflicts: matrix transpose",
    .size_names = {"width", "height"},
    .size_options = {'n', 'm'},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    .timed = LAB_CASE(8192, 8192),
    .drawn = LAB_CASE(300, 300),
    .middle = LAB_CASE(1021, 1031),
    .grain = LAB_CASE(37, 41),
    .unit = "GB/s",
    .baseline = "baseline_naive",
    .layout = layout,
    .call = call,
    .element = LAB_ANSWER(element),
    .recognise = LAB_ANSWER(recognise),
};
