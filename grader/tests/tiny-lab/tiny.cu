// tiny.cu - submissions to the judge's test lab: one entry point per row of tiny.def, most of them with a mistake.
#include <cstdio>
#include <vector>

#include "tiny.h"

enum { BLOCK = 32 };

static int blocks_for(int n)
{
    return (n + BLOCK - 1) / BLOCK;
}

__global__ void twice(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i] + 1;
}

void tiny_right(float *out, const float *in, float *, int n)
{
    twice<<<(n + 255) / 256, 256>>>(out, in, n);
}

void tiny_other_stream(float *out, const float *in, float *, int n)
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    twice<<<blocks_for(n), BLOCK, 0, stream>>>(out, in, n);
    cudaStreamDestroy(stream);
}

void tiny_own_memory(float *out, const float *in, float *, int n)
{
    float *copy;
    cudaMalloc(&copy, n * sizeof(float));
    cudaMemcpy(copy, in, n * sizeof(float), cudaMemcpyDeviceToDevice);
    twice<<<blocks_for(n), BLOCK>>>(out, copy, n);
    cudaFree(copy);
}

__global__ void twice_with_print(float *out, const float *in, int n, int lines)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i] + 1;
    for (int line = 0; i == 0 && line < lines; line++)
        printf("hello from the device, line %d\n", line);
}

void tiny_prints(float *out, const float *in, float *, int n)
{
    twice_with_print<<<blocks_for(n), BLOCK>>>(out, in, n, 1);
}

void tiny_floods(float *out, const float *in, float *, int n)
{
    twice_with_print<<<blocks_for(n), BLOCK>>>(out, in, n, 5000);
}

void tiny_leaves_error(float *out, const float *in, float *scratch, int n)
{
    tiny_right(out, in, scratch, n);
    cudaMemset(scratch, 0, (n + 1) * sizeof(float));
}

// Each thread looks at what its neighbour writes without a barrier between them, and does nothing with it.
__global__ void twice_with_race(float *out, const float *in, int n)
{
    __shared__ volatile int seen[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    seen[t] = t;
    (void)seen[(t + 40) % 64];
    if (i < n)
        out[i] = 2 * in[i] + 1;
}

void tiny_harmless_race(float *out, const float *in, float *, int n)
{
    twice_with_race<<<(n + 63) / 64, 64>>>(out, in, n);
}

// The same in a loop that has one turn in all small cases: what the next turn overwrites may still be looked at.
__global__ void twice_in_turns(float *out, const float *in, int n)
{
    __shared__ volatile int seen[64];
    int t = threadIdx.x;
    for (int i = blockIdx.x * blockDim.x + t; i - t < n; i += gridDim.x * blockDim.x) {
        seen[t] = i;
        __syncthreads();
        (void)seen[(t + 40) % 64];
        if (i < n)
            out[i] = 2 * in[i] + 1;
    }
}

void tiny_late_race(float *out, const float *in, float *, int n)
{
    int blocks = (n + 63) / 64;
    twice_in_turns<<<blocks < 1024 ? blocks : 1024, 64>>>(out, in, n);
}

// In one case alone, which is narrow, code that no other case has; what it does wrong only a full check sees.
__global__ void twice_when_narrow(float *out, const float *in, int n)
{
    __shared__ volatile int seen[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (n == 2999)
        seen[t % 2] = t;
    if (i < n)
        out[i] = 2 * in[i] + 1;
}

void tiny_narrow_race(float *out, const float *in, float *, int n)
{
    twice_when_narrow<<<(n + 63) / 64, 64>>>(out, in, n);
}

// One block of four takes much longer, and which ones is a matter of the data.
__global__ void twice_unevenly(float *out, const float *in, int n)
{
    int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
    float x = i < n ? in[i] : 0;
    if (in[first] < 0.25f)
        for (int k = 0; k < 500; k++)
            x = __shfl_sync(0xffffffff, x, threadIdx.x % 32);
    if (i < n)
        out[i] = 2 * x + 1;
}

void tiny_uneven(float *out, const float *in, float *, int n)
{
    twice_unevenly<<<(n + 255) / 256, 256>>>(out, in, n);
}

// tiny_is_missing() is not here.

__global__ void nothing(float *)
{
}

void tiny_untouched(float *out, const float *, float *, int)
{
    nothing<<<1, 1>>>(out);
}

void tiny_no_launch(float *, const float *, float *, int)
{
}

void tiny_refused(float *out, const float *in, float *, int n)
{
    twice<<<(n + 2047) / 2048, 2048>>>(out, in, n);
}

void tiny_resets(float *out, const float *in, float *scratch, int n)
{
    tiny_right(out, in, scratch, n);
    cudaDeviceReset();
}

void tiny_frees(float *out, const float *in, float *scratch, int n)
{
    tiny_right(out, in, scratch, n);
    cudaFree(scratch);
}

__global__ void without_bounds(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i] + 1;
}

void tiny_out_of_bounds(float *out, const float *in, float *, int n)
{
    without_bounds<<<(n + 255) / 256, 256>>>(out, in);
}

__global__ void through_shared(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + 255 - t;
    tile[255 - t] = i < n ? in[i] : 0;
    i = blockIdx.x * blockDim.x + t;
    if (i < n)
        out[i] = 2 * tile[t] + 1;
}

void tiny_races(float *out, const float *in, float *, int n)
{
    through_shared<<<(n + 255) / 256, 256>>>(out, in, n);
}

__global__ void barrier_for_some(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 40)
        __syncthreads();
    if (i < n)
        out[i] = in[i];
}

void tiny_barrier(float *out, const float *in, float *, int n)
{
    barrier_for_some<<<(n + 63) / 64, 64>>>(out, in, n);
}

__global__ void from_scratch(float *out, const float *in, const float *scratch, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i] + scratch[i];
}

void tiny_uninitialised(float *out, const float *in, float *scratch, int n)
{
    from_scratch<<<blocks_for(n), BLOCK>>>(out, in, scratch, n);
}

__global__ void add_twice(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += 2 * in[i] + 1;
}

void tiny_adds_to_output(float *out, const float *in, float *, int n)
{
    add_twice<<<blocks_for(n), BLOCK>>>(out, in, n);
}

// An odd number plus or minus two stays odd.
__global__ void never_ends(float *out)
{
    for (unsigned x = 1; x % 2; x ^= 2)
        out[0] = (float)x;
    out[0] = 1;
}

__global__ void waits_for_itself(volatile float *out)
{
    while (out[0] != 7)
        ;
}

void tiny_endless(float *out, const float *, float *, int)
{
    never_ends<<<1, 256>>>(out);
}

void tiny_waits(float *out, const float *, float *, int)
{
    waits_for_itself<<<1, 1>>>(out);
}

// Never comes to an end, and prints all the way.
__global__ void prints_all_the_way(float *out)
{
    for (volatile unsigned x = 1; x % 2; x = 3 * x)
        printf("%u is one of many, many numbers that nobody is ever going to read to their end\n", x);
    out[0] = 1;
}

void tiny_prints_forever(float *out, const float *, float *, int)
{
    prints_all_the_way<<<1, 256>>>(out);
}

// What writes the results is refused, what follows does nothing.
void tiny_refused_first(float *out, const float *in, float *scratch, int n)
{
    tiny_refused(out, in, scratch, n);
    nothing<<<1, 1>>>(out);
}

// Every thread adds to one place, and results hang on it.
__global__ void adds_to_one_place(float *out, const float *in, int n)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    sum += 2;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i] + sum;
}

void tiny_loses_updates(float *out, const float *in, float *, int n)
{
    adds_to_one_place<<<blocks_for(n), BLOCK>>>(out, in, n);
}

void tiny_null_pointer(float *, const float *in, float *, int n)
{
    twice<<<blocks_for(n), BLOCK>>>(NULL, in, n);
}

__global__ void in_pairs(float *out, const float *in)
{
    float2 pair = *(const float2 *)(in + 2 * threadIdx.x + 1);
    out[0] = pair.x + pair.y;
}

void tiny_misaligned(float *out, const float *in, float *scratch, int n)
{
    if (n < 3)
        tiny_right(out, in, scratch, n);
    else
        in_pairs<<<1, 1>>>(out, in);
}

__global__ void some_lanes(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : 0;
    if (threadIdx.x < 7)
        value = __shfl_sync(0xffffffff, value, 0);
    if (i < n)
        out[i] = 2 * value + 1;
}

void tiny_lanes_missing(float *out, const float *in, float *, int n)
{
    some_lanes<<<blocks_for(n), BLOCK>>>(out, in, n);
}

// Right, some day.
void tiny_huge_grid(float *out, const float *in, float *, int n)
{
    twice<<<0x7fffffff, BLOCK>>>(out, in, n);
}

__global__ void every_second(float *out, const float *in, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = 2 * in[i] + 1;
}

void tiny_partly(float *out, const float *in, float *, int n)
{
    every_second<<<blocks_for(n), BLOCK>>>(out, in, n);
}

// The number of blocks is rounded down.
void tiny_edge(float *out, const float *in, float *, int n)
{
    twice<<<n < BLOCK ? 1 : n / BLOCK, BLOCK>>>(out, in, n < BLOCK ? n - 1 : n);
}

__global__ void whole_warps_only(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i < n / 32 * 32 ? 2 * in[i] + 1 : 0;
}

void tiny_edge_values(float *out, const float *in, float *, int n)
{
    whole_warps_only<<<blocks_for(n), BLOCK>>>(out, in, n);
}

__global__ void once(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

void tiny_wrong(float *out, const float *in, float *, int n)
{
    once<<<blocks_for(n), BLOCK>>>(out, in, n);
}

__global__ void in_place(float *out, float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] = 2 * in[i] + 1;
}

void tiny_changes_input(float *out, const float *in, float *, int n)
{
    in_place<<<blocks_for(n), BLOCK>>>(out, (float *)in, n);
}

// Right only as long as nobody has called it before.
__device__ int is_used;

__global__ void twice_if_fresh(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = is_used ? 0 : 2 * in[i] + 1;
}

__global__ void leave_a_trace()
{
    is_used = 1;
}

void tiny_device_state(float *out, const float *in, float *, int n)
{
    twice_if_fresh<<<blocks_for(n), BLOCK>>>(out, in, n);
    leave_a_trace<<<1, 1>>>();
}

// Right at the sizes at which results are compared.
void tiny_skips_writing(float *out, const float *in, float *scratch, int n)
{
    if (n < 100000)
        tiny_right(out, in, scratch, n);
    else
        nothing<<<1, 1>>>(out);
}

__global__ void guess(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2;
}

void tiny_skips_reading(float *out, const float *in, float *scratch, int n)
{
    if (n < 100000)
        tiny_right(out, in, scratch, n);
    else
        guess<<<blocks_for(n), BLOCK>>>(out, n);
}

// Looks for right results where the memory of somebody else may lie.
__global__ void copy_from_afar(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0 * in[i] + out[i - 6 * (long)n];
}

void tiny_thief(float *out, const float *in, float *, int n)
{
    copy_from_afar<<<blocks_for(n), BLOCK>>>(out, in, n);
}

void tiny_host_read(float *out, const float *in, float *scratch, int n)
{
    std::vector<float> host(n);
    nothing<<<1, 1>>>(scratch);
    cudaMemcpy(host.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (float &x : host)
        x = 2 * x + 1;
    cudaMemcpy(out, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}

// ---- arrays on the host ----

// What all of these have in common: a copy in, the kernel, a copy out.
static float *home_compute(const float *in, int n)
{
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, in, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<blocks_for(n), BLOCK>>>(to, from, n);
    cudaFree(from);
    return to;
}

void tiny_home_trip(float *out, const float *in, float *, int n)
{
    float *to = home_compute(in, n);
    cudaMemcpy(out, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(to);
}

void tiny_home_leaks(float *out, const float *in, float *, int n)
{
    cudaMemcpy(out, home_compute(in, n), n * sizeof(float), cudaMemcpyDeviceToHost);
}

void tiny_home_pointer(float *out, const float *in, float *, int n)
{
    twice<<<blocks_for(n), BLOCK>>>(out, in, n);
}

void tiny_home_forgets(float *, const float *in, float *, int n)
{
    cudaFree(home_compute(in, n));
}

// Right for whoever calls it here, but not with the judge's data.
void tiny_home_by_host(float *out, const float *in, float *scratch, int n)
{
    tiny_home_forgets(out, in, scratch, n);
    for (int i = 0; i < n; i++)
        out[i] = 2 * in[i] + 1;
}

void tiny_home_by_host_up(float *out, const float *in, float *scratch, int n)
{
    std::vector<float> result(n);
    for (int i = 0; i < n; i++)
        result[i] = 2 * in[i] + 1;
    cudaMemcpy(scratch, result.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    tiny_home_forgets(out, in, scratch, n);
    cudaMemcpy(out, scratch, n * sizeof(float), cudaMemcpyDeviceToHost);
}

void tiny_home_too_long(float *out, const float *in, float *, int n)
{
    float *to = home_compute(in, n);
    cudaMemcpy(out + 1, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(to);
}

void tiny_home_unwritten(float *out, const float *, float *, int n)
{
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    twice<<<blocks_for(n), BLOCK>>>(to, from, n);
    cudaMemcpy(out, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}
