/* fuzz_fatbin.c - libFuzzer target: any bytes are read as a fatbin, and its parts as cubins.
 * The bytes stand in a heap block of exactly their size, so that the sanitizer sees a read past the end. */
#include <stdlib.h>
#include <string.h>

#include "ptx/cubin.h"
#include "ptx/fatbin.h"

static void read_parts(const struct fatbin *fatbin)
{
    struct cubin_kernel kernel;
    for (size_t i = 0; i < fatbin->count; i++)
        cubin_find(fatbin->entries[i].data, fatbin->entries[i].size, "k", &kernel);
    fatbin_best_ptx(fatbin, 90);
    fatbin_best_cubin(fatbin, 90);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char message[200] = "";
    struct fatbin fatbin;
    struct cubin_kernel kernel;
    struct sass_level levels[SASS_LEVELS];
    if (!size)
        return 0;
    uint8_t *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    bool is_read = fatbin_read(&fatbin, copy, size, message, sizeof message);
    if (!is_read && !message[0])
        __builtin_trap();
    read_parts(&fatbin);
    fatbin_free(&fatbin);
    cubin_find(copy, size, "k", &kernel);
    cubin_code(copy, size, "k", 0, levels);
    sass_count(copy, size, 0, levels);
    free(copy);
    return 0;
}
