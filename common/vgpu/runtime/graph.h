/* graph.h - how launches, copies and host functions reach a graph while their stream is being captured.
 * A captured operation is recorded with copies of its arguments and executed by cudaGraphLaunch.
 * Everything else of graphs is private to graph*.c. */
#ifndef VGPU_GRAPH_H
#define VGPU_GRAPH_H

#include "runtime/runtime.h"

struct CUstream_st;
struct CUevent_st;

bool graph_is_capturing(cudaStream_t stream);
/* A call that a capture cannot carry: ends the capture as invalid and says so. */
cudaError_t graph_refuse(cudaStream_t stream, const char *call);
/* A stream that waits for an event of a capture joins that capture. */
void graph_join(struct CUstream_st *stream, struct CUevent_st *event);

cudaError_t graph_capture_kernel(const struct launch_request *request);
cudaError_t graph_capture_copy(cudaStream_t stream, void *destination, const void *source, size_t bytes,
                               enum cudaMemcpyKind kind);
cudaError_t graph_capture_copy3d(cudaStream_t stream, const struct cudaMemcpy3DParms *copy);
cudaError_t graph_capture_memset(cudaStream_t stream, const struct cudaMemsetParams *memset);
cudaError_t graph_capture_host(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t graph_capture_alloc(cudaStream_t stream, void **pointer, size_t bytes);
cudaError_t graph_capture_free(cudaStream_t stream, void *pointer);
/* Frees what a graph's node has allocated; false: pointer is no such memory. */
bool graph_memory_free(const void *pointer);

#endif
