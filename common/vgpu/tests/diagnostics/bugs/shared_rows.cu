// A two-dimensional tile is indexed with one row too many, into the array behind it.
// expect: error: out of bounds read in shared memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rows(float *out, const float *in)
{
    __shared__ float tile[8][9];
    __shared__ float weights[16];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 8 + x];
    if (y < 2)
        weights[y * 8 + x] = 1.0f;
    __syncthreads();
#ifdef FIXED
    int below = y < 7 ? y + 1 : y;
#else
    int below = y + 1;
#endif
    out[y * 8 + x] = tile[below][x] * weights[x]; // BUG
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    cudaMemset(in, 0, 64 * sizeof(float));
    rows<<<1, dim3(8, 8)>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
