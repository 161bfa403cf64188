/* inside.h - private to feeds/: what is kept of a pass, and what is known of its functions. */
#ifndef VGPU_FEEDS_INSIDE_H
#define VGPU_FEEDS_INSIDE_H

#include "base/list.h"
#include "core/trail.h"
#include "feeds/control.h"
#include "feeds/feeds.h"
#include "memory/memory.h"

/* Of an instruction of a function. */
enum note {
    NOTE_MATTERS = 1,
    NOTE_DECIDES = 2, /* its guard or its choice does */
    NOTE_FIRST = 4,   /* a choice that mattered was for the first source, */
    NOTE_SECOND = 8,  /* or for the second */
    NOTE_SEEN = 16    /* it is in a trail */
};

/* Only ever more of it is set: so a pass is walked until nothing changes. */
struct notes {
    const struct function *function;
    uint8_t *flags;   /* by code index */
    uint32_t changes; /* of flags, so far */
    /* liveness.c: by block, the places that are live where it begins, in words; as they were after so many changes */
    uint64_t *begins;
    uint32_t nwords, solved;
    uint32_t nplaces;
    struct control control;
    bool has_control;                  /* false: every branch decides */
    bool reads_local;                  /* a load that matters does */
    uint32_t shared_first, shared_end; /* what loads that matter may read of shared memory */
};

/* An allocation, as it was when a launch ended. */
struct area {
    uint64_t base, end, serial;
    bool is_variable; /* of the module: no argument need point there */
    bool is_seen;     /* others read it in ways that are not followed: the host, a kernel's heap */
};

struct tally {
    uint32_t steps, mattered, lanes, lanes_mattered;
    uint32_t of[FEEDS_SOURCES]; /* of those that mattered, with values of a source */
};

struct kept_launch {
    const struct function *kernel;
    double time_us;
    uint8_t *params;         /* the kernel's arguments */
    bool may_matter;         /* one of them points to what is read later */
    struct insn_stat *stats; /* by insn->id */
    uint32_t nstats;
    struct trail *trails[TRAIL_BLOCKS];
    uint8_t *origins[TRAIL_BLOCKS]; /* by step: whose values it moves, a bit for each source */
    uint32_t ntrails;
    struct list reads; /* uint64_t: serials of allocations that it reads where that matters */
    bool reads_all;
    struct area *areas; /* in order of their addresses */
    uint32_t nareas;
    struct tally *tally; /* by insn->id */
};

struct kept_copy {
    uint64_t to, from; /* serials; 0: the host, or an array */
    uint64_t to_offset, from_offset, bytes;
};

struct kept {
    bool is_launch;
    struct kept_launch launch;
    struct kept_copy copy;
};

struct stored {
    uint64_t serial;
    uint8_t inputs;
};
struct copied {
    uint64_t serial, offset, bytes;
    uint8_t inputs;
};

struct feeds {
    struct list kept;  /* struct kept, in their order */
    struct list notes; /* struct notes * */
    struct list found; /* private to knowledge.c */
    uint64_t nsteps;
    /* on the way back: serials (uint64_t) of allocations of which something is read later, and it matters */
    struct list live;
    bool all_live;
    struct kept_launch *launch; /* the one that is walked; NULL: a copy */
    /* on the way forward: what inputs allocations hold something of */
    struct list stored, copied;
    bool has_changed; /* since the walk began */
    bool has_failed;  /* no memory */
    const struct feeds_roots *roots;
};

/* knowledge.c */
struct notes *feeds_notes_of(struct feeds *feeds, const struct function *function);
void feeds_notes_free(struct notes *notes);
/* places.c. Where liveness of a frame is kept: registers by slot / 64, predicates, words of args and of params, the carry. */
#define NO_PLACE UINT32_MAX
static inline uint32_t place_of_pred(const struct function *function, uint32_t number)
{
    return number == PRED_NONE ? NO_PLACE : function->register_bytes / 64 + number;
}
/* NO_PLACE: a constant, or none. */
static inline uint32_t place_of(const struct function *function, uint32_t operand)
{
    return operand & SLOT_CONSTANT ? NO_PLACE
           : operand & SLOT_PRED   ? place_of_pred(function, operand & ~SLOT_PRED)
                                   : operand / 64;
}
uint32_t place_of_param(const struct function *function, bool is_argument, uint64_t offset);
uint32_t place_of_carry(const struct function *function);
uint32_t places_of(const struct function *function);
/* The predicates that an instruction sets and reads, beside its guard and its operands. */
struct pred_operands {
    uint16_t defs[2], use; /* PRED_NONE */
};
struct pred_operands preds_of(const struct insn *insn);
static inline uint16_t guard_of(const struct insn *insn)
{
    return insn->guard ? (uint16_t)(insn->guard - 1) : PRED_NONE;
}
bool is_selection(const struct insn *insn);
bool insn_begins(const struct insn *insn, const char *words); /* its name in PTX */
/* knowledge.c again. The instruction matters, for the first time: so do the branches that led to it. */
void note_matters(struct feeds *feeds, struct notes *notes, const struct insn *insn);
void note_decides(struct feeds *feeds, struct notes *notes, const struct insn *insn);
/* Instructions of a launch that are in no trail: those that may feed what matters do. */
void feeds_add_unseen(struct feeds *feeds, const struct kept_launch *launch);

/* liveness.c. False: no memory, or too much of it; then everything is live. */
bool liveness_solve(struct notes *notes);
/* The places that are live, a bit each, nwords words: at the end of a block; from behind an instruction to before it; behind one. */
void liveness_at_end(const struct notes *notes, uint32_t block, uint64_t *live);
void liveness_step(const struct notes *notes, const struct insn *insn, uint64_t *live);
void liveness_behind(const struct notes *notes, uint32_t code, uint64_t *live);
bool liveness_has_def(const struct notes *notes, const struct insn *insn, const uint64_t *live);

/* areas.c */
bool is_live(const struct feeds *feeds, uint64_t serial);
void make_live(struct feeds *feeds, uint64_t serial);
const struct area *area_at(const struct kept_launch *launch, uint64_t address);
bool is_root(const struct feeds *feeds, const struct area *area);

void make_all_live(struct feeds *feeds);
/* Where a lane's access goes; a generic address becomes one of its space. */
enum ptx_space feeds_space(const struct trail *trail, const struct insn *insn, uint64_t *address);

/* walk.c: a trail, back from its end. False: no memory. */
bool walk_back(struct feeds *feeds, struct kept_launch *launch, uint32_t number);

/* origin.c: forward, launches and copies in their order. NULL: no memory. */
void origin_of_areas(struct feeds *feeds, const struct kept_launch *launch);
void origin_of_copy(struct feeds *feeds, const struct kept_copy *copy);
uint8_t *origin_walk(struct feeds *feeds, const struct kept_launch *launch, const struct trail *trail);

#endif
