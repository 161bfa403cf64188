/* clocks.cu - clock, clock64 and globaltimer never run backwards; sleeping makes time pass; special registers agree;
 * a kernel that waits for some time takes about that time. */
#include "../kit.cuh"

__global__ void watch(long long *out, int *where)
{
    long long first = clock64();
    unsigned long long ns, later;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    volatile int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += i;
    __nanosleep(200);
    clock_t short_clock = clock();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
    out[3 * threadIdx.x] = clock64() - first;
    out[3 * threadIdx.x + 1] = later - ns;
    out[3 * threadIdx.x + 2] = short_clock;
    unsigned warp, smid, nsmid;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(nsmid));
    where[threadIdx.x] = smid < nsmid && warp < 64;
}

__global__ void wait_cycles(long long cycles, long long *waited)
{
    const long long start = clock64();
    long long now = start;
    while (now - start < cycles)
        now = clock64();
    if (threadIdx.x == 0)
        waited[blockIdx.x] = now - start;
}

__global__ void wait_for_flag(volatile int *flag, long long limit, int *gave_up)
{
    const long long start = clock64();
    while (!*flag)
        if (clock64() - start > limit) {
            gave_up[blockIdx.x] = 1;
            break;
        }
}

/* Nobody sets the flag; the limit ends the waiting, which is no deadlock. */
static void test_limit(void)
{
    int *flag = to_device(std::vector<int>(1)), *gave_up = to_device(std::vector<int>(3));
    wait_for_flag<<<3, 1>>>(flag, 20000000, gave_up);
    CHECK_LAUNCH();
    EXPECT(from_device(gave_up, 3) == std::vector<int>(3, 1));
}

/* A second or so: the virtual GPU must not execute every turn of the loop. */
static void test_waiting(void)
{
    const long long cycles = 1500000000;
    long long *waited = device_new<long long>(2);
    cudaEvent_t begin, end;
    float ms = 0;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    wait_cycles<<<2, 64>>>(cycles, waited);
    CHECK(cudaEventRecord(end));
    CHECK_LAUNCH();
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    for (long long cycle : from_device(waited, 2))
        EXPECT(cycle >= cycles && cycle < cycles + cycles / 8);
    EXPECT(ms > 500 && ms < 3000);
}

int main(void)
{
    test_waiting();
    test_limit();
    long long *out = device_new<long long>(3 * 64);
    int *where = device_new<int>(64);
    watch<<<1, 64>>>(out, where);
    CHECK_LAUNCH();
    std::vector<long long> got = from_device(out, 3 * 64);
    for (int i = 0; i < 64; i++) {
        EXPECT(got[3 * i] > 0);
        EXPECT(got[3 * i + 1] >= 0);
    }
    EXPECT(from_device(where, 64) == std::vector<int>(64, 1));
    return finish();
}
