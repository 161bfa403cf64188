/* clocks.c - who is ordered after whom: barriers, warp synchronisation, fences with flags, and between blocks.
 * A release counts only after a fence; an acquire takes in every release made so far, in the block and in the launch.
 * That is more order than the memory model gives, so that no correct program is accused. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number.h"
#include "check/shadow.h"

enum { MAX_SITES = 65535 };

/* One release of a block: everything it did before tick became visible at that turn; flags up to flag_tick as well. */
struct release {
    uint32_t tick, flag_tick;
    uint64_t turn;
};

struct releases {
    struct release *list;
    uint32_t count;
    size_t capacity;
};

struct race_state {
    pthread_mutex_t lock;
    struct site *sites; /* [nsites], grows only */
    uint32_t nsites;
    uint16_t *site_by_id; /* by insn->id */
    struct global_table globals;
    uint64_t turn;           /* releases so far */
    struct releases *blocks; /* per block; NULL until the first release */
};

struct race_state *race_state_of(const struct launch *launch)
{
    return launch->races;
}

struct global_table *global_table_of(const struct launch *launch)
{
    return &race_state_of(launch)->globals;
}

struct race_state *race_state_make(const struct launch *launch)
{
    const size_t nids = launch->nstats;
    struct race_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->site_by_id = calloc(nids, sizeof *state->site_by_id);
    state->sites = calloc(nids + 1 < MAX_SITES ? nids + 1 : MAX_SITES, sizeof *state->sites);
    state->nsites = 1;
    pthread_mutex_init(&state->lock, NULL);
    if (state->site_by_id && state->sites)
        return state;
    race_state_free(state, 0);
    return NULL;
}

void race_state_free(struct race_state *state, uint64_t nblocks)
{
    for (uint64_t i = 0; state->blocks && i < nblocks; i++)
        free(state->blocks[i].list);
    free(state->blocks);
    free(state->site_by_id);
    free(state->sites);
    pthread_mutex_destroy(&state->lock);
    free(state);
}

uint16_t *race_state_sites(const struct race_state *state)
{
    return state->site_by_id;
}

/* ------------------------------------------------------------------------------------------- sites */

uint16_t site_new(const struct warp *warp, const struct insn *insn)
{
    struct race_state *state = race_state_of(warp->block->launch);
    pthread_mutex_lock(&state->lock);
    uint16_t site = state->site_by_id[insn->id];
    if (!site && state->nsites < MAX_SITES) {
        site = (uint16_t)state->nsites;
        state->sites[state->nsites++] = (struct site){insn, warp->frame ? warp->frame->function : NULL};
        __atomic_store_n(&state->site_by_id[insn->id], site, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&state->lock);
    return site;
}

struct site site_find(const struct launch *launch, uint16_t site)
{
    const struct race_state *state = race_state_of(launch);
    if (!state || site == 0 || site >= state->nsites)
        return (struct site){NULL, NULL};
    return state->sites[site];
}

/* ------------------------------------------------------------------------------------------- ticks */

/* When ticks are used up, everything so far counts as ordered: some races may be missed, none is invented. */
static void rewind_ticks(struct shadow *shadow)
{
    stamps_clear(&shadow->words, shadow->capacity);
    stamps_free(&shadow->bytes);
    stamps_free(&shadow->atomics);
    memset(shadow->warp_floor, 0, sizeof shadow->warp_floor);
    memset(shadow->known, 0, sizeof shadow->known);
    memset(shadow->has_fenced, 0, sizeof shadow->has_fenced);
    memset(shadow->fenced_for_all, 0, sizeof shadow->fenced_for_all);
    memset(shadow->released, 0, sizeof shadow->released);
    memset(shadow->flagged, 0, sizeof shadow->flagged);
    memset(shadow->flags_known, 0, sizeof shadow->flags_known);
    free(shadow->pairs);
    shadow->pairs = NULL;
    shadow->tick = 0;
    shadow->floor = 1;
    shadow->has_lost_ticks = true;
}

static uint32_t next_tick(struct shadow *shadow)
{
    if (shadow->tick >= MAX_TICK)
        rewind_ticks(shadow);
    return ++shadow->tick;
}

/* ------------------------------------------------------------------------------------------- within a block */

static void order_lanes(struct shadow *shadow, uint32_t warp, uint32_t lanes, uint32_t tick)
{
    if (!shadow->pairs)
        shadow->pairs = calloc(MAX_WARPS, sizeof *shadow->pairs);
    if (!shadow->pairs) {
        shadow->warp_floor[warp] = tick;
        return;
    }
    for (uint32_t a = 0; a < LANES; a++)
        if (lanes >> a & 1)
            for (uint32_t b = 0; b < LANES; b++)
                shadow->pairs[warp][a][b] = lanes >> b & 1 ? tick : shadow->pairs[warp][a][b];
}

static uint32_t present(const struct warp *warp)
{
    return warp->lanes & ~warp->exited;
}

static void sync_lanes(struct shadow *shadow, const struct warp *warp, uint32_t lanes, uint32_t tick)
{
    if ((lanes & (lanes - 1)) == 0)
        return; /* one lane alone orders nothing */
    if ((lanes & present(warp)) == present(warp))
        shadow->warp_floor[warp->index] = tick;
    else
        order_lanes(shadow, warp->index, lanes, tick);
}

void check_warp_sync(struct warp *warp, uint32_t lanes)
{
    struct shadow *shadow = warp->block->shadow;
    if (shadow)
        sync_lanes(shadow, warp, lanes, next_tick(shadow));
}

/* Each warp of the set learns what any of them knows. */
static void join_warps(struct shadow *shadow, const struct block *block, const uint32_t *lanes_by_warp,
                       uint32_t tick)
{
    uint32_t all[MAX_WARPS] = {0};
    for (uint32_t w = 0; w < block->nwarps; w++)
        for (uint32_t v = 0; lanes_by_warp[w] && v < block->nwarps; v++)
            all[v] = lanes_by_warp[v] ? tick : shadow->known[w][v] > all[v] ? shadow->known[w][v] : all[v];
    for (uint32_t w = 0; w < block->nwarps; w++) {
        if (!lanes_by_warp[w])
            continue;
        memcpy(shadow->known[w], all, sizeof all);
        sync_lanes(shadow, &block->warps[w], lanes_by_warp[w], tick);
    }
}

void check_barrier_done(struct block *block, uint32_t barrier, const uint32_t *lanes_by_warp)
{
    struct shadow *shadow = block->shadow;
    if (!shadow)
        return;
    barrier_watch_done(block, barrier, lanes_by_warp);
    bool is_everybody = true;
    for (uint32_t w = 0; w < block->nwarps; w++)
        is_everybody &= (lanes_by_warp[w] & present(&block->warps[w])) == present(&block->warps[w]);
    uint32_t tick = next_tick(shadow);
    if (is_everybody)
        shadow->floor = tick;
    else
        join_warps(shadow, block, lanes_by_warp, tick);
}

/* ------------------------------------------------------------------------------------------- fences and flags */

void check_fence(struct warp *warp, const struct insn *insn, uint32_t lanes)
{
    struct shadow *shadow = warp->block->shadow;
    if (!shadow)
        return;
    uint32_t w = warp->index, tick = next_tick(shadow);
    for (uint32_t v = 0; v < MAX_WARPS; v++)
        shadow->fenced[w][v] = larger_of(shadow->known[w][v], shadow->floor);
    shadow->fenced[w][w] = tick;
    shadow->has_fenced[w] = true;
    if (!insn->is_block_wide)
        shadow->fenced_for_all[w] = tick;
    /* old warp-synchronous code puts fences where __syncwarp() stands today: lanes that run together are ordered */
    sync_lanes(shadow, warp, lanes, tick);
}

static bool releases_grow(struct releases *own)
{
    struct release *list = list_reserve(own->list, &own->capacity, own->count + (size_t)1, sizeof *list);
    if (list)
        own->list = list;
    return list != NULL;
}

/* Tells the launch that this block's doings up to tick are visible from this turn on, and its flags up to flag_tick. */
static void release_to_launch(struct warp *warp, uint32_t tick, uint32_t flag_tick)
{
    struct race_state *state = race_state_of(warp->block->launch);
    const struct releases *blocks = __atomic_load_n(&state->blocks, __ATOMIC_ACQUIRE);
    const struct releases *known =
        blocks ? &blocks[warp->block->index] : NULL; /* changed by this block alone */
    if (known && known->count && known->list[known->count - 1].tick >= tick &&
        known->list[known->count - 1].flag_tick >= flag_tick)
        return;
    pthread_mutex_lock(&state->lock);
    if (!state->blocks)
        __atomic_store_n(&state->blocks, calloc(warp->block->launch->nblocks, sizeof *state->blocks),
                         __ATOMIC_RELEASE);
    struct releases *own = state->blocks ? &state->blocks[warp->block->index] : NULL;
    if (own && own->count && own->list[own->count - 1].tick >= tick)
        own->list[own->count - 1].flag_tick = flag_tick;
    else if (own && releases_grow(own))
        own->list[own->count++] = (struct release){tick, flag_tick, ++state->turn};
    pthread_mutex_unlock(&state->lock);
}

void check_release(struct warp *warp, const struct insn *insn, uint32_t lanes)
{
    struct shadow *shadow = warp->block->shadow;
    if (!shadow)
        return;
    uint32_t w = warp->index, tick = 0;
    if (insn->is_release)
        check_fence(warp, insn, lanes);
    for (uint32_t v = 0; shadow->has_fenced[w] && v < MAX_WARPS; v++)
        shadow->released[v] = larger_of(shadow->released[v], shadow->fenced[w][v]);
    if (shadow->fenced_for_all[w])
        tick = larger_of(shadow->fenced_for_all[w],
                         shadow->floor); /* a barrier passes on what others have fenced */
    shadow->flagged[w] = shadow->tick + 1;
    release_to_launch(warp, tick, shadow->tick + 1);
}

void check_acquire(struct warp *warp, const struct insn *insn, uint32_t lanes)
{
    struct shadow *shadow = warp->block->shadow;
    (void)insn;
    (void)lanes;
    if (!shadow)
        return;
    uint32_t *known = shadow->known[warp->index];
    for (uint32_t v = 0; v < MAX_WARPS; v++)
        known[v] = larger_of(known[v], shadow->released[v]);
    memcpy(shadow->flags_known[warp->index], shadow->flagged, sizeof shadow->flagged);
    shadow->acquired = __atomic_load_n(&race_state_of(warp->block->launch)->turn, __ATOMIC_RELAXED);
}

static bool is_released(const struct launch *launch, uint32_t from_block, uint32_t from_stamp,
                        const struct block *block, bool is_flag)
{
    struct race_state *state = race_state_of(launch);
    if (block->shadow->acquired == 0 || !state->blocks || from_block >= launch->nblocks)
        return false;
    bool is_visible = false;
    uint32_t from_tick = stamp_tick(from_stamp);
    pthread_mutex_lock(&state->lock);
    const struct releases *from = &state->blocks[from_block];
    for (uint32_t i = from->count; i-- > 0 && !is_visible;) {
        uint32_t tick = is_flag ? from->list[i].flag_tick : from->list[i].tick;
        if (tick <= from_tick)
            break;
        is_visible = from->list[i].turn <= block->shadow->acquired;
    }
    pthread_mutex_unlock(&state->lock);
    return is_visible;
}

bool is_ordered_between_blocks(const struct launch *launch, uint32_t from_block, uint32_t from_stamp,
                               const struct block *block)
{
    return is_released(launch, from_block, from_stamp, block, (from_stamp & 3) != STAMP_PLAIN);
}

bool is_only_told(const struct launch *launch, uint32_t from_block, uint32_t from_stamp,
                  const struct block *block)
{
    return is_released(launch, from_block, from_stamp, block, true);
}
