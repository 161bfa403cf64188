/* hand_time.c - how long does a stage take, and how long the kit's own step? As a judge finds it out: on a GPU by measure.c, on the
 * virtual GPU by its clock, where of a large case a sample of the blocks is executed, and what they write is compared. */
#define _GNU_SOURCE
#include "lab/hand.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/buffers.h"
#include "lab/measure.h"
#include "lab/sample.h"
#include "lab/untimed.h"
#include "vgpu/vgpu.h"

/* Defined where a GPU is used. */
#pragma weak untimed_us

/* Defined where the virtual GPU is linked. */
#pragma weak vgpu_copy_us
#pragma weak vgpu_set_check
#pragma weak vgpu_set_execution
#pragma weak vgpu_set_garbage
#pragma weak vgpu_set_sample_seed
#pragma weak vgpu_set_timed
#pragma weak vgpu_set_use
#pragma weak vgpu_set_work
#pragma weak vgpu_time_us

enum { MOST_BASES = 64 };

/* What a timed call came to. */
struct outcome {
    double us;       /* negative: it failed */
    char wrong[200]; /* the first element that is wrong; "": none was found */
    bool is_unsure;  /* a sample cannot tell whether it is right, and all blocks take too long */
};

/* What is said where the file ends the program. */
#define ENDED "Right at first; when it was called again, the file ended the program."

/* ------------------------------------------------------------------------------------------- on a GPU */

static bool call(void *work, char *words, size_t size)
{
    hand_call(work, ENDED);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        snprintf(words, size, "%s", cudaGetErrorString(error));
    return error == cudaSuccess;
}

/* The kit's own steps beside the student's, each with memory of its own. */
struct kits_step {
    struct lab_stage stage;
    struct lab_run run;
};

static const char *open_step(struct kits_step *step, const struct lab_run *student, const char *name,
                             struct measure_side *side)
{
    void *function = name ? dlsym(RTLD_DEFAULT, name) : NULL;
    if (!function)
        return NULL;
    step->stage = *student->stage;
    memcpy(&step->stage.function, &function, sizeof function);
    lab_begin_run(&step->run, &lab, &step->stage, &student->which, student->seed);
    const char *problem = buffers_open(&step->run);
    if (!problem)
        *side = (struct measure_side){.run = &step->run, .work = &step->run};
    return problem;
}

static const char *open_sides(struct measure *measure, struct lab_run *student, struct kits_step steps[2])
{
    const char *baseline = lab_baseline(&lab, student->stage);
    const char *answer = baseline ? lab_answer(&lab, student->stage) : NULL;
    const char *problem = hand_open(student, false);
    measure->sides[MEASURE_STUDENT] = (struct measure_side){.run = student, .work = student};
    if (!problem)
        problem = open_step(&steps[0], student, baseline, &measure->sides[MEASURE_BASELINE]);
    if (!problem && answer && strcmp(answer, baseline) != 0)
        problem = open_step(&steps[1], student, answer, &measure->sides[MEASURE_REFERENCE]);
    return problem;
}

/* us: of the baseline too, 0 without one. */
static const char *time_on_gpu(struct lab_run *run, long reps, struct lab_outcome *one, double us[2])
{
    static char problem[sizeof((struct measure *)0)->problem];
    const struct measure_way by_call = {.run = call, .untimed_us = untimed_us};
    struct kits_step steps[2];
    struct measure measure = {
        .seed = run->seed, .is_by_clock = lab_has_host(run), .samples = reps, .outcome = one};
    const char *ours = open_sides(&measure, run, steps);
    for (int who = 0; who < MEASURE_SIDES; who++)
        measure.sides[who].way = measure.sides[who].run ? &by_call : NULL;
    if (!ours && measure_open(&measure))
        measure_times(&measure);
    measure_close(&measure);
    for (int who = 0; who < MEASURE_SIDES; who++)
        if (measure.sides[who].run == run)
            hand_close(run);
        else if (measure.sides[who].run)
            buffers_close(measure.sides[who].run);
    memcpy(us, measure.us, 2 * sizeof *us);
    memcpy(problem, measure.problem, sizeof problem);
    return ours ? ours : *problem ? problem : NULL;
}

static double attribute(enum cudaDeviceAttr name)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, name, 0) == cudaSuccess ? value : 0;
}

static void run_nothing(void *context)
{
    cudaMemsetAsync(context, 0, 4, 0);
}

/* What an operation takes that does nothing. */
static double measure_nothing(void)
{
    void *word = NULL;
    const double us = cudaMalloc(&word, 4) ? 0 : measure_us(run_nothing, word);
    cudaFree(word);
    return us;
}

/* GB/s */
static double find_copy(void)
{
    void *to = NULL, *from = NULL;
    double gbs = 0;
    if (!cudaMalloc(&to, LAB_COPY_BYTES) && !cudaMalloc(&from, LAB_COPY_BYTES) &&
        !cudaMemset(from, 0, LAB_COPY_BYTES))
        gbs = measure_copy(to, from);
    cudaFree(to);
    cudaFree(from);
    cudaGetLastError();
    return gbs;
}

/* ------------------------------------------------------------------------------------------- on the virtual GPU */

static double now_us(void)
{
    cudaDeviceSynchronize();
    return vgpu_time_us();
}

/* To the nanosecond; negative: it failed. */
static double run_on_clock(struct lab_run *run)
{
    const double begin = now_us();
    hand_call(run, ENDED);
    const cudaError_t error = cudaGetLastError(), late = cudaDeviceSynchronize();
    return error || late ? -1 : round((vgpu_time_us() - begin) * 1e3) / 1e3;
}

static void steer(bool is_sampled)
{
    vgpu_set_execution(is_sampled ? VGPU_EXECUTE_SAMPLE : VGPU_EXECUTE_ALL);
    vgpu_set_garbage(0); /* in memory of a gigabyte it would take longer than the kernels do */
    vgpu_set_timed(true);
    vgpu_set_use(is_sampled);
    if (!getenv("VGPU_CHECK"))
        vgpu_set_check(VGPU_CHECK_BOUNDS);
}

/* touched: what it touched. */
static const char *run_sample(struct lab_run *run, struct touched *touched, struct outcome *out)
{
    vgpu_set_sample_seed(lab_sample_seed(run->seed));
    const char *problem = hand_open(run, false);
    problem = problem ? problem : buffers_fill_late(run, false);
    if (!problem)
        out->us = run_on_clock(run);
    if (!problem && out->us >= 0) {
        touched_collect(run, touched);
        if (!touched_compare(run, touched, out->wrong, sizeof out->wrong))
            problem = "results cannot be copied";
    }
    hand_close(run);
    vgpu_set_sample_seed(0);
    return problem;
}

/* ------------------------------------------------------------------------------------------- where a sample is in doubt */

/* Warp instructions of all blocks that are executed to be sure: some seconds. */
static const double most_doubtful = 300e6;

/* What a sample finds is true of the whole where one launch computes all from the inputs. Else blocks that were not executed may
 * have the blame: an earlier launch of theirs left out what this one reads, a later one would have gone on from what is there,
 * or blocks wait for them. */
static bool is_doubtful(const struct outcome *sample)
{
    const bool is_waiting = hand_found.told.symptom == LAB_ENDLESS || hand_found.told.symptom == LAB_DEADLOCK;
    const bool is_simple = hand_work.launches <= 1 && !hand_work.writes;
    return sample->us < 0 ? is_waiting || !is_simple : *sample->wrong && !is_simple;
}

static bool are_in_outputs(const struct lab_run *run, const struct touched *places)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_OUT && !places[i].count)
            return false; /* a copy fills it, say */
    return true;
}

/* All blocks on all inputs. The time is the sample's, as that of the kit's own step is, if it has one; and what is compared are
 * the places that it has touched, or else some of everywhere. */
static const char *run_doubtful(struct lab_run *run, struct touched *places, struct outcome *out)
{
    const bool has_time = out->us >= 0;
    out->wrong[0] = '\0';
    if (!has_time)
        cudaDeviceReset(); /* a fault stays with the context */
    if (!has_time || !are_in_outputs(run, places))
        touched_spread(run, places);
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    vgpu_set_use(false);
    vgpu_set_timed(!has_time);
    vgpu_set_work((uint64_t)most_doubtful);
    const char *problem = hand_open(run, false);
    problem = problem ? problem : buffers_fill_device(run);
    const double us = problem ? -1 : run_on_clock(run);
    if (us >= 0 && !touched_compare(run, places, out->wrong, sizeof out->wrong))
        problem = "results cannot be copied";
    hand_close(run);
    vgpu_set_work(0);
    out->us = us >= 0 && has_time ? out->us : us;
    return problem;
}

static bool is_too_long(const struct outcome *out)
{
    return out->us < 0 && hand_found.told.symptom == LAB_ENDLESS;
}

/* A sample, and where it is in doubt all blocks, unless that takes too long. */
static const char *run_large(struct lab_run *run, struct outcome *out)
{
    struct touched touched[LAB_BUFFERS] = {{NULL, 0, 0}};
    hand_hold();
    const char *problem = run_sample(run, touched, out);
    const bool is_idle = !problem && out->us >= 0 && !hand_work.writes && !are_in_outputs(run, touched);
    const bool is_doubt = !problem && (is_idle || is_doubtful(out));
    if (is_idle)
        out->us = -1; /* others do the work: it takes as long as they do */
    hand_release(!is_doubt);
    if (is_doubt && hand_work.instructions > most_doubtful) {
        out->wrong[0] = '\0';
        out->is_unsure = true;
    } else if (is_doubt) {
        hand_hold();
        problem = run_doubtful(run, touched, out);
        out->is_unsure = is_too_long(out);
        hand_release(!out->is_unsure);
    }
    touched_free(touched);
    return problem;
}

/* ------------------------------------------------------------------------------------------- the kit's own step */

/* Stages share baselines: each is timed once per size. */
static struct base {
    const char *name;
    struct lab_case which;
    double us;
} bases[MOST_BASES];
static int nbases;

static double time_kits(const struct lab_stage *stage, void *function, const struct lab_case *which,
                        bool is_sampled)
{
    struct lab_stage kits = *stage;
    struct lab_run run;
    struct touched touched[LAB_BUFFERS] = {{NULL, 0, 0}};
    struct outcome out = {.us = 0}; /* the kit's own results are not what is asked for */
    memcpy(&kits.function, &function, sizeof function);
    lab_begin_run(&run, &lab, &kits, which, LAB_KITS_SEED);
    if (is_sampled) {
        const char *problem = run_sample(&run, touched, &out);
        touched_free(touched);
        return problem ? -1 : out.us;
    }
    const double us = hand_open(&run, true) ? -1 : run_on_clock(&run);
    hand_close(&run);
    return us;
}

/* Microseconds; 0: the stage has no baseline, or it cannot be timed. */
static double find_base(const struct lab_stage *stage, const struct lab_case *which, bool is_sampled)
{
    const char *name = lab_baseline(&lab, stage);
    void *function = name ? dlsym(RTLD_DEFAULT, name) : NULL;
    if (!function)
        return 0;
    for (int i = 0; i < nbases; i++)
        if (!strcmp(bases[i].name, name) && !memcmp(bases[i].which.size, which->size, sizeof which->size))
            return bases[i].us;
    const double us = time_kits(stage, function, which, is_sampled);
    if (nbases < MOST_BASES)
        bases[nbases++] = (struct base){name, *which, us > 0 ? us : 0};
    return us > 0 ? us : 0;
}

/* ------------------------------------------------------------------------------------------- a stage */

static const char *run_whole(struct lab_run *run, double *us)
{
    const char *problem = hand_open(run, true);
    if (!problem)
        *us = run_on_clock(run);
    hand_close(run);
    return problem;
}

static bool is_launch_bound(double us)
{
    static double nothing_us;
    if (buffers_are_virtual())
        return hand_found.is_launch_bound;
    if (nothing_us == 0)
        nothing_us = measure_nothing();
    return us < 2 * nothing_us;
}

static const char *words_for_stop(bool is_sampled)
{
    return is_sampled ? "It fails at this size: what is said above."
                      : "Right at first, but it failed when it was called again.";
}

static enum hand_status time_virtually(struct lab_run *run, bool is_sampled, struct hand_time *out)
{
    struct outcome outcome = {.us = 0};
    const struct hand_found before = hand_found;
    steer(is_sampled);
    out->baseline_us = find_base(run->stage, &run->which, is_sampled);
    hand_found = (struct hand_found){.told.symptom = LAB_NO_SYMPTOM, .is_quiet = true};
    const char *problem = is_sampled ? run_large(run, &outcome) : run_whole(run, &outcome.us);
    if (problem)
        return hand_fail("cannot set up the buffers", problem);
    if (outcome.is_unsure && outcome.us < 0) {
        hand_put_unsure(run, "Right at small sizes. At this one a sample of its blocks does not come to its "
                             "end: do they wait for others? --all executes all of them.");
        return HAND_OURS;
    }
    const bool is_wrong = outcome.us < 0 || *outcome.wrong;
    if (outcome.us < 0)
        hand_put_symptom(run,
                         hand_found.told.symptom != LAB_NO_SYMPTOM ? hand_found.told.symptom : LAB_STOPPED,
                         words_for_stop(is_sampled));
    else if (is_wrong)
        hand_put_symptom(run, LAB_WRONG, outcome.wrong);
    out->us = outcome.us;
    out->is_unsure = outcome.is_unsure;
    if (lab_graver(before.told.symptom, hand_found.told.symptom) == before.told.symptom) {
        hand_found.told = before.told;
        memcpy(hand_found.text, before.text, sizeof hand_found.text);
    }
    return is_wrong ? HAND_WRONG : HAND_RIGHT;
}

static enum hand_status time_really(struct lab_run *run, long reps, struct hand_time *out)
{
    struct lab_outcome one = {.is_right = true};
    double us[2];
    const char *problem = time_on_gpu(run, reps, &one, us);
    if (problem)
        return hand_fail("cannot measure", problem);
    if (!one.is_right)
        hand_put_symptom(run, one.symptom, one.symptom == LAB_STOPPED ? words_for_stop(false) : one.text);
    out->baseline_us = us[MEASURE_BASELINE];
    out->us = us[MEASURE_STUDENT];
    return one.is_right ? HAND_RIGHT : HAND_WRONG;
}

enum hand_status hand_time(const struct lab_stage *stage, const struct lab_case *which, uint64_t seed,
                           bool is_sampled, long reps, struct hand_time *out)
{
    struct lab_run run;
    *out = (struct hand_time){.us = 0};
    lab_begin_run(&run, &lab, stage, which, seed);
    const enum hand_status status =
        buffers_are_virtual() ? time_virtually(&run, is_sampled, out) : time_really(&run, reps, out);
    out->is_launch_bound = status == HAND_RIGHT && is_launch_bound(out->us);
    return status;
}

void hand_find_most(struct lab_most *out)
{
    const double us = buffers_are_virtual() ? vgpu_copy_us(LAB_COPY_BYTES) : 0;
    out->copy = us > 0 ? 2e-3 * (double)LAB_COPY_BYTES / us : buffers_are_virtual() ? 0 : find_copy();
    out->fma = lab_fma_gflops(
        (int)attribute(cudaDevAttrComputeCapabilityMajor), (int)attribute(cudaDevAttrComputeCapabilityMinor),
        (int)attribute(cudaDevAttrMultiProcessorCount), attribute(cudaDevAttrClockRate));
}
