/* test_csv.c - tables in and out, rosters in the words of platforms, and readers given any bytes. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "base/utf8.h"
#include "grader/course/csv.h"
#include "grader/course/intake_parts.h"

/* ------------------------------------------------------------------------------------------- cells */

static void expect_cell(const char *text, const char *cell, const char *exactly)
{
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    csv_put(file, text, ',');
    csv_put_exactly(file, text, '\n');
    fclose(file);
    char wanted[300];
    snprintf(wanted, sizeof wanted, "%s,%s\n", cell, exactly);
    ck_assert_str_eq(out, wanted);
    free(out);
}

START_TEST(cells_are_quoted_where_they_must_be_and_never_formulas)
{
    expect_cell("plain", "plain", "plain");
    expect_cell("", "", "");
    expect_cell("a,b", "\"a,b\"", "\"a,b\"");
    expect_cell("a;b", "\"a;b\"", "\"a;b\"");
    expect_cell("say \"x\"", "\"say \"\"x\"\"\"", "\"say \"\"x\"\"\"");
    expect_cell("two\nlines", "\"two\nlines\"", "\"two\nlines\"");
    expect_cell("=1+1", "'=1+1", "=1+1");
    expect_cell("+1", "'+1", "+1");
    expect_cell("-1", "'-1", "-1");
    expect_cell("@x", "'@x", "@x");
    expect_cell("=a,b", "\"'=a,b\"", "\"=a,b\"");
    expect_cell("\xef\xbc\x9d"
                "1",
                "'\xef\xbc\x9d"
                "1",
                "\xef\xbc\x9d"
                "1");
    expect_cell("a\x1b[0m", "a?[0m", "a\x1b[0m");
}
END_TEST

static void expect_table(const char *text, char separator, const char *const *cells, size_t nrows)
{
    struct csv csv;
    ck_assert(csv_read(&csv, text));
    ck_assert_int_eq(csv.separator, separator);
    ck_assert_msg(csv.nrows == nrows, "%zu rows of %s", csv.nrows, text);
    for (size_t r = 0; r < csv.nrows; r++) {
        for (size_t c = 0; c < csv.cells[r]; c++)
            ck_assert_str_eq(csv_cell(&csv, r, c), *cells++);
        ck_assert_str_eq(csv_cell(&csv, r, csv.cells[r]), "");
    }
    ck_assert_ptr_null(*cells);
    csv_free(&csv);
}
#define TABLE(text, separator, nrows, ...)                                                                   \
    expect_table(text, separator, (const char *const[]){__VA_ARGS__, NULL}, nrows)

START_TEST(tables_are_read_whoever_wrote_them)
{
    TABLE("a,b\n1,2\n", ',', 2, "a", "b", "1", "2");
    TABLE("a;b,c;\r\n1;2\r\n", ';', 2, "a", "b,c", "", "1", "2");
    TABLE("a\tb\t\"c;d;e;f\"\r1\t2\t3", '\t', 2, "a", "b", "c;d;e;f", "1", "2", "3");
    TABLE("\xef\xbb\xbf\"a\"\"b\",\"c\nd\"\n,\n", ',', 2, "a\"b", "c\nd", "", "");
    TABLE("\"a\"x,\"open\n1,2", ',', 1, "ax", "open\n1,2");
    TABLE("sep=;\r\na;b\n", ';', 1, "a", "b");
    TABLE("", ',', 1, "");
    TABLE("\n\na", ',', 3, "", "", "a");
    TABLE("M\xfcller,\x80\n", ',', 1, "Müller", "€");
    TABLE("Müller,x\n", ',', 1, "Müller", "x");
}
END_TEST

START_TEST(utf16_is_read)
{
    static const char little[] = "\xff\xfe"
                                 "a\0\xfc\0\t\0\x3d\xd8\x00\xde\n\0\0\0b",
                      big[] = "\xfe\xff\0a\0\xfc";
    char *text = csv_text(little, sizeof little - 1);
    ck_assert_str_eq(text, "aü\t\xf0\x9f\x98\x80\n\xef\xbf\xbd");
    free(text);
    text = csv_text(big, sizeof big - 1);
    ck_assert_str_eq(text, "aü");
    free(text);
    text = csv_text("a\0b", 3);
    ck_assert_str_eq(text, "a\xef\xbf\xbd"
                           "b");
    free(text);
}
END_TEST

START_TEST(columns_are_found_by_heading_and_rows_know_their_lines)
{
    struct csv csv;
    ck_assert(csv_read(&csv, " Name ,ID\n\"a\nb\",1\n\nc,2\n"));
    ck_assert_int_eq(csv_column(&csv, "name"), 0);
    ck_assert_int_eq(csv_column(&csv, "id"), 1);
    ck_assert_int_eq(csv_column(&csv, "nam"), -1);
    ck_assert_int_eq(csv_column(&csv, "name of"), -1);
    static const size_t lines[] = {1, 2, 4, 5};
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(csv.lines[i], lines[i]);
    csv_free(&csv);
}
END_TEST

START_TEST(huge_cells_and_many_rows_are_read)
{
    const size_t cell = 10 << 20, rows = 200000;
    char *text = malloc(cell + 4 * rows + 10);
    struct csv csv;
    memset(text, 'x', cell);
    for (size_t i = 0; i < rows; i++)
        memcpy(text + cell + 4 * i, "\na,b", 5);
    ck_assert(csv_read(&csv, text));
    ck_assert_int_eq(csv.nrows, rows + 1);
    ck_assert_int_eq(strlen(csv_cell(&csv, 0, 0)), cell);
    ck_assert_str_eq(csv_cell(&csv, rows, 1), "b");
    csv_free(&csv);
    free(text);
}
END_TEST

/* ------------------------------------------------------------------------------------------- rosters */

struct expected {
    const char *id, *name, *email, *section;
};

static void expect_roster(const char *text, const struct expected *rows, size_t count)
{
    char error[300] = "";
    struct store_student *students;
    size_t found;
    ck_assert_msg(intake_read_roster(text, &students, &found, error, sizeof error), "%s", error);
    ck_assert_int_eq(found, count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(students[i].id, rows[i].id);
        ck_assert_str_eq(students[i].name, rows[i].name);
        ck_assert_str_eq(students[i].email, rows[i].email);
        ck_assert_str_eq(students[i].section, rows[i].section);
        ck_assert_int_eq(students[i].place, (long)i + 1);
    }
    intake_free_roster(students, found);
}
#define ROSTER(text, ...)                                                                                    \
    expect_roster(text, (const struct expected[]){__VA_ARGS__},                                              \
                  sizeof(const struct expected[]){__VA_ARGS__} / sizeof(struct expected))

START_TEST(rosters_come_in_the_words_of_platforms)
{
    ROSTER("id,name,email,section\n7,A B,a@x,1\n\n8,C D,,2\n", {"7", "A B", "a@x", "1"},
           {"8", "C D", "", "2"});
    ROSTER("Section;Name;ID\n1;A B;7\n", {"7", "A B", "", "1"});
    ROSTER("Student,ID,SIS User ID,SIS Login ID,Section,Lab 3 (77)\n"
           ",,,,,Manual Posting\n"
           "    Points Possible,,,,,100.0\n"
           "\"Doe, Jane\",12345,s1,jdoe,CUDA 1,50\n"
           "\"Student, Test\",99999,,x,CUDA 1,\n",
           {"12345", "Doe, Jane", "jdoe", "CUDA 1"});
    ROSTER("Identifier,Full name,Email address,Status,Grade\n"
           "Participant 17,Jane Doe,j@x,Submitted,-\n",
           {"Participant 17", "Jane Doe", "j@x", ""});
    ROSTER("Identifikator;Vollständiger Name;E-Mail-Adresse;Status\nTeilnehmer/in17;Jörg M;j@x;-\n",
           {"Teilnehmer/in17", "Jörg M", "j@x", ""});
    ROSTER("Identifiant,Nom complet,Adresse de courriel,Groupe\nParticipant 17,Zoé,z@x,A\n",
           {"Participant 17", "Zoé", "z@x", "A"});
    ROSTER("Prénom,Nom,Adresse e-mail\nZoé,Roy,z@x\n", {"z@x", "Zoé Roy", "z@x", ""});
    ROSTER("Identificador,Nombre completo,Dirección de correo,Grupo\nParticipante 17,Eva,e@x,B\n",
           {"Participante 17", "Eva", "e@x", "B"});
    ROSTER("Nombre,Apellido(s),Nombre de usuario\nEva,Paz,eva\n", {"eva", "Eva Paz", "eva", ""});
    ROSTER("First Name,Last Name,SID,Email,Section\nJane,Doe,12,j@x,1\n", {"12", "Jane Doe", "j@x", "1"});
    ROSTER("identifier,github_username,github_id,name\nj@x,jdoe,5,Jane\n", {"j@x", "Jane", "jdoe", ""});
}
END_TEST

static void expect_error(const char *text, const char *words)
{
    char error[300] = "";
    struct store_student *students;
    size_t count;
    ck_assert(!intake_read_roster(text, &students, &count, error, sizeof error));
    ck_assert_msg(strstr(error, words), "%s", error);
    ck_assert(!students && !count);
}

START_TEST(what_is_wrong_in_a_roster_has_a_line)
{
    expect_error("id,name\n7,a\n8,\"b\nc\"\n7,d\n", "Line 5: the id 7 stands in a line before.");
    expect_error("id,name\n,Jane\n", "Line 2 has no id: Jane.");
    expect_error("id,name,email\n7,a,a@x\n,Jane,j@x\n", "Line 3 has no id: Jane.");
    expect_error("id,email\n7,a@x\n ,j@x\n", "Line 3 has no id: j@x.");
    expect_error("id,name\n7,a\n8,\"b\n9,c\n10,d\n", "Line 3: a quote opens there and is never closed.");
    expect_error("id,name\n7,a\n\"8,b", "Line 3: a quote opens there and is never closed.");
    expect_error("colour,size\n1,2\n", "Line 1 names no column for an id");
    expect_error("", "Line 1 names no column");
}
END_TEST

/* ------------------------------------------------------------------------------------------- any bytes */

/* Pieces of what the readers know, and noise. */
static size_t make_noise(char *bytes, size_t most)
{
    static const char *const pieces[] = {"id,name\n",
                                         "\"",
                                         "\"\"",
                                         ",",
                                         ";",
                                         "\t",
                                         "\r\n",
                                         "\n",
                                         "sep=;\n",
                                         "Doe, J",
                                         "7",
                                         "\xef\xbb\xbf",
                                         "\xff\xfe",
                                         "\xfe\xff",
                                         "\xc3",
                                         "é",
                                         "submission_1:\n",
                                         "  :submitters:\n",
                                         "  - :name: 'a''",
                                         "    :sid: \"b\\",
                                         "  :created_at: 2026-01-01 00:00:00 +9",
                                         "- ",
                                         "   "};
    size_t size = 0;
    for (int count = rand() % 40; count >= 0 && size + 50 < most; count--) {
        const char *piece = pieces[(size_t)rand() % (sizeof pieces / sizeof *pieces)];
        if (rand() % 4)
            size += (size_t)sprintf(bytes + size, "%s", piece);
        else
            bytes[size++] = (char)rand();
    }
    return size;
}

/* From a block of exactly its size, so that a step beyond the end is seen by ASan. */
static void feed(const char *bytes, size_t size)
{
    char *exact = malloc(size ? size : 1), error[60];
    memcpy(exact, bytes, size);
    char *text = csv_text(exact, size);
    struct csv csv;
    struct intake_metadata metadata;
    struct store_student *students;
    size_t count;
    for (const unsigned char *s = (const unsigned char *)text; *s; s += utf8_length(s))
        ck_assert_int_ne(utf8_length(s), 0);
    ck_assert(csv_read(&csv, text));
    ck_assert_int_ge(csv.nrows, 1);
    csv_free(&csv);
    ck_assert(intake_metadata_read(&metadata, text));
    intake_metadata_free(&metadata);
    if (intake_read_roster(text, &students, &count, error, sizeof error))
        intake_free_roster(students, count);
    char *folded = intake_fold(text);
    ck_assert_ptr_nonnull(folded);
    struct intake_name said;
    ck_assert(intake_name_read(&said, text, rand() % 2, "lab3.cu"));
    intake_name_free(&said);
    free(folded);
    free(text);
    free(exact);
}

START_TEST(readers_take_any_bytes)
{
    char bytes[4096];
    for (unsigned seed = 1; seed <= 20000; seed++) {
        srand(seed);
        feed(bytes, make_noise(bytes, sizeof bytes));
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("csv");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, cells_are_quoted_where_they_must_be_and_never_formulas);
    tcase_add_test(tests, tables_are_read_whoever_wrote_them);
    tcase_add_test(tests, utf16_is_read);
    tcase_add_test(tests, columns_are_found_by_heading_and_rows_know_their_lines);
    tcase_add_test(tests, huge_cells_and_many_rows_are_read);
    tcase_add_test(tests, rosters_come_in_the_words_of_platforms);
    tcase_add_test(tests, what_is_wrong_in_a_roster_has_a_line);
    tcase_add_test(tests, readers_take_any_bytes);
    return run_tests("csv", tests);
}
