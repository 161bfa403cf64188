/* store.h - the results of a class on disk: results.db, SQLite in WAL mode, in the folder of results.
 * Every change is one transaction: after a crash at any moment it is there as a whole, or not at all. A connection is opened for
 * each call and closed again, so that none is ever carried across a fork. SQLite is not needed to build the kit: without it every
 * call fails, and says how to get it. */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/course/record.h"

enum { STORE_ERROR = 700 };

struct store {
    char path[2800];
    char error[STORE_ERROR]; /* why the last call failed, a sentence */
    bool is_damaged;         /* that is why */
};

/* False: SQLite was not there when the kit was built; words for it are in error. */
bool store_is_built_in(void);
/* The store of a folder; it need not be there yet. */
void store_name(struct store *store, const char *folder);
/* There is one, or was: one whose file is gone is damaged. */
bool store_exists(const struct store *store);
/* Makes it if it is not there. False: it is of another lab, of another version, damaged, or cannot be written. */
bool store_make(struct store *store, const char *lab);
/* Nothing was ever stored in it. */
bool store_is_empty(const struct store *store);
/* Reads all of it. False: it is damaged, or cannot be read. */
bool store_check(struct store *store);

/* A new attempt at record->source. Attempts before it stay, but for those that ended in an error of the kit. */
bool store_put(struct store *store, const struct record_environment *environment,
               const struct record *record);
/* The submission's text, by its hash. Kept once. */
bool store_put_text(struct store *store, const char *hash, const void *bytes, size_t size);
/* To be freed; NULL: it is not there. */
void *store_get_text(struct store *store, const char *hash, size_t *size);
/* What was handed in, graded or not yet. is_all: others are gone from the class, though their attempts stay. Results and points by
 * hand of a submission that is another student's now, by a new roster, go with it. */
struct store_submission {
    const char *source, *student;
};
bool store_put_submissions(struct store *store, const struct store_submission *list, size_t count,
                           bool is_all);

/* "late", "take", "folder", ...: what the class as a whole was told. store_get(): "" if it was told nothing, NULL on error; to be freed. */
bool store_set(struct store *store, const char *key, const char *value);
char *store_get(struct store *store, const char *key);

/* Who is who, from a roster; a new one takes the place of the one before. */
struct store_student {
    char *id, *name, *email, *section;
    long place;      /* in the roster, from 1 */
    char *submitted; /* when the platform says that they handed in; "": it does not */
};
extern const struct record_shape store_student_shape;
bool store_put_students(struct store *store, const struct store_student *students, size_t count);

/* Points by hand, with a reason; they survive regrades. */
struct store_override {
    char *student;
    double points, bonus; /* half points are points */
    char *reason, *made;
};
extern const struct record_shape store_override_shape;
bool store_put_override(struct store *store, const struct store_override *override);
bool store_drop_override(struct store *store, const char *student);

/* A copy of all of it as it stands, backups/results-NOW-....db beside it; the ten newest stay. False: it could not be written. */
bool store_backup(struct store *store, const char *now);
bool store_has_backup(const struct store *store);

/* What could be had of a damaged store. */
struct store_recovery {
    bool has_store;   /* false: neither a backup nor the file itself can be read; a batch makes a new store */
    char backup[240]; /* that it began with; "": there was none */
    int bad_backups;  /* newer ones that are damaged, too */
    long attempts;    /* gradings that the damaged file still has, as a whole */
    bool lost_words;  /* of the class as a whole, who handed in: nobody has all of them any more */
    bool lost_submissions;
    char aside[80]; /* the folder beside the store that has the damaged file now */
};
/* Puts the newest backup that is whole in the place of the store, and over it all that can still be read of the damaged one.
 * False: it could not be written. */
bool store_recover(struct store *store, const char *now, struct store_recovery *recovery);

/* All that is in it, for course.h. */
struct store_content {
    struct record *records;                  /* the current attempt of every submission, by source */
    struct record_environment *environments; /* of each record, in the same order */
    long *attempts;                          /* of each, how many there were */
    size_t nrecords;
    char **waiting; /* students with a submission that has not been graded */
    size_t nwaiting;
    struct store_student *students;
    size_t nstudents;
    struct store_override *overrides;
    size_t noverrides;
};
bool store_load(struct store *store, struct store_content *content);
void store_content_free(struct store_content *content);
/* An empty record at the end, with a copy of the environment. False: out of memory. */
bool store_content_add(struct store_content *content, const struct record_environment *environment);
/* NULL: there is none of this source. */
const struct record *store_find(const struct store_content *content, const char *source, size_t *index);
/* This text was graded in this environment, and not by an error of the kit's. */
bool store_has(const struct store_content *content, const struct record_environment *environment,
               const char *source, const char *hash);
bool store_is_same_environment(const struct record_environment *a, const struct record_environment *b);

#endif
