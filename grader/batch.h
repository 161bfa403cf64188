/* batch.h - a batch at work, shared by batch.c (the command) and batch_plan.c (what there is to do). */
#ifndef BATCH_H
#define BATCH_H

#include <stdint.h>

#include "grader/course/course.h"
#include "grader/course/intake.h"
#include "grader/grade.h"

struct batch {
    struct session *session;
    char out[GRADE_PATH];
    int lock; /* on the folder of results; -1: none */
    struct store store;
    bool has_store;
    struct intake intake;
    struct course course; /* as it stands, in memory */
    struct record_environment environment;
    bool *is_todo; /* by submission */
    bool *is_ours; /* by submission: it could not be graded, by our fault */
    int ours, kept;
    int jobs;       /* at a time */
    int done, todo; /* of this round */
    uint64_t begun_ns;
};

/* Chooses and locks the folder of results, opens the store, reads the submissions, and decides which are to be graded. False:
 * the session's error says why. */
bool batch_plan(struct batch *batch);
/* The submission that --only or --regrade names. */
bool batch_is_named(const struct intake_submission *one, const char *who);
/* SHA-256 of a submission's text, in hex; "": it cannot be read. */
void batch_hash(const struct intake_submission *one, char out[65]);

#endif
