// rules.cu - rules about what could be done (vgpu_rules): each holds for the first kernel of its row, which does what the rule is
// about, and not for the second, which does the same work without it. No rule of the table may be missing here.
// A row without an argument runs all; rules RULE runs one. What a kernel is told stands below a row that fails.
#include <cstdio>
#include <cstring>
#include <vector>

#include "../../vgpu.h"

enum { N = 1 << 20, THREADS = 256, MANY = 132 * 8, LOOPS = 64 };

static float *in, *out, *matrix;
static unsigned *counts, *bins;
static unsigned char *bytes;

// ---- accesses ----

__global__ void strided(float *out, const float *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i % 32 * (N / 32) + i / 32];
}
__global__ void copy(float *out, const float *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

template <int WIDTH> __global__ void columns(float *out)
{
    __shared__ float tile[32 * WIDTH];
    float sum = 0;
    for (int i = threadIdx.x; i < 32 * WIDTH; i += blockDim.x)
        tile[i] = (float)i;
    __syncthreads();
    for (int k = 0; k < LOOPS; k++)
        sum += tile[threadIdx.x % 32 * WIDTH + (k + threadIdx.x / 32) % 32];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__constant__ float table[64];
template <bool IS_SPREAD> __global__ void look_up(float *out)
{
    float sum = 0;
    for (int k = 0; k < LOOPS; k++)
        sum += table[IS_SPREAD ? (threadIdx.x + k) % 64 : k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <typename T> __global__ void add_one(T *bytes, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        bytes[i].x++;
}

// ---- atomics ----

__global__ void count_each(unsigned *counts, const float *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[0], in[i] > 0 ? 1u : 2u);
}
__global__ void count_blocks(unsigned *counts, const float *in, int n)
{
    unsigned mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i] > 0 ? 1u : 2u;
    for (int distance = 16; distance; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    if (blockDim.x == 32 && threadIdx.x == 0)
        atomicAdd(&counts[0], mine);
    if (blockDim.x == 32)
        return;
    __shared__ unsigned warps[32];
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            mine += warps[w];
        atomicAdd(&counts[0], mine);
    }
}

enum { BINS = 256 };
template <bool IS_SHARED> __global__ void count_bins(unsigned *bins, const unsigned char *bytes, int n)
{
    __shared__ unsigned mine[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(IS_SHARED ? &mine[bytes[i]] : &bins[bytes[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; IS_SHARED && b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], mine[b]);
}

// ---- for nothing ----

template <bool HAS_DECOYS> __global__ void beside(float *out, const float *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float junk = 0;
#pragma unroll 4
    for (int k = 0; HAS_DECOYS && k < 32; k++)
        junk += in[(i + k * 33 * 1024) % N];
    if (junk > 1e30f)
        out[0] = junk;
    out[i] = in[i];
}

// ---- lanes, grids ----

__device__ float chain(float x, int rounds)
{
#pragma unroll 8
    for (int k = 0; k < rounds; k++)
        x = x * 1.0001f + 0.5f;
    return x;
}
template <int SIDE> __global__ void two_ways(float *out, const float *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (threadIdx.x / SIDE % 2)
        x = chain(x, 256) + sqrtf(x);
    else
        x = chain(x + 1, 255) - 1;
    out[i] = x;
}
__global__ void one_chain(float *out, const float *in, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = chain(in[i], rounds);
}
__global__ void four_chains(float *out, const float *in, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i], b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 8
    for (int k = 0; k < rounds; k++) {
        a = a * 1.0001f + 0.5f;
        b = b * 1.0001f + 0.5f;
        c = c * 1.0001f + 0.5f;
        d = d * 1.0001f + 0.5f;
    }
    out[i] = a + b + c + d;
}
__global__ void nothing(void)
{
}
__global__ void stride(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
__global__ void with_room(float *out, const float *in, int n)
{
    extern __shared__ float room[];
    float sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    room[threadIdx.x] = sum;
    out[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}

// ---- waiting ----

template <bool WAITS> __global__ void steps(float *out)
{
    __shared__ float value[1024];
    float x = threadIdx.x;
    for (int k = 0; k < LOOPS; k++) {
        value[threadIdx.x] = x;
        if (WAITS)
            __syncthreads();
        x += value[WAITS ? threadIdx.x ^ 1 : threadIdx.x];
        if (WAITS)
            __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
template <int THREADS_MOST, int BLOCKS_LEAST>
__global__ void __launch_bounds__(THREADS_MOST, BLOCKS_LEAST) many_values(float *out, const float *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[64];
#pragma unroll
    for (int k = 0; k < 64; k++)
        x[k] = in[(i + k * 997) % N];
    for (int round = 0; round < 8; round++)
#pragma unroll
        for (int k = 0; k < 64; k++)
            x[k] = x[k] * x[(k + 7) % 64] + 1;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 64; k++)
        sum += x[k];
    out[i] = sum;
}

// ---- what is used again ----

enum { SIDE = 512 };
__global__ void all_of_it(float4 *out, const float4 *in, int n)
{
    float4 sum = {};
#pragma unroll 8
    for (int i = threadIdx.x; i < n; i += THREADS) {
        const float4 v = in[i];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    out[threadIdx.x] = sum;
}
__global__ void product_tiled(float *c, const float *a, const float *b)
{
    __shared__ float ta[32][32], tb[32][32];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
    float sum = 0;
    for (int k = 0; k < SIDE; k += 32) {
        ta[y][x] = a[row * SIDE + k + x];
        tb[y][x] = b[(k + y) * SIDE + column];
        __syncthreads();
        for (int j = 0; j < 32; j++)
            sum += ta[y][j] * tb[j][x];
        __syncthreads();
    }
    c[row * SIDE + column] = sum;
}
__global__ void fetch(float *out, cudaTextureObject_t texture)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += tex1Dfetch<float>(texture, (i + 32 * k) % N);
    out[i] = sum;
}
__global__ void load(float *out, const float *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += in[(i + 32 * k) % N];
    out[i] = sum;
}

// ---- kinds of instructions ----

enum kind {
    PLAIN,
    REMAINDER,
    QUOTIENT,
    WIDE_DIVISION,
    DIVISION,
    ROOT,
    CONVERSION,
    DOUBLE,
    WIDE,
    SHUFFLE,
    CALL,
    LOCAL
};

__device__ float twice(float x)
{
    return 2 * x;
}
__device__ float thrice(float x)
{
    return 3 * x;
}
__device__ float (*functions[2])(float) = {twice, thrice};

template <kind KIND> __device__ float work(float x, int k, unsigned size, float *own)
{
    switch (KIND) {
    case REMAINDER:
        return x + (float)(((unsigned)k + threadIdx.x * 77u) % size & 1);
    case QUOTIENT:
        return x + (float)(((unsigned)k + threadIdx.x * 77u) / size & 1);
    case WIDE_DIVISION:
        return x + (float)(((unsigned long long)k + threadIdx.x * 7777777777777ull) / size & 1);
    case DIVISION:
        return x / (1.5f + k) + 1 / (x + 2);
    case ROOT:
        return sqrtf(x + k) + sqrtf(x + 1);
    case CONVERSION:
        return x + (float)((int)x & k);
    case DOUBLE:
        return (float)(x * 1.00001 + 0.5 * k + x * x * 0.3);
    case WIDE:
        return x + (float)(unsigned)(((long long)k * threadIdx.x + ((long long)k << 33 | threadIdx.x) +
                                      (0x123456789ll ^ k)) >>
                                         3 &
                                     1);
    case SHUFFLE:
        return x + __shfl_xor_sync(~0u, x, 1) + __shfl_xor_sync(~0u, x, 2);
    case CALL:
        return functions[size & 1](x);
    case LOCAL:
        own[((unsigned)k * 5 + size) % 16] += x;
        return x + own[((unsigned)k + size) % 16];
    default:
        return x * 1.0001f + 0.5f;
    }
}
template <kind KIND> __global__ void does(float *out, const float *in, unsigned size)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], own[16] = {x};
#pragma unroll 4
    for (int k = 0; k < LOOPS; k++)
        x = work<KIND>(x, k, size, own);
    out[i] = x + (KIND == LOCAL ? own[size % 16] : 0);
}
template <int UNROLL> __global__ void loops(float *out, const float *in, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
#pragma unroll UNROLL
    for (int k = 0; k < rounds; k++)
        x = x * 1.0001f + 0.5f;
    out[i] = x;
}

// ---- the table ----

static cudaTextureObject_t texture_of(float *data)
{
    cudaTextureObject_t object;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = data;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = N * sizeof(float);
    cudaCreateTextureObject(&object, &what, &how, NULL);
    return object;
}

static const dim3 square(32, 32), squares(SIDE / 32, SIDE / 32);
#define KIND(kind)                                                                                           \
    [] { does<kind><<<N / THREADS, THREADS>>>(out, in, 37); },                                               \
        [] { does<PLAIN><<<N / THREADS, THREADS>>>(out, in, 37); }

static const struct {
    const char *rule;
    void (*with)(void);
    void (*without)(void);
} rows[] = {
    {"coalescing", [] { strided<<<N / THREADS, THREADS>>>(out, in); },
     [] { copy<<<N / THREADS, THREADS>>>(out, in); }},
    {"bank-conflicts", [] { columns<32><<<MANY, THREADS>>>(out); },
     [] { columns<33><<<MANY, THREADS>>>(out); }},
    {"constant-index", [] { look_up<true><<<MANY, THREADS>>>(out); },
     [] { look_up<false><<<MANY, THREADS>>>(out); }},
    {"narrow", [] { add_one<<<MANY, THREADS>>>((uchar1 *)bytes, 4 * N); },
     [] { add_one<<<MANY, THREADS>>>((uint1 *)bytes, N); }},
    {"atomics", [] { count_each<<<N / THREADS, THREADS>>>(counts, in); },
     [] { count_blocks<<<N / THREADS, THREADS>>>(counts, in, N); }},
    {"blocks-of-atomics", [] { count_blocks<<<N / 32, 32>>>(counts, in, N); },
     [] { count_blocks<<<132 * 8, THREADS>>>(counts, in, N); }},
    {"atomics", [] { count_bins<false><<<N / THREADS, THREADS>>>(bins, bytes, N); },
     [] { count_bins<true><<<N / THREADS, THREADS>>>(bins, bytes, N); }},
    {"blocks-of-atomics", [] { count_bins<true><<<N / THREADS, THREADS>>>(bins, bytes, N); },
     [] { count_bins<true><<<132 * 8, THREADS>>>(bins, bytes, N); }},
    {"divergence", [] { two_ways<1><<<MANY, THREADS>>>(out, in); },
     [] { two_ways<32><<<MANY, THREADS>>>(out, in); }},
    {"block-size", [] { one_chain<<<MANY, 33>>>(out, in, 512); },
     [] { one_chain<<<MANY, 64>>>(out, in, 512); }},
    {"few-blocks", [] { one_chain<<<8, THREADS>>>(out, in, 4096); },
     [] { one_chain<<<MANY, THREADS>>>(out, in, 256); }},
    {"tail", [] { one_chain<<<132 * 2 + 4, 1024>>>(out, in, 1024); },
     [] { one_chain<<<132 * 2, 1024>>>(out, in, 1024); }},
    {"launch", [] { nothing<<<1, 32>>>(); }, [] { one_chain<<<MANY, THREADS>>>(out, in, 1024); }},
    {"block-starts", [] { copy<<<N / 32, 32>>>(out, in); }, [] { stride<<<MANY, THREADS>>>(out, in, N); }},
    {"occupancy", [] { with_room<<<MANY, 64, 40000>>>(out, in, N); },
     [] { with_room<<<MANY, THREADS, 1024>>>(out, in, N); }},
    {"loads-in-flight", [] { with_room<<<132, 64, 256>>>(out, in, N / 4); },
     [] { one_chain<<<MANY, THREADS>>>(out, in, 256); }},
    {"independent-work", [] { one_chain<<<132, 64>>>(out, in, 4096); },
     [] { four_chains<<<MANY, THREADS>>>(out, in, 256); }},
    {"barriers", [] { steps<true><<<132, 1024>>>(out); }, [] { steps<false><<<132, 1024>>>(out); }},
    {"spills", [] { many_values<1024, 2><<<64, 1024>>>(out, in); },
     [] { many_values<128, 1><<<512, 128>>>(out, in); }},
    {"reuse", [] { all_of_it<<<MANY, THREADS>>>((float4 *)out, (const float4 *)matrix, SIDE * SIDE / 4); },
     [] { copy<<<N / THREADS, THREADS>>>(out, in); }},
    {"register-tile", [] { product_tiled<<<squares, square>>>(out, in, in); },
     [] { four_chains<<<MANY, THREADS>>>(out, in, 256); }},
    {"texture", [] { fetch<<<N / THREADS, THREADS>>>(out, texture_of(in)); },
     [] { load<<<N / THREADS, THREADS>>>(out, in); }},
    {"unused", [] { beside<true><<<N / THREADS, THREADS>>>(out, in); },
     [] { beside<false><<<N / THREADS, THREADS>>>(out, in); }},
    {"remainder", KIND(REMAINDER)},
    {"quotient", KIND(QUOTIENT)},
    {"wide-division", KIND(WIDE_DIVISION)},
    {"float-division", KIND(DIVISION)},
    {"float-root", KIND(ROOT)},
    {"conversion", KIND(CONVERSION)},
    {"double", KIND(DOUBLE)},
    {"wide-integer", KIND(WIDE)},
    {"shuffle", KIND(SHUFFLE)},
    {"pointer-call", KIND(CALL)},
    {"local-array", KIND(LOCAL)},
    {"loop", [] { loops<1><<<MANY, THREADS>>>(out, in, 512); },
     [] { loops<8><<<MANY, THREADS>>>(out, in, 512); }},
};

// ---- comparing ----

static std::vector<vgpu_rule> told;
static char *words;

static void launched(void *, const vgpu_launch *launch)
{
    const vgpu_rule *rules;
    const size_t count = vgpu_rules(launch, &rules);
    size_t size;
    told.assign(rules, rules + count);
    free(words);
    FILE *file = open_memstream(&words, &size);
    const vgpu_page page = {2000};
    vgpu_explain(file, launch, &page);
    fclose(file);
}

static double gain_of(const char *rule)
{
    for (const vgpu_rule &one : told)
        if (!strcmp(one.name, rule))
            return one.gain;
    return 1;
}

static int passed, failed;
static void judge(bool is_right, const char *what, const char *rule)
{
    (is_right ? passed : failed)++;
    printf("%s %s: %s\n", is_right ? "pass" : "FAIL", rule, what);
    for (size_t i = 0; !is_right && i < told.size(); i++)
        printf("    %.3f %s %u %s\n", told[i].gain, told[i].name, told[i].line, told[i].words);
}

static void run(void (*launch)(void))
{
    told.clear();
    launch();
    if (cudaDeviceSynchronize() != cudaSuccess)
        printf("FAIL a kernel fails\n"), failed++;
}

/* What is true of all rules: the best comes first, each says where, and the text has the first one or says that there is none. */
static bool is_in_order()
{
    const double worth_telling = 1.03;
    for (size_t i = 0; i < told.size(); i++)
        if (!told[i].words[0] || told[i].gain <= 1 || (i && told[i].gain > told[i - 1].gain))
            return false;
    const bool has_advice = !told.empty() && told[0].gain >= worth_telling;
    return has_advice == (strstr(words, "Estimated gain: about") != NULL);
}

int main(int argc, char **argv)
{
    const double told_as_advice = 1.03;
    vgpu_watcher watcher = {};
    watcher.launched = launched;
    watcher.wants_profile = true;
    vgpu_watch(&watcher);
    cudaMalloc(&in, N * sizeof *in);
    cudaMalloc(&out, N * sizeof *out);
    cudaMalloc(&counts, 1024 * sizeof *counts);
    cudaMalloc(&bins, BINS * sizeof *bins);
    cudaMalloc(&bytes, 4 * N);
    cudaMalloc(&matrix, 2 * SIDE * SIDE * sizeof *matrix);
    cudaMemset(matrix, 0, 2 * SIDE * SIDE * sizeof *matrix);
    cudaMemset(in, 0, N * sizeof *in);
    cudaMemset(bytes, 0, 4 * N);
    cudaMemset(counts, 0, 1024 * sizeof *counts);
    for (const auto &row : rows) {
        if (argc > 1 && strcmp(argv[1], row.rule))
            continue;
        run(row.with);
        judge(gain_of(row.rule) >= told_as_advice, "holds for the kernel that it is about", row.rule);
        judge(is_in_order(), "all rules of that kernel come by their gain", row.rule);
        run(row.without);
        judge(gain_of(row.rule) < told_as_advice, "is not told of a kernel that does without it", row.rule);
    }
    for (size_t i = 0; argc == 1 && vgpu_rule_name(i); i++) {
        int rows_of = 0;
        for (const auto &row : rows)
            rows_of += !strcmp(row.rule, vgpu_rule_name(i));
        judge(rows_of >= 1, "has a row", vgpu_rule_name(i));
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
