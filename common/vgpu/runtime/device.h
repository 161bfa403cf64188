/* device.h - the device's properties, attributes and limits for other parts of the runtime and for tests. */
#ifndef VGPU_DEVICE_H
#define VGPU_DEVICE_H

#include "runtime/runtime.h"

bool device_attribute(const struct gpu *gpu, enum cudaDeviceAttr attribute, int *value);
void device_properties(const struct gpu *gpu, struct cudaDeviceProp *out);
size_t device_limit(enum cudaLimit limit);

#endif
