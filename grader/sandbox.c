/* sandbox.c - theory of operation.
 *
 * A job is a child in a session and process group of its own, with stdin from /dev/null and its output in pipes that
 * end here. sandbox_run() is one poll() loop over all jobs in flight. A job ends by itself, or is killed (the whole group)
 * when it has slept for too long or when it prints more than its share. The kernel enforces the other limits: CPU time, size
 * of a file, private memory (RLIMIT_DATA: RLIMIT_AS would count address space that CUDA and the virtual GPU only reserve).
 *
 * No limit is one of the wall clock: on a busy machine that would end jobs which did nothing wrong. A job that computes uses
 * up its CPU time, whenever it gets it. One that waits for good is found asleep: its clock goes on only while none of its
 * processes runs or wants to run, as /proc tells, and while this loop itself comes round often enough to see it.
 *
 * Isolated jobs are in addition put behind bubblewrap where it works: new namespaces for everything, system folders
 * read-only, one writable folder, no network. Its process namespace takes daemons down with the job. Started by root,
 * the job changes to the user `nobody` first: bubblewrap's own --uid would still read root's files.
 *
 * Where bubblewrap is missing, an isolated job still gets the limits, a cleared environment, no descriptor but its own,
 * no way to gain privileges and, started by root, another user; it can then read what that user can. Processes that it
 * leaves behind become children of this one (subreaper) and are killed as soon as the job has ended. This process cannot
 * be traced, nor its memory written, by jobs of the same user (it is not dumpable).
 *
 * Our own failures (no pipe, no fork, no exec) come back as SANDBOX_FAILED and never as an exit status of the program. */
#define _GNU_SOURCE
#include "grader/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOBODY = 65534, MOST_ARGUMENTS = 4096, MOST_JOBS = 64 };
enum { OUT, ERR, REPORT, STREAMS }; /* descriptors 1, 2 and 3 of a job */
#define MIB ((size_t)1 << 20)

const struct sandbox_profile sandbox_compiler = {"the compiler", true, 100, 60, MIB, 64 * MIB, 4096 * MIB};
const struct sandbox_profile sandbox_scout = {"the program", true, 10, 8, MIB, 64 * MIB, 2048 * MIB};
const struct sandbox_profile sandbox_linker = {"the linker", false, 60, 30, MIB, 256 * MIB, 4096 * MIB};
/* The virtual GPU counts instructions, and those decide; its CPU time is only the last resort. */
const struct sandbox_profile sandbox_judge = {"the judge", false, 120, 600, 16 * MIB, 64 * MIB, 4096 * MIB};
const struct sandbox_profile sandbox_gpu = {"the judge on the GPU", false, 180, 150, 16 * MIB, 64 * MIB, 0};
const struct sandbox_profile sandbox_make = {"make", false, 1800, 1200, MIB, 1024 * MIB, 8192 * MIB};

/* System folders that programs and compilers live on; those that do not exist are left out. */
static const char *const system_paths[] = {"/usr",
                                           "/bin",
                                           "/sbin",
                                           "/lib",
                                           "/lib32",
                                           "/lib64",
                                           "/opt",
                                           "/nix",
                                           "/etc/alternatives",
                                           "/etc/ld.so.cache"};

static volatile sig_atomic_t is_stopped;

void sandbox_stop(void)
{
    is_stopped = 1;
}

bool sandbox_is_stopped(void)
{
    return is_stopped;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------------------------------- the child's side */

struct words {
    char *list[MOST_ARGUMENTS];
    int count;
};

static void add(struct words *words, const char *word)
{
    if (words->count < MOST_ARGUMENTS - 1)
        words->list[words->count++] = (char *)word;
    words->list[words->count] = NULL;
}

static void add_three(struct words *words, const char *a, const char *b, const char *c)
{
    add(words, a);
    add(words, b);
    add(words, c);
}

static void show_system(struct words *words)
{
    static char targets[sizeof system_paths / sizeof *system_paths][256];
    for (size_t i = 0; i < sizeof system_paths / sizeof *system_paths; i++) {
        const char *path = system_paths[i];
        ssize_t length = readlink(path, targets[i], sizeof targets[i] - 1);
        if (length > 0)
            add_three(words, "--symlink", targets[i], path);
        else if (access(path, F_OK) == 0)
            add_three(words, "--ro-bind", path, path);
    }
}

static void wrap(struct words *words, const struct sandbox *sandbox, const struct sandbox_job *job)
{
    static const char *const fixed[] = {"--unshare-all", "--die-with-parent", "--new-session", "--cap-drop",
                                        "ALL"};
    static const char *const fresh[] = {"--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"};
    add(words, sandbox->bwrap);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add(words, fixed[i]);
    show_system(words);
    for (size_t i = 0; i < sizeof fresh / sizeof *fresh; i++)
        add(words, fresh[i]);
    for (int i = 0; job->visible && job->visible[i]; i++)
        add_three(words, "--ro-bind", job->visible[i], job->visible[i]);
    if (job->folder) {
        add_three(words, "--bind", job->folder, job->folder);
        add(words, "--chdir");
        add(words, job->folder);
    }
    add(words, "--");
}

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

static void set_limits(const struct sandbox_profile *profile)
{
    limit(RLIMIT_CPU, (size_t)profile->cpu_s, (size_t)profile->cpu_s + 2);
    limit(RLIMIT_FSIZE, profile->file_bytes, profile->file_bytes);
    if (profile->data_bytes)
        limit(RLIMIT_DATA, profile->data_bytes, profile->data_bytes);
    limit(RLIMIT_CORE, 0, 0);
}

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

/* Pipes to 1, 2 and perhaps 3. What stands in their way moves up first. */
static bool take_descriptors(int pipes[][2], int *problem, bool has_report)
{
    enum { FREE = 16 };
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), ends[STREAMS];
    *problem = fcntl(*problem, F_DUPFD_CLOEXEC, FREE);
    bool is_done = nothing >= 0 && *problem >= 0;
    for (int i = 0; i < STREAMS; i++)
        is_done = is_done && (ends[i] = fcntl(pipes[i][1], F_DUPFD_CLOEXEC, FREE)) >= 0;
    is_done = is_done && dup2(nothing, 0) >= 0;
    for (int i = 0; i < STREAMS - !has_report; i++)
        is_done = is_done && dup2(ends[i], i + 1) >= 0;
    close_inherited(STREAMS + has_report);
    return is_done;
}

/* Not for bubblewrap started by an ordinary user: where it is setuid, it needs its privileges. */
static bool give_up_rights(const struct sandbox *sandbox)
{
    if (sandbox->drops_root) {
        limit(RLIMIT_NPROC, 256, 256);
        if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
            return false;
    }
    if (sandbox->drops_root || !*sandbox->bwrap)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return true;
}

static void fill_environment(struct words *words, const struct sandbox_job *job)
{
    static char path[4096], home[4096], folder[4096];
    const char *given = getenv("PATH");
    snprintf(path, sizeof path, "PATH=%s", given && *given ? given : "/usr/local/bin:/usr/bin:/bin");
    snprintf(home, sizeof home, "HOME=%s", job->folder ? job->folder : "/");
    snprintf(folder, sizeof folder, "TMPDIR=%s", job->folder ? job->folder : "/tmp");
    add_three(words, path, home, folder);
    add(words, "LC_ALL=C");
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

static void inherit_environment(struct words *words, const struct sandbox_job *job)
{
    for (char **variable = environ; *variable; variable++)
        if (!is_given(job, *variable))
            add(words, *variable);
}

/* Never returns: runs the job, or says through the pipe `problem` why it cannot. */
static void become(const struct sandbox *sandbox, const struct sandbox_job *job, int pipes[][2], int problem)
{
    static struct words words, environment;
    const struct sandbox_profile *profile = job->profile;
    signal(SIGPIPE, SIG_DFL);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; job->environment && job->environment[i]; i++)
        add(&environment, job->environment[i]);
    if (profile->is_isolated)
        fill_environment(&environment, job);
    else
        inherit_environment(&environment, job);
    if (profile->is_isolated && *sandbox->bwrap)
        wrap(&words, sandbox, job);
    for (int i = 0; job->argv[i]; i++)
        add(&words, job->argv[i]);
    set_limits(profile);
    bool is_ready =
        take_descriptors(pipes, &problem, job->has_report) && (!job->folder || chdir(job->folder) == 0);
    if (is_ready && (!profile->is_isolated || give_up_rights(sandbox)))
        execve(words.list[0], words.list, environment.list);
    int reason = errno;
    if (write(problem, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

/* ------------------------------------------------------------------------------------------- the parent's side */

struct stream {
    int fd; /* -1: closed */
    char *bytes;
    size_t used, room, limit;
};

struct running {
    int job;
    pid_t pid;
    double begin_s, seen_s, asleep_s; /* asleep_s: of the time up to seen_s */
    struct stream streams[STREAMS];
    enum sandbox_end killed_for; /* SANDBOX_NOT_RUN: it was not killed */
};

static bool grow(struct stream *stream)
{
    size_t room = stream->room ? 2 * stream->room : 4096;
    char *bytes = realloc(stream->bytes, room + 1);
    if (!bytes)
        return false;
    stream->bytes = bytes;
    stream->room = room;
    return true;
}

/* False: more than the limit. */
static bool read_stream(struct stream *stream)
{
    while (stream->fd >= 0) {
        if (stream->used == stream->room && !grow(stream))
            return false;
        ssize_t got = read(stream->fd, stream->bytes + stream->used, stream->room - stream->used);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (got <= 0) {
            close(stream->fd);
            stream->fd = -1;
            return true;
        }
        stream->used += (size_t)got;
        if (stream->used > stream->limit)
            return false;
    }
    return true;
}

/* Both ends are -1 if it fails. */
static bool open_pipe(int ends[2])
{
    ends[0] = ends[1] = -1;
    return pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* False: one of them has more than its limit. */
static bool read_streams(struct running *run)
{
    bool is_fine = true;
    for (int i = 0; i < STREAMS; i++)
        is_fine = read_stream(&run->streams[i]) && is_fine;
    return is_fine;
}

static bool is_silent(const struct running *run)
{
    for (int i = 0; i < STREAMS; i++) {
        if (run->streams[i].fd >= 0)
            return false;
    }
    return true;
}

/* The child's message about its failure, if there is one; its end of the pipe closes by itself at exec. */
static bool has_started(int problem, pid_t pid, char *failure, size_t size)
{
    int reason = 0;
    fcntl(problem, F_SETFL, 0);
    if (read(problem, &reason, sizeof reason) != (ssize_t)sizeof reason)
        return true;
    snprintf(failure, size, "it could not be started: %s", strerror(reason));
    waitpid(pid, NULL, 0);
    return false;
}

static bool start(const struct sandbox *sandbox, const struct sandbox_job *job, struct running *run,
                  char *failure, size_t size)
{
    enum { PROBLEM = STREAMS };
    int pipes[STREAMS + 1][2];
    pid_t pid = -1;
    bool is_open = true;
    for (int i = 0; i <= PROBLEM; i++)
        is_open = open_pipe(pipes[i]) && is_open;
    if (is_open)
        pid = fork();
    if (pid == 0)
        become(sandbox, job, pipes, pipes[PROBLEM][1]);
    if (pid < 0)
        snprintf(failure, size, "no new process: %s", strerror(errno));
    for (int i = 0; i <= PROBLEM; i++)
        close_end(&pipes[i][1]);
    bool is_running = pid > 0 && has_started(pipes[PROBLEM][0], pid, failure, size);
    close_end(&pipes[PROBLEM][0]);
    const double now = now_s();
    *run = (struct running){.pid = pid, .begin_s = now, .seen_s = now};
    for (int i = 0; i < STREAMS; i++) {
        run->streams[i] = (struct stream){.fd = pipes[i][0], .limit = job->profile->output_bytes};
        if (!is_running)
            close_end(&run->streams[i].fd);
    }
    return is_running;
}

static void kill_for(struct running *run, enum sandbox_end why)
{
    if (run->killed_for == SANDBOX_NOT_RUN)
        run->killed_for = why;
    kill(-run->pid, SIGKILL);
    kill(run->pid, SIGKILL);
}

static bool is_one_of(const struct running *runs, int count, pid_t pid)
{
    for (int i = 0; i < count; i++) {
        if (runs[i].pid == pid)
            return true;
    }
    return false;
}

/* Orphans of jobs that have ended are children of ours now. */
static void kill_orphans(const struct running *runs, int count)
{
    char path[64];
    int pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &pid) == 1) {
        if (!is_one_of(runs, count, pid)) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
    }
    if (file)
        fclose(file);
}

/* bubblewrap passes the signal that ended its program on as a shell would. */
static void read_status(const struct sandbox *sandbox, const struct sandbox_profile *profile, int status,
                        struct sandbox_result *result)
{
    bool is_wrapped = profile->is_isolated && *sandbox->bwrap;
    result->end = SANDBOX_EXITED;
    result->status = WEXITSTATUS(status);
    if (WIFSIGNALED(status) || (is_wrapped && result->status > 128 && result->status < 128 + 65)) {
        result->end = SANDBOX_SIGNAL;
        result->status = WIFSIGNALED(status) ? WTERMSIG(status) : result->status - 128;
    }
    if (result->end == SANDBOX_SIGNAL && result->status == SIGXCPU)
        result->end = SANDBOX_CPU;
}

static char *take(struct stream *stream, size_t *bytes)
{
    if (!stream->bytes && !grow(stream))
        return NULL;
    stream->bytes[stream->used] = '\0';
    *bytes = stream->used;
    return stream->bytes;
}

static void finish(const struct sandbox *sandbox, const struct sandbox_job *job, struct running *run,
                   int status, struct sandbox_result *result)
{
    bool is_flood = !read_streams(run);
    kill(-run->pid, SIGKILL);
    read_status(sandbox, job->profile, status, result);
    if (run->killed_for != SANDBOX_NOT_RUN)
        result->end = run->killed_for;
    else if (is_flood)
        result->end = SANDBOX_FLOOD;
    result->wall_s = now_s() - run->begin_s;
    for (int i = 0; i < STREAMS; i++)
        close_end(&run->streams[i].fd);
    result->out = take(&run->streams[OUT], &result->out_bytes);
    result->err = take(&run->streams[ERR], &result->err_bytes);
    result->report = take(&run->streams[REPORT], &result->report_bytes);
}

static void wait_for_news(const struct running *runs, int count)
{
    struct pollfd polls[STREAMS * MOST_JOBS];
    int n = 0, timeout_ms = 20;
    for (int i = 0; i < count; i++) {
        if (is_silent(&runs[i]))
            timeout_ms = 1; /* its last breath: the process is as good as gone */
        for (int k = 0; k < STREAMS; k++) {
            if (runs[i].streams[k].fd >= 0)
                polls[n++] = (struct pollfd){.fd = runs[i].streams[k].fd, .events = POLLIN};
        }
    }
    poll(polls, (nfds_t)n, timeout_ms);
}

/* ------------------------------------------------------------------------------------------- who sleeps */

/* True if the thread neither runs nor wants to, nor waits for a disk: the letter after its name, which ends in a bracket. */
static bool is_thread_asleep(int pid, const char *thread)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", pid, thread);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = '\0';
    const char *name_end = strrchr(text, ')');
    return !name_end || (strncmp(name_end, ") R", 3) != 0 && strncmp(name_end, ") D", 3) != 0);
}

static bool is_asleep(int pid, int depth);

static bool are_children_asleep(int pid, const char *thread, int depth)
{
    char path[80];
    int child;
    bool is_quiet = true;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", pid, thread);
    FILE *file = fopen(path, "re");
    while (is_quiet && file && fscanf(file, "%d", &child) == 1)
        is_quiet = is_asleep(child, depth + 1);
    if (file)
        fclose(file);
    return is_quiet;
}

/* All threads of a process and of its children. Where /proc tells nothing, it counts as asleep. */
static bool is_asleep(int pid, int depth)
{
    enum { DEEPEST = 16 };
    char path[40];
    bool is_quiet = true;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *folder = depth < DEEPEST ? opendir(path) : NULL;
    for (struct dirent *entry; is_quiet && folder && (entry = readdir(folder));) {
        if (entry->d_name[0] != '.')
            is_quiet = is_thread_asleep(pid, entry->d_name) && are_children_asleep(pid, entry->d_name, depth);
    }
    if (folder)
        closedir(folder);
    return is_quiet;
}

/* Looks a few times a second. What went by unseen counts little: this process did not get its turn either. */
static void count_sleep(struct running *run)
{
    const double every_s = 0.1, now = now_s(), passed_s = now - run->seen_s;
    if (passed_s < every_s)
        return;
    if (is_asleep(run->pid, 0))
        run->asleep_s += passed_s < 2 * every_s ? passed_s : 2 * every_s;
    run->seen_s = now;
}

static void look_after(struct running *run, const struct sandbox_profile *profile)
{
    if (!read_streams(run))
        kill_for(run, SANDBOX_FLOOD);
    count_sleep(run);
    if (run->asleep_s > profile->sleep_s)
        kill_for(run, SANDBOX_ASLEEP);
    if (is_stopped)
        kill_for(run, SANDBOX_STOPPED);
}

/* All jobs of one sandbox_run(), and those in flight. */
struct round {
    const struct sandbox *sandbox;
    const struct sandbox_job *jobs;
    struct sandbox_result *results;
    int count, next;
    struct running runs[MOST_JOBS];
    int nruns;
    sandbox_done *done;
    void *context;
};

static void tell(struct round *round, int job)
{
    if (round->done)
        round->done(round->context, job, &round->results[job]);
}

static void start_next(struct round *round)
{
    int job = round->next++;
    struct sandbox_result *result = &round->results[job];
    struct running *run = &round->runs[round->nruns];
    if (start(round->sandbox, &round->jobs[job], run, result->failure, sizeof result->failure)) {
        run->job = job;
        round->nruns++;
        return;
    }
    result->end = SANDBOX_FAILED;
    tell(round, job);
}

/* True if the run has ended: its place is free. */
static bool collect(struct round *round, struct running *run)
{
    int job = run->job, status;
    look_after(run, round->jobs[job].profile);
    if (waitpid(run->pid, &status, WNOHANG) != run->pid)
        return false;
    finish(round->sandbox, &round->jobs[job], run, status, &round->results[job]);
    *run = round->runs[--round->nruns];
    kill_orphans(round->runs, round->nruns);
    tell(round, job);
    return true;
}

void sandbox_run(const struct sandbox *sandbox, const struct sandbox_job *jobs,
                 struct sandbox_result *results, int count, int parallel, sandbox_done *done, void *context)
{
    struct round round = {.sandbox = sandbox,
                          .jobs = jobs,
                          .results = results,
                          .count = count,
                          .done = done,
                          .context = context};
    for (int i = 0; i < count; i++)
        results[i] = (struct sandbox_result){.end = SANDBOX_STOPPED};
    while (round.nruns || (round.next < count && !is_stopped)) {
        while (round.nruns < parallel && round.nruns < MOST_JOBS && round.next < count && !is_stopped)
            start_next(&round);
        wait_for_news(round.runs, round.nruns);
        for (int i = 0; i < round.nruns;)
            i += !collect(&round, &round.runs[i]);
    }
}

void sandbox_free(struct sandbox_result *result)
{
    free(result->out);
    free(result->err);
    free(result->report);
    result->out = result->err = result->report = NULL;
}

/* ------------------------------------------------------------------------------------------- what works here */

static bool find_program(const char *name, char *out, size_t size)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; at && *at;) {
        size_t length = strcspn(at, ":");
        snprintf(out, size, "%.*s/%s", (int)length, at, name);
        if (*at == '/' && access(out, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    *out = '\0';
    return false;
}

bool sandbox_own(const struct sandbox *sandbox, const char *path)
{
    if (mkdir(path, 0700) && errno != EEXIST)
        return false;
    return !sandbox->drops_root || chown(path, NOBODY, NOBODY) == 0;
}

/* Can a job write a file into its folder? */
static bool probe(struct sandbox *sandbox, const char *folder)
{
    char box[4096], file[4200];
    snprintf(box, sizeof box, "%s/probe", folder);
    snprintf(file, sizeof file, "%s/works", box);
    if (!sandbox_own(sandbox, box))
        return false;
    char *argv[] = {"/bin/sh", "-c", ": >works", NULL};
    struct sandbox_profile profile = {"a probe", true, 5, 5, MIB, MIB, 512 * MIB};
    struct sandbox_job job = {.profile = &profile, .argv = argv, .folder = box};
    struct sandbox_result result;
    sandbox_run(sandbox, &job, &result, 1, 1, NULL, NULL);
    bool works = access(file, F_OK) == 0;
    sandbox_free(&result);
    unlink(file);
    rmdir(box);
    return works;
}

void sandbox_open(struct sandbox *sandbox, const char *folder)
{
    *sandbox = (struct sandbox){.drops_root = geteuid() == 0};
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    bool has_bwrap = find_program("bwrap", sandbox->bwrap, sizeof sandbox->bwrap);
    if (has_bwrap && probe(sandbox, folder))
        return;
    snprintf(sandbox->missing, sizeof sandbox->missing,
             "%s: submissions run with limits only and can read this machine's files",
             has_bwrap ? "bubblewrap does not work here" : "bubblewrap is not installed");
    *sandbox->bwrap = '\0';
    if (!sandbox->drops_root || probe(sandbox, folder))
        return;
    sandbox->drops_root = false;
    snprintf(sandbox->missing, sizeof sandbox->missing,
             "neither bubblewrap nor a change of user works here: submissions run as root, with limits only");
}

/* ------------------------------------------------------------------------------------------- in words */

static const struct {
    int number;
    const char *words;
} signals[] = {
    {SIGSEGV, "it used a pointer that points nowhere (segmentation fault)"},
    {SIGBUS, "it used an address that cannot be used (bus error)"},
    {SIGABRT, "it gave up (abort: a failed assert, or memory freed twice)"},
    {SIGFPE, "it divided an integer by zero (arithmetic error)"},
    {SIGILL, "it ran into something that is no instruction; did a function end without return?"},
    {SIGTRAP, "it ran into a breakpoint; did a function end without return?"},
    {SIGKILL, "it was killed from outside; perhaps memory ran out"},
    {SIGXFSZ, "it wrote a file that is too large"},
    {SIGSYS, "it made a system call that is not allowed"},
    {SIGPIPE, "it wrote to a pipe that nobody reads"},
    {SIGTERM, "it was asked to end"},
};

static void describe_signal(int number, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (signals[i].number == number) {
            snprintf(out, size, "crashed: %s", signals[i].words);
            return;
        }
    }
    snprintf(out, size, "was ended by signal %d (%s)", number, strsignal(number));
}

void sandbox_describe(const struct sandbox_result *result, const struct sandbox_profile *profile, char *out,
                      size_t size)
{
    if (result->end == SANDBOX_EXITED)
        snprintf(out, size, "ended with status %d", result->status);
    else if (result->end == SANDBOX_SIGNAL)
        describe_signal(result->status, out, size);
    else if (result->end == SANDBOX_ASLEEP)
        snprintf(out, size, "was stopped: it had waited for %d s without an end", profile->sleep_s);
    else if (result->end == SANDBOX_CPU)
        snprintf(out, size, "was stopped: it had computed for %d s without an end", profile->cpu_s);
    else if (result->end == SANDBOX_FLOOD)
        snprintf(out, size, "was stopped: it printed more than %zu KB", profile->output_bytes >> 10);
    else if (result->end == SANDBOX_FAILED)
        snprintf(out, size, "did not run: %s", result->failure);
    else
        snprintf(out, size, "was interrupted");
}
