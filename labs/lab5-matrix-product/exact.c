/* exact.c - see exact.h. All functions are called by one thread. */
#include "exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/element.h"

enum { ROWS = 8, SEGMENT = 32 }; /* neighbouring results that are computed together */

struct factors {
    const float *a, *b;
    long n;
};

/* ------------------------------------------------------------------------------------------- factors */

/* Matrices that were drawn for a run without host copies: those of the timed size, of which some blocks are looked at. */
static struct {
    float *a, *b;
    long n;
    uint64_t seed;
} drawn;

static bool draw(const struct lab_run *run)
{
    const long n = run->size[0];
    if (drawn.a && drawn.n == n && drawn.seed == run->seed)
        return true;
    free(drawn.a);
    free(drawn.b);
    drawn.n = n;
    drawn.seed = run->seed;
    drawn.a = malloc((size_t)n * (size_t)n * sizeof *drawn.a);
    drawn.b = malloc((size_t)n * (size_t)n * sizeof *drawn.b);
    if (!drawn.a || !drawn.b) {
        free(drawn.a);
        free(drawn.b);
        drawn.a = drawn.b = NULL;
        return false;
    }
    lab_fill(run, 1, drawn.a);
    lab_fill(run, 2, drawn.b);
    return true;
}

static bool find_factors(const struct lab_run *run, struct factors *out)
{
    out->n = run->size[0];
    out->a = run->buffers[1].host;
    out->b = run->buffers[2].host;
    if (out->a && out->b)
        return true;
    if (!draw(run))
        return false;
    out->a = drawn.a;
    out->b = drawn.b;
    return true;
}

/* ------------------------------------------------------------------------------------------- products */

/* Results of neighbouring rows and columns, in the order of their products. */
struct patch {
    double values[ROWS][SEGMENT];
};

/* A known number of sums: they are registers. */
static void add_products(double *values, const float *a, double (*lines)[SEGMENT], int depth)
{
    double sums[SEGMENT];
    memcpy(sums, values, sizeof sums);
    for (int k = 0; k < depth; k++) {
        const double factor = (double)a[k];
        for (int x = 0; x < SEGMENT; x++)
            sums[x] += factor * lines[k][x];
    }
    memcpy(values, sums, sizeof sums);
}

/* Lines of b lie so far apart that caches keep few of them: each serves all rows while it is there. */
static void multiply(const struct factors *factors, long row, long column, struct patch *out)
{
    enum { DEPTH = 64 };
    const long n = factors->n, rows = n - row < ROWS ? n - row : ROWS;
    const long count = n - column < SEGMENT ? n - column : SEGMENT;
    double lines[DEPTH][SEGMENT] = {{0}};
    *out = (struct patch){0};
    for (long k = 0; k < n; k += DEPTH) {
        const long depth = n - k < DEPTH ? n - k : DEPTH;
        for (long d = 0; d < depth; d++)
            for (long x = 0; x < count; x++)
                lines[d][x] = (double)factors->b[(k + d) * n + column + x];
        for (long y = 0; y < rows; y++)
            add_products(out->values[y], factors->a + (row + y) * n + k, lines, (int)depth);
    }
}

void exact_product(const struct lab_run *run, int index, void *expected)
{
    struct factors factors;
    struct patch patch;
    (void)index;
    if (!find_factors(run, &factors))
        return;
    for (long row = 0; row < factors.n; row += ROWS)
        for (long column = 0; column < factors.n; column += SEGMENT) {
            multiply(&factors, row, column, &patch);
            for (long y = 0; y < ROWS && row + y < factors.n; y++)
                for (long x = 0; x < SEGMENT && column + x < factors.n; x++)
                    ((float *)expected)[(row + y) * factors.n + column + x] = (float)patch.values[y][x];
        }
}

/* Neighbours are asked for one after the other, row by row: their patches are kept. */
bool exact_element(const struct lab_run *run, int index, size_t i, double *value)
{
    enum { KEPT = 64 };
    static struct {
        const float *a;
        uint64_t seed;
        long n, row, column;
        struct patch patch;
    } kept[KEPT];
    struct factors factors;
    (void)index;
    if (!find_factors(run, &factors)) {
        *value = (double)NAN;
        return true;
    }
    const long row = (long)i / factors.n, column = (long)i % factors.n;
    const long top = row / ROWS * ROWS, left = column / SEGMENT * SEGMENT;
    const size_t slot = (size_t)(left / SEGMENT % KEPT);
    if (kept[slot].a != factors.a || kept[slot].seed != run->seed || kept[slot].n != factors.n ||
        kept[slot].row != top || kept[slot].column != left) {
        kept[slot].a = factors.a;
        kept[slot].seed = run->seed;
        kept[slot].n = factors.n;
        kept[slot].row = top;
        kept[slot].column = left;
        multiply(&factors, top, left, &kept[slot].patch);
    }
    *value = kept[slot].patch.values[row - top][column - left];
    return true;
}

/* ------------------------------------------------------------------------------------------- known mistakes */

enum { TILE = 32, FEWEST = 3 }; /* smaller matrices prove nothing */

/* The result at a place, if the mistake was made. */
typedef double mistake_fn(const struct factors *factors, long row, long column);

static double a_turned(const struct factors *factors, long row, long column)
{
    double sum = 0;
    for (long k = 0; k < factors->n; k++)
        sum += (double)factors->a[k * factors->n + row] * (double)factors->b[k * factors->n + column];
    return sum;
}

static double b_turned(const struct factors *factors, long row, long column)
{
    double sum = 0;
    for (long k = 0; k < factors->n; k++)
        sum += (double)factors->a[row * factors->n + k] * (double)factors->b[column * factors->n + k];
    return sum;
}

static double first_products(const struct factors *factors, long row, long column, long count)
{
    double sum = 0;
    for (long k = 0; k < count; k++)
        sum += (double)factors->a[row * factors->n + k] * (double)factors->b[k * factors->n + column];
    return sum;
}

static double c_turned(const struct factors *factors, long row, long column)
{
    return first_products(factors, column, row, factors->n);
}

/* In each tile the column of b is chosen by the thread's row. */
static double row_for_column(const struct factors *factors, long row, long column)
{
    const long wrong = column / TILE * TILE + row % TILE;
    return wrong < factors->n ? first_products(factors, row, wrong, factors->n) : 0;
}

static const struct {
    mistake_fn *result;
    const char *words;
} mistakes[] = {
    {c_turned, "each result is right, but lies at [column][row]: rows and columns of c are swapped"},
    {b_turned, "this is a times b transposed: b is read as b[column][k] instead of b[k][column]"},
    {a_turned, "this is a transposed times b: a is read as a[k][row] instead of a[row][k]"},
    {row_for_column, "every thread takes the column of b's tile that belongs to its row: the tile's second "
                     "index must come from threadIdx.x"},
};

static bool is_at(const struct lab_run *run, long row, long column, double value)
{
    const struct lab_buffer *c = &run->buffers[0];
    const double got = (double)((const float *)c->host)[row * run->size[0] + column];
    return element_error(got, value) <= element_allowed(c->relative, c->absolute, value);
}

static bool is_made(const struct lab_run *run, const struct factors *factors, mistake_fn *result)
{
    for (long row = 0; row < factors->n; row++)
        for (long column = 0; column < factors->n; column++)
            if (!is_at(run, row, column, result(factors, row, column)))
                return false;
    return true;
}

/* How many products each sum has; n: all of them, or it cannot be told. */
static long products_added(const struct lab_run *run, const struct factors *factors)
{
    double sum = 0;
    long count = 0;
    while (count < factors->n && !is_at(run, 0, 0, sum)) {
        sum += (double)factors->a[count] * (double)factors->b[count * factors->n];
        count++;
    }
    for (long row = 0; row < factors->n; row++)
        for (long column = 0; column < factors->n; column++)
            if (!is_at(run, row, column, first_products(factors, row, column, count)))
                return factors->n;
    return count;
}

const char *exact_recognise(const struct lab_run *run, int index, const void *expected)
{
    static char text[160];
    struct factors factors;
    (void)index;
    (void)expected;
    if (run->size[0] < FEWEST || !find_factors(run, &factors))
        return NULL;
    for (int i = 0; i < LAB_COUNT(mistakes); i++)
        if (is_made(run, &factors, mistakes[i].result))
            return mistakes[i].words;
    const long count = products_added(run, &factors);
    if (count == 0 || count == factors.n)
        return NULL;
    snprintf(text, sizeof text,
             "only the first %ld of %ld products are added up: the loop over k leaves the last, partly "
             "filled tile out",
             count, factors.n);
    return text;
}
