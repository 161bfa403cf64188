// Managed, mapped and stream-ordered memory shared between host and kernels.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int *a, const int *b) { a[threadIdx.x] += b[threadIdx.x]; }

int main()
{
    int *managed, *pinned, *mapped, *ordered, result[32];
    cudaMallocManaged(&managed, 32 * sizeof(int));
    cudaHostAlloc(&pinned, 32 * sizeof(int), cudaHostAllocMapped);
    for (int i = 0; i < 32; i++)
        managed[i] = pinned[i] = i;
    cudaHostGetDevicePointer(&mapped, pinned, 0);
    add<<<1, 32>>>(managed, mapped);
    cudaDeviceSynchronize();
    cudaMallocAsync(&ordered, sizeof result, 0);
    cudaMemcpyAsync(ordered, managed, sizeof result, cudaMemcpyDefault, 0);
    add<<<1, 32>>>(ordered, managed);
    cudaMemcpyAsync(result, ordered, sizeof result, cudaMemcpyDeviceToHost, 0);
    cudaFreeAsync(ordered, 0);
    cudaStreamSynchronize(0);
    puts(managed[5] == 10 && result[5] == 20 ? "ok" : "wrong");
    cudaFree(managed);
    cudaFreeHost(pinned);
}
