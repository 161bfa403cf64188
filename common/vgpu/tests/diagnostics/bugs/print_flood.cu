// Every thread reports every round: far more than a GPU keeps.
// expect: warning: a block prints too much
#include <cstdio>
#include <cuda_runtime.h>

__global__ void chatter(int rounds)
{
    for (int i = 0; i < rounds; i++)
#ifdef FIXED
        if (threadIdx.x == 0 && i == rounds - 1)
#endif
            printf("round %8d of thread %8d: so far so good, and a long line it is\n", i, threadIdx.x); // BUG
}

int main()
{
    chatter<<<1, 256>>>(1000);
    cudaDeviceSynchronize();
}
