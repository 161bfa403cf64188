/* lattice.cu - a gas on a ring of n x n cells, in nine directions (D2Q9): what comes from the neighbours
 * meets, and turns.
 * Nine neighbours in memory for a cell, or nine planes; one kernel or two. */
#include "steps.h"

enum { BLOCK = 256, WAYS = 9 };

static int n;
static struct steps_array in, other, out;

static void finish(void)
{
    for (struct steps_array *array : {&in, &other, &out})
        steps_free(array);
}

template <int X, int Y> static dim3 plane_grid(void)
{
    return dim3(steps_blocks(n, X), steps_blocks(n, Y));
}

/* Where direction `way` of cell i is kept: nine planes, or nine neighbours. */
template <bool IN_PLANES> __host__ __device__ static size_t place_of(int way, int i, int cells)
{
    return IN_PLANES ? (size_t)way * cells + i : (size_t)i * WAYS + way;
}

/* The cell that way 0..8 leads to from (x, y): its column and row differ by -1, 0 or 1. */
__host__ __device__ static int cell_towards(int way, int x, int y, int n)
{
    int dx = way % 3 - 1, dy = way / 3 - 1;
    x = x + dx < 0 ? n - 1 : x + dx == n ? 0 : x + dx;
    y = y + dy < 0 ? n - 1 : y + dy == n ? 0 : y + dy;
    return y * n + x;
}

/* All directions come nearer to what their density and speed ask for. */
__host__ __device__ static void collide(float *f)
{
    const float weight[3] = {1.0f / 6, 2.0f / 3, 1.0f / 6};
    float density = 0, speed_x = 0, speed_y = 0;
#pragma unroll
    for (int way = 0; way < WAYS; way++) {
        density += f[way];
        speed_x += f[way] * (way % 3 - 1);
        speed_y += f[way] * (way / 3 - 1);
    }
    speed_x /= density;
    speed_y /= density;
    float square = 1 - 1.5f * (speed_x * speed_x + speed_y * speed_y);
#pragma unroll
    for (int way = 0; way < WAYS; way++) {
        float along = 3 * ((way % 3 - 1) * speed_x + (way / 3 - 1) * speed_y);
        float rest = density * weight[way % 3] * weight[way / 3] * (square + along + 0.5f * along * along);
        f[way] += 0.8f * (rest - f[way]);
    }
}

/* A cell takes what comes to it: the way it came is the opposite of 8 - way. */
template <bool IN_PLANES> __device__ static void pull(float *f, const float *in, int x, int y, int n)
{
#pragma unroll
    for (int way = 0; way < WAYS; way++)
        f[way] = in[place_of<IN_PLANES>(way, cell_towards(8 - way, x, y, n), n * n)];
}

template <bool IN_PLANES> __device__ static void put(float *out, const float *f, int i, int cells)
{
#pragma unroll
    for (int way = 0; way < WAYS; way++)
        out[place_of<IN_PLANES>(way, i, cells)] = f[way];
}

/* Without COLLIDES, only what came is written down. */
template <bool IN_PLANES, bool COLLIDES> __global__ void stream(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float f[WAYS];
    pull<IN_PLANES>(f, in, x, y, n);
    if (COLLIDES)
        collide(f);
    put<IN_PLANES>(out, f, y * n + x, n * n);
}

__global__ void collide_in_place(float *planes, int cells)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= cells)
        return;
    float f[WAYS];
#pragma unroll
    for (int way = 0; way < WAYS; way++)
        f[way] = planes[place_of<true>(way, i, cells)];
    collide(f);
    put<true>(planes, f, i, cells);
}

static bool is_last_in_planes; /* how the last launch wrote `out` */

template <bool IN_PLANES, int X, int Y> static void launch_gas(void)
{
    is_last_in_planes = IN_PLANES;
    stream<IN_PLANES, true>
        <<<plane_grid<X, Y>(), dim3(X, Y)>>>(out.device, IN_PLANES ? in.device : other.device, n);
}

static void launch_gas_twice(void)
{
    is_last_in_planes = true;
    stream<true, false><<<plane_grid<BLOCK, 1>(), BLOCK>>>(out.device, in.device, n);
    collide_in_place<<<steps_blocks((size_t)n * n, BLOCK), BLOCK>>>(out.device, n * n);
}

/* The same gas in both orders: planes in `in`, cells in `other`. */
static void prepare_gas(int size)
{
    n = size;
    in = steps_input((size_t)n * n * WAYS, 155);
    other = steps_array_of<float>(in.count);
    for (int i = 0; i < n * n; i++)
        for (int way = 0; way < WAYS; way++)
            other.host[place_of<false>(way, i, n * n)] = in.host[place_of<true>(way, i, n * n)];
    steps_upload(&other);
    out = steps_output(in.count);
}

static void gas_reference(float *expected)
{
    float f[WAYS];
    for (int i = 0; i < n * n; i++) {
        for (int way = 0; way < WAYS; way++)
            f[way] = in.host[place_of<true>(way, cell_towards(8 - way, i % n, i / n, n), n * n)];
        collide(f);
        for (int way = 0; way < WAYS; way++)
            expected[place_of<true>(way, i, n * n)] = f[way];
    }
}

static void collect_gas(float *got)
{
    if (is_last_in_planes)
        return steps_collect<float>(got, &out, out.count);
    struct steps_array structures = steps_array_of<float>(out.count);
    steps_collect<float>(structures.host, &out, out.count);
    for (int i = 0; i < n * n; i++)
        for (int way = 0; way < WAYS; way++)
            got[place_of<true>(way, i, n * n)] = structures.host[place_of<false>(way, i, n * n)];
    steps_free(&structures);
}

static const struct step lattice_steps[] = {
    {"structures", launch_gas<false, 32, 8>},
    {"planes_upright", launch_gas<true, 8, 32>},
    {"planes_wide", launch_gas<true, BLOCK, 1>},
    {"two_kernels", launch_gas_twice},
};
const struct step_family lattice_family = {
    "lattice", lattice_steps, STEPS_COUNT(lattice_steps), 2048, 101, 1e-5, prepare_gas, finish, &out,
    gas_reference, collect_gas};
