/* allocation.c - allocations with the host lines that made and freed them, so that messages can name them.
 * Everything in the runtime that has device memory gets it and gives it back here. */
#include "report/report.h"
#include "runtime/allocation.h"
#include "runtime/runtime.h"

struct allocation *allocation_new(uint64_t size, enum alloc_kind kind)
{
    struct allocation *allocation = memory_alloc(runtime_memory(), size, kind);
    if (allocation)
        report_frames(allocation->frames, ALLOC_FRAMES);
    return allocation;
}

void allocation_free(struct allocation *allocation)
{
    report_frames(allocation->free_frames, ALLOC_FRAMES);
    memory_release(runtime_memory(), allocation);
}
