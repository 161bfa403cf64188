/* test_export.c - a class with everything that is nasty in it, exported in every format and read back by readers.c: the points are
 * the class's, fields are those that the platforms' documentation names, and files on disk are ours alone.
 * With --store FOLDER it writes such a class into a store instead, for export.sh; with --small-store without huge texts, for damage.sh. */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tests/run.h"
#include "grader/course/export.h"
#include "grader/export_folder.h"
#include "grader/files.h"
#include "grader/tests/readers.h"

/* ------------------------------------------------------------------------------------------- a class */

#define NASTY                                                                                                \
    "=1+1, \"quoted\" 'single' <b>&amp;</b> ]]> {\"scores\":{}}\r\n\tsecond line; \xff\xfe \x1b[31mred "     \
    "\x01 \xef\xbf\xbf \xed\xa0\x80 "                                                                        \
    "\xc3\xa9\xe2\x80\xae \xf0\x9f\x98\x80 \\ \\u0000 %s %n"

enum { MANY = 40, HUGE_TEXT = 100000 };
static char long_name[401], long_id[301], huge[HUGE_TEXT];

static struct record_stage stages[] = {
    {1, "tiled", "a tile", 30, 30, 0, 1, 1, 1, 2.17, 1.35, 135.25, 300.5, "", "", ""},
    {2, "padded", "a padded tile", 20, 30, 0, 1, 0, 0, 0.95, 2.65, 400.0, 300.5, "bank-conflicts", NASTY, ""},
    {3, "rows", NASTY, 40, 40, 0, 1, 1, 1, 6.99, 4.6, 50.0, 300.5, "", "", ""},
    {4, "swizzle", "without padding", 10, 10, 1, 1, 1, 1, 7.06, 4.6, 49.0, 300.5, "", "", ""},
};
static struct record_stage unjudged[] = {
    {1, "tiled", "a tile", 12, 30, 0, 1, 0, 0, 0, 0, 0, 0, "race", "a barrier is missing", NASTY},
    {2, "padded", "a padded tile", 0, 30, 0, 0, 0, 0, NAN, INFINITY, -1, 0, "", "", ""},
};
static struct record_stage many[MANY];
static struct record_case cases[] = {{2, "width 33, height 65", 0, "wrong", NASTY},
                                     {2, "width 1", 1, "", ""}};
static struct record_finding findings[] = {{2, "error", "race", NASTY, "lab3.cu:12", NASTY}};
static struct record_environment environment = {"lab3", "",     "virtual", "h200",
                                                "",     "13.0", "0.1.0",   "bubblewrap"};

#define RECORD(name, state, earned, more)                                                                    \
    .source = name "/lab3.cu", .student = name, .hash = "0123abcd", .note = "",                              \
    .submitted = "2026-11-17T09:12:33Z", .status = state, .message = "", .points = earned, .most = 100,      \
    .bonus = more, .seed = "77", .begun = "2026-11-18T10:00:00Z", .took_s = 1.5
static struct record records[] = {
    {RECORD("anna", "graded", 90, 10), .stages = stages, .nstages = 4, .cases = cases, .ncases = 2,
     .findings = findings, .nfindings = 1},
    {RECORD("@ben", "graded", 80, 10), .stages = stages, .nstages = 4},
    {RECORD("../../etc/passwd", "crashed", 12, 0), .stages = unjudged, .nstages = 2},
    {RECORD("Anna", "build failed", 0, 0)},
    {RECORD("lost", "error", 0, 0)},
    {RECORD("long", "graded", 100, 10), .stages = many, .nstages = MANY},
};
enum { RECORDS = sizeof records / sizeof *records };
static struct store_student roster[] = {
    {"anna", "Anna \"Ann\" Example, M.", "anna@example.org", "A", 1, ""},
    {"@ben", "=cmd|' /C calc'!A0", "ben@example.org", "-2", 2, ""},
    {"Anna", "Anna Other", "other@example.org", "A", 3, ""},
    {"Participant 17", "Cyd", "", "", 4, ""},
};
static struct store_override overrides[] = {{"../../etc/passwd", 77, 3, NASTY, "2026-11-19T10:00:00Z"},
                                            {"by hand", 50, 0, "", "2026-11-19T10:00:00Z"}};
static struct course_member members[] = {
    {&roster[0], "anna", NULL, &records[0], &environment, 1, NULL, true, 90, 10, 90, 10, false, 0, false,
     false, false},
    {&roster[1], "@ben", NULL, &records[1], &environment, 2, NULL, true, 64, 8, 80, 10, true, 90061, false,
     false, false},
    {&roster[2], "Anna", NULL, &records[3], &environment, 1, NULL, true, 0, 0, 0, 0, false, 0, false, false,
     false},
    {&roster[3], "Participant 17", "Cyd", NULL, NULL, 0, NULL, false, 0, 0, 0, 0, false, 0, false, false,
     false},
    {NULL, "../../etc/passwd", long_name, &records[2], &environment, 1, &overrides[0], true, 77, 3, 12, 0,
     true, 0, false, false, false},
    {NULL, "by hand", "by hand", NULL, NULL, 0, &overrides[1], true, 50, 0, 0, 0, false, 0, false, false,
     false},
    {NULL, "lost", "lost", &records[4], &environment, 1, NULL, false, 0, 0, 0, 0, false, 0, false, false,
     false},
    {NULL, long_id, long_name, &records[5], &environment, 1, NULL, true, 100, 10, 100, 10, false, 0, false,
     false, false},
};
enum { MEMBERS = sizeof members / sizeof *members, LOST = 6, MISSING = 3, LONG = 7 };
static struct course course = {.lab = "lab3",
                               .title = "Matrix transpose, \"fast\"",
                               .take = "",
                               .late = "20%/day",
                               .deadline = "",
                               .most = 100,
                               .members = members,
                               .nmembers = MEMBERS};

static void make_class(void)
{
    for (size_t i = 0; i + 2 < sizeof long_name; i += 2)
        memcpy(long_name + i, "\xc3\xbc", 2);
    memset(long_id, 'x', sizeof long_id - 1);
    for (size_t i = 0; i + 1 < HUGE_TEXT; i++)
        huge[i] = "\"\\\n\xff<"[i % 5];
    for (int i = 0; i < MANY; i++) {
        many[i] = stages[i % 4];
        many[i].row = i + 1;
        many[i].hint = many[i].message = huge;
        if (i >= 4 && asprintf(&many[i].id, "stage%d", i) < 0)
            abort();
    }
    for (int i = 0; i < 3; i++)
        members[i].name = roster[i].name;
    records[2].message = records[3].message = records[4].message = records[3].note = NASTY;
    records[5].message = huge;
}

/* ------------------------------------------------------------------------------------------- writing */

static struct export export;

static char *written(const char *format, const struct course_member *member)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    export_find_format(format)->write(&export, member, file);
    fclose(file);
    ck_assert_msg(strlen(text) == size, "%s: a NUL", format);
    return text;
}

static struct value *object_of(const char *format, const struct course_member *member)
{
    struct value *value = readers_json(written(format, member));
    ck_assert_msg(value != NULL, "%s of %s: %s", format, member->id, readers_flaw);
    return value;
}

static double number_of(const struct value *object, const char *key)
{
    const struct value *value = readers_member(object, key);
    ck_assert_msg(value && value->kind == VALUE_NUMBER, "%s", key);
    return value->number;
}

static const char *text_of(const struct value *object, const char *key)
{
    const struct value *value = readers_member(object, key);
    ck_assert_msg(value && value->kind == VALUE_TEXT, "%s", key);
    return value->text;
}

/* ------------------------------------------------------------------------------------------- shapes of JSON */

struct field {
    char kind; /* of enum value_kind; 'i': a whole number, 0 or more */
    bool is_optional;
    char key[40], one_of[100];
};

static struct field field_of(const char *words)
{
    struct field field = {.is_optional = *words == '?'};
    sscanf(words + field.is_optional, "%c %39s %99s", &field.kind, field.key, field.one_of);
    return field;
}

static bool find_field(const char *const *fields, const char *key, struct field *out)
{
    for (; *fields; fields++) {
        *out = field_of(*fields);
        if (strcmp(out->key, key) == 0)
            return true;
    }
    return false;
}

static bool is_one_of(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (; *words; words += strcspn(words, "|"), words += *words == '|') {
        if (strcspn(words, "|") == length && strncmp(words, word, length) == 0)
            return true;
    }
    return false;
}

static void check_field(const struct field *field, const struct value *value)
{
    const char kind = field->kind == 'i' ? VALUE_NUMBER : field->kind;
    ck_assert_msg((char)value->kind == kind, "%s is a %c", field->key, value->kind);
    ck_assert_msg(field->kind != 'i' || (value->is_whole && value->number >= 0), "%s: %f", field->key,
                  value->number);
    ck_assert_msg(!*field->one_of || is_one_of(field->one_of, value->text), "%s: %s", field->key,
                  value->text);
}

static void check_shape(const struct value *object, const char *const *fields, bool is_open)
{
    struct field field;
    ck_assert_msg(object && object->kind == VALUE_OBJECT, "no object");
    for (const char *const *one = fields; *one; one++) {
        field = field_of(*one);
        ck_assert_msg(field.is_optional || readers_member(object, field.key), "%s is missing", field.key);
    }
    for (size_t i = 0; i < object->count; i++) {
        const bool is_known = find_field(fields, object->keys[i], &field);
        ck_assert_msg(is_known || is_open, "%s is too much", object->keys[i]);
        if (is_known)
            check_field(&field, &object->items[i]);
    }
}

static void check_list(const struct value *object, const char *key, const char *const *fields, bool is_open)
{
    const struct value *list = readers_member(object, key);
    ck_assert(list && list->kind == VALUE_LIST);
    for (size_t i = 0; i < list->count; i++)
        check_shape(&list->items[i], fields, is_open);
}

#define VISIBLE   "hidden|after_due_date|after_published|visible"
#define FORMATTED "text|html|simple_format|md|ansi"
#define ACTIVITY  "Initialized|Started|InProgress|Submitted|Completed"
#define GRADING   "FullyGraded|Pending|PendingManual|Failed|NotReady"

/* A field is "KIND key" or "KIND key one|of|these"; a ? before it: it may be missing. As the platforms' documentation has them. */
static const char *const gradescope[] = {"n score",
                                         "?n execution_time",
                                         "?t output",
                                         "?t output_format " FORMATTED,
                                         "?t test_output_format " FORMATTED,
                                         "?t test_name_format " FORMATTED,
                                         "?t visibility " VISIBLE,
                                         "?t stdout_visibility " VISIBLE,
                                         "?o extra_data",
                                         "?l tests",
                                         "?l leaderboard",
                                         NULL};
static const char *const gradescope_test[] = {
    "?n score",  "?n max_score", "?t status passed|failed", "?t name",       "?t number",
    "?t output", "?l tags",      "?t visibility " VISIBLE,  "?o extra_data", NULL};
static const char *const gradescope_place[] = {"t name", "n value", "?t order asc|desc", NULL};
static const char *const classroom50[] = {"t schema classroom50/result/v1",
                                          "t classroom",
                                          "t assignment",
                                          "t assignment_type individual|group",
                                          "t owner",
                                          "t submission",
                                          "t commit",
                                          "t release",
                                          "t review",
                                          "t datetime",
                                          "?t graded_at",
                                          "i score",
                                          "i max-score",
                                          "l tests",
                                          "?o submitted_by",
                                          NULL};
static const char *const classroom50_test[] = {"t test-name", "b passed", "i score", "i max-score", NULL};
static const char *const prairielearn[] = {"b gradable",       "n score",   "?t message", "?t output",
                                           "?l format_errors", "?l images", "?l tests",   NULL};
static const char *const prairielearn_test[] = {"t name",     "?t description", "n points", "n max_points",
                                                "?t message", "?t output",      NULL};
static const char *const lti[] = {"t userId",
                                  "?n scoreGiven",
                                  "?n scoreMaximum",
                                  "?t comment",
                                  "t timestamp",
                                  "t activityProgress " ACTIVITY,
                                  "t gradingProgress " GRADING,
                                  NULL};

/* Digits where the pattern has 0. */
static bool has_form(const char *text, const char *pattern)
{
    for (; *text && *pattern; text++, pattern++) {
        if (*pattern == '0' ? *text < '0' || *text > '9' : *text != *pattern)
            return false;
    }
    return !*text && !*pattern;
}

/* ------------------------------------------------------------------------------------------- formats by student */

static const struct course_member *graded(int i)
{
    return members[i].has_grade ? &members[i] : NULL;
}

START_TEST(gradescope_has_points_and_bonus_as_its_score)
{
    const struct course_member *member = graded(_i);
    if (!member)
        return;
    struct value *all = object_of("gradescope", member);
    check_shape(all, gradescope, false);
    check_list(all, "tests", gradescope_test, false);
    check_list(all, "leaderboard", gradescope_place, false);
    ck_assert(number_of(all, "score") == (double)(member->points + member->bonus));
    ck_assert_uint_eq(readers_member(all, "tests")->count, member->record ? member->record->nstages : 0);
    ck_assert(number_of(readers_member(all, "leaderboard")->items, "value") == number_of(all, "score"));
    const struct value *extra = readers_member(all, "extra_data");
    ck_assert(number_of(extra, "points") == (double)member->points &&
              number_of(extra, "bonus") == (double)member->bonus);
}
END_TEST

START_TEST(gradescope_tells_what_to_do)
{
    struct value *all = object_of("gradescope", &members[0]);
    const struct value *tests = readers_member(all, "tests");
    ck_assert_str_eq(text_of(&tests->items[0], "status"), "passed");
    ck_assert_str_eq(text_of(&tests->items[1], "status"), "failed");
    ck_assert_str_eq(text_of(&tests->items[1], "number"), "2");
    ck_assert(number_of(&tests->items[1], "score") == 20 && number_of(&tests->items[1], "max_score") == 30);
    const char *output = text_of(&tests->items[1], "output");
    ck_assert(strstr(output, "speedup: 0.95x, needed: 2.65x"));
    ck_assert(strstr(output, "bank-conflicts") && strstr(output, "wrong: width 33, height 65") &&
              !strstr(output, "width 1:"));
    ck_assert(strstr(output, "lab3.cu:12") && strstr(output, "<b>&amp;</b>") &&
              strstr(output, "\xf0\x9f\x98\x80"));
    ck_assert(!strchr(output, '\x1b') && !strchr(output, '\r') && !strchr(output, '\x01'));
    ck_assert_uint_eq(readers_member(all, "leaderboard")->count, 4); /* one stage has findings */
    ck_assert_str_eq(text_of(readers_member(readers_member(all, "extra_data"), "environment"), "gpu"),
                     "h200");
}
END_TEST

/* Late, and by hand: whoever sees the stages must be told why they do not add up. */
START_TEST(points_that_are_not_those_of_the_stages_are_explained)
{
    const char *late = text_of(object_of("gradescope", &members[1]), "output");
    ck_assert(strstr(late, "64 of 100 points and 8 bonus points") && strstr(late, "20%/day") &&
              strstr(late, "25 h 2 min"));
    ck_assert(strstr(late, "80 of 100 points and 10 bonus points") && strstr(late, "do not add up"));
    const char *by_hand = text_of(object_of("lti", &members[4]), "comment");
    ck_assert(strstr(by_hand, "77 of 100") && strstr(by_hand, "by hand: =1+1") &&
              strstr(by_hand, "12 of 100"));
    ck_assert(!strstr(text_of(object_of("lti", &members[0]), "comment"), "add up"));
    ck_assert(strstr(text_of(object_of("lti", &members[2]), "comment"), "build failed: =1+1"));
}
END_TEST

START_TEST(classroom50_keeps_to_its_schema)
{
    const struct course_member *member = graded(_i);
    if (!member)
        return;
    struct value *all = object_of("classroom50", member);
    check_shape(all, classroom50, false);
    check_list(all, "tests", classroom50_test, true);
    for (size_t i = 0; i < all->count; i++)
        ck_assert_msg(all->items[i].kind != VALUE_TEXT || *all->items[i].text, "%s is empty", all->keys[i]);
    ck_assert(has_form(text_of(all, "datetime"), "0000-00-00T00:00:00Z") &&
              has_form(text_of(all, "graded_at"), "0000-00-00T00:00:00Z"));
    ck_assert(strncmp(text_of(all, "submission"), "submit/", 7) == 0);
    const double total = member->points + member->bonus;
    ck_assert(number_of(all, "score") == (total > 100 ? 100 : floor(total)) &&
              number_of(all, "max-score") == 100);
    const struct value *tests = readers_member(all, "tests");
    for (size_t i = 0; i < tests->count; i++)
        ck_assert(number_of(&tests->items[i], "score") <= number_of(&tests->items[i], "max-score"));
}
END_TEST

START_TEST(classroom50_takes_from_the_runner_what_it_tells)
{
    setenv("CLASSROOM", "cuda-2026", 1);
    setenv("ASSIGNMENT", "transpose", 1);
    setenv("SUBMISSION_TAG", "submit/2026-11-17T09-12-33Z-abc", 1);
    setenv("COMMIT_URL", "https://example.org/c", 1);
    setenv("RELEASE_URL", "https://example.org/r", 1);
    unsetenv("REVIEW_URL");
    struct value *all = object_of("classroom50", &members[0]);
    ck_assert_str_eq(text_of(all, "classroom"), "cuda-2026");
    ck_assert_str_eq(text_of(all, "assignment"), "transpose");
    ck_assert_str_eq(text_of(all, "submission"), "submit/2026-11-17T09-12-33Z-abc");
    ck_assert_str_eq(text_of(all, "release"), "https://example.org/r");
    ck_assert_str_eq(text_of(all, "review"), "https://example.org/c");
}
END_TEST

START_TEST(prairielearn_has_a_share_and_fits_into_a_megabyte)
{
    const struct course_member *member = graded(_i);
    if (!member)
        return;
    struct value *all = object_of("prairielearn", member);
    check_shape(all, prairielearn, true);
    check_list(all, "tests", prairielearn_test, false);
    const double share = (double)(member->points + member->bonus) / 100;
    ck_assert_double_eq_tol(number_of(all, "score"), share > 1 ? 1 : share, 1e-12);
    ck_assert(number_of(all, "points") == (double)member->points &&
              number_of(all, "bonus") == (double)member->bonus);
    ck_assert_uint_le(strlen(written("prairielearn", member)), 1000000);
}
END_TEST

START_TEST(what_is_cut_is_told)
{
    struct value *all = object_of("prairielearn", &members[LONG]);
    ck_assert_uint_eq(readers_member(all, "tests")->count, MANY);
    ck_assert(strstr(text_of(&readers_member(all, "tests")->items[1], "output"), "more bytes are left out"));
    ck_assert(strstr(text_of(all, "message"), "Here 100 points at most can be shown, of 110."));
    ck_assert(strstr(text_of(object_of("lti", &members[LONG]), "comment"), "more bytes are left out"));
}
END_TEST

START_TEST(lti_scores_can_be_posted_as_they_are)
{
    const struct course_member *member = graded(_i);
    if (!member)
        return;
    struct value *all = object_of("lti", member);
    check_shape(all, lti, false);
    ck_assert(number_of(all, "scoreGiven") == (double)(member->points + member->bonus));
    ck_assert(number_of(all, "scoreMaximum") == 100);
    ck_assert_str_eq(text_of(all, "userId"), member->id);
    ck_assert_str_eq(text_of(all, "gradingProgress"), "FullyGraded");
    ck_assert(has_form(text_of(all, "timestamp"), "0000-00-00T00:00:00.000Z"));
}
END_TEST

/* The last line of a text, cut off; the text ends before it then. */
static char *take_last_line(char *text)
{
    size_t length = strlen(text);
    ck_assert(length && text[length - 1] == '\n');
    text[length - 1] = '\0';
    char *begin = strrchr(text, '\n');
    ck_assert(begin != NULL);
    char *line = strdup(begin + 1);
    begin[1] = '\0';
    return line;
}

START_TEST(autolab_scores_add_up)
{
    const struct course_member *member = graded(_i);
    if (!member)
        return;
    char *text = written("autolab", member);
    ck_assert(readers_is_utf8(text));
    struct value *result = readers_json(take_last_line(text)), *layout = readers_json(take_last_line(text));
    ck_assert_msg(result && layout, "%s", readers_flaw);
    const struct value *scores = readers_member(result, "scores"),
                       *board = readers_member(result, "scoreboard");
    double sum = 0;
    for (size_t i = 0; i < scores->count; i++)
        sum += scores->items[i].number;
    ck_assert(sum == (double)(member->points + member->bonus));
    ck_assert(board->kind == VALUE_LIST && board->items[0].number == sum && board->count == scores->count);
    ck_assert_uint_eq(scores->count, MANY + 1);
    ck_assert_str_eq(text_of(layout, "_presentation"), "semantic");
    const struct value *list = readers_member(layout, "stages");
    for (size_t i = 0; i < list->count; i++)
        ck_assert(readers_member(layout, list->items[i].text) != NULL);
    ck_assert_uint_eq(layout->count, list->count + 2);
}
END_TEST

START_TEST(autolab_lays_out_what_failed)
{
    char *text = written("autolab", &members[0]);
    free(take_last_line(text));
    const struct value *stage = readers_member(readers_json(take_last_line(text)), "2. padded");
    const struct value *right = readers_member(stage, "results are right"),
                       *clean = readers_member(stage, "checkers find nothing");
    ck_assert(readers_member(right, "passed")->is_true && !readers_member(right, "hint"));
    ck_assert(!readers_member(clean, "passed")->is_true && strstr(text_of(clean, "hint"), "=1+1"));
}
END_TEST

/* ------------------------------------------------------------------------------------------- formats of all */

static struct table *table_of(const char *format, size_t heads)
{
    struct table *table = readers_csv(written(format, NULL));
    ck_assert_msg(table != NULL, "%s: %s", format, readers_flaw);
    ck_assert_uint_eq(table->rows, MEMBERS + heads);
    for (size_t r = 0; r < table->rows; r++) {
        for (size_t c = 0; c < table->columns; c++)
            ck_assert_msg(!*table->cells[r][c] || !strchr("=+@\t\r", *table->cells[r][c]), "a formula: %s",
                          table->cells[r][c]);
    }
    return table;
}

static void check_points(const char *cell, const struct course_member *member, double points)
{
    char digits[40] = "";
    if (member->has_grade)
        snprintf(digits, sizeof digits, "%g", points);
    ck_assert_msg(cell != NULL, "no column");
    ck_assert_str_eq(cell, digits);
}

START_TEST(csv_has_a_row_for_everybody)
{
    struct table *table = table_of("csv", 1);
    for (size_t i = 0; i < MEMBERS; i++) {
        check_points(readers_cell(table, i + 1, "points"), &members[i], members[i].points);
        check_points(readers_cell(table, i + 1, "bonus"), &members[i], members[i].bonus);
        ck_assert_str_eq(readers_cell(table, i + 1, "max"), "100");
        ck_assert_str_eq(readers_cell(table, i + 1, "status"),
                         members[i].record ? members[i].record->status : "missing");
    }
    ck_assert_str_eq(readers_cell(table, 1, "padded"), "20");
    ck_assert_str_eq(readers_cell(table, 1, "name"), roster[0].name);
    ck_assert_str_eq(readers_cell(table, 2, "name"), "'=cmd|' /C calc'!A0");
    ck_assert_str_eq(readers_cell(table, 2, "student"), "'@ben");
    ck_assert_str_eq(readers_cell(table, 2, "section"), "'-2");
    ck_assert_str_eq(readers_cell(table, 2, "late"), "yes");
    ck_assert_str_eq(readers_cell(table, 2, "earned"), "80");
    ck_assert_str_eq(readers_cell(table, 3, "tiled"), "");
    ck_assert_str_eq(readers_cell(table, 5, "name"), long_name);
    ck_assert_str_eq(readers_cell(table, 6, "override"), "by hand");
    ck_assert(strstr(readers_cell(table, LOST + 1, "message"), "\"quoted\"") &&
              strstr(readers_cell(table, LOST + 1, "message"), "second line"));
}
END_TEST

START_TEST(canvas_can_import_it)
{
    static const char *const headings[] = {"Student",      "ID",      "SIS User ID",
                                           "SIS Login ID", "Section", "Matrix transpose, \"fast\" (lab3)"};
    struct table *table = table_of("canvas", 2);
    ck_assert_uint_eq(table->columns, 6);
    for (size_t i = 0; i < 6; i++)
        ck_assert_str_eq(table->cells[0][i], headings[i]);
    ck_assert(strstr(table->cells[1][0], "Points Possible"));
    ck_assert_str_eq(table->cells[1][5], "100");
    for (size_t i = 0; i < MEMBERS; i++)
        check_points(table->cells[i + 2][5], &members[i], members[i].points + members[i].bonus);
    ck_assert_str_eq(table->cells[2][0], roster[0].name);
    ck_assert_str_eq(table->cells[2][3], "anna");
    ck_assert_str_eq(table->cells[2][1], "");
}
END_TEST

START_TEST(moodle_can_take_it_up)
{
    struct table *table = table_of("moodle", 1);
    for (size_t i = 0; i < MEMBERS; i++) {
        const double total = members[i].points + members[i].bonus;
        const char *comment = readers_cell(table, i + 1, "Feedback comments");
        check_points(readers_cell(table, i + 1, "Grade"), &members[i], total > 100 ? 100 : total);
        ck_assert_str_eq(readers_cell(table, i + 1, "Maximum Grade"), "100");
        ck_assert(readers_cell(table, i + 1, "Last modified (grade)") &&
                  readers_cell(table, i + 1, "Email address"));
        ck_assert_msg(!strchr(comment, '\n'), "%s", comment);
        for (const char *at = comment; (at = strchr(at, '<')); at++)
            ck_assert_msg(strncmp(at, "<br>", 4) == 0, "%s", at);
        ck_assert(!members[i].has_grade == !*comment);
    }
    ck_assert_str_eq(readers_cell(table, MISSING + 1, "Identifier"), "Participant 17");
    ck_assert_str_eq(readers_cell(table, LOST + 1, "Grade"), "");
    ck_assert(strstr(readers_cell(table, LONG + 1, "Feedback comments"),
                     "100 points at most can be shown, of 110"));
}
END_TEST

static const char *first_cell(const char *format, size_t column, const char *id, const char *source,
                              bool has_roster)
{
    static struct store_student who = {"", "", "", "", 1, ""};
    struct record record = records[0];
    struct course_member member = members[0];
    const struct course one = {
        .lab = "lab3", .title = "", .take = "", .late = "", .most = 100, .members = &member, .nmembers = 1};
    const struct export saved = export;
    record.source = (char *)source;
    member.record = &record;
    member.id = id;
    member.who = has_roster ? &who : NULL;
    export.course = &one;
    struct table *table = readers_csv(written(format, NULL));
    export = saved;
    return table->cells[table->rows - 1][column];
}

/* A platform's own number is written where it is known to be that, and no other number is taken for one. */
START_TEST(platforms_numbers_come_from_their_names)
{
    const char *canvas = "doejane_12345_678910_lab3.cu", *late = "doejane_LATE_12345_678910_lab3.cu";
    const char *moodle = "Jane_J Doe_17_assignsubmission_file_/lab3.cu";
    ck_assert_str_eq(first_cell("canvas", 1, "doejane", canvas, false), "12345");
    ck_assert_str_eq(first_cell("canvas", 1, "12345", late, true), "12345");
    ck_assert_str_eq(first_cell("canvas", 1, "4711", canvas, true), "");
    ck_assert_str_eq(first_cell("canvas", 2, "4711", canvas, true), "4711");
    ck_assert_str_eq(first_cell("canvas", 1, "12345", "12345/lab3.cu", true), "");
    ck_assert_str_eq(first_cell("moodle", 0, "Jane_J Doe", moodle, false), "Participant 17");
    ck_assert_str_eq(first_cell("moodle", 0, "Participant 17", moodle, true), "Participant 17");
    ck_assert_str_eq(first_cell("moodle", 0, "4711", moodle, true), "4711");
    ck_assert_str_eq(first_cell("moodle", 0, "Teilnehmer/in 17", moodle, true), "Teilnehmer/in 17");
}
END_TEST

static const char *property_of(const struct element *suite, const char *name)
{
    ck_assert_str_eq(suite->children[0].name, "properties");
    for (size_t i = 0; i < suite->children[0].count; i++) {
        if (strcmp(readers_attribute(&suite->children[0].children[i], "name"), name) == 0)
            return readers_attribute(&suite->children[0].children[i], "value");
    }
    return "";
}

static size_t count_of(const struct element *element, const char *name)
{
    size_t count = strcmp(element->name, name) == 0;
    for (size_t i = 0; i < element->count; i++)
        count += count_of(&element->children[i], name);
    return count;
}

static void check_counts(const struct element *element)
{
    static const char *const pairs[][2] = {
        {"tests", "testcase"}, {"failures", "failure"}, {"errors", "error"}};
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(strtoul(readers_attribute(element, pairs[i][0]), NULL, 10),
                          count_of(element, pairs[i][1]));
}

START_TEST(junit_is_xml_with_a_suite_for_everybody)
{
    struct element *root = readers_xml(written("junit", NULL));
    ck_assert_msg(root != NULL, "%s", readers_flaw);
    ck_assert_uint_eq(root->count, MEMBERS);
    check_counts(root);
    for (size_t i = 0; i < MEMBERS; i++) {
        check_counts(&root->children[i]);
        check_points(property_of(&root->children[i], "points"), &members[i], members[i].points);
        check_points(property_of(&root->children[i], "bonus"), &members[i], members[i].bonus);
    }
    ck_assert_str_eq(readers_attribute(&root->children[0], "name"), roster[0].name);
    ck_assert_str_eq(property_of(&root->children[1], "student"), "@ben");
    const struct element *padded = &root->children[0].children[2];
    ck_assert_str_eq(readers_attribute(padded, "name"), "padded");
    ck_assert(strstr(readers_attribute(&padded->children[0], "message"), "<b>&amp;</b> ]]>"));
    ck_assert(strstr(readers_attribute(&padded->children[0], "message"), "\n\tsecond line"));
    ck_assert_str_eq(root->children[LOST].children[1].children[0].name, "error");
    ck_assert_str_eq(root->children[MISSING].children[1].children[0].name, "skipped");
}
END_TEST

START_TEST(one_student_alone_has_one_row)
{
    export.only = &members[1];
    struct table *table = readers_csv(written("csv", NULL));
    ck_assert_uint_eq(table->rows, 2);
    ck_assert_str_eq(readers_cell(table, 1, "points"), "64");
    ck_assert_uint_eq(readers_xml(written("junit", NULL))->count, 1);
    ck_assert_uint_eq(readers_csv(written("canvas", NULL))->rows, 3);
}
END_TEST

START_TEST(a_class_without_anybody_is_no_trouble)
{
    const struct course none = {.lab = "lab3", .title = "", .take = "", .late = "", .deadline = ""};
    struct export nobody;
    ck_assert(export_open(&nobody, &none, NULL));
    const struct export saved = export;
    export = nobody;
    ck_assert(readers_csv(written("csv", NULL)) && readers_xml(written("junit", NULL)));
    ck_assert_uint_eq(readers_csv(written("canvas", NULL))->rows, 2);
    export = saved;
    export_close(&nobody);
}
END_TEST

START_TEST(files_begin_as_the_table_says)
{
    for (const struct export_format *one = export_formats; one->name; one++) {
        const char *text = written(one->name, one->is_per_student ? &members[0] : NULL);
        ck_assert_msg(!one->begins || strncmp(text, one->begins, strlen(one->begins)) == 0, "%s", one->name);
        ck_assert_ptr_eq(export_find_format(one->name), one);
    }
    ck_assert_ptr_null(export_find_format("excel"));
}
END_TEST

/* ------------------------------------------------------------------------------------------- names of files */

START_TEST(file_names_are_safe_and_nobody_elses)
{
    char names[MEMBERS][EXPORT_NAME];
    for (size_t i = 0; i < MEMBERS; i++) {
        export_file_name(&export, &members[i], ".json", names[i]);
        ck_assert_msg(export_is_file_name(names[i], ".json"), "%s", names[i]);
        ck_assert(strlen(names[i]) <= 255 && !strchr(names[i], '/') && strncmp(names[i], "..", 2) != 0);
        for (size_t k = 0; k < i; k++)
            ck_assert(strcasecmp(names[i], names[k]) != 0);
    }
}
END_TEST

START_TEST(nobody_can_take_anothers_file_name)
{
    struct course_member two[] = {{.id = "b b", .name = ""}, {.id = "", .name = ""}};
    const struct course small = {.members = two, .nmembers = 2};
    const struct export both = {.course = &small};
    char first[EXPORT_NAME], second[EXPORT_NAME];
    export_file_name(&both, &two[0], ".json", first);
    two[1].id = strndup(first, strlen(first) - strlen(".json"));
    export_file_name(&both, &two[1], ".json", second);
    ck_assert_str_ne(first, second);
    two[1].id = "..";
    export_file_name(&both, &two[1], ".json", second);
    ck_assert_msg(export_is_file_name(second, ".json") && *second == '_', "%s", second);
    two[1].id = "-rf";
    export_file_name(&both, &two[1], ".json", second);
    ck_assert(*second == '_');
}
END_TEST

static const char *const strange_names[] = {"../a.json", "a/b.json", ".json",    ".a.json",      "-a.json",
                                            "a.txt",     "",         "a b.json", "\xc3\xa9.json"};

START_TEST(other_names_are_not_taken_for_ours)
{
    ck_assert(!export_is_file_name(strange_names[_i], ".json"));
}
END_TEST

/* ------------------------------------------------------------------------------------------- on disk */

static char folder[200];
static struct export_output output;

static void open_folder(void)
{
    snprintf(folder, sizeof folder, "%s/export.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    ck_assert(mkdtemp(folder) != NULL);
    output = (struct export_output){.format = export_find_format("lti"), .export = &export, .path = folder};
}

static void close_folder(void)
{
    files_remove_tree(folder);
    members[0].has_grade = true;
}

static const char *path_of(const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static char *content_of(const char *name)
{
    size_t size;
    return (char *)files_read(path_of(name), (size_t)1 << 26, false, &size);
}

static int count_files(void)
{
    int count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *one; (one = readdir(list));)
        count += *one->d_name != '.';
    closedir(list);
    return count;
}

START_TEST(a_folder_has_a_file_for_each_grade_and_an_index)
{
    ck_assert_msg(export_write_folder(&output), "%s", output.error);
    ck_assert_uint_eq(output.files, MEMBERS - 2);
    ck_assert_int_eq(count_files(), MEMBERS - 1);
    struct table *index = readers_csv(content_of("index.csv"));
    ck_assert_msg(index && index->rows == MEMBERS - 1, "%s", readers_flaw);
    for (size_t r = 1; r < index->rows; r++) {
        struct value *score = readers_json(content_of(readers_cell(index, r, "file")));
        ck_assert_msg(score != NULL, "%s", readers_flaw);
        const char *id = readers_cell(index, r, "student");
        ck_assert_str_eq(text_of(score, "userId"), id + (strncmp(id, "'@", 2) == 0));
        ck_assert(number_of(score, "scoreGiven") ==
                  atof(readers_cell(index, r, "points")) + atof(readers_cell(index, r, "bonus")));
    }
}
END_TEST

START_TEST(an_export_replaces_the_one_before_and_removes_what_is_left)
{
    ck_assert(export_write_folder(&output));
    char name[EXPORT_NAME];
    export_file_name(&export, &members[0], ".json", name);
    ck_assert_int_eq(access(path_of(name), F_OK), 0);
    members[0].has_grade = false;
    ck_assert_msg(export_write_folder(&output), "%s", output.error);
    ck_assert_int_ne(access(path_of(name), F_OK), 0);
    ck_assert_int_eq(count_files(), MEMBERS - 2);
    members[0].has_grade = true;
    ck_assert(export_write_folder(&output));
    ck_assert_int_eq(count_files(), MEMBERS - 1);
}
END_TEST

static const char empty_index[] = "student,file,format,name,points,bonus,max\n";

START_TEST(files_of_others_stay)
{
    char name[EXPORT_NAME];
    export_file_name(&export, &members[4], ".json", name);
    ck_assert(files_write(path_of(name), "mine", 4));
    ck_assert(!export_write_folder(&output) && strstr(output.error, "holds other files"));
    ck_assert_str_eq(content_of(name), "mine");
    ck_assert_int_eq(count_files(), 1);
    /* Nor beside an earlier export, which does not know it. */
    ck_assert(files_write(path_of("index.csv"), empty_index, strlen(empty_index)));
    ck_assert(!export_write_folder(&output) && strstr(output.error, name));
    ck_assert_str_eq(content_of(name), "mine");
    ck_assert_int_eq(count_files(), 2);
}
END_TEST

START_TEST(an_index_of_others_stays)
{
    ck_assert(files_write(path_of("index.csv"), "a,b\n", 4));
    ck_assert(!export_write_folder(&output) && strstr(output.error, "index.csv"));
    ck_assert_str_eq(content_of("index.csv"), "a,b\n");
}
END_TEST

START_TEST(another_format_wants_another_folder)
{
    ck_assert(export_write_folder(&output));
    output.format = export_find_format("gradescope");
    ck_assert(!export_write_folder(&output) && strstr(output.error, "lti"));
}
END_TEST

START_TEST(a_forged_index_removes_nothing_elsewhere)
{
    static const char forged[] = "student,file,format,name,points,bonus,max\n"
                                 "x,../victim.json,lti,,1,0,100\n"
                                 "y,sub/victim.json,lti,,1,0,100\n";
    char victim[300];
    snprintf(victim, sizeof victim, "%s.victim.json", folder);
    ck_assert(files_make_folder(path_of("sub")) && files_write(path_of("sub/victim.json"), "v", 1) &&
              files_write(victim, "v", 1));
    ck_assert(files_write(path_of("index.csv"), forged, strlen(forged)));
    ck_assert_msg(export_write_folder(&output), "%s", output.error);
    ck_assert(access(path_of("sub/victim.json"), F_OK) == 0 && access(victim, F_OK) == 0);
    unlink(victim);
}
END_TEST

/* The second export meets files that the first has written before it broke off. */
START_TEST(a_broken_export_is_mended_by_the_next)
{
    char part[EXPORT_NAME + 8];
    export_file_name(&export, &members[4], ".json", part);
    strcat(part, ".part");
    ck_assert(files_write(path_of("index.csv"), empty_index, strlen(empty_index)));
    ck_assert_int_eq(mkdir(path_of(part), 0755), 0);
    ck_assert(!export_write_folder(&output) && strstr(output.error, "cannot be written"));
    ck_assert_int_gt(count_files(), 2);
    rmdir(path_of(part));
    ck_assert_msg(export_write_folder(&output), "%s", output.error);
    ck_assert_int_eq(count_files(), MEMBERS - 1);
}
END_TEST

START_TEST(one_file_replaces_only_its_like)
{
    for (const struct export_format *one = export_formats; one->name; one++) {
        const struct course_member *member = one->is_per_student ? &members[0] : NULL;
        char path[300];
        snprintf(path, sizeof path, "%s/%s%s", folder, one->name, one->ending);
        output = (struct export_output){.format = one, .export = &export, .path = path};
        ck_assert_msg(export_write_file(&output, member), "%s", output.error);
        ck_assert_msg(export_write_file(&output, member), "%s", output.error);
        ck_assert(files_write(path, "Student,ID,own notes\n", 21));
        ck_assert_msg(!export_write_file(&output, member) && strstr(output.error, "there already"), "%s",
                      one->name);
        ck_assert(files_write(path, "", 0));
        ck_assert_msg(export_write_file(&output, member), "%s", output.error);
        unlink(path);
        ck_assert(symlink("/etc/hostname", path) == 0);
        ck_assert_msg(!export_write_file(&output, member), "%s: through a link", one->name);
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------- a store, for export.sh */

static int fill_store(const char *path, int count)
{
    struct store store;
    store_name(&store, path);
    bool is_done = store_make(&store, "lab3") && store_set(&store, "title", course.title) &&
                   store_set(&store, "late", "20%/day") &&
                   store_set(&store, "deadline", "2026-11-17T00:00:00Z") &&
                   store_put_students(&store, roster, sizeof roster / sizeof *roster);
    records[0].submitted = records[3].submitted = "2026-11-16T00:00:00Z";
    for (int i = 0; i < count && is_done; i++)
        is_done = store_put(&store, &environment, &records[i]);
    for (int i = 0; i < 2 && is_done; i++)
        is_done = store_put_override(&store, &overrides[i]);
    if (!is_done)
        fprintf(stderr, "%s\n", store.error);
    return is_done ? 0 : 2;
}

/* ------------------------------------------------------------------------------------------- all */

static void open_export(void)
{
    ck_assert(export_open(&export, &course, NULL));
    static const char *const told[] = {
        "CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL", "REVIEW_URL", "MODE"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        unsetenv(told[i]);
    open_folder();
}

static void close_export(void)
{
    close_folder();
    export_close(&export);
}

static void add_formats(TCase *tests)
{
    tcase_add_loop_test(tests, gradescope_has_points_and_bonus_as_its_score, 0, MEMBERS);
    tcase_add_loop_test(tests, classroom50_keeps_to_its_schema, 0, MEMBERS);
    tcase_add_loop_test(tests, prairielearn_has_a_share_and_fits_into_a_megabyte, 0, MEMBERS);
    tcase_add_loop_test(tests, lti_scores_can_be_posted_as_they_are, 0, MEMBERS);
    tcase_add_loop_test(tests, autolab_scores_add_up, 0, MEMBERS);
    tcase_add_test(tests, gradescope_tells_what_to_do);
    tcase_add_test(tests, points_that_are_not_those_of_the_stages_are_explained);
    tcase_add_test(tests, classroom50_takes_from_the_runner_what_it_tells);
    tcase_add_test(tests, what_is_cut_is_told);
    tcase_add_test(tests, autolab_lays_out_what_failed);
    tcase_add_test(tests, csv_has_a_row_for_everybody);
    tcase_add_test(tests, canvas_can_import_it);
    tcase_add_test(tests, moodle_can_take_it_up);
    tcase_add_test(tests, platforms_numbers_come_from_their_names);
    tcase_add_test(tests, junit_is_xml_with_a_suite_for_everybody);
    tcase_add_test(tests, one_student_alone_has_one_row);
    tcase_add_test(tests, a_class_without_anybody_is_no_trouble);
    tcase_add_test(tests, files_begin_as_the_table_says);
}

static void add_files(TCase *tests)
{
    const int strange = sizeof strange_names / sizeof *strange_names;
    tcase_add_test(tests, file_names_are_safe_and_nobody_elses);
    tcase_add_test(tests, nobody_can_take_anothers_file_name);
    tcase_add_loop_test(tests, other_names_are_not_taken_for_ours, 0, strange);
    tcase_add_test(tests, a_folder_has_a_file_for_each_grade_and_an_index);
    tcase_add_test(tests, an_export_replaces_the_one_before_and_removes_what_is_left);
    tcase_add_test(tests, files_of_others_stay);
    tcase_add_test(tests, an_index_of_others_stays);
    tcase_add_test(tests, another_format_wants_another_folder);
    tcase_add_test(tests, a_forged_index_removes_nothing_elsewhere);
    tcase_add_test(tests, a_broken_export_is_mended_by_the_next);
    tcase_add_test(tests, one_file_replaces_only_its_like);
}

int main(int argc, char **argv)
{
    make_class();
    if (argc == 3 && strcmp(argv[1], "--store") == 0)
        return fill_store(argv[2], RECORDS);
    if (argc == 3 && strcmp(argv[1], "--small-store") == 0)
        return fill_store(argv[2], RECORDS - 1);
    TCase *tests = tcase_create("export");
    tcase_add_checked_fixture(tests, open_export, close_export);
    add_formats(tests);
    add_files(tests);
    return run_tests("export", tests);
}
