/* blas_lt.cu - cuBLASLt: descriptors of products and of matrices, preferences, and products described by them.
 * Served: fp32 and fp64, matrices in columns or in rows, strided batches, and a bias, ReLU or GELU at the end. There is one
 * algorithm; a heuristic gives it, or says why there is none. */
#include <cublasLt.h>

#include "blas.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

/* ---------------------------------------------------------------------------------------- descriptors and attributes */

/* What lies in the toolkit's opaque structs. */
struct product_form {
    int32_t compute_type, scale_type, pointer_mode, op_a, op_b, op_c, fill_mode;
    uint32_t epilogue;
    const void *bias;
    int64_t bias_stride;
    int32_t bias_type, sm_target;
    int8_t is_fast;
};
struct matrix_form {
    uint32_t type;
    int32_t order;
    uint64_t rows, columns;
    int64_t leading;
    int32_t batches;
    int64_t stride;
};
struct preference_form {
    uint32_t search, reduction_schemes;
    uint64_t workspace;
    uint32_t alignments[4];
    float waves;
    uint64_t implementations;
};

struct attribute {
    int id;
    size_t offset, size;
};
#define FIELD(id, form, field)                                                                               \
    {                                                                                                        \
        id, offsetof(struct form, field), sizeof(((struct form *)0)->field)                                  \
    }

static const struct attribute product_attributes[] = {
    FIELD(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, product_form, compute_type),
    FIELD(CUBLASLT_MATMUL_DESC_SCALE_TYPE, product_form, scale_type),
    FIELD(CUBLASLT_MATMUL_DESC_POINTER_MODE, product_form, pointer_mode),
    FIELD(CUBLASLT_MATMUL_DESC_TRANSA, product_form, op_a),
    FIELD(CUBLASLT_MATMUL_DESC_TRANSB, product_form, op_b),
    FIELD(CUBLASLT_MATMUL_DESC_TRANSC, product_form, op_c),
    FIELD(CUBLASLT_MATMUL_DESC_FILL_MODE, product_form, fill_mode),
    FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE, product_form, epilogue),
    FIELD(CUBLASLT_MATMUL_DESC_BIAS_POINTER, product_form, bias),
    FIELD(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, product_form, bias_stride),
    FIELD(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, product_form, bias_type),
    FIELD(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, product_form, sm_target),
    FIELD(CUBLASLT_MATMUL_DESC_FAST_ACCUM, product_form, is_fast),
};
static const struct attribute matrix_attributes[] = {
    FIELD(CUBLASLT_MATRIX_LAYOUT_TYPE, matrix_form, type),
    FIELD(CUBLASLT_MATRIX_LAYOUT_ORDER, matrix_form, order),
    FIELD(CUBLASLT_MATRIX_LAYOUT_ROWS, matrix_form, rows),
    FIELD(CUBLASLT_MATRIX_LAYOUT_COLS, matrix_form, columns),
    FIELD(CUBLASLT_MATRIX_LAYOUT_LD, matrix_form, leading),
    FIELD(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, matrix_form, batches),
    FIELD(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix_form, stride),
};
static const struct attribute preference_attributes[] = {
    FIELD(CUBLASLT_MATMUL_PREF_SEARCH_MODE, preference_form, search),
    FIELD(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, preference_form, workspace),
    FIELD(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, preference_form, reduction_schemes),
    FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, preference_form, alignments[0]),
    FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, preference_form, alignments[1]),
    FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, preference_form, alignments[2]),
    FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, preference_form, alignments[3]),
    FIELD(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, preference_form, waves),
    FIELD(CUBLASLT_MATMUL_PREF_IMPL_MASK, preference_form, implementations),
};

template <size_t N> static const struct attribute *find(const struct attribute (&attributes)[N], int id)
{
    for (const struct attribute &attribute : attributes)
        if (attribute.id == id)
            return &attribute;
    return NULL;
}

static cublasStatus_t set(const struct attribute *attribute, const char *call, void *form, const void *from,
                          size_t size)
{
    if (!form || !from)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!attribute)
        return blas_refuse(call, "this attribute");
    if (size != attribute->size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy((char *)form + attribute->offset, from, size);
    return CUBLAS_STATUS_SUCCESS;
}

/* A size of 0 asks how large the attribute is. */
static cublasStatus_t get(const struct attribute *attribute, const char *call, const void *form, void *to,
                          size_t size, size_t *written)
{
    if (!form || (size ? !to : !written))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!attribute)
        return blas_refuse(call, "this attribute");
    if (written)
        *written = attribute->size;
    if (!size)
        return CUBLAS_STATUS_SUCCESS;
    if (size != attribute->size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(to, (const char *)form + attribute->offset, size);
    return CUBLAS_STATUS_SUCCESS;
}

template <class OPAQUE> static cublasStatus_t create(OPAQUE **descriptor)
{
    if (!descriptor)
        return CUBLAS_STATUS_INVALID_VALUE;
    *descriptor = (OPAQUE *)calloc(1, sizeof **descriptor);
    return *descriptor ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

static cublasStatus_t destroy(void *descriptor)
{
    free(descriptor);
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- products */

BLAS_API cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t descriptor, size_t size,
                                         cublasComputeType_t compute, cudaDataType_t scale)
{
    static_assert(sizeof(struct product_form) <= sizeof *descriptor, "it lies in there");
    if (!descriptor || size < sizeof(struct product_form))
        return CUBLAS_STATUS_INVALID_VALUE;
    struct product_form *form = (struct product_form *)descriptor;
    memset(form, 0, sizeof *form);
    form->compute_type = compute;
    form->scale_type = scale;
    form->fill_mode = CUBLAS_FILL_MODE_FULL;
    form->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    form->bias_type = -1;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *descriptor, cublasComputeType_t compute,
                                  cudaDataType_t scale)
{
    const cublasStatus_t status = create(descriptor);
    return status ? status
                  : cublasLtMatmulDescInit_internal(*descriptor, sizeof **descriptor, compute, scale);
}

BLAS_API cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor)
{
    return destroy(descriptor);
}

BLAS_API cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t descriptor, cublasLtMatmulDescAttributes_t id,
                                        const void *from, size_t size)
{
    return set(find(product_attributes, id), "cublasLtMatmulDescSetAttribute", descriptor, from, size);
}

BLAS_API cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t descriptor, cublasLtMatmulDescAttributes_t id,
                                        void *to, size_t size, size_t *written)
{
    return get(find(product_attributes, id), "cublasLtMatmulDescGetAttribute", descriptor, to, size, written);
}

/* ---- matrices */

BLAS_API cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size, cudaDataType type,
                                           uint64_t rows, uint64_t columns, int64_t leading)
{
    static_assert(sizeof(struct matrix_form) <= sizeof *layout, "it lies in there");
    if (!layout || size < sizeof(struct matrix_form))
        return CUBLAS_STATUS_INVALID_VALUE;
    *(struct matrix_form *)layout = {(uint32_t)type, CUBLASLT_ORDER_COL, rows, columns, leading, 1, 0};
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
                                    uint64_t columns, int64_t leading)
{
    const cublasStatus_t status = create(layout);
    return status ? status
                  : cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, columns, leading);
}

BLAS_API cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    return destroy(layout);
}

BLAS_API cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t id,
                                          const void *from, size_t size)
{
    return set(find(matrix_attributes, id), "cublasLtMatrixLayoutSetAttribute", layout, from, size);
}

BLAS_API cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t id,
                                          void *to, size_t size, size_t *written)
{
    return get(find(matrix_attributes, id), "cublasLtMatrixLayoutGetAttribute", layout, to, size, written);
}

/* ---- preferences */

BLAS_API cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t size)
{
    static_assert(sizeof(struct preference_form) <= sizeof *preference, "it lies in there");
    if (!preference || size < sizeof(struct preference_form))
        return CUBLAS_STATUS_INVALID_VALUE;
    *(struct preference_form *)preference = {
        CUBLASLT_SEARCH_BEST_FIT, CUBLASLT_REDUCTION_SCHEME_MASK, 0, {256, 256, 256, 256}, 0, ~(uint64_t)0};
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    const cublasStatus_t status = create(preference);
    return status ? status : cublasLtMatmulPreferenceInit_internal(*preference, sizeof **preference);
}

BLAS_API cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    return destroy(preference);
}

BLAS_API cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                              cublasLtMatmulPreferenceAttributes_t id, const void *from,
                                              size_t size)
{
    return set(find(preference_attributes, id), "cublasLtMatmulPreferenceSetAttribute", preference, from,
               size);
}

BLAS_API cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t preference,
                                              cublasLtMatmulPreferenceAttributes_t id, void *to, size_t size,
                                              size_t *written)
{
    return get(find(preference_attributes, id), "cublasLtMatmulPreferenceGetAttribute", preference, to, size,
               written);
}

/* ---------------------------------------------------------------------------------------- handles */

struct cublasLtContext {
    int unused;
};

BLAS_API cublasLtCreate(cublasLtHandle_t *handle)
{
    int device;
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    return cudaGetDevice(&device) ? CUBLAS_STATUS_NOT_INITIALIZED : create(handle);
}

BLAS_API cublasLtDestroy(cublasLtHandle_t handle)
{
    return handle ? destroy(handle) : CUBLAS_STATUS_NOT_INITIALIZED;
}

BLAS_API cublasLtGetProperty(libraryPropertyType type, int *value)
{
    return cublasGetProperty(type, value);
}

extern "C" const char *cublasLtGetStatusName(cublasStatus_t status)
{
    return cublasGetStatusName(status);
}

extern "C" const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return cublasGetStatusString(status);
}

extern "C" size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

extern "C" size_t cublasLtGetCudartVersion(void)
{
    return cublasGetCudartVersion();
}

/* Instructions of the host's that nothing here uses. */
extern "C" unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask)
{
    (void)mask;
    return 0;
}

/* ---------------------------------------------------------------------------------------- the product */

/* A product as it was described: A, B, C, D. */
struct described {
    const struct product_form *form;
    const struct matrix_form *matrices[4];
};

enum { A, B, C, D };

static bool is_in_rows(const struct matrix_form *matrix)
{
    return matrix->order == CUBLASLT_ORDER_ROW;
}

/* op(matrix)'s rows, or its columns. */
static uint64_t extent(const struct matrix_form *matrix, int32_t operation, bool is_rows)
{
    return (operation == CUBLAS_OP_N) == is_rows ? matrix->rows : matrix->columns;
}

static bool is_consistent(const struct described *p)
{
    const struct matrix_form *a = p->matrices[A], *b = p->matrices[B], *c = p->matrices[C],
                             *d = p->matrices[D];
    for (const struct matrix_form *matrix : p->matrices)
        if (matrix->batches != d->batches ||
            matrix->leading < (int64_t)(is_in_rows(matrix) ? matrix->columns : matrix->rows))
            return false;
    return extent(a, p->form->op_a, true) == d->rows && extent(b, p->form->op_b, false) == d->columns &&
           extent(a, p->form->op_a, false) == extent(b, p->form->op_b, true) && c->rows == d->rows &&
           c->columns == d->columns;
}

/* Why the product is not served, or NULL. */
static const char *objection(const struct described *p)
{
    const struct product_form *form = p->form;
    const unsigned known =
        CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_GELU;
    const bool is_double =
        form->compute_type == CUBLAS_COMPUTE_64F || form->compute_type == CUBLAS_COMPUTE_64F_PEDANTIC;
    const uint32_t type = is_double ? CUDA_R_64F : CUDA_R_32F;
    for (const struct matrix_form *matrix : p->matrices) {
        if (matrix->type != type || (uint32_t)form->scale_type != type)
            return "matrices of other types than float and double, or of mixed types";
        if (matrix->order != CUBLASLT_ORDER_COL && matrix->order != CUBLASLT_ORDER_ROW)
            return "matrices in other orders than by columns and by rows";
    }
    if (p->matrices[C]->order != p->matrices[D]->order)
        return "C and D in different orders";
    if (form->epilogue & ~known)
        return "epilogues other than bias, ReLU and GELU";
    if ((form->epilogue & CUBLASLT_EPILOGUE_BIAS) && is_in_rows(p->matrices[D]))
        return "a bias where D is in rows";
    if (form->pointer_mode != CUBLASLT_POINTER_MODE_HOST &&
        form->pointer_mode != CUBLASLT_POINTER_MODE_DEVICE)
        return "vectors of alpha";
    if (form->op_c != CUBLAS_OP_N || form->fill_mode != CUBLAS_FILL_MODE_FULL)
        return "parts of C, and C transposed";
    return NULL;
}

static cublasStatus_t check(const char *call, const struct described *p)
{
    if (!p->form || !p->matrices[A] || !p->matrices[B] || !p->matrices[C] || !p->matrices[D])
        return CUBLAS_STATUS_INVALID_VALUE;
    const char *why = objection(p);
    if (why)
        return blas_refuse(call, why);
    return is_consistent(p) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

enum { THREADS = 256 };

/* What is done with a D of m rows and n columns in memory when the product is there. */
template <class T> struct activation {
    int m, n;
    struct blas_matrix<T> d;
    bool is_gelu; /* else ReLU */
};

/* The approximation by tanh, as cuBLASLt has it. */
template <class T> __device__ T gelu(T x)
{
    return x / 2 * (1 + tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
}

template <class T> __global__ void __launch_bounds__(THREADS) activate(const struct activation<T> activation)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x, column = i / activation.m;
    if (column >= activation.n)
        return;
    T *value = blas_member(activation.d, blockIdx.z) + i % activation.m + column * activation.d.leading;
    if (activation.is_gelu)
        *value = gelu(*value);
    else if (!(*value > 0))
        *value = 0;
}

/* In a kernel of its own: in the product's it would be in every thread's way, used or not. */
template <class T>
static cublasStatus_t launch_activation(const struct blas_product<T> *product, uint32_t epilogue,
                                        cudaStream_t stream)
{
    const struct activation<T> activation = {
        product->m, product->n, product->d, (epilogue & CUBLASLT_EPILOGUE_GELU) != 0
    };
    const long long blocks = ((long long)product->m * product->n + THREADS - 1) / THREADS;
    if (!(epilogue & (CUBLASLT_EPILOGUE_GELU | CUBLASLT_EPILOGUE_RELU)) || blocks == 0 ||
        product->batches == 0)
        return CUBLAS_STATUS_SUCCESS;
    return blas_launch((const void *)activate<T>, dim3((unsigned)blocks, 1, product->batches), THREADS,
                       &activation, stream);
}

/* D in rows is its transpose in columns: op(B)^T op(A)^T. */
template <class T> static void turn(struct blas_product<T> *product)
{
    struct blas_product<T> old = *product;
    product->m = old.n;
    product->n = old.m;
    product->a = old.b;
    product->b = old.a;
    product->is_a_transposed = !old.is_b_transposed;
    product->is_b_transposed = !old.is_a_transposed;
}

template <class T>
static cublasStatus_t multiply(const struct described *p, const T *alpha, const T *a, const T *b,
                               const T *beta, const T *c, T *d, cudaStream_t stream)
{
    const struct matrix_form *const *m = p->matrices;
    const bool is_device = p->form->pointer_mode == CUBLASLT_POINTER_MODE_DEVICE;
    struct blas_product<T> product = {
        (int)m[D]->rows, (int)m[D]->columns, (int)extent(m[A], p->form->op_a, false), m[D]->batches,
            (p->form->op_a != CUBLAS_OP_N) != is_in_rows(m[A]),
            (p->form->op_b != CUBLAS_OP_N) != is_in_rows(m[B]), blas_factor(alpha, is_device),
            blas_factor(beta, is_device), {a, NULL, m[A]->leading, m[A]->stride},
            {b, NULL, m[B]->leading, m[B]->stride}, {c, NULL, m[C]->leading, m[C]->stride},
            {d, NULL, m[D]->leading, m[D]->stride},
            p->form->epilogue &CUBLASLT_EPILOGUE_BIAS ? (const T *)p->form->bias : NULL, p->form->bias_stride,
    };
    if (is_in_rows(m[D]))
        turn(&product);
    const cublasStatus_t status = blas_multiply(&product, stream);
    return status ? status : launch_activation(&product, p->form->epilogue, stream);
}

BLAS_API cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor, const void *alpha,
                        const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
                        cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
                        cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
                        const cublasLtMatmulAlgo_t *algo, void *workspace, size_t size, cudaStream_t stream)
{
    (void)algo, (void)workspace, (void)size;
    const struct described p = {(const struct product_form *)descriptor,
                                {(const struct matrix_form *)a_layout, (const struct matrix_form *)b_layout,
                                 (const struct matrix_form *)c_layout, (const struct matrix_form *)d_layout}};
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    const cublasStatus_t status = check("cublasLtMatmul", &p);
    if (status)
        return status;
    if (!alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p.matrices[D]->type == CUDA_R_64F)
        return multiply(&p, (const double *)alpha, (const double *)a, (const double *)b, (const double *)beta,
                        (const double *)c, (double *)d, stream);
    return multiply(&p, (const float *)alpha, (const float *)a, (const float *)b, (const float *)beta,
                    (const float *)c, (float *)d, stream);
}

BLAS_API cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor,
                                        cublasLtMatrixLayout_t a_layout, cublasLtMatrixLayout_t b_layout,
                                        cublasLtMatrixLayout_t c_layout, cublasLtMatrixLayout_t d_layout,
                                        cublasLtMatmulPreference_t preference, int wanted,
                                        cublasLtMatmulHeuristicResult_t results[], int *given)
{
    const struct described p = {(const struct product_form *)descriptor,
                                {(const struct matrix_form *)a_layout, (const struct matrix_form *)b_layout,
                                 (const struct matrix_form *)c_layout, (const struct matrix_form *)d_layout}};
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!preference || !results || !given || wanted <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    *given = 0;
    const cublasStatus_t status = check("cublasLtMatmulAlgoGetHeuristic", &p);
    if (status)
        return status;
    memset(&results[0], 0, sizeof results[0]);
    results[0].state = CUBLAS_STATUS_SUCCESS;
    results[0].wavesCount = 1;
    *given = 1;
    return CUBLAS_STATUS_SUCCESS;
}
