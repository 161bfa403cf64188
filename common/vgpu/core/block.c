/* block.c - one block: its memory, and its warps taking turns.
 * A warp runs until it waits; then the next one runs. When none can run, the block is done, waits for its turn among
 * blocks, polls for another block, or is stuck; a stuck block is explained and, where hardware would, goes on.
 * Blocks are reused: block_begin() makes one as good as new. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "core/checker.h"
#include "core/findings.h"
#include "core/garbage.h"
#include "core/gpu.h"
#include "core/record.h"
#include "core/places.h"
#include "core/warp.h"

/* ------------------------------------------------------------------------------------------- life */

/* Rooms of a warp begin at multiples of 128 bytes, where vectors and cache lines do. */
static size_t whole_lines(size_t size)
{
    return round_up(size, 128);
}

/* Registers, predicates and call arguments of one warp. */
static size_t warp_bytes(const struct function *kernel)
{
    return whole_lines(kernel->register_bytes) + whole_lines((kernel->npreds + 1) * sizeof(uint32_t)) +
           whole_lines((size_t)kernel->arg_bytes * LANES);
}

struct block *block_new(struct launch *launch)
{
    const struct function *kernel = launch->kernel;
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->launch = launch;
    block->nthreads = launch->dim[0] * launch->dim[1] * launch->dim[2];
    block->nwarps = (block->nthreads + LANES - 1) / LANES;
    block->shared_bytes = kernel->shared_bytes + launch->dynamic_shared;
    block->warps = calloc(block->nwarps, sizeof *block->warps);
    block->state = calloc(1, sizeof *block->state);
    struct warp_state *states = calloc(block->nwarps, sizeof *states);
    if (block->state)
        block->state->memory = aligned_alloc(128, whole_lines(block->nwarps * warp_bytes(kernel) + 128));
    block->shared = aligned_alloc(128, whole_lines(block->shared_bytes + 256));
    block->findings = findings_new();
    if (block->warps)
        block->warps[0].state = states;
    else
        free(states);
    if (!block->warps || !block->state || !states || !block->state->memory || !block->shared ||
        !block->findings) {
        block_free(block);
        return NULL;
    }
    for (uint32_t w = 0; w < block->nwarps; w++)
        block->warps[w].state = &states[w];
    return block;
}

void block_free(struct block *block)
{
    if (!block)
        return;
    for (uint32_t w = 0; block->warps && block->warps[0].state && w < block->nwarps; w++) {
        if (block->warps[w].state)
            warp_end(&block->warps[w]);
        free(block->warps[w].local);
        free(block->warps[w].copies);
    }
    if (block->warps)
        free(block->warps[0].state);
    free(block->warps);
    record_drop(block);
    if (block->state)
        free(block->state->memory);
    free(block->state);
    free(block->shared);
    free(block->printed.text);
    free(block->failed.text);
    findings_free(block->findings);
    free(block);
}

/* What nobody has written reads the same in every run, so that even a faulty program is repeatable: registers only if
 * somebody may read them, and local memory that an earlier block has used. */
static void clear_warp(const struct block *block, uint32_t index, uint8_t *memory)
{
    const struct function *kernel = block->launch->kernel;
    const struct warp *warp = &block->warps[index];
    const size_t registers = whole_lines(kernel->register_bytes);
    if (kernel->reads_unset)
        garbage_fill_block(block, GARBAGE_REGISTERS, index, memory, 0, registers);
    memset(memory + registers, 0, warp_bytes(kernel) - registers);
    if (warp->local_bytes)
        garbage_fill_block(block, GARBAGE_LOCAL, index, warp->local, 0, (size_t)warp->local_bytes * LANES);
}

static void begin_warp(struct block *block, uint32_t index, uint8_t *memory)
{
    struct warp *warp = &block->warps[index];
    const struct function *kernel = block->launch->kernel;
    struct frame *root = &warp->state->root;
    uint32_t left = block->nthreads - index * LANES;
    clear_warp(block, index, memory);
    memset(root, 0, sizeof *root);
    root->function = kernel;
    root->regs = memory;
    root->preds = (uint32_t *)(memory + whole_lines(kernel->register_bytes));
    root->args =
        memory + whole_lines(kernel->register_bytes) + whole_lines((kernel->npreds + 1) * sizeof(uint32_t));
    root->params = block->launch->params;
    warp->block = block;
    warp->index = index;
    warp->lanes = left >= LANES ? FULL_MASK : (1u << left) - 1;
    warp_begin(warp);
}

void block_move(struct block *block, struct worker *worker)
{
    block->worker = worker;
    for (uint32_t w = 0; w < block->nwarps; w++) {
        block->warps[w].worker = worker;
        block->warps[w].port = (struct cache_port){.l1 = block->l1, .traffic = &worker->traffic};
    }
}

/* L1 and shared memory are one memory on most GPUs: a block's share of what the launch's blocks leave. */
static uint64_t l1_bytes(const struct launch *launch)
{
    const struct gpu *gpu = launch->gpu;
    const uint64_t each = (launch->nblocks_asked + gpu->sms - 1) / gpu->sms; /* of an SM, if there are few */
    const uint64_t blocks = larger_of(smaller_of(launch->blocks_per_sm, each), (uint64_t)1);
    const uint64_t shared = launch->kernel->shared_bytes + launch->dynamic_shared;
    const uint64_t used = shared && !gpu->l1_apart ? blocks * (shared + gpu->shared_reserved) : 0;
    const uint64_t least = 16 << 10; /* the carve-out never takes all */
    return (gpu->l1_bytes > used + least ? gpu->l1_bytes - used : least) / blocks;
}

void block_begin(struct block *block, uint64_t index, struct worker *worker)
{
    struct launch *launch = block->launch;
    const uint64_t at = sample_block(launch, index);
    block->index = index;
    block->ctaid[0] = (uint32_t)(at % launch->grid[0]);
    block->ctaid[1] = (uint32_t)(at / launch->grid[0] % launch->grid[1]);
    block->ctaid[2] = (uint32_t)(at / launch->grid[0] / launch->grid[1]);
    block->check = launch->check;
    block->printed.size = block->failed.size = 0;
    uint8_t *memory = block->state->memory;
    size_t bytes = warp_bytes(launch->kernel);
    garbage_fill_block(block, GARBAGE_SHARED, 0, block->shared, 0, block->shared_bytes);
    *block->state = (struct block_state){.memory = memory, .live = block->nthreads};
    for (uint32_t w = 0; w < block->nwarps; w++)
        begin_warp(block, w, memory + w * bytes);
    block->l1 = cache_block_begin(launch->memory, l1_bytes(launch));
    block_move(block, worker);
    record_block_begin(block);
    launch->checker->block_begin(block);
}

void block_end(struct block *block)
{
    block->launch->checker->block_end(block);
    cache_block_end(block->launch->memory, block->l1);
    block->l1 = NULL;
    for (uint32_t w = 0; w < block->nwarps; w++)
        warp_end(&block->warps[w]);
}

/* ------------------------------------------------------------------------------------------- a stuck block */

static const struct fragment *waiting_at_barrier(const struct warp *warp)
{
    for (uint32_t f = 0; f < warp->state->nfragments; f++)
        if (warp->state->fragments[f].state == FRAGMENT_BARRIER)
            return &warp->state->fragments[f];
    return NULL;
}

static void report_divergent_barrier(struct warp *warp, const struct fragment *fragment)
{
    if (warp->worker->check == CHECK_OFF)
        return;
    uint32_t others = warp->lanes & ~warp->exited & ~fragment->mask;
    finding_add(warp, fragment->ip - 1, __builtin_ctz(fragment->mask), VGPU_BARRIER_DIVERGENT,
                "lanes 0x%08x of warp %u wait at this barrier while lanes 0x%08x went another way",
                fragment->mask, warp->index, others);
}

/* Lanes parked behind a branch cannot come to the barrier at which the rest of their warp waits: they go on alone. */
static bool release_parked(struct block *block)
{
    for (uint32_t w = 0; w < block->nwarps; w++) {
        struct warp *warp = &block->warps[w];
        const struct fragment *fragment = waiting_at_barrier(warp);
        if (!warp->state->nfragments)
            continue;
        struct fragment copy = fragment ? *fragment : (struct fragment){0};
        if (!warp_release_parked(warp))
            continue;
        if (fragment)
            report_divergent_barrier(warp, &copy);
        return true;
    }
    return false;
}

static bool force_converge(struct block *block)
{
    for (uint32_t w = 0; w < block->nwarps; w++)
        if (warp_force_converge(&block->warps[w]))
            return true;
    return false;
}

static enum block_status deadlock(struct block *block)
{
    for (uint32_t w = 0; w < block->nwarps; w++) {
        struct warp *warp = &block->warps[w];
        const struct fragment *fragment = waiting_at_barrier(warp);
        if (!fragment)
            continue;
        const struct barrier *barrier = &block->state->barriers[fragment->waits_for];
        finding_add(warp, fragment->ip - 1, __builtin_ctz(fragment->mask), VGPU_BARRIER_DEADLOCK,
                    "barrier %u waits for %u threads; %u have come and nobody else can", fragment->waits_for,
                    barrier->count ? barrier->count : block->state->live, barrier->threads);
        launch_fault(warp, cudaErrorLaunchTimeout);
        return BLOCK_FAULT;
    }
    launch_fault(&block->warps[0], cudaErrorLaunchTimeout);
    return BLOCK_FAULT;
}

/* ------------------------------------------------------------------------------------------- running */

static bool has_state(const struct block *block, enum fragment_state state)
{
    for (uint32_t w = 0; w < block->nwarps; w++)
        for (uint32_t f = 0; f < block->warps[w].state->nfragments; f++)
            if (block->warps[w].state->fragments[f].state == state)
                return true;
    return false;
}

static bool is_runnable(const struct warp *warp)
{
    for (uint32_t f = 0; f < warp->state->nfragments; f++)
        if (warp->state->fragments[f].state == FRAGMENT_READY)
            return true;
    return false;
}

/* One round over the warps: each runs until it waits. A round that stops for the turn goes on where it stopped, so
 * that the order of everything within a block is the same whether it had to wait for its turn or not. */
enum { LONG_LAUNCH = 16 * 1024 }; /* warp instructions after which a launch is worth more host threads */

static void count_issued(struct worker *worker, uint64_t issued)
{
    void (*on_long)(struct worker *) = worker->on_long;
    worker->issued += issued;
    if (worker->issued <= LONG_LAUNCH || !on_long)
        return;
    worker->on_long = NULL;
    on_long(worker);
}

enum round { ROUND_IDLE, ROUND_RAN, ROUND_TURN, ROUND_FAULT };

static enum round run_round(struct block *block)
{
    enum round round = ROUND_IDLE;
    uint32_t *next = &block->state->next_warp;
    uint64_t issued = 0;
    for (; *next < block->nwarps; ++*next) {
        struct warp *warp = &block->warps[*next];
        if (!is_runnable(warp))
            continue;
        uint64_t before = warp->clock;
        enum warp_status status = warp_run(warp);
        issued += warp->clock - before;
        if (status == WARP_TURN || status == WARP_FAULT)
            return status == WARP_TURN ? ROUND_TURN : ROUND_FAULT;
        round = ROUND_RAN;
    }
    *next = 0;
    count_issued(block->worker, issued);
    return round;
}

static void resume_polling(struct block *block)
{
    for (uint32_t w = 0; w < block->nwarps; w++)
        warp_resume_polling(&block->warps[w]);
}

enum block_status block_run(struct block *block)
{
    block->worker->check = block->check;
    for (;;) {
        enum round round = run_round(block);
        if (round == ROUND_RAN)
            continue;
        if (round != ROUND_IDLE)
            return round == ROUND_TURN ? BLOCK_TURN : BLOCK_FAULT;
        if (!block->state->live)
            return BLOCK_DONE;
        if (has_state(block, FRAGMENT_POLLING)) {
            resume_polling(block);
            return BLOCK_YIELD;
        }
        if (!release_parked(block) && !force_converge(block))
            return deadlock(block);
    }
}
