/* mandelbrot.cu - escape times in single and double precision, one thread per pixel: loops of very different length.
 * The host repeats the operations with the same roundings, so counts are equal. */
#include "../kit.cuh"

enum { WIDTH = 160, HEIGHT = 120, MOST = 200 };

template <class T> __host__ __device__ T fused(T a, T b, T c);
template <> __host__ __device__ float fused(float a, float b, float c)
{
    return fmaf(a, b, c);
}
template <> __host__ __device__ double fused(double a, double b, double c)
{
    return fma(a, b, c);
}

template <class T> __host__ __device__ int escape_time(int px, int py)
{
    T cx = T(px) / WIDTH * 3 - 2, cy = T(py) / HEIGHT * 2 - 1, x = 0, y = 0;
    int n = 0;
    while (n < MOST && fused(x, x, y * y) <= 4) {
        T next = fused(x, x, fused(-y, y, cx));
        y = fused(2 * x, y, cy);
        x = next;
        n++;
    }
    return n;
}

template <class T> __global__ void render(int *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < WIDTH && y < HEIGHT)
        out[y * WIDTH + x] = escape_time<T>(x, y);
}

template <class T> static void test(void)
{
    int *out = device_new<int>(WIDTH * HEIGHT), wrong = 0;
    dim3 block(16, 16), grid(divide_up(WIDTH, 16), divide_up(HEIGHT, 16));
    render<T><<<grid, block>>>(out);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(out, WIDTH * HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += got[y * WIDTH + x] != escape_time<T>(x, y);
    /* the coordinates may be contracted differently on the two sides: a few border pixels, no more */
    EXPECT(wrong <= WIDTH * HEIGHT / 100);
    CHECK(cudaFree(out));
}

int main(void)
{
    test<float>();
    test<double>();
    return finish();
}
