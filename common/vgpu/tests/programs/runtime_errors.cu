/* runtime_errors.cu - which error a call gives, when it surfaces, and when it goes away: CUDA's rules, call by call.
 * Every expectation is CUDA's documented or observed behaviour; the program passes on a real GPU as well. */
#include "../kit.cuh"

__global__ void nothing(void) {}
__global__ void scale(float *data, float by) { data[threadIdx.x] *= by; }
__global__ void __launch_bounds__(128) bounded(int *out) { out[threadIdx.x] = 1; }
__global__ void dynamic(int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__constant__ float table[16];

/* The error, which is then the last one, once. */
#define EXPECT_ERROR(want, call)                                                                                       \
    do {                                                                                                               \
        EXPECT_EQUAL(want, call);                                                                                      \
        EXPECT_EQUAL(want, cudaPeekAtLastError());                                                                     \
        EXPECT_EQUAL(want, cudaGetLastError());                                                                        \
        EXPECT_EQUAL(cudaSuccess, cudaGetLastError());                                                                 \
    } while (0)

static void test_arguments(void)
{
    float *device = device_new<float>(32), host[32] = {0};
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(1000));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMalloc((void **)nullptr, 16));
    EXPECT_ERROR(cudaErrorInvalidMemcpyDirection, cudaMemcpy(device, host, 4, (cudaMemcpyKind)17));
    EXPECT_ERROR(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 4, host, 64, 8, 2, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaMemcpyToSymbol((const void *)host, host, 4));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, host, 4096));
    EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&device, (size_t)1 << 46));
    CHECK(cudaFree(nullptr));
}

static void test_events(void)
{
    cudaEvent_t timed, fresh, untimed;
    float ms;
    CHECK(cudaEventCreate(&timed));
    CHECK(cudaEventCreate(&fresh));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK(cudaEventRecord(timed));
    CHECK(cudaEventRecord(untimed));
    CHECK(cudaDeviceSynchronize());
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, timed, fresh));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, timed, untimed));
    CHECK(cudaEventQuery(fresh));
    CHECK(cudaEventElapsedTime(&ms, timed, timed));
    EXPECT_EQUAL(0.0f, ms);
    CHECK(cudaEventDestroy(timed));
    CHECK(cudaEventDestroy(fresh));
    CHECK(cudaEventDestroy(untimed));
}

static void test_registered(void)
{
    static int plain[4096];
    CHECK(cudaHostRegister(plain, sizeof plain, cudaHostRegisterDefault));
    EXPECT_EQUAL(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(plain, 64, cudaHostRegisterDefault));
    EXPECT_EQUAL(cudaErrorHostMemoryAlreadyRegistered, cudaGetLastError());
    CHECK(cudaHostUnregister(plain));
}

static void test_configurations(void)
{
    int *out = device_new<int>(1024);
    nothing<<<1, 2048>>>();
    EXPECT_EQUAL(cudaErrorInvalidValue, cudaGetLastError());
    nothing<<<0, 32>>>();
    EXPECT_EQUAL(cudaErrorInvalidValue, cudaGetLastError());
    nothing<<<dim3(1, 65536), 32>>>();
    EXPECT_EQUAL(cudaErrorInvalidValue, cudaGetLastError());
    nothing<<<1, dim3(1, 1, 65)>>>();
    EXPECT_EQUAL(cudaErrorInvalidValue, cudaGetLastError());
    bounded<<<1, 256>>>(out);
    EXPECT_EQUAL(cudaErrorInvalidValue, cudaGetLastError());
    dynamic<<<1, 32, 64 << 10>>>(out);
    EXPECT_EQUAL(cudaErrorInvalidValue, cudaGetLastError());
    CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    dynamic<<<1, 32, 64 << 10>>>(out);
    CHECK_LAUNCH();
    EXPECT_EQUAL(31, from_device(out, 1)[0]);
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    CHECK(cudaFree(out));
}

static void test_cooperative(void)
{
    EXPECT_ERROR(cudaErrorCooperativeLaunchTooLarge,
                 cudaLaunchCooperativeKernel((void *)nothing, dim3(1 << 20), dim3(1024), nullptr, 0, 0));
}

/* The fault is not seen by the launch, is seen by the next wait, and stays. Comes last: it ruins the context. */
static void test_sticky(void)
{
    int *out = device_new<int>(32);
    scale<<<1, 32>>>((float *)nullptr, 2);
    EXPECT_EQUAL(cudaSuccess, cudaGetLastError());
    EXPECT_EQUAL(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    EXPECT_EQUAL(cudaErrorIllegalAddress, cudaGetLastError());
    EXPECT_EQUAL(cudaErrorIllegalAddress, cudaMalloc(&out, 16));
    EXPECT_EQUAL(cudaErrorIllegalAddress, cudaFree(out));
    EXPECT_EQUAL(cudaErrorIllegalAddress, cudaGetLastError());
}

int main(void)
{
    test_arguments();
    test_events();
    test_registered();
    test_configurations();
    test_cooperative();
    test_sticky();
    return finish();
}
