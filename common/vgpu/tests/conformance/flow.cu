/* flow.cu - moves, predicates, carries, addresses, branches, calls and special registers.
 * The cases are in flow.def; the functions that they call are here.
 * What crosses lanes is in warp.def, what touches memory in generate_memory.c's lists. */
#include <stdint.h>

static __device__ __noinline__ uint32_t twice(uint32_t x) { return x * 2 + 1; }
static __device__ __noinline__ uint32_t turned(uint32_t x) { return x << 5 | x >> 27; }
static __device__ __noinline__ uint32_t mixed(uint32_t x) { return (x ^ x >> 16) * 0x45d9f3bu; }
static __device__ __noinline__ uint32_t less(uint32_t x) { return x - 77; }

typedef uint32_t unary(uint32_t);
static __device__ unary *const functions[4] = {twice, turned, mixed, less};

/* Every level has an array of its own, which the deeper ones must leave alone. */
static __device__ __noinline__ uint32_t descend(uint32_t depth, uint32_t x)
{
    volatile uint32_t words[4];
    words[depth & 3] = x;
    words[(depth + 1) & 3] = depth;
    if (depth == 0)
        return x;
    const uint32_t deeper = descend(depth - 1, x * 3 + depth);
    return deeper ^ words[depth & 3] + words[(depth + 1) & 3];
}

static __device__ __noinline__ uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

struct wide { uint64_t a; uint32_t b; uint16_t c; uint8_t d[5]; };
static __device__ __noinline__ struct wide rearrange(struct wide x, uint32_t by)
{
    struct wide y;
    y.a = x.a >> by % 64 ^ x.b;
    y.b = x.b + x.c;
    y.c = (uint16_t)(x.c ^ x.d[by % 5]);
    for (unsigned k = 0; k < 5; k++)
        y.d[k] = x.d[(k + by) % 5];
    return y;
}

static __device__ uint32_t global_word;
static __constant__ uint32_t constant_word = 17;

#define CASES "flow.def"
#include "by_hand_cases.cuh"

extern "C" const struct suite_family suite_flow;
const struct suite_family suite_flow = {"flow", cases, sizeof cases / sizeof cases[0], run};
