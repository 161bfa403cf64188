/* warpops_intrinsics.cu - every warp intrinsic, with all widths and offsets, in whole warps, in halves, and in branches.
 * Expected values follow the wording of the CUDA guide. */
#include "../kit.cuh"

enum { LANES = 32 };
static const unsigned ALL = ~0u;

template <int width> __global__ void shuffle_all(int *out)
{
    const int lane = threadIdx.x;
    for (int d = 0; d < 32; d++) {
        int *row = out + d * 4 * LANES + lane;
        row[0 * LANES] = __shfl_up_sync(ALL, lane * 3, d, width);
        row[1 * LANES] = __shfl_down_sync(ALL, lane * 3, d, width);
        row[2 * LANES] = __shfl_xor_sync(ALL, lane * 3, d, width);
        row[3 * LANES] = __shfl_sync(ALL, lane * 3, d, width);
    }
}

template <int width> static void check_shuffles()
{
    std::vector<int> got(32 * 4 * LANES);
    int *out;
    CHECK(cudaMalloc(&out, got.size() * sizeof(int)));
    shuffle_all<width><<<1, LANES>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int d = 0; d < 32; d++)
        for (int lane = 0; lane < LANES; lane++) {
            const int in = lane % width;
            const int *row = &got[d * 4 * LANES + lane];
            EXPECT_EQUAL(3 * (in - d >= 0 ? lane - d : lane), row[0 * LANES]);
            EXPECT_EQUAL(3 * (in + d < width ? lane + d : lane), row[1 * LANES]);
            EXPECT_EQUAL(3 * ((lane ^ d) / width <= lane / width ? lane ^ d : lane), row[2 * LANES]);
            EXPECT_EQUAL(3 * (lane - in + d % width), row[3 * LANES]);
        }
    CHECK(cudaFree(out));
}

__global__ void votes(unsigned *out)
{
    const int lane = threadIdx.x;
    unsigned *row = out + lane * 8;
    row[0] = __ballot_sync(ALL, lane % 3 == 0);
    row[1] = __any_sync(ALL, lane == 40);
    row[2] = __any_sync(ALL, lane == 4);
    row[3] = __all_sync(ALL, lane < 32);
    row[4] = __all_sync(ALL, lane < 31);
    row[5] = __activemask();
    const unsigned half = lane < 16 ? 0xffff : 0xffff0000;
    row[6] = __ballot_sync(half, lane % 2); /* two groups in one instruction */
    row[7] = __shfl_sync(half, lane, 5, 16);
}

__global__ void matches(unsigned *out)
{
    const int lane = threadIdx.x;
    unsigned *row = out + lane * 8;
    int all;
    row[0] = __match_any_sync(ALL, lane / 5);
    row[1] = __match_any_sync(ALL, (long long)(lane % 2) << 40);
    row[2] = __match_all_sync(ALL, 17, &all);
    row[3] = all;
    row[4] = __match_all_sync(ALL, lane / 31, &all);
    row[5] = all;
    row[6] = __match_all_sync(ALL, 2.5, &all);
    row[7] = all;
}

/* Lanes that diverged meet again at the intrinsic that names them all. */
__global__ void divergent(int *out)
{
    const int lane = threadIdx.x;
    int value;
    if (lane % 2) {
        value = lane * 10;
        value += __shfl_xor_sync(0xaaaaaaaa, value, 2);
    } else {
        value = -lane;
        value += __shfl_xor_sync(0x55555555, value, 2);
    }
    __syncwarp();
    out[lane] = __shfl_sync(ALL, value, 31 - lane);
}

__global__ void partial(int *out)
{
    const int lane = threadIdx.x;
    if (lane >= 20)
        return;
    int sum = lane;
    const unsigned mask = __ballot_sync(0x000fffff, 1);
    for (int offset = 1; offset < 20; offset *= 2) {
        const int other = __shfl_up_sync(mask, sum, offset);
        if (lane >= offset)
            sum += other;
    }
    out[lane] = sum;
}

__global__ void wide_types(double *doubles, long long *longs, float *floats)
{
    const int lane = threadIdx.x;
    doubles[lane] = __shfl_down_sync(ALL, lane * 1.5, 1);
    longs[lane] = __shfl_xor_sync(ALL, (long long)lane << 36, 16);
    floats[lane] = __shfl_sync(ALL, lane * 0.25f, 7);
}

__global__ void tree(const float *in, float *out)
{
    float sum = in[blockIdx.x * LANES + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(ALL, sum, offset);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void reductions(int *out)
{
    const int lane = threadIdx.x;
    int *row = out + lane * 8;
    row[0] = __reduce_add_sync(ALL, lane - 3);
    row[1] = __reduce_min_sync(ALL, lane - 3);
    row[2] = __reduce_max_sync(ALL, lane - 3);
    row[3] = (int)__reduce_min_sync(ALL, (unsigned)(lane - 3));
    row[4] = (int)__reduce_max_sync(ALL, (unsigned)(lane - 3));
    row[5] = (int)__reduce_and_sync(ALL, 0xf0u | lane);
    row[6] = (int)__reduce_or_sync(ALL, (unsigned)lane);
    row[7] = (int)__reduce_xor_sync(ALL, (unsigned)lane + 1);
}
#else
__global__ void reductions(int *out)
{
    const int lane = threadIdx.x, want[8] = {400, -3, 28, 0, -1, 0xf0, 31, 32};
    for (int i = 0; i < 8; i++)
        out[lane * 8 + i] = want[i];
}
#endif

template <class T> static std::vector<T> fetch(const T *device, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

static void check_votes(unsigned *device)
{
    votes<<<1, LANES>>>(device);
    CHECK_LAUNCH();
    const std::vector<unsigned> got = fetch(device, LANES * 8);
    for (int lane = 0; lane < LANES; lane++) {
        const unsigned *row = &got[lane * 8];
        EXPECT_EQUAL(0x49249249u, row[0]);
        EXPECT_EQUAL(0u, row[1]);
        EXPECT_EQUAL(1u, row[2] != 0);
        EXPECT_EQUAL(1u, row[3] != 0);
        EXPECT_EQUAL(0u, row[4]);
        EXPECT_EQUAL(0xffffffffu, row[5]);
        EXPECT_EQUAL(lane < 16 ? 0x0000aaaau : 0xaaaa0000u, row[6]);
        EXPECT_EQUAL(lane < 16 ? 5u : 21u, row[7]);
    }
}

static void check_matches(unsigned *device)
{
    matches<<<1, LANES>>>(device);
    CHECK_LAUNCH();
    const std::vector<unsigned> got = fetch(device, LANES * 8);
    for (int lane = 0; lane < LANES; lane++) {
        const unsigned *row = &got[lane * 8];
        unsigned same = 0;
        for (int other = 0; other < LANES; other++)
            same |= (unsigned)(other / 5 == lane / 5) << other;
        EXPECT_EQUAL(same, row[0]);
        EXPECT_EQUAL(lane % 2 ? 0xaaaaaaaau : 0x55555555u, row[1]);
        EXPECT_EQUAL(0xffffffffu, row[2]);
        EXPECT_EQUAL(1u, row[3]);
        EXPECT_EQUAL(0u, row[4]);
        EXPECT_EQUAL(0u, row[5]);
        EXPECT_EQUAL(0xffffffffu, row[6]);
        EXPECT_EQUAL(1u, row[7]);
    }
}

static void check_branches(int *device)
{
    divergent<<<1, LANES>>>(device);
    CHECK_LAUNCH();
    std::vector<int> got = fetch(device, LANES);
    for (int lane = 0; lane < LANES; lane++) {
        const int from = 31 - lane, other = from ^ 2;
        EXPECT_EQUAL(from % 2 ? from * 10 + other * 10 : -from - other, got[lane]);
    }
    partial<<<1, LANES>>>(device);
    CHECK_LAUNCH();
    got = fetch(device, LANES);
    for (int lane = 0; lane < 20; lane++)
        EXPECT_EQUAL(lane * (lane + 1) / 2, got[lane]);
}

static void check_types()
{
    double *doubles;
    long long *longs;
    float *floats;
    CHECK(cudaMalloc(&doubles, LANES * sizeof *doubles));
    CHECK(cudaMalloc(&longs, LANES * sizeof *longs));
    CHECK(cudaMalloc(&floats, LANES * sizeof *floats));
    wide_types<<<1, LANES>>>(doubles, longs, floats);
    CHECK_LAUNCH();
    const std::vector<double> d = fetch(doubles, LANES);
    const std::vector<long long> l = fetch(longs, LANES);
    const std::vector<float> f = fetch(floats, LANES);
    for (int lane = 0; lane < LANES; lane++) {
        EXPECT_EQUAL((lane < 31 ? lane + 1 : lane) * 1.5, d[lane]);
        EXPECT_EQUAL((long long)(lane ^ 16) << 36, l[lane]);
        EXPECT_EQUAL(1.75f, f[lane]);
    }
    CHECK(cudaFree(doubles));
    CHECK(cudaFree(longs));
    CHECK(cudaFree(floats));
}

static void check_tree()
{
    enum { BLOCKS = 10 };
    std::vector<float> in(BLOCKS * LANES);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (float)(i % 17);
    float *device, *out;
    CHECK(cudaMalloc(&device, in.size() * sizeof(float)));
    CHECK(cudaMalloc(&out, BLOCKS * sizeof(float)));
    CHECK(cudaMemcpy(device, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    tree<<<BLOCKS, LANES>>>(device, out);
    CHECK_LAUNCH();
    const std::vector<float> got = fetch(out, BLOCKS);
    for (int b = 0; b < BLOCKS; b++) {
        float want = 0;
        for (int i = 0; i < LANES; i++)
            want += in[b * LANES + i];
        EXPECT_EQUAL(want, got[b]);
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
}

static void check_reductions(int *device)
{
    static const int want[8] = {400, -3, 28, 0, -1, 0xf0, 31, 32};
    reductions<<<1, LANES>>>(device);
    CHECK_LAUNCH();
    const std::vector<int> got = fetch(device, LANES * 8);
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < 8; i++)
            EXPECT_EQUAL(want[i], got[lane * 8 + i]);
}

int main()
{
    unsigned *device;
    check_shuffles<32>();
    check_shuffles<16>();
    check_shuffles<8>();
    check_shuffles<4>();
    check_shuffles<2>();
    check_shuffles<1>();
    CHECK(cudaMalloc(&device, LANES * 8 * sizeof *device));
    check_votes(device);
    check_matches(device);
    check_branches((int *)device);
    check_reductions((int *)device);
    CHECK(cudaFree(device));
    check_types();
    check_tree();
    return finish();
}
