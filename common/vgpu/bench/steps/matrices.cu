/* matrices.cu - matrices beside the product of two: a matrix times a vector along rows and along columns,
 * the product of a column and a row, small matrices taken apart into triangles (LU), and one triangle for
 * many right sides.
 * Who has which row, and where what all need is kept. */
#include "steps.h"

enum { BLOCK = 256, LANES = 32, WARPS = BLOCK / LANES };

static int n;
static struct steps_array matrix, in, other, out;

static void finish(void)
{
    for (struct steps_array *array : {&matrix, &in, &other, &out})
        steps_free(array);
}

/* ----------------------------------------------------------------------------------------- along the rows */

__device__ static float sum_of_warp(float x)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        x += __shfl_xor_sync(~0u, x, half);
    return x;
}

__global__ void rows_by_thread(float *out, const float *a, const float *in, int n)
{
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * in[k];
    out[row] = sum;
}

__global__ void rows_by_warp(float *out, const float *a, const float *in, int n)
{
    int row = blockIdx.x * WARPS + threadIdx.x / LANES;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = threadIdx.x % LANES; k < n; k += LANES)
        sum += a[(size_t)row * n + k] * in[k];
    sum = sum_of_warp(sum);
    if (threadIdx.x % LANES == 0)
        out[row] = sum;
}

__global__ void rows_by_warp_vectors(float *out, const float *a, const float *in, int n)
{
    int row = blockIdx.x * WARPS + threadIdx.x / LANES;
    if (row >= n)
        return;
    const float4 *own = (const float4 *)(a + (size_t)row * n);
    float sum = 0;
    for (int k = threadIdx.x % LANES; k < n / 4; k += LANES) {
        float4 x = own[k], y = ((const float4 *)in)[k];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    sum = sum_of_warp(sum);
    if (threadIdx.x % LANES == 0)
        out[row] = sum;
}

__global__ void rows_by_block(float *out, const float *a, const float *in, int n)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = t; k < n; k += BLOCK)
        sum += a[(size_t)blockIdx.x * n + k] * in[k];
    part[t] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

typedef void vector_kernel(float *out, const float *a, const float *in, int n);

/* A block has ROWS rows, or so many columns. */
template <vector_kernel *KERNEL, int ROWS> static void launch_vector(void)
{
    KERNEL<<<steps_blocks(n, ROWS), BLOCK>>>(out.device, matrix.device, in.device, n);
}

static void prepare_vector(int size)
{
    n = size;
    matrix = steps_input((size_t)n * n, 121);
    in = steps_input(n, 122);
    out = steps_output(n);
}

template <bool BY_COLUMNS> static void vector_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += (double)matrix.host[BY_COLUMNS ? (size_t)k * n + i : (size_t)i * n + k] * in.host[k];
        expected[i] = (float)sum;
    }
}

static const struct step row_products_steps[] = {
    {"thread", launch_vector<rows_by_thread, BLOCK>},
    {"block", launch_vector<rows_by_block, 1>},
    {"warp", launch_vector<rows_by_warp, WARPS>},
    {"warp_vectors", launch_vector<rows_by_warp_vectors, WARPS>, 4},
};
const struct step_family row_products_family = {
    "row_products", row_products_steps, STEPS_COUNT(row_products_steps), 6144, 301, 1e-3, prepare_vector,
    finish, &out, vector_reference<false>};

/* -------------------------------------------------------------------------------------- along the columns */

enum { CHUNK = 128 }; /* rows */

__global__ void columns_by_thread(float *out, const float *a, const float *in, int n)
{
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(size_t)k * n + column] * in[k];
    out[column] = sum;
}

/* Lanes lie a whole row apart. */
__global__ void columns_by_warp(float *out, const float *a, const float *in, int n)
{
    int column = blockIdx.x * WARPS + threadIdx.x / LANES;
    if (column >= n)
        return;
    float sum = 0;
    for (int k = threadIdx.x % LANES; k < n; k += LANES)
        sum += a[(size_t)k * n + column] * in[k];
    sum = sum_of_warp(sum);
    if (threadIdx.x % LANES == 0)
        out[column] = sum;
}

/* A thread has CHUNK rows of a column; the chunks meet in `out`, which was 0. */
__global__ void columns_by_chunks(float *out, const float *a, const float *in, int n)
{
    int column = blockIdx.x * BLOCK + threadIdx.x, first = blockIdx.y * CHUNK;
    if (column >= n)
        return;
    float sum = 0;
#pragma unroll 4
    for (int k = first; k < first + CHUNK && k < n; k++)
        sum += a[(size_t)k * n + column] * in[k];
    atomicAdd(&out[column], sum);
}

/* A block has 32 columns, a warp every eighth row of them; the warps' sums meet in shared memory. */
__global__ void columns_by_tiles(float *out, const float *a, const float *in, int n)
{
    __shared__ float part[WARPS][LANES];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, column = blockIdx.x * LANES + lane;
    float sum = 0;
    if (column < n)
        for (int k = warp; k < n; k += WARPS)
            sum += a[(size_t)k * n + column] * in[k];
    part[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || column >= n)
        return;
    for (int k = 1; k < WARPS; k++)
        sum += part[k][lane];
    out[column] = sum;
}

static void launch_columns_by_chunks(void)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, n * sizeof(float)));
    columns_by_chunks<<<dim3(steps_blocks(n, BLOCK), steps_blocks(n, CHUNK)), BLOCK>>>(
        out.device, matrix.device, in.device, n);
}

static const struct step column_products_steps[] = {
    {"thread", launch_vector<columns_by_thread, BLOCK>},
    {"warp", launch_vector<columns_by_warp, WARPS>},
    {"tiles", launch_vector<columns_by_tiles, LANES>},
    {"chunks", launch_columns_by_chunks},
};
const struct step_family column_products_family = {
    "column_products", column_products_steps, STEPS_COUNT(column_products_steps), 4096, 301, 1e-3,
    prepare_vector, finish, &out, vector_reference<true>};

/* ------------------------------------------------------------------------------- a column and a row: x yT */

enum { TALL = 8 };

__global__ void outer_element(float *out, const float *a, const float *x, const float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < n && row < n)
        out[row * n + column] = a[row * n + column] + x[row] * y[column];
}

/* A thread goes down TALL rows with its y. */
__global__ void outer_rows(float *out, const float *a, const float *x, const float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * TALL;
    if (column >= n)
        return;
    float own = y[column];
#pragma unroll
    for (int row = first; row < first + TALL; row++)
        if (row < n)
            out[row * n + column] = a[row * n + column] + x[row] * own;
}

__global__ void outer_vectors(float *out, const float *a, const float *x, const float *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (4 * column >= n || row >= n)
        return;
    size_t i = (size_t)row * n / 4 + column;
    float4 was = ((const float4 *)a)[i], own = ((const float4 *)y)[column];
    float times = x[row];
    ((float4 *)out)[i] = make_float4(was.x + times * own.x, was.y + times * own.y, was.z + times * own.z,
                                     was.w + times * own.w);
}

typedef void outer_kernel(float *out, const float *a, const float *x, const float *y, int n);

/* A thread has WIDE columns and HIGH rows. */
template <outer_kernel *KERNEL, int X, int Y, int WIDE, int HIGH> static void launch_outer(void)
{
    KERNEL<<<dim3(steps_blocks(n, X * WIDE), steps_blocks(n, Y * HIGH)), dim3(X, Y)>>>(
        out.device, matrix.device, in.device, other.device, n);
}

static void prepare_outer(int size)
{
    prepare_vector(size);
    other = steps_input(n, 123);
    steps_free(&out);
    out = steps_output((size_t)n * n);
}

static void outer_reference(float *expected)
{
    for (int i = 0; i < n * n; i++)
        expected[i] = matrix.host[i] + in.host[i / n] * other.host[i % n];
}

static const struct step outer_steps[] = {
    {"upright", launch_outer<outer_element, 8, 32, 1, 1>},
    {"square", launch_outer<outer_element, 16, 16, 1, 1>},
    {"wide", launch_outer<outer_element, 256, 1, 1, 1>},
    {"rows", launch_outer<outer_rows, 256, 1, 1, TALL>},
    {"vectors", launch_outer<outer_vectors, 32, 8, 4, 1>, 4},
};
const struct step_family outer_family = {
    "outer", outer_steps, STEPS_COUNT(outer_steps), 4096, 301, 1e-5, prepare_outer, finish, &out,
    outer_reference};

/* -------------------------------------------------------------------------------- small matrices: A = L U */

enum { SIDE = 16, CELLS = SIDE * SIDE };

/* The diagonal is large: no pivots. */
__host__ __device__ static void factor(float *a)
{
    for (int k = 0; k < SIDE - 1; k++)
        for (int row = k + 1; row < SIDE; row++) {
            float times = a[row * SIDE + k] / a[k * SIDE + k];
            a[row * SIDE + k] = times;
            for (int column = k + 1; column < SIDE; column++)
                a[row * SIDE + column] -= times * a[k * SIDE + column];
        }
}

/* A thread has a matrix, in global memory. */
__global__ void factor_by_thread(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < CELLS; k++)
        out[i * CELLS + k] = in[i * CELLS + k];
    factor(out + i * CELLS);
}

/* A block has one, a thread an element. */
__global__ void factor_by_block(float *out, const float *in, int)
{
    __shared__ float a[SIDE][SIDE];
    int row = threadIdx.x / SIDE, column = threadIdx.x % SIDE, i = blockIdx.x * CELLS + threadIdx.x;
    a[row][column] = in[i];
    for (int k = 0; k < SIDE - 1; k++) {
        __syncthreads();
        if (column == k && row > k)
            a[row][k] /= a[k][k];
        __syncthreads();
        if (column > k && row > k)
            a[row][column] -= a[row][k] * a[k][column];
    }
    out[i] = a[row][column];
}

/* A warp has two, a lane a row in registers; the pivot's row comes by shuffles. */
__global__ void factor_by_lanes(float *out, const float *in, int n)
{
    int which = blockIdx.x * (BLOCK / SIDE) + threadIdx.x / SIDE, row = threadIdx.x % SIDE;
    float own[SIDE];
    const float4 *from = (const float4 *)(in + (size_t)min(which, n - 1) * CELLS + row * SIDE);
    for (int k = 0; k < SIDE / 4; k++)
        *(float4 *)&own[4 * k] = from[k];
#pragma unroll
    for (int k = 0; k < SIDE - 1; k++) {
        float times = own[k] / __shfl_sync(~0u, own[k], k, SIDE);
        if (row > k)
            own[k] = times;
#pragma unroll
        for (int column = k + 1; column < SIDE; column++) {
            float above = __shfl_sync(~0u, own[column], k, SIDE);
            own[column] -= row > k ? times * above : 0;
        }
    }
    if (which < n)
        for (int k = 0; k < SIDE / 4; k++)
            ((float4 *)(out + (size_t)which * CELLS + row * SIDE))[k] = *(float4 *)&own[4 * k];
}

template <void (*KERNEL)(float *, const float *, int), int MATRICES> static void launch_factor(void)
{
    KERNEL<<<steps_blocks(n, MATRICES), BLOCK>>>(out.device, in.device, n);
}

static void prepare_factor(int size)
{
    n = size;
    in = steps_input((size_t)n * CELLS, 124);
    for (size_t i = 0; i < in.count; i++)
        in.host[i] += i % CELLS % (SIDE + 1) == 0 ? SIDE : 0;
    steps_upload(&in);
    out = steps_output(in.count);
}

static void factor_reference(float *expected)
{
    for (size_t i = 0; i < in.count; i++)
        expected[i] = in.host[i];
    for (int i = 0; i < n; i++)
        factor(expected + (size_t)i * CELLS);
}

static const struct step factor_steps[] = {
    {"thread", launch_factor<factor_by_thread, BLOCK>},
    {"block", launch_factor<factor_by_block, 1>},
    {"lanes", launch_factor<factor_by_lanes, BLOCK / SIDE>},
};
const struct step_family factor_family = {
    "factor", factor_steps, STEPS_COUNT(factor_steps), 1 << 16, 301, 1e-4, prepare_factor, finish, &out,
    factor_reference};

/* --------------------------------------------------------------------------- a triangle, many right sides */

enum { ROWS = 32 };

__constant__ float constant_triangle[ROWS * ROWS];

/* What was solved is read again where it was written. */
__global__ void solve_in_memory(float *x, const float *l, const float *b, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    for (int row = 0; row < ROWS; row++) {
        float sum = b[row * n + i];
        for (int k = 0; k < row; k++)
            sum -= l[row * ROWS + k] * x[k * n + i];
        x[row * n + i] = sum / l[row * ROWS + row];
    }
}

__device__ static void solve(float *x, const float *l, const float *b, int n, int i)
{
    float own[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        float sum = b[row * n + i];
#pragma unroll
        for (int k = 0; k < row; k++)
            sum -= l[row * ROWS + k] * own[k];
        own[row] = sum / l[row * ROWS + row];
        x[row * n + i] = own[row];
    }
}

__global__ void solve_global(float *x, const float *l, const float *b, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        solve(x, l, b, n, i);
}

__global__ void solve_constant(float *x, const float *, const float *b, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        solve(x, constant_triangle, b, n, i);
}

__global__ void solve_shared(float *x, const float *l, const float *b, int n)
{
    __shared__ float own[ROWS * ROWS];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (int k = threadIdx.x; k < ROWS * ROWS; k += BLOCK)
        own[k] = l[k];
    __syncthreads();
    if (i < n)
        solve(x, own, b, n, i);
}

static void prepare_solve(int size)
{
    n = size;
    matrix = steps_input(ROWS * ROWS, 125);
    for (int row = 0; row < ROWS; row++)
        matrix.host[row * ROWS + row] += ROWS / 2;
    steps_upload(&matrix);
    STEPS_CHECK(cudaMemcpyToSymbol(constant_triangle, matrix.host, sizeof constant_triangle));
    in = steps_input((size_t)n * ROWS, 126);
    out = steps_output(in.count);
}

static void solve_reference(float *x)
{
    for (int i = 0; i < n; i++)
        for (int row = 0; row < ROWS; row++) {
            double sum = in.host[row * n + i];
            for (int k = 0; k < row; k++)
                sum -= (double)matrix.host[row * ROWS + k] * x[k * n + i];
            x[row * n + i] = (float)(sum / matrix.host[row * ROWS + row]);
        }
}

static const struct step triangle_steps[] = {
    {"memory", launch_vector<solve_in_memory, BLOCK>},
    {"global", launch_vector<solve_global, BLOCK>},
    {"constant", launch_vector<solve_constant, BLOCK>},
    {"shared", launch_vector<solve_shared, BLOCK>},
};
const struct step_family triangle_family = {
    "triangle", triangle_steps, STEPS_COUNT(triangle_steps), 1 << 19, 5003, 1e-4, prepare_solve, finish, &out,
    solve_reference};
