/* pool.h - memory pools, and which of them an allocation came from: pool.c. */
#ifndef VGPU_POOL_H
#define VGPU_POOL_H

#include "runtime/runtime.h"

bool pool_is_known(cudaMemPool_t pool);
cudaMemPool_t pool_current(void); /* of the device */
/* An allocation came from this pool. Without memory for a note it is not counted. */
void pool_note(cudaMemPool_t pool, const void *pointer, uint64_t size);
/* The allocation at pointer is being freed: its pool's counts go down. False: it came from no pool. */
bool pool_forget(const void *pointer);

#endif
