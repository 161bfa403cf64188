/* math_functions.cu - the mathematical functions in both precisions against the host's double precision.
 * Limits are the CUDA guide's largest errors in units of the last place, with one unit more for the reference. */
#include "../kit.cuh"

enum { SAMPLES = 400 };

#define SINGLE(X)                                                                                                      \
    X(sinf, sin, -10, 10, 3) X(cosf, cos, -10, 10, 3) X(tanf, tan, -1.5, 1.5, 5) X(expf, exp, -20, 20, 2)              \
    X(exp2f, exp2, -20, 20, 3) X(exp10f, pow10, -10, 10, 3) X(expm1f, expm1, -3, 3, 2) X(logf, log, 0.01, 100, 2)      \
    X(log2f, log2, 0.01, 100, 2) X(log10f, log10, 0.01, 100, 3) X(log1pf, log1p, -0.9, 10, 2)                          \
    X(sqrtf, sqrt, 0, 100, 1) X(rsqrtf, inverse_root, 0.01, 100, 3) X(cbrtf, cbrt, -50, 50, 2)                         \
    X(asinf, asin, -1, 1, 4) X(acosf, acos, -1, 1, 3) X(atanf, atan, -20, 20, 3) X(sinhf, sinh, -5, 5, 4)              \
    X(coshf, cosh, -5, 5, 3) X(tanhf, tanh, -4, 4, 3) X(asinhf, asinh, -9, 9, 4) X(erff, erf, -3, 3, 3)                \
    X(erfcf, erfc, -3, 5, 6) X(tgammaf, tgamma, 0.5, 9, 8) X(lgammaf, lgamma, 3, 50, 7) X(j0f, j0, 0, 8, 40)           \
    X(floorf, floor, -9, 9, 0) X(ceilf, ceil, -9, 9, 0) X(truncf, trunc, -9, 9, 0) X(rintf, rint, -9, 9, 0)            \
    X(roundf, round, -9, 9, 0) X(fabsf, fabs, -9, 9, 0)
#define DOUBLE(X)                                                                                                      \
    X(sin, sin, -10, 10, 3) X(cos, cos, -10, 10, 3) X(tan, tan, -1.5, 1.5, 4) X(exp, exp, -20, 20, 2)                  \
    X(log, log, 0.01, 100, 2) X(log10, log10, 0.01, 100, 3) X(sqrt, sqrt, 0, 100, 1)                                   \
    X(rsqrt, inverse_root, 0.01, 100, 3) X(cbrt, cbrt, -50, 50, 3) X(asin, asin, -1, 1, 4) X(acos, acos, -1, 1, 4)     \
    X(atan, atan, -20, 20, 4) X(sinh, sinh, -5, 5, 4) X(tanh, tanh, -4, 4, 4) X(erf, erf, -3, 3, 4)                    \
    X(erfc, erfc, -3, 5, 8) X(tgamma, tgamma, 0.5, 9, 12) X(floor, floor, -9, 9, 0)

static double inverse_root(double x)
{
    return 1 / sqrt(x);
}

#ifndef pow10
static double pow10(double x)
{
    return pow(10.0, x);
}
#endif

#define KERNEL(name, reference, low, high, ulps)                                                                       \
    template <class T> __global__ void kernel_##name(T *out, const T *in)                                              \
    {                                                                                                                  \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                 \
        if (i < SAMPLES)                                                                                               \
            out[i] = name(in[i]);                                                                                      \
    }
SINGLE(KERNEL)
DOUBLE(KERNEL)

static double spacing(double value, float)
{
    float f = fabsf((float)value);
    return f < 1.2e-38f ? 1.4e-45 : nextafterf(f, INFINITY) - (double)f;
}

static double spacing(double value, double)
{
    double f = fabs(value);
    return nextafter(f, INFINITY) - f;
}

template <class T>
static void test(const char *name, void (*kernel)(T *, const T *), double (*reference)(double), double low, double high,
                 double ulps)
{
    std::vector<T> in(SAMPLES);
    kit_random random(5);
    for (int i = 0; i < SAMPLES; i++)
        in[i] = (T)(low + (high - low) * (random.next() / 4294967296.0));
    T *din = to_device(in), *out = device_new<T>(SAMPLES);
    kernel<<<divide_up(SAMPLES, 128), 128>>>(out, din);
    CHECK_LAUNCH();
    std::vector<T> got = from_device(out, SAMPLES);
    double worst = 0, where = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double want = reference((double)in[i]), off = fabs((double)got[i] - want) / spacing(want, T());
        if (!(off <= worst)) {
            worst = off;
            where = in[i];
        }
    }
    if (!EXPECT(worst <= ulps + (ulps > 0)))
        printf("  %s(%.17g) is off by %.1f units of the last place\n", name, where, worst);
    CHECK(cudaFree(din));
    CHECK(cudaFree(out));
}

__global__ void two_arguments(double *out, double a, double b)
{
    out[0] = pow(a, b);
    out[1] = fmod(a, b);
    out[2] = atan2(a, b);
    out[3] = hypot(a, b);
    out[4] = powf((float)a, (float)b);
    out[5] = remainder(a, b);
    out[6] = ldexp(a, 5);
    int exponent;
    out[7] = frexp(a, &exponent);
    out[7] += exponent;
    double whole;
    out[8] = modf(a, &whole);
    out[8] += 2 * whole;
    out[9] = fdim(a, b) + fmin(a, b) * 10 + fmax(a, b) * 100;
    out[10] = __fdividef((float)a, (float)b);
    out[11] = __powf((float)a, 2.0f);
    out[12] = copysign(a, -b) + signbit(-a);
    out[13] = isnan(a - a) + 2 * isinf(1 / (a - a));
}

static void test_two_arguments(void)
{
    double a = 13.25, b = 2.5, *out = device_new<double>(14), whole;
    two_arguments<<<1, 1>>>(out, a, b);
    CHECK_LAUNCH();
    int exponent;
    double fraction = frexp(a, &exponent), rest = modf(a, &whole);
    double want[] = {pow(a, b), fmod(a, b), atan2(a, b), hypot(a, b), pow(a, b), remainder(a, b), ldexp(a, 5),
                     fraction + exponent, rest + 2 * whole, a - b + b * 10 + a * 100, a / b, a * a, -a + 1, 2};
    std::vector<double> got = from_device(out, 14);
    for (int i = 0; i < 14; i++)
        if (!EXPECT_NEAR(want[i], got[i], i == 4 || i == 10 || i == 11 ? 2e-6 : 1e-14))
            printf("  case %d\n", i);
}

int main(void)
{
#define TEST_SINGLE(name, reference, low, high, ulps) test<float>(#name, kernel_##name<float>, reference, low, high, ulps);
#define TEST_DOUBLE(name, reference, low, high, ulps)                                                                  \
    test<double>(#name, kernel_##name<double>, reference, low, high, ulps);
    SINGLE(TEST_SINGLE)
    DOUBLE(TEST_DOUBLE)
    test_two_arguments();
    return finish();
}
