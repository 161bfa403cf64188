// No thread tests its index: thousands run past the end, and the first of them by one element.
// expect: error: out of bounds read in global memory
// says: more threads run than there are elements
// never: off by one
#include <cuda_runtime.h>

__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i >= n)
        return;
#endif
    data[i] *= 2; // BUG
}

int main()
{
    float *data;
    cudaMalloc(&data, 1024 * sizeof *data);
    cudaMemset(data, 0, 1024 * sizeof *data);
    scale<<<16, 256>>>(data, 1024);
    cudaDeviceSynchronize();
    cudaFree(data);
}
