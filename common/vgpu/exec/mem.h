/* mem.h - what the loads, stores and atomics of all spaces share: addresses of lanes, moving elements, local memory.
 * Handlers work on arrays of 32 addresses in which lanes outside the mask repeat a neighbour's, so that scans over the
 * array need no mask. Diagnostics are in check/; traffic is in memory/cache.c. */
#ifndef VGPU_MEM_H
#define VGPU_MEM_H

#include "check/check.h"
#include "core/gpu.h"
#include "core/machine.h"
#include "memory/memory.h"

/* How the families of memory instructions use struct insn:
 *   o       destinations, then the address register (SLOT_NONE: imm is the address), then the values to store
 *   dsize   bytes per lane of the registers that are loaded or stored
 *   space, width, count, is_signed, is_store, is_volatile, is_wide, is_argument: as machine.h says
 *   op      atomics: enum atomic_op
 *   pred_d  loads: enum load_cache
 *   pred_q  1 for an asynchronous copy (cpasync.c)
 *   target, join   the access must stay in [target, join) of shared memory (decode/provenance.h)
 *   extra   const struct mover */
enum load_cache { LOAD_PLAIN, LOAD_PAST_L1, LOAD_READ_ONLY };

/* What others may write L1 keeps on some GPUs only; what nobody writes it always keeps. */
static inline bool passes_l1(const struct warp *warp, const struct insn *insn)
{
    return insn->pred_d == LOAD_PAST_L1 ||
           (insn->pred_d == LOAD_PLAIN && !warp->block->launch->gpu->l1_global);
}

static inline uint32_t access_bytes(const struct insn *insn)
{
    return (uint32_t)insn->width * insn->count;
}

enum {
    ERROR_ILLEGAL_ADDRESS = 700,
    ERROR_MISALIGNED = 716
}; /* cudaErrorIllegalAddress, cudaErrorMisalignedAddress */

/* ------------------------------------------------------------------------------------------- moving elements */

/* Moves one element per lane between memory and a slot, widening or narrowing as the types say.
 * run: every lane; lane i's element at memory + i * stride.
 * at32, at64: the lanes of the mask; lane i's element at memory + offset[i].
 * splat: the lanes of the mask load one element. */
struct mover {
    uint8_t width, slot; /* bytes in memory, bytes in the slot */
    bool is_signed;
    void (*load_run)(void *slot, const uint8_t *memory, uint32_t stride);
    void (*load_at32)(void *slot, const uint8_t *memory, const uint32_t *offset, uint32_t mask);
    void (*load_at64)(void *slot, const uint8_t *memory, const uint64_t *offset, uint32_t mask);
    void (*splat)(void *slot, const uint8_t *memory, uint32_t mask);
    void (*store_run)(const void *slot, uint8_t *memory, uint32_t stride);
    void (*store_at32)(const void *slot, uint8_t *memory, const uint32_t *offset, uint32_t mask);
    void (*store_at64)(const void *slot, uint8_t *memory, const uint64_t *offset, uint32_t mask);
};
/* The mover for elements of width bytes in registers of slot bytes; NULL: there is no such access. */
const struct mover *mover_find(uint32_t width, uint32_t slot, bool is_signed);

/* The slot of element k of a load (destinations come first) or of a store (values follow the address). */
static inline void *element_slot(const struct warp *warp, const struct insn *insn, uint32_t k)
{
    return slot(warp, insn->o[insn->is_store ? k + 1 : k]);
}

/* Zero for the lanes whose load was refused. */
void zero_lanes(const struct warp *warp, const struct insn *insn, uint32_t mask);

/* ------------------------------------------------------------------------------------------- addresses */

/* For each lane of the mask, from the lowest. */
#define EACH_ACTIVE(i, mask)                                                                                 \
    for (uint32_t rest_ = (mask), i; rest_ && (i = (uint32_t)__builtin_ctz(rest_), 1); rest_ &= rest_ - 1)

static inline int first_lane(uint32_t mask)
{
    return __builtin_ctz(mask);
}

/* Lanes outside the mask take the address of the nearest lane of the mask before them (or the first of all). */
static inline void fill_addresses(uint64_t *address, uint32_t mask)
{
    uint64_t last = address[first_lane(mask)];
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

/* Which lanes of generic addresses lie in which space. */
struct generic_split {
    uint32_t shared, local, param, global;
};
struct generic_split split_generic(const struct memory *memory, const uint64_t *address, uint32_t mask);

/* ------------------------------------------------------------------------------------------- the spaces */

/* One access of one warp to one space, loads and stores alike. Addresses are filled; the mask is not empty. */
void global_access(struct warp *warp, const struct insn *insn, uint32_t mask, uint64_t *address,
                   enum access_shape shape);
void shared_access(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *offset,
                   enum access_shape shape);
void local_access(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *offset,
                  enum access_shape shape);
void param_access(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset);

/* Steps of mem_step.c, and the quick ones of mem_words.c that fall back on them. */
step_fn step_global, step_shared, step_global_word, step_shared_word;

/* The lanes of the mask whose global access is good; the others are reported and the launch marked as failed.
 * found[lane] is the allocation of a good lane. */
uint32_t global_admit(struct warp *warp, const struct insn *insn, uint32_t mask, const uint64_t *address,
                      uint32_t bytes, bool is_write, struct allocation **found);
/* The same for shared memory. */
uint32_t shared_admit(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                      uint32_t bytes, bool is_write);
/* Marks the launch as failed and, unless checks are off, says why. */
void refuse_lane(struct warp *warp, const struct insn *insn, int lane, enum bad_access bad,
                 enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write);

/* An entry that holds [address, address + bytes); NULL: no allocation does. The instruction's own entry, or fresh. */
const struct tlb_entry *tlb_find(struct warp *warp, const struct insn *insn, uint64_t address, uint64_t bytes,
                                 bool is_write, struct tlb_entry *fresh);

/* An entry that holds all 32 addresses with bytes each, all aligned; NULL: not so simple. */
const struct tlb_entry *tlb_find_all(struct warp *warp, const struct insn *insn, const uint64_t *address,
                                     uint32_t bytes, bool is_write, struct tlb_entry *fresh);

/* Distinct 32-byte sectors of 32 addresses, to sectors[32]; returns how many. */
uint32_t distinct_sectors(const uint64_t *address, uint64_t *sectors);
/* Passes that the banks make of one access to shared memory. */
uint32_t bank_wavefronts(const uint32_t *offset, uint32_t mask, uint32_t bytes);

/* ------------------------------------------------------------------------------------------- local memory */

/* Local addresses are offsets from the bottom of a thread's stack. A function's own variables begin at local_base:
 * the address of a .local variable is local_address() of its offset in the function's block. */
static inline uint32_t local_address(const struct warp *warp, uint32_t offset)
{
    return warp->frame->local_base + offset;
}

/* Makes room for bytes of local memory per thread; new bytes are zero. False: out of memory. */
bool local_reserve(struct warp *warp, uint32_t bytes);

/* The end of what the running function may touch: its own variables and, below them, its callers'. */
static inline uint32_t local_limit(const struct warp *warp)
{
    return warp->frame->local_base + warp->frame->function->local_bytes;
}

static inline uint8_t *local_word(const struct warp *warp, uint32_t word, int lane)
{
    return warp->local + ((size_t)word * LANES + (size_t)lane) * 4;
}

#endif
