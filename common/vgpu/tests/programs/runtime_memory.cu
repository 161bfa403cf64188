/* runtime_memory.cu - every way to get, fill, copy and give back memory.
 * The program passes on a real GPU as well. */
#include "../kit.cuh"

struct pair {
    int first;
    double second;
};
__device__ int counters[8] = {1, 2, 3};
__device__ pair both = {7, 0.5};
__constant__ float weights[4] = {1, 2, 3, 4};

__global__ void add_weights(int *out)
{
    out[threadIdx.x] = counters[threadIdx.x] + (int)weights[threadIdx.x % 4];
    counters[threadIdx.x] = 100 + threadIdx.x;
}

__global__ void rows(int *data, size_t pitch, int width, int height)
{
    for (int y = threadIdx.y; y < height; y += blockDim.y)
        for (int x = threadIdx.x; x < width; x += blockDim.x)
            ((int *)((char *)data + y * pitch))[x] += 1000 * y + x;
}

static void test_symbols(void)
{
    int host[8], *out = device_new<int>(8);
    float changed[2] = {30, 40};
    size_t size = 0;
    void *address = nullptr;
    pair copy;
    CHECK(cudaMemcpyToSymbol(weights, changed, sizeof changed, 2 * sizeof(float)));
    add_weights<<<1, 8>>>(out);
    CHECK_LAUNCH();
    int want[8] = {2, 4, 33, 40, 1, 2, 30, 40};
    std::vector<int> got = from_device(out, 8);
    for (int i = 0; i < 8; i++)
        EXPECT_EQUAL(want[i], got[i]);
    CHECK(cudaMemcpyFromSymbol(host, counters, sizeof host));
    EXPECT_EQUAL(107, host[7]);
    CHECK(cudaMemcpyFromSymbol(&copy, both, sizeof copy));
    EXPECT_EQUAL(0.5, copy.second);
    CHECK(cudaGetSymbolSize(&size, counters));
    EXPECT_EQUAL((size_t)32, size);
    CHECK(cudaGetSymbolAddress(&address, counters));
    CHECK(cudaMemset(address, 0, 4));
    CHECK(cudaMemcpyFromSymbol(host, counters, 8));
    EXPECT_EQUAL(0, host[0]);
    EXPECT_EQUAL(101, host[1]);
    CHECK(cudaFree(out));
}

static void test_pitched(void)
{
    const int width = 37, height = 11;
    int *data, host[height][width];
    size_t pitch;
    CHECK(cudaMallocPitch((void **)&data, &pitch, width * sizeof(int), height));
    EXPECT(pitch >= width * sizeof(int));
    CHECK(cudaMemset2D(data, pitch, 0, width * sizeof(int), height));
    rows<<<1, dim3(32, 8)>>>(data, pitch, width, height);
    CHECK(cudaMemcpy2D(host, sizeof host[0], data, pitch, sizeof host[0], height, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(10036, host[10][36]);
    CHECK(cudaFree(data));
    cudaPitchedPtr volume;
    CHECK(cudaMalloc3D(&volume, make_cudaExtent(20, 5, 3)));
    CHECK(cudaMemset3D(volume, 9, make_cudaExtent(20, 5, 3)));
    char row[20];
    CHECK(cudaMemcpy(row, (char *)volume.ptr + volume.pitch * 14, 20, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(9, row[19]);
    CHECK(cudaFree(volume.ptr));
}

static void test_directions(void)
{
    std::vector<int> host(256, 5), back(256, 0);
    int *a = device_new<int>(256), *b = device_new<int>(256);
    CHECK(cudaMemcpy(a, host.data(), 1024, cudaMemcpyDefault));
    CHECK(cudaMemcpy(b, a, 1024, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(b, 0xff, 4));
    CHECK(cudaMemcpy(back.data(), b, 1024, cudaMemcpyDefault));
    EXPECT_EQUAL(-1, back[0]);
    EXPECT_EQUAL(5, back[255]);
    CHECK(cudaMemcpy(back.data(), host.data(), 1024, cudaMemcpyHostToHost));
    EXPECT_EQUAL(5, back[0]);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, a + 3));
    EXPECT_EQUAL(cudaMemoryTypeDevice, attributes.type);
    CHECK(cudaPointerGetAttributes(&attributes, host.data()));
    EXPECT_EQUAL(cudaMemoryTypeUnregistered, attributes.type);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

static void test_pinned(void)
{
    int *pinned, *seen, *out = device_new<int>(8);
    unsigned flags = 0;
    CHECK(cudaHostAlloc((void **)&pinned, 32, cudaHostAllocMapped | cudaHostAllocPortable));
    CHECK(cudaHostGetFlags(&flags, pinned));
    EXPECT((flags & cudaHostAllocMapped) != 0);
    for (int i = 0; i < 8; i++)
        pinned[i] = i;
    CHECK(cudaHostGetDevicePointer((void **)&seen, pinned, 0));
    rows<<<1, dim3(8, 1)>>>(seen, 32, 8, 1);
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(14, pinned[7]);
    CHECK(cudaFreeHost(pinned));
    std::vector<int> plain(4096, 1);
    CHECK(cudaHostRegister(plain.data(), plain.size() * sizeof(int), cudaHostRegisterDefault));
    CHECK(cudaMemcpyAsync(out, plain.data() + 100, 32, cudaMemcpyHostToDevice, 0));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaHostUnregister(plain.data()));
    EXPECT_EQUAL(1, from_device(out, 8)[7]);
    CHECK(cudaFree(out));
}

static void test_pools(void)
{
    cudaStream_t stream;
    cudaMemPool_t pool;
    uint64_t used = 1, threshold = UINT64_MAX;
    int *a, *b;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(cudaMallocAsync((void **)&a, 1024, stream));
    CHECK(cudaMallocFromPoolAsync((void **)&b, 1024, pool, stream));
    CHECK(cudaMemsetAsync(a, 1, 1024, stream));
    CHECK(cudaMemcpyAsync(b, a, 1024, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT_EQUAL(0x01010101, from_device(b, 1)[0]);
    CHECK(cudaFreeAsync(b, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    EXPECT_EQUAL((uint64_t)0, used);
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    size_t available, total;
    CHECK(cudaMemGetInfo(&available, &total));
    EXPECT(available > 0 && available <= total);
    test_symbols();
    test_pitched();
    test_directions();
    test_pinned();
    test_pools();
    return finish();
}
