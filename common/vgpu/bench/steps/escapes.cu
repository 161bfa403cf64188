/* escapes.cu - loops that end when the data says so: points of the Mandelbrot set, Collatz numbers, rays
 * that meet spheres, and walks of very different lengths.
 * Lanes of a warp wait for the slowest; who works beside whom decides how long. */
#include "steps.h"

#include <cmath>

enum { BLOCK = 256, LANES = 32 };

static int n;
static struct steps_array in, out;

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* --------------------------------------------------------------------------------------------- Mandelbrot */

enum { MOST_TURNS = 256, TOGETHER = 8 };

/* One turn. fmaf() says where products are rounded, so that all machines count alike. */
__host__ __device__ static void turn_once(float *x, float *y, float cx, float cy)
{
    float next = fmaf(*x, *x, fmaf(-*y, *y, cx));
    *y = fmaf(2 * *x, *y, cy);
    *x = next;
}

__host__ __device__ static bool is_away(float x, float y)
{
    return fmaf(x, x, y * y) > 4;
}

__host__ __device__ static int count_turns(float cx, float cy)
{
    float x = 0, y = 0;
    int turns = 0;
    while (turns < MOST_TURNS && !is_away(x, y)) {
        turn_once(&x, &y, cx, cy);
        turns++;
    }
    return turns;
}

/* Looks only after TOGETHER turns whether the point is away; then goes back, and looks after each. */
__device__ static int count_turns_together(float cx, float cy)
{
    float x = 0, y = 0, old_x = 0, old_y = 0;
    int turns = 0;
    while (turns < MOST_TURNS) {
        old_x = x;
        old_y = y;
#pragma unroll
        for (int k = 0; k < TOGETHER; k++)
            turn_once(&x, &y, cx, cy);
        if (!(fmaf(x, x, y * y) <= 4))
            break;
        turns += TOGETHER;
    }
    if (turns >= MOST_TURNS)
        return MOST_TURNS;
    for (x = old_x, y = old_y; !is_away(x, y); turns++)
        turn_once(&x, &y, cx, cy);
    return turns;
}

__host__ __device__ static float across(int x, int n)
{
    return fmaf(3.0f / n, (float)x, -2.25f);
}

__host__ __device__ static float upward(int y, int n)
{
    return fmaf(3.0f / n, (float)y, -1.5f);
}

template <int (*COUNT)(float, float)> __global__ void points(float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = (float)COUNT(across(x, n), upward(y, n));
}

template <int (*COUNT)(float, float), int X, int Y> static void launch_points(void)
{
    points<COUNT><<<dim3(steps_blocks(n, X), steps_blocks(n, Y)), dim3(X, Y)>>>(out.device, n);
}

static void prepare_points(int size)
{
    n = size;
    out = steps_output((size_t)n * n);
}

static void points_reference(float *expected)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            expected[y * n + x] = (float)count_turns(across(x, n), upward(y, n));
}

static const struct step mandelbrot_steps[] = {
    {"wide", launch_points<count_turns, 256, 1>},
    {"flat", launch_points<count_turns, 32, 8>},
    {"square", launch_points<count_turns, 16, 16>},
    {"warp_squares", launch_points<count_turns, 8, 32>},
    {"together", launch_points<count_turns_together, 8, 32>},
};
const struct step_family mandelbrot_family = {
    "mandelbrot", mandelbrot_steps, STEPS_COUNT(mandelbrot_steps), 2048, 101, 0, prepare_points, finish, &out,
    points_reference};

/* ------------------------------------------------------------------------------------------------ Collatz */

/* The sums of whole GROUPs come out: every version has its own order within them. */
enum { GROUP = 1024, NUMBERS = 1 << 17 }; /* from numbers below this, none leaves 32 bits */

template <class WORD> __host__ __device__ static int collatz_steps(WORD x)
{
    int count = 0;
    for (; x > 1; count++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return count;
}

/* Halves as often as it can in one step. */
__device__ static int collatz_steps_by_zeros(unsigned x)
{
    int count = 0;
    while (x > 1) {
        int zeros = __ffs((int)x) - 1;
        x >>= zeros;
        count += zeros;
        if (x > 1) {
            x = 3 * x + 1;
            count++;
        }
    }
    return count;
}

template <class WORD> __device__ static int count_plainly(int i)
{
    return collatz_steps<WORD>((WORD)i % NUMBERS);
}

__device__ static int count_by_zeros(int i)
{
    return collatz_steps_by_zeros((unsigned)i % NUMBERS);
}

/* Neighbouring threads have neighbours, or a run of four each. */
template <int (*COUNT)(int), bool IN_RUNS> __global__ void collatz(float *out, int n)
{
    __shared__ int sum;
    int t = threadIdx.x, first = blockIdx.x * GROUP, own = 0;
    if (t == 0)
        sum = 0;
    __syncthreads();
    for (int k = 0; k < GROUP / BLOCK; k++) {
        int i = first + (IN_RUNS ? t * (GROUP / BLOCK) + k : k * BLOCK + t);
        own += i < n ? COUNT(i) : 0;
    }
    for (int half = LANES / 2; half > 0; half /= 2)
        own += __shfl_xor_sync(~0u, own, half);
    if (t % LANES == 0)
        atomicAdd(&sum, own);
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = (float)sum;
}

template <int (*COUNT)(int), bool IN_RUNS> static void launch_collatz(void)
{
    collatz<COUNT, IN_RUNS><<<steps_blocks(n, GROUP), BLOCK>>>(out.device, n);
}

static void prepare_collatz(int size)
{
    n = size;
    out = steps_output(steps_blocks(n, GROUP));
}

static void collatz_reference(float *expected)
{
    for (size_t i = 0; i < out.count; i++)
        expected[i] = 0;
    for (int i = 0; i < n; i++)
        expected[i / GROUP] += (float)collatz_steps<unsigned long long>(i % NUMBERS);
}

static const struct step collatz_steps_list[] = {
    {"words64", launch_collatz<count_plainly<unsigned long long>, false>},
    {"words32", launch_collatz<count_plainly<unsigned>, false>},
    {"runs", launch_collatz<count_plainly<unsigned>, true>},
    {"zeros", launch_collatz<count_by_zeros, false>},
};
const struct step_family collatz_family = {
    "collatz", collatz_steps_list, STEPS_COUNT(collatz_steps_list), 1 << 22, 20011, 0, prepare_collatz,
    finish, &out, collatz_reference};

/* --------------------------------------------------------------------------------------- rays and spheres */

enum { SPHERES = 256 };

struct sphere {
    float x, y, radius2, depth; /* of the middle; the radius squared */
};

static struct steps_array spheres;
__constant__ struct sphere constant_spheres[SPHERES];

/* Rays go straight in. How deep the first sphere lies that this ray meets, without its bulge; 2: none. */
__host__ __device__ static float nearest_of(float x, float y, const struct sphere *spheres)
{
    float nearest = 2;
    for (int k = 0; k < SPHERES; k++) {
        float dx = spheres[k].x - x, dy = spheres[k].y - y;
        if (fmaf(dx, dx, dy * dy) < spheres[k].radius2 && spheres[k].depth < nearest)
            nearest = spheres[k].depth;
    }
    return nearest;
}

/* They are sorted by depth: the first that is met is the nearest. */
__device__ static float first_of(float x, float y, const struct sphere *spheres)
{
    for (int k = 0; k < SPHERES; k++) {
        float dx = spheres[k].x - x, dy = spheres[k].y - y;
        if (fmaf(dx, dx, dy * dy) < spheres[k].radius2)
            return spheres[k].depth;
    }
    return 2;
}

typedef float meet_function(float x, float y, const struct sphere *spheres);

template <meet_function *MEET> __device__ static void trace(float *out, const struct sphere *spheres, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = MEET((float)x / n, (float)y / n, spheres);
}

template <meet_function *MEET> __global__ void trace_global(float *out, const struct sphere *spheres, int n)
{
    trace<MEET>(out, spheres, n);
}

template <meet_function *MEET> __global__ void trace_constant(float *out, const struct sphere *, int n)
{
    trace<MEET>(out, constant_spheres, n);
}

template <meet_function *MEET> __global__ void trace_shared(float *out, const struct sphere *spheres, int n)
{
    __shared__ float4 own[SPHERES];
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < SPHERES; k += blockDim.x * blockDim.y)
        own[k] = ((const float4 *)spheres)[k];
    __syncthreads();
    trace<MEET>(out, (const struct sphere *)own, n);
}

template <void (*KERNEL)(float *, const struct sphere *, int), int X, int Y> static void launch_trace(void)
{
    KERNEL<<<dim3(steps_blocks(n, X), steps_blocks(n, Y)), dim3(X, Y)>>>(
        out.device, (const struct sphere *)spheres.device, n);
}

static void prepare_trace(int size)
{
    n = size;
    out = steps_output((size_t)n * n);
    spheres = steps_array_of<struct sphere>(SPHERES);
    for (int k = 0; k < SPHERES; k++) {
        float radius = 0.02f + 0.08f * steps_value(k, 131) * steps_value(k, 132);
        ((struct sphere *)spheres.host)[k] = {steps_value(k, 133), steps_value(k, 134), radius * radius,
                                              (float)(k + 1) / SPHERES};
    }
    steps_upload(&spheres);
    STEPS_CHECK(cudaMemcpyToSymbol(constant_spheres, spheres.host, sizeof constant_spheres));
}

static void finish_trace(void)
{
    finish();
    steps_free(&spheres);
}

static void trace_reference(float *expected)
{
    for (int i = 0; i < n * n; i++)
        expected[i] = nearest_of((float)(i % n) / n, (float)(i / n) / n, (const struct sphere *)spheres.host);
}

static const struct step spheres_steps[] = {
    {"global", launch_trace<trace_global<nearest_of>, 32, 8>},
    {"constant", launch_trace<trace_constant<nearest_of>, 32, 8>},
    {"shared", launch_trace<trace_shared<nearest_of>, 32, 8>},
    {"first_wide", launch_trace<trace_constant<first_of>, 256, 1>},
    {"first_square", launch_trace<trace_constant<first_of>, 8, 32>},
};
const struct step_family spheres_family = {
    "spheres", spheres_steps, STEPS_COUNT(spheres_steps), 2048, 101, 0, prepare_trace, finish_trace, &out,
    trace_reference};

/* ------------------------------------------------------------------------------------- walks that may end */

enum { END_MASK = 63, MOST_MOVES = 1000, WALKERS = 132 * 8 * BLOCK };

struct walker {
    unsigned state;
    int place, moves;
};

__host__ __device__ static struct walker start_walk(int i)
{
    return {(unsigned)i * 2654435761u + 12345u, 0, 0};
}

/* One move in 64 is the last. */
__host__ __device__ static bool move_on(struct walker *walker)
{
    walker->state = walker->state * 1664525u + 1013904223u;
    walker->place += walker->state >> 31 ? 1 : -1;
    walker->moves++;
    return (walker->state >> 20 & END_MASK) != 0 && walker->moves < MOST_MOVES;
}

__host__ __device__ static float walk_to_end(int i)
{
    struct walker walker = start_walk(i);
    while (move_on(&walker)) {}
    return (float)(walker.place * 1024 + walker.moves);
}

__global__ void walk_one_each(float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = walk_to_end(i);
}

/* As many threads as the GPU holds; each takes one walk after another. */
__global__ void walk_many(float *out, int n)
{
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += WALKERS)
        out[i] = walk_to_end(i);
}

/* A lane whose walk ended begins its next while the others still go. */
__global__ void walk_without_pause(float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    struct walker walker = start_walk(i);
    while (i < n)
        if (!move_on(&walker)) {
            out[i] = (float)(walker.place * 1024 + walker.moves);
            i += WALKERS;
            walker = start_walk(i);
        }
}

/* The warp moves on together, and asks every four moves whether any lane still goes. */
__global__ void walk_by_votes(float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    struct walker walker = start_walk(i);
    bool is_going = i < n;
    while (__any_sync(~0u, is_going))
        for (int k = 0; k < 4; k++)
            if (is_going)
                is_going = move_on(&walker);
    if (i < n)
        out[i] = (float)(walker.place * 1024 + walker.moves);
}

template <void (*KERNEL)(float *, int), int THREADS> static void launch_walks(void)
{
    KERNEL<<<steps_blocks(THREADS ? THREADS : n, BLOCK), BLOCK>>>(out.device, n);
}

static void prepare_walks(int size)
{
    n = size;
    out = steps_output(n);
}

static void walks_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = walk_to_end(i);
}

static const struct step random_walks_steps[] = {
    {"one_each", launch_walks<walk_one_each, 0>},
    {"votes", launch_walks<walk_by_votes, 0>},
    {"many", launch_walks<walk_many, WALKERS>},
    {"without_pause", launch_walks<walk_without_pause, WALKERS>},
};
const struct step_family random_walks_family = {
    "random_walks", random_walks_steps, STEPS_COUNT(random_walks_steps), 1 << 22, 300007, 0, prepare_walks,
    finish, &out, walks_reference};
