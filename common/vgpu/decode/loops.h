/* loops.h - finds the loops of a module's functions: loops.c. */
#ifndef VGPU_DECODE_LOOPS_H
#define VGPU_DECODE_LOOPS_H

#include "core/loops.h"
#include "core/machine.h"

/* Of all functions that are decoded and have none yet: function->loops. Without memory, and where the code is too entangled,
 * a function has none. */
void loops_find(struct module *module);

#endif
