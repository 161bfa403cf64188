/* budget.h - what happens to a warp that has executed more instructions than it may. */
#ifndef VGPU_BUDGET_H
#define VGPU_BUDGET_H

#include "core/machine.h"

/* A loop goes round by a branch, and the warp is over its budget: STEP_NEXT, it may go on for some rounds that show whether
 * the loop ever ends; or STEP_FAULT, told. */
enum step budget_overrun(struct warp *warp, const struct insn *branch);
/* Sets insn->cost: what a step, and the arithmetic before it, costs the host beyond as many simple instructions on registers. */
void budget_weigh(struct insn *code, uint32_t ncode);
void budget_begin(struct warp *warp);
/* The loop that a warp is in is looked at from time to time, the first time long before its budget is used up. */
static inline bool budget_is_due(const struct warp *warp)
{
    return warp->clock + warp->extra > warp->look;
}
/* A loop goes round by a branch, and it is time to look; find tells what decides whether it is left. STEP_NEXT, or STEP_FAULT,
 * told: it never ends. */
enum step budget_look(struct warp *warp, const struct insn *branch, loop_exit_fn *find);
/* The same for what goes round otherwise, by calls or a table of branches, where nothing can be learnt from some rounds more:
 * at twice the budget. */
enum step budget_limit(struct warp *warp, const struct insn *insn);
/* For loop.c: the warp is over its budget, and about to compare something. */
void budget_compare(struct warp *warp, const struct insn *insn);
/* The warp sleeps over its budget: it waits for something that never happens. STEP_FAULT, told. */
enum step budget_stop(struct warp *warp, const struct insn *insn);

#endif
