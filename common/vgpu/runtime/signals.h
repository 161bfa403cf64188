/* signals.h - names device pointers that host code follows. */
#ifndef VGPU_SIGNALS_H
#define VGPU_SIGNALS_H

#include "memory/memory.h"

/* From now on. *memory: where device addresses are looked up when something has happened. */
void signals_install(struct memory *const *memory);

#endif
