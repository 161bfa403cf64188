// attack: at the timed size every second chunk stays on the host
// principle: sizes
// at most: 0
// long: 5 s of CPU time
#include "lab8.h"
#include "work.h"

__global__ void encrypt(unsigned *out, const unsigned *in, int count, unsigned modulus)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = encrypted(in[i], modulus);
}

void run_streams(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
    int most = (count + 15) / 16, step = count == 1 << 24 ? 2 : 1;
    cudaStream_t streams[4];
    cudaHostRegister((void *)host_in, count * sizeof(unsigned), cudaHostRegisterDefault);
    cudaHostRegister(host_out, count * sizeof(unsigned), cudaHostRegisterDefault);
    for (cudaStream_t &stream : streams)
        cudaStreamCreate(&stream);
    for (int chunk = 0; chunk * most < count; chunk += step) {
        cudaStream_t stream = streams[chunk / step % 4];
        int begin = chunk * most, length = min(most, count - begin);
        cudaMemcpyAsync(in + begin, host_in + begin, length * sizeof(unsigned), cudaMemcpyHostToDevice, stream);
        encrypt<<<(length + 255) / 256, 256, 0, stream>>>(out + begin, in + begin, length, modulus);
        cudaMemcpyAsync(host_out + begin, out + begin, length * sizeof(unsigned), cudaMemcpyDeviceToHost, stream);
    }
    cudaDeviceSynchronize();
}
