/* compiler.h - nvcc's steps side by side: the program that ./grade starts in the compiler's room in nvcc's place.
 *
 * nvcc takes one step after another, though most do not wait for each other: half of the time goes to host code, which knows
 * nothing of the device's. So nvcc is asked what it would do (--dryrun), and each step begins as soon as what it reads is there:
 *
 *     host preprocessor ── cudafe++ ──────────────┐
 *     device preprocessor ── cicc ────────────────┴── g++ ─────┬── assembler ── object
 *                              └── ptxas ── fatbinary ─────────┘
 *
 * Invariant: the object, what is said, in which order, and whether it fails are nvcc's own. Where nvcc's plan is not the one
 * above, or a step ends in a way that nvcc would explain, nvcc itself does all of it.
 * Trusts nothing and is trusted by nobody: it runs where the compiler runs. */
#ifndef COMPILER_H
#define COMPILER_H

#include <stdbool.h>

/* In nvcc's order: what is wrong first is told, and nothing after it. */
enum step {
    STEP_HOST_TEXT,
    STEP_HOST_FRONT,
    STEP_DEVICE_TEXT,
    STEP_PTX,
    STEP_CUBIN,
    STEP_FATBIN,
    STEP_HOST_CODE,
    STEP_OBJECT,
    STEPS
};

enum { PLAN_SETTINGS = 40 };

struct plan {
    char *settings[PLAN_SETTINGS + 1]; /* "PATH=...", of all steps; inside of `dryrun` */
    char *commands[STEPS];             /* for a shell */
    char *dryrun;                      /* what nvcc has said */
};

/* Asks nvcc, whose temporary files would lie in `folder`, and writes the files there that take the place of what would tie steps
 * together. False: this is not the plan that is known. */
bool plan_make(struct plan *plan, char **nvcc, const char *folder);
void plan_free(struct plan *plan);

/* How all of it ended. */
enum ending {
    ENDING_DONE,
    ENDING_FAILED, /* as nvcc would: what was said tells why; *status is the failed step's */
    ENDING_ODD     /* only nvcc knows what to say of it */
};

enum ending steps_run(const struct plan *plan, const char *folder, int *status);

#endif
