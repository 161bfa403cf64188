// A tile of 256 elements has no room for the halo.
// expect: error: out of bounds write in shared memory
#include <cstdio>
#include <cuda_runtime.h>

#ifdef FIXED
#define TILE 258
#else
#define TILE 256
#endif

__global__ void stencil(int *out, const int *in)
{
    __shared__ int tile[TILE];
    int t = threadIdx.x;
    tile[t + 1] = in[t + 1]; // BUG
    if (t == 0) {
        tile[0] = in[0];
        tile[257] = in[257]; // BUG
    }
    __syncthreads();
    out[t] = tile[t] + tile[t + 1] + tile[t + 2];
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 258 * sizeof(int));
    cudaMalloc(&out, 256 * sizeof(int));
    cudaMemset(in, 0, 258 * sizeof(int));
    stencil<<<1, 256>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
