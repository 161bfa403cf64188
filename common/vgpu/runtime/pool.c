/* pool.c - memory pools: what was allocated from them (memory_async.c) and is not yet freed.
 * Memory is there when a call asks for it and gone when it is freed: pools only count.
 * Sharing pools between processes is refused. */
#include "runtime/pool.h"

#include <stdlib.h>

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

bool pool_is_known(cudaMemPool_t pool)
{
    cudaMemPool_t other = pools;
    while (other && other != pool)
        other = other->next;
    return pool && (pool == &default_pool || other);
}

cudaMemPool_t pool_current(void)
{
    return current_pool;
}

/* ------------------------------------------------------------------------------------------- counting */

void pool_note(cudaMemPool_t pool, const void *pointer, uint64_t size)
{
    struct pooled *note = malloc(sizeof *note);
    if (!note)
        return;
    runtime_lock();
    *note = (struct pooled){pointer, size, pool, pooled};
    pooled = note;
    pool->used += size;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    if (pool->used > pool->reserved_high)
        pool->reserved_high = pool->used;
    runtime_unlock();
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
    if (!pool_is_known(pool) || pool == &default_pool)
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
    return pool_is_known(pool) ? cudaSuccess : runtime_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!pool_is_known(pool) || !value)
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
    if (!pool_is_known(pool) || !value || attribute < cudaMemPoolReuseFollowEventDependencies ||
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
    if (!pool_is_known(pool) || (count && !list))
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
    if (!flags || !location || !pool_is_known(pool))
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
    if (!pool_is_known(pool))
        return runtime_error(cudaErrorInvalidValue);
    current_pool = pool;
    return cudaSuccess;
}
