// A kernel that another one launches is checked as any other.
// options: -rdc=true
// expect: error: out of bounds write in global memory: `out`
// says: kernel `child(int*, int)`
#include <cuda_runtime.h>

__global__ void child(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i < n)
#endif
        out[i] = 1; // BUG
}

__global__ void parent(int *out, int n)
{
    if (threadIdx.x == 0)
        child<<<2, 32>>>(out, n);
}

int main()
{
    int *out;
    cudaMalloc(&out, 40 * sizeof(int));
    parent<<<1, 32>>>(out, 40);
    cudaDeviceSynchronize();
    cudaFree(out);
}
