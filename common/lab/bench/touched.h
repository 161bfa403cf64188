/* touched.h - which bytes of a buffer the blocks of a sample touched, on the virtual GPU, and filling those in.
 * At a timed size the rest stays pages that nobody ever writes. */
#ifndef LAB_BENCH_TOUCHED_H
#define LAB_BENCH_TOUCHED_H

#include "lab/lab.h"

/* Runs of whole sectors, in order: byte offsets in the buffer. */
struct touched {
    struct touched_run {
        uint64_t offset, bytes;
    } * runs;
    size_t count, capacity;
};

/* Into an empty list. */
void touched_collect(const struct lab_buffer *buffer, struct touched *out);
/* Every run of a lies in a run of b. */
bool touched_is_within(const struct touched *a, const struct touched *b);
/* Inputs get what the seed says, outputs poison, scratch stays. */
bool touched_fill(const struct lab_run *run, int index, const struct touched *touched);
/* b's runs become a's, whose own are freed; b is empty then. */
void touched_move(struct touched *a, struct touched *b);

#endif
