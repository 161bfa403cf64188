/* used.c - notes which words of global memory are used: see memory/used.h. */
#include "memory/used.h"

#include "check/shadow.h"

/* Lanes one after another, or all at one place: one run of bytes, or two. */
static bool mark_runs(const struct access *access, bool is_stored)
{
    enum { HALF = LANES / 2 };
    struct allocation *known = access->allocation;
    if (!known || access->shape == ACCESS_SCATTERED)
        return false;
    if (access->shape == ACCESS_HALVES) {
        used_mark(known, access->first, access->bytes * (access->is_run[0] ? HALF : 1), is_stored);
        used_mark(known, access->second, access->bytes * (access->is_run[1] ? HALF : 1), is_stored);
    } else {
        used_mark(known, access->first, access->bytes * (access->shape == ACCESS_CONTIGUOUS ? LANES : 1),
                  is_stored);
    }
    return true;
}

/* What a block has done only to find out what blocks cost is undone, and was no use. */
void check_use(struct warp *warp, const struct insn *insn, const struct access *access)
{
    struct allocation *known = access->allocation;
    const bool is_stored = insn->is_store || insn->is_atomic;
    if (warp->block->launch->is_trial || mark_runs(access, is_stored))
        return;
    for (uint32_t rest = access->mask; rest; rest &= rest - 1) {
        const uint64_t address = access_address(access, __builtin_ctz(rest));
        if (!known || address < known->base || address >= known->base + known->size)
            known = memory_find(warp->block->launch->memory, address);
        if (known)
            used_mark(known, address, access->bytes, is_stored);
    }
}

void check_use_end(struct launch *launch)
{
    used_launch_end(launch->memory, launch->index, launch->nblocks, launch->nblocks_asked);
}
