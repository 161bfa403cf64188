// Many threads and blocks write the same value to the same place.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void find(int *found, const int *data, int wanted)
{
    __shared__ int here;
    if (threadIdx.x == 0)
        here = 0;
    __syncthreads();
    if (data[blockIdx.x * blockDim.x + threadIdx.x] == wanted) {
        here = 1;
        *found = 1;
    }
    __syncthreads();
    if (here)
        found[1] = 7;
}

int main()
{
    int host[512], *data, *found, result[2];
    for (int i = 0; i < 512; i++)
        host[i] = i % 4;
    cudaMalloc(&data, sizeof host);
    cudaMalloc(&found, sizeof result);
    cudaMemset(found, 0, sizeof result);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    find<<<4, 128>>>(found, data, 3);
    cudaMemcpy(result, found, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == 1 && result[1] == 7 ? "ok" : "wrong");
    cudaFree(data);
    cudaFree(found);
}
