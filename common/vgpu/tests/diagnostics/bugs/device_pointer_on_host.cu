// The host reads a result through the device's pointer.
// expect: error: device pointer used on the host
#include <cstdio>
#include <cuda_runtime.h>

__global__ void answer(int *out) { *out = 42; }

int main()
{
    int *out, result = 0;
    cudaMalloc(&out, sizeof(int));
    answer<<<1, 1>>>(out);
#ifdef FIXED
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
#else
    cudaDeviceSynchronize();
    result = *out; // BUG
#endif
    printf("%d\n", result);
    cudaFree(out);
}
