/* limiters.cu - what limits a kernel: occupancy, instruction and memory parallelism, divergence, barriers, roofline.
 * Variants of one computation must give one result; the occupancy API must agree with the launch bounds given.
 * No time is measured. */
#include "../kit.cuh"

enum { N = 4096, BLOCK = 128 };

/* Instruction-level parallelism: CHAINS independent chains of multiply-adds per thread. */
template <int CHAINS> __global__ void chains(float *out, const float *in, int rounds)
{
    float value[CHAINS];
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * CHAINS;
    for (int c = 0; c < CHAINS; c++)
        value[c] = in[base + c];
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            value[c] = value[c] * 0.5f + 1.0f;
    for (int c = 0; c < CHAINS; c++)
        out[base + c] = value[c];
}

/* Memory-level parallelism: COUNT loads of type T are in flight before the first is used. */
template <class T, int COUNT> __global__ void loads_in_flight(T *out, const T *in)
{
    T value[COUNT];
    int first = blockIdx.x * blockDim.x * COUNT + threadIdx.x;
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        value[k] = in[first + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        out[first + k * blockDim.x] = value[k];
}

template <int MIN_BLOCKS> __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) bounded(float *out, const float *in)
{
    float window[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 16; k++)
        window[k] = in[(i + k) % N];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += window[k] * window[15 - k];
    out[i] = sum;
}

__device__ int heavy(int x)
{
    for (int i = 0; i < 8; i++)
        x = x * 1664525 + 1013904223;
    return x;
}

/* Divergence: odd and even elements take different ways, so both halves of every warp idle in turn. */
__global__ void divergent(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i % 2 ? heavy(in[i]) : -in[i];
}

/* Static reordering: the first half of the threads takes the even elements, the second half the odd ones. */
__global__ void reordered(int *out, const int *in)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t < N / 2 ? 2 * t : 2 * (t - N / 2) + 1;
    out[i] = t < N / 2 ? -in[i] : heavy(in[i]);
}

/* Dynamic reordering: a table made at run time groups the elements of one kind. */
__global__ void reordered_by_table(int *out, const int *in, const int *table, int evens)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = table[t];
    out[i] = t < evens ? -in[i] : heavy(in[i]);
}

/* Five ways of a switch: k divergent paths cost their sum. */
__global__ void many_ways(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    switch (i % 5) {
    case 0: v += 7; break;
    case 1: v *= 3; break;
    case 2: v ^= 0x55; break;
    case 3: v = v << 2; break;
    default: v = -v; break;
    }
    for (int k = 0; k < i % 7; k++)
        v += k;
    out[i] = v;
}

/* Barriers: a block-wide prefix maximum, once with two barriers a step and once with a double buffer and one. */
template <bool DOUBLE_BUFFER> __global__ void prefix_max(int *out, const int *in)
{
    __shared__ int cells[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, now = 0;
    cells[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        int value = max(cells[now][t], t >= d ? cells[now][t - d] : INT_MIN);
        if (DOUBLE_BUFFER)
            now ^= 1;
        else
            __syncthreads();
        cells[now][t] = value;
        __syncthreads();
    }
    out[i] = cells[now][t];
}

/* Roofline: the whole kernel, its arithmetic alone and its traffic alone. The last argument keeps the compiler honest. */
__global__ void whole(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int k = 0; k < 32; k++)
        v = v * v - 0.5f;
    out[i] = v;
}

__global__ void compute_only(float *out, float seed, int never)
{
    float v = seed + threadIdx.x * 1e-3f;
    for (int k = 0; k < 32; k++)
        v = v * v - 0.5f;
    if (never * v == 1)
        out[threadIdx.x] = v;
}

__global__ void memory_only(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

template <int CHAINS> static void test_chains(const std::vector<float> &in)
{
    float *din = to_device(in), *out = device_new<float>(N);
    chains<CHAINS><<<N / BLOCK / CHAINS, BLOCK>>>(out, din, 6);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(out, N);
    for (int i = 0; i < N; i++) {
        float want = in[i];
        for (int r = 0; r < 6; r++)
            want = fmaf(want, 0.5f, 1.0f);
        EXPECT_EQUAL(want, got[i]);
    }
}

template <class T, int COUNT> static void test_loads(const std::vector<float> &in)
{
    float *din = to_device(in), *out = device_new<float>(N);
    CHECK(cudaMemset(out, 0, N * sizeof(float)));
    int threads = N * sizeof(float) / sizeof(T) / COUNT;
    loads_in_flight<T, COUNT><<<threads / 32, 32>>>((T *)out, (const T *)din);
    CHECK_LAUNCH();
    EXPECT(from_device(out, N) == in);
}

static void test_occupancy(const std::vector<float> &in)
{
    float *din = to_device(in), *one = device_new<float>(N), *two = device_new<float>(N);
    bounded<1><<<N / BLOCK, BLOCK>>>(one, din);
    bounded<8><<<N / BLOCK, BLOCK>>>(two, din);
    CHECK_LAUNCH();
    EXPECT(from_device(one, N) == from_device(two, N));
    int blocks = 0, with_shared = 0, grid = 0, best = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded<8>, BLOCK, 0));
    EXPECT(blocks >= 8);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&with_shared, bounded<1>, BLOCK, 40 * 1024));
    EXPECT(with_shared >= 1 && with_shared < blocks);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &best, whole));
    EXPECT(best >= 32 && best <= 1024 && grid > 0);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, bounded<1>));
    EXPECT_EQUAL((int)BLOCK, attributes.maxThreadsPerBlock);
    EXPECT(attributes.numRegs > 0 && attributes.numRegs <= 255);
}

static void test_divergence(void)
{
    std::vector<int> in(N), table;
    kit_random random(9);
    for (int &value : in)
        value = random.next() % 1000;
    for (int i = 0; i < N; i += 2)
        table.push_back(i);
    for (int i = 1; i < N; i += 2)
        table.push_back(i);
    int *din = to_device(in), *out[3] = {device_new<int>(N), device_new<int>(N), device_new<int>(N)};
    divergent<<<N / BLOCK, BLOCK>>>(out[0], din);
    reordered<<<N / BLOCK, BLOCK>>>(out[1], din);
    reordered_by_table<<<N / BLOCK, BLOCK>>>(out[2], din, to_device(table), N / 2);
    CHECK_LAUNCH();
    std::vector<int> want = from_device(out[0], N);
    EXPECT(want == from_device(out[1], N));
    EXPECT(want == from_device(out[2], N));
    many_ways<<<N / BLOCK, BLOCK>>>(out[0], din);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out[0], N);
    for (int i = 0; i < N; i++) {
        int ways[] = {in[i] + 7, in[i] * 3, in[i] ^ 0x55, in[i] << 2, -in[i]}, m = i % 7;
        EXPECT_EQUAL(ways[i % 5] + m * (m - 1) / 2, got[i]);
    }
}

static void test_barriers(void)
{
    std::vector<int> in(N);
    kit_random random(10);
    for (int &value : in)
        value = random.next() % 100000;
    int *din = to_device(in), *one = device_new<int>(N), *two = device_new<int>(N);
    prefix_max<false><<<N / BLOCK, BLOCK>>>(one, din);
    prefix_max<true><<<N / BLOCK, BLOCK>>>(two, din);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(one, N);
    EXPECT(got == from_device(two, N));
    for (int i = 0, want = 0; i < N; i++) {
        want = i % BLOCK && want > in[i] ? want : in[i];
        EXPECT_EQUAL(want, got[i]);
    }
}

static void test_roofline(const std::vector<float> &in)
{
    float *din = to_device(in), *out = device_new<float>(N);
    whole<<<N / BLOCK, BLOCK>>>(out, din);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(out, N);
    for (int i = 0; i < N; i++) {
        float want = in[i];
        for (int k = 0; k < 32; k++)
            want = fmaf(want, want, -0.5f);
        EXPECT_EQUAL(want, got[i]);
    }
    compute_only<<<N / BLOCK, BLOCK>>>(out, 0.25f, 0);
    memory_only<<<N / BLOCK, BLOCK>>>(out, din);
    CHECK_LAUNCH();
    EXPECT(from_device(out, N) == in);
}

int main(void)
{
    std::vector<float> in = random_floats(N, 8);
    test_chains<1>(in);
    test_chains<2>(in);
    test_chains<4>(in);
    test_chains<8>(in);
    test_loads<float, 1>(in);
    test_loads<float, 8>(in);
    test_loads<float2, 8>(in);
    test_loads<float4, 8>(in);
    test_occupancy(in);
    test_divergence();
    test_barriers();
    test_roofline(in);
    return finish();
}
