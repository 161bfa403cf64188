/* alike_rank.c - pairs that are alike, the groups that they make, and the places that a pair shares: see alike.h. */
#include "grader/course/alike.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- pairs */

static int by_likeness(const void *a, const void *b)
{
    const struct alike_pair *one = a, *other = b;
    if (one->is_short != other->is_short)
        return one->is_short ? 1 : -1;
    if (one->percent != other->percent)
        return other->percent - one->percent;
    if (one->common != other->common)
        return one->common < other->common ? 1 : -1;
    return one->a != other->a ? (one->a > other->a ? 1 : -1) : (one->b > other->b) - (one->b < other->b);
}

int alike_needed(const struct alike_pair *pair)
{
    const long little = ALIKE_MUCH / 2, above = pair->own - little;
    if (pair->is_short || above >= little)
        return ALIKE_PART;
    return ALIKE_MOSTLY - (int)(above > 0 ? above * (ALIKE_MOSTLY - ALIKE_PART) / little : 0);
}

/* One kernel can be the solution's by chance: who has its text has more of it, the more the less it is all that he has. */
static bool is_alike(const struct alike_text *texts, const struct alike_pair *pair, int least)
{
    const struct alike_text *a = &texts[pair->a], *b = &texts[pair->b];
    const size_t part = pair->percent >= ALIKE_NEARLY ? 4 : 2;
    return pair->percent >= (least ? least : alike_needed(pair)) &&
           (!a->is_solution || (size_t)pair->common * part >= a->own) &&
           (!b->is_solution || (size_t)pair->common * part >= b->own);
}

struct alike_pair *alike_rank(struct alike_text *texts, size_t ntexts, int least, size_t *count)
{
    size_t room = 64;
    struct alike_pair *pairs = calloc(room, sizeof *pairs);
    *count = 0;
    for (uint32_t a = 0; a < ntexts && pairs; a++) {
        for (uint32_t b = a + 1; b < ntexts && pairs; b++) {
            const struct alike_pair pair = alike_compare(texts, a, b, false);
            if (!is_alike(texts, &pair, least))
                continue;
            if (*count == room) {
                struct alike_pair *more = realloc(pairs, 2 * room * sizeof *pairs);
                room *= 2;
                if (!more)
                    free(pairs);
                pairs = more;
            }
            if (pairs)
                pairs[(*count)++] = pair;
        }
    }
    if (pairs)
        qsort(pairs, *count, sizeof *pairs, by_likeness);
    return pairs;
}

/* ------------------------------------------------------------------------------------------- groups */

static int by_size(const void *a, const void *b)
{
    const struct alike_group *one = a, *other = b;
    if (one->strongest->is_short != other->strongest->is_short)
        return one->strongest->is_short ? 1 : -1;
    if (one->nmembers != other->nmembers)
        return one->nmembers < other->nmembers ? 1 : -1;
    return (one->strongest > other->strongest) - (one->strongest < other->strongest); /* sorted */
}

/* The group of texts that have `first` as the first of theirs. */
static void fill_group(const struct alike_text *texts, size_t ntexts, uint32_t *first, uint32_t which,
                       uint32_t *members, struct alike_group *group)
{
    group->members = members;
    for (uint32_t i = 0; i < ntexts; i++) {
        if (alike_first_of(first, i) != which)
            continue;
        group->has_solution |= texts[i].is_solution;
        if (!texts[i].is_solution)
            members[group->nmembers++] = i;
    }
}

/* Pairs come in their order: those of short texts join only what the others have left alone. */
static void join(uint32_t *first, const struct alike_pair *pairs, size_t which)
{
    const struct alike_pair *pair = &pairs[which];
    bool is_free = true;
    for (size_t i = 0; pair->is_short && !pairs[i].is_short; i++)
        is_free = is_free && pairs[i].a != pair->a && pairs[i].b != pair->a && pairs[i].a != pair->b &&
                  pairs[i].b != pair->b;
    if (is_free)
        first[alike_first_of(first, pair->b)] = alike_first_of(first, pair->a);
}

bool alike_group(const struct alike_text *texts, size_t ntexts, const struct alike_pair *pairs, size_t npairs,
                 struct alike_groups *groups)
{
    uint32_t *first = calloc(ntexts + 1, sizeof *first), *next;
    *groups = (struct alike_groups){.list = calloc(ntexts + 1, sizeof *groups->list),
                                    .members = calloc(ntexts + 1, sizeof *groups->members)};
    const bool is_done = first && groups->list && groups->members;
    next = groups->members;
    for (uint32_t i = 0; i < ntexts && is_done; i++)
        first[i] = i;
    for (size_t i = 0; i < npairs && is_done; i++)
        join(first, pairs, i);
    /* The first pair of a group that comes is its strongest. */
    for (size_t i = 0; i < npairs && is_done; i++) {
        const uint32_t which = alike_first_of(first, pairs[i].a);
        size_t k = 0;
        while (k < groups->count && alike_first_of(first, groups->list[k].strongest->a) != which)
            k++;
        if (k < groups->count || which != alike_first_of(first, pairs[i].b))
            continue;
        groups->list[groups->count] = (struct alike_group){.strongest = &pairs[i]};
        fill_group(texts, ntexts, first, which, next, &groups->list[groups->count]);
        next += groups->list[groups->count++].nmembers;
        groups->nshort += pairs[i].is_short;
    }
    if (is_done)
        qsort(groups->list, groups->count, sizeof *groups->list, by_size);
    free(first);
    return is_done;
}

void alike_free_groups(struct alike_groups *groups)
{
    free(groups->list);
    free(groups->members);
    *groups = (struct alike_groups){.count = 0};
}

/* ------------------------------------------------------------------------------------------- places */

/* Where b has the row of tokens that begins at `at` in a: behind `after`, if it is there too. False: nowhere. */
static bool find_place(const struct alike_text *a, const struct alike_text *b, size_t at, size_t after,
                       size_t *place)
{
    const uint64_t hash = alike_hash(a, at);
    size_t low = 0, high = b->ngrams;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (b->grams[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == b->ngrams || b->grams[low].hash != hash)
        return false;
    *place = b->grams[low].at;
    for (; low < b->ngrams && b->grams[low].hash == hash; low++) {
        if (b->grams[low].at >= after) {
            *place = b->grams[low].at;
            break;
        }
    }
    return true;
}

/* First and last line of some tokens. False: none of them is the text's own. */
static bool find_lines(const struct alike_text *text, size_t at, size_t count, uint32_t *from, uint32_t *to)
{
    bool has_own = false;
    for (size_t i = at; i < at + count; i++) {
        const struct alike_token *token = &text->tokens[i];
        if (token->is_known)
            continue;
        *from = !has_own || token->line < *from ? token->line : *from;
        *to = !has_own || token->line > *to ? token->line : *to;
        has_own = true;
    }
    return has_own;
}

static void mark_apart(struct alike_text *text)
{
    for (size_t i = 0; i < text->nlines; i++)
        text->lines[i].is_apart = false;
    for (size_t i = 0; i < text->ntokens; i++) {
        if (!text->tokens[i].is_known && !text->is_shared[i])
            text->lines[text->tokens[i].line].is_apart = true;
    }
}

struct alike_run *alike_find_runs(struct alike_text *texts, const struct alike_pair *pair, size_t *count)
{
    struct alike_text *a = &texts[pair->a], *b = &texts[pair->b];
    struct alike_run *runs = calloc(a->ntokens / ALIKE_GRAM + 1, sizeof *runs);
    *count = 0;
    alike_compare(texts, pair->a, pair->b, true);
    mark_apart(a);
    mark_apart(b);
    for (size_t at = 0, place = 0, length; runs && at < a->ngrams; at += length) {
        struct alike_run run;
        length = 1;
        if (!find_place(a, b, at, place, &place))
            continue;
        while (at + length < a->ntokens && place + length < b->ntokens &&
               a->tokens[at + length].kind == b->tokens[place + length].kind)
            length++;
        if (length >= ALIKE_GRAM && find_lines(a, at, length, &run.a_from, &run.a_to) &&
            find_lines(b, place, length, &run.b_from, &run.b_to))
            runs[(*count)++] = run;
        place += length;
    }
    return runs;
}
