/* origin.c - which source files a kernel's code comes from.
 * Asks the line table that the compiler wrote: for each instruction of the kernel, and of every function that it names, the file of
 * the innermost function that was inlined there. Names of namespaces and of kernels are not asked: a program chooses them. */
#include <stdlib.h>
#include <string.h>

#include "ptx/fatbin.h"
#include "ptx/ptx.h"
#include "vgpu.h"

enum { MAX_TEXTS = 16 };

struct vgpu_code {
    struct ptx_module *modules[MAX_TEXTS]; /* one for each architecture */
    size_t count;
};

struct vgpu_code *vgpu_code_read(const void *fatbin, size_t size)
{
    char message[200];
    struct ptx_error problem;
    struct fatbin container = {0};
    struct vgpu_code *code = calloc(1, sizeof *code);
    if (code && fatbin_read(&container, fatbin, size, message, sizeof message))
        for (size_t i = 0; i < container.count && code->count < MAX_TEXTS; i++) {
            const struct fatbin_entry *entry = &container.entries[i];
            if (entry->kind == FATBIN_PTX && !entry->is_compressed)
                code->modules[code->count] = ptx_parse((const char *)entry->data, entry->size, &problem);
            code->count += code->modules[code->count] != NULL;
        }
    fatbin_free(&container);
    return code;
}

void vgpu_code_free(struct vgpu_code *code)
{
    for (size_t i = 0; code && i < code->count; i++)
        ptx_free(code->modules[i]);
    free(code);
}

/* ------------------------------------------------------------------------------------------- what a kernel reaches */

struct walk {
    const struct ptx_module *module;
    const struct ptx_func **reached; /* in the order in which they were found */
    size_t count;
};

static void reach(struct walk *walk, const char *name)
{
    const struct ptx_func *func = name ? ptx_find_func(walk->module, name) : NULL;
    for (size_t i = 0; func && i < walk->count; i++)
        if (walk->reached[i] == func)
            func = NULL;
    if (func)
        walk->reached[walk->count++] = func;
}

static void reach_operand(struct walk *walk, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OP_SYMBOL)
        reach(walk, operand->name);
    for (uint32_t i = 0; i < operand->count; i++)
        reach_operand(walk, &operand->list[i]);
}

/* Tables of functions: who calls what they hold is not known before it happens. */
static void reach_tables(struct walk *walk)
{
    for (size_t i = 0; i < walk->module->nvars; i++)
        for (size_t j = 0; j < walk->module->vars[i]->nrelocs; j++)
            reach(walk, walk->module->vars[i]->relocs[j].symbol);
}

static const char *find_file(struct walk *walk, const struct ptx_func *func, bool (*is_sought)(const char *))
{
    const struct ptx_module *module = walk->module;
    uint32_t last = 0; /* a line has several instructions, one after another */
    for (size_t i = 0; i < func->ninsns; i++) {
        const struct ptx_insn *insn = &func->insns[i];
        const struct ptx_loc *loc = &module->locs[insn->loc];
        if (loc->file != last && loc->file < module->nfiles && is_sought(module->files[loc->file]))
            return module->files[loc->file];
        last = loc->file;
        for (uint32_t j = 0; j < insn->noperands; j++)
            reach_operand(walk, &insn->operands[j]);
    }
    return NULL;
}

static const char *find_in_module(const struct ptx_module *module, const char *kernel,
                                  bool (*is_sought)(const char *))
{
    const char *found = NULL;
    struct walk walk = {module, calloc(module->nfuncs + 1, sizeof *walk.reached), 0};
    if (!walk.reached)
        return NULL;
    reach(&walk, kernel);
    if (walk.count)
        reach_tables(&walk);
    for (size_t i = 0; i < walk.count && !found; i++)
        found = find_file(&walk, walk.reached[i], is_sought);
    free(walk.reached);
    return found;
}

const char *vgpu_code_file(const struct vgpu_code *code, const char *kernel, bool (*is_sought)(const char *))
{
    const char *found = NULL;
    for (size_t i = 0; i < code->count && !found; i++)
        found = find_in_module(code->modules[i], kernel, is_sought);
    return found;
}
