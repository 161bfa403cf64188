/* graph.c - the graph API: building graphs by hand, changing them, asking about them.
 * Instantiating and launching is in graph_exec.c.
 * External semaphores and launches from the device are not offered: they fail to link or say so. */
#include <stdlib.h>
#include <string.h>

#include "runtime/graph_memory.h"
#include "runtime/graph_node.h"
#include "runtime/handles.h"

static cudaError_t invalid(void)
{
    return runtime_error(cudaErrorInvalidValue);
}

/* A graph of the program's own; NULL: there was no memory for it. */
static cudaError_t give_graph(cudaGraph_t graph, cudaGraph_t *out)
{
    *out = graph;
    if (!graph)
        return runtime_error(cudaErrorMemoryAllocation);
    handle_made(HANDLE_GRAPH, address_of(graph));
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || flags)
        return invalid();
    return give_graph(graph_new(), out);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!graph)
        return invalid();
    handle_gone(HANDLE_GRAPH, address_of(graph));
    graph_free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !graph)
        return invalid();
    return give_graph(graph_clone(graph), out);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t node, cudaGraph_t clone)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !node || !clone)
        return invalid();
    struct CUgraphNode_st *copy = clone->first;
    while (copy && copy->origin != node)
        copy = copy->next;
    *out = copy;
    return copy ? cudaSuccess : invalid();
}

/* ------------------------------------------------------------------------------------------- adding nodes */

/* Adds a node for the caller to fill. NULL with *error set. */
static struct CUgraphNode_st *add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                  size_t nneeds, enum cudaGraphNodeType type, cudaError_t *error)
{
    *error = runtime_begin();
    if (*error)
        return NULL;
    bool is_good = out && graph && (!nneeds || needs);
    struct CUgraphNode_st *node = is_good ? graph_add(graph, type, needs, nneeds) : NULL;
    if (node)
        *out = node;
    else
        *error = invalid();
    if (node)
        graph->is_changed = true;
    return node;
}

static cudaError_t set_kernel(struct CUgraphNode_st *node, const struct cudaKernelNodeParams *params)
{
    cudaError_t error;
    if (!params || (params->extra && !params->kernelParams))
        return invalid();
    struct kernel *kernel = kernel_load(params->func, &error);
    if (!kernel)
        return error;
    if (kernel->function->nparams && !params->kernelParams)
        return invalid();
    struct launch_request request = {kernel,
                                     params->gridDim,
                                     params->blockDim,
                                     params->sharedMemBytes,
                                     params->kernelParams,
                                     NULL,
                                     false,
                                     false,
                                     0};
    return runtime_error(node_set_kernel(node, &request));
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                   size_t nneeds, const struct cudaKernelNodeParams *params)
{
    cudaError_t error;
    struct CUgraphNode_st *node = add(out, graph, needs, nneeds, cudaGraphNodeTypeKernel, &error);
    if (!node)
        return error;
    error = set_kernel(node, params);
    if (error)
        node->type = cudaGraphNodeTypeEmpty;
    return error;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                   size_t nneeds, const struct cudaMemcpy3DParms *params)
{
    cudaError_t error;
    struct CUgraphNode_st *node =
        params ? add(out, graph, needs, nneeds, cudaGraphNodeTypeMemcpy, &error) : (error = invalid(), NULL);
    if (node)
        node->copy = (struct copy_node){.params = *params};
    return error;
}

static struct copy_node plain_copy(void *destination, const void *source, size_t bytes,
                                   enum cudaMemcpyKind kind)
{
    return (struct copy_node){
        .is_plain = true, .destination = destination, .source = source, .bytes = bytes, .kind = kind};
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                     size_t nneeds, void *destination, const void *source, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    cudaError_t error;
    struct CUgraphNode_st *node = add(out, graph, needs, nneeds, cudaGraphNodeTypeMemcpy, &error);
    if (node)
        node->copy = plain_copy(destination, source, bytes, kind);
    return error;
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                           const cudaGraphNode_t *needs, size_t nneeds, const void *symbol,
                                           const void *source, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind)
{
    void *address;
    cudaError_t error = cudaGetSymbolAddress(&address, symbol);
    if (error)
        return error;
    return cudaGraphAddMemcpyNode1D(out, graph, needs, nneeds, (char *)address + offset, source, bytes, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                             const cudaGraphNode_t *needs, size_t nneeds, void *destination,
                                             const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    void *address;
    cudaError_t error = cudaGetSymbolAddress(&address, symbol);
    if (error)
        return error;
    return cudaGraphAddMemcpyNode1D(out, graph, needs, nneeds, destination, (char *)address + offset, bytes,
                                    kind);
}

static bool is_memset(const struct cudaMemsetParams *params)
{
    return params && (params->elementSize == 1 || params->elementSize == 2 || params->elementSize == 4);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                   size_t nneeds, const struct cudaMemsetParams *params)
{
    cudaError_t error = is_memset(params) ? cudaSuccess : invalid();
    struct CUgraphNode_st *node =
        error ? NULL : add(out, graph, needs, nneeds, cudaGraphNodeTypeMemset, &error);
    if (node)
        node->memset = *params;
    return error;
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                 size_t nneeds, const struct cudaHostNodeParams *params)
{
    if (!params || !params->fn)
        return invalid();
    cudaError_t error = cudaSuccess;
    struct CUgraphNode_st *node = add(out, graph, needs, nneeds, cudaGraphNodeTypeHost, &error);
    if (node)
        node->host = *params;
    return error;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                       size_t nneeds, cudaGraph_t child)
{
    cudaError_t error = child ? cudaSuccess : invalid();
    struct CUgraph_st *copy = error ? NULL : graph_clone(child);
    struct CUgraphNode_st *node =
        copy ? add(out, graph, needs, nneeds, cudaGraphNodeTypeGraph, &error) : NULL;
    if (node)
        node->child = copy;
    else
        graph_free(copy);
    return error;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                  size_t nneeds)
{
    cudaError_t error;
    add(out, graph, needs, nneeds, cudaGraphNodeTypeEmpty, &error);
    return error;
}

static cudaError_t add_event(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                             size_t nneeds, enum cudaGraphNodeType type, cudaEvent_t event)
{
    cudaError_t error = event ? cudaSuccess : invalid();
    struct CUgraphNode_st *node = error ? NULL : add(out, graph, needs, nneeds, type, &error);
    if (node)
        node->event = event;
    return error;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                        size_t nneeds, cudaEvent_t event)
{
    return add_event(out, graph, needs, nneeds, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                      size_t nneeds, cudaEvent_t event)
{
    return add_event(out, graph, needs, nneeds, cudaGraphNodeTypeWaitEvent, event);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                     size_t nneeds, struct cudaMemAllocNodeParams *params)
{
    if (!params || !params->bytesize)
        return invalid();
    cudaError_t error = cudaSuccess;
    struct CUgraphNode_st *node = add(out, graph, needs, nneeds, cudaGraphNodeTypeMemAlloc, &error);
    if (!node)
        return error;
    params->dptr = node->memory.pointer = graph_memory_new(params->bytesize);
    if (!params->dptr)
        return runtime_error(cudaErrorMemoryAllocation);
    node->memory.bytes = params->bytesize;
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                    size_t nneeds, void *pointer)
{
    cudaError_t error = pointer ? cudaSuccess : invalid();
    struct CUgraphNode_st *node =
        error ? NULL : add(out, graph, needs, nneeds, cudaGraphNodeTypeMemFree, &error);
    if (node)
        node->memory.pointer = pointer;
    return error;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!graph || edges || (count && (!from || !to)))
        return invalid();
    for (size_t i = 0; i < count; i++) {
        if (!from[i] || !to[i] || from[i]->graph != graph || to[i]->graph != graph)
            return invalid();
        if (!node_needs(to[i], from[i]))
            return runtime_error(cudaErrorMemoryAllocation);
        graph->is_changed = true;
    }
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- changing nodes */

static cudaError_t check_node(const struct CUgraphNode_st *node, enum cudaGraphNodeType type,
                              const void *params)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    return node && params && node->type == type ? cudaSuccess : invalid();
}

/* Likewise, of a node that is changed then. */
static cudaError_t check_change(const struct CUgraphNode_st *node, enum cudaGraphNodeType type,
                                const void *params)
{
    const cudaError_t error = check_node(node, type, params);
    if (!error)
        node->graph->is_changed = true;
    return error;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    cudaError_t error = check_change(node, cudaGraphNodeTypeKernel, params);
    return error ? error : set_kernel(node, params);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
    cudaError_t error = check_node(node, cudaGraphNodeTypeKernel, params);
    if (error)
        return error;
    const struct kernel_node *kernel = &node->kernel;
    *params = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)kernel->kernel->host,
                                            .gridDim = kernel->grid,
                                            .blockDim = kernel->block,
                                            .sharedMemBytes = (unsigned)kernel->shared,
                                            .kernelParams = kernel->args};
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
    cudaError_t error = check_change(node, cudaGraphNodeTypeMemcpy, params);
    if (!error)
        node->copy = (struct copy_node){.params = *params};
    return error;
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *destination, const void *source,
                                           size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t error = check_change(node, cudaGraphNodeTypeMemcpy, destination);
    if (!error)
        node->copy = plain_copy(destination, source, bytes, kind);
    return error;
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
    cudaError_t error = check_change(node, cudaGraphNodeTypeMemset, is_memset(params) ? params : NULL);
    if (!error)
        node->memset = *params;
    return error;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params)
{
    cudaError_t error = check_node(node, cudaGraphNodeTypeMemset, params);
    if (!error)
        *params = node->memset;
    return error;
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
    cudaError_t error = check_change(node, cudaGraphNodeTypeHost, params);
    if (!error)
        node->host = *params;
    return error;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params)
{
    cudaError_t error = check_node(node, cudaGraphNodeTypeHost, params);
    if (!error)
        *params = node->host;
    return error;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out)
{
    cudaError_t error = check_node(node, cudaGraphNodeTypeGraph, out);
    if (!error)
        *out = node->child;
    return error;
}

static void unlink_node(struct CUgraph_st *graph, struct CUgraphNode_st *node)
{
    struct CUgraphNode_st **link = &graph->first;
    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    if (graph->last == &node->next)
        graph->last = link;
    graph->count--;
    graph->is_changed = true;
}

static void forget_need(struct CUgraphNode_st *node, const struct CUgraphNode_st *need)
{
    for (size_t i = 0; i < node->nneeds; i++)
        if (node->needs[i] == need)
            node->needs[i--] = node->needs[--node->nneeds];
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!node)
        return invalid();
    unlink_node(node->graph, node);
    for (struct CUgraphNode_st *other = node->graph->first; other; other = other->next)
        forget_need(other, node);
    node_drop(node);
    free(node->needs);
    free(node);
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!graph || edges || (count && (!from || !to)))
        return invalid();
    for (size_t i = 0; i < count; i++)
        forget_need(to[i], from[i]);
    graph->is_changed = true;
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- questions */

/* Lists come in CUDA's way: with out NULL the number is asked for; else at most *count are given, the rest is NULL. */
struct listing {
    cudaGraphNode_t *out;
    size_t room, found;
};

static void list_node(struct listing *listing, struct CUgraphNode_st *node)
{
    if (listing->out && listing->found < listing->room)
        listing->out[listing->found] = node;
    listing->found++;
}

static cudaError_t end_listing(const struct listing *listing, size_t *count)
{
    for (size_t i = listing->found; listing->out && i < listing->room; i++)
        listing->out[i] = NULL;
    *count = listing->out && listing->found > listing->room ? listing->room : listing->found;
    return cudaSuccess;
}

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *count, bool only_roots)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!graph || !count)
        return invalid();
    struct listing listing = {out, *count, 0};
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        if (!only_roots || !node->nneeds)
            list_node(&listing, node);
    return end_listing(&listing, count);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, true);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!graph || !count)
        return invalid();
    struct listing sources = {from, *count, 0}, targets = {to, *count, 0};
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->nneeds; i++) {
            list_node(&sources, node->needs[i]);
            list_node(&targets, node);
        }
    if (edges)
        memset(edges, 0, (sources.found < *count ? sources.found : *count) * sizeof *edges);
    end_listing(&targets, &targets.room);
    return end_listing(&sources, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *out, cudaGraphEdgeData *edges,
                                         size_t *count)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!node || !count)
        return invalid();
    struct listing listing = {out, *count, 0};
    for (size_t i = 0; i < node->nneeds; i++)
        list_node(&listing, node->needs[i]);
    if (edges)
        memset(edges, 0, (node->nneeds < *count ? node->nneeds : *count) * sizeof *edges);
    return end_listing(&listing, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!node || !type)
        return invalid();
    *type = node->type;
    return cudaSuccess;
}
