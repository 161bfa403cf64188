// The first thread of a block reads to the left of a tile of two dimensions.
// expect: error: out of bounds read in shared memory
// says: tile[-1][31]
#include <cuda_runtime.h>

__global__ void left(int *out, const int *in)
{
    __shared__ int tile[8][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    __syncthreads();
#ifdef FIXED
    out[y * 32 + x] = x > 0 ? tile[y][x - 1] : 0;
#else
    out[y * 32 + x] = tile[y][x - 1]; // BUG
#endif
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 256 * sizeof(int));
    cudaMalloc(&out, 256 * sizeof(int));
    cudaMemset(in, 0, 256 * sizeof(int));
    left<<<1, dim3(32, 8)>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
