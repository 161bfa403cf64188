/* sample.h - the recorded blocks of a launch (core/record.h) as a sample of all its blocks: what they have in common.
 * Nothing here knows of time. */
#ifndef VGPU_SAMPLE_H
#define VGPU_SAMPLE_H

#include "core/record.h"

struct sample {
    struct block_record *blocks[RECORD_BLOCKS];
    uint32_t nblocks;
    double places; /* recorded instructions per block */
};

void sample_collect(struct sample *sample, const struct launch *launch);
/* The part of all turns of global atomics that are of one slice of L2, or of one sector: of those that have most. */
double sample_hot_slice(const struct sample *sample);
double sample_hot_sector(const struct sample *sample);
/* Of the sectors that go back to DRAM, the part that was not written as a whole: by the bytes that were stored. written:
 * the part of the sectors that L2 gets which go back. */
double sample_fills(const struct sample *sample, double written);
/* Marks the lines that more than one recorded block uses: the blocks that are not recorded use them too. */
void sample_mark_shared(const struct sample *sample);

#endif
