/* convolution.cu - a picture of n x n floats filtered by 5 x 5 and by 9 x 9 coefficients; outside of it all
 * is 0. The coefficients are the product of a column and a row, so that two passes of one dimension do the
 * same work. */
#include "steps.h"

enum { SIDE_X = 32, SIDE_Y = 8, EACH = 4, MOST = 9 };

static int n;
static struct steps_array in, out, between, row, column, taps;
__constant__ float constant_taps[MOST * MOST], constant_row[MOST], constant_column[MOST];

__host__ __device__ static float pixel(const float *in, int x, int y, int n)
{
    return x >= 0 && x < n && y >= 0 && y < n ? in[y * n + x] : 0;
}

/* ----------------------------------------------------------------------------------------------- one pass */

template <int TAPS> __global__ void filter_global(float *out, const float *in, const float *taps, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++)
            sum += taps[i * TAPS + j] * pixel(in, x + j - TAPS / 2, y + i - TAPS / 2, n);
    out[y * n + x] = sum;
}

template <int TAPS> __global__ void filter_constant(float *out, const float *in, const float *, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++)
            sum += constant_taps[i * TAPS + j] * pixel(in, x + j - TAPS / 2, y + i - TAPS / 2, n);
    out[y * n + x] = sum;
}

/* A tile of WIDTH x HEIGHT pixels, whose first one is (left, top), comes from global memory. */
template <int WIDTH, int HEIGHT>
__device__ static void bring(float (*tile)[WIDTH], const float *in, int left, int top, int n)
{
    for (int i = threadIdx.y; i < HEIGHT; i += SIDE_Y)
        for (int j = threadIdx.x; j < WIDTH; j += SIDE_X)
            tile[i][j] = pixel(in, left + j, top + i, n);
    __syncthreads();
}

template <int TAPS> __global__ void filter_tile(float *out, const float *in, const float *, int n)
{
    __shared__ float tile[SIDE_Y + TAPS - 1][SIDE_X + TAPS - 1];
    int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * SIDE_X, top = blockIdx.y * SIDE_Y;
    bring<SIDE_X + TAPS - 1, SIDE_Y + TAPS - 1>(tile, in, left - TAPS / 2, top - TAPS / 2, n);
    float sum = 0;
    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++)
            sum += constant_taps[i * TAPS + j] * tile[ty + i][tx + j];
    if (left + tx < n && top + ty < n)
        out[(top + ty) * n + left + tx] = sum;
}

/* A thread has EACH pixels, one below the other: what it reads of the tile counts for several of them. */
template <int TAPS> __global__ void filter_four(float *out, const float *in, const float *, int n)
{
    constexpr int ROWS = SIDE_Y * EACH;
    __shared__ float tile[ROWS + TAPS - 1][SIDE_X + TAPS - 1];
    int tx = threadIdx.x, ty = threadIdx.y * EACH, left = blockIdx.x * SIDE_X, top = blockIdx.y * ROWS;
    bring<SIDE_X + TAPS - 1, ROWS + TAPS - 1>(tile, in, left - TAPS / 2, top - TAPS / 2, n);
    float sum[EACH] = {};
#pragma unroll
    for (int i = 0; i < TAPS + EACH - 1; i++)
#pragma unroll
        for (int j = 0; j < TAPS; j++) {
            float value = tile[ty + i][tx + j];
#pragma unroll
            for (int k = 0; k < EACH; k++)
                if (i - k >= 0 && i - k < TAPS)
                    sum[k] += constant_taps[(i - k) * TAPS + j] * value;
        }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (left + tx < n && top + ty + k < n)
            out[(top + ty + k) * n + left + tx] = sum[k];
}

/* --------------------------------------------------------------------------------------------- two passes */

template <int TAPS> __global__ void filter_row(float *out, const float *in, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int j = 0; j < TAPS; j++)
        sum += constant_row[j] * pixel(in, x + j - TAPS / 2, y, n);
    out[y * n + x] = sum;
}

template <int TAPS> __global__ void filter_column(float *out, const float *in, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int i = 0; i < TAPS; i++)
        sum += constant_column[i] * pixel(in, x, y + i - TAPS / 2, n);
    out[y * n + x] = sum;
}

/* Both passes in one kernel: the rows of a tile are filtered from shared memory to shared memory. */
template <int TAPS> __global__ void filter_both(float *out, const float *in, int n)
{
    constexpr int ROWS = SIDE_Y * EACH;
    __shared__ float tile[ROWS + TAPS - 1][SIDE_X + TAPS - 1], half[ROWS + TAPS - 1][SIDE_X];
    int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * SIDE_X, top = blockIdx.y * ROWS;
    bring<SIDE_X + TAPS - 1, ROWS + TAPS - 1>(tile, in, left - TAPS / 2, top - TAPS / 2, n);
    for (int i = ty; i < ROWS + TAPS - 1; i += SIDE_Y) {
        float sum = 0;
        for (int j = 0; j < TAPS; j++)
            sum += constant_row[j] * tile[i][tx + j];
        half[i][tx] = sum;
    }
    __syncthreads();
    for (int y = ty; y < ROWS && top + y < n && left + tx < n; y += SIDE_Y) {
        float sum = 0;
        for (int i = 0; i < TAPS; i++)
            sum += constant_column[i] * half[y + i][tx];
        out[(top + y) * n + left + tx] = sum;
    }
}

/* ------------------------------------------------------------------------------------------- the families */

static dim3 grid_of(int rows)
{
    return dim3(steps_blocks(n, SIDE_X), steps_blocks(n, rows));
}

template <void (*FILTER)(float *, const float *, const float *, int), int ROWS> static void launch(void)
{
    FILTER<<<grid_of(ROWS), dim3(SIDE_X, SIDE_Y)>>>(out.device, in.device, taps.device, n);
}

template <int TAPS> static void launch_two_passes(void)
{
    filter_row<TAPS><<<grid_of(SIDE_Y), dim3(SIDE_X, SIDE_Y)>>>(between.device, in.device, n);
    filter_column<TAPS><<<grid_of(SIDE_Y), dim3(SIDE_X, SIDE_Y)>>>(out.device, between.device, n);
}

template <int TAPS> static void launch_both(void)
{
    filter_both<TAPS><<<grid_of(SIDE_Y * EACH), dim3(SIDE_X, SIDE_Y)>>>(out.device, in.device, n);
}

template <int TAPS> static void prepare(int size)
{
    n = size;
    in = steps_input((size_t)n * n, 17);
    row = steps_input(TAPS, 18);
    column = steps_input(TAPS, 19);
    taps = steps_input(TAPS * TAPS, 0);
    for (int i = 0; i < TAPS * TAPS; i++)
        taps.host[i] = column.host[i / TAPS] * row.host[i % TAPS];
    steps_upload(&taps);
    STEPS_CHECK(cudaMemcpyToSymbol(constant_taps, taps.host, TAPS * TAPS * sizeof(float)));
    STEPS_CHECK(cudaMemcpyToSymbol(constant_row, row.host, TAPS * sizeof(float)));
    STEPS_CHECK(cudaMemcpyToSymbol(constant_column, column.host, TAPS * sizeof(float)));
    between = steps_output((size_t)n * n);
    out = steps_output((size_t)n * n);
}

static void finish(void)
{
    for (struct steps_array *array : {&in, &out, &between, &row, &column, &taps})
        steps_free(array);
}

template <int TAPS> static void reference(float *expected)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double sum = 0;
            for (int i = 0; i < TAPS * TAPS; i++)
                sum += (double)taps.host[i] *
                       pixel(in.host, x + i % TAPS - TAPS / 2, y + i / TAPS - TAPS / 2, n);
            expected[y * n + x] = (float)sum;
        }
}

template <int TAPS>
static const struct step steps[] = {
    {"global", launch<filter_global<TAPS>, SIDE_Y>},
    {"constant", launch<filter_constant<TAPS>, SIDE_Y>},
    {"tile", launch<filter_tile<TAPS>, SIDE_Y>},
    {"four_results", launch<filter_four<TAPS>, SIDE_Y * EACH>},
    {"two_passes", launch_two_passes<TAPS>},
    {"two_passes_tile", launch_both<TAPS>},
};
const struct step_family convolution5_family = {
    "convolution5", steps<5>, STEPS_COUNT(steps<5>), 4096, 131, 1e-4, prepare<5>, finish, &out, reference<5>};
const struct step_family convolution9_family = {
    "convolution9", steps<9>, STEPS_COUNT(steps<9>), 4096, 131, 1e-4, prepare<9>, finish, &out, reference<9>};
