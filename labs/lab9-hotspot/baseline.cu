/* baseline.cu - the kit's own heat flow, one launch per time step: what speedups are measured against, and what is right
 * where the CPU would take too long. It is never the student's: a slower baseline would be an easy speedup. */
#include "lab9.h"

LAB_ENTRIES(heat_fn, baseline_global);

enum { WIDE = 32, HIGH = 8 };

__device__ static float spread(float here, float left, float right, float above, float below, float power)
{
    return 0.5f * here + 0.125f * (left + right + above + below) + 0.0625f * power;
}

__device__ static float cell(const float *plate, int x, int y, int width, int height)
{
    return x >= 0 && x < width && y >= 0 && y < height ? plate[(size_t)y * width + x] : 0;
}

__global__ void global_kernel(float *out, const float *in, const float *power, int width, int height)
{
    int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    if (x < width && y < height)
        out[(size_t)y * width + x] =
            spread(in[(size_t)y * width + x], cell(in, x - 1, y, width, height),
                   cell(in, x + 1, y, width, height), cell(in, x, y - 1, width, height),
                   cell(in, x, y + 1, width, height), power[(size_t)y * width + x]);
}

/* The last step must write `out`: from there back the two plates take turns. */
void baseline_global(float *out, const float *in, const float *power, float *scratch, int width, int height,
                     int steps)
{
    dim3 grid((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH), block(WIDE, HIGH);
    for (int left = steps; left > 0; left--) {
        float *to = left % 2 == 1 ? out : scratch;
        global_kernel<<<grid, block>>>(to, in, power, width, height);
        in = to;
    }
}
