// Lanes exchange values through shared memory with __syncwarp() between, and reduce through shuffles.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sums(int *out, const int *in)
{
    __shared__ int part[4][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    part[warp][lane] = in[threadIdx.x];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        int x = lane < half ? part[warp][lane + half] : 0;
        __syncwarp();
        if (lane < half)
            part[warp][lane] += x;
        __syncwarp();
    }
    int y = in[threadIdx.x];
    for (int half = 16; half > 0; half /= 2)
        y += __shfl_xor_sync(0xffffffffu, y, half);
    if (lane == 0)
        out[warp] = part[warp][0] == y ? y : -1;
}

int main()
{
    int host[128], *in, *out, result[4];
    for (int i = 0; i < 128; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sums<<<1, 128>>>(out, in);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == 496 && result[3] == 3568 ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
