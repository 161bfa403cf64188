/* blas_rows.cu - prints what cuBLAS answers to wrong calls, a row each, and with an argument how long its products take.
 * On a GPU, with the toolkit's library, it records blas.golden (record.sh); on the virtual GPU its rows are held against that
 * file.
 * Rows: status CALL NUMBER; time KERNEL SIZE MICROSECONDS. */
// options: -lcublas -lcublasLt
#include <cublasLt.h>
#include <cublas_v2.h>

#include "../kit.cuh"

static cublasHandle_t blas;
static float *a, *b, *c;
static const float one = 1;

static cublasStatus_t multiply(int m, int n, int k, int lda, int ldb, int ldc, cublasOperation_t op_a, cublasOperation_t op_b)
{
    return cublasSgemm(blas, op_a, op_b, m, n, k, &one, a, lda, b, ldb, &one, c, ldc);
}

static cublasStatus_t multiply_types(cudaDataType type, cublasComputeType_t compute)
{
    return cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, type, 8, b, type, 8, &one, c, CUDA_R_32F, 8, compute,
                        CUBLAS_GEMM_DEFAULT);
}

#define STATUS(name, call) printf("status %s %d\n", name, (int)(call))

static void print_statuses_of_products(void)
{
    const cublasOperation_t n = CUBLAS_OP_N, t = CUBLAS_OP_T;
    STATUS("right", multiply(8, 8, 8, 8, 8, 8, n, n));
    STATUS("negative-m", multiply(-1, 8, 8, 8, 8, 8, n, n));
    STATUS("zero-m", multiply(0, 8, 8, 8, 8, 8, n, n));
    STATUS("zero-m-zero-leading", multiply(0, 8, 8, 0, 8, 0, n, n));
    STATUS("zero-m-leading-one", multiply(0, 8, 8, 1, 8, 1, n, n));
    STATUS("zero-k", multiply(8, 8, 0, 8, 1, 8, n, n));
    STATUS("small-lda", multiply(8, 8, 8, 7, 8, 8, n, n));
    STATUS("small-lda-transposed", multiply(4, 8, 8, 7, 8, 8, t, n));
    STATUS("small-ldb", multiply(8, 8, 8, 8, 7, 8, n, n));
    STATUS("small-ldb-transposed", multiply(8, 8, 4, 8, 7, 8, n, t));
    STATUS("small-ldc", multiply(8, 8, 8, 8, 8, 7, n, n));
    STATUS("bad-operation", multiply(8, 8, 8, 8, 8, 8, (cublasOperation_t)9, n));
    STATUS("null-handle", cublasSgemm(NULL, n, n, 8, 8, 8, &one, a, 8, b, 8, &one, c, 8));
    STATUS("null-alpha", cublasSgemm(blas, n, n, 8, 8, 8, NULL, a, 8, b, 8, &one, c, 8));
    STATUS("null-beta", cublasSgemm(blas, n, n, 8, 8, 8, &one, a, 8, b, 8, NULL, c, 8));
    STATUS("negative-batch",
           cublasSgemmStridedBatched(blas, n, n, 8, 8, 8, &one, a, 8, 64, b, 8, 64, &one, c, 8, 64, -1));
    STATUS("zero-batch", cublasSgemmStridedBatched(blas, n, n, 8, 8, 8, &one, a, 8, 64, b, 8, 64, &one, c, 8, 64, 0));
    STATUS("ex-floats", multiply_types(CUDA_R_32F, CUBLAS_COMPUTE_32F));
    STATUS("ex-tf32", multiply_types(CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32));
    STATUS("ex-floats-in-double", multiply_types(CUDA_R_32F, CUBLAS_COMPUTE_64F));
}

static void print_statuses_of_vectors(void)
{
    int index;
    float result;
    cublasPointerMode_t mode;
    STATUS("axpy-zero-count", cublasSaxpy(blas, 0, &one, a, 1, b, 1));
    STATUS("axpy-negative-count", cublasSaxpy(blas, -1, &one, a, 1, b, 1));
    STATUS("axpy-zero-step", cublasSaxpy(blas, 8, &one, a, 0, b, 1));
    STATUS("scal-zero-step", cublasSscal(blas, 8, &one, a, 0));
    STATUS("scal-negative-step", cublasSscal(blas, 8, &one, a, -1));
    STATUS("amax-zero-count", cublasIsamax(blas, 0, a, 1, &index));
    STATUS("nrm2-negative-step", cublasSnrm2(blas, 8, a, -1, &result));
    STATUS("gemv-zero-step", cublasSgemv(blas, CUBLAS_OP_N, 8, 8, &one, a, 8, b, 0, &one, c, 1));
    STATUS("gemv-small-lda", cublasSgemv(blas, CUBLAS_OP_N, 8, 8, &one, a, 7, b, 1, &one, c, 1));
    STATUS("geam-small-lda", cublasSgeam(blas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, &one, a, 7, &one, b, 8, c, 8));
    STATUS("geam-in-place-transposed", cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, 8, 8, &one, c, 8, &one, b, 8, c, 8));
    STATUS("null-create", cublasCreate(NULL));
    STATUS("null-destroy", cublasDestroy(NULL));
    STATUS("null-mode", cublasGetPointerMode(blas, NULL));
    STATUS("mode-null-handle", cublasGetPointerMode(NULL, &mode));
    STATUS("bad-mode", cublasSetPointerMode(blas, (cublasPointerMode_t)7));
    STATUS("bad-math", cublasSetMathMode(blas, (cublasMath_t)99));
    STATUS("set-vector-zero-step", cublasSetVector(8, 4, &one, 0, a, 1));
    STATUS("set-matrix-small-leading", cublasSetMatrix(8, 8, 4, &one, 7, a, 8));
}

template <class T, class F> void print_time(const char *name, int size, F product)
{
    T *memory[3];
    for (T *&matrix : memory)
        CHECK(cudaMemset(matrix = device_new<T>((size_t)size * size), 0, sizeof(T) * size * size));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float best = 1e30f;
    for (int i = 0; i < 8; i++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, product(memory, size));
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        best = ms < best ? ms : best;
    }
    printf("time %s %d %.2f\n", name, size, best * 1000);
    for (T *matrix : memory)
        CHECK(cudaFree(matrix));
}

static void print_times(int largest)
{
    static const double one_double = 1;
    for (int size = 64; size <= largest; size *= 2) {
        print_time<float>("sgemm", size, [](float **m, int n) {
            return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, m[0], n, m[1], n, &one, m[2], n);
        });
        print_time<float>("sgemm-transposed", size, [](float **m, int n) {
            return cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, m[0], n, m[1], n, &one, m[2], n);
        });
        print_time<double>("dgemm", size, [](double **m, int n) {
            return cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one_double, m[0], n, m[1], n, &one_double, m[2], n);
        });
        print_time<float>("sgemv", size, [](float **m, int n) {
            return cublasSgemv(blas, CUBLAS_OP_N, n, n, &one, m[0], n, m[1], 1, &one, m[2], 1);
        });
        print_time<float>("saxpy-square", size, [](float **m, int n) {
            return cublasSaxpy(blas, n * n, &one, m[0], 1, m[1], 1);
        });
    }
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* a library that crashes on a wrong call leaves the rows before it */
    a = to_device(random_floats(64, 1));
    b = to_device(random_floats(64, 2));
    c = to_device(random_floats(64, 3));
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasCreate(&blas));
    if (argc > 1)
        print_times(atoi(argv[1]));
    print_statuses_of_products();
    print_statuses_of_vectors();
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasDestroy(blas));
    return finish();
}
