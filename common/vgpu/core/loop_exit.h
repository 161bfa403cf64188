/* loop_exit.h - what decides whether a loop is ever left: found by exec/loop_exit.c, asked for by core/budget.c. */
#ifndef VGPU_LOOP_EXIT_H
#define VGPU_LOOP_EXIT_H

#include <stdint.h>

struct warp;
struct insn;

enum loop_exit_kind {
    EXIT_NONE, /* no way leads out */
    EXIT_OWN, /* registers that are listed, of each lane alone, and memory that nobody writes: nobody else can end it */
    EXIT_WARP,  /* all registers of the warp: its lanes exchange values */
    EXIT_OTHERS /* memory that somebody may write, a clock, a function's result: it may be left at any time */
};

enum { EXIT_SLOTS = 24 };

struct loop_exit {
    enum loop_exit_kind kind;
    uint32_t count;
    struct {
        uint32_t slot, bytes; /* SLOT_PRED: a predicate */
    } slots
        [EXIT_SLOTS]; /* EXIT_OWN: what the loop changes and its tests depend on, at the begin of a round */
};

/* Of the loop that goes round by a branch of the warp's function. */
typedef void loop_exit_fn(const struct warp *warp, const struct insn *branch, struct loop_exit *out);

#endif
