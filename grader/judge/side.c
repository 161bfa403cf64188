/* side.c - one recording: from a segment's name to finished work on the device.
 * Uses the CUDA runtime API only, the real one or ours. Decides nothing about results. */
#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "grader/judge/judge.h"
#include "lab/buffers.h"
#include "lab/findings.h"

/* ------------------------------------------------------------------------------------------- segments */

__attribute__((format(printf, 3, 4))) static bool refuse(struct lab_outcome *one, enum lab_symptom symptom,
                                                         const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(one->text, sizeof one->text, format, list);
    va_end(list);
    one->is_right = false;
    one->symptom = symptom;
    return false;
}

/* The note that explains a segment best: one that ends it, else the first. */
static const struct trace_note *main_note(const struct trace_segment *segment)
{
    for (uint32_t i = 0; i < segment->nnotes; i++)
        if (segment->notes[i].is_fatal)
            return &segment->notes[i];
    return segment->nnotes ? &segment->notes[0] : NULL;
}

/* Notes come from hostile code: whatever they claim, it is refused work. */
static enum lab_symptom symptom_of(const struct trace_note *note)
{
    const enum lab_symptom found = lab_symptom_of((enum vgpu_finding)note->kind);
    if (!strncmp(note->text, SCOUT_MISSING, strlen(SCOUT_MISSING)))
        return LAB_MISSING;
    if (note->is_fatal && found == LAB_ENDLESS)
        return found;
    if (note->is_fatal) /* a call that is wrong itself, or one that is only too much for a recording */
        return found == LAB_NO_SYMPTOM || found == LAB_UNCARRIED ? LAB_UNCARRIED : LAB_LAUNCH;
    return found == LAB_NO_SYMPTOM ? LAB_LAUNCH : found;
}

static bool refuse_for_note(const struct judge *judge, struct lab_outcome *one, const struct trace_note *note)
{
    const enum lab_symptom symptom = symptom_of(note);
    if (!note->line)
        return refuse(one, symptom, "%s", note->text);
    return refuse(one, symptom, "%s:%u: %s", judge->shown, note->line, note->text);
}

/* Calls that fail are what such a case is about. */
static bool may_fail(const struct judge *judge, uint32_t which)
{
    struct lab_case sizes;
    struct lab_run run;
    if (!lab_find_case(judge->lab, judge->stage, which, judge->draw, &sizes))
        return false;
    lab_begin_run(&run, judge->lab, judge->stage, &sizes, 0);
    return lab_is_only_said(&run);
}

static const char *launched_library(const struct judge_code *code, const struct trace_segment *segment)
{
    for (uint32_t i = 0; i < segment->nops; i++) {
        const struct trace_op *op = &segment->ops[i];
        if (op->kind == TRACE_LAUNCH && op->name < code->trace->nnames && code->libraries[op->name])
            return code->libraries[op->name];
    }
    return NULL;
}

bool judge_find_segment(const struct judge *judge, const struct judge_code *code, const char *name,
                        struct lab_outcome *one, const struct trace_segment **out)
{
    if (!code->trace)
        return refuse(one, LAB_LAUNCH, "The recording of the host code cannot be used: %s", code->problem);
    const struct trace_segment *segment = *out = trace_find(code->trace, name, one->which);
    if (!segment)
        return refuse(one, LAB_LAUNCH, "The host code did not come to this case.");
    const struct trace_note *note = main_note(segment);
    const bool is_idle = segment->nlaunches == 0 && !may_fail(judge, one->which);
    if (note && (note->is_fatal || is_idle))
        return refuse_for_note(judge, one, note);
    if (is_idle)
        return refuse(one, LAB_NO_LAUNCH, "The entry point launched no kernel.");
    const char *library = code->libraries ? launched_library(code, segment) : NULL;
    if (library)
        return refuse(one, LAB_LIBRARY, "A kernel is launched whose code comes from <%s>.", library);
    return true;
}

/* ------------------------------------------------------------------------------------------- replaying */

void judge_side_unload(struct judge_side *side)
{
    if (side->player) {
        player_finish(side->player);
        player_free(side->player);
    }
    side->player = NULL;
}

void judge_side_close(struct judge_side *side)
{
    judge_side_unload(side);
    buffers_close(&side->run);
}

static struct judge_hooks hooks;

void judge_set_hooks(const struct judge_hooks *which)
{
    hooks = *which;
}

static bool knows_steps(const struct judge_side *side, char *error, size_t size)
{
    for (uint32_t i = 0; i < side->segment->nops; i++)
        if (side->segment->ops[i].kind == TRACE_HOST &&
            side->segment->ops[i].value >= (uint32_t)side->run.lab->nhosts) {
            snprintf(error, size, "The recording has a step of the host that the lab does not have.");
            return false;
        }
    return true;
}

/* Sizes and places in a recording are the recorder's claim; those of the run are true. */
static bool is_fitting(const struct judge_side *side, char *error, size_t size)
{
    bool fits = side->segment->ngiven == (uint32_t)side->run.nbuffers;
    for (int i = 0; fits && i < side->run.nbuffers; i++)
        fits = side->segment->given[i].bytes == lab_buffer_bytes(&side->run.buffers[i]) &&
               side->segment->given[i].is_host == side->run.buffers[i].is_host;
    if (!fits)
        snprintf(error, size, "The recording was made with other buffers.");
    return fits && knows_steps(side, error, size);
}

static void do_step(void *context, uint32_t number, void *to, size_t to_bytes, const void *from,
                    size_t from_bytes)
{
    const struct judge_side *side = context;
    const struct lab_host *host = &side->run.lab->hosts[number];
    if (hooks.bring) {
        hooks.bring(to, to_bytes);
        hooks.bring(from, from_bytes);
    }
    host->function(to, to_bytes, from, from_bytes);
    if (hooks.spend)
        hooks.spend(1e-3 * host->ns_per_byte * (double)from_bytes);
}

static void before(void *context, const struct trace_op *op)
{
    hooks.before(context, op);
}

static struct player *load(struct judge_side *side, char *error, size_t size)
{
    struct player *player = player_new(side->code->trace, side->code->fatbin, side->code->bytes, error, size);
    if (player)
        player_set_hooks(
            player,
            &(struct player_hooks){.context = side, .host = do_step, .before = hooks.before ? before : NULL});
    return player;
}

bool judge_side_load(struct judge_side *side, char *error, size_t size)
{
    void *given[LAB_BUFFERS];
    judge_side_unload(side);
    if (!is_fitting(side, error, size))
        return false;
    for (int i = 0; i < side->run.nbuffers; i++)
        given[i] = side->run.buffers[i].device;
    side->player = load(side, error, size);
    const bool is_ready = side->player && player_prepare(side->player, side->segment, given, error, size);
    if (side->player && hooks.returned) /* what comes next is not the submission's */
        hooks.returned(side, false);
    return is_ready;
}

/* Only what was asked for is taken: a result that host code made up is none. */
static void listen(struct judge_side *side)
{
    for (uint32_t i = 0; i < side->segment->nops; i++) {
        const struct trace_op *op = &side->segment->ops[i];
        if (op->kind == TRACE_SAY && side->run.buffers[op->to.index].is_said)
            memcpy(side->run.buffers[op->to.index].device, op->data, op->size);
    }
}

bool judge_side_listen(struct judge_side *side, char *error, size_t size)
{
    const bool fits = is_fitting(side, error, size);
    if (fits)
        listen(side);
    return fits;
}

bool judge_side_run(struct judge_side *side, char *error, size_t size)
{
    player_make_ready(side->player, side->run.seed);
    listen(side);
    const bool is_done = player_run(side->player, error, size);
    if (hooks.returned)
        hooks.returned(side, is_done);
    const cudaError_t status = is_done ? cudaDeviceSynchronize() : cudaSuccess;
    if (status != cudaSuccess)
        snprintf(error, size, "%s", cudaGetErrorString(status));
    return is_done && status == cudaSuccess;
}
