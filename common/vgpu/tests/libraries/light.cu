/* light.cu - cuBLASLt's products against sums on the host: columns and rows, transpositions, batches, a D of its own, bias, ReLU and
 * GELU, and descriptors that give back what was set. The same program passes with the toolkit's library. */
// options: -lcublasLt
#include <cublasLt.h>

#include "../kit.cuh"

static cublasLtHandle_t light;

#define BLAS(call) EXPECT_EQUAL(CUBLAS_STATUS_SUCCESS, call)

struct scene {
    int m, n, k, batches;
    cublasOperation_t op_a, op_b;
    cublasLtOrder_t orders[3]; /* of A, of B, of C and D */
    cublasLtEpilogue_t epilogue;
    bool has_own_d;
};

/* One matrix, its layout and its memory; at(z, i, j) whatever the order. */
template <class T> struct matrix {
    int rows, columns, leading;
    bool is_in_rows;
    std::vector<T> host;
    T *device;
    cublasLtMatrixLayout_t layout;
    size_t index(int z, int i, int j) const
    {
        return (size_t)z * leading * (is_in_rows ? rows : columns) +
               (is_in_rows ? j + (size_t)i * leading : i + (size_t)j * leading);
    }
    matrix(int rows, int columns, int batches, cublasLtOrder_t order, int seed)
        : rows(rows), columns(columns), leading((order == CUBLASLT_ORDER_ROW ? columns : rows) + 1),
          is_in_rows(order == CUBLASLT_ORDER_ROW)
    {
        const int64_t stride = (int64_t)leading * (is_in_rows ? rows : columns);
        const std::vector<float> values = random_floats(stride * batches, seed);
        host.assign(values.begin(), values.end());
        device = to_device(host);
        const int32_t which = order;
        BLAS(cublasLtMatrixLayoutCreate(&layout, sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F, rows, columns,
                                        leading));
        BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &which, sizeof which));
        BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches,
                                              sizeof batches));
        BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                              sizeof stride));
    }
    ~matrix()
    {
        BLAS(cublasLtMatrixLayoutDestroy(layout));
        CHECK(cudaFree(device));
    }
    double at(int z, int i, int j) const
    {
        return host[index(z, i, j)];
    }
};

static double activated(double value, cublasLtEpilogue_t epilogue)
{
    if (epilogue & CUBLASLT_EPILOGUE_RELU)
        return value > 0 ? value : 0;
    if (epilogue & CUBLASLT_EPILOGUE_GELU)
        return 0.5 * value * (1 + tanh(sqrt(2 / M_PI) * (value + 0.044715 * value * value * value)));
    return value;
}

template <class T> static void try_scene(const scene &s)
{
    const bool is_a = s.op_a != CUBLAS_OP_N, is_b = s.op_b != CUBLAS_OP_N;
    matrix<T> a(is_a ? s.k : s.m, is_a ? s.m : s.k, s.batches, s.orders[0], 1);
    matrix<T> b(is_b ? s.n : s.k, is_b ? s.k : s.n, s.batches, s.orders[1], 2);
    matrix<T> c(s.m, s.n, s.batches, s.orders[2], 3), own(s.m, s.n, s.batches, s.orders[2], 4);
    matrix<T> &d = s.has_own_d ? own : c;
    const std::vector<T> bias(c.host.begin(), c.host.begin() + s.m);
    const T *device_bias = to_device(bias), alpha = (T)1.5, beta = (T)-0.5;
    cublasLtMatmulDesc_t product;
    BLAS(cublasLtMatmulDescCreate(&product, sizeof(T) == 4 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F,
                                  sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F));
    BLAS(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &s.op_a, sizeof s.op_a));
    BLAS(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSB, &s.op_b, sizeof s.op_b));
    BLAS(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &s.epilogue,
                                        sizeof s.epilogue));
    BLAS(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &device_bias,
                                        sizeof device_bias));
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t best;
    const size_t workspace = 1 << 20;
    int given = 0;
    BLAS(cublasLtMatmulPreferenceCreate(&preference));
    BLAS(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                              &workspace, sizeof workspace));
    BLAS(cublasLtMatmulAlgoGetHeuristic(light, product, a.layout, b.layout, c.layout, d.layout, preference, 1,
                                        &best, &given));
    EXPECT_EQUAL(1, given);
    void *memory = device_new<char>(workspace);
    BLAS(cublasLtMatmul(light, product, &alpha, a.device, a.layout, b.device, b.layout, &beta, c.device,
                        c.layout, d.device, d.layout, &best.algo, memory, workspace, NULL));
    const std::vector<T> got = from_device(d.device, d.host.size());
    for (int z = 0; z < s.batches; z++)
        for (int j = 0; j < s.n; j++)
            for (int i = 0; i < s.m; i++) {
                double sum = 0;
                for (int k = 0; k < s.k; k++)
                    sum += (is_a ? a.at(z, k, i) : a.at(z, i, k)) * (is_b ? b.at(z, j, k) : b.at(z, k, j));
                const double plain =
                    alpha * sum + beta * c.at(z, i, j) + (s.epilogue & CUBLASLT_EPILOGUE_BIAS ? bias[i] : 0);
                EXPECT_NEAR(activated(plain, s.epilogue), got[d.index(z, i, j)],
                            sizeof(T) == 4 ? 1e-5 : 1e-13);
            }
    BLAS(cublasLtMatmulPreferenceDestroy(preference));
    BLAS(cublasLtMatmulDescDestroy(product));
    CHECK(cudaFree(memory));
    CHECK(cudaFree((void *)device_bias));
}

static const cublasLtOrder_t orders[] = {CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW};
static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T};

static void all_orders(void)
{
    for (cublasLtOrder_t a : orders)
        for (cublasLtOrder_t b : orders)
            for (cublasLtOrder_t c : orders)
                for (cublasOperation_t op_a : operations)
                    for (cublasOperation_t op_b : operations)
                        try_scene<float>(
                            {37, 21, 18, 2, op_a, op_b, {a, b, c}, CUBLASLT_EPILOGUE_DEFAULT, true});
}

static void all_endings(void)
{
    for (cublasLtEpilogue_t epilogue :
         {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU,
          CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS})
        for (bool has_own_d : {false, true})
            try_scene<float>({64,
                              48,
                              32,
                              1,
                              CUBLAS_OP_T,
                              CUBLAS_OP_N,
                              {orders[0], orders[0], orders[0]},
                              epilogue,
                              has_own_d});
    try_scene<double>({40,
                       30,
                       20,
                       3,
                       CUBLAS_OP_N,
                       CUBLAS_OP_N,
                       {orders[0], orders[0], orders[0]},
                       CUBLASLT_EPILOGUE_DEFAULT,
                       true});
}

static void attributes(void)
{
    cublasLtMatrixLayout_t layout;
    uint64_t rows = 0;
    int64_t leading = 0;
    size_t written = 0;
    BLAS(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 12, 7, 16));
    BLAS(cublasLtMatrixLayoutGetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows, &written));
    BLAS(cublasLtMatrixLayoutGetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_LD, &leading, sizeof leading, NULL));
    EXPECT_EQUAL(12u, rows);
    EXPECT_EQUAL(sizeof rows, written);
    EXPECT_EQUAL(16, leading);
    EXPECT_EQUAL(CUBLAS_STATUS_INVALID_VALUE,
                 cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 1));
    BLAS(cublasLtMatrixLayoutDestroy(layout));
}

int main(void)
{
    BLAS(cublasLtCreate(&light));
    all_orders();
    all_endings();
    attributes();
    BLAS(cublasLtDestroy(light));
    return finish();
}
