// Threads and blocks write single bytes and halves that share a word.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void bytes(unsigned char *out, short *halves, const unsigned char *in, int n)
{
    __shared__ unsigned char tile[100];
    __shared__ short wide[100];
    int i = blockIdx.x * 99 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    wide[threadIdx.x] = in[i];
    tile[threadIdx.x] += 1;
    wide[threadIdx.x] += 1;
    out[i] = tile[threadIdx.x];
    halves[i] = wide[threadIdx.x];
    __syncthreads();
    out[i] += tile[98 - threadIdx.x];
}

int main()
{
    unsigned char host[297], *in, *out;
    short *halves;
    for (int i = 0; i < 297; i++)
        host[i] = i % 100;
    cudaMalloc(&in, 297);
    cudaMalloc(&out, 297);
    cudaMalloc(&halves, 297 * 2);
    cudaMemcpy(in, host, 297, cudaMemcpyHostToDevice);
    bytes<<<3, 99>>>(out, halves, in, 297);
    cudaMemcpy(host, out, 297, cudaMemcpyDeviceToHost);
    puts(host[0] == 1 + 99 && host[98] == 99 + 1 ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
    cudaFree(halves);
}
