/* finance.cu - prices of options: by a formula (Black-Scholes), by a tree (binomial)
 * and by chance (Monte Carlo).
 * Exponentials, logarithms and roots; one barrier per level of a tree; long paths with little memory. */
#include "steps.h"

#include <cmath>

enum { BLOCK = 256, LANES = 32 };

static int n;
static struct steps_array prices, strikes, years, out;

static const float rate = 0.02f, spread = 0.3f;

static void prepare(int size)
{
    n = size;
    prices = steps_input(n, 141);
    strikes = steps_input(n, 142);
    years = steps_input(n, 143);
    for (int i = 0; i < n; i++) {
        prices.host[i] = 5 + 25 * prices.host[i];
        strikes.host[i] = 5 + 25 * strikes.host[i];
        years.host[i] = 0.25f + 2 * years.host[i];
    }
    for (struct steps_array *array : {&prices, &strikes, &years})
        steps_upload(array);
    out = steps_output(n);
}

static void finish(void)
{
    for (struct steps_array *array : {&prices, &strikes, &years, &out})
        steps_free(array);
}

typedef void price_kernel(float *out, const float *prices, const float *strikes, const float *years, int n);

template <price_kernel *KERNEL, int OPTIONS, int THREADS> static void launch_prices(void)
{
    KERNEL<<<steps_blocks(n, OPTIONS), THREADS>>>(out.device, prices.device, strikes.device, years.device, n);
}

/* ------------------------------------------------------------------------------------------ by a formula */

/* The normal distribution's integral, by a polynomial. */
template <class REAL> __host__ __device__ static REAL below(REAL x)
{
    REAL a = x < 0 ? -x : x, k = 1 / (1 + (REAL)0.2316419 * a);
    REAL sum = k * ((REAL)0.319381530 +
                    k * ((REAL)-0.356563782 +
                         k * ((REAL)1.781477937 + k * ((REAL)-1.821255978 + k * (REAL)1.330274429))));
    sum *= (REAL)0.39894228040 * exp(-a * a / 2);
    return x < 0 ? sum : 1 - sum;
}

template <class REAL> __host__ __device__ static REAL formula(REAL price, REAL strike, REAL years)
{
    REAL root = sqrt(years) * (REAL)spread;
    REAL d1 = (log(price / strike) + ((REAL)rate + (REAL)spread * (REAL)spread / 2) * years) / root;
    return price * below(d1) - strike * exp(-(REAL)rate * years) * below(d1 - root);
}

/* With the hardware's own logarithm, exponential and division. */
__device__ static float below_fast(float x)
{
    float a = fabsf(x), k = __fdividef(1, 1 + 0.2316419f * a);
    float sum = k * (0.319381530f +
                     k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    sum *= 0.39894228040f * __expf(-a * a * 0.5f);
    return x < 0 ? sum : 1 - sum;
}

__device__ static float formula_fast(float price, float strike, float years)
{
    float root = __fsqrt_rn(years) * spread;
    float d1 = __fdividef(__logf(__fdividef(price, strike)) + (rate + spread * spread / 2) * years, root);
    return price * below_fast(d1) - strike * __expf(-rate * years) * below_fast(d1 - root);
}

template <class REAL>
__global__ void price_formula(float *out, const float *prices, const float *strikes, const float *years,
                              int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = (float)formula<REAL>(prices[i], strikes[i], years[i]);
}

__global__ void price_fast(float *out, const float *prices, const float *strikes, const float *years, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = formula_fast(prices[i], strikes[i], years[i]);
}

__global__ void price_fast_vectors(float *out, const float *prices, const float *strikes, const float *years,
                                   int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n / 4)
        return;
    float4 price = ((const float4 *)prices)[i], strike = ((const float4 *)strikes)[i],
           time = ((const float4 *)years)[i];
    ((float4 *)out)[i] =
        make_float4(formula_fast(price.x, strike.x, time.x), formula_fast(price.y, strike.y, time.y),
                    formula_fast(price.z, strike.z, time.z), formula_fast(price.w, strike.w, time.w));
}

static void formula_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = (float)formula<double>(prices.host[i], strikes.host[i], years.host[i]);
}

static const struct step black_scholes_steps[] = {
    {"doubles", launch_prices<price_formula<double>, BLOCK, BLOCK>},
    {"floats", launch_prices<price_formula<float>, BLOCK, BLOCK>},
    {"fast", launch_prices<price_fast, BLOCK, BLOCK>},
    {"fast_vectors", launch_prices<price_fast_vectors, 4 * BLOCK, BLOCK>, 4},
};
const struct step_family black_scholes_family = {
    "black_scholes", black_scholes_steps, STEPS_COUNT(black_scholes_steps), 1 << 23, 5003, 1e-3, prepare,
    finish, &out, formula_reference};

/* --------------------------------------------------------------------------------------------- by a tree */

enum { LEVELS = 128, LEAVES = LEVELS + 1 };

/* What a tree needs: how far a step goes up, and how much the value up and down count for the one before. */
struct tree {
    float price, strike, step, up, down;
};

__host__ __device__ static struct tree tree_of(float price, float strike, float years)
{
    float time = years / LEVELS, step = spread * sqrtf(time), grow = expf(rate * time);
    float chance = (grow - expf(-step)) / (expf(step) - expf(-step));
    return {price, strike, step, chance / grow, (1 - chance) / grow};
}

__host__ __device__ static float leaf_of(const struct tree *tree, int k)
{
    return fmaxf(tree->price * expf(tree->step * (2 * k - LEVELS)) - tree->strike, 0);
}

/* A thread has a tree, in an array of its own. */
__global__ void tree_by_thread(float *out, const float *prices, const float *strikes, const float *years,
                               int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    const struct tree tree = tree_of(prices[i], strikes[i], years[i]);
    float values[LEAVES];
    for (int k = 0; k < LEAVES; k++)
        values[k] = leaf_of(&tree, k);
    for (int level = LEVELS; level > 0; level--)
        for (int k = 0; k < level; k++)
            values[k] = tree.up * values[k + 1] + tree.down * values[k];
    out[i] = values[0];
}

/* A block has a tree, a thread a leaf; IS_DOUBLE: two buffers, and one barrier less. */
template <bool IS_DOUBLE>
__global__ void tree_by_block(float *out, const float *prices, const float *strikes, const float *years, int)
{
    __shared__ float values[2][LEAVES + 1];
    int t = threadIdx.x, i = blockIdx.x;
    const struct tree tree = tree_of(prices[i], strikes[i], years[i]);
    for (int k = t; k < LEAVES; k += LEVELS)
        values[0][k] = leaf_of(&tree, k);
    __syncthreads();
    for (int level = LEVELS, now = 0; level > 0; level--) {
        float value = 0;
        if (t < level)
            value = tree.up * values[now][t + 1] + tree.down * values[now][t];
        if (IS_DOUBLE)
            now ^= 1;
        else
            __syncthreads();
        if (t < level)
            values[now][t] = value;
        __syncthreads();
    }
    if (t == 0)
        out[i] = values[IS_DOUBLE ? LEVELS % 2 : 0][0];
}

/* A warp has a tree, a lane four neighbours in registers; the fifth comes from the next lane. */
__global__ void tree_by_warp(float *out, const float *prices, const float *strikes, const float *years, int n)
{
    enum { EACH = LEVELS / LANES };
    int i = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    if (i >= n)
        return;
    const struct tree tree = tree_of(prices[i], strikes[i], years[i]);
    float own[EACH + 1], last = leaf_of(&tree, LEVELS);
    for (int k = 0; k < EACH; k++)
        own[k] = leaf_of(&tree, lane * EACH + k);
    for (int level = LEVELS; level > 0; level--) {
        float next = __shfl_down_sync(~0u, own[0], 1);
        own[EACH] = lane == LANES - 1 ? last : next;
#pragma unroll
        for (int k = 0; k < EACH; k++)
            own[k] = tree.up * own[k + 1] + tree.down * own[k];
    }
    if (lane == 0)
        out[i] = own[0];
}

static void tree_reference(float *expected)
{
    double values[LEAVES];
    for (int i = 0; i < n; i++) {
        const struct tree tree = tree_of(prices.host[i], strikes.host[i], years.host[i]);
        for (int k = 0; k < LEAVES; k++)
            values[k] = leaf_of(&tree, k);
        for (int level = LEVELS; level > 0; level--)
            for (int k = 0; k < level; k++)
                values[k] = (double)tree.up * values[k + 1] + (double)tree.down * values[k];
        expected[i] = (float)values[0];
    }
}

static const struct step binomial_steps[] = {
    {"thread", launch_prices<tree_by_thread, BLOCK, BLOCK>},
    {"block", launch_prices<tree_by_block<false>, 1, LEVELS>},
    {"block_two_buffers", launch_prices<tree_by_block<true>, 1, LEVELS>},
    {"warp", launch_prices<tree_by_warp, BLOCK / LANES, BLOCK>},
};
const struct step_family binomial_family = {
    "binomial", binomial_steps, STEPS_COUNT(binomial_steps), 1 << 15, 301, 2e-3, prepare, finish, &out,
    tree_reference};

/* --------------------------------------------------------------------------------------------- by chance */

enum { PATHS = 256, MOVES = 32 };

/* How much all paths of an option bring together, path by path; prices move up or down by a fixed part. */
__host__ __device__ static float payoff_of(float price, float strike, int option, int path)
{
    unsigned state = (unsigned)(option * PATHS + path) * 2654435761u + 97u;
    float sum = 0;
    for (int k = 0; k < MOVES; k++) {
        state = state * 1664525u + 1013904223u;
        price *= state >> 31 ? 1.0625f : 0.9375f;
        sum += price;
    }
    return fmaxf(sum / MOVES - strike, 0);
}

__global__ void chance_by_thread(float *out, const float *prices, const float *strikes, const float *, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int path = 0; path < PATHS; path++)
        sum += payoff_of(prices[i], strikes[i], i, path);
    out[i] = sum / PATHS;
}

__global__ void chance_by_atomics(float *out, const float *prices, const float *strikes, const float *, int)
{
    int i = blockIdx.x;
    atomicAdd(&out[i], payoff_of(prices[i], strikes[i], i, threadIdx.x) / PATHS);
}

__global__ void chance_by_block(float *out, const float *prices, const float *strikes, const float *, int)
{
    __shared__ float part[PATHS];
    int i = blockIdx.x, t = threadIdx.x;
    part[t] = payoff_of(prices[i], strikes[i], i, t);
    for (int half = PATHS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        out[i] = part[0] / PATHS;
}

/* A lane goes eight paths of the warp's option, one after another. */
__global__ void chance_by_warp(float *out, const float *prices, const float *strikes, const float *, int n)
{
    int i = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    if (i >= n)
        return;
    float sum = 0;
    for (int path = threadIdx.x % LANES; path < PATHS; path += LANES)
        sum += payoff_of(prices[i], strikes[i], i, path);
    for (int half = LANES / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half);
    if (threadIdx.x % LANES == 0)
        out[i] = sum / PATHS;
}

static void launch_chance_by_atomics(void)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, n * sizeof(float)));
    launch_prices<chance_by_atomics, 1, PATHS>();
}

static void chance_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int path = 0; path < PATHS; path++)
            sum += payoff_of(prices.host[i], strikes.host[i], i, path);
        expected[i] = (float)(sum / PATHS);
    }
}

static const struct step monte_carlo_steps[] = {
    {"thread", launch_prices<chance_by_thread, BLOCK, BLOCK>},
    {"atomics", launch_chance_by_atomics},
    {"block", launch_prices<chance_by_block, 1, PATHS>},
    {"warp", launch_prices<chance_by_warp, BLOCK / LANES, BLOCK>},
};
const struct step_family monte_carlo_family = {
    "monte_carlo", monte_carlo_steps, STEPS_COUNT(monte_carlo_steps), 1 << 15, 301, 1e-3, prepare, finish,
    &out, chance_reference};
