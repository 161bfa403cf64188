/* allocation.c - allocations with the host lines that made and freed them, so that messages can name them.
 * Everything in the runtime that has device memory gets it and gives it back here. */
#include <stdio.h>
#include <sys/resource.h>

#include "base/number.h"
#include "core/garbage.h"
#include "report/report.h"
#include "runtime/allocation.h"
#include "runtime/runtime.h"

/* No more than this is filled of one allocation: most of a large one is never touched, and takes no memory then. */
#define MAX_GARBAGE ((uint64_t)64 << 20)

static void spoil(const struct allocation *allocation)
{
    const uint64_t seed = runtime_config()->garbage;
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
