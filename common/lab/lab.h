/* lab.h - what a lab is: the map for everyone who writes one, runs one or grades one.
 * A lab's driver (labs/lab3-NAME/lab3.c) defines one `const struct lab lab`: its stages, its cases, and a few
 * small functions. Everything else (memory, inputs, comparison, timing, points) is done for it, by hand in
 * build/lab3 and by the grader alike. Nothing here knows of grades already given, files or processes. */
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/entry.h"

enum {
    LAB_SIZES = 4,   /* numbers that describe a case */
    LAB_BUFFERS = 8, /* device arrays of a case */
    LAB_TIERS = 3,   /* thresholds of speed per stage */
    LAB_BOUNDS = 4,  /* counter bounds per stage */
    LAB_HINTS = 12
};

/* ------------------------------------------------------------------------------------------- the stage table */

/* A bound on what the kernel did: sum of `counter` over the stage's launches, divided by that of `per` (NULL:
 * by 1), must lie in [at_least, at_most] (at_most 0: no upper bound). Counters are those of VGPU_COUNTERS; in
 * addition, "launches". Measured on the virtual GPU at the lab's timed case, also where a real GPU does the
 * timing. */
struct lab_bound {
    const char *counter, *per;
    double at_least, at_most;
    const char *meaning; /* "shared wavefronts per load request": how reports call it */
};

struct lab_tier {
    double speedup; /* over the stage's baseline */
    int points;
};

/* What went wrong, as far as a program can tell: the keys of hints. */
enum lab_symptom {
    LAB_NO_SYMPTOM,
    LAB_MISSING,   /* the entry point is not defined */
    LAB_UNTOUCHED, /* no output element was written: the stage is still empty */
    LAB_NO_LAUNCH, /* the entry point launched no kernel */
    LAB_LAUNCH,    /* a launch or a runtime call was refused */
    LAB_FAULT,     /* out of bounds, misaligned, trap: the kernel was stopped */
    LAB_RACE,      /* the checker found a race */
    LAB_BARRIER,   /* a barrier under divergent control flow, or a deadlock */
    LAB_UNINITIALISED,
    LAB_ENDLESS,   /* stopped after too many instructions */
    LAB_PARTLY,    /* some output elements were never written */
    LAB_EDGE,      /* right where sizes are multiples of 32, wrong in other cases */
    LAB_WRONG,     /* wrong values */
    LAB_HOST_READ, /* wrong, and the entry point copied device memory to the host */
    LAB_CONCEPT,   /* right, but a counter is out of its bound */
    LAB_SLOW,      /* right, but below a threshold */
    LAB_SYMPTOMS
};

struct lab_hint {
    enum lab_symptom symptom;
    const char *text; /* one or two sentences: the likely cause and the next thing to do */
};

struct lab_stage {
    const char *id;         /* "padded": as in --stage padded */
    const char *title;      /* "padded tile" */
    const char *entry;      /* "transpose_padded": for messages */
    void (*function)(void); /* the entry point itself, cast; NULL where no submission is linked */
    const char
        *baseline; /* entry of baseline.cu that speedups are measured against, "baseline_naive": declared
                             extern "C" with the lab's parameters; programs that link baseline.o find it by dlsym() */
    const char
        *reference; /* entry of baseline.cu whose output is right at the timed size; NULL: the baseline's */
    bool is_given;  /* the skeleton has it already: no points */
    int correct;    /* points for right results in all cases */
    int clean;      /* further points if the checker finds nothing */
    int concept;    /* further points if all bounds hold */
    struct lab_bound bounds[LAB_BOUNDS];
    struct lab_tier speed[LAB_TIERS]; /* further points each, if right */
    const char *
        previous; /* id of the stage whose kernel in this slot must miss the last tier; NULL: the row above */
    bool is_bonus; /* points beyond 100 */
    struct lab_hint hints[LAB_HINTS];
};

/* ------------------------------------------------------------------------------------------- cases and buffers */

/* The meaning of the numbers is the lab's own: width, height, ... Unused ones are 0. */
struct lab_case {
    long size[LAB_SIZES];
    const char *stage; /* only for this stage; NULL: for all */
};

enum lab_type { LAB_INT, LAB_FLOAT, LAB_DOUBLE, LAB_UINT, LAB_INT64, LAB_UINT64, LAB_BYTE };
enum lab_role {
    LAB_IN,     /* filled from the seed, may not be changed */
    LAB_OUT,    /* poisoned before, compared after */
    LAB_SCRATCH /* poisoned before, not compared */
};

/* An array on the device. Inputs are uniform in [low, high] (integers) or [low, high) (others). */
struct lab_buffer {
    const char *name; /* the parameter's name in the entry point's prototype */
    enum lab_role role;
    enum lab_type type;
    size_t count;
    long dims[3]; /* for coordinates in messages, fastest first; {0}: one-dimensional */
    double low, high;
    double tolerance; /* outputs: largest relative error; 0: bit-exact */

    /* set by whoever runs the case */
    void *device;
    void *host; /* inputs: what the device got; outputs: what it left */
};

/* One stage on one case. */
struct lab;
struct lab_run {
    const struct lab *lab;
    const struct lab_stage *stage;
    const struct lab_case *which;
    const long *size; /* which->size */
    uint64_t seed;    /* of the inputs; drivers that pass a seed to the entry point pass this one */
    struct lab_buffer buffers[LAB_BUFFERS];
    int nbuffers;
    bool has_overflow; /* lab_add() found no room: lab_find_flaw() tells */
};

/* Appends a buffer and returns it, so that more of it can be set. Inputs lie in [0, 1), integers in [0, 255],
 * unless low and high are set. */
struct lab_buffer *lab_add(struct lab_run *run, enum lab_role role, enum lab_type type, const char *name,
                           size_t count);

/* ------------------------------------------------------------------------------------------- the lab */

struct lab {
    const char *id, *title;            /* "lab3", "bank conflicts: matrix transpose" */
    const char *size_names[LAB_SIZES]; /* "width", "height": for messages and options; NULL: unused */
    char size_options[LAB_SIZES];      /* 'n', 'm': options of build/lab3 */
    const struct lab_stage *stages;
    int nstages;
    const struct lab_case
        *cases; /* for correctness: small, all edges; the last one is what build/lab3 takes by
                                     default on the virtual GPU */
    int ncases;
    struct lab_case timed; /* for timing and counters, on a GPU and on the virtual one */
    const char *unit;      /* of work per second: "GB/s", "Gpoints/s" */

    /* Declares the buffers of a case, outputs first, with lab_add(). */
    void (*layout)(struct lab_run *run);
    /* Calls the stage's entry point with the buffers' device pointers. */
    void (*call)(const struct lab_run *run);
    /* The right content of output buffer `index`, computed on the CPU from the inputs' host copies. */
    void (*reference)(const struct lab_run *run, int index, void *expected);
    /* Work of one call in units of 1e9 (bytes moved, points drawn). */
    double (*work)(const struct lab_run *run);
    /* Optional. Looks at wrong results and says in one sentence what they look like ("the output equals the input: rows
     * and columns were not swapped"); NULL: nothing known. `expected` is that of output buffer `index`. */
    const char *(*recognise)(const struct lab_run *run, int index, const void *expected);
};

/* Defined by the driver. Programs that run a submission link it; the grader and the judge open build/labs/lab3/lab.so. */
extern const struct lab lab;

/* ------------------------------------------------------------------------------------------- inputs (inputs.c) */

size_t lab_type_bytes(enum lab_type type);
/* Element i of a buffer's input for a seed: a hash, the same on host and device. Also for drivers' own needs. */
uint64_t lab_hash(uint64_t seed, uint64_t i);
/* Fills host memory (count elements) with the input of buffer number `index` of the run. */
void lab_fill(const struct lab_run *run, int index, void *host);
enum { LAB_POISON = 0xff }; /* the byte that outputs are filled with: NaN for floats, -1 for integers */

/* ------------------------------------------------------------------------------------------- comparison (compare.c) */

struct lab_difference {
    size_t wanted;    /* elements that must be written: the reference does not leave them poisoned */
    size_t wrong;     /* elements */
    size_t unwritten; /* of them, those that still hold the poison */
    size_t first;     /* index of the first wrong one; meaningless if wrong is 0 */
    double largest;   /* relative error; INFINITY for NaN */
    char text[320];   /* "out[row 3][column 17] is 0.25, should be 0.5; 12 of 1056 elements are wrong, ..." */
};
/* NaN never equals anything but what the reference says is NaN. */
void lab_compare(const struct lab_buffer *buffer, const void *expected, struct lab_difference *out);
/* "[row 3][column 17]", "[123]". */
void lab_coordinates(const struct lab_buffer *buffer, size_t i, char *out, size_t size);

/* ------------------------------------------------------------------------------------------- finding things (lab.c) */

/* By id ("padded") or by row, counted from 1 ("2"); NULL: none. */
const struct lab_stage *lab_find_stage(const struct lab *lab, const char *id_or_row);
int lab_stage_points(const struct lab_stage *stage); /* all that a row can give */
int lab_max_points(const struct lab *lab);           /* of all rows but bonus ones: 100 */
/* A run with its buffers declared; nothing is allocated. */
void lab_begin_run(struct lab_run *run, const struct lab *lab, const struct lab_stage *stage,
                   const struct lab_case *which, uint64_t seed);
size_t lab_buffer_bytes(const struct lab_buffer *buffer);
/* "width 33, height 65". */
void lab_describe_case(const struct lab *lab, const struct lab_case *which, char *out, size_t size);
/* True if a case is one of this stage's: its own or everybody's. */
bool lab_case_applies(const struct lab_case *which, const struct lab_stage *stage);
/* What is wrong with a table, in one sentence: ids twice, points that do not add up to 100, unknown counters'
 * names left to the caller, a stage without a hint for LAB_UNTOUCHED, ...; NULL: nothing. For tests and
 * `grade check`. */
const char *lab_find_flaw(const struct lab *lab);

/* For student code, CHECK(call) stands in check.h: it prints file, line, the call and CUDA's words. */

#endif
