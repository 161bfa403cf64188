/* budget.c - a warp has used up its budget of instructions: does its loop never end, or is it only long?
 * It goes round some times more. If nothing that the loop compares has changed meanwhile, it cannot end by itself, and that
 * is the program's mistake; so it is if what it counts has so far to go that a GPU would take minutes. Else the budget is a
 * limit of the virtual GPU, and told as such.
 * Most loops without an end are found long before: none of their instructions leads out, or all that their exits depend on
 * (core/loop_exit.h) has come back to what it was. Both are looked at after a million instructions, and after each twice as
 * many. Instructions are weighed by what they cost the host; no clock has a part in it. */
#include "core/budget.h"

#include <string.h>

#include "base/hash.h"
#include "base/number.h"
#include "core/findings.h"

enum {
    ROUNDS = 64,      /* of a loop without a change that tell */
    VISITS = 1 << 16, /* of all loops before we give up; or after as many instructions again */
    FIRST_LOOK = 1 << 20,
    LAST_LOOK = 1 << 25, /* after that only the budget counts */
    LOOK_PART = 2,       /* of the time until a look: as long it takes */
    REPEATS = 64         /* of all registers that tell */
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
    warp->look = budget < FIRST_LOOK ? budget : FIRST_LOOK;
    memset(&warp->repeat, 0, sizeof warp->repeat);
}

/* Bytes of a lane of a source, by its letter in a form's signature; 0: no register. */
static uint32_t bytes_of(char letter)
{
    static const char letters[] = "hwfde";
    static const uint8_t bytes[] = {2, 4, 4, 8, 8};
    const char *found = letter ? strchr(letters, letter) : NULL;
    return found ? bytes[found - letters] : 0;
}

static uint64_t hash_source(const struct warp *warp, uint32_t operand, uint32_t bytes, uint64_t hash)
{
    for (uint32_t lanes = warp->active; lanes; lanes &= lanes - 1) {
        uint64_t value = 0;
        memcpy(&value, (const uint8_t *)slot(warp, operand) + bytes * (uint32_t)__builtin_ctz(lanes), bytes);
        hash = hash_word(hash ^ value) + 1;
    }
    return hash;
}

static uint64_t first_lane(const struct warp *warp, uint32_t operand, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)slot(warp, operand) + bytes * (uint32_t)__builtin_ctz(warp->active),
           bytes);
    return value;
}

/* How far a counter is from what it is compared with: integers only. */
static void note_distance(struct warp *warp, const struct insn *insn, const char *letters)
{
    const uint32_t bytes = letters[0] == 'w' ? 4 : 8, *operands = insn->o + insn->ndefs;
    warp->overrun.is_counter = (letters[0] == 'w' || letters[0] == 'd') && letters[1] == letters[0];
    if (!warp->overrun.is_counter)
        return;
    const uint64_t far = first_lane(warp, operands[0], bytes) - first_lane(warp, operands[1], bytes);
    warp->overrun.distance = bytes == 4 ? (uint64_t)(int32_t)far : far;
}

void budget_compare(struct warp *warp, const struct insn *insn)
{
    const char *letters = insn->form->signature + 2;
    if (insn->nuses >= 2)
        note_distance(warp, insn, letters);
    for (uint32_t k = insn->ndefs; *letters; letters++, k++)
        if (bytes_of(*letters) && k < (uint32_t)insn->ndefs + insn->nuses)
            warp->overrun.now = hash_source(warp, insn->o[k], bytes_of(*letters), warp->overrun.now);
}

/* Of what a block has executed so far. */
struct spent {
    uint64_t issued, cost;
};

static struct spent spent_by(const struct block *block)
{
    struct spent spent = {0, 0};
    for (uint32_t i = 0; i < block->nwarps; i++) {
        spent.issued += block->warps[i].clock;
        spent.cost += block->warps[i].clock + block->warps[i].extra;
    }
    return spent;
}

/* A warp has its budget. A block that goes to memory all the time is stopped before, when its instructions have cost twice as much
 * as the budget in simple ones; but not while they are few, so that a long kernel can end. */
static bool is_over(const struct warp *warp)
{
    const uint64_t budget = warp->block->launch->budget;
    if (warp->clock > budget || warp->block->launch->is_trial)
        return warp->clock > budget;
    const struct spent spent = spent_by(warp->block);
    return spent.issued > budget / (warp->column ? 32 : 8) && spent.cost / 2 > budget;
}

/* Of a trial nobody is told anything. */
static enum step stop(struct warp *warp, const struct insn *insn, enum vgpu_finding kind)
{
    struct launch *launch = warp->block->launch;
    const unsigned long long budget = launch->budget;
    const struct spent spent = spent_by(warp->block);
    if (launch->is_trial)
        launch->is_trial_cut = true;
    else if (warp->clock > launch->budget)
        finding_add(warp, insn, __builtin_ctz(warp->active), kind,
                    "warp %u has executed %llu instructions in this launch, more than the budget of %llu "
                    "(VGPU_BUDGET)",
                    warp->index, (unsigned long long)warp->clock, budget);
    else
        finding_add(
            warp, insn, __builtin_ctz(warp->active), kind,
            "the warps of this block have executed %llu instructions in this launch, which cost as much as "
            "%llu without memory: more than twice the budget of %llu (VGPU_BUDGET)",
            (unsigned long long)spent.issued, (unsigned long long)spent.cost, budget);
    return launch_fault(warp, cudaErrorLaunchTimeout);
}

enum step budget_limit(struct warp *warp, const struct insn *insn)
{
    const uint64_t budget = warp->block->launch->budget;
    if (warp->clock <= budget || warp->clock - budget <= budget)
        return STEP_NEXT;
    return stop(warp, insn, VGPU_LIMIT_INSTRUCTIONS);
}

enum step budget_stop(struct warp *warp, const struct insn *insn)
{
    return stop(warp, insn, VGPU_ENDLESS_LOOP);
}

/* ------------------------------------------------------------------------------------------- looks */

static uint64_t hash_state(const struct warp *warp)
{
    const struct function *function = warp->frame->function;
    uint64_t hash = warp->active, word;
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
    uint64_t hash = warp->active, word = 0;
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

static void watch_state(struct warp *warp, const struct insn *branch, loop_exit_fn *find)
{
    memset(&warp->repeat, 0, sizeof warp->repeat);
    warp->repeat.branch = branch;
    warp->repeat.frame = warp->frame;
    find(warp, branch, &warp->repeat.exit);
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
    if (warp->repeat.exit.kind == EXIT_OTHERS)
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
                "warp %u has executed %llu instructions in this launch, and will never stop: %s", warp->index,
                (unsigned long long)warp->clock, why);
    return launch_fault(warp, cudaErrorLaunchTimeout);
}

enum step budget_look(struct warp *warp, const struct insn *branch, loop_exit_fn *find)
{
    const struct launch *launch = warp->block->launch;
    if (launch->is_trial) {
        warp->look = launch->budget;
        return is_over(warp) ? budget_overrun(warp, branch) : STEP_NEXT;
    }
    if (is_over(warp))
        return budget_overrun(warp, branch);
    if (warp->look > LAST_LOOK) {
        warp->look = warp->clock + warp->extra + launch->budget / 8;
        return STEP_NEXT;
    }
    if (has_left(warp, branch))
        watch_state(warp, branch, find);
    if (warp->repeat.exit.kind == EXIT_NONE)
        return stop_endless(warp, branch, "no way leads out of this loop");
    if (warp->repeat.branch == branch && warp->repeat.frame == warp->frame && repeats_itself(warp))
        return stop_endless(warp, branch, "what decides whether it goes on comes back again and again");
    if (warp->clock + warp->extra - warp->look > warp->look / LOOK_PART) {
        warp->repeat.branch = NULL;
        warp->look = smaller_of(2 * warp->look, warp->clock + warp->extra + launch->budget / 8);
    }
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- over the budget */

/* True if the loop of a branch lies around that of another. */
static bool encloses(const struct insn *outer, const struct insn *inner)
{
    return outer > inner && outer->branch.target <= inner->branch.target;
}

/* From here on: what was compared before belongs to no whole round. */
static void watch_loop(struct warp *warp, const struct insn *branch)
{
    warp->overrun.branch = branch;
    warp->overrun.now = 0;
    warp->overrun.rounds = 0;
    warp->overrun.has_changed = false;
}

/* At the pace of the last round. A counter that has gone past its end comes back to it round all numbers. */
static bool is_hopeless(const struct warp *warp)
{
    enum { PATIENCE = 100 }; /* budgets */
    const int64_t now = (int64_t)warp->overrun.distance, before = (int64_t)warp->overrun.last_distance;
    const bool is_near = now >= INT32_MIN && now <= INT32_MAX && before >= INT32_MIN && before <= INT32_MAX;
    const int64_t step = (int64_t)((uint64_t)now - (uint64_t)before);
    const uint64_t way = step > 0 ? -(uint64_t)now : (uint64_t)now,
                   pace = step > 0 ? (uint64_t)step : -(uint64_t)step;
    if (!warp->overrun.is_counter || !step)
        return false;
    const double rounds = (double)(is_near ? (uint32_t)way : way) / (double)pace;
    return rounds * (double)(warp->clock - warp->overrun.last_clock) >
           PATIENCE * (double)warp->block->launch->budget;
}

/* A round of the loop is over. */
static bool compares_the_same(struct warp *warp)
{
    const uint64_t before = warp->overrun.compared;
    warp->overrun.compared = warp->overrun.now;
    warp->overrun.now = 0;
    return warp->overrun.rounds++ == 0 || warp->overrun.compared == before;
}

/* A loop that compares something new may be part of one that does not. */
enum step budget_overrun(struct warp *warp, const struct insn *branch)
{
    const uint64_t budget = warp->block->launch->budget;
    if (warp->block->launch->is_trial || ++warp->overrun.visits > VISITS ||
        (warp->clock > budget && warp->clock - budget > budget))
        return stop(warp, branch, VGPU_LIMIT_INSTRUCTIONS);
    const struct insn *watched = warp->overrun.branch;
    if (watched && watched != branch && !(warp->overrun.has_changed && encloses(branch, watched)))
        return STEP_NEXT;
    if (watched != branch)
        watch_loop(warp, branch);
    else if (!compares_the_same(warp)) {
        if (warp->clock > budget && is_hopeless(warp))
            return stop(warp, branch, VGPU_ENDLESS_LOOP);
        warp->overrun.has_changed = true;
    } else if (!warp->overrun.has_changed && warp->overrun.rounds > ROUNDS)
        return stop(warp, branch, VGPU_ENDLESS_LOOP);
    warp->overrun.last_distance = warp->overrun.distance;
    warp->overrun.last_clock = warp->clock;
    return STEP_NEXT;
}
