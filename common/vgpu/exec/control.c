/* control.c - branches, calls, returns, exits and traps; and a few opcodes that ask nothing of this machine.
 * A call gives the callee a frame of its own; arguments and results travel through per-lane .param blocks.
 * How lanes part and meet again is warp.c's business. */
#include <stdlib.h>
#include <string.h>

#include "core/budget.h"
#include "core/findings.h"
#include "core/garbage.h"
#include "decode/decode_internal.h"
#include "exec/instructions.h"
#include "core/checker.h"
#include "core/warp.h"
#include "exec/builtins.h"
#include "exec/loop_exit.h"

enum { MAX_CALL_DEPTH = 8192 };

static bool step_of(struct insn *out, step_fn *step, enum insn_flow flow)
{
    out->kind = INSN_STEP;
    out->step = step;
    out->class = CLASS_CONTROL;
    out->flow = (uint8_t)flow;
    out->branch.join = NO_JOIN;
    return true;
}

/* ------------------------------------------------------------------------------------------- branches */

static enum step step_bra(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    static const struct loop_looks looks = {loop_exit_find, loop_counts_find};
    const struct insn *target = warp->frame->function->code + insn->branch.target;
    const bool is_due = target <= insn && budget_is_due(warp);
    if (is_due && budget_look(warp, insn, &looks) == STEP_FAULT)
        return STEP_FAULT;
    if (warp->block->shadow)
        checker_of(warp)->branch(warp, insn, mask, warp->active & ~mask);
    if (mask != warp->active)
        return warp_branch(warp, insn, mask, target);
    warp->ip = target;
    return is_due ? STEP_UNDEFINED
                  : STEP_NEXT; /* to another loop of loop.c: a record may begin, or be full */
}

bool decode_bra(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                struct insn *out)
{
    (void)opcode;
    if (in->noperands != 1 || in->operands[0].kind != PTX_OP_LABEL)
        return decode_error(decoder, "expected a label");
    out->branch.target = decoder->function->ptx->labels[in->operands[0].label].target;
    return step_of(out, step_bra, FLOW_BRANCH);
}

/* o[0]: the index; extra: the table. An index past the end is undefined; it is reported and ends the launch. */
static enum step step_brx(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (budget_limit(warp, insn) == STEP_FAULT)
        return STEP_FAULT;
    const struct branch_table *table = insn->table;
    const uint32_t *index = slot(warp, insn->o[0]);
    const struct insn *code = warp->frame->function->code, *targets[LANES];
    bool is_uniform = mask == warp->active;
    uint32_t first = index[__builtin_ctz(mask)];
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        if (index[i] >= table->count) {
            finding_add(warp, insn, i, VGPU_BRANCH_INDEX, "index %u of %u", index[i], table->count);
            return launch_fault(warp, cudaErrorInvalidPc);
        }
        is_uniform &= index[i] == first;
        targets[i] = code + table->targets[index[i]];
    }
    if (!is_uniform)
        return warp_branch_many(warp, insn, targets, mask);
    warp->ip = targets[__builtin_ctz(mask)];
    return STEP_NEXT;
}

bool decode_brx(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                struct insn *out)
{
    (void)opcode;
    if (in->noperands != 2 || in->operands[1].kind != PTX_OP_LABEL)
        return decode_error(decoder, "expected an index and a table of labels");
    const struct ptx_func *ptx = decoder->function->ptx;
    const struct ptx_label *label = &ptx->labels[in->operands[1].label];
    struct branch_table *table = decode_alloc(decoder, sizeof *table);
    uint32_t *targets = decode_alloc(decoder, (label->nbranch_targets + 1) * sizeof *targets);
    if (!table || !targets)
        return decode_error(decoder, "out of memory");
    if (!label->nbranch_targets)
        return decode_error(decoder, "`%s` is no table of branch targets", label->name);
    for (size_t k = 0; k < label->nbranch_targets; k++)
        targets[k] = ptx->labels[label->branch_targets[k]].target;
    table->targets = targets;
    table->count = (uint32_t)label->nbranch_targets;
    out->table = table;
    return decode_source(decoder, out, &in->operands[0], 'w') && step_of(out, step_brx, FLOW_TABLE);
}

/* ------------------------------------------------------------------------------------------- calls */

static void copy_params(uint8_t *to, uint32_t to_stride, const uint8_t *from, uint32_t from_stride,
                        const struct call_copy *copies, uint32_t count, uint32_t mask)
{
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(lanes);
            memcpy(to + i * to_stride + copies[k].to, from + i * from_stride + copies[k].from,
                   copies[k].size);
        }
}

static struct frame *new_frame(const struct warp *warp, const struct function *function, struct frame *caller)
{
    size_t regs = function->register_bytes, preds = (function->npreds + 15u) / 16 * 64;
    size_t params = (size_t)function->param_bytes * LANES, args = (size_t)function->arg_bytes * LANES;
    size_t head = (sizeof(struct frame) + 127) / 128 * 128;
    uint8_t *memory = aligned_alloc(128, (head + regs + preds + params + args + 127) / 128 * 128);
    if (!memory)
        return NULL;
    struct frame *frame = (struct frame *)memory;
    memset(memory, 0, head + regs + preds + params + args);
    frame->function = function;
    frame->caller = caller;
    frame->regs = memory + head;
    frame->preds = (uint32_t *)(memory + head + regs);
    frame->params = memory + head + regs + preds;
    frame->args = frame->params + params;
    if (warp->block->launch->garbage && function->reads_unset)
        garbage_fill_block(warp->block, GARBAGE_REGISTERS, warp->index, frame->regs, 0, regs);
    frame->local_base = (caller->local_base + caller->function->local_bytes + 15) / 16 * 16;
    return frame;
}

/* A call takes 16 bytes of stack at least. Where the program has asked for a stack that would hold them all, the depth is
 * our limit; else a GPU could not hold them either. */
static enum step too_deep(struct warp *warp, const struct insn *insn, int lane)
{
    const uint64_t stack = warp->block->launch->stack_bytes, least = (uint64_t)warp->state->depth * 16;
    const bool is_ours = stack >= least;
    finding_add(warp, insn, lane, is_ours ? VGPU_LIMIT_CALLS : VGPU_STACK_OVERFLOW,
                "%u calls are under way, which is as deep as the virtual GPU goes; they take %llu bytes at "
                "least, and a "
                "thread's stack has %llu (cudaLimitStackSize)",
                warp->state->depth, (unsigned long long)least, (unsigned long long)stack);
    return launch_fault(warp, is_ours ? cudaErrorLaunchOutOfResources : cudaErrorIllegalAddress);
}

/* All that the variables of the running functions take of a thread's local memory, which has an end on every GPU. */
static bool has_local_room(const struct frame *caller, const struct function *callee)
{
    enum { MOST = 512 << 10 };
    return (uint64_t)caller->local_base + caller->function->local_bytes + callee->local_bytes <= MOST;
}

static enum step enter(struct warp *warp, const struct insn *insn, const struct function *callee,
                       uint32_t mask)
{
    const struct call_info *call = insn->call;
    if (warp->state->depth >= MAX_CALL_DEPTH || !has_local_room(warp->frame, callee))
        return too_deep(warp, insn, __builtin_ctz(mask));
    struct frame *caller = warp->frame, *frame = new_frame(warp, callee, caller);
    if (!frame)
        return launch_fault(warp, cudaErrorMemoryAllocation);
    frame->return_to = insn;
    copy_params(frame->params, callee->param_bytes, caller->args, caller->function->arg_bytes, call->args,
                call->nargs, mask);
    if (warp->undefined)
        checker_of(warp)->undefined->pass_arguments(warp, caller, frame, call->args, call->nargs, mask);
    return warp_call(warp, frame, callee->code, mask);
}

static enum step call_builtin(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const struct call_info *call = insn->call;
    struct frame *frame = warp->frame;
    uint8_t *args = calloc(LANES, call->builtin_bytes + 16),
            *result = calloc(LANES, call->builtin_result_bytes + 16);
    enum step step = STEP_FAULT;
    if (warp->undefined)
        checker_of(warp)->undefined->use_arguments(warp, insn, call->args, call->nargs, mask);
    if (args && result) {
        copy_params(args, call->builtin_bytes, frame->args, frame->function->arg_bytes, call->args,
                    call->nargs, mask);
        step = call->builtin->fn(warp, insn, mask, args, call->builtin_bytes, result,
                                 call->builtin_result_bytes);
        if (step == STEP_NEXT)
            copy_params(frame->args, frame->function->arg_bytes, result, call->builtin_result_bytes,
                        call->returns, call->nreturns, mask);
    }
    free(args);
    free(result);
    return step;
}

static const struct function *function_at(const struct module *module, uint64_t address)
{
    uint64_t index = address - FUNCTION_BASE;
    const struct function *function = index < module->nfunctions ? &module->functions[index] : NULL;
    return function && function->code && !function->ptx->is_entry ? function : NULL;
}

/* The bytes of a function's parameters and results that a call touches. */
static uint32_t bytes_touched(const struct call_info *call)
{
    uint32_t end = 0;
    for (uint32_t k = 0; k < call->nargs; k++)
        end = call->args[k].to + call->args[k].size > end ? call->args[k].to + call->args[k].size : end;
    for (uint32_t k = 0; k < call->nreturns; k++)
        end = call->returns[k].from + call->returns[k].size > end
                  ? call->returns[k].from + call->returns[k].size
                  : end;
    return end;
}

/* Lanes may call different functions: one group goes first, the rest execute the call again afterwards. */
static enum step call_indirect(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint64_t *address = slot(warp, insn->o[0]);
    int first = __builtin_ctz(mask);
    const struct function *callee = function_at(warp->frame->function->module, address[first]);
    if (!callee) {
        finding_add(warp, insn, first, VGPU_BAD_FUNCTION_POINTER, "0x%llx is no device function",
                    (unsigned long long)address[first]);
        return launch_fault(warp, cudaErrorInvalidPc);
    }
    if (bytes_touched(insn->call) > callee->param_bytes) {
        finding_add(warp, insn, first, VGPU_WRONG_FUNCTION_TYPE,
                    "`%s` takes other parameters than the call passes", callee->name);
        return launch_fault(warp, cudaErrorInvalidPc);
    }
    uint32_t group = 0;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
        if (address[__builtin_ctz(lanes)] == address[first])
            group |= lanes & -lanes;
    if (group == mask)
        return enter(warp, insn, callee, mask);
    return warp_call_group(warp, insn, group, mask);
}

static enum step step_call(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const struct call_info *call = insn->call;
    if (budget_limit(warp, insn) == STEP_FAULT)
        return STEP_FAULT;
    if (call->callee)
        return enter(warp, insn, call->callee, mask);
    return call->builtin ? call_builtin(warp, insn, mask) : call_indirect(warp, insn, mask);
}

static bool argument_of(struct decoder *decoder, const struct ptx_operand *operand, uint32_t *offset,
                        uint32_t *size)
{
    const struct function *function = decoder->function;
    for (uint32_t i = 0; operand->kind == PTX_OP_VAR && i < function->nargs; i++)
        if (function->args[i].var == operand->var) {
            *offset = function->args[i].offset;
            *size = function->args[i].size;
            return true;
        }
    return decode_error(decoder, "an argument is no .param variable of the function");
}

/* Parameters of a callee as it was declared: laid out one after another, each aligned to its own type. */
static uint32_t next_offset(uint32_t at, const struct ptx_var *var)
{
    uint32_t align = var->align ? var->align : 1;
    return (at + align - 1) / align * align;
}

static bool decode_copies(struct decoder *decoder, const struct ptx_operand *list,
                          struct ptx_var *const *vars, size_t nvars, uint32_t at, bool is_return,
                          struct call_copy **copies, uint32_t *ncopies, uint32_t *end)
{
    uint32_t count = list ? list->count : 0;
    *copies = decode_alloc(decoder, (count + 1) * sizeof **copies);
    if (!*copies)
        return decode_error(decoder, "out of memory");
    for (uint32_t k = 0; k < count; k++) {
        uint32_t offset = 0, size = 0;
        if (!argument_of(decoder, &list->list[k], &offset, &size))
            return false;
        if (k >= nvars)
            return decode_error(decoder, "passes more arguments than the function takes");
        at = next_offset(at, vars[k]);
        uint32_t bytes = vars[k]->size < size ? (uint32_t)vars[k]->size : size;
        (*copies)[k] =
            is_return ? (struct call_copy){at, offset, bytes} : (struct call_copy){offset, at, bytes};
        at += (uint32_t)vars[k]->size;
    }
    *ncopies = count;
    *end = at;
    return true;
}

/* call (returns), callee, (arguments), prototype: all but the callee may be missing. */
struct call_operands {
    const struct ptx_operand *returns, *callee, *args, *proto;
};

static void split_call(const struct ptx_insn *in, struct call_operands *out)
{
    uint32_t k = 0;
    memset(out, 0, sizeof *out);
    if (k < in->noperands && in->operands[k].kind == PTX_OP_LIST)
        out->returns = &in->operands[k++];
    if (k < in->noperands)
        out->callee = &in->operands[k++];
    if (k < in->noperands && in->operands[k].kind == PTX_OP_LIST)
        out->args = &in->operands[k++];
    if (k < in->noperands)
        out->proto = &in->operands[k++];
}

/* The parameter lists that the arguments must fit: the callee's own, or the prototype's. */
struct param_lists {
    struct ptx_var **params, **returns;
    size_t nparams, nreturns;
};

static bool find_lists(struct decoder *decoder, const struct call_operands *operands,
                       const struct function *callee, struct param_lists *lists)
{
    if (callee) {
        *lists = (struct param_lists){callee->ptx->params, callee->ptx->returns, callee->ptx->nparams,
                                      callee->ptx->nreturns};
        return true;
    }
    if (!operands->proto || operands->proto->kind != PTX_OP_LABEL)
        return decode_error(decoder, "an indirect call needs a prototype");
    const struct ptx_label *label = &decoder->function->ptx->labels[operands->proto->label];
    *lists = (struct param_lists){label->proto_params, label->proto_returns, label->nproto_params,
                                  label->nproto_returns};
    return true;
}

/* "Memcpy2DAsync" of "__cudaCDP2Memcpy2DAsync_ptsz", as the program wrote it. */
static bool refuse_device_runtime(struct decoder *decoder, const char *name)
{
    const char *call = name + strlen("__cudaCDP2");
    const char *suffix = strstr(call, "_ptsz");
    return decode_error(
        decoder,
        "it calls cuda%.*s itself (dynamic parallelism), which the virtual GPU does not do: of the "
        "runtime, kernels can only launch kernels, copy, set and allocate memory",
        suffix ? (int)(suffix - call) : (int)strlen(call), call);
}

static bool decode_callee(struct decoder *decoder, const struct ptx_operand *operand, struct call_info *call,
                          struct insn *out, const struct function **declared)
{
    if (!operand)
        return decode_error(decoder, "names no function");
    if (operand->kind == PTX_OP_REG)
        return decode_source(decoder, out, operand, 'd');
    struct function *callee = operand->name ? module_function(decoder->module, operand->name) : NULL;
    if (!callee)
        return decode_error(decoder, "there is no function `%s`", operand->name ? operand->name : "?");
    if (callee->ptx->is_entry)
        return decode_error(decoder, "calls `%s`, which is a kernel", callee->name);
    *declared = callee;
    if (callee->ptx->has_body) {
        call->callee = callee;
        return true;
    }
    call->builtin = builtin_find(callee->name);
    if (!call->builtin)
        call->builtin = device_runtime_find(callee->name);
    if (!call->builtin && device_runtime_has(callee->name))
        return refuse_device_runtime(decoder, callee->name);
    return call->builtin || decode_error(decoder,
                                         "calls `%s`, which has no code (a function of another file needs "
                                         "-rdc=true; of the device runtime, only printf, assert, malloc and "
                                         "free exist here)",
                                         callee->name);
}

bool decode_call(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                 struct insn *out)
{
    (void)opcode;
    struct call_info *call = decode_alloc(decoder, sizeof *call);
    struct call_operands operands;
    struct param_lists lists = {0};
    const struct function *declared = NULL;
    if (!call)
        return decode_error(decoder, "out of memory");
    split_call(in, &operands);
    if (!decode_callee(decoder, operands.callee, call, out, &declared) ||
        !find_lists(decoder, &operands, declared, &lists))
        return false;
    uint32_t end = 0, returns_at = call->builtin ? 0 : UINT32_MAX;
    if (!decode_copies(decoder, operands.args, lists.params, lists.nparams, 0, false, &call->args,
                       &call->nargs, &end))
        return false;
    call->builtin_bytes = (end + 15) / 16 * 16;
    /* a function's results lie behind all its parameters, whether or not this call passes them */
    if (returns_at) {
        returns_at = 0;
        for (size_t k = 0; k < lists.nparams; k++)
            returns_at = next_offset(returns_at, lists.params[k]) + (uint32_t)lists.params[k]->size;
    }
    if (!decode_copies(decoder, operands.returns, lists.returns, lists.nreturns, returns_at, true,
                       &call->returns, &call->nreturns, &end))
        return false;
    call->builtin_result_bytes = (end + 15) / 16 * 16;
    out->call = call;
    return step_of(out, step_call, FLOW_CALL);
}

/* Others may wait at a barrier for lanes that leave. */
static enum step leave_kernel(struct warp *warp, uint32_t mask)
{
    enum step step = warp_exit(warp, mask);
    barriers_update(warp->block);
    return step;
}

static enum step step_ret(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    (void)insn;
    struct frame *frame = warp->frame, *caller = frame->caller;
    if (!caller)
        return leave_kernel(warp, mask);
    const struct call_info *call = frame->return_to->call;
    copy_params(caller->args, caller->function->arg_bytes, frame->params, frame->function->param_bytes,
                call->returns, call->nreturns, mask);
    if (warp->undefined)
        checker_of(warp)->undefined->pass_results(warp, frame, caller, call->returns, call->nreturns, mask);
    return warp_return(warp, mask);
}

static enum step step_exit(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    (void)insn;
    return leave_kernel(warp, mask);
}

static enum step step_trap(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    finding_add(warp, insn, __builtin_ctz(mask), VGPU_TRAP, "the kernel executed a trap instruction");
    return launch_fault(warp, cudaErrorLaunchFailure);
}

bool decode_ret(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                struct insn *out)
{
    (void)decoder, (void)opcode, (void)in;
    return step_of(out, step_ret, FLOW_RETURN);
}

bool decode_exit(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                 struct insn *out)
{
    (void)decoder, (void)opcode, (void)in;
    return step_of(out, step_exit, FLOW_EXIT);
}

bool decode_trap(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                 struct insn *out)
{
    (void)decoder, (void)opcode, (void)in;
    return step_of(out, step_trap, FLOW_TRAP);
}

/* ------------------------------------------------------------------------------------------- small ones */

static enum step step_nothing(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    (void)warp, (void)insn, (void)mask;
    return STEP_NEXT;
}

/* A sleeping thread lets the others run: who sleeps in a loop waits for somebody. */
static enum step step_nanosleep(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    (void)mask;
    warp->clock += 64;
    if (warp->clock > warp->block->launch->budget)
        return budget_stop(warp, insn);
    return block_has_turn(warp->block) ? STEP_YIELD : STEP_WAIT_TURN;
}

bool decode_nothing(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                    struct insn *out)
{
    (void)decoder, (void)opcode, (void)in;
    step_of(out, step_nothing, FLOW_NEXT);
    out->class = CLASS_OTHER;
    return true;
}

bool decode_nanosleep(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                      struct insn *out)
{
    (void)decoder, (void)opcode, (void)in;
    step_of(out, step_nanosleep, FLOW_NEXT);
    out->is_volatile = true;
    return true;
}

/* alloca, stacksave, stackrestore: nvcc emits them only for stack arrays of run-time size. */
bool decode_alloca(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                   struct insn *out)
{
    (void)in, (void)out;
    return decode_error(decoder,
                        "%s: memory on a thread's stack whose size is not known at compile time is not "
                        "supported; use an array of fixed size",
                        opcode->parts[0]);
}

/* A cache policy is a hint; any value will do. A block is alone in its cluster, so its rank is 0. */
bool decode_policy(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                   struct insn *out)
{
    (void)opcode;
    if (in->noperands < 1)
        return decode_error(decoder, "has no operands");
    struct ptx_operand operands[2] = {in->operands[0], {.kind = PTX_OP_INT}};
    struct ptx_insn move = *in;
    move.operands = operands;
    move.noperands = 2;
    return decode_form(decoder, decode_register_size(decoder, &operands[0]) == 8 ? "mov.b64" : "mov.b32",
                       &move, out);
}

/* The address of a variable in another block of the cluster: there is only this block. */
bool decode_mapa(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                 struct insn *out)
{
    (void)opcode;
    struct ptx_insn move = *in;
    if (in->noperands < 2)
        return decode_error(decoder, "has too few operands");
    move.noperands = 2;
    return decode_form(decoder, decode_register_size(decoder, &in->operands[0]) == 8 ? "mov.b64" : "mov.b32",
                       &move, out);
}
