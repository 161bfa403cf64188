/* late.h - memory whose bytes are made where somebody first comes to them, some at a time: inputs of a gigabyte, of which a sample of
 * the blocks reads little, and what copies bring of them. Whoever reads or writes such bytes brings them first. From several threads
 * at once; but what begins, copies or ends does so alone. */
#ifndef VGPU_LATE_H
#define VGPU_LATE_H

#include "memory/memory.h"
#include "vgpu.h"

/* From now on the allocation's bytes are those that fill() makes; nobody may have used it. False: no memory. */
bool late_begin(struct allocation *allocation, vgpu_fill_fn *fill, void *context, int which);
/* The same of host memory, until it ends. Of it the program itself may come to nothing that it has not brought. */
bool late_begin_host(struct memory *memory, void *host, uint64_t size, vgpu_fill_fn *fill, void *context,
                     int which);
void late_end_host(struct memory *memory, const void *host);
/* A range of host memory that is registered has the bytes that lie there. */
void late_register(struct memory *memory, struct allocation *registered);
/* True if there is an allocation with such bytes. */
bool late_is_used(const struct memory *memory);

/* Makes what of these bytes is not there. True: something was not. */
bool late_make(struct allocation *allocation, uint64_t address, uint64_t bytes);
static inline bool late_bring(struct allocation *allocation, uint64_t address, uint64_t bytes)
{
    return allocation->late && late_make(allocation, address, bytes);
}
/* The same behind a pointer: of the device or of the host. */
void late_bring_at(struct memory *memory, uint64_t address, uint64_t bytes);

/* Rows of one memory that become those of another: late_copy_rows(). */
struct late_copy {
    uint64_t to, from; /* addresses */
    uint64_t to_pitch, from_pitch, width, height;
};
bool late_copy(struct memory *memory, const struct late_copy *copy);

#endif
