/* lab1.h - the entry points of lab 1: pi from random points.
 * All have one shape. Each leaves in *inside, which lies in device memory, how many of blocks * threads * points points lie
 * in the circle; it sets the number and does not add to what was there. */
#ifndef LAB1_H
#define LAB1_H

#include "lab/entry.h"

typedef void pi_fn(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed);

LAB_ENTRIES(pi_fn, pi_per_hit, pi_per_thread, pi_per_block, pi_saved, pi_fast, pi_tuned);

/* The host's own estimate: pi_per_thread() sets it, and build/lab1 shows it. */
LAB_ENTRIES(double, pi_on_host);

#endif
