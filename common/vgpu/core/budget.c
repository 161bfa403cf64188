/* budget.c - a warp has used up its budget of instructions: does its loop never end, or is it only long?
 * It goes round some times more. If nothing that the loop compares has changed meanwhile, it cannot end by itself, and that
 * is the program's mistake; so it is if what it counts has so far to go that a GPU would take minutes. Else the budget is a
 * limit of the virtual GPU, and told as such.
 * Most loops without an end are found long before: none of their instructions leads out, or all registers of the warp are the
 * same again and again, though it has waited for nobody. Both are looked at after a million instructions, and after each
 * twice as many. Instructions are weighed by what they cost the host; no clock has a part in it. */
#include "core/budget.h"

#include <string.h>

#include "base/hash.h"
#include "base/number.h"
#include "core/findings.h"

enum {
    ROUNDS = 64,      /* of a loop without a change that tell */
    VISITS = 1 << 16, /* of all loops before we give up; or after as many instructions again */
    FIRST_LOOK = 1 << 20,
    LOOK_ROUNDS = 1 << 15, /* of a loop, at a look; */
    LOOK_COST = 1 << 19,   /* or instructions */
    REPEATS = 64           /* of one state that tell */
};

/* Measured with bench-vgpu's kernels, rounded: a step that goes to memory takes as long as so many on registers. */
const uint8_t budget_costs[CLASS_COUNT] = {
    [CLASS_GLOBAL] = 16,  [CLASS_SHARED] = 8, [CLASS_LOCAL] = 16, [CLASS_ATOMIC] = 64,
    [CLASS_TEXTURE] = 64, [CLASS_SYNC] = 16,  [CLASS_WARP] = 4,   [CLASS_CONTROL] = 2,
};

void budget_begin(struct warp *warp)
{
    const uint64_t budget = warp->block->launch->budget;
    warp->extra = 0;
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

/* Of a trial nobody is told anything. */
static enum step stop(struct warp *warp, const struct insn *insn, enum vgpu_finding kind)
{
    struct launch *launch = warp->block->launch;
    if (launch->is_trial)
        launch->is_trial_cut = true;
    else
        finding_add(warp, insn, __builtin_ctz(warp->active), kind,
                    "warp %u has executed %llu instructions in this launch, more than the budget of %llu "
                    "(VGPU_BUDGET)",
                    warp->index, (unsigned long long)warp->clock, (unsigned long long)launch->budget);
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

/* Brent's way to find a cycle: a state is kept, a later one after twice as many rounds. */
static bool repeats_itself(struct warp *warp, const struct insn *branch)
{
    const uint64_t state = hash_state(warp);
    if (!warp->repeat.rounds || warp->repeat.branch != branch || warp->repeat.polled != warp->poll_insn) {
        warp->repeat.branch = branch;
        warp->repeat.polled = warp->poll_insn = NULL;
        warp->repeat.rounds = 1;
        warp->repeat.saved_at = warp->repeat.times = 0;
    }
    if (warp->repeat.saved_at && state == warp->repeat.state)
        return ++warp->repeat.times >= REPEATS;
    if (warp->repeat.rounds >= 2 * warp->repeat.saved_at && !warp->repeat.times) {
        warp->repeat.saved_at = warp->repeat.rounds;
        warp->repeat.state = state;
    }
    warp->repeat.rounds++;
    return false;
}

static enum step stop_endless(struct warp *warp, const struct insn *branch, const char *why)
{
    finding_add(warp, branch, __builtin_ctz(warp->active), VGPU_ENDLESS_LOOP,
                "warp %u has executed %llu instructions in this launch, and will never stop: %s", warp->index,
                (unsigned long long)warp->clock, why);
    return launch_fault(warp, cudaErrorLaunchTimeout);
}

/* In instructions on registers. What the full check notes of an access takes several times as long as the access. */
static uint64_t spent_by(const struct warp *warp)
{
    const uint64_t noted = 8;
    return warp->clock + warp->extra * (warp->block->check == CHECK_FULL ? noted : 1);
}

enum step budget_look(struct warp *warp, const struct insn *branch,
                      bool (*can_leave)(const struct warp *, const struct insn *))
{
    const struct launch *launch = warp->block->launch;
    const uint64_t spent = spent_by(warp);
    if (launch->is_trial) {
        warp->look = launch->budget;
        return warp->clock > launch->budget ? budget_overrun(warp, branch) : STEP_NEXT;
    }
    if (!warp->repeat.rounds && !can_leave(warp, branch))
        return stop_endless(warp, branch, "no way leads out of this loop");
    if (repeats_itself(warp, branch))
        return stop_endless(warp, branch, "the loop does the same in every round");
    if (warp->clock > launch->budget || spent > launch->budget)
        return budget_overrun(warp, branch);
    if (warp->clock + warp->extra - warp->look > LOOK_COST || warp->repeat.rounds > LOOK_ROUNDS) {
        warp->repeat.rounds = 0;
        warp->look = smaller_of(2 * warp->look, launch->budget);
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
    const bool is_limit = warp->clock > budget; /* else only what it has cost is: a long loop may go on */
    if (is_limit != warp->overrun.is_limit)
        memset(&warp->overrun, 0, sizeof warp->overrun);
    warp->overrun.is_limit = is_limit;
    const bool is_seen = ++warp->overrun.visits > VISITS;
    if (is_limit && (warp->block->launch->is_trial || is_seen || warp->clock - budget > budget))
        return stop(warp, branch, VGPU_LIMIT_INSTRUCTIONS);
    if (is_seen) {
        memset(&warp->overrun, 0, sizeof warp->overrun);
        warp->look = 2 * (warp->clock + warp->extra);
        return STEP_NEXT;
    }
    const struct insn *watched = warp->overrun.branch;
    if (watched && watched != branch && !(warp->overrun.has_changed && encloses(branch, watched)))
        return STEP_NEXT;
    if (watched != branch)
        watch_loop(warp, branch);
    else if (!compares_the_same(warp)) {
        if (is_limit && is_hopeless(warp))
            return stop(warp, branch, VGPU_ENDLESS_LOOP);
        warp->overrun.has_changed = true;
    } else if (!warp->overrun.has_changed && warp->overrun.rounds > ROUNDS)
        return stop(warp, branch, VGPU_ENDLESS_LOOP);
    warp->overrun.last_distance = warp->overrun.distance;
    warp->overrun.last_clock = warp->clock;
    return STEP_NEXT;
}
