/* stencil.cu - heat that spreads over a plate (hotspot): TIME steps of a five-point stencil with a source in each
 * cell. Cells outside of the plate keep the temperature 0. From one kernel per time step to several steps per launch
 * on tiles whose borders overlap: they are computed more than once, so that blocks need not wait for each other. */
#include "steps.h"

enum { TIME = 8, SIDE_X = 32, SIDE_Y = 8 };

static int n;
static struct steps_array start, power, now, next;

__host__ __device__ static float spread(float here, float left, float right, float above, float below, float power)
{
    return here + 0.125f * (left + right + above + below - 4.0f * here) + 0.0625f * power;
}

/* ------------------------------------------------------------------------------------------ one time step */

__device__ static float cell(const float *plate, int x, int y, int n)
{
    return x >= 0 && x < n && y >= 0 && y < n ? plate[y * n + x] : 0;
}

__global__ void spread_global(float *out, const float *in, const float *power, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = spread(in[y * n + x], cell(in, x - 1, y, n), cell(in, x + 1, y, n), cell(in, x, y - 1, n),
                                cell(in, x, y + 1, n), power[y * n + x]);
}

/* Every cell comes from global memory once per block; the halo comes from the threads at the edge. */
__global__ void spread_shared(float *out, const float *in, const float *power, int n)
{
    __shared__ float tile[SIDE_Y + 2][SIDE_X + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * SIDE_X + tx - 1, y = blockIdx.y * SIDE_Y + ty - 1;
    tile[ty][tx] = cell(in, x, y, n);
    if (tx == 1)
        tile[ty][0] = cell(in, x - 1, y, n);
    if (tx == SIDE_X)
        tile[ty][SIDE_X + 1] = cell(in, x + 1, y, n);
    if (ty == 1)
        tile[0][tx] = cell(in, x, y - 1, n);
    if (ty == SIDE_Y)
        tile[SIDE_Y + 1][tx] = cell(in, x, y + 1, n);
    __syncthreads();
    if (x < n && y < n)
        out[y * n + x] = spread(tile[ty][tx], tile[ty][tx - 1], tile[ty][tx + 1], tile[ty - 1][tx], tile[ty + 1][tx],
                                power[y * n + x]);
}

/* ------------------------------------------------------------------------------------- several time steps */

/* A thread has EACH cells, one below the other, of a tile of WIDTH x (HEIGHT * EACH) cells; after k steps, the cells
 * that are k or more away from the tile's edge are right. */
template <int STEPS, int WIDTH, int HEIGHT, int EACH>
__global__ void __launch_bounds__(WIDTH *HEIGHT) spread_many(float *out, const float *in, const float *power, int n)
{
    constexpr int ROWS = HEIGHT * EACH;
    __shared__ float tile[2][ROWS + 2][WIDTH + 2];
    const int tx = threadIdx.x, ty = threadIdx.y * EACH;
    const int x = blockIdx.x * (WIDTH - 2 * STEPS) + tx - STEPS, y = blockIdx.y * (ROWS - 2 * STEPS) + ty - STEPS;
    float heat[EACH], source[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        heat[k] = cell(in, x, y + k, n);
        source[k] = cell(power, x, y + k, n);
        tile[0][ty + k + 1][tx + 1] = heat[k];
    }
    for (int i = threadIdx.y * WIDTH + tx; i < WIDTH + 2; i += WIDTH * HEIGHT)
        tile[0][0][i] = tile[0][ROWS + 1][i] = tile[1][0][i] = tile[1][ROWS + 1][i] = 0;
    for (int i = threadIdx.y * WIDTH + tx; i < ROWS + 2; i += WIDTH * HEIGHT)
        tile[0][i][0] = tile[0][i][WIDTH + 1] = tile[1][i][0] = tile[1][i][WIDTH + 1] = 0;
    __syncthreads();
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        float(*from)[WIDTH + 2] = tile[step % 2], (*to)[WIDTH + 2] = tile[1 - step % 2];
        float above = from[ty][tx + 1];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            float here = heat[k], below = k + 1 < EACH ? heat[k + 1 < EACH ? k + 1 : k] : from[ty + k + 2][tx + 1];
            bool is_inside = x >= 0 && x < n && y + k >= 0 && y + k < n;
            float value = spread(here, from[ty + k + 1][tx], from[ty + k + 1][tx + 2], above, below, source[k]);
            above = here;
            heat[k] = is_inside ? value : 0;
            to[ty + k + 1][tx + 1] = heat[k];
        }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        bool is_right = tx >= STEPS && tx < WIDTH - STEPS && ty + k >= STEPS && ty + k < ROWS - STEPS;
        if (is_right && x < n && y + k < n)
            out[(y + k) * n + x] = heat[k];
    }
}

/* ------------------------------------------------------------------------------------------- the family */

/* Which array holds the plate changes with every launch; the result must end in `now`. */
static void swap_plates(void)
{
    float *other = now.device;
    now.device = next.device;
    next.device = other;
}

/* The first launch reads `start`, so that every repetition does the same. */
template <class LAUNCH> static void repeat(int launches, const LAUNCH &launch)
{
    for (int i = 0; i < launches; i++) {
        launch(next.device, i == 0 ? start.device : now.device);
        swap_plates();
    }
}

static void launch_global(void)
{
    dim3 grid(steps_blocks(n, SIDE_X), steps_blocks(n, SIDE_Y)), block(SIDE_X, SIDE_Y);
    repeat(TIME, [=](float *to, const float *from) { spread_global<<<grid, block>>>(to, from, power.device, n); });
}

static void launch_shared(void)
{
    dim3 grid(steps_blocks(n, SIDE_X), steps_blocks(n, SIDE_Y)), block(SIDE_X, SIDE_Y);
    repeat(TIME, [=](float *to, const float *from) { spread_shared<<<grid, block>>>(to, from, power.device, n); });
}

template <int STEPS, int WIDTH, int HEIGHT, int EACH> static void launch_many(void)
{
    dim3 grid(steps_blocks(n, WIDTH - 2 * STEPS), steps_blocks(n, HEIGHT * EACH - 2 * STEPS)), block(WIDTH, HEIGHT);
    repeat(TIME / STEPS, [=](float *to, const float *from) {
        spread_many<STEPS, WIDTH, HEIGHT, EACH><<<grid, block>>>(to, from, power.device, n);
    });
}

static void prepare(int size)
{
    n = size;
    start = steps_input((size_t)n * n, 15);
    power = steps_input((size_t)n * n, 16);
    now = steps_output((size_t)n * n);
    next = steps_output((size_t)n * n);
}

static void finish(void)
{
    steps_free(&start);
    steps_free(&power);
    steps_free(&now);
    steps_free(&next);
}

static float host_cell(const float *plate, int x, int y)
{
    return x >= 0 && x < n && y >= 0 && y < n ? plate[y * n + x] : 0;
}

static void reference(float *expected)
{
    size_t count = (size_t)n * n;
    float *from = (float *)malloc(count * sizeof(float));
    if (!from)
        exit(2);
    for (size_t i = 0; i < count; i++)
        expected[i] = start.host[i];
    for (int step = 0; step < TIME; step++) {
        for (size_t i = 0; i < count; i++)
            from[i] = expected[i];
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                expected[y * n + x] =
                    spread(host_cell(from, x, y), host_cell(from, x - 1, y), host_cell(from, x + 1, y),
                           host_cell(from, x, y - 1), host_cell(from, x, y + 1), power.host[y * n + x]);
    }
    free(from);
}

static const struct step steps[] = {
    {"global", launch_global},
    {"shared", launch_shared},
    {"steps2", launch_many<2, 32, 32, 1>},
    {"steps4", launch_many<4, 32, 32, 1>},
    {"steps8", launch_many<8, 32, 32, 1>},
    {"tuned", launch_many<4, 64, 8, 8>},
};
const struct step_family stencil_family = {
    "stencil", steps, STEPS_COUNT(steps), 4096, 131, 1e-4, prepare, finish, &now, reference};
