/* sm_internal.h - the simulated SM's own state, shared by sm.c (warps, units, blocks), sm_follow.c (how a warp follows
 * its record) and sm_memory.c (what an access costs). */
#ifndef VGPU_SM_INTERNAL_H
#define VGPU_SM_INTERNAL_H

#include "base/number.h"
#include "model/sm.h"

enum {
    TICKS = 256, /* per clock */
    SM_MAX_PARTS = 8,
    SM_COPY_GROUPS = 8,
    SM_SPINS = 16,
};

/* A unit serves one after another: free is when the last of those in line will be done. */
struct unit {
    uint64_t free, busy;
};

struct sm_warp {
    const struct warp_record *record;
    uint32_t place, cost;    /* how far it is in its record */
    const struct insn *code; /* of the function under way */
    const struct op *op, *end;
    const struct op_ports *ports;    /* of op */
    uint32_t lowest, highest;        /* instructions of the segment under way that were executed */
    const struct access_cost *costs; /* of the segment under way, from its costs_from-th on */
    uint32_t costs_from;
    /* guarded code that no lane of the warp went into, but that it must pass */
    const struct segment *passed, *passed_end;
    bool has_place;   /* in line for the unit of its next operation */
    bool is_mixed;    /* of the segment under way: arithmetic may be issued before its operands are there */
    uint32_t segment; /* under way: its number in the program */
    double rounds;    /* executions of it that were taken together; less than one: a part of it */
    uint64_t entered; /* when the segment was */
    uint64_t *ready;  /* by register: when its value is there */
    uint8_t *source;  /* by register: enum sm_wait, who makes it */
    uint32_t *maker;  /* by register: the id of the instruction that makes it; NULL: nobody wants to know */
    uint32_t first_register; /* of the function under way */
    uint64_t time;           /* earliest issue */
    uint64_t last;           /* issue */
    uint64_t began;
    struct { /* its latest store: what follows at once to the same lines goes with it */
        uint32_t first_line, lines;
        bool went_along; /* with the one before it */
    } stored;
    uint64_t came;       /* to a barrier */
    uint64_t put_off;    /* what was issued before its operands were there: when the last of them comes */
    uint32_t put_off_id; /* and which instruction makes it */
    struct
    { /* asynchronous copies: when the last is there, of those started and of those in the latest groups */
        uint64_t last, groups[SM_COPY_GROUPS];
        uint32_t ngroups;
    } copied;
    uint64_t pending;     /* when the last of its stores to shared memory is done: barriers wait for it */
    uint8_t pending_wait; /* and what that one waits for, */
    uint32_t pending_id;  /* of which instruction */
    uint32_t block, part;
    uint32_t round;                     /* of its block: how often the record was used before */
    uint32_t spill_loads, spill_stores; /* parts of them that are due, in TICKS */
};

struct sm_block {
    uint32_t first_warp, nwarps, live, arrived;
    uint64_t last_arrival;
    struct { /* words of shared memory that compare-and-swap loops of its warps change, and until when */
        uint32_t word;
        uint64_t free;
    } spins[SM_SPINS];
};

/* Warps in a line: a tree whose root is the first of them (sm.c). */
struct sm_line {
    uint64_t *turns;
    uint32_t nleaves; /* a power of two: one for each warp, and more */
};

/* A line in the SM's share of L2, and the lines that have been there: entries of hash tables. */
struct l2_line {
    uint32_t line; /* 0: an empty place */
    uint8_t sectors;
};

/* A line in L1: its number, the sectors that are there, and when the last of them came or will come. */
struct l1_line {
    uint32_t line;
    uint8_t sectors;
    uint64_t ready;
};

struct sm {
    const struct sm_job *job;
    struct sm_run *run;
    struct unit parted[SM_PARTED][SM_MAX_PARTS];
    struct unit units[SM_RESOURCES];
    uint64_t interval[OP_CLASSES], latency[OP_CLASSES];
    uint64_t l1_pass, l2_read, l2_write, dram_sector, turn, float_turn;
    uint64_t l1_clock, shared_clock, const_clock, texture_clock; /* of a pass, a word, a fetch */
    uint64_t read_credit, write_credit,
        local_credit;        /* sectors that DRAM and L2 still have to serve, in TICKS */
    uint32_t segment;        /* of the warp that issues */
    struct unit tags;        /* of L1: who asks for what it has not got keeps them longer */
    uint64_t served;         /* when the latest access came to its pipe */
    uint64_t held;           /* until when it keeps its warp, if it is a loop */
    uint64_t extra[4];       /* by the number of an operation's sources: slots that it loses for them */
    uint64_t block_interval; /* between starts of blocks, when all SMs start some */
    uint64_t launcher;       /* when the next block can be started */
    struct l1_line *l1;      /* sets of L1_WAYS, the latest used first */
    uint32_t l1_sets;
    struct l2_line *l2; /* sets of L2_WAYS, the latest used first */
    uint32_t l2_sets;
    struct l2_line *seen; /* whatever has been in L2 */
    uint32_t nseen;
    struct sm_block *blocks;
    struct sm_warp *warps;
    struct sm_line ready;         /* warps that can issue, by time */
    uint64_t taken[L1_QUEUE_MAX]; /* when L1's pipe took the last accesses from its queue, in a ring */
    uint32_t ntaken;
    struct sm_line queue; /* warps that wait until there is room in it, by age */
    uint32_t started, finished;
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return larger_of(a, b);
}

/* Ticks for some bytes at a rate in bytes per clock; at least one. */
static inline uint64_t sm_ticks(double bytes, double per_clock)
{
    const double ticks = bytes * TICKS / per_clock;
    return ticks < 1 ? 1 : (uint64_t)(ticks + 0.5);
}

/* Waits in line for a unit; gives the time at which the service begins. Inline: every operation comes here. */
static inline uint64_t sm_take(struct sm *sm, struct unit *unit, enum sm_resource resource, uint64_t at,
                               uint64_t duration)
{
    if (sm->job->without >> resource & 1)
        return at;
    const uint64_t start = later(at, unit->free);
    unit->free = start + duration;
    unit->busy += duration;
    sm->run->segments[sm->segment].busy[resource] += duration;
    return start;
}

/* The warp spends time on an instruction, from some time on. */
static inline void sm_spend(const struct sm *sm, const struct sm_warp *warp, uint32_t id, uint8_t on,
                            uint64_t from, uint64_t ticks)
{
    if (id >= sm->job->nids)
        return;
    sm->run->spent[id][on] += (double)ticks;
    timeline_note(sm->run->timeline, (uint32_t)(warp - sm->warps), on, from, ticks);
}

static inline uint32_t sm_id(const struct sm_warp *warp, const struct op *op)
{
    return warp->code[op->insn].id;
}

/* The part of an instruction's operations that a changed kernel would still have. */
static inline uint64_t sm_kept(const struct sm *sm, const struct sm_warp *warp, const struct op *op,
                               uint64_t ticks)
{
    const struct sm_change *change = sm->job->change;
    return change && sm_id(warp, op) < change->nkept
               ? (uint64_t)((double)ticks * change->kept[sm_id(warp, op)])
               : ticks;
}

/* sm_follow.c: the operations with which the warp's record goes on. False: the record is over. */
bool sm_follow(const struct sm *sm, struct sm_warp *warp);
/* A warp issues guarded code even if no lane of it goes there. True: the warp comes to some now, and its operations are next. */
bool sm_pass(const struct sm *sm, struct sm_warp *warp);
/* Leaves out operations of the segment whose instructions this part of the record does not have. */
void sm_skip(struct sm_warp *warp);
/* The cost of an access, with those of the instructions that were merged into it. */
struct access_cost sm_cost(const struct sm_warp *warp, const struct op *op);

/* sm_memory.c: rates and L1. False: no memory. */
bool sm_memory_begin(struct sm *sm);
void sm_memory_end(struct sm *sm);
/* An access that is issued now; gives the time at which its result is there. */
uint64_t sm_access(struct sm *sm, struct sm_warp *warp, const struct op *op, uint64_t at);
/* A register that ptxas keeps in local memory is stored and loaded again. */
void sm_spill(struct sm *sm, struct sm_warp *warp, uint64_t at);

#endif
