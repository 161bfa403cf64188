// A chain of blocks hands a running sum on, with the C++ memory order of libcu++ and with volatile words.
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

__global__ void chain(int *sums, int *ready, const int *in)
{
    __shared__ int before;
    cuda::atomic_ref<int, cuda::thread_scope_device> mine(ready[blockIdx.x]);
    if (threadIdx.x == 0) {
        before = 0;
        if (blockIdx.x > 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> left(ready[blockIdx.x - 1]);
            while (left.load(cuda::memory_order_acquire) == 0)
                ;
            before = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = before + in[blockIdx.x];
        mine.store(1, cuda::memory_order_release);
    }
    __syncthreads();
}

__global__ void look_back(volatile int *state, volatile int *sums, const int *in)
{
    if (threadIdx.x == 0) {
        int sum = in[blockIdx.x];
        sums[blockIdx.x] = sum;
        __threadfence();
        state[blockIdx.x] = 1;
        for (int b = (int)blockIdx.x - 1; b >= 0; b--) {
            while (state[b] == 0)
                ;
            __threadfence();
            if (state[b] == 2) {
                sum += sums[64 + b];
                break;
            }
            sum += sums[b];
        }
        sums[64 + blockIdx.x] = sum;
        __threadfence();
        state[blockIdx.x] = 2;
    }
}

int main()
{
    int host[64], first[64], second[128], *in, *sums, *ready;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&sums, sizeof second);
    cudaMalloc(&ready, sizeof host);
    cudaMemset(ready, 0, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    chain<<<64, 32>>>(sums, ready, in);
    cudaMemcpy(first, sums, sizeof first, cudaMemcpyDeviceToHost);
    cudaMemset(ready, 0, sizeof host);
    look_back<<<64, 32>>>(ready, sums, in);
    cudaMemcpy(second, sums, sizeof second, cudaMemcpyDeviceToHost);
    puts(first[63] == 2016 && second[127] == 2016 ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(sums);
    cudaFree(ready);
}
