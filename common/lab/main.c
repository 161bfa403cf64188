/* main.c - the program that a student runs by hand: build/lab3 [STAGE...] [options].
 * Runs stages on one size, checks the results and prints times. It gives no points and trusts the submission:
 * grading is the grader's work, in other processes.
 * Exit status: 0 all right, 1 something is wrong with the submission, 2 usage, or a failure of ours. */
#include <dlfcn.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "lab/device.h"
#include "lab/findings.h"

/* Defined where the virtual GPU is linked. */
#pragma weak vgpu_gpu
#pragma weak vgpu_watch

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_OURS = 2 };
enum { CPU_LIMIT = 1 << 22 }; /* elements; above, a GPU is asked for what is right, if there is one */

struct options {
    bool is_chosen[100]; /* per row of the stage table */
    bool has_choice, is_list, is_help;
    long size[LAB_SIZES]; /* 0: not given */
    long reps;            /* 0: not given */
    uint64_t seed;
};

static bool is_virtual(void)
{
    return vgpu_gpu != NULL;
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s%s%s\n", lab.id, what, why ? ": " : "", why ? why : "");
    return EXIT_OURS;
}

/* ------------------------------------------------------------------------------------------- options */

static void print_help(void)
{
    printf("usage: build/%s [STAGE...] [options]\n"
           "%s. Runs stages (all, if none is named), checks and times them.\n\n",
           lab.id, lab.title);
    for (int i = 0; i < LAB_SIZES && lab.size_names[i]; i++)
        printf("  -%c N       %s\n", lab.size_options[i], lab.size_names[i]);
    printf("  --reps N   times to measure; the median is shown (default: %d)\n"
           "  --seed N   of the inputs (default: 1)\n"
           "  --list     the stages and their points\n"
           "\n`./grade %s` gives points. Exit status: 0 right, 1 wrong, 2 not run.\n",
           is_virtual() ? 1 : 20, lab.id);
}

static void print_list(void)
{
    for (int i = 0; i < lab.nstages; i++) {
        const struct lab_stage *stage = &lab.stages[i];
        printf("%2d  %-10s %-44s ", i + 1, stage->id, stage->title);
        if (stage->is_given)
            printf("given\n");
        else
            printf("%d points%s\n", lab_stage_points(stage), stage->is_bonus ? ", bonus" : "");
    }
}

static bool read_number(const char *text, long *out)
{
    char *end;
    *out = strtol(text, &end, 10);
    return end != text && !*end && *out >= 1 && *out <= INT32_MAX;
}

static bool choose_stage(struct options *options, const char *name)
{
    const struct lab_stage *stage = lab_find_stage(&lab, name);
    if (!stage) {
        fprintf(stderr, "%s: no stage is called %s; --list shows them\n", lab.id, name);
        return false;
    }
    options->is_chosen[stage - lab.stages] = true;
    return options->has_choice = true;
}

/* The value of a numeric option, wherever it belongs. */
static bool take_number(struct options *options, int option, const char *text)
{
    long number;
    if (!read_number(text, &number)) {
        fprintf(stderr, "%s: %s is no number from 1 to %d\n", lab.id, text, INT32_MAX);
        return false;
    }
    if (option == 'r')
        options->reps = number;
    else if (option == 's')
        options->seed = (uint64_t)number;
    else
        for (int i = 0; i < LAB_SIZES; i++)
            if (lab.size_options[i] == option - 256)
                options->size[i] = number;
    return true;
}

/* Letters of sizes are the lab's own: in getopt's table they are 256 + letter, so that they cannot meet ours. */
static int option_of(int letter)
{
    for (int i = 0; i < LAB_SIZES; i++)
        if (lab.size_options[i] && lab.size_options[i] == letter)
            return 256 + letter;
    return '?';
}

static bool read_options(int argc, char **argv, struct options *options)
{
    static const struct option names[] = {{"reps", required_argument, NULL, 1},
                                          {"seed", required_argument, NULL, 2},
                                          {"list", no_argument, NULL, 3},
                                          {"help", no_argument, NULL, 4},
                                          {0}};
    char letters[2 * LAB_SIZES + 1] = "";
    for (int i = 0; i < LAB_SIZES && lab.size_options[i]; i++)
        snprintf(letters + 2 * i, 3, "%c:", lab.size_options[i]);
    bool is_right = true;
    for (int option; is_right && (option = getopt_long(argc, argv, letters, names, NULL)) != -1;) {
        if (option == 1 || option == 2)
            is_right = take_number(options, option == 1 ? 'r' : 's', optarg);
        else if (option == 3 || option == 4)
            *(option == 3 ? &options->is_list : &options->is_help) = true;
        else
            is_right = option != '?' && take_number(options, option_of(option), optarg);
    }
    while (is_right && optind < argc)
        is_right = choose_stage(options, argv[optind++]);
    if (!is_right)
        fprintf(stderr, "build/%s --help shows how to use it\n", lab.id);
    return is_right;
}

/* ------------------------------------------------------------------------------------------- sizes */

static size_t case_elements(const struct lab_stage *stage, const struct lab_case *which)
{
    struct lab_run run;
    size_t elements = 0;
    lab_begin_run(&run, &lab, stage, which, 1);
    for (int i = 0; i < run.nbuffers; i++)
        elements += run.buffers[i].count;
    return elements;
}

/* The timed case; on the virtual GPU, which would take minutes for it, the last of the others. */
static struct lab_case choose_case(const struct lab_stage *stage, const struct options *options)
{
    struct lab_case chosen = *lab_timed_case(&lab, stage);
    for (int i = 0; is_virtual() && i < lab.ncases; i++)
        if (lab_case_applies(&lab.cases[i], stage))
            chosen = lab.cases[i];
    for (int i = 0; i < LAB_SIZES; i++)
        if (options->size[i])
            chosen.size[i] = options->size[i];
    return chosen;
}

/* ------------------------------------------------------------------------------------------- memory */

static void free_buffers(struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++) {
        run->buffers[i].is_host ? free(run->buffers[i].device) : (void)cudaFree(run->buffers[i].device);
        free(run->buffers[i].host);
    }
}

/* The same bytes either way; a GPU makes them faster than this machine does. */
static const char *make_input(const struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    size_t bytes = lab_buffer_bytes(buffer);
    const char *problem = NULL;
    cudaError_t error;
    if (buffer->is_host || is_virtual()) {
        lab_fill(run, index, buffer->host);
        error = cudaMemcpy(buffer->device, buffer->host, bytes, cudaMemcpyDefault);
    } else {
        problem = lab_device_fill(run, index, buffer->device);
        error = cudaMemcpy(buffer->host, buffer->device, bytes, cudaMemcpyDeviceToHost);
    }
    return problem || error == cudaSuccess ? problem : cudaGetErrorString(error);
}

static const char *allocate(struct lab_buffer *buffer)
{
    if (buffer->is_host) {
        buffer->device = malloc(lab_buffer_bytes(buffer));
        return buffer->device ? NULL : "out of memory";
    }
    cudaError_t error = cudaMalloc(&buffer->device, lab_buffer_bytes(buffer));
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

static const char *make_buffers(struct lab_run *run)
{
    const char *problem = NULL;
    for (int i = 0; i < run->nbuffers && !problem; i++) {
        struct lab_buffer *buffer = &run->buffers[i];
        buffer->host = malloc(lab_buffer_bytes(buffer));
        if (!buffer->host)
            return "out of memory";
        problem = allocate(buffer);
        if (!problem)
            problem = buffer->role == LAB_IN ? make_input(run, i) : lab_device_poison(buffer, buffer->device);
    }
    return problem;
}

/* ------------------------------------------------------------------------------------------- what is found */

/* What the virtual GPU said of the stage that runs. */
static struct {
    enum lab_symptom symptom; /* the gravest */
    char places[32][80];      /* that have been told: one mistake is told once */
    int nplaces;
} found;

static bool is_told(const char *place)
{
    for (int i = 0; i < found.nplaces; i++)
        if (*place && !strncmp(found.places[i], place, sizeof found.places[i] - 1))
            return true;
    return false;
}

static void on_message(void *context, const struct vgpu_message *message)
{
    (void)context;
    if (message->severity != VGPU_WARNING)
        found.symptom = lab_graver(found.symptom, lab_symptom_of(message->kind));
    if (is_told(message->place))
        return;
    if (found.nplaces < LAB_COUNT(found.places))
        snprintf(found.places[found.nplaces++], sizeof found.places[0], "%s", message->place);
    fflush(stdout);
    fputs(message->text, stderr);
}

/* A GPU finds nothing out: it only has an error in the end. */
static void begin_watch(void)
{
    static const struct vgpu_watcher watcher = {.message = on_message};
    memset(&found, 0, sizeof found);
    if (is_virtual())
        vgpu_watch(&watcher);
}

static enum lab_symptom symptom_of_error(cudaError_t error)
{
    if (found.symptom != LAB_NO_SYMPTOM)
        return found.symptom;
    return error == cudaErrorIllegalAddress      ? LAB_FAULT
           : error == cudaErrorMisalignedAddress ? LAB_MISALIGNED
                                                 : LAB_STOPPED;
}

/* ------------------------------------------------------------------------------------------- what is right */

/* known: what a wrong output looks like; NULL: nothing is known. If it names the cause, no hint could say more. */
static void print_wrong(const struct lab_stage *stage, enum lab_symptom symptom, const char *text,
                        const char *known, bool is_cause)
{
    char hint[LAB_TEXT];
    lab_write_hint(&lab, stage, symptom, hint, sizeof hint);
    printf("  %-10s WRONG  %s\n", stage->id, text);
    if (known)
        printf("  %-10s        It looks like this: %s.\n", "", known);
    if (!known || !is_cause)
        printf("  %-10s        %s\n", "", hint);
}

static void *baseline_entry(const struct lab_stage *stage)
{
    const char *name = lab_answer(&lab, stage);
    return name ? dlsym(RTLD_DEFAULT, name) : NULL;
}

/* The reference's outputs from the kit's own kernel: on a GPU, for sizes that would take a CPU too long. */
static const char *run_baseline(const struct lab_run *run, void *function, void **expected)
{
    struct lab_stage stage = *run->stage;
    struct lab_run own = *run;
    memcpy(&stage.function, &function, sizeof function);
    own.stage = &stage;
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_OUT)
            own.buffers[i].device = expected[i];
    lab.call(&own);
    cudaError_t error = cudaDeviceSynchronize();
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

/* Writes output `index` as it should be to host memory. */
static const char *find_expected(const struct lab_run *run, int index, void *expected)
{
    void *device[LAB_BUFFERS] = {NULL}, *function = baseline_entry(run->stage);
    const char *problem = NULL;
    if (is_virtual() || !function || case_elements(run->stage, run->which) <= CPU_LIMIT) {
        lab_reference(run, index, expected);
        return NULL;
    }
    for (int i = 0; i < run->nbuffers && !problem; i++)
        if (run->buffers[i].role == LAB_OUT)
            problem = cudaMalloc(&device[i], lab_buffer_bytes(&run->buffers[i]))
                          ? "not enough memory on the GPU"
                          : lab_device_poison(&run->buffers[i], device[i]); /* some elements stay unwritten */
    if (!problem)
        problem = run_baseline(run, function, device);
    if (!problem &&
        cudaMemcpy(expected, device[index], lab_buffer_bytes(&run->buffers[index]), cudaMemcpyDeviceToHost))
        problem = "cannot copy the reference's results";
    for (int i = 0; i < run->nbuffers; i++)
        cudaFree(device[i]);
    return problem;
}

static enum lab_symptom symptom_of(const struct lab_difference *difference)
{
    if (found.symptom != LAB_NO_SYMPTOM)
        return found.symptom;
    if (difference->wanted && difference->unwritten == difference->wanted)
        return LAB_UNTOUCHED;
    return difference->unwritten == difference->wrong ? LAB_PARTLY : LAB_WRONG;
}

static void print_difference(const struct lab_run *run, int index, const void *expected,
                             const struct lab_difference *difference)
{
    enum lab_symptom symptom = symptom_of(difference);
    const bool is_chance = found.symptom != LAB_NO_SYMPTOM && found.symptom != LAB_UNINITIALISED;
    bool is_cause = false;
    const char *known =
        is_chance || symptom == LAB_UNTOUCHED ? NULL : lab_recognise(run, index, expected, &is_cause);
    print_wrong(run->stage, symptom, difference->text, known, is_cause);
}

/* After a fault that was asked for, the device gives nothing: what host code says is on the host. */
static bool fetch(struct lab_buffer *buffer)
{
    const size_t bytes = lab_buffer_bytes(buffer);
    if (!buffer->is_host)
        return cudaMemcpy(buffer->host, buffer->device, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    memcpy(buffer->host, buffer->device, bytes);
    return true;
}

static int compare_output(struct lab_run *run, int index)
{
    struct lab_buffer *buffer = &run->buffers[index];
    struct lab_difference difference = {0};
    void *expected = malloc(lab_buffer_bytes(buffer));
    const char *problem = expected ? find_expected(run, index, expected) : "out of memory";
    if (!problem && !fetch(buffer))
        problem = "cannot copy the results";
    if (problem) {
        free(expected);
        return fail(run->stage->id, problem);
    }
    lab_compare(buffer, expected, &difference);
    if (difference.wrong)
        print_difference(run, index, expected, &difference);
    free(expected);
    return difference.wrong ? EXIT_WRONG : EXIT_RIGHT;
}

/* ------------------------------------------------------------------------------------------- times */

static int compare_times(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* What is timed: a stage's call, or the copy that shows the memory's ceiling. */
struct job {
    void (*work)(void *context);
    void *context;
    void *flush; /* memory to write between measurements, so that none finds its data in L2 */
    size_t flush_bytes;
};

static void run_stage(void *context)
{
    lab.call(context);
}

struct copy {
    void *to, *from;
    size_t bytes;
};

static void run_copy(void *context)
{
    struct copy *copy = context;
    cudaMemcpyAsync(copy->to, copy->from, copy->bytes, cudaMemcpyDeviceToDevice, 0);
}

/* Median in milliseconds; negative: CUDA refused. */
static float measure(const struct job *job, long reps)
{
    cudaEvent_t begin, end;
    float *times = calloc((size_t)reps, sizeof *times), median = -1;
    if (!times || cudaEventCreate(&begin) || cudaEventCreate(&end)) {
        free(times);
        return -1;
    }
    cudaError_t error = cudaSuccess;
    for (long i = 0; i < reps && error == cudaSuccess; i++) {
        if (job->flush)
            cudaMemset(job->flush, 0, job->flush_bytes);
        cudaEventRecord(begin, 0);
        job->work(job->context);
        cudaEventRecord(end, 0);
        error = cudaEventSynchronize(end);
        if (error == cudaSuccess)
            error = cudaEventElapsedTime(&times[i], begin, end);
    }
    if (error == cudaSuccess) {
        qsort(times, (size_t)reps, sizeof *times, compare_times);
        median = times[reps / 2];
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    free(times);
    return median;
}

/* GB/s of a copy from device to device, reading and writing counted; 0: it could not be measured. */
static double measure_ceiling(void)
{
    struct copy copy = {.bytes = (size_t)1 << (is_virtual() ? 26 : 28)};
    struct job job = {.work = run_copy, .context = &copy};
    float ms = -1;
    if (!cudaMalloc(&copy.to, copy.bytes) && !cudaMalloc(&copy.from, copy.bytes) &&
        !cudaMemset(copy.from, 0, copy.bytes))
        ms = measure(&job, is_virtual() ? 1 : 20);
    cudaFree(copy.to);
    cudaFree(copy.from);
    return ms > 0 ? 2e-6 * (double)copy.bytes / ms : 0;
}

/* What the lab makes of right results. */
static void print_meaning(const struct lab_run *run)
{
    char text[160] = "";
    if (lab.tell)
        lab.tell(run, text, sizeof text);
    if (*text)
        printf("  %-10s        %s\n", "", text);
}

/* Right results, but not by right: what the virtual GPU found has been told above. */
static void print_dirt(const struct lab_stage *stage)
{
    char hint[LAB_TEXT];
    if (found.symptom == LAB_NO_SYMPTOM)
        return;
    lab_write_hint(&lab, stage, found.symptom, hint, sizeof hint);
    printf("  %-10s        not clean: %s\n", "", hint);
}

static int time_stage(struct lab_run *run, const struct options *options, double ceiling)
{
    struct job job = {.work = run_stage, .context = run};
    struct cudaDeviceProp properties;
    if (!cudaGetDeviceProperties(&properties, 0))
        job.flush_bytes = 2 * (size_t)properties.l2CacheSize;
    if (job.flush_bytes && cudaMalloc(&job.flush, job.flush_bytes))
        job.flush = NULL;
    /* the virtual GPU's time is the same every time */
    float ms = measure(&job, is_virtual() ? 1 : options->reps ? options->reps : 20);
    cudaFree(job.flush);
    if (ms < 0) {
        print_wrong(run->stage, LAB_STOPPED, "right at first, but it failed when it was called again", NULL,
                    false);
        return EXIT_WRONG;
    }
    double rate = ms > 0 ? lab_work(run) / (ms * 1e-3) : 0;
    printf("  %-10s right %10.2f us %10.4g %s", run->stage->id, ms * 1e3, rate, lab.unit);
    if (ceiling > 0)
        printf(" %5.0f %% of a copy", 100 * rate / ceiling);
    printf("\n");
    print_meaning(run);
    print_dirt(run->stage);
    return EXIT_RIGHT;
}

/* ------------------------------------------------------------------------------------------- a stage */

static int check_stage(struct lab_run *run)
{
    int status = EXIT_RIGHT;
    lab.call(run);
    cudaError_t error = cudaGetLastError();
    const bool is_refused = error != cudaSuccess;
    if (!is_refused)
        error = cudaDeviceSynchronize();
    if (error != cudaSuccess && !lab_is_only_said(run)) {
        print_wrong(run->stage, is_refused ? LAB_LAUNCH : symptom_of_error(error), cudaGetErrorString(error),
                    NULL, false);
        return EXIT_WRONG;
    }
    for (int i = 0; i < run->nbuffers && status == EXIT_RIGHT; i++)
        if (run->buffers[i].role == LAB_OUT)
            status = compare_output(run, i);
    return status;
}

static int run_one(const struct lab_stage *stage, const struct options *options, double ceiling)
{
    struct lab_run run;
    struct lab_case which = choose_case(stage, options);
    if (!stage->function) {
        print_wrong(stage, LAB_MISSING, "the file does not define its entry point", NULL, false);
        return EXIT_WRONG;
    }
    begin_watch();
    lab_begin_run(&run, &lab, stage, &which, options->seed);
    const char *problem = make_buffers(&run);
    int status = problem ? fail("cannot set up the buffers", problem) : check_stage(&run);
    if (status == EXIT_RIGHT && lab_is_only_said(&run))
        printf("  %-10s right\n", stage->id);
    else if (status == EXIT_RIGHT)
        status = time_stage(&run, options, ceiling);
    free_buffers(&run);
    return status;
}

/* An error that stays with the device would fail every stage behind it. */
static bool is_device_lost(void)
{
    cudaGetLastError();
    return cudaDeviceSynchronize() != cudaSuccess;
}

static int run_all(const struct options *options)
{
    double ceiling = strcmp(lab.unit, "GB/s") ? 0 : measure_ceiling();
    int worst = EXIT_RIGHT;
    for (int i = 0; i < lab.nstages; i++) {
        if (options->has_choice && !options->is_chosen[i])
            continue;
        int status = run_one(&lab.stages[i], options, ceiling);
        worst = status > worst ? status : worst;
        if (is_device_lost()) {
            printf("  The GPU is in an error state now: stages behind this one were not run.\n");
            break;
        }
    }
    return worst;
}

static int print_device(const struct options *options)
{
    struct cudaDeviceProp properties;
    struct lab_case which = choose_case(&lab.stages[0], options);
    char size[160];
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: no GPU answers (%s); `make %s VIRTUAL=1` builds for the virtual one\n", lab.id,
                cudaGetErrorString(error), lab.id);
        return EXIT_OURS;
    }
    lab_describe_case(&lab, NULL, &which, size, sizeof size);
    if (is_virtual())
        printf("%s on the virtual GPU as %s (times are its model's): %s\n", lab.id, properties.name, size);
    else
        printf("%s on %s: %s\n", lab.id, properties.name, size);
    return EXIT_RIGHT;
}

int main(int argc, char **argv)
{
    struct options options = {.seed = 1};
    const char *problem = lab_find_flaw(&lab);
    if (problem)
        return fail("the lab's table has a flaw", problem);
    if (!read_options(argc, argv, &options))
        return EXIT_OURS;
    if (options.is_help || options.is_list) {
        (options.is_help ? print_help : print_list)();
        return EXIT_RIGHT;
    }
    int status = print_device(&options);
    return status == EXIT_RIGHT ? run_all(&options) : status;
}
