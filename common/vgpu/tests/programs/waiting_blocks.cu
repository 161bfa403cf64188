/* waiting_blocks.cu - threads that wait for each other: a chain of blocks through flags, a scan that looks back, a
 * producer and a consumer in one block, a barrier over the grid made by hand. All fit on the device at once. */
#include "../kit.cuh"

enum { BLOCKS = 12, THREADS = 64 };

/* Block b waits for block b - 1. */
__global__ void chain(volatile int *flags, int *out)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0)
            while (flags[blockIdx.x - 1] == 0) {
            }
        __threadfence();
        *out = *(volatile int *)out * 2 + blockIdx.x;
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}

struct status {
    int aggregate, prefix, state; /* 0 nothing, 1 aggregate, 2 prefix */
};

/* One-pass sum over blocks: each looks back until it meets a finished prefix. */
__global__ void look_back(int *out, const int *in, volatile struct status *status)
{
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    int sum = in[b * 32 + t];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (t == 0) {
        status[b].aggregate = sum;
        __threadfence();
        status[b].state = 1;
        int prefix = 0;
        for (int p = b - 1; p >= 0; p--) {
            int state;
            while ((state = status[p].state) == 0) {
            }
            __threadfence();
            prefix += state == 2 ? status[p].prefix : status[p].aggregate;
            if (state == 2)
                break;
        }
        status[b].prefix = prefix + sum;
        __threadfence();
        status[b].state = 2;
        before = prefix;
    }
    __syncthreads();
    if (t == 0)
        out[b] = before;
}

/* Warp 1 fills a buffer, warp 0 empties it; a flag in shared memory passes it to and fro. */
__global__ void producer_consumer(int *out, int rounds)
{
    __shared__ int buffer[32];
    __shared__ volatile int full;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        if (warp == 1) {
            while (full != 0) {
            }
            __threadfence_block();
            buffer[lane] = round * 100 + lane;
            __syncwarp();
            __threadfence_block();
            if (lane == 0)
                full = 1;
        } else {
            while (full != 1) {
            }
            __threadfence_block();
            sum += buffer[31 - lane];
            __syncwarp();
            __threadfence_block();
            if (lane == 0)
                full = 0;
        }
        __syncwarp();
    }
    if (warp == 0)
        out[lane] = sum;
}

__device__ unsigned arrived;

__device__ void grid_barrier(unsigned generation)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (*(volatile unsigned *)&arrived < generation * gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void rotate(int *a, int *b, int rounds)
{
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 1; round <= rounds; round++) {
        ((volatile int *)b)[i] = ((volatile int *)a)[(i + 1) % n];
        grid_barrier(round);
        int *t = a;
        a = b;
        b = t;
    }
}

int main(void)
{
    int *flags = to_device(std::vector<int>(BLOCKS, 0)), *out = to_device(std::vector<int>(64, 0)), want = 0;
    chain<<<BLOCKS, THREADS>>>(flags, out);
    CHECK_LAUNCH();
    for (int b = 0; b < BLOCKS; b++)
        want = want * 2 + b;
    EXPECT_EQUAL(want, from_device(out, 1)[0]);

    std::vector<int> in(BLOCKS * 32);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = i * 7 % 31;
    struct status *status = to_device(std::vector<struct status>(BLOCKS, {0, 0, 0}));
    look_back<<<BLOCKS, 32>>>(out, to_device(in), status);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, BLOCKS);
    for (int b = 0, sum = 0; b < BLOCKS; b++) {
        EXPECT_EQUAL(sum, got[b]);
        for (int t = 0; t < 32; t++)
            sum += in[b * 32 + t];
    }
    producer_consumer<<<1, 64>>>(out, 5);
    CHECK_LAUNCH();
    got = from_device(out, 32);
    for (int lane = 0; lane < 32; lane++)
        EXPECT_EQUAL(1000 + 5 * (31 - lane), got[lane]);

    std::vector<int> ring(BLOCKS * THREADS);
    for (size_t i = 0; i < ring.size(); i++)
        ring[i] = i;
    int *a = to_device(ring), *b = to_device(ring);
    rotate<<<BLOCKS, THREADS>>>(a, b, 5);
    CHECK_LAUNCH();
    got = from_device(b, ring.size());
    for (size_t i = 0; i < ring.size(); i++)
        EXPECT_EQUAL(ring[(i + 5) % ring.size()], got[i]);
    return finish();
}
