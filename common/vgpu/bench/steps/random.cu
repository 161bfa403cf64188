/* random.cu - random numbers: what it costs to set a generator up, where its state is kept between calls, how many
 * numbers a call makes, and pi by random points.
 * cuRAND's device functions and two generators of a few lines. The CPU runs the same functions, compiled by the host's
 * compiler. Numbers of a thread lie n apart, so that a warp stores 32 neighbours. */
#define QUALIFIERS static __forceinline__ __host__ __device__ /* __host__ is added to what cuRAND says */
#include <curand_kernel.h>

#include "steps.h"

#include <vector>

enum { BLOCK = 256, NUMBERS = 16, SEED = 20261 };

static int n; /* threads, each with NUMBERS numbers */
static struct steps_array out;
static void *states;

/* ------------------------------------------------------------------------------------------- generators */

/* A sequence per thread: setting one up means a jump over all sequences before it. */
struct xorwow_sequences {
    curandStateXORWOW_t state;

    __host__ __device__ void start(int thread)
    {
        curand_init(SEED, thread, 0, &state);
    }
};

/* A seed per thread, as many programs do it. */
struct xorwow {
    curandStateXORWOW_t state;

    __host__ __device__ void start(int thread)
    {
        curand_init(SEED + thread, 0, 0, &state);
    }
};

struct philox {
    curandStatePhilox4_32_10_t state;

    __host__ __device__ void start(int thread)
    {
        curand_init(SEED, thread, 0, &state);
    }
};

template <class GENERATOR> __host__ __device__ static float uniform_of(GENERATOR *generator)
{
    return curand_uniform(&generator->state);
}

template <class GENERATOR> __host__ __device__ static float normal_of(GENERATOR *generator)
{
    return curand_normal(&generator->state);
}

__host__ __device__ static unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    return x ^ x >> 16;
}

__host__ __device__ static float as_uniform(unsigned x)
{
    return (float)(x >> 8) * (1.0f / 16777216.0f);
}

struct lcg {
    unsigned x;

    __host__ __device__ void start(int thread)
    {
        x = mixed(SEED + thread);
    }
};

__host__ __device__ static float uniform_of(struct lcg *generator)
{
    generator->x = generator->x * 1664525u + 1013904223u;
    return as_uniform(generator->x);
}

struct xorshift {
    unsigned x, y, z, w;

    __host__ __device__ void start(int thread)
    {
        x = mixed(SEED + thread);
        y = mixed(x);
        z = mixed(y);
        w = mixed(z) | 1;
    }
};

__host__ __device__ static float uniform_of(struct xorshift *generator)
{
    unsigned t = generator->x ^ generator->x << 11;
    generator->x = generator->y;
    generator->y = generator->z;
    generator->z = generator->w;
    generator->w ^= generator->w >> 19 ^ t ^ t >> 8;
    return as_uniform(generator->w);
}

/* What a family draws. */
struct uniforms {
    template <class GENERATOR> __host__ __device__ static float draw(GENERATOR *generator)
    {
        return uniform_of(generator);
    }

    __device__ static float4 draw_four(struct philox *generator)
    {
        return curand_uniform4(&generator->state);
    }
};

struct normals {
    template <class GENERATOR> __host__ __device__ static float draw(GENERATOR *generator)
    {
        return normal_of(generator);
    }

    __device__ static float4 draw_four(struct philox *generator)
    {
        return curand_normal4(&generator->state);
    }
};

/* ------------------------------------------------------------------------------------------- setting up */

template <class GENERATOR> __global__ void random_start(GENERATOR *states, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        states[i].start(i);
}

/* The state lives in registers, and is gone when the kernel ends. */
template <class GENERATOR, class KIND, int COUNT> __global__ void random_at_once(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    GENERATOR generator;
    generator.start(i);
    for (int k = 0; k < COUNT; k++)
        out[(size_t)k * n + i] = KIND::draw(&generator);
}

/* COUNT numbers per call; the state is loaded once and stored once. */
template <class GENERATOR, class KIND, int COUNT>
__global__ void random_kept(float *out, GENERATOR *states, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    GENERATOR generator = states[i];
    for (int k = 0; k < COUNT; k++)
        out[(size_t)k * n + i] = KIND::draw(&generator);
    states[i] = generator;
}

template <class GENERATOR> static void launch_start_and_draw(void)
{
    random_start<<<steps_blocks(n, BLOCK), BLOCK>>>((GENERATOR *)states, n);
    random_kept<GENERATOR, uniforms, 1>
        <<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, (GENERATOR *)states, n);
}

template <class GENERATOR, class KIND, int COUNT, int THREADS> static void launch_at_once(void)
{
    random_at_once<GENERATOR, KIND, COUNT><<<steps_blocks(n, THREADS), THREADS>>>(out.device, n);
}

/* `count` numbers per thread. States are made on the host: they are right even where only some blocks of a kernel run. */
template <class GENERATOR> static void prepare_states(int size, int count)
{
    n = size;
    out = steps_output((size_t)n * count);
    std::vector<GENERATOR> host(n);
    for (int i = 0; i < n; i++)
        host[i].start(i);
    STEPS_CHECK(cudaMalloc(&states, n * sizeof(GENERATOR)));
    STEPS_CHECK(cudaMemcpy(states, host.data(), n * sizeof(GENERATOR), cudaMemcpyHostToDevice));
}

template <class GENERATOR> static void prepare_one(int size)
{
    prepare_states<GENERATOR>(size, 1);
}

static void finish(void)
{
    steps_free(&out);
    STEPS_CHECK(cudaFree(states));
}

template <class GENERATOR, class KIND> static void numbers_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        GENERATOR generator;
        generator.start(i);
        for (size_t at = i; at < out.count; at += n)
            expected[at] = KIND::draw(&generator);
    }
}

#define INIT_STEPS(generator)                                                                                \
    {"stored", launch_start_and_draw<generator>},                                                            \
    {"at_once", launch_at_once<generator, uniforms, 1, BLOCK>},                                              \
    {"blocks_of_64", launch_at_once<generator, uniforms, 1, 64>},                                            \
    {"blocks_of_512", launch_at_once<generator, uniforms, 1, 512>}

static const struct step init_sequences_steps[] = {INIT_STEPS(xorwow_sequences)};
const struct step_family init_sequences_family = {
    "init_sequences", init_sequences_steps, STEPS_COUNT(init_sequences_steps), 1 << 16, 2003, 1e-6,
    prepare_one<xorwow_sequences>, finish, &out, numbers_reference<xorwow_sequences, uniforms>};

static const struct step init_seeds_steps[] = {INIT_STEPS(xorwow)};
const struct step_family init_seeds_family = {
    "init_seeds", init_seeds_steps, STEPS_COUNT(init_seeds_steps), 1 << 21, 5003, 1e-6,
    prepare_one<xorwow>, finish, &out, numbers_reference<xorwow, uniforms>};

static const struct step init_philox_steps[] = {INIT_STEPS(philox)};
const struct step_family init_philox_family = {
    "init_philox", init_philox_steps, STEPS_COUNT(init_philox_steps), 1 << 21, 5003, 1e-6,
    prepare_one<philox>, finish, &out, numbers_reference<philox, uniforms>};

/* ------------------------------------------------------------------------------------------- generation */

/* The state stays in memory: every number loads it, and stores it again. */
template <class GENERATOR, class KIND> __global__ void random_in_memory(float *out, GENERATOR *states, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
#pragma unroll 1
    for (int k = 0; k < NUMBERS; k++)
        out[(size_t)k * n + i] = KIND::draw(&states[i]);
}

/* What Philox makes in one go. */
template <class KIND> __global__ void random_by_four(float *out, struct philox *states, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    struct philox generator = states[i];
    for (size_t k = 0; k < NUMBERS; k += 4) {
        float4 four = KIND::draw_four(&generator);
        out[k * n + i] = four.x;
        out[(k + 1) * n + i] = four.y;
        out[(k + 2) * n + i] = four.z;
        out[(k + 3) * n + i] = four.w;
    }
    states[i] = generator;
}

/* As many calls as make NUMBERS. */
template <class GENERATOR, class KIND, int COUNT> static void launch_kept(void)
{
    for (size_t k = 0; k < NUMBERS; k += COUNT)
        random_kept<GENERATOR, KIND, COUNT>
            <<<steps_blocks(n, BLOCK), BLOCK>>>(out.device + k * n, (GENERATOR *)states, n);
}

template <class GENERATOR, class KIND> static void launch_in_memory(void)
{
    random_in_memory<GENERATOR, KIND><<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, (GENERATOR *)states, n);
}

template <class KIND> static void launch_by_four(void)
{
    random_by_four<KIND><<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, (struct philox *)states, n);
}

template <class GENERATOR> static void prepare_numbers(int size)
{
    prepare_states<GENERATOR>(size, NUMBERS);
}

#define NUMBERS_STEPS(generator, kind)                                                                       \
    {"calls_of_1", launch_kept<generator, kind, 1>}, {"calls_of_4", launch_kept<generator, kind, 4>},        \
    {"call_of_16", launch_kept<generator, kind, 16>}, {"in_memory", launch_in_memory<generator, kind>},      \
    {"in_registers", launch_at_once<generator, kind, NUMBERS, BLOCK>}

static const struct step xorwow_uniform_steps[] = {NUMBERS_STEPS(xorwow, uniforms)};
const struct step_family xorwow_uniform_family = {
    "xorwow_uniform", xorwow_uniform_steps, STEPS_COUNT(xorwow_uniform_steps), 1 << 20, 5003, 1e-6,
    prepare_numbers<xorwow>, finish, &out, numbers_reference<xorwow, uniforms>};

static const struct step xorwow_normal_steps[] = {NUMBERS_STEPS(xorwow, normals)};
const struct step_family xorwow_normal_family = {
    "xorwow_normal", xorwow_normal_steps, STEPS_COUNT(xorwow_normal_steps), 1 << 20, 5003, 1e-4,
    prepare_numbers<xorwow>, finish, &out, numbers_reference<xorwow, normals>};

static const struct step philox_uniform_steps[] = {NUMBERS_STEPS(philox, uniforms),
                                                   {"by_four", launch_by_four<uniforms>}};
const struct step_family philox_uniform_family = {
    "philox_uniform", philox_uniform_steps, STEPS_COUNT(philox_uniform_steps), 1 << 20, 5003, 1e-6,
    prepare_numbers<philox>, finish, &out, numbers_reference<philox, uniforms>};

static const struct step philox_normal_steps[] = {NUMBERS_STEPS(philox, normals),
                                                  {"by_four", launch_by_four<normals>}};
const struct step_family philox_normal_family = {
    "philox_normal", philox_normal_steps, STEPS_COUNT(philox_normal_steps), 1 << 20, 5003, 1e-4,
    prepare_numbers<philox>, finish, &out, numbers_reference<philox, normals>};

static const struct step lcg_steps[] = {NUMBERS_STEPS(lcg, uniforms)};
const struct step_family lcg_family = {
    "lcg", lcg_steps, STEPS_COUNT(lcg_steps), 1 << 21, 5003, 1e-6, prepare_numbers<lcg>, finish, &out,
    numbers_reference<lcg, uniforms>};

static const struct step xorshift_steps[] = {NUMBERS_STEPS(xorshift, uniforms)};
const struct step_family xorshift_family = {
    "xorshift", xorshift_steps, STEPS_COUNT(xorshift_steps), 1 << 21, 5003, 1e-6,
    prepare_numbers<xorshift>, finish, &out, numbers_reference<xorshift, uniforms>};

/* ------------------------------------------------------------------------------------------- pi */

enum { POINTS = 256 };

template <class GENERATOR> __device__ static int hits_of(int thread)
{
    int hits = 0;
    GENERATOR generator;
    generator.start(thread);
    for (int k = 0; k < POINTS; k++) {
        float x = uniform_of(&generator), y = uniform_of(&generator);
        hits += x * x + y * y <= 1.0f;
    }
    return hits;
}

/* Every thread adds its hits to the one counter. */
template <class GENERATOR> __global__ void pi_by_threads(float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        atomicAdd(out, (float)hits_of<GENERATOR>(i) * 4.0f / ((float)n * POINTS));
}

/* A block adds up its own first. */
template <class GENERATOR> __global__ void pi_by_blocks(float *out, int n)
{
    __shared__ int hits;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x == 0)
        hits = 0;
    __syncthreads();
    int own = i < n ? hits_of<GENERATOR>(i) : 0;
    for (int half = 16; half > 0; half /= 2)
        own += __shfl_down_sync(~0u, own, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&hits, own);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, (float)hits * 4.0f / ((float)n * POINTS));
}

typedef void pi_kernel(float *out, int n);

template <pi_kernel KERNEL> static void launch_pi(void)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, sizeof(float)));
    KERNEL<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, n);
}

static void prepare_pi(int size)
{
    n = size;
    out = steps_output(1);
}

static void finish_pi(void)
{
    steps_free(&out);
}

static void pi_reference(float *expected)
{
    expected[0] = 3.14159265f;
}

static const struct step pi_steps[] = {
    {"xorwow_by_threads", launch_pi<pi_by_threads<xorwow>>},
    {"xorwow", launch_pi<pi_by_blocks<xorwow>>},
    {"philox", launch_pi<pi_by_blocks<philox>>},
    {"xorshift", launch_pi<pi_by_blocks<xorshift>>},
    {"lcg_by_threads", launch_pi<pi_by_threads<lcg>>},
    {"lcg", launch_pi<pi_by_blocks<lcg>>},
};
/* A million points are about 0.0016 off, by chance; four times that is allowed. */
const struct step_family pi_family = {
    "pi", pi_steps, STEPS_COUNT(pi_steps), 1 << 20, 4099, 0.0064, prepare_pi, finish_pi, &out,
    pi_reference};
