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

#define WALKS_YOUR_ROWS                                                                                      \
    LAB_BOUND("own.sectors_in", "input_sectors", 0.8, 0,                                                     \
              "sectors loaded from your own rows per sector of input",                                       \
              "Right, but this stage needs your own rows, from cudaMallocPitch, and a walk over them.")
/* Per record one sector, read twice with 16 bytes each, and a number; an array for each field: eight sectors. */
#define RECORDS_AT_ONCE                                                                                      \
    LAB_BOUND("sectors_in", "input_sectors", 0, 2.0, "32-byte sectors loaded per sector of input",           \
              "Right, but a record's sector is fetched again for each of its fields: load the record as a "  \
              "whole, in two pieces of 16 bytes.")

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
        .learned = "Neighbouring lanes should touch neighbouring addresses: a warp then needs as few sectors "
                   "as its bytes fill, and nothing else made as large a difference here.",
        .points = {.correct = 3, .clean = 1, .concept = 4},
        /* Half of what the first step takes: no time makes up for more, whichever blocks are better. */
        .bounds = {COALESCED(1.06), LAB_LOADS_ONCE(4.5, .is_needed = true)},
        .speed = {{3.0, 3}},
        .hints = {{LAB_FAULT, "A thread left its array: the last block is only partly used, so test the "
                              "index against shape.count first."},
                  {LAB_PARTLY,
                   "Elements are missing: round the number of blocks up. If each thread takes m elements, a "
                   "block covers m * blockDim.x of them, and the next block begins after these."},
                  {LAB_WRONG, "out[i] is scaled(in[i]), with the same i on both sides."},
                  {LAB_CONCEPT,
                   "Right, but too many sectors: lane k of a warp must take element first + k. A "
                   "thread's second element is a whole block away, not the next one in memory "
                   "(handout section 2)."}},
    },
    {GIVEN(offset), .title = "an offset, as it comes", .baseline = "baseline_offset", .own = &offset_walk,
     .element = LAB_ANSWER(line_element), .contains = "unit" /* stride 1 as well, from another place */},
    {
        STAGE(aligned),
        .title = "an offset, aligned",
        .own = &offset_walk,
        .element = LAB_ANSWER(line_element),
        .baseline = "baseline_offset",
        .todo = {2, .section = 3},
        .learned = "A warp that begins in the middle of a sector touches one more. Where the walk begins can "
                   "be chosen, at the price of a few idle threads; caches hide most of it today, so count "
                   "sectors and expect little time.",
        .points = {.correct = 4, .clean = 1, .concept = 5},
        .bounds = {COALESCED(1.1)},
        .hints = {{LAB_FAULT, "A thread left its array: the last element is offset + count - 1."},
                  {LAB_PARTLY,
                   "The first thread starts before the offset, so the grid needs more than count threads. "
                   "Test both ends: i >= offset and i < offset + count."},
                  {LAB_WRONG, "Elements before the offset are not yours and must stay as they are; out[i] is "
                              "scaled(in[i]) from offset to offset + count - 1."},
                  {LAB_CONCEPT,
                   "Right, but warps still begin in the middle of a sector: each needs 5 sectors where 4 are "
                   "enough. Let thread 0 start at the last multiple of 32 at or before the offset (handout "
                   "section 3)."}},
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
        .learned = "A kernel that needs one field of a structure fetches the others as well. With an array "
                   "for each field, only bytes that are used are moved.",
        .points = {.correct = 4, .clean = 1, .concept = 4},
        .bounds = {LAB_LOADS_ONCE(1.06 * FIELDS_USED / FIELDS), LAB_STORES_ONCE(1.06)},
        .speed = {{1.2, 2}},
        .hints = {{LAB_FAULT, "A thread left its array: test the index against shape.count. The pitch is in "
                              "bytes, and a float pointer moves by 4 bytes at a time. vx, vy, vz and mass "
                              "are arrays 3 to 6, counted from 0."},
                  {LAB_PARTLY, "Particles are missing: one output per particle, shape.count of them."},
                  {LAB_WRONG, "Field f of particle i lies f * pitch bytes and i floats after `in`; vx, vy, "
                              "vz and mass are fields 3 to 6, counted from 0."},
                  {LAB_CONCEPT, "Right, but too many sectors: neighbouring threads must take neighbouring "
                                "particles, and no field that the formula does not need."},
                  {LAB_SLOW, "Load only vx, vy, vz and mass: 16 of a particle's 28 bytes."}},
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
        .learned = "With padding, each row begins at an aligned address: the pitch is the distance between "
                   "rows in bytes, and it is not the width.",
        .points = {.correct = 3, .clean = 1, .concept = 4},
        .bounds = {COALESCED(1.08)},
        .speed = {{3.0, 3}},
        .hints = {{LAB_FAULT,
                   "A thread left its array. Test x against width and y against height. The pitch is "
                   "in bytes: row_of() finds row y, and x counts floats in it."},
                  {LAB_PARTLY, "x must reach width - 1, and y height - 1: round both numbers of blocks up."},
                  {LAB_WRONG, "Row y begins y * pitch BYTES after the start of the array; the padding after "
                              "column width - 1 must stay as it is."},
                  {LAB_CONCEPT, "Right, but too many sectors: threadIdx.x must run along x, and a warp "
                                "should begin at a multiple of 32 columns. With one flat index over all "
                                "elements most warps begin elsewhere, and some lie in two rows."},
                  {LAB_SLOW, "threadIdx.x must run along x, not along y."}},
    },
    {
        STAGE(allocated),
        .title = "2-D, padded by yourself",
        .own = &packed_walk,
        .element = LAB_ANSWER(line_element),
        .baseline = "baseline_down",
        .todo = {5, .section = 6},
        .learned = "Padding is a choice of whoever allocates: room for a few unused bytes per row buys "
                   "aligned rows, and copies must know both pitches.",
        .must_free = true,
        .points = {.correct = 3, .clean = 1, .concept = 4},
        .bounds = {COALESCED(1.08), WALKS_YOUR_ROWS},
        .slowest = 1.0, /* two copies and a walk, instead of a walk */
        .hints =
            {{LAB_NO_LAUNCH,
              "Allocate rows, copy `in` there, launch the kernel of TODO 4, copy back, free: write "
              "them into walk_allocated, in this order (TODO 5, handout section 6)."},
             {LAB_FAULT,
              "A thread left its array, or a copy did. There are two pitches: that of your own rows is "
              "what cudaMallocPitch returned, that of `in` and `out` is shape.pitch. Both are in bytes."},
             {LAB_UNINITIALISED,
              "The first copy did not fill your rows, or the kernel walks over them "
              "with the wrong pitch. cudaMemcpy2DAsync takes the width in BYTES, and "
              "each pitch belongs to the array before it: that of your rows is what "
              "cudaMallocPitch returned, that of `in` and `out` is shape.pitch.",
              .about = ""},
             {LAB_PARTLY,
              "All rows must come back: cudaMemcpy2DAsync takes the width in BYTES and the height in "
              "rows."},
             {LAB_WRONG,
              "Copy `in` to your padded rows, walk over them, copy them to `out`. In the arguments of "
              "cudaMemcpy2DAsync each pitch belongs to the array before it."},
             {LAB_CONCEPT, "Right, but too many sectors: walk over your own rows from cudaMallocPitch, which "
                           "all begin at a sector, and not over `in`."},
             {LAB_SLOW, "Slower than the walk down the columns. Two copies are enough: one in, one out."}},
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
        .todo = {6, .section = 7},
        .learned = "Layout can be changed instead of the walk: data stored so that neighbouring threads find "
                   "their elements side by side is coalesced without another trick.",
        .points = {.correct = 4,
                   .clean = 1,
                   .concept = 5}, /* an H200's L1 hides the time that the scattered walk costs */
        .bounds = {LAB_LOADS_ONCE(1.06)},
        .hints = {{LAB_FAULT,
                   "A thread left its array: test the thread's column against width. The loop runs "
                   "over height rows, and the pitch is in bytes."},
                  {LAB_PARTLY, "Sums are missing: there are width columns, with one thread for each."},
                  {LAB_WRONG, "out[i] is the sum over k of element i of row k. Row k begins k * pitch "
                              "BYTES after `in`, not k * width floats."},
                  {LAB_CONCEPT, "Right, but too many sectors: in every step of the loop the lanes of a warp "
                                "must read neighbouring elements of one row."}},
    },
    {GIVEN(nested), .title = "a line of a 4-D array per thread", .baseline = "baseline_nested",
     .own = &flat_walk, .element = LAB_ANSWER(flat_element)},
    {
        STAGE(flat),
        .title = "a 4-D array under one index",
        .own = &flat_walk,
        .element = LAB_ANSWER(flat_element),
        .baseline = "baseline_nested",
        .todo = {7, .section = 8},
        .learned = "Many dimensions are one array. Under one running index neighbours in memory go to "
                   "neighbouring threads, whatever the shape is.",
        .points = {.correct = 3, .clean = 1, .concept = 3},
        .bounds = {COALESCED(1.06)},
        .speed = {{4.0, 4}},
        .hints = {{LAB_FAULT, "A thread left its array: it has n[0] * n[1] * n[2] * n[3] elements. Test "
                              "the index of every element that a thread takes."},
                  {LAB_PARTLY, "Elements are missing: the grid must cover the product of all four sizes."},
                  {LAB_WRONG,
                   "Split from the fastest index on: i0 is the remainder by n[0], then divide by "
                   "n[0], and so on. The weights are 1, 2, 3 and 4. If you add digits: a digit that "
                   "reaches its size is reduced by it and carries 1 to the next."},
                  {LAB_CONCEPT, "Right, but too many sectors: let the flat index be the thread's number, and "
                                "compute the four indexes from it, not the other way round."},
                  {LAB_SLOW,
                   "Integer divisions are subroutines. Use unsigned numbers, get the remainder from the "
                   "quotient, or divide once per thread and go on to its next elements by additions."}},
    },
    {
        STAGE(vector),
        .title = "16 bytes per thread",
        .own = &offset_walk,
        .element = LAB_ANSWER(line_element),
        .baseline = "baseline_offset",
        .previous = "aligned",
        .todo = {8, .section = 9},
        .learned = "A wide load moves four times as much per instruction: fewer instructions, more bytes in "
                   "flight. It needs an aligned address, and the rest at the edges one by one.",
        .points = {.correct = 4, .clean = 1, .concept = 3},
        .bounds = {LAB_VECTOR_LOADS, COALESCED(1.1)},
        .speed = {{1.28, 4}},
        .hints = {{LAB_FAULT, "A float4 needs all 4 of its elements inside the array: what comes before the "
                              "first whole one and after the last is done float by float."},
                  {LAB_MISALIGNED, "A float4 lies at a multiple of 16 bytes, that is of 4 elements: what "
                                   "comes before the first such place is done float by float."},
                  {LAB_PARTLY, "Up to 3 elements before the first whole vector and up to 3 after the last "
                               "are done float by float. If the first thread starts before the offset, the "
                               "grid must be larger to reach the end."},
                  {LAB_WRONG, "Only elements from offset to offset + count - 1 change; the others are not "
                              "yours and must stay as they are."},
                  {LAB_CONCEPT,
                   "Right, but not with 16 bytes per thread: a warp's load of float4 covers 16 sectors. "
                   "Begin at a multiple of 32 elements, then no sector is fetched twice."},
                  {LAB_SLOW, "One float per thread leaves too few bytes in flight. Load and store float4."}},
    },
    {GIVEN(gather), .title = "random order, an array per field", .baseline = "baseline_gather",
     .own = &gather_walk, .element = LAB_ANSWER(gather_element), .work = records_work},
    {
        STAGE(records),
        .title = "random order, whole records",
        .own = &records_walk,
        .element = LAB_ANSWER(records_element),
        .work = records_work,
        .baseline = "baseline_gather",
        .answer = "baseline_records",
        .todo = {9, .section = 10},
        .learned = "In random order a sector is fetched for every access, so what is needed together should "
                   "lie together: here records beat arrays of fields.",
        .points = {.correct = 3, .clean = 1, .concept = 4},
        .bounds = {RECORDS_AT_ONCE, LAB_STORES_ONCE(1.06)},
        .speed = {{2.5, 3}},
        .hints =
            {{LAB_FAULT, "A thread left its array: test its number against shape.count before it reads "
                         "shape.index. A record has 8 floats."},
             {LAB_PARTLY,
              "Outputs are missing: there are shape.count of them, one per number in shape.index."},
             {LAB_WRONG,
              "out[i] is total() of record index[i]; the fields lie side by side: x, y, z, vx, vy, vz, "
              "mass, charge."},
             {LAB_SLOW,
              "Load each record with two loads of 16 bytes: copy it to a local variable of an aligned type "
              "(alignas(32), or two float4)."}},
    },
    {
        STAGE(every),
        .title = "a stride, swept",
        .swept = "stride",
        .own = &every_walk,
        .element = LAB_ANSWER(every_element),
        .work = every_work,
        .baseline = "baseline_every",
        .is_first = true,
        .timed = LAB_CASE(1003, 4099, 8, 4),
        .todo = {10, .section = 13},
        .learned =
            "With a larger stride a warp uses less of each sector that it fetches, until each lane has a "
            "sector of its own: from there on it cannot fetch more.",
        .points = {.correct = 3, .clean = 1, .concept = 1},
        .bounds = {LAB_LOADS_ONCE(1.06), LAB_STORES_ONCE(1.06)},
        .hints =
            {{LAB_FAULT, "A thread left its array: there are shape.count elements, the last one at "
                         "(count - 1) * stride. Compute that index as size_t."},
             {LAB_PARTLY, "Elements are missing: element k * stride for every k < shape.count."},
             {LAB_WRONG,
              "`knee` in your file is the answer: from which stride on do two neighbouring lanes never fall "
              "into the same sector of 32 bytes (handout section 13)?",
              .about = "answer"},
             {LAB_WRONG, "Only elements k * stride change, k < shape.count; those between stay as they are."},
             {LAB_CONCEPT, "Right, but too many sectors: neighbouring threads take neighbouring elements, "
                           "that is k * stride and (k + 1) * stride."}},
    },
};

/* ------------------------------------------------------------------------------------------- cases and functions */

/* Width, height, depth, offset. The offset matters to aligned and vector only, and is the stride of `every`; soa takes half of the elements as particles,
 * column a fifteenth as sums, records an eighth: their own cases bring them to the edges as well. The first one leaves no element of any output
 * unwritten, so that an empty stage is told from one that forgets elements. */
static const struct lab_case cases[] = {
    LAB_CASE(32, 1, 1, 0),
    LAB_CASE_OF("soa", 2, 31, 1),
    LAB_CASE_OF("soa", 2, 33, 1),
    LAB_CASE_OF("column", 15, 31, 1),
    LAB_CASE_OF("column", 15, 32, 1),
    LAB_CASE_OF("column", 15, 33, 1),
    LAB_CASE_OF("column", 15, 1023, 1),
    LAB_CASE_OF("records", 8, 31, 1),
    LAB_CASE_OF("records", 8, 33, 1),
    LAB_CASE(33, 1, 1, 2),
    LAB_CASE(1, 1, 1, 1),
    LAB_CASE(31, 1, 1, 1),
    LAB_CASE(33, 65, 1, 3),
    LAB_CASE(100, 30, 3, 5),
    LAB_CASE(256, 64, 2, 3),
    LAB_CASE(1023, 9, 2, 33),
    LAB_NARROW_CASE(70000, 1, 1, 7),
    LAB_NARROW_CASE(3, 70000, 1, 4),
    LAB_CASE(257, 33, 3, 31),
};

static void layout(struct lab_run *run)
{
    struct shape shape = shape_of(run);
    ((const struct walk *)run->stage->own)->layout(run, &shape);
}

static void call(const struct lab_run *run)
{
    struct shape shape = shape_of(run);
    /* NULL where there is none */
    shape.index = lab_device(run, "shape.index");
    shape.answers = lab_device(run, "answers");
    shape.sheet = lab_device(run, "sheet");
    ((walk_fn *)run->stage->function)(lab_device(run, "out"), lab_device(run, "in"), shape);
}

/* By the fields that the stage's TODO names. */
static void describe(const struct lab_run *run, char *out, size_t size)
{
    struct shape s = shape_of(run);
    if (s.n[0])
        snprintf(out, size, "n %d x %d x %d x %d", s.n[0], s.n[1], s.n[2], s.n[3]);
    else if (s.width)
        snprintf(out, size, "width %d, height %d, pitch %zu", s.width, s.height, s.pitch);
    else if (s.pitch)
        snprintf(out, size, "count %d, pitch %zu", s.count, s.pitch);
    else if (run->stage->own == &every_walk)
        snprintf(out, size, "count %d, stride %d", s.count, s.stride);
    else if (run->stage->own == &offset_walk)
        snprintf(out, size, "count %d, offset %d", s.count, s.offset);
    else
        snprintf(out, size, "count %d", s.count);
}

const struct lab lab = {
    .id = "lab2",
    .title = "coalescing: walks through global memory",
    .size_names = {"width", "height", "depth", "offset"},
    .size_options = {'n', 'm', 'd', 'o'},
    .size_words = {[3] = "offset of aligned and vector; stride of every"},
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
