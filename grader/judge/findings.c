/* findings.c - the watcher of the judge: messages of the checkers become records of the verdict and one symptom.
 * A flood of messages or of device printf costs no memory: what is over the limits is dropped.
 * Whether a finding costs points is not decided here. */
#define _GNU_SOURCE
#include "grader/judge/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/judge/pipeline.h"
#include "lab/findings.h"

/* Remarks, which a submission can have as many of as it likes, leave room for findings, which cost it points. */
enum { MOST_REMARKS = 20, MOST_MESSAGES = 60, LONGEST_TEXT = 4000 };

/* ------------------------------------------------------------------------------------------- symptoms */

enum lab_symptom findings_symptom(const struct findings *findings)
{
    const bool is_stopped = findings->told.symptom == LAB_ENDLESS || findings->told.symptom == LAB_LIMIT;
    return is_stopped && findings->has_prints ? LAB_PRINTS : findings->told.symptom;
}

/* ------------------------------------------------------------------------------------------- messages */

/* Text comes from kernels and file names of a submission: it may not steer a terminal. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\n' && *text != '\t') || *text == 0x7f)
            *text = '?';
}

void findings_tell_again(struct judge *judge, const struct verdict_message *message)
{
    pthread_mutex_lock(&judge->lock);
    verdict_note(judge->verdict, message, verdict_is_finding(message) ? MOST_MESSAGES : MOST_REMARKS);
    pthread_mutex_unlock(&judge->lock);
}

static void add_message(struct findings *findings, struct verdict_message *message)
{
    make_plain(message->title);
    make_plain(message->place);
    make_plain(message->text);
    findings_tell_again(findings->judge, message);
}

static void on_message(void *context, const struct vgpu_message *told)
{
    struct findings *findings = context;
    char text[LONGEST_TEXT];
    struct verdict_message message = {
        .which = findings->which, .symptom = lab_symptom_of(told->kind), .text = text};
    snprintf(message.severity, sizeof message.severity, "%s", vgpu_severity_name(told->severity));
    snprintf(message.title, sizeof message.title, "%s", told->title);
    snprintf(message.place, sizeof message.place, "%s", told->place);
    snprintf(text, sizeof text, "%s", told->text);
    findings->has_prints |=
        message.symptom == LAB_PRINTS;  /* may explain why a kernel does not come to its end */
    if (told->severity != VGPU_WARNING) /* which makes nothing wrong */
        lab_keep_found(&findings->told, message.symptom, message.place, message.title);
    add_message(findings, &message);
}

/* What the program does after a limit of ours has stopped a call says little about the program. */
static void add_note(struct findings *findings, const struct trace_note *note)
{
    char text[sizeof note->text + sizeof((struct verdict_message *)0)->place + 2];
    struct verdict_message message = {.which = findings->which, .severity = "refused", .text = text};
    snprintf(message.title, sizeof message.title, "%.95s", note->text);
    if (note->line)
        snprintf(message.place, sizeof message.place, "%.140s:%u", findings->judge->shown, note->line);
    snprintf(text, sizeof text, "%s%s%s", message.place, note->line ? ": " : "", note->text);
    const enum lab_symptom symptom = lab_symptom_of((enum vgpu_finding)note->kind);
    findings->has_refusal |= symptom == LAB_LAUNCH;
    message.symptom = symptom == LAB_LIMIT ? LAB_LIMIT : LAB_NO_SYMPTOM;
    lab_keep_found(&findings->told, message.symptom, message.place, message.title);
    add_message(findings, &message);
}

void findings_add_notes(struct findings *findings, const struct trace_segment *segment)
{
    for (uint32_t i = 0; i < segment->nnotes; i++)
        if (segment->notes[i].kind != VGPU_HANDLE_LEAK)
            add_note(findings, &segment->notes[i]);
}

/* ------------------------------------------------------------------------------------------- leaks */

/* It explains no wrong result, so it is no symptom of the case. */
static void add_leak(struct findings *findings, const char *title, uint32_t line, const char *what)
{
    char text[sizeof((struct trace_note *)0)->text + 300];
    struct verdict_message message = {
        .which = findings->which, .symptom = LAB_LEAK, .severity = "error", .text = text};
    snprintf(message.title, sizeof message.title, "%s", title);
    snprintf(message.place, sizeof message.place, "%.140s:%u", findings->judge->shown, line);
    snprintf(text, sizeof text, "%s: %s\n    %s\n", message.place, title, what);
    add_message(findings, &message);
}

/* What one operation makes and another one gives back. */
static const struct leak {
    enum trace_kind made, freed;
    enum trace_space space;
    const char *title, *call;
} leaks[] = {
    {TRACE_ALLOC, TRACE_FREE, TRACE_OWN, "device memory that is never freed", "cudaFree"},
    {TRACE_ARRAY_ALLOC, TRACE_DROP, TRACE_IMAGE, "an array that is never freed", "cudaFreeArray"},
};

static bool is_freed(const struct trace_segment *segment, const struct leak *leak, uint32_t index)
{
    for (uint32_t i = 0; i < segment->nops; i++)
        if (segment->ops[i].kind == leak->freed && segment->ops[i].to.space == leak->space &&
            segment->ops[i].to.index == index)
            return true;
    return false;
}

/* How often a line makes what is never freed. */
static unsigned count_leaks(const struct trace_segment *segment, const struct leak *leak, uint32_t line)
{
    unsigned times = 0;
    for (uint32_t i = 0; i < segment->nops; i++)
        times += segment->ops[i].kind == leak->made && segment->ops[i].line == line &&
                 !is_freed(segment, leak, segment->ops[i].to.index);
    return times;
}

static void add_leaks_of(struct findings *findings, const struct trace_segment *segment,
                         const struct leak *leak)
{
    char what[200], more[60];
    uint32_t told = 0; /* the line before: a loop makes thousands */
    for (uint32_t i = 0; i < segment->nops; i++) {
        const struct trace_op *op = &segment->ops[i];
        if (op->kind != leak->made || (told && op->line == told) || is_freed(segment, leak, op->to.index))
            continue;
        told = op->line;
        const unsigned times = count_leaks(segment, leak, op->line);
        more[0] = '\0';
        if (times > 1 && op->line)
            snprintf(more, sizeof more, ", %u times in one call", times);
        snprintf(what, sizeof what,
                 "%llu bytes are allocated here%s, and the entry point ends without a %s() of them",
                 (unsigned long long)(op->width * (op->height ? op->height : 1)), more, leak->call);
        add_leak(findings, leak->title, op->line, what);
    }
}

void findings_add_leaks(struct findings *findings, const struct trace_segment *segment)
{
    for (size_t i = 0; i < sizeof leaks / sizeof leaks[0]; i++)
        add_leaks_of(findings, segment, &leaks[i]);
    for (uint32_t i = 0; i < segment->nnotes; i++)
        if (segment->notes[i].kind == VGPU_HANDLE_LEAK)
            add_leak(findings, "something that is never given back", segment->notes[i].line,
                     segment->notes[i].text);
}

/* ------------------------------------------------------------------------------------------- prints */

static void on_printed(void *context, const char *text, size_t size)
{
    struct findings *findings = context;
    const size_t room = sizeof findings->printed - 1 - findings->nprinted;
    if (size > room)
        size = room;
    for (size_t i = 0; i < size; i++)
        findings->printed[findings->nprinted++] = text[i] ? text[i] : '?';
}

/* ------------------------------------------------------------------------------------------- counters */

/* Sums of these would mean nothing. */
static bool is_of_longest(const char *name)
{
    static const char *const names[] = {"registers_per_thread", "occupancy", "shared_bytes_per_block",
                                        "blocks_per_sm", "spilled_bytes_per_thread"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Loads by one lane, or by lanes that all load the same, take a sector each. */
static bool is_serial(const struct vgpu_launch *launch)
{
    const double few = 1.5,
                 requests = lab_counter_of(launch, "global_load_requests") +
                            lab_counter_of(launch, "texture_requests"),
                 sectors = lab_counter_of(launch, "global_load_sectors") +
                           lab_counter_of(launch, "texture_sectors");
    return requests > 0 && sectors < few * requests;
}

/* What a launch did and what limits it, as long as none is longer. */

static void keep_moment(const struct findings *findings, const struct vgpu_launch *launch)
{
    size_t size;
    struct judge *judge = findings->judge;
    if (!judge->wants_moment || judge->moment || findings->hides_values || !launch->profile ||
        !launch->profile->has_moment)
        return;
    FILE *file = open_memstream(&judge->moment, &size);
    if (!file)
        return;
    vgpu_profile_json(file, launch, true);
    fclose(file);
}

static void keep_largest(struct findings_launches *launches, const struct vgpu_launch *launch)
{
    const double instructions = lab_counter_of(launch, "warp_instructions");
    if (instructions <= launches->largest)
        return;
    launches->largest = instructions;
    launches->part = (struct lab_part){launch->first, launch->blocks, launch->of,
                                       launch->block[0] * launch->block[1] * launch->block[2]};
}

static void on_launched(void *context, const struct vgpu_launch *launch)
{
    keep_moment(context, launch);
    struct findings_launches *launches = &((struct findings *)context)->launches;
    vgpu_kernels_add(&((struct findings *)context)->kernels, launch);
    if (((struct findings *)context)->judge->pipeline)
        pipeline_launched(((struct findings *)context)->judge->pipeline, launch->time_us);
    coverage_add(&((struct findings *)context)->covered, launch,
                 lab_counter_of(launch, "thread_instructions"));
    const bool is_longest = launches->count == 0 || launch->time_us > launches->longest_us;
    if (!launches->values)
        launches->values = calloc(launch->ncounters, sizeof *launches->values);
    if (!launches->values)
        return;
    launches->names = launch->names;
    launches->ncounters = launch->ncounters;
    launches->count++;
    launches->is_partial = launches->is_partial || launch->is_partial;
    launches->shared_bytes += lab_counter_of(launch, "shared_bytes_per_block") * (double)launch->grid[0] *
                              (double)launch->grid[1] * (double)launch->grid[2];
    launches->serial_us += is_serial(launch) ? launch->time_us : 0;
    keep_largest(launches, launch);
    for (size_t i = 0; i < launch->ncounters; i++)
        if (!is_of_longest(launch->names[i]))
            launches->values[i] += launch->values[i];
        else if (is_longest)
            launches->values[i] = launch->values[i];
    if (!is_longest)
        return;
    launches->longest_us = launch->time_us;
    snprintf(launches->limiter, sizeof launches->limiter, "%s", launch->limiter);
}

static void on_timed(void *context, const struct vgpu_span *span)
{
    struct pipeline *pipeline = ((struct findings *)context)->judge->pipeline;
    struct pipeline_span told = {.kind = (unsigned char)span->kind,
                                 .stream = (unsigned)span->stream,
                                 .bytes = (double)span->bytes,
                                 .from_us = span->start_us,
                                 .to_us = span->end_us};
    snprintf(told.name, sizeof told.name, "%s", span->name);
    if (pipeline)
        pipeline_timed(pipeline, &told);
}

/* ------------------------------------------------------------------------------------------- begin and end */

static void drop_message(void *context, const struct vgpu_message *message)
{
    (void)context;
    (void)message;
}

/* Between replays: what the judge itself does is not the submission's business. */
static const struct vgpu_watcher nobody = {.message = drop_message};

static bool asks_questions(const struct judge *judge, uint32_t which)
{
    struct lab_case sizes;
    struct lab_run run;
    if (!lab_find_case(judge->lab, judge->stage, which, judge->draw, &sizes))
        return false;
    lab_begin_run(&run, judge->lab, judge->stage, &sizes, 0);
    return lab_has_sheet(&run);
}

void findings_begin(struct findings *findings, struct judge *judge, uint32_t which)
{
    const bool hides_values = asks_questions(judge, which);
    *findings = (struct findings){.judge = judge,
                                  .which = which,
                                  .hides_values = hides_values,
                                  .kernels = {.columns = (unsigned)judge->columns,
                                              .wants_json = judge->is_profiled,
                                              .is_brief = judge->is_brief || hides_values}};
    vgpu_watch(&(struct vgpu_watcher){.context = findings,
                                      .wants_profile = judge->is_explained || judge->wants_moment,
                                      .message = on_message,
                                      .printed = on_printed,
                                      .launched = on_launched,
                                      .timed = judge->pipeline ? on_timed : NULL});
}

void findings_end(struct findings *findings)
{
    char hidden[] = "What kernels print is not shown in a stage that asks questions.\n";
    struct verdict_message message = {.which = findings->which,
                                      .severity = "printed",
                                      .title = "printed by kernels",
                                      .text = findings->hides_values ? hidden : findings->printed};
    vgpu_watch(&nobody);
    if (findings->nprinted)
        add_message(findings, &message);
}

void findings_free(struct findings *findings)
{
    free(findings->launches.values);
    vgpu_kernels_free(&findings->kernels);
    findings->launches.values = NULL;
    coverage_free(&findings->covered);
}
