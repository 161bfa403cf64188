/* fuzz_trace.c - libFuzzer target: any bytes are read as a trace, and what passes the rules is replayed on the virtual GPU.
 * An input is what follows a trace's header; the header is made here, so that its checksum is always right: a forger
 * makes it right too. Device code is one kernel and one variable. A trace that is refused is refused with a sentence. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "trace/build.h"
#include "trace/trace.h"
#include "vgpu/vgpu.h"

/* What a judge would not do: its own buffers have sizes of its own, and its memory has an end. */
enum { MAX_GIVEN_BYTES = 1 << 20, MAX_OWN_BYTES = 1 << 24, HEADER_BYTES = 32 };

static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .global .align 4 .b8 weights[256];\n"
                          ".visible .entry step(.param .u64 out, .param .u32 n)\n{\n"
                          ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
                          "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n"
                          "mul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
                          "st.global.u32 [%rd3], %r1;\nret;\n}\n";

/* A container with one entry of PTX. */
static struct {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
    uint16_t kind, entry_version;
    uint32_t entry_bytes;
    uint64_t text_bytes;
    uint32_t zero[3], arch, rest[8];
    char text[sizeof ptx];
} __attribute__((packed)) code = {.magic = 0xba55ed50,
                                  .version = 1,
                                  .header_bytes = 16,
                                  .bytes = 64 + sizeof ptx,
                                  .kind = 1,
                                  .entry_version = 0x101,
                                  .entry_bytes = 64,
                                  .text_bytes = sizeof ptx,
                                  .arch = 75};

static char path[64], error[512];

static void require(bool claim)
{
    if (!claim)
        __builtin_trap();
}

/* ------------------------------------------------------------------------------------------- a trace of all kinds */

static const struct trace_place given0 = {TRACE_GIVEN, 0, 0}, host1 = {TRACE_GIVEN, 1, 0},
                                own0 = {TRACE_OWN, 0, 0}, symbol = {TRACE_SYMBOL, 1, 0};

static struct trace_op *add(struct trace_segment *segment, enum trace_kind kind, struct trace_place to,
                            struct trace_place from, uint64_t width)
{
    struct trace_op *op = trace_add_op(segment, kind);
    require(op != NULL);
    op->to = to;
    op->from = from;
    op->width = width;
    op->height = width && kind != TRACE_ALLOC ? 1 : 0;
    return op;
}

static void set_data(struct trace_op *op, uint64_t size)
{
    op->data = calloc(1, size);
    op->size = size;
    require(op->data != NULL);
}

static void add_launch(struct trace_segment *segment)
{
    struct trace_op *op = trace_add_op(segment, TRACE_LAUNCH);
    require(op != NULL);
    op->grid[0] = op->grid[1] = op->grid[2] = op->block[1] = op->block[2] = 1;
    op->block[0] = 32;
    set_data(op, 12);
    op->relocations = trace_grow(NULL, 0, 2, sizeof *op->relocations);
    op->relocations[0].place = own0;
    op->relocations[1] = (struct trace_relocation){8, {TRACE_SEED, TRACE_LOW_PLUS, 7}};
    op->nrelocations = 2;
    op->arguments = trace_grow(NULL, 0, 2, sizeof *op->arguments);
    op->arguments[0] = (struct trace_argument){0, 8};
    op->arguments[1] = (struct trace_argument){8, 4};
    op->narguments = 2;
}

static void add_textures(struct trace_segment *segment)
{
    static const struct trace_place nowhere, array0 = {TRACE_IMAGE, 0, 0}, texture0 = {TRACE_OBJECT, 0, 0},
                                             texture1 = {TRACE_OBJECT, 1, 0};
    static const struct trace_texture floats = {.bits = {32}, .kind = 2};
    struct trace_op *op = add(segment, TRACE_ARRAY_ALLOC, array0, nowhere, 64);
    op->height = 4;
    op->texture = floats;
    set_data(add(segment, TRACE_ARRAY_WRITE, array0, nowhere, 32), 32);
    add(segment, TRACE_ARRAY_COPY, array0, given0, 64);
    add(segment, TRACE_ARRAY_COPY, given0, array0, 64);
    add(segment, TRACE_TEXTURE, texture0, array0, 0)->texture.filter = 1;
    op = add(segment, TRACE_TEXTURE, texture1, given0, 32);
    op->height = 2;
    op->from_pitch = 32;
    op->texture = floats;
    op = add(segment, TRACE_WRITE, given0, nowhere,
             16); /* a handle is written, not followed: a fault takes long */
    set_data(op, 16);
    op->relocations = trace_grow(NULL, 0, 1, sizeof *op->relocations);
    op->relocations[op->nrelocations++] = (struct trace_relocation){8, texture1};
    add(segment, TRACE_DROP, texture1, nowhere, 0);
    add(segment, TRACE_DROP, array0, nowhere, 0);
}

/* One operation of each kind. */
static struct trace *make_trace(void)
{
    static const struct trace_place nowhere;
    struct trace *trace = trace_new();
    uint32_t index;
    require(trace && trace_add_name(trace, "step", &index) && trace_add_name(trace, "weights", &index));
    struct trace_segment *segment = trace_add_segment(trace);
    snprintf(segment->stage, sizeof segment->stage, "tiled");
    segment->given = trace_grow(NULL, 0, 2, sizeof *segment->given);
    segment->given[0].bytes = 256;
    segment->given[1] = (struct trace_buffer){64, true};
    segment->ngiven = 2;
    add(segment, TRACE_ALLOC, own0, nowhere, 512);
    set_data(add(segment, TRACE_WRITE, given0, nowhere, 16), 16);
    add(segment, TRACE_READ, nowhere, given0, 64);
    add(segment, TRACE_COPY, own0, symbol, 128);
    add(segment, TRACE_SET, own0, nowhere, 512);
    add_launch(segment);
    add(segment, TRACE_EVENT_RECORD, nowhere, nowhere, 0)->stream = 1;
    add(segment, TRACE_STREAM_WAIT, nowhere, nowhere, 0)->stream = 2;
    add(segment, TRACE_SYNC, nowhere, nowhere, 0);
    add(segment, TRACE_FREE, own0, nowhere, 0);
    add(segment, TRACE_EVENT_SYNC, nowhere, nowhere, 0);
    add(segment, TRACE_STREAM, nowhere, nowhere, 0)->stream = 3;
    add(segment, TRACE_PIN, host1, nowhere, 64)->height = 0;
    add(segment, TRACE_HOST, host1, host1, 64)->height = 64;
    add(segment, TRACE_CAPTURE, nowhere, nowhere, 0)->stream = 3;
    add(segment, TRACE_COPY, host1, given0, 64)->stream = 3;
    add(segment, TRACE_CAPTURE_END, nowhere, nowhere, 0)->stream = 3;
    add(segment, TRACE_GRAPH_MAKE, nowhere, nowhere, 0);
    add(segment, TRACE_GRAPH_LAUNCH, nowhere, nowhere, 0)->stream = 1;
    add_textures(segment);
    return trace;
}

/* ------------------------------------------------------------------------------------------- files */

/* As the kit writes it: what it says of the version stays right. */
static struct {
    char magic[8];
    uint32_t version, zero;
    uint64_t checksum, length;
} header;

static void write_trace(const uint8_t *body, size_t size)
{
    FILE *file = fopen(path, "wb");
    header.checksum = hash_bytes(body, size);
    header.length = size;
    require(file && fwrite(&header, sizeof header, 1, file) == 1);
    require(fwrite(body, 1, size, file) == size);
    require(fclose(file) == 0);
}

/* What the reader refuses for its header's sake is no test of anything. */
static void learn_header(void)
{
    size_t size;
    struct trace *trace = make_trace();
    require(trace_write(trace, path, error, sizeof error));
    trace_free(trace);
    uint8_t *bytes = file_read(path, SIZE_MAX, false, &size);
    require(bytes && size >= HEADER_BYTES);
    memcpy(&header, bytes, HEADER_BYTES);
    write_trace(bytes + HEADER_BYTES, size - HEADER_BYTES);
    free(bytes);
    trace = trace_read(path, error, sizeof error);
    require(trace != NULL);
    trace_free(trace);
}

static void remove_file(void)
{
    unlink(path);
}

static void ignore(void *context, const struct vgpu_message *message)
{
    (void)context, (void)message;
}

static void begin(void)
{
    static const struct vgpu_watcher watcher = {.message = ignore};
    if (path[0])
        return;
    snprintf(path, sizeof path, "/tmp/fuzz-trace-%d", (int)getpid());
    atexit(remove_file);
    memcpy(code.text, ptx, sizeof ptx);
    setenv("VGPU_BUDGET", "1000", 1);
    setenv("VGPU_EXECUTE", "sample", 1);
    setenv("VGPU_THREADS", "1", 1);
    vgpu_watch(&watcher);
    learn_header();
}

/* ------------------------------------------------------------------------------------------- replaying */

static uint64_t own_bytes(const struct trace_segment *segment)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < segment->nops; i++)
        if (segment->ops[i].kind == TRACE_ALLOC)
            bytes += segment->ops[i].width;
        else if (segment->ops[i].kind == TRACE_ARRAY_ALLOC)
            bytes += segment->ops[i].width * (segment->ops[i].height + 8); /* rows come in eights */
    return bytes;
}

static uint64_t given_bytes(const struct trace_segment *segment)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < segment->ngiven; i++)
        bytes += segment->given[i].bytes < MAX_GIVEN_BYTES ? segment->given[i].bytes
                                                           : MAX_GIVEN_BYTES + (uint64_t)1;
    return bytes;
}

static bool take(const struct trace_buffer *buffer, void **memory)
{
    if (buffer->is_host)
        *memory = calloc(1, buffer->bytes + 1);
    return buffer->is_host ? *memory != NULL : cudaMalloc(memory, buffer->bytes) == cudaSuccess;
}

/* It reads and writes all that it was promised. */
static void do_step(void *context, uint32_t number, void *to, size_t to_bytes, const void *from,
                    size_t from_bytes)
{
    (void)context;
    uint8_t sum = (uint8_t)number;
    for (size_t i = 0; i < from_bytes; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)from)[i]);
    memset(to, sum, to_bytes);
}

static void play(struct player *player, const struct trace_segment *segment)
{
    void *given[TRACE_MAX_GIVEN] = {NULL};
    if (given_bytes(segment) > MAX_GIVEN_BYTES || own_bytes(segment) > MAX_OWN_BYTES)
        return;
    for (uint32_t i = 0; i < segment->ngiven; i++)
        if (!take(&segment->given[i], &given[i]))
            return;
    error[0] = 0;
    player_set_hooks(player, &(struct player_hooks){.host = do_step});
    bool is_played = player_prepare(player, segment, given, error, sizeof error);
    for (int turn = 0; is_played && turn < 2; turn++) {
        player_make_ready(player, (uint64_t)turn);
        is_played = player_run(player, error, sizeof error);
    }
    require(is_played || error[0]);
    player_finish(player);
    for (uint32_t i = 0; i < segment->ngiven; i++)
        segment->given[i].is_host ? free(given[i]) : (void)cudaFree(given[i]);
}

static void use(const struct trace *trace)
{
    char text[200];
    struct player *player = player_new(trace, &code, sizeof code, error, sizeof error);
    require(player != NULL);
    for (uint32_t i = 0; i < trace->nsegments && i < 8; i++) {
        for (uint32_t k = 0; k < trace->segments[i].nops; k++)
            trace_describe(trace, &trace->segments[i].ops[k], text, sizeof text);
        play(player, &trace->segments[i]);
    }
    player_free(player);
    if (cudaDeviceSynchronize() != cudaSuccess)
        cudaDeviceReset();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    write_trace(data, size);
    error[0] = 0;
    struct trace *trace = trace_read(path, error, sizeof error);
    require(trace || error[0]);
    if (trace)
        use(trace);
    trace_free(trace);
    return 0;
}

static size_t first_input(uint8_t *data, size_t max_size)
{
    size_t size;
    struct trace *trace = make_trace();
    begin();
    require(trace_write(trace, path, error, sizeof error));
    trace_free(trace);
    uint8_t *bytes = file_read(path, max_size, false, &size);
    if (!bytes)
        return 0;
    memcpy(data, bytes + HEADER_BYTES, size - HEADER_BYTES);
    free(bytes);
    return size - HEADER_BYTES;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Numbers of a trace are words of four bytes: every second change sets one to something that counts. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const uint32_t words[] = {0,  1,   2,   3,   4,    8,     16,       31,
                                     64, 255, 256, 512, 1024, 65535, 1u << 31, UINT32_MAX};
    if (size < 64)
        return first_input(data, max_size);
    const size_t at = (seed >> 8) % (size / 4) * 4;
    if (seed & 1)
        return LLVMFuzzerMutate(data, size, max_size);
    memcpy(data + at, &words[(seed >> 1) % (sizeof words / sizeof *words)], sizeof *words);
    return size;
}
