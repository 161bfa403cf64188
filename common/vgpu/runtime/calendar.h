/* calendar.h - what an engine has promised: which part of it is taken from when to when.
 * An engine has CALENDAR_PARTS parts: a copy engine gives all of them to one copy, the SMs are shared by kernels.
 * It knows time and parts only; what an operation costs is clock.c's business. */
#ifndef VGPU_CALENDAR_H
#define VGPU_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t picoseconds;
#define CALENDAR_NEVER UINT64_MAX

enum { CALENDAR_PARTS = 1024, CALENDAR_CHANGES = 4096 };

/* From a change to the next, `taken` parts are in use; nothing before the first, and nothing after the last. */
struct calendar {
    struct change {
        picoseconds time;
        uint32_t taken;
    } changes[CALENDAR_CHANGES];
    size_t count;
};

/* The parts in use at a time; *until: when that changes next, or CALENDAR_NEVER. */
uint32_t calendar_taken(const struct calendar *calendar, picoseconds time, picoseconds *until);
/* Takes parts from one time to another. The caller has seen that they are free and that there is room. */
void calendar_take(struct calendar *calendar, picoseconds from, picoseconds to, uint32_t parts);
/* Nothing will be asked about times before this one. */
void calendar_forget(struct calendar *calendar, picoseconds before);
/* True while a few more operations find room. */
bool calendar_has_room(const struct calendar *calendar);

#endif
