/* test_history.c - lines of a history, damaged ones, and what they say of a student's progress. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tests/run.h"
#include "grader/history.h"
#include "grader/progress.h"

static const struct lab_stage stages[] = {
    {.id = "naive", .title = "naive", .is_given = true},
    {.id = "tiled", .title = "a tile", .points = {.correct = 30}},
    {.id = "padded", .title = "a padded tile", .points = {.correct = 70}},
    {.id = "swizzle", .title = "swizzled", .points = {.correct = 10}, .is_bonus = true},
};
static const struct lab table = {.id = "lab9", .title = "a lab", LAB_STAGES(stages)};

static struct history_attempt attempt_of(const char *id, int points, int most)
{
    struct history_attempt attempt = {.when = 1800000000,
                                      .gpu = "NVIDIA H200",
                                      .version = "0.1.0",
                                      .hash = "0123456789abcdef",
                                      .nstages = 1,
                                      .stages = {{.points = points, .most = most, .speedup = 2.17}}};
    snprintf(attempt.stages[0].id, sizeof attempt.stages[0].id, "%s", id);
    return attempt;
}

START_TEST(a_line_reads_back_as_it_was)
{
    char line[1000];
    struct history_attempt back, attempt = attempt_of("tiled", 30, 30);
    attempt.is_gpu = true;
    attempt.nstages = 2;
    attempt.stages[0].time_us = 135.25;
    attempt.stages[0].bytes = 536870912;
    attempt.stages[1] = (struct history_stage){.id = "swizzle", .most = 10, .is_bonus = true};
    ck_assert(history_write_line(&attempt, line, sizeof line));
    ck_assert_msg(strstr(line, "1 2027-01-15T08:00:00Z gpu NVIDIA_H200 0.1.0 0123456789abcdef graded "
                               "tiled=30/30@2.1700~135.25/0/5.36871e+08 swizzle=+0/10 #") == line,
                  "%s", line);
    ck_assert(history_read_line(line, strlen(line), &back));
    ck_assert(back.when == attempt.when && back.is_gpu && !back.has_failed);
    ck_assert_str_eq(back.gpu, "NVIDIA_H200");
    ck_assert_int_eq(back.nstages, 2);
    ck_assert_int_eq(back.stages[0].points, 30);
    ck_assert_double_eq_tol(back.stages[0].speedup, 2.17, 1e-9);
    ck_assert(back.stages[0].time_us == 135.25 && back.stages[0].flop == 0);
    ck_assert_double_eq_tol(back.stages[0].bytes, 536870912, 1e3);
    ck_assert(back.stages[1].time_us == 0);
    ck_assert(back.stages[1].is_bonus && back.stages[1].speedup == 0);
}
END_TEST

START_TEST(what_is_wrong_and_where_reads_back)
{
    char line[1000];
    struct history_attempt back, attempt = attempt_of("tiled", 7, 30);
    attempt.stages[0].line = 34;
    snprintf(attempt.stages[0].symptom, sizeof attempt.stages[0].symptom, "lost-update");
    ck_assert(history_write_line(&attempt, line, sizeof line));
    ck_assert_ptr_nonnull(strstr(line, " tiled=7/30@2.1700!lost-update:34 #"));
    ck_assert(history_read_line(line, strlen(line), &back));
    ck_assert_str_eq(back.stages[0].symptom, "lost-update");
    ck_assert_int_eq(back.stages[0].line, 34);
}
END_TEST

START_TEST(any_damage_to_a_line_is_found)
{
    char line[1000], broken[1000];
    struct history_attempt back, attempt = attempt_of("tiled", 30, 30);
    ck_assert(history_write_line(&attempt, line, sizeof line));
    for (size_t i = 0; line[i]; i++) {
        memcpy(broken, line, sizeof line);
        broken[i] ^= 1;
        ck_assert_msg(!history_read_line(broken, strlen(broken), &back), "%s", broken);
        ck_assert(!history_read_line(line, i, &back));
    }
}
END_TEST

START_TEST(a_line_that_has_no_room_is_refused)
{
    char line[60];
    const struct history_attempt attempt = attempt_of("tiled", 30, 30);
    ck_assert(!history_write_line(&attempt, line, sizeof line));
}
END_TEST

static char path[64];

static void make_file(const char *text)
{
    snprintf(path, sizeof path, "/tmp/test_history.XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

START_TEST(a_torn_line_costs_only_itself)
{
    struct history history;
    const struct history_attempt attempt = attempt_of("tiled", 30, 30);
    make_file("1 2027-01-15T08:00:00Z virt");
    ck_assert(history_append(path, &attempt));
    ck_assert(history_append(path, &attempt));
    ck_assert(history_load(&history, path));
    ck_assert_int_eq(history.count, 2);
    ck_assert_int_eq(history.damaged, 1);
    ck_assert_int_eq(history.first_damaged, 1);
    history_free(&history);
    unlink(path);
    ck_assert(history_load(&history, path));
    ck_assert_int_eq(history.count, 0);
    history_free(&history);
}
END_TEST

START_TEST(many_writers_lose_no_line)
{
    enum { WRITERS = 8, LINES = 25 };
    struct history history;
    const struct history_attempt attempt = attempt_of("tiled", 30, 30);
    make_file("");
    for (int i = 0; i < WRITERS; i++) {
        if (fork() == 0) {
            bool is_done = true;
            for (int k = 0; k < LINES; k++)
                is_done = history_append(path, &attempt) && is_done;
            _exit(!is_done);
        }
    }
    for (int i = 0, status; i < WRITERS; i++)
        ck_assert(wait(&status) > 0 && status == 0);
    ck_assert(history_load(&history, path));
    ck_assert_int_eq(history.count, WRITERS * LINES);
    ck_assert_int_eq(history.damaged, 0);
    history_free(&history);
    unlink(path);
}
END_TEST

START_TEST(the_best_points_ever_count)
{
    struct history_attempt list[] = {attempt_of("tiled", 30, 30), attempt_of("tiled", 0, 30),
                                     attempt_of("padded", 17, 70), attempt_of("gone", 50, 50)};
    const struct history history = {.list = list, .count = 4};
    struct progress progress;
    progress_find(&progress, &table, &history);
    ck_assert_int_eq(progress.nstages, 3);
    ck_assert_int_eq(progress.points, 47);
    ck_assert_int_eq(progress.most, 100);
    ck_assert_int_eq(progress.bonus_most, 10);
    ck_assert_str_eq(progress.next->id, "padded");
    ck_assert_int_eq(progress.next->row, 3);
    progress_find(&progress, NULL, &history);
    ck_assert_int_eq(progress.nstages, 3);
    ck_assert_int_eq(progress.points, 97);
}
END_TEST

START_TEST(points_of_a_run_raise_the_best_ones)
{
    struct history_attempt list[] = {attempt_of("tiled", 30, 30), attempt_of("padded", 17, 70)};
    const struct history history = {.list = list, .count = 2};
    struct progress progress;
    progress_find(&progress, &table, &history);
    progress_raise(&progress, "padded", 5);
    ck_assert_int_eq(progress.points, 47);
    progress_raise(&progress, "padded", 70);
    ck_assert_int_eq(progress.points, 100);
    ck_assert(progress.next->is_bonus);
    progress_raise(&progress, progress.next->id, 1000);
    ck_assert_int_eq(progress.bonus, 10);
    ck_assert_ptr_null(progress.next);
}
END_TEST

START_TEST(points_of_a_table_that_gave_more_are_cut)
{
    struct history_attempt list[] = {attempt_of("tiled", 50, 50)};
    const struct history history = {.list = list, .count = 1};
    struct progress progress;
    progress_find(&progress, &table, &history);
    ck_assert_int_eq(progress.points, 30);
}
END_TEST

START_TEST(the_lab_tried_last_goes_on)
{
    const struct progress_stage open = {.id = "a", .most = 10},
                                bonus = {.id = "b", .most = 10, .is_bonus = true};
    struct progress labs[] = {{.nstages = 1, .next = &open},
                              {.nstages = 1, .next = &open, .last = 20},
                              {.nstages = 1, .next = &open, .last = 10}};
    ck_assert_int_eq(progress_choose(labs, 3), 1);
    labs[1].next = &bonus;
    ck_assert_int_eq(progress_choose(labs, 3), 2); /* the one behind it */
    labs[2].next = NULL;
    ck_assert_int_eq(progress_choose(labs, 3), 0);
    labs[0].next = NULL;
    ck_assert_int_eq(progress_choose(labs, 3), 1);
    labs[1].next = NULL;
    ck_assert_int_eq(progress_choose(labs, 3), -1);
    labs[2].nstages = 0;
    ck_assert_int_eq(progress_choose(labs, 3), 2);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("history");
    tcase_add_test(tests, a_line_reads_back_as_it_was);
    tcase_add_test(tests, what_is_wrong_and_where_reads_back);
    tcase_add_test(tests, any_damage_to_a_line_is_found);
    tcase_add_test(tests, a_line_that_has_no_room_is_refused);
    tcase_add_test(tests, a_torn_line_costs_only_itself);
    tcase_add_test(tests, many_writers_lose_no_line);
    tcase_add_test(tests, the_best_points_ever_count);
    tcase_add_test(tests, points_of_a_run_raise_the_best_ones);
    tcase_add_test(tests, points_of_a_table_that_gave_more_are_cut);
    tcase_add_test(tests, the_lab_tried_last_goes_on);
    return run_tests("history", tests);
}
