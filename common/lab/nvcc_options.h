/* nvcc_options.h - what a submission's line "// nvcc: ..." asks of the compiler.
 * Only options of a fixed list are taken: nvcc_options.def. */
#ifndef LAB_NVCC_OPTIONS_H
#define LAB_NVCC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { NVCC_OPTIONS = 8, NVCC_REFUSED = 80 };

struct nvcc_options {
    const char *words[NVCC_OPTIONS + 1]; /* of the fixed list, then NULL */
    unsigned line;                       /* where it stands, from 1; 0: nowhere */
    char refused[NVCC_REFUSED];          /* the first word that is not taken; "": all were */
};

/* Reads the first line of the text that begins with "// nvcc:". */
void nvcc_options_read(const char *text, size_t size, struct nvcc_options *out);

#endif
