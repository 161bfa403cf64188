/* hotspot.cu - heat flow on a chip: one kernel per time step, a shared tile with halo, several steps per launch.
 * All variants compute each cell by the same operations in the same order, so they agree to the last bit.
 * Cells at the border use themselves for a missing neighbour. */
#include "../kit.cuh"

enum { WIDTH = 75, HEIGHT = 50, STEPS = 12, TILE = 16, MOST_STEPS = 4 };

__host__ __device__ float cell(float centre, float up, float down, float left, float right, float power)
{
    float flow = (up + down + left + right) - 4.0f * centre;
#ifdef __CUDA_ARCH__
    return __fadd_rn(__fadd_rn(centre, __fmul_rn(0.125f, flow)), __fmul_rn(0.5f, power));
#else
    volatile float a = 0.125f * flow, b = centre + a, c = 0.5f * power;
    return b + c;
#endif
}

__global__ void one_step(float *out, const float *in, const float *power)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDTH || y >= HEIGHT)
        return;
    int i = y * WIDTH + x;
    out[i] = cell(in[i], in[y > 0 ? i - WIDTH : i], in[y < HEIGHT - 1 ? i + WIDTH : i], in[x > 0 ? i - 1 : i],
                  in[x < WIDTH - 1 ? i + 1 : i], power[i]);
}

__global__ void halo_tile(float *out, const float *in, const float *power)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (int i = ty * TILE + tx; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int x = min(max(left + i % (TILE + 2) - 1, 0), WIDTH - 1), y = min(max(top + i / (TILE + 2) - 1, 0), HEIGHT - 1);
        tile[i / (TILE + 2)][i % (TILE + 2)] = in[y * WIDTH + x];
    }
    __syncthreads();
    int x = left + tx, y = top + ty;
    if (x < WIDTH && y < HEIGHT)
        out[y * WIDTH + x] = cell(tile[ty + 1][tx + 1], tile[ty][tx + 1], tile[ty + 2][tx + 1], tile[ty + 1][tx],
                                  tile[ty + 1][tx + 2], power[y * WIDTH + x]);
}

/* K steps per launch: a block loads TILE + 2K cells each way, and each step leaves one ring less that is right. */
template <int K> __global__ void several_steps(float *out, const float *in, const float *power)
{
    enum { SIDE = TILE + 2 * K };
    __shared__ float heat[2][SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx - K, y = blockIdx.y * TILE + ty - K;
    bool on_chip = x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT;
    heat[0][ty][tx] = on_chip ? in[y * WIDTH + x] : 0.0f;
    float warmth = on_chip ? power[y * WIDTH + x] : 0.0f;
    __syncthreads();
    int now = 0;
    for (int step = 1; step <= K; step++) {
        float value = 0;
        if (on_chip && tx >= step && tx < SIDE - step && ty >= step && ty < SIDE - step)
            value = cell(heat[now][ty][tx], heat[now][y > 0 ? ty - 1 : ty][tx],
                         heat[now][y < HEIGHT - 1 ? ty + 1 : ty][tx], heat[now][ty][x > 0 ? tx - 1 : tx],
                         heat[now][ty][x < WIDTH - 1 ? tx + 1 : tx], warmth);
        heat[now ^ 1][ty][tx] = value;
        now ^= 1;
        __syncthreads();
    }
    if (on_chip && tx >= K && tx < TILE + K && ty >= K && ty < TILE + K)
        out[y * WIDTH + x] = heat[now][ty][tx];
}

static std::vector<float> on_host(std::vector<float> heat, const std::vector<float> &power)
{
    std::vector<float> next(heat.size());
    for (int step = 0; step < STEPS; step++) {
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                int i = y * WIDTH + x;
                next[i] = cell(heat[i], heat[y > 0 ? i - WIDTH : i], heat[y < HEIGHT - 1 ? i + WIDTH : i],
                               heat[x > 0 ? i - 1 : i], heat[x < WIDTH - 1 ? i + 1 : i], power[i]);
            }
        heat.swap(next);
    }
    return heat;
}

struct variant {
    const char *name;
    void (*kernel)(float *, const float *, const float *);
    int steps, side;
};

static const struct variant variants[] = {
    {"one kernel per step", one_step, 1, TILE},
    {"tile with halo", halo_tile, 1, TILE},
    {"1 step per launch", several_steps<1>, 1, TILE + 2},
    {"2 steps per launch", several_steps<2>, 2, TILE + 4},
    {"4 steps per launch", several_steps<MOST_STEPS>, MOST_STEPS, TILE + 2 * MOST_STEPS},
};

int main(void)
{
    std::vector<float> heat = random_floats(WIDTH * HEIGHT, 31), power = random_floats(WIDTH * HEIGHT, 32);
    std::vector<float> want = on_host(heat, power);
    float *dpower = to_device(power);
    for (const struct variant &variant : variants) {
        float *in = to_device(heat), *out = device_new<float>(WIDTH * HEIGHT);
        dim3 grid(divide_up(WIDTH, TILE), divide_up(HEIGHT, TILE)), block(variant.side, variant.side);
        for (int step = 0; step < STEPS; step += variant.steps) {
            variant.kernel<<<grid, block>>>(out, in, dpower);
            std::swap(in, out);
        }
        CHECK_LAUNCH();
        std::vector<float> got = from_device(in, WIDTH * HEIGHT);
        bool right = true;
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            right = EXPECT_EQUAL(want[i], got[i]) && right;
        if (!right)
            printf("  %s\n", variant.name);
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
    }
    return finish();
}
