/* apart.h - work on bytes from strangers in a process that can do nothing else.
 * It has one file to read, a pipe to answer, and some seconds and memory; it opens nothing, starts nothing and talks to nobody. If it
 * crashes or is taken over, its answer is the only harm. */
#ifndef APART_H
#define APART_H

#include <stdbool.h>
#include <stddef.h>

enum { APART_INPUT = 0, APART_OUTPUT = 1 }; /* its descriptors */

/* Runs work(context) and hands back what it wrote, at most `most` bytes, to be freed. NULL: errno says why there is nothing: EFBIG,
 * EINTR (it crashed, or took too long), or what the system said. */
void *apart_run(int input, void (*work)(const void *context), const void *context, size_t most, size_t *size);
/* For the work: writes all of it, or ends the process. */
void apart_answer(const void *bytes, size_t size);

#endif
