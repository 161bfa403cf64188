// attack: the host computes the results of pinned and streams itself; a kernel and copies are for show
// principle: result faking
// at most: 0
// long: 5 s of CPU time
#include "lab8.h"
#include "work.h"

__global__ void nothing(unsigned *out)
{
    out[0] = 0;
}

static void pretend(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
    for (int i = 0; i < count; i++)
        host_out[i] = encrypted(host_in[i], modulus);
    cudaHostRegister((void *)host_in, count * sizeof(unsigned), cudaHostRegisterDefault);
    cudaMemcpy(in, host_in, count * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemcpy(out, host_out, count * sizeof(unsigned), cudaMemcpyHostToDevice);
    nothing<<<1, 1>>>(in);
    cudaMemcpy(host_out, out, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
}

void run_pinned(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
    pretend(host_out, host_in, out, in, count, modulus);
}

void run_streams(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
    pretend(host_out, host_in, out, in, count, modulus);
}
