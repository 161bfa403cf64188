/* places.c - what instructions set and read, beside their operands: see inside.h. */
#include <string.h>

#include "core/warp.h"
#include "decode/decode_internal.h"
#include "feeds/inside.h"

/* ------------------------------------------------------------------------------------------- places */

uint32_t place_of_param(const struct function *function, bool is_argument, uint64_t offset)
{
    const uint32_t args = place_of_pred(function, function->npreds),
                   words = (is_argument ? function->arg_bytes : function->param_bytes) / 4 + 1;
    const uint32_t word = offset / 4 < words ? (uint32_t)(offset / 4) : words - 1;
    return args + (is_argument ? 0 : function->arg_bytes / 4 + 1) + word;
}

uint32_t place_of_carry(const struct function *function)
{
    return place_of_param(function, false, 0) + function->param_bytes / 4 + 1;
}

uint32_t places_of(const struct function *function)
{
    return place_of_carry(function) + 1;
}

/* ------------------------------------------------------------------------------------------- predicates */

bool insn_begins(const struct insn *insn, const char *words)
{
    return insn->source && insn->source->name && !strncmp(insn->source->name, words, strlen(words));
}

bool is_selection(const struct insn *insn)
{
    return insn->kind == INSN_SELP && insn->nuses == 3 && insn->o[3] & SLOT_PRED &&
           !(insn->o[3] & SLOT_CONSTANT) && insn_begins(insn, "selp");
}

struct pred_operands preds_of(const struct insn *insn)
{
    const uint16_t none = PRED_NONE;
    if (insn->kind == INSN_SETP)
        return (struct pred_operands){{insn->preds[0], insn->preds[1]}, insn->op ? insn->preds[2] : none};
    if (insn->kind != INSN_STEP)
        return (struct pred_operands){{none, none}, none};
    if (insn->is_async && insn->nuses)
        return (struct pred_operands){{none, none}, insn->preds[0]};
    if (insn->class == CLASS_WARP)
        return (struct pred_operands){{insn->preds[0], none}, insn->preds[1]};
    if (insn->flow == FLOW_BARRIER && insn->op >= BAR_POPC && insn->op <= BAR_OR)
        return (struct pred_operands){{insn->preds[0], none}, insn->preds[1]};
    if (insn_begins(insn, "isspacep"))
        return (struct pred_operands){{insn->preds[0], none}, none};
    return (struct pred_operands){{none, none}, none};
}
