/* image_read.c - from a fatbin to PTX, and to the figures that ptxas left beside it.
 * Objects that were linked with -rdc=true have a fatbin each: their PTX is linked here. */
#include <stdio.h>
#include <string.h>

#include "ptx/cubin.h"
#include "ptx/ptx.h"
#include "runtime/image.h"

enum { MAX_LINKED = 4096 };

uint32_t image_arch(void)
{
    const struct gpu *gpu = runtime_config()->gpu;
    return gpu->cc_major * 10 + gpu->cc_minor;
}

static bool has_kind(const struct fatbin *fatbin, enum fatbin_kind kind, bool is_compressed)
{
    for (size_t i = 0; i < fatbin->count; i++)
        if (fatbin->entries[i].kind == kind && fatbin->entries[i].is_compressed == is_compressed)
            return true;
    return false;
}

static const char *why_no_ptx(const struct fatbin *fatbin)
{
    if (has_kind(fatbin, FATBIN_PTX, true) || has_kind(fatbin, FATBIN_CUBIN, true))
        return "the program's device code is compressed: compile with --no-compress, or with vgpucc";
    if (has_kind(fatbin, FATBIN_CUBIN, false))
        return "the program holds machine code but no PTX, which the virtual GPU needs: compile with vgpucc, "
               "or add -gencode arch=compute_75,code=compute_75";
    return "the program's fatbin holds no device code";
}

static const struct fatbin_entry *plain_ptx(const struct fatbin *fatbin)
{
    const struct fatbin_entry *entry = fatbin_best_ptx(fatbin, image_arch());
    if (!entry || !entry->is_compressed)
        return entry;
    for (size_t i = 0; i < fatbin->count; i++)
        if (fatbin->entries[i].kind == FATBIN_PTX && !fatbin->entries[i].is_compressed)
            return &fatbin->entries[i];
    return NULL;
}

/* The PTX of one container, read. NULL with *error set and a sentence in message. */
static struct ptx_module *read_container(const struct fatbin *fatbin, cudaError_t *error, char *message,
                                         size_t size)
{
    const struct fatbin_entry *entry = plain_ptx(fatbin);
    if (!entry) {
        snprintf(message, size, "%s", why_no_ptx(fatbin));
        *error = cudaErrorNoKernelImageForDevice;
        return NULL;
    }
    struct ptx_error problem = {0};
    struct ptx_module *ptx = ptx_parse((const char *)entry->data, entry->size, &problem);
    if (!ptx) {
        snprintf(message, size, "the embedded PTX cannot be read: line %u, column %u: %s", problem.line,
                 problem.column, problem.text);
        *error = cudaErrorInvalidPtx;
    }
    return ptx;
}

/* Kernels that launch kernels need libcudadevrt, which comes compressed. They are refused by name, so it is not missed. */
static bool needs_device_runtime(const struct ptx_module *ptx)
{
    for (size_t i = 0; ptx && i < ptx->nfuncs; i++)
        if (!ptx->funcs[i]->has_body && strncmp(ptx->funcs[i]->name, "__cudaCDP2", 10) == 0)
            return true;
    return false;
}

static struct ptx_module *read_prelinked(struct image *image, char *message, size_t size)
{
    struct ptx_module *modules[MAX_LINKED];
    size_t count = 0;
    bool needs_runtime = false;
    for (size_t i = 0; count < MAX_LINKED && image->prelinked[i] && !image->error; i++) {
        struct fatbin fatbin = {0};
        modules[count] = NULL;
        if (!fatbin_read(&fatbin, image->prelinked[i], 0, message, size))
            image->error = cudaErrorInvalidKernelImage;
        else if (!needs_runtime || plain_ptx(&fatbin) || !has_kind(&fatbin, FATBIN_PTX, true))
            modules[count] = read_container(&fatbin, &image->error, message, size);
        fatbin_free(&fatbin);
        needs_runtime |= needs_device_runtime(modules[count]);
        count += modules[count] != NULL;
    }
    if (!image->error) {
        struct ptx_module *ptx = ptx_link(modules, count, message, size);
        image->error = ptx ? cudaSuccess : cudaErrorInvalidPtx;
        return ptx;
    }
    for (size_t i = 0; i < count; i++)
        ptx_free(modules[i]);
    return NULL;
}

struct ptx_module *image_read(struct image *image)
{
    char message[600] = "";
    struct ptx_module *ptx = NULL;
    if (!fatbin_read(&image->fatbin, image->container, 0, message, sizeof message))
        image->error = cudaErrorInvalidKernelImage;
    else if (image->prelinked && image->prelinked[0])
        ptx = read_prelinked(image, message, sizeof message);
    else
        ptx = read_container(&image->fatbin, &image->error, message, sizeof message);
    if (!ptx)
        fprintf(stderr, "vgpu: error: %s%s\n", message,
                image->prelinked ? " (in one of the objects linked with -rdc=true)" : "");
    return ptx;
}

/* What the PTX keeps in the frame. An array that ptxas put into registers is no part of it. */
static uint32_t array_bytes(const struct function *function)
{
    uint64_t end = 0;
    for (size_t i = 0; i < function->ptx->nvars; i++) {
        const struct ptx_var *var = function->ptx->vars[i];
        if (var->space == PTX_LOCAL)
            end = function->local_offsets[i] + (uint64_t)var->size;
    }
    return end <= function->cubin_local_bytes ? (uint32_t)end : 0;
}

/* A loop's body counts ten times what stands around it, as is usual where nobody knows how often it runs. */
static void take_spills(const struct fatbin_entry *cubin, struct function *function)
{
    enum { LOOP_WEIGHT = 10 };
    struct sass_level levels[SASS_LEVELS];
    double others = 0, loads = 0, stores = 0, weight = 1;
    uint32_t arrays = array_bytes(function);
    cubin_code(cubin->data, cubin->size, function->name, arrays, levels);
    for (size_t i = 0; i < SASS_LEVELS; i++, weight *= LOOP_WEIGHT) {
        loads += weight * levels[i].spill_loads;
        stores += weight * levels[i].spill_stores;
        others += weight * (levels[i].instructions - levels[i].spill_loads - levels[i].spill_stores);
    }
    if (!(loads + stores > 0 && others > 0))
        return;
    function->spill_bytes = function->cubin_local_bytes - arrays;
    function->spill_loads = loads / others;
    function->spill_stores = stores / others;
}

void image_take_figures(const struct image *image, struct function *function)
{
    const struct fatbin_entry *entry = fatbin_best_cubin(&image->fatbin, image_arch());
    struct cubin_kernel figures;
    if (!entry || entry->is_compressed || !cubin_find(entry->data, entry->size, function->name, &figures))
        return;
    if (figures.registers)
        function->registers = figures.registers;
    function->cubin_local_bytes = figures.local_bytes;
    take_spills(entry, function);
    if (figures.max_threads && figures.max_threads < function->max_threads)
        function->max_threads = figures.max_threads;
}
