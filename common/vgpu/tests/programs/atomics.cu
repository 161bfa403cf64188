/* atomics.cu - every atomic of the language on global and shared memory, libcu++ atomics, and what is built from them:
 * compare-and-swap loops, a ticket, a lock taken lane by lane, a linked list. */
#include <cuda/atomic>

#include "../kit.cuh"

enum { BLOCKS = 8, THREADS = 96, ALL = BLOCKS * THREADS };

struct cells {
    int add, sub, min_s, max_s, cas_add;
    unsigned inc, dec, and_bits, or_bits, xor_bits, min_u, max_u;
    unsigned long long add64, max64, or64;
    float add_f;
    double add_d, max_d;
};

__device__ void atomic_max_double(double *where, double value)
{
    unsigned long long *bits = (unsigned long long *)where, seen = *(volatile unsigned long long *)bits;
    while (__longlong_as_double(seen) < value) {
        unsigned long long was = atomicCAS(bits, seen, __double_as_longlong(value));
        if (was == seen)
            break;
        seen = was;
    }
}

__device__ void touch_all(struct cells *c, int i)
{
    atomicAdd(&c->add, i);
    atomicSub(&c->sub, i);
    atomicMin(&c->min_s, 5 - i);
    atomicMax(&c->max_s, i - 5);
    atomicInc(&c->inc, 9);
    atomicDec(&c->dec, 6);
    atomicAnd(&c->and_bits, ~(1u << i % 29));
    atomicOr(&c->or_bits, 1u << i % 17);
    atomicXor(&c->xor_bits, 3u << i % 7);
    atomicMin(&c->min_u, 4000000000u - i);
    atomicMax(&c->max_u, 3000000000u + i);
    atomicAdd(&c->add64, 1ull << 33);
    atomicMax(&c->max64, (1ull << 40) + i);
    atomicOr(&c->or64, 1ull << i % 60);
    atomicAdd(&c->add_f, 0.5f);
    atomicAdd(&c->add_d, 0.25);
    atomic_max_double(&c->max_d, i * 1.5);
    int seen = *(volatile int *)&c->cas_add, was;
    while ((was = atomicCAS(&c->cas_add, seen, seen + 2)) != seen)
        seen = was;
}

__global__ void on_global(struct cells *c)
{
    touch_all(c, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void on_shared(struct cells *out, struct cells start)
{
    __shared__ struct cells c;
    if (threadIdx.x == 0)
        c = start;
    __syncthreads();
    for (int block = 0; block < BLOCKS; block++)
        touch_all(&c, block * blockDim.x + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = c;
}

static void expect_touched(const struct cells &c)
{
    unsigned inc = 0, dec = 0, xors = 0;
    for (int i = 0; i < ALL; i++) {
        inc = inc >= 9 ? 0 : inc + 1;
        dec = dec == 0 || dec > 6 ? 6 : dec - 1;
        xors ^= 3u << i % 7;
    }
    EXPECT_EQUAL(ALL * (ALL - 1) / 2, c.add);
    EXPECT_EQUAL(-ALL * (ALL - 1) / 2, c.sub);
    EXPECT_EQUAL(6 - ALL, c.min_s);
    EXPECT_EQUAL(ALL - 6, c.max_s);
    EXPECT_EQUAL(inc, c.inc);
    EXPECT_EQUAL(dec, c.dec);
    EXPECT_EQUAL(0xe0000000u, c.and_bits);
    EXPECT_EQUAL(0x1ffffu, c.or_bits);
    EXPECT_EQUAL(xors, c.xor_bits);
    EXPECT_EQUAL(4000000001u - ALL, c.min_u);
    EXPECT_EQUAL(2999999999u + ALL, c.max_u);
    EXPECT_EQUAL((unsigned long long)ALL << 33, c.add64);
    EXPECT_EQUAL((1ull << 40) + ALL - 1, c.max64);
    EXPECT_EQUAL((1ull << 60) - 1, c.or64);
    EXPECT_EQUAL(ALL * 0.5f, c.add_f);
    EXPECT_EQUAL(ALL * 0.25, c.add_d);
    EXPECT_EQUAL((ALL - 1) * 1.5, c.max_d);
    EXPECT_EQUAL(2 * ALL, c.cas_add);
}

__device__ cuda::atomic<int, cuda::thread_scope_device> total;
__device__ unsigned lock_word;
__device__ int guarded;

__global__ void libcu(int *plain)
{
    total.fetch_add(1, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> ref(*plain);
    ref.fetch_max(blockIdx.x * blockDim.x + threadIdx.x);
    int expected = total.load();
    while (!total.compare_exchange_weak(expected, expected + 1, cuda::std::memory_order_acq_rel)) {
    }
}

/* Lanes of one warp want the same lock: they must not starve each other. */
__global__ void locked_increment(void)
{
    while (atomicCAS(&lock_word, 0, 1) != 0) {
    }
    __threadfence();
    *(volatile int *)&guarded = *(volatile int *)&guarded + 1;
    __threadfence();
    atomicExch(&lock_word, 0);
}

__device__ int list_head = -1;

__global__ void push(int *next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = atomicExch(&list_head, i);
}

static void test_lists(void)
{
    int *next = device_new<int>(ALL), head, got;
    push<<<BLOCKS, THREADS>>>(next);
    CHECK(cudaMemcpyFromSymbol(&head, list_head, sizeof head));
    std::vector<int> links = from_device(next, ALL), seen(ALL, 0);
    for (; head >= 0; head = links[head])
        seen[head]++;
    EXPECT(seen == std::vector<int>(ALL, 1));
    locked_increment<<<4, 64>>>();
    CHECK(cudaMemcpyFromSymbol(&got, guarded, sizeof got));
    EXPECT_EQUAL(256, got);
}

int main(void)
{
    struct cells start = {};
    start.and_bits = ~0u;
    start.min_u = ~0u;
    std::vector<struct cells> one(1, start);
    struct cells *c = to_device(one);
    on_global<<<BLOCKS, THREADS>>>(c);
    CHECK_LAUNCH();
    expect_touched(from_device(c, 1)[0]);
    on_shared<<<1, THREADS>>>(c, start);
    CHECK_LAUNCH();
    expect_touched(from_device(c, 1)[0]);

    int *plain = to_device(std::vector<int>(1, 0)), got;
    libcu<<<BLOCKS, THREADS>>>(plain);
    CHECK_LAUNCH();
    CHECK(cudaMemcpyFromSymbol(&got, total, sizeof got));
    EXPECT_EQUAL(2 * ALL, got);
    EXPECT_EQUAL(ALL - 1, from_device(plain, 1)[0]);
    test_lists();
    return finish();
}
