/* tiny.c - the driver of the judge's test lab: as small as a lab can be, with one stage per mistake.
 * Its cases hold sizes that are multiples of 32 and sizes that are not. */
#include "lab/lab.h"
#include "tiny.h"

#define STAGE(name, symptom, words)                                                                          \
    {.id = #name, .title = #name, LAB_CALLS(tiny_##name), .todo = {1, 0}, .speed = {{1.5, 1}}},
#define HOME(name, symptom, words)                                                                           \
    {.id = #name,                                                                                            \
     .title = #name,                                                                                         \
     LAB_CALLS(tiny_##name),                                                                                 \
     .todo = {1, 0},                                                                                         \
     .speed = {{1.5, 1}},                                                                                    \
     .baseline = "baseline_home",                                                                            \
     .must_free = true},
static const struct lab_stage stages[] = {
#include "tiny.def"
    /* As if each byte took a million instructions: no GPU is as fast as the right kernel. */
    {.id = "impossible",
     .title = "impossible",
     LAB_CALLS(tiny_right),
     .todo = {1, 0},
     .speed = {{1.5, 1}},
     .least = 1e6},
};
#undef STAGE

static const struct lab_case cases[] = {LAB_CASE(1),    LAB_CASE(33),   LAB_CASE(64),
                                        LAB_CASE(1000), LAB_CASE(1024), LAB_NARROW_CASE(2999)};

static void layout(struct lab_run *run)
{
    const bool is_host = run->stage->must_free;
    struct lab_buffer *out = lab_add(run, LAB_OUT, LAB_FLOAT, "out", run->size[0]);
    out->is_exact = true;
    out->is_host = is_host;
    lab_add(run, LAB_IN, LAB_FLOAT, "in", run->size[0])->is_host = is_host;
    lab_add(run, LAB_SCRATCH, LAB_FLOAT, "scratch", run->size[0]);
}

static void call(const struct lab_run *run)
{
    tiny_fn *entry = (tiny_fn *)run->stage->function;
    entry(run->buffers[0].device, run->buffers[1].device, run->buffers[2].device, (int)run->size[0]);
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    const float *in = run->buffers[1].host;
    (void)index;
    for (long i = 0; i < run->size[0]; i++)
        ((float *)expected)[i] = 2 * in[i] + 1;
}

static bool element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = (float)(2 * lab_at(run, 1, i) + 1);
    return true;
}

const struct lab lab = {.id = "tiny",
                        .title = "twice and one more",
                        .size_names = {"n"},
                        .size_options = {'n'},
                        LAB_STAGES(stages),
                        LAB_CASES(cases),
                        .timed = LAB_CASE(1 << 20),
                        .unit = "GB/s",
                        .baseline = "baseline_plain",
                        .layout = layout,
                        .call = call,
                        .reference = LAB_ANSWER(reference),
                        .element = LAB_ANSWER(element)};
