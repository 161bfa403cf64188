/* batch.h - a batch at work, shared by batch.c (the command), batch_plan.c (what there is to do) and
 * batch_slurm.c (other machines do it). */
#ifndef BATCH_H
#define BATCH_H

#include <stdint.h>

#include "base/list.h"
#include "grader/course/course.h"
#include "grader/course/intake.h"
#include "grader/grade.h"

struct batch {
    struct session *session;
    char out[GRADE_PATH];
    int lock; /* on the folder of results; -1: none */
    struct store store;
    bool has_store, is_new_store;
    bool has_roster;     /* that of --roster is in the store */
    bool is_same_folder; /* as that of the batch before */
    char *folder; /* where the submissions lie: what was named, a folder in it, or what an archive held */
    struct intake intake;
    struct course course; /* as it stands, in memory */
    char deadline[40];    /* made whole; "": none was told now */
    struct record_environment environment;
    char *list; /* of --list: names, each with a NUL; NULL: none */
    size_t list_bytes;
    bool *is_todo; /* by submission */
    bool *is_ours; /* by submission: it could not be graded, by our fault */
    int *twin;     /* by submission: one with the same text, which is graded in its place; -1: none */
    int ours, kept;
    struct list gone; /* char *: students whose submissions were graded, and have left the folder */
    int jobs;         /* at a time */
    int reserve;      /* and so many more, while others sleep */
    int done, todo;   /* of this round */
    uint64_t begun_ns;
};

/* Chooses and locks the folder of results, opens the store, reads the submissions, and decides which are to be graded. False:
 * the session's error says why. */
bool batch_plan(struct batch *batch);
/* Which submissions are to be graded, by what the store has now. False: the session's error says why not. */
bool batch_choose(struct batch *batch);
/* The class as the store has it. */
bool batch_reload(struct batch *batch);
/* "results/anna.json": the report of a submission. */
void batch_name_report(const struct batch *batch, int index, char *out, size_t size);
/* A copy of the store as it stands. */
bool batch_back_up(struct batch *batch);
/* In batch_slurm.c: grades what is to be graded on the machines of a cluster. False: the session's error says why. */
bool batch_slurm(struct batch *batch);
/* Why a batch, or the session for it, did not begin; a roster that was given with it is not lost without a word. */
void batch_put_failure(const struct session *session, bool has_roster);
/* SHA-256 of a submission's text, in hex; "": it cannot be read. */
void batch_hash(const struct intake_submission *one, char out[65]);

#endif
