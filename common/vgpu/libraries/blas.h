/* blas.h - the map of cuBLAS and cuBLASLt on the virtual GPU: ordinary CUDA on top of the public runtime API.
 * blas.cu           handles, modes, words for statuses, copies of vectors and matrices
 * blas_gemm.cu      the family of general matrix products: arguments checked, then blas_multiply()
 * blas_multiply.cu  the product itself: kernels and the choice between them
 * blas_vectors.cu   vectors: axpy, scal, copy, swap, dot, nrm2, asum, amax, amin
 * blas_matrices.cu  gemv, ger, geam
 * blas_lu.cu        batches of small systems: factors, solutions, inverses
 * blas_xt.cu        products of matrices of the host
 * blas_lt.cu        descriptors, and products described by them
 * What the toolkit's headers declare beyond that is made by stubs.awk: a call that says so and fails.
 * All matrices are in columns, as Fortran has them. */
#ifndef VGPU_LIBRARIES_BLAS_H
#define VGPU_LIBRARIES_BLAS_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

/* A function of the public API: C linkage, and the toolkit's own prototype is checked against it. */
#define BLAS_API extern "C" cublasStatus_t

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics_mode;
    cublasMath_t math_mode;
    int sm_target;
    void *partials; /* what the blocks of a reduction leave for the last one; made at the first one */
};

/* A factor that the host knows, or that lies in device memory when the kernel begins. */
template <class T> struct blas_scalar {
    T value;
    const T *device; /* NULL: it is value */
};

template <class T> __device__ inline T blas_value(const struct blas_scalar<T> &scalar)
{
    return scalar.device ? *scalar.device : scalar.value;
}

template <class T> struct blas_scalar<T> blas_factor(const T *pointer, bool is_device) {
    return is_device ? blas_scalar<T>{T(), pointer} : blas_scalar<T>{*pointer, NULL};
}

/* The first of count elements that lie step apart: with a negative step it is the last in memory. */
template <class T>
T *blas_first(T *data, int count, int step)
{
    return step < 0 && count > 0 ? data + (1 - (long long)count) * step : data;
}

/* One matrix, or one of each member of a batch: data + i * stride, or list[i] where there is a list. */
template <class T> struct blas_matrix {
    T *data;
    T *const *list; /* in device memory */
    long long leading, stride;
};

template <class T> __device__ T *blas_member(const struct blas_matrix<T> &matrix, unsigned index)
{
    return matrix.list ? matrix.list[index] : matrix.data + index * matrix.stride;
}

/* D = alpha op(A) op(B) + beta C + bias: op(A) has m rows and k columns, op(B) k rows and n columns. */
template <class T> struct blas_product {
    int m, n, k, batches;
    bool is_a_transposed, is_b_transposed;
    struct blas_scalar<T> alpha, beta;
    struct blas_matrix<const T> a, b, c;
    struct blas_matrix<T> d;
    const T *bias; /* m of them, or NULL */
    long long bias_stride;
};

/* For float and double. */
template <class T> cublasStatus_t blas_multiply(const struct blas_product<T> *product, cudaStream_t stream);

/* Launches kernel with its only argument. */
cublasStatus_t blas_launch(const void *kernel, dim3 grid, unsigned threads, const void *argument,
                           cudaStream_t stream);
cublasStatus_t blas_status(cudaError_t error);
/* Says on stderr that call cannot do this, and why. */
cublasStatus_t blas_refuse(const char *call, const char *why);
int blas_multiprocessors(void);
bool blas_is_operation(cublasOperation_t operation);

#endif
