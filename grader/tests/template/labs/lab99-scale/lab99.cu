/* lab99.cu - scale an array: the file you edit. out[i] = 3 * in[i] for all i < n.
 *     make lab99 && build/lab99 unit && ./grade lab99 */
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

/* TODO 1: one element per thread.
 *   in:   as many threads as there are elements, or a few more
 *   out:  out[i] = 3 * in[i]
 *   goal: sectors per global load = 4 */
__global__ void unit_kernel(float *out, const float *in, int n)
{
}

void scale_unit(float *out, const float *in, int n)
{
    /* TODO 1: launch unit_kernel. */
}
