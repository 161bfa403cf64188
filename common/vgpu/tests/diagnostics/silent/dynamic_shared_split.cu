// Dynamic shared memory is divided by hand into arrays of different types.
#include <cstdio>
#include <cuda_runtime.h>

extern __shared__ char arena[];

__global__ void parts(float *out, int n)
{
    double *doubles = (double *)arena;
    float *floats = (float *)(doubles + n);
    int *ints = (int *)(floats + n);
    unsigned char *bytes = (unsigned char *)(ints + n);
    int t = threadIdx.x;
    doubles[t] = t * 0.5;
    floats[t] = t * 2.0f;
    ints[t] = t;
    bytes[t] = (unsigned char)t;
    __syncthreads();
    int r = n - 1 - t;
    out[t] = (float)doubles[r] + floats[r] + ints[r] + bytes[r];
}

int main()
{
    float *out, result[64];
    cudaMalloc(&out, sizeof result);
    parts<<<1, 64, 64 * (8 + 4 + 4 + 1)>>>(out, 64);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == 63 * 4.5f && result[63] == 0 ? "ok" : "wrong");
    cudaFree(out);
}
