/* graph_run.c - executes a graph: each node by the call that its stream would have got.
 * Nodes run one after another, in an order that respects what they need; their times run side by side.
 * Nothing below knows of it: calls that a capture records never come back here. Whoever watches is told of the nodes. */
#include <string.h>

#include "runtime/graph_memory.h"
#include "runtime/graph_node.h"
#include "runtime/pointer.h"
#include "runtime/watch.h"

static cudaError_t run_kernel(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    struct launch_request request = node_request(&node->kernel, stream);
    cudaError_t error;
    request.kernel =
        kernel_load(node->kernel.kernel->host, &error); /* decoded anew if the device was reset */
    return request.kernel ? launch_kernel(&request) : error;
}

static cudaError_t run_copy(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    const struct copy_node *copy = &node->copy;
    if (copy->is_plain)
        return cudaMemcpyAsync(copy->destination, copy->source, copy->bytes, copy->kind, stream);
    return cudaMemcpy3DAsync(&copy->params, stream);
}

/* Elements of 2 or 4 bytes have no memset call: they are written here. */
static cudaError_t run_wide_memset(const struct cudaMemsetParams *set, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    uint64_t width = set->width * set->elementSize, height = set->height ? set->height : 1;
    uint64_t span = (height - 1) * set->pitch + width;
    uint8_t *bytes =
        pointer_bytes("a graph's memset", "destination", set->dst, span, SIDE_DEVICE, true, &error);
    if (!bytes)
        return error;
    watch_other("a graph's memset of words");
    for (uint64_t row = 0; row < height; row++) {
        for (uint64_t i = 0; i < width; i += set->elementSize)
            memcpy(bytes + row * set->pitch + i, &set->value, set->elementSize);
        pointer_written((char *)set->dst + row * set->pitch, width);
    }
    clock_memset(stream, width * height);
    order_set("a memset", stream, &(struct order_rows){set->dst, set->pitch, 0, width, height, 1});
    return cudaSuccess;
}

/* True if all bytes of an element are alike. */
static bool is_of_bytes(const struct cudaMemsetParams *set)
{
    const uint32_t byte = set->value & UINT8_MAX;
    for (unsigned i = 1; i < set->elementSize; i++)
        if ((set->value >> (8 * i) & UINT8_MAX) != byte)
            return false;
    return true;
}

static cudaError_t run_memset(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    const struct cudaMemsetParams *set = &node->memset;
    if (runtime_has_fault())
        return cudaSuccess;
    if (!is_of_bytes(set))
        return run_wide_memset(set, stream);
    const size_t width = set->width * set->elementSize;
    return cudaMemset2DAsync(set->dst, set->height > 1 ? set->pitch : width, (int)(set->value & UINT8_MAX),
                             width, set->height ? set->height : 1, stream);
}

static cudaError_t run_host(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    return cudaLaunchHostFunc(stream, node->host.fn, node->host.userData);
}

static cudaError_t run_child(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    return graph_execute(node->child, stream);
}

static cudaError_t run_record(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    return cudaEventRecord(node->event, stream);
}

static cudaError_t run_wait(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    return cudaStreamWaitEvent(stream, node->event, 0);
}

static cudaError_t run_alloc(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    (void)stream;
    graph_memory_use(node->memory.pointer);
    return cudaSuccess;
}

static cudaError_t run_free(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    return graph_memory_free(node->memory.pointer) ? cudaSuccess
                                                   : cudaFreeAsync(node->memory.pointer, stream);
}

static cudaError_t run_loop(const struct conditional_node *node, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (const uint32_t *word;
         !error && !runtime_has_fault() && (word = graph_condition(node->handle)) && *word;)
        error = graph_execute(node->bodies[0], stream);
    return error;
}

/* Which body runs, once; node->count: none. */
static size_t chosen_body(const struct conditional_node *node, uint32_t value)
{
    const size_t body = node->type == cudaGraphCondTypeIf ? !value : value;
    return body < node->count ? body : node->count;
}

static cudaError_t run_conditional(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    const struct conditional_node *conditional = &node->conditional;
    const uint32_t *word = graph_condition(conditional->handle);
    if (!word)
        return runtime_error(cudaErrorInvalidValue);
    if (conditional->type == cudaGraphCondTypeWhile)
        return run_loop(conditional, stream);
    const size_t body = chosen_body(conditional, *word);
    return body < conditional->count ? graph_execute(conditional->bodies[body], stream) : cudaSuccess;
}

static cudaError_t run_nothing(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    (void)node, (void)stream;
    return cudaSuccess;
}

typedef cudaError_t run_fn(const struct CUgraphNode_st *node, cudaStream_t stream);
static run_fn *const runners[] = {
    [cudaGraphNodeTypeKernel] = run_kernel,
    [cudaGraphNodeTypeMemcpy] = run_copy,
    [cudaGraphNodeTypeMemset] = run_memset,
    [cudaGraphNodeTypeHost] = run_host,
    [cudaGraphNodeTypeGraph] = run_child,
    [cudaGraphNodeTypeEmpty] = run_nothing,
    [cudaGraphNodeTypeWaitEvent] = run_wait,
    [cudaGraphNodeTypeEventRecord] = run_record,
    [cudaGraphNodeTypeMemAlloc] = run_alloc,
    [cudaGraphNodeTypeMemFree] = run_free,
    [cudaGraphNodeTypeConditional] = run_conditional,
};

cudaError_t graph_run_node(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    return runners[node->type](node, stream);
}

/* Branches run side by side: a node begins when those it needs have ended, on a stream whose time is set to that. */
struct moment {
    picoseconds time;
    struct order order;
};

static void begin_node(const struct CUgraphNode_st *node, struct CUstream_st *stream,
                       const struct moment *start)
{
    runtime_lock();
    stream->time = start->time;
    stream->order = start->order;
    for (size_t i = 0; i < node->nneeds; i++) {
        if (stream->time < node->needs[i]->end)
            stream->time = node->needs[i]->end;
        order_join(&stream->order, &node->needs[i]->order);
    }
    order_set_frames(node->frames[0] ? node->frames : NULL);
    runtime_unlock();
}

/* The stream goes on when the last of the nodes so far has ended. */
static void end_node(struct CUgraphNode_st *node, struct CUstream_st *stream, struct moment *end)
{
    runtime_lock();
    node->end = stream->time;
    node->order = stream->order;
    end->time = end->time > node->end ? end->time : node->end;
    order_join(&end->order, &node->order);
    stream->time = end->time;
    stream->order = end->order;
    order_set_frames(NULL);
    runtime_unlock();
}

cudaError_t graph_execute(struct CUgraph_st *graph, cudaStream_t handle)
{
    cudaError_t error = cudaSuccess;
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    const struct moment start = {clock_ready(stream), order_before(stream)};
    runtime_unlock();
    struct moment end = start;
    graph_begin(graph);
    for (struct CUgraphNode_st *node; !error && (node = graph_next(graph));) {
        begin_node(node, stream, &start);
        node->is_done = true;
        if (!node->is_disabled)
            error = graph_run_node(node, handle);
        end_node(node, stream, &end);
    }
    return error;
}
