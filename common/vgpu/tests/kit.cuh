/* kit.cuh - what a self-checking CUDA program of these tests needs: checked calls, data both ways, comparison.
 * A program ends with `return finish();`, which prints "ok" or "failed" and gives the exit status.
 * It is plain CUDA: the same programs pass on a real GPU. */
#ifndef VGPU_TESTS_KIT_CUH
#define VGPU_TESTS_KIT_CUH

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call) kit_check((call), #call, __FILE__, __LINE__)
#define CHECK_LAUNCH() (CHECK(cudaGetLastError()), CHECK(cudaDeviceSynchronize()))
#define EXPECT(claim) kit_expect((claim), #claim, __FILE__, __LINE__)
#define EXPECT_EQUAL(want, got) kit_equal((want), (got), #got, __FILE__, __LINE__)
#define EXPECT_NEAR(want, got, limit) kit_near((want), (got), (limit), #got, __FILE__, __LINE__)

static int kit_failures;

static inline void kit_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    printf("%s:%d: %s gives %s (%s)\n", file, line, call, cudaGetErrorName(error), cudaGetErrorString(error));
    exit(1);
}

static inline bool kit_expect(bool claim, const char *text, const char *file, int line)
{
    if (!claim && kit_failures++ < 10)
        printf("%s:%d: not true: %s\n", file, line, text);
    return claim;
}

template <class W, class G> bool kit_equal(W want, G got, const char *text, const char *file, int line)
{
    if (want == (W)got)
        return true;
    if (kit_failures++ < 10)
        printf("%s:%d: %s is %.17g, should be %.17g\n", file, line, text, (double)got, (double)want);
    return false;
}

/* Relative to the wanted value, absolute below 1; a NaN fails. */
static inline bool kit_near(double want, double got, double limit, const char *text, const char *file, int line)
{
    double scale = fabs(want) > 1 ? fabs(want) : 1;
    if (fabs(want - got) <= limit * scale)
        return true;
    if (kit_failures++ < 10)
        printf("%s:%d: %s is %.17g, should be near %.17g\n", file, line, text, got, want);
    return false;
}

template <class T> T *device_new(size_t count)
{
    T *pointer = nullptr;
    CHECK(cudaMalloc((void **)&pointer, count * sizeof(T)));
    return pointer;
}

template <class T> T *to_device(const std::vector<T> &host)
{
    T *pointer = device_new<T>(host.size());
    CHECK(cudaMemcpy(pointer, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
}

template <class T> std::vector<T> from_device(const T *pointer, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

/* The same numbers everywhere: a 64-bit linear congruential generator, upper half. */
struct kit_random {
    uint64_t state;
    explicit kit_random(uint64_t seed) : state(seed * 2654435761u + 1) {}
    uint32_t next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(state >> 32);
    }
    float unit() { return (next() >> 8) * (1.0f / 16777216.0f); }
};

static inline std::vector<float> random_floats(size_t count, uint64_t seed)
{
    kit_random random(seed);
    std::vector<float> values(count);
    for (float &value : values)
        value = random.unit() * 2 - 1;
    return values;
}

static inline int divide_up(int a, int b)
{
    return (a + b - 1) / b;
}

static inline int finish(void)
{
    if (kit_failures)
        printf("failed: %d\n", kit_failures);
    else
        puts("ok");
    return kit_failures != 0;
}

#endif
