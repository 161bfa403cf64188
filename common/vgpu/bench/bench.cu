/* bench.cu - the kernels of `make bench-vgpu`: bench NAME runs one, warm, and prints its best host time and its memory.
 * One small launch first, so that reading and decoding the PTX is not timed; then ROUNDS equal launches.
 * bench.sh takes the instruction counts from the last launch's counters. Nothing here judges a result. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/resource.h>

enum { ROUNDS = 7, TILE = 16, REDUCE_BLOCK = 256 };

static size_t allocated;

template <class T> static T *device_array(size_t count)
{
    T *data;
    if (cudaMalloc((void **)&data, count * sizeof(T)) != cudaSuccess)
        exit(1);
    cudaMemset(data, 1, count * sizeof(T));
    allocated += count * sizeof(T);
    return data;
}

__global__ void matmul_tiled(float *c, const float *a, const float *b, int n)
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

__global__ void reduce_shared(float *out, const float *in)
{
    __shared__ float part[REDUCE_BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * REDUCE_BLOCK * 2 + tid;
    part[tid] = in[i] + in[i + REDUCE_BLOCK];
    __syncthreads();
    for (unsigned s = REDUCE_BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

__global__ void transpose_naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}

__global__ void histogram(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[(in[i] * 167u + i * 2654435761u) >> 24], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}

__device__ unsigned next_random(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__global__ void pi_integer(unsigned long long *inside, int points)
{
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, count = 0;
    for (int i = 0; i < points; i++) {
        unsigned long long x = next_random(state) >> 1, y = next_random(state) >> 1;
        count += x * x + y * y < 1ull << 62;
    }
    atomicAdd(inside, (unsigned long long)count);
}

__global__ void pi_fp64(unsigned long long *inside, int points)
{
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, count = 0;
    for (int i = 0; i < points; i++) {
        double x = next_random(state) * (1.0 / 4294967296.0), y = next_random(state) * (1.0 / 4294967296.0);
        count += x * x + y * y < 1.0;
    }
    atomicAdd(inside, (unsigned long long)count);
}

static float *floats[3];
static unsigned char *bytes;
static unsigned *bins;
static unsigned long long *inside;

static void prepare(void)
{
    for (float *&array : floats)
        array = device_array<float>(1 << 22);
    bytes = device_array<unsigned char>(1 << 22);
    bins = device_array<unsigned>(256);
    inside = device_array<unsigned long long>(1);
}

static void release(void)
{
    for (float *array : floats)
        cudaFree(array);
    cudaFree(bytes);
    cudaFree(bins);
    cudaFree(inside);
}

static void run_matmul(bool warm_up)
{
    int n = warm_up ? 32 : 256;
    matmul_tiled<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(floats[0], floats[1], floats[2], n);
}

static void run_reduce(bool warm_up)
{
    reduce_shared<<<warm_up ? 8 : (1 << 22) / (2 * REDUCE_BLOCK), REDUCE_BLOCK>>>(floats[0], floats[1]);
}

static void run_transpose(bool warm_up)
{
    int n = warm_up ? 64 : 2048;
    transpose_naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(floats[0], floats[1], n);
}

static void run_histogram(bool warm_up)
{
    histogram<<<64, 256>>>(bins, bytes, warm_up ? 1 << 14 : 1 << 22);
}

static void run_pi_integer(bool warm_up)
{
    pi_integer<<<56, 256>>>(inside, warm_up ? 1 : 400);
}

static void run_pi_fp64(bool warm_up)
{
    pi_fp64<<<56, 256>>>(inside, warm_up ? 1 : 400);
}

static const struct {
    const char *name;
    void (*run)(bool warm_up);
} benches[] = {
    {"matmul", run_matmul},       {"reduce", run_reduce},         {"transpose", run_transpose},
    {"histogram", run_histogram}, {"pi-integer", run_pi_integer}, {"pi-fp64", run_pi_fp64},
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static double best_time(void (*run)(bool))
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = seconds();
        run(false);
        if (cudaDeviceSynchronize() != cudaSuccess)
            exit(1);
        double took = seconds() - begin;
        best = took < best ? took : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    for (const auto &bench : benches)
        if (argc == 2 && strcmp(argv[1], bench.name) == 0) {
            prepare();
            bench.run(true);
            double best = best_time(bench.run);
            struct rusage usage;
            getrusage(RUSAGE_SELF, &usage);
            printf("%.6f %ld\n", best, usage.ru_maxrss / 1024 - (long)(allocated >> 20));
            release();
            return 0;
        }
    fprintf(stderr, "usage: bench matmul|reduce|transpose|histogram|pi-integer|pi-fp64\n");
    return 2;
}
