/* effort.c - see effort.h. */
#include "grader/judge/effort.h"

#include <math.h>
#include <stdbool.h>

/* By enum vgpu_amount: what one costs, roughly, in instructions of one thread; and what it is called. */
static const struct {
    double cost;
    const char *lack;
} kinds[VGPU_AMOUNTS] = {
    [VGPU_BYTES_LOADED] = {1, "its kernels load less from global memory than at smaller sizes"},
    [VGPU_BYTES_STORED] = {1, "its kernels store less to global memory than at smaller sizes"},
    [VGPU_SHARED_READ] = {0.5, "its kernels read less from shared memory than at smaller sizes"},
    [VGPU_SHARED_WRITTEN] = {0.5, "its kernels write less to shared memory than at smaller sizes"},
    [VGPU_LOCAL_MOVED] = {0.5, "its kernels use less local memory than at smaller sizes"},
    [VGPU_GLOBAL_ATOMICS] = {100, "its kernels do fewer atomics than at smaller sizes"},
    [VGPU_SHARED_ATOMICS] = {10, "its kernels do fewer atomics in shared memory than at smaller sizes"},
    [VGPU_BARRIERS] = {4, "its kernels have fewer barriers than at smaller sizes"},
    [VGPU_EXCHANGES] = {2, "its kernels have fewer shuffles than at smaller sizes"},
    [VGPU_DOUBLES] = {4, "its kernels compute less in double precision than at smaller sizes"},
};

void effort_add(struct effort *effort, const struct vgpu_launch *launch, double instructions)
{
    const double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    for (int i = 0; i < VGPU_AMOUNTS; i++)
        effort->amounts[i] += launch->amounts[i];
    effort->instructions += instructions;
    effort->measures[MEASURE_THREADS] += blocks * launch->block[0] * launch->block[1] * launch->block[2];
    effort->measures[MEASURE_BLOCKS] += blocks;
    effort->measures[MEASURE_LAUNCHES] += 1;
}

void effort_join(struct effort *into, const struct effort *from)
{
    for (int i = 0; i < VGPU_AMOUNTS; i++)
        into->amounts[i] += from->amounts[i];
    into->instructions += from->instructions;
    for (int i = 0; i < MEASURES; i++)
        into->measures[i] += from->measures[i];
}

/* ------------------------------------------------------------------------------------------- what is expected */

static double cost_of_all(const struct effort *effort)
{
    double cost = effort->instructions;
    for (int i = 0; i < VGPU_AMOUNTS; i++)
        cost += kinds[i].cost * effort->amounts[i];
    return cost;
}

/* What is so small a part gains nobody anything: a last block that adds up what the others left, say, which no sample has. */
static bool is_part(const struct effort *effort, int amount)
{
    const double least = 0.05;
    return kinds[amount].cost * effort->amounts[amount] > least * cost_of_all(effort);
}

static bool is_near(double a, double b)
{
    const double near = 1.15;
    return a < near * b && b < near * a;
}

/* As much for each unit as in the middle case. */
static double in_proportion(const struct effort *timed, const struct effort *middle, int amount, int measure)
{
    return middle->amounts[amount] / middle->measures[measure] * timed->measures[measure];
}

/* The least that any single measure speaks for, of those that both verified cases agree on; INFINITY: none. */
static double by_one(const struct effort *timed, const struct effort *middle, const struct effort *small,
                     int amount)
{
    double least = INFINITY;
    for (int m = 0; m < MEASURES; m++)
        if (small->measures[m] > 0 && is_near(small->amounts[amount] / small->measures[m],
                                              middle->amounts[amount] / middle->measures[m]))
            least = fmin(least, in_proportion(timed, middle, amount, m));
    return least;
}

/* So much for each unit of work, and so much for each of another measure; INFINITY: no such sum fits. */
static double by_two(const struct effort *timed, const struct effort *middle, const struct effort *small,
                     int amount)
{
    double least = INFINITY;
    const double *s = small->measures, *m = middle->measures, *t = timed->measures;
    for (int k = MEASURE_WORK + 1; k < MEASURES; k++) {
        const double det = s[MEASURE_WORK] * m[k] - m[MEASURE_WORK] * s[k];
        const double a = (small->amounts[amount] * m[k] - middle->amounts[amount] * s[k]) / det;
        const double b =
            (middle->amounts[amount] * s[MEASURE_WORK] - small->amounts[amount] * m[MEASURE_WORK]) / det;
        if (a >= 0 && b >= 0 && isfinite(a) && isfinite(b))
            least = fmin(least, a * t[MEASURE_WORK] + b * t[k]);
    }
    return least;
}

/* Where nothing fits, half of the least that any measure speaks for. */
static double by_any(const struct effort *timed, const struct effort *middle, int amount)
{
    double least = INFINITY;
    for (int m = 0; m < MEASURES; m++)
        least = fmin(least, 0.5 * in_proportion(timed, middle, amount, m));
    return least;
}

static double expected(const struct effort *timed, const struct effort *middle, const struct effort *small,
                       int amount)
{
    const bool has_small = small->measures[MEASURE_WORK] > 0;
    double most = has_small ? by_one(timed, middle, small, amount) : INFINITY;
    if (has_small && !isfinite(most))
        most = by_two(timed, middle, small, amount);
    return isfinite(most) ? most : by_any(timed, middle, amount);
}

const char *effort_lacks(const struct effort *timed, const struct effort *middle, const struct effort *small)
{
    const double enough = 0.8;
    for (int i = 0; i < VGPU_AMOUNTS && middle->measures[MEASURE_WORK] > 0; i++)
        if (is_part(middle, i) && timed->amounts[i] < enough * expected(timed, middle, small, i))
            return kinds[i].lack;
    return NULL;
}
