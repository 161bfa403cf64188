// Host memory that was registered, a stream and an event are never given back.
// expect: warning: leak: never given back
// says: likely cause: a cudaHostUnregister is missing
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    static float host[1024];
    float *data;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaMalloc(&data, sizeof host);
    cudaStreamCreate(&stream);  // BUG
    cudaEventCreate(&event);    // BUG
    cudaHostRegister(host, sizeof host, cudaHostRegisterDefault); // BUG
    cudaMemcpyAsync(data, host, sizeof host, cudaMemcpyHostToDevice, stream);
    cudaEventRecord(event, stream);
    cudaEventSynchronize(event);
#ifdef FIXED
    cudaHostUnregister(host);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
#endif
    cudaFree(data);
}
