/* test_cache.c - the cache model charges what a cache of that size would: first touches, evictions, write-backs.
 * Launches and blocks are made by hand; expected numbers follow from sizes alone. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"

enum { LINES = 1024, BYTES = LINES * 128, SECTORS = LINES * 4 };

enum { L1_BYTES = 64 << 10, L2_BYTES = 4 * BYTES };

static struct memory *memory;
static struct traffic traffic;
static struct cache_port port = {.traffic = &traffic};

static void begin(bool is_part)
{
    cache_launch_begin(memory, L2_BYTES, is_part);
    port.l1 = cache_block_begin(memory, L1_BYTES);
}

static void open_cache(void)
{
    memory = memory_new(false);
    traffic = (struct traffic){0};
    begin(false);
}

static void close_cache(void)
{
    cache_block_end(memory, port.l1);
    memory_free_all(memory);
}

/* The end of one launch and the beginning of the next; counts start again. */
static void relaunch(void)
{
    cache_block_end(memory, port.l1);
    cache_wave(memory, 0);
    begin(false);
    traffic = (struct traffic){0};
}

static void load_all(struct allocation *a)
{
    for (uint64_t i = 0; i < a->size / 128; i++)
        cache_load_run(&port, a, (a->base >> 5) + 4 * i, 4);
}

static void store_all(struct allocation *a)
{
    for (uint64_t i = 0; i < a->size / 128; i++)
        cache_store_run(&port, a, (a->base >> 5) + 4 * i, 4);
}

START_TEST(a_first_load_comes_from_dram_and_a_second_from_l1)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    cache_load_run(&port, a, a->base >> 5, 4);
    ck_assert_uint_eq(traffic.l2_read_sectors, 4);
    ck_assert_uint_eq(traffic.dram_read_sectors, 4);
    cache_load_run(&port, a, a->base >> 5, 4);
    ck_assert_uint_eq(traffic.l2_read_sectors, 4);
    ck_assert_uint_eq(traffic.dram_read_sectors, 4);
}
END_TEST

/* As on an H200: a lone sector of each line is read at half of DRAM's rate, two neighbours at the whole (bench/h200). */
START_TEST(dram_gives_two_sectors_together)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    const uint64_t first = a->base >> 5;
    const uint64_t list[] = {first, first + 2};
    cache_load(&port, a, list, 2);
    ck_assert_uint_eq(traffic.l2_read_sectors, 2);
    ck_assert_uint_eq(traffic.dram_read_sectors, 4);
    cache_load_run(&port, a, first, 8);
    ck_assert_uint_eq(traffic.l2_read_sectors, 8);
    ck_assert_uint_eq(traffic.dram_read_sectors, 8);
}
END_TEST

START_TEST(what_is_larger_than_l1_comes_from_l2_again)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE); /* twice the size of L1 */
    load_all(a);
    load_all(a);
    ck_assert_uint_eq(traffic.dram_read_sectors, SECTORS);
    ck_assert_uint_gt(traffic.l2_read_sectors, SECTORS * 3 / 2);
}
END_TEST

START_TEST(what_is_half_of_l1_stays_there)
{
    struct allocation *a = memory_alloc(memory, BYTES / 4, ALLOC_DEVICE);
    for (int i = 0; i < 10; i++)
        load_all(a);
    /* hashed sets fill unevenly: a few lines may be lost */
    ck_assert_uint_lt(traffic.l2_read_sectors, SECTORS / 4 * 3 / 2);
}
END_TEST

/* A page of DRAM has eight lines. */
START_TEST(lines_side_by_side_share_dram_pages)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    store_all(a);
    ck_assert_double_eq(cache_lone_lines(memory), 0);
}
END_TEST

START_TEST(lines_that_lie_a_page_apart_are_alone)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    for (uint64_t line = 0; line < LINES; line += 8)
        cache_store_run(&port, a, (a->base >> 5) + 4 * line, 4);
    ck_assert_double_eq(cache_lone_lines(memory), 1);
}
END_TEST

START_TEST(a_neighbour_of_another_wave_or_launch_is_no_company)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    cache_load_run(&port, a, a->base >> 5, 4);
    cache_wave(memory, 0);
    cache_load_run(&port, a, (a->base >> 5) + 4, 4);
    ck_assert_double_eq(cache_lone_lines(memory), 1);
    relaunch();
    ck_assert_double_eq(cache_lone_lines(memory), 0); /* it used nothing yet */
    cache_load_run(&port, a, (a->base >> 5) + 8, 4);
    ck_assert_double_eq(cache_lone_lines(memory), 1);
}
END_TEST

/* Of a sample, only neighbours in the order of the grid are under way together. */
START_TEST(blocks_below_each_other_say_nothing_of_dram_pages)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    const uint64_t first = a->base >> 5;
    cache_load_run(&port, a, first, 8 * 4);
    cache_wave(memory, 1);
    cache_load_run(&port, a, first + 8 * 4, 4);
    ck_assert_double_eq(cache_lone_lines(memory), 0);
    cache_wave(memory, 0);
    cache_load_run(&port, a, first + 16 * 4, 4);
    ck_assert_double_eq(cache_lone_lines(memory), 1.0 / 9);
}
END_TEST

/* A launch in part, of which all blocks were executed. */
static void begin_part(void)
{
    cache_block_end(memory, port.l1);
    cache_wave(memory, 0);
    begin(true);
}

static void end_part(const struct cache_part *part)
{
    cache_block_end(memory, port.l1);
    cache_scale(memory, part, &traffic);
    port.l1 = cache_block_begin(memory, L1_BYTES);
}

static const struct cache_part all_of_it = {.blocks = 1, .of = 1, .waves = 1, .axes = {{1, 1}}};

/* A warp's lanes a row apart, and lanes that follow an index. */
START_TEST(places_without_a_pattern_are_told_from_columns)
{
    enum { LANES = 32 };
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    uint64_t column[LANES], index[LANES];
    for (uint64_t i = 0; i < LANES; i++) {
        column[i] = (a->base >> 5) + 16 * i;
        index[i] = (a->base >> 5) + 8 * (64 + i * 7 % 32 + i % 3 * 64);
    }
    begin_part();
    cache_load(&port, a, column, LANES);
    end_part(&all_of_it);
    ck_assert_uint_eq(traffic.random_sectors, 0);
    ck_assert_uint_eq(traffic.dram_read_sectors, 2 * LANES);
    begin_part();
    cache_load(&port, a, index, LANES);
    end_part(&all_of_it);
    ck_assert_uint_eq(traffic.random_sectors, 2 * LANES);
    ck_assert_uint_eq(traffic.dram_read_sectors, 2 * LANES);
}
END_TEST

/* Rows that four lanes read on and on: each row's first sector is found by chance, the others follow. */
START_TEST(what_goes_on_beside_it_has_a_pattern)
{
    enum { ROWS = 4, STEPS = 16 };
    static const uint64_t rows[ROWS] = {3, 61, 14, 40};
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    begin_part();
    for (uint64_t step = 0; step < STEPS; step++) {
        uint64_t sectors[ROWS];
        for (int r = 0; r < ROWS; r++)
            sectors[r] = (a->base >> 5) + rows[r] * 64 + step;
        cache_load(&port, a, sectors, ROWS);
    }
    end_part(&all_of_it);
    ck_assert_uint_eq(traffic.dram_read_sectors, ROWS * STEPS);
    ck_assert_uint_eq(traffic.random_sectors, ROWS);
}
END_TEST

/* Every block has a piece of its own: all of them together use more than L2 holds, launch after launch. */
START_TEST(a_few_neighbours_stand_for_all_blocks)
{
    enum { PART = 8, ALL = 16 * PART };
    const struct cache_part part = {.blocks = PART, .of = ALL, .waves = 1, .axes = {{PART, 1}}};
    struct allocation *a = memory_alloc(memory, 16 * BYTES, ALLOC_DEVICE);
    for (int launch = 0; launch < 2; launch++) {
        begin_part();
        for (uint64_t i = 0; i < LINES; i++)
            cache_load_run(&port, a, (a->base >> 5) + 4 * i, 4);
        end_part(&part);
        ck_assert_uint_eq(traffic.dram_read_sectors, 16 * SECTORS);
    }
}
END_TEST

/* Blocks of a grid of 16 x 16. Those beside each other write lines of their own, those below each other parts of the same. */
static void store_two_runs(struct allocation *a)
{
    begin_part();
    for (uint64_t block = 0; block < 8; block++)
        cache_store_run(&port, a, (a->base >> 5) + 4 * block, 4);
    cache_wave(memory, 1);
    for (uint64_t block = 0; block < 8; block++)
        cache_store_run(&port, a, (a->base >> 5) + 4 * 16, 4);
}

START_TEST(what_neighbours_below_share_is_written_once)
{
    const struct cache_part part = {.blocks = 16, .of = 256, .waves = 1, .axes = {{8, 1}, {8, 16}}};
    struct allocation *a = memory_alloc(memory, 16 * BYTES, ALLOC_DEVICE);
    store_two_runs(a);
    end_part(&part);
    ck_assert_uint_eq(traffic.dram_write_sectors, 256 * 4 / 8);
}
END_TEST

/* What comes between a block and the one below it fills L2: a row is so long. */
START_TEST(what_neighbours_below_share_has_left_if_the_rows_are_long)
{
    const uint64_t row = L2_BYTES / 128 + 8;
    const struct cache_part part = {.blocks = 16, .of = 2 * row, .waves = 8, .axes = {{8, 1}, {8, row}}};
    struct allocation *a = memory_alloc(memory, 16 * BYTES, ALLOC_DEVICE);
    store_two_runs(a);
    end_part(&part);
    ck_assert_uint_eq(traffic.dram_write_sectors, 2 * row * 4);
}
END_TEST

START_TEST(a_buffer_that_fits_l2_is_there_for_the_next_kernel)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    load_all(a);
    relaunch();
    load_all(a);
    ck_assert_uint_eq(traffic.l2_read_sectors, SECTORS);
    ck_assert_uint_eq(traffic.dram_read_sectors, 0);
}
END_TEST

START_TEST(a_buffer_is_evicted_by_what_was_touched_since)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    struct allocation *b = memory_alloc(memory, 4 * BYTES, ALLOC_DEVICE);
    load_all(a);
    relaunch();
    load_all(b);
    relaunch();
    load_all(a);
    ck_assert_uint_eq(traffic.dram_read_sectors, SECTORS);
}
END_TEST

START_TEST(touching_a_buffer_again_keeps_it_young)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    struct allocation *b = memory_alloc(memory, 2 * BYTES, ALLOC_DEVICE);
    struct allocation *c = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    for (int i = 0; i < 20; i++) {
        load_all(a);
        relaunch();
        load_all(i % 2 ? b : c);
        relaunch();
    }
    load_all(a);
    ck_assert_uint_eq(traffic.dram_read_sectors, 0);
    relaunch();
    load_all(b);
    ck_assert_uint_eq(traffic.dram_read_sectors, 0);
}
END_TEST

START_TEST(stores_cost_dram_once_per_residency_and_no_reads)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    store_all(a);
    store_all(a);
    ck_assert_uint_eq(traffic.l2_write_sectors, 2 * SECTORS);
    ck_assert_uint_eq(traffic.dram_write_sectors, SECTORS);
    ck_assert_uint_eq(traffic.dram_read_sectors, 0);
    relaunch();
    store_all(a);
    ck_assert_uint_eq(traffic.dram_write_sectors, 0);
    load_all(a);
    ck_assert_uint_eq(traffic.dram_read_sectors, 0);
}
END_TEST

START_TEST(an_evicted_dirty_sector_is_written_again_when_dirtied_again)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    struct allocation *b = memory_alloc(memory, 4 * BYTES, ALLOC_DEVICE);
    store_all(a);
    relaunch();
    load_all(b);
    relaunch();
    store_all(a);
    ck_assert_uint_eq(traffic.dram_write_sectors, SECTORS);
}
END_TEST

START_TEST(an_atomic_reads_and_writes)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    const uint64_t sector = a->base >> 5;
    for (int i = 0; i < 3; i++)
        cache_atomic(&port, a, &sector, 1);
    ck_assert_uint_eq(traffic.dram_read_sectors, 1);
    ck_assert_uint_eq(traffic.dram_write_sectors, 1);
    ck_assert_uint_eq(traffic.l2_write_sectors, 3);
}
END_TEST

START_TEST(the_order_of_a_load_and_a_store_in_one_wave_does_not_matter)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_DEVICE);
    const uint64_t sector = a->base >> 5;
    cache_store_run(&port, a, sector, 1);
    cache_load_l2_run(&port, a, sector, 1);
    const struct traffic one = traffic;
    memset(&traffic, 0, sizeof traffic);
    cache_load_l2_run(&port, a, sector + 2, 1);
    cache_store_run(&port, a, sector + 2, 1);
    ck_assert_mem_eq(&one, &traffic, sizeof one);
}
END_TEST

START_TEST(host_memory_is_not_behind_dram)
{
    struct allocation *a = memory_alloc(memory, BYTES, ALLOC_PINNED);
    load_all(a);
    ck_assert_uint_eq(traffic.l2_read_sectors, SECTORS);
    ck_assert_uint_eq(traffic.dram_read_sectors, 0);
}
END_TEST

START_TEST(more_waves_than_epochs_forget_nothing_that_is_used)
{
    struct allocation *a = memory_alloc(memory, BYTES / 8, ALLOC_DEVICE);
    struct allocation *b = memory_alloc(memory, BYTES / 8, ALLOC_DEVICE);
    load_all(b);
    for (int i = 0; i < 40000; i++) {
        relaunch();
        if (i % 100 == 0)
            load_all(a);
        if (i > 0)
            ck_assert_uint_eq(traffic.dram_read_sectors, 0);
    }
    (void)b;
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("cache");
    tcase_add_checked_fixture(cases, open_cache, close_cache);
    tcase_add_test(cases, a_first_load_comes_from_dram_and_a_second_from_l1);
    tcase_add_test(cases, dram_gives_two_sectors_together);
    tcase_add_test(cases, what_is_larger_than_l1_comes_from_l2_again);
    tcase_add_test(cases, what_is_half_of_l1_stays_there);
    tcase_add_test(cases, lines_side_by_side_share_dram_pages);
    tcase_add_test(cases, lines_that_lie_a_page_apart_are_alone);
    tcase_add_test(cases, a_neighbour_of_another_wave_or_launch_is_no_company);
    tcase_add_test(cases, blocks_below_each_other_say_nothing_of_dram_pages);
    tcase_add_test(cases, places_without_a_pattern_are_told_from_columns);
    tcase_add_test(cases, what_goes_on_beside_it_has_a_pattern);
    tcase_add_test(cases, a_few_neighbours_stand_for_all_blocks);
    tcase_add_test(cases, what_neighbours_below_share_is_written_once);
    tcase_add_test(cases, what_neighbours_below_share_has_left_if_the_rows_are_long);
    tcase_add_test(cases, a_buffer_that_fits_l2_is_there_for_the_next_kernel);
    tcase_add_test(cases, a_buffer_is_evicted_by_what_was_touched_since);
    tcase_add_test(cases, touching_a_buffer_again_keeps_it_young);
    tcase_add_test(cases, stores_cost_dram_once_per_residency_and_no_reads);
    tcase_add_test(cases, an_evicted_dirty_sector_is_written_again_when_dirtied_again);
    tcase_add_test(cases, an_atomic_reads_and_writes);
    tcase_add_test(cases, the_order_of_a_load_and_a_store_in_one_wave_does_not_matter);
    tcase_add_test(cases, host_memory_is_not_behind_dram);
    tcase_add_test(cases, more_waves_than_epochs_forget_nothing_that_is_used);
    Suite *suite = suite_create("cache");
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
