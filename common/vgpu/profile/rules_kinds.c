/* rules_kinds.c - rules about kinds of instructions that could be fewer: a row for each. */
#include <string.h>

#include "profile/rules_parts.h"

static bool has_name(const struct found *found, const char *word)
{
    const size_t length = strlen(word);
    const char *name = found->insn->source ? found->insn->source->name : "";
    return !strncmp(name, word, length) && (name[length] == '.' || !name[length]);
}

static bool has_type(const struct found *found, const char *type)
{
    const char *name = found->insn->source ? found->insn->source->name : "";
    const char *dot = strrchr(name, '.');
    return dot && !strcmp(dot + 1, type);
}

static bool is_wide_division(const struct found *found)
{
    return found->insn->class == CLASS_IDIV && (has_type(found, "s64") || has_type(found, "u64"));
}
static bool is_remainder(const struct found *found)
{
    return found->insn->class == CLASS_IDIV && has_name(found, "rem") && !is_wide_division(found);
}
static bool is_quotient(const struct found *found)
{
    return found->insn->class == CLASS_IDIV && has_name(found, "div") && !is_wide_division(found);
}
static bool is_float_division(const struct found *found)
{
    return has_name(found, "div") && has_type(found, "f32");
}
static bool is_float_root(const struct found *found)
{
    return has_name(found, "sqrt") && has_type(found, "f32");
}
static bool is_of_doubles(const struct found *found)
{
    return found->insn->class == CLASS_CVT && found->insn->source &&
           strstr(found->insn->source->name, ".f64");
}
static bool is_conversion(const struct found *found)
{
    return found->insn->class == CLASS_CVT && !is_of_doubles(found);
}
static bool is_double(const struct found *found)
{
    return found->insn->class == CLASS_FP64;
}
static bool is_long(const struct found *found)
{
    return found->insn->class == CLASS_INT64;
}
static bool is_exchange(const struct found *found)
{
    return found->insn->class == CLASS_WARP && has_name(found, "shfl");
}
static bool is_call(const struct found *found)
{
    return found->insn->flow == FLOW_CALL;
}
static bool is_local(const struct found *found)
{
    return found->stat->local_requests > 0;
}

/* A short loop that goes round by this branch. */
static bool is_loop(const struct found *found)
{
    enum { SHORT = 8 };
    const struct insn *insn = found->insn;
    const uint32_t at = (uint32_t)(insn - found->function->code);
    return insn->flow == FLOW_BRANCH && insn->branch.target < at && at - insn->branch.target < SHORT;
}

const struct rule_kind rule_kinds[] = {
    {"remainder", is_remainder, NULL, 0.1, NULL,
     "remainders of integers (%), each of which is some twenty machine instructions. Where the divisor is a "
     "power of "
     "two known to the compiler, % is one instruction; else count up and subtract the size when it is "
     "reached, or "
     "compute the remainder once."},
    {"quotient", is_quotient, NULL, 0.1, NULL,
     "divisions of integers, each of which is some twenty machine instructions. Make the divisor a constant "
     "known to "
     "the compiler (a template parameter), shift where it is a power of two, or compute the quotient once."},
    {"wide-division", is_wide_division, NULL, 0.35, NULL,
     "64-bit divisions or remainders, each of which is some seventy machine instructions. Use 32-bit "
     "integers (int, "
     "unsigned) where the values fit."},
    {"float-division", is_float_division, NULL, 0.3, NULL,
     "exact divisions of floats, some ten machine instructions each. Multiply by a reciprocal that is "
     "computed once, "
     "or use __fdividef() where its precision is enough."},
    {"float-root", is_float_root, NULL, 0.3, NULL,
     "exact square roots, some ten machine instructions each. Use rsqrtf() or compare squares, where that is "
     "enough."},
    {"conversion", is_conversion, NULL, 0, NULL,
     "conversions between types, on a unit that does a quarter of the others' rate. Keep the value in one "
     "type, or "
     "convert once outside of the loop."},
    {"double", is_double, is_of_doubles, 0.5, "fp64",
     "on doubles. Where floats are precise enough: 1.0f and sqrtf(), not 1.0 and sqrt()."},
    {"wide-integer", is_long, NULL, 0.5, NULL,
     "on 64-bit integers, which are two machine instructions or more each. Compute indexes with int or "
     "unsigned "
     "where they fit."},
    {"shuffle", is_exchange, NULL, 0.25, NULL,
     "shuffles. Let each lane add up several values of its own before lanes exchange them."},
    {"pointer-call", is_call, NULL, 0, "jump",
     "calls through pointers. Call functions by name, so that they are inlined."},
    {"local-array", is_local, NULL, 0, NULL,
     "on an array in local memory, because its index is not known to the compiler. Unroll the loop over it "
     "(#pragma unroll), so that it stays in registers, or put it into shared memory."},
    {"loop", is_loop, NULL, 0.25, NULL,
     "the branch of a loop with a short body. Unroll it (#pragma unroll 4), or give each iteration more to "
     "do."},
    {NULL, NULL, NULL, 0, NULL, NULL},
};

struct kind_walk {
    struct rules *rules;
    const struct rule_kind *row;
    double count, most;
    struct rule_place place; /* of the instruction that is executed most */
};

static void find_kind(const struct found *found, void *context)
{
    struct kind_walk *walk = context;
    if (found->insn->id >= walk->rules->inside->nstats)
        return;
    if (walk->row->goes_too && walk->row->goes_too(found))
        walk->rules->kept[found->insn->id] = 0;
    if (!walk->row->is_one(found))
        return;
    walk->rules->kept[found->insn->id] = (float)walk->row->kept;
    walk->count += (double)found->stat->warps;
    if ((double)found->stat->warps > walk->most) {
        walk->most = (double)found->stat->warps;
        walk->place = (struct rule_place){found->file, "", found->loc->line};
    }
}

void rule_of_kind(struct rules *rules, const struct rule_kind *row)
{
    const double few = 0.01, all = fact_total(rules, "warp_instructions");
    struct kind_walk walk = {.rules = rules, .row = row, .place = RULE_NOWHERE};
    if (row->unit && !(fact_busy(rules, row->unit) > 0))
        return;
    found_each(rules->inside, find_kind, &walk);
    const struct model_change change = rule_with_kept(rules);
    if (walk.count > few * all)
        rule_tell(rules, walk.place, rule_gain(rules, &change), "%d %% of the instructions are %s",
                  fact_percent(walk.count / all), row->words);
    rule_keep_all(rules);
}
