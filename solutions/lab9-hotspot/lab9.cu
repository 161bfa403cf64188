/* lab9.cu - heat that spreads over a plate, solved. The handout is handouts/lab9-hotspot.md. */
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

/* ---- stage 2: prediction ----
 * DRAM delivers each cell once per step already: the caches serve its neighbours. A tile takes loads from L1 alone, and adds
 * stores, a barrier and threads that compute nothing. It pays where it is used for several time steps. */

static const struct answers prediction_answers = {
    {THE_SAME, MUCH_LONGER, WORK_THAT_SAVES_NOTHING, FOR_SEVERAL_STEPS}};

void heat_prediction(float *answers, const float *sheet, const float *, float *, int, int, int)
{
    give_answers(answers, sheet, prediction_answers, QUESTIONS);
    CHECK_LAUNCH();
}

/* ---- stage 3: a tile with a halo ----
 * A block loads 32 x 32 cells and computes the 30 x 30 inside. */

constexpr int TILE = 32;

__global__ void shared_kernel(float *__restrict__ out, const float *__restrict__ in,
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
        shared_kernel<<<grid, block>>>(to, in, power, width, height);
        CHECK_LAUNCH();
        in = to;
    }
}

/* ---- stages 4 and 5: several time steps per launch ----
 * A block loads 32 x 32 cells, and all its threads compute K times. Threads at the tile's edge lack neighbours and take
 * what is nearest: they get a wrong value, and in each further step what is wrong comes inwards by one cell. After K steps
 * the (32 - 2 K) x (32 - 2 K) cells in the middle are right, and only these are written. A thread keeps its own heat and
 * power in registers. The tile, for the neighbours, is there twice: one is read while the other is written, so one barrier
 * per step is enough. */

template <int K>
__global__ void __launch_bounds__(TILE *TILE)
    blocked_kernel(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ power,
                   int width, int height, int steps)
{
    __shared__ float tiles[2][TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * (TILE - 2 * K) + tx - K, y = blockIdx.y * (TILE - 2 * K) + ty - K;
    const int left = max(tx - 1, 0), right = min(tx + 1, TILE - 1);
    const int above = max(ty - 1, 0), below = min(ty + 1, TILE - 1);
    const bool is_on = is_on_plate(x, y, width, height);

    float heat = cell(in, x, y, width, height);
    const float source = cell(power, x, y, width, height);
    tiles[0][ty][tx] = heat;
#pragma unroll
    for (int s = 0; s < K; s++) {
        if (s == steps) /* the last launch may have fewer to do */
            break;
        __syncthreads();
        const float(*tile)[TILE] = tiles[s % 2];
        const float next =
            spread(heat, tile[ty][left], tile[ty][right], tile[above][tx], tile[below][tx], source);
        heat = is_on ? next : 0; /* cells outside of the plate stay at 0 in every step */
        tiles[(s + 1) % 2][ty][tx] = heat;
    }

    const bool is_right = tx >= K && tx < TILE - K && ty >= K && ty < TILE - K;
    if (is_right && is_on)
        out[(size_t)y * width + x] = heat;
}

/* All launches do K steps, but the last one what is left. */
template <int K>
static void launch_blocked(float *out, const float *in, const float *power, float *scratch, int width,
                           int height, int steps)
{
    dim3 grid(blocks_for(width, TILE - 2 * K), blocks_for(height, TILE - 2 * K)), block(TILE, TILE);
    for (int left = steps; left > 0; left -= K) {
        float *to = target_of(out, scratch, blocks_for(left, K));
        blocked_kernel<K><<<grid, block>>>(to, in, power, width, height, min(left, K));
        CHECK_LAUNCH();
        in = to;
    }
}

void heat_two_steps(float *out, const float *in, const float *power, float *scratch, int width, int height,
                    int steps)
{
    launch_blocked<2>(out, in, power, scratch, width, height, steps);
}

/* More steps per launch go to memory less often, and throw more away: of 32 x 32 cells 24 x 24 are right after 4 steps,
 * 16 x 16 after 8. On an H200 4 steps are best. */
void heat_blocked(float *out, const float *in, const float *power, float *scratch, int width, int height,
                  int steps)
{
    launch_blocked<4>(out, in, power, scratch, width, height, steps);
}

/* ---- stage 6: several cells per thread ----
 * A thread has COLUMN cells, one below the other, and does for each of them what a thread of stage 5 does for its one: all
 * neighbours come from the tile. So 512 threads have a tile of 64 x 64 cells. Of these 56 x 56 are written, more than two
 * thirds and not half; and index, barrier and loop are there once for eight cells. */

constexpr int STEPS = 4;               /* time steps per launch */
constexpr int SIDE = 64;               /* of a tile, in cells */
constexpr int COLUMN = 8;              /* cells of a thread */
constexpr int KEPT = SIDE - 2 * STEPS; /* side of what is written of a tile */

__global__ void __launch_bounds__(SIDE *SIDE / COLUMN)
    columns_kernel(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ power,
                   int width, int height, int steps)
{
    __shared__ float tiles[2][SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y * COLUMN; /* the first of its cells */
    const int x = blockIdx.x * KEPT + tx - STEPS, y = blockIdx.y * KEPT + ty - STEPS;
    const int left = max(tx - 1, 0), right = min(tx + 1, SIDE - 1);
    float source[COLUMN];

#pragma unroll
    for (int i = 0; i < COLUMN; i++) {
        tiles[0][ty + i][tx] = cell(in, x, y + i, width, height);
        source[i] = cell(power, x, y + i, width, height);
    }
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        if (s == steps)
            break;
        __syncthreads();
        const float(*tile)[SIDE] = tiles[s % 2];
#pragma unroll
        for (int i = 0; i < COLUMN; i++) {
            const int row = ty + i, above = max(row - 1, 0), below = min(row + 1, SIDE - 1);
            const float next = spread(tile[row][tx], tile[row][left], tile[row][right], tile[above][tx],
                                      tile[below][tx], source[i]);
            tiles[(s + 1) % 2][row][tx] = is_on_plate(x, y + i, width, height) ? next : 0;
        }
    }

    /* No barrier: a thread reads the cells that it has written itself. */
    const float(*result)[SIDE] = tiles[steps % 2];
    if (tx < STEPS || tx >= SIDE - STEPS || x >= width)
        return;
#pragma unroll
    for (int i = 0; i < COLUMN; i++)
        if (ty + i >= STEPS && ty + i < SIDE - STEPS && y + i < height)
            out[(size_t)(y + i) * width + x] = result[ty + i][tx];
}

void heat_columns(float *out, const float *in, const float *power, float *scratch, int width, int height,
                  int steps)
{
    dim3 grid(blocks_for(width, KEPT), blocks_for(height, KEPT)), block(SIDE, SIDE / COLUMN);
    for (int left = steps; left > 0; left -= STEPS) {
        float *to = target_of(out, scratch, blocks_for(left, STEPS));
        columns_kernel<<<grid, block>>>(to, in, power, width, height, min(left, STEPS));
        CHECK_LAUNCH();
        in = to;
    }
}

/* ---- stage 7: cells in registers ----
 * A thread's cells, EACH of them one below the other, are in registers: of their four neighbours two are its own, and only the
 * strip's two ends need the tile for them. Tests of each cell are left to tiles at the plate's edge. A strip of 12 makes the
 * tile larger, so that less is thrown away: 56 x 64 of 64 x 72. */

constexpr int DEEP = 4;              /* time steps per launch */
constexpr int ACROSS = 64, DOWN = 6; /* threads of a block */
constexpr int EACH = 12;             /* cells of a thread */
constexpr int ROWS = DOWN * EACH;    /* of a tile */
constexpr int INNER_WIDE = ACROSS - 2 * DEEP, INNER_HIGH = ROWS - 2 * DEEP;

/* The 3 holds the compiler to 56 registers per thread: three blocks of 384 threads fit on an SM. */
__global__ void __launch_bounds__(ACROSS *DOWN, 3)
    tuned_kernel(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ power,
                 int width, int height, int steps)
{
    __shared__ float tiles[2][ROWS][ACROSS];
    const int tx = threadIdx.x, ty = threadIdx.y * EACH;
    const int tile_x = blockIdx.x * INNER_WIDE - DEEP, tile_y = blockIdx.y * INNER_HIGH - DEEP;
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

    if (tx < DEEP || tx >= ACROSS - DEEP || x >= width)
        return;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (ty + i >= DEEP && ty + i < ROWS - DEEP && y + i < height)
            out[first + (ptrdiff_t)i * width] = heat[i];
}

void heat_tuned(float *out, const float *in, const float *power, float *scratch, int width, int height,
                int steps)
{
    dim3 grid(blocks_for(width, INNER_WIDE), blocks_for(height, INNER_HIGH)), block(ACROSS, DOWN);
    for (int left = steps; left > 0; left -= DEEP) {
        float *to = target_of(out, scratch, blocks_for(left, DEEP));
        tuned_kernel<<<grid, block>>>(to, in, power, width, height, min(left, DEEP));
        CHECK_LAUNCH();
        in = to;
    }
}

/* ---- stage 8, bonus: warps that walk down the plate ----
 * A warp has 32 columns, one for each lane, and goes down row by row. When it has loaded row y, it can compute row y - 1
 * after one step, with that row y - 2 after two steps, and so on: row y - K after K steps comes out, and is written. No tile and
 * no barrier: each level keeps two rows in registers, and shuffles bring the neighbours to the left and right. */

constexpr int PACES = 4;   /* time steps per launch */
constexpr int WALKED = 64; /* rows that a warp writes */
constexpr int WARPS = 4;   /* of a block, one below the other */
constexpr unsigned ALL = 0xffffffff;

/* What a level needs again when its next row comes. */
struct rows {
    float above, here; /* heat of the last row but one, and of the last */
    float source;      /* power of the last row */
};

template <int K>
__global__ void __launch_bounds__(32 * WARPS)
    walking_kernel(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ power,
                   int width, int height)
{
    const int lane = threadIdx.x, x = blockIdx.x * (32 - 2 * K) + lane - K;
    const int first = (blockIdx.y * WARPS + threadIdx.y) * WALKED, end = min(first + WALKED, height);
    const bool is_right = lane >= K && lane < 32 - K && x < width;
    rows levels[K] = {};

    for (int y = first - K; y < end + K; y++) {
        float now = cell(in, x, y, width, height), source = cell(power, x, y, width, height);
#pragma unroll
        for (int s = 0; s < K; s++) { /* level s has got row y - s: it computes the row above that one */
            rows &level = levels[s];
            const float left = __shfl_up_sync(ALL, level.here, 1),
                        right = __shfl_down_sync(ALL, level.here, 1);
            const float next = spread(level.here, left, right, level.above, now, level.source);
            const float gain = level.source;
            level = {level.here, now, source};
            now = is_on_plate(x, y - s - 1, width, height) ? next : 0;
            source = gain;
        }
        if (is_right && y - K >= first && y - K < end)
            out[(size_t)(y - K) * width + x] = now;
    }
}

template <int K>
static void launch_walking(float *to, const float *from, const float *power, int width, int height)
{
    dim3 grid(blocks_for(width, 32 - 2 * K), blocks_for(height, WALKED * WARPS)), block(32, WARPS);
    walking_kernel<K><<<grid, block>>>(to, from, power, width, height);
    CHECK_LAUNCH();
}

/* Levels are unrolled, so their number is fixed: what is left after the last four steps takes a launch for each step. */
void heat_walking(float *out, const float *in, const float *power, float *scratch, int width, int height,
                  int steps)
{
    for (int left = steps; left > 0;) {
        float *to = target_of(out, scratch, left / PACES + left % PACES);
        const bool is_whole = left >= PACES;
        (is_whole ? launch_walking<PACES> : launch_walking<1>)(to, in, power, width, height);
        left -= is_whole ? PACES : 1;
        in = to;
    }
}

/* ---- stage 9, bonus: four cells per lane ----
 * A warp of stage 8 with 128 columns, four for each lane, and eight steps. Fewer of its columns are halo, two shuffles serve
 * four cells, and the row that comes next is on its way while this one is computed. A level keeps one row and a sum in place of
 * two rows. */

constexpr int LEVELS = 8;  /* time steps per launch */
constexpr int STRIP = 128; /* columns of a warp */
constexpr int HALO = 8;    /* of which it does not write so many on each side; a multiple of 4, for float4 */
constexpr int INNER = STRIP - 2 * HALO;

struct quad {
    float v[4];
};

/* IS_WIDE: rows begin at multiples of 16 bytes, so that four cells are one load. */
template <bool IS_WIDE> __device__ quad load_quad(const float *plate, int x, int y, int width, int height)
{
    quad q = {};
    if (y < 0 || y >= height)
        return q;
    if (IS_WIDE && x >= 0 && x < width) {
        const float4 f = *(const float4 *)&plate[(size_t)y * width + x];
        q = {{f.x, f.y, f.z, f.w}};
    }
#pragma unroll
    for (int i = 0; !IS_WIDE && i < 4; i++)
        q.v[i] = cell(plate, x + i, y, width, height);
    return q;
}

template <bool IS_WIDE> __device__ void store_quad(float *plate, int x, int y, int width, const quad &q)
{
    if (IS_WIDE && x < width)
        *(float4 *)&plate[(size_t)y * width + x] = make_float4(q.v[0], q.v[1], q.v[2], q.v[3]);
#pragma unroll
    for (int i = 0; !IS_WIDE && i < 4; i++)
        if (x + i < width)
            plate[(size_t)y * width + x + i] = q.v[i];
}

/* A level has seen a row: `now`. What the row above it lacked was its neighbour below: now that row's next heat is known,
 * and returned. `now` itself lacks its neighbour below: all else of its next heat goes into the sum. `eighth` is 0 for
 * columns outside of the plate, which so stay at 0. */
struct level {
    quad last, sum;
};

__device__ quad next_row(level &level, const quad &now, const quad &gain, const float *eighth)
{
    const float left = __shfl_up_sync(ALL, now.v[3], 1), right = __shfl_down_sync(ALL, now.v[0], 1);
    const float beside[4] = {left + now.v[1], now.v[0] + now.v[2], now.v[1] + now.v[3], now.v[2] + right};
    quad next;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        next.v[i] = level.sum.v[i] + eighth[i] * now.v[i];
        level.sum.v[i] = gain.v[i] + eighth[i] * (level.last.v[i] + beside[i]) + 0.5f * now.v[i];
    }
    level.last = now;
    return next;
}

template <int K, bool IS_WIDE>
__global__ void __launch_bounds__(32 * WARPS)
    marching_kernel(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ power,
                    int width, int height, int rows)
{
    const int lane = threadIdx.x, x = blockIdx.x * INNER - HALO + 4 * lane;
    const int first = (blockIdx.y * WARPS + threadIdx.y) * rows, end = min(first + rows, height);
    const bool is_right = 4 * lane >= HALO && 4 * lane < STRIP - HALO;
    float eighth[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        eighth[i] = x + i >= 0 && x + i < width ? 0.125f : 0;

    level levels[K] = {};
    quad gains[K] = {}; /* of the last rows: row y in gains[turn] */
    quad heat = load_quad<IS_WIDE>(in, x, first - K, width, height);
    quad source = load_quad<IS_WIDE>(power, x, first - K, width, height);
    for (int start = first - K; start < end + K; start += K) {
#pragma unroll
        for (int turn = 0; turn < K; turn++) { /* unrolled, so that gains are registers */
            const int y = start + turn;
            quad now = heat;
#pragma unroll
            for (int i = 0; i < 4; i++)
                gains[turn].v[i] = 0.0625f * source.v[i];
            /* The next row is on its way while this one is computed. */
            heat = load_quad<IS_WIDE>(in, x, y + 1, width, height);
            source = load_quad<IS_WIDE>(power, x, y + 1, width, height);
#pragma unroll
            for (int s = 0; s < K; s++) {
                now = next_row(levels[s], now, gains[(turn - s + K) % K], eighth);
                if (y - s - 1 < 0 || y - s - 1 >= height)
                    now = {}; /* rows outside of the plate stay at 0, too */
            }
            if (is_right && y - K >= first && y - K < end)
                store_quad<IS_WIDE>(out, x, y - K, width, now);
        }
    }
}

/* So many rows for each warp that all are on the GPU at once: a second wave would be nearly empty. But not so few that the
 * rows at its ends, which its neighbours compute too, are most of its way. */
static int rows_per_warp(int strips, int height)
{
    int device, processors, blocks;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, marching_kernel<LEVELS, true>, 32 * WARPS, 0));
    const int down = max(processors * blocks / strips, 1) * WARPS;
    return max(blocks_for(height, down), 8 * LEVELS);
}

template <int K>
static void launch_marching(float *to, const float *from, const float *power, int width, int height)
{
    const int strips = blocks_for(width, INNER), rows = rows_per_warp(strips, height);
    dim3 grid(strips, blocks_for(height, rows * WARPS)), block(32, WARPS);
    if (width % 4 == 0)
        marching_kernel<K, true><<<grid, block>>>(to, from, power, width, height, rows);
    else
        marching_kernel<K, false><<<grid, block>>>(to, from, power, width, height, rows);
    CHECK_LAUNCH();
}

/* Levels are unrolled, so their number is fixed: what is left after the last eight steps takes a launch for each step. */
void heat_marching(float *out, const float *in, const float *power, float *scratch, int width, int height,
                   int steps)
{
    for (int left = steps; left > 0;) {
        float *to = target_of(out, scratch, left / LEVELS + left % LEVELS);
        const bool is_whole = left >= LEVELS;
        (is_whole ? launch_marching<LEVELS> : launch_marching<1>)(to, in, power, width, height);
        left -= is_whole ? LEVELS : 1;
        in = to;
    }
}
