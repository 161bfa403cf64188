/* sweep.h - build/lab2 every --sweep o=1..64: stages at a row of sizes, as a curve. The terminal gets a bar for each time, a file the drawing.
 * What one point takes, and whether it is right, is hand_time.c's. */
#ifndef LAB_SWEEP_H
#define LAB_SWEEP_H

#include "lab/hand.h"

enum { SWEEP_POINTS = 40, SWEEP_STAGES = 6 };

/* Which size takes which values. */
struct sweep {
    int size; /* row of lab.size_names */
    long values[SWEEP_POINTS];
    int count; /* 0: no sweep was asked for */
};

/* "o=1,2,4", "o=1..64": powers of two times the first, up to the second. What is wrong with it; NULL: it is read. */
const char *sweep_read(const char *text, struct sweep *out);

/* One stage and where its sweep begins; sizes that are swept are replaced. */
struct sweep_stage {
    const struct lab_stage *stage;
    struct lab_case which;
};
/* How the stages run: as in main.c. */
struct sweep_how {
    uint64_t seed;
    long reps;
    bool is_all;
};
enum hand_status sweep_run(const struct sweep *sweep, const struct sweep_stage *stages, int nstages,
                           const struct sweep_how *how);

#endif
