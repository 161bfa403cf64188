/* kernels.cu - kernels of all kinds, one block of which is taped: loops, divergence, calls, shuffles, wide loads, doubles, atomics
 * on shared memory, asynchronous copies; and long ones, of whose loops a tape leaves rounds out, or whose ends it cuts.
 * probe.c holds the tape against the machine. */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

extern "C" __global__ void reduce(float *out, const float *in, int n)
{
    __shared__ float part[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 128; step >= 32; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x >= 32)
        return;
    sum = part[threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

static __device__ __noinline__ long long collatz(long long x)
{
    long long steps = 0;
    for (; x != 1 && steps < 60; steps++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return steps;
}

extern "C" __global__ void diverge(float *out, const float *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = in[i];
    long long steps = i % 3 ? collatz(i + 1) : 7;
    x = i % 5 == 0 ? x / 3.0 : x * x + 0.5;
    out[i] = (float)(x + (double)steps);
}

extern "C" __global__ void wide(float *out, const float *in, int n)
{
    __shared__ float4 tile[64];
    __shared__ unsigned counts[8];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 8)
        counts[threadIdx.x] = 0;
    __syncthreads();
    const float4 four = ((const float4 *)in)[i % (n / 4)];
    tile[threadIdx.x] = four;
    atomicAdd(&counts[(unsigned)(four.x * 7.0f) % 8], 1u);
    __syncthreads();
    const float4 other = tile[63 - threadIdx.x];
    const unsigned same = __ballot_sync(~0u, other.x > four.x);
    ((float4 *)out)[i % (n / 4)] = make_float4(other.w, other.z, __popc(same), counts[threadIdx.x % 8]);
}

extern "C" __global__ void copied(float *out, const float *in, int n)
{
    __shared__ float tile[128];
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) % n;
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = tile[127 - threadIdx.x] * 2.0f;
}

/* 200 rounds, in each of them 40 of another loop, with barriers: check.js knows these numbers. */
extern "C" __global__ void rounds(float *out, const float *in, int n, int many, int few)
{
    __shared__ float tile[128];
    const int t = threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < many; i++) {
        tile[t] = in[(i * 128 + t) % n];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < few; k++)
            sum += tile[(t * 7 + k) % 128];
        __syncthreads();
    }
    out[t] = sum;
}

/* Lanes and warps go round as often as they like; a test at the begin of each round; a loop in a function that is called. */
static __device__ __noinline__ int digits(int x)
{
    int count = 0;
    while (x > 0) {
        x /= 10;
        count++;
    }
    return count;
}

extern "C" __global__ void ragged(float *out, const float *in, int n)
{
    __shared__ int seen[64];
    const int t = threadIdx.x;
    if (t < 64)
        seen[t] = 0;
    __syncthreads();
    int x = t * 37 % 1000 + 900 * (t / 32);
    float sum = 0;
    while (true) {
        if (x % 64 == 63)
            atomicAdd(&seen[x % 61], 1);
        if (--x < 0)
            break;
        sum += in[x % n];
        if (x % 3 == 0)
            continue;
        sum += (float)digits(x);
    }
    __syncthreads();
    out[t] = sum + (float)seen[t % 64];
}

/* More than there is room for, and nothing to leave out: each warp writes its own words, and goes on after its end on the tape. */
extern "C" __global__ void straight(float *out, const float *in, int n)
{
    __shared__ volatile float own[1024];
    const int t = threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 500; i++) {
        own[t] = sum * in[(t * 77 + i * i) % n];
        sum += own[t] + 0.37f;
        if (i % 50 == 0)
            __syncthreads();
    }
    out[t] = sum;
}

extern "C" void launch_all(void)
{
    const int n = 1 << 16;
    float *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    float *host = new float[n];
    for (int i = 0; i < n; i++)
        host[i] = (float)(i % 1000) / 100;
    cudaMemcpy(in, host, n * sizeof *in, cudaMemcpyHostToDevice);
    reduce<<<32, 256>>>(out, in, n);
    diverge<<<n / 96 + 1, 96>>>(out, in, n);
    wide<<<n / 256, 64>>>(out, in, n);
    copied<<<n / 128, 128>>>(out, in, n);
    rounds<<<1, 128>>>(out, in, n, 200, 40);
    ragged<<<1, 128>>>(out, in, n);
    straight<<<1, 1024>>>(out, in, n);
    cudaDeviceSynchronize();
    delete[] host;
    cudaFree(in);
    cudaFree(out);
}
