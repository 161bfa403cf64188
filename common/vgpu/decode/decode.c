/* decode.c - a function's PTX becomes executable: each instruction finds its family or its form, operands become
 * registers and literals, and flow.c and registers.c finish the work.
 * After function_decode() nothing of the function changes; the machine only reads it.
 * Families decode themselves, in their own files. */
#include "decode/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "core/budget.h"
#include "decode/flow_graph.h"

static decode_fn *find_family(const struct decoder *decoder, const char *word)
{
    for (size_t i = 0; i < decoder->set->count; i++)
        if (strcmp(decoder->set->families[i].opcode, word) == 0)
            return decoder->set->families[i].decode;
    return NULL;
}

/* ------------------------------------------------------------------------------------------- forms */

static bool add_form_source(struct decoder *decoder, struct insn *out, const struct ptx_operand *operand,
                            char letter)
{
    if (letter != 'p')
        return decode_source(decoder, out, operand, letter);
    uint16_t number;
    if (!decode_pred_source(decoder, operand, &number))
        return false;
    out->o[out->ndefs + out->nuses++] = SLOT_PRED | number;
    return true;
}

static bool add_form_sources(struct decoder *decoder, const struct ptx_insn *in, struct insn *out,
                             const char *letters)
{
    bool has_preds = false;
    for (uint32_t k = 1; *letters; k++, letters++) {
        if (k >= in->noperands)
            return decode_error(decoder, "has too few operands");
        if (!add_form_source(decoder, out, &in->operands[k], *letters))
            return false;
        has_preds |= *letters == 'p';
    }
    if (has_preds && out->kind == INSN_ALU)
        out->kind = INSN_SELP;
    if (out->nuses == 4 && out->kind == INSN_ALU)
        out->kind = INSN_ALU4;
    return true;
}

/* Instructions that other parts of a GPU execute, by how their names begin. */
static const struct {
    const char *begin, *part;
} elsewhere[] = {
    {"wmma.", "tensor cores"},           {"mma.", "tensor cores"},
    {"wgmma.", "tensor cores"},          {"tcgen05.", "tensor cores"},
    {"ldmatrix.", "tensor cores"},       {"stmatrix.", "tensor cores"},
    {"movmatrix.", "tensor cores"},      {"cp.async.bulk", "bulk copies (TMA)"},
    {"cp.reduce.", "bulk copies (TMA)"}, {"tensormap.", "bulk copies (TMA)"},
    {"multimem.", "multicast memory"},
};

static bool refuse_instruction(struct decoder *decoder, const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strncmp(name, elsewhere[i].begin, strlen(elsewhere[i].begin)) == 0)
            return decode_error(decoder, "the virtual GPU has no %s", elsewhere[i].part);
    return decode_error(decoder, "the virtual GPU does not know this instruction");
}

bool decode_form(struct decoder *decoder, const char *name, const struct ptx_insn *in, struct insn *out)
{
    char canonical[160];
    const struct form *form = form_find(form_canonical(name, canonical, sizeof canonical));
    if (!form)
        return refuse_instruction(decoder, name);
    if (in->noperands < 1)
        return decode_error(decoder, "has no operands");
    out->form = form;
    out->fn = form->fn;
    out->class = form->class;
    out->traits = form_traits(form);
    out->flops = form_flops(form);
    const struct ptx_operand *dest = &in->operands[0];
    if (form->signature[0] == 'p') {
        out->kind = INSN_SETP;
        if (dest->kind == PTX_OP_PAIR && !decode_pred_dest(decoder, &dest->list[1], &out->preds[1]))
            return false;
        if (!decode_pred_dest(decoder, dest->kind == PTX_OP_PAIR ? &dest->list[0] : dest, &out->preds[0]))
            return false;
    } else {
        out->kind = form->uses_carry ? INSN_CARRY : INSN_ALU;
        if (!decode_dest(decoder, out, dest, form->signature[0]))
            return false;
    }
    return add_form_sources(decoder, in, out, form->signature + 2);
}

/* ------------------------------------------------------------------------------------------- instructions */

static bool decode_guard(struct decoder *decoder, const struct ptx_insn *in, struct insn *out)
{
    if (in->guard < 0)
        return true;
    uint16_t number = decoder->pred_numbers[in->guard];
    if (number == PRED_NONE)
        return decode_error(decoder, "its guard is not a predicate");
    out->guard = (uint16_t)(number + 1);
    out->guard_not = in->guard_negated;
    return true;
}

static bool decode_insn(struct decoder *decoder, const struct ptx_insn *in)
{
    struct opcode opcode;
    struct insn out = {.source = in, .loc = in->loc, .class = CLASS_OTHER};
    memset(out.preds, 0xff, sizeof out.preds); /* PRED_NONE */
    decoder->current = in;
    if (!opcode_split(&opcode, in->name))
        return decode_error(decoder, "its name is too long");
    out.is_release = opcode_has(&opcode, "release") || opcode_has(&opcode, "acq_rel");
    out.is_block_wide = opcode_has(&opcode, "cta") || opcode_has(&opcode, "cluster");
    decode_fn *family = find_family(decoder, opcode.parts[0]);
    bool is_fine = family ? family(decoder, &opcode, in, &out) : decode_form(decoder, in->name, in, &out);
    if (!is_fine || !decode_guard(decoder, in, &out))
        return decode_error(decoder, "cannot be decoded");
    struct insn *insn = decode_emit(decoder);
    if (!insn)
        return false;
    out.id = ++decoder->module->ninsns;
    *insn = out;
    return !decoder->npending || decode_flush_pending(decoder);
}

/* A function whose text ends without a jump returns there. */
static bool end_function(struct decoder *decoder)
{
    struct ptx_insn ret = {.name = "ret", .guard = -1};
    if (!decode_insn(decoder, &ret))
        return false;
    struct insn *insn = &decoder->code[decoder->ncode - 1];
    insn->source = NULL;
    insn->id = 0; /* nobody wrote it: it is not counted */
    decoder->module->ninsns--;
    return true;
}

static bool decode_body(struct decoder *decoder)
{
    const struct ptx_func *ptx = decoder->function->ptx;
    for (size_t i = 0; i < ptx->ninsns; i++) {
        decoder->starts[i] = decoder->ncode;
        if (!decode_insn(decoder, &ptx->insns[i]))
            return false;
    }
    decoder->starts[ptx->ninsns] = decoder->ncode;
    return end_function(decoder);
}

/* ------------------------------------------------------------------------------------------- functions */

/* What ptxas would refuse as well: a thread has 512 KB of local memory; parameters, at most some kilobytes. */
enum { MAX_LOCAL_BYTES = 512 * 1024, MAX_PARAM_BYTES = 1024 * 1024 };

static bool check_layout(struct decoder *decoder, const struct function *function)
{
    if (function->local_bytes > MAX_LOCAL_BYTES)
        return decode_error(decoder, "`%s` declares %u bytes of local memory; a thread has at most %d",
                            function->name, function->local_bytes, MAX_LOCAL_BYTES);
    if (function->param_bytes > MAX_PARAM_BYTES || function->arg_bytes > MAX_PARAM_BYTES)
        return decode_error(decoder, "`%s` declares more than %d bytes of parameters", function->name,
                            MAX_PARAM_BYTES);
    return true;
}

static bool begin_decoder(struct decoder *decoder, struct function *function)
{
    const struct ptx_func *ptx = function->ptx;
    decoder->function = function;
    decoder->module = function->module;
    decoder->virtual_capacity = ptx->nregs + 64;
    decoder->starts = malloc((ptx->ninsns + 1) * sizeof *decoder->starts);
    decoder->sizes = malloc(decoder->virtual_capacity);
    decoder->pred_numbers = malloc((ptx->nregs + 1) * sizeof *decoder->pred_numbers);
    decoder->pending = aligned_alloc(64, 4 * sizeof *decoder->pending);
    if (!decoder->starts || !decoder->sizes || !decoder->pred_numbers || !decoder->pending)
        return decode_error(decoder, "out of memory");
    for (size_t r = 0; r < ptx->nregs; r++) {
        bool is_pred = ptx->regs[r].type == PTX_PRED;
        uint32_t size = ptx_type_size(ptx->regs[r].type);
        decoder->sizes[r] = (uint8_t)(is_pred ? 0 : size < 2 ? 2 : size);
        decoder->pred_numbers[r] = PRED_NONE;
        if (is_pred && decoder->npreds < PRED_NONE - 2)
            decoder->pred_numbers[r] = (uint16_t)decoder->npreds++;
    }
    decoder->nvirtual = (uint32_t)ptx->nregs;
    return true;
}

static bool finish_function(struct decoder *decoder)
{
    struct function *function = decoder->function;
    function->constants = arena_alloc(function->module->arena, decoder->constant_bytes + 128);
    uint8_t *memory = arena_alloc(function->module->arena, decoder->ncode * sizeof(struct insn) + 64);
    if (!function->constants || !memory)
        return decode_error(decoder, "out of memory");
    struct insn *code =
        (struct insn *)(((uintptr_t)memory + 63) / 64 * 64); // NOLINT(performance-no-int-to-ptr)
    /* an empty table has no bytes to copy, and no pointer to copy from */
    if (decoder->constant_bytes)
        memcpy(function->constants, decoder->constants, decoder->constant_bytes);
    memcpy(code, decoder->code, decoder->ncode * sizeof *code);
    budget_weigh(code, decoder->ncode);
    function->npreds = decoder->npreds + 1;
    function->ncode = decoder->ncode;
    function->code = code;
    return true;
}

/* Control flow and registers, from one graph; the joins come last, since they move the code. */
static bool arrange(struct decoder *decoder)
{
    struct flow_graph graph;
    flow_resolve_targets(decoder);
    const bool is_fine = flow_graph_make(&graph, decoder->code, decoder->ncode)
                             ? registers_assign(decoder, &graph) && flow_insert_joins(decoder, &graph)
                             : decode_error(decoder, "out of memory");
    flow_graph_free(&graph);
    return is_fine;
}

static bool decode_one(struct function *function, const struct instruction_set *set, struct refusal *why)
{
    struct decoder decoder = {.set = set, .why = why};
    bool is_fine = check_layout(&decoder, function) && begin_decoder(&decoder, function) &&
                   decode_body(&decoder) && arrange(&decoder) && finish_function(&decoder);
    free(decoder.code);
    free(decoder.starts);
    free(decoder.sizes);
    free(decoder.pred_numbers);
    free(decoder.pending);
    free(decoder.constants);
    free(decoder.constant_index);
    return is_fine;
}

/* ------------------------------------------------------------------------------------------- call graph */

/* The functions that a kernel can reach: found so far, and how many of them have been looked at. */
struct reach {
    struct function **found;
    bool *is_found; /* by index in the module */
    uint32_t nfound;
    const struct instruction_set *set;
    bool has_all; /* an indirect call may reach every function with a body that is no kernel */
};

static void reach_function(struct reach *reach, struct function *function)
{
    if (reach->is_found[function->index])
        return;
    reach->is_found[function->index] = true;
    reach->found[reach->nfound++] = function;
}

static void reach_all(struct reach *reach, struct module *module)
{
    for (uint32_t i = 0; !reach->has_all && i < module->nfunctions; i++)
        if (module->functions[i].ptx->has_body && !module->functions[i].ptx->is_entry)
            reach_function(reach, &module->functions[i]);
    reach->has_all = true;
}

static void reach_callees(struct reach *reach, const struct function *function)
{
    for (uint32_t i = 0; i < function->ncode; i++) {
        const struct insn *insn = &function->code[i];
        if (insn->flow != FLOW_CALL)
            continue;
        const struct call_info *call = insn->call;
        if (call->callee)
            reach_function(reach, call->callee);
        else if (!call->builtin)
            reach_all(reach, function->module);
    }
}

/* A function that was decoded for another kernel is looked at again: that kernel may have failed further down. */
static bool decode_reachable(struct reach *reach, struct function *kernel, struct refusal *why)
{
    reach_function(reach, kernel);
    for (uint32_t i = 0; i < reach->nfound; i++) {
        if (!reach->found[i]->code && !decode_one(reach->found[i], reach->set, why))
            return false;
        reach_callees(reach, reach->found[i]);
    }
    return true;
}

static bool decode_with_callees(struct function *kernel, const struct instruction_set *set,
                                struct refusal *why)
{
    uint32_t count = kernel->module->nfunctions;
    struct reach reach = {.found = malloc(count * sizeof(struct function *)),
                          .is_found = calloc(count, sizeof(bool)),
                          .set = set};
    bool is_fine = reach.found && reach.is_found && decode_reachable(&reach, kernel, why);
    if (!reach.found || !reach.is_found)
        snprintf(why->text, sizeof why->text, "out of memory");
    free(reach.found);
    free(reach.is_found);
    return is_fine;
}

/* Whether anybody in the module's decoded code can see in which order blocks do their atomics. */
static bool observes_order(const struct module *module)
{
    for (uint32_t f = 0; f < module->nfunctions; f++) {
        const struct function *function = &module->functions[f];
        for (uint32_t i = 0; function->code && i < function->ncode; i++)
            if (function->code[i].is_volatile || (function->code[i].is_atomic && function->code[i].ndefs))
                return true;
    }
    return false;
}

bool function_decode(struct function *function, const struct instruction_set *set, struct refusal *why)
{
    *why = (struct refusal){0};
    if (!decode_with_callees(function, set, why))
        return false;
    bool uses_order = observes_order(function->module);
    for (uint32_t f = 0; f < function->module->nfunctions; f++)
        function->module->functions[f].uses_order = uses_order;
    return true;
}
