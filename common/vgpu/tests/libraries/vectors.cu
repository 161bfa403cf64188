/* vectors.cu - cuBLAS on vectors, on a matrix and vectors, and on two matrices, against the same on the host in double. The same
 * program passes with the toolkit's library. */
// options: -lcublas
#include <cublas_v2.h>

#include "../kit.cuh"

static cublasHandle_t blas;

#define BLAS(call) EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, call)

/* The functions of one type under one name each. */
#define FUNCTIONS(T, name, index_name)                                                                       \
    static cublasStatus_t axpy(int n, const T *f, const T *x, int ix, T *y, int iy)                          \
    {                                                                                                        \
        return cublas##name##axpy(blas, n, f, x, ix, y, iy);                                                 \
    }                                                                                                        \
    static cublasStatus_t scal(int n, const T *f, T *x, int ix)                                              \
    {                                                                                                        \
        return cublas##name##scal(blas, n, f, x, ix);                                                        \
    }                                                                                                        \
    static cublasStatus_t copy(int n, const T *x, int ix, T *y, int iy)                                      \
    {                                                                                                        \
        return cublas##name##copy(blas, n, x, ix, y, iy);                                                    \
    }                                                                                                        \
    static cublasStatus_t swap(int n, T *x, int ix, T *y, int iy)                                            \
    {                                                                                                        \
        return cublas##name##swap(blas, n, x, ix, y, iy);                                                    \
    }                                                                                                        \
    static cublasStatus_t dot(int n, const T *x, int ix, const T *y, int iy, T *r)                           \
    {                                                                                                        \
        return cublas##name##dot(blas, n, x, ix, y, iy, r);                                                  \
    }                                                                                                        \
    static cublasStatus_t nrm2(int n, const T *x, int ix, T *r)                                              \
    {                                                                                                        \
        return cublas##name##nrm2(blas, n, x, ix, r);                                                        \
    }                                                                                                        \
    static cublasStatus_t asum(int n, const T *x, int ix, T *r)                                              \
    {                                                                                                        \
        return cublas##name##asum(blas, n, x, ix, r);                                                        \
    }                                                                                                        \
    static cublasStatus_t amax(int n, const T *x, int ix, int *r)                                            \
    {                                                                                                        \
        return cublas##index_name##amax(blas, n, x, ix, r);                                                  \
    }                                                                                                        \
    static cublasStatus_t amin(int n, const T *x, int ix, int *r)                                            \
    {                                                                                                        \
        return cublas##index_name##amin(blas, n, x, ix, r);                                                  \
    }                                                                                                        \
    static cublasStatus_t gemv(cublasOperation_t op, int m, int n, const T *f, const T *a, int lda,          \
                               const T *x, int ix, const T *g, T *y, int iy)                                 \
    {                                                                                                        \
        return cublas##name##gemv(blas, op, m, n, f, a, lda, x, ix, g, y, iy);                               \
    }                                                                                                        \
    static cublasStatus_t ger(int m, int n, const T *f, const T *x, int ix, const T *y, int iy, T *a,        \
                              int lda)                                                                       \
    {                                                                                                        \
        return cublas##name##ger(blas, m, n, f, x, ix, y, iy, a, lda);                                       \
    }                                                                                                        \
    static cublasStatus_t geam(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, const T *f,     \
                               const T *a, int lda, const T *g, const T *b, int ldb, T *c, int ldc)          \
    {                                                                                                        \
        return cublas##name##geam(blas, op_a, op_b, m, n, f, a, lda, g, b, ldb, c, ldc);                     \
    }
FUNCTIONS(float, S, Is)
FUNCTIONS(double, D, Id)

template <class T> static std::vector<T> numbers(size_t count, int seed)
{
    const std::vector<float> floats = random_floats(count, seed);
    return std::vector<T>(floats.begin(), floats.end());
}

/* Where element i of n is, by the definition of BLAS. */
static size_t place(int i, int n, int step)
{
    return step > 0 ? (size_t)i * step : (size_t)(n - 1 - i) * -step;
}

template <class T> static void check_all(const std::vector<T> &want, const T *device)
{
    const std::vector<T> got = from_device(device, want.size());
    for (size_t i = 0; i < want.size(); i++)
        EXPECT_NEAR(want[i], got[i], sizeof(T) == 4 ? 1e-6 : 1e-14);
}

template <class T> static void changes(int n, int ix, int iy)
{
    const T factor = (T)-1.5;
    std::vector<T> x = numbers<T>((size_t)n * abs(ix), 1), y = numbers<T>((size_t)n * abs(iy), 2);
    T *dx = to_device(x), *dy = to_device(y);
    BLAS(axpy(n, &factor, dx, ix, dy, iy));
    for (int i = 0; i < n; i++)
        y[place(i, n, iy)] += factor * x[place(i, n, ix)];
    check_all(y, dy);
    BLAS(swap(n, dx, ix, dy, iy));
    for (int i = 0; i < n; i++)
        std::swap(x[place(i, n, ix)], y[place(i, n, iy)]);
    check_all(x, dx);
    check_all(y, dy);
    BLAS(scal(n, &factor, dy, abs(iy)));
    for (int i = 0; i < n; i++)
        y[place(i, n, abs(iy))] *= factor;
    check_all(y, dy);
    BLAS(copy(n, dx, ix, dy, iy));
    for (int i = 0; i < n; i++)
        y[place(i, n, iy)] = x[place(i, n, ix)];
    check_all(y, dy);
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
}

template <class T> static void reductions(int n, int ix, int iy)
{
    const double limit = sizeof(T) == 4 ? 2e-5 : 1e-13;
    const std::vector<T> x = numbers<T>((size_t)n * ix, 3), y = numbers<T>((size_t)n * abs(iy), 4);
    T *dx = to_device(x), *dy = to_device(y), result;
    double product = 0, squares = 0, sum = 0;
    int largest = 0, smallest = 0, index;
    for (int i = 0; i < n; i++) {
        const double value = x[place(i, n, ix)];
        product += value * y[place(i, n, iy)];
        squares += value * value;
        sum += fabs(value);
        largest = fabs(value) > fabs(x[place(largest, n, ix)]) ? i : largest;
        smallest = fabs(value) < fabs(x[place(smallest, n, ix)]) ? i : smallest;
    }
    BLAS(dot(n, dx, ix, dy, iy, &result));
    EXPECT_NEAR(product, result, limit);
    BLAS(nrm2(n, dx, ix, &result));
    EXPECT_NEAR(sqrt(squares), result, limit);
    BLAS(asum(n, dx, ix, &result));
    EXPECT_NEAR(sum, result, limit);
    BLAS(amax(n, dx, ix, &index));
    EXPECT_EQUAL(largest + 1, index);
    BLAS(amin(n, dx, ix, &index));
    EXPECT_EQUAL(smallest + 1, index);
    T *there = device_new<T>(1);
    BLAS(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(asum(n, dx, ix, there));
    BLAS(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
    EXPECT_NEAR(sum, from_device(there, 1)[0], limit);
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
    CHECK(cudaFree(there));
}

template <class T> static void vector_products(int m, int n, int spare, int ix, int iy)
{
    const T f = (T)0.75, g = (T)-2;
    const int lda = m + spare;
    const std::vector<T> a = numbers<T>((size_t)lda * n, 5);
    T *da = to_device(a);
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        const int inner = op == CUBLAS_OP_N ? n : m, outer = op == CUBLAS_OP_N ? m : n;
        const std::vector<T> x = numbers<T>((size_t)inner * abs(ix), 6);
        std::vector<T> y = numbers<T>((size_t)outer * abs(iy), 7);
        T *dx = to_device(x), *dy = to_device(y);
        BLAS(gemv(op, m, n, &f, da, lda, dx, ix, &g, dy, iy));
        const std::vector<T> got = from_device(dy, y.size());
        for (int i = 0; i < outer; i++) {
            double sum = 0;
            for (int j = 0; j < inner; j++)
                sum += (double)a[op == CUBLAS_OP_N ? i + (size_t)j * lda : j + (size_t)i * lda] *
                       x[place(j, inner, ix)];
            EXPECT_NEAR(f * sum + g * y[place(i, outer, iy)], got[place(i, outer, iy)],
                        sizeof(T) == 4 ? 1e-5 : 1e-13);
        }
        CHECK(cudaFree(dx));
        CHECK(cudaFree(dy));
    }
    CHECK(cudaFree(da));
}

template <class T> static void outer_products(int m, int n, int spare, int ix, int iy)
{
    const T f = (T)1.25;
    const int lda = m + spare;
    std::vector<T> a = numbers<T>((size_t)lda * n, 8);
    const std::vector<T> x = numbers<T>((size_t)m * abs(ix), 9), y = numbers<T>((size_t)n * abs(iy), 10);
    T *da = to_device(a), *dx = to_device(x), *dy = to_device(y);
    BLAS(ger(m, n, &f, dx, ix, dy, iy, da, lda));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a[i + (size_t)j * lda] += f * x[place(i, m, ix)] * y[place(j, n, iy)];
    check_all(a, da);
    CHECK(cudaFree(da));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
}

template <class T> static void matrix_sums(int m, int n, int spare, double alpha, double beta)
{
    const T f = (T)alpha, g = (T)beta;
    for (cublasOperation_t op_a : {CUBLAS_OP_N, CUBLAS_OP_T})
        for (cublasOperation_t op_b : {CUBLAS_OP_N, CUBLAS_OP_T}) {
            const bool is_a = op_a != CUBLAS_OP_N, is_b = op_b != CUBLAS_OP_N;
            const int lda = (is_a ? n : m) + spare, ldb = (is_b ? n : m) + spare, ldc = m + spare;
            const std::vector<T> a = numbers<T>((size_t)lda * (is_a ? m : n), 11),
                                 b = numbers<T>((size_t)ldb * (is_b ? m : n), 12);
            std::vector<T> c((size_t)ldc * n, (T)7);
            T *da = to_device(a), *db = to_device(b), *dc = to_device(c);
            BLAS(geam(op_a, op_b, m, n, &f, da, lda, &g, db, ldb, dc, ldc));
            for (int j = 0; j < n; j++)
                for (int i = 0; i < m; i++)
                    c[i + (size_t)j * ldc] = f * a[is_a ? j + (size_t)i * lda : i + (size_t)j * lda] +
                                             g * b[is_b ? j + (size_t)i * ldb : i + (size_t)j * ldb];
            check_all(c, dc);
            CHECK(cudaFree(da));
            CHECK(cudaFree(db));
            CHECK(cudaFree(dc));
        }
}

static void copies(void)
{
    const std::vector<float> host = random_floats(7 * 5, 13);
    float *device = device_new<float>(9 * 5);
    std::vector<float> back(6 * 5, -1);
    CHECK(cudaMemset(device, 0, 9 * 5 * sizeof(float)));
    BLAS(cublasSetMatrix(6, 5, sizeof(float), host.data(), 7, device, 9));
    BLAS(cublasGetMatrix(6, 5, sizeof(float), device, 9, back.data(), 6));
    for (int i = 0; i < 30; i++)
        EXPECT_EQUAL(host[i % 6 + i / 6 * 7], back[i]);
    BLAS(cublasSetVector(5, sizeof(float), host.data(), 7, device, 2));
    BLAS(cublasGetVector(5, sizeof(float), device, 2, back.data(), 1));
    for (int i = 0; i < 5; i++)
        EXPECT_EQUAL(host[i * 7], back[i]);
    BLAS(cublasSetVector(35, sizeof(float), host.data(), 1, device, 1));
    BLAS(cublasGetVector(30, sizeof(float), device, 1, back.data(), 1));
    EXPECT_EQUAL(host[29], back[29]);
}

template <class T> static void all_of_type(void)
{
    for (int n : {1, 31, 257, 100000}) {
        changes<T>(n, 1, 1);
        changes<T>(n, 2, -3);
        reductions<T>(n, 1, 1);
        reductions<T>(n, 3, -2);
    }
    for (int m : {1, 33, 300})
        for (int n : {1, 31, 130}) {
            vector_products<T>(m, n, 0, 1, 1);
            vector_products<T>(m, n, 3, -2, 3);
            outer_products<T>(m, n, 2, 1, -2);
            matrix_sums<T>(m, n, 0, 1, 0);
            matrix_sums<T>(m, n, 1, -2, 0.5);
        }
}

int main(void)
{
    BLAS(cublasCreate(&blas));
    all_of_type<float>();
    all_of_type<double>();
    copies();
    BLAS(cublasDestroy(blas));
    return finish();
}
