// A stream made with cudaStreamNonBlocking does not wait for the default stream, on which the buffer is cleared.
// expect: race: race between streams: two operations write to the same memory
// says: cudaMemset on the default stream (
// no hint: it takes all that a launch uses to see it
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(int *bins)
{
    atomicAdd(&bins[threadIdx.x % 8], 1);
}

int main()
{
    int *bins, result[8];
    cudaStream_t stream;
#ifdef FIXED
    cudaStreamCreate(&stream);
#else
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
#endif
    cudaMalloc(&bins, sizeof result);
    cudaMemset(bins, 0, sizeof result);
    count<<<4, 128, 0, stream>>>(bins); // BUG
    cudaMemcpyAsync(result, bins, sizeof result, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    puts(result[3] == 64 ? "ok" : "wrong");
    cudaStreamDestroy(stream);
    cudaFree(bins);
}
