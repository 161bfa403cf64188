/* lab99.c - the driver of lab 99, a template: two stages, of which the first is given.
 * The stage table below is what an instructor changes; the functions behind it say what a case needs and what is right.
 * Points of all rows but bonus ones add up to 100. */
#include "lab99.h"

#include "lab/lab.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define ENTRY(name)  .entry = #name, .function = (void (*)(void))name

static const struct lab_stage stages[] = {
    {
        .id = "strided",
        .title = "each thread its own stretch",
        ENTRY(scale_strided),
        .baseline = "baseline_strided",
        .is_given = true,
    },
    {
        .id = "unit",
        .title = "neighbouring threads, neighbouring elements",
        ENTRY(scale_unit),
        .baseline = "baseline_strided",
        .correct = 40,
        .clean = 20,
        .concept = 20,
        .bounds = {{"global_load_sectors", "global_load_requests", 1, 4.2, "sectors per global load"}},
        .speed = {{1.2, 20}},
        .hints =
            {
                {LAB_UNTOUCHED, "TODO 1 is still open: write unit_kernel and launch it in scale_unit."},
                {LAB_NO_LAUNCH, "TODO 1: scale_unit launches nothing yet."},
                {LAB_EDGE, "The last block is partly filled: test the index against n."},
                {LAB_CONCEPT, "Let threadIdx.x be what changes from one element to the next."},
            },
    },
};

static const struct lab_case cases[] = {{{1}, 0}, {{31}, 0}, {{32}, 0}, {{33}, 0}, {{1000}, 0}, {{4096}, 0}};

/* Outputs first. */
static void layout(struct lab_run *run)
{
    size_t n = (size_t)run->size[0];
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", n);
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_FLOAT, "in", n);
    in->low = -1;
    in->high = 1;
}

static void call(const struct lab_run *run)
{
    void (*entry)(float *, const float *, int) = (void (*)(float *, const float *, int))run->stage->function;
    entry(run->buffers[0].device, run->buffers[1].device, (int)run->size[0]);
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    (void)index;
    const float *in = run->buffers[1].host;
    float *out = expected;
    for (long i = 0; i < run->size[0]; i++)
        out[i] = 3.0f * in[i];
}

/* Every element is read once and written once. */
static double work(const struct lab_run *run)
{
    return 2e-9 * sizeof(float) * (double)run->size[0];
}

const struct lab lab = {
    .id = "lab99",
    .title = "scale: a template",
    .size_names = {"n"},
    .size_options = {'n'},
    .stages = stages,
    .nstages = COUNT(stages),
    .cases = cases,
    .ncases = COUNT(cases),
    .timed = {.size = {1 << 22}},
    .unit = "GB/s",
    .layout = layout,
    .call = call,
    .reference = reference,
    .work = work,
};
