/* nbody.cu - the pull of n bodies on each other, all pairs: read from global memory as words and as float4,
 * through tiles in shared memory, two bodies per thread, and with 1 / sqrtf() or rsqrtf(). A body is x, y,
 * z and its mass; the result is three numbers per body, all x first, then all y, then all z. */
#include "steps.h"

#include <cmath>

enum { BLOCK = 128 };
#define SOFTENING 0.01f /* keeps close bodies apart, and a body from itself */

static int n;
static struct steps_array bodies, out;

struct with_sqrt {
    __device__ float operator()(float x) const
    {
        return 1.0f / sqrtf(x);
    }
};

struct with_rsqrt {
    __device__ float operator()(float x) const
    {
        return rsqrtf(x);
    }
};

template <class ROOT> __device__ static void pull(float3 &sum, float4 body, float4 other, ROOT inverse_root)
{
    float x = other.x - body.x, y = other.y - body.y, z = other.z - body.z;
    float inverse = inverse_root(x * x + y * y + z * z + SOFTENING),
          force = other.w * inverse * inverse * inverse;
    sum.x += x * force;
    sum.y += y * force;
    sum.z += z * force;
}

__device__ static void store(float *out, int i, float3 sum, int n)
{
    out[i] = sum.x;
    out[n + i] = sum.y;
    out[2 * n + i] = sum.z;
}

/* ------------------------------------------------------------------------------------------ global memory */

__device__ static float4 body_by_words(const float *bodies, int i)
{
    return make_float4(bodies[4 * i], bodies[4 * i + 1], bodies[4 * i + 2], bodies[4 * i + 3]);
}

template <class ROOT> __global__ void pull_words(float *out, const float *bodies, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float4 body = body_by_words(bodies, i);
    float3 sum = {};
    for (int j = 0; j < n; j++)
        pull(sum, body, body_by_words(bodies, j), ROOT());
    store(out, i, sum, n);
}

__global__ void pull_float4(float *out, const float *bodies, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    const float4 *all = (const float4 *)bodies, body = all[i];
    float3 sum = {};
    for (int j = 0; j < n; j++)
        pull(sum, body, all[j], with_rsqrt());
    store(out, i, sum, n);
}

/* ------------------------------------------------------------------------------------------- shared tiles */

/* A thread has EACH bodies, a block's width apart. Beyond the last body there is one without mass. */
template <int EACH, class ROOT> __global__ void pull_tiled(float *out, const float *bodies, int n)
{
    __shared__ float4 tile[BLOCK];
    const float4 *all = (const float4 *)bodies, none = make_float4(0, 0, 0, 0);
    int t = threadIdx.x, first = blockIdx.x * BLOCK * EACH + t;
    float4 body[EACH];
    float3 sum[EACH] = {};
#pragma unroll
    for (int k = 0; k < EACH; k++)
        body[k] = first + k * BLOCK < n ? all[first + k * BLOCK] : none;
    for (int base = 0; base < n; base += BLOCK) {
        tile[t] = base + t < n ? all[base + t] : none;
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < BLOCK; j++)
#pragma unroll
            for (int k = 0; k < EACH; k++)
                pull(sum[k], body[k], tile[j], ROOT());
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * BLOCK < n)
            store(out, first + k * BLOCK, sum[k], n);
}

/* --------------------------------------------------------------------------------------------- the family */

template <void (*PULL)(float *, const float *, int), int EACH> static void launch(void)
{
    PULL<<<steps_blocks(n, BLOCK * EACH), BLOCK>>>(out.device, bodies.device, n);
}

static void prepare(int size)
{
    n = size;
    bodies = steps_input((size_t)n * 4, 30);
    out = steps_output((size_t)n * 3);
}

static void finish(void)
{
    steps_free(&bodies);
    steps_free(&out);
}

static void reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        double sum[3] = {};
        for (int j = 0; j < n; j++) {
            double apart[3], square = SOFTENING;
            for (int k = 0; k < 3; k++) {
                apart[k] = (double)bodies.host[4 * j + k] - bodies.host[4 * i + k];
                square += apart[k] * apart[k];
            }
            for (int k = 0; k < 3; k++)
                sum[k] += apart[k] * bodies.host[4 * j + 3] / (square * sqrt(square));
        }
        for (int k = 0; k < 3; k++)
            expected[k * n + i] = (float)sum[k];
    }
}

static const struct step steps[] = {
    {"words", launch<pull_words<with_sqrt>, 1>},
    {"words_rsqrt", launch<pull_words<with_rsqrt>, 1>},
    {"float4", launch<pull_float4, 1>},
    {"tiled_sqrt", launch<pull_tiled<1, with_sqrt>, 1>},
    {"tiled", launch<pull_tiled<1, with_rsqrt>, 1>},
    {"two_bodies", launch<pull_tiled<2, with_rsqrt>, 2>},
};
/* Two blocks of one body per thread for each SM of an H200. */
const struct step_family nbody_family = {
    "nbody", steps, STEPS_COUNT(steps), 132 * 2 * BLOCK, 515, 1e-3, prepare, finish, &out, reference};
