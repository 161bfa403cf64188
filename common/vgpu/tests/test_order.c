/* test_order.c - operations that nothing orders (runtime/order.h): found, with both places, whatever was computed; and silence
 * where events, streams, waiting or CUDA's rules order them. The device code is PTX text, so that nothing here needs nvcc.
 * Calls are made on behalf of places with names of their own (vgpu_set_caller), which findings must give. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "base/tests/run.h"
#include "vgpu.h"

/* Every kernel has its first argument in %rd1, its second in %rd2, and the thread's number in %r4. */
#define KERNEL(name, body)                                                                                   \
    ".visible .entry " name "(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"       \
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"      \
    "mov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n" body "ret;\n}\n"

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
    /* a[i] = b[i] */
    KERNEL("move", "mul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n"
                   "ld.global.u32 %r5, [%rd5];\nst.global.u32 [%rd4], %r5;\n")
    /* every thread adds 1 to a[0] */
    KERNEL("count", "red.global.add.u32 [%rd1], 1;\n")
    /* stores a value, then sets the flag b; looks at the flag b, then moves the value on */
    KERNEL("tell", "st.global.u32 [%rd1], 7;\nmembar.gl;\nst.volatile.global.u32 [%rd2], 1;\n")
        KERNEL("hear", "ld.volatile.global.u32 %r5, [%rd2];\nmembar.gl;\nld.global.u32 %r6, [%rd1];\n"
                       "st.global.u32 [%rd1+64], %r6;\n")
    /* a byte per thread */
    KERNEL("mark", "cvt.u64.u32 %rd3, %r4;\nadd.u64 %rd4, %rd1, %rd3;\nst.global.u8 [%rd4], 1;\n");

enum { COUNT = 1024, BYTES = COUNT * 4, HALF = BYTES / 2, BLOCK = 128, STREAMS = 4, EVENTS = 4 };

static struct {
    unsigned count;
    enum vgpu_finding kind;
    char place[80], other[80], array[80], text[1000];
} found;

static cudaLibrary_t library;
static cudaStream_t streams[STREAMS]; /* the default stream, two blocking ones, one that is not */
static cudaEvent_t events[EVENTS];
static char *in, *out, *third, *pinned, *pinned_out, pageable[BYTES];
enum { LEGACY, A, B, FREE };

static void message(void *context, const struct vgpu_message *message)
{
    (void)context;
    if (found.count++)
        return;
    found.kind = message->kind;
    snprintf(found.place, sizeof found.place, "%s", message->place);
    snprintf(found.other, sizeof found.other, "%s", message->other_place);
    snprintf(found.array, sizeof found.array, "%s", message->array);
    snprintf(found.text, sizeof found.text, "%s", message->text);
}

#define TRY(call) ck_assert_int_eq(call, cudaSuccess)

static void begin(void)
{
    vgpu_set_check(VGPU_CHECK_FULL);
    vgpu_watch(&(struct vgpu_watcher){.message = message});
    TRY(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    vgpu_set_caller("the allocation");
    TRY(cudaMalloc((void **)&in, BYTES));
    TRY(cudaMalloc((void **)&out, BYTES));
    TRY(cudaMalloc((void **)&third, BYTES));
    TRY(cudaMallocHost((void **)&pinned, BYTES));
    TRY(cudaMallocHost((void **)&pinned_out, BYTES));
    TRY(cudaMemset(in, 0, BYTES));
    TRY(cudaMemset(out, 0, BYTES));
    TRY(cudaMemset(third, 0, BYTES));
    TRY(cudaStreamCreate(&streams[A]));
    TRY(cudaStreamCreate(&streams[B]));
    TRY(cudaStreamCreateWithFlags(&streams[FREE], cudaStreamNonBlocking));
    for (int i = 0; i < EVENTS; i++)
        TRY(cudaEventCreate(&events[i]));
    TRY(cudaDeviceSynchronize());
    memset(&found, 0, sizeof found);
}

static cudaGraph_t graph;
static cudaGraphExec_t exec;

static void end(void)
{
    vgpu_set_caller(NULL);
    TRY(cudaDeviceSynchronize());
    for (int i = 0; i < EVENTS; i++)
        TRY(cudaEventDestroy(events[i]));
    for (int i = A; i < STREAMS; i++)
        TRY(cudaStreamDestroy(streams[i]));
    if (exec) {
        TRY(cudaGraphExecDestroy(exec));
        TRY(cudaGraphDestroy(graph));
    }
    exec = NULL;
    TRY(cudaLibraryUnload(library));
    vgpu_watch(NULL);
    vgpu_set_check(VGPU_CHECK_BOUNDS); /* leaks are nobody's business here */
    TRY(cudaDeviceReset());
}

/* ------------------------------------------------------------------------------------------- steps */

static void launch(const char *place, const char *name, int stream, unsigned threads, char *a, char *b)
{
    cudaKernel_t kernel;
    void *arguments[] = {&a, &b};
    const dim3 grid = {(threads + BLOCK - 1) / BLOCK, 1, 1},
               block = {threads < BLOCK ? threads : BLOCK, 1, 1};
    vgpu_set_caller(place);
    TRY(cudaLibraryGetKernel(&kernel, library, name));
    TRY(cudaLaunchKernel((const void *)kernel, grid, block, arguments, 0, streams[stream]));
}

static void move(const char *place, int stream, char *to, char *from)
{
    launch(place, "move", stream, COUNT, to, from);
}

static void copy(const char *place, int stream, void *to, const void *from, size_t bytes)
{
    vgpu_set_caller(place);
    TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, streams[stream]));
}

static void set(const char *place, int stream, void *to, size_t bytes)
{
    vgpu_set_caller(place);
    TRY(cudaMemsetAsync(to, 0, bytes, streams[stream]));
}

static void follow(int stream, int before, int event)
{
    TRY(cudaEventRecord(events[event], streams[before]));
    TRY(cudaStreamWaitEvent(streams[stream], events[event], 0));
}

static void expect(enum vgpu_finding kind, const char *place, const char *other)
{
    ck_assert_msg(found.count == 1, "%u findings; %s", found.count, found.text);
    ck_assert_str_eq(vgpu_finding_name(found.kind), vgpu_finding_name(kind));
    ck_assert_str_eq(found.place, place);
    ck_assert_str_eq(found.other, other);
}

static void expect_silence(void)
{
    ck_assert_msg(found.count == 0, "%s", found.text);
}

/* ------------------------------------------------------------------------------------------- races */

START_TEST(a_kernel_that_does_not_wait_for_its_input)
{
    copy("copy in", A, in, pinned, BYTES);
    move("kernel", B, out, in);
    expect(VGPU_STREAMS_READ_WRITE, "kernel", "copy in");
    ck_assert_str_eq(found.array, "memory of the allocation");
    ck_assert_ptr_nonnull(
        strstr(found.text, "kernel `move` on stream 2 (kernel) reads bytes 0 to 4095 of the 4096"));
    ck_assert_ptr_nonnull(strstr(found.text, "cudaMemcpyAsync on stream 1 (copy in) writes them"));
}
END_TEST

START_TEST(a_copy_out_that_does_not_wait_for_the_kernel)
{
    move("kernel", A, out, in);
    copy("copy out", FREE, pinned, out, BYTES);
    expect(VGPU_STREAMS_READ_WRITE, "copy out", "kernel");
}
END_TEST

START_TEST(a_buffer_that_two_chunks_share)
{
    for (int chunk = 0; chunk < 4; chunk++) {
        const int stream = chunk % 2 ? A : B;
        copy("copy in", stream, in, pinned + (size_t)chunk * (BYTES / 4), BYTES / 4);
        launch("kernel", "move", stream, COUNT / 4, out + (size_t)chunk * (BYTES / 4), in);
    }
    ck_assert_uint_eq(found.count,
                      2); /* the copies with each other, and with the kernel; each pair of lines once */
    ck_assert_int_eq(found.kind, VGPU_STREAMS_WRITE_WRITE);
    ck_assert_str_eq(found.other, "copy in");
}
END_TEST

START_TEST(a_memset_on_another_stream)
{
    set("reset", FREE, out, BYTES);
    move("kernel", A, out, in);
    expect(VGPU_STREAMS_WRITE_WRITE, "kernel", "reset");
}
END_TEST

START_TEST(an_event_that_is_recorded_before_the_work)
{
    TRY(cudaEventRecord(events[0], streams[A]));
    copy("copy in", A, in, pinned, BYTES);
    TRY(cudaStreamWaitEvent(streams[B], events[0], 0));
    move("kernel", B, out, in);
    expect(VGPU_STREAMS_READ_WRITE, "kernel", "copy in");
}
END_TEST

START_TEST(an_event_that_is_never_recorded)
{
    copy("copy in", A, in, pinned, BYTES);
    TRY(cudaStreamWaitEvent(streams[B], events[0], 0));
    move("kernel", B, out, in);
    expect(VGPU_STREAMS_READ_WRITE, "kernel", "copy in");
}
END_TEST

/* A copy from pageable memory has left the host when it returns, but may not have arrived. */
START_TEST(the_default_stream_and_one_that_does_not_block)
{
    vgpu_set_caller("copy in");
    TRY(cudaMemcpy(in, pageable, BYTES, cudaMemcpyHostToDevice));
    move("kernel", FREE, out, in);
    expect(VGPU_STREAMS_READ_WRITE, "kernel", "copy in");
    ck_assert_ptr_nonnull(strstr(found.text, "cudaMemcpy on the default stream (copy in) writes them"));
}
END_TEST

START_TEST(one_byte_in_common_is_enough)
{
    launch("marks", "mark", A, 101, out, NULL);
    set("reset", B, out + 100, 8);
    expect(VGPU_STREAMS_WRITE_WRITE, "reset", "marks");
    ck_assert_ptr_nonnull(strstr(found.text, "bytes 100 to 100"));
}
END_TEST

START_TEST(a_counter_that_is_reset_while_kernels_count)
{
    launch("count", "count", A, 256, out, NULL);
    set("reset", B, out, 4);
    expect(VGPU_STREAMS_WRITE_WRITE, "reset", "count");
    ck_assert_ptr_nonnull(strstr(found.text, "changes with atomics"));
}
END_TEST

START_TEST(the_host_that_reads_too_early)
{
    copy("copy out", A, pinned, out, BYTES);
    vgpu_set_caller("the host's loop");
    vgpu_host_reads(pinned + 100, 4, "the host, which sums up,");
    expect(VGPU_HOST_TOO_EARLY, "the host's loop", "copy out");
    ck_assert_ptr_nonnull(
        strstr(found.text, "the host, which sums up, (the host's loop) reads bytes 100 to 103"));
}
END_TEST

START_TEST(a_host_buffer_that_is_used_again_too_early)
{
    copy("copy in", A, in, pinned, BYTES);
    vgpu_set_caller("next chunk");
    vgpu_host_reads(pinned, BYTES, NULL); /* both only read */
    expect_silence();
    vgpu_host_writes(pinned, BYTES, NULL);
    expect(VGPU_HOST_TOO_EARLY, "next chunk", "copy in");
}
END_TEST

START_TEST(a_host_buffer_that_a_second_copy_overwrites)
{
    copy("copy in", A, in, pinned, BYTES);
    vgpu_set_caller("copy out");
    TRY(cudaMemcpyAsync(pinned, out, BYTES, cudaMemcpyDeviceToHost, streams[FREE]));
    expect(VGPU_STREAMS_READ_WRITE, "copy out", "copy in");
}
END_TEST

START_TEST(pinned_memory_that_is_freed_while_it_is_copied)
{
    copy("copy out", A, pinned, out, BYTES);
    vgpu_set_caller("free");
    TRY(cudaFreeHost(pinned));
    expect(VGPU_HOST_TOO_EARLY, "free", "copy out");
}
END_TEST

START_TEST(memory_that_is_freed_while_another_stream_uses_it)
{
    char *own;
    TRY(cudaMallocAsync((void **)&own, BYTES, streams[A]));
    follow(B, A, 0);
    move("kernel", B, own, in);
    vgpu_set_caller("free");
    TRY(cudaFreeAsync(own, streams[A]));
    expect(VGPU_STREAMS_MEMORY, "free", "kernel");
}
END_TEST

START_TEST(memory_that_another_stream_has_not_allocated_yet)
{
    char *own;
    vgpu_set_caller("allocation");
    TRY(cudaMallocAsync((void **)&own, BYTES, streams[A]));
    set("reset", FREE, own, BYTES);
    expect(VGPU_STREAMS_MEMORY, "reset", "allocation");
}
END_TEST

/* Only what its own stream was given: the default stream's work came later. */
START_TEST(a_stream_that_is_waited_for_instead_of_the_default_one)
{
    copy("copy in", A, in, pinned, BYTES);
    copy("copy out", LEGACY, pinned_out, out, BYTES);
    TRY(cudaStreamSynchronize(streams[A]));
    vgpu_host_writes(pinned, BYTES, NULL);
    expect_silence();
    vgpu_set_caller("host");
    vgpu_host_reads(pinned_out, BYTES, NULL);
    expect(VGPU_HOST_TOO_EARLY, "host", "copy out");
}
END_TEST

/* ------------------------------------------------------------------------------------------- graphs */

/* Captures copy in, kernel, copy out over two streams; is_joined: the kernel waits for the copy. */
static void capture(bool is_joined)
{
    TRY(cudaStreamBeginCapture(streams[A], cudaStreamCaptureModeGlobal));
    if (!is_joined)
        follow(B, A, 0);
    copy("copy in", A, in, pinned, BYTES);
    if (is_joined)
        follow(B, A, 0);
    move("kernel", B, out, in);
    copy("copy out", B, pinned_out, out, BYTES);
    follow(A, B, 1);
    TRY(cudaStreamEndCapture(streams[A], &graph));
    TRY(cudaGraphInstantiate(&exec, graph, 0));
    vgpu_set_caller("graph launch");
}

START_TEST(a_graph_with_a_missing_dependence)
{
    capture(false);
    TRY(cudaGraphLaunch(exec, streams[A]));
    expect(VGPU_GRAPH_NODES, "kernel", "copy in");
    ck_assert_ptr_nonnull(strstr(found.text, "kernel `move` in a graph (kernel) reads"));
}
END_TEST

START_TEST(a_graph_beside_other_work)
{
    capture(true);
    set("reset", FREE, in, BYTES);
    TRY(cudaGraphLaunch(exec, streams[A]));
    ck_assert_uint_eq(found.count, 1);
    ck_assert_int_eq(found.kind, VGPU_STREAMS_WRITE_WRITE);
    ck_assert_str_eq(found.place, "copy in");
    ck_assert_str_eq(found.other, "reset");
}
END_TEST

START_TEST(a_captured_graph_is_ordered_as_its_streams_were)
{
    capture(true);
    for (int i = 0; i < 3; i++)
        TRY(cudaGraphLaunch(exec, streams[i % 2 ? A : FREE])); /* launches of one graph do not overlap */
    TRY(cudaStreamSynchronize(streams[FREE]));
    vgpu_host_reads(pinned_out, BYTES, NULL);
    expect_silence();
}
END_TEST

START_TEST(a_stream_goes_on_behind_all_nodes_of_a_graph)
{
    capture(true);
    TRY(cudaGraphLaunch(exec, streams[FREE]));
    move("kernel behind", FREE, in, out);
    TRY(cudaStreamSynchronize(streams[FREE]));
    vgpu_host_writes(pinned, BYTES, NULL);
    expect_silence();
}
END_TEST

/* ------------------------------------------------------------------------------------------- silence */

START_TEST(fork_and_join_by_events)
{
    copy("copy in", FREE, in, pinned, BYTES);
    follow(A, FREE, 0);
    follow(B, FREE, 1);
    launch("left", "move", A, COUNT / 2, out, in);
    launch("right", "move", B, COUNT / 2, out + HALF, in + HALF);
    follow(FREE, A, 2);
    follow(FREE, B, 3);
    copy("copy out", FREE, pinned_out, out, BYTES);
    TRY(cudaStreamSynchronize(streams[FREE]));
    vgpu_host_reads(pinned_out, BYTES, NULL);
    expect_silence();
}
END_TEST

START_TEST(an_event_may_be_recorded_again)
{
    for (int i = 0; i < 5; i++) {
        copy("copy in", FREE, in, pinned, BYTES);
        follow(A, FREE, 0);
        move("kernel", A, out, in);
        follow(FREE, A, 1);
    }
    expect_silence();
}
END_TEST

START_TEST(the_default_stream_waits_for_blocking_ones_and_they_for_it)
{
    copy("copy in", A, in, pinned, BYTES);
    move("kernel", LEGACY, out, in);
    copy("copy out", B, pinned_out, out, BYTES);
    vgpu_set_caller("copy back");
    TRY(cudaMemcpy(pageable, pinned_out, BYTES, cudaMemcpyDefault));
    vgpu_host_writes(pinned, BYTES, NULL); /* a copy that waits has waited for all of them */
    expect_silence();
}
END_TEST

static void wait_for_stream(void)
{
    TRY(cudaStreamSynchronize(streams[A]));
}
static void wait_for_event(void)
{
    TRY(cudaEventRecord(events[0], streams[A]));
    TRY(cudaEventSynchronize(events[0]));
}
static void wait_for_device(void)
{
    TRY(cudaDeviceSynchronize());
}
static void ask_stream(void)
{
    while (cudaStreamQuery(streams[A]) != cudaSuccess)
        ;
}
static void ask_event(void)
{
    TRY(cudaEventRecord(events[0], streams[A]));
    while (cudaEventQuery(events[0]) != cudaSuccess)
        ;
}
static void free_something(void)
{
    TRY(cudaFree(third));
}
static void copy_and_wait(void)
{
    TRY(cudaMemcpy(pageable, third, 4, cudaMemcpyDeviceToHost));
}
static void copy_to_pageable(void)
{
    TRY(cudaMemcpyAsync(pageable, third, 4, cudaMemcpyDeviceToHost, streams[A]));
}
static void nothing(void *unused)
{
    (void)unused;
}
static void be_told(void)
{
    TRY(cudaLaunchHostFunc(streams[A], nothing, NULL));
}
static void (*const waits[])(void) = {wait_for_stream, wait_for_event,   wait_for_device,
                                      ask_stream,      ask_event,        free_something,
                                      copy_and_wait,   copy_to_pageable, be_told};

START_TEST(whatever_comes_behind_a_wait_is_ordered)
{
    copy("copy in", A, in, pinned, BYTES);
    move("kernel", A, out, in);
    copy("copy out", A, pinned_out, out, BYTES);
    waits[_i]();
    vgpu_set_caller("behind");
    vgpu_host_reads(pinned_out, BYTES, NULL);
    vgpu_host_writes(pinned, BYTES, NULL);
    copy("second copy in", FREE, in, pinned, BYTES);
    move("second kernel", FREE, out, in);
    expect_silence();
}
END_TEST

START_TEST(chunks_with_buffers_of_their_own)
{
    for (int chunk = 0; chunk < 8; chunk++) {
        const int stream = chunk % 2 ? A : B;
        const size_t at = chunk % 2 ? HALF : 0;
        copy("copy in", stream, in + at, pinned + at, HALF);
        launch("kernel", "move", stream, COUNT / 2, out + at, in + at);
        copy("copy out", stream, pinned_out + at, out + at, HALF);
    }
    expect_silence();
}
END_TEST

START_TEST(reads_are_shared)
{
    copy("copy in", A, in, pinned, BYTES);
    TRY(cudaStreamSynchronize(streams[A]));
    move("one kernel", A, out, in);
    move("another kernel", FREE, third, in);
    copy("copy within", B, pinned_out, in, BYTES);
    copy("copy of the host's", FREE, third, pinned, 4);
    vgpu_host_reads(pinned, BYTES, NULL);
    expect_silence();
}
END_TEST

START_TEST(atomics_of_two_streams_on_one_counter)
{
    launch("count", "count", A, 256, out, NULL);
    launch("count too", "count", FREE, 256, out, NULL);
    expect_silence();
}
END_TEST

START_TEST(bytes_side_by_side_in_a_word)
{
    launch("left", "mark", A, 101, out, NULL);
    launch("right", "mark", FREE, 101, out + 101, NULL);
    set("reset", B, out + 202, 11);
    expect_silence();
}
END_TEST

START_TEST(rows_side_by_side)
{
    vgpu_set_caller("left columns");
    TRY(cudaMemcpy2DAsync(in, 64, pinned, 64, 32, 64, cudaMemcpyDefault, streams[A]));
    vgpu_set_caller("right columns");
    TRY(cudaMemset2DAsync(in + 32, 64, 1, 32, 64, streams[FREE]));
    expect_silence();
}
END_TEST

/* The second one may have seen that the first one was ready. */
START_TEST(kernels_with_a_flag_of_their_own)
{
    launch("tell", "tell", A, 1, out, third);
    launch("hear", "hear", FREE, 1, out, third);
    expect_silence();
}
END_TEST

/* The host may have looked at it. */
START_TEST(a_kernel_that_sets_a_flag_for_the_host)
{
    launch("tell", "tell", A, 1, out, pinned);
    copy("copy out", FREE, pinned_out, out, 4);
    expect_silence();
}
END_TEST

START_TEST(pageable_memory_is_free_when_the_call_returns)
{
    copy("copy in", A, in, pageable, BYTES);
    vgpu_host_writes(pageable, BYTES, NULL);
    copy("copy out", FREE, pageable, out, BYTES);
    vgpu_host_reads(pageable, BYTES, NULL);
    expect_silence();
}
END_TEST

START_TEST(memory_in_the_order_of_one_stream)
{
    char *own;
    TRY(cudaMallocAsync((void **)&own, BYTES, streams[A]));
    set("reset", A, own, BYTES);
    follow(B, A, 0);
    move("kernel", B, own, in);
    follow(A, B, 1);
    TRY(cudaFreeAsync(own, streams[A]));
    expect_silence();
}
END_TEST

/* Work that is too much to be remembered: less is found, nothing wrong. */
START_TEST(thousands_of_operations)
{
    for (int i = 0; i < 3000; i++)
        set("reset", A, in + i % COUNT, 1);
    move("kernel", A, out, in);
    follow(FREE, A, 0);
    copy("copy out", FREE, pinned_out, out, BYTES);
    expect_silence();
}
END_TEST

/* ------------------------------------------------------------------------------------------- callers */

START_TEST(calls_are_made_on_behalf_of_a_place)
{
    char text[80];
    vgpu_set_caller("lab8.cu:41");
    ck_assert(vgpu_caller(text, sizeof text));
    ck_assert_str_eq(text, "lab8.cu:41");
    ck_assert_int_eq(cudaMemcpy(in, pageable, BYTES + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_assert_str_eq(found.place, "lab8.cu:41");
    vgpu_set_caller(NULL);
    vgpu_caller(text, sizeof text);
    ck_assert_str_ne(text, "lab8.cu:41");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("order");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_kernel_that_does_not_wait_for_its_input);
    tcase_add_test(tests, a_copy_out_that_does_not_wait_for_the_kernel);
    tcase_add_test(tests, a_buffer_that_two_chunks_share);
    tcase_add_test(tests, a_memset_on_another_stream);
    tcase_add_test(tests, an_event_that_is_recorded_before_the_work);
    tcase_add_test(tests, an_event_that_is_never_recorded);
    tcase_add_test(tests, the_default_stream_and_one_that_does_not_block);
    tcase_add_test(tests, one_byte_in_common_is_enough);
    tcase_add_test(tests, a_counter_that_is_reset_while_kernels_count);
    tcase_add_test(tests, the_host_that_reads_too_early);
    tcase_add_test(tests, a_host_buffer_that_is_used_again_too_early);
    tcase_add_test(tests, a_host_buffer_that_a_second_copy_overwrites);
    tcase_add_test(tests, pinned_memory_that_is_freed_while_it_is_copied);
    tcase_add_test(tests, memory_that_is_freed_while_another_stream_uses_it);
    tcase_add_test(tests, memory_that_another_stream_has_not_allocated_yet);
    tcase_add_test(tests, a_stream_that_is_waited_for_instead_of_the_default_one);
    tcase_add_test(tests, a_graph_with_a_missing_dependence);
    tcase_add_test(tests, a_graph_beside_other_work);
    tcase_add_test(tests, a_captured_graph_is_ordered_as_its_streams_were);
    tcase_add_test(tests, a_stream_goes_on_behind_all_nodes_of_a_graph);
    tcase_add_test(tests, fork_and_join_by_events);
    tcase_add_test(tests, an_event_may_be_recorded_again);
    tcase_add_test(tests, the_default_stream_waits_for_blocking_ones_and_they_for_it);
    tcase_add_loop_test(tests, whatever_comes_behind_a_wait_is_ordered, 0, sizeof waits / sizeof *waits);
    tcase_add_test(tests, chunks_with_buffers_of_their_own);
    tcase_add_test(tests, reads_are_shared);
    tcase_add_test(tests, atomics_of_two_streams_on_one_counter);
    tcase_add_test(tests, bytes_side_by_side_in_a_word);
    tcase_add_test(tests, rows_side_by_side);
    tcase_add_test(tests, kernels_with_a_flag_of_their_own);
    tcase_add_test(tests, a_kernel_that_sets_a_flag_for_the_host);
    tcase_add_test(tests, pageable_memory_is_free_when_the_call_returns);
    tcase_add_test(tests, memory_in_the_order_of_one_stream);
    tcase_add_test(tests, thousands_of_operations);
    tcase_add_test(tests, calls_are_made_on_behalf_of_a_place);
    return run_tests("order", tests);
}
