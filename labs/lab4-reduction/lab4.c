/* lab4.c - the driver of lab 4, reduction: adding up an array.
 * The stage table below is what an instructor changes; the functions behind it say what a case needs and what is right.
 * Points of all rows add up to 100. Bounds are counted at the timed case, over all launches of a stage. */
#include "lab4.h"

#include <stdio.h>

#include "lab/lab.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define ENTRY(name)  .entry = #name, .function = (void (*)(void))name

/* ------------------------------------------------------------------------------------------- the stages */

#define BOUND(over, under, least, most, words)                                                               \
    {                                                                                                        \
        .counter = over, .per = under, .at_least = least, .at_most = most, .meaning = words                  \
    }

/* In comments: what the counters show for the step before -> for this step, with blocks of 256 threads. Blocks of
 * 128 to 1024 threads pass as well. A sector loaded holds eight elements. */

/* 0.62 -> 0.06: the tree's levels no longer go to global memory. */
#define TREE_IN_SHARED                                                                                       \
    BOUND("global_store_sectors", "global_load_sectors", 0, 0.3, "global sectors stored per sector loaded")
/* 0.32 -> 0.04: what is left are the levels of fewer than 32 additions, in one warp per block. */
#define NO_DIVERGENCE BOUND("divergent_branches", "branches", 0, 0.15, "divergent branches per branch")
/* 6.4 -> 1.6: a load of 32 long longs is 256 bytes and takes two wavefronts, one of 16 or fewer takes one. */
#define NO_CONFLICTS                                                                                         \
    BOUND("shared_load_wavefronts", "shared_load_requests", 0.5, 2.05, "shared wavefronts per load")
/* 2.1 -> 1.1: one tree for twice the elements. */
#define HALF_THE_BARRIERS                                                                                    \
    BOUND("barriers", "global_load_sectors", 0, 1.45, "barriers per global sector loaded")
/* 1.1 -> 0.37: no barriers in the last six levels. */
#define BARRIERS_FOR_FEW_LEVELS                                                                              \
    BOUND("barriers", "global_load_sectors", 0, 0.7, "barriers per global sector loaded")
/* 2.7 -> 1.7: no branch back per level. */
#define NO_LOOP BOUND("branches", "barriers", 0, 2.2, "branches per barrier")
/* 0.03 -> 0.0001: blocks as many as the GPU holds, not as many as the input has tiles. */
#define FEW_PARTIALS                                                                                         \
    BOUND("global_store_sectors", "global_load_sectors", 0, 0.001, "global sectors stored per sector loaded")
/* 5.3 -> 1.1 -> 0.8 */
#define FEW_INSTRUCTIONS                                                                                     \
    BOUND("warp_instructions", "global_load_sectors", 0, 2.5, "warp instructions per global sector loaded")
/* 4 -> 16: 32 lanes load 16 bytes each. */
#define VECTOR_LOADS BOUND("global_load_sectors", "global_load_requests", 12, 0, "sectors per global load")
/* 0 -> 11: five shuffles, of two words each, before a warp stores anything to shared memory. */
#define SHUFFLES   BOUND("warp_op_instructions", "shared_store_requests", 4, 0, "shuffles per shared store")
#define ONE_LAUNCH BOUND("launches", NULL, 1, 1, "kernel launches")

/* Hints that fit every stage. */
#define COMMON_HINTS                                                                                         \
    {LAB_MISSING, "lab4.cu must define this entry point with the prototype of lab4.h."},                     \
        {LAB_LAUNCH,                                                                                         \
         "A launch was refused: look at the grid (at least one block) and at the block (at most "            \
         "1024 threads), and put CHECK_LAUNCH() behind it."},                                                \
    {                                                                                                        \
        LAB_HOST_READ, "Results stay on the device: add up partial sums with a kernel, not on the host."     \
    }

static const struct lab_stage stages[] = {
    {
        .id = "global",
        .title = "a tree in global memory",
        ENTRY(reduce_global),
        .baseline = "baseline_global",
        .is_given = true,
    },
    {
        .id = "shared",
        .title = "a tree in shared memory",
        ENTRY(reduce_shared),
        .baseline = "baseline_global",
        .correct = 6,
        .clean = 2,
        .concept = 3,
        .bounds = {TREE_IN_SHARED},
        .hints =
            {
                COMMON_HINTS,
                {LAB_UNTOUCHED, "TODO 1 is still open: write tree_shared, launch it in reduce_shared and let "
                                "add_partials finish (handout section 2)."},
                {LAB_NO_LAUNCH, "TODO 1 (handout section 2): reduce_shared launches nothing yet: "
                                "tree_shared<<<blocks, BLOCK>>>(...), "
                                "then add_partials()."},
                {LAB_FAULT, "A thread left its array: load only if i < n, and store a zero into shared "
                            "memory otherwise. With extern __shared__: is the third launch number in bytes?"},
                {LAB_RACE, "A thread reads what another writes in the same level: __syncthreads() must "
                           "stand after the load and after each level."},
                {LAB_BARRIER, "All threads of the block must reach __syncthreads(): keep it out of the if, "
                              "and let threads past the end stay."},
                {LAB_UNINITIALISED, "Threads past the end must store a zero and may not return early: the "
                                    "tree reads their places "
                                    "too."},
                {LAB_EDGE, "Sizes that fill their blocks are right, others are not: round the number of "
                           "blocks up, and let threads past the end bring a zero."},
                {LAB_WRONG,
                 "Elements are int, but all sums are long long: in shared memory, in registers and "
                 "in partial[]. If they are, follow the tree by hand for n = 4 (handout section "
                 "2)."},
                {LAB_CONCEPT, "Results are right, but the tree still goes through global memory: one load "
                              "per element, one store per block, everything else in __shared__."},
            },
    },
    {
        .id = "strided",
        .title = "no divergence: neighbouring threads work",
        ENTRY(reduce_strided),
        .baseline = "baseline_global",
        .correct = 4,
        .clean = 2,
        .concept = 2,
        .bounds = {NO_DIVERGENCE, TREE_IN_SHARED},
        .speed = {{1.425, 3}},
        .hints =
            {
                COMMON_HINTS,
                {LAB_UNTOUCHED, "TODO 2 is still open: copy tree_shared and change which thread does which "
                                "addition (handout section 3)."},
                {LAB_NO_LAUNCH,
                 "TODO 2 (handout section 3): reduce_strided launches nothing yet. See reduce_shared."},
                {LAB_FAULT, "2 * s * threadIdx.x runs past the block: test it against blockDim.x before "
                            "you use it. With extern __shared__: is the third launch number in bytes?"},
                {LAB_RACE, "__syncthreads() must stand after the load and after each level."},
                {LAB_BARRIER, "Keep __syncthreads() out of the if: threads without work wait there too."},
                {LAB_EDGE,
                 "Only the loop's index should differ from tree_shared; the load, the number of blocks and "
                 "add_partials() stay as they were."},
                {LAB_WRONG, "Level s adds element left + s to element left, with left = 2 * s * threadIdx.x "
                            "(handout section 3)."},
                {LAB_CONCEPT, "Results are right, but lanes of one warp still go different ways: those with "
                              "work must be the lowest threads of the block."},
                {LAB_SLOW, "Look for % or / in the loop: a remainder costs about twenty instructions."},
            },
    },
    {
        .id = "sequential",
        .title = "no bank conflicts: sequential addressing",
        ENTRY(reduce_sequential),
        .baseline = "baseline_global",
        .correct = 4,
        .clean = 2,
        .concept = 5, /* an H200 gains 1.37: too near to the step before for a threshold with margins */
        .bounds = {NO_CONFLICTS, NO_DIVERGENCE, TREE_IN_SHARED},
        .hints =
            {
                COMMON_HINTS,
                {LAB_UNTOUCHED, "TODO 3 is still open: copy tree_strided and let s fall from half the block "
                                "to 1 (handout section 4)."},
                {LAB_NO_LAUNCH,
                 "TODO 3 (handout section 4): reduce_sequential launches nothing yet. See reduce_shared."},
                {LAB_FAULT, "Only threads with t < s may read value[t + s]. With extern __shared__: is the "
                            "third launch number in bytes?"},
                {LAB_RACE, "__syncthreads() must stand after the load and after each level."},
                {LAB_BARRIER, "Keep __syncthreads() out of the if: threads without work wait there too."},
                {LAB_WRONG, "The first level has s = blockDim.x / 2, the last one s = 1: is one of them "
                            "missing?"},
                {LAB_CONCEPT, "Results are right, but neighbouring threads do not touch neighbouring "
                              "elements: pairs should be value[t] and value[t + s] with t < s."},
            },
    },
    {
        .id = "first_add",
        .title = "first addition while loading",
        ENTRY(reduce_first_add),
        .baseline = "baseline_global",
        .correct = 4,
        .clean = 2,
        .concept = 2,
        .bounds = {HALF_THE_BARRIERS, NO_CONFLICTS, NO_DIVERGENCE},
        .speed = {{3.2, 3}},
        .hints =
            {
                COMMON_HINTS,
                {LAB_UNTOUCHED, "TODO 4 is still open: each thread loads two elements and stores their sum "
                                "(handout section 5)."},
                {LAB_NO_LAUNCH, "TODO 4 (handout section 5): reduce_first_add launches nothing yet: half as "
                                "many blocks as before."},
                {LAB_FAULT, "The second load needs a test of its own: i + BLOCK < n."},
                {LAB_RACE, "__syncthreads() must stand after the load and after each level."},
                {LAB_EDGE, "The end is wrong: each of the two loads needs its own test against n."},
                {LAB_WRONG, "A block now covers 2 * BLOCK elements, in its start index and in the number of "
                            "blocks."},
                {LAB_CONCEPT, "Results are right, but there are as many trees as before: launch half the "
                              "blocks."},
                {LAB_SLOW, "Both loads should be on their way together: load both, then add."},
            },
    },
    {
        .id = "last_warp",
        .title = "last warp without barriers",
        ENTRY(reduce_last_warp),
        .baseline = "baseline_global",
        .correct = 4,
        .clean = 3,
        .concept = 4,
        .bounds = {BARRIERS_FOR_FEW_LEVELS, NO_CONFLICTS, NO_DIVERGENCE},
        .hints =
            {
                COMMON_HINTS,
                {LAB_UNTOUCHED, "TODO 5 is still open: stop the loop at 64 elements and let one warp add "
                                "them (handout section 6)."},
                {LAB_NO_LAUNCH,
                 "TODO 5 (handout section 6): reduce_last_warp launches nothing yet: see reduce_first_add."},
                {LAB_FAULT, "Lanes read value[t + s] with t up to 31 and s up to 32: blocks need at least 64 "
                            "threads."},
                {LAB_RACE, "Lanes of one warp do not run in step: __syncwarp() must stand between a store "
                           "and the load by another lane, and between that load and the next store."},
                {LAB_BARRIER, "The last warp may not call __syncthreads() any more: use __syncwarp()."},
                {LAB_WRONG, "The loop over levels stops at s > 32; the warp then adds s = 32, 16, 8, 4, 2, "
                            "1."},
                {LAB_CONCEPT, "Results are right, but the whole block still waits at barriers while one warp "
                              "works: end the loop at s > 32."},
            },
    },
    {
        .id = "unrolled",
        .title = "all levels unrolled for the block size",
        ENTRY(reduce_unrolled),
        .baseline = "baseline_global",
        .correct = 4,
        .clean = 2,
        .concept = 4,
        .bounds = {NO_LOOP, BARRIERS_FOR_FEW_LEVELS, NO_CONFLICTS},
        .hints =
            {
                COMMON_HINTS,
                {LAB_UNTOUCHED, "TODO 6 is still open: make the block size a template parameter and write "
                                "the levels one below the other (handout section 7)."},
                {LAB_NO_LAUNCH, "TODO 6 (handout section 7): reduce_unrolled launches nothing yet: "
                                "tree_unrolled<BLOCK><<<...>>>(...)."},
                {LAB_FAULT, "A level is for blocks of at least 2 * s threads: test the template parameter."},
                {LAB_RACE, "Unrolling removes the loop, not the barriers: __syncthreads() after each level "
                           "of more than one warp, __syncwarp() in the last one."},
                {LAB_WRONG, "Write down the levels for your block size: 256 threads need s = 128, 64, and "
                            "then the last warp."},
                {LAB_CONCEPT, "Results are right, but there is still a branch back per level: nvcc must know "
                              "the block size and all values of s."},
            },
    },
    {
        .id = "many",
        .title = "many elements per thread",
        ENTRY(reduce_many),
        .baseline = "baseline_global",
        .correct = 4,
        .clean = 2,
        .concept = 3,
        .bounds = {FEW_PARTIALS, FEW_INSTRUCTIONS},
        .speed = {{9.2, 3}},
        .hints =
            {
                COMMON_HINTS,
                {LAB_UNTOUCHED, "TODO 7 is still open: each thread adds up every (grid width)-th element in "
                                "a register (handout section 8)."},
                {LAB_NO_LAUNCH, "TODO 7 (handout section 8): reduce_many launches nothing yet: ask for the "
                                "number of SMs and launch that "
                                "many times the blocks that fit on one."},
                {LAB_FAULT, "The loop's condition is i < n, for each load."},
                {LAB_RACE, "The barriers of the tree stay where they were."},
                {LAB_EDGE, "Small inputs are right: each load needs its test against n, and the step to a "
                           "thread's next "
                           "element is gridDim.x * blockDim.x."},
                {LAB_WRONG, "The step from element to element is gridDim.x * blockDim.x, computed as long; "
                            "the register is a long long."},
                {LAB_CONCEPT, "Results are right, but too many blocks build a tree: launch no more than the "
                              "GPU holds at once."},
                {LAB_SLOW, "Let several loads of a thread be on their way at once: #pragma unroll 4."},
            },
    },
    {
        .id = "shuffle",
        .title = "vector loads and warp shuffles",
        ENTRY(reduce_shuffle),
        .baseline = "baseline_global",
        .correct = 5,
        .clean = 2,
        .concept = 5,
        .bounds = {VECTOR_LOADS, SHUFFLES, FEW_PARTIALS, FEW_INSTRUCTIONS},
        .hints =
            {
                COMMON_HINTS,
                {LAB_UNTOUCHED, "TODO 8 is still open: int4 loads, then __shfl_down_sync instead of the tree "
                                "in shared memory (handout section 9)."},
                {LAB_NO_LAUNCH,
                 "TODO 8 (handout section 9): reduce_shuffle launches nothing yet: see reduce_many."},
                {LAB_FAULT, "There are n / 4 whole int4; the last n % 4 elements are loaded one by one."},
                {LAB_RACE, "Between the warps' stores into shared memory and the first warp's loads stands "
                           "one __syncthreads()."},
                {LAB_BARRIER, "All lanes of the mask must reach a shuffle: call it outside of an if that "
                              "splits the warp."},
                {LAB_UNINITIALISED, "The first warp reads one sum per warp and no more: the other lanes take "
                                    "a zero."},
                {LAB_EDGE, "The last n % 4 elements are added wrongly: exactly one thread of the whole grid "
                           "adds each of them."},
                {LAB_WRONG, "Test with n = 32, then n = 257: is it the warp's sum, the block's or the tail?"},
                {LAB_CONCEPT, "Results are right, but a load should bring 16 bytes per lane, and a warp "
                              "should add up its registers before it touches shared memory."},
            },
    },
    {
        .id = "one_kernel",
        .title = "one kernel: the last block finishes",
        ENTRY(reduce_one_kernel),
        .baseline = "baseline_global",
        .correct = 5,
        .clean = 2,
        .concept = 4,
        .bounds = {ONE_LAUNCH, VECTOR_LOADS, FEW_INSTRUCTIONS},
        .hints =
            {
                COMMON_HINTS,
                {LAB_UNTOUCHED, "Nobody wrote the sum. TODO 9 is open, or no block held itself for the last "
                                "one: if only a second call fails, the ticket counter does not start at 0 "
                                "again (handout section 10)."},
                {LAB_NO_LAUNCH, "TODO 9 (handout section 10): reduce_one_kernel launches nothing yet: see "
                                "reduce_shuffle, without "
                                "add_partials."},
                {LAB_RACE, "The partial sum must be visible before the ticket is: __threadfence() between "
                           "the two, in the thread that does both. What that thread tells its block through "
                           "shared memory needs a "
                           "barrier after it."},
                {LAB_BARRIER, "Whether this block is the last one must be the same for all its threads: tell "
                              "them through shared memory, with a barrier after it."},
                {LAB_UNINITIALISED, "Partial sums are read that nobody has written: only the block with the "
                                    "last ticket may read them, and only those of gridDim.x blocks."},
                {LAB_PARTLY, "Nobody wrote the sum, but not in every call: the ticket counter does not start "
                             "at 0 again (handout section 10)."},
                {LAB_WRONG, "Does it fail from the second call on? Then the ticket counter does not start at "
                            "0 again (handout section 10)."},
                {LAB_CONCEPT, "Results are right, but one launch is the goal: no add_partials, no kernel "
                              "that resets."},
            },
    },
};

/* ------------------------------------------------------------------------------------------- the cases */

/* In the last three stages a thread adds up many elements: only a large input takes them round their loops more
 * than once. */
static const struct lab_case cases[] = {
    {.size = {1}},
    {.size = {31}},
    {.size = {32}},
    {.size = {33}},
    {.size = {255}},
    {.size = {256}},
    {.size = {257}},
    {.size = {1000}},
    {.size = {65537}},
    {.size = {3000001}, .stage = "many"},
    {.size = {5000003}, .stage = "shuffle"},
    {.size = {5000003}, .stage = "one_kernel"},
    {.size = {300001}},
};

/* What lab4.h promises, and for the given stage a 64-bit copy of the slice that it works on. */
static size_t scratch_elements(long n)
{
    const long slice = 1L << 24;
    return (size_t)((n < slice ? n : slice) + n / 128 + 2048);
}

enum { SUM, IN, SCRATCH }; /* the buffers */

static void layout(struct lab_run *run)
{
    long n = run->size[0];
    lab_add(run, LAB_OUT, LAB_INT64, "sum", 1);
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_INT, "in", (size_t)n);
    in->low = -250e6; /* a sum of a few overflows an int, in a thread as well as in a block */
    in->high = 1000e6;
    lab_add(run, LAB_SCRATCH, LAB_INT64, "scratch", scratch_elements(n));
}

static void call(const struct lab_run *run)
{
    void (*reduce)(long long *, const int *, long, long long *) =
        (void (*)(long long *, const int *, long, long long *))run->stage->function;
    reduce(run->buffers[SUM].device, run->buffers[IN].device, run->size[0], run->buffers[SCRATCH].device);
}

static long long sum_of(const int *in, long n)
{
    long long sum = 0;
    for (long i = 0; i < n; i++)
        sum += in[i];
    return sum;
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    (void)index;
    *(long long *)expected = sum_of(run->buffers[IN].host, run->size[0]);
}

/* Every element is read once. */
static double work(const struct lab_run *run)
{
    return 1e-9 * sizeof(int) * (double)run->size[0];
}

/* ------------------------------------------------------------------------------------------- known mistakes */

/* What a look at a wrong sum needs. Functions below write a sentence into text if they know the mistake. */
struct wrong_sum {
    long long got, want;
    const int *in;
    long n;
    char *text;
    size_t size;
};

static bool is_overflow(const struct wrong_sum *sum)
{
    if ((uint32_t)sum->got != (uint32_t)sum->want)
        return false;
    snprintf(sum->text, sum->size,
             "the lower 32 bits are right and the upper ones are not: somewhere a sum is kept in an int");
    return true;
}

static bool is_twice(const struct wrong_sum *sum)
{
    if (sum->got != 2 * sum->want)
        return false;
    snprintf(sum->text, sum->size, "it is exactly twice the sum: every element was added two times");
    return true;
}

static bool is_nothing(const struct wrong_sum *sum)
{
    if (sum->got != 0)
        return false;
    snprintf(sum->text, sum->size,
             "it is 0: no element was added, as if only whole blocks or vectors counted");
    return true;
}

static bool is_power_of_two(long n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* The sum of the first elements only: one block's, or all but those that fill no whole block. */
static bool is_beginning(const struct wrong_sum *sum)
{
    long long so_far = 0;
    long count = 0;
    while (count < sum->n && (count == 0 || so_far != sum->got))
        so_far += sum->in[count++];
    if (so_far != sum->got)
        return false;
    const char *cause = is_power_of_two(count) && count >= 32 && count <= 4096
                            ? "the partial sums of the other blocks are missing"
                            : "those that fill no whole block or vector are missing";
    snprintf(sum->text, sum->size, "it is the sum of the first %ld of %ld elements: %s", count, sum->n,
             cause);
    return true;
}

static long long sum_of_every_second(const struct wrong_sum *sum, long run_length)
{
    long long total = 0;
    for (long i = 0; i < sum->n; i++)
        if (i / run_length % 2 == 0)
            total += sum->in[i];
    return total;
}

/* Half of the elements are left out in runs: a tree that lost a level, or a second load that is missing. */
static bool is_every_second(const struct wrong_sum *sum)
{
    for (long length = 1; length <= 1024 && length < sum->n; length *= 2)
        if (sum_of_every_second(sum, length) == sum->got) {
            snprintf(sum->text, sum->size,
                     "every second run of %ld elements is missing: a level of the tree with s = %ld, or a "
                     "load that far ahead, is not done",
                     length, length);
            return true;
        }
    return false;
}

static bool (*const known[])(const struct wrong_sum *sum) = {is_nothing, is_overflow, is_twice, is_beginning,
                                                             is_every_second};

static const char *recognise(const struct lab_run *run, int index, const void *expected)
{
    static char text[200];
    const struct wrong_sum sum = {
        .got = *(const long long *)run->buffers[index].host,
        .want = *(const long long *)expected,
        .in = run->buffers[IN].host,
        .n = run->size[0],
        .text = text,
        .size = sizeof text,
    };
    for (int i = 0; i < COUNT(known); i++)
        if (known[i](&sum))
            return text;
    return NULL;
}

const struct lab lab = {
    .id = "lab4",
    .title = "reduction: adding up an array",
    .size_names = {"n"},
    .size_options = {'n'},
    .stages = stages,
    .nstages = COUNT(stages),
    .cases = cases,
    .ncases = COUNT(cases),
    .timed = {.size = {1L << 28}},
    .unit = "GB/s",
    .layout = layout,
    .call = call,
    .reference = reference,
    .work = work,
    .recognise = recognise,
};
