/* work.h - what the kernels of lab 7 compute for one element, for the GPU and for the CPU that checks it.
 * None of it is to be changed: the lab is about where the data lies. */
#ifndef WORK_H
#define WORK_H

#ifdef __CUDACC__
#define WORK static inline __host__ __device__
#else
#define WORK static inline
#endif

/* ---- global, constant, read_only: a filter ---- */

enum { TAPS = 64 }; /* coefficients: out[i] is the sum of table[k] * in[i + k] */

/* ---- wrong_constant, moved: a chain of lookups in a small table; large_table, large_shared: in a large one ---- */

enum {
    LOOKUPS = 16,         /* for each element */
    ENTRIES = 256,        /* of the small table */
    LARGE_ENTRIES = 15360 /* of the large one: 60 KB */
};

/* entries: of the table. x, and what stands in the table, lies in [0, 1). */
WORK int first_entry(float x, int entries)
{
    return (int)(x * (float)entries);
}

WORK int next_entry(int entry, float value, int entries)
{
    return (entry * 5 + (int)(value * 8192) + 1) % entries;
}

/* ---- zoom, texture, filter: a picture ---- */

/* Element (x, y) of the result shows the picture at (source_of(x), source_of(y)), where the middle of pixel 0 is at 0.5: a step
 * of 1793 / 4096, from -1.5 on. Computed as integers, so that every compiler rounds alike. */
WORK float source_of(int x)
{
    return (float)(x * 1793 - 6144) / 4096;
}

/* Pixels of the picture along a side of which the result has `size`: the result goes past all four borders. */
WORK int source_size(int size)
{
    int pixels = (int)((long)size * 1793 / 4096) - 2;
    return pixels < 1 ? 1 : pixels;
}

WORK int clamp_to(int x, int size)
{
    return x < 0 ? 0 : x >= size ? size - 1 : x;
}

WORK float mix(float from, float to, float part)
{
    return from + (to - from) * part;
}

/* ---- local, registers, columns: bins of a thread's own ---- */

enum {
    VALUES = 64, /* of each column of `in` */
    BINS = 16
};

WORK int bin_of(float value)
{
    return (int)(value * BINS);
}

/* ---- spilling, spill: a Walsh-Hadamard transform ---- */

enum { POINTS = 64, RADIX = 8 }; /* of each column of `in`: RADIX times RADIX */

/* ---- random, sorted, gather: lookups all over a table ---- */

enum { LIST_BITS = 30 }; /* a number of the list lies in [0, 2^30) */

/* An index anywhere in a table of m: the larger the number, the larger the index. */
WORK long index_of(int number, long m)
{
    return (long)number * m >> LIST_BITS;
}

/* ---- gather: answers ---- */

enum { QUESTIONS = 5 };

/* What serves most of the loads. */
enum level { NOT_ANSWERED, FROM_L1, FROM_L2, FROM_DRAM };
/* Sectors that a warp's load of the table takes. */
enum sectors { NOT_COUNTED, ABOUT_4, ABOUT_16, ABOUT_32 };

#endif
