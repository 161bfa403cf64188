// A block of 2048 threads is asked for.
// expect: error:
#include <cstdio>
#include <cuda_runtime.h>

__global__ void nothing() {}

int main()
{
#ifdef FIXED
    nothing<<<2, 1024>>>();
#else
    nothing<<<1, 2048>>>(); // BUG
#endif
    cudaDeviceSynchronize();
}
