// attack: right everywhere, but only the first blocks of the grid use the tile; the others go the slow way
// principle: concept faking
// at most: 10
// long: 6 s of CPU time
#include "lab3.h"
__global__ void some(float *out, const float *in, int w, int h)
{
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    bool is_seen = blockIdx.x + blockIdx.y * gridDim.x < 4096;
    for (int k = 0; k < 32; k += 8)
        if (c < w && r + k < h) {
            float v = in[(size_t)(r + k) * w + c];
            if (is_seen) tile[threadIdx.y + k][threadIdx.x] = v;
            else out[(size_t)c * h + r + k] = v;
        }
    __syncthreads();
    int oc = blockIdx.y * 32 + threadIdx.x, o = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; is_seen && k < 32; k += 8)
        if (oc < h && o + k < w) out[(size_t)(o + k) * h + oc] = tile[threadIdx.x][threadIdx.y + k];
}
void transpose_rows(float *out, const float *in, int w, int h) { some<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8)>>>(out, in, w, h); }
