// The direction of a copy from a symbol stands in the place of the offset.
// expect: error: copy outside a device variable
// says: the fourth argument is the offset, the direction is the fifth: sizeof total, 0, cudaMemcpyDeviceToHost
// never: sizes count bytes
#include <cstdio>
#include <cuda_runtime.h>

static __device__ int total = 1;

int main()
{
    int value = 0;
#ifdef FIXED
    cudaMemcpyFromSymbol(&value, total, sizeof value, 0, cudaMemcpyDeviceToHost);
#else
    cudaMemcpyFromSymbol(&value, total, sizeof value, cudaMemcpyDeviceToHost); // BUG
#endif
    printf("%d\n", value);
}
