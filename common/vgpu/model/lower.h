/* lower.h - what ptxas makes of a function, roughly: machine operations in the order in which a warp issues them.
 * PTX is what a kernel says, not what a GPU issues: address arithmetic merges into loads, parameters are operands, a
 * division is a subroutine, and loads of a straight piece of code come first. lower.c knows this, from tables.
 * It knows no GPU: rates and latencies of a class are the profile's, and what an access costs is the recorder's. */
#ifndef VGPU_LOWER_H
#define VGPU_LOWER_H

#include "core/machine.h"

/* Which unit an operation takes. Rates and latencies by GPU: sm.c. */
enum op_class {
    OP_FP32,      /* add, multiply, fma of floats */
    OP_ALU,       /* 32-bit integer add, logic, shift, compare, select, min/max, moves that are needed */
    OP_IMAD,      /* 32-bit multiply-add */
    OP_IMAD_WIDE, /* 32 x 32 -> 64 bits, also the high half */
    OP_FP64,
    OP_FP16, /* half2 at a time */
    OP_SFU, /* rcp, rsqrt, sin, ex2, lg2; conversions between int and float, popc, ... : the quarter-rate unit */
    OP_CVT64,   /* conversions to and from 64-bit types, which are slower still */
    OP_SHUFFLE, /* shfl */
    OP_VOTE,    /* vote, match, redux, activemask */
    OP_UNIFORM, /* one for the warp: S2R, uniform datapath */
    OP_BRANCH,
    OP_JUMP,    /* to an address in a register: a call through a pointer */
    OP_BARRIER, /* of the block */
    OP_FENCE,
    /* what these cost is recorded for each execution: */
    OP_GLOBAL, /* load, store or atomic; also cp.async */
    OP_SHARED,
    OP_LOCAL,
    OP_CONST, /* indexed loads; a constant at a fixed address is an operand and costs nothing */
    OP_TEXTURE,
    OP_CLASSES,
    OP_EITHER =
        OP_CLASSES /* integer unit or multiplier; no operation in the end: lower_either.c has decided */
};

/* A guard comes so many clocks after the result of its comparison: ptxas leaves 13 clocks in all. */
enum { GUARD_CLOCKS = 9 };

enum { OP_DEFS = 4, OP_USES = 6, OP_MERGED = 3, NO_REGISTER = 0xffff, NO_PLACE = 0xffff };

/* What an operation has to do with asynchronous copies. */
enum op_copy {
    COPY_NONE,
    COPY_START,
    COPY_COMMIT, /* what was started since the last one is a group */
    COPY_WAIT    /* for all groups but the last `behind` */
};

struct op {
    uint32_t insn;         /* the index in function->code of the instruction it comes from */
    uint8_t class;         /* enum op_class */
    uint8_t count;         /* issued so many times */
    uint8_t chain;         /* of these, so many wait for each other: the result comes after chain latencies */
    uint8_t is_store;      /* memory: nothing is read back */
    uint16_t def[OP_DEFS]; /* registers it writes, NO_REGISTER at the end; numbers of this function's own */
    uint16_t use[OP_USES]; /* registers it waits for; of a value that was only copied, the original */
    uint16_t guard;        /* the one of them that says which lanes do it; NO_REGISTER: all */
    uint16_t
        memory; /* the number of its access in the segment, of those whose cost is recorded; NO_PLACE: none */
    /* memory: places of further instructions that ptxas merges into this access, so that neighbouring scalar accesses
     * become one vector access; NO_PLACE at the end */
    uint16_t merged[OP_MERGED];
    uint8_t copy, behind; /* enum op_copy */
    uint8_t is_float;     /* atomics: on floating-point numbers */
    uint8_t is_loop;      /* atomics on shared memory that are a loop of compare-and-swap */
    uint8_t
        is_aggregated; /* atomics: the lanes combine their operands in registers, then one of them goes to memory */
};

static inline bool op_is_branch(const struct op *op)
{
    return op->class == OP_BRANCH || op->class == OP_JUMP;
}

/* A straight piece of code: entered at its first instruction, left after its last. */
struct segment {
    uint32_t first_insn, ninsns; /* in function->code, with JOINs and what decode inserted */
    uint32_t first_op, nops;     /* in issue order */
    uint32_t nmemory;            /* instructions whose cost is recorded: record_has_cost() */
    bool is_guarded;             /* the branch around it is gone: its operations have a guard instead */
    bool
        is_mixed; /* it is guarded, or ends in such a branch: ptxas mixes its operations with those that follow */
    /* A short counted loop: so many executions in a row are issued as these operations instead; 0: no such loop. The
     * accesses of the k-th execution have numbers from k * nmemory on. */
    uint32_t unroll, first_unrolled, nunrolled;
};

struct lowered {
    struct segment *segments;
    uint32_t nsegments;
    uint32_t *segment_of; /* by index in function->code */
    struct op *ops;
    uint32_t nops; /* of the segments; those of unrolled loops follow */
    uint32_t nregisters;
};

/* NULL: no memory. The function has been decoded. */
struct lowered *lower_function(const struct function *function);
void lower_free(struct lowered *lowered);

#endif
