/* setup.c - see setup.h. */
#define _GNU_SOURCE
#include "grader/judge/setup.h"

#include <stdlib.h>
#include <string.h>

#include "grader/judge/kits.h"
#include "grader/judge/pipeline.h"
#include "grader/judge/sample.h"
#include "grader/judge/sums.h"
#include "grader/judge/told.h"

/* ------------------------------------------------------------------------------------------- while a side is replayed */

/* Of what is replayed; NULL: nobody wants to know. */
static struct pipeline *pipeline;

void setup_watch(struct judge *judge, struct pipeline *wanted)
{
    judge->pipeline = pipeline = wanted;
}

static bool is_on_host(const struct trace_segment *segment, const struct trace_place *place)
{
    return place->space == TRACE_GIVEN && segment->given[place->index].is_host;
}

/* Pins hold from the start to the end of a replay. */
static bool is_pinned(const struct trace_segment *segment, const struct trace_place *place)
{
    for (uint32_t i = 0; i < segment->nops; i++) {
        const struct trace_op *op = &segment->ops[i];
        if (op->kind == TRACE_PIN && op->to.index == place->index && op->to.offset <= place->offset &&
            place->offset < op->to.offset + op->width)
            return true;
    }
    return false;
}

static void step_pipeline(const struct trace_segment *segment, const struct trace_op *op)
{
    static const enum pipeline_part parts[TRACE_KINDS] = {
        [TRACE_WRITE] = PIPELINE_TO_DEVICE,  [TRACE_ARRAY_WRITE] = PIPELINE_TO_DEVICE,
        [TRACE_READ] = PIPELINE_TO_HOST,     [TRACE_SYNC] = PIPELINE_WAITS,
        [TRACE_EVENT_SYNC] = PIPELINE_WAITS, [TRACE_HOST] = PIPELINE_STEPS};
    const bool is_copy = op->kind == TRACE_COPY || op->kind == TRACE_ARRAY_COPY;
    const bool is_in = is_copy && is_on_host(segment, &op->from),
               is_out = is_copy && is_on_host(segment, &op->to);
    const enum pipeline_part part = is_in ? PIPELINE_TO_DEVICE : is_out ? PIPELINE_TO_HOST : parts[op->kind];
    const double bytes =
        part == PIPELINE_TO_DEVICE || part == PIPELINE_TO_HOST ? (double)op->width * (double)op->height : 0;
    pipeline_step(pipeline, part, bytes,
                  (is_in && is_pinned(segment, &op->from)) || (is_out && is_pinned(segment, &op->to)),
                  vgpu_time_us());
}

/* Calls are the submission's: messages name its lines. */
static void name_caller(const struct judge_side *side, const struct trace_op *op)
{
    char place[200];
    sums_look(side);
    told_look(side, op);
    if (pipeline)
        step_pipeline(side->segment, op);
    snprintf(place, sizeof place, "%.150s:%u", side->code->shown ? side->code->shown : "", op->line);
    vgpu_set_caller(side->code->shown && op->line ? place : "");
    if (op->kind != TRACE_HOST)
        return;
    vgpu_host_reads(player_address(side->player, &op->from), op->height,
                    "the host, in this step of its own,");
    vgpu_host_writes(player_address(side->player, &op->to), op->width, "the host, in this step of its own,");
}

/* The place of what comes behind the entry point's calls: that of the last one. */
static void name_end(const struct judge_side *side)
{
    char place[200] = "";
    uint32_t line = 0;
    for (uint32_t i = 0; i < side->segment->nops; i++)
        line = side->segment->ops[i].line ? side->segment->ops[i].line : line;
    if (side->code->shown && line)
        snprintf(place, sizeof place, "%.150s:%u", side->code->shown, line);
    vgpu_set_caller(*place ? place : side->code->shown ? side->code->shown : "");
}

/* Whoever called the entry point reads its results at once. */
static void read_results(const struct judge_side *side, bool is_done)
{
    if (pipeline)
        (is_done ? pipeline_end : pipeline_begin)(pipeline, vgpu_time_us());
    name_end(side);
    for (int i = 0; is_done && i < side->run.nbuffers; i++) {
        const struct lab_buffer *buffer = &side->run.buffers[i];
        if (buffer->is_host && buffer->role == LAB_OUT && !buffer->is_said)
            vgpu_host_reads(buffer->device, lab_buffer_bytes(buffer),
                            "the host, which reads the result when the entry point returns,");
    }
    vgpu_set_caller(NULL);
    sums_look(side);
}

void setup_prepare(const char *gpu, const char *source)
{
    judge_set_hooks(&(struct judge_hooks){
        .before = name_caller, .bring = vgpu_bring, .spend = vgpu_host_spend, .returned = read_results});
    /* Instructions of one warp, and of all: seconds under full checking, and ten times what honest kernels need. */
    setenv("VGPU_BUDGET", "200000000", 1);
    setenv("VGPU_WORK", "1000000000", 1);
    setenv("VGPU_CHECK", "full",
           1); /* from the start: memory allocated under less is not known to be unwritten */
    if (gpu)
        setenv("VGPU_GPU", gpu, 1);
    vgpu_set_source(source ? source : "", source ? basename(source) : "");
}

/* ------------------------------------------------------------------------------------------- sampling, and the kit's sides */

void setup_begin_sampling(void)
{
    vgpu_set_patience(0);
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_check(VGPU_CHECK_BOUNDS);
    vgpu_set_use(true);
    vgpu_set_timed(true);
}

static bool find_kits(struct judge *judge, enum scout_role role, struct pass *out)
{
    char name[64];
    scout_segment(judge->stage, role, name, sizeof name);
    judge_enter(judge, LAB_TIMED, true);
    *out = (struct pass){.is_whole = false};
    const bool is_done = kits_find(judge, name, out) || sample_kits(judge, name, out);
    if (!is_done)
        judge_fail(judge, "%s() of the kit cannot be timed: %s", scout_entry(judge->lab, judge->stage, role),
                   out->one.text);
    return is_done;
}

bool setup_both_kits(struct judge *judge, struct pass *baseline, struct pass *reference,
                     const struct pass **answer)
{
    const char *compared = lab_baseline(judge->lab, judge->stage);
    if (!compared)
        return true;
    *answer = baseline;
    if (!find_kits(judge, SCOUT_BASELINE, baseline))
        return false;
    if (strcmp(lab_answer(judge->lab, judge->stage), compared) == 0)
        return true;
    *answer = reference;
    return find_kits(judge, SCOUT_ANSWER, reference);
}
