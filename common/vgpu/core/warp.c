/* warp.c - how lanes part, meet and wait for each other (see warp.h), and which fragment of a warp runs next.
 * What the running fragment does is loop.c's business; it comes back when lanes part, wait or leave. */
#include "core/warp.h"

#include <stdlib.h>
#include <string.h>

#include "core/budget.h"
#include "core/checker.h"
#include "core/findings.h"
#include "core/record.h"

/* Reads of one unchanging value after which a warp counts as waiting, and how many of them it has left when it is tried
 * again: most of those who wait still do. */
enum { POLL_LIMIT = 48, POLLS_WHEN_RESUMED = 2 };

/* ------------------------------------------------------------------------------------------- fragments */

static void warp_set_frame(struct warp *warp, struct frame *frame)
{
    warp->frame = frame;
    warp->base[0] = frame->regs;
    warp->base[1] = frame->function->constants;
    warp->preds = frame->preds;
}

void fragment_save(struct warp *warp)
{
    struct fragment *fragment = fragment_current(warp);
    fragment->mask = warp->active;
    fragment->ip = warp->ip;
    fragment->frame = warp->frame;
}

void fragment_load(struct warp *warp, uint32_t index)
{
    warp->state->current = index;
    const struct fragment *fragment = fragment_current(warp);
    warp->active = fragment->mask;
    warp->ip = fragment->ip;
    warp_set_frame(warp, fragment->frame);
}

void fragment_drop(struct warp *warp, uint32_t index)
{
    struct warp_state *state = warp->state;
    state->nfragments--;
    memmove(&state->fragments[index], &state->fragments[index + 1],
            (state->nfragments - index) * sizeof *state->fragments);
}

/* Adds a fragment, or widens one that is ready at the same place. */
static void fragment_add(struct warp *warp, uint32_t mask, const struct insn *ip, struct frame *frame,
                         struct join *join)
{
    struct warp_state *state = warp->state;
    if (!mask)
        return;
    for (uint32_t i = 0; i < state->nfragments; i++) {
        struct fragment *other = &state->fragments[i];
        if (i != state->current && other->state == FRAGMENT_READY && other->ip == ip &&
            other->frame == frame && other->join == join) {
            other->mask |= mask;
            return;
        }
    }
    state->fragments[state->nfragments++] =
        (struct fragment){.state = FRAGMENT_READY, .mask = mask, .ip = ip, .frame = frame, .join = join};
}

/* ------------------------------------------------------------------------------------------- joins */

static struct join *new_join(struct warp *warp, const struct insn *at, struct frame *frame, uint32_t expected,
                             struct join *parent)
{
    struct join *join = warp->state->free_joins;
    if (join) {
        warp->state->free_joins = join->parent;
    } else {
        join = malloc(sizeof *join);
        if (!join)
            return NULL;
        join->all = warp->state->all_joins;
        warp->state->all_joins = join;
    }
    *join = (struct join){.at = at, .frame = frame, .expected = expected, .parent = parent, .all = join->all};
    return join;
}

static void free_frame(struct warp *warp, struct frame *frame)
{
    if (frame->marks)
        checker_of(warp)->undefined->leave(warp, frame);
    free(frame);
    warp->state->depth--;
}

static void free_join(struct warp *warp, struct join *join)
{
    if (join->callee)
        free_frame(warp, join->callee);
    join->callee = NULL;
    join->parent = warp->state->free_joins;
    warp->state->free_joins = join;
}

/* If all expected lanes are there, they go on as one fragment. */
static void complete_join(struct warp *warp, struct join *join)
{
    if (join->arrived != join->expected)
        return;
    fragment_add(warp, join->arrived, join->at, join->frame, join->parent);
    free_join(warp, join);
}

enum step warp_join(struct warp *warp, const struct insn *insn)
{
    struct fragment *fragment = fragment_current(warp);
    struct join *join = fragment->join;
    while (join && join->at == insn && join->frame == warp->frame) {
        join->arrived |= warp->active;
        if (join->arrived != join->expected) {
            warp->active = 0;
            return STEP_SWITCH;
        }
        warp->active = join->expected;
        fragment->join = join->parent;
        free_join(warp, join);
        join = fragment->join;
    }
    return STEP_NEXT;
}

/* Where lanes that part here meet again: the join they already have, or a new one. */
static struct join *join_for(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    struct join *outer = fragment_current(warp)->join;
    if (insn->branch.join == NO_JOIN)
        return outer;
    const struct insn *at = warp->frame->function->code + insn->branch.join;
    if (outer && outer->at == at && outer->frame == warp->frame)
        return outer;
    struct join *join = new_join(warp, at, warp->frame, mask, outer);
    return join ? join : outer;
}

enum step warp_branch(struct warp *warp, const struct insn *insn, uint32_t taken, const struct insn *target)
{
    struct join *join = join_for(warp, insn, warp->active);
    uint32_t stay = warp->active & ~taken;
    fragment_current(warp)->join = join;
    stat_of(warp, insn)->divergent++;
    warp->active = stay;
    if (join && join->at == target && join->frame == warp->frame) {
        join->arrived |= taken;
        return STEP_NEXT;
    }
    fragment_add(warp, taken, target, warp->frame, join);
    return STEP_NEXT;
}

enum step warp_branch_many(struct warp *warp, const struct insn *insn, const struct insn *const target[LANES],
                           uint32_t mask)
{
    struct join *join = join_for(warp, insn, warp->active);
    struct frame *frame = warp->frame;
    uint32_t stay = warp->active & ~mask;
    stat_of(warp, insn)->divergent++;
    fragment_current(warp)->join = join;
    while (mask) {
        const struct insn *to = target[__builtin_ctz(mask)];
        uint32_t group = 0;
        for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
            if (target[__builtin_ctz(lanes)] == to)
                group |= lanes & -lanes;
        fragment_add(warp, group, to, frame, join);
        mask &= ~group;
    }
    warp->active = stay;
    return stay ? STEP_NEXT : STEP_SWITCH;
}

/* Lanes of mask leave for the callee; the others, if any, wait at the instruction after the call. */
enum step warp_call(struct warp *warp, struct frame *callee, const struct insn *entry, uint32_t mask)
{
    struct fragment *fragment = fragment_current(warp);
    struct join *join = new_join(warp, warp->ip, warp->frame, mask, fragment->join);
    if (!join) {
        free(callee);
        return launch_fault(warp, cudaErrorMemoryAllocation);
    }
    join->callee = callee;
    warp->state->depth++;
    uint32_t stay = warp->active & ~mask;
    if (stay) {
        /* the call was guarded: whoever skips it waits for those who return, so that they go on as one */
        join->expected = warp->active;
        join->arrived = stay;
    }
    fragment->join = join;
    warp->active = mask;
    warp->ip = entry;
    warp_set_frame(warp, callee);
    return STEP_NEXT;
}

enum step warp_call_group(struct warp *warp, const struct insn *insn, uint32_t group, uint32_t mask)
{
    struct fragment *fragment = fragment_current(warp);
    struct join *join = new_join(warp, insn + 1, warp->frame, warp->active, fragment->join);
    if (!join)
        return launch_fault(warp, cudaErrorMemoryAllocation);
    /* each group issues the call by itself: this was none of them */
    uncount_issue(warp, insn);
    /* flow.c put a JOIN behind every indirect call: there the groups meet */
    join->arrived = warp->active & ~mask;
    fragment_add(warp, mask & ~group, insn, warp->frame, join);
    fragment->join = join;
    warp->active = group;
    warp->ip = insn;
    return STEP_NEXT;
}

/* The innermost call's join: returning lanes may have inner joins of the callee, which they leave. */
static struct join *call_join(struct join *join)
{
    while (join && !join->callee)
        join = join->parent;
    return join;
}

/* Lanes leave every join from the innermost up to (not including) last. */
static void leave_joins(struct warp *warp, uint32_t mask, struct join *join, const struct join *last)
{
    while (join && join != last) {
        struct join *parent = join->parent;
        join->expected &= ~mask;
        if (!join->expected)
            free_join(warp, join);
        else
            complete_join(warp, join);
        join = parent;
    }
}

enum step warp_return(struct warp *warp, uint32_t mask)
{
    struct fragment *fragment = fragment_current(warp);
    struct join *call = call_join(fragment->join);
    uint32_t stay = warp->active & ~mask;
    struct join *inner = fragment->join;
    call->arrived |= mask;
    warp->active = stay;
    if (!stay)
        fragment->mask = 0;
    if (inner != call)
        leave_joins(warp, mask, inner, call);
    if (call->arrived != call->expected)
        return stay ? STEP_NEXT : STEP_SWITCH;
    /* nobody is left in the callee: go on behind the call without a detour through the scheduler */
    warp->active = call->expected;
    warp->ip = call->at;
    warp_set_frame(warp, call->frame);
    fragment->join = call->parent;
    free_join(warp, call);
    return STEP_NEXT;
}

enum step warp_exit(struct warp *warp, uint32_t mask)
{
    struct fragment *fragment = fragment_current(warp);
    struct join *inner = fragment->join;
    warp->exited |= mask;
    warp->active &= ~mask;
    warp->block->state->live -= (uint32_t)__builtin_popcount(mask);
    if (!warp->active)
        fragment->join = NULL;
    leave_joins(warp, mask, inner, NULL);
    return warp->active ? STEP_NEXT : STEP_SWITCH;
}

/* ------------------------------------------------------------------------------------------- waiting for lanes */

enum step warp_converge(struct warp *warp, const struct insn *insn, uint32_t membermask)
{
    uint32_t needed = membermask & warp->lanes & ~warp->exited;
    (void)insn;
    if (warp->state->is_forced || (needed & ~warp->active) == 0)
        return STEP_NEXT;
    struct fragment *fragment = fragment_current(warp);
    fragment->state = FRAGMENT_CONVERGE;
    fragment->waits_for = membermask;
    fragment->had_to_release = false;
    warp->state->must_retry = true;
    return STEP_WAIT;
}

/* __syncwarp() calls in different places match each other; other .sync instructions only themselves. */
static bool can_meet(const struct fragment *a, const struct fragment *b)
{
    if (b->state != FRAGMENT_CONVERGE)
        return false;
    if (a->ip->flow == FLOW_WARP_SYNC)
        return b->ip->flow == FLOW_WARP_SYNC;
    return a->ip == b->ip && a->frame == b->frame;
}

/* The lanes at the fragment's place that can go on together: each of them finds all it waits for among them. */
static uint32_t meeting_lanes(const struct warp *warp, const struct fragment *fragment)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->state->nfragments; i++)
        if (can_meet(fragment, &warp->state->fragments[i]))
            lanes |= warp->state->fragments[i].mask;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t i = 0; i < warp->state->nfragments; i++) {
            const struct fragment *other = &warp->state->fragments[i];
            uint32_t needed = other->waits_for & warp->lanes & ~warp->exited;
            if (can_meet(fragment, other) && (other->mask & lanes) && (needed & ~lanes)) {
                lanes &= ~other->mask;
                is_changed = true;
            }
        }
    }
    return lanes;
}

static void report_missing(struct warp *warp, const struct fragment *fragment, uint32_t missing)
{
    if (warp->worker->check == CHECK_OFF || !missing)
        return;
    finding_add(warp, fragment->ip, __builtin_ctz(fragment->mask), VGPU_MASK_MISSES_LANES,
                "the mask is 0x%08x, but lanes 0x%08x do not execute this call", fragment->waits_for,
                missing);
}

/* Executes the instruction once for all fragments that have met at it; they go on one by one, or merged. */
static void execute_together(struct warp *warp, uint32_t leader, uint32_t lanes)
{
    struct warp_state *state = warp->state;
    struct fragment first = state->fragments[leader];
    fragment_load(warp, leader);
    warp->active = lanes;
    bool is_sync = first.ip->flow == FLOW_WARP_SYNC;
    if (is_sync && warp->worker->check == CHECK_FULL)
        checker_of(warp)->warp_sync(warp, lanes);
    if (!is_sync) {
        count_issue(warp->worker->stats, first.ip, lanes);
        warp->ip = first.ip + 1;
        uint32_t guard = first.ip->guard ? warp->preds[first.ip->guard - 1] : FULL_MASK;
        guard = first.ip->guard_not ? ~guard : guard;
        record_place(warp, first.ip);
        struct trail *trail = warp->record ? warp->record->trail : NULL;
        const uint32_t frame = trail ? trail_begin(trail, warp, first.ip, lanes & guard) : NO_FRAME;
        if (lanes & guard)
            first.ip->step(warp, first.ip, lanes & guard);
        if (trail)
            trail_end(trail, first.ip, lanes, lanes & guard, frame);
    }
    for (uint32_t i = state->nfragments; i-- > 0;) {
        struct fragment *fragment = &state->fragments[i];
        if (fragment->state != FRAGMENT_CONVERGE || (fragment->mask & ~lanes))
            continue;
        struct fragment copy = *fragment;
        fragment_drop(warp, i);
        state->current = LANES;
        fragment_add(warp, copy.mask, copy.ip + 1, copy.frame, copy.join);
    }
}

bool warp_resolve_converged(struct warp *warp)
{
    struct warp_state *state = warp->state;
    for (uint32_t i = 0; i < state->nfragments; i++) {
        struct fragment *fragment = &state->fragments[i];
        if (fragment->state != FRAGMENT_CONVERGE)
            continue;
        uint32_t lanes = meeting_lanes(warp, fragment);
        if (!(lanes & fragment->mask))
            continue;
        if (fragment->had_to_release)
            report_missing(warp, fragment, fragment->waits_for & warp->lanes & ~lanes);
        execute_together(warp, i, lanes);
        return true;
    }
    return false;
}

bool warp_force_converge(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->state->nfragments; i++) {
        struct fragment *fragment = &warp->state->fragments[i];
        if (fragment->state != FRAGMENT_CONVERGE)
            continue;
        uint32_t lanes = fragment->mask;
        for (uint32_t k = 0; k < warp->state->nfragments; k++)
            if (can_meet(fragment, &warp->state->fragments[k]))
                lanes |= warp->state->fragments[k].mask;
        report_missing(warp, fragment, fragment->waits_for & warp->lanes & ~lanes);
        warp->state->is_forced = true;
        execute_together(warp, i, lanes);
        warp->state->is_forced = false;
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------- releasing */

/* The innermost join on the fragment's way out at which lanes are parked. */
static struct join *parked_join(struct join *join)
{
    while (join && !join->arrived)
        join = join->parent;
    return join;
}

bool warp_release_parked(struct warp *warp)
{
    struct warp_state *state = warp->state;
    for (uint32_t i = 0; i < state->nfragments; i++) {
        struct join *join = parked_join(state->fragments[i].join);
        if (!join)
            continue;
        uint32_t lanes = join->arrived;
        for (uint32_t k = 0; k < state->nfragments; k++)
            if (state->fragments[k].state == FRAGMENT_CONVERGE && (state->fragments[k].waits_for & lanes))
                state->fragments[k].had_to_release = true;
        join->arrived = 0;
        join->expected &= ~lanes;
        state->current = LANES;
        /* behind the JOIN: it must not park them again at the same place */
        const struct insn *ip = join->at->kind == INSN_JOIN ? join->at + 1 : join->at;
        fragment_add(warp, lanes, ip, join->frame, join->parent);
        return true;
    }
    return false;
}

void warp_resume_polling(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->state->nfragments; i++)
        if (warp->state->fragments[i].state == FRAGMENT_POLLING)
            warp->state->fragments[i].state = FRAGMENT_READY;
    warp->poll_count = POLL_LIMIT - POLLS_WHEN_RESUMED;
}

/* True if the value is what this instruction read last time. */
static bool is_unchanged(struct warp *warp, const struct insn *insn, uint64_t value)
{
    enum { PLACES = sizeof warp->polls / sizeof *warp->polls };
    for (uint32_t i = 0; i < PLACES; i++)
        if (warp->polls[i].insn == insn) {
            bool is_same = warp->polls[i].value == value;
            warp->polls[i].value = value;
            return is_same;
        }
    warp->polls[warp->poll_next].insn = insn;
    warp->polls[warp->poll_next].value = value;
    warp->poll_next = (warp->poll_next + 1) % PLACES;
    return false;
}

enum step warp_polled(struct warp *warp, const struct insn *insn, uint64_t value)
{
    warp->poll_insn = insn;
    if (!is_unchanged(warp, insn, value)) {
        warp->poll_count = 0;
        return STEP_NEXT;
    }
    if (++warp->poll_count < POLL_LIMIT)
        return STEP_NEXT;
    warp->poll_count = 0;
    return STEP_YIELD;
}

/* ------------------------------------------------------------------------------------------- life */

void warp_begin(struct warp *warp)
{
    struct warp_state *state = warp->state;
    state->nfragments = 0;
    state->current = LANES;
    state->depth = 0;
    state->stopped = 0;
    state->must_retry = false;
    warp->exited = 0;
    warp->clock = 0;
    memset(&warp->clock_wait, 0, sizeof warp->clock_wait);
    budget_begin(warp);
    warp->carry = 0;
    free(warp->copies);
    warp->copies = NULL;
    memset(&warp->under_way, 0, sizeof warp->under_way);
    warp->poll_insn = NULL;
    memset(warp->polls, 0, sizeof warp->polls);
    warp->poll_count = 0;
    fragment_add(warp, warp->lanes, state->root.function->code, &state->root, NULL);
}

void warp_end(struct warp *warp)
{
    struct warp_state *state = warp->state;
    if (state->undefined)
        checker_of(warp)->undefined->end(warp);
    for (struct join *join = state->all_joins, *next; join; join = next) {
        next = join->all;
        free(join->callee);
        free(join);
    }
    state->free_joins = state->all_joins = NULL;
    state->nfragments = 0;
}
