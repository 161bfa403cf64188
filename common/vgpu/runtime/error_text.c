/* error_text.c - errors in words: cudaGetErrorName, cudaGetErrorString.
 * The table is errors.def; codes outside it get CUDA's own answer for them.
 * Which error is the last one is kept by state.c. */
#include "runtime/runtime.h"

static const struct error_row {
    cudaError_t code;
    const char *name, *text;
} rows[] = {
#define ERROR(name, text) {name, #name, text},
#include "runtime/errors.def"
#undef ERROR
};

static const struct error_row *find_row(cudaError_t code)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code)
            return &rows[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const struct error_row *row = find_row(error);
    return row ? row->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const struct error_row *row = find_row(error);
    return row ? row->text : "unrecognized error code";
}
