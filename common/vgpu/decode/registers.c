/* registers.c - virtual registers to slots, as few as their lifetimes allow: a warp's registers should fit a cache.
 * Liveness by data flow over basic blocks, then a linear scan over the hulls of the lifetimes.
 * Registers of different sizes never share a slot: under divergence two lanes may be in different lifetimes at once,
 * and only slots of one size keep lanes apart. */
#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "decode/flow_graph.h"

/* More bits than this per live set are not worth the analysis; every register then keeps a slot of its own. */
#define MAX_LIVE_BITS (1ull << 28)

/* Words of live sets that are looked at in all, a second or two of work: loops can be nested so that sets take as many
 * rounds to settle as there are blocks. */
#define MAX_LIVE_WORK (1ull << 31)

#define MAX_REGISTER_BYTES (1u << 25) /* of one frame; large kernels need a hundredth */

/* From the first occurrence to behind the last; end is 0 if there is none. */
struct lifetime {
    uint32_t first, end;
};

struct liveness {
    struct decoder *decoder;
    const struct flow_graph *graph;
    uint32_t words; /* of a set of registers */
    uint64_t *live_in, *live_out, *uses, *defs;
    struct lifetime *lifetimes;
};

static bool is_virtual(uint32_t operand)
{
    return !(operand & SLOT_CONSTANT) && !(operand & SLOT_PRED);
}

static void set_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= 1ull << (bit % 64);
}
static bool has_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

/* A guarded instruction keeps the old value in some lanes, so its destinations count as uses. */
static void scan_block(struct liveness *live, uint32_t block)
{
    uint64_t *uses = live->uses + (size_t)block * live->words,
             *defs = live->defs + (size_t)block * live->words;
    const struct basic_block *range = &live->graph->blocks[block];
    for (uint32_t i = range->first; i < range->end; i++) {
        const struct insn *insn = &live->decoder->code[i];
        for (uint32_t k = insn->guard ? 0 : insn->ndefs; k < (uint32_t)insn->ndefs + insn->nuses; k++)
            if (is_virtual(insn->o[k]) && !has_bit(defs, insn->o[k]))
                set_bit(uses, insn->o[k]);
        for (uint32_t k = 0; !insn->guard && k < insn->ndefs; k++)
            if (is_virtual(insn->o[k]))
                set_bit(defs, insn->o[k]);
    }
}

static void gather_successors(struct liveness *live, uint32_t block)
{
    const struct edges *next = &live->graph->next;
    uint64_t *out = live->live_out + (size_t)block * live->words;
    for (uint32_t e = next->start[block]; e < next->start[block + 1]; e++) {
        if (next->list[e] == live->graph->nblocks)
            continue; /* the exit */
        const uint64_t *in = live->live_in + (size_t)next->list[e] * live->words;
        for (uint32_t w = 0; w < live->words; w++)
            out[w] |= in[w];
    }
}

static bool update_block(struct liveness *live, uint32_t block)
{
    size_t base = (size_t)block * live->words;
    gather_successors(live, block);
    bool is_changed = false;
    for (uint32_t w = 0; w < live->words; w++) {
        uint64_t in = live->uses[base + w] | (live->live_out[base + w] & ~live->defs[base + w]);
        is_changed |= in != live->live_in[base + w];
        live->live_in[base + w] = in;
    }
    return is_changed;
}

static void extend(struct lifetime *lifetime, uint32_t at)
{
    if (!lifetime->end || at < lifetime->first)
        lifetime->first = at;
    if (at >= lifetime->end)
        lifetime->end = at + 1;
}

static void extend_over_block(struct liveness *live, uint32_t block)
{
    const struct basic_block *range = &live->graph->blocks[block];
    for (uint32_t w = 0; w < live->words; w++) {
        uint64_t in = live->live_in[(size_t)block * live->words + w],
                 out = live->live_out[(size_t)block * live->words + w];
        for (; in; in &= in - 1)
            extend(&live->lifetimes[w * 64 + (uint32_t)__builtin_ctzll(in)], range->first);
        for (; out; out &= out - 1)
            extend(&live->lifetimes[w * 64 + (uint32_t)__builtin_ctzll(out)], range->end - 1);
    }
    for (uint32_t i = range->first; i < range->end; i++) {
        const struct insn *insn = &live->decoder->code[i];
        for (uint32_t k = 0; k < (uint32_t)insn->ndefs + insn->nuses; k++)
            if (is_virtual(insn->o[k]))
                extend(&live->lifetimes[insn->o[k]], i);
    }
}

/* Without an analysis, every register that occurs lives from the first instruction to the last. */
static void live_forever(struct liveness *live)
{
    for (uint32_t i = 0; i < live->decoder->ncode; i++) {
        const struct insn *insn = &live->decoder->code[i];
        for (uint32_t k = 0; k < (uint32_t)insn->ndefs + insn->nuses; k++)
            if (is_virtual(insn->o[k]))
                live->lifetimes[insn->o[k]] = (struct lifetime){0, live->decoder->ncode};
    }
}

/* False: they do not settle in time. */
static bool settle(struct liveness *live)
{
    const uint64_t round = (uint64_t)live->graph->nblocks * live->words;
    uint64_t work = 0;
    for (bool is_changed = true; is_changed; work += round) {
        is_changed = false;
        if (work > MAX_LIVE_WORK)
            return false;
        for (uint32_t b = live->graph->nblocks; b-- > 0;)
            is_changed |= update_block(live, b);
    }
    return true;
}

/* False: no memory. */
static bool solve(struct liveness *live, bool *is_settled)
{
    size_t sets = (size_t)live->graph->nblocks * live->words + 1;
    live->live_in = calloc(sets, 8);
    live->live_out = calloc(sets, 8);
    live->uses = calloc(sets, 8);
    live->defs = calloc(sets, 8);
    if (!live->live_in || !live->live_out || !live->uses || !live->defs)
        return false;
    for (uint32_t b = 0; b < live->graph->nblocks; b++)
        scan_block(live, b);
    *is_settled = settle(live);
    for (uint32_t b = 0; *is_settled && b < live->graph->nblocks; b++)
        extend_over_block(live, b);
    return true;
}

/* ------------------------------------------------------------------------------------------- linear scan */

enum { SIZES = 4 }; /* 2, 4, 8 and 16 bytes a lane */
static uint32_t size_class(uint32_t bytes)
{
    return bytes == 2 ? 0 : bytes == 4 ? 1 : bytes == 8 ? 2 : 3;
}

struct scan {
    uint64_t *by_start; /* start of a lifetime << 32 | virtual register, sorted */
    uint32_t *number;   /* virtual register → number within its class */
    uint32_t *ends;     /* per class: number → end of the lifetime that holds it */
    uint32_t count[SIZES];
};

/* Sorted by start, then by number: both in one key. */
static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Takes a number whose holder is dead, or a new one. A heap would be faster; functions are small enough for a scan. */
static uint32_t take_number(uint32_t *ends, uint32_t *count, uint32_t *hint, const struct lifetime *lifetime)
{
    uint32_t limit = *count < 512 ? *count : 512;
    for (uint32_t i = 0; i < limit; i++) {
        uint32_t at = (*hint + i) % *count;
        if (ends[at] <= lifetime->first) {
            ends[at] = lifetime->end;
            *hint = at;
            return at;
        }
    }
    ends[*count] = lifetime->end;
    return (*count)++;
}

static bool assign_numbers(struct decoder *decoder, const struct lifetime *lifetimes, struct scan *scan)
{
    uint32_t n = decoder->nvirtual, used = 0;
    scan->by_start = malloc((n + 1) * sizeof(uint64_t));
    scan->number = calloc(n + 1, sizeof(uint32_t));
    scan->ends = malloc((size_t)(n + 1) * SIZES * sizeof(uint32_t));
    if (!scan->by_start || !scan->number || !scan->ends)
        return false;
    for (uint32_t r = 0; r < n; r++)
        if (decoder->sizes[r] && lifetimes[r].end)
            scan->by_start[used++] = (uint64_t)lifetimes[r].first << 32 | r;
    qsort(scan->by_start, used, sizeof(uint64_t), compare_keys);
    uint32_t hints[SIZES] = {0};
    for (uint32_t i = 0; i < used; i++) {
        uint32_t r = (uint32_t)scan->by_start[i], class = size_class(decoder->sizes[r]);
        scan->number[r] = take_number(scan->ends + (size_t) class * (n + 1), &scan->count[class],
                                      &hints[class], &lifetimes[r]);
    }
    return true;
}

/* A slot's offset shares its 32 bits with two flags. */
static bool rewrite(struct decoder *decoder, const struct scan *scan)
{
    static const uint32_t bytes[SIZES] = {2 * LANES, 4 * LANES, 8 * LANES, 16 * LANES};
    uint32_t base[SIZES];
    uint64_t at = 0;
    for (int class = SIZES - 1; class >= 0; class --) {
        base[class] = (uint32_t)at;
        at += (uint64_t)scan->count[class] * bytes[class];
    }
    if (at >= MAX_REGISTER_BYTES)
        return decode_error(decoder, "`%s` uses too many registers", decoder->function->name);
    decoder->function->register_bytes = (uint32_t)(at + 127) / 128 * 128;
    for (uint32_t i = 0; i < decoder->ncode; i++) {
        struct insn *insn = &decoder->code[i];
        for (uint32_t k = 0; k < MAX_OPERANDS; k++) {
            uint32_t o = insn->o[k];
            bool is_used = k < (uint32_t)insn->ndefs + insn->nuses || (k < 4 && insn->kind != INSN_STEP);
            if (!is_used || !is_virtual(o))
                continue;
            uint32_t class = size_class(decoder->sizes[o]);
            insn->o[k] = decoder->sizes[o] ? base[class] + scan->number[o] * bytes[class] : 0;
        }
    }
    return true;
}

bool registers_assign(struct decoder *decoder, const struct flow_graph *graph)
{
    struct liveness live = {.decoder = decoder, .graph = graph, .words = (decoder->nvirtual + 63) / 64 + 1};
    struct scan scan = {0};
    live.lifetimes = calloc((size_t)live.words * 64, sizeof *live.lifetimes);
    bool is_fine = live.lifetimes != NULL;
    bool is_known = is_fine && (uint64_t)graph->nblocks * live.words * 64 < MAX_LIVE_BITS;
    if (is_known)
        is_fine = solve(&live, &is_known);
    if (is_fine && !is_known)
        live_forever(&live);
    /* what is live where the function begins may be read before it is written */
    decoder->function->reads_unset = !is_known;
    for (uint32_t w = 0; is_fine && is_known && w < live.words; w++)
        decoder->function->reads_unset |= live.live_in[w] != 0;
    is_fine = is_fine && assign_numbers(decoder, live.lifetimes, &scan);
    is_fine = is_fine && rewrite(decoder, &scan);
    free(live.live_in);
    free(live.live_out);
    free(live.uses);
    free(live.defs);
    free(live.lifetimes);
    free(scan.by_start);
    free(scan.number);
    free(scan.ends);
    return is_fine || decode_error(decoder, "out of memory");
}
