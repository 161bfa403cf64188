/* budget.h - what happens to a warp that goes round for long. */
#ifndef VGPU_BUDGET_H
#define VGPU_BUDGET_H

#include "core/machine.h"

/* Sets insn->cost: what a step, and the arithmetic before it, costs the host beyond as many simple instructions on registers. */
void budget_weigh(struct insn *code, uint32_t ncode);
void budget_begin(struct warp *warp);
/* The same for what cannot be known beforehand: an access to so many sectors here and there, a finding that is told already. */
static inline uint32_t budget_sectors(const struct warp *warp, uint32_t count)
{
    return count * (warp->column ? 24u : 6u);
}
enum { COST_REPEAT = 12 };
/* The loop that a warp is in is looked at from time to time, the first time long before its budget is used up. */
static inline bool budget_is_due(const struct warp *warp)
{
    return warp->clock + warp->extra > warp->look;
}
/* A loop goes round by a branch, and it is time to look. STEP_NEXT, or STEP_FAULT, told: it never ends, or takes too long. */
enum step budget_look(struct warp *warp, const struct insn *branch, const struct loop_looks *looks);
/* The same for what goes round otherwise, by calls or a table of branches: stopped at twice the budget. */
enum step budget_limit(struct warp *warp, const struct insn *insn);
/* The warp sleeps over its budget: it waits for something that never happens. STEP_FAULT, told. */
enum step budget_stop(struct warp *warp, const struct insn *insn);

#endif
