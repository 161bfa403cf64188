/* check.h - error checking for student files: no call of CUDA goes unasked.
 * CHECK(call) wraps a runtime call, CHECK_LAUNCH() stands behind a launch. On an error both print file and
 * line, the call, and CUDA's name and words for the error, and end the program with status 1. */
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

static inline void lab_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s failed: %s: %s\n", file, line, call, cudaGetErrorName(error),
            cudaGetErrorString(error));
    exit(1);
}

#define CHECK(call) lab_check((call), #call, __FILE__, __LINE__)
/* A launch returns nothing: whether it was accepted is asked afterwards. What goes wrong while the kernel
 * runs shows at the next call that waits for it. */
#define CHECK_LAUNCH() lab_check(cudaGetLastError(), "the kernel launch", __FILE__, __LINE__)

#endif
