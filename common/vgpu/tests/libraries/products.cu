/* products.cu - cuBLAS's matrix products against sums on the host in double: all transpositions, odd sizes, leading dimensions,
 * factors in host and in device memory, batches, and what must not be read. The same program passes with the toolkit's library. */
// options: -lcublas
#include <cublas_v2.h>

#include "../kit.cuh"

static cublasHandle_t blas;

#define BLAS(call) EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, call)

/* Sizes and what is made of them; leading dimensions are larger than they need to be by `spare`. */
struct scene {
    int m, n, k, spare, batches;
    cublasOperation_t op_a, op_b;
    double alpha, beta;
};

static cublasStatus_t gemm(const scene &s, const float *alpha, const float *a, int lda, const float *b,
                           int ldb, const float *beta, float *c, int ldc)
{
    return cublasSgemm(blas, s.op_a, s.op_b, s.m, s.n, s.k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static cublasStatus_t gemm(const scene &s, const double *alpha, const double *a, int lda, const double *b,
                           int ldb, const double *beta, double *c, int ldc)
{
    return cublasDgemm(blas, s.op_a, s.op_b, s.m, s.n, s.k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static cublasStatus_t gemm_strided(const scene &s, const float *alpha, const float *a, int lda, long long sa,
                                   const float *b, int ldb, long long sb, const float *beta, float *c,
                                   int ldc, long long sc)
{
    return cublasSgemmStridedBatched(blas, s.op_a, s.op_b, s.m, s.n, s.k, alpha, a, lda, sa, b, ldb, sb, beta,
                                     c, ldc, sc, s.batches);
}

static cublasStatus_t gemm_strided(const scene &s, const double *alpha, const double *a, int lda,
                                   long long sa, const double *b, int ldb, long long sb, const double *beta,
                                   double *c, int ldc, long long sc)
{
    return cublasDgemmStridedBatched(blas, s.op_a, s.op_b, s.m, s.n, s.k, alpha, a, lda, sa, b, ldb, sb, beta,
                                     c, ldc, sc, s.batches);
}

static cublasStatus_t gemm_listed(const scene &s, const float *alpha, float **a, int lda, float **b, int ldb,
                                  const float *beta, float **c, int ldc)
{
    return cublasSgemmBatched(blas, s.op_a, s.op_b, s.m, s.n, s.k, alpha, a, lda, b, ldb, beta, c, ldc,
                              s.batches);
}

static cublasStatus_t gemm_listed(const scene &s, const double *alpha, double **a, int lda, double **b,
                                  int ldb, const double *beta, double **c, int ldc)
{
    return cublasDgemmBatched(blas, s.op_a, s.op_b, s.m, s.n, s.k, alpha, a, lda, b, ldb, beta, c, ldc,
                              s.batches);
}

template <class T> static std::vector<T> numbers(size_t count, int seed)
{
    kit_random random(seed);
    std::vector<T> values(count);
    for (T &value : values)
        value = (T)(random.unit() * 2 - 1);
    return values;
}

/* A matrix with its batch on both sides. Between members, and below columns, lies NaN: who reads or writes there is seen. */
template <class T> struct matrix {
    int rows, columns, leading;
    long long stride;
    std::vector<T> host;
    T *device;
    matrix(int rows, int columns, int spare, int batches, int seed)
        : rows(rows), columns(columns), leading((rows > 0 ? rows : 1) + spare),
          stride((long long)leading * columns + spare)
    {
        const std::vector<T> values = numbers<T>((size_t)rows * columns * batches, seed);
        host.assign(stride * batches + 1, (T)NAN);
        for (int z = 0; z < batches; z++)
            for (int j = 0; j < columns; j++)
                for (int i = 0; i < rows; i++)
                    host[z * stride + i + (long long)j * leading] =
                        values[((size_t)z * columns + j) * rows + i];
        device = to_device(host);
    }
    ~matrix()
    {
        cudaFree(device);
    }
    T at(int z, int i, int j) const
    {
        return host[z * stride + i + (long long)j * leading];
    }
};

template <class T>
static void check(const scene &s, const matrix<T> &a, const matrix<T> &b, const matrix<T> &c)
{
    const std::vector<T> got = from_device(c.device, c.host.size());
    const double limit = (s.k + 4) * (sizeof(T) == 4 ? 6e-8 : 1.2e-16) * 2;
    std::vector<bool> is_inside(got.size());
    for (int z = 0; z < s.batches; z++)
        for (int j = 0; j < s.n; j++)
            for (int i = 0; i < s.m; i++) {
                double sum = 0;
                for (int k = 0; k < s.k && s.alpha != 0; k++)
                    sum += (double)(s.op_a == CUBLAS_OP_N ? a.at(z, i, k) : a.at(z, k, i)) *
                           (s.op_b == CUBLAS_OP_N ? b.at(z, k, j) : b.at(z, j, k));
                const size_t place = z * c.stride + i + (size_t)j * c.leading;
                is_inside[place] = true;
                const double want = s.alpha * sum + (s.beta != 0 ? s.beta * c.at(z, i, j) : 0);
                EXPECT_NEAR(want, got[place], limit);
            }
    for (size_t i = 0; i < got.size(); i++)
        EXPECT(is_inside[i] || got[i] != got[i]); /* nobody wrote beside C */
}

enum way { PLAIN, DEVICE_FACTORS, STRIDED, LISTED };

template <class T> static T **listed(const matrix<T> &m, int batches)
{
    std::vector<T *> list;
    for (int z = 0; z < batches; z++)
        list.push_back(m.device + z * m.stride);
    return to_device(list);
}

template <class T> static void try_scene(const scene &s, enum way way)
{
    const bool is_a = s.op_a != CUBLAS_OP_N, is_b = s.op_b != CUBLAS_OP_N;
    matrix<T> a(is_a ? s.k : s.m, is_a ? s.m : s.k, s.spare, s.batches, 1);
    matrix<T> b(is_b ? s.n : s.k, is_b ? s.k : s.n, s.spare, s.batches, 2);
    matrix<T> c(s.m, s.n, s.spare, s.batches, 3);
    const T alpha = (T)s.alpha, beta = (T)s.beta;
    if (way == PLAIN) {
        BLAS(gemm(s, &alpha, a.device, a.leading, b.device, b.leading, &beta, c.device, c.leading));
    } else if (way == DEVICE_FACTORS) {
        T *factors = to_device(std::vector<T>{alpha, beta});
        BLAS(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
        BLAS(gemm(s, factors, a.device, a.leading, b.device, b.leading, factors + 1, c.device, c.leading));
        BLAS(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
        CHECK(cudaFree(factors));
    } else if (way == STRIDED) {
        BLAS(gemm_strided(s, &alpha, a.device, a.leading, a.stride, b.device, b.leading, b.stride, &beta,
                          c.device, c.leading, c.stride));
    } else {
        T **as = listed(a, s.batches), **bs = listed(b, s.batches), **cs = listed(c, s.batches);
        BLAS(gemm_listed(s, &alpha, as, a.leading, bs, b.leading, &beta, cs, c.leading));
        CHECK(cudaFree(as));
        CHECK(cudaFree(bs));
        CHECK(cudaFree(cs));
    }
    check(s, a, b, c);
}

static void try_both(const scene &s, enum way way)
{
    try_scene<float>(s, way);
    try_scene<double>(s, way);
}

static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

static void all_transpositions(void)
{
    static const int sizes[][3] = {{1, 1, 1},     {64, 64, 64}, {33, 65, 17},
                                   {130, 70, 40}, {31, 1, 129}, {1, 100, 9}};
    for (cublasOperation_t op_a : operations)
        for (cublasOperation_t op_b : operations)
            for (const int(&size)[3] : sizes)
                for (int spare = 0; spare < 4; spare += 3)
                    try_both({size[0], size[1], size[2], spare, 1, op_a, op_b, 1.5, -0.5}, PLAIN);
}

/* Large enough for the kernels with large tiles: more of them than a GPU has multiprocessors. */
static void large_ones(void)
{
    for (cublasOperation_t op_a : {CUBLAS_OP_N, CUBLAS_OP_T})
        for (cublasOperation_t op_b : {CUBLAS_OP_N, CUBLAS_OP_T}) {
            try_both({1536, 1540, 12, 0, 1, op_a, op_b, 1, 0}, PLAIN);
            try_both({1537, 1543, 9, 1, 1, op_a, op_b, 1, 1}, PLAIN);
            try_both({768, 772, 20, 0, 1, op_a, op_b, 2, 1}, PLAIN);
        }
}

static void factors(void)
{
    for (double alpha : {0.0, 1.0, -2.0})
        for (double beta : {0.0, 1.0, 0.25}) {
            try_both({45, 37, 29, 2, 1, CUBLAS_OP_N, CUBLAS_OP_T, alpha, beta}, PLAIN);
            try_both({45, 37, 29, 2, 1, CUBLAS_OP_T, CUBLAS_OP_N, alpha, beta}, DEVICE_FACTORS);
        }
    try_both({45, 37, 0, 2, 1, CUBLAS_OP_N, CUBLAS_OP_N, 1, 3}, PLAIN); /* C is scaled */
    try_both({45, 37, 0, 2, 1, CUBLAS_OP_N, CUBLAS_OP_N, 1, 0}, PLAIN); /* and set to zero */
}

/* NaN in C must not come through a beta of zero, nor NaN in A through an alpha of zero. */
static void not_read(void)
{
    const float zero = 0, one = 1;
    std::vector<float> nan(64, NAN);
    float *a = to_device(nan), *c = to_device(nan), *b = to_device(std::vector<float>(64, 1.0f));
    BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, b, 8, b, 8, &zero, c, 8));
    for (float value : from_device(c, 64))
        EXPECT_EQUAL(8.0f, value);
    BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &zero, a, 8, a, 8, &one, c, 8));
    for (float value : from_device(c, 64))
        EXPECT_EQUAL(8.0f, value);
}

static void batches(void)
{
    for (enum way way : {STRIDED, LISTED})
        for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
            try_both({17, 19, 23, 0, 5, op, CUBLAS_OP_N, 1, 0}, way);
            try_both({64, 32, 16, 0, 40, CUBLAS_OP_N, op, 1, 1}, way);
            try_both({20, 12, 8, 3, 7, op, op, -1, 0.5}, way);
        }
}

/* One matrix for all members of a batch, as with broadcast weights. */
static void stride_of_zero(void)
{
    const float one = 1, zero = 0;
    const std::vector<float> weights = random_floats(16 * 16, 4), inputs = random_floats(16 * 16 * 3, 5);
    float *a = to_device(weights), *b = to_device(inputs), *c = device_new<float>(16 * 16 * 3);
    BLAS(cublasSgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, 16, 16, 16, &one, a, 16, 0, b, 16, 256,
                                   &zero, c, 16, 256, 3));
    const std::vector<float> got = from_device(c, 16 * 16 * 3);
    for (int i = 0; i < 16 * 16 * 3; i++) {
        double want = 0;
        for (int k = 0; k < 16; k++)
            want += (double)weights[i % 16 + k * 16] * inputs[k + i / 16 * 16];
        EXPECT_NEAR(want, got[i], 2e-6);
    }
}

static void types_known_at_run_time(void)
{
    const float one = 1, zero = 0;
    const std::vector<float> left = random_floats(24 * 16, 6), right = random_floats(16 * 20, 7);
    float *a = to_device(left), *b = to_device(right), *c = device_new<float>(24 * 20),
          *d = device_new<float>(24 * 20);
    BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 24, 20, 16, &one, a, 24, b, 16, &zero, d, 24));
    for (cublasComputeType_t compute :
         {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F_FAST_TF32}) {
        CHECK(cudaMemset(c, 255, 24 * 20 * sizeof *c));
        BLAS(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 24, 20, 16, &one, a, CUDA_R_32F, 24, b, CUDA_R_32F,
                          16, &zero, c, CUDA_R_32F, 24, compute, CUBLAS_GEMM_DEFAULT));
        const std::vector<float> want = from_device(d, 24 * 20), got = from_device(c, 24 * 20);
        for (int i = 0; i < 24 * 20; i++)
            EXPECT_NEAR(want[i], got[i], compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? 2e-2 : 2e-6);
    }
    BLAS(cublasGemmStridedBatchedEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, CUDA_R_32F, 8, 64, b,
                                    CUDA_R_32F, 8, 64, &zero, c, CUDA_R_32F, 8, 64, 4, CUBLAS_COMPUTE_32F,
                                    CUBLAS_GEMM_DEFAULT_TENSOR_OP));
}

/* A product on a stream waits for what is before it there. */
static void streams(void)
{
    const float one = 1, zero = 0;
    cudaStream_t stream, given;
    CHECK(cudaStreamCreate(&stream));
    BLAS(cublasSetStream(blas, stream));
    BLAS(cublasGetStream(blas, &given));
    EXPECT(given == stream);
    float *a = to_device(std::vector<float>(64, 2.0f)), *c = device_new<float>(64);
    CHECK(cudaMemsetAsync(a, 0, 32 * sizeof(float), stream));
    BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, a, 8, &zero, c, 8));
    CHECK(cudaStreamSynchronize(stream));
    const std::vector<float> got = from_device(c, 64);
    EXPECT_EQUAL(0.0f, got[0]);
    EXPECT_EQUAL(16.0f, got[63]);
    BLAS(cublasSetStream(blas, NULL));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    BLAS(cublasCreate(&blas));
    all_transpositions();
    large_ones();
    factors();
    not_read();
    batches();
    stride_of_zero();
    types_known_at_run_time();
    streams();
    BLAS(cublasDestroy(blas));
    return finish();
}
