/* test_saves.c - every way in which editors save a file is a save, and one only; with inotify and without. */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tests/run.h"
#include "grader/files.h"
#include "grader/saves.h"

static char folder[64], path[128], other[128];
static struct saves saves;

static void begin(void)
{
    snprintf(folder, sizeof folder, "/tmp/saves.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/lab3.cu", folder);
    snprintf(other, sizeof other, "%s/lab3.cu~", folder);
    ck_assert(files_write(path, "first", 5));
    saves_open(&saves, path);
}

static void end(void)
{
    saves_close(&saves);
    files_remove_tree(folder);
}

/* How many saves there are until nothing has been heard for `quiet_s`. */
static int count_saves(double quiet_s)
{
    int count = 0;
    for (double last = saves_now_s(); saves_now_s() - last < quiet_s;) {
        if (saves_look(&saves)) {
            count++;
            last = saves_now_s();
        }
        saves_wait(&saves, 20);
    }
    return count;
}

/* A minute, for machines that do not get to it. */
static bool is_saved(void)
{
    for (const double begun = saves_now_s(); saves_now_s() - begun < 60; saves_wait(&saves, 20))
        if (saves_look(&saves))
            return true;
    return false;
}

static void save_in_place(void)
{
    files_write(path, "second", 6);
}

static void save_by_rename(void)
{
    files_write(other, "second", 6);
    rename(other, path);
}

static void save_with_backup(void)
{
    rename(path, other);
    files_write(path, "second", 6);
    unlink(other);
}

static void save_same_bytes(void)
{
    files_write(path, "first", 5);
}

static void save_thrice(void)
{
    for (int i = 0; i < 3; i++)
        files_write(path, "second", 6);
}

static void vanish_and_return(void)
{
    rename(path, other);
    ck_assert(!saves_look(&saves));
    ck_assert(!saves_can_read(&saves));
    rename(other, path);
}

static void (*const ways[])(void) = {save_in_place,   save_by_rename, save_with_backup,
                                     save_same_bytes, save_thrice,    vanish_and_return};

START_TEST(each_way_of_saving_is_a_save)
{
    ways[_i]();
    ck_assert(is_saved());
}
END_TEST

/* A disk of another machine tells nothing: the file's time does. */
START_TEST(without_inotify_the_time_is_looked_at)
{
    saves_close(&saves);
    ways[_i]();
    ck_assert(is_saved());
}
END_TEST

START_TEST(writing_several_times_is_one_save)
{
    save_thrice();
    ck_assert_int_eq(count_saves(1.5), 1);
}
END_TEST

START_TEST(other_files_of_the_folder_are_none)
{
    files_write(other, "backup", 6);
    chmod(path, 0600);
    ck_assert_int_eq(count_saves(1.5), 0);
}
END_TEST

/* The name may be a folder's for a moment, or nobody's. */
START_TEST(what_cannot_be_read_is_waited_for)
{
    unlink(path);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert_int_eq(count_saves(1.5), 0);
    rmdir(path);
    save_in_place();
    ck_assert(is_saved());
}
END_TEST

START_TEST(a_folder_in_the_place_of_another_is_found)
{
    char moved[80];
    snprintf(moved, sizeof moved, "%s.old", folder);
    ck_assert_int_eq(rename(folder, moved), 0);
    ck_assert_int_eq(mkdir(folder, 0755), 0);
    save_in_place();
    ck_assert(is_saved());
    save_by_rename();
    ck_assert(is_saved());
    files_remove_tree(moved);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("saves");
    tcase_set_timeout(tests, 200);
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, each_way_of_saving_is_a_save, 0, sizeof ways / sizeof *ways);
    tcase_add_loop_test(tests, without_inotify_the_time_is_looked_at, 0, sizeof ways / sizeof *ways - 1);
    tcase_add_test(tests, writing_several_times_is_one_save);
    tcase_add_test(tests, other_files_of_the_folder_are_none);
    tcase_add_test(tests, what_cannot_be_read_is_waited_for);
    tcase_add_test(tests, a_folder_in_the_place_of_another_is_found);
    return run_tests("saves", tests);
}
