/* model.c - judge-virtual: correctness by check.c, times and counters from the virtual GPU's model.
 * A timed case runs for the baseline and for the submission, from a sample of its blocks: the model's clock is exact, so there
 * is no spread. What is timed must be what was verified: a middle-sized case is executed as a whole first, the sample's own
 * results are compared, and where they cannot be, or there is any doubt, the timed case itself is executed as a whole. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/judge/ahead.h"
#include "grader/judge/check.h"
#include "grader/judge/counts.h"
#include "grader/judge/doubt.h"
#include "grader/judge/explain.h"
#include "grader/judge/floor.h"
#include "grader/judge/kits.h"
#include "grader/judge/sample.h"
#include "grader/judge/setup.h"

/* Warp instructions of a whole timed case that are executed: seconds where smaller cases only lack some of its code, minutes
 * where there is doubt; less where a sample's own results are wrong, which other blocks hardly make right. */
static const double most_unseen = 200e6, most_wrong = 500e6, most_checked = 500e6;

/* ------------------------------------------------------------------------------------------- samples */

/* What a block of a sample may cost before it is known to take long, in simple instructions. */
static const uint64_t patience = 1 << 26;

static bool draw_sample(struct judge *judge, struct pass *out)
{
    setup_begin_sampling();
    vgpu_set_patience(judge->is_audit ? 0 : patience);
    judge_enter(judge, LAB_TIMED, false);
    const bool is_done = sample_student(judge, out);
    vgpu_set_patience(0);
    return is_done;
}

static bool know_sample(struct judge *judge, struct pass *out)
{
    setup_begin_sampling();
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

/* True if the timed case is executed as a whole, and is so small that all of it is checked in full: a sample tells nothing more. */
static bool is_all_checked(const struct judge *judge)
{
    const double most = 16e6;
    return !sample_is_comparable(judge) && (judge->stage->is_whole || bytes_of_timed(judge) < most);
}

/* What is executed as a whole tells its time itself, and may need no sample at all; an audit does not believe them. */
static void look_ahead(struct judge *judge)
{
    ahead_work *const work[AHEAD_SAMPLES] = {
        [AHEAD_DRAWN] = draw_sample, [AHEAD_KNOWN] = sample_is_comparable(judge) ? know_sample : NULL};
    if (!is_all_checked(judge) && !judge->is_audit)
        ahead_begin(judge, work);
}

/* ------------------------------------------------------------------------------------------- is it what was verified? */

/* True if blocks that are not in the sample do more than those that are. Else its time stays: the kit's own is a sample's. */
static bool is_more_done(const struct pass *student, const struct pass *whole)
{
    const double alike = 1.05, sampled = student->findings.covered.effort.instructions;
    return whole->findings.covered.effort.instructions > alike * sampled && whole->time_us > student->time_us;
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
    const double most = !doubt ? most_unseen : doubt == student->doubt ? most_wrong : doubt_most;
    if (is_needed || count <= most) {
        struct pass whole;
        judge_drop_messages(judge, nmessages);
        const bool is_right = check_timed(judge, check_for(student, count), &whole);
        if (!is_right || doubt || is_needed || is_more_done(student, &whole))
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

/* Blocks that all lie at an edge, or beside what there is to do, use less than others do: more of them, from everywhere, tell
 * whether all do. */
static bool draw_wider(struct judge *judge, struct pass *student)
{
    const struct lab_part *part = &student->findings.launches.part;
    const unsigned least = part->count < SAMPLE_SOME ? SAMPLE_SOME : SAMPLE_MANY;
    if (judge->is_audit || student->is_whole || student->least >= least || part->count >= part->of)
        return false;
    pass_free(student);
    vgpu_set_sample_least(least);
    const bool is_done = draw_sample(judge, student);
    vgpu_set_sample_least(0);
    student->least = least;
    return is_done && !judge_has_failed(judge);
}

static bool is_verified(struct judge *judge, struct pass *student, const struct pass *answer,
                        const struct coverage *middle, uint32_t nmessages)
{
    const char *doubt = sample_is_comparable(judge) ? doubt_find(judge, student, answer, middle)
                                                    : "what its blocks leave cannot be compared";
    const bool is_known = !judge->verified || coverage_is_within(&student->findings.covered, judge->verified);
    if (!doubt && !judge->is_audit && is_known)
        return true;
    if (doubt == doubt_little_used && draw_wider(judge, student))
        return is_verified(judge, student, answer, middle, nmessages);
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
    struct pass known = {.is_whole = false};
    const uint32_t nmessages = judge->verdict->nmessages;
    const bool is_usable = ahead_take(judge, AHEAD_KNOWN, know_sample, &known) &&
                           !known.findings.launches.is_partial && !known.doubt[0] &&
                           known.findings.told.symptom == LAB_NO_SYMPTOM &&
                           (!judge->verified || coverage_is_within(&known.findings.covered, judge->verified));
    const enum doubt_trust trust = is_usable ? doubt_known(&known, student) : DOUBT_ALL;
    if (trust == DOUBT_COUNTERS)
        student->time_us = known.time_us;
    pass_free(trust == DOUBT_NOTHING ? student : &known);
    if (trust == DOUBT_NOTHING)
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
    setup_begin_sampling();
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
    if (is_all_checked(judge))
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
    struct pass student = {.is_whole = false};
    judge->needed = answer ? doubt_needed_bytes(answer) : 0;
    bool is_right = verify_and_time(judge, baseline, answer, middle, &student);
    const bool is_partial = student.findings.launches.is_partial;
    is_right = is_right && tells_time(&student);
    if (is_right && !is_partial)
        is_right = floor_holds(judge, &student.run, student.time_us, &student.one);
    if (is_right) {
        pthread_mutex_lock(&judge->lock);
        if (!is_partial) {
            const struct lab_part *part = &student.findings.launches.part; /* of the largest launch */
            counts_add(judge, &student);
            verdict_add_counter(judge->verdict, "largest_blocks", (double)part->of);
            verdict_add_counter(judge->verdict, "executed_blocks", (double)part->count);
        }
        counts_add_time(judge, baseline ? baseline->time_us : 0, &student);
        pthread_mutex_unlock(&judge->lock);
    } else if (!judge_has_failed(judge)) {
        judge_add_case(judge, &student.one);
    }
    pass_free(&student);
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
    struct pass baseline = {.is_whole = false}, reference = {.is_whole = false};
    const struct pass *answer = NULL;
    bool is_right = judge_check_whole(judge, LAB_MIDDLE, VGPU_CHECK_BOUNDS, quick, middle);
    *is_timed = false;
    if (middle->one.symptom != LAB_LIMIT || judge_has_failed(judge))
        return is_right;
    judge_drop_messages(judge, nmessages);
    setup_begin_sampling();
    if (!judge->is_audit && !judge->stage->is_whole &&
        setup_both_kits(judge, &baseline, &reference, &answer) && answer)
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
    struct pass baseline = {.is_whole = false}, reference = {.is_whole = false};
    const struct pass *answer = NULL;
    struct pass middle;
    bool is_timed;
    const bool is_right = check_middle(judge, &middle, &is_timed);
    if (has_middle(judge) && !is_timed)
        judge_add_case(judge, &middle.one);
    if (is_right) {
        if (judge->verified)
            coverage_join(judge->verified, &middle.findings.covered);
        setup_begin_sampling();
        if (setup_both_kits(judge, &baseline, &reference, &answer))
            model_student(judge, answer ? &baseline : NULL, answer, &middle.findings.covered);
    }
    pass_free(&baseline);
    pass_free(&reference);
    pass_free(&middle);
}

static void tell_kits(struct judge *judge)
{
    setup_begin_sampling();
    kits_write(judge, judge->out);
}

const struct judge_backend judge_backend = {.clock = CLOCK_PROCESS_CPUTIME_ID,
                                            .prepare = setup_prepare,
                                            .ahead = look_ahead,
                                            .check = check,
                                            .time = time_both,
                                            .explain = explain_judge,
                                            .tell_kits = tell_kits};
