/* seed.c - words of a recording that follow the seed which the entry point was given.
 * One call is recorded under two seeds. What differs between the recordings follows from the seed: if it is the seed itself
 * with something added, it can be said for any other seed; if not, it is something that host code computed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/build.h"

uint32_t trace_word_bytes(const struct trace_place *place)
{
    const bool is_half = place->index == TRACE_LOW_PLUS || place->index == TRACE_LOW_XOR;
    return place->space == TRACE_SEED && is_half ? 4 : 8;
}

uint64_t trace_seed_word(const struct trace_place *place, uint64_t seed)
{
    const bool is_sum = place->index == TRACE_SEED_PLUS || place->index == TRACE_LOW_PLUS;
    const uint64_t word = is_sum ? seed + place->offset : seed ^ place->offset;
    return trace_word_bytes(place) == 4 ? (uint32_t)word : word;
}

/* ------------------------------------------------------------------------------------------- one word */

/* The same data twice, under two seeds. */
struct pair {
    struct trace_op *op;
    const struct trace_op *other;
    uint64_t seed, other_seed;
};

static uint64_t word_at(const struct trace_op *op, uint64_t at, uint32_t bytes)
{
    uint64_t word = 0;
    for (uint32_t i = bytes; i-- > 0;)
        word = word << 8 | op->data[at + i];
    return word;
}

/* True if the words at `at` follow the seed in this form. */
static bool is_form(const struct pair *pair, uint64_t at, enum trace_seed form, struct trace_place *place)
{
    *place = (struct trace_place){TRACE_SEED, form, 0};
    const uint32_t bytes = trace_word_bytes(place);
    if (at % bytes || at + bytes > pair->op->size)
        return false;
    const uint64_t word = word_at(pair->op, at, bytes);
    const bool is_sum = form == TRACE_SEED_PLUS || form == TRACE_LOW_PLUS;
    place->offset = is_sum ? word - pair->seed : word ^ pair->seed;
    if (bytes == 4)
        place->offset = (uint32_t)place->offset;
    return trace_seed_word(place, pair->other_seed) == word_at(pair->other, at, bytes);
}

/* An argument of eight bytes is one number. Elsewhere two halves are more likely than one word, and a half that follows the
 * seed does so in both readings unless it runs over. */
static bool is_long_argument(const struct trace_op *op, uint64_t at)
{
    for (uint32_t i = 0; i < op->narguments; i++)
        if (op->arguments[i].offset == at && op->arguments[i].size == sizeof(uint64_t))
            return true;
    return false;
}

/* at: of a byte that differs. *word: where the word begins that it belongs to. */
static bool find_form(const struct pair *pair, uint64_t at, uint64_t *word, struct trace_place *place)
{
    static const enum trace_seed forms[2][TRACE_SEED_FORMS] = {
        {TRACE_LOW_PLUS, TRACE_LOW_XOR, TRACE_SEED_PLUS, TRACE_SEED_XOR},
        {TRACE_SEED_PLUS, TRACE_SEED_XOR, TRACE_LOW_PLUS, TRACE_LOW_XOR}};
    const enum trace_seed *order = forms[is_long_argument(pair->op, at - at % 8)];
    for (int i = 0; i < TRACE_SEED_FORMS; i++) {
        *place = (struct trace_place){TRACE_SEED, order[i], 0};
        *word = at - at % trace_word_bytes(place);
        if (is_form(pair, *word, order[i], place))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------- one operation */

/* In the order of their words, none over another. */
static bool insert(struct trace_op *op, uint64_t at, const struct trace_place *place)
{
    struct trace_relocation *grown = trace_grow(op->relocations, op->nrelocations, 1, sizeof *grown);
    uint32_t i = op->nrelocations;
    if (!grown)
        return false;
    op->relocations = grown;
    for (; i > 0 && grown[i - 1].at > at; i--)
        grown[i] = grown[i - 1];
    grown[i] = (struct trace_relocation){at, *place};
    op->nrelocations++;
    return i == 0 || grown[i - 1].at + trace_word_bytes(&grown[i - 1].place) <= at;
}

/* What pointers point to has been compared; where memory lies is nobody's choice. */
static const struct trace_relocation *pointer_at(const struct trace_op *op, uint64_t at)
{
    for (uint32_t i = 0; i < op->nrelocations; i++)
        if (op->relocations[i].place.space != TRACE_SEED && op->relocations[i].at <= at &&
            at - op->relocations[i].at < 8)
            return &op->relocations[i];
    return NULL;
}

static bool follow_data(const struct pair *pair)
{
    struct trace_op *op = pair->op;
    struct trace_place place;
    uint64_t word;
    for (uint64_t at = 0; at < op->size; at++) {
        if (op->data[at] == pair->other->data[at] || pointer_at(op, at))
            continue;
        if (!find_form(pair, at, &word, &place) || !insert(op, word, &place))
            return false;
        at = word + trace_word_bytes(&place) - 1;
    }
    return true;
}

static bool is_same_place(const struct trace_place *a, const struct trace_place *b)
{
    return a->space == b->space && a->index == b->index && a->offset == b->offset;
}

static bool are_same_pointers(const struct trace_op *a, const struct trace_op *b)
{
    if (a->nrelocations != b->nrelocations)
        return false;
    for (uint32_t i = 0; i < a->nrelocations; i++)
        if (a->relocations[i].at != b->relocations[i].at ||
            !is_same_place(&a->relocations[i].place, &b->relocations[i].place))
            return false;
    return true;
}

/* All but the data's bytes. */
static bool is_same_work(const struct trace_op *a, const struct trace_op *b)
{
    return a->kind == b->kind && a->stream == b->stream && is_same_place(&a->to, &b->to) &&
           is_same_place(&a->from, &b->from) && a->to_pitch == b->to_pitch &&
           a->from_pitch == b->from_pitch && a->width == b->width && a->height == b->height &&
           a->value == b->value && a->name == b->name && !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block) && a->shared == b->shared &&
           a->shared_limit == b->shared_limit && a->is_cooperative == b->is_cooperative &&
           a->is_sync == b->is_sync && a->size == b->size && a->narguments == b->narguments &&
           are_same_pointers(a, b) && !memcmp(&a->texture, &b->texture, sizeof a->texture);
}

/* ------------------------------------------------------------------------------------------- a recording */

static const char other_work[] =
    "With another seed the host code asks for other work: the number of its calls, their sizes or their "
    "kernels differ. The grader replays them with a seed of its own, so none of this may depend on the seed.";
static const char computed[] =
    "The host code computes something from the seed and hands it to the device. The grader replays this with "
    "a seed of its own, so it can carry only the seed itself or its lower 32 bits, with a number added: let "
    "the kernel do the rest.";

static bool refuse(char *why, size_t size, uint32_t *line, const char *words, const struct trace_op *op)
{
    snprintf(why, size, "%s", words);
    *line = op ? op->line : 0;
    return false;
}

bool trace_follow_seed(struct trace_segment *segment, const struct trace_segment *other, uint64_t seed,
                       uint64_t other_seed, char *why, size_t size, uint32_t *line)
{
    for (uint32_t i = 0; i < segment->nops && i < other->nops; i++) {
        const struct pair pair = {&segment->ops[i], &other->ops[i], seed, other_seed};
        if (!is_same_work(pair.op, pair.other))
            return refuse(why, size, line, other_work, pair.op);
        if (!follow_data(&pair))
            return refuse(why, size, line, computed, pair.op);
    }
    return segment->nops == other->nops || refuse(why, size, line, other_work, NULL);
}
