// Each thread waits for its own copy, but behind the barrier: those of the other warps may still be on their way.
// expect: race: race in shared memory: read after write without a barrier: `tile`
// options: -gencode arch=compute_80,code=compute_80
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void reverse(float *out, const float *in)
{
    __shared__ float tile[128];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], sizeof(float));
    __pipeline_commit();
#ifdef FIXED
    __pipeline_wait_prior(0);
    __syncthreads();
#else
    __syncthreads();
    __pipeline_wait_prior(0);
#endif
    out[t] = tile[127 - t]; // BUG
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof(float));
    cudaMalloc(&out, 128 * sizeof(float));
    cudaMemset(in, 0, 128 * sizeof(float));
    reverse<<<1, 128>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
