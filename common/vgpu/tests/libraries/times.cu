/* times.cu - prints how long cuBLAS's products take, best of some: times.cu LARGEST. A row: name, size of the square, us.
 * Compiled with nvcc and the toolkit's library it tells a GPU's times (record.sh), by vgpucc those of the model. */
// options: -lcublas
#include <cublas_v2.h>

#include "../kit.cuh"

static cublasHandle_t blas;
static const float one = 1;
static const double one_double = 1;

template <class T, class F> static void print_time(const char *name, int size, F product)
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

static void print_times(int size)
{
    print_time<float>("sgemm", size, [](float **m, int n) {
        return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, m[0], n, m[1], n, &one, m[2], n);
    });
    print_time<float>("sgemm-transposed", size, [](float **m, int n) {
        return cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, m[0], n, m[1], n, &one, m[2], n);
    });
    print_time<double>("dgemm", size, [](double **m, int n) {
        return cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one_double, m[0], n, m[1], n,
                           &one_double, m[2], n);
    });
    print_time<float>("sgemv", size, [](float **m, int n) {
        return cublasSgemv(blas, CUBLAS_OP_N, n, n, &one, m[0], n, m[1], 1, &one, m[2], 1);
    });
    print_time<float>("saxpy-square", size,
                      [](float **m, int n) { return cublasSaxpy(blas, n * n, &one, m[0], 1, m[1], 1); });
}

int main(int argc, char **argv)
{
    const int largest = argc > 1 ? atoi(argv[1]) : 256;
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasCreate(&blas));
    for (int size = 64; size <= largest; size *= 2)
        print_times(size);
    EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, cublasDestroy(blas));
    return finish();
}
