// attack: a kernel touches every page of 12 GB
// principle: resources
// at most: 0
// long: 5 s of CPU time
#include "lab3.h"
__global__ void k(char *p) { p[(blockIdx.x * 256ull + threadIdx.x) * 4096] = 1; }
void transpose_tiled(float *out, const float *in, int w, int h)
{
    char *p;
    cudaMalloc(&p, (size_t)12 << 30);
    k<<<(12 << 10), 256>>>(p);
    cudaFree(p);
}
