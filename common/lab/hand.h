/* hand.h - the parts of build/lab3, with which a student runs stages by hand: hand_check.c says whether a case is right,
 * hand_time.c how long it takes, hand_words.c prints, main.c reads options and makes the table. Nothing here gives points, and the submission is trusted. */
#ifndef LAB_HAND_H
#define LAB_HAND_H

#include "lab/findings.h"
#include "lab/lab.h"
#include "lab/scale.h"

/* The program's exit status as well. */
enum hand_status {
    HAND_RIGHT,
    HAND_WRONG, /* something is wrong with the submission */
    HAND_OURS   /* usage, or a failure of ours */
};

/* ------------------------------------------------------------------------------------------- words (hand_words.c) */

int hand_id_width(void); /* of the column that has the stages' ids */
/* "  3  padded     right": the begin of a stage's row. */
void hand_put_row(const struct lab_stage *stage, const char *result);
/* Text behind a row, or below it; broken between words. */
void hand_put(bool is_below, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A paragraph for itself. */
void hand_put_words(const char *text);
/* For programs: from now on standard output has nothing but a line of JSON for each stage. Without it the second one does nothing. us: 0
 * where no time is known. */
void hand_put_json_only(void);
void hand_put_outcome(const struct lab_run *run, const char *result, const struct lab_outcome *one,
                      double us);
enum hand_status hand_fail(const char *what, const char *why);

/* ------------------------------------------------------------------------------------------- right or wrong (hand_check.c) */

/* Device memory of a run, and host memory if its inputs are to be filled in. NULL: it is there; hand_close() always. */
const char *hand_open(struct lab_run *run, bool is_filled);
void hand_close(struct lab_run *run);
bool hand_is_lost(void); /* the device: an error stays with it */

/* What the virtual GPU said since hand_watch(). */
struct hand_found {
    struct lab_found told;
    char text[2000];      /* all that the message said */
    double longest_us;    /* of the launches */
    bool is_launch_bound; /* the longest one is */
    bool is_quiet; /* what kernels print has been shown: further calls of the same stage say the same again */
};
extern struct hand_found hand_found;
void hand_watch(void);
/* From now on messages wait: nobody knows yet whether they are true of the whole, or only of a sample of its blocks. They are told,
 * or forgotten with the symptom, and the next ones do not wait; false: none did. */
void hand_hold(void);
bool hand_release(bool is_true);

/* Calls the entry point. Where the file ends the program in there, as CHECK() does, the stage gets its row all the same, with
 * these words. */
void hand_call(const struct lab_run *run, const char *if_ended);
/* What the last call asked of a virtual GPU. */
struct hand_work {
    int launches;
    int calls;           /* of the runtime */
    int writes;          /* copies and memsets to outputs on the device */
    double instructions; /* of warps; of all blocks, also where only a sample is executed */
};
extern struct hand_work hand_work;

/* The row of a stage that is wrong; the other for what has no outcome. */
void hand_put_wrong(const struct lab_run *run, const struct lab_outcome *one);
void hand_put_symptom(const struct lab_run *run, enum lab_symptom symptom, const char *text);
/* The row of a stage that can neither be called right nor wrong at this size. */
void hand_put_unsure(const struct lab_run *run, const char *text);
/* Below a row: right results, but not by right. */
void hand_put_dirt(const struct lab_stage *stage);
/* A case that is executed as a whole, twice, with other inputs the second time. What is wrong is printed. */
extern char hand_meaning[160]; /* what the lab makes of the last right results; "": nothing */
enum hand_status hand_check(const struct lab_stage *stage, const struct lab_case *which, uint64_t seed);
/* The same for all small cases of the stage that ./grade looks at, but for narrow ones. */
enum hand_status hand_check_cases(const struct lab_stage *stage, uint64_t seed);

/* ------------------------------------------------------------------------------------------- times (hand_time.c) */

struct hand_time {
    double us, baseline_us; /* baseline_us 0: the stage has none */
    bool is_launch_bound;
    bool is_unsure; /* nobody knows whether the results are right */
};
/* reps: measurements on a GPU; the virtual clock shows the same every time. What is wrong is printed. */
enum hand_status hand_time(const struct lab_stage *stage, const struct lab_case *which, uint64_t seed,
                           bool is_sampled, long reps, struct hand_time *out);
void hand_find_most(struct lab_most *out);

#endif
