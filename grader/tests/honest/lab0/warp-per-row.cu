// stage: row_sums
// points: 6
// A warp per row and shuffles: no barrier at all.
#include "lab0.h"

__global__ void sums(float *out, const float *in, int width, int height)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int x = threadIdx.x; row < height && x < width; x += 32)
        sum += in[(size_t)row * width + x];
    for (int s = 16; s > 0; s /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, s);
    if (threadIdx.x == 0 && row < height)
        out[row] = sum;
}

void run_row_sums(float *out, const float *in, int width, int height)
{
    sums<<<(height + 7) / 8, dim3(32, 8)>>>(out, in, width, height);
}
