/* intake_roster.c - a roster: who is in the class, from a table with any of many headings.
 * A field may stand under several headings; those named first in the table below count first. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "grader/course/csv.h"
#include "grader/course/intake_parts.h"

enum field { ID, LOGIN, EMAIL, NAME, FIRST, LAST, SECTION, SUBMITTED, NFIELDS };

/* As intake_fold() leaves them. English, then German, French, Spanish as Moodle has them. */
static const struct {
    enum field field;
    const char *heading;
} headings[] = {
    {ID, "id"},
    {ID, "student id"},
    {ID, "identifier"}, /* Moodle: "Participant 17" */
    {ID, "identifikator"},
    {ID, "identifiant"},
    {ID, "identificador"},
    {ID, "sid"}, /* Gradescope */
    {ID, "student number"},
    {ID, "matrikelnummer"},
    {ID, "matriculation number"},
    {ID, "sis user id"},
    {ID, "id number"},
    {ID, "id nummer"},
    {ID, "numero d identification"},
    {ID, "numero de id"},
    {ID, "netid"},
    {LOGIN, "sis login id"}, /* Canvas */
    {LOGIN, "login"},
    {LOGIN, "login id"},
    {LOGIN, "username"},
    {LOGIN, "user name"},
    {LOGIN, "github username"},
    {LOGIN, "github"},
    {LOGIN, "benutzername"},
    {LOGIN, "anmeldename"},
    {LOGIN, "nom d utilisateur"},
    {LOGIN, "nombre de usuario"},
    {EMAIL, "email"},
    {EMAIL, "e mail"},
    {EMAIL, "email address"},
    {EMAIL, "e mail adresse"},
    {EMAIL, "adresse de courriel"},
    {EMAIL, "adresse e mail"},
    {EMAIL, "courriel"},
    {EMAIL, "direccion de correo"},
    {EMAIL, "direccion de correo electronico"},
    {EMAIL, "direccion email"},
    {EMAIL, "correo electronico"},
    {NAME, "name"},
    {NAME, "student"}, /* Canvas: "Doe, Jane" */
    {NAME, "full name"},
    {NAME, "fullname"},
    {NAME, "student name"},
    {NAME, "vollstandiger name"},
    {NAME, "nom complet"},
    {NAME, "nombre completo"},
    {FIRST, "first name"},
    {FIRST, "firstname"},
    {FIRST, "given name"},
    {FIRST, "vorname"},
    {FIRST, "prenom"},
    {FIRST, "nombre"},
    {LAST, "last name"},
    {LAST, "lastname"},
    {LAST, "surname"},
    {LAST, "family name"},
    {LAST, "nachname"},
    {LAST, "nom"},
    {LAST, "nom de famille"},
    {LAST, "apellido s"},
    {LAST, "apellidos"},
    {LAST, "apellido"},
    {SUBMITTED, "last modified submission"}, /* Moodle */
    {SUBMITTED, "zuletzt geandert abgabe"},
    {SUBMITTED, "derniere modification travail remis"},
    {SUBMITTED, "ultima modificacion entrega"},
    {SUBMITTED, "submitted"},
    {SUBMITTED, "submitted at"},
    {SUBMITTED, "submission time"},
    {SECTION, "section"},
    {SECTION, "sections"},
    {SECTION, "group"},
    {SECTION, "groups"},
    {SECTION, "gruppe"},
    {SECTION, "gruppen"},
    {SECTION, "groupe"},
    {SECTION, "groupes"},
    {SECTION, "grupo"},
    {SECTION, "grupos"},
};

enum { NOWHERE = -1 };

struct roster {
    struct csv csv;
    int columns[NFIELDS];
    struct list students; /* struct store_student */
    char *error;
    size_t size;
};

static bool fail(struct roster *roster, const char *format, size_t line, const char *detail)
{
    snprintf(roster->error, roster->size, format, line, detail);
    return false;
}

/* ------------------------------------------------------------------------------------------- columns */

/* The rank of a heading for its field; -1: it is none that is known. */
static int rank_heading(const char *folded, enum field *field)
{
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        if (strcmp(headings[i].heading, folded) == 0) {
            *field = headings[i].field;
            return (int)i;
        }
    }
    return -1;
}

static bool find_columns(struct roster *roster)
{
    int ranks[NFIELDS];
    for (int i = 0; i < NFIELDS; i++)
        roster->columns[i] = ranks[i] = NOWHERE;
    for (size_t i = 0; i < roster->csv.cells[0]; i++) {
        enum field field = ID;
        char *folded = intake_fold(csv_cell(&roster->csv, 0, i));
        const int rank = folded ? rank_heading(folded, &field) : -1;
        free(folded);
        if (rank >= 0 && (ranks[field] == NOWHERE || rank < ranks[field])) {
            ranks[field] = rank;
            roster->columns[field] = (int)i;
        }
    }
    const int *at = roster->columns;
    return at[ID] != NOWHERE || at[LOGIN] != NOWHERE || at[EMAIL] != NOWHERE ||
           fail(roster, "Line %zu names no column for an id, a login or an e-mail address%s.",
                roster->csv.lines[0], "");
}

/* ------------------------------------------------------------------------------------------- rows */

/* The cell without the blanks around it; its length comes back. */
static const char *trim(const struct roster *roster, size_t row, enum field field, size_t *length)
{
    const int column = roster->columns[field];
    const char *text = column == NOWHERE ? "" : csv_cell(&roster->csv, row, (size_t)column);
    text += strspn(text, " \t\r\n");
    *length = strlen(text);
    while (*length && strchr(" \t\r\n", text[*length - 1]))
        --*length;
    return text;
}

/* Whoever wrote the roster, nothing of it steers a terminal or breaks a line from here on. Ids that differ stay different; they look as
 * names of files do. */
static char *clean(char *text, bool is_id)
{
    char *plain = !text ? NULL : is_id ? utf8_name(text) : utf8_person(text);
    free(text);
    return plain;
}

/* The first of these fields that is not empty. */
static char *take(const struct roster *roster, size_t row, const enum field *fields, size_t count)
{
    const char *text = "";
    size_t length = 0;
    for (size_t i = 0; i < count && !length; i++)
        text = trim(roster, row, fields[i], &length);
    return clean(strndup(text, length), fields[0] == ID);
}

/* "Jane Doe" of two columns, if there is none for both. */
static char *take_name(const struct roster *roster, size_t row)
{
    char *name;
    size_t first, last, whole;
    const char *text = trim(roster, row, NAME, &whole), *given = trim(roster, row, FIRST, &first),
               *family = trim(roster, row, LAST, &last);
    if (whole || (!first && !last))
        return clean(strndup(text, whole), false);
    if (asprintf(&name, "%.*s%s%.*s", (int)first, given, first && last ? " " : "", (int)last, family) < 0)
        return NULL;
    return clean(name, false);
}

/* Empty lines, Canvas's rows about the assignments ("    Points Possible", "Manual Posting") and its test student. */
static bool is_nobody(const struct roster *roster, size_t row)
{
    static const enum field who[] = {ID, LOGIN, EMAIL};
    size_t length, found = 0;
    for (size_t i = 0; i < sizeof who / sizeof *who; i++) {
        trim(roster, row, who[i], &length);
        found += length != 0;
    }
    const char *raw =
        roster->columns[NAME] == NOWHERE ? "" : csv_cell(&roster->csv, row, (size_t)roster->columns[NAME]);
    if (strcmp(raw, "Student, Test") == 0)
        return true;
    const char *name = trim(roster, row, NAME, &length);
    const bool is_title = length && (*raw == ' ' || strncmp(name, "Points Possible", 15) == 0);
    if (found || (length && !is_title))
        return false;
    trim(roster, row, LAST, &length);
    return !length;
}

static bool is_known(const struct roster *roster, const char *id)
{
    const struct store_student *students = roster->students.items;
    for (size_t i = 0; i < roster->students.count; i++) {
        if (strcmp(students[i].id, id) == 0)
            return true;
    }
    return false;
}

static void free_student(struct store_student *student)
{
    free(student->id);
    free(student->name);
    free(student->email);
    free(student->section);
    free(student->submitted);
}

static bool add_student(struct roster *roster, size_t row, struct store_student *found)
{
    const size_t line = roster->csv.lines[row];
    struct store_student *place = NULL;
    bool is_fine = found->id && found->name && found->email && found->section && found->submitted;
    if (!is_fine)
        fail(roster, "Line %zu: out of memory%s.", line, "");
    else if (!*found->id)
        is_fine =
            fail(roster, "Line %zu has no id: %s.", line, *found->name ? found->name : "no name either");
    else if (is_known(roster, found->id))
        is_fine = fail(roster, "Line %zu: the id %s stands in a line before.", line, found->id);
    if (is_fine)
        place = list_push(&roster->students, sizeof *place);
    if (place) {
        *place = *found;
        place->place = (long)roster->students.count;
    } else {
        free_student(found);
    }
    return place;
}

/* An id is what tells two students apart: an address in its place would be another student by the next roster. */
static bool has_id(struct roster *roster, size_t row)
{
    size_t length = 1, name;
    if (roster->columns[ID] != NOWHERE)
        trim(roster, row, ID, &length);
    const char *text = trim(roster, row, roster->columns[NAME] != NOWHERE ? NAME : EMAIL, &name);
    char *who = length ? NULL : clean(strndup(text, name), false);
    if (!length)
        fail(roster, "Line %zu has no id: %s.", roster->csv.lines[row], who && *who ? who : "no name either");
    free(who);
    return length;
}

/* Whatever follows the quote is one cell: who knows how many students that were. */
static bool check_quotes(struct roster *roster)
{
    return !roster->csv.open_line ||
           fail(roster, "Line %zu: a quote opens there and is never closed%s.", roster->csv.open_line, "");
}

static bool read_rows(struct roster *roster)
{
    static const enum field as_id[] = {ID, LOGIN, EMAIL}, as_email[] = {EMAIL, LOGIN},
                            as_section[] = {SECTION}, as_submitted[] = {SUBMITTED};
    for (size_t row = 1; row < roster->csv.nrows; row++) {
        if (is_nobody(roster, row))
            continue;
        if (!has_id(roster, row))
            return false;
        struct store_student found = {.id = take(roster, row, as_id, 3),
                                      .name = take_name(roster, row),
                                      .email = take(roster, row, as_email, 2),
                                      .section = take(roster, row, as_section, 1),
                                      .submitted = take(roster, row, as_submitted, 1)};
        if (!add_student(roster, row, &found))
            return false;
    }
    return true;
}

bool intake_read_roster(const char *text, struct store_student **students, size_t *count, char *error,
                        size_t size)
{
    struct roster roster = {.error = error, .size = size};
    *students = NULL;
    *count = 0;
    if (!csv_read(&roster.csv, text))
        return fail(&roster, "Line %zu: out of memory%s.", 1, "");
    bool is_read = find_columns(&roster) && check_quotes(&roster) && read_rows(&roster);
    if (is_read && !roster.students.count)
        is_read = fail(&roster, "Below line %zu there is nobody%s.", roster.csv.lines[0], "");
    csv_free(&roster.csv);
    if (is_read) {
        *students = roster.students.items;
        *count = roster.students.count;
    } else {
        intake_free_roster(roster.students.items, roster.students.count);
    }
    return is_read;
}

void intake_free_roster(struct store_student *students, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free_student(&students[i]);
    free(students);
}
