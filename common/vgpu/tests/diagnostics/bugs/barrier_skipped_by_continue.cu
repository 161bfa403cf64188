// Threads without work go to the next round and miss the barrier of this one.
// expect: error: barrier
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rounds(int *out, const int *work, int n)
{
    __shared__ int box[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
#ifdef FIXED
        box[t] = work[i * 64 + t] ? i : 0;
#else
        if (work[i * 64 + t] == 0)
            continue;
        box[t] = i;
#endif
        __syncthreads(); // BUG
        sum += box[t];
    }
    out[t] = sum;
}

int main()
{
    int host[4 * 64], *out, *work;
    for (int i = 0; i < 4 * 64; i++)
        host[i] = i % 64 < 32 || i / 64 != 1;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMalloc(&work, sizeof host);
    cudaMemcpy(work, host, sizeof host, cudaMemcpyHostToDevice);
    rounds<<<1, 64>>>(out, work, 4);
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(work);
}
