/* shadows.c - the life of what the full checker knows: of a launch, and of each block's shared memory.
 * Shadows are used again by the blocks that follow on the same host thread. */
#include <stdlib.h>
#include <string.h>

#include "check/shadow.h"

void check_launch_begin(struct launch *launch)
{
    launch->races = race_state_make(launch);
    if (launch->races)
        barrier_maps_make(launch);
}

void check_launch_end(struct launch *launch)
{
    if (!launch->races)
        return;
    global_races_end(launch);
    race_state_free(launch->races, launch->nblocks);
    launch->races = NULL;
}

static void free_shadow(struct shadow *shadow)
{
    stamps_free(&shadow->words);
    stamps_free(&shadow->bytes);
    stamps_free(&shadow->atomics);
    free(shadow->valid);
    free(shadow->pairs);
    free(shadow->watch);
    free(shadow);
}

void check_worker_end(struct worker *worker)
{
    while (worker->shadows) {
        struct shadow *next = worker->shadows->next;
        free_shadow(worker->shadows);
        worker->shadows = next;
    }
}

static bool make_words(struct shadow *shadow, uint32_t nwords)
{
    stamps_free(&shadow->words);
    stamps_free(&shadow->bytes);
    stamps_free(&shadow->atomics);
    free(shadow->valid);
    shadow->capacity = 0;
    shadow->valid = calloc(nwords + 4, 1);
    if (!shadow->valid || !stamps_make(&shadow->words, nwords))
        return false;
    shadow->capacity = nwords;
    return true;
}

/* The shadow's ticks go on from block to block, so that stamps of an earlier block are simply old. */
static void reset(struct shadow *shadow, uint32_t nwords)
{
    enum { HALF = MAX_TICK / 2 };
    if (shadow->bytes.write || shadow->tick >= HALF) {
        stamps_free(&shadow->bytes);
        stamps_free(&shadow->atomics);
        stamps_clear(&shadow->words, shadow->capacity);
        shadow->tick = 0;
    }
    shadow->nwords = nwords;
    shadow->floor = shadow->begun = ++shadow->tick;
    memset(shadow->valid, 0, nwords);
    memset(shadow->warp_floor, 0, sizeof shadow->warp_floor);
    memset(shadow->known, 0, sizeof shadow->known);
    memset(shadow->has_fenced, 0, sizeof shadow->has_fenced);
    memset(shadow->fenced_for_all, 0, sizeof shadow->fenced_for_all);
    memset(shadow->released, 0, sizeof shadow->released);
    memset(shadow->flagged, 0, sizeof shadow->flagged);
    memset(shadow->flags_known, 0, sizeof shadow->flags_known);
    free(shadow->pairs);
    shadow->pairs = NULL;
    shadow->acquired = 0;
    shadow->has_lost_ticks = false;
}

void check_block_begin(struct block *block)
{
    struct race_state *state = race_state_of(block->launch);
    uint32_t nwords = (block->shared_bytes + 3) / 4;
    block->shadow = NULL;
    if (!state)
        return;
    struct shadow *shadow = block->worker->shadows;
    if (shadow)
        block->worker->shadows = shadow->next;
    else
        shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return;
    if ((!shadow->valid || shadow->capacity < nwords) && !make_words(shadow, nwords)) {
        free_shadow(shadow);
        return;
    }
    reset(shadow, nwords);
    shadow->site_by_id = race_state_sites(state);
    block->shadow = shadow;
    barrier_watch_begin(block);
}

void check_block_end(struct block *block)
{
    struct shadow *shadow = block->shadow;
    for (uint32_t i = 0; i < block->nwarps; i++) {
        free(block->warps[i].check);
        block->warps[i].check = NULL;
    }
    block->shadow = NULL;
    if (!shadow)
        return;
    shadow->next = block->worker->shadows;
    block->worker->shadows = shadow;
}
