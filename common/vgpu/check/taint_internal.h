/* taint_internal.h - shared by taint.c, which keeps the marks, and taint_rules.c, which moves them. */
#ifndef VGPU_TAINT_INTERNAL_H
#define VGPU_TAINT_INTERNAL_H

#include "check/taint.h"

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

struct taint {
    uint32_t count;              /* places with marks */
    struct marks *frames, local; /* local: by word */
    struct origin *origins;
    uint32_t norigins, capacity, last_origin;
};

/* NO_PLACE: a constant. */
uint32_t taint_place(const struct function *function, uint32_t operand);
uint32_t taint_carry_place(const struct function *function);

/* The marked lanes of a place within mask; their origins go to origins[lane], others are left alone. */
uint32_t taint_get(const struct marks *marks, uint32_t place, uint32_t mask, uint16_t *origins);
/* In the running frame: the lanes of mask get marks as lanes and origins say. */
void taint_set(struct warp *warp, uint32_t place, uint32_t mask, uint32_t lanes, const uint16_t *origins);
void taint_set_pred(struct warp *warp, uint32_t number, uint32_t mask, uint32_t lanes,
                    const uint16_t *origins);

uint16_t taint_origin(struct warp *warp, const struct insn *insn, int lane, int source, uint32_t member);

/* Reports every marked lane of an operand within mask; use ends "the undefined value ...". */
void taint_use(struct warp *warp, const struct insn *insn, uint32_t operand, uint32_t mask, const char *use);

#endif
