/* verify.c - see verify.h. Times are not looked at, and nothing is printed. */
#include "lab/verify.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/wrap.h"
#include "lab/buffers.h"
#include "lab/element.h"
#include "lab/findings.h"
#include "vgpu/vgpu.h"

/* Defined where the virtual GPU is linked. */
#pragma weak vgpu_set_check
#pragma weak vgpu_set_garbage
#pragma weak vgpu_set_order

/* One case on its way. */
struct verify {
    const struct verify_way *way;
    void *context;
    struct lab_run *run;
    struct lab_outcome *one;
    struct verify_seen seen; /* in the last call */
    enum vgpu_order order;   /* of its blocks */
    bool is_last;            /* nothing is run after it */
    const char *problem;     /* ours; NULL: none */
};

__attribute__((format(printf, 3, 4))) static void decide(struct lab_outcome *one, enum lab_symptom symptom,
                                                         const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(one->text, sizeof one->text, format, list);
    va_end(list);
    one->is_right = false;
    one->symptom = symptom;
}

/* ------------------------------------------------------------------------------------------- what is wrong */

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

/* True if no output holds anything: where one is complete and another is missing, the kernels do write. Answers say nothing of that. */
static bool is_nothing_written(const struct lab_run *run)
{
    bool is_any = false;
    for (int i = 0; i < run->nbuffers; i++) {
        const struct lab_buffer *buffer = &run->buffers[i];
        if (buffer->role != LAB_OUT || buffer->sheet)
            continue;
        if (!is_left(run, i))
            return false;
        is_any = true;
    }
    return is_any;
}

static enum lab_symptom symptom_of(const struct verify *verify, const struct lab_difference *difference)
{
    const struct verify_seen *seen = &verify->seen;
    return seen->symptom != LAB_NO_SYMPTOM   ? seen->symptom
           : seen->is_refused                ? LAB_LAUNCH
           : is_nothing_written(verify->run) ? LAB_UNTOUCHED
           : difference->unwritten           ? LAB_PARTLY
           : seen->has_host_read             ? LAB_HOST_READ
                                             : LAB_WRONG;
}

/* Nothing is known but that values are wrong. */
static bool is_about_values(const struct lab_outcome *one)
{
    return one->symptom == LAB_WRONG || one->symptom == LAB_PARTLY || one->symptom == LAB_UNTOUCHED;
}

static void set_known(struct lab_outcome *one, const char *known)
{
    snprintf(one->known, sizeof one->known, "%s", known ? known : "");
    wrap_end_at_word(one->known, sizeof one->known);
}

/* Values that began with what happened to be there look like anything. */
static void forget_chance(struct lab_outcome *one)
{
    if (one->symptom == LAB_UNINITIALISED && !one->is_cause)
        one->known[0] = '\0';
}

/* The wrong output in words, and what it looks like. Where a finding explains it, values are what chance made them; and at the timed
 * size, what mistakes would give takes as long as the right result, for each. */
static void explain(struct verify *verify, int index, const void *expected,
                    const struct lab_difference *difference)
{
    struct lab_outcome *one = verify->one;
    decide(one, symptom_of(verify, difference), "%s", difference->text);
    const bool is_telling =
        (is_about_values(one) && one->symptom != LAB_UNTOUCHED) || one->symptom == LAB_UNINITIALISED;
    set_known(one, is_telling && one->which != LAB_TIMED
                       ? lab_recognise(verify->run, index, expected, &one->is_cause)
                       : NULL);
    forget_chance(one);
}

/* ------------------------------------------------------------------------------------------- comparing */

static const char *expect(const struct verify *verify, int index, void *expected)
{
    if (verify->way->expect)
        return verify->way->expect(verify->context, verify->run, index, expected);
    lab_reference(verify->run, index, expected);
    return NULL;
}

static const char *compare_output(struct verify *verify, int index)
{
    struct lab_difference difference = {0};
    const size_t bytes = lab_buffer_bytes(&verify->run->buffers[index]);
    void *expected = calloc(bytes + 1, 1);
    pages_expect_all(expected, bytes);
    const char *problem = expected ? expect(verify, index, expected) : "out of memory";
    if (!problem) {
        lab_compare(verify->run, index, expected, &difference);
        if (difference.wrong)
            explain(verify, index, expected, &difference);
    }
    free(expected);
    return problem;
}

/* What a lost device held cannot be looked at; what is on the host can. */
static bool is_there(const struct lab_buffer *buffer, enum lab_role role, bool is_lost)
{
    return buffer->role == role && (buffer->is_host || !is_lost);
}

/* Inputs are looked at before outputs are compared, for what is expected is computed from all of them on the host; what is wrong with
 * outputs explains the case first. After the last call, what the device holds makes room for what is expected: a large
 * case would else take half as much memory again. */
static const char *compare(struct verify *verify)
{
    struct lab_run *run = verify->run;
    const bool is_lost = cudaDeviceSynchronize() != cudaSuccess;
    const char *problem = NULL, *changed = NULL;
    if (verify->is_last && verify->way->finish)
        verify->way->finish(verify->context);
    for (int i = 0; i < run->nbuffers && !problem; i++) {
        struct lab_buffer *buffer = &run->buffers[i];
        if (is_there(buffer, LAB_IN, is_lost) && !buffers_is_unchanged(run, i) && !changed)
            changed = buffer->name;
        if (is_there(buffer, LAB_OUT, is_lost))
            problem = buffers_fetch(run, i);
        if (verify->is_last && buffer->role != LAB_SCRATCH)
            buffers_drop(run, i);
        if (!problem && buffer->role == LAB_IN)
            problem = buffers_make_host(run, i);
    }
    for (int i = 0; i < run->nbuffers && !problem && verify->one->is_right; i++)
        if (is_there(&run->buffers[i], LAB_OUT, is_lost))
            problem = compare_output(verify, i);
    if (!problem && verify->one->is_right && changed)
        decide(verify->one, LAB_WRONG, "The kernels changed the input `%s`.", changed);
    return problem;
}

/* ------------------------------------------------------------------------------------------- calls */

static bool run_call(struct verify *verify, enum verify_call call, struct lab_run *run, char *error,
                     size_t size)
{
    verify->seen = (struct verify_seen){.symptom = LAB_NO_SYMPTOM, .text = ""};
    if (buffers_are_virtual())
        vgpu_set_order(verify->order);
    const bool is_done = verify->way->run(verify->context, call, run, &verify->seen, error, size);
    if (buffers_are_virtual())
        vgpu_set_order(VGPU_FORWARD);
    return is_done;
}

/* What stopped it, from what was found or else from CUDA's words. */
static void explain_stop(struct verify *verify, const char *error)
{
    const struct verify_seen *seen = &verify->seen;
    const bool is_found = seen->symptom != LAB_NO_SYMPTOM;
    decide(verify->one, is_found ? seen->symptom : seen->if_stopped, "%s", is_found ? seen->text : error);
}

/* True if the work came to its end. */
static bool check_call(struct verify *verify, enum verify_call call)
{
    char error[256] = "";
    const bool is_done = run_call(verify, call, verify->run, error, sizeof error);
    if (is_done)
        verify->problem = compare(verify);
    else if (!lab_is_mere_finding(verify->order, verify->seen.symptom))
        explain_stop(verify, error);
    return is_done;
}

static void name_call(struct lab_outcome *one, enum vgpu_order order)
{
    char text[sizeof one->text];
    memcpy(text, one->text, sizeof text);
    decide(one, one->symptom, "%s: %.430s", lab_words_of_call(order), text);
    if (order == VGPU_FORWARD) { /* that the first call was right says more than how the second one looks */
        one->is_cause = false;
        one->known[0] = '\0';
    }
}

/* With other inputs, and maybe another order of blocks; a GPU chooses the order itself. */
static bool check_further_calls(struct verify *verify)
{
    enum vgpu_order orders[LAB_FURTHER_CALLS] = {VGPU_FORWARD};
    const int ncalls = buffers_are_virtual() ? lab_further_calls(verify->run->stage, orders) : 1;
    bool is_done = true;
    for (int i = 0; i < ncalls && is_done && verify->one->is_right; i++) {
        verify->run->seed = lab_seed(verify->run->seed, LAB_SECOND_CALL);
        verify->order = orders[i];
        verify->is_last = i == ncalls - 1;
        verify->problem = buffers_fill(verify->run);
        if (verify->problem)
            return true;
        is_done = check_call(verify, VERIFY_FURTHER);
        if (!verify->one->is_right)
            name_call(verify->one, orders[i]);
    }
    return is_done;
}

/* ------------------------------------------------------------------------------------------- seeing more */

/* The same case once more, from nothing; scratch memory may hold poison, to see what is written there. */
static bool run_aside(struct verify *verify, struct lab_run *again, bool has_poison)
{
    const struct lab_run *run = verify->run;
    char error[256];
    lab_begin_run(again, run->lab, run->stage, &run->which, run->seed);
    verify->problem = buffers_open(again);
    if (!verify->problem)
        verify->problem = buffers_fill(again);
    if (!verify->problem && has_poison)
        verify->problem = buffers_fill_scratch(again);
    return !verify->problem && run_call(verify, VERIFY_ASIDE, again, error, sizeof error);
}

/* The middle case is executed under the check of bounds alone: where its values are wrong, it runs once more for what a full check
 * sees. */
static bool look_closer(struct verify *verify)
{
    struct lab_run again;
    vgpu_set_check(VGPU_CHECK_FULL);
    const bool is_done = run_aside(verify, &again, false);
    if (verify->seen.symptom != LAB_NO_SYMPTOM)
        verify->one->symptom = verify->seen.symptom;
    forget_chance(verify->one);
    buffers_close(&again);
    return is_done;
}

/* No GPU promises an order of blocks. The middle case has many of them, and the last ones begin first there, so that whoever relies on
 * the usual order is found. */
static enum vgpu_order first_order(const struct lab_run *run, uint32_t which)
{
    return which == LAB_MIDDLE && !run->stage->blocks_wait ? VGPU_BACKWARDS : VGPU_FORWARD;
}

static void name_order(struct verify *verify)
{
    struct lab_outcome *one = verify->one;
    const size_t length = strlen(one->text);
    if (verify->order == VGPU_BACKWARDS && length > 0 && one->text[length - 1] != '.')
        snprintf(one->text + length, sizeof one->text - length, " (in this run the last blocks begin first)");
}

/* Where something was read that nobody wrote, only that it was swapped says more. */
static bool tells_more(const struct lab_outcome *one, const struct lab_buffer *buffer)
{
    return buffer->role == LAB_IN || (buffer->role == LAB_SCRATCH && one->symptom == LAB_UNTOUCHED);
}

/* No output was written: what was, instead? */
static bool look_for_writes(struct verify *verify)
{
    struct lab_outcome *one = verify->one;
    struct lab_run again;
    bool is_written[LAB_BUFFERS] = {false};
    const bool is_done = run_aside(verify, &again, true);
    for (int i = 0; is_done && i < again.nbuffers; i++)
        is_written[i] = tells_more(one, &again.buffers[i]) && !buffers_is_unchanged(&again, i);
    const char *known = is_done ? lab_recognise_untouched(&again, is_written) : NULL;
    one->is_cause = known != NULL;
    set_known(one, known);
    buffers_close(&again);
    return is_done;
}

/* Whoever has swapped an output with something else reads what nobody wrote. */
static bool is_all_missing(const struct verify *verify)
{
    const struct lab_outcome *one = verify->one;
    return one->which != LAB_TIMED && (one->symptom == LAB_UNTOUCHED || one->symptom == LAB_UNINITIALISED) &&
           is_nothing_written(verify->run);
}

/* ------------------------------------------------------------------------------------------- a case */

/* Where host code gives all that is asked for, there is nothing to call again: it may have asked for an error. */
static bool check_calls(struct verify *verify, bool is_twice)
{
    verify->is_last = !is_twice;
    bool is_done = check_call(verify, VERIFY_FIRST);
    if (is_done && !verify->problem && verify->one->is_right && verify->way->was_right)
        verify->way->was_right(verify->context, verify->run);
    if (is_done && !verify->problem && verify->one->is_right && is_twice && !lab_is_only_said(verify->run))
        is_done = check_further_calls(verify);
    return is_done;
}

enum verify_end verify_case(const struct verify_way *way, void *context, struct lab_run *run, bool is_twice,
                            struct lab_outcome *one, const char **problem)
{
    struct verify verify = {
        .way = way, .context = context, .run = run, .one = one, .order = first_order(run, one->which)};
    bool is_done = false;
    if (buffers_are_virtual())
        vgpu_set_garbage(lab_garbage(run->seed));
    verify.problem = buffers_open(run);
    if (!verify.problem)
        verify.problem = buffers_fill(run);
    if (!verify.problem)
        is_done = check_calls(&verify, is_twice);
    if (is_done && !verify.problem && one->which == LAB_MIDDLE && is_about_values(one)) {
        name_order(&verify);
        is_done = look_closer(&verify);
    }
    if (is_done && !verify.problem && is_all_missing(&verify))
        is_done = look_for_writes(&verify);
    if (way->finish)
        way->finish(context);
    buffers_close(run);
    *problem = verify.problem;
    return verify.problem ? VERIFY_OURS : is_done ? VERIFY_DONE : VERIFY_LOST;
}

/* ------------------------------------------------------------------------------------------- all cases */

bool verify_is_known(const struct lab_outcome *one)
{
    return one->is_right || one->symptom != LAB_NO_SYMPTOM;
}

static bool is_regular(const struct lab_case *which)
{
    enum { EDGE = 32 };
    for (int i = 0; i < LAB_SIZES; i++)
        if (which->size[i] % EDGE != 0)
            return false;
    return true;
}

/* A stage is empty only if nothing is ever written; else elements are missing in some cases. */
static void settle_untouched(struct lab_outcome *cases, uint32_t count)
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

/* The cases of a stage on their way. */
struct cases {
    const struct lab *lab;
    const struct lab_stage *stage;
    uint64_t draw;
    struct lab_outcome *cases;
    uint32_t count;
};

static bool find_case(const struct cases *cases, uint32_t number, struct lab_case *out)
{
    return lab_find_case(cases->lab, cases->stage, number, cases->draw, out);
}

/* What cases ask of host code alone has no edges. */
static bool has_edges(const struct cases *cases, const struct lab_case *which)
{
    struct lab_run run;
    lab_begin_run(&run, cases->lab, cases->stage, which, 0);
    return !lab_is_only_said(&run);
}

/* Wrong values only where a size is no multiple of 32: the edges are what is wrong. */
static void find_edges(const struct cases *cases)
{
    bool is_any_right = false;
    struct lab_case which;
    for (uint32_t i = 0; i < cases->count; i++) {
        if (!find_case(cases, i, &which) || !is_regular(&which))
            continue;
        if (cases->cases[i].symptom != LAB_NO_SYMPTOM || !has_edges(cases, &which))
            return;
        is_any_right |= cases->cases[i].is_right;
    }
    for (uint32_t i = 0; is_any_right && i < cases->count; i++)
        if (is_about_values(&cases->cases[i]))
            cases->cases[i].symptom = LAB_EDGE;
}

enum kind { REGULAR, OTHER, NARROW, KINDS };

static enum kind kind_of(const struct lab_case *which)
{
    return which->is_narrow ? NARROW : is_regular(which) ? REGULAR : OTHER;
}

/* Cases of one kind, until too many have failed; one that takes its time until it is stopped is enough. */
static bool look_at_kind(const struct cases *cases, enum kind kind, verify_look_fn *look, void *context,
                         int *failures_left, bool *is_twice)
{
    const bool is_always_twice = cases->stage->is_whole || cases->stage->blocks_wait;
    struct lab_case which;
    for (uint32_t i = 0; i<cases->count && * failures_left> 0; i++) {
        struct lab_outcome *one = &cases->cases[i];
        if (!find_case(cases, i, &which) || kind_of(&which) != kind)
            continue;
        *one = (struct lab_outcome){.which = i, .is_right = true};
        if (!look(context, &which, *is_twice || is_always_twice, one))
            return false;
        *is_twice = false;
        *failures_left -= !one->is_right;
        if (one->symptom == LAB_ENDLESS || one->symptom == LAB_LIMIT)
            *failures_left = 0;
    }
    return true;
}

struct lab_outcome *verify_new_cases(const struct lab *lab)
{
    return calloc((size_t)lab->ncases + LAB_DRAWN, sizeof(struct lab_outcome));
}

uint32_t verify_cases(const struct lab *lab, const struct lab_stage *stage, uint64_t draw, int most_failures,
                      verify_look_fn *look, void *context, struct lab_outcome *outcomes)
{
    const struct cases cases = {lab, stage, draw, outcomes, (uint32_t)lab->ncases + LAB_DRAWN};
    int failures_left = most_failures;
    bool goes_on = true, is_twice = true;
    for (enum kind kind = REGULAR; kind < KINDS && goes_on; kind++)
        goes_on = look_at_kind(&cases, kind, look, context, &failures_left, &is_twice);
    settle_untouched(outcomes, cases.count);
    find_edges(&cases);
    return cases.count;
}
