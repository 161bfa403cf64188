// stage: streams
// points: 24
// A stream that copies in, one that computes, one that copies out, and events between them.
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
    cudaEvent_t arrived, done;
    cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    for (int begin = 0; begin < count; begin += most) {
        int length = min(most, count - begin);
        cudaMemcpyAsync(in + begin, host_in + begin, length * sizeof(unsigned), cudaMemcpyHostToDevice, streams[0]);
        cudaEventRecord(arrived, streams[0]);
        cudaStreamWaitEvent(streams[1], arrived);
        encrypt_all<<<(length + 255) / 256, 256, 0, streams[1]>>>(out + begin, in + begin, length, modulus);
        cudaEventRecord(done, streams[1]);
        cudaStreamWaitEvent(streams[2], done);
        cudaMemcpyAsync(host_out + begin, out + begin, length * sizeof(unsigned), cudaMemcpyDeviceToHost, streams[2]);
    }
    cudaEventDestroy(arrived);
    cudaEventDestroy(done);
    cudaDeviceSynchronize();
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaHostUnregister((void *)host_in);
    cudaHostUnregister(host_out);
}
