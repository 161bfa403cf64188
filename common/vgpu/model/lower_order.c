/* lower_order.c - the order in which a segment's operations are issued: a list scheduler, as ptxas has one.
 * The longest way to the segment's end goes first, so loads come early; registers, memory order and the segment's ends are
 * respected, and no more loads are begun than the function has registers for, beside all other values that are wanted.
 * Latencies here only rank operations: what a GPU really takes is sm.c's. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number.h"
#include "model/lower_internal.h"

/* An operation waits for another, or only comes after it. */
struct edge {
    uint32_t from, to;
    uint32_t next; /* edge to the same operation, plus one */
    bool is_value;
};

struct schedule {
    const struct lowering *low;
    const struct op *ops;
    uint32_t n;
    uint32_t segment;
    uint32_t nmemory; /* of one execution */
    struct edge *edges;
    uint32_t nedges;
    size_t capacity;
    uint32_t *first;  /* edges from an operation: they are sorted */
    uint32_t *into;   /* the last edge to an operation, plus one */
    uint32_t *height; /* cycles to the end */
    uint32_t *waits;  /* operations that must be issued before */
    uint32_t *begin;  /* the earliest cycle */
    uint32_t *from;   /* the same, by what comes from outside */
    uint32_t *words;  /* registers that its results take */
    uint32_t *unread; /* operations that will read its results */
    uint32_t *old;    /* by source: it is the value from before the segment; a bit each */
    uint32_t *writer; /* by register: the last operation that writes it, plus one */
    uint32_t *before; /* by register: operations that will read the value from before the segment */
    uint8_t *is_done;
    uint32_t live, peak; /* registers that hold something that is still wanted: now, and at most */
    uint32_t all, room;  /* that there are; that loads may fill */
    uint32_t after_pin;  /* while edges are made: what follows the last operation that stays where it is */
    bool is_full;        /* out of memory */
};

static const uint16_t ranks[OP_CLASSES] = {
    [OP_FP32] = 4,     [OP_ALU] = 5,     [OP_IMAD] = 4,   [OP_IMAD_WIDE] = 5, [OP_FP64] = 8,
    [OP_FP16] = 5,     [OP_SFU] = 18,    [OP_CVT64] = 24, [OP_SHUFFLE] = 24,  [OP_VOTE] = 12,
    [OP_UNIFORM] = 10, [OP_BRANCH] = 1,  [OP_JUMP] = 1,   [OP_BARRIER] = 1,   [OP_FENCE] = 20,
    [OP_GLOBAL] = 300, [OP_SHARED] = 30, [OP_LOCAL] = 60, [OP_CONST] = 40,    [OP_TEXTURE] = 400,
};

static uint32_t latency_of(const struct op *op)
{
    return op->is_store ? 1 : (uint32_t)ranks[op->class] * op->chain + op->count - op->chain;
}

static void add_edge(struct schedule *s, uint32_t from, uint32_t to, bool is_value)
{
    struct edge *edges = list_reserve(s->edges, &s->capacity, s->nedges + 1, sizeof *edges);
    s->is_full |= !edges;
    if (!edges)
        return;
    s->edges = edges;
    s->edges[s->nedges++] = (struct edge){from, to, 0, is_value};
}

/* ------------------------------------------------------------------------------------------- what depends on what */

static bool uses_register(const struct op *op, uint16_t reg)
{
    for (uint32_t k = 0; k < OP_USES && op->use[k] != NO_REGISTER; k++)
        if (op->use[k] == reg)
            return true;
    return false;
}

/* A register that is written again must have been read before. */
static void order_readers(struct schedule *s, uint32_t j, uint16_t reg)
{
    for (uint32_t k = s->writer[reg]; k < j; k++)
        if (uses_register(&s->ops[k], reg))
            add_edge(s, k, j, false);
}

void lower_loads(struct lowering *low)
{
    for (uint32_t i = 0; i < low->function->ncode; i++) {
        const struct node *node = &low->nodes[i];
        const bool is_far = node->recipe && (node->access == OP_GLOBAL || node->access == OP_TEXTURE);
        for (uint32_t k = 0; is_far && k < node->ndefs; k++)
            low->regs[low->regs[node->def[k]].name].is_loaded = true;
    }
}

/* What another segment has begun to load is not there yet. */
static void expect_loads(struct schedule *s, uint32_t j, uint16_t reg)
{
    if (reg < s->low->nregs && s->low->regs[reg].is_loaded)
        s->from[j] = ranks[OP_GLOBAL];
}

static void add_register_edges(struct schedule *s, uint32_t j)
{
    const struct op *op = &s->ops[j];
    for (uint32_t k = 0; k < OP_USES && op->use[k] != NO_REGISTER; k++) {
        if (s->writer[op->use[k]]) {
            add_edge(s, s->writer[op->use[k]] - 1, j, true);
            continue;
        }
        expect_loads(s, j, op->use[k]);
        s->old[j] |= 1u << k;
    }
    for (uint32_t k = 0; k < OP_DEFS && op->def[k] != NO_REGISTER; k++) {
        if (s->writer[op->def[k]] == j + 1)
            continue; /* it writes one register twice */
        if (s->writer[op->def[k]])
            add_edge(s, s->writer[op->def[k]] - 1, j, false);
        order_readers(s, j, op->def[k]);
        s->writer[op->def[k]] = j + 1;
    }
}

static const struct insn *insn_of(const struct schedule *s, uint32_t j)
{
    return &s->low->function->code[s->ops[j].insn];
}

static bool is_memory(const struct op *op)
{
    return op->class >= OP_GLOBAL || op->class == OP_FENCE;
}

/* Nothing of the same space goes past it. */
static bool orders_space(const struct schedule *s, uint32_t j)
{
    return insn_of(s, j)->is_atomic || insn_of(s, j)->is_volatile;
}

static bool is_read_only(const struct schedule *s, uint32_t j)
{
    return insn_of(s, j)->cache == LOAD_READ_ONLY;
}

/* Two executions of an unrolled loop: the same place has moved on. */
static bool is_other_copy(const struct schedule *s, uint32_t i, uint32_t j)
{
    const uint32_t n = s->nmemory;
    return n && s->ops[i].memory / n != s->ops[j].memory / n;
}

/* The same base and other bytes. */
static bool are_apart(const struct schedule *s, uint32_t i, uint32_t j)
{
    const struct node *a = &s->low->nodes[s->ops[i].insn], *b = &s->low->nodes[s->ops[j].insn];
    const struct insn *x = insn_of(s, i), *y = insn_of(s, j);
    if (is_other_copy(s, i, j))
        return false;
    if (a->base != b->base || (a->base == NO_REGISTER && a->symbol != b->symbol))
        return a->base == NO_REGISTER && b->base == NO_REGISTER;
    const uint64_t distance =
        (uint64_t)b->offset - (uint64_t)a->offset; /* addresses go round, as offsets may */
    return distance >= (uint64_t)x->width * x->count && -distance >= (uint64_t)y->width * y->count;
}

static bool keeps_order(const struct schedule *s, uint32_t i, uint32_t j)
{
    const struct op *a = &s->ops[i], *b = &s->ops[j];
    if (a->class == OP_FENCE || b->class == OP_FENCE)
        return true;
    if (a->class != b->class)
        return false;
    if (orders_space(s, i) || orders_space(s, j))
        return true;
    if ((!a->is_store && !b->is_store) || is_read_only(s, i) || is_read_only(s, j))
        return false;
    return a->merged[0] != NO_PLACE || b->merged[0] != NO_PLACE || !are_apart(s, i, j);
}

static void add_memory_edges(struct schedule *s, uint32_t j)
{
    for (uint32_t i = 0; is_memory(&s->ops[j]) && i < j; i++)
        if (is_memory(&s->ops[i]) && keeps_order(s, i, j))
            add_edge(s, i, j, false);
}

/* Branches and barriers stay where they are: at an end of the segment, or, around the rare cases of a division or a root, in
 * the middle of it. An atomic that is a loop stands there as well. */
static bool is_pinned(const struct schedule *s, uint32_t j)
{
    return s->ops[j].class == OP_BARRIER || s->ops[j].is_loop || op_is_branch(&s->ops[j]);
}

/* What comes before a pin in the code is issued before it, what comes after it after it. */
static void add_pin_edges(struct schedule *s, uint32_t j)
{
    const uint32_t first = s->after_pin;
    if (first)
        add_edge(s, first - 1, j, false);
    for (uint32_t i = first; is_pinned(s, j) && i < j; i++)
        add_edge(s, i, j, false);
    if (is_pinned(s, j))
        s->after_pin = j + 1;
}

static int by_from(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return a->from != b->from ? (a->from < b->from ? -1 : 1) : (a->to > b->to) - (a->to < b->to);
}

/* From one operation to another that depends on it. Who has it for a guard waits longer. */
static uint32_t way_between(const struct schedule *s, const struct edge *edge)
{
    const struct op *from = &s->ops[edge->from], *to = &s->ops[edge->to];
    if (!edge->is_value)
        return 1;
    const bool is_guard = to->guard != NO_REGISTER && from->def[0] == to->guard;
    return latency_of(from) + (is_guard ? GUARD_CLOCKS : 0);
}

static void find_heights(struct schedule *s)
{
    if (s->nedges) /* else there is no array */
        qsort(s->edges, s->nedges, sizeof *s->edges, by_from);
    for (uint32_t e = s->nedges; e-- > 0;)
        s->first[s->edges[e].from] = e;
    for (uint32_t e = 0; e < s->nedges; e++) {
        struct edge *edge = &s->edges[e];
        edge->next = s->into[edge->to];
        s->into[edge->to] = e + 1;
    }
    for (uint32_t j = s->n; j-- > 0;) {
        s->height[j] = latency_of(&s->ops[j]);
        for (uint32_t e = s->first[j]; e < s->nedges && s->edges[e].from == j; e++) {
            const uint32_t way = s->height[s->edges[e].to] + way_between(s, &s->edges[e]);
            s->height[j] = larger_of(way, s->height[j]);
        }
    }
}

/* ------------------------------------------------------------------------------------------- issue */

static bool is_load(const struct op *op)
{
    return op->class >= OP_GLOBAL && !op->is_store && op->def[0] != NO_REGISTER;
}

/* Predicates lie elsewhere. */
static uint32_t register_words(const struct lowering *low, uint16_t reg)
{
    if (reg >= low->nregs)
        return 1;
    const enum ptx_type type = low->function->ptx->regs[reg].type;
    return type == PTX_PRED ? 0 : ptx_type_size(type) == 8 ? 2 : 1;
}

static bool is_wanted_after(const struct schedule *s, uint16_t reg)
{
    return lower_is_live(s->low, s->low->live_out, s->segment, reg);
}

/* Its results are wanted behind the segment. */
static bool stays(const struct schedule *s, uint32_t j)
{
    for (uint32_t k = 0; k < OP_DEFS && s->ops[j].def[k] != NO_REGISTER; k++)
        if (s->writer[s->ops[j].def[k]] == j + 1 && is_wanted_after(s, s->ops[j].def[k]))
            return true;
    return false;
}

/* The value from before the segment that it reads as its k-th source, for the last time, is not wanted any more. */
static bool ends_old(const struct schedule *s, uint32_t j, uint32_t k)
{
    const uint16_t reg = s->ops[j].use[k];
    return s->old[j] >> k & 1 && s->before[reg] == 1 && (s->writer[reg] || !is_wanted_after(s, reg));
}

/* Registers that will be free when it has read its sources. */
static uint32_t freed_by(const struct schedule *s, uint32_t j)
{
    uint32_t words = 0;
    for (uint32_t e = s->into[j]; e; e = s->edges[e - 1].next) {
        const struct edge *edge = &s->edges[e - 1];
        if (edge->is_value && s->unread[edge->from] == 1 && !stays(s, edge->from))
            words += s->words[edge->from];
    }
    for (uint32_t k = 0; k < OP_USES && s->ops[j].use[k] != NO_REGISTER; k++)
        if (ends_old(s, j, k))
            words += register_words(s->low, s->ops[j].use[k]);
    return words;
}

/* How many registers more than there are, or than loads may take, would be in use after it. */
static uint32_t excess_of(const struct schedule *s, uint32_t j)
{
    const uint32_t limit = is_load(&s->ops[j]) ? s->room : s->all, after = s->live + s->words[j];
    if (!s->words[j] || after <= limit)
        return 0;
    const uint32_t freed = freed_by(s, j);
    return freed >= s->words[j] || after - freed <= limit ? 0 : s->words[j] - freed;
}

/* Not ready yet. Nothing goes before a load from far away, and what it waits for, only because there is a short gap. */
static bool is_late(const struct schedule *s, uint32_t j, uint32_t now)
{
    enum { GAP = 10 };
    return s->begin[j] > now + (s->height[j] >= ranks[OP_GLOBAL] ? GAP : 0);
}

/* Loads of one kind, with as many loads behind them that wait for them. */
static bool are_alike(const struct schedule *s, uint32_t a, uint32_t b)
{
    return is_load(&s->ops[a]) && is_load(&s->ops[b]) && s->ops[a].class == s->ops[b].class &&
           s->height[a] / ranks[OP_GLOBAL] == s->height[b] / ranks[OP_GLOBAL];
}

/* Which of two is issued first: one whose result finds registers, or takes fewer; then one that is ready now; then the one
 * with the longer way to the end; then the earlier one. Loads that are alike stay in order. */
static bool is_better(const struct schedule *s, uint32_t a, uint32_t b, uint32_t now)
{
    const uint32_t excess_a = excess_of(s, a), excess_b = excess_of(s, b);
    const bool late_a = is_late(s, a, now), late_b = is_late(s, b, now);
    if (excess_a != excess_b)
        return excess_a < excess_b;
    if (excess_a)
        return a < b;
    if (late_a != late_b)
        return late_b;
    if (late_a && s->begin[a] != s->begin[b])
        return s->begin[a] < s->begin[b];
    if (are_alike(s, a, b))
        return a < b;
    return s->height[a] > s->height[b];
}

static uint32_t pick(const struct schedule *s, uint32_t now)
{
    uint32_t best = s->n;
    for (uint32_t j = 0; j < s->n; j++)
        if (!s->is_done[j] && !s->waits[j] && (best == s->n || is_better(s, j, best, now)))
            best = j;
    return best;
}

static void release_readers(struct schedule *s, uint32_t j, uint32_t now)
{
    for (uint32_t e = s->first[j]; e < s->nedges && s->edges[e].from == j; e++) {
        const uint32_t to = s->edges[e].to, at = now + way_between(s, &s->edges[e]);
        s->waits[to]--;
        s->begin[to] = larger_of(at, s->begin[to]);
    }
}

/* The last reader of a value gives its registers back. */
static void return_words(struct schedule *s, uint32_t j)
{
    s->live -= freed_by(s, j);
    for (uint32_t e = s->into[j]; e; e = s->edges[e - 1].next)
        s->unread[s->edges[e - 1].from] -= s->edges[e - 1].is_value;
    for (uint32_t k = 0; k < OP_USES; k++)
        if (s->old[j] >> k & 1)
            s->before[s->ops[j].use[k]]--;
}

static void issue_all(struct schedule *s, struct op *sorted)
{
    uint32_t now = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const uint32_t j = pick(s, now);
        return_words(s, j);
        if (s->unread[j] || stays(s, j))
            s->live += s->words[j];
        s->peak = larger_of(s->peak, s->live);
        now = larger_of(s->begin[j], now) + s->ops[j].count;
        s->is_done[j] = 1;
        release_readers(s, j, now - 1);
        sorted[k] = s->ops[j];
    }
}

/* ------------------------------------------------------------------------------------------- face */

static uint32_t words_of(const struct schedule *s, uint32_t j)
{
    const struct insn *insn = insn_of(s, j);
    const uint32_t bytes = (uint32_t)insn->width * insn->count;
    uint32_t words = bytes < 4 ? 1 : bytes / 4, others = 0;
    for (uint32_t k = 0; k < OP_MERGED && s->ops[j].merged[k] != NO_PLACE; k++)
        words += bytes / 4;
    for (uint32_t k = 0; k < OP_DEFS && s->ops[j].def[k] != NO_REGISTER; k++)
        others += register_words(s->low, s->ops[j].def[k]);
    return is_load(&s->ops[j]) ? words : s->ops[j].class == OP_UNIFORM ? 0 : others;
}

/* What the segment finds in registers: all that it reads; of what it leaves alone, not what all lanes share, which lies
 * elsewhere. */
static uint32_t find_live(const struct schedule *s)
{
    const struct lowering *low = s->low;
    uint32_t live = 0;
    for (uint32_t reg = 0; reg < low->nnames; reg++) {
        const bool is_varying = reg >= low->nregs || low->regs[reg].is_varying;
        if (s->before[reg] || (is_varying && lower_is_live(low, low->live_in, s->segment, (uint16_t)reg)))
            live += register_words(low, (uint16_t)reg);
    }
    return live;
}

/* Everything as before the first operation is issued. */
static void begin_issue(struct schedule *s)
{
    memset(s->waits, 0, s->n * sizeof *s->waits);
    memset(s->unread, 0, s->n * sizeof *s->unread);
    memset(s->before, 0, s->low->nnames * sizeof *s->before);
    memset(s->is_done, 0, s->n);
    memcpy(s->begin, s->from, s->n * sizeof *s->begin);
    for (uint32_t e = 0; e < s->nedges; e++) {
        s->waits[s->edges[e].to]++;
        s->unread[s->edges[e].from] += s->edges[e].is_value;
    }
    for (uint32_t j = 0; j < s->n; j++)
        for (uint32_t k = 0; k < OP_USES; k++)
            if (s->old[j] >> k & 1)
                s->before[s->ops[j].use[k]]++;
    s->live = s->peak = find_live(s);
}

/* As many loads at once as leave registers for what is computed from them; a few in any case. */
static void find_order(struct schedule *s, struct op *sorted)
{
    enum { OWN = 3, AT_LEAST = 8, USUAL = 32, TRIES = 8 }; /* OWN: the places of the code and of the stack */
    const uint32_t given = s->low->function->registers ? s->low->function->registers : USUAL;
    begin_issue(s);
    s->all = s->room = larger_of(given - smaller_of(given, (uint32_t)OWN), s->live + AT_LEAST);
    for (uint32_t i = 0; i < TRIES; i++) {
        begin_issue(s);
        issue_all(s, sorted);
        if (s->peak <= s->all)
            return;
        s->room -= smaller_of(s->peak - s->all, s->room);
    }
}

static bool allocate(struct schedule *s)
{
    uint32_t **const arrays[] = {&s->first, &s->into,  &s->height, &s->waits, &s->begin,
                                 &s->from,  &s->words, &s->unread, &s->old};
    bool is_fine = true;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = calloc(s->n + 1, sizeof **arrays[k]);
        is_fine &= *arrays[k] != NULL;
    }
    s->writer = calloc(s->low->nnames + 1, sizeof *s->writer);
    s->before = calloc(s->low->nnames + 1, sizeof *s->before);
    s->is_done = calloc(s->n + 1, 1);
    return is_fine && s->writer && s->before && s->is_done;
}

static void release(struct schedule *s)
{
    free(s->edges);
    free(s->first);
    free(s->into);
    free(s->height);
    free(s->waits);
    free(s->begin);
    free(s->from);
    free(s->words);
    free(s->unread);
    free(s->old);
    free(s->writer);
    free(s->before);
    free(s->is_done);
}

static bool order_window(const struct lowering *low, const struct segment *segment, struct op *ops,
                         uint32_t n)
{
    struct schedule s = {.low = low,
                         .ops = ops,
                         .n = n,
                         .nmemory = segment->nmemory,
                         .segment = low->out->segment_of[segment->first_insn]};
    struct op *sorted = malloc((s.n + 1) * sizeof *sorted);
    bool is_fine = allocate(&s) && sorted;
    for (uint32_t j = 0; is_fine && j < s.n; j++) {
        s.first[j] = UINT32_MAX;
        s.words[j] = words_of(&s, j);
        add_register_edges(&s, j);
        add_memory_edges(&s, j);
        add_pin_edges(&s, j);
    }
    is_fine = is_fine && !s.is_full;
    if (is_fine) {
        find_heights(&s);
        find_order(&s, sorted);
        memcpy(ops, sorted, s.n * sizeof *ops);
    }
    free(sorted);
    release(&s);
    return is_fine;
}

/* Everything here is quadratic: segments longer than any compiler makes are ordered piece by piece. */
enum { WINDOW = 4096 };

bool lower_order(const struct lowering *low, struct segment *segment)
{
    struct op *ops = low->out->ops + segment->first_op;
    bool is_fine = true;
    for (uint32_t at = 0; is_fine && at < segment->nops; at += WINDOW)
        is_fine = order_window(low, segment, ops + at, smaller_of(segment->nops - at, (uint32_t)WINDOW));
    return is_fine;
}
