/* generate_memory.h - the case lists of loads, stores and atomics.
 * Writes cases_memory.cu and cases_atomic.cu into a folder; false: a file could not be written.
 * Arithmetic is generate.c's. */
#ifndef VGPU_GENERATE_MEMORY_H
#define VGPU_GENERATE_MEMORY_H

#include <stdbool.h>

bool generate_memory(const char *folder);

#endif
