/* stats.c - quartiles by sorting and interpolation.
 * Values are finite numbers; nothing is allocated and nothing is printed. */
#include "base/stats.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stats_quantile(const double *sorted, size_t count, double part)
{
    if (count == 0)
        return 0;
    const double position = part * (double)(count - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

struct stats stats_of(double *values, size_t count)
{
    if (count)
        qsort(values, count, sizeof *values, compare);
    return (struct stats){.low = stats_quantile(values, count, 0.25),
                          .median = stats_quantile(values, count, 0.5),
                          .high = stats_quantile(values, count, 0.75)};
}
