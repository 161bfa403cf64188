/* fatbin.h - what nvcc embeds in a program: a container of PTX texts and cubins. */
#ifndef VGPU_FATBIN_H
#define VGPU_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/sass.h"

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2 };

struct fatbin_entry {
    enum fatbin_kind kind;
    uint32_t arch; /* 75, 90 */
    bool is_compressed;
    bool is_lz4;         /* compressed in the way that fatbin_text() can undo */
    const uint8_t *data; /* inside the container */
    size_t size;
    size_t plain_size; /* of a compressed entry: what it says its size will be */
};

struct fatbin {
    struct fatbin_entry *entries;
    size_t count;
};

/* Reads the container at data. size 0: trust the header's own size (an image in our own memory).
 * False on error, with a sentence in message. Call fatbin_free() either way. */
bool fatbin_read(struct fatbin *out, const void *data, size_t size, char *message, size_t message_size);
void fatbin_free(struct fatbin *fatbin);

/* The PTX that suits a device best: the highest arch not above cc; else the lowest there is. NULL: none. */
const struct fatbin_entry *fatbin_best_ptx(const struct fatbin *fatbin, uint32_t cc);
const struct fatbin_entry *fatbin_best_cubin(const struct fatbin *fatbin, uint32_t cc);

/* The entry's bytes (PTX text, or a cubin) without compression. *text points into the container or at *owned, which
 * the caller frees (NULL is fine). False: a sentence in message says why and what to do. */
bool fatbin_text(const struct fatbin_entry *entry, const char **text, size_t *size, void **owned,
                 char *message, size_t message_size);

/* What ptxas decided for one kernel. */
struct cubin_kernel {
    char name[512];
    uint32_t registers;
    uint32_t shared_bytes; /* static */
    uint32_t local_bytes;  /* stack frame per thread, if the cubin tells */
    uint32_t max_threads;  /* of __launch_bounds__, 0: none */
};

/* Looks a kernel up in a cubin (an ELF file). False: no such kernel, or no ELF we understand. */
bool cubin_find(const void *cubin, size_t size, const char *kernel, struct cubin_kernel *out);

/* Counts in the kernel's machine code: see sass_count(). False, and zeros: none, or not understood. */
bool cubin_code(const void *cubin, size_t size, const char *kernel, uint32_t array_bytes,
                struct sass_level levels[SASS_LEVELS]);

#endif
