/* main.c - runs a submission's host code once, on a virtual GPU that executes no kernel, and writes down what it asked for.
 * It holds the student's code, so nothing it says is trusted: its only product is a trace, which the judge checks.
 * It fills no inputs, judges nothing and knows no expected result.
 *
 *   scout --stage ID --source lab3.cu --out FILE     all cases of a stage; --case N or --case timed: one of them;
 *                                                    --step ID: the function of another stage in its place
 *   scout --baseline --source baseline.cu --out FILE the kit's baselines, timed case, all stages
 *
 * --shown NAME is what the student calls the file. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grader/scout.h"
#include "trace/build.h"
#include "trace/trace.h"
#include "vgpu/vgpu.h"

struct options {
    const char *stage, *step, *source, *shown, *out, *which;
    bool is_baseline;
};

/* One entry point on one case. */
struct scouting {
    struct trace *trace;
    const struct options *options;
    const char *name;       /* of the segment */
    struct lab_stage stage; /* a row, with the function that is called */
    uint32_t which;
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

static bool allocate(struct lab_run *run, struct trace_given *given)
{
    for (int i = 0; i < run->nbuffers; i++) {
        struct lab_buffer *buffer = &run->buffers[i];
        given[i].bytes = lab_buffer_bytes(buffer);
        if (cudaMalloc(&buffer->device, given[i].bytes) != cudaSuccess)
            return false;
        given[i].device = buffer->device;
    }
    return true;
}

/* The entry point may have freed them already, or reset the device: the recorder has told. */
static void release(struct lab_run *run)
{
    struct vgpu_place place;
    for (int i = 0; i < run->nbuffers; i++)
        if (vgpu_locate((uint64_t)(uintptr_t)run->buffers[i].device, &place))
            cudaFree(run->buffers[i].device);
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
    const cudaError_t error = call(scouting);
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
    release(run);
    return true;
}

static const struct lab_case *case_of(const struct lab_stage *stage, uint32_t which)
{
    return which < (uint32_t)lab.ncases ? &lab.cases[which] : lab_timed_case(&lab, stage);
}

static bool scout_case(struct scouting *scouting, uint32_t which)
{
    scouting->which = which;
    lab_begin_run(&scouting->run, &lab, &scouting->stage, case_of(&scouting->stage, which), SCOUT_SEED);
    return record(scouting);
}

/* ------------------------------------------------------------------------------------------- what is recorded */

static bool is_wanted(const struct options *options, uint32_t which)
{
    char number[16] = "timed";
    if (which != TRACE_TIMED)
        snprintf(number, sizeof number, "%u", which);
    return !options->which || !strcmp(options->which, number);
}

/* All cases of a stage, with the function of `step`: its own, but where somebody wants to know how far another gets. */
static bool scout_stage(const struct options *options, struct trace *trace, const struct lab_stage *stage,
                        const struct lab_stage *step)
{
    struct scouting scouting = {.trace = trace, .options = options, .name = stage->id, .stage = *stage};
    bool is_done = true;
    scouting.stage.entry = step->entry;
    scouting.stage.function = step->function;
    for (int i = 0; is_done && i < lab.ncases; i++)
        if (lab_case_applies(&lab.cases[i], stage) && is_wanted(options, (uint32_t)i))
            is_done = scout_case(&scouting, (uint32_t)i);
    return is_done && (!is_wanted(options, TRACE_TIMED) || scout_case(&scouting, TRACE_TIMED));
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
    return scout_case(&scouting, TRACE_TIMED);
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

/* The trace while it is made, NULL before and after; and the stage that it is about. */
static const struct trace *unfinished;
static const struct lab_stage *scouted;
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
    if (!last || !scouted)
        return;
    lab_describe_case(&lab, scouted, case_of(scouted, last->which), which, sizeof which);
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

static bool read_options(struct options *options, int argc, char **argv)
{
    enum { BASELINE = 6 };
    const char **const texts[] = {&options->stage, &options->source, &options->out,
                                  &options->which, &options->shown,  &options->step};
    static const struct option names[] = {
        {"stage", required_argument, NULL, 0},     {"source", required_argument, NULL, 1},
        {"out", required_argument, NULL, 2},       {"case", required_argument, NULL, 3},
        {"shown", required_argument, NULL, 4},     {"step", required_argument, NULL, 5},
        {"baseline", no_argument, NULL, BASELINE}, {NULL, 0, NULL, 0}};
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
        fprintf(
            stderr,
            "usage: %s --stage ID --source FILE.cu --out FILE [--case N|timed] [--step ID] [--shown NAME]\n"
            "       %s --baseline --source FILE.cu --out FILE\n",
            argv[0], argv[0]);
        return 2;
    }
    const struct lab_stage *stage = find_stage(options.stage), *step = find_stage(options.step);
    if (!stage != !options.stage || !step != !options.step)
        return 2;
    vgpu_set_execution(VGPU_EXECUTE_NONE);
    catch_crashes();
    struct trace *trace = trace_new();
    unfinished = trace;
    scouted = stage;
    shown = options.shown;
    recorder_listen(hear_note);
    atexit(tell_notes);
    bool is_done = trace &&
                   (stage ? scout_stage(&options, trace, stage, step ? step : stage)
                          : scout_baseline(&options, trace)) &&
                   write_whole(trace, options.out);
    unfinished = NULL;
    trace_free(trace);
    return is_done ? 0 : 2;
}
