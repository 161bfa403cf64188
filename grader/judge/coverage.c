/* coverage.c - see coverage.h. A kernel is known by its name; out of memory it is as if it had executed nothing. */
#include "grader/judge/coverage.h"

#include <stdlib.h>
#include <string.h>

static struct covered *find(const struct coverage *coverage, const char *kernel)
{
    for (size_t i = 0; i < coverage->nkernels; i++)
        if (!strcmp(coverage->kernels[i].kernel, kernel))
            return &coverage->kernels[i];
    return NULL;
}

static struct covered *append(struct coverage *coverage, const char *kernel, size_t count)
{
    struct covered *more = realloc(coverage->kernels, (coverage->nkernels + 1) * sizeof *more);
    if (!more)
        return NULL;
    coverage->kernels = more;
    struct covered *one = &more[coverage->nkernels];
    *one = (struct covered){strdup(kernel), calloc(count + 1, 1), count};
    if (one->kernel && one->executed)
        coverage->nkernels++;
    return one->kernel && one->executed ? one : NULL;
}

static void merge(struct coverage *into, const char *kernel, const uint8_t *executed, size_t count)
{
    struct covered *one = find(into, kernel);
    if (!one)
        one = append(into, kernel, count);
    for (size_t i = 0; one && i < count && i < one->count; i++)
        one->executed[i] = one->executed[i] > executed[i] ? one->executed[i] : executed[i];
}

static void keep_largest(struct coverage *into, double largest)
{
    into->largest = largest > into->largest ? largest : into->largest;
}

void coverage_add(struct coverage *coverage, const struct vgpu_launch *launch, double instructions)
{
    merge(coverage, launch->kernel, launch->executed, launch->ninstructions);
    effort_add(&coverage->effort, launch, instructions);
    keep_largest(coverage, instructions);
}

void coverage_join(struct coverage *into, const struct coverage *from)
{
    for (size_t i = 0; i < from->nkernels; i++)
        merge(into, from->kernels[i].kernel, from->kernels[i].executed, from->kernels[i].count);
    effort_join(&into->effort, &from->effort);
    keep_largest(into, from->largest);
}

static bool is_within(const struct covered *timed, const struct covered *verified)
{
    for (size_t i = 0; i < timed->count && i < verified->count; i++)
        if (timed->executed[i] && !verified->executed[i])
            return false;
    return timed->count == verified->count;
}

bool coverage_is_within(const struct coverage *timed, const struct coverage *verified)
{
    for (size_t i = 0; i < timed->nkernels; i++) {
        const struct covered *known = find(verified, timed->kernels[i].kernel);
        if (!known || !is_within(&timed->kernels[i], known))
            return false;
    }
    return true;
}

void coverage_free(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->nkernels; i++) {
        free(coverage->kernels[i].kernel);
        free(coverage->kernels[i].executed);
    }
    free(coverage->kernels);
    *coverage = (struct coverage){.kernels = NULL};
}
