/* counts.h - the exact count of each stage of lab 1, and what a wrong one looks like. */
#ifndef COUNTS_H
#define COUNTS_H

#include "lab/lab.h"

enum { BLOCKS, THREADS, POINTS }; /* the sizes of a case */

long all_threads(const struct lab_run *run);
uint64_t all_points(const struct lab_run *run);

/* XORWOW in double precision, and for the last stage Philox in single. */
lab_reference_fn count_right, count_fast_right;
lab_part_fn is_count_of_part, is_fast_count_of_part;
lab_recognise_fn recognise_count, recognise_fast_count;

#endif
