/* generators.c - XORWOW with its jumps, and Philox.
 * XORWOW's five words are shifted and mixed by exclusive or alone, so a step is a 160 by 160 matrix of bits, and a jump is
 * a power of it. A sixth word counts up; it repeats after 2^32 steps. */
#include "generators.h"

#include <stdbool.h>
#include <string.h>

enum { XORWOW_BITS = 32 * XORWOW_WORDS, SEQUENCE_LOG2 = 67 };

/* ------------------------------------------------------------------------------------------- XORWOW */

struct bits {
    uint32_t word[XORWOW_WORDS];
};

struct matrix {
    struct bits column[XORWOW_BITS]; /* the image of each single bit */
};

static struct bits step_bits(struct bits v)
{
    struct xorwow state = {.count = 0};
    memcpy(state.mixed, v.word, sizeof v.word);
    xorwow_next(&state);
    memcpy(v.word, state.mixed, sizeof v.word);
    return v;
}

static struct bits matrix_apply(const struct matrix *matrix, struct bits v)
{
    struct bits sum = {{0}};
    for (int i = 0; i < XORWOW_BITS; i++) {
        uint32_t mask = 0u - (v.word[i / 32] >> i % 32 & 1u);
        for (int w = 0; w < XORWOW_WORDS; w++)
            sum.word[w] ^= matrix->column[i].word[w] & mask;
    }
    return sum;
}

static void matrix_square(struct matrix *matrix)
{
    const struct matrix old = *matrix;
    for (int i = 0; i < XORWOW_BITS; i++)
        matrix->column[i] = matrix_apply(&old, old.column[i]);
}

static struct matrix make_jump(int log2_steps)
{
    struct matrix jump;
    for (int i = 0; i < XORWOW_BITS; i++) {
        struct bits one = {{0}};
        one.word[i / 32] = 1u << i % 32;
        jump.column[i] = step_bits(one);
    }
    for (int i = 0; i < log2_steps; i++)
        matrix_square(&jump);
    return jump;
}

static void jump_by(struct xorwow *state, const struct matrix *jump)
{
    struct bits mixed;
    memcpy(&mixed, state->mixed, sizeof mixed);
    mixed = matrix_apply(jump, mixed);
    memcpy(state->mixed, &mixed, sizeof mixed);
}

void xorwow_jump(struct xorwow *state, int log2_steps)
{
    struct matrix jump = make_jump(log2_steps);
    jump_by(state, &jump);
    state->count += log2_steps < 32 ? (uint32_t)XORWOW_COUNT << log2_steps : 0;
}

/* Its matrix is made once: it never changes. */
void xorwow_next_sequence(struct xorwow *state)
{
    static struct matrix jump;
    static bool is_made;
    if (!is_made)
        jump = make_jump(SEQUENCE_LOG2);
    is_made = true;
    jump_by(state, &jump);
}

/* Squaring the matrix of one sequence gives that of 2, 4, 8. */
struct xorwow xorwow_sequence(uint64_t seed, uint64_t sequence)
{
    struct xorwow state = xorwow_start(seed);
    struct matrix jump;
    if (sequence)
        jump = make_jump(SEQUENCE_LOG2);
    for (; sequence; sequence >>= 1) {
        if (sequence & 1)
            jump_by(&state, &jump);
        matrix_square(&jump);
    }
    return state;
}

/* Marsaglia's start values, changed by both halves of the seed, as cuRAND does it. */
struct xorwow xorwow_start(uint64_t seed)
{
    uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    return (struct xorwow){
        {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
        6615241u + low + high,
    };
}

/* ------------------------------------------------------------------------------------------- Philox */

enum { PHILOX_ROUNDS = 10 };
#define PHILOX_KEY0 0x9e3779b9u
#define PHILOX_KEY1 0xbb67ae85u

static struct philox_block philox_round(struct philox_block c, uint32_t key0, uint32_t key1)
{
    uint64_t a = 0xd2511f53ull * c.word[0], b = 0xcd9e8d57ull * c.word[2];
    return (struct philox_block){{(uint32_t)(b >> 32) ^ c.word[1] ^ key0, (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ c.word[3] ^ key1, (uint32_t)a}};
}

struct philox_block philox(struct philox_block counter, uint64_t key)
{
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        counter = philox_round(counter, key0, key1);
        key0 += PHILOX_KEY0;
        key1 += PHILOX_KEY1;
    }
    return counter;
}

struct philox_block philox_output(uint64_t seed, uint64_t q)
{
    return philox((struct philox_block){{(uint32_t)q, (uint32_t)(q >> 32), 0, 0}}, seed);
}

static void round_lanes(struct philox_lanes *c, uint32_t key0, uint32_t key1)
{
    for (int i = 0; i < PHILOX_LANES; i++) {
        struct philox_block one = {{c->word[0][i], c->word[1][i], c->word[2][i], c->word[3][i]}};
        one = philox_round(one, key0, key1);
        for (int w = 0; w < 4; w++)
            c->word[w][i] = one.word[w];
    }
}

void philox_outputs(uint64_t seed, uint64_t q, struct philox_lanes *out)
{
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (uint32_t i = 0; i < PHILOX_LANES; i++) {
        out->word[0][i] = (uint32_t)(q + i);
        out->word[1][i] = (uint32_t)((q + i) >> 32);
        out->word[2][i] = out->word[3][i] = 0;
    }
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        round_lanes(out, key0, key1);
        key0 += PHILOX_KEY0;
        key1 += PHILOX_KEY1;
    }
}
