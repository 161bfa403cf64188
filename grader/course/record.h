/* record.h - what became of one submission, as plain data: the form in which it passes from the process that graded it to the
 * batch, into the store (store.h), and from there to tables, pages and course platforms.
 * Each kind of row is described once, by a table of its fields; writing, reading, storing and freeing go by that table.
 * Knows nothing of labs and gradings. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Every submission ends in exactly one of these. */
#define RECORD_STATUSES(X)                                                                                   \
    X(GRADED, "graded")             /* points were given, perhaps none */                                    \
    X(BUILD_FAILED, "build failed") /* it does not compile or link */                                        \
    X(CRASHED, "crashed")           /* no points, and its own code broke down */                             \
    X(TIMED_OUT, "timed out")       /* no points, and it did not come to its end */                          \
    X(REFUSED, "refused")           /* there was nothing that could be graded: the message says why */       \
    X(ERROR, "error")               /* the kit or the machine is at fault: no grade, never a zero */
#define X(name, text) RECORD_##name,
enum record_status { RECORD_STATUSES(X) RECORD_NSTATUSES };
#undef X
extern const char *const record_status_names[RECORD_NSTATUSES];

/* ------------------------------------------------------------------------------------------- rows by tables */

enum record_kind { RECORD_TEXT, RECORD_INTEGER, RECORD_REAL };

struct record_field {
    const char *column;
    enum record_kind kind; /* char * (never NULL once read), long, double */
    size_t offset;
};

struct record_shape {
    const char *table; /* of the store */
    size_t size;       /* of the struct */
    const struct record_field *fields;
    int nfields;
};

/* ------------------------------------------------------------------------------------------- the rows */

/* Who measured, and with what. */
struct record_environment {
    char *lab;     /* "lab3" */
    char *stages;  /* those that were asked for: "tiled,padded"; "": all */
    char *backend; /* "gpu" or "virtual" */
    char *gpu;     /* "NVIDIA H200", or the profile "h200" */
    char *driver;  /* "": there is none */
    char *toolkit; /* "13.0" */
    char *kit;     /* version of the kit */
    char *sandbox; /* its state in words */
};

struct record_stage {
    long row; /* in the lab's table, from 1 */
    char *id, *title;
    long points, most, is_bonus;
    long is_right, is_clean, has_concept;
    double speedup, needed;      /* 0: not known, none */
    double time_us, baseline_us; /* 0: not known */
    char *symptom, *hint;        /* what to mend first */
    char *message;               /* why it was not judged; "" */
};

struct record_case {
    long stage; /* its row */
    char *name; /* "width 33, height 65" */
    long is_right;
    char *symptom, *text; /* what was wrong */
};

struct record_finding {
    long stage;
    char *severity, *symptom, *title, *place, *text;
};

struct record_measurement {
    long stage;
    char *name; /* of a counter */
    double value;
};

struct record {
    char *source;    /* the submission: its path in the folder, "anna/lab3.cu"; no other submission's */
    char *student;   /* whose it is; several submissions may be one student's */
    char *hash;      /* SHA-256 of its text in hex; "": there is none */
    char *note;      /* how it was taken: "taken from Lab3.cu"; "" */
    char *submitted; /* "2026-11-17T09:12:33Z"; "": nobody knows */
    long is_late;    /* the platform says so, whatever the times */
    char *status;    /* one of record_status_names */
    char *message;   /* why there are no points, in a line; "" */
    char *details;   /* all that the compiler or the kit said of it; "" */
    long points, most, bonus;
    char *seed;                /* of the inputs */
    char *begun;               /* when it was graded */
    double took_s, compiler_s; /* all of it, and nvcc alone */
    struct record_stage *stages;
    struct record_case *cases;
    struct record_finding *findings;
    struct record_measurement *measurements;
    size_t nstages, ncases, nfindings, nmeasurements;
};

extern const struct record_shape record_shape, record_environment_shape;
/* The lists of a record, and where they stand in it. */
struct record_part {
    const struct record_shape *shape;
    size_t list, count; /* offsets of the pointer and of the number */
};
enum { RECORD_PARTS = 4 };
extern const struct record_part record_parts[RECORD_PARTS];

/* ------------------------------------------------------------------------------------------- what is done with them */

/* A copy of the text in its place, "" for NULL. False: out of memory. */
bool record_set(char **field, const char *text);
/* A new row at the end of a list, zeroed. NULL: out of memory. */
void *record_add(struct record *record, const struct record_shape *shape);
/* All rows of a list. */
void record_drop(struct record *record, const struct record_part *part);

/* The fields of a row of any shape; what is freed can be used again, as empty. */
void record_free_row(const struct record_shape *shape, void *row);
void record_free(struct record *record);

/* As bytes, and back. False: out of memory, or these are not the bytes of a record. */
bool record_write(const struct record *record, FILE *file);
bool record_read(struct record *record, const char *bytes, size_t count);

#endif
