/* loop_exit.h - what is known of the loops that a warp is in: found by exec/loop_exit.c and exec/loop_count.c, asked for by
 * core/budget.c. */
#ifndef VGPU_LOOP_EXIT_H
#define VGPU_LOOP_EXIT_H

#include <stdint.h>

struct warp;
struct insn;

enum loop_exit_kind {
    EXIT_NONE, /* no way leads out */
    EXIT_NEVER, /* one leads out, by a counter that never comes to its end: it jumps over it, or moves away from it */
    EXIT_COUNT, /* a counter comes to its end, some time */
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

/* Loops that a warp is in, from the outermost of its kernel inwards, as long as each of them counts. */
enum { COUNTED_LOOPS = 6 };

struct loop_counts {
    uint32_t count;
    struct {
        const struct insn *head;
        uint64_t rounds; /* at most, until it is left */
    } loops[COUNTED_LOOPS];
};

/* A warp is about to go round by a branch. */
struct loop_looks {
    void (*exit)(const struct warp *warp, const struct insn *branch, struct loop_exit *out);
    void (*counts)(const struct warp *warp, const struct insn *branch, struct loop_counts *out);
};

#endif
