/* lab1.c - the driver of lab 1, pi from random points: stages, cases, and an exact count on the CPU for each of them.
 * The stage table below is what an instructor changes; what is right, and what typical mistakes would
 * give, stands in counts.c. */
#include "lab1.h"

#include <math.h>
#include <stdio.h>

#include "counts.h"
#include "lab/bounds.h"

enum {
    TIMED_BLOCKS = 1056, /* what an H200 holds at a time */
    TIMED_THREADS = 256,
    TIMED_POINTS = 20480, /* the hits, 4.35e9, need more than 32 bits */
    TIMED_WARPS = TIMED_BLOCKS * TIMED_THREADS / 32
};
/* Output blocks of Philox, four points each, per warp. */
#define TIMED_QUADS ((double)TIMED_WARPS * TIMED_POINTS / 4)

/* ------------------------------------------------------------------------------------------- the stages */

#define STAGE(name) .id = #name, LAB_CALLS(pi_##name)
#define THREE_LAUNCHES                                                                                       \
    LAB_BOUND("launches", NULL, 3, 0, "kernel launches (init and two batches)",                              \
              "Right, but this stage is three launches: init_states, then count_batch twice.")

/* The numbers are those of warps. A state that goes on needs 20 bytes of every thread, written by init_states and by the first
 * batch. To start a generator takes 11,000 to 16,000 sectors of curand's tables: a second start is more than 19,000. */
#define STATES_WRITTEN                                                                                       \
    LAB_BOUND("used_sectors_out", NULL, 2.0 * 20 * TIMED_WARPS, 0, "sectors stored and used later",          \
              "Right, but the states are not kept in memory: init_states and each batch write them back.")
#define STARTED_ONCE                                                                                         \
    {                                                                                                        \
        .counter = "sectors_in", .minus = "sectors_out", .at_most = 19000.0 * TIMED_WARPS,                   \
        .meaning = "sectors loaded beyond those stored",                                                     \
        .hint = "Right, but generators are started more than once: only init_states calls curand_init, the " \
                "batches load what it has left in states[]."                                                 \
    }
/* 0.98 for one long batch -> 0.49. */
#define TWO_BATCHES                                                                                          \
    LAB_BOUND("largest_launch", "warp_instructions", 0, 0.55,                                                \
              "share of the largest launch in all instructions",                                             \
              "Right, but one launch does nearly all: each of the two batches draws half of the points.")

/* per_thread, per_block and saved draw the same points and have 10.4 to 11.3, all of them: a speedup that each step keeps. */
#define AS_BEFORE 8.5

/* The in-class exercise ends on the host. */
#define TOLD_TO_THE_HOST                                                                                     \
    LAB_BOUND("results_read", NULL, 1, 0, "copies of the count to the host",                                 \
              "Right, but the host does not get the count: copy the counter to the host with "               \
              "cudaMemcpyFromSymbol, and set pi_on_host.")

/* cuRAND's Philox takes 40: the two halves of 20 products. */
#define FEW_PRODUCTS                                                                                         \
    LAB_BOUND("imul_instructions", NULL, 0, 24 * TIMED_QUADS, "integer products, of warps",                  \
              "Right, but with two instructions for each product of 32 by 32 bits, its lower and its upper " \
              "half: write it as one product of 64 bits, and Philox's ten rounds with it (the bonus of "     \
              "section 6).")

/* Of two batches, and for a sum of 64 bits in two halves. */
#define SHARED_ONCE_PER_THREAD                                                                               \
    LAB_BOUND("shared_atomic_requests", NULL, 0, 4 * TIMED_WARPS, "atomic requests to shared memory",        \
              "Right, but with atomics on shared memory in the loop: count in a variable, and add it once, " \
              "after the loop.")

/* Of the last two stages: other points, so another count. */
#define QUARTERS                                                                                             \
    .baseline = "baseline_per_thread", .answer = "baseline_fast", .reference = LAB_ANSWER(count_fast_right), \
    .part = LAB_ANSWER(is_fast_count_of_part), .recognise = LAB_ANSWER(recognise_fast_count),                \
    .middle = LAB_CASE(40, 64, 3072),                                                                        \
    .least = 10 /* ten rounds of two products and two xors are four points */
#define FOUR_POINTS                                                                                          \
    "Points 4q to 4q + 3 are the words of output block q: curand_init(seed, 0, 4 * first, &state), then "    \
    "one curand4 for four points. x is the upper half of a word, y the lower one. The number of points, "    \
    "blocks * threads * points, needs 64 bits."
#define ANY_RANGE                                                                                            \
    "Some points are drawn twice or by nobody: round the share of a thread up, and cut the last range at "   \
    "the number of blocks. The last block gives what is left: 1 to 4 points."

static const struct lab_stage stages[] = {
    {
        STAGE(per_hit),
        .title = "one atomic per hit",
        .is_given = true,
        .hints = {{LAB_UNTOUCHED, "This stage came with the file: take it back from the original lab1.cu."},
                  {LAB_WRONG, "This stage came with the file: compare it with the original lab1.cu."}},
    },
    {
        STAGE(per_thread),
        .title = "one atomic per thread",
        .todo = {1, .section = 2},
        .learned = "Atomics to one place are done one after another. A thread that counts in a register "
                   "first needs one of them instead of one for every hit.",
        .points = {.correct = 10, .clean = 5, .concept = 5},
        .bounds = {LAB_FEW_ATOMICS(TIMED_WARPS), TOLD_TO_THE_HOST},
        .speed = {{2.5, 5}, {5.0, 5}},
        .hints =
            {{LAB_LAUNCH,
              "The message above names the call that failed. If it is the copy: pass `counter`, not "
              "its address; *inside is also device memory, so use cudaMemcpyDeviceToDevice.",
              .about = "cudaMemcpyFromSymbol"},
             {LAB_LOST, "Threads change the counter at the same time, and `counter += hits` loses some "
                        "of them: use atomicAdd."},
             {LAB_WRONG, "Three things make the count: each thread draws its own sequence (its number "
                         "in the whole grid), adds its hits once, and the counter goes from 0 before "
                         "the kernel to *inside after it."},
             {LAB_HOST_READ, "During grading the host reads zeros: copy the counter to *inside within the "
                             "device, with cudaMemcpyFromSymbolAsync and cudaMemcpyDeviceToDevice."},
             {LAB_EDGE, "Is a point drawn for every i below points, and by every thread of the last block?"},
             {LAB_FAULT, "Only `counter` is written here; thread ids index no array."},
             {LAB_SLOW, "Atomics on one address wait for each other. Is there still one inside the loop?"}},
    },
    {
        STAGE(per_block),
        .title = "one atomic per block",
        .todo = {2, .section = 3},
        .learned = "The same idea one level up: threads of a block add up in shared memory, and only the "
                   "block's sum goes to global memory.",
        .points = {.correct = 10, .clean = 5, .concept = 5},
        .bounds = {LAB_FEW_ATOMICS(TIMED_BLOCKS), SHARED_ONCE_PER_THREAD},
        .slowest = AS_BEFORE, /* an atomic per hit on shared memory is slower */
        .hints =
            {{LAB_WRONG, "Set *inside to 0 first (cudaMemsetAsync). Then look at the sum: does it take every "
                         "thread, and does one thread of every block add it?"},
             {LAB_EDGE,
              "The block's sum loses values when blockDim.x is no power of two: halving 33 leaves one over."},
             {LAB_RACE, "Between one thread's write to shared memory and another's read there has to be a "
                        "__syncthreads()."},
             {LAB_BARRIER, "__syncthreads() inside an if that not all threads enter: move it after the if."},
             {LAB_UNINITIALISED, "A shared variable is read before anyone set it (let thread 0 set it, then "
                                 "__syncthreads()), or *inside was not set to 0."},
             {LAB_FAULT, "The shared array needs a place for every thread of the largest block: 1024.",
              .about = "in shared memory"},
             {LAB_SLOW,
              "Slower than one atomic per thread: is there an atomic in the loop, on shared memory?"},
             {LAB_CONCEPT, "Right, but more than one atomic in global memory per block: only thread 0 adds, "
                           "after the sum."}},
    },
    {
        STAGE(saved),
        .title = "saved generator states",
        .todo = {3, .section = 4},
        .learned = "A generator's state is costly to make and cheap to keep: it is set up once, lies in "
                   "memory between launches, and is held in registers while a kernel draws.",
        .must_free = true,
        .points = {.correct = 10, .clean = 5, .concept = 5},
        .bounds = {THREE_LAUNCHES, TWO_BATCHES, STATES_WRITTEN, STARTED_ONCE,
                   LAB_FEW_ATOMICS(2 * TIMED_BLOCKS), SHARED_ONCE_PER_THREAD},
        .slowest = AS_BEFORE, /* who draws points again just to drop them is slower */
        .hints = {{LAB_WRONG, "The second batch must go on where the first one stopped: write the local "
                              "state back to states[t] at the end."},
                  {LAB_UNINITIALISED, "Something is read before it was made: init_states has to run first, "
                                      "with the same grid, and *inside has to be set to 0."},
                  {LAB_FAULT,
                   "There is one state per thread: allocate blocks * threads of them, sizeof(curandState) "
                   "bytes each, and index with the thread's number in the whole grid."},
                  {LAB_SLOW,
                   "Slower than one batch without saved states: does the loop draw from a local copy of "
                   "the state, and does the second batch go on where the first one stopped?"},
                  {LAB_LOST, "Two threads use one state: index with the thread's number in the whole grid."}},
    },
    {
        STAGE(fast),
        .title = "Philox, float, a grid for the device",
        .todo = {4, .section = 5},
        .learned = "What is left are instructions: a counter-based generator, floats instead of doubles, and "
                   "a grid that is made for the device and not for the problem.",
        QUARTERS,
        .points = {.correct = 10, .clean = 5, .concept = 5},
        .bounds = {LAB_NO_FP64, LAB_FEW_ATOMICS(TIMED_WARPS)},
        .speed = {{1.5, 10}},
        .hints =
            {{LAB_WRONG, FOUR_POINTS},
             {LAB_EDGE, ANY_RANGE},
             {LAB_SLOW,
              "Give each thread many blocks of Philox, started once, and launch no more threads than fit on "
              "the device. Count in 32 bits in the loop, and test for the end outside of it."}},
    },
    {
        STAGE(tuned),
        .title = "Philox by hand",
        .is_bonus = true,
        .todo = {5, .section = 6},
        .learned = "Knowing what a library computes lets you leave out what you do not need. When arithmetic "
                   "is the limit, each product that is saved counts.",
        QUARTERS,
        .points = {.correct = 2, .clean = 1, .concept = 7},
        .bounds = {LAB_NO_FP64, LAB_FEW_ATOMICS(TIMED_WARPS), FEW_PRODUCTS},
        .slowest = 2.0, /* fewer products, but no gain */
        .hints = {{LAB_WRONG, FOUR_POINTS},
                  {LAB_EDGE, ANY_RANGE},
                  {LAB_SLOW,
                   "Not yet twice as fast as per_thread. If the loop is unrolled, look at what it does "
                   "for a point besides Philox: two conversions, a comparison and an addition of "
                   "integers can go (the end of section 6)."}},
    },
};

/* ------------------------------------------------------------------------------------------- the cases */

/* {blocks, threads, points}. `saved` splits points in halves, so odd ones belong to single stages. To start a
 * generator costs as much as a hundred points, so threads are few. The first one that fails is told: those that are
 * large enough for recognise() come first, and 70001 times 7 points tell the middle of a cell from its corner. */
static const struct lab_case cases[] = {
    LAB_CASE(32, 32, 96),
    LAB_CASE_OF("fast", 70001, 1, 7),
    LAB_CASE(1, 1, 2),
    LAB_CASE(1, 31, 20),
    LAB_CASE(2, 33, 50),
    LAB_CASE(3, 100, 22),
    LAB_CASE_OF("per_thread", 1, 1, 1),
    LAB_CASE_OF("per_thread", 2, 65, 33),
    LAB_CASE_OF("per_block", 1, 1, 1),
    LAB_CASE_OF("per_block", 2, 255, 31),
    LAB_CASE_OF("per_block", 3, 2, 33),
    LAB_CASE_OF("per_block", 1, 1024, 6),
    LAB_CASE_OF("saved", 2, 1, 2),
    LAB_CASE_OF("fast", 3, 31, 33),
    LAB_CASE_OF("fast", 33, 65, 63),
    LAB_CASE_OF("fast", 5, 7, 101),
    LAB_CASE_OF("fast", 1, 1, 3),
    LAB_CASE_OF("fast", 1, 1, 1),
    LAB_CASE_OF("tuned", 70001, 1, 7),
    LAB_CASE_OF("tuned", 33, 65, 63),
    LAB_CASE_OF("tuned", 5, 7, 101),
    LAB_CASE_OF("tuned", 1, 1, 3),
    LAB_CASE_OF("tuned", 1, 1, 1),
    LAB_CASE(2, 256, 64),
};

static void layout(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_UINT64, "inside", 1);
}

static void call(const struct lab_run *run)
{
    ((pi_fn *)run->stage->function)(run->buffers[0].device, (int)run->size[BLOCKS], (int)run->size[THREADS],
                                    (int)run->size[POINTS], run->seed);
}

static double work(const struct lab_run *run)
{
    return (double)all_points(run) * 1e-9;
}

/* The error of a share p of N points is about sqrt(p (1 - p) / N), and pi is four times the share. Of all stages only
 * per_thread brings its count to the host. */
static void tell(const struct lab_run *run, char *out, size_t size)
{
    const double right = 3.141592653589793, points = (double)all_points(run);
    const double pi = 4 * (double)*(const uint64_t *)run->buffers[0].host / points;
    int length = snprintf(out, size, "pi = %.6f, off by %.6f (usual for %.0f points: %.6f)", pi,
                          fabs(pi - right), points, sqrt(right * (4 - right) / points));
    if (run->stage->function == (void (*)(void))pi_per_thread && &pi_on_host && length > 0 &&
        (size_t)length < size)
        snprintf(out + length, size - (size_t)length, "; on the host: %.6f", pi_on_host);
}

const struct lab lab = {
    .id = "lab1",
    .title = "pi from random points",
    .size_names = {"blocks", "threads", "points"},
    .size_options = {'b', 't', 'n'},
    .size_words = {"blocks of the grid", "threads of a block", "points of a thread"},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    .timed = LAB_CASE(TIMED_BLOCKS, TIMED_THREADS, TIMED_POINTS),
    .middle = LAB_CASE(5, 32, 4096), /* few threads with many points, as in the timed case */
    .grain = LAB_CASE(1, 2, 32),
    .has_seed = true,
    .is_own_work = true,
    .unit = "Gpoints/s",
    .baseline = "baseline_per_hit",
    .layout = layout,
    .call = call,
    .reference = LAB_ANSWER(count_right),
    .work = work,
    .least = 20, /* four draws, each of three shifts, two xors of three numbers and a sum */
    .part = LAB_ANSWER(is_count_of_part),
    .recognise = LAB_ANSWER(recognise_count),
    .tell = tell,
};
