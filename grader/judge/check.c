/* check.c - correctness: every case of a stage is replayed on fresh inputs and compared with the CPU's result, as verify.c does it;
 * which checks, and what cases have shown. Times are not looked at. */
#include "grader/judge/check.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "lab/findings.h"
#include "lab/verify.h"
#include "vgpu/vgpu.h"

/* ------------------------------------------------------------------------------------------- one case */

/* One case on its way: what the engine calls work is a segment that is replayed. */
struct checking {
    struct judge *judge;
    struct judge_side side;
    struct pass *pass;   /* of the first call */
    struct pass further; /* of the last one after it */
};

/* True if host code has read from the device and then gave it something: what it gave may come from the zeros that it read. A
 * result that is only brought to the host harms nobody. */
static bool has_host_read(const struct trace_segment *segment)
{
    bool is_read = false, is_used = false;
    for (uint32_t i = 0; i < segment->nops; i++) {
        const enum trace_kind kind = segment->ops[i].kind;
        is_read = is_read || kind == TRACE_READ;
        is_used = is_used || (is_read && (kind == TRACE_WRITE || kind == TRACE_SET || kind == TRACE_LAUNCH));
    }
    return is_used;
}

/* Of the first call also what was noted while it was recorded. */
static bool play(struct checking *checking, struct judge_side *side, struct pass *pass, bool is_new,
                 bool *is_loaded, char *error, size_t size)
{
    const struct judge *judge = checking->judge;
    findings_begin(&pass->findings, checking->judge, pass->one.which);
    if (is_new)
        findings_add_notes(&pass->findings, side->segment);
    if (is_new && judge->stage->must_free)
        findings_add_leaks(&pass->findings, side->segment);
    *is_loaded = !is_new || judge_side_load(side, error, size);
    const bool is_done = *is_loaded && pass_run(pass, side, error, size);
    findings_end(&pass->findings);
    return is_done;
}

/* Where host code gives all that is asked for, calls may have failed on purpose: nothing is replayed, no note is told. */
static bool hear(struct checking *checking, char *error, size_t size)
{
    checking->pass->findings =
        (struct findings){.judge = checking->judge, .which = checking->pass->one.which};
    return judge_side_listen(&checking->side, error, size);
}

static bool run_call(void *context, enum verify_call call, struct lab_run *run, struct verify_seen *seen,
                     char *error, size_t size)
{
    struct checking *checking = context;
    struct judge_side aside = checking->side;
    struct judge_side *side = call == VERIFY_ASIDE ? &aside : &checking->side;
    struct pass *pass = call == VERIFY_FIRST ? checking->pass : &checking->further;
    bool is_loaded = false, is_done;
    if (call != VERIFY_FIRST) {
        pass_free(pass);
        *pass = (struct pass){.one = checking->pass->one};
    }
    if (side == &aside) {
        aside.run = *run;
        aside.player = NULL;
    }
    if (lab_is_only_said(run))
        is_done = hear(checking, error, size);
    else
        is_done = play(checking, side, pass, call != VERIFY_FURTHER, &is_loaded, error, size);
    if (side == &aside)
        judge_side_unload(side);
    *seen = (struct verify_seen){.symptom = findings_symptom(&pass->findings),
                                 .text = pass->findings.told.text,
                                 .if_stopped = is_loaded ? LAB_STOPPED : LAB_LAUNCH,
                                 .is_refused = pass->findings.has_refusal,
                                 .has_host_read = has_host_read(side->segment)};
    return is_done;
}

static void finish(void *context)
{
    judge_side_unload(&((struct checking *)context)->side);
}

/* pass->one says which case it is; what was found and what it took is of the first call. */
static void check_case(struct judge *judge, const struct lab_case *which, struct pass *pass, bool is_twice)
{
    static const struct verify_way by_trace = {.run = run_call, .finish = finish};
    struct checking checking = {.judge = judge, .pass = pass, .side.code = &judge->student};
    const char *problem;
    if (!judge_find_segment(judge, &judge->student, judge->slot, &pass->one, &checking.side.segment))
        return;
    lab_begin_run(&checking.side.run, judge->lab, judge->stage, which,
                  lab_seed(judge->seed, pass->one.which));
    pass->run = checking.side.run;
    pass->is_whole = true;
    const enum verify_end end =
        verify_case(&by_trace, &checking, &checking.side.run, is_twice, &pass->one, &problem);
    pass->findings.covered.effort.measures[MEASURE_WORK] = lab_work(&pass->run);
    pass_free(&checking.further);
    if (end == VERIFY_OURS)
        judge_fail(judge, "A case could not be checked: %s", problem);
    if (end != VERIFY_DONE)
        cudaDeviceReset(); /* a fault ruins the context */
}

/* ------------------------------------------------------------------------------------------- all cases */

static bool find_case(const struct judge *judge, uint32_t which, struct lab_case *out)
{
    return lab_find_case(judge->lab, judge->stage, which, judge->draw, out);
}

/* A narrow case has thousands of blocks that are nearly idle. Under full checking it takes longer than all others together; there it
 * is executed only where the check of bounds finds something wrong, or it does what no other case does. */
static bool is_done_quickly(struct judge *judge, const struct lab_case *which, struct pass *pass)
{
    const struct lab_outcome before = pass->one;
    const uint32_t nmessages = judge->verdict->nmessages;
    if (!which->is_narrow || !judge->verified)
        return false;
    vgpu_set_check(VGPU_CHECK_BOUNDS);
    check_case(judge, which, pass, false);
    vgpu_set_check(VGPU_CHECK_FULL);
    if (pass->one.is_right && judge->verdict->nmessages == nmessages &&
        coverage_is_within(&pass->findings.covered, judge->verified))
        return true;
    judge_drop_messages(judge, nmessages);
    pass_free(pass);
    *pass = (struct pass){.one = before};
    return false;
}

/* What a case that is right has shown counts. */
static void check_and_cover(struct judge *judge, const struct lab_case *which, struct lab_outcome *one,
                            bool is_twice)
{
    struct pass pass = {.one = *one};
    const struct effort *effort = &pass.findings.covered.effort;
    if (is_twice || !is_done_quickly(judge, which, &pass))
        check_case(judge, which, &pass, is_twice);
    *one = pass.one;
    if (judge->verified)
        coverage_join(judge->verified, &pass.findings.covered);
    if (judge->largest && one->is_right &&
        effort->measures[MEASURE_WORK] > judge->largest->measures[MEASURE_WORK])
        *judge->largest = *effort;
    pass_free(&pass);
}

static bool look(void *context, const struct lab_case *which, bool is_twice, struct lab_outcome *one)
{
    struct judge *judge = context;
    judge_enter(judge, one->which, false);
    check_and_cover(judge, which, one, is_twice);
    return !judge_has_failed(judge);
}

void judge_check(struct judge *judge)
{
    enum { MOST_FAILURES = 3 }; /* that are looked at, in case they differ */
    struct lab_outcome *cases = verify_new_cases(judge->lab);
    if (!cases) {
        judge_fail(judge, "There is no memory for the cases.");
        return;
    }
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    vgpu_set_use(false);
    vgpu_set_check(VGPU_CHECK_FULL);
    vgpu_set_timed(false);
    const uint32_t count = verify_cases(judge->lab, judge->stage, judge->draw,
                                        judge->is_brief ? 1 : MOST_FAILURES, look, judge, cases);
    for (uint32_t i = 0; i < count; i++)
        if (verify_is_known(&cases[i]))
            judge_add_case(judge, &cases[i]);
    free(cases);
}

bool judge_check_whole(struct judge *judge, uint32_t number, enum vgpu_check check, uint64_t most,
                       struct pass *out)
{
    const bool is_timed = number == LAB_TIMED || judge->wants_moment;
    struct lab_case which;
    *out = (struct pass){.one = {.which = number, .is_right = true}};
    if (!find_case(judge, number, &which))
        return true;
    if (number == LAB_TIMED)
        pass_start_afresh();
    vgpu_set_work(most);
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    vgpu_set_use(false);
    vgpu_set_check(check);
    vgpu_set_timed(is_timed);
    vgpu_set_caches(is_timed); /* no time is wanted of anything else here */
    judge_enter(judge, number, false);
    check_case(judge, &which, out, false);
    vgpu_set_caches(true);
    return out->one.is_right;
}
