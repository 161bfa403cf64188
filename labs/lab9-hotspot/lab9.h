/* lab9.h - the entry points of lab 9, one per stage, all with the same parameters.
 * A plate has `height` rows of `width` cells, rows packed. `in` is its heat at the start, `power` what each cell gains in
 * a time step, `out` becomes the heat after `steps` time steps; `scratch` is as large as the plate, and yours to use. All
 * are device memory; every size from 1 x 1 up and every number of steps from 1 up is legal. Cells outside of the plate
 * are always at 0. */
#ifndef LAB9_H
#define LAB9_H

#include "lab/entry.h"

typedef void heat_fn(float *out, const float *in, const float *power, float *scratch, int width, int height,
                     int steps);

LAB_ENTRIES(heat_fn, heat_global, heat_shared, heat_two_steps, heat_blocked, heat_columns, heat_tuned,
            heat_walking, heat_marching);

#endif
