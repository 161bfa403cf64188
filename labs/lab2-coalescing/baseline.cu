/* baseline.cu - the kit's own slow walks, which speedups are measured against, and two right ones for the stages whose
 * slow walk wants the data in another order. Such a walk reads the stage's bytes as if they lay in its own order: it moves
 * what it would move there, and its results are not used. Never the student's code: slow baselines are easy speedups. */
#include "lab2.h"

LAB_ENTRIES(walk_fn, baseline_strided, baseline_offset, baseline_aos, baseline_soa, baseline_down, baseline_rows,
            baseline_column, baseline_nested, baseline_gather, baseline_records, baseline_every);

enum { BLOCK = 256, RUN = 64, TILE = 32, STRIPE = 8 };

static __device__ float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

static __device__ int thread_id(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static int blocks_for(int threads, int block)
{
    return (threads + block - 1) / block;
}

/* ------------------------------------------------------------------------------------------- unit: a run per thread */

__global__ void kit_strided(float *out, const float *in, int count)
{
    int first = thread_id() * RUN;
    for (int i = first; i < first + RUN && i < count; i++)
        out[i] = scaled(in[i]);
}

void baseline_strided(float *out, const float *in, struct shape shape)
{
    int runs = blocks_for(shape.count, RUN);
    kit_strided<<<blocks_for(runs, BLOCK), BLOCK>>>(out, in, shape.count);
}

/* ------------------------------------------------------------- aligned, vector: warps begin where the offset says */

__global__ void kit_offset(float *out, const float *in, int offset, int count)
{
    int i = thread_id();
    if (i < count)
        out[offset + i] = scaled(in[offset + i]);
}

void baseline_offset(float *out, const float *in, struct shape shape)
{
    kit_offset<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.offset, shape.count);
}

/* ------------------------------------------------------------------------------------------- soa */

struct particle {
    float x, y, z, vx, vy, vz, mass;
};

static __device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

__global__ void kit_aos(float *out, const struct particle *p, int count)
{
    int i = thread_id();
    if (i < count)
        out[i] = energy(p[i].vx, p[i].vy, p[i].vz, p[i].mass);
}

void baseline_aos(float *out, const float *in, struct shape shape)
{
    kit_aos<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, (const struct particle *)in, shape.count);
}

__global__ void kit_soa(float *out, const float *in, size_t stride, int count)
{
    int i = thread_id();
    if (i < count)
        out[i] = energy(in[i + 3 * stride], in[i + 4 * stride], in[i + 5 * stride], in[i + 6 * stride]);
}

void baseline_soa(float *out, const float *in, struct shape shape)
{
    kit_soa<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.pitch / sizeof(float), shape.count);
}

/* ------------------------------------------------------------------------------------------- pitched: down, not across */

__global__ void kit_down(float *out, const float *in, int width, int height, size_t stride)
{
    int y = blockIdx.x * TILE + threadIdx.x;
    int x = blockIdx.y * STRIPE + threadIdx.y;
    if (x < width && y < height)
        out[y * stride + x] = scaled(in[y * stride + x]);
}

void baseline_down(float *out, const float *in, struct shape shape)
{
    dim3 block(TILE, STRIPE), grid(blocks_for(shape.height, TILE), blocks_for(shape.width, STRIPE));
    kit_down<<<grid, block>>>(out, in, shape.width, shape.height, shape.pitch / sizeof(float));
}

/* ------------------------------------------------------------------------------------------- column */

/* a[width][height]: a thread walks along its own row, its neighbour along the next one. */
__global__ void kit_rows(float *out, const float *a, int width, int height)
{
    int i = thread_id();
    float sum = 0;
    if (i >= width)
        return;
    for (int k = 0; k < height; k++)
        sum += a[(size_t)i * height + k];
    out[i] = sum;
}

void baseline_rows(float *out, const float *in, struct shape shape)
{
    kit_rows<<<blocks_for(shape.width, BLOCK), BLOCK>>>(out, in, shape.width, shape.height);
}

__global__ void kit_column(float *out, const float *in, int width, int height, size_t stride)
{
    int i = thread_id();
    float sum = 0;
    if (i >= width)
        return;
    for (int k = 0; k < height; k++)
        sum += in[k * stride + i];
    out[i] = sum;
}

void baseline_column(float *out, const float *in, struct shape shape)
{
    kit_column<<<blocks_for(shape.width, BLOCK), BLOCK>>>(out, in, shape.width, shape.height,
                                                             shape.pitch / sizeof(float));
}

/* ------------------------------------------------------------------------------------------- flat: a line per thread */

__global__ void kit_nested(float *out, const float *in, int n0, int n1, int n2, int lines)
{
    int line = thread_id();
    if (line >= lines)
        return;
    int i1 = line % n1, i2 = line / n1 % n2, i3 = line / n1 / n2;
    for (int i0 = 0; i0 < n0; i0++)
        out[(size_t)line * n0 + i0] = in[(size_t)line * n0 + i0] + (float)(i0 + 2 * i1 + 3 * i2 + 4 * i3);
}

void baseline_nested(float *out, const float *in, struct shape shape)
{
    const int *n = shape.n;
    int lines = n[1] * n[2] * n[3];
    kit_nested<<<blocks_for(lines, BLOCK), BLOCK>>>(out, in, n[0], n[1], n[2], lines);
}

/* ------------------------------------------------------------------------------------------- records: fields far apart */

static __device__ float total(float x, float y, float z, float vx, float vy, float vz, float mass, float charge)
{
    return energy(vx, vy, vz, mass) + charge * (x + y + z);
}

__global__ void kit_gather(float *out, const float *in, const int *index, size_t stride, int count)
{
    int i = thread_id();
    if (i >= count)
        return;
    const float *p = in + index[i];
    out[i] = total(p[0], p[stride], p[2 * stride], p[3 * stride], p[4 * stride], p[5 * stride], p[6 * stride],
                   p[7 * stride]);
}

/* Stage records has no pitch: its fields lie side by side. */
void baseline_gather(float *out, const float *in, struct shape shape)
{
    size_t stride = shape.pitch ? shape.pitch / sizeof(float) : shape.count;
    kit_gather<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.index, stride, shape.count);
}

__global__ void kit_records(float *out, const float4 *in, const int *index, int count)
{
    int i = thread_id();
    if (i >= count)
        return;
    float4 a = in[2 * index[i]], b = in[2 * index[i] + 1];
    out[i] = total(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w);
}

void baseline_records(float *out, const float *in, struct shape shape)
{
    kit_records<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, (const float4 *)in, shape.index, shape.count);
}

/* ------------------------------------------------------------------------------------------- every: a run per thread */

__global__ void kit_every(float *out, const float *in, int stride, int count)
{
    int first = thread_id() * STRIPE;
    for (int k = first; k < first + STRIPE && k < count; k++)
        out[(size_t)k * stride] = scaled(in[(size_t)k * stride]);
}

void baseline_every(float *out, const float *in, struct shape shape)
{
    int runs = blocks_for(shape.count, STRIPE);
    kit_every<<<blocks_for(runs, BLOCK), BLOCK>>>(out, in, shape.stride, shape.count);
}
