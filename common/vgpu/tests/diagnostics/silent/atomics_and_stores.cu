// Plain stores and loads beside atomics that are in order: after barriers, by the last to arrive, by one's own thread.
#include <cstdio>
#include <cuda_runtime.h>

/* Cleared, counted, read and cleared again, a barrier between. */
__global__ void rounds(int *out)
{
    __shared__ int bins[64];
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x < 64)
            bins[threadIdx.x] = 0;
        __syncthreads();
        atomicAdd(&bins[(threadIdx.x * 7 + round) % 64], 1);
        __syncthreads();
        if (threadIdx.x < 64)
            out[threadIdx.x] += bins[threadIdx.x];
        __syncthreads();
    }
}

/* The last thread of a block to arrive, told by the old value, resets the counter. */
__global__ void last_thread(int *out)
{
    __shared__ unsigned arrived;
    if (threadIdx.x == 0)
        arrived = 0;
    __syncthreads();
    if (atomicAdd(&arrived, 1u) == blockDim.x - 1) {
        arrived = 0;
        out[blockIdx.x] = 1;
    }
}

/* The last block to arrive resets the counter for the next launch. */
__device__ unsigned tickets;
__global__ void last_block(int *out)
{
    if (threadIdx.x == 0 && atomicAdd(&tickets, 1u) == gridDim.x - 1) {
        tickets = 0;
        *out = 1;
    }
}

/* Each thread has a word of its own. */
__global__ void own_words(int *out)
{
    __shared__ int words[256];
    words[threadIdx.x] = 0;
    atomicAdd(&words[threadIdx.x], 5);
    out[threadIdx.x] = words[threadIdx.x];
}

int main()
{
    int *out;
    cudaMalloc(&out, 256 * sizeof(int));
    cudaMemset(out, 0, 256 * sizeof(int));
    rounds<<<1, 256>>>(out);
    last_thread<<<8, 256>>>(out);
    last_block<<<8, 64>>>(out);
    last_block<<<8, 64>>>(out);
    own_words<<<1, 256>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    puts("ok");
}
