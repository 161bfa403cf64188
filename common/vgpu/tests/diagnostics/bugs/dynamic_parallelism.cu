// A kernel calls what the device runtime has on a GPU and not here; the program looks only at its last call.
// options: -rdc=true
// expect: error: it calls cudaMemcpy2DAsync itself (dynamic parallelism)
// says: kernel `parent(int*)`
// never: compressed
#include <cuda_runtime.h>

__global__ void parent(int *out)
{
#ifdef FIXED
    for (int row = 0; row < 4; row++)
        cudaMemcpyAsync(out + 32 + row * 8, out + row * 8, 16, cudaMemcpyDeviceToDevice);
#else
    cudaMemcpy2DAsync(out + 32, 32, out, 32, 16, 4, cudaMemcpyDeviceToDevice); // BUG
#endif
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    parent<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
