/* random.cu - cuRAND's host API: words, uniform, normal and log-normal numbers of XORWOW, Philox 4x32-10 and MRG32k3a; those of
 * Sobol and MTGP32 are random_words.cu's.
 * The numbers are the toolkit's: its own device functions make them (curand_kernel.h), and they stand in its order. A generator
 * is a row of states that take turns. A turn gives one number, or two normal ones, or with Philox four of any kind, and moves its
 * state on by the words that this takes: so numbers continue from call to call, whatever the calls ask for.
 * Generators of the host run the same functions there. */
#include "random.h"

#include <cstdlib>

typedef curandStateXORWOW_t xorwow;
typedef curandStatePhilox4_32_10_t philox;
typedef curandStateMRG32k3a_t mrg32k3a;

/* How many numbers a turn of a state S gives, and how many states take turns. */
template <class S> struct traits {
    enum { EVEN = 1, NORMAL = 2, STATES = 4096, LEGACY_STATES = 4096 };
};
template <> struct traits<philox> {
    enum { EVEN = 4, NORMAL = 4, STATES = 65536, LEGACY_STATES = 65536 };
};
template <> struct traits<mrg32k3a> {
    enum { EVEN = 1, NORMAL = 2, STATES = 81920, LEGACY_STATES = 4096 };
};

/* ---------------------------------------------------------------------------------------- a turn */

template <class S> __host__ __device__ void even(S *state, unsigned *out)
{
    out[0] = curand(state);
}

template <class S> __host__ __device__ void even(S *state, float *out)
{
    out[0] = curand_uniform(state);
}

template <class S> __host__ __device__ void even(S *state, double *out)
{
    out[0] = curand_uniform_double(state);
}

template <class S> __host__ __device__ void normal(S *state, float *out)
{
    const float2 pair = curand_normal2(state);
    out[0] = pair.x, out[1] = pair.y;
}

template <class S> __host__ __device__ void normal(S *state, double *out)
{
    const double2 pair = curand_normal2_double(state);
    out[0] = pair.x, out[1] = pair.y;
}

template <class FOUR, class T> __host__ __device__ void put_four(const FOUR &four, T *out)
{
    out[0] = four.x, out[1] = four.y, out[2] = four.z, out[3] = four.w;
}

template <class TWO, class T> __host__ __device__ void put_twice(const TWO &first, const TWO &second, T *out)
{
    out[0] = first.x, out[1] = first.y, out[2] = second.x, out[3] = second.y;
}

__host__ __device__ inline void even(philox *state, unsigned *out)
{
    put_four(curand4(state), out);
}

__host__ __device__ inline void even(philox *state, float *out)
{
    put_four(curand_uniform4(state), out);
}

__host__ __device__ inline void even(philox *state, double *out)
{
    const double2 first = curand_uniform2_double(state);
    put_twice(first, curand_uniform2_double(state), out);
}

__host__ __device__ inline void normal(philox *state, float *out)
{
    put_four(curand_normal4(state), out);
}

__host__ __device__ inline void normal(philox *state, double *out)
{
    const double2 first = curand_normal2_double(state);
    put_twice(first, curand_normal2_double(state), out);
}

/* ---------------------------------------------------------------------------------------- a call */

/* What the state does whose turn comes `turn` turns after the first one's: that turn, and each one a whole round later. A turn that
 * is not given to its end is taken again by the next call. */
template <class S, class T, bool IS_NORMAL>
__host__ __device__ void take_turns(S *states, unsigned states_count, unsigned turn,
                                    const struct request<T> &request)
{
    enum { EACH = IS_NORMAL ? traits<S>::NORMAL : traits<S>::EVEN };
    const size_t end = request.skipped + request.count;
    S *mine = &states[(request.first + turn) % states_count];
    S state = *mine;
    for (size_t at = (size_t)turn * EACH; at < end; at += (size_t)states_count * EACH) {
        T values[EACH];
        if constexpr (IS_NORMAL)
            normal(&state, values);
        else
            even(&state, values);
        for (int i = 0; i < EACH; i++)
            if (at + i >= request.skipped && at + i < end)
                if constexpr (IS_NORMAL)
                    request.out[at + i - request.skipped] = shaped(values[i], request);
                else
                    request.out[at + i - request.skipped] = values[i];
        if (at + EACH <= end)
            *mine = state;
    }
}

/* A state of its own subsequence, as if the numbers before the offset had been given. */
template <class S>
__host__ __device__ void start_state(S *states, unsigned count, unsigned i, unsigned long long seed,
                                     unsigned long long offset)
{
    const unsigned long long turns = offset / traits<S>::EVEN;
    const unsigned long long mine = turns / count + (i < turns % count);
    curand_init(seed, i, mine * traits<S>::EVEN, &states[i]);
}

template <class S>
__global__ void __launch_bounds__(RANDOM_THREADS)
    random_start(S *states, unsigned count, unsigned long long seed, unsigned long long offset)
{
    const unsigned i = blockIdx.x * RANDOM_THREADS + threadIdx.x;
    if (i < count)
        start_state(states, count, i, seed, offset);
}

template <class S, class T, bool IS_NORMAL>
__global__ void __launch_bounds__(RANDOM_THREADS)
    random_numbers(S *states, unsigned count, unsigned turns, const struct request<T> request)
{
    const unsigned turn = blockIdx.x * RANDOM_THREADS + threadIdx.x;
    if (turn < turns)
        take_turns<S, T, IS_NORMAL>(states, count, turn, request);
}

template <class S> static curandStatus_t start(curandGenerator_t generator)
{
    const bool is_legacy = generator->order == CURAND_ORDERING_PSEUDO_LEGACY;
    generator->count = is_legacy ? traits<S>::LEGACY_STATES : traits<S>::STATES;
    generator->position = generator->offset;
    const curandStatus_t status = random_allocate(generator, generator->count * sizeof(S), NULL);
    if (status)
        return status;
    void *arguments[] = {&generator->states, &generator->count, &generator->seed, &generator->offset};
    if (!generator->is_host)
        return random_launch(generator, (const void *)random_start<S>, generator->count, RANDOM_THREADS,
                             arguments);
    for (unsigned i = 0; i < generator->count; i++)
        start_state((S *)generator->states, generator->count, i, generator->seed, generator->offset);
    return CURAND_STATUS_SUCCESS;
}

template <class S, class T, bool IS_NORMAL>
static curandStatus_t run(curandGenerator_t generator, struct request<T> request)
{
    enum { EACH = IS_NORMAL ? traits<S>::NORMAL : traits<S>::EVEN };
    const curandStatus_t status = generator->states ? CURAND_STATUS_SUCCESS : start<S>(generator);
    if (status)
        return status;
    request.first = (unsigned)(generator->position / traits<S>::EVEN % generator->count);
    request.skipped = (unsigned)(generator->position % traits<S>::EVEN);
    const size_t all = (request.skipped + request.count + EACH - 1) / EACH;
    unsigned turns = all < generator->count ? (unsigned)all : generator->count;
    generator->position += request.count * traits<S>::EVEN / EACH;
    void *arguments[] = {&generator->states, &generator->count, &turns, &request};
    if (!generator->is_host)
        return random_launch(generator, (const void *)random_numbers<S, T, IS_NORMAL>, turns, RANDOM_THREADS,
                             arguments);
    for (unsigned turn = 0; turn < turns; turn++)
        take_turns<S, T, IS_NORMAL>((S *)generator->states, generator->count, turn, request);
    return CURAND_STATUS_SUCCESS;
}

/* The numbers of a turn must be asked for together, but with Philox. */
template <class T, bool IS_NORMAL>
static curandStatus_t generate(curandGenerator_t generator, const struct request<T> &request)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (request.count && random_is_of_words(generator->type))
        return words_generate<T, IS_NORMAL>(generator, request);
    if (IS_NORMAL && request.count % 2 && generator->type != CURAND_RNG_PSEUDO_PHILOX4_32_10)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (request.count == 0)
        return CURAND_STATUS_SUCCESS;
    switch (generator->type) {
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return run<philox, T, IS_NORMAL>(generator, request);
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return run<mrg32k3a, T, IS_NORMAL>(generator, request);
    default:
        return run<xorwow, T, IS_NORMAL>(generator, request);
    }
}

/* Prepares what the first call for numbers would. */
RAND_API curandGenerateSeeds(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (generator->states)
        return CURAND_STATUS_SUCCESS;
    if (random_is_of_words(generator->type))
        return words_start(generator);
    switch (generator->type) {
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return start<philox>(generator);
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return start<mrg32k3a>(generator);
    default:
        return start<xorwow>(generator);
    }
}

RAND_API curandGenerate(curandGenerator_t generator, unsigned *out, size_t count)
{
    return generate<unsigned, false>(generator, {out, count});
}

RAND_API curandGenerateUniform(curandGenerator_t generator, float *out, size_t count)
{
    return generate<float, false>(generator, {out, count});
}

RAND_API curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t count)
{
    return generate<double, false>(generator, {out, count});
}

RAND_API curandGenerateNormal(curandGenerator_t generator, float *out, size_t count, float mean,
                              float deviation)
{
    return generate<float, true>(generator, {out, count, 0, 0, mean, deviation, false});
}

RAND_API curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t count, double mean,
                                    double deviation)
{
    return generate<double, true>(generator, {out, count, 0, 0, mean, deviation, false});
}

RAND_API curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t count, float mean,
                                 float deviation)
{
    return generate<float, true>(generator, {out, count, 0, 0, mean, deviation, true});
}

RAND_API curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t count, double mean,
                                       double deviation)
{
    return generate<double, true>(generator, {out, count, 0, 0, mean, deviation, true});
}

/* Words of 64 bits are the quasirandom generators'. */
RAND_API curandGenerateLongLong(curandGenerator_t generator, unsigned long long *out, size_t count)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!random_is_quasi(generator->type))
        return CURAND_STATUS_TYPE_ERROR;
    return words_generate<unsigned long long, false>(generator, {out, count});
}

/* ---------------------------------------------------------------------------------------- generators */

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool is_host,
                             const char *call)
{
    if (type == CURAND_RNG_PSEUDO_DEFAULT)
        type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT)
        type = CURAND_RNG_QUASI_SOBOL32;
    if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_PHILOX4_32_10 &&
        type != CURAND_RNG_PSEUDO_MRG32K3A && !random_is_of_words(type)) {
        vgpu_unsupported(call, "generators other than XORWOW, Philox, MRG32k3a, MTGP32 and Sobol's");
        return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = (curandGenerator_t)calloc(1, sizeof **generator);
    if (!*generator)
        return CURAND_STATUS_ALLOCATION_FAILED;
    (*generator)->type = type;
    (*generator)->is_host = is_host;
    (*generator)->order = CURAND_ORDERING_PSEUDO_DEFAULT;
    (*generator)->dimensions = 1;
    return CURAND_STATUS_SUCCESS;
}

RAND_API curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, false, "curandCreateGenerator");
}

RAND_API curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, true, "curandCreateGeneratorHost");
}

/* The next call begins anew, with the number that comes next. */
static curandStatus_t forget_states(curandGenerator_t generator)
{
    cudaError_t error = cudaSuccess;
    if (generator->states)
        generator->offset = generator->position;
    if (generator->is_host)
        free(generator->states);
    else
        error = cudaFree(generator->states);
    generator->states = NULL;
    return error ? CURAND_STATUS_PREEXISTING_FAILURE : CURAND_STATUS_SUCCESS;
}

RAND_API curandDestroyGenerator(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    const curandStatus_t status = forget_states(generator);
    free(generator);
    return status;
}

RAND_API curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

RAND_API curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (random_is_quasi(generator->type))
        return CURAND_STATUS_TYPE_ERROR;
    if (seed == generator->seed)
        return CURAND_STATUS_SUCCESS; /* goes on, also with MTGP32, which a new seed begins anew */
    generator->seed = seed;
    return forget_states(generator);
}

RAND_API curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned dimensions)
{
    enum { MOST = 20000 }; /* the toolkit's tables end there */
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!random_is_quasi(generator->type))
        return CURAND_STATUS_TYPE_ERROR;
    if (dimensions < 1 || dimensions > MOST)
        return CURAND_STATUS_OUT_OF_RANGE;
    generator->dimensions = dimensions;
    return forget_states(generator);
}

RAND_API curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (generator->type == CURAND_RNG_PSEUDO_MTGP32)
        return CURAND_STATUS_TYPE_ERROR;
    const curandStatus_t status = forget_states(generator);
    generator->offset = offset;
    return status;
}

/* The best order and one that may depend on the GPU are the default one here; the host has no GPU to depend on. */
RAND_API curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (random_is_quasi(generator->type))
        return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
    switch (order) {
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
        if (generator->is_host || generator->type == CURAND_RNG_PSEUDO_MTGP32)
            return CURAND_STATUS_OUT_OF_RANGE;
        /* fall through */
    case CURAND_ORDERING_PSEUDO_BEST:
    case CURAND_ORDERING_PSEUDO_DEFAULT:
    case CURAND_ORDERING_PSEUDO_LEGACY:
        generator->order = order;
        return forget_states(generator);
    case CURAND_ORDERING_PSEUDO_SEEDED:
        if (generator->type == CURAND_RNG_PSEUDO_XORWOW)
            vgpu_unsupported("curandSetGeneratorOrdering", "CURAND_ORDERING_PSEUDO_SEEDED");
        return CURAND_STATUS_OUT_OF_RANGE;
    default:
        return CURAND_STATUS_OUT_OF_RANGE;
    }
}

RAND_API curandGetVersion(int *version)
{
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

RAND_API curandGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
    if (type < MAJOR_VERSION || type > PATCH_LEVEL)
        return CURAND_STATUS_OUT_OF_RANGE;
    *value = parts[type];
    return CURAND_STATUS_SUCCESS;
}
