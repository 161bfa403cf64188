// Whether another thread ends it cannot be known: it was stopped, and nobody calls it endless.
// expect: error: limit of the virtual GPU: too many instructions in one warp
// says: nothing shows that it comes to an end
// never: endless
#include <cstdio>
#include <cuda_runtime.h>

__global__ void draw(int *next, int *out, int end)
{
    int i = 0;
    while (i != end) { // BUG
        i = atomicAdd(next, 2); // BUG
        out[threadIdx.x] = i; // BUG
    }
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
#ifdef FIXED
    draw<<<1, 1>>>(out + 32, out, 1000);
#else
    draw<<<1, 1>>>(out + 32, out, 1001);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
