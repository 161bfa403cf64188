/* explain.c - ./grade explain lab3.2: why a stage takes as long as it does, in the words of the virtual GPU.
 * The submission is compiled and recorded as for a grade; a judge then tells what the kernels did at the timed size. No points are
 * given, and nothing is kept. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "base/wrap.h"
#include "grader/place.h"

const struct verdict_message *explain_find_words(const struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        if (!strcmp(verdict->messages[i].severity, VERDICT_EXPLAINED))
            return &verdict->messages[i];
    return NULL;
}

static int row_of(const struct lab *lab, const struct lab_stage *stage)
{
    return (int)(stage - lab->stages) + 1;
}

static void say(const char *text)
{
    wrap_line(stdout, wrap_columns(STDOUT_FILENO), 2, "", text, strlen(text));
}

/* The time, its rate and what that is a share of; over the kit's first step; the case. */
static void put_head(struct grading *grading, const struct lab_stage *stage, struct verdict *verdict)
{
    const struct lab *lab = grading->session->lab;
    struct stage_result result = {.stage = stage, .row = row_of(lab, stage), .verdict = verdict};
    struct lab_scale scale;
    char text[600], sizes[200];
    result.score.has_speedup = verdict->time.is_known;
    grading_describe_case(lab, stage, LAB_TIMED, grading->seed, sizes, sizeof sizes);
    printf("%s.%d  %s: %s, on the virtual GPU as %s\n", lab->id, result.row, stage->id, grading->shown,
           grading->session->model);
    if (!grading_find_scale(grading, &result, &scale))
        return;
    lab_write_scale(&scale, text, sizeof text);
    snprintf(text + strlen(text), sizeof text - strlen(text), " (%s).", sizes);
    say(text);
}

/* What the words are about, where that is not nearly all of the stage. */
static void put_share(const struct verdict *verdict, const struct verdict_message *words)
{
    const double *launches = verdict_counter(verdict, "launches"), nearly_all = 0.75;
    double longest = 0, all = 0;
    char text[300];
    if (!launches || sscanf(words->title, "%lf of %lf us", &longest, &all) != 2 || !(all > 0))
        return;
    if (*launches > 1)
        snprintf(text, sizeof text,
                 "%.0f launches; the longest, which this is about, takes %.0f %% of the time.", *launches,
                 100 * longest / all);
    else
        snprintf(
            text, sizeof text,
            "The kernel takes %.0f %% of the time; the rest goes to the host, to copies and to the launch.",
            100 * longest / all);
    if (*launches > 1 || longest < nearly_all * all)
        say(text);
}

static void put_next(const struct session *session, const struct lab_stage *stage)
{
    char text[300];
    if (!stage->todo.section)
        return;
    snprintf(text, sizeof text, "More about this step: handouts/%s.md, section %d.", session->entry->folder,
             stage->todo.section);
    say(text);
}

static void put_words(const char *words)
{
    char *plain = utf8_plain(words);
    fputs(plain ? plain : "", stdout);
    free(plain);
}

static enum outcome put_verdict(struct grading *grading, const struct lab_stage *stage,
                                struct verdict *verdict)
{
    const struct verdict_message *words = explain_find_words(verdict);
    if (*verdict->failure) {
        fprintf(stderr, "grade: error of the kit: %s\n", verdict->failure);
        return OUTCOME_OURS;
    }
    put_head(grading, stage, verdict);
    if (!words) {
        say(verdict->ncases && *verdict->cases[0].text
                ? verdict->cases[0].text
                : "It launches no kernel: there is nothing to explain.");
        return OUTCOME_STUDENT;
    }
    put_share(verdict, words);
    put_words(words->text);
    put_next(grading->session, stage);
    return OUTCOME_GRADED;
}

static enum outcome explain_stage(struct grading *grading, const struct lab_stage *stage)
{
    struct stages_cell cell = {.stage = stage, .step = stage};
    if (!stages_record_cell(grading, &cell))
        return OUTCOME_OURS;
    if (!cell.is_recorded) {
        printf("The host code of %s() did not come to its end. %s\n", stage->entry, cell.trouble);
        return OUTCOME_STUDENT;
    }
    const struct stages_question question = {.stage = stage, .step = stage, .is_explained = true};
    struct verdict *verdict = stages_ask(grading, &question);
    const enum outcome outcome = verdict ? put_verdict(grading, stage, verdict) : OUTCOME_OURS;
    verdict_free(verdict);
    return outcome;
}

static void put_trouble(const struct grading *grading)
{
    char *text = place_text(grading->trouble, grading->shown, grading_path(grading));
    fprintf(grading->outcome == OUTCOME_OURS ? stderr : stdout, "%s\n", text ? text : grading->trouble);
    free(text);
}

enum outcome explain_run(struct session *session)
{
    char source[GRADE_PATH + 600];
    struct grading grading = {.is_for_check = true};
    enum outcome outcome = OUTCOME_GRADED;
    if (!session->options->stage) {
        fprintf(stderr, "grade: `explain` wants a stage: ./grade explain %s.2\n", session->entry->id);
        return OUTCOME_OURS;
    }
    session_find_source(session, source, sizeof source);
    if (access(source, F_OK) != 0) {
        fprintf(stderr, "There is no file %s.\n", source);
        return OUTCOME_STUDENT;
    }
    grade_submission(&grading, session, source);
    if (grading.trouble) {
        put_trouble(&grading);
        outcome = grading.outcome;
    }
    for (int i = 0; !grading.trouble && outcome == OUTCOME_GRADED && i < session->lab->nstages; i++)
        if (session_wants(session, &session->lab->stages[i]))
            outcome = explain_stage(&grading, &session->lab->stages[i]);
    grading_free(&grading);
    return outcome;
}
