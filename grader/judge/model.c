/* model.c - judge-virtual: correctness by check.c, times and counters from the virtual GPU's model.
 * A timed case runs for the baseline and for the submission, from a sample of its blocks: the model's clock is exact, so there
 * is no spread. What is timed must be what was verified: a middle-sized case is executed as a whole first, the sample's own
 * results are compared, and where there is any doubt the timed case itself is executed as a whole. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/judge/ahead.h"
#include "grader/judge/check.h"
#include "grader/judge/counts.h"
#include "grader/judge/doubt.h"
#include "grader/judge/floor.h"
#include "grader/judge/kits.h"
#include "grader/judge/model.h"
#include "grader/judge/pipeline.h"
#include "grader/judge/sample.h"
#include "grader/judge/sums.h"
#include "grader/judge/told.h"

/* Warp instructions of a whole timed case that are executed: seconds where smaller cases only lack some of its code, minutes
 * where there is doubt. */
static const double most_unseen = 200e6, most_doubtful = 10e9, most_checked = 500e6;

/* ------------------------------------------------------------------------------------------- while a side is replayed */

/* Of what is replayed; NULL: nobody wants to know. */
static struct pipeline *pipeline;

void model_watch(struct judge *judge, struct pipeline *wanted)
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

static void prepare(const char *gpu, const char *source)
{
    judge_set_hooks(
        &(struct judge_hooks){.before = name_caller, .spend = vgpu_host_spend, .returned = read_results});
    /* Instructions of one warp, and of all: seconds under full checking, and ten times what honest kernels need. */
    setenv("VGPU_BUDGET", "200000000", 1);
    setenv("VGPU_WORK", "1000000000", 1);
    setenv("VGPU_CHECK", "full",
           1); /* from the start: memory allocated under less is not known to be unwritten */
    if (gpu)
        setenv("VGPU_GPU", gpu, 1);
    vgpu_set_source(source ? source : "", source ? basename(source) : "");
}

/* ------------------------------------------------------------------------------------------- the kit's sides */

/* What a block of a sample may cost before it is known to take long, in simple instructions. */
static const uint64_t patience = 1 << 26;

void model_begin_sampling(void)
{
    vgpu_set_patience(0);
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_check(VGPU_CHECK_BOUNDS);
    vgpu_set_use(true);
    vgpu_set_timed(true);
}

static bool draw_sample(struct judge *judge, struct pass *out)
{
    model_begin_sampling();
    vgpu_set_patience(judge->is_audit ? 0 : patience);
    judge_enter(judge, LAB_TIMED, false);
    const bool is_done = sample_student(judge, out);
    vgpu_set_patience(0);
    return is_done;
}

static bool know_sample(struct judge *judge, struct pass *out)
{
    model_begin_sampling();
    vgpu_set_patience(patience);
    const bool is_done = sample_as_kits(judge, out);
    vgpu_set_patience(0);
    return is_done;
}

static double bytes_of_timed(const struct judge *judge)
{
    struct lab_run run;
    double bytes = 0;
    lab_begin_run(&run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage), 0);
    for (int i = 0; i < run.nbuffers; i++)
        bytes += (double)lab_buffer_bytes(&run.buffers[i]);
    return bytes;
}

/* So little that all of it is checked in full, if it is executed as a whole: then a sample tells nothing more. */
static bool is_small(const struct judge *judge)
{
    const double most = 16e6;
    return !sample_is_comparable(judge) && (judge->stage->is_whole || bytes_of_timed(judge) < most);
}

/* A stage that is executed as a whole tells its time itself, and may need no sample at all; an audit does not believe them. */
static void look_ahead(struct judge *judge)
{
    ahead_work *const work[AHEAD_SAMPLES] = {
        [AHEAD_DRAWN] = draw_sample, [AHEAD_KNOWN] = sample_is_comparable(judge) ? know_sample : NULL};
    if (!is_small(judge) && !judge->is_audit)
        ahead_begin(judge, work);
}

static bool model_kits(struct judge *judge, enum scout_role role, struct pass *out)
{
    char name[64];
    scout_segment(judge->stage, role, name, sizeof name);
    judge_enter(judge, LAB_TIMED, true);
    *out = (struct pass){.is_stable = true};
    const bool is_done = kits_find(judge, name, out) || sample_kits(judge, name, out);
    if (!is_done)
        judge_fail(judge, "%s() of the kit cannot be timed: %s", scout_entry(judge->lab, judge->stage, role),
                   out->one.text);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- is it what was verified? */

/* True if blocks that are not in the sample do more than those that are. */
static bool is_more_done(const struct pass *student, const struct coverage *whole)
{
    const double alike = 1.05;
    return whole->effort.instructions > alike * student->findings.covered.effort.instructions;
}

/* Of a race, the whole tells whether it is one: the sample lacks what other blocks write. Of streams, it tells again. */
static enum vgpu_check check_for(const struct pass *student, double count)
{
    const enum lab_symptom symptom = student->findings.told.symptom;
    const bool is_order = symptom == LAB_RACE || symptom == LAB_STREAMS;
    return is_order && count <= most_checked ? VGPU_CHECK_FULL : VGPU_CHECK_BOUNDS;
}

/* So much that few of them fit into a machine at a time. */
static bool is_large(const struct judge *judge)
{
    const double most = 300e6;
    return bytes_of_timed(judge) > most;
}

/* The timed case, executed as a whole; or the end of this process, where that is left to another one. (Stages that are always
 * executed as a whole have small ones.) */
static bool check_timed(struct judge *judge, enum vgpu_check check, struct pass *whole)
{
    if (judge->leaves_large && !judge->stage->is_whole && is_large(judge)) {
        ahead_end();
        judge->verdict->is_large = true;
        judge_write(judge);
        fflush(NULL);
        _exit(0);
    }
    return judge_check_whole(judge, LAB_TIMED, check, pass_most_timed, whole);
}

static void replace(struct pass *old, const struct pass *new)
{
    pass_free(old);
    *old = *new;
}

/* The timed case as a whole: right, wrong, or too long to be told here. doubt NULL: only code that smaller cases do not have.
 * What the sample said is not true of the whole, which speaks for itself; and for the time, unless the sample tells it as well. */
static bool verify_whole(struct judge *judge, struct pass *student, const char *doubt, uint32_t nmessages)
{
    const double count = counts_value(student, "warp_instructions");
    const bool is_needed = judge->is_audit || !sample_is_comparable(judge);
    if (is_needed || count <= (doubt ? most_doubtful : most_unseen)) {
        struct pass whole;
        judge_drop_messages(judge, nmessages);
        const bool is_right = check_timed(judge, check_for(student, count), &whole);
        if (!is_right || doubt || is_needed || is_more_done(student, &whole.findings.covered))
            replace(student, &whole);
        else
            pass_free(&whole);
        return is_right;
    }
    if (!doubt)
        return true;
    struct lab_outcome one = {.which = LAB_TIMED, .symptom = LAB_WRONG};
    snprintf(one.text, sizeof one.text,
             "At the size that is timed, %s. To execute all of it takes long: ./grade --audit does it.",
             doubt);
    student->one = one;
    return false;
}

/* ------------------------------------------------------------------------------------------- the student's side */

static bool is_verified(struct judge *judge, struct pass *student, const struct pass *answer,
                        const struct coverage *middle, uint32_t nmessages)
{
    const char *doubt = sample_is_comparable(judge) ? doubt_find(judge, student, answer, middle)
                                                    : "what its blocks leave cannot be compared";
    const bool is_known = !judge->verified || coverage_is_within(&student->findings.covered, judge->verified);
    if (!doubt && !judge->is_audit && is_known)
        return true;
    return verify_whole(judge, student, doubt, nmessages);
}

/* One block has gone on for so long that nothing of what the others do can make it a step. */
static bool is_hopeless(const struct pass *student, const struct pass *baseline)
{
    const double much = 4;
    return student->findings.launches.is_partial && baseline && student->time_us > much * baseline->time_us;
}

/* What stops in a sample may only wait for blocks that are not in it. */
static bool verify_sample(struct judge *judge, struct pass *student, const struct pass *baseline,
                          const struct pass *answer, const struct coverage *middle)
{
    const uint32_t nmessages = judge->verdict->nmessages;
    bool is_done = ahead_take(judge, AHEAD_DRAWN, draw_sample, student);
    if (is_done && !judge_has_failed(judge) && is_hopeless(student, baseline)) {
        judge_drop_messages(judge, nmessages);
        return true;
    }
    if (student->findings.launches.is_partial && !judge_has_failed(judge)) {
        judge_drop_messages(judge, nmessages);
        pass_free(student);
        is_done = sample_student(judge, student);
    }
    if (is_done && !judge_has_failed(judge))
        return is_verified(judge, student, answer, middle, nmessages);
    if (judge_has_failed(judge) || !student->findings.launches.count)
        return is_done;
    struct pass whole;
    const bool is_right = check_timed(judge, VGPU_CHECK_BOUNDS, &whole);
    replace(student, &whole);
    if (is_right)
        judge_drop_messages(judge, nmessages);
    return is_right;
}

/* Blocks that everybody knows, on inputs that everybody knows: whoever does less there is timed by those that were drawn. */
static void time_as_kits(struct judge *judge, struct pass *student)
{
    struct pass known = {.is_stable = false};
    const uint32_t nmessages = judge->verdict->nmessages;
    const bool is_known = ahead_take(judge, AHEAD_KNOWN, know_sample, &known) && known.is_stable &&
                          !known.doubt[0] && known.findings.told.symptom == LAB_NO_SYMPTOM &&
                          doubt_does_as_much(&known, student) &&
                          (!judge->verified || coverage_is_within(&known.findings.covered, judge->verified));
    struct pass *left = is_known ? student : &known;
    pass_free(left);
    if (is_known)
        *student = known;
    judge_drop_messages(judge, nmessages);
}

/* The whole of it was too much for the virtual GPU. Whether it is for a GPU, a part of it tells. */
static bool is_only_slow(struct judge *judge, struct pass *student, const struct pass *baseline,
                         uint32_t nmessages)
{
    struct pass part;
    if (student->one.symptom != LAB_LIMIT || judge_has_failed(judge) || judge->is_audit)
        return false;
    model_begin_sampling();
    vgpu_set_patience(patience);
    const bool is_slow = sample_unseen(judge, &part) && part.findings.told.symptom == LAB_NO_SYMPTOM &&
                         is_hopeless(&part, baseline);
    vgpu_set_patience(0);
    if (!is_slow) {
        pass_free(&part);
        return false;
    }
    replace(student, &part);
    judge_drop_messages(judge, nmessages);
    return true;
}

/* From a sample of blocks, or as a whole where that is in doubt. Of a grid whose blocks wait for each other, or of which a few do most of
 * the work, a sample tells no time. */
static bool verify_and_time(struct judge *judge, const struct pass *baseline, const struct pass *answer,
                            const struct coverage *middle, struct pass *student)
{
    const uint32_t nmessages = judge->verdict->nmessages;
    if (is_small(judge))
        return check_timed(judge, VGPU_CHECK_FULL, student);
    if (!verify_sample(judge, student, baseline, answer, middle))
        return is_only_slow(judge, student, baseline, nmessages);
    if (!student->is_whole && !student->findings.launches.is_partial)
        time_as_kits(judge, student);
    return true;
}

/* A whole in which something was found tells no time; but for races, which are looked for there and harm no time. */
static bool tells_time(const struct pass *student)
{
    const enum lab_symptom symptom = student->findings.told.symptom;
    return !student->is_whole || symptom == LAB_NO_SYMPTOM || symptom == LAB_RACE;
}

/* baseline and answer: NULL where the stage has none. */
static void model_student(struct judge *judge, const struct pass *baseline, const struct pass *answer,
                          const struct coverage *middle)
{
    struct pass student = {.is_stable = false};
    judge->needed = answer ? doubt_needed_bytes(answer) : 0;
    bool is_right = verify_and_time(judge, baseline, answer, middle, &student);
    const bool is_partial = student.findings.launches.is_partial;
    is_right = is_right && tells_time(&student);
    if (is_right && !is_partial)
        is_right = floor_holds(judge, &student.run, student.time_us, &student.one);
    if (is_right) {
        pthread_mutex_lock(&judge->lock);
        if (!is_partial)
            counts_add(judge, &student);
        counts_add_time(judge, baseline ? baseline->time_us : 0, &student);
        pthread_mutex_unlock(&judge->lock);
    } else if (!judge_has_failed(judge)) {
        judge_add_case(judge, &student.one);
    }
    pass_free(&student);
}

bool model_both_kits(struct judge *judge, struct pass *baseline, struct pass *reference,
                     const struct pass **answer)
{
    const char *compared = lab_baseline(judge->lab, judge->stage);
    if (!compared)
        return true;
    *answer = baseline;
    if (!model_kits(judge, SCOUT_BASELINE, baseline))
        return false;
    if (strcmp(lab_answer(judge->lab, judge->stage), compared) == 0)
        return true;
    *answer = reference;
    return model_kits(judge, SCOUT_ANSWER, reference);
}

static void check(struct judge *judge)
{
    static struct coverage verified;
    static struct effort largest;
    judge->verified = &verified;
    judge->largest = &largest;
    judge_check(judge);
}

static bool has_middle(const struct judge *judge)
{
    struct lab_case sizes;
    return lab_find_case(judge->lab, judge->stage, LAB_MIDDLE, judge->draw, &sizes);
}

/* The middle case takes so much that nobody would wait for it: if a sample of the timed one is hopeless as well, that is told
 * instead. */
static bool time_hopeless(struct judge *judge, const struct pass *baseline)
{
    struct pass student;
    const bool is_slow =
        ahead_take(judge, AHEAD_DRAWN, draw_sample, &student) && is_hopeless(&student, baseline);
    if (is_slow) {
        const struct trace_segment *timed = trace_find(judge->student.trace, judge->slot, TRACE_TIMED);
        pthread_mutex_lock(&judge->lock);
        counts_add_time(judge, baseline->time_us, &student);
        if (timed) /* one block alone would have come to the middle case's end */
            verdict_add_counter(judge->verdict, "blocks", counts_blocks(timed));
        pthread_mutex_unlock(&judge->lock);
    }
    pass_free(&student);
    return is_slow;
}

/* Honest kernels come to the end of the middle case with a tenth of this. */
static bool check_middle(struct judge *judge, struct pass *middle, bool *is_timed)
{
    const uint64_t quick = 200000000;
    const uint32_t nmessages = judge->verdict->nmessages;
    struct pass baseline = {.is_stable = false}, reference = {.is_stable = false};
    const struct pass *answer = NULL;
    bool is_right = judge_check_whole(judge, LAB_MIDDLE, VGPU_CHECK_BOUNDS, quick, middle);
    *is_timed = false;
    if (middle->one.symptom != LAB_LIMIT || judge_has_failed(judge))
        return is_right;
    judge_drop_messages(judge, nmessages);
    model_begin_sampling();
    if (!judge->is_audit && !judge->stage->is_whole &&
        model_both_kits(judge, &baseline, &reference, &answer) && answer)
        *is_timed = time_hopeless(judge, &baseline);
    pass_free(&baseline);
    pass_free(&reference);
    judge_drop_messages(judge, nmessages);
    if (*is_timed || judge_has_failed(judge))
        return false;
    pass_free(middle);
    return judge_check_whole(judge, LAB_MIDDLE, VGPU_CHECK_BOUNDS, pass_most_middle, middle);
}

static void time_both(struct judge *judge)
{
    struct pass baseline = {.is_stable = false}, reference = {.is_stable = false};
    const struct pass *answer = NULL;
    struct pass middle;
    bool is_timed;
    const bool is_right = check_middle(judge, &middle, &is_timed);
    if (has_middle(judge) && !is_timed)
        judge_add_case(judge, &middle.one);
    if (is_right) {
        if (judge->verified)
            coverage_join(judge->verified, &middle.findings.covered);
        model_begin_sampling();
        if (model_both_kits(judge, &baseline, &reference, &answer))
            model_student(judge, answer ? &baseline : NULL, answer, &middle.findings.covered);
    }
    pass_free(&baseline);
    pass_free(&reference);
    pass_free(&middle);
}

static void tell_kits(struct judge *judge)
{
    model_begin_sampling();
    kits_write(judge, judge->out);
}

const struct judge_backend judge_backend = {.clock = CLOCK_PROCESS_CPUTIME_ID,
                                            .prepare = prepare,
                                            .ahead = look_ahead,
                                            .check = check,
                                            .time = time_both,
                                            .explain = model_explain,
                                            .tell_kits = tell_kits};
