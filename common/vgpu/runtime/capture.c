/* capture.c - stream capture: what is given to a stream is recorded as a graph instead of being executed.
 * Each operation needs what came last on its stream; events carry dependencies from stream to stream.
 * A call that cannot be recorded ends the capture as invalid, as CUDA does. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/capture.h"
#include "runtime/captures.h"
#include "runtime/graph_memory.h"
#include "runtime/graph_node.h"
#include "runtime/handles.h"
#include "runtime/watch.h"

struct capture {
    struct capturing under_way;
    struct CUgraph_st *graph;
    bool is_given; /* the graph was there before, and stays whatever happens */
    cudaStream_t origin;
    unsigned long long id;
};

bool capture_is_active(cudaStream_t handle)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    bool is_capturing = stream && stream->capture;
    runtime_unlock();
    return is_capturing;
}

cudaError_t capture_refuse(cudaStream_t handle, const char *call)
{
    runtime_lock();
    stream_of(handle)->capture->under_way.is_invalid = true;
    runtime_unlock();
    return runtime_complain(cudaErrorStreamCaptureUnsupported, VGPU_CAPTURE_FORBIDS,
                            "%s was called on a stream that is being captured; the capture is now invalid",
                            call);
}

static void add_tail(struct CUstream_st *stream, struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < stream->tails.count; i++)
        if (stream->tails.nodes[i] == node)
            return;
    if (stream->tails.count < MAX_TAILS)
        stream->tails.nodes[stream->tails.count++] = node;
}

void capture_join(struct CUstream_st *stream, struct CUevent_st *event)
{
    if (!stream->capture)
        stream->tails.count = 0;
    stream->capture = event->capture;
    captures_join(&stream->capture->under_way, stream);
    for (size_t i = 0; i < event->tails.count; i++)
        add_tail(stream, event->tails.nodes[i]);
}

/* ------------------------------------------------------------------------------------------- recording */

/* A new node after what came last on the stream. NULL with *error set. */
static struct CUgraphNode_st *record(cudaStream_t handle, enum cudaGraphNodeType type, cudaError_t *error)
{
    struct CUstream_st *stream = stream_of(handle);
    clock_host_spend(HOST_CAPTURE);
    if (stream->capture->under_way.is_invalid) {
        *error = runtime_error(cudaErrorStreamCaptureInvalidated);
        return NULL;
    }
    struct CUgraphNode_st *node =
        graph_add(stream->capture->graph, type, stream->tails.nodes, stream->tails.count);
    *error = node ? cudaSuccess : runtime_error(cudaErrorMemoryAllocation);
    if (node) {
        stream->tails.nodes[0] = node;
        stream->tails.count = 1;
    }
    return node;
}

cudaError_t capture_kernel(const struct launch_request *request)
{
    cudaError_t error;
    runtime_lock();
    struct CUgraphNode_st *node = record(request->stream, cudaGraphNodeTypeKernel, &error);
    if (node)
        error = runtime_error(node_set_kernel(node, request));
    runtime_unlock();
    return error;
}

cudaError_t capture_copy(cudaStream_t stream, void *destination, const void *source, size_t bytes,
                         enum cudaMemcpyKind kind)
{
    cudaError_t error;
    runtime_lock();
    struct CUgraphNode_st *node = record(stream, cudaGraphNodeTypeMemcpy, &error);
    if (node)
        node->copy = (struct copy_node){
            .is_plain = true, .destination = destination, .source = source, .bytes = bytes, .kind = kind};
    runtime_unlock();
    return error;
}

cudaError_t capture_copy3d(cudaStream_t stream, const struct cudaMemcpy3DParms *params)
{
    cudaError_t error;
    runtime_lock();
    struct CUgraphNode_st *node = record(stream, cudaGraphNodeTypeMemcpy, &error);
    if (node)
        node->copy = (struct copy_node){.params = *params};
    runtime_unlock();
    return error;
}

cudaError_t capture_memset(cudaStream_t stream, const struct cudaMemsetParams *params)
{
    cudaError_t error;
    runtime_lock();
    struct CUgraphNode_st *node = record(stream, cudaGraphNodeTypeMemset, &error);
    if (node)
        node->memset = *params;
    runtime_unlock();
    return error;
}

cudaError_t capture_host(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    cudaError_t error;
    runtime_lock();
    struct CUgraphNode_st *node = record(stream, cudaGraphNodeTypeHost, &error);
    if (node)
        node->host = (struct cudaHostNodeParams){function, data};
    runtime_unlock();
    return error;
}

cudaError_t capture_alloc(cudaStream_t stream, void **pointer, size_t bytes)
{
    cudaError_t error;
    runtime_lock();
    struct CUgraphNode_st *node = record(stream, cudaGraphNodeTypeMemAlloc, &error);
    if (node) {
        *pointer = node->memory.pointer = graph_memory_new(bytes);
        node->memory.bytes = bytes;
        if (!*pointer)
            error = runtime_error(cudaErrorMemoryAllocation);
    }
    runtime_unlock();
    return error;
}

cudaError_t capture_free(cudaStream_t stream, void *pointer)
{
    cudaError_t error;
    runtime_lock();
    struct CUgraphNode_st *node = record(stream, cudaGraphNodeTypeMemFree, &error);
    if (node)
        node->memory.pointer = pointer;
    runtime_unlock();
    return error;
}

/* ------------------------------------------------------------------------------------------- calls */

/* Into this graph; NULL: into a new one. */
static cudaError_t begin_capture(cudaStream_t handle, enum cudaStreamCaptureMode mode,
                                 struct CUgraph_st *graph)
{
    static unsigned long long last_id;
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return runtime_error(cudaErrorInvalidValue);
    if (!stream_is_known(handle))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (stream_of(handle)->is_legacy)
        return runtime_error(cudaErrorStreamCaptureUnsupported);
    if (capture_is_active(handle))
        return runtime_error(cudaErrorIllegalState);
    struct capture *capture = calloc(1, sizeof *capture);
    if (capture) {
        capture->graph = graph ? graph : graph_new();
        capture->is_given = graph != NULL;
    }
    if (!capture || !capture->graph) {
        free(capture);
        return runtime_error(cudaErrorMemoryAllocation);
    }
    runtime_lock();
    capture->origin = handle;
    capture->id = ++last_id;
    capture->under_way.mode = mode;
    captures_add(&capture->under_way);
    captures_join(&capture->under_way, stream_of(handle));
    stream_of(handle)->capture = capture;
    stream_of(handle)->tails.count = 0;
    runtime_unlock();
    watch_graph(VGPU_CAPTURE, "cudaStreamBeginCapture", handle, 0, 0);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode)
{
    return begin_capture(handle, mode, NULL);
}

/* What is captured comes after these nodes of the graph. Edges of another kind only let it begin earlier. */
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t *needs, const cudaGraphEdgeData *edges,
                                          size_t nneeds, enum cudaStreamCaptureMode mode)
{
    (void)edges;
    if (!graph || nneeds > MAX_TAILS || (nneeds && !needs))
        return runtime_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < nneeds; i++)
        if (!needs[i] || needs[i]->graph != graph)
            return runtime_error(cudaErrorInvalidValue);
    cudaError_t error = begin_capture(handle, mode, graph);
    if (error)
        return error;
    runtime_lock();
    struct node_set *tails = &stream_of(handle)->tails;
    for (size_t i = 0; i < nneeds; i++)
        tails->nodes[tails->count++] = needs[i];
    runtime_unlock();
    return cudaSuccess;
}

static void leave(const struct capture *capture)
{
    events_leave(capture);
    captures_remove(&capture->under_way);
    stream_of(capture->origin)->capture = NULL;
    for (struct CUstream_st *stream = stream_first(); stream; stream = stream->next)
        if (stream->capture == capture)
            stream->capture = NULL;
}

static void name_graph(struct CUgraph_st *graph)
{
    static uint32_t last;
    runtime_lock();
    graph->number = ++last;
    runtime_unlock();
}

/* Who may end a capture: its stream, and in all modes but one its thread. */
static cudaError_t end_refusal(const struct capture *capture, cudaStream_t handle)
{
    if (capture->origin != handle)
        return cudaErrorStreamCaptureUnmatched;
    const bool is_free = capture->under_way.mode == cudaStreamCaptureModeRelaxed ||
                         pthread_equal(capture->under_way.thread, pthread_self());
    return is_free ? cudaSuccess : cudaErrorStreamCaptureWrongThread;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *out)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!stream_is_known(handle))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (!capture_is_active(handle))
        return runtime_error(cudaErrorIllegalState);
    runtime_lock();
    struct capture *capture = stream_of(handle)->capture;
    cudaGraph_t known; /* who has given the graph need not be told which it is */
    if (!out && capture->is_given)
        out = &known;
    const cudaError_t refusal = end_refusal(capture, handle);
    if (out && !refusal)
        leave(capture);
    runtime_unlock();
    if (!out)
        return runtime_error(cudaErrorInvalidValue);
    *out = NULL;
    if (refusal)
        return runtime_error(refusal);
    const bool is_invalid = capture->under_way.is_invalid;
    if (!is_invalid)
        *out = capture->graph;
    else if (!capture->is_given)
        graph_free(capture->graph);
    error = is_invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    if (*out && !capture->is_given) {
        name_graph(*out);
        handle_made(HANDLE_GRAPH, address_of(*out));
    }
    watch_graph(VGPU_CAPTURE_END, "cudaStreamEndCapture", handle, *out ? (*out)->number : 0, 0);
    free(capture);
    return runtime_error(error);
}

static enum cudaStreamCaptureStatus status_of(const struct capture *capture)
{
    if (!capture)
        return cudaStreamCaptureStatusNone;
    return capture->under_way.is_invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!status || !stream_is_known(handle))
        return runtime_error(status ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    if (captures_block(handle))
        return runtime_error(cudaErrorStreamCaptureImplicit); /* a question harms no capture */
    *status = status_of(stream_of(handle)->capture);
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                     size_t *count)
{
    cudaError_t error = cudaStreamIsCapturing(handle, status);
    if (error || *status == cudaStreamCaptureStatusNone)
        return error;
    struct CUstream_st *stream = stream_of(handle);
    if (id)
        *id = stream->capture->id;
    if (graph)
        *graph = stream->capture->graph;
    if (nodes)
        *nodes = stream->tails.nodes;
    if (edges)
        *edges = NULL;
    if (count)
        *count = stream->tails.count;
    return cudaSuccess;
}

/* What comes next on the stream needs these nodes, which the program has added to the graph itself. */
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *edges, size_t count, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if ((count && !nodes) || flags > cudaStreamSetCaptureDependencies)
        return runtime_error(cudaErrorInvalidValue);
    if (!stream_is_known(handle))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (!capture_is_active(handle))
        return runtime_error(cudaErrorIllegalState);
    if (edges)
        return runtime_unsupported("cudaStreamUpdateCaptureDependencies", "data of edges");
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    if (flags == cudaStreamSetCaptureDependencies)
        stream->tails.count = 0;
    for (size_t i = 0; i < count; i++)
        add_tail(stream, nodes[i]);
    runtime_unlock();
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return runtime_error(cudaErrorInvalidValue);
    *mode = captures_exchange_mode(*mode);
    return cudaSuccess;
}
