/* inspect.h - looks at the object that the compiler made of a submission, before anything of it is linked or run.
 * Works on bytes in memory and trusts none of them. Refuses what could replace a part of the kit, the C library or the
 * CUDA runtime, and what would run before the kit does; each refusal names the symbol and says what to do. */
#ifndef INSPECT_H
#define INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inspection {
    char problem[600];     /* whole sentences, for the student; "": none */
    const uint8_t *fatbin; /* the device code, inside the object's bytes */
    size_t fatbin_bytes;
    uint64_t defined; /* bit i: entries[i] is defined */
};

/* True: nothing to object to. entries: the lab's entry points, at most 64. */
bool inspect_object(const uint8_t *bytes, size_t size, const char *const *entries, int nentries,
                    struct inspection *out);

#endif
