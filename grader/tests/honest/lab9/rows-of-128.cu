// stage: marching
// points: 10
// Warps that walk down the plate, 128 rows each.
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

struct quad {
    float v[4];
};
constexpr int QUADS = 128;

template <bool IS_VECTOR>
__device__ static quad load_row(const float *plate, int x, int y, int width, int height)
{
    quad q = {{0, 0, 0, 0}};
    if (y < 0 || y >= height)
        return q;
    if (IS_VECTOR) {
        if (x >= 0 && x < width) {
            float4 f = *(const float4 *)&plate[(size_t)y * width + x];
            q.v[0] = f.x;
            q.v[1] = f.y;
            q.v[2] = f.z;
            q.v[3] = f.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            q.v[i] = x + i >= 0 && x + i < width ? plate[(size_t)y * width + x + i] : 0;
    }
    return q;
}

template <bool IS_VECTOR>
__device__ static void store_row(float *plate, int x, int y, int width, const quad &q)
{
    if (IS_VECTOR) {
        if (x < width)
            *(float4 *)&plate[(size_t)y * width + x] = make_float4(q.v[0], q.v[1], q.v[2], q.v[3]);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (x + i < width)
                plate[(size_t)y * width + x + i] = q.v[i];
    }
}

template <int K, bool IS_VECTOR>
__global__ void __launch_bounds__(128)
    marching_kernel(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ power,
                    int width, int height, int rows)
{
    constexpr int HALO = (K + 3) / 4 * 4;
    constexpr unsigned ALL = 0xffffffff;
    const int lane = threadIdx.x, x = blockIdx.x * (QUADS - 2 * HALO) - HALO + 4 * lane;
    const int first = (blockIdx.y * blockDim.y + threadIdx.y) * rows;
    const int end = min(first + rows, height);
    if (first >= height)
        return;
    const bool is_mine = 4 * lane >= HALO && 4 * lane < QUADS - HALO;
    float eighth[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        eighth[i] = x + i >= 0 && x + i < width ? 0.125f : 0;
    quad newer[K], sum[K], source[K];
#pragma unroll
    for (int s = 0; s < K; s++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            newer[s].v[i] = sum[s].v[i] = source[s].v[i] = 0;
    quad next_heat = load_row<IS_VECTOR>(in, x, first - K, width, height);
    quad next_power = load_row<IS_VECTOR>(power, x, first - K, width, height);
    for (int start = first - K; start < end + K; start += K) {
#pragma unroll
        for (int turn = 0; turn < K; turn++) {
            const int y = start + turn;
            quad now = next_heat;
#pragma unroll
            for (int i = 0; i < 4; i++)
                source[turn].v[i] = 0.0625f * next_power.v[i];
            next_heat = load_row<IS_VECTOR>(in, x, y + 1, width, height);
            next_power = load_row<IS_VECTOR>(power, x, y + 1, width, height);
#pragma unroll
            for (int s = 0; s < K; s++) {
                const quad &gain = source[(turn - s + K) % K];
                const float left = __shfl_up_sync(ALL, now.v[3], 1),
                            right = __shfl_down_sync(ALL, now.v[0], 1);
                quad next;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const float beside =
                        (i ? now.v[i ? i - 1 : 0] : left) + (i < 3 ? now.v[i < 3 ? i + 1 : 3] : right);
                    next.v[i] = sum[s].v[i] + eighth[i] * now.v[i];
                    sum[s].v[i] = gain.v[i] + eighth[i] * (newer[s].v[i] + beside) + 0.5f * now.v[i];
                    newer[s].v[i] = now.v[i];
                }
                if (y - s - 1 < 0 || y - s - 1 >= height)
                    next = {{0, 0, 0, 0}};
                now = next;
            }
            if (y - K >= first && y - K < end && is_mine)
                store_row<IS_VECTOR>(out, x, y - K, width, now);
        }
    }
}

template <int K>
static void launch_marching(float *to, const float *from, const float *power, int width, int height, int rows)
{
    constexpr int HALO = (K + 3) / 4 * 4;
    dim3 grid(blocks_for(width, QUADS - 2 * HALO), blocks_for(height, 4 * rows)), block(32, 4);
    if (width % 4 == 0)
        marching_kernel<K, true><<<grid, block>>>(to, from, power, width, height, rows);
    else
        marching_kernel<K, false><<<grid, block>>>(to, from, power, width, height, rows);
}

void heat_marching(float *out, const float *in, const float *power, float *scratch, int width, int height,
                   int steps)
{
    constexpr int K = 8;
    for (int launches = steps / K + steps % K; launches > 0; launches--) {
        float *to = target_of(out, scratch, launches);
        if (steps >= K)
            launch_marching<K>(to, in, power, width, height, 128);
        else
            launch_marching<1>(to, in, power, width, height, 128);
        steps -= steps >= K ? K : 1;
        in = to;
    }
}
