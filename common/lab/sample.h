/* sample.h - a case of which the virtual GPU executes only some blocks: what they touch, inputs where they need them, and whether
 * what they write is right. To fill in everything would take longer than the blocks do: so they run once to show what they
 * touch, and again with the inputs there. For the judge and for build/lab3 alike; the caller steers the virtual GPU. */
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
/* All of one buffer: a copy takes it. */
void touched_add_whole(const struct lab_run *run, int index, struct touched *out);
void touched_move(struct touched *to, struct touched *from);
/* True if all that blocks touch now was known before; scratch memory does not matter. */
bool touched_is_within(const struct lab_run *run, const struct touched *now, const struct touched *known);
/* Inputs and poison where they will be touched (scratch memory: if launches are chained); the rest stays pages that nobody ever wrote. known: NULL if nobody knows. A
 * kernel that finds its way by what it reads (the nodes of a tree) touches other places in every pass: from pass number
 * TOUCHED_WHOLE on inputs are filled in as a whole, if they are not too large. False: CUDA refused. */
enum { TOUCHED_WHOLE = 2, TOUCHED_ALL = 1 << 20 /* inputs are there as a whole, however large */ };
bool touched_fill(const struct lab_run *run, const struct touched *known, int pass);
/* Not what was touched, but what may be: all inputs and outputs, in pieces; and some stretches of each output, from its first
 * element to its last. For runs of which all blocks are executed. */
void touched_all(const struct lab_run *run, struct touched *out);
void touched_spread(const struct lab_run *run, struct touched *out);
/* All of it, where that is little: to fill it in takes less time than to run blocks only to see what they touch. False: there is
 * too much, and nobody knows. */
bool touched_foresee(const struct lab_run *run, struct touched *out);
/* One time through the sampled blocks, with inputs where `known` says; NULL: nobody knows. What it touches goes to where touched_repeat()
 * was told. False: it failed. */
typedef bool touched_pass_fn(void *context, const struct touched *known, int pass, bool is_timed);
/* Where it cannot be foreseen what will be touched, the first of several passes is not timed: it only shows that. Each later one
 * has data there, and may so find its way to more; when a pass touches nothing else, it is stable, and the last. Without inputs and
 * results to compare, the first shows all there is. What is wrong counts only in a stable pass: before, some inputs were
 * missing. */
bool touched_repeat(const struct lab_run *run, touched_pass_fn *run_pass, void *context,
                    struct touched *touched, bool *is_stable);
/* Holds what blocks wrote against lab_element(), where the stage has it; all blocks, if nobody has noted the words that they store
 * (vgpu_words_stored): then nothing is left to others. The first element that is wrong is told in words:
 * "out[row 3][column 4] is 1, should be 2"; "": none is. False: CUDA refused. */
bool touched_compare(const struct lab_run *run, const struct touched *touched, char *wrong, size_t size);
/* Element i of an output, if it is wrong, in words. The lab must tell elements one by one. */
void touched_compare_element(const struct lab_run *run, int index, size_t i, uint64_t got, char *wrong,
                             size_t size);

#endif
