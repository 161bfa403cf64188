// A function gives its value through a pointer, and only sometimes; nobody uses what it left out. The compiler loads the
// variable in any case and selects afterwards, which is no read of the program's.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ bool take(int i, int *value)
{
    if (i % 3)
        return false;
    *value = i * 2;
    return true;
}

__global__ void collect(int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value;
    if (take(i, &value))
        out[i] = value;
    else
        out[i] = -1;
}

int main()
{
    int *out, host[256], wrong = 0;
    cudaMalloc(&out, sizeof host);
    collect<<<2, 128>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++)
        wrong += host[i] != (i % 3 ? -1 : i * 2);
    puts(wrong ? "wrong" : "ok");
    cudaFree(out);
}
