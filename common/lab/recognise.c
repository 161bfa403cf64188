/* recognise.c - what a wrong output looks like: the lab is asked first, then the patterns below are tried, for every lab.
 * A pattern foretells elements. It is claimed only if every element that it foretells is there, and if enough of them
 * are neither right anyway nor likely by chance: small cases and small numbers prove nothing.
 * Elements that the reference leaves poisoned belong to nobody and are not looked at, but in is_overrun(). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/element.h"
#include "lab/lab.h"

/* A number of many digits tells as much as several small ones. */
enum { SMALL_NUMBER = 1 << 16, LARGE_WEIGHT = 8, ENOUGH = 16, ENOUGH_FOR_A_FACTOR = 8, FEWEST_ELEMENTS = 4 };
enum { LARGEST_FACTOR = 1024, WARP = 32 };

/* A wrong output. */
struct wrong {
    const struct lab_run *run;
    const struct lab_buffer *buffer;
    const void *expected;
    char *text; /* the sentence goes here */
    size_t size;
};

static uint64_t got(const struct wrong *wrong, size_t i)
{
    return element_load(wrong->buffer->type, wrong->buffer->host, i);
}

static uint64_t want(const struct wrong *wrong, size_t i)
{
    return element_load(wrong->buffer->type, wrong->expected, i);
}

static bool is_wanted(const struct wrong *wrong, size_t i)
{
    return !element_is_poison(wrong->buffer->type, want(wrong, i));
}

static bool is_same(const struct wrong *wrong, uint64_t a, uint64_t b)
{
    return element_matches(wrong->buffer->type, wrong->buffer->relative, wrong->buffer->absolute, a, b);
}

static bool is_right(const struct wrong *wrong, size_t i)
{
    return is_same(wrong, got(wrong, i), want(wrong, i));
}

/* ------------------------------------------------------------------------------------------- does a pattern fit? */

/* What a pattern is made from. */
struct pattern {
    const void *other;  /* an array of the buffer's type */
    size_t other_count; /* its elements */
    long shift;
    double factor;
};

/* The element that the pattern foretells at i; false: it says nothing about that place. */
typedef bool foretell_fn(const struct wrong *wrong, const struct pattern *pattern, size_t i, uint64_t *bits);

static unsigned weight_of(enum lab_type type, uint64_t bits)
{
    const double value = element_value(type, bits);
    const bool is_whole = value == floor(value);
    return is_whole && fabs(value) < SMALL_NUMBER ? 1 : LARGE_WEIGHT;
}

/* How much speaks for a pattern; 0: an element speaks against it. *seen: elements that it foretells. */
static size_t weigh(const struct wrong *wrong, foretell_fn *foretell, const struct pattern *pattern,
                    size_t *seen)
{
    size_t weight = 0;
    *seen = 0;
    for (size_t i = 0; i < wrong->buffer->count; i++) {
        uint64_t bits;
        if (!is_wanted(wrong, i) || !foretell(wrong, pattern, i, &bits))
            continue;
        if (!is_same(wrong, got(wrong, i), bits))
            return 0;
        ++*seen;
        weight += is_same(wrong, bits, want(wrong, i)) ? 0 : weight_of(wrong->buffer->type, bits);
    }
    return weight;
}

static bool fits(const struct wrong *wrong, foretell_fn *foretell, const struct pattern *pattern)
{
    size_t seen;
    return weigh(wrong, foretell, pattern, &seen) >= ENOUGH && seen >= FEWEST_ELEMENTS;
}

__attribute__((format(printf, 2, 3))) static bool say(const struct wrong *wrong, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(wrong->text, wrong->size, format, list);
    va_end(list);
    return true;
}

/* ------------------------------------------------------------------------------------------- the patterns
 * Each writes a sentence and returns true if it is what happened. */

/* Everything that should be there is, and more. */
static bool is_overrun(const struct wrong *wrong)
{
    size_t strangers = 0;
    for (size_t i = 0; i < wrong->buffer->count; i++) {
        if (is_right(wrong, i))
            continue;
        if (is_wanted(wrong, i))
            return false;
        strangers++;
    }
    return strangers &&
           say(wrong, "what should be written is right, but something was written where nothing should be");
}

static bool is_all_zero(const struct wrong *wrong)
{
    const enum lab_type type = wrong->buffer->type;
    size_t lost = 0;
    for (size_t i = 0; i < wrong->buffer->count; i++) {
        if (is_wanted(wrong, i) && element_value(type, got(wrong, i)) != 0)
            return false;
        lost += is_wanted(wrong, i) && element_value(type, want(wrong, i)) != 0;
    }
    return lost && say(wrong, wrong->buffer->count == 1 ? "it is 0: nothing but zeros was stored or added"
                                                        : "every element is 0: nothing but zeros was stored");
}

/* A sum in an int drops the fraction of all that is added to it, and so comes to less. */
static bool is_without_fractions(const struct wrong *wrong)
{
    const enum lab_type type = wrong->buffer->type;
    size_t lost = 0, others = 0;
    if (!element_is_real(type))
        return false;
    for (size_t i = 0; i < wrong->buffer->count; i++) {
        const double found = element_value(type, got(wrong, i)), right = element_value(type, want(wrong, i));
        const bool is_less = fabs(found) <= fabs(right) && found * right >= 0;
        if (is_wanted(wrong, i) && !(is_less && found == floor(found)))
            return false;
        lost += is_wanted(wrong, i) && right != floor(right);
        others += is_wanted(wrong, i) && found != 0;
    }
    return lost >= ENOUGH &&
           say(wrong, "every element is %s: no fraction is left", others ? "a whole number" : "0");
}

static bool foretell_other(const struct wrong *wrong, const struct pattern *pattern, size_t i, uint64_t *bits)
{
    if (i >= pattern->other_count)
        return false;
    *bits = element_load(wrong->buffer->type, pattern->other, i);
    return true;
}

static bool is_copy(const struct wrong *wrong)
{
    for (int i = 0; i < wrong->run->nbuffers; i++) {
        const struct lab_buffer *in = &wrong->run->buffers[i];
        const struct pattern pattern = {.other = in->host, .other_count = in->count};
        if (in->role == LAB_IN && in->type == wrong->buffer->type && in->count >= wrong->buffer->count &&
            fits(wrong, foretell_other, &pattern))
            return say(wrong, "the output is a copy of `%s`, element by element", in->name);
    }
    return false;
}

static bool foretell_shifted(const struct wrong *wrong, const struct pattern *pattern, size_t i,
                             uint64_t *bits)
{
    const size_t from = i + (size_t)pattern->shift; /* a negative sum is a number beyond all counts */
    if (from >= wrong->buffer->count || !is_wanted(wrong, from))
        return false;
    *bits = want(wrong, from);
    return true;
}

static bool is_shifted(const struct wrong *wrong)
{
    const long row = wrong->buffer->dims[1] > 1 ? wrong->buffer->dims[0] : 1;
    const struct {
        long shift;
        const char *text;
    } rows[] = {
        {1, "every element holds the value of its right neighbour: an index is off by one"},
        {-1, "every element holds the value of its left neighbour: an index is off by one"},
        {row, "every row holds what belongs into the row below it: a row index is off by one"},
        {-row, "every row holds what belongs into the row above it: a row index is off by one"},
    };
    for (int i = 0; i < LAB_COUNT(rows); i++) {
        const struct pattern pattern = {.shift = rows[i].shift};
        if (fits(wrong, foretell_shifted, &pattern))
            return say(wrong, "%s", rows[i].text);
    }
    return false;
}

static bool foretell_reversed(const struct wrong *wrong, const struct pattern *pattern, size_t i,
                              uint64_t *bits)
{
    (void)pattern;
    *bits = want(wrong, wrong->buffer->count - 1 - i);
    return true;
}

static bool is_reversed(const struct wrong *wrong)
{
    return fits(wrong, foretell_reversed, &(struct pattern){0}) &&
           say(wrong, "the values are right, but in reverse order");
}

static uint64_t real_bits(enum lab_type type, double value)
{
    const float single = (float)value;
    uint64_t bits = 0;
    if (type == LAB_FLOAT)
        memcpy(&bits, &single, sizeof single);
    else
        memcpy(&bits, &value, sizeof value);
    return bits;
}

/* Integers wrap around, as they do in a kernel. */
static bool foretell_multiple(const struct wrong *wrong, const struct pattern *pattern, size_t i,
                              uint64_t *bits)
{
    const enum lab_type type = wrong->buffer->type;
    const uint64_t right = want(wrong, i);
    if (element_is_real(type))
        *bits = real_bits(type, pattern->factor * element_value(type, right));
    else
        *bits = (uint64_t)pattern->factor * right & ~(uint64_t)0 >> (64 - 8 * element_bytes(type));
    return true;
}

/* The quotient of the first element that is not 0. */
static double find_factor(const struct wrong *wrong)
{
    const enum lab_type type = wrong->buffer->type;
    for (size_t i = 0; i < wrong->buffer->count; i++) {
        const double right = element_value(type, want(wrong, i));
        if (is_wanted(wrong, i) && right != 0)
            return nearbyint(element_value(type, got(wrong, i)) / right);
    }
    return 0;
}

/* Also of a single number, if it has digits enough. */
static bool is_times(const struct wrong *wrong, double factor)
{
    const struct pattern pattern = {.factor = factor};
    const char *what = wrong->buffer->count == 1 ? "it" : "every element";
    size_t seen;
    if (!(factor >= 2 && factor <= LARGEST_FACTOR) ||
        weigh(wrong, foretell_multiple, &pattern, &seen) < ENOUGH_FOR_A_FACTOR)
        return false;
    if (factor == 2)
        return say(wrong, "%s is exactly twice what it should be: everything was added two times", what);
    return say(wrong, "%s is exactly %.0f times what it should be: everything was added %.0f times", what,
               factor, factor);
}

/* Twice is tried also where the sum left its type's range, and the quotient tells nothing. */
static bool is_multiple(const struct wrong *wrong)
{
    return is_times(wrong, find_factor(wrong)) || is_times(wrong, 2);
}

/* Nothing is claimed of what comes behind but that it is wrong. */
static bool is_beginning(const struct wrong *wrong)
{
    const size_t count = wrong->buffer->count;
    size_t right = 0;
    while (right < count && is_right(wrong, right))
        right++;
    for (size_t i = right; i < count; i++)
        if (is_right(wrong, i))
            return false;
    const size_t left = count - right;
    if (right < ENOUGH)
        return false;
    if (left == 1)
        return say(wrong, "all but the last of %zu elements are right", count);
    if (left < WARP && left * 4 < count)
        return say(wrong, "all but the last %zu of %zu elements are right", left, count);
    const bool is_size_in_elements =
        wrong->buffer->is_host && right == count / element_bytes(wrong->buffer->type); /* a copy fills it */
    return say(wrong, "the first %zu of %zu elements are right, and none behind them%s", right, count,
               is_size_in_elements ? "; is the size of the copy in bytes?" : "");
}

/* ------------------------------------------------------------------------------------------- the step before */

/* The same inputs under the table row of another stage. */
static bool begin_other(const struct lab_run *run, const struct lab_stage *stage, struct lab_run *other)
{
    lab_begin_run(other, run->lab, stage, &run->which, run->seed);
    bool is_alike = other->nbuffers == run->nbuffers;
    for (int i = 0; is_alike && i < run->nbuffers; i++) {
        const struct lab_buffer *mine = &run->buffers[i], *its = &other->buffers[i];
        is_alike = mine->role == its->role && mine->type == its->type && mine->count == its->count &&
                   mine->low == its->low && mine->high == its->high && mine->make == its->make;
        other->buffers[i].host = mine->host;
    }
    return is_alike;
}

static bool has_other_reference(const struct lab_stage *a, const struct lab_stage *b)
{
    return a->reference != b->reference || a->own != b->own;
}

static bool is_of_step_before(const struct wrong *wrong)
{
    const struct lab_run *run = wrong->run;
    const struct lab_stage *before = lab_previous(run->lab, run->stage);
    const int index = (int)(wrong->buffer - run->buffers);
    struct lab_run other;
    if (!before || !has_other_reference(before, run->stage) || !begin_other(run, before, &other))
        return false;
    void *expected = malloc(lab_buffer_bytes(wrong->buffer) + 1);
    if (!expected)
        return false;
    lab_reference(&other, index, expected);
    const struct pattern pattern = {.other = expected, .other_count = wrong->buffer->count};
    size_t seen;
    const bool is_known = weigh(wrong, foretell_other, &pattern, &seen) >= ENOUGH;
    free(expected);
    return is_known && say(wrong, "this is what stage %s gives, and not what TODO %d asks for", before->id,
                           run->stage->todo.number);
}

/* ------------------------------------------------------------------------------------------- all of it */

/* Some patterns say why, others only what. */
static const struct {
    bool (*is_there)(const struct wrong *wrong);
    bool is_cause;
} patterns[] = {{is_overrun, false}, {is_without_fractions, false}, {is_all_zero, false},
                {is_copy, false},    {is_of_step_before, false},    {is_shifted, true},
                {is_multiple, true}, {is_reversed, false},          {is_beginning, false}};

/* What nobody writes is drawn: that all elements are off by just this is no chance. */
static bool is_added_to(const struct wrong *wrong, int index)
{
    const enum lab_type type = wrong->buffer->type;
    size_t off = 0;
    for (size_t i = 0; i < wrong->buffer->count; i++) {
        uint64_t before = 0;
        if (!is_wanted(wrong, i))
            continue;
        lab_fill_part(wrong->run, index, i, 1, &before);
        const double left = element_value(type, element_load(type, &before, 0));
        const double sum = element_value(type, want(wrong, i)) + left;
        if (!is_same(wrong, got(wrong, i), element_bits(type, sum)))
            return false;
        off += left != 0;
    }
    if (off)
        snprintf(wrong->text, wrong->size,
                 "too much by what `%s` held before the call: it is added to, and not set to 0 first",
                 wrong->buffer->name);
    return off;
}

const char *lab_recognise(const struct lab_run *run, int index, const void *expected, bool *is_cause)
{
    static _Thread_local char text[200];
    const struct wrong wrong = {run, &run->buffers[index], expected, text, sizeof text};
    *is_cause = false;
    if (wrong.buffer->sheet) /* what answers look like would tell which are right */
        return NULL;
    if (!wrong.buffer->is_said && is_added_to(&wrong, index)) {
        *is_cause = true;
        return text;
    }
    lab_recognise_fn *own = run->stage->recognise ? run->stage->recognise : run->lab->recognise;
    const char *known = own ? own(run, index, expected) : NULL;
    *is_cause = known != NULL;
    for (int i = 0; !known && i < LAB_COUNT(patterns); i++)
        if (patterns[i].is_there(&wrong)) {
            known = text;
            *is_cause = patterns[i].is_cause;
        }
    return known;
}

/* ------------------------------------------------------------------------------------------- nothing was written */

static const char *name_of_output(const struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_OUT)
            return run->buffers[i].name;
    return "the output";
}

const char *lab_recognise_untouched(const struct lab_run *run, const bool is_written[LAB_BUFFERS])
{
    static _Thread_local char text[200];
    static const char *const words[] = {
        [LAB_IN] = "the input `%s` was written, and `%s` was not: are the two swapped, in the launch or in "
                   "the kernel?",
        [LAB_SCRATCH] = "`%s` was written, and `%s` was not: is there a launch that computes it from there, "
                        "and does it get "
                        "this pointer?",
    };
    static const enum lab_role order[] = {LAB_IN, LAB_SCRATCH};
    for (int row = 0; row < LAB_COUNT(order); row++)
        for (int i = 0; i < run->nbuffers; i++)
            if (is_written[i] && run->buffers[i].role == order[row]) {
                snprintf(text, sizeof text, words[order[row]], run->buffers[i].name,
                         name_of_output(run)); // NOLINT
                return text;
            }
    return NULL;
}
