/* fatbin.h - what nvcc embeds in a program: a container of PTX texts (ptx.h) and cubins (cubin.h). */
#ifndef VGPU_FATBIN_H
#define VGPU_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2 };

struct fatbin_entry {
    enum fatbin_kind kind;
    uint32_t arch;       /* 75, 90 */
    bool is_specific;    /* sm_90a: for that one only, with what later ones need not have */
    bool is_compressed;  /* of no use here: nothing undoes it */
    const uint8_t *data; /* inside the container */
    size_t size;
};

struct fatbin {
    struct fatbin_entry *entries;
    size_t count, capacity;
};

/* Reads the container at data. size 0: trust the header's own size (an image in our own memory).
 * False on error, with a sentence in message. Call fatbin_free() either way. */
bool fatbin_read(struct fatbin *out, const void *data, size_t size, char *message, size_t message_size);
void fatbin_free(struct fatbin *fatbin);

/* The PTX that suits a device best: the one for it alone, which a GPU would take too; else the highest arch not above cc; else
 * the lowest there is. NULL: none. */
const struct fatbin_entry *fatbin_best_ptx(const struct fatbin *fatbin, uint32_t cc);
const struct fatbin_entry *fatbin_best_cubin(const struct fatbin *fatbin, uint32_t cc);

#endif
