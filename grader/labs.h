/* labs.h - where the kit lies and which labs it holds, and where the student's own files are.
 * A lab is a folder labs/labN-NAME; what the grader needs of it is made by `make grade-labN` and opened from build/.
 * A kit is one student's, who edits the files in its labs/; or it is shared, installed by `make install` for many, who each have a
 * folder of their own with labs/ and build/ in it. Nothing below a shared kit is ever written. */
#ifndef LABS_H
#define LABS_H

#include <stdbool.h>
#include <stddef.h>

#include "lab/lab.h"

struct kit {
    char root[2048];
    char build[2200]; /* what `make` made of the kit */
    bool is_shared;   /* the file `installed` lies in root */
    char own
        [2048]; /* whose labs/ the student edits: root; of a shared kit, the student's folder, "" if there is none */
    char cache[2200];   /* what the grader keeps to be faster; "": nothing is kept */
    char results[2300]; /* where points and history are kept: build/results, or what WARPSTEP_RESULTS names */
    const char *make_build; /* the same as make was told: "BUILD=build" */
};

struct labs_entry {
    char id[32];      /* "lab3" */
    char folder[200]; /* "lab3-bank-conflicts" */
};

enum { LABS_MOST = 64 };
struct labs {
    struct labs_entry list[LABS_MOST]; /* by number */
    int count;
};

/* The kit is where the program lies. A student's folder has a link to the program, `grade`, and labs/: it is the one that the program
 * was called in, or the nearest at or above the working folder. False: there is no kit. */
bool labs_find_kit(struct kit *kit, char *error, size_t size);
void labs_find(const struct kit *kit, struct labs *labs);
const struct labs_entry *labs_by_id(const struct labs *labs, const char *id);
/* True if `make grade-labN` has nothing to do, as far as times of files tell. A shared kit was made as a whole. */
bool labs_is_ready(const struct kit *kit, const struct labs_entry *entry);
/* Notes that make has done its work. */
void labs_mark_ready(const struct kit *kit, const struct labs_entry *entry);
/* The lab's table; stays open for the program's life. NULL: *error says why. */
const struct lab *labs_open(const struct kit *kit, const struct labs_entry *entry, char *error, size_t size);

#endif
