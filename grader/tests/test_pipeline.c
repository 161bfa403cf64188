/* test_pipeline.c - where a stage's time goes beside its kernels: who gets which part, and the words and advice about it. */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "grader/judge/pipeline.h"

static struct pipeline pipeline;
static char text[1200];

static void begin(void)
{
    pipeline_begin(&pipeline, 1000);
    *text = '\0';
}

static void end(void)
{
}

/* A copy to the device of 100 us, a kernel of 50 us that is only started, a copy to the host that waits for it and takes 200 us. */
static void run(bool is_pinned)
{
    pipeline_step(&pipeline, PIPELINE_TO_DEVICE, 4e6, true, 1000);
    pipeline_step(&pipeline, PIPELINE_CALLS, 0, false, 1100);
    pipeline_launched(&pipeline, 50);
    pipeline_step(&pipeline, PIPELINE_TO_HOST, 2e6, is_pinned, 1100);
    pipeline_end(&pipeline, 1350);
}

START_TEST(a_copy_that_waits_for_a_kernel_has_only_its_own_time)
{
    run(true);
    ck_assert_double_eq(pipeline.us[PIPELINE_TO_DEVICE], 100);
    ck_assert_double_eq(pipeline.us[PIPELINE_TO_HOST], 200);
    ck_assert_double_eq(pipeline.kernels_us, 50);
}
END_TEST

START_TEST(copies_are_told_by_direction_and_memory)
{
    run(false);
    ck_assert(pipeline_write(&pipeline, 360, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "Kernels take 50.00 of 360.00 us, 14 %."));
    ck_assert_ptr_nonnull(strstr(text, "1 copy to the device: 4 MB from pinned memory, 100.00 us."));
    ck_assert_ptr_nonnull(strstr(text, "1 copy to the host: 2 MB to pageable memory, 200.00 us."));
    ck_assert_ptr_nonnull(strstr(text, "the rest: 10.00 us."));
    ck_assert_ptr_nonnull(strstr(strchr(text, '\n'), "pinned memory"));
}
END_TEST

START_TEST(advice_is_about_what_takes_most)
{
    run(true);
    ck_assert(pipeline_write(&pipeline, 360, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(strchr(text, '\n'), "overlap"));
    ck_assert(pipeline_write(&pipeline, 3600, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(strchr(text, '\n'), "launches and other calls"));
    pipeline_begin(&pipeline, 0);
    pipeline_step(&pipeline, PIPELINE_STEPS, 0, false, 0);
    pipeline_end(&pipeline, 90);
    ck_assert(pipeline_write(&pipeline, 100, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(strchr(text, '\n'), "the host's own work"));
}
END_TEST

START_TEST(copies_that_nobody_waits_for_have_no_time)
{
    pipeline_step(&pipeline, PIPELINE_TO_DEVICE, 64e6, true, 1000);
    pipeline_step(&pipeline, PIPELINE_WAITS, 0, false, 1001);
    pipeline_end(&pipeline, 2000);
    ck_assert(pipeline_write(&pipeline, 1000, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "64 MB from pinned memory, which the host does not wait for."));
    ck_assert_ptr_nonnull(strstr(text, "Waiting for streams: 999.00 us."));
}
END_TEST

START_TEST(where_kernels_take_most_nothing_is_said)
{
    run(true);
    ck_assert(!pipeline_write(&pipeline, 90, text, sizeof text));
    ck_assert(!pipeline_write(&pipeline, 0, text, sizeof text));
}
END_TEST

/* From the begin of what is timed on; what the host does in one piece is one span. */
START_TEST(spans_of_engines_and_of_the_host_are_told)
{
    static struct pipeline_span spans[PIPELINE_SPANS];
    char *json = NULL;
    size_t size;
    FILE *file = open_memstream(&json, &size);
    ck_assert(!pipeline_write_spans(&pipeline, 350, file));
    pipeline.spans = spans;
    run(true);
    pipeline_timed(&pipeline, &(struct pipeline_span){
                                  .kind = 1, .stream = 7, .bytes = 4e6, .from_us = 1001, .to_us = 1099.5});
    pipeline_timed(&pipeline,
                   &(struct pipeline_span){.kind = 0, .from_us = 1101, .to_us = 1150, .name = "scale"});
    ck_assert(pipeline_write_spans(&pipeline, 350, file));
    fclose(file);
    ck_assert_str_eq(json, "{\"total_us\":350,\"lost\":0,\"host\":[[1,0.000,100.000],[2,100.000,350.000]],"
                           "\"spans\":[[1,7,1.000,99.500,4000000,\"\"],[0,0,101.000,150.000,0,\"scale\"]]}");
    free(json);
    pipeline.spans = NULL;
}
END_TEST

START_TEST(what_there_is_no_room_for_is_counted)
{
    static struct pipeline_span spans[PIPELINE_SPANS];
    pipeline.spans = spans;
    for (int i = 0; i < PIPELINE_SPANS + 5; i++)
        pipeline_timed(&pipeline, &(struct pipeline_span){.from_us = i, .to_us = i + 1});
    ck_assert_uint_eq(pipeline.nspans, PIPELINE_SPANS);
    ck_assert_uint_eq(pipeline.nlost, 5);
    pipeline_begin(&pipeline, 0);
    ck_assert_uint_eq(pipeline.nspans, 0);
    pipeline.spans = NULL;
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("pipeline");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_copy_that_waits_for_a_kernel_has_only_its_own_time);
    tcase_add_test(tests, copies_are_told_by_direction_and_memory);
    tcase_add_test(tests, advice_is_about_what_takes_most);
    tcase_add_test(tests, copies_that_nobody_waits_for_have_no_time);
    tcase_add_test(tests, where_kernels_take_most_nothing_is_said);
    tcase_add_test(tests, spans_of_engines_and_of_the_host_are_told);
    tcase_add_test(tests, what_there_is_no_room_for_is_counted);
    return run_tests("pipeline", tests);
}
