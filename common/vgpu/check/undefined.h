/* undefined.h - follows undefined values from the shuffle that read them to the place where they matter.
 *
 * A shuffle that reads from a lane that is not there gives an undefined value. Correct programs do that and throw
 * the value away, so the read is no fault; its use is. A mark stands for "this lane of this register is undefined,
 * because of that shuffle". Marks move with values: through arithmetic, shuffles, selections, predicates, the .param
 * blocks of calls and local memory. A marked value that is stored to global or shared memory, used as an address,
 * decides a branch or a vote, or is printed is reported at the shuffle; then all marks of that shuffle are taken
 * away, so that one fault gives one message.
 * warp->undefined is NULL while the warp has no marks: then nothing here is called and nothing costs. */
#ifndef VGPU_UNDEFINED_H
#define VGPU_UNDEFINED_H

#include "core/checker.h"

/* Every warp's rules: see core/checker.h for what each function is for. */
extern const struct undefined_rules undefined_rules;

/* ------------------------------------------------------------------------------------------- for these two files
 * undefined.c keeps the marks, undefined_rules.c moves them. */

#define NO_PLACE 0xffffffffu

/* Where an undefined value came from: lane read from source, with that mask, and source was not there. */
struct origin {
    const struct insn *insn;
    const char *state; /* why it was not there; static text */
    uint32_t mask;
    uint8_t lane, source;
};

/* The marks of one frame, or of local memory. Places: registers by slot / 64, predicates, the words of args and of
 * params, the carry. */
struct marks {
    uint32_t count;
    uint32_t *lanes; /* by place: which lanes are undefined */
    uint16_t (
        *origins)[LANES]; /* by place and lane: number of the origin + 1; valid where lanes has the bit */
    struct marks *next;
};

struct undefined_values {
    uint32_t count;              /* places with marks */
    struct marks *frames, local; /* local: by word */
    struct origin *origins;
    uint32_t norigins, last_origin;
    size_t capacity;
};

/* NO_PLACE: a constant. */
uint32_t undefined_place(const struct function *function, uint32_t operand);
uint32_t undefined_carry_place(const struct function *function);

/* The marked lanes of a place within mask; their origins go to origins[lane], others are left alone. */
uint32_t undefined_get(const struct marks *marks, uint32_t place, uint32_t mask, uint16_t *origins);
/* In the running frame: the lanes of mask get marks as lanes and origins say. */
void undefined_set(struct warp *warp, uint32_t place, uint32_t mask, uint32_t lanes, const uint16_t *origins);
void undefined_set_pred(struct warp *warp, uint32_t number, uint32_t mask, uint32_t lanes,
                        const uint16_t *origins);

uint16_t undefined_origin(struct warp *warp, const struct insn *insn, int lane, int source, uint32_t member);

/* Reports every marked lane of an operand within mask; use ends "the undefined value ...". */
void undefined_use(struct warp *warp, const struct insn *insn, uint32_t operand, uint32_t mask,
                   const char *use);

/* Functions of the table that undefined.c has. */
void undefined_access(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                      enum ptx_space space);
void undefined_read_local(struct warp *warp, const struct insn *insn, int lane, uint64_t offset,
                          size_t bytes);
void undefined_pass_arguments(struct warp *warp, const struct frame *caller, struct frame *callee,
                              const struct call_copy *copies, uint32_t count, uint32_t mask);
void undefined_pass_results(struct warp *warp, const struct frame *callee, struct frame *caller,
                            const struct call_copy *copies, uint32_t count, uint32_t mask);
void undefined_use_arguments(struct warp *warp, const struct insn *insn, const struct call_copy *copies,
                             uint32_t count, uint32_t mask);
void undefined_leave(struct warp *warp, struct frame *frame);
void undefined_end(struct warp *warp);

#endif
