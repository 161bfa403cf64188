/* findings.h - what the virtual GPU's checkers say while a case is replayed, kept within limits.
 * Begin, replay, end: what is said at other times belongs to nobody and is dropped. One case at a time. */
#ifndef JUDGE_FINDINGS_H
#define JUDGE_FINDINGS_H

#include "grader/judge/coverage.h"
#include "grader/judge/judge.h"
#include "lab/findings.h"

/* Counters of the launches of one replay. */
struct findings_launches {
    const char *const *names;
    double *values; /* sums, or those of the longest launch */
    size_t ncounters;
    unsigned count;
    double shared_bytes;  /* of all blocks */
    double largest;       /* warp instructions of the launch that has most */
    struct lab_part part; /* of its blocks, those that were executed */
    double longest_us;
    double serial_us; /* of launches whose loads from global memory are for one sector at a time */
    char limiter[24]; /* of the longest launch */
    bool is_partial;  /* one of them took so long that it was ended */
};

struct findings {
    struct judge *judge;
    uint32_t which;
    struct lab_found told;
    bool has_prints;    /* a kernel printed too much */
    bool has_refusal;   /* a call was refused while the segment was recorded */
    bool hides_values;  /* what kernels print or compute is not shown: lab_has_sheet() */
    char printed[4096]; /* by kernels */
    size_t nprinted;
    struct findings_launches launches;
    struct coverage covered;     /* what they executed */
    struct vgpu_kernels kernels; /* what is to be said of each, where it is asked for */
};

void findings_begin(struct findings *findings, struct judge *judge, uint32_t which);
/* What the segment allocates, registers or makes and never gives back: a message for each line. */
void findings_add_leaks(struct findings *findings, const struct trace_segment *segment);
/* The symptom, for whoever has to explain why a case is wrong. */
enum lab_symptom findings_symptom(const struct findings *findings);
/* What went wrong while the segment was recorded is told with the case. */
void findings_add_notes(struct findings *findings, const struct trace_segment *segment);
/* Messages are in the verdict now, and what kernels printed as one more. */
void findings_end(struct findings *findings);
void findings_free(struct findings *findings);
/* Of another process that has seen to it: a message as if it came now. */
void findings_tell_again(struct judge *judge, const struct verdict_message *message);

#endif
