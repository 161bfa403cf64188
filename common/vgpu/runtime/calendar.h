/* calendar.h - what an engine has promised: which part of it is taken from when to when.
 * An engine has CALENDAR_PARTS parts of each kind of thing that it can run out of: a copy engine has one kind, and gives all of
 * it to one copy; kernels share places for blocks, units and memory.
 * It knows time and parts only; what an operation costs is clock.c's business. */
#ifndef VGPU_CALENDAR_H
#define VGPU_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t picoseconds;
#define CALENDAR_NEVER UINT64_MAX

enum { CALENDAR_PARTS = 1024, CALENDAR_KINDS = 18, CALENDAR_CHANGES = 4096 };

struct parts {
    uint16_t of[CALENDAR_KINDS];
};

/* From a change to the next, `taken` parts are in use; nothing before the first, and nothing after the last. */
struct calendar {
    struct change {
        picoseconds time;
        struct parts taken;
    } changes[CALENDAR_CHANGES];
    size_t count;
};

/* The parts in use at a time; *until: when that changes next, or CALENDAR_NEVER. */
struct parts calendar_taken(const struct calendar *calendar, picoseconds time, picoseconds *until);
/* Takes parts from one time to another. The caller has seen that they are free and that there is room. */
void calendar_take(struct calendar *calendar, picoseconds from, picoseconds to, struct parts parts);
/* Nothing will be asked about times before this one. */
void calendar_forget(struct calendar *calendar, picoseconds before);
/* True while a few more operations find room. */
bool calendar_has_room(const struct calendar *calendar);

#endif
