/* lab9.h - the entry points of lab 9, one per stage, all with the same parameters, and the words for answers.
 * A plate has `height` rows of `width` cells, rows packed. `in` is its heat at the start, `power` what each cell gains in
 * a time step, `out` becomes the heat after `steps` time steps; `scratch` is as large as the plate, and yours to use. All
 * are device memory; every size from 1 x 1 up and every number of steps from 1 up is legal. Cells outside of the plate
 * are always at 0. The entry point of `prediction` gets the answers for `out` and their sheet for `in`. */
#ifndef LAB9_H
#define LAB9_H

#include "lab/entry.h"

typedef void heat_fn(float *out, const float *in, const float *power, float *scratch, int width, int height,
                     int steps);

LAB_ENTRIES(heat_fn, heat_global, heat_prediction, heat_shared, heat_two_steps, heat_blocked, heat_columns,
            heat_tuned, heat_walking, heat_marching);

/* ---- answers: what lab9.cu says in the stage `prediction` ---- */

enum { QUESTIONS = 4 };

/* What becomes of the traffic of DRAM. */
enum traffic { NOT_COUNTED, A_FIFTH, HALF, THE_SAME, TWICE };
/* How long the step takes, compared with stage 1. */
enum duration { NOT_PREDICTED, HALF_AS_LONG, THREE_QUARTERS, AS_LONG, MUCH_LONGER };
/* What decides about that. */
enum reason {
    NOT_NAMED,
    FEWER_BYTES_FROM_DRAM,
    MORE_BYTES_FROM_DRAM,
    WORK_THAT_SAVES_NOTHING,
    BANK_CONFLICTS,
    LAUNCHES
};
/* When a tile makes this program faster. */
enum remedy { NOT_CHOSEN, ON_A_LARGER_PLATE, FOR_SEVERAL_STEPS, WITH_PADDED_ROWS, WITH_SMALLER_BLOCKS };

#endif
