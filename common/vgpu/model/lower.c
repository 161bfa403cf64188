/* lower.c - a decoded function becomes machine operations in the order of issue: the passes, and what they leave.
 * Each instruction's operations stand together until lower_order() puts a segment into its order.
 * What an instruction becomes is lower_table.c's, what vanishes lower_merge.c's. */
#include "model/lower.h"

#include <stdlib.h>

#include "model/lower_internal.h"

/* A kernel begins with the stack pointer, the descriptor of global memory, and what lower_once.c has put there. */
static bool add_prologue(struct lowering *low)
{
    struct op *op = lower_new_op(low);
    if (!op)
        return false;
    op->class = OP_UNIFORM;
    op->count = (uint8_t)(low->prologue + 2);
    op->chain = 1;
    return true;
}

static bool add_segment(struct lowering *low, struct segment *segment)
{
    segment->first_op = low->out->nops;
    if (segment->first_insn == 0 && low->function->ptx->is_entry && !add_prologue(low))
        return false;
    for (uint32_t i = segment->first_insn; i < segment->first_insn + segment->ninsns; i++)
        if (!lower_append(low, i))
            return false;
    const bool is_fine = lower_predicates(low, segment->first_op);
    segment->nops = low->out->nops - segment->first_op;
    return is_fine;
}

static bool add_segments(struct lowering *low)
{
    for (uint32_t s = 0; s < low->out->nsegments; s++)
        if (!add_segment(low, &low->out->segments[s]))
            return false;
    if (!lower_live(low))
        return false;
    for (uint32_t s = 0; s < low->out->nsegments; s++)
        if (!lower_order(low, &low->out->segments[s]))
            return false;
    const uint32_t nops = low->out->nops;
    for (uint32_t s = 0; s < low->out->nsegments; s++)
        if (!lower_unroll(low, &low->out->segments[s]))
            return false;
    low->out->nops = nops;
    low->out->nregisters = low->nnames;
    return true;
}

struct lowered *lower_function(const struct function *function)
{
    struct lowering low = {.function = function, .out = calloc(1, sizeof *low.out)};
    low.nodes = calloc(function->ncode + 1, sizeof *low.nodes);
    bool is_fine = low.out && low.nodes && lower_segments(&low) && lower_read(&low) && lower_varying(&low);
    if (is_fine) {
        lower_merge(&low);
        lower_vectors(&low);
        lower_once(&low);
        lower_uniform(&low);
        lower_flow(&low);
        lower_either(&low);
        lower_loads(&low);
        is_fine = add_segments(&low);
    }
    free(low.nodes);
    free(low.regs);
    free(low.live_in);
    free(low.live_out);
    if (is_fine)
        return low.out;
    lower_free(low.out);
    return NULL;
}

void lower_free(struct lowered *lowered)
{
    if (!lowered)
        return;
    free(lowered->segments);
    free(lowered->segment_of);
    free(lowered->ops);
    free(lowered);
}
