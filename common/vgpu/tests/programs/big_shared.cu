/* big_shared.cu - more than 48 KB of dynamic shared memory after the attribute is set, and refused before, when no block is
 * counted as resident either; static and dynamic arrays together, dynamic memory split by hand. */
#include "../kit.cuh"

enum { WORDS = 20000, BYTES = WORDS * 4 };

__global__ void reverse(int *out, const int *in)
{
    extern __shared__ int cells[];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        cells[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        out[i] = cells[WORDS - 1 - i];
}

/* Dynamic memory holds n doubles, then n ints, then n bytes. */
__global__ void split(double *out, int n)
{
    extern __shared__ char raw[];
    __shared__ int offset[2];
    double *d = (double *)raw;
    int *w = (int *)(d + n);
    unsigned char *b = (unsigned char *)(w + n);
    int t = threadIdx.x;
    if (t < 2)
        offset[t] = 10 * t;
    d[t] = t * 0.5;
    w[t] = t * 3;
    b[t] = t;
    __syncthreads();
    int o = (t + 1) % n;
    out[t] = d[o] + w[o] + b[o] + offset[t % 2];
}

static int blocks_per_sm(size_t bytes)
{
    int blocks = -1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, bytes));
    return blocks;
}

/* Threads of the block that would be best; 0: there is none. */
static int best_threads(size_t bytes)
{
    int grid = 0, threads = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, reverse, bytes));
    return grid ? threads : 0;
}

int main(void)
{
    std::vector<int> in(WORDS);
    for (int i = 0; i < WORDS; i++)
        in[i] = i * 3;
    int *din = to_device(in), *out = device_new<int>(WORDS), most = 0, usual = 0;
    CHECK(cudaDeviceGetAttribute(&usual, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(usual == 48 * 1024 && most >= BYTES);
    EXPECT(blocks_per_sm(usual) >= 1 && best_threads(usual) > 0);
    size_t room = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, reverse, 2, 256));
    EXPECT(room == (size_t)usual); /* an SM has more, but the kernel may not have it yet */
    EXPECT_EQUAL(0, blocks_per_sm(usual + 1));
    EXPECT_EQUAL(0, blocks_per_sm(BYTES));
    EXPECT_EQUAL(0, best_threads(BYTES));
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    EXPECT(blocks_per_sm(BYTES) >= 1 && best_threads(BYTES) > 0);
    EXPECT_EQUAL(0, blocks_per_sm(BYTES + 1));
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    reverse<<<1, 256, BYTES>>>(out, din);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, WORDS);
    for (int i = 0; i < WORDS; i++)
        EXPECT_EQUAL(in[WORDS - 1 - i], got[i]);
    double *sums = device_new<double>(64);
    split<<<1, 64, 64 * 13>>>(sums, 64);
    CHECK_LAUNCH();
    std::vector<double> parts = from_device(sums, 64);
    for (int t = 0; t < 64; t++) {
        int o = (t + 1) % 64;
        EXPECT_EQUAL(o * 0.5 + o * 3 + o + 10 * (t % 2), parts[t]);
    }
    return finish();
}
