/* memory_async.c - allocation in the order of a stream: cudaMallocAsync, cudaFreeAsync.
 * Streams execute at once, so memory is there when the call returns and gone when it is freed. */
#include "runtime/allocation.h"
#include "runtime/capture.h"
#include "runtime/captures.h"
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
    error = captures_use(stream, "cudaMallocAsync");
    if (error)
        return error;
    if (capture_is_active(stream)) {
        watch_other("cudaMallocAsync in a graph");
        return capture_alloc(stream, out, size);
    }
    error = captures_unsafe("cudaMallocAsync");
    if (error)
        return error;
    *out = NULL;
    if (!size)
        return cudaSuccess;
    struct allocation *allocation = allocation_new(size, ALLOC_DEVICE);
    if (!allocation)
        return runtime_error(cudaErrorMemoryAllocation);
    *out = (void *)(uintptr_t)allocation->base;
    pool_note(pool, *out, size);
    order_memory("cudaMallocAsync", stream, *out, size, false);
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
    error = captures_use(stream, "cudaFreeAsync");
    if (error)
        return error;
    if (capture_is_active(stream)) {
        watch_other("cudaFreeAsync in a graph");
        return capture_free(stream, pointer);
    }
    if (runtime_has_fault())
        return cudaSuccess;
    const struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    if (allocation && allocation->base == address_of(pointer))
        order_memory("cudaFreeAsync", stream, pointer, allocation->size, true);
    return memory_free(pointer);
}
