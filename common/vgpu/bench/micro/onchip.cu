/* onchip.cu - shared memory, constant memory, L1, local memory and textures: rates when all data are near.
 * Blocks fill the SMs; each thread repeats independent accesses whose pattern is the measurement's subject.
 * Addresses change with each round, so that no load can be moved out of the loop. */
#include "micro.cuh"

enum { ROUNDS = 128, WORDS = 4096 };

/* ------------------------------------------------------------------------------------------- shared memory */

/* Lane l reads word l * stride; eight independent loads a round. */
__global__ void shared_stride(float *out, int stride, int n)
{
    __shared__ float words[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        words[i] = i;
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * stride * 4;
    float sum = 0;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float word;
            asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(word) : "r"(base + j * 512));
            sum += word;
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void measure_banks()
{
    for (int stride : {0, 1, 2, 4, 8, 16, 32, 33})
        report(time_us([=](int) { shared_stride<<<dev.sms, 1024>>>((float *)dev.out, stride, 2 * ROUNDS); }), "us",
               "banks.stride%d", stride);
}

/* Neighbouring lanes read or write neighbouring vectors of WIDTH words. */
template <int WIDTH, bool IS_WRITE> __global__ void shared_width(float *out, float value, int n)
{
    __shared__ float words[WORDS];
    words[threadIdx.x] = value;
    __syncthreads();
    const unsigned base = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * WIDTH * 4;
    float a = value, b = value, c = value, d = value, sum = 0;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const unsigned at = base + j * 512;
            if (IS_WRITE && WIDTH == 1)
                asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at), "f"(a));
            else if (IS_WRITE && WIDTH == 2)
                asm volatile("st.volatile.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(a), "f"(b));
            else if (IS_WRITE)
                asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(a), "f"(b), "f"(c),
                             "f"(d));
            else if (WIDTH == 1)
                asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(a) : "r"(at));
            else if (WIDTH == 2)
                asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "r"(at));
            else
                asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                             : "r"(at));
            sum += a;
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + b + c + d + words[threadIdx.x];
}

template <int WIDTH, bool IS_WRITE> static void report_width(const char *name)
{
    auto launch = [](int n) {
        return time_us([=](int) { shared_width<WIDTH, IS_WRITE><<<dev.sms, 1024>>>((float *)dev.out, 1.0f, n); });
    };
    report(clocks(launch(2 * ROUNDS) - launch(ROUNDS)) / (32 * ROUNDS * 8), "clk/request/SM", "param.shared.%s", name);
}

void measure_shared()
{
    report_width<1, false>("read.float");
    report_width<2, false>("read.float2");
    report_width<4, false>("read.float4");
    report_width<1, true>("write.float");
    report_width<2, true>("write.float2");
    report_width<4, true>("write.float4");
}

/* ------------------------------------------------------------------------------------------- constant memory */

static __constant__ float table[2048];

/* A warp reads `distinct` different words with each load. */
__global__ void constant_spread(float *out, int distinct, int n)
{
    int place = threadIdx.x % distinct;
    float sum = 0;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++)
            sum += table[place + j * 64];
        place = (place + 5) & 63;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void measure_constant()
{
    for (int distinct = 1; distinct <= 32; distinct *= 2)
        report(time_us([=](int) { constant_spread<<<dev.sms, 1024>>>((float *)dev.out, distinct, ROUNDS); }), "us",
               "constant.%d", distinct);
}

/* ------------------------------------------------------------------------------------------- L1 */

/* Every warp reads the same 16 KB of its SM again and again. spread: bytes between neighbouring lanes. That rounds
 * repeat each other is known to the host alone, by the mask. */
template <class T>
__global__ void __launch_bounds__(1024, 2) l1_read(float *out, const char *in, int spread, unsigned mask, int n)
{
    float sum = 0;
    in += threadIdx.x % 32 * spread;
    for (int i = 0; i < n; i++) {
        const char *place = in + (i * 4096 & mask);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            T value = *(const T *)(place + j * 512);
            sum += *(const float *)&value;
            if (sizeof value > 4)
                sum += *((const float *)&value + 1);
            if (sizeof value > 8)
                sum += *((const float *)&value + 2) + *((const float *)&value + 3);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class T> static void report_l1(const char *name, int spread)
{
    const double us = time_us(
        [=](int) { l1_read<T><<<dev.sms * 2, 1024>>>((float *)dev.out, dev.in, spread, 12288, 2 * ROUNDS); }) -
        time_us([=](int) { l1_read<T><<<dev.sms * 2, 1024>>>((float *)dev.out, dev.in, spread, 12288, ROUNDS); });
    const double requests = 64.0 * ROUNDS * 8;
    report(clocks(us) / requests, "clk/request/SM", "param.l1.read.%s", name);
}

void measure_l1()
{
    report_l1<float>("float", 4);
    report_l1<float2>("float2", 8);
    report_l1<float4>("float4", 16);
    report_l1<float>("same_word", 0);
    report_l1<float>("lines2", 8);
    report_l1<float>("lines4", 16);
    report_l1<float>("lines8", 32);
    report_l1<float>("lines16", 64);
    report_l1<float>("lines32", 128);
    report_l1<float>("lines32_odd", 132);
}

/* ------------------------------------------------------------------------------------------- local memory */

/* An array that cannot live in registers, since its index is not known: one store and one load a step. */
__global__ void local_array(float *out, int step, int n)
{
    float array[64];
    for (int i = 0; i < 64; i++)
        array[i] = i;
    float sum = 0;
    unsigned place = 0;
    for (int i = 0; i < n; i++) {
        array[place % 64] = sum;
        place += step;
        sum += array[(place + 7) % 64];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void measure_local()
{
    for (int blocks : {1, 4, 8}) {
        const double us = time_us([=](int) { local_array<<<dev.sms * blocks, 256>>>((float *)dev.out, 3, 512); }) -
                          time_us([=](int) { local_array<<<dev.sms * blocks, 256>>>((float *)dev.out, 3, 256); });
        report(clocks(us) / (256.0 * blocks * 8), "clk/warp-step/SM", "param.local.threads%d", blocks * 256);
    }
}

/* ------------------------------------------------------------------------------------------- textures */

enum { TEXELS = 512 };

__global__ void texture_read(float *out, cudaTextureObject_t texture, float shift, int n)
{
    float x = blockIdx.x % 16 * 32 + threadIdx.x % 32 + shift, y = threadIdx.x / 32 + shift, sum = 0;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            sum += tex2D<float>(texture, x, y + i * 4 + j);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static cudaTextureObject_t make_texture(cudaArray_t array, cudaTextureFilterMode filter)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = filter;
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    check(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "texture");
    return texture;
}

static void report_texture(const char *name, cudaTextureObject_t texture, float shift)
{
    const double us = time_us([=](int) { texture_read<<<dev.sms * 8, 256>>>((float *)dev.out, texture, shift, 64); }) -
                      time_us([=](int) { texture_read<<<dev.sms * 8, 256>>>((float *)dev.out, texture, shift, 32); });
    report(2048.0 * 128 / clocks(us), "fetches/clk/SM", "param.texture.%s", name);
}

void measure_texture()
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    check(cudaMallocArray(&array, &format, TEXELS, TEXELS), "array");
    check(cudaMemcpy2DToArray(array, 0, 0, dev.in, TEXELS * 4, TEXELS * 4, TEXELS, cudaMemcpyDeviceToDevice), "array");
    report_texture("point", make_texture(array, cudaFilterModePoint), 0.5f);
    report_texture("linear", make_texture(array, cudaFilterModeLinear), 0.5f);
    report_texture("linear_between", make_texture(array, cudaFilterModeLinear), 0.75f);
}
