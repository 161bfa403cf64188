/* work.h - what the kernels of lab 8 compute for one element, for the GPU and for the CPU.
 * None of it is to be changed: the lab is about what happens between kernels, and between host and device. */
#ifndef WORK_H
#define WORK_H

#include <math.h>

#ifdef __CUDACC__
#define WORK static inline __host__ __device__
#else
#define WORK static inline
#endif

/* ---- leftover ---- */

enum { SEGMENT = 4096 }; /* elements of a segment; the last one may be shorter */

WORK int segments_of(int count)
{
    return (count - 1) / SEGMENT + 1;
}

WORK float shaped(float in)
{
    return in * (2 - in);
}

/* The level of a segment, from that of the segment before and the segment's first element. */
WORK float next_level(float level, float first)
{
    return fabsf(level - first);
}

/* ---- pinned, streams ---- */

/* x to the power of 65537 modulo a number, as RSA does it with larger ones: the square of the square ..., 16 times, times x.
 * Many operations for each element: a GPU has no instruction for the remainder of 64 bits, and needs about a hundred others. */
WORK unsigned encrypted(unsigned x, unsigned modulus)
{
    unsigned long long power = x;
    for (int k = 0; k < 16; k++)
        power = power * power % modulus;
    return (unsigned)(power * x % modulus);
}

/* ---- graph ---- */

enum {
    LEVELS = 10
}; /* kernels of a round: their neighbours are 1, 2, 4, ... 512 elements away, or the first or last element */

WORK unsigned mixed(unsigned left, unsigned middle, unsigned right)
{
    return (left ^ right) + 3 * middle;
}

#endif
