/* bench.c - how long one stage of the kit's solution takes at the timed size, and what that is worth: bench STAGE [COPY FMA].
 * Prints a row: the stage, its base and both times, the rate, what the GPU can do at most of it, a library's call where one
 * does the same, and the highest threshold. Cells that are not known are empty. `bench --stages` lists the stages,
 * `bench --written` those that students write.
 * `bench --ceilings` prints COPY and FMA, the rates of a copy in GB/s and of multiply-adds in GFLOP/s, in a process that has done
 * nothing else: all rows of a run are compared with the same two. In a process that has timed lab 4 a copy is a tenth slower.
 * A process per stage: one that stops a GPU stops no other. On a GPU outputs are compared with the kit's own; on the virtual
 * GPU a sample of the blocks runs, and only the time is meant. Gives no points. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab/bench/bench.h"
#include "lab/buffers.h"
#include "lab/device.h"
#include "lab/untimed.h"
#include "vgpu/vgpu.h"

/* Defined where the virtual GPU is linked. */
#pragma weak vgpu_gpu
#pragma weak vgpu_time_us
#pragma weak vgpu_set_execution
#pragma weak vgpu_set_sample_seed
#pragma weak vgpu_set_timed
/* Defined where a GPU is used, and where a library does what the lab does. */
#pragma weak untimed_us
#pragma weak library_name
#pragma weak library_call

enum { REPETITIONS = 21, FEWEST = 5, WARM_UPS = 2, CEILING_BYTES = 256 << 20 };
static const double enough_us = 2e6; /* of one call: after so long, the fewest repetitions do */

static bool is_virtual(void)
{
    return vgpu_gpu != NULL;
}

static bool is_well(const char *what, const char *problem)
{
    if (problem)
        fprintf(stderr, "bench: %s: %s\n", what, problem);
    return !problem;
}

static bool is_cuda_well(const char *what, cudaError_t error)
{
    return is_well(what, error == cudaSuccess ? NULL : cudaGetErrorString(error));
}

/* ------------------------------------------------------------------------------------------- what is timed */

/* One of the calls that are compared. */
struct job {
    void (*work)(const void *context);
    const void *context;
    bool is_by_clock; /* the host takes part: by its clock, without what is set up */
    double us[REPETITIONS];
};

static double clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static bool time_by_clock(const struct job *job, double *us)
{
    cudaDeviceSynchronize();
    const double begin = clock_us(), untimed = untimed_us();
    job->work(job->context);
    const bool is_done = is_cuda_well("a call stopped", cudaDeviceSynchronize());
    *us = clock_us() - begin - (untimed_us() - untimed);
    return is_done;
}

static void call_stage(const void *context)
{
    lab.call(context);
}

static void call_library(const void *context)
{
    library_call(context);
}

static void call_copy(const void *context)
{
    void *const *buffers = context;
    cudaMemcpyAsync(buffers[0], buffers[1], CEILING_BYTES, cudaMemcpyDeviceToDevice, NULL);
}

static void call_fma(const void *context)
{
    bench_fma(*(void *const *)context);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

/* Nothing waits between the flush and the first event: while L2 is written, the host does what it must before a launch. */
static bool time_on_gpu(const struct job *job, void *flush, size_t flush_bytes, double *us)
{
    static cudaEvent_t begin, end;
    float ms = 0;
    if (!begin && (cudaEventCreate(&begin) || cudaEventCreate(&end)))
        return false;
    cudaMemset(flush, 0, flush_bytes);
    if (job->is_by_clock)
        return time_by_clock(job, us);
    cudaEventRecord(begin, NULL);
    job->work(job->context);
    cudaEventRecord(end, NULL);
    const bool is_done = is_cuda_well("a call stopped", cudaDeviceSynchronize()) &&
                         is_cuda_well("no time", cudaEventElapsedTime(&ms, begin, end));
    *us = (double)ms * 1e3;
    return is_done;
}

struct flush {
    void *memory;
    size_t bytes;
};

static bool open_flush(struct flush *flush)
{
    struct cudaDeviceProp properties;
    if (!is_cuda_well("no GPU", cudaGetDeviceProperties(&properties, 0)))
        return false;
    flush->bytes = 4 * (size_t)properties.l2CacheSize;
    return is_cuda_well("L2 cannot be flushed", cudaMalloc(&flush->memory, flush->bytes));
}

/* Each job once, into its place number `turn`. */
static bool run_turn(struct job *jobs, int count, const struct flush *flush, int turn)
{
    bool is_done = true;
    for (int i = 0; is_done && i < count; i++)
        is_done = time_on_gpu(&jobs[i], flush->memory, flush->bytes, &jobs[i].us[turn]);
    return is_done;
}

/* Jobs take turns, so that clocks and temperature touch all alike. Leaves the medians in us[0]. */
static bool measure_on_gpu(struct job *jobs, int count)
{
    struct flush flush = {NULL, 0};
    bool is_done = open_flush(&flush);
    int turns = 0;
    for (int i = 0; is_done && i < WARM_UPS; i++)
        is_done = run_turn(jobs, count, &flush, 0);
    for (double us = 0; is_done && turns < REPETITIONS && (turns < FEWEST || us < enough_us);
         us += jobs[0].us[turns++])
        is_done = run_turn(jobs, count, &flush, turns);
    for (int i = 0; is_done && i < count; i++)
        jobs[i].us[0] = median(jobs[i].us, turns);
    cudaFree(flush.memory);
    return is_done;
}

static bool measure_virtual(struct job *job)
{
    cudaDeviceSynchronize();
    const double begin = vgpu_time_us();
    job->work(job->context);
    const bool is_done = is_cuda_well("a call stopped", cudaDeviceSynchronize());
    job->us[0] = vgpu_time_us() - begin;
    return is_done;
}

/* ------------------------------------------------------------------------------------------- a side */

/* The stage's own call, or one of the kit's with the same parameters. */
struct side {
    struct lab_stage stage;
    struct lab_run run;
};

static void close_side(struct side *side)
{
    for (int i = 0; i < side->run.nbuffers; i++) {
        const struct lab_buffer *buffer = &side->run.buffers[i];
        buffer->is_host ? free(buffer->device) : (void)cudaFree(buffer->device);
    }
}

static cudaError_t allocate(struct lab_buffer *buffer)
{
    if (!buffer->is_host)
        return cudaMalloc(&buffer->device, lab_buffer_bytes(buffer));
    buffer->device = calloc(1, lab_buffer_bytes(buffer));
    return buffer->device ? cudaSuccess : cudaErrorMemoryAllocation;
}

static bool set_buffer(const struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    return is_well(buffer->name, lab_device_fill(run, index, buffer->device));
}

/* entry: NULL: the stage's own. */
static bool open_side(struct side *side, const struct lab_stage *stage, void *entry)
{
    side->stage = *stage;
    if (entry)
        memcpy(&side->stage.function, &entry, sizeof entry);
    lab_begin_run(&side->run, &lab, &side->stage, lab_timed_case(&lab, stage), 1);
    bool is_open = true;
    for (int i = 0; is_open && i < side->run.nbuffers; i++) {
        struct lab_buffer *buffer = &side->run.buffers[i];
        is_open = is_cuda_well(buffer->name, allocate(buffer));
        if (is_open && !is_virtual())
            is_open = set_buffer(&side->run, i);
    }
    return is_open;
}

/* Of a grid's blocks some, unless the stage says that all have to be. As on a GPU, what is timed is not the first call: caches hold
 * what that has left there. */
static bool run_virtual(struct side *side, double *us)
{
    struct job job = {.work = call_stage, .context = &side->run};
    const bool is_whole = side->stage.is_whole;
    const char *problem = is_whole ? buffers_fill_device(&side->run) : buffers_fill_late(&side->run, false);
    bool is_done = !problem;
    vgpu_set_execution(is_whole ? VGPU_EXECUTE_ALL : VGPU_EXECUTE_SAMPLE);
    for (int call = is_whole; is_done && call < 2; call++) {
        vgpu_set_timed(call > 0);
        is_done = measure_virtual(&job);
    }
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    *us = job.us[0];
    return is_done;
}

static bool time_side(const struct lab_stage *stage, void *entry, double *us)
{
    struct side side = {0};
    const bool is_done = open_side(&side, stage, entry) && run_virtual(&side, us);
    close_side(&side);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- all times of a stage */

struct times {
    double stage_us, base_us, library_us; /* 0: not known */
};

static void *find_entry(const char *name)
{
    return name ? dlsym(RTLD_DEFAULT, name) : NULL;
}

static bool compare_outputs(const struct side *right, const struct side *own)
{
    size_t wrong = 0;
    for (int i = 0; !wrong && i < own->run.nbuffers; i++) {
        const struct lab_buffer *buffer = &own->run.buffers[i];
        if (buffer->role == LAB_OUT &&
            !is_well(buffer->name,
                     lab_device_compare(buffer, buffer->device, right->run.buffers[i].device, &wrong)))
            return false;
    }
    return is_well(own->stage.id, wrong ? "its results are not those of the kit's own kernel" : NULL);
}

/* What is right comes from the kit's own kernel: `right` has buffers of the same sizes. Some elements stay unwritten. */
static bool verify(struct side *right, const struct side *own)
{
    void *answer = find_entry(lab_answer(&lab, &own->stage));
    if (!answer)
        return true;
    for (int i = 0; i < right->run.nbuffers; i++)
        if (right->run.buffers[i].role == LAB_OUT && !set_buffer(&right->run, i))
            return false;
    memcpy(&right->stage.function, &answer, sizeof answer);
    lab.call(&right->run);
    return is_cuda_well("the kit's own kernel", cudaDeviceSynchronize()) && compare_outputs(right, own);
}

/* A library's results go where the kit's were. */
static bool find_times_on_gpu(const struct lab_stage *stage, struct times *times)
{
    void *base = find_entry(lab_baseline(&lab, stage));
    struct side own = {0}, other = {0};
    struct job jobs[3] = {{.work = call_stage, .context = &own.run},
                          {.work = call_stage, .context = &other.run}};
    bool is_done = open_side(&own, stage, NULL) && open_side(&other, stage, base);
    jobs[0].is_by_clock = jobs[1].is_by_clock = lab_has_host(&own.run);
    int count = base ? 2 : 1;
    const int library = library_call && is_done && library_call(&other.run) ? count++ : 0;
    if (library)
        jobs[library] = (struct job){.work = call_library, .context = &other.run};
    is_done = is_done && measure_on_gpu(jobs, count) && verify(&other, &own);
    if (is_done)
        *times = (struct times){jobs[0].us[0], base ? jobs[1].us[0] : 0, library ? jobs[library].us[0] : 0};
    close_side(&own);
    close_side(&other);
    return is_done;
}

static void sample_blocks(void)
{
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_sample_seed(lab_sample_seed(1));
}

static bool find_times(const struct lab_stage *stage, struct times *times)
{
    void *base = find_entry(lab_baseline(&lab, stage));
    if (!is_virtual())
        return find_times_on_gpu(stage, times);
    sample_blocks();
    return time_side(stage, NULL, &times->stage_us) && (!base || time_side(stage, base, &times->base_us));
}

/* ------------------------------------------------------------------------------------------- ceilings */

static double measure_alone(struct job *job)
{
    if (is_virtual())
        return measure_virtual(job) ? job->us[0] : 0;
    return measure_on_gpu(job, 1) ? job->us[0] : 0;
}

static double copy_rate(void)
{
    void *buffers[2] = {NULL, NULL};
    struct job job = {.work = call_copy, .context = buffers};
    double us = 0;
    if (!cudaMalloc(&buffers[0], CEILING_BYTES) && !cudaMalloc(&buffers[1], CEILING_BYTES))
        us = measure_alone(&job);
    cudaFree(buffers[0]);
    cudaFree(buffers[1]);
    return us > 0 ? 2e-3 * CEILING_BYTES / us : 0;
}

static double fma_rate(void)
{
    void *out = NULL;
    struct job job = {.work = call_fma, .context = &out};
    const double us = cudaMalloc(&out, bench_fma_bytes()) ? 0 : measure_alone(&job);
    cudaFree(out);
    return us > 0 ? 1e-3 * bench_fma_operations() / us : 0;
}

enum { COPY, FMA, NRATES };
static const struct rate {
    const char *name;
    double (*measure)(void);
} rates[NRATES] = {[COPY] = {"copy", copy_rate}, [FMA] = {"FMA", fma_rate}};

/* What limits work of a unit at most, and how many of these are one of the rate's. */
static const struct ceiling {
    const char *unit;
    int rate;
    double scale;
} ceilings[] = {
    {"GB/s", COPY, 1},
    {"GFLOP/s", FMA, 1},
    {"GFlop/s", FMA, 1},
    {"TFLOP/s", FMA, 1e-3},
};

static const struct ceiling *find_ceiling(const char *unit)
{
    for (int i = 0; i < LAB_COUNT(ceilings); i++)
        if (!strcmp(ceilings[i].unit, unit))
            return &ceilings[i];
    return NULL;
}

static int put_ceilings(void)
{
    double known[NRATES];
    bool is_known = true;
    if (is_virtual())
        sample_blocks();
    for (int i = 0; i < NRATES; i++) {
        known[i] = rates[i].measure();
        is_known = is_known && known[i] > 0;
    }
    if (is_known)
        printf("%.6g %.6g\n", known[COPY], known[FMA]);
    return is_known ? 0 : 1;
}

/* ------------------------------------------------------------------------------------------- the row */

static void put_number(double value)
{
    printf(value > 0 ? ",%.6g" : ",", value);
}

static double highest_tier(const struct lab_stage *stage)
{
    double highest = 0;
    for (int i = 0; i < LAB_TIERS; i++)
        if (stage->speed[i].speedup > highest)
            highest = stage->speed[i].speedup;
    return highest;
}

/* "naive" for baseline_naive. */
static const char *base_name(const struct lab_stage *stage)
{
    const char *name = lab_baseline(&lab, stage);
    return !name ? "" : !strncmp(name, "baseline_", 9) ? name + 9 : name;
}

/* given: what --ceilings printed, or NULL: measured here. */
static double highest_rate(const struct ceiling *ceiling, char **given)
{
    return ceiling->scale * (given ? strtod(given[ceiling->rate], NULL) : rates[ceiling->rate].measure());
}

static void put_row(const struct lab_stage *stage, const struct times *times, char **given)
{
    const struct ceiling *ceiling = find_ceiling(lab.unit);
    struct lab_run run;
    lab_begin_run(&run, &lab, stage, lab_timed_case(&lab, stage), 1);
    printf("%s,%s,%s,%s", lab.id, stage->id,
           stage->is_given   ? "given"
           : stage->is_bonus ? "bonus"
                             : "",
           times->base_us > 0 ? base_name(stage) : "");
    put_number(times->base_us);
    put_number(times->stage_us);
    put_number(times->stage_us > 0 ? lab_work(&run) / (times->stage_us * 1e-6) : 0);
    printf(",%s,%s", lab.unit, ceiling ? rates[ceiling->rate].name : "");
    put_number(ceiling && times->stage_us > 0 ? highest_rate(ceiling, given) : 0);
    printf(",%s", times->library_us > 0 ? library_name : "");
    put_number(times->library_us);
    put_number(highest_tier(stage));
    printf("\n");
}

/* A stage without a base is about something else than speed. */
static bool is_timed(const struct lab_stage *stage)
{
    const struct lab_case *timed = lab_timed_case(&lab, stage);
    bool has_size = false;
    for (int i = 0; i < LAB_SIZES; i++)
        has_size = has_size || timed->size[i];
    return has_size && stage->function && lab_baseline(&lab, stage);
}

static int list_stages(bool has_given)
{
    for (int i = 0; i < lab.nstages; i++)
        if (has_given || !lab.stages[i].is_given)
            puts(lab.stages[i].id);
    return 0;
}

int main(int argc, char **argv)
{
    struct times times = {0};
    if (argc == 2 && (!strcmp(argv[1], "--stages") || !strcmp(argv[1], "--written")))
        return list_stages(!strcmp(argv[1], "--stages"));
    if (argc == 2 && !strcmp(argv[1], "--ceilings"))
        return put_ceilings();
    const struct lab_stage *stage = argc == 2 || argc == 2 + NRATES ? lab_find_stage(&lab, argv[1]) : NULL;
    if (!stage) {
        fprintf(stderr, "usage: %s STAGE [COPY FMA] | --ceilings | --stages | --written\n", argv[0]);
        return 2;
    }
    const bool is_done = !is_timed(stage) || find_times(stage, &times);
    put_row(stage, is_done ? &times : &(struct times){0}, argc > 2 ? argv + 2 : NULL);
    return is_done ? 0 : 1;
}
