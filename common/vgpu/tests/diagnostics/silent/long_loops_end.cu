// Loops that go round for long and end: by a counter beyond what repeats, by what they store themselves, by another block.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void by_counter(int *out, int x, int top)
{
    for (int i = 0; i < top; i++) { // x comes back every four rounds, i does not
        x = (x + 2) % 8;
        out[threadIdx.x] = x;
    }
}

__global__ void by_own_store(int *out, int top)
{
    int x = 0;
    while (out[32 + threadIdx.x] < top) { // the register comes back, the memory does not
        x = (x + 2) % 8;
        if (x == 0)
            out[32 + threadIdx.x] += 1;
    }
}

__global__ void by_inner_loop(int *out, int top)
{
    for (int i = 0; i < top; i++) // the inner loop is the same each time
        for (int k = 0; k < 16; k++)
            out[threadIdx.x] ^= k;
}

__global__ void by_branch(int *out, int top)
{
    int x = 0, count = 0;
    while (x != 5) { // odd once the other counter has come far enough
        x = (x + 2) % 8;
        if (++count > top)
            x = 5;
        out[threadIdx.x] = x;
    }
}

int main()
{
    const int top = 11000;
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    by_counter<<<1, 32>>>(out, 0, top);
    by_own_store<<<1, 32>>>(out, top / 4);
    by_inner_loop<<<1, 32>>>(out, top / 16);
    by_branch<<<1, 32>>>(out, top);
    printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "ok" : "failed");
    cudaFree(out);
}
