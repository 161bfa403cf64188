/* test_sass.c - spilled registers in machine code, on instructions as nvcc 13.0 encodes them, and on kernels that
 * the nvcc of this machine has just compiled, beside the spills that its ptxas reports.
 * Code stands in a heap block of exactly its size, so that the sanitizer sees a read past the end. */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "ptx/cubin.h"

struct word {
    uint64_t low, high;
};

/* clang-format off */
#define ADD         {0x0000000103037810, 0x000fe20007ffe0ff}
#define STORE_ARRAY {0x000090ff01007387, 0x0001e80000100c00} /* STL.128 [R1+0x90], RZ */
#define LOAD_INDEX  {0x0000000007027983, 0x000ea20000100800} /* LDL R2, [R7] */
#define STORE_INDEX {0x0000000207007387, 0x0003ec0000100800} /* STL [R7], R2 */
#define LOAD_SPILL  {0x0001000001027983, 0x000ea20000100800} /* LDL R2, [R1+0x100] */
#define STORE_SPILL {0x0001000201007387, 0x0003ec0000100800} /* STL [R1+0x100], R2 */
#define EXIT        {0x000000000000794d, 0x000fea0003800000}
#define EXIT_IF     {0x000000000000094d, 0x000fea0003800000} /* @P0 EXIT */
#define SELF        {0xfffffffc00fc7947, 0x000fc0000383ffff} /* BRA to itself, sm_90 */
#define OLD_SELF    {0xfffffff000007947, 0x000fc0000383ffff} /* the same before sm_90 */
#define NOP         {0x0000000000007918, 0x000fc00000000000}
/* @!P0 BRA, `back` instructions back from itself */
#define BACK(back)     {0xfffffffc00008947 | (uint64_t)(252 - 4 * (back)) << 16, 0x000fea000383ffff}
#define OLD_BACK(back) {(uint64_t)(-16 * ((back) + 1)) << 32 | 0x8947, 0x000fea000383ffff}
/* clang-format on */

#define COUNT(code, array_bytes, levels) count(code, sizeof code, array_bytes, levels)

static bool count(const struct word *code, size_t size, uint32_t array_bytes, struct sass_level *levels)
{
    void *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, code, size);
    bool is_understood = sass_count(copy, size, array_bytes, levels);
    free(copy);
    return is_understood;
}

static void check_level(const struct sass_level *level, uint32_t instructions, uint32_t loads,
                        uint32_t stores)
{
    ck_assert_uint_eq(level->instructions, instructions);
    ck_assert_uint_eq(level->spill_loads, loads);
    ck_assert_uint_eq(level->spill_stores, stores);
}

START_TEST(padding_and_the_last_branch_do_not_count)
{
    static const struct word code[] = {ADD, NOP, LOAD_SPILL, EXIT, SELF, NOP, NOP};
    static const struct word old[] = {ADD, NOP, LOAD_SPILL, EXIT, OLD_SELF, NOP, NOP};
    struct sass_level levels[SASS_LEVELS];
    ck_assert(COUNT(code, 0, levels));
    check_level(&levels[0], 3, 1, 0);
    ck_assert(COUNT(old, 0, levels));
    check_level(&levels[0], 3, 1, 0);
    check_level(&levels[1], 0, 0, 0);
}
END_TEST

START_TEST(a_spill_lies_in_the_frame_behind_the_arrays)
{
    static const struct word code[] = {STORE_ARRAY, STORE_INDEX, LOAD_INDEX, STORE_SPILL,
                                       LOAD_SPILL,  LOAD_SPILL,  EXIT,       SELF};
    struct sass_level levels[SASS_LEVELS];
    ck_assert(COUNT(code, 256, levels));
    check_level(&levels[0], 7, 2, 1);
    ck_assert(COUNT(code, 257, levels));
    check_level(&levels[0], 7, 0, 0);
}
END_TEST

START_TEST(a_branch_back_makes_a_loop)
{
    static const struct word code[] = {STORE_SPILL, ADD, LOAD_SPILL, EXIT_IF, BACK(3), ADD, EXIT, SELF};
    static const struct word old[] = {STORE_SPILL, ADD, LOAD_SPILL, EXIT_IF,
                                      OLD_BACK(3), ADD, EXIT,       OLD_SELF};
    const struct word *both[] = {code, old};
    for (int i = 0; i < 2; i++) {
        struct sass_level levels[SASS_LEVELS];
        ck_assert(count(both[i], sizeof code, 0, levels));
        check_level(&levels[0], 3, 0, 1);
        check_level(&levels[1], 4, 1, 0);
    }
}
END_TEST

START_TEST(loops_nest_and_two_branches_to_one_place_are_one_loop)
{
    static const struct word code[] = {ADD,     LOAD_SPILL, ADD,     BACK(1), STORE_SPILL,
                                       BACK(4), ADD,        BACK(6), EXIT,    SELF};
    struct sass_level levels[SASS_LEVELS];
    ck_assert(COUNT(code, 0, levels));
    check_level(&levels[0], 2, 0, 0); /* the first and EXIT */
    check_level(&levels[1], 5, 1, 1);
    check_level(&levels[2], 2, 0, 0);
}
END_TEST

START_TEST(what_is_too_deep_counts_in_the_last_level)
{
    static const struct word code[] = {ADD,     ADD,     ADD,     ADD,     LOAD_SPILL, BACK(1),
                                       BACK(3), BACK(5), BACK(7), BACK(9), EXIT,       SELF};
    struct sass_level levels[SASS_LEVELS];
    ck_assert(COUNT(code, 0, levels));
    check_level(&levels[0], 1, 0, 0);
    check_level(&levels[1], 2, 0, 0);
    check_level(&levels[2], 2, 0, 0);
    check_level(&levels[3], 6, 1, 0);
}
END_TEST

START_TEST(rare_code_behind_the_end_is_no_loop)
{
    static const struct word code[] = {ADD, LOAD_SPILL, EXIT, ADD, BACK(4), SELF};
    struct sass_level levels[SASS_LEVELS];
    ck_assert(COUNT(code, 0, levels));
    check_level(&levels[0], 5, 1, 0);
    check_level(&levels[1], 0, 0, 0);
}
END_TEST

START_TEST(what_is_no_kernel_gives_zeros)
{
    static const struct word open[] = {ADD, LOAD_SPILL, EXIT}, padding[] = {NOP, NOP};
    static const struct word outside[] = {ADD, BACK(40), EXIT, SELF};
    struct sass_level levels[SASS_LEVELS];
    memset(levels, 1, sizeof levels);
    ck_assert(!COUNT(open, 0, levels));
    check_level(&levels[0], 0, 0, 0);
    ck_assert(!COUNT(padding, 0, levels));
    ck_assert(!count(outside, 0, 0, levels));
    ck_assert(!count(outside, sizeof outside - 8, 0, levels));
    ck_assert(COUNT(outside, 0, levels));
    check_level(&levels[0], 3, 0, 0);
    ck_assert(!cubin_code(outside, sizeof outside, "k", 0, levels));
}
END_TEST

START_TEST(random_branches_do_no_harm)
{
    struct word code[64];
    uint32_t state = 5;
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < sizeof code / 4; i++) {
            state = state * 1664525u + 1013904223u;
            memcpy((char *)code + 4 * i, &state, 4);
        }
        for (size_t i = 0; i < 63; i++)
            if (code[i].high & 1 << 20)
                code[i] = (struct word){(code[i].low & 0x3ff0000) | 0xfffffffc00008947, 0x3ffff};
        code[63] = (struct word)SELF;
        struct sass_level levels[SASS_LEVELS];
        ck_assert(COUNT(code, 0, levels));
        uint32_t sum = 0;
        for (size_t i = 0; i < SASS_LEVELS; i++)
            sum += levels[i].instructions;
        ck_assert_uint_le(sum, 63);
        ck_assert_uint_ge(sum, 50);
    }
}
END_TEST

static const char *folder; /* of what nvcc made of spills/spills.cu */

static FILE *open_made(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    return file;
}

/* What ptxas -v says of a kernel, in bytes. */
static void read_report(const char *kernel, unsigned *stores, unsigned *loads)
{
    FILE *file = open_made("spills.log");
    char line[500], header[200];
    bool is_ours = false, is_found = false;
    snprintf(header, sizeof header, "Function properties for %s\n", kernel);
    while (!is_found && fgets(line, sizeof line, file)) {
        is_found =
            is_ours && sscanf(line, " %*u bytes stack frame, %u bytes spill stores, %u bytes spill loads",
                              stores, loads) == 2;
        is_ours = is_ours || strstr(line, header);
    }
    fclose(file);
    ck_assert_msg(is_found, "ptxas did not report %s", kernel);
}

static void check_against_ptxas(const char *kernel, uint32_t array_bytes)
{
    static char cubin[1 << 20];
    FILE *file = open_made("spills.cubin");
    size_t size = fread(cubin, 1, sizeof cubin, file);
    fclose(file);
    unsigned stores = 0, loads = 0, counted_stores = 0, counted_loads = 0;
    struct sass_level levels[SASS_LEVELS];
    read_report(kernel, &stores, &loads);
    ck_assert(cubin_code(cubin, size, kernel, array_bytes, levels));
    for (size_t i = 0; i < SASS_LEVELS; i++) {
        counted_stores += levels[i].spill_stores;
        counted_loads += levels[i].spill_loads;
    }
    ck_assert_uint_gt(levels[1].spill_loads, 0);
    ck_assert_uint_gt(stores, 0);
    ck_assert_uint_eq(4 * counted_stores, stores);
    ck_assert_uint_eq(4 * counted_loads, loads);
}

START_TEST(ptxas_reports_the_spills_that_are_counted)
{
    check_against_ptxas("values", 0);
    check_against_ptxas("values_and_array", 256);
}
END_TEST

int main(int argc, char **argv)
{
    char made[4096];
    (void)argc;
    snprintf(made, sizeof made, "%s/../spills", dirname(argv[0]));
    folder = made;
    TCase *tests = tcase_create("counts");
    tcase_add_test(tests, padding_and_the_last_branch_do_not_count);
    tcase_add_test(tests, a_spill_lies_in_the_frame_behind_the_arrays);
    tcase_add_test(tests, a_branch_back_makes_a_loop);
    tcase_add_test(tests, loops_nest_and_two_branches_to_one_place_are_one_loop);
    tcase_add_test(tests, what_is_too_deep_counts_in_the_last_level);
    tcase_add_test(tests, rare_code_behind_the_end_is_no_loop);
    tcase_add_test(tests, what_is_no_kernel_gives_zeros);
    tcase_add_test(tests, random_branches_do_no_harm);
    tcase_add_test(tests, ptxas_reports_the_spills_that_are_counted);
    return run_tests("sass", tests);
}
