/* systems.cu - cuBLAS's batches of small systems, and products of matrices of the host, against the definitions: P A = L U, A x = b,
 * A times its inverse is one. The same program passes with the toolkit's library. */
// options: -lcublas
#include <cublasXt.h>
#include <cublas_v2.h>

#include "../kit.cuh"

#define BLAS(call) EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, call)

enum { BATCHES = 3, MOST = 40, PADDED = MOST + 3, COLUMNS = 5 };
static cublasHandle_t blas;

/* Large elements stand away from the diagonal, so that rows must be exchanged. */
static double element(int batch, int i, int j)
{
    const int mixed = (i * 37 + j * 61 + batch * 17) % 101;
    return (mixed - 50) / 50.0 + (i == (j + 3) % MOST ? 4 : 0);
}

/* Matrices of a batch, in device memory, and the list of their addresses. */
struct batch {
    double *data, **list;
};

static struct batch make(int rows, int columns, double (*value)(int, int, int))
{
    struct batch made;
    std::vector<double> host(BATCHES * PADDED * columns, -9);
    for (int b = 0; b < BATCHES; b++)
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++)
                host[(b * columns + j) * PADDED + i] = value(b, i, j);
    CHECK(cudaMalloc(&made.data, host.size() * sizeof(double)));
    CHECK(cudaMemcpy(made.data, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice));
    double *list[BATCHES];
    for (int b = 0; b < BATCHES; b++)
        list[b] = made.data + b * columns * PADDED;
    CHECK(cudaMalloc(&made.list, sizeof list));
    CHECK(cudaMemcpy(made.list, list, sizeof list, cudaMemcpyHostToDevice));
    return made;
}

static std::vector<double> fetch(const struct batch &batch, int columns)
{
    std::vector<double> host(BATCHES * PADDED * columns);
    CHECK(cudaMemcpy(host.data(), batch.data, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
    return host;
}

static double nothing(int, int, int)
{
    return 0;
}

static double right_side(int batch, int i, int j)
{
    return i + 10 * j + batch;
}

/* Row i of the product of the factors is row order[i] of the matrix. */
static void test_factors(int n, const std::vector<double> &lu, const std::vector<int> &pivots)
{
    for (int b = 0; b < BATCHES; b++) {
        std::vector<int> order(n);
        for (int i = 0; i < n; i++)
            order[i] = i;
        for (int i = 0; i < n; i++)
            std::swap(order[i], order[pivots[b * n + i] - 1]);
        const double *a = &lu[b * n * PADDED];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = i <= j ? a[j * PADDED + i] : 0;
                for (int k = 0; k < i && k <= j; k++)
                    sum += a[k * PADDED + i] * a[j * PADDED + k];
                EXPECT_NEAR(element(b, order[i], j), sum, 1e-12);
            }
    }
}

static void test_solution(int n, const std::vector<double> &x, bool is_transposed)
{
    for (int b = 0; b < BATCHES; b++)
        for (int column = 0; column < COLUMNS; column++)
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int j = 0; j < n; j++)
                    sum += (is_transposed ? element(b, j, i) : element(b, i, j)) * x[(b * COLUMNS + column) * PADDED + j];
                EXPECT_NEAR(right_side(b, i, column), sum, 1e-9);
            }
}

static void test_inverse(int n, const std::vector<double> &inverse)
{
    for (int b = 0; b < BATCHES; b++)
        for (int i = 0; i < n; i++)
            for (int column = 0; column < n; column++) {
                double sum = 0;
                for (int j = 0; j < n; j++)
                    sum += element(b, i, j) * inverse[(b * n + column) * PADDED + j];
                EXPECT_NEAR(i == column, sum, 1e-9);
            }
}

static void test_systems(int n)
{
    int *pivots, *info, host_info[BATCHES], said = -1;
    struct batch a = make(n, n, element), inverse = make(n, n, nothing);
    CHECK(cudaMalloc(&pivots, BATCHES * n * sizeof *pivots));
    CHECK(cudaMalloc(&info, BATCHES * sizeof *info));
    BLAS(cublasDgetrfBatched(blas, n, a.list, PADDED, pivots, info, BATCHES));
    std::vector<int> host_pivots(BATCHES * n);
    CHECK(cudaMemcpy(host_pivots.data(), pivots, host_pivots.size() * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(host_info, info, sizeof host_info, cudaMemcpyDeviceToHost));
    for (int b = 0; b < BATCHES; b++)
        EXPECT_EQUAL(0, host_info[b]);
    test_factors(n, fetch(a, n), host_pivots);
    for (int turn = 0; turn < 2; turn++) {
        struct batch right = make(n, COLUMNS, right_side);
        BLAS(cublasDgetrsBatched(blas, turn ? CUBLAS_OP_T : CUBLAS_OP_N, n, COLUMNS, a.list, PADDED, pivots, right.list,
                                 PADDED, &said, BATCHES));
        EXPECT_EQUAL(0, said);
        test_solution(n, fetch(right, COLUMNS), turn);
    }
    BLAS(cublasDgetriBatched(blas, n, a.list, PADDED, pivots, inverse.list, PADDED, info, BATCHES));
    test_inverse(n, fetch(inverse, n));
}

/* Without exchanges, and a matrix that has no inverse: its second column is twice the first. */
static double singular(int, int i, int j)
{
    return j == 1 ? 2.0 * (i + 1) : i == j || j == 0 ? i + 1.0 : 0;
}

static void test_singular(void)
{
    int *info, host_info[BATCHES];
    struct batch a = make(3, 3, singular);
    CHECK(cudaMalloc(&info, sizeof host_info));
    BLAS(cublasDgetrfBatched(blas, 3, a.list, PADDED, NULL, info, BATCHES));
    CHECK(cudaMemcpy(host_info, info, sizeof host_info, cudaMemcpyDeviceToHost));
    for (int b = 0; b < BATCHES; b++)
        EXPECT_EQUAL(2, host_info[b]);
}

static void test_host_matrices(void)
{
    enum { M = 33, N = 20, K = 17 };
    const float alpha = 2, beta = -1;
    std::vector<float> a(K * M), b(N * K), c(M * N), before;
    int device = 0, tile = 0;
    cublasXtHandle_t xt;
    for (size_t i = 0; i < a.size(); i++)
        a[i] = (float)(i % 7) - 3;
    for (size_t i = 0; i < b.size(); i++)
        b[i] = (float)(i % 5) - 2;
    for (size_t i = 0; i < c.size(); i++)
        c[i] = (float)(i % 11);
    before = c;
    BLAS(cublasXtCreate(&xt));
    BLAS(cublasXtDeviceSelect(xt, 1, &device));
    BLAS(cublasXtSetBlockDim(xt, 64));
    BLAS(cublasXtGetBlockDim(xt, &tile));
    EXPECT_EQUAL(64, tile);
    BLAS(cublasXtSgemm(xt, CUBLAS_OP_T, CUBLAS_OP_N, M, N, K, &alpha, a.data(), K, b.data(), K, &beta, c.data(), M));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0; /* whole numbers: exact */
            for (int k = 0; k < K; k++)
                sum += a[i * K + k] * b[j * K + k];
            EXPECT_EQUAL(alpha * sum + beta * before[j * M + i], c[j * M + i]);
        }
    BLAS(cublasXtDestroy(xt));
}

int main()
{
    BLAS(cublasCreate(&blas));
    for (int n : {1, 2, 7, 33, (int)MOST})
        test_systems(n);
    test_singular();
    test_host_matrices();
    BLAS(cublasDestroy(blas));
    return finish();
}
