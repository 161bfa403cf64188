/* device_runtime.c - the CUDA runtime as kernels may call it: launches, copies, memory, streams (dynamic parallelism).
 * What a kernel launches or copies is only noted here, in block order; it is done when the kernel is over (core/children.h).
 * Streams are names without a meaning: everything is done in the order in which it was given. */
#include <string.h>

#include "core/children.h"
#include "decode/decode_internal.h"
#include "exec/builtins.h"
#include "exec/mem.h"
#include "memory/late.h"

/* ------------------------------------------------------------------------------------------- arguments and results */

/* One lane's call. */
struct call {
    struct warp *warp;
    const struct insn *insn;
    int lane;
    const uint8_t *args;
};

static struct launch *launch_of(const struct call *call)
{
    return call->warp->block->launch;
}

static uint64_t word(const struct call *call, uint32_t offset)
{
    uint64_t value;
    memcpy(&value, call->args + offset, sizeof value);
    return value;
}

static uint32_t half_word(const struct call *call, uint32_t offset)
{
    return (uint32_t)word(call, offset);
}

/* Stores at a generic address of the lane's; cudaErrorInvalidValue: nothing can be there, and it was told. */
static int store(const struct call *call, uint64_t address, const void *value, uint32_t bytes)
{
    const struct memory *memory = launch_of(call)->memory;
    const uint32_t mask = 1u << call->lane;
    uint64_t addresses[LANES];
    uint32_t offsets[LANES];
    struct allocation *found[LANES];
    for (int i = 0; i < LANES; i++)
        addresses[i] = address;
    const struct generic_split split = split_generic(memory, addresses, mask);
    const uint64_t window = split.local ? memory_local_window(memory) : memory_shared_window(memory);
    for (int i = 0; i < LANES; i++)
        offsets[i] = (uint32_t)(address - window);
    bool is_good = false;
    if (split.local)
        is_good = local_store_lane(call->warp, call->insn, call->lane, offsets[0], value, bytes);
    else if (split.shared && (is_good = shared_admit(call->warp, call->insn, mask, offsets, bytes, true)))
        memcpy(call->warp->block->shared + offsets[0], value, bytes);
    else if (split.global &&
             (is_good = global_admit(call->warp, call->insn, mask, addresses, bytes, true, found))) {
        late_bring(found[call->lane], address, bytes);
        memcpy(found[call->lane]->host + (address - found[call->lane]->base), value, bytes);
        memory_mark_written(found[call->lane], address, bytes);
    }
    return is_good ? cudaSuccess : cudaErrorInvalidValue;
}

/* ------------------------------------------------------------------------------------------- launches */

static bool is_possible(const struct child_shape *shape)
{
    enum { MOST_THREADS = 1024 };
    const uint64_t threads = (uint64_t)shape->dim[0] * shape->dim[1] * shape->dim[2];
    const uint64_t blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    return blocks > 0 && threads > 0 && threads <= MOST_THREADS;
}

/* void *GetParameterBufferV2(kernel, grid, block, shared memory) */
static uint64_t ask(const struct call *call)
{
    struct child_shape shape = {.dynamic_shared = half_word(call, 32)};
    memcpy(shape.grid, call->args + 8, sizeof shape.grid);
    memcpy(shape.dim, call->args + 20, sizeof shape.dim);
    const uint64_t address = is_possible(&shape) ? child_ask(launch_of(call), word(call, 0), &shape) : 0;
    if (!address)
        child_error_set(launch_of(call), call->warp->block->index, thread_of(call->warp, call->lane),
                        is_possible(&shape) ? cudaErrorMemoryAllocation : cudaErrorInvalidConfiguration);
    return address;
}

/* LaunchDeviceV2(parameters, stream) */
static uint64_t start(const struct call *call)
{
    return (uint64_t)child_launch(launch_of(call), word(call, 0), word(call, 8));
}

/* MemcpyAsync(to, from, bytes, kind, stream) */
static uint64_t copy(const struct call *call)
{
    const struct child given = {
        .kind = CHILD_COPY, .to = word(call, 0), .from = word(call, 8), .bytes = word(call, 16)};
    return (uint64_t)child_add(launch_of(call), &given, word(call, 32));
}

/* MemsetAsync(to, value, bytes, stream) */
static uint64_t set(const struct call *call)
{
    const struct child given = {
        .kind = CHILD_SET, .to = word(call, 0), .value = call->args[8], .bytes = word(call, 16)};
    return (uint64_t)child_add(launch_of(call), &given, word(call, 24));
}

/* ------------------------------------------------------------------------------------------- memory, streams, devices */

/* Malloc(pointer, bytes) */
static uint64_t allocate(const struct call *call)
{
    const uint64_t address = builtins_heap_alloc(launch_of(call)->memory, word(call, 8));
    const int error = store(call, word(call, 0), &address, sizeof address);
    return address ? (uint64_t)error : cudaErrorMemoryAllocation;
}

/* Free(pointer) */
static uint64_t release(const struct call *call)
{
    const uint64_t address = word(call, 0);
    if (address)
        builtins_heap_free(call->warp, call->insn, call->lane, address);
    return cudaSuccess;
}

/* StreamCreateWithFlags(stream, flags), EventCreateWithFlags(event, flags) */
static uint64_t create(const struct call *call)
{
    static const uint64_t handle = 0x100; /* no stream that the runtime has a name for */
    return (uint64_t)store(call, word(call, 0), &handle, sizeof handle);
}

static uint64_t succeed(const struct call *call)
{
    (void)call;
    return cudaSuccess;
}

/* GetDevice(device) */
static uint64_t first_device(const struct call *call)
{
    static const int32_t device = 0;
    return (uint64_t)store(call, word(call, 0), &device, sizeof device);
}

/* ------------------------------------------------------------------------------------------- errors */

static uint64_t error_of(const struct call *call, bool is_cleared)
{
    return (uint64_t)child_error_get(launch_of(call), call->warp->block->index,
                                     thread_of(call->warp, call->lane), is_cleared);
}

static uint64_t last_error(const struct call *call)
{
    return error_of(call, true);
}

static uint64_t peek_error(const struct call *call)
{
    return error_of(call, false);
}

/* const char *GetErrorString(error) */
static uint64_t error_text(const struct call *call)
{
    const char *text = launch_of(call)->error_text((cudaError_t)half_word(call, 0));
    struct allocation *place = memory_alloc(launch_of(call)->memory, strlen(text) + 1, ALLOC_SYMBOL);
    if (!place)
        return 0;
    place->name = "an error's text";
    memcpy(place->host, text, strlen(text) + 1);
    memory_mark_written(place, place->base, strlen(text) + 1);
    return place->base;
}

/* ------------------------------------------------------------------------------------------- the table */

static enum step run_device_call(struct warp *warp, const struct insn *insn, uint32_t mask,
                                 const uint8_t *args, uint32_t arg_stride, uint8_t *result,
                                 uint32_t result_stride);

/* The builtin comes first: an instruction's builtin is its row. */
static const struct device_call {
    struct builtin builtin; /* its name stands after __cudaCDP2 */
    uint64_t (*run)(const struct call *call);
    bool gives_error; /* the result is a cudaError_t, which the thread's next cudaGetLastError() gives too */
} device_calls[] = {
    {{"GetParameterBufferV2", run_device_call, 36, 8}, ask, false},
    {{"LaunchDeviceV2", run_device_call, 16, 4}, start, true},
    {{"MemcpyAsync", run_device_call, 40, 4}, copy, true},
    {{"MemsetAsync", run_device_call, 32, 4}, set, true},
    {{"Malloc", run_device_call, 16, 4}, allocate, true},
    {{"Free", run_device_call, 8, 4}, release, true},
    {{"StreamCreateWithFlags", run_device_call, 12, 4}, create, true},
    {{"StreamDestroy", run_device_call, 8, 4}, succeed, true},
    {{"StreamWaitEvent", run_device_call, 20, 4}, succeed, true},
    {{"EventCreateWithFlags", run_device_call, 12, 4}, create, true},
    {{"EventRecord", run_device_call, 16, 4}, succeed, true},
    {{"EventDestroy", run_device_call, 8, 4}, succeed, true},
    {{"GetDevice", run_device_call, 8, 4}, first_device, true},
    {{"GetLastError", run_device_call, 0, 4}, last_error, false},
    {{"PeekAtLastError", run_device_call, 0, 4}, peek_error, false},
    {{"GetErrorString", run_device_call, 4, 8}, error_text, false},
};

static enum step run_device_call(struct warp *warp, const struct insn *insn, uint32_t mask,
                                 const uint8_t *args, uint32_t arg_stride, uint8_t *result,
                                 uint32_t result_stride)
{
    const struct device_call *row = (const struct device_call *)insn->call->builtin;
    if (!block_has_turn(warp->block))
        return STEP_WAIT_TURN;
    EACH_ACTIVE(lane, mask)
    {
        const struct call call = {warp, insn, (int)lane, args + (size_t)lane * arg_stride};
        const uint64_t value = row->run(&call);
        if (row->gives_error)
            child_error_set(warp->block->launch, warp->block->index, thread_of(warp, (int)lane), (int)value);
        memcpy(result + (size_t)lane * result_stride, &value, row->builtin.result_bytes);
    }
    return STEP_NEXT;
}

static const char prefix[] = "__cudaCDP2";

bool device_runtime_has(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

const struct builtin *device_runtime_find(const char *name)
{
    if (!device_runtime_has(name))
        return NULL;
    name += sizeof prefix - 1;
    for (size_t i = 0; i < sizeof device_calls / sizeof *device_calls; i++) {
        const char *known = device_calls[i].builtin.name;
        const size_t length = strlen(known);
        if (strncmp(name, known, length) == 0 && (!name[length] || strcmp(name + length, "_ptsz") == 0))
            return &device_calls[i].builtin;
    }
    return NULL;
}
