/* record.h - what a few blocks of a launch did, instruction by instruction: what the timing model works on.
 * Which blocks are recorded depends on the grid alone, and what is recorded of a block on the block alone, so that a
 * record is the same whatever the number of host threads. Of long warps pieces are recorded, at longer and longer
 * intervals: they stand for the rest. What comes for the first time, as the code behind a long loop, is recorded, too.
 * The implementation is core/record.c, because it reads operands of memory instructions. */
#ifndef VGPU_RECORD_H
#define VGPU_RECORD_H

#include "core/machine.h"
#include "core/pictures.h"
#include "core/tape.h"
#include "core/trail.h"

enum {
    RECORD_BLOCKS = 24, /* blocks of a large launch that are recorded: some may have more to do than others */
    RECORD_FEW = 8,     /* of a small one, where recording takes a part of the time */
    RECORD_LARGE = 4096,    /* blocks */
    RECORD_BEGIN = 1 << 12, /* instructions of a warp that are recorded from its start on */
    RECORD_WINDOW = 1 << 9, /* and later ones, each time that it has executed twice as many */
    RECORD_FIRST = 1 << 6,  /* and from an instruction of the kernel on that it has not been seen at before */
    RECORD_LENGTH = 1 << 13, /* in all */
    RECORD_LATE = 1 << 11,   /* of a warp that turned out to be long, from there on */
    RECORD_LINES = 1 << 14,  /* lines of global memory that are recorded of a warp's start */
    WINDOW_LINES = 1 << 11,  /* and of each window */
    PLACE_BITS = 20,         /* a place: the function's index, then the instruction's in its code */
    L2_UNIT_BITS = 8,        /* a unit is in one slice of L2, which does its atomics */
    L2_SLICES = 97,          /* 96, but no power of two comes back to the same one of a prime number */
    SECTOR_GROUPS = 127      /* each 127th sector: a prime as well */
};

/* What one execution of a memory instruction asked for. */
struct access_cost {
    uint8_t lanes;       /* that took part */
    uint8_t lines;       /* global: distinct lines of 128 bytes */
    uint16_t sectors;    /* global, local, texture: distinct sectors of 32 bytes; constant: distinct words */
    uint16_t wavefronts; /* shared */
    uint16_t l2_reads, l2_writes; /* sectors that went below L1 */
    uint8_t passes;               /* global: that L1's banks and tags make of it */
    uint8_t addresses;            /* global atomics: distinct ones */
    uint8_t units;                /* global atomics: of L2, distinct ones */
    uint8_t turns;   /* atomics: global, that L2's slices need, together; shared, lanes on the fullest word */
    bool is_uniform; /* all lanes meant one address */
    uint16_t bytes;  /* that the lanes read or wrote, together */
    bool has_lines;  /* plain loads and stores of global memory: which lines is recorded */
    bool is_cached;  /* loads that L1 may keep */
    bool is_local;
    uint32_t address;    /* atomics and local memory: the first lane's, in words of four bytes */
    uint32_t first_line; /* its lines in the record: `lines` of them */
};

struct warp_record {
    uint32_t *places; /* of every executed instruction, JOINs left out */
    uint32_t nplaces;
    size_t places_capacity;
    struct access_cost *costs; /* of every memory instruction among them, in order */
    uint32_t ncosts;
    size_t costs_capacity;
    uint32_t *lines; /* of global memory that is loaded and stored: see LINE_SHARED */
    uint32_t nlines;
    size_t lines_capacity;
    struct { /* of L2, for its global atomics: by slices, and by groups of sectors */
        uint32_t slices[L2_SLICES], sectors[SECTOR_GROUPS];
    } turns;
    uint64_t next_window;      /* where recording goes on, in instructions of the warp */
    uint64_t first_until;      /* what is there for the first time is recorded up to here */
    uint64_t *seen;            /* a bit for each instruction of the kernel: it is in the record */
    struct pictures *pictures; /* the block's; NULL: nobody wants them */
    struct tape *tape;         /* the block's; NULL: there is none */
    struct trail *trail;       /* the same */
    bool is_late;              /* RECORD_LATE instructions, one after the other */
    bool is_full;              /* only the tape goes on */
};

struct block_record {
    uint64_t index;
    uint32_t nwarps;
    struct pictures pictures;
    struct tape
        *tape; /* where there are pictures: of the first block, under full checking of all; else NULL */
    struct warp_record warps[];
};

static inline uint32_t place_function(uint32_t place)
{
    return place >> PLACE_BITS;
}
static inline uint32_t place_code(uint32_t place)
{
    return place & ((1u << PLACE_BITS) - 1);
}

/* A line of 128 bytes: 27 bits of its address, whether other recorded blocks use it too (set by the model), and which of
 * its four sectors are wanted. */
enum { LINE_SHARED = 0x10, LINE_SECTORS_MASK = 0xf, LINE_SHIFT = 5 };

/* True for instructions that leave an access_cost. */
static inline bool record_has_cost(const struct insn *insn)
{
    return insn->class == CLASS_GLOBAL || insn->class == CLASS_SHARED || insn->class == CLASS_LOCAL ||
           insn->class == CLASS_CONST || insn->class == CLASS_TEXTURE || insn->class == CLASS_ATOMIC;
}

/* For block.c: the blocks that are to be recorded get a record when they begin. */
void record_launch_begin(struct launch *launch);
void record_block_begin(struct block *block);
void record_launch_end(struct launch *launch); /* frees all */
/* Of the trails, so many; from here on they are the caller's. */
uint32_t record_take_trails(struct launch *launch, struct trail *trails[TRAIL_BLOCKS]);
/* A warp goes on for long. If its block has no record, it gets one from here on: a launch is not over before its longest warp is,
 * wherever that is. */
void record_long(struct warp *warp);
/* For grid.c, under its lock: a block is done. Of long ones the record of the longest is kept. */
void record_block_end(struct block *block);
void record_drop(struct block *block); /* one that is never done */

/* For loop.c: an instruction is executed. */
void record_place(struct warp *warp, const struct insn *insn);
/* Whether any of the arithmetic in a row that begins here is recorded. Its clock stands still: a window has all of it or nothing,
 * and whoever was here has been at all that follows. */
bool record_has_row(struct warp *warp, const struct insn *insn);
/* What tapes and trails need of arithmetic: before it, and after it. */
static inline void record_before(const struct warp *warp)
{
    if (warp->record && warp->record->tape)
        tape_before(warp->record->tape, warp);
}
static inline void record_after(const struct warp *warp, const struct insn *insn, uint32_t active,
                                uint32_t mask)
{
    if (warp->record && warp->record->tape)
        tape_after(warp->record->tape, warp, &(struct tape_place){warp->frame->function, warp->frame, insn},
                   active, mask, NULL);
    if (warp->record && warp->record->trail)
        trail_arithmetic(warp->record->trail, warp, insn, active, mask);
}
/* And where it is for no lane. */
static inline void record_skipped(const struct warp *warp, const struct insn *insn)
{
    if (warp->record && warp->record->tape)
        tape_skipped(warp->record->tape, warp, insn);
    if (warp->record && warp->record->trail)
        trail_arithmetic(warp->record->trail, warp, insn, warp->active, 0);
}
/* Around the step of an instruction: begin before it, end if it was really executed. */
struct record_step {
    const struct function *function; /* a call leaves it */
    bool is_open;                    /* it is to be recorded */
    struct insn_stat stat;
    struct traffic traffic;
    struct access_cost cost;
    uint64_t turns[LANES]; /* of L2, cost.turns of them: an address of each */
    uint32_t active, mask;
    bool has_addresses;
    uint64_t address[LANES];
    const struct frame *frame;
    uint32_t trail_frame;
};
void record_step_begin(struct record_step *step, struct warp *warp, const struct insn *insn, uint32_t mask);
void record_step_end(const struct record_step *step, struct warp *warp, const struct insn *insn);

#endif
