/* graph_exec.c - graphs made ready and launched: instantiating, launching, changing and updating executable graphs.
 * An executable graph is a clone, so that later changes of the graph do not reach it. A launch executes the whole graph at
 * once on its stream. */
#include <stdlib.h>

#include "runtime/captures.h"
#include "runtime/graph_node.h"
#include "runtime/handles.h"
#include "runtime/watch.h"

/* Graphs are told by what was captured into them: others are captured once more for that. */
static uint32_t tell_made(struct CUgraph_st *graph)
{
    static uint32_t last;
    if (!watch_wants_operations())
        return 0;
    const uint32_t number = graph->number && !graph->is_changed ? graph->number : graph_tell(graph);
    if (!number)
        return 0;
    runtime_lock();
    const uint32_t made = ++last;
    runtime_unlock();
    watch_graph(VGPU_GRAPH_MAKE, "cudaGraphInstantiate", NULL, number, made);
    return made;
}

static void spend(picoseconds once, picoseconds each, size_t count)
{
    runtime_lock();
    clock_host_spend(once + each * (picoseconds)count);
    runtime_unlock();
}

static void upload(struct CUgraphExec_st *exec)
{
    if (!exec->is_uploaded)
        spend(HOST_FIRST, HOST_FIRST_NODE, exec->graph->count);
    exec->is_uploaded = true;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !graph)
        return runtime_error(cudaErrorInvalidValue);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return runtime_unsupported("cudaGraphInstantiate", "graphs that kernels launch");
    if (!graph_is_sound(graph))
        return runtime_error(cudaErrorInvalidValue);
    cudaGraphExec_t exec = calloc(1, sizeof *exec);
    if (exec)
        *exec = (struct CUgraphExec_st){.graph = graph_clone(graph), .flags = flags};
    if (!exec || !exec->graph) {
        free(exec);
        return runtime_error(cudaErrorMemoryAllocation);
    }
    exec->made = tell_made(graph);
    spend(HOST_MAKE, HOST_MAKE_NODE, graph->count);
    *out = exec;
    handle_made(HANDLE_EXEC, address_of(exec));
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiate(out, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params)
{
    if (!params)
        return runtime_error(cudaErrorInvalidValue);
    cudaError_t error = cudaGraphInstantiate(out, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    if (!exec || !flags)
        return runtime_error(cudaErrorInvalidValue);
    *flags = exec->flags;
    return cudaSuccess;
}

static cudaError_t launch_in_order(cudaGraphExec_t exec, cudaStream_t handle)
{
    struct CUstream_st *stream = stream_of(handle);
    runtime_lock();
    order_join(&stream->order, &exec->order);
    runtime_unlock();
    order_graph_begin();
    const cudaError_t error = graph_execute(exec->graph, handle);
    order_graph_end();
    exec->order = order_mark(stream);
    return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!exec)
        return runtime_error(cudaErrorInvalidValue);
    if (!stream_is_known(stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    error = captures_use(stream, "cudaGraphLaunch");
    if (error)
        return error;
    watch_graph(VGPU_GRAPH_LAUNCH, "cudaGraphLaunch", stream, 0, exec->made);
    watch_hold();
    upload(exec);
    clock_graph_begin();
    graph_set_conditions(exec->graph);
    error = launch_in_order(exec, stream);
    clock_graph_end();
    watch_go_on();
    return error;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!exec || !stream_is_known(stream))
        return runtime_error(cudaErrorInvalidValue);
    upload(exec);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!exec)
        return runtime_error(cudaErrorInvalidValue);
    handle_gone(HANDLE_EXEC, address_of(exec));
    graph_free(exec->graph);
    free(exec);
    return cudaSuccess;
}

/* The instantiated graph's copy of a node; NULL: it has none. */
static struct CUgraphNode_st *instance_of(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    struct CUgraphNode_st *copy = exec ? exec->graph->first : NULL;
    while (copy && copy->origin != node)
        copy = copy->next;
    watch_other("a change of a graph that is ready to run");
    return copy;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params)
{
    return cudaGraphKernelNodeSetParams(instance_of(exec, node), params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *params)
{
    return cudaGraphMemcpyNodeSetParams(instance_of(exec, node), params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *destination,
                                               const void *source, size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParams1D(instance_of(exec, node), destination, source, bytes, kind);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *params)
{
    return cudaGraphMemsetNodeSetParams(instance_of(exec, node), params);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *params)
{
    return cudaGraphHostNodeSetParams(instance_of(exec, node), params);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned is_enabled)
{
    struct CUgraphNode_st *copy = instance_of(exec, node);
    if (!copy)
        return runtime_error(cudaErrorInvalidValue);
    copy->is_disabled = !is_enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *is_enabled)
{
    struct CUgraphNode_st *copy = instance_of(exec, node);
    if (!copy || !is_enabled)
        return runtime_error(cudaErrorInvalidValue);
    *is_enabled = !copy->is_disabled;
    return cudaSuccess;
}

static bool has_same_shape(const struct CUgraph_st *a, const struct CUgraph_st *b)
{
    if (a->count != b->count)
        return false;
    const struct CUgraphNode_st *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (x->type != y->type || x->nneeds != y->nneeds)
            return false;
    return true;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!exec || !graph)
        return runtime_error(cudaErrorInvalidValue);
    bool is_same = has_same_shape(exec->graph, graph);
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){.result = is_same ? cudaGraphExecUpdateSuccess
                                                                  : cudaGraphExecUpdateErrorTopologyChanged};
    if (!is_same)
        return runtime_error(cudaErrorGraphExecUpdateFailure);
    struct CUgraph_st *clone = graph_clone(graph);
    if (!clone)
        return runtime_error(cudaErrorMemoryAllocation);
    /* The nodes that the exec was made from stay the names by which its own are known. */
    struct CUgraphNode_st *old = exec->graph->first, *fresh = clone->first;
    for (; old && fresh; old = old->next, fresh = fresh->next)
        fresh->origin = old->origin;
    graph_free(exec->graph);
    exec->graph = clone;
    exec->is_uploaded = false;
    watch_other("cudaGraphExecUpdate");
    return cudaSuccess;
}
