// The upper half takes differences with the lane below; lane 16's is in the other branch.
// expect: error: shuffle
#include <cuda_runtime.h>

__global__ void differences(int *out, const int *in)
{
    int t = threadIdx.x, x = in[t];
    if (t >= 16) {
        int y = __shfl_up_sync(0xffff0000u, x, 1); // BUG
#ifdef FIXED
        if (t == 16)
            y = in[15];
#endif
        out[t] = x - y;
    } else {
        out[t] = x;
    }
}

int main()
{
    int host[32], *in, *out;
    for (int i = 0; i < 32; i++)
        host[i] = i * i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    differences<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
