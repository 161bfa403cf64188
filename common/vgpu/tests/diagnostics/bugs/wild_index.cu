// An index that a kernel computes wrongly is so large that the address lies far from all memory of the device.
// expect: error: out of bounds read in global memory
// says: `in` has 1 element of 4 bytes
// never: host pointer
#include <cstdio>
#include <cuda_runtime.h>

__global__ void pick(int *out, const int *in, long long index)
{
#ifdef FIXED
    index = 0;
#endif
    out[0] = in[index]; // BUG
}

int main()
{
    int *out, *in;
    cudaMalloc(&out, 4);
    cudaMalloc(&in, 4);
    cudaMemset(in, 0, 4);
    pick<<<1, 1>>>(out, in, 0x100000000000); // 2^44 elements: far beyond the device's range
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
