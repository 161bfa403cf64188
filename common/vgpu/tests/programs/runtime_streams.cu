/* runtime_streams.cu - streams, events, host functions and occupancy as programs use them to overlap and to measure.
 * What it says of times holds on every GPU: order and plausibility, never exact figures. */
#include "../kit.cuh"

enum { N = 1 << 16, PARTS = 4 };

__global__ void increment(int *data, int by, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; round++)
        data[i] += by;
}

static void test_async(void)
{
    cudaEvent_t start, stop;
    int *host, *device = device_new<int>(N), spins = 0;
    float ms = -1;
    CHECK(cudaMallocHost((void **)&host, N * sizeof(int)));
    memset(host, 0, N * sizeof(int));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, 0));
    CHECK(cudaMemcpyAsync(device, host, N * sizeof(int), cudaMemcpyHostToDevice, 0));
    increment<<<N / 256, 256>>>(device, 26, 1);
    CHECK(cudaMemcpyAsync(host, device, N * sizeof(int), cudaMemcpyDeviceToHost, 0));
    CHECK(cudaEventRecord(stop, 0));
    while (cudaEventQuery(stop) == cudaErrorNotReady)
        spins++;
    cudaGetLastError(); /* a query that is not ready counts as an error */
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    EXPECT(ms > 0 && ms < 1000);
    for (int i = 0; i < N; i++)
        EXPECT_EQUAL(26, host[i]);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
}

/* Copies and kernels of four streams; each part is done twice, the second time after an event of another stream. */
static void test_parts(void)
{
    cudaStream_t streams[PARTS];
    cudaEvent_t done;
    int *host, *device = device_new<int>(N), part = N / PARTS;
    CHECK(cudaMallocHost((void **)&host, N * sizeof(int)));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (int i = 0; i < N; i++)
        host[i] = i;
    for (int s = 0; s < PARTS; s++)
        CHECK(cudaStreamCreateWithFlags(&streams[s], s % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
    for (int s = 0; s < PARTS; s++) {
        CHECK(cudaMemcpyAsync(device + s * part, host + s * part, part * 4, cudaMemcpyHostToDevice, streams[s]));
        increment<<<part / 256, 256, 0, streams[s]>>>(device + s * part, s, 3);
        CHECK(cudaMemcpyAsync(host + s * part, device + s * part, part * 4, cudaMemcpyDeviceToHost, streams[s]));
    }
    CHECK(cudaEventRecord(done, streams[0]));
    CHECK(cudaStreamWaitEvent(streams[1], done, 0));
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < PARTS; s++)
        CHECK(cudaStreamQuery(streams[s]));
    for (int i = 0; i < N; i++)
        EXPECT_EQUAL(i + 3 * (i / part), host[i]);
    for (int s = 0; s < PARTS; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
}

struct work {
    int *host, sum;
};

static void CUDART_CB add_up(void *data)
{
    work *w = (work *)data;
    for (int i = 0; i < 256; i++)
        w->sum += w->host[i];
}

static void CUDART_CB add_up_more(cudaStream_t, cudaError_t status, void *data)
{
    if (status == cudaSuccess)
        add_up(data);
}

static void test_host_functions(void)
{
    cudaStream_t stream;
    work w = {nullptr, 0};
    int *device = device_new<int>(256);
    CHECK(cudaMallocHost((void **)&w.host, 1024));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemsetAsync(device, 0, 1024, stream));
    increment<<<1, 256, 0, stream>>>(device, 2, 1);
    CHECK(cudaMemcpyAsync(w.host, device, 1024, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, add_up, &w));
    increment<<<1, 256, 0, stream>>>(device, 3, 1);
    CHECK(cudaMemcpyAsync(w.host, device, 1024, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamAddCallback(stream, add_up_more, &w, 0));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT_EQUAL(256 * (2 + 5), w.sum);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(w.host));
    CHECK(cudaFree(device));
}

static void test_questions(void)
{
    int blocks = 0, size = 0, grid = 0, least, greatest, priority, version = 0, value = 0;
    cudaStream_t stream;
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0));
    EXPECT(blocks >= 4);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, increment, 0, 0));
    EXPECT(grid > 0 && size >= 256 && size <= 1024);
    CHECK(cudaFuncGetAttributes(&attributes, increment));
    EXPECT(attributes.numRegs > 0 && attributes.numRegs <= 255 && attributes.maxThreadsPerBlock == 1024);
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT_EQUAL(value, properties.multiProcessorCount);
    EXPECT_EQUAL(32, properties.warpSize);
    EXPECT(properties.major < 8 || (properties.persistingL2CacheMaxSize > 0 && properties.accessPolicyMaxWindowSize > 0));
    EXPECT(properties.name[0] != 0 && properties.totalGlobalMem > (1u << 30));
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamGetPriority(stream, &priority));
    EXPECT_EQUAL(greatest, priority);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaRuntimeGetVersion(&version));
    EXPECT(version >= 12000);
}

/* More work takes more time, and a kernel's time does not depend on the size of a copy before it. */
static void test_times(void)
{
    cudaEvent_t events[3];
    int *device = device_new<int>(N);
    float little, much;
    CHECK(cudaMemset(device, 0, N * sizeof(int)));
    for (cudaEvent_t &event : events)
        CHECK(cudaEventCreate(&event));
    increment<<<N / 256, 256>>>(device, 1, 1);
    CHECK(cudaEventRecord(events[0]));
    increment<<<N / 256, 256>>>(device, 1, 1);
    CHECK(cudaEventRecord(events[1]));
    increment<<<4, 256>>>(device, 1, 20000);
    CHECK(cudaEventRecord(events[2]));
    CHECK(cudaEventSynchronize(events[2]));
    CHECK(cudaEventElapsedTime(&little, events[0], events[1]));
    CHECK(cudaEventElapsedTime(&much, events[1], events[2]));
    EXPECT(little > 0 && much > little);
    for (cudaEvent_t event : events)
        CHECK(cudaEventDestroy(event));
    CHECK(cudaFree(device));
}

int main(void)
{
    test_async();
    test_parts();
    test_host_functions();
    test_questions();
    test_times();
    return finish();
}
