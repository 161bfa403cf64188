/* blas_multiply.cu - general matrix products in tiles that blocks compute from shared memory and threads from registers.
 * A kernel for each size of tile and each direction in which A and B lie; results do not depend on which is taken, since each
 * sum runs over k in order. Tensor cores are not used, as nothing on the virtual GPU can: a real library's products of doubles
 * are about twice as fast on GPUs whose tensor cores take doubles. */
#include "blas.h"

/* ROWS by COLUMNS of D a block, ROWS_EACH by COLUMNS_EACH of it a thread, DEPTH of k at a time. */
template <int ROWS, int COLUMNS, int DEPTH, int ROWS_EACH, int COLUMNS_EACH> struct tile {
    enum {
        rows = ROWS,
        columns = COLUMNS,
        depth = DEPTH,
        rows_each = ROWS_EACH,
        columns_each = COLUMNS_EACH,
        threads_down = ROWS / ROWS_EACH,
        threads = threads_down * (COLUMNS / COLUMNS_EACH)
    };
};

/* What one access moves: 16 bytes. */
template <class T> struct alignas(16) packet {
    enum { count = 16 / sizeof(T) };
    T values[count];
};

template <class T> __device__ bool is_packable(const struct blas_matrix<T> &matrix, int contiguous)
{
    enum { COUNT = packet<T>::count };
    return !matrix.list && (size_t)matrix.data % sizeof(packet<T>) == 0 && matrix.leading % COUNT == 0 &&
           matrix.stride % COUNT == 0 && contiguous % COUNT == 0;
}

template <class T> __device__ T *member(const struct blas_matrix<T> &matrix, unsigned index)
{
    return matrix.list ? matrix.list[index] : matrix.data + index * matrix.stride;
}

/* Brings WIDTH by DEPTH elements of a factor from global memory to shared memory, by way of registers. IS_ALONG: they are
 * contiguous in the direction of WIDTH, which is that of D's rows for A and of D's columns for B; else in that of k. */
template <class T, int WIDTH, int DEPTH, int THREADS, bool IS_ALONG> struct carrier {
    enum {
        EACH = packet<T>::count,
        PARTS = WIDTH * DEPTH / THREADS / EACH,
        PER_LINE = (IS_ALONG ? WIDTH : DEPTH) / EACH,
        PAD = EACH,
    };
    static_assert(PARTS * THREADS * EACH == WIDTH * DEPTH, "every thread carries as much");
    struct packet<T> parts[PARTS];
    const T *source;
    long long leading;
    int width_left, depth_left;
    bool is_packed;

    __device__ void begin(const struct blas_matrix<const T> &matrix, unsigned index, int first, int width, int depth)
    {
        source = member(matrix, index) + (IS_ALONG ? first : first * matrix.leading);
        leading = matrix.leading;
        width_left = width - first;
        depth_left = depth;
        is_packed = is_packable(matrix, IS_ALONG ? width : depth);
    }

    /* The element with which part begins: how far along WIDTH and along DEPTH. */
    __device__ static int across(int part)
    {
        const int i = part * THREADS + threadIdx.x;
        return IS_ALONG ? i % PER_LINE * EACH : i / PER_LINE;
    }

    __device__ static int down(int part)
    {
        const int i = part * THREADS + threadIdx.x;
        return IS_ALONG ? i / PER_LINE : i % PER_LINE * EACH;
    }

    __device__ bool is_inside(int width, int depth) const { return width < width_left && depth < depth_left; }

    __device__ void fetch_part(int part)
    {
        const int w = across(part), d = down(part);
        const T *from = source + (IS_ALONG ? w + d * leading : d + w * leading);
        if (is_packed) {
            parts[part] = is_inside(w, d) ? *(const packet<T> *)from : packet<T>();
            return;
        }
#pragma unroll
        for (int j = 0; j < EACH; j++)
            parts[part].values[j] = is_inside(w + (IS_ALONG ? j : 0), d + (IS_ALONG ? 0 : j)) ? from[j] : T(0);
    }

    /* The next DEPTH; zeros beyond the end. */
    __device__ void fetch()
    {
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            fetch_part(part);
        source += IS_ALONG ? DEPTH * leading : DEPTH;
        depth_left -= DEPTH;
    }

    __device__ void put(T (*shared)[WIDTH + PAD]) const
    {
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            if (IS_ALONG)
                *(packet<T> *)&shared[down(part)][across(part)] = parts[part];
            else
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    shared[down(part) + j][across(part)] = parts[part].values[j];
    }
};

/* A thread's elements lie in groups of RUN, a group's width of all threads apart: neighbours then read neighbouring words. */
template <int EACH, int PACKET> struct groups {
    enum { RUN = EACH < PACKET ? EACH : PACKET, COUNT = EACH / RUN };
    __device__ static int place(int i, int thread, int width) { return i / RUN * (width / COUNT) + thread * RUN + i % RUN; }
};

template <class T, int EACH, int WIDTH> __device__ void read_line(T *values, const T *line, int thread)
{
    typedef groups<EACH, packet<T>::count> runs;
    struct alignas(runs::RUN * sizeof(T)) run {
        T values[runs::RUN];
    };
#pragma unroll
    for (int i = 0; i < EACH; i += runs::RUN)
        *(run *)&values[i] = *(const run *)&line[runs::place(i, thread, WIDTH)];
}

template <class T> __device__ T activate(T value, enum blas_activation activation)
{
    if (activation == BLAS_RELU)
        return value > 0 ? value : T(0);
    if (activation == BLAS_GELU) /* the approximation by tanh, as cuBLASLt has it */
        return value / 2 * (1 + tanh(T(0.7978845608028654) * (value + T(0.044715) * value * value * value)));
    return value;
}

/* One element of D. C is not read where beta is zero. */
template <class T> struct ending {
    T alpha, beta;
    const T *c, *bias;
    T *d;

    __device__ void finish(const struct blas_product<T> &product, int row, int column, T sum) const
    {
        T value = alpha * sum;
        if (beta != 0)
            value += beta * c[row + column * product.c.leading];
        if (bias)
            value += bias[row];
        d[row + column * product.d.leading] = activate(value, product.activation);
    }
};

template <class T, class TILE>
__device__ void finish_tile(const struct blas_product<T> &product, const struct ending<T> &ending, int row, int column,
                            T (*sums)[TILE::columns_each])
{
    typedef groups<TILE::rows_each, packet<T>::count> rows;
    typedef groups<TILE::columns_each, packet<T>::count> columns;
    const int down = threadIdx.x % TILE::threads_down, across = threadIdx.x / TILE::threads_down;
#pragma unroll
    for (int j = 0; j < TILE::columns_each; j++)
#pragma unroll
        for (int i = 0; i < TILE::rows_each; i++) {
            const int r = row + rows::place(i, down, TILE::rows), c = column + columns::place(j, across, TILE::columns);
            if (r < product.m && c < product.n)
                ending.finish(product, r, c, sums[i][j]);
        }
}

template <class T, class TILE>
__device__ void multiply_tiles(const T (*a)[TILE::rows + packet<T>::count], const T (*b)[TILE::columns + packet<T>::count],
                               T (*sums)[TILE::columns_each])
{
    const int down = threadIdx.x % TILE::threads_down, across = threadIdx.x / TILE::threads_down;
#pragma unroll
    for (int k = 0; k < TILE::depth; k++) {
        T left[TILE::rows_each], right[TILE::columns_each];
        read_line<T, TILE::rows_each, TILE::rows>(left, a[k], down);
        read_line<T, TILE::columns_each, TILE::columns>(right, b[k], across);
#pragma unroll
        for (int i = 0; i < TILE::rows_each; i++)
#pragma unroll
            for (int j = 0; j < TILE::columns_each; j++)
                sums[i][j] += left[i] * right[j];
    }
}

/* While a tile is multiplied, the next one is on its way. */
template <class T, class TILE, bool IS_A_TRANSPOSED, bool IS_B_TRANSPOSED>
__global__ void __launch_bounds__(TILE::threads) gemm(const struct blas_product<T> product)
{
    enum { PAD = packet<T>::count };
    __shared__ __align__(16) T a[2][TILE::depth][TILE::rows + PAD], b[2][TILE::depth][TILE::columns + PAD];
    const int tiles_down = (product.m + TILE::rows - 1) / TILE::rows;
    const int row = blockIdx.x % tiles_down * TILE::rows, column = blockIdx.x / tiles_down * TILE::columns;
    const T alpha = blas_value(product.alpha), beta = blas_value(product.beta);
    const int depth = alpha == 0 ? 0 : product.k; /* then A and B are not read */
    T sums[TILE::rows_each][TILE::columns_each] = {};
    struct carrier<T, TILE::rows, TILE::depth, TILE::threads, !IS_A_TRANSPOSED> left;
    struct carrier<T, TILE::columns, TILE::depth, TILE::threads, IS_B_TRANSPOSED> right;
    if (depth > 0) {
        left.begin(product.a, blockIdx.z, row, product.m, depth);
        right.begin(product.b, blockIdx.z, column, product.n, depth);
        left.fetch();
        right.fetch();
        left.put(a[0]);
        right.put(b[0]);
    }
    int now = 0;
    for (int k = 0; k < depth; k += TILE::depth, now ^= 1) {
        const bool is_last = k + TILE::depth >= depth;
        __syncthreads();
        if (!is_last) {
            left.fetch();
            right.fetch();
        }
        multiply_tiles<T, TILE>(a[now], b[now], sums);
        if (!is_last) {
            left.put(a[now ^ 1]);
            right.put(b[now ^ 1]);
        }
    }
    const struct ending<T> ending = {alpha, beta, beta != 0 ? member(product.c, blockIdx.z) : NULL,
                                     product.bias ? product.bias + blockIdx.z * product.bias_stride : NULL,
                                     member(product.d, blockIdx.z)};
    finish_tile<T, TILE>(product, ending, row, column, sums);
}

/* ---------------------------------------------------------------------------------------- which kernel */

struct kernel {
    const void *code[2][2]; /* A transposed? B transposed? */
    int rows, columns;
    unsigned threads;
};

template <class T, class TILE> struct kernel kernel_of(void)
{
    return {{{(const void *)gemm<T, TILE, false, false>, (const void *)gemm<T, TILE, false, true>},
             {(const void *)gemm<T, TILE, true, false>, (const void *)gemm<T, TILE, true, true>}},
            TILE::rows,
            TILE::columns,
            TILE::threads};
}

template <class T> struct kernel kernel_at(int size);
enum { SIZES = 3 }; /* from the largest tile down */

template <> struct kernel kernel_at<float>(int size)
{
    static const struct kernel kernels[SIZES] = {kernel_of<float, tile<128, 128, 8, 8, 8>>(),
                                                 kernel_of<float, tile<64, 64, 16, 4, 4>>(),
                                                 kernel_of<float, tile<32, 32, 32, 2, 4>>()};
    return kernels[size];
}

template <> struct kernel kernel_at<double>(int size)
{
    static const struct kernel kernels[SIZES] = {kernel_of<double, tile<64, 64, 8, 4, 8>>(),
                                                 kernel_of<double, tile<32, 64, 16, 4, 4>>(),
                                                 kernel_of<double, tile<32, 32, 16, 2, 4>>()};
    return kernels[size];
}

static long long tiles_of(const struct kernel *kernel, int m, int n)
{
    return ((m + kernel->rows - 1LL) / kernel->rows) * ((n + kernel->columns - 1LL) / kernel->columns);
}

/* The largest tiles that still keep every multiprocessor busy. */
template <class T> struct kernel choose(const struct blas_product<T> *product)
{
    int size = 0;
    struct kernel kernel = kernel_at<T>(0);
    while (size + 1 < SIZES && tiles_of(&kernel, product->m, product->n) * product->batches < blas_multiprocessors())
        kernel = kernel_at<T>(++size);
    return kernel;
}

template <class T> static void skip_members(struct blas_matrix<T> *matrix, int count)
{
    if (matrix->list)
        matrix->list += count;
    else
        matrix->data += count * matrix->stride;
}

/* A launch takes as many members of a batch as a grid is deep. */
template <class T> cublasStatus_t blas_multiply(const struct blas_product<T> *product, cudaStream_t stream)
{
    enum { DEEPEST = 65535 };
    if (product->m == 0 || product->n == 0 || product->batches == 0)
        return CUBLAS_STATUS_SUCCESS;
    const struct kernel kernel = choose(product);
    const void *code = kernel.code[product->is_a_transposed][product->is_b_transposed];
    struct blas_product<T> rest = *product;
    while (rest.batches > 0) {
        const int now = rest.batches < DEEPEST ? rest.batches : DEEPEST;
        const dim3 grid((unsigned)tiles_of(&kernel, rest.m, rest.n), 1, now);
        const cublasStatus_t status = blas_launch(code, grid, kernel.threads, &rest, stream);
        if (status)
            return status;
        skip_members(&rest.a, now);
        skip_members(&rest.b, now);
        skip_members(&rest.c, now);
        skip_members(&rest.d, now);
        rest.bias = rest.bias ? rest.bias + now * rest.bias_stride : NULL;
        rest.batches -= now;
    }
    return CUBLAS_STATUS_SUCCESS;
}

template cublasStatus_t blas_multiply<float>(const struct blas_product<float> *product, cudaStream_t stream);
template cublasStatus_t blas_multiply<double>(const struct blas_product<double> *product, cudaStream_t stream);
