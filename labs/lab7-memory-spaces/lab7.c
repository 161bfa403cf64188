/* lab7.c - the driver of lab 7, memory spaces.
 * The stage table below is what an instructor changes; what lies in memory and what is right stands in spaces.c.
 * A given kernel keeps its data in one kind of memory; the steps after it move that data to another. */
#include "lab7.h"

#include "lab/bounds.h"
#include "lab/lab.h"
#include "spaces.h"
#include "work.h"

/* ------------------------------------------------------------------------------------------- the bounds
 * In comments: what the counters show for the given kernel -> for the step. An input line is 128 bytes: a warp of floats. */

/* 0 -> 64 */
#define CONSTANT_TAPS                                                                                        \
    LAB_BOUND("table.const_requests", "input_lines", 50, 0,                                                  \
              "loads from constant memory per warp of elements",                                             \
              "Right, but the coefficients are not read from constant memory: fill a __constant__ array "    \
              "with cudaMemcpyToSymbol(), and read that array in the kernel.",                               \
              .is_needed = true)
/* 0 -> 1 */
#define READ_ONLY_LOADS                                                                                      \
    LAB_BOUND("global_load_requests", "input_lines", 0, 1,                                                   \
              "global loads by the plain path per warp of elements",                                         \
              "Right, but not all loads use the read-only path: declare both pointers const "                \
              "__restrict__, or load with __ldg(&in[i + k]) and __ldg(&taps[k]).",                           \
              .minus = "read_only_requests", .is_needed = true)
/* 1 -> 0. Whoever brings inputs to shared memory has few loads of either kind. */
#define READ_ONLY_SHARE                                                                                      \
    LAB_BOUND("used_global_load_requests", "used_global_load_requests", 0, 0.5,                              \
              "share of the plain path in global loads that feed the output",                                \
              "Right, but most loads do not use the read-only path: declare both pointers const "            \
              "__restrict__, or load with __ldg().",                                                         \
              .minus = "used_read_only_requests", .is_needed = true)
/* 0 -> 16 */
#define SHARED_LOOKUPS                                                                                       \
    LAB_BOUND("table.shared_requests_in", "input_lines", 12, 0,                                              \
              "loads from shared memory per warp of elements",                                               \
              "Right, but the lookups do not go to shared memory: copy the table to a __shared__ array "     \
              "first, all threads of the block together, and look up there.",                                \
              .is_needed = true)
/* 1.5 on an H200, where an SM holds two blocks of 1024; a copy for each block of 1024 has 16, half a table 62. */
#define FEW_COPIES                                                                                           \
    LAB_BOUND("sectors_in", "input_sectors", 0, 4, "32-byte sectors loaded per sector of input",             \
              "Right, but too much is still loaded from global memory: all of the table belongs in shared "  \
              "memory, and only as many blocks as the GPU holds should copy it, with a loop over elements.", \
              .is_needed = true)
/* 0 -> 1, 0.25 */
#define TEXTURE_FETCHES(least, most, advice)                                                                 \
    LAB_BOUND("used_texture_requests", "output_sectors", least, most,                                        \
              "texture fetches of warps per sector of output", advice, .is_needed = true)
/* 1 -> 0 */
#define NO_PLAIN_LOADS                                                                                       \
    LAB_BOUND("requests_in", "output_sectors", 0, 0.05, "global loads of warps per sector of output",        \
              "Right, but pixels are still loaded without the texture: every pixel must come from tex2D().", \
              .minus = "texture_requests")
/* 6.7 -> 0 */
#define NO_LOCAL_SECTORS                                                                                     \
    LAB_BOUND("local_load_sectors", "input_sectors", 0, 0.01,                                                \
              "sectors of local memory loaded per sector "                                                   \
              "of input",                                                                                    \
              "Right, but the array is in local memory: nvcc must know every index of it. Go through all "   \
              "BINS bins in an unrolled loop, and let each ask whether the value belongs to it.",            \
              .is_needed = true)
/* Shared memory avoids local memory, too: that is the next stage. */
#define NO_SHARED_BINS                                                                                       \
    LAB_BOUND("shared_requests_in", "input_lines", 0, 0.1, "loads from shared memory per warp of elements",  \
              "Right, but the bins are in shared memory: this stage keeps them in registers, the next one "  \
              "in shared memory.",                                                                           \
              .is_needed = true)
/* 1: the results; with bins in global memory 430. */
#define NO_BINS_IN_MEMORY                                                                                    \
    LAB_BOUND("sectors_out", "output_sectors", 0, 1.1, "32-byte sectors stored per sector of output",        \
              "Right, but the bins are in global memory: this stage keeps them in registers.",               \
              .is_needed = true)
/* 1 -> 1; a launch bound that avoids spills leaves 0.25. */
#define WARPS_KEPT                                                                                           \
    LAB_BOUND("occupancy", NULL, 0.75, 0, "share of an SM's places for warps that have one",                 \
              "Right, but most places for warps stay empty: leave the launch bound as it is, and give each " \
              "thread fewer values (lab 6, section 3, is about the other way). Blocks of 32 threads: an SM " \
              "holds 32 blocks at most; make them larger.",                                                  \
              .is_needed = true)
/* 0 -> 1 */
#define SHARED_BINS                                                                                          \
    LAB_BOUND("used_shared_requests_in", "input_lines", 0.8, 0,                                              \
              "loads from shared memory per warp of elements",                                               \
              "Right, but the bins are not in shared memory: declare them __shared__ float "                 \
              "bins[BINS][BLOCK], where thread t uses column t.",                                            \
              .is_needed = true)

/* ------------------------------------------------------------------------------------------- the stages */

#define STAGE(name)       .id = #name, LAB_CALLS(spaces_##name)
#define GIVEN(name)       STAGE(name), .is_given = true, .baseline = "baseline_" #name
#define AGAINST(name)     .baseline = "baseline_" #name
#define WORKS_ON(family)  .layout = family##_layout, .element = LAB_ANSWER(family##_element)
#define SIZES(large, all) .timed = LAB_CASE large, .middle = LAB_CASE all

#define FILTER  WORKS_ON(filter), SIZES((1 << 23, 1), (1 << 15, 1))
#define LOOKUP  WORKS_ON(lookup), SIZES((1 << 22, 1), (1 << 18, 1))
#define PICTURE SIZES((2048, 1024), (600, 400))
#define COLUMNS WORKS_ON(bins), SIZES((1 << 19, 1), (1 << 14, 1))
#define WALSH   WORKS_ON(walsh), SIZES((1 << 19, 1), (1 << 12, 1))
#define GATHER  SIZES((1 << 23, 1 << 23), (1 << 18, 1 << 18))
#define LARGE   WORKS_ON(large), SIZES((1 << 23, 1), (1 << 19, 1))

static const struct lab_stage stages[] = {
    {GIVEN(global), .title = "coefficients in global memory", FILTER},
    {
        STAGE(constant),
        .title = "coefficients in constant memory",
        AGAINST(global),
        FILTER,
        .todo = {1, .section = 1},
        .learned = "Constant memory gives one word to all lanes at once. For values that the whole warp "
                   "reads together it costs hardly more than a register.",
        .points = {.correct = 4, .clean = 1, .concept = 3},
        .bounds = {CONSTANT_TAPS},
        .speed = {{1.2, 4}},
        .hints =
            {{LAB_FAULT, "in has n + TAPS - 1 elements: element i + k exists for every i < n. Test i "
                         "before the loop."},
             {LAB_WRONG, "Is the constant array filled before the kernel starts? task.table is device "
                         "memory: cudaMemcpyToSymbol() needs cudaMemcpyDeviceToDevice as its last "
                         "argument, and sizeof taps bytes."},
             {LAB_LAUNCH,
              "cudaMemcpyToSymbol() takes the array by its name, the source, the bytes, the offset in the "
              "array and then the direction: taps, task.table, sizeof taps, 0, cudaMemcpyDeviceToDevice.",
              .about = "cudaMemcpyToSymbol"},
             {LAB_SLOW, "All lanes of a warp must read the same coefficient in the same instruction: "
                        "index the constant array with the loop's k alone."}},
    },
    {
        STAGE(read_only),
        .title = "the read-only path",
        AGAINST(global),
        .previous = "global",
        FILTER,
        .todo = {2, .section = 2},
        .learned = "Data that nobody writes during a kernel may take the read-only path. The compiler needs "
                   "a promise, and may then choose it by itself.",
        .points = {.correct = 3, .clean = 1, .concept = 4},
        .bounds = {READ_ONLY_LOADS, READ_ONLY_SHARE},
    },
    {GIVEN(wrong_constant), .title = "a table in constant memory", LOOKUP},
    {
        STAGE(moved),
        .title = "the table where it belongs",
        AGAINST(wrong_constant),
        LOOKUP,
        .todo = {3, .section = 3},
        .learned = "Lanes that read different constants take turns. A table with an index per lane belongs "
                   "into shared memory.",
        .points = {.correct = 4, .clean = 1, .concept = 3},
        .bounds = {SHARED_LOOKUPS},
        .speed = {{5.0, 4}},
        .hints =
            {{LAB_RACE, "A thread reads entries that others still write: __syncthreads() belongs between "
                        "filling the table and the first lookup."},
             {LAB_FAULT,
              "An entry is used before it is there: __syncthreads() belongs between filling the "
              "table and the "
              "first lookup, and all ENTRIES entries must be filled.",
              .about = ""},
             {LAB_UNINITIALISED,
              "Entries of the table are read that nobody wrote: threads past n returned before they copied "
              "theirs (return only after the barrier), or a block has fewer threads than ENTRIES (then each "
              "thread copies several)."},
             {LAB_WRONG, "Each element begins at first_entry(x, ENTRIES) and follows LOOKUPS entries with "
                         "next_entry(); only the place of the table changes."},
             {LAB_SLOW, "The lookups still go to constant memory, where 32 different words take 32 turns "
                        "(handout section 3)."}},
    },
    {GIVEN(zoom), .title = "a picture in global memory", PICTURE, WORKS_ON(picture)},
    {
        STAGE(texture),
        .title = "a texture that clamps",
        AGAINST(zoom),
        PICTURE,
        WORKS_ON(picture),
        .must_free = true,
        .todo = {4, .section = 4},
        .learned = "Textures take care of the edges in hardware: an address outside is clamped, and tests "
                   "disappear from the kernel.",
        .points = {.correct = 5, .clean = 2, .concept = 5},
        .bounds = {TEXTURE_FETCHES(0.2, 0,
                                   "Right, but the pixels do not come from a texture: make a texture object "
                                   "of task.in, and load with tex2D<float>()."),
                   NO_PLAIN_LOADS},
        .slowest = 0.6,
        .hints = {{LAB_LAUNCH,
                   "CUDA refused a call. task.in has a fit pitch, but task.pitch counts floats: "
                   "pitchInBytes is task.pitch * sizeof(float). Set both descriptions to {} first. "
                   "The resource has the type cudaResourceTypePitch2D; width and height in pixels "
                   "are those of the picture, source_size(n) and source_size(m)."},
                  {LAB_EDGE, "Pixels at the borders are wrong: addressMode[0] and addressMode[1] must be "
                             "cudaAddressModeClamp."},
                  {LAB_WRONG,
                   "Three things to look at: a pixel's middle is at + 0.5f, so pixel (column, row) "
                   "is tex2D<float>(texture, column + 0.5f, row + 0.5f); the address modes must "
                   "be cudaAddressModeClamp; the filter mode must be cudaFilterModePoint."}},
    },
    {
        STAGE(filter),
        .title = "a texture that interpolates",
        AGAINST(zoom),
        PICTURE,
        WORKS_ON(filtered),
        .must_free = true,
        .todo = {5, .section = 5},
        .learned = "The texture unit also interpolates, with few bits of fraction: four loads and the "
                   "arithmetic become one fetch, as far as that precision does.",
        .points = {.correct = 4, .clean = 1, .concept = 5},
        .bounds = {TEXTURE_FETCHES(0.2, 0.3,
                                   "Right, but each pixel of the result should take one fetch: "
                                   "cudaFilterModeLinear lets the texture unit load four pixels and mix "
                                   "them."),
                   NO_PLAIN_LOADS},
        .slowest = 0.6,
        .hints = {{LAB_LAUNCH,
                   "Pitch and width of the copy are in bytes; the picture is source_size(n) x source_size(m) "
                   "pixels.",
                   .about = "cudaMemcpy2DToArray"},
                  {LAB_LAUNCH,
                   "Linear filtering needs cudaReadModeElementType and a format of floats. Set both "
                   "descriptions to {} first; the resource has the type cudaResourceTypeArray.",
                   .about = "cudaCreateTextureObject"},
                  {LAB_WRONG,
                   "The point between the pixels is (source_of(x), source_of(y)): pass exactly that to "
                   "tex2D(), without + 0.5f and without floorf(). Coordinates must not be normalised, the "
                   "filter must be linear, and both address modes clamp."}},
    },
    {GIVEN(local), .title = "an array in local memory", COLUMNS},
    {
        STAGE(registers),
        .title = "the array in registers",
        AGAINST(local),
        COLUMNS,
        .todo = {6, .section = 6},
        .learned = "Registers have no addresses. An array stays in them only if every index is known when "
                   "the kernel is compiled.",
        .points = {.correct = 4, .clean = 1, .concept = 4},
        .bounds = {NO_LOCAL_SECTORS, NO_SHARED_BINS, NO_BINS_IN_MEMORY},
        .speed = {{2.2, 3}},
        .hints = {{LAB_WRONG, "In each iteration exactly one bin grows: add value where b equals "
                              "bin_of(value), and 0 elsewhere."},
                  {LAB_SLOW, "The array is still in local memory, or the loop has branches: unroll the loop "
                             "over all BINS bins, and choose with ?: what each bin adds."}},
    },
    {
        STAGE(columns),
        .title = "the array in shared memory",
        AGAINST(local),
        COLUMNS,
        .todo = {7, .section = 6},
        .learned = "Where an index must be computed, a thread's own column in shared memory does what local "
                   "memory did, without the way through the caches.",
        .points = {.correct = 4, .clean = 1, .concept = 2},
        .bounds = {SHARED_BINS, LAB_NO_CONFLICTS(0.1)},
        .speed = {{5.6, 3}},
        .hints = {{LAB_RACE, "Two threads use the same bins: thread t has column t alone, bins[b][t]."},
                  {LAB_LOST, "Two threads use the same bins: thread t has column t alone, bins[b][t]."},
                  {LAB_UNINITIALISED,
                   "The bins hold garbage at first: set all BINS bins of the thread to 0."},
                  {LAB_FAULT,
                   "Test i against n before a thread loads or stores: the last block is seldom "
                   "full. If it is the shared array: it needs BINS rows of as many floats as the "
                   "block has threads.",
                   .about = ""},
                  {LAB_SLOW, "Lanes of a warp meet at a bank: with bins[t][b], 32 lanes are 16 words apart. "
                             "Put the thread into the last index: bins[b][t]."}},
    },
    {GIVEN(spilling), .title = "more values than registers", WALSH},
    {
        STAGE(spill),
        .title = "fewer values per thread",
        AGAINST(spilling),
        WALSH,
        .todo = {8, .section = 7},
        .learned =
            "Work that needs more registers than a thread may have can be divided: over kernels, which "
            "costs another pass over memory, or over threads that exchange values in shared memory.",
        .points = {.correct = 3, .clean = 1, .concept = 1},
        .bounds = {LAB_NO_SPILLS, WARPS_KEPT}, /* 616 -> 0 */
        .speed = {{2.0, 2}, {4.0, 3}},
        .hints =
            {{LAB_NO_LAUNCH, "Write a kernel with RADIX values per thread, and launch it in spaces_spill "
                             "(TODO 8, handout section 7)."},
             {LAB_RACE, "A thread reads values that others still write: __syncthreads() belongs between "
                        "the stores to shared memory and the loads of the second transform."},
             {LAB_BARRIER, "Threads of columns beyond the end must come to the barrier too: do not return "
                           "early."},
             {LAB_UNINITIALISED, "A value is used before it is there: __syncthreads() belongs between the "
                                 "stores to shared memory and the loads of the second transform."},
             {LAB_WRONG, "Both halves of the transform are needed: first the 8 points that are "
                         "neighbours, then the 8 that are 8 apart, on the results of the first."},
             {LAB_SLOW, "ptxas -v still shows spill stores, or the work is done in two kernels that both go "
                        "through memory (in one kernel, 8 threads share a column and exchange their values "
                        "through shared memory), or lanes of a warp take points of one column: neighbouring "
                        "lanes should have neighbouring columns, in memory and in banks."}},
    },
    {GIVEN(random), .title = "a list in random order", GATHER, WORKS_ON(random)},
    {GIVEN(sorted), .title = "a list that is sorted", GATHER, WORKS_ON(sorted)},
    {
        STAGE(gather),
        .title = "which memory serves it?",
        .previous = "sorted",
        WORKS_ON(verdict),
        SIZES((1, 1), (1, 1)),
        .todo = {9, .section = 8},
        .learned = "A cache serves what is near in time or in space. Rates of loads tell which level "
                   "answered, and order decides about it.",
        .points = {.correct = 5},
        .hints = {{LAB_WRONG, "Not all answers are right. Measure again: build/lab7 random and build/lab7 "
                              "sorted with -n 8388608 "
                              "--all and the four sizes of -m (handout section 8)."},
                  {LAB_WRONG,
                   "Some answers are still to be given: write them into gather_answers. build/lab7 random "
                   "and build/lab7 "
                   "sorted with -n 8388608 --all and the four sizes of -m show them (handout section 8).",
                   .about = "not given yet"}},
    },
    {GIVEN(large_table), .title = "a table of 60 KB in global memory", LARGE},
    {
        STAGE(large_shared),
        .title = "more than 48 KB of shared memory",
        AGAINST(large_table),
        LARGE,
        .todo = {10, .section = 9},
        .learned = "More than the usual amount of shared memory must be asked for before the launch. It "
                   "costs resident blocks, and pays if the table is used often.",
        .points = {.correct = 4, .clean = 1, .concept = 2},
        .bounds = {SHARED_LOOKUPS, FEW_COPIES},
        .speed = {{1.3, 2}},
        .slowest = 1.1,
        .hints = {{LAB_LAUNCH,
                   "A block may have 48 KB of shared memory, and more only if you ask for it: before the "
                   "launch, call cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, "
                   "bytes), and pass the same bytes as the launch's third argument. GPUs from before 2017 "
                   "have no more: use global memory there."},
                  {LAB_LAUNCH,
                   "blocks_at_once() counted none: call it after cudaFuncSetAttribute(), with the same bytes "
                   "as the launch.",
                   .about = "empty grid"},
                  {LAB_RACE, "A thread reads entries that others still write: __syncthreads() belongs "
                             "between filling the table and the first lookup."},
                  {LAB_FAULT,
                   "The array needs LARGE_ENTRIES floats, and the launch's third argument is in "
                   "bytes; __syncthreads() belongs between filling the table and the first "
                   "lookup.",
                   .about = ""},
                  {LAB_PARTLY, "Elements are missing: a thread's next element is gridDim.x * blockDim.x "
                               "further."},
                  {LAB_SLOW, "Every block copies 60 KB before its first lookup: launch only as many blocks "
                             "as the GPU holds, of 1024 threads, and let each thread take many elements."}},
    },
};

/* ------------------------------------------------------------------------------------------- cases */

/* n and m. What they count is the stage's own: see the TODOs. */
static const struct lab_case cases[] = {
    LAB_CASE(1, 1),
    LAB_CASE(31, 3),
    LAB_CASE(32, 1),
    LAB_CASE(33, 8),
    LAB_CASE(64, 32), /* multiples of 32: the judge makes this call twice */
    LAB_CASE_OF("constant", 70001, 1),
    LAB_CASE_OF("read_only", 70001, 1),
    LAB_CASE_OF("moved", 70001, 1),
    LAB_CASE_OF("texture", 70001, 2),
    LAB_CASE_OF("texture", 3, 70001),
    LAB_CASE_OF("filter", 70001, 2),
    LAB_CASE_OF("filter", 3, 70001),
    LAB_CASE_OF("registers", 4099, 1),
    LAB_CASE_OF("columns", 4099, 1),
    LAB_CASE_OF("spill", 4099, 1),
    LAB_CASE_OF("large_shared", 70001, 1),
    LAB_CASE(257, 31),
    LAB_CASE(1000, 9),
};

static void call(const struct lab_run *run)
{
    ((spaces_fn *)run->stage->function)(task_of(run));
}

const struct lab lab = {
    .id = "lab7",
    .title = "memory spaces",
    .size_names = {"n", "m"},
    .size_options = {'n', 'm'},
    .size_words = {"n of the task: elements, or columns",
                   "m of the task: rows of a picture, or entries of a table"},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    .drawn = LAB_CASE(600, 40),
    .unit = "GB/s",
    .call = call,
};
