/* mem_global.c - loads and stores of global and constant memory, and generic ones once their space is known.
 * Every lane's bytes lie in one live allocation and are aligned before any byte moves; a lane that fails is reported,
 * loads zero or stores nothing, and the others go on. Order among blocks is decided by the callers in mem_step.c. */
#include <string.h>

#include "core/budget.h"
#include "exec/mem.h"
#include "memory/cache.h"
#include "memory/late.h"
#include "memory/undo.h"

/* ------------------------------------------------------------------------------------------- allocations */

/* What a kernel may do with an allocation. */
static bool may_use(const struct allocation *a, bool is_write)
{
    return a->kind != ALLOC_ARRAY && !(is_write && a->kind == ALLOC_CONST);
}

static inline bool entry_holds(const struct tlb_entry *entry, uint64_t address, uint64_t bytes)
{
    return address >= entry->base && address <= entry->end && entry->end - address >= bytes;
}

static const struct tlb_entry *tlb_refill(struct warp *warp, const struct insn *insn, uint64_t address,
                                          uint64_t bytes, bool is_write, struct tlb_entry *fresh)
{
    struct allocation *a = memory_find(warp->block->launch->memory, address);
    if (!a || !may_use(a, is_write))
        return NULL;
    *fresh = (struct tlb_entry){a->base, a->base + a->size, (uintptr_t)a->host - a->base, a};
    if (!entry_holds(fresh, address, bytes))
        return NULL;
    if (a->kind == ALLOC_HEAP)
        return fresh; /* kernels may free it: never remembered */
    struct tlb_entry *entry = &warp->worker->tlb[insn->id];
    *entry = *fresh;
    return entry;
}

static const struct tlb_entry *tlb_find(struct warp *warp, const struct insn *insn, uint64_t address,
                                        uint64_t bytes, bool is_write, struct tlb_entry *fresh)
{
    const struct tlb_entry *entry = &warp->worker->tlb[insn->id];
    if (entry_holds(entry, address, bytes))
        return entry;
    return tlb_refill(warp, insn, address, bytes, is_write, fresh);
}

static inline uint8_t *host_of(const struct tlb_entry *entry, uint64_t address)
{
    return (uint8_t *)(uintptr_t)(address + entry->delta); // NOLINT(performance-no-int-to-ptr)
}

/* ------------------------------------------------------------------------------------------- refusals */

void refuse_lane(struct warp *warp, const struct insn *insn, int lane, enum bad_access bad,
                 enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write)
{
    launch_mark_fault(warp, bad == BAD_ALIGNMENT ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress);
    if (warp->worker->check != CHECK_OFF)
        checker_of(warp)->bad_access(warp, insn, lane, bad, space, address, bytes, is_write);
}

/* Near an allocation it is an overrun; elsewhere outside the device's range it can only be a host pointer. */
enum { NEAR_BYTES = 1 << 20, NULL_BYTES = 1 << 16 };

static enum bad_access why_no_allocation(const struct memory *memory, uint64_t address)
{
    if (address < NULL_BYTES || address >= (uint64_t)-NULL_BYTES)
        return BAD_NULL;
    const struct allocation *near = memory_nearest(memory, address);
    if (near && address >= near->base && address - near->base < near->size)
        return near->is_freed ? BAD_FREED : BAD_BOUNDS;
    if (near && address + NEAR_BYTES >= near->base && address < near->base + near->size + NEAR_BYTES)
        return BAD_BOUNDS;
    return memory_is_device_address(memory, address) ? BAD_BOUNDS : BAD_HOST_POINTER;
}

/* True if the lane's access is good; else *bad says why not. Who is near takes long to find out: only if somebody asks. */
static bool lane_is_good(const struct warp *warp, uint64_t address, uint32_t bytes, bool is_write,
                         struct allocation **found, enum bad_access *bad)
{
    const struct memory *memory = warp->block->launch->memory;
    struct allocation *a = memory_find(memory, address);
    *found = a;
    if (!a)
        *bad = warp->worker->check == CHECK_OFF ? BAD_BOUNDS : why_no_allocation(memory, address);
    else if (address & (bytes - 1))
        *bad = BAD_ALIGNMENT;
    else if (a->size - (address - a->base) < bytes || a->kind == ALLOC_ARRAY)
        *bad = BAD_BOUNDS;
    else if (!may_use(a, is_write))
        *bad = BAD_READ_ONLY;
    else
        return true;
    return false;
}

uint32_t global_admit(struct warp *warp, const struct insn *insn, uint32_t mask, const uint64_t *address,
                      uint32_t bytes, bool is_write, struct allocation **found)
{
    const enum ptx_space space = insn->space == PTX_CONST ? PTX_CONST : PTX_GLOBAL;
    uint32_t good = 0;
    EACH_ACTIVE(lane, mask)
    {
        enum bad_access bad;
        if (lane_is_good(warp, address[lane], bytes, is_write, &found[lane], &bad))
            good |= 1u << lane;
        else
            refuse_lane(warp, insn, (int)lane, bad, space, address[lane], bytes, is_write);
    }
    return good;
}

/* ------------------------------------------------------------------------------------------- accounts */

static void charge_run(struct warp *warp, const struct insn *insn, const struct tlb_entry *entry,
                       uint64_t first, uint64_t bytes)
{
    struct insn_stat *stat = stat_of(warp, insn);
    const uint64_t sector = first >> 5;
    const uint32_t count = (uint32_t)(((first + bytes - 1) >> 5) - sector + 1);
    stat->requests++;
    if (insn->space == PTX_CONST) {
        stat->sectors += bytes <= 16 ? 1 : LANES;
        return;
    }
    stat->sectors += count;
    if (insn->is_store)
        cache_store_run(&warp->port, entry->allocation, sector, count);
    else if (passes_l1(warp, insn))
        cache_load_l2_run(&warp->port, entry->allocation, sector, count);
    else
        cache_load_run(&warp->port, entry->allocation, sector, count);
}

static void charge_sectors(struct warp *warp, const struct insn *insn, struct allocation *a,
                           const uint64_t *sectors, uint32_t count)
{
    if (insn->is_store)
        cache_store(&warp->port, a, sectors, count);
    else if (passes_l1(warp, insn))
        cache_load_l2(&warp->port, a, sectors, count);
    else
        cache_load(&warp->port, a, sectors, count);
}

static void charge_scattered(struct warp *warp, const struct insn *insn, uint32_t mask, struct allocation *a,
                             const uint64_t *address)
{
    struct insn_stat *stat = stat_of(warp, insn);
    uint64_t sectors[LANES];
    stat->requests++;
    if (insn->space == PTX_CONST) {
        stat->sectors += distinct_words(address);
        return;
    }
    const uint32_t count = distinct_sectors_upto(address, lanes_upto(mask), sectors);
    stat->sectors += count;
    warp->extra += budget_sectors(warp, count);
    charge_sectors(warp, insn, a, sectors, count);
}

/* ------------------------------------------------------------------------------------------- full checking */

/* Before these bytes are read or written. */
static void come_to(const struct launch *launch, struct allocation *a, uint64_t address, uint64_t bytes,
                    bool is_write)
{
    late_bring(a, address, bytes);
    if (launch->undo && is_write)
        undo_save(launch->undo, a, address, bytes);
}

static void come_to_lanes(const struct launch *launch, const struct access *access)
{
    struct allocation *known = access->allocation;
    EACH_ACTIVE(lane, access->mask)
    {
        const uint64_t address = access_address(access, (int)lane);
        if (!known || address < known->base || address >= known->base + known->size)
            known = memory_find(launch->memory, address);
        if (known)
            come_to(launch, known, address, access->bytes, access->kind != ACCESS_READ);
    }
}

/* Lanes one after another, or all at one place. */
static void come_to_run(const struct launch *launch, const struct access *access, uint64_t first, bool is_run,
                        uint64_t lanes)
{
    come_to(launch, access->allocation, first, access->bytes * (is_run ? lanes : 1),
            access->kind != ACCESS_READ);
}

static void come_to_all(const struct launch *launch, const struct access *access)
{
    if (access->shape == ACCESS_SCATTERED || !access->allocation) {
        come_to_lanes(launch, access);
    } else if (access->shape == ACCESS_HALVES) {
        come_to_run(launch, access, access->first, access->is_run[0], LANES / 2);
        come_to_run(launch, access, access->second, access->is_run[1], LANES / 2);
    } else {
        come_to_run(launch, access, access->first, access->shape == ACCESS_CONTIGUOUS, LANES);
    }
}

void look_at_global(struct warp *warp, const struct insn *insn, const struct access *access)
{
    const struct launch *launch = warp->block->launch;
    if (launch->fills_late || (launch->undo && access->kind != ACCESS_READ))
        come_to_all(launch, access);
    checker_of(warp)->global(warp, insn, access);
}

static void check_access(struct warp *warp, const struct insn *insn, const struct access *access)
{
    look_at_global(warp, insn, access);
    if (!insn->is_store)
        return;
    if (access->shape == ACCESS_CONTIGUOUS)
        memory_mark_written(access->allocation, access->first, (uint64_t)access->bytes * LANES);
    else if (access->shape == ACCESS_UNIFORM)
        memory_mark_written(access->allocation, access->first, access->bytes);
}

static inline void check_shaped(struct warp *warp, const struct insn *insn, uint32_t mask,
                                enum access_shape shape, const struct tlb_entry *entry, uint64_t first,
                                const uint64_t *address)
{
    if (__builtin_expect(warp->worker->check != CHECK_FULL, 1) || insn->space == PTX_CONST)
        return;
    const struct access access = access_of(insn, PTX_GLOBAL, mask, shape, first, address, entry->allocation);
    check_access(warp, insn, &access);
    if (insn->is_store && shape == ACCESS_SCATTERED)
        EACH_ACTIVE(lane, mask) memory_mark_written(entry->allocation, address[lane], access.bytes);
}

/* ------------------------------------------------------------------------------------------- the access */

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

static void move_lanes(const struct warp *warp, const struct insn *insn, uint32_t mask, uint64_t delta,
                       const uint64_t *address)
{
    const struct mover *mover = insn->mover;
    for (uint32_t k = 0; k < insn->count; k++) {
        uint8_t *memory =
            (uint8_t *)(uintptr_t)(delta + k * insn->width); // NOLINT(performance-no-int-to-ptr)
        if (insn->is_store)
            mover->store_at64(element_slot(warp, insn, k), memory, address, mask);
        else
            mover->load_at64(element_slot(warp, insn, k), memory, address, mask);
    }
}

/* One address for all: one load, or the store of the last lane, which overwrites the others'. */
static void move_one(const struct warp *warp, const struct insn *insn, uint32_t mask, uint8_t *memory)
{
    const struct mover *mover = insn->mover;
    const uint32_t zero[LANES] = {0};
    const uint32_t last = 0x80000000u >> __builtin_clz(mask);
    for (uint32_t k = 0; k < insn->count; k++) {
        if (insn->is_store)
            mover->store_at32(element_slot(warp, insn, k), memory + k * insn->width, zero, last);
        else
            mover->splat(element_slot(warp, insn, k), memory + k * insn->width, mask);
    }
}

/* Lanes in several allocations, or some that must be refused: lane by lane. */
static void access_slowly(struct warp *warp, const struct insn *insn, uint32_t mask, uint64_t *address)
{
    struct allocation *found[LANES];
    uint32_t left = global_admit(warp, insn, mask, address, access_bytes(insn), insn->is_store, found);
    struct insn_stat *stat = stat_of(warp, insn);
    zero_lanes(warp, insn, mask & ~left);
    stat->requests++;
    while (left) {
        struct allocation *a = found[first_lane(left)];
        uint64_t filled[LANES], sectors[LANES];
        uint32_t same = 0;
        EACH_ACTIVE(lane, left) same |= found[lane] == a ? 1u << lane : 0;
        left &= ~same;
        const struct tlb_entry entry = {a->base, a->base + a->size, (uintptr_t)a->host - a->base, a};
        check_shaped(warp, insn, same, ACCESS_SCATTERED, &entry, address[first_lane(same)], address);
        move_lanes(warp, insn, same, entry.delta, address);
        memcpy(filled, address, sizeof filled);
        fill_addresses(filled, same);
        if (insn->space == PTX_CONST) {
            stat->sectors += distinct_words(filled);
            continue;
        }
        const uint32_t count = distinct_sectors(filled, sectors);
        stat->sectors += count;
        charge_sectors(warp, insn, a, sectors, count);
    }
}

const struct tlb_entry *tlb_find_all(struct warp *warp, const struct insn *insn, const uint64_t *address,
                                     uint32_t bytes, bool is_write, struct tlb_entry *fresh)
{
    uint64_t low = address[0], high = address[0], bits = 0;
    for (int i = 0; i < LANES; i++) {
        low = address[i] < low ? address[i] : low;
        high = address[i] > high ? address[i] : high;
        bits |= address[i];
    }
    if (bits & (bytes - 1))
        return NULL;
    const struct tlb_entry *entry = tlb_find(warp, insn, low, bytes, is_write, fresh);
    return entry && entry_holds(entry, high, bytes) ? entry : NULL;
}

void global_access(struct warp *warp, const struct insn *insn, uint32_t mask, uint64_t *address,
                   enum access_shape shape)
{
    const uint32_t bytes = access_bytes(insn);
    const uint64_t first = address[0];
    const uint64_t span = shape == ACCESS_CONTIGUOUS ? (uint64_t)bytes * LANES : bytes;
    struct tlb_entry fresh;
    const struct tlb_entry *entry;
    if (shape == ACCESS_SCATTERED) {
        entry = tlb_find_all(warp, insn, address, bytes, insn->is_store, &fresh);
        if (!entry) {
            access_slowly(warp, insn, mask, address);
            return;
        }
        check_shaped(warp, insn, mask, shape, entry, first, address);
        move_lanes(warp, insn, mask, entry->delta, address);
        charge_scattered(warp, insn, mask, entry->allocation, address);
        return;
    }
    entry = first & (bytes - 1) ? NULL : tlb_find(warp, insn, first, span, insn->is_store, &fresh);
    if (!entry) {
        access_slowly(warp, insn, mask, address);
        return;
    }
    check_shaped(warp, insn, mask, shape, entry, first, address);
    if (shape == ACCESS_CONTIGUOUS)
        move_run(warp, insn, host_of(entry, first));
    else
        move_one(warp, insn, mask, host_of(entry, first));
    charge_run(warp, insn, entry, first, span);
}
