/* clock.c - the clocks that kernels read, and warps that wait for one.
 * A warp's clock follows what it has issued: it says how time passes for a program, not how long the launch takes
 * (model/ knows that). */
#include "core/warp.h"

enum { WAIT_GAP = 24, WAIT_READS = 32, WAIT_SHARE = 8 };
#define LONGEST_WAIT (1ull << 40) /* instructions: half an hour */

/* True if insn stands in a short loop that touches no memory: what it waits for is the clock. */
static bool is_clock_loop(const struct warp *warp, const struct insn *insn)
{
    const struct function *function = warp->frame->function;
    const struct insn *end = function->code + function->ncode, *back = insn;
    while (back < end && back < insn + WAIT_GAP &&
           !(back->flow == FLOW_BRANCH && function->code + back->branch.target <= insn))
        back++;
    if (back == end || back == insn + WAIT_GAP)
        return false;
    for (const struct insn *at = function->code + back->branch.target; at < back; at++)
        if (at->kind == INSN_STEP && at->flow != FLOW_BRANCH && at->class != CLASS_INT)
            return false;
    return true;
}

static void skip(struct warp *warp, uint64_t instructions)
{
    warp->clock_wait.skipped += instructions;
    if (warp->worker->skipped < warp->clock_wait.skipped)
        warp->worker->skipped = warp->clock_wait.skipped;
}

/* A warp that does nothing but read a clock, over and over, waits for a time to come: a second would be a billion
 * instructions. Once that is plain, each reading moves time on by a part of what was waited so far. */
static void wait_on(struct warp *warp, const struct insn *insn)
{
    const bool goes_on = insn == warp->clock_wait.insn && warp->clock - warp->clock_wait.last <= WAIT_GAP;
    warp->clock_wait.last = warp->clock;
    if (!goes_on) {
        warp->clock_wait.insn = insn;
        warp->clock_wait.first = warp->clock + warp->clock_wait.skipped;
        warp->clock_wait.reads = 0;
        return;
    }
    if (++warp->clock_wait.reads < WAIT_READS || !is_clock_loop(warp, insn))
        return;
    skip(warp, (warp->clock + warp->clock_wait.skipped - warp->clock_wait.first) / WAIT_SHARE);
}

bool warp_let_time_pass(struct warp *warp)
{
    const uint64_t now = warp->clock + warp->clock_wait.skipped;
    if (!warp->clock_wait.insn || warp->clock - warp->clock_wait.last > WAIT_GAP || now > LONGEST_WAIT)
        return false;
    skip(warp, 4096 + 4 * (now - warp->clock_wait.first));
    return true;
}

/* A warp's own clock: about four cycles per instruction it issued, which is what one warp alone would take. */
uint64_t warp_cycles(struct warp *warp, const struct insn *insn)
{
    wait_on(warp, insn);
    return (warp->clock + warp->clock_wait.skipped) * 4;
}

uint64_t warp_nanoseconds(struct warp *warp, const struct insn *insn)
{
    return warp->block->launch->start_ns + warp_cycles(warp, insn) / 2;
}
