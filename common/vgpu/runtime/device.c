/* device.c - the one device: its properties, attributes and limits, and calls about devices as such.
 * All figures come from the profile through attributes.def; properties.def says which of them are properties.
 * Limits are kept and given back; of them the machine obeys the size of the heap. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "exec/builtins.h"
#include "runtime/captures.h"
#include "runtime/clock.h"
#include "runtime/device.h"
#include "runtime/follow.h"
#include "runtime/handles.h"
#include "runtime/host_calls.h"
#include "runtime/image.h"
#include "runtime/leaks.h"
#include "runtime/watch.h"
#include "vgpu.h"

enum { CUDA_VERSION_NUMBER = 13000, PCI_BUS = 1 };

static unsigned device_flags = cudaDeviceScheduleAuto;
static enum cudaFuncCache cache_config = cudaFuncCachePreferNone;

/* ------------------------------------------------------------------------------------------- properties */

bool device_attribute(const struct gpu *gpu, enum cudaDeviceAttr attribute, int *value)
{
    switch (attribute) {
#define ATTRIBUTE(name, expression)                                                                          \
    case cudaDevAttr##name:                                                                                  \
        *value = (int)(expression);                                                                          \
        return true;
#include "runtime/attributes.def"
#undef ATTRIBUTE
    default:
        return false;
    }
}

static int attribute_of(const struct gpu *gpu, enum cudaDeviceAttr attribute)
{
    int value = 0;
    device_attribute(gpu, attribute, &value);
    return value;
}

/* A UUID that tells profiles apart and stays the same from run to run: their id in the last bytes. */
static void make_uuid(cudaUUID_t *uuid, const struct gpu *gpu)
{
    memcpy(uuid->bytes, "vgpu", 4);
    snprintf(uuid->bytes + 4, sizeof uuid->bytes - 4, "%.11s", gpu->id);
}

void device_properties(const struct gpu *gpu, struct cudaDeviceProp *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", gpu->name);
    make_uuid(&out->uuid, gpu);
    out->totalGlobalMem = gpu->memory_bytes;
#define PROPERTY(field, name) out->field = (__typeof__(out->field))attribute_of(gpu, cudaDevAttr##name);
#include "runtime/properties.def"
#undef PROPERTY
}

/* Every call that names a device: starts the runtime and checks the number. */
static cudaError_t begin(int device, const void *out)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out)
        return runtime_error(cudaErrorInvalidValue);
    return device == 0 ? cudaSuccess : runtime_error(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device)
{
    cudaError_t error = begin(device, out);
    if (!error)
        device_properties(runtime_config()->gpu, out);
    return error;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    cudaError_t error = begin(device, value);
    if (error)
        return error;
    bool is_known = device_attribute(runtime_config()->gpu, attribute, value);
    return is_known ? cudaSuccess : runtime_error(cudaErrorInvalidValue);
}

/* ------------------------------------------------------------------------------------------- choosing */

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t error = begin(0, count);
    if (!error)
        *count = 1;
    return error;
}

cudaError_t cudaGetDevice(int *device)
{
    cudaError_t error = begin(0, device);
    if (!error)
        *device = 0;
    return error;
}

cudaError_t cudaSetDevice(int device)
{
    return begin(device, &device);
}

cudaError_t cudaInitDevice(int device, unsigned flags, unsigned flags_valid)
{
    cudaError_t error = begin(device, &device);
    if (!error && flags_valid & cudaInitDeviceFlagsAreValid)
        device_flags = flags;
    return error;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    cudaError_t error = begin(0, wanted ? device : NULL);
    if (!error)
        *device = 0;
    return error;
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    cudaError_t error = begin(0, devices);
    if (error)
        return error;
    if (count < 0)
        return runtime_error(cudaErrorInvalidValue);
    for (int i = 0; i < count; i++)
        if (devices[i] != 0)
            return runtime_error(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (flags & ~(unsigned)cudaDeviceMask)
        return runtime_error(cudaErrorInvalidValue);
    device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    cudaError_t error = begin(0, flags);
    if (!error)
        *flags = device_flags | cudaDeviceMapHost;
    return error;
}

/* ------------------------------------------------------------------------------------------- life */

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = captures_wait("cudaDeviceSynchronize");
    if (error)
        return error;
    host_calls_wait(NULL);
    watch_sync("cudaDeviceSynchronize", NULL, true);
    runtime_lock();
    clock_host_spend(HOST_SYNC);
    clock_host_until(clock_idle());
    order_host_waits_for_all();
    runtime_unlock();
    return runtime_begin_sync();
}

cudaError_t cudaDeviceReset(void)
{
    runtime_lock(); /* starts the runtime if need be; a ruined context may be reset */
    host_calls_wait(NULL);
    watch_other("cudaDeviceReset");
    if (runtime_config()->check == CHECK_FULL)
        leaks_report();
    handles_forget();
    images_reset();
    clock_reset();
    follow_forget();
    order_host_waits_for_all();
    cudaError_t error = runtime_restart();
    runtime_unlock();
    return error;
}

void vgpu_start_afresh(void)
{
    if (!runtime_is_there())
        return;
    runtime_keep_place();
    cudaDeviceReset();
}

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return runtime_error(cudaErrorInvalidValue);
    *version = CUDA_VERSION_NUMBER;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

/* ------------------------------------------------------------------------------------------- limits */

static size_t limits[] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 7 << 20,
    [cudaLimitMallocHeapSize] = 8 << 20,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
    [cudaLimitPersistingL2CacheSize] = 0,
};

static bool is_limit(enum cudaLimit limit)
{
    return (unsigned)limit < sizeof limits / sizeof limits[0];
}

uint64_t device_stack_bytes(void)
{
    return limits[cudaLimitStackSize];
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!is_limit(limit))
        return runtime_error(cudaErrorUnsupportedLimit);
    if (limit == cudaLimitMaxL2FetchGranularity && value > 128)
        return runtime_error(cudaErrorInvalidValue);
    const size_t most = (size_t)attribute_of(runtime_config()->gpu, cudaDevAttrMaxPersistingL2CacheSize);
    limits[limit] = limit == cudaLimitPersistingL2CacheSize && value > most ? most : value;
    if (limit == cudaLimitMallocHeapSize)
        builtins_set_heap_limit(value);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    cudaError_t error = begin(0, value);
    if (error)
        return error;
    if (!is_limit(limit))
        return runtime_error(cudaErrorUnsupportedLimit);
    *value = limits[limit];
    return cudaSuccess;
}

/* Preferences that change nothing here: L1 and shared memory are split by need, banks are 4 bytes wide. */
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cudaError_t error = runtime_begin();
    if (!error)
        cache_config = config;
    return error;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    cudaError_t error = begin(0, config);
    if (!error)
        *config = cache_config;
    return error;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    (void)config;
    return runtime_begin();
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    cudaError_t error = begin(0, config);
    if (!error)
        *config = cudaSharedMemBankSizeFourByte;
    return error;
}

/* ------------------------------------------------------------------------------------------- bus and peers */

cudaError_t cudaDeviceGetPCIBusId(char *out, int size, int device)
{
    cudaError_t error = begin(device, out);
    if (error)
        return error;
    if (size < 13)
        return runtime_error(cudaErrorInvalidValue);
    snprintf(out, (size_t)size, "0000:%02X:00.0", PCI_BUS);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    cudaError_t error = begin(0, id ? device : NULL);
    if (error)
        return error;
    unsigned domain = 0, bus = 0, slot = 0;
    bool is_ours =
        (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) == 3 && domain == 0 && bus == PCI_BUS && slot == 0) ||
        (sscanf(id, "%x:%x", &bus, &slot) == 2 && bus == PCI_BUS && slot == 0);
    *device = 0;
    return is_ours ? cudaSuccess : runtime_error(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t error = begin(device, can);
    if (error)
        return error;
    *can = 0;
    return peer == 0 ? cudaSuccess : runtime_error(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags, (void)peer; /* there is no other device, and one's own cannot be a peer */
    cudaError_t error = runtime_begin();
    return error ? error : runtime_error(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    cudaError_t error = runtime_begin();
    return error ? error : runtime_error(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source,
                                      int destination)
{
    (void)attribute, (void)source, (void)destination;
    cudaError_t error = begin(0, value);
    return error ? error : runtime_error(cudaErrorInvalidDevice);
}

/* A profiler watches from outside; there is none here that could be started. */
cudaError_t cudaProfilerStart(void)
{
    return runtime_begin();
}

cudaError_t cudaProfilerStop(void)
{
    return runtime_begin();
}
