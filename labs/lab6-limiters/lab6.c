/* lab6.c - the driver of lab 6, what limits a kernel.
 * The stage table below is what an instructor changes; what lies in memory and what is right stands in limits.c.
 * Stages come in pairs: a given kernel that one thing limits, and the step that takes the limit away. */
#include "lab6.h"

#include "lab/bounds.h"
#include "lab/lab.h"
#include "limits.h"

/* ------------------------------------------------------------------------------------------- the bounds
 * In comments: what the counters show for the given kernel -> for the step. */

/* 4650 -> 0, 4650 -> 680, 4170 -> 1850. An amount: no share, which lanes that are busy with something else would mend. */
#define FEW_IDLE_LANES(most, advice)                                                                         \
    LAB_BOUND("idle_lanes", "output_sectors", 0, most, "lanes without work per 8 elements", advice)
/* A kernel without the reserved memory would have room for all its blocks at once. */
#define RESERVE_KEPT                                                                                         \
    LAB_BOUND("shared_bytes", NULL, 16 * 27648.0, 0, "bytes of shared memory of all blocks",                 \
              "Right, but the blocks no longer ask for RESERVED bytes of shared memory: the stage is about " \
              "a kernel of which an SM holds few blocks.",                                                   \
              .is_needed = true)
/* 1057 -> 1056 on an H200; other GPUs hold fewer blocks. */
#define ONE_WAVE                                                                                             \
    LAB_BOUND("shared_bytes", NULL, 0, 1056.5 * 27648, "bytes of shared memory of all blocks",               \
              "Right, but there are more blocks than the GPU holds at once: query that number, with "        \
              "RESERVED bytes of shared memory per block.",                                                  \
              .is_needed = true)
/* 0.5 -> 1 */
#define PLACES_FILLED                                                                                        \
    LAB_BOUND("occupancy", NULL, 0.75, 0, "share of an SM's places for warps that have one",                 \
              "Right, but blocks of one warp leave half of an SM's places for warps empty, however many "    \
              "elements a thread takes: use larger blocks.",                                                 \
              .is_needed = true)
/* The variant that is asked for and the next one, which takes about as long, are above; those after it are below. */
#define WARPS_KEPT                                                                                           \
    LAB_BOUND("occupancy", NULL, 0.45, 0, "share of an SM's places for warps that have one",                 \
              "Right, but more warps have room without spills: of all variants that use no local memory, "   \
              "take one with an occupancy of at least 0.45, such as that with the most blocks per SM.")
/* 128 -> 0 */
#define NO_BARRIERS                                                                                          \
    LAB_BOUND("barriers", "input_lines", 0, 1, "barriers of warps per ring",                                 \
              "Right, but warps still wait at barriers: give each warp one ring. Its lanes can read each "   \
              "other's registers with shuffles.",                                                            \
              .is_needed = true)

/* 1 -> 0.0005: half of the SMs have a block each, where the timed case has one for every 256 elements. */
#define BLOCKS_HELD                                                                                          \
    LAB_BOUND("blocks_on_half", "blocks", 0, 0.25, "blocks at -m 1, on half of the SMs, per block at -m 8",  \
              "Right, but there are more blocks than task.m allows: launch at most task.m blocks per SM. "   \
              "Use held_blocks() as stage 19 does.")

/* ------------------------------------------------------------------------------------------- the stages */

#define STAGE(name)       .id = #name, LAB_CALLS(limits_##name)
#define GIVEN(name)       STAGE(name), .is_given = true, .baseline = "baseline_" #name
#define AGAINST(name)     .baseline = "baseline_" #name
#define WORKS_ON(family)  .layout = family##_layout, .element = LAB_ANSWER(family##_element)
#define SIZES(large, all) .timed = LAB_CASE large, .middle = LAB_CASE all

/* A wave of an H200 has 1056 blocks. */
#define LINE    SIZES((1 << 25, 32), (1 << 20, 32))
#define TILES   WORKS_ON(tiles), SIZES((1057 * 4096, 1), (1 << 16, 1))
#define SUMS    WORKS_ON(sums), SIZES((1 << 21, 1), (1 << 17, 1))
#define SAVINGS WORKS_ON(savings), SIZES((132 * 128, 1), (2000, 1))
#define COLUMNS WORKS_ON(columns), SIZES((132 * 512, 993), (8000, 100))
#define KIND    WORKS_ON(kinds), SIZES((1 << 22, 1), (1 << 18, 1))
#define DATA    WORKS_ON(data), SIZES((1 << 22, 1), (1 << 18, 1))
#define TREE    WORKS_ON(tree), SIZES((1 << 22, (1 << 18) - 1), (1 << 19, (1 << 16) - 1))
#define RINGS   WORKS_ON(rings), SIZES((1 << 17, 1), (1 << 12, 1))
#define ROOF    WORKS_ON(roof), SIZES((1 << 25, 8), (1 << 20, 8))
#define RECORDS SIZES((132 * 2048, 256), (8000, 100))

static const struct lab_stage stages[] = {
    {GIVEN(tiny_blocks), .title = "blocks of one warp", LINE, WORKS_ON(line)},
    {
        STAGE(block_size),
        .title = "blocks of several warps",
        AGAINST(tiny_blocks),
        LINE,
        WORKS_ON(blocks),
        .answer = "baseline_block_size",
        .todo = {1, .section = 1},
        .learned = "Small blocks can leave warp slots empty, and a GPU starts a limited number of blocks per "
                   "second. A sweep and the time of each tell which of them limits.",
        .points = {.correct = 2, .clean = 1, .concept = 1},
        .bounds = {PLACES_FILLED},
        .speed = {{3.0, 3}},
        .slowest = 2.4, /* blocks of the least size that fills the places have 2 */
        .hints = {{LAB_FAULT,
                   "The last block is only partly used: scale() tests i < n. If you wrote a kernel "
                   "of your own, test there too."},
                  {LAB_PARTLY, "Elements are missing: the number of blocks is n divided by the threads per "
                               "block, rounded up. Both numbers of the launch change."},
                  {LAB_WRONG,
                   "Not all answers are right. The first follows from an SM's places for warps and for "
                   "blocks. For the second, sweep stage 1: if only empty places limited, nothing would "
                   "be gained beyond the first answer (handout section 1).",
                   .about = "of 2 answers"},
                  {LAB_WRONG,
                   "Some answers are still to be given: write them into block_answers (handout section 1).",
                   .about = "not given yet"},
                  {LAB_SLOW,
                   "There are too many blocks: sweep stage 1 over its threads per block, and take the best "
                   "(handout section 1)."}},
    },
    {GIVEN(two_waves), .title = "a block per tile", TILES},
    {
        STAGE(waves),
        .title = "one whole wave of blocks",
        AGAINST(two_waves),
        TILES,
        .todo = {2, .section = 2},
        .learned = "When blocks come in waves, the last one may be nearly empty. A grid that fills one wave, "
                   "with a loop inside, leaves no tail.",
        .points = {.correct = 3, .clean = 1, .concept = 1},
        .bounds = {RESERVE_KEPT, ONE_WAVE, LAB_FOLLOWS_GPU},
        .speed = {{1.4, 4}},
        .slowest = 1.25, /* half of a wave has no tail either */
        .hints = {{LAB_FAULT, "An index is outside its array: the loop's condition is i < n."},
                  {LAB_PARTLY,
                   "Elements are missing: a thread's next element is gridDim.x * blockDim.x further."},
                  {LAB_SLOW,
                   "There is still a second wave, and it is nearly empty. "
                   "cudaOccupancyMaxActiveBlocksPerMultiprocessor() with RESERVED returns how many blocks an "
                   "SM holds. Launch that many for each SM, and distribute the elements one by one: the loop "
                   "steps by the number of all threads of the grid."}},
    },
    {GIVEN(all_warps), .title = "as many warps as an SM holds", SUMS},
    {
        STAGE(registers),
        .title = "as many registers as the sums need",
        AGAINST(all_warps),
        SUMS,
        .todo = {3, .section = 3},
        .learned = "Full occupancy is no aim of its own: registers that hold what is needed beat more warps "
                   "that spill. The runtime tells what the compiler decided for each variant.",
        .points = {.correct = 1, .clean = 1, .concept = 2},
        .bounds = {LAB_NO_SPILLS, WARPS_KEPT}, /* 104 -> 0 */
        .speed = {{3.0, 3}},
        .hints = {{LAB_NO_LAUNCH,
                   "Launch a variant of power_sums in limits_registers, the one that your host code "
                   "has found (TODO 3, handout section 3)."},
                  {LAB_SLOW,
                   "The sums still do not fit into the registers that __launch_bounds__ leaves, and go to "
                   "local memory: cudaFuncGetAttributes() tells its bytes per thread, localSizeBytes. 65536 "
                   "registers / "
                   "(threads x blocks per SM) must be above the 40 sums, with some for the rest."}},
    },
    {GIVEN(one_chain), .title = "one account after the other", SAVINGS},
    {
        STAGE(ilp),
        .title = "eight accounts side by side",
        AGAINST(one_chain),
        SAVINGS,
        .todo = {4, .section = 4},
        .learned = "Results that do not depend on each other overlap in the pipeline. A single chain waits "
                   "for its own latency at each step.",
        .points = {.correct = 3, .clean = 1},
        .speed = {{1.6, 2}, {2.7, 3}},
        .hints = {{LAB_WRONG, "Each account has its own rate and its own balance, which starts at 0, "
                              "and goes through PERIODS periods."},
                  {LAB_SLOW,
                   "Instructions still wait for each other, or the arrays are in local memory. Exchange "
                   "the loops: periods outside, accounts inside, with arrays of rates and balances. Unroll "
                   "every loop over accounts: then the arrays stay in registers. Let nvcc unroll the loop "
                   "over periods, too: no #pragma unroll 1 there."}},
    },
    {GIVEN(one_load), .title = "one load in flight", COLUMNS},
    {
        STAGE(mlp),
        .title = "eight loads in flight",
        AGAINST(one_load),
        COLUMNS,
        .todo = {5, .section = 5},
        .learned = "Bandwidth needs bytes in flight: several loads before the first use hide what one load "
                   "after the other cannot.",
        .points = {.correct = 4, .clean = 1},
        .speed = {{2.4, 5}},
        .hints = {{LAB_FAULT,
                   "m is not always a multiple of eight: begin a round of eight loads only if all eight "
                   "rows exist, and add the last rows one by one."},
                  {LAB_EDGE, "The last m % 8 rows are wrong: a second loop adds them one by one."},
                  {LAB_WRONG, "out[column] is the sum of all m rows of its column: are the last m % 8 rows "
                              "added one by one?"},
                  {LAB_SLOW, "Loads still wait for each other: load eight elements into an array first, then "
                             "add them up, both loops unrolled (handout section 5)."}},
    },
    {GIVEN(mixed), .title = "neighbours of different kinds", KIND},
    {
        STAGE(static_order),
        .title = "a warp for each kind",
        AGAINST(mixed),
        KIND,
        .todo = {6, .section = 6},
        .learned = "Lanes of a warp that go different ways take turns. If whole warps go the same way, "
                   "nothing is lost.",
        .points = {.correct = 3, .clean = 1, .concept = 2},
        .bounds = {FEW_IDLE_LANES(900, "Right, but lanes of one warp still take different paths: all 32 of "
                                       "them must have elements of the same kind.")},
        .speed = {{1.8, 3}},
        .slowest = 1.4, /* all lanes that do all four kinds are active, too, and gain nothing */
        .hints = {{LAB_FAULT, "An index is outside its array: test the element's index, not the thread's."},
                  {LAB_PARTLY, "Elements are missing: write down which element each of the 256 threads of a "
                               "block takes. Each must be taken once."},
                  {LAB_WRONG, "The kind belongs to the element: i % KINDS of its index, whichever thread "
                              "takes it."}},
    },
    {GIVEN(mixed_data), .title = "kinds that come from the data", DATA},
    {
        STAGE(dynamic_order),
        .title = "sorted by kind in each block",
        AGAINST(mixed_data),
        DATA,
        .todo = {7, .section = 7},
        .learned = "Where the way depends on data, a cheap sort within the block can pay: lanes of one kind "
                   "get together before the costly part.",
        .points = {.correct = 4, .clean = 2, .concept = 2},
        .bounds = {FEW_IDLE_LANES(2000,
                                  "Right, but lanes of one warp still take different paths: thread t must "
                                  "take the element at place t of the sorted table, not element t.")},
        .speed = {{1.3, 3}},
        .slowest = 1.15,
        .hints =
            {{LAB_RACE, "A thread reads counts or places that others still write: a barrier belongs "
                        "after clearing, after counting and after placing."},
             {LAB_BARRIER, "Threads beyond the end must come to the barriers too: do not return early."},
             {LAB_LOST,
              "Several threads write the same place: an element's place is the number of elements of "
              "smaller kinds plus the rank that atomicAdd() returned to its thread."},
             {LAB_UNINITIALISED, "Not every element is stored before it is read. If it counts: all KINDS "
                                 "counters are set to 0, then "
                                 "a barrier. If it has the sorted elements: the last block has fewer "
                                 "elements than threads, and only "
                                 "places that were filled may be used."},
             {LAB_FAULT,
              "An index is outside its array. Clear all KINDS counters, even if the block has only one "
              "element. A barrier belongs after clearing, after counting and after placing. Only threads "
              "with i < n place an element, and only places that were filled may be used.",
              .about = ""},
             {LAB_PARTLY, "Elements are missing: an element's place is the number of elements of smaller "
                          "kinds plus its rank within its own."},
             {LAB_WRONG, "Thread t treats the element at place t of the order: kind, input and output must "
                         "all use that element's index, not the thread's own."},
             {LAB_SLOW, "Sorting costs more than it gains: keep the table in shared memory, a block's "
                        "elements in the block, and count with one atomic per element."}},
    },
    {GIVEN(lookup), .title = "a lookup per thread", TREE},
    {
        STAGE(tree_lookup),
        .title = "lanes that go on to the next lookup",
        AGAINST(lookup),
        TREE,
        .todo = {8, .section = 8},
        .learned = "Lanes that are done early wait for the slowest. Lanes that fetch their next piece of "
                   "work by themselves stay busy.",
        .points = {.correct = 3, .clean = 1, .concept = 5},
        .bounds = {FEW_IDLE_LANES(
            2700, "Right, but lanes at their leaf wait for the deepest lane of their warp, or run apart from "
                  "the others. A lane must start its next lookup in the same loop. Launch one wave of "
                  "blocks: with a thread for every lookup, no lane has a next one. Let the loop end only by "
                  "its condition: then all lanes meet at each visit.")},
        .slowest = 0.85,
        .hints = {{LAB_FAULT, "An index is outside its array: after i += threads, i can be n or more."},
                  {LAB_PARTLY, "Lookups are missing: the loop ends when a thread has none left, not when it "
                               "is at its first leaf."},
                  {LAB_WRONG,
                   "Every lookup begins at node 0 with its own x and a sum of 0: set all three when a "
                   "lane takes the next one."}},
    },
    {GIVEN(two_barriers), .title = "two barriers per smoothing", RINGS},
    {
        STAGE(barriers),
        .title = "shuffles instead of barriers",
        AGAINST(two_barriers),
        RINGS,
        .todo = {9, .section = 9},
        .learned = "A barrier makes all warps of a block wait for the slowest. Within a warp, shuffles "
                   "exchange values without one.",
        .points = {.correct = 3, .clean = 1, .concept = 2},
        .bounds = {NO_BARRIERS},
        .speed = {{1.8, 3}},
        .hints =
            {{LAB_LANES, "All 32 lanes must come to a shuffle: no return before it, and no if around it."},
             {LAB_RACE, "Lanes of one warp may run apart: with shared memory, __syncwarp() belongs between "
                        "a store and the load by another lane. Shuffles do not need it."},
             {LAB_WRONG, "Lane 0's left neighbour is lane 31, and lane 31's right neighbour is lane 0: "
                         "__shfl_sync takes the lane number modulo 32. __shfl_up_sync does not wrap around."},
             {LAB_FAULT, "An index is outside its array: n counts rings, so there are n * RING floats. "
                         "Threads beyond them skip the load and the store, but not the shuffles."},
             {LAB_PARTLY, "Rings are missing: n counts rings, so there are n * RING floats, and a thread for "
                          "each of them."},
             {LAB_SLOW, "Keep x in a register: two shuffles bring the neighbours' values."}},
    },
    {GIVEN(both), .title = "load, compute, store", ROOF},
    {
        STAGE(memory_only),
        .title = "the same without arithmetic",
        AGAINST(both),
        WORKS_ON(moved),
        SIZES((1 << 25, 8), (1 << 20, 8)),
        .on_half = LAB_CASE(1 << 25, 1),
        .answer = "baseline_memory_only",
        .todo = {10, .section = 10},
        .learned = "A kernel without its arithmetic shows what memory alone takes: if that is nearly all of "
                   "the time, arithmetic is hidden behind it.",
        .points = {.correct = 1, .clean = 1, .concept = 1},
        .bounds = {LAB_BOUND("fp32_instructions", "input_lines", 0, 4,
                             "instructions of floating point per warp of elements",
                             "Right, but there is still arithmetic: keep only the loads, the stores and one "
                             "multiplication by 0.5."),
                   BLOCKS_HELD},
        .hints = {{LAB_WRONG, "out[i] is in[i] * 0.5f, the argument of the polynomial in stage 19."}},
    },
    {
        STAGE(compute_only),
        .title = "the same without memory",
        AGAINST(both),
        WORKS_ON(computed),
        SIZES((1 << 25, 8), (1 << 20, 8)),
        .on_half = LAB_CASE(1 << 25, 1),
        .answer = "baseline_compute_only",
        .previous = "both",
        .todo = {11, .section = 10},
        .learned = "A kernel without its memory shows what arithmetic alone takes. The compiler removes what "
                   "nobody uses, so something must depend on the result.",
        .points = {.correct = 1, .clean = 1, .concept = 2},
        .bounds = {LAB_BOUND(
                       "used_fp32_instructions", "output_sectors", 23, 0,
                       "instructions of floating point per 8 elements",
                       "Right, but nvcc has removed arithmetic: it does not compute what is not stored. "
                       "Store the value also if it is negative: it never is, but nvcc cannot know "
                       "that."),
                   LAB_BOUND("sectors_out", "output_sectors", 0, 0.02, "sectors stored per sector of out",
                             "Right, but too much is stored: store only one element of 1024."),
                   BLOCKS_HELD},
        .hints =
            {{LAB_WRONG,
              "out[i] is polynomial(made_up(i) * 0.5f) where i is a multiple of KEPT_EVERY; no other element "
              "is stored."}},
    },
    {
        STAGE(roofline),
        .title = "which half is it?",
        .previous = "compute_only",
        WORKS_ON(verdict),
        SIZES((1, 1), (1, 1)),
        .todo = {12, .section = 10},
        .learned = "The longer half limits, and the sum of both shows how well they overlap. The roofline "
                   "says the same from bytes and operations alone.",
        .points = {.correct = 4},
        .hints = {{LAB_WRONG, "Not all answers are right. Measure again: build/lab6 both, memory_only and "
                              "compute_only, first with "
                              "-m 8, then with -m 1 (handout section 10)."},
                  {LAB_WRONG,
                   "Some answers are still to be given: write them into roofline_answers. build/lab6 both, "
                   "memory_only "
                   "and compute_only, first with -m 8, then with -m 1, show them (handout section 10).",
                   .about = "not given yet"}},
    },
    {GIVEN(scattered), .title = "a record per thread", RECORDS, WORKS_ON(records)},
    {
        STAGE(what_if),
        .title = "what if the pattern were ideal?",
        AGAINST(scattered),
        RECORDS,
        WORKS_ON(crippled),
        .answer = "baseline_what_if",
        .todo = {13, .section = 11},
        .learned = "A wrong kernel can answer a right question: with an ideal pattern in the place of the "
                   "real one, you know what to gain before you write it.",
        .points = {.correct = 3, .clean = 1, .concept = 1},
        .bounds = {LAB_LOADS_ONCE(1.1)},
        .hints =
            {{LAB_FAULT,
              "There are n * m floats: thread i's k-th load is in[k * n + i]; compute the index as size_t."},
             {LAB_WRONG, "Thread i adds up in[k * n + i] for k from 0 to m - 1."},
             {LAB_WRONG,
              "The answer is made of `gain` in your file: the time of scattered divided by that of mlp at "
              "the same size "
              "(handout section 11).",
              .about = "the answer is"}},
    },
    {
        STAGE(knees),
        .title = "how many warps are enough?",
        .is_first = true,
        WORKS_ON(knees),
        SIZES((1, 1), (1, 1)),
        .todo = {14, .section = 12},
        .learned =
            "Latency is hidden when each scheduler always has an instruction that is ready: warps times "
            "independent instructions of each decide, not warps alone.",
        .points = {.correct = 4},
        .hints = {{LAB_WRONG, "Not all answers are right. A scheduler needs as many independent instructions "
                              "as the latency of one has "
                              "cycles; warps times the chains of each give them. An SM has four "
                              "schedulers, and every scheduler needs a warp of its own to issue from "
                              "(handout section 12)."},
                  {LAB_WRONG,
                   "Some answers are still to be given: write them into knees_answers (handout section 12).",
                   .about = "not given yet"}},
    },
};

/* ------------------------------------------------------------------------------------------- cases */

/* n and m. What they count is the stage's own: see the TODOs. Stages in which an element is little work get large ones. */
static const struct lab_case cases[] = {
    LAB_CASE(1, 1),
    LAB_CASE(31, 3),
    LAB_CASE(32, 1),
    LAB_CASE(33, 8),
    LAB_CASE_OF("block_size", 70001, 1),
    LAB_CASE_OF("waves", 70001, 1),
    LAB_CASE_OF("registers", 4099, 1),
    LAB_CASE_OF("mlp", 3, 70001),
    LAB_CASE_OF("mlp", 70001, 3),
    LAB_CASE_OF("mlp", 300, 37),
    LAB_CASE_OF("static_order", 70001, 1),
    LAB_CASE_OF("dynamic_order", 70001, 1),
    LAB_CASE_OF("tree_lookup", 70001, 1023),
    LAB_CASE_OF("tree_lookup", 1000, 65535),
    LAB_CASE_OF("barriers", 2209, 1),
    LAB_CASE_OF("memory_only", 400001, 1),
    LAB_CASE_OF("compute_only", 400001, 1),
    LAB_CASE_OF("what_if", 300, 37),
    LAB_CASE_OF("what_if", 3, 70001),
    LAB_CASE(257, 31),
    LAB_CASE(1000, 9),
};

static void call(const struct lab_run *run)
{
    ((limits_fn *)run->stage->function)(task_of(run));
}

const struct lab lab = {
    .id = "lab6",
    .title = "what limits a kernel",
    .size_names = {"n", "m"},
    .size_options = {'n', 'm'},
    .size_words = {"n of the task: elements, columns, rings or records",
                   "m of the task: the stage's TODO says what it counts"},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    .drawn = LAB_CASE(600, 40),
    .unit = "GB/s",
    .call = call,
};
