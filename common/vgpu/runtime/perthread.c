/* perthread.c - the spellings that nvcc uses under --default-stream per-thread.
 * There the default stream is the thread's own, which does not wait for all others; all threads share one here.
 * Every call goes on to its plain form; the list is perthread.def. */
#include "runtime/runtime.h"

#define OWN(stream) ((stream) ? (stream) : cudaStreamPerThread)
#define PER_THREAD(name, suffix, parameters, arguments)                                                      \
    cudaError_t name##suffix parameters;                                                                     \
    cudaError_t name##suffix parameters                                                                      \
    {                                                                                                        \
        return name arguments;                                                                               \
    }
#include "runtime/perthread.def"
#undef PER_THREAD

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *host, void **args);

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream)
{
    return __cudaLaunchKernel(kernel, grid, block, args, shared, OWN(stream));
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *host, void **args)
{
    if (!config)
        return runtime_error(cudaErrorInvalidValue);
    cudaLaunchConfig_t own = *config;
    own.stream = OWN(config->stream);
    return cudaLaunchKernelExC(&own, host, args);
}
