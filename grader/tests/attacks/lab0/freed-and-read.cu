// attack: results stay in memory that is freed and allocated again, so that the second half needs no copy
// principle: stale memory right by chance
// at most: 0
#include "lab0.h"
__global__ void add(float *out, const float *a, const float *b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] + b[i];
}
void run_round_trip(float *out, const float *a, const float *b, int count)
{
    float *memory, *other;
    size_t bytes = count * sizeof(float);
    cudaMalloc(&memory, 2 * bytes);
    cudaMemcpy(memory, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(memory + count, b, bytes, cudaMemcpyHostToDevice);
    cudaFree(memory);
    cudaMalloc(&other, 2 * bytes);
    add<<<(count + 255) / 256, 256>>>(other, other, other + count, count);
    cudaMemcpy(out, other, bytes, cudaMemcpyDeviceToHost);
}
