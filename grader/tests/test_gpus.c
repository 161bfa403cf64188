/* test_gpus.c - which GPUs of a machine a batch uses. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/tests/run.h"
#include "grader/gpus.h"

static char folder[100] = "/tmp/test_gpus.XXXXXX";

/* As a driver writes it. */
static void make_gpu(const char *bus, const char *model, const char *uuid)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, bus);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/%s/information", folder, bus);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "Model: \t\t %s\nIRQ:   \t\t 16\nGPU UUID: \t %s\nVideo BIOS: \t 96.00\nDevice Minor: \t 0\n",
            model, uuid);
    fclose(file);
}

START_TEST(all_gpus_of_the_model_are_used)
{
    struct gpus gpus;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    make_gpu("0000:18:00.0", "NVIDIA H200", "GPU-aaaa");
    make_gpu("0000:2a:00.0", "NVIDIA H200", "GPU-bbbb");
    make_gpu("0000:3a:00.0", "NVIDIA H200 NVL", "GPU-cccc");
    make_gpu("0000:4a:00.0", "NVIDIA H200", "GPU-\?\?\?\?\?\?\?\?-\?\?\?\?");
    gpus_find(&gpus, folder, NULL, "NVIDIA H200");
    ck_assert_int_eq(gpus.count, 2);
    ck_assert_str_eq(gpus.names[0], "GPU-aaaa");
    ck_assert_str_eq(gpus.names[1], "GPU-bbbb");
}
END_TEST

START_TEST(what_somebody_has_chosen_is_used)
{
    struct gpus gpus;
    gpus_find(&gpus, folder, "1,3", "NVIDIA H200");
    ck_assert_int_eq(gpus.count, 2);
    ck_assert_str_eq(gpus.names[1], "3");
    gpus_find(&gpus, folder, "", "NVIDIA H200");
    ck_assert_int_eq(gpus.count, 0);
    gpus_find(&gpus, "/nowhere", NULL, "NVIDIA H200");
    ck_assert_int_eq(gpus.count, 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("gpus");
    tcase_add_test(tests, all_gpus_of_the_model_are_used);
    tcase_add_test(tests, what_somebody_has_chosen_is_used);
    return run_tests("gpus", tests);
}
