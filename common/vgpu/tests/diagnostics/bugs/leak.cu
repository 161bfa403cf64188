// Memory is allocated in a loop and never freed.
// expect: warning: leak
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    for (int i = 0; i < 3; i++) {
        float *data;
        cudaMalloc(&data, 1024); // BUG
#ifdef FIXED
        cudaFree(data);
#endif
    }
    cudaDeviceSynchronize();
}
