/* loop_slice.c - see loop_slice.h. Whatever is not understood counts as needed from others: a wrong answer here would stop a program
 * that ends. */
#include "exec/loop_slice.h"

#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "decode/provenance.h"
#include "exec/builtins.h"
#include "memory/memory.h"

enum { MOST_WORDS = 1 << 20 }; /* of all sets together; larger loops are not looked into */

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

bool insn_leaves(const struct insn *insn)
{
    return insn->flow == FLOW_RETURN || insn->flow == FLOW_EXIT || insn->flow == FLOW_TRAP ||
           (insn->flow == FLOW_CALL && ends_program(insn->call));
}

void insn_each_next(const struct function *function, uint32_t at, void (*visit)(void *, uint32_t),
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

static void reach(void *context, uint32_t to)
{
    struct reach *all = context;
    if (!all->is_reached[to])
        all->rest[all->nrest++] = to;
    all->is_reached[to] = 1;
}

bool reach_from(const struct function *function, struct reach *out, uint32_t begin, uint32_t end)
{
    *out = (struct reach){calloc(function->ncode + 1, 1), calloc(function->ncode + 1, sizeof(uint32_t)), 0};
    if (!out->is_reached || !out->rest)
        return false;
    reach(out, begin);
    while (out->nrest) {
        const uint32_t at = out->rest[--out->nrest];
        if (at < function->ncode && at != end)
            insn_each_next(function, at, reach, out);
    }
    return true;
}

void reach_free(struct reach *all)
{
    free(all->is_reached);
    free(all->rest);
}

/* ------------------------------------------------------------------------------------------- the loop */

static void look_where(void *context, uint32_t to)
{
    struct into *into = context;
    const struct slice *slice = into->slice;
    const bool goes_round = to == slice->head && into->from >= to;
    const bool is_in = goes_round || (to != slice->head && to < slice->function->ncode && slice->member[to]);
    into->is_in |= is_in;
    into->is_out |= !is_in;
}

struct into slice_next(const struct slice *slice, uint32_t at)
{
    struct into into = {slice, at, false, false};
    insn_each_next(slice->function, at, look_where, &into);
    return into;
}

/* Backwards from the branches to the head, until nothing is added; only what can be reached from it. False: out of memory. */
static bool find_loop(struct slice *slice, const uint8_t *is_reached)
{
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (uint32_t i = slice->function->ncode; i-- > 0;)
            if (is_reached[i] && !slice->member[i] && slice_next(slice, i).is_in)
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

static uint32_t bit_of(const struct slice *slice, uint32_t operand)
{
    return operand & SLOT_PRED ? slice->function->register_bytes / 64 + (operand & ~SLOT_PRED) : operand / 64;
}

void slice_need(const struct slice *slice, uint64_t *set, uint32_t operand)
{
    const uint32_t bit = bit_of(slice, operand);
    set[bit / 64] |= 1ull << (bit % 64);
}

bool slice_is_needed(const struct slice *slice, const uint64_t *set, uint32_t operand)
{
    const uint32_t bit = bit_of(slice, operand);
    return set[bit / 64] >> (bit % 64) & 1;
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
    transfer->is_wanted |= slice_is_needed(transfer->slice, transfer->set, operand);
}
static void add(void *context, uint32_t operand)
{
    struct transfer *transfer = context;
    slice_need(transfer->slice, transfer->set, operand);
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
    insn_each_next(slice->function, slice->code[number], gather, &transfer);
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

/* Jumps through a table go back without a look at the loop. */
static bool has_table(const struct function *function)
{
    for (uint32_t i = 0; i < function->ncode; i++)
        if (function->code[i].flow == FLOW_TABLE)
            return true;
    return false;
}

bool slice_update(struct slice *slice)
{
    bool is_changed = false;
    for (uint32_t n = slice->ncode; n-- > 0;)
        is_changed |= update(slice, n);
    return is_changed;
}

void slice_clear(struct slice *slice)
{
    memset(slice->needed, 0, (size_t)slice->ncode * slice->words * sizeof *slice->needed);
    memset(slice->is_relevant, 0, slice->ncode);
    slice->needs_warp = slice->needs_others = false;
}

bool slice_begin(struct slice *slice, const struct warp *warp, const struct function *function, uint32_t head)
{
    *slice = (struct slice){.warp = warp, .function = function, .head = head};
    struct reach all;
    slice->words = (function->register_bytes / 64 + function->npreds) / 64 + 1;
    slice->member = calloc(function->ncode + 1, sizeof *slice->member);
    const bool is_found = reach_from(function, &all, head, function->ncode) && slice->member &&
                          find_loop(slice, all.is_reached) && slice->member[head] &&
                          (size_t)slice->ncode * slice->words <= MOST_WORDS && !has_table(function);
    reach_free(&all);
    if (!is_found)
        return false;
    slice->needed = calloc((size_t)slice->ncode * slice->words, sizeof *slice->needed);
    slice->after = calloc(slice->words, sizeof *slice->after);
    slice->is_relevant = calloc(slice->ncode, 1);
    return slice->needed && slice->after && slice->is_relevant;
}

void slice_end(struct slice *slice)
{
    free(slice->member);
    free(slice->code);
    free(slice->needed);
    free(slice->after);
    free(slice->is_relevant);
}
