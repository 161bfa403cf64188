// stage: tuned
// points: 19
// A frame of zeros around the tile, and a test for every cell: 2.94x on an H200, where 2.95x is asked.
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

enum { K = 4, W = 64, H = 8, EACH = 8, ROWS = H * EACH };

__global__ void __launch_bounds__(W *H)
    many_steps(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ power,
               int width, int height, int steps)
{
    __shared__ float tiles[2][ROWS + 2][W + 2];
    const int tx = threadIdx.x, ty = threadIdx.y * EACH;
    const int x = blockIdx.x * (W - 2 * K) + tx - K, y = blockIdx.y * (ROWS - 2 * K) + ty - K;
    float heat[EACH], source[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        heat[i] = cell(in, x, y + i, width, height);
        source[i] = cell(power, x, y + i, width, height);
        tiles[0][ty + i + 1][tx + 1] = heat[i];
    }
    for (int i = threadIdx.y * W + tx; i < W + 2; i += W * H)
        tiles[0][0][i] = tiles[0][ROWS + 1][i] = tiles[1][0][i] = tiles[1][ROWS + 1][i] = 0;
    for (int i = threadIdx.y * W + tx + 1; i < ROWS + 1; i += W * H)
        tiles[0][i][0] = tiles[0][i][W + 1] = tiles[1][i][0] = tiles[1][i][W + 1] = 0;
#pragma unroll
    for (int s = 0; s < K; s++) {
        if (s == steps)
            break;
        __syncthreads();
        float(*from)[W + 2] = tiles[s % 2], (*to)[W + 2] = tiles[1 - s % 2];
        float above = from[ty][tx + 1];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const float here = heat[i],
                        below = i + 1 < EACH ? heat[(i + 1) % EACH] : from[ty + i + 2][tx + 1];
            const float value =
                spread(here, from[ty + i + 1][tx], from[ty + i + 1][tx + 2], above, below, source[i]);
            above = here;
            heat[i] = is_on_plate(x, y + i, width, height) ? value : 0;
            to[ty + i + 1][tx + 1] = heat[i];
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const bool is_mine = tx >= K && tx < W - K && ty + i >= K && ty + i < ROWS - K;
        if (is_mine && x < width && y + i < height)
            out[(size_t)(y + i) * width + x] = heat[i];
    }
}

void heat_tuned(float *out, const float *in, const float *power, float *scratch, int width, int height,
                int steps)
{
    dim3 grid(blocks_for(width, W - 2 * K), blocks_for(height, ROWS - 2 * K)), block(W, H);
    for (int left = steps; left > 0; left -= K) {
        float *to = target_of(out, scratch, blocks_for(left, K));
        many_steps<<<grid, block>>>(to, in, power, width, height, min(left, (int)K));
        in = to;
    }
}
