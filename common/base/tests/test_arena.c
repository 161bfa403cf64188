/* test_arena.c - what an arena hands out is zero, aligned, and nobody else's. */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "run.h"

static bool is_all(const uint8_t *bytes, size_t size, uint8_t value)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

START_TEST(memory_is_zero_aligned_and_apart)
{
    enum { COUNT = 3000 };
    struct arena *arena = arena_new();
    uint8_t *piece[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        const size_t size = i % 700 + 1;
        piece[i] = arena_alloc(arena, size);
        ck_assert_ptr_nonnull(piece[i]);
        ck_assert_uint_eq((uintptr_t)piece[i] % 16, 0);
        ck_assert(is_all(piece[i], size, 0));
        memset(piece[i], (int)(i % 251) + 1, size);
    }
    for (size_t i = 0; i < COUNT; i++)
        ck_assert(is_all(piece[i], i % 700 + 1, (uint8_t)(i % 251 + 1)));
    arena_free(arena);
}
END_TEST

START_TEST(a_piece_larger_than_every_chunk_is_had)
{
    struct arena *arena = arena_new();
    const size_t size = (size_t)64 << 20;
    uint8_t *large = arena_alloc(arena, size), *small = arena_alloc(arena, 1);
    ck_assert_ptr_nonnull(large);
    large[size - 1] = 1;
    ck_assert(small < large || small >= large + size);
    ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX));
    ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX / 2 + 1));
    arena_free(arena);
    arena_free(NULL);
}
END_TEST

START_TEST(copies_of_text_end_in_nul)
{
    struct arena *arena = arena_new();
    ck_assert_str_eq(arena_copy_text(arena, "a warp and more", 6), "a warp");
    ck_assert_str_eq(arena_copy_text(arena, "", 0), "");
    arena_free(arena);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("arena");
    tcase_add_test(tests, memory_is_zero_aligned_and_apart);
    tcase_add_test(tests, a_piece_larger_than_every_chunk_is_had);
    tcase_add_test(tests, copies_of_text_end_in_nul);
    return run_tests("arena", tests);
}
