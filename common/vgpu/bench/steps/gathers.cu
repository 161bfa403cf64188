/* gathers.cu - how the lanes of a warp share a memory access: one address for all, a row each or a row
 * together, structures or arrays, columns in long or short chunks; and small arrays of each thread's own.
 * Within a family all steps read the same words; what differs is which lane asks for which, and how wide. */
#include "steps.h"

enum { BLOCK = 256, LANES = 32 };

static int n;
static struct steps_array in, out;

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* What one load of WIDTH words brings. */
template <int WIDTH> struct wide_words;
template <> struct wide_words<1> {
    typedef float type;
};
template <> struct wide_words<2> {
    typedef float2 type;
};
template <> struct wide_words<4> {
    typedef float4 type;
};

template <int WIDTH> __device__ static void load_wide(float *to, const float *from)
{
    typename wide_words<WIDTH>::type loaded = *(const typename wide_words<WIDTH>::type *)from;
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        to[k] = ((const float *)&loaded)[k];
}

template <int WIDTH> __device__ static void store_wide(float *to, const float *from)
{
    typename wide_words<WIDTH>::type stored;
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        ((float *)&stored)[k] = from[k];
    *(typename wide_words<WIDTH>::type *)to = stored;
}

/* ------------------------------------------------------------------------------ one address for all lanes */

enum { TERMS = 256 };

/* A warp has a polynomial, each lane another point. */
__host__ __device__ static float point_of(int lane)
{
    return (lane + 1) * (0.75f / LANES);
}

template <int WIDTH> __global__ void horner_uniform(float *out, const float *terms, int n)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, row = t / LANES;
    if (row >= n)
        return;
    float value = 0, x = point_of(t % LANES);
    for (int k = 0; k < TERMS; k += WIDTH) {
        float term[WIDTH];
        load_wide<WIDTH>(term, &terms[row * TERMS + k]);
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            value = value * x + term[w];
    }
    out[t] = value;
}

/* Every lane loads its part, and tells the others. */
template <int WIDTH> __global__ void horner_per_lane(float *out, const float *terms, int n)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, row = t / LANES, lane = t % LANES;
    if (row >= n)
        return;
    float value = 0, x = point_of(lane);
    for (int k = 0; k < TERMS; k += LANES * WIDTH) {
        float term[WIDTH];
        load_wide<WIDTH>(term, &terms[row * TERMS + k + lane * WIDTH]);
        for (int from = 0; from < LANES; from++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                value = value * x + __shfl_sync(~0u, term[w], from);
    }
    out[t] = value;
}

template <int WIDTH> __global__ void horner_shared(float *out, const float *terms, int n)
{
    __shared__ __align__(16) float own[BLOCK / LANES][TERMS];
    int t = blockIdx.x * BLOCK + threadIdx.x, row = t / LANES, lane = t % LANES, warp = threadIdx.x / LANES;
    if (row >= n)
        return;
    float value = 0, x = point_of(lane);
    for (int k = lane; k < TERMS; k += LANES)
        own[warp][k] = terms[row * TERMS + k];
    __syncwarp();
    for (int k = 0; k < TERMS; k += WIDTH) {
        float term[WIDTH];
        load_wide<WIDTH>(term, &own[warp][k]);
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            value = value * x + term[w];
    }
    out[t] = value;
}

typedef void plain_kernel(float *out, const float *in, int n);

/* PER threads for each of n. */
template <plain_kernel *KERNEL, int PER, int THREADS> static void launch_plain(void)
{
    KERNEL<<<steps_blocks((size_t)n * PER, THREADS), THREADS>>>(out.device, in.device, n);
}

static void prepare_horner(int size)
{
    n = size;
    in = steps_input((size_t)n * TERMS, 41);
    out = steps_output((size_t)n * LANES);
}

static void horner_reference(float *expected)
{
    for (int t = 0; t < n * LANES; t++) {
        double value = 0;
        for (int k = 0; k < TERMS; k++)
            value = value * point_of(t % LANES) + in.host[t / LANES * TERMS + k];
        expected[t] = (float)value;
    }
}

static const struct step broadcast_steps[] = {
    {"words", launch_plain<horner_uniform<1>, LANES, BLOCK>},
    {"pairs", launch_plain<horner_uniform<2>, LANES, BLOCK>},
    {"quads", launch_plain<horner_uniform<4>, LANES, BLOCK>},
    {"per_lane", launch_plain<horner_per_lane<1>, LANES, BLOCK>},
    {"per_lane_quads", launch_plain<horner_per_lane<4>, LANES, BLOCK>},
    {"shared", launch_plain<horner_shared<1>, LANES, BLOCK>},
    {"shared_quads", launch_plain<horner_shared<4>, LANES, BLOCK>},
};
const struct step_family broadcast_family = {
    "broadcast", broadcast_steps, STEPS_COUNT(broadcast_steps), 1 << 15, 101, 1e-4, prepare_horner, finish,
    &out, horner_reference};

/* ------------------------------------------------------------------------------- arrays of a thread's own */

enum { SWAPS = 64, SWAP_BLOCK = 128 };

__host__ __device__ static unsigned next_random(unsigned random)
{
    return random * 1664525u + 1013904223u;
}

/* Indexes known only at run time: the array lies in local memory. */
template <int WORDS> struct own_local {
    float words[WORDS];
    __host__ __device__ float get(int i) const
    {
        return words[i];
    }
    __host__ __device__ void set(int i, float value)
    {
        words[i] = value;
    }
};

/* Registers: every word is looked at, and one is taken. */
template <int WORDS> struct own_selected {
    float words[WORDS];
    __device__ float get(int i) const
    {
        float value = words[0];
#pragma unroll
        for (int k = 1; k < WORDS; k++) {
            float word = words[k];
            value = k == i ? word : value;
        }
        return value;
    }
    __device__ void set(int i, float value)
    {
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            float word = words[k];
            words[k] = k == i ? value : word;
        }
    }
};

/* A column of shared memory: no two lanes share a bank. */
template <int WORDS> struct own_shared {
    __device__ static float *column(void)
    {
        __shared__ float words[WORDS * SWAP_BLOCK];
        return words + threadIdx.x;
    }
    __device__ float get(int i) const
    {
        return column()[i * SWAP_BLOCK];
    }
    __device__ void set(int i, float value)
    {
        column()[i * SWAP_BLOCK] = value;
    }
};

/* Reads column i of `in`, exchanges words at random, and weighs what stands where. */
template <int WORDS, class OWN>
__host__ __device__ static float swap_words(OWN &own, const float *in, int i, int n)
{
    float sum = 0;
    unsigned random = i * 2654435761u;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        own.set(k, in[(size_t)k * n + i]);
#pragma unroll 1
    for (int turn = 0; turn < SWAPS; turn++) {
        random = next_random(random);
        int p = (random >> 10) % WORDS, q = (random >> 20) % WORDS;
        float from_p = own.get(p), from_q = own.get(q);
        own.set(p, from_q);
        own.set(q, from_p);
    }
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        sum += own.get(k) * ((k + 1) * (1.0f / WORDS));
    return sum;
}

template <int WORDS, class OWN> __global__ void swap_all(float *out, const float *in, int n)
{
    int i = blockIdx.x * SWAP_BLOCK + threadIdx.x;
    OWN own;
    if (i < n)
        out[i] = swap_words<WORDS>(own, in, i, n);
}

template <int WORDS> static void prepare_swaps(int size)
{
    n = size;
    in = steps_input((size_t)n * WORDS, 42);
    out = steps_output(n);
}

template <int WORDS> static void swaps_reference(float *expected)
{
    struct own_local<WORDS> own;
    for (int i = 0; i < n; i++)
        expected[i] = swap_words<WORDS>(own, in.host, i, n);
}

template <int WORDS>
static const struct step swap_steps[] = {
    {"local", launch_plain<swap_all<WORDS, own_local<WORDS>>, 1, SWAP_BLOCK>},
    {"selected", launch_plain<swap_all<WORDS, own_selected<WORDS>>, 1, SWAP_BLOCK>},
    {"shared", launch_plain<swap_all<WORDS, own_shared<WORDS>>, 1, SWAP_BLOCK>},
};
const struct step_family swaps8_family = {
    "swaps8", swap_steps<8>, 3, 1 << 19, 1001, 1e-4, prepare_swaps<8>, finish, &out, swaps_reference<8>};
const struct step_family swaps16_family = {
    "swaps16", swap_steps<16>, 3, 1 << 19, 1001, 1e-4, prepare_swaps<16>, finish, &out, swaps_reference<16>};
const struct step_family swaps64_family = {
    "swaps64", swap_steps<64>, 3, 1 << 18, 1001, 1e-4, prepare_swaps<64>, finish, &out, swaps_reference<64>};

/* --------------------------------------------------------------------------------------------------- rows */

static int *indexes, *host_indexes;

/* Adds up n rows of WORDS words. TOGETHER lanes share a row; each load brings WIDTH words. */
template <int WORDS, int TOGETHER, int WIDTH>
__global__ void add_rows(float *out, const float *in, const int *indexes, int n)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, i = t / TOGETHER, lane = t % TOGETHER;
    const float *row = &in[(size_t)indexes[min(i, n - 1)] * WORDS];
    float sum = 0;
    for (int k = lane * WIDTH; k < WORDS; k += TOGETHER * WIDTH) {
        float word[WIDTH];
        load_wide<WIDTH>(word, &row[k]);
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            sum += word[w];
    }
#pragma unroll
    for (int apart = TOGETHER / 2; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(~0u, sum, apart);
    if (lane == 0 && i < n)
        out[i] = sum;
}

template <int WORDS, int TOGETHER, int WIDTH> static void launch_rows(void)
{
    add_rows<WORDS, TOGETHER, WIDTH>
        <<<steps_blocks((size_t)n * TOGETHER, BLOCK), BLOCK>>>(out.device, in.device, indexes, n);
}

static void sort_indexes(void)
{
    int *count = (int *)calloc(n, sizeof(int)), filled = 0;
    if (!count)
        exit(2);
    for (int i = 0; i < n; i++)
        count[host_indexes[i]]++;
    for (int row = 0; row < n; row++)
        for (; count[row] > 0; count[row]--)
            host_indexes[filled++] = row;
    free(count);
}

template <int WORDS, bool IS_SORTED> static void prepare_rows(int size)
{
    n = size;
    in = steps_input((size_t)n * WORDS, 43);
    out = steps_output(n);
    host_indexes = (int *)malloc(n * sizeof(int));
    if (!host_indexes)
        exit(2);
    for (int i = 0; i < n; i++)
        host_indexes[i] = (int)(steps_value(i, 44) * n);
    if (IS_SORTED)
        sort_indexes();
    STEPS_CHECK(cudaMalloc((void **)&indexes, n * sizeof(int)));
    STEPS_CHECK(cudaMemcpy(indexes, host_indexes, n * sizeof(int), cudaMemcpyHostToDevice));
}

static void finish_rows(void)
{
    finish();
    STEPS_CHECK(cudaFree(indexes));
    free(host_indexes);
}

template <int WORDS> static void rows_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < WORDS; k++)
            sum += in.host[(size_t)host_indexes[i] * WORDS + k];
        expected[i] = (float)sum;
    }
}

template <int WORDS>
static const struct step row_steps[] = {
    {"thread", launch_rows<WORDS, 1, 1>},
    {"thread_quads", launch_rows<WORDS, 1, 4>},
    {"lanes8", launch_rows<WORDS, 8, 1>},
    {"warp", launch_rows<WORDS, LANES, 1>},
    {"quads", launch_rows<WORDS, WORDS / 4 < LANES ? WORDS / 4 : LANES, 4>},
};
template <int WORDS, bool IS_SORTED> static struct step_family family_of_rows(const char *name, int size)
{
    return {name, row_steps<WORDS>, 5, size, 1001, 1e-3, prepare_rows<WORDS, IS_SORTED>, finish_rows, &out,
            rows_reference<WORDS>};
}

const struct step_family rows8_family = family_of_rows<8, false>("rows8", 1 << 22);
const struct step_family rows8_sorted_family = family_of_rows<8, true>("rows8_sorted", 1 << 22);
const struct step_family rows32_family = family_of_rows<32, false>("rows32", 1 << 20);
const struct step_family rows32_sorted_family = family_of_rows<32, true>("rows32_sorted", 1 << 20);
const struct step_family rows128_family = family_of_rows<128, false>("rows128", 1 << 18);
const struct step_family rows128_sorted_family = family_of_rows<128, true>("rows128_sorted", 1 << 18);

/* --------------------------------------------------------------------------------------------- structures */

/* A structure has WORDS members, of which the first USED are read. */
template <int WORDS, int USED, int WIDTH> __global__ void read_structures(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float members[USED], sum = 0;
#pragma unroll
    for (int k = 0; k < USED; k += WIDTH)
        load_wide<WIDTH>(&members[k], &in[(size_t)i * WORDS + k]);
#pragma unroll
    for (int k = 0; k < USED; k++)
        sum += members[k] * (k + 1);
    out[i] = sum;
}

/* An array per member. */
template <int USED> __global__ void read_arrays(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < USED; k++)
        sum += in[(size_t)k * n + i] * (k + 1);
    out[i] = sum;
}

/* One word more per WORDS, so that neighbours do not meet in a bank. */
template <int WORDS> __device__ static int staged_place(int word)
{
    return word + word / WORDS;
}

/* The block copies its structures as they lie; then each thread reads its own. */
template <int WORDS> __global__ void read_staged(float *out, const float *in, int n)
{
    __shared__ float staged[BLOCK * (WORDS + 1)];
    int t = threadIdx.x, first = blockIdx.x * BLOCK, count = min(BLOCK, n - first);
    for (int k = t; k < count * WORDS; k += BLOCK)
        staged[staged_place<WORDS>(k)] = in[(size_t)first * WORDS + k];
    __syncthreads();
    if (t >= count)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        sum += staged[staged_place<WORDS>(t * WORDS + k)] * (k + 1);
    out[first + t] = sum;
}

static struct steps_array members; /* what is read of `in`, an array per member */

template <plain_kernel *KERNEL> static void launch_arrays(void)
{
    KERNEL<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, members.device, n);
}

template <int WORDS, int USED> static void prepare_structures(int size)
{
    n = size;
    in = steps_input((size_t)n * WORDS, 45);
    members = steps_input((size_t)n * USED, 45);
    out = steps_output(n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < USED; k++)
            members.host[(size_t)k * n + i] = in.host[(size_t)i * WORDS + k];
    steps_upload(&members);
}

static void finish_structures(void)
{
    finish();
    steps_free(&members);
}

template <int WORDS, int USED> static void structures_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < USED; k++)
            sum += (double)in.host[(size_t)i * WORDS + k] * (k + 1);
        expected[i] = (float)sum;
    }
}

template <int WORDS>
static const struct step structure_steps[] = {
    {"structures", launch_plain<read_structures<WORDS, WORDS, 1>, 1, BLOCK>},
    {"pairs", launch_plain<read_structures<WORDS, WORDS, 2>, 1, BLOCK>},
    {"quads", launch_plain<read_structures<WORDS, WORDS, 4>, 1, BLOCK>},
    {"arrays", launch_arrays<read_arrays<WORDS>>},
    {"staged", launch_plain<read_staged<WORDS>, 1, BLOCK>},
};
static const struct step two_of_16_steps[] = {
    {"structures", launch_plain<read_structures<16, 2, 1>, 1, BLOCK>},
    {"pairs", launch_plain<read_structures<16, 2, 2>, 1, BLOCK>},
    {"arrays", launch_arrays<read_arrays<2>>},
};
template <int WORDS, int USED>
static struct step_family family_of_structures(const char *name, const struct step *steps, int nsteps,
                                               int size)
{
    return {name, steps, nsteps, size, 1001, 1e-4, prepare_structures<WORDS, USED>, finish_structures, &out,
            structures_reference<WORDS, USED>};
}

const struct step_family structures4_family =
    family_of_structures<4, 4>("structures4", structure_steps<4>, 5, 1 << 23);
const struct step_family structures8_family =
    family_of_structures<8, 8>("structures8", structure_steps<8>, 5, 1 << 22);
const struct step_family structures16_family =
    family_of_structures<16, 16>("structures16", structure_steps<16>, 5, 1 << 21);
const struct step_family two_of_16_family =
    family_of_structures<16, 2>("two_of_16", two_of_16_steps, STEPS_COUNT(two_of_16_steps), 1 << 22);

/* ---- structures that are written: a position of four words, and a speed ---- */

enum { PARTICLE = 8 };

__host__ __device__ static void move_particle(float *x)
{
    for (int k = 0; k < PARTICLE / 2; k++) {
        x[k] += x[k + PARTICLE / 2] * 0.5f;
        x[k + PARTICLE / 2] *= 0.75f;
    }
}

template <int WIDTH> __global__ void move_structures(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float x[PARTICLE];
#pragma unroll
    for (int k = 0; k < PARTICLE; k += WIDTH)
        load_wide<WIDTH>(&x[k], &in[i * PARTICLE + k]);
    move_particle(x);
#pragma unroll
    for (int k = 0; k < PARTICLE; k += WIDTH)
        store_wide<WIDTH>(&out[i * PARTICLE + k], &x[k]);
}

/* In and out through shared memory. */
__global__ void move_staged(float *out, const float *in, int n)
{
    __shared__ float staged[BLOCK * (PARTICLE + 1)];
    int t = threadIdx.x, first = blockIdx.x * BLOCK, count = min(BLOCK, n - first) * PARTICLE;
    for (int k = t; k < count; k += BLOCK)
        staged[staged_place<PARTICLE>(k)] = in[first * PARTICLE + k];
    __syncthreads();
    if (first + t < n)
        move_particle(&staged[t * (PARTICLE + 1)]);
    __syncthreads();
    for (int k = t; k < count; k += BLOCK)
        out[first * PARTICLE + k] = staged[staged_place<PARTICLE>(k)];
}

static void prepare_particles(int size)
{
    n = size;
    in = steps_input((size_t)n * PARTICLE, 46);
    out = steps_output((size_t)n * PARTICLE);
}

static void particles_reference(float *expected)
{
    for (int i = 0; i < n * PARTICLE; i++)
        expected[i] = in.host[i];
    for (int i = 0; i < n; i++)
        move_particle(&expected[i * PARTICLE]);
}

static const struct step particles_steps[] = {
    {"structures", launch_plain<move_structures<1>, 1, BLOCK>},
    {"pairs", launch_plain<move_structures<2>, 1, BLOCK>},
    {"quads", launch_plain<move_structures<4>, 1, BLOCK>},
    {"staged", launch_plain<move_staged, 1, BLOCK>},
};
const struct step_family particles_family = {
    "particles", particles_steps, STEPS_COUNT(particles_steps), 1 << 22, 1001, 1e-5, prepare_particles,
    finish, &out, particles_reference};

/* ------------------------------------------------------------------------------------------------ columns */

enum { COLUMN_BLOCK = 128, TILE = 32, TILE_ROWS = 8 };

/* A thread walks CHUNK rows down its column of `in`: lanes read neighbours and write far apart. */
template <int CHUNK> __global__ void transpose_from_rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * COLUMN_BLOCK + threadIdx.x, first = blockIdx.y * CHUNK;
    if (x < n)
        for (int y = first; y < first + CHUNK && y < n; y++)
            out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

/* A thread walks CHUNK rows down its column of `out`: lanes read far apart and write neighbours. */
template <int CHUNK> __global__ void transpose_to_rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * COLUMN_BLOCK + threadIdx.x, first = blockIdx.y * CHUNK;
    if (x < n)
        for (int y = first; y < first + CHUNK && y < n; y++)
            out[(size_t)y * n + x] = in[(size_t)x * n + y];
}

/* Four words of a row in one access, where lanes are far apart. */
__global__ void transpose_from_rows_quads(float *out, const float *in, int n)
{
    int x = blockIdx.x * COLUMN_BLOCK + threadIdx.x, y = blockIdx.y * 4;
    float column[4];
    if (x >= n)
        return;
#pragma unroll
    for (int k = 0; k < 4; k++)
        column[k] = in[(size_t)(y + k) * n + x];
    store_wide<4>(&out[(size_t)x * n + y], column);
}

__global__ void transpose_to_rows_quads(float *out, const float *in, int n)
{
    int x = blockIdx.x * COLUMN_BLOCK + threadIdx.x, y = blockIdx.y * 4;
    float column[4];
    if (x >= n)
        return;
    load_wide<4>(column, &in[(size_t)x * n + y]);
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[(size_t)(y + k) * n + x] = column[k];
}

__global__ void transpose_by_tiles(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE, tx = threadIdx.x;
    for (int ty = threadIdx.y; ty < TILE; ty += TILE_ROWS)
        if (left + tx < n && top + ty < n)
            tile[ty][tx] = in[(size_t)(top + ty) * n + left + tx];
    __syncthreads();
    for (int ty = threadIdx.y; ty < TILE; ty += TILE_ROWS)
        if (top + tx < n && left + ty < n)
            out[(size_t)(left + ty) * n + top + tx] = tile[tx][ty];
}

template <plain_kernel *KERNEL, int CHUNK> static void launch_columns(void)
{
    dim3 grid(steps_blocks(n, COLUMN_BLOCK), steps_blocks(n, CHUNK));
    KERNEL<<<grid, COLUMN_BLOCK>>>(out.device, in.device, n);
}

static void launch_tiles(void)
{
    dim3 grid(steps_blocks(n, TILE), steps_blocks(n, TILE)), block(TILE, TILE_ROWS);
    transpose_by_tiles<<<grid, block>>>(out.device, in.device, n);
}

static void prepare_columns(int size)
{
    n = size;
    in = steps_input((size_t)n * n, 47);
    out = steps_output((size_t)n * n);
}

static void columns_reference(float *expected)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            expected[(size_t)x * n + y] = in.host[(size_t)y * n + x];
}

static const struct step from_rows_steps[] = {
    {"rows1", launch_columns<transpose_from_rows<1>, 1>},
    {"rows4", launch_columns<transpose_from_rows<4>, 4>},
    {"rows8", launch_columns<transpose_from_rows<8>, 8>},
    {"rows32", launch_columns<transpose_from_rows<32>, 32>},
    {"rows128", launch_columns<transpose_from_rows<128>, 128>},
    {"quads", launch_columns<transpose_from_rows_quads, 4>, 4},
    {"tiles", launch_tiles},
};
static const struct step to_rows_steps[] = {
    {"rows1", launch_columns<transpose_to_rows<1>, 1>},
    {"rows4", launch_columns<transpose_to_rows<4>, 4>},
    {"rows8", launch_columns<transpose_to_rows<8>, 8>},
    {"rows32", launch_columns<transpose_to_rows<32>, 32>},
    {"rows128", launch_columns<transpose_to_rows<128>, 128>},
    {"quads", launch_columns<transpose_to_rows_quads, 4>, 4},
};
const struct step_family from_rows_family = {
    "from_rows", from_rows_steps, STEPS_COUNT(from_rows_steps), 4096, 301, 0, prepare_columns, finish, &out,
    columns_reference};
const struct step_family to_rows_family = {
    "to_rows", to_rows_steps, STEPS_COUNT(to_rows_steps), 4096, 301, 0, prepare_columns, finish, &out,
    columns_reference};
