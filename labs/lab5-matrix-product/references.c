/* references.c - times of others for the same product, to compare with: three versions in plain C on this machine's CPU, and
 * cuBLAS on its GPU. A comparison is fair with the CPU's best version only: all cores, vectors, caches. */
#include "references.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST_SLOW = 1024 }; /* n of the slow versions: larger ones take too long */

struct product {
    float *c;
    const float *a, *b;
    long n;
};

/* ------------------------------------------------------------------------------------------- one core */

/* Down a column of b: every step is in another line of the cache. */
static void multiply_simple(const struct product *p)
{
    for (long row = 0; row < p->n; row++)
        for (long column = 0; column < p->n; column++) {
            float sum = 0;
            for (long k = 0; k < p->n; k++)
                sum += p->a[row * p->n + k] * p->b[k * p->n + column];
            p->c[row * p->n + column] = sum;
        }
}

static long smaller(long a, long b)
{
    return a < b ? a : b;
}

/* Square by square: a line of b is used for 32 rows while it is in the cache. */
static void multiply_blocked(const struct product *p)
{
    enum { SQUARE = 32 };
    const long n = p->n;
    memset(p->c, 0, (size_t)(n * n) * sizeof *p->c);
    for (long top = 0; top < n; top += SQUARE)
        for (long left = 0; left < n; left += SQUARE)
            for (long begin = 0; begin < n; begin += SQUARE)
                for (long row = top; row < smaller(top + SQUARE, n); row++)
                    for (long column = left; column < smaller(left + SQUARE, n); column++) {
                        float sum = 0;
                        for (long k = begin; k < smaller(begin + SQUARE, n); k++)
                            sum += p->a[row * n + k] * p->b[k * n + column];
                        p->c[row * n + column] += sum;
                    }
}

/* ------------------------------------------------------------------------------------------- all cores
 * The ideas of stage 10: a small block of results stays in vector registers while it grows by a column of a times a row of b.
 * Slices of b are copied once into the order in which they are read. */

enum { ROWS = 6, COLUMNS = 16, SLICE = 256 };

struct share {
    const struct product *product;
    long first_column, end_column; /* multiples of COLUMNS, but for the end */
    bool is_done;
};

/* block[y][x] += a[y][k] * packed[k][x], for `depth` steps of k. */
static void grow_block(float (*block)[COLUMNS], const float *const *rows, const float *packed, long depth)
{
    for (long k = 0; k < depth; k++)
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < COLUMNS; x++)
                block[y][x] = fmaf(rows[y][k], packed[k * COLUMNS + x], block[y][x]);
}

static void pack(const struct product *p, float *packed, long begin, long depth, long column)
{
    for (long k = 0; k < depth; k++)
        for (long x = 0; x < COLUMNS; x++)
            packed[k * COLUMNS + x] = column + x < p->n ? p->b[(begin + k) * p->n + column + x] : 0;
}

/* Rows beyond the edge are the last one once more, and are not stored. */
static void multiply_strip(const struct product *p, const float *packed, long begin, long depth, long column)
{
    for (long top = 0; top < p->n; top += ROWS) {
        float block[ROWS][COLUMNS] = {{0}};
        const float *rows[ROWS];
        for (int y = 0; y < ROWS; y++)
            rows[y] = p->a + smaller(top + y, p->n - 1) * p->n + begin;
        grow_block(block, rows, packed, depth);
        for (long y = 0; y < smaller(ROWS, p->n - top); y++)
            for (long x = 0; x < smaller(COLUMNS, p->n - column); x++) {
                float *to = &p->c[(top + y) * p->n + column + x];
                *to = (begin ? *to : 0) + block[y][x];
            }
    }
}

static void *multiply_share(void *context)
{
    struct share *share = context;
    const struct product *p = share->product;
    float *packed = malloc(sizeof *packed * SLICE * COLUMNS);
    for (long begin = 0; packed && begin < p->n; begin += SLICE)
        for (long column = share->first_column; column < share->end_column; column += COLUMNS) {
            const long depth = smaller(SLICE, p->n - begin);
            pack(p, packed, begin, depth, column);
            multiply_strip(p, packed, begin, depth, column);
        }
    share->is_done = packed != NULL;
    free(packed);
    return NULL;
}

enum { MOST_CORES = 256 };

static long cores(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : smaller(count, MOST_CORES);
}

/* A part of the columns for each core; what no thread could be made for is done here. */
static void multiply_by_all(const struct product *p)
{
    pthread_t threads[MOST_CORES];
    bool is_started[MOST_CORES];
    struct share shares[MOST_CORES];
    const long strips = (p->n + COLUMNS - 1) / COLUMNS, count = cores();
    for (long i = 0; i < count; i++) {
        shares[i] =
            (struct share){p, strips * i / count * COLUMNS, strips * (i + 1) / count * COLUMNS, false};
        is_started[i] = pthread_create(&threads[i], NULL, multiply_share, &shares[i]) == 0;
    }
    for (long i = 0; i < count; i++)
        if (!is_started[i])
            multiply_share(&shares[i]);
        else
            pthread_join(threads[i], NULL);
}

/* ------------------------------------------------------------------------------------------- the CPU's times */

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static double gflops(long n, double us)
{
    return 2e-3 * (double)n * (double)n * (double)n / us;
}

static void print_line(const char *name, long n, double us)
{
    printf("  %-34s n %-5ld %12.2f us %10.4g GFLOP/s\n", name, n, us, gflops(n, us));
}

static void time_on_cpu(const char *name, void (*multiply)(const struct product *), const struct lab_run *run,
                        long n)
{
    struct product p = {.c = malloc((size_t)(n * n) * sizeof *p.c),
                        .a = run->buffers[1].host,
                        .b = run->buffers[2].host,
                        .n = n};
    if (!p.c)
        return;
    memset(p.c, 0, (size_t)(n * n) * sizeof *p.c); /* pages are there before the clock runs */
    const double begin = now_us();
    multiply(&p);
    print_line(name, n, now_us() - begin);
    free(p.c);
}

/* ------------------------------------------------------------------------------------------- cuBLAS */

/* Its library is opened here and not linked, so that the lab needs no more than the CUDA runtime. */
struct blas {
    void *handle;
    int (*multiply)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                    const float *, float *, int);
    const struct lab_run *run;
};

/* For cuBLAS matrices lie column by column: it computes the transpose of c, b's transpose times a's. */
static void run_blas(void *context)
{
    const struct blas *blas = context;
    const struct lab_run *run = blas->run;
    const float one = 1, zero = 0;
    const int n = (int)run->size[0];
    blas->multiply(blas->handle, 0, 0, n, n, n, &one, run->buffers[2].device, n, run->buffers[1].device, n,
                   &zero, run->buffers[0].device, n);
}

static bool open_blas(struct blas *blas)
{
    static const char *const names[] = {"libcublas.so", "libcublas.so.13", "libcublas.so.12",
                                        "/usr/local/cuda/lib64/libcublas.so"};
    int (*create)(void **) = NULL;
    void *library = NULL;
    for (int i = 0; !library && i < LAB_COUNT(names); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) {
        *(void **)&create = dlsym(library, "cublasCreate_v2");
        *(void **)&blas->multiply = dlsym(library, "cublasSgemm_v2");
    }
    return create && blas->multiply && create(&blas->handle) == 0;
}

static void run_stage(void *context)
{
    const struct lab_run *run = context;
    run->lab->call(run);
}

static void compare_with_blas(const struct lab_run *run, lab_timer_fn *timer)
{
    struct blas blas = {.run = run};
    struct lab_run own = *run;
    if (!open_blas(&blas)) {
        printf("  cuBLAS                             was not found\n");
        return;
    }
    const double library = timer(run_blas, &blas), stage = timer(run_stage, &own);
    if (library <= 0 || stage <= 0)
        return;
    print_line("GPU, cuBLAS, single precision", run->size[0], library);
    printf("  %s has %.0f %% of cuBLAS's speed\n", run->stage->id, 100 * library / stage);
}

void references_print(const struct lab_run *run, lab_timer_fn *timer)
{
    const long n = run->size[0], small = smaller(n, LARGEST_SLOW);
    char name[80];
    time_on_cpu("CPU, one core, three loops", multiply_simple, run, small);
    time_on_cpu("CPU, one core, squares of 32", multiply_blocked, run, small);
    snprintf(name, sizeof name, "CPU, %ld cores, vectors", cores());
    time_on_cpu(name, multiply_by_all, run, n);
    if (timer)
        compare_with_blas(run, timer);
}
