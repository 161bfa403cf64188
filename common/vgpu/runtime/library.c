/* library.c - device code that a program loads while it runs: cudaLibraryLoadData and its kin.
 * A library is an image like those that nvcc's start-up code registers, only with a beginning and an end of its own.
 * Takes fatbins and PTX text; JIT options are accepted and ignored, since nothing is compiled. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "core/machine.h"
#include "model/model.h"
#include "runtime/image.h"

#define WRAPPER_MAGIC   0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u
#define ELF_MAGIC       0x464c457fu
#define MAX_CONTAINER   ((size_t)1 << 32)

struct CUlib_st {
    struct image image;
    void *copy;   /* of the container: the program may free its own */
    size_t bytes; /* of a container; 0: the copy is PTX text */
    struct CUlib_st *next;
};

static struct CUlib_st *libraries;

static bool is_library(const struct CUlib_st *library)
{
    const struct CUlib_st *other = libraries;
    while (other && other != library)
        other = other->next;
    return other != NULL;
}

/* ------------------------------------------------------------------------------------------- loading */

/* Code that lies in a file has a size; code in the program's own memory ends where it says itself. */
struct code {
    const char *bytes;
    size_t size; /* SIZE_MAX: unknown */
};

static bool begins_with(struct code code, uint32_t magic)
{
    return code.size >= sizeof magic && number_at(code.bytes, sizeof magic) == magic;
}

static cudaError_t refuse_cut(void)
{
    fprintf(stderr,
            "vgpu: error: cudaLibraryLoadFromFile: the fatbin is cut off: its header promises more\n");
    return cudaErrorInvalidKernelImage;
}

/* ------------------------------------------------------------------------------------------- read before */

/* Libraries that were unloaded last, as they were read: whoever loads the same code again, as a judge does for each case, need
 * not wait for its text to be read again. Nothing that runs changes them. */
enum { KEPT = 4 };
static struct kept {
    void *copy;
    size_t bytes;
    struct ptx_module *ptx;
    struct fatbin fatbin;
} kept[KEPT];
static unsigned next_kept;

static void free_kept(struct kept *one)
{
    ptx_free(one->ptx);
    fatbin_free(&one->fatbin);
    free(one->copy);
}

static void keep(const struct CUlib_st *library)
{
    const struct image *image = &library->image;
    struct kept one = {library->copy, library->bytes, image->ptx, image->fatbin};
    if (!library->bytes || !image->ptx) {
        free_kept(&one);
        return;
    }
    struct kept *place = &kept[next_kept++ % KEPT];
    free_kept(place);
    *place = one;
}

static bool take_kept(struct CUlib_st *library, const char *container, size_t bytes)
{
    for (struct kept *one = kept; one < kept + KEPT; one++) {
        if (one->bytes != bytes || memcmp(one->copy, container, bytes) != 0)
            continue;
        library->copy = one->copy;
        library->bytes = bytes;
        library->image.container = one->copy;
        library->image.ptx = one->ptx;
        library->image.fatbin = one->fatbin;
        *one = (struct kept){.copy = NULL};
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------- what is loaded */

/* u32 magic, u16 version, u16 header size, u64 size of what follows. */
static cudaError_t take_container(struct CUlib_st *library, struct code code)
{
    enum { HEADER = 16, AT_HEADER_SIZE = 6, AT_SIZE = 8 };
    if (code.size < HEADER)
        return refuse_cut();
    const uint64_t header = number_at(code.bytes + AT_HEADER_SIZE, 2),
                   size = number_at(code.bytes + AT_SIZE, 8);
    if (header > code.size || size > code.size - header)
        return refuse_cut();
    if (take_kept(library, code.bytes, header + size))
        return cudaSuccess;
    library->copy = size <= MAX_CONTAINER ? malloc(header + size) : NULL;
    if (!library->copy)
        return cudaErrorMemoryAllocation;
    library->bytes = header + size;
    library->image.container = memcpy(library->copy, code.bytes, header + size);
    return cudaSuccess;
}

static cudaError_t take_ptx(struct CUlib_st *library, const char *text)
{
    struct ptx_error problem = {0};
    library->copy = strdup(text);
    library->image.ptx = library->copy ? ptx_parse(library->copy, strlen(text), &problem) : NULL;
    if (library->image.ptx)
        return cudaSuccess;
    fprintf(stderr, "vgpu: error: cudaLibraryLoadData: the PTX cannot be read: line %u, column %u: %s\n",
            problem.line, problem.column, problem.text);
    return cudaErrorInvalidPtx;
}

/* A wrapper, as nvcc's start-up code has it, points at its container: there is none in a file. */
static struct code unwrap(struct code code)
{
    enum { AT_CONTAINER = 8 };
    if (code.size == SIZE_MAX && begins_with(code, WRAPPER_MAGIC))
        code.bytes = (const char *)(uintptr_t)number_at(code.bytes + AT_CONTAINER, sizeof(uintptr_t));
    return code;
}

static cudaError_t take_code(struct CUlib_st *library, struct code code)
{
    struct code container = unwrap(code);
    if (begins_with(container, CONTAINER_MAGIC))
        return take_container(library, container);
    if (begins_with(code, ELF_MAGIC))
        return runtime_unsupported("cudaLibraryLoadData", "machine code without PTX");
    return take_ptx(library, code.bytes);
}

static void discard(struct CUlib_st *library)
{
    if (library->image.module) {
        model_forget(library->image.module);
        module_free(library->image.module, runtime_memory());
    }
    keep(library);
    free(library);
}

static cudaError_t load(cudaLibrary_t *out, struct code code)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !code.bytes)
        return runtime_error(cudaErrorInvalidValue);
    struct CUlib_st *library = calloc(1, sizeof *library);
    if (!library)
        return runtime_error(cudaErrorMemoryAllocation);
    runtime_lock();
    error = take_code(library, code);
    if (!error)
        error = image_load(&library->image);
    if (error) {
        discard(library);
    } else {
        image_add(&library->image);
        library->next = libraries;
        libraries = library;
        *out = library;
    }
    runtime_unlock();
    return runtime_error(error);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *jit_options,
                                void **jit_values, unsigned njit, enum cudaLibraryOption *options,
                                void **values, unsigned noptions)
{
    (void)jit_options, (void)jit_values, (void)njit, (void)options, (void)values, (void)noptions;
    return load(out, (struct code){code, SIZE_MAX});
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path, enum cudaJitOption *jit_options,
                                    void **jit_values, unsigned njit, enum cudaLibraryOption *options,
                                    void **values, unsigned noptions)
{
    (void)jit_options, (void)jit_values, (void)njit, (void)options, (void)values, (void)noptions;
    struct code code;
    char *bytes = path ? file_read(path, MAX_CONTAINER, true, &code.size) : NULL;
    if (!path)
        return runtime_error(cudaErrorInvalidValue);
    if (!bytes && errno != EISDIR && errno != EINVAL && errno != EFBIG)
        return runtime_error(cudaErrorFileNotFound);
    code.bytes = bytes;
    cudaError_t error = bytes && code.size ? load(out, code) : runtime_error(cudaErrorInvalidKernelImage);
    free(bytes);
    return error;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    runtime_lock();
    struct CUlib_st **link = &libraries;
    while (*link && *link != library)
        link = &(*link)->next;
    const bool is_known = *link != NULL;
    if (is_known) {
        *link = library->next;
        image_remove(&library->image);
        discard(library);
    }
    runtime_unlock();
    return is_known ? cudaSuccess : runtime_error(cudaErrorInvalidResourceHandle);
}

/* ------------------------------------------------------------------------------------------- kernels, variables */

static const char *entry_name(struct image *image, const char *name)
{
    if (image_load(image))
        return NULL;
    const struct function *function = module_find(image->module, name);
    return function && function->ptx->is_entry ? function->name : NULL;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !name)
        return runtime_error(cudaErrorInvalidValue);
    runtime_lock();
    const char *found = is_library(library) ? entry_name(&library->image, name) : NULL;
    struct kernel *kernel = found ? image_add_kernel(&library->image, NULL, found) : NULL;
    if (!is_library(library))
        error = cudaErrorInvalidResourceHandle;
    else if (!kernel)
        error = found ? cudaErrorMemoryAllocation : cudaErrorSymbolNotFound;
    else
        *out = (cudaKernel_t)kernel;
    runtime_unlock();
    return runtime_error(error);
}

cudaError_t cudaLibraryGetGlobal(void **out, size_t *bytes, cudaLibrary_t library, const char *name)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!name)
        return runtime_error(cudaErrorInvalidValue);
    runtime_lock();
    error = is_library(library) ? image_load(&library->image) : cudaErrorInvalidResourceHandle;
    const struct module *module = error ? NULL : library->image.module;
    const struct symbol *symbol = NULL;
    for (uint32_t i = 0; module && !symbol && i < module->nsymbols; i++)
        if (strcmp(module->symbols[i].var->name, name) == 0)
            symbol = &module->symbols[i];
    if (symbol && out)
        *out = (void *)(uintptr_t)symbol->address;
    if (symbol && bytes)
        *bytes = symbol->allocation ? symbol->allocation->size : 0;
    runtime_unlock();
    return runtime_error(error ? error : symbol ? cudaSuccess : cudaErrorSymbolNotFound);
}
