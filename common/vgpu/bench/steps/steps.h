/* steps.h - the lectures' steps as a benchmark: how a family of kernel versions is declared.
 * A step launches one version on arrays that its family made; the first step of a family is its baseline. Every
 * family has one output array, and computes on the CPU what must stand in it, as floats.
 * Timing, choosing and printing are the business of steps.cu. */
#ifndef STEPS_H
#define STEPS_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define STEPS_CHECK(call) steps_check((call), __FILE__, __LINE__)

static inline void steps_check(cudaError_t error, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
    exit(2);
}

/* An array on the device, and what it was filled with. */
struct steps_array {
    float *device, *host;
    size_t count;
};

struct step {
    const char *name;
    void (*launch)(void);
    int multiple; /* sizes it can do are multiples of it; 0: any; -1: half of the work only, nothing to verify */
};

struct step_family {
    const char *name;
    const struct step *steps;
    int nsteps;
    int timed_size;
    int odd_size;           /* for verification: small, and no multiple of any block */
    double tolerance;       /* of each element, absolute */
    void (*prepare)(int n); /* makes the arrays */
    void (*finish)(void);   /* frees them */
    const struct steps_array *out;
    void (*reference)(float *expected);
    void (*collect)(float *got); /* what a step wrote, where that is no array of floats; NULL: out's */
};

#define FAMILY(name)   extern const struct step_family name##_family;
#define OPEN(name)     FAMILY(name)
#define HELD_OUT(name) FAMILY(name)
#include "families.def"
#undef FAMILY
#undef OPEN
#undef HELD_OUT

#define STEPS_COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

/* In [0, 1), the same everywhere. */
static inline float steps_value(size_t index, uint32_t seed)
{
    uint32_t x = (uint32_t)index * 2654435761u + seed * 40503u + 1;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (float)(x >> 8) * (1.0f / 16777216.0f);
}

struct steps_array steps_input(size_t count, uint32_t seed); /* filled with steps_value() */
struct steps_array steps_output(size_t count);               /* no host side */
void steps_upload(const struct steps_array *array);          /* host to device */
void steps_free(struct steps_array *array);

/* Room for `count` elements of T on both sides, in whole words; the caller fills (T *)host. */
template <class T> static inline struct steps_array steps_array_of(size_t count)
{
    struct steps_array array = steps_output((count * sizeof(T) + sizeof(float) - 1) / sizeof(float));
    array.host = (float *)calloc(array.count, sizeof(float));
    if (!array.host)
        exit(2);
    return array;
}

/* The first `count` elements of an array of T, as floats. */
template <class T> static inline void steps_collect(float *got, const struct steps_array *array, size_t count)
{
    T *elements = (T *)malloc(count * sizeof(T));
    if (!elements)
        exit(2);
    STEPS_CHECK(cudaMemcpy(elements, array->device, count * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        got[i] = (float)elements[i];
    free(elements);
}

static inline unsigned steps_blocks(size_t count, unsigned block)
{
    return (unsigned)((count + block - 1) / block);
}

#endif
