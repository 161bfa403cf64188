/* tape_words.c - where the words of a step lie: see tape.h. */
#include "core/tape.h"

static uint32_t def_size(const struct tape_step *step)
{
    return 1 + step->def_words * LANES;
}

const uint32_t *tape_def(const struct tape *tape, const struct tape_step *step, uint32_t i)
{
    return tape->words + step->first + i * def_size(step);
}

const uint32_t *tape_preds(const struct tape *tape, const struct tape_step *step)
{
    return tape_def(tape, step, step->ndefs);
}

const uint32_t *tape_shared(const struct tape *tape, const struct tape_step *step)
{
    return step->kind == TAPE_QUIET ? tape->words + step->first : tape_preds(tape, step) + 2 * step->npreds;
}

const uint32_t *tape_addresses(const struct tape *tape, const struct tape_step *step)
{
    return tape_shared(tape, step) + 2 * step->nshared;
}

const struct tape_gap *tape_gap(const struct tape *tape, const struct tape_step *step)
{
    return (const struct tape_gap *)(const void *)(tape->words + step->first);
}

const struct tape_gap_def *tape_gap_defs(const struct tape *tape, const struct tape_step *step)
{
    return (const struct tape_gap_def *)(const void *)(tape_gap(tape, step) + 1);
}

const struct tape_gap_pred *tape_gap_preds(const struct tape *tape, const struct tape_step *step)
{
    return (const struct tape_gap_pred *)(const void *)(tape_gap_defs(tape, step) + step->ndefs);
}
