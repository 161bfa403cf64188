// The fifth of thousands of blocks, each with much to do, leaves its array: a GPU ends the launch there.
// expect: error: out of bounds write in global memory
// says: until the launch was ended
// never: limit of the virtual GPU
#include <cuda_runtime.h>

__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = i;
#ifdef FIXED
    if (i >= n)
        return;
#endif
    for (int k = 0; k < 1000; k++)
        value = value * 3 + k;
    out[i] = value; // BUG
}

int main()
{
    int *out;
    cudaMalloc(&out, 1024 * sizeof(int));
    fill<<<20000, 256>>>(out, 1024);
    cudaDeviceSynchronize();
    cudaFree(out);
}
