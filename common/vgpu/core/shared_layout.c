/* shared_layout.c - where in a block's shared memory the variables of a module lie.
 * A variable has one place in all kernels that can reach it, through whatever functions they call. Kernels that have none in
 * common use the same bytes, so that each has room for what it can reach, as on the hardware, and for no more.
 * Extern arrays have no place: they follow a kernel's last variable. */
#include "core/shared_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/number.h"
#include "core/machine.h"

/* All variables have numbers: first the module's symbols, then those of each function. */
struct variable {
    const struct ptx_var *var;
    uint64_t at;
    uint32_t users; /* kernels that can reach it */
};

struct use {
    const struct variable *variable;
    uint32_t kernel; /* index of its function */
};

/* `met` and `variables_met` hold the last kernel that came there, its index + 1. */
struct layout {
    struct module *module;
    struct variable *variables;
    uint32_t *first; /* per function: the number of its first variable */
    uint32_t nvariables;
    struct list uses;
    uint64_t *ends; /* per function: where a kernel's variables end so far */

    uint32_t kernel;
    uint32_t *met, *variables_met;
    uint32_t *found, nfound; /* functions that the kernel can reach, each once */
    bool is_out_of_memory;
};

/* ------------------------------------------------------------------------------------------- what a kernel can reach */

static bool has_place(const struct ptx_var *var)
{
    return var->space == PTX_SHARED && !var->is_extern;
}

static void meet_variable(struct layout *layout, uint32_t number)
{
    struct variable *variable = &layout->variables[number];
    if (!has_place(variable->var) || layout->variables_met[number] == layout->kernel + 1)
        return;
    layout->variables_met[number] = layout->kernel + 1;
    struct use *use = list_push(&layout->uses, sizeof *use);
    if (use)
        *use = (struct use){variable, layout->kernel};
    variable->users++;
    layout->is_out_of_memory |= !use;
}

static void meet_function(struct layout *layout, uint32_t index)
{
    if (layout->met[index] == layout->kernel + 1)
        return;
    layout->met[index] = layout->kernel + 1;
    layout->found[layout->nfound++] = index;
}

/* Kernels that it launches have blocks of their own. */
static void meet_callee(struct layout *layout, const struct ptx_func *ptx)
{
    for (uint32_t i = 0; i < layout->module->nfunctions; i++)
        if (layout->module->functions[i].ptx == ptx && !ptx->is_entry)
            meet_function(layout, i);
}

static void meet_symbol(struct layout *layout, const char *name)
{
    const struct ptx_module *ptx = layout->module->ptx;
    const struct ptx_var *var = ptx_find_var(ptx, name);
    const struct ptx_func *func = var ? NULL : ptx_find_func(ptx, name);
    for (uint32_t i = 0; var && has_place(var) && i < layout->module->nsymbols; i++)
        if (layout->module->symbols[i].var == var)
            meet_variable(layout, i);
    if (func)
        meet_callee(layout, func);
}

static void meet_operand(struct layout *layout, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OP_SYMBOL)
        meet_symbol(layout, operand->name);
    for (uint32_t i = 0; i < operand->count; i++)
        meet_operand(layout, &operand->list[i]);
}

/* A call of an address in a register may be a call of any function. */
static void meet_all_functions(struct layout *layout)
{
    for (uint32_t i = 0; i < layout->module->nfunctions; i++)
        if (!layout->module->functions[i].ptx->is_entry)
            meet_function(layout, i);
}

static void meet_body(struct layout *layout, uint32_t index)
{
    const struct ptx_func *func = layout->module->functions[index].ptx;
    for (uint32_t i = 0; i < func->nvars; i++)
        meet_variable(layout, layout->first[index] + i);
    for (size_t i = 0; i < func->ninsns; i++) {
        const struct ptx_insn *insn = &func->insns[i];
        const bool is_call = strncmp(insn->name, "call", 4) == 0;
        for (uint32_t k = 0; k < insn->noperands; k++) {
            meet_operand(layout, &insn->operands[k]);
            if (is_call && insn->operands[k].kind == PTX_OP_REG)
                meet_all_functions(layout);
        }
    }
}

static void follow_kernel(struct layout *layout, uint32_t kernel)
{
    layout->kernel = kernel;
    layout->nfound = 0;
    meet_function(layout, kernel);
    for (uint32_t i = 0; i < layout->nfound; i++)
        meet_body(layout, layout->found[i]);
}

/* ------------------------------------------------------------------------------------------- places */

/* Those that most kernels share come first: what a kernel has for itself then follows without a gap. */
static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->variable->users != y->variable->users)
        return x->variable->users > y->variable->users ? -1 : 1;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/* Behind all that the variable's kernels have so far. */
static void place_variable(struct layout *layout, const struct use *uses, size_t count)
{
    struct variable *variable = &layout->variables[uses->variable - layout->variables];
    for (size_t i = 0; i < count; i++)
        if (layout->ends[uses[i].kernel] > variable->at)
            variable->at = layout->ends[uses[i].kernel];
    if (variable->var->align)
        variable->at = round_up(variable->at, variable->var->align);
    for (size_t i = 0; i < count; i++)
        layout->ends[uses[i].kernel] = variable->at + variable->var->size;
}

static void place_variables(struct layout *layout)
{
    const struct use *uses = layout->uses.items;
    if (layout->uses.count)
        qsort(layout->uses.items, layout->uses.count, sizeof *uses, compare_uses);
    for (size_t i = 0, next; i < layout->uses.count; i = next) {
        for (next = i + 1; next < layout->uses.count && uses[next].variable == uses[i].variable;)
            next++;
        place_variable(layout, &uses[i], next - i);
    }
}

static uint32_t bytes_of(uint64_t bytes)
{
    return bytes < 1u << 30 ? (uint32_t)bytes
                            : 1u << 30; /* more than any launch can have, and refused there */
}

static bool list_arrays(struct layout *layout)
{
    const struct use *uses = layout->uses.items;
    struct function *functions = layout->module->functions;
    for (size_t i = 0; i < layout->uses.count; i++)
        functions[uses[i].kernel].nshared_arrays++;
    for (uint32_t i = 0; i < layout->module->nfunctions; i++) {
        struct function *function = &functions[i];
        function->shared_arrays = arena_alloc(layout->module->arena, (function->nshared_arrays + 1) *
                                                                         sizeof *function->shared_arrays);
        if (!function->shared_arrays)
            return false;
        function->nshared_arrays = 0;
        function->shared_bytes = bytes_of(round_up(layout->ends[i], 16));
    }
    for (size_t i = 0; i < layout->uses.count; i++) {
        struct function *kernel = &functions[uses[i].kernel];
        const struct variable *variable = uses[i].variable;
        kernel->shared_arrays[kernel->nshared_arrays++] =
            (struct shared_array){variable->var, bytes_of(variable->at)};
    }
    return true;
}

static void write_places(const struct layout *layout)
{
    struct module *module = layout->module;
    for (uint32_t i = 0; i < module->nsymbols; i++)
        if (has_place(module->symbols[i].var))
            module->symbols[i].address = layout->variables[i].at;
    for (uint32_t f = 0; f < module->nfunctions; f++) {
        struct function *function = &module->functions[f];
        for (size_t i = 0; i < function->ptx->nvars; i++)
            if (has_place(function->ptx->vars[i]))
                function->local_offsets[i] = bytes_of(layout->variables[layout->first[f] + i].at);
    }
}

/* ------------------------------------------------------------------------------------------- all of it */

static void number_variables(struct layout *layout)
{
    const struct module *module = layout->module;
    uint32_t next = 0;
    for (uint32_t i = 0; i < module->nsymbols; i++)
        layout->variables[next++].var = module->symbols[i].var;
    for (uint32_t f = 0; f < module->nfunctions; f++) {
        layout->first[f] = next;
        for (size_t i = 0; i < module->functions[f].ptx->nvars; i++)
            layout->variables[next++].var = module->functions[f].ptx->vars[i];
    }
}

static uint32_t count_variables(const struct module *module)
{
    uint32_t count = module->nsymbols;
    for (uint32_t f = 0; f < module->nfunctions; f++)
        count += (uint32_t)module->functions[f].ptx->nvars;
    return count;
}

static bool begin_layout(struct layout *layout, struct arena *arena)
{
    const size_t functions = layout->module->nfunctions + 1, variables = count_variables(layout->module) + 1;
    layout->variables = arena_alloc(arena, variables * sizeof *layout->variables);
    layout->variables_met = arena_alloc(arena, variables * sizeof *layout->variables_met);
    layout->first = arena_alloc(arena, functions * sizeof *layout->first);
    layout->ends = arena_alloc(arena, functions * sizeof *layout->ends);
    layout->met = arena_alloc(arena, functions * sizeof *layout->met);
    layout->found = arena_alloc(arena, functions * sizeof *layout->found);
    return layout->variables && layout->variables_met && layout->first && layout->ends && layout->met &&
           layout->found;
}

bool shared_layout(struct module *module)
{
    struct layout layout = {.module = module};
    struct arena *arena = arena_new();
    bool is_done = arena && begin_layout(&layout, arena);
    if (is_done) {
        number_variables(&layout);
        for (uint32_t i = 0; i < module->nfunctions; i++)
            if (module->functions[i].ptx->is_entry)
                follow_kernel(&layout, i);
        place_variables(&layout);
        is_done = !layout.is_out_of_memory && list_arrays(&layout);
        write_places(&layout);
    }
    list_free(&layout.uses);
    arena_free(arena);
    return is_done;
}
