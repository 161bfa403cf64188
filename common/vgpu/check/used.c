/* used.c - notes which words of global memory are used: see memory/used.h. */
#include "memory/used.h"

#include "check/shadow.h"

void check_use(struct warp *warp, const struct insn *insn, const struct access *access)
{
    (void)insn;
    struct allocation *known = access->allocation;
    for (uint32_t rest = access->mask; rest; rest &= rest - 1) {
        const uint64_t address = access_address(access, __builtin_ctz(rest));
        if (!known || address < known->base || address >= known->base + known->size)
            known = memory_find(warp->block->launch->memory, address);
        if (known)
            used_mark(known, address, access->bytes);
    }
}

void check_use_end(struct launch *launch)
{
    used_launch_end(launch->memory, launch->index, launch->nblocks, launch->nblocks_asked);
}
