/* test_cores.c - quotas of cgroups of both versions, in a tree of our own. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cores.h"
#include "base/tests/run.h"

static char top[] = "/tmp/warpstep-cores.XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", top, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", top, name);
    ck_assert_int_eq(mkdir(path, 0755), 0);
}

static void begin(void)
{
    ck_assert_ptr_nonnull(mkdtemp(top));
    make_folder("a");
    make_folder("a/b");
}

static void end(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0);
    snprintf(top, sizeof top, "/tmp/warpstep-cores.XXXXXX");
}

START_TEST(there_is_at_least_one)
{
    ck_assert_int_ge(cores_usable(), 1);
}
END_TEST

START_TEST(no_quota_is_none)
{
    write_file("a/cpu.max", "max 100000\n");
    write_file("a/b/cpu.cfs_quota_us", "-1\n");
    write_file("a/b/cpu.cfs_period_us", "100000\n");
    ck_assert_int_eq(cores_of_cgroup(top, "/a/b"), 0);
    ck_assert_int_eq(cores_of_cgroup(top, "/"), 0);
    ck_assert_int_eq(cores_of_cgroup(top, "/none"), 0);
}
END_TEST

START_TEST(half_a_core_is_one)
{
    write_file("a/cpu.max", "50000 100000\n");
    ck_assert_int_eq(cores_of_cgroup(top, "/a"), 1);
    write_file("a/b/cpu.cfs_quota_us", "250000\n");
    write_file("a/b/cpu.cfs_period_us", "100000\n");
    ck_assert_int_eq(cores_of_cgroup(top, "/a/b"), 1);
}
END_TEST

START_TEST(the_smallest_on_the_way_counts)
{
    write_file("cpu.max", "300000 100000\n");
    write_file("a/cpu.max", "max 100000\n");
    write_file("a/b/cpu.cfs_quota_us", "450000\n");
    write_file("a/b/cpu.cfs_period_us", "100000\n");
    ck_assert_int_eq(cores_of_cgroup(top, "/a/b"), 3);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("cores");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, there_is_at_least_one);
    tcase_add_test(tests, no_quota_is_none);
    tcase_add_test(tests, half_a_core_is_one);
    tcase_add_test(tests, the_smallest_on_the_way_counts);
    return run_tests("cores", tests);
}
