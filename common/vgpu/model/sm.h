/* sm.h - one SM, simulated: blocks that were recorded run through it, resident ones side by side.
 * Warps issue in order, one instruction per scheduler and clock; an operation waits for its operands and its unit; an
 * access waits for its turn at L1, at L2 and at DRAM, of which the SM has a fair share. Times are whole numbers (parts
 * of a clock), so that they are the same on every machine.
 * It knows nothing of grids, waves and tails: that is model.c's business. */
#ifndef VGPU_SM_H
#define VGPU_SM_H

#include "core/gpu.h"
#include "model/program.h"
#include "model/timeline.h"

/* What an SM can run out of. The first ones are units of a scheduler; the others are the SM's. */
enum sm_resource {
    SM_ISSUE,
    SM_FP32,
    SM_INT,
    SM_IMUL,
    SM_FP64,
    SM_FP16,
    SM_SFU,
    SM_PARTED, /* the resources before it exist once per scheduler */
    SM_SHUFFLE = SM_PARTED,
    SM_SHARED, /* wavefronts */
    SM_L1,     /* lines and sectors of global and local memory */
    SM_CONST,
    SM_TEXTURE,
    SM_BARRIER,
    SM_JUMP, /* to addresses in registers */
    SM_L2,
    SM_DRAM,
    SM_ATOMIC, /* turns of the hottest slice of L2, GPU-wide */
    SM_RESOURCES
};

/* What warps wait for when they do not issue. */
enum sm_wait {
    WAIT_ALU,     /* an operand that is being computed */
    WAIT_SHARED,  /* an operand from shared memory, or from another lane */
    WAIT_MEMORY,  /* an operand from global, local, constant or texture memory */
    WAIT_BARRIER, /* the rest of the block */
    WAIT_START,   /* the block is being started */
    WAIT_UNIT,    /* a unit or a queue is taken */
    SM_WAITS,
    SPENT_ISSUING = SM_WAITS, /* beside waits: the warp issues */
    SM_SPENT
};

/* What a kernel would be like that were changed. Units of schedulers follow from `kept`; memory is told by `left`. */
struct sm_change {
    double left
        [SM_RESOURCES]; /* parts of what accesses take of L1, shared, constant and texture memory, L2, DRAM, atomics */
    const float
        *kept; /* by insn->id: the part of its machine operations that stays; of those from nkept on, all */
    uint32_t nkept;
    uint32_t
        memory_overlap; /* so many latencies of memory, and of arithmetic, pass at a time where one does now */
    uint32_t compute_overlap;
    bool is_without_barriers; /* no warp waits for the others of its block */
    bool is_without_starts;   /* blocks start in no time */
};

struct sm_job {
    const struct gpu *gpu;
    const struct program *program;
    struct block_record *const *blocks; /* recorded ones, taken in turn */
    uint32_t nblocks;
    uint32_t resident;              /* blocks side by side */
    uint32_t total;                 /* blocks in all */
    uint32_t sms;                   /* that share L2 and DRAM */
    double dram_reads, dram_writes; /* parts of the sectors to and from L2 that L2 does not keep */
    double write_share;             /* of DRAM traffic */
    bool fits_l2;                   /* all that the launch uses does: nothing has to make room */
    double random;                  /* part of DRAM traffic that goes to places without a pattern */
    double scatter;                 /* part of DRAM traffic for which a page serves one line */
    double fills; /* part of the written sectors that DRAM must read first, since they are not whole */
    double hot_slice, hot_sector; /* parts of the atomics' turns that are of one slice of L2, of one sector */
    uint32_t registers;           /* of a thread */
    uint32_t l1_bytes;            /* that shared memory leaves */
    uint32_t local_words;         /* of a thread's local memory */
    double local_misses, local_dram;  /* parts of local memory's sectors that L1, and then L2, cannot keep */
    double spill_loads, spill_stores; /* of registers, per machine instruction */
    uint32_t without;                 /* bit of a resource: as if there were no end of it */
    bool is_prompt;                   /* as if nothing had a latency */
    const struct sm_change *change;   /* as if the kernel were another one; NULL: as it is */
    uint32_t most_places;             /* of a warp's record; 0: all */
    uint32_t nids; /* one more than the highest insn->id, if it is wanted what time is spent on; else 0 */
};

struct sm_run {
    uint64_t *done; /* clocks at which the first, second, ... block was done: total of them */
    struct {
        double clocks;             /* of warps */
        double busy[SM_RESOURCES]; /* clocks of the SM's units; of one among those of its schedulers */
        double lost[SM_PARTED];    /* of them, those in which a unit waited for operands from the registers */
        double executions;
        double issued;          /* machine instructions */
    } * segments;               /* of the program */
    double busy[SM_RESOURCES];  /* part of the time, 0 to 1 */
    double slots;               /* the same of the slots for instructions, with those that were lost */
    double waits[SM_WAITS];     /* clocks, summed over warps */
    uint64_t looked_up, missed; /* sectors of loads of global memory: in L1, and those that it did not have */
    double warp_clocks;         /* clocks, summed over warps, that they were there */
    /* By insn->id: clocks of warps that wait for what the instruction makes, for its turn, or issue it. NULL: not wanted. */
    double (*spent)[SM_SPENT];
    struct timeline *timeline; /* the same by time, by enum sm_wait, in TICKS; NULL: not wanted */
};

/* False: no memory. */
bool sm_simulate(struct sm_run *run, const struct sm_job *job);
void sm_run_free(struct sm_run *run);

#endif
