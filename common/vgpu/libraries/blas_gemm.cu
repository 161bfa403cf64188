/* blas_gemm.cu - cuBLAS's general matrix products: gemm, in batches of pointers and of strides, and GemmEx for fp32 and fp64.
 * Here arguments are checked and errors named as cuBLAS names them; blas_multiply.cu computes. */
#include "blas.h"

/* What is left to say of a product when its matrices are known. */
struct shape {
    cublasOperation_t op_a, op_b;
    int m, n, k, batches;
};

static cublasStatus_t check(cublasHandle_t handle, const struct shape *shape, const void *alpha,
                            const void *beta, int lda, int ldb, int ldc)
{
    const int rows_a = shape->op_a == CUBLAS_OP_N ? shape->m : shape->k;
    const int rows_b = shape->op_b == CUBLAS_OP_N ? shape->k : shape->n;
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!blas_is_operation(shape->op_a) || !blas_is_operation(shape->op_b))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (shape->m < 0 || shape->n < 0 || shape->k < 0 || shape->batches < 0 || !alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lda < 1 || ldb < 1 || ldc < 1 || lda < rows_a || ldb < rows_b || ldc < shape->m)
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
static cublasStatus_t multiply(cublasHandle_t handle, struct shape shape, const T *alpha,
                               struct blas_matrix<const T> a, struct blas_matrix<const T> b, const T *beta,
                               struct blas_matrix<T> c)
{
    const cublasStatus_t status =
        check(handle, &shape, alpha, beta, (int)a.leading, (int)b.leading, (int)c.leading);
    if (status)
        return status;
    const bool is_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    const struct blas_product<T> product = {
        shape.m, shape.n, shape.k, shape.batches, shape.op_a != CUBLAS_OP_N, shape.op_b != CUBLAS_OP_N,
            blas_factor(alpha, is_device), blas_factor(beta, is_device), a, b,
            {c.data, (const T *const *)c.list, c.leading, c.stride}, c,
    };
    return blas_multiply(&product, handle->stream);
}

/* The functions of one type: name is S or D. */
#define PRODUCTS(name, T)                                                                                    \
    BLAS_API cublas##name##gemm_v2(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,    \
                                   int m, int n, int k, const T *alpha, const T *a, int lda, const T *b,     \
                                   int ldb, const T *beta, T *c, int ldc)                                    \
    {                                                                                                        \
        return multiply<T>(handle, {op_a, op_b, m, n, k, 1}, alpha, {a, NULL, lda, 0}, {b, NULL, ldb, 0},    \
                           beta, {c, NULL, ldc, 0});                                                         \
    }                                                                                                        \
    BLAS_API cublas##name##gemmBatched(cublasHandle_t handle, cublasOperation_t op_a,                        \
                                       cublasOperation_t op_b, int m, int n, int k, const T *alpha,          \
                                       const T *const a[], int lda, const T *const b[], int ldb,             \
                                       const T *beta, T *const c[], int ldc, int batches)                    \
    {                                                                                                        \
        return multiply<T>(handle, {op_a, op_b, m, n, k, batches}, alpha, {NULL, a, lda, 0},                 \
                           {NULL, b, ldb, 0}, beta, {NULL, c, ldc, 0});                                      \
    }                                                                                                        \
    BLAS_API cublas##name##gemmStridedBatched(                                                               \
        cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,          \
        const T *alpha, const T *a, int lda, long long stride_a, const T *b, int ldb, long long stride_b,    \
        const T *beta, T *c, int ldc, long long stride_c, int batches)                                       \
    {                                                                                                        \
        return multiply<T>(handle, {op_a, op_b, m, n, k, batches}, alpha, {a, NULL, lda, stride_a},          \
                           {b, NULL, ldb, stride_b}, beta, {c, NULL, ldc, stride_c});                        \
    }
PRODUCTS(S, float)
PRODUCTS(D, double)

/* ---------------------------------------------------------------------------------------- types known when called */

/* The one type of all three matrices and of the sums: 0 where it is none that is served. */
static size_t size_of_types(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute)
{
    if (a != b || a != c)
        return 0;
    switch (compute) {
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F: /* the fast ones may round factors; they need not */
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
        return a == CUDA_R_32F ? sizeof(float) : 0;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return a == CUDA_R_64F ? sizeof(double) : 0;
    default:
        return 0;
    }
}

template <class T>
static cublasStatus_t multiply_untyped(cublasHandle_t handle, struct shape shape, const void *alpha,
                                       struct blas_matrix<const void> a, struct blas_matrix<const void> b,
                                       const void *beta, struct blas_matrix<void> c)
{
    return multiply<T>(handle, shape, (const T *)alpha,
                       {(const T *)a.data, (const T *const *)a.list, a.leading, a.stride},
                       {(const T *)b.data, (const T *const *)b.list, b.leading, b.stride}, (const T *)beta,
                       {(T *)c.data, (T *const *)c.list, c.leading, c.stride});
}

static cublasStatus_t multiply_any(const char *call, cublasHandle_t handle, struct shape shape, size_t size,
                                   const void *alpha, struct blas_matrix<const void> a,
                                   struct blas_matrix<const void> b, const void *beta,
                                   struct blas_matrix<void> c)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (size == sizeof(float))
        return multiply_untyped<float>(handle, shape, alpha, a, b, beta, c);
    if (size == sizeof(double))
        return multiply_untyped<double>(handle, shape, alpha, a, b, beta, c);
    return blas_refuse(call, "matrices of other types than float and double, or of mixed types");
}

BLAS_API cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                      int k, const void *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                      cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c, int ldc,
                      cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    (void)algo;
    return multiply_any("cublasGemmEx", handle, {op_a, op_b, m, n, k, 1},
                        size_of_types(type_a, type_b, type_c, compute), alpha, {a, NULL, lda, 0},
                        {b, NULL, ldb, 0}, beta, {c, NULL, ldc, 0});
}

BLAS_API cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                             int n, int k, const void *alpha, const void *const a[], cudaDataType type_a,
                             int lda, const void *const b[], cudaDataType type_b, int ldb, const void *beta,
                             void *const c[], cudaDataType type_c, int ldc, int batches,
                             cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    (void)algo;
    return multiply_any("cublasGemmBatchedEx", handle, {op_a, op_b, m, n, k, batches},
                        size_of_types(type_a, type_b, type_c, compute), alpha, {NULL, a, lda, 0},
                        {NULL, b, ldb, 0}, beta, {NULL, c, ldc, 0});
}

BLAS_API cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                                    int m, int n, int k, const void *alpha, const void *a,
                                    cudaDataType type_a, int lda, long long stride_a, const void *b,
                                    cudaDataType type_b, int ldb, long long stride_b, const void *beta,
                                    void *c, cudaDataType type_c, int ldc, long long stride_c, int batches,
                                    cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    (void)algo;
    return multiply_any("cublasGemmStridedBatchedEx", handle, {op_a, op_b, m, n, k, batches},
                        size_of_types(type_a, type_b, type_c, compute), alpha, {a, NULL, lda, stride_a},
                        {b, NULL, ldb, stride_b}, beta, {c, NULL, ldc, stride_c});
}

BLAS_API cublasSgemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                       int k, const float *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                       cudaDataType type_b, int ldb, const float *beta, void *c, cudaDataType type_c, int ldc)
{
    return multiply_any("cublasSgemmEx", handle, {op_a, op_b, m, n, k, 1},
                        size_of_types(type_a, type_b, type_c, CUBLAS_COMPUTE_32F), alpha, {a, NULL, lda, 0},
                        {b, NULL, ldb, 0}, beta, {c, NULL, ldc, 0});
}
