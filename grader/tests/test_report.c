/* test_report.c - reports of gradings made by hand: valid JSON whatever the bytes, lines within the terminal, no control
 * characters, and the words that a student needs. */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/tests/run.h"
#include "grader/grade.h"

static const struct lab_stage stages[] = {
    {.id = "naive", .title = "naive", .entry = "f", .is_given = true},
    {.id = "tiled",
     .title = "tile",
     .entry = "g",
     .todo = {1, .section = 2},
     .points = {.correct = 60},
     .speed = {{1.4, 20}, {2.0, 20}}},
};
static const struct lab_case cases[] = {LAB_CASE(33)};
static void layout(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", 250);
}

const struct lab lab = {.id = "lab9",
                        .title = "a lab",
                        .size_names = {"width"},
                        .size_options = {'n'},
                        LAB_STAGES(stages),
                        LAB_CASES(cases),
                        .timed = LAB_CASE(64),
                        .drawn = LAB_CASE(50),
                        .unit = "GB/s",
                        .layout = layout,
                        .baseline = "baseline_slow"};

static struct options options;
static struct session session;
static struct grading grading;

static void begin(void)
{
    options = (struct options){.lab = "lab9"};
    session = (struct session){.options = &options, .lab = &lab, .model = "h200"};
    grading = (struct grading){.session = &session, .nstages = 2};
    snprintf(grading.shown, sizeof grading.shown, "lab9.cu");
    for (int i = 0; i < 2; i++)
        grading.stages[i] = (struct stage_result){.stage = &stages[i], .row = i + 1, .is_wanted = i > 0};
    grading.stages[1].verdict = verdict_new();
}

static void end(void)
{
    grading_free(&grading);
}

static void judge(enum lab_symptom symptom, const char *text, double speedup)
{
    struct verdict *verdict = grading.stages[1].verdict;
    struct lab_outcome one = {.which = 0, .is_right = symptom == LAB_NO_SYMPTOM, .symptom = symptom};
    snprintf(one.text, sizeof one.text, "%s", text);
    verdict_add_case(verdict, &one);
    verdict->time.is_known = speedup > 0;
    verdict->time.samples = 1;
    verdict->time.speedup = verdict->time.low = verdict->time.high = speedup;
    score_stage(&lab, &stages[1], verdict, &grading.stages[1].score);
}

/* Two steps whose points are for their results, after a given one that is their baseline. */
static const struct lab_stage equals[] = {
    {.id = "naive", .title = "naive", .entry = "f", .is_given = true},
    {.id = "tiled", .title = "tile", .entry = "g", .todo = {1}, .points = {.correct = 60}},
    {.id = "padded", .title = "padding", .entry = "h", .todo = {2}, .points = {.correct = 40}},
};

static void judge_equals(struct lab *own, const double us[3])
{
    *own = lab;
    own->stages = equals;
    own->nstages = 3;
    own->baseline = "baseline_naive";
    session.lab = own;
    grading.nstages = 3;
    for (int i = 1; i < 3; i++) {
        struct stage_result *one = &grading.stages[i];
        const struct lab_outcome right = {.is_right = true, .symptom = LAB_NO_SYMPTOM};
        if (!one->verdict)
            one->verdict = verdict_new();
        *one = (struct stage_result){
            .stage = &equals[i], .row = i + 1, .is_wanted = true, .is_done = true, .verdict = one->verdict};
        verdict_add_case(one->verdict, &right);
        one->verdict->time = (struct verdict_time){.is_known = true,
                                                   .samples = 1,
                                                   .student_us = us[i],
                                                   .baseline_us = us[0],
                                                   .speedup = us[0] / us[i],
                                                   .low = us[0] / us[i],
                                                   .high = us[0] / us[i]};
        score_stage(own, &equals[i], one->verdict, &one->score);
    }
}

static char *json(void)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    report_json(&grading, file);
    fclose(file);
    return text;
}

/* What the text report prints. */
static char *report(void)
{
    static char text[1 << 16];
    char path[] = "/tmp/report.XXXXXX";
    int fd = mkstemp(path), kept = dup(1);
    fflush(stdout);
    dup2(fd, 1);
    report_begin(&grading);
    for (int i = 0; i < grading.nstages; i++)
        report_stage(&grading, &grading.stages[i]);
    report_end(&grading);
    fflush(stdout);
    dup2(kept, 1);
    ssize_t size = pread(fd, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    close(fd);
    close(kept);
    unlink(path);
    return text;
}

static const char *skip(const char *at);

static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++) {
        ck_assert_msg((unsigned char)*at >= 0x20, "control character in a string");
        if (*at == '\\')
            at++;
    }
    ck_assert_int_eq(*at, '"');
    return at + 1;
}

static const char *skip_list(const char *at, char close, bool has_names)
{
    at++;
    for (at += strspn(at, "\n"); *at && *at != close;) {
        if (has_names) {
            at = skip_string(at);
            ck_assert_int_eq(*at++, ':');
        }
        at = skip(at);
        ck_assert(*at == ',' || *at == close);
        at += *at == ',';
        at += strspn(at, "\n");
    }
    ck_assert_int_eq(*at, close);
    return at + 1;
}

/* A strict reader of what the report may contain; fails the test at the first flaw. */
static const char *skip(const char *at)
{
    at += strspn(at, "\n");
    if (*at == '"')
        return skip_string(at);
    if (*at == '{')
        return skip_list(at, '}', true);
    if (*at == '[')
        return skip_list(at, ']', false);
    size_t length = strspn(at, "-+.0123456789eE");
    if (length)
        return at + length;
    for (const char *const *word = (const char *const[]){"true", "false", "null", NULL}; *word; word++) {
        if (strncmp(at, *word, strlen(*word)) == 0)
            return at + strlen(*word);
    }
    ck_abort_msg("no value at: %.40s", at);
    return at;
}

START_TEST(any_bytes_make_valid_json)
{
    char text[300], *out;
    for (int i = 0; i < 255; i++)
        text[i] = (char)(i + 1);
    text[255] = '\0';
    judge(LAB_WRONG, text, 0);
    grading.stages[1].trouble = strdup("cut \xe2\x82");
    out = json();
    ck_assert_str_eq(skip(out), "\n");
    ck_assert_ptr_nonnull(strstr(out, "\\u0001"));
    ck_assert_ptr_nonnull(strstr(out, "\\ufffd"));
    free(out);
}
END_TEST

START_TEST(utf8_passes_through_unchanged)
{
    judge(LAB_WRONG, "příklad \xf0\x9f\x98\x80", 0);
    char *out = json();
    ck_assert_ptr_nonnull(strstr(out, "příklad \xf0\x9f\x98\x80"));
    free(out);
}
END_TEST

START_TEST(numbers_that_are_none_become_null)
{
    judge(LAB_NO_SYMPTOM, "", 2.5);
    verdict_add_counter(grading.stages[1].verdict, "odd", 1.0 / 0.0);
    char *out = json();
    ck_assert_str_eq(skip(out), "\n");
    ck_assert_ptr_nonnull(strstr(out, "\"odd\":null"));
    free(out);
}
END_TEST

START_TEST(json_holds_points_and_speedup)
{
    judge(LAB_NO_SYMPTOM, "", 2.5);
    char *out = json();
    ck_assert_ptr_nonnull(strstr(out, "\"lab\":\"lab9\",\"points\":100,\"max_points\":100"));
    ck_assert_ptr_nonnull(strstr(out, "\"speedup\":2.5,\"needed\":2,"));
    free(out);
}
END_TEST

START_TEST(a_full_stage_says_so)
{
    judge(LAB_NO_SYMPTOM, "", 2.5);
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, "100/100"));
    ck_assert_ptr_nonnull(strstr(out, "2.50x (needed 2.00x)"));
    ck_assert_ptr_null(strstr(out, "Next:"));
    ck_assert_ptr_null(strchr(out, '\033'));
}
END_TEST

START_TEST(a_slow_stage_names_the_need_and_the_next_step)
{
    judge(LAB_NO_SYMPTOM, "", 1.5);
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, " 80/100"));
    ck_assert_ptr_nonnull(strstr(out, "1.50x (needs 2.00x)"));
    ck_assert_ptr_nonnull(strstr(out, "20 points left"));
    ck_assert_ptr_nonnull(strstr(out, "./grade lab9.2"));
    ck_assert_ptr_nonnull(strstr(out, "-> "));
}
END_TEST

START_TEST(a_step_that_does_not_show_is_told_with_the_one_it_looks_like)
{
    judge(LAB_NO_SYMPTOM, "", 1.1);
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, " 25/100"));
    ck_assert_ptr_nonnull(strstr(out, "Right, but its time does not show the step from stage 1 (naive)"));
    char *text = json();
    ck_assert_ptr_nonnull(strstr(text, "\"step_shown\":false,\"earlier_step\":\"naive\""));
    ck_assert_ptr_nonnull(strstr(text, "\"correct\":{\"points\":25,\"max_points\":60}"));
    free(text);
}
END_TEST

/* A stage with a bound, which a speedup of less than 1.15 takes away. */
static struct lab_stage bounded = {.id = "bounded",
                                   .title = "bounded",
                                   .entry = "h",
                                   .points = {.correct = 60, .concept = 40},
                                   .is_first = true,
                                   .bounds = {{"a", .at_least = 1, .meaning = "loads"}},
                                   .slowest = 1.15};

static void judge_bounded(double loads, double speedup)
{
    struct stage_result *result = &grading.stages[1];
    verdict_add_counter(result->verdict, "a", loads);
    judge(LAB_NO_SYMPTOM, "", speedup);
    result->stage = &bounded;
    score_stage(&lab, &bounded, result->verdict, &result->score);
}

START_TEST(counters_that_are_reached_too_slowly_are_told_as_such)
{
    judge_bounded(1, 0.95);
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, " 25/100 right, too slow, 0.95x (needs 1.15x)"));
    ck_assert_ptr_nonnull(strstr(out, "the counters are reached, but it is too slow for this step"));
    ck_assert_ptr_nonnull(strstr(out, "speedup over the kit's slow: now 0.95x, needs 1.15x\n"));
    ck_assert_ptr_null(strstr(out, "concept missed"));
    ck_assert_ptr_null(strstr(out, "do not show"));
}
END_TEST

START_TEST(counters_that_are_missed_too_slowly_have_one_goal_each)
{
    judge_bounded(0, 0.95);
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, "concept missed, 0.95x (needs 1.15x)"));
    ck_assert_ptr_nonnull(strstr(out, "counters and time do not show this step"));
    ck_assert_ptr_null(strstr(out, "now 0.95x, needs 1.15x\n"));
    ck_assert_ptr_nonnull(strstr(out, "loads: now 0, goal 1 or more"));
}
END_TEST

/* Two steps behind the one that it looks like. */
START_TEST(a_step_that_lies_further_back_is_not_called_the_one_before)
{
    judge(LAB_NO_SYMPTOM, "", 1.1);
    struct lab_stage three[] = {stages[0], stages[1], stages[1]};
    const struct lab longer = {.id = "lab9", LAB_STAGES(three), .baseline = "baseline_slow"};
    three[2].id = "padded";
    session.lab = &longer;
    grading.stages[1].stage = &three[2];
    score_stage(&longer, &three[2], grading.stages[1].verdict, &grading.stages[1].score);
    ck_assert_ptr_nonnull(strstr(report(), "its time does not show any step beyond stage 1 (naive)"));
}
END_TEST

START_TEST(what_is_right_by_luck_is_told_with_what_it_costs)
{
    judge(LAB_NO_SYMPTOM, "", 2.5);
    verdict_add_message(
        grading.stages[1].verdict,
        &(struct verdict_message){
            .symptom = LAB_RACE, .severity = "race", .title = "a race", .text = "a race in shared memory"});
    score_stage(&lab, &stages[1], grading.stages[1].verdict, &grading.stages[1].score);
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, " 50/100"));
    ck_assert_ptr_nonnull(strstr(out, "a race in shared memory"));
    ck_assert_ptr_nonnull(strstr(out, "Right by luck"));
    ck_assert_ptr_nonnull(strstr(out, "a half of its points at most"));
    ck_assert_ptr_nonnull(
        strstr(out, "2.50x (needed 2.00x)")); /* it is reached, though its points are lost */
    char *text = json();
    ck_assert_ptr_nonnull(strstr(text, "\"by_luck\":true"));
    free(text);
}
END_TEST

START_TEST(a_step_that_shows_is_told_to_machines)
{
    judge(LAB_NO_SYMPTOM, "", 1.5);
    char *text = json();
    ck_assert_ptr_nonnull(strstr(text, "\"step_shown\":true,\"earlier_step\":\"\""));
    ck_assert_ptr_null(strstr(report(), "do not show"));
    free(text);
}
END_TEST

/* Code that is there must not be called unwritten: the report says what it does not do. */
START_TEST(a_stage_without_effect_is_described_by_what_it_does)
{
    judge(LAB_UNTOUCHED, "out[0] was never written, should be 1", 0);
    ck_assert_ptr_nonnull(strstr(report(), "0/100 writes nothing\n"));
    ck_assert_ptr_nonnull(strstr(report(), "TODO 1 is still open"));
    ck_assert_ptr_null(strstr(report(), "not written yet"));
    grading.stages[1].verdict->ncases = 0;
    judge(LAB_NO_LAUNCH, "The entry point launched no kernel.", 0);
    ck_assert_ptr_nonnull(strstr(report(), "0/100 launches nothing\n"));
    ck_assert_ptr_null(strstr(report(), "launched no kernel")); /* the row has said it */
}
END_TEST

/* A call was stopped while it was recorded; what the kernel did without it explains nothing. */
START_TEST(a_limit_of_the_kit_is_told_as_the_kits)
{
    struct verdict_message after = {.severity = "error", .symptom = LAB_STOPPED, .title = "null pointer"};
    struct verdict_message limit = {.severity = "refused", .symptom = LAB_LIMIT, .title = "limit: memory"};
    after.text = (char[]){"write through a null pointer"};
    limit.text = (char[]){"limit of the virtual GPU: no room"};
    verdict_add_message(grading.stages[1].verdict, &after);
    verdict_add_message(grading.stages[1].verdict, &limit);
    judge(LAB_LIMIT, "limit: memory", 0);
    char *text = json();
    ck_assert_ptr_nonnull(strstr(text, "\"symptom\":\"limit\""));
    free(text);
    text = report();
    ck_assert_ptr_nonnull(strstr(text, "0/100 stopped by a limit of the kit\n"));
    ck_assert_ptr_nonnull(strstr(text, "limit of the virtual GPU: no room"));
    ck_assert_ptr_nonnull(strstr(text, "a real one might go on"));
    ck_assert_ptr_null(strstr(text, "null pointer"));
    ck_assert_ptr_null(strstr(text, "wrong"));
}
END_TEST

START_TEST(a_given_stage_alone_has_nothing_to_win)
{
    grading.nstages = 1;
    grading.stages[0].is_wanted = true;
    score_failed(&lab, &stages[0], LAB_NO_SYMPTOM, NULL, NULL, &grading.stages[0].score);
    char *out = report();
    grading.nstages = 2;
    ck_assert_ptr_nonnull(strstr(out, "given: there is nothing to earn here"));
    ck_assert_ptr_null(strstr(out, "points"));
}
END_TEST

START_TEST(counts_are_whole_numbers_and_quotients_are_short)
{
    static const struct lab_bound count = {.counter = "a", .at_most = 4357888.4, .meaning = "sectors"};
    static const struct lab_bound least = {.counter = "a", .at_least = 20000000.5, .meaning = "launches"};
    static const struct lab_bound quotient = {
        .counter = "a", .per = "b", .at_most = 1.05, .meaning = "wavefronts per load"};
    judge(LAB_NO_SYMPTOM, "", 2.5);
    struct score_bound *bounds = grading.stages[1].score.bounds;
    bounds[0] = (struct score_bound){.bound = &count, .value = 12345678, .is_known = true};
    bounds[1] = (struct score_bound){.bound = &least, .value = 12345678, .is_known = true};
    bounds[2] = (struct score_bound){.bound = &quotient, .value = 31.98765, .is_known = true};
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, "sectors: now 12345678, goal 4357888 or less"));
    ck_assert_ptr_nonnull(strstr(out, "launches: now 12345678, goal 20000001 or more"));
    ck_assert_ptr_nonnull(strstr(out, "wavefronts per load: now 31.99, goal 1.05 or less"));
}
END_TEST

/* A figure with two sides is two rows: the one that is missed speaks, also with -v, where those that hold are told as well. */
START_TEST(of_two_sides_of_a_goal_the_missed_one_is_told)
{
    static const struct lab_bound least = {.counter = "a", .at_least = 10, .meaning = "bytes"};
    static const struct lab_bound most = {.counter = "a", .at_most = 100, .meaning = "bytes"};
    const char *const goals[] = {"bytes: now 5, goal 10 or more", "bytes: now 500, goal 100 or less"};
    for (int i = 0; i < 4; i++) {
        const bool is_low = i % 2 == 0;
        const double value = is_low ? 5 : 500;
        judge(LAB_NO_SYMPTOM, "", 2.5);
        struct score_bound *bounds = grading.stages[1].score.bounds;
        bounds[0] = (struct score_bound){.bound = &least, .value = value, .is_known = true, .holds = !is_low};
        bounds[1] = (struct score_bound){.bound = &most, .value = value, .is_known = true, .holds = is_low};
        options.is_verbose = i >= 2;
        const char *out = report();
        ck_assert_ptr_nonnull(strstr(out, goals[is_low ? 0 : 1]));
        ck_assert_ptr_null(strstr(out, goals[is_low ? 1 : 0]));
        ck_assert_ptr_null(strstr(out, is_low ? "goal 100" : "goal 10 "));
    }
}
END_TEST

START_TEST(a_wrong_case_is_named)
{
    judge(LAB_WRONG, "out[3] is 1, should be 2", 0);
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, "With width 33: out[3] is 1, should be 2"));
    ck_assert_ptr_nonnull(strstr(out, "  0/100"));
}
END_TEST

/* Words of eight letters, many lines of them. */
static void judge_long_text(void)
{
    char text[500];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = i % 9 ? 'w' : ' ';
    text[sizeof text - 1] = '\0';
    judge(LAB_WRONG, text, 0);
    options.is_verbose = true;
}

static size_t longest_line(char *text)
{
    size_t longest = 0;
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n"))
        longest = strlen(line) > longest ? strlen(line) : longest;
    return longest;
}

START_TEST(a_file_has_lines_of_80_columns)
{
    judge_long_text();
    size_t longest = longest_line(report());
    ck_assert(longest <= 80 && longest > 71);
}
END_TEST

/* The report on a terminal of so many columns. */
static char *report_on_terminal(unsigned short columns)
{
    static char text[1 << 16];
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    int master = posix_openpt(O_RDWR | O_NOCTTY), kept = dup(1);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    ck_assert_int_eq(ioctl(terminal, TIOCSWINSZ, &size), 0);
    setenv("NO_COLOR", "1", 1);
    fflush(stdout);
    dup2(terminal, 1);
    report_stage(&grading, &grading.stages[1]);
    dup2(kept, 1);
    ssize_t bytes = read(master, text, sizeof text - 1);
    text[bytes > 0 ? bytes : 0] = '\0';
    close(terminal);
    close(master);
    close(kept);
    return text;
}

static const struct {
    unsigned short columns;
    size_t at_most;
} terminals[] = {{80, 80}, {100, 100}, {60, 60}, {200, 100}, {0, 80}};

START_TEST(lines_stay_within_the_terminal)
{
    judge_long_text();
    options.is_verbose = false;
    size_t longest = longest_line(report_on_terminal(terminals[_i].columns));
    ck_assert_msg(longest <= terminals[_i].at_most, "%zu columns", longest);
    ck_assert_msg(longest + 9 > terminals[_i].at_most, "%zu columns", longest);
}
END_TEST

START_TEST(control_characters_do_not_reach_the_terminal)
{
    judge(LAB_WRONG, "\033[2Jgone", 0);
    grading.stages[1].trouble = strdup("\033]0;title\007");
    char *out = report();
    ck_assert_ptr_null(strchr(out, '\033'));
    ck_assert_ptr_null(strchr(out, '\007'));
    ck_assert_ptr_nonnull(strstr(out, "[2Jgone"));
}
END_TEST

static void add_message(const char *place, enum lab_symptom symptom, const char *text)
{
    struct verdict_message message = {.symptom = symptom, .severity = "error", .title = "title"};
    char copy[80];
    snprintf(copy, sizeof copy, "%s", text);
    snprintf(message.place, sizeof message.place, "%s", place);
    message.text = copy;
    verdict_add_message(grading.stages[1].verdict, &message);
}

START_TEST(one_mistake_is_told_once_per_line)
{
    options.is_verbose = true;
    add_message("lab9.cu:5", LAB_UNINITIALISED, "nobody wrote it");
    add_message("lab9.cu:5", LAB_RACE, "a race there");
    add_message("lab9.cu:5", LAB_RACE, "another race there");
    add_message("lab9.cu:7", LAB_RACE, "a race elsewhere");
    add_message("", LAB_NO_SYMPTOM, "a remark without a place");
    add_message("", LAB_NO_SYMPTOM, "another remark");
    judge(LAB_NO_SYMPTOM, "", 2.5);
    char *out = strstr(report(), "virtual"); /* past the first finding, which the row itself shows */
    ck_assert_ptr_nonnull(strstr(out, "a race there"));
    ck_assert_ptr_nonnull(strstr(out, "a race elsewhere"));
    ck_assert_ptr_nonnull(strstr(out, "another remark"));
    ck_assert_ptr_null(strstr(out, "another race there"));
}
END_TEST

START_TEST(a_decision_for_the_student_is_told)
{
    judge(LAB_NO_SYMPTOM, "", 1.98);
    grading.stages[1].verdict->time.high = 2.04;
    score_stage(&lab, &stages[1], grading.stages[1].verdict, &grading.stages[1].score);
    ck_assert_ptr_nonnull(strstr(report(), "favour.\n"));
}
END_TEST

START_TEST(a_bound_shows_now_and_goal_and_with_v_also_where_it_holds)
{
    static const struct lab_bound most = {
        .counter = "a", .per = "b", .at_most = 4, .meaning = "sectors per load"};
    static const struct lab_bound one = {.counter = "a", .at_least = 1, .at_most = 1, .meaning = "launches"};
    static const struct lab_bound none = {.counter = "a", .at_most = 0.5, .meaning = "stores"};
    judge(LAB_NO_SYMPTOM, "", 2.5);
    struct score_bound *bounds = grading.stages[1].score.bounds;
    bounds[0] = (struct score_bound){.bound = &most, .value = 32, .is_known = true};
    bounds[1] = (struct score_bound){.bound = &one, .value = 1, .is_known = true, .holds = true};
    bounds[2] = (struct score_bound){.bound = &none, .is_known = false};
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, "sectors per load: now 32.0, goal 4.0 or less\n"));
    ck_assert_ptr_nonnull(strstr(out, "stores: now not measured, goal 0\n"));
    ck_assert_ptr_null(strstr(out, "launches: "));
    options.is_verbose = true;
    ck_assert_ptr_nonnull(strstr(report(), "launches: now 1, goal 1\n"));
    char *text = json();
    ck_assert_ptr_nonnull(strstr(text, "{\"meaning\":\"sectors per load\",\"now\":32,\"at_least\":null,"
                                       "\"at_most\":4,\"holds\":false}"));
    free(text);
}
END_TEST

static void measure(double student_us, double baseline_us)
{
    judge(LAB_NO_SYMPTOM, "", baseline_us / student_us);
    struct verdict_time *time = &grading.stages[1].verdict->time;
    time->student_us = student_us;
    time->baseline_us = baseline_us;
    time->ceiling = 4000;
    time->peak = 60000;
}

START_TEST(a_time_is_told_with_share_and_base)
{
    measure(0.2, 0.5); /* 1000 bytes: 5 GB/s */
    ck_assert_ptr_nonnull(strstr(report(), "0.20 us, 0.1 % of a copy; baseline slow\n"));
    char *text = json();
    ck_assert_ptr_nonnull(strstr(text, "\"base\":\"slow\",\"time_us\":0.2,\"baseline_us\":0.5,\"rate\":"));
    ck_assert_ptr_nonnull(strstr(text, "\"unit\":\"GB/s\",\"share\":0.001"));
    ck_assert_ptr_nonnull(strstr(text, "\"share_of\":\"a copy\",\"gain\":null"));
    free(text);
}
END_TEST

/* A kernel that computes is not compared with a copy, and one number is told once. */
START_TEST(a_time_has_no_share_that_says_nothing)
{
    measure(0.2, 0.5);
    snprintf(grading.stages[1].verdict->time.limiter, sizeof grading.stages[1].verdict->time.limiter, "fp32");
    ck_assert_ptr_nonnull(strstr(report(), "0.20 us; baseline slow\n"));
    snprintf(grading.stages[1].verdict->time.limiter, sizeof grading.stages[1].verdict->time.limiter, "dram");
    ck_assert_ptr_nonnull(strstr(report(), "0.20 us, 0.1 % of a copy"));
    struct lab_scale scale = {.us = 1, .base = "slow", .speedup = 2, .gain = 2, .before = 3};
    char text[100];
    lab_write_scale(&scale, text, sizeof text);
    ck_assert_str_eq(text, "1.00 us; 2.00x over the kit's slow");
}
END_TEST

START_TEST(a_sandbox_is_told_where_it_is_not_whole)
{
    judge(LAB_NO_SYMPTOM, "", 2.5);
    snprintf(session.sandbox.state, sizeof session.sandbox.state, "limits only");
    ck_assert_ptr_nonnull(strstr(report(), "sandbox: limits only"));
    snprintf(session.sandbox.bwrap, sizeof session.sandbox.bwrap, "/usr/bin/bwrap");
    ck_assert_ptr_null(strstr(report(), "sandbox: "));
    session.is_gpu_bare = true;
    ck_assert_ptr_nonnull(strstr(report(), "but not for what runs on the GPU"));
}
END_TEST

/* Where to find the bug is the task, the report says what was found, and not what to do. */
START_TEST(a_hunt_keeps_its_hint)
{
    struct verdict_message found = {
        .severity = "error", .symptom = LAB_RACE, .title = "race", .place = "lab9.cu:7"};
    struct lab_stage hunt = stages[1];
    found.text = (char[]){"lab9.cu:7: error: race in shared memory\n    likely cause: no barrier\n"};
    verdict_add_message(grading.stages[1].verdict, &found);
    judge(LAB_RACE, "race", 0);
    ck_assert_ptr_nonnull(strstr(report(), "-> "));
    ck_assert_ptr_nonnull(strstr(report(), "likely cause"));
    hunt.is_hunt = true;
    grading.stages[1].stage = &hunt;
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, "race in shared memory"));
    ck_assert_ptr_null(strstr(out, "-> "));
    ck_assert_ptr_null(strstr(out, "likely cause"));
    ck_assert_ptr_nonnull(strstr(out, "./grade hint lab9.2"));
}
END_TEST

START_TEST(the_step_before_is_told_where_it_was_measured)
{
    measure(0.2, 0.5);
    struct stage_result *before = &grading.stages[0];
    before->is_done = true;
    before->verdict = verdict_new();
    before->verdict->time = grading.stages[1].verdict->time;
    before->verdict->time.student_us = 0.3;
    before->score = (struct score){.is_right = true, .has_speedup = true};
    ck_assert_ptr_nonnull(strstr(report(), "; baseline slow, 1.50x over stage 1\n"));
    before->here.is_known = true; /* an H200's clock decided there, and another GPU's here */
    ck_assert_ptr_null(strstr(report(), "over stage 1"));
    before->here.is_known = before->score.is_right = false;
    ck_assert_ptr_null(strstr(report(), "over stage 1"));
}
END_TEST

START_TEST(a_stage_may_have_a_unit_of_its_own)
{
    struct lab_scale scale;
    const struct lab_most most = {.copy = 4000, .fma = 60000};
    struct lab_stage stage = stages[1];
    char text[200];
    stage.unit = "GFLOP/s";
    lab_find_scale(&lab, &stage, &most, 30, 1000, 0, &scale);
    lab_write_scale(&scale, text, sizeof text);
    ck_assert_str_eq(text, "1000.00 us, 50 % of FMA peak");
    stage.unit = "Gpoints/s";
    lab_find_scale(&lab, &stage, &most, 30, 1000, 3000, &scale);
    lab_write_scale(&scale, text, sizeof text);
    ck_assert_str_eq(text, "1000.00 us, 3e+04 Gpoints/s; 3.00x over the kit's slow");
}
END_TEST

START_TEST(a_wrong_case_comes_with_the_command_that_runs_it)
{
    char wanted[200];
    grading.stages[1].verdict->seed = 12345678901234567890u;
    judge(LAB_WRONG, "out[3] is 1, should be 2", 0);
    snprintf(wanted, sizeof wanted, "By hand: build/lab9 tiled --case 1 --seed %llu\n",
             (unsigned long long)lab_seed(12345678901234567890u, 0));
    ck_assert_ptr_nonnull(strstr(report(), wanted));
    grading.stages[1].verdict->cases[0].which = LAB_TIMED;
    snprintf(wanted, sizeof wanted, "By hand: build/lab9 tiled --all --seed %llu\n",
             (unsigned long long)lab_seed(12345678901234567890u, LAB_TIMED));
    ck_assert_ptr_nonnull(strstr(report(), wanted));
    grading.stages[1].verdict->cases[0].which = 1; /* the first that is drawn */
    struct lab_case drawn;
    ck_assert(lab_find_case(&lab, &stages[1], 1, grading.seed, &drawn));
    snprintf(wanted, sizeof wanted, "By hand: build/lab9 tiled -n %ld --seed %llu\n", drawn.size[0],
             (unsigned long long)lab_seed(12345678901234567890u, 1));
    ck_assert_ptr_nonnull(strstr(report(), wanted));
}
END_TEST

START_TEST(the_compilers_warnings_are_told)
{
    char text[2000] = "";
    for (int i = 0; i < 20; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "lab9.cu(%d): warning #177-D: variable \"a_long_name\" was declared but never referenced\n",
                 i);
    grading.warnings = strdup(text);
    judge(LAB_NO_SYMPTOM, "", 2.5);
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, "The compiler warns:\n      lab9.cu:0: warning: variable "
                                      "\"a_long_name\" was declared but never\n      referenced [#177-D]\n"));
    ck_assert_ptr_nonnull(strstr(out, "(8 more lines: -v shows them)"));
    options.is_verbose = true;
    ck_assert_ptr_nonnull(strstr(report(), "lab9.cu:19: warning"));
    char *found = json();
    ck_assert_ptr_nonnull(strstr(found, "\"warnings\":\"lab9.cu(0)"));
    free(found);
}
END_TEST

START_TEST(source_lines_of_the_compiler_are_not_broken)
{
    grading.trouble =
        strdup("lab9.cu does not compile:\nlab9.cu(3): error: no\n"
               "      int a_very_long_line_of_source_text = 1, that_goes_on = 2, and_on_and_on = 3;\n"
               "                                                                          ^\n");
    grading.outcome = OUTCOME_STUDENT;
    char *out = report();
    ck_assert_ptr_nonnull(strstr(out, "that_goes_on = 2, and_on_and_on = 3;\n"));
}
END_TEST

START_TEST(a_step_that_is_slower_than_the_one_before_is_told_so)
{
    static const struct {
        double us[3]; /* naive, tiled, padded */
        const char *words;
    } runs[] = {{{100, 50, 60}, "Slower than stage 2 (tiled), 0.83x"},
                {{100, 200, 100}, "Slower than stage 1 (naive), 0.50x"},
                {{100, 50, 51}, NULL},
                {{100, 50, 25}, NULL}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct lab own;
        begin();
        judge_equals(&own, runs[i].us);
        const char *text = report(), *found = strstr(text, "Slower than");
        ck_assert_msg(!found == !runs[i].words && (!found || strstr(text, runs[i].words)), "%s", text);
        end();
    }
}
END_TEST

START_TEST(columns_can_be_chosen)
{
    judge_long_text();
    setenv("COLUMNS", "60", 1);
    size_t longest = longest_line(report());
    unsetenv("COLUMNS");
    ck_assert(longest <= 60 && longest > 51);
}
END_TEST

int main(void)
{
    unsetenv("COLUMNS");
    TCase *tests = tcase_create("report");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, any_bytes_make_valid_json);
    tcase_add_test(tests, utf8_passes_through_unchanged);
    tcase_add_test(tests, numbers_that_are_none_become_null);
    tcase_add_test(tests, json_holds_points_and_speedup);
    tcase_add_test(tests, a_full_stage_says_so);
    tcase_add_test(tests, a_slow_stage_names_the_need_and_the_next_step);
    tcase_add_test(tests, a_step_that_does_not_show_is_told_with_the_one_it_looks_like);
    tcase_add_test(tests, counters_that_are_reached_too_slowly_are_told_as_such);
    tcase_add_test(tests, counters_that_are_missed_too_slowly_have_one_goal_each);
    tcase_add_test(tests, a_step_that_lies_further_back_is_not_called_the_one_before);
    tcase_add_test(tests, what_is_right_by_luck_is_told_with_what_it_costs);
    tcase_add_test(tests, a_step_that_shows_is_told_to_machines);
    tcase_add_test(tests, a_stage_without_effect_is_described_by_what_it_does);
    tcase_add_test(tests, a_limit_of_the_kit_is_told_as_the_kits);
    tcase_add_test(tests, a_given_stage_alone_has_nothing_to_win);
    tcase_add_test(tests, counts_are_whole_numbers_and_quotients_are_short);
    tcase_add_test(tests, of_two_sides_of_a_goal_the_missed_one_is_told);
    tcase_add_test(tests, a_wrong_case_is_named);
    tcase_add_test(tests, a_file_has_lines_of_80_columns);
    tcase_add_loop_test(tests, lines_stay_within_the_terminal, 0, LAB_COUNT(terminals));
    tcase_add_test(tests, control_characters_do_not_reach_the_terminal);
    tcase_add_test(tests, one_mistake_is_told_once_per_line);
    tcase_add_test(tests, a_decision_for_the_student_is_told);
    tcase_add_test(tests, a_bound_shows_now_and_goal_and_with_v_also_where_it_holds);
    tcase_add_test(tests, a_time_is_told_with_share_and_base);
    tcase_add_test(tests, a_time_has_no_share_that_says_nothing);
    tcase_add_test(tests, a_sandbox_is_told_where_it_is_not_whole);
    tcase_add_test(tests, a_hunt_keeps_its_hint);
    tcase_add_test(tests, the_step_before_is_told_where_it_was_measured);
    tcase_add_test(tests, a_stage_may_have_a_unit_of_its_own);
    tcase_add_test(tests, a_wrong_case_comes_with_the_command_that_runs_it);
    tcase_add_test(tests, the_compilers_warnings_are_told);
    tcase_add_test(tests, source_lines_of_the_compiler_are_not_broken);
    tcase_add_test(tests, a_step_that_is_slower_than_the_one_before_is_told_so);
    tcase_add_test(tests, columns_can_be_chosen);
    return run_tests("report", tests);
}
