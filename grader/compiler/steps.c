/* steps.c - runs the steps of a plan, each as soon as those before it are done, and says what they say in nvcc's order.
 * A step is a shell with a group of its own, so that it can be ended with all that it has started. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/compiler/compiler.h"

#define AFTER(step) (1u << (step))

/* What a step waits for. The compiler of host code reads what cudafe++ makes of it, and stubs of the kernels by cicc. */
static const unsigned needs[STEPS] = {
    [STEP_HOST_FRONT] = AFTER(STEP_HOST_TEXT),
    [STEP_PTX] = AFTER(STEP_DEVICE_TEXT),
    [STEP_CUBIN] = AFTER(STEP_PTX),
    [STEP_FATBIN] = AFTER(STEP_CUBIN),
    [STEP_HOST_CODE] = AFTER(STEP_HOST_FRONT) | AFTER(STEP_PTX),
    [STEP_OBJECT] = AFTER(STEP_HOST_CODE) | AFTER(STEP_FATBIN),
};

struct run {
    const struct plan *plan;
    const char *folder;
    pid_t pids[STEPS]; /* 0: not at work */
    unsigned begun, done;
    enum step failed; /* the first in nvcc's order; STEPS: none */
    int status;       /* its own, as of wait() */
};

/* ------------------------------------------------------------------------------------------- one step */

static void name_words(const struct run *run, int step, char *out, size_t size)
{
    snprintf(out, size, "%s/said-%d", run->folder, step);
}

static void become_step(const struct run *run, int step)
{
    char path[4000];
    name_words(run, step, path, sizeof path);
    const int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    setpgid(0, 0);
    for (int i = 0; run->plan->settings[i]; i++)
        putenv(run->plan->settings[i]);
    setenv("TMPDIR", run->folder, 1); /* a tool that is ended leaves files */
    if (out >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
        execl("/bin/sh", "sh", "-c", run->plan->commands[step], (char *)NULL);
    _exit(127);
}

static bool begin(struct run *run, int step)
{
    const pid_t pid = fork();
    if (pid == 0)
        become_step(run, step);
    if (pid > 0)
        setpgid(pid, pid); /* whoever comes first; the other one may find it done */
    run->pids[step] = pid > 0 ? pid : 0;
    run->begun |= AFTER(step);
    return pid > 0;
}

static bool begin_ready(struct run *run)
{
    for (int i = 0; i < STEPS; i++)
        if (!(run->begun & AFTER(i)) && (needs[i] & ~run->done) == 0 && !begin(run, i))
            return false;
    return true;
}

static void end_others(struct run *run)
{
    for (int i = 0; i < STEPS; i++)
        if (run->pids[i])
            kill(-run->pids[i], SIGKILL);
    for (int i = 0; i < STEPS; i++)
        if (run->pids[i])
            waitpid(run->pids[i], NULL, 0);
}

/* ------------------------------------------------------------------------------------------- all of them */

static void note_end(struct run *run, pid_t pid, int status)
{
    for (int i = 0; i < STEPS; i++) {
        if (run->pids[i] != pid)
            continue;
        run->pids[i] = 0;
        if (status == 0)
            run->done |= AFTER(i);
        else if (i < (int)run->failed) {
            run->failed = (enum step)i;
            run->status = status;
        }
    }
}

/* Nothing that nvcc would have come to before is still at work. */
static bool is_over(const struct run *run)
{
    const unsigned before = AFTER(run->failed) - 1;
    return (run->done & before) == before;
}

static bool wait_for_one(struct run *run)
{
    int status = 0;
    pid_t pid;
    do
        pid = waitpid(-1, &status, 0);
    while (pid < 0 && errno == EINTR);
    if (pid > 0)
        note_end(run, pid, status);
    return pid > 0;
}

static void say(const struct run *run)
{
    char path[4000], bytes[4096];
    for (int i = 0; i < STEPS && i <= (int)run->failed; i++) {
        name_words(run, i, path, sizeof path);
        FILE *file = fopen(path, "r");
        for (size_t got; file && (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
            fwrite(bytes, 1, got, stderr);
        if (file)
            fclose(file);
    }
}

/* nvcc has words of its own for a tool that is not there or dies. What the steps that were changed say is not what it would. */
static bool is_odd(const struct run *run)
{
    enum { NOT_USABLE = 126, NOT_FOUND = 127 }; /* as shells say it */
    const int status = WIFEXITED(run->status) ? WEXITSTATUS(run->status) : NOT_FOUND;
    return run->failed >= STEP_HOST_CODE || status == NOT_USABLE || status == NOT_FOUND;
}

enum ending steps_run(const struct plan *plan, const char *folder, int *status)
{
    struct run run = {.plan = plan, .folder = folder, .failed = STEPS};
    bool goes_on = true;
    while (goes_on && !is_over(&run))
        goes_on = begin_ready(&run) && wait_for_one(&run);
    end_others(&run);
    if (!goes_on || (run.failed != STEPS && is_odd(&run)))
        return ENDING_ODD;
    say(&run);
    *status = run.failed == STEPS ? 0 : WEXITSTATUS(run.status);
    return run.failed == STEPS ? ENDING_DONE : ENDING_FAILED;
}
