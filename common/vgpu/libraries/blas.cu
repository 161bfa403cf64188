/* blas.cu - cuBLAS's handles, streams and modes, the names of its statuses, and copies of vectors and matrices.
 * Modes are kept and given back; none changes what is computed: products are in plain fp32 and fp64 in all of them. */
#include "blas.h"

#include <cstdlib>
#include <cstring>

#include "vgpu.h"

/* ---------------------------------------------------------------------------------------- what all files use */

cublasStatus_t blas_status(cudaError_t error)
{
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t blas_refuse(const char *call, const char *why)
{
    vgpu_unsupported(call, why);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t blas_launch(const void *kernel, dim3 grid, unsigned threads, const void *argument,
                           cudaStream_t stream)
{
    void *arguments[] = {(void *)argument};
    return blas_status(cudaLaunchKernel(kernel, grid, dim3(threads), arguments, 0, stream));
}

int blas_multiprocessors(void)
{
    int device = 0, count = 0;
    if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device))
        return 1;
    return count;
}

bool blas_is_operation(cublasOperation_t operation)
{
    return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

/* ---------------------------------------------------------------------------------------- handles */

BLAS_API cublasCreate(cublasHandle_t *handle)
{
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = NULL;
    int device;
    if (cudaGetDevice(&device))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = (cublasHandle_t)calloc(1, sizeof **handle);
    if (!*handle)
        return CUBLAS_STATUS_ALLOC_FAILED;
    (*handle)->pointer_mode = CUBLAS_POINTER_MODE_HOST;
    (*handle)->atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
    (*handle)->math_mode = CUBLAS_DEFAULT_MATH;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasDestroy(cublasHandle_t handle)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cudaError_t error = cudaFree(handle->partials);
    free(handle);
    return blas_status(error);
}

BLAS_API cublasGetVersion(cublasHandle_t handle, int *version)
{
    (void)handle; /* may be NULL */
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasGetProperty(libraryPropertyType type, int *value)
{
    if (!value)
        return CUBLAS_STATUS_INVALID_VALUE;
    switch (type) {
    case MAJOR_VERSION:
        *value = CUBLAS_VER_MAJOR;
        return CUBLAS_STATUS_SUCCESS;
    case MINOR_VERSION:
        *value = CUBLAS_VER_MINOR;
        return CUBLAS_STATUS_SUCCESS;
    case PATCH_LEVEL:
        *value = CUBLAS_VER_PATCH;
        return CUBLAS_STATUS_SUCCESS;
    default:
        return CUBLAS_STATUS_INVALID_VALUE;
    }
}

extern "C" size_t cublasGetCudartVersion(void)
{
    return CUDART_VERSION;
}

/* Memory of the program's that a library may use: these kernels need none. */
BLAS_API cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t size)
{
    (void)workspace, (void)size;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

/* A mode that is set and asked for; `first` and `last` bound what it may be. */
#define MODE(set, get, type, field, first, last)                                                             \
    BLAS_API set(cublasHandle_t handle, type value)                                                          \
    {                                                                                                        \
        if (!handle)                                                                                         \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                            \
        if ((int)value < (int)(first) || (int)value > (int)(last))                                           \
            return CUBLAS_STATUS_INVALID_VALUE;                                                              \
        handle->field = value;                                                                               \
        return CUBLAS_STATUS_SUCCESS;                                                                        \
    }                                                                                                        \
    BLAS_API get(cublasHandle_t handle, type *value)                                                         \
    {                                                                                                        \
        if (!handle)                                                                                         \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                            \
        if (!value)                                                                                          \
            return CUBLAS_STATUS_INVALID_VALUE;                                                              \
        *value = handle->field;                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                                        \
    }
enum {
    LAST_MATH = CUBLAS_PEDANTIC_MATH | CUBLAS_TF32_TENSOR_OP_MATH | CUBLAS_FP32_EMULATED_BF16X9_MATH |
                CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
};
MODE(cublasSetPointerMode, cublasGetPointerMode, cublasPointerMode_t, pointer_mode, CUBLAS_POINTER_MODE_HOST,
     CUBLAS_POINTER_MODE_DEVICE)
MODE(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics_mode,
     CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED)
MODE(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math_mode, CUBLAS_DEFAULT_MATH, LAST_MATH)
MODE(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sm_target, 0, blas_multiprocessors())

BLAS_API cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasGetStream(cublasHandle_t handle, cudaStream_t *stream)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!stream)
        return CUBLAS_STATUS_INVALID_VALUE;
    *stream = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---------------------------------------------------------------------------------------- statuses in words */

#define STATUS(name, words)                                                                                  \
    {                                                                                                        \
        name, #name, words                                                                                   \
    }
static const struct {
    cublasStatus_t status;
    const char *name, *words;
} statuses[] = {
    STATUS(CUBLAS_STATUS_SUCCESS, "success"),
    STATUS(CUBLAS_STATUS_NOT_INITIALIZED, "there is no handle: cublasCreate() makes one"),
    STATUS(CUBLAS_STATUS_ALLOC_FAILED, "memory could not be allocated"),
    STATUS(CUBLAS_STATUS_INVALID_VALUE, "an argument is out of its range"),
    STATUS(CUBLAS_STATUS_ARCH_MISMATCH, "this GPU cannot do it"),
    STATUS(CUBLAS_STATUS_MAPPING_ERROR, "memory could not be copied"),
    STATUS(CUBLAS_STATUS_EXECUTION_FAILED, "a kernel could not be launched or failed"),
    STATUS(CUBLAS_STATUS_INTERNAL_ERROR, "something failed inside the library"),
    STATUS(CUBLAS_STATUS_NOT_SUPPORTED, "it is not supported"),
    STATUS(CUBLAS_STATUS_LICENSE_ERROR, "the licence does not allow it"),
};

extern "C" const char *cublasGetStatusName(cublasStatus_t status)
{
    for (const auto &row : statuses)
        if (row.status == status)
            return row.name;
    return "unknown cublasStatus_t";
}

extern "C" const char *cublasGetStatusString(cublasStatus_t status)
{
    for (const auto &row : statuses)
        if (row.status == status)
            return row.words;
    return "a status that nobody knows";
}

/* ---------------------------------------------------------------------------------------- copies */

/* Rows and columns in bytes; a vector with steps is a matrix of one row. Stream NULL and is_waiting: as cudaMemcpy2D does. */
static cublasStatus_t copy_matrix(int rows, int columns, int size, const void *from, int from_leading,
                                  void *to, int to_leading, cudaMemcpyKind kind, const cudaStream_t *stream)
{
    if (rows < 0 || columns < 0 || size <= 0 || from_leading <= 0 || to_leading <= 0 || from_leading < rows ||
        to_leading < rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 0 || columns == 0)
        return CUBLAS_STATUS_SUCCESS;
    const size_t pitch = (size_t)from_leading * size, to_pitch = (size_t)to_leading * size,
                 width = (size_t)rows * size;
    const cudaError_t error =
        stream ? cudaMemcpy2DAsync(to, to_pitch, from, pitch, width, columns, kind, *stream)
               : cudaMemcpy2D(to, to_pitch, from, pitch, width, columns, kind);
    return error ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t copy_vector(int count, int size, const void *from, int step, void *to, int to_step,
                                  cudaMemcpyKind kind, const cudaStream_t *stream)
{
    if (step <= 0 || to_step <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    return step == 1 && to_step == 1 ? copy_matrix(count, 1, size, from, count > 0 ? count : 1, to,
                                                   count > 0 ? count : 1, kind, stream)
                                     : copy_matrix(1, count, size, from, step, to, to_step, kind, stream);
}

BLAS_API cublasSetVector(int n, int size, const void *x, int step, void *y, int y_step)
{
    return copy_vector(n, size, x, step, y, y_step, cudaMemcpyHostToDevice, NULL);
}

BLAS_API cublasGetVector(int n, int size, const void *x, int step, void *y, int y_step)
{
    return copy_vector(n, size, x, step, y, y_step, cudaMemcpyDeviceToHost, NULL);
}

BLAS_API cublasSetVectorAsync(int n, int size, const void *x, int step, void *y, int y_step,
                              cudaStream_t stream)
{
    return copy_vector(n, size, x, step, y, y_step, cudaMemcpyHostToDevice, &stream);
}

BLAS_API cublasGetVectorAsync(int n, int size, const void *x, int step, void *y, int y_step,
                              cudaStream_t stream)
{
    return copy_vector(n, size, x, step, y, y_step, cudaMemcpyDeviceToHost, &stream);
}

BLAS_API cublasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb)
{
    return copy_matrix(rows, columns, size, a, lda, b, ldb, cudaMemcpyHostToDevice, NULL);
}

BLAS_API cublasGetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb)
{
    return copy_matrix(rows, columns, size, a, lda, b, ldb, cudaMemcpyDeviceToHost, NULL);
}

BLAS_API cublasSetMatrixAsync(int rows, int columns, int size, const void *a, int lda, void *b, int ldb,
                              cudaStream_t stream)
{
    return copy_matrix(rows, columns, size, a, lda, b, ldb, cudaMemcpyHostToDevice, &stream);
}

BLAS_API cublasGetMatrixAsync(int rows, int columns, int size, const void *a, int lda, void *b, int ldb,
                              cudaStream_t stream)
{
    return copy_matrix(rows, columns, size, a, lda, b, ldb, cudaMemcpyDeviceToHost, &stream);
}
