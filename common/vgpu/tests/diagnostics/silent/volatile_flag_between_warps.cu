// One warp hands data to another through a volatile flag, with fences.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void hand_over(int *out)
{
    __shared__ int data[32];
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t < 32) {
        data[t] = t * 3;
        __threadfence_block();
        __syncwarp();
        if (t == 0)
            flag = 1;
    } else {
        while (flag == 0)
            ;
        __threadfence_block();
        out[t - 32] = data[63 - t];
    }
}

int main()
{
    int *out, result[32];
    cudaMalloc(&out, sizeof result);
    hand_over<<<1, 64>>>(out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == 93 && result[31] == 0 ? "ok" : "wrong");
    cudaFree(out);
}
