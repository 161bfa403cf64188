/* random_words.cu - cuRAND's generators that make every number of one word: Sobol's sequences and MTGP32.
 * The i-th point of a Sobol sequence is computed from i, so that no thread waits for another. Numbers stand by dimensions: all points
 * of the first one, then all of the second.
 * MTGP32 is a row of states that take turns, 256 numbers each: S(0)'s, S(1)'s and so on; then each one's next 256.
 * Both are the toolkit's: its functions and its tables, in its order. */
#include "random.h"

#include <curand_mtgp32_host.h>

#include <cstdlib>
#include <cstring>
#include <type_traits>

/* ---------------------------------------------------------------------------------------- from a word to a number */

template <bool IS_NORMAL, class W> __host__ __device__ void convert(W word, unsigned *out)
{
    *out = (unsigned)word;
}

template <bool IS_NORMAL, class W> __host__ __device__ void convert(W word, unsigned long long *out)
{
    *out = word;
}

template <bool IS_NORMAL, class W> __host__ __device__ void convert(W word, float *out)
{
    *out = IS_NORMAL ? _curand_normal_icdf(word) : _curand_uniform(word);
}

template <bool IS_NORMAL, class W> __host__ __device__ void convert(W word, double *out)
{
    *out = IS_NORMAL ? _curand_normal_icdf_double(word) : _curand_uniform_double(word);
}

template <class T, bool IS_NORMAL, class W>
__host__ __device__ T number_of(W word, const struct request<T> &request)
{
    T number;
    convert<IS_NORMAL>(word, &number);
    if constexpr (IS_NORMAL)
        number = shaped(number, request);
    return number;
}

/* ---------------------------------------------------------------------------------------- Sobol */

/* What a dimension is made from: direction vectors, one for each bit of a word, and a constant that scrambles. */
template <class W> struct dimension {
    W vectors[8 * sizeof(W)];
    W constant;
};

__host__ __device__ inline void start_at(struct dimension<unsigned> *dimension, unsigned long long at,
                                         curandStateScrambledSobol32_t *state)
{
    curand_init(dimension->vectors, dimension->constant, (unsigned)at, state);
}

__host__ __device__ inline void start_at(struct dimension<unsigned long long> *dimension,
                                         unsigned long long at, curandStateScrambledSobol64_t *state)
{
    curand_init(dimension->vectors, dimension->constant, at, state);
}

template <class W> struct sobol;
template <> struct sobol<unsigned> {
    typedef curandStateScrambledSobol32_t state;
};
template <> struct sobol<unsigned long long> {
    typedef curandStateScrambledSobol64_t state;
};

/* A plain sequence is one that 0 scrambles. */
template <class W, class T, bool IS_NORMAL>
__host__ __device__ void make_point(struct dimension<W> *dimensions, size_t points,
                                    unsigned long long position, size_t i, const struct request<T> &request)
{
    typename sobol<W>::state state;
    start_at(&dimensions[i / points], position + i % points, &state);
    request.out[i] = number_of<T, IS_NORMAL>(curand(&state), request);
}

template <class W, class T, bool IS_NORMAL>
__global__ void __launch_bounds__(RANDOM_THREADS)
    sobol_numbers(struct dimension<W> *dimensions, size_t points, unsigned long long position,
                  const struct request<T> request)
{
    const size_t i = blockIdx.x * (size_t)RANDOM_THREADS + threadIdx.x;
    if (i < request.count)
        make_point<W, T, IS_NORMAL>(dimensions, points, position, i, request);
}

template <class W, class T, bool IS_NORMAL>
static curandStatus_t run_sobol(curandGenerator_t generator, struct request<T> request)
{
    if (std::is_integral_v<T> && sizeof(T) != sizeof(W))
        return CURAND_STATUS_TYPE_ERROR;
    if (request.count % generator->dimensions)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    const curandStatus_t status = generator->states ? CURAND_STATUS_SUCCESS : words_start(generator);
    if (status)
        return status;
    struct dimension<W> *dimensions = (struct dimension<W> *)generator->states;
    size_t points = request.count / generator->dimensions;
    unsigned long long position = generator->position;
    generator->position += points;
    void *arguments[] = {&dimensions, &points, &position, &request};
    if (!generator->is_host)
        return random_launch(generator, (const void *)sobol_numbers<W, T, IS_NORMAL>, request.count,
                             RANDOM_THREADS, arguments);
    for (size_t i = 0; i < request.count; i++)
        make_point<W, T, IS_NORMAL>(dimensions, points, position, i, request);
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t find_tables(bool is_scrambled, curandDirectionVectors32_t **vectors,
                                  unsigned **constants)
{
    const curandStatus_t status =
        curandGetDirectionVectors32(vectors, is_scrambled ? CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6
                                                          : CURAND_DIRECTION_VECTORS_32_JOEKUO6);
    return status ? status : curandGetScrambleConstants32(constants);
}

static curandStatus_t find_tables(bool is_scrambled, curandDirectionVectors64_t **vectors,
                                  unsigned long long **constants)
{
    const curandStatus_t status =
        curandGetDirectionVectors64(vectors, is_scrambled ? CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6
                                                          : CURAND_DIRECTION_VECTORS_64_JOEKUO6);
    return status ? status : curandGetScrambleConstants64(constants);
}

template <class W> static curandStatus_t start_sobol(curandGenerator_t generator, bool is_scrambled)
{
    W(*vectors)[8 * sizeof(W)], *constants;
    curandStatus_t status = find_tables(is_scrambled, &vectors, &constants);
    if (status)
        return status;
    const size_t size = generator->dimensions * sizeof(struct dimension<W>);
    struct dimension<W> *dimensions = (struct dimension<W> *)malloc(size);
    if (!dimensions)
        return CURAND_STATUS_ALLOCATION_FAILED;
    for (unsigned i = 0; i < generator->dimensions; i++) {
        memcpy(dimensions[i].vectors, vectors[i], sizeof vectors[i]);
        dimensions[i].constant = is_scrambled ? constants[i] : 0;
    }
    status = random_allocate(generator, size, dimensions);
    free(dimensions);
    return status;
}

/* ---------------------------------------------------------------------------------------- MTGP32 */

enum { EACH = 256, STATES = 192, LEGACY_STATES = 64 };

/* Parameters of all sequences, and where each one is. */
struct mtgp32 {
    mtgp32_kernel_params_t parameters;
    curandStateMtgp32_t states[STATES];
};

/* The word that comes `t` words after the last turn. Those of a turn need none of each other. */
__host__ __device__ inline unsigned next_word(mtgp32_kernel_params_t *parameters, curandStateMtgp32_t *state,
                                              int t)
{
    const int at = t + state->offset, position = parameters->pos_tbl[state->pIdx];
    const unsigned word =
        para_rec(parameters, state->s[at & MTGP32_STATE_MASK], state->s[(at + 1) & MTGP32_STATE_MASK],
                 state->s[(at + position) & MTGP32_STATE_MASK], state->pIdx);
    state->s[(at + MTGPDC_N) & MTGP32_STATE_MASK] = word;
    return temper(parameters, word, state->s[(at + position - 1) & MTGP32_STATE_MASK], state->pIdx);
}

template <class T, bool IS_NORMAL>
__host__ __device__ void put_number(unsigned word, size_t at, const struct request<T> &request)
{
    if (at >= request.skipped && at < request.skipped + request.count)
        request.out[at - request.skipped] = number_of<T, IS_NORMAL>(word, request);
}

/* A turn that is not given to its end is taken again by the next call. */
template <class T, bool IS_NORMAL>
__global__ void __launch_bounds__(EACH)
    mtgp32_numbers(struct mtgp32 *all, unsigned count, const struct request<T> request)
{
    __shared__ curandStateMtgp32_t state;
    const size_t end = request.skipped + request.count;
    curandStateMtgp32_t *mine = &all->states[(request.first + blockIdx.x) % count];
    for (int i = threadIdx.x; i < MTGP32_STATE_SIZE; i += EACH)
        state.s[i] = mine->s[i];
    if (threadIdx.x == 0)
        state.offset = mine->offset, state.pIdx = mine->pIdx;
    __syncthreads();
    for (size_t at = blockIdx.x * (size_t)EACH; at < end; at += (size_t)count * EACH) {
        put_number<T, IS_NORMAL>(next_word(&all->parameters, &state, threadIdx.x), at + threadIdx.x, request);
        __syncthreads();
        if (at + EACH > end)
            return;
        const int written = (state.offset + MTGPDC_N + threadIdx.x) & MTGP32_STATE_MASK;
        mine->s[written] = state.s[written];
        __syncthreads();
        if (threadIdx.x == 0)
            mine->offset = state.offset = (state.offset + EACH) & MTGP32_STATE_MASK;
        __syncthreads();
    }
}

template <class T, bool IS_NORMAL>
static void mtgp32_on_host(struct mtgp32 *all, unsigned count, const struct request<T> &request)
{
    const size_t end = request.skipped + request.count;
    for (size_t turn = 0; turn * EACH < end; turn++) {
        curandStateMtgp32_t *state = &all->states[(request.first + turn) % count];
        for (int t = 0; t < EACH; t++)
            put_number<T, IS_NORMAL>(next_word(&all->parameters, state, t), turn * EACH + t, request);
        if ((turn + 1) * EACH <= end)
            state->offset = (state->offset + EACH) & MTGP32_STATE_MASK;
    }
}

template <class T, bool IS_NORMAL>
static curandStatus_t run_mtgp32(curandGenerator_t generator, struct request<T> request)
{
    if (std::is_integral_v<T> && sizeof(T) != sizeof(unsigned))
        return CURAND_STATUS_TYPE_ERROR;
    const curandStatus_t status = generator->states ? CURAND_STATUS_SUCCESS : words_start(generator);
    if (status)
        return status;
    struct mtgp32 *all = (struct mtgp32 *)generator->states;
    request.first = (unsigned)(generator->position / EACH % generator->count);
    request.skipped = (unsigned)(generator->position % EACH);
    generator->position += request.count;
    const size_t turns = (request.skipped + request.count + EACH - 1) / EACH;
    const size_t blocks = turns < generator->count ? turns : generator->count;
    void *arguments[] = {&all, &generator->count, &request};
    if (!generator->is_host)
        return random_launch(generator, (const void *)mtgp32_numbers<T, IS_NORMAL>, blocks * EACH, EACH,
                             arguments);
    mtgp32_on_host<T, IS_NORMAL>(all, generator->count, request);
    return CURAND_STATUS_SUCCESS;
}

static void set_parameters(mtgp32_kernel_params_t *out)
{
    out->mask[0] = mtgp32dc_params_fast_11213[0].mask;
    for (int i = 0; i < STATES; i++) {
        const mtgp32_params_fast_t *from = &mtgp32dc_params_fast_11213[i];
        out->pos_tbl[i] = from->pos, out->sh1_tbl[i] = from->sh1, out->sh2_tbl[i] = from->sh2;
        memcpy(out->param_tbl[i], from->tbl, sizeof out->param_tbl[i]);
        memcpy(out->temper_tbl[i], from->tmp_tbl, sizeof out->temper_tbl[i]);
    }
}

static curandStatus_t start_mtgp32(curandGenerator_t generator)
{
    struct mtgp32 *all = (struct mtgp32 *)calloc(1, sizeof *all);
    if (!all)
        return CURAND_STATUS_ALLOCATION_FAILED;
    const unsigned seed = (unsigned)(generator->seed ^ generator->seed >> 32);
    generator->count = generator->order == CURAND_ORDERING_PSEUDO_LEGACY ? LEGACY_STATES : STATES;
    generator->position = 0; /* a new seed begins anew */
    set_parameters(&all->parameters);
    for (int i = 0; i < STATES; i++) {
        mtgp32_init_state(all->states[i].s, &mtgp32dc_params_fast_11213[i], seed + i + 1);
        all->states[i].pIdx = i;
    }
    const curandStatus_t status = random_allocate(generator, sizeof *all, all);
    free(all);
    return status;
}

/* ---------------------------------------------------------------------------------------- all of them */

bool random_is_quasi(curandRngType_t type)
{
    return type >= CURAND_RNG_QUASI_SOBOL32 && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

bool random_is_of_words(curandRngType_t type)
{
    return random_is_quasi(type) || type == CURAND_RNG_PSEUDO_MTGP32;
}

static bool has_wide_words(curandRngType_t type)
{
    return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

curandStatus_t words_start(curandGenerator_t generator)
{
    const curandRngType_t type = generator->type;
    if (!random_is_quasi(type))
        return start_mtgp32(generator);
    generator->position = generator->offset;
    if (has_wide_words(type))
        return start_sobol<unsigned long long>(generator, type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64);
    return start_sobol<unsigned>(generator, type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32);
}

template <class T, bool IS_NORMAL>
curandStatus_t words_generate(curandGenerator_t generator, const struct request<T> &request)
{
    if (!random_is_quasi(generator->type))
        return run_mtgp32<T, IS_NORMAL>(generator, request);
    if (has_wide_words(generator->type))
        return run_sobol<unsigned long long, T, IS_NORMAL>(generator, request);
    return run_sobol<unsigned, T, IS_NORMAL>(generator, request);
}

template curandStatus_t words_generate<unsigned, false>(curandGenerator_t, const struct request<unsigned> &);
template curandStatus_t words_generate<unsigned long long, false>(curandGenerator_t,
                                                                  const struct request<unsigned long long> &);
template curandStatus_t words_generate<float, false>(curandGenerator_t, const struct request<float> &);
template curandStatus_t words_generate<double, false>(curandGenerator_t, const struct request<double> &);
template curandStatus_t words_generate<float, true>(curandGenerator_t, const struct request<float> &);
template curandStatus_t words_generate<double, true>(curandGenerator_t, const struct request<double> &);
