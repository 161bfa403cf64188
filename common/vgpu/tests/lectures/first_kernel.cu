/* first_kernel.cu - vector addition, 2-D indexing for any size, and error checks that report a bad launch.
 * Sizes include 1, warp and block edges, and non-square matrices.
 * Nothing here is fast; it is where a course begins. */
#include "../kit.cuh"

__global__ void add(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void add_grid_stride(float *out, const float *a, const float *b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = a[i] + b[i];
}

__global__ void fill_2d(int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = 1000 * y + x;
}

__global__ void fill_3d(int *out, dim3 size)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && y < size.y && z < size.z)
        out[(z * size.y + y) * size.x + x] = z * 10000 + y * 100 + x;
}

static void test_add(int n)
{
    std::vector<float> a = random_floats(n, 1), b = random_floats(n, 2);
    float *da = to_device(a), *db = to_device(b), *out = device_new<float>(n);
    add<<<divide_up(n, 256), 256>>>(out, da, db, n);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(out, n);
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(a[i] + b[i], got[i]);
    CHECK(cudaMemset(out, 0xff, n * sizeof(float)));
    add_grid_stride<<<2, 64>>>(out, da, db, n);
    CHECK_LAUNCH();
    got = from_device(out, n);
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(a[i] + b[i], got[i]);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(out));
}

static void test_fill_2d(int width, int height)
{
    int *out = device_new<int>(width * height);
    dim3 block(16, 8), grid(divide_up(width, 16), divide_up(height, 8));
    fill_2d<<<grid, block>>>(out, width, height);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            EXPECT_EQUAL(1000 * y + x, got[y * width + x]);
    CHECK(cudaFree(out));
}

static void test_fill_3d(void)
{
    dim3 size(5, 7, 3), block(4, 4, 2), grid(2, 2, 2);
    int *out = device_new<int>(5 * 7 * 3);
    fill_3d<<<grid, block>>>(out, size);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, 5 * 7 * 3);
    for (int i = 0; i < 5 * 7 * 3; i++)
        EXPECT_EQUAL(i / 35 * 10000 + i / 5 % 7 * 100 + i % 5, got[i]);
    CHECK(cudaFree(out));
}

/* CUDA 13.0 on an H200 answers cudaErrorInvalidValue; earlier versions cudaErrorInvalidConfiguration. */
static bool is_bad_launch(cudaError_t error)
{
    return error == cudaErrorInvalidValue || error == cudaErrorInvalidConfiguration;
}

static void a_bad_launch_is_reported(void)
{
    add<<<1, 4096>>>(nullptr, nullptr, nullptr, 0);
    EXPECT(is_bad_launch(cudaPeekAtLastError()));
    EXPECT(is_bad_launch(cudaGetLastError()));
    EXPECT_EQUAL(cudaSuccess, cudaGetLastError());
    add<<<0, 32>>>(nullptr, nullptr, nullptr, 0);
    EXPECT(is_bad_launch(cudaGetLastError()));
}

int main(void)
{
    for (int n : {1, 31, 32, 33, 255, 256, 257, 10000, 70001})
        test_add(n);
    test_fill_2d(1, 1);
    test_fill_2d(33, 7);
    test_fill_2d(7, 33);
    test_fill_2d(100, 60);
    test_fill_3d();
    a_bad_launch_is_reported();
    return finish();
}
