/* test_verdict.c - verdicts come back as they were written, and nothing else reads as complete.
 * Every truncation and many single-byte damages of a full verdict are tried. */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "grader/verdict.h"

static struct verdict *full_verdict(void)
{
    struct verdict *verdict = verdict_new();
    verdict_add_case(verdict, &(struct lab_outcome){.which = 0, .is_right = true});
    verdict_add_case(verdict, &(struct lab_outcome){.which = 3,
                                                    .symptom = LAB_PARTLY,
                                                    .text = "out[3] was\tnever \\ written\n",
                                                    .known = "it looks\tlike this",
                                                    .is_cause = true});
    verdict_add_case(verdict, &(struct lab_outcome){.which = LAB_TIMED, .is_right = true});
    verdict_add_message(verdict, &(struct verdict_message){.which = 3,
                                                           .symptom = LAB_RACE,
                                                           .severity = "race",
                                                           .title = "shared memory",
                                                           .place = "lab3.cu:41",
                                                           .text = "two\nlines\r\n\tand a tab \\n"});
    verdict_add_counter(verdict, "warp_instructions", 1e15 + 1);
    verdict_add_counter(verdict, "occupancy", 0.1);
    verdict->time = (struct verdict_time){.is_known = true,
                                          .backend = "gpu",
                                          .gpu = "NVIDIA H200",
                                          .baseline_us = 12.25,
                                          .student_us = 1.0 / 3,
                                          .speedup = 36.75,
                                          .low = 36,
                                          .high = 37.5,
                                          .samples = 31,
                                          .ceiling = 4036,
                                          .peak = 66908.16,
                                          .limiter = "dram"};
    verdict->seed = UINT64_MAX - 1;
    return verdict;
}

static char *text_of(const struct verdict *verdict, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    verdict_write(verdict, file);
    fclose(file);
    return text;
}

static struct verdict *read_text(const char *text, size_t size)
{
    FILE *file = size ? fmemopen((void *)(uintptr_t)text, size, "r") : fopen("/dev/null", "r");
    struct verdict *verdict = verdict_read(file);
    fclose(file);
    return verdict;
}

static void expect_refused(const char *text)
{
    struct verdict *verdict = read_text(text, strlen(text));
    ck_assert_msg(!verdict->is_complete, "accepted: %s", text);
    ck_assert_msg(verdict->failure[0], "no word about: %s", text);
    verdict_free(verdict);
}

START_TEST(what_was_written_is_read)
{
    size_t size, again_size;
    struct verdict *verdict = full_verdict();
    char *text = text_of(verdict, &size);
    struct verdict *back = read_text(text, size);
    ck_assert(back->is_complete);
    ck_assert_str_eq(back->failure, "");
    ck_assert_uint_eq(back->ncases, 3);
    ck_assert_str_eq(back->cases[1].text, verdict->cases[1].text);
    ck_assert_int_eq(back->cases[1].symptom, LAB_PARTLY);
    ck_assert_str_eq(back->cases[1].known, verdict->cases[1].known);
    ck_assert(back->cases[1].is_cause && !back->cases[0].is_cause);
    ck_assert_int_eq(back->messages[0].symptom, LAB_RACE);
    ck_assert_uint_eq(back->cases[2].which, LAB_TIMED);
    ck_assert_str_eq(back->messages[0].text, verdict->messages[0].text);
    ck_assert_str_eq(back->messages[0].place, "lab3.cu:41");
    ck_assert_double_eq(back->counters[0].value, 1e15 + 1);
    ck_assert_double_eq(back->time.student_us, 1.0 / 3);
    ck_assert_str_eq(back->time.limiter, "dram");
    char *again = text_of(back, &again_size);
    ck_assert_str_eq(text, again);
    free(text);
    free(again);
    verdict_free(back);
    verdict_free(verdict);
}
END_TEST

START_TEST(messages_can_be_forgotten)
{
    struct verdict *verdict = full_verdict();
    const uint32_t before = verdict->nmessages;
    verdict_add_message(verdict,
                        &(struct verdict_message){.severity = "error", .title = "late", .text = "late"});
    verdict_drop_messages(verdict, before);
    ck_assert_uint_eq(verdict->nmessages, before);
    ck_assert_str_eq(verdict->messages[before - 1].title, "shared memory");
    verdict_drop_messages(verdict, before + 5);
    ck_assert_uint_eq(verdict->nmessages, before);
    verdict_free(verdict);
}
END_TEST

START_TEST(an_empty_verdict_is_complete)
{
    struct verdict *back = read_text("verdict 1\nend\n", 14);
    ck_assert(back->is_complete);
    ck_assert_uint_eq(back->ncases, 0);
    ck_assert(!back->time.is_known);
    verdict_free(back);
}
END_TEST

START_TEST(a_failure_of_the_judge_is_read)
{
    size_t size;
    struct verdict *verdict = verdict_new();
    strcpy(verdict->failure, "no lab");
    char *text = text_of(verdict, &size);
    struct verdict *back = read_text(text, size);
    ck_assert(back->is_complete);
    ck_assert_str_eq(back->failure, "no lab");
    free(text);
    verdict_free(back);
    verdict_free(verdict);
}
END_TEST

START_TEST(no_truncation_is_complete)
{
    size_t size;
    struct verdict *verdict = full_verdict();
    char *text = text_of(verdict, &size);
    for (size_t length = 0; length < size; length++) {
        struct verdict *back = read_text(text, length);
        ck_assert_msg(!back->is_complete, "%zu of %zu bytes are taken for all", length, size);
        ck_assert(back->failure[0]);
        verdict_free(back);
    }
    free(text);
    verdict_free(verdict);
}
END_TEST

/* A damaged verdict may still be one, with other words or numbers; reading it must stay within its memory. */
START_TEST(any_byte_may_be_damaged)
{
    static const char bytes[] = {0, '\t', '\n', '\\', '9', '-', 'x', (char)0xff};
    size_t size;
    struct verdict *verdict = full_verdict();
    char *text = text_of(verdict, &size);
    for (size_t at = 0; at < size; at++)
        for (size_t i = 0; i < sizeof bytes; i++) {
            const char kept = text[at];
            text[at] = bytes[i];
            struct verdict *back = read_text(text, size);
            ck_assert(back->is_complete || back->failure[0]);
            verdict_free(back);
            text[at] = kept;
        }
    free(text);
    verdict_free(verdict);
}
END_TEST

START_TEST(bad_fields_are_refused)
{
    static const char *const lines[] = {"case\t0\t1\t0\t0\t",
                                        "case\t0\t2\t0\t0\t\t",
                                        "case\t0\t1\t5\t0\tright with a symptom\t",
                                        "case\t0\t0\t0\t0\twrong without one\t",
                                        "case\t0\t0\t99\t0\tno such symptom\t",
                                        "case\t-1\t1\t0\t0\t\t",
                                        "case\t 1\t1\t0\t0\t\t",
                                        "case\t4294967296\t1\t0\t0\t\t",
                                        "case\t0\t1\t0\t2\t\t",
                                        "case\t0\t1\t0\t0\t\t\tone too many",
                                        "case\t0\t0\t11\t0\tbad escape \\q\t",
                                        "message\t0\t0\tmuch too long a severity\t\t\t",
                                        "message\t0\t99\terror\t\t\t",
                                        "counter\tn\tnan",
                                        "counter\tn\tinf",
                                        "counter\tn\t-1",
                                        "counter\tn\t",
                                        "counter\tn\t1x",
                                        "time\tgpu\tH200\t1\t1\t1\t1\t1\t1\t1\t1",
                                        "seed\t-1",
                                        "seed\t18446744073709551616",
                                        "seed\t1\t2",
                                        "nonsense",
                                        "",
                                        "verdict 1",
                                        "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\tn"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "verdict 1\n%s\nend\n", lines[i]);
        expect_refused(text);
    }
}
END_TEST

START_TEST(nothing_may_follow_the_end)
{
    expect_refused("verdict 1\nend\nend\n");
    expect_refused("verdict 1\nend\n ");
    expect_refused("verdict 2\nend\n");
}
END_TEST

START_TEST(two_times_are_refused)
{
    const char *time = "time\tgpu\tH200\t1\t1\t1\t1\t1\t1\t1\t1\t\n";
    char text[300];
    snprintf(text, sizeof text, "verdict 1\n%s%send\n", time, time);
    expect_refused(text);
}
END_TEST

START_TEST(the_second_judge_replaces_the_time)
{
    struct verdict *first = full_verdict(), *second = verdict_new();
    first->is_complete = second->is_complete = true;
    second->time = (struct verdict_time){.is_known = true, .backend = "gpu", .speedup = 2};
    verdict_join(first, second);
    ck_assert_double_eq(first->time.speedup, 2);
    ck_assert_uint_eq(first->ncases, 3);
    ck_assert(first->is_complete);
    verdict_free(first);
    verdict_free(second);
}
END_TEST

START_TEST(a_wrong_timed_case_takes_the_time_away)
{
    struct verdict *first = full_verdict(), *second = verdict_new();
    first->is_complete = second->is_complete = true;
    verdict_add_case(second, &(struct lab_outcome){.which = LAB_TIMED, .symptom = LAB_WRONG});
    verdict_join(first, second);
    ck_assert(!first->time.is_known);
    ck_assert_uint_eq(first->ncases, 3);
    ck_assert(!first->cases[2].is_right);
    verdict_free(first);
    verdict_free(second);
}
END_TEST

START_TEST(a_second_judge_that_failed_is_not_forgotten)
{
    struct verdict *first = full_verdict(), *second = verdict_new();
    first->is_complete = true;
    strcpy(second->failure, "the GPU is gone");
    verdict_join(first, second);
    ck_assert_str_eq(first->failure, "the GPU is gone");
    ck_assert(!first->is_complete);
    verdict_free(first);
    verdict_free(second);
}
END_TEST

static void note(struct verdict *verdict, uint32_t which, const char *place, char *text)
{
    struct verdict_message message = {
        .which = which, .symptom = LAB_FAULT, .title = "out of bounds", .text = text};
    snprintf(message.place, sizeof message.place, "%s", place);
    verdict_note(verdict, &message, 2);
}

START_TEST(one_mistake_in_many_cases_is_told_of_the_first)
{
    struct verdict *verdict = verdict_new();
    note(verdict, 5, "lab4.cu:3", "in the fifth");
    note(verdict, 2, "lab4.cu:3", "in the second");
    note(verdict, 4, "lab4.cu:3", "in the fourth");
    ck_assert_uint_eq(verdict->nmessages, 1);
    ck_assert_uint_eq(verdict->messages[0].which, 2);
    ck_assert_str_eq(verdict->messages[0].text, "in the second");
    note(verdict, 7, "lab4.cu:9", "elsewhere");
    note(verdict, 1, "lab4.cu:11", "one too many");
    ck_assert_uint_eq(verdict->nmessages, 2);
    note(verdict, 0, "lab4.cu:9", "elsewhere, before");
    ck_assert_str_eq(verdict->messages[1].text, "elsewhere, before");
    verdict_free(verdict);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, what_was_written_is_read);
    tcase_add_test(tests, messages_can_be_forgotten);
    tcase_add_test(tests, an_empty_verdict_is_complete);
    tcase_add_test(tests, a_failure_of_the_judge_is_read);
    tcase_add_test(tests, no_truncation_is_complete);
    tcase_add_test(tests, any_byte_may_be_damaged);
    tcase_add_test(tests, bad_fields_are_refused);
    tcase_add_test(tests, nothing_may_follow_the_end);
    tcase_add_test(tests, two_times_are_refused);
    tcase_add_test(tests, the_second_judge_replaces_the_time);
    tcase_add_test(tests, a_wrong_timed_case_takes_the_time_away);
    tcase_add_test(tests, a_second_judge_that_failed_is_not_forgotten);
    tcase_add_test(tests, one_mistake_in_many_cases_is_told_of_the_first);
    return run_tests("verdict", tests);
}
