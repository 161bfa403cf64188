/* cooperative.cu - cooperative groups: blocks, tiles of every size, coalesced groups, group reductions and scans, and a
 * grid that synchronises in one launch. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../kit.cuh"

namespace cg = cooperative_groups;

__device__ int tile_sum(const cg::thread_group &group, int *scratch, int value)
{
    int rank = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < i)
            value += scratch[rank + i];
        group.sync();
    }
    return value;
}

__global__ void any_group(int *out)
{
    __shared__ int scratch[128];
    cg::thread_block block = cg::this_thread_block();
    int sum = tile_sum(block, scratch, block.thread_rank());
    if (block.thread_rank() == 0)
        out[0] = sum;
    block.sync();
    cg::thread_group tile = cg::tiled_partition(block, 16);
    sum = tile_sum(tile, scratch + block.thread_rank() / 16 * 16, tile.thread_rank());
    if (tile.thread_rank() == 0)
        out[1 + block.thread_rank() / 16] = sum;
}

template <int SIZE> __global__ void fixed_tiles(int *out)
{
    cg::thread_block_tile<SIZE> tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    int value = threadIdx.x;
    int sum = cg::reduce(tile, value, cg::plus<int>());
    int most = cg::reduce(tile, value, cg::greater<int>());
    int before = cg::exclusive_scan(tile, value);
    int next = tile.shfl(value, (tile.thread_rank() + 1) % SIZE);
    out[threadIdx.x] = sum + 1000 * most + before + 7 * next + (tile.any(value == 5) ? 100000 : 0);
}

template <int SIZE> static int expected(int i)
{
    int first = i / SIZE * SIZE, sum = 0, before = 0;
    for (int k = first; k < first + SIZE; k++) {
        sum += k;
        before += k < i ? k : 0;
    }
    int next = first + (i - first + 1) % SIZE, has_five = first <= 5 && 5 < first + SIZE;
    return sum + 1000 * (first + SIZE - 1) + before + 7 * next + 100000 * has_five;
}

template <int SIZE> static void test_tiles(void)
{
    int *out = device_new<int>(128);
    fixed_tiles<SIZE><<<1, 128>>>(out);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, 128);
    for (int i = 0; i < 128; i++)
        EXPECT_EQUAL(expected<SIZE>(i), got[i]);
    CHECK(cudaFree(out));
}

/* One atomic per group of lanes that came here together. */
__device__ int aggregated_increment(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0)
        base = atomicAdd(counter, active.size());
    return active.shfl(base, 0) + active.thread_rank();
}

__global__ void filter(int *out, int *counter, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0)
        out[aggregated_increment(counter)] = in[i];
}

/* Jacobi-like smoothing: all blocks finish a round before any begins the next. */
__global__ void smooth(float *a, float *b, int n, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < rounds; round++) {
        for (unsigned i = grid.thread_rank(); i < n; i += grid.size())
            b[i] = 0.5f * (a[(i + n - 1) % n] + a[(i + 1) % n]);
        grid.sync();
        float *t = a;
        a = b;
        b = t;
    }
}

static void test_groups(void)
{
    int *out = device_new<int>(9);
    any_group<<<1, 128>>>(out);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, 9);
    EXPECT_EQUAL(127 * 128 / 2, got[0]);
    for (int i = 1; i < 9; i++)
        EXPECT_EQUAL(120, got[i]);
}

static void test_filter(void)
{
    int n = 5000, zero = 0;
    std::vector<int> in(n);
    long want = 0;
    int kept = 0;
    for (int i = 0; i < n; i++) {
        in[i] = i * 17 % 1009;
        want += in[i] % 3 == 0 ? in[i] : 0;
        kept += in[i] % 3 == 0;
    }
    int *out = device_new<int>(n), *counter = device_new<int>(1);
    CHECK(cudaMemcpy(counter, &zero, sizeof zero, cudaMemcpyHostToDevice));
    filter<<<divide_up(n, 128), 128>>>(out, counter, to_device(in), n);
    CHECK_LAUNCH();
    EXPECT_EQUAL(kept, from_device(counter, 1)[0]);
    long sum = 0;
    for (int value : from_device(out, kept))
        sum += value;
    EXPECT_EQUAL(want, sum);
}

static void test_grid(void)
{
    int n = 3000, rounds = 7, supported = 0, per_sm = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    EXPECT(supported);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, smooth, 128, 0));
    EXPECT(per_sm >= 1);
    std::vector<float> host = random_floats(n, 3), next(n);
    float *a = to_device(host), *b = device_new<float>(n);
    void *arguments[] = {&a, &b, &n, &rounds};
    CHECK(cudaLaunchCooperativeKernel((void *)smooth, dim3(8), dim3(128), arguments, 0, 0));
    CHECK_LAUNCH();
    for (int round = 0; round < rounds; round++, host.swap(next))
        for (int i = 0; i < n; i++)
            next[i] = 0.5f * (host[(i + n - 1) % n] + host[(i + 1) % n]);
    EXPECT(host == from_device(rounds % 2 ? b : a, n));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

int main(void)
{
    test_groups();
    test_tiles<2>();
    test_tiles<4>();
    test_tiles<8>();
    test_tiles<32>();
    test_filter();
    test_grid();
    return finish();
}
