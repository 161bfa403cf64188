/* alike_rank.c - runs that sim_c has found, and how alike pairs are by them: see alike.h. */
#define _GNU_SOURCE
#include "grader/course/alike.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- runs */

/* "/tmp/x/12.c: line 10-23". False: it is not like that. Texts and lines come out from 0. */
static bool read_side(const char *at, uint32_t *text, uint32_t *from, uint32_t *to)
{
    const char *mark = strstr(at, ".c: line ");
    const char *digits = mark;
    unsigned first, last;
    while (digits && digits > at && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (!mark || digits == mark || sscanf(mark, ".c: line %u-%u", &first, &last) != 2 || !first ||
        last < first)
        return false;
    *text = (uint32_t)strtoul(digits, NULL, 10) - 1;
    *from = first - 1;
    *to = last - 1;
    return true;
}

/* "A.c: line 1-9 |B.c: line 11-19 [86]". The text of a line is cut in two. */
static bool read_run(char *line, struct alike_run *run)
{
    char *bar = strchr(line, '|');
    if (!bar || !strchr(bar, '['))
        return false;
    *bar = '\0';
    if (!read_side(line, &run->a, &run->a_from, &run->a_to) ||
        !read_side(bar + 1, &run->b, &run->b_from, &run->b_to))
        return false;
    if (run->a > run->b)
        *run = (struct alike_run){run->b, run->a, run->b_from, run->b_to, run->a_from, run->a_to};
    return run->a != run->b;
}

struct alike_run *alike_read_runs(const char *printed, const struct alike_text *texts, size_t ntexts,
                                  size_t *count)
{
    size_t most = 1;
    for (const char *at = printed; (at = strchr(at, '|')); at++)
        most++;
    struct alike_run *runs = calloc(most, sizeof *runs);
    char *copy = strdup(printed);
    *count = 0;
    for (char *rest = copy, *line; runs && rest && (line = strsep(&rest, "\n"));) {
        struct alike_run *run = &runs[*count];
        if (*count + 1 < most && read_run(line, run) && run->b < ntexts && run->a_to < texts[run->a].nlines &&
            run->b_to < texts[run->b].nlines)
            ++*count;
    }
    free(copy);
    return runs;
}

/* ------------------------------------------------------------------------------------------- pairs */

static int by_pair(const void *a, const void *b)
{
    const struct alike_run *one = a, *other = b;
    if (one->a != other->a)
        return one->a < other->a ? -1 : 1;
    if (one->b != other->b)
        return one->b < other->b ? -1 : 1;
    return (one->a_from > other->a_from) - (one->a_from < other->a_from);
}

static int by_likeness(const void *a, const void *b)
{
    const struct alike_pair *one = a, *other = b;
    if (one->percent != other->percent)
        return other->percent - one->percent;
    if (one->common != other->common)
        return one->common < other->common ? 1 : -1;
    return one->a != other->a ? (one->a > other->a ? 1 : -1) : (one->b > other->b) - (one->b < other->b);
}

/* Own tokens, and what they count. */
struct sum {
    long own;
    double counts;
};

static double count(size_t own, size_t obvious, bool is_with_solution)
{
    const double of_obvious = 0.25;
    return is_with_solution ? (double)own : (double)(own - obvious) + of_obvious * (double)obvious;
}

/* In lines of one text that runs cover; each line counts once. is_b: of the second text. */
static struct sum covered(const struct alike_text *text, const struct alike_pair *pair, bool is_b,
                          bool is_with_solution)
{
    bool *has = calloc(text->nlines, sizeof *has);
    struct sum sum = {0, 0};
    for (size_t i = 0; has && i < pair->nruns; i++) {
        const struct alike_run *run = &pair->runs[i];
        const uint32_t to = is_b ? run->b_to : run->a_to;
        for (uint32_t at = is_b ? run->b_from : run->a_from; at <= to; at++) {
            const struct alike_line *line = &text->lines[at];
            sum.own += has[at] ? 0 : (long)line->own;
            sum.counts += has[at] ? 0 : count(line->own, line->obvious, is_with_solution);
            has[at] = true;
        }
    }
    free(has);
    return sum;
}

static void measure(const struct alike_text *texts, struct alike_pair *pair)
{
    const struct alike_text *a = &texts[pair->a], *b = &texts[pair->b];
    const bool is_with_solution = a->is_solution || b->is_solution;
    const struct sum of_a = covered(a, pair, false, is_with_solution),
                     of_b = covered(b, pair, true, is_with_solution);
    const double whole_a = count(a->own, a->obvious, is_with_solution),
                 whole_b = count(b->own, b->obvious, is_with_solution);
    double whole = whole_a < whole_b ? whole_a : whole_b;
    whole = whole > ALIKE_LEAST ? whole : ALIKE_LEAST;
    pair->common = of_a.own < of_b.own ? of_a.own : of_b.own;
    pair->percent = (int)(100 * (of_a.counts < of_b.counts ? of_a.counts : of_b.counts) / whole);
    pair->percent = pair->percent > 100 ? 100 : pair->percent;
}

struct alike_pair *alike_rank(const struct alike_text *texts, struct alike_run *runs, size_t nruns,
                              size_t *count)
{
    struct alike_pair *pairs = calloc(nruns + 1, sizeof *pairs);
    *count = 0;
    if (!pairs)
        return NULL;
    qsort(runs, nruns, sizeof *runs, by_pair);
    for (size_t i = 0; i < nruns; i++) {
        struct alike_pair *last = *count ? &pairs[*count - 1] : NULL;
        if (!last || last->a != runs[i].a || last->b != runs[i].b) {
            last = &pairs[(*count)++];
            *last = (struct alike_pair){.a = runs[i].a, .b = runs[i].b, .runs = &runs[i]};
        }
        last->nruns++;
    }
    for (size_t i = 0; i < *count; i++)
        measure(texts, &pairs[i]);
    qsort(pairs, *count, sizeof *pairs, by_likeness);
    return pairs;
}
