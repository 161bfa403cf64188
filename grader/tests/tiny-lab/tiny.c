/* tiny.c - the driver of the judge's test lab: as small as a lab can be, with one stage per mistake.
 * Its cases hold sizes that are multiples of 32 and sizes that are not. */
#include "lab/lab.h"
#include "tiny.h"

#define STAGE(name, symptom, words)                                                                          \
    {.id = #name,                                                                                            \
     .title = #name,                                                                                         \
     .entry = "tiny_" #name,                                                                                 \
     .function = (void (*)(void))tiny_##name,                                                                \
     .baseline = "baseline_plain",                                                                           \
     .reference = "baseline_right",                                                                          \
     .speed = {{1.5, 1}}},
static const struct lab_stage stages[] = {
#include "tiny.def"
};
#undef STAGE

static const struct lab_case cases[] = {{{1}, 0}, {{33}, 0}, {{64}, 0}, {{1000}, 0}, {{1024}, 0}};

static void layout(struct lab_run *run)
{
    const size_t n = (size_t)run->size[0];
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", n);
    lab_add(run, LAB_IN, LAB_FLOAT, "in", n);
    lab_add(run, LAB_SCRATCH, LAB_FLOAT, "scratch", n);
}

static void call(const struct lab_run *run)
{
    void (*entry)(float *, const float *, float *, int) =
        (void (*)(float *, const float *, float *, int))run->stage->function;
    entry(run->buffers[0].device, run->buffers[1].device, run->buffers[2].device, (int)run->size[0]);
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    const float *in = run->buffers[1].host;
    (void)index;
    for (long i = 0; i < run->size[0]; i++)
        ((float *)expected)[i] = 2 * in[i] + 1;
}

static double work(const struct lab_run *run)
{
    return 8e-9 * (double)run->size[0];
}

static const char *recognise(const struct lab_run *run, int index, const void *expected)
{
    const float *out = run->buffers[index].host, *in = run->buffers[1].host;
    (void)expected;
    for (long i = 0; i < run->size[0]; i++)
        if (out[i] != in[i])
            return 0;
    return "the output equals the input";
}

const struct lab lab = {.id = "tiny",
                        .title = "twice and one more",
                        .size_names = {"n"},
                        .size_options = {'n'},
                        .stages = stages,
                        .nstages = sizeof stages / sizeof stages[0],
                        .cases = cases,
                        .ncases = sizeof cases / sizeof cases[0],
                        .timed = {{1 << 20}, 0},
                        .unit = "GB/s",
                        .layout = layout,
                        .call = call,
                        .reference = reference,
                        .work = work,
                        .recognise = recognise};
