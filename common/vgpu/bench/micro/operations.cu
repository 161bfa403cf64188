/* operations.cu - arithmetic and warp operations: the latency of a dependent chain, and the rate of a full SM with four
 * chains per thread (rate) or one (rate1, where a register's value cannot be kept from one instruction to the next).
 * operations.def lists them as PTX. Both figures come from the difference of two lengths, so that launch, start and
 * end do not count; the loop around a round does, with about three instructions. */
#include "micro.cuh"

enum { CHAINS = 4 };

#define OPERATION(NAME, TYPE, REGISTER, OPERATIONS, STEPS, A, B, C, TEXT)                                              \
    struct NAME##_chain {                                                                                              \
        using type = TYPE;                                                                                             \
        static constexpr int operations = OPERATIONS, steps = STEPS;                                                   \
        static constexpr TYPE a = A, b = B, c = C;                                                                     \
        static __device__ void step(type &a, type &b, type c)                                                          \
        {                                                                                                              \
            asm volatile(TEXT : "+" REGISTER(a), "+" REGISTER(b) : REGISTER(c));                                       \
        }                                                                                                              \
    };
#include "operations.def"
#undef OPERATION

/* One round: OP::steps steps, spread over WAYS independent chains. */
template <class OP, int WAYS>
__global__ void chain(typename OP::type *out, typename OP::type a0, typename OP::type b0, typename OP::type c, int n)
{
    typename OP::type a[WAYS], b[WAYS];
    const int lane = threadIdx.x % 32; /* lanes differ: else ptxas would compute once for the warp */
    c += lane;
    for (int k = 0; k < WAYS; k++) {
        a[k] = a0 + lane;
        b[k] = b0 + lane;
    }
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < OP::steps; j++)
            OP::step(a[j % WAYS], b[j % WAYS], c);
    typename OP::type *mine = out + ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 1; k < WAYS; k++) {
        a[0] += a[k];
        b[0] += b[k];
    }
    *mine = a[0] + b[0];
}

template <class OP, int WAYS> static double chain_us(int blocks, int threads, int n)
{
    auto launch = [=](int rounds) {
        return time_us([=](int) {
            chain<OP, WAYS><<<blocks, threads>>>((typename OP::type *)dev.out, OP::a, OP::b, OP::c, rounds);
        });
    };
    return launch(2 * n) - launch(n);
}

template <class OP> static void report_operation(const char *name)
{
    const int rounds = 1024 / OP::steps;
    const double done = (double)rounds * OP::steps * OP::operations;
    report(clocks(chain_us<OP, 1>(1, 32, 4 * rounds)) / (4 * done), "clk", "param.%s.latency", name);
    report(2048 * done / clocks(chain_us<OP, CHAINS>(dev.sms * 2, 1024, rounds)), "/clk/SM", "param.%s.rate", name);
    report(2048 * done / clocks(chain_us<OP, 1>(dev.sms * 2, 1024, rounds)), "/clk/SM", "param.%s.rate1", name);
}

/* As short as a loop can be: one FMA, a count, a comparison and a branch. */
__global__ void short_loop(float *out, float b, float c, int n)
{
    float a = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(b), "f"(c));
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

static void report_loop()
{
    auto us = [](int blocks, int threads) {
        auto launch = [=](int n) {
            return time_us([=](int) { short_loop<<<blocks, threads>>>((float *)dev.out, 0.5f, 1.0f, n); });
        };
        return launch(4096) - launch(2048);
    };
    report(clocks(us(1, 32)) / 2048, "clk", "param.loop.latency");
    report(2048.0 * 2048 / clocks(us(dev.sms * 2, 1024)), "/clk/SM", "param.loop.rate");
}

void measure_operations()
{
    report_loop();
#define OPERATION(NAME, TYPE, REGISTER, OPERATIONS, STEPS, A, B, C, TEXT) report_operation<NAME##_chain>(#NAME);
#include "operations.def"
#undef OPERATION
}
