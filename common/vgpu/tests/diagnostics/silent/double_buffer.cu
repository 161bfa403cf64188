// Two halves of a tile are filled and read in turns, with one barrier per round.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rounds(int *out, const int *in, int n)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    tile[0][t] = in[t];
    __syncthreads();
    for (int r = 0; r < n; r++) {
        if (r + 1 < n)
            tile[(r + 1) % 2][t] = in[(r + 1) * 64 + t];
        sum += tile[r % 2][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

int main()
{
    int host[512], *in, *out, result[64];
    for (int i = 0; i < 512; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    rounds<<<1, 64>>>(out, in, 8);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[63] == 1792 ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
