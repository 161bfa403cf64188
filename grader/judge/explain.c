/* explain.c - see explain.h. */
#define _GNU_SOURCE
#include "grader/judge/explain.h"

#include <stdlib.h>
#include <string.h>

#include "grader/judge/check.h"
#include "grader/judge/counts.h"
#include "grader/judge/pipeline.h"
#include "grader/judge/sample.h"
#include "grader/judge/setup.h"

/* A message for each kernel, with words or JSON: those that take most of the time first. */
static void add_told(struct judge *judge, const struct vgpu_told *told, const char *severity, char *text)
{
    struct verdict_message message = {.which = LAB_TIMED, .text = text};
    snprintf(message.severity, sizeof message.severity, "%s", severity);
    snprintf(message.title, sizeof message.title, "%llu launches, %.17g us", told->launches, told->total_us);
    if (text)
        verdict_add_message(judge->verdict, &message);
}

static void add_words(struct judge *judge, struct pass *student)
{
    struct vgpu_kernels *kernels = &student->findings.kernels;
    vgpu_kernels_sort(kernels);
    for (size_t i = 0; i < kernels->count; i++) {
        add_told(judge, &kernels->told[i], VERDICT_EXPLAINED, kernels->told[i].words);
        add_told(judge, &kernels->told[i], VERDICT_PROFILED, kernels->told[i].json);
    }
}

/* Before the kernels' words: what the stage's time goes to, where it is not they. */
static void add_pipeline(struct judge *judge, const struct pipeline *spent, double total_us)
{
    char text[1200] = "";
    struct verdict_message message = {
        .which = LAB_TIMED, .severity = VERDICT_PIPELINE, .title = "pipeline", .text = text};
    if (pipeline_write(spent, total_us, text, sizeof text))
        verdict_add_message(judge->verdict, &message);
}

static void add_spans(struct judge *judge, const struct pipeline *spent, double total_us)
{
    struct verdict_message message = {.which = LAB_TIMED, .severity = VERDICT_SPANS, .title = "operations"};
    size_t size;
    FILE *file = spent->spans ? open_memstream(&message.text, &size) : NULL;
    if (!file)
        return;
    const bool is_any = pipeline_write_spans(spent, total_us, file);
    fclose(file);
    if (is_any)
        verdict_add_message(judge->verdict, &message);
    free(message.text);
}

/* The first finding of the cases that were looked at; NULL: there is none. */
static const struct verdict_message *first_finding(const struct verdict *verdict, uint32_t from)
{
    for (uint32_t i = from; i < verdict->nmessages; i++)
        if (verdict_is_finding(&verdict->messages[i]))
            return &verdict->messages[i];
    return NULL;
}

/* Of the first few cases the one that is wrong, or in which something is found, is the last to be looked at. Returns how many
 * were. */
static uint32_t find_wrong_case(struct judge *judge, struct lab_outcome *one)
{
    enum { MOST_CASES = 8 };
    const uint32_t nmessages = judge->verdict->nmessages;
    uint32_t i = 0;
    while (i < MOST_CASES && i < (uint32_t)judge->lab->ncases && one->is_right &&
           !first_finding(judge->verdict, nmessages) && !judge_has_failed(judge)) {
        struct pass pass;
        judge_check_whole(judge, i++, VGPU_CHECK_FULL, pass_most_middle, &pass);
        *one = pass.one;
        pass_free(&pass);
    }
    return i;
}

/* The same once more, recorded: in which step something is found. */
static void find_moment(struct judge *judge, uint32_t index)
{
    struct pass pass;
    judge->wants_moment = true;
    judge_check_whole(judge, index, VGPU_CHECK_FULL, pass_most_middle, &pass);
    judge->wants_moment = false;
    pass_free(&pass);
}

/* Times of a kernel that is wrong mean little: a few small cases tell whether it is, and for a page, in which step something is
 * found. What is wrong is told by ./grade itself: here one case and one finding are enough. */
static void look_at_cases(struct judge *judge, bool wants_moment)
{
    const uint32_t nmessages = judge->verdict->nmessages;
    struct verdict_message message = {.which = LAB_TIMED, .severity = VERDICT_MOMENT};
    struct lab_outcome one = {.is_right = true};
    const uint32_t nlooked = find_wrong_case(judge, &one);
    const struct verdict_message *found = first_finding(judge->verdict, nmessages);
    if (found) {
        snprintf(message.title, sizeof message.title, "%s", found->title);
        snprintf(message.place, sizeof message.place, "%s", found->place);
        if (wants_moment)
            find_moment(judge, nlooked - 1);
    }
    judge_drop_messages(judge, nmessages);
    if (!one.is_right && !judge_has_failed(judge))
        judge_add_case(judge, &one);
    message.text = judge->moment;
    if (*message.title)
        verdict_add_message(judge->verdict, &message);
    free(judge->moment);
    judge->moment = NULL;
}

/* The blocks and the inputs that a submission is timed with. Who asks why a kernel is slow gets an answer also where it is not yet
 * right, and is told so. */
void explain_judge(struct judge *judge)
{
    struct pass student = {.is_whole = false}, baseline = {.is_whole = false},
                reference = {.is_whole = false};
    const struct pass *answer = NULL;
    struct pipeline spent = {.part = PIPELINE_CALLS};
    if (judge->is_profiled && !judge->is_brief)
        spent.spans = calloc(PIPELINE_SPANS, sizeof *spent.spans);
    setup_begin_sampling();
    judge_enter(judge, LAB_TIMED, false);
    setup_watch(judge, &spent);
    const bool is_done =
        sample_is_comparable(judge) ? sample_as_kits(judge, &student) : sample_unseen(judge, &student);
    setup_watch(judge, NULL);
    const bool wants_moment = judge->is_profiled;
    judge->is_explained = judge->is_profiled = false; /* the kit's own kernels are not */
    if (!is_done && !judge_has_failed(judge))
        judge_add_case(judge, &student.one);
    if (is_done && setup_both_kits(judge, &baseline, &reference, &answer)) {
        judge_drop_messages(judge, 0);
        add_pipeline(judge, &spent, student.time_us);
        add_spans(judge, &spent, student.time_us);
        add_words(judge, &student);
        counts_add(judge, &student);
        counts_add_time(judge, answer ? baseline.time_us : 0, &student);
        if (!judge->is_brief)
            look_at_cases(judge, wants_moment);
    }
    free(spent.spans);
    pass_free(&student);
    pass_free(&baseline);
    pass_free(&reference);
}
