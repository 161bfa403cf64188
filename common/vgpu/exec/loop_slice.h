/* loop_slice.h - a loop of a function, and what a value in it is computed from: the backward slice, through registers.
 * A loop is what can reach a branch back to its head without passing the head. A load is an input: fine if nobody writes that
 * array, else nothing can be said. Used by loop_exit.c and loop_count.c. */
#ifndef VGPU_EXEC_LOOP_SLICE_H
#define VGPU_EXEC_LOOP_SLICE_H

#include "core/warp.h"

struct slice {
    /* the loop, fixed: slice_begin() */
    const struct warp *warp;
    const struct function *function;
    uint32_t head;         /* where a round begins */
    uint32_t *member;      /* by index in the code: its number in the loop, from 1; 0: not in it */
    uint32_t *code, ncode; /* the loop's instructions, in order */
    uint32_t words;        /* of a set */

    /* changed by slice_update() */
    uint64_t *needed; /* a set for each: slots and predicates that are needed before it */
    uint64_t *after;  /* scratch: one set */
    uint8_t
        *is_relevant; /* by number: it computes something that is needed; the roots are set by the caller */
    bool needs_warp, needs_others;
};

/* False: the loop is not understood. In both cases slice_end() frees it. */
bool slice_begin(struct slice *slice, const struct warp *warp, const struct function *function,
                 uint32_t head);
void slice_end(struct slice *slice);
/* Nothing is needed, nothing relevant. */
void slice_clear(struct slice *slice);
/* One step backwards through the whole loop. True: more is needed than was known. */
bool slice_update(struct slice *slice);

/* Where an instruction leads to. */
struct into {
    const struct slice *slice;
    uint32_t from;
    bool is_in, is_out; /* of the loop */
};
struct into slice_next(const struct slice *slice, uint32_t at);
/* Whether an instruction leaves its function by itself. */
bool insn_leaves(const struct insn *insn);
/* Calls visit with each instruction that may follow; an index behind the code is the end of the function. */
void insn_each_next(const struct function *function, uint32_t at, void (*visit)(void *, uint32_t),
                    void *context);

struct reach {
    uint8_t *is_reached; /* by index in the code, and its end */
    uint32_t *rest, nrest;
};
/* What can be reached from an instruction, without going on from `end`. False: out of memory. */
bool reach_from(const struct function *function, struct reach *out, uint32_t begin, uint32_t end);
void reach_free(struct reach *all);

/* Operands: of a register, or SLOT_PRED and the number of a predicate. */
static inline bool is_register(uint32_t operand)
{
    return !(operand & SLOT_CONSTANT);
}
void slice_need(const struct slice *slice, uint64_t *set, uint32_t operand);
bool slice_is_needed(const struct slice *slice, const uint64_t *set, uint32_t operand);

/* How many of preds[] an instruction may set. */
static inline uint32_t set_predicates(const struct insn *insn)
{
    return insn->kind == INSN_JOIN ? 0 : insn->kind == INSN_STEP ? 1 : 2;
}

#endif
