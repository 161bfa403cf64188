// A cooperative kernel exchanges data between blocks, with a grid-wide barrier between the steps.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void steps(int *a, int *b, int n, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        b[i] = a[(i + 1) % n] + 1;
        grid.sync();
        a[i] = b[(i + n - 1) % n];
        grid.sync();
    }
}

int main()
{
    const int n = 256;
    int host[n], *a, *b, size = n, rounds = 3;
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    void *args[] = {&a, &b, &size, &rounds};
    cudaLaunchCooperativeKernel((void *)steps, dim3(4), dim3(64), args);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    bool is_right = true;
    for (int i = 0; i < n; i++)
        is_right &= host[i] == i + 3;
    puts(is_right ? "ok" : "wrong");
    cudaFree(a);
    cudaFree(b);
}
