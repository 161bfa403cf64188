/* access.h - one access of one warp to memory: which lanes, which addresses, what they look like together.
 * Handlers work on arrays of 32 addresses in which lanes outside the mask repeat a neighbour's, so that scans over the
 * array need no mask. What the addresses cost is counted here as well: sectors (sectors.c) and passes of the banks
 * (banks.c). Whether an access is allowed is not asked here. */
#ifndef VGPU_ACCESS_H
#define VGPU_ACCESS_H

#include "core/gpu.h"
#include "core/machine.h"

struct allocation;

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };
enum access_shape {
    ACCESS_SCATTERED,  /* nothing known: look at address[] */
    ACCESS_UNIFORM,    /* every lane of the mask uses first */
    ACCESS_CONTIGUOUS, /* full mask, lane i uses first + i * bytes */
    ACCESS_HALVES /* full mask, 4 bytes: lanes 0-15 from first, lanes 16-31 from second; is_run: a run or one word */
};

/* Addresses are offsets in shared and local memory, device addresses in global. */
struct access {
    enum access_kind kind;
    enum access_shape shape;
    enum ptx_space space;
    uint32_t mask;
    uint32_t bytes; /* per lane */
    uint64_t first, second;
    bool is_run[2];
    const uint64_t *address;       /* [32], lanes of the mask are valid; NULL unless SCATTERED */
    struct allocation *allocation; /* global, unless SCATTERED: where it lies; else NULL */
};

/* Why an access is refused. */
enum bad_access { BAD_BOUNDS, BAD_ALIGNMENT, BAD_FREED, BAD_NULL, BAD_HOST_POINTER, BAD_READ_ONLY };

static inline uint64_t access_address(const struct access *access, int lane)
{
    switch (access->shape) {
    case ACCESS_SCATTERED:
        return access->address[lane];
    case ACCESS_UNIFORM:
        return access->first;
    case ACCESS_CONTIGUOUS:
        return access->first + (uint64_t)lane * access->bytes;
    default:
        return (lane < LANES / 2 ? access->first : access->second) +
               (access->is_run[lane / (LANES / 2)] ? (uint64_t)(lane % (LANES / 2)) * access->bytes : 0);
    }
}

/* For each lane of the mask, from the lowest. */
#define EACH_ACTIVE(i, mask)                                                                                 \
    for (uint32_t rest_ = (mask), i; rest_ && (i = (uint32_t)__builtin_ctz(rest_), 1); rest_ &= rest_ - 1)

static inline int first_lane(uint32_t mask)
{
    return __builtin_ctz(mask);
}

/* An asynchronous copy. o: destination address, source address, then the source size if there is one. imm, is_wide: of the source.
 * preds[0]: the predicate that says "ignore the source", or PRED_NONE. */
struct copy_info {
    int64_t dest_imm;
    bool dest_is_wide;
    bool has_size; /* o[2]: bytes to read; the rest is zero */
};

/* Bytes that a load, a store or an atomic moves per lane. */
static inline uint32_t access_bytes(const struct insn *insn)
{
    return (uint32_t)insn->width * insn->count;
}

/* What others may write L1 keeps on some GPUs only; what nobody writes it always keeps. */
static inline bool passes_l1(const struct warp *warp, const struct insn *insn)
{
    return insn->cache == LOAD_PAST_L1 || (insn->cache == LOAD_PLAIN && !warp->block->launch->gpu->l1_global);
}

/* The slot of element k of a load (destinations come first) or of a store (values follow the address). */
static inline void *element_slot(const struct warp *warp, const struct insn *insn, uint32_t k)
{
    return slot(warp, insn->o[insn->is_store ? k + 1 : k]);
}

/* The bytes that a lane is about to store, at most 16; zeros if it stores none. */
void stored_value(const struct warp *warp, const struct insn *insn, int lane, void *bytes16);

/* ------------------------------------------------------------------------------------------- builders */

/* A load or store in one space, its addresses filled. address: SCATTERED only; allocation: all others in global memory. */
static inline struct access access_of(const struct insn *insn, enum ptx_space space, uint32_t mask,
                                      enum access_shape shape, uint64_t first, const uint64_t *address,
                                      struct allocation *allocation)
{
    return (struct access){
        .kind = insn->is_atomic  ? ACCESS_ATOMIC
                : insn->is_store ? ACCESS_WRITE
                                 : ACCESS_READ,
        .shape = shape,
        .space = space,
        .mask = mask,
        .bytes = access_bytes(insn),
        .first = first,
        .address = shape == ACCESS_SCATTERED ? address : NULL,
        .allocation = shape == ACCESS_SCATTERED ? NULL : allocation,
    };
}

/* Lanes that each have an address of their own: atomics, asynchronous copies, textures. */
static inline struct access access_of_lanes(enum access_kind kind, enum ptx_space space, uint32_t mask,
                                            uint32_t bytes, const uint64_t *address)
{
    return (struct access){.kind = kind,
                           .shape = ACCESS_SCATTERED,
                           .space = space,
                           .mask = mask,
                           .bytes = bytes,
                           .first = address[first_lane(mask)],
                           .address = address};
}

/* The same from offsets in shared or local memory; wide[32] gets them as addresses where they are scattered. */
struct access access_of_offsets(const struct insn *insn, enum ptx_space space, uint32_t mask,
                                enum access_shape shape, const uint32_t *offset, uint64_t *wide);

/* ------------------------------------------------------------------------------------------- addresses */

/* Lanes up to the last of a mask: those beyond it are filled with what that one has. */
static inline int lanes_upto(uint32_t mask)
{
    return LANES - __builtin_clz(mask);
}

/* True of the usual masks: some first lanes, and no other. */
static inline bool is_of_first(uint32_t mask)
{
    return (mask & (mask + 1)) == 0;
}

/* Lanes outside the mask take the address of the nearest lane of the mask before them (or the first of all). */
static inline void fill_addresses(uint64_t *address, uint32_t mask)
{
    uint64_t last = address[first_lane(mask)];
    if (is_of_first(mask)) {
        for (int i = lanes_upto(mask); i < LANES; i++)
            address[i] = address[lanes_upto(mask) - 1];
        return;
    }
    for (int i = 0; i < LANES; i++)
        address[i] = last = mask >> i & 1 ? address[i] : last;
}

static inline void fill_offsets(uint32_t *offset, uint32_t mask)
{
    uint32_t last = offset[first_lane(mask)];
    for (int i = 0; i < LANES; i++)
        offset[i] = last = mask >> i & 1 ? offset[i] : last;
}

/* Fills addresses or offsets that are there already, and tells their shape. */
enum access_shape addresses_shape(uint64_t *address, uint32_t mask, uint32_t bytes);
enum access_shape offsets_shape(uint32_t *offset, uint32_t mask, uint32_t bytes);

/* The addresses of all lanes, filled, and their shape. The operand is that of the address. */
static inline enum access_shape lane_addresses(const struct warp *warp, uint32_t operand, int64_t offset,
                                               bool is_wide, uint32_t mask, uint32_t bytes, uint64_t *address)
{
    const uint64_t imm = (uint64_t)offset;
    uint64_t run = 0, same = 0;
    if (operand == SLOT_NONE) {
        for (int i = 0; i < LANES; i++)
            address[i] = imm;
        return ACCESS_UNIFORM;
    }
    if (is_wide) {
        const uint64_t *base = slot(warp, operand);
        const uint64_t first = base[0] + imm;
        for (int i = 0; i < LANES;
             i++) { /* shape and addresses in one pass: full masks are the common case */
            address[i] = base[i] + imm;
            run |= address[i] ^ (first + (uint32_t)i * bytes);
            same |= address[i] ^ first;
        }
        if (mask == FULL_MASK)
            return same == 0 ? ACCESS_UNIFORM : run == 0 ? ACCESS_CONTIGUOUS : ACCESS_SCATTERED;
    } else {
        const uint32_t *base = slot(warp, operand);
        for (int i = 0; i < LANES; i++)
            address[i] = base[i] + (uint32_t)imm;
    }
    return addresses_shape(address, mask, bytes);
}

/* The same for offsets in shared and local memory. A 64-bit address that does not fit is made one that is never good. */
static inline enum access_shape lane_offsets(const struct warp *warp, uint32_t operand, int64_t imm,
                                             bool is_wide, uint32_t mask, uint32_t bytes, uint32_t *offset)
{
    uint32_t run = 0, same = 0;
    if (operand == SLOT_NONE) {
        for (int i = 0; i < LANES; i++)
            offset[i] = (uint32_t)imm;
        return ACCESS_UNIFORM;
    }
    if (is_wide) {
        const uint64_t *base = slot(warp, operand);
        for (int i = 0; i < LANES; i++) {
            const uint64_t wide = base[i] + (uint64_t)imm;
            offset[i] = wide >> 32 ? UINT32_MAX : (uint32_t)wide;
        }
    } else {
        const uint32_t *base = slot(warp, operand);
        const uint32_t first = base[0] + (uint32_t)imm;
        for (int i = 0; i < LANES; i++) {
            offset[i] = base[i] + (uint32_t)imm;
            run |= offset[i] ^ (first + (uint32_t)i * bytes);
            same |= offset[i] ^ first;
        }
        if (mask == FULL_MASK)
            return same == 0 ? ACCESS_UNIFORM : run == 0 ? ACCESS_CONTIGUOUS : ACCESS_SCATTERED;
    }
    return offsets_shape(offset, mask, bytes);
}

/* Where the offsets of 32 lanes lie. */
struct span {
    uint32_t low, high;
    uint32_t bits; /* set in any of them */
};

static inline struct span span_of(const uint32_t *offset)
{
    struct span span = {UINT32_MAX, 0, 0};
    for (int i = 0; i < LANES; i++) {
        span.low = offset[i] < span.low ? offset[i] : span.low;
        span.high = offset[i] > span.high ? offset[i] : span.high;
        span.bits |= offset[i];
    }
    return span;
}

/* ------------------------------------------------------------------------------------------- what it costs */

/* Distinct 32-byte sectors of 32 addresses, to sectors[32], another array; returns how many. */
uint32_t distinct_sectors(const uint64_t *restrict address, uint64_t *restrict sectors);
/* The same where lanes beyond the first few have the address of the last of these. */
uint32_t distinct_sectors_upto(const uint64_t *restrict address, int lanes, uint64_t *restrict sectors);
/* The same for words of 4 bytes, lines of 128, and any other size: how many. */
uint32_t distinct_words(const uint64_t *address);
uint32_t distinct_lines(const uint64_t *address);
uint32_t distinct_units(const uint64_t *address, int log2_bytes);
/* Passes that the banks make of one access to shared memory: 1 if there is no conflict. */
uint32_t bank_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes);
/* The same where all lanes want a word each, none beyond the span: sooner. */
uint32_t word_wavefronts(const uint32_t *offset, struct span span);
/* How many of them only bank conflicts made: those beyond one for each part of the warp that has an active lane. */
uint32_t bank_conflicts(uint32_t wavefronts, uint32_t mask, uint32_t bytes);

/* Counts one access to shared memory by the lanes of the mask. */
static inline void charge_shared(struct insn_stat *stat, uint32_t mask, uint32_t bytes, uint32_t wavefronts)
{
    stat->shared_requests++;
    stat->wavefronts += wavefronts;
    stat->shared_bytes += (uint32_t)__builtin_popcount(mask) * bytes;
    if (wavefronts > 1)
        stat->conflicts += bank_conflicts(wavefronts, mask, bytes);
}

#endif
