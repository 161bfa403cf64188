// Chunks on two streams share one device buffer: a copy overwrites what a kernel of the other stream may still read.
// expect: race: race between streams: two operations write to the same memory
// says: cudaMemcpyAsync on stream 2, `stream` (
// no hint: it takes all that a launch uses to see it
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 4096, CHUNKS = 4, CHUNK = N / CHUNKS };

__global__ void twice(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}

int main()
{
    float *host, *buffer, *out;
    cudaStream_t streams[2];
    cudaMallocHost(&host, N * sizeof(float));
    cudaMalloc(&buffer, 2 * CHUNK * sizeof(float));
    cudaMalloc(&out, N * sizeof(float));
    for (int i = 0; i < N; i++)
        host[i] = i;
    for (int i = 0; i < 2; i++)
        cudaStreamCreate(&streams[i]);
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        cudaStream_t stream = streams[chunk % 2];
#ifdef FIXED
        float *in = buffer + chunk % 2 * CHUNK;
#else
        float *in = buffer;
#endif
        cudaMemcpyAsync(in, host + chunk * CHUNK, CHUNK * sizeof(float), cudaMemcpyDefault, stream); // BUG
        twice<<<CHUNK / 128, 128, 0, stream>>>(out + chunk * CHUNK, in);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(host, out, N * sizeof(float), cudaMemcpyDefault);
    puts(host[N - 1] == 2 * (N - 1) ? "ok" : "wrong");
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
    cudaFree(buffer);
    cudaFree(out);
    cudaFreeHost(host);
}
