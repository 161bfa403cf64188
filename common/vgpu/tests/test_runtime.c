/* test_runtime.c - the runtime's parts that need no compiled kernel: errors, properties, memory, streams, the clock.
 * Expected values are CUDA's documented behaviour. Kernels are tested by the programs in tests/programs. */
#include <stdio.h>
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

/* What is told, by kind: the last one, with its words. */
static enum vgpu_finding told;
static char words[1000];

static void listen(void *context, const struct vgpu_message *message)
{
    (void)context;
    told = message->kind;
    snprintf(words, sizeof words, "%s", message->text);
}

static const struct vgpu_watcher ears = {.message = listen};

/* As an H200 answers. */
START_TEST(a_copy_that_begins_in_registered_memory_ends_there)
{
    static char host[8192];
    enum { FIRST = 1024, BYTES = 2048, END = FIRST + BYTES };
    static const struct {
        size_t first, bytes;
        cudaError_t error;
    } rows[] = {
        {FIRST, BYTES, cudaSuccess},
        {FIRST + 8, BYTES - 8, cudaSuccess},
        {0, FIRST, cudaSuccess},
        {END, 100, cudaSuccess},
        {FIRST - 1, 2, cudaSuccess},
        {0, sizeof host, cudaSuccess},
        {END - 1, 2, cudaErrorInvalidValue},
        {FIRST, BYTES + 1, cudaErrorInvalidValue},
    };
    char *device;
    ck_assert_int_eq(cudaMalloc((void **)&device, sizeof host), cudaSuccess);
    ck_assert_int_eq(cudaHostRegister(host + FIRST, BYTES, cudaHostRegisterDefault), cudaSuccess);
    vgpu_watch(&ears);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *part = host + rows[i].first;
        told = VGPU_NOTHING;
        ck_assert_int_eq(cudaMemcpy(device, part, rows[i].bytes, cudaMemcpyHostToDevice), rows[i].error);
        ck_assert_int_eq(cudaMemcpyAsync(part, device, rows[i].bytes, cudaMemcpyDefault, NULL),
                         rows[i].error);
        ck_assert_int_eq(told, rows[i].error ? VGPU_COPY_PARTLY_REGISTERED : VGPU_NOTHING);
    }
    ck_assert_ptr_nonnull(strstr(
        words,
        "copies 2049 bytes of host memory (its destination), of which cudaHostRegister was given 2048"));
    vgpu_watch(NULL);
    /* nor in a neighbour */
    ck_assert_int_eq(cudaHostRegister(host + END, sizeof host - END, cudaHostRegisterDefault), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(device, host + FIRST, sizeof host - FIRST, cudaMemcpyDefault),
                     cudaErrorInvalidValue);
    ck_assert_int_eq(cudaHostUnregister(host + END), cudaSuccess);
    ck_assert_int_eq(cudaHostUnregister(host + FIRST), cudaSuccess);
}
END_TEST

START_TEST(what_cannot_be_registered_is_told_apart)
{
    static char host[4096];
    void *device, *pinned;
    ck_assert_int_eq(cudaMalloc(&device, sizeof host), cudaSuccess);
    ck_assert_int_eq(cudaHostRegister(host + 1024, 64, cudaHostRegisterDefault), cudaSuccess);
    vgpu_watch(&ears);
    ck_assert_int_eq(cudaHostRegister(device, sizeof host, cudaHostRegisterDefault), cudaErrorInvalidValue);
    ck_assert_int_eq(told, VGPU_REGISTER_DEVICE);
    ck_assert_int_eq(cudaHostUnregister(device), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMallocHost(&pinned, sizeof host), cudaSuccess);
    ck_assert_int_eq(cudaHostRegister(pinned, sizeof host, cudaHostRegisterDefault), cudaErrorInvalidValue);
    ck_assert_int_eq(told, VGPU_REGISTER_AGAIN);
    ck_assert_int_eq(cudaFreeHost(pinned), cudaSuccess);
    ck_assert_int_eq(cudaHostRegister(host, sizeof host, cudaHostRegisterDefault),
                     cudaErrorHostMemoryAlreadyRegistered);
    ck_assert_int_eq(told, VGPU_REGISTER_AGAIN);
    vgpu_watch(NULL);
    ck_assert_int_eq(cudaHostUnregister(host + 1024), cudaSuccess);
    ck_assert_int_eq(cudaHostRegister(host, sizeof host, cudaHostRegisterDefault), cudaSuccess);
    ck_assert_int_eq(cudaHostUnregister(host), cudaSuccess);
}
END_TEST

START_TEST(what_is_wrong_with_a_pitch_or_a_texture_is_told)
{
    static float host[64];
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc desc;
    cudaArray_t array;
    cudaTextureObject_t texture;
    memset(&desc, 0x55, sizeof desc);
    ck_assert_int_eq(cudaMallocArray(&array, &format, 8, 8, 0), cudaSuccess);
    vgpu_watch(&ears);
    ck_assert_int_eq(cudaMemcpy2DToArray(array, 0, 0, host, 8, 32, 8, cudaMemcpyHostToDevice),
                     cudaErrorInvalidPitchValue);
    ck_assert_int_eq(told, VGPU_COPY_PITCH);
    ck_assert_ptr_nonnull(strstr(words, "rows of 32 bytes, but the pitch of its source is 8 bytes"));
    resource.res.array.array = array;
    ck_assert_int_eq(cudaCreateTextureObject(&texture, &resource, &desc, NULL), cudaErrorInvalidValue);
    ck_assert_int_eq(told, VGPU_TEXTURE_REFUSED);
    ck_assert_ptr_nonnull(strstr(words, "was not set to {}"));
    vgpu_watch(NULL);
}
END_TEST

/* ------------------------------------------------------------------------------------------- captures */

static char *memory; /* of the device */
static cudaEvent_t event;
static cudaStream_t another; /* than the one that is being captured */

static cudaError_t set_in_default(void)
{
    return cudaMemsetAsync(memory, 0, 64, NULL);
}

static cudaError_t copy(void)
{
    char host[64] = {0};
    return cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
}

static cudaError_t record_in_default(void)
{
    return cudaEventRecord(event, NULL);
}

static cudaError_t wait_for_default(void)
{
    return cudaStreamSynchronize(NULL);
}

static cudaError_t allocate(void)
{
    void *more;
    return cudaMalloc(&more, 64);
}

static cudaError_t free_nothing(void)
{
    return cudaFree(NULL);
}

static cudaError_t query(void)
{
    return cudaEventQuery(event);
}

static cudaError_t wait_for_event(void)
{
    return cudaEventSynchronize(event);
}

static cudaError_t wait_for_another(void)
{
    return cudaStreamSynchronize(another);
}

static cudaError_t query_another(void)
{
    return cudaStreamQuery(another);
}

static cudaError_t allocate_in_default(void)
{
    void *more;
    return cudaMallocAsync(&more, 64, NULL);
}

/* What a capture forbids: what these calls answer while a stream of each kind is being captured in each mode, as an H200's. */
static const struct forbidden {
    cudaError_t (*call)(void);
    cudaError_t blocking[3], nonblocking[3]; /* global, of this thread, relaxed */
} forbidden[] = {
#define ALL(error)                                                                                           \
    {                                                                                                        \
        error, error, error                                                                                  \
    }
#define NOT_RELAXED                                                                                          \
    {                                                                                                        \
        cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureUnsupported, cudaSuccess                    \
    }
    {set_in_default, ALL(cudaErrorStreamCaptureImplicit), ALL(cudaSuccess)},
    {copy, ALL(cudaErrorStreamCaptureImplicit), ALL(cudaSuccess)},
    {record_in_default, ALL(cudaErrorStreamCaptureImplicit), ALL(cudaSuccess)},
    {wait_for_default, ALL(cudaErrorStreamCaptureImplicit), NOT_RELAXED},
    {cudaDeviceSynchronize, ALL(cudaErrorStreamCaptureUnsupported), ALL(cudaErrorStreamCaptureUnsupported)},
    {allocate, NOT_RELAXED, NOT_RELAXED},
    {free_nothing, NOT_RELAXED, NOT_RELAXED},
    {query, NOT_RELAXED, NOT_RELAXED},
    {wait_for_event, NOT_RELAXED, NOT_RELAXED},
    {wait_for_another, NOT_RELAXED, NOT_RELAXED},
    {query_another, NOT_RELAXED, NOT_RELAXED},
    {allocate_in_default, ALL(cudaErrorStreamCaptureImplicit), NOT_RELAXED},
};

static void try_captured(const struct forbidden *row, unsigned flags, enum cudaStreamCaptureMode mode)
{
    const cudaError_t error = flags ? row->nonblocking[mode] : row->blocking[mode];
    cudaStream_t stream;
    cudaGraph_t graph;
    enum cudaStreamCaptureStatus status;
    ck_assert_int_eq(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
    ck_assert_int_eq(cudaStreamBeginCapture(stream, mode), cudaSuccess);
    ck_assert_int_eq(cudaMemsetAsync(memory, 0, 64, stream), cudaSuccess);
    ck_assert_int_eq(cudaStreamIsCapturing(NULL, &status),
                     flags ? cudaSuccess : cudaErrorStreamCaptureImplicit);
    told = VGPU_NOTHING;
    ck_assert_int_eq(row->call(), error);
    ck_assert_int_eq(told, error == cudaErrorStreamCaptureImplicit ? VGPU_CAPTURE_DEFAULT_STREAM
                           : error                                 ? VGPU_CAPTURE_FORBIDS
                                                                   : VGPU_NOTHING);
    ck_assert_int_eq(cudaStreamEndCapture(stream, &graph),
                     error ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
    if (!error)
        ck_assert_int_eq(cudaGraphDestroy(graph), cudaSuccess);
    ck_assert_int_eq(cudaStreamDestroy(stream), cudaSuccess);
    ck_assert_int_eq(row->call(), cudaSuccess); /* the capture is over */
}

START_TEST(what_a_capture_forbids_makes_it_invalid)
{
    ck_assert_int_eq(cudaMalloc((void **)&memory, 64), cudaSuccess);
    ck_assert_int_eq(cudaEventCreate(&event), cudaSuccess);
    ck_assert_int_eq(cudaStreamCreateWithFlags(&another, cudaStreamNonBlocking), cudaSuccess);
    vgpu_watch(&ears);
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        for (int mode = cudaStreamCaptureModeGlobal; mode <= cudaStreamCaptureModeRelaxed; mode++) {
            try_captured(&forbidden[i], cudaStreamDefault, (enum cudaStreamCaptureMode)mode);
            try_captured(&forbidden[i], cudaStreamNonBlocking, (enum cudaStreamCaptureMode)mode);
        }
    vgpu_watch(NULL);
}
END_TEST

START_TEST(a_thread_may_ask_for_relaxed_rules)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    ck_assert_int_eq(cudaStreamCreate(&stream), cudaSuccess);
    ck_assert_int_eq(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    ck_assert_int_eq(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    ck_assert_int_eq(mode, cudaStreamCaptureModeGlobal);
    ck_assert_int_eq(allocate(), cudaSuccess);
    ck_assert_int_eq(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    ck_assert_int_eq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
}
END_TEST

/* ------------------------------------------------------------------------------------------- times */

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

static double launch_us(cudaGraphExec_t exec, double *call_us)
{
    double start = vgpu_time_us();
    ck_assert_int_eq(cudaGraphLaunch(exec, NULL), cudaSuccess);
    *call_us = vgpu_time_us() - start;
    cudaDeviceSynchronize();
    return vgpu_time_us() - start;
}

/* A graph of two memsets, the second after the first or beside it; what its second launch takes. The first one has to carry
 * the graph to the GPU. */
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
    const double first_us = launch_us(exec, call_us), first_call_us = *call_us;
    const double us = launch_us(exec, call_us);
    ck_assert_double_gt(first_us, us);
    ck_assert_double_gt(first_call_us, *call_us + 2);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    return us;
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
    tcase_add_test(tests, a_copy_that_begins_in_registered_memory_ends_there);
    tcase_add_test(tests, what_cannot_be_registered_is_told_apart);
    tcase_add_test(tests, what_is_wrong_with_a_pitch_or_a_texture_is_told);
    tcase_add_test(tests, what_a_capture_forbids_makes_it_invalid);
    tcase_add_test(tests, a_thread_may_ask_for_relaxed_rules);
    tcase_add_test(tests, copies_take_the_time_of_the_profile);
    tcase_add_test(tests, copies_in_opposite_directions_overlap);
    tcase_add_test(tests, a_graph_costs_the_host_one_launch);
    tcase_add_test(tests, unsupported_calls_say_so);
    return run_tests("runtime", tests);
}
