/* coverage.h - which instructions of which kernels were executed, and how many: is what is timed what was verified?
 * Pure: no CUDA, no output. */
#ifndef JUDGE_COVERAGE_H
#define JUDGE_COVERAGE_H

#include "grader/judge/effort.h"

struct covered {
    char *kernel;      /* mangled */
    uint8_t *executed; /* as in struct vgpu_launch, the most of all launches */
    size_t count;
};

struct coverage {
    struct covered *kernels;
    size_t nkernels;
    struct effort effort;
    double largest; /* instructions of the largest launch */
};

/* instructions: of all threads of the launch. */
void coverage_add(struct coverage *coverage, const struct vgpu_launch *launch, double instructions);
void coverage_join(struct coverage *into, const struct coverage *from);
/* True if the kernels of `timed` executed nothing that nobody executed in `verified`. */
bool coverage_is_within(const struct coverage *timed, const struct coverage *verified);
void coverage_free(struct coverage *coverage);

#endif
