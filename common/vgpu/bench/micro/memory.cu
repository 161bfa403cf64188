/* memory.cu - global memory from L2 and from DRAM: copies as programs write them, and rates of each pattern.
 * The copies of the first groups are programs' own; param.l2 and param.dram vary sectors, widths, blocks and
 * elements per thread. DRAM's data are those that no launch has touched lately. */
#include "micro.cuh"

#include <cstdint>

/* ------------------------------------------------------------------------------------------- copies */

template <class T> __global__ void copy_elements(T *out, const T *in)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void copy_stride(float *out, const float *in, int stride)
{
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];
}

__global__ void copy_offset(float *out, const float *in, int offset)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + offset];
}

enum : size_t { COPY_BYTES = ARENA_BYTES / 2 };

template <class T> static void report_copy(const char *name)
{
    report(time_us([](int) {
               const size_t at = fresh_bytes(COPY_BYTES);
               copy_elements<T><<<COPY_BYTES / sizeof(T) / 256, 256>>>((T *)(dev.out + at), (const T *)(dev.in + at));
           }),
           "us", "copy.%s", name);
}

void measure_copy()
{
    report_copy<float>("float");
    report_copy<float2>("float2");
    report_copy<float4>("float4");
}

void measure_offset()
{
    for (int offset : {0, 1, 8, 16, 32})
        report(time_us([=](int) {
                   const size_t at = fresh_bytes(COPY_BYTES);
                   copy_offset<<<(COPY_BYTES - 4096) / 4 / 256, 256>>>((float *)(dev.out + at),
                                                                        (const float *)(dev.in + at), offset);
               }),
               "us", "offset.%d", offset);
}

/* 4 Mi elements, a stride apart. */
void measure_stride()
{
    const size_t elements = ARENA_BYTES / 4 / 32;
    for (int stride = 1; stride <= 32; stride *= 2)
        report(time_us([=](int) {
                   const size_t at = fresh_bytes(elements * stride * 4);
                   copy_stride<<<elements / 256, 256>>>((float *)(dev.out + at), (const float *)(dev.in + at), stride);
               }),
               "us", "stride.%d", stride);
}

/* ------------------------------------------------------------------------------------------- patterns */

/* Where lane `lane` of request `request` reads or writes, in bytes. Each is a way to spread a warp over lines. */
struct whole_lines {
    enum { LINES = 1, SECTORS = 4, BYTES = 4 };
    static __device__ size_t at(unsigned request, unsigned lane) { return (size_t)request * 128 + lane * 4; }
};
struct vectors {
    enum { LINES = 4, SECTORS = 16, BYTES = 16 };
    static __device__ size_t at(unsigned request, unsigned lane) { return (size_t)request * 512 + lane * 16; }
};
struct half_lines {
    enum { LINES = 2, SECTORS = 4, BYTES = 4 };
    static __device__ size_t at(unsigned request, unsigned lane)
    {
        return (size_t)request * 256 + lane / 16 * 128 + lane % 16 * 4;
    }
};
struct quarter_lines {
    enum { LINES = 4, SECTORS = 4, BYTES = 4 };
    static __device__ size_t at(unsigned request, unsigned lane)
    {
        return (size_t)request * 512 + lane / 8 * 128 + lane % 8 * 4;
    }
};
/* Each lane a word in a sector of its own: 32 bytes apart, or a line apart as in a naive transpose. */
struct lone_sectors {
    enum { LINES = 8, SECTORS = 32, BYTES = 4 };
    static __device__ size_t at(unsigned request, unsigned lane) { return (size_t)request * 1024 + lane * 32; }
};
struct lone_lines {
    enum { LINES = 32, SECTORS = 32, BYTES = 4 };
    static __device__ size_t at(unsigned request, unsigned lane) { return (size_t)request * 4096 + lane * 128; }
};
/* As lone_lines, but neighbouring requests fill the same lines, as neighbouring warps of a transpose do. */
struct shared_lines {
    enum { LINES = 32, SECTORS = 32, BYTES = 4 };
    static __device__ size_t at(unsigned request, unsigned lane)
    {
        return (size_t)(request / 32) * 4096 + lane * 128 + request % 32 * 4;
    }
};

template <class PATTERN> __global__ void read_pattern(float *out, const char *in, size_t mask, int n)
{
    const unsigned warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
    unsigned request = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float sum = 0;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 4; j++, request += warps) {
            const char *place = in + (PATTERN::at(request, lane) & mask);
            if (PATTERN::BYTES == 16) {
                float4 value = __ldcg((const float4 *)place);
                sum += value.x + value.y + value.z + value.w;
            } else {
                sum += __ldcg((const float *)place);
            }
        }
    if (sum == 0.12345f)
        *out = sum;
}

template <class PATTERN> __global__ void write_pattern(char *out, size_t mask, float value, int n)
{
    const unsigned warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
    unsigned request = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 4; j++, request += warps) {
            char *place = out + (PATTERN::at(request, lane) & mask);
            if (PATTERN::BYTES == 16)
                *(float4 *)place = make_float4(value, value, value, value);
            else
                *(float *)place = value;
        }
}

/* ------------------------------------------------------------------------------------------- L2 */

enum { L2_THREADS = 512, L2_BLOCKS_PER_SM = 4, L2_ROUNDS = 32 };

/* The rate of 4 * L2_ROUNDS requests of each warp, from the difference of two lengths. */
template <class LAUNCH> static void report_rate(const char *what, const char *name, double sectors, LAUNCH launch)
{
    const double us = time_us([=](int) { launch(2 * L2_ROUNDS); }) - time_us([=](int) { launch(L2_ROUNDS); });
    report(L2_ROUNDS * 4 * sectors / clocks(us), "sectors/clk/SM", "param.l2.%s.%s", what, name);
}

/* With `blocks` blocks: fewer than L2_BLOCKS_PER_SM * dev.sms are spread over the SMs, one each first. */
template <class PATTERN> static void report_l2_blocks(const char *name, size_t bytes, int blocks)
{
    const double per_sm = blocks < dev.sms ? 1 : (double)blocks / dev.sms;
    const double sectors = per_sm * L2_THREADS / 32 * PATTERN::SECTORS;
    report_rate("read", name, sectors, [=](int n) {
        read_pattern<PATTERN><<<blocks, L2_THREADS>>>((float *)dev.out, dev.in, bytes - 1, n);
    });
    report_rate("write", name, sectors, [=](int n) {
        write_pattern<PATTERN><<<blocks, L2_THREADS>>>(dev.out, bytes - 1, 1.0f, n);
    });
}

template <class PATTERN> static void report_l2(const char *name, size_t bytes)
{
    report_l2_blocks<PATTERN>(name, bytes, dev.sms * L2_BLOCKS_PER_SM);
}

void measure_l2()
{
    const size_t mb = 1 << 20;
    report_l2<whole_lines>("float", 16 * mb);
    report_l2<vectors>("float4", 16 * mb);
    report_l2<half_lines>("half_lines", 16 * mb);
    report_l2<quarter_lines>("quarter_lines", 16 * mb);
    report_l2<lone_sectors>("lone_sectors", 16 * mb);
    report_l2<lone_lines>("lone_lines", 16 * mb);
    report_l2<shared_lines>("shared_lines", 16 * mb);
    report_l2<vectors>("float4.4mb", 4 * mb);
    report_l2<vectors>("float4.32mb", 32 * mb);
    report_l2<vectors>("float4.64mb", 64 * mb);
    report_l2<vectors>("float4.128mb", 128 * mb);
    report_l2_blocks<vectors>("float4.1sm", 4 * mb, 1);
    report_l2_blocks<vectors>("float4.8sms", 4 * mb, 8);
    report_l2_blocks<vectors>("float4.33sms", 4 * mb, 33);
    report_l2_blocks<vectors>("float4.66sms", 4 * mb, 66);
    report_l2_blocks<lone_lines>("lone_lines.1sm", 4 * mb, 1);
}

/* ------------------------------------------------------------------------------------------- DRAM */

static __device__ float value_of(float x) { return x; }
static __device__ float value_of(float4 x) { return x.x + x.y + x.z + x.w; }

/* Each block has blockDim.x * EACH neighbouring elements; a thread's own are blockDim.x apart. */
template <class T, int EACH> __global__ void dram_read(float *out, const T *in)
{
    const size_t first = (size_t)blockIdx.x * blockDim.x * EACH + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        sum += value_of(in[first + k * blockDim.x]);
    if (sum == 0.12345f)
        *out = sum;
}

template <class T, int EACH> __global__ void dram_write(T *out, T value)
{
    const size_t first = (size_t)blockIdx.x * blockDim.x * EACH + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        out[first + k * blockDim.x] = value;
}

template <class T, int EACH> __global__ void dram_copy(T *__restrict__ out, const T *__restrict__ in)
{
    const size_t first = (size_t)blockIdx.x * blockDim.x * EACH + threadIdx.x;
    T values[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        values[k] = in[first + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        out[first + k * blockDim.x] = values[k];
}

template <class T, int EACH> static void report_dram(const char *type, int threads)
{
    const unsigned blocks = (unsigned)(COPY_BYTES / sizeof(T) / EACH / threads);
    report(COPY_BYTES * 1e-3 / time_us([=](int) {
               const T *in = (const T *)(dev.in + fresh_bytes(COPY_BYTES));
               dram_read<T, EACH><<<blocks, threads>>>((float *)dev.out, in);
           }),
           "GB/s", "param.dram.read.%s.block%d.each%d", type, threads, EACH);
    report(COPY_BYTES * 1e-3 / time_us([=](int) {
               T *out = (T *)(dev.out + fresh_bytes(COPY_BYTES));
               dram_write<T, EACH><<<blocks, threads>>>(out, T());
           }),
           "GB/s", "param.dram.write.%s.block%d.each%d", type, threads, EACH);
    report(2 * COPY_BYTES * 1e-3 / time_us([=](int) {
               const size_t at = fresh_bytes(COPY_BYTES);
               dram_copy<T, EACH><<<blocks, threads>>>((T *)(dev.out + at), (const T *)(dev.in + at));
           }),
           "GB/s", "param.dram.copy.%s.block%d.each%d", type, threads, EACH);
}

/* Only a part of each line; the rate counts the sectors touched, 32 bytes each. */
template <class PATTERN> static void report_sectors(const char *name)
{
    const size_t warps = ARENA_BYTES / 2 / 128 / PATTERN::LINES / 4; /* four requests each */
    report(warps * 4 * PATTERN::SECTORS * 32e-3 / time_us([=](int) {
               const char *in = dev.in + fresh_bytes(ARENA_BYTES / 2);
               read_pattern<PATTERN><<<(unsigned)(warps / 8), 256>>>((float *)dev.out, in, ARENA_BYTES / 2 - 1, 1);
           }),
           "GB/s", "param.dram.read_part.%s", name);
    report(warps * 4 * PATTERN::SECTORS * 32e-3 / time_us([=](int) {
               char *out = dev.out + fresh_bytes(ARENA_BYTES / 2);
               write_pattern<PATTERN><<<(unsigned)(warps / 8), 256>>>(out, ARENA_BYTES / 2 - 1, 1.0f, 1);
           }),
           "GB/s", "param.dram.write_part.%s", name);
}

/* Numbers without a pattern, from numbers in order. */
__device__ static unsigned mixed(unsigned number)
{
    number *= 2654435761u;
    number = (number ^ number >> 15) * 2246822519u;
    return number ^ number >> 13;
}

/* Groups of `lanes` lanes read a sector each, anywhere. */
__global__ void random_sectors(float *out, const char *in, unsigned seed, int lanes)
{
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        const unsigned sector = mixed(id / lanes * 4 + k + seed) % (unsigned)(ARENA_BYTES / 32);
        sum += *(const float *)(in + (size_t)sector * 32 + threadIdx.x % 8 * 4);
    }
    if (sum == 0.12345f)
        *out = sum;
}

static void report_random(int lanes)
{
    const unsigned threads = 1u << 22;
    report(threads / lanes * 4 * 32e-3 / time_us([=](int repetition) {
               random_sectors<<<threads / 256, 256>>>((float *)dev.out, dev.in, repetition * 7654321u, lanes);
           }),
           "GB/s", "param.dram.random.lanes%d", lanes);
}

/* Neighbouring threads read a unit of so many words, anywhere. */
__global__ void random_units(float *out, const char *in, unsigned seed, unsigned words)
{
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        const unsigned unit = mixed(id / words * 4 + k + seed) % (unsigned)(ARENA_BYTES / 4 / words);
        sum += ((const float *)in)[(size_t)unit * words + id % words];
    }
    if (sum == 0.12345f)
        *out = sum;
}

static void report_units(unsigned bytes)
{
    const unsigned threads = 1u << 23;
    report(threads * 16e-3 / time_us([=](int repetition) {
               random_units<<<threads / 256, 256>>>((float *)dev.out, dev.in, repetition * 7654321u, bytes / 4);
           }),
           "GB/s", "param.dram.random.bytes%u", bytes);
}

void measure_dram()
{
    for (int threads = 64; threads <= 1024; threads *= 2) {
        report_dram<float, 1>("float", threads);
        report_dram<float4, 1>("float4", threads);
    }
    report_dram<float, 2>("float", 256);
    report_dram<float, 4>("float", 256);
    report_dram<float, 8>("float", 256);
    report_dram<float4, 2>("float4", 256);
    report_dram<float4, 4>("float4", 256);
    report_dram<float4, 8>("float4", 256);
    report_sectors<whole_lines>("whole_lines");
    report_sectors<half_lines>("half_lines");
    report_sectors<quarter_lines>("quarter_lines");
    report_sectors<lone_sectors>("lone_sectors");
    report_sectors<lone_lines>("lone_lines");
    report_random(8);
    report_random(1);
    for (unsigned bytes = 32; bytes <= 4096; bytes *= 2)
        report_units(bytes);
}
