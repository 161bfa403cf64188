/* loop_exit.c - what decides whether a loop is ever left: the backward slice of its exit tests, through registers.
 * A loop is what can reach a branch back to its head without passing the head. Its exits are the branches out of it, and
 * instructions that end a thread. Needed are their predicates, what computes them in the loop, and the branches that decide
 * whether that is computed. A load is an input: fine if nobody writes that array, else nothing can be said.
 * Whatever is not understood counts as EXIT_OTHERS: a wrong answer here would stop a program that ends. */
#include "exec/loop_exit.h"

#include <stdlib.h>
#include <string.h>

#include "core/warp.h"
#include "decode/decode_internal.h"
#include "decode/provenance.h"
#include "exec/builtins.h"
#include "memory/memory.h"

enum { MOST_WORDS = 1 << 20 }; /* of all sets together; larger loops are not looked into */

struct slice {
    const struct warp *warp;
    const struct function *function;
    uint32_t head, words;  /* where a round begins; of a set */
    uint32_t *member;      /* by index in the code: its number in the loop, from 1; 0: not in it */
    uint32_t *code, ncode; /* the loop's instructions, in order */
    uint64_t *needed;      /* a set for each: slots and predicates that are needed before it */
    uint64_t *after;       /* scratch: one set */
    uint8_t *is_relevant;  /* by number: it computes something that is needed, or decides */
    bool needs_warp, needs_others;
};

/* ------------------------------------------------------------------------------------------- ways */

static bool ends_program(const struct call_info *call)
{
    const struct function *callee = call->callee;
    for (uint32_t i = 0; callee && callee->code && i < callee->ncode; i++)
        if (callee->code[i].flow == FLOW_EXIT || callee->code[i].flow == FLOW_TRAP ||
            callee->code[i].flow == FLOW_CALL)
            return true;
    return callee ? !callee->code : !call->builtin || strcmp(call->builtin->name, "vprintf") != 0;
}

/* Whether an instruction leaves its function by itself. */
static bool leaves(const struct insn *insn)
{
    return insn->flow == FLOW_RETURN || insn->flow == FLOW_EXIT || insn->flow == FLOW_TRAP ||
           (insn->flow == FLOW_CALL && ends_program(insn->call));
}

/* Calls visit with each instruction that may follow; an index behind the code is the end of the function. */
static void each_next(const struct function *function, uint32_t at, void (*visit)(void *, uint32_t),
                      void *context)
{
    const struct insn *insn = &function->code[at];
    if (insn->flow == FLOW_BRANCH)
        visit(context, insn->branch.target);
    for (uint32_t i = 0; insn->flow == FLOW_TABLE && i < insn->table->count; i++)
        visit(context, insn->table->targets[i]);
    const bool ends = insn->flow == FLOW_RETURN || insn->flow == FLOW_EXIT || insn->flow == FLOW_TRAP;
    if (insn->guard || !(ends || insn->flow == FLOW_BRANCH || insn->flow == FLOW_TABLE))
        visit(context, at + 1);
}

struct reach {
    uint8_t *is_reached;
    uint32_t *rest, nrest;
};

static void reach(void *context, uint32_t to)
{
    struct reach *all = context;
    if (!all->is_reached[to])
        all->rest[all->nrest++] = to;
    all->is_reached[to] = 1;
}

/* What can be reached from an instruction, without going on from `end`. False: out of memory. */
static bool reach_from(const struct function *function, struct reach *out, uint32_t begin, uint32_t end)
{
    *out = (struct reach){calloc(function->ncode + 1, 1), calloc(function->ncode + 1, sizeof(uint32_t)), 0};
    if (!out->is_reached || !out->rest)
        return false;
    reach(out, begin);
    while (out->nrest) {
        const uint32_t at = out->rest[--out->nrest];
        if (at < function->ncode && at != end)
            each_next(function, at, reach, out);
    }
    return true;
}

static void reach_free(struct reach *all)
{
    free(all->is_reached);
    free(all->rest);
}

/* ------------------------------------------------------------------------------------------- the loop */

struct into {
    const struct slice *slice;
    uint32_t from;
    bool is_in, is_out;
};

static void look_where(void *context, uint32_t to)
{
    struct into *into = context;
    const struct slice *slice = into->slice;
    const bool goes_round = to == slice->head && into->from >= to;
    const bool is_in = goes_round || (to != slice->head && to < slice->function->ncode && slice->member[to]);
    into->is_in |= is_in;
    into->is_out |= !is_in;
}

static struct into next_of(const struct slice *slice, uint32_t at)
{
    struct into into = {slice, at, false, false};
    each_next(slice->function, at, look_where, &into);
    return into;
}

/* Backwards from the branches to the head, until nothing is added; only what can be reached from it. False: out of memory. */
static bool find_loop(struct slice *slice, const uint8_t *is_reached)
{
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (uint32_t i = slice->function->ncode; i-- > 0;)
            if (is_reached[i] && !slice->member[i] && next_of(slice, i).is_in)
                slice->member[i] = is_changed = true;
    }
    slice->code = calloc(slice->function->ncode + 1, sizeof *slice->code);
    for (uint32_t i = 0; slice->code && i < slice->function->ncode; i++)
        if (slice->member[i]) {
            slice->code[slice->ncode++] = i;
            slice->member[i] = slice->ncode;
        }
    return slice->code != NULL;
}

/* ------------------------------------------------------------------------------------------- memory */

/* What an access means, so that two answers that differ are two arrays; NULL: not known. */
static const void *array_of(const struct slice *slice, const struct insn *insn)
{
    const struct function *function = slice->function;
    const struct launch *launch = slice->warp->block->launch;
    const struct ptx_var *var = provenance_variable(function, insn->source);
    const int number = provenance_parameter(function, insn->source);
    for (uint32_t i = 0; var && i < function->module->nsymbols; i++)
        if (function->module->symbols[i].var == var && function->module->symbols[i].allocation)
            return function->module->symbols[i].allocation;
    if (var || number < 0 || function != launch->kernel || (uint32_t)number >= function->nparams ||
        function->params[number].size != sizeof(uint64_t))
        return var;
    uint64_t address;
    memcpy(&address, launch->params + function->params[number].offset, sizeof address);
    return memory_find(launch->memory, address);
}

static bool is_written_by(const struct slice *slice, const struct insn *load, const void *array,
                          const struct insn *insn)
{
    if (insn->flow == FLOW_CALL)
        return ends_program(insn->call);
    if (insn->class == CLASS_TEXTURE || insn->is_async)
        return !insn->ndefs;
    if (!insn->is_store && !insn->is_atomic)
        return false;
    const bool is_apart =
        insn->space != load->space && insn->space != PTX_GENERIC && load->space != PTX_GENERIC;
    const void *other = is_apart || insn->space == PTX_PARAM ? NULL : array_of(slice, insn);
    return !is_apart && insn->space != PTX_PARAM && (!other || other == array);
}

/* By any thread of the launch, wherever it is; by the host as well. */
static bool may_be_written(const struct slice *slice, const struct insn *load)
{
    const struct function *function = slice->function;
    const struct launch *launch = slice->warp->block->launch;
    const void *array = array_of(slice, load);
    if (!array || function != launch->kernel || launch->wait_outside || launch->children)
        return true;
    const struct allocation *allocation = load->space == PTX_SHARED ? NULL : array;
    if (allocation && allocation->kind != ALLOC_DEVICE && allocation->kind != ALLOC_SYMBOL)
        return true;
    for (uint32_t f = 0; f < function->module->nfunctions; f++) {
        const struct function *each = &function->module->functions[f];
        for (uint32_t i = 0; each->code && (each == function || !each->ptx->is_entry) && i < each->ncode; i++)
            if (each == function ? is_written_by(slice, load, array, &each->code[i])
                                 : each->code[i].is_store || each->code[i].is_atomic)
                return true;
    }
    return false;
}

/* A thread's own memory: by the loop itself, or by whom it calls. */
static bool is_local_written(const struct slice *slice)
{
    for (uint32_t n = 0; n < slice->ncode; n++) {
        const struct insn *insn = &slice->function->code[slice->code[n]];
        const bool is_local = insn->space == PTX_LOCAL || insn->space == PTX_GENERIC;
        if (insn->flow == FLOW_CALL || ((insn->is_store || insn->is_atomic) && is_local))
            return true;
    }
    return false;
}

static bool is_fixed_load(const struct slice *slice, const struct insn *insn)
{
    if (insn->is_store || insn->is_atomic || insn->is_volatile)
        return false;
    if (insn->class == CLASS_PARAM)
        return !insn->is_argument;
    if (insn->class == CLASS_LOCAL)
        return !is_local_written(slice);
    if (insn->class == CLASS_GLOBAL || insn->class == CLASS_SHARED)
        return insn->cache == LOAD_READ_ONLY || !may_be_written(slice, insn);
    return insn->class == CLASS_CONST;
}

/* ------------------------------------------------------------------------------------------- the slice */

static bool is_register(uint32_t operand)
{
    return !(operand & SLOT_CONSTANT);
}

static uint32_t bit_of(const struct slice *slice, uint32_t operand)
{
    return operand & SLOT_PRED ? slice->function->register_bytes / 64 + (operand & ~SLOT_PRED) : operand / 64;
}

static void need(const struct slice *slice, uint64_t *set, uint32_t operand)
{
    const uint32_t bit = bit_of(slice, operand);
    set[bit / 64] |= 1ull << (bit % 64);
}

static bool is_needed(const struct slice *slice, const uint64_t *set, uint32_t operand)
{
    const uint32_t bit = bit_of(slice, operand);
    return set[bit / 64] >> (bit % 64) & 1;
}

/* How many of preds[] it may set. */
static uint32_t set_predicates(const struct insn *insn)
{
    return insn->kind == INSN_JOIN ? 0 : insn->kind == INSN_STEP ? 1 : 2;
}

/* Calls visit with all that an instruction sets, or uses. */
static void each_set(const struct insn *insn, void (*visit)(void *, uint32_t), void *context)
{
    for (uint32_t k = 0; k < insn->ndefs; k++)
        if (is_register(insn->o[k]))
            visit(context, insn->o[k]);
    for (uint32_t k = 0; k < set_predicates(insn); k++)
        if (insn->preds[k] != PRED_NONE)
            visit(context, SLOT_PRED | insn->preds[k]);
}

static void each_used(const struct insn *insn, void (*visit)(void *, uint32_t), void *context)
{
    for (uint32_t k = insn->ndefs; k < (uint32_t)insn->ndefs + insn->nuses; k++)
        if (is_register(insn->o[k]))
            visit(context, insn->o[k]);
    for (uint32_t k = insn->kind == INSN_STEP ? 0 : 2; insn->kind != INSN_JOIN && k < 4; k++)
        if (insn->preds[k] != PRED_NONE)
            visit(context, SLOT_PRED | insn->preds[k]);
    if (insn->guard)
        visit(context, SLOT_PRED | (insn->guard - 1u));
}

struct transfer {
    const struct slice *slice;
    uint64_t *set;
    bool is_wanted;
};

static void gather(void *context, uint32_t to)
{
    struct transfer *transfer = context;
    const struct slice *slice = transfer->slice;
    if (to < slice->function->ncode && slice->member[to])
        for (uint32_t w = 0; w < slice->words; w++)
            transfer->set[w] |= slice->needed[(size_t)(slice->member[to] - 1) * slice->words + w];
}
static void ask(void *context, uint32_t operand)
{
    struct transfer *transfer = context;
    transfer->is_wanted |= is_needed(transfer->slice, transfer->set, operand);
}
static void add(void *context, uint32_t operand)
{
    struct transfer *transfer = context;
    need(transfer->slice, transfer->set, operand);
}
static void take(void *context, uint32_t operand)
{
    struct transfer *transfer = context;
    const uint32_t bit = bit_of(transfer->slice, operand);
    transfer->set[bit / 64] &= ~(1ull << (bit % 64));
}

/* Where a needed value comes from, if not from other registers of the lane. */
static void note_source(struct slice *slice, const struct insn *insn)
{
    if (insn->class == CLASS_WARP)
        slice->needs_warp = true;
    else if (insn->kind == INSN_CARRY ||
             (insn->kind == INSN_STEP && !decode_is_constant(insn) && !is_fixed_load(slice, insn)))
        slice->needs_others = true;
}

/* What is needed before an instruction, by what is needed behind it. True: more than was known. */
static bool update(struct slice *slice, uint32_t number)
{
    const struct insn *insn = &slice->function->code[slice->code[number]];
    struct transfer transfer = {slice, slice->after, false};
    memset(slice->after, 0, slice->words * sizeof *slice->after);
    each_next(slice->function, slice->code[number], gather, &transfer);
    each_set(insn, ask, &transfer);
    if (transfer.is_wanted && !slice->is_relevant[number])
        note_source(slice, insn);
    slice->is_relevant[number] |= transfer.is_wanted;
    if (transfer.is_wanted && !insn->guard && insn->class != CLASS_WARP)
        each_set(insn, take, &transfer);
    if (slice->is_relevant[number])
        each_used(insn, add, &transfer);
    bool is_changed = false;
    uint64_t *before = slice->needed + (size_t)number * slice->words;
    for (uint32_t w = 0; w < slice->words; w++) {
        is_changed |= (slice->after[w] & ~before[w]) != 0;
        before[w] |= slice->after[w];
    }
    return is_changed;
}

/* Whether a branch decides if something relevant is executed before its ways meet again. */
static bool decides(const struct slice *slice, uint32_t number)
{
    const uint32_t at = slice->code[number];
    const struct insn *insn = &slice->function->code[at];
    if (insn->flow == FLOW_TABLE || insn->branch.join == NO_JOIN)
        return true;
    struct reach between;
    bool is_found = !reach_from(slice->function, &between, at, insn->branch.join);
    for (uint32_t n = 0; n < slice->ncode && !is_found; n++)
        is_found = n != number && slice->code[n] != insn->branch.join && slice->is_relevant[n] &&
                   between.is_reached[slice->code[n]];
    reach_free(&between);
    return is_found;
}

static bool mark_deciding(struct slice *slice)
{
    bool is_changed = false;
    for (uint32_t n = 0; n < slice->ncode; n++) {
        const struct insn *insn = &slice->function->code[slice->code[n]];
        const bool is_open = !slice->is_relevant[n] &&
                             (insn->flow == FLOW_TABLE || (insn->flow == FLOW_BRANCH && insn->guard));
        if (is_open && decides(slice, n))
            slice->is_relevant[n] = is_changed = true;
    }
    return is_changed;
}

static void find_needs(struct slice *slice)
{
    for (uint32_t n = 0; n < slice->ncode; n++)
        slice->is_relevant[n] =
            leaves(&slice->function->code[slice->code[n]]) || next_of(slice, slice->code[n]).is_out;
    bool is_changed = true;
    while (is_changed && !slice->needs_others) {
        is_changed = false;
        for (uint32_t n = slice->ncode; n-- > 0;)
            is_changed |= update(slice, n);
        if (!is_changed)
            is_changed = mark_deciding(slice);
    }
}

/* Of what is needed at the head, the slots that the loop sets; the others stay. */
static bool list_slots(const struct slice *slice, struct loop_exit *out)
{
    const uint64_t *needed = slice->needed + (size_t)(slice->member[slice->head] - 1) * slice->words;
    uint64_t *is_listed = slice->after;
    memset(is_listed, 0, slice->words * sizeof *is_listed);
    for (uint32_t n = 0; n < slice->ncode; n++) {
        const struct insn *insn = &slice->function->code[slice->code[n]];
        for (uint32_t k = 0; k < insn->ndefs + set_predicates(insn); k++) {
            const bool is_pred = k >= insn->ndefs;
            const uint32_t number = is_pred ? insn->preds[k - insn->ndefs] : 0;
            const uint32_t operand = is_pred ? SLOT_PRED | number : insn->o[k];
            if ((is_pred && number == PRED_NONE) || !is_register(operand) ||
                !is_needed(slice, needed, operand) || is_needed(slice, is_listed, operand))
                continue;
            if (out->count == EXIT_SLOTS || (!is_pred && !insn->dsize))
                return false;
            need(slice, is_listed, operand);
            out->slots[out->count].slot = operand;
            out->slots[out->count++].bytes = is_pred ? 4 : insn->dsize * 32u;
        }
    }
    return true;
}

/* Jumps through a table go back without a look at the loop. */
static bool has_table(const struct function *function)
{
    for (uint32_t i = 0; i < function->ncode; i++)
        if (function->code[i].flow == FLOW_TABLE)
            return true;
    return false;
}

static void look_into(struct slice *slice, const uint8_t *is_reached, struct loop_exit *out)
{
    const struct function *function = slice->function;
    out->kind = EXIT_OTHERS;
    slice->words = (function->register_bytes / 64 + function->npreds) / 64 + 1;
    slice->member = calloc(function->ncode + 1, sizeof *slice->member);
    if (!slice->member || !find_loop(slice, is_reached) || !slice->member[slice->head] ||
        (size_t)slice->ncode * slice->words > MOST_WORDS || has_table(function))
        return;
    slice->needed = calloc((size_t)slice->ncode * slice->words, sizeof *slice->needed);
    slice->after = calloc(slice->words, sizeof *slice->after);
    slice->is_relevant = calloc(slice->ncode, 1);
    if (!slice->needed || !slice->after || !slice->is_relevant)
        return;
    find_needs(slice);
    if (!slice->needs_others && slice->needs_warp)
        out->kind = EXIT_WARP;
    else if (!slice->needs_others && list_slots(slice, out))
        out->kind = EXIT_OWN;
}

/* From the head on: does a way lead out, whatever its guards say? */
static bool can_leave(const struct function *function, const uint8_t *is_reached)
{
    bool is_found = is_reached[function->ncode];
    for (uint32_t i = 0; i < function->ncode && !is_found; i++)
        is_found = is_reached[i] && leaves(&function->code[i]);
    return is_found;
}

void loop_exit_find(const struct warp *warp, const struct insn *branch, struct loop_exit *out)
{
    const struct function *function = warp->frame->function;
    struct slice slice = {.warp = warp, .function = function, .head = branch->branch.target};
    struct reach all;
    *out = (struct loop_exit){.kind = EXIT_OTHERS};
    if (reach_from(function, &all, slice.head, function->ncode)) {
        if (can_leave(function, all.is_reached))
            look_into(&slice, all.is_reached, out);
        else
            out->kind = EXIT_NONE;
    }
    reach_free(&all);
    free(slice.member);
    free(slice.code);
    free(slice.needed);
    free(slice.after);
    free(slice.is_relevant);
}
