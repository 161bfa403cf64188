// A thread's own arrays are filled in loops, passed to functions and returned in structures.
#include <cstdio>
#include <cuda_runtime.h>

struct stack {
    int items[16];
    int count;
};

__device__ __noinline__ void push(stack *s, int x) { s->items[s->count++] = x; }
__device__ __noinline__ int pop(stack *s) { return s->items[--s->count]; }

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void work(int *out, const int *order)
{
    stack s;
    s.count = 0;
    for (int i = 0; i < 10; i++)
        push(&s, order[i] + threadIdx.x);
    int table[10], sum = 0;
    for (int i = 0; i < 10; i++)
        table[order[i]] = pop(&s);
    for (int i = 0; i < 10; i++)
        sum += table[order[9 - i]] * i;
    out[threadIdx.x] = sum + fibonacci(threadIdx.x % 8);
}

int main()
{
    int host[10] = {3, 1, 4, 0, 5, 9, 2, 6, 8, 7}, *order, *out, result[32];
    cudaMalloc(&order, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(order, host, sizeof host, cudaMemcpyHostToDevice);
    work<<<1, 32>>>(out, order);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    int stack[10], table[10], sum = 0;
    for (int i = 0; i < 10; i++)
        stack[i] = host[i];
    for (int i = 0; i < 10; i++)
        table[host[i]] = stack[9 - i];
    for (int i = 0; i < 10; i++)
        sum += table[host[9 - i]] * i;
    puts(result[0] == sum ? "ok" : "wrong");
    cudaFree(order);
    cudaFree(out);
}
