/* blas_matrices.cu - cuBLAS on a matrix with vectors, or element by element: gemv, ger, geam, for floats and doubles. */
#include "blas.h"

/* ---------------------------------------------------------------------------------------- a matrix and a vector */

enum { LANES = 32, GROUPS = 8, THREADS = LANES * GROUPS };

/* A has m rows and n columns in memory, whichever way it is taken. */
template <class T> struct matrix_vector {
    int m, n;
    struct blas_scalar<T> alpha, beta;
    const T *a, *x;
    T *y; /* of ger: x and y are factors, and b is changed */
    long long leading, x_step, y_step;
    T *b;
};

template <class T> __device__ void put_result(const struct matrix_vector<T> &g, int i, T sum)
{
    const T beta = blas_value(g.beta);
    T *y = &g.y[i * g.y_step];
    *y = blas_value(g.alpha) * sum + (beta != 0 ? beta * *y : T(0));
}

/* A lane has a row; the warps share out the columns. */
template <class T> __global__ void __launch_bounds__(THREADS) gemv(const struct matrix_vector<T> g)
{
    __shared__ T sums[GROUPS][LANES];
    const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES, row = blockIdx.x * LANES + lane;
    T sum = 0;
    for (int j = group; row < g.m && j < g.n; j += GROUPS)
        sum += g.a[row + j * g.leading] * g.x[j * g.x_step];
    sums[group][lane] = sum;
    __syncthreads();
    if (group != 0 || row >= g.m)
        return;
    for (int i = 1; i < GROUPS; i++)
        sum += sums[i][lane];
    put_result(g, row, sum);
}

/* A warp has a column. */
template <class T> __global__ void __launch_bounds__(THREADS) gemv_transposed(const struct matrix_vector<T> g)
{
    const int lane = threadIdx.x % LANES, column = blockIdx.x * GROUPS + threadIdx.x / LANES;
    T sum = 0;
    if (column >= g.n)
        return;
    for (int i = lane; i < g.m; i += LANES)
        sum += g.a[i + column * g.leading] * g.x[i * g.x_step];
    for (int half = LANES / 2; half; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half);
    if (lane == 0)
        put_result(g, column, sum);
}

template <class T>
static cublasStatus_t multiply_vector(cublasHandle_t handle, cublasOperation_t operation, int m, int n,
                                      const T *alpha, const T *a, int lda, const T *x, int incx,
                                      const T *beta, T *y, int incy)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!blas_is_operation(operation) || m < 0 || n < 0 || lda < 1 || lda < m || incx == 0 || incy == 0 ||
        !alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUBLAS_STATUS_SUCCESS;
    const bool is_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE,
               is_plain = operation == CUBLAS_OP_N;
    const struct matrix_vector<T> g = {
        m, n, blas_factor(alpha, is_device), blas_factor(beta, is_device), a,
            blas_first(x, is_plain ? n : m, incx), blas_first(y, is_plain ? m : n, incy), lda, incx, incy
    };
    return is_plain ? blas_launch((const void *)gemv<T>, dim3((m + LANES - 1) / LANES), THREADS, &g,
                                  handle->stream)
                    : blas_launch((const void *)gemv_transposed<T>, dim3((n + GROUPS - 1) / GROUPS), THREADS,
                                  &g, handle->stream);
}

/* B += alpha x y^T: an element each, neighbours in a column. */
template <class T> __global__ void __launch_bounds__(THREADS) ger(const struct matrix_vector<T> g)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x, row = i % g.m, column = i / g.m;
    if (column < g.n)
        g.b[row + column * g.leading] += blas_value(g.alpha) * g.x[row * g.x_step] * g.y[column * g.y_step];
}

template <class T>
static cublasStatus_t add_outer(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx,
                                const T *y, int incy, T *a, int lda)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || incx == 0 || incy == 0 || lda < 1 || lda < m || !alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUBLAS_STATUS_SUCCESS;
    const struct blas_scalar<T> factor =
        blas_factor(alpha, handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE);
    const struct matrix_vector<T> g = {
        m, n, factor, factor, NULL, blas_first(x, m, incx), blas_first((T *)y, n, incy), lda, incx, incy, a
    };
    return blas_launch((const void *)ger<T>, dim3((unsigned)(((long long)m * n + THREADS - 1) / THREADS)),
                       THREADS, &g, handle->stream);
}

/* ---------------------------------------------------------------------------------------- two matrices */

/* C = alpha op(A) + beta op(B), of m rows and n columns. */
template <class T> struct sum {
    int m, n;
    bool is_transposed[2];
    struct blas_scalar<T> factors[2];
    const T *terms[2];
    long long leading[2], c_leading;
    T *c;
};

/* A tile of a term, read along its own columns; zero where the factor is, without a look. */
template <class T>
__device__ void read_term(T (*tile)[LANES + 1], const struct sum<T> &sum, int which, int row, int column,
                          T factor)
{
    const bool is_transposed = sum.is_transposed[which];
    const int lane = threadIdx.x % LANES, first = is_transposed ? column : row,
              line = is_transposed ? row : column;
    const int rows = is_transposed ? sum.n : sum.m, lines = is_transposed ? sum.m : sum.n;
    for (int j = threadIdx.x / LANES; j < LANES; j += GROUPS) {
        T value = 0;
        if (factor != 0 && first + lane < rows && line + j < lines)
            value = factor * sum.terms[which][first + lane + (line + j) * sum.leading[which]];
        tile[is_transposed ? lane : j][is_transposed ? j : lane] = value;
    }
}

template <class T> __global__ void __launch_bounds__(THREADS) geam(const struct sum<T> sum)
{
    __shared__ T tiles[2][LANES][LANES + 1];
    const int tiles_down = (sum.m + LANES - 1) / LANES;
    const int row = blockIdx.x % tiles_down * LANES, column = blockIdx.x / tiles_down * LANES,
              lane = threadIdx.x % LANES;
    for (int which = 0; which < 2; which++)
        read_term(tiles[which], sum, which, row, column, blas_value(sum.factors[which]));
    __syncthreads();
    for (int j = threadIdx.x / LANES; j < LANES; j += GROUPS)
        if (row + lane < sum.m && column + j < sum.n)
            sum.c[row + lane + (column + j) * sum.c_leading] = tiles[0][j][lane] + tiles[1][j][lane];
}

/* In place means the same columns, untransposed. */
static bool is_wrongly_in_place(const void *term, int leading, cublasOperation_t operation, const void *c,
                                int c_leading)
{
    return term == c && (operation != CUBLAS_OP_N || leading != c_leading);
}

template <class T>
static cublasStatus_t add_matrices(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                                   int m, int n, const T *alpha, const T *a, int lda, const T *beta,
                                   const T *b, int ldb, T *c, int ldc)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!blas_is_operation(op_a) || !blas_is_operation(op_b) || m < 0 || n < 0 || !alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    const bool is_a = op_a != CUBLAS_OP_N, is_b = op_b != CUBLAS_OP_N;
    if (lda < 1 || ldb < 1 || ldc < 1 || lda < (is_a ? n : m) || ldb < (is_b ? n : m) || ldc < m)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (is_wrongly_in_place(a, lda, op_a, c, ldc) || is_wrongly_in_place(b, ldb, op_b, c, ldc))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUBLAS_STATUS_SUCCESS;
    const bool is_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    const struct sum<T> sum = {
        m, n, {is_a, is_b}, {blas_factor(alpha, is_device), blas_factor(beta, is_device)}, {a, b}, {lda, ldb},
            ldc, c
    };
    const long long blocks = ((m + LANES - 1LL) / LANES) * ((n + LANES - 1LL) / LANES);
    return blas_launch((const void *)geam<T>, dim3((unsigned)blocks), THREADS, &sum, handle->stream);
}

#define MATRICES(name, T)                                                                                    \
    BLAS_API cublas##name##gemv_v2(cublasHandle_t handle, cublasOperation_t operation, int m, int n,         \
                                   const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, \
                                   T *y, int incy)                                                           \
    {                                                                                                        \
        return multiply_vector<T>(handle, operation, m, n, alpha, a, lda, x, incx, beta, y, incy);           \
    }                                                                                                        \
    BLAS_API cublas##name##ger_v2(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, \
                                  const T *y, int incy, T *a, int lda)                                       \
    {                                                                                                        \
        return add_outer<T>(handle, m, n, alpha, x, incx, y, incy, a, lda);                                  \
    }                                                                                                        \
    BLAS_API cublas##name##geam(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,       \
                                int m, int n, const T *alpha, const T *a, int lda, const T *beta,            \
                                const T *b, int ldb, T *c, int ldc)                                          \
    {                                                                                                        \
        return add_matrices<T>(handle, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);               \
    }
MATRICES(S, float)
MATRICES(D, double)
