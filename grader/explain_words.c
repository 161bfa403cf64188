/* explain_words.c - sentences about a stage that was explained, for the terminal and for pages: see explain.h. */
#define _GNU_SOURCE
#include "grader/explain.h"

#include <string.h>

int explain_row(const struct lab *lab, const struct lab_stage *stage)
{
    return (int)(stage - lab->stages) + 1;
}

static const struct verdict_message *find_first(const struct verdict *verdict, const char *severity)
{
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        if (!strcmp(verdict->messages[i].severity, severity))
            return &verdict->messages[i];
    return NULL;
}

const struct verdict_message *explain_find_words(const struct verdict *verdict)
{
    return find_first(verdict, VERDICT_EXPLAINED);
}

const struct verdict_message *explain_find_pipeline(const struct verdict *verdict)
{
    return find_first(verdict, VERDICT_PIPELINE);
}

bool explain_write_time(const struct explained *explained, const struct verdict *verdict, char *out,
                        size_t size)
{
    const struct lab *lab = explained->grading->session->lab;
    struct stage_result result = {.stage = explained->stage,
                                  .row = explain_row(lab, explained->stage),
                                  .verdict = (struct verdict *)verdict};
    struct lab_scale scale;
    char sizes[200];
    result.score.has_speedup = verdict->time.is_known;
    grading_describe_case(lab, explained->stage, LAB_TIMED, explained->grading->seed, sizes, sizeof sizes);
    if (!grading_find_scale(explained->grading, &result, &scale))
        return false;
    lab_write_scale(&scale, out, size);
    snprintf(out + strlen(out), size - strlen(out), " (%s).", sizes);
    return true;
}

void explain_write_wrong(const struct explained *explained, char *out, size_t size)
{
    const struct verdict *verdict = explained->verdict;
    const struct verdict_message *found = NULL;
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        found = strcmp(verdict->messages[i].severity, VERDICT_MOMENT) == 0 ? &verdict->messages[i] : found;
    *out = '\0';
    if (found || verdict->ncases)
        snprintf(out, size, "%s (%s%s%s), so times mean little yet: ./grade %s.%d",
                 verdict->ncases ? "The results are wrong" : "The results are not reliable",
                 found ? found->title : "in a small case", found && *found->place ? ", " : "",
                 found ? found->place : "", explained->grading->session->lab->id,
                 explain_row(explained->grading->session->lab, explained->stage));
}

bool explain_read_title(const struct verdict_message *message, unsigned long long *launches, double *us)
{
    return sscanf(message->title, "%llu launches, %lf us", launches, us) == 2;
}

void explain_write_share(const struct verdict *verdict, const struct verdict_message *message, char *out,
                         size_t size)
{
    const double *launches = verdict_counter(verdict, "launches"), nearly_all = 0.75;
    unsigned long long own = 0;
    double us = 0;
    *out = '\0';
    if (!launches || !verdict->time.is_known || !explain_read_title(message, &own, &us))
        return;
    const double part = 100 * us / verdict->time.student_us;
    if (part > 100) /* a graph starts them faster than the model of a single launch knows */
        snprintf(out, size,
                 "%.0f launches, which follow each other faster than single ones; the longest is shown.",
                 *launches);
    else if (own > 1)
        snprintf(
            out, size,
            "%.0f launches; the %llu of this kernel take %.0f %% of the time; the longest of them is shown.",
            *launches, own, part);
    else if (*launches > 1)
        snprintf(out, size, "%.0f launches; this one takes %.0f %% of the time.", *launches, part);
    else if (part < 100 * nearly_all && !explain_find_pipeline(verdict))
        snprintf(
            out, size,
            "The kernel takes %.0f %% of the time; the rest goes to the host, to copies and to the launch.",
            part);
}

void explain_write_next(const struct explained *explained, char *out, size_t size)
{
    *out = '\0';
    if (explained->stage->todo.section)
        snprintf(out, size, "More about this step: handouts/%s.md, section %d.",
                 explained->grading->session->entry->folder, explained->stage->todo.section);
}
