/* test_memory.c - allocations have addresses of their own, are found by them, and are remembered after they are freed.
 * Uses struct memory alone: no kernel runs here. */
#include <check.h>
#include <sys/resource.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exec/mem.h"
#include "memory/memory.h"

static struct memory *memory;

static void open_memory(void)
{
    memory = memory_new(true);
    ck_assert_ptr_nonnull(memory);
}

static void close_memory(void)
{
    memory_free_all(memory);
}

START_TEST(an_allocation_is_found_by_every_address_in_it_and_no_other)
{
    struct allocation *a = memory_alloc(memory, 1000, ALLOC_DEVICE);
    struct allocation *b = memory_alloc(memory, 5 << 20, ALLOC_DEVICE);
    ck_assert_uint_eq(a->base % 512, 0);
    ck_assert_uint_eq(b->base % 512, 0);
    ck_assert_ptr_eq(memory_find(memory, a->base), a);
    ck_assert_ptr_eq(memory_find(memory, a->base + 999), a);
    ck_assert_ptr_null(memory_find(memory, a->base + 1000));
    ck_assert_ptr_null(memory_find(memory, a->base - 1));
    ck_assert_ptr_eq(memory_find(memory, b->base + (5 << 20) - 1), b);
    ck_assert_ptr_null(memory_find(memory, b->base + (5 << 20)));
    ck_assert_ptr_null(memory_find(memory, 0));
    ck_assert_ptr_null(memory_find(memory, UINT64_MAX));
}
END_TEST

START_TEST(an_overrun_of_some_rows_lands_in_no_allocation)
{
    struct allocation *a = memory_alloc(memory, 4096 * 16, ALLOC_DEVICE);
    memory_alloc(memory, 4096, ALLOC_DEVICE);
    for (uint64_t at = a->size; at < a->size + 65536; at += 256)
        ck_assert_ptr_null(memory_find(memory, a->base + at));
}
END_TEST

START_TEST(pinned_and_managed_memory_has_one_address_on_both_sides)
{
    const enum alloc_kind kinds[] = {ALLOC_PINNED, ALLOC_MANAGED};
    for (int i = 0; i < 2; i++) {
        struct allocation *a = memory_alloc(memory, 100000, kinds[i]);
        ck_assert_uint_eq(a->base, (uintptr_t)a->host);
        memset(a->host, 0xab, 100000);
        ck_assert(!memory_is_device_address(memory, a->base));
    }
}
END_TEST

START_TEST(device_memory_cannot_be_touched_at_its_device_address)
{
    struct allocation *a = memory_alloc(memory, 100, ALLOC_DEVICE);
    ck_assert(memory_is_device_address(memory, a->base));
    ck_assert_uint_ne(a->base, (uintptr_t)a->host);
    a->host[99] = 1;
    ck_assert_uint_eq(a->host[0], 0);
}
END_TEST

START_TEST(registered_memory_is_found_until_it_is_released)
{
    static char one[100], two[300];
    struct allocation *a = memory_register(memory, one, sizeof one);
    struct allocation *b = memory_register(memory, two, sizeof two);
    ck_assert_ptr_eq(memory_find(memory, (uintptr_t)one + 99), a);
    ck_assert_ptr_eq(memory_find(memory, (uintptr_t)two), b);
    memory_release(memory, a);
    ck_assert_ptr_null(memory_find(memory, (uintptr_t)one));
    ck_assert_ptr_eq(memory_find(memory, (uintptr_t)two + 299), b);
}
END_TEST

START_TEST(a_freed_allocation_is_remembered_and_its_address_not_reused)
{
    struct allocation *a = memory_alloc(memory, 4096, ALLOC_DEVICE);
    const uint64_t base = a->base;
    a->host[0] = 7;
    memory_release(memory, a);
    ck_assert_ptr_null(memory_find(memory, base));
    ck_assert_ptr_eq(memory_nearest(memory, base + 10), a);
    ck_assert(a->is_freed);
    ck_assert_uint_ne(memory_alloc(memory, 4096, ALLOC_DEVICE)->base, base);
}
END_TEST

START_TEST(the_nearest_allocation_is_named_for_an_overrun)
{
    struct allocation *a = memory_alloc(memory, 4000, ALLOC_DEVICE);
    memory_alloc(memory, 4000, ALLOC_DEVICE);
    ck_assert_ptr_eq(memory_nearest(memory, a->base + 4004), a);
    ck_assert_ptr_eq(memory_nearest(memory, a->base - 4), a);
}
END_TEST

START_TEST(capacity_limits_device_memory_and_freeing_gives_it_back)
{
    memory_set_capacity(memory, 1 << 20);
    struct allocation *a = memory_alloc(memory, 600 << 10, ALLOC_DEVICE);
    ck_assert_ptr_nonnull(a);
    ck_assert_uint_eq(memory_used(memory), 600 << 10);
    ck_assert_ptr_null(memory_alloc(memory, 600 << 10, ALLOC_DEVICE));
    ck_assert_ptr_nonnull(memory_alloc(memory, 2 << 20, ALLOC_PINNED));
    memory_release(memory, a);
    ck_assert_ptr_nonnull(memory_alloc(memory, 600 << 10, ALLOC_DEVICE));
    ck_assert_ptr_null(memory_alloc(memory, UINT64_MAX, ALLOC_DEVICE));
    ck_assert_ptr_null(memory_alloc(memory, UINT64_MAX / 2, ALLOC_PINNED));
}
END_TEST

START_TEST(address_space_is_reused_when_it_runs_out)
{
    for (int i = 0; i < 20; i++) {
        struct allocation *a = memory_alloc(memory, (uint64_t)200 << 30, ALLOC_DEVICE);
        if (!a)
            return; /* a system with little address space */
        a->host[(uint64_t)100 << 30] = 1;
        memory_release(memory, a);
    }
}
END_TEST

START_TEST(written_bytes_are_tracked_exactly)
{
    struct allocation *a = memory_alloc(memory, 1000, ALLOC_DEVICE);
    uint64_t first = 0;
    ck_assert(!memory_is_written(a, a->base, 1, &first));
    memory_mark_written(a, a->base + 3, 50);
    ck_assert(memory_is_written(a, a->base + 3, 50, &first));
    ck_assert(!memory_is_written(a, a->base + 3, 51, &first));
    ck_assert_uint_eq(first, 53);
    ck_assert(!memory_is_written(a, a->base + 2, 4, &first));
    ck_assert_uint_eq(first, 2);
    memory_mark_written(a, a->base, UINT64_MAX); /* no further than its end */
    ck_assert(memory_is_written(a, a->base, 1000, &first));
    for (uint64_t at = 0; at < 64; at++) {
        struct allocation *b = memory_alloc(memory, 100, ALLOC_DEVICE);
        memory_mark_written(b, b->base + at, 9);
        for (uint64_t i = 0; i < 100; i++)
            ck_assert_int_eq(memory_is_written(b, b->base + i, 1, &first), i >= at && i < at + 9);
    }
}
END_TEST

/* Pieces of any order and size, against a list of bytes. */
START_TEST(large_pieces_are_tracked_exactly)
{
    enum { SIZE = 5 << 20, STEP = 4093 };
    static const struct {
        uint64_t from, bytes;
    } pieces[] = {{2 << 20, 1 << 20},       {0, 100},     {0, 1 << 20},
                  {1 << 20, (1 << 20) - 3}, {4718592, 9}, {2 << 20, 1 << 20},
                  {(2 << 20) - 5, 2 << 20}, {0, 1 << 20}, {4718592, 1 << 20}};
    struct allocation *a = memory_alloc(memory, SIZE, ALLOC_DEVICE);
    uint8_t *written = calloc(SIZE, 1);
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        uint64_t first, bytes = pieces[k].bytes;
        bytes = bytes < SIZE - pieces[k].from ? bytes : SIZE - pieces[k].from;
        memory_mark_written(a, a->base + pieces[k].from, pieces[k].bytes);
        memset(written + pieces[k].from, 1, bytes);
        for (uint64_t i = 0; i < SIZE; i += i % STEP < 8 ? 1 : STEP - i % STEP) {
            ck_assert_int_eq(memory_is_written(a, a->base + i, 1, &first), written[i]);
            ck_assert_int_eq(memory_is_byte_written(a, i), written[i]);
        }
        for (uint64_t i = pieces[k].from < 4 ? 0 : pieces[k].from - 4; i < pieces[k].from + 4; i++)
            ck_assert_int_eq(memory_is_byte_written(a, i), written[i]);
        const uint8_t *hole = memchr(written, 0, SIZE);
        ck_assert_int_eq(memory_is_written(a, a->base, SIZE, &first), !hole);
        if (hole)
            ck_assert_uint_eq(first, (uint64_t)(hole - written));
    }
    free(written);
}
END_TEST

START_TEST(symbols_and_host_memory_count_as_written)
{
    uint64_t first;
    struct allocation *a = memory_alloc(memory, 64, ALLOC_SYMBOL);
    ck_assert(memory_is_written(a, a->base, 64, &first));
    a = memory_alloc(memory, 64, ALLOC_PINNED);
    ck_assert(memory_is_written(a, a->base, 64, &first));
}
END_TEST

static void count_one(struct allocation *a, void *context)
{
    uint64_t *last = context;
    ck_assert_uint_gt(a->serial, *last);
    *last = a->serial;
}

START_TEST(allocations_are_visited_in_the_order_they_were_made)
{
    struct allocation *middle = NULL;
    for (int i = 0; i < 10; i++) {
        struct allocation *a = memory_alloc(memory, 64, i % 2 ? ALLOC_DEVICE : ALLOC_MANAGED);
        middle = i == 5 ? a : middle;
    }
    memory_release(memory, middle);
    uint64_t last = 0;
    memory_each(memory, count_one, &last);
    ck_assert_uint_eq(last, 10);
}
END_TEST

static void *allocate_much(void *context)
{
    struct memory *m = context;
    for (int i = 0; i < 2000; i++) {
        struct allocation *a = memory_alloc(m, 16 + (uint64_t)i, ALLOC_HEAP);
        if (!a || memory_find(m, a->base + 15) != a)
            return m;
        if (i % 2)
            memory_release(m, a);
    }
    return NULL;
}

START_TEST(host_threads_may_allocate_and_look_up_at_once)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, allocate_much, memory);
    for (int i = 0; i < 2; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
}
END_TEST

START_TEST(windows_of_other_spaces_lie_apart_from_allocations)
{
    const uint64_t shared = memory_shared_window(memory), local = memory_local_window(memory);
    ck_assert_uint_ge(local - shared, WINDOW_BYTES);
    struct allocation *a = memory_alloc(memory, 64, ALLOC_DEVICE);
    ck_assert_uint_ge(a->base, memory_layout(memory)->windows_end);
    ck_assert_ptr_null(memory_find(memory, shared));
    ck_assert_ptr_null(memory_find(memory, local + 100));
}
END_TEST

/* Offsets of 32 lanes: lane * a + lane / by * b. */
static uint32_t wavefronts(uint32_t a, uint32_t by, uint32_t b, uint32_t mask, uint32_t bytes)
{
    uint32_t offset[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        offset[i] = i * a + i / by * b;
    return bank_wavefronts(offset, mask, bytes);
}

START_TEST(banks_serve_a_warp_in_as_many_passes_as_words_collide)
{
    ck_assert_uint_eq(wavefronts(4, 32, 0, FULL_MASK, 4), 1);
    ck_assert_uint_eq(wavefronts(0, 32, 0, FULL_MASK, 4), 1);
    ck_assert_uint_eq(wavefronts(8, 32, 0, FULL_MASK, 4), 2);
    ck_assert_uint_eq(wavefronts(128, 32, 0, FULL_MASK, 4), 32);
    ck_assert_uint_eq(wavefronts(132, 32, 0, FULL_MASK, 4), 1);
    ck_assert_uint_eq(wavefronts(128, 32, 0, 0xff, 4), 8);
    ck_assert_uint_eq(wavefronts(1, 32, 0, FULL_MASK, 1), 1);
    ck_assert_uint_eq(wavefronts(4, 16, 0x1000, FULL_MASK, 4), 1);      /* half a row each: different banks */
    ck_assert_uint_eq(wavefronts(4, 16, 0x1000 - 64, FULL_MASK, 4), 2); /* the same banks */
}
END_TEST

/* By definition: the most distinct words that lanes of the mask want of one bank. */
static uint32_t passes_by_definition(const uint32_t *offset, uint32_t mask)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < 32; bank++) {
        uint32_t words = 0;
        for (uint32_t i = 0; i < LANES; i++) {
            bool is_new = mask >> i & 1 && offset[i] / 4 % 32 == bank;
            for (uint32_t j = 0; j < i; j++)
                is_new = is_new && !(mask >> j & 1 && offset[j] / 4 == offset[i] / 4);
            words += is_new;
        }
        most = words > most ? words : most;
    }
    return most;
}

START_TEST(words_anywhere_take_the_passes_of_the_fullest_bank)
{
    static const uint32_t reaches[] = {4, 64, 1024, 32 * 132, 33 * 128, 33 * 128 + 4, 8192, 200 * 1024};
    uint32_t state = 1, offset[LANES];
    for (size_t k = 0; k < sizeof reaches / sizeof *reaches; k++)
        for (int round = 0; round < 200; round++) {
            const uint32_t base = (state = state * 1664525 + 1013904223) >> 20 & ~3u;
            for (int i = 0; i < LANES; i++)
                offset[i] = base + ((state = state * 1664525 + 1013904223) >> 8) % reaches[k] / 4 * 4;
            const uint32_t mask = round % 2 ? FULL_MASK : (state = state * 1664525 + 1013904223) >> 3 | 1;
            ck_assert_uint_eq(bank_wavefronts(offset, mask, 4), passes_by_definition(offset, mask));
            ck_assert_uint_eq(word_wavefronts(offset, span_of(offset)),
                              passes_by_definition(offset, FULL_MASK));
        }
}
END_TEST

/* By definition: 128 bytes at a time, in a pass for each of the words that lanes want of one bank. */
static uint32_t wide_passes_by_definition(const uint32_t *offset, uint32_t mask, uint32_t bytes)
{
    const uint32_t lanes = 128 / bytes;
    uint32_t passes = 0;
    for (uint32_t start = 0; start < LANES; start += lanes) {
        uint32_t most = 0;
        for (uint32_t bank = 0; bank < 32; bank++) {
            uint32_t words = 0, seen[LANES * 4];
            for (uint32_t i = start; i < start + lanes; i++)
                for (uint32_t w = 0; mask >> i & 1 && w < bytes / 4; w++) {
                    bool is_new = (offset[i] / 4 + w) % 32 == bank;
                    for (uint32_t k = 0; k < words; k++)
                        is_new = is_new && seen[k] != offset[i] / 4 + w;
                    if (is_new)
                        seen[words++] = offset[i] / 4 + w;
                }
            most = words > most ? words : most;
        }
        passes += most;
    }
    return passes;
}

/* Lanes never agree in pairs here, so that no passes become one. */
START_TEST(patterns_that_come_again_elsewhere_take_as_many_passes)
{
    uint32_t state = 7, offset[LANES];
    for (int round = 0; round < 2000; round++) {
        const uint32_t bytes = round % 2 ? 8 : 16,
                       mask = round % 3 ? FULL_MASK : (state >> 7 & 0x11111111) * 15 | 15;
        for (uint32_t i = 0; i < LANES; i++)
            offset[i] = ((state = state * 1664525 + 1013904223) >> 12) % 64 * 128 + i % 8 * bytes;
        const uint32_t due = wide_passes_by_definition(offset, mask, bytes);
        for (uint32_t on = 0; on < 5; on++) { /* to other banks; the last one goes another way */
            ck_assert_uint_eq(bank_wavefronts(offset, mask, bytes), due);
            for (uint32_t i = 0; i < LANES; i++)
                offset[i] += bytes * (on * 3 + 1);
        }
        offset[9] ^= 32;
        ck_assert_uint_eq(bank_wavefronts(offset, mask, bytes),
                          wide_passes_by_definition(offset, mask, bytes));
    }
}
END_TEST

START_TEST(wide_accesses_go_in_halves_and_quarters)
{
    ck_assert_uint_eq(wavefronts(8, 32, 0, FULL_MASK, 8), 2);
    ck_assert_uint_eq(wavefronts(16, 32, 0, FULL_MASK, 16), 4);
    ck_assert_uint_eq(wavefronts(8, 32, 0, 0xffff, 8), 1);
    ck_assert_uint_eq(wavefronts(16, 32, 0, 0xff, 16), 1);
    ck_assert_uint_eq(wavefronts(256, 32, 0, FULL_MASK, 8), 32);
    ck_assert_uint_eq(wavefronts(0, 32, 0, FULL_MASK, 8), 1);
}
END_TEST

/* A warp without conflicts needs a pass for 32 lanes of up to 4 bytes, for 16 of 8 and for 8 of 16, whoever is active. */
START_TEST(conflicts_are_the_passes_beyond_those_that_widths_need)
{
    ck_assert_uint_eq(bank_conflicts(1, FULL_MASK, 4), 0);
    ck_assert_uint_eq(bank_conflicts(32, FULL_MASK, 4), 31);
    ck_assert_uint_eq(bank_conflicts(8, 0xff, 4), 7);
    ck_assert_uint_eq(bank_conflicts(2, FULL_MASK, 8), 0);
    ck_assert_uint_eq(bank_conflicts(4, FULL_MASK, 8), 2);
    ck_assert_uint_eq(bank_conflicts(4, 0xffff, 8), 3);
    ck_assert_uint_eq(bank_conflicts(2, 0x10001, 8), 0);
    ck_assert_uint_eq(bank_conflicts(4, FULL_MASK, 16), 0);
    ck_assert_uint_eq(bank_conflicts(3, 0x0100ff00, 16), 1);
    ck_assert_uint_eq(bank_conflicts(1, FULL_MASK, 16),
                      0); /* all lanes the same word: fewer, and no credit for others */
}
END_TEST

START_TEST(an_access_to_shared_memory_counts_requests_passes_conflicts_and_bytes)
{
    struct insn_stat stat = {.warps = 0};
    charge_shared(&stat, FULL_MASK, 8, 4);
    charge_shared(&stat, FULL_MASK, 16, 1);
    charge_shared(&stat, 0x7, 4, 1);
    ck_assert_uint_eq(stat.shared_requests, 3);
    ck_assert_uint_eq(stat.wavefronts, 6);
    ck_assert_uint_eq(stat.conflicts, 2);
    ck_assert_uint_eq(stat.shared_bytes, 32 * 8 + 32 * 16 + 3 * 4);
}
END_TEST

static uint32_t sectors(uint64_t a, uint64_t by, int64_t b)
{
    uint64_t address[LANES], found[LANES];
    for (uint64_t i = 0; i < LANES; i++)
        address[i] = 0x10000 + i * a + i / by * (uint64_t)b;
    return distinct_sectors(address, found);
}

START_TEST(sectors_are_counted_once_in_whatever_order_lanes_come)
{
    ck_assert_uint_eq(sectors(4, 32, 0), 4);
    ck_assert_uint_eq(sectors(0, 32, 0), 1);
    ck_assert_uint_eq(sectors(32, 32, 0), 32);
    ck_assert_uint_eq(sectors(1 << 20, 32, 0), 32);
    ck_assert_uint_eq(sectors(4, 8, -32), 1);
    ck_assert_uint_eq(sectors(32, 16, -512), 16);
    ck_assert_uint_eq(sectors((uint64_t)-4, 32, 0), 5);
}
END_TEST

/* A process may be allowed little memory and still use much, one piece after another. A sanitizer's own tables would
 * count as well, so the limit is left out there. */
static void limit_data(rlim_t bytes)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_DATA, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &limit), 0);
#else
    (void)bytes;
#endif
}

START_TEST(large_allocations_that_were_freed_count_no_longer)
{
    struct memory *memory = memory_new(false);
    limit_data((rlim_t)3 << 30);
    for (int i = 0; i < 20; i++) {
        struct allocation *a = memory_alloc(memory, (uint64_t)1 << 30, ALLOC_DEVICE);
        ck_assert_ptr_nonnull(a);
        a->host[0] = a->host[(1 << 30) - 1] = 1;
        memory_release(memory, a);
    }
    limit_data(RLIM_INFINITY);
    memory_free_all(memory);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("memory");
    tcase_add_checked_fixture(cases, open_memory, close_memory);
    tcase_add_test(cases, an_allocation_is_found_by_every_address_in_it_and_no_other);
    tcase_add_test(cases, an_overrun_of_some_rows_lands_in_no_allocation);
    tcase_add_test(cases, pinned_and_managed_memory_has_one_address_on_both_sides);
    tcase_add_test(cases, device_memory_cannot_be_touched_at_its_device_address);
    tcase_add_test(cases, registered_memory_is_found_until_it_is_released);
    tcase_add_test(cases, a_freed_allocation_is_remembered_and_its_address_not_reused);
    tcase_add_test(cases, the_nearest_allocation_is_named_for_an_overrun);
    tcase_add_test(cases, capacity_limits_device_memory_and_freeing_gives_it_back);
    tcase_add_test(cases, address_space_is_reused_when_it_runs_out);
    tcase_add_test(cases, written_bytes_are_tracked_exactly);
    tcase_add_test(cases, large_pieces_are_tracked_exactly);
    tcase_add_test(cases, symbols_and_host_memory_count_as_written);
    tcase_add_test(cases, allocations_are_visited_in_the_order_they_were_made);
    tcase_add_test(cases, host_threads_may_allocate_and_look_up_at_once);
    tcase_add_test(cases, windows_of_other_spaces_lie_apart_from_allocations);
    tcase_add_test(cases, banks_serve_a_warp_in_as_many_passes_as_words_collide);
    tcase_add_test(cases, words_anywhere_take_the_passes_of_the_fullest_bank);
    tcase_add_test(cases, patterns_that_come_again_elsewhere_take_as_many_passes);
    tcase_add_test(cases, wide_accesses_go_in_halves_and_quarters);
    tcase_add_test(cases, conflicts_are_the_passes_beyond_those_that_widths_need);
    tcase_add_test(cases, an_access_to_shared_memory_counts_requests_passes_conflicts_and_bytes);
    tcase_add_test(cases, sectors_are_counted_once_in_whatever_order_lanes_come);
    tcase_add_test(cases, large_allocations_that_were_freed_count_no_longer);
    Suite *suite = suite_create("memory");
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
