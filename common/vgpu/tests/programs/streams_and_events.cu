/* streams_and_events.cu - order between streams: events awaited, callbacks and host functions in their place, priorities,
 * queries, per-stream buffers allocated in stream order. */
#include "../kit.cuh"

__global__ void append(int *log, int *length, int what)
{
    log[(*length)++] = what;
}

__global__ void fill(int *data, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = value;
}

static std::vector<int> host_log;

static void CUDART_CB on_host(void *what)
{
    host_log.push_back((int)(intptr_t)what);
}

static void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void *what)
{
    EXPECT_EQUAL(cudaSuccess, status);
    host_log.push_back((int)(intptr_t)what);
}

static void events_order_streams(void)
{
    int *log = device_new<int>(8), *length = device_new<int>(1);
    CHECK(cudaMemset(length, 0, sizeof(int)));
    cudaStream_t a, b;
    cudaEvent_t first, second;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, 0));
    CHECK(cudaEventCreateWithFlags(&first, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&second, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
    append<<<1, 1, 0, a>>>(log, length, 1);
    CHECK(cudaEventRecord(first, a));
    CHECK(cudaStreamWaitEvent(b, first, 0));
    append<<<1, 1, 0, b>>>(log, length, 2);
    CHECK(cudaEventRecord(second, b));
    CHECK(cudaStreamWaitEvent(a, second, 0));
    append<<<1, 1, 0, a>>>(log, length, 3);
    CHECK(cudaStreamSynchronize(a));
    EXPECT_EQUAL(cudaSuccess, cudaStreamQuery(a));
    EXPECT_EQUAL(cudaSuccess, cudaEventQuery(second));
    float ms;
    EXPECT_EQUAL(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, first, second));
    cudaGetLastError();
    EXPECT_EQUAL(3, from_device(length, 1)[0]);
    std::vector<int> got = from_device(log, 3);
    EXPECT(got[0] == 1 && got[1] == 2 && got[2] == 3);
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
}

static void host_functions_run_in_order(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *data = device_new<int>(64);
    fill<<<1, 64, 0, stream>>>(data, 5, 64);
    CHECK(cudaLaunchHostFunc(stream, on_host, (void *)1));
    CHECK(cudaStreamAddCallback(stream, on_stream, (void *)2, 0));
    CHECK(cudaLaunchHostFunc(stream, on_host, (void *)3));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(host_log == std::vector<int>({1, 2, 3}));
    CHECK(cudaStreamDestroy(stream));
}

static void elapsed_time_is_positive(void)
{
    cudaEvent_t begin, end;
    float ms = -1;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    int *data = device_new<int>(100000);
    CHECK(cudaEventRecord(begin, 0));
    fill<<<divide_up(100000, 256), 256>>>(data, 1, 100000);
    CHECK(cudaEventRecord(end, 0));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    EXPECT(ms > 0 && ms < 1000);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

static void stream_ordered_memory(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *data, host[100];
    CHECK(cudaMallocAsync((void **)&data, sizeof host, stream));
    fill<<<1, 128, 0, stream>>>(data, 42, 100);
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int value : host)
        EXPECT_EQUAL(42, value);
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(least >= greatest);
    events_order_streams();
    host_functions_run_in_order();
    elapsed_time_is_positive();
    stream_ordered_memory();
    return finish();
}
