/* liveness.c - which places of a function are read later by instructions that matter, whatever the way: for what trails do not show.
 * The usual equations, block by block, until nothing changes; an instruction that does not matter reads nothing. */
#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "feeds/inside.h"

enum { BITS = 64, MOST_WORDS = 1 << 22 };

static void add(const struct notes *notes, uint64_t *live, uint32_t place)
{
    if (place < notes->nplaces)
        live[place / BITS] |= UINT64_C(1) << place % BITS;
}

static void drop(const struct notes *notes, uint64_t *live, uint32_t place)
{
    if (place < notes->nplaces)
        live[place / BITS] &= ~(UINT64_C(1) << place % BITS);
}

static void add_params(const struct notes *notes, uint64_t *live, bool is_argument, uint64_t from,
                       uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += 4)
        add(notes, live, place_of_param(notes->function, is_argument, from + at));
}

static void add_sources(const struct notes *notes, const struct insn *insn, uint64_t *live)
{
    const struct function *function = notes->function;
    for (uint32_t k = insn->ndefs; k < (uint32_t)insn->ndefs + insn->nuses; k++)
        add(notes, live, place_of(function, insn->o[k]));
    add(notes, live, place_of_pred(function, preds_of(insn).use));
    add(notes, live, place_of_pred(function, guard_of(insn)));
    if (insn->class == CLASS_PARAM && !insn->is_store)
        add_params(notes, live, insn->is_argument, (uint64_t)insn->imm, (uint64_t)insn->width * insn->count);
    if (insn->kind == INSN_CARRY && insn->traits & FORM_READS_CARRY)
        add(notes, live, place_of_carry(function));
}

void liveness_step(const struct notes *notes, const struct insn *insn, uint64_t *live)
{
    const struct function *function = notes->function;
    const struct pred_operands preds = preds_of(insn);
    for (uint32_t k = 0; k < insn->ndefs && !insn->guard; k++)
        drop(notes, live, place_of(function, insn->o[k]));
    for (int k = 0; k < 2 && !insn->guard; k++)
        drop(notes, live, place_of_pred(function, preds.defs[k]));
    if (notes->flags[insn - function->code] & NOTE_MATTERS)
        add_sources(notes, insn, live);
    for (uint32_t k = 0; insn->flow == FLOW_CALL && k < insn->call->nargs; k++)
        add_params(notes, live, true, insn->call->args[k].from, insn->call->args[k].size);
    if (insn->flow == FLOW_RETURN && !function->ptx->is_entry)
        add_params(notes, live, false, 0, function->param_bytes);
}

void liveness_at_end(const struct notes *notes, uint32_t block, uint64_t *live)
{
    const struct flow_graph *graph = &notes->control.graph;
    memset(live, 0, notes->nwords * sizeof *live);
    for (uint32_t e = graph->next.start[block]; e < graph->next.start[block + 1]; e++)
        for (uint32_t w = 0; graph->next.list[e] < graph->nblocks && w < notes->nwords; w++)
            live[w] |= notes->begins[(size_t)graph->next.list[e] * notes->nwords + w];
}

bool liveness_solve(struct notes *notes)
{
    const struct flow_graph *graph = &notes->control.graph;
    notes->nwords = (notes->nplaces + BITS - 1) / BITS;
    if (!notes->has_control || (uint64_t)graph->nblocks * notes->nwords > MOST_WORDS)
        return false;
    if (notes->begins && notes->solved == notes->changes)
        return true;
    if (!notes->begins)
        notes->begins = calloc((size_t)graph->nblocks + 1, notes->nwords * sizeof *notes->begins);
    if (!notes->begins)
        return false;
    uint64_t *live = malloc(notes->nwords * sizeof *live);
    bool has_changed = live != NULL;
    while (has_changed) {
        has_changed = false;
        for (uint32_t block = graph->nblocks; block-- > 0;) {
            uint64_t *begin = &notes->begins[(size_t)block * notes->nwords];
            liveness_at_end(notes, block, live);
            for (uint32_t i = graph->blocks[block].end; i-- > graph->blocks[block].first;)
                liveness_step(notes, &notes->function->code[i], live);
            has_changed |= memcmp(begin, live, notes->nwords * sizeof *live) != 0;
            memcpy(begin, live, notes->nwords * sizeof *live);
        }
    }
    free(live);
    notes->solved = notes->changes;
    return live != NULL;
}

void liveness_behind(const struct notes *notes, uint32_t code, uint64_t *live)
{
    const uint32_t block = notes->control.block_of[code];
    liveness_at_end(notes, block, live);
    for (uint32_t i = notes->control.graph.blocks[block].end; i-- > code + 1;)
        liveness_step(notes, &notes->function->code[i], live);
}

bool liveness_has_def(const struct notes *notes, const struct insn *insn, const uint64_t *live)
{
    const struct pred_operands preds = preds_of(insn);
    bool is_found = false;
    for (uint32_t k = 0; k < insn->ndefs + 2u; k++) {
        const uint32_t place = k < insn->ndefs ? place_of(notes->function, insn->o[k])
                                               : place_of_pred(notes->function, preds.defs[k - insn->ndefs]);
        is_found |= place < notes->nplaces && live[place / BITS] >> place % BITS & 1;
    }
    return is_found;
}
