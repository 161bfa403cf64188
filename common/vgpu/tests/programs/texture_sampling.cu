/* texture_sampling.cu - texture objects over linear memory, pitched memory and arrays of one, two and three dimensions:
 * every addressing mode, both filters, both read modes, layers, gathers, levels, and what can be asked of an object.
 * Expected values follow the texture appendix of the CUDA guide; filtered ones use weights of 8 fractional bits. */
#include "../kit.cuh"

enum { WIDTH = 37, HEIGHT = 19, DEPTH = 5, SAMPLES = 400 };

static cudaTextureDesc sampler(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool is_normalized)
{
    cudaTextureDesc desc;
    memset(&desc, 0, sizeof desc);
    for (int d = 0; d < 3; d++)
        desc.addressMode[d] = mode;
    desc.filterMode = filter;
    desc.readMode = cudaReadModeElementType;
    desc.normalizedCoords = is_normalized;
    return desc;
}

static cudaTextureObject_t array_texture(cudaArray_t array, const cudaTextureDesc &desc)
{
    cudaResourceDesc resource;
    cudaTextureObject_t texture = 0;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

/* ------------------------------------------------------------------------------------- the guide's formulas */

/* Index of a texel under an addressing mode; -1: border. */
static int address(int mode, int i, int n)
{
    if (i >= 0 && i < n)
        return i;
    if (mode == cudaAddressModeWrap)
        return ((i % n) + n) % n;
    if (mode == cudaAddressModeMirror) {
        i = ((i % (2 * n)) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    if (mode == cudaAddressModeBorder)
        return -1;
    return i < 0 ? 0 : n - 1;
}

static double texel2(const std::vector<float> &image, int mode, int x, int y)
{
    const int i = address(mode, x, WIDTH), j = address(mode, y, HEIGHT);
    return i < 0 || j < 0 ? 0.0 : image[(size_t)j * WIDTH + i];
}

static double linear2(const std::vector<float> &image, int mode, double x, double y)
{
    const double bx = floor((x - 0.5) * 256 + 0.5) / 256, by = floor((y - 0.5) * 256 + 0.5) / 256;
    const int i = (int)floor(bx), j = (int)floor(by);
    const double a = bx - i, b = by - j;
    return (1 - a) * (1 - b) * texel2(image, mode, i, j) + a * (1 - b) * texel2(image, mode, i + 1, j) +
           (1 - a) * b * texel2(image, mode, i, j + 1) + a * b * texel2(image, mode, i + 1, j + 1);
}

/* ------------------------------------------------------------------------------------- two dimensions */

__global__ void sample2(cudaTextureObject_t texture, const float2 *at, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < SAMPLES)
        out[i] = tex2D<float>(texture, at[i].x, at[i].y);
}

/* Points whose fractions are multiples of 1/64, so that scaling rounds nothing: exact on every GPU. */
static std::vector<float2> points(bool is_normalized)
{
    kit_random random(5);
    std::vector<float2> at(SAMPLES);
    for (float2 &p : at) {
        p.x = (float)((int)(random.next() % 6400) - 2000) / 64;
        p.y = (float)((int)(random.next() % 3200) - 1000) / 64;
        if (is_normalized) {
            p.x = p.x / WIDTH;
            p.y = p.y / HEIGHT;
        }
    }
    return at;
}

static void check_mode(cudaArray_t array, const std::vector<float> &image, cudaTextureAddressMode mode,
                       cudaTextureFilterMode filter, bool is_normalized)
{
    const std::vector<float2> at = points(is_normalized);
    float2 *where = to_device(at);
    float *out = device_new<float>(SAMPLES);
    cudaTextureObject_t texture = array_texture(array, sampler(mode, filter, is_normalized));
    sample2<<<divide_up(SAMPLES, 128), 128>>>(texture, where, out);
    CHECK_LAUNCH();
    const std::vector<float> got = from_device(out, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        const double x = is_normalized ? (double)at[i].x * WIDTH : at[i].x;
        const double y = is_normalized ? (double)at[i].y * HEIGHT : at[i].y;
        const bool is_near_edge = fabs(x - round(x)) < 1e-3 || fabs(y - round(y)) < 1e-3;
        if (filter == cudaFilterModePoint && (!is_normalized || !is_near_edge))
            EXPECT_EQUAL((float)texel2(image, mode, (int)floor(x), (int)floor(y)), got[i]);
        if (filter == cudaFilterModeLinear)
            EXPECT_NEAR(linear2(image, mode, x, y), got[i], 0.01);
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(where));
    CHECK(cudaFree(out));
}

static void check_two_dimensions()
{
    const std::vector<float> image = random_floats(WIDTH * HEIGHT, 3);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT,
                              cudaMemcpyHostToDevice));
    for (int filter = 0; filter < 2; filter++) {
        check_mode(array, image, cudaAddressModeClamp, (cudaTextureFilterMode)filter, false);
        check_mode(array, image, cudaAddressModeBorder, (cudaTextureFilterMode)filter, false);
        check_mode(array, image, cudaAddressModeClamp, (cudaTextureFilterMode)filter, true);
        check_mode(array, image, cudaAddressModeBorder, (cudaTextureFilterMode)filter, true);
        check_mode(array, image, cudaAddressModeWrap, (cudaTextureFilterMode)filter, true);
        check_mode(array, image, cudaAddressModeMirror, (cudaTextureFilterMode)filter, true);
    }
    CHECK(cudaFreeArray(array));
}

/* ------------------------------------------------------------------------------------- linear and pitched memory */

__global__ void fetch_linear(cudaTextureObject_t floats, cudaTextureObject_t pairs, float *out, int2 *out2, int n)
{
    const int i = (int)threadIdx.x - 4;
    out[threadIdx.x] = tex1Dfetch<float>(floats, i);
    out2[threadIdx.x] = tex1Dfetch<int2>(pairs, i);
    (void)n;
}

static void check_linear()
{
    enum { N = 50, THREADS = 64 };
    const std::vector<float> floats = random_floats(N, 9);
    std::vector<int2> pairs(N);
    for (int i = 0; i < N; i++)
        pairs[i] = make_int2(i * 7 - 100, -i);
    float *a = to_device(floats), *out = device_new<float>(THREADS);
    int2 *b = to_device(pairs), *out2 = device_new<int2>(THREADS);
    cudaResourceDesc resource;
    cudaTextureObject_t texture, texture2;
    const cudaTextureDesc desc = sampler(cudaAddressModeClamp, cudaFilterModePoint, false);
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = a;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = N * sizeof(float);
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    resource.res.linear.devPtr = b;
    resource.res.linear.desc = cudaCreateChannelDesc<int2>();
    resource.res.linear.sizeInBytes = N * sizeof(int2);
    CHECK(cudaCreateTextureObject(&texture2, &resource, &desc, nullptr));
    fetch_linear<<<1, THREADS>>>(texture, texture2, out, out2, N);
    CHECK_LAUNCH();
    const std::vector<float> got = from_device(out, THREADS);
    const std::vector<int2> got2 = from_device(out2, THREADS);
    for (int t = 0; t < THREADS; t++) {
        const int i = t - 4;
        const bool is_in = i >= 0 && i < N;
        EXPECT_EQUAL(is_in ? floats[i] : 0.0f, got[t]);
        EXPECT_EQUAL(is_in ? pairs[i].x : 0, got2[t].x);
        EXPECT_EQUAL(is_in ? pairs[i].y : 0, got2[t].y);
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroyTextureObject(texture2));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(out));
    CHECK(cudaFree(out2));
}

__global__ void read_pixels(cudaTextureObject_t texture, uchar4 *out, float4 *fractions, cudaTextureObject_t normalized)
{
    const int x = threadIdx.x, y = blockIdx.x;
    out[y * WIDTH + x] = tex2D<uchar4>(texture, x + 0.5f, y + 0.5f);
    fractions[y * WIDTH + x] = tex2D<float4>(normalized, x + 0.5f, y + 0.5f);
}

static void check_pitched()
{
    std::vector<uchar4> pixels(WIDTH * HEIGHT);
    kit_random random(8);
    for (uchar4 &p : pixels)
        p = make_uchar4(random.next() & 255, random.next() & 255, random.next() & 255, random.next() & 255);
    uchar4 *memory, *out = device_new<uchar4>(WIDTH * HEIGHT);
    float4 *fractions = device_new<float4>(WIDTH * HEIGHT);
    size_t pitch;
    CHECK(cudaMallocPitch(&memory, &pitch, WIDTH * sizeof(uchar4), HEIGHT));
    CHECK(cudaMemcpy2D(memory, pitch, pixels.data(), WIDTH * sizeof(uchar4), WIDTH * sizeof(uchar4), HEIGHT,
                       cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    cudaTextureObject_t texture, normalized;
    cudaTextureDesc desc = sampler(cudaAddressModeClamp, cudaFilterModePoint, false);
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    desc.readMode = cudaReadModeNormalizedFloat;
    CHECK(cudaCreateTextureObject(&normalized, &resource, &desc, nullptr));
    read_pixels<<<HEIGHT, WIDTH>>>(texture, out, fractions, normalized);
    CHECK_LAUNCH();
    const std::vector<uchar4> got = from_device(out, WIDTH * HEIGHT);
    const std::vector<float4> parts = from_device(fractions, WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        EXPECT_EQUAL(pixels[i].x, got[i].x);
        EXPECT_EQUAL(pixels[i].w, got[i].w);
        EXPECT_NEAR(pixels[i].y / 255.0, parts[i].y, 1e-7);
        EXPECT_NEAR(pixels[i].z / 255.0, parts[i].z, 1e-7);
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroyTextureObject(normalized));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(out));
    CHECK(cudaFree(fractions));
}

/* ------------------------------------------------------------------------------------- three dimensions, layers */

__global__ void read_volume(cudaTextureObject_t texture, float *out)
{
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    out[(z * HEIGHT + y) * WIDTH + x] = tex3D<float>(texture, x + 0.5f, y + 0.5f, z + 0.5f);
}

__global__ void read_layers(cudaTextureObject_t texture, float *out)
{
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    out[(z * HEIGHT + y) * WIDTH + x] = tex2DLayered<float>(texture, x + 0.5f, y + 0.5f, z);
}

static cudaArray_t volume_array(const std::vector<float> &texels, unsigned flags)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(WIDTH, HEIGHT, DEPTH), flags));
    copy.srcPtr = make_cudaPitchedPtr((void *)texels.data(), WIDTH * sizeof(float), WIDTH, HEIGHT);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static void check_volume(bool is_layered)
{
    const std::vector<float> texels = random_floats(WIDTH * HEIGHT * DEPTH, 21);
    cudaArray_t array = volume_array(texels, is_layered ? cudaArrayLayered : cudaArrayDefault);
    for (int filter = 0; filter < 2; filter++) {
        cudaTextureObject_t texture =
            array_texture(array, sampler(cudaAddressModeClamp, (cudaTextureFilterMode)filter, false));
        float *out = device_new<float>(texels.size());
        if (is_layered)
            read_layers<<<dim3(HEIGHT, DEPTH), WIDTH>>>(texture, out);
        else
            read_volume<<<dim3(HEIGHT, DEPTH), WIDTH>>>(texture, out);
        CHECK_LAUNCH();
        EXPECT(from_device(out, texels.size()) == texels); /* texels' centres: filters change nothing */
        CHECK(cudaDestroyTextureObject(texture));
        CHECK(cudaFree(out));
    }
    /* a box in the middle, back to the host */
    std::vector<float> box(4 * 3 * 2);
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    copy.srcArray = array;
    copy.srcPos = make_cudaPos(5, 6, 1);
    copy.dstPtr = make_cudaPitchedPtr(box.data(), 4 * sizeof(float), 4, 3);
    copy.extent = make_cudaExtent(4, 3, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++)
                EXPECT_EQUAL(texels[((size_t)(z + 1) * HEIGHT + y + 6) * WIDTH + x + 5], box[(z * 3 + y) * 4 + x]);
    CHECK(cudaFreeArray(array));
}

/* ------------------------------------------------------------------------------------- gather, levels, one dimension */

__global__ void gather(cudaTextureObject_t texture, float4 *out)
{
    const int x = threadIdx.x, y = blockIdx.x;
    out[y * WIDTH + x] = tex2Dgather<float4>(texture, x + 1.0f, y + 1.0f, 0);
}

static void check_gather()
{
    const std::vector<float> image = random_floats(WIDTH * HEIGHT, 4);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT, cudaArrayTextureGather));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT,
                              cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = array_texture(array, sampler(cudaAddressModeClamp, cudaFilterModePoint, false));
    float4 *out = device_new<float4>(WIDTH * HEIGHT);
    gather<<<HEIGHT, WIDTH>>>(texture, out);
    CHECK_LAUNCH();
    const std::vector<float4> got = from_device(out, WIDTH * HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const float4 g = got[y * WIDTH + x];
            EXPECT_EQUAL((float)texel2(image, cudaAddressModeClamp, x, y + 1), g.x);
            EXPECT_EQUAL((float)texel2(image, cudaAddressModeClamp, x + 1, y + 1), g.y);
            EXPECT_EQUAL((float)texel2(image, cudaAddressModeClamp, x + 1, y), g.z);
            EXPECT_EQUAL((float)texel2(image, cudaAddressModeClamp, x, y), g.w);
        }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}

__global__ void read_levels(cudaTextureObject_t texture, float *out, int levels)
{
    for (int i = 0; i < 2 * levels; i++)
        out[i] = tex2DLod<float>(texture, 0.5f, 0.5f, i * 0.5f);
}

static void check_levels()
{
    enum { SIZE = 16, LEVELS = 5 };
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    CHECK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(SIZE, SIZE, 0), LEVELS));
    for (int level = 0; level < LEVELS; level++) {
        const int size = SIZE >> level;
        const std::vector<float> texels(size * size, (float)level);
        cudaArray_t array;
        cudaExtent extent;
        CHECK(cudaGetMipmappedArrayLevel(&array, mipmap, level));
        CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
        EXPECT_EQUAL((size_t)size, extent.width);
        CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), size * sizeof(float), size * sizeof(float), size,
                                  cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    cudaTextureDesc desc = sampler(cudaAddressModeClamp, cudaFilterModeLinear, true);
    desc.mipmapFilterMode = cudaFilterModeLinear;
    desc.maxMipmapLevelClamp = LEVELS - 1;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    float *out = device_new<float>(2 * LEVELS);
    read_levels<<<1, 1>>>(texture, out, LEVELS);
    CHECK_LAUNCH();
    const std::vector<float> got = from_device(out, 2 * LEVELS);
    for (int i = 0; i < 2 * LEVELS; i++)
        EXPECT_NEAR(i * 0.5 < LEVELS - 1 ? i * 0.5 : LEVELS - 1, got[i], 1e-6);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeMipmappedArray(mipmap));
    CHECK(cudaFree(out));
}

__global__ void read_row(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex1D<float>(texture, (threadIdx.x + 0.5f) / blockDim.x);
}

static void check_row()
{
    enum { N = 64 };
    const std::vector<float> row = random_floats(N, 6);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, N, 0));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, row.data(), N * sizeof(float), N * sizeof(float), 1, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = array_texture(array, sampler(cudaAddressModeWrap, cudaFilterModePoint, true));
    float *out = device_new<float>(N);
    read_row<<<1, N>>>(texture, out);
    CHECK_LAUNCH();
    EXPECT(from_device(out, N) == row);
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    CHECK(cudaGetTextureObjectResourceDesc(&resource, texture));
    CHECK(cudaGetTextureObjectTextureDesc(&desc, texture));
    EXPECT(resource.res.array.array == array);
    EXPECT(desc.addressMode[0] == cudaAddressModeWrap);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}

int main()
{
    check_two_dimensions();
    check_linear();
    check_pitched();
    check_volume(false);
    check_volume(true);
    check_gather();
    check_levels();
    check_row();
    return finish();
}
