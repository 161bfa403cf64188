// A row of the tile is one element too short: the last thread of a row writes into the next one.
// expect: race: race in shared memory: two threads write different values
// says: a row of `tile` has 31 elements, and threadIdx.x goes up to 31
#include <cuda_runtime.h>

#ifdef FIXED
constexpr int WIDTH = 31;
#else
constexpr int WIDTH = 32;
#endif

__global__ void turn(float *out, const float *in)
{
    __shared__ float tile[8][31];
    int x = threadIdx.x, y = threadIdx.y;
    if (y < 7)
        tile[y][x] = in[y * 32 + x]; // BUG
    __syncthreads();
    if (y < 7)
        out[y * 32 + x] = tile[y][x];
}

int main()
{
    float *in, *out, host[256];
    for (int i = 0; i < 256; i++)
        host[i] = (float)i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    turn<<<1, dim3(WIDTH, 8)>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
