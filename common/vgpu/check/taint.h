/* taint.h - follows undefined values from the shuffle that read them to the place where they matter.
 *
 * A shuffle that reads from a lane that is not there gives an undefined value. Correct programs do that and throw
 * the value away, so the read is no fault; its use is. A mark stands for "this lane of this register is undefined,
 * because of that shuffle". Marks move with values: through arithmetic, shuffles, selections, predicates, the .param
 * blocks of calls and local memory. A marked value that is stored to global or shared memory, used as an address,
 * decides a branch or a vote, or is printed is reported at the shuffle; then all marks of that shuffle are taken
 * away, so that one fault gives one message.
 * warp->taint is NULL while the warp has no marks: then nothing here is called and nothing costs. */
#ifndef VGPU_TAINT_H
#define VGPU_TAINT_H

#include "core/machine.h"

struct call_copy; /* decode/decode_internal.h */

/* What one execution of a shuffle did. A lane of mask that is undefined has read from a lane that was not there. */
struct taint_shuffle {
    uint32_t mask, undefined;
    uint8_t sources[LANES];  /* by reading lane */
    uint32_t members[LANES]; /* by reading lane: the mask it passed */
};

/* The destinations of a shuffle get the marks of what they read; called before the values move. */
void taint_shuffle(struct warp *warp, const struct insn *insn, const struct taint_shuffle *shuffle);

/* Called before an instruction is executed, mask being the lanes that its guard lets through: gives its destinations
 * the marks of its sources, and reports uses. Instructions that lanes execute together (CLASS_WARP) are left out:
 * they know only in the end who takes part, and call taint_exchange(). An instruction that has to wait is executed
 * again; to call this twice for it does no harm. */
void taint_before(struct warp *warp, const struct insn *insn, uint32_t mask);

/* A vote, match or reduction of these lanes (or a shuffle's member mask): every source counts as used. */
void taint_exchange(struct warp *warp, const struct insn *insn, uint32_t mask);
/* A barrier that reduces a predicate. */
void taint_barrier(struct warp *warp, const struct insn *insn, uint32_t mask);

/* A load or store in local memory or in a .param block of the running frame; offset: by lane. */
void taint_access(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                  enum ptx_space space);
/* Bytes of local memory that a builtin reads. */
void taint_read_local(struct warp *warp, const struct insn *insn, int lane, uint64_t offset, size_t bytes);

/* Arguments on their way into a call, results on their way out, and arguments of a builtin. */
void taint_pass_arguments(struct warp *warp, const struct frame *caller, struct frame *callee,
                          const struct call_copy *copies, uint32_t count, uint32_t mask);
void taint_pass_results(struct warp *warp, const struct frame *callee, struct frame *caller,
                        const struct call_copy *copies, uint32_t count, uint32_t mask);
void taint_use_arguments(struct warp *warp, const struct insn *insn, const struct call_copy *copies,
                         uint32_t count, uint32_t mask);

void taint_leave(struct warp *warp, struct frame *frame); /* the frame is about to be freed */
void taint_end(struct warp *warp);                        /* frees all */

#endif
