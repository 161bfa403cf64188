/* dynamic_parallelism.cu - kernels that launch kernels, copy, set and allocate: what comes after what, which errors they see. */
// options: -rdc=true
#include "../kit.cuh"

enum { N = 100, LEVELS = 5 };

__global__ void fill(int *out, const int *seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = *seed + i;
}

__global__ void twice(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] *= 2;
}

/* What is given to one stream is done in order, and sees what the parent wrote before. */
__global__ void in_order(int *out, int *copied, int *cleared, int *seed)
{
    *seed = 7;
    fill<<<(N + 31) / 32, 32>>>(out, seed, N);
    twice<<<2, 64>>>(out, N);
    cudaMemcpyAsync(copied, out, N * sizeof *out, cudaMemcpyDeviceToDevice);
    twice<<<2, 64>>>(out, N);
    cudaMemsetAsync(cleared, 0, N * sizeof *cleared);
}

static void test_order(int *device)
{
    int host[3 * N];
    CHECK(cudaMemset(device, 0xff, sizeof host));
    in_order<<<1, 1>>>(device, device + N, device + 2 * N, device + 3 * N);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        EXPECT_EQUAL(4 * (7 + i), host[i]);
        EXPECT_EQUAL(2 * (7 + i), host[N + i]);
        EXPECT_EQUAL(0, host[2 * N + i]);
    }
}

/* Each thread launches another grid, LEVELS deep: 2 blocks of 2 threads each time. */
__global__ void tree(int *count, int level)
{
    atomicAdd(&count[level], 1);
    if (level + 1 < LEVELS)
        tree<<<2, 2>>>(count, level + 1);
}

static void test_tree(int *device)
{
    int host[LEVELS];
    CHECK(cudaMemset(device, 0, sizeof host));
    tree<<<2, 2>>>(device, 0);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int level = 0, want = 4; level < LEVELS; level++, want *= 4)
        EXPECT_EQUAL(want, host[level]);
}

/* A kernel in the tail stream comes after all else, streams of its own or not. */
__global__ void tail(int *out)
{
    twice<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 1);
    cudaStream_t stream;
    out[1] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    out[2] = 21;
    fill<<<1, 1, 0, stream>>>(out, out + 2, 1);
    cudaStreamDestroy(stream);
}

static void test_tail(int *device)
{
    int host[2];
    tail<<<1, 1>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(42, host[0]);
    EXPECT_EQUAL(cudaSuccess, host[1]);
}

__device__ int *lists[4];

__global__ void make_lists(const int *seed)
{
    int **list = &lists[threadIdx.x];
    if (cudaMalloc((void **)list, N * sizeof **list) == cudaSuccess)
        fill<<<1, 128>>>(*list, seed, N);
}

__global__ void take_lists(int *out)
{
    out[threadIdx.x] = lists[threadIdx.x][N - 1];
    cudaFree(lists[threadIdx.x]);
}

static void test_memory(int *device)
{
    int host[4], seed = 5;
    CHECK(cudaMemcpy(device + 4, &seed, sizeof seed, cudaMemcpyHostToDevice));
    make_lists<<<1, 4>>>(device + 4);
    take_lists<<<1, 4>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        EXPECT_EQUAL(seed + N - 1, host[i]);
}

/* Errors of a launch are its thread's own. */
__global__ void fail(int *errors)
{
    if (threadIdx.x == 0)
        twice<<<1, 2000>>>(errors, 1);
    if (threadIdx.x == 1)
        twice<<<0, 1>>>(errors, 1);
    errors[threadIdx.x] = cudaPeekAtLastError();
    errors[3 + threadIdx.x] = cudaGetLastError();
    errors[6 + threadIdx.x] = cudaGetLastError();
}

static void test_errors(int *device)
{
    int host[9];
    fail<<<1, 3>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; i++) {
        EXPECT_EQUAL(i < 2 ? cudaErrorInvalidConfiguration : cudaSuccess, host[i]);
        EXPECT_EQUAL(host[i], host[3 + i]);
        EXPECT_EQUAL(cudaSuccess, host[6 + i]);
    }
}

/* A chain without end has one: GPUs nest 24 deep. */
__global__ void chain(int *deep)
{
    atomicAdd(deep, 1);
    chain<<<1, 1>>>(deep);
    if (cudaGetLastError() == cudaErrorLaunchMaxDepthExceeded)
        deep[1] = 1;
}

static void test_chain(int *device)
{
    int host[2];
    CHECK(cudaMemset(device, 0, sizeof host));
    chain<<<1, 1>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[0] > 20 && host[0] < 30);
    EXPECT_EQUAL(1, host[1]);
}

int main()
{
    int *device;
    CHECK(cudaMalloc(&device, 4 * N * sizeof *device));
    test_order(device);
    test_tree(device);
    test_tail(device);
    test_memory(device);
    test_errors(device);
    test_chain(device);
    CHECK(cudaFree(device));
    return finish();
}
