/* mem.h - what the loads, stores and atomics of all spaces share: addresses of lanes, moving elements, local memory.
 * Handlers work on arrays of 32 addresses in which lanes outside the mask repeat a neighbour's, so that scans over the
 * array need no mask. Diagnostics are in check/; traffic is in memory/cache.c. */
#ifndef VGPU_MEM_H
#define VGPU_MEM_H

#include "core/access.h"
#include "core/checker.h"
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

/* Zero for the lanes whose load was refused. */
void zero_lanes(const struct warp *warp, const struct insn *insn, uint32_t mask);

/* ------------------------------------------------------------------------------------------- generic addresses */

/* Which lanes of generic addresses lie in which space. */
struct generic_split {
    uint32_t shared, local, param, global;
};
struct generic_split split_generic(const struct memory *memory, const uint64_t *address, uint32_t mask);

/* ------------------------------------------------------------------------------------------- the spaces */

/* Under full checking, before any byte moves: what is filled in late is there then, and what a sample overwrites is saved. */
void look_at_global(struct warp *warp, const struct insn *insn, const struct access *access);

/* One access of one warp to one space, loads and stores alike. Addresses are filled; the mask is not empty. */
void global_access(struct warp *warp, const struct insn *insn, uint32_t mask, uint64_t *address,
                   enum access_shape shape);
void shared_access(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *offset,
                   enum access_shape shape);
void local_access(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t *offset,
                  enum access_shape shape);
void param_access(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset);

/* mem_step.c: a step per space; ordered ones are for accesses that others may be waiting for. */
step_fn step_generic, step_global, step_shared, step_local, step_param, step_kernel_param;
step_fn step_generic_ordered, step_global_ordered, step_shared_ordered;
/* mem_words.c: the quick ones, which fall back on those. */
step_fn step_global_word, step_shared_word;

/* The lanes of the mask whose global access is good; the others are reported and the launch marked as failed.
 * found[lane] is the allocation of a good lane. */
uint32_t global_admit(struct warp *warp, const struct insn *insn, uint32_t mask, const uint64_t *address,
                      uint32_t bytes, bool is_write, struct allocation **found);
/* The same for shared memory. */
uint32_t shared_admit(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                      uint32_t bytes, bool is_write);
/* Stores a value of 4 or 8 bytes in one lane's local memory; false: refused, and told. */
bool local_store_lane(struct warp *warp, const struct insn *insn, int lane, uint32_t offset,
                      const void *value, uint32_t bytes);
/* Marks the launch as failed and, unless checks are off, says why. */
void refuse_lane(struct warp *warp, const struct insn *insn, int lane, enum bad_access bad,
                 enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write);

/* An entry that holds all 32 addresses with bytes each, all aligned; NULL: not so simple. */
const struct tlb_entry *tlb_find_all(struct warp *warp, const struct insn *insn, const uint64_t *address,
                                     uint32_t bytes, bool is_write, struct tlb_entry *fresh);

/* ------------------------------------------------------------------------------------------- local memory */

/* Local addresses are offsets from the bottom of a thread's stack. A function's own variables begin at local_base:
 * the address of a .local variable is local_address() of its offset in the function's block. */
static inline uint32_t local_address(const struct warp *warp, uint32_t offset)
{
    return warp->frame->local_base + offset;
}

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
