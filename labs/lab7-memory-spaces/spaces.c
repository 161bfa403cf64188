/* spaces.c - what lies in memory in the stages of lab 7, and what is right.
 * Right values are computed in double precision where rounding matters, with the functions of work.h where it does not. */
#include "spaces.h"

#include <math.h>
#include <string.h>

#include "lab/answer.h"
#include "work.h"

/* ------------------------------------------------------------------------------------------- buffers by their names */

/* Rows of a picture begin at multiples of 64 bytes. */
static int pitch_of(const struct lab_run *run)
{
    return (source_size((int)run->size[0]) + 15) / 16 * 16;
}

struct task task_of(const struct lab_run *run)
{
    return (struct task){
        .out = lab_device(run, "out"),
        .in = lab_device(run, "in"),
        .table = lab_device(run, "table"),
        .list = lab_device(run, "list"),
        .answers = lab_device(run, "answers"),
        .sheet = lab_device(run, "sheet"),
        .n = (int)run->size[0],
        .m = (int)run->size[1],
        .pitch = pitch_of(run),
    };
}

static float at(const struct lab_run *run, const char *name, long i)
{
    return (float)lab_at(run, lab_index(run, name), (size_t)i);
}

static struct lab_buffer *add_floats(struct lab_run *run, enum lab_role role, const char *name, long count)
{
    return lab_add(run, role, LAB_FLOAT, name, count);
}

/* ------------------------------------------------------------------------------------------- coefficients */

void filter_layout(struct lab_run *run)
{
    add_floats(run, LAB_OUT, "out", run->size[0])->operations = TAPS;
    add_floats(run, LAB_IN, "in", run->size[0] + TAPS - 1);
    add_floats(run, LAB_IN, "table", TAPS);
}

bool filter_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const int in = lab_index(run, "in"), table = lab_index(run, "table");
    double sum = 0;
    (void)index;
    for (size_t k = 0; k < TAPS; k++)
        sum += lab_at(run, table, k) * lab_at(run, in, i + k);
    *value = sum;
    return true;
}

/* ------------------------------------------------------------------------------------------- lookups */

static void add_lookups(struct lab_run *run, int entries)
{
    struct lab_buffer *out = add_floats(run, LAB_OUT, "out", run->size[0]);
    out->operations = LOOKUPS;
    out->scale = LOOKUPS;
    add_floats(run, LAB_IN, "in", run->size[0]);
    add_floats(run, LAB_IN, "table", entries);
}

static double look_up(const struct lab_run *run, size_t i, int entries)
{
    const int table = lab_index(run, "table");
    int entry = first_entry(at(run, "in", (long)i), entries);
    double sum = 0;
    for (int k = 0; k < LOOKUPS; k++) {
        const float found = (float)lab_at(run, table, (size_t)entry);
        sum += found;
        entry = next_entry(entry, found, entries);
    }
    return sum;
}

void lookup_layout(struct lab_run *run)
{
    add_lookups(run, ENTRIES);
}

bool lookup_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = look_up(run, i, ENTRIES);
    return true;
}

void large_layout(struct lab_run *run)
{
    add_lookups(run, LARGE_ENTRIES);
}

bool large_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = look_up(run, i, LARGE_ENTRIES);
    return true;
}

/* ------------------------------------------------------------------------------------------- pictures */

static struct lab_buffer *add_picture(struct lab_run *run)
{
    struct lab_buffer *out = lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", run->size[0], run->size[1]);
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", pitch_of(run), source_size((int)run->size[1]));
    return out;
}

void picture_layout(struct lab_run *run)
{
    add_picture(run);
}

/* A texture unit mixes with eight bits: both fractions are rounded to that, and so are the weights of the pixels that it makes of
 * them. Each is wrong by 1/512 at most: in all 1/128, which is so many roundings of 2^-24. */
void filtered_layout(struct lab_run *run)
{
    add_picture(run)->operations = 1 << 17;
}

static double pixel(const struct lab_run *run, int x, int y)
{
    const int column = clamp_to(x, source_size((int)run->size[0]));
    const int row = clamp_to(y, source_size((int)run->size[1]));
    return at(run, "in", (long)row * pitch_of(run) + column);
}

static double between(double from, double to, double part)
{
    return from + (to - from) * part;
}

bool picture_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const double x = (double)source_of((int)(i % (size_t)run->size[0])) - 0.5;
    const double y = (double)source_of((int)(i / (size_t)run->size[0])) - 0.5;
    const int column = (int)floor(x), row = (int)floor(y);
    (void)index;
    *value =
        between(between(pixel(run, column, row), pixel(run, column + 1, row), x - column),
                between(pixel(run, column, row + 1), pixel(run, column + 1, row + 1), x - column), y - row);
    return true;
}

bool filtered_element(const struct lab_run *run, int index, size_t i, double *value)
{
    return picture_element(run, index, i, value);
}

/* ------------------------------------------------------------------------------------------- bins */

void bins_layout(struct lab_run *run)
{
    struct lab_buffer *out = add_floats(run, LAB_OUT, "out", run->size[0]);
    out->operations = VALUES;
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", run->size[0], VALUES);
}

bool bins_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const int in = lab_index(run, "in");
    double bins[BINS] = {0}, most = 0;
    (void)index;
    for (size_t k = 0; k < VALUES; k++) {
        const float found = (float)lab_at(run, in, k * (size_t)run->size[0] + i);
        bins[bin_of(found)] += found;
    }
    for (int b = 0; b < BINS; b++)
        most = fmax(most, bins[b]);
    *value = most;
    return true;
}

/* ------------------------------------------------------------------------------------------- transforms */

void walsh_layout(struct lab_run *run)
{
    struct lab_buffer *out = lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", run->size[0], POINTS);
    out->operations = 8;
    out->scale = POINTS;
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", run->size[0], POINTS);
}

/* Value k of a column is a sum of all its points; a point's sign is how many bits it shares with k. */
bool walsh_element(const struct lab_run *run, int index, size_t i, double *value)
{
    const size_t n = (size_t)run->size[0], k = i / n, column = i % n;
    const int in = lab_index(run, "in");
    double sum = 0;
    (void)index;
    for (size_t j = 0; j < POINTS; j++) {
        const double point = lab_at(run, in, j * n + column);
        sum += __builtin_popcountll(j & k) % 2 ? -point : point;
    }
    *value = sum;
    return true;
}

/* ------------------------------------------------------------------------------------------- gathers */

static struct lab_buffer *add_gather(struct lab_run *run)
{
    add_floats(run, LAB_OUT, "out", run->size[0])->is_exact = true;
    struct lab_buffer *list = lab_add(run, LAB_IN, LAB_INT, "list", run->size[0]);
    list->high = (double)((1L << LIST_BITS) - 1);
    add_floats(run, LAB_IN, "table", run->size[1]);
    return list;
}

void random_layout(struct lab_run *run)
{
    add_gather(run);
}

bool random_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)index;
    *value = at(run, "table", index_of((int)lab_at(run, lab_index(run, "list"), i), run->size[1]));
    return true;
}

/* Number i lies anywhere in the i-th of n parts of the range. */
static int64_t ascending(const struct lab_run *run, uint64_t seed, size_t i)
{
    const uint64_t range = 1ULL << LIST_BITS;
    return (int64_t)((i * range + lab_hash(seed, i) % range) / (uint64_t)run->size[0]);
}

void sorted_layout(struct lab_run *run)
{
    add_gather(run)->make = ascending;
}

bool sorted_element(const struct lab_run *run, int index, size_t i, double *value)
{
    return random_element(run, index, i, value);
}

/* Answers, and where they come from, are in handouts/answers.md. */
void verdict_layout(struct lab_run *run)
{
    lab_add_answers(run, QUESTIONS);
    lab_add_sheet(run, QUESTIONS);
}

bool verdict_element(const struct lab_run *run, int index, size_t i, double *value)
{
    static const uint32_t digests[QUESTIONS] = {0xa8a60c3b, 0x092ac439, 0x8511d78b, 0x615a1fd0, 0xe4df0ee7};
    (void)index;
    return lab_right_answer(run, "lab7 gather", i, digests, value);
}
