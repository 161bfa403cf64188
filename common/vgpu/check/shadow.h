/* shadow.h - what the race checkers know of a block: its clocks, and who touched each word of shared memory last.
 * A tick passes at every synchronisation of the block. An access is stamped with the tick, and is ordered before what a
 * thread does now if a synchronisation that binds both came after it: see is_ordered().
 * Clocks are kept per warp (per lane only within a warp), which may hide a race but never invents one. */
#ifndef VGPU_SHADOW_H
#define VGPU_SHADOW_H

#include "core/checker.h"
#include "core/findings.h"

enum { MAX_WARPS = 32, TICK_SHIFT = 12, MAX_TICK = (1 << 20) - 2 };

/* A stamp: tick << 12 | thread << 2 | kind; 0: never. */
enum stamp_kind { STAMP_PLAIN, STAMP_VOLATILE, STAMP_ATOMIC };
#define STAMP_THREAD 0xffcu
#define STAMP_SPLIT  0xffffffffu /* the word is tracked byte by byte */

/* Bits of shadow->valid: the low four say which bytes were written. */
enum {
    VALID_BYTES = 0xf,
    VALID_MANY_WRITERS = 0x10, /* several threads wrote the same value */
    VALID_COMING = 0x20        /* bytes that are not valid are being copied */
};

/* The stamps of a run of words or bytes, as parallel arrays. */
struct stamps {
    uint32_t *write, *read, *read_before; /* last write; last read; last read by another thread than that */
    uint16_t *write_site, *read_site, *read_before_site; /* sites: see site_of() */
};

struct shadow {
    struct shadow *next; /* in the pool */

    /* clocks */
    uint32_t tick;
    uint32_t begun;                        /* the floor when the block began */
    uint32_t floor;                        /* what is older is ordered for everybody: the last barrier */
    uint32_t warp_floor[MAX_WARPS];        /* the same among the lanes of one warp */
    uint32_t known[MAX_WARPS][MAX_WARPS];  /* known[w][v]: up to when warp w has seen what warp v did */
    uint32_t fenced[MAX_WARPS][MAX_WARPS]; /* known[] at the warp's last fence */
    bool has_fenced[MAX_WARPS];
    uint32_t fenced_for_all[MAX_WARPS]; /* the warp's last fence for other blocks too; 0: none */
    uint32_t released[MAX_WARPS];       /* what a warp that acquires now will have seen of each warp */
    uint32_t flagged[MAX_WARPS];        /* the same for atomics and volatile accesses, which need no fence */
    uint32_t flags_known[MAX_WARPS][MAX_WARPS]; /* flagged[] at the warp's last acquire */
    uint32_t (*pairs)[LANES][LANES]; /* per warp: last synchronisation of two lanes; NULL until needed */
    uint64_t acquired;               /* the launch's turn at the block's last acquire */
    bool has_lost_ticks;             /* ticks were used up: accesses to global memory cannot be compared */

    /* shared memory */
    uint32_t nwords, capacity;
    struct stamps words;
    struct stamps bytes; /* four per word; write == NULL until a part of a word is accessed alone */
    /* Atomics by word, kept apart: they race with stores and loads, never with each other, so that a thread's own must
     * not hide the store before it. Its reads are atomics; write == NULL until the first one. */
    struct stamps atomics;
    uint8_t *valid;

    struct barrier_watch *watch; /* check/barrier.c */
    uint32_t patience;           /* check/glance.c: accesses that are still looked at */
    uint16_t *site_by_id;        /* the launch's: see site_of() */
};

static inline uint32_t stamp_of(const struct shadow *shadow, uint32_t thread, enum stamp_kind kind)
{
    return shadow->tick << TICK_SHIFT | thread << 2 | (uint32_t)kind;
}
static inline uint32_t stamp_thread(uint32_t stamp)
{
    return (stamp & STAMP_THREAD) >> 2;
}
static inline uint32_t stamp_tick(uint32_t stamp)
{
    return stamp >> TICK_SHIFT;
}

/* True if an access of the block that left that stamp is ordered before what thread does now. */
static inline bool is_ordered(const struct shadow *shadow, uint32_t stamp, uint32_t thread)
{
    uint32_t other = stamp_thread(stamp), tick = stamp_tick(stamp);
    if (other == thread || tick < shadow->floor)
        return true;
    uint32_t warp = thread / LANES, from = other / LANES;
    if (tick < shadow->known[warp][from])
        return true;
    /* a flag orders itself; but volatile accesses of lanes of one warp are no flags */
    bool is_flag = (stamp & 3) == STAMP_ATOMIC || ((stamp & 3) == STAMP_VOLATILE && warp != from);
    if (is_flag && tick < shadow->flags_known[warp][from])
        return true;
    if (warp != from)
        return false;
    if (tick < shadow->warp_floor[warp])
        return true;
    return shadow->pairs && tick < shadow->pairs[warp][thread % LANES][other % LANES];
}

/* Instructions that accessed memory in this launch, numbered so that a shadow can name them. 0: unknown. */
struct site {
    const struct insn *insn;
    const struct function *function;
};
uint16_t site_new(const struct warp *warp, const struct insn *insn);
static inline uint16_t site_of(const struct warp *warp, const struct insn *insn)
{
    uint16_t site = __atomic_load_n(&warp->block->shadow->site_by_id[insn->id], __ATOMIC_ACQUIRE);
    return site ? site : site_new(warp, insn);
}
struct site site_find(const struct launch *launch, uint16_t site);

/* Inter-block order: see clocks.c. */
bool is_ordered_between_blocks(const struct launch *launch, uint32_t from_block, uint32_t from_stamp,
                               const struct block *block);
/* True if a flag or an atomic told the block of that access, but no fence stands between: it would be ordered with one. */
bool is_only_told(const struct launch *launch, uint32_t from_block, uint32_t from_stamp,
                  const struct block *block);

static inline enum stamp_kind stamp_kind_of(const struct insn *insn, enum access_kind kind)
{
    return kind == ACCESS_ATOMIC ? STAMP_ATOMIC : insn->is_volatile ? STAMP_VOLATILE : STAMP_PLAIN;
}

/* Volatile accesses of two warps are how flags are made: no race. Within a warp they are no synchronisation, unless a
 * fence stands between. Atomics never race with each other. */
static inline bool is_exempt(uint32_t kind_a, uint32_t kind_b, bool is_same_warp)
{
    if (kind_a == STAMP_PLAIN || kind_b == STAMP_PLAIN)
        return false;
    return !is_same_warp || kind_a == STAMP_ATOMIC || kind_b == STAMP_ATOMIC;
}

/* The launch's part, kept in launch->races. */
struct race_state;
struct global_shadow;
struct global_table { /* the shadows of global memory, for global.c; [0] stays empty */
    struct global_shadow **shadows;
    uint32_t count;
};
struct global_table *global_table_of(const struct launch *launch);
struct race_state *race_state_of(const struct launch *launch);
struct race_state *race_state_make(const struct launch *launch); /* NULL: no memory */
void race_state_free(struct race_state *state, uint64_t nblocks);
uint16_t *race_state_sites(const struct race_state *state); /* by insn->id */
/* stamps.c: arrays for count stamps, all zero; false: no memory. */
bool stamps_make(struct stamps *stamps, size_t count);
void stamps_clear(struct stamps *stamps, size_t count);
void stamps_free(struct stamps *stamps);

/* barrier.c: what each thread of a block did about its barriers. */
void barrier_maps_make(const struct launch *launch);
void barrier_watch_begin(struct block *block);
void barrier_watch_done(struct block *block, uint32_t barrier, const uint32_t *lanes_by_warp);

/* race.c: the sentences about a race in shared memory; other is the site of the earlier access. */
enum race_kind {
    RACE_READ_AFTER_WRITE,
    RACE_WRITE_AFTER_READ,
    RACE_WRITE_AFTER_WRITE,
    RACE_ATOMIC_AFTER_WRITE,
    RACE_WRITE_AFTER_ATOMIC,
    RACE_READ_BEFORE_COPY
};
void report_shared_race(struct warp *warp, const struct insn *insn, int lane, enum race_kind kind,
                        uint32_t offset, uint32_t bytes, uint32_t other_thread, uint16_t other_site);
void report_uninitialised(struct warp *warp, const struct insn *insn, int lane, enum ptx_space space,
                          uint64_t address, uint32_t bytes);

/* global.c: writes what was found in global memory to the launch's diagnostics, and forgets it. */
void global_races_end(struct launch *launch);

/* ------------------------------------------------------------------------------------------- the full checker
 * Its functions, as core/checker.h describes them. */

/* shared.c, global.c, local.c: races and reads of what nobody wrote. */
void check_shared(struct warp *warp, const struct insn *insn, const struct access *access);
void check_copy_begins(struct warp *warp, const struct access *access);
void check_global(struct warp *warp, const struct insn *insn, const struct access *access);
void check_local(struct warp *warp, const struct insn *insn, const struct access *access);

/* used.c: only which words are used. */
void check_use(struct warp *warp, const struct insn *insn, const struct access *access);
void check_use_end(struct launch *launch);

/* glance.c: the first blocks of a launch, for a while. */
void glance_launch_begin(struct launch *launch);
void glance_block_begin(struct block *block);
void glance_shared(struct warp *warp, const struct insn *insn, const struct access *access);
void glance_global(struct warp *warp, const struct insn *insn, const struct access *access);
void glance_acquire(struct warp *warp, const struct insn *insn, uint32_t lanes);

/* clocks.c: who is ordered before whom. */
void check_warp_sync(struct warp *warp, uint32_t lanes);
void check_fence(struct warp *warp, const struct insn *insn, uint32_t lanes);
void check_release(struct warp *warp, const struct insn *insn, uint32_t lanes);
void check_acquire(struct warp *warp, const struct insn *insn, uint32_t lanes);
void check_barrier_done(struct block *block, uint32_t barrier, const uint32_t *lanes_by_warp);

/* shadows.c: begin and end. */
void check_launch_begin(struct launch *launch);
void check_block_begin(struct block *block);
void check_block_end(struct block *block);
void check_worker_end(struct worker *worker);
void check_launch_end(struct launch *launch);

/* barrier.c: barriers that some threads miss. */
void check_barrier_arrive(struct warp *warp, const struct insn *insn, uint32_t lanes, uint32_t barrier);
void check_branch(struct warp *warp, const struct insn *insn, uint32_t taken, uint32_t fallen);

#endif
