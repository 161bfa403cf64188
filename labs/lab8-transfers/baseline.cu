/* baseline.cu - the kit's own given steps of lab 8, which speedups are measured against. None of it is the student's. */
#include "lab8.h"

#include <vector>

#include "work.h"

LAB_ENTRIES(pieces_fn, baseline_pieces);
LAB_ENTRIES(count_fn, baseline_host_reset);
LAB_ENTRIES(levels_fn, baseline_host_rest);
LAB_ENTRIES(cipher_fn, baseline_pageable);
LAB_ENTRIES(rounds_fn, baseline_launches);

enum { BLOCK = 256 };

static int blocks_for(int count)
{
    return (count - 1) / BLOCK + 1;
}

/* ---- five kernels ---- */

__global__ void scale(float *out, const float *a, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] = 1.5f * a[i];
}

__global__ void add(float *out, const float *b, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] += b[i];
}

__global__ void square(float *out, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] *= out[i];
}

__global__ void shift(float *out, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] += 0.25f;
}

__global__ void root(float *out, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] = sqrtf(out[i]);
}

void baseline_pieces(float *out, const float *a, const float *b, int count)
{
    int blocks = blocks_for(count);
    scale<<<blocks, BLOCK>>>(out, a, count);
    add<<<blocks, BLOCK>>>(out, b, count);
    square<<<blocks, BLOCK>>>(out, count);
    shift<<<blocks, BLOCK>>>(out, count);
    root<<<blocks, BLOCK>>>(out, count);
}

/* ---- zeros from the host ---- */

__global__ void count_keys(int *counts, const int *keys, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        atomicAdd(&counts[keys[i]], 1);
}

void baseline_host_reset(int *counts, const int *keys, int count, int bins)
{
    std::vector<int> zeros(bins);
    cudaMemcpy(counts, zeros.data(), bins * sizeof(int), cudaMemcpyHostToDevice);
    count_keys<<<blocks_for(count), BLOCK>>>(counts, keys, count);
}

/* ---- the rest on the host ---- */

__global__ void shape(float *x, const float *in, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        x[i] = shaped(in[i]);
}

__global__ void lift(float *out, const float *x, const float *levels, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] = x[i] + levels[i / SEGMENT];
}

void baseline_host_rest(float *out, const float *in, float *x, float *levels, float *host_x, float *host_levels,
                        int count)
{
    shape<<<blocks_for(count), BLOCK>>>(x, in, count);
    cudaMemcpy(host_x, x, count * sizeof(float), cudaMemcpyDeviceToHost);
    host_rest(host_levels, host_x, count);
    cudaMemcpy(levels, host_levels, segments_of(count) * sizeof(float), cudaMemcpyHostToDevice);
    lift<<<blocks_for(count), BLOCK>>>(out, x, levels, count);
}

/* ---- pageable memory, one thing after the other ---- */

__global__ void encrypt(unsigned *out, const unsigned *in, int count, unsigned modulus)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] = encrypted(in[i], modulus);
}

void baseline_pageable(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
    cudaMemcpy(in, host_in, count * sizeof(unsigned), cudaMemcpyHostToDevice);
    encrypt<<<blocks_for(count), BLOCK>>>(out, in, count, modulus);
    cudaMemcpy(host_out, out, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
}

/* ---- a launch for each kernel ---- */

__global__ void mix(unsigned *to, const unsigned *from, int distance, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        to[i] = mixed(from[max(i - distance, 0)], from[i], from[min(i + distance, count - 1)]);
}

void baseline_launches(unsigned *out, const unsigned *in, unsigned *other, int count, int rounds)
{
    cudaMemcpyAsync(out, in, count * sizeof(unsigned), cudaMemcpyDeviceToDevice);
    for (int round = 0; round < rounds; round++)
        for (int level = 0; level < LEVELS; level++)
            mix<<<blocks_for(count), BLOCK>>>(level % 2 ? out : other, level % 2 ? other : out, 1 << level, count);
}
