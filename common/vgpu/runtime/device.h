/* device.h - the properties and attributes of a GPU, for device.c and for tests. */
#ifndef VGPU_DEVICE_H
#define VGPU_DEVICE_H

#include "runtime/runtime.h"

bool device_attribute(const struct gpu *gpu, enum cudaDeviceAttr attribute, int *value);
/* Of one thread, as cudaDeviceSetLimit has set it. */
uint64_t device_stack_bytes(void);
void device_properties(const struct gpu *gpu, struct cudaDeviceProp *out);

#endif
