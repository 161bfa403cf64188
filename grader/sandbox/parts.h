/* parts.h - what the files of the sandbox share, and what it agrees on with its keeper. Nobody else includes this. */
#ifndef SANDBOX_PARTS_H
#define SANDBOX_PARTS_H

#include <stdint.h>
#include <sys/types.h>

#include "grader/sandbox/sandbox.h"

enum { MOST_ARGUMENTS = 4096, MOST_JOBS = 64, NOBODY = 65534 };
/* Descriptors 1, 2 and 3 of a job; the fourth is the keeper's own. */
enum { OUT, ERR, REPORT, STREAMS };
enum { KEEPER_DESCRIPTOR = STREAMS + 1 };
#define MIB ((size_t)1 << 20)

/* ------------------------------------------------------------------------------------------- the keeper's word */

/* Written once, at the job's end, to a descriptor that the job has not. */
struct keeper_word {
    uint32_t magic;
    int32_t error;         /* errno: the program was not started; 0: it was */
    int32_t status;        /* as waitpid() gives it */
    int32_t product_error; /* errno: there is no product */
    int64_t cpu_ms;        /* of all processes that have ended */
};
#define KEEPER_MAGIC UINT32_C(0x4b454550)

/* Its command line: keeper PROCESSES MOST_BYTES PRODUCT FLAGS [-r PATH]... [-w PATH]... -- PROGRAM ARGUMENT...
 * FLAGS are letters. `keeper --probe` ends with the sum of KEEPER_HAS_*. */
#define KEEPER_SECCOMP   'S' /* dangerous system calls are refused */
#define KEEPER_NETLESS   'N' /* and so are sockets */
#define KEEPER_LANDLOCK  'L' /* -r and -w are all that it can open */
#define KEEPER_NAMESPACE 'U' /* a user namespace, in which its processes are counted */
#define KEEPER_ALONE     'A' /* no process of this user is anybody else's: all are killed at the end */
#define KEEPER_REPORTS   'R' /* the program keeps descriptor 3 */
enum { KEEPER_HAS_SECCOMP = 1, KEEPER_HAS_LANDLOCK = 2, KEEPER_HAS_NAMESPACE = 4 };

/* ------------------------------------------------------------------------------------------- a job's command line */

struct words {
    char *list[MOST_ARGUMENTS];
    int count;
};

void words_add(struct words *words, const char *word);
void words_add_three(struct words *words, const char *a, const char *b, const char *c);

/* wrap.c: bubblewrap's words, or those by which the keeper shows the same files. */
void wrap_in_namespaces(struct words *words, const struct sandbox *sandbox, const struct sandbox_job *job);
void wrap_in_keeper(struct words *words, const struct sandbox *sandbox, const struct sandbox_job *job);

/* ------------------------------------------------------------------------------------------- a job at work */

/* start.c. What a job gets of its own. */
struct place {
    uid_t user;
    char cgroup[SANDBOX_PATH + 64]; /* "": none */
};
/* In the child; never returns. The reason of a failure goes to the pipe `problem`. */
void start_job(const struct sandbox *sandbox, const struct sandbox_job *job, const struct place *place,
               int pipes[][2], int problem) __attribute__((noreturn));

/* watch.c. What a process and all that come from it do and use. */
struct usage {
    bool is_awake; /* one of them runs or wants to */
    int processes;
    double cpu_s;
    size_t memory_bytes;
};
void watch_tree(pid_t pid, struct usage *usage);
/* How often the kernel has killed for lack of memory, on this machine. */
long watch_machine_kills(void);

/* cgroup.c. False or "": there is none to be had, and that is no failure. */
bool cgroup_find(char *folder, size_t size);
/* This process goes back to where it was. */
void cgroup_close(const char *folder);
/* "memory pids": what can be limited in it. */
void cgroup_limits(const char *folder, char *out, size_t size);
bool cgroup_make(const char *folder, const char *name, const struct sandbox_profile *profile, char *out,
                 size_t size);
/* What of a profile the kernel can hold a whole tree to. */
void cgroup_limit(const char *cgroup, const struct sandbox_profile *profile);
void cgroup_enter(const char *cgroup);
/* The job went over its limit of memory. */
bool cgroup_is_over(const char *cgroup);
/* Of all that were ever in it, also of those that nobody waited for; 0: not known. */
double cgroup_cpu_s(const char *cgroup);
void cgroup_kill(const char *cgroup);
/* Kills what is left in it, waits until nothing is, and removes it. */
void cgroup_remove(const char *cgroup);

#endif
