/* verdict.h - what the judge found out about one stage, on its way from the judge's process to the grader's.
 * Facts only: no points, no colours, no advice. Written as lines of text to a descriptor, read back with every field
 * checked; a verdict without its last line is not one. */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lab/lab.h"

/* Something that was said: "error", "race" or "warning" by the checkers, "refused" about a call of the host code,
 * "printed" by kernels; where the time of a kernel goes, in words and as JSON, with "2 launches, 7.5 us" for a title. */
#define VERDICT_EXPLAINED "explained"
#define VERDICT_PROFILED  "profiled"
#define VERDICT_PIPELINE  "pipeline"   /* where the time goes that is not the kernels' */
#define VERDICT_SPANS     "operations" /* the same over time, as JSON */
#define VERDICT_MOMENT    "moment"     /* what was found wrong in a small case; as JSON, if it is wanted */
struct verdict_message {
    uint32_t which;
    enum lab_symptom symptom; /* of a finding; LAB_NO_SYMPTOM: it is a mere remark */
    char severity[12], title[96], place[160];
    char *text; /* several lines */
};

struct verdict_counter {
    char name[40];
    double value; /* sum over the launches of the timed case; ratios and occupancy: of the longest launch */
};

struct verdict_time {
    bool is_known;
    char backend[12];               /* "gpu" or "virtual" */
    char gpu[64];                   /* "NVIDIA H200" */
    double baseline_us, student_us; /* of many samples, the slowest of the quickest few */
    double speedup, low, high; /* their ratio, and what it may be as well: with the quickest of either side */
    uint32_t samples;          /* 0: it was ended before it was done, and would have taken longer */
    double ceiling;            /* GB/s of a device-to-device copy in the same run; 0: not measured */
    double peak;               /* GFLOP/s of nothing but multiplications with additions; 0: not known */
    char limiter[24];          /* virtual: what binds the longest launch */
};

struct verdict {
    struct lab_outcome *cases;
    uint32_t ncases;
    struct verdict_message *messages;
    uint32_t nmessages;
    struct verdict_counter *counters;
    uint32_t ncounters;
    struct verdict_time time;
    uint64_t seed;     /* of the inputs: lab_seed(seed, which) is that of a case; 0: not known */
    bool is_large;     /* the judge was not to execute a timed case of this size, and has left it */
    char failure[256]; /* ours: the judge could not do its work, and why; "" otherwise */
    bool is_complete;  /* the last line was there */
};

struct verdict *verdict_new(void);
void verdict_free(struct verdict *verdict);
void verdict_add_case(struct verdict *verdict, const struct lab_outcome *one);
void verdict_add_message(struct verdict *verdict, const struct verdict_message *message); /* copies text */
/* One message per title and place: the same mistake in ten cases is one mistake, told of the first of them, whichever was
 * judged first. New ones only below `most`. */
void verdict_note(struct verdict *verdict, const struct verdict_message *message, uint32_t most);
/* Forgets those from number `from` on. */
void verdict_drop_messages(struct verdict *verdict, uint32_t from);
void verdict_add_counter(struct verdict *verdict, const char *name, double value);
/* NULL: the verdict has no counter of that name. */
const double *verdict_counter(const struct verdict *verdict, const char *name);
/* True if there are cases, and all of them are right. */
bool verdict_is_right(const struct verdict *verdict);
/* True for what costs a submission its clean points; the rest are remarks. */
bool verdict_is_finding(const struct verdict_message *message);
void verdict_write(const struct verdict *verdict, FILE *file);
/* Never NULL but for lack of memory: what cannot be read leaves is_complete false and says why in failure. */
struct verdict *verdict_read(FILE *file);
/* The second judge's time (and cases of the timed size) replace or join those of the first. */
void verdict_join(struct verdict *into, const struct verdict *from);

#endif
