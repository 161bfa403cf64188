/* history.h - what was graded when, and what came of it: a text file per lab, a line for each grading.
 *
 *     1 2026-11-17T09:12:33Z virtual h200 0.1.0 9f86d081884c7d65 graded tiled=30/30@2.1700~135.2/0/536870912 swizzle=+0/10 #89abcdef
 *
 * Version of the form, time, who measured, its GPU, the kit's version, SHA-256 of the student's file (its first eight bytes),
 * outcome (a file that does not compile: failed:34, with the line of its first error); then each stage that was graded with its points, `+` for a bonus, and if they are known its speedup, and behind `~` its
 * microseconds, floating-point operations and bytes of DRAM traffic; where it has not all points, behind `!` what is wrong, and behind `:` in which line of
 * the file: tiled=0/30!race:34; the line's own checksum. Lines are only ever added. Whoever finds one that its checksum does not fit passes it over and leaves it there. */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { HISTORY_STAGES = 32, HISTORY_ID = 40 };
#define HISTORY_UNANSWERED "unanswered" /* a stage that asks: answers are still to be given */

struct history_stage {
    char id[HISTORY_ID];
    int points, most;
    bool is_bonus;
    double speedup;              /* 0: not known */
    double time_us, flop, bytes; /* where it stands under a roofline; time_us 0: not known */
    /* what is wrong: its name in symptoms.def, or HISTORY_UNANSWERED; "": nothing, or not known */
    char symptom[24];
    int line; /* of the file, where that was found; 0: not known */
};

struct history_attempt {
    time_t when;
    bool is_gpu;      /* else the virtual one */
    char gpu[64];     /* its name, without blanks */
    char version[16]; /* of the kit */
    char hash[17];
    bool has_failed; /* it could not be compiled or linked: there are no stages, */
    int line;        /* and this is the line of the first error; 0: not known */
    struct history_stage stages[HISTORY_STAGES];
    int nstages;
};

struct history {
    struct history_attempt *list; /* in the order of the file, which is that of time */
    int count;
    int damaged, first_damaged; /* lines that could not be read, and the number of the first, from 1 */
};

/* The line without its line break; false: there is no room. */
bool history_write_line(const struct history_attempt *attempt, char *out, size_t size);
/* False: it is damaged. */
bool history_read_line(const char *line, size_t length, struct history_attempt *out);

/* A file that is not there is a history without attempts. False: errno says why. history_free() always. */
bool history_load(struct history *history, const char *path);
void history_free(struct history *history);
/* Under a lock; all of the line, or nothing of it. False: errno says why. */
bool history_append(const char *path, const struct history_attempt *attempt);

/* A stage's part in an attempt; NULL: it has none. */
const struct history_stage *history_find(const struct history_attempt *attempt, const char *id);
/* The attempt with the most points for a stage; of several, the first. NULL: it was never graded. */
const struct history_stage *history_best(const struct history *history, const char *id);

#endif
