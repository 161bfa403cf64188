/* tasks.c - see tasks.h. Sums of floats are right in double precision; integers and their order are exact. */
#include "tasks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_of(const struct lab_run *run)
{
    return (int)run->size[N];
}

/* A case may leave it out. */
static long m_of(const struct lab_run *run)
{
    return run->size[M] ? run->size[M] : 1;
}

void task_describe(const struct lab_run *run, char *out, size_t size)
{
    const struct task *task = run->stage->own;
    const char *kind = task->kinds[run->size[KIND] % 4];
    int used = task->entries
                   ? snprintf(out, size, "n %ld rows, m %ld %s", run->size[N], m_of(run), task->entries)
                   : snprintf(out, size, "n %ld", run->size[N]);
    if (kind && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, ", %s", kind);
}

static void *device(const struct lab_run *run, int index)
{
    return run->buffers[index].device;
}

/* ------------------------------------------------------------------------------------------- scan */

void scan_layout(struct lab_run *run)
{
    const long n = run->size[N];
    lab_add(run, LAB_OUT, LAB_INT, "out", n);
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_INT, "in", n);
    in->low = -100; /* sums of both signs: whoever packs them with a flag must keep the sign */
    in->high = 100; /* 2^24 of them stay within an int */
    lab_add(run, LAB_SCRATCH, LAB_INT, "scratch", n / 32 + 1024);
}

static void scan_call(const struct lab_run *run)
{
    scan_fn *scan = (scan_fn *)run->stage->function;
    scan(device(run, 0), device(run, 1), n_of(run), device(run, 2));
}

const struct task scan_task = {.call = scan_call};

void scan_reference(const struct lab_run *run, int index, void *expected)
{
    const int *in = run->buffers[1].host;
    int *out = expected, sum = 0;
    (void)index;
    for (long i = 0; i < run->size[N]; i++)
        out[i] = sum += in[i];
}

static bool is_exclusive(const int *got, const int *want, long n)
{
    for (long i = 1; i < n; i++)
        if (got[i] != want[i - 1])
            return false;
    return n > 2 && got[0] == 0;
}

/* The sums begin anew at every multiple of `segment`. */
static bool is_by_segments(const int *got, const int *want, long n, long segment)
{
    for (long i = 0; i < n; i++) {
        const long begin = i / segment * segment;
        if (got[i] != want[i] - (begin ? want[begin - 1] : 0))
            return false;
    }
    return n > segment;
}

const char *scan_recognise(const struct lab_run *run, int index, const void *expected)
{
    const int *got = run->buffers[index].host, *want = expected;
    const long n = run->size[N];
    static const struct {
        long segment;
        const char *words;
    } segments[] = {
        {32, "the sums begin anew every 32 elements: what the warps before have added up is missing"},
        {128, "the sums begin anew every 128 elements: what the warps before have added up is missing"},
        {1024, "the sums begin anew every 1024 elements: what the blocks before have added up is missing"},
        {4096, "the sums begin anew every 4096 elements: what the tiles before have added up is missing"},
    };
    if (is_exclusive(got, want, n))
        return "each element has the sum of those before it, without itself: an inclusive scan is asked for";
    for (int i = 0; i < LAB_COUNT(segments); i++)
        if (is_by_segments(got, want, n, segments[i].segment))
            return segments[i].words;
    return NULL;
}

/* ------------------------------------------------------------------------------------------- histogram */

enum { BINS = 256 };

/* One value for half of the bytes, or for all. */
static int64_t frequent_byte(const struct lab_run *run, uint64_t seed, size_t i)
{
    const uint64_t hash = lab_hash(seed, i), frequent = lab_hash(seed, UINT64_MAX) % BINS;
    return (int64_t)(run->size[KIND] == 3 || hash >> 63 ? frequent : hash % BINS);
}

void histogram_layout(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_UINT, "counts", BINS);
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_BYTE, "in", run->size[N]);
    if (run->size[KIND] == 2 || run->size[KIND] == 3)
        in->make = frequent_byte;
}

static void histogram_call(const struct lab_run *run)
{
    histogram_fn *histogram = (histogram_fn *)run->stage->function;
    histogram(device(run, 0), device(run, 1), n_of(run));
}

const struct task histogram_task = {.call = histogram_call,
                                    .kinds = {"all values equally frequent", "all values equally frequent",
                                              "one value for half of them", "one value for all"}};

void histogram_reference(const struct lab_run *run, int index, void *expected)
{
    const unsigned char *in = run->buffers[1].host;
    unsigned *counts = expected;
    (void)index;
    memset(counts, 0, BINS * sizeof *counts);
    for (long i = 0; i < run->size[N]; i++)
        counts[in[i]]++;
}

/* ------------------------------------------------------------------------------------------- compact */

void compact_layout(struct lab_run *run)
{
    const long n = run->size[N];
    lab_add(run, LAB_OUT, LAB_INT, "out", n);
    lab_add(run, LAB_OUT, LAB_INT, "count", 1);
    lab_add(run, LAB_IN, LAB_INT, "in", n);
    lab_add(run, LAB_SCRATCH, LAB_INT, "scratch", n + n / 32 + 1024);
}

static int limit_of(const struct lab_run *run)
{
    static const int limits[] = {16, 128, 0, 256}; /* elements lie in [0, 255] */
    return limits[run->size[KIND] % 4];
}

static void compact_call(const struct lab_run *run)
{
    compact_fn *compact = (compact_fn *)run->stage->function;
    compact(device(run, 0), device(run, 1), device(run, 2), n_of(run), limit_of(run), device(run, 3));
}

const struct task compact_task = {.call = compact_call,
                                  .kinds = {"one of 16 kept", "half of them kept", "none kept", "all kept"}};

void compact_reference(const struct lab_run *run, int index, void *expected)
{
    const int *in = run->buffers[2].host, limit = limit_of(run);
    int *out = expected, count = 0;
    for (long i = 0; i < run->size[N]; i++)
        if (in[i] < limit) {
            if (index == 0)
                out[count] = in[i];
            count++;
        }
    if (index == 1)
        *out = count;
}

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The same elements, however they are ordered. */
const char *compact_recognise(const struct lab_run *run, int index, const void *expected)
{
    const size_t bytes = lab_buffer_bytes(&run->buffers[0]), count = run->buffers[0].count;
    int *got = malloc(bytes), *want = malloc(bytes);
    bool is_same = index == 0 && got && want;
    if (is_same) {
        memcpy(got, run->buffers[0].host, bytes);
        memcpy(want, expected, bytes);
        qsort(got, count, sizeof *got, by_value);
        qsort(want, count, sizeof *want, by_value);
        is_same = memcmp(got, want, bytes) == 0;
    }
    free(got);
    free(want);
    return is_same ? "the right elements are kept, but not in their order: an element's place is the number "
                     "of kept ones before "
                     "it, which a scan tells and an atomic counter does not"
                   : NULL;
}

/* ------------------------------------------------------------------------------------------- spmv */

enum { GROUP = 32 }; /* rows that share GROUP * m entries */

/* Where row `row` of a group of `rows` begins, if one of them, drawn for the group, has half of `entries` and the others
 * share the rest; their bounds are drawn as well, so that some are empty. */
static int64_t skewed_begin(uint64_t seed, long group, long row, long rows, int64_t entries)
{
    const long longest = (long)(lab_hash(seed, (uint64_t)group) % (uint64_t)rows);
    const int64_t half = rows > 1 ? entries / 2 : 0, rest = entries - half;
    const long before = row > longest ? row - 1 : row, others = rows > 1 ? rows - 1 : 1;
    const int64_t share = rest / others;
    int64_t begin = rest * before / others + (row > longest ? half : 0);
    if (before > 0 && before < others && share > 0)
        begin += (int64_t)(lab_hash(~seed, (uint64_t)(group * GROUP + before)) % (uint64_t)share);
    return row == rows ? entries : begin;
}

static int64_t row_begin(const struct lab_run *run, uint64_t seed, size_t i)
{
    const long n = run->size[N], m = m_of(run), row = (long)i;
    const long first = row / GROUP * GROUP, rows = n - first < GROUP ? n - first : GROUP;
    switch (run->size[KIND] % 4) {
    case 0:
        return row == n ? n * m : (row + 1) / 2 * 2 * m < n * m ? (row + 1) / 2 * 2 * m : n * m;
    case 2:
        return row * m;
    case 3:
        return row > (long)(lab_hash(seed, 0) % (uint64_t)n) ? n * m : 0;
    default:
        return row == n ? n * m : first * m + skewed_begin(seed, row / GROUP, row - first, rows, rows * m);
    }
}

static long longest_row(const struct lab_run *run)
{
    const long n = run->size[N], m = m_of(run);
    const long lengths[] = {2 * m, GROUP * m, m, n * m};
    return lengths[run->size[KIND] % 4];
}

void spmv_layout(struct lab_run *run)
{
    const long n = run->size[N], entries = n * m_of(run);
    struct lab_buffer *y = lab_add(run, LAB_OUT, LAB_FLOAT, "y", n);
    y->operations = longest_row(run) < 4096 ? (int)longest_row(run) + 8 : 4096;
    y->scale = 4;
    struct lab_buffer *starts = lab_add(run, LAB_IN, LAB_INT, "starts", n + 1);
    starts->make = row_begin;
    starts->high = (double)entries;
    lab_add(run, LAB_IN, LAB_INT, "columns", entries)->high = (double)(n - 1) + 0.5;
    lab_add(run, LAB_IN, LAB_FLOAT, "values", entries)->low = -1;
    lab_add(run, LAB_IN, LAB_FLOAT, "x", n)->low = -1;
}

static void spmv_call(const struct lab_run *run)
{
    spmv_fn *spmv = (spmv_fn *)run->stage->function;
    spmv(device(run, 0), device(run, 1), device(run, 2), device(run, 3), device(run, 4), n_of(run));
}

const struct task spmv_task = {.call = spmv_call,
                               .entries = "entries each on average",
                               .kinds = {"every second row empty", "one row of 32 with half of the entries",
                                         "rows of equal length", "one row with all entries"}};

bool spmv_element(const struct lab_run *run, int index, size_t i, double *value)
{
    double sum = 0;
    (void)index;
    for (size_t k = (size_t)lab_at(run, 1, i), end = (size_t)lab_at(run, 1, i + 1); k < end; k++)
        sum += lab_at(run, 3, k) * lab_at(run, 4, (size_t)lab_at(run, 2, k));
    *value = sum;
    return true;
}

/* ------------------------------------------------------------------------------------------- softmax */

void softmax_layout(struct lab_run *run)
{
    static const struct {
        double low, high;
    } ranges[] = {{-4, 4}, {-4, 4}, {-200, 200}, {1000, 1008}};
    const long kind = run->size[KIND] % 4;
    struct lab_buffer *out = lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", m_of(run), run->size[N]);
    struct lab_buffer *in = lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", m_of(run), run->size[N]);
    in->low = ranges[kind].low;
    in->high = ranges[kind].high;
    /* A difference of numbers up to 400 is rounded by 2^-16, and exp() turns that into a part of its result. */
    out->operations = 512;
    out->scale = 1e-3;
}

static void softmax_call(const struct lab_run *run)
{
    softmax_fn *softmax = (softmax_fn *)run->stage->function;
    softmax(device(run, 0), device(run, 1), (int)m_of(run), n_of(run));
}

const struct task softmax_task = {
    .call = softmax_call,
    .entries = "elements each",
    .kinds = {"from -4 to 4", "from -4 to 4", "from -200 to 200", "from 1000 to 1008"}};

enum { EMPTY_BELOW = 256 }; /* narrower rows leave some threads of a block without an element */

/* Of rows that were asked for last: neighbours ask for the same, and strips of columns for some rows by turns. */
struct row_sums {
    uint64_t seed;
    const void *host;
    long width, rows;
    size_t row;
    double most, sum;
};

static void sum_row(const struct lab_run *run, size_t row, struct row_sums *out)
{
    const long width = m_of(run);
    const struct row_sums asked = {run->seed, run->buffers[1].host, width, run->size[N], row, -INFINITY, 0};
    *out = asked;
    for (long i = 0; i < width; i++)
        out->most = fmax(out->most, lab_at(run, 1, row * (size_t)width + (size_t)i));
    for (long i = 0; i < width; i++)
        out->sum += exp(lab_at(run, 1, row * (size_t)width + (size_t)i) - out->most);
}

bool softmax_element(const struct lab_run *run, int index, size_t i, double *value)
{
    enum { ROWS_KEPT = 64 };
    static _Thread_local struct row_sums kept[ROWS_KEPT];
    const size_t row = i / (size_t)m_of(run);
    struct row_sums *known = &kept[row % ROWS_KEPT];
    (void)index;
    if (i % (size_t)m_of(run) == 0 || known->seed != run->seed || known->host != run->buffers[1].host ||
        known->width != m_of(run) || known->rows != run->size[N] || known->row != row)
        sum_row(run, row, known);
    *value = exp(lab_at(run, 1, i) - known->most) / known->sum;
    return true;
}

static bool is_poison(const float *x)
{
    static const unsigned char poison[] = {LAB_POISON, LAB_POISON, LAB_POISON, LAB_POISON};
    return memcmp(x, poison, sizeof poison) == 0;
}

static bool is_overflow(double x)
{
    return exp(x) > FLT_MAX;
}

/* exp() of each is so small that a GPU may take it for 0. */
static bool is_all_low(const struct lab_run *run, size_t first, size_t width)
{
    for (size_t i = first; i < first + width; i++)
        if (exp(lab_at(run, 1, i)) >= FLT_MIN)
            return false;
    return true;
}

/* What a row looks like: elements whose exp() overflows, results that are NaN, and what it means. exp() without a
 * subtraction gives infinity divided by infinity at large elements, and a number divided by infinity, 0, at all others. */
struct row_look {
    size_t large, large_nan, other_nan, other_zero;
};

static struct row_look look_at_row(const struct lab_run *run, const float *got, size_t first, size_t width)
{
    struct row_look look = {0, 0, 0, 0};
    for (size_t i = first; i < first + width; i++) {
        const bool is_large = is_overflow(lab_at(run, 1, i)),
                   is_nan = !isfinite(got[i]) && !is_poison(&got[i]);
        look.large += is_large;
        look.large_nan += is_large && is_nan;
        look.other_nan += !is_large && is_nan;
        look.other_zero += !is_large && got[i] == 0;
    }
    return look;
}

const char *softmax_recognise(const struct lab_run *run, int index, const void *expected)
{
    static const char
        overflow[] = "results are NaN where elements are large: exp() overflows above 88, so "
                     "the row's largest element must be subtracted first",
        empty[] = "whole rows are NaN: -INFINITY - -INFINITY gives NaN, where two threads or "
                  "lanes without an element are joined",
        either[] =
            "whole rows are NaN: the row's largest element must be subtracted first, in all "
            "lanes (__shfl_xor_sync gives it to all); and -INFINITY - -INFINITY is NaN, where two threads "
            "without an element are joined",
        began[] = "rows whose elements are all far below 0 come out as NaN: the largest so far must "
                  "begin with -INFINITY, not with 0, or exp() of each is 0";
    const struct lab_buffer *out = &run->buffers[index];
    const size_t width = (size_t)m_of(run);
    const bool has_empty = width < EMPTY_BELOW;
    bool has_low = false, has_number = false;
    (void)expected;
    for (size_t first = 0; first < out->count; first += width) {
        const struct row_look look = look_at_row(run, out->host, first, width);
        if (look.large && look.large_nan == look.large && look.other_zero == width - look.large)
            return look.large == width && has_empty ? either : overflow;
        if (look.large_nan + look.other_nan < width)
            has_number = true;
        else if (is_all_low(run, first, width))
            has_low = true;
        else if (has_empty)
            return empty;
    }
    return has_low && has_number ? began : NULL; /* rows of one width have empty threads all alike */
}
