/* cubin.h - machine code for one GPU, as ptxas makes it: what it decided for a kernel. */
#ifndef VGPU_CUBIN_H
#define VGPU_CUBIN_H

#include "ptx/sass.h"

struct cubin_kernel {
    uint32_t registers;
    uint32_t local_bytes; /* stack frame per thread, if the cubin tells */
    uint32_t max_threads; /* of __launch_bounds__, 0: none */
};

/* Looks a kernel up in a cubin (an ELF file). False: no such kernel, or no ELF we understand. */
bool cubin_find(const void *cubin, size_t size, const char *kernel, struct cubin_kernel *out);

/* Counts in the kernel's machine code: see sass_count(). False, and zeros: none, or not understood. */
bool cubin_code(const void *cubin, size_t size, const char *kernel, uint32_t array_bytes,
                struct sass_level levels[SASS_LEVELS]);

#endif
