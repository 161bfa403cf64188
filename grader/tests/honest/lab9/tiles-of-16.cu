// stage: shared
// points: 20
// long: 35 s of CPU time, all blocks are executed
// Blocks of 16 x 16 threads: half of a warp is a row.
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

enum { TILE = 16 };

__global__ void one_step(float *__restrict__ out, const float *__restrict__ in,
                         const float *__restrict__ power, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * (TILE - 2) + tx - 1, y = blockIdx.y * (TILE - 2) + ty - 1;
    tile[ty][tx] = cell(in, x, y, width, height);
    __syncthreads();
    const bool is_inner = tx > 0 && tx < TILE - 1 && ty > 0 && ty < TILE - 1;
    if (is_inner && x < width && y < height)
        out[(size_t)y * width + x] = spread(tile[ty][tx], tile[ty][tx - 1], tile[ty][tx + 1],
                                            tile[ty - 1][tx], tile[ty + 1][tx], power[(size_t)y * width + x]);
}

void heat_shared(float *out, const float *in, const float *power, float *scratch, int width, int height,
                 int steps)
{
    dim3 grid(blocks_for(width, TILE - 2), blocks_for(height, TILE - 2)), block(TILE, TILE);
    for (int left = steps; left > 0; left--) {
        float *to = target_of(out, scratch, left);
        one_step<<<grid, block>>>(to, in, power, width, height);
        in = to;
    }
}
