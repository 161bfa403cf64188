// The number of threads in all, instead of that of blocks: a GPU too would work on this for a long while.
// expect: error: endless launch
// says: more instructions were executed than all launches may take together (VGPU_WORK)
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(float *out, int n) // BUG
{ // BUG
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; // BUG
    if (i < n)
        out[i] = 2.0f * i;
}

int main()
{
    const int n = 1 << 20;
    float *out;
    cudaMalloc(&out, n * sizeof(float));
#ifdef FIXED
    scale<<<n / 256, 256>>>(out, n);
#else
    scale<<<n * 256, 256>>>(out, n);
#endif
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
}
