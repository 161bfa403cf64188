/* fuzz_ptx.c - libFuzzer target: any bytes are read as PTX.
 * The bytes stand in a heap block of exactly their size, so that the sanitizer sees a read past the end.
 * A module that comes out is walked once: every index in it must be valid. */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

static void require(bool claim)
{
    if (!claim)
        __builtin_trap();
}

static void walk_operand(const struct ptx_func *function, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OP_REG)
        require(operand->reg < function->nregs);
    if (operand->kind == PTX_OP_LABEL)
        require(operand->label < function->nlabels);
    if (operand->kind == PTX_OP_VAR)
        require(operand->var && operand->var->name);
    if (operand->kind == PTX_OP_SYMBOL || operand->kind == PTX_OP_SREG)
        require(operand->name != NULL);
    if (operand->kind == PTX_OP_ADDRESS || operand->kind == PTX_OP_PAIR)
        require(operand->count > 0);
    for (uint32_t i = 0; i < operand->count; i++)
        walk_operand(function, &operand->list[i]);
}

static void walk_function(const struct ptx_module *module, const struct ptx_func *function)
{
    for (size_t i = 0; i < function->ninsns; i++) {
        const struct ptx_insn *insn = &function->insns[i];
        require(insn->loc < module->nlocs && insn->guard < (int64_t)function->nregs);
        for (uint32_t k = 0; k < insn->noperands; k++)
            walk_operand(function, &insn->operands[k]);
    }
    for (size_t i = 0; i < function->nlabels; i++) {
        const struct ptx_label *label = &function->labels[i];
        require(label->target <= function->ninsns);
        for (size_t k = 0; k < label->nbranch_targets; k++)
            require(label->branch_targets[k] < function->nlabels);
    }
}

static void walk_module(const struct ptx_module *module)
{
    for (size_t i = 0; i < module->nvars; i++) {
        const struct ptx_var *var = module->vars[i];
        require(var->init_size <= var->size && ptx_find_var(module, var->name) == var);
        for (size_t k = 0; k < var->nrelocs; k++)
            require(var->relocs[k].offset + var->relocs[k].size <= var->size);
    }
    for (size_t i = 0; i < module->nfuncs; i++)
        walk_function(module, module->funcs[i]);
    for (size_t i = 0; i < module->nlocs; i++)
        require(module->locs[i].file < module->nfiles && module->locs[i].inlined_at < module->nlocs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_error error;
    char *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    struct ptx_module *module = ptx_parse(copy, size, &error);
    free(copy); /* nothing in a module points into its text */
    if (module)
        walk_module(module);
    else
        require(error.text[0]);
    ptx_free(module);
    return 0;
}
