/* allocation.c - allocations with the host lines that made and freed them, so that messages can name them.
 * Everything in the runtime that has device memory gets it and gives it back here. */
#include <stdio.h>
#include <sys/resource.h>

#include "base/number.h"
#include "core/garbage.h"
#include "memory/late.h"
#include "report/report.h"
#include "runtime/allocation.h"
#include "runtime/runtime.h"

/* No more than this is filled of one allocation: most of a large one is never touched, and takes no memory then. */
#define MAX_GARBAGE ((uint64_t)64 << 20)

/* seed: a number, not an address. */
static void spoil_late(void *seed, int serial, uint64_t offset, uint64_t bytes, void *out)
{
    uint8_t *begin = (uint8_t *)((uintptr_t)out - offset); // NOLINT(performance-no-int-to-ptr)
    garbage_fill(begin, offset, offset + bytes, (uintptr_t)seed, (uint64_t)serial);
}

/* A sample's few blocks come to little of it. */
static bool is_late(const struct allocation *allocation)
{
    const struct config *config = runtime_config();
    const uint64_t least = 1 << 16;
    return config->sample_seed && config->execution == VGPU_EXECUTE_SAMPLE &&
           allocation->kind == ALLOC_DEVICE && allocation->size >= least;
}

static void spoil(struct allocation *allocation)
{
    const uint64_t seed = runtime_config()->garbage;
    if (is_late(allocation) &&
        late_begin(allocation, spoil_late, (void *)(uintptr_t)seed, (int)allocation->serial))
        return;
    if (seed && (allocation->kind == ALLOC_DEVICE || allocation->kind == ALLOC_ARRAY))
        garbage_fill(allocation->host, 0, smaller_of(allocation->size, MAX_GARBAGE), seed,
                     allocation->serial);
}

/* Why the host does not give more. */
static void name_limit(char *out, size_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(out, size, "but this program may use %llu of the host's memory in all",
                 (unsigned long long)limit.rlim_cur);
    else
        snprintf(out, size, "but the host has no room for them");
}

/* A GPU that is full is the program's business; a host that is full is not. */
static void explain(uint64_t size)
{
    const struct gpu *gpu = runtime_config()->gpu;
    const uint64_t used = memory_used(runtime_memory());
    char limit[100];
    if (used > gpu->memory_bytes || size > gpu->memory_bytes - used)
        return;
    name_limit(limit, sizeof limit);
    runtime_complain(cudaErrorMemoryAllocation, VGPU_LIMIT_MEMORY,
                     "%llu bytes beside %llu that are in use: %s has %llu, %s", (unsigned long long)size,
                     (unsigned long long)used, gpu->name, (unsigned long long)gpu->memory_bytes, limit);
}

struct allocation *allocation_new(uint64_t size, enum alloc_kind kind)
{
    struct allocation *allocation = memory_alloc(runtime_memory(), size, kind);
    if (!allocation) {
        explain(size);
        return NULL;
    }
    report_frames(allocation->frames, ALLOC_FRAMES);
    spoil(allocation);
    return allocation;
}

void allocation_free(struct allocation *allocation)
{
    report_frames(allocation->free_frames, ALLOC_FRAMES);
    memory_release(runtime_memory(), allocation);
}
