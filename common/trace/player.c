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
#include "trace/texture.h"

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
    void **arguments;              /* into data */
    uint8_t *data;                 /* relocated */
    struct cudaMemcpy3DParms *box; /* of a copy to or from an array */
    struct player *player;         /* of graphs and of steps of the host */
    uint32_t number;               /* of a graph */
};

struct image {
    cudaArray_t array;
    struct trace_image form;
};

struct player {
    const struct trace *trace;
    cudaLibrary_t library;

    /* from prepare to finish */
    const struct trace_segment *segment;
    void *given[TRACE_MAX_GIVEN];
    void *own[TRACE_MAX_OWN];
    uint32_t nown;
    struct image images[TRACE_MAX_OWN];
    uint32_t nimages;
    cudaTextureObject_t objects[TRACE_MAX_OWN];
    uint32_t nobjects;
    cudaStream_t streams[TRACE_MAX_STREAMS]; /* [0] stays NULL: the default stream */
    cudaEvent_t events[TRACE_MAX_EVENTS];
    cudaGraph_t graphs[TRACE_MAX_GRAPHS]; /* of the last run */
    cudaGraphExec_t made[TRACE_MAX_GRAPHS];
    uint32_t ngraphs, nmade;
    uint8_t **pinned;
    uint32_t npinned;
    struct player_hooks hooks;
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

/* Calls that wait have no stream: they are on the default one. */
static cudaError_t move_and_wait(const struct step *step, enum cudaMemcpyKind kind)
{
    if (step->height == 1)
        return cudaMemcpy(step->to, step->from, step->width, kind);
    return cudaMemcpy2D(step->to, step->to_pitch, step->from, step->from_pitch, step->width, step->height,
                        kind);
}

/* One row goes through the plain call: its length is not bound by the largest pitch, and it may be faster. */
static cudaError_t move(const struct step *step, enum cudaMemcpyKind kind)
{
    if (step->op->is_sync)
        return move_and_wait(step, kind);
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

static cudaError_t run_box(const struct step *step)
{
    return cudaMemcpy3DAsync(step->box, step->stream);
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

static cudaError_t run_event_sync(const struct step *step)
{
    return cudaEventSynchronize(step->event);
}

static cudaError_t run_host(const struct step *step)
{
    const struct player_hooks *hooks = &step->player->hooks;
    hooks->host(hooks->context, step->op->value, step->to, step->width, step->from, step->height);
    return cudaSuccess;
}

static cudaError_t run_capture(const struct step *step)
{
    return cudaStreamBeginCapture(step->stream, cudaStreamCaptureModeThreadLocal);
}

static cudaError_t run_capture_end(const struct step *step)
{
    return cudaStreamEndCapture(step->stream, &step->player->graphs[step->number]);
}

static cudaError_t run_graph_make(const struct step *step)
{
    return cudaGraphInstantiate(&step->player->made[step->number], step->player->graphs[step->op->value], 0);
}

static cudaError_t run_graph_launch(const struct step *step)
{
    return cudaGraphLaunch(step->player->made[step->number], step->stream);
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
    step->player = player;
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
void *player_address(const struct player *player, const struct trace_place *place)
{
    void *base = NULL;
    size_t size;
    if (place->space != TRACE_SYMBOL)
        base = place->space == TRACE_GIVEN ? player->given[place->index] : player->own[place->index];
    else if (cudaLibraryGetGlobal(&base, &size, player->library, player->trace->names[place->index]))
        return NULL;
    return (uint8_t *)base + place->offset;
}

static bool find_place(struct player *player, const struct trace_op *op, const struct trace_place *place,
                       uint64_t bytes, uint8_t **address)
{
    if (place->space == TRACE_SYMBOL)
        return find_symbol(player, op, place, bytes, address);
    if (place->space == TRACE_OBJECT) { /* its handle is the word that is asked for */
        *address = (uint8_t *)(uintptr_t)player->objects[place->index];
        return true;
    }
    *address = player_address(player, place);
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

void player_set_hooks(struct player *player, const struct player_hooks *hooks)
{
    player->hooks = *hooks;
}

/* Also after a run that stopped in the middle. */
static void drop_graphs(struct player *player)
{
    for (uint32_t i = 0; i < player->nmade; i++)
        if (player->made[i])
            cudaGraphExecDestroy(player->made[i]);
    for (uint32_t i = 0; i < player->ngraphs; i++)
        if (player->graphs[i])
            cudaGraphDestroy(player->graphs[i]);
    memset(player->made, 0, sizeof player->made);
    memset(player->graphs, 0, sizeof player->graphs);
}

void player_make_ready(struct player *player, uint64_t seed)
{
    drop_graphs(player);
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

static enum cudaMemcpyKind direction_of(const struct player *player, const struct trace_op *op)
{
    return is_on_host(player, &op->from) ? cudaMemcpyHostToDevice
           : is_on_host(player, &op->to) ? cudaMemcpyDeviceToHost
                                         : cudaMemcpyDeviceToDevice;
}

static bool prepare_copy(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, run_copy);
    uint8_t *from = NULL;
    if (!step || !find_rows(player, op, &op->to, op->to_pitch, &step->to) ||
        !find_rows(player, op, &op->from, op->from_pitch, &from))
        return false;
    step->from = from;
    step->direction = direction_of(player, op);
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
    if (op->shared_limit && player->hooks.before)
        player->hooks.before(player->hooks.context, op);
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
    struct step *step = add_step(player, op,
                                 op->kind == TRACE_EVENT_RECORD  ? run_record
                                 : op->kind == TRACE_STREAM_WAIT ? run_wait
                                                                 : run_event_sync);
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

/* Memory is pinned before the first run and until the last one is over: a program does it once. */
static bool prepare_pin(struct player *player, const struct trace_op *op)
{
    uint8_t *memory = NULL;
    uint8_t **grown = realloc(player->pinned, (player->npinned + 1) * sizeof *grown);
    if (!grown)
        return fail(player, op, "There is no memory left");
    player->pinned = grown;
    if (!find_place(player, op, &op->to, op->width, &memory) ||
        !passed(player, op, cudaHostRegister(memory, op->width, cudaHostRegisterDefault), "cudaHostRegister"))
        return false;
    player->pinned[player->npinned++] = memory;
    return true;
}

static bool prepare_host(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, run_host);
    uint8_t *from = NULL;
    if (!player->hooks.host)
        return fail(player, op, "Nobody does the steps of the host");
    if (!step || !find_place(player, op, &op->to, op->width, &step->to) ||
        !find_place(player, op, &op->from, op->height, &from))
        return false;
    step->from = from;
    return true;
}

static bool prepare_capture(struct player *player, const struct trace_op *op)
{
    return add_step(player, op, run_capture);
}

static bool prepare_capture_end(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, run_capture_end);
    if (step)
        step->number = player->ngraphs++;
    return step;
}

static bool prepare_graph_make(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, run_graph_make);
    if (step)
        step->number = player->nmade++;
    return step;
}

static bool prepare_graph_launch(struct player *player, const struct trace_op *op)
{
    struct step *step = add_step(player, op, run_graph_launch);
    if (step)
        step->number = op->value;
    return step;
}

/* ------------------------------------------------------------------------------------------- arrays, textures */

static struct cudaChannelFormatDesc format_of(const struct trace_texture *texture)
{
    return (struct cudaChannelFormatDesc){(int)texture->bits[0], (int)texture->bits[1], (int)texture->bits[2],
                                          (int)texture->bits[3], (enum cudaChannelFormatKind)texture->kind};
}

static bool prepare_array(struct player *player, const struct trace_op *op)
{
    const struct cudaChannelFormatDesc format = format_of(&op->texture);
    struct image *image = &player->images[player->nimages];
    trace_image_of(op, &image->form);
    const cudaError_t status =
        cudaMallocArray(&image->array, &format, image->form.row / image->form.texel, op->height, op->value);
    if (status == cudaSuccess)
        player->nimages++;
    return passed(player, op, status, "cudaMallocArray");
}

static struct cudaPos corner_of(const struct image *image, uint64_t offset)
{
    const struct trace_image *form = &image->form;
    return (struct cudaPos){offset % form->row / form->texel, offset / form->row, 0};
}

/* The array that a side of a copy is; NULL: memory. */
static const struct image *image_of(const struct player *player, const struct trace_place *place)
{
    return place->space == TRACE_IMAGE ? &player->images[place->index] : NULL;
}

static bool set_to(struct player *player, const struct trace_op *op, struct cudaMemcpy3DParms *box)
{
    const struct image *image = image_of(player, &op->to);
    uint8_t *to = NULL;
    if (!image && !find_rows(player, op, &op->to, op->to_pitch, &to))
        return false;
    if (image) {
        box->dstArray = image->array;
        box->dstPos = corner_of(image, op->to.offset);
        box->extent.width = op->width / image->form.texel;
    } else {
        box->dstPtr =
            (struct cudaPitchedPtr){to, op->to_pitch ? op->to_pitch : op->width, op->width, op->height};
    }
    return true;
}

static bool set_from(struct player *player, const struct trace_op *op, struct cudaMemcpy3DParms *box)
{
    const struct image *image = image_of(player, &op->from);
    uint8_t *from = NULL;
    if (!image && !find_rows(player, op, &op->from, op->from_pitch, &from))
        return false;
    if (image) {
        box->srcArray = image->array;
        box->srcPos = corner_of(image, op->from.offset);
        box->extent.width = op->width / image->form.texel;
    } else {
        box->srcPtr =
            (struct cudaPitchedPtr){from, op->from_pitch ? op->from_pitch : op->width, op->width, op->height};
    }
    return true;
}

static struct step *add_box(struct player *player, const struct trace_op *op, enum cudaMemcpyKind kind)
{
    struct step *step = add_step(player, op, run_box);
    if (!step)
        return NULL;
    step->box = calloc(1, sizeof *step->box);
    if (!step->box) {
        fail(player, op, "There is no memory left");
        return NULL;
    }
    step->box->extent = (struct cudaExtent){0, op->height, 1};
    step->box->kind = kind;
    return step;
}

static bool prepare_array_write(struct player *player, const struct trace_op *op)
{
    struct step *step = add_box(player, op, cudaMemcpyHostToDevice);
    if (!step || !(step->data = relocate(player, op)) || !set_to(player, op, step->box))
        return false;
    step->box->srcPtr = (struct cudaPitchedPtr){step->data, op->width, op->width, op->height};
    return true;
}

static bool prepare_array_copy(struct player *player, const struct trace_op *op)
{
    struct step *step = add_box(player, op, direction_of(player, op));
    return step && set_to(player, op, step->box) && set_from(player, op, step->box);
}

static bool describe_resource(struct player *player, const struct trace_op *op,
                              struct cudaResourceDesc *resource)
{
    const struct image *image = image_of(player, &op->from);
    const uint32_t texel = trace_texel_bytes(&op->texture);
    uint8_t *from = NULL;
    if (image) {
        resource->resType = cudaResourceTypeArray;
        resource->res.array.array = image->array;
        return true;
    }
    if (!find_place(player, op, &op->from,
                    op->height ? (op->height - 1) * op->from_pitch + op->width : op->width, &from))
        return false;
    resource->resType = op->height ? cudaResourceTypePitch2D : cudaResourceTypeLinear;
    resource->res.linear.devPtr = from;
    resource->res.linear.desc = format_of(&op->texture);
    if (!op->height) {
        resource->res.linear.sizeInBytes = op->width;
        return true;
    }
    resource->res.pitch2D.width = op->width / texel;
    resource->res.pitch2D.height = op->height;
    resource->res.pitch2D.pitchInBytes = op->from_pitch;
    return true;
}

static struct cudaTextureDesc sampling_of(const struct trace_texture *texture)
{
    struct cudaTextureDesc desc = {.filterMode = (enum cudaTextureFilterMode)texture->filter,
                                   .readMode = (enum cudaTextureReadMode)texture->read,
                                   .normalizedCoords = (int)texture->is_normalized,
                                   .sRGB = (int)texture->is_srgb};
    for (int i = 0; i < 3; i++)
        desc.addressMode[i] = (enum cudaTextureAddressMode)texture->address[i];
    memcpy(desc.borderColor, texture->border, sizeof desc.borderColor);
    return desc;
}

static bool prepare_texture(struct player *player, const struct trace_op *op)
{
    struct cudaResourceDesc resource = {.flags = 0};
    const struct cudaTextureDesc desc = sampling_of(&op->texture);
    if (!describe_resource(player, op, &resource))
        return false;
    const cudaError_t status =
        cudaCreateTextureObject(&player->objects[player->nobjects], &resource, &desc, NULL);
    if (status == cudaSuccess)
        player->nobjects++;
    return passed(player, op, status, "cudaCreateTextureObject");
}

/* ------------------------------------------------------------------------------------------- all of a segment */

static bool (*const prepare[TRACE_KINDS])(struct player *player, const struct trace_op *op) = {
    [TRACE_ALLOC] = prepare_alloc,
    [TRACE_FREE] = prepare_nothing,
    [TRACE_WRITE] = prepare_write,
    [TRACE_READ] = prepare_read,
    [TRACE_COPY] = prepare_copy,
    [TRACE_SET] = prepare_set,
    [TRACE_LAUNCH] = prepare_launch,
    [TRACE_EVENT_RECORD] = prepare_event,
    [TRACE_STREAM_WAIT] = prepare_event,
    [TRACE_SYNC] = prepare_sync,
    [TRACE_SAY] = prepare_nothing,
    [TRACE_EVENT_SYNC] = prepare_event,
    [TRACE_STREAM] = prepare_nothing,
    [TRACE_PIN] = prepare_pin,
    [TRACE_HOST] = prepare_host,
    [TRACE_CAPTURE] = prepare_capture,
    [TRACE_CAPTURE_END] = prepare_capture_end,
    [TRACE_GRAPH_MAKE] = prepare_graph_make,
    [TRACE_GRAPH_LAUNCH] = prepare_graph_launch,
    [TRACE_ARRAY_ALLOC] = prepare_array,
    [TRACE_ARRAY_WRITE] = prepare_array_write,
    [TRACE_ARRAY_COPY] = prepare_array_copy,
    [TRACE_TEXTURE] = prepare_texture,
    [TRACE_DROP] = prepare_nothing,
};

static bool prepare_stream(struct player *player, const struct trace_op *op)
{
    if (op->stream == TRACE_ALL_STREAMS || op->stream == 0 || player->streams[op->stream])
        return true;
    return passed(player, op,
                  cudaStreamCreateWithFlags(&player->streams[op->stream], op->kind == TRACE_STREAM
                                                                              ? cudaStreamNonBlocking
                                                                              : cudaStreamDefault),
                  "cudaStreamCreate");
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

static const bool is_wait[TRACE_KINDS] = {
    [TRACE_SYNC] = true, [TRACE_EVENT_SYNC] = true, [TRACE_EVENT_RECORD] = true, [TRACE_STREAM_WAIT] = true};

/* True if waiting orders nothing: all work is in one stream, and none of it moves data of the host's. */
static bool is_in_one_stream(const struct player *player)
{
    static const bool is_of_host[TRACE_KINDS] = {
        [TRACE_HOST] = true, [TRACE_CAPTURE] = true, [TRACE_PIN] = true};
    uint32_t stream = TRACE_ALL_STREAMS;
    for (uint32_t i = 0; i < player->segment->nops; i++) {
        const struct trace_op *op = &player->segment->ops[i];
        if (is_of_host[op->kind] || is_on_host(player, &op->to) || is_on_host(player, &op->from))
            return false;
        if (is_wait[op->kind] || op->kind == TRACE_ALLOC || op->stream == stream)
            continue;
        if (stream != TRACE_ALL_STREAMS)
            return false;
        stream = op->stream;
    }
    return true;
}

/* Host code that only waits takes other times on each machine, and nobody grades it: in a single stream it is left out. */
static bool prepare_all(struct player *player)
{
    const bool is_single = is_in_one_stream(player);
    for (uint32_t i = 0; i < player->segment->nops; i++) {
        const struct trace_op *op = &player->segment->ops[i];
        if (is_single && is_wait[op->kind])
            continue;
        if (!prepare_stream(player, op) || !prepare[op->kind](player, op))
            return false;
    }
    return true;
}

/* The segment has passed its rules: it has no more given buffers than there is room for. */
static bool prepare_with(struct player *player, void *const *given)
{
    for (uint32_t i = 0; i < player->segment->ngiven; i++)
        player->given[i] = given[i];
    return prepare_all(player);
}

bool player_prepare(struct player *player, const struct trace_segment *segment, void *const *given,
                    char *error, size_t size)
{
    player->segment = segment;
    player->error = error;
    player->size = size;
    if (trace_check_segment(player->trace, segment, error, size) && check_notes(player) &&
        prepare_with(player, given)) {
        player_make_ready(player, 0);
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
        if (player->hooks.before)
            player->hooks.before(player->hooks.context, step->op);
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

/* A run that stopped may have left one open: nothing can be waited for then. */
static void end_captures(struct player *player)
{
    enum cudaStreamCaptureStatus status;
    for (uint32_t i = 1; i < TRACE_MAX_STREAMS; i++)
        if (player->streams[i] && cudaStreamIsCapturing(player->streams[i], &status) == cudaSuccess &&
            status != cudaStreamCaptureStatusNone) {
            cudaGraph_t graph = NULL;
            cudaStreamEndCapture(player->streams[i], &graph);
            if (graph)
                cudaGraphDestroy(graph);
            cudaGetLastError();
        }
}

void player_finish(struct player *player)
{
    end_captures(player);
    cudaDeviceSynchronize();
    drop_graphs(player);
    for (uint32_t i = 0; i < player->npinned; i++)
        cudaHostUnregister(player->pinned[i]);
    for (uint32_t i = 0; i < player->nsteps; i++) {
        free(player->steps[i].data);
        free(player->steps[i].arguments);
        free(player->steps[i].box);
    }
    for (uint32_t i = 0; i < player->nobjects; i++)
        cudaDestroyTextureObject(player->objects[i]);
    for (uint32_t i = 0; i < player->nimages; i++)
        cudaFreeArray(player->images[i].array);
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
    free(player->pinned);
    *player = (struct player){.trace = player->trace, .library = player->library, .hooks = player->hooks};
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
