/* steps.cu - the lectures' steps, timed: prints family,step,time_us of every version; on the virtual GPU also what
 * limits it. A time is the median of several launches between two events. They follow each other without a pause,
 * so L2 holds what the launch before left in it: warm. All are queued before the first is waited for: the host limits
 * only kernels that are shorter than their launch, as in any program.
 * Runs on libcudart and on the virtual GPU alike; with VGPU_EXECUTE=sample there is nothing to verify. */
#include "steps.h"

#include "../../vgpu.h"

#include <cmath>
#include <cstring>
#include <unistd.h>

enum { MOST_REPETITIONS = 101 };

static const struct {
    const struct step_family *family;
    const char *group; /* of the report: see families.def */
} families[] = {
#define FAMILY(name)   {&name##_family, "checked"},
#define OPEN(name)     {&name##_family, "open"},
#define HELD_OUT(name) {&name##_family, "held out"},
#include "families.def"
#undef FAMILY
#undef OPEN
#undef HELD_OUT
};

static struct {
    const char *family, *step; /* NULL: all */
    int repetitions = 15, warm_ups = 2;
    bool is_verify, is_list;
} options;

/* ------------------------------------------------------------------------------------------- arrays */

struct steps_array steps_output(size_t count)
{
    struct steps_array array = {NULL, NULL, count};
    STEPS_CHECK(cudaMalloc((void **)&array.device, count * sizeof(float)));
    STEPS_CHECK(cudaMemset(array.device, 0xff, count * sizeof(float)));
    return array;
}

void steps_upload(const struct steps_array *array)
{
    STEPS_CHECK(cudaMemcpy(array->device, array->host, array->count * sizeof(float), cudaMemcpyHostToDevice));
}

struct steps_array steps_input(size_t count, uint32_t seed)
{
    struct steps_array array = steps_output(count);
    array.host = (float *)malloc(count * sizeof(float));
    if (!array.host)
        exit(2);
    for (size_t i = 0; i < count; i++)
        array.host[i] = steps_value(i, seed);
    steps_upload(&array);
    return array;
}

void steps_free(struct steps_array *array)
{
    STEPS_CHECK(cudaFree(array->device));
    free(array->host);
    *array = {};
}

/* ------------------------------------------------------------------------------------------- limiters */

/* Defined where the virtual GPU is linked. */
extern "C" void vgpu_watch(const struct vgpu_watcher *watcher) __attribute__((weak));

/* The longest launch of the step under way. */
static struct {
    double time_us;
    char limiter[24];
} longest;

static void on_launch(void *, const struct vgpu_launch *launch)
{
    if (launch->time_us <= longest.time_us)
        return;
    longest.time_us = launch->time_us;
    snprintf(longest.limiter, sizeof longest.limiter, "%s", launch->limiter);
}

static void watch_launches(void)
{
    static struct vgpu_watcher watcher;
    watcher.launched = on_launch;
    if (vgpu_watch)
        vgpu_watch(&watcher);
}

/* ------------------------------------------------------------------------------------------- times */

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float time_us(const struct step *step)
{
    static cudaEvent_t begin[MOST_REPETITIONS], end[MOST_REPETITIONS];
    float ms[MOST_REPETITIONS];
    for (int i = 0; i < options.repetitions; i++) {
        STEPS_CHECK(cudaEventCreate(&begin[i]));
        STEPS_CHECK(cudaEventCreate(&end[i]));
    }
    for (int i = 0; i < options.warm_ups; i++)
        step->launch();
    for (int i = 0; i < options.repetitions; i++) {
        STEPS_CHECK(cudaEventRecord(begin[i]));
        step->launch();
        STEPS_CHECK(cudaEventRecord(end[i]));
    }
    STEPS_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < options.repetitions; i++) {
        STEPS_CHECK(cudaEventElapsedTime(&ms[i], begin[i], end[i]));
        STEPS_CHECK(cudaEventDestroy(begin[i]));
        STEPS_CHECK(cudaEventDestroy(end[i]));
    }
    qsort(ms, options.repetitions, sizeof *ms, by_value);
    return ms[options.repetitions / 2] * 1e3f;
}

static bool is_wanted(const char *chosen, const char *name)
{
    return !chosen || strcmp(chosen, name) == 0;
}

static void time_family(const struct step_family *family)
{
    family->prepare(family->timed_size);
    STEPS_CHECK(cudaDeviceSynchronize()); /* else the first step would begin behind the preparation */
    for (int i = 0; i < family->nsteps; i++) {
        if (!is_wanted(options.step, family->steps[i].name))
            continue;
        longest = {};
        printf("%s,%s,%.2f", family->name, family->steps[i].name, time_us(&family->steps[i]));
        printf(vgpu_watch ? ",%s\n" : "\n", longest.limiter);
        fflush(stdout);
    }
    family->finish();
}

/* ------------------------------------------------------------------------------------------- results */

static size_t count_wrong(const struct step_family *family, const float *expected, const float *got)
{
    size_t wrong = 0;
    for (size_t i = 0; i < family->out->count; i++)
        wrong += !(fabs((double)got[i] - (double)expected[i]) <= family->tolerance);
    return wrong;
}

/* At a size that the step can do. */
static bool verify_step(const struct step_family *family, const struct step *step)
{
    int size = step->multiple ? (family->odd_size / step->multiple + 1) * step->multiple : family->odd_size;
    family->prepare(size);
    size_t bytes = family->out->count * sizeof(float);
    float *expected = (float *)malloc(bytes), *got = (float *)malloc(bytes);
    if (!expected || !got)
        exit(2);
    family->reference(expected);
    step->launch();
    STEPS_CHECK(cudaGetLastError());
    if (family->collect)
        family->collect(got);
    else
        STEPS_CHECK(cudaMemcpy(got, family->out->device, bytes, cudaMemcpyDeviceToHost));
    size_t wrong = count_wrong(family, expected, got);
    printf("%s,%s,%s\n", family->name, step->name, wrong ? "WRONG" : "right");
    if (wrong)
        printf("  %zu of %zu are wrong at size %d\n", wrong, family->out->count, size);
    free(expected);
    free(got);
    family->finish();
    return wrong == 0;
}

static bool verify_family(const struct step_family *family)
{
    bool is_right = true;
    for (int i = 0; i < family->nsteps; i++)
        if (is_wanted(options.step, family->steps[i].name) && family->steps[i].multiple >= 0)
            is_right = verify_step(family, &family->steps[i]) && is_right;
    return is_right;
}

/* --------------------------------------------------------------------------------------- the command line */

static void list_family(const struct step_family *family, const char *group)
{
    for (int i = 0; i < family->nsteps; i++)
        printf("%s,%s,%s\n", family->name, family->steps[i].name, group);
}

static bool read_options(int argc, char **argv)
{
    for (int which; (which = getopt(argc, argv, "f:s:r:w:vl")) != -1;) {
        switch (which) {
        case 'f': options.family = optarg; break;
        case 's': options.step = optarg; break;
        case 'r': options.repetitions = atoi(optarg); break;
        case 'w': options.warm_ups = atoi(optarg); break;
        case 'v': options.is_verify = true; break;
        case 'l': options.is_list = true; break;
        default: return false;
        }
    }
    return optind == argc && options.repetitions >= 1 && options.repetitions <= MOST_REPETITIONS &&
           options.warm_ups >= 0;
}

static void print_heading(void)
{
    struct cudaDeviceProp properties;
    STEPS_CHECK(cudaGetDeviceProperties(&properties, 0));
    printf("# %s, CUDA %d.%d; median of %d launches, L2 warm after %d more\n", properties.name,
           CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100, options.repetitions, options.warm_ups);
    printf("family,step,time_us%s\n", vgpu_watch ? ",limiter" : "");
}

int main(int argc, char **argv)
{
    bool is_right = true;
    if (!read_options(argc, argv)) {
        fprintf(stderr, "steps [-f FAMILY] [-s STEP] [-r REPETITIONS] [-w WARM_UPS] [-v | -l]\n"
                        "  -v verifies at small sizes instead of timing; -l lists families and steps\n");
        return 2;
    }
    if (!options.is_verify && !options.is_list)
        print_heading();
    watch_launches();
    for (const auto &one : families) {
        const struct step_family *family = one.family;
        if (!is_wanted(options.family, family->name))
            continue;
        if (options.is_list)
            list_family(family, one.group);
        else if (options.is_verify)
            is_right = verify_family(family) && is_right;
        else
            time_family(family);
    }
    return is_right ? 0 : 1;
}
