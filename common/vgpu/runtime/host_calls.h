/* host_calls.h - host functions run on a thread of their own, in order; whatever follows on the device waits for them, and for
 * kernels that run beside the host. */
#ifndef VGPU_HOST_CALLS_H
#define VGPU_HOST_CALLS_H

#include <driver_types.h>
#include <stdbool.h>

cudaError_t host_call(void (*function)(void *), void *context);
/* Until host functions are done, and the kernels that work on this stream must follow; NULL: all kernels. */
void host_calls_wait(cudaStream_t stream);
bool host_calls_pending(cudaStream_t stream);
void host_calls_wait_functions(void); /* not for kernels */

#endif
