/* lab9.cu - heat that spreads over a plate: the file you edit. The handout is handouts/lab9-hotspot.md.
 * A plate has `height` rows of `width` cells. `in` holds the heat at the start, `power` the power that heats each cell;
 * `out` must hold the heat after `steps` time steps. `scratch` is another plate that you may use. Each stage has a kernel,
 * and an entry point that launches it one or more times. Every size from 1 x 1 and every number of steps from 1 is legal.
 *     make lab9 && build/lab9 shared && ./grade lab9 */
#include "lab9.h"

#include "lab/answers.h"
#include "lab/check.h"

/* ---- given: the rule, and a cell of the plate ---- */

/* The heat of a cell after a time step: half of its own, an eighth of each neighbour's, and a sixteenth of its power. */
__device__ float spread(float here, float left, float right, float above, float below, float power)
{
    return 0.5f * here + 0.125f * (left + right + above + below) + 0.0625f * power;
}

__device__ bool is_on_plate(int x, int y, int width, int height)
{
    return x >= 0 && x < width && y >= 0 && y < height;
}

/* The heat or power of a cell. Outside the plate it is always 0. */
__device__ float cell(const float *plate, int x, int y, int width, int height)
{
    return is_on_plate(x, y, width, height) ? plate[(size_t)y * width + x] : 0;
}

static int blocks_for(int cells, int each)
{
    return (cells + each - 1) / each;
}

/* The plate that a launch writes. `launches`: how many launches are left, this one included. The last launch writes `out`,
 * the one before it `scratch`, and so on in turn. */
static float *target_of(float *out, float *scratch, int launches)
{
    return launches % 2 == 1 ? out : scratch;
}

/* ---- stage 1, given: one launch per time step, neighbours from global memory ---- */

constexpr int WIDE = 32, HIGH = 8; /* threads of a block */

__global__ void global_kernel(float *__restrict__ out, const float *__restrict__ in,
                              const float *__restrict__ power, int width, int height)
{
    int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    if (x < width && y < height)
        out[(size_t)y * width + x] =
            spread(in[(size_t)y * width + x], cell(in, x - 1, y, width, height),
                   cell(in, x + 1, y, width, height), cell(in, x, y - 1, width, height),
                   cell(in, x, y + 1, width, height), power[(size_t)y * width + x]);
}

/* Each step reads one plate and writes another one. The last step must write `out`. */
void heat_global(float *out, const float *in, const float *power, float *scratch, int width, int height,
                 int steps)
{
    dim3 grid(blocks_for(width, WIDE), blocks_for(height, HIGH)), block(WIDE, HIGH);
    for (int left = steps; left > 0; left--) {
        float *to = target_of(out, scratch, left);
        global_kernel<<<grid, block>>>(to, in, power, width, height);
        CHECK_LAUNCH();
        in = to;
    }
}

/* ---- stage 2: prediction ---- */

/* TODO 1 (handout section 2): predict what a tile gains, stage 3 over stage 1, before you write it, and fill in four answers. The
 * possible answers are in lab9.h.
 *   1. what becomes of the traffic of DRAM?
 *   2. how long does stage 3 take on an H200, compared with stage 1?
 *   3. why?
 *   4. when would a tile make this program faster? */
static const struct answers prediction_answers = {{NOT_COUNTED, NOT_PREDICTED, NOT_NAMED, NOT_CHOSEN}};

void heat_prediction(float *answers, const float *sheet, const float *, float *, int, int, int)
{
    give_answers(answers, sheet, prediction_answers, QUESTIONS);
    CHECK_LAUNCH();
}

/* ---- stage 3: a tile with a halo ---- */

/* TODO 2 (handout section 2): one time step, with all neighbours from shared memory.
 *   in:   blocks of 32 x 32 threads; each block loads a tile of 32 x 32 cells, of which 30 x 30 are not halo
 *   out:  the same as global_kernel, for every size: only the inner threads write
 *   goal: 32-byte sectors loaded per sector of input at most 16 (global: 26) */
void heat_shared(float *out, const float *in, const float *power, float *scratch, int width, int height,
                 int steps)
{
}

/* ---- stage 4: two time steps per launch ---- */

/* TODO 3 (handout section 3): two time steps on a tile before it is written. The halo is 2 cells wide.
 *   in:   tiles of 32 x 32 cells as before, and the number of steps that the launch has to do, 1 or 2
 *   out:  the same results, also for an odd number of steps
 *   goal: at most 4 launches for 8 time steps, at most 12 sectors loaded per sector of input (shared: 10.5) */
void heat_two_steps(float *out, const float *in, const float *power, float *scratch, int width, int height,
                    int steps)
{
}

/* ---- stage 5: k time steps per launch ---- */

/* TODO 4 (handout section 4): make the number of steps per launch a template parameter, and find the best one.
 *   in:   the kernel of stage 4, `template <int K>`
 *   out:  the same results, also if the number of steps is not a multiple of K
 *   goal: at most 3 launches for 8 time steps, at most 10 sectors loaded per sector of input (two_steps: 6.6), and 1.15 times
 *         the speed of stage 1 */
void heat_blocked(float *out, const float *in, const float *power, float *scratch, int width, int height,
                  int steps)
{
}

/* ---- stage 6: several cells per thread ---- */

/* TODO 5 (handout section 5): a larger tile, with several cells per thread, one below the other. All else as in stage 5.
 *   in:   tiles of 64 x 64 cells, blocks of 64 x 8 threads with 8 cells each, 4 steps per launch; or others that you choose
 *   out:  the same results
 *   goal: at most 0.6 barriers per sector of input (blocked: 1.8), and 1.7 times the speed of stage 1 */
void heat_columns(float *out, const float *in, const float *power, float *scratch, int width, int height,
                  int steps)
{
}

/* ---- stage 7: cells in registers ---- */

/* TODO 6 (handout section 6): keep a thread's cells in registers, and take the neighbours above and below from there. Test
 * cells only in tiles at the plate's edge.
 *   in:   the kernel of stage 6
 *   out:  the same results
 *   goal: at most 16 loads of warps from shared memory per 128 bytes of input (columns: 28), and 2.95 times the speed of stage 1 */
void heat_tuned(float *out, const float *in, const float *power, float *scratch, int width, int height,
                int steps)
{
}

/* ---- stage 8, bonus: warps that walk down the plate ---- */

/* TODO 7 (handout section 7): no tile and no barrier. A warp takes 32 columns, one per lane, and walks down row by row. For
 * each row that it loads, it computes one row of each of four time steps, in registers; shuffles bring the neighbours.
 *   out:  the same results, also for fewer than four steps
 *   goal: no barriers, at most 3 launches for 8 time steps */
void heat_walking(float *out, const float *in, const float *power, float *scratch, int width, int height,
                  int steps)
{
}

/* ---- stage 9, bonus: four cells per lane ---- */

/* TODO 8 (handout section 8): the walk with 128 columns per warp, four per lane, loaded as a float4, and eight time steps. Load
 * the next row before you compute this one.
 *   out:  the same results, also for fewer than eight steps and for widths that are not a multiple of 4
 *   goal: 4.6 times the speed of stage 1 */
void heat_marching(float *out, const float *in, const float *power, float *scratch, int width, int height,
                   int steps)
{
}
