/* explain.c - ./grade explain lab3.2: why a stage takes as long as it does, in the words of the virtual GPU.
 * The submission is compiled and recorded as for a grade; a judge then tells what the kernels did at the timed size. No points are
 * given, and nothing is kept. With --html, a page shows the same and more: explain_page.c. */
#define _GNU_SOURCE
#include "grader/explain.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "grader/busy.h"
#include "grader/put.h"
#include "grader/place.h"

static void say(const char *text)
{
    wrap_line(stdout, wrap_columns(STDOUT_FILENO), 2, "", text, strlen(text));
}

enum { MOST_HEADER = 1 << 20, ROOM = 200 };

/* "" : there is no such line, or nothing in it. */
static void read_line(const char *path, unsigned number, char *out, size_t size)
{
    size_t bytes;
    char *text = file_read(path, MOST_HEADER, false, &bytes), *at = text;
    out[0] = '\0';
    for (unsigned i = 1; at && i < number; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (at) {
        at += strspn(at, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
    }
    free(text);
}

/* The judge reads no file but the submission, so a line of a header that all submissions may include comes from there without its
 * text: "   62    32 %  work.h:62". */
static void put_text_of_header(const struct session *session, const char *line, size_t length)
{
    char name[60], path[GRADE_PATH + 100], text[ROOM];
    unsigned number, told;
    int percent, end = 0;
    if (sscanf(line, " %u %d %%  %59[a-zA-Z0-9_.]:%u%n", &number, &percent, name, &told, &end) < 4 ||
        (size_t)end != length || number != told)
        return;
    snprintf(path, sizeof path, "%s/include/lab/%s", session->folder, name);
    read_line(path, number, text, sizeof text);
    const int room = wrap_columns(STDOUT_FILENO) - end - 2;
    if (*text && room > 0)
        printf("  %.*s", room, text);
}

static void put_explanation(const struct session *session, const char *words)
{
    char *plain = utf8_plain(words);
    for (const char *line = plain ? plain : ""; *line;) {
        const size_t length = strcspn(line, "\n");
        printf("%.*s", (int)length, line);
        put_text_of_header(session, line, length);
        putchar('\n');
        line += length + (line[length] == '\n');
    }
    free(plain);
}

/* Where the time goes that is not the kernels', before what is said of these; what to do about it comes last, for it matters more
 * than what could be done about a kernel. */
static void put_pipeline(const struct verdict_message *pipeline, bool is_advice)
{
    const size_t first = pipeline ? strcspn(pipeline->text, "\n") : 0;
    if (!pipeline)
        return;
    if (!is_advice)
        wrap_line(stdout, wrap_columns(STDOUT_FILENO), 2, "", pipeline->text, first);
    else if (pipeline->text[first])
        say(pipeline->text + first + 1);
}

static enum outcome put_verdict(const struct explained *explained)
{
    const struct grading *grading = explained->grading;
    const struct verdict *verdict = explained->verdict;
    const struct verdict_message *words = explain_find_words(verdict);
    char text[600];
    if (*verdict->failure) {
        fprintf(stderr, "grade: error of the kit: %s\n", verdict->failure);
        return OUTCOME_OURS;
    }
    printf("%s.%d  %s: %s, on the virtual GPU as %s\n", grading->session->lab->id,
           explain_row(grading->session->lab, explained->stage), explained->stage->id, grading->shown,
           grading->session->model);
    explain_write_wrong(explained, text, sizeof text);
    if (*text && words) {
        paint(RED);
        say(text);
        paint(PLAIN);
    }
    if (explain_write_time(explained, verdict, text, sizeof text))
        say(text);
    if (!words) {
        say(verdict->ncases && *verdict->cases[0].text
                ? verdict->cases[0].text
                : "It launches no kernel: there is nothing to explain.");
        return OUTCOME_STUDENT;
    }
    put_pipeline(explain_find_pipeline(verdict), false);
    explain_write_share(verdict, words, text, sizeof text);
    if (*text)
        say(text);
    put_explanation(grading->session, words->text);
    put_pipeline(explain_find_pipeline(verdict), true);
    explain_write_next(explained, text, sizeof text);
    if (*text)
        say(text);
    return OUTCOME_GRADED;
}

/* Records the stage, and for a page the step before it. False: the host code did not come to its end, or nothing could be run. */
static bool record(struct explained *explained, enum outcome *outcome)
{
    struct stages_cell cells[] = {{.stage = explained->stage, .step = explained->stage},
                                  {.stage = explained->before, .step = explained->before}};
    *outcome = OUTCOME_OURS;
    busy_doing("recording %s", explained->stage->id);
    if (!stages_record_cells(explained->grading, cells, explained->before ? 2 : 1))
        return false;
    if (!cells[1].is_recorded)
        explained->before = NULL;
    if (!cells[0].is_recorded) {
        printf("The host code of %s() did not come to its end. %s\n", explained->stage->entry,
               cells[0].trouble);
        *outcome = OUTCOME_STUDENT;
    }
    return cells[0].is_recorded;
}

static void free_explained(struct explained *explained)
{
    verdict_free(explained->verdict);
    verdict_free(explained->before_verdict);
    verdict_free(explained->reference);
    free(explained->source);
}

static enum outcome explain_stage(struct grading *grading, const struct lab_stage *stage)
{
    const char *page = grading->session->options->html;
    struct explained explained = {.grading = grading, .stage = stage};
    enum outcome outcome;
    if (grading_only_asks(grading->session->lab, stage)) {
        printf("%s.%d  %s\n", grading->session->lab->id, explain_row(grading->session->lab, stage),
               stage->id);
        say("Answers only: nothing is computed, so there is nothing to look at. Explain the steps that "
            "they are about.");
        return OUTCOME_GRADED;
    }
    if (page)
        explained.before = lab_previous(grading->session->lab, stage);
    if (!record(&explained, &outcome))
        return outcome;
    busy_doing("looking at %s", stage->id);
    if (page)
        explain_look_further(&explained);
    else
        explained.verdict = stages_ask(
            grading, &(struct stages_question){.stage = stage, .step = stage, .is_explained = true});
    outcome = explained.verdict ? put_verdict(&explained) : OUTCOME_OURS;
    if (page && outcome == OUTCOME_GRADED && !explain_write_page(&explained, page))
        outcome = OUTCOME_OURS;
    free_explained(&explained);
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
    if (session->options->html && strpbrk(session->options->stage, ",")) {
        fprintf(stderr, "grade: a page is about one stage: ./grade explain %s.2 --html %s\n",
                session->entry->id, session->options->html);
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
