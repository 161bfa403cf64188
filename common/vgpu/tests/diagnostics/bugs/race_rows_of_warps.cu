// Every warp turns its own row round; the barrier that all warps of the block need is missing.
// expect: race: within a warp: read after write
// says: a __syncthreads() is missing between the write and this read
#include <cuda_runtime.h>

__global__ void turn(int *out, const int *in)
{
    __shared__ int row[8][32];
    int x = threadIdx.x, y = threadIdx.y;
    row[y][x] = in[y * 32 + x];
#ifdef FIXED
    __syncthreads();
#endif
    out[y * 32 + x] = row[y][31 - x]; // BUG
}

int main()
{
    int host[256], *in, *out;
    for (int i = 0; i < 256; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    turn<<<1, dim3(32, 8)>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
