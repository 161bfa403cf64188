/* sparse.cu - a sparse matrix of n rows times a vector: rows packed one after another (CSR) with 1, 4 or 32
 * lanes for a row, and all rows of the same length (ELL) stored along rows or along columns. A banded
 * matrix has its neighbours in cache; in the random one rows differ in length and columns lie anywhere. */
#include "steps.h"

enum { BLOCK = 256, BAND = 31, LEAST = 16, MOST = 48 }; /* entries in a row */

struct entries {
    int *column;
    float *value;
};

static int n;
static struct steps_array in, out;
static int *starts, *host_starts;                       /* [n + 1] of csr */
static struct entries csr, ell_rows, ell_columns, host; /* host is csr's */

/* -------------------------------------------------------------------------------------------- packed rows */

/* LANES neighbours share a row; LANES divides 32. */
template <int LANES>
__global__ void multiply_csr(float *out, const int *starts, struct entries matrix, const float *in, int n)
{
    int thread = blockIdx.x * BLOCK + threadIdx.x, row = thread / LANES;
    float sum = 0;
    if (row < n)
        for (int i = starts[row] + thread % LANES; i < starts[row + 1]; i += LANES)
            sum += matrix.value[i] * in[matrix.column[i]];
    for (int half = LANES / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half, LANES);
    if (row < n && thread % LANES == 0)
        out[row] = sum;
}

/* ------------------------------------------------------------------------------------- rows of one length */

/* Rows lie one after another, or columns do: then neighbouring threads read neighbouring entries. */
template <bool BY_COLUMNS>
__global__ void multiply_ell(float *out, int width, struct entries matrix, const float *in, int n)
{
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = 0; k < width; k++) {
        int i = BY_COLUMNS ? k * n + row : row * width + k;
        sum += matrix.value[i] * in[matrix.column[i]];
    }
    out[row] = sum;
}

/* ----------------------------------------------------------------------------------------------- matrices */

static int band_length(int row)
{
    int first = row < BAND / 2 ? 0 : row - BAND / 2, last = row + BAND / 2 >= n ? n - 1 : row + BAND / 2;
    return last - first + 1;
}

static int band_column(int row, int k)
{
    return (row < BAND / 2 ? 0 : row - BAND / 2) + k;
}

static int random_length(int row)
{
    return LEAST + (int)(steps_value(row, 23) * (MOST - LEAST + 1));
}

/* In rising order, one in each of so many equal parts of the row. */
static int random_column(int row, int k)
{
    return (int)((k + (double)steps_value((size_t)row * MOST + k, 24)) * n / random_length(row));
}

static void *must_allocate(size_t bytes)
{
    void *memory = calloc(bytes, 1);
    if (!memory)
        exit(2);
    return memory;
}

template <class TYPE> static TYPE *upload(const TYPE *from, size_t count)
{
    TYPE *device;
    STEPS_CHECK(cudaMalloc((void **)&device, count * sizeof(TYPE)));
    STEPS_CHECK(cudaMemcpy(device, from, count * sizeof(TYPE), cudaMemcpyHostToDevice));
    return device;
}

static void make_csr(int (*length)(int), int (*column)(int, int))
{
    host_starts = (int *)must_allocate((n + 1) * sizeof(int));
    for (int row = 0; row < n; row++)
        host_starts[row + 1] = host_starts[row] + length(row);
    int count = host_starts[n];
    host.column = (int *)must_allocate(count * sizeof(int));
    host.value = (float *)must_allocate(count * sizeof(float));
    for (int row = 0; row < n; row++)
        for (int i = host_starts[row]; i < host_starts[row + 1]; i++) {
            host.column[i] = column(row, i - host_starts[row]);
            host.value[i] = steps_value(i, 25);
        }
    starts = upload(host_starts, n + 1);
    csr = {upload(host.column, count), upload(host.value, count)};
}

/* What a row has too little is filled up with zeros in column 0. */
static struct entries make_ell(int width, int row_step, int column_step)
{
    size_t count = (size_t)n * width;
    struct entries full = {(int *)must_allocate(count * sizeof(int)),
                           (float *)must_allocate(count * sizeof(float))};
    for (int row = 0; row < n; row++)
        for (int i = host_starts[row]; i < host_starts[row + 1]; i++) {
            size_t place = (size_t)row * row_step + (size_t)(i - host_starts[row]) * column_step;
            full.column[place] = host.column[i];
            full.value[place] = host.value[i];
        }
    struct entries device = {upload(full.column, count), upload(full.value, count)};
    free(full.column);
    free(full.value);
    return device;
}

/* ------------------------------------------------------------------------------------------- the families */

template <int LANES> static void launch_csr(void)
{
    multiply_csr<LANES>
        <<<steps_blocks((size_t)n * LANES, BLOCK), BLOCK>>>(out.device, starts, csr, in.device, n);
}

template <int WIDTH> static void launch_ell_rows(void)
{
    multiply_ell<false><<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, WIDTH, ell_rows, in.device, n);
}

template <int WIDTH> static void launch_ell_columns(void)
{
    multiply_ell<true><<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, WIDTH, ell_columns, in.device, n);
}

template <int WIDTH> static void prepare(int size)
{
    n = size;
    in = steps_input(n, 26);
    out = steps_output(n);
    if (WIDTH == BAND)
        make_csr(band_length, band_column);
    else
        make_csr(random_length, random_column);
    ell_rows = make_ell(WIDTH, WIDTH, 1);
    ell_columns = make_ell(WIDTH, 1, n);
}

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
    STEPS_CHECK(cudaFree(starts));
    for (const struct entries &matrix : {csr, ell_rows, ell_columns}) {
        STEPS_CHECK(cudaFree(matrix.column));
        STEPS_CHECK(cudaFree(matrix.value));
    }
    free(host_starts);
    free(host.column);
    free(host.value);
}

static void reference(float *expected)
{
    for (int row = 0; row < n; row++) {
        double sum = 0;
        for (int i = host_starts[row]; i < host_starts[row + 1]; i++)
            sum += (double)host.value[i] * in.host[host.column[i]];
        expected[row] = (float)sum;
    }
}

template <int WIDTH>
static const struct step steps[] = {
    {"thread", launch_csr<1>},
    {"warp", launch_csr<32>},
    {"four_lanes", launch_csr<4>},
    {"ell_rows", launch_ell_rows<WIDTH>},
    {"ell_columns", launch_ell_columns<WIDTH>},
};
const struct step_family sparse_banded_family = {
    "sparse_banded", steps<BAND>, STEPS_COUNT(steps<BAND>), 1 << 18, 5003, 1e-4, prepare<BAND>, finish, &out,
    reference};
const struct step_family sparse_random_family = {
    "sparse_random", steps<MOST>, STEPS_COUNT(steps<MOST>), 1 << 18, 5003, 1e-4, prepare<MOST>, finish, &out,
    reference};
