/* measure.c - judge-gpu: times of the baseline and of the submission on a real GPU, side by side, as lab/measure.c takes them; here
 * their work is a recording that is replayed. One at a time has the device. */
#define _GNU_SOURCE
#include "lab/measure.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "grader/judge/floor.h"
#include "grader/judge/judge.h"
#include "grader/judge/turn.h"
#include "lab/buffers.h"
#include "lab/scale.h"

/* To load modules and to allocate takes a third as long as to measure: it is done before it is our turn, where what we take is a small
 * part of the device's memory, since others who wait do the same. */
enum { SMALL_PART = 16 };
static struct {
    struct judge *judge;
    struct measure measure;
    struct judge_side sides[MEASURE_SIDES];
    struct lab_outcome timed;
    void *copies[2]; /* for the ceiling; NULL: there is no room */
    struct cudaDeviceProp properties;
    bool is_begun, is_ready;
} own;

/* ------------------------------------------------------------------------------------------- sides */

static bool begin(void *work, bool is_afresh, char *words, size_t size)
{
    struct judge_side *side = work;
    judge_enter(own.judge, LAB_TIMED, side != &own.sides[MEASURE_STUDENT]);
    return !is_afresh || judge_side_load(side, words, size);
}

static void make_ready(void *work)
{
    const struct judge_side *side = work;
    player_make_ready(side->player, side->run.seed);
}

static bool play(void *work, char *words, size_t size)
{
    return player_run(((struct judge_side *)work)->player, words, size);
}

/* False: what is wrong is the submission's, or ours. */
static bool open_side(enum measure_who who, const struct judge_code *code, const char *name)
{
    static const struct measure_way by_trace = {.begin = begin, .ready = make_ready, .run = play};
    struct judge *judge = own.judge;
    struct judge_side *side = &own.sides[who];
    struct lab_outcome one = {.which = LAB_TIMED, .is_right = true};
    const char *problem;
    side->code = code;
    if (judge_find_segment(judge, code, name, &one, &side->segment)) {
        lab_begin_run(&side->run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage),
                      lab_seed(judge->seed, LAB_TIMED));
        if ((problem = buffers_open(&side->run))) {
            judge_fail(judge, "The GPU could not be used for timing: %.180s", problem);
            return false;
        }
        own.measure.sides[who] = (struct measure_side){&by_trace, side, &side->run};
        judge_enter(judge, LAB_TIMED, who != MEASURE_STUDENT);
        if (judge_side_load(side, one.text, sizeof one.text))
            return true;
        one.is_right = false;
        one.symptom = LAB_LAUNCH;
    }
    if (who == MEASURE_STUDENT)
        own.timed = one;
    else
        judge_fail(judge, "The GPU could not be used for timing: %.180s", one.text);
    return false;
}

static bool open_kits_side(enum measure_who who, enum scout_role role)
{
    char name[64];
    scout_segment(own.judge->stage, role, name, sizeof name);
    return open_side(who, &own.judge->baseline, name);
}

static bool open_sides(void)
{
    const struct judge *judge = own.judge;
    const bool is_baseline_right =
        !strcmp(lab_baseline(judge->lab, judge->stage), lab_answer(judge->lab, judge->stage));
    return open_kits_side(MEASURE_BASELINE, SCOUT_BASELINE) &&
           (is_baseline_right || open_kits_side(MEASURE_REFERENCE, SCOUT_ANSWER)) &&
           open_side(MEASURE_STUDENT, &judge->student, judge->slot);
}

/* True if work may begin before an event of ours, or the host takes part in it. */
static bool needs_clock(const struct trace_segment *segment)
{
    bool is_needed = false;
    for (uint32_t i = 0; i < segment->ngiven; i++)
        is_needed |= segment->given[i].is_host;
    for (uint32_t i = 0; i < segment->nops; i++)
        is_needed |= segment->ops[i].stream != 0;
    return is_needed;
}

static void get_ready(struct judge *judge)
{
    own.judge = judge;
    own.is_begun = true;
    own.timed = (struct lab_outcome){.which = LAB_TIMED, .is_right = true};
    own.measure = (struct measure){.seed = judge->seed, .outcome = &own.timed};
    own.is_ready = measure_open(&own.measure) && open_sides();
    if (!own.is_ready)
        return;
    for (int i = 0; i < 2; i++)
        if (cudaMalloc(&own.copies[i], LAB_COPY_BYTES) != cudaSuccess)
            own.copies[i] = NULL;
    cudaGetLastError();
    own.measure.is_by_clock =
        needs_clock(own.sides[MEASURE_STUDENT].segment) || needs_clock(own.sides[MEASURE_BASELINE].segment);
}

static void close_all(void)
{
    for (int who = 0; who < MEASURE_SIDES; who++)
        if (own.measure.sides[who].way)
            judge_side_close(&own.sides[who]);
    for (int i = 0; i < 2; i++)
        cudaFree(own.copies[i]);
    measure_close(&own.measure);
}

/* ------------------------------------------------------------------------------------------- the judge */

static void add_time(void)
{
    const struct measure *measure = &own.measure;
    struct verdict_time time = {.is_known = true,
                                .backend = "gpu",
                                .baseline_us = measure->us[MEASURE_BASELINE],
                                .student_us = measure->us[MEASURE_STUDENT],
                                .speedup = measure->speedup.likely,
                                .low = measure->speedup.low,
                                .high = measure->speedup.high,
                                .samples = (uint32_t)measure->count,
                                .ceiling = measure_copy(own.copies[0], own.copies[1]),
                                .peak = floor_peak()};
    snprintf(time.gpu, sizeof time.gpu, "%.63s", own.properties.name);
    if (!floor_holds(own.judge, &own.sides[MEASURE_STUDENT].run, time.student_us, &own.timed))
        return;
    pthread_mutex_lock(&own.judge->lock);
    own.judge->verdict->time = time;
    pthread_mutex_unlock(&own.judge->lock);
}

/* True if the buffers of all sides are a small part of the device's memory, and none of the host's. */
static bool takes_little(const struct judge *judge)
{
    struct lab_run run;
    size_t bytes = 2 * LAB_COPY_BYTES;
    lab_begin_run(&run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage), judge->seed);
    for (int i = 0; i < run.nbuffers; i++) {
        bytes += MEASURE_SIDES * lab_buffer_bytes(&run.buffers[i]);
        if (run.buffers[i].is_host)
            return false;
    }
    return bytes <= own.properties.totalGlobalMem / SMALL_PART;
}

static bool has_streams(const struct trace *trace)
{
    for (uint32_t i = 0; trace && i < trace->nsegments; i++)
        for (uint32_t k = 0; k < trace->segments[i].nops; k++)
            if (trace->segments[i].ops[k].stream)
                return true;
    return false;
}

/* A context with one queue instead of eight is made in a third of the time: on an H200, four at a time, in 72 ms for 197. */
static void acquire(struct judge *judge)
{
    if (!has_streams(judge->student.trace) && !has_streams(judge->baseline.trace))
        setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
    if (!turn_line_up(judge))
        return;
    cudaError_t error = cudaFree(NULL); /* makes the context */
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&own.properties, 0);
    if (error != cudaSuccess)
        judge_fail(judge, "The GPU could not be used for timing: %s", cudaGetErrorString(error));
    else if (lab_baseline(judge->lab, judge->stage) && takes_little(judge))
        get_ready(judge);
    turn_take(judge);
}

static void time_both(struct judge *judge)
{
    if (!lab_baseline(judge->lab, judge->stage))
        return;
    if (!own.is_begun)
        get_ready(judge);
    if (own.is_ready && measure_times(&own.measure))
        add_time();
    turn_end();
    if (*own.measure.problem)
        judge_fail(judge, "%s", own.measure.problem);
    if (!judge_has_failed(judge))
        judge_add_case(judge, &own.timed);
    close_all();
}

/* All device code is loaded at once: with lazy loading, the first launch of a kernel would be slow. */
static void prepare(const char *gpu, const char *source)
{
    (void)gpu, (void)source;
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
}

const struct judge_backend judge_backend = {
    .clock = CLOCK_MONOTONIC, .prepare = prepare, .acquire = acquire, .time = time_both};
