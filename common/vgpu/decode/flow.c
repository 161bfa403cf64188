/* flow.c - control flow of a decoded function: basic blocks, immediate post-dominators, reconvergence points.
 * Lanes that part at a branch meet again at the branch's immediate post-dominator; a JOIN stands there.
 * Branches hold PTX instruction numbers before and code indexes after flow_resolve(). */
#include <stdlib.h>
#include <string.h>

#include "exec/control.h"
#include "decode/decode_internal.h"

#define NO_BLOCK 0xffffffffu

struct basic_block {
    uint32_t first, end; /* code indexes */
    uint32_t ipdom;      /* block number; nblocks is the exit; NO_BLOCK: none */
    uint32_t order;      /* number in reverse post-order of the reversed graph */
    bool has_join;
};

struct flow {
    struct decoder *decoder;
    struct basic_block *blocks;
    uint32_t nblocks;
    uint32_t *block_of; /* code index → block, for leaders */
    uint32_t *order;    /* blocks, exit first */
    uint32_t norder;
    uint32_t *preds, *pred_start; /* predecessors in the original graph, by block (exit included) */
};

static bool is_branch(const struct insn *insn)
{
    return insn->kind == INSN_STEP && (insn->step == step_bra || insn->step == step_brx);
}

static bool ends_block(const struct insn *insn)
{
    return is_branch(insn) ||
           (insn->kind == INSN_STEP && (insn->step == step_ret || insn->step == step_exit));
}

static uint32_t ntargets(const struct insn *insn)
{
    return insn->step == step_brx ? ((const struct branch_table *)insn->extra)->count : 1;
}

static uint32_t target_of(const struct insn *insn, uint32_t k)
{
    return insn->step == step_brx ? ((const struct branch_table *)insn->extra)->targets[k] : insn->target;
}

/* PTX instruction numbers → code indexes. */
static void resolve_targets(struct decoder *decoder)
{
    for (uint32_t i = 0; i < decoder->ncode; i++) {
        struct insn *insn = &decoder->code[i];
        if (!is_branch(insn))
            continue;
        if (insn->step == step_bra) {
            insn->target = decoder->starts[insn->target];
            continue;
        }
        struct branch_table *table = (struct branch_table *)insn->extra;
        for (uint32_t k = 0; k < table->count; k++)
            table->targets[k] = decoder->starts[table->targets[k]];
    }
}

static bool find_blocks(struct flow *flow)
{
    struct decoder *decoder = flow->decoder;
    uint32_t n = decoder->ncode;
    uint8_t *is_leader = calloc(n + 2, 1);
    flow->block_of = malloc((n + 1) * sizeof *flow->block_of);
    if (!is_leader || !flow->block_of) {
        free(is_leader);
        return false;
    }
    is_leader[0] = 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct insn *insn = &decoder->code[i];
        if (ends_block(insn))
            is_leader[i + 1] = 1;
        for (uint32_t k = 0; is_branch(insn) && k < ntargets(insn); k++)
            is_leader[target_of(insn, k)] = 1;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += is_leader[i];
    flow->blocks = calloc(count + 1, sizeof *flow->blocks);
    if (flow->blocks) {
        for (uint32_t i = 0; i < n; i++) {
            if (is_leader[i])
                flow->blocks[flow->nblocks++] =
                    (struct basic_block){.first = i, .ipdom = NO_BLOCK, .order = NO_BLOCK};
            flow->block_of[i] = flow->nblocks - 1;
            flow->blocks[flow->nblocks - 1].end = i + 1;
        }
        flow->block_of[n] = flow->nblocks;
    }
    free(is_leader);
    return flow->blocks != NULL;
}

/* Calls visit for each successor of a block; the exit is block nblocks. */
static void each_successor(const struct flow *flow, uint32_t block, void (*visit)(void *, uint32_t, uint32_t),
                           void *context)
{
    const struct insn *last = &flow->decoder->code[flow->blocks[block].end - 1];
    bool falls_through =
        !ends_block(last) || last->guard || (is_branch(last) && last->step == step_bra && last->guard);
    if (is_branch(last))
        for (uint32_t k = 0; k < ntargets(last); k++)
            visit(context, block, flow->block_of[target_of(last, k)]);
    else if (ends_block(last))
        visit(context, block, flow->nblocks);
    if (falls_through)
        visit(context, block, flow->block_of[flow->blocks[block].end]);
}

static void count_pred(void *context, uint32_t from, uint32_t to)
{
    (void)from;
    ((struct flow *)context)->pred_start[to + 2]++;
}

static void store_pred(void *context, uint32_t from, uint32_t to)
{
    struct flow *flow = context;
    flow->preds[flow->pred_start[to + 1]++] = from;
}

static bool find_preds(struct flow *flow)
{
    uint32_t n = flow->nblocks;
    flow->pred_start = calloc(n + 4, sizeof *flow->pred_start);
    if (!flow->pred_start)
        return false;
    for (uint32_t b = 0; b < n; b++)
        each_successor(flow, b, count_pred, flow);
    for (uint32_t b = 1; b < n + 3; b++)
        flow->pred_start[b] += flow->pred_start[b - 1];
    flow->preds = malloc((flow->pred_start[n + 2] + 1) * sizeof *flow->preds);
    if (!flow->preds)
        return false;
    for (uint32_t b = 0; b < n; b++)
        each_successor(flow, b, store_pred, flow);
    return true;
}

/* Post-order of the reversed graph from the exit, without recursion. */
static bool find_order(struct flow *flow)
{
    uint32_t n = flow->nblocks + 1, depth = 0, count = 0;
    uint32_t *stack = malloc(n * sizeof *stack), *next = malloc(n * sizeof *next);
    flow->order = malloc(n * sizeof *flow->order);
    uint8_t *seen = calloc(n, 1);
    bool is_fine = stack && next && flow->order && seen;
    if (is_fine) {
        stack[depth] = flow->nblocks;
        next[depth++] = flow->pred_start[flow->nblocks];
        seen[flow->nblocks] = 1;
    }
    while (is_fine && depth) {
        uint32_t block = stack[depth - 1];
        if (next[depth - 1] == flow->pred_start[block + 1]) {
            flow->order[count++] = block;
            depth--;
            continue;
        }
        uint32_t pred = flow->preds[next[depth - 1]++];
        if (seen[pred])
            continue;
        seen[pred] = 1;
        stack[depth] = pred;
        next[depth++] = flow->pred_start[pred];
    }
    for (uint32_t i = 0; is_fine && i < count / 2; i++) {
        uint32_t swap = flow->order[i];
        flow->order[i] = flow->order[count - 1 - i];
        flow->order[count - 1 - i] = swap;
    }
    flow->norder = count;
    for (uint32_t i = 0; is_fine && i < count; i++)
        flow->blocks[flow->order[i]].order = i;
    free(stack);
    free(next);
    free(seen);
    return is_fine;
}

static uint32_t common_postdominator(const struct flow *flow, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (flow->blocks[a].order > flow->blocks[b].order)
            a = flow->blocks[a].ipdom;
        while (flow->blocks[b].order > flow->blocks[a].order)
            b = flow->blocks[b].ipdom;
    }
    return a;
}

struct meet {
    struct flow *flow;
    uint32_t ipdom;
};

static void meet_successor(void *context, uint32_t from, uint32_t to)
{
    (void)from;
    struct meet *meet = context;
    if (meet->flow->blocks[to].ipdom == NO_BLOCK)
        return;
    meet->ipdom = meet->ipdom == NO_BLOCK ? to : common_postdominator(meet->flow, to, meet->ipdom);
}

static void find_postdominators(struct flow *flow)
{
    flow->blocks[flow->nblocks].ipdom = flow->nblocks;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t i = 1; i < flow->norder; i++) {
            struct basic_block *block = &flow->blocks[flow->order[i]];
            struct meet meet = {flow, NO_BLOCK};
            each_successor(flow, flow->order[i], meet_successor, &meet);
            is_changed |= meet.ipdom != block->ipdom;
            block->ipdom = meet.ipdom;
        }
    }
}

/* Lanes that only come to leave the kernel need not wait for each other: an early return is no divergence. */
static bool only_leaves(const struct flow *flow, uint32_t block)
{
    const struct insn *first = &flow->decoder->code[flow->blocks[block].first];
    return flow->decoder->function->ptx->is_entry && ends_block(first) && !is_branch(first) && !first->guard;
}

/* Branches that can part lanes learn where these meet; those blocks get a JOIN. */
static void mark_joins(struct flow *flow)
{
    for (uint32_t b = 0; b < flow->nblocks; b++) {
        struct insn *last = &flow->decoder->code[flow->blocks[b].end - 1];
        if (!is_branch(last))
            continue;
        uint32_t ipdom = flow->blocks[b].ipdom;
        bool can_part = last->step == step_brx || last->guard;
        bool can_meet = ipdom < flow->nblocks && !only_leaves(flow, ipdom);
        last->join = can_part && can_meet ? ipdom : NO_JOIN;
        if (last->join != NO_JOIN)
            flow->blocks[ipdom].has_join = true;
    }
}

/* Lanes may call different functions through one pointer; they meet behind the call. */
static bool is_indirect_call(const struct insn *insn)
{
    if (insn->kind != INSN_STEP || insn->step != step_call)
        return false;
    const struct call_info *call = insn->extra;
    return !call->callee && !call->builtin;
}

static void put_join(struct insn *at, const struct insn *near)
{
    at->kind = INSN_JOIN;
    at->source = near->source;
    at->loc = near->loc;
}

static uint32_t count_joins(const struct flow *flow)
{
    uint32_t joins = 0;
    for (uint32_t b = 0; b < flow->nblocks; b++)
        joins += flow->blocks[b].has_join;
    for (uint32_t i = 0; i < flow->decoder->ncode; i++)
        joins += is_indirect_call(&flow->decoder->code[i]);
    return joins;
}

static bool insert_joins(struct flow *flow)
{
    struct decoder *decoder = flow->decoder;
    uint32_t n = decoder->ncode, joins = count_joins(flow);
    struct insn *code = aligned_alloc(64, (n + joins + 1) * sizeof *code);
    uint32_t *moved = malloc((n + 1) * sizeof *moved);
    if (!code || !moved) {
        free(code);
        free(moved);
        return false;
    }
    memset(code, 0, (n + joins + 1) * sizeof *code);
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        moved[i] = at;
        const struct basic_block *block = &flow->blocks[flow->block_of[i]];
        if (block->first == i && block->has_join)
            put_join(&code[at++], &decoder->code[i]);
        code[at++] = decoder->code[i];
        if (is_indirect_call(&decoder->code[i]))
            put_join(&code[at++], &decoder->code[i]);
    }
    moved[n] = at;
    for (uint32_t i = 0; i < at; i++) {
        if (!is_branch(&code[i]))
            continue;
        if (code[i].join != NO_JOIN)
            code[i].join = moved[flow->blocks[code[i].join].first];
        if (code[i].step == step_bra) {
            code[i].target = moved[code[i].target];
            continue;
        }
        struct branch_table *table = (struct branch_table *)code[i].extra;
        for (uint32_t k = 0; k < table->count; k++)
            table->targets[k] = moved[table->targets[k]];
    }
    free(moved);
    free(decoder->code);
    decoder->code = code;
    decoder->ncode = at;
    decoder->capacity = n + joins + 1;
    return true;
}

bool flow_resolve(struct decoder *decoder)
{
    resolve_targets(decoder);
    struct flow flow = {.decoder = decoder};
    bool is_fine = find_blocks(&flow) && find_preds(&flow) && find_order(&flow);
    if (is_fine) {
        find_postdominators(&flow);
        mark_joins(&flow);
        is_fine = insert_joins(&flow);
    }
    if (!is_fine)
        decode_error(decoder, "out of memory");
    free(flow.blocks);
    free(flow.block_of);
    free(flow.order);
    free(flow.preds);
    free(flow.pred_start);
    return is_fine;
}
