// The kernel runs on another stream than the copy that brings its input, and does not wait for it.
// expect: race: race between streams: one operation reads what another one writes
// says: cudaMemcpyAsync on stream 1, `copies` (
// no hint: it takes all that a launch uses to see it
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 1024 };

__global__ void twice(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}

int main()
{
    float *host, *in, *out;
    cudaStream_t copies, kernels;
    cudaEvent_t here;
    cudaMallocHost(&host, N * sizeof(float));
    cudaMalloc(&in, N * sizeof(float));
    cudaMalloc(&out, N * sizeof(float));
    cudaStreamCreate(&copies);
    cudaStreamCreate(&kernels);
    cudaEventCreate(&here);
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMemcpyAsync(in, host, N * sizeof(float), cudaMemcpyHostToDevice, copies);
    cudaEventRecord(here, copies);
#ifdef FIXED
    cudaStreamWaitEvent(kernels, here, 0);
#endif
    twice<<<N / 128, 128, 0, kernels>>>(out, in); // BUG
    cudaMemcpyAsync(host, out, N * sizeof(float), cudaMemcpyDeviceToHost, kernels);
    cudaStreamSynchronize(kernels);
    puts(host[7] == 14 ? "ok" : "wrong");
    cudaEventDestroy(here);
    cudaStreamDestroy(copies);
    cudaStreamDestroy(kernels);
    cudaFree(in);
    cudaFree(out);
    cudaFreeHost(host);
}
