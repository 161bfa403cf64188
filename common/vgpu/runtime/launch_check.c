/* launch_check.c - can a launch be done? Grid, block, shared memory, registers, and room for cooperative grids.
 * A launch that cannot gives CUDA's error code and a message with the numbers. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/names.h"
#include "report/report.h"
#include "runtime/launch.h"

enum { MAX_BLOCK = 1024, MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535 };
#define MAX_GRID_X 2147483647u

/* nvcc 13's own launches (<<<>>>) give cudaErrorInvalidValue for what cudaLaunchKernel calls an invalid configuration:
 * seen on an H200 with CUDA 13.0. */
static cudaError_t bad_shape(const struct launch_request *request)
{
    return request->is_by_handle ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
}

/* Drops the frames of nvcc's launch stub, which claim the line of the kernel's definition: the launch is meant. A stub whose own
 * file is known to the line table has been skipped already; and a frame of the launch's function, looked at alone, claims the
 * kernel's line as well where a part of the stub was inlined into it. */
static size_t skip_stub(const struct kernel *kernel, void **frames, size_t count)
{
    char definition[300] = "", line[300];
    void *entry = (char *)(uintptr_t)kernel->host + 1;
    size_t skipped = 0;
    if (!host_line(&entry, 1, definition, sizeof definition))
        return 0;
    if (host_line(frames, count, line, sizeof line) && strcmp(line, definition) != 0)
        return 0;
    while (skipped + 1 < count && frames[skipped + 1]) {
        line[0] = 0;
        if (host_line(&frames[skipped], 1, line, sizeof line) && strcmp(line, definition) != 0)
            return skipped;
        skipped++;
    }
    return 0; /* the stub was inlined into its caller, or nothing is known of lines */
}

/* A launch that is refused: which finding it is, and a sentence about this kernel. */
#define REFUSE(error, kind, ...) return refuse(request, error, kind, NULL, __VA_ARGS__)

/* cause NULL: that of the kind. */
__attribute__((format(printf, 5, 6))) static cudaError_t refuse(const struct launch_request *request,
                                                                cudaError_t error, enum vgpu_finding kind,
                                                                const char *cause, const char *format, ...)
{
    enum { FRAMES = 12 };
    char name[200], text[400];
    void *frames[FRAMES] = {NULL};
    va_list list;
    if (runtime_config()->check == CHECK_OFF)
        return runtime_error(error);
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    name_demangle(request->kernel->name, name, sizeof name);
    report_frames(frames, FRAMES);
    size_t skipped = request->is_by_handle ? skip_stub(request->kernel, frames, FRAMES) : 0;
    report_host(kind, frames + skipped, FRAMES - skipped, cause, "kernel `%s`: %s", name, text);
    return runtime_refused(error);
}

static cudaError_t check_grid(const struct launch_request *request)
{
    dim3 grid = request->grid;
    if (launch_count(grid) == 0)
        REFUSE(bad_shape(request), VGPU_LAUNCH_EMPTY_GRID,
               "the grid is (%u,%u,%u); every dimension must be at least 1", grid.x, grid.y, grid.z);
    if (grid.x > MAX_GRID_X || grid.y > MAX_GRID_YZ || grid.z > MAX_GRID_YZ)
        REFUSE(bad_shape(request), VGPU_LAUNCH_LARGE_GRID,
               "the grid is (%u,%u,%u); the limits are (%u,%d,%d)", grid.x, grid.y, grid.z, MAX_GRID_X,
               MAX_GRID_YZ, MAX_GRID_YZ);
    return cudaSuccess;
}

/* A grid that would do as a block, and a block whose size nobody would choose, but a number of blocks might be. */
static bool looks_swapped(dim3 grid, dim3 block)
{
    return launch_count(grid) <= MAX_BLOCK && grid.x % 32 == 0 && (block.x | block.y | block.z) % 32 != 0;
}

static cudaError_t check_block(const struct launch_request *request)
{
    dim3 block = request->block;
    uint64_t threads = launch_count(block);
    if (threads == 0)
        REFUSE(bad_shape(request), VGPU_LAUNCH_EMPTY_BLOCK,
               "the block is (%u,%u,%u); every dimension must be at least 1", block.x, block.y, block.z);
    if (block.x > MAX_BLOCK || block.y > MAX_BLOCK || block.z > MAX_BLOCK_Z)
        return refuse(request, bad_shape(request), VGPU_LAUNCH_LARGE_BLOCK,
                      looks_swapped(request->grid, block)
                          ? "grid and block may have been swapped in <<<grid, block>>>"
                          : NULL,
                      "the block is (%u,%u,%u); the limits are (%d,%d,%d)", block.x, block.y, block.z,
                      MAX_BLOCK, MAX_BLOCK, MAX_BLOCK_Z);
    if (threads > MAX_BLOCK)
        REFUSE(bad_shape(request), VGPU_LAUNCH_MANY_THREADS,
               "the block (%u,%u,%u) has %llu threads; at most %d are possible", block.x, block.y, block.z,
               (unsigned long long)threads, MAX_BLOCK);
    return cudaSuccess;
}

static cudaError_t check_shared(const struct launch_request *request, const struct gpu *gpu)
{
    uint32_t fixed = request->kernel->function->shared_bytes;
    uint64_t total = (uint64_t)fixed + request->shared;
    if (total > gpu->shared_per_block_optin)
        REFUSE(cudaErrorInvalidValue, VGPU_LAUNCH_SHARED,
               "%u bytes static + %zu dynamic = %llu bytes per block; %s has at most %u", fixed,
               request->shared, (unsigned long long)total, gpu->name, gpu->shared_per_block_optin);
    uint32_t limit = kernel_dynamic_limit(request->kernel);
    if (request->shared > limit)
        REFUSE(cudaErrorInvalidValue, VGPU_LAUNCH_DYNAMIC_SHARED,
               "%zu bytes of dynamic shared memory were asked for (%u are static); the kernel's limit is %u",
               request->shared, fixed, limit);
    return cudaSuccess;
}

static cudaError_t check_resources(const struct launch_request *request, const struct gpu *gpu,
                                   struct occupancy *occupancy)
{
    const struct function *function = request->kernel->function;
    uint32_t threads = (uint32_t)launch_count(request->block);
    gpu_occupancy(gpu, function->registers, function->shared_bytes + (uint32_t)request->shared, threads,
                  occupancy);
    if (threads > function->max_threads)
        REFUSE(cudaErrorInvalidValue, VGPU_LAUNCH_BOUNDS,
               "the block has %u threads; __launch_bounds__ promised at most %u", threads,
               function->max_threads);
    if (occupancy->blocks_per_sm == 0)
        REFUSE(cudaErrorLaunchOutOfResources, VGPU_LAUNCH_REGISTERS,
               "%u threads of %u registers each; an SM of %s has %u registers", threads, function->registers,
               gpu->name, gpu->registers);
    return cudaSuccess;
}

static cudaError_t check_cooperative(const struct launch_request *request, const struct gpu *gpu,
                                     const struct occupancy *occupancy)
{
    uint64_t blocks = launch_count(request->grid), room = (uint64_t)occupancy->blocks_per_sm * gpu->sms;
    if (request->is_cooperative && blocks > room)
        REFUSE(cudaErrorCooperativeLaunchTooLarge, VGPU_LAUNCH_COOPERATIVE,
               "%llu blocks; %s holds %u per SM on %u SMs, %llu in all (limited by %s)",
               (unsigned long long)blocks, gpu->name, occupancy->blocks_per_sm, gpu->sms,
               (unsigned long long)room, occupancy->limiter);
    return cudaSuccess;
}

cudaError_t launch_check(const struct launch_request *request, struct occupancy *occupancy)
{
    const struct gpu *gpu = runtime_config()->gpu;
    cudaError_t error = check_grid(request);
    if (!error)
        error = check_block(request);
    if (!error)
        error = check_shared(request, gpu);
    if (!error)
        error = check_resources(request, gpu, occupancy);
    return error ? error : check_cooperative(request, gpu, occupancy);
}
