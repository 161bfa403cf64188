// Two streams are captured into one graph; the kernel was to need the copy, but the event is recorded before it.
// expect: race: race in a graph: nothing orders two of its nodes that use the same memory
// says: cudaMemcpyAsync in a graph (
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
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMallocHost(&host, N * sizeof(float));
    cudaMalloc(&in, N * sizeof(float));
    cudaMalloc(&out, N * sizeof(float));
    cudaStreamCreate(&copies);
    cudaStreamCreate(&kernels);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaStreamBeginCapture(copies, cudaStreamCaptureModeGlobal);
#ifndef FIXED
    cudaEventRecord(fork, copies);
#endif
    cudaMemcpyAsync(in, host, N * sizeof(float), cudaMemcpyHostToDevice, copies);
#ifdef FIXED
    cudaEventRecord(fork, copies);
#endif
    cudaStreamWaitEvent(kernels, fork, 0);
    twice<<<N / 128, 128, 0, kernels>>>(out, in); // BUG
    cudaEventRecord(join, kernels);
    cudaStreamWaitEvent(copies, join, 0);
    cudaStreamEndCapture(copies, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(exec, copies);
    cudaStreamSynchronize(copies);
    cudaMemcpy(host, out, N * sizeof(float), cudaMemcpyDeviceToHost);
    puts(host[7] == 14 ? "ok" : "wrong");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(copies);
    cudaStreamDestroy(kernels);
    cudaFree(in);
    cudaFree(out);
    cudaFreeHost(host);
}
