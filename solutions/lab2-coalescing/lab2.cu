/* lab2.cu - walks through memory, in ten steps. You edit this file, and no other.
 * Each stage has an entry point at the end of its section; all of them get the same parameters (see lab2.h).
 * A warp's loads are fast when its 32 addresses lie in few 32-byte sectors: every stage is one way to get there.
 *
 *   given        what it does                  what you write instead
 *   strided      a run of elements per thread  unit       neighbouring threads, neighbouring elements      TODO 1
 *   offset       begins anywhere               aligned    warps begin where sectors begin                  TODO 2
 *   aos          an array of structures        soa        a structure of arrays                            TODO 3
 *   down         2-D, down the columns         pitched    2-D, along padded rows                           TODO 4
 *                                              allocated  rows that you pad yourself                       TODO 5
 *   rows         a row per thread              column     a column per thread, in a transposed layout      TODO 6
 *   nested       a line of a 4-D array         flat       any element of it under one index                TODO 7
 *                                              vector     stage aligned with 16 bytes per thread           TODO 8
 *   gather       random order, arrays          records    random order, whole records                      TODO 9
 *                                              every      a stride, swept                                  TODO 10
 *
 * make lab2 && ./grade lab2          two stages beside each other, without points: build/lab2 strided unit */
#include "lab/answers.h"
#include "lab/check.h"
#include "lab2.h"

/* ------------------------------------------------------------------------------------------- given, for all stages */

constexpr int BLOCK = 256;

/* What a walk computes for each element. */
__device__ float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

__device__ int thread_id(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* The number of blocks, of `block` threads each, that hold at least `threads` threads. */
static int blocks_for(int threads, int block)
{
    return (threads + block - 1) / block;
}

/* ------------------------------------------------------------------------------------------- strided: given */

constexpr int RUN = 64;

/* As on a CPU: each thread takes its own run of elements. The lanes of a warp are then RUN elements apart. */
__global__ void strided_kernel(float *out, const float *in, int count)
{
    int first = thread_id() * RUN;
    for (int i = first; i < first + RUN && i < count; i++)
        out[i] = scaled(in[i]);
}

void walk_strided(float *out, const float *in, struct shape shape)
{
    int runs = blocks_for(shape.count, RUN);
    strided_kernel<<<blocks_for(runs, BLOCK), BLOCK>>>(out, in, shape.count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- unit */

/* Four elements per thread: a single one leaves too few loads under way to fill a modern memory. They are BLOCK apart,
 * not side by side, so that in every step the lanes of a warp are neighbours. */
constexpr int EACH = 4;

/* All loads come before the first store: the loads do not wait for each other. */
__global__ void unit_kernel(float *__restrict__ out, const float *__restrict__ in, int count)
{
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
    float value[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * BLOCK < count)
            value[k] = in[first + k * BLOCK];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * BLOCK < count)
            out[first + k * BLOCK] = scaled(value[k]);
}

void walk_unit(float *out, const float *in, struct shape shape)
{
    unit_kernel<<<blocks_for(shape.count, BLOCK * EACH), BLOCK>>>(out, in, shape.count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- offset: given */

/* A walk that begins in the middle of the array: thread 0 takes element `offset`, so the offset decides where in a sector
 * the warps of the grid begin. */
__global__ void offset_kernel(float *out, const float *in, int offset, int count)
{
    int i = thread_id();
    if (i < count)
        out[offset + i] = scaled(in[offset + i]);
}

void walk_offset(float *out, const float *in, struct shape shape)
{
    offset_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.offset, shape.count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- aligned */

constexpr int WARP = 32;

/* `begin` is a multiple of 32 elements (128 bytes), so every warp begins at a line of memory. Up to 31 threads before the
 * offset have nothing to do: cheaper than a fifth sector in every request of every other warp.
 * One element per thread: alignment alone does not fill the memory. Stage vector does. */
__global__ void aligned_kernel(float *out, const float *in, int begin, int offset, int end)
{
    int i = begin + thread_id();
    if (i >= offset && i < end)
        out[i] = scaled(in[i]);
}

void walk_aligned(float *out, const float *in, struct shape shape)
{
    int begin = shape.offset / WARP * WARP, end = shape.offset + shape.count;
    aligned_kernel<<<blocks_for(end - begin, BLOCK), BLOCK>>>(out, in, begin, shape.offset, end);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- aos: given */

struct particle {
    float x, y, z, vx, vy, vz, mass;
};

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

/* An array of structures: 28 bytes per particle, of which this walk uses 16. */
__global__ void aos_kernel(float *out, const struct particle *p, int count)
{
    int i = thread_id();
    if (i < count)
        out[i] = energy(p[i].vx, p[i].vy, p[i].vz, p[i].mass);
}

void walk_aos(float *out, const float *in, struct shape shape)
{
    aos_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, (const struct particle *)in, shape.count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- soa */

/* Only the fields that are used. Passed by value: the pointers reach the kernel as arguments. */
struct particles {
    const float *vx, *vy, *vz, *mass;
};

__global__ void soa_kernel(float *__restrict__ out, struct particles p, int count)
{
    int i = thread_id();
    if (i < count)
        out[i] = energy(p.vx[i], p.vy[i], p.vz[i], p.mass[i]); /* four independent loads, each of 4 sectors */
}

void walk_soa(float *out, const float *in, struct shape shape)
{
    size_t stride = shape.pitch / sizeof *in;
    struct particles p = {in + 3 * stride, in + 4 * stride, in + 5 * stride, in + 6 * stride};
    soa_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, p, shape.count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- down: given */

constexpr int DOWN = 32, ACROSS = 8;

/* The pitch is in bytes: a char pointer finds the row, a float pointer the element. */
__device__ float *row_of(float *array, int y, size_t pitch)
{
    return (float *)((char *)array + y * pitch);
}

__device__ const float *row_of(const float *array, int y, size_t pitch)
{
    return (const float *)((const char *)array + y * pitch);
}

/* A 2-D walk with the axes swapped: threadIdx.x runs down the rows, so the lanes of a warp are a whole row apart. */
__global__ void down_kernel(float *out, const float *in, int width, int height, size_t pitch)
{
    int y = blockIdx.x * DOWN + threadIdx.x;
    int x = blockIdx.y * ACROSS + threadIdx.y;
    if (x < width && y < height)
        row_of(out, y, pitch)[x] = scaled(row_of(in, y, pitch)[x]);
}

void walk_down(float *out, const float *in, struct shape shape)
{
    dim3 block(DOWN, ACROSS), grid(blocks_for(shape.height, DOWN), blocks_for(shape.width, ACROSS));
    down_kernel<<<grid, block>>>(out, in, shape.width, shape.height, shape.pitch);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- pitched */

/* A warp is one row of the block, so it stays within a row of the array and begins at a multiple of 32 columns. Each
 * thread takes ROWS rows, STEP apart, for more loads under way. */
constexpr int COLUMNS = 64, STEP = 4, ROWS = 4;

__device__ void walk_rows_of(float *out, const float *in, int width, int height, size_t pitch)
{
    int x = blockIdx.y * COLUMNS + threadIdx.x;
    int top = blockIdx.x * STEP * ROWS + threadIdx.y;
    float value[ROWS];
    if (x >= width)
        return;
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        if (top + k * STEP < height)
            value[k] = row_of(in, top + k * STEP, pitch)[x];
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        if (top + k * STEP < height)
            row_of(out, top + k * STEP, pitch)[x] = scaled(value[k]);
}

__global__ void pitched_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height,
                               size_t pitch)
{
    walk_rows_of(out, in, width, height, pitch);
}

/* Rows are along grid.x: grid.y ends at 65535, which a tall array would exceed sooner than a wide one. */
static dim3 grid_of_rows(struct shape shape)
{
    return dim3(blocks_for(shape.height, STEP * ROWS), blocks_for(shape.width, COLUMNS));
}

void walk_pitched(float *out, const float *in, struct shape shape)
{
    pitched_kernel<<<grid_of_rows(shape), dim3(COLUMNS, STEP)>>>(out, in, shape.width, shape.height, shape.pitch);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- allocated */

/* Without __restrict__: input and output are one array. */
__global__ void in_place_kernel(float *rows, int width, int height, size_t pitch)
{
    walk_rows_of(rows, rows, width, height, pitch);
}

/* Rows as cudaMallocPitch pads them, walked in place. The copies take longer than the walk: it pays for arrays that live
 * long, or where rows must be aligned for wide loads. */
void walk_allocated(float *out, const float *in, struct shape shape)
{
    float *rows;
    size_t pitch, bytes = shape.width * sizeof *rows;
    CHECK(cudaMallocPitch(&rows, &pitch, bytes, shape.height));
    CHECK(cudaMemcpy2DAsync(rows, pitch, in, shape.pitch, bytes, shape.height, cudaMemcpyDeviceToDevice));
    in_place_kernel<<<grid_of_rows(shape), dim3(COLUMNS, STEP)>>>(rows, shape.width, shape.height, pitch);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy2DAsync(out, shape.pitch, rows, pitch, bytes, shape.height, cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(rows));
}

/* ------------------------------------------------------------------------------------------- rows: given */

/* Each thread sums `height` values. The array is float a[width][height], so each thread walks along its own row. */
__global__ void rows_kernel(float *out, const float *a, int width, int height)
{
    int i = thread_id();
    float sum = 0;
    if (i >= width)
        return;
    for (int k = 0; k < height; k++)
        sum += a[(size_t)i * height + k];
    out[i] = sum;
}

void walk_rows(float *out, const float *in, struct shape shape)
{
    rows_kernel<<<blocks_for(shape.width, BLOCK), BLOCK>>>(out, in, shape.width, shape.height);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- column */

/* The layout is transposed, so a thread goes down and its warp stands side by side in each step. Unrolling keeps ten
 * loads under way; the additions stay in order. */
__global__ void column_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height,
                              size_t stride)
{
    int i = thread_id();
    if (i >= width)
        return;
    float sum = 0;
#pragma unroll 10
    for (int k = 0; k < height; k++)
        sum += in[k * stride + i];
    out[i] = sum;
}

void walk_column(float *out, const float *in, struct shape shape)
{
    size_t stride = shape.pitch / sizeof *in;
    column_kernel<<<blocks_for(shape.width, BLOCK), BLOCK>>>(out, in, shape.width, shape.height, stride);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- nested: given */

/* A 4-D array a[n3][n2][n1][n0]: three indexes come from the thread, the fastest from a loop. Each thread walks along its
 * own line. */
__global__ void nested_kernel(float *out, const float *in, int n0, int n1, int n2, int lines)
{
    int line = thread_id();
    if (line >= lines)
        return;
    int i1 = line % n1, i2 = line / n1 % n2, i3 = line / n1 / n2;
    for (int i0 = 0; i0 < n0; i0++)
        out[(size_t)line * n0 + i0] = in[(size_t)line * n0 + i0] + (float)(i0 + 2 * i1 + 3 * i2 + 4 * i3);
}

void walk_nested(float *out, const float *in, struct shape shape)
{
    const int *n = shape.n;
    int lines = n[1] * n[2] * n[3];
    nested_kernel<<<blocks_for(lines, BLOCK), BLOCK>>>(out, in, n[0], n[1], n[2], lines);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- flat */

/* The four indexes of an element, kept from one step to the next. */
struct index4 {
    unsigned i[4];
};

/* Division is a subroutine of some twenty instructions. Three of them per element would take longer than the memory, so
 * a thread splits its first index only. */
__host__ __device__ struct index4 split(unsigned flat, unsigned n0, unsigned n1, unsigned n2)
{
    struct index4 at;
    at.i[0] = flat % n0, flat /= n0;
    at.i[1] = flat % n1, flat /= n1;
    at.i[2] = flat % n2;
    at.i[3] = flat / n2;
    return at;
}

/* Moves on by a step that is split like an index: the sum of two numbers digit by digit, with a carry of 1 at most. */
__device__ void advance(struct index4 *at, const struct index4 &step, unsigned n0, unsigned n1, unsigned n2)
{
    const unsigned n[3] = {n0, n1, n2};
    unsigned carry = 0;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        at->i[k] += step.i[k] + carry;
        carry = at->i[k] >= n[k];
        at->i[k] -= carry ? n[k] : 0;
    }
    at->i[3] += step.i[3] + carry;
}

__device__ float weight(const struct index4 *at)
{
    return (float)(at->i[0] + 2 * at->i[1] + 3 * at->i[2] + 4 * at->i[3]);
}

/* One flat index does the walking, so sizes and their order do not matter to the memory. */
__global__ void flat_kernel(float *__restrict__ out, const float *__restrict__ in, int n0, int n1, int n2,
                            struct index4 step, int count)
{
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
    float value[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * BLOCK < count)
            value[k] = in[first + k * BLOCK];
    struct index4 at = split(first, n0, n1, n2);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (first + k * BLOCK < count)
            out[first + k * BLOCK] = value[k] + weight(&at);
        advance(&at, step, n0, n1, n2);
    }
}

void walk_flat(float *out, const float *in, struct shape shape)
{
    const int *n = shape.n;
    int count = n[0] * n[1] * n[2] * n[3];
    struct index4 step = split(BLOCK, n[0], n[1], n[2]); /* the same for all threads */
    flat_kernel<<<blocks_for(count, BLOCK * EACH), BLOCK>>>(out, in, n[0], n[1], n[2], step, count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- vector */

constexpr int WIDE = 4; /* floats in a float4 */

/* Loads 16 bytes at once, which is legal only at a multiple of 16 bytes. `begin` is one of 128, so all vectors are
 * aligned, and every warp fills 16 whole sectors. A vector that hangs over either end is done float by float. */
__global__ void vector_kernel(float *__restrict__ out, const float *__restrict__ in, int begin, int offset,
                              int end)
{
    int i = begin + thread_id() * WIDE;
    if (i >= offset && i + WIDE <= end) {
        float4 v = *(const float4 *)(in + i);
        *(float4 *)(out + i) = make_float4(scaled(v.x), scaled(v.y), scaled(v.z), scaled(v.w));
        return;
    }
    for (int k = i; k < i + WIDE; k++)
        if (k >= offset && k < end)
            out[k] = scaled(in[k]);
}

void walk_vector(float *out, const float *in, struct shape shape)
{
    int begin = shape.offset / WARP * WARP, end = shape.offset + shape.count;
    vector_kernel<<<blocks_for(end - begin, BLOCK * WIDE), BLOCK>>>(out, in, begin, shape.offset, end);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- gather: given */

struct alignas(32) record {
    float x, y, z, vx, vy, vz, mass, charge;
};

/* Kinetic energy, and the energy of a charge in a field along (1, 1, 1). */
__device__ float total(const struct record &r)
{
    return energy(r.vx, r.vy, r.vz, r.mass) + r.charge * (r.x + r.y + r.z);
}

/* Records in random order, each field in its own array: the 32 records of a warp lie far from each other, so each of the
 * eight loads takes 32 sectors, with 4 useful bytes in each. */
__global__ void gather_kernel(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ index,
                              size_t stride, int count)
{
    int i = thread_id();
    if (i >= count)
        return;
    const float *p = in + index[i];
    struct record r = {p[0],          p[stride],     p[2 * stride], p[3 * stride],
                       p[4 * stride], p[5 * stride], p[6 * stride], p[7 * stride]};
    out[i] = total(r);
}

void walk_gather(float *out, const float *in, struct shape shape)
{
    size_t stride = shape.pitch / sizeof *in;
    gather_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.index, stride, shape.count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- records */

/* A record is one sector. Its type is aligned, so the compiler loads it in two pieces of 16 bytes: two requests for the same
 * 32 sectors, the second of which L1 answers. Here the array of structures is the better layout: whoever comes at random
 * should find all that is needed in one place. */
__global__ void records_kernel(float *__restrict__ out, const struct record *__restrict__ records,
                               const int *__restrict__ index, int count)
{
    int i = thread_id();
    if (i >= count)
        return;
    struct record r = records[index[i]];
    out[i] = total(r);
}

void walk_records(float *out, const float *in, struct shape shape)
{
    const struct record *records = (const struct record *)in;
    records_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, records, shape.index, shape.count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- every */

/* A sector has 8 floats: with a stride of 8 or more, each lane has one of its own. */
constexpr int knee = 8;

__global__ void every_kernel(float *__restrict__ out, const float *__restrict__ in, int stride, int count)
{
    int k = thread_id();
    if (k >= count)
        return;
    size_t i = (size_t)k * stride;
    out[i] = scaled(in[i]);
}

void walk_every(float *out, const float *in, struct shape shape)
{
    every_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.stride, shape.count);
    give_answers(shape, {{choice_of_power(knee)}}, 1);
    CHECK_LAUNCH();
}
