/* blas_lu.cu - cuBLAS's batches of small systems: LU with or without row exchanges, solutions and inverses by it.
 * One block per matrix; a column after the other, as in a textbook. Row numbers in pivots count from 1, as Fortran's do. */
#include "blas.h"

enum { THREADS = 128 };

/* ---------------------------------------------------------------------------------------- factors */

template <class T> struct factoring {
    int n;
    long long leading;
    T *const *matrices;
    int *pivots; /* n for each matrix; NULL: no exchanges */
    int *info;   /* 0, or the number of the first column whose pivot is zero */
};

/* The row of the largest element of a column, from row k on; of equal ones the first. */
template <class T> __device__ int find_pivot(const T *column, int n, int k, T *values, int *rows)
{
    const int t = threadIdx.x;
    values[t] = -1;
    rows[t] = k;
    for (int i = k + t; i < n; i += THREADS)
        if (fabs(column[i]) > values[t]) {
            values[t] = fabs(column[i]);
            rows[t] = i;
        }
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half && (values[t + half] > values[t] ||
                         (values[t + half] == values[t] && rows[t + half] < rows[t]))) {
            values[t] = values[t + half];
            rows[t] = rows[t + half];
        }
        __syncthreads();
    }
    return rows[0];
}

template <class T> __device__ void exchange_rows(T *a, long long leading, int columns, int i, int j)
{
    for (int column = threadIdx.x; i != j && column < columns; column += THREADS) {
        const T kept = a[column * leading + i];
        a[column * leading + i] = a[column * leading + j];
        a[column * leading + j] = kept;
    }
    __syncthreads();
}

/* What the k-th pivot takes away from the rows and columns behind it. */
template <class T> __device__ void eliminate(T *a, long long leading, int n, int k)
{
    T *column = a + k * leading;
    for (int i = k + 1 + threadIdx.x; i < n; i += THREADS)
        column[i] /= column[k];
    __syncthreads();
    const int rest = n - k - 1;
    for (int at = threadIdx.x; at < rest * rest; at += THREADS) {
        const int i = k + 1 + at % rest, j = k + 1 + at / rest;
        a[j * leading + i] -= column[i] * a[j * leading + k];
    }
    __syncthreads();
}

template <class T> __global__ void __launch_bounds__(THREADS) getrf(const struct factoring<T> task)
{
    __shared__ T values[THREADS];
    __shared__ int rows[THREADS];
    T *a = task.matrices[blockIdx.x];
    int zero = 0;
    for (int k = 0; k < task.n; k++) {
        if (task.pivots) {
            const int row = find_pivot(a + k * task.leading, task.n, k, values, rows);
            __syncthreads();
            if (threadIdx.x == 0)
                task.pivots[blockIdx.x * task.n + k] = row + 1;
            exchange_rows(a, task.leading, task.n, k, row);
        }
        if (a[k * task.leading + k] != 0)
            eliminate(a, task.leading, task.n, k);
        else if (!zero)
            zero = k + 1;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        task.info[blockIdx.x] = zero;
}

template <class T>
static cublasStatus_t factor(cublasHandle_t handle, int n, T *const matrices[], int leading, int *pivots, int *info,
                             int batches)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || batches < 0 || leading < (n > 1 ? n : 1))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n == 0 || batches == 0)
        return CUBLAS_STATUS_SUCCESS;
    const struct factoring<T> task = {n, leading, matrices, pivots, info};
    return blas_launch((const void *)getrf<T>, dim3((unsigned)batches), THREADS, &task, handle->stream);
}

/* ---------------------------------------------------------------------------------------- solutions */

template <class T> struct solving {
    int n, columns;
    bool is_transposed, is_inverse; /* the inverse: right sides are the unit vectors */
    long long leading, right_leading;
    const T *const *factors;
    const int *pivots; /* NULL: no exchanges */
    T *const *right;   /* in: right sides; out: solutions */
    int *info;         /* of an inverse, one for each matrix: as getrf's; else NULL */
};

/* One column x of L x = b (unit diagonal) or U x = b, or with either transposed, in place. */
template <class T>
__device__ void solve_triangle(const struct solving<T> &task, const T *a, T *x, bool is_lower, bool is_transposed)
{
    const bool is_forward = is_lower != is_transposed;
    for (int step = 0; step < task.n; step++) {
        const int i = is_forward ? step : task.n - 1 - step;
        T sum = x[i];
        for (int j = is_forward ? 0 : i + 1; j < (is_forward ? i : task.n); j++)
            sum -= (is_transposed ? a[i * task.leading + j] : a[j * task.leading + i]) * x[j];
        x[i] = is_lower ? sum : sum / a[i * task.leading + i];
    }
}

template <class T> __device__ void exchange(const struct solving<T> &task, const int *pivots, T *x, bool is_back)
{
    for (int step = 0; step < task.n; step++) {
        const int i = is_back ? task.n - 1 - step : step, j = pivots[i] - 1;
        const T kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}

/* P A = L U: first the exchanges, then L, then U; of the transposed system the same backwards. */
template <class T> __global__ void __launch_bounds__(THREADS) getrs(const struct solving<T> task)
{
    const T *a = task.factors[blockIdx.x];
    const int *pivots = task.pivots ? task.pivots + blockIdx.x * task.n : NULL;
    for (int column = threadIdx.x; column < task.columns; column += THREADS) {
        T *x = task.right[blockIdx.x] + column * task.right_leading;
        for (int i = 0; task.is_inverse && i < task.n; i++)
            x[i] = i == column;
        if (pivots && !task.is_transposed)
            exchange(task, pivots, x, false);
        solve_triangle(task, a, x, !task.is_transposed, task.is_transposed);
        solve_triangle(task, a, x, task.is_transposed, task.is_transposed);
        if (pivots && task.is_transposed)
            exchange(task, pivots, x, true);
    }
    if (threadIdx.x != 0 || !task.info)
        return;
    int zero = 0;
    for (int k = task.n; k > 0; k--)
        zero = a[(k - 1) * task.leading + k - 1] == 0 ? k : zero;
    task.info[blockIdx.x] = zero;
}

template <class T> static cublasStatus_t solve(cublasHandle_t handle, const struct solving<T> &task, int batches)
{
    const int least = task.n > 1 ? task.n : 1;
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (task.n < 0 || task.columns < 0 || batches < 0 || task.leading < least || task.right_leading < least)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (task.n == 0 || task.columns == 0 || batches == 0)
        return CUBLAS_STATUS_SUCCESS;
    return blas_launch((const void *)getrs<T>, dim3((unsigned)batches), THREADS, &task, handle->stream);
}

template <class T>
static cublasStatus_t solve_systems(cublasHandle_t handle, cublasOperation_t operation, const struct solving<T> &task,
                                    int *info, int batches)
{
    if (!blas_is_operation(operation) || !info)
        return CUBLAS_STATUS_INVALID_VALUE;
    *info = 0; /* on the host: the number of a bad argument */
    return solve(handle, task, batches);
}

#define SYSTEMS(name, T)                                                                                     \
    BLAS_API cublas##name##getrfBatched(cublasHandle_t handle, int n, T *const a[], int lda, int *pivots,    \
                                        int *info, int batches)                                              \
    {                                                                                                        \
        return factor<T>(handle, n, a, lda, pivots, info, batches);                                          \
    }                                                                                                        \
    BLAS_API cublas##name##getrsBatched(cublasHandle_t handle, cublasOperation_t op, int n, int columns,     \
                                        const T *const a[], int lda, const int *pivots, T *const b[],        \
                                        int ldb, int *info, int batches)                                     \
    {                                                                                                        \
        return solve_systems<T>(handle, op, {n, columns, op != CUBLAS_OP_N, false, lda, ldb, a, pivots, b},  \
                                info, batches);                                                              \
    }                                                                                                        \
    BLAS_API cublas##name##getriBatched(cublasHandle_t handle, int n, const T *const a[], int lda,           \
                                        const int *pivots, T *const c[], int ldc, int *info, int batches)    \
    {                                                                                                        \
        return solve<T>(handle, {n, n, false, true, lda, ldc, a, pivots, c, info}, batches);                 \
    }
SYSTEMS(S, float)
SYSTEMS(D, double)
