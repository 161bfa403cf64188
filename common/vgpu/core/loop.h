/* loop.h - the inner loop of a warp; see loop.c. */
#ifndef VGPU_LOOP_H
#define VGPU_LOOP_H

#include "core/machine.h"

/* Executes the running fragment until a step asks for something else than the next instruction. */
enum step loop_plain(struct warp *warp);
/* The same for a warp that holds undefined values, which are followed (check/undefined.h). */
enum step loop_following(struct warp *warp);

/* The same for a warp that is recorded (core/record.h), whatever values it holds. */
enum step loop_recording(struct warp *warp);

/* One instruction issued for these active lanes. */
static inline void loop_count(struct insn_stat *stats, const struct insn *insn, uint32_t active)
{
    struct insn_stat *stat = &stats[insn->id];
    stat->warps++;
    if (active != FULL_MASK)
        stat->idle += LANES - (uint32_t)__builtin_popcount(active);
}

#endif
