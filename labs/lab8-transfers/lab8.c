/* lab8.c - the driver of lab 8, kernels and transfers.
 * The stage table below is what an instructor changes; what the chains have in memory and what is right stands in chains.c.
 * Stages come in chains: a given one, and one or two steps that do the same with fewer kernels, copies or waits. */
#include "lab8.h"

#include <stdio.h>
#include <string.h>

#include "chains.h"
#include "lab/bounds.h"
#include "lab/lab.h"
#include "work.h"

/* ------------------------------------------------------------------------------------------- the bounds
 * In comments: what the counters show for the given stage -> for the step. */

/* 5 -> 1 */
#define ONE_KERNEL                                                                                           \
    LAB_BOUND("launches", NULL, 1, 1, "kernel launches",                                                     \
              "Right, but one launch is the goal: all five steps belong in one kernel.", .is_needed = true)
/* 3 -> 1 */
#define STORED_ONCE                                                                                          \
    LAB_BOUND("sectors_out", "output_sectors", 0, 1.05, "32-byte sectors stored per sector of output",       \
              "Right, but out is stored more than once for each element: keep the value in a local "         \
              "variable (a register), and store it once at the end. If you store once already: "             \
              "threadIdx.x must run along neighbouring elements.")
/* 3 -> 1 */
#define READ_ONCE                                                                                            \
    LAB_BOUND("dram_read_bytes", "input_bytes", 0, 1.1, "bytes read from DRAM per byte of input",            \
              "Right, but values still go to memory and come back: results that the next step needs must "   \
              "stay in a register.")
/* 1 -> 0 */
#define NOTHING_FROM_HOST                                                                                    \
    LAB_BOUND("bus_bytes", NULL, 0, 0.5, "bytes copied between host and device",                             \
              "Right, but zeros still come from the host: cudaMemsetAsync() writes them on the device.",     \
              .is_needed = true)
/* 64 MB -> 0 */
#define STAYS_ON_DEVICE                                                                                      \
    LAB_BOUND("bus_bytes", NULL, 0, 0.5, "bytes copied between host and device",                             \
              "Right, but data still crosses the bus: compute the levels in a kernel, from x to levels.",    \
              .is_needed = true)
#define NO_HOST_STEP                                                                                         \
    LAB_BOUND("host_steps", NULL, 0, 0.5, "steps that the host computes",                                    \
              "Right, but you still call host_rest(): its loop belongs in a kernel.", .is_needed = true)
/* Whatever the chunks are, each byte crosses the bus once. */
#define CROSSES_ONCE                                                                                         \
    LAB_BOUND("bus_bytes", "input_bytes", 0, 2.02, "bytes over the bus per byte of input",                   \
              "Right, but you copy some bytes more than once: a chunk copies only its own part.")
/* 3 -> 48: three for each chunk. Whether two chunks or more overlap is told by the time: see .slowest. */
#define IN_CHUNKS                                                                                            \
    LAB_BOUND("calls", NULL, 6, 0, "copies and launches",                                                    \
              "Right, but in one chunk nothing can overlap. Cut the arrays into 8 to 32 chunks, each with "  \
              "its own two copies and its own launch.",                                                      \
              .minus = "idle_launches")
/* 1 where each waits for the one before; two chunks come to 1.5, sixteen to 2.5. A GPU's times would not tell: what chunks without
 * overlap gain over pageable copies depends on the host. */
#define OVERLAPS                                                                                             \
    LAB_BOUND("work_us", "elapsed_us", 1.2, 0, "time of all copies and kernels over that of the whole",      \
              "Right, but hardly anything overlaps: there is only one stream, a cudaMemcpy() instead of "    \
              "cudaMemcpyAsync(), a host array that is not pinned, or a wait inside the loop over chunks "   \
              "(handout section 6).",                                                                        \
              .minus = "idle_us")
/* 0 -> 50. A kernel that does all rounds itself has few calls, too. */
#define BY_GRAPHS                                                                                            \
    LAB_BOUND("graph_launches", NULL, 5, 0, "launches of graphs",                                            \
              "Right, but without a graph: capture a round, and launch its graph once for each round.",      \
              .minus = "idle_launches", .is_needed = true)
/* 501 -> 51: one launch for each round, and a copy. */
#define FEW_CALLS                                                                                            \
    LAB_BOUND("calls", NULL, 0, 70, "calls of launches, copies and graphs",                                  \
              "Right, but you still launch kernels one by one: capture a round once, and launch the "        \
              "graph once for each round.")

/* 1, or a few where rounds differ; 50: one for each round. On some hosts that costs hardly any time. */
#define MADE_ONCE                                                                                            \
    LAB_BOUND("graphs_made", NULL, 0, 4, "graphs made ready to run",                                         \
              "Right, but a graph is made ready to run for each round: call cudaGraphInstantiate() once, "   \
              "before the loop, and launch what it returns in each round.",                                  \
              .is_needed = true)

/* ------------------------------------------------------------------------------------------- the stages */

#define STAGE(name)       .id = #name, LAB_CALLS(run_##name)
#define GIVEN(name)       STAGE(name), .is_given = true, .baseline = "baseline_" #name
#define AGAINST(name)     .baseline = "baseline_" #name
#define SIZES(large, all) .timed = LAB_CASE large, .middle = LAB_CASE all

#define PIECES .own = &pieces_chain, .element = LAB_ANSWER(pieces_element), SIZES((1 << 25), (1 << 20))
#define COUNTS                                                                                               \
    .own = &count_chain, .reference = LAB_ANSWER(count_reference), .recognise = LAB_ANSWER(count_recognise), \
    SIZES((1 << 21, 1 << 18), (1 << 18, 1 << 15))
#define LEVELLED                                                                                             \
    .own = &levels_chain, .reference = LAB_ANSWER(levels_reference),                                         \
    .recognise = LAB_ANSWER(levels_recognise), SIZES((1 << 24), (1 << 20))
/* The product of two primes. Pieces of the host take part, so that every block is executed: few instructions for each element. */
#define CIPHER                                                                                               \
    .own = &cipher_chain, .element = LAB_ANSWER(cipher_element), .unit = "GB/s (bus)", .work = cipher_work,  \
    SIZES((1 << 24, 65521L * 65519), (1 << 17, 65521L * 65519))
#define MIXED                                                                                                \
    .own = &rounds_chain, .reference = LAB_ANSWER(rounds_reference),                                         \
    .recognise = LAB_ANSWER(rounds_recognise), .work = rounds_work, SIZES((1 << 14, 50), (5000, 16))

/* Words for two symptoms. */
#define RESET_BEFORE                                                                                         \
    "Some blocks set counters to 0 while others already add to them: reset the counters before, with "       \
    "cudaMemsetAsync() or in a separate kernel."

static const struct lab_stage stages[] = {
    {GIVEN(pieces), .title = "five small kernels", PIECES},
    {
        STAGE(fused),
        .title = "one kernel",
        AGAINST(pieces),
        PIECES,
        .todo = {1, .section = 2},
        .learned = "Each kernel reads and writes memory once more. Fused into one, values stay in registers, "
                   "and launches are saved as well.",
        .points = {.correct = 5, .clean = 2, .concept = 4},
        .bounds = {ONE_KERNEL, READ_ONCE, LAB_LOADS_ONCE(1.05), STORED_ONCE},
        .speed = {{2.5, 5}},
        .hints = {{LAB_WRONG,
                   "out[i] = sqrt((1.5 * a[i] + b[i])^2 + 0.25): the five steps of stage 1 in their "
                   "order, but in a local variable."},
                  {LAB_SLOW,
                   "Launch a thread for each element, and read each element of a and b once: keep the "
                   "sum in a local variable, and write out[i] once at the end."}},
    },
    {GIVEN(host_reset), .title = "zeros from the host", COUNTS},
    {
        STAGE(reset),
        .title = "zeros by the device",
        AGAINST(host_reset),
        COUNTS,
        .todo = {2, .section = 3},
        .learned = "The bus is far slower than the device's memory: what the device can make itself is not "
                   "copied to it.",
        .points = {.correct = 3, .clean = 2, .concept = 3},
        .bounds = {NOTHING_FROM_HOST},
        .speed = {{1.6, 2}},
        .hints = {{LAB_UNINITIALISED,
                   "The kernel adds to counters that are not set to 0 yet: call cudaMemsetAsync() before the "
                   "launch, for all of them, bins * sizeof(int) bytes."},
                  {LAB_WRONG, "All `bins` counters must be 0 before count_keys starts, and cudaMemsetAsync() "
                              "takes its size in bytes."},
                  {LAB_NO_LAUNCH, "Set the counters to 0 and launch count_keys in run_reset (TODO 2, handout "
                                  "section 3)."},
                  {LAB_RACE, RESET_BEFORE},
                  {LAB_BLOCKS, RESET_BEFORE},
                  {LAB_SLOW, "The reset takes too long: use one cudaMemsetAsync() for all counters, or one "
                             "small kernel."}},
    },
    {GIVEN(host_rest), .title = "the serial rest on the host", LEVELLED},
    {
        STAGE(leftover),
        .title = "the serial rest on the GPU",
        AGAINST(host_rest),
        LEVELLED,
        .todo = {3, .section = 4},
        .learned = "Even a poorly parallel step belongs on the GPU if the way to the host and back takes "
                   "longer than the step.",
        .points = {.correct = 5, .clean = 3, .concept = 4},
        .bounds = {STAYS_ON_DEVICE, NO_HOST_STEP, LAB_LANES_LOAD},
        .speed = {{9, 3}, {18, 3}},
        .slowest = 6, /* one thread that loads for itself has 3 to 4: the step is that others load for it */
        .hints = {{LAB_WRONG, "levels[k] is next_level(levels[k - 1], x[k * SEGMENT]), and the level before "
                              "the first is 0. One thread computes them all, in this order."},
                  {LAB_FAULT, "There are segments_of(count) levels, and the first element of segment k is "
                              "x[k * SEGMENT]."},
                  {LAB_UNINITIALISED,
                   "The last tile may have fewer segments than threads: thread 0 must stop after "
                   "segments - begin of them. And shape must run before the kernel that reads x."},
                  {LAB_RACE,
                   "Many threads load, thread 0 computes, and many threads store. A __syncthreads() "
                   "belongs between loading and computing, and one between computing and storing."},
                  {LAB_BARRIER, "Every thread of the block must reach both barriers: they must not stand in "
                                "a condition, and no thread may return before them."},
                  {LAB_BLOCKS, "Blocks run in any order, but the levels need one order: launch one block, "
                               "or one thread."},
                  {LAB_SLOW, "One thread that loads its elements one by one waits for memory each time. "
                             "Let a block of many threads load the first elements of many segments into "
                             "shared memory at once; one thread then works there (handout section 4)."}},
    },
    {GIVEN(pageable), .title = "pageable memory", CIPHER},
    {
        STAGE(pinned),
        .title = "pinned memory",
        AGAINST(pageable),
        CIPHER,
        .must_free = true,
        .todo = {4, .section = 5},
        .learned = "From pinned memory the device fetches by itself, at the full rate of the bus. Pageable "
                   "memory takes another copy on the host.",
        .points = {.correct = 4, .clean = 3},
        .speed = {{2.9, 7}}, /* one array alone pinned has 2.0 to 2.4 */
        .hints = {{LAB_NO_LAUNCH, "Pin both host arrays, then copy, launch encrypt and copy back in "
                                  "run_pinned (TODO 4, handout section 5)."},
                  {LAB_UNTOUCHED,
                   "Nothing came back to host_out. If TODO 4 is still open, begin there (handout "
                   "section 5); if it is done, is the last copy missing?"},
                  {LAB_STREAMS, "The entry point returns before the last copy is done. cudaMemcpy() waits; "
                                "after cudaMemcpyAsync() synchronise the stream."},
                  {LAB_PARTLY, "Only a part came back. Sizes of copies are in bytes: count * "
                               "sizeof(unsigned)."},
                  {LAB_WRONG, "host_in goes to `in`, the kernel reads `in` and writes `out`, and `out` comes "
                              "back to host_out."},
                  {LAB_SLOW, "Pin both host_in and host_out before the first copy: cudaHostRegister() with "
                             "cudaHostRegisterDefault. The copies stay as they are."}},
    },
    {
        STAGE(streams),
        .title = "chunks over streams",
        AGAINST(pageable),
        CIPHER,
        .must_free = true,
        .todo = {5, .section = 6},
        .learned = "Copies to the device, kernels and copies back use different units. Cut into pieces, over "
                   "streams, they overlap, and the longest of them remains.",
        .points = {.correct = 7, .clean = 5, .concept = 4},
        .bounds = {IN_CHUNKS, OVERLAPS, CROSSES_ONCE},
        .speed = {{6.4, 8}},
        .hints =
            {{LAB_NO_LAUNCH, "Copy in, launch encrypt and copy out, chunk by chunk, in run_streams (TODO 5, "
                             "handout section 6)."},
             {LAB_UNTOUCHED, "Nothing came back to host_out. If TODO 5 is still open, begin there (handout "
                             "section 6)."},
             {LAB_STREAMS,
              "Wait for all streams before the entry point returns, and before the host uses what "
              "they copy.",
              .about = "between host and device"},
             {LAB_STREAMS, "A chunk's copies and its kernel belong in one stream, at the chunk's own place. "
                           "Chunks that share "
                           "a buffer need an event: cudaEventRecord(), cudaStreamWaitEvent()."},
             {LAB_PARTLY,
              "The last elements are missing: if count is not a multiple of the number of chunks, "
              "round the length of a chunk up, and make the last chunk shorter."},
             {LAB_FAULT, "A chunk goes beyond the end: its length is the smaller of the usual length and "
                         "the number of elements left."},
             {LAB_LAUNCH,
              "The message above says which call was refused. The last chunk is shorter: its "
              "length is the smaller of the usual length and the number of elements left. "
              "If there are fewer elements than chunks, some chunks are empty: copy and launch "
              "nothing for them.",
              .about = "copy outside the allocation"},
             {LAB_WRONG, "Chunk c begins at c times the chunk's length, in all four arrays. In a kernel "
                         "that gets in + begin, indexes start at 0. All of host_out must be complete when "
                         "the entry point returns."},
             {LAB_SLOW,
              "Copies and kernels overlap too little. Launch the kernel in the same stream as its copies, "
              "pin both host arrays, and use 8 to 32 chunks over three or more streams (handout section "
              "6)."}},
    },
    {GIVEN(launches), .title = "one launch after the other", MIXED},
    {
        STAGE(graph),
        .title = "a round captured once",
        AGAINST(launches),
        MIXED,
        .must_free = true,
        .todo = {6, .section = 7},
        .learned = "A launch costs host time. A graph that is captured once asks for a whole round of work "
                   "in one call.",
        .points = {.correct = 5, .clean = 3, .concept = 4},
        .bounds = {FEW_CALLS, BY_GRAPHS, MADE_ONCE},
        .speed = {{1.7, 6}},
        .slowest = 1.3, /* graphs that are made anew each time */
        .hints =
            {{LAB_NO_LAUNCH,
              "You launched no graph. A capturing stream only records the calls: cudaGraphLaunch() "
              "runs them (TODO 6, handout section 7)."},
             {LAB_LAUNCH, "The message above says which call was refused. You cannot capture the default "
                          "stream: every launch between cudaStreamBeginCapture() and "
                          "cudaStreamEndCapture() must name your stream."},
             {LAB_STREAMS, "The first round does not wait for the copy from `in`, or rounds do not wait "
                           "for each other: use the same stream for all of them."},
             {LAB_UNINITIALISED,
              "A kernel ran before the copy from `in`, or without it: copy before the first graph launch. "
              "And every launch must name your stream while it captures: a launch in the default stream "
              "is not captured."},
             {LAB_WRONG, "Copy `in` to out once, before the first round; then launch the graph of one "
                         "round `rounds` times."},
             {LAB_SLOW,
              "Launching kernels one by one, making a graph for each round, or making one graph of all "
              "rounds costs the host too much time. Capture one round and instantiate the graph once, "
              "before the loop over rounds, and launch it once for each round."}},
    },
};

/* ------------------------------------------------------------------------------------------- cases */

/* Count, and bins, modulus or rounds. */
static const struct lab_case cases[] = {
    LAB_CASE(1, 1),
    LAB_CASE(31, 3),
    LAB_CASE(32, 2),
    LAB_CASE(33, 8),
    LAB_CASE_OF("fused", 70001),
    LAB_CASE_OF("reset", 70001, 257),
    LAB_CASE_OF("reset", 257, 70001),
    LAB_CASE_OF("leftover", SEGMENT),
    LAB_CASE_OF("leftover", SEGMENT + 1),
    LAB_CASE_OF("leftover", 70001),
    LAB_CASE_OF("leftover", 5 * SEGMENT),
    {.size = {2100 * SEGMENT / 2},
     .stage = "leftover",
     .is_narrow = true}, /* more levels than a block has threads */
    LAB_CASE_OF("pinned", 10007, 65521L * 65519),
    LAB_CASE_OF("streams", 10007, 65521L * 65519),
    LAB_CASE_OF("streams", 8192, 1000003),
    LAB_CASE_OF("streams", 70001, 4294967291),
    LAB_CASE_OF("graph", 10007, 3),
    LAB_CASE(257, 31),
    LAB_CASE(1000, 9),
};

static const struct chain *chain_of(const struct lab_run *run)
{
    return run->stage->own;
}

static void layout(struct lab_run *run)
{
    chain_of(run)->layout(run);
}

/* A function of one stage may stand in the place of another's: where it has other parameters, it is not called. */
static bool has_other_parameters(const struct lab_run *run)
{
    for (int i = 0; i < LAB_COUNT(stages); i++)
        if (!strcmp(stages[i].entry, run->stage->entry))
            return stages[i].own != run->stage->own;
    return false;
}

static void call(const struct lab_run *run)
{
    if (!has_other_parameters(run))
        chain_of(run)->call(run);
}

static void describe(const struct lab_run *run, char *out, size_t size)
{
    const char *second = chain_of(run)->second;
    const int length = snprintf(out, size, "count %ld", run->size[COUNT]);
    if (second && length >= 0 && (size_t)length < size)
        snprintf(out + length, size - (size_t)length, ", %s %ld", second, run->size[BINS]);
}

/* ------------------------------------------------------------------------------------------- the lab */

/* The host looks at one float of a segment, each in another page of memory. */
static const struct lab_host hosts[] = {{"host_rest", find_levels, .ns_per_byte = 0.01}};

void host_rest(float *host_levels, const float *host_x, int count)
{
    lab_host(&lab, 0, host_levels, (size_t)segments_of(count) * sizeof(float), host_x,
             (size_t)count * sizeof(float));
}

const struct lab lab = {
    .id = "lab8",
    .title = "kernels and transfers",
    .size_names = {"count", "bins, modulus or rounds"},
    .size_options = {'n', 'm'},
    .size_words = {"elements", "bins of the counters, modulus of the cipher, or rounds"},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    LAB_HOSTS(hosts),
    .drawn = LAB_CASE(3000, 12),
    .is_chained = true, /* pieces */
    .unit = "GB/s",
    .layout = layout,
    .call = call,
    .describe = describe,
};
