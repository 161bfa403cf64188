/* launch.h - what a launch asks for, whoever it comes from: <<<>>>, a call or a graph. */
#ifndef VGPU_LAUNCH_H
#define VGPU_LAUNCH_H

#include "runtime/image.h"

struct launch_request {
    const struct kernel *kernel;
    dim3 grid, block;
    size_t shared;
    void **args;
    cudaStream_t stream;
    bool is_cooperative;
    bool is_by_handle; /* __cudaLaunchKernel, what <<<>>> becomes; it reports bad shapes by another code */
};

/* Checks it, then executes or records it: launch.c. */
cudaError_t launch_kernel(const struct launch_request *request);

#endif
