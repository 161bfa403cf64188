// Copies in groups: two tiles in turns, of lanes that copy nothing, with ends that are filled with zeros, and at once.
// options: -gencode arch=compute_80,code=compute_80
#include <cstdio>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

enum { ROUNDS = 6, LENGTH = 96 };

/* Threads from 64 on copy nothing, but commit; thread 63 copies two of its four bytes. */
__device__ void fill(int *tile, const int *in)
{
    const int t = threadIdx.x;
    if (t < 64)
        __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int), t == 63 ? 2 : 0);
    else
        tile[t] = in[t];
    __pipeline_commit();
}

__global__ void rounds(int *out, const int *in)
{
    __shared__ int tile[2][LENGTH];
    const int t = threadIdx.x;
    int sum = 0;
    fill(tile[0], in);
    for (int r = 0; r < ROUNDS; r++) {
        if (r + 1 < ROUNDS)
            fill(tile[(r + 1) % 2], in + (r + 1) * LENGTH);
        __pipeline_wait_prior(r + 1 < ROUNDS ? 1 : 0);
        __syncthreads();
        sum += tile[r % 2][LENGTH - 1 - t];
        __syncthreads();
    }
    out[t] = sum;
}

__global__ void vectors(int *out, const int *in)
{
    __shared__ __align__(16) int tile[128];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * t], &in[4 * t], 16);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    for (int i = t; i < 128; i += 32)
        out[i] = tile[127 - i];
}

int main()
{
    int host[ROUNDS * LENGTH], result[128], *in, *out;
    bool is_right = true;
    for (int i = 0; i < ROUNDS * LENGTH; i++)
        host[i] = i * 0x10001;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    rounds<<<1, LENGTH>>>(out, in);
    cudaMemcpy(result, out, LENGTH * sizeof(int), cudaMemcpyDeviceToHost);
    for (int t = 0; t < LENGTH; t++) {
        int sum = 0, place = LENGTH - 1 - t;
        for (int r = 0; r < ROUNDS; r++)
            sum += place == 63 ? host[r * LENGTH + place] & 0xffff : host[r * LENGTH + place];
        is_right = is_right && result[t] == sum;
    }
    vectors<<<1, 32>>>(out, in);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 128; i++)
        is_right = is_right && result[i] == host[127 - i];
    puts(is_right ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
