// Shuffles, votes and __syncwarp in partial warps, with masks that fit.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void partial(int *out, int n)
{
    __shared__ int box[64];
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, t < n);
    if (t < n) {
        int x = t + 1;
        for (int step = 1; step < 32; step *= 2) {
            int y = __shfl_up_sync(mask, x, step);
            if (t % 32 >= step)
                x += y;
        }
        box[t] = x;
        __syncwarp(mask);
        out[t] = box[t % 32 ? t - 1 : t] + __any_sync(mask, x > 5);
    }
    if (t % 32 < 16) {
        int z = __shfl_xor_sync(0x0000ffffu, t, 8);
        box[t] = z;
        __syncwarp(0x0000ffffu);
        if (t >= n)
            out[t] = box[t ^ 1];
    }
}

int main()
{
    int *out, result[64];
    cudaMalloc(&out, sizeof result);
    cudaMemset(out, 0, sizeof result);
    partial<<<1, 64>>>(out, 40);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[2] == 4 && result[40] == 33 ? "ok" : "wrong");
    cudaFree(out);
}
