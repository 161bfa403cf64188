/* lab5.cu - cuBLAS's product of lab 5's matrices, C = A B, in plain floats.
 * The library is opened when it is wanted: a toolkit may lack it. */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>

#include "lab/bench/bench.h"

extern "C" const char *const library_name = "cuBLAS";

typedef int create_fn(void **handle);
typedef int sgemm_fn(void *handle, int turn_a, int turn_b, int m, int n, int k, const float *alpha, const float *a,
                     int row_a, const float *b, int row_b, const float *beta, float *c, int row_c);

static struct {
    void *handle;
    sgemm_fn *sgemm;
} blas;

static bool open_blas()
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so", "/usr/local/cuda/lib64/libcublas.so"};
    void *library = NULL;
    for (int i = 0; !library && i < LAB_COUNT(names); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    create_fn *create = library ? (create_fn *)dlsym(library, "cublasCreate_v2") : NULL;
    blas.sgemm = library ? (sgemm_fn *)dlsym(library, "cublasSgemm_v2") : NULL;
    return create && blas.sgemm && create(&blas.handle) == 0;
}

/* Its matrices are stored by columns, ours by rows: what it calls B A, of transposed matrices, is our A B. */
bool library_call(const struct lab_run *run)
{
    static bool is_open, is_tried;
    const float one = 1, zero = 0;
    const int n = (int)run->size[0];
    float *c = (float *)run->buffers[0].device;
    const float *a = (const float *)run->buffers[1].device, *b = (const float *)run->buffers[2].device;
    if (!is_tried && !(is_open = open_blas()))
        fprintf(stderr, "bench: no cuBLAS here: its share is left out\n");
    is_tried = true;
    return is_open && blas.sgemm(blas.handle, 0, 0, n, n, n, &one, b, n, a, n, &zero, c, n) == 0;
}
