/* refused.cu - calls that the kit's libraries do not serve: each fails when it is called, and what it says is refused.txt's. */
// options: -lcublas -lcurand
#include <cublasLt.h>
#include <cublas_v2.h>
#include <curand.h>

#include "../kit.cuh"

int main(void)
{
    cublasHandle_t blas;
    curandGenerator_t generator;
    const float one = 1;
    float *memory = device_new<float>(64);
    unsigned counts[2];
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasCreate(&blas));
    EXPECT_EQUAL(CUBLAS_STATUS_NOT_SUPPORTED,
                 cublasCgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, NULL, NULL, 1, NULL, 1, NULL, NULL, 1));
    EXPECT_EQUAL(CUBLAS_STATUS_NOT_SUPPORTED,
                 cublasStrsm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 8,
                             8, &one, memory, 8, memory, 8));
    EXPECT_EQUAL(CUBLAS_STATUS_NOT_SUPPORTED,
                 cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, memory, CUDA_R_16F, 4, memory,
                              CUDA_R_16F, 4, &one, memory, CUDA_R_16F, 4, CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT));
    EXPECT_EQUAL(CUBLAS_STATUS_NOT_SUPPORTED, cublasLtLoggerSetLevel(0));
    EXPECT_EQUAL(CURAND_STATUS_TYPE_ERROR, curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MT19937));
    EXPECT_EQUAL(CURAND_STATUS_SUCCESS, curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_DEFAULT));
    EXPECT_EQUAL(CURAND_STATUS_TYPE_ERROR, curandGeneratePoisson(generator, counts, 2, 1.5));
    EXPECT_EQUAL(CURAND_STATUS_SUCCESS, curandDestroyGenerator(generator));
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasDestroy(blas));
    EXPECT_EQUAL(cudaErrorNotSupported, cudaGetLastError());
    return finish();
}
