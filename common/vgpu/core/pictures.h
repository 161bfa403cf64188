/* pictures.h - which addresses the lanes of a warp used: of every memory instruction some executions, that stand for all.
 * They are taken of recorded blocks (record.h) where somebody wants to see them, a picture for each cost that an instruction
 * had, with how often it had it. So they are the same whatever the number of host threads, and they are few. */
#ifndef VGPU_PICTURES_H
#define VGPU_PICTURES_H

#include "core/machine.h"

struct picture {
    uint64_t block; /* its index in the grid */
    uint32_t warp;
    uint32_t mask;  /* lanes that took part */
    uint32_t bytes; /* of each */
    uint32_t cost;  /* global, local: sectors; shared: wavefronts; constant: words */
    uint64_t address[LANES];
};

/* Of one block. All zeros: none yet. */
struct pictures {
    struct picture_kind *kinds; /* in the order in which they were first seen */
    size_t count, capacity;
    uint32_t *places; /* a hash table of indexes into kinds, from 1 */
    uint32_t nplaces;
};

/* One that has its address[] of some lanes only in the mask: others are not looked at. Without memory nothing is noted. */
void pictures_note(struct pictures *pictures, uint32_t id, const struct picture *picture);
void pictures_free(struct pictures *pictures);

/* Of all recorded blocks of a launch: the first one, the one that cost most, and the first of those that were most frequent. */
struct picture_choice {
    const struct picture *first, *worst, *typical;
    uint64_t seen; /* executions that were looked at; 0: none */
};
void pictures_choose(struct picture_choice *out, const struct launch *launch, uint32_t id);

#endif
