/* export_gradebook.c - Canvas' gradebook: see export_gradebook.h. */
#define _GNU_SOURCE
#include "grader/course/export_gradebook.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grader/course/export_words.h"

/* Columns that say who a student is; others are assignments, or what Canvas computes. */
static const struct {
    const char *heading;
    bool is_optional;
    bool is_key; /* tells students apart */
} of_students[] = {{"Student", false, false},       {"ID", false, true},
                   {"SIS User ID", false, true},    {"SIS Login ID", false, true},
                   {"Integration ID", true, false}, {"Root Account", true, false},
                   {"Section", false, false}};
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
static bool find_column(const struct csv *table, const char *wanted, const char *lab, int *column,
                        char *error, size_t size)
{
    size_t fits = 0, all = 0;
    char list[300] = "";
    for (size_t i = 0; i < table->cells[0]; i++) {
        const char *heading = csv_cell(table, 0, i);
        if (!name_length(heading))
            continue;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", heading);
        all++;
        if (wanted ? is_wanted(heading, wanted) : names_lab(heading, lab)) {
            *column = (int)i;
            fits++;
        }
    }
    if (fits != 1) {
        *column = -1;
        snprintf(error, size, "the column of %.40s is not clear: say --column HEADING. %s%.300s.",
                 wanted ? wanted : lab, all ? "There are: " : "There is none of an assignment", list);
    }
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
    bool is_known = false;
    for (int i = 0; i < OF_STUDENTS; i++)
        is_known = is_known || (of_students[i].is_key && *cell(book, row, of_students[i].heading));
    return is_known;
}

/* "ID" alone may be any number. */
static bool is_of_canvas(const struct csv *table)
{
    return csv_column(table, "SIS User ID") >= 0 || csv_column(table, "SIS Login ID") >= 0 ||
           (csv_column(table, "Student") >= 0 && csv_column(table, "ID") >= 0);
}

static bool open_table(struct export_gradebook *book, const char *text, const struct course *course)
{
    *book = (struct export_gradebook){.column = -1};
    if (!csv_read(&book->table, text))
        return false;
    book->who = calloc(book->table.nrows, sizeof *book->who);
    for (size_t row = 1; book->who && row < book->table.nrows; row++)
        book->who[row] = is_student(book, row) ? find_member(book, row, course) : NULL;
    return book->who;
}

bool export_gradebook_open(struct export_gradebook *book, const char *text, const char *wanted,
                           const struct course *course, char *error, size_t size)
{
    snprintf(error, size, "out of memory");
    if (!open_table(book, text, course))
        return false;
    snprintf(error, size, "line %zu: a quote opens there and is never closed", book->table.open_line);
    if (book->table.open_line)
        return false;
    snprintf(error, size, "this is no gradebook of Canvas: its first line has no columns Student and ID");
    return csv_column(&book->table, "Student") >= 0 && csv_column(&book->table, "ID") >= 0 &&
           find_column(&book->table, wanted, course->lab, &book->column, error, size);
}

bool export_gradebook_open_roster(struct export_gradebook *book, const struct course *course)
{
    char why[500];
    if (!open_table(book, course->gradebook, course))
        return false;
    find_column(&book->table, NULL, course->lab, &book->column, why, sizeof why);
    return true;
}

void export_gradebook_close(struct export_gradebook *book)
{
    csv_free(&book->table);
    free(book->who);
    *book = (struct export_gradebook){.column = -1};
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

/* Who has no cell in a column of the gradebook has an empty one, but everybody has a name. */
static void put_students(const struct export_gradebook *book, size_t row, const char *name, FILE *file)
{
    for (int i = 0; i < OF_STUDENTS; i++) {
        const int column = csv_column(&book->table, of_students[i].heading);
        if (column >= 0 && row < book->table.nrows)
            put_line(book, row, (size_t)column, file);
        else if (!of_students[i].is_optional || column >= 0)
            csv_put(file, i ? "" : name, ',');
    }
}

static void put_headings(const struct export_gradebook *book, const char *assignment, FILE *file)
{
    for (int i = 0; i < OF_STUDENTS; i++) {
        if (!of_students[i].is_optional || csv_column(&book->table, of_students[i].heading) >= 0)
            csv_put(file, of_students[i].heading, ',');
    }
    csv_put(file, book->column >= 0 ? csv_cell(&book->table, 0, (size_t)book->column) : assignment, '\n');
}

/* Behind the last row: there is none. */
static size_t find_maxima(const struct export_gradebook *book)
{
    size_t row = 1;
    while (row < book->table.nrows && !strstr(cell(book, row, "Student"), "Points Possible"))
        row++;
    return row;
}

/* Who is excused stays so. */
static void put_points(const struct export_gradebook *book, size_t row, FILE *file)
{
    const struct course_member *member = book->who[row];
    const char *there = book->column < 0 ? "" : csv_cell(&book->table, row, (size_t)book->column);
    if (strcmp(there, "EX") == 0)
        fputs("EX", file);
    else if (member->has_grade)
        fprintf(file, "%g", export_total(member));
    fputc('\n', file);
}

void export_gradebook_write(const struct export *export, const char *assignment, FILE *file)
{
    const struct export_gradebook *book = export->gradebook;
    const size_t maxima = find_maxima(book);
    put_headings(book, assignment, file);
    put_students(book, maxima, "    Points Possible", file);
    if (book->column >= 0 && maxima < book->table.nrows)
        csv_put(file, csv_cell(&book->table, maxima, (size_t)book->column), '\n');
    else
        fprintf(file, "%ld\n", export->course->most);
    for (size_t row = 1; row < book->table.nrows; row++) {
        if (book->who[row] && export_takes(export, book->who[row])) {
            put_students(book, row, book->who[row]->name, file);
            put_points(book, row, file);
        }
    }
}

/* ------------------------------------------------------------------------------------------- what a roster says of it */

char *export_gradebook_keep(const char *text, const char *lab)
{
    struct csv table;
    char *kept = NULL, why[500];
    size_t size;
    int columns[OF_STUDENTS + 1], count = 0, assignment;
    FILE *file = open_memstream(&kept, &size);
    const bool is_read = csv_read(&table, text);
    if (is_read && is_of_canvas(&table)) {
        for (int i = 0; i < OF_STUDENTS; i++) {
            columns[count] = csv_column(&table, of_students[i].heading);
            count += columns[count] >= 0;
        }
        if (find_column(&table, NULL, lab, &assignment, why, sizeof why))
            columns[count++] = assignment;
    }
    for (size_t row = 0; file && count && row < table.nrows; row++) {
        for (int i = 0; i < count; i++)
            csv_put_exactly(file, csv_cell(&table, row, (size_t)columns[i]), i + 1 < count ? ',' : '\n');
    }
    csv_free(&table);
    if (file && fclose(file) == 0 && is_read)
        return kept;
    free(kept);
    return NULL;
}
