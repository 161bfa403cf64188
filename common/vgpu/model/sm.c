/* sm.c - the simulation of one SM: see sm.h.
 *
 * Theory of operation. Every resident warp has a time at which it can issue its next operation: when its operands are
 * there and it has issued the one before. The warp with the earliest time issues: it takes a slot of its scheduler, then
 * waits in line for the unit. So one step of the simulation is one operation, whatever the number of clocks in
 * between. Memory is in sm_memory.c; how a warp finds its next operation, in sm_follow.c. */
#include "model/sm_internal.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)TIMELINE_KINDS == (int)SM_SPENT, "a timeline has what warps spend their time on");

enum {
    QUEUE_CLOCKS = 384, /* of work that a memory pipe takes before warps must wait to give it more */
    BRANCH_CLOCKS = 10, /* until a warp issues again after a branch */
    JUMP_CLOCKS = 10,   /* of the SM, for a call through a pointer and the way back: jumps of bench/micro */
    JUMP_LATENCY = 84,  /* until the warp issues again */
    RELEASE_CLOCKS = 4, /* that a block's barrier takes of the memory pipe when it opens */
    ARRIVAL_CLOCKS = 2  /* that an SM needs for a warp's arrival at a barrier */
};

/* ------------------------------------------------------------------------------------------- rates */

#define AT(field) offsetof(struct gpu, field)

/* Which unit an operation takes, how many lanes of it finish per clock on the whole SM, and when the result is there. */
static const struct {
    uint8_t unit, wait;
    size_t lanes, latency;
} classes[OP_CLASSES] = {
    [OP_FP32] = {SM_FP32, WAIT_ALU, AT(fp32_lanes), AT(alu_latency)},
    [OP_ALU] = {SM_INT, WAIT_ALU, AT(int_lanes), AT(alu_latency)},
    [OP_IMAD] = {SM_IMUL, WAIT_ALU, AT(imul_lanes), AT(imul_latency)},
    [OP_IMAD_WIDE] = {SM_IMUL, WAIT_ALU, AT(wide_lanes), AT(imul_latency)},
    [OP_FP64] = {SM_FP64, WAIT_ALU, AT(fp64_lanes), AT(fp64_latency)},
    [OP_FP16] = {SM_FP16, WAIT_ALU, AT(fp16_lanes), AT(alu_latency)},
    [OP_SFU] = {SM_SFU, WAIT_ALU, AT(sfu_lanes), AT(sfu_latency)},
    [OP_CVT64] = {SM_SFU, WAIT_ALU, AT(cvt64_lanes), AT(sfu_latency)},
    [OP_SHUFFLE] = {SM_SHUFFLE, WAIT_SHARED, AT(shuffle_lanes), AT(shuffle_latency)},
    [OP_VOTE] = {SM_INT, WAIT_ALU, AT(int_lanes), AT(alu_latency)},
    [OP_UNIFORM] = {SM_ISSUE, WAIT_ALU, 0, AT(alu_latency)},
    [OP_BRANCH] = {SM_ISSUE, WAIT_ALU, 0, AT(alu_latency)},
    [OP_JUMP] = {SM_JUMP, WAIT_ALU, 0, AT(alu_latency)},
    [OP_BARRIER] = {SM_ISSUE, WAIT_BARRIER, 0, AT(barrier_latency)},
    [OP_FENCE] = {SM_ISSUE, WAIT_MEMORY, 0, AT(l2_latency)},
    [OP_GLOBAL] = {SM_L1, WAIT_MEMORY, 0, AT(l1_latency)},
    [OP_SHARED] = {SM_SHARED, WAIT_SHARED, 0, AT(shared_latency)},
    [OP_LOCAL] = {SM_L1, WAIT_MEMORY, 0, AT(l1_latency)},
    [OP_CONST] = {SM_CONST, WAIT_MEMORY, 0, AT(l1_latency)},
    [OP_TEXTURE] = {SM_TEXTURE, WAIT_MEMORY, 0, AT(l1_latency)},
};

static uint32_t figure(const struct gpu *gpu, size_t offset)
{
    uint32_t value;
    memcpy(&value, (const char *)gpu + offset, sizeof value);
    return value;
}

static uint32_t parts_of(const struct gpu *gpu)
{
    return smaller_of(gpu->schedulers_per_sm, (uint32_t)SM_MAX_PARTS);
}

static void set_class_rates(struct sm *sm)
{
    const struct gpu *gpu = sm->job->gpu;
    for (int c = 0; c < OP_CLASSES; c++) {
        const bool is_parted = classes[c].unit < SM_PARTED;
        const uint32_t lanes = classes[c].lanes ? figure(gpu, classes[c].lanes) : 0;
        const double share = is_parted ? (double)lanes / parts_of(gpu) : lanes;
        sm->interval[c] = lanes ? sm_ticks(LANES, share) : TICKS;
        sm->latency[c] = sm->job->is_prompt ? TICKS : (uint64_t)figure(gpu, classes[c].latency) * TICKS;
        if (sm->job->change)
            sm->latency[c] /= classes[c].wait == WAIT_MEMORY ? sm->job->change->memory_overlap
                                                             : sm->job->change->compute_overlap;
    }
}

/* Slots that an operation loses for its sources, by their number. Units that take two clocks for a warp leave time to fetch
 * all operands. */
static void set_ports(struct sm *sm)
{
    enum { FEW = 4, MANY = 16 }; /* registers of a thread */
    const struct gpu *gpu = sm->job->gpu;
    if (gpu->cc_major < 7 || gpu->fp32_lanes < LANES * parts_of(gpu))
        return;
    const uint32_t registers = smaller_of(larger_of(sm->job->registers, (uint32_t)FEW), (uint32_t)MANY);
    sm->extra[2] = TICKS / 4 * (registers - FEW) / (MANY - FEW);
    sm->extra[3] = TICKS;
}

static bool has_no_starts(const struct sm_job *job)
{
    return job->change && job->change->is_without_starts;
}

static void set_rates(struct sm *sm)
{
    const struct gpu *gpu = sm->job->gpu;
    set_class_rates(sm);
    sm->interval[OP_JUMP] = (uint64_t)JUMP_CLOCKS * TICKS;
    set_ports(sm);
    sm->block_interval =
        has_no_starts(sm->job) ? 0 : (uint64_t)(gpu->block_launch_cycles * sm->job->sms * TICKS);
}

/* ------------------------------------------------------------------------------------------- whose turn it is */

/* A turn is a time and a warp in one number: the smaller one is first, and of two at the same time the warp with the smaller
 * number. */
enum { WARP_BITS = 16 };
#define NO_TURN UINT64_MAX

/* turns[1] is the first of all, and turns[i] that of turns[2 * i] and turns[2 * i + 1]. A way from a leaf to the root has always
 * as many steps and no branches: unlike a heap's, it has nothing that a processor could guess wrong. */
static void set_turn(struct sm_line *line, uint32_t warp, uint64_t turn)
{
    uint64_t *const turns = line->turns;
    turns[line->nleaves + warp] = turn;
    for (uint32_t at = line->nleaves + warp; at > 1; at /= 2) {
        turn = smaller_of(turn, turns[at ^ 1]);
        turns[at / 2] = turn;
    }
}

static bool is_any(const struct sm_line *line)
{
    return line->turns[1] != NO_TURN;
}

static uint32_t first_of(const struct sm_line *line)
{
    return (uint32_t)(line->turns[1] & ((1u << WARP_BITS) - 1));
}

static void enter(struct sm_line *line, uint32_t warp, uint64_t time)
{
    set_turn(line, warp, time << WARP_BITS | warp);
}

static void drop_first(struct sm_line *line)
{
    set_turn(line, first_of(line), NO_TURN);
}

static bool make_line(struct sm_line *line, uint32_t nwarps)
{
    for (line->nleaves = 1; line->nleaves < nwarps; line->nleaves *= 2)
        ;
    line->turns = malloc((size_t)2 * line->nleaves * sizeof *line->turns);
    for (uint32_t i = 0; line->turns && i < 2 * line->nleaves; i++)
        line->turns[i] = NO_TURN;
    return line->turns;
}

/* The warp can issue when its time says. */
static void push(struct sm *sm, uint32_t warp)
{
    enter(&sm->ready, warp, sm->warps[warp].time);
}

/* The first has another time now. */
static void sort_first(struct sm *sm)
{
    push(sm, first_of(&sm->ready));
}

/* ------------------------------------------------------------------------------------------- operands */

/* What a warp waits for: what kind of thing it is, and the instruction that makes it; 0: nobody wants to know, or none does. */
struct awaited {
    uint8_t wait;
    uint32_t id;
};

static void await_register(const struct sm_warp *warp, struct awaited *what, uint16_t reg)
{
    what->wait = warp->source[warp->first_register + reg];
    what->id = warp->maker ? warp->maker[warp->first_register + reg] : 0;
}

/* When the operands of the warp's next operation are there, and who is the last to come. */
static uint64_t operands_ready(const struct sm_warp *warp, struct awaited *what)
{
    const uint64_t *ready = warp->ready + warp->first_register;
    uint64_t at = 0;
    for (int i = 0; i < OP_USES && warp->op->use[i] != NO_REGISTER; i++)
        if (ready[warp->op->use[i]] > at) {
            at = ready[warp->op->use[i]];
            await_register(warp, what, warp->op->use[i]);
        }
    if (at && op_is_branch(warp->op))
        at += (uint64_t)GUARD_CLOCKS * TICKS;
    if (warp->op->guard == NO_REGISTER)
        return at;
    const uint64_t known = ready[warp->op->guard] + (uint64_t)GUARD_CLOCKS * TICKS;
    if (ready[warp->op->guard] && known > at) {
        at = known;
        await_register(warp, what, warp->op->guard);
    }
    return at;
}

static void set_results(struct sm_warp *warp, const struct op *op, uint64_t at, struct awaited what)
{
    for (int i = 0; i < OP_DEFS && op->def[i] != NO_REGISTER; i++) {
        warp->ready[warp->first_register + op->def[i]] = at;
        warp->source[warp->first_register + op->def[i]] = what.wait;
        if (warp->maker)
            warp->maker[warp->first_register + op->def[i]] = what.id;
    }
}

/* The instruction that makes what the warp's next operation waits for; that operation itself where none is known. */
static uint32_t maker_of(const struct sm_warp *warp, struct awaited what)
{
    return what.id ? what.id : sm_id(warp, warp->op);
}

/* ------------------------------------------------------------------------------------------- segments */

#define NO_SEGMENT UINT32_MAX

/* What a segment costs is the time until the next one begins. */
static void leave_segment(struct sm *sm, struct sm_warp *warp)
{
    if (warp->segment == NO_SEGMENT)
        return;
    sm->run->segments[warp->segment].clocks += (double)(warp->time - warp->entered);
    sm->run->segments[warp->segment].executions += warp->rounds;
}

/* False: the warp's record is over. */
static bool enter_segment(struct sm *sm, struct sm_warp *warp)
{
    if (sm_pass(sm, warp))
        return true;
    leave_segment(sm, warp);
    warp->segment = NO_SEGMENT;
    if (!sm_follow(sm, warp))
        return false;
    warp->entered = warp->time;
    return true;
}

/* ------------------------------------------------------------------------------------------- blocks */

static void start_warp(struct sm *sm, struct sm_warp *warp, const struct warp_record *record, uint64_t at)
{
    const uint32_t registers = sm->job->program->nregisters;
    memset(warp->ready, 0, registers * sizeof *warp->ready);
    warp->record = record;
    warp->place = warp->cost = 0;
    warp->op = warp->end = NULL;
    warp->segment = NO_SEGMENT;
    warp->pending = warp->put_off = 0;
    warp->copied.last = warp->copied.ngroups = 0;
    warp->passed = warp->passed_end = NULL;
    warp->stored.lines = 0;
    warp->spill_loads = warp->spill_stores = 0;
    warp->time = warp->began = at;
}

/* The next block takes the place of one that is done. */
static void start_block(struct sm *sm, struct sm_block *block, uint64_t at)
{
    const struct gpu *gpu = sm->job->gpu;
    const uint32_t number = sm->started++, round = number / sm->job->nblocks;
    const struct block_record *record = sm->job->blocks[number % sm->job->nblocks];
    const uint64_t start = later(at, sm->launcher);
    const bool is_at_once = sm->job->is_prompt || has_no_starts(sm->job);
    const uint64_t first = start + (is_at_once ? 0 : (uint64_t)(gpu->block_start_cycles * TICKS));
    sm->launcher = start + sm->block_interval;
    block->nwarps = block->live = record->nwarps;
    block->arrived = 0;
    block->last_arrival = 0;
    memset(block->spins, 0, sizeof block->spins);
    sm->run->waits[WAIT_START] += (double)(first - at) * record->nwarps;
    if (sm->run->timeline)
        timeline_start(sm->run->timeline, (uint32_t)(block - sm->blocks), number, start);
    for (uint32_t w = 0; w < record->nwarps; w++) {
        if (sm->run->timeline)
            timeline_note(sm->run->timeline, block->first_warp + w, WAIT_START, start, first - start);
        sm->warps[block->first_warp + w].round = round;
        start_warp(sm, &sm->warps[block->first_warp + w], &record->warps[w], first);
        push(sm, block->first_warp + w);
    }
}

/* Everybody who still runs has come to the barrier. */
static void pass_barrier(struct sm *sm, struct sm_block *block, uint64_t now)
{
    const uint64_t on = block->last_arrival + sm->latency[OP_BARRIER];
    sm_take(sm, &sm->units[SM_L1], SM_L1, now, (uint64_t)RELEASE_CLOCKS * TICKS);
    for (uint32_t w = block->first_warp; w < block->first_warp + block->nwarps; w++) {
        struct sm_warp *warp = &sm->warps[w];
        if (!warp->record || warp->time != UINT64_MAX)
            continue;
        sm->run->waits[WAIT_BARRIER] += (double)(on - warp->came);
        sm_spend(sm, warp, sm_id(warp, warp->op - 1), WAIT_BARRIER, warp->came, on - warp->came);
        warp->time = on;
        push(sm, w);
    }
    block->arrived = 0;
    block->last_arrival = 0;
}

static void finish_block(struct sm *sm, struct sm_block *block, uint64_t at)
{
    sm->run->done[sm->finished++] = at;
    if (sm->run->timeline)
        timeline_end(sm->run->timeline, (uint32_t)(block - sm->blocks), at);
    if (sm->started < sm->job->total)
        start_block(sm, block, at);
}

static void end_warp(struct sm *sm, struct sm_warp *warp, uint64_t at)
{
    struct sm_block *block = &sm->blocks[warp->block];
    leave_segment(sm, warp);
    sm->run->warp_clocks += (double)(at - warp->began);
    warp->record = NULL;
    if (--block->live == 0)
        finish_block(sm, block, at);
    else if (block->arrived == block->live)
        pass_barrier(sm, block, at);
}

/* ------------------------------------------------------------------------------------------- the step */

static void arrive(struct sm *sm, struct sm_warp *warp, uint64_t at)
{
    struct sm_block *block = &sm->blocks[warp->block];
    const uint64_t counting = (uint64_t)ARRIVAL_CLOCKS * TICKS;
    const uint64_t now = at;
    if (warp->pending > at) {
        sm->run->waits[warp->pending_wait] += (double)(warp->pending - at);
        sm_spend(sm, warp, warp->pending_id, warp->pending_wait, at, warp->pending - at);
        at = warp->pending;
    }
    block->arrived++;
    block->last_arrival =
        later(block->last_arrival, sm_take(sm, &sm->units[SM_BARRIER], SM_BARRIER, at, counting) + counting);
    warp->came = at;
    warp->time = UINT64_MAX; /* until all have come */
    if (block->arrived == block->live)
        pass_barrier(sm, block, now);
}

/* Registers come from two banks with a port each. Three operands take two turns, and two may be in one bank: ptxas avoids it
 * where a thread has few registers. An operand that the operation before has left need not be read, if it is of the same
 * warp: a scheduler goes on with a warp as long as it can. */
static uint64_t extra_slots(const struct sm *sm, const struct sm_warp *warp, uint64_t ready)
{
    const bool is_next = ready <= warp->last + TICKS;
    return sm->extra[is_next ? warp->ports->fresh : warp->ports->sources];
}

static void note_lost(struct sm *sm, enum sm_resource resource, uint64_t extra)
{
    if (!(sm->job->without >> resource & 1))
        sm->run->segments[sm->segment].lost[resource] += (double)extra;
}

/* L1's queue is counted in accesses; where its length is not known, it is as long as the other pipes', in clocks of work. */
static bool goes_to_queue(const struct sm *sm, const struct op *op)
{
    return sm->job->gpu->l1_queue && (op->class == OP_GLOBAL || op->class == OP_LOCAL);
}

/* Of the ring of accesses in L1's queue, the one that came first: the next takes its place. */
static uint32_t first_in_queue(const struct sm *sm)
{
    return sm->ntaken % sm->job->gpu->l1_queue;
}

/* Issues the operation at a time when its operands are there; gives the time at which its result is. */
static uint64_t issue(struct sm *sm, struct sm_warp *warp, const struct op *op, uint64_t ready, uint64_t *at)
{
    const enum sm_resource resource = classes[op->class].unit;
    struct unit *slot = &sm->parted[SM_ISSUE][warp->part];
    const uint64_t extra = sm_kept(sm, warp, op, extra_slots(sm, warp, ready));
    const uint64_t issued =
        sm_take(sm, slot, SM_ISSUE, *at, sm_kept(sm, warp, op, (uint64_t)op->count * TICKS) + extra);
    note_lost(sm, SM_ISSUE, extra);
    sm->run->segments[warp->segment].issued += op->count;
    warp->last = *at = issued + extra;
    if (op->class >= OP_GLOBAL && !sm_kept(sm, warp, op, TICKS))
        return issued; /* an access that is not there any more */
    if (op->class >= OP_GLOBAL) {
        sm->served = issued;
        sm->held = 0;
        const uint64_t there = sm_access(sm, warp, op, issued);
        const uint64_t ahead = (uint64_t)QUEUE_CLOCKS * TICKS;
        *at = later(*at, sm->held);
        if (goes_to_queue(sm, op)) {
            sm->taken[first_in_queue(sm)] = sm->served;
            sm->ntaken++;
        } else
            *at = later(*at, sm->served > ahead ? sm->served - ahead : 0);
        return there;
    }
    uint64_t start = issued + extra;
    const uint64_t duration = sm_kept(sm, warp, op, op->count * sm->interval[op->class]) + extra;
    if (warp->has_place) {
        struct unit *unit = &sm->parted[resource][warp->part];
        unit->free = later(unit->free, issued + duration);
        warp->has_place = false;
    } else if (resource != SM_ISSUE) {
        struct unit *unit = resource < SM_PARTED ? &sm->parted[resource][warp->part] : &sm->units[resource];
        start = sm_take(sm, unit, resource, issued, duration);
        if (resource < SM_PARTED)
            note_lost(sm, resource, extra);
    }
    *at = start;
    return start + sm_kept(sm, warp, op, (op->chain ? op->chain : 1) * sm->latency[op->class]);
}

/* The operation was issued: when the warp can issue the next one. */
static void go_on(struct sm *sm, struct sm_warp *warp, const struct op *op, uint64_t at)
{
    warp->op++;
    warp->ports++;
    if (op->class == OP_BARRIER && !(sm->job->change && sm->job->change->is_without_barriers)) {
        drop_first(&sm->ready);
        arrive(sm, warp, at);
        return;
    }
    const uint32_t clocks = op->class == OP_JUMP     ? JUMP_LATENCY
                            : op->class == OP_BRANCH ? BRANCH_CLOCKS
                                                     : op->count;
    warp->time = at + sm_kept(sm, warp, op, (uint64_t)clocks * TICKS);
    if (sm->job->spill_stores > 0 || sm->job->spill_loads > 0)
        sm_spill(sm, warp, at);
    sort_first(sm);
}

/* ptxas puts arithmetic and stores of code that it mixes behind the loads that follow. */
static bool can_wait(const struct op *op, bool is_mixed)
{
    const bool is_store = op->class == OP_SHARED && op->def[0] == NO_REGISTER && !op->is_loop;
    return is_mixed && (op->class < OP_BRANCH || is_store);
}

/* When the copies are there that a warp waits for: more groups than we remember are long there. */
static uint64_t copies_ready(const struct sm_warp *warp, uint32_t behind)
{
    const uint32_t ngroups = warp->copied.ngroups;
    if (!behind)
        return warp->copied.last;
    return behind < ngroups && behind < SM_COPY_GROUPS
               ? warp->copied.groups[(ngroups - 1 - behind) % SM_COPY_GROUPS]
               : 0;
}

static void note_copy(struct sm_warp *warp, enum op_copy copy, uint64_t there)
{
    if (copy == COPY_START)
        warp->copied.last = later(warp->copied.last, there);
    else if (copy == COPY_COMMIT)
        warp->copied.groups[warp->copied.ngroups++ % SM_COPY_GROUPS] = warp->copied.last;
}

/* When the operands of the warp's next operation are there; nothing is put off beyond a branch. */
static uint64_t next_ready(const struct sm_warp *warp, struct awaited *what)
{
    uint64_t ready = operands_ready(warp, what);
    const uint64_t copied = warp->op->copy == COPY_WAIT ? copies_ready(warp, warp->op->behind) : 0;
    if (copied > ready) {
        *what = (struct awaited){WAIT_MEMORY, 0};
        ready = copied;
    }
    if (!op_is_branch(warp->op) || warp->put_off <= ready)
        return ready;
    *what = (struct awaited){WAIT_MEMORY, warp->put_off_id};
    return warp->put_off;
}

/* A barrier waits for this store to shared memory, if it is the last to be done. */
static void note_pending(struct sm_warp *warp, uint64_t done, struct awaited what, bool is_put_off)
{
    if (done <= warp->pending)
        return;
    warp->pending = done;
    warp->pending_wait = is_put_off ? what.wait : WAIT_SHARED;
    warp->pending_id = is_put_off ? maker_of(warp, what) : sm_id(warp, warp->op);
}

/* The warp issues its next operation now; is_put_off: its operands come later. */
static void issue_next(struct sm *sm, struct sm_warp *warp, uint64_t ready, struct awaited what,
                       bool is_put_off)
{
    const struct op *op = warp->op;
    uint64_t at = warp->time;
    sm->segment = warp->segment;
    const uint64_t result = later(issue(sm, warp, op, ready, &at), ready + sm->latency[op->class]);
    if (is_put_off && ready > warp->put_off) {
        warp->put_off = ready;
        warp->put_off_id = maker_of(warp, what);
    }
    note_copy(warp, op->copy, result);
    if (op->class == OP_SHARED && op->is_store)
        note_pending(warp, later(at, ready) + sm->latency[OP_SHARED], what, is_put_off);
    sm->run->waits[WAIT_UNIT] += (double)(at - warp->time);
    sm_spend(sm, warp, sm_id(warp, op), WAIT_UNIT, warp->time, at - warp->time);
    sm_spend(sm, warp, sm_id(warp, op), SPENT_ISSUING, at, (uint64_t)op->count * TICKS);
    /* whoever needs the result of what was put off waits for what that waits for */
    const struct awaited made = {is_put_off ? WAIT_MEMORY : classes[op->class].wait,
                                 is_put_off ? maker_of(warp, what) : sm_id(warp, op)};
    set_results(warp, op, result, made);
    go_on(sm, warp, op, at);
}

/* ------------------------------------------------------------------------------------------- the memory pipe's queue */

/* From when on there is room in the queue. */
static uint64_t queue_opens(const struct sm *sm)
{
    return sm->taken[first_in_queue(sm)];
}

static bool must_queue(const struct sm *sm, const struct sm_warp *warp)
{
    return goes_to_queue(sm, warp->op) && queue_opens(sm) > warp->time;
}

/* A scheduler lets the oldest of its warps go first: what they have brought into L1 they use before it must make room. */
static void let_oldest_go(struct sm *sm)
{
    const uint32_t number = first_of(&sm->queue);
    struct sm_warp *warp = &sm->warps[number];
    const uint64_t opens = later(queue_opens(sm), warp->time);
    drop_first(&sm->queue);
    sm->run->waits[WAIT_UNIT] += (double)(opens - warp->time);
    sm_spend(sm, warp, sm_id(warp, warp->op), WAIT_UNIT, warp->time, opens - warp->time);
    warp->time = opens;
    push(sm, number);
}

static bool is_turn_of_queue(const struct sm *sm)
{
    return is_any(&sm->queue) &&
           (!is_any(&sm->ready) || queue_opens(sm) <= sm->warps[first_of(&sm->ready)].time);
}

/* A scheduler has no room for operations whose unit is taken: they get no slot until it is free. True: the warp waits now,
 * with a place in line for the unit; whoever has a place and then finds no slot has kept the unit idle. */
static bool waits_for_unit(struct sm *sm, struct sm_warp *warp)
{
    const struct op *op = warp->op;
    const enum sm_resource resource = classes[op->class].unit;
    if (resource == SM_ISSUE || resource >= SM_PARTED || warp->has_place)
        return false;
    struct unit *unit = &sm->parted[resource][warp->part];
    if (unit->free <= warp->time || sm->job->without >> resource & 1)
        return false;
    const uint64_t start =
        sm_take(sm, unit, resource, warp->time, sm_kept(sm, warp, op, op->count * sm->interval[op->class]));
    sm->run->waits[WAIT_UNIT] += (double)(start - warp->time);
    sm_spend(sm, warp, sm_id(warp, op), WAIT_UNIT, warp->time, start - warp->time);
    warp->time = start;
    warp->has_place = true;
    return true;
}

static void step(struct sm *sm)
{
    struct sm_warp *warp = &sm->warps[first_of(&sm->ready)];
    sm_skip(warp);
    if (warp->op == warp->end && !enter_segment(sm, warp)) {
        drop_first(&sm->ready);
        end_warp(sm, warp, warp->time);
        return;
    }
    sm_skip(warp);
    if (warp->op == warp->end)
        return; /* nothing but free instructions: the next step goes on */
    struct awaited what = {WAIT_ALU, 0};
    const uint64_t ready = next_ready(warp, &what);
    const bool is_put_off =
        ready > warp->time && what.wait == WAIT_MEMORY && can_wait(warp->op, warp->is_mixed);
    const bool is_ready = ready <= warp->time || is_put_off;
    if (is_ready && must_queue(sm, warp)) {
        enter(&sm->queue, first_of(&sm->ready), warp->began);
        drop_first(&sm->ready);
        return;
    }
    if (is_ready && waits_for_unit(sm, warp)) {
        sort_first(sm);
        return;
    }
    if (is_ready) {
        issue_next(sm, warp, ready, what, is_put_off);
        return;
    }
    sm->run->waits[what.wait] += (double)(ready - warp->time);
    sm_spend(sm, warp, maker_of(warp, what), what.wait, warp->time, ready - warp->time);
    warp->time = ready;
    sort_first(sm);
}

/* Named barriers of some warps look like barriers of all here; if nobody can go on, all may. */
static bool release_all(struct sm *sm)
{
    bool is_released = false;
    for (uint32_t b = 0; b < sm->job->resident; b++)
        if (sm->blocks[b].arrived) {
            pass_barrier(sm, &sm->blocks[b], sm->blocks[b].last_arrival);
            is_released = true;
        }
    return is_released;
}

/* ------------------------------------------------------------------------------------------- the whole */

static bool make_places(struct sm *sm, uint32_t warps_per_block)
{
    const uint32_t registers = sm->job->program->nregisters + 1, parts = parts_of(sm->job->gpu);
    const uint32_t nwarps = sm->job->resident * warps_per_block;
    sm->blocks = calloc(sm->job->resident, sizeof *sm->blocks);
    sm->warps = calloc(nwarps, sizeof *sm->warps);
    uint64_t *ready = calloc((size_t)nwarps * registers, sizeof *ready);
    uint8_t *source = calloc((size_t)nwarps * registers, sizeof *source);
    uint32_t *maker = sm->job->nids ? calloc((size_t)nwarps * registers, sizeof *maker) : NULL;
    if (!sm->blocks || !sm->warps || !make_line(&sm->ready, nwarps) || !make_line(&sm->queue, nwarps) ||
        !ready || !source || (sm->job->nids && !maker)) {
        free(ready);
        free(source);
        free(maker);
        return false;
    }
    for (uint32_t w = 0; w < nwarps; w++)
        sm->warps[w] = (struct sm_warp){.ready = ready + (size_t)w * registers,
                                        .source = source + (size_t)w * registers,
                                        .maker = maker ? maker + (size_t)w * registers : NULL,
                                        .block = w / warps_per_block,
                                        .part = w % parts};
    for (uint32_t b = 0; b < sm->job->resident; b++)
        sm->blocks[b].first_warp = b * warps_per_block;
    return true;
}

static void free_places(struct sm *sm)
{
    if (sm->warps) {
        free(sm->warps[0].ready);
        free(sm->warps[0].source);
        free(sm->warps[0].maker);
    }
    free(sm->warps);
    free(sm->ready.turns);
    free(sm->queue.turns);
    free(sm->blocks);
}

static void collect(struct sm *sm)
{
    struct sm_run *run = sm->run;
    const uint32_t parts = parts_of(sm->job->gpu);
    const uint64_t end = run->done[sm->job->total - 1];
    const double all = end ? (double)end : 1;
    sm->units[SM_L1].busy = larger_of(sm->units[SM_L1].busy, sm->tags.busy);
    for (int r = 0; r < SM_RESOURCES; r++) {
        double busy = (double)sm->units[r].busy;
        for (uint32_t p = 0; r < SM_PARTED && p < parts; p++)
            busy += (double)sm->parted[r][p].busy / parts;
        run->busy[r] = busy / all;
    }
    for (int w = 0; w < SM_WAITS; w++)
        run->waits[w] /= TICKS;
    run->warp_clocks /= TICKS;
    for (uint32_t i = 0; run->spent && i < sm->job->nids; i++)
        for (int on = 0; on < SM_SPENT; on++)
            run->spent[i][on] /= TICKS;
    for (uint32_t i = 0; i < sm->job->program->nsegments; i++) {
        run->segments[i].clocks /= TICKS;
        for (int r = 0; r < SM_RESOURCES; r++)
            run->segments[i].busy[r] /= r < SM_PARTED ? TICKS * (double)parts : TICKS;
        for (int r = 0; r < SM_PARTED; r++)
            run->segments[i].lost[r] /= TICKS * (double)parts;
    }
    for (uint32_t b = 0; b < sm->job->total; b++)
        run->done[b] = divide_up(run->done[b], TICKS);
}

bool sm_simulate(struct sm_run *run, const struct sm_job *job)
{
    struct sm sm = {.job = job, .run = run, .segment = job->program->nsegments};
    memset(run, 0, sizeof *run);
    run->done = calloc(job->total, sizeof *run->done);
    run->segments = calloc(job->program->nsegments + 1, sizeof *run->segments);
    run->spent = job->nids ? calloc(job->nids, sizeof *run->spent) : NULL;
    run->timeline = job->nids
                        ? timeline_new(job->resident * job->blocks[0]->nwarps, job->blocks[0]->nwarps, TICKS)
                        : NULL;
    if (!run->done || !run->segments || (job->nids && !(run->spent && run->timeline)) ||
        !make_places(&sm, job->blocks[0]->nwarps) || !sm_memory_begin(&sm)) {
        sm_memory_end(&sm);
        free_places(&sm);
        sm_run_free(run);
        return false;
    }
    set_rates(&sm);
    for (uint32_t b = 0; b < job->resident && sm.started < job->total; b++)
        start_block(&sm, &sm.blocks[b], 0);
    while (sm.finished < job->total) {
        if (is_turn_of_queue(&sm))
            let_oldest_go(&sm);
        else if (is_any(&sm.ready))
            step(&sm);
        else if (!release_all(&sm))
            break;
    }
    collect(&sm);
    sm_memory_end(&sm);
    free_places(&sm);
    return true;
}

void sm_run_free(struct sm_run *run)
{
    free(run->done);
    free(run->segments);
    free(run->spent);
    timeline_free(run->timeline);
    run->done = NULL;
    run->segments = NULL;
    run->spent = NULL;
    run->timeline = NULL;
}
