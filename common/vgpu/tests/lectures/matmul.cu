/* matmul.cu - the steps of a matrix product, from one thread per element to register tiles with a double buffer.
 * Each step is compared with a product in double precision, for any N including non-multiples of the tile.
 * Accumulation order differs between steps, so the comparison has a tolerance that grows with N. */
#include "../kit.cuh"

enum { TILE = 32, HALF = 16, BIG = 64, DEPTH = 8 };

/* 1: neighbouring threads walk down a column. */
__global__ void along_column(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

/* 2: neighbouring threads lie along a row. */
__global__ void coalesced(float *c, const float *a, const float *b, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

/* 3: each thread owns a 4 x 4 block of results in local arrays: fewer threads, scattered accesses. */
__global__ void coarse(float *c, const float *a, const float *b, int n)
{
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4, col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    float block[4][4] = {};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                if (row + i < n && col + j < n)
                    block[i][j] += a[(row + i) * n + k] * b[k * n + col + j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (row + i < n && col + j < n)
                c[(row + i) * n + col + j] = block[i][j];
}

__device__ float element(const float *m, int row, int col, int n)
{
    return row < n && col < n ? m[row * n + col] : 0.0f;
}

/* 4: shared tiles with two barriers per step; every thread reaches both, whatever n is. */
__global__ void shared_tiles(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        ta[ty][tx] = element(a, row, k + tx, n);
        tb[ty][tx] = element(b, k + ty, col, n);
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += ta[ty][i] * tb[i][tx];
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}

/* 5: two results per thread reuse each element of tb. */
__global__ void two_results(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float one = 0, two = 0;
    for (int k = 0; k < n; k += TILE) {
        for (int j = 0; j < TILE; j += HALF) {
            ta[ty + j][tx] = element(a, row + j, k + tx, n);
            tb[ty + j][tx] = element(b, k + ty + j, col, n);
        }
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            one += ta[ty][i] * tb[i][tx];
            two += ta[ty + HALF][i] * tb[i][tx];
        }
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = one;
    if (row + HALF < n && col < n)
        c[(row + HALF) * n + col] = two;
}

/* 6: tb is kept transposed, so that both run along rows; padding keeps its columns free of bank conflicts. */
__global__ void transposed_tile(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float one = 0, two = 0;
    for (int k = 0; k < n; k += TILE) {
        for (int j = 0; j < TILE; j += HALF) {
            ta[ty + j][tx] = element(a, row + j, k + tx, n);
            tb[tx][ty + j] = element(b, k + ty + j, col, n);
        }
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            one += ta[ty][i] * tb[tx][i];
            two += ta[ty + HALF][i] * tb[tx][i];
        }
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = one;
    if (row + HALF < n && col < n)
        c[(row + HALF) * n + col] = two;
}

/* 7: rank-1 updates: 64 threads hold one column element each of a 16-row strip, A's strip lies in shared memory. */
__global__ void rank_one(float *c, const float *a, const float *b, int n)
{
    __shared__ float strip[HALF][HALF];
    int col = blockIdx.x * BIG + threadIdx.x, row = blockIdx.y * HALF;
    float sums[HALF] = {};
    for (int k = 0; k < n; k += HALF) {
        for (int i = threadIdx.x; i < HALF * HALF; i += BIG)
            strip[i % HALF][i / HALF] = element(a, row + i / HALF, k + i % HALF, n);
        __syncthreads();
        for (int i = 0; i < HALF; i++) {
            float factor = element(b, k + i, col, n);
#pragma unroll
            for (int r = 0; r < HALF; r++)
                sums[r] += strip[i][r] * factor;
        }
        __syncthreads();
    }
    for (int r = 0; r < HALF; r++)
        if (row + r < n && col < n)
            c[(row + r) * n + col] = sums[r];
}

struct big_tiles {
    float a[2][DEPTH][BIG + 4], b[2][DEPTH][BIG + 4];
};

__device__ void load_big(struct big_tiles *tiles, int half, const float *a, const float *b, int k, int n)
{
    for (int i = threadIdx.x; i < DEPTH * BIG; i += 256) {
        tiles->a[half][i % DEPTH][i / DEPTH] = element(a, blockIdx.y * BIG + i / DEPTH, k + i % DEPTH, n);
        tiles->b[half][i / BIG][i % BIG] = element(b, k + i / BIG, blockIdx.x * BIG + i % BIG, n);
    }
}

/* 8: 4 x 4 results in registers, tiles of 64 x 64, the next tile loaded while this one is used. */
__global__ void __launch_bounds__(256) register_tiles(float *c, const float *a, const float *b, int n)
{
    __shared__ struct big_tiles tiles;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, half = 0;
    float sums[4][4] = {};
    load_big(&tiles, 0, a, b, 0, n);
    __syncthreads();
    for (int k = 0; k < n; k += DEPTH, half ^= 1) {
        if (k + DEPTH < n)
            load_big(&tiles, half ^ 1, a, b, k + DEPTH, n);
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            float4 u = *(const float4 *)&tiles.a[half][i][4 * ty], v = *(const float4 *)&tiles.b[half][i][4 * tx];
            float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    sums[y][x] += us[y] * vs[x];
        }
        __syncthreads();
    }
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) {
            int row = blockIdx.y * BIG + 4 * ty + y, col = blockIdx.x * BIG + 4 * tx + x;
            if (row < n && col < n)
                c[row * n + col] = sums[y][x];
        }
}

struct step {
    const char *name;
    void (*kernel)(float *, const float *, const float *, int);
    dim3 block;
    int per_block_x, per_block_y; /* results of one block */
};

static const struct step steps[] = {
    {"along the column", along_column, dim3(16, 16), 16, 16},
    {"coalesced", coalesced, dim3(32, 8), 32, 8},
    {"coarse", coarse, dim3(8, 8), 32, 32},
    {"shared tiles", shared_tiles, dim3(TILE, TILE), TILE, TILE},
    {"two results", two_results, dim3(TILE, HALF), TILE, TILE},
    {"transposed tile", transposed_tile, dim3(TILE, HALF), TILE, TILE},
    {"rank-1 update", rank_one, dim3(BIG), BIG, HALF},
    {"register tiles", register_tiles, dim3(256), BIG, BIG},
};

static std::vector<double> product(const std::vector<float> &a, const std::vector<float> &b, int n)
{
    std::vector<double> c(n * n, 0.0);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += (double)a[i * n + k] * b[k * n + j];
    return c;
}

static void test(const struct step *step, const float *a, const float *b, const std::vector<double> &want, int n)
{
    float *c = device_new<float>(n * n);
    CHECK(cudaMemset(c, 0xff, n * n * sizeof(float)));
    dim3 grid(divide_up(n, step->per_block_x), divide_up(n, step->per_block_y));
    step->kernel<<<grid, step->block>>>(c, a, b, n);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(c, n * n);
    bool right = true;
    for (int i = 0; i < n * n; i++)
        right = EXPECT_NEAR(want[i], got[i], n * 1.2e-7) && right;
    if (!right)
        printf("  %s, n = %d\n", step->name, n);
    CHECK(cudaFree(c));
}

int main(void)
{
    for (int n : {1, 31, 33, 64, 100}) {
        std::vector<float> a = random_floats(n * n, 1), b = random_floats(n * n, 2);
        std::vector<double> want = product(a, b, n);
        float *da = to_device(a), *db = to_device(b);
        for (const struct step &step : steps)
            test(&step, da, db, want, n);
        CHECK(cudaFree(da));
        CHECK(cudaFree(db));
    }
    return finish();
}
