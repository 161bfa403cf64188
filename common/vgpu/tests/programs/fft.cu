/* fft.cu - radix-2 Fourier transform of 256 complex numbers in shared memory with sincospif; forward, inverse, and against
 * the plain sum. */
#include "../kit.cuh"

enum { N = 256, LOG = 8 };

__device__ float2 multiply(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__global__ void fft(float2 *data, float sign)
{
    __shared__ float2 cells[N];
    int t = threadIdx.x;
    for (int i = t; i < N; i += N / 2)
        cells[__brev(i) >> (32 - LOG)] = data[blockIdx.x * N + i];
    for (int half = 1; half < N; half *= 2) {
        __syncthreads();
        int k = t % half, a = t / half * 2 * half + k;
        float2 w;
        sincospif(sign * k / half, &w.y, &w.x);
        float2 u = cells[a], v = multiply(w, cells[a + half]);
        cells[a] = make_float2(u.x + v.x, u.y + v.y);
        cells[a + half] = make_float2(u.x - v.x, u.y - v.y);
    }
    __syncthreads();
    for (int i = t; i < N; i += N / 2)
        data[blockIdx.x * N + i] = cells[i];
}

int main(void)
{
    enum { BATCH = 3 };
    std::vector<float> numbers = random_floats(2 * N * BATCH, 1);
    std::vector<float2> in(N * BATCH);
    for (int i = 0; i < N * BATCH; i++)
        in[i] = make_float2(numbers[2 * i], numbers[2 * i + 1]);
    float2 *data = to_device(in);
    fft<<<BATCH, N / 2>>>(data, -1.0f);
    CHECK_LAUNCH();
    std::vector<float2> got = from_device(data, N * BATCH);
    for (int b = 0; b < BATCH; b++)
        for (int k = 0; k < N; k++) {
            double re = 0, im = 0;
            for (int i = 0; i < N; i++) {
                double angle = -2 * M_PI * k * i / N;
                re += in[b * N + i].x * cos(angle) - in[b * N + i].y * sin(angle);
                im += in[b * N + i].x * sin(angle) + in[b * N + i].y * cos(angle);
            }
            EXPECT_NEAR(re, got[b * N + k].x, 1e-4);
            EXPECT_NEAR(im, got[b * N + k].y, 1e-4);
        }
    fft<<<BATCH, N / 2>>>(data, 1.0f);
    CHECK_LAUNCH();
    got = from_device(data, N * BATCH);
    for (int i = 0; i < N * BATCH; i++)
        EXPECT_NEAR(in[i].x, got[i].x / N, 1e-5);
    return finish();
}
