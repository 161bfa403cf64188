/* errors.cu - what cuBLAS and cuRAND answer to wrong calls: the statuses that their documentation names. */
// options: -lcublas -lcurand
#include <cublas_v2.h>
#include <curand.h>

#include "../kit.cuh"

static cublasHandle_t blas;
static float *a, *b, *c;
static const float one = 1;

static cublasStatus_t multiply(int m, int n, int k, int lda, int ldb, int ldc, cublasOperation_t op_a,
                               cublasOperation_t op_b)
{
    return cublasSgemm(blas, op_a, op_b, m, n, k, &one, a, lda, b, ldb, &one, c, ldc);
}

static void products(void)
{
    const cublasOperation_t n = CUBLAS_OP_N, t = CUBLAS_OP_T;
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, multiply(8, 8, 8, 8, 8, 8, n, n));
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, multiply(0, 8, 8, 1, 8, 1, n, n));
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, multiply(8, 8, 0, 8, 1, 8, n, n));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, multiply(-1, 8, 8, 8, 8, 8, n, n));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, multiply(8, -1, 8, 8, 8, 8, n, n));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, multiply(8, 8, -1, 8, 8, 8, n, n));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, multiply(8, 8, 8, 7, 8, 8, n, n));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, multiply(4, 8, 8, 7, 8, 8, t, n));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, multiply(8, 8, 8, 8, 7, 8, n, n));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, multiply(8, 8, 4, 8, 7, 8, n, t));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, multiply(8, 8, 8, 8, 8, 7, n, n));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, multiply(8, 8, 8, 8, 8, 8, (cublasOperation_t)9, n));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, cublasSgemm(blas, n, n, 8, 8, 8, NULL, a, 8, b, 8, &one, c, 8));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, cublasSgemmStridedBatched(blas, n, n, 8, 8, 8, &one, a, 8, 64,
                                                                        b, 8, 64, &one, c, 8, 64, -1));
    EXPECT_EQUAL(CUBLAS_STATUS_NOT_INITIALIZED,
                 cublasSgemm(NULL, n, n, 8, 8, 8, &one, a, 8, b, 8, &one, c, 8));
}

static void vectors_and_matrices(void)
{
    int index = -1;
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasSaxpy(blas, 0, &one, a, 1, b, 1));
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasIsamax(blas, 0, a, 1, &index));
    EXPECT_EQUAL(0, index);
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, cublasIsamax(blas, 8, a, 1, NULL));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE,
                 cublasSgemv(blas, CUBLAS_OP_N, 8, 8, &one, a, 8, b, 0, &one, c, 1));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE,
                 cublasSgemv(blas, CUBLAS_OP_N, -8, 8, &one, a, 8, b, 1, &one, c, 1));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, cublasSger(blas, 8, 8, &one, a, 1, b, 0, c, 8));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE,
                 cublasSgeam(blas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, &one, a, 7, &one, b, 8, c, 8));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE,
                 cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, 8, 8, &one, c, 8, &one, b, 8, c, 8));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, cublasSetVector(8, 4, &one, 0, a, 1));
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE, cublasSetMatrix(8, 8, 0, &one, 8, a, 8));
}

static void handles_and_modes(void)
{
    cublasPointerMode_t pointers;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
    EXPECT_EQUAL(CUBLAS_STATUS_NOT_INITIALIZED, cublasGetPointerMode(NULL, &pointers));
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasSetMathMode(blas, CUBLAS_TF32_TENSOR_OP_MATH));
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasGetMathMode(blas, &math));
    EXPECT_EQUAL(CUBLAS_TF32_TENSOR_OP_MATH, math);
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasSetMathMode(blas, CUBLAS_DEFAULT_MATH));
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasGetAtomicsMode(blas, &atomics));
    EXPECT_EQUAL(CUBLAS_ATOMICS_NOT_ALLOWED, atomics);
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasSetWorkspace(blas, a, 0));
    EXPECT(!strcmp(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE"));
    EXPECT(cublasGetStatusString(CUBLAS_STATUS_INVALID_VALUE)[0] != 0);
}

static void random_numbers(void)
{
    curandGenerator_t generator;
    EXPECT_EQUAL(CURAND_STATUS_SUCCESS, curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
    EXPECT_EQUAL(CURAND_STATUS_LENGTH_NOT_MULTIPLE, curandGenerateNormal(generator, a, 7, 0, 1));
    EXPECT_EQUAL(CURAND_STATUS_TYPE_ERROR, curandGenerateLongLong(generator, (unsigned long long *)a, 2));
    EXPECT_EQUAL(CURAND_STATUS_OUT_OF_RANGE,
                 curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT));
    EXPECT_EQUAL(CURAND_STATUS_SUCCESS, curandDestroyGenerator(generator));
    EXPECT_EQUAL(CURAND_STATUS_NOT_INITIALIZED, curandDestroyGenerator(NULL));
}

int main(void)
{
    a = to_device(random_floats(64, 1));
    b = to_device(random_floats(64, 2));
    c = to_device(random_floats(64, 3));
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasCreate(&blas));
    products();
    vectors_and_matrices();
    handles_and_modes();
    random_numbers();
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasDestroy(blas));
    return finish();
}
