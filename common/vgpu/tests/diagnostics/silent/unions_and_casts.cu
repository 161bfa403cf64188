// The same bytes are used as several types, one after another.
#include <cstdio>
#include <cuda_runtime.h>

union word {
    float f;
    unsigned u;
    unsigned char b[4];
};

__global__ void casts(unsigned *out, const float4 *in)
{
    __shared__ word box[64];
    __shared__ __align__(16) float flat[128];
    int t = threadIdx.x;
    word own;
    own.f = in[t].x;
    box[t] = own;
    *(float4 *)&flat[4 * (t % 32)] = in[t % 32];
    __syncthreads();
    unsigned sum = box[63 - t].b[3] + box[63 - t].u + (unsigned)flat[t];
    __syncthreads();
    reinterpret_cast<unsigned short *>(box)[t] = (unsigned short)sum;
    __syncthreads();
    out[t] = reinterpret_cast<unsigned short *>(box)[t ^ 1] & 0xff;
}

int main()
{
    float4 host[64], *in;
    unsigned *out, result[64];
    for (int i = 0; i < 64; i++)
        host[i] = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    casts<<<1, 64>>>(out, in);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == (0x3f + 2) ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
