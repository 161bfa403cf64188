/* lab4.c - the driver of lab 4, reduction: adding up an array.
 * The stage table below is what an instructor changes; the functions behind it say what a case needs and what is right.
 * Points of all rows add up to 100. Bounds are counted at the timed case, over all launches of a stage. */
#include "lab4.h"

#include <stdio.h>

#include "lab/bounds.h"
#include "lab/lab.h"

/* ------------------------------------------------------------------------------------------- the bounds
 * In comments: what the counters show for the step before -> for this step, with blocks of 256 threads. Blocks of
 * 64 to 1024 threads pass as well. A sector of input holds eight elements. */

/* 8 -> 0.06: the tree's levels no longer go to global memory. */
#define TREE_IN_SHARED                                                                                       \
    LAB_BOUND("sectors_out", "input_sectors", 0, 0.3, "sectors stored per sector of input",                  \
              "Right, but the tree still goes through global memory: one load per element, one store per "   \
              "block, everything else in __shared__.")
/* 4, less what adding up the partial sums takes. A warp of one thread has 0.1, or 0.5 with vectors. */
#define WHOLE_WARPS                                                                                          \
    {                                                                                                        \
        .counter = "input_sectors", .per = "requests_in", .at_least = 2, .is_needed = true,                  \
        .meaning = "sectors of input per load of a warp",                                                    \
        .hint = "Right, but warps are nearly empty: all 32 lanes of a warp should load, each an element."    \
    }
/* 1.5 -> 0.2: what is left are the levels of fewer than 32 additions, in one warp per block; in blocks of 64 threads those
 * are nearly all of them, 0.9. One tree for twice the elements has half of each. */
#define NO_DIVERGENCE       LAB_NO_DIVERGENCE(1.2)
#define HALF_THE_DIVERGENCE LAB_NO_DIVERGENCE(0.55)
/* 2.9 -> 0.8: warps without work skip a level. In blocks of 64 threads 1.5. One tree for twice the elements has half of each.
 * Lanes that are switched off one by one, without a branch, make no divergence, but their warp loads all the same. */
#define FEW_WARPS_WORK(most)                                                                                 \
    LAB_BOUND("shared_requests_in", "input_sectors", 0, most, "shared loads of warps per sector of input",   \
              "Right, but every warp takes part in every level: the lowest threads should do the work, and " \
              "other warps none.")
#define WARPS_SKIP_LEVELS      FEW_WARPS_WORK(2.2)
#define WARPS_SKIP_HALF_LEVELS FEW_WARPS_WORK(1.1)
/* 22 -> 0. A second tree for the partial sums may have some. */
#define NO_CONFLICTS LAB_NO_CONFLICTS(1)
/* 2.3 -> 1.1: one tree for twice the elements. 1.1 -> 0.38: no barriers in the last six levels. */
#define FEW_BARRIERS(most, advice)                                                                           \
    LAB_BOUND("barriers", "input_sectors", 0, most, "barriers per sector of input", advice)
#define HALF_THE_BARRIERS                                                                                    \
    FEW_BARRIERS(1.45, "Right, but there are as many trees as before: launch half the blocks.")
#define BARRIERS_FOR_FEW_LEVELS                                                                              \
    FEW_BARRIERS(                                                                                            \
        0.7,                                                                                                 \
        "Right, but the whole block still waits at barriers while one warp works: end the loop at s > 32.")
/* 0.65 -> 0.27: a branch per barrier is the level's own test; no further one leads back to the loop's begin. Shuffles
 * have 0.4. */
#define NO_LOOP                                                                                              \
    {                                                                                                        \
        .counter = "branches", .minus = "barriers", .per = "input_sectors", .at_most = 0.5,                  \
        .meaning = "branches beyond barriers per sector of input",                                           \
        .hint = "Right, but there is still a branch back per level: nvcc must know the block size and all "  \
                "values of s."                                                                               \
    }
/* 0.03 -> 0.0001: blocks as many as the GPU holds, not as many as the input has tiles. */
#define FEW_PARTIALS                                                                                         \
    LAB_BOUND("sectors_out", "input_sectors", 0, 0.001, "sectors stored per sector of input",                \
              "Right, but too many blocks build a tree: launch no more than the GPU holds at once.")
/* 5.7 -> 1.3 -> 0.8 */
#define FEW_INSTRUCTIONS                                                                                     \
    LAB_BOUND("warp_instructions", "input_sectors", 0, 2.5, "warp instructions per sector of input",         \
              "Right, but too much is done for each element: a thread adds up many of them in a register "   \
              "before it builds a tree.")
/* A chunk of its own for each thread would load every sector eight times. */
#define COALESCED LAB_LOADS_ONCE(1.1)
/* 0.15 -> 0.002: a warp stores one sum to shared memory, not 32 and those of the levels. */
#define NO_TREE_IN_SHARED                                                                                    \
    LAB_BOUND("shared_written_bytes", "input_sectors", 0, 0.01,                                              \
              "bytes written to shared memory per sector of input",                                          \
              "Right, but a tree still goes through shared memory: lanes of a warp pass their registers to " \
              "each other with shuffles, and one of them stores the warp's sum.")
/* 0 -> 11: five shuffles, of two words each, before a warp stores anything to shared memory. */
#define SHUFFLES                                                                                             \
    LAB_BOUND(                                                                                               \
        "used_warp_op_instructions", "shared_store_requests", 4, 0,                                          \
        "shuffles that feed the sum per shared store",                                                       \
        "Right, but a warp should add up its registers with shuffles before it touches shared memory.")

/* ------------------------------------------------------------------------------------------- the stages */

/* Enough that all threads a GPU holds go round an unrolled loop. */
#define MANY_ROUNDS LAB_CASE(6000011)
#define STAGE(name) .id = #name, LAB_CALLS(reduce_##name)

/* The array in shared memory is the kernel's business; partial sums lie in global memory. */
#define PARTIALS_HINT                                                                                        \
    {                                                                                                        \
        LAB_UNINITIALISED,                                                                                   \
            "More partial sums are added up than were stored: add_partials() takes their number, one for "   \
            "each block of the launch before, and all blocks must store theirs.",                            \
            .about = "uninitialised global memory"                                                           \
    }

static const struct lab_stage stages[] = {
    {
        STAGE(global),
        .title = "a tree in global memory",
        .is_given = true,
    },
    {
        STAGE(shared),
        .title = "a tree in shared memory",
        .todo = {1, .section = 2},
        .learned = "What is used again and again belongs into shared memory. Global memory is read once, and "
                   "one sum per block is written.",
        .points = {.correct = 6, .clean = 2, .concept = 3},
        .bounds = {TREE_IN_SHARED, WHOLE_WARPS},
        .hints = {PARTIALS_HINT,
                  {LAB_FAULT,
                   "A thread left its array: load only if i < n, and store a zero into shared memory "
                   "otherwise. With extern __shared__: is the third launch number in bytes?"},
                  {LAB_RACE, "A thread reads what another writes in the same level: __syncthreads() must "
                             "stand after the load and after each level."},
                  {LAB_BARRIER, "All threads of the block must reach __syncthreads(): keep it out of the if, "
                                "and let threads past the end stay."},
                  {LAB_BLOCKS,
                   "A block writes where another block may still read: partial sums need an array "
                   "of their own, or a part of scratch that this launch does not read (handout, "
                   "question 3)."},
                  {LAB_UNINITIALISED, "Threads past the end must store a zero and may not return early: the "
                                      "tree reads their places too."},
                  {LAB_EDGE, "Sizes that fill their blocks are right, others are not: round the number of "
                             "blocks up, and let threads past the end bring a zero."},
                  {LAB_WRONG,
                   "Elements are int, but all sums are long long: in shared memory, in registers and in "
                   "partial[]. If they are, follow the tree on paper for n = 8 (handout section 1)."}},
    },
    {
        STAGE(strided),
        .title = "no divergence: neighbouring threads work",
        .todo = {2, .section = 3},
        .learned = "Divergence is a matter of warps: the same number of active threads costs less when they "
                   "sit in the same warps.",
        /* no threshold: stage 2 with a mask in place of its remainder is as fast */
        .points = {.correct = 4, .clean = 2, .concept = 5},
        .bounds = {NO_DIVERGENCE, WARPS_SKIP_LEVELS, TREE_IN_SHARED, WHOLE_WARPS},
        .hints = {PARTIALS_HINT,
                  {LAB_RACE, "__syncthreads() must stand after the load and after each level."},
                  {LAB_BARRIER, "Keep __syncthreads() out of the if: threads without work wait there too."},
                  {LAB_FAULT,
                   "2 * s * threadIdx.x runs past the block: test it against blockDim.x before "
                   "you use it. With extern __shared__: is the third launch number in bytes?",
                   .about = "in shared memory"},
                  {LAB_EDGE, "Only the loop's index should differ from tree_shared; the load, the number of "
                             "blocks and add_partials() stay as they were."},
                  {LAB_WRONG, "Level s adds element left + s to element left, with left = 2 * s * "
                              "threadIdx.x (handout section 3)."},
                  {LAB_CONCEPT, "Right, but lanes of one warp still go different ways: those with work must "
                                "be the lowest threads of the block."}},
    },
    {
        STAGE(sequential),
        .title = "no bank conflicts: sequential addressing",
        .todo = {3, .section = 4},
        .learned = "The distance between the words that lanes touch decides about bank conflicts. With "
                   "neighbouring words there are none.",
        .points = {.correct = 4,
                   .clean = 2,
                   .concept = 5}, /* an H200 gains 1.37: too near to the step before for a threshold */
        .bounds = {NO_CONFLICTS, NO_DIVERGENCE, WARPS_SKIP_LEVELS, TREE_IN_SHARED, WHOLE_WARPS},
        .slowest = 1, /* blocks of 64 threads have 1.2, those of 256 2.2 */
        .hints = {PARTIALS_HINT,
                  {LAB_RACE, "__syncthreads() must stand after the load and after each level."},
                  {LAB_BARRIER, "Keep __syncthreads() out of the if: threads without work wait there too."},
                  {LAB_FAULT,
                   "Only threads with t < s may read value[t + s]. With extern __shared__: is the "
                   "third launch number in bytes?",
                   .about = "in shared memory"},
                  {LAB_WRONG,
                   "The first level has s = blockDim.x / 2, the last one s = 1: is one of them missing?"},
                  {LAB_CONCEPT, "Right, but neighbouring threads do not touch neighbouring elements: pairs "
                                "should be elements t and t + s with t < s."}},
    },
    {
        STAGE(first_add),
        .title = "first addition while loading",
        .todo = {4, .section = 5},
        .learned = "Half of the threads did nothing but load. An addition on the way in halves the blocks, "
                   "and with them barriers and the overhead of starting them.",
        .points = {.correct = 4, .clean = 2, .concept = 2},
        .bounds = {HALF_THE_BARRIERS, NO_CONFLICTS, HALF_THE_DIVERGENCE, WARPS_SKIP_HALF_LEVELS,
                   TREE_IN_SHARED, WHOLE_WARPS},
        .speed = {{3.2, 3}},
        .hints = {PARTIALS_HINT,
                  {LAB_RACE, "__syncthreads() must stand after the load and after each level."},
                  {LAB_FAULT, "The second load needs a test of its own: i + BLOCK < n."},
                  {LAB_EDGE, "The end is wrong: each of the two loads needs its own test against n."},
                  {LAB_WRONG,
                   "A block now covers 2 * BLOCK elements, in its start index and in the number of blocks."},
                  {LAB_SLOW, "Both loads should be in flight together: load both, then add."}},
    },
    {
        STAGE(last_warp),
        .title = "last warp without barriers",
        .todo = {5, .section = 6},
        .learned = "A warp needs no barrier of the block: its lanes are ordered by a cheaper one. When only "
                   "one warp is left, the others need not wait.",
        .points = {.correct = 4, .clean = 3, .concept = 4},
        .bounds = {BARRIERS_FOR_FEW_LEVELS, NO_CONFLICTS, HALF_THE_DIVERGENCE, WARPS_SKIP_HALF_LEVELS,
                   TREE_IN_SHARED, WHOLE_WARPS},
        .slowest = 2, /* blocks of 64 threads have 2.4, those of 256 6.2 */
        .hints = {PARTIALS_HINT,
                  {LAB_FAULT,
                   "Lanes read value[t + s] with t up to 31 and s up to 32: blocks need at least 64 threads.",
                   .about = "in shared memory"},
                  {LAB_RACE,
                   "Lanes of one warp do not run in lockstep: __syncwarp() must stand between a store and "
                   "the load by another lane, and between that load and the next store."},
                  {LAB_BARRIER, "The last warp may not call __syncthreads() any more: use __syncwarp()."},
                  {LAB_WRONG,
                   "The loop over levels stops at s > 32; the warp then adds s = 32, 16, 8, 4, 2, 1."}},
    },
    {
        STAGE(unrolled),
        .title = "all levels unrolled for the block size",
        .todo = {6, .section = 7},
        .learned = "With the block size known to the compiler, loop and tests disappear. Instructions that "
                   "steer the loop were a part of the work.",
        .points = {.correct = 4, .clean = 2, .concept = 4},
        .bounds = {NO_LOOP, BARRIERS_FOR_FEW_LEVELS, NO_CONFLICTS, WARPS_SKIP_HALF_LEVELS, TREE_IN_SHARED,
                   WHOLE_WARPS},
        .slowest = 2, /* as before */
        .hints = {PARTIALS_HINT,
                  {LAB_FAULT, "A level is for blocks of at least 2 * s threads: test the template parameter.",
                   .about = "in shared memory"},
                  {LAB_RACE, "Unrolling removes the loop, not the barriers: __syncthreads() after each level "
                             "of more than one warp, __syncwarp() in the last one."},
                  {LAB_WRONG, "Write down the levels for your block size: 256 threads need s = 128, 64, and "
                              "then the last warp."}},
    },
    {
        STAGE(many),
        .middle = MANY_ROUNDS,
        .title = "many elements per thread",
        .todo = {7, .section = 8},
        .learned = "Most of the additions should happen in registers while loading. Then the tree hardly "
                   "matters, and the memory's speed is what is left.",
        .points = {.correct = 4, .clean = 2, .concept = 3},
        .bounds = {FEW_PARTIALS, COALESCED, FEW_INSTRUCTIONS},
        .speed = {{9.2, 3}},
        .hints = {PARTIALS_HINT,
                  {LAB_FAULT, "The loop's condition is i < n, for each load."},
                  {LAB_RACE, "The barriers of the tree stay where they were."},
                  {LAB_EDGE, "Small inputs are right: each load needs its test against n, and the step to a "
                             "thread's next element is gridDim.x * blockDim.x."},
                  {LAB_WRONG, "The step from element to element is gridDim.x * blockDim.x, computed as long; "
                              "the register is a long long."},
                  {LAB_SLOW, "Let several loads of a thread be in flight at once: #pragma unroll 4."}},
    },
    {
        STAGE(shuffle),
        .middle = MANY_ROUNDS,
        .title = "vector loads and warp shuffles",
        .todo = {8, .section = 9},
        .learned = "Shuffles pass values between registers of a warp without shared memory, and wide loads "
                   "bring more bytes per instruction.",
        .points = {.correct = 5, .clean = 2, .concept = 5},
        .bounds = {LAB_VECTOR_LOADS, SHUFFLES, NO_TREE_IN_SHARED, COALESCED, FEW_PARTIALS, FEW_INSTRUCTIONS},
        .hints =
            {PARTIALS_HINT,
             {LAB_FAULT, "There are n / 4 whole int4; the last n % 4 elements are loaded one by one."},
             {LAB_RACE, "One __syncthreads() must stand between the warps' stores to shared memory and the "
                        "first warp's loads."},
             {LAB_LANES,
              "All lanes of the mask must reach a shuffle: call it outside of an if that splits the warp."},
             {LAB_UNINITIALISED,
              "The first warp reads one sum per warp and no more: the other lanes take a zero."},
             {LAB_EDGE, "The last n % 4 elements are added wrongly: exactly one thread of the whole grid "
                        "adds each of them."},
             {LAB_WRONG, "Test with n = 32, then n = 257: is it the warp's sum, the block's or the tail?"}},
    },
    {
        STAGE(one_kernel),
        .middle = MANY_ROUNDS,
        .title = "one kernel: the last block finishes",
        .todo = {9, .section = 10},
        .learned = "The last block to finish can see that it is the last, by an atomic counter behind a "
                   "fence. That saves a launch, and no block waits for another.",
        .points = {.correct = 5, .clean = 2, .concept = 4},
        .bounds = {LAB_ONE_LAUNCH, LAB_VECTOR_LOADS, COALESCED, FEW_INSTRUCTIONS},
        .hints = {{LAB_UNTOUCHED,
                   "Nobody wrote the sum. TODO 9 is open, or no block found that it is the last one: if only "
                   "a second call fails, the ticket counter does not start at 0 again (handout section 10)."},
                  {LAB_RACE,
                   "What one thread tells its block through shared memory needs a barrier after it."},
                  {LAB_LOST, "A ticket is taken in one step: atomicAdd() or atomicInc(), not tickets++."},
                  {LAB_BLOCKS, "The partial sum must be visible before the ticket is: __threadfence() "
                               "between the two, in the thread that does both."},
                  {LAB_BARRIER, "Whether this block is the last one must be the same for all its threads: "
                                "tell them through shared memory, with a barrier after it."},
                  {LAB_UNINITIALISED,
                   "Something is read that nobody has written. A ticket counter in scratch is set by "
                   "cudaMemsetAsync() before the launch; partial sums are read by the block with the last "
                   "ticket alone, and only those of gridDim.x blocks."},
                  {LAB_PARTLY, "Nobody wrote the sum, but not in every call: the ticket counter does not "
                               "start at 0 again (handout section 10)."},
                  {LAB_WRONG, "Does it fail from the second call on? Then the ticket counter does not start "
                              "at 0 again (handout section 10)."},
                  {LAB_CONCEPT,
                   "Right, but one launch is the goal: no add_partials, no kernel that resets."}},
    },
};

/* ------------------------------------------------------------------------------------------- cases and data */

/* In the last three stages a thread adds up many elements: only a large input takes them round their loops more
 * than once. */
static const struct lab_case cases[] = {
    LAB_CASE(1),
    LAB_CASE(31),
    LAB_CASE(32),
    LAB_CASE(33),
    LAB_CASE(255),
    LAB_CASE(256),
    LAB_CASE(257),
    LAB_CASE(1000),
    LAB_CASE(65537),
    LAB_CASE_OF("many", 700001),
    LAB_CASE_OF("shuffle", 1500003),
    LAB_CASE_OF("one_kernel", 1500003),
    LAB_CASE(300001),
};

enum {
    SUM,
    IN,
    SCRATCH,
    SLICE = 1 << 24
}; /* the buffers; elements that the given stage works on at a time */

/* Scratch is what lab4.h promises, and for the given stage a 64-bit copy of its slice. */
static void layout(struct lab_run *run)
{
    long n = run->size[0];
    lab_add(run, LAB_OUT, LAB_INT64, "sum", 1);
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_INT, "in", n);
    in->low = -250e6; /* a sum of a few overflows an int, in a thread as well as in a block */
    in->high = 1000e6;
    lab_add(run, LAB_SCRATCH, LAB_INT64, "scratch", (n < SLICE ? n : SLICE) + n / 128 + 2048);
}

static void call(const struct lab_run *run)
{
    reduce_fn *reduce = (reduce_fn *)run->stage->function;
    reduce(run->buffers[SUM].device, run->buffers[IN].device, run->size[0], run->buffers[SCRATCH].device);
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    const int *in = run->buffers[IN].host;
    long long sum = 0;
    (void)index;
    for (long i = 0; i < run->size[0]; i++)
        sum += in[i];
    *(long long *)expected = sum;
}

/* ------------------------------------------------------------------------------------------- known mistakes */

/* How many elements from the first on have this sum; 0: no number of them. */
static long count_of_beginning(const int *in, long n, long long got)
{
    long long sum = 0;
    for (long i = 0; i < n; i++) {
        sum += in[i];
        if (sum == got)
            return i + 1;
    }
    return 0;
}

/* Half of the elements are left out in runs: a tree that lost a level, or a second load that is missing. 0: not so. */
static long length_of_lost_runs(const int *in, long n, long long got)
{
    for (long length = 1; length <= 1024 && length < n; length *= 2) {
        long long sum = 0;
        for (long i = 0; i < n; i++)
            sum += i / length % 2 == 0 ? in[i] : 0;
        if (sum == got)
            return length;
    }
    return 0;
}

static const char *recognise(const struct lab_run *run, int index, const void *expected)
{
    static char text[200];
    const long long got = *(const long long *)run->buffers[index].host, want = *(const long long *)expected;
    const int *in = run->buffers[IN].host;
    const long n = run->size[0], beginning = count_of_beginning(in, n, got);
    const long run_length = beginning ? 0 : length_of_lost_runs(in, n, got);
    if (got == 0)
        return "it is 0: no element was added, as if only whole blocks or vectors counted";
    if ((uint32_t)got == (uint32_t)want)
        return "the lower 32 bits are right and the upper ones are not: somewhere a sum is kept in an int";
    const long one_block =
        256; /* threads that the lab's blocks have at least: no more elements need no second one */
    if (beginning && n <= one_block)
        snprintf(text, sizeof text,
                 "it is the sum of the first %ld of %ld elements, all of one block: a level of the tree is "
                 "missing, or "
                 "elements that fill no whole warp or vector",
                 beginning, n);
    else if (beginning >= 32 && beginning <= 4096 && (beginning & (beginning - 1)) == 0)
        snprintf(text, sizeof text,
                 "it is the sum of the first %ld of %ld elements: the partial sums of the other blocks are "
                 "missing",
                 beginning, n);
    else if (beginning)
        snprintf(text, sizeof text,
                 "it is the sum of the first %ld of %ld elements: those that fill no whole block or vector "
                 "are missing",
                 beginning, n);
    else if (run_length == 1)
        snprintf(text, sizeof text,
                 "every second element is missing: a level of the tree with s = 1, or a load one element "
                 "ahead, is "
                 "not done");
    else if (run_length)
        snprintf(text, sizeof text,
                 "every second run of %ld elements is missing: a level of the tree with s = %ld, or a load "
                 "that far ahead, is not done",
                 run_length, run_length);
    return beginning || run_length ? text : NULL;
}

const struct lab lab = {
    .id = "lab4",
    .title = "reduction: adding up an array",
    .size_names = {"n"},
    .size_options = {'n'},
    .size_words = {"numbers to add up"},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    .timed = LAB_CASE(1L << 28),
    .drawn = LAB_CASE(70000),
    .middle = LAB_CASE(2200013),
    .grain = LAB_CASE(9973),
    .is_own_work = true,
    .is_sum = true,
    .unit = "GB/s",
    .baseline = "baseline_global",
    .layout = layout,
    .call = call,
    .reference = LAB_ANSWER(reference),
    .recognise = LAB_ANSWER(recognise),
};
