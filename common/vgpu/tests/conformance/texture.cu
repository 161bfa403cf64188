/* texture.cu - textures and surfaces: every shape, format, addressing mode and filter, gathers, queries, boundary modes.
 * The cases are made by loops when the program starts; each builds its own image, object and launch.
 * Point fetches are kept as checksums; a filtered fetch is kept as the value of one channel. */
#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <vector>

#include "by_hand.cuh"

enum shape { LINE, PLANE, SOLID, LINES, PLANES, CUBE, CUBES, SHAPES, FIRST_LAYERED = LINES };

struct sampling {
    float scale[3];
    bool is_filtered; /* one channel is kept */
    int channels;
};

typedef void fetch_kernel(uint64_t object, struct sampling s, uint64_t *out);
typedef void surface_kernel(uint64_t object, int width, int height, int depth, int margin, uint64_t *out);

struct setup {
    enum shape shape;
    char kind; /* u s f */
    int bits, channels;
    cudaTextureAddressMode mode;
    bool is_linear, is_normalized, reads_floats;
    fetch_kernel *fetch;
    surface_kernel *surface, *read_back;
    int margin; /* how far a surface access goes beyond the image */
};

/* ------------------------------------------------------------------------------------------- fetches */

/* From -0.75 to 1.75 or 3.6 images, half of the time in steps that are exact. */
static __device__ float coordinate(const struct sampling &s, unsigned i, int d)
{
    const float k = (float)((i * (7 + 4 * d) + 3 * d) % SUITE_TUPLES);
    return __fmul_rn(__fadd_rn(i & 1 ? __fmul_rn(k, 0.0137f) : k / 128, -0.75f), s.scale[d]);
}

static __device__ void keep(const struct sampling &s, unsigned i, const uint32_t *r, uint64_t *out)
{
    uint32_t sum = 0;
    for (int k = 0; k < 4; k++)
        sum = fold(sum, r[k]);
    out[i] = s.is_filtered ? r[i % s.channels] : checksum(sum);
}

#define FETCH(id, instruction, address, rest)                                                                          \
    static __global__ void id(uint64_t object, struct sampling s, uint64_t *out)                                       \
    {                                                                                                                  \
        const unsigned i = threadIdx.x;                                                                                \
        const float x = coordinate(s, i, 0), y = coordinate(s, i, 1), z = coordinate(s, i, 2);                         \
        const int layer = (int)(i / 8 % 3), at_x = (int)(i % 17) - 2, at_y = (int)(i % 11) - 2, at_z = (int)(i % 5) - 1; \
        uint32_t r[4];                                                                                                 \
        asm volatile(instruction " {%0, %1, %2, %3}, [%4, " address "]" rest ";"                                       \
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                                  \
                     : "l"(object), "f"(x), "f"(y), "f"(z), "r"(layer), "r"(at_x), "r"(at_y), "r"(at_z));              \
        keep(s, i, r, out);                                                                                            \
    }
#define FETCHES(type)                                                                                                  \
    FETCH(fetch_1d_##type, "tex.1d.v4." #type ".f32", "{%5}", "")                                                      \
    FETCH(fetch_2d_##type, "tex.2d.v4." #type ".f32", "{%5, %6}", "")                                                  \
    FETCH(fetch_3d_##type, "tex.3d.v4." #type ".f32", "{%5, %6, %7, %7}", "")                                          \
    FETCH(fetch_a1d_##type, "tex.a1d.v4." #type ".f32", "{%8, %5}", "")                                                \
    FETCH(fetch_a2d_##type, "tex.a2d.v4." #type ".f32", "{%8, %5, %6, %6}", "")                                        \
    FETCH(fetch_cube_##type, "tex.cube.v4." #type ".f32", "{%5, %6, %7, %7}", "")                                      \
    FETCH(fetch_acube_##type, "tex.acube.v4." #type ".f32", "{%8, %5, %6, %7}", "")                                    \
    FETCH(index_2d_##type, "tex.2d.v4." #type ".s32", "{%9, %10}", "")                                                 \
    FETCH(index_3d_##type, "tex.3d.v4." #type ".s32", "{%9, %10, %11, %11}", "")                                       \
    FETCH(index_a1d_##type, "tex.a1d.v4." #type ".s32", "{%8, %9}", "")                                                \
    FETCH(index_a2d_##type, "tex.a2d.v4." #type ".s32", "{%8, %9, %10, %10}", "")                                      \
    FETCH(gather_r_##type, "tld4.r.2d.v4." #type ".f32", "{%5, %6}", "")                                               \
    FETCH(gather_g_##type, "tld4.g.2d.v4." #type ".f32", "{%5, %6}", "")                                               \
    FETCH(gather_b_##type, "tld4.b.2d.v4." #type ".f32", "{%5, %6}", "")                                               \
    FETCH(gather_a_##type, "tld4.a.2d.v4." #type ".f32", "{%5, %6}", "")
FETCHES(u32)
FETCHES(s32)
FETCHES(f32)
FETCH(level_2d, "tex.level.2d.v4.f32.f32", "{%5, %6}", ", 0f00000000")
FETCH(level_3d, "tex.level.3d.v4.f32.f32", "{%5, %6, %7, %7}", ", 0f40000000")
FETCH(gradient_2d, "tex.grad.2d.v4.f32.f32", "{%5, %6}", ", {%5, %6}, {%6, %5}")

#define BY_TYPE(name) {name##_u32, name##_s32, name##_f32}
static fetch_kernel *const fetches[SHAPES][3] = {BY_TYPE(fetch_1d),  BY_TYPE(fetch_2d),   BY_TYPE(fetch_3d), BY_TYPE(fetch_a1d),
                                                 BY_TYPE(fetch_a2d), BY_TYPE(fetch_cube), BY_TYPE(fetch_acube)};
static fetch_kernel *const indexes[PLANES + 1][3] = {
    {}, BY_TYPE(index_2d), BY_TYPE(index_3d), BY_TYPE(index_a1d), BY_TYPE(index_a2d)};
static fetch_kernel *const gathers[4][3] = {BY_TYPE(gather_r), BY_TYPE(gather_g), BY_TYPE(gather_b), BY_TYPE(gather_a)};

static __global__ void query(uint64_t object, struct sampling, uint64_t *out)
{
    const unsigned i = threadIdx.x;
    uint32_t w, h, d;
    asm volatile("txq.width.b32 %0, [%3]; txq.height.b32 %1, [%3]; txq.depth.b32 %2, [%3];"
                 : "=r"(w), "=r"(h), "=r"(d) : "l"(object));
    out[i] = w | h << 5 | d << 10;
}

/* ------------------------------------------------------------------------------------------- surfaces */

/* Where thread i goes: every element of the image, and a margin around it. */
struct spot { int x, y, z; };

static __device__ struct spot spot_of(unsigned i, int width, int height, int depth, int margin)
{
    const int w = width + 2 * margin, h = height > 1 ? height + 2 * margin : 1;
    return {(int)(i % w) - margin, height > 1 ? (int)(i / w % h) - margin : 0, depth > 1 ? (int)(i / w / h % depth) : 0};
}

static __device__ int clamped(int x, int n) { return x < 0 ? 0 : x >= n ? n - 1 : x; }

#define SURFACE(id, bytes, body)                                                                                       \
    static __global__ void id(uint64_t object, int width, int height, int depth, int margin, uint64_t *out)            \
    {                                                                                                                  \
        const unsigned i = threadIdx.x;                                                                                \
        const struct spot at = spot_of(i, width, height, depth, margin);                                               \
        const int x = at.x * (bytes), cx = clamped(at.x, width), cy = clamped(at.y, height);                           \
        const uint64_t v = word_of(cx * 77 + cy * 5 + at.z, 0x123456789abcdef * (cx + 3), 2 + cy % 3);                 \
        (void)x, (void)v;                                                                                              \
        body                                                                                                           \
    }
#define LOAD_1(id, geometry, vector, type, boundary, C, T, bytes, address)                                             \
    SURFACE(id, bytes, T d; asm volatile("suld.b." geometry vector "." type "." boundary " %0, [%1, " address "];"     \
                                         : "=" C(d) : "l"(object), "r"(x), "r"(at.y), "r"(at.z));                      \
            out[i] = checksum(fold(0, d));)
#define STORE_1(id, geometry, vector, type, boundary, C, T, bytes, address)                                            \
    SURFACE(id, bytes, asm volatile("sust.b." geometry vector "." type "." boundary " [%1, " address "], %0;"          \
                                    :: C((T)v), "l"(object), "r"(x), "r"(at.y), "r"(at.z) : "memory");)

#define BOUNDARIES(MAKE, id, geometry, vector, type, C, T, bytes, address)                                             \
    MAKE(id##_trap, geometry, vector, type, "trap", C, T, bytes, address)                                              \
    MAKE(id##_clamp, geometry, vector, type, "clamp", C, T, bytes, address)                                            \
    MAKE(id##_zero, geometry, vector, type, "zero", C, T, bytes, address)
BOUNDARIES(LOAD_1, load_1d, "1d", "", "b32", "r", uint32_t, 4, "{%2}")
BOUNDARIES(LOAD_1, load_2d, "2d", "", "b32", "r", uint32_t, 4, "{%2, %3}")
BOUNDARIES(LOAD_1, load_3d, "3d", "", "b32", "r", uint32_t, 4, "{%2, %3, %4, %4}")
BOUNDARIES(LOAD_1, load_a1d, "a1d", "", "b32", "r", uint32_t, 4, "{%4, %2}")
BOUNDARIES(LOAD_1, load_a2d, "a2d", "", "b32", "r", uint32_t, 4, "{%4, %2, %3, %3}")
BOUNDARIES(LOAD_1, load_b8, "2d", "", "b8", "h", uint16_t, 1, "{%2, %3}")
BOUNDARIES(LOAD_1, load_b16, "2d", "", "b16", "h", uint16_t, 2, "{%2, %3}")
BOUNDARIES(LOAD_1, load_b64, "2d", "", "b64", "l", uint64_t, 8, "{%2, %3}")
BOUNDARIES(STORE_1, store_1d, "1d", "", "b32", "r", uint32_t, 4, "{%2}")
BOUNDARIES(STORE_1, store_2d, "2d", "", "b32", "r", uint32_t, 4, "{%2, %3}")
BOUNDARIES(STORE_1, store_3d, "3d", "", "b32", "r", uint32_t, 4, "{%2, %3, %4, %4}")
BOUNDARIES(STORE_1, store_a1d, "a1d", "", "b32", "r", uint32_t, 4, "{%4, %2}")
BOUNDARIES(STORE_1, store_a2d, "a2d", "", "b32", "r", uint32_t, 4, "{%4, %2, %3, %3}")
BOUNDARIES(STORE_1, store_b8, "2d", "", "b8", "h", uint16_t, 1, "{%2, %3}")
BOUNDARIES(STORE_1, store_b16, "2d", "", "b16", "h", uint16_t, 2, "{%2, %3}")
BOUNDARIES(STORE_1, store_b64, "2d", "", "b64", "l", uint64_t, 8, "{%2, %3}")

/* Vectors: loads and stores of two and four elements. */
#define VECTOR_2(id, type, C, T, bytes)                                                                                \
    SURFACE(load_##id, bytes, T d[2]; asm volatile("suld.b.2d.v2." type ".zero {%0, %1}, [%2, {%3, %4}];"              \
            : "=" C(d[0]), "=" C(d[1]) : "l"(object), "r"(x), "r"(at.y)); out[i] = checksum(fold(fold(0, d[0]), d[1]));) \
    SURFACE(store_##id, bytes, asm volatile("sust.b.2d.v2." type ".zero [%2, {%3, %4}], {%0, %1};"                     \
            :: C((T)v), C((T)(v >> 17)), "l"(object), "r"(x), "r"(at.y) : "memory");)
#define VECTOR_4(id, type, C, T, bytes)                                                                                \
    SURFACE(load_##id, bytes, T d[4]; asm volatile("suld.b.2d.v4." type ".zero {%0, %1, %2, %3}, [%4, {%5, %6}];"      \
            : "=" C(d[0]), "=" C(d[1]), "=" C(d[2]), "=" C(d[3]) : "l"(object), "r"(x), "r"(at.y));                    \
            out[i] = checksum(fold(fold(fold(fold(0, d[0]), d[1]), d[2]), d[3]));)                                     \
    SURFACE(store_##id, bytes, asm volatile("sust.b.2d.v4." type ".zero [%4, {%5, %6}], {%0, %1, %2, %3};"             \
            :: C((T)v), C((T)(v >> 17)), C((T)(v >> 23)), C((T)(v >> 31)), "l"(object), "r"(x), "r"(at.y) : "memory");)
VECTOR_2(v2_b8, "b8", "h", uint16_t, 2)
VECTOR_2(v2_b16, "b16", "h", uint16_t, 4)
VECTOR_2(v2_b32, "b32", "r", uint32_t, 8)
VECTOR_2(v2_b64, "b64", "l", uint64_t, 16)
VECTOR_4(v4_b8, "b8", "h", uint16_t, 4)
VECTOR_4(v4_b16, "b16", "h", uint16_t, 8)
VECTOR_4(v4_b32, "b32", "r", uint32_t, 16)

/* Formatted stores: x counts elements; the image says what the values are. */
SURFACE(formatted_int, 1, asm volatile("sust.p.2d.v4.b32.trap [%4, {%5, %6}], {%0, %1, %2, %3};" :: "r"((uint32_t)v),
        "r"((uint32_t)(v >> 17)), "r"((uint32_t)(v >> 50)), "r"((uint32_t)(v >> 31)), "l"(object), "r"(at.x), "r"(at.y)
        : "memory");)
SURFACE(formatted_float, 1, asm volatile("sust.p.2d.v4.b32.trap [%4, {%5, %6}], {%0, %1, %2, %3};" :: "f"((float)(v & 0xffff) / 7),
        "f"((float)(v & 0xfff) * -0.37f), "f"((float)(v >> 60)), "f"(-0.0f), "l"(object), "r"(at.x), "r"(at.y) : "memory");)

/* Reductions: all threads on few elements. */
#define REDUCE(id, op, type, C, T, bytes)                                                                              \
    SURFACE(id, bytes, asm volatile("sured.b." op ".2d." type ".trap [%1, {%2, %3}], %0;" :: C((T)(v + i)),            \
            "l"(object), "r"(x / (bytes) % 3 * (bytes)), "r"(at.y) : "memory");)
REDUCE(reduce_add_u32, "add", "u32", "r", uint32_t, 4)
REDUCE(reduce_min_u32, "min", "u32", "r", uint32_t, 4)
REDUCE(reduce_max_u32, "max", "u32", "r", uint32_t, 4)
REDUCE(reduce_add_s32, "add", "s32", "r", uint32_t, 4)
REDUCE(reduce_min_s32, "min", "s32", "r", uint32_t, 4)
REDUCE(reduce_max_s32, "max", "s32", "r", uint32_t, 4)
REDUCE(reduce_and_b32, "and", "b32", "r", uint32_t, 4)
REDUCE(reduce_or_b32, "or", "b32", "r", uint32_t, 4)
REDUCE(reduce_add_u64, "add", "u64", "l", uint64_t, 8)

SURFACE(surface_query, 1, uint32_t w; uint32_t h; asm volatile("suq.width.b32 %0, [%2]; suq.height.b32 %1, [%2];"
        : "=r"(w), "=r"(h) : "l"(object)); out[i] = w | h << 8;)

/* ------------------------------------------------------------------------------------------- images */

static cudaExtent extent_of(const struct setup &s)
{
    static const cudaExtent extents[SHAPES] = {{13, 0, 0}, {13, 7, 0}, {9, 5, 3},  {13, 0, 3},
                                               {9, 5, 3},  {8, 8, 6},  {8, 8, 18}};
    return extents[s.shape];
}

static unsigned array_flags(const struct setup &s)
{
    unsigned flags = s.surface ? cudaArraySurfaceLoadStore : 0;
    if (s.shape >= FIRST_LAYERED && s.shape != CUBE)
        flags |= cudaArrayLayered;
    if (s.shape == CUBE || s.shape == CUBES)
        flags |= cudaArrayCubemap;
    for (const auto &row : gathers)
        for (fetch_kernel *kernel : row)
            flags |= s.fetch == kernel ? cudaArrayTextureGather : 0;
    return flags;
}

static float as_unit(uint64_t x) { return (float)(x >> 40) / 16777216.0f; }

/* Any integers; floats between 0 and 1. */
static std::vector<uint8_t> texels_of(const struct setup &s, size_t count)
{
    std::vector<uint8_t> bytes(count * s.channels * s.bits / 8);
    uint64_t x = 88172645463325252u;
    for (size_t k = 0; k < count * s.channels; k++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const float value = as_unit(x);
        const uint16_t half = (uint16_t)(0x3000 + (x >> 30) % 0xc00);
        const void *from = s.kind != 'f' ? (const void *)&x : s.bits == 16 ? (const void *)&half : (const void *)&value;
        memcpy(&bytes[k * s.bits / 8], from, s.bits / 8);
    }
    return bytes;
}

static cudaChannelFormatDesc format_of(const struct setup &s)
{
    const int b = s.bits, n = s.channels;
    const cudaChannelFormatKind kind = s.kind == 'f'   ? cudaChannelFormatKindFloat
                                       : s.kind == 's' ? cudaChannelFormatKindSigned
                                                       : cudaChannelFormatKindUnsigned;
    return cudaCreateChannelDesc(b, n > 1 ? b : 0, n > 2 ? b : 0, n > 2 ? b : 0, kind);
}

static cudaArray_t make_array(const struct setup &s)
{
    const cudaExtent extent = extent_of(s);
    const cudaExtent whole = {extent.width, extent.height ? extent.height : 1, extent.depth ? extent.depth : 1};
    const cudaChannelFormatDesc format = format_of(s);
    std::vector<uint8_t> bytes = texels_of(s, whole.width * whole.height * whole.depth);
    cudaArray_t array = nullptr;
    cudaMemcpy3DParms copy = {};
    if (cudaMalloc3DArray(&array, &format, extent, array_flags(s)) != cudaSuccess)
        return nullptr;
    copy.srcPtr = make_cudaPitchedPtr(bytes.data(), whole.width * s.channels * s.bits / 8, whole.width, whole.height);
    copy.dstArray = array;
    copy.extent = whole;
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    return array;
}

static void sample(const struct setup &s, cudaArray_t array, uint64_t *out)
{
    const cudaExtent extent = extent_of(s);
    struct sampling sampling = {{1, 1, 1}, s.is_linear, s.channels};
    cudaResourceDesc resource = {};
    cudaTextureDesc desc = {};
    cudaTextureObject_t object = 0;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (int d = 0; d < 3; d++) {
        desc.addressMode[d] = s.mode;
        desc.borderColor[d] = 0.25f * (d + 1);
    }
    desc.borderColor[3] = 1.0f;
    desc.filterMode = s.is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.readMode = s.reads_floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    desc.normalizedCoords = s.is_normalized;
    if (!s.is_normalized) {
        sampling.scale[0] = (float)extent.width;
        sampling.scale[1] = (float)(s.shape == LINES ? 1 : extent.height);
        sampling.scale[2] = (float)extent.depth;
    }
    if (cudaCreateTextureObject(&object, &resource, &desc, nullptr) == cudaSuccess)
        s.fetch<<<1, SUITE_TUPLES>>>(object, sampling, out);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(object);
}

static void use_surface(const struct setup &s, cudaArray_t array, uint64_t *out)
{
    const cudaExtent extent = extent_of(s);
    const int width = (int)extent.width, height = extent.height ? (int)extent.height : 1,
              depth = extent.depth ? (int)extent.depth : 1;
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t object = 0;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    if (cudaCreateSurfaceObject(&object, &resource) == cudaSuccess) {
        s.surface<<<1, SUITE_TUPLES>>>(object, width, height, depth, s.margin, out);
        if (s.read_back)
            s.read_back<<<1, SUITE_TUPLES>>>(object, width, height, depth, 0, out);
    }
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(object);
}

/* ------------------------------------------------------------------------------------------- the cases */

enum { MOST_CASES = 512 };

static struct table {
    struct suite_case cases[MOST_CASES];
    struct setup setups[MOST_CASES];
    char names[MOST_CASES][96];
    size_t count;
    table();
    void add(const struct setup &s, const char *format, ...);
} table;

void table::add(const struct setup &s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(names[count], sizeof names[count], format, args);
    va_end(args);
    cases[count] = {names[count], s.is_linear ? "w=w" : "h=w", 0, -1};
    setups[count++] = s;
}

static const char *const geometries[SHAPES] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
static const char *const modes[] = {"wrap", "clamp", "mirror", "border"}; /* as cudaTextureAddressMode counts */
static const struct { char kind; int bits; } formats[] = {{'u', 8},  {'s', 8},  {'u', 16}, {'s', 16},
                                                          {'u', 32}, {'s', 32}, {'f', 16}, {'f', 32}};

static int type_of(char kind) { return kind == 'u' ? 0 : kind == 's' ? 1 : 2; }
static const char *const type_names[] = {"u32", "s32", "f32"};

static void add_formats(struct table &t)
{
    for (const auto &format : formats)
        for (int channels = 1; channels <= 4; channels *= 2)
            for (int reads_floats = 0; reads_floats < (format.bits < 32 && format.kind != 'f' ? 2 : 1); reads_floats++) {
                const int type = reads_floats ? 2 : type_of(format.kind);
                struct setup s = {PLANE, format.kind, format.bits, channels, cudaAddressModeClamp, false, false,
                                  (bool)reads_floats, fetches[PLANE][type]};
                const char *reads = reads_floats ? ", as floats" : "";
                t.add(s, "tex.2d.v4.%s.f32 of %c%dx%d%s", type_names[type], format.kind, format.bits, channels, reads);
                if (type != 2)
                    continue;
                s.is_linear = true;
                t.add(s, "linear, of %c%dx%d%s: tex.2d.v4.f32.f32", format.kind, format.bits, channels, reads);
            }
}

static void add_modes(struct table &t)
{
    for (int shape = LINE; shape <= PLANES; shape++)
        for (int mode = 0; mode < 4; mode++)
            for (int is_normalized = mode % 2 == 0; is_normalized < 2; is_normalized++)
                for (int is_linear = 0; is_linear < 2; is_linear++) {
                    const struct setup s = {(enum shape)shape, 'f', 32, 1, (cudaTextureAddressMode)mode, (bool)is_linear,
                                            (bool)is_normalized, false, fetches[shape][2]};
                    t.add(s, "%s, %s, %s: tex.%s.v4.f32.f32", is_linear ? "linear" : "point", modes[mode],
                          is_normalized ? "normalised" : "in texels", geometries[shape]);
                }
}

static void add_others(struct table &t)
{
    /* tex.1d with an integer coordinate reads linear memory; what it gives for the array behind a line is undefined. */
    for (int shape = PLANE; shape <= PLANES; shape++)
        for (int type = 0; type < 3; type++)
            for (int mode = 1; mode < 4; mode += 2) {
                const struct setup s = {(enum shape)shape, "usf"[type], 32, 2, (cudaTextureAddressMode)mode, false, false,
                                        false, indexes[shape][type]};
                t.add(s, "%s: tex.%s.v4.%s.s32", modes[mode], geometries[shape], type_names[type]);
            }
    for (int shape = CUBE; shape <= CUBES; shape++)
        for (int type = 0; type < 3; type++) {
            const struct setup s = {(enum shape)shape, "usf"[type], 32, 1, cudaAddressModeClamp, false, true, false,
                                    fetches[shape][type]};
            t.add(s, "tex.%s.v4.%s.f32", geometries[shape], type_names[type]);
        }
    for (int channel = 0; channel < 4; channel++)
        for (int type = 0; type < 3; type++)
            for (int mode = 0; mode < 4; mode++) {
                const struct setup s = {PLANE, "usf"[type], 32, 4, (cudaTextureAddressMode)mode, false, mode % 2 == 0, false,
                                        gathers[channel][type]};
                t.add(s, "%s: tld4.%c.2d.v4.%s.f32", modes[mode], "rgba"[channel], type_names[type]);
            }
    struct setup s = {PLANE, 'f', 32, 1, cudaAddressModeClamp, false, true, false, level_2d};
    t.add(s, "tex.level.2d.v4.f32.f32");
    s.fetch = gradient_2d;
    t.add(s, "tex.grad.2d.v4.f32.f32");
    s.shape = SOLID, s.fetch = level_3d;
    t.add(s, "tex.level.3d.v4.f32.f32");
    for (int shape = LINE; shape <= SOLID; shape++) {
        s.shape = (enum shape)shape, s.fetch = query;
        t.add(s, "txq of a %s image", geometries[shape]);
    }
}

static struct setup on_surface(enum shape shape, int bits, int channels, surface_kernel *kernel, surface_kernel *read_back,
                               int margin)
{
    return {shape, 'u', bits, channels, cudaAddressModeClamp, false, false, false, nullptr, kernel, read_back, margin};
}

static void add_surfaces(struct table &t)
{
#define THREE(name) {name##_trap, name##_clamp, name##_zero}
    static surface_kernel *const loads[][3] = {THREE(load_1d), THREE(load_2d), THREE(load_3d), THREE(load_a1d), THREE(load_a2d)};
    static surface_kernel *const stores[][3] = {THREE(store_1d), THREE(store_2d), THREE(store_3d), THREE(store_a1d),
                                                THREE(store_a2d)};
    static surface_kernel *const sized_loads[][3] = {THREE(load_b8), THREE(load_b16), THREE(load_b64)};
    static surface_kernel *const sized_stores[][3] = {THREE(store_b8), THREE(store_b16), THREE(store_b64)};
    static const char *const boundaries[] = {"trap", "clamp", "zero"}, *const sizes[] = {"b8", "b16", "b64"};
    static const int bits[] = {8, 16, 32}, channels[] = {1, 1, 2};
    for (int b = 0; b < 3; b++) {
        const int margin = b ? 2 : 0;
        for (int shape = LINE; shape <= PLANES; shape++) {
            t.add(on_surface((enum shape)shape, 32, 1, loads[shape][b], nullptr, margin), "suld.b.%s.b32.%s",
                  geometries[shape], boundaries[b]);
            t.add(on_surface((enum shape)shape, 32, 1, stores[shape][b], loads[shape][0], margin), "sust.b.%s.b32.%s",
                  geometries[shape], boundaries[b]);
        }
        for (int k = 0; k < 3; k++) {
            t.add(on_surface(PLANE, bits[k], channels[k], sized_loads[k][b], nullptr, margin), "suld.b.2d.%s.%s", sizes[k],
                  boundaries[b]);
            t.add(on_surface(PLANE, bits[k], channels[k], sized_stores[k][b], sized_loads[k][0], margin),
                  "sust.b.2d.%s.%s", sizes[k], boundaries[b]);
        }
    }
    static const struct { const char *name; surface_kernel *load, *store; int bits, channels; } vectors[] = {
        {"v2.b8", load_v2_b8, store_v2_b8, 8, 2},     {"v2.b16", load_v2_b16, store_v2_b16, 16, 2},
        {"v2.b32", load_v2_b32, store_v2_b32, 32, 2}, {"v2.b64", load_v2_b64, store_v2_b64, 32, 4},
        {"v4.b8", load_v4_b8, store_v4_b8, 8, 4},     {"v4.b16", load_v4_b16, store_v4_b16, 16, 4},
        {"v4.b32", load_v4_b32, store_v4_b32, 32, 4}};
    for (const auto &v : vectors) {
        t.add(on_surface(PLANE, v.bits, v.channels, v.load, nullptr, 2), "suld.b.2d.%s.zero", v.name);
        t.add(on_surface(PLANE, v.bits, v.channels, v.store, v.load, 2), "sust.b.2d.%s.zero", v.name);
    }
    static const struct { const char *name; surface_kernel *kernel, *load; int bits; } reductions[] = {
        {"add.2d.u32", reduce_add_u32, load_2d_trap, 32}, {"min.2d.u32", reduce_min_u32, load_2d_trap, 32},
        {"max.2d.u32", reduce_max_u32, load_2d_trap, 32}, {"add.2d.s32", reduce_add_s32, load_2d_trap, 32},
        {"min.2d.s32", reduce_min_s32, load_2d_trap, 32}, {"max.2d.s32", reduce_max_s32, load_2d_trap, 32},
        {"and.2d.b32", reduce_and_b32, load_2d_trap, 32}, {"or.2d.b32", reduce_or_b32, load_2d_trap, 32},
        {"add.2d.u64", reduce_add_u64, load_b64_trap, 64}};
    for (const auto &r : reductions)
        t.add(on_surface(PLANE, 32, r.bits / 32, r.kernel, r.load, 0), "sured.b.%s.trap", r.name);
    t.add(on_surface(PLANE, 32, 1, surface_query, nullptr, 0), "suq of a 2d image");
}

static void add_formatted(struct table &t)
{
    static surface_kernel *const readers[3][3] = {{load_b8_trap, load_v2_b8, load_v4_b8},
                                                  {load_b16_trap, load_v2_b16, load_v4_b16},
                                                  {load_2d_trap, load_v2_b32, load_v4_b32}};
    for (const auto &format : formats)
        for (int log = 0; log < 3; log++) {
            const int size = format.bits == 8 ? 0 : format.bits == 16 ? 1 : 2;
            struct setup s = on_surface(PLANE, format.bits, 1 << log,
                                        format.kind == 'f' ? formatted_float : formatted_int, readers[size][log], 0);
            s.kind = format.kind;
            t.add(s, "sust.p.2d.v4.b32.trap of %c%dx%d", format.kind, format.bits, 1 << log);
        }
}

table::table() : count(0)
{
    add_formats(*this);
    add_modes(*this);
    add_others(*this);
    add_surfaces(*this);
    add_formatted(*this);
}

static void run(size_t first, const uint64_t *in, uint64_t *out)
{
    (void)in;
    for (size_t c = 0; c < SUITE_GROUP && first + c < table.count; c++) {
        const struct setup &s = table.setups[first + c];
        cudaArray_t array = make_array(s);
        if (array && s.surface)
            use_surface(s, array, out + c * 2 * SUITE_TUPLES);
        else if (array)
            sample(s, array, out + c * 2 * SUITE_TUPLES);
        cudaFreeArray(array);
        if (cudaPeekAtLastError() == cudaErrorInvalidValue && cudaGetLastError() != cudaSuccess)
            fprintf(stderr, "%s: the image or its object cannot be made\n", table.cases[first + c].name);
    }
}

extern "C" const struct suite_family suite_texture;
const struct suite_family suite_texture = {"texture", table.cases, table.count, run};
