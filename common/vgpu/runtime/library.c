/* library.c - device code that a program loads while it runs: cudaLibraryLoadData and its kin.
 * A library is an image like those that nvcc's start-up code registers, only with a beginning and an end of its own.
 * Takes fatbins and PTX text; JIT options are accepted and ignored, since nothing is compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine.h"
#include "model/model.h"
#include "runtime/image.h"

#define WRAPPER_MAGIC   0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u

struct CUlib_st {
    struct image image;
    void *copy; /* of the container: the program may free its own */
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

static uint32_t magic_of(const void *code)
{
    uint32_t magic;
    memcpy(&magic, code, sizeof magic);
    return magic;
}

/* u32 magic, u16 version, u16 header size, u64 size of what follows. */
static void *copy_container(const void *container)
{
    uint16_t header;
    uint64_t size;
    memcpy(&header, (const char *)container + 6, sizeof header);
    memcpy(&size, (const char *)container + 8, sizeof size);
    if (size > (uint64_t)1 << 32)
        return NULL;
    void *copy = malloc(header + size);
    return copy ? memcpy(copy, container, header + size) : NULL;
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

static cudaError_t take_code(struct CUlib_st *library, const void *code)
{
    const void *container = code;
    if (magic_of(code) == WRAPPER_MAGIC)
        memcpy(&container, (const char *)code + 8, sizeof container);
    if (magic_of(container) == CONTAINER_MAGIC) {
        library->copy = copy_container(container);
        library->image.container = library->copy;
        return library->copy ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (memcmp(code, "\177ELF", 4) == 0)
        return runtime_unsupported("cudaLibraryLoadData", "machine code without PTX");
    return take_ptx(library, code);
}

static void discard(struct CUlib_st *library)
{
    if (library->image.module) {
        model_forget(library->image.module);
        module_free(library->image.module, runtime_memory());
    }
    ptx_free(library->image.ptx);
    fatbin_free(&library->image.fatbin);
    free(library->copy);
    free(library);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *jit_options,
                                void **jit_values, unsigned njit, enum cudaLibraryOption *options,
                                void **values, unsigned noptions)
{
    (void)jit_options, (void)jit_values, (void)njit, (void)options, (void)values, (void)noptions;
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || !code)
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

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path, enum cudaJitOption *jit_options,
                                    void **jit_values, unsigned njit, enum cudaLibraryOption *options,
                                    void **values, unsigned noptions)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file)
        return runtime_error(path ? cudaErrorFileNotFound : cudaErrorInvalidValue);
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *code = size > 0 ? calloc(1, (size_t)size + 16) : NULL;
    bool is_read =
        code && fseek(file, 0, SEEK_SET) == 0 && fread(code, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    cudaError_t error =
        is_read ? cudaLibraryLoadData(out, code, jit_options, jit_values, njit, options, values, noptions)
                : runtime_error(cudaErrorInvalidKernelImage);
    free(code);
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
