/* lab99.cu - scale an array, solved. out[i] = 3 * in[i] for all i < n. */
#include "lab99.h"

#include "lab/check.h"

enum { BLOCK = 256, STRETCH = 32 };

/* ---- stage 1, given: each thread its own stretch ---- */

__global__ void strided_kernel(float *out, const float *in, int n)
{
    int first = (blockIdx.x * BLOCK + threadIdx.x) * STRETCH;
    for (int i = first; i < first + STRETCH && i < n; i++)
        out[i] = 3.0f * in[i];
}

void scale_strided(float *out, const float *in, int n)
{
    strided_kernel<<<(n + BLOCK * STRETCH - 1) / (BLOCK * STRETCH), BLOCK>>>(out, in, n);
    CHECK_LAUNCH();
}

/* ---- stage 2: neighbouring threads, neighbouring elements ---- */

/* A warp reads 32 neighbours: 4 sectors, all of each used. */
__global__ void unit_kernel(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = 3.0f * in[i];
}

void scale_unit(float *out, const float *in, int n)
{
    unit_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(out, in, n);
    CHECK_LAUNCH();
}
