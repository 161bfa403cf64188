/* launch.h - what a launch asks for, whoever it comes from: <<<>>>, a call or a graph. */
#ifndef VGPU_LAUNCH_H
#define VGPU_LAUNCH_H

#include "runtime/image.h"

struct launch_request {
    struct kernel *kernel;
    dim3 grid, block;
    size_t shared;
    void **args;
    cudaStream_t stream;
    bool is_cooperative;
    bool is_by_handle; /* __cudaLaunchKernel, what <<<>>> becomes; it reports bad shapes by another code */
    uint32_t depth;    /* of a kernel that a kernel launched: how many are above it; else 0 */
};

/* Blocks of a grid, threads of a block. */
static inline uint64_t launch_count(dim3 d)
{
    return (uint64_t)d.x * d.y * d.z;
}

/* launch_check.c: cudaSuccess and what would be resident on an SM; or the error, with a message. */
cudaError_t launch_check(const struct launch_request *request, struct occupancy *occupancy);
/* launch.c: checks it, then executes or records it. */
cudaError_t launch_kernel(const struct launch_request *request);

#endif
