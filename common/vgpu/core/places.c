/* places.c - see places.h. */
#include "core/places.h"

#include <stdlib.h>

#include "base/hash.h"

uint64_t sample_distance(const struct launch *launch, uint32_t axis)
{
    return axis == 0 ? 1 : sample_distance(launch, axis - 1) * launch->grid[axis - 1];
}

static uint64_t run_length(uint64_t distance)
{
    return (SAMPLE_RUN - 1) * distance + 1; /* from its first block to its last */
}

/* Runs go along x, y and z by turns, if there are so many blocks along the axis, and more than one before it. */
uint32_t sample_axis(const struct launch *launch, uint64_t i)
{
    const uint64_t runs = (launch->nblocks + SAMPLE_RUN - 1) / SAMPLE_RUN;
    uint32_t axes[3] = {0}, count = 1;
    if (launch->nblocks >= launch->nblocks_asked || runs < 2)
        return 0;
    for (uint32_t axis = 1; axis < 3; axis++)
        if (launch->grid[axis] >= SAMPLE_RUN && sample_distance(launch, axis) > 1)
            axes[count++] = axis;
    return axes[i / SAMPLE_RUN % count];
}

/* Where the i-th of n shares begins. */
static uint64_t share_begin(uint64_t all, uint64_t i, uint64_t n)
{
    return (uint64_t)((unsigned __int128)i * all / n);
}

/* Where a run of a sample begins: evenly from the first block to the last, or anywhere in its share of the places where it can, so
 * that nobody can tell which blocks will be looked at. Runs along x leave room for each other. */
static uint64_t run_start(const struct launch *launch, uint64_t run, uint64_t runs, uint64_t length,
                          uint64_t trial)
{
    const uint64_t last = launch->nblocks_asked - length;
    if (!launch->sample_seed)
        return share_begin(last, run, runs - 1);
    const uint64_t begin = share_begin(last + 1, run, runs), end = share_begin(last + 1, run + 1, runs);
    const uint64_t room = end - begin >= SAMPLE_RUN ? end - begin - SAMPLE_RUN + 1 : 1;
    return begin + hash_word(launch->sample_seed + hash_word(run) + hash_word(trial)) % room;
}

/* ------------------------------------------------------------------------------------------- no block twice */

/* Numbers of blocks + 1, by hash; 0: none. */
struct taken {
    uint64_t *blocks;
    unsigned bits;
};

static uint64_t *place_of(const struct taken *taken, uint64_t block)
{
    const uint64_t mask = (UINT64_C(1) << taken->bits) - 1;
    uint64_t at = hash_word(block) >> (64 - taken->bits);
    while (taken->blocks[at] && taken->blocks[at] != block + 1)
        at = (at + 1) & mask;
    return &taken->blocks[at];
}

static bool is_free_run(const struct taken *taken, uint64_t start, uint64_t distance)
{
    bool is_free = true;
    for (uint64_t i = 0; i < SAMPLE_RUN; i++)
        is_free = is_free && !*place_of(taken, start + i * distance);
    return is_free;
}

static uint64_t anywhere(const struct launch *launch, uint64_t share, uint64_t shares, uint64_t all,
                         uint64_t key)
{
    const uint64_t begin = share_begin(all, share, shares), end = share_begin(all, share + 1, shares);
    return begin + hash_word(launch->sample_seed + hash_word(key)) % (end - begin);
}

/* A wide sample has no runs: the grid is cut into patches of its rows and columns, and each gives a block. */
static void choose_apart(struct launch *launch, struct taken *taken)
{
    const uint64_t n = launch->nblocks, width = launch->grid[0], height = launch->nblocks_asked / width;
    uint64_t across = 1;
    while ((across + 1) * (across + 1) * height <= n * width && across < width)
        across++;
    const uint64_t down = n / across < height ? n / across : height;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t block = i < across * down ? anywhere(launch, i % across, across, width, 2 * i) +
                                                 anywhere(launch, i / across, down, height, 2 * i + 1) * width
                                           : anywhere(launch, 0, 1, launch->nblocks_asked, 2 * i);
        while (*place_of(taken, block))
            block = (block + 1) % launch->nblocks_asked;
        launch->places[i] = block;
        *place_of(taken, block) = block + 1;
    }
}

/* Runs along different axes would cross: what works in place would have worked twice there. Where there is little room, blocks of
 * a run are taken by the next ones that nobody has. */
static void choose_run(const struct launch *launch, struct taken *taken, uint64_t run, uint64_t runs)
{
    enum { TRIALS = 32 };
    const uint64_t distance = sample_distance(launch, sample_axis(launch, run * SAMPLE_RUN));
    uint64_t start = run_start(launch, run, runs, run_length(distance), 0);
    for (uint64_t trial = 1; trial < TRIALS && !is_free_run(taken, start, distance); trial++)
        start = run_start(launch, run, runs, run_length(distance), trial);
    for (uint64_t i = run * SAMPLE_RUN; i < launch->nblocks && i < (run + 1) * SAMPLE_RUN; i++) {
        uint64_t block = start + i % SAMPLE_RUN * distance;
        while (*place_of(taken, block))
            block = (block + 1) % launch->nblocks_asked;
        launch->places[i] = block;
        *place_of(taken, block) = block + 1;
    }
}

void sample_choose(struct launch *launch)
{
    const uint64_t n = launch->nblocks, runs = (n + SAMPLE_RUN - 1) / SAMPLE_RUN;
    struct taken taken = {.bits = 8};
    free(launch->places);
    launch->places = NULL;
    if (!launch->sample_seed || launch->is_trial || runs < 2 || n >= launch->nblocks_asked)
        return;
    while (UINT64_C(1) << taken.bits < 2 * n)
        taken.bits++;
    taken.blocks = calloc((size_t)1 << taken.bits, sizeof *taken.blocks);
    launch->places = taken.blocks ? malloc(n * sizeof *launch->places) : NULL;
    const bool is_apart = launch->sample_least > SAMPLE_LEAST;
    for (uint64_t run = 0; launch->places && !is_apart && run < runs; run++)
        choose_run(launch, &taken, run, runs);
    if (launch->places && is_apart)
        choose_apart(launch, &taken);
    free(taken.blocks);
}

/* ------------------------------------------------------------------------------------------- one block */

/* The i-th block of a sample of n: runs of neighbours, spread from the first block to the last. Of a drawn one, a single run lies
 * where one of two would: a launch of which few blocks can be afforded finds what the same blocks of a cheaper one have left. */
uint64_t sample_block(const struct launch *launch, uint64_t i)
{
    const uint64_t n = launch->nblocks, all = launch->nblocks_asked;
    if (n >= all)
        return launch->order == VGPU_BACKWARDS || launch->order == VGPU_CROWDED ? all - 1 - i : i;
    const uint64_t runs = (n + SAMPLE_RUN - 1) / SAMPLE_RUN, run = i / SAMPLE_RUN;
    if (launch->is_trial)
        return launch->trial_block;
    if (runs == 1 && launch->sample_seed && all < (uint64_t)2 * SAMPLE_RUN)
        return hash_word(launch->sample_seed) % (all - n + 1) + i;
    if (runs == 1 && launch->sample_seed)
        return run_start(launch, hash_word(launch->sample_seed) % 2, 2, SAMPLE_RUN, 0) + i;
    if (runs == 1)
        return (all - n) / 2 + i;
    if (launch->places)
        return launch->places[i];
    const uint64_t distance = sample_distance(launch, sample_axis(launch, i));
    return run_start(launch, run, runs, run_length(distance), 0) + i % SAMPLE_RUN * distance;
}
