/* test_course.c - a class's results: records as bytes, the store, late rules, and who has which points. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/tests/run.h"
#include "grader/course/course.h"
#include "grader/course/csv.h"

static char folder[200];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/test_course.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[500];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
    ck_assert_int_eq(system(command), 0);
}

static void set(char **field, const char *text)
{
    ck_assert(record_set(field, text));
}

/* With everything that a record can hold. */
static struct record record_of(const char *source, const char *student, long points)
{
    struct record record = {.points = points, .most = 100, .bonus = 5, .took_s = 2.5};
    set(&record.source, source);
    set(&record.student, student);
    set(&record.hash, "00ff");
    set(&record.note, "");
    set(&record.submitted, "2026-11-17T10:00:00Z");
    set(&record.status, "graded");
    set(&record.message, "a line\nanother, with \"quotes\" and 12: ü");
    set(&record.seed, "12345");
    set(&record.begun, "2026-11-17T11:00:00Z");
    for (int i = 0; i < 2; i++) {
        struct record_stage *stage = record_add(&record, record_parts[0].shape);
        *stage = (struct record_stage){.row = i + 2, .points = 30 * i, .most = 30, .speedup = 1.0 / 3};
        set(&stage->id, i ? "padded" : "tiled");
        set(&stage->title, "=1+1");
        struct record_case *one = record_add(&record, record_parts[1].shape);
        *one = (struct record_case){.stage = i + 2, .is_right = i};
        set(&one->name, "width 3");
        struct record_finding *finding = record_add(&record, record_parts[2].shape);
        finding->stage = i + 2;
        set(&finding->title, "a race");
        struct record_measurement *measurement = record_add(&record, record_parts[3].shape);
        measurement->stage = i + 2;
        measurement->value = 0.1;
        set(&measurement->name, "sectors");
    }
    return record;
}

static char *bytes_of(const struct record *record, size_t *size)
{
    char *bytes = NULL;
    FILE *file = open_memstream(&bytes, size);
    ck_assert(record_write(record, file));
    fclose(file);
    return bytes;
}

static void expect_same(const struct record *a, const struct record *b)
{
    size_t size_a, size_b;
    char *bytes_a = bytes_of(a, &size_a), *bytes_b = bytes_of(b, &size_b);
    ck_assert_uint_eq(size_a, size_b);
    ck_assert_mem_eq(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
}

static struct record_environment environment(const char *gpu)
{
    struct record_environment one = {.lab = NULL};
    char **const fields[] = {&one.lab,    &one.stages,  &one.backend, &one.gpu,
                             &one.driver, &one.toolkit, &one.kit,     &one.sandbox};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        set(fields[i], i == 3 ? gpu : i ? "" : "lab3");
    return one;
}

static void put(struct store *store, const char *gpu, struct record record)
{
    struct record_environment where = environment(gpu);
    ck_assert_msg(store_put(store, &where, &record), "%s", store->error);
    record_free(&record);
    record_free_row(&record_environment_shape, &where);
}

static struct store new_store(void)
{
    struct store store;
    store_name(&store, folder);
    ck_assert_msg(store_make(&store, "lab3"), "%s", store.error);
    return store;
}

/* ------------------------------------------------------------------------------------------- records */

START_TEST(a_record_reads_back_as_it_was)
{
    size_t size;
    struct record back, record = record_of("anna", "anna", 30);
    char *bytes = bytes_of(&record, &size);
    ck_assert(record_read(&back, bytes, size));
    expect_same(&record, &back);
    ck_assert_uint_eq(back.nstages, 2);
    ck_assert_double_eq(back.stages[1].speedup, 1.0 / 3);
    ck_assert_str_eq(back.message, record.message);
    record_free(&back);
    record_free(&record);
    free(bytes);
}
END_TEST

START_TEST(bytes_that_are_cut_or_changed_are_no_record)
{
    size_t size;
    struct record back, record = record_of("anna", "anna", 30);
    char *bytes = bytes_of(&record, &size);
    for (size_t i = 0; i < size; i++) {
        char *cut = strndup(bytes, i);
        ck_assert_msg(!record_read(&back, cut, i), "cut at %zu", i);
        record_free(&back);
        free(cut);
    }
    for (size_t i = 0; i < size; i++) { /* whatever comes of it, it is freed and nothing breaks */
        char *changed = strndup(bytes, size);
        changed[i] = (char)(changed[i] + 1);
        (void)record_read(&back, changed, size);
        record_free(&back);
        free(changed);
    }
    record_free(&record);
    free(bytes);
}
END_TEST

/* ------------------------------------------------------------------------------------------- the store */

START_TEST(the_store_gives_back_what_it_was_given)
{
    struct store store = new_store();
    struct store_content content;
    put(&store, "h200", record_of("ben", "ben", 60));
    put(&store, "h200", record_of("anna", "anna", 30));
    ck_assert_msg(store_load(&store, &content), "%s", store.error);
    ck_assert_uint_eq(content.nrecords, 2);
    struct record anna = record_of("anna", "anna", 30);
    expect_same(&content.records[0], &anna);
    ck_assert_str_eq(content.environments[0].gpu, "h200");
    record_free(&anna);
    store_content_free(&content);
}
END_TEST

START_TEST(a_new_attempt_takes_the_place_and_the_old_one_stays)
{
    struct store store = new_store();
    struct store_content content;
    put(&store, "h200", record_of("anna", "anna", 30));
    put(&store, "h200", record_of("anna", "anna", 40));
    ck_assert(store_load(&store, &content));
    ck_assert_uint_eq(content.nrecords, 1);
    ck_assert_int_eq(content.records[0].points, 40);
    ck_assert_int_eq(content.attempts[0], 2);
    store_content_free(&content);
}
END_TEST

static struct record error_of(const char *source, const char *hash)
{
    struct record record = record_of(source, source, 0);
    set(&record.status, "error");
    set(&record.hash, hash);
    return record;
}

START_TEST(an_error_of_the_kit_takes_no_grade_away_and_does_not_stay)
{
    struct store store = new_store();
    struct store_content content;
    put(&store, "h200", record_of("anna", "anna", 30));
    put(&store, "h200", error_of("anna", "00ff"));
    put(&store, "h200", error_of("ben", "01"));
    put(&store, "h200", error_of("ben", "01"));
    ck_assert(store_load(&store, &content));
    ck_assert_uint_eq(content.nrecords, 2);
    ck_assert_int_eq(content.records[0].points, 30);
    ck_assert_str_eq(content.records[1].status, "error");
    ck_assert_int_eq(content.attempts[1], 1);
    store_content_free(&content);
    put(&store, "h200", error_of("anna", "another text"));
    ck_assert(store_load(&store, &content));
    ck_assert_str_eq(content.records[0].status, "error");
    store_content_free(&content);
    put(&store, "h200", record_of("anna", "anna", 50));
    ck_assert(store_load(&store, &content));
    ck_assert_int_eq(content.records[0].points, 50);
    ck_assert_int_eq(content.attempts[0], 2);
    store_content_free(&content);
}
END_TEST

START_TEST(what_is_known_holds_for_the_same_text_and_environment)
{
    struct store store = new_store();
    struct store_content content;
    put(&store, "h200", record_of("anna", "anna", 30));
    put(&store, "h200", error_of("ben", "01"));
    struct record_environment same = environment("h200"), other = environment("t4");
    ck_assert(store_load(&store, &content));
    ck_assert(store_has(&content, &same, "anna", "00ff"));
    ck_assert(!store_has(&content, &same, "anna", "00fe"));
    ck_assert(!store_has(&content, &other, "anna", "00ff"));
    ck_assert(!store_has(&content, &same, "ben", "01"));
    ck_assert(!store_has(&content, &same, "carl", "00ff"));
    record_free_row(&record_environment_shape, &same);
    record_free_row(&record_environment_shape, &other);
    store_content_free(&content);
}
END_TEST

START_TEST(a_store_is_of_one_lab)
{
    struct store store = new_store();
    ck_assert(store_make(&store, "lab3"));
    ck_assert(!store_make(&store, "lab4"));
    ck_assert_ptr_nonnull(strstr(store.error, "lab3"));
}
END_TEST

START_TEST(texts_and_words_come_back_byte_for_byte)
{
    struct store store = new_store();
    size_t size = 0;
    ck_assert(store_put_text(&store, "aa", "a\0b", 3));
    ck_assert(store_put_text(&store, "aa", "a\0b", 3));
    char *text = store_get_text(&store, "aa", &size);
    ck_assert_uint_eq(size, 3);
    ck_assert_mem_eq(text, "a\0b", 4);
    free(text);
    ck_assert_ptr_null(store_get_text(&store, "bb", &size));
    ck_assert(store_set(&store, "late", "10%/day'); DROP TABLE meta; --"));
    text = store_get(&store, "late");
    ck_assert_str_eq(text, "10%/day'); DROP TABLE meta; --");
    free(text);
    text = store_get(&store, "nothing");
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

START_TEST(who_left_the_folder_is_gone_until_they_come_back)
{
    struct store store = new_store();
    struct store_content content;
    const struct store_submission only[] = {{"ben", "ben"}};
    put(&store, "h200", record_of("anna", "anna", 30));
    put(&store, "h200", record_of("ben", "ben", 60));
    ck_assert(store_put_submissions(&store, only, 1, true));
    ck_assert(store_load(&store, &content));
    ck_assert_uint_eq(content.nrecords, 1);
    ck_assert_str_eq(content.records[0].source, "ben");
    store_content_free(&content);
    put(&store, "h200", record_of("anna", "anna", 35));
    ck_assert(store_load(&store, &content));
    ck_assert_uint_eq(content.nrecords, 2);
    store_content_free(&content);
}
END_TEST

/* A child is killed while it writes; whatever it had said to be done is there. */
static void write_until_killed(int said)
{
    struct store store;
    store_name(&store, folder);
    for (long i = 0;; i++) {
        char name[40];
        snprintf(name, sizeof name, "student %ld", i);
        put(&store, "h200", record_of(name, name, i % 100));
        if (write(said, &i, sizeof i) != sizeof i)
            _exit(1);
    }
}

START_TEST(a_killed_writer_loses_nothing_that_it_had_done)
{
    struct store store = new_store();
    struct store_content content;
    for (int round = 0; round < 5; round++) {
        int ends[2];
        long last = -1, done = -1;
        ck_assert_int_eq(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0)
            write_until_killed(ends[1]);
        close(ends[1]);
        usleep(30000 + 17000 * (useconds_t)round);
        kill(child, SIGKILL);
        while (read(ends[0], &last, sizeof last) == sizeof last)
            done = last;
        close(ends[0]);
        waitpid(child, NULL, 0);
        ck_assert_msg(store_load(&store, &content), "%s", store.error);
        ck_assert_int_ge((long)content.nrecords, done + 1);
        for (size_t i = 0; i < content.nrecords; i++)
            ck_assert_uint_eq(content.records[i].nmeasurements, 2);
        store_content_free(&content);
    }
}
END_TEST

START_TEST(a_store_that_nobody_may_write_is_read_and_says_so)
{
    struct store store = new_store();
    struct store_content content;
    put(&store, "h200", record_of("anna", "anna", 30));
    if (geteuid() == 0)
        return; /* root may write anywhere */
    chmod(store.path, 0400);
    chmod(folder, 0500);
    ck_assert_msg(store_load(&store, &content), "%s", store.error);
    ck_assert_uint_eq(content.nrecords, 1);
    store_content_free(&content);
    ck_assert(!store_set(&store, "late", "none"));
    ck_assert_ptr_nonnull(strstr(store.error, "cannot be written"));
}
END_TEST

START_TEST(what_is_no_store_is_left_alone)
{
    struct store store;
    struct store_content content;
    store_name(&store, folder);
    ck_assert(!store_exists(&store));
    ck_assert(!store_load(&store, &content));
    FILE *file = fopen(store.path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database ", file);
    fclose(file);
    ck_assert(!store_load(&store, &content));
    ck_assert(!store_make(&store, "lab3"));
    ck_assert_ptr_nonnull(strstr(store.error, "not a database"));
}
END_TEST

/* ------------------------------------------------------------------------------------------- times and rules */

START_TEST(times_are_read_as_platforms_write_them)
{
    static const struct {
        const char *text;
        long long seconds; /* by `date -u -d ... +%s` */
    } times[] = {{"2026-11-17T09:12:33Z", 1794906753},
                 {"2026-11-17 09:12:33", 1794906753},
                 {"2026-11-17T10:12:33+01:00", 1794906753},
                 {"2026-11-17 09:12:33 UTC", 1794906753},
                 {"2026-11-17T03:42:33.123-0530", 1794906753},
                 {"2026-11-17", 1794873600},
                 {"2026-11-17 09:12", 1794906720},
                 {"2024-02-29T00:00:00Z", 1709164800}};
    static const char *const wrong[] = {
        "", "soon", "2026-13-01", "2026-11-17T25:00", "17.11.2026", "2026-11-17x", "2026-11-17T09:12:33+99"};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        long long seconds = 0;
        ck_assert_msg(course_read_time(times[i].text, &seconds), "%s", times[i].text);
        ck_assert_msg(seconds == times[i].seconds, "%s: %lld", times[i].text, seconds);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        long long seconds;
        ck_assert_msg(!course_read_time(wrong[i], &seconds), "%s", wrong[i]);
    }
}
END_TEST

START_TEST(deadlines_are_made_whole)
{
    char whole[40];
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    ck_assert(course_make_deadline("2026-11-16 23:59", whole, sizeof whole));
    ck_assert_str_eq(whole, "2026-11-16T23:59:00+01:00");
    ck_assert(course_make_deadline("2026-07-16", whole, sizeof whole));
    ck_assert_str_eq(whole, "2026-07-16T23:59:59+02:00");
    ck_assert(course_make_deadline("2026-11-16T23:59-05:30", whole, sizeof whole));
    ck_assert_str_eq(whole, "2026-11-16T23:59:00-05:30");
    ck_assert_int_eq(course_offset(whole), -19800);
    ck_assert(!course_make_deadline("tomorrow", whole, sizeof whole));
}
END_TEST

START_TEST(late_points_go_by_the_rule)
{
    enum { HOUR = 3600, DAY = 86400 };
    static const struct {
        const char *rule;
        long points, late_s;
        double left;
    } rows[] = {
        {"", 80, 5 * DAY, 80},
        {"none", 80, 5 * DAY, 80},
        {"10%/day", 80, 0, 80},
        {"10%/day", 80, 1, 72},
        {"10%/day", 80, DAY, 72},
        {"10%/day", 80, DAY + 1, 64},
        {"10%/day", 80, 100 * DAY, 0},
        {"10%/day, most 50%", 80, 100 * DAY, 40},
        {"5/hour", 80, 2 * HOUR, 70},
        {"0 after 2 days", 80, 2 * DAY, 80},
        {"0 after 2 days", 80, 2 * DAY + 1, 0},
        {"10%/day, most 50%, 0 after 7 days", 80, 7 * DAY, 40},
        {"10%/day, most 50%, 0 after 7 days", 80, 7 * DAY + 1, 0},
        {"7%/day", 33, 1, 30.5}, /* 30.69 */
        {"10%/day", 95, 1, 85.5},
        {"10%/day", 0, DAY, 0},
    };
    static const char *const wrong[] = {"10%",    "ten/day", "10%/year",    "most 50%",
                                        "-5/day", "nan/day", "10%/day, foo"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct course_late rule;
        ck_assert_msg(course_read_late(rows[i].rule, &rule), "%s", rows[i].rule);
        ck_assert_msg(course_late_points(&rule, rows[i].points, rows[i].late_s) == rows[i].left,
                      "%s: %ld s: %g", rows[i].rule, rows[i].late_s,
                      course_late_points(&rule, rows[i].points, rows[i].late_s));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct course_late rule;
        ck_assert_msg(!course_read_late(wrong[i], &rule), "%s", wrong[i]);
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------- the class */

static void put_roster(struct store *store)
{
    struct store_student roster[] = {{"s2", "Ben Bär", "ben@x.org", "A", 1, ""},
                                     {"s1", "Anna Abt", "anna@x.org", "B", 2, ""}};
    ck_assert(store_put_students(store, roster, 2));
}

START_TEST(a_class_has_the_rosters_order_and_everybody_in_it)
{
    struct store store = new_store();
    struct course course;
    put_roster(&store);
    put(&store, "h200", record_of("anna.cu", "s1", 30));
    put(&store, "h200", record_of("guest", "guest", 10));
    ck_assert_msg(course_load(&course, &store), "%s", store.error);
    ck_assert_uint_eq(course.nmembers, 3);
    ck_assert_str_eq(course.members[0].id, "s2");
    ck_assert(!course.members[0].has_grade);
    ck_assert_str_eq(course.members[1].name, "Anna Abt");
    ck_assert_int_eq(course.members[1].points, 30);
    ck_assert_str_eq(course.members[2].id, "guest");
    ck_assert_ptr_eq(course_find(&course, "ANNA@x.org"), &course.members[1]);
    ck_assert_ptr_eq(course_find(&course, "gue"), &course.members[2]);
    ck_assert_ptr_null(course_find(&course, "s")); /* two begin so */
    ck_assert_ptr_null(course_find(&course, ""));
    course_free(&course);
}
END_TEST

static struct record submission(const char *source, long points, const char *submitted)
{
    struct record record = record_of(source, "anna", points);
    set(&record.submitted, submitted);
    return record;
}

START_TEST(of_several_submissions_the_last_or_the_best_counts)
{
    struct store store = new_store();
    struct course course;
    put(&store, "h200", submission("a-2", 50, "2026-11-17T12:00:00Z"));
    put(&store, "h200", submission("a-10", 70, "2026-11-17T11:00:00Z"));
    ck_assert(course_load(&course, &store));
    ck_assert_int_eq(course.members[0].points, 50); /* by time */
    course_free(&course);
    put(&store, "h200", submission("a-9", 60, ""));
    struct record broken = submission("a-11", 0, "2026-11-17T10:00:00Z");
    set(&broken.status, "error");
    put(&store, "h200", broken);
    ck_assert(course_load(&course, &store));
    ck_assert_uint_eq(course.nmembers, 1);
    ck_assert_int_eq(course.members[0].submissions, 4);
    course_free(&course);
    ck_assert(store_set(&store, "take", "best"));
    ck_assert(course_load(&course, &store));
    ck_assert_int_eq(course.members[0].points, 70);
    course_free(&course);
}
END_TEST

START_TEST(late_rules_and_points_by_hand_are_in_the_points)
{
    struct store store = new_store();
    struct course course;
    put(&store, "h200", submission("anna", 80, "2026-11-17T12:00:00Z"));
    ck_assert(store_set(&store, "deadline", "2026-11-17T10:00:00Z") && store_set(&store, "late", "10%/day"));
    ck_assert(course_load(&course, &store));
    ck_assert(course.members[0].points == 71.5 && course.members[0].bonus == 5); /* of 85, 8.5 are lost */
    ck_assert_int_eq(course.members[0].earned, 80);
    ck_assert_int_eq(course.members[0].late_s, 7200);
    course_free(&course);
    ck_assert(store_put_override(&store, &(struct store_override){"anna", 95, 1, "ill", "today"}));
    put(&store, "h200", submission("anna", 20, "2026-11-17T12:00:00Z")); /* a regrade leaves them */
    ck_assert(course_load(&course, &store));
    ck_assert_int_eq(course.members[0].points, 95);
    ck_assert_int_eq(course.members[0].bonus, 1);
    ck_assert_str_eq(course.members[0].override->reason, "ill");
    course_free(&course);
    ck_assert(store_drop_override(&store, "anna"));
    ck_assert(course_load(&course, &store));
    ck_assert(course.members[0].points == 17.5);
    course_free(&course);
}
END_TEST

START_TEST(times_of_the_roster_are_in_the_deadlines_zone)
{
    struct store store = new_store();
    struct course course;
    struct store_student roster[] = {{"early", "E", "", "", 1, "Monday, 16 November 2026, 11:30 PM"},
                                     {"late", "L", "", "", 2, "Tuesday, 17 November 2026, 12:10 AM"},
                                     {"unknown", "U", "", "", 3, "-"}};
    ck_assert(store_put_students(&store, roster, 3));
    ck_assert(store_set(&store, "deadline", "2026-11-16T23:59:00+01:00") &&
              store_set(&store, "late", "10%/day"));
    for (int i = 0; i < 3; i++) {
        struct record record = record_of(roster[i].id, roster[i].id, 50);
        set(&record.submitted, "");
        put(&store, "h200", record);
    }
    ck_assert(course_load(&course, &store));
    ck_assert_int_eq(course.members[0].points, 50);
    ck_assert(course.members[1].points == 44.5);
    ck_assert_int_eq(course.members[1].late_s, 11 * 60);
    ck_assert_int_eq(course.members[2].points, 50);
    ck_assert_uint_eq(course_count_timeless(&course), 1);
    course_free(&course);
}
END_TEST

START_TEST(a_new_roster_takes_the_place_and_points_go_along)
{
    struct store store = new_store();
    struct course course;
    struct store_student roster[] = {{"s9", "Anna Abt", "", "", 1, ""}};
    const struct store_submission before = {"anna.cu", "anna"}, after = {"anna.cu", "s9"},
                                  further = {"new.cu", "ben"};
    put_roster(&store);
    ck_assert(store_put_submissions(&store, &before, 1, true));
    put(&store, "h200", record_of("anna.cu", "anna", 30));
    ck_assert(store_put_override(&store, &(struct store_override){"anna", 40, 0, "oral", "today"}));
    ck_assert(store_put_students(&store, roster, 1));
    ck_assert(store_put_submissions(&store, &after, 1, true));
    ck_assert(store_put_submissions(&store, &further, 1, false));
    ck_assert(course_load(&course, &store));
    ck_assert_uint_eq(course.nmembers, 2);
    ck_assert_str_eq(course.members[0].id, "s9");
    ck_assert_int_eq(course.members[0].points, 40);
    ck_assert_str_eq(course_status(&course.members[0]), "graded");
    ck_assert_str_eq(course_status(&course.members[1]), "not graded yet");
    course_free(&course);
}
END_TEST

START_TEST(the_table_has_a_row_for_each_and_no_formulas)
{
    struct store store = new_store();
    struct course course;
    char *text = NULL;
    size_t size;
    put_roster(&store);
    ck_assert(store_set(&store, "stages", "2 30 0 tiled a tile\n3 30 0 padded a padded tile\n"));
    put(&store, "h200", record_of("=cmd()", "=cmd()", 30));
    ck_assert(course_load(&course, &store));
    FILE *file = open_memstream(&text, &size);
    course_put_csv(&course, file);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(text, "student,points,max,bonus,tiled,padded,status,message,"));
    ck_assert_ptr_nonnull(strstr(text, "\ns2,,100,,,,missing,"));
    ck_assert_ptr_nonnull(strstr(text, "\n'=cmd(),30,100,5,0,30,graded,\"a line"));
    course_free(&course);
    free(text);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("course");
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_record_reads_back_as_it_was);
    tcase_add_test(tests, bytes_that_are_cut_or_changed_are_no_record);
    tcase_add_test(tests, the_store_gives_back_what_it_was_given);
    tcase_add_test(tests, a_new_attempt_takes_the_place_and_the_old_one_stays);
    tcase_add_test(tests, an_error_of_the_kit_takes_no_grade_away_and_does_not_stay);
    tcase_add_test(tests, what_is_known_holds_for_the_same_text_and_environment);
    tcase_add_test(tests, a_store_is_of_one_lab);
    tcase_add_test(tests, texts_and_words_come_back_byte_for_byte);
    tcase_add_test(tests, who_left_the_folder_is_gone_until_they_come_back);
    tcase_add_test(tests, a_killed_writer_loses_nothing_that_it_had_done);
    tcase_add_test(tests, a_store_that_nobody_may_write_is_read_and_says_so);
    tcase_add_test(tests, what_is_no_store_is_left_alone);
    tcase_add_test(tests, times_are_read_as_platforms_write_them);
    tcase_add_test(tests, deadlines_are_made_whole);
    tcase_add_test(tests, late_points_go_by_the_rule);
    tcase_add_test(tests, times_of_the_roster_are_in_the_deadlines_zone);
    tcase_add_test(tests, a_new_roster_takes_the_place_and_points_go_along);
    tcase_add_test(tests, a_class_has_the_rosters_order_and_everybody_in_it);
    tcase_add_test(tests, of_several_submissions_the_last_or_the_best_counts);
    tcase_add_test(tests, late_rules_and_points_by_hand_are_in_the_points);
    tcase_add_test(tests, the_table_has_a_row_for_each_and_no_formulas);
    return run_tests("course", tests);
}
