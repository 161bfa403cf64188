/* replay_inputs.c - runs a fuzz target on files, without libFuzzer: what once was found stays tested everywhere.
 * replay_inputs FILE...: one line per file when it has been survived. Small ones are run again, and leave no memory behind. */
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first time may leave something for good; later ones leave the records of memory that was freed. The caller has told
 * malloc() to keep nothing aside for itself. */
static bool leaks(const uint8_t *bytes, size_t size)
{
    enum { SMALL = 1 << 16, RECORDS = 2048 };
    size_t used[2] = {0, 0};
    for (int i = 0; size < SMALL && i < 2; i++) {
        LLVMFuzzerTestOneInput(bytes, size);
        used[i] = mallinfo2().uordblks;
    }
    return used[1] > used[0] + RECORDS;
}

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
        if (leaks(bytes, size)) {
            fprintf(stderr, "%s leaves memory behind\n", argv[i]);
            return 1;
        }
        printf("survived %s\n", argv[i]);
        free(bytes);
    }
    return 0;
}
