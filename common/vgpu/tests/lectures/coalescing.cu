/* coalescing.cu - how threads walk through memory: strides, offsets, structures, pitched rows, flattened indexes.
 * Every variant of a walk must leave the same result as its plain form.
 * What the walks cost is the subject of tests/counters. */
#include "../kit.cuh"

__global__ void stride_copy(float *out, const float *in, int stride, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n)
        out[i] = in[i];
}

__global__ void offset_copy(float *out, const float *in, int offset, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    if (i < n)
        out[i] = in[i];
}

/* The same range as offset_copy, begun at the sector boundary before it: only the first sector is partly idle. */
__global__ void aligned_offset_copy(float *out, const float *in, int offset, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset / 8 * 8;
    if (i >= offset && i < n)
        out[i] = in[i];
}

__global__ void vector_copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n)
        reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
    else
        for (int k = 4 * i; k < n; k++)
            out[k] = in[k];
}

struct body {
    double x, y, z, w;
};

struct bodies {
    double *x, *y, *z, *w;
};

__global__ void norms_of_structs(double *out, const struct body *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].x * in[i].x + in[i].y * in[i].y + in[i].z * in[i].z + in[i].w;
}

__global__ void norms_of_arrays(double *out, struct bodies in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in.x[i] * in.x[i] + in.y[i] * in.y[i] + in.z[i] * in.z[i] + in.w[i];
}

__global__ void scale_pitched(float *data, size_t pitch, int width, int height, float factor)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) {
        float *row = (float *)((char *)data + y * pitch);
        row[x] *= factor;
    }
}

__global__ void sum_rows_by_column_walk(float *out, const float *in, int rows, int columns)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; r < rows && c < columns; c++)
        sum += in[r * columns + c];
    if (r < rows)
        out[r] = sum;
}

__global__ void sum_rows_of_transposed(float *out, const float *in, int rows, int columns)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; r < rows && c < columns; c++)
        sum += in[c * rows + r];
    if (r < rows)
        out[r] = sum;
}

enum { N1 = 3, N2 = 5, N3 = 4, N4 = 7, N_TOTAL = N1 * N2 * N3 * N4 };
__device__ int flat[N_TOTAL];

__global__ void fill_flattened(void)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N_TOTAL) {
        int i1 = i % N1, rest = i / N1;
        int i2 = rest % N2;
        rest /= N2;
        flat[i] = i1 + 10 * i2 + 100 * (rest % N3) + 1000 * (rest / N3);
    }
}

enum { N = 5000 };

static void expect_copied(const std::vector<float> &in, float *out, int first, int step)
{
    std::vector<float> got = from_device(out, N);
    for (int i = 0; i < N; i++)
        EXPECT_EQUAL(i >= first && (i - first) % step == 0 ? in[i] : 0.0f, got[i]);
    CHECK(cudaMemset(out, 0, N * sizeof(float)));
}

static void test_copies(void)
{
    std::vector<float> in = random_floats(N, 3);
    float *din = to_device(in), *out = device_new<float>(N);
    CHECK(cudaMemset(out, 0, N * sizeof(float)));
    for (int stride : {1, 2, 3, 16, 33}) {
        stride_copy<<<divide_up(N, 256), 256>>>(out, din, stride, N);
        expect_copied(in, out, 0, stride);
    }
    for (int offset : {0, 1, 7, 8, 31}) {
        offset_copy<<<divide_up(N, 256), 256>>>(out, din, offset, N);
        expect_copied(in, out, offset, 1);
        aligned_offset_copy<<<divide_up(N, 256), 256>>>(out, din, offset, N);
        expect_copied(in, out, offset, 1);
    }
    vector_copy<<<divide_up(N, 1024), 256>>>(out, din, N);
    expect_copied(in, out, 0, 1);
    CHECK(cudaFree(din));
    CHECK(cudaFree(out));
}

static void test_structures(void)
{
    std::vector<struct body> in(N);
    std::vector<double> columns[4];
    for (int i = 0; i < N; i++) {
        in[i] = {i * 0.5, i * 0.25, 1.0 / (i + 1), -3.0 * i};
        double values[4] = {in[i].x, in[i].y, in[i].z, in[i].w};
        for (int k = 0; k < 4; k++)
            columns[k].push_back(values[k]);
    }
    double *one = device_new<double>(N), *two = device_new<double>(N);
    struct bodies arrays = {to_device(columns[0]), to_device(columns[1]), to_device(columns[2]),
                            to_device(columns[3])};
    norms_of_structs<<<divide_up(N, 128), 128>>>(one, to_device(in), N);
    norms_of_arrays<<<divide_up(N, 128), 128>>>(two, arrays, N);
    CHECK_LAUNCH();
    std::vector<double> a = from_device(one, N), b = from_device(two, N);
    for (int i = 0; i < N; i++) {
        EXPECT_EQUAL(a[i], b[i]);
        EXPECT_NEAR(in[i].x * in[i].x + in[i].y * in[i].y + in[i].z * in[i].z + in[i].w, a[i], 1e-14);
    }
}

static void test_pitched(int width, int height)
{
    std::vector<float> in = random_floats(width * height, 4), got(width * height);
    float *data;
    size_t pitch, row = width * sizeof(float);
    CHECK(cudaMallocPitch((void **)&data, &pitch, row, height));
    EXPECT(pitch >= row && pitch % 128 == 0);
    CHECK(cudaMemcpy2D(data, pitch, in.data(), row, row, height, cudaMemcpyHostToDevice));
    scale_pitched<<<dim3(divide_up(width, 64), height), 64>>>(data, pitch, width, height, 2.0f);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy2D(got.data(), row, data, pitch, row, height, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        EXPECT_EQUAL(in[i] * 2, got[i]);
    CHECK(cudaFree(data));
}

static void test_layouts(int rows, int columns)
{
    std::vector<float> in = random_floats(rows * columns, 5), turned(rows * columns);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            turned[c * rows + r] = in[r * columns + c];
    float *one = device_new<float>(rows), *two = device_new<float>(rows);
    sum_rows_by_column_walk<<<divide_up(rows, 64), 64>>>(one, to_device(in), rows, columns);
    sum_rows_of_transposed<<<divide_up(rows, 64), 64>>>(two, to_device(turned), rows, columns);
    CHECK_LAUNCH();
    std::vector<float> a = from_device(one, rows), b = from_device(two, rows);
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int c = 0; c < columns; c++)
            sum += in[r * columns + c];
        EXPECT_EQUAL(sum, a[r]);
        EXPECT_EQUAL(sum, b[r]);
    }
}

static void test_flattened(void)
{
    fill_flattened<<<divide_up(N_TOTAL, 64), 64>>>();
    CHECK_LAUNCH();
    std::vector<int> got(N_TOTAL);
    CHECK(cudaMemcpyFromSymbol(got.data(), flat, sizeof(int) * N_TOTAL));
    int i = 0;
    for (int i4 = 0; i4 < N4; i4++)
        for (int i3 = 0; i3 < N3; i3++)
            for (int i2 = 0; i2 < N2; i2++)
                for (int i1 = 0; i1 < N1; i1++)
                    EXPECT_EQUAL(i1 + 10 * i2 + 100 * i3 + 1000 * i4, got[i++]);
}

int main(void)
{
    test_copies();
    test_structures();
    test_pitched(64, 64);
    test_pitched(33, 17);
    test_layouts(100, 30);
    test_flattened();
    return finish();
}
