/* trail.h - what the first steps of a few blocks did, for who wants to know afterwards which of it mattered (feeds/): each
 * instruction in the order in which the block executed it, the lanes that it was for, and what cannot be told from the code: the
 * addresses of lanes, where shuffles read, what selections chose.
 * A trail depends on its block alone. It has room for so many steps: what comes later is not in it, and is_cut tells. */
#ifndef VGPU_TRAIL_H
#define VGPU_TRAIL_H

#include "core/machine.h"

enum {
    TRAIL_BLOCKS = 2,         /* of a launch: the first ones that leave a record */
    TRAIL_STEPS = 3 << 12,    /* of each, at most */
    TRAIL_WORDS = 1 << 20,    /* beside them */
    TRAIL_FRAMES = 1 << 12,   /* of warps and of their calls */
    TRAIL_MOST_WORDS = 2 * 65 /* of a step */
};

struct trail_step {
    const struct insn *insn;
    uint32_t active, mask; /* of the warp's lanes; those that the guard let through */
    uint32_t frame;
    uint32_t data; /* the first of its words, or of a selection the lanes that chose the first source */
};

/* A call of a function by lanes of a warp, or a warp's own. */
struct trail_frame {
    const struct function *function;
    const struct insn *call; /* NULL: the kernel itself */
    uint32_t caller;         /* NO_FRAME */
    uint32_t warp;
    uint32_t first; /* no step before it is its own */
};
#define NO_FRAME UINT32_MAX

struct trail {
    uint32_t nwarps, shared_bytes, most;  /* steps that there is room for */
    uint64_t shared_window, local_window; /* generic addresses: memory/memory.h */
    struct trail_step *steps;
    uint32_t nsteps;
    size_t steps_capacity;
    uint32_t *words;
    uint32_t nwords, npending; /* those of the step under way come behind the others */
    size_t words_capacity;
    struct trail_frame *frames;
    uint32_t nframes;
    size_t frames_capacity;
    bool is_cut; /* the block went on */
};

/* NULL: no memory. */
struct trail *trail_new(const struct block *block);
void trail_free(struct trail *trail);

/* Around a step: begin before it, end if it was really executed. Its frame may be gone then, so that begin tells its number. */
uint32_t trail_begin(struct trail *trail, const struct warp *warp, const struct insn *insn, uint32_t mask);
void trail_end(struct trail *trail, const struct insn *insn, uint32_t active, uint32_t mask, uint32_t frame);
/* After arithmetic, which changes none of what it needs. */
void trail_arithmetic(struct trail *trail, const struct warp *warp, const struct insn *insn, uint32_t active,
                      uint32_t mask);

/* The words of a step of memory: the addresses of its lanes, of those alone for which it was; of an asynchronous copy those in
 * shared memory, and then those of the source. Returns the words behind them. */
const uint32_t *trail_addresses(const uint32_t *words, uint64_t address[LANES]);
/* Of a shuffle: two sources of 32 lanes each. */
const uint32_t *trail_lanes(const uint32_t *words, uint32_t lanes[LANES]);

#endif
