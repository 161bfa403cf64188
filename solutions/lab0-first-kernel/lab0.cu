/* lab0.cu - first kernels, solved. */
#include "lab0.h"

#include "lab/check.h"

enum { THREADS = 256 }; /* per block */

/* ---- stage 1, given: out[i] = in[i] ---- */

/* Every thread runs this code. Each has its own index i, and copies element i. */
__global__ void copy_kernel(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) /* the last block may have threads without an element */
        out[i] = in[i];
}

void run_copy(float *out, const float *in, int count)
{
    int blocks = (count + THREADS - 1) / THREADS; /* count / THREADS, rounded up */
    copy_kernel<<<blocks, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}

/* ---- stage 2: add ---- */

__global__ void add_kernel(float *out, const float *a, const float *b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] + b[i];
}

void run_add(float *out, const float *a, const float *b, int count)
{
    int blocks = (count + THREADS - 1) / THREADS;
    add_kernel<<<blocks, THREADS>>>(out, a, b, count);
    CHECK_LAUNCH();
}

/* ---- stage 3: add in two dimensions ---- */

/* threadIdx.x runs along a row, so that a warp's 32 elements are neighbours: 128 bytes, 4 sectors. */
__global__ void add_2d_kernel(float *out, const float *a, const float *b, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        size_t i = (size_t)y * width + x; /* beyond 2^31 elements an int would overflow */
        out[i] = a[i] + b[i];
    }
}

void run_add_2d(float *out, const float *a, const float *b, int width, int height)
{
    dim3 block(32, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    add_2d_kernel<<<grid, block>>>(out, a, b, width, height);
    CHECK_LAUNCH();
}

/* ---- stage 4: from host to device and back ---- */

void run_round_trip(float *out, const float *a, const float *b, int count)
{
    size_t bytes = count * sizeof(float);
    float *device_a, *device_b, *device_out;
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_out, bytes));
    CHECK(cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice));
    run_add(device_out, device_a, device_b, count);
    CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost)); /* waits for the kernel */
    CHECK(cudaFree(device_out));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_a));
}

/* ---- stage 5: launch errors and kernel errors ---- */

/* In this order: a refused launch is known at once and is forgotten by whoever asks; a fault shows when the kernel has run. */
void run_checked(struct report *report, float *out, const float *in, const int *where, int count, int threads)
{
    int blocks = (count + threads - 1) / threads;
    gather_kernel<<<blocks, threads>>>(out, in, where, count);
    report->launch = cudaGetLastError();
    report->kernel = cudaDeviceSynchronize();
}

/* ---- stage 6: out[i] = 2 * in[i] ---- */

/* An array of count elements ends at count - 1. */
__global__ void double_kernel(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = 2 * in[i];
}

void run_twice(float *out, const float *in, int count)
{
    double_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}

/* ---- stage 7: each group of THREADS elements is reversed ---- */

__global__ void reverse_kernel(float *out, const float *in, int count)
{
    __shared__ float tile[THREADS];
    int first = blockIdx.x * THREADS;         /* of this block's group */
    int length = min(THREADS, count - first); /* the last group may be shorter */
    int t = threadIdx.x;
    if (t < length)
        tile[t] = in[first + t];
    __syncthreads(); /* what comes now was written by another thread, of another warp */
    if (t < length)
        out[first + t] = tile[length - 1 - t];
}

void run_reverse(float *out, const float *in, int count)
{
    reverse_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}

/* ---- stage 8: out[row] is the sum of a row ---- */

/* A block takes rows blockIdx.x, blockIdx.x + gridDim.x, ... A thread without a column adds nothing, but goes along. */
__global__ void row_sums_kernel(float *out, const float *in, int width, int height)
{
    __shared__ float parts[THREADS];
    for (int row = blockIdx.x; row < height; row += gridDim.x) {
        float part = 0;
        for (int x = threadIdx.x; x < width; x += THREADS)
            part += in[(size_t)row * width + x];
        parts[threadIdx.x] = part;
        __syncthreads(); /* all parts are written */
        if (threadIdx.x == 0) {
            float sum = 0;
            for (int t = 0; t < min(width, THREADS); t++)
                sum += parts[t];
            out[row] = sum;
        }
        __syncthreads(); /* thread 0 has read them; the next row may overwrite them */
    }
}

void run_row_sums(float *out, const float *in, int width, int height)
{
    row_sums_kernel<<<min(height, 1000), THREADS>>>(out, in, width, height);
    CHECK_LAUNCH();
}

/* ---- stage 9: out[i] = in[i - 1] + in[i] + in[i + 1], with 0 beyond both ends ---- */

__global__ void neighbours_kernel(float *out, const float *in, int count)
{
    __shared__ float tile[THREADS + 2]; /* thread t has place t + 1: there is one more on each side */
    int i = blockIdx.x * THREADS + threadIdx.x, place = threadIdx.x + 1;
    if (i < count) {
        tile[place] = in[i];
        if (threadIdx.x == 0)
            tile[0] = i > 0 ? in[i - 1] : 0;
        if (threadIdx.x == THREADS - 1 || i == count - 1)
            tile[place + 1] = i < count - 1 ? in[i + 1] : 0;
    }
    __syncthreads();
    if (i < count)
        out[i] = tile[place - 1] + tile[place] + tile[place + 1];
}

void run_neighbours(float *out, const float *in, int count)
{
    neighbours_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}

/* ---- stage 10: out[g] is the sum of group g of THREADS elements ---- */

__global__ void group_sums_kernel(float *out, const float *in, int count)
{
    __shared__ float sum;
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads(); /* nobody adds before it is 0 */
    if (i < count)
        atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

void run_group_sums(float *out, const float *in, int count)
{
    group_sums_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}

/* ---- stage 11: out[i] = in[i] where that is positive, else 0 ---- */

/* Every element is written: what was in `out` before is nobody's result. */
__global__ void clip_kernel(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i] > 0 ? in[i] : 0;
}

void run_clip(float *out, const float *in, int count)
{
    clip_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}

/* ---- stage 12: out[g] is the sum of |in[i + 1] - in[i]| over group g of THREADS elements ---- */

/* Three bugs were here: the element behind the last one was read; threads without an element left their part as it was; and lanes of
 * the last warp read what others had perhaps not written yet. */
__global__ void changes_kernel(float *out, const float *in, int count)
{
    __shared__ float part[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
    part[t] = i + 1 < count ? fabsf(in[i + 1] - in[i]) : 0;
    for (int s = THREADS / 2; s > 0; s /= 2) {
        __syncthreads();
        if (t < s)
            part[t] += part[t + s];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

void run_changes(float *out, const float *in, int count)
{
    changes_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}
