/* test_watch.c - vgpu.h's watcher, the libraries that programs load at run time, sampled execution, and what is used.
 * The device code is PTX text, so that nothing here needs nvcc. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "vgpu.h"

/* Every thread adds its argument to its element; thread 0 of block 0 counts calls in a variable. */
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".file 1 \"/home/somebody/add.cu\"\n.file 2 \"/usr/local/cuda/include/vector.h\"\n"
    ".visible .global .align 4 .u32 calls = 5;\n"
    ".visible .entry add(.param .u64 data, .param .u32 value, .param .u32 n)\n{\n"
    ".reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n"
    ".loc 1 10 0\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "ld.param.u32 %r5, [n];\nsetp.ge.u32 %p1, %r4, %r5;\n@%p1 bra DONE;\n"
    ".loc 1 12 0\n"
    "ld.param.u64 %rd1, [data];\nmul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
    "ld.param.u32 %r6, [value];\nld.global.u32 %r7, [%rd3];\nadd.u32 %r7, %r7, %r6;\n"
    ".loc 2 99 0, function_name calls, inlined_at 1 13 0\n"
    "st.global.u32 [%rd3], %r7;\n"
    "DONE:\nret;\n}\n";

/* Lane t of a warp stores 4 bytes at 8 t and loads those at 128 (t % 4), the second half adds atomically to 4 bytes at 0, and
 * 4 lanes store 8 bytes each at 256 t. */
static const char shared_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry banks()\n{\n.shared .align 8 .b8 place[1024];\n"
    ".reg .b32 %r<9>;\n.reg .b64 %rd<2>;\n.reg .pred %p<3>;\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r8, place;\nmad.lo.u32 %r2, %r1, 8, %r8;\nst.shared.u32 [%r2], %r1;\n"
    "and.b32 %r3, %r1, 3;\nmad.lo.u32 %r3, %r3, 128, %r8;\nld.volatile.shared.u32 %r4, [%r3];\n"
    "setp.ge.u32 %p1, %r1, 16;\n@%p1 red.shared.add.u32 [place], 2;\n"
    "setp.lt.u32 %p2, %r1, 4;\nmov.u64 %rd1, 7;\nmad.lo.u32 %r5, %r1, 256, %r8;\n@%p2 st.shared.u64 [%r5], "
    "%rd1;\n"
    "ret;\n}\n";

/* Every thread stores 1 to the first word of a sector of its own. */
static const char sparse_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry sparse(.param .u64 data)\n{\n.reg .b32 %r<5>;\n.reg .b64 %rd<4>;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "ld.param.u64 %rd1, [data];\nmul.wide.u32 %rd2, %r4, 32;\nadd.u64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3], 1;\nret;\n}\n";

/* draw: each block adds 1 to a counter twice, and word 1 + block becomes what it found first.
 * follow: each block waits until the word before its own is 1, then sets its own. */
static const char orders_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry draw(.param .u64 data)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [data];\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, "
    "%rd2;\n"
    "atom.global.add.u32 %r2, [%rd1], 1;\natom.global.add.u32 %r3, [%rd1], 1;\n"
    "st.global.u32 [%rd3+4], %r2;\nst.global.u32 [%rd3+1024], %r3;\nret;\n}\n"
    ".visible .entry follow(.param .u64 data)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [data];\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, "
    "%rd2;\n"
    "AGAIN:\nld.volatile.global.u32 %r2, [%rd3];\nsetp.ne.u32 %p1, %r2, 1;\n@%p1 bra AGAIN;\n"
    "st.volatile.global.u32 [%rd3+4], 1;\nret;\n}\n";

enum { MOST_LINES = 8 };
struct seen_line {
    char file[40];
    unsigned line;
    double loads, stores;
};

struct seen {
    struct seen_line lines[MOST_LINES];
    size_t nlines;
    unsigned different; /* counters that are not the sum of their lines */
    unsigned launches, messages, operations[VGPU_OTHER + 1];
    double instructions, sectors, time_us;
    double conflicts, written, dram;
    struct vgpu_operation last;
    uint64_t first_argument;
    char title[100];
    char executed[40]; /* a digit for each instruction */
};

static double counter(const struct vgpu_launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->ncounters; i++)
        if (strcmp(launch->names[i], name) == 0)
            return launch->values[i];
    ck_abort_msg("no counter %s", name);
}

static size_t index_of(const struct vgpu_launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->ncounters; i++)
        if (strcmp(launch->names[i], name) == 0)
            return i;
    ck_abort_msg("no counter %s", name);
}

/* Counters from warp_instructions to texture_sectors are sums over instructions; those behind are of the launch. */
static void look_at_lines(struct seen *seen, const struct vgpu_launch *launch)
{
    const size_t end = index_of(launch, "l2_sectors");
    seen->nlines = launch->nlines < MOST_LINES ? launch->nlines : MOST_LINES;
    for (size_t k = 0; k < seen->nlines; k++) {
        const struct vgpu_line *line = &launch->lines[k];
        snprintf(seen->lines[k].file, sizeof seen->lines[k].file, "%s", line->file);
        seen->lines[k].line = line->line;
        seen->lines[k].loads = line->values[index_of(launch, "global_load_requests")];
        seen->lines[k].stores = line->values[index_of(launch, "global_store_sectors")];
    }
    seen->different = 0;
    for (size_t i = 0; i < end; i++) {
        double sum = 0;
        for (size_t k = 0; k < launch->nlines; k++)
            sum += launch->lines[k].values[i];
        seen->different += sum != launch->values[i];
    }
}

static void launched(void *context, const struct vgpu_launch *launch)
{
    struct seen *seen = context;
    look_at_lines(seen, launch);
    seen->launches++;
    seen->instructions = counter(launch, "warp_instructions");
    seen->sectors = counter(launch, "global_load_sectors");
    seen->conflicts = counter(launch, "shared_conflicts");
    seen->written = counter(launch, "shared_written_bytes");
    seen->dram = counter(launch, "dram_read_bytes");
    seen->time_us = launch->time_us;
    for (size_t i = 0; i <= launch->ninstructions && i < sizeof seen->executed; i++)
        seen->executed[i] = (char)(i < launch->ninstructions ? '0' + launch->executed[i] : 0);
}

static void operation(void *context, const struct vgpu_operation *operation)
{
    struct seen *seen = context;
    seen->operations[operation->kind]++;
    seen->last = *operation;
    if (operation->kind == VGPU_LAUNCH && operation->narguments)
        memcpy(&seen->first_argument, operation->arguments + operation->argument_offsets[0], 8);
}

static void message(void *context, const struct vgpu_message *message)
{
    struct seen *seen = context;
    if (seen->messages++ == 0)
        snprintf(seen->title, sizeof seen->title, "%s", message->title);
}

static struct seen seen;
static cudaLibrary_t library;
static cudaKernel_t kernel;
static unsigned *data;
enum { COUNT = 1 << 20, BLOCK = 128 };

static void begin(void)
{
    seen = (struct seen){0};
    vgpu_watch(&(struct vgpu_watcher){.context = &seen,
                                      .wants_lines = true,
                                      .message = message,
                                      .launched = launched,
                                      .operation = operation});
    ck_assert_int_eq(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    ck_assert_int_eq(cudaLibraryGetKernel(&kernel, library, "add"), cudaSuccess);
    ck_assert_int_eq(cudaMalloc((void **)&data, COUNT * sizeof *data), cudaSuccess);
    cudaMemset(data, 0, COUNT * sizeof *data);
}

static void end(void)
{
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    vgpu_watch(NULL);
    ck_assert_int_eq(cudaFree(data), cudaSuccess);
    ck_assert_int_eq(cudaLibraryUnload(library), cudaSuccess);
}

static cudaError_t add(unsigned value, unsigned n, unsigned blocks)
{
    void *args[] = {&data, &value, &n};
    return cudaLaunchKernel((const void *)kernel, (dim3){blocks, 1, 1}, (dim3){BLOCK, 1, 1}, args, 0, NULL);
}

static unsigned element(unsigned i)
{
    unsigned value = 0;
    ck_assert_int_eq(cudaMemcpy(&value, data + i, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
}

START_TEST(a_library_of_ptx_text_runs)
{
    begin();
    ck_assert_int_eq(add(7, COUNT, COUNT / BLOCK), cudaSuccess);
    ck_assert_uint_eq(element(0), 7);
    ck_assert_uint_eq(element(COUNT - 1), 7);
    end();
}
END_TEST

START_TEST(its_variables_have_addresses_sizes_and_initial_values)
{
    void *address;
    size_t bytes;
    unsigned value = 0;
    begin();
    ck_assert_int_eq(cudaLibraryGetGlobal(&address, &bytes, library, "calls"), cudaSuccess);
    ck_assert_uint_eq(bytes, 4);
    cudaMemcpy(&value, address, 4, cudaMemcpyDeviceToHost);
    ck_assert_uint_eq(value, 5);
    ck_assert_int_eq(cudaLibraryGetGlobal(&address, &bytes, library, "nobody"), cudaErrorSymbolNotFound);
    ck_assert_int_eq(cudaLibraryGetKernel(&kernel, library, "calls"), cudaErrorSymbolNotFound);
    cudaGetLastError();
    end();
}
END_TEST

START_TEST(an_unloaded_library_is_gone)
{
    begin();
    end();
    ck_assert_int_eq(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
    ck_assert_int_eq(cudaLibraryGetKernel(&kernel, library, "add"), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}
END_TEST

/* The text in a container, and `blanks` of them behind it: each number of blanks is another library. */
static void fill_container(char *out, size_t blanks)
{
    enum { HEADER = 16, ENTRY = 64, PTX = 1 };
    const uint64_t padded = (sizeof ptx - 1 + blanks + 7) / 8 * 8;
    memset(out, 0, HEADER + ENTRY);
    memcpy(out, "\x50\xed\x55\xba\x01\0\x10\0", 8);
    memcpy(out + 8, &(uint64_t){ENTRY + padded}, 8);
    memcpy(out + HEADER, &(uint16_t){PTX}, 2);
    memcpy(out + HEADER + 4, &(uint32_t){ENTRY}, 4);
    memcpy(out + HEADER + 8, &padded, 8);
    memcpy(out + HEADER + 28, &(uint32_t){75}, 4);
    memset(out + HEADER + ENTRY, ' ', padded);
    memcpy(out + HEADER + ENTRY, ptx, sizeof ptx - 1);
}

START_TEST(a_library_that_is_loaded_again_begins_as_it_was_compiled)
{
    char container[sizeof ptx + 500];
    for (size_t i = 0; i < 30; i++) {
        void *address;
        unsigned value = 0, other = 77;
        fill_container(container, i % 3 * 8 + (i == 10 ? 200 : 0));
        ck_assert_int_eq(cudaLibraryLoadData(&library, container, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
        memset(container, 0, sizeof container);
        ck_assert_int_eq(cudaLibraryGetKernel(&kernel, library, "add"), cudaSuccess);
        ck_assert_int_eq(cudaLibraryGetGlobal(&address, NULL, library, "calls"), cudaSuccess);
        cudaMemcpy(&value, address, 4, cudaMemcpyDeviceToHost);
        ck_assert_uint_eq(value, 5);
        cudaMemcpy(address, &other, 4, cudaMemcpyHostToDevice);
        ck_assert_int_eq(cudaMalloc((void **)&data, COUNT * sizeof *data), cudaSuccess);
        cudaMemset(data, 0, COUNT * sizeof *data);
        ck_assert_int_eq(add(7, COUNT, 1), cudaSuccess);
        ck_assert_uint_eq(element(BLOCK - 1), 7);
        end();
    }
}
END_TEST

START_TEST(garbage_is_no_library)
{
    ck_assert_int_eq(cudaLibraryLoadData(&library, "no device code at all", NULL, NULL, 0, NULL, NULL, 0),
                     cudaErrorInvalidPtx);
    cudaGetLastError();
}
END_TEST

/* What a library may be read from, and what it gives. A wrapper holds a pointer, which means nothing in a file. */
#define CONTAINER(size) "\x50\xed\x55\xba\x01\0\x10\0" size "\0\0\0\0\0\0"
static const struct {
    const char *bytes;
    size_t size;
    cudaError_t error;
} files[] = {
    {ptx, sizeof ptx - 1, cudaSuccess},
    {"", 0, cudaErrorInvalidKernelImage},
    {"PTX", 3, cudaErrorInvalidPtx},
    {CONTAINER("\x00\x10"), 16, cudaErrorInvalidKernelImage}, /* 4096 bytes that are not there */
    {CONTAINER("\x00\x10"), 12, cudaErrorInvalidKernelImage},
    {CONTAINER("\0\0"), 16, cudaErrorNoKernelImageForDevice},
    {"\xb1\x43\x62\x46\x01\0\0\0\x10\0\0\0\0\0\0\0", 16, cudaErrorInvalidPtx},
    {"\177ELF", 4, cudaErrorNotSupported},
};

START_TEST(a_library_from_a_file_is_read_no_further_than_the_file)
{
    char path[] = "/tmp/vgpu.library.XXXXXX";
    FILE *file = fdopen(mkstemp(path), "wb");
    fwrite(files[_i].bytes, 1, files[_i].size, file);
    fclose(file);
    ck_assert_int_eq(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), files[_i].error);
    if (!files[_i].error)
        ck_assert_int_eq(cudaLibraryUnload(library), cudaSuccess);
    remove(path);
    ck_assert_int_eq(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0),
                     cudaErrorFileNotFound);
    ck_assert_int_eq(cudaLibraryLoadFromFile(&library, "/tmp", NULL, NULL, 0, NULL, NULL, 0),
                     cudaErrorInvalidKernelImage);
    cudaGetLastError();
}
END_TEST

START_TEST(the_watcher_sees_operations_with_their_arguments)
{
    begin();
    add(1, COUNT, 4);
    cudaDeviceSynchronize();
    ck_assert_uint_eq(seen.operations[VGPU_ALLOC], 1);
    ck_assert_uint_eq(seen.operations[VGPU_SET], 1);
    ck_assert_uint_eq(seen.operations[VGPU_LAUNCH], 1);
    ck_assert_uint_eq(seen.operations[VGPU_SYNC], 1);
    ck_assert_uint_eq(seen.first_argument, (uint64_t)(uintptr_t)data);
    ck_assert_uint_eq(seen.launches, 1);
    end();
}
END_TEST

static struct vgpu_span spans[8];
static size_t nspans;

static void timed(void *context, const struct vgpu_span *span)
{
    (void)context;
    if (nspans < sizeof spans / sizeof *spans)
        spans[nspans++] = *span;
    if (span->kind == VGPU_SPAN_KERNEL)
        ck_assert_str_eq(span->name, "add");
}

static bool overlap(const struct vgpu_span *a, const struct vgpu_span *b)
{
    return a->start_us < b->end_us && b->start_us < a->end_us;
}

/* Two streams copy in, compute and copy out: one engine does one copy at a time, what a stream does comes in order, and the second
 * copy in passes while the first stream computes. */
START_TEST(the_watcher_sees_when_engines_work)
{
    const size_t half = COUNT / 2 * sizeof *data;
    cudaStream_t streams[2];
    unsigned *host, value = 1, n = COUNT / 2;
    begin();
    ck_assert_int_eq(cudaMallocHost((void **)&host, 2 * half), cudaSuccess);
    nspans = 0;
    vgpu_watch(&(struct vgpu_watcher){.timed = timed});
    for (int i = 0; i < 2; i++) {
        unsigned *part = data + i * (COUNT / 2);
        void *args[] = {&part, &value, &n};
        ck_assert_int_eq(cudaStreamCreate(&streams[i]), cudaSuccess);
        ck_assert_int_eq(cudaMemcpyAsync(part, host, half, cudaMemcpyHostToDevice, streams[i]), cudaSuccess);
        cudaLaunchKernel((const void *)kernel, (dim3){n / BLOCK, 1, 1}, (dim3){BLOCK, 1, 1}, args, 0,
                         streams[i]);
        cudaMemcpyAsync(host, part, half, cudaMemcpyDeviceToHost, streams[i]);
    }
    cudaDeviceSynchronize();
    ck_assert_uint_eq(nspans, 6);
    for (int i = 0; i < 2; i++) {
        const struct vgpu_span *own = spans + 3 * i;
        ck_assert_int_eq(own[0].kind, VGPU_SPAN_TO_DEVICE);
        ck_assert_int_eq(own[1].kind, VGPU_SPAN_KERNEL);
        ck_assert_int_eq(own[2].kind, VGPU_SPAN_TO_HOST);
        ck_assert_uint_eq(own[0].bytes, half);
        for (int k = 0; k < 3; k++) {
            ck_assert_uint_eq(own[k].stream, own[0].stream);
            ck_assert_double_gt(own[k].end_us, own[k].start_us);
            ck_assert(k == 0 || own[k].start_us >= own[k - 1].end_us);
        }
        cudaStreamDestroy(streams[i]);
    }
    ck_assert_uint_ne(spans[0].stream, spans[3].stream);
    ck_assert(!overlap(&spans[0], &spans[3]));
    ck_assert(!overlap(&spans[2], &spans[5]));
    ck_assert(overlap(&spans[1], &spans[3]));
    cudaFreeHost(host);
    end();
}
END_TEST

START_TEST(the_watcher_gets_messages_instead_of_stderr)
{
    begin();
    add(1, COUNT + 1, COUNT / BLOCK + 1);
    ck_assert_uint_ge(seen.messages, 1);
    ck_assert_str_eq(seen.title, "out of bounds read in global memory");
    vgpu_watch(NULL);
    cudaDeviceReset();
}
END_TEST

/* By hand: stores at stride 2 take 2 passes (1 more than needed), loads of 4 words of one bank 4 (3), 16 lanes that add 2 to one
 * word 16 (15; only those that add 1 are counted first), 4 lanes of 8 bytes in one bank 4 (3). Written are 32 * 4 + 16 * 4 + 4 * 8 bytes. */
START_TEST(conflicts_of_all_kinds_of_accesses_add_up)
{
    cudaLibrary_t other;
    cudaKernel_t banks;
    begin();
    ck_assert_int_eq(cudaLibraryLoadData(&other, shared_ptx, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    ck_assert_int_eq(cudaLibraryGetKernel(&banks, other, "banks"), cudaSuccess);
    ck_assert_int_eq(cudaLaunchKernel((const void *)banks, (dim3){3, 1, 1}, (dim3){32, 1, 1}, NULL, 0, NULL),
                     cudaSuccess);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
    ck_assert_double_eq(seen.conflicts, 3 * (1 + 3 + 15 + 3));
    ck_assert_double_eq(seen.written, 3 * (32 * 4 + 16 * 4 + 4 * 8));
    end();
}
END_TEST

START_TEST(counters_per_line_add_up_to_the_launch_and_name_the_programs_own_lines)
{
    begin();
    ck_assert_int_eq(add(7, COUNT, COUNT / BLOCK), cudaSuccess);
    ck_assert_uint_eq(seen.nlines, 3);
    ck_assert_uint_eq(seen.different, 0);
    static const unsigned lines[] = {10, 12, 13}; /* 13 calls what a header of the toolkit holds */
    for (size_t i = 0; i < seen.nlines; i++) {
        ck_assert_str_eq(seen.lines[i].file, "/home/somebody/add.cu");
        ck_assert_uint_eq(seen.lines[i].line, lines[i]);
        ck_assert_double_eq(seen.lines[i].loads, i == 1 ? COUNT / 32 : 0);
        ck_assert_double_eq(seen.lines[i].stores, i == 2 ? COUNT / 8 : 0);
    }
    end();
}
END_TEST

START_TEST(nothing_is_executed_when_nothing_should_be)
{
    begin();
    vgpu_set_execution(VGPU_EXECUTE_NONE);
    ck_assert_int_eq(add(1, COUNT, COUNT / BLOCK), cudaSuccess);
    ck_assert_uint_eq(seen.launches, 0);
    ck_assert_uint_eq(seen.operations[VGPU_LAUNCH], 1);
    ck_assert_uint_eq(element(0), 0);
    end();
}
END_TEST

/* All blocks do the same here, so a sample must give the very numbers of the whole. */
START_TEST(a_sample_counts_what_the_whole_grid_would)
{
    begin();
    add(1, COUNT, COUNT / BLOCK); /* finds an empty L2 cache, as a sample does */
    const struct seen whole = seen;
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    add(1, COUNT, COUNT / BLOCK);
    ck_assert_double_eq(seen.instructions, whole.instructions);
    ck_assert_double_eq(seen.sectors, whole.sectors);
    ck_assert_double_eq_tol(seen.time_us, whole.time_us, 0.01 * whole.time_us);
    ck_assert_uint_eq(seen.launches, 2);
    end();
}
END_TEST

/* A kernel of a module of its own, which takes an array. */
static void launch_own_on(void *array, const char *text, const char *name, dim3 grid, unsigned threads)
{
    cudaLibrary_t own;
    cudaKernel_t found;
    void *args[] = {&array};
    ck_assert_int_eq(cudaLibraryLoadData(&own, text, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    ck_assert_int_eq(cudaLibraryGetKernel(&found, own, name), cudaSuccess);
    ck_assert_int_eq(cudaLaunchKernel((const void *)found, grid, (dim3){threads, 1, 1}, args, 0, NULL),
                     cudaSuccess);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
    ck_assert_int_eq(cudaLibraryUnload(own), cudaSuccess);
}

static void launch_own(const char *text, const char *name, unsigned blocks, unsigned threads)
{
    launch_own_on(data, text, name, (dim3){blocks, 1, 1}, threads);
}

/* Each instruction has its place in the module's text, whatever was executed before. */
START_TEST(executed_instructions_are_told_in_the_order_of_the_text)
{
    static const char expected[] = "111111111000000000"; /* draw's nine, and follow's */
    cudaLibrary_t own;
    cudaKernel_t draw, follow;
    void *args[] = {&data};
    const unsigned one = 1;
    begin();
    ck_assert_int_eq(cudaMemcpy(data, &one, sizeof one, cudaMemcpyHostToDevice), cudaSuccess);
    ck_assert_int_eq(cudaLibraryLoadData(&own, orders_ptx, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    ck_assert_int_eq(cudaLibraryGetKernel(&draw, own, "draw"), cudaSuccess);
    ck_assert_int_eq(cudaLibraryGetKernel(&follow, own, "follow"), cudaSuccess);
    if (_i) {
        ck_assert_int_eq(
            cudaLaunchKernel((const void *)follow, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL),
            cudaSuccess);
        ck_assert_str_eq(seen.executed, "000000000111111111");
    }
    ck_assert_int_eq(cudaLaunchKernel((const void *)draw, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL),
                     cudaSuccess);
    ck_assert_str_eq(seen.executed, expected);
    ck_assert_int_eq(cudaLibraryUnload(own), cudaSuccess);
    end();
}
END_TEST

/* One word of each sector: all sectors are used, and an eighth of the bytes; by the whole grid, and by a sample of it. */
START_TEST(words_used_are_told_from_sectors_touched)
{
    static const enum vgpu_execution ways[] = {VGPU_EXECUTE_ALL, VGPU_EXECUTE_SAMPLE};
    vgpu_set_use(true);
    begin();
    const uint64_t here = (uint64_t)(uintptr_t)data;
    vgpu_set_execution(ways[_i]);
    launch_own(sparse_ptx, "sparse", COUNT / 8 / BLOCK, BLOCK);
    ck_assert_double_eq(vgpu_bytes_used(here), COUNT * 4.0 / 8);
    if (ways[_i] == VGPU_EXECUTE_SAMPLE)
        ck_assert_double_eq(vgpu_sectors_used(here), COUNT * 4.0 / 32);
    const uint64_t *words = vgpu_words_used(here);
    for (unsigned i = 0; i < COUNT; i++)
        if (words[i / 64] >> i % 64 & 1)
            ck_assert_uint_eq(element(i), 1);
    vgpu_set_use(false);
    end();
}
END_TEST

/* follow loads a word and stores the next. */
START_TEST(words_stored_are_told_from_words_loaded)
{
    const unsigned one = 1;
    vgpu_set_use(true);
    begin();
    const uint64_t here = (uint64_t)(uintptr_t)data;
    ck_assert_int_eq(cudaMemcpy(data, &one, sizeof one, cudaMemcpyHostToDevice), cudaSuccess);
    launch_own(orders_ptx, "follow", 1, 1);
    ck_assert_double_eq(vgpu_bytes_used(here), 8);
    ck_assert_double_eq(vgpu_bytes_stored(here), 4);
    ck_assert_uint_eq(vgpu_words_used(here)[0], 3);
    ck_assert_uint_eq(vgpu_words_stored(here)[0], 2);
    ck_assert_uint_eq(vgpu_words_loaded(here)[0], 1);
    vgpu_set_use(false);
    end();
}
END_TEST

START_TEST(without_caches_all_else_is_counted)
{
    struct seen with;
    begin();
    add(1, COUNT, COUNT / BLOCK);
    with = seen;
    end();
    vgpu_set_caches(false);
    begin();
    vgpu_set_caches(true);
    add(1, COUNT, COUNT / BLOCK);
    ck_assert_double_gt(with.dram, 0);
    ck_assert_double_eq(seen.dram, 0);
    ck_assert_double_eq(seen.instructions, with.instructions);
    ck_assert_double_eq(seen.sectors, with.sectors);
    ck_assert_uint_eq(element(COUNT - 1), 1);
    end();
}
END_TEST

/* A warp of it takes more instructions than a sample may: word `block` becomes the number of its rounds. */
static const char long_ptx[] =
    ".version 8.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry rounds(.param .u64 data)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [data];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %ctaid.x;\n"
    "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nmov.u32 %r2, 0;\n"
    "AGAIN:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 200000;\n@%p1 bra AGAIN;\n"
    "st.global.u32 [%rd3], %r2;\nret;\n}\n";

/* The first block, which tells how many can be afforded, is not executed to its end; nobody sees that. */
START_TEST(a_long_block_is_sampled_as_a_short_one_is)
{
    begin();
    launch_own(long_ptx, "rounds", 6, 32);
    const double all = seen.instructions;
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_sample_seed(7);
    launch_own(long_ptx, "rounds", 6, 32);
    vgpu_set_sample_seed(0);
    ck_assert_double_eq(all, 6 * (6 + 3 * 200000.0 + 2));
    ck_assert_double_eq(seen.instructions, all);
    ck_assert_uint_eq(seen.messages, 0);
    unsigned done = 0;
    for (unsigned i = 0; i < 6; i++)
        done += element(i) == 200000;
    ck_assert_uint_eq(done, 6); /* those of the first launch */
    end();
}
END_TEST

/* Ten seeds do not all look at the first block, nor at the last, which is executed in any case, to see what a block takes, and leaves no
 * trace. */
START_TEST(nobody_can_tell_which_blocks_a_sample_has)
{
    unsigned first = 0, last = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        begin();
        vgpu_set_sample_seed(seed * 0x9e3779b97f4a7c15u);
        vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
        add(1, COUNT, COUNT / BLOCK);
        first += element(0);
        last += element(COUNT - 1);
        vgpu_set_sample_seed(0);
        end();
    }
    ck_assert_uint_lt(first, 10);
    ck_assert_uint_lt(last, 10);
}
END_TEST

/* A sector for each block. */
static const char sector_ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry sectors(.param .u64 data)\n{\n.reg .b64 %rd<4>;\n.reg .b32 %r<5>;\n"
    "ld.param.u64 %rd1, [data];\ncvta.to.global.u64 %rd1, %rd1;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %nctaid.x;\nmad.lo.u32 %r4, %r2, %r3, "
    "%r1;\n"
    "mul.wide.u32 %rd2, %r4, 32;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r4;\nret;\n}\n";

/* Half of the runs go down the columns of such a grid; none is looked at twice, so that the whole is a multiple of the part. */
START_TEST(runs_down_a_grid_begin_at_different_places)
{
    enum { X = 8192, Y = 16, SECTOR = 32 };
    void *array;
    vgpu_set_use(true);
    begin();
    ck_assert_int_eq(cudaMalloc(&array, (size_t)X * Y * SECTOR), cudaSuccess);
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_sample_seed(0x9e3779b97f4a7c15u * (uint64_t)(_i + 1));
    launch_own_on(array, sector_ptx, "sectors", (dim3){X, Y, 1}, 32);
    vgpu_set_sample_seed(0);
    ck_assert_double_gt(vgpu_sectors_used((uint64_t)(uintptr_t)array), 0.93 * X * Y);
    vgpu_set_use(false);
    end();
}
END_TEST

/* A million blocks of the largest size: far more than could be executed in a test. */
START_TEST(a_sample_of_a_huge_grid_is_quick_and_complete)
{
    begin();
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    add(1, COUNT, 100 * COUNT);
    ck_assert_double_gt(seen.instructions, 8.0 * 100 * COUNT * (BLOCK / 32));
    end();
}
END_TEST

static cudaError_t launch_in_order(const char *name, enum vgpu_order order, unsigned blocks, size_t shared)
{
    cudaLibrary_t own;
    cudaKernel_t found;
    void *args[] = {&data};
    ck_assert_int_eq(cudaLibraryLoadData(&own, orders_ptx, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    ck_assert_int_eq(cudaLibraryGetKernel(&found, own, name), cudaSuccess);
    vgpu_set_order(order);
    cudaLaunchKernel((const void *)found, (dim3){blocks, 1, 1}, (dim3){1, 1, 1}, args, shared, NULL);
    const cudaError_t error = cudaDeviceSynchronize();
    vgpu_set_order(VGPU_FORWARD);
    return error;
}

/* What block b of `draw` finds first: who is alone adds twice before the next one comes. */
START_TEST(blocks_run_in_the_order_that_is_asked_for)
{
    enum { BLOCKS = 64 };
    static const struct {
        enum vgpu_order order;
        unsigned first, last; /* found by the first block and by the last */
    } rows[] = {{VGPU_FORWARD, 0, 2 * (BLOCKS - 1)},
                {VGPU_BACKWARDS, 2 * (BLOCKS - 1), 0},
                {VGPU_MIXED, 0, BLOCKS - 1},
                {VGPU_CROWDED, 2 * (BLOCKS - 1), 0}};
    begin();
    ck_assert_int_eq(launch_in_order("draw", rows[_i].order, BLOCKS, 0), cudaSuccess);
    ck_assert_uint_eq(element(0), 2 * BLOCKS);
    ck_assert_uint_eq(element(1), rows[_i].first);
    ck_assert_uint_eq(element(BLOCKS), rows[_i].last);
    if (rows[_i].order == VGPU_MIXED) /* the first is held until the others have nothing left to do */
        ck_assert_uint_eq(element(1024 / 4), 2 * BLOCKS - 1);
    end();
}
END_TEST

/* In every order but the crowded one all blocks have room, and each waits until its turn has come. */
START_TEST(who_waits_for_blocks_that_begin_later_is_found_where_room_is_scarce)
{
    enum { BLOCKS = 64 };
    const unsigned one = 1;
    begin();
    cudaMemcpy(data, &one, sizeof one, cudaMemcpyHostToDevice);
    const cudaError_t error = launch_in_order("follow", (enum vgpu_order)_i, BLOCKS, 0);
    if (_i == VGPU_CROWDED) {
        ck_assert_int_ne(error, cudaSuccess);
        ck_assert_str_eq(seen.title, "deadlock: blocks wait for blocks that begin later");
        vgpu_watch(NULL);
        cudaDeviceReset();
        return;
    }
    ck_assert_int_eq(error, cudaSuccess);
    ck_assert_uint_eq(element(BLOCKS), 1);
    ck_assert_uint_eq(seen.messages, 0);
    end();
}
END_TEST

/* More blocks than the GPU holds, and each waits for the one before it: on a GPU that has begun earlier. */
START_TEST(who_waits_for_blocks_that_begin_earlier_on_a_gpu_waits_in_no_order_for_ever)
{
    enum { BLOCKS = 600 }; /* with so much shared memory an H200 holds 528 */
    const unsigned one = 1;
    begin();
    cudaMemcpy(data, &one, sizeof one, cudaMemcpyHostToDevice);
    ck_assert_int_eq(launch_in_order("follow", (enum vgpu_order)_i, BLOCKS, 48 << 10), cudaSuccess);
    ck_assert_uint_eq(element(BLOCKS), 1);
    ck_assert_uint_eq(seen.messages, 0);
    end();
}
END_TEST

START_TEST(places_are_found_and_the_end_of_an_array_belongs_to_it)
{
    struct vgpu_place place;
    begin();
    const uint64_t here = (uint64_t)(uintptr_t)data;
    ck_assert(vgpu_locate(here + 100, &place));
    ck_assert_uint_eq(place.base, here);
    ck_assert_uint_eq(place.size, COUNT * sizeof *data);
    ck_assert(vgpu_locate(here + COUNT * sizeof *data, &place));
    ck_assert_uint_eq(place.base, here);
    ck_assert(!vgpu_locate(12345, &place));
    end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("watch");
    tcase_add_test(tests, a_library_of_ptx_text_runs);
    tcase_add_test(tests, its_variables_have_addresses_sizes_and_initial_values);
    tcase_add_test(tests, an_unloaded_library_is_gone);
    tcase_add_test(tests, a_library_that_is_loaded_again_begins_as_it_was_compiled);
    tcase_add_test(tests, garbage_is_no_library);
    tcase_add_loop_test(tests, a_library_from_a_file_is_read_no_further_than_the_file, 0,
                        sizeof files / sizeof *files);
    tcase_add_test(tests, the_watcher_sees_operations_with_their_arguments);
    tcase_add_test(tests, the_watcher_sees_when_engines_work);
    tcase_add_test(tests, the_watcher_gets_messages_instead_of_stderr);
    tcase_add_test(tests, conflicts_of_all_kinds_of_accesses_add_up);
    tcase_add_test(tests, counters_per_line_add_up_to_the_launch_and_name_the_programs_own_lines);
    tcase_add_test(tests, nothing_is_executed_when_nothing_should_be);
    tcase_add_test(tests, a_sample_counts_what_the_whole_grid_would);
    tcase_add_test(tests, without_caches_all_else_is_counted);
    tcase_add_test(tests, a_long_block_is_sampled_as_a_short_one_is);
    tcase_add_loop_test(tests, executed_instructions_are_told_in_the_order_of_the_text, 0, 2);
    tcase_add_loop_test(tests, words_used_are_told_from_sectors_touched, 0, 2);
    tcase_add_test(tests, words_stored_are_told_from_words_loaded);
    tcase_add_test(tests, nobody_can_tell_which_blocks_a_sample_has);
    tcase_add_loop_test(tests, runs_down_a_grid_begin_at_different_places, 0, 3);
    tcase_add_test(tests, a_sample_of_a_huge_grid_is_quick_and_complete);
    tcase_add_loop_test(tests, blocks_run_in_the_order_that_is_asked_for, 0, 4);
    tcase_add_loop_test(tests, who_waits_for_blocks_that_begin_later_is_found_where_room_is_scarce, 0, 4);
    tcase_add_loop_test(tests, who_waits_for_blocks_that_begin_earlier_on_a_gpu_waits_in_no_order_for_ever,
                        VGPU_FORWARD, VGPU_MIXED);
    tcase_add_test(tests, places_are_found_and_the_end_of_an_array_belongs_to_it);
    return run_tests("watch", tests);
}
