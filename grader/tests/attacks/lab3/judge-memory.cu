// attack: the recording asks the judge for 12 GB of device memory and writes all of it
// principle: resources
// at most: 0
#include "lab3.h"
__global__ void k(float *o) { if (threadIdx.x > 1000) *o = 0; }
void transpose_tiled(float *out, const float *in, int w, int h)
{
    char *p;
    cudaMalloc(&p, (size_t)12 << 30);
    cudaMemset(p, 1, (size_t)12 << 30);
    k<<<1, 1>>>(out);
    cudaFree(p);
}
