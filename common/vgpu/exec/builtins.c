/* builtins.c - the device runtime: vprintf, __assertfail, malloc, free, conditions of graphs, what abstract classes need.
 * What dynamic parallelism adds is in device_runtime.c.
 * Lanes are served in lane order, blocks print into buffers of their own: output does not depend on host threads.
 * How text is formatted is printf.c's affair. */
#include "exec/builtins.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "core/checker.h"
#include "core/findings.h"
#include "memory/memory.h"

enum { MAX_FORMAT = 1 << 16, MAX_ARGS = 1024, MAX_NAME = 512, DROPPED = 64 };
/* A kernel that prints without end must not take all memory: what a block prints beyond this is dropped. */
static const size_t MAX_PRINTED = (size_t)1 << 23;

static uint64_t argument(const uint8_t *args, uint32_t stride, int lane, uint32_t offset, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, args + (size_t)lane * stride + offset, bytes);
    return value;
}

static void give(uint8_t *result, uint32_t stride, int lane, uint64_t value, uint32_t bytes)
{
    if (result)
        memcpy(result + (size_t)lane * stride, &value, bytes < stride ? bytes : stride);
}

/* ------------------------------------------------------------------------------------------- reading the device */

struct reader {
    const struct warp *warp;
    int lane;
    const struct allocation *last; /* the allocation of the byte before, most likely of this one too */
};

static bool in_window(uint64_t address, uint64_t window, uint64_t *offset)
{
    *offset = address - window;
    return address >= window && *offset < WINDOW_BYTES;
}

static bool read_byte(void *context, uint64_t address, char *byte)
{
    struct reader *reader = context;
    const struct warp *warp = reader->warp;
    const struct memory *memory = warp->block->launch->memory;
    uint64_t offset;
    if (in_window(address, memory_local_window(memory), &offset)) {
        if (offset >= warp->local_bytes)
            return false;
        *byte = (char)warp->local[((offset >> 2) * LANES + (uint64_t)reader->lane) * 4 + (offset & 3)];
        return true;
    }
    if (in_window(address, memory_shared_window(memory), &offset)) {
        if (offset >= warp->block->shared_bytes)
            return false;
        *byte = (char)warp->block->shared[offset];
        return true;
    }
    if (!reader->last || address - reader->last->base >= reader->last->size)
        reader->last = memory_find(memory, address);
    if (!reader->last || address - reader->last->base >= reader->last->size ||
        reader->last->kind == ALLOC_ARRAY)
        return false;
    *byte = (char)reader->last->host[address - reader->last->base];
    return true;
}

/* How many bytes could be read. */
static size_t read_bytes(struct reader *reader, uint64_t address, char *out, size_t size)
{
    size_t n = 0;
    while (n < size && read_byte(reader, address + n, &out[n]))
        n++;
    return n;
}

/* A NUL-terminated string in fresh memory; NULL: nothing readable is there. */
static char *read_string(struct reader *reader, uint64_t address, size_t limit)
{
    size_t n = 0, capacity = 0;
    char *text = list_reserve(NULL, &capacity, 1, 1);
    while (text && n < limit && read_byte(reader, address + n, &text[n]) && text[n]) {
        char *larger = list_reserve(text, &capacity, ++n + 1, 1);
        if (!larger)
            break;
        text = larger;
    }
    char first;
    if (!text || (n == 0 && !read_byte(reader, address, &first))) {
        free(text);
        return NULL;
    }
    text[n < capacity ? n : capacity - 1] = '\0';
    return text;
}

/* ------------------------------------------------------------------------------------------- what a block prints */

/* Room for more bytes; NULL: no more is taken. */
static char *reserve(struct output *output, size_t more)
{
    const bool is_too_much = more > MAX_PRINTED || output->size > MAX_PRINTED - more;
    return is_too_much ? NULL : output_reserve(output, more);
}

static void append(struct output *output, const char *text, size_t length)
{
    char *end = reserve(output, length);
    if (!end)
        return;
    memcpy(end, text, length);
    output->size += length;
}

/* ------------------------------------------------------------------------------------------- vprintf */

/* There may be no room for the longest line. */
static bool is_flooded(const struct block *block)
{
    return block->printed.size + MAX_FORMAT > MAX_PRINTED;
}

static void report_flood(struct warp *warp, const struct insn *insn, int lane)
{
    finding_add(warp, insn, lane, VGPU_PRINTS_TOO_MUCH,
                "the block has printed %zu MB; what it prints from here on is dropped", MAX_PRINTED >> 20);
}

static int print_lane(struct warp *warp, const struct insn *insn, int lane, uint64_t format_address,
                      uint64_t args_address)
{
    struct reader reader = {warp, lane, NULL};
    struct block *block = warp->block;
    if (is_flooded(block))
        return 0;
    char *format = read_string(&reader, format_address, MAX_FORMAT);
    if (!format)
        return -1;
    size_t args_size = device_printf_args_size(format);
    if (args_size > MAX_ARGS)
        args_size = MAX_ARGS;
    if (warp->undefined)
        checker_of(warp)->undefined->read_local(
            warp, insn, lane, args_address - memory_local_window(block->launch->memory), args_size);
    uint8_t args[MAX_ARGS];
    const size_t known = args_address ? read_bytes(&reader, args_address, (char *)args, args_size) : 0;
    char text[512];
    int count = 0;
    const size_t length = device_printf(text, sizeof text, format, args, known, read_byte, &reader, &count);
    char *end = reserve(&block->printed, length);
    if (end && length <= sizeof text)
        memcpy(end, text, length);
    else if (end)
        device_printf(end, length, format, args, known, read_byte, &reader, NULL);
    block->printed.size += end ? length : 0;
    free(format);
    return count;
}

/* int vprintf(format, arguments): offsets 0 and 8. */
static enum step run_vprintf(struct warp *warp, const struct insn *insn, uint32_t mask, const uint8_t *args,
                             uint32_t arg_stride, uint8_t *result, uint32_t result_stride)
{
    if (is_flooded(warp->block)) {
        report_flood(warp, insn, __builtin_ctz(mask));
        warp->clock += DROPPED; /* so that whoever prints without end meets the budget of instructions soon */
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const int count = print_lane(warp, insn, lane, argument(args, arg_stride, lane, 0, 8),
                                     argument(args, arg_stride, lane, 8, 8));
        give(result, result_stride, lane, (uint32_t)count, 4);
    }
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- __assertfail */

static void assert_lane(struct warp *warp, const struct insn *insn, int lane, const uint8_t *args,
                        uint32_t stride)
{
    struct reader reader = {warp, lane, NULL};
    struct block *block = warp->block;
    uint32_t thread[3];
    char *message = read_string(&reader, argument(args, stride, lane, 0, 8), MAX_NAME);
    char *file = read_string(&reader, argument(args, stride, lane, 8, 8), MAX_NAME);
    char *function = read_string(&reader, argument(args, stride, lane, 24, 8), MAX_NAME);
    char line[3 * MAX_NAME + 128];
    thread_coordinates(block->launch, thread_of(warp, lane), thread);
    const int length = snprintf(line, sizeof line,
                                "%s:%d: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                                file ? file : "?", (int)argument(args, stride, lane, 16, 4),
                                function ? function : "?", block->ctaid[0], block->ctaid[1], block->ctaid[2],
                                thread[0], thread[1], thread[2], message ? message : "?");
    if (length > 0)
        append(&block->failed, line, strlen(line));
    finding_add(warp, insn, lane, VGPU_ASSERTION, "the condition is `%.400s`; the launch ends here",
                message ? message : "?");
    free(message);
    free(file);
    free(function);
}

/* void __assertfail(message, file, line, function, char size): offsets 0, 8, 16, 24, 32. The line goes to stderr exactly
 * as on a GPU; block->failed keeps it in block order. */
static enum step run_assertfail(struct warp *warp, const struct insn *insn, uint32_t mask,
                                const uint8_t *args, uint32_t arg_stride, uint8_t *result,
                                uint32_t result_stride)
{
    (void)result, (void)result_stride;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        assert_lane(warp, insn, __builtin_ctz(rest), args, arg_stride);
    return launch_fault(warp, cudaErrorAssert);
}

static enum step run_pure_virtual(struct warp *warp, const struct insn *insn, uint32_t mask,
                                  const uint8_t *args, uint32_t arg_stride, uint8_t *result,
                                  uint32_t result_stride)
{
    (void)args, (void)arg_stride, (void)result, (void)result_stride;
    finding_add(warp, insn, __builtin_ctz(mask), VGPU_PURE_VIRTUAL,
                "calls a virtual function that has no body");
    return launch_fault(warp, cudaErrorLaunchFailure);
}

/* ------------------------------------------------------------------------------------------- malloc, free */

static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t heap_limit = 8u << 20; /* CUDA's default */

/* Bytes in use by one memory: counted once, and kept up to date from then on. */
static struct {
    const struct memory *memory;
    uint64_t bytes;
} heap_used;

void builtins_set_heap_limit(uint64_t bytes)
{
    pthread_mutex_lock(&heap_lock);
    heap_limit = bytes;
    heap_used.memory = NULL; /* a reset device has another memory, maybe at the same place: count anew */
    pthread_mutex_unlock(&heap_lock);
}

static void add_heap_bytes(struct allocation *allocation, void *context)
{
    if (allocation->kind == ALLOC_HEAP && !allocation->is_freed)
        *(uint64_t *)context += allocation->size;
}

static uint64_t *heap_bytes(struct memory *memory)
{
    if (heap_used.memory != memory) {
        heap_used.memory = memory;
        heap_used.bytes = 0;
        memory_each(memory, add_heap_bytes, &heap_used.bytes);
    }
    return &heap_used.bytes;
}

uint64_t builtins_heap_alloc(struct memory *memory, uint64_t size)
{
    uint64_t address = 0;
    pthread_mutex_lock(&heap_lock);
    uint64_t *used = heap_bytes(memory);
    if (size <= heap_limit && *used <= heap_limit - size) {
        const struct allocation *allocation = memory_alloc(memory, size ? size : 1, ALLOC_HEAP);
        if (allocation) {
            *used += allocation->size;
            address = allocation->base;
        }
    }
    pthread_mutex_unlock(&heap_lock);
    return address;
}

/* void *malloc(size): the size at offset 0. */
static enum step run_malloc(struct warp *warp, const struct insn *insn, uint32_t mask, const uint8_t *args,
                            uint32_t arg_stride, uint8_t *result, uint32_t result_stride)
{
    (void)insn;
    if (!block_has_turn(warp->block))
        return STEP_WAIT_TURN;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint64_t address =
            builtins_heap_alloc(warp->block->launch->memory, argument(args, arg_stride, lane, 0, 8));
        give(result, result_stride, lane, address, 8);
    }
    return STEP_NEXT;
}

static void report_free(struct warp *warp, const struct insn *insn, int lane, uint64_t address)
{
    const struct allocation *near = memory_nearest(warp->block->launch->memory, address);
    const bool is_inside = near && address - near->base < near->size;
    const unsigned long long shown = address;
    if (is_inside && near->is_freed)
        finding_add(warp, insn, lane, VGPU_DEVICE_DOUBLE_FREE, "frees 0x%llx, which was freed before", shown);
    else if (is_inside && near->kind == ALLOC_HEAP)
        finding_add(warp, insn, lane, VGPU_DEVICE_FREE_INSIDE,
                    "frees 0x%llx, which lies %llu bytes inside an allocation", shown,
                    (unsigned long long)(address - near->base));
    else
        finding_add(warp, insn, lane, VGPU_DEVICE_FREE_FOREIGN,
                    "frees 0x%llx, which is no allocation of a kernel's malloc", shown);
}

static bool heap_free(struct memory *memory, uint64_t address)
{
    pthread_mutex_lock(&heap_lock);
    struct allocation *allocation = memory_find(memory, address);
    const bool is_good = allocation && allocation->base == address && allocation->kind == ALLOC_HEAP;
    if (is_good) {
        *heap_bytes(memory) -= allocation->size;
        memory_release(memory, allocation);
    }
    pthread_mutex_unlock(&heap_lock);
    return is_good;
}

void builtins_heap_free(struct warp *warp, const struct insn *insn, int lane, uint64_t address)
{
    if (!heap_free(warp->block->launch->memory, address) && warp->worker->check != CHECK_OFF)
        report_free(warp, insn, lane, address);
}

/* void free(pointer): the pointer at offset 0. */
static enum step run_free(struct warp *warp, const struct insn *insn, uint32_t mask, const uint8_t *args,
                          uint32_t arg_stride, uint8_t *result, uint32_t result_stride)
{
    (void)result, (void)result_stride;
    if (!block_has_turn(warp->block))
        return STEP_WAIT_TURN;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint64_t address = argument(args, arg_stride, lane, 0, 8);
        if (address)
            builtins_heap_free(warp, insn, lane, address);
    }
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- graphs */

/* void cudaGraphSetConditional(handle, value): offsets 0 and 8. The handle is the address of the word that decides. */
static enum step run_set_conditional(struct warp *warp, const struct insn *insn, uint32_t mask,
                                     const uint8_t *args, uint32_t arg_stride, uint8_t *result,
                                     uint32_t result_stride)
{
    (void)insn, (void)result, (void)result_stride;
    if (!block_has_turn(warp->block))
        return STEP_WAIT_TURN;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint64_t handle = argument(args, arg_stride, lane, 0, 8);
        const uint32_t value = (uint32_t)argument(args, arg_stride, lane, 8, 4);
        const struct allocation *word = memory_find(warp->block->launch->memory, handle);
        if (!word || word->base != handle || word->size != sizeof value)
            return launch_fault(warp, cudaErrorIllegalAddress);
        memcpy(word->host, &value, sizeof value);
    }
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- the table */

const struct builtin *builtin_find(const char *name)
{
    static const struct builtin builtins[] = {
        {"vprintf", run_vprintf, 16, 4},
        {"__assertfail", run_assertfail, 40, 0},
        {"malloc", run_malloc, 8, 8},
        {"free", run_free, 8, 0},
        {"__cxa_pure_virtual", run_pure_virtual, 0, 0},
        {"cudaGraphSetConditional", run_set_conditional, 12, 0},
    };
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}
