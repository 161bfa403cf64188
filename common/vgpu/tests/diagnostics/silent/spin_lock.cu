// A lock taken by every lane and by several blocks protects plain variables.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(int *lock, int *total)
{
    bool is_done = false;
    while (!is_done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *total = *total + 1;
            __threadfence();
            atomicExch(lock, 0);
            is_done = true;
        }
    }
}

int main()
{
    int *lock, *total, result;
    cudaMalloc(&lock, sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(lock, 0, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    count<<<3, 64>>>(lock, total);
    cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
    puts(result == 192 ? "ok" : "wrong");
    cudaFree(lock);
    cudaFree(total);
}
