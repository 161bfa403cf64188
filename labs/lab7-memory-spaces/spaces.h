/* spaces.h - what lies in memory in the stages of lab 7, and what is right: a pair of functions for each family of stages. */
#ifndef SPACES_H
#define SPACES_H

#include "lab/lab.h"
#include "lab7.h"

/* What an entry point gets: the buffers by their names. */
struct task task_of(const struct lab_run *run);

#define FAMILY(name)                                                                                         \
    lab_layout_fn name##_layout;                                                                             \
    lab_element_fn name##_element

FAMILY(filter);   /* n sums of TAPS products */
FAMILY(lookup);   /* n chains of lookups in a small table */
FAMILY(large);    /* the same in a large one */
FAMILY(picture);  /* n x m pixels between those of a smaller picture */
FAMILY(filtered); /* the same, as exact as a texture unit is */
FAMILY(bins);     /* n columns of VALUES floats, each sorted into bins */
FAMILY(walsh);    /* n columns of POINTS floats, each transformed */
FAMILY(random);   /* n lookups in a table of m, anywhere */
FAMILY(sorted);   /* the same by a sorted list */
FAMILY(verdict);  /* answers alone */

#undef FAMILY

#endif
