/* sample.c - see sample.h. Decides nothing about points: what is doubtful is for the caller to execute as a whole. */
#define _GNU_SOURCE
#include "grader/judge/sample.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/element.h"

enum { MOST_PASSES = 4 };

/* ------------------------------------------------------------------------------------------- what was touched */

static void collect(struct sample *out, const struct lab_run *run)
{
    touched_collect(run, out->touched);
    for (int i = 0; i < run->nbuffers; i++) {
        const uint64_t address = (uint64_t)(uintptr_t)run->buffers[i].device;
        out->sectors[i] = vgpu_sectors_used(address);
        out->bytes[i] = vgpu_bytes_used(address);
    }
}

/* Copies and settings count as well. But what a large one brings along is not what a sample can tell. */
static void add_copies(struct sample *out, const struct trace_segment *segment)
{
    enum { SMALL = 4096 };
    for (uint32_t k = 0; k < segment->nops; k++) {
        const struct trace_op *op = &segment->ops[k];
        const struct trace_place *const places[] = {&op->to, &op->from};
        const double bytes = (double)op->width * (double)op->height;
        for (int p = 0; op->kind != TRACE_LAUNCH && p < 2; p++)
            if (places[p]->space == TRACE_GIVEN && places[p]->index < LAB_BUFFERS) {
                out->sectors[places[p]->index] += ceil(bytes / 32);
                out->bytes[places[p]->index] += bytes;
                if (bytes > SMALL)
                    snprintf(out->doubt, sizeof out->doubt, "results are copied, not computed by a kernel");
            }
    }
}

static void compare(struct judge *judge, struct sample *out, const struct lab_run *run)
{
    char wrong[sizeof out->doubt];
    if (out->doubt[0])
        return;
    if (!touched_compare(run, out->touched, wrong, sizeof wrong))
        judge_fail(judge, "Results of the timed case could not be fetched from the virtual GPU.");
    memcpy(out->doubt, wrong, sizeof wrong);
}

/* ------------------------------------------------------------------------------------------- a sum of blocks */

static double instructions_of_all(const struct findings_launches *launches)
{
    for (size_t i = 0; i < launches->ncounters; i++)
        if (!strcmp(launches->names[i], "warp_instructions"))
            return launches->values[i];
    return 0;
}

/* Where every block adds its part, a part of the blocks gives that part of the sum. Some are executed twice, to find out how
 * many can be afforded. */
static void compare_sum(struct sample *out, const struct lab_run *run)
{
    const double least = 0.5, most = 2.5;
    const struct findings_launches *launches = &out->findings.launches;
    const struct lab_buffer *buffer = &run->buffers[0];
    const double all = instructions_of_all(launches);
    uint64_t bytes = 0;
    if (!run->lab->sum || out->doubt[0] || !(all > 0) || buffer->role != LAB_OUT)
        return;
    if (cudaMemcpy(&bytes, buffer->device, lab_type_bytes(buffer->type), cudaMemcpyDefault) != cudaSuccess)
        return;
    const double got = element_value(buffer->type, element_load(buffer->type, (const uint8_t *)&bytes, 0));
    const double expected = run->lab->sum(run) * launches->executed / all;
    if (!(got > least * expected && got < most * expected))
        snprintf(out->doubt, sizeof out->doubt, "its blocks add up to %.3g, where about %.3g are due", got,
                 expected);
}

/* ------------------------------------------------------------------------------------------- one pass */

static bool replay(struct judge *judge, struct judge_side *side, struct sample *out, char *error, size_t size)
{
    findings_begin(&out->findings, judge, VERDICT_TIMED);
    bool is_done = judge_side_load(side, error, size);
    cudaDeviceSynchronize();
    const double begin = vgpu_time_us();
    is_done = is_done && judge_side_run(side, error, size);
    /* To the nanosecond: what a difference of doubles has beyond that depends on what ran before. */
    out->time_us = round((vgpu_time_us() - begin) * 1e3) / 1e3;
    findings_end(&out->findings);
    return is_done;
}

static void explain_stop(struct sample *out, const char *error)
{
    const struct findings *findings = &out->findings;
    cudaDeviceReset();
    out->one.is_right = false;
    out->one.symptom = findings->symptom != LAB_NO_SYMPTOM ? findings_symptom(findings) : LAB_STOPPED;
    snprintf(out->one.text, sizeof out->one.text, "%s", findings->text[0] ? findings->text : error);
}

/* known: by buffer, what will be touched; NULL: nobody knows. */
static bool run_pass(struct judge *judge, const struct judge_code *code, const char *name,
                     const struct touched *known, int pass, struct sample *out)
{
    struct judge_side side = {.code = code};
    char error[256] = "";
    bool is_done = false;
    out->one = (struct verdict_case){.which = VERDICT_TIMED, .is_right = true};
    if (!judge_find_segment(judge, code, name, &out->one, &side.segment))
        return false;
    /* The kit's own time is the same for everybody. */
    lab_begin_run(&side.run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage),
                  code == &judge->baseline ? SCOUT_SEED : lab_seed(judge->seed, LAB_TIMED));
    out->run = side.run;
    vgpu_set_garbage(0); /* in memory of a gigabyte it would take longer than the kernels do */
    const bool is_open = judge_side_open(&side, error, sizeof error) && touched_fill(&side.run, known, pass);
    vgpu_set_garbage(judge->seed | 1);
    if (!is_open)
        judge_fail(judge, "The buffers of the timed case could not be made: %s", error);
    else
        is_done = replay(judge, &side, out, error, sizeof error);
    if (is_done) {
        collect(out, &side.run);
        add_copies(out, side.segment);
        if (known)
            compare(judge, out, &side.run);
        compare_sum(out, &side.run);
    }
    judge_side_close(&side);
    if (!is_done)
        explain_stop(out, error);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- all of it */

bool sample_unseen(struct judge *judge, struct sample *out)
{
    *out = (struct sample){.is_stable = true};
    vgpu_set_sample_seed(0);
    return run_pass(judge, &judge->student, judge->slot, NULL, TOUCHED_WHOLE, out);
}

/* Without inputs and results to compare, the first pass shows all there is. */
static bool has_more_to_show(const struct judge *judge)
{
    struct lab_run run;
    lab_begin_run(&run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage), 0);
    return lab_has_inputs(&run) || lab_element(&run);
}

/* The first of several passes is not timed: it only shows what is touched. Each later one has data there, and may so find its
 * way to more. */
static bool sample_in_passes(struct judge *judge, const struct judge_code *code, const char *name,
                             struct sample *out)
{
    struct sample before = {.is_stable = false};
    const bool is_only = !has_more_to_show(judge);
    *out = (struct sample){.is_stable = is_only};
    vgpu_set_timed(is_only);
    vgpu_set_use(is_only);
    bool is_done = run_pass(judge, code, name, NULL, 0, out);
    vgpu_set_timed(true);
    vgpu_set_use(true);
    for (int pass = 1; is_done && !out->is_stable && pass < MOST_PASSES; pass++) {
        sample_free(&before);
        before = *out;
        *out = (struct sample){.is_stable = false};
        is_done = run_pass(judge, code, name, before.touched, pass, out);
        out->is_stable = is_done && touched_is_within(&out->run, out->touched, before.touched);
    }
    sample_free(&before);
    return is_done;
}

/* Where branches depend on the data, so does the kit's own time. Blocks are taken as those of a submission are, and as many: the
 * same kernel has the same time on both sides. */
bool sample_kits(struct judge *judge, const char *name, struct sample *out)
{
    vgpu_set_sample_seed(lab_hash(SCOUT_SEED, LAB_TIMED) | 1);
    const bool is_done = sample_in_passes(judge, &judge->baseline, name, out);
    vgpu_set_sample_seed(0);
    return is_done;
}

bool sample_student(struct judge *judge, struct sample *out)
{
    vgpu_set_sample_seed(lab_hash(judge->seed, LAB_TIMED) | 1);
    const bool is_done = sample_in_passes(judge, &judge->student, judge->slot, out);
    vgpu_set_sample_seed(0);
    return is_done;
}

void sample_free(struct sample *sample)
{
    touched_free(sample->touched);
    findings_free(&sample->findings);
}
