// A pointer was moved far beyond its array, next to a string of the compiler's: that is not the array that was meant.
// expect: error: out of bounds write in global memory
// never: $str
#include <cassert>
#include <cuda_runtime.h>

__global__ void set(int *out, int value)
{
    assert(value > 0);
    *out = value; // BUG
}

int main()
{
    int *out;
    cudaMalloc(&out, 4096);
#ifdef FIXED
    set<<<1, 1>>>(out + 1023, 1);
#else
    set<<<1, 1>>>(out + (1 << 20), 1);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
