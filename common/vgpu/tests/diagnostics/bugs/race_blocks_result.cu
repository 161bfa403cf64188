// Block 0 sums what the other blocks write in the same launch.
// expect: race: global memory: one block reads what another block writes
#include <cstdio>
#include <cuda_runtime.h>

__global__ void partial(int *parts)
{
    if (threadIdx.x == 0)
        parts[blockIdx.x] = blockIdx.x + 1; // BUG
}

__global__ void both(int *out, int *parts)
{
    if (threadIdx.x == 0)
        parts[blockIdx.x] = blockIdx.x + 1; // BUG
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < (int)gridDim.x; i++)
            sum += parts[i]; // BUG
        *out = sum;
    }
}

__global__ void total(int *out, const int *parts, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += parts[i];
    *out = sum;
}

int main()
{
    int *out, *parts;
    cudaMalloc(&out, sizeof(int));
    cudaMalloc(&parts, 16 * sizeof(int));
    cudaMemset(parts, 0, 16 * sizeof(int));
#ifdef FIXED
    partial<<<16, 32>>>(parts);
    total<<<1, 1>>>(out, parts, 16);
#else
    both<<<16, 32>>>(out, parts);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(parts);
}
