/* random_numbers.cu - cuRAND's device generators: XORWOW, Philox, MRG32k3a and their distributions.
 * Integer streams are printed and must equal a GPU's (random_numbers.golden); distributions are checked by moments. */
#include <curand_kernel.h>

#include "../kit.cuh"

enum { THREADS = 128, EACH = 16 };

template <class STATE> __global__ void draw(unsigned *out, unsigned long long seed, unsigned long long offset)
{
    int t = threadIdx.x;
    STATE state;
    curand_init(seed, t, offset, &state);
    for (int i = 0; i < EACH; i++)
        out[t * EACH + i] = curand(&state);
}

template <class STATE> __global__ void uniform_bits(unsigned *out)
{
    int t = threadIdx.x;
    STATE state;
    curand_init(99, t, 0, &state);
    for (int i = 0; i < EACH; i++)
        out[t * EACH + i] = __float_as_uint(curand_uniform(&state));
}

template <class STATE> __global__ void moments(double *sums)
{
    STATE state;
    curand_init(7, threadIdx.x, 0, &state);
    double sum = 0, squares = 0, logs = 0, poisson = 0;
    for (int i = 0; i < 64; i++) {
        float normal = curand_normal(&state);
        sum += normal;
        squares += normal * normal;
        logs += curand_log_normal(&state, 0.0f, 0.25f);
        poisson += curand_poisson(&state, 3.0);
    }
    atomicAdd(&sums[0], sum);
    atomicAdd(&sums[1], squares);
    atomicAdd(&sums[2], logs);
    atomicAdd(&sums[3], poisson);
}

static unsigned long long digest(const std::vector<unsigned> &values)
{
    unsigned long long hash = 14695981039346656037ull;
    for (unsigned value : values)
        hash = (hash ^ value) * 1099511628211ull;
    return hash;
}

template <class STATE> static void test(const char *name)
{
    unsigned *out = device_new<unsigned>(THREADS * EACH);
    draw<STATE><<<1, THREADS>>>(out, 1234, 0);
    CHECK_LAUNCH();
    std::vector<unsigned> got = from_device(out, THREADS * EACH);
    printf("%s: %08x %08x %08x, all %016llx\n", name, got[0], got[1], got[THREADS * EACH - 1], digest(got));
    std::vector<unsigned> first = got;
    draw<STATE><<<1, THREADS>>>(out, 1234, 4);
    CHECK_LAUNCH();
    got = from_device(out, THREADS * EACH);
    for (int i = 0; i + 4 < EACH; i++)
        EXPECT_EQUAL(first[i + 4], got[i]);
    uniform_bits<STATE><<<1, THREADS>>>(out);
    CHECK_LAUNCH();
    printf("%s uniform: %016llx\n", name, digest(from_device(out, THREADS * EACH)));
    double *sums = to_device(std::vector<double>(4, 0.0));
    moments<STATE><<<1, THREADS>>>(sums);
    CHECK_LAUNCH();
    std::vector<double> m = from_device(sums, 4);
    int n = THREADS * 64;
    EXPECT_NEAR(0.0, m[0] / n, 0.05);
    EXPECT_NEAR(1.0, m[1] / n, 0.06);
    EXPECT_NEAR(exp(0.03125), m[2] / n, 0.02);
    EXPECT_NEAR(3.0, m[3] / n, 0.03);
}

int main(void)
{
    test<curandStateXORWOW_t>("XORWOW");
    test<curandStatePhilox4_32_10_t>("Philox");
    test<curandStateMRG32k3a_t>("MRG32k3a");
    return finish();
}
