/* measure.h - how long a stage takes on a real GPU, beside the step that it is held against: for build/lab3 and for judge-gpu alike.
 * Each repetition has inputs of its own, made on the device; outputs hold numbers like data before every run and are compared after
 * it, so a time is only worth something if the work was done. The sides run by turns, between device-wide synchronisations and with
 * L2 flushed, so that clocks and temperature touch all alike. Small cases are the virtual GPU's business. measure.c. */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "lab/lab.h"

/* Who does a side's work: an entry point that is called, or a recording that is replayed. False: the words say why not. */
struct measure_way {
    /* Before a run's buffers are filled. is_afresh: device variables must be as if nothing had run. NULL: there is nothing to do. */
    bool (*begin)(void *work, bool is_afresh, char *words, size_t size);
    void (*ready)(void *work); /* right before the clock starts; NULL: there is nothing to do */
    bool (*run)(void *work, char *words, size_t size); /* gives it to the device, and need not wait */
    double (*untimed_us)(
        void); /* of all runs so far, what the host's clock should not count; NULL: nothing */
};

enum measure_who { MEASURE_BASELINE, MEASURE_STUDENT, MEASURE_REFERENCE, MEASURE_SIDES };

struct measure_side {
    const struct measure_way *way; /* NULL: there is no such side */
    void *work;
    struct lab_run *run; /* its buffers have memory */
};

struct measure_bench;

struct measure {
    /* set by the caller */
    struct measure_side sides[MEASURE_SIDES]; /* right is what the reference gives, or else the baseline */
    uint64_t seed;
    bool is_by_clock; /* by the host's: work may begin before an event, or the host takes part */
    long samples;     /* 0: as many as it takes to be sure */

    /* what comes of it */
    struct lab_outcome *outcome; /* of the submission: what was wrong */
    char problem[256];           /* of ours; "": none */
    double us[MEASURE_SIDES];    /* of the baseline and of the student: the last of the quickest few */
    struct {
        double low, likely, high;
    } speedup; /* 0 without a baseline */
    size_t count;

    struct measure_bench *bench;
};

/* Gets all that is needed but the sides. measure_close() always. */
bool measure_open(struct measure *measure);
/* False: a problem of ours, or an outcome that is wrong. */
bool measure_times(struct measure *measure);
void measure_close(struct measure *measure);

/* Microseconds of some work on the default stream, the median of some; not above 0: it failed. */
double measure_us(void (*work)(void *context), void *context);
/* GB/s of a copy within the device, of LAB_COPY_BYTES: what its memory gives at most, here and now. 0: CUDA refused. */
double measure_copy(void *to, void *from);

#endif
