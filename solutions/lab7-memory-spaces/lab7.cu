/* lab7.cu - memory spaces, solved.
 * A given kernel keeps its data in one kind of memory; the stages after it move that data to another. work.h has the
 * functions and constants that all kernels use: do not change it. lab7.h describes struct task.
 *     ./grade lab7 --solution */
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

/* All lanes of a warp want the same coefficient at the same time: one broadcast, and no load instruction, because an
 * arithmetic instruction can take one operand from constant memory. */
__constant__ float constant_taps[TAPS];

__global__ void filter_constant(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += constant_taps[k] * in[i + k];
    out[i] = sum;
}

void spaces_constant(struct task task)
{
    CHECK(cudaMemcpyToSymbol(constant_taps, task.table, sizeof constant_taps, 0, cudaMemcpyDeviceToDevice));
    filter_constant<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 3: read_only --------------------------------------------------------------------------------- */

/* const alone is not enough: only __restrict__ promises that no store of this kernel changes what the pointers point to. */
__global__ void filter_read_only(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ taps,
                                 int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * in[i + k];
    out[i] = sum;
}

void spaces_read_only(struct task task)
{
    filter_read_only<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.table, task.n);
    CHECK_LAUNCH();
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

/* 32 lanes look up 32 different entries: constant memory gives out one word per turn, shared memory one word per bank. */
__global__ void look_up_shared(float *out, const float *in, const float *table, int n)
{
    __shared__ float entries[ENTRIES];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (int k = threadIdx.x; k < ENTRIES; k += BLOCK)
        entries[k] = table[k];
    __syncthreads();
    if (i >= n)
        return;
    int entry = first_entry(in[i], ENTRIES);
    float sum = 0;
    for (int k = 0; k < LOOKUPS; k++) {
        float value = entries[entry];
        sum += value;
        entry = next_entry(entry, value, ENTRIES);
    }
    out[i] = sum;
}

void spaces_moved(struct task task)
{
    look_up_shared<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.table, task.n);
    CHECK_LAUNCH();
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

/* The texture unit clamps; what lies between the pixels is still computed here. */
__global__ void zoom_clamped(float *out, cudaTextureObject_t picture, int n, int m)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x;
    for (int y = blockIdx.y * SIDE_Y + threadIdx.y; x < n && y < m; y += gridDim.y * SIDE_Y) {
        float left = source_of(x) - 0.5f, top = source_of(y) - 0.5f;
        float column = floorf(left), row = floorf(top);
        float upper = mix(tex2D<float>(picture, column + 0.5f, row + 0.5f), tex2D<float>(picture, column + 1.5f, row + 0.5f),
                          left - column);
        float lower = mix(tex2D<float>(picture, column + 0.5f, row + 1.5f), tex2D<float>(picture, column + 1.5f, row + 1.5f),
                          left - column);
        out[(size_t)y * n + x] = mix(upper, lower, top - row);
    }
}

static cudaTextureObject_t make_texture(cudaResourceDesc resource, cudaTextureFilterMode filter)
{
    cudaTextureDesc sampling = {};
    cudaTextureObject_t texture;
    sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
    sampling.filterMode = filter;
    sampling.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    return texture;
}

/* Rows in ordinary memory: nothing is copied. */
void spaces_texture(struct task task)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void *)task.in;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = source_size(task.n);
    resource.res.pitch2D.height = source_size(task.m);
    resource.res.pitch2D.pitchInBytes = task.pitch * sizeof(float);
    cudaTextureObject_t picture = make_texture(resource, cudaFilterModePoint);
    zoom_clamped<<<picture_grid(task), dim3(SIDE_X, SIDE_Y)>>>(task.out, picture, task.n, task.m);
    CHECK_LAUNCH();
    CHECK(cudaDestroyTextureObject(picture));
}

/* ---- stage 8: filter ------------------------------------------------------------------------------------ */

/* One fetch brings four pixels, already mixed, with eight bits of each fraction. */
__global__ void zoom_filtered(float *out, cudaTextureObject_t picture, int n, int m)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x;
    for (int y = blockIdx.y * SIDE_Y + threadIdx.y; x < n && y < m; y += gridDim.y * SIDE_Y)
        out[(size_t)y * n + x] = tex2D<float>(picture, source_of(x), source_of(y));
}

/* An array keeps neighbours of both directions close together. */
void spaces_filter(struct task task)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const size_t width = source_size(task.n), height = source_size(task.m);
    cudaResourceDesc resource = {};
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, task.in, task.pitch * sizeof(float), width * sizeof(float), height,
                              cudaMemcpyDeviceToDevice));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t picture = make_texture(resource, cudaFilterModeLinear);
    zoom_filtered<<<picture_grid(task), dim3(SIDE_X, SIDE_Y)>>>(task.out, picture, task.n, task.m);
    CHECK_LAUNCH();
    CHECK(cudaDestroyTextureObject(picture));
    CHECK(cudaFreeArray(array));
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

/* Sixteen selections in place of one store, but every index is a number that nvcc knows, so each bin is a register. */
__global__ void bins_registers(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float bins[BINS] = {}, most = 0;
    for (int k = 0; k < VALUES; k++) {
        float value = in[(size_t)k * n + i];
        int bin = bin_of(value);
#pragma unroll
        for (int b = 0; b < BINS; b++)
            bins[b] += b == bin ? value : 0;
    }
#pragma unroll
    for (int b = 0; b < BINS; b++)
        most = fmaxf(most, bins[b]);
    out[i] = most;
}

void spaces_registers(struct task task)
{
    bins_registers<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 11: columns ---------------------------------------------------------------------------------- */

/* Thread t uses column t: whatever bins its lanes want, they are in 32 different banks. */
__global__ void bins_columns(float *out, const float *in, int n)
{
    __shared__ float bins[BINS][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    if (i >= n)
        return;
    float most = 0;
    for (int b = 0; b < BINS; b++)
        bins[b][t] = 0;
    for (int k = 0; k < VALUES; k++) {
        float value = in[(size_t)k * n + i];
        bins[bin_of(value)][t] += value;
    }
    for (int b = 0; b < BINS; b++)
        most = fmaxf(most, bins[b][t]);
    out[i] = most;
}

void spaces_columns(struct task task)
{
    bins_columns<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
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

enum { COLUMNS = BLOCK / RADIX }; /* of a block: a warp has one group of 8 points of each */

/* 8 threads share a column, 8 points each: first those of a group, then, through shared memory, one of each group. A warp's lanes
 * have neighbouring columns, in global memory and in 32 banks. */
__global__ void transform_shared(float *out, const float *in, int n)
{
    __shared__ float points[POINTS][COLUMNS];
    int c = threadIdx.x % COLUMNS, group = threadIdx.x / COLUMNS, i = blockIdx.x * COLUMNS + c;
    float x[RADIX];
#pragma unroll
    for (int k = 0; k < RADIX; k++)
        x[k] = i < n ? in[(size_t)(group * RADIX + k) * n + i] : 0;
    transform<RADIX>(x);
#pragma unroll
    for (int k = 0; k < RADIX; k++)
        points[group * RADIX + k][c] = x[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < RADIX; k++)
        x[k] = points[k * RADIX + group][c];
    transform<RADIX>(x);
#pragma unroll
    for (int k = 0; k < RADIX; k++)
        if (i < n)
            out[(size_t)(k * RADIX + group) * n + i] = x[k];
}

void spaces_spill(struct task task)
{
    transform_shared<<<blocks_for(task.n, COLUMNS), BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
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

/* 16 KB fit the L1 cache of an SM, 16 MB the L2 cache of the GPU, 256 MB neither. A sector is 8 floats: 32 neighbours lie in 4
 * of them, 32 strangers in 32. */
static const struct answers gather_answers = {{FROM_L1, FROM_L2, FROM_DRAM, ABOUT_32, ABOUT_4}};

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

extern __shared__ float large_entries[];

enum { MANY = 1024 }; /* threads of a block that shares one copy of the table */

__global__ void look_up_large_shared(float *out, const float *in, const float *table, int n)
{
    for (int k = threadIdx.x; k < LARGE_ENTRIES; k += MANY)
        large_entries[k] = table[k];
    __syncthreads();
    for (int i = blockIdx.x * MANY + threadIdx.x; i < n; i += gridDim.x * MANY) {
        int entry = first_entry(in[i], LARGE_ENTRIES);
        float sum = 0;
        for (int k = 0; k < LOOKUPS; k++) {
            float value = large_entries[entry];
            sum += value;
            entry = next_entry(entry, value, LARGE_ENTRIES);
        }
        out[i] = sum;
    }
}

/* How many blocks of this kernel the GPU holds at once: lab 6, section 2. Ask after cudaFuncSetAttribute(). */
template <typename kernel> static int blocks_at_once(kernel function, int threads, size_t bytes)
{
    int sms, per_sm;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, function, threads, bytes));
    return sms * per_sm;
}

/* Every block copies the table, so there are no more blocks than run at once. GPUs from before 2017 have 48 KB and no more. */
void spaces_large_shared(struct task task)
{
    const int bytes = LARGE_ENTRIES * sizeof(float), needed = blocks_for(task.n, MANY);
    int has;
    CHECK(cudaDeviceGetAttribute(&has, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (has < bytes) {
        look_up_large<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.table, task.n);
    } else {
        CHECK(cudaFuncSetAttribute(look_up_large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        int most = blocks_at_once(look_up_large_shared, MANY, bytes);
        look_up_large_shared<<<most < needed ? most : needed, MANY, bytes>>>(task.out, task.in, task.table, task.n);
    }
    CHECK_LAUNCH();
}
