/* lower_live.c - which registers hold a value that is still wanted, where a segment begins and where it ends.
 * Works on operations, before they are ordered: what has vanished needs no register. Functions too large for it have no
 * answer: live_words is 0 then. */
#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "model/lower_internal.h"

enum { WORD_BITS = 64, MAX_WORDS = 1 << 21, MAX_ROUNDS = 64 };

struct sets {
    struct lowering *low;
    uint64_t *used, *defined; /* of each segment: read before it is written; written */
};

static void set_bit(uint64_t *set, uint32_t bit)
{
    set[bit / WORD_BITS] |= 1ull << bit % WORD_BITS;
}

static bool has_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / WORD_BITS] >> bit % WORD_BITS & 1;
}

static void scan_segment(struct sets *sets, uint32_t s)
{
    const struct segment *segment = &sets->low->out->segments[s];
    uint64_t *used = sets->used + (size_t)s * sets->low->live_words,
             *defined = sets->defined + (size_t)s * sets->low->live_words;
    for (uint32_t i = segment->first_op; i < segment->first_op + segment->nops; i++) {
        const struct op *op = &sets->low->out->ops[i];
        for (uint32_t k = 0; k < OP_USES && op->use[k] != NO_REGISTER; k++)
            if (!has_bit(defined, op->use[k]))
                set_bit(used, op->use[k]);
        for (uint32_t k = 0; k < OP_DEFS && op->def[k] != NO_REGISTER; k++)
            set_bit(defined, op->def[k]);
    }
}

static void add_next(struct lowering *low, uint32_t s, uint32_t next)
{
    const uint64_t *in = low->live_in + (size_t)next * low->live_words;
    uint64_t *out = low->live_out + (size_t)s * low->live_words;
    for (uint32_t w = 0; next < low->out->nsegments && w < low->live_words; w++)
        out[w] |= in[w];
}

/* What the segments want that may come after this one. */
static void add_successors(struct lowering *low, uint32_t s)
{
    const struct segment *segment = &low->out->segments[s];
    const struct insn *last = &low->function->code[segment->first_insn + segment->ninsns - 1];
    const bool leaves = last->flow == FLOW_BRANCH || last->flow == FLOW_RETURN || last->flow == FLOW_EXIT;
    if (last->flow == FLOW_BRANCH)
        add_next(low, s, low->out->segment_of[last->branch.target]);
    for (uint32_t k = 0; last->flow == FLOW_TABLE && k < last->table->count; k++)
        add_next(low, s, low->out->segment_of[last->table->targets[k]]);
    if (!leaves || last->guard)
        add_next(low, s, s + 1);
}

static bool update_segment(struct sets *sets, uint32_t s)
{
    struct lowering *low = sets->low;
    const size_t base = (size_t)s * low->live_words;
    bool is_changed = false;
    add_successors(low, s);
    for (uint32_t w = 0; w < low->live_words; w++) {
        const uint64_t in = sets->used[base + w] | (low->live_out[base + w] & ~sets->defined[base + w]);
        is_changed |= in != low->live_in[base + w];
        low->live_in[base + w] = in;
    }
    return is_changed;
}

/* Loops within loops settle after a few rounds; what has not by then is taken as it is. */
static void settle(struct sets *sets)
{
    bool is_changed = true;
    for (uint32_t s = 0; s < sets->low->out->nsegments; s++)
        scan_segment(sets, s);
    for (uint32_t round = 0; is_changed && round < MAX_ROUNDS; round++) {
        is_changed = false;
        for (uint32_t s = sets->low->out->nsegments; s-- > 0;)
            is_changed |= update_segment(sets, s);
    }
}

bool lower_live(struct lowering *low)
{
    const size_t n = low->out->nsegments, words = low->nnames / WORD_BITS + 1;
    if (n * words > MAX_WORDS)
        return true;
    struct sets sets = {low, calloc(n * words, sizeof *sets.used), calloc(n * words, sizeof *sets.defined)};
    low->live_in = calloc(n * words, sizeof *low->live_in);
    low->live_out = calloc(n * words, sizeof *low->live_out);
    const bool is_fine = sets.used && sets.defined && low->live_in && low->live_out;
    low->live_words = (uint32_t)words;
    if (is_fine)
        settle(&sets);
    free(sets.used);
    free(sets.defined);
    return is_fine;
}

bool lower_is_live(const struct lowering *low, const uint64_t *sets, uint32_t segment, uint16_t name)
{
    return name / WORD_BITS < low->live_words && has_bit(sets + (size_t)segment * low->live_words, name);
}
