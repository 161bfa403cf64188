/* allocation.h - allocations that know the host lines which made and freed them: allocation.c. */
#ifndef VGPU_ALLOCATION_H
#define VGPU_ALLOCATION_H

#include <driver_types.h>

#include "memory/memory.h"

struct allocation *allocation_new(uint64_t size, enum alloc_kind kind); /* NULL: no room */
void allocation_free(struct allocation *allocation);

/* memory.c: cudaFree, but for the order that it makes. */
cudaError_t memory_free(void *pointer);

#endif
