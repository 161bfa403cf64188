/* blas_multiply.cu - general matrix products in tiles that blocks compute from shared memory and threads from registers.
 * A kernel for each size of tile and each direction in which A and B lie; results do not depend on which is taken, since each
 * sum runs over k in order. Tensor cores are not used, as nothing on the virtual GPU can: a real library's products of doubles
 * are about twice as fast on GPUs whose tensor cores take doubles. */
#include "blas.h"

/* ROWS by COLUMNS of D a block, ROWS_EACH by COLUMNS_EACH of it a thread, DEPTH of k at a time; registers are shared out so that
 * RESIDENT blocks fit on a multiprocessor. */
template <int ROWS, int COLUMNS, int DEPTH, int ROWS_EACH, int COLUMNS_EACH, int RESIDENT> struct tile {
    enum {
        rows = ROWS,
        columns = COLUMNS,
        depth = DEPTH,
        resident = RESIDENT,
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

template <class T> __host__ __device__ bool is_packable(const struct blas_matrix<T> &matrix, int contiguous)
{
    enum { COUNT = packet<T>::count };
    return !matrix.list && (size_t)matrix.data % sizeof(packet<T>) == 0 && matrix.leading % COUNT == 0 &&
           matrix.stride % COUNT == 0 && contiguous % COUNT == 0;
}

/* Brings WIDTH by DEPTH elements of a factor from global memory to shared memory, by way of registers. IS_ALONG: they are
 * contiguous in the direction of WIDTH, which is that of D's rows for A and of D's columns for B; else in that of k. A thread
 * carries packets that lie STEP lines apart; IS_PACKED: each is one access. */
template <class T, class TILE, int WIDTH, bool IS_ALONG, bool IS_PACKED> struct carrier {
    enum {
        DEPTH = TILE::depth,
        EACH = packet<T>::count,
        PARTS = WIDTH * DEPTH / TILE::threads / EACH,
        PER_LINE = (IS_ALONG ? WIDTH : DEPTH) / EACH,
        STEP = TILE::threads / PER_LINE,
        PAD = EACH
    };
    static_assert(PARTS * TILE::threads * EACH == WIDTH * DEPTH && STEP * PER_LINE == TILE::threads,
                  "all carry as much");
    struct packet<T> parts[PARTS];
    const T *source; /* the first element of the first packet */
    long long leading;
    int along_left, lines_left; /* from there to the matrix's end: in the contiguous direction, and across */

    __device__ static int along()
    {
        return threadIdx.x % PER_LINE * EACH;
    }
    __device__ static int line()
    {
        return threadIdx.x / PER_LINE;
    }

    __device__ void begin(const struct blas_matrix<const T> &matrix, unsigned index, int first, int width,
                          int depth)
    {
        leading = matrix.leading;
        source =
            blas_member(matrix, index) + (IS_ALONG ? first : first * leading) + along() + line() * leading;
        along_left = (IS_ALONG ? width - first : depth) - along();
        lines_left = (IS_ALONG ? depth : width - first) - line();
    }

    __device__ void fetch_part(int part)
    {
        const T *from = source + part * STEP * leading;
        const bool is_line = part * STEP < lines_left;
        if (IS_PACKED)
            parts[part] = is_line && along_left > 0 ? *(const packet<T> *)from : packet<T>();
        else
#pragma unroll
            for (int i = 0; i < EACH; i++)
                parts[part].values[i] = is_line && i < along_left ? from[i] : T(0);
    }

    /* The next DEPTH; zeros beyond the end. */
    __device__ void fetch()
    {
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            fetch_part(part);
        source += IS_ALONG ? DEPTH * leading : DEPTH;
        (IS_ALONG ? lines_left : along_left) -= DEPTH;
    }

    __device__ void put(T (*shared)[WIDTH + PAD]) const
    {
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            if (IS_ALONG)
                *(packet<T> *)&shared[line() + part * STEP][along()] = parts[part];
            else
#pragma unroll
                for (int i = 0; i < EACH; i++)
                    shared[along() + i][line() + part * STEP] = parts[part].values[i];
    }
};

/* A thread's elements lie in groups of RUN, a group's width of all threads apart: neighbours then read neighbouring words. */
template <int EACH, int PACKET> struct groups {
    enum { RUN = EACH < PACKET ? EACH : PACKET, COUNT = EACH / RUN };
    __device__ static int place(int i, int thread, int width)
    {
        return i / RUN * (width / COUNT) + thread * RUN + i % RUN;
    }
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

/* What becomes of a sum, and where it goes. C is not read where beta is zero. */
template <class T> struct ending {
    T alpha, beta;
    const T *c, *bias;
    T *d;

    __device__ T value(T sum, T c, T bias) const
    {
        return alpha * sum + (beta != 0 ? beta * c : T(0)) + bias;
    }

    __device__ void finish(long long at_c, long long at_d, int row, T sum) const
    {
        d[at_d] = value(sum, beta != 0 ? c[at_c] : T(0), bias ? bias[row] : T(0));
    }

    __device__ void finish_packet(long long at_c, long long at_d, int row,
                                  const T (&sums)[packet<T>::count]) const
    {
        struct packet<T> old = {}, result;
        if (beta != 0)
            old = *(const packet<T> *)&c[at_c];
#pragma unroll
        for (int i = 0; i < packet<T>::count; i++)
            result.values[i] = value(sums[i], old.values[i], bias ? bias[row + i] : T(0));
        *(packet<T> *)&d[at_d] = result;
    }
};

/* The part of a column that lies in one run of a thread's rows. */
template <class T, int RUN>
__device__ void finish_run(const struct blas_product<T> &product, const struct ending<T> &ending, int row,
                           int column, const T (&sums)[RUN], bool is_packed)
{
    const long long c = row + column * product.c.leading, d = row + column * product.d.leading;
    if (column >= product.n)
        return;
    if constexpr (RUN == packet<T>::count)
        if (is_packed && row < product.m) {
            ending.finish_packet(c, d, row, sums);
            return;
        }
#pragma unroll
    for (int i = 0; i < RUN; i++)
        if (row + i < product.m)
            ending.finish(c + i, d + i, row + i, sums[i]);
}

template <class T, class TILE>
__device__ void finish_tile(const struct blas_product<T> &product, const struct ending<T> &ending, int row,
                            int column, T (*sums)[TILE::columns_each])
{
    typedef groups<TILE::rows_each, packet<T>::count> rows;
    typedef groups<TILE::columns_each, packet<T>::count> columns;
    const int down = threadIdx.x % TILE::threads_down, across = threadIdx.x / TILE::threads_down;
    const bool is_packed =
        is_packable(product.d, product.m) && (ending.beta == 0 || is_packable(product.c, product.m));
#pragma unroll
    for (int j = 0; j < TILE::columns_each; j++)
#pragma unroll
        for (int first = 0; first < TILE::rows_each; first += rows::RUN) {
            T run[rows::RUN];
#pragma unroll
            for (int i = 0; i < rows::RUN; i++)
                run[i] = sums[first + i][j];
            finish_run(product, ending, row + rows::place(first, down, TILE::rows),
                       column + columns::place(j, across, TILE::columns), run, is_packed);
        }
}

template <class T, class TILE>
__device__ void multiply_tiles(const T (*a)[TILE::rows + packet<T>::count],
                               const T (*b)[TILE::columns + packet<T>::count], T (*sums)[TILE::columns_each])
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
template <class T, class TILE, bool IS_A_TRANSPOSED, bool IS_B_TRANSPOSED, bool IS_PACKED>
__global__ void __launch_bounds__(TILE::threads, TILE::resident) gemm(const struct blas_product<T> product)
{
    enum { PAD = packet<T>::count };
    __shared__ __align__(16) T a[2][TILE::depth][TILE::rows + PAD], b[2][TILE::depth][TILE::columns + PAD];
    const int tiles_down = (product.m + TILE::rows - 1) / TILE::rows;
    const int row = blockIdx.x % tiles_down * TILE::rows, column = blockIdx.x / tiles_down * TILE::columns;
    const T alpha = blas_value(product.alpha), beta = blas_value(product.beta);
    const int depth = alpha == 0 ? 0 : product.k; /* then A and B are not read */
    T sums[TILE::rows_each][TILE::columns_each] = {};
    struct carrier<T, TILE, TILE::rows, !IS_A_TRANSPOSED, IS_PACKED> left;
    struct carrier<T, TILE, TILE::columns, IS_B_TRANSPOSED, IS_PACKED> right;
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
    const unsigned z = blockIdx.z;
    const T *c = beta != 0 ? blas_member(product.c, z) : NULL;
    const T *bias = product.bias ? product.bias + z * product.bias_stride : NULL;
    const struct ending<T> ending = {
        alpha, beta, c, bias, blas_member(product.d, z)
    };
    finish_tile<T, TILE>(product, ending, row, column, sums);
}

/* ---------------------------------------------------------------------------------------- which kernel */

struct kernel {
    const void *code[2][2]; /* A transposed? B transposed? */
    int rows, columns;
    unsigned threads;
    int pace; /* time per element of D, in tenths of the fastest kernel's */
};

template <class T, class TILE, bool IS_PACKED> struct kernel kernel_of(int pace)
{
    return {{{(const void *)gemm<T, TILE, false, false, IS_PACKED>,
              (const void *)gemm<T, TILE, false, true, IS_PACKED>},
             {(const void *)gemm<T, TILE, true, false, IS_PACKED>,
              (const void *)gemm<T, TILE, true, true, IS_PACKED>}},
            TILE::rows,
            TILE::columns,
            TILE::threads,
            pace};
}

/* From the largest tile down, and last one for matrices whose columns do not begin at multiples of 16 bytes. */
enum { SIZES = 3, ANY = SIZES, KERNELS };

template <class T> struct kernel kernel_at(int which);

template <> struct kernel kernel_at<float>(int which) {
    static const struct kernel kernels[KERNELS] = {kernel_of<float, tile<128, 128, 16, 8, 8, 2>, true>(10),
                                                   kernel_of<float, tile<64, 64, 16, 8, 4, 4>, true>(13),
                                                   kernel_of<float, tile<32, 32, 32, 2, 4, 4>, true>(18),
                                                   kernel_of<float, tile<64, 64, 16, 4, 4, 4>, false>(20)};
    return kernels[which];
}

template <>
struct kernel kernel_at<double>(int which) {
    static const struct kernel kernels[KERNELS] = {kernel_of<double, tile<128, 64, 8, 8, 8, 2>, true>(10),
                                                   kernel_of<double, tile<64, 64, 8, 8, 4, 3>, true>(13),
                                                   kernel_of<double, tile<32, 32, 16, 2, 4, 4>, true>(18),
                                                   kernel_of<double, tile<64, 32, 8, 4, 4, 4>, false>(20)};
    return kernels[which];
}

static long long
tiles_of(const struct kernel *kernel, int m, int n)
{
    return ((m + kernel->rows - 1LL) / kernel->rows) * ((n + kernel->columns - 1LL) / kernel->columns);
}

/* Large tiles are faster, but few of them leave multiprocessors idle. */
template <class T>
static long long time_of(const struct kernel *kernel, const struct blas_product<T> *product)
{
    const long long tiles = tiles_of(kernel, product->m, product->n) * product->batches,
                    places = blas_multiprocessors();
    return (tiles + places - 1) / places * kernel->rows * kernel->columns * kernel->pace;
}

template <class T> static struct kernel choose(const struct blas_product<T> *product)
{
    if (!is_packable(product->a, product->is_a_transposed ? product->k : product->m) ||
        !is_packable(product->b, product->is_b_transposed ? product->n : product->k))
        return kernel_at<T>(ANY);
    struct kernel best = kernel_at<T>(0);
    for (int size = 1; size < SIZES; size++) {
        const struct kernel kernel = kernel_at<T>(size);
        if (time_of(&kernel, product) < time_of(&best, product))
            best = kernel;
    }
    return best;
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
template cublasStatus_t blas_multiply<double>(const struct blas_product<double> *product,
                                              cudaStream_t stream);
