// A branch that few threads take: compilers put its body behind the kernel's return, so that the way back goes to a lower
// address. It is no loop, and the barriers around it are passed in step.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ float rare(float x)
{
    float y = x;
    for (int i = 0; i < 3; i++)
        y = y * 0.5f + sqrtf(y + (float)i);
    return y;
}

__global__ void sums(float *out, const float *in, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float mine = 0;
    for (int i = t; i < n; i += 256)
        mine += in[i];
    if (__builtin_expect(t == 0 && mine > 3.0f, 0)) {
        mine += rare(mine);
        if (mine > 1e9f)
            mine = rare(mine) + rare(mine + 1);
    }
    part[t] = mine;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

int main()
{
    float host[1000], *in, *out;
    for (int i = 0; i < 1000; i++)
        host[i] = 1.0f + (float)i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 4 * sizeof *out);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sums<<<4, 256>>>(out, in, 1000);
    float first = 0;
    bool is_right = cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost) == cudaSuccess && first > 500500.0f;
    puts(is_right ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
