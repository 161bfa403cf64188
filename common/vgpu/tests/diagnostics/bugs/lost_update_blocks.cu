// The first thread of each block takes a number by adding to a counter without an atomic.
// expect: race: lost update in global memory
// says: use an atomic such as atomicAdd
// never: __threadfence
#include <cuda_runtime.h>

__device__ unsigned tickets;

__global__ void take(unsigned *mine)
{
    if (threadIdx.x == 0) {
#ifdef FIXED
        mine[blockIdx.x] = atomicAdd(&tickets, 1u);
#else
        tickets++; // BUG
        mine[blockIdx.x] = blockIdx.x;
#endif
    }
}

int main()
{
    unsigned *mine;
    cudaMalloc(&mine, 64 * sizeof *mine);
    take<<<64, 32>>>(mine);
    cudaDeviceSynchronize();
    cudaFree(mine);
}
