// One lane leaves a loop that does not count, the other goes on for eight rounds. Each block's lane leaves after another round, so in
// one of them it leaves just when the state of the loop is kept: fewer lanes with another counter are another state.
#include <cstdio>
#include <cuda_runtime.h>

enum { BLOCKS = 600, FIRST = 3400 }; // a look begins after about 3700 rounds

__global__ void leave(volatile int *out)
{
    const int last = FIRST + blockIdx.x + (threadIdx.x ? 0 : 8);
#pragma unroll 1
    for (int k = 0; k * k < last * last; k++)
        out[2 * blockIdx.x + threadIdx.x] = k;
}

int main()
{
    int *out;
    cudaMalloc(&out, 2 * BLOCKS * sizeof(int));
    leave<<<BLOCKS, 2>>>(out);
    printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "ok" : "failed");
    cudaFree(out);
}
