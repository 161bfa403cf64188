/* graph_memory.c - memory that graphs allocate and free by nodes of their own.
 * It stays as long as a graph or an executable of it names it, or until it is freed, whichever is later.
 * Addresses are fixed when the node is made; executing the node only changes what counts as used. */
#include <stdlib.h>

#include "memory/memory.h"
#include "runtime/allocation.h"
#include "runtime/graph_memory.h"
#include "runtime/runtime.h"

struct graph_memory {
    void *pointer;
    uint64_t bytes;
    int owners;   /* nodes of graphs and their clones */
    bool is_used; /* an allocating node has run, and nothing has freed it since */
    struct graph_memory *next;
};

static struct graph_memory *list;
static uint64_t used, used_high, reserved, reserved_high;

static struct graph_memory **find_link(const void *pointer)
{
    struct graph_memory **link = &list;
    while (*link && (*link)->pointer != pointer)
        link = &(*link)->next;
    return link;
}

static void raise_to(uint64_t *high, uint64_t value)
{
    if (value > *high)
        *high = value;
}

/* Nobody names it and nobody uses it: it goes. */
static void release_if_done(struct graph_memory **link)
{
    struct graph_memory *memory = *link;
    if (memory->owners > 0 || memory->is_used)
        return;
    const uint64_t address = address_of(memory->pointer);
    struct allocation *allocation = memory_find(runtime_memory(), address);
    if (allocation && allocation->base == address)
        allocation_free(allocation);
    reserved -= memory->bytes;
    *link = memory->next;
    free(memory);
}

void *graph_memory_new(uint64_t bytes)
{
    struct graph_memory *memory = calloc(1, sizeof *memory);
    struct allocation *allocation = memory ? allocation_new(bytes ? bytes : 1, ALLOC_DEVICE) : NULL;
    if (!allocation) {
        free(memory);
        return NULL;
    }
    runtime_lock();
    *memory = (struct graph_memory){(void *)(uintptr_t)allocation->base, bytes, 1, false, list};
    list = memory;
    reserved += bytes;
    raise_to(&reserved_high, reserved);
    runtime_unlock();
    return memory->pointer;
}

void graph_memory_keep(const void *pointer)
{
    runtime_lock();
    struct graph_memory *memory = *find_link(pointer);
    if (memory)
        memory->owners++;
    runtime_unlock();
}

void graph_memory_drop(const void *pointer)
{
    runtime_lock();
    struct graph_memory **link = find_link(pointer);
    if (*link) {
        (*link)->owners--;
        release_if_done(link);
    }
    runtime_unlock();
}

void graph_memory_use(const void *pointer)
{
    runtime_lock();
    struct graph_memory *memory = *find_link(pointer);
    if (memory && !memory->is_used) {
        memory->is_used = true;
        used += memory->bytes;
        raise_to(&used_high, used);
    }
    runtime_unlock();
}

bool graph_memory_free(const void *pointer)
{
    runtime_lock();
    struct graph_memory **link = find_link(pointer);
    const bool is_ours = *link != NULL;
    if (is_ours) {
        used -= (*link)->is_used ? (*link)->bytes : 0;
        (*link)->is_used = false;
        release_if_done(link);
    }
    runtime_unlock();
    return is_ours;
}

/* ------------------------------------------------------------------------------------------- calls */

static cudaError_t begin(int device, const void *value)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!value)
        return runtime_error(cudaErrorInvalidValue);
    return device == 0 ? cudaSuccess : runtime_error(cudaErrorInvalidDevice);
}

static uint64_t *attribute_of(enum cudaGraphMemAttributeType attribute)
{
    switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
        return &used;
    case cudaGraphMemAttrUsedMemHigh:
        return &used_high;
    case cudaGraphMemAttrReservedMemCurrent:
        return &reserved;
    case cudaGraphMemAttrReservedMemHigh:
        return &reserved_high;
    default:
        return NULL;
    }
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    cudaError_t error = begin(device, value);
    const uint64_t *kept = attribute_of(attribute);
    if (!error && !kept)
        error = runtime_error(cudaErrorInvalidValue);
    if (!error)
        *(uint64_t *)value = *kept;
    return error;
}

/* Only the high marks can be set, and only back to 0: then they follow what there is now. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    cudaError_t error = begin(device, value);
    if (error)
        return error;
    const bool is_used_high = attribute == cudaGraphMemAttrUsedMemHigh;
    if ((!is_used_high && attribute != cudaGraphMemAttrReservedMemHigh) || *(const uint64_t *)value != 0)
        return runtime_error(cudaErrorInvalidValue);
    *attribute_of(attribute) = is_used_high ? used : reserved;
    return cudaSuccess;
}

/* Memory is given back as soon as nobody needs it, so there is never any to trim. */
cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return begin(device, &device);
}
