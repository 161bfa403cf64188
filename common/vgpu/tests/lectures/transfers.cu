/* transfers.cu - kernels and copies together: fused kernels, accumulators reset on the device, a serial leftover kept
 * on the GPU, pinned memory, chunks in streams. Every way must give the same numbers.
 * The virtual clock's overlap is checked elsewhere; here events only have to be ordered. */
#include "../kit.cuh"

enum { N = 20000, BLOCK = 256, CHUNKS = 5 };

__global__ void shift(float *v, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] += by;
}

__global__ void scale(float *v, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] *= by;
}

__global__ void square(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] *= v[i];
}

__global__ void clip(float *v, float low, float high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = fminf(fmaxf(v[i], low), high);
}

__global__ void root(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = sqrtf(v[i]);
}

__global__ void fused(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = __fmul_rn(__fadd_rn(v[i], 0.25f), 3.0f);
        v[i] = sqrtf(fminf(fmaxf(__fmul_rn(x, x), 0.1f), 4.0f));
    }
}

static float on_host(float v)
{
    volatile float x = v + 0.25f;
    x = x * 3.0f;
    x = x * x;
    return sqrtf(fminf(fmaxf(x, 0.1f), 4.0f));
}

static void five_kernels(float *v, int n, cudaStream_t stream)
{
    int grid = divide_up(n, BLOCK);
    shift<<<grid, BLOCK, 0, stream>>>(v, 0.25f, n);
    scale<<<grid, BLOCK, 0, stream>>>(v, 3.0f, n);
    square<<<grid, BLOCK, 0, stream>>>(v, n);
    clip<<<grid, BLOCK, 0, stream>>>(v, 0.1f, 4.0f, n);
    root<<<grid, BLOCK, 0, stream>>>(v, n);
}

static void test_fusion(const std::vector<float> &in)
{
    float *one = to_device(in), *two = to_device(in);
    five_kernels(one, N, 0);
    fused<<<divide_up(N, BLOCK), BLOCK>>>(two, N);
    CHECK_LAUNCH();
    std::vector<float> a = from_device(one, N), b = from_device(two, N);
    for (int i = 0; i < N; i++) {
        EXPECT_EQUAL(on_host(in[i]), a[i]);
        EXPECT_EQUAL(a[i], b[i]);
    }
    CHECK(cudaFree(one));
    CHECK(cudaFree(two));
}

__device__ double accumulator;
__device__ double largest;

__global__ void reset(void)
{
    accumulator = 0;
}

__global__ void accumulate(const float *v, int n)
{
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += (int)(v[i] * 1000);
    atomicAdd(&accumulator, sum);
}

/* A serial leftover: one thread, but no round trip over the bus. */
__global__ void serial_leftover(int n)
{
    largest = accumulator / n;
}

static void test_accumulator(const std::vector<float> &in)
{
    double want = 0, got, zero = 0, mean;
    for (float value : in)
        want += (int)(value * 1000);
    float *v = to_device(in);
    void *where;
    CHECK(cudaGetSymbolAddress(&where, accumulator));
    for (int way = 0; way < 3; way++) {
        if (way == 0)
            reset<<<1, 1>>>();
        else if (way == 1)
            CHECK(cudaMemset(where, 0, sizeof(double)));
        else
            CHECK(cudaMemcpyToSymbol(accumulator, &zero, sizeof zero));
        accumulate<<<8, BLOCK>>>(v, N);
        serial_leftover<<<1, 1>>>(N);
        CHECK(cudaMemcpyFromSymbol(&got, accumulator, sizeof got));
        CHECK(cudaMemcpyFromSymbol(&mean, largest, sizeof mean));
        EXPECT_EQUAL(want, got);
        EXPECT_EQUAL(want / N, mean);
    }
    CHECK(cudaFree(v));
}

static void test_pinned(const std::vector<float> &in)
{
    float *host, *v = device_new<float>(N);
    CHECK(cudaMallocHost((void **)&host, N * sizeof(float)));
    memcpy(host, in.data(), N * sizeof(float));
    CHECK(cudaMemcpyAsync(v, host, N * sizeof(float), cudaMemcpyHostToDevice));
    fused<<<divide_up(N, BLOCK), BLOCK>>>(v, N);
    CHECK(cudaMemcpyAsync(host, v, N * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        EXPECT_EQUAL(on_host(in[i]), host[i]);
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(v));
}

static void test_streams(const std::vector<float> &in)
{
    float *host, *v = device_new<float>(N);
    CHECK(cudaHostAlloc((void **)&host, N * sizeof(float), cudaHostAllocDefault));
    memcpy(host, in.data(), N * sizeof(float));
    cudaStream_t streams[CHUNKS];
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    int length = N / CHUNKS;
    for (int c = 0; c < CHUNKS; c++) {
        CHECK(cudaStreamCreate(&streams[c]));
        float *part = v + c * length;
        CHECK(cudaMemcpyAsync(part, host + c * length, length * 4, cudaMemcpyHostToDevice, streams[c]));
        five_kernels(part, length, streams[c]);
        CHECK(cudaMemcpyAsync(host + c * length, part, length * 4, cudaMemcpyDeviceToHost, streams[c]));
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    EXPECT(ms > 0);
    for (cudaStream_t stream : streams)
        CHECK(cudaStreamDestroy(stream));
    for (int i = 0; i < N; i++)
        EXPECT_EQUAL(on_host(in[i]), host[i]);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(v));
}

int main(void)
{
    std::vector<float> in = random_floats(N, 21);
    test_fusion(in);
    test_accumulator(in);
    test_pinned(in);
    test_streams(in);
    return finish();
}
