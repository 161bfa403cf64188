/* model.c - judge-virtual: correctness by check.c, times and counters from the virtual GPU's model.
 * A timed case runs once for the baseline and once for the submission, from a sample of its blocks: the model's clock is
 * exact, so there is no spread. Large inputs stay untouched pages; their values are zeros. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/judge/check.h"
#include "grader/judge/findings.h"
#include "grader/judge/volume.h"
#include "vgpu/vgpu.h"

/* Up to this size inputs have their true values: kernels whose way depends on data need them. */
#define MOST_FILLED ((size_t)64 << 20)

static void prepare(const char *gpu)
{
    /* Instructions of one warp, and of all: seconds under full checking, and ten times what honest kernels need. */
    setenv("VGPU_BUDGET", "200000000", 1);
    setenv("VGPU_WORK", "500000000", 1);
    setenv("VGPU_CHECK", "full",
           1); /* from the start: memory allocated under less is not known to be unwritten */
    if (gpu)
        setenv("VGPU_GPU", gpu, 1);
}

/* ------------------------------------------------------------------------------------------- one side */

static bool fill_input(const struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    void *host = malloc(lab_buffer_bytes(buffer) + 1);
    if (!host)
        return false;
    lab_fill(run, index, host);
    const cudaError_t error =
        cudaMemcpy(buffer->device, host, lab_buffer_bytes(buffer), cudaMemcpyHostToDevice);
    free(host);
    return error == cudaSuccess;
}

static bool fill_inputs(const struct lab_run *run)
{
    size_t bytes = 0;
    bool is_done = true;
    for (int i = 0; i < run->nbuffers; i++)
        bytes += run->buffers[i].role == LAB_IN ? lab_buffer_bytes(&run->buffers[i]) : 0;
    for (int i = 0; is_done && bytes <= MOST_FILLED && i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_IN)
            is_done = fill_input(run, i);
    return is_done;
}

/* One side at the timed size. */
struct modelled {
    struct verdict_case one; /* wrong: why */
    struct findings findings;
    struct lab_run run;
    struct volume moved;
    double time_us; /* of the virtual clock */
};

static bool replay(struct judge *judge, struct judge_side *side, struct modelled *out, char *error,
                   size_t size)
{
    findings_begin(&out->findings, judge, VERDICT_TIMED);
    bool is_done = judge_side_load(side, error, size);
    cudaDeviceSynchronize();
    const double begin = vgpu_time_us();
    is_done = is_done && judge_side_run(side, error, size);
    /* To the nanosecond: what a difference of doubles has beyond that depends on what ran before. */
    out->time_us = round((vgpu_time_us() - begin) * 1e3) / 1e3;
    findings_end(&out->findings);
    out->moved = volume_of(side->segment, &out->findings.launches);
    return is_done;
}

static void explain_stop(struct modelled *out, const char *error)
{
    const struct findings *findings = &out->findings;
    cudaDeviceReset();
    out->one.is_right = false;
    out->one.symptom = findings->symptom != LAB_NO_SYMPTOM ? findings_symptom(findings) : LAB_STOPPED;
    snprintf(out->one.text, sizeof out->one.text, "%s", findings->text[0] ? findings->text : error);
}

/* False: out->one says what is wrong with the recording or with its kernels; errors of ours are in the verdict. */
static bool model(struct judge *judge, const struct judge_code *code, const char *name, struct modelled *out)
{
    struct judge_side side = {.code = code};
    char error[256] = "";
    bool is_done = false;
    *out = (struct modelled){.one = {.which = VERDICT_TIMED, .is_right = true}};
    if (!judge_find_segment(judge, code, name, &out->one, &side.segment))
        return false;
    lab_begin_run(&side.run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage), judge->seed);
    out->run = side.run;
    if (!judge_side_open(&side, error, sizeof error) || !fill_inputs(&side.run))
        judge_fail(judge, "The buffers of the timed case could not be made: %s", error);
    else
        is_done = replay(judge, &side, out, error, sizeof error);
    judge_side_close(&side);
    if (!is_done)
        explain_stop(out, error);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- both sides */

static bool model_kits(struct judge *judge, enum scout_role role, struct modelled *out)
{
    char name[64];
    scout_segment(judge->stage, role, name, sizeof name);
    judge_enter(judge, VERDICT_TIMED, true);
    const bool is_done = model(judge, &judge->baseline, name, out);
    findings_free(&out->findings);
    if (!is_done)
        judge_fail(judge, "%s() of the kit cannot be timed: %s", scout_entry(judge->lab, judge->stage, role),
                   out->one.text);
    return is_done;
}

/* Bytes of all buffers of a role, in units of `unit`, each buffer rounded up. */
static double size_in(const struct lab_run *run, enum lab_role role, size_t unit)
{
    size_t units = 0;
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == role)
            units += (lab_buffer_bytes(&run->buffers[i]) + unit - 1) / unit;
    return (double)units;
}

/* What the launches did, and what it may be compared with: the sizes of what they had to do it to. */
static void add_counters(struct judge *judge, const struct lab_run *run,
                         const struct findings_launches *launches)
{
    const struct {
        const char *name;
        double value;
    } further[] = {{"launches", launches->count},
                   {"shared_bytes", launches->shared_bytes},
                   {"input_bytes", size_in(run, LAB_IN, 1)},
                   {"input_sectors", size_in(run, LAB_IN, 32)},
                   {"input_lines", size_in(run, LAB_IN, 128)},
                   {"output_sectors", size_in(run, LAB_OUT, 32)}};
    for (size_t i = 0; i < launches->ncounters; i++)
        verdict_add_counter(judge->verdict, launches->names[i], launches->values[i]);
    for (size_t i = 0; i < sizeof further / sizeof further[0]; i++)
        verdict_add_counter(judge->verdict, further[i].name, further[i].value);
}

/* Without a baseline there is nothing to compare with. */
static void add_time(struct judge *judge, double baseline_us, double student_us, const char *limiter)
{
    struct verdict_time *time = &judge->verdict->time;
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || !(baseline_us > 0) || !(student_us > 0))
        return;
    *time = (struct verdict_time){.is_known = true,
                                  .backend = "virtual",
                                  .baseline_us = baseline_us,
                                  .student_us = student_us,
                                  .speedup = baseline_us / student_us,
                                  .samples = 1};
    time->low = time->high = time->speedup;
    snprintf(time->gpu, sizeof time->gpu, "%.63s", properties.name);
    snprintf(time->limiter, sizeof time->limiter, "%s", limiter);
}

/* The kit's sides are of time and volume 0 where the stage has none. */
static void model_student(struct judge *judge, const struct modelled *baseline,
                          const struct modelled *reference)
{
    struct modelled student;
    judge_enter(judge, VERDICT_TIMED, false);
    bool is_done = model(judge, &judge->student, judge->slot, &student);
    if (is_done) {
        const struct volume needed = volume_needed(&student.run, &reference->moved);
        is_done = volume_is_enough(&student.moved, &needed, &student.one);
    }
    if (is_done) {
        pthread_mutex_lock(&judge->lock);
        add_counters(judge, &student.run, &student.findings.launches);
        add_time(judge, baseline->time_us, student.time_us, student.findings.launches.limiter);
        pthread_mutex_unlock(&judge->lock);
    } else if (!judge_has_failed(judge)) {
        judge_add_case(judge, &student.one);
    }
    findings_free(&student.findings);
}

static void time_both(struct judge *judge)
{
    struct modelled baseline = {0}, reference = {0};
    const char *compared = lab_baseline(judge->lab, judge->stage),
               *right = lab_answer(judge->lab, judge->stage);
    bool is_done = true;
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_check(VGPU_CHECK_BOUNDS);
    vgpu_set_timed(true);
    if (compared) {
        is_done = model_kits(judge, SCOUT_BASELINE, &baseline);
        reference = baseline;
    }
    if (is_done && compared && strcmp(right, compared) != 0)
        is_done = model_kits(judge, SCOUT_ANSWER, &reference);
    if (is_done)
        model_student(judge, &baseline, &reference);
}

const struct judge_backend judge_backend = {
    .clock = CLOCK_PROCESS_CPUTIME_ID, .prepare = prepare, .check = judge_check, .time = time_both};
