/* start.c - from a forked child of the grader to a job: its descriptors, limits, environment and user, in this order.
 * Everything happens after fork() and before exec(). Watches nothing: that is the parent's work. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/sandbox/parts.h"

/* ------------------------------------------------------------------------------------------- limits */

static void limit(int what, size_t soft, size_t hard)
{
    struct rlimit now, wanted = {soft, hard};
    if (getrlimit(what, &now) == 0 && now.rlim_max != RLIM_INFINITY && now.rlim_max < wanted.rlim_max) {
        wanted.rlim_max = now.rlim_max;
        if (wanted.rlim_cur > wanted.rlim_max)
            wanted.rlim_cur = wanted.rlim_max;
    }
    setrlimit(what, &wanted);
}

/* The number of processes is limited by the keeper, inside: out here, others would be counted too. */
static void set_limits(const struct sandbox_profile *profile)
{
    enum { FILES = 512 };
    limit(RLIMIT_CPU, (size_t)profile->cpu_s, (size_t)profile->cpu_s + 2);
    limit(RLIMIT_FSIZE, profile->file_bytes, profile->file_bytes);
    if (profile->data_bytes)
        limit(RLIMIT_DATA, profile->data_bytes, profile->data_bytes);
    if (profile->is_isolated && !profile->has_gpu)
        limit(RLIMIT_NOFILE, FILES, FILES);
    limit(RLIMIT_CORE, 0, 0);
}

/* ------------------------------------------------------------------------------------------- descriptors */

/* What was open when the grader was started is nobody's business; ours close by themselves. */
static void close_inherited(int first)
{
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        int fd = atoi(entry->d_name);
        if (fd >= first)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    if (folder)
        closedir(folder);
}

/* Pipes to 1, 2, perhaps 3, and for the keeper 4. What stands in their way moves up first. */
static bool take_descriptors(int pipes[][2], int *problem, int count)
{
    enum { FREE = 16 };
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), ends[STREAMS + 1];
    *problem = fcntl(*problem, F_DUPFD_CLOEXEC, FREE);
    bool is_done = nothing >= 0 && *problem >= 0;
    for (int i = 0; i < count; i++)
        is_done = is_done && (ends[i] = fcntl(pipes[i][1], F_DUPFD_CLOEXEC, FREE)) >= 0;
    is_done = is_done && dup2(nothing, 0) >= 0;
    for (int i = 0; i < count; i++)
        is_done = is_done && dup2(ends[i], i + 1) >= 0;
    close_inherited(count + 1);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- environment */

/* What names a GPU, and how many threads the virtual one may use. */
static void pass_on(struct words *words)
{
    static const char *const names[] = {"VGPU_THREADS", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
                                        "CUDA_DEVICE_ORDER"};
    static char texts[sizeof names / sizeof *names][4096];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        snprintf(texts[i], sizeof texts[i], "%s=%s", names[i], value ? value : "");
        if (value)
            words_add(words, texts[i]);
    }
}

static void fill_environment(struct words *words, const struct sandbox_job *job)
{
    static char path[4096], home[4096], folder[4096];
    const char *given = getenv("PATH");
    snprintf(path, sizeof path, "PATH=%s", given && *given ? given : "/usr/local/bin:/usr/bin:/bin");
    snprintf(home, sizeof home, "HOME=%s", job->folder ? job->folder : "/");
    snprintf(folder, sizeof folder, "TMPDIR=%s", job->folder ? job->folder : "/tmp");
    words_add_three(words, path, home, folder);
    words_add(words, "LC_ALL=C");
    pass_on(words);
}

/* True if the job has its own value for a variable: of two, programs would take either. */
static bool is_given(const struct sandbox_job *job, const char *variable)
{
    const size_t length = strcspn(variable, "=") + 1;
    for (int i = 0; job->environment && job->environment[i]; i++)
        if (!strncmp(job->environment[i], variable, length))
            return true;
    return false;
}

static void choose_environment(struct words *words, const struct sandbox_job *job)
{
    for (int i = 0; job->environment && job->environment[i]; i++)
        words_add(words, job->environment[i]);
    if (job->profile->is_isolated)
        fill_environment(words, job);
    for (char **variable = environ; !job->profile->is_isolated && *variable; variable++)
        if (!is_given(job, *variable))
            words_add(words, *variable);
}

/* ------------------------------------------------------------------------------------------- user and program */

/* Not for bubblewrap started by an ordinary user: where it is setuid, it needs its privileges. */
static bool give_up_rights(const struct sandbox *sandbox, const struct place *place)
{
    const gid_t group = sandbox->first_user;
    const uid_t user = place->user;
    if (sandbox->drops_root &&
        (setgroups(0, NULL) || setresgid(group, group, group) || setresuid(user, user, user)))
        return false;
    if (sandbox->drops_root || !*sandbox->bwrap)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user has undone it */
    return true;
}

static void choose_words(struct words *words, const struct sandbox *sandbox, const struct sandbox_job *job)
{
    const bool is_isolated = job->profile->is_isolated;
    if (is_isolated && *sandbox->bwrap)
        wrap_in_namespaces(words, sandbox, job);
    else if (is_isolated)
        words_add(words, sandbox->keeper);
    if (is_isolated)
        wrap_in_keeper(words, sandbox, job);
    for (int i = 0; job->argv[i]; i++)
        words_add(words, job->argv[i]);
}

static bool go_to_folder(const struct sandbox *sandbox, const struct sandbox_job *job)
{
    if (job->profile->is_isolated && *sandbox->bwrap)
        return chdir("/") == 0;
    return job->folder ? chdir(job->folder) == 0 : !job->profile->is_isolated || chdir("/") == 0;
}

void start_job(const struct sandbox *sandbox, const struct sandbox_job *job, const struct place *place,
               int pipes[][2], int problem)
{
    static struct words words, environment;
    const bool is_isolated = job->profile->is_isolated;
    signal(SIGPIPE, SIG_DFL);
    umask(
        022); /* the grader's own is for what it keeps; jobs of several users share a folder, and make builds for all */
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    choose_environment(&environment, job);
    choose_words(&words, sandbox, job);
    set_limits(job->profile);
    cgroup_enter(place->cgroup);
    const int streams = is_isolated ? STREAMS + 1 : STREAMS - !job->has_report;
    if (take_descriptors(pipes, &problem, streams) && go_to_folder(sandbox, job) &&
        (!is_isolated || give_up_rights(sandbox, place)))
        execve(words.list[0], words.list, environment.list);
    int reason = errno;
    if (write(problem, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}
