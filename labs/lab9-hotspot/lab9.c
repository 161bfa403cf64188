/* lab9.c - the driver of lab 9, hotspot: heat that spreads over a plate.
 * The stage table below is what an instructor changes; the functions behind it say what a case needs and what
 * is right. Points of all rows but the bonus add up to 100. */
#include "lab9.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/answer.h"
#include "lab/bounds.h"
#include "lab/lab.h"

enum { WIDTH, HEIGHT, STEPS };

/* ------------------------------------------------------------------------------------------- the stages */

/* In comments: what the counters show for the step before -> for the step, in 8 time steps. */

/* 26 -> 10.5 -> 6.6 -> 4.5: every launch loads plate and power once more, and the halos besides. */
#define LOADS(most, advice)                                                                                  \
    LAB_BOUND("sectors_in", "input_sectors", 0, most, "32-byte sectors loaded per sector of input", advice)
/* 0 -> 8 */
#define THROUGH_SHARED                                                                                       \
    LAB_BOUND(                                                                                               \
        "used_shared_written_bytes", "input_bytes", 2, 0, "bytes through shared memory per byte of input",   \
        "Right, but without shared memory: this stage is about a tile in shared memory.", .is_needed = true)
/* 8 -> 4 -> 2. Counts are whole: 4.5 are 4. */
#define LAUNCHES(most, advice)                                                                               \
    LAB_BOUND("launches", NULL, 1, (most) + 0.5, "kernel launches for 8 time steps", advice,                 \
              .is_needed = true)

#define FEW_STEPS                                                                                            \
    LAUNCHES(3, "Right, but with too few steps per launch: do four steps on what a block has loaded, as in " \
                "stage 5.")
/* 1.8 -> 0.17 -> 0.11 -> 0, per warp. */
#define BARRIERS(most, advice)                                                                               \
    LAB_BOUND("barriers", "input_sectors", 0, most, "barriers per sector of input", advice)

#define OUTSIDE_HINT                                                                                         \
    "A thread left its array. Every load of a cell needs the test against 0, width and height, on all four " \
    "sides: cell() has it. So does the store."
#define TURNS_HINT                                                                                           \
    "A block reads a plate that another block of the same launch writes. Each launch must read one plate "   \
    "and write another: out and scratch take turns by launches, not by steps, and the last launch writes "   \
    "out."

static void prediction_layout(struct lab_run *run)
{
    lab_add_answers(run, QUESTIONS);
    lab_add_sheet(run, QUESTIONS);
}

static bool prediction_element(const struct lab_run *run, int index, size_t i, double *value)
{
    static const uint32_t digests[QUESTIONS] = {0x1f495f6d, 0xf72f7093, 0xf9b52797, 0x579c0baf};
    (void)index;
    return lab_right_answer(run, "lab9 prediction", i, digests, value);
}

static const struct lab_stage stages[] = {
    {
        .id = "global",
        .title = "one launch per time step",
        LAB_CALLS(heat_global),
        .is_given = true,
    },
    {
        .id = "prediction",
        .title = "what will a tile gain?",
        LAB_CALLS(heat_prediction),
        .is_first = true,
        .layout = prediction_layout,
        .element = LAB_ANSWER(prediction_element),
        .timed = LAB_CASE(1, 1, 1),
        .middle = LAB_CASE(1, 1, 1),
        .todo = {1, .section = 2},
        .learned =
            "Ask who serves a load before you save it: the counter of one memory says nothing of the next.",
        .points = {.correct = 8},
        .hints =
            {{LAB_WRONG, "Not all answers are right. ./grade lab9.1 -v has the sectors that stage 1 asks L1 "
                         "for, those that go on to L2, and what DRAM moves; compare that with three plates "
                         "for each of 8 steps (handout section 2)."},
             {LAB_WRONG,
              "Some answers are still to be given: write them into prediction_answers (handout section 2).",
              .about = "not given yet"}},
    },
    {
        .id = "shared",
        .title = "a tile with a halo",
        LAB_CALLS(heat_shared),
        .middle = LAB_CASE(1004, 817, 3), /* a launch for each step */
        .todo = {2, .section = 2},
        .learned =
            "A tile with a halo holds all neighbours of the cells inside. The next steps make more of that.",
        .points = {.correct = 5, .clean = 2, .concept = 5},
        .bounds =
            {LOADS(
                 16,
                 "Right, but neighbours still come from global memory: load each cell of the tile once, halo "
                 "included, and take all four neighbours from shared memory."),
             THROUGH_SHARED},
        .previous = "global",
        .slowest = 0.33, /* its points are for the counter */
        .hints =
            {{LAB_FAULT,
              "A thread at the edge of the tile has no neighbour in it: only the threads inside, 30 x 30 of "
              "them, "
              "compute and store.",
              .about = "in shared memory"},
             {LAB_FAULT, OUTSIDE_HINT},
             {LAB_RACE,
              "__syncthreads() must stand between the stores to the tile and the loads of neighbours."},
             {LAB_BARRIER, "All threads of the block must reach __syncthreads(): also those of the halo and "
                           "those outside the plate."},
             {LAB_UNINITIALISED,
              "Cells are read that nobody wrote. If it is the tile: no thread may return before it has "
              "filled its cell, and halo cells outside of the plate hold 0. If it is a plate: the launch "
              "before left cells out; blocks begin 30 cells apart, and the grid is rounded up."},
             {LAB_BLOCKS, TURNS_HINT},
             {LAB_PARTLY,
              "Cells of out are missing. The last launch must write out. A tile of 32 x 32 has 30 x 30 cells "
              "inside: blocks begin 30 cells apart, and the grid has width / 30 blocks across, rounded up."},
             {LAB_WRONG, "Thread (tx, ty) has column x = blockIdx.x * 30 + tx - 1 of the plate, and row "
                         "y = blockIdx.y * 30 + ty - 1. Halo cells outside the plate hold 0 (handout section "
                         "2)."}},
    },
    {
        .id = "two_steps",
        .title = "two time steps per launch",
        LAB_CALLS(heat_two_steps),
        .todo = {3, .section = 3},
        .learned = "A wider halo lets a block do two time steps without asking others. Some cells are "
                   "computed twice, and a pass over memory is saved.",
        .points = {.correct = 10, .clean = 4, .concept = 6},
        .bounds =
            {LAUNCHES(
                 4,
                 "Right, but with a launch for each time step: do two steps on the tile before you write it "
                 "out."),
             LOADS(12, "Right, but cells are loaded too often: a block loads its tile once per launch, and "
                       "does both "
                       "steps on that.")},
        .slowest = 0.75,
        .hints = {{LAB_FAULT, OUTSIDE_HINT},
                  {LAB_RACE,
                   "A thread reads a neighbour while another writes it. Either keep two tiles, read one and "
                   "write the other, with "
                   "a barrier per step; or one tile, with a barrier before and one after it is written."},
                  {LAB_BARRIER, "All threads of the block must reach every __syncthreads(): do not put it "
                                "under a test of the thread's cell. The number of steps is the same for all "
                                "threads, so a loop over the steps may hold it."},
                  {LAB_UNINITIALISED,
                   "Cells are read that nobody wrote. If it is a tile: every thread must write its cell of "
                   "both tiles. If it is a plate: the launch before left cells out; blocks begin 28 cells "
                   "apart, and the grid is rounded up."},
                  {LAB_BLOCKS, TURNS_HINT},
                  {LAB_PARTLY,
                   "Cells of out are missing. The last launch must write out. After two steps 28 x 28 of 32 "
                   "x 32 cells are right: blocks begin 28 cells apart, and the grid is rounded up."},
                  {LAB_WRONG,
                   "Check three things: the halo is 2 wide on every side; cells outside of the plate are 0 "
                   "again after each step; "
                   "with an odd number of steps one launch does a single one (handout section 3)."}},
    },
    {
        .id = "blocked",
        .title = "k time steps per launch",
        LAB_CALLS(heat_blocked),
        .todo = {4, .section = 4},
        .learned = "Each further step costs a wider halo: less memory traffic, more arithmetic that is done "
                   "twice. Somewhere between lies the best number of steps.",
        .points = {.correct = 10, .clean = 4, .concept = 11},
        .bounds = {LAUNCHES(3, "Right, but with too few steps per launch: measure k = 1, 2, 3, 4, 6 and 8, "
                               "and take the best."),
                   LOADS(10, "Right, but cells are loaded too often: a block loads its tile once per launch, "
                             "and does all k "
                             "steps on that.")},
        /* k = 4 gains 1.3, k = 8 less than k = 2. */
        .slowest = 1.15,
        .hints = {{LAB_LOST, "Several blocks write the same cell: only the cells in the middle of a tile, K "
                             "away from its edges, are right, and only these may be written."},
                  {LAB_SLOW,
                   "Right, but slower than it should be. If K is too large, most cells of a tile are "
                   "computed for nothing; if it is too small (4 launches or more for 8 steps), the plate "
                   "goes to memory too often. "
                   "Measure K = 1, 2, 3, 4, 6 and 8, and take the best (handout section 4)."},
                  {LAB_UNINITIALISED,
                   "Cells are read that nobody wrote: the launch before left cells of its "
                   "plate out, or wrote another plate. Blocks begin 2 * K cells less apart than a tile is "
                   "wide; out and scratch take turns by launches, not by steps."},
                  {LAB_NO_LAUNCH,
                   "Write the kernel of TODO 4 and launch it in heat_blocked, also where there are "
                   "fewer steps than K (handout section 4)."},
                  {LAB_FAULT, OUTSIDE_HINT},
                  {LAB_RACE,
                   "A barrier must stand between each step's writes to the tile and the next step's reads."},
                  {LAB_BLOCKS, TURNS_HINT},
                  {LAB_PARTLY, "Cells of out are missing. The last launch must write out. Blocks begin 2 * K "
                               "cells less apart than a tile is wide, and the grid is rounded up."},
                  {LAB_WRONG, "Does the last launch do only the steps that are left, and do out and scratch "
                              "take turns by launches, not by "
                              "steps? The halo is K wide in every launch (handout section 4)."}},
    },
    {
        .id = "columns",
        .title = "several cells per thread",
        LAB_CALLS(heat_columns),
        .todo = {5, .section = 5},
        .learned = "Several cells per thread make a larger tile, of which less is thrown away, and share "
                   "indexes and barriers.",
        .points = {.correct = 5, .clean = 2, .concept = 4},
        .bounds = {FEW_STEPS,
                   BARRIERS(0.6, "Right, but with a barrier for too few cells: give each thread four "
                                 "cells or more, one below the other, and loop over them between two "
                                 "barriers.")},
        .speed = {{1.7, 4}},
        .hints =
            {{LAB_NO_LAUNCH, "Write the kernel of TODO 5 and launch it in heat_columns, also if there are "
                             "fewer steps than a launch can do (handout section 5)."},
             {LAB_FAULT, OUTSIDE_HINT},
             {LAB_RACE,
              "A barrier must stand between each step's writes to the tile and the next step's reads."},
             {LAB_BARRIER, "All threads of the block must reach every __syncthreads(): loop over a "
                           "thread's cells between two barriers, and do not leave the kernel before the "
                           "last one."},
             {LAB_UNINITIALISED,
              "Cells are read that nobody wrote. If it is the tile: each thread fills all of its cells, "
              "those outside of the plate with 0. If it is a plate: blocks begin as many cells apart as "
              "they write, and out and scratch take turns by launches."},
             {LAB_BLOCKS, TURNS_HINT},
             {LAB_PARTLY, "Cells of out are missing. The last launch must write out. A tile has as many "
                          "rows as the block has rows of threads times the cells of each; blocks begin "
                          "that less 2 * K apart, and each thread writes all of its cells."},
             {LAB_WRONG, "Row threadIdx.y * COUNT of the tile is the first of a thread's cells, if it has "
                         "COUNT: it begins that far below the tile's own begin, and row + i is i further "
                         "down, in the tile and on the plate. Each cell has a power of its own (handout "
                         "section 5)."},
             {LAB_SLOW, "Three things cost time, and -v tells which: loads from local memory are of arrays "
                        "that are not in registers, so unroll every loop over cells; more than 1.5 "
                        "wavefronts per load from shared memory are lanes that are not neighbours in a row, "
                        "so give a thread a column; a tile of 32 x 32 throws more than a third of its cells "
                        "away, so take 64 x 64. Then look at registers and blocks per SM (section 5)."}},
    },
    {
        .id = "tuned",
        .title = "cells in registers",
        LAB_CALLS(heat_tuned),
        .todo = {6, .section = 6},
        .learned =
            "Neighbours that lie in a thread's own registers need no shared memory, and tests that are "
            "the same for a whole block need not be done for each cell.",
        .points = {.correct = 5, .clean = 3, .concept = 4},
        .bounds = {LAB_BOUND(
            "shared_requests_in", "input_lines", 0, 16,
            "loads of warps from shared memory per 128 bytes of input",
            "Right, but too many neighbours still come from shared memory: of a thread's cells "
            "only the first and the last need it for those above and below; so give each "
            "thread 8 to 16 cells, one below the other, in registers.",
            .is_needed = true)},
        .speed = {{2.95, 8}},
        .slowest = 1.7, /* what stage 6 reaches: arrays that are not in registers have 1.3 */
        .hints = {{LAB_NO_LAUNCH, "Write the kernel of TODO 6 and launch it in heat_tuned, also if there are "
                                  "fewer steps than a launch can do (handout section 6)."},
                  {LAB_FAULT,
                   OUTSIDE_HINT " Only a block whose tile lies on the plate as a whole needs none, "
                                "halo included."},
                  {LAB_RACE,
                   "A barrier must stand between each step's writes to the tile and the next step's reads."},
                  {LAB_BLOCKS, TURNS_HINT},
                  {LAB_PARTLY,
                   "Cells of out are missing. The last launch must write out. A tile has as many rows as the "
                   "block has rows of threads times the cells of each; blocks begin that less 2 * K apart."},
                  {LAB_WRONG,
                   "A thread's cells need the old heat of the cell above: keep it in a variable before you "
                   "overwrite it. The "
                   "first and the last of its cells take theirs from the tile (handout section 6)."},
                  {LAB_SLOW, "Give each thread 8 to 16 cells, one below the other, in registers; unroll the "
                             "loops over cells and over steps; "
                             "keep tests of each cell to tiles at the plate's edge. If few blocks fit on an "
                             "SM for their registers (-v), give __launch_bounds__ the number that should: of "
                             "512 threads three fit with 40 registers each, of 384 with 56 (handout "
                             "section 6)."}},
    },
    {
        .id = "walking",
        .title = "bonus: warps that walk down the plate",
        LAB_CALLS(heat_walking),
        .todo = {7, .section = 7},
        .learned = "A warp that walks down the plate keeps its rows in registers and exchanges columns by "
                   "shuffles: the tile and the barrier are gone.",
        .is_bonus = true,
        .points = {.correct = 2, .clean = 1, .concept = 2},
        .bounds = {FEW_STEPS, BARRIERS(0.001, "Right, but threads still wait for each other at a barrier: a "
                                              "warp keeps its rows in registers, and shuffles bring the "
                                              "neighbours to the left and right.")},
        .slowest = 1.3,
        .hints = {{LAB_NO_LAUNCH, "Write the kernel of TODO 7 and launch it in heat_walking, also if there "
                                  "are fewer than four steps (handout section 7)."},
                  {LAB_FAULT, OUTSIDE_HINT},
                  {LAB_LANES, "All 32 lanes must reach the shuffles: also those of the halo and those "
                              "outside the plate."},
                  {LAB_BLOCKS, TURNS_HINT},
                  {LAB_LOST,
                   "Several warps write the same cell: a warp writes the columns in its middle, 32 - 2 * K "
                   "of them, and only its own rows."},
                  {LAB_PARTLY, "Cells are missing: a row is written K rows after it was loaded. A warp "
                               "begins K rows above its own rows and ends K rows below them."},
                  {LAB_WRONG, "When row y is loaded, level s computes row y - s, and needs the power of "
                              "that row. Begin the walk K rows above the first row that the warp writes. "
                              "Rows and columns outside the plate are 0 at every level. If fewer than K "
                              "steps are left, do only these (handout section 7)."},
                  {LAB_SLOW,
                   "Unroll the loop over the levels, so that their rows are registers; give a warp many "
                   "rows, but leave enough warps for the GPU (handout section 7)."}},
    },
    {
        .id = "marching",
        .title = "bonus: four cells per lane",
        LAB_CALLS(heat_marching),
        .todo = {8, .section = 8},
        .learned =
            "Four cells per lane make the halo a smaller share and serve four cells with two shuffles; "
            "a row that is loaded ahead arrives while others are computed.",
        .is_bonus = true,
        .points = {.correct = 2, .clean = 1},
        .speed = {{4.6, 2}},
        .hints = {{LAB_NO_LAUNCH, "Write the kernel of TODO 8 and launch it in heat_marching, also if there "
                                  "are fewer than eight steps (handout section 8)."},
                  {LAB_FAULT, OUTSIDE_HINT " A float4 needs a width that is a multiple of 4: for other "
                                           "widths load and write the four cells one by one."},
                  {LAB_LANES, "All 32 lanes must reach the shuffles: also those of the halo and those "
                              "outside the plate."},
                  {LAB_BLOCKS, TURNS_HINT},
                  {LAB_PARTLY, "Cells are missing: a row is written eight rows after it was loaded. A warp "
                               "begins eight rows above its own rows and ends eight rows below them."},
                  {LAB_WRONG, "When row y is loaded, level s computes row y - s, and needs the power of "
                              "that row. Begin the walk eight rows above the first row that the warp writes. "
                              "Rows and columns outside the plate are 0 at every level. If fewer than eight "
                              "steps are left, do only these (handout section 8)."},
                  {LAB_SLOW, "Load the next row before you compute with this one; give a lane four cells; "
                             "choose the number of rows per warp: all blocks should fit on the GPU at once. "
                             "A block may be a single warp (handout section 8)."}},
    },
};

/* ------------------------------------------------------------------------------------------- cases and data */

/* The last one is what is compared by hand. Its grids have fewer blocks if they are counted by whole tiles (32 x 32, 64 x 72) and not by
 * the cells inside (30, 28 or 24; 56 x 64), across and down. */
static const struct lab_case cases[] = {
    LAB_CASE(1, 1, 1),
    LAB_CASE(1, 1, 5),
    LAB_CASE(32, 32, 1),
    LAB_CASE(31, 33, 8),
    LAB_CASE(24, 24, 4),
    LAB_CASE(25, 23, 3),
    LAB_CASE(3, 2, 9),
    LAB_CASE(1, 100, 7),
    LAB_CASE(100, 1, 6),
    LAB_CASE(65, 127, 2),
    LAB_NARROW_CASE(1, 70001, 1),
    LAB_CASE(122, 213, 10),
};

static void layout(struct lab_run *run)
{
    long width = run->size[WIDTH], height = run->size[HEIGHT];
    lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", width, height)->operations = (int)(8 * run->size[STEPS]);
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", width, height);
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "power", width, height);
    lab_add_2d(run, LAB_SCRATCH, LAB_FLOAT, "scratch", width, height);
}

static void call(const struct lab_run *run)
{
    const struct lab_buffer *b = run->buffers;
    heat_fn *heat = (heat_fn *)run->stage->function;
    heat(b[0].device, b[1].device, b[2].device, b[3].device, (int)run->size[WIDTH], (int)run->size[HEIGHT],
         (int)run->size[STEPS]);
}

/* Cells of all time steps, in 1e9. */
static double work(const struct lab_run *run)
{
    return (double)run->size[WIDTH] * (double)run->size[HEIGHT] * (double)run->size[STEPS] * 1e-9;
}

/* ------------------------------------------------------------------------------------------- what is right
 * In double precision. A window of the plate, with a frame of one cell around it that the rule does not change. */

struct window {
    long width, height, pitch;
    double *now, *next; /* cell (0, 0) of each; (-1, -1) is the frame's corner */
    double *power;
    double *memory;
};

static bool open_window(struct window *window, long width, long height)
{
    const long pitch = width + 2, cells = pitch * (height + 2);
    double *memory = calloc((size_t)(3 * cells), sizeof *memory);
    *window = (struct window){
        width, height, pitch, memory + pitch + 1, memory + cells + pitch + 1, memory + 2 * cells + pitch + 1,
        memory};
    return memory;
}

static void fill_window(const struct lab_run *run, struct window *window, long left, long top)
{
    for (long y = 0; y < window->height; y++) {
        const size_t first = (size_t)((top + y) * run->size[WIDTH] + left);
        lab_read(run, 1, first, (size_t)window->width, &window->now[y * window->pitch]);
        lab_read(run, 2, first, (size_t)window->width, &window->power[y * window->pitch]);
    }
}

static void spread(struct window *window)
{
    const long pitch = window->pitch, width = window->width;
    for (long y = 0; y < window->height; y++) {
        const double *row = &window->now[y * pitch], *power = &window->power[y * pitch];
        double *next = &window->next[y * pitch];
        for (long x = 0; x < width; x++)
            next[x] = 0.5 * row[x] + 0.125 * (row[x - 1] + row[x + 1] + row[x - pitch] + row[x + pitch]) +
                      0.0625 * power[x];
    }
    double *other = window->now;
    window->now = window->next;
    window->next = other;
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    const long width = run->size[WIDTH], height = run->size[HEIGHT];
    struct window plate;
    (void)index;
    if (!open_window(&plate, width, height))
        return; /* stays poison: nothing is right then */
    fill_window(run, &plate, 0, 0);
    for (long step = 0; step < run->size[STEPS]; step++)
        spread(&plate);
    for (long y = 0; y < height; y++)
        for (long x = 0; x < width; x++)
            ((float *)expected)[y * width + x] = (float)plate.now[y * plate.pitch + x];
    free(plate.memory);
}

static long largest(long a, long b)
{
    return a > b ? a : b;
}

static long smallest(long a, long b)
{
    return a < b ? a : b;
}

/* Cells beside and below each other share most of what they depend on: patches of the plate are computed as a whole. */
enum { ACROSS = 64, DOWN = 16, KEPT = 128 };
struct patch {
    uint64_t seed;
    long size[3], x, y; /* of the plate; its first cell */
    double heat[DOWN][ACROSS];
};

/* What is further away than there are steps has no part in a cell: a window of the plate is enough. What its frame of 0 spoils
 * comes in by one cell per step, and not as far as the patch; unless the frame is the plate's edge, and right. */
static void compute_patch(const struct lab_run *run, struct patch *patch)
{
    const long far = run->size[STEPS], width = run->size[WIDTH], height = run->size[HEIGHT];
    const long left = largest(patch->x - far, 0), right = smallest(patch->x + ACROSS + far, width);
    const long top = largest(patch->y - far, 0), bottom = smallest(patch->y + DOWN + far, height);
    struct window window;
    if (!open_window(&window, right - left, bottom - top))
        return;
    fill_window(run, &window, left, top);
    for (long step = 0; step < far; step++)
        spread(&window);
    for (long y = patch->y; y < smallest(patch->y + DOWN, height); y++)
        for (long x = patch->x; x < smallest(patch->x + ACROSS, width); x++)
            patch->heat[y - patch->y][x - patch->x] = window.now[(y - top) * window.pitch + x - left];
    free(window.memory);
}

static bool is_patch(const struct patch *patch, const struct lab_run *run, long x, long y)
{
    return patch->seed == run->seed && patch->x == x && patch->y == y &&
           !memcmp(patch->size, run->size, sizeof patch->size);
}

/* Whoever compares goes through the plate row by row: the last patch of each column is kept. */
static bool element(const struct lab_run *run, int index, size_t i, double *value)
{
    static _Thread_local struct patch *kept;
    const long x = (long)(i % (size_t)run->size[WIDTH]), y = (long)(i / (size_t)run->size[WIDTH]);
    const long left = x - x % ACROSS, top = y - y % DOWN;
    (void)index;
    if (!kept && !(kept = calloc(KEPT, sizeof *kept)))
        return false;
    struct patch *patch = &kept[left / ACROSS % KEPT];
    if (!is_patch(patch, run, left, top)) {
        *patch = (struct patch){.seed = run->seed, .x = left, .y = top};
        memcpy(patch->size, run->size, sizeof patch->size);
        compute_patch(run, patch);
    }
    *value = patch->heat[y - top][x - left];
    return true;
}

/* ------------------------------------------------------------------------------------------- known mistakes */

enum { FURTHER = 8 }; /* steps that a launch may have done too many of */

/* True if the output is the window's cells from (left, top) on. */
static bool is_output(const struct lab_run *run, const struct window *window, long left, long top)
{
    const struct lab_buffer *out = &run->buffers[0];
    for (long y = 0; y < run->size[HEIGHT]; y++)
        for (long x = 0; x < run->size[WIDTH]; x++) {
            const double want = window->now[(top + y) * window->pitch + left + x];
            const double got = (double)((const float *)out->host)[y * run->size[WIDTH] + x];
            if (!(fabs(got - want) <= out->relative * fabs(want) + out->absolute))
                return false;
        }
    return true;
}

/* The time step that the output shows, if not the last; -1: none. */
static long find_step(const struct lab_run *run)
{
    struct window plate;
    long found = -1;
    if (!open_window(&plate, run->size[WIDTH], run->size[HEIGHT]))
        return -1;
    fill_window(run, &plate, 0, 0);
    for (long step = 0; found < 0 && step <= run->size[STEPS] + FURTHER; step++) {
        if (step != run->size[STEPS] && is_output(run, &plate, 0, 0))
            found = step;
        spread(&plate);
    }
    free(plate.memory);
    return found;
}

/* All that lies outside of the plate, which is at (far, far), is 0 again. */
static void clear_outside(struct window *wide, long far)
{
    for (long y = 0; y < wide->height; y++)
        for (long x = 0; x < wide->width; x++)
            if (x < far || x >= wide->width - far || y < far || y >= wide->height - far)
                wide->now[y * wide->pitch + x] = 0;
}

/* True if heat has spread beyond the plate's edge, and came back from there: in launches of so many steps. */
static bool is_without_edge(const struct lab_run *run, long each)
{
    struct window wide;
    if (!open_window(&wide, run->size[WIDTH] + 2 * each, run->size[HEIGHT] + 2 * each))
        return false;
    struct window plate = wide;
    plate.width = run->size[WIDTH];
    plate.height = run->size[HEIGHT];
    plate.now += each * wide.pitch + each;
    plate.power += each * wide.pitch + each;
    fill_window(run, &plate, 0, 0);
    for (long step = 0; step < run->size[STEPS]; step++) {
        if (step % each == 0)
            clear_outside(&wide, each);
        spread(&wide);
    }
    const bool is_it = is_output(run, &wide, each, each);
    free(wide.memory);
    return is_it;
}

/* Each cell of the frame becomes what the nearest cell of the plate is. */
static void mirror_frame(struct window *window)
{
    const long width = window->width, height = window->height, pitch = window->pitch;
    double *now = window->now;
    for (long x = 0; x < width; x++) {
        now[x - pitch] = now[x];
        now[height * pitch + x] = now[(height - 1) * pitch + x];
    }
    for (long y = 0; y < height; y++) {
        now[y * pitch - 1] = now[y * pitch];
        now[y * pitch + width] = now[y * pitch + width - 1];
    }
}

static bool is_clamped(const struct lab_run *run)
{
    struct window plate;
    if (!open_window(&plate, run->size[WIDTH], run->size[HEIGHT]))
        return false;
    fill_window(run, &plate, 0, 0);
    for (long step = 0; step < run->size[STEPS]; step++) {
        mirror_frame(&plate);
        spread(&plate);
    }
    const bool is_it = is_output(run, &plate, 0, 0);
    free(plate.memory);
    return is_it;
}

static const char *recognise(const struct lab_run *run, int index, const void *expected)
{
    enum { MOST = 100000 }; /* cells: beyond, it takes too long */
    static _Thread_local char text[160];
    const long cells = run->size[WIDTH] * run->size[HEIGHT];
    (void)index;
    (void)expected;
    if (cells > MOST)
        return NULL;
    const long step = find_step(run);
    if (step >= 0) {
        snprintf(text, sizeof text, "this is the plate after %ld time step%s, where %ld %s asked for", step,
                 step == 1 ? "" : "s", run->size[STEPS], run->size[STEPS] == 1 ? "is" : "are");
        return text;
    }
    for (long each = 2; each <= FURTHER; each++)
        if (is_without_edge(run, each))
            return "heat spreads beyond the plate's edge and comes back: cells outside of the plate must be "
                   "0 "
                   "again after each step";
    if (is_clamped(run))
        return "cells at the edge take their own heat where a neighbour is missing: outside of the plate it "
               "is 0";
    return NULL;
}

const struct lab lab = {
    .id = "lab9",
    .title = "hotspot: heat that spreads over a plate",
    .size_names = {"width", "height", "steps"},
    .size_options = {'n', 'm', 't'},
    .size_words = {"cells of a row", "rows of the plate", "time steps"},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    .timed = LAB_CASE(4096, 4096, 8),
    .drawn = LAB_CASE(130, 130, 10),
    .middle =
        LAB_CASE(1004, 817, 8), /* to 1064 x 832: tiles of any size are nearly full, as at the timed size */
    .grain = LAB_CASE(4, 1, 0),
    .is_chained = true,
    .unit = "Gcells/s",
    .work = work,
    .baseline = "baseline_global",
    .layout = layout,
    .call = call,
    .reference = LAB_ANSWER(reference),
    .element = LAB_ANSWER(element),
    .recognise = LAB_ANSWER(recognise),
};
