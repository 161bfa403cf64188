// The last block adds up what all blocks have left behind a fence that is for their own threads only.
// expect: race: one block reads what another wrote without a fence
// says: a __threadfence() is missing
// no hint: what the last block reads comes after its ticket, and a glance ends there
#include <cuda_runtime.h>

__device__ unsigned tickets;

__global__ void sum(double *out, double *parts)
{
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x;
#ifdef FIXED
        __threadfence();
#else
        __threadfence_block();
#endif
        ticket = atomicAdd(&tickets, 1u);
    }
    __syncthreads();
    if (ticket != gridDim.x - 1 || threadIdx.x != 0)
        return;
    for (unsigned i = 0; i < gridDim.x; i++)
        *out += parts[i]; // BUG
}

int main()
{
    double *out, *parts;
    cudaMalloc(&out, sizeof *out);
    cudaMalloc(&parts, 16 * sizeof *parts);
    cudaMemset(out, 0, sizeof *out);
    sum<<<16, 64>>>(out, parts);
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(parts);
}
