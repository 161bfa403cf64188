/* grading.c - what is known of one run and of one submission: errors with whose they are, points, and names.
 * Every step writes to it; it calls none of them. Prints nothing. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------------- errors */

bool session_fail(struct session *session, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!*session->error)
        vsnprintf(session->error, sizeof session->error, format, list);
    va_end(list);
    return false;
}

bool grading_fail(struct grading *grading, enum outcome whose, const char *format, ...)
{
    va_list list;
    char *text = NULL;
    if (grading->trouble)
        return false;
    va_start(list, format);
    grading->trouble = vasprintf(&text, format, list) >= 0 ? text : NULL;
    va_end(list);
    grading->outcome = grading->trouble ? whose : OUTCOME_OURS;
    return false;
}

/* ------------------------------------------------------------------------------------------- one submission */

void grading_describe_case(const struct lab *lab, const struct lab_stage *stage, uint32_t which,
                           uint64_t draw, char *out, size_t size)
{
    struct lab_case found;
    if (lab_find_case(lab, stage, which, draw, &found))
        lab_describe_case(lab, stage, &found, out, size);
    else
        snprintf(out, size, "case %u", which);
}

struct totals grading_totals(const struct grading *grading)
{
    struct totals totals = {0, 0, 0};
    for (int i = 0; i < grading->nstages; i++) {
        const struct stage_result *one = &grading->stages[i];
        if (one->stage->is_bonus) {
            totals.bonus += one->score.all.points;
        } else {
            totals.points += one->score.all.points;
            totals.most += lab_stage_points(one->stage);
        }
    }
    return totals;
}

void grading_free(struct grading *grading)
{
    for (int i = 0; i < grading->nstages; i++) {
        verdict_free(grading->stages[i].verdict);
        free(grading->stages[i].trouble);
        free(grading->stages[i].printed);
    }
    free(grading->trouble);
    free(grading->warnings);
    *grading = (struct grading){.session = NULL};
}
