/* by_hand.cuh - what case lists beyond the arithmetic rows share: a kernel per case, checksums, memory to try things on.
 * A kernel has one block of SUITE_TUPLES threads; thread i reads its operands with OPERAND and writes out[i].
 * Results of 1 or 16 bits are checksums of several values, so that the file of results stays small. */
#ifndef VGPU_BY_HAND_CUH
#define VGPU_BY_HAND_CUH

#include <stdint.h>

#include "suite.h"

enum { CELL = 64 }; /* bytes of memory per thread */

#define OPERAND(k) in[(k) * SUITE_TUPLES + i]

typedef void case_kernel(const uint64_t *in, uint64_t *out);

static __device__ inline uint32_t fold(uint32_t sum, uint64_t value)
{
    sum = (sum ^ (uint32_t)value) * 0x9e3779b1u;
    sum = (sum ^ sum >> 15 ^ (uint32_t)(value >> 32)) * 0x85ebca6bu;
    return sum ^ sum >> 13;
}

static __device__ inline uint64_t checksum(uint32_t sum)
{
    return (sum >> 16 ^ sum) & 0xffff;
}

/* One bit of a checksum: enough where a mistake would show in many threads. */
static __device__ inline uint64_t parity(uint32_t sum)
{
    return __popc(sum) & 1;
}

static __device__ inline uint64_t word_of(uint64_t a, uint64_t b, unsigned k)
{
    return k == 0 ? a : k == 1 ? b : (a ^ b << 7 ^ b >> 57) * (2 * k + 0x9e3779b97f4a7c15) + k * 0x0123456789abcdef;
}

/* Fills a thread's cell from its operands. */
static __device__ inline void fill_cell(uint8_t *cell, uint64_t a, uint64_t b)
{
    for (unsigned k = 0; k < CELL / 8; k++)
        ((volatile uint64_t *)cell)[k] = word_of(a, b, k);
}

static __device__ inline void clear_cell(uint8_t *cell)
{
    for (unsigned k = 0; k < CELL / 8; k++)
        ((volatile uint64_t *)cell)[k] = 0;
}

static __device__ inline uint32_t fold_cell(uint32_t sum, const uint8_t *cell)
{
    for (unsigned k = 0; k < CELL / 8; k++)
        sum = fold(sum, ((const volatile uint64_t *)cell)[k]);
    return sum;
}

/* Launches the kernels of one group. */
static inline void run_kernels(case_kernel *const *kernels, size_t count, size_t first, const uint64_t *in,
                               uint64_t *out)
{
    for (size_t c = 0; c < SUITE_GROUP && first + c < count; c++)
        kernels[first + c]<<<1, SUITE_TUPLES>>>(in + c * SUITE_SOURCES * SUITE_TUPLES, out + c * 2 * SUITE_TUPLES);
}

/* The family of the arrays `cases` and `kernels`. */
#define DEFINE_FAMILY(family)                                                                                          \
    static void run(size_t first, const uint64_t *in, uint64_t *out)                                                   \
    {                                                                                                                  \
        run_kernels(kernels, sizeof kernels / sizeof kernels[0], first, in, out);                                      \
    }                                                                                                                  \
    extern "C" const struct suite_family suite_##family;                                                               \
    const struct suite_family suite_##family = {#family, cases, sizeof cases / sizeof cases[0], run};

#endif
