/* lab0.cu - first kernels: the file you edit. The handout is handouts/lab0-first-kernel.md.
 * Each stage has an entry point, run_NAME(), which the grader calls. In stages 2 to 5 you write the code. In stages 6 to 12
 * the code is there and has a bug, or several: find it and repair it.
 *     make lab0 && build/lab0 add && ./grade lab0 */
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

/* TODO 1 (handout section 2): add two arrays, one element per thread.
 *   in:   a and b, count elements each, on the device
 *   out:  out[i] = a[i] + b[i]
 *   goal: right for every count, and no access out of bounds */
__global__ void add_kernel(float *out, const float *a, const float *b, int count)
{
}

void run_add(float *out, const float *a, const float *b, int count)
{
    /* TODO 1: launch add_kernel as run_copy launches its kernel. */
}

/* ---- stage 3: add in two dimensions ---- */

/* TODO 2 (handout section 3): add two arrays of `height` rows with `width` elements each, with blocks and a grid of two
 * dimensions. Element (x, y) has index y * width + x.
 *   goal: 32-byte sectors loaded per sector of input = 1: the 32 threads of a warp take 32 consecutive elements of a row */
__global__ void add_2d_kernel(float *out, const float *a, const float *b, int width, int height)
{
}

void run_add_2d(float *out, const float *a, const float *b, int width, int height)
{
    /* TODO 2: launch add_2d_kernel, with dim3 block(32, 8) and a grid that covers all columns and rows. */
}

/* ---- stage 4: from host to device and back ---- */

/* TODO 3 (handout section 4): on the GPU, add two arrays that are in host memory.
 *   in:   a and b, count elements each, in host memory
 *   out:  out[i] = a[i] + b[i], in host memory
 *   Allocate three arrays on the device, copy a and b there, call run_add() with the device's arrays, copy the result
 *   to `out`, and free what you have allocated. Wrap each CUDA call in CHECK().
 *   goal: right, and all device memory freed */
void run_round_trip(float *out, const float *a, const float *b, int count)
{
}

/* ---- stage 5: launch errors and kernel errors ---- */

/* TODO 4 (handout section 5): launch gather_kernel<<<..., threads>>>(out, in, where, count), which is in lab0.h, and report
 * its errors. Your caller may ask for too many threads, or pass indexes that are out of bounds of `in`. Do not prevent
 * that; report it. Use as many blocks as `count` elements need with `threads` threads per block.
 *   out:  report->launch = the error of the launch, report->kernel = that of the kernel; cudaSuccess where there is none
 *   Do not use CHECK() or CHECK_LAUNCH() here: they end the program. */
void run_checked(struct report *report, float *out, const float *in, const int *where, int count, int threads)
{
}

/* ---- stage 6: out[i] = 2 * in[i] ---- */

/* TODO 5 (handout section 6): right with 1024 elements, and on many GPUs with 1000. What does the checker say? */
__global__ void double_kernel(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count)
        out[i] = 2 * in[i];
}

void run_twice(float *out, const float *in, int count)
{
    double_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}

/* ---- stage 7: each group of THREADS elements is reversed ---- */

/* TODO 6 (handout section 7): right with 32 elements. And with 1000? */
__global__ void reverse_kernel(float *out, const float *in, int count)
{
    __shared__ float tile[THREADS];
    int first = blockIdx.x * THREADS;         /* of this block's group */
    int length = min(THREADS, count - first); /* the last group may be shorter */
    int t = threadIdx.x;
    if (t < length)
        tile[t] = in[first + t];
    if (t < length)
        out[first + t] = tile[length - 1 - t];
}

void run_reverse(float *out, const float *in, int count)
{
    reverse_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}

/* ---- stage 8: out[row] is the sum of a row ---- */

/* TODO 7 (handout section 8): right for rows of 256 elements. And for rows of 100?
 * A block takes rows blockIdx.x, blockIdx.x + gridDim.x, ...; a thread, columns threadIdx.x, threadIdx.x + THREADS, ... */
__global__ void row_sums_kernel(float *out, const float *in, int width, int height)
{
    __shared__ float parts[THREADS];
    for (int row = blockIdx.x; row < height; row += gridDim.x) {
        if (threadIdx.x >= width)
            continue; /* there is nothing to add */
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

/* TODO 8 (handout section 9): right with 200 elements. And with 1000? */
__global__ void neighbours_kernel(float *out, const float *in, int count)
{
    __shared__ float tile[THREADS];
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

/* TODO 9 (handout section 10): right in some runs. */
__global__ void group_sums_kernel(float *out, const float *in, int count)
{
    __shared__ float sum;
    int i = blockIdx.x * THREADS + threadIdx.x;
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

/* TODO 10 (handout section 11): right when it is run for the second time. */
__global__ void clip_kernel(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && in[i] > 0)
        out[i] = in[i];
}

void run_clip(float *out, const float *in, int count)
{
    clip_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, in, count);
    CHECK_LAUNCH();
}

/* ---- stage 12: out[g] is the sum of |in[i + 1] - in[i]| over group g of THREADS elements ---- */

/* TODO 11 (handout section 12): nobody says what is wrong here, or how often. The last element of the array has no next one, and
 * changes by 0. */
__global__ void changes_kernel(float *out, const float *in, int count)
{
    __shared__ float part[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
    if (i < count) {
        float change = fabsf(in[i + 1] - in[i]);
        part[t] = i + 1 < count ? change : 0;
    }
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (s >= 32) /* what is left then belongs to one warp */
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
