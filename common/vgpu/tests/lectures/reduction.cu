/* reduction.cu - the ten steps of a parallel sum, from global memory only to one kernel whose last block finishes.
 * Integer sums: every step must be exact, for sizes around the block and for many blocks.
 * The last warp is summed with __syncwarp between steps: since Volta its lanes do not run in lockstep. */
#include "../kit.cuh"

enum { BLOCK = 256 };

/* 1: halving in global memory; the host launches once per level. */
__global__ void fold_global(int *data, unsigned n, unsigned half)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half && i + half < n)
        data[i] += data[i + half];
}

__device__ int load(const int *in, unsigned i, unsigned n)
{
    return i < n ? in[i] : 0;
}

/* 2: shared memory, interleaved and divergent. */
__global__ void interleaved(int *out, const int *in, unsigned n)
{
    __shared__ int part[BLOCK];
    unsigned tid = threadIdx.x;
    part[tid] = load(in, blockIdx.x * BLOCK + tid, n);
    __syncthreads();
    for (unsigned s = 1; s < BLOCK; s *= 2) {
        if (tid % (2 * s) == 0)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

/* 3: strided index: no divergence, but bank conflicts. */
__global__ void strided(int *out, const int *in, unsigned n)
{
    extern __shared__ int dynamic_part[];
    unsigned tid = threadIdx.x;
    dynamic_part[tid] = load(in, blockIdx.x * BLOCK + tid, n);
    __syncthreads();
    for (unsigned s = 1; s < BLOCK; s *= 2) {
        unsigned i = 2 * s * tid;
        if (i < BLOCK)
            dynamic_part[i] += dynamic_part[i + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = dynamic_part[0];
}

__device__ void sum_sequentially(int *part, unsigned tid, unsigned last)
{
    for (unsigned s = BLOCK / 2; s > last; s /= 2) {
        if (tid < s)
            part[tid] += part[tid + s];
        __syncthreads();
    }
}

/* 4: sequential addressing: neither. */
__global__ void sequential(int *out, const int *in, unsigned n)
{
    __shared__ int part[BLOCK];
    unsigned tid = threadIdx.x;
    part[tid] = load(in, blockIdx.x * BLOCK + tid, n);
    __syncthreads();
    sum_sequentially(part, tid, 0);
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

/* 5: the first addition happens while loading. */
__global__ void first_add(int *out, const int *in, unsigned n)
{
    __shared__ int part[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK * 2 + tid;
    part[tid] = load(in, i, n) + load(in, i + BLOCK, n);
    __syncthreads();
    sum_sequentially(part, tid, 0);
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

/* A read, a __syncwarp and a write: the modern form of summing inside one warp. */
template <int WIDTH> __device__ void sum_last_warp(int *part, unsigned tid)
{
    int sum = part[tid];
#pragma unroll
    for (int s = WIDTH / 2; s > 0; s /= 2) {
        sum += part[tid + s];
        __syncwarp();
        part[tid] = sum;
        __syncwarp();
    }
}

/* 6: the last warp needs no block-wide barrier. */
__global__ void last_warp(int *out, const int *in, unsigned n)
{
    __shared__ int part[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK * 2 + tid;
    part[tid] = load(in, i, n) + load(in, i + BLOCK, n);
    __syncthreads();
    sum_sequentially(part, tid, 32);
    if (tid < 32)
        sum_last_warp<64>(part, tid);
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

template <unsigned SIZE> __device__ void sum_unrolled(int *part, unsigned tid)
{
    if (SIZE >= 512) {
        if (tid < 256)
            part[tid] += part[tid + 256];
        __syncthreads();
    }
    if (SIZE >= 256) {
        if (tid < 128)
            part[tid] += part[tid + 128];
        __syncthreads();
    }
    if (SIZE >= 128) {
        if (tid < 64)
            part[tid] += part[tid + 64];
        __syncthreads();
    }
    if (tid < 32)
        sum_last_warp<64>(part, tid);
}

/* 7: fully unrolled, the block size a template parameter. */
template <unsigned SIZE> __global__ void unrolled(int *out, const int *in, unsigned n)
{
    __shared__ int part[SIZE];
    unsigned tid = threadIdx.x, i = blockIdx.x * SIZE * 2 + tid;
    part[tid] = load(in, i, n) + load(in, i + SIZE, n);
    __syncthreads();
    sum_unrolled<SIZE>(part, tid);
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

/* 8: many elements per thread. */
template <unsigned SIZE> __global__ void grid_stride(int *out, const int *in, unsigned n)
{
    __shared__ int part[SIZE];
    unsigned tid = threadIdx.x;
    int sum = 0;
    for (unsigned i = blockIdx.x * SIZE + tid; i < n; i += gridDim.x * SIZE)
        sum += in[i];
    part[tid] = sum;
    __syncthreads();
    sum_unrolled<SIZE>(part, tid);
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

__device__ int sum_warp(int value)
{
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_down_sync(~0u, value, d);
    return value;
}

__device__ int sum_block(int value)
{
    __shared__ int part[32];
    value = sum_warp(value);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    return threadIdx.x < 32 ? sum_warp(value) : 0;
}

/* 9: shuffles and vector loads. */
__global__ void shuffles(int *out, const int *in, unsigned n)
{
    int sum = 0;
    unsigned quads = n / 4;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        int4 v = reinterpret_cast<const int4 *>(in)[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (unsigned i = 4 * quads + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = sum_block(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

__device__ unsigned blocks_done;

/* 10: one kernel: the block that finishes last adds up the partial sums. */
__global__ void single_pass(int *out, int *partial, const int *in, unsigned n)
{
    __shared__ bool is_last;
    int sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = sum_block(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        sum += partial[i];
    __syncthreads();
    sum = sum_block(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

struct step {
    const char *name;
    void (*kernel)(int *, const int *, unsigned);
    unsigned per_block; /* elements of one block; 0: the grid is fixed */
};

static const struct step steps[] = {
    {"interleaved", interleaved, BLOCK},
    {"strided", strided, BLOCK},
    {"sequential", sequential, BLOCK},
    {"first add on load", first_add, 2 * BLOCK},
    {"last warp", last_warp, 2 * BLOCK},
    {"unrolled", unrolled<BLOCK>, 2 * BLOCK},
    {"grid stride", grid_stride<BLOCK>, 0},
    {"shuffles", shuffles, 0},
};

static void test_step(const struct step *step, const int *in, unsigned n, int want)
{
    unsigned blocks = step->per_block ? (n + step->per_block - 1) / step->per_block : 13;
    int *out = device_new<int>(blocks);
    step->kernel<<<blocks, BLOCK, BLOCK * sizeof(int)>>>(out, in, n);
    CHECK_LAUNCH();
    int sum = 0;
    for (int part : from_device(out, blocks))
        sum += part;
    if (!EXPECT_EQUAL(want, sum))
        printf("  %s, %u elements\n", step->name, n);
    CHECK(cudaFree(out));
}

static void test_global(const std::vector<int> &host, int want)
{
    int *data = to_device(host);
    for (unsigned n = host.size(); n > 1; n = (n + 1) / 2)
        fold_global<<<divide_up(n, 2 * BLOCK), BLOCK>>>(data, n, (n + 1) / 2);
    CHECK_LAUNCH();
    EXPECT_EQUAL(want, from_device(data, 1)[0]);
    CHECK(cudaFree(data));
}

static void test_single_pass(const int *in, unsigned n, int want)
{
    int *out = device_new<int>(1), *partial = device_new<int>(17);
    for (int round = 0; round < 2; round++) {
        single_pass<<<17, BLOCK>>>(out, partial, in, n);
        CHECK_LAUNCH();
        EXPECT_EQUAL(want, from_device(out, 1)[0]);
    }
    CHECK(cudaFree(out));
    CHECK(cudaFree(partial));
}

int main(void)
{
    for (unsigned n : {1u, 31u, 256u, 257u, 5000u, 66000u}) {
        std::vector<int> host(n);
        kit_random random(n);
        int want = 0;
        for (int &value : host)
            want += value = (int)(random.next() % 2001) - 1000;
        int *in = to_device(host);
        test_global(host, want);
        for (const struct step &step : steps)
            test_step(&step, in, n, want);
        test_single_pass(in, n, want);
        CHECK(cudaFree(in));
    }
    return finish();
}
