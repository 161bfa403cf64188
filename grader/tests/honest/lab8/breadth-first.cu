// stage: streams
// points: 24
// All copies to the device are asked for first, then all kernels, then all copies to the host.
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
    cudaStream_t streams[16];
    for (cudaStream_t &stream : streams)
        cudaStreamCreate(&stream);
    for (int begin = 0, chunk = 0; begin < count; begin += most, chunk++)
        cudaMemcpyAsync(in + begin, host_in + begin, min(most, count - begin) * sizeof(unsigned), cudaMemcpyHostToDevice,
                        streams[chunk]);
    for (int begin = 0, chunk = 0; begin < count; begin += most, chunk++)
        encrypt_all<<<(most + 255) / 256, 256, 0, streams[chunk]>>>(out + begin, in + begin, min(most, count - begin), modulus);
    for (int begin = 0, chunk = 0; begin < count; begin += most, chunk++)
        cudaMemcpyAsync(host_out + begin, out + begin, min(most, count - begin) * sizeof(unsigned), cudaMemcpyDeviceToHost,
                        streams[chunk]);
    cudaDeviceSynchronize();
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaHostUnregister((void *)host_in);
    cudaHostUnregister(host_out);
}
