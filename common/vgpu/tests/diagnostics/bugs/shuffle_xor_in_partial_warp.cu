// A block of 24 threads sums with the butterfly of a whole warp: partners of lanes 8 to 15 do not exist.
// expect: error: shuffle
#include <cuda_runtime.h>

__global__ void sum(double *out, const double *in)
{
    int t = threadIdx.x;
    double x = in[t];
#ifdef FIXED
    for (int bit = 4; bit > 0; bit /= 2)
        x += __shfl_xor_sync(0x00ffffffu, x, bit, 8);
#else
    for (int bit = 16; bit > 0; bit /= 2)
        x += __shfl_xor_sync(0x00ffffffu, x, bit); // BUG
#endif
    out[t] = x;
}

int main()
{
    double host[24], *in, *out;
    for (int i = 0; i < 24; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 24>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
