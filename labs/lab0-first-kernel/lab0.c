/* lab0.c - the driver of lab 0, first kernel: adding, host and device, errors, and bugs that pass a careless test.
 * The stage table is what an instructor changes; the kinds below it say what a stage's arrays are and how it is called.
 * Nothing here is about speed. */
#include "lab0.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/bounds.h"
#include "lab/lab.h"
#include "vgpu/vgpu.h"

#pragma weak vgpu_refuse_launches /* a real GPU refuses nothing without a reason */

enum { WIDTH, HEIGHT, FAULT }; /* count, threads: in kinds that have these instead */
enum { GROUP = 256, MOST_THREADS = 1024 };
/* Values of cudaError_t. */
enum { INVALID_VALUE = 1, INVALID_CONFIGURATION = 9, ILLEGAL_ADDRESS = 700, OUT_OF_RESOURCES = 701 };
/* Of a case: what goes wrong in it. */
enum { OUT_OF_BOUNDS = 1, REFUSED = 2 };
enum { FAR_AWAY = 1 << 30 }; /* an index behind all arrays of a case */

/* Stages of one kind have the same arrays and the same parameters. */
struct kind {
    lab_layout_fn *layout;
    lab_call_fn *call;
    lab_describe_fn *describe;
};
static const struct kind array_kind, signed_kind, groups_kind, add_kind, home_kind, add_2d_kind, rows_kind,
    checked_kind;

static lab_element_fn copied, doubled, added, reversed, neighbours, group_sum, group_changes, row_sum,
    clipped, gathered;
static lab_recognise_fn recognise_report;

/* ------------------------------------------------------------------------------------------- the stages */

#define STAGE(name) .id = #name, LAB_CALLS(run_##name)
/* A bug that gives right results all the same: only a clean run earns points. */
#define REPAIRED .points = {.clean = 6}
/* Words for several symptoms. */
#define ASK_TWICE                                                                                            \
    "report->launch is what cudaGetLastError() returns after the launch, report->kernel what "               \
    "cudaDeviceSynchronize() returns, in this order."
#define UNWRITTEN                                                                                            \
    "Elements of `out` are never written, and keep what was there before. A kernel must write every "        \
    "element of its output, the zeros too."

static const struct lab_stage stages[] = {
    {
        STAGE(copy),
        .title = "a copy, one element per thread",
        .own = &array_kind,
        .element = LAB_ANSWER(copied),
        .is_given = true,
    },
    {
        STAGE(add),
        .title = "add two arrays of any length",
        .own = &add_kind,
        .element = LAB_ANSWER(added),
        .todo = {1, .section = 2},
        .learned = "A thread finds its element from blockIdx, blockDim and threadIdx. The grid is rounded "
                   "up, so every index is tested before it is used.",
        .baseline = "baseline_run_per_thread",
        .is_first = true,
        .timed = LAB_CASE(1 << 24),
        .middle = LAB_CASE((1 << 20) + 3),
        .points = {.correct = 6, .clean = 3, .concept = 3},
        .bounds = {LAB_LANES_LOAD},
        .slowest =
            0.5, /* few blocks take longer than runs of elements by all: that much is theirs to choose */
        .hints = {{LAB_CONCEPT,
                   "Right, but one thread adds all elements, one after the other. Launch a thread for each: "
                   "thread number blockIdx.x * blockDim.x + threadIdx.x adds one (handout section 2)."},
                  {LAB_SLOW,
                   "Right, but by a few threads only, one element after the other. Launch a thread for each: "
                   "(count + THREADS - 1) / THREADS blocks (handout section 2)."},
                  {LAB_FAULT,
                   "The last block has more threads than there are elements left: a thread may touch "
                   "element i only if i < count."},
                  {LAB_PARTLY, "Some elements are never written. Round the number of blocks up, "
                               "(count + THREADS - 1) / THREADS, and compute the index over all blocks: "
                               "blockIdx.x * blockDim.x + threadIdx.x."},
                  {LAB_WRONG, "Thread number blockIdx.x * blockDim.x + threadIdx.x adds a[i] and b[i] into "
                              "out[i]: is each of the three indexes that i?"}},
    },
    {
        STAGE(add_2d),
        .title = "add two 2-D arrays, coalesced",
        .own = &add_2d_kind,
        .element = LAB_ANSWER(added),
        .baseline = "baseline_columns",
        .is_first = true,
        .timed = LAB_CASE(8192, 4096),
        .middle = LAB_CASE(1021, 1031),
        .todo = {2, .section = 3},
        .learned = "In two dimensions threadIdx.x runs along a row: the threads of a warp then touch "
                   "neighbouring elements, and no byte is fetched in vain.",
        .points = {.correct = 6, .clean = 3, .concept = 5},
        .bounds = {LAB_LOADS_ONCE(1.05), LAB_STORES_ONCE(1.05)},
        .hints = {{LAB_FAULT,
                   "The index is wrong, not the test: element (x, y) has index y * width + x, for a row is "
                   "`width` long.",
                   .about = "the index is computed wrongly"},
                  {LAB_FAULT, "Both directions need a test, x < width and y < height. Element (x, y) has "
                              "index y * width + x: a row is `width` long."},
                  {LAB_PARTLY, "Some elements are never written. The direction of the grid that gives x must "
                               "cover `width`, the one that gives y must cover `height`: round both up. And "
                               "element (x, y) has index y * width + x: a row is `width` long."},
                  {LAB_LAUNCH, "The message above says what was refused. A block has at most 1024 threads in "
                               "all, and a grid at most 65535 blocks in y and in z."},
                  {LAB_EDGE, "Element (x, y) has index y * width + x: a row is `width` long, not height and "
                             "not blockDim.x. And is the test y < height there?"},
                  {LAB_WRONG, "Element (x, y) has index y * width + x: a row is `width` long."},
                  {LAB_CONCEPT,
                   "Right, but the 32 threads of a warp touch 32 different rows. threadIdx.x must "
                   "run along a row: take x from threadIdx.x, and y from threadIdx.y (handout "
                   "section 3)."}},
    },
    {
        STAGE(round_trip),
        .title = "from host to device and back",
        .own = &home_kind,
        .element = LAB_ANSWER(added),
        .must_free = true,
        .todo = {3, .section = 4},
        .learned = "Host and device have memories of their own. Data goes there by a copy, comes back by a "
                   "copy, and what was allocated is given back.",
        .points = {.correct = 10, .clean = 6},
        .hints =
            {{LAB_NO_LAUNCH, "Allocate, copy, launch, copy back, free: write them into run_round_trip, in "
                             "this order (TODO 3, handout section 4)."},
             {LAB_LAUNCH,
              "The message above says which call cannot work. Copy host arrays with cudaMemcpy(), with "
              "sizes in bytes; pass kernels only pointers from cudaMalloc()."},
             {LAB_FAULT, "An array on the device is too small, or the wrong pointer was passed: sizes of "
                         "cudaMalloc() are in bytes, count * sizeof(float)."},
             {LAB_UNTOUCHED, "Nothing came back to `out`. If TODO 3 is still open, begin there (handout "
                             "section 4); if it is done, is the last copy there, from the device to `out`?"},
             {LAB_PARTLY, "Only a part came back. Sizes of cudaMalloc() and cudaMemcpy() are in bytes: "
                          "count * sizeof(float)."},
             {LAB_UNINITIALISED,
              "The kernel reads device memory that nobody filled: both inputs must be "
              "copied to the device before the launch, whole: count * sizeof(float) bytes."},
             {LAB_LEAK, "Right, but device memory is not freed: each of the three cudaMalloc() needs a "
                        "cudaFree(), after the last copy."},
             {LAB_WRONG,
              "The host's arrays and the device's come in pairs: a to its copy, b to its copy, and "
              "the result back to `out`. What host code itself computes does not count."}},
    },
    {
        STAGE(checked),
        .title = "report launch errors and kernel errors",
        .own = &checked_kind,
        .element = LAB_ANSWER(gathered),
        .recognise = LAB_ANSWER(recognise_report),
        .is_executed = true,
        .todo = {4, .section = 5},
        .learned = "A launch returns nothing: what was wrong with it is asked for behind it, and what went "
                   "wrong inside the kernel only shows when somebody waits for it.",
        .points = {.correct = 11, .clean = 3},
        .hints =
            {{LAB_FAULT,
              "In a case with an index out of bounds the kernel must fault, and you report it. " ASK_TWICE
              " In any other case, compare the arguments with gather_kernel in lab0.h."},
             {LAB_UNTOUCHED, "The report was not filled. If TODO 4 is still open, begin there (handout "
                             "section 5)."},
             {LAB_PARTLY,
              "Threads are missing: the grid has (count + threads - 1) / threads blocks, and a block "
              "has `threads` threads, not THREADS.",
              .about = "out["},
             {LAB_PARTLY, "A field was not set: set both fields of the report every time."},
             {LAB_LAUNCH,
              "The message above says what was refused. Here the program must not end: put the "
              "error into the report, and do not use CHECK() or CHECK_LAUNCH(). The grid has "
              "(count + threads - 1) / threads blocks.",
              .about = ""},
             {LAB_NO_LAUNCH, "Launch gather_kernel of lab0.h in run_checked, and fill the report (TODO 4, "
                             "handout section 5)."},
             {LAB_EDGE, ASK_TWICE},
             {LAB_WRONG, ASK_TWICE}},
    },
    {
        STAGE(twice),
        .is_hunt = true,
        .title = "repair: twice each element",
        .own = &array_kind,
        .element = LAB_ANSWER(doubled),
        .todo = {5, .section = 6},
        .learned = "The last block is only partly filled. A checker names the thread that leaves the array; "
                   "a result alone may look right for years.",
        REPAIRED,
        .hints = {{LAB_FAULT,
                   "One thread of the last block goes too far. Which indexes does an array of count "
                   "elements have?"}},
    },
    {
        STAGE(reverse),
        .is_hunt = true,
        .title = "repair: groups, reversed",
        .own = &array_kind,
        .element = LAB_ANSWER(reversed),
        .todo = {6, .section = 7},
        .learned = "A barrier orders what threads of a block write and what others read. Without it a result "
                   "depends on which warp comes first.",
        REPAIRED,
        .hints = {{LAB_RACE, "A thread reads what another one wrote. Between the two, all must wait: "
                             "__syncthreads(), outside of any if."},
                  {LAB_UNINITIALISED, "A thread reads a place of the tile before another one has filled it. "
                                      "Between the two, all must wait: __syncthreads(), outside of any if."},
                  {LAB_BARRIER, "All threads of the block must reach the barrier, also those that have no "
                                "element: keep it out of the if."}},
    },
    {
        STAGE(row_sums),
        .is_hunt = true,
        .title = "repair: the sum of each row",
        .own = &rows_kind,
        .element = LAB_ANSWER(row_sum),
        .todo = {7, .section = 8},
        .learned = "All threads of a block must come to the same barrier the same number of times: nothing "
                   "may leave the loop or skip a part of it before.",
        REPAIRED,
        .hints = {{LAB_BARRIER,
                   "Threads that have nothing to add must still reach both barriers, in each iteration "
                   "of the loop: no `continue` and no `return` before them. Their part is 0."},
                  {LAB_RACE,
                   "Both barriers are needed: one before thread 0 reads the parts, one before others "
                   "overwrite them in the next iteration."},
                  {LAB_UNINITIALISED,
                   "Thread 0 adds up parts that nobody wrote: let each thread write its part, "
                   "0 where it has nothing to add."}},
    },
    {
        STAGE(neighbours),
        .is_hunt = true,
        .title = "repair: sums of three neighbours",
        .own = &array_kind,
        .element = LAB_ANSWER(neighbours),
        .todo = {8, .section = 9},
        .learned = "Shared memory has no guard: an index past its end lands in the neighbour's data. The "
                   "size that the kernel uses and the size that it was given must be the same.",
        REPAIRED,
        .hints = {{LAB_FAULT, "Count the places of the tile: one for each thread, and one more on each side.",
                   .about = "in shared memory"},
                  {LAB_WRONG,
                   "Places of the tile are shifted by one: place t + 1 belongs to thread t, and place 0 "
                   "to the neighbour on the left."}},
    },
    {
        STAGE(group_sums),
        .is_hunt = true,
        .title = "repair: the sum of each group",
        .own = &groups_kind,
        .element = LAB_ANSWER(group_sum),
        .todo = {9, .section = 10},
        .learned = "Memory that was just allocated holds anything. What is added to must be set first, once, "
                   "before anybody adds.",
        REPAIRED,
        .hints =
            {{LAB_UNINITIALISED, "Shared memory holds whatever an earlier block left there: one thread must "
                                 "set the sum to 0, and all must wait before the first one adds."},
             {LAB_RACE, "One thread sets the sum to 0 while others already add to it: put a "
                        "__syncthreads() between the two."},
             {LAB_LOST,
              "Threads undo each other's work. Adding takes atomicAdd(); the start value 0 is set by one "
              "thread, and all wait before the first one adds."}},
    },
    {
        STAGE(clip),
        .is_hunt = true,
        .title = "repair: what is positive",
        .own = &signed_kind,
        .element = LAB_ANSWER(clipped),
        .todo = {10, .section = 11},
        .learned = "Device memory keeps what the last run left in it. A test that finds yesterday's right "
                   "result proves nothing: clear the output before each run.",
        .points = {.correct = 4, .clean = 2},
        .hints = {{LAB_PARTLY, UNWRITTEN}, {LAB_UNTOUCHED, UNWRITTEN}, {LAB_EDGE, UNWRITTEN}},
    },
    {
        STAGE(changes),
        .is_hunt = true,
        .title = "repair: nobody says what",
        .own = &groups_kind,
        .element = LAB_ANSWER(group_changes),
        .todo = {11, .section = 12},
        .learned =
            "A kernel may have several bugs, each of which hides behind right results. Repair one, run the "
            "checker again, and stop when it finds nothing at any size.",
        .points = {.clean = 8},
        .hints = {{LAB_FAULT, "Which elements have a next one?"},
                  {LAB_UNINITIALISED, "Which threads of the last block give their place a value?"},
                  {LAB_RACE,
                   "Lanes of a warp need not run in step: what orders the write of one and the read of "
                   "another?"},
                  {LAB_BARRIER, "All threads of the block must reach each barrier."},
                  {LAB_WRONG, "The last element of the array has no next one: it changes by 0."}},
    },
};

/* ------------------------------------------------------------------------------------------- what is right */

/* An element of an input that may lie outside of it. */
static double at(const struct lab_run *run, int index, long i, long count)
{
    return i >= 0 && i < count ? lab_at(run, index, (size_t)i) : 0;
}

static double sum(const struct lab_run *run, size_t first, long count)
{
    double total = 0;
    for (long i = 0; i < count; i++)
        total += lab_at(run, 1, first + (size_t)i);
    return total;
}

/* Elements of the group that begins at `first`; the last one may be shorter. */
static long group_length(const struct lab_run *run, long first)
{
    const long left = run->size[WIDTH] - first;
    return left < GROUP ? left : GROUP;
}

static bool copied(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = lab_at(run, 1, i);
    return true;
}

static bool doubled(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = 2 * lab_at(run, 1, i);
    return true;
}

static bool added(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = lab_at(run, 1, i) + lab_at(run, 2, i);
    return true;
}

static bool reversed(const struct lab_run *run, int index, size_t i, double *value)
{
    const long first = (long)i / GROUP * GROUP, place = (long)i - first;
    (void)index;
    *value = lab_at(run, 1, (size_t)(first + group_length(run, first) - 1 - place));
    return true;
}

static bool neighbours(const struct lab_run *run, int index, size_t i, double *value)
{
    const long count = run->size[WIDTH], middle = (long)i;
    (void)index;
    *value = at(run, 1, middle - 1, count) + at(run, 1, middle, count) + at(run, 1, middle + 1, count);
    return true;
}

static bool group_sum(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = sum(run, i * GROUP, group_length(run, (long)i * GROUP));
    return true;
}

static bool group_changes(const struct lab_run *run, int index, size_t i, double *value)
{
    const long first = (long)i * GROUP, count = run->size[WIDTH];
    (void)index;
    *value = 0;
    for (long k = first; k < first + GROUP && k + 1 < count; k++)
        *value += fabs(at(run, 1, k + 1, count) - at(run, 1, k, count));
    return true;
}

static bool row_sum(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = sum(run, i * (size_t)run->size[WIDTH], run->size[WIDTH]);
    return true;
}

static bool clipped(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = lab_at(run, 1, i) > 0 ? lab_at(run, 1, i) : 0;
    return true;
}

static bool is_refused(const struct lab_run *run)
{
    return run->size[HEIGHT] > MOST_THREADS;
}

static bool is_faulty(const struct lab_run *run)
{
    return run->size[FAULT] == OUT_OF_BOUNDS && !is_refused(run);
}

/* By the virtual GPU, on which all submissions are asked: no argument tells that it will be. */
static bool is_refused_in_secret(const struct lab_run *run)
{
    return run->size[FAULT] == REFUSED && !is_refused(run);
}

/* Output 0 is the report, output 1 the array. */
static bool gathered(const struct lab_run *run, int index, size_t i, double *value)
{
    const int report[] = {is_refused(run)             ? INVALID_VALUE
                          : is_refused_in_secret(run) ? OUT_OF_RESOURCES
                                                      : 0,
                          is_faulty(run) ? ILLEGAL_ADDRESS : 0};
    *value = index == 0 ? report[i] : lab_at(run, 2, (size_t)lab_at(run, 3, i));
    return true;
}

/* What a wrong report looks like. The poison that it came with is -1. */
static const char *recognise_report(const struct lab_run *run, int index, const void *expected)
{
    const int *got = run->buffers[index].host, *right = expected;
    if (index != 0)
        return NULL;
    if (is_refused(run) && got[0] == 0)
        return "a block of more than 1024 threads was asked for, and report->launch says that all is well: "
               "launch with "
               "`threads` threads in a block, then call cudaGetLastError()";
    if (is_refused_in_secret(run) && got[0] == 0)
        return "the GPU refused the launch for want of resources, which no argument shows, and "
               "report->launch says "
               "that all is well: launch the kernel every time, then call cudaGetLastError()";
    if ((is_refused(run) || is_refused_in_secret(run)) && got[1] == right[0])
        return "the error of the refused launch is in report->kernel, too: take report->kernel from "
               "cudaDeviceSynchronize(), after "
               "cudaGetLastError() has returned and cleared the error of the launch";
    if (is_faulty(run) && got[1] == 0)
        return "the kernel faulted, and report->kernel says that all is well: only a call that waits for the "
               "kernel, such "
               "as cudaDeviceSynchronize(), returns its error";
    if (is_faulty(run) && got[0] == right[1])
        return "the kernel's fault is in report->launch, but the launch was accepted: call "
               "cudaGetLastError() before "
               "you wait for the kernel";
    return NULL;
}

/* ------------------------------------------------------------------------------------------- kinds */

static int count_of(const struct lab_run *run)
{
    return (int)run->size[WIDTH];
}

static void describe_count(const struct lab_run *run, char *out, size_t size)
{
    snprintf(out, size, "count %d", count_of(run));
}

static void describe_rows(const struct lab_run *run, char *out, size_t size)
{
    snprintf(out, size, "width %ld, height %ld", run->size[WIDTH], run->size[HEIGHT]);
}

static void describe_launch(const struct lab_run *run, char *out, size_t size)
{
    snprintf(out, size, "count %d, threads %ld%s", count_of(run), run->size[HEIGHT],
             is_faulty(run)              ? ", an index out of bounds"
             : is_refused_in_secret(run) ? ", refused by the GPU"
                                         : "");
}

static void *pointer(const struct lab_run *run, int index)
{
    return run->buffers[index].device;
}

/* ---- one array in, one out */

static void lay_arrays(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", count_of(run));
    lab_add(run, LAB_IN, LAB_FLOAT, "in", count_of(run));
}

static void lay_signed(struct lab_run *run)
{
    lay_arrays(run);
    run->buffers[0].is_exact = true;
    run->buffers[1].low = -1;
}

static void lay_groups(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", (count_of(run) + GROUP - 1) / GROUP)->operations = GROUP;
    lab_add(run, LAB_IN, LAB_FLOAT, "in", count_of(run));
}

static void call_array(const struct lab_run *run)
{
    ((array_fn *)run->stage->function)(pointer(run, 0), pointer(run, 1), count_of(run));
}

/* ---- two arrays in, one out */

static void lay_add(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", count_of(run));
    lab_add(run, LAB_IN, LAB_FLOAT, "a", count_of(run));
    lab_add(run, LAB_IN, LAB_FLOAT, "b", count_of(run));
}

static void lay_home(struct lab_run *run)
{
    lay_add(run);
    for (int i = 0; i < run->nbuffers; i++)
        run->buffers[i].is_host = true;
}

static void call_add(const struct lab_run *run)
{
    ((add_fn *)run->stage->function)(pointer(run, 0), pointer(run, 1), pointer(run, 2), count_of(run));
}

static void lay_add_2d(struct lab_run *run)
{
    lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", run->size[WIDTH], run->size[HEIGHT]);
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "a", run->size[WIDTH], run->size[HEIGHT]);
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "b", run->size[WIDTH], run->size[HEIGHT]);
}

static void call_add_2d(const struct lab_run *run)
{
    ((add_2d_fn *)run->stage->function)(pointer(run, 0), pointer(run, 1), pointer(run, 2), count_of(run),
                                        (int)run->size[HEIGHT]);
}

/* ---- rows */

static void lay_rows(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", run->size[HEIGHT])->operations = (int)run->size[WIDTH];
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", run->size[WIDTH], run->size[HEIGHT]);
}

static void call_rows(const struct lab_run *run)
{
    ((rows_fn *)run->stage->function)(pointer(run, 0), pointer(run, 1), count_of(run),
                                      (int)run->size[HEIGHT]);
}

/* ---- a launch that may fail: then the report is all that is asked for */

static void lay_checked(struct lab_run *run)
{
    const bool is_bad = is_refused(run) || is_faulty(run) || is_refused_in_secret(run);
    struct lab_buffer *report = lab_add(run, LAB_OUT, LAB_INT, "report", 2);
    report->is_host = report->is_said = true;
    lab_add(run, is_bad ? LAB_SCRATCH : LAB_OUT, LAB_FLOAT, "out", count_of(run))->is_exact = !is_bad;
    lab_add(run, LAB_IN, LAB_FLOAT, "in", count_of(run));
    struct lab_buffer *where = lab_add(run, LAB_IN, LAB_INT, "where", count_of(run));
    where->low = is_faulty(run) ? FAR_AWAY : 0;
    where->high = where->low + (count_of(run) > 1 ? count_of(run) - 1 : 0.5); /* a range, but of one index */
}

/* Which of two names a launch with too many threads has depends on CUDA's version, and on how it is asked for. */
static void call_checked(const struct lab_run *run)
{
    struct report *report = pointer(run, 0);
    if (vgpu_refuse_launches)
        vgpu_refuse_launches(is_refused_in_secret(run) ? OUT_OF_RESOURCES : 0);
    ((checked_fn *)run->stage->function)(report, pointer(run, 1), pointer(run, 2), pointer(run, 3),
                                         count_of(run), (int)run->size[HEIGHT]);
    if (vgpu_refuse_launches)
        vgpu_refuse_launches(0);
    if (report->launch == INVALID_CONFIGURATION)
        report->launch = INVALID_VALUE;
    /* A real GPU has launched it: there, that all is well is the right report. */
    if (!vgpu_refuse_launches && is_refused_in_secret(run) && report->launch == 0)
        report->launch = OUT_OF_RESOURCES;
}

static const struct kind array_kind = {lay_arrays, call_array, describe_count},
                         signed_kind = {lay_signed, call_array, describe_count},
                         groups_kind = {lay_groups, call_array, describe_count},
                         add_kind = {lay_add, call_add, describe_count},
                         home_kind = {lay_home, call_add, describe_count},
                         add_2d_kind = {lay_add_2d, call_add_2d, describe_rows},
                         rows_kind = {lay_rows, call_rows, describe_rows},
                         checked_kind = {lay_checked, call_checked, describe_launch};

/* ------------------------------------------------------------------------------------------- cases and the lab */

/* Width and height; or count; or count, threads of a block, and whether an index is out of bounds. */
static const struct lab_case cases[] = {
    LAB_CASE(1024, 64),
    LAB_CASE(32, 32),
    LAB_CASE(1, 1),
    LAB_CASE(31, 3),
    LAB_CASE(33, 65),
    LAB_CASE_OF("checked", 1000, 2048),
    LAB_CASE_OF("checked", 1000, 128, OUT_OF_BOUNDS),
    LAB_CASE_OF("checked", 77, 1025),
    LAB_CASE_OF("checked", 1000, 128, REFUSED),
    LAB_CASE_OF("checked", 5000, 1024, OUT_OF_BOUNDS),
    LAB_CASE_OF("round_trip", 100003),
    LAB_CASE_OF("add_2d", 3, 70001),
    LAB_CASE_OF("add_2d", 70001, 2),
    LAB_CASE_OF("row_sums", 3, 70001),
    LAB_CASE_OF("row_sums", 257, 40),
    LAB_CASE_OF("twice", 257),
    LAB_CASE_OF("reverse", 257),
    LAB_CASE_OF("neighbours", 257),
    LAB_CASE_OF("group_sums", 257),
    LAB_CASE_OF("changes", 257),
    LAB_CASE_OF("changes", 512),
    LAB_CASE(1000, 100),
};

static const struct kind *kind_of(const struct lab_run *run)
{
    return run->stage->own;
}

static void layout(struct lab_run *run)
{
    kind_of(run)->layout(run);
}

/* A function of one stage may stand in the place of another's: where it has other parameters, it is not called. */
static bool has_other_parameters(const struct lab_run *run)
{
    for (int i = 0; i < LAB_COUNT(stages); i++)
        if (!strcmp(stages[i].entry, run->stage->entry))
            return ((const struct kind *)stages[i].own)->call != kind_of(run)->call;
    return false;
}

static void call(const struct lab_run *run)
{
    if (!has_other_parameters(run))
        kind_of(run)->call(run);
}

static void describe(const struct lab_run *run, char *out, size_t size)
{
    kind_of(run)->describe(run, out, size);
}

const struct lab lab = {
    .id = "lab0",
    .title = "first kernel",
    .size_names = {"count", "rows or threads", "fault"},
    .size_options = {'n', 'm', 'f'},
    .size_words = {"elements; of a matrix, columns", "rows, or threads of a block",
                   "1: an index out of bounds; 2: refused, if the GPU is virtual"},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    .timed = LAB_CASE(4096, 64),
    .drawn = LAB_CASE(700, 40),
    .grain = LAB_CASE(37, 41),
    .unit = "GB/s",
    .is_own_work = true,
    .layout = layout,
    .call = call,
    .describe = describe,
};
