/* lectures.cu - the kernels behind two published tables: transposes of 8192 x 8192 floats (Tesla P100) and matrix products
 * of order 1024 and 2048 (GTX 1080). Prints `table,row,milliseconds`, one launch each, timed by events.
 * Shapes are those of the lectures: blocks of 32 x 32 threads everywhere. "library" stands in for cuBLAS.
 *
 *   VGPU_GPU=p100 VGPU_EXECUTE=sample build/bench/lectures transpose-8192
 *   VGPU_GPU=gtx1080 VGPU_EXECUTE=sample build/bench/lectures matmul-1024 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { TILE = 32 };

#define CHECK(call) check((call), __LINE__)

static void check(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "lectures.cu:%d: %s\n", line, cudaGetErrorString(error));
    exit(1);
}

/* ---- transpose: to[x][y] = from[y][x], n x n ---- */

__global__ void copy(float *to, const float *from, int n)
{
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        to[y * n + x] = from[y * n + x];
}

__global__ void copy_shared(float *to, const float *from, int n)
{
    __shared__ float tile[TILE][TILE];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.y][threadIdx.x] = from[y * n + x];
    __syncthreads();
    if (x < n && y < n)
        to[y * n + x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void naive(float *to, const float *from, int n)
{
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        to[x * n + y] = from[y * n + x];
}

template <int PAD> __global__ void tiled(float *to, const float *from, int n)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.y][threadIdx.x] = from[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < n && y < n)
        to[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

/* Four rows per thread keep more loads under way: about what a library does. n is a multiple of TILE. */
enum { ROWS = 8 };
__global__ void several_rows(float *to, const float *from, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int row = 0; row < TILE; row += ROWS)
        tile[threadIdx.y + row][threadIdx.x] = from[(y + row) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int row = 0; row < TILE; row += ROWS)
        to[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}

/* ---- matrix product: c = a * b, n x n ---- */

__device__ float dot(const float *a, const float *b, int n, int row, int column)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    return sum;
}

/* Neighbouring threads walk down a column. */
__global__ void uncoalesced(int n, const float *a, const float *b, float *c)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n)
        c[row * n + column] = dot(a, b, n, row, column);
}

/* Neighbouring threads walk along a row. */
__global__ void coalesced(int n, const float *a, const float *b, float *c)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n)
        c[row * n + column] = dot(a, b, n, row, column);
}

/* Every thread computes a tile of its own, from tiles in its local memory: 32 x 32 threads cover 1024 x 1024 results. */
__global__ void coarse(int n, const float *a, const float *b, float *c)
{
    const int top = (blockIdx.y * blockDim.y + threadIdx.y) * TILE;
    const int left = (blockIdx.x * blockDim.x + threadIdx.x) * TILE;
    float part_a[TILE * TILE], part_b[TILE * TILE], part_c[TILE * TILE];
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++)
            part_c[i * TILE + j] = 0;
    for (int k = 0; k + TILE <= n; k += TILE) {
        for (int i = 0; i < TILE; i++)
            for (int j = 0; j < TILE; j++) {
                part_a[i * TILE + j] = a[(top + i) * n + k + j];
                part_b[i * TILE + j] = b[(k + i) * n + left + j];
            }
        for (int i = 0; i < TILE; i++)
            for (int j = 0; j < TILE; j++) {
                float sum = 0;
                for (int m = 0; m < TILE; m++)
                    sum += part_a[i * TILE + m] * part_b[m * TILE + j];
                part_c[i * TILE + j] += sum;
            }
    }
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++)
            c[(top + i) * n + left + j] = part_c[i * TILE + j];
}

/* A block shares its tiles. n is a multiple of TILE. */
__global__ void shared_tiles(int n, const float *a, const float *b, float *c)
{
    __shared__ float tile_a[TILE * TILE], tile_b[TILE * TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    const int own = threadIdx.y * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        tile_a[own] = a[row * n + k + threadIdx.x];
        tile_b[own] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int m = 0; m < TILE; m++)
            sum += tile_a[threadIdx.y * TILE + m] * tile_b[m * TILE + threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* ---- running ---- */

typedef void transpose_kernel(float *, const float *, int);
typedef void product_kernel(int, const float *, const float *, float *);

/* The rows of the tables, in their order; each has one of the two kernels. */
static const struct row {
    const char *table, *name;
    int n;
    transpose_kernel *transpose;
    product_kernel *product;
    int rows;   /* of threads in a block */
    int covers; /* results of a block in each direction */
} rows[] = {
    {"transpose-8192", "copy", 8192, copy, nullptr, TILE, TILE},
    {"transpose-8192", "copy through shared memory", 8192, copy_shared, nullptr, TILE, TILE},
    {"transpose-8192", "naive", 8192, naive, nullptr, TILE, TILE},
    {"transpose-8192", "tiled", 8192, tiled<0>, nullptr, TILE, TILE},
    {"transpose-8192", "padded", 8192, tiled<1>, nullptr, TILE, TILE},
    {"transpose-8192", "library", 8192, several_rows, nullptr, ROWS, TILE},
    {"matmul-1024", "uncoalesced", 1024, nullptr, uncoalesced, TILE, TILE},
    {"matmul-1024", "coalesced", 1024, nullptr, coalesced, TILE, TILE},
    {"matmul-1024", "coarse", 1024, nullptr, coarse, TILE, TILE * TILE},
    {"matmul-1024", "shared tiles", 1024, nullptr, shared_tiles, TILE, TILE},
    {"matmul-2048", "uncoalesced", 2048, nullptr, uncoalesced, TILE, TILE},
    {"matmul-2048", "coalesced", 2048, nullptr, coalesced, TILE, TILE},
    {"matmul-2048", "coarse", 2048, nullptr, coarse, TILE, TILE * TILE},
    {"matmul-2048", "shared tiles", 2048, nullptr, shared_tiles, TILE, TILE},
};

static void launch(const row &row, float *to, const float *a, const float *b)
{
    const dim3 grid(row.n / row.covers, row.n / row.covers), block(TILE, row.rows);
    if (row.transpose)
        row.transpose<<<grid, block>>>(to, a, row.n);
    else
        row.product<<<grid, block>>>(row.n, a, b, to);
    CHECK(cudaGetLastError());
}

static float time_ms(const row &row)
{
    const size_t bytes = (size_t)row.n * row.n * sizeof(float);
    float *a, *b, *to, ms;
    cudaEvent_t begin, end;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemset(a, 0, bytes));
    CHECK(cudaMemset(b, 0, bytes));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    launch(row, to, a, b);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(to));
    return ms;
}

int main(int argc, char **argv)
{
    for (const row &row : rows)
        if (argc < 2 || !strcmp(argv[1], row.table)) {
            printf("%s,%s,%.3f\n", row.table, row.name, time_ms(row));
            fflush(stdout);
        }
    return 0;
}
