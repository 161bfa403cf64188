// Two tiles in turns. In the last round no copy is on its way but the one that is needed; it is still allowed to be.
// expect: race: race in shared memory: read before an asynchronous copy is complete: `tile`
// options: -gencode arch=compute_80,code=compute_80
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

enum { ROUNDS = 4 };

__global__ void sums(float *out, const float *in)
{
    __shared__ float tile[2][64];
    const int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&tile[0][t], &in[t], sizeof(float));
    __pipeline_commit();
    for (int round = 0; round < ROUNDS; round++) {
        if (round + 1 < ROUNDS) {
            __pipeline_memcpy_async(&tile[(round + 1) % 2][t], &in[(round + 1) * 64 + t], sizeof(float));
            __pipeline_commit();
        }
#ifdef FIXED
        if (round + 1 == ROUNDS)
            __pipeline_wait_prior(0);
        else
#endif
            __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[round % 2][63 - t]; // BUG
        __syncthreads();
    }
    out[t] = sum;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, ROUNDS * 64 * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    cudaMemset(in, 0, ROUNDS * 64 * sizeof(float));
    sums<<<1, 64>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
