/* copy_queue.h - asynchronous copies to shared memory that are on their way.
 * What a lane has begun belongs to the group that it commits next; it waits for groups, the oldest first. */
#ifndef VGPU_COPY_QUEUE_H
#define VGPU_COPY_QUEUE_H

#include "core/machine.h"

enum { COPY_BYTES = 16 }; /* room per lane in the stage */

/* Where a copy's bytes lie when it begins, by lane: where stored_value() looks for them. */
static inline uint8_t *copy_stage(struct warp *warp)
{
    return &warp->worker->scratch[0][0];
}

/* The lanes of mask copy what is in the stage to these offsets of shared memory, whose bounds were found good. */
void copies_begin(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset);
void copies_commit(struct warp *warp, uint32_t lanes);
/* Waits until at most `left` of the lanes' latest groups are on their way. */
void copies_wait(struct warp *warp, const struct insn *insn, uint32_t lanes, uint32_t left);
/* Waits for all that the lanes have begun. */
void copies_finish(struct warp *warp, const struct insn *insn, uint32_t lanes);
/* A barrier in shared memory takes all that the lanes have begun for an arrival; and: the warp has waited for one. */
void copies_arrive(struct warp *warp, uint32_t lanes);
void copies_awaited(struct warp *warp, const struct insn *insn);

#endif
