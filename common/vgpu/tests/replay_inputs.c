/* replay_inputs.c - runs a fuzz target on files, without libFuzzer: what once was found stays tested everywhere.
 * replay_inputs FILE...: one line per file when it has been survived. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    enum { LIMIT = 256 << 20 };
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *bytes = file_read(argv[i], LIMIT, true, &size);
        if (!bytes) {
            perror(argv[i]);
            return 2;
        }
        LLVMFuzzerTestOneInput(bytes, size);
        printf("survived %s\n", argv[i]);
        free(bytes);
    }
    return 0;
}
