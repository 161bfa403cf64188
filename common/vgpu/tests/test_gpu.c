/* test_gpu.c - profiles are complete, name their sources, are found by name, and give the occupancies of NVIDIA's calculator.
 * Expected occupancies were worked out by hand from the allocation rules. No kernel runs here. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu.h"
#include "core/gpu_text.h"
#include "profile/occupancy.h"

START_TEST(every_promised_profile_exists)
{
    const char *names[] = {"p100", "gtx1080", "v100", "t4", "a100", "rtx4090", "h100", "h200"};
    char message[400] = "";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(gpu_find(names[i], message, sizeof message) != NULL, "%s: %s", names[i], message);
    ck_assert_str_eq(gpu_default()->id, "h200");
    ck_assert_ptr_eq(gpu_find("H200", message, sizeof message), gpu_default());
}
END_TEST

START_TEST(every_profile_is_plausible)
{
    for (size_t i = 0; gpu_at(i); i++) {
        const struct gpu *gpu = gpu_at(i);
        ck_assert_uint_eq(gpu->max_threads, gpu->max_warps * 32);
        ck_assert_uint_le(gpu->shared_per_block, gpu->shared_per_block_optin);
        ck_assert_uint_le(gpu->shared_per_block_optin + gpu->shared_reserved, gpu->shared_bytes);
        ck_assert(gpu->dram_gbs < gpu->l2_gbs);
        ck_assert(gpu->dram_scattered_gbs <= gpu->dram_gbs);
        ck_assert(gpu->pageable_gbs <= gpu->pinned_gbs);
        double peak = 2 * gpu->memory_clock_mhz * gpu->memory_bus_bits / 8 / 1000;
        ck_assert_msg(gpu->dram_gbs < peak, "%s: %g above its peak %g", gpu->id, gpu->dram_gbs, peak);
        ck_assert_uint_le(gpu->wide_lanes, gpu->imul_lanes);
        ck_assert_uint_le(gpu->imul_lanes, gpu->int_lanes);
        ck_assert_uint_lt(gpu->alu_latency, gpu->shared_latency);
        ck_assert_uint_lt(gpu->shared_latency, gpu->l1_latency);
        ck_assert_uint_lt(gpu->l1_latency, gpu->l2_latency);
        ck_assert_uint_lt(gpu->l2_latency, gpu->dram_latency);
    }
}
END_TEST

/* Those of gpus/sources.md. */
static const char *const sources[] = {"Guide", "Jia19",   "Abd22", "Luo24",    "benches", "chips",
                                      "forum", "lecture", "H200",  "estimate", "unread"};

/* The length of a source's name that begins here; 0: it is none. */
static size_t source_length(const char *text)
{
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        const size_t length = strlen(sources[i]);
        if (!strncmp(text, sources[i], length) && text[length] == ']')
            return length;
    }
    return 0;
}

static void check_sources(const struct gpu_text *profile)
{
    int figures = 0;
    for (const char *line = profile->text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        const char *end = strchrnul(line, '\n'), *comment = memchr(line, '#', (size_t)(end - line));
        if (*line == '#' || line == end)
            continue;
        ck_assert_msg(comment && !strncmp(comment, "# [", 3) && source_length(comment + 3),
                      "%s: no source: %.*s", profile->id, (int)(end - line), line);
        figures++;
    }
    ck_assert_int_ge(figures, 50);
}

START_TEST(every_figure_of_a_profile_names_its_source)
{
    for (const struct gpu_text *profile = gpu_texts; profile->id; profile++)
        if (strcmp(profile->id, "h200") != 0) /* its lines say how they were measured */
            check_sources(profile);
}
END_TEST

START_TEST(every_source_is_explained)
{
    char text[8192] = "", name[40];
    FILE *file = fopen("common/vgpu/gpus/sources.md", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(text, 1, sizeof text - 1, file), 0);
    fclose(file);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        snprintf(name, sizeof name, "\n| [%s] | ", sources[i]);
        ck_assert_msg(strstr(text, name) != NULL, "sources.md does not explain [%s]", sources[i]);
    }
}
END_TEST

START_TEST(an_unknown_profile_is_refused_with_the_names_to_choose_from)
{
    char message[400] = "";
    ck_assert_ptr_null(gpu_find("foo", message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "`foo`"));
    ck_assert_ptr_nonnull(strstr(message, "rtx4090"));
    ck_assert_ptr_null(gpu_find("./no/such.gpu", message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "cannot read"));
}
END_TEST

START_TEST(a_bad_profile_is_refused_by_line)
{
    struct gpu gpu;
    char message[400] = "";
    ck_assert(!gpu_parse(&gpu, "name = X\nsms = many # hm\n", "x.gpu", message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "x.gpu:2"));
    ck_assert(!gpu_parse(&gpu, "name = X\n", "x.gpu", message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "missing"));
    ck_assert(!gpu_parse(&gpu, "nonsense\n", "x.gpu", message, sizeof message));
    ck_assert(!gpu_parse(&gpu, "colour = red\n", "x.gpu", message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "unknown key `colour`"));
}
END_TEST

static const struct {
    const char *gpu;
    uint32_t registers, shared, threads, blocks;
    const char *limiter;
} cases[] = {
    {"h200", 16, 0, 1024, 2, "threads"},
    {"h200", 32, 0, 256, 8, "threads"},
    {"h200", 16, 0, 32, 32, "blocks"},
    {"h200", 33, 0, 256, 6, "registers"}, /* 40 per thread after rounding: 12 warps a part, 48 in all */
    {"h200", 64, 0, 256, 4, "registers"},
    {"h200", 255, 0, 256, 1, "registers"},
    {"h200", 128, 0, 1024, 0, "registers"},
    {"h200", 32, 49152, 256, 4, "shared memory"}, /* 48 KB + 1 KB reserved: 4 in 228 KB */
    {"h200", 32, 227 * 1024, 256, 1, "shared memory"},
    {"p100", 32, 16384, 256, 4, "shared memory"},
    {"p100", 64, 0, 96, 10, "registers"}, /* 2 parts of 16 warps: 32 warps, 3 a block */
    {"t4", 32, 0, 1024, 1, "threads"},
    {"t4", 16, 0, 32, 16, "blocks"},
    {"rtx4090", 32, 0, 1024, 1, "threads"}, /* 1536 threads hold one block of 1024 */
    {"a100", 32, 0, 1, 32, "blocks"},
};

START_TEST(occupancy_follows_the_calculator)
{
    char message[400];
    struct occupancy occupancy;
    gpu_occupancy(gpu_find(cases[_i].gpu, message, sizeof message), cases[_i].registers, cases[_i].shared,
                  cases[_i].threads, &occupancy);
    ck_assert_uint_eq(occupancy.blocks_per_sm, cases[_i].blocks);
    ck_assert_str_eq(occupancy.limiter, cases[_i].limiter);
}
END_TEST

/* By hand, from the tables of the Programming Guide and the occupancy calculator: registers are given to a warp in units of 256,
 * shared memory in units of 128 bytes (P100: 256) and with 1 KB more for the system (P100: none). */
static const struct {
    const char *gpu;
    uint32_t registers, shared, threads;
    struct {
        uint32_t needs, blocks;
    } limits[OCCUPANCY_LIMITS]; /* threads, registers, shared memory, blocks */
} limit_cases[] = {
    /* 32 warps; 14 x 32 = 448, rounded to 512, x 32 warps; 4224 + 1024 = 41 x 128 */
    {"h200", 14, 4224, 1024, {{32, 2}, {16384, 4}, {5248, 44}, {1, 32}}},
    /* 8 warps; 40 x 32 = 1280 x 8, 12 warps a sub-partition; only the system's 1 KB */
    {"h200", 40, 0, 256, {{8, 8}, {10240, 6}, {1024, 228}, {1, 32}}},
    /* 4 warps; 255 x 32 = 8160, rounded to 8192, x 4: 2 warps a sub-partition */
    {"h200", 255, 100000, 128, {{4, 16}, {32768, 2}, {101120, 2}, {1, 32}}},
    /* 6 warps of 64; 72 x 32 = 2304: 7 warps a sub-partition, 28 in all */
    {"a100", 72, 20000, 192, {{6, 10}, {13824, 4}, {21120, 7}, {1, 32}}},
    /* 1 warp of a thread */
    {"a100", 16, 48, 1, {{1, 64}, {512, 128}, {1152, 145}, {1, 32}}},
    /* two sub-partitions: 33 x 32 = 1056, rounded to 1280: 25 warps each, 50 in all, 16 a block; 3000 rounded to 3072 */
    {"p100", 33, 3000, 512, {{16, 4}, {20480, 3}, {3072, 21}, {1, 32}}},
    /* no shared memory is no limit there */
    {"p100", 32, 0, 64, {{2, 32}, {2048, 32}, {0, UINT32_MAX}, {1, 32}}},
};

START_TEST(every_limit_of_the_occupancy_is_the_calculators)
{
    char message[400];
    struct occupancy occupancy;
    gpu_occupancy(gpu_find(limit_cases[_i].gpu, message, sizeof message), limit_cases[_i].registers,
                  limit_cases[_i].shared, limit_cases[_i].threads, &occupancy);
    for (size_t i = 0; i < OCCUPANCY_LIMITS; i++) {
        ck_assert_uint_eq(occupancy.limits[i].needs, limit_cases[_i].limits[i].needs);
        ck_assert_uint_eq(occupancy.limits[i].blocks, limit_cases[_i].limits[i].blocks);
        ck_assert_uint_le(occupancy.blocks_per_sm, occupancy.limits[i].blocks);
    }
}
END_TEST

/* What would change it: 0 where nothing does. */
static const struct {
    const char *gpu;
    struct occupancy_ask ask;
    uint32_t threads, registers, shared;
} change_cases[] = {
    /* 40 registers hold 48 warps, whatever the block; a warp's next unit of 256 is 32 a thread */
    {"h200", {40, 0, 256}, 0, 32, 0},
    /* full: nothing */
    {"h200", {32, 0, 256}, 0, 0, 0},
    /* 4 blocks of 8 warps by 48 KB each: 5 of them fit into 233472 / 5 = 46694, by 128 bytes 46592, less the system's 1024 */
    {"h200", {32, 49152, 256}, 288, 0, 45568},
    /* 32 blocks of one warp: 64 threads make two */
    {"p100", {16, 0, 32}, 64, 0, 0},
    /* 1536 threads hold one block of 1024; of 992 no more, but of 768 two */
    {"rtx4090", {32, 0, 1024}, 768, 0, 0},
    /* two limits at once: neither alone */
    {"a100", {64, 40960, 256}, 0, 0, 0},
};

START_TEST(what_would_change_the_occupancy_is_the_nearest_step)
{
    char message[400];
    const struct gpu *gpu = gpu_find(change_cases[_i].gpu, message, sizeof message);
    const uint32_t expected[OCCUPANCY_CHANGES] = {[CHANGE_THREADS] = change_cases[_i].threads,
                                                  [CHANGE_REGISTERS] = change_cases[_i].registers,
                                                  [CHANGE_SHARED] = change_cases[_i].shared};
    for (int change = 0; change < OCCUPANCY_CHANGES; change++) {
        struct occupancy_ask changed = {0, 0, 0};
        const bool is_found =
            occupancy_change(gpu, &change_cases[_i].ask, (enum occupancy_change)change, &changed);
        const uint32_t to[OCCUPANCY_CHANGES] = {[CHANGE_THREADS] = changed.threads,
                                                [CHANGE_REGISTERS] = changed.registers,
                                                [CHANGE_SHARED] = changed.shared_bytes};
        ck_assert_uint_eq(is_found ? to[change] : 0, expected[change]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gpu");
    TCase *tests = tcase_create("profiles");
    tcase_add_test(tests, every_promised_profile_exists);
    tcase_add_test(tests, every_profile_is_plausible);
    tcase_add_test(tests, every_figure_of_a_profile_names_its_source);
    tcase_add_test(tests, every_source_is_explained);
    tcase_add_test(tests, an_unknown_profile_is_refused_with_the_names_to_choose_from);
    tcase_add_test(tests, a_bad_profile_is_refused_by_line);
    tcase_add_loop_test(tests, occupancy_follows_the_calculator, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, every_limit_of_the_occupancy_is_the_calculators, 0,
                        sizeof limit_cases / sizeof limit_cases[0]);
    tcase_add_loop_test(tests, what_would_change_the_occupancy_is_the_nearest_step, 0,
                        sizeof change_cases / sizeof change_cases[0]);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
