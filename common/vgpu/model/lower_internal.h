/* lower_internal.h - shared by the files of lower.h: nodes, the table of recipes, and the passes over them.
 * A node is a PTX instruction on its way to machine operations; nodes are parallel to function->code.
 * Registers here are those of the PTX, which are nearly in SSA form, not the machine's slots. */
#ifndef VGPU_LOWER_INTERNAL_H
#define VGPU_LOWER_INTERNAL_H

#include "decode/decode.h"
#include "model/lower.h"

/* What an instruction can merge with. */
enum shape {
    SHAPE_PLAIN,
    SHAPE_COPY,     /* costs nothing; whoever reads the copy waits for the original */
    SHAPE_MOVE,     /* mov: a copy, a constant, or a special register */
    SHAPE_SIGN,     /* sign extension to 64 bits */
    SHAPE_ADD,      /* takes in shifts, products and another addition */
    SHAPE_SHIFT,    /* shl */
    SHAPE_RIGHT,    /* shr */
    SHAPE_PRODUCT,  /* mul.lo */
    SHAPE_WIDE,     /* mul.wide */
    SHAPE_HIGH,     /* mul.hi */
    SHAPE_EXTREME,  /* min, max: takes in an addition */
    SHAPE_LOGIC,    /* and, or, xor: takes in another one */
    SHAPE_COMPARE,  /* setp */
    SHAPE_JUNCTION, /* and.pred, or.pred: a comparison can do it on the way */
    SHAPE_CONSTANT, /* ld.param, ld.const: from the constant bank */
    SHAPE_MEMORY,
    SHAPE_BRANCH
};

enum { RECIPE_STEPS = 5 };

/* Operations that follow each other; the table ends with count 0. */
struct recipe_step {
    uint8_t class, count, chain;
};

struct recipe {
    const char *word; /* the first of the opcode */
    const char *part; /* one that must be there too; NULL: any */
    char from, to; /* letters of the last and the first type; 0: any. i: integers up to 32 bits; l: 64 bits;
                         f, d: floats; h: halves; p: predicates. */
    uint8_t shape;
    struct recipe_step steps[RECIPE_STEPS];
};

/* The first row that fits; never NULL. */
const struct recipe *recipe_find(const struct opcode *opcode, char *from, char *to);

enum { NODE_DEFS = 4, NODE_USES = 8 };

struct node {
    const struct recipe *recipe;         /* NULL: nothing is issued for this instruction */
    char from, to;                       /* letters of its types */
    bool is_unsigned;                    /* a shift or product of unsigned numbers */
    bool is_equality;                    /* a comparison for being equal, or not */
    bool is_float_atomic, can_aggregate; /* atomics: on floats; whose operands can be combined before */
    bool is_loop;                        /* one of compare-and-swap, on shared memory */
    uint8_t nabsorbed;                   /* readers that have taken its work over */
    bool
        is_gone; /* nothing is issued for it: a copy, or work that its readers do; they wait for what it reads */
    bool is_merged;   /* part of another node's access */
    bool has_partner; /* it has taken in another instruction already */
    uint8_t ndefs, nuses;
    uint16_t def[NODE_DEFS], use[NODE_USES];
    uint16_t guard;   /* NO_REGISTER: none */
    bool has_literal; /* one source is a literal: its value */
    int64_t literal;
    struct recipe_step steps[RECIPE_STEPS + 1]; /* what is issued in the end */
    /* memory */
    uint8_t access;     /* class of the access */
    uint16_t base;      /* register of the address; NO_REGISTER: a fixed address, of the symbol */
    const void *symbol; /* a variable, or a name */
    int64_t offset;
    uint16_t place; /* the number of its access in the segment */
    uint16_t merged[OP_MERGED];
    bool is_aggregated;
};

/* Something is issued for it. */
static inline bool node_is_issued(const struct node *node)
{
    return node->recipe && !node->is_gone && !node->is_merged;
}

/* A register of the function. */
struct reg {
    uint32_t ndefs, nuses;
    uint32_t sums;   /* uses by additions of its own size */
    uint32_t bases;  /* uses as an address */
    uint32_t stored; /* uses as a value that goes to memory */
    uint32_t def;    /* index in the code of its last definition */
    uint16_t name;   /* its number in operations: a register that is only copied to another has the other's */
    bool is_varying; /* the lanes of a warp may differ */
    bool is_loaded;  /* by its number in operations: it comes from global memory or a texture */
    bool is_own; /* even lanes on the same way may differ: it comes from the lane's number or from memory */
};

struct lowering {
    const struct function *function;
    struct lowered *out;
    struct node *nodes;
    struct reg *regs;
    uint32_t nregs;
    uint32_t nnames;  /* registers, then those between the steps of a recipe */
    size_t capacity;  /* of out->ops */
    uint8_t prologue; /* operations at the beginning of a kernel */
    /* by segment, a bit for each register that is wanted at its begin and at its end: so many words each; 0: not known */
    uint64_t *live_in, *live_out;
    uint32_t live_words;
};

/* The passes, in this order. */
bool lower_segments(struct lowering *low); /* lower_segments.c */
bool lower_read(struct lowering *low);     /* lower_read.c: nodes and registers from PTX */
bool lower_varying(struct lowering *low);  /* lower_uniform.c: what lanes have in common */
void lower_merge(struct lowering *low);    /* lower_merge.c: instructions that become one */
void lower_vectors(struct lowering *low);  /* lower_vectors.c: neighbouring accesses */
void lower_once(struct lowering *low);     /* lower_once.c: what is read once */
void lower_uniform(struct lowering *low);  /* lower_uniform.c: what is done once for the warp */
void lower_flow(struct lowering *low);     /* lower_flow.c: branches */
void lower_either(struct lowering *low);   /* lower_either.c: which of two units does it */
/* lower_unroll.c: a segment that is a short counted loop gets operations for several executions. */
bool lower_unroll(struct lowering *low, struct segment *segment);
/* lower_predicates.c: comparisons that are done again, among the operations of a segment, which begin at the first. */
bool lower_predicates(struct lowering *low, uint32_t first);
/* lower_live.c: live_in and live_out, from the operations of all segments; a register in one of them. */
bool lower_live(struct lowering *low);
bool lower_is_live(const struct lowering *low, const uint64_t *sets, uint32_t segment, uint16_t name);
/* lower_order.c: marks the registers that are loaded from far away. */
void lower_loads(struct lowering *low);
/* lower_order.c: puts the operations of a segment into the order of issue. */
bool lower_order(const struct lowering *low, struct segment *segment);

/* lower_emit.c: an empty operation at the end (NULL: no memory); those of one instruction (false: no memory); a register
 * that nobody else knows. */
struct op *lower_new_op(struct lowering *low);
bool lower_append(struct lowering *low, uint32_t i);
uint16_t lower_new_name(struct lowering *low);
/* True if the lanes of a warp may go different ways at this branch. */
bool lower_parts(const struct lowering *low, uint32_t i);
/* Helpers of lower_merge.c. The node that alone defines a register; NULL: there are several, or none. */
struct node *lower_definition(const struct lowering *low, uint16_t reg);
/* The registers that must be there before the node can be issued; of an instruction that is gone, those that it reads.
 * Returns how many. */
uint32_t lower_uses(const struct lowering *low, const struct node *node, uint16_t use[], uint32_t limit);

#endif
