/* counters.cu - kernels whose traffic is known: copies, transposes, reductions, matrix products, shared patterns.
 * Each launch is one row of golden.csv per metric, named kernel#n (n-th launch of that kernel), in this order.
 * Results are not verified here (tests/lectures does); the launches must stay as they are, or be recorded anew. */
#include "../kit.cuh"

enum { N = 1 << 16, SIDE = 256, TILE = 32, MATMUL = 128 };

/* ---- copies ---- */

extern "C" __global__ void copy_offset(float *out, const float *in, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i + offset] = in[i + offset];
}

extern "C" __global__ void copy_stride(float *out, const float *in, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i * stride] = in[i * stride];
}

extern "C" __global__ void copy_bytes(char *out, const char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void copy_double(double *out, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void copy_float4(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void gather(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];
}

struct point {
    float x, y, z;
};

extern "C" __global__ void read_structs(float *out, const struct point *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].x;
}

extern "C" __global__ void divergent_store(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3 == 0 && i < n)
        out[i] = i;
}

/* ---- transposes of a width x height matrix ---- */

extern "C" __global__ void transpose_naive(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

template <int PITCH> __device__ void transpose_through(float (*tile)[PITCH], float *out, const float *in, int width,
                                                       int height)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void transpose_tiled(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    transpose_through(tile, out, in, width, height);
}

extern "C" __global__ void transpose_padded(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    transpose_through(tile, out, in, width, height);
}

/* ---- reductions: blocks of 256, one partial sum each ---- */

extern "C" __global__ void reduce_interleaved(int *out, const int *in)
{
    __shared__ int part[256];
    unsigned tid = threadIdx.x;
    part[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_strided(int *out, const int *in)
{
    __shared__ int part[256];
    unsigned tid = threadIdx.x;
    part[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned index = 2 * s * tid;
        if (index < blockDim.x)
            part[index] += part[index + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_sequential(int *out, const int *in)
{
    __shared__ int part[256];
    unsigned tid = threadIdx.x;
    part[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_shuffle(int *out, const int *in, int n)
{
    __shared__ int part[32];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(~0u, sum, d);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

/* ---- matrix products ---- */

extern "C" __global__ void matmul_column(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

extern "C" __global__ void matmul_coalesced(float *c, const float *a, const float *b, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

extern "C" __global__ void matmul_tiled(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        ta[ty][tx] = a[row * n + k + tx];
        tb[ty][tx] = b[(k + ty) * n + col];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += ta[ty][i] * tb[i][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

/* ---- shared-memory patterns: one warp, one store and one load of `lane * stride` elements, fresh each round ---- */

template <class T> __device__ void shared_pattern(T *out, T fill, int stride, int lanes)
{
    extern __shared__ char raw[];
    T *cells = (T *)raw;
    int lane = threadIdx.x;
    for (int i = lane; i < 1024; i += 32)
        cells[i] = fill;
    __syncthreads();
    if (lane < lanes)
        out[lane] = cells[lane * stride % 1024];
}

extern "C" __global__ void shared_32(float *out, int stride, int lanes)
{
    shared_pattern<float>(out, 1.0f, stride, lanes);
}

extern "C" __global__ void shared_64(double *out, int stride, int lanes)
{
    shared_pattern<double>(out, 1.0, stride, lanes);
}

extern "C" __global__ void shared_128(float4 *out, int stride, int lanes)
{
    shared_pattern<float4>(out, make_float4(1, 2, 3, 4), stride, lanes);
}

extern "C" __global__ void shared_8(char *out, int stride, int lanes)
{
    shared_pattern<char>(out, 1, stride, lanes);
}

/* Any pattern of words: lane i loads cells[index[i]] as 4, 8 or 16 bytes. */
template <class T> __device__ void shared_gather_of(T *out, T fill, const int *index)
{
    extern __shared__ char raw[];
    T *cells = (T *)raw;
    int lane = threadIdx.x;
    for (int i = lane; i < 1024; i += 32)
        cells[i] = fill;
    int at = index[lane];
    __syncthreads();
    if (at >= 0)
        out[lane] = cells[at];
}

extern "C" __global__ void shared_gather_32(float *out, const int *index)
{
    shared_gather_of<float>(out, 1.0f, index);
}

extern "C" __global__ void shared_gather_64(double *out, const int *index)
{
    shared_gather_of<double>(out, 1.0, index);
}

extern "C" __global__ void shared_gather_128(float4 *out, const int *index)
{
    shared_gather_of<float4>(out, make_float4(1, 2, 3, 4), index);
}

/* ---- atomics, local memory ---- */

extern "C" __global__ void histogram(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}

extern "C" __global__ void local_walk(int *out, const int *in, int n)
{
    int cells[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 64; k++)
        cells[k] = in[(i + k) % n];
    int at = in[i] & 63;
    for (int k = 0; k < 16; k++)
        at = (at + cells[at]) & 63;
    out[i] = at;
}

/* ---- lanes that return early: the others meet again behind the branch or the loop they came from ---- */

__device__ __forceinline__ void walk_and_store(float *out, const float *in, int i)
{
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += in[(i + k * 32) % 1024] * k;
    out[i] = sum;
}

extern "C" __global__ void return_in_branch(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 32 == 0) {
        out[N + i] = i;
        if (in[i] == 7)
            return;
    }
    walk_and_store(out, in, i);
}

extern "C" __global__ void return_in_loop(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < i % 32; k++) {
        if (in[i + k] == 7)
            return;
        out[N + k * 32] = i;
    }
    walk_and_store(out, in, i);
}

extern "C" __global__ void return_in_both_branches(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2) {
        for (int k = 0; k < i % 32; k++) {
            if (in[i + k] == 8)
                return;
            out[N + k * 32] = i;
        }
    } else if (in[i] == 9) {
        return;
    }
    walk_and_store(out, in, i);
}

/* ---- the launches ---- */

static void run_copies(void)
{
    float *in = device_new<float>(N * 32 + 64), *out = device_new<float>(N * 32 + 64);
    CHECK(cudaMemset(in, 0, (N * 32 + 64) * sizeof(float)));
    for (int offset : {0, 1, 2, 8, 31, 32})
        copy_offset<<<N / 256, 256>>>(out, in, N, offset);
    for (int stride : {1, 2, 3, 4, 8, 16, 32})
        copy_stride<<<N / 256, 256>>>(out, in, N, stride);
    copy_offset<<<4, 256>>>(out, in, 1000, 0);
    copy_bytes<<<N / 256, 256>>>((char *)out, (const char *)in, N);
    copy_double<<<N / 256, 256>>>((double *)out, (const double *)in, N);
    copy_float4<<<N / 256, 256>>>((float4 *)out, (const float4 *)in, N);
    read_structs<<<N / 256, 256>>>(out, (const struct point *)in, N);
    divergent_store<<<N / 256, 256>>>(out, N);
    std::vector<int> index(N);
    kit_random random(7);
    for (int &i : index)
        i = random.next() % N;
    gather<<<N / 256, 256>>>(out, in, to_device(index), N);
    CHECK_LAUNCH();
}

static void run_transposes(void)
{
    float *in = device_new<float>(SIDE * SIDE), *out = device_new<float>(SIDE * SIDE);
    CHECK(cudaMemset(in, 0, SIDE * SIDE * sizeof(float)));
    dim3 block(TILE, TILE), whole(SIDE / TILE, SIDE / TILE), odd(divide_up(250, TILE), divide_up(130, TILE));
    transpose_naive<<<whole, block>>>(out, in, SIDE, SIDE);
    transpose_tiled<<<whole, block>>>(out, in, SIDE, SIDE);
    transpose_padded<<<whole, block>>>(out, in, SIDE, SIDE);
    transpose_naive<<<odd, block>>>(out, in, 250, 130);
    transpose_tiled<<<odd, block>>>(out, in, 250, 130);
    transpose_padded<<<odd, block>>>(out, in, 250, 130);
    CHECK_LAUNCH();
}

static void run_reductions(void)
{
    int *in = device_new<int>(N), *out = device_new<int>(N / 256);
    CHECK(cudaMemset(in, 0, N * sizeof(int)));
    reduce_interleaved<<<N / 256, 256>>>(out, in);
    reduce_strided<<<N / 256, 256>>>(out, in);
    reduce_sequential<<<N / 256, 256>>>(out, in);
    reduce_shuffle<<<32, 256>>>(out, in, N);
    CHECK_LAUNCH();
}

static void run_matmuls(void)
{
    float *a = device_new<float>(MATMUL * MATMUL), *b = device_new<float>(MATMUL * MATMUL);
    float *c = device_new<float>(MATMUL * MATMUL);
    CHECK(cudaMemset(a, 0, MATMUL * MATMUL * sizeof(float)));
    CHECK(cudaMemset(b, 0, MATMUL * MATMUL * sizeof(float)));
    dim3 block(TILE, TILE), grid(MATMUL / TILE, MATMUL / TILE);
    matmul_column<<<grid, block>>>(c, a, b, MATMUL);
    matmul_coalesced<<<grid, block>>>(c, a, b, MATMUL);
    matmul_tiled<<<grid, block>>>(c, a, b, MATMUL);
    CHECK_LAUNCH();
}

static void run_shared_patterns(void)
{
    float4 *out = device_new<float4>(1024);
    for (int stride : {0, 1, 2, 3, 4, 8, 16, 31, 32, 33}) {
        shared_32<<<1, 32, 1024 * 4>>>((float *)out, stride, 32);
        shared_64<<<1, 32, 1024 * 8>>>((double *)out, stride, 32);
        shared_128<<<1, 32, 1024 * 16>>>(out, stride, 32);
        shared_8<<<1, 32, 1024>>>((char *)out, stride, 32);
    }
    for (int lanes : {1, 7, 8, 9, 16, 17}) {
        shared_64<<<1, 32, 1024 * 8>>>((double *)out, 1, lanes);
        shared_128<<<1, 32, 1024 * 16>>>(out, 1, lanes);
        shared_64<<<1, 32, 1024 * 8>>>((double *)out, 16, lanes);
        shared_128<<<1, 32, 1024 * 16>>>(out, 8, lanes);
    }
    CHECK_LAUNCH();
}

static void run_shared_gathers(void)
{
    float4 *out = device_new<float4>(1024);
    kit_random random(11);
    for (int round = 0; round < 12; round++) {
        std::vector<int> index(32);
        for (int lane = 0; lane < 32; lane++) {
            int any = random.next() % 1024;
            int kinds[] = {any, any % 64, any % 16, lane / 2, lane % 2 * 16 + lane / 16, lane % 4 ? any : -1};
            index[lane] = kinds[round % 6];
        }
        int *where = to_device(index);
        shared_gather_32<<<1, 32, 1024 * 4>>>((float *)out, where);
        shared_gather_64<<<1, 32, 1024 * 8>>>((double *)out, where);
        shared_gather_128<<<1, 32, 1024 * 16>>>(out, where);
    }
    CHECK_LAUNCH();
}

static void run_others(void)
{
    std::vector<unsigned char> bytes(N);
    kit_random random(3);
    for (unsigned char &byte : bytes)
        byte = random.next();
    unsigned *bins = device_new<unsigned>(256);
    CHECK(cudaMemset(bins, 0, 256 * sizeof(unsigned)));
    histogram<<<16, 256>>>(bins, to_device(bytes), N);
    std::vector<int> numbers(N);
    for (int &number : numbers)
        number = random.next() & 1023;
    local_walk<<<16, 256>>>(device_new<int>(N), to_device(numbers), N);
    CHECK_LAUNCH();
}

static void run_early_returns(void)
{
    float *in = device_new<float>(N), *out = device_new<float>(2 * N);
    CHECK(cudaMemset(in, 0, N * sizeof(float)));
    return_in_branch<<<4, 128>>>(out, in);
    return_in_loop<<<4, 128>>>(out, in);
    return_in_both_branches<<<4, 128>>>(out, in);
    CHECK_LAUNCH();
}

int main(void)
{
    run_copies();
    run_transposes();
    run_reductions();
    run_matmuls();
    run_shared_patterns();
    run_shared_gathers();
    run_others();
    run_early_returns();
    return finish();
}
