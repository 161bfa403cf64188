// The direction of a copy to a symbol stands in the place of the offset.
// expect: error: copy outside a device variable
// says: the fourth argument is the offset, the direction is the fifth: sizeof taps, 0, cudaMemcpyDeviceToDevice
// never: sizes count bytes
#include <cstdio>
#include <cuda_runtime.h>

enum { TAPS = 64 };

__constant__ float taps[TAPS];

int main()
{
    float *table;
    cudaMalloc(&table, sizeof taps);
    cudaMemset(table, 0, sizeof taps);
#ifdef FIXED
    cudaMemcpyToSymbol(taps, table, sizeof taps, 0, cudaMemcpyDeviceToDevice);
#else
    cudaMemcpyToSymbol(taps, table, sizeof taps, cudaMemcpyDeviceToDevice); // BUG
#endif
    cudaFree(table);
}
