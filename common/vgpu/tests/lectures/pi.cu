/* pi.cu - the in-class exercise: pi from random points, every step of it, with cuRAND's device generators.
 * Counts of the XORWOW variants are exact: they equal what a real GPU gives for the same seeds (pi.golden).
 * The exercise's full length is `pi 100000`. */
#include <curand_kernel.h>

#include "../kit.cuh"

enum { BLOCKS = 56, THREADS = 256, SEED = 1234 };

__device__ unsigned long long inside;

__device__ bool hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1;
    double y = 2 * curand_uniform_double(state) - 1;
    return x * x + y * y <= 1;
}

__global__ void reset_inside(void)
{
    inside = 0;
}

__global__ void one_atomic_per_hit(int points)
{
    curandState state;
    curand_init(SEED, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    for (int i = 0; i < points; i++)
        if (hit(&state))
            atomicAdd(&inside, 1ull);
}

__global__ void one_atomic_per_thread(int points)
{
    curandState state;
    curand_init(SEED, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned long long count = 0;
    for (int i = 0; i < points; i++)
        count += hit(&state);
    atomicAdd(&inside, count);
}

__global__ void one_atomic_per_block(int points)
{
    __shared__ unsigned part[THREADS];
    curandState state;
    curand_init(SEED, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned count = 0;
    for (int i = 0; i < points; i++)
        count += hit(&state);
    part[threadIdx.x] = count;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(&inside, (unsigned long long)part[0]);
}

__global__ void init_states(curandState *states)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(SEED, id, 0, &states[id]);
}

__global__ void continue_states(curandState *states, int points)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state = states[id];
    unsigned long long count = 0;
    for (int i = 0; i < points; i++)
        count += hit(&state);
    atomicAdd(&inside, count);
    states[id] = state;
}

__device__ unsigned warp_sum(unsigned value)
{
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_xor_sync(~0u, value, d);
    return value;
}

__global__ void philox_four_at_a_time(int quads)
{
    curandStatePhilox4_32_10_t state;
    curand_init(SEED, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned count = 0;
    for (int i = 0; i < quads; i++) {
        float4 r = curand_uniform4(&state);
        count += r.x * r.x + r.y * r.y <= 1;
        count += r.z * r.z + r.w * r.w <= 1;
    }
    count = warp_sum(count);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&inside, (unsigned long long)count);
}

static unsigned long long read_inside(void)
{
    unsigned long long count;
    CHECK_LAUNCH();
    CHECK(cudaMemcpyFromSymbol(&count, inside, sizeof count));
    reset_inside<<<1, 1>>>();
    return count;
}

static unsigned long long count_in_two_batches(int blocks, int points)
{
    curandState *states = device_new<curandState>(blocks * THREADS);
    init_states<<<blocks, THREADS>>>(states);
    continue_states<<<blocks, THREADS>>>(states, points / 2);
    continue_states<<<blocks, THREADS>>>(states, points - points / 2);
    unsigned long long count = read_inside();
    CHECK(cudaFree(states));
    return count;
}

static void all_steps_agree(int blocks, int points)
{
    one_atomic_per_thread<<<blocks, THREADS>>>(points);
    unsigned long long count = read_inside();
    one_atomic_per_hit<<<blocks, THREADS>>>(points);
    EXPECT_EQUAL(count, read_inside());
    one_atomic_per_block<<<blocks, THREADS>>>(points);
    EXPECT_EQUAL(count, read_inside());
    EXPECT_EQUAL(count, count_in_two_batches(blocks, points));
}

int main(int argc, char **argv)
{
    int points = argc > 1 ? atoi(argv[1]) : 100;
    reset_inside<<<1, 1>>>();
    one_atomic_per_thread<<<BLOCKS, THREADS>>>(points);
    unsigned long long count = read_inside();
    printf("%d points per thread: %llu inside\n", points, count);
    EXPECT_NEAR(M_PI, 4.0 * count / ((double)BLOCKS * THREADS * points), 0.05);
    if (points == 100000)
        EXPECT_EQUAL(1125942520ull, count);
    if (argc == 1)
        all_steps_agree(4, 11);
    if (argc == 1) {
        philox_four_at_a_time<<<BLOCKS, THREADS>>>(8);
        count = read_inside();
        printf("philox: %llu inside\n", count);
        EXPECT_NEAR(M_PI, 4.0 * count / ((double)BLOCKS * THREADS * 16), 0.05);
    }
    return finish();
}
