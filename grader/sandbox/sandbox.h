/* sandbox.h - runs programs that are not trusted, or that work for too long, and says exactly how each of them ended.
 * Every job has limits of CPU time, time asleep, output, file size, memory and processes. None is one of the wall clock: how
 * busy the machine is decides nothing. How a job ended is told by what the job cannot write.
 * Knows nothing of labs or compilers; how it works stands at the top of run.c. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SANDBOX_PATH = 4096, SANDBOX_HIDDEN = 4 };

/* What this machine offers; filled by sandbox_open() and not changed afterwards. */
struct sandbox {
    char bwrap[512];           /* path of bubblewrap; "": not to be had */
    char keeper[SANDBOX_PATH]; /* path of the program that stays with a job in its room */
    char cgroup[SANDBOX_PATH]; /* folder in which jobs get cgroups of their own; "": none */
    bool has_landlock, has_seccomp;
    bool drops_root;     /* started by root: jobs run as other users */
    uid_t first_user;    /* the jobs' users, one for each that is at work */
    unsigned user_count; /* 1: they share one */
    bool is_isolated;    /* submissions cannot read this machine's files */
    char state[240];     /* all of this in a few words, for reports */

    /* set by the caller afterwards: folders that isolated jobs cannot look into, even if they lie in a system's folder; what a
     * job names in them is shown all the same; NULL: no more */
    const char *hidden[SANDBOX_HIDDEN];
};

struct sandbox_profile {
    const char *name;
    bool is_isolated; /* no other files, no network, no inherited environment; else limits only */
    bool has_gpu;     /* isolated, but with the GPU's devices and its lock */
    bool is_dark;     /* its room has no /dev, no /proc and no /tmp */
    int sleep_s;      /* in which nothing of it ran or wanted to run, in all */
    int cpu_s;        /* of one process; all together may use twice as much */
    int processes;
    size_t output_bytes; /* of each descriptor */
    size_t file_bytes;   /* of one file, and of what it hands back */
    size_t room_bytes;   /* of all files */
    size_t data_bytes;   /* private memory of one process; 0: as much as there is */
    size_t memory_bytes; /* of all processes; 0: as much as there is */
};

extern const struct sandbox_profile sandbox_compiler, sandbox_scout, sandbox_linker, sandbox_judge,
    sandbox_gpu, sandbox_bare_gpu, sandbox_make;

struct sandbox_job {
    const struct sandbox_profile *profile;
    char *const *argv;          /* argv[0] is a path */
    const char *folder;         /* working folder, the only one that an isolated job can write; NULL: none */
    const char *const *visible; /* further paths that an isolated job can read, NULL at the end; NULL: none */
    char *const *environment;   /* in addition to the few variables that all get; NULL: none */
    bool has_report;            /* descriptor 3 is open for a result that no printf reaches */
    const char *product; /* a file in `folder` that becomes the report when the job has succeeded; NULL */
};

enum sandbox_end {
    SANDBOX_NOT_RUN,
    SANDBOX_EXITED,  /* status */
    SANDBOX_SIGNAL,  /* status: which */
    SANDBOX_ASLEEP,  /* it waited for too long */
    SANDBOX_CPU,     /* CPU time */
    SANDBOX_MEMORY,  /* all processes together use more than is allowed */
    SANDBOX_FLOOD,   /* too much output */
    SANDBOX_STOPPED, /* the grader itself was told to end */
    SANDBOX_FAILED   /* it could not be started, or the machine killed it: failure says why */
};

struct sandbox_result {
    enum sandbox_end end;
    int status;
    char *out, *err, *report; /* NUL-terminated; NULL: it never ran */
    size_t out_bytes, err_bytes, report_bytes;
    int product_error; /* errno: why there is no product */
    double wall_s;
    char failure[200];
};

/* Finds out what works here, by trying it. `folder` must exist; isolated jobs will live in folders below it. */
void sandbox_open(struct sandbox *sandbox, const char *folder, const char *keeper);
/* True if neither the process nor any that it has begun runs or wants to run at the moment. */
bool sandbox_is_asleep(pid_t pid);
/* For one of several processes that use it at the same time: a part of the users, nobody else's. */
void sandbox_share(struct sandbox *sandbox, unsigned part, unsigned parts);
/* When no job is at work any more; also after a failure. */
void sandbox_close(const struct sandbox *sandbox);

/* Makes a folder, or takes one that exists, for isolated jobs to write to. */
bool sandbox_own(const struct sandbox *sandbox, const char *path);
/* Opens a folder of ours to isolated jobs, to be read, and to nobody else. */
bool sandbox_show(const struct sandbox *sandbox, const char *path);

/* Called as jobs end, in the order of their ends. */
typedef void sandbox_done(void *context, int job, struct sandbox_result *result);
/* Runs all jobs, at most `parallel` at a time; results[i] belongs to jobs[i]. `done` may be NULL. */
void sandbox_run(const struct sandbox *sandbox, const struct sandbox_job *jobs,
                 struct sandbox_result *results, int count, int parallel, sandbox_done *done, void *context);
/* The same for a list that `done` may make longer: *count is read again after each end. */
void sandbox_run_growing(const struct sandbox *sandbox, const struct sandbox_job *jobs,
                         struct sandbox_result *results, const int *count, int parallel, sandbox_done *done,
                         void *context);
void sandbox_free(struct sandbox_result *result);

/* The end in words, as the rest of a sentence about the program: "was stopped after 10 s", "crashed: ...". */
void sandbox_describe(const struct sandbox_result *result, const struct sandbox_profile *profile, char *out,
                      size_t size);

/* From a signal handler: every job is killed and sandbox_run() returns, now and from now on. */
void sandbox_stop(void);
/* The same, but sandbox_resume() ends it: what the jobs were about is no longer wanted. */
void sandbox_cancel(void);
void sandbox_resume(void);
/* Either of them. */
bool sandbox_is_stopped(void);

/* Somebody who wants a turn while jobs are at work: some fifty times a second, and once more (is_over) before anybody is told of
 * an end, so that whoever shows that something is being done can take it away. NULL: nobody. */
typedef void sandbox_turn(void *context, bool is_over);
void sandbox_on_turn(sandbox_turn *turn, void *context);

#endif
