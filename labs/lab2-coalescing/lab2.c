/* lab2.c - the driver of lab 2, coalescing: walks through global memory.
 * The stage table below is what an instructor changes; what lies in memory and what is right stands in walks.c.
 * All stages derive their data from the same four sizes, so one timed case serves them all. */
#include <stdio.h>

#include "lab/bounds.h"
#include "lab/lab.h"
#include "walks.h"

/* ------------------------------------------------------------------------------------------- the stages */

#define STAGE(name) .id = #name, LAB_CALLS(walk_##name)
#define GIVEN(name) STAGE(name), .is_given = true
/* Edges may cost something; a walk that is not aligned needs 1.25 times the least. */
#define COALESCED(most) LAB_LOADS_ONCE(most), LAB_STORES_ONCE(most)

static const struct lab_stage stages[] = {
    {GIVEN(strided), .title = "a run of elements per thread", .baseline = "baseline_strided",
     .own = &line_walk, .element = LAB_ANSWER(line_element)},
    {
        STAGE(unit),
        .title = "unit stride",
        .own = &line_walk,
        .element = LAB_ANSWER(line_element),
        .baseline = "baseline_strided",
        .todo = {1, .section = 2},
        .points = {.correct = 4, .clean = 1, .concept = 4},
        /* Half of what the first step takes: no time makes up for more, whichever blocks are better. */
        .bounds = {COALESCED(1.06), LAB_LOADS_ONCE(4.5, .is_needed = true)},
        .speed = {{3.0, 3}},
        .hints = {{LAB_FAULT, "A thread left its array: the last block is only partly used, so test the "
                              "index against shape.count first."},
                  {LAB_PARTLY,
                   "Elements are missing: round the number of blocks up, and count what each thread does."},
                  {LAB_WRONG, "out[i] is scaled(in[i]), with the same i on both sides."},
                  {LAB_CONCEPT, "Right, but too many sectors: threadIdx.x must change the index by 1, so "
                                "that lane k of a warp takes element first + k. A thread's second element is "
                                "a whole block away, not next door (handout section 2)."}},
    },
    {GIVEN(offset), .title = "an offset, as it comes", .baseline = "baseline_offset", .own = &offset_walk,
     .element = LAB_ANSWER(line_element)},
    {
        STAGE(aligned),
        .title = "an offset, aligned",
        .own = &offset_walk,
        .element = LAB_ANSWER(line_element),
        .baseline = "baseline_offset",
        .todo = {2, .section = 3},
        .points = {.correct = 5, .clean = 2, .concept = 6},
        .bounds = {COALESCED(1.1)},
        .hints =
            {{LAB_FAULT, "A thread left its array: the last element is offset + count - 1."},
             {LAB_PARTLY, "Threads begin before the offset, so the grid must hold more than count; and test "
                          "both ends, i >= offset and i < offset + count."},
             {LAB_WRONG, "Elements before the offset are not yours and must stay as they are; out[i] is "
                         "scaled(in[i]) from offset to offset + count - 1."},
             {LAB_CONCEPT,
              "Right, but warps still begin in the middle of a sector: each needs 5 sectors for 4 sectors' "
              "worth. Let thread 0 stand at the last multiple of 32 before the offset (handout section 3)."}},
    },
    {GIVEN(aos), .title = "an array of structures", .baseline = "baseline_aos", .own = &aos_walk,
     .element = LAB_ANSWER(aos_element), .work = soa_work},
    {
        STAGE(soa),
        .title = "a structure of arrays",
        .own = &soa_walk,
        .element = LAB_ANSWER(soa_element),
        .work = soa_work,
        .baseline = "baseline_aos",
        .answer = "baseline_soa",
        .todo = {3, .section = 4},
        .points = {.correct = 5, .clean = 1, .concept = 4},
        .bounds = {LAB_LOADS_ONCE(1.06 * FIELDS_USED / FIELDS), LAB_STORES_ONCE(1.06)},
        .speed = {{1.2, 4}},
        .hints = {{LAB_FAULT, "A thread left its array: test the index against shape.count, and mind that "
                              "the pitch counts bytes while a float pointer moves by 4 of them."},
                  {LAB_PARTLY, "Particles are missing: one output per particle, shape.count of them."},
                  {LAB_WRONG, "Field f of particle i lies f * pitch bytes and i floats after `in`; vx, vy, "
                              "vz and mass are fields 3 to 6."},
                  {LAB_CONCEPT, "Right, but too many sectors: neighbouring threads must take neighbouring "
                                "particles, and no field that the formula does not need."},
                  {LAB_SLOW, "Only vx, vy, vz and mass should travel: 16 of a particle's 28 bytes."}},
    },
    {GIVEN(down), .title = "2-D, down the columns", .baseline = "baseline_down", .own = &pitched_walk,
     .element = LAB_ANSWER(pitched_element), .work = pitched_work},
    {
        STAGE(pitched),
        .title = "2-D, along padded rows",
        .own = &pitched_walk,
        .element = LAB_ANSWER(pitched_element),
        .work = pitched_work,
        .baseline = "baseline_down",
        .todo = {4, .section = 5},
        .points = {.correct = 5, .clean = 2, .concept = 4},
        .bounds = {COALESCED(1.08)},
        .speed = {{3.0, 3}},
        .hints = {{LAB_FAULT, "A thread left its array. The pitch counts bytes: move a char pointer by y * "
                              "pitch, then take element x of the float pointer that it becomes."},
                  {LAB_PARTLY,
                   "x goes up to width, y up to height, and both numbers of blocks are rounded up."},
                  {LAB_WRONG, "Row y begins y * pitch BYTES after the array's begin; the padding behind "
                              "column width - 1 is not yours and must stay as it is."},
                  {LAB_CONCEPT, "Right, but too many sectors: threadIdx.x must run along x, and a warp "
                                "should begin at a multiple of 32 columns. One flat index over all elements "
                                "does not: rows are padded, and warps straddle them."},
                  {LAB_SLOW, "threadIdx.x must run along x, not along y."}},
    },
    {GIVEN(rows), .title = "a row per thread", .baseline = "baseline_rows", .own = &rows_walk,
     .element = LAB_ANSWER(rows_element)},
    {
        STAGE(column),
        .title = "a column per thread, transposed",
        .own = &column_walk,
        .element = LAB_ANSWER(column_element),
        .baseline = "baseline_rows",
        .answer = "baseline_column",
        .todo = {5, .section = 6},
        .points = {.correct = 5,
                   .clean = 1,
                   .concept = 8}, /* an H200's L1 hides the time that the scattered walk costs */
        .bounds = {LAB_LOADS_ONCE(1.06)},
        .hints = {{LAB_FAULT, "A thread left its array: threads are counted by width, the loop by height, "
                              "and the pitch counts bytes."},
                  {LAB_PARTLY, "Sums are missing: one thread per column, width of them."},
                  {LAB_WRONG, "out[i] is the sum over k of element i of row k: the thread stays in its "
                              "column and goes down."},
                  {LAB_CONCEPT, "Right, but too many sectors: in every step of the loop the lanes of a warp "
                                "must stand side by side in one row."}},
    },
    {GIVEN(nested), .title = "a line of a 4-D array per thread", .baseline = "baseline_nested",
     .own = &flat_walk, .element = LAB_ANSWER(flat_element)},
    {
        STAGE(flat),
        .title = "a 4-D array under one index",
        .own = &flat_walk,
        .element = LAB_ANSWER(flat_element),
        .baseline = "baseline_nested",
        .todo = {6, .section = 7},
        .points = {.correct = 5, .clean = 2, .concept = 3},
        .bounds = {COALESCED(1.06)},
        .speed = {{4.0, 4}},
        .hints = {{LAB_FAULT, "A thread left its array: it has n[0] * n[1] * n[2] * n[3] elements."},
                  {LAB_PARTLY, "Elements are missing: the grid must hold the product of all four sizes."},
                  {LAB_WRONG, "Split from the fastest index on: i0 is the remainder by n[0], then divide by "
                              "n[0], and so on. The weights are 1, 2, 3 and 4."},
                  {LAB_CONCEPT, "Right, but too many sectors: let the flat index be the thread's number, and "
                                "compute the four indexes from it, not the other way round."},
                  {LAB_SLOW,
                   "Integer divisions are subroutines. Use unsigned numbers, get the remainder from the "
                   "quotient, or split once and let several elements per thread carry on from there."}},
    },
    {
        STAGE(vector),
        .title = "16 bytes per thread",
        .own = &offset_walk,
        .element = LAB_ANSWER(line_element),
        .baseline = "baseline_offset",
        .previous = "aligned",
        .todo = {7, .section = 8},
        .points = {.correct = 7, .clean = 2, .concept = 4},
        .bounds = {LAB_VECTOR_LOADS, COALESCED(1.1)},
        .speed = {{1.28, 6}},
        .hints = {{LAB_FAULT, "A float4 needs all 4 of its elements inside the array: what comes before the "
                              "first whole one and after the last is done float by float."},
                  {LAB_MISALIGNED, "A float4 lies at a multiple of 16 bytes, that is of 4 elements: what "
                                   "comes before the first such place is done float by float."},
                  {LAB_PARTLY, "Up to 3 elements before the first whole vector and up to 3 after the last "
                               "are done float by float."},
                  {LAB_WRONG, "Only elements from offset to offset + count - 1 change; the others are not "
                              "yours and must stay as they are."},
                  {LAB_CONCEPT,
                   "Right, but not with 16 bytes per thread: a warp's load of float4 covers 16 sectors. "
                   "Begin at a multiple of 32 elements, so that none is fetched twice."},
                  {LAB_SLOW, "One float per thread leaves too few bytes under way. Load and store float4."}},
    },
};

/* ------------------------------------------------------------------------------------------- cases and functions */

/* Width, height, depth, offset. The offset matters to aligned and vector only; soa takes half of the elements as particles,
 * column a fifteenth as sums: their own cases bring them to the edges as well. The first one leaves no element of any output
 * unwritten, so that an empty stage is told from one that forgets elements. */
static const struct lab_case cases[] = {
    LAB_CASE(32, 1, 1, 0),
    LAB_CASE_OF("soa", 2, 31, 1),
    LAB_CASE_OF("soa", 2, 33, 1),
    LAB_CASE_OF("column", 15, 31, 1),
    LAB_CASE_OF("column", 15, 32, 1),
    LAB_CASE_OF("column", 15, 33, 1),
    LAB_CASE_OF("column", 15, 1023, 1),
    LAB_CASE(33, 1, 1, 2),
    LAB_CASE(1, 1, 1, 1),
    LAB_CASE(31, 1, 1, 1),
    LAB_CASE(33, 65, 1, 3),
    LAB_CASE(100, 30, 3, 5),
    LAB_CASE(256, 64, 2, 3),
    LAB_CASE(1023, 9, 2, 33),
    LAB_CASE(70000, 1, 1, 7),
    LAB_CASE(3, 70000, 1, 4),
    LAB_CASE(257, 33, 3, 31),
};

static void layout(struct lab_run *run)
{
    struct shape shape = shape_of(run);
    ((const struct walk *)run->stage->own)->layout(run, &shape);
}

static void call(const struct lab_run *run)
{
    ((walk_fn *)run->stage->function)(run->buffers[0].device, run->buffers[1].device, shape_of(run));
}

/* The fields that are not 0. */
static void describe(const struct lab_run *run, char *out, size_t size)
{
    struct shape s = shape_of(run);
    if (s.n[0])
        snprintf(out, size, "n %d x %d x %d x %d", s.n[0], s.n[1], s.n[2], s.n[3]);
    else if (s.width)
        snprintf(out, size, "width %d, height %d, pitch %zu", s.width, s.height, s.pitch);
    else
        snprintf(out, size, s.pitch ? "count %d, pitch %zu" : "count %d, offset %zu", s.count,
                 s.pitch ? s.pitch : (size_t)s.offset);
}

const struct lab lab = {
    .id = "lab2",
    .title = "coalescing: walks through global memory",
    .size_names = {"width", "height", "depth", "offset"},
    .size_options = {'n', 'm', 'd', 'o'},
    LAB_STAGES(stages),
    LAB_CASES(cases),
    /* No row begins at a multiple of 32 bytes by chance, and every walk moves 260 MB or more: more than an L2 cache holds. */
    .timed = LAB_CASE(1003, 4099, 8, 3),
    .drawn = LAB_CASE(300, 40, 3, 40),
    .middle = LAB_CASE(1003, 515, 2, 3),
    .grain = LAB_CASE(16, 2),
    .unit = "GB/s",
    .layout = layout,
    .call = call,
    .describe = describe,
};
