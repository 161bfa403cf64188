// A lane may return from a branch; those who do not are together again behind it, also for shuffles in a function.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ int sum_of_warp(int value)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return __shfl_sync(0xffffffff, value, 0);
}

__global__ void sums(int *out, int limit)
{
    int total = 0;
    for (int i = 0; i < 5; i++) {
        if (threadIdx.x == i) {
            out[32 + i] = i;
            if (total > limit)
                return;
        }
        total += sum_of_warp(1);
    }
    out[threadIdx.x] = total;
}

int main()
{
    int host, *out;
    cudaMalloc(&out, 64 * sizeof(int));
    sums<<<1, 32>>>(out, 1000);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    puts(host == 160 ? "ok" : "wrong");
    cudaFree(out);
}
