/* course_csv.c - results.csv: a row per student, made anew from the class whenever something has changed. */
#include "grader/course/course.h"
#include "grader/course/csv.h"

#include <stdlib.h>
#include <string.h>

static void put_head(const struct course *course, FILE *file)
{
    fputs("student,points,max,bonus,", file);
    for (size_t i = 0; i < course->nstages; i++)
        csv_put(file, course->stages[i].id, ',');
    fputs("status,message,sandbox,name,email,section,submitted,late,override,note,source,uncounted\n", file);
}

/* Empty where none were given. */
static void put_stages(const struct course *course, const struct course_member *member, FILE *file)
{
    const bool is_error =
        member->record && strcmp(member->record->status, record_status_names[RECORD_ERROR]) == 0;
    for (size_t i = 0; i < course->nstages; i++) {
        const struct record_stage *stage = course_find_stage(member, course->stages[i].row);
        if (stage && !is_error)
            fprintf(file, "%ld", stage->points);
        putc(',', file);
    }
}

static void put_points(const struct course *course, const struct course_member *member, FILE *file)
{
    if (member->has_grade)
        fprintf(file, "%g,%ld,%g,", member->points, course->most, member->bonus);
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

static void put_row(const struct course *course, const struct course_member *member, FILE *file)
{
    const struct record *record = member->record;
    const struct store_student *who = member->who;
    csv_put(file, member->id, ',');
    put_points(course, member, file);
    put_stages(course, member, file);
    csv_put(file, course_status(member), ',');
    csv_put(file, record ? record->message : "", ',');
    csv_put(file, member->environment ? member->environment->sandbox : "", ',');
    csv_put(file, who ? who->name : "", ',');
    csv_put(file, who ? who->email : "", ',');
    csv_put(file, who ? who->section : "", ',');
    csv_put(file, record ? record->submitted : "", ',');
    put_lateness(member, file);
    csv_put(file, member->override ? member->override->reason : "", ',');
    csv_put(file, record ? record->note : "", ',');
    csv_put(file, record ? record->source : "", ',');
    char *uncounted = course_uncounted(course, member);
    csv_put(file, uncounted ? uncounted : "", '\n');
    free(uncounted);
}

void course_put_csv(const struct course *course, FILE *file)
{
    put_head(course, file);
    for (size_t i = 0; i < course->nmembers; i++)
        put_row(course, &course->members[i], file);
}
