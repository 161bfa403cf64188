// attack: 25 different refused calls fill the table of messages, so that races find no room in it: clean points
// principle: concept faking
// at most: 50
#include "lab3.h"
__global__ void tiled(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][33];
    __shared__ int racy;
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    racy = threadIdx.y; /* a race */
    if (column < width && row < height) tile[threadIdx.y][threadIdx.x] = in[(size_t)row * width + column];
    __syncthreads();
    int oc = blockIdx.y * 32 + threadIdx.x, orow = blockIdx.x * 32 + threadIdx.y;
    if (oc < height && orow < width) out[(size_t)orow * height + oc] = tile[threadIdx.x][threadIdx.y] + (racy > 5000);
}
#define R cudaMemset((void *)1, 0, 4); 
#define N cudaMemcpy(&x, in, 4, cudaMemcpyDeviceToHost);
static void go(float *out, const float *in, int w, int h)
{
    float x;
#ifndef HONEST
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
    N
#endif
    tiled<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
void transpose_naive(float *out, const float *in, int w, int h) { go(out, in, w, h); }
void transpose_tiled(float *out, const float *in, int w, int h) { go(out, in, w, h); }
void transpose_padded(float *out, const float *in, int w, int h) { go(out, in, w, h); }
