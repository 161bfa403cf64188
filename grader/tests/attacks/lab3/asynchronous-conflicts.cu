// attack: asynchronous copies fill the tile down its columns, all at one bank
// principle: concept faking
// at most: 18
#include "lab3.h"
__global__ void turn(float *out, const float *in, int w, int h)
{
    __shared__ float tile[32][32];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) {
        unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x][threadIdx.y]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.wait_all;" :: "r"(to), "l"(in + (size_t)r * w + c) : "memory");
    }
    __syncthreads();
    int oc = blockIdx.y * 32 + threadIdx.x, o = blockIdx.x * 32 + threadIdx.y;
    if (oc < h && o < w) out[(size_t)o * h + oc] = tile[threadIdx.y][threadIdx.x];
}
void transpose_padded(float *out, const float *in, int w, int h)
{
    turn<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
