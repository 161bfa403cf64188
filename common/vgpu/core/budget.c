/* budget.c - a loop goes round for long: does it never end, or is it only long?
 * From time to time, first after a million instructions, a warp's loop is looked at. It never ends if none of its instructions
 * leads out, if its counter misses its end or has hundreds of millions of rounds to go, or if all that its exits depend on
 * (core/loop_exit.h) has come back to what it was: that is the program's mistake. Of what is left, loops that count towards an
 * end may go on, for as long as a user has patience. All others are stopped when the budget is used up, a limit of the virtual
 * GPU and told as such. Instructions are weighed by what they cost the host; no clock has a part in it. */
#include "core/budget.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/number.h"
#include "core/findings.h"
#include "core/record.h"

enum {
    IS_LONG =
        1 << 16, /* for a record: in instructions, which a GPU has to issue, whatever they cost the host */
    FIRST_LOOK = 1 << 20,
    LAST_LOOK = 1 << 25, /* after that they are shorter */
    LOOK_PART = 2,       /* of the time until a look: as long it takes */
    SMALL_PART = 16,
    REPEATS = 64,  /* of all registers that tell */
    PATIENCE = 64, /* budgets of a block whose loops count */
    ABSURD = 100,  /* budgets that nobody means, */
    ABSURD_ROUNDS =
        1 << 28, /* nor so many rounds: the counter has missed its end, or its step was computed as 0 */
};

/* What one costs the host beyond a 32-bit add, in such adds: roughly, from loops of sixteen of a kind in one warp on one x86_64.
 * Global accesses vary by ten times with their addresses, and have one value between; textures, not measured, that of atomics.
 * Classes that are not listed count as an add. */
static const struct {
    uint16_t bounds, full;
} costs[CLASS_COUNT] = {
    [CLASS_INT64] = {1, 1},       [CLASS_FP32] = {1, 1},   [CLASS_FP64] = {5, 5},
    [CLASS_IDIV] = {17, 17},      [CLASS_SFU] = {28, 28},  [CLASS_CONTROL] = {2, 2},
    [CLASS_SYNC] = {5, 11},       [CLASS_WARP] = {20, 24}, [CLASS_GLOBAL] = {25, 100},
    [CLASS_SHARED] = {8, 30},     [CLASS_LOCAL] = {6, 50}, [CLASS_ATOMIC] = {120, 280},
    [CLASS_TEXTURE] = {120, 280},
};
enum { NOTED_STORE = 150 }; /* full checks note more of a store of global memory than of a load */

void budget_weigh(struct insn *code, uint32_t ncode)
{
    uint32_t bounds = 0, full = 0;
    for (uint32_t i = 0; i < ncode; i++) {
        struct insn *insn = &code[i];
        bounds += costs[insn->class].bounds;
        full += costs[insn->class].full;
        if (insn->kind != INSN_STEP)
            continue;
        full += insn->is_store && insn->class == CLASS_GLOBAL ? NOTED_STORE : 0;
        insn->cost[0] = (uint16_t)smaller_of(bounds, UINT16_MAX);
        insn->cost[1] = (uint16_t)smaller_of(full, UINT16_MAX);
        bounds = full = 0;
    }
}

void budget_begin(struct warp *warp)
{
    const uint64_t budget = warp->block->launch->budget;
    warp->extra = 0;
    warp->column = warp->block->launch->check == CHECK_FULL;
    warp->watch_at = warp->check_at = smaller_of(budget, (uint64_t)FIRST_LOOK);
    warp->look = smaller_of(warp->watch_at, (uint64_t)IS_LONG);
    memset(&warp->repeat, 0, sizeof warp->repeat);
    memset(&warp->progress, 0, sizeof warp->progress);
}

/* By the warps of a block that are not at their end: the others have shown that they come to it. */
struct spent {
    uint64_t issued, cost;
    uint32_t nwarps;
};

static uint64_t cost_of(const struct warp *warp)
{
    return warp->clock + warp->extra;
}

static struct spent spent_by(const struct block *block)
{
    struct spent spent = {0, 0, 0};
    for (uint32_t i = 0; i < block->nwarps; i++) {
        const struct warp *warp = &block->warps[i];
        if (warp->exited == warp->lanes)
            continue;
        spent.issued += warp->clock;
        spent.cost += cost_of(warp);
        spent.nwarps++;
    }
    return spent;
}

/* Told as what most of it was spent by: one warp, or several. Of a trial nobody is told anything. */
static enum step stop(struct warp *warp, const struct insn *insn, const char *why)
{
    struct launch *launch = warp->block->launch;
    const struct spent spent = spent_by(warp->block);
    const bool is_one = cost_of(warp) >= spent.cost / 2;
    char who[40];
    snprintf(who, sizeof who, is_one ? "warp %u has" : "the warps of this block have", warp->index);
    launch->is_trial_cut |= launch->is_trial;
    if (!launch->is_trial)
        finding_add(warp, insn, __builtin_ctz(warp->active),
                    is_one ? VGPU_LIMIT_INSTRUCTIONS : VGPU_LIMIT_BLOCK,
                    "%s executed %llu instructions in this launch, which take as long as %llu simple ones: "
                    "more than the "
                    "budget of %llu (VGPU_BUDGET); %s",
                    who, (unsigned long long)(is_one ? warp->clock : spent.issued),
                    (unsigned long long)(is_one ? cost_of(warp) : spent.cost),
                    (unsigned long long)launch->budget, why);
    return launch_fault(warp, cudaErrorLaunchTimeout);
}

static const char unknown[] = "nothing shows that it comes to an end";

enum step budget_limit(struct warp *warp, const struct insn *insn)
{
    return cost_of(warp) / 2 > warp->block->launch->budget ? stop(warp, insn, unknown) : STEP_NEXT;
}

enum step budget_stop(struct warp *warp, const struct insn *insn)
{
    return stop(warp, insn, "it sleeps, and waits for something that does not happen");
}

/* ------------------------------------------------------------------------------------------- looks */

/* Both begin with the lanes, spread over the word: else fewer lanes with another counter could look like the state before. */
static uint64_t hash_state(const struct warp *warp)
{
    const struct function *function = warp->frame->function;
    uint64_t hash = hash_word(warp->active) + 1, word;
    for (uint32_t i = 0; i + sizeof word <= function->register_bytes; i += sizeof word) {
        memcpy(&word, warp->frame->regs + i, sizeof word);
        hash = hash_word(hash ^ word) + 1;
    }
    for (uint32_t i = 0; i < function->npreds; i++)
        hash = hash_word(hash ^ warp->preds[i]) + 1;
    return hash;
}

static uint64_t hash_slots(const struct warp *warp, const struct loop_exit *exit)
{
    uint64_t hash = hash_word(warp->active) + 1, word = 0;
    for (uint32_t i = 0; i < exit->count; i++) {
        const uint32_t slot = exit->slots[i].slot;
        const uint8_t *at =
            slot & SLOT_PRED ? (const uint8_t *)&warp->preds[slot & ~SLOT_PRED] : warp->frame->regs + slot;
        for (uint32_t k = 0; k < exit->slots[i].bytes; k += sizeof word) {
            memcpy(&word, at + k, slot & SLOT_PRED ? sizeof(uint32_t) : sizeof word);
            hash = hash_word(hash ^ word) + 1;
        }
    }
    return hash;
}

static bool is_within(const struct frame *frame, const struct frame *outer)
{
    while (frame && frame != outer)
        frame = frame->caller;
    return frame != NULL;
}

/* Whoever comes back to a loop that was left has gone back to before its head, or to a caller. */
static bool has_left(const struct warp *warp, const struct insn *branch)
{
    const struct insn *watched = warp->repeat.branch;
    return !watched || !is_within(warp->frame, warp->repeat.frame) ||
           (warp->frame == warp->repeat.frame && branch->branch.target < watched->branch.target);
}

static void watch_state(struct warp *warp, const struct insn *branch, const struct loop_looks *looks)
{
    memset(&warp->repeat, 0, sizeof warp->repeat);
    warp->repeat.branch = branch;
    warp->repeat.frame = warp->frame;
    looks->exit(warp, branch, &warp->repeat.exit);
}

/* What lanes exchange may come from lanes that wait for others. */
static void forget_after_waits(struct warp *warp)
{
    if (!warp->repeat.has_waited && warp->repeat.polled == warp->poll_insn)
        return;
    warp->repeat.has_waited = false;
    warp->repeat.polled = warp->poll_insn = NULL;
    warp->repeat.rounds = warp->repeat.saved_at = warp->repeat.times = 0;
}

/* Brent's way to find a cycle: a state is kept, a later one after twice as many rounds. */
static bool repeats_itself(struct warp *warp)
{
    const bool is_own = warp->repeat.exit.kind == EXIT_OWN;
    if (!is_own && warp->repeat.exit.kind != EXIT_WARP)
        return false;
    if (!is_own)
        forget_after_waits(warp);
    const uint64_t state = is_own ? hash_slots(warp, &warp->repeat.exit) : hash_state(warp);
    if (warp->repeat.saved_at && state == warp->repeat.state)
        return ++warp->repeat.times >= (is_own ? 1 : REPEATS);
    if (++warp->repeat.rounds >= 2 * warp->repeat.saved_at && !warp->repeat.times) {
        warp->repeat.saved_at = warp->repeat.rounds;
        warp->repeat.state = state;
    }
    return false;
}

static enum step stop_endless(struct warp *warp, const struct insn *branch, const char *why)
{
    finding_add(warp, branch, __builtin_ctz(warp->active), VGPU_ENDLESS_LOOP,
                "warp %u has executed %llu instructions in this launch, and %s", warp->index,
                (unsigned long long)warp->clock, why);
    return launch_fault(warp, cudaErrorLaunchTimeout);
}

/* ------------------------------------------------------------------------------------------- long loops */

/* Whether loops that count have got on since an earlier look: the outermost that has changed decides. */
static bool has_got_on(const struct loop_counts *before, const struct loop_counts *now)
{
    uint32_t i = 0;
    while (i < before->count && i < now->count && before->loops[i].head == now->loops[i].head &&
           before->loops[i].rounds == now->loops[i].rounds)
        i++;
    if (i == before->count || i == now->count)
        return before->count != now->count;
    return before->loops[i].head != now->loops[i].head || now->loops[i].rounds < before->loops[i].rounds;
}

/* What the block will have cost when the outermost loop ends, if it goes on as since the last look. */
static double whole_cost(const struct warp *warp, const struct loop_counts *now, const struct spent *spent)
{
    const struct loop_counts *before = &warp->progress.counts;
    if (!before->count || before->loops[0].head != now->loops[0].head ||
        before->loops[0].rounds <= now->loops[0].rounds)
        return (double)spent->cost;
    const double pace = (double)(cost_of(warp) - warp->progress.cost) /
                        (double)(before->loops[0].rounds - now->loops[0].rounds);
    return (double)spent->cost + pace * (double)now->loops[0].rounds * spent->nwarps;
}

/* A warp is over its budget. It goes on while loops that count come nearer to their ends, soon enough. */
static enum step look_at_long(struct warp *warp, const struct insn *branch, const struct loop_looks *looks)
{
    const struct launch *launch = warp->block->launch;
    const struct spent spent = spent_by(warp->block);
    struct loop_counts now;
    looks->counts(warp, branch, &now);
    if (!now.count || (warp->progress.counts.count && !has_got_on(&warp->progress.counts, &now)))
        return stop(warp, branch, unknown);
    const double whole = whole_cost(warp, &now, &spent), budget = (double)launch->budget;
    const unsigned long long rounds = now.loops[0].rounds;
    char why[160];
    snprintf(why, sizeof why, "its loop has %llu iterations left, which would take %.0f times the budget",
             rounds, whole / budget);
    if (rounds > ABSURD_ROUNDS && whole > ABSURD * budget)
        return stop_endless(warp, branch, why);
    if (whole > PATIENCE * budget || whole > (double)launch->work)
        return stop(warp, branch, why);
    warp->progress.counts = now;
    warp->progress.cost = cost_of(warp);
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- looks at a loop */

/* As often as is enough for all warps of a block together. */
static enum step check_budget(struct warp *warp, const struct insn *branch, const struct loop_looks *looks)
{
    const struct block *block = warp->block;
    const uint64_t each = block->launch->budget / 8 / block->nwarps;
    const uint64_t cost = spent_by(block).cost;
    warp->check_at = cost_of(warp) + larger_of(each, (uint64_t)1);
    __atomic_store_n(&block->launch->spent, cost, __ATOMIC_RELAXED);
    return cost > block->launch->budget ? look_at_long(warp, branch, looks) : STEP_NEXT;
}

/* Goes on for some time, at every branch back; then not for as long again, or longer. */
static enum step watch_loop(struct warp *warp, const struct insn *branch, const struct loop_looks *looks)
{
    if (has_left(warp, branch))
        watch_state(warp, branch, looks);
    if (warp->repeat.exit.kind == EXIT_NONE)
        return stop_endless(warp, branch, "will never stop: no way leads out of this loop");
    if (warp->repeat.exit.kind == EXIT_NEVER && warp->repeat.branch == branch)
        return stop_endless(
            warp, branch,
            "will never stop: its counter jumps over the value that would end it, or moves away from it");
    if (warp->repeat.branch == branch && warp->repeat.frame == warp->frame && repeats_itself(warp))
        return stop_endless(warp, branch,
                            "will never stop: what decides whether it goes on comes back again and again");
    if (cost_of(warp) - warp->watch_at >
        warp->watch_at / (warp->watch_at > LAST_LOOK ? SMALL_PART : LOOK_PART)) {
        warp->repeat.branch = NULL;
        warp->watch_at *= 2;
    }
    return STEP_NEXT;
}

/* Nobody is told anything: what was done tells enough. */
static enum step give_up(struct warp *warp)
{
    warp->block->launch->is_partial = true;
    return launch_fault(warp, cudaErrorLaunchTimeout);
}

enum step budget_look(struct warp *warp, const struct insn *branch, const struct loop_looks *looks)
{
    const struct launch *launch = warp->block->launch;
    enum step step = STEP_NEXT;
    if (launch->is_trial) {
        warp->look = launch->budget;
        return warp->clock > launch->budget ? stop(warp, branch, unknown) : STEP_NEXT;
    }
    if (launch->patience && spent_by(warp->block).cost > launch->patience)
        return give_up(warp);
    if (warp->clock >= IS_LONG)
        record_long(warp);
    if (cost_of(warp) > warp->watch_at)
        step = watch_loop(warp, branch, looks);
    if (step == STEP_NEXT && cost_of(warp) > warp->check_at)
        step = check_budget(warp, branch, looks);
    warp->look = smaller_of(warp->watch_at, warp->check_at);
    if (warp->clock < IS_LONG)
        warp->look = smaller_of(warp->look, cost_of(warp) + IS_LONG - warp->clock);
    return step;
}
