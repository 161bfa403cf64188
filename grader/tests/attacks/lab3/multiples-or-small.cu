// attack: right for small matrices and for multiples of 32, without any edge for the rest
// principle: sizes
// at most: 0
#include "lab3.h"
__global__ void rows(float *out, const float *in, int w, int h)
{
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (c < w && r + k < h) tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(r + k) * w + c];
    __syncthreads();
    int oc = blockIdx.y * 32 + threadIdx.x, o = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (oc < h && o + k < w) out[(size_t)(o + k) * h + oc] = tile[threadIdx.x][threadIdx.y + k];
}
#define ROWS rows<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8)>>>(out, in, w, h);
void transpose_padded(float *out, const float *in, int w, int h)
{
    if (w <= 300 || h <= 300) ROWS else rows<<<dim3(w / 32, h / 32), dim3(32, 8)>>>(out, in, w, h);
}
