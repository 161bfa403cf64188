/* found.c - see found.h. */
#include "profile/found.h"

#include "report/names.h"

static void locate(struct found *found)
{
    static const struct ptx_loc nowhere;
    const struct ptx_module *ptx = found->launch->kernel->module->ptx;
    const uint32_t loc = own_loc(ptx, found->insn->loc);
    found->loc = loc && loc < ptx->nlocs ? &ptx->locs[loc] : &nowhere;
    found->file = found->loc->file && found->loc->file < ptx->nfiles ? ptx->files[found->loc->file] : "";
}

void found_each(const struct launch *launch, void (*visit)(const struct found *, void *), void *context)
{
    const struct module *module = launch->kernel->module;
    for (uint32_t f = 0; launch->stats && f < module->nfunctions; f++)
        for (uint32_t i = 0; module->functions[f].code && i < module->functions[f].ncode; i++) {
            struct found found = {
                .launch = launch, .function = &module->functions[f], .insn = &module->functions[f].code[i]};
            found.stat = launch_stat(launch, found.insn->id);
            if (!found.insn->id || !found.stat->warps)
                continue;
            locate(&found);
            visit(&found, context);
        }
}

const double *found_spent(const struct estimate *estimate, uint32_t id)
{
    static const double nothing[MODEL_SPENT];
    return id < estimate->nspent ? estimate->spent[id] : nothing;
}
