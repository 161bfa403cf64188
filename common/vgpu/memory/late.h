/* late.h - allocations whose bytes are made where somebody first comes to them, some at a time: inputs of a gigabyte, of which a
 * sample of the blocks reads little. Whoever reads or writes an allocation's bytes brings them first. From several threads at once. */
#ifndef VGPU_LATE_H
#define VGPU_LATE_H

#include "memory/memory.h"
#include "vgpu.h"

/* From now on the allocation's bytes are those that fill() makes; nobody may have used it. False: no memory. */
bool late_begin(struct allocation *allocation, vgpu_fill_fn *fill, void *context, int which);
/* True if there is such an allocation. */
bool late_is_used(const struct memory *memory);

/* Makes what of these bytes is not there. True: something was not. */
bool late_make(struct allocation *allocation, uint64_t address, uint64_t bytes);
static inline bool late_bring(struct allocation *allocation, uint64_t address, uint64_t bytes)
{
    return allocation->late && late_make(allocation, address, bytes);
}

#endif
