// More dynamic shared memory is asked for than a block may have by default.
// expect: error:
#include <cstdio>
#include <cuda_runtime.h>

__global__ void nothing() {}

int main()
{
#ifdef FIXED
    nothing<<<1, 32, 16 * 1024>>>();
#else
    nothing<<<1, 32, 64 * 1024>>>(); // BUG
#endif
    cudaDeviceSynchronize();
}
