/* pool.h - which memory pool an allocation came from; see pool.c. */
#ifndef VGPU_POOL_H
#define VGPU_POOL_H

#include <stdbool.h>

/* The allocation at pointer is being freed: its pool's counts go down. False: it came from no pool. */
bool pool_forget(const void *pointer);

#endif
