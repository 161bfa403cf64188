/* stencils3d.cu - one time step of heat in a cube (seven points) and on a plate (five points): neighbours from global
 * memory, from a plane or tile in shared memory, and from registers that move on along one axis.
 * Cells outside count as 0. */
#include "steps.h"

static int n;
static struct steps_array in, out;

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* ------------------------------------------------------------------------------------------- the cube */

enum { CUBE_X = 32, CUBE_Y = 8, DEPTH = 32 };

__host__ __device__ static float spread_in_cube(float here, float sum_of_six)
{
    return here + 0.125f * (sum_of_six - 6.0f * here);
}

__host__ __device__ static float cube_cell(const float *cube, int x, int y, int z, int n)
{
    bool is_inside = x >= 0 && x < n && y >= 0 && y < n && z >= 0 && z < n;
    return is_inside ? cube[((size_t)z * n + y) * n + x] : 0;
}

__host__ __device__ static float cube_of_seven(const float *in, int x, int y, int z, int n)
{
    float around = cube_cell(in, x - 1, y, z, n) + cube_cell(in, x + 1, y, z, n) +
                   cube_cell(in, x, y - 1, z, n) + cube_cell(in, x, y + 1, z, n) +
                   cube_cell(in, x, y, z - 1, n) + cube_cell(in, x, y, z + 1, n);
    return spread_in_cube(in[((size_t)z * n + y) * n + x], around);
}

template <int WIDTH, int HEIGHT, int LAYERS> __global__ void cube_naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    int z = blockIdx.z * LAYERS + threadIdx.z;
    if (x < n && y < n && z < n)
        out[((size_t)z * n + y) * n + x] = cube_of_seven(in, x, y, z, n);
}

/* A thread walks DEPTH cells along z, and asks for all seven points of each. */
__global__ void cube_column(float *out, const float *in, int n)
{
    int x = blockIdx.x * CUBE_X + threadIdx.x, y = blockIdx.y * CUBE_Y + threadIdx.y,
        first = blockIdx.z * DEPTH;
    if (x >= n || y >= n)
        return;
    for (int z = first; z < first + DEPTH && z < n; z++)
        out[((size_t)z * n + y) * n + x] = cube_of_seven(in, x, y, z, n);
}

/* Below, here and above stay in registers; only the four neighbours in the plane come from global memory. */
__global__ void cube_queue(float *out, const float *in, int n)
{
    int x = blockIdx.x * CUBE_X + threadIdx.x, y = blockIdx.y * CUBE_Y + threadIdx.y,
        first = blockIdx.z * DEPTH;
    if (x >= n || y >= n)
        return;
    float below = cube_cell(in, x, y, first - 1, n), here = cube_cell(in, x, y, first, n);
    for (int z = first; z < first + DEPTH && z < n; z++) {
        float above = cube_cell(in, x, y, z + 1, n);
        float around = cube_cell(in, x - 1, y, z, n) + cube_cell(in, x + 1, y, z, n) +
                       cube_cell(in, x, y - 1, z, n) + cube_cell(in, x, y + 1, z, n);
        out[((size_t)z * n + y) * n + x] = spread_in_cube(here, around + below + above);
        below = here;
        here = above;
    }
}

/* The plane with its borders lies in shared memory; below and above still come from global memory. */
template <bool IS_QUEUE> __global__ void cube_plane(float *out, const float *in, int n)
{
    __shared__ float plane[CUBE_Y + 2][CUBE_X + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, first = blockIdx.z * DEPTH;
    int x = blockIdx.x * CUBE_X + tx - 1, y = blockIdx.y * CUBE_Y + ty - 1;
    float below = cube_cell(in, x, y, first - 1, n), here = cube_cell(in, x, y, first, n);
    for (int z = first; z < first + DEPTH && z < n; z++) {
        plane[ty][tx] = here;
        if (tx == 1)
            plane[ty][0] = cube_cell(in, x - 1, y, z, n);
        if (tx == CUBE_X)
            plane[ty][CUBE_X + 1] = cube_cell(in, x + 1, y, z, n);
        if (ty == 1)
            plane[0][tx] = cube_cell(in, x, y - 1, z, n);
        if (ty == CUBE_Y)
            plane[CUBE_Y + 1][tx] = cube_cell(in, x, y + 1, z, n);
        __syncthreads();
        float above = cube_cell(in, x, y, z + 1, n);
        float around = plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx];
        if (x < n && y < n)
            out[((size_t)z * n + y) * n + x] = spread_in_cube(here, around + below + above);
        __syncthreads();
        below = IS_QUEUE ? here : cube_cell(in, x, y, z, n);
        here = IS_QUEUE ? above : cube_cell(in, x, y, z + 1, n);
    }
}

template <int WIDTH, int HEIGHT, int LAYERS> static void launch_cube_naive(void)
{
    dim3 grid(steps_blocks(n, WIDTH), steps_blocks(n, HEIGHT), steps_blocks(n, LAYERS));
    cube_naive<WIDTH, HEIGHT, LAYERS><<<grid, dim3(WIDTH, HEIGHT, LAYERS)>>>(out.device, in.device, n);
}

typedef void cube_kernel(float *out, const float *in, int n);

template <cube_kernel KERNEL> static void launch_cube(void)
{
    dim3 grid(steps_blocks(n, CUBE_X), steps_blocks(n, CUBE_Y), steps_blocks(n, DEPTH));
    KERNEL<<<grid, dim3(CUBE_X, CUBE_Y)>>>(out.device, in.device, n);
}

static void prepare_cube(int size)
{
    n = size;
    in = steps_input((size_t)n * n * n, 41);
    out = steps_output((size_t)n * n * n);
}

static void cube_reference(float *expected)
{
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                expected[((size_t)z * n + y) * n + x] = cube_of_seven(in.host, x, y, z, n);
}

static const struct step cube_steps[] = {
    {"naive", launch_cube_naive<32, 8, 1>}, {"naive_cubes", launch_cube_naive<8, 8, 8>},
    {"column", launch_cube<cube_column>},   {"plane", launch_cube<cube_plane<false>>},
    {"queue", launch_cube<cube_queue>},     {"plane_queue", launch_cube<cube_plane<true>>},
};
const struct step_family cube_family = {
    "cube", cube_steps, STEPS_COUNT(cube_steps), 320, 67, 1e-5, prepare_cube, finish, &out, cube_reference};

/* ------------------------------------------------------------------------------------------- the plate */

enum { PLATE_X = 32, PLATE_Y = 8 };

__host__ __device__ static float spread_on_plate(float here, float left, float right, float above,
                                                 float below)
{
    return here + 0.125f * (left + right + above + below - 4.0f * here);
}

__host__ __device__ static float plate_cell(const float *plate, int x, int y, int n)
{
    return x >= 0 && x < n && y >= 0 && y < n ? plate[(size_t)y * n + x] : 0;
}

/* A thread has ROWS cells, one below the other: a column of ROWS + 2 loads serves them all. */
template <int ROWS> __global__ void plate_rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * PLATE_X + threadIdx.x, first = (blockIdx.y * PLATE_Y + threadIdx.y) * ROWS;
    if (x >= n)
        return;
    float above = plate_cell(in, x, first - 1, n), here = plate_cell(in, x, first, n);
#pragma unroll
    for (int y = first; y < first + ROWS; y++) {
        float below = plate_cell(in, x, y + 1, n);
        if (y < n)
            out[(size_t)y * n + x] =
                spread_on_plate(here, plate_cell(in, x - 1, y, n), plate_cell(in, x + 1, y, n), above, below);
        above = here;
        here = below;
    }
}

/* A tile with its border in shared memory; each thread has ROWS cells of it, PLATE_Y apart. */
template <int ROWS> __global__ void plate_tile(float *out, const float *in, int n)
{
    constexpr int HEIGHT = PLATE_Y * ROWS, WIDE = PLATE_X + 2;
    __shared__ float tile[HEIGHT + 2][WIDE];
    int left = blockIdx.x * PLATE_X - 1, top = blockIdx.y * HEIGHT - 1,
        thread = threadIdx.y * PLATE_X + threadIdx.x;
    for (int k = thread; k < (HEIGHT + 2) * WIDE; k += PLATE_X * PLATE_Y)
        tile[k / WIDE][k % WIDE] = plate_cell(in, left + k % WIDE, top + k / WIDE, n);
    __syncthreads();
    int tx = threadIdx.x + 1;
#pragma unroll
    for (int ty = threadIdx.y + 1; ty <= HEIGHT; ty += PLATE_Y)
        if (left + tx < n && top + ty < n)
            out[(size_t)(top + ty) * n + left + tx] = spread_on_plate(
                tile[ty][tx], tile[ty][tx - 1], tile[ty][tx + 1], tile[ty - 1][tx], tile[ty + 1][tx]);
}

template <cube_kernel KERNEL, int ROWS> static void launch_plate(void)
{
    dim3 grid(steps_blocks(n, PLATE_X), steps_blocks(n, PLATE_Y * ROWS));
    KERNEL<<<grid, dim3(PLATE_X, PLATE_Y)>>>(out.device, in.device, n);
}

static void prepare_plate(int size)
{
    n = size;
    in = steps_input((size_t)n * n, 42);
    out = steps_output((size_t)n * n);
}

static void plate_reference(float *expected)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            expected[(size_t)y * n + x] =
                spread_on_plate(in.host[(size_t)y * n + x], plate_cell(in.host, x - 1, y, n),
                                plate_cell(in.host, x + 1, y, n), plate_cell(in.host, x, y - 1, n),
                                plate_cell(in.host, x, y + 1, n));
}

static const struct step plate_steps[] = {
    {"rows1", launch_plate<plate_rows<1>, 1>}, {"rows2", launch_plate<plate_rows<2>, 2>},
    {"rows4", launch_plate<plate_rows<4>, 4>}, {"rows8", launch_plate<plate_rows<8>, 8>},
    {"tile1", launch_plate<plate_tile<1>, 1>}, {"tile4", launch_plate<plate_tile<4>, 4>},
};
const struct step_family plate_family = {
    "plate", plate_steps, STEPS_COUNT(plate_steps), 5120, 331, 1e-5, prepare_plate, finish, &out,
    plate_reference};
