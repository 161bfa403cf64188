// 400 KB for each of 1024 threads: a GPU has room for it, the virtual one has not.
// expect: error: limit of the virtual GPU: too much local memory
// says: a thread has 400000 bytes of local memory
// never: out of bounds
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scatter(int *out, int n)
{
    int place[100000];
    for (int i = 0; i < n; i++)
        place[i * 7919 % 100000] = i; // BUG
    out[threadIdx.x] = place[threadIdx.x * 7919 % n * 7919 % 100000]; // BUG
}

int main()
{
    int *out;
    cudaMalloc(&out, 1024 * sizeof(int));
#ifdef FIXED
    scatter<<<1, 32>>>(out, 100);
#else
    scatter<<<1, 1024>>>(out, 100);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
