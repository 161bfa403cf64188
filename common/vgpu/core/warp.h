/* warp.h - how warps and blocks wait: fragments, joins, barriers. Private to core/.
 *
 * The lanes of a warp that go the same way form a fragment: a mask and a place. A branch that parts lanes makes two
 * fragments and a join, the place where they meet again (the branch's immediate post-dominator). A fragment that comes
 * to its join parks there until the others have come; then they go on as one.
 * Lanes are independent all the same: if those that are still under way only poll for something that the parked ones
 * must do (a lock held by a parked lane), the parked ones are released and go on by themselves. */
#ifndef VGPU_WARP_H
#define VGPU_WARP_H

#include "core/machine.h"

struct join {
    const struct insn *at; /* where lanes meet: a JOIN, or the instruction after a call */
    struct frame *frame;   /* in which frame */
    uint32_t expected;     /* lanes that have yet to come or are here, exited ones removed */
    uint32_t arrived;      /* lanes that wait here */
    struct join *parent;   /* of a free one: the next free one */
    struct join *all;      /* every join the warp has made, for warp_end() */
    struct frame *callee;  /* a call's join owns the callee's frame */
};

enum fragment_state {
    FRAGMENT_READY,
    FRAGMENT_BARRIER,  /* waits at a barrier of the block */
    FRAGMENT_CONVERGE, /* waits for lanes named in a .sync mask */
    FRAGMENT_POLLING   /* reads an unchanging value: others first */
};

struct fragment {
    enum fragment_state state;
    uint32_t mask;
    const struct insn *ip;
    struct frame *frame;
    struct join *join;
    uint32_t waits_for;  /* CONVERGE: the mask; BARRIER: the barrier's number */
    bool had_to_release; /* CONVERGE: named lanes were found parked elsewhere */
};

struct warp_state {
    struct fragment fragments[LANES + 1]; /* one may be empty for a moment, while its lanes part */
    uint32_t nfragments;
    uint32_t current; /* index of the running fragment; LANES: none */
    uint32_t stopped; /* index + 1 of the fragment that stopped for its block's turn: it goes on first */
    bool must_retry;  /* the step that returned WAIT must be executed again */
    bool is_forced;   /* a .sync instruction goes on with the lanes that are there */
    struct join *free_joins, *all_joins;
    struct frame root;
    uint32_t depth;                     /* calls under way */
    struct undefined_values *undefined; /* what warp->undefined points to when it is set */
};

/* For the files of core/: the running fragment is kept in struct warp, the others in warp->state. */
static inline struct fragment *fragment_current(const struct warp *warp)
{
    return &warp->state->fragments[warp->state->current];
}
void fragment_load(struct warp *warp, uint32_t index);
void fragment_save(struct warp *warp);
void fragment_drop(struct warp *warp, uint32_t index);

/* One instruction issued for these active lanes. */
static inline void count_issue(struct insn_stat *stats, const struct insn *insn, uint32_t active)
{
    struct insn_stat *stat = &stats[insn->id];
    stat->warps++;
    if (active != FULL_MASK)
        stat->idle += LANES - (uint32_t)__builtin_popcount(active);
}

/* It was not executed after all, by the lanes that are active. */
static inline void uncount_issue(struct warp *warp, const struct insn *insn)
{
    struct insn_stat *stat = &warp->worker->stats[insn->id];
    stat->warps--;
    stat->idle -= LANES - (uint32_t)__builtin_popcount(warp->active);
    warp->clock--;
}

enum warp_status { WARP_DONE, WARP_WAITING, WARP_POLLING, WARP_TURN, WARP_FAULT };

/* loop.c: runs the warp until it waits, polls, needs a turn or is done. */
enum warp_status warp_run(struct warp *warp);
void warp_begin(struct warp *warp);
void warp_end(struct warp *warp);            /* frees joins and frames of an unfinished warp */
void warp_resume_polling(struct warp *warp); /* polling fragments may run again */
/* Lets parked lanes go on without those they wait for. False: none are parked. */
bool warp_release_parked(struct warp *warp);
/* Nothing in the block can run: complete .sync instructions with the lanes that are there. False: nothing to do. */
bool warp_force_converge(struct warp *warp);
/* Lanes that wait for each other at a .sync instruction and are complete go on. False: there are none. */
bool warp_resolve_converged(struct warp *warp);

/* The running fragment comes to a place where lanes may meet (a JOIN). */
enum step warp_join(struct warp *warp, const struct insn *insn);

/* For control.c. All act on the running fragment. */
enum step warp_branch(struct warp *warp, const struct insn *insn, uint32_t taken, const struct insn *target);
enum step warp_branch_many(struct warp *warp, const struct insn *insn, const struct insn *const target[LANES],
                           uint32_t mask);
enum step warp_call(struct warp *warp, struct frame *callee, const struct insn *entry, uint32_t mask);
/* An indirect call whose lanes want different functions: group executes it now, the rest of mask next, and all meet
 * behind it. */
enum step warp_call_group(struct warp *warp, const struct insn *insn, uint32_t group, uint32_t mask);
enum step warp_return(struct warp *warp, uint32_t mask);
enum step warp_exit(struct warp *warp, uint32_t mask);

/* ------------------------------------------------------------------------------------------- blocks */

enum { BARRIERS = 17, CLUSTER_BARRIER = 16 }; /* 16 of the block; the last one is the cluster's */

/* What a barrier instruction asks for: insn->op where insn->flow is FLOW_BARRIER. */
enum bar_op { BAR_SYNC, BAR_ARRIVE, BAR_POPC, BAR_AND, BAR_OR, BAR_CLUSTER };

struct barrier {
    uint32_t lanes[LANES];    /* by warp: lanes that have arrived */
    uint32_t threads;         /* threads that have arrived */
    uint32_t count;           /* threads it waits for; 0: all of the block that have not exited */
    uint32_t popc, ands, ors; /* of bar.red: predicates that were true; all; any */
    const struct insn *insn;  /* of the first to arrive; NULL: nobody has */
};

struct block_state {
    struct barrier barriers[BARRIERS];
    uint32_t awaited; /* bit i: somebody has arrived at barrier i */
    bool has_turn, has_used_turn;
    int fault;
    int marked_fault;
    uint32_t live;      /* threads that have not exited */
    uint32_t next_warp; /* where a round that stopped for the turn goes on */
    uint8_t *memory;    /* registers, states: one allocation, reused */
};

enum block_status { BLOCK_DONE, BLOCK_YIELD, BLOCK_TURN, BLOCK_FAULT };
enum block_status block_run(struct block *block);
struct block *block_new(struct launch *launch);
void block_begin(struct block *block, uint64_t index, struct worker *worker);
void block_move(struct block *block, struct worker *worker); /* another host thread goes on with it */
void block_end(struct block *block);
void block_free(struct block *block);

/* The running fragment (or mask of it) waits at a barrier, unless barriers_update() finds it complete. */
enum step warp_wait_barrier(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t barrier);

/* barriers.c: completes barriers at which everybody is; called when lanes arrive or exit. */
void barriers_update(struct block *block);

/* clock.c: what %clock and %globaltimer show to the warp that executes insn. */
uint64_t warp_cycles(struct warp *warp, const struct insn *insn);
uint64_t warp_nanoseconds(struct warp *warp, const struct insn *insn);
/* For a warp that reads a clock while it waits: makes it later, so that a time limit can end the waiting. False: it
 * reads none, or has waited for ages. */
bool warp_let_time_pass(struct warp *warp);

#endif
