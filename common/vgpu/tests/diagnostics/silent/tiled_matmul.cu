// The textbook kernel: two tiles, two barriers a round.
#include <cstdio>
#include <cuda_runtime.h>

#define TILE 16

__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        as[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

int main()
{
    const int n = 64;
    static float host[n * n];
    float *a, *b, *c;
    for (int i = 0; i < n * n; i++)
        host[i] = 1.0f;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&c, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    matmul<<<dim3(4, 4), dim3(TILE, TILE)>>>(c, a, b, n);
    cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
    puts(host[n * n - 1] == 64.0f ? "ok" : "wrong");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
