// A block sum over 64-bit numbers without a barrier: the message must name the element, not the word.
// expect: race: race in shared memory
// says: overwrites part[64], which thread (0,0,0) read
#include <cuda_runtime.h>

__global__ void block_sum(long long *out)
{
    __shared__ long long part[128];
    part[threadIdx.x] = threadIdx.x; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x == 0)
        out[0] = part[0] + part[64]; // BUG
}

int main()
{
    long long *out;
    cudaMalloc(&out, sizeof *out);
    block_sum<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
