/* course_csv.c - results.csv: a row per student, made anew from the class whenever something has changed. */
#include "grader/course/course.h"
#include "grader/course/csv.h"

#include <string.h>

/* Stages that anybody was graded in, by their row in the lab's table. */
enum { MOST_STAGES = 64 };
struct stages {
    const struct record_stage *of[MOST_STAGES]; /* index: row - 1 */
};

static struct stages find_stages(const struct course *course)
{
    struct stages stages = {.of = {NULL}};
    for (size_t i = 0; i < course->content.nrecords; i++) {
        const struct record *record = &course->content.records[i];
        for (size_t s = 0; s < record->nstages; s++) {
            const long row = record->stages[s].row;
            if (row >= 1 && row <= MOST_STAGES)
                stages.of[row - 1] = &record->stages[s];
        }
    }
    return stages;
}

static void put_head(const struct stages *stages, FILE *file)
{
    fputs("student,points,max,bonus,", file);
    for (int i = 0; i < MOST_STAGES; i++) {
        if (stages->of[i])
            csv_put(file, stages->of[i]->id, ',');
    }
    fputs("status,message,sandbox,name,email,section,submitted,late,override,note,source\n", file);
}

static void put_stages(const struct course_member *member, const struct stages *stages, FILE *file)
{
    const struct record *record = member->record;
    const bool has_points = record && strcmp(record->status, record_status_names[RECORD_ERROR]) != 0;
    for (int i = 0; i < MOST_STAGES; i++) {
        if (!stages->of[i])
            continue;
        for (size_t s = 0; has_points && s < record->nstages; s++) {
            if (record->stages[s].row == i + 1)
                fprintf(file, "%ld", record->stages[s].points);
        }
        putc(',', file);
    }
}

static void put_points(const struct course *course, const struct course_member *member, FILE *file)
{
    if (member->has_grade)
        fprintf(file, "%ld,%ld,%ld,", member->points, course->most, member->bonus);
    else
        fprintf(file, ",%ld,,", course->most);
}

static void put_lateness(const struct course_member *member, FILE *file)
{
    if (member->late_s)
        fprintf(file, "%ld min,", (member->late_s + 59) / 60);
    else
        fputs(member->is_late ? "yes," : ",", file);
}

static void put_row(const struct course *course, const struct course_member *member,
                    const struct stages *stages, FILE *file)
{
    const struct record *record = member->record;
    const struct store_student *who = member->who;
    csv_put(file, member->id, ',');
    put_points(course, member, file);
    put_stages(member, stages, file);
    csv_put(file, record ? record->status : "missing", ',');
    csv_put(file, record ? record->message : "", ',');
    csv_put(file, member->environment ? member->environment->sandbox : "", ',');
    csv_put(file, who ? who->name : "", ',');
    csv_put(file, who ? who->email : "", ',');
    csv_put(file, who ? who->section : "", ',');
    csv_put(file, record ? record->submitted : "", ',');
    put_lateness(member, file);
    csv_put(file, member->override ? member->override->reason : "", ',');
    csv_put(file, record ? record->note : "", ',');
    csv_put(file, record ? record->source : "", '\n');
}

void course_put_csv(const struct course *course, FILE *file)
{
    const struct stages stages = find_stages(course);
    put_head(&stages, file);
    for (size_t i = 0; i < course->nmembers; i++)
        put_row(course, &course->members[i], &stages, file);
}
