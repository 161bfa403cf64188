/* one.c - ./grade lab3: one submission, from its path to its report, and what is kept of it.
 * Kept are the last whole report of the student's own file, and a line of history for every run of it. Other files, the
 * solution and other GPUs leave no trace: best points are the student's own work on the thresholds' own GPU. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/utf8.h"
#include "grader/files.h"
#include "grader/history.h"
#include "grader/platform.h"

/* ------------------------------------------------------------------------------------------- what is kept */

/* Of the bytes that were graded, whatever has become of the file since. "": there are none. */
static void hash_source(const struct grading *grading, char out[17])
{
    char path[GRADE_PATH + 80];
    uint8_t digest[SHA256_BYTES];
    size_t size;
    snprintf(path, sizeof path, "%s/%s.cu", grading->safe, grading->session->entry->id);
    uint8_t *bytes = files_read(path, (size_t)64 << 20, false, &size);
    *out = '\0';
    if (!bytes)
        return;
    sha256_of(bytes, size, digest);
    for (int i = 0; i < 8; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    free(bytes);
}

static double counter_of(const struct verdict *verdict, const char *name)
{
    const double *value = verdict_counter(verdict, name);
    return value ? *value : 0;
}

/* All launches of the stage together, on the virtual GPU: another one counts no operations. */
static void add_roofline(struct history_stage *stage, const struct stage_result *result)
{
    if (!result->verdict || !(stage->speedup > 0))
        return;
    stage->time_us = counter_of(result->verdict, "time_us");
    stage->flop = counter_of(result->verdict, "flop");
    stage->bytes =
        counter_of(result->verdict, "dram_read_bytes") + counter_of(result->verdict, "dram_write_bytes");
}

/* Places are "lab3.cu:34". */
static void add_wrong(struct history_stage *stage, const struct stage_result *result, const char *shown)
{
    const struct verdict_message *message = result->score.finding;
    const size_t length = strlen(shown);
    if (result->score.symptom == LAB_NO_SYMPTOM || stage->points == stage->most)
        return;
    const struct lab_outcome *fault = result->score.fault;
    bool is_missing = false;
    const bool is_unanswered = fault && lab_is_about_answers(fault->text, &is_missing) && is_missing;
    snprintf(stage->symptom, sizeof stage->symptom, "%s",
             is_unanswered ? HISTORY_UNANSWERED : lab_symptom_name(result->score.symptom));
    if (message && strncmp(message->place, shown, length) == 0 && message->place[length] == ':')
        stage->line = atoi(message->place + length + 1);
}

/* A stage that the kit could not judge tells nothing of the file. */
static void add_stage(struct history_attempt *attempt, const struct stage_result *result, const char *shown)
{
    const int most = lab_stage_points(result->stage);
    if (!result->is_wanted || result->stage->is_given || most == 0 || attempt->nstages == HISTORY_STAGES ||
        (result->verdict && *result->verdict->failure))
        return;
    struct history_stage *stage = &attempt->stages[attempt->nstages++];
    *stage = (struct history_stage){.points = result->score.all.points,
                                    .most = most,
                                    .is_bonus = result->stage->is_bonus,
                                    .speedup = result->score.has_speedup ? result->score.speedup : 0};
    snprintf(stage->id, sizeof stage->id, "%s", result->stage->id);
    add_roofline(stage, result);
    add_wrong(stage, result, shown);
}

/* "lab3.cu(12): error: ...", or with a colon: the first place in the file; 0: none. */
static int find_error_line(const char *trouble, const char *shown)
{
    const size_t length = strlen(shown);
    for (const char *at = strstr(trouble, shown); at; at = strstr(at + 1, shown))
        if ((at[length] == '(' || at[length] == ':') && atoi(at + length + 1) > 0)
            return atoi(at + length + 1);
    return 0;
}

static bool keep_attempt(const struct grading *grading)
{
    const struct session *session = grading->session;
    const bool is_gpu = grading->backend == SCORE_GPU;
    char path[GRADE_PATH];
    struct history_attempt attempt = {.when = time(NULL),
                                      .is_gpu = is_gpu,
                                      .version = GRADE_VERSION,
                                      .has_failed = grading->trouble != NULL};
    if (attempt.has_failed)
        attempt.line = find_error_line(grading->trouble, grading->shown);
    snprintf(attempt.gpu, sizeof attempt.gpu, "%s", is_gpu ? session->gpu : session->model);
    hash_source(grading, attempt.hash);
    for (int i = 0; i < grading->nstages && !attempt.has_failed; i++)
        add_stage(&attempt, &grading->stages[i], grading->shown);
    if (!attempt.has_failed && attempt.nstages == 0)
        return true;
    snprintf(path, sizeof path, "%s/%s.history", session->kit.results, session->entry->id);
    return history_append(path, &attempt);
}

bool one_keep(const struct grading *grading)
{
    const struct session *session = grading->session;
    char path[GRADE_PATH];
    if (!options_are_for_points(session->options) || grading->outcome == OUTCOME_OURS)
        return true;
    snprintf(path, sizeof path, "%s/%s.json", session->kit.results, session->entry->id);
    return files_make_private(session->kit.results) && keep_attempt(grading) &&
           (session->options->stage || report_save(grading, path));
}

/* ------------------------------------------------------------------------------------------- the command */

static void put_error(const struct grading *grading)
{
    char *text = utf8_plain(grading->trouble);
    size_t length = text ? strlen(text) : 0;
    fprintf(stderr, "grade: error of the kit, no grade: %s%s", text ? text : "",
            length && text[length - 1] == '\n' ? "" : "\n");
    free(text);
}

/* What is graded for a platform is looked for in a folder. False: the grading says what was found instead. */
static bool find_file(struct grading *grading, char *source, size_t size)
{
    const struct session *session = grading->session;
    if (session->options->form)
        return platform_find_file(grading, source, size);
    const char *slash = strrchr(source, '/');
    snprintf(grading->shown, sizeof grading->shown, "%.250s", slash ? slash + 1 : source);
    return true;
}

/* With -o the form goes there, and the reader has the report as well: it is graded once for both. */
static bool put_report(const struct grading *grading)
{
    const struct options *options = grading->session->options;
    if (options->form && options->output) {
        platform_put(grading, "text", stdout);
        return platform_save(grading, options->form, options->output);
    }
    if (options->form)
        platform_put(grading, options->form, stdout);
    else if (options->is_json)
        report_json(grading, stdout);
    else
        report_end(grading);
    return true;
}

enum outcome one_run(struct session *session)
{
    const bool is_text = !session->options->is_json && !session->options->form;
    char source[GRADE_PATH + 600];
    struct grading grading = {.session = session, .on_stage = is_text ? report_stage : NULL};
    session_find_source(session, source, sizeof source);
    if (access(source, F_OK) != 0 && is_text) {
        fprintf(stderr, "There is no file %s.\n", source);
        return OUTCOME_STUDENT;
    }
    const bool is_found = find_file(&grading, source, sizeof source);
    if (is_text)
        report_begin(&grading);
    if (is_found)
        grade_submission(&grading, session, source);
    const bool is_told = put_report(&grading);
    if (!is_told)
        fprintf(stderr, "grade: %s cannot be written: %s.\n", session->options->output, strerror(errno));
    if (grading.outcome == OUTCOME_OURS && !sandbox_is_stopped())
        put_error(&grading);
    if (!one_keep(&grading))
        fprintf(stderr, "grade: these points could not be kept in %s: %s.\n", session->kit.results,
                strerror(errno));
    enum outcome outcome = is_told ? grading.outcome : OUTCOME_OURS;
    grading_free(&grading);
    return outcome;
}
