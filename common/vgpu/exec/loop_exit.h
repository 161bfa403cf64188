/* loop_exit.h - what is known of the loops that a warp is in: loop_exit.c, loop_count.c. */
#ifndef VGPU_EXEC_LOOP_EXIT_H
#define VGPU_EXEC_LOOP_EXIT_H

#include "exec/loop_slice.h"

/* What decides whether the loop that goes round by a branch is ever left. */
void loop_exit_find(const struct warp *warp, const struct insn *branch, struct loop_exit *out);
/* How long the loops around a branch still go round. */
void loop_counts_find(const struct warp *warp, const struct insn *branch, struct loop_counts *out);

/* Rounds until a loop is left by a counter, from an instruction in it on, with the registers of a frame. */
enum { ROUNDS_UNKNOWN = -1, ROUNDS_NEVER = -2 };
int64_t loop_rounds(struct slice *slice, const struct frame *frame, uint32_t from);

#endif
