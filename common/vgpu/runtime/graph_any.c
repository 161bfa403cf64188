/* graph_any.c - nodes of any type by one call, and nodes whose bodies run or not: conditions.
 * A condition is a word of device memory, which kernels set (exec/builtins.c); its handle is the word's address. */
#include <stdlib.h>
#include <string.h>

#include "runtime/graph_node.h"

static cudaError_t invalid(void)
{
    return runtime_error(cudaErrorInvalidValue);
}

/* ------------------------------------------------------------------------------------------- conditions */

uint32_t *graph_condition(cudaGraphConditionalHandle handle)
{
    const struct allocation *word = memory_find(runtime_memory(), handle);
    return word && word->base == handle && word->size == sizeof(uint32_t) ? (uint32_t *)word->host : NULL;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *out, cudaGraph_t graph,
                                             unsigned value, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !graph || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return invalid();
    struct allocation *word = memory_alloc(runtime_memory(), sizeof(uint32_t), ALLOC_SYMBOL);
    if (!word)
        return runtime_error(cudaErrorMemoryAllocation);
    word->name = "graph condition";
    memset(word->host, 0, sizeof(uint32_t));
    memory_mark_written(word, word->base, sizeof(uint32_t));
    *out = word->base;
    const struct condition condition = {word->base, value, flags & cudaGraphCondAssignDefault};
    return graph_add_condition(graph, &condition) ? cudaSuccess : runtime_error(cudaErrorMemoryAllocation);
}

void graph_set_conditions(const struct CUgraph_st *graph)
{
    for (size_t i = 0; i < graph->nconditions; i++) {
        const struct condition *condition = &graph->conditions[i];
        uint32_t *word = condition->is_assigned ? graph_condition(condition->handle) : NULL;
        if (word)
            *word = condition->value;
    }
}

static bool is_conditional(const struct cudaConditionalNodeParams *params)
{
    const unsigned most[] = {
        [cudaGraphCondTypeIf] = 2, [cudaGraphCondTypeWhile] = 1, [cudaGraphCondTypeSwitch] = 1u << 16};
    return (unsigned)params->type <= cudaGraphCondTypeSwitch && params->size >= 1 &&
           params->size <= most[params->type] && graph_condition(params->handle);
}

/* ------------------------------------------------------------------------------------------- nodes of any type */

/* What every node has. */
struct place {
    cudaGraphNode_t *out;
    cudaGraph_t graph;
    const cudaGraphNode_t *needs;
    size_t nneeds;
};
#define PLACE(place) (place)->out, (place)->graph, (place)->needs, (place)->nneeds

static cudaError_t add_kernel(const struct place *place, struct cudaGraphNodeParams *params)
{
    const struct cudaKernelNodeParams kernel = {.func = params->kernel.func,
                                                .gridDim = params->kernel.gridDim,
                                                .blockDim = params->kernel.blockDim,
                                                .sharedMemBytes = params->kernel.sharedMemBytes,
                                                .kernelParams = params->kernel.kernelParams,
                                                .extra = params->kernel.extra};
    return cudaGraphAddKernelNode(PLACE(place), &kernel);
}

static cudaError_t add_copy(const struct place *place, struct cudaGraphNodeParams *params)
{
    return cudaGraphAddMemcpyNode(PLACE(place), &params->memcpy.copyParams);
}

static cudaError_t add_memset(const struct place *place, struct cudaGraphNodeParams *params)
{
    const struct cudaMemsetParams set = {.dst = params->memset.dst,
                                         .pitch = params->memset.pitch,
                                         .value = params->memset.value,
                                         .elementSize = params->memset.elementSize,
                                         .width = params->memset.width,
                                         .height = params->memset.height};
    return cudaGraphAddMemsetNode(PLACE(place), &set);
}

static cudaError_t add_host(const struct place *place, struct cudaGraphNodeParams *params)
{
    const struct cudaHostNodeParams host = {params->host.fn, params->host.userData};
    return cudaGraphAddHostNode(PLACE(place), &host);
}

static cudaError_t add_child(const struct place *place, struct cudaGraphNodeParams *params)
{
    const bool is_moved = params->graph.ownership == cudaGraphChildGraphOwnershipMove;
    cudaError_t error = cudaGraphAddChildGraphNode(PLACE(place), params->graph.graph);
    if (!error && is_moved) {
        graph_free(params->graph.graph);
        params->graph.graph = (*place->out)->child;
    }
    return error;
}

static cudaError_t add_empty(const struct place *place, struct cudaGraphNodeParams *params)
{
    (void)params;
    return cudaGraphAddEmptyNode(PLACE(place));
}

static cudaError_t add_wait(const struct place *place, struct cudaGraphNodeParams *params)
{
    return cudaGraphAddEventWaitNode(PLACE(place), params->eventWait.event);
}

static cudaError_t add_record(const struct place *place, struct cudaGraphNodeParams *params)
{
    return cudaGraphAddEventRecordNode(PLACE(place), params->eventRecord.event);
}

static cudaError_t add_alloc(const struct place *place, struct cudaGraphNodeParams *params)
{
    struct cudaMemAllocNodeParams alloc = {.poolProps = params->alloc.poolProps,
                                           .bytesize = params->alloc.bytesize};
    cudaError_t error = cudaGraphAddMemAllocNode(PLACE(place), &alloc);
    params->alloc.dptr = alloc.dptr;
    return error;
}

static cudaError_t add_free(const struct place *place, struct cudaGraphNodeParams *params)
{
    return cudaGraphAddMemFreeNode(PLACE(place), params->free.dptr);
}

/* The bodies begin empty; the caller fills them. */
static cudaError_t add_conditional(const struct place *place, struct cudaGraphNodeParams *params)
{
    struct cudaConditionalNodeParams *wanted = &params->conditional;
    if (!is_conditional(wanted))
        return invalid();
    cudaError_t error = cudaGraphAddEmptyNode(PLACE(place));
    if (error)
        return error;
    struct CUgraphNode_st *node = *place->out;
    const struct conditional_node conditional = {.handle = wanted->handle, .type = wanted->type};
    node->type = cudaGraphNodeTypeConditional;
    node->conditional = conditional;
    if (!node_make_bodies(node, wanted->size, NULL))
        return runtime_error(cudaErrorMemoryAllocation);
    wanted->phGraph_out = node->conditional.bodies;
    return cudaSuccess;
}

typedef cudaError_t add_fn(const struct place *place, struct cudaGraphNodeParams *params);
static add_fn *const adders[cudaGraphNodeTypeCount] = {
    [cudaGraphNodeTypeKernel] = add_kernel,
    [cudaGraphNodeTypeMemcpy] = add_copy,
    [cudaGraphNodeTypeMemset] = add_memset,
    [cudaGraphNodeTypeHost] = add_host,
    [cudaGraphNodeTypeGraph] = add_child,
    [cudaGraphNodeTypeEmpty] = add_empty,
    [cudaGraphNodeTypeWaitEvent] = add_wait,
    [cudaGraphNodeTypeEventRecord] = add_record,
    [cudaGraphNodeTypeMemAlloc] = add_alloc,
    [cudaGraphNodeTypeMemFree] = add_free,
    [cudaGraphNodeTypeConditional] = add_conditional,
};

/* Edges of another kind than "after it" only let a node begin earlier. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                             const cudaGraphEdgeData *edges, size_t nneeds,
                             struct cudaGraphNodeParams *params)
{
    const struct place place = {out, graph, needs, nneeds};
    cudaError_t error = runtime_begin();
    (void)edges;
    if (error)
        return error;
    if (!params || (unsigned)params->type >= cudaGraphNodeTypeCount)
        return invalid();
    if (!adders[params->type])
        return runtime_unsupported("cudaGraphAddNode", "external semaphores");
    return adders[params->type](&place, params);
}
