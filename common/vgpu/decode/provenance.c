/* provenance.c - which array an access means, from the flow of addresses through a function's registers.
 * The pass ignores order: a register's origin is the union over all its definitions, so it errs towards "unknown".
 * Addresses that went through memory, calls or arithmetic other than adding are not followed. */
#include "decode/provenance.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Where a register's value may come from: nothing yet, one origin, or several. Origins are numbered from 0:
 * parameters first, then the function's variables, then the module's. */
enum { ORIGIN_NONE = -1, ORIGIN_MANY = -2 };

struct provenance {
    int32_t *origins; /* per PTX instruction: the origin of its address; ORIGIN_NONE: unknown */
    bool *hints;      /* per PTX instruction: an atomic on the same origin follows it */
    bool *tests;      /* per PTX instruction: a load that is tested before its place is set */
};

struct pass {
    const struct ptx_func *func;
    const struct ptx_module *module;
    int32_t *registers; /* origin of each register */
    bool has_changed;
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int32_t variable_origin(const struct pass *pass, const struct ptx_var *var)
{
    const struct ptx_func *func = pass->func;
    for (size_t i = 0; i < func->nparams; i++)
        if (func->params[i] == var)
            return (int32_t)i;
    for (size_t i = 0; i < func->nvars; i++)
        if (func->vars[i] == var)
            return (int32_t)(func->nparams + i);
    for (size_t i = 0; i < pass->module->nvars; i++)
        if (pass->module->vars[i] == var)
            return (int32_t)(func->nparams + func->nvars + i);
    return ORIGIN_NONE;
}

static const struct ptx_var *origin_variable(const struct ptx_func *func, const struct ptx_module *module,
                                             int32_t origin)
{
    size_t i = (size_t)origin;
    if (origin < 0)
        return NULL;
    if (i < func->nparams)
        return func->params[i];
    i -= func->nparams;
    if (i < func->nvars)
        return func->vars[i];
    i -= func->nvars;
    return i < module->nvars ? module->vars[i] : NULL;
}

/* The origin of an operand's value. */
static int32_t operand_origin(const struct pass *pass, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_OP_REG:
        return operand->reg < pass->func->nregs ? pass->registers[operand->reg] : ORIGIN_NONE;
    case PTX_OP_VAR:
        return variable_origin(pass, operand->var);
    case PTX_OP_SYMBOL: {
        const struct ptx_var *var = operand->var ? operand->var : ptx_find_var(pass->module, operand->name);
        return var ? variable_origin(pass, var) : ORIGIN_NONE;
    }
    default:
        return ORIGIN_NONE;
    }
}

static int32_t join(int32_t a, int32_t b)
{
    if (a == b || b == ORIGIN_NONE)
        return a;
    return a == ORIGIN_NONE ? b : ORIGIN_MANY;
}

static void flow_into(struct pass *pass, const struct ptx_operand *destination, int32_t origin)
{
    if (destination->kind != PTX_OP_REG || destination->reg >= pass->func->nregs)
        return;
    int32_t *slot = &pass->registers[destination->reg];
    int32_t joined = join(*slot, origin);
    pass->has_changed |= joined != *slot;
    *slot = joined;
}

/* Operations whose result can be an address into the array that one of their sources points to. */
static bool carries_address(const char *name)
{
    static const char *const names[] = {"mov.",  "add.",  "sub.", "mad.lo", "mad.wide", "cvta.",
                                        "selp.", "cvt.",  "min.", "max.",   "and.b",    "or.b",
                                        "xor.b", "lop3.", "vadd", "fma.",   "addc."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts_with(name, names[i]))
            return true;
    return false;
}

/* Only the addend of a multiply-add can be an address: a scaled address is none. */
static uint32_t first_source(const char *name)
{
    return starts_with(name, "mad.") ? 3 : 1;
}

static void flow(struct pass *pass, const struct ptx_insn *insn)
{
    if (insn->noperands < 2)
        return;
    const struct ptx_operand *destination = &insn->operands[0];
    if (starts_with(insn->name, "ld.param") && insn->operands[1].kind == PTX_OP_ADDRESS &&
        insn->operands[1].count) {
        if (strstr(insn->name, "64") && destination->kind == PTX_OP_REG)
            flow_into(pass, destination, operand_origin(pass, &insn->operands[1].list[0]));
    } else if (carries_address(insn->name)) {
        for (uint32_t i = first_source(insn->name); i < insn->noperands; i++)
            flow_into(pass, destination, operand_origin(pass, &insn->operands[i]));
    }
}

static void spoil_operand(struct pass *pass, const struct ptx_operand *operand)
{
    flow_into(pass, operand, ORIGIN_MANY);
    for (uint32_t i = 0; operand->kind == PTX_OP_LIST && i < operand->count; i++)
        flow_into(pass, &operand->list[i], ORIGIN_MANY);
}

/* A value that did not come through the operations above makes the register unknown: it may be any address. */
static void spoil(struct pass *pass, const struct ptx_insn *insn)
{
    static const char *const opaque[] = {"ld.", "ldu.", "atom.", "tex.", "bfi.b64", "mov.b64"};
    if (insn->noperands < 2)
        return;
    /* 64-bit values can be whole pointers; smaller ones are indexes, which leave an address's origin alone */
    bool may_be_pointer = strstr(insn->name, "64") != NULL;
    bool is_packed = insn->operands[1].kind == PTX_OP_LIST || insn->operands[0].kind == PTX_OP_LIST;
    if (starts_with(insn->name, "mov.") ? !is_packed : starts_with(insn->name, "ld.param") && !is_packed)
        return;
    for (size_t i = 0; may_be_pointer && i < sizeof opaque / sizeof *opaque; i++)
        if (starts_with(insn->name, opaque[i]))
            spoil_operand(pass, &insn->operands[0]);
}

static const struct ptx_operand *address_operand(const struct ptx_insn *insn)
{
    for (uint32_t i = 0; i < insn->noperands; i++)
        if (insn->operands[i].kind == PTX_OP_ADDRESS && insn->operands[i].count)
            return &insn->operands[i].list[0];
    return NULL;
}

/* Instructions that a pass may look at, a second or two of work: code that runs from its end to its begin takes as many
 * rounds as it has instructions. What is not known then is as good as unknown. */
enum { MAX_VISITS = 1 << 25 };

static void run_to_fixpoint(struct pass *pass)
{
    const struct ptx_func *func = pass->func;
    size_t visits = 0;
    for (size_t i = 0; i < func->ninsns; i++)
        spoil(pass, &func->insns[i]);
    do {
        pass->has_changed = false;
        for (size_t i = 0; i < func->ninsns; i++)
            flow(pass, &func->insns[i]);
        visits += func->ninsns;
    } while (pass->has_changed && visits < MAX_VISITS);
    for (size_t r = 0; pass->has_changed && r < func->nregs; r++)
        pass->registers[r] = ORIGIN_MANY;
}

static bool is_atomic(const char *name)
{
    return starts_with(name, "atom.") || starts_with(name, "red.");
}

/* From the end: a load with an atomic on the same origin behind it is a hint. */
static void find_hints(const struct ptx_func *func, struct provenance *result, bool *has_atomic,
                       size_t norigins)
{
    for (size_t i = func->ninsns; i-- > 0;) {
        int32_t origin = result->origins[i];
        if (origin < 0 || (size_t)origin >= norigins)
            continue;
        has_atomic[origin] |= is_atomic(func->insns[i].name);
        result->hints[i] = has_atomic[origin] && starts_with(func->insns[i].name, "ld.");
    }
}

/* ------------------------------------------------------------------------------------------- test, then set */

/* Loads that are looked at, with all that depends on them. */
struct tests {
    const struct ptx_func *func;
    bool *depends; /* by register */
    size_t visits; /* of instructions: MAX_VISITS at most */
};

static bool uses(const struct ptx_operand *operand, const bool *depends, size_t nregs)
{
    if (operand->kind == PTX_OP_REG)
        return operand->reg < nregs && depends[operand->reg];
    bool is_used = false;
    for (uint32_t i = 0; operand->list && i < operand->count && !is_used; i++)
        is_used = uses(&operand->list[i], depends, nregs);
    return is_used;
}

static bool mark_destination(const struct ptx_operand *operand, bool *depends, size_t nregs)
{
    bool has_changed = false;
    if (operand->kind == PTX_OP_REG && operand->reg < nregs && !depends[operand->reg])
        has_changed = depends[operand->reg] = true;
    for (uint32_t i = 0; operand->kind != PTX_OP_ADDRESS && operand->list && i < operand->count; i++)
        has_changed |= mark_destination(&operand->list[i], depends, nregs);
    return has_changed;
}

/* Marks every register whose value is computed from the load's; predicates only steer, and stop the flow. False: it takes
 * too long. */
static bool mark_dependent(struct tests *tests, const struct ptx_insn *load)
{
    const struct ptx_func *func = tests->func;
    memset(tests->depends, 0, func->nregs * sizeof *tests->depends);
    mark_destination(&load->operands[0], tests->depends, func->nregs);
    for (bool has_changed = true; has_changed && tests->visits < MAX_VISITS; tests->visits += func->ninsns) {
        has_changed = false;
        for (size_t i = 0; i < func->ninsns; i++) {
            const struct ptx_insn *insn = &func->insns[i];
            bool is_fed = false;
            if (insn->noperands < 2 || starts_with(insn->name, "st.") || starts_with(insn->name, "setp"))
                continue;
            for (uint32_t k = 1; k < insn->noperands && !is_fed; k++)
                is_fed = uses(&insn->operands[k], tests->depends, func->nregs);
            has_changed |= is_fed && mark_destination(&insn->operands[0], tests->depends, func->nregs);
        }
    }
    return tests->visits < MAX_VISITS;
}

static bool is_same_base(const struct ptx_operand *a, const struct ptx_operand *b)
{
    if (a->kind != b->kind || a->offset != b->offset)
        return false;
    if (a->kind == PTX_OP_SYMBOL)
        return a->name && b->name && strcmp(a->name, b->name) == 0;
    return a->kind == PTX_OP_REG ? a->reg == b->reg : a->kind == PTX_OP_VAR && a->var == b->var;
}

static bool is_same_place(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == PTX_OP_ADDRESS && b->kind == PTX_OP_ADDRESS && a->list && b->list &&
           is_same_base(&a->list[0], &b->list[0]) && a->offset == b->offset;
}

/* True if nothing that is stored, and no address, is computed from the load's value. */
static bool is_only_tested(struct tests *tests, size_t load)
{
    const struct ptx_func *func = tests->func;
    if (!mark_dependent(tests, &func->insns[load]))
        return false;
    for (size_t i = 0; i < func->ninsns; i++) {
        const struct ptx_insn *insn = &func->insns[i];
        bool is_access = address_operand(insn) != NULL || starts_with(insn->name, "call");
        for (uint32_t k = starts_with(insn->name, "ld.") ? 1 : 0; is_access && k < insn->noperands; k++)
            if (uses(&insn->operands[k], tests->depends, func->nregs))
                return false;
    }
    return true;
}

static bool is_tested_and_set(struct tests *tests, size_t load)
{
    const struct ptx_func *func = tests->func;
    const struct ptx_insn *insn = &func->insns[load];
    bool is_set = false;
    tests->visits += func->ninsns;
    for (size_t i = 0; i < func->ninsns; i++) {
        const struct ptx_insn *store = &func->insns[i];
        if (!starts_with(store->name, "st.global") || store->noperands != 2 ||
            !is_same_place(&store->operands[0], &insn->operands[1]))
            continue;
        is_set = true;
    }
    return is_set && is_only_tested(tests, load);
}

/* Loads that are tested before their place is set; then other loads of those arrays that are tested and no more. */
static void find_tests(const struct ptx_func *func, struct provenance *result, bool *has_tests,
                       size_t norigins)
{
    struct tests tests = {.func = func, .depends = malloc(func->nregs + 1)};
    memset(has_tests, 0, norigins * sizeof *has_tests);
    for (int pass = 0; tests.depends && pass < 2; pass++)
        for (size_t i = 0; i < func->ninsns && tests.visits < MAX_VISITS; i++) {
            int32_t origin = result->origins[i];
            bool is_known = origin >= 0 && (size_t)origin < norigins;
            if (result->tests[i] || !starts_with(func->insns[i].name, "ld.global") ||
                func->insns[i].noperands < 2)
                continue;
            if (pass == 0)
                result->tests[i] = is_tested_and_set(&tests, i);
            else
                result->tests[i] = is_known && has_tests[origin] && is_only_tested(&tests, i);
            if (is_known && result->tests[i])
                has_tests[origin] = true;
        }
    free(tests.depends);
}

/* ------------------------------------------------------------------------------------------- read, change, write */

enum { MOST_BETWEEN = 200 }; /* instructions between the load and the store of one statement */

/* True if what is stored is computed from what was loaded, in the straight piece of code between the two. */
static bool feeds(const struct ptx_func *func, size_t load, size_t store, bool *depends)
{
    memset(depends, 0, func->nregs * sizeof *depends);
    mark_destination(&func->insns[load].operands[0], depends, func->nregs);
    for (size_t i = load + 1; i < store; i++) {
        const struct ptx_insn *insn = &func->insns[i];
        bool is_fed = false;
        for (uint32_t k = 1; k < insn->noperands && !is_fed; k++)
            is_fed = uses(&insn->operands[k], depends, func->nregs);
        if (is_fed)
            mark_destination(&insn->operands[0], depends, func->nregs);
    }
    return uses(&func->insns[store].operands[1], depends, func->nregs);
}

const struct ptx_insn *provenance_updated(const struct function *function, const struct ptx_insn *store)
{
    const struct ptx_func *func = function->ptx;
    const struct ptx_insn *found = NULL;
    if (!store || store < func->insns || store >= func->insns + func->ninsns ||
        !starts_with(store->name, "st.") || store->noperands != 2)
        return NULL;
    const size_t at = (size_t)(store - func->insns);
    bool *depends = malloc(func->nregs + 1);
    for (size_t i = at; depends && !found && i-- > 0 && at - i <= MOST_BETWEEN;) {
        const struct ptx_insn *load = &func->insns[i];
        if (starts_with(load->name, "bra") || starts_with(load->name, "bar"))
            break;
        if (starts_with(load->name, "ld.") && load->noperands == 2 &&
            is_same_place(&load->operands[1], &store->operands[0]) && feeds(func, i, at, depends))
            found = load;
    }
    free(depends);
    return found;
}

/* ------------------------------------------------------------------------------------------- the whole */

void provenance_analyse(struct function *function)
{
    const struct ptx_func *func = function->ptx;
    struct arena *arena = function->module->arena;
    struct provenance *result = arena_alloc(arena, sizeof *result);
    struct pass pass = {func, function->module->ptx, malloc((func->nregs + 1) * sizeof *pass.registers),
                        false};
    size_t norigins = func->nparams + func->nvars + function->module->ptx->nvars;
    bool *has_atomic = calloc(norigins + 1, sizeof *has_atomic);
    if (result) {
        result->origins = arena_alloc(arena, (func->ninsns + 1) * sizeof *result->origins);
        result->hints = arena_alloc(arena, (func->ninsns + 1) * sizeof *result->hints);
        result->tests = arena_alloc(arena, (func->ninsns + 1) * sizeof *result->tests);
    }
    if (result && result->origins && result->hints && result->tests && pass.registers && has_atomic) {
        for (size_t i = 0; i < func->nregs; i++)
            pass.registers[i] = ORIGIN_NONE;
        run_to_fixpoint(&pass);
        for (size_t i = 0; i < func->ninsns; i++) {
            const struct ptx_operand *base = address_operand(&func->insns[i]);
            int32_t origin = base ? operand_origin(&pass, base) : ORIGIN_NONE;
            result->origins[i] = origin == ORIGIN_MANY ? ORIGIN_NONE : origin;
        }
        find_hints(func, result, has_atomic, norigins);
        find_tests(func, result, has_atomic, norigins);
        function->provenance = result;
    }
    free(has_atomic);
    free(pass.registers);
}

static int32_t origin_of(const struct function *function, const struct ptx_insn *source)
{
    const struct ptx_func *func = function->ptx;
    if (!function->provenance || !source || source < func->insns || source >= func->insns + func->ninsns)
        return ORIGIN_NONE;
    return function->provenance->origins[source - func->insns];
}

const struct ptx_var *provenance_variable(const struct function *function, const struct ptx_insn *source)
{
    const struct ptx_var *var =
        origin_variable(function->ptx, function->module->ptx, origin_of(function, source));
    return var && var->space != PTX_PARAM ? var : NULL;
}

bool provenance_is_hint(const struct function *function, const struct ptx_insn *source)
{
    return origin_of(function, source) >= 0 && function->provenance->hints[source - function->ptx->insns];
}

bool provenance_is_test(const struct function *function, const struct ptx_insn *source)
{
    const struct ptx_func *func = function->ptx;
    if (!function->provenance || !source || source < func->insns || source >= func->insns + func->ninsns)
        return false;
    return function->provenance->tests[source - func->insns];
}

int provenance_parameter(const struct function *function, const struct ptx_insn *source)
{
    int32_t origin = origin_of(function, source);
    return origin >= 0 && (size_t)origin < function->ptx->nparams ? origin : -1;
}

/* The place of a .shared variable in the block's shared memory. */
static bool shared_offset(const struct function *function, const struct ptx_var *var, uint32_t *offset)
{
    const struct ptx_func *func = function->ptx;
    for (size_t i = 0; i < func->nvars; i++)
        if (func->vars[i] == var) {
            if (!function->local_offsets)
                return false;
            *offset = function->local_offsets[i];
            return true;
        }
    for (uint32_t i = 0; i < function->module->nsymbols; i++)
        if (function->module->symbols[i].var == var) {
            *offset = (uint32_t)function->module->symbols[i].address;
            return true;
        }
    return false;
}

bool provenance_bounds(struct function *function, const struct ptx_insn *source, uint32_t *first,
                       uint32_t *end)
{
    if (!function->provenance)
        provenance_analyse(function);
    const struct ptx_var *var = provenance_variable(function, source);
    if (!var || var->space != PTX_SHARED || !shared_offset(function, var, first))
        return false;
    bool is_open = var->is_extern || var->size == 0;
    *end = is_open ? UINT32_MAX : *first + (uint32_t)var->size;
    return true;
}
