/* scan.cu - prefix sums: by warp shuffles, by the work-efficient tree in shared memory, and over many blocks.
 * Integers, so every way must be exact. */
#include "../kit.cuh"

enum { BLOCK = 256 };

__device__ int scan_warp(int value)
{
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(~0u, value, d);
        if (lane >= d)
            value += left;
    }
    return value;
}

__device__ int scan_block(int value)
{
    __shared__ int sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = scan_warp(value);
    if (lane == 31)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0)
        sums[lane] = scan_warp(lane < blockDim.x / 32 ? sums[lane] : 0);
    __syncthreads();
    return value + (warp ? sums[warp - 1] : 0);
}

__global__ void scan_blocks(int *out, int *totals, const int *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int value = scan_block(i < n ? in[i] : 0);
    if (i < n)
        out[i] = value;
    if (totals && threadIdx.x == BLOCK - 1)
        totals[blockIdx.x] = value;
}

__global__ void add_totals(int *out, const int *totals, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += totals[blockIdx.x - 1];
}

/* Up-sweep and down-sweep over 2 * BLOCK elements; exclusive. */
__global__ void scan_tree(int *data)
{
    __shared__ int cells[2 * BLOCK];
    int t = threadIdx.x;
    cells[2 * t] = data[2 * t];
    cells[2 * t + 1] = data[2 * t + 1];
    int offset = 1;
    for (int d = BLOCK; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d)
            cells[offset * (2 * t + 2) - 1] += cells[offset * (2 * t + 1) - 1];
    }
    if (t == 0)
        cells[2 * BLOCK - 1] = 0;
    for (int d = 1; d < 2 * BLOCK; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, left = cells[a];
            cells[a] = cells[b];
            cells[b] += left;
        }
    }
    __syncthreads();
    data[2 * t] = cells[2 * t];
    data[2 * t + 1] = cells[2 * t + 1];
}

static std::vector<int> random_ints(int n)
{
    std::vector<int> values(n);
    kit_random random(n);
    for (int &value : values)
        value = (int)(random.next() % 100) - 30;
    return values;
}

static void test_many_blocks(int n)
{
    std::vector<int> in = random_ints(n);
    int blocks = divide_up(n, BLOCK), *out = device_new<int>(n), *totals = device_new<int>(blocks);
    scan_blocks<<<blocks, BLOCK>>>(out, totals, to_device(in), n);
    scan_blocks<<<1, BLOCK>>>(totals, nullptr, totals, blocks);
    add_totals<<<blocks, BLOCK>>>(out, totals, n);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, n);
    for (int i = 0, want = 0; i < n; i++)
        EXPECT_EQUAL(want += in[i], got[i]);
}

static void test_tree(void)
{
    std::vector<int> in = random_ints(2 * BLOCK);
    int *data = to_device(in);
    scan_tree<<<1, BLOCK>>>(data);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(data, 2 * BLOCK);
    for (int i = 0, want = 0; i < 2 * BLOCK; want += in[i++])
        EXPECT_EQUAL(want, got[i]);
}

int main(void)
{
    for (int n : {1, 32, 255, 256, 257, 30000, 65536})
        test_many_blocks(n);
    test_tree();
    return finish();
}
