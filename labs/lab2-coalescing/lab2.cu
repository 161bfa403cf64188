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

/* TODO 1 (handout section 2): the same walk with neighbouring threads on neighbouring elements.
 *   in:   count elements at `in`
 *   out:  out[i] = scaled(in[i]) for every i < count
 *   goal: 32-byte sectors loaded and stored = count / 8, an eighth of what strided_kernel needs
 * Several elements per thread make it faster still; each block then covers more elements, and the grid needs fewer blocks. */
__global__ void unit_kernel(float *out, const float *in, int count)
{
}

void walk_unit(float *out, const float *in, struct shape shape)
{
    unit_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.count);
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

/* TODO 2 (handout section 3): the walk begins `offset` elements after an aligned address; let its warps begin aligned.
 *   in:   in[offset] to in[offset + count - 1]; in[0] is aligned to 256 bytes
 *   out:  out[i] = scaled(in[i]) for the same i; elements before the offset stay as they are
 *   goal: sectors loaded and stored = count / 8: four per warp, not five
 * The launch below has a thread for each of the count elements, but none for those before the offset. */
__global__ void aligned_kernel(float *out, const float *in, int offset, int count)
{
}

void walk_aligned(float *out, const float *in, struct shape shape)
{
    aligned_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.offset, shape.count);
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

/* TODO 3 (handout section 4): the same particles as a structure of arrays. Declare `struct particles` with a pointer for
 * each field that is used, set them in walk_soa, and pass the structure to the kernel by value, as a new parameter.
 *   in:   seven arrays of count floats in the order of struct particle; each begins pitch BYTES after the one before
 *   out:  out[i] = energy() of particle i, for every i < count
 *   goal: sectors loaded = 4 * count / 8 */
__global__ void soa_kernel(float *out, int count)
{
}

void walk_soa(float *out, const float *in, struct shape shape)
{
    (void)in;
    soa_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, shape.count);
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

/* TODO 4 (handout section 5): the same walk along the rows.
 *   in:   height rows of width floats; row y begins y * pitch BYTES after the start of the array, in `in` and in `out`
 *   out:  element x of row y of `out` = scaled() of the same element of `in`; the padding stays as it is
 *   goal: sectors loaded and stored = width * height / 8: each warp stays in one row
 * Choose the shapes of block and grid yourself. There may be 70000 rows. */
__global__ void pitched_kernel(float *out, const float *in, int width, int height, size_t pitch)
{
}

void walk_pitched(float *out, const float *in, struct shape shape)
{
    dim3 block(1, 1), grid(1, 1);
    pitched_kernel<<<grid, block>>>(out, in, shape.width, shape.height, shape.pitch);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- allocated */

/* TODO 5 (handout section 6): the same walk, but `in` and `out` are not padded: allocate rows with cudaMallocPitch, copy
 * `in` there with cudaMemcpy2DAsync, walk over them (in place, or into a second such array), copy them to `out`, free them.
 *   in:   height rows of width floats without padding: shape.pitch is width * sizeof(float)
 *   out:  the same elements scaled(), without padding
 *   goal: sectors loaded and stored by the kernel = width * height / 8, as in stage pitched */
void walk_allocated(float *out, const float *in, struct shape shape)
{
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

/* TODO 6 (handout section 7): the same sums, but the data lies transposed: float a[height][width], with padded rows.
 *   in:   height rows of width floats; row k begins k * pitch BYTES after `in`
 *   out:  out[i] = the sum of element i of all rows, for every i < width (not padded)
 *   goal: sectors loaded = width * height / 8 */
__global__ void column_kernel(float *out, const float *in, int width, int height, size_t pitch)
{
}

void walk_column(float *out, const float *in, struct shape shape)
{
    column_kernel<<<blocks_for(shape.width, BLOCK), BLOCK>>>(out, in, shape.width, shape.height, shape.pitch);
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

/* TODO 7 (handout section 8): the same array under one index; count is the number of its elements.
 *   in:   the elements of a[n3][n2][n1][n0] without padding, i0 fastest
 *   out:  a[i3][i2][i1][i0] + (i0 + 2 * i1 + 3 * i2 + 4 * i3), at the same places
 *   goal: sectors loaded and stored = elements / 8, whatever the sizes are */
__global__ void flat_kernel(float *out, const float *in, int n0, int n1, int n2, int count)
{
}

void walk_flat(float *out, const float *in, struct shape shape)
{
    const int *n = shape.n;
    int count = n[0] * n[1] * n[2] * n[3];
    flat_kernel<<<blocks_for(count, BLOCK), BLOCK>>>(out, in, n[0], n[1], n[2], count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- vector */

/* TODO 8 (handout section 9): stage aligned again, with 16 bytes per thread: float4 for all that lies in whole vectors,
 * single floats for the rest at both ends.
 *   in:   in[offset] to in[offset + count - 1]; in[0] and out[0] are aligned to 256 bytes
 *   out:  out[i] = scaled(in[i]) for the same i; elements before the offset stay as they are
 *   goal: 16 sectors per load request, and a quarter of the requests; a quarter of the threads is enough, too */
__global__ void vector_kernel(float *out, const float *in, int offset, int count)
{
}

void walk_vector(float *out, const float *in, struct shape shape)
{
    vector_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.offset, shape.count);
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

/* TODO 9 (handout section 10): the same energies in random order, but a record's fields lie side by side.
 *   in:   shape.count structures of type record at `in`; shape.index (device memory): a record's number for each output
 *   out:  out[i] = total() of record index[i], for every i < count
 *   goal: 2 sectors per record, not 8: one sector holds the record, two loads of 16 bytes fetch it */
__global__ void records_kernel(float *out, const struct record *records, const int *index, int count)
{
}

void walk_records(float *out, const float *in, struct shape shape)
{
    const struct record *records = (const struct record *)in;
    records_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, records, shape.index, shape.count);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- every */

/* TODO 10 (handout section 13): a walk with a stride, and what you predict of it.
 *   in:   in[k * stride] for every k < count; an index of two ints may overflow: compute it as size_t
 *   out:  out[k * stride] = scaled(in[k * stride]); what lies between stays as it is
 *   goal: sectors loaded and stored = those that hold an element
 * Before you run it: write down from which stride on no lane of a warp shares a sector with another, and set `knee` to that.
 * Then look: build/lab2 every --sweep o=1..64 */
constexpr int knee = 0; /* 1, 2, 4, 8, 16 or 32 */

__global__ void every_kernel(float *out, const float *in, int stride, int count)
{
}

void walk_every(float *out, const float *in, struct shape shape)
{
    every_kernel<<<blocks_for(shape.count, BLOCK), BLOCK>>>(out, in, shape.stride, shape.count);
    give_answers(shape, {{choice_of_power(knee)}}, 1);
    CHECK_LAUNCH();
}
