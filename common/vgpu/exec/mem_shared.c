/* mem_shared.c - loads and stores of shared memory, and what its banks make of them.
 * Every lane's bytes lie in the array the access means and are aligned before any byte moves.
 * Races and uninitialised reads are found by check/shared.c. */
#include "exec/mem.h"

enum { BANKS = 32 };

/* ------------------------------------------------------------------------------------------- banks */

static uint32_t common_power(uint32_t stride, uint32_t lanes)
{
    return stride % lanes ? 1u << __builtin_ctz(stride) : lanes;
}

/* Accesses of 8 bytes go in two halves of the warp, of 16 bytes in four quarters: 128 bytes at most at a time. */
static inline uint32_t lanes_per_pass(uint32_t bytes)
{
    return bytes <= 4 ? LANES : 128 / bytes;
}

/* Lanes at a constant stride: a pass's lanes fall on as many banks as the stride leaves. 0: the stride varies. */
static uint32_t strided_wavefronts(const uint32_t *offset, uint32_t bytes)
{
    const uint32_t stride = offset[1] - offset[0], first = offset[0];
    uint32_t differs = 0;
    if (bytes < 4 || stride % bytes || stride == 0)
        return 0;
    for (int i = 0; i < LANES; i++)
        differs |= offset[i] ^ (first + (uint32_t)i * stride);
    if (differs)
        return 0;
    const uint32_t lanes = lanes_per_pass(bytes);
    return common_power(stride / bytes, lanes) * (LANES / lanes);
}

/* The most distinct words in one bank, over the words of the lanes in the mask. */
static uint32_t group_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    const uint32_t words = bytes <= 4 ? 1 : bytes / 4;
    uint32_t seen[BANKS][LANES];
    uint8_t count[BANKS] = {0};
    uint32_t most = 0;
    EACH_ACTIVE(lane, mask)
    {
        for (uint32_t w = 0; w < words; w++) {
            const uint32_t word = offset[lane] / 4 + w, bank = word % BANKS;
            uint32_t i = 0;
            while (i < count[bank] && seen[bank][i] != word)
                i++;
            if (i < count[bank])
                continue;
            seen[bank][count[bank]++] = word;
            most = count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

/* True if every lane's partner (its number with one bit flipped) is off or reads the same address. */
static bool partners_agree(const uint32_t *offset, uint32_t mask, uint32_t bit)
{
    EACH_ACTIVE(lane, mask)
    {
        const uint32_t partner = lane ^ bit;
        if (mask >> partner & 1 && offset[partner] != offset[lane])
            return false;
    }
    return true;
}

/* Two neighbouring passes become one when lanes agree in pairs: then they hold no more words than one pass carries. */
static bool passes_merge(const uint32_t *offset, uint32_t mask)
{
    return partners_agree(offset, mask, 1) || partners_agree(offset, mask, 2);
}

/* One word a lane and no bank wanted for two words: the common case of what is not strided. */
static bool is_conflict_free(const uint32_t *offset)
{
    uint32_t holder[BANKS], differs = 0;
    for (int i = 0; i < LANES; i++)
        holder[offset[i] / 4 % BANKS] = offset[i] / 4;
    for (int i = 0; i < LANES; i++)
        differs |= holder[offset[i] / 4 % BANKS] ^ offset[i] / 4;
    return differs == 0;
}

uint32_t bank_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    const uint32_t lanes = lanes_per_pass(bytes);
    uint32_t wavefronts = 0;
    if (mask == FULL_MASK && (wavefronts = strided_wavefronts(offset, bytes)))
        return wavefronts;
    if (lanes == LANES) /* lanes outside the mask repeat a neighbour's address: they want nothing new */
        return is_conflict_free(offset) ? 1 : group_wavefronts(offset, mask, bytes);
    for (uint32_t start = 0; start < LANES; start += 2 * lanes) {
        const uint32_t one = (lanes == 16 ? 0xffffu : (1u << lanes) - 1) << start, two = one << lanes;
        const uint32_t both = mask & (one | two);
        if (both && passes_merge(offset, both))
            wavefronts += group_wavefronts(offset, both, bytes);
        else
            wavefronts +=
                group_wavefronts(offset, mask & one, bytes) + group_wavefronts(offset, mask & two, bytes);
    }
    return wavefronts;
}

/* ------------------------------------------------------------------------------------------- bounds */

/* The end of the bytes an access may touch: that of its array, or of the block's shared memory. */
static inline uint32_t end_of(const struct warp *warp, const struct insn *insn)
{
    return insn->join < warp->block->shared_bytes ? insn->join : warp->block->shared_bytes;
}

static inline bool range_is_good(const struct warp *warp, const struct insn *insn, uint32_t low,
                                 uint32_t high, uint32_t bytes)
{
    return low >= insn->target && (uint64_t)high + bytes <= end_of(warp, insn);
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
    uint64_t address[LANES];
    for (int i = 0; i < LANES && shape == ACCESS_SCATTERED; i++)
        address[i] = offset[i];
    const struct access access = {
        .kind = insn->is_store ? ACCESS_WRITE : ACCESS_READ,
        .shape = shape,
        .space = PTX_SHARED,
        .mask = mask,
        .bytes = access_bytes(insn),
        .first = offset[0],
        .address = shape == ACCESS_SCATTERED ? address : NULL,
    };
    check_shared(warp, insn, &access);
}

static inline bool is_fully_checked(const struct warp *warp)
{
    return __builtin_expect(warp->worker->check == CHECK_FULL, 0);
}

static inline void charge(const struct warp *warp, const struct insn *insn, uint32_t wavefronts)
{
    struct insn_stat *stat = stat_of(warp, insn);
    stat->shared_requests++;
    stat->wavefronts += wavefronts;
}

static void move_run(const struct warp *warp, const struct insn *insn, uint8_t *memory)
{
    const struct mover *mover = insn->extra;
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
    const struct mover *mover = insn->extra;
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
    const struct mover *mover = insn->extra;
    for (uint32_t k = 0; k < insn->count; k++)
        mover->splat(element_slot(warp, insn, k), memory + k * insn->width, mask);
}

static void access_scattered(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *offset)
{
    const uint32_t bytes = access_bytes(insn);
    uint32_t low = UINT32_MAX, high = 0, bits = 0;
    for (int i = 0; i < LANES; i++) {
        low = offset[i] < low ? offset[i] : low;
        high = offset[i] > high ? offset[i] : high;
        bits |= offset[i];
    }
    if (bits & (bytes - 1) || !range_is_good(warp, insn, low, high, bytes)) {
        const uint32_t good = shared_admit(warp, insn, mask, offset, bytes, insn->is_store);
        zero_lanes(warp, insn, mask & ~good);
        if (!good) {
            charge(warp, insn, 1);
            return;
        }
        mask = good;
        fill_offsets(offset, mask);
    }
    if (is_fully_checked(warp))
        check_shaped(warp, insn, mask, ACCESS_SCATTERED, offset);
    move_lanes(warp, insn, mask, offset);
    charge(warp, insn, bank_wavefronts(offset, mask, bytes));
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
        charge(warp, insn, bytes <= 4 ? 1 : bytes / 4);
    } else {
        move_splat(warp, insn, mask, warp->block->shared + first);
        /* halves of the warp go one after the other for 16 bytes */
        charge(warp, insn, bytes <= 8 ? 1 : !!(mask & 0xffff) + !!(mask >> 16));
    }
}
