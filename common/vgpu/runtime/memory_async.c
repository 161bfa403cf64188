/* memory_async.c - allocation in the order of a stream: cudaMallocAsync, cudaFreeAsync.
 * Streams execute at once, so memory is there when the call returns and gone when it is freed. */
#include "runtime/allocation.h"
#include "runtime/capture.h"
#include "runtime/pool.h"
#include "runtime/watch.h"

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !pool_is_known(pool))
        return runtime_error(cudaErrorInvalidValue);
    if (!stream_is_known(stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (capture_is_active(stream))
        return capture_alloc(stream, out, size);
    *out = NULL;
    if (!size)
        return cudaSuccess;
    struct allocation *allocation = allocation_new(size, ALLOC_DEVICE);
    if (!allocation)
        return runtime_error(cudaErrorMemoryAllocation);
    *out = (void *)(uintptr_t)allocation->base;
    pool_note(pool, *out, size);
    watch_alloc("cudaMallocAsync", *out, size, stream);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(out, size, pool_current(), stream);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!stream_is_known(stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (capture_is_active(stream))
        return capture_free(stream, pointer);
    return runtime_has_fault() ? cudaSuccess : cudaFree(pointer);
}
