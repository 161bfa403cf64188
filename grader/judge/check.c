/* check.c - correctness: every case of a stage is replayed on fresh inputs and compared with the CPU's result.
 * Each case starts from nothing: new buffers, outputs poisoned, scratch memory never written, device variables as the
 * compiler left them. A case is right only if the kernels came to their end, the outputs agree and the inputs are as
 * they were. Times are not looked at. */
#include "grader/judge/check.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "lab/element.h"
#include "lab/findings.h"
#include "vgpu/vgpu.h"

enum { MOST_FAILURES = 3, EDGE = 32 }; /* failures that are looked at, in case they differ */

/* One case on its way. */
struct checking {
    struct judge *judge;
    struct judge_side side;
    struct pass *pass;            /* of the call that was replayed last */
    enum vgpu_order order;        /* of its blocks */
    bool is_changed[LAB_BUFFERS]; /* by input, in that call */
};

__attribute__((format(printf, 3, 4))) static void decide(struct verdict_case *one, enum lab_symptom symptom,
                                                         const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(one->text, sizeof one->text, format, list);
    va_end(list);
    one->is_right = false;
    one->symptom = symptom;
}

/* ------------------------------------------------------------------------------------------- before */

/* Large inputs have no copy on the host while kernels run: they are made again, a piece at a time. */
enum { LARGE = 1 << 26, PIECE = 1 << 22 };

/* Does something with each piece of an input as it was given, until that is false. */
typedef bool piece_fn(const struct lab_run *run, int index, size_t offset, const void *given, size_t bytes);

static bool each_piece(const struct lab_run *run, int index, piece_fn *visit)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t bytes = lab_buffer_bytes(buffer), size = lab_type_bytes(buffer->type);
    uint8_t *piece = buffer->host ? NULL : malloc(PIECE);
    bool goes_on = buffer->host || piece;
    for (size_t at = 0; goes_on && at < bytes; at += PIECE) {
        const size_t count = bytes - at < PIECE ? bytes - at : PIECE;
        if (piece)
            lab_fill_part(run, index, at / size, count / size, piece);
        goes_on = visit(run, index, at, piece ? piece : (const uint8_t *)buffer->host + at, count);
    }
    free(piece);
    return goes_on;
}

static bool put_piece(const struct lab_run *run, int index, size_t offset, const void *given, size_t bytes)
{
    return cudaMemcpy((uint8_t *)run->buffers[index].device + offset, given, bytes, cudaMemcpyDefault) ==
           cudaSuccess;
}

/* Nobody has written the poison, nor what an earlier call left in scratch memory: the checker tells who goes by it. */
static bool set_buffer(const struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    if (buffer->role != LAB_SCRATCH) {
        if (buffer->host)
            lab_fill(run, index, buffer->host);
        if (!each_piece(run, index, put_piece))
            return false;
    }
    if (buffer->role != LAB_IN && !buffer->is_host)
        vgpu_forget_writes(buffer->device);
    return true;
}

static bool set_buffers(struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++) {
        struct lab_buffer *buffer = &run->buffers[i];
        if (!buffer->is_host)
            vgpu_name_memory(buffer->device, buffer->name);
        const bool is_made_later = buffer->role == LAB_IN && lab_buffer_bytes(buffer) > LARGE;
        if (!is_made_later && !(buffer->host = malloc(lab_buffer_bytes(buffer) + 1)))
            return false;
        if (!set_buffer(run, i))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- after */

/* Nothing is known but that values are wrong. */
static bool is_about_values(const struct verdict_case *one)
{
    return one->symptom == LAB_WRONG || one->symptom == LAB_PARTLY || one->symptom == LAB_UNTOUCHED;
}

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

static bool is_left(const struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    for (size_t i = 0; i < buffer->count; i++) {
        const uint64_t bits = element_load(buffer->type, buffer->host, i);
        if (!element_is_poison(buffer->type, bits) && !lab_is_left(run, index, i, bits))
            return false;
    }
    return true;
}

/* True if no output holds anything: where one is complete and another is missing, the kernels do write. */
static bool is_nothing_written(const struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_OUT && !is_left(run, i))
            return false;
    return true;
}

static enum lab_symptom symptom_of(const struct checking *checking, const struct lab_difference *difference)
{
    if (checking->pass->findings.symptom != LAB_NO_SYMPTOM)
        return findings_symptom(&checking->pass->findings);
    if (checking->pass->findings.has_refusal)
        return LAB_LAUNCH; /* what was refused is missing */
    if (is_nothing_written(&checking->side.run))
        return LAB_UNTOUCHED;
    if (difference->unwritten)
        return LAB_PARTLY;
    return has_host_read(checking->side.segment) ? LAB_HOST_READ : LAB_WRONG;
}

/* Values that began with what happened to be there look like anything. */
static void forget_chance(struct verdict_case *one)
{
    if (one->symptom == LAB_UNINITIALISED && !one->is_cause)
        one->known[0] = '\0';
}

/* The wrong output in words, and what it looks like. Where a finding explains it, values are what chance made them. */
static void explain(struct checking *checking, int index, const void *expected,
                    const struct lab_difference *difference)
{
    struct verdict_case *one = &checking->pass->one;
    const char *known = NULL;
    decide(one, symptom_of(checking, difference), "%s", difference->text);
    const bool is_small =
        one->which != LAB_TIMED; /* what mistakes would give takes as long as the right result, for each */
    if (is_small &&
        ((is_about_values(one) && one->symptom != LAB_UNTOUCHED) || one->symptom == LAB_UNINITIALISED))
        known = lab_recognise(&checking->side.run, index, expected, &one->is_cause);
    snprintf(one->known, sizeof one->known, "%s", known ? known : "");
    wrap_end_at_word(one->known, sizeof one->known);
    forget_chance(one);
}

static void compare_output(struct checking *checking, int index)
{
    const struct lab_run *run = &checking->side.run;
    const struct lab_buffer *buffer = &run->buffers[index];
    struct lab_difference difference = {0};
    void *expected = calloc(lab_buffer_bytes(buffer) + 1, 1);
    if (!expected) {
        judge_fail(checking->judge, "There is no memory for the expected results.");
        return;
    }
    lab_reference(run, index, expected);
    lab_compare(run, index, expected, &difference);
    if (difference.wrong)
        explain(checking, index, expected, &difference);
    free(expected);
}

static bool fetch(const struct lab_buffer *buffer, void *host)
{
    return cudaMemcpy(host, buffer->device, lab_buffer_bytes(buffer), cudaMemcpyDefault) == cudaSuccess;
}

static bool is_piece_same(const struct lab_run *run, int index, size_t offset, const void *given,
                          size_t bytes)
{
    uint8_t *found = malloc(bytes);
    const bool is_same = found &&
                         cudaMemcpy(found, (const uint8_t *)run->buffers[index].device + offset, bytes,
                                    cudaMemcpyDefault) == cudaSuccess &&
                         memcmp(given, found, bytes) == 0;
    free(found);
    return is_same;
}

/* Which inputs the kernels have changed. On the device they are wanted no more then, and on the host all of them are, for what is
 * expected is computed from them. False: out of memory. */
static bool look_at_inputs(struct checking *checking, bool is_last)
{
    struct lab_run *run = &checking->side.run;
    for (int i = 0; i < run->nbuffers; i++) {
        struct lab_buffer *buffer = &run->buffers[i];
        if (buffer->role != LAB_IN)
            continue;
        checking->is_changed[i] = !each_piece(run, i, is_piece_same);
        if (is_last)
            judge_side_drop(&checking->side, i);
        if (buffer->host)
            continue;
        if (!(buffer->host = malloc(lab_buffer_bytes(buffer) + 1)))
            return false;
        lab_fill(run, i, buffer->host);
    }
    return true;
}

static void compare_input(struct checking *checking, int index)
{
    if (checking->is_changed[index])
        decide(&checking->pass->one, LAB_WRONG, "The kernels changed the input `%s`.",
               checking->side.run.buffers[index].name);
}

static bool fetch_outputs(struct judge_side *side, bool is_last)
{
    for (int i = 0; i < side->run.nbuffers; i++) {
        const struct lab_buffer *buffer = &side->run.buffers[i];
        if (buffer->role == LAB_OUT && !fetch(buffer, buffer->host))
            return false;
        if (buffer->role == LAB_OUT && is_last)
            judge_side_drop(side, i);
    }
    return true;
}

/* What is wrong first explains the case: outputs before inputs. is_last: nothing more is replayed, and what the device holds of
 * it makes room for what is expected; a large case would else take half as much memory again. */
static void compare(struct checking *checking, bool is_last)
{
    static const struct {
        enum lab_role role;
        void (*compare)(struct checking *checking, int index);
    } rows[] = {{LAB_OUT, compare_output}, {LAB_IN, compare_input}};
    struct lab_run *run = &checking->side.run;
    if (is_last)
        judge_side_unload(&checking->side);
    if (!fetch_outputs(&checking->side, is_last) || !look_at_inputs(checking, is_last)) {
        judge_fail(checking->judge, "Results could not be fetched from the virtual GPU.");
        return;
    }
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++)
        for (int i = 0; checking->pass->one.is_right && i < run->nbuffers; i++)
            if (run->buffers[i].role == rows[row].role)
                rows[row].compare(checking, i);
}

/* ------------------------------------------------------------------------------------------- one case */

/* Where host code gives all that is asked for, calls may have failed on purpose: nothing is replayed, no note is told. */
static bool hear(struct checking *checking)
{
    char error[256] = "";
    checking->pass->findings =
        (struct findings){.judge = checking->judge, .which = checking->pass->one.which};
    const bool is_done = judge_side_listen(&checking->side, error, sizeof error);
    if (!is_done)
        pass_explain_stop(checking->pass, false, error);
    return is_done;
}

static bool run_side(struct checking *checking, char *error, size_t size)
{
    vgpu_set_order(checking->order);
    const bool is_done = pass_run(checking->pass, &checking->side, error, size);
    vgpu_set_order(VGPU_FORWARD);
    return is_done;
}

/* True if the kernels came to their end. */
static bool replay(struct checking *checking)
{
    struct pass *pass = checking->pass;
    char error[256] = "";
    if (lab_is_only_said(&checking->side.run))
        return hear(checking);
    findings_begin(&pass->findings, checking->judge, pass->one.which);
    findings_add_notes(&pass->findings, checking->side.segment);
    if (checking->judge->stage->must_free)
        findings_add_leaks(&pass->findings, checking->side.segment);
    const bool is_loaded = judge_side_load(&checking->side, error, sizeof error);
    const bool is_done = is_loaded && run_side(checking, error, sizeof error);
    findings_end(&pass->findings);
    if (!is_done)
        pass_explain_stop(pass, is_loaded, error);
    return is_done;
}

static bool refill_buffers(const struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (!set_buffer(run, i))
            return false;
    return true;
}

static void name_call(struct verdict_case *one, enum vgpu_order order)
{
    char text[sizeof one->text];
    memcpy(text, one->text, sizeof text);
    decide(one, one->symptom, "%s: %.430s", lab_words_of_call(order), text);
    if (order ==
        VGPU_FORWARD) { /* that the first call was right says more than what the second one looks like */
        one->is_cause = false;
        one->known[0] = '\0';
    }
}

/* With other inputs, and maybe another order of blocks. True as replay(). Of the first call all stays but what is wrong. */
static bool replay_again(struct checking *checking, enum vgpu_order order)
{
    struct pass *first = checking->pass, again = {.one = first->one};
    char error[256] = "";
    checking->side.run.seed = lab_seed(checking->side.run.seed, LAB_SECOND_CALL);
    if (!refill_buffers(&checking->side.run)) {
        judge_fail(checking->judge, "The buffers of a second call could not be filled.");
        return true;
    }
    checking->order = order;
    checking->pass = &again;
    findings_begin(&again.findings, checking->judge, again.one.which);
    const bool is_done = run_side(checking, error, sizeof error);
    findings_end(&again.findings);
    if (is_done)
        compare(checking, false);
    else if (!lab_is_mere_finding(order, again.findings.symptom))
        pass_explain_stop(&again, true, error);
    if (!again.one.is_right)
        name_call(&again.one, order);
    first->one = again.one;
    checking->pass = first;
    pass_free(&again);
    return is_done;
}

static bool replay_in_orders(struct checking *checking)
{
    enum vgpu_order orders[LAB_FURTHER_CALLS];
    const int ncalls = lab_further_calls(checking->judge->stage, orders);
    bool is_done = true;
    for (int i = 0; i < ncalls && is_done && checking->pass->one.is_right; i++)
        is_done = replay_again(checking, orders[i]);
    return is_done;
}

/* The same case once more, from nothing: to see more of what is known to be wrong. */
static bool begin_again(const struct checking *checking, const struct lab_case *which, struct pass *pass,
                        struct checking *again)
{
    const uint32_t number = checking->pass->one.which;
    char error[256] = "";
    *pass = (struct pass){.one = {.which = number, .is_right = true}};
    *again = (struct checking){
        .judge = checking->judge, .side = checking->side, .pass = pass, .order = checking->order};
    again->side.player = NULL;
    lab_begin_run(&again->side.run, checking->judge->lab, checking->judge->stage, which,
                  lab_seed(checking->judge->seed, number));
    return judge_side_open(&again->side, error, sizeof error) && set_buffers(&again->side.run);
}

static void end_again(struct checking *again)
{
    judge_side_close(&again->side);
    pass_free(again->pass);
}

/* Where the checker has not looked yet, the case runs once more, for what it sees. */
static bool look_closer(struct checking *checking, const struct lab_case *which)
{
    struct verdict_case *one = &checking->pass->one;
    struct checking again;
    struct pass closer;
    vgpu_set_check(VGPU_CHECK_FULL);
    const bool is_done = begin_again(checking, which, &closer, &again) && replay(&again);
    if (closer.findings.symptom != LAB_NO_SYMPTOM)
        one->symptom = findings_symptom(&closer.findings);
    forget_chance(one);
    end_again(&again);
    return is_done;
}

/* Where something was read that nobody wrote, only that it was swapped says more. */
static bool tells_more(const struct verdict_case *one, const struct lab_buffer *buffer)
{
    return buffer->role == LAB_IN || (buffer->role == LAB_SCRATCH && one->symptom == LAB_UNTOUCHED);
}

static bool fill_scratch(const struct lab_run *run, int index)
{
    lab_fill(run, index, run->buffers[index].host);
    return each_piece(run, index, put_piece);
}

/* No output was written. The case runs once more with scratch memory that is poisoned, to see what was written instead. */
static bool look_for_writes(struct checking *checking, const struct lab_case *which)
{
    struct verdict_case *one = &checking->pass->one;
    struct checking again;
    struct pass ignored;
    bool is_written[LAB_BUFFERS] = {false};
    bool is_done = begin_again(checking, which, &ignored, &again);
    const struct lab_run *run = &again.side.run;
    for (int i = 0; is_done && i < run->nbuffers; i++)
        is_done = run->buffers[i].role != LAB_SCRATCH || fill_scratch(run, i);
    is_done = is_done && replay(&again);
    for (int i = 0; is_done && i < run->nbuffers; i++)
        is_written[i] = tells_more(one, &run->buffers[i]) && !each_piece(run, i, is_piece_same);
    const char *known = lab_recognise_untouched(run, is_written);
    one->is_cause = known != NULL;
    snprintf(one->known, sizeof one->known, "%s", known ? known : "");
    end_again(&again);
    return is_done;
}

static bool wants_a_closer_look(const struct verdict_case *one)
{
    return one->which == LAB_MIDDLE && is_about_values(one);
}

/* Whoever has swapped an output with something else reads what nobody wrote. */
static bool is_all_missing(const struct checking *checking)
{
    const struct verdict_case *one = &checking->pass->one;
    return one->which != LAB_TIMED && (one->symptom == LAB_UNTOUCHED || one->symptom == LAB_UNINITIALISED) &&
           is_nothing_written(&checking->side.run);
}

/* pass->one says which case it is; what was found and what it took is of the first call. */
static void check_case(struct judge *judge, const struct lab_case *which, struct pass *pass, bool is_twice)
{
    struct checking checking = {.judge = judge, .pass = pass, .side.code = &judge->student};
    struct verdict_case *one = &pass->one;
    char error[256] = "";
    bool is_done = false;
    if (!judge_find_segment(judge, &judge->student, judge->slot, one, &checking.side.segment))
        return;
    lab_begin_run(&checking.side.run, judge->lab, judge->stage, which, lab_seed(judge->seed, one->which));
    vgpu_set_garbage(lab_garbage(checking.side.run.seed));
    pass->run = checking.side.run;
    pass->is_whole = true;
    if (!judge_side_open(&checking.side, error, sizeof error) || !set_buffers(&checking.side.run))
        judge_fail(judge, "The buffers of a case could not be made: %s", error);
    else
        is_done = replay(&checking);
    if (is_done)
        compare(&checking, !is_twice);
    pass->findings.covered.effort.measures[MEASURE_WORK] = lab_work(&checking.side.run);
    if (is_done && one->is_right && is_twice && !lab_is_only_said(&checking.side.run))
        is_done = replay_in_orders(&checking);
    if (is_done && wants_a_closer_look(one))
        is_done = look_closer(&checking, which);
    if (is_done && is_all_missing(&checking))
        is_done = look_for_writes(&checking, which);
    judge_side_close(&checking.side);
    if (!is_done)
        cudaDeviceReset(); /* a fault ruins the context */
}

/* ------------------------------------------------------------------------------------------- all cases */

static bool find_case(const struct judge *judge, uint32_t which, struct lab_case *out)
{
    return lab_find_case(judge->lab, judge->stage, which, judge->draw, out);
}

static bool is_regular(const struct lab_case *which)
{
    for (int i = 0; i < LAB_SIZES; i++)
        if (which->size[i] % EDGE != 0)
            return false;
    return true;
}

/* A stage is empty only if nothing is ever written; else elements are missing in some cases. */
static void settle_untouched(struct verdict_case *cases, uint32_t count)
{
    static const bool shows_output[LAB_SYMPTOMS] = {
        [LAB_WRONG] = true, [LAB_PARTLY] = true, [LAB_UNINITIALISED] = true};
    bool is_empty = true;
    for (uint32_t i = 0; i < count; i++)
        is_empty &= !cases[i].is_right && !shows_output[cases[i].symptom];
    for (uint32_t i = 0; !is_empty && i < count; i++)
        if (cases[i].symptom == LAB_UNTOUCHED) {
            cases[i].symptom = LAB_PARTLY;
            cases[i].is_cause = false;
            cases[i].known[0] = '\0';
        }
}

/* Wrong values only where a size is no multiple of 32: the edges are what is wrong. */
static void find_edges(const struct judge *judge, struct verdict_case *cases, uint32_t count)
{
    bool is_any_right = false;
    struct lab_case which;
    for (uint32_t i = 0; i < count; i++) {
        if (!find_case(judge, i, &which) || !is_regular(&which))
            continue;
        if (cases[i].symptom != LAB_NO_SYMPTOM)
            return;
        is_any_right |= cases[i].is_right;
    }
    for (uint32_t i = 0; is_any_right && i < count; i++)
        if (is_about_values(&cases[i]))
            cases[i].symptom = LAB_EDGE;
}

/* A narrow case has thousands of blocks that are nearly idle. Under full checking it takes longer than all others together; there it
 * is executed only where the check of bounds finds something wrong, or it does what no other case does. */
static bool is_done_quickly(struct judge *judge, const struct lab_case *which, struct pass *pass)
{
    const struct verdict_case before = pass->one;
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
static void check_and_cover(struct judge *judge, const struct lab_case *which, struct verdict_case *one,
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

enum kind { REGULAR, OTHER, NARROW };

static enum kind kind_of(const struct lab_case *which)
{
    return which->is_narrow ? NARROW : is_regular(which) ? REGULAR : OTHER;
}

/* Cases of one kind, until too many have failed; one that takes its time until it is stopped is enough. */
static void check_kind(struct judge *judge, enum kind kind, struct verdict_case *cases, uint32_t count,
                       int *failures, bool *is_twice)
{
    struct lab_case which;
    for (uint32_t i = 0; i < count; i++) {
        if (!find_case(judge, i, &which) || kind_of(&which) != kind)
            continue;
        if (*failures >= MOST_FAILURES || judge_has_failed(judge))
            return;
        cases[i] = (struct verdict_case){.which = i, .is_right = true};
        judge_enter(judge, i, false);
        check_and_cover(judge, &which, &cases[i],
                        *is_twice || judge->stage->is_whole || judge->stage->blocks_wait);
        *is_twice = false;
        const bool is_stopped = cases[i].symptom == LAB_ENDLESS || cases[i].symptom == LAB_LIMIT;
        const bool is_enough = judge->is_brief || is_stopped;
        *failures += cases[i].is_right ? 0 : is_enough ? MOST_FAILURES : 1;
    }
}

static bool is_checked(const struct verdict_case *one)
{
    return one->is_right || one->symptom != LAB_NO_SYMPTOM;
}

/* Regular sizes come first: they tell a kernel that is wrong from one that is wrong at the edges only. Narrow ones come last, when it
 * is known what others do. */
void judge_check(struct judge *judge)
{
    const uint32_t count = (uint32_t)judge->lab->ncases + LAB_DRAWN;
    int failures = 0;
    bool is_twice = true; /* the first case is called twice */
    struct verdict_case *cases = calloc(count, sizeof *cases);
    if (!cases) {
        judge_fail(judge, "There is no memory for the cases.");
        return;
    }
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    vgpu_set_use(false);
    vgpu_set_check(VGPU_CHECK_FULL);
    vgpu_set_timed(false);
    check_kind(judge, REGULAR, cases, count, &failures, &is_twice);
    check_kind(judge, OTHER, cases, count, &failures, &is_twice);
    check_kind(judge, NARROW, cases, count, &failures, &is_twice);
    settle_untouched(cases, count);
    find_edges(judge, cases, count);
    for (uint32_t i = 0; i < count; i++)
        if (is_checked(&cases[i]))
            judge_add_case(judge, &cases[i]);
    free(cases);
}

bool judge_check_whole(struct judge *judge, uint32_t number, enum vgpu_check check, struct pass *out)
{
    const bool is_timed = number == LAB_TIMED || judge->wants_moment;
    struct lab_case which;
    *out = (struct pass){.one = {.which = number, .is_right = true}};
    if (!find_case(judge, number, &which))
        return true;
    if (number == LAB_TIMED)
        pass_start_afresh();
    pass_allow_work(number);
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
