/* timeline.h - what each warp of the simulated SM did at which time, and which block was where.
 * Time is parted into bins; when they are full, each two become one. So it takes the same room whatever a launch takes. */
#ifndef VGPU_TIMELINE_H
#define VGPU_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

enum { TIMELINE_BINS = 256, TIMELINE_KINDS = 7, TIMELINE_STAYS = 512 };

/* A block on the SM. */
struct timeline_stay {
    uint32_t place;  /* among those side by side */
    uint32_t number; /* in the order of their starts */
    uint64_t from, to;
};

struct timeline {
    uint32_t warps, warps_per_block; /* places for them */
    uint64_t clock;                  /* what a clock is in the times here */
    uint64_t width;                  /* of a bin: one clock at first */
    float (*bins)[TIMELINE_KINDS];   /* TIMELINE_BINS for each warp: time by what was done */
    struct timeline_stay stays[TIMELINE_STAYS];
    uint32_t nstays; /* the first so many */
};

/* NULL: no memory. */
struct timeline *timeline_new(uint32_t warps, uint32_t warps_per_block, uint64_t clock);
void timeline_free(struct timeline *timeline);
/* The warp did this from a time on, for so long. */
void timeline_note(struct timeline *timeline, uint32_t warp, uint8_t kind, uint64_t from, uint64_t length);
void timeline_start(struct timeline *timeline, uint32_t place, uint32_t number, uint64_t at);
void timeline_end(struct timeline *timeline, uint32_t place, uint64_t at);
/* What most of a bin went to; -1: there was no warp. */
int timeline_most(const struct timeline *timeline, uint32_t warp, uint32_t bin);

#endif
