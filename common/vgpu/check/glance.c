/* glance.c - a look at the first blocks of a launch that is checked for bounds only, for the sake of a hint.
 * It is the full checker for two blocks and some thousand accesses, so that it costs nothing that anybody would notice. It
 * finds only what the full checker finds: whatever may order blocks in a way that is not followed ends it. */
#include "check/shadow.h"

enum { BLOCKS = 2, PATIENCE = 4096 /* accesses of a warp; scattered ones count by lanes */ };

/* What is known of barriers' branches takes a while to find out, and is not needed here. */
void glance_launch_begin(struct launch *launch)
{
    launch->races = race_state_make(launch);
}

void glance_block_begin(struct block *block)
{
    if (block->index >= BLOCKS)
        return;
    check_block_begin(block);
    if (!block->shadow)
        return;
    block->shadow->patience = PATIENCE;
    block->check = CHECK_FULL;
}

/* What was seen until now stays true. */
static void look_away(struct block *block)
{
    check_block_end(block);
    block->check = block->worker->check = CHECK_BOUNDS;
}

/* Each lane of a scattered access is looked at by itself, and may touch a page of shadow of its own. */
static bool is_looking(const struct warp *warp, const struct access *access)
{
    const bool is_scattered = access->shape == ACCESS_SCATTERED;
    const uint32_t cost = is_scattered ? (uint32_t)__builtin_popcount(access->mask) : 1;
    struct shadow *shadow = warp->block->shadow;
    if (!shadow)
        return false;
    if (shadow->patience < cost) {
        look_away(warp->block);
        return false;
    }
    shadow->patience -= cost;
    return true;
}

void glance_shared(struct warp *warp, const struct insn *insn, const struct access *access)
{
    if (is_looking(warp, access))
        check_shared(warp, insn, access);
}

void glance_global(struct warp *warp, const struct insn *insn, const struct access *access)
{
    if (is_looking(warp, access))
        check_global(warp, insn, access);
}

/* Nothing that a block did before its first acquire can be ordered after what another block did; what comes later may be, by
 * blocks that nobody looks at. */
void glance_acquire(struct warp *warp, const struct insn *insn, uint32_t lanes)
{
    if (insn->space == PTX_SHARED)
        check_acquire(warp, insn, lanes);
    else if (warp->block->shadow)
        look_away(warp->block);
}
