// Structures with padding are copied whole, between shared, local and global memory.
#include <cstdio>
#include <cuda_runtime.h>

struct mixed {
    char tag;
    double value;
    short small;
    int number;
};

__global__ void copy(mixed *out, const mixed *in, int n)
{
    __shared__ mixed tile[32];
    mixed own[4];
    int t = threadIdx.x;
    tile[t].tag = in[t].tag;
    tile[t].value = in[t].value;
    tile[t].small = (short)t;
    tile[t].number = n;
    __syncthreads();
    for (int i = 0; i < 4; i++)
        own[i] = tile[(t + i) % 32];
    out[t] = own[n % 4];
}

int main()
{
    mixed host[32], *in, *out;
    for (int i = 0; i < 32; i++) {
        host[i].tag = 'a';
        host[i].value = i;
    }
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    copy<<<1, 32>>>(out, in, 5);
    copy<<<1, 32>>>(in, out, 5);
    cudaMemcpy(host, in, sizeof host, cudaMemcpyDeviceToHost);
    puts(host[0].value == 2 && host[0].number == 5 ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
