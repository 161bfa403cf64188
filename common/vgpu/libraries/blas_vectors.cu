/* blas_vectors.cu - cuBLAS on vectors of floats and doubles: axpy, scal, copy, swap; dot, nrm2, asum, amax and amin.
 * Reductions are sums of doubles in an order that depends on the length alone: the same every time, and without overflow where
 * floats are squared. */
#include "blas.h"

/* Element i is at data[i * step], whatever the step's sign. */
template <class T> struct vector {
    T *data;
    long long step;
    __device__ T &operator[](long long i) const
    {
        return data[i * step];
    }
};

template <class T> static struct vector<T> vector_of(T *data, int count, int step) {
    return {blas_first(data, count, step), step};
}

enum {
    THREADS = 256,
    BLOCKS = 256
};

/* ---------------------------------------------------------------------------------------- element by element */

enum change { AXPY, SCAL, COPY, SWAP };

template <class T> struct pair {
    int count;
    struct blas_scalar<T> factor;
    struct vector<T> x, y;
};

template <class T, enum change CHANGE>
__global__ void __launch_bounds__(THREADS) change_vectors(const struct pair<T> pair)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (i >= pair.count)
        return;
    if (CHANGE == AXPY)
        pair.y[i] += blas_value(pair.factor) * pair.x[i];
    if (CHANGE == SCAL)
        pair.x[i] *= blas_value(pair.factor);
    if (CHANGE == COPY)
        pair.y[i] = pair.x[i];
    if (CHANGE == SWAP) {
        const T old = pair.x[i];
        pair.x[i] = pair.y[i];
        pair.y[i] = old;
    }
}

template <class T, enum change CHANGE>
static cublasStatus_t change_all(cublasHandle_t handle, int count, const T *factor, T *x, int x_step, T *y,
                                 int y_step)
{
    static const T one = 1;
    const bool is_scaled = CHANGE == AXPY || CHANGE == SCAL;
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (is_scaled && !factor)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (count <= 0 || (CHANGE == SCAL && x_step <= 0))
        return CUBLAS_STATUS_SUCCESS;
    const bool is_device = is_scaled && handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    const struct pair<T> pair = {
        count, blas_factor(is_scaled ? factor : &one, is_device), vector_of(x, count, x_step),
            vector_of(y, count, y_step)
    };
    return blas_launch((const void *)change_vectors<T, CHANGE>, dim3((count + THREADS - 1) / THREADS),
                       THREADS, &pair, handle->stream);
}

/* ---------------------------------------------------------------------------------------- all elements to one */

enum reduction { DOT, NRM2, ASUM, AMAX, AMIN };

struct partial {
    double value;
    int index; /* of amax and amin: from 1, as Fortran counts; 0: none yet */
};

template <class T> struct task {
    int count;
    struct vector<const T> x, y;
    struct partial *partials; /* BLOCKS of them */
    int blocks;
    void *result; /* a T, or the int that is an index */
};

template <enum reduction KIND> __device__ struct partial joined(struct partial a, struct partial b)
{
    if (KIND < AMAX)
        return {a.value + b.value, 0};
    if (!a.index || !b.index)
        return a.index ? a : b;
    if (a.value == b.value)
        return a.index < b.index ? a : b;
    return (KIND == AMAX ? a.value > b.value : a.value < b.value) ? a : b;
}

template <class T, enum reduction KIND>
__device__ struct partial element(const struct task<T> &task, long long i)
{
    const double x = task.x[i];
    if (KIND == DOT)
        return {x * task.y[i], 0};
    if (KIND == NRM2)
        return {x * x, 0};
    return {fabs(x), (int)i + 1};
}

/* The block's threads' partials become one, thread 0's. */
template <enum reduction KIND> __device__ struct partial join_block(struct partial mine)
{
    __shared__ struct partial all[THREADS];
    all[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half)
            all[threadIdx.x] = joined<KIND>(all[threadIdx.x], all[threadIdx.x + half]);
        __syncthreads();
    }
    return all[0];
}

template <class T, enum reduction KIND>
__global__ void __launch_bounds__(THREADS) reduce_parts(const struct task<T> task)
{
    struct partial mine = {0, 0};
    for (long long i = (long long)blockIdx.x * THREADS + threadIdx.x; i < task.count;
         i += (long long)task.blocks * THREADS)
        mine = joined<KIND>(mine, element<T, KIND>(task, i));
    mine = join_block<KIND>(mine);
    if (threadIdx.x == 0)
        task.partials[blockIdx.x] = mine;
}

template <class T, enum reduction KIND>
__global__ void __launch_bounds__(THREADS) reduce_all(const struct task<T> task)
{
    struct partial mine = {0, 0};
    if (threadIdx.x < task.blocks)
        mine = task.partials[threadIdx.x];
    mine = join_block<KIND>(mine);
    if (threadIdx.x != 0)
        return;
    if (KIND >= AMAX)
        *(int *)task.result = mine.index;
    else
        *(T *)task.result = (T)(KIND == NRM2 ? sqrt(mine.value) : mine.value);
}

template <class T, enum reduction KIND>
static cublasStatus_t launch_reduction(const struct task<T> *task, cudaStream_t stream)
{
    const cublasStatus_t status =
        blas_launch((const void *)reduce_parts<T, KIND>, dim3(task->blocks), THREADS, task, stream);
    return status ? status : blas_launch((const void *)reduce_all<T, KIND>, dim3(1), THREADS, task, stream);
}

static cublasStatus_t fetch_result(void *to, const void *from, size_t size, cudaStream_t stream)
{
    const cudaError_t error = cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, stream);
    return blas_status(error ? error : cudaStreamSynchronize(stream));
}

/* The result lies behind the partials until the host fetches it, unless the program wants it in device memory. */
template <class T, enum reduction KIND>
static cublasStatus_t reduce(cublasHandle_t handle, int count, const T *x, int x_step, const T *y, int y_step,
                             void *result)
{
    const size_t size = KIND >= AMAX ? sizeof(int) : sizeof(T);
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!result)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!handle->partials && cudaMalloc(&handle->partials, (BLOCKS + 1) * sizeof(struct partial)))
        return CUBLAS_STATUS_ALLOC_FAILED;
    if (count < 0 || (KIND != DOT && x_step <= 0))
        count = 0;
    const int blocks = count < BLOCKS * THREADS ? (count + THREADS - 1) / THREADS : BLOCKS;
    const bool is_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    struct partial *partials = (struct partial *)handle->partials;
    const struct task<T> task = {
        count, vector_of(x, count, x_step), vector_of(y, count, y_step), partials, blocks > 0 ? blocks : 1,
            is_device ? result : (void *)(partials + BLOCKS)
    };
    const cublasStatus_t status = launch_reduction<T, KIND>(&task, handle->stream);
    return status || is_device ? status : fetch_result(result, task.result, size, handle->stream);
}

/* ---------------------------------------------------------------------------------------- the functions of one type */

#define VECTORS(name, index_name, T)                                                                         \
    BLAS_API cublas##name##axpy_v2(cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, \
                                   int incy)                                                                 \
    {                                                                                                        \
        return change_all<T, AXPY>(handle, n, alpha, (T *)x, incx, y, incy);                                 \
    }                                                                                                        \
    BLAS_API cublas##name##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *x, int incx)             \
    {                                                                                                        \
        return change_all<T, SCAL>(handle, n, alpha, x, incx, NULL, 1);                                      \
    }                                                                                                        \
    BLAS_API cublas##name##copy_v2(cublasHandle_t handle, int n, const T *x, int incx, T *y, int incy)       \
    {                                                                                                        \
        return change_all<T, COPY>(handle, n, NULL, (T *)x, incx, y, incy);                                  \
    }                                                                                                        \
    BLAS_API cublas##name##swap_v2(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy)             \
    {                                                                                                        \
        return change_all<T, SWAP>(handle, n, NULL, x, incx, y, incy);                                       \
    }                                                                                                        \
    BLAS_API cublas##name##dot_v2(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy,  \
                                  T *result)                                                                 \
    {                                                                                                        \
        return reduce<T, DOT>(handle, n, x, incx, y, incy, result);                                          \
    }                                                                                                        \
    BLAS_API cublas##name##nrm2_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result)            \
    {                                                                                                        \
        return reduce<T, NRM2>(handle, n, x, incx, x, incx, result);                                         \
    }                                                                                                        \
    BLAS_API cublas##name##asum_v2(cublasHandle_t handle, int n, const T *x, int incx, T *result)            \
    {                                                                                                        \
        return reduce<T, ASUM>(handle, n, x, incx, x, incx, result);                                         \
    }                                                                                                        \
    BLAS_API cublas##index_name##amax_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result)    \
    {                                                                                                        \
        return reduce<T, AMAX>(handle, n, x, incx, x, incx, result);                                         \
    }                                                                                                        \
    BLAS_API cublas##index_name##amin_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result)    \
    {                                                                                                        \
        return reduce<T, AMIN>(handle, n, x, incx, x, incx, result);                                         \
    }
VECTORS(S, Is, float)
VECTORS(D, Id, double)
