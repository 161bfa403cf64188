/* lab10.c - the driver of lab 10, what real code needs next: scan, histogram, compaction, sparse rows, softmax.
 * The stage table below is what an instructor changes; what lies in memory and what is right stands in tasks.c. Each task has
 * stages of its own, and begins with a given one. Points of all rows add up to 100. */
#include "lab10.h"

#include "lab/bounds.h"
#include "lab/lab.h"
#include "references.h"
#include "tasks.h"

/* ------------------------------------------------------------------------------------------- the bounds
 * In comments: what the counters show for the step before -> for this step. */

/* 19 -> 5.6: a tree has two additions for each element, the rounds of Hillis and Steele have ten. With bank conflicts 25. */
#define FEW_ADDITIONS                                                                                        \
    LAB_BOUND("shared_in", "input_lines", 0, 9, "shared load wavefronts per 128 bytes of input",             \
              "Right, but shared memory is read too often: in each step only the lowest SEGMENT / 2 / step " \
              "threads may work, and their places must lie in different banks.")
/* 2.6 -> 0.13 */
#define FEW_BARRIERS                                                                                         \
    LAB_BOUND("barriers", "input_sectors", 0, 0.8, "barriers per sector of input",                           \
              "Right, but blocks still wait at a barrier in every round: let each warp scan its own "        \
              "elements with shuffles; then only two barriers are left.",                                    \
              .is_needed = true)
/* 0 -> 1.4; a block of which one warp alone shuffles has 0.2. */
#define BY_SHUFFLES                                                                                          \
    LAB_BOUND("used_warp_op_instructions", "input_lines", 0.05, 0, "shuffles per 32 elements",               \
              "Right, but threads still exchange sums through shared memory: let each warp scan its own "    \
              "elements with __shfl_up_sync().",                                                             \
              .is_needed = true)
/* 2.1 -> 1, both: the results are not read again to be added to. */
#define ONE_PASS                                                                                             \
    LAB_LOADS_ONCE(1.15),                                                                                    \
        LAB_BOUND("sectors_out", "output_sectors", 0, 1.15, "32-byte sectors stored per sector of output",   \
                  "Right, but results are stored twice: a block must know what lies "                        \
                  "before its tile when it stores them.")
/* 1 -> 4096. A block that does all alone reads once, too. */
#define TILES_DRAWN                                                                                          \
    LAB_BOUND("global_atomic_requests", NULL, 64, 0, "tiles drawn",                                          \
              "Right, but the elements are not shared out in tiles: launch a block for each tile, and let "  \
              "its thread 0 draw the tile's number with atomicAdd() from a counter in global memory.",       \
              .is_needed = true)
/* 2 -> 9.7, of which 1 is the number's that was drawn. Where value and flag are two words, a chain has 3. */
#define MANY_WORDS_AT_ONCE                                                                                   \
    LAB_BOUND("sectors_in", "global_atomic_requests", 3.5, 0,                                                \
              "sectors loaded beside the input per tile drawn",                                              \
              "Right, but a tile still looks at one word: let the 32 lanes of a warp load the words of the " \
              "32 tiles before it. Loads count, additions of 0 do not.",                                     \
              .minus = "input_sectors", .is_needed = true)
/* 1 -> 2. Words that atomics write are none of these stores. */
#define OWN_SUM_FIRST                                                                                        \
    LAB_BOUND(                                                                                               \
        "global_store_sectors", "global_atomic_requests", 1.5, 0,                                            \
        "sectors stored beside the output per tile drawn",                                                   \
        "Right, but a tile publishes once only, so the tiles behind it wait in a chain: store its own "      \
        "sum in its word before it looks back, and the sum of all up to itself after that. Stores count, "   \
        "exchanges do not.",                                                                                 \
        .minus = "output_sectors", .is_needed = true)
/* 1048576 -> 8448: a request for 32 bins of each block. */
#define FEW_ATOMICS                                                                                          \
    LAB_BOUND("global_atomic_requests", NULL, 0, 1 << 17, "atomic requests to global memory",                \
              "Right, but with too many atomics in global memory: a block adds its 256 bins once, so "       \
              "launch few blocks, and let each of them count many bytes.",                                   \
              .is_needed = true)
/* 1 -> 8 */
#define COPIES_ADDED_UP                                                                                      \
    LAB_BOUND("used_shared_load_wavefronts", "global_atomic_requests", 3, 0, "copies added up for each bin", \
              "Right, but the warps of a block still share their bins: give each warp a copy, and add up "   \
              "the copies before the atomics in global memory.",                                             \
              .is_needed = true)
/* 5.2 -> 2.0, 3.7 -> 0.6, or 2.0 if kept elements do not gather in shared memory: the elements are read twice, and nothing
 * is stored but results. Each warp may read its segment's first place and add to its count: 0.25 each. Places in memory are
 * read as well, and make it at least 3. */
#define NO_FLAGS_IN_MEMORY                                                                                   \
    LAB_BOUND("sectors_in", "input_sectors", 0, 2.75, "32-byte sectors loaded per sector of input",          \
              "Right, but flags or places still go through global memory: read the elements again, and "     \
              "compute the flags again."),                                                                   \
        LAB_BOUND("sectors_out", "output_sectors", 0, 2.5, "32-byte sectors stored per sector of output",    \
                  "Right, but flags or places are still stored in global memory.")
/* 1720 -> 285 */
#define LANES_SHARE_A_ROW                                                                                    \
    LAB_BOUND("idle_lanes", "input_lines", 0, 700, "lanes without work per 32 elements",                     \
              "Right, but most lanes wait for the one that has the longest row: let all lanes of a warp "    \
              "share each row.")
/* 3 -> 2 -> 1 */
#define ROW_LOADED(times, advice)                                                                            \
    LAB_BOUND("sectors_in", "input_sectors", 0, (times) + 0.1, "32-byte sectors loaded per sector of input", \
              advice, .is_needed = true)

/* ------------------------------------------------------------------------------------------- the stages */

#define STAGE(task, name) .id = #name, LAB_CALLS(task##_##name)
#define WORKS_ON(task)    .layout = task##_layout, .own = &task##_task
#define SCAN                                                                                                 \
    WORKS_ON(scan), .reference = LAB_ANSWER(scan_reference), .recognise = LAB_ANSWER(scan_recognise),        \
                    .baseline = "baseline_hillis_steele", .timed = LAB_CASE(1 << 24),                        \
                    .middle = LAB_CASE(1 << 20), .grain = LAB_CASE(1021), .grains = 16
#define HISTOGRAM                                                                                            \
    WORKS_ON(histogram), .reference = LAB_ANSWER(histogram_reference), .baseline = "baseline_global",        \
                         .timed = LAB_CASE(1 << 25, 0, 1), .middle = LAB_CASE(1 << 20, 0, 1),                \
                         .grain = LAB_CASE(1021), .grains = 16
/* A scan tells where elements go, so that a part of the blocks would store anywhere. */
#define COMPACT                                                                                              \
    WORKS_ON(compact), .reference = LAB_ANSWER(compact_reference),                                           \
                       .recognise = LAB_ANSWER(compact_recognise), .baseline = "baseline_flags",             \
                       .timed = LAB_CASE(1 << 22, 0, 1), .is_whole = true
#define SPMV                                                                                                 \
    WORKS_ON(spmv), .element = LAB_ANSWER(spmv_element), .baseline = "baseline_thread",                      \
                    .timed = LAB_CASE(1 << 17, 64, 1), .middle = LAB_CASE(1 << 12, 64, 1),                   \
                    .grain = LAB_CASE(32), .grains = 16
#define SOFTMAX                                                                                              \
    WORKS_ON(softmax), .element = LAB_ANSWER(softmax_element), .recognise = LAB_ANSWER(softmax_recognise),   \
                       .baseline = "baseline_three_passes", .timed = LAB_CASE(1 << 16, 256, 1),              \
                       .middle = LAB_CASE(1 << 11, 256, 1), .grain = LAB_CASE(37), .grains = 16

/* The chain and look-back divide their work alike. */
#define TICKET_HINT                                                                                          \
    "An index is outside its array. Does every call clear the counter, with cudaMemsetAsync()? Is there a "  \
    "barrier between thread 0, which stores the number of the tile in shared memory, and the threads that "  \
    "read it?"
#define TILE_BARRIER_HINT                                                                                    \
    "Inside a block, a barrier must stand between the write of a shared variable and its reads: for the "    \
    "number of the tile, the sums of the warps, and the sum before the tile."
#define WORDS_HINT                                                                                           \
    "Words or the counter are read before they are cleared: call cudaMemsetAsync() in the entry point, for " \
    "the counter and one word for each tile. If it is shared memory, a barrier is missing before the read."
#define TILE_ORDER_HINT                                                                                      \
    "If n is smaller than a tile, look at the order of elements inside a tile: its warps, the pieces of a "  \
    "warp, the lanes of a piece, the four of a lane."

static const struct lab_stage stages[] = {
    {STAGE(scan, hillis_steele), .title = "scan: Hillis and Steele's rounds", .is_given = true, SCAN},
    {
        STAGE(scan, blelloch),
        .title = "scan: up and down a tree",
        SCAN,
        .todo = {1, .section = 2},
        .learned = "A scan up and down a tree needs as many additions as elements, not as many as elements "
                   "times rounds. Its strides must not fall into one bank.",
        .points = {.correct = 4, .clean = 2, .concept = 4},
        .bounds = {FEW_ADDITIONS},
        .hints =
            {{LAB_FAULT,
              "An index is outside its array. A block has SEGMENT / 2 threads. A thread has two elements, "
              "t and t + SEGMENT / 2 of the segment; test both against n. With padding, the array in "
              "shared memory needs SEGMENT + SEGMENT / 32 places.",
              .about = ""},
             {LAB_RACE, "A barrier belongs before each step, on the way up and on the way down, and one "
                        "more before the results are read."},
             {LAB_BARRIER, "All threads of the block must reach each barrier, also those that have no work "
                           "in this step: keep it out of the if."},
             {LAB_UNINITIALISED, "scan_sums and add_sums are given: they need blocks of SEGMENT threads. If "
                                 "the line is in your own "
                                 "kernel: each thread stores two elements first, and a 0 for each that lies "
                                 "beyond n. Every block "
                                 "must store its sum in sums[blockIdx.x]."},
             {LAB_WRONG,
              "Follow eight elements on paper (handout section 2): after the way up the last place has the "
              "sum of all. It becomes 0 before the way down. The tree gives the sum of all elements before "
              "each element: add the element itself."}},
    },
    {
        STAGE(scan, shuffles),
        .title = "scan: shuffles, four elements per thread",
        SCAN,
        .todo = {2, .section = 3},
        .learned = "Work per thread first, then per warp by shuffles, then per block: most of a scan happens "
                   "in registers, and few barriers remain.",
        .points = {.correct = 3, .clean = 2, .concept = 3},
        .bounds = {FEW_BARRIERS, BY_SHUFFLES},
        .speed = {{1.6, 4}},
        .hints =
            {{LAB_FAULT, "The last four elements of a thread may lie beyond n: load and store an int4 only "
                         "where all four exist, else one by one."},
             {LAB_LANES, "All 32 lanes must reach __shfl_up_sync: shuffle first, then decide whether to "
                         "add the value."},
             {LAB_RACE, "One lane of each warp writes the warp's sum, and all threads read the sums: one "
                        "barrier before they are scanned, one after. A loop that uses them again needs one "
                        "more."},
             {LAB_WRONG, "A lane adds the value of a lane below it: only where lane >= step. A thread adds "
                         "to its four elements the sum of all threads before it: its warp's scan without "
                         "its own total, plus the sum of the warps before. If only large n are wrong, look "
                         "at the kernel that scans the sums: does its loop end with a barrier?"},
             {LAB_SLOW,
              "Load and store a thread's four elements at once, as an int4, also where the sums of "
              "the segments are added: the given add_sums takes one element per thread. To scan those "
              "sums with shuffles as well gains more."}},
    },
    {
        STAGE(scan, chained),
        .title = "scan: a single pass, tiles in a chain",
        SCAN,
        .blocks_wait = true,
        .todo = {3, .section = 4},
        .learned =
            "A block can wait for a word that another block writes, if it knows that the other one runs, "
            "and if sum and flag are one atomic word. Each element is then read once and written once.",
        .points = {.correct = 3, .clean = 2, .concept = 3},
        .bounds = {ONE_PASS, TILES_DRAWN},
        /* On a GPU thousands of tiles wait for each other, one after another: no time says that this is not the step. */
        .slowest = 0.01,
        .hints =
            {{LAB_FAULT, TICKET_HINT " Tile 0 has no tile before it: what lies before it is 0.", .about = ""},
             {LAB_DEADLOCK,
              "Blocks wait for each other for ever. Does every call clear the words and the counter? Does "
              "every block publish its word, also the first one? Is the number of the tile drawn with "
              "atomicAdd?"},
             {LAB_RACE, TILE_BARRIER_HINT},
             {LAB_BLOCKS,
              "A block reads a word while another block writes it. Read and write it through a "
              "cuda::atomic_ref (from <cuda/atomic>), with the sum and its flag in one word of 64 bits: "
              "then nothing else has to be ordered."},
             {LAB_UNINITIALISED, WORDS_HINT},
             {LAB_WRONG, TILE_ORDER_HINT
              " If only larger n are wrong: "
              "a tile adds what the word of the tile before it says, and publishes that sum plus its own."},
             {LAB_SLOW,
              "Give each thread at least 8 elements: then the chain has fewer tiles. Only one thread of "
              "the block waits for the word; the others wait at a barrier."}},
    },
    {
        STAGE(scan, look_back),
        .title = "scan: a single pass with look-back",
        SCAN,
        .blocks_wait = true,
        .todo = {4, .section = 5},
        .learned =
            "What a tile knows without waiting it publishes at once. The tiles behind it add up such sums, "
            "32 at a time, and no longer wait for each other in a row.",
        .points = {.correct = 3, .clean = 1, .concept = 4},
        .bounds = {MANY_WORDS_AT_ONCE, OWN_SUM_FIRST, ONE_PASS},
        .slowest = 1.7, /* on a GPU a chain takes longer than three kernels */
        .hints =
            {{LAB_FAULT,
              TICKET_HINT " A warp that looks back from one of the first tiles comes to "
                          "tiles before 0: these count as known, with the sum 0.",
              .about = ""},
             {LAB_DEADLOCK,
              "Blocks wait for each other for ever. Does every call clear the words and the counter? Does "
              "a block publish its own sum before it looks back? Is the number of the tile drawn with "
              "atomicAdd?"},
             {LAB_RACE, TILE_BARRIER_HINT " A tile "
                                          "looks back at the tiles before it only, not at its own word."},
             {LAB_BLOCKS,
              "A block reads a word while another block writes it. Read and write it through a "
              "cuda::atomic_ref (from <cuda/atomic>), with the sum and its meaning in one word of 64 bits: "
              "then nothing else has to be ordered."},
             {LAB_UNINITIALISED, WORDS_HINT},
             {LAB_WRONG, TILE_ORDER_HINT
              " If only larger n are wrong: "
              "looking "
              "back ends at the first tile that knows the sum of all up to itself. Add its sum, and nothing "
              "that lies further back. Then publish that sum plus the tile's own."},
             {LAB_SLOW, "Let a whole warp look back, 32 tiles at a time, and give each thread at least 8 "
                        "elements: then there are fewer tiles. Only one warp of the block may look back; "
                        "the others wait at a barrier."}},
    },
    {STAGE(histogram, global), .title = "histogram: atomics in global memory", .is_given = true, HISTOGRAM},
    {
        STAGE(histogram, shared),
        .title = "histogram: bins in shared memory",
        HISTOGRAM,
        .todo = {5, .section = 6},
        .learned = "Many atomics to few places queue up. A histogram for each block in shared memory brings "
                   "them near, and few go on to global memory.",
        .points = {.correct = 4, .clean = 2, .concept = 2},
        .bounds = {FEW_ATOMICS},
        .speed = {{60, 2}},
        .slowest = 35, /* a single block has few atomics, too */
        .hints = {{LAB_RACE,
                   "A barrier belongs between clearing the bins and the first count, and another between "
                   "the last count and adding the bins to counts.",
                   .about = "against an atomic of another thread"},
                  {LAB_RACE,
                   "Several threads count in the same bin: atomicAdd(), also in shared memory. A barrier "
                   "belongs after clearing the bins, and one before they are added to counts."},
                  {LAB_LOST, "Several threads count in the same bin: atomicAdd(), also in shared memory."},
                  {LAB_UNINITIALISED, "Bins begin with any values: the block sets all 256 to 0, then waits.",
                   .about = "uninitialised shared memory"},
                  {LAB_UNINITIALISED,
                   "Every call must set all of it to 0 before the kernel, with cudaMemsetAsync()."},
                  {LAB_WRONG,
                   "Are counts and the block's bins 0 at the beginning of every call? Are all 256 bins "
                   "added to counts, whatever the number of threads?"},
                  {LAB_SLOW, "Each block adds 256 bins to global memory: launch a few blocks per SM, and "
                             "let threads walk through the input with the grid's stride."}},
    },
    {
        STAGE(histogram, per_warp),
        .title = "histogram: bins for each warp, wide loads",
        HISTOGRAM,
        .todo = {6, .section = 7},
        .learned = "Several copies of the bins share out the collisions that are left, and wide loads leave "
                   "fewer instructions per element.",
        .points = {.correct = 3, .clean = 2, .concept = 3},
        .bounds = {COPIES_ADDED_UP},
        .speed = {{200, 2}},
        .slowest = 100,
        .hints =
            {{LAB_FAULT,
              "An index is outside its array. If it is an index of bins: the copy is threadIdx.x / 32, and a "
              "bin is one byte of a word, word >> 8 * k & 255. If it is one of the input: n is not always a "
              "multiple of 16; walk over n / 16 "
              "words of 16 bytes, and count the last n % 16 bytes one by one.",
              .about = ""},
             {LAB_LOST, "Lanes of one warp still meet in a bin: atomicAdd(), also in a warp's own copy."},
             {LAB_RACE, "Lanes of one warp still meet in a bin: atomicAdd(), also in a warp's own copy. A "
                        "barrier belongs before the copies are added up."},
             {LAB_WRONG, "Each byte of the 16 counts once: word >> 8 * k & 255. Are the last n % 16 bytes "
                         "counted, each of them once, and not once in every block? A counter must be able "
                         "to hold more than 255."},
             {LAB_SLOW, "Load 16 bytes at a time as a uint4, and launch as many blocks as the GPU holds."}},
    },
    {STAGE(compact, flags), .title = "compaction: flags, scan, move", .is_given = true, COMPACT},
    {
        STAGE(compact, fused),
        .title = "compaction: flags in registers",
        COMPACT,
        .todo = {7, .section = 8},
        .learned = "A flag need not be stored to be scanned: kept in a register it saves passes over memory, "
                   "and the scan tells each element its place.",
        .points = {.correct = 4, .clean = 2, .concept = 2},
        .bounds = {NO_FLAGS_IN_MEMORY},
        .speed = {{1.8, 4}},
        .slowest = 1.3,
        .hints =
            {{LAB_FAULT, "A place is outside of out. Do not count elements beyond n, even if the 0 that "
                         "stands for them is below the limit. A segment's first place is the scanned count "
                         "of the segments before it, 0 for the first."},
             {LAB_UNTOUCHED,
              "out or *count was never written. If TODO 7 is still open, begin there (handout section 8). "
              "If it is done: *count must be set as well, also if nothing is kept."},
             {LAB_PARTLY,
              "One of the two outputs is complete, or a part of it. *count must be set as well, also "
              "if nothing is kept, and every kept element has a place in out."},
             {LAB_RACE,
              "Kept elements that go through shared memory need a barrier before they are read there. A "
              "loop that uses shared memory again needs one more."},
             {LAB_UNINITIALISED,
              "Memory is read that nobody wrote. The count of each segment must be set, also if it is 0. "
              "If it is shared memory, a barrier is missing, or a place was left out."},
             {LAB_LOST, "Two threads write the same place: an element's place is the number of kept ones "
                        "before it, in its thread, in its block and in the blocks before."},
             {LAB_WRONG, "The order must stay: an element's place is the number of kept elements before "
                         "it. An atomic counter gives places in any order."},
             {LAB_SLOW, "Both kernels should load four elements per thread at once, as an int4, and the "
                        "counts of the segments should be scanned with shuffles."}},
    },
    {STAGE(spmv, thread), .title = "sparse rows: a thread per row", .is_given = true, SPMV},
    {
        STAGE(spmv, warp),
        .title = "sparse rows: a warp per row",
        SPMV,
        .todo = {8, .section = 9},
        .learned = "Rows of different lengths leave lanes idle. A warp per row balances them and makes loads "
                   "of neighbours coalesced.",
        .points = {.correct = 4, .clean = 2, .concept = 2},
        .bounds = {LANES_SHARE_A_ROW},
        .speed = {{1.35, 4}},
        .slowest = 1.1,
        .hints =
            {{LAB_FAULT, "There are `rows` rows: warps beyond the last row must do nothing. Row r "
                         "ends before starts[r + 1]."},
             {LAB_LOST,
              "Several threads write the same y[row]. After the shuffles, lane 0 has the sum of all lanes "
              "(with __shfl_down_sync, only lane 0): let that lane write."},
             {LAB_LANES, "All 32 lanes must reach the shuffles: the loop over a row may end earlier "
                         "for some lanes, so the shuffles must come after it."},
             {LAB_PARTLY, "An empty row has the sum 0, which must be written, too. No lane may return before "
                          "the shuffles, "
                          "not even one that has no entry: its sum is 0. Is there a warp for each row?"},
             {LAB_WRONG,
              "Lane k takes entries starts[row] + k, + k + 32, ...; the sum of the 32 lanes is "
              "written by one of them. Rows may be empty, or have one entry more than a multiple of "
              "32."},
             {LAB_SLOW, "Lanes must read neighbouring entries: begin at starts[row] + lane, and go on "
                        "by 32. Launch a warp for each row, 8 rows to a block of 256 threads."}},
    },
    {STAGE(softmax, three_passes), .title = "softmax: three passes", .is_given = true, SOFTMAX},
    {
        STAGE(softmax, online),
        .title = "softmax: maximum and sum in one pass",
        SOFTMAX,
        .todo = {9, .section = 10},
        .learned = "Maximum and sum can be found together: when the maximum grows, the sum so far is scaled. "
                   "One pass over memory is saved.",
        .points = {.correct = 3, .clean = 2, .concept = 3},
        .bounds = {ROW_LOADED(2, "Right, but the row is still read three times: the loop that looks for "
                                 "the maximum must add up exp() as well.")},
        .hints =
            {{LAB_RACE, "A barrier belongs between the last step of the tree and the threads that read its "
                        "result, and one more before the array is used again. over_block() has both: all "
                        "threads of the block must call it."},
             {LAB_WRONG,
              "When a larger element comes, the sum so far is multiplied by exp(old - new). At the end "
              "each thread's sum is multiplied by exp(its own largest - the block's largest) before the "
              "sums are added. The largest so far begins with -INFINITY, not with 0. Threads without an "
              "element keep "
              "that, and the sum 0; when two of them are joined, -INFINITY - -INFINITY gives NaN: test for "
              "it."}},
    },
    {
        STAGE(softmax, registers),
        .title = "softmax: a warp per row, float4",
        SOFTMAX,
        .todo = {10, .section = 11},
        .learned = "A row that fits into the registers of a warp is read once, and only written after. "
                   "Shuffles do what shared memory and barriers did.",
        .points = {.correct = 3, .clean = 1, .concept = 2},
        .bounds = {ROW_LOADED(1, "Right, but the row is loaded more than once: keep it in registers, in an "
                                 "array whose indexes the compiler knows."),
                   LAB_NO_LOCAL_MEMORY},
        .speed = {{2.4, 4}},
        .slowest = 1.5,
        .hints =
            {{LAB_FAULT, "Warps beyond the last row, and lanes beyond the end of a row, must not load or "
                         "store."},
             {LAB_PARTLY,
              "Elements are missing. Rows of more than 256 elements are too long for two float4 in each "
              "lane, "
              "and a width that is not a multiple of 4 has a rest that no float4 holds: both kinds of rows "
              "need another kernel."},
             {LAB_MISALIGNED,
              "A float4 must lie at a multiple of 16 bytes: rows whose width is not a multiple of 4 need "
              "another kernel, and so do rows that are too long for the registers."},
             {LAB_LANES, "All 32 lanes must reach the shuffles: lanes beyond the row's end hold -INFINITY."},
             {LAB_WRONG,
              "All lanes need the row's largest element and its sum: __shfl_xor_sync gives them to all, "
              "__shfl_down_sync to lane 0 only. Lanes beyond the row's end hold -INFINITY: its exp() is 0."},
             {LAB_SLOW, "Give each warp a row, with a block of 256 threads for 8 rows, and load float4: "
                        "then no barrier is left, and exp() is computed once for each element."}},
    },
};

/* ------------------------------------------------------------------------------------------- cases */

/* n, m, kind: see tasks.h. Every task has cases in which nothing, all, or one has everything. */
static const struct lab_case cases[] = {
    LAB_CASE(1, 1, 1),
    LAB_CASE(31, 3, 2),
    LAB_CASE(32, 32, 3),
    LAB_CASE(33, 256, 1),
    LAB_CASE(1024, 33, 0),
    LAB_CASE(1025, 1, 3),
    LAB_CASE(4097, 4, 2),
    LAB_CASE_OF("blelloch", 70001, 0, 0),
    LAB_CASE_OF("shuffles", 70001, 0, 0),
    LAB_CASE_OF("chained", 70001, 0, 0),
    LAB_CASE_OF("look_back", 300001, 0, 0),
    LAB_CASE_OF("shared", 70001, 0, 3),
    LAB_CASE_OF("per_warp", 70001, 0, 3),
    LAB_CASE_OF("fused", 70001, 0, 1),
    LAB_CASE_OF("fused", 70001, 0, 0),
    LAB_CASE_OF("warp", 70001, 1, 1),
    LAB_CASE_OF("warp", 100, 700, 3),
    LAB_CASE_OF("online", 3, 70001, 2),
    LAB_CASE_OF("registers", 70001, 1, 1),
    LAB_CASE_OF("registers", 7, 255, 2),
    LAB_CASE(257, 300, 2),
};

static void call(const struct lab_run *run)
{
    ((const struct task *)run->stage->own)->call(run);
}

const struct lab lab = {
    .id = "lab10",
    .title = "what real code needs next",
    .size_names = {"n", "m", "kind"},
    .size_options = {'n', 'm', 'k'},
    .size_words = {"elements, or rows of a matrix", "entries of a row: sparse rows (on average), softmax",
                   "0 to 3: the kind of inputs; the first lines of a run name it"},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    .drawn = LAB_CASE(3000, 40, 3),
    .unit = "GB/s",
    .is_own_work = true,
    .call = call,
    .describe = task_describe,
    .references = LAB_ANSWER(references_print),
};
