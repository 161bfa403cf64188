// The input was never allocated, and the first element that is used lies far from its beginning.
// expect: error: read through a null pointer
// says: `in` is null
// never: host pointer
#include <cuda_runtime.h>

__global__ void copy(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x * 40000 + 30000]; // BUG
}

int main()
{
    int *out, *in = nullptr;
    cudaMalloc(&out, 32 * sizeof(int));
#ifdef FIXED
    cudaMalloc(&in, 32 * 40000 * sizeof(int));
    cudaMemset(in, 0, 32 * 40000 * sizeof(int));
#endif
    copy<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
