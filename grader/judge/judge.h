/* judge.h - the parts of the judge: it replays recordings on buffers that it owns and finds out what is true.
 * No code of a student's is linked here; device code is loaded as data, and a recording has been checked by its reader.
 * judge-virtual checks results and models times; judge-gpu measures times. Both are main.c, judge.c and side.c with
 * one struct judge_backend: that of model.c or of measure.c. Nothing here knows of points. */
#ifndef JUDGE_H
#define JUDGE_H

#include <pthread.h>
#include <time.h>

#include "grader/scout.h"
#include "grader/verdict.h"
#include "trace/trace.h"

struct coverage;
struct effort;

/* A recording of host code and the device code that belongs to it. */
struct judge_code {
    struct trace *trace; /* NULL: problem says why */
    void *fatbin;
    size_t bytes;
    bool can_print;    /* a kernel calls printf() */
    const char *shown; /* the file's name in messages; NULL: it is the kit's own */
    const char *
        *libraries; /* of each name of the trace: judge_find_libraries(). NULL: nobody wants to know */
    char problem[240];
};

struct judge {
    const struct lab *lab;
    const struct lab_stage *stage;
    const char *slot;  /* whose segments of the submission are replayed: the stage's own id, but for tests */
    const char *shown; /* the submission's name in messages */
    bool is_brief;     /* the first wrong case is enough */
    uint64_t seed;     /* of the inputs */
    uint64_t draw;     /* of the sizes of those cases that are drawn */
    bool is_audit;     /* the timed case is executed as a whole */
    bool leaves_large; /* but not if that takes much memory: then the verdict says so, and no more */
    bool is_explained; /* instead of all else: where the time of the timed case goes, in words */
    bool is_profiled;  /* and as JSON, for a page */
    bool
        wants_moment; /* cases are profiled as well, until something is found wrong in a block that can be played */
    char *moment;              /* that launch as JSON; NULL: none so far */
    int columns;               /* that the words may fill */
    struct pipeline *pipeline; /* launches are told to it; NULL: nobody wants to know */
    struct coverage *
        verified; /* what kernels executed in cases that were executed as a whole; NULL: nobody wants to know */
    struct effort *largest; /* what it took, in the largest of the small cases; NULL: nobody wants to know */
    const char *kits;       /* a file with what the kit's own kernels take; NULL: there is none */
    double needed;          /* bytes of memory that the timed case depends on; 0: nobody knows */
    int limit_s;
    clockid_t clock; /* by which they pass; the backend's, which the watchdog must not know */
    struct judge_code student, baseline;

    /* shared with the watchdog, under lock */
    pthread_mutex_t lock;
    struct verdict *verdict;
    FILE *out;
    uint32_t which;  /* the case that is being replayed */
    bool is_ours;    /* what runs at the moment is the kit's own code */
    bool is_written; /* the verdict has been handed over */
};

/* ------------------------------------------------------------------------------------------- what it says (judge.c) */

void judge_add_case(struct judge *judge, const struct lab_outcome *one);
/* Forgets messages that came after the first `nmessages`. */
void judge_drop_messages(struct judge *judge, uint32_t nmessages);
/* An error of ours; the first one stays. */
void judge_fail(struct judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool judge_has_failed(struct judge *judge);
/* Tells the watchdog what runs from now on. */
void judge_enter(struct judge *judge, uint32_t which, bool is_ours);
/* Hands the verdict over, once. */
void judge_write(struct judge *judge);
/* After limit_s seconds from now the process ends, with a verdict that says so. */
void judge_start_watchdog(struct judge *judge);

/* ------------------------------------------------------------------------------------------- whose work it is (origin.c) */

/* Finds the kernels that hold code of an algorithm of CUB's or Thrust's for a whole device: code->libraries[i] is the header that
 * kernel names[i] of the trace has it from, NULL where it has none. */
void judge_find_libraries(struct judge_code *code);
/* "cub/device/device_scan.cuh": the part of a source file's path that says so; NULL: it is no such header. */
const char *judge_library_header(const char *path);

/* ------------------------------------------------------------------------------------------- replaying (side.c) */

/* One segment, and the buffers that it works on: buffers_open() and its neighbours. */
struct judge_side {
    const struct judge_code *code;
    const struct trace_segment *segment;
    struct lab_run run;
    struct player *player;
};

/* What a backend does while a side is replayed; NULL: nothing. */
struct judge_hooks {
    void (*before)(const struct judge_side *side, const struct trace_op *op); /* each operation */
    void (*bring)(const void *host, uint64_t bytes); /* a step of the host comes to these */
    void (*spend)(double us); /* a step of the host was done, and is said to take so long */
    /* The entry point has, and its work may be under way; or something failed. */
    void (*returned)(const struct judge_side *side, bool is_done);
};
void judge_set_hooks(const struct judge_hooks *hooks);

/* Finds the segment and sees whether it can be replayed at all. False: one->symptom and one->text say why not. */
bool judge_find_segment(const struct judge *judge, const struct judge_code *code, const char *name,
                        struct lab_outcome *one, const struct trace_segment **segment);
/* Gives back what host code made on its way, once nothing more is replayed; and all memory too. */
void judge_side_unload(struct judge_side *side);
void judge_side_close(struct judge_side *side);
/* Loads the device code, so that its variables hold their initial values again. False: error says why. */
bool judge_side_load(struct judge_side *side, char *error, size_t size);
/* Takes what host code says in place of all that: false as above. */
bool judge_side_listen(struct judge_side *side, char *error, size_t size);
/* Replays it and waits for the device; what host code says is taken as well. */
bool judge_side_run(struct judge_side *side, char *error, size_t size);

/* ------------------------------------------------------------------------------------------- the two programs */

struct judge_backend {
    /* The watchdog's: of CPU time where kernels run on the CPU, so that a busy machine decides nothing. */
    clockid_t clock;
    /* Before the first call of CUDA. gpu: what --gpu says, or NULL. source: the submission's text, under the last part of
     * the name that the compiler knew it by; no other file is read for messages, whatever device code names. NULL: none is. */
    void (*prepare)(const char *gpu, const char *source);
    void (*acquire)(struct judge *judge); /* waits until the device is ours alone; NULL: it is */
    void (*ahead)(struct judge *judge); /* begins what can be done beside checking; NULL: there is nothing */
    void (*check)(struct judge *judge); /* NULL: this program does not */
    void (*time)(struct judge *judge);
    void (*explain)(struct judge *judge); /* NULL: it cannot */
    void (*tell_kits)(
        struct judge *judge); /* writes what --kits reads, in place of a verdict; NULL: it cannot */
};
extern const struct judge_backend judge_backend;

#endif
