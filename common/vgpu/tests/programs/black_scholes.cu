/* black_scholes.cu - option prices by the closed formula with erfcf, expf, logf, sqrtf and with a polynomial. */
#include "../kit.cuh"

__device__ float polynomial_cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * __expf(-0.5f * d * d) *
                 (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

__device__ float exact_cnd(float d)
{
    return 0.5f * erfcf(-d * 0.70710678f);
}

template <float (*CND)(float)>
__global__ void price(float2 *out, const float *spot, const float *strike, const float *years, float rate, float sigma, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float root = sqrtf(years[i]);
        float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * sigma * sigma) * years[i]) / (sigma * root);
        float d2 = d1 - sigma * root, c1 = CND(d1), c2 = CND(d2), discounted = strike[i] * expf(-rate * years[i]);
        out[i] = make_float2(spot[i] * c1 - discounted * c2, discounted * (1 - c2) - spot[i] * (1 - c1));
    }
}

int main(void)
{
    enum { N = 2000 };
    std::vector<float> spot(N), strike(N), years(N);
    kit_random random(1);
    for (int i = 0; i < N; i++) {
        spot[i] = 5 + 25 * random.unit();
        strike[i] = 1 + 99 * random.unit();
        years[i] = 0.25f + 9.75f * random.unit();
    }
    float *a = to_device(spot), *b = to_device(strike), *c = to_device(years);
    float2 *one = device_new<float2>(N), *two = device_new<float2>(N);
    price<exact_cnd><<<4, 128>>>(one, a, b, c, 0.02f, 0.3f, N);
    price<polynomial_cnd><<<4, 128>>>(two, a, b, c, 0.02f, 0.3f, N);
    CHECK_LAUNCH();
    std::vector<float2> exact = from_device(one, N), near = from_device(two, N);
    for (int i = 0; i < N; i++) {
        double s = spot[i], x = strike[i], t = years[i], r = 0.02f, v = 0.3f;
        double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
        double c1 = 0.5 * erfc(-d1 / sqrt(2.0)), c2 = 0.5 * erfc(-d2 / sqrt(2.0)), k = x * exp(-r * t);
        EXPECT_NEAR(s * c1 - k * c2, exact[i].x, 1e-4);
        EXPECT_NEAR(k * (1 - c2) - s * (1 - c1), exact[i].y, 1e-4);
        EXPECT_NEAR(exact[i].x, near[i].x, 1e-4);
        EXPECT_NEAR(exact[i].y, near[i].y, 1e-4);
    }
    return finish();
}
