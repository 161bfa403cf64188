/* pool.c - stream-ordered allocation: cudaMallocAsync, cudaFreeAsync and memory pools.
 * Streams execute at once, so memory is there when the call returns and gone when it is freed; pools only count.
 * Sharing pools between processes is refused. */
#include <stdlib.h>
#include <string.h>

#include "runtime/clock.h"
#include "runtime/graph.h"
#include "runtime/pool.h"
#include "runtime/watch.h"

struct CUmemPoolHandle_st {
    uint64_t used, used_high, reserved_high, threshold;
    int reuse[3]; /* follow event dependencies, opportunistic, internal dependencies */
    struct CUmemPoolHandle_st *next;
};

struct pooled {
    const void *pointer;
    uint64_t size;
    cudaMemPool_t pool;
    struct pooled *next;
};

static struct CUmemPoolHandle_st default_pool = {.reuse = {1, 1, 1}};
static cudaMemPool_t current_pool = &default_pool, pools;
static struct pooled *pooled;

static bool is_pool(cudaMemPool_t pool)
{
    cudaMemPool_t other = pools;
    while (other && other != pool)
        other = other->next;
    return pool && (pool == &default_pool || other);
}

/* ------------------------------------------------------------------------------------------- allocation */

static bool remember(cudaMemPool_t pool, const void *pointer, uint64_t size)
{
    struct pooled *note = malloc(sizeof *note);
    if (!note)
        return false;
    runtime_lock();
    *note = (struct pooled){pointer, size, pool, pooled};
    pooled = note;
    pool->used += size;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    if (pool->used > pool->reserved_high)
        pool->reserved_high = pool->used;
    runtime_unlock();
    return true;
}

bool pool_forget(const void *pointer)
{
    runtime_lock();
    struct pooled **link = &pooled;
    while (*link && (*link)->pointer != pointer)
        link = &(*link)->next;
    struct pooled *note = *link;
    if (note) {
        *link = note->next;
        note->pool->used -= note->size;
    }
    runtime_unlock();
    free(note);
    return note != NULL;
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !is_pool(pool))
        return runtime_error(cudaErrorInvalidValue);
    if (!runtime_is_stream(stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (graph_is_capturing(stream))
        return graph_capture_alloc(stream, out, size);
    *out = NULL;
    if (!size)
        return cudaSuccess;
    struct allocation *allocation = runtime_alloc(size, ALLOC_DEVICE);
    if (!allocation)
        return runtime_error(cudaErrorMemoryAllocation);
    *out = (void *)(uintptr_t)allocation->base;
    remember(pool, *out, size);
    watch_alloc("cudaMallocAsync", *out, size, stream);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(out, size, current_pool, stream);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!runtime_is_stream(stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (graph_is_capturing(stream))
        return graph_capture_free(stream, pointer);
    return runtime_has_fault() ? cudaSuccess : cudaFree(pointer);
}

/* ------------------------------------------------------------------------------------------- pools */

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *properties)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    bool is_good = out && properties && properties->allocType == cudaMemAllocationTypePinned &&
                   properties->location.type == cudaMemLocationTypeDevice && properties->location.id == 0;
    if (!is_good)
        return runtime_error(cudaErrorInvalidValue);
    if (properties->handleTypes != cudaMemHandleTypeNone)
        return runtime_unsupported("cudaMemPoolCreate", "pools that other processes share");
    cudaMemPool_t pool = calloc(1, sizeof *pool);
    if (!pool)
        return runtime_error(cudaErrorMemoryAllocation);
    runtime_lock();
    *pool = (struct CUmemPoolHandle_st){.reuse = {1, 1, 1}, .next = pools};
    pools = pool;
    runtime_unlock();
    *out = pool;
    return cudaSuccess;
}

/* Allocations outlive their pool: they are counted by the default pool from now on. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!is_pool(pool) || pool == &default_pool)
        return runtime_error(cudaErrorInvalidValue);
    runtime_lock();
    for (struct pooled *note = pooled; note; note = note->next)
        if (note->pool == pool) {
            note->pool = &default_pool;
            default_pool.used += note->size;
        }
    if (current_pool == pool)
        current_pool = &default_pool;
    cudaMemPool_t *link = &pools;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    runtime_unlock();
    free(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)keep; /* pools keep nothing back that they could give */
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    return is_pool(pool) ? cudaSuccess : runtime_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!is_pool(pool) || !value)
        return runtime_error(cudaErrorInvalidValue);
    if (attribute >= cudaMemPoolReuseFollowEventDependencies &&
        attribute <= cudaMemPoolReuseAllowInternalDependencies) {
        pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *(int *)value;
        return cudaSuccess;
    }
    uint64_t number = *(uint64_t *)value;
    bool is_mark = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    if (attribute != cudaMemPoolAttrReleaseThreshold && !(is_mark && number == 0))
        return runtime_error(cudaErrorInvalidValue);
    if (attribute == cudaMemPoolAttrReleaseThreshold)
        pool->threshold = number;
    else if (attribute == cudaMemPoolAttrUsedMemHigh)
        pool->used_high = pool->used;
    else
        pool->reserved_high = pool->used;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!is_pool(pool) || !value || attribute < cudaMemPoolReuseFollowEventDependencies ||
        attribute > cudaMemPoolAttrUsedMemHigh)
        return runtime_error(cudaErrorInvalidValue);
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies) {
        *(int *)value = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
        return cudaSuccess;
    }
    const uint64_t values[] = {
        [cudaMemPoolAttrReleaseThreshold] = pool->threshold,
        [cudaMemPoolAttrReservedMemCurrent] = pool->used,
        [cudaMemPoolAttrReservedMemHigh] = pool->reserved_high,
        [cudaMemPoolAttrUsedMemCurrent] = pool->used,
        [cudaMemPoolAttrUsedMemHigh] = pool->used_high,
    };
    *(uint64_t *)value = values[attribute];
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!is_pool(pool) || (count && !list))
        return runtime_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0 ||
            list[i].flags != cudaMemAccessFlagsProtReadWrite)
            return runtime_error(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!flags || !location || !is_pool(pool))
        return runtime_error(cudaErrorInvalidValue);
    bool is_own = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = is_own ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- the device's pools */

static cudaError_t give_pool(cudaMemPool_t *out, int device, cudaMemPool_t pool)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out)
        return runtime_error(cudaErrorInvalidValue);
    if (device != 0)
        return runtime_error(cudaErrorInvalidDevice);
    *out = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    return give_pool(out, device, &default_pool);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    return give_pool(out, device, current_pool);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (device != 0)
        return runtime_error(cudaErrorInvalidDevice);
    if (!is_pool(pool))
        return runtime_error(cudaErrorInvalidValue);
    current_pool = pool;
    return cudaSuccess;
}
