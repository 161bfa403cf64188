/* lab1.h - the entry points of lab 1: pi from random points.
 * All have one shape. Each leaves in *inside how many of blocks * threads * points points lie in the circle; it sets the
 * number and does not add to what was there. `states` is scratch memory with room for a generator state per thread. */
#ifndef LAB1_H
#define LAB1_H

#include "lab/entry.h"

enum { LAB1_STATE_BYTES = 64 }; /* room per thread in `states`: the largest of cuRAND's common states */

typedef void pi_fn(unsigned long long *inside, void *states, int blocks, int threads, int points,
                   unsigned long long seed);

LAB_ENTRIES(pi_fn, pi_per_hit, pi_per_thread, pi_per_block, pi_saved, pi_fast);

#endif
