/* calls.cu - direct, indirect, virtual and recursive calls, structures by value, printf. */
#include <cstdio>

struct shape {
    int size;
    __device__ virtual int area(int scale) { return size * scale; }
};
struct square : shape {
    __device__ int area(int scale) override { return size * size * scale; }
};
struct wide {
    int words[10];
};

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ wide put(wide value, int i)
{
    value.words[i] = 3;
    return value;
}

__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ int (*chosen[2])(int, int) = {add, subtract};

__global__ void __launch_bounds__(128, 4) call_all(int *out, int n, wide value)
{
    square square_shape;
    shape plain_shape;
    shape *any = n > 3 ? &square_shape : &plain_shape;
    any->size = n;
    out[0] = any->area(2) + fibonacci(n) + chosen[n & 1](n, 4);
    out[1] = put(value, n).words[n];
    printf("%d %s\n", n, "calls");
}
