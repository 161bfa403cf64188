/* baseline.cu - the kit's own first ways of adding arrays: each thread takes a run of elements, each warp goes down a column. They
 * are never the student's. */
#include "lab0.h"

LAB_ENTRIES(add_fn, baseline_run_per_thread);
LAB_ENTRIES(add_2d_fn, baseline_columns);

__global__ void add_runs(float *out, const float *a, const float *b, int count)
{
    enum { RUN = 64 };
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;
    for (int i = first; i < first + RUN && i < count; i++)
        out[i] = a[i] + b[i];
}

void baseline_run_per_thread(float *out, const float *a, const float *b, int count)
{
    add_runs<<<(count / 64 + 256) / 256, 256>>>(out, a, b, count);
}

__global__ void add_columns(float *out, const float *a, const float *b, int width, int height)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        size_t i = (size_t)y * width + x;
        out[i] = a[i] + b[i];
    }
}

void baseline_columns(float *out, const float *a, const float *b, int width, int height)
{
    dim3 block(32, 8), grid((height + 31) / 32, (width + 7) / 8);
    add_columns<<<grid, block>>>(out, a, b, width, height);
}
