// Block 0 hands data to block 1 through a flag in global memory, with fences.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void hand_over(int *data, volatile int *flag, int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t * 5;
        __threadfence();
        __syncthreads();
        if (t == 0)
            *flag = 1;
    } else {
        if (t == 0) {
            while (*flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[t] = data[63 - t];
    }
}

int main()
{
    int *data, *flag, *out, result[64];
    cudaMalloc(&data, sizeof result);
    cudaMalloc(&flag, sizeof(int));
    cudaMalloc(&out, sizeof result);
    cudaMemset(flag, 0, sizeof(int));
    hand_over<<<2, 64>>>(data, flag, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == 315 && result[63] == 0 ? "ok" : "wrong");
    cudaFree(data);
    cudaFree(flag);
    cudaFree(out);
}
