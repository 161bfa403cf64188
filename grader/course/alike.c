/* alike.c - which tokens of submissions say nothing, and how much two texts share: see alike.h. */
#include "grader/course/alike.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- rows of tokens */

static int by_hash(const void *a, const void *b)
{
    const struct alike_gram *one = a, *other = b;
    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return (one->at > other->at) - (one->at < other->at);
}

uint64_t alike_hash(const struct alike_text *text, size_t at)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = at; i < at + ALIKE_GRAM; i++)
        hash = (hash ^ text->tokens[i].kind) * 0x100000001b3u;
    return hash;
}

static bool make_grams(struct alike_text *text)
{
    text->ngrams = text->ntokens >= ALIKE_GRAM ? text->ntokens - ALIKE_GRAM + 1 : 0;
    text->grams = calloc(text->ngrams + 1, sizeof *text->grams);
    text->is_shared = calloc(text->ntokens + 1, sizeof *text->is_shared);
    if (!text->grams || !text->is_shared)
        return false;
    for (uint32_t i = 0; i < text->ngrams; i++)
        text->grams[i] = (struct alike_gram){alike_hash(text, i), i};
    qsort(text->grams, text->ngrams, sizeof *text->grams, by_hash);
    return true;
}

/* Behind the grams that have the same hash. */
static size_t end_of_hash(const struct alike_text *text, size_t from)
{
    size_t end = from;
    while (end < text->ngrams && text->grams[end].hash == text->grams[from].hash)
        end++;
    return end;
}

static void share_grams(struct alike_text *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        memset(text->is_shared + text->grams[i].at, true, ALIKE_GRAM);
}

/* Marks in both what the other one has. */
static void share(struct alike_text *a, struct alike_text *b)
{
    memset(a->is_shared, false, a->ntokens);
    memset(b->is_shared, false, b->ntokens);
    for (size_t i = 0, k = 0; i < a->ngrams && k < b->ngrams;) {
        const uint64_t of_a = a->grams[i].hash, of_b = b->grams[k].hash;
        const size_t a_end = of_a <= of_b ? end_of_hash(a, i) : i,
                     b_end = of_b <= of_a ? end_of_hash(b, k) : k;
        if (of_a == of_b) {
            share_grams(a, i, a_end);
            share_grams(b, k, b_end);
        }
        i = a_end;
        k = b_end;
    }
}

/* ------------------------------------------------------------------------------------------- pairs */

/* Own tokens, and what they count. */
struct sum {
    long own;
    double counts;
};

static struct sum count(const struct alike_text *text, bool is_raw, bool is_of_shared)
{
    const double of_obvious = 0.25;
    struct sum sum = {0, 0};
    for (size_t i = 0; i < text->ntokens; i++) {
        const struct alike_token *token = &text->tokens[i];
        if (token->is_known || (is_of_shared && !text->is_shared[i]))
            continue;
        sum.own++;
        sum.counts += is_raw ? 1 : token->is_common ? 0 : token->is_obvious ? of_obvious : 1;
    }
    return sum;
}

struct alike_pair alike_compare(struct alike_text *texts, uint32_t a, uint32_t b, bool is_raw)
{
    const double least = is_raw ? 1 : ALIKE_LEAST;
    is_raw = is_raw || texts[a].is_solution || texts[b].is_solution;
    share(&texts[a], &texts[b]);
    const struct sum of_a = count(&texts[a], is_raw, true), of_b = count(&texts[b], is_raw, true),
                     all_a = count(&texts[a], is_raw, false), all_b = count(&texts[b], is_raw, false);
    const double shared = of_a.counts < of_b.counts ? of_a.counts : of_b.counts,
                 shorter = all_a.counts < all_b.counts ? all_a.counts : all_b.counts;
    const int percent = (int)(100 * shared / (shorter > least ? shorter : least));
    return (struct alike_pair){.a = a,
                               .b = b,
                               .common = of_a.own < of_b.own ? of_a.own : of_b.own,
                               .percent = percent < 100 ? percent : 100,
                               .own = (long)shorter,
                               .is_short = !is_raw && shared < ALIKE_SHORT};
}

/* ------------------------------------------------------------------------------------------- what says nothing */

/* What a text of the kit's has as well. */
static bool mark_kit(struct alike_text *texts, size_t ntexts, const char *kit, bool is_obvious)
{
    struct alike_text known = {.text = kit};
    const bool is_done = alike_read_tokens(&known) && make_grams(&known);
    for (size_t i = 0; is_done && i < ntexts; i++) {
        share(&texts[i], &known);
        for (size_t k = 0; k < texts[i].ntokens; k++) {
            texts[i].tokens[k].is_known |= !is_obvious && texts[i].is_shared[k];
            texts[i].tokens[k].is_obvious |= is_obvious && texts[i].is_shared[k];
        }
    }
    alike_free(&known, 1);
    return is_done;
}

/* What a text has over and over. */
static void mark_repeats(struct alike_text *text)
{
    for (size_t i = 0, end; i < text->ngrams; i = end) {
        end = end_of_hash(text, i);
        for (size_t k = i; end - i > ALIKE_AGAIN && k < end; k++) {
            for (size_t at = text->grams[k].at; at < text->grams[k].at + ALIKE_GRAM; at++)
                text->tokens[at].is_known = true;
        }
    }
}

uint32_t alike_first_of(uint32_t *first, uint32_t which)
{
    while (first[which] != which)
        which = first[which] = first[first[which]];
    return which;
}

/* Of a short file much can be the same by chance, and of a long one only little. */
static bool is_whole(struct alike_text *texts, uint32_t a, uint32_t b)
{
    const struct alike_pair pair = alike_compare(texts, a, b, true);
    return pair.percent >= (pair.common >= ALIKE_LONG ? ALIKE_WHOLE_LONG : ALIKE_WHOLE);
}

/* Texts that share nearly all that the shorter one has: each gets the same number, that of one of them. */
static void find_wholes(struct alike_text *texts, size_t ntexts, uint32_t *whole)
{
    for (uint32_t i = 0; i < ntexts; i++)
        whole[i] = i;
    for (uint32_t a = 0; a < ntexts; a++) {
        for (uint32_t b = a + 1; b < ntexts; b++) {
            if (alike_first_of(whole, a) != alike_first_of(whole, b) && is_whole(texts, a, b))
                whole[alike_first_of(whole, b)] = alike_first_of(whole, a);
        }
    }
    for (uint32_t i = 0; i < ntexts; i++)
        whole[i] = alike_first_of(whole, i);
}

/* One row of tokens of one text. */
struct place {
    uint64_t hash;
    uint32_t whole, text, at;
};

static int by_whole(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return (one->whole > other->whole) - (one->whole < other->whole);
}

static void mark_places(struct alike_text *texts, const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < ALIKE_GRAM; k++)
            texts[places[i].text].tokens[places[i].at + k].is_common = true;
    }
}

/* Marks rows that more than `few` wholes have. */
static void mark_common(struct alike_text *texts, struct place *places, size_t nplaces, size_t few)
{
    qsort(places, nplaces, sizeof *places, by_whole);
    for (size_t i = 0, end; i < nplaces; i = end) {
        size_t wholes = 0;
        for (end = i; end < nplaces && places[end].hash == places[i].hash; end++)
            wholes += end == i || places[end].whole != places[end - 1].whole;
        if (wholes > few)
            mark_places(texts, places + i, end - i);
    }
}

static bool find_common(struct alike_text *texts, size_t ntexts)
{
    size_t nplaces = 0, wholes = 0;
    for (size_t i = 0; i < ntexts; i++)
        nplaces += texts[i].ngrams;
    uint32_t *whole = calloc(ntexts + 1, sizeof *whole);
    struct place *places = calloc(nplaces + 1, sizeof *places), *next = places;
    if (whole && places) {
        find_wholes(texts, ntexts, whole);
        for (uint32_t i = 0; i < ntexts; i++) {
            wholes += whole[i] == i;
            for (size_t k = 0; k < texts[i].ngrams; k++)
                *next++ = (struct place){texts[i].grams[k].hash, whole[i], i, texts[i].grams[k].at};
        }
        const size_t part = wholes / ALIKE_FEW_PART;
        mark_common(texts, places, nplaces, part > ALIKE_FEW ? part : ALIKE_FEW);
    }
    const bool is_done = whole && places;
    free(whole);
    free(places);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- texts */

static bool count_lines(struct alike_text *text)
{
    text->lines = calloc(text->nlines, sizeof *text->lines);
    if (!text->lines)
        return false;
    for (size_t i = 0; i < text->ntokens; i++) {
        text->lines[text->tokens[i].line].is_known = true;
        text->lines[text->tokens[i].line].own += !text->tokens[i].is_known;
        text->own += !text->tokens[i].is_known;
    }
    for (size_t i = 0; i < text->nlines; i++)
        text->lines[i].is_known = text->lines[i].is_known && !text->lines[i].own;
    return true;
}

bool alike_read(struct alike_text *texts, size_t count, char *const *given, size_t ngiven)
{
    bool is_done = true;
    for (size_t i = 0; i < count && is_done; i++)
        is_done = alike_read_tokens(&texts[i]) && make_grams(&texts[i]);
    for (size_t i = 0; i < count && is_done; i++)
        mark_repeats(&texts[i]);
    for (size_t i = 0; i < ngiven && is_done; i++)
        is_done = !given[i] || mark_kit(texts, count, given[i], false);
    is_done = is_done && find_common(texts, count);
    for (size_t i = 0; i < count && is_done; i++) {
        if (texts[i].is_solution)
            is_done = mark_kit(texts, count, texts[i].text, true);
    }
    for (size_t i = 0; i < count && is_done; i++)
        is_done = count_lines(&texts[i]);
    return is_done;
}

void alike_free(struct alike_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(texts[i].tokens);
        free(texts[i].lines);
        free(texts[i].grams);
        free(texts[i].is_shared);
        texts[i] = (struct alike_text){.text = NULL};
    }
}
