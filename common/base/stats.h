/* stats.h - the middle of a set of measurements and how far it spreads.
 * Pure: numbers in, numbers out. Order statistics only, so that a few disturbed samples change nothing. */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>

struct stats {
    double low, median, high; /* the quartiles: half of the values lie in [low, high] */
};

/* Sorts values in place. All zero if there are none. */
struct stats stats_of(double *values, size_t count);
/* The value below which `part` (0 to 1) of the sorted values lie, interpolated between neighbours. */
double stats_quantile(const double *sorted, size_t count, double part);

#endif
