// Each thread adds its left neighbour in place: the neighbour may have been changed already. No update is lost.
// expect: race: race in shared memory: write after read
// never: lost update
#include <cuda_runtime.h>

__global__ void smooth(int *out, const int *in)
{
    __shared__ int value[256];
    int t = threadIdx.x;
    value[t] = in[t];
    __syncthreads();
    int left = t > 0 ? value[t - 1] : 0;
#ifdef FIXED
    __syncthreads();
#endif
    value[t] += left; // BUG
    __syncthreads();
    out[t] = value[t];
}

int main()
{
    int host[256], *in, *out;
    for (int i = 0; i < 256; i++)
        host[i] = i * i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    smooth<<<1, 256>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
