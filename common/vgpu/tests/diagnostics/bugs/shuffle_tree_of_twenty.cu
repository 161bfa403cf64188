// A tree reduction over twenty lanes that begins with 16: what lanes 4 to 15 read from nobody arrives in lane 0.
// expect: error: shuffle
#include <cuda_runtime.h>

__global__ void sum(int *out, const int *in)
{
    int t = threadIdx.x;
    if (t >= 20)
        return;
    int x = in[t];
    for (int half = 16; half > 0; half /= 2) {
#ifdef FIXED
        int y = __shfl_down_sync(0x000fffffu, x, half);
        if (t + half < 20)
            x += y;
#else
        x += __shfl_down_sync(0x000fffffu, x, half); // BUG
#endif
    }
    if (t == 0)
        out[0] = x;
}

int main()
{
    int host[32], *in, *out;
    for (int i = 0; i < 32; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
