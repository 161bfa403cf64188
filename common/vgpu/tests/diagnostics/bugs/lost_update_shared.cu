// All threads of a block add to one shared sum without an atomic.
// expect: race: lost update in shared memory
// says: use an atomic such as atomicAdd
#include <cuda_runtime.h>

__global__ void sum(int *out, const int *in)
{
    __shared__ int total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
#ifdef FIXED
    atomicAdd(&total, in[threadIdx.x]);
#else
    total += in[threadIdx.x]; // BUG
#endif
    __syncthreads();
    if (threadIdx.x == 0)
        *out = total;
}

int main()
{
    int host[128], *in, *out;
    for (int i = 0; i < 128; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof *out);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 128>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
