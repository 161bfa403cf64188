/* mem_step.c - the steps of ld and st: how lanes get their addresses, and what order an access needs.
 * The spaces' own files move the bytes. Which step an instruction takes is chosen in mem_decode.c. */
#include <string.h>

#include "exec/mem.h"

/* ------------------------------------------------------------------------------------------- generic addresses */

struct generic_split split_generic(const struct memory *memory, const uint64_t *address, uint32_t mask)
{
    const struct memory_layout *layout = memory_layout(memory);
    struct generic_split split = {0, 0, 0, mask};
    uint32_t inside = 0;
    for (int i = 0; i < LANES; i++)
        inside |= address[i] - layout->shared_window < 3ull * WINDOW_BYTES;
    if (!inside)
        return split;
    EACH_ACTIVE(lane, mask)
    {
        const uint64_t place = address[lane] - layout->shared_window;
        if (place >= 3ull * WINDOW_BYTES)
            continue;
        uint32_t *const masks[] = {&split.shared, &split.local, &split.param};
        *masks[place / WINDOW_BYTES] |= 1u << lane;
        split.global &= ~(1u << lane);
    }
    return split;
}

/* The part of a generic access that lies in one window. */
static enum access_shape window_offsets(const uint64_t *address, uint64_t window, uint32_t mask,
                                        uint32_t bytes, uint32_t *offset)
{
    for (int i = 0; i < LANES; i++)
        offset[i] = (uint32_t)(address[i] - window);
    return offsets_shape(offset, mask, bytes);
}

static void access_windows(struct warp *warp, const struct insn *insn, const struct generic_split *split,
                           const uint64_t *address)
{
    const struct memory_layout *layout = memory_layout(warp->block->launch->memory);
    const uint32_t bytes = access_bytes(insn);
    uint32_t offset[LANES];
    enum access_shape shape;
    if (split->shared) {
        shape = window_offsets(address, layout->shared_window, split->shared, bytes, offset);
        shared_access(warp, insn, split->shared, offset, shape);
    }
    if (split->local) {
        shape = window_offsets(address, layout->local_window, split->local, bytes, offset);
        local_access(warp, insn, split->local, offset, shape);
    }
    if (split->param) {
        window_offsets(address, layout->param_window, split->param, bytes, offset);
        param_access(warp, insn, split->param, offset);
    }
}

static void access_generic(struct warp *warp, const struct insn *insn, uint32_t mask, uint64_t *address,
                           enum access_shape shape)
{
    const struct generic_split split = split_generic(warp->block->launch->memory, address, mask);
    if (split.global == mask) {
        global_access(warp, insn, mask, address, shape);
        return;
    }
    access_windows(warp, insn, &split, address);
    if (split.global) {
        fill_addresses(address, split.global);
        global_access(warp, insn, split.global, address, ACCESS_SCATTERED);
    }
}

/* ------------------------------------------------------------------------------------------- order */

/* What the lanes read, as one number: it stays the same only if every lane's value does. */
static uint64_t combine_values(const struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint64_t combined = mask;
    for (uint32_t k = 0; k < insn->count; k++) {
        const uint8_t *values = slot(warp, insn->o[k]);
        EACH_ACTIVE(lane, mask)
        {
            uint64_t value = 0;
            memcpy(&value, values + (size_t)lane * insn->dsize, insn->dsize < 8 ? insn->dsize : 8);
            combined = (combined ^ value) * 0x100000001b3u;
        }
    }
    return combined;
}

/* After an access that others may be waiting for, or that may be waiting for others. */
static enum step settle(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const bool is_full = warp->worker->check == CHECK_FULL;
    if (insn->is_store) {
        if (is_full)
            checker_of(warp)->release(warp, insn, mask);
        launch_progress(warp->block->launch);
        return STEP_NEXT;
    }
    if (is_full)
        checker_of(warp)->acquire(warp, insn, mask);
    return warp_polled(warp, insn, combine_values(warp, insn, mask));
}

/* ------------------------------------------------------------------------------------------- steps */

static inline uint32_t address_operand(const struct insn *insn)
{
    return insn->o[insn->ndefs];
}

enum step step_global(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint64_t address[LANES];
    if (!mask)
        return STEP_NEXT;
    const enum access_shape shape = lane_addresses(warp, address_operand(insn), insn->imm, insn->is_wide,
                                                   mask, access_bytes(insn), address);
    global_access(warp, insn, mask, address, shape);
    return STEP_NEXT;
}

enum step step_global_ordered(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (!mask)
        return STEP_NEXT;
    if (!block_has_turn(warp->block))
        return STEP_WAIT_TURN;
    step_global(warp, insn, mask);
    return settle(warp, insn, mask);
}

enum step step_generic(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint64_t address[LANES];
    if (!mask)
        return STEP_NEXT;
    const enum access_shape shape = lane_addresses(warp, address_operand(insn), insn->imm, insn->is_wide,
                                                   mask, access_bytes(insn), address);
    access_generic(warp, insn, mask, address, shape);
    return STEP_NEXT;
}

enum step step_generic_ordered(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint64_t address[LANES];
    if (!mask)
        return STEP_NEXT;
    const enum access_shape shape = lane_addresses(warp, address_operand(insn), insn->imm, insn->is_wide,
                                                   mask, access_bytes(insn), address);
    if (split_generic(warp->block->launch->memory, address, mask).global && !block_has_turn(warp->block))
        return STEP_WAIT_TURN;
    access_generic(warp, insn, mask, address, shape);
    return settle(warp, insn, mask);
}

enum step step_shared(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t offset[LANES];
    if (!mask)
        return STEP_NEXT;
    const enum access_shape shape =
        lane_offsets(warp, address_operand(insn), insn->imm, insn->is_wide, mask, access_bytes(insn), offset);
    shared_access(warp, insn, mask, offset, shape);
    return STEP_NEXT;
}

enum step step_shared_ordered(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (!mask)
        return STEP_NEXT;
    step_shared(warp, insn, mask);
    return settle(warp, insn, mask);
}

enum step step_local(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t offset[LANES];
    if (!mask)
        return STEP_NEXT;
    const uint32_t operand = address_operand(insn);
    const enum access_shape shape =
        lane_offsets(warp, operand, insn->imm, insn->is_wide, mask, access_bytes(insn), offset);
    if (operand == SLOT_NONE)
        for (int i = 0; i < LANES; i++)
            offset[i] = local_address(warp, offset[i]);
    local_access(warp, insn, mask, offset, shape);
    return STEP_NEXT;
}

enum step step_param(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t offset[LANES];
    if (!mask)
        return STEP_NEXT;
    lane_offsets(warp, address_operand(insn), insn->imm, insn->is_wide, mask, access_bytes(insn), offset);
    param_access(warp, insn, mask, offset);
    return STEP_NEXT;
}

/* A kernel's parameter at a constant address, found good when it was decoded. */
enum step step_kernel_param(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const struct mover *mover = insn->mover;
    const uint8_t *memory = warp->block->launch->params + insn->imm;
    for (uint32_t k = 0; k < insn->count && mask; k++)
        mover->splat(slot(warp, insn->o[k]), memory + k * insn->width, mask);
    return STEP_NEXT;
}
