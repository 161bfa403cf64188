// As much memory as the GPU has, on a host that may have two gigabytes.
// expect: error: limit of the virtual GPU: no room for device memory
// says: 6442450944 bytes beside
#include <cstdio>
#include <cuda_runtime.h>
#include <sys/resource.h>

int main()
{
    void *out;
    struct rlimit small = {(rlim_t)2 << 30, (rlim_t)2 << 30};
    setrlimit(RLIMIT_DATA, &small);
#ifdef FIXED
    cudaMalloc(&out, (size_t)6 << 20);
#else
    cudaMalloc(&out, (size_t)6 << 30); // BUG
#endif
    cudaFree(out);
}
