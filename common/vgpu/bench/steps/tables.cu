/* tables.cu - what is looked up by all lanes at once: which way a loop goes (a switch, a table of functions),
 * and tables that every thread walks from end to end, in constant, shared and global memory.
 * Inputs are small beside the work on them. */
#include "steps.h"

#include <cmath>

enum { BLOCK = 256, LANES = 32 };

static int n;
static struct steps_array in, out;

static void prepare(int size)
{
    n = size;
    in = steps_input(n, 21);
    out = steps_output(n);
}

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* ---------------------------------------------------------------------------------------------- many ways */

enum { MOST_WAYS = 16, TURNS = 64, STARTS = 32 };

/* A small machine: its program is data, and its operations keep values within [0, 1]. */
__device__ unsigned char program[TURNS + STARTS];
static unsigned char host_program[TURNS + STARTS];

__host__ __device__ static float operate(int operation, float x)
{
    switch (operation) {
    case 0:
        return x * 0.75f + 0.125f;
    case 1:
        return x - x * x * 0.25f;
    case 2:
        return fabsf(x - 0.5f) + 0.25f;
    case 3:
        return (x + 1.0f) * (0.25f - x * 0.125f);
    case 4:
        return fmaxf(x, 0.25f) * 0.875f;
    case 5:
        return fminf(x, 0.75f) + 0.125f;
    case 6:
        return sqrtf(x + 0.25f) * 0.75f;
    case 7:
        return 1.0f / (x + 1.0f);
    case 8:
        return x * x * 0.5f + 0.25f;
    case 9:
        return 1.0f - x * 0.5f;
    case 10:
        return (x - 0.5f) * (x - 0.5f) * (x - 0.5f) + 0.5f;
    case 11:
        return x * (1.0f - x) + 0.25f;
    case 12:
        return 0.5f * (x + x * x * x);
    case 13:
        return fmaxf(x, 1.0f - x);
    case 14:
        return fminf(x, 1.0f - x) + 0.25f;
    default:
        return (x * x - x) * x + 0.75f;
    }
}

template <int OPERATION> __device__ static float operate_one(float x)
{
    return operate(OPERATION, x);
}

typedef float operation_function(float x);
__constant__ operation_function *operations[MOST_WAYS] = {
    operate_one<0>,  operate_one<1>,  operate_one<2>,  operate_one<3>, operate_one<4>,  operate_one<5>,
    operate_one<6>,  operate_one<7>,  operate_one<8>,  operate_one<9>, operate_one<10>, operate_one<11>,
    operate_one<12>, operate_one<13>, operate_one<14>, operate_one<15>};

template <int WAYS> struct by_switch {
    static __device__ float operate(int operation, float x)
    {
        return ::operate(operation & (WAYS - 1), x);
    }
};

template <int WAYS> struct by_function {
    static __device__ float operate(int operation, float x)
    {
        return operations[operation](x);
    }
};

/* All ways are gone, and one result is taken: no branches. */
template <int WAYS> struct by_selection {
    static __device__ float operate(int operation, float x)
    {
        float result = 0;
#pragma unroll
        for (int way = 0; way < WAYS; way++) {
            float here = ::operate(way, x);
            result = way == operation ? here : result;
        }
        return result;
    }
};

/* Element i begins at operation i % STARTS. Neighbouring lanes take neighbours, or those that begin alike. */
template <class WAY, bool IS_UNIFORM> __global__ void run_program(float *out, const float *in, int n)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, group = LANES * STARTS;
    int i = IS_UNIFORM ? t / group * group + t % LANES * STARTS + t / LANES % STARTS : t;
    if (i >= n)
        return;
    float x = in[i];
#pragma unroll 1
    for (int turn = 0; turn < TURNS; turn++)
        x = WAY::operate(program[i % STARTS + turn], x);
    out[i] = x;
}

template <class WAY, bool IS_UNIFORM> static void launch_program(void)
{
    const int group = LANES * STARTS;
    run_program<WAY, IS_UNIFORM><<<steps_blocks(n, group) * group / BLOCK, BLOCK>>>(out.device, in.device, n);
}

template <int WAYS> static void prepare_program(int size)
{
    prepare(size);
    for (int i = 0; i < TURNS + STARTS; i++)
        host_program[i] = (unsigned char)(steps_value(i, 22) * WAYS);
    STEPS_CHECK(cudaMemcpyToSymbol(program, host_program, sizeof host_program));
}

static void program_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        expected[i] = in.host[i];
        for (int turn = 0; turn < TURNS; turn++)
            expected[i] = operate(host_program[i % STARTS + turn], expected[i]);
    }
}

template <int WAYS>
static const struct step switch_steps[] = {
    {"switch", launch_program<by_switch<WAYS>, false>},
    {"switch_uniform", launch_program<by_switch<WAYS>, true>},
    {"functions", launch_program<by_function<WAYS>, false>},
    {"functions_uniform", launch_program<by_function<WAYS>, true>},
    {"selection", launch_program<by_selection<WAYS>, false>},
};
const struct step_family switch4_family = {
    "switch4", switch_steps<4>, 5, 1 << 21, 5003, 1e-4, prepare_program<4>, finish, &out, program_reference};
const struct step_family switch16_family = {
    "switch16", switch_steps<16>, 5, 1 << 21, 5003, 1e-4, prepare_program<16>, finish, &out,
    program_reference};

/* ------------------------------------------------------------------------------------------ uniform walks */

enum { KILOBYTE = 256, MOST_WORDS = 48 * KILOBYTE }; /* in words */

static struct steps_array codes;
__constant__ float constant_codes[MOST_WORDS];

/* How far the nearest code is from x. All threads ask for the same code at the same time. */
template <int WORDS> __host__ __device__ static float nearest(float x, const float *codes)
{
    float best = 2;
    for (int k = 0; k < WORDS; k++)
        best = fminf(best, fabsf(x - codes[k]));
    return best;
}

template <int WORDS> __global__ void nearest_constant(float *out, const float *in, const float *, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = nearest<WORDS>(in[i], constant_codes);
}

/* Every block begins somewhere else: at one time, the blocks of an SM want different parts of the table. */
template <int WORDS> __global__ void nearest_rotated(float *out, const float *in, const float *, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], best = 2;
    for (int k = 0, first = blockIdx.x * 97; k < WORDS; k++)
        best = fminf(best, fabsf(x - constant_codes[(first + k) % WORDS]));
    out[i] = best;
}

template <int WORDS> __global__ void nearest_shared(float *out, const float *in, const float *codes, int n)
{
    __shared__ float own[WORDS];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (int k = threadIdx.x; k < WORDS; k += BLOCK)
        own[k] = codes[k];
    __syncthreads();
    if (i < n)
        out[i] = nearest<WORDS>(in[i], own);
}

template <int WORDS> __global__ void nearest_global(float *out, const float *in, const float *codes, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = nearest<WORDS>(in[i], codes);
}

template <int WORDS> __global__ void nearest_quads(float *out, const float *in, const float *codes, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], best = 2;
    for (int k = 0; k < WORDS / 4; k++) {
        float4 quad = ((const float4 *)codes)[k];
        best = fminf(best, fminf(fabsf(x - quad.x), fabsf(x - quad.y)));
        best = fminf(best, fminf(fabsf(x - quad.z), fabsf(x - quad.w)));
    }
    out[i] = best;
}

typedef void nearest_kernel(float *out, const float *in, const float *codes, int n);

template <nearest_kernel *KERNEL> static void launch_nearest(void)
{
    KERNEL<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, codes.device, n);
}

template <int WORDS> static void prepare_codes(int size)
{
    prepare(size);
    codes = steps_input(WORDS, 23);
    STEPS_CHECK(cudaMemcpyToSymbol(constant_codes, codes.host, WORDS * sizeof(float)));
}

static void finish_codes(void)
{
    finish();
    steps_free(&codes);
}

template <int WORDS> static void nearest_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = nearest<WORDS>(in.host[i], codes.host);
}

template <int WORDS>
static const struct step walk_steps[] = {
    {"constant", launch_nearest<nearest_constant<WORDS>>},
    {"rotated", launch_nearest<nearest_rotated<WORDS>>},
    {"shared", launch_nearest<nearest_shared<WORDS>>},
    {"global", launch_nearest<nearest_global<WORDS>>},
    {"quads", launch_nearest<nearest_quads<WORDS>>},
};
template <int WORDS> static struct step_family family_of_walks(const char *name, int size)
{
    return {name, walk_steps<WORDS>, 5, size, 1001, 1e-6, prepare_codes<WORDS>, finish_codes, &out,
            nearest_reference<WORDS>};
}

const struct step_family walk1_family = family_of_walks<1 * KILOBYTE>("walk1", 1 << 22);
const struct step_family walk4_family = family_of_walks<4 * KILOBYTE>("walk4", 1 << 20);
const struct step_family walk16_family = family_of_walks<16 * KILOBYTE>("walk16", 1 << 18);
const struct step_family walk48_family = family_of_walks<48 * KILOBYTE>("walk48", 1 << 17);
