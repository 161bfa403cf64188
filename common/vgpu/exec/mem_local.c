/* mem_local.c - local memory and parameters: what belongs to one thread.
 * Local memory is interleaved as on the hardware: word w of lane i lies at (w * 32 + i) * 4 of warp->local, so lanes
 * that use the same variable touch neighbouring words. Its traffic below L1 is not modelled. */
#include <stdlib.h>
#include <string.h>

#include "core/checker.h"
#include "core/findings.h"
#include "core/garbage.h"
#include "exec/mem.h"

enum { MAX_ACCESS = 32 }; /* bytes of the widest vector */

/* What the threads of a block may have together. On a GPU, each may have 512 KB. */
#define MAX_BLOCK_LOCAL ((uint64_t)256 << 20)

static void report_no_room(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t bytes)
{
    const uint64_t all = (uint64_t)bytes * LANES * warp->block->nwarps;
    if (warp->worker->check != CHECK_OFF)
        finding_add(warp, insn, __builtin_ctz(mask), VGPU_LIMIT_LOCAL,
                    "a thread has %u bytes of local memory, a block %llu; the virtual GPU has %llu for a "
                    "block, if the host "
                    "has them",
                    bytes, (unsigned long long)all, (unsigned long long)MAX_BLOCK_LOCAL);
    launch_mark_fault(warp, cudaErrorLaunchOutOfResources);
}

static bool local_reserve(struct warp *warp, uint32_t bytes)
{
    const uint32_t need = (bytes + 15) / 16 * 16;
    if (need <= warp->local_bytes)
        return true;
    const bool is_too_much = (uint64_t)need * LANES * warp->block->nwarps > MAX_BLOCK_LOCAL;
    uint8_t *grown = is_too_much ? NULL : realloc(warp->local, (size_t)need * LANES);
    if (!grown)
        return false;
    garbage_fill_block(warp->block, GARBAGE_LOCAL, warp->index, grown, (size_t)warp->local_bytes * LANES,
                       (size_t)need * LANES);
    warp->local = grown;
    warp->local_bytes = need;
    return true;
}

/* ------------------------------------------------------------------------------------------- one lane */

static void read_lane(const struct warp *warp, uint32_t offset, int lane, uint32_t bytes, uint8_t *out)
{
    if (bytes < 4) {
        memcpy(out, local_word(warp, offset / 4, lane) + offset % 4, bytes);
        return;
    }
    for (uint32_t at = 0; at < bytes; at += 4)
        memcpy(out + at, local_word(warp, (offset + at) / 4, lane), 4);
}

static void write_lane(const struct warp *warp, uint32_t offset, int lane, uint32_t bytes, const uint8_t *in)
{
    if (bytes < 4) {
        memcpy(local_word(warp, offset / 4, lane) + offset % 4, in, bytes);
        return;
    }
    for (uint32_t at = 0; at < bytes; at += 4)
        memcpy(local_word(warp, (offset + at) / 4, lane), in + at, 4);
}

/* What a builtin gives back through a pointer. */
bool local_store_lane(struct warp *warp, const struct insn *insn, int lane, uint32_t offset,
                      const void *value, uint32_t bytes)
{
    const struct frame *frame = warp->frame;
    const bool is_good =
        (uint64_t)offset + bytes <= (uint64_t)frame->local_base + frame->function->local_bytes &&
        offset % 4 == 0 && local_reserve(warp, offset + bytes);
    if (!is_good) {
        refuse_lane(warp, insn, lane, BAD_BOUNDS, PTX_LOCAL, offset, bytes, true);
        return false;
    }
    const struct access access = {.kind = ACCESS_WRITE,
                                  .shape = ACCESS_UNIFORM,
                                  .space = PTX_LOCAL,
                                  .mask = 1u << lane,
                                  .bytes = bytes,
                                  .first = offset};
    if (warp->worker->check == CHECK_FULL)
        checker_of(warp)->local(warp, insn, &access);
    write_lane(warp, offset, lane, bytes, value);
    return true;
}

/* ------------------------------------------------------------------------------------------- checks and accounts */

static uint32_t admit(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                      uint32_t limit)
{
    const uint32_t bytes = access_bytes(insn);
    uint32_t good = 0;
    EACH_ACTIVE(lane, mask)
    {
        if ((uint64_t)offset[lane] + bytes > limit)
            refuse_lane(warp, insn, (int)lane, BAD_BOUNDS, PTX_LOCAL, offset[lane], bytes, insn->is_store);
        else if (offset[lane] & (bytes - 1))
            refuse_lane(warp, insn, (int)lane, BAD_ALIGNMENT, PTX_LOCAL, offset[lane], bytes, insn->is_store);
        else
            good |= 1u << lane;
    }
    return good;
}

static void check_lanes(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                        enum access_shape shape)
{
    uint64_t wide[LANES];
    const struct access access = access_of_offsets(insn, PTX_LOCAL, mask, shape, offset, wide);
    checker_of(warp)->local(warp, insn, &access);
}

/* Word w of eight neighbouring lanes is one sector. */
static uint32_t count_sectors(const uint32_t *offset, uint32_t mask, enum access_shape shape, uint32_t bytes)
{
    const uint32_t words = bytes <= 4 ? 1 : bytes / 4;
    uint64_t place[LANES], sectors[LANES];
    if (shape == ACCESS_UNIFORM) {
        uint32_t groups = 0;
        for (int i = 0; i < LANES; i += 8)
            groups += (mask >> i & 0xff) != 0;
        return groups * words;
    }
    for (uint32_t i = 0; i < LANES; i++)
        place[i] = ((uint64_t)(offset[i] / 4) * 4 + i / 8) << 5;
    if (mask != FULL_MASK)
        fill_addresses(place, mask);
    return distinct_sectors(place, sectors) * words;
}

/* ------------------------------------------------------------------------------------------- the access */

/* The same 4-byte variable of every lane: one row of 32 words. */
static void move_row(const struct warp *warp, const struct insn *insn, uint32_t offset)
{
    uint8_t *row = local_word(warp, offset / 4, 0);
    if (insn->is_store)
        memcpy(row, element_slot(warp, insn, 0), 4 * LANES);
    else
        memcpy(element_slot(warp, insn, 0), row, 4 * LANES);
}

/* Everything else goes through a copy in which each lane's bytes lie together. */
static void move_staged(const struct warp *warp, const struct insn *insn, uint32_t mask,
                        const uint32_t *offset)
{
    const struct mover *mover = insn->mover;
    const uint32_t bytes = access_bytes(insn);
    uint8_t stage[LANES * MAX_ACCESS];
    uint32_t at[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        at[i] = i * bytes;
    for (uint32_t k = 0; insn->is_store && k < insn->count; k++)
        mover->store_at32(element_slot(warp, insn, k), stage + k * insn->width, at, mask);
    EACH_ACTIVE(lane, mask)
    {
        if (insn->is_store)
            write_lane(warp, offset[lane], (int)lane, bytes, stage + at[lane]);
        else
            read_lane(warp, offset[lane], (int)lane, bytes, stage + at[lane]);
    }
    for (uint32_t k = 0; !insn->is_store && k < insn->count; k++)
        mover->load_at32(element_slot(warp, insn, k), stage + k * insn->width, at, mask);
}

void local_access(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *offset,
                  enum access_shape shape)
{
    const uint32_t bytes = access_bytes(insn);
    struct insn_stat *stat = stat_of(warp, insn);
    uint32_t high = 0, bits = 0, limit = local_limit(warp);
    stat->local_requests++;
    if (limit > warp->local_bytes && !local_reserve(warp, limit)) {
        report_no_room(warp, insn, mask, limit);
        zero_lanes(warp, insn, mask);
        return;
    }
    for (int i = 0; i < LANES; i++) {
        high = offset[i] > high ? offset[i] : high;
        bits |= offset[i];
    }
    if (bits & (bytes - 1) || (uint64_t)high + bytes > limit) {
        const uint32_t good = admit(warp, insn, mask, offset, limit);
        zero_lanes(warp, insn, mask & ~good);
        if (!good)
            return;
        mask = good;
        shape = offsets_shape(offset, mask, bytes);
    }
    if (__builtin_expect(warp->worker->check == CHECK_FULL, 0))
        check_lanes(warp, insn, mask, offset, shape);
    if (shape == ACCESS_UNIFORM && mask == FULL_MASK && bytes == 4 && insn->dsize == 4 && insn->count == 1)
        move_row(warp, insn, offset[0]);
    else
        move_staged(warp, insn, mask, offset);
    if (__builtin_expect(warp->undefined != NULL, 0))
        checker_of(warp)->undefined->access(warp, insn, mask, offset, PTX_LOCAL);
    stat->local_sectors += count_sectors(offset, mask, shape, bytes);
}

/* ------------------------------------------------------------------------------------------- parameters */

static uint32_t admit_param(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                            uint32_t size)
{
    const uint32_t bytes = access_bytes(insn);
    uint32_t good = 0;
    EACH_ACTIVE(lane, mask)
    {
        if ((uint64_t)offset[lane] + bytes <= size)
            good |= 1u << lane;
        else
            refuse_lane(warp, insn, (int)lane, BAD_BOUNDS, PTX_PARAM, offset[lane], bytes, insn->is_store);
    }
    return good;
}

/* A kernel's parameters are one block for all threads; a function's are one per lane. */
void param_access(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset)
{
    const struct mover *mover = insn->mover;
    const struct frame *frame = warp->frame;
    const struct function *function = frame->function;
    const struct launch *launch = warp->block->launch;
    const bool is_kernel = !insn->is_argument && (insn->space == PTX_GENERIC || function->ptx->is_entry);
    uint8_t *memory = insn->is_argument ? frame->args : is_kernel ? launch->params : frame->params;
    const uint32_t size = insn->is_argument ? function->arg_bytes
                          : is_kernel       ? launch->kernel->param_bytes
                                            : function->param_bytes;
    uint32_t at[LANES];
    const uint32_t good = admit_param(warp, insn, mask, offset, size);
    zero_lanes(warp, insn, mask & ~good);
    for (uint32_t i = 0; i < LANES; i++)
        at[i] = offset[i] + (is_kernel ? 0 : i * size);
    for (uint32_t k = 0; k < insn->count && good; k++) {
        if (!insn->is_store)
            mover->load_at32(element_slot(warp, insn, k), memory + k * insn->width, at, good);
        else if (!is_kernel)
            mover->store_at32(element_slot(warp, insn, k), memory + k * insn->width, at, good);
    }
    if (warp->undefined && !is_kernel)
        checker_of(warp)->undefined->access(warp, insn, good, offset, PTX_PARAM);
}
