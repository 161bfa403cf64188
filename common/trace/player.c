/* player.c - replays a segment through the CUDA runtime API alone, so that it links libcudart as well as the virtual GPU.
 * player_prepare() turns every operation into a step with real pointers, streams and kernels; player_run() makes one
 * runtime call per step and looks nothing up, because its time may be measured.
 * A trace may come from a hostile program: nothing is called before trace_check_segment() and the kernel's own parameter
 * list agree with it. Own allocations live from player_prepare() to player_finish(). */
#include "trace/trace.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* One runtime call, ready to be made. */
struct step {
    cudaError_t (*run)(const struct step *step);
    const struct trace_op *op;
    cudaStream_t stream;
    cudaEvent_t event;
    uint8_t *to;
    const uint8_t *from;
    size_t to_pitch, from_pitch, width, height;
    enum cudaMemcpyKind direction; /* of a copy */
    const void *kernel;
    void **arguments; /* into data */
    uint8_t *data;    /* relocated */
};

struct player {
    const struct trace *trace;
    cudaLibrary_t library;

    /* from prepare to finish */
    const struct trace_segment *segment;
    void *const *given;
    void *own[TRACE_MAX_OWN];
    uint32_t nown;
    cudaStream_t streams[TRACE_MAX_STREAMS]; /* [0] stays NULL: the default stream */
    cudaEvent_t events[TRACE_MAX_EVENTS];
    struct step *steps;
    uint32_t nsteps;
    size_t room;
    uint8_t *scratch; /* where reads end */

    /* where sentences go, while a call lasts */
    char *error;
    size_t size;
};

/* A forged trace must not make us take memory without end: reads come in pieces of at most SCRATCH_BYTES, and there are
 * at most MAX_STEPS of all. */
enum { SCRATCH_BYTES = 16 << 20, MAX_STEPS = 1 << 20 };

__attribute__((format(printf, 3, 4))) static bool fail(struct player *player, const struct trace_op *op,
                                                       const char *format, ...)
{
    char what[300], where[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (op && op->line)
        snprintf(where, sizeof where, "Line %u: ", op->line);
    snprintf(player->error, player->size, "%s%s.", where, what);
    return false;
}

/* True for success; otherwise the sentence, and CUDA's last error is forgotten unless it sticks. */
static bool passed(struct player *player, const struct trace_op *op, cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return true;
    cudaGetLastError();
    return fail(player, op, "%s failed: %s", what, cudaGetErrorString(status));
}

/* ------------------------------------------------------------------------------------------- steps */

/* One row goes through the plain call: its length is not bound by the largest pitch, and it may be faster. */
static cudaError_t move(const struct step *step, enum cudaMemcpyKind kind)
{
    if (step->height == 1)
        return cudaMemcpyAsync(step->to, step->from, step->width, kind, step->stream);
    return cudaMemcpy2DAsync(step->to, step->to_pitch, step->from, step->from_pitch, step->width,
                             step->height, kind, step->stream);
}

static cudaError_t run_write(const struct step *step)
{
    return move(step, cudaMemcpyHostToDevice);
}

static cudaError_t run_read(const struct step *step)
{
    return move(step, cudaMemcpyDeviceToHost);
}

static cudaError_t run_copy(const struct step *step)
{
    return move(step, step->direction);
}

static cudaError_t run_set(const struct step *step)
{
    const int value = (int)step->op->value;
    if (step->height == 1)
        return cudaMemsetAsync(step->to, value, step->width, step->stream);
    return cudaMemset2DAsync(step->to, step->to_pitch, value, step->width, step->height, step->stream);
}

static dim3 shape(const uint32_t *sizes)
{
    return (dim3){sizes[0], sizes[1], sizes[2]};
}

static cudaError_t run_launch(const struct step *step)
{
    return cudaLaunchKernel(step->kernel, shape(step->op->grid), shape(step->op->block), step->arguments,
                            step->op->shared, step->stream);
}

static cudaError_t run_cooperative(const struct step *step)
{
    return cudaLaunchCooperativeKernel(step->kernel, shape(step->op->grid), shape(step->op->block),
                                       step->arguments, step->op->shared, step->stream);
}

static cudaError_t run_record(const struct step *step)
{
    return cudaEventRecord(step->event, step->stream);
}

static cudaError_t run_wait(const struct step *step)
{
    return cudaStreamWaitEvent(step->stream, step->event, 0);
}

static cudaError_t run_sync(const struct step *step)
{
    return cudaStreamSynchronize(step->stream);
}

static cudaError_t run_sync_all(const struct step *step)
{
    (void)step;
    return cudaDeviceSynchronize();
}

static bool make_room(struct player *player)
{
    struct step *steps = NULL;
    if (player->nsteps < MAX_STEPS)
        steps = list_reserve(player->steps, &player->room, player->nsteps + (size_t)1, sizeof *steps);
    if (steps)
        player->steps = steps;
    return steps != NULL;
}

static struct step *add_step(struct player *player, const struct trace_op *op,
                             cudaError_t (*run)(const struct step *step))
{
    if (!make_room(player)) {
        fail(player, op, "There is no memory left for so many steps");
        return NULL;
    }
    struct step *step = &player->steps[player->nsteps++];
    *step = (struct step){.run = run, .op = op, .width = op->width, .height = op->height};
    step->to_pitch = op->to_pitch;
    step->from_pitch = op->from_pitch;
    step->stream = op->stream == TRACE_ALL_STREAMS ? NULL : player->streams[op->stream];
    return step;
}

/* ------------------------------------------------------------------------------------------- places */

static bool find_symbol(struct player *player, const struct trace_op *op, const struct trace_place *place,
                        uint64_t bytes, uint8_t **address)
{
    void *symbol = NULL;
    size_t size = 0;
    const char *name = player->trace->names[place->index];
    if (cudaLibraryGetGlobal(&symbol, &size, player->library, name) != cudaSuccess) {
        cudaGetLastError();
        return fail(player, op, "There is no device variable %.80s", name);
    }
    if (place->offset > size || bytes > size - place->offset)
        return fail(player, op, "%llu bytes at %llu lie outside %.80s, which has %zu",
                    (unsigned long long)bytes, (unsigned long long)place->offset, name, size);
    *address = (uint8_t *)symbol + place->offset;
    return true;
}

/* Given and own places have passed trace_check_segment(). */
static bool find_place(struct player *player, const struct trace_op *op, const struct trace_place *place,
                       uint64_t bytes, uint8_t **address)
{
    if (place->space == TRACE_SYMBOL)
        return find_symbol(player, op, place, bytes, address);
    void *base = place->space == TRACE_GIVEN ? player->given[place->index] : player->own[place->index];
    *address = (uint8_t *)base + place->offset;
    return true;
}

static bool find_rows(struct player *player, const struct trace_op *op, const struct trace_place *place,
                      uint64_t pitch, uint8_t **address)
{
    uint64_t bytes = 0;
    return trace_extent(pitch, op->width, op->height, &bytes) &&
           find_place(player, op, place, bytes, address);
}

/* Little-endian, as the data was written. */
static void put_word(uint8_t *data, uint64_t word, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)(word >> 8 * i);
}

static void put_seed(const struct step *step, uint64_t seed)
{
    for (uint32_t i = 0; i < step->op->nrelocations; i++) {
        const struct trace_relocation *one = &step->op->relocations[i];
        if (one->place.space == TRACE_SEED)
            put_word(step->data + one->at, trace_seed_word(&one->place, seed), trace_word_bytes(&one->place));
    }
}

void player_set_seed(struct player *player, uint64_t seed)
{
    for (uint32_t i = 0; i < player->nsteps; i++)
        if (player->steps[i].data)
            put_seed(&player->steps[i], seed);
}

/* A copy of the operation's data in which words that are places hold today's addresses. */
static uint8_t *relocate(struct player *player, const struct trace_op *op)
{
    uint8_t *data = malloc(op->size + 1), *address = NULL;
    if (!data) {
        fail(player, op, "There is no memory left");
        return NULL;
    }
    if (op->size)
        memcpy(data, op->data, op->size);
    for (uint32_t i = 0; i < op->nrelocations; i++) {
        if (op->relocations[i].place.space == TRACE_SEED)
            continue;
        if (!find_place(player, op, &op->relocations[i].place, 0, &address)) {
            free(data);
            return NULL;
        }
        memcpy(data + op->relocations[i].at, &address, sizeof address);
    }
    return data;
}

/* ------------------------------------------------------------------------------------------- preparing */

static bool prepare_alloc(struct player *player, const struct trace_op *op)
{
    const cudaError_t status = cudaMalloc(&player->own[player->nown], op->width);
    if (status == cudaSuccess)
        player->nown++;
    return passed(player, op, status, "cudaMalloc");
}

static bool prepare_nothing(struct player *player, const struct trace_op *op)
{
    (void)player;
    (void)op;
    return true;
}

static bool prepare_write(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, run_write);
    if (!step || !(step->data = relocate(player, op)))
        return false;
    step->from = step->data;
    step->from_pitch = op->width;
    return find_rows(player, op, &op->to, op->to_pitch, &step->to);
}

/* One piece of a read: rows of width bytes, or a part of one row. */
static bool add_read(struct player *player, const struct trace_op *op, const uint8_t *from, uint64_t width,
                     uint64_t height)
{
    struct step *step = add_step(player, op, run_read);
    if (!step)
        return false;
    step->from = from;
    step->to = player->scratch;
    step->to_pitch = step->width = width;
    step->height = height;
    return true;
}

static bool prepare_read(struct player *player, const struct trace_op *op)
{
    uint8_t *from = NULL;
    if (!find_rows(player, op, &op->from, op->from_pitch, &from))
        return false;
    if (!player->scratch && !(player->scratch = malloc(SCRATCH_BYTES)))
        return fail(player, op, "There is no memory left");
    const uint64_t rows = op->width < SCRATCH_BYTES ? SCRATCH_BYTES / op->width : 1;
    for (uint64_t row = 0; row < op->height; row += rows) {
        const uint64_t height = op->height - row < rows ? op->height - row : rows;
        for (uint64_t at = 0; at < op->width; at += SCRATCH_BYTES) {
            const uint64_t width = op->width - at < SCRATCH_BYTES ? op->width - at : SCRATCH_BYTES;
            if (!add_read(player, op, from + row * op->from_pitch + at, width, height))
                return false;
        }
    }
    return true;
}

static bool is_on_host(const struct player *player, const struct trace_place *place)
{
    return place->space == TRACE_GIVEN && player->segment->given[place->index].is_host;
}

static bool prepare_copy(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, run_copy);
    uint8_t *from = NULL;
    if (!step || !find_rows(player, op, &op->to, op->to_pitch, &step->to) ||
        !find_rows(player, op, &op->from, op->from_pitch, &from))
        return false;
    step->from = from;
    step->direction = is_on_host(player, &op->from) ? cudaMemcpyHostToDevice
                      : is_on_host(player, &op->to) ? cudaMemcpyDeviceToHost
                                                    : cudaMemcpyDeviceToDevice;
    return true;
}

static bool prepare_set(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, run_set);
    return step && find_rows(player, op, &op->to, op->to_pitch, &step->to);
}

/* cudaLaunchKernel reads as many arguments as the kernel has, whatever we give it. */
static bool check_arguments(struct player *player, const struct trace_op *op, const void *kernel)
{
    size_t offset, size;
    for (uint32_t i = 0; i < op->narguments; i++)
        if (cudaFuncGetParamInfo(kernel, i, &offset, &size) != cudaSuccess || size != op->arguments[i].size) {
            cudaGetLastError();
            return fail(player, op, "Argument %u of %.80s has another size in the trace than in the kernel",
                        i, player->trace->names[op->name]);
        }
    if (cudaFuncGetParamInfo(kernel, op->narguments, &offset, &size) == cudaSuccess)
        return fail(player, op, "%.80s has more arguments than the trace", player->trace->names[op->name]);
    cudaGetLastError();
    return true;
}

static bool find_kernel(struct player *player, const struct trace_op *op, const void **kernel)
{
    cudaKernel_t found = NULL;
    const char *name = player->trace->names[op->name];
    if (cudaLibraryGetKernel(&found, player->library, name) != cudaSuccess) {
        cudaGetLastError();
        return fail(player, op, "There is no kernel %.80s", name);
    }
    *kernel = (const void *)found;
    if (!check_arguments(player, op, *kernel))
        return false;
    return !op->shared_limit ||
           passed(player, op,
                  cudaFuncSetAttribute(*kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       (int)op->shared_limit),
                  "cudaFuncSetAttribute");
}

static bool prepare_launch(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, op->is_cooperative ? run_cooperative : run_launch);
    if (!step || !find_kernel(player, op, &step->kernel) || !(step->data = relocate(player, op)))
        return false;
    step->arguments = malloc((op->narguments + 1) * sizeof *step->arguments);
    if (!step->arguments)
        return fail(player, op, "There is no memory left");
    for (uint32_t i = 0; i < op->narguments; i++)
        step->arguments[i] = step->data + op->arguments[i].offset;
    return true;
}

static bool prepare_event(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, op->kind == TRACE_EVENT_RECORD ? run_record : run_wait);
    cudaEvent_t *event = &player->events[op->value];
    if (!step || (!*event && !passed(player, op, cudaEventCreateWithFlags(event, cudaEventDisableTiming),
                                     "cudaEventCreate")))
        return false;
    step->event = *event;
    return true;
}

static bool prepare_sync(struct player *player, const struct trace_op *op)
{
    return add_step(player, op, op->stream == TRACE_ALL_STREAMS ? run_sync_all : run_sync);
}

static bool (*const prepare[TRACE_KINDS])(struct player *player, const struct trace_op *op) = {
    [TRACE_ALLOC] = prepare_alloc,       [TRACE_FREE] = prepare_nothing,
    [TRACE_WRITE] = prepare_write,       [TRACE_READ] = prepare_read,
    [TRACE_COPY] = prepare_copy,         [TRACE_SET] = prepare_set,
    [TRACE_LAUNCH] = prepare_launch,     [TRACE_EVENT_RECORD] = prepare_event,
    [TRACE_STREAM_WAIT] = prepare_event, [TRACE_SYNC] = prepare_sync,
    [TRACE_SAY] = prepare_nothing,
};

static bool prepare_stream(struct player *player, const struct trace_op *op)
{
    if (op->stream == TRACE_ALL_STREAMS || op->stream == 0 || player->streams[op->stream])
        return true;
    return passed(player, op, cudaStreamCreate(&player->streams[op->stream]), "cudaStreamCreate");
}

static bool check_notes(struct player *player)
{
    for (uint32_t i = 0; i < player->segment->nnotes; i++)
        if (player->segment->notes[i].is_fatal) {
            snprintf(player->error, player->size, "%s", player->segment->notes[i].text);
            return false;
        }
    return true;
}

static bool prepare_all(struct player *player)
{
    for (uint32_t i = 0; i < player->segment->nops; i++) {
        const struct trace_op *op = &player->segment->ops[i];
        if (!prepare_stream(player, op) || !prepare[op->kind](player, op))
            return false;
    }
    return true;
}

bool player_prepare(struct player *player, const struct trace_segment *segment, void *const *given,
                    char *error, size_t size)
{
    player->segment = segment;
    player->given = given;
    player->error = error;
    player->size = size;
    if (trace_check_segment(player->trace, segment, error, size) && check_notes(player) &&
        prepare_all(player)) {
        player_set_seed(player, 0);
        return true;
    }
    player_finish(player);
    return false;
}

/* ------------------------------------------------------------------------------------------- running */

bool player_run(struct player *player, char *error, size_t size)
{
    for (uint32_t i = 0; i < player->nsteps; i++) {
        const struct step *step = &player->steps[i];
        const cudaError_t status = step->run(step);
        if (status != cudaSuccess) {
            char what[200];
            player->error = error;
            player->size = size;
            struct trace_op op = *step->op;
            op.line = 0; /* fail() names it */
            trace_describe(player->trace, &op, what, sizeof what);
            return passed(player, step->op, status, what);
        }
    }
    return true;
}

void player_finish(struct player *player)
{
    cudaDeviceSynchronize();
    for (uint32_t i = 0; i < player->nsteps; i++) {
        free(player->steps[i].data);
        free(player->steps[i].arguments);
    }
    for (uint32_t i = 0; i < player->nown; i++)
        cudaFree(player->own[i]);
    for (uint32_t i = 0; i < TRACE_MAX_STREAMS; i++)
        if (player->streams[i])
            cudaStreamDestroy(player->streams[i]);
    for (uint32_t i = 0; i < TRACE_MAX_EVENTS; i++)
        if (player->events[i])
            cudaEventDestroy(player->events[i]);
    free(player->steps);
    free(player->scratch);
    *player = (struct player){.trace = player->trace, .library = player->library};
}

/* ------------------------------------------------------------------------------------------- the player */

static uint64_t little_endian(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* CUDA is not told how long the device code is: its container and the container's entries must say so rightly. */
static bool is_fatbin(const uint8_t *bytes, uint64_t size)
{
    enum { CONTAINER_BYTES = 16, LEAST_ENTRY_BYTES = 64 };
    if (size < CONTAINER_BYTES || little_endian(bytes, 4) != 0xBA55ED50 ||
        little_endian(bytes + 6, 2) != CONTAINER_BYTES ||
        little_endian(bytes + 8, 8) > size - CONTAINER_BYTES)
        return false;
    const uint64_t end = CONTAINER_BYTES + little_endian(bytes + 8, 8);
    for (uint64_t at = CONTAINER_BYTES; at < end;) {
        if (end - at < LEAST_ENTRY_BYTES)
            return false;
        const uint64_t header = little_endian(bytes + at + 4, 4), payload = little_endian(bytes + at + 8, 8);
        if (header < LEAST_ENTRY_BYTES || header > end - at || payload > end - at - header)
            return false;
        at += header + payload;
    }
    return true;
}

struct player *player_new(const struct trace *trace, const void *fatbin, size_t bytes, char *error,
                          size_t size)
{
    struct player *player = is_fatbin(fatbin, bytes) ? calloc(1, sizeof *player) : NULL;
    if (!player) {
        snprintf(error, size, "The device code is no fatbin, or it is cut off.");
        return NULL;
    }
    player->trace = trace;
    player->error = error;
    player->size = size;
    if (passed(player, NULL, cudaLibraryLoadData(&player->library, fatbin, NULL, NULL, 0, NULL, NULL, 0),
               "Loading the device code"))
        return player;
    free(player);
    return NULL;
}

void player_free(struct player *player)
{
    if (!player)
        return;
    player_finish(player);
    cudaLibraryUnload(player->library);
    free(player);
}
