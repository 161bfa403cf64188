/* half_precision.cu - half, half2 and bfloat16: arithmetic, comparisons, conversions, atomics and a dot product.
 * Small integers and powers of two, so that results are exact; the dot product has a tolerance. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../kit.cuh"

__global__ void arithmetic(float *out)
{
    int i = threadIdx.x;
    __half a = __int2half_rn(i), b = __float2half(0.5f);
    out[0 * 32 + i] = __half2float(__hadd(a, b));
    out[1 * 32 + i] = __half2float(__hmul(a, b));
    out[2 * 32 + i] = __half2float(__hfma(a, a, b));
    out[3 * 32 + i] = __half2float(a / __float2half(4.0f));
    out[4 * 32 + i] = __hlt(a, __float2half(7.0f)) ? 1.0f : 0.0f;
    out[5 * 32 + i] = __half2float(hsqrt(a * a));
    out[6 * 32 + i] = __half2float(-a);
    out[7 * 32 + i] = __half2int_rn(__hsub(a, b));
    __half2 pair = __floats2half2_rn(i, -i);
    __half2 both = __hfma2(pair, __float2half2_rn(2.0f), __floats2half2_rn(1.0f, 3.0f));
    out[8 * 32 + i] = __low2float(both);
    out[9 * 32 + i] = __high2float(both);
    out[10 * 32 + i] = __half2float(__hmax(a, __float2half(9.0f)));
    __nv_bfloat16 c = __float2bfloat16((float)i), d = __float2bfloat16(2.0f);
    out[11 * 32 + i] = __bfloat162float(__hmul(c, d));
    out[12 * 32 + i] = __bfloat162float(__hadd(c, d));
}

static float expected(int row, int i)
{
    float rows[] = {i + 0.5f,
                    i * 0.5f,
                    (float)(i * i) + 0.5f,
                    i / 4.0f,
                    i < 7 ? 1.0f : 0.0f,
                    (float)i,
                    (float)-i,
                    rintf(i - 0.5f),
                    2.0f * i + 1,
                    -2.0f * i + 3,
                    i > 9 ? (float)i : 9.0f,
                    2.0f * i,
                    i + 2.0f};
    return rows[row];
}

__global__ void dot(float *out, const __half2 *a, const __half2 *b, int n)
{
    __half2 sum = __float2half2_rn(0.0f);
    for (int i = threadIdx.x; i < n; i += 32)
        sum = __hfma2(a[i], b[i], sum);
    float value = __low2float(sum) + __high2float(sum);
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_xor_sync(~0u, value, d);
    if (threadIdx.x == 0)
        *out = value;
}

__global__ void convert(float *out, const float *in, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        out[i] = __half2float(__float2half_rn(in[i]));
        out[n + i] = __half2float(__float2half_rz(in[i]));
        out[2 * n + i] = __bfloat162float(__float2bfloat16_rn(in[i]));
    }
}

__global__ void add_atomically(__half2 *sum)
{
    atomicAdd(sum, __floats2half2_rn(1.0f, 2.0f));
}

static void test_arithmetic(void)
{
    float *out = device_new<float>(13 * 32);
    arithmetic<<<1, 32>>>(out);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(out, 13 * 32);
    for (int row = 0; row < 13; row++)
        for (int i = 0; i < 32; i++)
            if (!EXPECT_EQUAL(expected(row, i), got[row * 32 + i]))
                printf("  row %d, i = %d\n", row, i);
}

static void test_dot(void)
{
    std::vector<float> x = random_floats(256, 1), y = random_floats(256, 2);
    std::vector<__half2> a(128), b(128);
    double want = 0;
    for (int i = 0; i < 128; i++) {
        a[i] = __floats2half2_rn(x[2 * i], x[2 * i + 1]);
        b[i] = __floats2half2_rn(y[2 * i], y[2 * i + 1]);
        want += (double)x[2 * i] * y[2 * i] + (double)x[2 * i + 1] * y[2 * i + 1];
    }
    float *out = device_new<float>(1);
    dot<<<1, 32>>>(out, to_device(a), to_device(b), 128);
    CHECK_LAUNCH();
    EXPECT_NEAR(want, from_device(out, 1)[0], 0.02);
}

static void test_conversions(void)
{
    std::vector<float> in = {0.1f, -0.1f, 65504.0f, 65519.0f, 65520.0f, 1e-5f, 6e-8f, 2e-8f, 1.0009765f, -3.3e38f};
    int n = in.size();
    float *out = device_new<float>(3 * n);
    convert<<<1, 32>>>(out, to_device(in), n);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(out, 3 * n);
    for (int i = 0; i < n; i++) {
        EXPECT_EQUAL(__half2float(__float2half_rn(in[i])), got[i]);
        EXPECT_EQUAL(__half2float(__float2half_rz(in[i])), got[n + i]);
        EXPECT_EQUAL(__bfloat162float(__float2bfloat16_rn(in[i])), got[2 * n + i]);
    }
}

int main(void)
{
    test_arithmetic();
    test_dot();
    test_conversions();
    __half2 *sum = device_new<__half2>(1);
    CHECK(cudaMemset(sum, 0, sizeof(__half2)));
    add_atomically<<<4, 64>>>(sum);
    CHECK_LAUNCH();
    __half2 got = from_device(sum, 1)[0];
    EXPECT_EQUAL(256.0f, __low2float(got));
    EXPECT_EQUAL(512.0f, __high2float(got));
    return finish();
}
