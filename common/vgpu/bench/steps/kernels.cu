/* kernels.cu - how many kernels: five small ones and a fused one, and who sets an accumulator to zero.
 * A step is all that happens between two events, several launches and copies included. */
#include "steps.h"

enum { BLOCK = 256 };

static int n;
static struct steps_array first, second, out;

/* ------------------------------------------------------------------------------------------- fusion */

__global__ void scale(float *x, const float *a, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        x[i] = a[i] * 1.5f;
}

__global__ void add(float *x, const float *b, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        x[i] += b[i];
}

__global__ void square(float *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        x[i] *= x[i];
}

__global__ void shift(float *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        x[i] += 0.25f;
}

__global__ void root(float *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        x[i] = sqrtf(x[i]);
}

__host__ __device__ static float all_five(float a, float b)
{
    float sum = a * 1.5f + b;
    return sqrtf(sum * sum + 0.25f);
}

__global__ void fused(float *x, const float *a, const float *b, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        x[i] = all_five(a[i], b[i]);
}

static void launch_five(void)
{
    unsigned blocks = steps_blocks(n, BLOCK);
    scale<<<blocks, BLOCK>>>(out.device, first.device, n);
    add<<<blocks, BLOCK>>>(out.device, second.device, n);
    square<<<blocks, BLOCK>>>(out.device, n);
    shift<<<blocks, BLOCK>>>(out.device, n);
    root<<<blocks, BLOCK>>>(out.device, n);
}

static void launch_fused(void)
{
    fused<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, first.device, second.device, n);
}

static void prepare_fusion(int size)
{
    n = size;
    first = steps_input(n, 12);
    second = steps_input(n, 13);
    out = steps_output(n);
}

static void finish_fusion(void)
{
    steps_free(&first);
    steps_free(&second);
    steps_free(&out);
}

static void fusion_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = all_five(first.host[i], second.host[i]);
}

static const struct step fusion_steps[] = {{"five", launch_five}, {"fused", launch_fused}};
/* Once far beyond L2, once so small that launching is all the work. */
const struct step_family fusion_family = {
    "fusion", fusion_steps, STEPS_COUNT(fusion_steps), 1 << 25, 10007, 1e-5, prepare_fusion, finish_fusion, &out,
    fusion_reference};
const struct step_family fusion_small_family = {
    "fusion_small", fusion_steps, STEPS_COUNT(fusion_steps), 1 << 16, 10007, 1e-5, prepare_fusion, finish_fusion,
    &out,           fusion_reference};

/* ---------------------------------------------------------------------------------------- the accumulator */

enum { ROWS = 256 }; /* as many sums */

__global__ void clear(float *sums)
{
    sums[threadIdx.x] = 0;
}

/* A row of blocks adds up a part of the array. */
__global__ void add_up(float *sums, const float *in, int n)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x, i = (blockIdx.y * gridDim.x + blockIdx.x) * BLOCK + t;
    part[t] = i < n ? in[i] : 0;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        atomicAdd(&sums[blockIdx.y], part[0]);
}

static void launch_add_up(void)
{
    add_up<<<dim3(steps_blocks(n, ROWS * BLOCK), ROWS), BLOCK>>>(out.device, first.device, n);
}

/* The host's zeros come over the bus. */
static void launch_reset_by_host(void)
{
    static const float zeros[ROWS] = {};
    STEPS_CHECK(cudaMemcpy(out.device, zeros, sizeof zeros, cudaMemcpyHostToDevice));
    launch_add_up();
}

static void launch_reset_by_memset(void)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, ROWS * sizeof(float)));
    launch_add_up();
}

static void launch_reset_by_kernel(void)
{
    clear<<<1, ROWS>>>(out.device);
    launch_add_up();
}

static void prepare_reset(int size)
{
    n = size;
    first = steps_input(n, 14);
    out = steps_output(ROWS);
}

static void finish_reset(void)
{
    steps_free(&first);
    steps_free(&out);
}

static void reset_reference(float *expected)
{
    int share = (int)steps_blocks(n, ROWS * BLOCK) * BLOCK;
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int i = row * share; i < (row + 1) * share && i < n; i++)
            sum += first.host[i];
        expected[row] = (float)sum;
    }
}

static const struct step reset_steps[] = {
    {"host", launch_reset_by_host}, {"memset", launch_reset_by_memset}, {"kernel", launch_reset_by_kernel}};
const struct step_family reset_family = {
    "reset", reset_steps, STEPS_COUNT(reset_steps), 1 << 22, 100003, 1e-2, prepare_reset, finish_reset, &out,
    reset_reference};
