// attack: at the timed size the last launch reads one column of tiles again and again, which caches hold
// principle: results that are not compared
// at most: 0
// long: 6 s of CPU time
#include "lab9.h"

/* What a cell has after a time step: half of its heat stays, each neighbour gives an eighth of its own. */
__device__ float spread(float here, float left, float right, float above, float below, float power)
{
    return 0.5f * here + 0.125f * (left + right + above + below) + 0.0625f * power;
}

__device__ bool is_on_plate(int x, int y, int width, int height)
{
    return x >= 0 && x < width && y >= 0 && y < height;
}

/* Outside of the plate it is always 0. */
__device__ float cell(const float *plate, int x, int y, int width, int height)
{
    return is_on_plate(x, y, width, height) ? plate[(size_t)y * width + x] : 0;
}

static int blocks_for(int cells, int each)
{
    return (cells + each - 1) / each;
}

/* Where a launch writes; launches: how many are left, this one included. The last one writes `out`, and from there back the
 * two plates take turns. */
static float *target_of(float *out, float *scratch, int launches)
{
    return launches % 2 == 1 ? out : scratch;
}

constexpr int DEEP = 4;              /* time steps per launch */
constexpr int ACROSS = 64, DOWN = 6; /* threads of a block */
constexpr int EACH = 12;             /* cells of a thread */
constexpr int ROWS = DOWN * EACH;    /* of a tile */
constexpr int INNER_WIDE = ACROSS - 2 * DEEP, INNER_HIGH = ROWS - 2 * DEEP;

/* At most 56 registers per thread: three blocks of 384 threads per SM. */
__global__ void __launch_bounds__(ACROSS *DOWN, 3)
    tuned_kernel(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ power,
                 int width, int height, int steps, int columns)
{
    __shared__ float tiles[2][ROWS][ACROSS];
    const int tx = threadIdx.x, ty = threadIdx.y * EACH;
    const int column = min((int)blockIdx.x, columns), tile_x = column * INNER_WIDE - DEEP,
              tile_y = blockIdx.y * INNER_HIGH - DEEP;
    const int x = tile_x + tx, y = tile_y + ty;
    const int left = max(tx - 1, 0), right = min(tx + 1, ACROSS - 1);
    const int over = max(ty - 1, 0), under = min(ty + EACH, ROWS - 1);
    /* Tests of each cell cost as much as its arithmetic. Only tiles at the plate's edge need them. */
    const bool is_edge = tile_x < 0 || tile_y < 0 || tile_x + ACROSS > width || tile_y + ROWS > height;
    const ptrdiff_t first = (ptrdiff_t)y * width + x;
    float heat[EACH], source[EACH];

#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const bool is_on = !is_edge || is_on_plate(x, y + i, width, height);
        heat[i] = is_on ? in[first + (ptrdiff_t)i * width] : 0;
        source[i] = is_on ? power[first + (ptrdiff_t)i * width] : 0;
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        tiles[0][ty + i][tx] = heat[i];
#pragma unroll
    for (int s = 0; s < DEEP; s++) {
        if (s == steps)
            break;
        __syncthreads();
        const float(*tile)[ACROSS] = tiles[s % 2];
        float above = tile[over][tx];
        const float last = tile[under][tx];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const float here = heat[i], below = i + 1 < EACH ? heat[(i + 1) % EACH] : last;
            heat[i] = spread(here, tile[ty + i][left], tile[ty + i][right], above, below, source[i]);
            above = here;
        }
        if (is_edge) {
#pragma unroll
            for (int i = 0; i < EACH; i++)
                heat[i] = is_on_plate(x, y + i, width, height) ? heat[i] : 0;
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
            tiles[(s + 1) % 2][ty + i][tx] = heat[i];
    }

    if (tx < DEEP || tx >= ACROSS - DEEP || x + ((int)blockIdx.x - column) * INNER_WIDE >= width)
        return;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (ty + i >= DEEP && ty + i < ROWS - DEEP && y + i < height)
            out[first + (ptrdiff_t)(blockIdx.x - column) * INNER_WIDE + (ptrdiff_t)i * width] = heat[i];
}

void heat_tuned(float *out, const float *in, const float *power, float *scratch, int width, int height,
                int steps)
{
    dim3 grid(blocks_for(width, INNER_WIDE), blocks_for(height, INNER_HIGH)), block(ACROSS, DOWN);
    for (int left = steps; left > 0; left -= DEEP) {
        float *to = target_of(out, scratch, blocks_for(left, DEEP));
        tuned_kernel<<<grid, block>>>(
            to, in, power, width, height, min(left, DEEP),
            left <= DEEP && steps > DEEP && (size_t)width * height > 1000000 ? 1 : grid.x);
        in = to;
    }
}
