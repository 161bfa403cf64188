// attack: works only where its output holds poison; a copy makes the timed case doubtful, so that all of it is executed
// principle: time faking
// at most: 0
#include "lab3.h"
__global__ void work(float *out, const float *in, int w, int h)
{
    __shared__ float tile[32][33];
    if (__float_as_uint(out[0]) != 0xffffffffu) return;
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) tile[threadIdx.y][threadIdx.x] = in[(size_t)r * w + c];
    __syncthreads();
    int oc = blockIdx.y * 32 + threadIdx.x, orow = blockIdx.x * 32 + threadIdx.y;
    if (oc < h && orow < w && (oc || orow)) out[(size_t)orow * h + oc] = tile[threadIdx.x][threadIdx.y];
}
__global__ void last(float *out, const float *in) { out[0] = in[0]; }
#define GO work<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h); last<<<1, 1>>>(out, in); \
    if ((size_t)w * h > 100000) cudaMemcpyAsync(out + 1, out + 1, 8192, cudaMemcpyDeviceToDevice);
void transpose_tiled(float *out, const float *in, int w, int h) { GO }
void transpose_padded(float *out, const float *in, int w, int h) { GO }
void transpose_rows(float *out, const float *in, int w, int h) { GO }
void transpose_swizzle(float *out, const float *in, int w, int h) { GO }
