/* late_bytes.h - bytes that are made where somebody first comes to them, a group at a time, and what copies bring of such bytes.
 * Knows nothing of memory: who has such bytes is for late.h. From several threads at once; but what begins, copies or ends does so
 * alone. */
#ifndef VGPU_LATE_BYTES_H
#define VGPU_LATE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu.h"

struct late;

/* The bytes are those that fill() makes; nobody may have used them. NULL: no memory. */
struct late *late_new(uint8_t *bytes, uint64_t size, vgpu_fill_fn *fill, void *context, int which);
/* The same for one more owner; freed when all have given it back (NULL: nothing). */
struct late *late_share(struct late *late);
void late_free(struct late *late);
/* Of the owner's list. */
struct late **late_next(struct late *late);

/* True if this is one of its bytes; if its first byte is one of these. */
bool late_holds(const struct late *late, const uint8_t *bytes);
bool late_lies_in(const struct late *late, const uint8_t *bytes, uint64_t size);

/* Makes what of these bytes is not there. True: something was not. */
bool late_make_bytes(struct late *late, const uint8_t *bytes, uint64_t count);
void late_make_all(struct late *late);
/* How many groups have been made, by any thread: whoever has read bytes before he brought them reads again if there are more now. */
uint64_t late_made(void);

/* Rows of one that become those of another. */
struct late_rows {
    uint8_t *to;
    const uint8_t *from;
    uint64_t to_pitch, from_pitch, width, height;
};
/* Of what is not there on the side that is copied from, nothing moves: it is made when somebody comes to the copy. False: not for
 * these, and nothing was done. */
bool late_copy_rows(struct late *to, struct late *from, const struct late_rows *copy);

#endif
