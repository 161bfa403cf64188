/* untimed.c - see untimed.h. The linker leads the calls of a program here (--wrap): only programs for a GPU have it. */
#include "lab/untimed.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <time.h>

static double spent_us;

double untimed_us(void)
{
    return spent_us;
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* A call that gives memory back waits for the device by itself: that time is the work's. */
#define UNTIMED(name, parameters, arguments, is_waiting)                                                     \
    cudaError_t __real_##name parameters;                                                                    \
    cudaError_t __wrap_##name parameters;                                                                    \
    cudaError_t __wrap_##name parameters                                                                     \
    {                                                                                                        \
        if (is_waiting)                                                                                      \
            cudaDeviceSynchronize();                                                                         \
        const double begin = now_us();                                                                       \
        const cudaError_t error = __real_##name arguments;                                                   \
        spent_us += now_us() - begin;                                                                        \
        return error;                                                                                        \
    }

/* lab.mk reads these names. */
UNTIMED(cudaMalloc, (void **out, size_t bytes), (out, bytes), false)
UNTIMED(cudaFree, (void *memory), (memory), true)
UNTIMED(cudaHostRegister, (void *memory, size_t bytes, unsigned flags), (memory, bytes, flags), false)
UNTIMED(cudaHostUnregister, (void *memory), (memory), true)
UNTIMED(cudaMallocHost, (void **out, size_t bytes), (out, bytes), false)
UNTIMED(cudaHostAlloc, (void **out, size_t bytes, unsigned flags), (out, bytes, flags), false)
UNTIMED(cudaFreeHost, (void *memory), (memory), true)
UNTIMED(cudaStreamCreate, (cudaStream_t * out), (out), false)
UNTIMED(cudaStreamCreateWithFlags, (cudaStream_t * out, unsigned flags), (out, flags), false)
UNTIMED(cudaStreamDestroy, (cudaStream_t stream), (stream), false)
UNTIMED(cudaEventCreate, (cudaEvent_t * out), (out), false)
UNTIMED(cudaEventCreateWithFlags, (cudaEvent_t * out, unsigned flags), (out, flags), false)
UNTIMED(cudaEventDestroy, (cudaEvent_t event), (event), false)
