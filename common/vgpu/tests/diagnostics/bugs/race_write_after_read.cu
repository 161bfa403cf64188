// A tile is overwritten in the next round while slow warps still read it.
// expect: race: shared memory: write after read
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rounds(int *out, const int *in, int n)
{
    __shared__ int tile[128];
    int t = threadIdx.x, sum = 0;
    for (int base = 0; base < n; base += 128) {
        tile[t] = in[base + t]; // BUG
        __syncthreads();
        for (int k = 0; k < 128; k++)
            sum += tile[k] * (k + t);
#ifdef FIXED
        __syncthreads();
#endif
    }
    out[t] = sum;
}

int main()
{
    const int n = 512;
    int host[n], *in, *out;
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 128 * sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    rounds<<<1, 128>>>(out, in, n);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
