/* undo.h - what kernels have stored in global memory, taken back: blocks that are executed only to find out what blocks cost leave no
 * trace. Before each store, the bytes that lie there are saved, once. From several threads at once. */
#ifndef VGPU_UNDO_H
#define VGPU_UNDO_H

#include "memory/memory.h"

/* NULL: no memory. */
struct undo *undo_new(void);
/* Before a store; without memory, or in memory of malloc() in kernels, the store stays. */
void undo_save(struct undo *undo, struct allocation *allocation, uint64_t address, uint64_t bytes);
/* All is as it was when undo was new, or was taken back last: also which words launches have stored (memory/used.h). */
void undo_take_back(struct undo *undo);
void undo_free(struct undo *undo);

#endif
