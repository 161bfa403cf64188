/* function.c - questions about kernels: attributes, names, occupancy.
 * Figures come from the cubin (registers, local memory), the PTX (shared, constant memory) and the GPU's profile.
 * It launches nothing. */
#include <string.h>

#include "report/names.h"
#include "runtime/image.h"

enum { MAX_THREADS_PER_BLOCK = 1024 };

/* Registers of a block, rounded as the hardware does, bound its threads as well. */
static int max_threads_of(const struct function *function, const struct gpu *gpu)
{
    int threads = (int)(function->max_threads ? function->max_threads : MAX_THREADS_PER_BLOCK);
    struct occupancy occupancy;
    for (; threads > 32; threads -= 32) {
        gpu_occupancy(gpu, function->registers, 0, (uint32_t)threads, &occupancy);
        if (occupancy.blocks_per_sm)
            break;
    }
    return threads;
}

static size_t const_bytes(const struct function *function)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < function->module->nsymbols; i++)
        if (function->module->symbols[i].var->space == PTX_CONST)
            bytes += function->module->symbols[i].var->size;
    return bytes;
}

uint32_t kernel_dynamic_limit(const struct kernel *kernel)
{
    const uint32_t all = runtime_config()->gpu->shared_per_block, fixed = kernel->function->shared_bytes;
    if (kernel->dynamic_shared_limit)
        return (uint32_t)kernel->dynamic_shared_limit;
    return fixed < all ? all - fixed : 0;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *host)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out)
        return runtime_error(cudaErrorInvalidValue);
    struct kernel *kernel = kernel_load(host, &error);
    if (!kernel)
        return error;
    const struct function *function = kernel->function;
    const struct gpu *gpu = runtime_config()->gpu;
    memset(out, 0, sizeof *out);
    out->sharedSizeBytes = function->shared_bytes;
    out->constSizeBytes = const_bytes(function);
    out->localSizeBytes = function->cubin_local_bytes ? function->cubin_local_bytes : function->local_bytes;
    out->maxThreadsPerBlock = max_threads_of(function, gpu);
    out->numRegs = (int)function->registers;
    out->ptxVersion = function->module->ptx->target;
    out->binaryVersion = (int)image_arch();
    out->maxDynamicSharedSizeBytes = (int)kernel_dynamic_limit(kernel);
    out->preferredShmemCarveout = kernel->carveout;
    return cudaSuccess;
}

static cudaError_t set_dynamic_shared(struct kernel *kernel, int value)
{
    const struct gpu *gpu = runtime_config()->gpu;
    int most = (int)gpu->shared_per_block_optin - (int)kernel->function->shared_bytes;
    char name[200];
    name_demangle(kernel->name, name, sizeof name);
    if (value < 0 || value > most)
        return runtime_complain(
            cudaErrorInvalidValue, VGPU_SHARED_LIMIT,
            "cudaFuncSetAttribute(MaxDynamicSharedMemorySize, %d) for `%s`: with its %u static "
            "bytes, %s allows at most %d",
            value, name, kernel->function->shared_bytes, gpu->name, most);
    kernel->dynamic_shared_limit = value;
    return cudaSuccess;
}

static cudaError_t set_carveout(struct kernel *kernel, int value)
{
    if (value < -1 || value > 100)
        return runtime_error(cudaErrorInvalidValue);
    kernel->carveout = value;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute, int value)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    struct kernel *kernel = kernel_load(host, &error);
    if (!kernel)
        return error;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return set_dynamic_shared(kernel, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        return set_carveout(kernel, value);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return runtime_unsupported("cudaFuncSetAttribute", "attributes of thread block clusters");
    default:
        return runtime_error(cudaErrorInvalidValue);
    }
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device)
{
    return device == 0 ? cudaFuncSetAttribute(kernel, attribute, value)
                       : runtime_error(cudaErrorInvalidDevice);
}

/* L1 and shared memory are split by need on every profile: the preference changes nothing. */
cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (config > cudaFuncCachePreferEqual)
        return runtime_error(cudaErrorInvalidValue);
    return kernel_find(host) ? cudaSuccess : runtime_error(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *host, enum cudaSharedMemConfig config)
{
    (void)config;
    return cudaFuncSetCacheConfig(host, cudaFuncCachePreferNone);
}

cudaError_t cudaFuncGetName(const char **name, const void *host)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    struct kernel *kernel = kernel_find(host);
    if (!name || !kernel)
        return runtime_error(name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
    *name = kernel->name;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *size)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    struct kernel *kernel = kernel_load(host, &error);
    if (!kernel)
        return error;
    if (!offset || index >= kernel->function->nparams)
        return runtime_error(cudaErrorInvalidValue);
    *offset = kernel->function->params[index].offset;
    if (size)
        *size = kernel->function->params[index].size;
    return cudaSuccess;
}

static cudaError_t handle_of(const void **out, const void *host)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out)
        return runtime_error(cudaErrorInvalidValue);
    struct kernel *kernel = kernel_find(host);
    *out = kernel ? kernel->host : NULL;
    return kernel ? cudaSuccess : runtime_error(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *host)
{
    return handle_of((const void **)out, host);
}

cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host)
{
    return handle_of((const void **)out, host);
}

cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host)
{
    return handle_of((const void **)out, host);
}

/* ------------------------------------------------------------------------------------------- occupancy */

/* Of a block, static and dynamic: more than usual only after cudaFuncSetAttribute(). */
static uint64_t shared_limit(const struct kernel *kernel)
{
    const uint64_t usual = runtime_config()->gpu->shared_per_block,
                   asked = kernel->function->shared_bytes + (uint64_t)kernel->dynamic_shared_limit;
    return asked > usual ? asked : usual;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                   int block_size, size_t dynamic_shared,
                                                                   unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!blocks || block_size <= 0 || (flags & ~cudaOccupancyDisableCachingOverride))
        return runtime_error(cudaErrorInvalidValue);
    struct kernel *kernel = kernel_load(host, &error);
    if (!kernel)
        return error;
    const struct gpu *gpu = runtime_config()->gpu;
    const struct function *function = kernel->function;
    struct occupancy occupancy;
    uint64_t shared = function->shared_bytes + (uint64_t)dynamic_shared;
    bool fits = block_size <= MAX_THREADS_PER_BLOCK && block_size <= (int)function->max_threads &&
                shared <= shared_limit(kernel);
    gpu_occupancy(gpu, function->registers, fits ? (uint32_t)shared : 0, (uint32_t)block_size, &occupancy);
    *blocks = fits ? (int)occupancy.blocks_per_sm : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int block_size,
                                                          size_t dynamic_shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, block_size, dynamic_shared,
                                                                  cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host, int blocks,
                                                      int block_size)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || blocks <= 0 || block_size <= 0)
        return runtime_error(cudaErrorInvalidValue);
    struct kernel *kernel = kernel_load(host, &error);
    if (!kernel)
        return error;
    const struct gpu *gpu = runtime_config()->gpu;
    int64_t share = gpu->shared_bytes / (uint32_t)blocks / gpu->shared_granule * gpu->shared_granule;
    int64_t left = share - gpu->shared_reserved - kernel->function->shared_bytes;
    int64_t most = (int64_t)shared_limit(kernel) - kernel->function->shared_bytes;
    if (left > most)
        left = most;
    *out = left > 0 ? (size_t)left : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *host,
                                                 const cudaLaunchConfig_t *config)
{
    (void)size, (void)host, (void)config;
    cudaError_t error = runtime_begin();
    return error ? error
                 : runtime_unsupported("cudaOccupancyMaxPotentialClusterSize", "thread block clusters");
}

cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *host, const cudaLaunchConfig_t *config)
{
    (void)count, (void)host, (void)config;
    cudaError_t error = runtime_begin();
    return error ? error : runtime_unsupported("cudaOccupancyMaxActiveClusters", "thread block clusters");
}
