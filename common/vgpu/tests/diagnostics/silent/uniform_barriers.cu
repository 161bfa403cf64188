// Barriers in branches and loops whose conditions are the same for the whole block; a barrier that votes.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void uniform(int *out, int mode, int n)
{
    __shared__ int box[64];
    __shared__ bool go_on;
    int t = threadIdx.x, rounds = 0;
    box[t] = t;
    if (mode == 1) {
        __syncthreads();
        int x = box[63 - t];
        __syncthreads();
        box[t] = x;
    } else {
        __syncthreads();
    }
    do {
        __syncthreads();
        if (t == 0)
            go_on = rounds + 1 < n;
        __syncthreads();
        rounds++;
        if (rounds == 2)
            continue;
        __syncthreads();
        box[t] += 1;
    } while (go_on);
    int count = __syncthreads_count(box[t] % 2);
    out[t] = box[t] + count;
}

int main()
{
    int *out, result[64];
    cudaMalloc(&out, sizeof result);
    uniform<<<1, 64>>>(out, 1, 5);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == 63 + 4 + 32 ? "ok" : "wrong");
    cudaFree(out);
}
