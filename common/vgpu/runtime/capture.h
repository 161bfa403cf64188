/* capture.h - how launches, copies and host functions reach a graph while their stream is being captured.
 * A captured operation is recorded with copies of its arguments and executed by cudaGraphLaunch. */
#ifndef VGPU_CAPTURE_H
#define VGPU_CAPTURE_H

#include "runtime/clock.h"
#include "runtime/launch.h"

bool capture_is_active(cudaStream_t stream);
/* A call that a capture cannot carry: ends the capture as invalid and says so. */
cudaError_t capture_refuse(cudaStream_t stream, const char *call);
/* A stream that waits for an event of a capture joins that capture. */
void capture_join(struct CUstream_st *stream, struct CUevent_st *event);

cudaError_t capture_kernel(const struct launch_request *request);
cudaError_t capture_copy(cudaStream_t stream, void *destination, const void *source, size_t bytes,
                         enum cudaMemcpyKind kind);
cudaError_t capture_copy3d(cudaStream_t stream, const struct cudaMemcpy3DParms *copy);
cudaError_t capture_memset(cudaStream_t stream, const struct cudaMemsetParams *memset);
cudaError_t capture_host(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t capture_alloc(cudaStream_t stream, void **pointer, size_t bytes);
cudaError_t capture_free(cudaStream_t stream, void *pointer);

#endif
