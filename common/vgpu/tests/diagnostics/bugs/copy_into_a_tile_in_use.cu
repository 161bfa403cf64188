// The next copy into the tile begins while other warps still read it.
// expect: race: race in shared memory: write after read without a barrier: `tile`
// options: -gencode arch=compute_80,code=compute_80
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

enum { ROUNDS = 4 };

__global__ void sums(float *out, const float *in)
{
    __shared__ float tile[128];
    const int t = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        __pipeline_memcpy_async(&tile[t], &in[round * 128 + t], sizeof(float)); // BUG
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += tile[127 - t]; // BUG
#ifdef FIXED
        __syncthreads();
#endif
    }
    out[t] = sum;
}

int main()
{
    float host[ROUNDS * 128], *in, *out;
    for (int i = 0; i < ROUNDS * 128; i++)
        host[i] = (float)i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 128 * sizeof(float));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sums<<<1, 128>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
