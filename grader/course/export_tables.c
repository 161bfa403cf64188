/* export_tables.c - the class as a table: for a spreadsheet, for Canvas, for Moodle. A row for everybody; who has no grade has
 * empty cells where points stand. Cells never are formulas. */
#define _GNU_SOURCE
#include "grader/course/export_each.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "grader/course/csv.h"
#include "grader/course/export_gradebook.h"
#include "grader/course/export_words.h"

static void put_text(FILE *file, char *text, char end)
{
    csv_put(file, text ? text : "", end);
    free(text);
}

/* A number that means nothing without a grade. */
static void put_points(FILE *file, const struct course_member *member, double points, char end)
{
    if (member->has_grade)
        fprintf(file, "%g", points);
    fputc(end, file);
}

static const char *email_of(const struct course_member *member)
{
    return member->who ? member->who->email : "";
}

static const char *section_of(const struct course_member *member)
{
    return member->who ? member->who->section : "";
}

/* The number that a platform gave somebody, from the name under which it handed out the submission; "": none. Where a roster has
 * other ids, nobody knows whether it is theirs. */
enum { NUMBER = 24 };
static void find_number(const struct course_member *member, const char *pattern, const char *before,
                        char out[NUMBER])
{
    regex_t regex;
    regmatch_t match[3];
    *out = '\0';
    if (!member->record || regcomp(&regex, pattern, REG_EXTENDED) != 0)
        return;
    if (regexec(&regex, member->record->source, 3, match, 0) == 0)
        snprintf(out, NUMBER, "%.*s", (int)(match[2].rm_eo - match[2].rm_so),
                 member->record->source + match[2].rm_so);
    regfree(&regex);
    const size_t length = strlen(before);
    const bool is_of_roster =
        strncmp(member->id, before, length) == 0 && strcmp(member->id + length, out) == 0;
    if (member->who && !is_of_roster)
        *out = '\0';
}

/* ------------------------------------------------------------------------------------------- for spreadsheets */

/* Texts of a record and of its environment, in the order of the columns. */
static const struct column {
    const char *heading;
    bool is_environment;
    size_t offset;
} columns[] = {
    {"note", false, offsetof(struct record, note)},
    {"message", false, offsetof(struct record, message)},
    {"source", false, offsetof(struct record, source)},
    {"submitted", false, offsetof(struct record, submitted)},
    {"graded", false, offsetof(struct record, begun)},
    {"seed", false, offsetof(struct record, seed)},
    {"hash", false, offsetof(struct record, hash)},
    {"backend", true, offsetof(struct record_environment, backend)},
    {"gpu", true, offsetof(struct record_environment, gpu)},
    {"kit", true, offsetof(struct record_environment, kit)},
    {"sandbox", true, offsetof(struct record_environment, sandbox)},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_heading(const struct export *export, FILE *file)
{
    fputs("student,name,email,section,points,max,bonus,", file);
    for (size_t i = 0; i < export->nstages; i++)
        csv_put(file, export->stages[i].id, ',');
    fputs("status,late,override,earned,earned_bonus,late_seconds,submissions,uncounted", file);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(file, ",%s", columns[i].heading);
    fputc('\n', file);
}

static void put_stages(const struct export *export, const struct course_member *member, FILE *file)
{
    for (size_t i = 0; i < export->nstages; i++) {
        const struct record_stage *stage = export_find_stage(member, export->stages[i].id);
        if (stage && !export_is_lost(member))
            fprintf(file, "%ld", stage->points);
        fputc(',', file);
    }
}

static void put_column(const struct export *export, const struct course_member *member,
                       const struct column *column, char end, FILE *file)
{
    const void *row = column->is_environment ? (const void *)member->environment : member->record;
    put_text(file, export_plain(export, row ? *(char *const *)((const char *)row + column->offset) : ""),
             end);
}

static void put_row(const struct export *export, const struct course_member *member, FILE *file)
{
    csv_put(file, member->id, ',');
    csv_put(file, member->name, ',');
    csv_put(file, email_of(member), ',');
    csv_put(file, section_of(member), ',');
    put_points(file, member, member->points, ',');
    fprintf(file, "%ld,", export->course->most);
    put_points(file, member, member->bonus, ',');
    put_stages(export, member, file);
    csv_put(file, export_status(member), ',');
    fputs(member->is_late ? "yes," : ",", file);
    csv_put(file,
            !member->override           ? ""
            : *member->override->reason ? member->override->reason
                                        : "by hand",
            ',');
    put_points(file, member, (double)member->earned, ',');
    put_points(file, member, (double)member->earned_bonus, ',');
    fprintf(file, "%ld,%d,", member->late_s, member->submissions);
    put_text(file, course_uncounted(export->course, member), ',');
    for (int i = 0; i < COLUMNS; i++)
        put_column(export, member, &columns[i], i + 1 < COLUMNS ? ',' : '\n', file);
}

void export_csv(const struct export *export, const struct course_member *none, FILE *file)
{
    (void)none;
    put_heading(export, file);
    for (size_t i = 0; i < export->course->nmembers; i++) {
        if (export_takes(export, &export->course->members[i]))
            put_row(export, &export->course->members[i], file);
    }
}

/* ------------------------------------------------------------------------------------------- Canvas */

/* Canvas looks for a student by ID first, its own number, then by the two SIS columns, then by name. A roster's id may be a student
 * number, which could be somebody else's number in Canvas: ID is written only if submissions came from there with it, as
 * doejane_12345_678910_lab3.cu. Any further column would become an assignment. */
static void find_canvas_number(const struct course_member *member, char out[NUMBER])
{
    find_number(member, "^[^_/]+_(LATE_)?([0-9]{1,19})_[0-9]+_", "", out);
}

/* One submission with its student's id as Canvas's number shows what the roster's ids are, also of those who handed in nothing. */
static bool has_canvas_roster(const struct course *course)
{
    char number[NUMBER] = "";
    for (size_t i = 0; i < course->nmembers && !*number; i++) {
        if (course->members[i].who)
            find_canvas_number(&course->members[i], number);
    }
    return *number;
}

static void put_canvas_row(const struct course_member *member, bool is_of_canvas, FILE *file)
{
    char number[NUMBER];
    const size_t digits = strspn(member->id, "0123456789");
    find_canvas_number(member, number);
    if (is_of_canvas && member->who && digits && !member->id[digits])
        snprintf(number, sizeof number, "%.19s", member->id);
    csv_put(file, member->name, ',');
    fprintf(file, "%s,", number);
    csv_put(file, *number ? "" : member->id, ',');
    csv_put(file, *number ? "" : member->id, ',');
    csv_put(file, section_of(member), ',');
    put_points(file, member, export_total(member), '\n');
}

static void put_canvas_class(const struct export *export, const char *assignment, FILE *file)
{
    const struct course *course = export->course;
    const bool is_of_canvas = has_canvas_roster(course);
    fputs("Student,ID,SIS User ID,SIS Login ID,Section,", file);
    csv_put(file, assignment, '\n');
    fprintf(file, "    Points Possible,,,,,%ld\n", course->most);
    for (size_t i = 0; i < course->nmembers; i++) {
        if (export_takes(export, &course->members[i]))
            put_canvas_row(&course->members[i], is_of_canvas, file);
    }
}

void export_canvas(const struct export *export, const struct course_member *none, FILE *file)
{
    const struct course *course = export->course;
    char assignment[300];
    (void)none;
    snprintf(assignment, sizeof assignment, "%.200s (%.40s)", *course->title ? course->title : "Warpstep",
             course->lab);
    if (export->gradebook)
        export_gradebook_write(export, assignment, file);
    else
        put_canvas_class(export, assignment, file);
}

/* ------------------------------------------------------------------------------------------- Moodle */

/* Comments are HTML there. */
static char *make_html(char *text)
{
    char *html = NULL;
    size_t size;
    FILE *file = open_memstream(&html, &size);
    for (const char *at = text; file && at && *at; at++) {
        static const char signs[] = "&<>\"\n", *const by[] = {"&amp;", "&lt;", "&gt;", "&quot;", "<br>"};
        const char *sign = strchr(signs, *at);
        if (sign)
            fputs(by[sign - signs], file);
        else
            fputc(*at, file);
    }
    free(text);
    return file && fclose(file) == 0 ? html : NULL;
}

/* Moodle skips grades above the maximum without a word: a bonus beyond it stands in the comment. It finds people by the identifier
 * alone, "Participant 17": from a roster, or from the submission's name, Jane Doe_17_assignsubmission_file_. Whatever else stands
 * there it skips; no other number may be made into an identifier, which could be somebody else's. */
#define PARTICIPANT "Participant "
static void find_identifier(const struct course_member *member, char out[NUMBER + 12])
{
    char number[NUMBER];
    find_number(member, "()_([0-9]{1,19})_assignsubmission_", PARTICIPANT, number);
    snprintf(out, NUMBER + 12, "%s%s", *number ? PARTICIPANT : "", number);
}

size_t export_count_skipped(const struct export *export)
{
    size_t count = 0;
    for (size_t i = 0; i < export->course->nmembers; i++) {
        const struct course_member *member = &export->course->members[i];
        char identifier[NUMBER + 12];
        find_identifier(member, identifier);
        count += export_takes(export, member) && !*identifier &&
                 strncmp(member->id, PARTICIPANT, strlen(PARTICIPANT)) != 0;
    }
    return count;
}

static void put_moodle_row(const struct export *export, const struct course_member *member, FILE *file)
{
    char identifier[NUMBER + 12];
    find_identifier(member, identifier);
    csv_put(file, *identifier ? identifier : member->id, ',');
    csv_put(file, member->name, ',');
    csv_put(file, email_of(member), ',');
    fprintf(file, "%s%s,", member->record ? "Submitted for grading" : "No submission",
            member->has_grade ? " - Graded" : "");
    put_points(file, member, export_capped(export, member), ',');
    fprintf(file, "%ld,Yes,-,", export->course->most);
    put_text(file, member->has_grade ? make_html(export_words(export, member, true)) : NULL, '\n');
}

void export_moodle(const struct export *export, const struct course_member *none, FILE *file)
{
    (void)none;
    fputs("Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified "
          "(grade),"
          "Feedback comments\n",
          file);
    for (size_t i = 0; i < export->course->nmembers; i++) {
        if (export_takes(export, &export->course->members[i]))
            put_moodle_row(export, &export->course->members[i], file);
    }
}
