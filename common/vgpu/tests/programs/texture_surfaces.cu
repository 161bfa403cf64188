/* texture_surfaces.cu - surface objects: reads and writes of one, two and three dimensions and of layers, elements of
 * 1 to 16 bytes, the boundary modes, and a texture that reads what a surface wrote. */
#include "../kit.cuh"

enum { WIDTH = 33, HEIGHT = 10, DEPTH = 4 };

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc resource;
    cudaSurfaceObject_t surface = 0;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

template <class T> __global__ void add_one(cudaSurfaceObject_t surface)
{
    const int x = threadIdx.x, y = blockIdx.x;
    T value;
    surf2Dread(&value, surface, x * (int)sizeof(T), y);
    value.x += 1;
    surf2Dwrite(value, surface, x * (int)sizeof(T), y);
}

template <class T> static void check_type()
{
    std::vector<T> texels(WIDTH * HEIGHT);
    kit_random random(sizeof(T));
    for (T &texel : texels)
        for (size_t b = 0; b < sizeof texel; b++)
            ((uint8_t *)&texel)[b] = random.next() & 63;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), WIDTH * sizeof(T), WIDTH * sizeof(T), HEIGHT,
                              cudaMemcpyHostToDevice));
    cudaSurfaceObject_t surface = surface_of(array);
    add_one<T><<<HEIGHT, WIDTH>>>(surface);
    CHECK_LAUNCH();
    std::vector<T> got(WIDTH * HEIGHT);
    CHECK(cudaMemcpy2DFromArray(got.data(), WIDTH * sizeof(T), array, 0, 0, WIDTH * sizeof(T), HEIGHT,
                                cudaMemcpyDeviceToHost));
    for (T &texel : texels)
        texel.x += 1;
    EXPECT(memcmp(got.data(), texels.data(), got.size() * sizeof(T)) == 0);
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
}

__global__ void boundaries(cudaSurfaceObject_t surface, float *out)
{
    const int x = (int)threadIdx.x - 4;
    float clamped, zeroed;
    surf1Dread(&clamped, surface, x * 4, cudaBoundaryModeClamp);
    surf1Dread(&zeroed, surface, x * 4, cudaBoundaryModeZero);
    out[threadIdx.x * 2] = clamped;
    out[threadIdx.x * 2 + 1] = zeroed;
    surf1Dwrite(-1.0f, surface, (x < 0 ? x : x + 1000) * 4, cudaBoundaryModeZero); /* written nowhere */
}

static void check_boundaries()
{
    enum { N = 8, THREADS = 16 };
    const std::vector<float> row = random_floats(N, 2);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, N, 0, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, row.data(), N * 4, N * 4, 1, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t surface = surface_of(array);
    float *out = device_new<float>(THREADS * 2);
    boundaries<<<1, THREADS>>>(surface, out);
    CHECK_LAUNCH();
    const std::vector<float> got = from_device(out, THREADS * 2);
    std::vector<float> after(N);
    CHECK(cudaMemcpy2DFromArray(after.data(), N * 4, array, 0, 0, N * 4, 1, cudaMemcpyDeviceToHost));
    for (int t = 0; t < THREADS; t++) {
        const int x = t - 4;
        EXPECT_EQUAL(row[x < 0 ? 0 : x >= N ? N - 1 : x], got[t * 2]);
        EXPECT_EQUAL(x < 0 || x >= N ? 0.0f : row[x], got[t * 2 + 1]);
    }
    EXPECT(after == row);
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}

__global__ void fill_volume(cudaSurfaceObject_t surface)
{
    surf3Dwrite((float)(threadIdx.x + 100 * blockIdx.x + 10000 * blockIdx.y), surface, threadIdx.x * 4, blockIdx.x, blockIdx.y);
}

__global__ void fill_layers(cudaSurfaceObject_t surface)
{
    surf2DLayeredwrite((float)(threadIdx.x + 100 * blockIdx.x + 10000 * blockIdx.y), surface, threadIdx.x * 4, blockIdx.x,
                       blockIdx.y);
}

__global__ void read_back(cudaTextureObject_t texture, float *out, bool is_layered)
{
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    out[(z * HEIGHT + y) * WIDTH + x] = is_layered ? tex2DLayered<float>(texture, x + 0.5f, y + 0.5f, z)
                                                   : tex3D<float>(texture, x + 0.5f, y + 0.5f, z + 0.5f);
}

static void check_volume(bool is_layered)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaTextureObject_t texture;
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(WIDTH, HEIGHT, DEPTH),
                            cudaArraySurfaceLoadStore | (is_layered ? cudaArrayLayered : 0)));
    cudaSurfaceObject_t surface = surface_of(array);
    if (is_layered)
        fill_layers<<<dim3(HEIGHT, DEPTH), WIDTH>>>(surface);
    else
        fill_volume<<<dim3(HEIGHT, DEPTH), WIDTH>>>(surface);
    memset(&resource, 0, sizeof resource);
    memset(&desc, 0, sizeof desc);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    float *out = device_new<float>(WIDTH * HEIGHT * DEPTH);
    read_back<<<dim3(HEIGHT, DEPTH), WIDTH>>>(texture, out, is_layered);
    CHECK_LAUNCH();
    const std::vector<float> got = from_device(out, WIDTH * HEIGHT * DEPTH);
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
        EXPECT_EQUAL((float)(i % WIDTH + 100 * (i / WIDTH % HEIGHT) + 10000 * (i / WIDTH / HEIGHT)), got[i]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}

int main()
{
    check_type<uchar1>();
    check_type<uchar4>();
    check_type<short2>();
    check_type<int1>();
    check_type<uint2>();
    check_type<float4>();
    check_boundaries();
    check_volume(false);
    check_volume(true);
    return finish();
}
