// The old habit: the last warp of a reduction goes on without synchronisation, through a volatile pointer.
// expect: race: within a warp
#include <cstdio>
#include <cuda_runtime.h>

#ifdef FIXED
#define TOGETHER __syncwarp()
#else
#define TOGETHER
#endif

__global__ void sum(int *out, const int *in)
{
    __shared__ int part[64];
    int t = threadIdx.x;
    part[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile int *p = part;
        for (int half = 32; half > 0; half /= 2) {
            int x = p[t + half % 64]; // BUG
            TOGETHER;
            p[t] = p[t] + x; // BUG
            TOGETHER;
        }
        if (t == 0)
            *out = p[0];
    }
}

int main()
{
    int host[64], *in, *out;
    for (int i = 0; i < 64; i++)
        host[i] = i + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 64>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
