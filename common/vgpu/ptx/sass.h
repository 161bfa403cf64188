/* sass.h - what a kernel's machine code tells that its PTX cannot: how often ptxas spilled registers, and where. */
#ifndef VGPU_SASS_H
#define VGPU_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SASS_LEVELS = 4 };

/* Counts of the code at one depth of loops: 0 in no loop; the last level takes what lies deeper, too. */
struct sass_level {
    uint32_t instructions;              /* without padding */
    uint32_t spill_loads, spill_stores; /* of the stack frame, beyond the arrays that the PTX declares */
};

/* Counts the instructions of a kernel of sm_70 or newer. array_bytes: what the PTX keeps in local memory itself.
 * False, and zeros, if the code is not understood or memory ran out. */
bool sass_count(const void *code, size_t size, uint32_t array_bytes, struct sass_level levels[SASS_LEVELS]);

#endif
