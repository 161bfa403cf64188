/* findings.h - what was found wrong while a launch runs, as facts; report/ puts them into words.
 * A finding is kept with its block, merged in block order when the block is done, and told when the launch ends, so
 * that what is told does not depend on host threads. Repeats of one place are counted, not kept.
 * Whoever finds something knows the sentence about it (what happened to whom); title and cause come from its kind. */
#ifndef VGPU_CORE_FINDINGS_H
#define VGPU_CORE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"
#include "vgpu.h"

/* Two findings of the same kind, space, direction and places are one. */
struct finding {
    enum vgpu_finding kind;
    enum ptx_space space; /* of an access; PTX_GENERIC where it does not matter */
    bool is_write;        /* an access that writes */
    uint32_t loc;         /* index into the module's locs: the instruction at fault */
    uint32_t other_loc;   /* the other access of a race; 0: none */

    uint32_t insn;       /* the instruction's id: index of its statistics */
    uint32_t other_insn; /* that of the other access of a race in shared memory; 0: unknown */
    uint64_t address,
        last_address; /* of a bad access: the lowest and the highest that were seen at this place */

    uint64_t block;         /* linear block number */
    uint32_t thread;        /* linear thread number in the block */
    char array[80];         /* the array's name, for the first line; "" for none */
    char what[512];         /* "writes 4 bytes at tile[32][0]; `tile` has ..." */
    char cause[240];        /* where more is known than the kind's own cause; "" otherwise */
    const char *near_cause; /* the same if addresses stay within near_bytes of each other; NULL: none */
    uint32_t near_bytes;
};

struct findings;
struct findings *findings_new(void);
void findings_free(struct findings *list);
/* Adds it, or counts a repeat. At most some hundred places are kept; more are only counted. */
void findings_add(struct findings *list, const struct finding *finding);
/* Counts a repeat of a place that is known already, before any sentence is written. False: it is new. */
bool findings_repeat(struct findings *list, const struct finding *finding);
bool findings_has(const struct findings *list, const struct finding *finding); /* a place that is known */
/* Moves all of from to the end of into, merging repeats. */
void findings_merge(struct findings *into, struct findings *from);
void findings_clear(struct findings *list);
/* Removes those that are wanted and gives a copy of the first of them; false: there is none. */
bool findings_take(struct findings *list, bool (*is_wanted)(const struct finding *), struct finding *first);

size_t findings_count(const struct findings *list); /* places */
/* Place i, in the order of finding, and how often it was found. */
const struct finding *findings_at(const struct findings *list, size_t i, uint64_t *times);
uint64_t findings_dropped(const struct findings *list); /* found at places for which there was no room */

/* A finding about one lane, at an instruction, begun: kind, place and thread are filled in. */
struct finding finding_of(const struct warp *warp, const struct insn *insn, int lane, enum vgpu_finding kind);
/* For handlers: fills in all of it and adds it to the block's list. */
void finding_add(struct warp *warp, const struct insn *insn, int lane, enum vgpu_finding kind,
                 const char *what, ...) __attribute__((format(printf, 5, 6)));

#endif
