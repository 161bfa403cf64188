/* host_calls.h - host functions run on a thread of their own, in order; whatever follows on the device waits for them. */
#ifndef VGPU_HOST_CALLS_H
#define VGPU_HOST_CALLS_H

#include <driver_types.h>
#include <stdbool.h>

cudaError_t host_call(void (*function)(void *), void *context);
void host_calls_wait(void);
bool host_calls_pending(void);

#endif
