/* module.c - a parsed module becomes resident: variables get addresses and initial values, functions their layouts.
 * Where shared variables lie is shared_layout.c's.
 * Code is decoded later, when a kernel is first launched (decode.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "core/machine.h"
#include "core/shared_layout.h"
#include "memory/memory.h"

/* Sizes that no launch can have, given 32 bits: decode.c and the runtime's checks of a launch refuse them by name. */
static uint32_t clamp_bytes(uint64_t bytes)
{
    return bytes < 1u << 30 ? (uint32_t)bytes : 1u << 30;
}

static uint64_t align_up(uint64_t at, uint64_t align)
{
    return align ? round_up(at, align) : at;
}

/* ------------------------------------------------------------------------------------------- by name */

struct function *module_function(struct module *module, const char *name)
{
    for (uint32_t i = 0; i < module->nfunctions; i++)
        if (strcmp(module->functions[i].name, name) == 0 && module->functions[i].ptx->has_body)
            return &module->functions[i];
    for (uint32_t i = 0; i < module->nfunctions; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return &module->functions[i];
    return NULL;
}

struct symbol *module_symbol(struct module *module, const char *name)
{
    for (uint32_t i = 0; i < module->nsymbols; i++)
        if (strcmp(module->symbols[i].var->name, name) == 0)
            return &module->symbols[i];
    return NULL;
}

/* ------------------------------------------------------------------------------------------- variables */

static bool place_symbol(struct symbol *symbol, struct memory *memory)
{
    const struct ptx_var *var = symbol->var;
    if (var->space == PTX_SHARED || var->is_extern)
        return true; /* an extern one is another module's; module_link() of the runtime may resolve it by name */
    enum alloc_kind kind = var->space == PTX_CONST ? ALLOC_CONST
                           : var->is_managed       ? ALLOC_MANAGED
                                                   : ALLOC_SYMBOL;
    symbol->allocation = memory_alloc(memory, var->size ? var->size : 1, kind);
    if (!symbol->allocation)
        return false;
    symbol->allocation->name = var->name;
    symbol->address = symbol->allocation->base;
    if (var->init)
        memcpy(symbol->allocation->host, var->init, var->init_size);
    memory_mark_written(symbol->allocation, symbol->address, var->size);
    return true;
}

static bool place_symbols(struct module *module, struct memory *memory)
{
    module->nsymbols = (uint32_t)module->ptx->nvars;
    module->symbols = arena_alloc(module->arena, (module->nsymbols + 1) * sizeof *module->symbols);
    if (!module->symbols)
        return false;
    for (uint32_t i = 0; i < module->nsymbols; i++) {
        module->symbols[i].var = module->ptx->vars[i];
        if (!place_symbol(&module->symbols[i], memory))
            return false;
    }
    return true;
}

static bool address_of(struct module *module, const char *name, uint64_t *address)
{
    const struct symbol *symbol = module_symbol(module, name);
    if (symbol) {
        *address = symbol->address;
        return true;
    }
    const struct function *function = module_function(module, name);
    if (function)
        *address = FUNCTION_BASE + function->index;
    return function != NULL;
}

/* Initialisers that hold addresses: of variables, and of functions (virtual tables). */
static bool relocate(struct module *module, char *message, size_t size)
{
    for (uint32_t i = 0; i < module->nsymbols; i++) {
        const struct symbol *symbol = &module->symbols[i];
        for (size_t k = 0; symbol->allocation && k < symbol->var->nrelocs; k++) {
            const struct ptx_reloc *reloc = &symbol->var->relocs[k];
            uint64_t address;
            if (!address_of(module, reloc->symbol, &address)) {
                snprintf(message, size, "`%s` refers to `%s`, which does not exist", symbol->var->name,
                         reloc->symbol);
                return false;
            }
            address = (address + (uint64_t)reloc->addend) >> reloc->shift;
            if (reloc->offset + reloc->size <= symbol->var->size)
                memcpy(symbol->allocation->host + reloc->offset, &address, reloc->size);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- functions */

static uint64_t place_params(struct param *out, struct ptx_var *const *vars, size_t count, uint64_t at)
{
    for (size_t i = 0; i < count; i++) {
        at = align_up(at, vars[i]->align);
        out[i] = (struct param){vars[i], clamp_bytes(at), clamp_bytes(vars[i]->size)};
        at += vars[i]->size;
    }
    return at;
}

static bool layout_params(struct function *function)
{
    const struct ptx_func *ptx = function->ptx;
    size_t count = ptx->nparams + ptx->nreturns;
    function->params = arena_alloc(function->module->arena, (count + 1) * sizeof *function->params);
    if (!function->params)
        return false;
    uint64_t at = place_params(function->params, ptx->params, ptx->nparams, 0);
    at = place_params(function->params + ptx->nparams, ptx->returns, ptx->nreturns, at);
    function->nparams = (uint32_t)ptx->nparams;
    function->nreturns = (uint32_t)ptx->nreturns;
    function->param_bytes = clamp_bytes(align_up(at, 16));
    return true;
}

/* .local and .param variables of the body. */
static bool layout_vars(struct function *function)
{
    const struct ptx_func *ptx = function->ptx;
    function->local_offsets = arena_alloc(function->module->arena, (ptx->nvars + 1) * sizeof(uint32_t));
    function->args = arena_alloc(function->module->arena, (ptx->nvars + 1) * sizeof *function->args);
    if (!function->local_offsets || !function->args)
        return false;
    uint64_t local = 0, args = 0;
    for (size_t i = 0; i < ptx->nvars; i++) {
        const struct ptx_var *var = ptx->vars[i];
        uint64_t *at = var->space == PTX_LOCAL ? &local : &args;
        if (var->space == PTX_SHARED)
            continue;
        *at = align_up(*at, var->align);
        function->local_offsets[i] = clamp_bytes(*at);
        if (var->space == PTX_PARAM)
            function->args[function->nargs++] = (struct param){var, clamp_bytes(*at), clamp_bytes(var->size)};
        *at += var->size;
    }
    function->local_bytes = clamp_bytes(align_up(local, 16));
    function->arg_bytes = clamp_bytes(align_up(args, 16));
    return true;
}

static uint32_t threads_allowed(const struct ptx_func *ptx)
{
    const uint32_t *limit = ptx->reqntid[0] ? ptx->reqntid : ptx->maxntid;
    uint64_t threads = 1;
    for (int axis = 0; axis < 3; axis++)
        threads *= limit[axis] ? limit[axis] : 1;
    return limit[0] && threads <= 1024 ? (uint32_t)threads : 1024;
}

static bool layout_function(struct module *module, uint32_t index)
{
    struct function *function = &module->functions[index];
    function->ptx = module->ptx->funcs[index];
    function->name = function->ptx->name;
    function->module = module;
    function->index = index;
    function->max_threads = threads_allowed(function->ptx);
    return layout_params(function) && layout_vars(function);
}

static bool layout_functions(struct module *module)
{
    module->nfunctions = (uint32_t)module->ptx->nfuncs;
    module->functions = arena_alloc(module->arena, (module->nfunctions + 1) * sizeof *module->functions);
    if (!module->functions)
        return false;
    for (uint32_t i = 0; i < module->nfunctions; i++)
        if (!layout_function(module, i))
            return false;
    return true;
}

/* ------------------------------------------------------------------------------------------- face */

struct module *module_load(const struct ptx_module *ptx, struct memory *memory, char *message, size_t size)
{
    struct arena *arena = arena_new();
    struct module *module = arena ? arena_alloc(arena, sizeof *module) : NULL;
    snprintf(message, size, "out of device memory for the program's own variables");
    if (!module) {
        arena_free(arena);
        return NULL;
    }
    module->ptx = ptx;
    module->arena = arena;
    if (place_symbols(module, memory) && layout_functions(module) && shared_layout(module) &&
        relocate(module, message, size))
        return module;
    module_free(module, memory);
    return NULL;
}

void module_free(struct module *module, struct memory *memory)
{
    if (!module)
        return;
    for (uint32_t i = 0; module->symbols && i < module->nsymbols; i++)
        if (module->symbols[i].allocation) {
            /* freed allocations stay known for messages, longer than the module's names */
            module->symbols[i].allocation->name = "a variable of unloaded code";
            memory_release(memory, module->symbols[i].allocation);
        }
    arena_free(module->arena);
}

struct function *module_find(struct module *module, const char *name)
{
    struct function *function = module_function(module, name);
    return function && function->ptx->is_entry && function->ptx->has_body ? function : NULL;
}
