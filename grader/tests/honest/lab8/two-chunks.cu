// stage: streams
// points: 16
// Two chunks overlap, but the first way in and the last way out are half of the time: the concept, and no points for speed.
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
    int most = (count + 1) / 2;
    cudaStream_t streams[3];
    for (cudaStream_t &stream : streams)
        cudaStreamCreate(&stream);
    for (int begin = 0, chunk = 0; begin < count; begin += most, chunk++) {
        cudaStream_t stream = streams[chunk % 3];
        int length = min(most, count - begin);
        cudaMemcpyAsync(in + begin, host_in + begin, length * sizeof(unsigned), cudaMemcpyHostToDevice, stream);
        encrypt_all<<<(length + 255) / 256, 256, 0, stream>>>(out + begin, in + begin, length, modulus);
        cudaMemcpyAsync(host_out + begin, out + begin, length * sizeof(unsigned), cudaMemcpyDeviceToHost, stream);
    }
    cudaDeviceSynchronize();
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaHostUnregister((void *)host_in);
    cudaHostUnregister(host_out);
}
