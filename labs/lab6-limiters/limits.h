/* limits.h - what lies in memory in the stages of lab 6, and what is right: a pair of functions for each family of stages. */
#ifndef LIMITS_H
#define LIMITS_H

#include "lab/lab.h"
#include "lab6.h"

/* What an entry point gets: the buffers by their names. */
struct task task_of(const struct lab_run *run);

#define FAMILY(name)                                                                                         \
    lab_layout_fn name##_layout;                                                                             \
    lab_element_fn name##_element

FAMILY(line);     /* n floats, scaled */
FAMILY(blocks);   /* the same, and two answers */
FAMILY(tiles);    /* n floats, a long account for each */
FAMILY(sums);     /* n floats, power sums over 16 of them for each */
FAMILY(savings);  /* n floats, eight accounts for each */
FAMILY(columns);  /* m rows of n floats, a sum for each column */
FAMILY(kinds);    /* n floats, of four kinds in turn */
FAMILY(data);     /* n floats, and the kind of each */
FAMILY(tree);     /* n places to look up in a tree of m nodes */
FAMILY(rings);    /* n rings of RING floats */
FAMILY(roof);     /* n floats, a polynomial for each; at most m blocks per SM */
FAMILY(moved);    /* the same without the polynomial */
FAMILY(computed); /* the same without the input */
FAMILY(verdict);  /* answers alone */
FAMILY(records);  /* n records of m floats, a sum for each */
FAMILY(crippled); /* n sums of m floats each, as they are nearest; and an answer */
FAMILY(knees);    /* answers alone */

#undef FAMILY

#endif
