/* tape.h - one block, step by step: what each instruction of each warp wrote, so that it can be played forward and back.
 * Of registers the step's own destinations are kept, of predicates and shared memory what has changed. The tape of a block
 * depends on the block alone.
 *
 * A tape has room for so much. Where there is more, it leaves out rounds in the middle of loops, of all loops alike, and as few as
 * possible (tape_fold.c): what they wrote is put together and stands where the warp goes on, so that every state that can be
 * shown is the machine's own. What is too long even so is cut: each warp has an equal share. */
#ifndef VGPU_TAPE_H
#define VGPU_TAPE_H

#include "core/machine.h"

enum {
    TAPE_STEPS = 1 << 15,   /* of all warps together */
    TAPE_WORDS = 3 << 20,   /* of what they wrote */
    TAPE_TRIPS = 1 << 16,   /* rounds of loops */
    TAPE_SHARED = 96 << 10, /* bytes of shared memory that are followed */
    TAPE_LOOKED = 1 << 19,  /* steps that are looked at, kept or not: a warp may take half of what is left, */
    TAPE_SHARE = 1 << 12,   /* and so many at least */
    TAPE_MARKS = 8
};

enum tape_kind {
    TAPE_STEP,
    TAPE_GAP,  /* steps of its warp that were left out: what they wrote to registers and predicates */
    TAPE_QUIET /* the same of shared memory: it comes before whatever step of whatever warp is next */
};

/* Words of what a step wrote lie in the tape's words, one part behind the other: its destinations, each with its slot and 32
 * lanes of one word or two; its predicates, each with its number and its lanes; shared memory, each word with its index and its
 * value; and where it has addresses, two words for each of 32 lanes. Of a gap: a struct tape_gap, its struct tape_gap_defs and
 * struct tape_gap_preds. Of a quiet step: shared memory. */
struct tape_step {
    const struct function *function;
    const struct insn *insn; /* of a gap: the last that was left out */
    uint32_t warp, active, mask;
    uint32_t serial; /* steps that had been taken with it, shown or not */
    uint32_t trip;   /* the round of the innermost loop that it is in; 0: none */
    uint32_t first;  /* of its words */
    uint32_t ndefs, npreds, nshared;
    uint8_t kind, def_words; /* enum tape_kind */
    bool has_addresses;
};

/* All of words, as they lie on the tape. */
struct tape_gap {
    uint32_t nsteps, nbarriers; /* left out */
    uint32_t visit, from,
        to; /* rounds of a loop that were left out; visit 0: none, the warp's end is cut off */
};
struct tape_gap_def {
    uint32_t function, insn_id, def, offset, nwords, mask; /* who wrote it last: its def-th destination */
    uint32_t lanes[2 * LANES];
};
struct tape_gap_pred {
    uint32_t function, number, lanes;
};

/* A round of a loop that a warp, or some of its lanes, went through. */
struct tape_trip {
    uint32_t visit, number; /* from 1 */
    uint32_t before;        /* the same lanes' round before it; 0: none, or it is forgotten */
    bool has_body;          /* there is more in it than the test that ends the loop */
    bool is_dropped, is_pinned, is_far /* rounds behind it are forgotten */;
};
/* From when lanes come into a loop to when they leave it. */
struct tape_visit {
    const struct function *function;
    uint32_t loop; /* its number in function->loops, from 1 */
    uint32_t warp, depth /* of calls */;
    uint32_t outer; /* the round of another loop in which it is; 0: none */
    uint32_t trips; /* rounds so far */
};

/* Something was found wrong in a step. */
struct tape_mark {
    uint32_t serial; /* of the step */
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
    struct tape_step *spare_steps; /* where the next folding puts them */
    uint32_t *spare_words;
    size_t spare_steps_capacity, spare_words_capacity;
    struct tape_trip *trips; /* [0] is none */
    uint32_t ntrips;
    size_t trips_capacity;
    struct tape_visit *visits; /* [0] is none */
    uint32_t nvisits;
    size_t visits_capacity;
    uint32_t *trip_of; /* of each lane of each warp: the round that it is in */
    uint32_t *looked;  /* of each warp: its steps so far */
    uint8_t *is_full;  /* of each warp: there is no room for more of it */
    uint8_t *is_cut;   /* of each warp: and there were more */
    uint32_t *shared;  /* what it held at the last look */
    uint32_t *preds;   /* of the frame of the warp that was looked at last */
    uint32_t npreds;
    const struct frame *frame;
    uint32_t depth;                     /* of that frame */
    uint32_t serial;                    /* steps so far */
    uint32_t level;                     /* how much is left out: tape_fold.c */
    uint32_t nfolds;                    /* how often steps have been left out */
    bool is_over;                       /* nothing more is looked at */
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
/* Instead, where it was for no lane and is no step: it may still begin a round of a loop. */
void tape_skipped(struct tape *tape, const struct warp *warp, const struct insn *insn);

/* For tests: called after each step that was taped, with its frame; NULL where that may be gone. */
extern void (*tape_probe)(const struct tape *tape, const struct warp *warp, const struct frame *frame);

/* The words of a step, by part. */
const uint32_t *tape_def(const struct tape *tape, const struct tape_step *step, uint32_t i);
const uint32_t *tape_preds(const struct tape *tape, const struct tape_step *step);
const uint32_t *tape_shared(const struct tape *tape, const struct tape_step *step);
const uint32_t *tape_addresses(const struct tape *tape, const struct tape_step *step);
/* And those of a gap. */
const struct tape_gap *tape_gap(const struct tape *tape, const struct tape_step *step);
const struct tape_gap_def *tape_gap_defs(const struct tape *tape, const struct tape_step *step);
const struct tape_gap_pred *tape_gap_preds(const struct tape *tape, const struct tape_step *step);

/* tape_trips.c: the round that a step's lanes are in, which it may begin; 0: none, or no memory. */
uint32_t tape_trip(struct tape *tape, const struct warp *warp, const struct function *function,
                   const struct insn *insn, uint32_t active);
/* No round around this one, nor itself, is left out. */
void tape_pin(struct tape *tape, uint32_t trip);

/* tape_fold.c: leaves out more; false: nothing more can be left out. What a page has no room for may be left out when the block
 * is done, as well. */
bool tape_tighten(struct tape *tape);
/* All but the first steps of each warp: so many. */
void tape_shorten(struct tape *tape, const uint32_t *most);
/* Makes room for more steps; sets is_over where that fails. */
void tape_make_room(struct tape *tape);
/* The rounds that each loop keeps at its begin and at its end, as things are. */
struct tape_level {
    uint32_t first, last;
};
struct tape_level tape_level(const struct tape *tape);

#endif
