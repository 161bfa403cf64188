/* test_runtime.c - the runtime's parts that need no compiled kernel: errors, properties, memory, streams, the clock.
 * Expected values are CUDA's documented behaviour. Kernels are tested by the programs in tests/programs. */
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "runtime/device.h"
#include "vgpu.h"

START_TEST(every_error_has_its_name_and_text)
{
    ck_assert_str_eq(cudaGetErrorName(cudaSuccess), "cudaSuccess");
    ck_assert_str_eq(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
    ck_assert_str_eq(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
    for (int i = 0; i < 1000; i++) {
        ck_assert_ptr_nonnull(cudaGetErrorName((cudaError_t)i));
        ck_assert_ptr_nonnull(cudaGetErrorString((cudaError_t)i));
    }
}
END_TEST

START_TEST(an_error_is_the_last_one_until_it_is_asked_for)
{
    ck_assert_int_eq(cudaSetDevice(3), cudaErrorInvalidDevice);
    ck_assert_int_eq(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorInvalidDevice);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
}
END_TEST

START_TEST(a_fault_is_pending_then_sticky_until_reset)
{
    void *pointer;
    ck_assert_int_eq(cudaMalloc(&pointer, 64), cudaSuccess);
    runtime_fault(cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaMalloc(&pointer, 64), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaDeviceReset(), cudaSuccess);
    ck_assert_int_eq(cudaMalloc(&pointer, 64), cudaSuccess);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
}
END_TEST

START_TEST(every_profile_fills_the_device_properties)
{
    for (size_t i = 0; gpu_at(i); i++) {
        struct cudaDeviceProp properties;
        int value = 0;
        device_properties(gpu_at(i), &properties);
        ck_assert_str_eq(properties.name, gpu_at(i)->name);
        ck_assert_int_eq(properties.multiProcessorCount, (int)gpu_at(i)->sms);
        ck_assert_uint_eq(properties.totalGlobalMem, gpu_at(i)->memory_bytes);
        ck_assert_int_eq(properties.maxThreadsDim[2], 64);
        ck_assert(device_attribute(gpu_at(i), cudaDevAttrClockRate, &value));
        ck_assert_int_eq(value, (int)gpu_at(i)->clock_mhz * 1000);
    }
}
END_TEST

START_TEST(copies_stay_within_their_allocations)
{
    char host[128], *device;
    memset(host, 3, sizeof host);
    ck_assert_int_eq(cudaMalloc((void **)&device, 64), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy(device + 32, host, 33, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy(host, device, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy(host + 64, device, 64, cudaMemcpyDefault), cudaSuccess);
    ck_assert_int_eq(host[127], 3);
    ck_assert_int_eq(cudaMemset(device, 1, 65), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaFree(device + 1), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaFree(device), cudaSuccess);
    ck_assert_int_eq(cudaFree(device), cudaErrorInvalidValue);
}
END_TEST

static float copy_ms(bool is_pinned, size_t bytes)
{
    void *device, *host;
    cudaEvent_t start, stop;
    float ms = 0;
    ck_assert_int_eq(cudaMalloc(&device, bytes), cudaSuccess);
    if (is_pinned)
        ck_assert_int_eq(cudaMallocHost(&host, bytes), cudaSuccess);
    else
        host = calloc(1, bytes);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, NULL);
    cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    cudaEventRecord(stop, NULL);
    cudaEventSynchronize(stop);
    ck_assert_int_eq(cudaEventElapsedTime(&ms, start, stop), cudaSuccess);
    cudaFree(device);
    if (is_pinned)
        cudaFreeHost(host);
    else
        free(host);
    return ms;
}

START_TEST(copies_take_the_time_of_the_profile)
{
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
    const struct gpu *gpu = runtime_config()->gpu;
    float pageable = copy_ms(false, 16 << 20), pinned = copy_ms(true, 16 << 20);
    double want = (16 << 20) / (gpu->pinned_gbs * 1e6) + gpu->copy_overhead_us / 1e3;
    ck_assert_float_lt(pinned, pageable);
    ck_assert_double_eq_tol(pinned, want, 0.01);
    ck_assert_float_eq_tol(copy_ms(true, 16 << 20), pinned, 33e-6f); /* events tick every 32 ns */
}
END_TEST

/* Two copies in opposite directions on two streams overlap; on one stream they follow each other. An H200 gains 1.83. */
static double two_copies_us(cudaStream_t a, cudaStream_t b)
{
    enum { BYTES = 4 << 20 };
    static char *device, *host;
    if (!device) {
        cudaMalloc((void **)&device, 2 * BYTES);
        cudaMallocHost((void **)&host, 2 * BYTES);
    }
    cudaDeviceSynchronize();
    double start = vgpu_time_us();
    cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, a);
    cudaMemcpyAsync(host + BYTES, device + BYTES, BYTES, cudaMemcpyDeviceToHost, b);
    cudaDeviceSynchronize();
    return vgpu_time_us() - start;
}

/* Of so many copies within the device, one behind the other. */
static double copies_us(char *device, size_t bytes, int count)
{
    cudaDeviceSynchronize();
    const double start = vgpu_time_us();
    for (int i = 0; i < count; i++)
        cudaMemcpyAsync(device + bytes, device, bytes, cudaMemcpyDeviceToDevice, NULL);
    cudaDeviceSynchronize();
    return vgpu_time_us() - start;
}

START_TEST(a_copy_within_the_device_takes_what_it_is_said_to_take)
{
    enum { BYTES = 64 << 20 };
    char *device;
    ck_assert_int_eq(cudaMalloc((void **)&device, 2 * BYTES), cudaSuccess);
    const double each = (copies_us(device, BYTES, 5) - copies_us(device, BYTES, 1)) / 4;
    ck_assert_double_eq_tol(vgpu_copy_us(BYTES), each, 0.05 * each);
    cudaFree(device);
}
END_TEST

START_TEST(copies_in_opposite_directions_overlap)
{
    cudaStream_t a, b;
    ck_assert_int_eq(cudaStreamCreate(&a), cudaSuccess);
    ck_assert_int_eq(cudaStreamCreate(&b), cudaSuccess);
    double apart = two_copies_us(a, b), together = two_copies_us(a, a);
    ck_assert_double_gt(together, 1.6 * apart);
    /* work on the legacy stream waits for both and keeps both waiting */
    ck_assert_double_gt(two_copies_us(a, NULL), 1.6 * apart);
    ck_assert_int_eq(cudaStreamDestroy(a), cudaSuccess);
    ck_assert_int_eq(cudaStreamDestroy(b), cudaSuccess);
    ck_assert_int_eq(cudaStreamDestroy(b), cudaErrorInvalidResourceHandle);
}
END_TEST

enum { SET_BYTES = 64 << 20 };

/* A graph of two memsets, the second after the first or beside it; what its launch takes. */
static double two_sets_us(char *device, bool is_chain, double *call_us)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second;
    struct cudaMemsetParams set = {.dst = device, .elementSize = 1, .width = SET_BYTES, .height = 1};
    ck_assert_int_eq(cudaGraphCreate(&graph, 0), cudaSuccess);
    ck_assert_int_eq(cudaGraphAddMemsetNode(&first, graph, NULL, 0, &set), cudaSuccess);
    set.dst = device + SET_BYTES;
    ck_assert_int_eq(cudaGraphAddMemsetNode(&second, graph, &first, is_chain, &set), cudaSuccess);
    ck_assert_int_eq(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    cudaDeviceSynchronize();
    double start = vgpu_time_us();
    ck_assert_int_eq(cudaGraphLaunch(exec, NULL), cudaSuccess);
    *call_us = vgpu_time_us() - start;
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    return vgpu_time_us() - start;
}

/* A memset uses the whole GPU: side by side or not, two take twice the memory's time. The host pays for the launch once:
 * an H200's takes 1.4 to 1.7 us for one node and for a hundred. */
START_TEST(a_graph_costs_the_host_one_launch)
{
    char *device;
    double call_us;
    ck_assert_int_eq(cudaMalloc((void **)&device, 2 * SET_BYTES), cudaSuccess);
    const double memory_us = 2.0 * SET_BYTES / (runtime_config()->gpu->dram_gbs * 1e3);
    for (int is_chain = 0; is_chain < 2; is_chain++) {
        double us = two_sets_us(device, is_chain, &call_us);
        ck_assert_double_gt(us, memory_us);
        ck_assert_double_lt(us, memory_us + 12);
        ck_assert_double_lt(call_us, 2);
    }
    cudaFree(device);
}
END_TEST

START_TEST(unsupported_calls_say_so)
{
    void *pointer;
    ck_assert_int_eq(cudaGetDriverEntryPointByVersion("cuInit", &pointer, 13000, 0, NULL),
                     cudaErrorNotSupported);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorNotSupported);
    ck_assert_int_eq(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("calls");
    tcase_add_test(tests, every_error_has_its_name_and_text);
    tcase_add_test(tests, a_copy_within_the_device_takes_what_it_is_said_to_take);
    tcase_add_test(tests, an_error_is_the_last_one_until_it_is_asked_for);
    tcase_add_test(tests, a_fault_is_pending_then_sticky_until_reset);
    tcase_add_test(tests, every_profile_fills_the_device_properties);
    tcase_add_test(tests, copies_stay_within_their_allocations);
    tcase_add_test(tests, copies_take_the_time_of_the_profile);
    tcase_add_test(tests, copies_in_opposite_directions_overlap);
    tcase_add_test(tests, a_graph_costs_the_host_one_launch);
    tcase_add_test(tests, unsupported_calls_say_so);
    return run_tests("runtime", tests);
}
