/* test_hints.c - words for every symptom, a symptom for every finding, and bounds that labs share: no row escapes. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/tests/run.h"
#include "lab/bounds.h"
#include "lab/findings.h"
#include "lab/lab.h"

static const struct lab_stage stages[] = {
    {.id = "naive", .entry = "transpose_naive", .is_given = true},
    {
        .id = "padded",
        .entry = "transpose_padded",
        .todo = {2, .section = 3},
        .hints = {{LAB_RACE, "own words about races"},
                  {LAB_UNTOUCHED, "own words about nothing"},
                  {LAB_UNINITIALISED, "own words about any array"},
                  {LAB_UNINITIALISED, "own words about counts", .about = "`counts`"}},
    },
    {.id = "rows", .entry = "transpose_rows", .todo = {3, .section = 4}},
};
static const struct lab small = {.id = "lab3", LAB_STAGES(stages)};

static const char *hint_of(int row, enum lab_symptom symptom, const char *finding)
{
    static char text[LAB_TEXT];
    lab_write_hint(&small, &stages[row], symptom, finding, text, sizeof text);
    return text;
}

static const char *hint(int row, enum lab_symptom symptom)
{
    return hint_of(row, symptom, NULL);
}

/* ------------------------------------------------------------------------------------------- symptoms */

START_TEST(every_symptom_has_a_name_of_its_own)
{
    const char *name = lab_symptom_name((enum lab_symptom)_i);
    ck_assert(*name);
    for (int i = 0; i < _i; i++)
        ck_assert_str_ne(name, lab_symptom_name((enum lab_symptom)i));
}
END_TEST

START_TEST(every_symptom_has_words_for_every_stage)
{
    for (int row = 0; row < LAB_COUNT(stages); row++) {
        const char *text = hint(row, (enum lab_symptom)_i);
        size_t length = strlen(text);
        ck_assert(length > 20 && length < LAB_TEXT - 1);
        ck_assert(row == 1 || text[length - 1] == '.' || text[length - 1] == '?');
    }
}
END_TEST

START_TEST(every_symptom_has_a_nudge_that_asks)
{
    const char *text = lab_nudge((enum lab_symptom)_i);
    size_t length = strlen(text);
    ck_assert(length > 40 && length < LAB_TEXT && text[length - 1] == '?');
}
END_TEST

START_TEST(no_symptom_has_no_words)
{
    ck_assert_str_eq(hint(2, LAB_NO_SYMPTOM), "");
}
END_TEST

START_TEST(a_stage_s_own_words_come_first)
{
    ck_assert_str_eq(hint(1, LAB_RACE), "own words about races");
    ck_assert_str_eq(hint(1, LAB_UNTOUCHED), "own words about nothing");
    ck_assert_ptr_null(lab_own_hint(&stages[2], LAB_RACE));
}
END_TEST

/* ------------------------------------------------------------------------------------------- what a finding says */

#define UNWRITTEN(array, cause)                                                                              \
    "vgpu: error: lab3.cu:41: read of uninitialised shared memory: `" array                                  \
    "`\n    kernel `k(int*)`, block (0,0,0)\n"                                                               \
    "    likely cause: " cause "\n"

/* row, symptom and finding; what the hint begins with */
static const struct {
    int row;
    enum lab_symptom symptom;
    const char *finding, *begins;
} chosen[] = {
    {1, LAB_UNINITIALISED, UNWRITTEN("counts", "3 of 4"), "own words about counts"},
    {1, LAB_UNINITIALISED, UNWRITTEN("tile", "3 of 4"), "`tile`, line 41: own words about any array"},
    {1, LAB_UNINITIALISED, UNWRITTEN("tile", "7 of the block's 8 threads have returned before this read"),
     "Threads that return early store nothing, and others read their elements of `tile` in line 41."},
    {2, LAB_UNINITIALISED, UNWRITTEN("tile", "only 2 of 8 bytes, as many bytes as there are elements"),
     "`tile` is filled in part:"},
    {2, LAB_UNINITIALISED,
     UNWRITTEN("tile", "only 8 of 1024 bytes were written, which is the size of a pointer"),
     "Only the first bytes of `tile` are set: sizeof of a pointer is 8"},
    {2, LAB_UNINITIALISED,
     "vgpu: error: lab3.cu:50: memset after a kernel has read what it sets: `out`, with lab3.cu:41",
     "`out` is set in line 50, but a kernel that needs it was launched before."},
    {2, LAB_PARTLY, "out[0] was never written, should be 3", "`out`: Nothing was written. If"},
    {2, LAB_PARTLY, "out[0] was never written, should be 3; none of the 8 elements was written",
     "`out`: Nothing was written. If"},
    {2, LAB_PARTLY, "out[7] was never written, should be 3; 1 of 8: all but the last of 8 elements are right",
     "Only the last of `out` are missing."},
    {2, LAB_UNINITIALISED, UNWRITTEN("tile", "whatever"), "`tile`, line 41: The kernel reads what nobody"},
    {2, LAB_LAUNCH,
     "lab3.cu:9: error: the kernel launch failed\nlab3.cu:8: error: launch with too large a block: kernel "
     "`k(int)`",
     "Line 8: a block has at most 1024 threads."},
    {2, LAB_LEAK,
     "lab3.cu:7: a stream is made here, 4 times in one call, without cudaStreamDestroy() of them",
     "Line 7 makes a new one each time that it runs."},
    {2, LAB_WRONG, "out[row 3][column 4] is 1, should be 2", "`out`: The values are wrong."},
    {2, LAB_WRONG, "Right in the first call, wrong in a second one: sum[0] is 1, should be 2",
     "`sum`: something still holds what the first call left there."},
    {2, LAB_WRONG, "The kernels changed the input `in`.", "`in`: The values"},
    {2, LAB_WRONG, "2 of 4 answers are right", "The values are wrong."},
};

START_TEST(a_hint_is_chosen_by_what_the_finding_says_and_names_it)
{
    const char *text = hint_of(chosen[_i].row, chosen[_i].symptom, chosen[_i].finding);
    ck_assert_msg(!strncmp(text, chosen[_i].begins, strlen(chosen[_i].begins)), "%s", text);
}
END_TEST

/* What the kit writes from the row. */
static const struct {
    enum lab_symptom symptom;
    const char *words[3];
} written[] = {
    {LAB_MISSING, {"transpose_rows", "lab3.h"}},
    {LAB_NO_LAUNCH, {"TODO 3", "transpose_rows", "(handout section 4)"}},
    {LAB_UNTOUCHED, {"TODO 3", "(handout section 4)"}},
    {LAB_LAUNCH, {"transpose_rows"}},
};

START_TEST(the_kit_writes_from_the_row_what_to_do)
{
    const char *text = hint(2, written[_i].symptom);
    for (int i = 0; i < 3 && written[_i].words[i]; i++)
        ck_assert_msg(strstr(text, written[_i].words[i]), "no %s in: %s", written[_i].words[i], text);
}
END_TEST

/* What was refused can be anything: a block, a grid, shared memory, a copy. */
START_TEST(the_kit_does_not_guess_why_a_call_was_refused)
{
    static const char *const guesses[] = {"1024", "65535", "block", "grid", "shared"};
    for (int i = 0; i < LAB_COUNT(guesses); i++)
        ck_assert_ptr_null(strstr(hint(2, LAB_LAUNCH), guesses[i]));
}
END_TEST

START_TEST(graver_symptoms_stand_higher)
{
    ck_assert_int_eq(lab_graver(LAB_WRONG, LAB_FAULT), LAB_FAULT);
    ck_assert_int_eq(lab_graver(LAB_FAULT, LAB_WRONG), LAB_FAULT);
    ck_assert_int_eq(lab_graver(LAB_BARRIER, LAB_RACE), LAB_BARRIER);
    ck_assert_int_eq(lab_graver(LAB_NO_SYMPTOM, LAB_SLOW), LAB_SLOW);
    ck_assert_int_eq(lab_graver(LAB_SLOW, LAB_NO_SYMPTOM), LAB_SLOW);
    ck_assert_int_eq(lab_graver(LAB_NO_SYMPTOM, LAB_NO_SYMPTOM), LAB_NO_SYMPTOM);
}
END_TEST

START_TEST(what_stops_a_kernel_is_told_unless_something_before_it_explains_it)
{
    ck_assert_int_eq(lab_told_of(LAB_UNINITIALISED, LAB_FAULT), LAB_UNINITIALISED);
    ck_assert_int_eq(lab_told_of(LAB_FAULT, LAB_UNINITIALISED), LAB_FAULT);
    ck_assert_int_eq(lab_told_of(LAB_RACE, LAB_DEADLOCK), LAB_RACE);
    ck_assert_int_eq(lab_told_of(LAB_UNINITIALISED, LAB_RACE), LAB_RACE);
    ck_assert_int_eq(lab_told_of(LAB_WRONG, LAB_FAULT), LAB_FAULT);
    ck_assert_int_eq(lab_told_of(LAB_NO_SYMPTOM, LAB_FAULT), LAB_FAULT);
    ck_assert_int_eq(lab_told_of(LAB_RACE, LAB_NO_SYMPTOM), LAB_RACE);
}
END_TEST

/* ------------------------------------------------------------------------------------------- findings */

/* What does not stop a program, and costs no points, need not be anybody's fault. */
START_TEST(every_finding_has_a_symptom)
{
    enum vgpu_finding kind = (enum vgpu_finding)_i;
    enum lab_symptom symptom = lab_symptom_of(kind);
    ck_assert_msg(symptom != LAB_NO_SYMPTOM || vgpu_finding_severity(kind) == VGPU_WARNING, "%s",
                  vgpu_finding_name(kind));
    ck_assert(symptom < LAB_UNTOUCHED || symptom == LAB_RACE || symptom == LAB_LOST ||
              symptom == LAB_BLOCKS || symptom == LAB_STREAMS || symptom == LAB_UNINITIALISED);
}
END_TEST

START_TEST(races_are_told_apart_by_what_mends_them)
{
    ck_assert_int_eq(lab_symptom_of(VGPU_RACE_READ_AFTER_WRITE), LAB_RACE);
    ck_assert_int_eq(lab_symptom_of(VGPU_LOST_UPDATE), LAB_LOST);
    ck_assert_int_eq(lab_symptom_of(VGPU_BLOCKS_READ_WRITE), LAB_BLOCKS);
    ck_assert_int_eq(lab_symptom_of(VGPU_STREAMS_READ_WRITE), LAB_STREAMS);
    ck_assert_int_eq(lab_symptom_of(VGPU_MASK_MISSES_LANES), LAB_LANES);
    ck_assert_int_eq(lab_symptom_of(VGPU_NOTHING), LAB_NO_SYMPTOM);
}
END_TEST

/* ------------------------------------------------------------------------------------------- shared bounds */

static const struct lab_bound shared[] = {
    LAB_LOADS_ONCE(1.05),
    LAB_STORES_ONCE(1.05),
    LAB_VECTOR_LOADS,
    LAB_FEW_ATOMICS(8),
    LAB_TILE_LOADS_ONCE(1.05),
    LAB_TILE_STORES_ONCE(1.05),
    LAB_NO_CONFLICTS(0.1),
    LAB_NO_DIVERGENCE(0.1),
    LAB_ONE_LAUNCH,
    LAB_NO_FP64,
    LAB_NO_LOCAL_MEMORY,
    LAB_LANES_LOAD,
    LAB_FOLLOWS_GPU,
    LAB_NO_SPILLS,
};

/* The virtual GPU's, and those that the judge adds. */
static const char *const counters[] = {
#define COUNTER(name, unit, meaning) #name,
#include "vgpu/core/counters.def"
#undef COUNTER
    "allocations",
    "frees",
    "host_writes",
    "host_reads",
    "results_read",
    "host_steps",
    "graph_launches",
    "graphs_made",
    "calls",
    "bus_bytes",
    "launches",
    "largest_launch",
    "shared_bytes",
    "input_bytes",
    "input_sectors",
    "input_lines",
    "requests_in",
    "output_sectors",
    "sectors_in",
    "sectors_out",
    "shared_requests_in",
    "shared_in",
    "shared_out",
    "serial_us",
    "used_us",
    "blocks",
    "blocks_on_half",
    "spilled_bytes_per_thread"};

static bool is_counter(const char *name)
{
    for (int i = 0; i < LAB_COUNT(counters); i++)
        if (!strcmp(counters[i], name))
            return true;
    return false;
}

START_TEST(shared_bounds_are_sound)
{
    const struct lab_bound *bound = &shared[_i];
    ck_assert(is_counter(bound->counter));
    ck_assert(!bound->per || is_counter(bound->per));
    ck_assert(bound->at_least > 0 || bound->at_most > 0);
    ck_assert(*bound->meaning && strlen(bound->hint) < LAB_TEXT);
    ck_assert_int_eq(strncmp(bound->hint, "Right, but ", 11), 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("hints");
    tcase_add_loop_test(tests, every_symptom_has_a_name_of_its_own, LAB_NO_SYMPTOM, LAB_SYMPTOMS);
    tcase_add_loop_test(tests, every_symptom_has_words_for_every_stage, LAB_NO_SYMPTOM + 1, LAB_SYMPTOMS);
    tcase_add_loop_test(tests, every_symptom_has_a_nudge_that_asks, LAB_NO_SYMPTOM + 1, LAB_SYMPTOMS);
    tcase_add_test(tests, no_symptom_has_no_words);
    tcase_add_test(tests, a_stage_s_own_words_come_first);
    tcase_add_loop_test(tests, a_hint_is_chosen_by_what_the_finding_says_and_names_it, 0, LAB_COUNT(chosen));
    tcase_add_loop_test(tests, the_kit_writes_from_the_row_what_to_do, 0, LAB_COUNT(written));
    tcase_add_test(tests, the_kit_does_not_guess_why_a_call_was_refused);
    tcase_add_test(tests, graver_symptoms_stand_higher);
    tcase_add_test(tests, what_stops_a_kernel_is_told_unless_something_before_it_explains_it);
    tcase_add_loop_test(tests, every_finding_has_a_symptom, VGPU_NOTHING + 1, VGPU_FINDINGS);
    tcase_add_test(tests, races_are_told_apart_by_what_mends_them);
    tcase_add_loop_test(tests, shared_bounds_are_sound, 0, LAB_COUNT(shared));
    return run_tests("hints", tests);
}
