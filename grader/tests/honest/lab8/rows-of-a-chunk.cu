// stage: streams
// points: 24
// Chunks are copied as rows, by cudaMemcpy2DAsync(); what is left is a last chunk.
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
    const int width = 1024, height = count / width, most = (height + 15) / 16, rest = count % width;
    cudaStream_t streams[4];
    for (cudaStream_t &stream : streams)
        cudaStreamCreate(&stream);
    for (int row = 0, chunk = 0; row < height; row += most, chunk++) {
        cudaStream_t stream = streams[chunk % 4];
        int rows = min(most, height - row), begin = row * width;
        size_t pitch = width * sizeof(unsigned);
        cudaMemcpy2DAsync(in + begin, pitch, host_in + begin, pitch, pitch, rows, cudaMemcpyHostToDevice, stream);
        encrypt_all<<<rows * 4, 256, 0, stream>>>(out + begin, in + begin, rows * width, modulus);
        cudaMemcpy2DAsync(host_out + begin, pitch, out + begin, pitch, pitch, rows, cudaMemcpyDeviceToHost, stream);
    }
    if (rest) {
        int begin = count - rest;
        cudaMemcpyAsync(in + begin, host_in + begin, rest * sizeof(unsigned), cudaMemcpyHostToDevice, streams[3]);
        encrypt_all<<<4, 256, 0, streams[3]>>>(out + begin, in + begin, rest, modulus);
        cudaMemcpyAsync(host_out + begin, out + begin, rest * sizeof(unsigned), cudaMemcpyDeviceToHost, streams[3]);
    }
    cudaDeviceSynchronize();
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaHostUnregister((void *)host_in);
    cudaHostUnregister(host_out);
}
