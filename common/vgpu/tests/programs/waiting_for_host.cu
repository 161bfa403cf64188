/* waiting_for_host.cu - kernels that wait for something that the host does after their launch: through pinned memory, through
 * managed memory, by a copy on another stream, by another kernel; work that follows such a kernel; and talk in both directions. */
#include "../kit.cuh"

#include <unistd.h>

__global__ void wait_for(volatile int *flag, int value, int *out)
{
    while (*flag != value)
        ;
    *out = value;
}

__global__ void wait_by_atomics(int *flag, int value, int *out)
{
    while (atomicAdd_system(flag, 0) != value)
        ;
    atomicExch(out, value);
}

__global__ void set(volatile int *flag, int value)
{
    *flag = value;
}

__global__ void add_ten(int *out)
{
    *out += 10;
}

/* Answers every new question with its square, until the question is -1. */
__global__ void answer(volatile int *question, volatile int *reply)
{
    for (int asked = 0; asked != -1;) {
        const int last = asked;
        while ((asked = *question) == last)
            ;
        *reply = asked * asked;
        __threadfence_system();
    }
}

static int *out;

static int result(void)
{
    int value;
    CHECK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void test_pinned(void)
{
    int *flag;
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    *(volatile int *)flag = 0;
    wait_for<<<1, 32>>>(flag, 7, out);
    *(volatile int *)flag = 7;
    EXPECT_EQUAL(7, result());
    /* the host takes its time, and work follows the kernel that waits */
    wait_by_atomics<<<4, 64>>>(flag, 8, out);
    add_ten<<<1, 1>>>(out);
    EXPECT(cudaStreamQuery(0) == cudaErrorNotReady);
    usleep(50000);
    *(volatile int *)flag = 8;
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(18, result());
    CHECK(cudaFreeHost(flag));
}

static void test_other_streams(void)
{
    int *flag, five = 5;
    cudaStream_t first, second;
    CHECK(cudaMallocManaged(&flag, sizeof *flag));
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    *flag = 0;
    wait_for<<<1, 1, 0, first>>>(flag, 5, out);
    CHECK(cudaMemcpyAsync(flag, &five, sizeof five, cudaMemcpyHostToDevice, second));
    CHECK(cudaStreamSynchronize(first));
    EXPECT_EQUAL(5, result());
    wait_for<<<1, 1, 0, first>>>(flag, 6, out);
    set<<<1, 1, 0, second>>>(flag, 6);
    CHECK(cudaStreamSynchronize(first));
    EXPECT_EQUAL(6, result());
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(flag));
}

static void test_talk(void)
{
    volatile int *both;
    CHECK(cudaHostAlloc((void **)&both, 2 * sizeof *both, cudaHostAllocDefault));
    both[0] = both[1] = 0;
    answer<<<1, 1>>>(&both[0], &both[1]);
    for (int i = 2; i < 20; i++) {
        both[0] = i;
        while (both[1] != i * i)
            usleep(10);
    }
    both[0] = -1;
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(1, both[1]);
    CHECK(cudaFreeHost((void *)both));
}

int main()
{
    CHECK(cudaMalloc(&out, sizeof *out));
    test_pinned();
    test_other_streams();
    test_talk();
    CHECK(cudaFree(out));
    return finish();
}
