/* lower_segments.c - cuts a function into straight pieces of code, and numbers the memory accesses of each.
 * A segment is entered at its first instruction only and left after its last only; a block barrier ends one too, since a
 * warp may wait there. Inserted instructions belong to the segment they stand in. */
#include <stdlib.h>

#include "core/record.h"
#include "decode/decode_internal.h"
#include "model/lower_internal.h"

static bool ends_segment(const struct insn *insn)
{
    return insn->flow != FLOW_NEXT && insn->flow != FLOW_WARP_SYNC;
}

static void mark_targets(const struct insn *insn, uint8_t *is_first)
{
    if (insn->flow == FLOW_BRANCH)
        is_first[insn->branch.target] = 1;
    for (uint32_t k = 0; insn->flow == FLOW_TABLE && k < insn->table->count; k++)
        is_first[insn->table->targets[k]] = 1;
}

static void mark_firsts(const struct function *function, uint8_t *is_first)
{
    is_first[0] = 1;
    for (uint32_t i = 0; i < function->ncode; i++) {
        const struct insn *insn = &function->code[i];
        if (insn->kind == INSN_JOIN || insn_calls_pointer(insn)) /* lanes that call others execute it again */
            is_first[i] = 1;
        if (ends_segment(insn))
            is_first[i + 1] = 1;
        mark_targets(insn, is_first);
    }
}

static void fill_segments(struct lowering *low, const uint8_t *is_first)
{
    struct lowered *out = low->out;
    for (uint32_t i = 0; i < low->function->ncode; i++) {
        if (is_first[i])
            out->segments[out->nsegments++].first_insn = i;
        struct segment *segment = &out->segments[out->nsegments - 1];
        segment->ninsns++;
        out->segment_of[i] = out->nsegments - 1;
        const bool has_cost = record_has_cost(&low->function->code[i]);
        low->nodes[i].place = has_cost && segment->nmemory < NO_PLACE ? (uint16_t)segment->nmemory : NO_PLACE;
        segment->nmemory += has_cost;
    }
}

bool lower_segments(struct lowering *low)
{
    const uint32_t n = low->function->ncode;
    uint8_t *is_first = calloc(n + 2, 1);
    if (!is_first)
        return false;
    mark_firsts(low->function, is_first);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += is_first[i];
    low->out->segments = calloc(count + 1, sizeof *low->out->segments);
    low->out->segment_of = calloc(n + 1, sizeof *low->out->segment_of);
    const bool is_fine = low->out->segments && low->out->segment_of;
    if (is_fine)
        fill_segments(low, is_first);
    free(is_first);
    return is_fine;
}
