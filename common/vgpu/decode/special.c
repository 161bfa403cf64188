/* special.c - special registers, and addresses that only the launch knows.
 * One row per register: its name and the function that gives its value in every lane.
 * Reading one is an instruction of its own (a step), because most are read once per thread. */
#include <string.h>

#include "decode/decode_internal.h"
#include "core/gpu.h"
#include "core/warp.h"
#include "memory/memory.h"

typedef void special_fn(struct warp *warp, const struct insn *insn, uint64_t out[LANES]);

static void splat(uint64_t out[LANES], uint64_t value)
{
    for (int i = 0; i < LANES; i++)
        out[i] = value;
}

static void tid(const struct warp *warp, int axis, uint64_t out[LANES])
{
    const uint32_t *tids = warp->block->launch->tid[axis] + warp->index * LANES;
    for (int i = 0; i < LANES; i++)
        out[i] = tids[i];
}

#define SPECIAL(name) static void name(struct warp *warp, const struct insn *insn, uint64_t out[LANES])
#define UNIFORM(name, value)                                                                                 \
    SPECIAL(name)                                                                                            \
    {                                                                                                        \
        (void)insn, (void)warp;                                                                              \
        splat(out, value);                                                                                   \
    }
#define PER_LANE(name, value)                                                                                \
    SPECIAL(name)                                                                                            \
    {                                                                                                        \
        (void)insn, (void)warp;                                                                              \
        for (int i = 0; i < LANES; i++)                                                                      \
            out[i] = (value);                                                                                \
    }

SPECIAL(tid_x)
{
    (void)insn;
    tid(warp, 0, out);
}
SPECIAL(tid_y)
{
    (void)insn;
    tid(warp, 1, out);
}
SPECIAL(tid_z)
{
    (void)insn;
    tid(warp, 2, out);
}
UNIFORM(ntid_x, warp->block->launch->dim[0])
UNIFORM(ntid_y, warp->block->launch->dim[1])
UNIFORM(ntid_z, warp->block->launch->dim[2])
UNIFORM(ctaid_x, warp->block->ctaid[0])
UNIFORM(ctaid_y, warp->block->ctaid[1])
UNIFORM(ctaid_z, warp->block->ctaid[2])
UNIFORM(nctaid_x, warp->block->launch->grid[0])
UNIFORM(nctaid_y, warp->block->launch->grid[1])
UNIFORM(nctaid_z, warp->block->launch->grid[2])
PER_LANE(laneid, (uint64_t)i)
UNIFORM(warpid, warp->index)
UNIFORM(nwarpid, warp->block->launch->gpu->max_warps)
UNIFORM(smid, warp->block->index % warp->block->launch->gpu->sms)
UNIFORM(nsmid, warp->block->launch->gpu->sms)
UNIFORM(gridid, warp->block->launch->index + 1)
PER_LANE(lanemask_eq, 1ull << i)
PER_LANE(lanemask_le, (2ull << i) - 1)
PER_LANE(lanemask_lt, (1ull << i) - 1)
PER_LANE(lanemask_ge, (uint64_t)(uint32_t) ~((1ull << i) - 1))
PER_LANE(lanemask_gt, (uint64_t)(uint32_t) ~((2ull << i) - 1))

/* ------------------------------------------------------------------------------------------- clocks */

UNIFORM(clock64, warp_cycles(warp, insn))
UNIFORM(clock_hi, warp_cycles(warp, insn) >> 32)
UNIFORM(globaltimer, warp_nanoseconds(warp, insn))
UNIFORM(globaltimer_lo, (uint32_t)warp_nanoseconds(warp, insn))
UNIFORM(globaltimer_hi, warp_nanoseconds(warp, insn) >> 32)

/* ------------------------------------------------------------------------------------------- the table */

UNIFORM(dynamic_smem, warp->block->launch->dynamic_shared)
UNIFORM(total_smem, warp->block->shared_bytes)
UNIFORM(workspace_hi, warp->block->launch->workspace >> 32)
UNIFORM(workspace_lo, (uint32_t)warp->block->launch->workspace)
UNIFORM(zero, 0)
UNIFORM(one, 1)
UNIFORM(thirty_two, 32)
/* Not registers of PTX: addresses that decode.c needs. */
UNIFORM(local_address, (uint64_t)warp->frame->local_base + (uint64_t)insn->imm)
UNIFORM(dynamic_shared, (uint64_t)warp->block->launch->kernel->shared_bytes + (uint64_t)insn->imm)

static const struct special {
    const char *name;
    special_fn *fn;
} specials[] = {
    {"%tid.x", tid_x},
    {"%tid.y", tid_y},
    {"%tid.z", tid_z},
    {"%ntid.x", ntid_x},
    {"%ntid.y", ntid_y},
    {"%ntid.z", ntid_z},
    {"%ctaid.x", ctaid_x},
    {"%ctaid.y", ctaid_y},
    {"%ctaid.z", ctaid_z},
    {"%nctaid.x", nctaid_x},
    {"%nctaid.y", nctaid_y},
    {"%nctaid.z", nctaid_z},
    {"%laneid", laneid},
    {"%warpid", warpid},
    {"%nwarpid", nwarpid},
    {"%smid", smid},
    {"%nsmid", nsmid},
    {"%gridid", gridid},
    {"%lanemask_eq", lanemask_eq},
    {"%lanemask_le", lanemask_le},
    {"%lanemask_lt", lanemask_lt},
    {"%lanemask_ge", lanemask_ge},
    {"%lanemask_gt", lanemask_gt},
    {"%clock", clock64},
    {"%clock64", clock64},
    {"%clock_hi", clock_hi},
    {"%globaltimer", globaltimer},
    {"%globaltimer_lo", globaltimer_lo},
    {"%globaltimer_hi", globaltimer_hi},
    {"%dynamic_smem_size", dynamic_smem},
    {"%total_smem_size", total_smem},
    {"%aggr_smem_size", total_smem},
    {"WARP_SZ", thirty_two},
    /* a block is a cluster of its own */
    {"%clusterid.x", ctaid_x},
    {"%clusterid.y", ctaid_y},
    {"%clusterid.z", ctaid_z},
    {"%nclusterid.x", nctaid_x},
    {"%nclusterid.y", nctaid_y},
    {"%nclusterid.z", nctaid_z},
    {"%cluster_ctaid.x", zero},
    {"%cluster_ctaid.y", zero},
    {"%cluster_ctaid.z", zero},
    {"%cluster_nctaid.x", one},
    {"%cluster_nctaid.y", one},
    {"%cluster_nctaid.z", one},
    {"%cluster_ctarank", zero},
    {"%cluster_nctarank", one},
    {"%is_explicit_cluster", zero},
    {"%envreg1", workspace_hi},
    {"%envreg2", workspace_lo},
    {"%envreg0", zero},
};
static const struct special local_row = {"local", local_address}, dynamic_row = {"dynamic", dynamic_shared};

#define STORE_LANES(type)                                                                                    \
    static void store_##type(type *to, const uint64_t values[LANES], uint32_t mask)                          \
    {                                                                                                        \
        EACH_LANE(i) to[i] = mask >> i & 1 ? (type)values[i] : to[i];                                        \
    }
STORE_LANES(uint16_t)
STORE_LANES(uint32_t)
STORE_LANES(uint64_t)

static void store_lanes(void *to, const uint64_t values[LANES], uint32_t size, uint32_t mask)
{
    if (size == 4)
        store_uint32_t(to, values, mask);
    else if (size == 8)
        store_uint64_t(to, values, mask);
    else
        store_uint16_t(to, values, mask);
}

static enum step step_special(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint64_t values[LANES];
    if (insn->special->fn == tid_x && mask == FULL_MASK && insn->dsize == 4) {
        /* nearly every kernel begins with it */
        memcpy(slot(warp, insn->o[0]), warp->block->launch->tid[0] + warp->index * LANES,
               LANES * sizeof(uint32_t));
        return STEP_NEXT;
    }
    insn->special->fn(warp, insn, values);
    store_lanes(slot(warp, insn->o[0]), values, insn->dsize, mask);
    return STEP_NEXT;
}

bool decode_is_constant(const struct insn *insn)
{
    static special_fn *const clocks[] = {clock64, clock_hi, globaltimer, globaltimer_lo, globaltimer_hi};
    bool is_clock = false;
    for (size_t i = 0; insn->step == step_special && i < sizeof clocks / sizeof *clocks; i++)
        is_clock |= insn->special->fn == clocks[i];
    return insn->step == step_special && !is_clock;
}

void decode_special_value(struct warp *warp, const struct insn *insn, void *to)
{
    uint64_t values[LANES];
    insn->special->fn(warp, insn, values);
    store_lanes(to, values, insn->dsize, FULL_MASK);
}

static void fill_special(struct insn *insn, const struct special *row, int64_t imm, uint32_t dest,
                         uint32_t size)
{
    insn->kind = INSN_STEP;
    insn->step = step_special;
    insn->special = row;
    insn->imm = imm;
    insn->dsize = (uint8_t)size;
    insn->ndefs = 1;
    insn->o[0] = dest;
}

static bool emit_special(struct decoder *decoder, const struct special *row, int64_t imm, uint32_t dest,
                         uint32_t size)
{
    struct insn *insn = decode_emit(decoder);
    if (!insn)
        return false;
    fill_special(insn, row, imm, dest, size);
    return true;
}

static const struct special *find_special(const char *name)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(specials[i].name, name) == 0)
            return &specials[i];
    return NULL;
}

bool decode_special_move(struct decoder *decoder, const struct ptx_operand *dest, const char *name,
                         struct insn *out)
{
    const struct special *row = find_special(name);
    uint32_t size = decode_register_size(decoder, dest);
    if (!row || !size)
        return false;
    fill_special(out, row, 0, dest->reg, size);
    out->class = CLASS_INT;
    return true;
}

bool decode_special(struct decoder *decoder, const char *name, uint32_t dest, uint32_t size)
{
    const struct special *row = find_special(name);
    if (row)
        return emit_special(decoder, row, 0, dest, size);
    if (strncmp(name, "%envreg", 7) == 0 || strncmp(name, "%pm", 3) == 0 ||
        strncmp(name, "%reserved_smem", 14) == 0)
        return emit_special(decoder, &specials[sizeof specials / sizeof *specials - 1], 0, dest, size);
    return decode_error(decoder, "there is no special register `%s`", name);
}

bool decode_local_address(struct decoder *decoder, uint32_t offset, uint32_t dest, uint32_t size)
{
    return emit_special(decoder, &local_row, offset, dest, size);
}

bool decode_dynamic_shared(struct decoder *decoder, int64_t offset, uint32_t dest, uint32_t size)
{
    return emit_special(decoder, &dynamic_row, offset, dest, size);
}
