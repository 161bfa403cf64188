/* sample.h - a case of which the virtual GPU executes only some blocks: what they touch, and whether what they write is right. (What
 * they read is there when they come to it: buffers_fill_late().) For the judge and for build/lab3 alike; the caller steers the virtual
 * GPU. */
#ifndef LAB_SAMPLE_H
#define LAB_SAMPLE_H

#include "lab/lab.h"

/* What blocks touched of a buffer, in runs of bytes, by offset. */
struct touched_run {
    uint64_t offset, bytes;
};
struct touched {
    struct touched_run *runs;
    size_t count, capacity;
};

/* By buffer, since they were allocated. */
void touched_collect(const struct lab_run *run, struct touched *out);
void touched_free(struct touched *list);
/* Not what was touched, but what may be: some stretches of each output, from its first element to its last. For runs of which all
 * blocks are executed. */
void touched_spread(const struct lab_run *run, struct touched *out);
/* Holds what blocks wrote against lab_element(), where the stage has it; all blocks, if nobody has noted the words that they store
 * (vgpu_words_stored): then nothing is left to others. The first element that is wrong is told in words:
 * "out[row 3][column 4] is 1, should be 2"; "": none is. False: CUDA refused. */
bool touched_compare(const struct lab_run *run, const struct touched *touched, char *wrong, size_t size);
/* Element i of an output, if it is wrong, in words. The lab must tell elements one by one. */
void touched_compare_element(const struct lab_run *run, int index, size_t i, uint64_t got, char *wrong,
                             size_t size);

#endif
