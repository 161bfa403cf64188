/* build.h - how a trace grows: for the recorder, the reader and tests.
 * An array of n items has room for the next power of two of n, so that its count alone tells when it must grow.
 * Functions that give NULL have run out of memory or hit a limit of trace.h and changed nothing. */
#ifndef TRACE_BUILD_H
#define TRACE_BUILD_H

#include "trace/trace.h"

/* An array of count items with room for `more` others, which are 0. NULL: no memory, the old array is as it was. */
void *trace_grow(void *array, uint32_t count, uint32_t more, size_t item_bytes);

struct trace_segment *trace_add_segment(struct trace *trace);
void trace_drop_segment(struct trace *trace); /* the last one */
struct trace_op *trace_add_op(struct trace_segment *segment, enum trace_kind kind);
void trace_drop_ops(struct trace_segment *segment); /* all */
struct trace_note *trace_add_note(struct trace_segment *segment);
/* The index of a name, added if it is new. False: no room. */
bool trace_add_name(struct trace *trace, const char *name, uint32_t *index);

#endif
