/* checker.h - who is told what happens while a launch runs: the checkers, chosen by the launch's level.
 * Core and handlers call these; check/ has the three tables (off, bounds, full). A checker never changes a result: it
 * only adds findings. It must raise no false alarm.
 * Unless a comment says otherwise, handlers call a function only where worker->check is CHECK_FULL. */
#ifndef VGPU_CHECKER_H
#define VGPU_CHECKER_H

#include "core/access.h"
#include "core/machine.h"

struct call_copy; /* decode/decode_internal.h */

/* What one execution of a shuffle did. A lane of mask that is undefined has read from a lane that was not there. */
struct shuffle {
    uint32_t mask, undefined;
    uint8_t sources[LANES];  /* by reading lane */
    uint32_t members[LANES]; /* by reading lane: the mask it passed */
};

/* Values that nobody has defined, followed from the shuffle that read them to the place where they matter: see
 * check/undefined.h. At every level; but only while warp->undefined is set, except for shuffle(). */
struct undefined_rules {
    /* Before an instruction is executed, mask being the lanes that its guard lets through: its destinations get the
     * marks of its sources, and uses are told. Not for instructions that lanes execute together (CLASS_WARP): they
     * know only in the end who takes part. To call it twice for an instruction that has to wait does no harm. */
    void (*before)(struct warp *warp, const struct insn *insn, uint32_t mask);
    /* The destinations of a shuffle get the marks of what they read; called before the values move. */
    void (*shuffle)(struct warp *warp, const struct insn *insn, const struct shuffle *shuffle);
    /* A vote, match or reduction of these lanes: every source counts as used. */
    void (*exchange)(struct warp *warp, const struct insn *insn, uint32_t mask);
    /* A barrier that reduces a predicate. */
    void (*barrier)(struct warp *warp, const struct insn *insn, uint32_t mask);
    /* A load or store in local memory or in a .param block of the running frame; offset: by lane. */
    void (*access)(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                   enum ptx_space space);
    /* Bytes of local memory that a builtin reads. */
    void (*read_local)(struct warp *warp, const struct insn *insn, int lane, uint64_t offset, size_t bytes);
    /* Arguments on their way into a call, results on their way out, and arguments of a builtin. */
    void (*pass_arguments)(struct warp *warp, const struct frame *caller, struct frame *callee,
                           const struct call_copy *copies, uint32_t count, uint32_t mask);
    void (*pass_results)(struct warp *warp, const struct frame *callee, struct frame *caller,
                         const struct call_copy *copies, uint32_t count, uint32_t mask);
    void (*use_arguments)(struct warp *warp, const struct insn *insn, const struct call_copy *copies,
                          uint32_t count, uint32_t mask);
    void (*leave)(struct warp *warp, struct frame *frame); /* the frame is about to be freed */
    void (*end)(struct warp *warp);                        /* frees all */
};

struct checker {
    /* life, at every level */
    void (*launch_begin)(struct launch *launch);
    void (*block_begin)(struct block *block);
    void (*block_end)(struct block *block);
    void (*worker_end)(struct worker *worker);
    void (*launch_end)(struct launch *launch); /* before findings are told: races between blocks */

    /* An access that was refused, at every level. address: generic, or of the space. */
    void (*bad_access)(struct warp *warp, const struct insn *insn, int lane, enum bad_access why,
                       enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write);

    /* Accesses whose bounds and alignment were found good, before bytes move. */
    void (*shared)(struct warp *warp, const struct insn *insn, const struct access *access);
    void (*global)(struct warp *warp, const struct insn *insn, const struct access *access);
    void (*local)(struct warp *warp, const struct insn *insn, const struct access *access);

    /* After shared() has heard of an asynchronous copy's stores: the bytes are not there yet, but will be when shared()
     * hears of the same stores once more. */
    void (*copy_begins)(struct warp *warp, const struct access *access);

    /* Synchronisation. lanes: who took part. */
    void (*warp_sync)(struct warp *warp,
                      uint32_t lanes); /* __syncwarp, shuffles, votes: orders these lanes */
    void (*fence)(struct warp *warp, const struct insn *insn, uint32_t lanes); /* membar, fence */
    void (*release)(struct warp *warp, const struct insn *insn,
                    uint32_t lanes); /* after a volatile store, an atomic */
    void (*acquire)(struct warp *warp, const struct insn *insn,
                    uint32_t lanes); /* after a volatile load, an atomic */
    void (*barrier_arrive)(struct warp *warp, const struct insn *insn, uint32_t lanes, uint32_t barrier);
    void (*barrier_done)(struct block *block, uint32_t barrier,
                         const uint32_t *lanes_by_warp); /* were ordered */

    /* A branch, before the lanes part: taken and fallen are the active lanes that go each way. It may be left out when
     * no lane takes the branch. */
    void (*branch)(struct warp *warp, const struct insn *insn, uint32_t taken, uint32_t fallen);

    const struct undefined_rules *undefined; /* never NULL */
};

static inline const struct checker *checker_of(const struct warp *warp)
{
    return warp->worker->checker;
}

#endif
