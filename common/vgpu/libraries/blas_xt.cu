/* blas_xt.cu - cublasXt: products of matrices wherever they lie, here on the one GPU there is.
 * Matrices go to device memory whole, and the result comes back; the size of tiles is kept and means nothing. */
#include <cublasXt.h>

#include <cstdlib>

#include "blas.h"

struct cublasXtContext {
    cublasHandle_t blas;
    int tile;
};

BLAS_API cublasXtCreate(cublasXtHandle_t *handle)
{
    enum { DEFAULT_TILE = 2048 };
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = (cublasXtHandle_t)calloc(1, sizeof **handle);
    if (!*handle)
        return CUBLAS_STATUS_ALLOC_FAILED;
    (*handle)->tile = DEFAULT_TILE;
    const cublasStatus_t status = cublasCreate(&(*handle)->blas);
    if (status) {
        free(*handle);
        *handle = NULL;
    }
    return status;
}

BLAS_API cublasXtDestroy(cublasXtHandle_t handle)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    const cublasStatus_t status = cublasDestroy(handle->blas);
    free(handle);
    return status;
}

/* One device only, the first. */
BLAS_API cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[])
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return count == 1 && devices && devices[0] == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

BLAS_API cublasXtSetBlockDim(cublasXtHandle_t handle, int tile)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (tile <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->tile = tile;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasXtGetBlockDim(cublasXtHandle_t handle, int *tile)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!tile)
        return CUBLAS_STATUS_INVALID_VALUE;
    *tile = handle->tile;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---------------------------------------------------------------------------------------- products */

static cublasStatus_t gemm(cublasHandle_t blas, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                           const float *alpha, const float *a, int lda, const float *b, int ldb, const float *beta,
                           float *c, int ldc)
{
    return cublasSgemm(blas, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static cublasStatus_t gemm(cublasHandle_t blas, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                           const double *alpha, const double *a, int lda, const double *b, int ldb,
                           const double *beta, double *c, int ldc)
{
    return cublasDgemm(blas, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* A matrix's columns on the device, as many bytes as its owner has. */
template <class T> struct visitor {
    T *device;
    size_t bytes;
};

template <class T> static bool invite(struct visitor<T> *out, const T *matrix, size_t rows, size_t columns, size_t leading)
{
    *out = {NULL, columns ? (leading * (columns - 1) + rows) * sizeof(T) : 0};
    return !out->bytes || (cudaMalloc(&out->device, out->bytes) == cudaSuccess &&
                           cudaMemcpy(out->device, matrix, out->bytes, cudaMemcpyDefault) == cudaSuccess);
}

template <class T>
static cublasStatus_t multiply(cublasXtHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, size_t m,
                               size_t n, size_t k, const T *alpha, const T *a, size_t lda, const T *b, size_t ldb,
                               const T *beta, T *c, size_t ldc)
{
    const size_t most = 1u << 30;
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m > most || n > most || k > most || lda > most || ldb > most || ldc > most)
        return blas_refuse("cublasXt's gemm", "matrices of more than 2^30 rows or columns");
    struct visitor<T> on[3] = {};
    const bool is_a = op_a != CUBLAS_OP_N, is_b = op_b != CUBLAS_OP_N;
    bool is_good = invite(&on[0], a, is_a ? k : m, is_a ? m : k, lda) &&
                   invite(&on[1], b, is_b ? n : k, is_b ? k : n, ldb) && invite(&on[2], (const T *)c, m, n, ldc);
    cublasStatus_t status = CUBLAS_STATUS_ALLOC_FAILED;
    if (is_good)
        status = gemm(handle->blas, op_a, op_b, (int)m, (int)n, (int)k, alpha, on[0].device, (int)lda, on[1].device,
                      (int)ldb, beta, on[2].device, (int)ldc);
    if (status == CUBLAS_STATUS_SUCCESS && on[2].bytes)
        status = blas_status(cudaMemcpy(c, on[2].device, on[2].bytes, cudaMemcpyDefault));
    for (int i = 0; i < 3; i++)
        cudaFree(on[i].device);
    return status;
}

BLAS_API cublasXtSgemm(cublasXtHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, size_t m, size_t n,
                       size_t k, const float *alpha, const float *a, size_t lda, const float *b, size_t ldb,
                       const float *beta, float *c, size_t ldc)
{
    return multiply<float>(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

BLAS_API cublasXtDgemm(cublasXtHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, size_t m, size_t n,
                       size_t k, const double *alpha, const double *a, size_t lda, const double *b, size_t ldb,
                       const double *beta, double *c, size_t ldc)
{
    return multiply<double>(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
