/* model.c - launches one of the cases below and prints its modelled time: model KERNELS.ptx CASE[:BLOCKS]
 * The line: the case, its time in microseconds to the last bit (C's %a), and the same for people.
 * Every case finds new memory and an empty L2 cache, because it has the process to itself. BLOCKS replaces the grid's x. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu.h"

enum { MB = 1 << 20, M = 1 << 20 };

/* Two arrays of these bytes each; grids are made for an H200: 132 SMs. */
static const struct launch_case {
    const char *name, *kernel;
    unsigned grid_x, grid_y, block_x, block_y, n;
    size_t bytes;
} cases[] = {
    /* name, kernel, grid, block, n, bytes */
    {"empty", "empty", 1, 1, 32, 1, 0, MB},
    /* for bandwidths, rates and limits */
    {"copy4", "copy4", 16 * M / 256, 1, 256, 1, 16 * M, (size_t)256 * MB},
    {"saxpy", "saxpy", 16 * M / 256, 1, 256, 1, 16 * M, 64 * MB},
    {"fma32", "fma32", 132 * 16, 1, 1024, 1, 1000, 16 * MB},
    {"fma64", "fma64", 640, 1, 256, 1, 200, 16 * MB},
    {"banks", "banks", 132 * 8, 1, 256, 1, 100, 16 * MB},
    {"chase", "chase", 1, 1, 32, 1, 2000, MB},
    /* atomics of all threads on one word, after few rounds and after more than a record begins with */
    {"late-10", "late", 1000, 1, 256, 1, 10, MB},
    {"late-2000", "late", 1000, 1, 256, 1, 2000, MB},
    /* many rounds after a start that waits */
    {"early-4000", "early", 132, 1, 256, 1, 4000, MB},
    /* one wave of blocks that only compute: two of 1024 threads on an SM */
    {"wave", "fma32", 132 * 2, 1, 1024, 1, 500, 16 * MB},
    /* one thread does all, in a block that is recorded by itself only */
    {"lone", "lone", 1, 1, 256, 1, M / 8, MB},
    /* executed in full within a second */
    {"copy4-small", "copy4", 4 * M / 256, 1, 256, 1, 4 * M, 64 * MB},
    {"saxpy-small", "saxpy", 4 * M / 256, 1, 256, 1, 4 * M, 16 * MB},
    {"transpose-small", "transpose", 64, 64, 32, 8, 2048, 16 * MB},
    {"reduce-small", "reduce", 4 * M / 512, 1, 256, 1, 4 * M, 16 * MB},
    {"matmul-small", "matmul", 32, 32, 16, 16, 512, 2 * MB},
    {"fma32-small", "fma32", 300, 1, 256, 1, 100, MB},
    {"fma64-small", "fma64", 300, 1, 256, 1, 20, MB},
    {"banks-small", "banks", 300, 1, 256, 1, 20, MB},
    {"divide-small", "divide", 300, 1, 256, 1, 20, MB},
    {"divergent-small", "divergent", 300, 1, 256, 1, 20, MB},
    {"histogram-small", "histogram", 200, 1, 256, 1, M, 4 * MB},
    /* as large as a GPU wants them */
    {"transpose-8192", "transpose", 256, 256, 32, 8, 8192, (size_t)256 * MB},
    {"reduce-64M", "reduce", 64 * M / 512, 1, 256, 1, 64 * M, (size_t)256 * MB},
    {"matmul-4096", "matmul", 256, 256, 16, 16, 4096, (size_t)128 * MB},
};
enum { CASES = sizeof cases / sizeof *cases };

static void keep_time(void *context, const struct vgpu_launch *launch)
{
    *(double *)context = launch->time_us;
}

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "model: %s: %s\n", what, cudaGetErrorString(error));
    exit(2);
}

static const struct launch_case *find_case(const char *name, size_t length)
{
    for (int i = 0; i < CASES; i++)
        if (strlen(cases[i].name) == length && !strncmp(cases[i].name, name, length))
            return &cases[i];
    fprintf(stderr, "model: no case %.*s\n", (int)length, name);
    exit(2);
}

static void launch(const struct launch_case *this, cudaKernel_t kernel, unsigned blocks)
{
    void *out, *in;
    unsigned n = this->n;
    void *args[] = {&out, &in, &n};
    check(cudaMalloc(&out, this->bytes), "memory");
    check(cudaMalloc(&in, this->bytes), "memory");
    check(cudaLaunchKernel((const void *)kernel, (dim3){blocks, this->grid_y, 1},
                           (dim3){this->block_x, this->block_y, 1}, args, 0, NULL),
          this->name);
    check(cudaDeviceSynchronize(), this->name);
}

int main(int argc, char **argv)
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    double time_us = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: model KERNELS.ptx CASE[:BLOCKS]\n");
        return 2;
    }
    const char *name = argv[2], *colon = strchr(name, ':');
    const struct launch_case *this = find_case(name, colon ? (size_t)(colon - name) : strlen(name));
    vgpu_watch(&(struct vgpu_watcher){.context = &time_us, .launched = keep_time});
    check(cudaLibraryLoadFromFile(&library, argv[1], NULL, NULL, 0, NULL, NULL, 0), argv[1]);
    check(cudaLibraryGetKernel(&kernel, library, this->kernel), this->kernel);
    launch(this, kernel, colon ? (unsigned)strtoul(colon + 1, NULL, 10) : this->grid_x);
    printf("%s %a %.9g\n", name, time_us, time_us);
    return 0;
}
