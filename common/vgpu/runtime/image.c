/* image.c - what nvcc's start-up code registers: fatbins, kernels, variables; and their loading on first use.
 * Registration only takes notes: a program that never uses a kernel never pays for reading its PTX.
 * Kernels are launched in launch.c and executed by core/. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "exec/instructions.h"
#include "model/model.h"
#include "report/names.h"
#include "report/report.h"
#include "runtime/image.h"

#define WRAPPER_MAGIC 0x466243b1u
enum { WRAPPER_LINKED = 2, BUCKET_BITS = 10, BUCKETS = 1 << BUCKET_BITS };

/* What __cudaRegisterFatBinary gets. Version 2 has the containers of the linked objects in its last field. */
struct wrapper {
    uint32_t magic, version;
    const void *container;
    const void *extra;
};

struct variable {
    const void *host; /* the shadow variable; of a managed one: where its pointer lies */
    const char *name;
    uint64_t size;
    bool is_managed;
    struct image *image;
    struct variable *next;
};

static struct image *images;
static struct kernel *kernels[BUCKETS];
static struct variable *variables[BUCKETS];

static size_t bucket_of(const void *pointer)
{
    return hash_word((uintptr_t)pointer) >> (64 - BUCKET_BITS);
}

/* ------------------------------------------------------------------------------------------- registration */

void image_add(struct image *image)
{
    image->next = images;
    images = image;
}

void **__cudaRegisterFatBinary(void *fatbin)
{
    const struct wrapper *wrapper = fatbin;
    struct image *image = calloc(1, sizeof *image);
    if (!image)
        return NULL;
    if (wrapper->magic != WRAPPER_MAGIC) {
        fprintf(stderr,
                "vgpu: error: the program registers device code in a form that this version does not know "
                "(magic 0x%08x)\n",
                wrapper->magic);
        image->error = cudaErrorInvalidKernelImage;
    } else {
        image->container = wrapper->container;
        image->prelinked = wrapper->version >= WRAPPER_LINKED ? wrapper->extra : NULL;
    }
    runtime_lock();
    image_add(image);
    runtime_unlock();
    return (void **)image;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

static void forget_kernels(const struct image *image)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct kernel **link = &kernels[i]; *link;) {
            struct kernel *kernel = *link;
            if (kernel->image != image) {
                link = &kernel->next;
                continue;
            }
            *link = kernel->next;
            free(kernel);
        }
}

static void forget_variables(const struct image *image)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct variable **link = &variables[i]; *link;) {
            struct variable *variable = *link;
            if (variable->image != image) {
                link = &variable->next;
                continue;
            }
            *link = variable->next;
            free(variable);
        }
}

void image_remove(struct image *image)
{
    forget_kernels(image);
    forget_variables(image);
    for (struct image **link = &images; *link; link = &(*link)->next)
        if (*link == image) {
            *link = image->next;
            break;
        }
}

/* At the program's end, or when a shared library goes. Destructors that run later may still call the runtime, so what
 * was loaded stays; only the names go, since they lie in the library that is about to vanish. */
void __cudaUnregisterFatBinary(void **handle)
{
    runtime_lock();
    image_remove((struct image *)handle);
    runtime_unlock();
}

struct kernel *image_add_kernel(struct image *image, const void *host, const char *name)
{
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return NULL;
    *kernel = (struct kernel){.host = host ? host : kernel, .name = name, .image = image, .carveout = -1};
    struct kernel **bucket = &kernels[bucket_of(kernel->host)];
    kernel->next = *bucket;
    *bucket = kernel;
    return kernel;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    runtime_lock();
    image_add_kernel((struct image *)handle, host, name);
    runtime_unlock();
}

static void register_variable(void **handle, const void *host, const char *name, uint64_t size,
                              bool is_managed)
{
    struct variable *variable = calloc(1, sizeof *variable);
    if (!variable)
        return;
    *variable = (struct variable){host, name, size, is_managed, (struct image *)handle, NULL};
    runtime_lock();
    struct variable **bucket = &variables[bucket_of(host)];
    variable->next = *bucket;
    *bucket = variable;
    runtime_unlock();
}

void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int is_external,
                       size_t size, int is_constant, int is_global)
{
    (void)address, (void)is_external, (void)is_constant, (void)is_global;
    register_variable(handle, host, name, size, false);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name, int is_external,
                              size_t size, int is_constant, int is_global)
{
    (void)address, (void)is_external, (void)is_constant, (void)is_global;
    register_variable(handle, host, name, size, true);
}

/* ------------------------------------------------------------------------------------------- loading */

static void set_managed_pointers(struct image *image);

cudaError_t image_load(struct image *image)
{
    char message[600] = "";
    if (image->module || image->error)
        return image->error;
    if (!image->ptx)
        image->ptx = image_read(image);
    if (!image->ptx)
        return image->error;
    image->module = module_load(image->ptx, runtime_memory(), message, sizeof message);
    if (!image->module) {
        fprintf(stderr, "vgpu: error: the device code cannot be loaded: %s\n", message);
        return image->error = cudaErrorInvalidKernelImage;
    }
    for (uint32_t i = 0; i < image->module->nfunctions; i++)
        if (image->ptx->funcs[i]->is_entry)
            image_take_figures(image, &image->module->functions[i]);
    set_managed_pointers(image);
    return cudaSuccess;
}

void vgpu_load(void)
{
    runtime_lock();
    for (struct image *image = images; image; image = image->next)
        image_load(image);
    runtime_unlock();
}

void images_reset(void)
{
    runtime_lock();
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct kernel *kernel = kernels[i]; kernel; kernel = kernel->next) {
            kernel->function = NULL;
            kernel->dynamic_shared_limit = 0;
        }
    for (struct image *image = images; image; image = image->next) {
        if (image->module) {
            model_forget(image->module);
            module_free(image->module, runtime_memory());
        }
        image->module = NULL;
    }
    runtime_unlock();
}

/* ------------------------------------------------------------------------------------------- kernels */

struct kernel *kernel_find(const void *host)
{
    runtime_lock();
    struct kernel *kernel = kernels[bucket_of(host)];
    while (kernel && kernel->host != host)
        kernel = kernel->next;
    runtime_unlock();
    return kernel;
}

static void tell_refusal(const struct kernel *kernel, const struct refusal *why)
{
    char name[400], where[300] = "";
    name_demangle(kernel->name, name, sizeof name);
    if (why->loc)
        name_of_loc(kernel->image->ptx, why->loc, where, sizeof where);
    fprintf(stderr, "vgpu: error: %s%skernel `%s` cannot be executed: %s\n", where, where[0] ? ": " : "",
            name, why->text);
}

static cudaError_t prepare(struct kernel *kernel)
{
    struct refusal why;
    cudaError_t error = image_load(kernel->image);
    if (error)
        return error;
    struct function *function = module_find(kernel->image->module, kernel->name);
    if (!function) {
        fprintf(stderr, "vgpu: error: the PTX has no kernel `%s`\n", kernel->name);
        return cudaErrorInvalidDeviceFunction;
    }
    if (!function_decode(function, &instruction_set, &why)) {
        tell_refusal(kernel, &why);
        return cudaErrorInvalidPtx;
    }
    kernel->function = function;
    return cudaSuccess;
}

struct kernel *kernel_load(const void *host, cudaError_t *error)
{
    struct kernel *kernel = kernel_find(host);
    if (!kernel) {
        *error = runtime_error(cudaErrorInvalidDeviceFunction);
        return NULL;
    }
    runtime_lock();
    *error = kernel->function ? cudaSuccess : prepare(kernel);
    runtime_unlock();
    runtime_error(*error);
    return *error ? NULL : kernel;
}

static struct kernel *find_by_name(const struct image *image, const char *name)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct kernel *kernel = kernels[i]; kernel; kernel = kernel->next)
            if (kernel->image == image && strcmp(kernel->name, name) == 0)
                return kernel;
    return NULL;
}

struct kernel *kernel_of_image(struct image *image, const char *name, cudaError_t *error)
{
    runtime_lock();
    struct kernel *kernel = find_by_name(image, name);
    if (!kernel)
        kernel = image_add_kernel(image, NULL, name);
    *error = !kernel ? cudaErrorMemoryAllocation : kernel->function ? cudaSuccess : prepare(kernel);
    runtime_unlock();
    return *error ? NULL : kernel;
}

/* ------------------------------------------------------------------------------------------- variables */

static struct symbol *symbol_of(const struct variable *variable)
{
    struct module *module = variable->image->module;
    for (uint32_t i = 0; i < module->nsymbols; i++)
        if (!strcmp(module->symbols[i].var->name, variable->name))
            return &module->symbols[i];
    return NULL;
}

static void set_managed_pointers(struct image *image)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct variable *variable = variables[i]; variable; variable = variable->next) {
            struct symbol *symbol =
                variable->is_managed && variable->image == image ? symbol_of(variable) : NULL;
            if (symbol && symbol->allocation)
                *(void **)(uintptr_t)variable->host = symbol->allocation->host;
        }
}

/* Host code calls it before it touches a __managed__ variable. */
char __cudaInitModule(void **handle)
{
    if (runtime_begin())
        return 0;
    runtime_lock();
    cudaError_t error = image_load((struct image *)handle);
    runtime_unlock();
    runtime_error(error);
    return error == cudaSuccess;
}

/* A managed variable is named by its shadow's address, or by the address of its bytes. */
static struct variable *find_variable(const void *host)
{
    for (struct variable *variable = variables[bucket_of(host)]; variable; variable = variable->next)
        if (variable->host == host)
            return variable;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct variable *variable = variables[i]; variable; variable = variable->next)
            if (variable->is_managed && *(void *const *)variable->host == host)
                return variable;
    return NULL;
}

static cudaError_t locate(const struct variable *variable, uint64_t *address, uint64_t *size,
                          const char **name)
{
    cudaError_t error = image_load(variable->image);
    if (error)
        return error;
    const struct symbol *symbol = symbol_of(variable);
    if (!symbol) {
        fprintf(stderr, "vgpu: error: the PTX has no variable `%s`\n", variable->name);
        return cudaErrorInvalidSymbol;
    }
    *address = symbol->address;
    *size = variable->size;
    *name = variable->name;
    return cudaSuccess;
}

cudaError_t variable_locate(const void *host, uint64_t *address, uint64_t *size, const char **name)
{
    runtime_lock();
    const struct variable *variable = host ? find_variable(host) : NULL;
    cudaError_t error = variable ? locate(variable, address, size, name) : cudaErrorInvalidSymbol;
    runtime_unlock();
    return error;
}

const char *variable_name(const void *host)
{
    runtime_lock();
    const struct variable *variable = host ? find_variable(host) : NULL;
    runtime_unlock();
    return variable ? variable->name : NULL;
}

/* A managed variable's shadow only holds a pointer, which host code passes as it should. */
bool variable_advice(uint64_t address, char *out, size_t size)
{
    enum { SCALAR = 8 };
    const struct variable *found = NULL;
    char name[100];
    runtime_lock();
    for (size_t i = 0; i < BUCKETS && !found; i++)
        for (found = variables[i]; found; found = found->next)
            if (!found->is_managed && address - (uintptr_t)found->host < found->size)
                break;
    if (found)
        name_short(found->name, name, sizeof name);
    runtime_unlock();
    if (found)
        snprintf(
            out, size,
            "`%s` is a device variable; its name in host code is not its address on the GPU. Do not pass "
            "it: use `%s%s` in the kernel.",
            name, name, found->size > SCALAR ? "[k]" : "");
    return found != NULL;
}
