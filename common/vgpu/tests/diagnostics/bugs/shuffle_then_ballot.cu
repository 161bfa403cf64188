// Half a warp votes on whether its neighbour is larger; the last lane has no neighbour in the mask.
// expect: error: shuffle
#include <cuda_runtime.h>

__global__ void rises(unsigned *out, const int *in)
{
    int t = threadIdx.x, x = in[t];
    if (t < 16) {
        int next = __shfl_down_sync(0x0000ffffu, x, 1); // BUG
#ifdef FIXED
        unsigned mask = __ballot_sync(0x0000ffffu, t < 15 && next > x);
#else
        unsigned mask = __ballot_sync(0x0000ffffu, next > x);
#endif
        if (t == 0)
            *out = mask;
    }
}

int main()
{
    int host[32], *in;
    unsigned *out;
    for (int i = 0; i < 32; i++)
        host[i] = i % 5;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    rises<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
