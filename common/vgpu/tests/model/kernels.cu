/* kernels.cu - kernels of which it is known what limits them, for the tests of the timing model.
 * All take the same three arguments; n is a number of elements, of rounds, or the side of a matrix. Nothing here judges a
 * result. kernels.ptx is what the tests load, so that times do not depend on the compiler at hand:
 *     nvcc -O3 -std=c++17 -arch=compute_75 -ptx kernels.cu -o kernels.ptx       (nvcc 13.0) */

#define KERNEL extern "C" __global__ void

static __device__ unsigned position()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

KERNEL empty(float *out, const float *in, unsigned n) {}

/* ---- DRAM ---- */

KERNEL copy4(float4 *out, const float4 *in, unsigned n)
{
    unsigned i = position();
    if (i < n)
        out[i] = in[i];
}

/* 2 flop and 12 bytes per element. */
KERNEL saxpy(float *y, const float *x, unsigned n)
{
    unsigned i = position();
    if (i < n)
        y[i] = 1.5f * x[i] + y[i];
}

enum { TILE = 32, ROWS = 8 };

KERNEL transpose(float *out, const float *in, unsigned n)
{
    __shared__ float tile[TILE][TILE + 1];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

enum { REDUCE_BLOCK = 256 };

KERNEL reduce(float *out, const float *in, unsigned n)
{
    __shared__ float part[REDUCE_BLOCK];
    unsigned i = blockIdx.x * 2 * REDUCE_BLOCK + threadIdx.x;
    part[threadIdx.x] = i + REDUCE_BLOCK < n ? in[i] + in[i + REDUCE_BLOCK] : 0;
    __syncthreads();
    for (unsigned s = REDUCE_BLOCK / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

/* ---- arithmetic: eight independent chains, 16 flop per round and thread ---- */

enum { CHAINS = 8 };

template <class T> static __device__ T chains(unsigned n, T a)
{
    T x[CHAINS], sum = 0;
    for (int c = 0; c < CHAINS; c++)
        x[c] = (T)(threadIdx.x + c);
    for (unsigned i = 0; i < n; i++)
        for (int c = 0; c < CHAINS; c++)
            x[c] = x[c] * a + a;
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    return sum;
}

KERNEL fma32(float *out, const float *in, unsigned n)
{
    out[position()] = chains<float>(n, 1.0f / (n + 1));
}

KERNEL fma64(double *out, const double *in, unsigned n)
{
    out[position()] = chains<double>(n, 1.0 / (n + 1));
}

KERNEL divide(float *out, const float *in, unsigned n)
{
    float x = in[position()] + 2;
    for (unsigned i = 0; i < n; i++)
        x = sqrtf(x / (x + 1)) + position() % (i + 3);
    out[position()] = x;
}

enum { MATMUL_TILE = 16 };

KERNEL matmul(float *c, const float *a, unsigned n)
{
    __shared__ float ta[MATMUL_TILE][MATMUL_TILE], tb[MATMUL_TILE][MATMUL_TILE];
    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const unsigned col = blockIdx.x * MATMUL_TILE + tx, row = blockIdx.y * MATMUL_TILE + ty;
    const float *b = a + n * n;
    float sum = 0;
    for (unsigned k = 0; k < n; k += MATMUL_TILE) {
        ta[ty][tx] = a[row * n + k + tx];
        tb[ty][tx] = b[(k + ty) * n + col];
        __syncthreads();
        for (int i = 0; i < MATMUL_TILE; i++)
            sum += ta[ty][i] * tb[i][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

/* ---- shared memory, latency, divergence, atomics ---- */

/* Each warp reads a column of a 32 x 32 tile: 32 wavefronts. Eight reads per round, none of which waits for another. */
KERNEL banks(float *out, const float *in, unsigned n)
{
    __shared__ volatile float tile[TILE * TILE];
    for (unsigned i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
        tile[i] = i;
    __syncthreads();
    float sum = 0;
    for (unsigned i = 0; i < n; i++)
        for (int c = 0; c < CHAINS; c++)
            sum += tile[threadIdx.x % TILE * TILE + (i + c) % TILE];
    out[position()] = sum;
}

/* Every load waits for the one before. */
KERNEL chase(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned at = threadIdx.x;
    for (unsigned i = 0; i < n; i++)
        at = in[at];
    out[position()] = at;
}

KERNEL divergent(float *out, const float *in, unsigned n)
{
    float x = in[position()];
    for (unsigned i = 0; i < n; i++)
        switch (threadIdx.x % 4) {
        case 0: x = x * x + 1; break;
        case 1: x = x / 3 + i; break;
        case 2: x = __sinf(x); break;
        default: x = (float)((unsigned)x % (i + 7)); break;
        }
    out[position()] = x;
}

KERNEL histogram(unsigned *bins, const unsigned *in, unsigned n)
{
    __shared__ unsigned part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = position(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[(in[i] + i * 2654435761u) >> 24], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}

/* ---- what follows a long loop ---- */

KERNEL late(float *out, const unsigned *in, unsigned n)
{
    unsigned x = position();
    for (unsigned k = 0; k < n; k++)
        x = (x ^ x << 13 ^ x >> 17) * 5 + k;
    atomicAdd(out, (float)x);
}

/* A long start that waits for memory, then a long loop that only computes. */
KERNEL early(float *out, const unsigned *in, unsigned n)
{
    unsigned at = position();
    for (int k = 0; k < 64; k++)
        at = (at * 5 + 1 + in[at % (1 << 18)]) % (1 << 18);
    out[position()] = chains<float>(n, (float)at);
}

/* ---- one thread of all ---- */

KERNEL lone(float *out, const float *in, unsigned n)
{
    if (blockIdx.x == gridDim.x / 3 && threadIdx.x == 0)
        for (unsigned i = 0; i < n; i++)
            out[i] = 2.0f * in[i] + 1.0f;
}
