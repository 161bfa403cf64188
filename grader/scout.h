/* scout.h - what the scout, which records, and the judge, which replays, agree on.
 * Names and one constant; the trace itself is trace/trace.h. */
#ifndef SCOUT_H
#define SCOUT_H

#include <stdint.h>
#include <stdio.h>

#include "lab/lab.h"

/* The seed that entry points see while they are recorded. The judge draws the inputs from a seed of its own, so that
 * nobody can compute a result beforehand; where a driver hands the seed itself to the entry point, it is this one. */
#define SCOUT_SEED UINT64_C(20160229)

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
