/* loop.c - the inner loop: a fragment executes its instructions one after another, all active lanes at a time.
 * It counts every instruction and executes arithmetic itself; all else is a step of some family.
 * It knows nothing of memory, barriers or other warps. */
#include "core/record.h"
#include "core/checker.h"
#include "core/warp.h"

/* ------------------------------------------------------------------------------------------- arithmetic */

/* Without a choice for each lane: several are done at once. */
#define BLEND(type)                                                                                          \
    static void blend_##type(void *restrict to, const void *restrict from, uint32_t mask)                    \
    {                                                                                                        \
        type *restrict d = to;                                                                               \
        const type *restrict s = from;                                                                       \
        for (uint32_t i = 0; i < LANES; i++) {                                                               \
            const type taken = (type) - (type)(mask >> i & 1);                                               \
            d[i] = (type)((s[i] & taken) | (d[i] & (type)~taken));                                           \
        }                                                                                                    \
    }
BLEND(uint16_t)
BLEND(uint32_t)
BLEND(uint64_t)

static void blend(void *to, const void *from, uint32_t mask, uint32_t size)
{
    if (size == 4)
        blend_uint32_t(to, from, mask);
    else if (size == 8)
        blend_uint64_t(to, from, mask);
    else
        blend_uint16_t(to, from, mask);
}

static inline void *operand(struct warp *warp, uint32_t o)
{
    return (o & (SLOT_CONSTANT | SLOT_PRED)) == SLOT_PRED ? (void *)&warp->preds[o & ~SLOT_PRED]
                                                          : slot(warp, o);
}

/* Under a partial mask a form computes all lanes into scratch, and the active ones are taken over. */
static inline void *destination(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    return __builtin_expect(mask == FULL_MASK, 1) ? warp->base[0] + insn->o[0] : warp->worker->scratch[0];
}

static inline void take_over(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (__builtin_expect(mask != FULL_MASK, 0))
        blend(slot(warp, insn->o[0]), warp->worker->scratch[0], mask, insn->dsize);
}

static void execute_form4(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    insn->fn4(destination(warp, insn, mask), slot(warp, insn->o[1]), slot(warp, insn->o[2]),
              slot(warp, insn->o[3]), slot(warp, insn->o[4]));
    take_over(warp, insn, mask);
}

static void execute_carry(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t carry = warp->carry;
    insn->carry_fn(destination(warp, insn, mask), slot(warp, insn->o[1]), slot(warp, insn->o[2]),
                   slot(warp, insn->o[3]), &carry);
    take_over(warp, insn, mask);
    warp->carry = (warp->carry & ~mask) | (carry & mask);
}

static void execute_select(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    insn->fn(destination(warp, insn, mask), operand(warp, insn->o[1]), operand(warp, insn->o[2]),
             operand(warp, insn->o[3]));
    take_over(warp, insn, mask);
}

static uint32_t combine(uint32_t result, uint32_t other, uint32_t op)
{
    return op == 0 ? result : op == 1 ? (result & other) : op == 2 ? (result | other) : (result ^ other);
}

static void set_pred(struct warp *warp, uint32_t number, uint32_t value, uint32_t mask)
{
    if (number != PRED_NONE)
        warp->preds[number] = (warp->preds[number] & ~mask) | (value & mask);
}

static void execute_compare(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t result = 0;
    insn->fn(&result, operand(warp, insn->o[0]), operand(warp, insn->o[1]), operand(warp, insn->o[2]));
    if (!insn->op &&
        insn->preds[1] == PRED_NONE) { /* one predicate, nothing to combine with: the common case */
        set_pred(warp, insn->preds[0], result, mask);
        return;
    }
    uint32_t other = insn->op ? warp->preds[insn->preds[2]] : 0;
    set_pred(warp, insn->preds[0], combine(result, other, insn->op), mask);
    set_pred(warp, insn->preds[1], combine(~result, other, insn->op), mask);
}

/* ------------------------------------------------------------------------------------------- the loop */

static void undo(struct warp *warp, const struct insn *insn)
{
    uncount_issue(warp, insn);
    warp->extra -= insn->cost[warp->column];
    warp->ip = insn;
}

static inline uint32_t guarded(const struct warp *warp, const struct insn *insn, uint32_t active)
{
    if (!insn->guard)
        return active;
    uint32_t guard = warp->preds[insn->guard - 1];
    return active & (insn->guard_not ? ~guard : guard);
}

static inline void execute_form(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    insn->fn(destination(warp, insn, mask), slot(warp, insn->o[1]), slot(warp, insn->o[2]),
             slot(warp, insn->o[3]));
    take_over(warp, insn, mask);
}

static void execute_other(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (insn->kind == INSN_SELP)
        execute_select(warp, insn, mask);
    else if (insn->kind == INSN_ALU4)
        execute_form4(warp, insn, mask);
    else
        execute_carry(warp, insn, mask);
}

/* Executes arithmetic from insn on, where nothing can change who is active; returns the first instruction that is
 * something else. */
static inline __attribute__((always_inline)) const struct insn *
execute_arithmetic(struct warp *warp, const struct insn *insn, const bool follows, const bool records)
{
    struct insn_stat *stats = warp->worker->stats;
    const uint32_t active = warp->active;
    uint64_t issued = 0;
    const bool is_recorded = records && insn->kind >= INSN_ALU && record_has_row(warp, insn);
    for (; insn->kind >= INSN_ALU; insn++, issued++) {
        uint32_t mask = guarded(warp, insn, active);
        count_issue(stats, insn, active);
        if (is_recorded)
            record_place(warp, insn);
        if (follows && warp->undefined)
            checker_of(warp)->undefined->before(warp, insn, mask);
        if (records)
            record_before(warp);
        if (!mask) {
            if (records)
                record_skipped(warp, insn);
            continue;
        }
        if (insn->kind == INSN_ALU)
            execute_form(warp, insn, mask);
        else if (insn->kind == INSN_SETP)
            execute_compare(warp, insn, mask);
        else
            execute_other(warp, insn, mask);
        if (records)
            record_after(warp, insn, active, mask);
    }
    warp->clock += issued;
    return insn;
}

/* follows: the warp may hold undefined values, which must be followed; STEP_UNDEFINED where that begins or ends.
 * records: what it does is recorded. */
static inline __attribute__((always_inline)) enum step execute(struct warp *warp, const bool follows,
                                                               const bool records)
{
    for (;;) {
        if (follows && !records && !warp->undefined)
            return STEP_UNDEFINED;
        const struct insn *insn = execute_arithmetic(warp, warp->ip, follows, records);
        uint32_t mask = guarded(warp, insn, warp->active);
        enum step step;
        struct record_step recorded;
        warp->ip = insn + 1;
        if (insn->kind == INSN_JOIN) {
            step = warp_join(warp, insn);
        } else {
            count_issue(warp->worker->stats, insn, warp->active);
            warp->clock++;
            warp->extra += insn->cost[warp->column];
            if (follows && warp->undefined)
                checker_of(warp)->undefined->before(warp, insn, mask);
            if (records)
                record_step_begin(&recorded, warp, insn, mask);
            step = mask ? insn->step(warp, insn, mask) : STEP_NEXT;
        }
        if (!records && step == STEP_NEXT)
            continue;
        const bool is_undone = step == STEP_WAIT_TURN || (step == STEP_WAIT && warp->state->must_retry);
        if (records && !is_undone && insn->kind != INSN_JOIN)
            record_step_end(&recorded, warp, insn);
        if (records && (step == STEP_NEXT || (step == STEP_UNDEFINED && warp->record)))
            continue;
        if (is_undone)
            undo(warp, insn);
        return step;
    }
}

static enum step loop_plain(struct warp *warp)
{
    return execute(warp, false, false);
}
/* The same for a warp that holds undefined values, which are followed. */
static enum step loop_following(struct warp *warp)
{
    return execute(warp, true, false);
}
/* The same for a warp that is recorded, whatever values it holds. */
static enum step loop_recording(struct warp *warp)
{
    return execute(warp, true, true);
}

/* ------------------------------------------------------------------------------------------- fragments */

static int find_state(const struct warp *warp, enum fragment_state state)
{
    for (uint32_t i = warp->state->nfragments; i-- > 0;)
        if (warp->state->fragments[i].state == state)
            return (int)i;
    return -1;
}

/* After the loop was left: the running fragment is stored, or gone. */
static void settle(struct warp *warp, enum step step)
{
    static const enum fragment_state states[] = {
        [STEP_NEXT] = FRAGMENT_READY,    [STEP_SWITCH] = FRAGMENT_READY,    [STEP_WAIT] = FRAGMENT_BARRIER,
        [STEP_YIELD] = FRAGMENT_POLLING, [STEP_WAIT_TURN] = FRAGMENT_READY, [STEP_FAULT] = FRAGMENT_READY,
    };
    struct warp_state *state = warp->state;
    fragment_save(warp);
    if (!warp->active)
        fragment_drop(warp, state->current);
    else if (!(step == STEP_WAIT && state->fragments[state->current].state != FRAGMENT_READY))
        state->fragments[state->current].state = states[step];
    state->current = LANES;
    state->must_retry = false;
}

static enum warp_status waiting_status(struct warp *warp)
{
    if (!warp->state->nfragments)
        return WARP_DONE;
    return find_state(warp, FRAGMENT_POLLING) >= 0 ? WARP_POLLING : WARP_WAITING;
}

enum warp_status warp_run(struct warp *warp)
{
    warp->repeat.has_waited = true;
    for (;;) {
        int ready = warp->state->stopped ? (int)warp->state->stopped - 1 : find_state(warp, FRAGMENT_READY);
        warp->state->stopped = 0;
        if (ready < 0) {
            if (warp_resolve_converged(warp))
                continue;
            bool needs_others =
                find_state(warp, FRAGMENT_POLLING) >= 0 || find_state(warp, FRAGMENT_CONVERGE) >= 0;
            if (needs_others && warp_release_parked(warp))
                continue;
            return waiting_status(warp);
        }
        fragment_load(warp, (uint32_t)ready);
        enum step step;
        do
            step = warp->record      ? loop_recording(warp)
                   : warp->undefined ? loop_following(warp)
                                     : loop_plain(warp);
        while (step == STEP_UNDEFINED);
        if (step == STEP_WAIT && warp->state->nfragments == 1 && !warp->state->must_retry) {
            /* the whole warp waits at a barrier, where it has stored itself: the common case */
            warp->state->current = LANES;
            return WARP_WAITING;
        }
        if (step == STEP_FAULT)
            return WARP_FAULT;
        uint32_t index = warp->state->current;
        settle(warp, step);
        if (step != STEP_WAIT_TURN)
            continue;
        warp->state->stopped = index + 1;
        return WARP_TURN;
    }
}
