/* lab7.cu - memory spaces: the file you edit.
 * A given kernel keeps its data in one kind of memory; the stages after it move that data to another. work.h has the
 * functions and constants that all kernels use: do not change it. lab7.h describes struct task.
 *     make lab7 && build/lab7 constant && ./grade lab7 */
#include "lab7.h"

#include "lab/answers.h"
#include "lab/check.h"
#include "work.h"

enum { BLOCK = 256 }; /* threads per block */

static int blocks_for(long n, int elements_per_block)
{
    return (int)((n + elements_per_block - 1) / elements_per_block);
}

/* ---- stage 1, given: coefficients in global memory ------------------------------------------------------ */

__global__ void filter_global(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * in[i + k];
    out[i] = sum;
}

void spaces_global(struct task task)
{
    filter_global<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.table, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 2: constant ---------------------------------------------------------------------------------- */

/* TODO 1 (handout section 1): the same sums with the coefficients in constant memory.
 *   in:   task.n elements; task.in, which has n + TAPS - 1 of them; the coefficients in task.table, on the device
 *   out:  task.out[i] = the sum of table[k] * in[i + k] for k from 0 to TAPS - 1
 *   goal: coefficients come from a __constant__ array (64 constant loads per warp of elements); 1.2 times as fast as
 *         stage 1 */
void spaces_constant(struct task task)
{
}

/* ---- stage 3: read_only --------------------------------------------------------------------------------- */

/* TODO 2 (handout section 2): stage 1 again, with every load by the read-only path. It is only as fast as stage 1.
 *   in, out: as in TODO 1
 *   goal: every global load is a read-only load: none by the plain path (stage 1: 128 per warp of elements) */
void spaces_read_only(struct task task)
{
}

/* ---- stage 4, given: a table in constant memory, an index per lane -------------------------------------- */

__constant__ float constant_entries[ENTRIES];

__global__ void look_up_constant(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    int entry = first_entry(in[i], ENTRIES);
    float sum = 0;
    for (int k = 0; k < LOOKUPS; k++) {
        float value = constant_entries[entry];
        sum += value;
        entry = next_entry(entry, value, ENTRIES);
    }
    out[i] = sum;
}

void spaces_wrong_constant(struct task task)
{
    CHECK(cudaMemcpyToSymbol(constant_entries, task.table, sizeof constant_entries, 0, cudaMemcpyDeviceToDevice));
    look_up_constant<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 5: moved ------------------------------------------------------------------------------------- */

/* TODO 3 (handout section 3): the same lookups. Find out why constant memory is wrong here, and move the table.
 *   in:   task.n elements of task.in; the table's ENTRIES entries in task.table
 *   out:  task.out[i] = the sum of LOOKUPS entries, as in stage 4
 *   goal: 16 loads from shared memory per warp of elements; 5 times as fast as stage 4 */
void spaces_moved(struct task task)
{
}

/* ---- stage 6, given: a picture in global memory --------------------------------------------------------- */

enum { SIDE_X = 32, SIDE_Y = 8 }; /* threads of a block */

static dim3 picture_grid(struct task task)
{
    int rows = blocks_for(task.m, SIDE_Y);
    return dim3(blocks_for(task.n, SIDE_X), rows < 65535 ? rows : 65535);
}

__device__ static float pixel(const float *in, int pitch, int column, int row, int width, int height)
{
    return in[(size_t)clamp_to(row, height) * pitch + clamp_to(column, width)];
}

/* The value between four pixels. If the grid has fewer rows than the result, a thread computes several values. */
__global__ void zoom_global(float *out, const float *in, int pitch, int n, int m)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, width = source_size(n), height = source_size(m);
    for (int y = blockIdx.y * SIDE_Y + threadIdx.y; x < n && y < m; y += gridDim.y * SIDE_Y) {
        float left = source_of(x) - 0.5f, top = source_of(y) - 0.5f;
        int column = (int)floorf(left), row = (int)floorf(top);
        float upper = mix(pixel(in, pitch, column, row, width, height), pixel(in, pitch, column + 1, row, width, height),
                          left - column);
        float lower = mix(pixel(in, pitch, column, row + 1, width, height),
                          pixel(in, pitch, column + 1, row + 1, width, height), left - column);
        out[(size_t)y * n + x] = mix(upper, lower, top - row);
    }
}

void spaces_zoom(struct task task)
{
    zoom_global<<<picture_grid(task), dim3(SIDE_X, SIDE_Y)>>>(task.out, task.in, task.pitch, task.n, task.m);
    CHECK_LAUNCH();
}

/* ---- stage 7: texture ----------------------------------------------------------------------------------- */

/* TODO 4 (handout section 4): the same picture through a texture object that clamps. The kernel still interpolates.
 *   in:   task.in, a picture of source_size(n) x source_size(m) pixels, rows task.pitch floats apart
 *   out:  task.out[y * n + x], n x m values, as in stage 6
 *   goal: every pixel comes from tex2D(): no global loads (stage 6: 1 load of a warp per sector of output) */
void spaces_texture(struct task task)
{
}

/* ---- stage 8: filter ------------------------------------------------------------------------------------ */

/* TODO 5 (handout section 5): let the texture unit interpolate, too. Copy the picture to an array, and make a texture of
 * the array.
 *   in, out: as in TODO 4, but only as exact as a texture unit is
 *   goal: one fetch for each value: 0.25 fetches of warps per sector of output (stage 7: 1) */
void spaces_filter(struct task task)
{
}

/* ---- stage 9, given: an array in local memory ----------------------------------------------------------- */

/* Which bin a value belongs to is known only at run time. So the array is in local memory. */
__global__ void bins_local(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float bins[BINS] = {}, most = 0;
    for (int k = 0; k < VALUES; k++) {
        float value = in[(size_t)k * n + i];
        bins[bin_of(value)] += value;
    }
    for (int b = 0; b < BINS; b++)
        most = fmaxf(most, bins[b]);
    out[i] = most;
}

void spaces_local(struct task task)
{
    bins_local<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 10: registers -------------------------------------------------------------------------------- */

/* TODO 6 (handout section 6): the same bins in registers. Every index of the array must be known when nvcc compiles.
 *   in:   VALUES rows of task.n floats
 *   out:  task.out[i] = the largest of the BINS sums of column i, as in stage 9
 *   goal: no sectors of local memory loaded (stage 9: 6.7 per sector of input); 2.2 times as fast as stage 9 */
void spaces_registers(struct task task)
{
}

/* ---- stage 11: columns ---------------------------------------------------------------------------------- */

/* TODO 7 (handout section 6): the same bins in shared memory, where an index may be anything. No two threads share a bin, so
 * no barrier is needed.
 *   in, out: as in TODO 6
 *   goal: no bank conflicts; 5.6 times as fast as stage 9 */
void spaces_columns(struct task task)
{
}

/* ---- stage 12, given: more blocks per SM than there are registers for ----------------------------------- */

/* Sums and differences of pairs of COUNT values, log2(COUNT) times. */
template <int COUNT> __device__ static void transform(float *x)
{
#pragma unroll
    for (int half = 1; half < COUNT; half *= 2)
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (!(i & half)) {
                float sum = x[i] + x[i + half];
                x[i + half] = x[i] - x[i + half];
                x[i] = sum;
            }
}

/* 64 values in the registers of a thread; BLOCKS_PER_SM decides how many registers it may have. */
template <int BLOCKS_PER_SM>
__global__ void __launch_bounds__(BLOCK, BLOCKS_PER_SM) transform_whole(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float x[POINTS];
    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < POINTS; k++)
        x[k] = in[(size_t)k * n + i];
    transform<POINTS>(x);
#pragma unroll
    for (int k = 0; k < POINTS; k++)
        out[(size_t)k * n + i] = x[k];
}

void spaces_spilling(struct task task)
{
    transform_whole<8><<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 13: spill ------------------------------------------------------------------------------------ */

/* TODO 8 (handout section 7): the same transform with RADIX values per thread, and without launch bounds that leave places for
 * warps empty. A transform of 64 is one of 8 within each group of 8 neighbours (points 0 to 7, 8 to 15, ...), then one of 8 across
 * the groups (points 0, 8, 16, ..., 56; then 1, 9, ...; ...). transform<RADIX>() does both.
 *   in:   POINTS rows of task.n floats
 *   out:  task.out, of the same size: column by column the transform of task.in
 *   goal: at least three quarters of an SM's places for warps filled, and no spills; 2 times as fast as stage 12 (two kernels),
 *         4 times (one kernel, whose threads exchange values through shared memory) */
void spaces_spill(struct task task)
{
}

/* ---- stage 14, given: a list in random order ------------------------------------------------------------ */

__global__ void gather(float *out, const float *table, const int *list, int n, int m)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = table[index_of(list[i], m)];
}

void spaces_random(struct task task)
{
    gather<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.table, task.list, task.n, task.m);
    CHECK_LAUNCH();
}

/* ---- stage 15, given: the same kernel, and a list that is sorted ---------------------------------------- */

void spaces_sorted(struct task task)
{
    gather<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.table, task.list, task.n, task.m);
    CHECK_LAUNCH();
}

/* ---- stage 16: gather ----------------------------------------------------------------------------------- */

/* TODO 9 (handout section 8): measure stages 14 and 15 with 8388608 lookups (-n 8388608 --all), and fill in five answers.
 * The possible answers are in work.h: enum level and enum sectors.
 *   stage 14 with a table of 16 KB, 16 MB, 256 MB (-m 4096, 4194304, 67108864): what serves most loads of the table?
 *   stages 14 and 15 with a table of 32 MB (-m 8388608): how many sectors does a warp's load of the table take? */
static const struct answers gather_answers = {{NOT_ANSWERED, NOT_ANSWERED, NOT_ANSWERED, NOT_COUNTED, NOT_COUNTED}};

void spaces_gather(struct task task)
{
    give_answers(task, gather_answers, QUESTIONS);
    CHECK_LAUNCH();
}

/* ---- stage 17, given: a table of 60 KB in global memory ------------------------------------------------- */

__global__ void look_up_large(float *out, const float *in, const float *table, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    int entry = first_entry(in[i], LARGE_ENTRIES);
    float sum = 0;
    for (int k = 0; k < LOOKUPS; k++) {
        float value = table[entry];
        sum += value;
        entry = next_entry(entry, value, LARGE_ENTRIES);
    }
    out[i] = sum;
}

void spaces_large_table(struct task task)
{
    look_up_large<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.table, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 18: large_shared ----------------------------------------------------------------------------- */

/* How many blocks of this kernel the GPU holds at once: lab 6, section 2. Ask after cudaFuncSetAttribute(). */
template <typename kernel> static int blocks_at_once(kernel function, int threads, size_t bytes)
{
    int sms, per_sm;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, function, threads, bytes));
    return sms * per_sm;
}

/* TODO 10 (handout section 9): the same lookups with the table in shared memory: 60 KB, more than a block gets by default.
 *   in:   task.n elements of task.in; the table's LARGE_ENTRIES entries in task.table
 *   out:  task.out[i] = the sum of LOOKUPS entries, as in stage 17
 *   goal: 16 loads from shared memory per warp of elements; 1.3 times as fast as stage 17 */
void spaces_large_shared(struct task task)
{
}
