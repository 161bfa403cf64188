// Two warps meet at a counted barrier of their own while the others go on.
#include <cstdio>
#include <cuda_runtime.h>

__device__ void meet(int number, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory"); }

__global__ void pairs(int *out)
{
    __shared__ int box[128];
    int t = threadIdx.x, group = t / 64;
    box[t] = t;
    meet(1 + group, 64);
    out[t] = box[group * 64 + 63 - t % 64];
}

int main()
{
    int *out, result[128];
    cudaMalloc(&out, sizeof result);
    pairs<<<1, 128>>>(out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == 63 && result[64] == 127 ? "ok" : "wrong");
    cudaFree(out);
}
