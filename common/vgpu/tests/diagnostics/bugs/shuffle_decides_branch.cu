// Lanes compare themselves with a neighbour and count; the last lane of the mask compares with nobody.
// expect: error: shuffle
#include <cuda_runtime.h>

__global__ void runs(int *count, const int *in)
{
    int t = threadIdx.x, x = in[t];
    if (t < 12) {
        int next = __shfl_down_sync(0x00000fffu, x, 1); // BUG
#ifdef FIXED
        if (t == 11)
            next = x;
#endif
        if (next != x)
            atomicAdd(count, 1);
    }
}

int main()
{
    int host[32], *in, *count;
    for (int i = 0; i < 32; i++)
        host[i] = i / 3;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    runs<<<1, 32>>>(count, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(count);
}
