/* work.h - what the kernels of lab 6 compute for one element, for the GPU and for the CPU that checks it.
 * None of it is to be changed: the lab is about how it is spread over threads. */
#ifndef WORK_H
#define WORK_H

#include "lab/answers.h"

#ifdef __CUDACC__
#define WORK static inline __host__ __device__
#else
#define WORK static inline
#endif

/* ---- block_size ---- */

WORK float scaled(float x)
{
    return 2.5f * x + 1.0f;
}

/* ---- waves, ilp: savings ---- */

enum {
    LONG = 512,    /* periods of the account of an element in `waves` */
    ACCOUNTS = 8,  /* of an element in `ilp` */
    PERIODS = 4096 /* of each of them */
};

/* What has been saved after so many periods, each with its interest and a payment. Each period needs the one before. */
WORK float save(float rate, int periods)
{
    float balance = 0;
    for (int k = 0; k < periods; k++)
        balance = balance * rate + 0.5f;
    return balance;
}

/* Accounts of an element differ. */
WORK float rate_of(float in, int account)
{
    return 1.0f + in * (0.125f * (float)(account + 1));
}

/* ---- registers: power sums ---- */

enum { TERMS = 40, ROUNDS = 16, ROUND_STEP = 256 };

/* ---- static_order, dynamic_order: four kinds of elements, and a way of about the same length for each ---- */

enum { KINDS = 4, TURNS = 64 };

WORK float treat(int kind, float x)
{
    if (kind == 0)
        for (int i = 0; i < TURNS; i++)
            x = x * 0.75f + 0.125f;
    else if (kind == 1)
        for (int i = 0; i < TURNS; i++)
            x = x - x * x * 0.25f;
    else if (kind == 2)
        for (int i = 0; i < TURNS; i++)
            x = (x > 0.5f ? x - 0.5f : x + 0.25f) * 0.875f;
    else
        for (int i = 0; i < TURNS; i++)
            x = (x + 1.0f) * (0.25f - x * 0.125f);
    return x;
}

/* ---- tree_lookup: a tree over [0, 1), in which each node halves its interval and adds its part to a function ---- */

enum { SURE_NODES = 15, LEAF_EVERY = 4, BUMP = 32 };

/* Nodes without children are leaves, and below the first levels every fourth. value: the node's entry of the table. */
WORK int is_leaf(int node, int value, int nodes)
{
    return 2 * node + 2 >= nodes || (node >= SURE_NODES && value % LEAF_EVERY == LEAF_EVERY - 1);
}

/* What a node adds at place x of its interval, from 0 to 1. */
WORK float part_of(int value, float x)
{
    float bump = 1;
    for (int k = 0; k < BUMP; k++)
        bump = bump * x + 0.125f;
    return (float)value * (1.0f / (1 << 20)) * bump;
}

/* The child in whose half x lies; x becomes its place in that half, from 0 to 1. */
WORK int descend(int node, float *x)
{
    const float twice = *x * 2;
    const int is_right = twice >= 1;
    *x = twice - (float)is_right;
    return 2 * node + 1 + is_right;
}

/* ---- barriers: rings that are smoothed ---- */

enum { RING = 32, SMOOTHINGS = 64 };

WORK float smooth(float left, float x, float right)
{
    return 0.25f * left + 0.5f * x + 0.25f * right;
}

/* ---- roofline ---- */

enum { DEGREE = 96, KEPT_EVERY = 1024 };

WORK float polynomial(float x)
{
    float value = 1;
    for (int k = 0; k < DEGREE; k++)
        value = value * x + 0.5f;
    return value;
}

/* What compute_only takes in place of in[i]: no memory is asked. */
WORK float made_up(int i)
{
    return (float)(i & 0xffff) * (1.0f / 65536);
}

/* ---- answers: what lab6.cu says about the stages `block_size`, `roofline`, `what_if` and `knees` ---- */

/* What keeps small blocks from being faster: places for warps that stay empty, the time to start blocks, or memory. */
enum obstacle { NOT_FOUND, EMPTY_PLACES, BLOCK_STARTS, BANDWIDTH };
enum limit { NOT_ANSWERED, MEMORY, COMPUTE, BOTH_ALIKE, LATENCY };
enum total { NOT_SAID, NEAR_MAXIMUM, NEAR_SUM };

enum { ABOUT_BLOCKS = 2, QUESTIONS = 4, KNEES = 2 };

/* A gain as a choice: the nearest power of two. */
WORK int choice_of_gain(double gain)
{
    int choice = 1;
    while (gain > 1.41421356 && choice < LAB_CHOICES - 1) {
        gain /= 2;
        choice++;
    }
    return gain > 0.70710678 ? choice : 0;
}

#endif
