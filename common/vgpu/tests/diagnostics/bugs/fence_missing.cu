// The last block adds up what all blocks have left, but nothing makes their sums visible before their tickets are.
// expect: race: one block reads what another wrote without a fence
// says: a __threadfence() is missing
// no hint: what the last block reads comes after its ticket, and a glance ends there
#include <cuda_runtime.h>

__device__ unsigned tickets;

__global__ void sum(float *out, float *parts, const float *in)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = in[blockIdx.x] + 1;
#ifdef FIXED
        __threadfence();
#endif
        is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        atomicAdd(out, parts[threadIdx.x]); // BUG
}

int main()
{
    float *out, *parts, *in;
    cudaMalloc(&out, sizeof(float));
    cudaMalloc(&parts, 16 * sizeof(float));
    cudaMalloc(&in, 16 * sizeof(float));
    cudaMemset(out, 0, sizeof(float));
    cudaMemset(in, 0, 16 * sizeof(float));
    sum<<<16, 64>>>(out, parts, in);
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(parts);
    cudaFree(in);
}
