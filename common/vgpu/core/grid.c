/* grid.c - blocks over host threads, with results that do not depend on them.
 *
 * Theory of operation. Blocks that do not communicate give the same results in any order, so host threads take them as
 * they come. What can be observed across blocks (atomics that return values, volatile accesses, fences of a kind) is
 * only done by the block that has the turn. Turns go round in block order: a block keeps its turn until it is done, or
 * until it only polls for something another block must do; then the next one has it. A block that needs the turn and
 * does not have it stops exactly where it is and goes on there later. So ordered operations happen in one order, that
 * of a single host thread. Output and findings of blocks are collected in block order as well.
 *
 * Blocks run in waves of as many as the GPU holds at once; between waves the cache model looks back. A block that waits
 * for one of a later wave gets it, as long as the blocks under way fit on the GPU together. */
#define _GNU_SOURCE /* mutexes that spin before they sleep */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/number.h"
#include "base/real_time.h"
#include "core/checker.h"
#include "core/children.h"
#include "core/findings.h"
#include "core/gpu.h"
#include "core/record.h"
#include "core/sampling.h"
#include "core/warp.h"
#include "memory/cache.h"
#include "memory/memory.h"

enum {
    MAX_WINDOW = 1 << 16,       /* blocks between the first unfinished one and the last started one */
    PARALLEL_AFTER = 16 * 1024, /* warp instructions after which a launch is worth more host threads */
    MAX_PRINTED = 64 << 20,     /* bytes that a launch may print; more is dropped */
    MAX_IDLE_ROUNDS = 16,       /* rounds of turns in which every block only polled */
    PATIENCE = 20000,           /* looks at a change to come before going to sleep: some 20 us */
    MAX_CLAIM = 8,              /* blocks a worker takes at once */
    MAX_PARKED = 8,             /* blocks per host thread that may wait for the turn */
    BLOCK_START = 16,           /* instructions that could be executed while a block begins */
    WARP_START = 4,             /* the same for each of its warps */
    BYTES_PRINTED = 16,         /* that take as long as an instruction */
    AFTER_FAULT =
        1 << 22, /* warp instructions that a launch goes on for when it has failed: what else is wrong? */
    PATIENT_BLOCKS = 4, /* times what one block may cost, all blocks together may, of who wants a time only */
    CROWDED_BLOCKS = 2  /* that run at once in such an order */
};

struct entry {
    struct block *block; /* NULL: not started, or done and recycled */
    bool is_running, is_finished;
    bool must_yield; /* polls, and found no turn to give up: gives it up when it comes */
    uint64_t work;   /* when it is finished */
};

struct grid {
    /* fixed once the launch runs */
    struct launch *launch;
    unsigned nthreads;
    struct worker *workers;
    pthread_t *threads;
    uint64_t extra_room; /* blocks beyond those that the GPU holds: see make_room() */
    uint64_t window, wave_blocks;

    /* changed by the first worker only, before it starts others */
    unsigned nworkers;

    /* under lock; `changed` tells of it */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct entry *entries; /* ring by block number */
    uint64_t next;         /* the first block that no worker has claimed */
    uint64_t claimed;      /* blocks before it that were not started */
    uint64_t low;          /* all blocks before it are finished */
    uint64_t limit;        /* blocks from here on need not run: nblocks, or the first that failed */
    uint64_t unfinished;   /* started and not finished */
    uint64_t running;
    uint64_t wave_end;
    uint64_t fault_end; /* the launch has failed, and ends when so much work is done; 0: it has not */
    bool has_pollers;   /* some block has polled: waves no longer hold */
    uint64_t idle_yields;
    bool has_waited; /* for somebody outside, since there was any progress */
    uint64_t drawn;  /* turns that were given by lot */

    /* atomic: read by handlers, and by those who look before they sleep */
    _Atomic uint64_t turn; /* changed under lock */
    atomic_bool has_progress;
    atomic_uint changes; /* counts what `changed` announces */
};

static struct entry *entry_of(struct grid *grid, uint64_t block)
{
    return &grid->entries[block & (grid->window - 1)];
}

/* ------------------------------------------------------------------------------------------- waiting */

static void announce(struct grid *grid)
{
    atomic_fetch_add_explicit(&grid->changes, 1, memory_order_relaxed);
    pthread_cond_broadcast(&grid->changed);
}

/* At the end of a wave the others need microseconds, and waking a thread takes more: so look for a while first. */
static void wait_for_change(struct grid *grid)
{
    const unsigned before = atomic_load_explicit(&grid->changes, memory_order_relaxed);
    pthread_mutex_unlock(&grid->lock);
    for (int look = 0; look < PATIENCE; look++)
        if (atomic_load_explicit(&grid->changes, memory_order_relaxed) != before)
            break;
    pthread_mutex_lock(&grid->lock);
    if (atomic_load_explicit(&grid->changes, memory_order_relaxed) == before)
        pthread_cond_wait(&grid->changed, &grid->lock);
}

/* Nothing runs, and what could run is another worker's claim: it only needs the lock. */
static void let_others_pick(struct grid *grid)
{
    pthread_mutex_unlock(&grid->lock);
    sched_yield();
    pthread_mutex_lock(&grid->lock);
}

/* ------------------------------------------------------------------------------------------- for handlers */

static bool is_mixed(const struct launch *launch)
{
    return launch->order == VGPU_MIXED && launch->nblocks == launch->nblocks_asked;
}

/* Where blocks are mixed, a turn is good for one thing. */
bool block_has_turn(struct block *block)
{
    struct block_state *state = block->state;
    if (!state->has_turn)
        state->has_turn = atomic_load(&block->launch->state->turn) == block->index;
    if (!state->has_turn || !is_mixed(block->launch))
        return state->has_turn;
    const bool is_used = state->has_used_turn;
    state->has_used_turn = true;
    return !is_used;
}

void launch_progress(struct launch *launch)
{
    if (!atomic_load_explicit(&launch->state->has_progress, memory_order_relaxed))
        atomic_store(&launch->state->has_progress, true);
}

/* ------------------------------------------------------------------------------------------- turns */

/* The next unfinished block after number that is, or may be, under way; NO_TURN if there is none. */
#define NO_TURN UINT64_MAX

static bool may_claim(const struct grid *grid)
{
    return grid->next < grid->limit && grid->next - grid->low < grid->window &&
           (grid->next < grid->wave_end || grid->has_pollers);
}

static bool has_room(const struct grid *grid)
{
    return grid->unfinished < grid->launch->resident_blocks + grid->extra_room;
}

static bool may_start(const struct grid *grid)
{
    return (grid->claimed || may_claim(grid)) && has_room(grid);
}

static uint64_t unfinished_after(struct grid *grid, uint64_t number)
{
    const bool can_begin = !grid->has_pollers || has_room(grid);
    for (uint64_t b = number; b < grid->next; b++) {
        const struct entry *entry = entry_of(grid, b);
        if (!entry->is_finished && b < grid->limit && (entry->block || can_begin))
            return b;
    }
    bool is_possible =
        grid->next < grid->limit && (!grid->has_pollers || (may_claim(grid) && has_room(grid)));
    return is_possible ? grid->next : NO_TURN;
}

/* What the first block does comes last, when all others only wait: so long do many of them know nothing of what it knows. */
static bool is_first_held(const struct grid *grid)
{
    return is_mixed(grid->launch) && grid->low == 0 && grid->next > 1 &&
           grid->idle_yields <= 2 * grid->unfinished;
}

/* Whose turn may be next: in block order; or anybody's, once all that have room have begun. */
static uint64_t candidate(struct grid *grid)
{
    const uint64_t after = atomic_load(&grid->turn) + 1;
    if (!is_mixed(grid->launch))
        return larger_of(after, grid->low);
    if (may_start(grid) || grid->next == grid->low)
        return grid->next - grid->claimed;
    const uint64_t first = is_first_held(grid) ? 1 : grid->low;
    return grid->low == 0 && first == 0 ? 0 : first + hash_word(++grid->drawn) % (grid->next - first);
}

static void pass_turn(struct grid *grid)
{
    uint64_t next = unfinished_after(grid, candidate(grid));
    if (next == NO_TURN && is_first_held(grid))
        next = unfinished_after(grid, 1);
    if (next == NO_TURN)
        next = unfinished_after(grid, grid->low);
    atomic_store(&grid->turn, next);
    announce(grid);
}

/* ------------------------------------------------------------------------------------------- ends of blocks */

static void append_output(struct output *to, const struct output *from)
{
    char *end = from->size ? output_reserve(to, from->size) : NULL;
    if (!end)
        return;
    memcpy(end, from->text, from->size);
    to->size += from->size;
}

static void commit(struct grid *grid, struct block *block)
{
    struct launch *launch = grid->launch;
    if (launch->printed.size < MAX_PRINTED)
        append_output(&launch->printed, &block->printed);
    append_output(&launch->failed, &block->failed);
    findings_merge(launch->findings, block->findings);
    int fault = block->state->fault ? block->state->fault : block->state->marked_fault;
    if (!launch->fault)
        launch->fault = fault;
}

/* A block goes back to the worker that ran it last, in whose caches it lies. */
static void recycle(struct block *block)
{
    struct worker *worker = block->worker;
    if (worker->nspare < sizeof worker->spare / sizeof *worker->spare)
        worker->spare[worker->nspare++] = block;
    else
        block_free(block);
}

static bool has_results(const struct block *block)
{
    return block->printed.size || findings_count(block->findings) || block->state->fault ||
           block->state->marked_fault;
}

/* Nobody need run what comes after a failed block. */
static void set_limit(struct grid *grid, uint64_t limit)
{
    grid->limit = limit;
    grid->claimed = 0;
    for (unsigned w = 0; w < grid->nthreads; w++) {
        struct worker *worker = &grid->workers[w];
        if (worker->own_end > limit)
            worker->own_end = limit;
        if (worker->own < worker->own_end)
            grid->claimed += worker->own_end - worker->own;
    }
}

/* A grid of so many blocks is a mistake; with fewer, the work is only more than we do. */
enum { ABSURD_BLOCKS = 1 << 24 };

static void report_work(struct launch *launch, uint64_t block)
{
    struct finding finding = {.kind = launch->nblocks > ABSURD_BLOCKS ? VGPU_ENDLESS_LAUNCH : VGPU_LIMIT_WORK,
                              .loc = launch->kernel->code->loc,
                              .block = block};
    snprintf(finding.what, sizeof finding.what,
             "after %llu of %llu blocks, more instructions were executed than all launches may take together "
             "(VGPU_WORK): %llu were left for this one",
             (unsigned long long)block + 1, (unsigned long long)launch->nblocks,
             (unsigned long long)launch->work);
    findings_add(launch->findings, &finding);
}

/* Work is added up in block order, so that every number of host threads stops at the same block. */
static void add_work(struct grid *grid, uint64_t block, uint64_t work)
{
    struct launch *launch = grid->launch;
    launch->work_done += work;
    sample_add(launch, block, work);
    if (launch->patience && launch->work_done > PATIENT_BLOCKS * launch->patience && block < grid->limit) {
        launch->is_partial = launch->is_cut = true;
        launch->fault = launch->fault ? launch->fault : cudaErrorLaunchTimeout;
        set_limit(grid, block);
    }
    if (launch->work_done <= launch->work || block >= grid->limit)
        return;
    launch->is_too_long = true;
    launch->fault = launch->fault ? launch->fault : cudaErrorLaunchTimeout;
    report_work(launch, block);
    set_limit(grid, block);
}

/* A GPU ends such a launch at once. We look a little further, in block order as well. */
static void end_after_fault(struct grid *grid, uint64_t block)
{
    struct launch *launch = grid->launch;
    if (launch->fault && !grid->fault_end)
        grid->fault_end = launch->work_done + AFTER_FAULT;
    if (!launch->fault || launch->work_done < grid->fault_end || block >= grid->limit)
        return;
    launch->is_cut = block + 1 < grid->limit;
    set_limit(grid, block);
}

/* Takes results of finished blocks in order. */
static void advance(struct grid *grid)
{
    while (grid->low < grid->next && entry_of(grid, grid->low)->is_finished) {
        struct entry *entry = entry_of(grid, grid->low);
        if (entry->block && grid->low <= grid->limit) {
            commit(grid, entry->block);
            recycle(entry->block);
        } else if (entry->block) {
            block_free(entry->block);
        }
        add_work(grid, grid->low, entry->work);
        end_after_fault(grid, grid->low);
        memset(entry, 0, sizeof *entry);
        grid->low++;
    }
    __atomic_store_n(&grid->launch->blocks_done, grid->low, __ATOMIC_RELAXED);
}

/* In instructions; to begin takes as long as some, and so does printing. */
static uint64_t work_of(const struct block *block)
{
    uint64_t work = BLOCK_START + (uint64_t)WARP_START * block->nwarps + block->printed.size / BYTES_PRINTED;
    for (uint32_t w = 0; w < block->nwarps; w++)
        work += block->warps[w].clock;
    return work;
}

static void finish_block(struct grid *grid, uint64_t number)
{
    struct entry *entry = entry_of(grid, number);
    entry->is_finished = true;
    entry->work = entry->block ? work_of(entry->block) : 0;
    if (entry->block)
        record_block_end(entry->block);
    grid->unfinished--;
    grid->idle_yields = 0;
    if (entry->block && !has_results(entry->block)) {
        recycle(entry->block);
        entry->block = NULL;
    }
    bool had_turn = atomic_load(&grid->turn) == number;
    advance(grid);
    const bool is_cut = grid->launch->is_too_long || grid->launch->is_cut;
    if (had_turn || (is_cut && atomic_load(&grid->turn) >= grid->limit))
        pass_turn(grid);
    announce(grid);
}

static void fail_block(struct grid *grid, uint64_t number)
{
    if (number < grid->limit)
        set_limit(grid, number);
    finish_block(grid, number);
    if (atomic_load(&grid->turn) >= grid->limit)
        pass_turn(grid);
}

/* ------------------------------------------------------------------------------------------- polling */

/* left: blocks that have not started. */
static enum vgpu_finding deadlock_kind(const struct launch *launch, uint64_t left)
{
    if (!left)
        return VGPU_DEADLOCK;
    return launch->order == VGPU_CROWDED ? VGPU_DEADLOCK_ORDER : VGPU_DEADLOCK_BLOCKS;
}

static void report_deadlock(struct grid *grid, struct block *block)
{
    struct warp *warp = &block->warps[0];
    for (uint32_t w = 0; w < block->nwarps; w++)
        if (block->warps[w].poll_insn)
            warp = &block->warps[w];
    uint64_t left = grid->launch->nblocks - grid->next;
    finding_add(
        warp, warp->poll_insn ? warp->poll_insn : warp->frame->function->code, 0,
        deadlock_kind(grid->launch, left),
        grid->launch->order == VGPU_CROWDED
            ? "%llu %s; %llu have not started: in this run the last blocks begin first, and %llu run at once"
            : "%llu %s; %llu have not started (the GPU holds %llu of this kernel)",
        (unsigned long long)grid->unfinished,
        grid->unfinished == 1 ? "block under way only polls" : "blocks under way only poll",
        (unsigned long long)left, (unsigned long long)grid->launch->resident_blocks);
    block->state->fault = cudaErrorLaunchTimeout;
}

/* Nobody gets on; but who looks at a clock while waiting may have set himself a limit. */
static bool let_time_pass(struct grid *grid)
{
    bool has_passed = false;
    for (uint64_t number = grid->low; number < grid->next; number++) {
        const struct entry *entry = entry_of(grid, number);
        const bool is_parked = entry->block && !entry->is_finished && !entry->is_running;
        for (uint32_t w = 0; is_parked && w < entry->block->nwarps; w++)
            has_passed |= warp_let_time_pass(&entry->block->warps[w]);
    }
    return has_passed;
}

static bool is_helped(struct grid *grid)
{
    const struct launch *launch = grid->launch;
    const bool is_first = !grid->has_waited;
    grid->has_waited = true;
    return launch->wait_outside && launch->wait_outside(launch->outside, is_first);
}

/* A GPU begins with the first blocks, so those that wait for lower numbers, as CUB's scan does, find them under way. Backwards they
 * would fill the GPU and wait for ever: the lower ones get room beside them. */
static bool make_room(struct grid *grid)
{
    if (grid->launch->order != VGPU_BACKWARDS || grid->next >= grid->launch->nblocks)
        return false;
    grid->extra_room += grid->launch->resident_blocks;
    return may_start(grid);
}

static void give_turn_up(struct grid *grid, struct block *block)
{
    block->state->has_turn = block->state->has_used_turn = false;
    pass_turn(grid);
}

/* The block with the turn only polls: the others may have what it waits for. */
static void yield_block(struct grid *grid, uint64_t number)
{
    struct entry *entry = entry_of(grid, number);
    grid->has_pollers = true;
    if (atomic_exchange(&grid->has_progress, false)) {
        grid->idle_yields = 0;
        grid->has_waited = false;
    }
    bool is_stuck = ++grid->idle_yields > MAX_IDLE_ROUNDS * (grid->unfinished + 1) && !may_start(grid);
    if (is_stuck && (make_room(grid) || is_helped(grid) || let_time_pass(grid))) {
        grid->idle_yields = 0;
    } else if (is_stuck) {
        report_deadlock(grid, entry->block);
        block_end(entry->block);
        fail_block(grid, number);
        return;
    }
    give_turn_up(grid, entry->block);
}

/* ------------------------------------------------------------------------------------------- workers */

/* Neighbours often share cache lines, so a worker takes several; fewer towards the end, so that all end together. */
static void claim(struct grid *grid, struct worker *worker)
{
    const uint64_t end = grid->has_pollers ? grid->limit : smaller_of(grid->limit, grid->wave_end);
    const uint64_t fair = (end - grid->next) / (grid->nthreads * 4);
    const uint64_t count = smaller_of(fair ? fair : 1, (uint64_t)MAX_CLAIM);
    worker->own = grid->next;
    worker->own_end = smaller_of(grid->next + count, grid->low + grid->window);
    grid->claimed += worker->own_end - worker->own;
    grid->next = worker->own_end;
}

/* The block is the worker's from here on, and begun by it without the lock. */
static struct block *start_block(struct grid *grid, struct worker *worker)
{
    uint64_t number = worker->own++;
    grid->claimed--;
    grid->unfinished++;
    grid->idle_yields = 0;
    struct entry *entry = entry_of(grid, number);
    struct block *block = worker->nspare ? worker->spare[--worker->nspare] : block_new(grid->launch);
    if (!block) {
        grid->launch->fault = cudaErrorMemoryAllocation;
        fail_block(grid, number);
        return NULL;
    }
    block->index = number;
    block->worker = NULL;
    entry->block = block;
    entry->is_running = true;
    grid->running++;
    return block;
}

static void roll_wave(struct grid *grid)
{
    if (grid->has_pollers || grid->running || grid->low != grid->wave_end || grid->low >= grid->limit)
        return;
    cache_wave(grid->launch->memory, sample_axis(grid->launch, grid->low));
    grid->wave_end += grid->wave_blocks;
    announce(grid);
}

static bool is_over(const struct grid *grid)
{
    return grid->low >= grid->limit || (grid->limit < grid->launch->nblocks && !grid->running &&
                                        atomic_load(&((struct grid *)grid)->turn) == NO_TURN);
}

/* A block to run, or NULL: nothing for now. */
static struct block *pick(struct grid *grid, struct worker *worker)
{
    roll_wave(grid);
    uint64_t turn = atomic_load(&grid->turn);
    if (turn < grid->next && turn >= grid->low && turn < grid->limit) {
        struct entry *entry = entry_of(grid, turn);
        if (entry->block && !entry->is_running && !entry->is_finished) {
            if (entry->must_yield) {
                entry->must_yield = false;
                block_move(entry->block, worker);
                yield_block(grid, turn);
                return pick(grid, worker);
            }
            entry->is_running = true;
            grid->running++;
            block_move(entry->block, worker);
            return entry->block;
        }
    }
    const bool has_own = worker->own < worker->own_end;
    const uint64_t parked = grid->unfinished - grid->running;
    const bool is_wanted =
        (has_own ? worker->own : grid->next) == turn || parked < (uint64_t)MAX_PARKED * grid->nthreads;
    if (!is_wanted || !has_room(grid) || (!has_own && !may_claim(grid)))
        return NULL;
    if (!has_own)
        claim(grid, worker);
    return start_block(grid, worker);
}

/* The block has stopped running: done, failed, in need of the turn, or polling. */
static void put_back(struct grid *grid, struct block *block, enum block_status status)
{
    uint64_t number = block->index;
    struct entry *entry = entry_of(grid, number);
    entry->is_running = false;
    grid->running--;
    if (number > grid->limit && status != BLOCK_DONE) {
        block_end(block);
        finish_block(grid, number);
    } else if (status == BLOCK_DONE) {
        finish_block(grid, number);
    } else if (status == BLOCK_FAULT) {
        fail_block(grid, number);
    } else if (status == BLOCK_YIELD) {
        if (atomic_load(&grid->turn) == number)
            yield_block(grid, number);
        else
            entry->must_yield = true;
    } else if (block->state->has_used_turn) {
        give_turn_up(grid, block);
    }
    announce(grid);
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct grid *grid = worker->launch->state;
    pthread_mutex_lock(&grid->lock);
    while (!is_over(grid)) {
        struct block *block = pick(grid, worker);
        if (!block) {
            if (is_over(grid))
                break;
            if (grid->running || grid->nthreads == 1)
                wait_for_change(grid);
            else
                let_others_pick(grid);
            continue;
        }
        pthread_mutex_unlock(&grid->lock);
        if (!block->worker)
            block_begin(block, block->index, worker);
        enum block_status status = block_run(block);
        if (status == BLOCK_DONE || status == BLOCK_FAULT)
            block_end(block);
        pthread_mutex_lock(&grid->lock);
        put_back(grid, block, status);
    }
    announce(grid);
    pthread_mutex_unlock(&grid->lock);
    return NULL;
}

static void go_parallel_of(struct worker *worker);

static bool begin_worker(struct grid *grid, unsigned index)
{
    struct worker *worker = &grid->workers[index];
    const uint32_t ninsns = grid->launch->nstats;
    worker->launch = grid->launch;
    worker->index = index;
    worker->on_long = go_parallel_of;
    worker->check = grid->launch->check;
    worker->checker = grid->launch->checker;
    worker->stats = aligned_alloc(64, (ninsns * sizeof *worker->stats + 63) / 64 * 64);
    if (worker->stats)
        memset(worker->stats, 0, ninsns * sizeof *worker->stats);
    worker->shapes = calloc(ninsns, 1);
    worker->tlb = calloc(ninsns, sizeof *worker->tlb);
    for (uint32_t i = 0; worker->tlb && i < ninsns; i++)
        worker->tlb[i].base = 1; /* past its end: empty */
    return worker->stats && worker->tlb && worker->shapes;
}

/* Called by the first worker only, so that nobody else starts threads. */
static void go_parallel(struct grid *grid)
{
    if (grid->launch->nblocks < 2)
        return;
    for (unsigned i = 1; i < grid->nthreads; i++) {
        if (!begin_worker(grid, i) || pthread_create(&grid->threads[i], NULL, work, &grid->workers[i]))
            return;
        grid->nworkers++;
    }
}

static void go_parallel_of(struct worker *worker)
{
    if (worker->index == 0 && worker->launch->state->nthreads > 1)
        go_parallel(worker->launch->state);
}

/* ------------------------------------------------------------------------------------------- the launch */

static bool make_tids(struct launch *launch)
{
    uint32_t threads = launch->dim[0] * launch->dim[1] * launch->dim[2],
             padded = (threads + LANES - 1) / LANES * LANES;
    for (int axis = 0; axis < 3; axis++)
        launch->tid[axis] = calloc(padded, sizeof(uint32_t));
    if (!launch->tid[0] || !launch->tid[1] || !launch->tid[2])
        return false;
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t at[3];
        thread_coordinates(launch, t, at);
        for (int axis = 0; axis < 3; axis++)
            launch->tid[axis][t] = at[axis];
    }
    return true;
}

/* Held for a moment at every block's end: to spin for it is cheaper than to sleep. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

static struct grid *grid_new(struct launch *launch, unsigned threads)
{
    struct grid *grid = calloc(1, sizeof *grid);
    if (!grid)
        return NULL;
    launch->state = grid;
    grid->launch = launch;
    grid->nthreads = threads;
    grid->limit = launch->nblocks;
    grid->has_pollers = is_mixed(launch); /* they must begin before those of the first wave have ended */
    grid->wave_blocks = launch->nblocks < launch->nblocks_asked ? SAMPLE_RUN : launch->resident_blocks;
    grid->wave_end = grid->wave_blocks;
    for (grid->window = 16; grid->window < launch->nblocks && grid->window < MAX_WINDOW;)
        grid->window *= 2;
    grid->entries = calloc(grid->window, sizeof *grid->entries);
    grid->workers = aligned_alloc(64, threads * sizeof *grid->workers);
    grid->threads = calloc(threads, sizeof *grid->threads);
    init_lock(&grid->lock);
    pthread_cond_init(&grid->changed, NULL);
    if (grid->workers)
        memset(grid->workers, 0, threads * sizeof *grid->workers);
    return grid;
}

static void sum_traffic(struct traffic *into, const struct traffic *from)
{
    into->l2_read_sectors += from->l2_read_sectors;
    into->l2_write_sectors += from->l2_write_sectors;
    into->dram_read_sectors += from->dram_read_sectors;
    into->dram_write_sectors += from->dram_write_sectors;
}

/* Statistics are sums of counts, so the order of workers does not matter. */
static void sum_worker(struct launch *launch, struct worker *worker)
{
    size_t words = launch->nstats * sizeof *launch->stats / sizeof(uint64_t);
    uint64_t *into = (uint64_t *)launch->stats;
    const uint64_t *from = (const uint64_t *)worker->stats;
    for (size_t i = 0; into && from && i < words; i++)
        into[i] += from[i];
    sum_traffic(&launch->traffic, &worker->traffic);
    if (launch->skipped < worker->skipped)
        launch->skipped = worker->skipped;
    launch->checker->worker_end(worker);
    free(worker->stats);
    free(worker->tlb);
    free(worker->shapes);
}

static void grid_free(struct grid *grid)
{
    for (uint64_t b = grid->low; b < grid->next; b++)
        block_free(entry_of(grid, b)->block);
    for (unsigned w = 0; grid->workers && w < grid->nthreads; w++)
        for (unsigned i = 0; i < grid->workers[w].nspare; i++)
            block_free(grid->workers[w].spare[i]);
    pthread_mutex_destroy(&grid->lock);
    pthread_cond_destroy(&grid->changed);
    free(grid->entries);
    free(grid->workers);
    free(grid->threads);
    free(grid);
}

/* Blocks that waited for others when the launch failed: nobody will run them again. */
static void end_parked(struct grid *grid)
{
    for (uint64_t b = grid->low; b < grid->next; b++) {
        const struct entry *entry = entry_of(grid, b);
        if (entry->block && entry->block->worker && !entry->is_finished)
            block_end(entry->block);
    }
}

/* Cooperative launches and single blocks are executed as a whole, sampled or not. */
static bool is_part(const struct launch *launch)
{
    return launch->is_sampled && !launch->is_cooperative && launch->nblocks_asked > 1;
}

static void run(struct launch *launch, struct grid *grid)
{
    cache_launch_begin(launch->memory, gpu_l2_kept(launch->gpu), is_part(launch));
    launch->checker->launch_begin(launch);
    grid->nworkers = 1;
    work(&grid->workers[0]);
    for (unsigned i = 1; i < grid->nworkers; i++)
        pthread_join(grid->threads[i], NULL);
    end_parked(grid);
    for (unsigned i = 0; i < grid->nworkers; i++)
        sum_worker(launch, &grid->workers[i]);
    launch->checker->launch_end(launch);
}

static bool run_blocks(struct launch *launch, uint64_t nblocks, unsigned threads)
{
    launch->nblocks = nblocks;
    sample_choose(launch);
    launch->first_block = sample_block(launch, 0);
    children_forget(launch);
    record_launch_begin(launch);
    struct grid *grid = grid_new(launch, threads ? threads : 1);
    bool is_ready = grid && grid->entries && grid->workers && grid->threads && begin_worker(grid, 0);
    if (is_ready)
        run(launch, grid);
    if (grid)
        grid_free(grid);
    launch->state = NULL;
    return is_ready;
}

/* An order that is not the usual one: one host thread keeps it, and blocks begin as their turns come. */
static unsigned threads_for(struct launch *launch, unsigned threads)
{
    if (launch->order == VGPU_CROWDED && !launch->is_cooperative && !is_part(launch))
        launch->resident_blocks = smaller_of(launch->resident_blocks, (uint64_t)CROWDED_BLOCKS);
    return launch->order == VGPU_MIXED || launch->order == VGPU_CROWDED ? 1 : threads;
}

int launch_run(struct launch *launch, unsigned threads)
{
    const uint64_t start = real_ns();
    threads = threads_for(launch, threads);
    launch->nblocks_asked = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    launch->findings = findings_new();
    launch->nstats = launch->kernel->module->ninsns + 1;
    launch->stats = calloc(launch->nstats, sizeof *launch->stats);
    bool is_ready = launch->findings && launch->stats && make_tids(launch);
    if (is_ready && is_part(launch))
        is_ready = sample_run(launch, run_blocks, threads);
    else if (is_ready)
        is_ready = run_blocks(launch, launch->nblocks_asked, threads);
    if (launch->is_partial && launch->fault == cudaErrorLaunchTimeout)
        launch->fault = 0;
    if (!is_ready)
        launch->fault = cudaErrorMemoryAllocation;
    launch->host_ns = real_ns() - start;
    return launch->fault;
}

void launch_release(struct launch *launch)
{
    for (int axis = 0; axis < 3; axis++)
        free(launch->tid[axis]);
    record_launch_end(launch);
    children_forget(launch);
    free(launch->stats);
    free(launch->places);
    free(launch->printed.text);
    free(launch->failed.text);
    findings_free(launch->findings);
    launch->stats = NULL;
    launch->places = NULL;
    launch->printed = launch->failed = (struct output){0};
    launch->findings = NULL;
}
