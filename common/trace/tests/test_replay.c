/* test_replay.c - replays what record.c recorded, on the virtual GPU or on a real one.
 * The trace and the device code lie beside the program, the source of both beside this file.
 * Every entry point is replayed twice, on other inputs each time, against what replay.h says it computes.
 * No object of the submission is linked: device code comes as data, host code not at all. */
#include <check.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "trace/build.h"
#include "trace/trace.h"
#include "vgpu/vgpu.h"

static char trace_path[512], fatbin_path[512], source_path[512];
static char error[512];

/* ------------------------------------------------------------------------------------------- expectations */

static float input[REPLAY_COUNT];

static double x(int i)
{
    return input[i];
}

#define ENTRY(name, what)                                                                                    \
    static double expect_##name(int i)                                                                       \
    {                                                                                                        \
        return what;                                                                                         \
    }
REPLAY_ENTRIES(ENTRY)
REPLAY_HOST(ENTRY)
#undef ENTRY

static const struct {
    const char *name;
    double (*expect)(int i);
} entries[] = {
#define ENTRY(name, what) {#name, expect_##name},
    REPLAY_ENTRIES(ENTRY) REPLAY_HOST(ENTRY)
#undef ENTRY
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static const struct {
    const char *name, *words;
    bool is_fatal;
} notes[] = {
#define ENTRY(name, what) {#name, what, true},
    REPLAY_UNCARRIED(ENTRY) REPLAY_HOST_UNCARRIED(ENTRY)
#undef ENTRY
        {"reads", "reads zeros", false},
    {"left_behind", "cudaStreamDestroy()", false},
    {"kept_again", "not kept", false},
    {"refused_launch", "2048", false},
    {"refused_copy", "cudaMemcpy", false},
};
enum { NOTES = sizeof notes / sizeof *notes };

/* ------------------------------------------------------------------------------------------- a stage for players */

static struct trace *trace;
static struct player *player;
static void *given[2], *gap;
static float host[2][REPLAY_COUNT]; /* what is given where arrays are on the host */
static void *const host_given[2] = {host[0], host[1]};

static void *slurp(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file && fseek(file, 0, SEEK_END) == 0, "cannot read %s", path);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *data = calloc(1, *bytes + 1);
    ck_assert_uint_eq(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

static void do_step(void *context, uint32_t number, void *to, size_t to_bytes, const void *from,
                    size_t from_bytes)
{
    (void)context;
    ck_assert(number == REPLAY_STEP && to_bytes == from_bytes);
    for (size_t i = 0; i < from_bytes / sizeof(float); i++)
        ((float *)to)[i] = 2 * ((const float *)from)[i];
}

static void set_up(void)
{
    size_t bytes;
    void *fatbin = slurp(fatbin_path, &bytes);
    trace = trace_read(trace_path, error, sizeof error);
    ck_assert_msg(trace != NULL, "%s", error);
    /* Nothing lies where it lay in the recording. */
    ck_assert_int_eq(cudaMalloc(&gap, 12345678), cudaSuccess);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(cudaMalloc(&given[i], sizeof input), cudaSuccess);
    player = player_new(trace, fatbin, bytes, error, sizeof error);
    ck_assert_msg(player != NULL, "%s", error);
    player_set_hooks(player, &(struct player_hooks){.host = do_step});
    free(fatbin);
}

static void tear_down(void)
{
    player_free(player);
    trace_free(trace);
    for (int i = 0; i < 2; i++)
        cudaFree(given[i]);
    cudaFree(gap);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
}

static struct trace_segment *segment_of(const char *name)
{
    const struct trace_segment *segment = trace_find(trace, name, 0);
    ck_assert_msg(segment != NULL, "no segment %s", name);
    return &trace->segments[segment - trace->segments];
}

static struct trace_op *op_of(struct trace_segment *segment, enum trace_kind kind)
{
    for (uint32_t i = 0; i < segment->nops; i++)
        if (segment->ops[i].kind == kind)
            return &segment->ops[i];
    ck_abort_msg("%s has no such operation", segment->stage);
}

static void *const *given_for(const char *name)
{
    return segment_of(name)->given[0].is_host ? host_given : given;
}

static void replay_and_compare(const char *name, double (*expect)(int i), int turn)
{
    float output[REPLAY_COUNT];
    for (int i = 0; i < REPLAY_COUNT; i++)
        input[i] = (float)((i * 7919 + turn * 271) % 1009);
    cudaMemcpy(given[1], input, sizeof input, cudaMemcpyHostToDevice);
    cudaMemset(given[0], 0xff, sizeof input);
    memcpy(host[1], input, sizeof input);
    memset(host[0], 0xff, sizeof input);
    player_make_ready(player, 0);
    ck_assert_msg(player_run(player, error, sizeof error), "%s", error);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
    cudaMemcpy(output, given_for(name)[0], sizeof output, cudaMemcpyDefault);
    for (int i = 0; i < REPLAY_COUNT; i++)
        ck_assert_msg(output[i] == (float)expect(i), "%s: out[%d] is %g, not %g", name, i, output[i],
                      expect(i));
}

/* ------------------------------------------------------------------------------------------- replaying */

START_TEST(an_entry_point_is_replayed_on_other_data)
{
    const struct trace_segment *segment = segment_of(entries[_i].name);
    ck_assert_msg(player_prepare(player, segment, given_for(entries[_i].name), error, sizeof error), "%s: %s",
                  entries[_i].name, error);
    for (int turn = 1; turn <= 2; turn++)
        replay_and_compare(entries[_i].name, entries[_i].expect, turn);
    player_finish(player);
}
END_TEST

START_TEST(one_player_replays_segment_after_segment)
{
    for (int i = 0; i < ENTRIES; i++) {
        ck_assert_msg(player_prepare(player, segment_of(entries[i].name), given_for(entries[i].name), error,
                                     sizeof error),
                      "%s", error);
        replay_and_compare(entries[i].name, entries[i].expect, 3 + i);
        player_finish(player);
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------- notes */

/* The line that ends in "note: NAME". */
static uint32_t marked_line(const char *name)
{
    size_t bytes;
    char *source = slurp(source_path, &bytes), mark[64], *rest = NULL;
    uint32_t number = 0;
    snprintf(mark, sizeof mark, "note: %s\n", name);
    const char *at = strstr(source, mark);
    ck_assert_msg(at != NULL, "no line is marked %s", mark);
    for (rest = source; rest < at; rest++)
        number += *rest == '\n';
    free(source);
    return number + 1;
}

START_TEST(what_is_odd_has_a_note_that_names_its_line)
{
    const struct trace_segment *segment = segment_of(notes[_i].name);
    const uint32_t line = marked_line(notes[_i].name);
    for (uint32_t i = 0; i < segment->nnotes; i++)
        if (strstr(segment->notes[i].text, notes[_i].words) && segment->notes[i].line == line &&
            segment->notes[i].is_fatal == notes[_i].is_fatal)
            return;
    ck_abort_msg("%s: no note at line %u says '%s', but %u others, the first at line %u: %s", notes[_i].name,
                 line, notes[_i].words, segment->nnotes, segment->nnotes ? segment->notes[0].line : 0,
                 segment->nnotes ? segment->notes[0].text : "");
}
END_TEST

/* Fatal notes of calls that no GPU would carry out, and of calls that are only too much for a recording. */
static const struct {
    const char *name;
    bool is_wrong;
} fatal[] = {{"half_elements", true},
             {"destroyed_texture", true},
             {"frees_given", true},
             {"freed_pointer", true},
             {"host_pointer", true},
             {"past_the_end", true},
             {"written_by_host", false},
             {"kept_texture", false},
             {"graph_with_memory", false},
             {"pinned", false},
             {"mapped", false}};

START_TEST(a_call_that_is_wrong_is_told_from_one_that_cannot_be_carried)
{
    const struct trace_segment *segment = segment_of(fatal[_i].name);
    for (uint32_t i = 0; i < segment->nnotes; i++)
        if (segment->notes[i].is_fatal)
            ck_assert_msg((segment->notes[i].kind != VGPU_NOTHING) == fatal[_i].is_wrong, "%s: %s",
                          fatal[_i].name, segment->notes[i].text);
}
END_TEST

START_TEST(what_is_plain_has_no_note)
{
    for (int i = 0; i < ENTRIES; i++) {
        bool is_odd = false;
        for (int j = 0; j < NOTES; j++)
            is_odd |= !strcmp(entries[i].name, notes[j].name);
        const struct trace_segment *segment = segment_of(entries[i].name);
        if (!is_odd)
            ck_assert_msg(segment->nnotes == 0, "%s: %s", entries[i].name, segment->notes[0].text);
    }
}
END_TEST

START_TEST(what_cannot_be_carried_is_not_replayed)
{
    for (int i = 0; i < NOTES; i++)
        if (notes[i].is_fatal) {
            ck_assert(!player_prepare(player, segment_of(notes[i].name), given_for(notes[i].name), error,
                                      sizeof error));
            ck_assert_msg(strstr(error, notes[i].words) != NULL, "%s", error);
        }
}
END_TEST

#pragma weak vgpu_watch
/* On the virtual clock, where no two runs differ. */
static double time_of(const char *name)
{
    cudaEvent_t begin, end;
    float ms = -1;
    ck_assert_msg(player_prepare(player, segment_of(name), given_for(name), error, sizeof error), "%s",
                  error);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, NULL);
    ck_assert(player_run(player, error, sizeof error));
    cudaEventRecord(end, NULL);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    player_finish(player);
    return ms;
}

START_TEST(a_host_that_waits_for_a_single_stream_takes_no_time)
{
    if (vgpu_watch) /* a GPU's times differ */
        ck_assert_double_eq(time_of("waited_for"), time_of("not_waited_for"));
}
END_TEST

START_TEST(operations_know_their_lines)
{
    ck_assert_uint_eq(op_of(segment_of("reads"), TRACE_READ)->line, marked_line("reads"));
}
END_TEST

/* Zeros, as the recording's host arrays held them: what kernels would have computed is not there. */
START_TEST(what_host_code_left_is_said)
{
    struct trace_op *said = op_of(segment_of("round_trip"), TRACE_SAY);
    ck_assert_uint_eq(said->size, sizeof input);
    for (uint64_t i = 0; i < said->size; i++)
        ck_assert_uint_eq(said->data[i], 0);
}
END_TEST

/* ------------------------------------------------------------------------------------------- forgeries
 * These pass the rules of a file: only the device code shows them to be wrong. */

static void expect_refusal(const char *name, const char *words)
{
    ck_assert(!player_prepare(player, segment_of(name), given, error, sizeof error));
    ck_assert_msg(strstr(error, words) != NULL, "'%s' does not say '%s'", error, words);
}

START_TEST(an_unknown_kernel_is_refused)
{
    struct trace_op *launch = op_of(segment_of("pointers"), TRACE_LAUNCH);
    trace->names[launch->name][3] = 'X';
    expect_refusal("pointers", "There is no kernel");
}
END_TEST

START_TEST(an_unknown_variable_is_refused)
{
    trace->names[op_of(segment_of("variables"), TRACE_WRITE)->to.index][0] = 'X';
    expect_refusal("variables", "There is no device variable Xain");
}
END_TEST

START_TEST(a_copy_past_a_variable_is_refused)
{
    op_of(segment_of("variables"), TRACE_WRITE)->to.offset = 4;
    expect_refusal("variables", "outside gain");
}
END_TEST

START_TEST(a_pointer_past_a_variable_is_refused)
{
    op_of(segment_of("variable_addresses"), TRACE_LAUNCH)->relocations[0].place.offset = sizeof input + 1;
    expect_refusal("variable_addresses", "outside table");
}
END_TEST

START_TEST(a_copy_past_a_given_buffer_is_refused)
{
    op_of(segment_of("memsets"), TRACE_SET)->to.offset = sizeof input - 8;
    expect_refusal("memsets", "outside their buffer");
}
END_TEST

START_TEST(a_missing_argument_is_refused)
{
    op_of(segment_of("pointers"), TRACE_LAUNCH)->narguments--;
    expect_refusal("pointers", "more arguments");
}
END_TEST

START_TEST(an_argument_too_many_is_refused)
{
    op_of(segment_of("variables"), TRACE_LAUNCH)->name = op_of(segment_of("lists"), TRACE_LAUNCH)->name;
    expect_refusal("variables", "Argument 1");
}
END_TEST

START_TEST(a_short_argument_is_refused)
{
    op_of(segment_of("structs"), TRACE_LAUNCH)->arguments[0].size -= 8;
    expect_refusal("structs", "Argument 0");
}
END_TEST

START_TEST(too_large_an_allocation_is_refused)
{
    op_of(segment_of("own"), TRACE_ALLOC)->width = TRACE_MAX_BYTES;
    expect_refusal("own", "cudaMalloc failed");
}
END_TEST

START_TEST(a_launch_that_the_device_refuses_is_told_with_its_line)
{
    struct trace_segment *segment = segment_of("pointers");
    op_of(segment, TRACE_LAUNCH)->shared = 1 << 20;
    ck_assert(player_prepare(player, segment, given, error, sizeof error));
    ck_assert(!player_run(player, error, sizeof error));
    ck_assert_msg(strstr(error, "Line ") == error && strstr(error, "launch _Z5scale"), "%s", error);
    player_finish(player);
}
END_TEST

/* Rows above and below the size of the player's own memory for what is read. */
START_TEST(reads_of_any_size_come_in_pieces)
{
    static const uint64_t shapes[][2] = {{40 << 20, 1}, {20 << 20, 2}, {7 << 20, 5}, {1, 40 << 20}};
    struct trace_segment *segment = segment_of("reads");
    op_of(segment, TRACE_READ)->kind = TRACE_SYNC;
    *op_of(segment, TRACE_SYNC) =
        (struct trace_op){.kind = TRACE_ALLOC, .to = {TRACE_OWN, 0, 0}, .width = 40 << 20};
    trace_add_op(segment, TRACE_SET);
    struct trace_op *read = trace_add_op(segment, TRACE_READ), *set = read - 1;
    set->to = read->from = (struct trace_place){TRACE_OWN, 0, 0};
    set->width = 40 << 20;
    set->height = 1;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        read->width = shapes[i][0];
        read->height = shapes[i][1];
        read->from_pitch = read->height > 1 ? read->width : 0;
        ck_assert_msg(player_prepare(player, segment, given, error, sizeof error), "%s", error);
        ck_assert_msg(player_run(player, error, sizeof error), "%s", error);
        ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
        player_finish(player);
    }
}
END_TEST

START_TEST(device_code_that_is_cut_off_is_refused)
{
    size_t bytes;
    uint8_t *fatbin = slurp(fatbin_path, &bytes);
    for (size_t i = 0; i < bytes; i += i < 300 ? 1 : 977) {
        uint8_t *part = malloc(i + 1);
        memcpy(part, fatbin, i);
        ck_assert_msg(!player_new(trace, part, i, error, sizeof error), "%zu bytes of %zu are taken", i,
                      bytes);
        free(part);
    }
    free(fatbin);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, an_entry_point_is_replayed_on_other_data, 0, ENTRIES);
    tcase_add_test(tests, one_player_replays_segment_after_segment);
    tcase_add_loop_test(tests, what_is_odd_has_a_note_that_names_its_line, 0, NOTES);
    tcase_add_loop_test(tests, a_call_that_is_wrong_is_told_from_one_that_cannot_be_carried, 0,
                        sizeof fatal / sizeof *fatal);
    tcase_add_test(tests, what_is_plain_has_no_note);
    tcase_add_test(tests, what_host_code_left_is_said);
    tcase_add_test(tests, what_cannot_be_carried_is_not_replayed);
    tcase_add_test(tests, a_host_that_waits_for_a_single_stream_takes_no_time);
    tcase_add_test(tests, operations_know_their_lines);
    tcase_add_test(tests, an_unknown_kernel_is_refused);
    tcase_add_test(tests, an_unknown_variable_is_refused);
    tcase_add_test(tests, a_copy_past_a_variable_is_refused);
    tcase_add_test(tests, a_pointer_past_a_variable_is_refused);
    tcase_add_test(tests, a_copy_past_a_given_buffer_is_refused);
    tcase_add_test(tests, a_missing_argument_is_refused);
    tcase_add_test(tests, an_argument_too_many_is_refused);
    tcase_add_test(tests, a_short_argument_is_refused);
    tcase_add_test(tests, too_large_an_allocation_is_refused);
    tcase_add_test(tests, a_launch_that_the_device_refuses_is_told_with_its_line);
    tcase_add_test(tests, reads_of_any_size_come_in_pieces);
    tcase_add_test(tests, device_code_that_is_cut_off_is_refused);
}

/* out: the path of a file in the folder of `beside`. */
static void find_beside(const char *beside, const char *name, char *out, size_t size)
{
    const char *slash = strrchr(beside, '/');
    snprintf(out, size, "%.*s%s", slash ? (int)(slash - beside) + 1 : 0, beside, name);
}

int main(int argc, char **argv)
{
    (void)argc;
    find_beside(argv[0], "replay.trace", trace_path, sizeof trace_path);
    find_beside(argv[0], "replay.fatbin", fatbin_path, sizeof fatbin_path);
    find_beside(__FILE__, "replay.cu", source_path, sizeof source_path);
    Suite *suite = suite_create("replay");
    TCase *tests = tcase_create("replay");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_tests(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK); /* a CUDA context does not survive a fork */
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
