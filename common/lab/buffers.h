/* buffers.h - the memory of a run: device arrays of exactly the declared sizes, inputs and poison in them, host copies beside them.
 * The same for whoever runs a stage: build/lab3 and the judges, on a GPU and on the virtual one. Words that are returned say
 * what failed; NULL: nothing. */
#ifndef LAB_BUFFERS_H
#define LAB_BUFFERS_H

#include "lab/lab.h"

/* True where the virtual GPU is linked. */
bool buffers_are_virtual(void);

/* Allocates what the run declares. Where it fails, nothing is left allocated. */
const char *buffers_open(struct lab_run *run);
/* Gives back all of it, host copies too. */
void buffers_close(struct lab_run *run);
/* Gives back a buffer's memory on the device: its host copy stays. */
void buffers_drop(struct lab_run *run, int index);

/* Fills inputs, and all else with poison. On the virtual GPU nobody has written the poison, nor what an earlier call left in scratch
 * memory: its checker tells who goes by it. Host copies are made of all buffers but large inputs. */
const char *buffers_fill(struct lab_run *run);
/* The same of inputs and outputs, and no host copies: for whoever compares some elements. */
const char *buffers_fill_device(const struct lab_run *run);
/* On the virtual GPU, for samples of the blocks: memory is filled where somebody first comes to it. Of a lab whose launches are
 * chained, all that is no input holds bytes of which no number comes: blocks that are not in the sample should have written it.
 * is_played: memory of the host too, since no host code but the kit's own runs (vgpu_bring()). */
const char *buffers_fill_late(struct lab_run *run, bool is_played);
/* Writes poison to scratch memory that the virtual GPU would know to be unwritten: to see what else is written there. */
const char *buffers_fill_scratch(struct lab_run *run);

/* Brings a buffer to its host copy. */
const char *buffers_fetch(struct lab_run *run, int index);
/* True if it holds what buffers_fill() put there. */
bool buffers_is_unchanged(const struct lab_run *run, int index);
/* The host copy of a large input, which had none while kernels ran. */
const char *buffers_make_host(struct lab_run *run, int index);

#endif
