/* memory_spaces.cu - one filter through every memory space: global, constant, read-only cache, texture, local.
 * All variants of the filter must agree; the texture's clamping and its linear filter are checked against the guide's
 * formulas. Array layouts and surfaces are elsewhere. */
#include "../kit.cuh"

enum { N = 3000, TAPS = 9, BLOCK = 128 };

__constant__ float taps_constant[TAPS];
__constant__ int table_constant[64];

__global__ void filter_global(float *out, const float *in, const float *taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * in[min(max(i + k - TAPS / 2, 0), N - 1)];
    out[i] = sum;
}

__global__ void filter_constant(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps_constant[k] * in[min(max(i + k - TAPS / 2, 0), N - 1)];
    out[i] = sum;
}

__global__ void filter_read_only(float *out, const float *__restrict__ in, const float *taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += __ldg(&taps[k]) * in[min(max(i + k - TAPS / 2, 0), N - 1)];
    out[i] = sum;
}

__global__ void filter_texture(float *out, cudaTextureObject_t in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps_constant[k] * tex1D<float>(in, i + k - TAPS / 2 + 0.5f);
    out[i] = sum;
}

__global__ void filter_linear_fetch(float *out, cudaTextureObject_t in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps_constant[k] * tex1Dfetch<float>(in, min(max(i + k - TAPS / 2, 0), N - 1));
    out[i] = sum;
}

/* The window is an array in registers: every index is known when the loop is unrolled. */
__global__ void filter_registers(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float window[TAPS], sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        window[k] = in[min(max(i + k - TAPS / 2, 0), N - 1)];
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        sum += taps_constant[k] * window[k];
    out[i] = sum;
}

/* The same array with an index nobody knows before: it has to live in local memory. */
__global__ void filter_local(float *out, const float *in, const int *order)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float window[TAPS], sum = 0;
    for (int k = 0; k < TAPS; k++)
        window[order[k]] = in[min(max(i + order[k] - TAPS / 2, 0), N - 1)];
    for (int k = 0; k < TAPS; k++)
        sum += taps_constant[k] * window[order[order[k]]];
    out[i] = sum;
}

__global__ void constant_by_lane(int *out)
{
    out[threadIdx.x] = table_constant[(threadIdx.x * 7) % 64];
}

__global__ void sample_linear(float *out, cudaTextureObject_t texture, const float *where, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2D<float>(texture, where[2 * i], where[2 * i + 1]);
}

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

static cudaTextureObject_t linear_texture_of(float *data, size_t bytes)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = bytes;
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

static void expect_filtered(const std::vector<float> &in, const std::vector<float> &taps, float *out, const char *name)
{
    CHECK_LAUNCH();
    std::vector<float> got = from_device(out, N);
    bool right = true;
    for (int i = 0; i < N; i++) {
        float want = 0;
        for (int k = 0; k < TAPS; k++) {
            int at = i + k - TAPS / 2;
            want = fmaf(taps[k], in[at < 0 ? 0 : at >= N ? N - 1 : at], want);
        }
        right = EXPECT_EQUAL(want, got[i]) && right;
    }
    if (!right)
        printf("  %s\n", name);
    CHECK(cudaMemset(out, 0xff, N * sizeof(float)));
}

static void test_filters(void)
{
    std::vector<float> in = random_floats(N, 12), taps = random_floats(TAPS, 13);
    std::vector<int> order(TAPS);
    for (int k = 0; k < TAPS; k++)
        order[k] = TAPS - 1 - k;
    float *din = to_device(in), *dtaps = to_device(taps), *out = device_new<float>(N);
    CHECK(cudaMemcpyToSymbol(taps_constant, taps.data(), TAPS * sizeof(float)));
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, N));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, in.data(), N * sizeof(float), N * sizeof(float), 1, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = texture_of(array, cudaFilterModePoint), linear = linear_texture_of(din, N * 4);
    int grid = divide_up(N, BLOCK);
    filter_global<<<grid, BLOCK>>>(out, din, dtaps);
    expect_filtered(in, taps, out, "global");
    filter_constant<<<grid, BLOCK>>>(out, din);
    expect_filtered(in, taps, out, "constant");
    filter_read_only<<<grid, BLOCK>>>(out, din, dtaps);
    expect_filtered(in, taps, out, "read-only cache");
    filter_texture<<<grid, BLOCK>>>(out, texture);
    expect_filtered(in, taps, out, "texture");
    filter_linear_fetch<<<grid, BLOCK>>>(out, linear);
    expect_filtered(in, taps, out, "texture fetch");
    filter_registers<<<grid, BLOCK>>>(out, din);
    expect_filtered(in, taps, out, "registers");
    filter_local<<<grid, BLOCK>>>(out, din, to_device(order));
    expect_filtered(in, taps, out, "local memory");
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroyTextureObject(linear));
    CHECK(cudaFreeArray(array));
}

static void test_constant_table(void)
{
    std::vector<int> table(64);
    for (int i = 0; i < 64; i++)
        table[i] = i * i;
    CHECK(cudaMemcpyToSymbol(table_constant, table.data(), 64 * sizeof(int)));
    int *out = device_new<int>(64);
    constant_by_lane<<<1, 64>>>(out);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, 64);
    for (int i = 0; i < 64; i++)
        EXPECT_EQUAL(table[i * 7 % 64], got[i]);
}

/* The guide's linear filter: coordinates shifted by half a texel, weights in 8 fractional bits. */
static float bilinear(const std::vector<float> &texels, int width, int height, float x, float y)
{
    float xb = x - 0.5f, yb = y - 0.5f, fx = floorf(xb), fy = floorf(yb);
    float a = floorf((xb - fx) * 256 + 0.5f) / 256, b = floorf((yb - fy) * 256 + 0.5f) / 256;
    auto at = [&](int i, int j) {
        i = i < 0 ? 0 : i >= width ? width - 1 : i;
        j = j < 0 ? 0 : j >= height ? height - 1 : j;
        return texels[j * width + i];
    };
    int i = (int)fx, j = (int)fy;
    return (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) + a * b * at(i + 1, j + 1);
}

static void test_linear_filter(void)
{
    enum { W = 13, H = 9, SAMPLES = 500 };
    std::vector<float> texels = random_floats(W * H, 14), where(2 * SAMPLES);
    kit_random random(15);
    for (int i = 0; i < SAMPLES; i++) {
        where[2 * i] = random.unit() * (W + 4) - 2;
        where[2 * i + 1] = random.unit() * (H + 4) - 2;
    }
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, W, H));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = texture_of(array, cudaFilterModeLinear);
    float *out = device_new<float>(SAMPLES);
    sample_linear<<<divide_up(SAMPLES, BLOCK), BLOCK>>>(out, texture, to_device(where), SAMPLES);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(out, SAMPLES);
    for (int i = 0; i < SAMPLES; i++)
        EXPECT_NEAR(bilinear(texels, W, H, where[2 * i], where[2 * i + 1]), got[i], 0.012);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
}

int main(void)
{
    test_filters();
    test_constant_table();
    test_linear_filter();
    return finish();
}
