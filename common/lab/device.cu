/* device.cu - the kit's own kernels: fill, poison, compare.
 * They compile the same element.h as the host does, so a buffer filled here holds the bytes of lab_fill().
 * Timing and judging are not done here. */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "lab/device.h"
#include "lab/element.h"

enum { THREADS = 256, BLOCKS = 1056 }; /* a few blocks per multiprocessor: the loops take the rest */

__global__ void lab_fill_kernel(void *out, enum lab_type type, size_t count, uint64_t seed, double low, double high)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        element_store(type, out, i, element_draw(type, element_hash(seed, i), low, high));
}

__global__ void lab_compare_kernel(const void *got, const void *expected, enum lab_type type, size_t count,
                                   double relative, double absolute, unsigned long long *wrong)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned long long mine = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        mine += !element_matches(type, relative, absolute, element_load(type, got, i),
                                 element_load(type, expected, i));
    if (mine)
        atomicAdd(wrong, mine);
}

static const char *words_of(cudaError_t error)
{
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

static unsigned blocks_for(size_t count)
{
    size_t blocks = (count + THREADS - 1) / THREADS;
    return (unsigned)(blocks < BLOCKS ? blocks : BLOCKS);
}

static const char *fill(const struct lab_buffer *buffer, uint64_t seed, void *device)
{
    lab_fill_kernel<<<blocks_for(buffer->count), THREADS>>>(device, buffer->type, buffer->count, seed, buffer->low,
                                                            buffer->high);
    return words_of(cudaGetLastError());
}

/* A buffer on the host is filled and compared on the device all the same: that and the copies are faster than a CPU. */
static const char *fill_host(const struct lab_buffer *buffer, uint64_t seed, void *out)
{
    const size_t bytes = buffer->count * element_bytes(buffer->type);
    void *device = NULL;
    const char *problem = words_of(cudaMalloc(&device, bytes));
    if (!problem)
        problem = fill(buffer, seed, device);
    if (!problem)
        problem = words_of(cudaMemcpy(out, device, bytes, cudaMemcpyDeviceToHost));
    cudaFree(device);
    return problem;
}

/* A rule is known to the host alone. */
static const char *fill_by_rule(const struct lab_run *run, int index, void *out)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t bytes = buffer->count * element_bytes(buffer->type);
    const uint64_t seed = element_hash(run->seed, (uint64_t)index);
    void *host = malloc(bytes);
    if (!host)
        return "out of memory";
    for (size_t i = 0; i < buffer->count; i++)
        element_store(buffer->type, host, i, (uint64_t)buffer->make(run, seed, i));
    const char *problem = words_of(cudaMemcpy(out, host, bytes, cudaMemcpyDefault));
    free(host);
    return problem;
}

const char *lab_device_fill(const struct lab_run *run, int index, void *device)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const uint64_t seed = element_hash(run->seed, (uint64_t)index);
    if (buffer->count == 0)
        return NULL;
    if (buffer->is_said) {
        memset(device, LAB_POISON, buffer->count * element_bytes(buffer->type));
        return NULL;
    }
    if (buffer->make)
        return fill_by_rule(run, index, device);
    return buffer->is_host ? fill_host(buffer, seed, device) : fill(buffer, seed, device);
}

/* Launches the comparison and fetches its counter. */
static cudaError_t count_wrong(const struct lab_buffer *buffer, const void *got, const void *expected,
                               unsigned long long *counter, unsigned long long *sum)
{
    cudaError_t error = cudaMemset(counter, 0, sizeof *counter);
    if (error != cudaSuccess)
        return error;
    lab_compare_kernel<<<blocks_for(buffer->count), THREADS>>>(got, expected, buffer->type, buffer->count,
                                                               buffer->relative, buffer->absolute, counter);
    error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaMemcpy(sum, counter, sizeof *sum, cudaMemcpyDeviceToHost);
}

static const char *compare(const struct lab_buffer *buffer, const void *got, const void *expected, size_t *wrong)
{
    unsigned long long *counter = NULL, sum = 0;
    cudaError_t error = cudaMalloc((void **)&counter, sizeof *counter);
    if (error == cudaSuccess)
        error = count_wrong(buffer, got, expected, counter, &sum);
    cudaFree(counter);
    *wrong = (size_t)sum;
    return words_of(error);
}

static const char *compare_host(const struct lab_buffer *buffer, const void *got, const void *expected,
                                size_t *wrong)
{
    const size_t bytes = buffer->count * element_bytes(buffer->type);
    const void *const sides[2] = {got, expected};
    void *device[2] = {NULL, NULL};
    const char *problem = NULL;
    for (int i = 0; i < 2 && !problem; i++) {
        problem = words_of(cudaMalloc(&device[i], bytes));
        if (!problem)
            problem = words_of(cudaMemcpy(device[i], sides[i], bytes, cudaMemcpyHostToDevice));
    }
    if (!problem)
        problem = compare(buffer, device[0], device[1], wrong);
    cudaFree(device[0]);
    cudaFree(device[1]);
    return problem;
}

const char *lab_device_compare(const struct lab_buffer *buffer, const void *got, const void *expected,
                               size_t *wrong)
{
    *wrong = 0;
    if (buffer->count == 0 || buffer->sheet) /* no kernel of the kit gives answers: see answer.h for what decides */
        return NULL;
    return buffer->is_host ? compare_host(buffer, got, expected, wrong) : compare(buffer, got, expected, wrong);
}
