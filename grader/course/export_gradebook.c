/* export_gradebook.c - Canvas' gradebook: see export_gradebook.h. */
#define _GNU_SOURCE
#include "grader/course/export_gradebook.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grader/course/export_words.h"

/* Columns that say who a student is; others are assignments, or what Canvas computes. */
static const char *const of_students[] = {"Student",        "ID",           "SIS User ID", "SIS Login ID",
                                          "Integration ID", "Root Account", "Section"};
enum { OF_STUDENTS = sizeof of_students / sizeof *of_students };

/* ------------------------------------------------------------------------------------------- the assignment */

/* How long the name is before " (12345)"; 0: it is no assignment's heading. */
static size_t name_length(const char *heading)
{
    const size_t length = strlen(heading);
    size_t at = length;
    if (length < 4 || heading[length - 1] != ')')
        return 0;
    for (at = length - 1; at > 0 && isdigit((unsigned char)heading[at - 1]);)
        at--;
    return at > 2 && at < length - 1 && heading[at - 1] == '(' && heading[at - 2] == ' ' ? at - 2 : 0;
}

/* "Lab 3: transpose" names lab3; "Lab 31" does not. */
static bool names_lab(const char *heading, const char *lab)
{
    char letters[200];
    size_t count = 0;
    const size_t length = name_length(heading);
    for (size_t i = 0; i < length && count + 1 < sizeof letters; i++) {
        if (isalnum((unsigned char)heading[i]))
            letters[count++] = (char)tolower((unsigned char)heading[i]);
    }
    letters[count] = '\0';
    const char *found = strstr(letters, lab);
    return found && !isdigit((unsigned char)found[strlen(lab)]);
}

static bool is_wanted(const char *heading, const char *wanted)
{
    const size_t length = name_length(heading);
    return strcasecmp(heading, wanted) == 0 ||
           (length == strlen(wanted) && strncasecmp(heading, wanted, length) == 0);
}

/* The only column that fits; otherwise words with those there are. */
static bool find_column(struct export_gradebook *book, const char *wanted, const struct course *course,
                        char *error, size_t size)
{
    size_t fits = 0, all = 0;
    char list[300] = "";
    for (size_t i = 0; i < book->table.cells[0]; i++) {
        const char *heading = csv_cell(&book->table, 0, i);
        if (!name_length(heading))
            continue;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", heading);
        all++;
        if (wanted ? is_wanted(heading, wanted) : names_lab(heading, course->lab)) {
            book->column = i;
            fits++;
        }
    }
    if (fits != 1)
        snprintf(error, size, "the column of %.40s is not clear: say --column HEADING. %s%.300s.",
                 wanted ? wanted : course->lab, all ? "There are: " : "There is none of an assignment", list);
    return fits == 1;
}

/* ------------------------------------------------------------------------------------------- students */

static const char *cell(const struct export_gradebook *book, size_t row, const char *heading)
{
    const int column = csv_column(&book->table, heading);
    return column < 0 ? "" : csv_cell(&book->table, row, (size_t)column);
}

static bool is_said(const char *text, const char *other)
{
    return *text && other && strcasecmp(text, other) == 0;
}

/* By what tells people apart: numbers and logins first, names only if nobody else has this one. */
static const struct course_member *find_member(const struct export_gradebook *book, size_t row,
                                               const struct course *course)
{
    static const char *const keys[] = {"ID", "SIS Login ID", "SIS User ID"};
    const struct course_member *named = NULL;
    int count = 0;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        for (size_t i = 0; i < course->nmembers; i++) {
            const struct course_member *one = &course->members[i];
            const char *text = cell(book, row, keys[k]);
            if (is_said(text, one->id) || (k && is_said(text, one->who ? one->who->email : NULL)))
                return one;
        }
    }
    for (size_t i = 0; i < course->nmembers; i++) {
        if (is_said(cell(book, row, "Student"), course->members[i].name)) {
            named = &course->members[i];
            count++;
        }
    }
    return count == 1 ? named : NULL;
}

/* Canvas' rows about the assignments have no student in them. */
static bool is_student(const struct export_gradebook *book, size_t row)
{
    return *cell(book, row, "ID") || *cell(book, row, "SIS Login ID") || *cell(book, row, "SIS User ID");
}

bool export_gradebook_open(struct export_gradebook *book, const char *text, const char *wanted,
                           const struct course *course, char *error, size_t size)
{
    *book = (struct export_gradebook){.column = 0};
    snprintf(error, size, "out of memory");
    if (!csv_read(&book->table, text))
        return false;
    book->who = calloc(book->table.nrows, sizeof *book->who);
    if (!book->who)
        return false;
    snprintf(error, size, "this is no gradebook of Canvas: its first line has no columns Student and ID");
    if (csv_column(&book->table, "Student") < 0 || csv_column(&book->table, "ID") < 0 ||
        !find_column(book, wanted, course, error, size))
        return false;
    for (size_t row = 1; row < book->table.nrows; row++)
        book->who[row] = is_student(book, row) ? find_member(book, row, course) : NULL;
    return true;
}

void export_gradebook_close(struct export_gradebook *book)
{
    csv_free(&book->table);
    free(book->who);
    *book = (struct export_gradebook){.column = 0};
}

bool export_gradebook_has(const struct export_gradebook *book, const struct course_member *member)
{
    for (size_t row = 1; row < book->table.nrows; row++) {
        if (book->who[row] == member)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------- writing */

/* Canvas' importer takes a row for a line. */
static void put_line(const struct export_gradebook *book, size_t row, size_t column, FILE *file)
{
    char *line = strdup(csv_cell(&book->table, row, column));
    for (char *at = line; at && *at; at++)
        *at = strchr("\t\r\n", *at) ? ' ' : *at;
    csv_put(file, line ? line : "", ',');
    free(line);
}

static void put_students(const struct export_gradebook *book, size_t row, FILE *file)
{
    for (int i = 0; i < OF_STUDENTS; i++) {
        const int column = csv_column(&book->table, of_students[i]);
        if (column >= 0)
            put_line(book, row, (size_t)column, file);
    }
}

/* Who is excused stays so. */
static void put_points(const struct export_gradebook *book, size_t row, FILE *file)
{
    const struct course_member *member = book->who[row];
    const char *there = csv_cell(&book->table, row, book->column);
    if (strcmp(there, "EX") == 0)
        fputs("EX", file);
    else if (member && member->has_grade)
        fprintf(file, "%g", export_total(member));
    fputc('\n', file);
}

void export_gradebook_write(const struct export *export, FILE *file)
{
    const struct export_gradebook *book = export->gradebook;
    put_students(book, 0, file);
    csv_put(file, csv_cell(&book->table, 0, book->column), '\n');
    for (size_t row = 1; row < book->table.nrows; row++) {
        const bool is_title = strstr(cell(book, row, "Student"), "Points Possible") != NULL;
        if (is_title) {
            put_students(book, row, file);
            csv_put(file, csv_cell(&book->table, row, book->column), '\n');
        } else if (book->who[row] && export_takes(export, book->who[row])) {
            put_students(book, row, file);
            put_points(book, row, file);
        }
    }
}
