/* random_base.cu - what all generators stand on: a launch on the generator's stream, and its memory, on the device or the host. */
#include "random.h"

#include <cstdlib>
#include <cstring>

curandStatus_t random_launch(curandGenerator_t generator, const void *kernel, size_t threads, unsigned block,
                             void **arguments)
{
    const dim3 grid((unsigned)((threads + block - 1) / block));
    const cudaError_t error = cudaLaunchKernel(kernel, grid, dim3(block), arguments, 0, generator->stream);
    return error ? CURAND_STATUS_LAUNCH_FAILURE : CURAND_STATUS_SUCCESS;
}

curandStatus_t random_allocate(curandGenerator_t generator, size_t size, const void *from)
{
    if (generator->is_host)
        generator->states = malloc(size);
    else if (cudaMalloc(&generator->states, size))
        generator->states = NULL;
    if (!generator->states)
        return CURAND_STATUS_ALLOCATION_FAILED;
    if (from && generator->is_host)
        memcpy(generator->states, from, size);
    else if (from &&
             cudaMemcpyAsync(generator->states, from, size, cudaMemcpyHostToDevice, generator->stream))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    return CURAND_STATUS_SUCCESS;
}
