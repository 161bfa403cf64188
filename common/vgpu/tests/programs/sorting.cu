/* sorting.cu - bitonic sort in shared and global memory, odd-even merge, a radix sort by ballots, and a merge sort of
 * key-value pairs by binary search. Compared with the host's sort. */
#include <algorithm>

#include "../kit.cuh"

__device__ void exchange(unsigned &a, unsigned &b, bool up)
{
    if ((a > b) == up) {
        unsigned t = a;
        a = b;
        b = t;
    }
}

template <int N> __global__ void bitonic_shared(unsigned *data)
{
    __shared__ unsigned cells[N];
    unsigned *mine = data + blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        cells[i] = mine[i];
    for (unsigned size = 2; size <= N; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            exchange(cells[i], cells[i + stride], (i & size) == 0);
        }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        mine[i] = cells[i];
}

__global__ void bitonic_step(unsigned *data, unsigned size, unsigned stride)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (stride - 1));
    exchange(data[i], data[i + stride], (i & size) == 0);
}

__global__ void odd_even_transposition(unsigned *data, int n)
{
    extern __shared__ unsigned cells[];
    int t = threadIdx.x;
    if (t < n)
        cells[t] = data[t];
    for (int round = 0; round < n; round++) {
        __syncthreads();
        int i = 2 * t + round % 2;
        if (i + 1 < n)
            exchange(cells[i], cells[i + 1], true);
    }
    __syncthreads();
    if (t < n)
        data[t] = cells[t];
}

/* One block, one bit per round: keys whose bit is clear go first, in order. */
__global__ void radix_block(unsigned *data)
{
    __shared__ unsigned counts[32];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32, key = data[t];
    for (int bit = 0; bit < 32; bit++) {
        bool set = key >> bit & 1;
        unsigned clear_mask = __ballot_sync(~0u, !set);
        if (lane == 0)
            counts[warp] = __popc(clear_mask);
        __syncthreads();
        unsigned before = 0, zeros = 0;
        for (unsigned w = 0; w < warps; w++) {
            before += w < warp ? counts[w] : 0;
            zeros += counts[w];
        }
        unsigned rank = before + __popc(clear_mask & ((1u << lane) - 1));
        data[set ? zeros + t - rank : rank] = key;
        __syncthreads();
        key = data[t];
        __syncthreads();
    }
}

struct pair {
    int key;
    short value;
};

/* Each element finds its place in the merged run: its index plus its rank in the sibling run. */
__global__ void merge_pairs(struct pair *out, const struct pair *in, int n, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int own = i / run, sibling = own ^ 1, low = min(sibling * run, n), high = min(low + run, n), first = low;
    while (low < high) {
        int middle = (low + high) / 2;
        bool smaller = in[middle].key < in[i].key || (in[middle].key == in[i].key && sibling < own);
        if (smaller)
            low = middle + 1;
        else
            high = middle;
    }
    out[min(own, sibling) * run + (i - own * run) + (low - first)] = in[i];
}

static std::vector<unsigned> random_keys(int n)
{
    std::vector<unsigned> keys(n);
    kit_random random(n + 5);
    for (unsigned &key : keys)
        key = random.next();
    return keys;
}

static void expect_sorted(std::vector<unsigned> keys, unsigned *data)
{
    CHECK_LAUNCH();
    std::sort(keys.begin(), keys.end());
    EXPECT(keys == from_device(data, keys.size()));
}

static void test_keys(void)
{
    std::vector<unsigned> keys = random_keys(1024);
    unsigned *data = to_device(keys);
    bitonic_shared<1024><<<1, 512>>>(data);
    expect_sorted(keys, data);
    keys = random_keys(8192);
    data = to_device(keys);
    for (unsigned size = 2; size <= 8192; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2)
            bitonic_step<<<16, 256>>>(data, size, stride);
    expect_sorted(keys, data);
    keys = random_keys(77);
    data = to_device(keys);
    odd_even_transposition<<<1, 96, 96 * sizeof(unsigned)>>>(data, 77);
    expect_sorted(keys, data);
    keys = random_keys(512);
    data = to_device(keys);
    radix_block<<<1, 512>>>(data);
    expect_sorted(keys, data);
}

static void test_pairs(int n)
{
    std::vector<struct pair> in(n);
    kit_random random(4);
    for (int i = 0; i < n; i++)
        in[i] = {(int)(random.next() % 500) - 250, (short)i};
    struct pair *a = to_device(in), *b = device_new<struct pair>(n);
    for (int run = 1; run < n; run *= 2) {
        merge_pairs<<<divide_up(n, 128), 128>>>(b, a, n, run);
        std::swap(a, b);
    }
    CHECK_LAUNCH();
    std::stable_sort(in.begin(), in.end(), [](const struct pair &x, const struct pair &y) { return x.key < y.key; });
    std::vector<struct pair> got = from_device(a, n);
    for (int i = 0; i < n; i++)
        EXPECT(in[i].key == got[i].key && in[i].value == got[i].value);
}

int main(void)
{
    test_keys();
    test_pairs(3000);
    return finish();
}
