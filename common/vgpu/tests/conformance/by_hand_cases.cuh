/* by_hand_cases.cuh - makes a family of the list that CASES names.
 * The list is read three times: CASE(id, name, signature, body) becomes a kernel, a launch and a row.
 * GRID is a CASE whose SUITE_TUPLES threads are 20 small blocks in three dimensions; i counts them all. */
#include "by_hand.cuh"

#define CASE(id, name, signature, ...)                                                                                 \
    static __global__ void case_##id(const uint64_t *in, uint64_t *out)                                                \
    {                                                                                                                  \
        const unsigned i = threadIdx.x, lane = i % 32, warp = i / 32;                                                  \
        (void)lane, (void)warp;                                                                                        \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    static void launch_##id(const uint64_t *in, uint64_t *out)                                                         \
    {                                                                                                                  \
        case_##id<<<1, SUITE_TUPLES>>>(in, out);                                                                       \
    }
#define GRID(id, name, signature, ...)                                                                                 \
    static __global__ void case_##id(const uint64_t *in, uint64_t *out)                                                \
    {                                                                                                                  \
        const unsigned block = (blockIdx.z * 5 + blockIdx.y) * 2 + blockIdx.x;                                         \
        const unsigned i = block * 16 + (threadIdx.z * 2 + threadIdx.y) * 4 + threadIdx.x;                             \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    static void launch_##id(const uint64_t *in, uint64_t *out)                                                         \
    {                                                                                                                  \
        case_##id<<<dim3(2, 5, 2), dim3(4, 2, 2)>>>(in, out);                                                          \
    }
#include CASES
#undef CASE
#undef GRID

static const struct suite_case cases[] = {
#define CASE(id, name, signature, ...) {name, signature, 0, -1},
#define GRID CASE
#include CASES
#undef CASE
#undef GRID
};

static void (*const launches[])(const uint64_t *, uint64_t *) = {
#define CASE(id, name, signature, ...) launch_##id,
#define GRID CASE
#include CASES
#undef CASE
#undef GRID
};

static void run(size_t first, const uint64_t *in, uint64_t *out)
{
    for (size_t c = 0; c < SUITE_GROUP && first + c < sizeof cases / sizeof cases[0]; c++)
        launches[first + c](in + c * SUITE_SOURCES * SUITE_TUPLES, out + c * 2 * SUITE_TUPLES);
}
