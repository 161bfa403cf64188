/* link.c - makes one PTX module of several: what -rdc=true leaves in its objects, as a device linker would.
 * Declarations yield to definitions; of several weak definitions the first stays. Source positions keep their files.
 * The modules are parsed already; their arenas live on inside the linked one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "ptx/names.h"
#include "ptx/ptx.h"

struct linker {
    struct ptx_module *out;  /* the first module: it takes in the others */
    struct ptx_module *from; /* the one being taken in */
    uint32_t file_base, loc_base;
};

/* A longer copy of an array in the arena. */
static void *extended(struct arena *arena, const void *items, size_t count, size_t more, size_t size)
{
    void *fresh = arena_alloc(arena, (count + more + 1) * size);
    if (fresh && count)
        memcpy(fresh, items, count * size);
    return fresh;
}

static bool take_files(struct linker *linker)
{
    struct ptx_module *out = linker->out, *from = linker->from;
    const char **files = extended(out->arena, out->files, out->nfiles, from->nfiles, sizeof *files);
    if (!files)
        return false;
    linker->file_base = (uint32_t)out->nfiles;
    for (size_t i = 0; i < from->nfiles; i++)
        files[out->nfiles + i] = from->files[i];
    out->files = files;
    out->nfiles += from->nfiles;
    return true;
}

static bool take_locs(struct linker *linker)
{
    struct ptx_module *out = linker->out, *from = linker->from;
    struct ptx_loc *locs = extended(out->arena, out->locs, out->nlocs, from->nlocs, sizeof *locs);
    if (!locs)
        return false;
    linker->loc_base = (uint32_t)out->nlocs;
    for (size_t i = 0; i < from->nlocs; i++) {
        struct ptx_loc loc = from->locs[i];
        loc.file = loc.file ? loc.file + linker->file_base : 0;
        loc.inlined_at = loc.inlined_at ? loc.inlined_at + linker->loc_base : 0;
        locs[out->nlocs + i] = loc;
    }
    out->locs = locs;
    out->nlocs += from->nlocs;
    return true;
}

static void shift_locs(const struct linker *linker, struct ptx_func *func)
{
    for (size_t i = 0; i < func->ninsns; i++)
        if (func->insns[i].loc)
            func->insns[i].loc += linker->loc_base;
}

static size_t find_func(const struct ptx_module *module, const char *name)
{
    size_t i = 0;
    while (i < module->nfuncs && strcmp(module->funcs[i]->name, name))
        i++;
    return i;
}

static size_t find_var(const struct ptx_module *module, const char *name)
{
    size_t i = 0;
    while (i < module->nvars && strcmp(module->vars[i]->name, name))
        i++;
    return i;
}

/* From now on the name means item: a newer name hides an older one. */
static bool rename_item(const struct linker *linker, const char *text, enum name_kind kind, void *item)
{
    size_t length = strlen(text);
    struct name *name = names_add(linker->out->names, text, length, hash_text(text, length), kind, 0);
    if (name)
        name->item = item;
    return name != NULL;
}

static bool take_funcs(struct linker *linker)
{
    struct ptx_module *out = linker->out, *from = linker->from;
    out->funcs = extended(out->arena, out->funcs, out->nfuncs, from->nfuncs, sizeof *out->funcs);
    for (size_t i = 0; out->funcs && i < from->nfuncs; i++) {
        struct ptx_func *func = from->funcs[i];
        size_t at = find_func(out, func->name);
        shift_locs(linker, func);
        if (at == out->nfuncs)
            out->nfuncs++;
        else if (out->funcs[at]->has_body || !func->has_body)
            continue;
        out->funcs[at] = func;
        if (!rename_item(linker, func->name, NAME_FUNCTION, func))
            return false;
    }
    return out->funcs != NULL;
}

static bool take_vars(struct linker *linker)
{
    struct ptx_module *out = linker->out, *from = linker->from;
    out->vars = extended(out->arena, out->vars, out->nvars, from->nvars, sizeof *out->vars);
    for (size_t i = 0; out->vars && i < from->nvars; i++) {
        struct ptx_var *var = from->vars[i];
        size_t at = find_var(out, var->name);
        if (at == out->nvars)
            out->nvars++;
        else if (!out->vars[at]->is_extern || var->is_extern)
            continue;
        out->vars[at] = var;
        if (!rename_item(linker, var->name, NAME_VARIABLE, var))
            return false;
    }
    return out->vars != NULL;
}

static bool take(struct linker *linker)
{
    return take_files(linker) && take_locs(linker) && take_funcs(linker) && take_vars(linker);
}

struct ptx_module *ptx_link(struct ptx_module **modules, size_t count, char *message, size_t size)
{
    struct linker linker = {.out = modules[0]};
    for (size_t i = 1; i < count; i++) {
        linker.from = modules[i];
        if (!take(&linker)) {
            snprintf(message, size, "not enough memory to link %zu modules", count);
            return NULL;
        }
    }
    return linker.out;
}
