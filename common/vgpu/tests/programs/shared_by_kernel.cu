/* shared_by_kernel.cu - a kernel has room for the shared variables that it can reach, its own and those of the functions that it
 * calls, and for no others: with -rdc=true all of them belong to the module. What two kernels reach lies at one place in both. */
// options: -rdc=true
#include "../kit.cuh"

enum { THREADS = 64 };

__device__ __noinline__ int reversed(int value)
{
    __shared__ int cells[THREADS];
    cells[threadIdx.x] = value;
    __syncthreads();
    const int result = cells[THREADS - 1 - threadIdx.x];
    __syncthreads();
    return result;
}

__device__ __noinline__ int twice_reversed(int value)
{
    __shared__ int kept[2 * THREADS];
    kept[threadIdx.x] = value;
    const int back = reversed(reversed(value));
    return back == kept[threadIdx.x] ? back : -1;
}

typedef int (*step)(int value);
__device__ step steps[] = {reversed, twice_reversed};

__global__ void none(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

template <int WORDS> __global__ void own(int *out)
{
    __shared__ int mine[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += THREADS)
        mine[i] = i + WORDS;
    __syncthreads();
    out[threadIdx.x] = mine[WORDS - 1 - threadIdx.x];
}

__global__ void one_function(int *out)
{
    __shared__ int mine[3 * THREADS];
    mine[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = reversed(threadIdx.x) + 1000 * mine[threadIdx.x];
}

__global__ void two_functions(int *out)
{
    __shared__ int mine[5 * THREADS];
    mine[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = twice_reversed(threadIdx.x) + 1000 * mine[threadIdx.x];
}

/* May call any function. */
__global__ void by_pointer(int *out, int which)
{
    out[threadIdx.x] = steps[which](threadIdx.x);
}

static size_t shared_bytes(const void *kernel)
{
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.sharedSizeBytes;
}

static int blocks_per_sm(const void *kernel)
{
    int blocks = -1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, THREADS, 0));
    return blocks;
}

static void test_room(void)
{
    const size_t row = THREADS * sizeof(int);
    EXPECT_EQUAL(0, shared_bytes((void *)none));
    EXPECT_EQUAL(4000, shared_bytes((void *)own<1000>));
    EXPECT_EQUAL(40000, shared_bytes((void *)own<10000>));
    EXPECT_EQUAL(8 * row, shared_bytes((void *)two_functions));
    EXPECT_EQUAL(3 * row, shared_bytes((void *)by_pointer));
    /* 4 would do; the toolkit's linker leaves a gap of 2 for what only the other kernels reach */
    EXPECT(shared_bytes((void *)one_function) >= 4 * row && shared_bytes((void *)one_function) <= 6 * row);
    EXPECT(blocks_per_sm((void *)none) > blocks_per_sm((void *)own<10000>));
}

static void expect_values(int *out, int (*want)(int thread))
{
    int values[THREADS];
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++)
        EXPECT_EQUAL(want(i), values[i]);
}

static void test_values(void)
{
    int *out = device_new<int>(THREADS);
    own<1000><<<1, THREADS>>>(out);
    expect_values(out, [](int i) { return 1999 - i; });
    own<10000><<<1, THREADS>>>(out);
    expect_values(out, [](int i) { return 19999 - i; });
    one_function<<<1, THREADS>>>(out);
    expect_values(out, [](int i) { return THREADS - 1 - i + 1000 * i; });
    two_functions<<<1, THREADS>>>(out);
    expect_values(out, [](int i) { return 1001 * i; });
    by_pointer<<<1, THREADS>>>(out, 0);
    expect_values(out, [](int i) { return THREADS - 1 - i; });
    by_pointer<<<1, THREADS>>>(out, 1);
    expect_values(out, [](int i) { return i; });
    CHECK(cudaFree(out));
}

int main(void)
{
    test_room();
    test_values();
    return finish();
}
