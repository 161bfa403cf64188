/* transpose.cu - five transposes: naive, shared tile, padded tile, several rows per thread, swizzled tile.
 * All must be exact for every shape; elements all differ, so a misplaced one shows.
 * Bank conflicts are counted in tests/counters, not here. */
#include "../kit.cuh"

enum { TILE = 32, ROWS = 8 };

__global__ void naive(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

template <int PITCH> __global__ void tiled(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][PITCH];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void several_rows(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* Column c of row r is kept at c ^ r: rows and columns both meet 32 different banks, without padding. */
__global__ void swizzled(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}

struct variant {
    const char *name;
    void (*kernel)(float *, const float *, int, int);
    int rows;
};

static const struct variant variants[] = {
    {"naive", naive, TILE},
    {"tiled", tiled<TILE>, TILE},
    {"padded", tiled<TILE + 1>, TILE},
    {"several rows", several_rows, ROWS},
    {"swizzled", swizzled, TILE},
};

static void test(const struct variant *variant, int width, int height)
{
    std::vector<float> in(width * height);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (float)i;
    float *din = to_device(in), *out = device_new<float>(in.size());
    CHECK(cudaMemset(out, 0xff, in.size() * sizeof(float)));
    dim3 grid(divide_up(width, TILE), divide_up(height, TILE)), block(TILE, variant->rows);
    variant->kernel<<<grid, block>>>(out, din, width, height);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(out, in.size());
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += got[x * height + y] != in[y * width + x];
    if (!EXPECT_EQUAL(0, wrong))
        printf("  %s, %d x %d\n", variant->name, width, height);
    CHECK(cudaFree(din));
    CHECK(cudaFree(out));
}

int main(void)
{
    static const int shapes[][2] = {{1, 1}, {31, 33}, {32, 32}, {64, 128}, {100, 37}, {257, 130}};
    for (const struct variant &variant : variants)
        for (const auto &shape : shapes)
            test(&variant, shape[0], shape[1]);
    return finish();
}
