/* tape.h - one block, step by step: what each instruction of each warp wrote, so that it can be played forward and back.
 * Of registers the step's own destinations are kept, of predicates and shared memory what has changed. The tape of a block
 * depends on the block alone. It is cut where it would grow too long: each warp has an equal share. */
#ifndef VGPU_TAPE_H
#define VGPU_TAPE_H

#include "core/machine.h"

enum {
    TAPE_STEPS = 6000,      /* of all warps together */
    TAPE_SHARE = 24,        /* but so many for each at least */
    TAPE_WORDS = 3 << 20,   /* of what they wrote */
    TAPE_SHARED = 96 << 10, /* bytes of shared memory that are followed */
    TAPE_MARKS = 8
};

/* Words of what a step wrote lie in the tape's words, one part behind the other: its destinations, each with its slot and 32
 * lanes of one word or two; its predicates, each with its number and its lanes; shared memory, each word with its index and its
 * value; and where it has addresses, two words for each of 32 lanes. */
struct tape_step {
    const struct function *function;
    const struct insn *insn;
    uint32_t warp, active, mask;
    uint32_t first; /* of its words */
    uint8_t ndefs, def_words;
    uint16_t npreds;
    uint32_t nshared;
    bool has_addresses;
};

/* Something was found wrong in a step. */
struct tape_mark {
    uint32_t step; /* so many steps had been taken with it */
    enum vgpu_finding kind;
    uint32_t loc, other_loc; /* of the instruction at fault, and of the other access of a race; 0: none */
    uint32_t thread;
    char what[512]; /* in words */
};

struct tape {
    uint64_t block; /* its index in the grid */
    uint32_t nwarps, shared_bytes;
    struct tape_step *steps;
    uint32_t nsteps;
    size_t steps_capacity;
    uint32_t *words;
    uint32_t nwords;
    size_t words_capacity;
    uint32_t *taken;  /* of each warp: steps so far */
    uint8_t *is_cut;  /* of each warp: there are more */
    uint32_t *shared; /* what it held at the last look */
    uint32_t *preds;  /* of the frame of the warp that was looked at last */
    uint32_t npreds;
    const struct frame *frame;
    struct tape_mark marks[TAPE_MARKS]; /* the first ones */
    uint32_t nmarks;
    size_t nfindings; /* of the block so far */
};

/* NULL: no memory. */
struct tape *tape_new(const struct block *block);
void tape_free(struct tape *tape);
/* Before an instruction: how predicates stand. */
void tape_before(struct tape *tape, const struct warp *warp);
/* Where it was executed; a return may have freed the frame. */
struct tape_place {
    const struct function *function;
    const struct frame *frame;
    const struct insn *insn;
};
/* After it; address: of the lanes, NULL: it has none. */
void tape_after(struct tape *tape, const struct warp *warp, const struct tape_place *place, uint32_t active,
                uint32_t mask, const uint64_t *address);

/* For tests: called after each step that was taped, with its frame; NULL where that may be gone. */
extern void (*tape_probe)(const struct tape *tape, const struct warp *warp, const struct frame *frame);

/* The words of a step, by part. */
const uint32_t *tape_def(const struct tape *tape, const struct tape_step *step, uint32_t i);
const uint32_t *tape_preds(const struct tape *tape, const struct tape_step *step);
const uint32_t *tape_shared(const struct tape *tape, const struct tape_step *step);
const uint32_t *tape_addresses(const struct tape *tape, const struct tape_step *step);

#endif
