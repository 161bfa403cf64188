// Lanes of one warp exchange values through shared memory and rely on lockstep.
// expect: race: within a warp
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rotate(int *data)
{
    __shared__ int place[32];
    int t = threadIdx.x;
    place[t] = data[t]; // BUG
#ifdef FIXED
    __syncwarp();
#endif
    data[t] = place[(t + 1) % 32]; // BUG
}

int main()
{
    int host[32], *data;
    for (int i = 0; i < 32; i++)
        host[i] = i * i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    rotate<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
}
