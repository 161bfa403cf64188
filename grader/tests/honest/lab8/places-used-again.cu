// stage: streams
// points: 24
// Four places on the device for all chunks; an event says when a place is free.
#include "lab8.h"
#include "work.h"

__global__ void encrypt_all(unsigned *out, const unsigned *in, int count, unsigned modulus)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = encrypted(in[i], modulus);
}

void run_streams(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
    cudaHostRegister((void *)host_in, count * sizeof(unsigned), cudaHostRegisterDefault);
    cudaHostRegister(host_out, count * sizeof(unsigned), cudaHostRegisterDefault);
    int most = (count + 15) / 16;
    cudaStream_t streams[3];
    for (cudaStream_t &stream : streams)
        cudaStreamCreate(&stream);
    cudaEvent_t free_again[4];
    for (cudaEvent_t &event : free_again)
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    for (int begin = 0, chunk = 0; begin < count; begin += most, chunk++) {
        cudaStream_t stream = streams[chunk % 3];
        int place = chunk % 4 * most, length = min(most, count - begin);
        if (chunk >= 4)
            cudaStreamWaitEvent(stream, free_again[chunk % 4]);
        cudaMemcpyAsync(in + place, host_in + begin, length * sizeof(unsigned), cudaMemcpyHostToDevice, stream);
        encrypt_all<<<(length + 255) / 256, 256, 0, stream>>>(out + place, in + place, length, modulus);
        cudaMemcpyAsync(host_out + begin, out + place, length * sizeof(unsigned), cudaMemcpyDeviceToHost, stream);
        cudaEventRecord(free_again[chunk % 4], stream);
    }
    for (cudaEvent_t event : free_again)
        cudaEventDestroy(event);
    cudaDeviceSynchronize();
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaHostUnregister((void *)host_in);
    cudaHostUnregister(host_out);
}
