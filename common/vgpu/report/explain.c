/* explain.c - bad accesses in words: the array, the index, how far off, and what usually leads there.
 * The array is the one the instruction's address came from; only if that is unknown, the one nearest to the address.
 * What a kind of bad access is called stands in findings.def. */
#include "report/explain.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/names.h"
#include "decode/provenance.h"
#include "memory/memory.h"

static enum ptx_space space_of(const struct launch *launch, enum ptx_space space, uint64_t *address)
{
    if (space != PTX_GENERIC)
        return space;
    uint64_t shared = memory_shared_window(launch->memory), local = memory_local_window(launch->memory);
    if (*address - shared < WINDOW_BYTES) {
        *address -= shared;
        return PTX_SHARED;
    }
    if (*address - local < WINDOW_BYTES) {
        *address -= local;
        return PTX_LOCAL;
    }
    return PTX_GLOBAL;
}

/* ------------------------------------------------------------------------------------------- shared memory */

/* The kernel's .shared variable that holds the offset; else the last one that begins below it. */
static bool shared_array_at(const struct function *kernel, uint64_t offset, struct shared_array *out)
{
    out->var = NULL;
    for (uint32_t i = 0; i < kernel->nshared_arrays; i++) {
        const struct shared_array *array = &kernel->shared_arrays[i];
        if (array->offset <= offset && (!out->var || array->offset >= out->offset))
            *out = *array;
    }
    return out->var != NULL;
}

/* The extern __shared__ array of the module, if it has exactly one name worth telling. */
static const struct ptx_var *dynamic_array(const struct module *module)
{
    for (uint32_t i = 0; i < module->nsymbols; i++) {
        const struct ptx_var *var = module->symbols[i].var;
        if (var && var->space == PTX_SHARED && var->is_extern)
            return var;
    }
    return NULL;
}

void place_shared_name(const struct function *kernel, uint64_t offset, char *out, size_t size)
{
    struct shared_array array = {NULL, 0};
    *out = '\0';
    if (offset >= kernel->shared_bytes)
        array.var = dynamic_array(kernel->module);
    else if (!shared_array_at(kernel, offset, &array))
        array.var = NULL;
    if (array.var)
        name_short(array.var->name, out, size);
}

static void find_shared(const struct warp *warp, const struct insn *insn, uint64_t address,
                        struct array_place *out)
{
    const struct function *kernel = warp->block->launch->kernel;
    const struct function *function = warp->frame ? warp->frame->function : kernel;
    uint32_t begin, static_bytes = kernel->shared_bytes, end = warp->block->shared_bytes;
    struct shared_array array = {insn ? provenance_variable(function, insn->source) : NULL, 0};
    if (array.var && array.var->space != PTX_SHARED)
        array.var = NULL;
    bool is_bounded = array.var && provenance_bounds((struct function *)function, insn->source, &begin, &end);
    if (is_bounded && !array.var->is_extern && array.var->size) {
        array.offset = begin;
    } else if ((array.var && array.var->is_extern) ||
               (address >= static_bytes && dynamic_array(kernel->module))) {
        array.var = array.var ? array.var : dynamic_array(kernel->module);
        array.offset = static_bytes;
        out->is_dynamic = true;
    } else if (!shared_array_at(kernel, address, &array)) {
        return;
    }
    name_short(array.var->name, out->name, sizeof out->name);
    out->is_known = true;
    out->offset = (int32_t)((uint32_t)address - array.offset); /* 32 bits: below the array it has wrapped */
    out->size = out->is_dynamic ? warp->block->shared_bytes - (uint64_t)static_bytes : array.var->size;
    if (!out->is_dynamic)
        out->ndims = source_shape(source_file_of(kernel), out->name, out->dims, 4);
}

/* ------------------------------------------------------------------------------------------- global memory */

/* The value of a kernel parameter that is a pointer, or of the first pointer-sized word in it that points into it. */
static uint64_t parameter_word(const struct launch *launch, uint32_t index, uint32_t word)
{
    const struct param *param = &launch->kernel->params[index];
    uint64_t value = 0;
    if ((word + 1) * 8 <= param->size)
        memcpy(&value, launch->params + param->offset + word * 8, 8);
    return value;
}

static void parameter_text(const struct launch *launch, unsigned index, char *out, size_t size)
{
    char function[160];
    name_of_function(launch->kernel_name, function, sizeof function);
    if (!source_parameter(source_file_of(launch->kernel), function, index, out, size))
        snprintf(out, size, "argument %u", index + 1);
}

static bool holds(const struct allocation *allocation, uint64_t address)
{
    return address >= allocation->base && address <= allocation->base + allocation->size;
}

/* The kernel argument that points into the allocation; -1: none. *base is where it points. */
static int pointing_argument(const struct launch *launch, const struct allocation *allocation, uint64_t *base)
{
    for (uint32_t i = 0; launch->params && launch->kernel && i < launch->kernel->nparams; i++)
        for (uint32_t word = 0; word < 64 && (word + 1) * 8 <= launch->kernel->params[i].size; word++) {
            uint64_t value = parameter_word(launch, i, word);
            if (value && holds(allocation, value)) {
                *base = value;
                return (int)i;
            }
        }
    return -1;
}

static void name_allocation(const struct launch *launch, const struct allocation *allocation,
                            struct array_place *out, uint64_t *base)
{
    char line[400];
    *base = allocation->base;
    int argument = allocation->name ? -1 : pointing_argument(launch, allocation, base);
    if (allocation->name)
        name_short(allocation->name, out->name, sizeof out->name);
    else if (argument >= 0)
        parameter_text(launch, (unsigned)argument, out->name, sizeof out->name);
    else if (allocation->called)
        snprintf(out->name, sizeof out->name, "%s", allocation->called);
    else if (host_line(allocation->frames, ALLOC_FRAMES, line, sizeof line))
        snprintf(out->name, sizeof out->name, "memory of %.60s", line);
    else
        snprintf(out->name, sizeof out->name, "allocation %llu", (unsigned long long)allocation->serial);
}

/* Strings of assert() and printf() are named `$str`: nobody's array, however near. */
static bool is_compilers_own(const struct allocation *allocation)
{
    return allocation->name && allocation->name[0] == '$';
}

void place_find_global(const struct launch *launch, const struct function *function,
                       const struct ptx_insn *source, uint64_t address, struct array_place *out)
{
    memset(out, 0, sizeof *out);
    const struct allocation *allocation = NULL;
    uint64_t base = 0;
    int parameter =
        function && function == launch->kernel && source ? provenance_parameter(function, source) : -1;
    const struct ptx_var *var = function && source ? provenance_variable(function, source) : NULL;
    const struct allocation *hit = memory_find(launch->memory, address);
    if (parameter >= 0 && launch->params && launch->kernel->params[parameter].size == 8) {
        base = parameter_word(launch, (uint32_t)parameter, 0);
        allocation = base ? memory_nearest(launch->memory, base) : NULL;
        if (allocation && holds(allocation, base))
            parameter_text(launch, (unsigned)parameter, out->name, sizeof out->name);
        else
            allocation = NULL;
    }
    for (uint32_t i = 0; var && !allocation && i < function->module->nsymbols; i++)
        if (function->module->symbols[i].var == var)
            allocation = function->module->symbols[i].allocation;
    if (!allocation)
        allocation = hit ? hit : memory_nearest(launch->memory, address);
    if (!allocation || (!hit && is_compilers_own(allocation)))
        return;
    if (!out->name[0])
        name_allocation(launch, allocation, out, &base);
    out->allocation = allocation;
    out->is_known = true;
    out->offset = (int64_t)(address - base);
    out->size = allocation->base + allocation->size - base;
}

/* ------------------------------------------------------------------------------------------- any space */

void place_find(const struct warp *warp, const struct insn *insn, enum ptx_space space, uint64_t address,
                struct array_place *out)
{
    const struct launch *launch = warp->block->launch;
    memset(out, 0, sizeof *out);
    space = space_of(launch, space, &address);
    if (space == PTX_SHARED)
        find_shared(warp, insn, address, out);
    else if (space == PTX_GLOBAL || space == PTX_CONST)
        place_find_global(launch, warp->frame ? warp->frame->function : launch->kernel,
                          insn ? insn->source : NULL, address, out);
    else if (space == PTX_LOCAL && warp->frame && warp->frame->function->local_bytes) {
        snprintf(out->name, sizeof out->name, "local array");
        out->is_known = true;
        out->offset = (int64_t)address - (int64_t)warp->frame->local_base;
        out->size = warp->frame->function->local_bytes;
    }
    if (!out->name[0])
        snprintf(out->name, sizeof out->name, "%s", name_of_space(space));
}

void place_index(const struct array_place *place, uint32_t element, char *out, size_t size)
{
    int64_t unit = element ? (int64_t)element : 1;
    int64_t index = place->offset / unit, rest = place->offset % unit;
    if (rest < 0) {
        rest += unit;
        index--;
    }
    int used = snprintf(out, size, "%s", place->name);
    uint64_t inner = 1;
    for (unsigned i = 1; i < place->ndims; i++)
        inner *= place->dims[i];
    bool fits = place->ndims > 1 && inner && place->size == inner * place->dims[0] * (uint64_t)unit;
    int64_t left = index;
    for (unsigned i = 0; fits && i < place->ndims && used >= 0 && (size_t)used < size; i++) {
        const int64_t row = (int64_t)inner, at = left / row - (left % row < 0); /* before the first: row -1 */
        used += snprintf(out + used, size - (size_t)used, "[%lld]", (long long)at);
        left -= at * row;
        inner = i + 1 < place->ndims ? inner / place->dims[i + 1] : 1;
    }
    if (!fits && used >= 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, "[%lld]", (long long)index);
    if (rest && used >= 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, " + %lld bytes", (long long)rest);
}

void place_element(struct array_place *place, uint32_t element, char *out, size_t size)
{
    const int64_t width = element;
    if (place->is_known && width > 0 && place->offset >= 0)
        place->offset -= place->offset % width;
    place_index(place, element, out, size);
}

static void place_size_text(const struct array_place *place, uint32_t element, char *out, size_t size)
{
    char line[140], origin[160] = "";
    unsigned long long bytes = place->size, unit = element ? element : 1;
    if (place->allocation && !place->allocation->name && place->allocation->frames[0] &&
        host_line(place->allocation->frames, ALLOC_FRAMES, line, sizeof line))
        snprintf(origin, sizeof origin, ", allocated at %s", line);
    const char *given = place->is_dynamic ? ", given at the launch" : "";
    if (bytes && bytes < unit)
        snprintf(out, size, "`%.80s` has %llu byte%s, less than one element of %llu%s%s", place->name, bytes,
                 bytes == 1 ? "" : "s", unit, given, origin);
    else
        snprintf(out, size, "`%.80s` has %llu element%s of %llu byte%s (%llu bytes%s%s)", place->name,
                 bytes / unit, bytes / unit == 1 ? "" : "s", unit, unit == 1 ? "" : "s", bytes, given,
                 origin);
}

/* ------------------------------------------------------------------------------------------- bad accesses */

static const enum vgpu_finding kinds[] = {
    [BAD_BOUNDS] = VGPU_OUT_OF_BOUNDS,      [BAD_ALIGNMENT] = VGPU_MISALIGNED,
    [BAD_FREED] = VGPU_USE_AFTER_FREE,      [BAD_NULL] = VGPU_NULL_POINTER,
    [BAD_HOST_POINTER] = VGPU_HOST_POINTER, [BAD_READ_ONLY] = VGPU_READ_ONLY,
};

bool place_is_past_row(const struct array_place *place, const struct launch *launch, uint32_t thread,
                       char *out, size_t size)
{
    uint32_t at[3] = {0, 0, 0};
    const uint64_t row = place->is_known && place->ndims > 1 ? place->dims[place->ndims - 1] : 0;
    thread_coordinates(launch, thread, at);
    if (!row || at[0] < row)
        return false;
    snprintf(
        out, size,
        "a row of `%s` has %llu elements, and threadIdx.x goes up to %u: what is beyond a row's end lies in "
        "the next row",
        place->name, (unsigned long long)row, launch->dim[0] - 1);
    return true;
}

/* A guess for an index outside its array, from how far and where it is. *near is told instead where no thread goes
 * further than the first that was seen: only then is the index off by one. */
static const char *bounds_cause(const struct warp *warp, enum ptx_space space,
                                const struct array_place *place, uint32_t bytes, const char **near)
{
    const struct launch *launch = warp->block->launch;
    const bool is_next = (uint64_t)place->offset < place->size + 2 * bytes;
    if (!place->is_known)
        return "the pointer was never set, or an index or offset of it is wildly wrong";
    if (place->offset < 0)
        return "the index is negative here (a neighbour to the left or above, or an unsigned wrap); guard "
               "the border";
    if (place->is_dynamic)
        return "the launch gives too few bytes of dynamic shared memory (the third argument of <<<...>>>)";
    if ((uint64_t)place->offset < place->size && bytes > 1)
        return "the access is wider than what is left of the array: use such wide accesses only where all of "
               "their elements exist";
    if (space == PTX_SHARED) {
        *near = is_next ? "off by one: the array needs one more element, or the index must stop one earlier"
                        : NULL;
        return "the index does not fit the array's size; compare the block's size with the declaration";
    }
    if (space == PTX_LOCAL)
        return "the index runs past the end of a thread's own array";
    if (space == PTX_CONST)
        return "the index runs past the end of the __constant__ array";
    const bool has_idle = launch->nblocks_asked * warp->block->nthreads > place->size / (bytes ? bytes : 1);
    if (has_idle && launch->nblocks > 1 && warp->block->index + 1 == launch->nblocks)
        return "the last block is only partly filled; test the index against the size before using it";
    if (!has_idle)
        return "the grid is not too large: the index is computed wrongly, or goes on from the "
               "thread's number without a test";
    *near = is_next ? "off by one: the last valid index is one less" : NULL;
    if (launch->grid[1] * launch->dim[1] > 1)
        return "a direction is not tested against its size, or the index is not row * row length + column";
    return "more threads run than there are elements, or the buffer is too small; test the index before "
           "using it";
}

static void bounds_sentence(const char *verb, uint32_t bytes, const struct array_place *place,
                            uint64_t address, char *out, size_t size)
{
    char index[160], extent[300];
    if (!place->is_known) {
        snprintf(out, size, "%s %u bytes at address 0x%llx, which is in no allocation", verb, bytes,
                 (unsigned long long)address);
        return;
    }
    place_index(place, bytes, index, sizeof index);
    place_size_text(place, bytes, extent, sizeof extent);
    snprintf(out, size, "%s %u bytes at %s; %s", verb, bytes, index, extent);
}

static void freed_sentence(const char *verb, uint32_t bytes, const struct array_place *place, char *out,
                           size_t size)
{
    char index[160], freed[200] = "an unknown line";
    place_index(place, bytes, index, sizeof index);
    if (place->allocation)
        host_line(place->allocation->free_frames, ALLOC_FRAMES, freed, sizeof freed);
    snprintf(out, size, "%s %u bytes at %s, which was freed at %s", verb, bytes, index, freed);
}

/* What an access did that may not be done, and to what. */
struct bad {
    enum bad_access why;
    enum ptx_space space;
    uint64_t address;
    uint32_t bytes;
    const char *verb;
    struct array_place place;
    char null_name[80]; /* the kernel's argument that is null; "": unknown */
};

/* ---- null pointers: a large offset from null looks like any address of the host's */

/* The argument that the address was computed from, where it is a pointer; -1: unknown. */
static int pointer_argument(const struct warp *warp, const struct insn *insn)
{
    const struct launch *launch = warp->block->launch;
    const struct function *function = warp->frame ? warp->frame->function : NULL;
    const int index = function && function == launch->kernel && insn->source && launch->params
                          ? provenance_parameter(function, insn->source)
                          : -1;
    return index >= 0 && launch->kernel->params[index].size == 8 ? index : -1;
}

static bool is_mapped(uint64_t address)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return msync((void *)(uintptr_t)(address - address % page), 1, MS_ASYNC) ==
           0; // NOLINT(performance-no-int-to-ptr)
}

/* True if an argument is a pointer that the device knows nothing of. */
static bool has_foreign_argument(const struct launch *launch)
{
    for (uint32_t i = 0; launch->params && i < launch->kernel->nparams; i++) {
        const uint64_t value = launch->kernel->params[i].size == 8 ? parameter_word(launch, i, 0) : 0;
        if (value >> 32 && !memory_is_device_address(launch->memory, value) &&
            !memory_find(launch->memory, value))
            return true;
    }
    return false;
}

/* True if the address comes from an index that is wildly wrong: the argument that it was computed from is memory of the
 * device; or where that is not known, no argument is a pointer of the host's, and the host has nothing there. */
static bool is_wild(const struct launch *launch, int argument, uint64_t address)
{
    if (argument >= 0)
        return memory_find(launch->memory, parameter_word(launch, (uint32_t)argument, 0)) != NULL;
    return !has_foreign_argument(launch) && !is_mapped(address);
}

/* Why, once more, if it seemed to be the host's memory: from a null argument, or a small number where the host has none. */
static enum bad_access doubt_host(const struct warp *warp, const struct insn *insn, struct bad *bad)
{
    const int index = pointer_argument(warp, insn);
    const bool is_null = index >= 0 && parameter_word(warp->block->launch, (uint32_t)index, 0) == 0;
    if (is_null)
        parameter_text(warp->block->launch, (unsigned)index, bad->null_name, sizeof bad->null_name);
    if (bad->why != BAD_HOST_POINTER)
        return bad->why;
    if (is_null || (index < 0 && bad->address >> 32 == 0 && !is_mapped(bad->address)))
        return BAD_NULL;
    return is_wild(warp->block->launch, index, bad->address) ? BAD_BOUNDS : bad->why;
}

static void bounds_words(const struct warp *warp, const struct bad *bad, struct finding *finding)
{
    bounds_sentence(bad->verb, bad->bytes, &bad->place, bad->address, finding->what, sizeof finding->what);
    const bool is_past_row = bad->space == PTX_SHARED && bad->place.offset >= 0 &&
                             place_is_past_row(&bad->place, warp->block->launch, finding->thread,
                                               finding->cause, sizeof finding->cause);
    if (!is_past_row)
        snprintf(finding->cause, sizeof finding->cause, "%s",
                 bounds_cause(warp, bad->space, &bad->place, bad->bytes, &finding->near_cause));
    finding->near_bytes = bad->bytes;
}

static void alignment_words(const struct warp *warp, const struct bad *bad, struct finding *finding)
{
    char index[160];
    (void)warp;
    place_index(&bad->place, 1, index, sizeof index);
    snprintf(finding->what, sizeof finding->what,
             "%s %u bytes at %s (counted in bytes); the address must be a multiple of %u", bad->verb,
             bad->bytes, index, bad->bytes);
}

static void freed_words(const struct warp *warp, const struct bad *bad, struct finding *finding)
{
    (void)warp;
    freed_sentence(bad->verb, bad->bytes, &bad->place, finding->what, sizeof finding->what);
}

static void null_words(const struct warp *warp, const struct bad *bad, struct finding *finding)
{
    char whose[120] = "";
    (void)warp;
    if (bad->null_name[0])
        snprintf(whose, sizeof whose, ": `%s` is null", bad->null_name);
    snprintf(finding->what, sizeof finding->what, "%s %u bytes at address 0x%llx%s", bad->verb, bad->bytes,
             (unsigned long long)bad->address, whose);
}

/* Without the address: the host's addresses change from run to run, messages should not. */
static void host_words(const struct warp *warp, const struct bad *bad, struct finding *finding)
{
    const struct launch *launch = warp->block->launch;
    snprintf(finding->what, sizeof finding->what, "%s %u bytes of the host's memory", bad->verb, bad->bytes);
    if (launch->host_advice)
        launch->host_advice(bad->address, finding->cause, sizeof finding->cause);
}

static void read_only_words(const struct warp *warp, const struct bad *bad, struct finding *finding)
{
    char index[160];
    (void)warp;
    place_index(&bad->place, bad->bytes, index, sizeof index);
    snprintf(finding->what, sizeof finding->what, "%s %u bytes at %s", bad->verb, bad->bytes, index);
}

static void (*const words[])(const struct warp *warp, const struct bad *bad, struct finding *finding) = {
    [BAD_BOUNDS] = bounds_words, [BAD_ALIGNMENT] = alignment_words, [BAD_FREED] = freed_words,
    [BAD_NULL] = null_words,     [BAD_HOST_POINTER] = host_words,   [BAD_READ_ONLY] = read_only_words,
};

void explain_access(struct warp *warp, const struct insn *insn, int lane, enum bad_access why,
                    enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write)
{
    struct bad bad = {.why = why, .bytes = bytes};
    bad.space = space_of(warp->block->launch, space, &address);
    bad.address = address;
    bad.why = why == BAD_HOST_POINTER || why == BAD_NULL ? doubt_host(warp, insn, &bad) : why;
    struct finding finding = finding_of(warp, insn, lane, kinds[bad.why]);
    finding.space = bad.space;
    finding.is_write = is_write;
    finding.address = finding.last_address = address;
    if (!warp->block->findings || findings_repeat(warp->block->findings, &finding))
        return;
    bad.verb = insn->is_atomic ? "updates" : is_write ? "writes" : "reads";
    place_find(warp, insn, bad.space, address, &bad.place);
    words[bad.why](warp, &bad, &finding);
    if (bad.place.is_known && bad.why != BAD_NULL && bad.why != BAD_HOST_POINTER)
        snprintf(finding.array, sizeof finding.array, "%s", bad.place.name);
    findings_add(warp->block->findings, &finding);
}
