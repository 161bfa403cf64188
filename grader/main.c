/* main.c - ./grade: options, the command that they choose, and the exit status.
 * Errors of ours go to stderr and end with 2; what is wrong with a submission is part of its report and ends with 1.
 * Nothing temporary is left behind, whatever signal comes. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "grader/files.h"

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
    sandbox_stop();
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* ------------------------------------------------------------------------------------------- ./grade lab3 */

/* Progress is what the student's own file reached, all stages of it. */
static void keep(const struct grading *grading)
{
    const struct options *options = grading->session->options;
    char path[GRADE_PATH];
    if (options->file || options->is_solution || options->stage || grading->outcome == OUTCOME_OURS)
        return;
    snprintf(path, sizeof path, "%s/results", grading->session->kit.build);
    if (!files_make_folder(path))
        return;
    snprintf(path, sizeof path, "%s/results/%s.json", grading->session->kit.build,
             grading->session->entry->id);
    report_save(grading, path);
}

static void put_error(const struct grading *grading)
{
    char *text = utf8_plain(grading->trouble);
    size_t length = text ? strlen(text) : 0;
    fprintf(stderr, "grade: error of the kit, no grade: %s%s", text ? text : "",
            length && text[length - 1] == '\n' ? "" : "\n");
    free(text);
}

static enum outcome grade_one(struct session *session)
{
    bool is_json = session->options->is_json;
    char source[GRADE_PATH + 600];
    struct grading grading = {.on_stage = is_json ? NULL : report_stage};
    session_find_source(session, source, sizeof source);
    if (access(source, F_OK) != 0 && !is_json) {
        fprintf(stderr, "There is no file %s.\n", source);
        return OUTCOME_STUDENT;
    }
    const char *slash = strrchr(source, '/');
    snprintf(grading.shown, sizeof grading.shown, "%.250s", slash ? slash + 1 : source);
    grading.session = session;
    if (!is_json)
        report_begin(&grading);
    grade_submission(&grading, session, source);
    if (is_json)
        report_json(&grading, stdout);
    else
        report_end(&grading);
    if (grading.outcome == OUTCOME_OURS && !caught)
        put_error(&grading);
    keep(&grading);
    enum outcome outcome = grading.outcome;
    grading_free(&grading);
    return outcome;
}

static enum outcome list(struct session *session)
{
    report_labs(session);
    return OUTCOME_GRADED;
}

/* ------------------------------------------------------------------------------------------- all commands */

static enum outcome (*const commands[])(struct session *) = {[COMMAND_LIST] = list,
                                                             [COMMAND_GRADE] = grade_one,
                                                             [COMMAND_BATCH] = batch_run,
                                                             [COMMAND_CHECK] = check_run,
                                                             [COMMAND_EXPLAIN] = explain_run};

static enum outcome run(const struct options *options)
{
    static struct session session;
    enum outcome outcome = OUTCOME_OURS;
    if (session_open(&session, options))
        outcome = commands[options->command](&session);
    else if (!caught)
        fprintf(stderr, "grade: %s\n", session.error);
    session_close(&session);
    return outcome;
}

/* A report that got lost must not pass for a grade. A reader who has seen enough (`| head`) knows it himself. */
static int finish(enum outcome outcome)
{
    struct stat where;
    bool is_lost = fflush(stdout) != 0 || ferror(stdout);
    bool is_pipe = fstat(STDOUT_FILENO, &where) == 0 && S_ISFIFO(where.st_mode);
    if (is_lost && !is_pipe)
        fputs("grade: the report could not be written to its end\n", stderr);
    return is_lost ? OUTCOME_OURS : (int)outcome;
}

int main(int argc, char **argv)
{
    struct options options;
    char error[300];
    static const char *const of_make[] = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEFILES"};
    for (size_t i = 0; i < sizeof of_make / sizeof *of_make; i++)
        unsetenv(of_make[i]);
    if (!options_read(&options, argc, argv, error, sizeof error)) {
        fprintf(stderr, "grade: %s (./grade --help says more)\n", error);
        return OUTCOME_OURS;
    }
    if (options.command == COMMAND_HELP || options.command == COMMAND_VERSION) {
        fputs(options.command == COMMAND_HELP ? options_help : "grade " GRADE_VERSION "\n", stdout);
        return finish(OUTCOME_GRADED);
    }
    catch_signals();
    enum outcome outcome = run(&options);
    if (caught) {
        signal(caught, SIG_DFL);
        raise(caught);
    }
    return finish(outcome);
}
