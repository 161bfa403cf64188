/* run.c - theory of operation.
 *
 * A job is a child in a session and process group of its own, with stdin from /dev/null and its output in pipes that
 * end here. sandbox_run() is one poll() loop over all jobs in flight. A job ends by itself, or is killed (the whole tree)
 * when it has slept for too long, when it prints more than its share, or when all of its processes together use too much CPU
 * time or memory. The kernel enforces the limits of each process: CPU time, size of a file, private memory (RLIMIT_DATA:
 * RLIMIT_AS would count address space that CUDA and the virtual GPU only reserve).
 *
 * No limit is one of the wall clock: on a busy machine that would end jobs which did nothing wrong. A job that computes uses
 * up its CPU time, whenever it gets it. One that waits for good is found asleep: its clock goes on only while none of its
 * processes runs or wants to run, as /proc tells, and while this loop itself comes round often enough to see it.
 *
 * Isolated jobs are put behind bubblewrap where it works: new namespaces for everything, system folders read-only, one folder
 * of limited memory, no network. Inside, a program of ours, the keeper, is process 1: it starts the job's program under a
 * limit of processes that counts nobody else's, without dangerous system calls, and waits. When the program has ended, the
 * keeper hands its product to a pipe, tells how it ended through a descriptor that the program never had, and goes; with it
 * goes, by the kernel's hand, every process in the room. Started by root, each job at work has a user of its own.
 *
 * Where bubblewrap is missing, the keeper closes the file system with Landlock and the network with seccomp, if the kernel has
 * them; started by root, it kills all processes of the job's user. What is left behind becomes a child of this
 * process (subreaper) and is killed as soon as the job has ended. This process cannot be traced, nor its memory written, by
 * jobs of the same user (it is not dumpable).
 *
 * Whose fault an end is: the keeper's word is the job's; no word, a program that could not be started, or a kill by a machine
 * that has run out of memory is ours and comes back as SANDBOX_FAILED. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/sandbox/parts.h"

enum { WORD = STREAMS, PIPES };

static volatile sig_atomic_t is_stopped;
static bool is_cancelled;

void sandbox_stop(void)
{
    is_stopped = 1;
}

void sandbox_cancel(void)
{
    is_cancelled = true;
}

void sandbox_resume(void)
{
    is_cancelled = false;
}

bool sandbox_is_stopped(void)
{
    return is_stopped || is_cancelled;
}

static struct {
    sandbox_turn *take;
    void *context;
} turn;

void sandbox_on_turn(sandbox_turn *take, void *context)
{
    turn.take = take;
    turn.context = context;
}

static void give_turn(bool is_over)
{
    if (turn.take)
        turn.take(turn.context, is_over);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------------------------------- streams */

struct stream {
    int fd; /* -1: closed */
    char *bytes;
    size_t used, room, limit;
};

struct running {
    int job;
    pid_t pid;
    struct place place;
    double begin_s, seen_s, asleep_s; /* asleep_s: of the time up to seen_s */
    long machine_kills;               /* before it began */
    struct stream streams[PIPES];
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
    for (int i = 0; i < PIPES; i++)
        is_fine = read_stream(&run->streams[i]) && is_fine;
    return is_fine;
}

static bool is_silent(const struct running *run)
{
    for (int i = 0; i < PIPES; i++) {
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

/* ------------------------------------------------------------------------------------------- a job's life */

static void open_streams(struct running *run, const struct sandbox_job *job, int pipes[][2], bool is_running)
{
    const struct sandbox_profile *profile = job->profile;
    const size_t limits[PIPES] = {[OUT] = profile->output_bytes,
                                  [ERR] = profile->output_bytes,
                                  [REPORT] = job->product ? profile->file_bytes : profile->output_bytes,
                                  [WORD] = sizeof(struct keeper_word)};
    for (int i = 0; i < PIPES; i++) {
        run->streams[i] = (struct stream){.fd = pipes[i][0], .limit = limits[i]};
        if (!is_running)
            close_end(&run->streams[i].fd);
    }
}

static bool start(const struct sandbox *sandbox, const struct sandbox_job *job, struct running *run,
                  char *failure, size_t size)
{
    enum { PROBLEM = PIPES };
    int pipes[PIPES + 1][2];
    bool is_open = true;
    run->pid = -1;
    for (int i = 0; i <= PROBLEM; i++)
        is_open = open_pipe(pipes[i]) && is_open;
    run->machine_kills = watch_machine_kills();
    if (is_open)
        run->pid = fork();
    if (run->pid == 0)
        start_job(sandbox, job, &run->place, pipes, pipes[PROBLEM][1]);
    if (run->pid < 0)
        snprintf(failure, size, "no new process: %s", strerror(errno));
    for (int i = 0; i <= PROBLEM; i++)
        close_end(&pipes[i][1]);
    bool is_running = run->pid > 0 && has_started(pipes[PROBLEM][0], run->pid, failure, size);
    close_end(&pipes[PROBLEM][0]);
    run->begin_s = run->seen_s = now_s();
    open_streams(run, job, pipes, is_running);
    return is_running;
}

static void kill_for(struct running *run, enum sandbox_end why)
{
    if (run->killed_for == SANDBOX_NOT_RUN)
        run->killed_for = why;
    if (*run->place.cgroup)
        cgroup_kill(run->place.cgroup);
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

/* Orphans of jobs that have ended are children of ours now. Their own children become ours as they die. */
static bool kill_orphans(const struct running *runs, int count)
{
    char path[64];
    int pid;
    bool is_any = false;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &pid) == 1) {
        if (!is_one_of(runs, count, pid)) {
            is_any = true;
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
    }
    if (file)
        fclose(file);
    return is_any;
}

static void read_status(int status, struct sandbox_result *result)
{
    result->end = WIFSIGNALED(status) ? SANDBOX_SIGNAL : SANDBOX_EXITED;
    result->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* No word: the room could not be made, or the keeper was killed. A program of the same user can do that where there is no
 * bubblewrap; then the program is to blame. */
static void explain_silence(const struct sandbox *sandbox, const struct running *run, int status,
                            struct sandbox_result *result)
{
    if (WIFSIGNALED(status) && !*sandbox->bwrap) {
        read_status(status, result);
        return;
    }
    const char *said = run->streams[ERR].bytes ? run->streams[ERR].bytes : "";
    result->end = SANDBOX_FAILED;
    snprintf(result->failure, sizeof result->failure, "its room could not be made: %.*s",
             (int)strcspn(said, "\n"), said);
}

static void read_word(const struct sandbox *sandbox, const struct running *run, int status,
                      struct sandbox_result *result)
{
    const struct stream *stream = &run->streams[WORD];
    struct keeper_word word = {0};
    if (stream->used == sizeof word)
        memcpy(&word, stream->bytes, sizeof word);
    if (word.magic != KEEPER_MAGIC) {
        explain_silence(sandbox, run, status, result);
        return;
    }
    read_status(word.status, result);
    result->product_error = word.product_error;
    if (word.error) {
        result->end = SANDBOX_FAILED;
        snprintf(result->failure, sizeof result->failure, "it could not be started: %s",
                 strerror(word.error));
    }
}

/* The process over its limit may be a child of the program's; who failed with all the time used up failed for that. */
static bool is_out_of_time(const struct sandbox_result *result, const struct running *run, int limit_s)
{
    struct keeper_word word = {0};
    if (run->streams[WORD].used == sizeof word)
        memcpy(&word, run->streams[WORD].bytes, sizeof word);
    const bool has_failed =
        result->end == SANDBOX_SIGNAL || (result->end == SANDBOX_EXITED && result->status);
    return has_failed && ((result->end == SANDBOX_SIGNAL && result->status == SIGXCPU) ||
                          word.cpu_ms >= 1000 * (int64_t)limit_s);
}

/* The kernel killed while the job ran. In a cgroup of its own it is known for whom; else the machine is to blame. */
static void blame_for_kill(const struct running *run, struct sandbox_result *result)
{
    const bool has_ended_well = result->end == SANDBOX_EXITED && result->status == 0;
    if (has_ended_well || watch_machine_kills() == run->machine_kills)
        return;
    if (cgroup_is_over(run->place.cgroup)) {
        result->end = SANDBOX_MEMORY;
        return;
    }
    result->end = SANDBOX_FAILED;
    snprintf(result->failure, sizeof result->failure, "this machine ran out of memory");
}

static char *take(struct stream *stream, size_t *bytes)
{
    if (!stream->bytes && !grow(stream))
        return NULL;
    stream->bytes[stream->used] = '\0';
    *bytes = stream->used;
    return stream->bytes;
}

static void decide_end(const struct sandbox *sandbox, const struct sandbox_job *job,
                       const struct running *run, int status, struct sandbox_result *result)
{
    if (job->profile->is_isolated)
        read_word(sandbox, run, status, result);
    else
        read_status(status, result);
    if (is_out_of_time(result, run, job->profile->cpu_s))
        result->end = SANDBOX_CPU;
    blame_for_kill(run, result);
}

static void finish(const struct sandbox *sandbox, const struct sandbox_job *job, struct running *run,
                   int status, struct sandbox_result *result)
{
    bool is_flood = !read_streams(run);
    kill(-run->pid, SIGKILL);
    if (!run->streams[ERR].bytes)
        grow(&run->streams[ERR]);
    decide_end(sandbox, job, run, status, result);
    if (run->killed_for != SANDBOX_NOT_RUN)
        result->end = run->killed_for;
    else if (is_flood)
        result->end = SANDBOX_FLOOD;
    result->wall_s = now_s() - run->begin_s;
    for (int i = 0; i < PIPES; i++)
        close_end(&run->streams[i].fd);
    result->out = take(&run->streams[OUT], &result->out_bytes);
    result->err = take(&run->streams[ERR], &result->err_bytes);
    result->report = take(&run->streams[REPORT], &result->report_bytes);
    free(run->streams[WORD].bytes);
    cgroup_remove(run->place.cgroup);
}

static void wait_for_news(const struct running *runs, int count)
{
    struct pollfd polls[PIPES * MOST_JOBS];
    int n = 0, timeout_ms = 20;
    for (int i = 0; i < count; i++) {
        if (is_silent(&runs[i]))
            timeout_ms = 1; /* its last breath: the process is as good as gone */
        for (int k = 0; k < PIPES; k++) {
            if (runs[i].streams[k].fd >= 0)
                polls[n++] = (struct pollfd){.fd = runs[i].streams[k].fd, .events = POLLIN};
        }
    }
    poll(polls, (nfds_t)n, timeout_ms);
}

/* ------------------------------------------------------------------------------------------- all jobs */

/* Looks a few times a second. What went by unseen counts little as sleep: this process did not get its turn either. */
static void count_usage(struct running *run, const struct sandbox_profile *profile)
{
    const double every_s = 0.1, now = now_s(), passed_s = now - run->seen_s;
    struct usage usage;
    if (passed_s < every_s)
        return;
    watch_tree(run->pid, &usage);
    if (!usage.is_awake)
        run->asleep_s += passed_s < 2 * every_s ? passed_s : 2 * every_s;
    run->seen_s = now;
    if (usage.cpu_s > 2 * profile->cpu_s || cgroup_cpu_s(run->place.cgroup) > 2 * profile->cpu_s)
        kill_for(run, SANDBOX_CPU);
    if (profile->memory_bytes && usage.memory_bytes > profile->memory_bytes)
        kill_for(run, SANDBOX_MEMORY);
}

static void look_after(struct running *run, const struct sandbox_profile *profile)
{
    if (!read_streams(run))
        kill_for(run, SANDBOX_FLOOD);
    count_usage(run, profile);
    if (run->asleep_s > profile->sleep_s)
        kill_for(run, SANDBOX_ASLEEP);
    if (sandbox_is_stopped())
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
    give_turn(true);
    if (round->done)
        round->done(round->context, job, &round->results[job]);
}

/* The first user that no job at work has. */
static uid_t free_user(const struct round *round)
{
    for (unsigned i = 0; i < round->sandbox->user_count; i++) {
        const uid_t user = round->sandbox->first_user + i;
        bool is_free = true;
        for (int k = 0; k < round->nruns; k++)
            is_free = is_free && round->runs[k].place.user != user;
        if (is_free)
            return user;
    }
    return round->sandbox->first_user;
}

static void start_next(struct round *round)
{
    static unsigned serial;
    char name[16];
    int job = round->next++;
    const struct sandbox_job *wanted = &round->jobs[job];
    struct sandbox_result *result = &round->results[job];
    struct running *run = &round->runs[round->nruns];
    *run = (struct running){.job = job, .place.user = free_user(round)};
    snprintf(name, sizeof name, "%u", serial++);
    if (wanted->profile->is_isolated)
        cgroup_make(round->sandbox->cgroup, name, wanted->profile, run->place.cgroup,
                    sizeof run->place.cgroup);
    if (start(round->sandbox, wanted, run, result->failure, sizeof result->failure)) {
        round->nruns++;
        return;
    }
    cgroup_remove(run->place.cgroup);
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
    while (kill_orphans(round->runs, round->nruns))
        continue;
    tell(round, job);
    return true;
}

/* Jobs that nobody has looked at yet. */
static void note_jobs(struct round *round, int count)
{
    for (; round->count < count; round->count++)
        round->results[round->count] = (struct sandbox_result){.end = SANDBOX_STOPPED};
}

void sandbox_run_growing(const struct sandbox *sandbox, const struct sandbox_job *jobs,
                         struct sandbox_result *results, const int *count, int parallel, sandbox_done *done,
                         void *context)
{
    struct round round = {
        .sandbox = sandbox, .jobs = jobs, .results = results, .done = done, .context = context};
    note_jobs(&round, *count);
    while (round.nruns || (round.next < round.count && !sandbox_is_stopped())) {
        while (round.nruns < parallel && round.nruns < MOST_JOBS && round.next < round.count &&
               !sandbox_is_stopped())
            start_next(&round);
        wait_for_news(round.runs, round.nruns);
        give_turn(false);
        for (int i = 0; i < round.nruns;)
            i += !collect(&round, &round.runs[i]);
        note_jobs(&round, *count);
    }
    give_turn(true);
}

void sandbox_run(const struct sandbox *sandbox, const struct sandbox_job *jobs,
                 struct sandbox_result *results, int count, int parallel, sandbox_done *done, void *context)
{
    sandbox_run_growing(sandbox, jobs, results, &count, parallel, done, context);
}

void sandbox_free(struct sandbox_result *result)
{
    free(result->out);
    free(result->err);
    free(result->report);
    result->out = result->err = result->report = NULL;
}
