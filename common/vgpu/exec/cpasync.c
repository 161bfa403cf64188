/* cpasync.c - cp.async: copies from global to shared memory that bypass registers.
 * Bytes are read when the copy is issued; copy_queue.c writes them when its thread waits for it. */
#include <string.h>

#include "exec/copy_queue.h"
#include "exec/instructions.h"
#include "exec/mem.h"
#include "memory/cache.h"

/* How many bytes each lane reads; lanes that read nothing drop out of the mask that is returned. */
static uint32_t source_sizes(const struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *size)
{
    const struct copy_info *info = insn->copy;
    const uint32_t *given = info->has_size ? slot(warp, insn->o[2]) : NULL;
    const uint32_t ignored = insn->preds[0] == PRED_NONE ? 0 : warp->preds[insn->preds[0]];
    uint32_t reading = 0;
    EACH_ACTIVE(lane, mask)
    {
        size[lane] = given && given[lane] < insn->width ? given[lane] : insn->width;
        if (ignored >> lane & 1)
            size[lane] = 0;
        reading |= size[lane] ? 1u << lane : 0;
    }
    return reading;
}

static void check_source(struct warp *warp, const struct insn *insn, uint32_t mask, const uint64_t *address)
{
    const struct access access = access_of_lanes(ACCESS_READ, PTX_GLOBAL, mask, insn->width, address);
    look_at_global(warp, insn, &access);
}

static void charge_source(struct warp *warp, const struct insn *insn, uint32_t mask, const uint64_t *address,
                          struct allocation *const *found)
{
    struct insn_stat *stat = stat_of(warp, insn);
    stat->requests++;
    while (mask) {
        struct allocation *a = found[first_lane(mask)];
        uint64_t filled[LANES], sectors[LANES];
        uint32_t same = 0;
        EACH_ACTIVE(lane, mask) same |= found[lane] == a ? 1u << lane : 0;
        mask &= ~same;
        memcpy(filled, address, sizeof filled);
        fill_addresses(filled, same);
        const uint32_t count = distinct_sectors(filled, sectors);
        stat->sectors += count;
        if (insn->cache == LOAD_PAST_L1)
            cache_load_l2(&warp->port, a, sectors, count);
        else
            cache_load(&warp->port, a, sectors, count);
    }
}

/* Brings the lanes' bytes to the stage; what is not read is zero. */
static void read_sources(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint64_t address[LANES];
    uint32_t size[LANES];
    struct allocation *found[LANES];
    struct tlb_entry fresh;
    const uint32_t reading = source_sizes(warp, insn, mask, size);
    uint32_t good = reading;
    memset(copy_stage(warp), 0, (size_t)LANES * COPY_BYTES);
    if (!reading)
        return;
    lane_addresses(warp, insn->o[1], insn->imm, insn->is_wide, reading, insn->width, address);
    const struct tlb_entry *entry = tlb_find_all(warp, insn, address, insn->width, false, &fresh);
    if (entry)
        for (int i = 0; i < LANES; i++)
            found[i] = entry->allocation;
    else
        good = global_admit(warp, insn, reading, address, insn->width, false, found);
    if (!good)
        return;
    if (warp->worker->check == CHECK_FULL)
        check_source(warp, insn, good, address);
    EACH_ACTIVE(lane, good)
    {
        const uint8_t *memory = found[lane]->host + (address[lane] - found[lane]->base);
        memcpy(copy_stage(warp) + (size_t)lane * COPY_BYTES, memory, size[lane]);
    }
    charge_source(warp, insn, good, address, found);
}

static enum step step_copy(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const struct copy_info *info = insn->copy;
    uint32_t offset[LANES];
    if (!mask)
        return STEP_NEXT;
    read_sources(warp, insn, mask);
    lane_offsets(warp, insn->o[0], info->dest_imm, info->dest_is_wide, mask, insn->width, offset);
    const uint32_t good = shared_admit(warp, insn, mask, offset, insn->width, true);
    if (!good)
        return STEP_NEXT;
    fill_offsets(offset, good);
    charge_shared(stat_of(warp, insn), good, insn->width, bank_wavefronts(offset, good, insn->width));
    copies_begin(warp, insn, good, offset);
    return STEP_NEXT;
}

static enum step step_commit(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    (void)insn;
    copies_commit(warp, mask);
    return STEP_NEXT;
}

static enum step step_wait_group(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    copies_wait(warp, insn, mask, (uint32_t)insn->imm);
    return STEP_NEXT;
}

static enum step step_wait_all(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    copies_finish(warp, insn, mask);
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- decoding */

static bool is_predicate(struct decoder *decoder, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OP_REG && decode_register_size(decoder, operand) == 0;
}

/* After the size: a source size, a predicate, a cache policy (64 bits, a hint), in that order. */
static bool decode_options(struct decoder *decoder, const struct ptx_insn *in, struct insn *out,
                           struct copy_info *info)
{
    out->preds[0] = PRED_NONE;
    for (uint32_t i = 3; i < in->noperands; i++) {
        const struct ptx_operand *operand = &in->operands[i];
        if (is_predicate(decoder, operand)) {
            if (!decode_pred_source(decoder, operand, &out->preds[0]))
                return false;
        } else if (!info->has_size &&
                   (operand->kind == PTX_OP_INT || decode_register_size(decoder, operand) == 4)) {
            info->has_size = true;
            if (!decode_source(decoder, out, operand, 'w'))
                return false;
        }
    }
    return true;
}

static bool decode_copy(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                        struct insn *out)
{
    struct copy_info *info = decode_alloc(decoder, sizeof *info);
    if (!info)
        return decode_error(decoder, "out of memory");
    if (in->noperands < 3 || in->operands[0].kind != PTX_OP_ADDRESS ||
        in->operands[1].kind != PTX_OP_ADDRESS || in->operands[2].kind != PTX_OP_INT)
        return decode_error(decoder, "`%s` needs two addresses and a size", in->name);
    const uint64_t bytes = in->operands[2].bits;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return decode_error(decoder, "`%s` copies 4, 8 or 16 bytes", in->name);
    if (!decode_address(decoder, out, &in->operands[0], PTX_SHARED))
        return false;
    info->dest_imm = out->imm;
    info->dest_is_wide = out->is_wide;
    out->imm = 0;
    if (!decode_address(decoder, out, &in->operands[1], PTX_GLOBAL) ||
        !decode_options(decoder, in, out, info))
        return false;
    out->class = CLASS_GLOBAL;
    out->space = PTX_GLOBAL;
    out->width = (uint8_t)bytes;
    out->count = 1;
    out->cache = opcode_has(opcode, "cg") ? LOAD_PAST_L1 : LOAD_PLAIN;
    out->is_async = true;
    out->bounds.first = 0;
    out->bounds.end = UINT32_MAX;
    out->copy = info;
    out->step = step_copy;
    return true;
}

/* commit_group, wait_group N, wait_all */
static bool decode_group(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                         struct insn *out)
{
    out->class = CLASS_OTHER;
    out->step = opcode_has(opcode, "commit_group") ? step_commit
                : opcode_has(opcode, "wait_group") ? step_wait_group
                                                   : step_wait_all;
    if (out->step != step_wait_group)
        return true;
    if (in->noperands != 1 || in->operands[0].kind != PTX_OP_INT)
        return decode_error(decoder, "`%s` needs a number of groups", in->name);
    out->imm = (int64_t)(in->operands[0].bits & UINT32_MAX);
    return true;
}

bool decode_cp_async(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                     struct insn *out)
{
    out->kind = INSN_STEP;
    if (!opcode_has(opcode, "async") || opcode_has(opcode, "bulk"))
        return decode_error(decoder, "`%s` is a bulk copy, which this machine does not have", in->name);
    if (opcode_has(opcode, "mbarrier"))
        return decode_mbarrier(decoder, opcode, in, out);
    if (opcode_has(opcode, "ca") || opcode_has(opcode, "cg"))
        return decode_copy(decoder, opcode, in, out);
    return decode_group(decoder, opcode, in, out);
}
