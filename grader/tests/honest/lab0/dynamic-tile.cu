// stage: neighbours
// points: 6
// The tile's size is said at the launch.
#include "lab0.h"

__global__ void neighbours(float *out, const float *in, int count)
{
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < blockDim.x + 2; k += blockDim.x) {
        int from = (int)(blockIdx.x * blockDim.x) + k - 1;
        tile[k] = from >= 0 && from < count ? in[from] : 0;
    }
    __syncthreads();
    if (i < count)
        out[i] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

void run_neighbours(float *out, const float *in, int count)
{
    neighbours<<<(count + 99) / 100, 100, 102 * sizeof(float)>>>(out, in, count);
}
