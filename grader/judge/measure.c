/* measure.c - judge-gpu: times of the baseline and of the submission on a real GPU, side by side.
 * Each repetition has inputs of its own, made on the device; outputs are poisoned before and compared after every run, so a
 * time is only worth something if the work was done. Both sides run between device-wide synchronisations, with L2
 * flushed, by turns, so that clocks and temperature touch both alike.
 * Small cases are the virtual GPU's business. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "grader/judge/floor.h"
#include "grader/judge/judge.h"
#include "grader/judge/stats.h"
#include "grader/judge/turn.h"
#include "lab/buffers.h"
#include "lab/device.h"
#include "lab/scale.h"

enum { BASELINE, STUDENT, REFERENCE, SIDES };
enum {
    WARM_UPS = 3,
    FEWEST_SAMPLES = 5,
    CLEAR_SAMPLES = 15,
    ENOUGH_SAMPLES = 30,
    MOST_SAMPLES = 4096,
    QUICKEST = 4
};
enum { CEILING_COPIES = 10 };
static const double warm_us = 0.2e6, enough_us = 0.5e6, longest_us = 3e6;
/* Where the quicker half of each side's times is no wider than this, and no threshold comes so near to the speedup, more samples
 * decide nothing. */
static const double narrow = 0.04, far = 0.1;

struct bench {
    struct judge *judge;
    struct judge_side sides[SIDES];
    bool is_open[SIDES];
    bool is_same;     /* no inputs: every repetition is the same, and device variables must be new instead */
    bool is_by_clock; /* by the host's clock: see needs_clock() */
    cudaEvent_t begin, end;
    void *flush;
    size_t flush_bytes;
    void *copies[2]; /* for the ceiling; NULL: there is no room */
    uint64_t repetitions;
    struct lab_outcome timed;

    /* of the measurement under way */
    double us[2][MOST_SAMPLES]; /* by side */
    size_t count;
};

/* ------------------------------------------------------------------------------------------- errors */

/* About whom: the submission's fault, or ours. */
__attribute__((format(printf, 4, 5))) static bool stop(struct bench *bench, int side,
                                                       enum lab_symptom symptom, const char *format, ...)
{
    char text[sizeof bench->timed.text];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (side != STUDENT) {
        judge_fail(bench->judge, "The GPU could not be used for timing: %.180s", text);
        return false;
    }
    bench->timed.is_right = false;
    bench->timed.symptom = symptom;
    memcpy(bench->timed.text, text, sizeof text);
    return false;
}

static bool ours(struct bench *bench, const char *words)
{
    return words ? stop(bench, BASELINE, LAB_NO_SYMPTOM, "%s", words) : true;
}

static bool ours_cuda(struct bench *bench, cudaError_t error)
{
    return ours(bench, error == cudaSuccess ? NULL : cudaGetErrorString(error));
}

/* ------------------------------------------------------------------------------------------- sides */

static bool open_side(struct bench *bench, int which, const struct judge_code *code, const char *name)
{
    struct judge *judge = bench->judge;
    struct judge_side *side = &bench->sides[which];
    struct lab_outcome one = {.which = LAB_TIMED};
    char error[256] = "";
    side->code = code;
    if (!judge_find_segment(judge, code, name, &one, &side->segment))
        return stop(bench, which, one.symptom, "%s", one.text);
    lab_begin_run(&side->run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage),
                  lab_seed(judge->seed, LAB_TIMED));
    if (!ours(bench, buffers_open(&side->run)))
        return false;
    bench->is_open[which] = true;
    judge_enter(judge, LAB_TIMED, which != STUDENT);
    return judge_side_load(side, error, sizeof error) || stop(bench, which, LAB_LAUNCH, "%s", error);
}

static bool open_kits_side(struct bench *bench, int which, enum scout_role role)
{
    const struct judge *judge = bench->judge;
    char name[64];
    scout_segment(judge->stage, role, name, sizeof name);
    return open_side(bench, which, &judge->baseline, name);
}

static bool open_sides(struct bench *bench)
{
    const struct judge *judge = bench->judge;
    const bool is_baseline_right =
        !strcmp(lab_baseline(judge->lab, judge->stage), lab_answer(judge->lab, judge->stage));
    return open_kits_side(bench, BASELINE, SCOUT_BASELINE) &&
           (is_baseline_right || open_kits_side(bench, REFERENCE, SCOUT_ANSWER)) &&
           open_side(bench, STUDENT, &judge->student, judge->slot);
}

/* Whose outputs are right. */
static int right_side(const struct bench *bench)
{
    return bench->is_open[REFERENCE] ? REFERENCE : BASELINE;
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

/* ------------------------------------------------------------------------------------------- one run */

static bool set_buffers(struct bench *bench, struct judge_side *side, uint64_t seed)
{
    struct lab_run *run = &side->run;
    run->seed = seed;
    for (int i = 0; i < run->nbuffers; i++) {
        if (!ours(bench, lab_device_fill(run, i, run->buffers[i].device)))
            return false;
    }
    return true;
}

/* No line of any buffer is left in L2, and no part of it is set aside. */
static bool flush(struct bench *bench)
{
    cudaError_t error = cudaCtxResetPersistingL2Cache();
    if (error == cudaSuccess)
        error = cudaMemset(bench->flush, (int)(bench->repetitions & 0xff), bench->flush_bytes);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    return ours_cuda(bench, error);
}

static double clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static bool run_timed(struct bench *bench, int which, double *us)
{
    struct judge_side *side = &bench->sides[which];
    char error[256] = "";
    float ms = 0;
    player_make_ready(side->player, side->run.seed);
    const double begin = clock_us();
    cudaEventRecord(bench->begin, NULL);
    bool is_done = player_run(side->player, error, sizeof error);
    cudaEventRecord(bench->end, NULL);
    const cudaError_t status = cudaDeviceSynchronize();
    *us = clock_us() - begin;
    if (!is_done || status != cudaSuccess)
        return stop(bench, which, LAB_STOPPED, "%s", is_done ? cudaGetErrorString(status) : error);
    if (!ours_cuda(bench, cudaEventElapsedTime(&ms, bench->begin, bench->end)))
        return false;
    if (!bench->is_by_clock)
        *us = (double)ms * 1e3;
    return true;
}

/* A kernel can reach all memory of its process: while the submission runs, the right results must not be there. */
static bool hide_answers(struct bench *bench)
{
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; side != STUDENT && i < bench->sides[side].run.nbuffers; i++) {
            const struct lab_run *run = &bench->sides[side].run;
            if (run->buffers[i].role != LAB_IN &&
                !ours(bench, lab_device_fill(run, i, run->buffers[i].device)))
                return false;
        }
    return true;
}

static bool run_side(struct bench *bench, int which, uint64_t seed, double *us)
{
    char error[256] = "";
    if (which == STUDENT && !hide_answers(bench))
        return false;
    judge_enter(bench->judge, LAB_TIMED, which != STUDENT);
    if (bench->is_same && !judge_side_load(&bench->sides[which], error, sizeof error))
        return stop(bench, which, LAB_LAUNCH, "%s", error);
    return set_buffers(bench, &bench->sides[which], seed) && flush(bench) && run_timed(bench, which, us);
}

/* ------------------------------------------------------------------------------------------- comparison */

static bool compare_buffer(struct bench *bench, int index)
{
    struct lab_buffer buffer = bench->sides[STUDENT].run.buffers[index];
    size_t wrong = 0;
    if (buffer.role == LAB_SCRATCH || buffer.is_said)
        return true;
    if (buffer.role == LAB_IN)
        buffer.relative = buffer.absolute = 0;
    if (!ours(bench, lab_device_compare(&buffer, buffer.device,
                                        bench->sides[right_side(bench)].run.buffers[index].device, &wrong)))
        return false;
    if (!wrong)
        return true;
    if (buffer.role == LAB_IN)
        return stop(bench, STUDENT, LAB_WRONG, "The kernels changed the input `%s`.", buffer.name);
    return stop(bench, STUDENT, LAB_WRONG, "%zu of %zu elements of `%s` %s wrong at the size that is timed.",
                wrong, buffer.count, buffer.name, wrong == 1 ? "is" : "are");
}

static bool compare(struct bench *bench)
{
    const struct lab_run *student = &bench->sides[STUDENT].run, *right = &bench->sides[right_side(bench)].run;
    if (student->nbuffers != right->nbuffers)
        return ours(bench, "the reference has other buffers than the stage");
    for (int i = 0; i < student->nbuffers; i++) {
        if (lab_buffer_bytes(&student->buffers[i]) != lab_buffer_bytes(&right->buffers[i]))
            return ours(bench, "the reference has buffers of other sizes than the stage");
        if (!compare_buffer(bench, i))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- many runs */

/* us: by side. What is right is found out last, when the submission's kernels can no longer look. */
static bool repeat(struct bench *bench, double us[SIDES])
{
    const uint64_t seed = lab_seed(bench->judge->seed, bench->repetitions++);
    return run_side(bench, STUDENT, seed, &us[STUDENT]) && run_side(bench, BASELINE, seed, &us[BASELINE]) &&
           (!bench->is_open[REFERENCE] || run_side(bench, REFERENCE, seed, &us[REFERENCE])) && compare(bench);
}

static bool is_near(const struct lab_stage *stage, double low, double high)
{
    for (int i = 0; i < LAB_TIERS; i++)
        if (stage->speed[i].points && low < stage->speed[i].speedup && stage->speed[i].speedup < high)
            return true;
    return false;
}

/* Others who get ready slow runs down, and a host that has more to do than it has cores is late to look at its clock; nothing makes
 * a run quicker than it is. So the quickest few of each side count: of many samples as many as of few, for many are only taken
 * where much is disturbed. */
struct quickest {
    double first_us, last_us;
};

/* Sorts the times. */
static struct quickest quickest_of(struct bench *bench, int side)
{
    const size_t few = smaller_of((bench->count + 3) / 4, (size_t)QUICKEST);
    stats_of(bench->us[side], bench->count);
    return few ? (struct quickest){bench->us[side][0], bench->us[side][few - 1]} : (struct quickest){0, 0};
}

static bool is_narrow(struct bench *bench, int side)
{
    const struct stats us = stats_of(bench->us[side], bench->count);
    return us.median - bench->us[side][0] <= narrow * us.low;
}

/* By the last of the quickest; what it may be as well, by the first. */
struct speedup {
    double low, likely, high;
};

static struct speedup speedup_of(struct bench *bench)
{
    const struct quickest baseline = quickest_of(bench, BASELINE), student = quickest_of(bench, STUDENT);
    if (!(student.first_us > 0))
        return (struct speedup){0, 0, 0};
    return (struct speedup){.low = baseline.first_us / student.last_us,
                            .likely = baseline.last_us / student.last_us,
                            .high = baseline.last_us / student.first_us};
}

/* The host's clock is disturbed in other ways than kernels are: there it takes its time. Kernels that take long need not be
 * repeated as often: what disturbs them is a small part of each run. */
static bool is_clear(struct bench *bench, double spent_us)
{
    const bool is_long = bench->count >= CLEAR_SAMPLES || spent_us > enough_us;
    if (bench->is_by_clock || !is_long || !is_narrow(bench, BASELINE) || !is_narrow(bench, STUDENT))
        return false;
    const struct speedup ratio = speedup_of(bench);
    return !is_near(bench->judge->stage, ratio.low * (1 - far), ratio.high * (1 + far));
}

static bool is_enough(struct bench *bench, double begin_us)
{
    const double spent_us = clock_us() - begin_us;
    if (bench->count < FEWEST_SAMPLES)
        return false;
    return bench->count == MOST_SAMPLES || spent_us > longest_us || is_clear(bench, spent_us) ||
           (bench->count >= ENOUGH_SAMPLES && spent_us > enough_us);
}

static bool measure(struct bench *bench)
{
    const double begin_us = clock_us();
    double us[SIDES] = {0};
    bench->count = 0;
    while (!is_enough(bench, begin_us)) {
        if (!repeat(bench, us))
            return false;
        for (int side = BASELINE; side <= STUDENT; side++)
            bench->us[side][bench->count] = us[side];
        bench->count++;
    }
    return true;
}

/* A second measurement replaces a first one that leaves a threshold open. */
static bool measure_well(struct bench *bench, struct speedup *ratio)
{
    const double begin_us = clock_us();
    double us[SIDES];
    for (int i = 0; i < WARM_UPS && (i == 0 || clock_us() - begin_us < warm_us); i++)
        if (!repeat(bench, us))
            return false;
    for (int i = 0; i < 2; i++) {
        if (!measure(bench))
            return false;
        *ratio = speedup_of(bench);
        if (!is_near(bench->judge->stage, ratio->low, ratio->high))
            break;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- the ceiling */

static double copy_gbs(struct bench *bench, void *to, const void *from)
{
    float ms = 0;
    cudaEventRecord(bench->begin, NULL);
    const cudaError_t error = cudaMemcpyAsync(to, from, LAB_COPY_BYTES, cudaMemcpyDeviceToDevice, NULL);
    cudaEventRecord(bench->end, NULL);
    if (error != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess ||
        cudaEventElapsedTime(&ms, bench->begin, bench->end) != cudaSuccess || !(ms > 0))
        return 0;
    return 2e-6 * (double)LAB_COPY_BYTES / (double)ms;
}

/* What the memory of this GPU gives at most, here and now; 0 where two more buffers do not fit. */
static double find_ceiling(struct bench *bench)
{
    double gbs[CEILING_COPIES] = {0};
    for (int i = 0; bench->copies[0] && bench->copies[1] && i < CEILING_COPIES; i++)
        gbs[i] = copy_gbs(bench, bench->copies[0], bench->copies[1]);
    cudaGetLastError();
    return stats_of(gbs, CEILING_COPIES).median;
}

/* ------------------------------------------------------------------------------------------- the backend */

static bool open_bench(struct bench *bench, const struct cudaDeviceProp *properties)
{
    bench->flush_bytes = (size_t)properties->l2CacheSize * 2;
    if (!ours_cuda(bench, cudaMalloc(&bench->flush, bench->flush_bytes)) ||
        !ours_cuda(bench, cudaEventCreate(&bench->begin)) ||
        !ours_cuda(bench, cudaEventCreate(&bench->end)) || !open_sides(bench))
        return false;
    for (int i = 0; i < 2; i++)
        if (cudaMalloc(&bench->copies[i], LAB_COPY_BYTES) != cudaSuccess)
            bench->copies[i] = NULL;
    cudaGetLastError();
    bench->is_same = !lab_has_inputs(&bench->sides[STUDENT].run);
    bench->is_by_clock =
        needs_clock(bench->sides[STUDENT].segment) || needs_clock(bench->sides[BASELINE].segment);
    return true;
}

static void close_bench(struct bench *bench)
{
    for (int i = 0; i < SIDES; i++)
        if (bench->is_open[i])
            judge_side_close(&bench->sides[i]);
    for (int i = 0; i < 2; i++)
        cudaFree(bench->copies[i]);
    cudaFree(bench->flush);
    free(bench);
}

static void add_time(struct bench *bench, const struct cudaDeviceProp *properties,
                     const struct speedup *ratio)
{
    struct verdict_time time = {.is_known = true,
                                .backend = "gpu",
                                .baseline_us = quickest_of(bench, BASELINE).last_us,
                                .student_us = quickest_of(bench, STUDENT).last_us,
                                .speedup = ratio->likely,
                                .low = ratio->low,
                                .high = ratio->high,
                                .samples = (uint32_t)bench->count,
                                .ceiling = find_ceiling(bench),
                                .peak = floor_peak()};
    snprintf(time.gpu, sizeof time.gpu, "%.63s", properties->name);
    if (!floor_holds(bench->judge, &bench->sides[STUDENT].run, time.student_us, &bench->timed))
        return;
    pthread_mutex_lock(&bench->judge->lock);
    bench->judge->verdict->time = time;
    pthread_mutex_unlock(&bench->judge->lock);
}

/* ------------------------------------------------------------------------------------------- the judge */

/* To load modules and to allocate takes a third as long as to measure: it is done before it is our turn, where what we take is a small
 * part of the device's memory, since others who wait do the same. */
enum { SMALL_PART = 16 };
static struct {
    struct bench *bench; /* NULL: not yet made */
    bool is_open;
    struct cudaDeviceProp properties;
} own;

/* True if the buffers of all sides are a small part of the device's memory, and none of the host's. */
static bool takes_little(const struct judge *judge)
{
    struct lab_run run;
    size_t bytes = 2 * LAB_COPY_BYTES;
    lab_begin_run(&run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage), judge->seed);
    for (int i = 0; i < run.nbuffers; i++) {
        bytes += SIDES * lab_buffer_bytes(&run.buffers[i]);
        if (run.buffers[i].is_host)
            return false;
    }
    return bytes <= own.properties.totalGlobalMem / SMALL_PART;
}

static void get_ready(struct judge *judge)
{
    own.bench = calloc(1, sizeof *own.bench);
    if (!own.bench)
        return;
    own.bench->judge = judge;
    own.bench->timed = (struct lab_outcome){.which = LAB_TIMED, .is_right = true};
    own.is_open = open_bench(own.bench, &own.properties);
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
    struct speedup ratio;
    if (!lab_baseline(judge->lab, judge->stage))
        return;
    if (!own.bench)
        get_ready(judge);
    if (!own.bench)
        return;
    if (own.is_open && measure_well(own.bench, &ratio))
        add_time(own.bench, &own.properties, &ratio);
    turn_end();
    if (!judge_has_failed(judge))
        judge_add_case(judge, &own.bench->timed);
    close_bench(own.bench);
}

/* All device code is loaded at once: with lazy loading, the first launch of a kernel would be slow. */
static void prepare(const char *gpu, const char *source)
{
    (void)gpu, (void)source;
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
}

const struct judge_backend judge_backend = {
    .clock = CLOCK_MONOTONIC, .prepare = prepare, .acquire = acquire, .time = time_both};
