/* main.c - ./grade: options, the command that they choose, and the exit status.
 * Errors of ours go to stderr and end with 2; what is wrong with a submission is part of its report and ends with 1.
 * Nothing temporary is left behind, whatever signal comes. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "grader/batch.h"
#include "grader/busy.h"
#include "grader/commands.h"
#include "grader/completion.h"
#include "grader/files.h"
#include "grader/manual.h"

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

/* ------------------------------------------------------------------------------------------- the command */

static enum outcome run(const struct options *options)
{
    static struct session session;
    enum outcome outcome = OUTCOME_OURS;
    if (options->command->depth == SESSION_ALL)
        busy_open();
    if (session_open(&session, options))
        outcome = options->command->run(&session);
    else if (!caught)
        batch_put_failure(&session, false);
    session_close(&session);
    busy_close();
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

/* What shells and packagers ask for; the man page names it, the help has no line left for it. */
static bool is_aside(int argc, char **argv, enum outcome *outcome)
{
    const char *first = argc > 1 ? argv[1] : "";
    *outcome = OUTCOME_GRADED;
    if (strcmp(first, "--man") == 0 && argc == 2)
        manual_put(stdout);
    else if (strcmp(first, "--complete") == 0)
        completion_put(argc - 2, argv + 2, stdout);
    else if (strcmp(first, "--completion") == 0 && argc == 3 && completion_put_script(argv[2], stdout))
        return true;
    else if (strcmp(first, "--completion") == 0 && fputs("grade: --completion bash, or zsh\n", stderr) >= 0)
        *outcome = OUTCOME_OURS;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct options options;
    char error[300];
    enum outcome aside;
    static const char *const of_make[] = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEFILES"};
    for (size_t i = 0; i < sizeof of_make / sizeof *of_make; i++)
        unsetenv(of_make[i]);
    /* What ./grade writes is nobody's but its user's: points, names, students' texts. What jobs of the sandbox or all of a machine must
     * read is opened where it is written (files_give()). */
    files_keep_private();
    if (is_aside(argc, argv, &aside))
        return finish(aside);
    if (!options_read(&options, argc, argv, error, sizeof error)) {
        fprintf(stderr, "grade: %s (./grade --help says more)\n", error);
        return OUTCOME_OURS;
    }
    if (options.is_help || options.is_version) {
        const bool is_of_all = options.command == &commands[COMMAND_LIST];
        if (options.is_help)
            options_put_help(is_of_all ? NULL : options.command, stdout);
        else
            puts("grade " GRADE_VERSION);
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
