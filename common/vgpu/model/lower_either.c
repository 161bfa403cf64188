/* lower_either.c - what two units can do alike goes to the one that has less to do.
 * A move, the sum of two registers, a negation and a shift to the left are additions to the one and products with a power
 * of two to the other. ptxas keeps the two in balance over a whole function: one full of floats has IADD3 and MOV, one
 * full of comparisons and logic has IMAD.IADD and IMAD.MOV. (In 400 functions' machine code this tells the number of
 * those that are products to 12 % of them all; a balance for each piece by itself to 18 %.) */
#include "model/lower_internal.h"

/* Operations of a function. */
struct balance {
    uint32_t integers; /* the integer unit's */
    uint32_t products; /* the multiplier's, which multiplies floats too */
    uint32_t either, seen;
};

static void add_step(struct balance *balance, const struct recipe_step *step)
{
    switch (step->class) {
    case OP_ALU:
    case OP_VOTE:
        balance->integers += step->count;
        break;
    case OP_FP32:
    case OP_IMAD:
    case OP_IMAD_WIDE:
        balance->products += step->count;
        break;
    case OP_EITHER:
        balance->either += step->count;
        break;
    default:
        break;
    }
}

static struct balance weigh(const struct lowering *low)
{
    struct balance balance = {0};
    for (uint32_t i = 0; i < low->function->ncode; i++)
        for (const struct recipe_step *step = low->nodes[i].steps; step->count; step++)
            if (node_is_issued(&low->nodes[i]))
                add_step(&balance, step);
    return balance;
}

/* Of the first n that either unit can do, those that become products: the same part everywhere. (What is not issued is
 * decided too, so that nobody finds it open.) */
static uint32_t products_among(const struct balance *balance, uint32_t n)
{
    const int64_t more = (int64_t)balance->integers - balance->products + balance->either;
    const int64_t wanted = more <= 0 ? 0 : more / 2 < balance->either ? more / 2 : balance->either;
    return balance->either ? (uint32_t)((uint64_t)wanted * n / balance->either) : 0;
}

/* The operations of a step stay together. */
static void decide(struct balance *balance, struct recipe_step *step)
{
    const uint32_t before = products_among(balance, balance->seen);
    balance->seen += step->count;
    const uint32_t products = products_among(balance, balance->seen) - before;
    step->class = 2 * products >= step->count ? OP_IMAD : OP_ALU;
}

void lower_either(struct lowering *low)
{
    struct balance balance = weigh(low);
    for (uint32_t i = 0; i < low->function->ncode; i++)
        for (struct recipe_step *step = low->nodes[i].steps; step->count; step++)
            if (step->class == OP_EITHER)
                decide(&balance, step);
}
