// An integer division gives a grid of no blocks.
// expect: error:
#include <cstdio>
#include <cuda_runtime.h>

__global__ void nothing() {}

int main()
{
#ifdef FIXED
    nothing<<<1, 256>>>();
#else
    nothing<<<100 / 256, 256>>>(); // BUG
#endif
    cudaDeviceSynchronize();
}
