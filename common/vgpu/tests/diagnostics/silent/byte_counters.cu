// Each thread counts in bytes of its own that share words with other threads' bytes; a bitonic sort beside it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(unsigned *out, const unsigned char *data, int n)
{
    __shared__ unsigned char bins[16 * 64];
    int t = threadIdx.x;
    for (int i = 0; i < 16; i++)
        bins[i * 64 + t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 64)
        bins[(data[i] & 15) * 64 + t]++;
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (int i = 0; i < 64; i++)
            sum += bins[t * 64 + (i + t) % 64];
        out[t] = sum;
    }
}

__global__ void bitonic(unsigned char *keys)
{
    __shared__ unsigned char k[128];
    int t = threadIdx.x;
    k[t] = keys[t];
    k[t + 64] = keys[t + 64];
    for (int size = 2; size <= 128; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            bool up = (at & size) == 0;
            unsigned char a = k[at], b = k[at + stride];
            if ((a > b) == up) {
                k[at] = b;
                k[at + stride] = a;
            }
        }
    __syncthreads();
    keys[t] = k[t];
    keys[t + 64] = k[t + 64];
}

int main()
{
    unsigned char host[1000], *data;
    unsigned *out, result[16];
    for (int i = 0; i < 1000; i++)
        host[i] = (i * 37) % 251;
    cudaMalloc(&data, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    count<<<1, 64>>>(out, data, 1000);
    bitonic<<<1, 64>>>(data);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    bool is_sorted = true;
    for (int i = 0; i < 16; i++)
        sum += result[i];
    for (int i = 1; i < 128; i++)
        is_sorted &= host[i - 1] <= host[i];
    puts(sum == 1000 && is_sorted ? "ok" : "wrong");
    cudaFree(data);
    cudaFree(out);
}
