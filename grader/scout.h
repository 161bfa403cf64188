/* scout.h - what the scout, which records, and the judge, which replays, agree on.
 * Names and one constant; the trace itself is trace/trace.h. */
#ifndef SCOUT_H
#define SCOUT_H

#include <stdint.h>
#include <stdio.h>

#include "lab/lab.h"

/* The seeds that entry points see while they are recorded, where the driver hands them one: each case under both. The judge
 * draws all of its own, so that nobody can compute a result beforehand. No byte of the two is the same. */
#define SCOUT_SEED       LAB_KITS_SEED
#define SCOUT_OTHER_SEED UINT64_C(0x4c61d38a)

/* How the note of a segment begins whose entry point does not exist. */
#define SCOUT_MISSING "There is no function "
/* What the scout says when the submission has used up its memory. */
#define SCOUT_NO_MEMORY "Host memory ran out."

/* What a recording of the kit's baseline.cu is made of: for every stage the function it is compared with, and the one
 * whose results are right. */
enum scout_role { SCOUT_BASELINE, SCOUT_ANSWER, SCOUT_ROLES };

static inline const char *scout_entry(const struct lab *lab, const struct lab_stage *stage,
                                      enum scout_role role)
{
    return role == SCOUT_ANSWER ? lab_answer(lab, stage) : lab_baseline(lab, stage);
}

/* The segment's name in such a recording: "padded:answer". */
static inline void scout_segment(const struct lab_stage *stage, enum scout_role role, char *out, size_t size)
{
    static const char *const names[] = {[SCOUT_BASELINE] = "baseline", [SCOUT_ANSWER] = "answer"};
    snprintf(out, size, "%s:%s", stage->id, names[role]);
}

#endif
