/* convolution.cu - a separable filter in two passes with halos in shared memory, against the direct two-dimensional sum. */
#include "../kit.cuh"

enum { RADIUS = 4, TAPS = 2 * RADIUS + 1, BLOCK_X = 32, BLOCK_Y = 8, WIDTH = 101, HEIGHT = 67 };

__constant__ float taps[TAPS];

__global__ void along_rows(float *out, const float *in)
{
    __shared__ float tile[BLOCK_Y][BLOCK_X + 2 * RADIUS];
    int y = blockIdx.y * BLOCK_Y + threadIdx.y, left = blockIdx.x * BLOCK_X - RADIUS;
    for (int i = threadIdx.x; i < BLOCK_X + 2 * RADIUS; i += BLOCK_X)
        tile[threadIdx.y][i] = y < HEIGHT && left + i >= 0 && left + i < WIDTH ? in[y * WIDTH + left + i] : 0.0f;
    __syncthreads();
    int x = blockIdx.x * BLOCK_X + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * tile[threadIdx.y][threadIdx.x + k];
    if (x < WIDTH && y < HEIGHT)
        out[y * WIDTH + x] = sum;
}

__global__ void along_columns(float *out, const float *in)
{
    __shared__ float tile[BLOCK_Y + 2 * RADIUS][BLOCK_X + 1];
    int x = blockIdx.x * BLOCK_X + threadIdx.x, top = blockIdx.y * BLOCK_Y - RADIUS;
    for (int i = threadIdx.y; i < BLOCK_Y + 2 * RADIUS; i += BLOCK_Y)
        tile[i][threadIdx.x] = x < WIDTH && top + i >= 0 && top + i < HEIGHT ? in[(top + i) * WIDTH + x] : 0.0f;
    __syncthreads();
    int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * tile[threadIdx.y + k][threadIdx.x];
    if (x < WIDTH && y < HEIGHT)
        out[y * WIDTH + x] = sum;
}

int main(void)
{
    std::vector<float> in = random_floats(WIDTH * HEIGHT, 1), weights = random_floats(TAPS, 2);
    CHECK(cudaMemcpyToSymbol(taps, weights.data(), sizeof(float) * TAPS));
    float *a = to_device(in), *b = device_new<float>(in.size());
    dim3 grid(divide_up(WIDTH, BLOCK_X), divide_up(HEIGHT, BLOCK_Y)), block(BLOCK_X, BLOCK_Y);
    along_rows<<<grid, block>>>(b, a);
    along_columns<<<grid, block>>>(a, b);
    CHECK_LAUNCH();
    std::vector<float> got = from_device(a, in.size());
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double want = 0;
            for (int j = 0; j < TAPS; j++)
                for (int i = 0; i < TAPS; i++) {
                    int sx = x + i - RADIUS, sy = y + j - RADIUS;
                    if (sx >= 0 && sx < WIDTH && sy >= 0 && sy < HEIGHT)
                        want += (double)weights[i] * weights[j] * in[sy * WIDTH + sx];
                }
            EXPECT_NEAR(want, got[y * WIDTH + x], 1e-5);
        }
    return finish();
}
