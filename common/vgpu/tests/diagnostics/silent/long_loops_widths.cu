// Loops that take more than the budget and come to their ends: what is compared has been widened and narrowed, or multiplied.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void narrowed(float *out, int m) // ints, widened for addresses; the lower half of that is counted
{
    for (int k = 0; k < m; k += 64)
        for (int row = threadIdx.x; row < threadIdx.x + 2 && row < m; row++)
            for (int column = 0; column < m; column++) {
                float sum = k ? out[(size_t)row * m + column] : 0;
                for (int i = k; i < k + 64 && i < m; i++)
                    sum += out[(size_t)i * m + column];
                out[(size_t)row * m + column] = sum;
            }
}

__global__ void multiplied(float *out, unsigned n, unsigned each) // what is compared is a product
{
    float x = 0;
    for (unsigned i = 0; i * each < n; i++)
        x = x * 0.5f + (i & 1);
    out[threadIdx.x] = x;
}

int main()
{
    float *out;
    cudaMalloc(&out, 160 * 160 * sizeof(float));
    cudaMemset(out, 0, 160 * 160 * sizeof(float));
    narrowed<<<1, 1>>>(out, 160);
    multiplied<<<1, 32>>>(out, 2100000, 3);
    printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "ok" : "failed");
    cudaFree(out);
}
