/* random.h - what cuRAND's generators share: the generator itself, a call for numbers, and how a word becomes a number.
 * random.cu has the calls, and the generators whose states take turns; random_words.cu those that make every number of one word;
 * random_base.cu what both stand on. */
#ifndef VGPU_RANDOM_H
#define VGPU_RANDOM_H

#define QUALIFIERS         static __forceinline__ __host__ __device__
#define HOST_HAVE_ERFCINVF /* the host's part of normal numbers that are made by inversion */
#include <curand.h>
#include <curand_kernel.h>

#include "vgpu.h"

#define RAND_API extern "C" curandStatus_t

struct curandGenerator_st {
    curandRngType_t type;
    bool is_host;
    cudaStream_t stream;
    unsigned long long seed, offset;
    unsigned dimensions; /* of a quasirandom generator */
    curandOrdering_t order;

    void *states;   /* NULL until numbers are asked for, and when something was set anew */
    unsigned count; /* of states */
    unsigned long long
        position; /* turns taken; with Philox and MTGP32 the numbers given, of a quasirandom one the points */
};

template <class T> struct request {
    T *out;
    size_t count;
    unsigned first;   /* the state whose turn is first */
    unsigned skipped; /* numbers of that turn which an earlier call has had */
    T mean, deviation;
    bool is_log;
};

template <class T> __host__ __device__ T shaped(T value, const struct request<T> &request)
{
    value = request.mean + request.deviation * value;
    return request.is_log ? exp(value) : value;
}

enum { RANDOM_THREADS = 128 };

/* random_base.cu: so many threads, or more, in blocks of so many. */
curandStatus_t random_launch(curandGenerator_t generator, const void *kernel, size_t threads, unsigned block,
                             void **arguments);
/* Makes generator->states, on the device or the host, of `size` bytes; a copy of what `from` points to, if it is not NULL. */
curandStatus_t random_allocate(curandGenerator_t generator, size_t size, const void *from);

/* random_words.cu: Sobol's sequences, of 32 and 64 bits, plain and scrambled, and MTGP32. T is unsigned, unsigned long long, float
 * or double. */
bool random_is_quasi(curandRngType_t type);
bool random_is_of_words(curandRngType_t type);
curandStatus_t words_start(curandGenerator_t generator);
template <class T, bool IS_NORMAL>
curandStatus_t words_generate(curandGenerator_t generator, const struct request<T> &request);

#endif
