/* main.c - runs a submission's host code once, on a virtual GPU that executes no kernel, and writes down what it asked for.
 * It holds the student's code, so nothing it says is trusted: its only product is a trace, which the judge checks.
 * Every case of a stage has a process of its own: what a first call sets up and keeps, each of them sets up.
 * It judges nothing, knows no expected result and makes no inputs as the judge does: where host code or kernels look at them,
 * they find other numbers.
 *
 *   scout --stage ID --source lab3.cu --out FILE     all cases of a stage; --case N or --case timed: one of them;
 *                                                    --step ID: the function of another stage in its place;
 *                                                    --draw N: the seed of the cases that are drawn
 *   scout --baseline --source baseline.cu --out FILE the kit's baselines, timed case, all stages
 *
 * --shown NAME is what the student calls the file. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/scout.h"
#include "lab/element.h"
#include "trace/build.h"
#include "trace/trace.h"
#include "vgpu/vgpu.h"

struct options {
    const char *stage, *step, *source, *shown, *out, *which, *draw;
    bool is_baseline;
};

/* One entry point on one case. */
struct scouting {
    struct trace *trace;
    const struct options *options;
    const char *name;       /* of the segment */
    struct lab_stage stage; /* a row, with the function that is called */
    uint32_t which;
    uint64_t seed;         /* that it is called with */
    struct lab_case sizes; /* of that case */
    struct lab_run run;
};

/* ------------------------------------------------------------------------------------------- notes */

__attribute__((format(printf, 3, 4))) static void note(struct trace_segment *segment, bool is_fatal,
                                                       const char *format, ...)
{
    struct trace_note *row = trace_add_note(segment);
    va_list list;
    if (!row)
        return;
    va_start(list, format);
    vsnprintf(row->text, sizeof row->text, format, list);
    va_end(list);
    row->is_fatal = is_fatal;
}

/* ------------------------------------------------------------------------------------------- one case */

/* Some numbers of the buffer's range, for host code that looks at a host array, and for kernels that run. */
static void put_numbers(const struct lab_buffer *buffer, void *out)
{
    for (size_t i = 0; i < buffer->count; i++) {
        const double part = (double)(i * 37 % 101) / 101;
        const double value = buffer->low + part * (buffer->high - buffer->low);
        element_store(buffer->type, out, i, element_bits(buffer->type, value));
    }
}

static bool fill(const struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t bytes = lab_buffer_bytes(buffer);
    void *filled = malloc(bytes + 1);
    if (!filled)
        return false;
    memset(filled, LAB_POISON, bytes);
    if (buffer->role == LAB_IN)
        put_numbers(buffer, filled);
    const bool is_done = cudaMemcpy(buffer->device, filled, bytes, cudaMemcpyDefault) == cudaSuccess;
    free(filled);
    return is_done;
}

static bool allocate_one(struct lab_buffer *buffer, uint64_t bytes)
{
    if (!buffer->is_host)
        return cudaMalloc(&buffer->device, bytes) == cudaSuccess;
    buffer->device = malloc(bytes + 1);
    return buffer->device != NULL;
}

static bool allocate(struct lab_run *run, struct trace_given *given)
{
    for (int i = 0; i < run->nbuffers; i++) {
        struct lab_buffer *buffer = &run->buffers[i];
        given[i].bytes = lab_buffer_bytes(buffer);
        given[i].is_host = buffer->is_host;
        if (!allocate_one(buffer, given[i].bytes) ||
            ((buffer->is_host || run->stage->is_executed) && !fill(run, i)))
            return false;
        given[i].memory = buffer->device;
    }
    return true;
}

/* The entry point may have freed them already, or reset the device: the recorder has told. Host arrays go with the process. */
static void release(struct lab_run *run)
{
    struct vgpu_place place;
    for (int i = 0; i < run->nbuffers; i++)
        if (!run->buffers[i].is_host && vgpu_locate((uint64_t)(uintptr_t)run->buffers[i].device, &place))
            cudaFree(run->buffers[i].device);
}

/* Constructors run before anything is recorded. What they ask of the GPU would be missing in every replay. */
static const char *early_call; /* NULL: there was none */

static void hear_early(void *context, const struct vgpu_operation *operation)
{
    (void)context;
    early_call = operation->call;
}

__attribute__((constructor(101))) static void listen_early(void)
{
    static const struct vgpu_watcher watcher = {.operation = hear_early};
    vgpu_watch(&watcher);
}

static void say(const struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].is_said)
            recorder_say((uint32_t)i);
}

static cudaError_t call(const struct scouting *scouting)
{
    cudaGetLastError();
    if (scouting->stage.function)
        lab.call(&scouting->run);
    return cudaGetLastError();
}

static bool record(struct scouting *scouting)
{
    struct trace_given given[LAB_BUFFERS] = {{0}};
    struct lab_run *run = &scouting->run;
    if (!allocate(run, given)) {
        fprintf(stderr, "scout: the buffers of this case do not fit on the virtual GPU\n");
        return false;
    }
    recorder_begin(scouting->trace, scouting->name, scouting->which, given, (uint32_t)run->nbuffers,
                   scouting->options->source);
    lab_hear_hosts(recorder_host);
    if (scouting->stage.is_executed)
        vgpu_set_execution(VGPU_EXECUTE_ALL);
    const cudaError_t error = call(scouting);
    say(run);
    if (!recorder_end() || scouting->trace->nsegments == 0) {
        fprintf(stderr, "scout: out of memory\n");
        return false;
    }
    struct trace_segment *segment = &scouting->trace->segments[scouting->trace->nsegments - 1];
    if (!scouting->stage.function)
        note(segment, true, SCOUT_MISSING "%s() in %s.", scouting->stage.entry, scouting->options->shown);
    else if (error != cudaSuccess)
        note(segment, false, "%s() left a CUDA error behind: %s (%s).", scouting->stage.entry,
             cudaGetErrorString(error), cudaGetErrorName(error));
    if (early_call)
        note(segment, true,
             "%s is called before the entry point, by a global object or a constructor; the grader replays "
             "only "
             "what entry points ask for.",
             early_call);
    release(run);
    return true;
}

static bool find_case(const struct options *options, const struct lab_stage *stage, uint32_t which,
                      struct lab_case *out)
{
    const uint64_t seed = options->draw ? strtoull(options->draw, NULL, 0) : 0;
    return lab_find_case(&lab, stage, which, seed, out);
}

/* True as well if the stage has no such case. */
static bool scout_case(struct scouting *scouting, uint32_t which)
{
    scouting->which = which;
    if (!find_case(scouting->options, &scouting->stage, which, &scouting->sizes))
        return true;
    lab_begin_run(&scouting->run, &lab, &scouting->stage, &scouting->sizes, scouting->seed);
    if (which == LAB_ON_HALF)
        vgpu_halve_sms(); /* this process ends with the case */
    return record(scouting);
}

/* A trace is there as a whole or not at all. */
static bool write_whole(const struct trace *trace, const char *path)
{
    char name[4096], error[256] = "";
    const int length = snprintf(name, sizeof name, "%s.part", path);
    bool is_done = length > 0 && (size_t)length < sizeof name &&
                   trace_write(trace, name, error, sizeof error) && rename(name, path) == 0;
    if (!is_done)
        fprintf(stderr, "scout: cannot write %s: %s\n", path, error);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- a process per case
 * The process that begins never calls an entry point: each case goes on from there in a copy of it. Cases hand the trace on
 * in a file, since all else that they did is gone with them. */

enum { AFTER_ENDLESS = 512 }; /* calls of a case once another has made them without an end: all are told of */

static const struct trace *unfinished; /* the trace while it is made, NULL before and after */

static void name_so_far(const struct options *options, char *out, size_t size)
{
    snprintf(out, size, "%s.so-far", options->out);
}

/* All cases together have the CPU time that the system gives each of their processes. */
static bool is_time_used_up(void)
{
    struct rusage used;
    struct rlimit limit;
    return getrusage(RUSAGE_CHILDREN, &used) == 0 && getrlimit(RLIMIT_CPU, &limit) == 0 &&
           limit.rlim_cur != RLIM_INFINITY &&
           (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) >= limit.rlim_cur;
}

static void die_of(int number)
{
    unfinished = NULL;
    signal(number, SIG_DFL);
    raise(number);
}

/* A case that ends otherwise than by writing its trace ends the whole in the same way. */
static void wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        die_of(WTERMSIG(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
    if (is_time_used_up())
        die_of(SIGXCPU);
}

/* Whoever left with 0 before the end has written nothing; whoever wrote nonsense hears of it from the judge. */
static void take_over(struct scouting *scouting, const char *so_far)
{
    char error[256] = "";
    const uint32_t before = scouting->trace->nsegments;
    struct trace *trace = trace_read(so_far, error, sizeof error);
    if (!trace)
        rename(so_far, scouting->options->out);
    if (!trace || trace->nsegments <= before)
        _exit(0);
    trace_free(scouting->trace);
    unfinished = scouting->trace = trace;
    const struct trace_segment *last = &trace->segments[trace->nsegments - 1];
    for (uint32_t i = 0; i < last->nnotes; i++)
        if (last->notes[i].kind == VGPU_ENDLESS_CALLS)
            recorder_set_most(AFTER_ENDLESS);
}

/* The case that this process is about, while its entry point runs. */
static const struct scouting *called;

static bool hand_on(const struct scouting *scouting)
{
    char so_far[4096];
    name_so_far(scouting->options, so_far, sizeof so_far);
    const bool is_done = write_whole(scouting->trace, so_far);
    fflush(NULL);
    return is_done;
}

/* A loop of calls without an end: what it has asked for is told, and nobody waits for more. */
static void end_case(void)
{
    recorder_on_full(NULL);
    _exit(recorder_end() && hand_on(called) ? 0 : 2);
}

static bool scout_apart(struct scouting *scouting, uint32_t which)
{
    char so_far[4096];
    if (!find_case(scouting->options, &scouting->stage, which, &scouting->sizes))
        return true;
    name_so_far(scouting->options, so_far, sizeof so_far);
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        fprintf(stderr, "scout: cannot start a process: %s\n", strerror(errno));
        return false;
    }
    if (child == 0) {
        called = scouting;
        recorder_on_full(end_case);
        _exit(scout_case(scouting, which) && hand_on(scouting) ? 0 : 2);
    }
    wait_for(child);
    take_over(scouting, so_far);
    return true;
}

/* ------------------------------------------------------------------------------------------- two seeds */

/* The last two segments are one call under two seeds: they become one. */
static void join_seeds(struct trace *trace)
{
    struct trace_segment *first = &trace->segments[trace->nsegments - 2];
    char why[600];
    uint32_t line;
    if (!trace_follow_seed(first, first + 1, SCOUT_SEED, SCOUT_OTHER_SEED, why, sizeof why, &line)) {
        note(first, true, "%s", why);
        first->notes[first->nnotes - 1].line = line;
    }
    trace_drop_segment(trace);
}

typedef bool scout_fn(struct scouting *scouting, uint32_t which);

static bool scout_seeds(struct scouting *scouting, uint32_t which, scout_fn *scout)
{
    const uint32_t before = scouting->trace->nsegments;
    scouting->seed = SCOUT_SEED;
    if (!scout(scouting, which))
        return false;
    if (!lab.has_seed || scouting->trace->nsegments == before)
        return true;
    scouting->seed = SCOUT_OTHER_SEED;
    if (!scout(scouting, which))
        return false;
    if (scouting->trace->nsegments == before + 2)
        join_seeds(scouting->trace);
    return true;
}

/* ------------------------------------------------------------------------------------------- what is recorded */

static bool is_wanted(const struct options *options, uint32_t which)
{
    char number[16] = "timed";
    if (which != LAB_TIMED)
        snprintf(number, sizeof number, "%u", which);
    return !options->which || !strcmp(options->which, number);
}

/* All cases of a stage, with the function of `step`: its own, but where somebody wants to know how far another gets. */
static bool scout_stage(const struct options *options, struct trace **trace, const struct lab_stage *stage,
                        const struct lab_stage *step)
{
    struct scouting scouting = {.trace = *trace, .options = options, .name = stage->id, .stage = *stage};
    bool is_done = true;
    scouting.stage.entry = step->entry;
    scouting.stage.function = step->function;
    for (uint32_t i = 0; is_done && i < (uint32_t)lab.ncases + LAB_DRAWN; i++)
        if (is_wanted(options, i))
            is_done = scout_seeds(&scouting, i, scout_apart);
    if (is_done && !options->which)
        is_done = scout_seeds(&scouting, LAB_MIDDLE, scout_apart);
    is_done = is_done && (!is_wanted(options, LAB_TIMED) || scout_seeds(&scouting, LAB_TIMED, scout_apart));
    is_done = is_done && (options->which || scout_seeds(&scouting, LAB_ON_HALF, scout_apart));
    *trace = scouting.trace;
    return is_done;
}

static void (*find_function(const char *entry))(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, entry);
    void (*function)(void);
    memcpy(&function, &symbol, sizeof function); /* C has no cast from a data pointer to a function's */
    return function;
}

static bool scout_role(const struct options *options, struct trace *trace, const struct lab_stage *stage,
                       enum scout_role role)
{
    struct scouting scouting = {.trace = trace, .options = options, .stage = *stage};
    char name[64];
    scouting.stage.entry = scout_entry(&lab, stage, role);
    if (!scouting.stage.entry)
        return true;
    scout_segment(stage, role, name, sizeof name);
    scouting.name = name;
    scouting.stage.function = find_function(scouting.stage.entry);
    return scout_seeds(&scouting, LAB_TIMED, scout_case);
}

static bool scout_baseline(const struct options *options, struct trace *trace)
{
    for (int i = 0; i < lab.nstages; i++)
        for (int role = 0; role < SCOUT_ROLES; role++)
            if (!scout_role(options, trace, &lab.stages[i], (enum scout_role)role))
                return false;
    return true;
}

/* ------------------------------------------------------------------------------------------- the program */

/* The trace while it is made, NULL before and after, is `unfinished`; this is the stage that it is about. */
static const struct lab_stage *scouted;
static const struct options *asked;
static const char *shown; /* the student's name for the file */

static void tell_note(const char *which, const struct trace_note *note)
{
    fprintf(stderr, "With %s: ", which);
    if (note->line)
        fprintf(stderr, "%s:%u: ", shown, note->line);
    fprintf(stderr, "%s\n", note->text);
}

/* CHECK() ends the process at a refused call: what the runtime had to say of it would be lost with the trace. */
static void tell_notes(void)
{
    const struct trace_segment *last =
        unfinished && unfinished->nsegments ? &unfinished->segments[unfinished->nsegments - 1] : NULL;
    char which[300] = "";
    struct lab_case sizes;
    if (!last || !scouted || !find_case(asked, scouted, last->which, &sizes))
        return;
    lab_describe_case(&lab, scouted, &sizes, which, sizeof which);
    for (uint32_t i = 0; i < last->nnotes; i++)
        tell_note(which, &last->notes[i]);
}

/* The virtual GPU explains this crash itself and then lets it happen: there is no later. */
static void hear_note(const struct trace_note *note)
{
    if (note->kind == VGPU_DEVICE_POINTER_ON_HOST)
        tell_notes();
}

/* There is not even a little left. */
static bool is_memory_gone(void)
{
    const size_t little = (size_t)64 << 20;
    void *memory = mmap(NULL, little, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        munmap(memory, little);
    return memory == MAP_FAILED;
}

static struct sigaction before[NSIG]; /* who looked after crashes before us */

/* A crash of host code: what is known of it is told. Then it happens again, for whoever looked after it before. */
static void on_crash(int number)
{
    sigaction(number, &before[number], NULL);
    if (is_memory_gone())
        fputs(SCOUT_NO_MEMORY "\n", stderr);
    tell_notes();
}

/* On the stack that the virtual GPU has set aside: the program's own may be what ran out. */
static void catch_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    for (int i = 0; i < LAB_COUNT(numbers); i++)
        sigaction(numbers[i], &action, &before[numbers[i]]);
}

static bool read_options(struct options *options, int argc, char **argv)
{
    enum { BASELINE = 7 };
    const char **const texts[] = {&options->stage, &options->source, &options->out, &options->which,
                                  &options->shown, &options->step,   &options->draw};
    static const struct option names[] = {{"stage", required_argument, NULL, 0},
                                          {"source", required_argument, NULL, 1},
                                          {"out", required_argument, NULL, 2},
                                          {"case", required_argument, NULL, 3},
                                          {"shown", required_argument, NULL, 4},
                                          {"step", required_argument, NULL, 5},
                                          {"draw", required_argument, NULL, 6},
                                          {"baseline", no_argument, NULL, BASELINE},
                                          {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (c == '?')
            return false;
        if (c == BASELINE)
            options->is_baseline = true;
        else
            *texts[c] = optarg;
    }
    if (!options->shown)
        options->shown = options->source;
    return optind == argc && options->source && options->out && !options->stage == options->is_baseline;
}

static const struct lab_stage *find_stage(const char *id)
{
    const struct lab_stage *stage = id ? lab_find_stage(&lab, id) : NULL;
    if (id && !stage)
        fprintf(stderr, "scout: %s has no stage %s\n", lab.id, id);
    return stage;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    if (!read_options(&options, argc, argv)) {
        fprintf(stderr,
                "usage: %s --stage ID --source FILE.cu --out FILE [--case N|timed] [--step ID] [--shown "
                "NAME] [--draw N]\n"
                "       %s --baseline --source FILE.cu --out FILE\n",
                argv[0], argv[0]);
        return 2;
    }
    const struct lab_stage *stage = find_stage(options.stage), *step = find_stage(options.step);
    if (!stage != !options.stage || !step != !options.step)
        return 2;
    vgpu_watch(NULL);
    vgpu_load(); /* once for all cases */
    vgpu_set_execution(VGPU_EXECUTE_NONE);
    catch_crashes();
    struct trace *trace = trace_new();
    unfinished = trace;
    scouted = stage;
    asked = &options;
    shown = options.shown;
    recorder_listen(hear_note);
    atexit(tell_notes);
    bool is_done = trace &&
                   (stage ? scout_stage(&options, &trace, stage, step ? step : stage)
                          : scout_baseline(&options, trace)) &&
                   write_whole(trace, options.out);
    unfinished = NULL;
    trace_free(trace);
    return is_done ? 0 : 2;
}
