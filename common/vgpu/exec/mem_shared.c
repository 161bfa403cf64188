/* mem_shared.c - loads and stores of shared memory, and what its banks make of them.
 * Every lane's bytes lie in the array the access means and are aligned before any byte moves.
 * Races and uninitialised reads are found by check/shared.c. */
#include "exec/mem.h"

/* ------------------------------------------------------------------------------------------- bounds */

/* The end of the bytes an access may touch: that of its array, or of the block's shared memory. */
static inline uint32_t end_of(const struct warp *warp, const struct insn *insn)
{
    return insn->bounds.end < warp->block->shared_bytes ? insn->bounds.end : warp->block->shared_bytes;
}

static inline bool range_is_good(const struct warp *warp, const struct insn *insn, uint32_t low,
                                 uint32_t high, uint32_t bytes)
{
    return low >= insn->bounds.first && (uint64_t)high + bytes <= end_of(warp, insn);
}

uint32_t shared_admit(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                      uint32_t bytes, bool is_write)
{
    uint32_t good = 0;
    EACH_ACTIVE(lane, mask)
    {
        if (!range_is_good(warp, insn, offset[lane], offset[lane], bytes))
            refuse_lane(warp, insn, (int)lane, BAD_BOUNDS, PTX_SHARED, offset[lane], bytes, is_write);
        else if (offset[lane] & (bytes - 1))
            refuse_lane(warp, insn, (int)lane, BAD_ALIGNMENT, PTX_SHARED, offset[lane], bytes, is_write);
        else
            good |= 1u << lane;
    }
    return good;
}

/* ------------------------------------------------------------------------------------------- the access */

static void check_shaped(struct warp *warp, const struct insn *insn, uint32_t mask, enum access_shape shape,
                         const uint32_t *offset)
{
    uint64_t wide[LANES];
    const struct access access = access_of_offsets(insn, PTX_SHARED, mask, shape, offset, wide);
    checker_of(warp)->shared(warp, insn, &access);
}

static inline bool is_fully_checked(const struct warp *warp)
{
    return __builtin_expect(warp->worker->check == CHECK_FULL, 0);
}

static void charge(const struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t wavefronts)
{
    charge_shared(stat_of(warp, insn), mask, access_bytes(insn), wavefronts);
}

static void move_run(const struct warp *warp, const struct insn *insn, uint8_t *memory)
{
    const struct mover *mover = insn->mover;
    const uint32_t stride = access_bytes(insn);
    for (uint32_t k = 0; k < insn->count; k++) {
        if (insn->is_store)
            mover->store_run(element_slot(warp, insn, k), memory + k * insn->width, stride);
        else
            mover->load_run(element_slot(warp, insn, k), memory + k * insn->width, stride);
    }
}

static void move_lanes(const struct warp *warp, const struct insn *insn, uint32_t mask,
                       const uint32_t *offset)
{
    const struct mover *mover = insn->mover;
    for (uint32_t k = 0; k < insn->count; k++) {
        uint8_t *memory = warp->block->shared + k * insn->width;
        if (insn->is_store)
            mover->store_at32(element_slot(warp, insn, k), memory, offset, mask);
        else
            mover->load_at32(element_slot(warp, insn, k), memory, offset, mask);
    }
}

static void move_splat(const struct warp *warp, const struct insn *insn, uint32_t mask, const uint8_t *memory)
{
    const struct mover *mover = insn->mover;
    for (uint32_t k = 0; k < insn->count; k++)
        mover->splat(element_slot(warp, insn, k), memory + k * insn->width, mask);
}

static void access_scattered(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *offset)
{
    const uint32_t bytes = access_bytes(insn);
    const struct span span = span_of(offset);
    if (span.bits & (bytes - 1) || !range_is_good(warp, insn, span.low, span.high, bytes)) {
        const uint32_t good = shared_admit(warp, insn, mask, offset, bytes, insn->is_store);
        zero_lanes(warp, insn, mask & ~good);
        if (!good) {
            charge(warp, insn, mask, 1);
            return;
        }
        mask = good;
        fill_offsets(offset, mask);
    }
    if (is_fully_checked(warp))
        check_shaped(warp, insn, mask, ACCESS_SCATTERED, offset);
    move_lanes(warp, insn, mask, offset);
    charge(warp, insn, mask,
           mask == FULL_MASK && bytes <= 4 ? word_wavefronts(offset, span)
                                           : bank_wavefronts(offset, mask, bytes));
}

void shared_access(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *offset,
                   enum access_shape shape)
{
    const uint32_t bytes = access_bytes(insn), first = offset[0];
    const uint32_t last = shape == ACCESS_CONTIGUOUS ? first + (LANES - 1) * bytes : first;
    if (shape == ACCESS_SCATTERED || last < first || first & (bytes - 1) ||
        !range_is_good(warp, insn, first, last, bytes) || (shape == ACCESS_UNIFORM && insn->is_store)) {
        access_scattered(warp, insn, mask, offset);
        return;
    }
    if (is_fully_checked(warp))
        check_shaped(warp, insn, mask, shape, offset);
    if (shape == ACCESS_CONTIGUOUS) {
        move_run(warp, insn, warp->block->shared + first);
        charge(warp, insn, mask, bytes <= 4 ? 1 : bytes / 4);
    } else {
        move_splat(warp, insn, mask, warp->block->shared + first);
        /* halves of the warp go one after the other for 16 bytes */
        charge(warp, insn, mask, bytes <= 8 ? 1 : !!(mask & 0xffff) + !!(mask >> 16));
    }
}
