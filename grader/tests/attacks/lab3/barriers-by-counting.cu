// attack: one element per thread; its barrier is a counter in shared memory that all warps watch
// principle: concept faking
// at most: 10
// long: warps spin
#include "lab3.h"
__global__ void turn(float *out, const float *in, int w, int h)
{
    __shared__ float tile[32][33];
    __shared__ int came;
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (threadIdx.x == 0 && threadIdx.y == 0) came = 0;
    __syncthreads();
    if (c < w && r < h) tile[threadIdx.y][threadIdx.x] = in[(size_t)r * w + c];
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x == 0) atomicAdd(&came, 1);
    while (atomicAdd(&came, 0) < 32) ;
    __threadfence_block();
    int oc = blockIdx.y * 32 + threadIdx.x, o = blockIdx.x * 32 + threadIdx.y;
    if (oc < h && o < w) out[(size_t)o * h + oc] = tile[threadIdx.x][threadIdx.y];
}
void transpose_rows(float *out, const float *in, int w, int h)
{
    turn<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
