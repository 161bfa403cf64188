/* measure.c - see measure.h. */
#define _GNU_SOURCE
#include "lab/measure.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/stats.h"
#include "lab/device.h"
#include "lab/scale.h"

enum {
    WARM_UPS = 3,
    FEWEST_SAMPLES = 3,
    CLOCK_SAMPLES = 10, /* by the host's clock */
    CLEAR_SAMPLES = 15,
    ENOUGH_SAMPLES = 20,
    MOST_SAMPLES = 4096,
    QUICKEST = 4,
    USUAL_SAMPLES = 20 /* of work that is not compared */
};
static const double warm_us = 0.1e6, enough_us = 0.3e6, longest_us = 3e6;
/* Where the quicker half of each side's times is no wider than this, or the few that count if the host's clock takes them, and no
 * threshold comes so near to the speedup, more samples decide nothing. */
static const double narrow = 0.04, far = 0.1;

struct measure_bench {
    bool is_same; /* no inputs: every repetition is the same, and device variables must be new instead */
    cudaEvent_t begin, end;
    void *flush;
    size_t flush_bytes;
    uint64_t repetitions;
    double us[2][MOST_SAMPLES]; /* of the measurement under way, by side */
};

/* ------------------------------------------------------------------------------------------- errors */

/* About whom: the submission's fault, or ours. */
__attribute__((format(printf, 4, 5))) static bool stop(struct measure *measure, enum measure_who who,
                                                       enum lab_symptom symptom, const char *format, ...)
{
    char text[sizeof measure->outcome->text];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (who != MEASURE_STUDENT) {
        snprintf(measure->problem, sizeof measure->problem, "The GPU could not be used for timing: %.180s",
                 text);
        return false;
    }
    measure->outcome->is_right = false;
    measure->outcome->symptom = symptom;
    memcpy(measure->outcome->text, text, sizeof text);
    return false;
}

static bool ours(struct measure *measure, const char *words)
{
    return words ? stop(measure, MEASURE_BASELINE, LAB_NO_SYMPTOM, "%s", words) : true;
}

static bool ours_cuda(struct measure *measure, cudaError_t error)
{
    return ours(measure, error == cudaSuccess ? NULL : cudaGetErrorString(error));
}

static bool has_side(const struct measure *measure, enum measure_who who)
{
    return measure->sides[who].way != NULL;
}

/* ------------------------------------------------------------------------------------------- one run */

static bool fill(struct measure *measure, struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (!ours(measure, lab_device_fill(run, i, run->buffers[i].device)))
            return false;
    return true;
}

/* No line of any buffer is left in L2, and no part of it is set aside. */
static bool flush(struct measure *measure)
{
    struct measure_bench *bench = measure->bench;
    cudaError_t error = cudaCtxResetPersistingL2Cache();
    if (error == cudaSuccess)
        error = cudaMemset(bench->flush, (int)(bench->repetitions & 0xff), bench->flush_bytes);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    return ours_cuda(measure, error);
}

static double clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double counted_us(const struct measure_way *way)
{
    return clock_us() - (way->untimed_us ? way->untimed_us() : 0);
}

static bool run_timed(struct measure *measure, enum measure_who who, double *us)
{
    const struct measure_side *side = &measure->sides[who];
    struct measure_bench *bench = measure->bench;
    char words[256] = "";
    float ms = 0;
    if (side->way->ready)
        side->way->ready(side->work);
    const double begin = counted_us(side->way);
    cudaEventRecord(bench->begin, NULL);
    const bool is_done = side->way->run(side->work, words, sizeof words);
    cudaEventRecord(bench->end, NULL);
    const cudaError_t status = cudaDeviceSynchronize();
    *us = counted_us(side->way) - begin;
    if (!is_done || status != cudaSuccess)
        return stop(measure, who, LAB_STOPPED, "%s", is_done ? cudaGetErrorString(status) : words);
    if (!ours_cuda(measure, cudaEventElapsedTime(&ms, bench->begin, bench->end)))
        return false;
    if (!measure->is_by_clock)
        *us = (double)ms * 1e3;
    return true;
}

/* A kernel can reach all memory of its process: while the submission runs, the right results must not be there. */
static bool hide_answers(struct measure *measure)
{
    for (int who = 0; who < MEASURE_SIDES; who++)
        for (int i = 0;
             has_side(measure, who) && who != MEASURE_STUDENT && i < measure->sides[who].run->nbuffers; i++) {
            const struct lab_run *run = measure->sides[who].run;
            if (run->buffers[i].role != LAB_IN &&
                !ours(measure, lab_device_fill(run, i, run->buffers[i].device)))
                return false;
        }
    return true;
}

static bool run_side(struct measure *measure, enum measure_who who, uint64_t seed, double *us)
{
    const struct measure_side *side = &measure->sides[who];
    char words[256] = "";
    if (!has_side(measure, who))
        return true;
    if (who == MEASURE_STUDENT && !hide_answers(measure))
        return false;
    if (side->way->begin && !side->way->begin(side->work, measure->bench->is_same, words, sizeof words))
        return stop(measure, who, LAB_LAUNCH, "%s", words);
    side->run->seed = seed;
    return fill(measure, side->run) && flush(measure) && run_timed(measure, who, us);
}

/* ------------------------------------------------------------------------------------------- comparison */

static bool compare_buffer(struct measure *measure, const struct lab_run *right, int index)
{
    struct lab_buffer buffer = measure->sides[MEASURE_STUDENT].run->buffers[index];
    size_t wrong = 0;
    if (buffer.role == LAB_SCRATCH || buffer.is_said)
        return true;
    if (buffer.role == LAB_IN)
        buffer.relative = buffer.absolute = 0;
    if (!ours(measure, lab_device_compare(&buffer, buffer.device, right->buffers[index].device, &wrong)))
        return false;
    if (!wrong)
        return true;
    if (buffer.role == LAB_IN)
        return stop(measure, MEASURE_STUDENT, LAB_WRONG, "The kernels changed the input `%s`.", buffer.name);
    return stop(measure, MEASURE_STUDENT, LAB_WRONG,
                "%zu of %zu elements of `%s` %s wrong at the size that is timed.", wrong, buffer.count,
                buffer.name, wrong == 1 ? "is" : "are");
}

/* Where the kit has no step of its own, nothing tells what is right but the cases that were checked. */
static bool compare(struct measure *measure)
{
    const struct measure_side *answer =
        &measure->sides[has_side(measure, MEASURE_REFERENCE) ? MEASURE_REFERENCE : MEASURE_BASELINE];
    const struct lab_run *student = measure->sides[MEASURE_STUDENT].run, *right = answer->run;
    if (!answer->way)
        return true;
    if (student->nbuffers != right->nbuffers)
        return ours(measure, "the reference has other buffers than the stage");
    for (int i = 0; i < student->nbuffers; i++) {
        if (lab_buffer_bytes(&student->buffers[i]) != lab_buffer_bytes(&right->buffers[i]))
            return ours(measure, "the reference has buffers of other sizes than the stage");
        if (!compare_buffer(measure, right, i))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- many runs */

/* us: by side. What is right is found out last, when the submission's kernels can no longer look. */
static bool repeat(struct measure *measure, double us[MEASURE_SIDES])
{
    const uint64_t seed = lab_seed(measure->seed, measure->bench->repetitions++);
    return run_side(measure, MEASURE_STUDENT, seed, &us[MEASURE_STUDENT]) &&
           run_side(measure, MEASURE_BASELINE, seed, &us[MEASURE_BASELINE]) &&
           run_side(measure, MEASURE_REFERENCE, seed, &us[MEASURE_REFERENCE]) && compare(measure);
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
static struct quickest quickest_of(struct measure *measure, enum measure_who who)
{
    double *us = measure->bench->us[who];
    const size_t few = smaller_of((measure->count + 3) / 4, (size_t)QUICKEST);
    stats_of(us, measure->count);
    return few ? (struct quickest){us[0], us[few - 1]} : (struct quickest){0, 0};
}

static bool is_narrow(struct measure *measure, enum measure_who who)
{
    const struct quickest few = quickest_of(measure, who);
    const double median = stats_of(measure->bench->us[who], measure->count).median;
    return (measure->is_by_clock ? few.last_us : median) - few.first_us <= narrow * few.first_us;
}

/* Speedups by the last of the quickest; what they may be as well, by the first. */
static void sum_up(struct measure *measure)
{
    const struct quickest baseline = quickest_of(measure, MEASURE_BASELINE),
                          student = quickest_of(measure, MEASURE_STUDENT);
    measure->us[MEASURE_BASELINE] = baseline.last_us;
    measure->us[MEASURE_STUDENT] = student.last_us;
    if (!(student.first_us > 0))
        return;
    measure->speedup.low = baseline.first_us / student.last_us;
    measure->speedup.likely = baseline.last_us / student.last_us;
    measure->speedup.high = baseline.last_us / student.first_us;
}

/* Kernels that take long need not be repeated as often: what disturbs them is a small part of each run. By the host's clock more
 * than kernels disturbs a run. */
static bool is_clear(struct measure *measure, double spent_us)
{
    const bool is_long = measure->count >= CLEAR_SAMPLES ||
                         (spent_us > enough_us && (!measure->is_by_clock || measure->count >= CLOCK_SAMPLES));
    if (!is_long || !is_narrow(measure, MEASURE_BASELINE) || !is_narrow(measure, MEASURE_STUDENT))
        return false;
    sum_up(measure);
    return !is_near(measure->sides[MEASURE_STUDENT].run->stage, measure->speedup.low * (1 - far),
                    measure->speedup.high * (1 + far));
}

static bool is_enough(struct measure *measure, double begin_us)
{
    const double spent_us = clock_us() - begin_us;
    if (measure->samples)
        return measure->count >= (size_t)measure->samples || measure->count == MOST_SAMPLES;
    if (measure->count < FEWEST_SAMPLES)
        return false;
    return measure->count == MOST_SAMPLES || spent_us > longest_us || is_clear(measure, spent_us) ||
           (measure->count >= ENOUGH_SAMPLES && spent_us > enough_us);
}

static bool take_samples(struct measure *measure)
{
    const double begin_us = clock_us();
    double us[MEASURE_SIDES] = {0};
    measure->count = 0;
    while (!is_enough(measure, begin_us)) {
        if (!repeat(measure, us))
            return false;
        for (int who = MEASURE_BASELINE; who <= MEASURE_STUDENT; who++)
            measure->bench->us[who][measure->count] = us[who];
        measure->count++;
    }
    sum_up(measure);
    return true;
}

/* A second measurement replaces a first one that leaves a threshold open. */
bool measure_times(struct measure *measure)
{
    const double begin_us = clock_us();
    double us[MEASURE_SIDES];
    measure->bench->is_same = !lab_has_inputs(measure->sides[MEASURE_STUDENT].run);
    for (int i = 0; i < WARM_UPS && (i == 0 || clock_us() - begin_us < warm_us); i++)
        if (!repeat(measure, us))
            return false;
    for (int i = 0; i < 2; i++) {
        if (!take_samples(measure))
            return false;
        if (!is_near(measure->sides[MEASURE_STUDENT].run->stage, measure->speedup.low, measure->speedup.high))
            break;
    }
    return true;
}

bool measure_open(struct measure *measure)
{
    int l2 = 0;
    struct measure_bench *bench = measure->bench = calloc(1, sizeof *bench);
    if (!bench)
        return ours(measure, "out of memory");
    cudaError_t error = cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
    bench->flush_bytes = 2 * (size_t)l2;
    if (error == cudaSuccess)
        error = cudaMalloc(&bench->flush, bench->flush_bytes);
    if (error == cudaSuccess)
        error = cudaEventCreate(&bench->begin);
    if (error == cudaSuccess)
        error = cudaEventCreate(&bench->end);
    return ours_cuda(measure, error);
}

void measure_close(struct measure *measure)
{
    struct measure_bench *bench = measure->bench;
    if (!bench)
        return;
    if (bench->begin)
        cudaEventDestroy(bench->begin);
    if (bench->end)
        cudaEventDestroy(bench->end);
    cudaFree(bench->flush);
    free(bench);
    measure->bench = NULL;
}

/* ------------------------------------------------------------------------------------------- other work */

static cudaError_t time_work(void (*work)(void *), void *context, cudaEvent_t begin, cudaEvent_t end,
                             double *us)
{
    float ms = 0;
    cudaEventRecord(begin, NULL);
    work(context);
    cudaEventRecord(end, NULL);
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&ms, begin, end);
    *us = (double)ms * 1e3;
    return error;
}

double measure_us(void (*work)(void *context), void *context)
{
    double us[USUAL_SAMPLES] = {0};
    cudaEvent_t begin = NULL, end = NULL;
    cudaError_t error = cudaEventCreate(&begin);
    if (error == cudaSuccess)
        error = cudaEventCreate(&end);
    for (int i = 0; i < USUAL_SAMPLES && error == cudaSuccess; i++)
        error = time_work(work, context, begin, end, &us[i]);
    if (begin)
        cudaEventDestroy(begin);
    if (end)
        cudaEventDestroy(end);
    return error == cudaSuccess ? stats_of(us, USUAL_SAMPLES).median : 0;
}

struct copy {
    void *to, *from;
};

static void copy_once(void *context)
{
    const struct copy *copy = context;
    cudaMemcpyAsync(copy->to, copy->from, LAB_COPY_BYTES, cudaMemcpyDeviceToDevice, NULL);
}

double measure_copy(void *to, void *from)
{
    struct copy copy = {to, from};
    const double us = to && from ? measure_us(copy_once, &copy) : 0;
    cudaGetLastError();
    return us > 0 ? 2e-3 * (double)LAB_COPY_BYTES / us : 0;
}
