/* graph_node.c - graphs as data: making, cloning, freeing and executing nodes.
 * Nodes execute one after another in an order that respects their dependencies; of several that could, the oldest.
 * The API over it is in graph.c, recording from streams in capture.c. */
#include <stdlib.h>
#include <string.h>

#include "runtime/graph_node.h"

/* ------------------------------------------------------------------------------------------- life */

struct CUgraph_st *graph_new(void)
{
    struct CUgraph_st *graph = calloc(1, sizeof *graph);
    if (graph)
        graph->last = &graph->first;
    return graph;
}

void node_drop(struct CUgraphNode_st *node)
{
    if (node->type == cudaGraphNodeTypeKernel) {
        free(node->kernel.bytes);
        free(node->kernel.args);
    } else if (node->type == cudaGraphNodeTypeGraph) {
        graph_free(node->child);
    } else if (node->type == cudaGraphNodeTypeMemAlloc) {
        graph_memory_drop(node->memory.pointer);
    }
}

void graph_free(struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph ? graph->first : NULL, *next; node; node = next) {
        next = node->next;
        node_drop(node);
        free(node->needs);
        free(node);
    }
    free(graph);
}

bool node_needs(struct CUgraphNode_st *node, struct CUgraphNode_st *need)
{
    for (size_t i = 0; i < node->nneeds; i++)
        if (node->needs[i] == need)
            return true;
    struct CUgraphNode_st **grown = realloc(node->needs, (node->nneeds + 1) * sizeof *grown);
    if (!grown)
        return false;
    node->needs = grown;
    node->needs[node->nneeds++] = need;
    return true;
}

struct CUgraphNode_st *graph_add(struct CUgraph_st *graph, enum cudaGraphNodeType type,
                                 struct CUgraphNode_st *const *needs, size_t nneeds)
{
    for (size_t i = 0; i < nneeds; i++)
        if (!needs[i] || needs[i]->graph != graph)
            return NULL;
    struct CUgraphNode_st *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->type = type;
    node->graph = graph;
    for (size_t i = 0; i < nneeds; i++)
        node_needs(node, needs[i]);
    *graph->last = node;
    graph->last = &node->next;
    graph->count++;
    return node;
}

/* Arguments are copied now: the caller's may be gone when the graph runs. */
cudaError_t node_set_kernel(struct CUgraphNode_st *node, const struct launch_request *request)
{
    const struct function *function = request->kernel->function;
    uint8_t *bytes = calloc(1, function->param_bytes + 16);
    void **args = calloc(function->nparams + 1, sizeof *args);
    if (!bytes || !args) {
        free(bytes);
        free(args);
        return cudaErrorMemoryAllocation;
    }
    for (uint32_t i = 0; i < function->nparams; i++) {
        args[i] = bytes + function->params[i].offset;
        memcpy(args[i], request->args[i], function->params[i].size);
    }
    free(node->kernel.bytes);
    free(node->kernel.args);
    node->kernel = (struct kernel_node){
        request->kernel, request->grid, request->block, request->shared, request->is_cooperative,
        bytes,           args};
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- cloning */

static struct CUgraphNode_st *clone_of(const struct CUgraph_st *clone, const struct CUgraphNode_st *origin)
{
    struct CUgraphNode_st *node = clone->first;
    while (node && node->origin != origin)
        node = node->next;
    return node;
}

static struct launch_request request_of(const struct kernel_node *kernel, cudaStream_t stream)
{
    return (struct launch_request){kernel->kernel, kernel->grid, kernel->block,          kernel->shared,
                                   kernel->args,   stream,       kernel->is_cooperative, false};
}

static bool clone_content(struct CUgraphNode_st *copy, const struct CUgraphNode_st *node)
{
    if (node->type == cudaGraphNodeTypeKernel) {
        struct launch_request request = request_of(&node->kernel, NULL);
        return node_set_kernel(copy, &request) == cudaSuccess;
    }
    if (node->type == cudaGraphNodeTypeGraph)
        return (copy->child = graph_clone(node->child)) != NULL;
    copy->copy = node->copy; /* the largest of the plain members: all of them are copied by it */
    if (node->type == cudaGraphNodeTypeMemAlloc)
        graph_memory_keep(node->memory.pointer);
    return true;
}

static bool clone_node(struct CUgraph_st *clone, struct CUgraphNode_st *node)
{
    struct CUgraphNode_st *copy = graph_add(clone, node->type, NULL, 0);
    if (!copy)
        return false;
    copy->origin = node;
    copy->is_disabled = node->is_disabled;
    return clone_content(copy, node);
}

struct CUgraph_st *graph_clone(const struct CUgraph_st *graph)
{
    struct CUgraph_st *clone = graph_new();
    bool is_good = clone != NULL;
    for (struct CUgraphNode_st *node = graph->first; is_good && node; node = node->next)
        is_good = clone_node(clone, node);
    for (struct CUgraphNode_st *node = graph->first; is_good && node; node = node->next)
        for (size_t i = 0; is_good && i < node->nneeds; i++)
            is_good = node_needs(clone_of(clone, node), clone_of(clone, node->needs[i]));
    if (is_good)
        return clone;
    graph_free(clone);
    return NULL;
}

/* ------------------------------------------------------------------------------------------- execution */

static bool is_ready(const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->nneeds; i++)
        if (!node->needs[i]->is_done)
            return false;
    return true;
}

/* The oldest node that has not run and whose needs have; NULL: none. */
static struct CUgraphNode_st *next_node(struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        if (!node->is_done && is_ready(node))
            return node;
    return NULL;
}

static void begin_order(struct CUgraph_st *graph)
{
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        node->is_done = false;
}

bool graph_is_sound(struct CUgraph_st *graph)
{
    size_t count = 0;
    begin_order(graph);
    for (struct CUgraphNode_st *node; (node = next_node(graph)); count++)
        node->is_done = true;
    return count == graph->count;
}

static cudaError_t run_kernel(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    struct launch_request request = request_of(&node->kernel, stream);
    cudaError_t error;
    request.kernel =
        runtime_kernel(node->kernel.kernel->host, &error); /* decoded anew if the device was reset */
    return request.kernel ? runtime_launch(&request) : error;
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
        runtime_bytes("a graph's memset", "destination", set->dst, span, SIDE_DEVICE, true, &error);
    if (!bytes)
        return error;
    for (uint64_t row = 0; row < height; row++) {
        for (uint64_t i = 0; i < width; i += set->elementSize)
            memcpy(bytes + row * set->pitch + i, &set->value, set->elementSize);
        runtime_written((char *)set->dst + row * set->pitch, width);
    }
    runtime_memset_time(stream, width * height);
    return cudaSuccess;
}

static cudaError_t run_memset(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    const struct cudaMemsetParams *set = &node->memset;
    if (runtime_has_fault())
        return cudaSuccess;
    if (set->elementSize != 1)
        return run_wide_memset(set, stream);
    return cudaMemset2DAsync(set->dst, set->height > 1 ? set->pitch : set->width, (int)set->value, set->width,
                             set->height ? set->height : 1, stream);
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

static cudaError_t run_nothing(const struct CUgraphNode_st *node, cudaStream_t stream)
{
    (void)node, (void)stream;
    return cudaSuccess;
}

typedef cudaError_t run_fn(const struct CUgraphNode_st *node, cudaStream_t stream);
static run_fn *const runners[] = {
    [cudaGraphNodeTypeKernel] = run_kernel,  [cudaGraphNodeTypeMemcpy] = run_copy,
    [cudaGraphNodeTypeMemset] = run_memset,  [cudaGraphNodeTypeHost] = run_host,
    [cudaGraphNodeTypeGraph] = run_child,    [cudaGraphNodeTypeEmpty] = run_nothing,
    [cudaGraphNodeTypeWaitEvent] = run_wait, [cudaGraphNodeTypeEventRecord] = run_record,
    [cudaGraphNodeTypeMemAlloc] = run_alloc, [cudaGraphNodeTypeMemFree] = run_free,
};

/* Branches run side by side: a node begins when those it needs have ended, on a stream whose time is set to that. */
static void begin_node(const struct CUgraphNode_st *node, struct CUstream_st *stream, picoseconds start)
{
    runtime_lock();
    stream->time = start;
    for (size_t i = 0; i < node->nneeds; i++)
        if (stream->time < node->needs[i]->end)
            stream->time = node->needs[i]->end;
    runtime_unlock();
}

/* The stream goes on when the last of the nodes so far has ended. */
static void end_node(struct CUgraphNode_st *node, struct CUstream_st *stream, picoseconds *end)
{
    runtime_lock();
    node->end = stream->time;
    *end = *end > node->end ? *end : node->end;
    stream->time = *end;
    runtime_unlock();
}

cudaError_t graph_execute(struct CUgraph_st *graph, cudaStream_t handle)
{
    cudaError_t error = cudaSuccess;
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    const picoseconds start = clock_ready(stream);
    runtime_unlock();
    picoseconds end = start;
    begin_order(graph);
    for (struct CUgraphNode_st *node; !error && (node = next_node(graph));) {
        begin_node(node, stream, start);
        node->is_done = true;
        if (!node->is_disabled)
            error = runners[node->type](node, handle);
        end_node(node, stream, &end);
    }
    return error;
}
