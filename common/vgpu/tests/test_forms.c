/* test_forms.c - every arithmetic row against what an H200 computed.
 * Runs the rows directly, lane by lane over the operands of the conformance suite; no machine, no CUDA.
 * The recorded results are tests/conformance/golden.bin; VGPU_GOLDEN names another file. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "alu/forms.h"
#include "tests/conformance/suite.h"
#include "tests/conformance/suite_forms.h"

enum { BYTES = LANES * 8, WARPS = SUITE_TUPLES / LANES };

static struct golden golden;

static const char *golden_path(void)
{
    const char *path = getenv("VGPU_GOLDEN");
    return path ? path : "common/vgpu/tests/conformance/golden.bin";
}

static void put(void *vector, char letter, int lane, uint64_t value)
{
    const size_t size = suite_bits(letter) / 8;
    if (letter == 'p')
        *(uint32_t *)vector |= (uint32_t)value << lane;
    else
        memcpy((char *)vector + (size_t)lane * size, &value, size);
}

static uint64_t get(const void *vector, char letter, int lane)
{
    const size_t size = suite_bits(letter) / 8;
    uint64_t value = 0;
    if (letter == 'p')
        return *(const uint32_t *)vector >> lane & 1;
    memcpy(&value, (const char *)vector + (size_t)lane * size, size);
    return value;
}

/* One warp's worth of tuples. With `in_place`, the result overwrites the first operand. */
static uint32_t run_warp(const struct form *form, const struct suite_case *c, size_t warp, bool in_place,
                         void *result)
{
    _Alignas(64) char source[SUITE_SOURCES][BYTES] = {{0}};
    const char *letters = strchr(c->signature, '=') + 1;
    uint32_t carry = 0;
    for (size_t k = 0; letters[k]; k++)
        for (int lane = 0; lane < LANES; lane++)
            put(source[k], letters[k], lane, suite_operand(c, k, warp * LANES + (size_t)lane));
    /* the suite speaks of borrows; the flag is set where nothing was borrowed */
    const uint32_t borrows = strncmp(c->name, "sub", 3) == 0 ? 0xffffffff : 0;
    for (int lane = 0; lane < LANES; lane++)
        carry |= suite_carry_in(warp * LANES + (size_t)lane) << lane;
    carry ^= borrows;
    void *d = in_place ? source[0] : result;
    if (form->uses_carry)
        ((form_carry_fn *)(void (*)(void))form->fn)(d, source[0], source[1], source[2], &carry);
    else if (strlen(letters) == 4)
        ((form4_fn *)(void (*)(void))form->fn)(d, source[0], source[1], source[2], source[3]);
    else
        form->fn(d, source[0], source[1], source[2]);
    if (in_place)
        memcpy(result, source[0], BYTES);
    return carry ^ borrows;
}

/* Whether case and recording agree; prints the first difference. */
static bool agrees(const struct form *form, const struct suite_case *c, bool in_place)
{
    const uint8_t *entry = golden_find(&golden, c);
    if (!entry)
        return printf("%s: not recorded\n", c->name), false;
    for (size_t warp = 0; warp < WARPS; warp++) {
        _Alignas(64) char result[BYTES] = {0};
        const uint32_t carry = run_warp(form, c, warp, in_place, result);
        for (int lane = 0; lane < LANES; lane++) {
            const size_t tuple = warp * LANES + (size_t)lane;
            const uint64_t expected = golden_result(c, entry, tuple),
                           got = get(result, c->signature[0], lane);
            if (!suite_matches(c, expected, got))
                return suite_explain(stdout, c, tuple, expected, got, "result"), false;
            if (c->uses_carry && golden_carry(c, entry, tuple) != (carry >> lane & 1))
                return suite_explain(stdout, c, tuple, golden_carry(c, entry, tuple), carry >> lane & 1,
                                     "carry"),
                       false;
        }
    }
    return true;
}

START_TEST(every_row_computes_what_the_hardware_computed)
{
    size_t wrong = 0, cases = 0;
    struct suite_case c;
    const struct form *form;
    ck_assert_msg(golden_read(&golden, golden_path()), "%s cannot be read", golden_path());
    for (size_t i = 0; (form = form_at(i)); i++)
        for (size_t k = 0; suite_case_of(form, k, &c); k++, cases++)
            wrong += !agrees(form, &c, false);
    golden_free(&golden);
    ck_assert_msg(wrong == 0, "%zu of %zu cases differ", wrong, cases);
}
END_TEST

START_TEST(every_row_may_overwrite_its_first_operand)
{
    size_t wrong = 0;
    struct suite_case c;
    const struct form *form;
    ck_assert_msg(golden_read(&golden, golden_path()), "%s cannot be read", golden_path());
    for (size_t i = 0; (form = form_at(i)); i++)
        for (size_t k = 0; suite_case_of(form, k, &c); k++)
            if (suite_bits(c.signature[0]) == suite_bits(c.signature[2]))
                wrong += !agrees(form, &c, true);
    golden_free(&golden);
    ck_assert_msg(wrong == 0, "%zu rows differ when they overwrite an operand", wrong);
}
END_TEST

/* In the recording lanes have divisors of their own; a warp with one divisor for all goes another way. */
START_TEST(one_divisor_for_all_lanes_divides_as_c_does)
{
    static const uint64_t divisors[] = {1,
                                        2,
                                        3,
                                        10,
                                        65521u * UINT64_C(65519),
                                        UINT32_MAX,
                                        1ull << 32,
                                        (1ull << 63) - 1,
                                        1ull << 63,
                                        (1ull << 63) + 1,
                                        UINT64_MAX};
    const struct form *div = form_find("div.u64"), *rem = form_find("rem.u64");
    uint64_t x[LANES], y[LANES], quotient[LANES], rest[LANES];
    for (size_t k = 0; k < sizeof divisors / sizeof *divisors; k++)
        for (uint64_t base = 0; base < 4; base++) {
            const uint64_t around[] = {0, divisors[k] * 3, UINT64_MAX / divisors[k] * divisors[k],
                                       UINT64_MAX};
            for (uint64_t lane = 0; lane < LANES; lane++) {
                x[lane] = around[base] + lane - LANES / 2;
                y[lane] = divisors[k];
            }
            div->fn(quotient, x, y, NULL);
            rem->fn(rest, x, y, NULL);
            for (int lane = 0; lane < LANES; lane++) {
                ck_assert_uint_eq(quotient[lane], x[lane] / y[lane]);
                ck_assert_uint_eq(rest[lane], x[lane] % y[lane]);
            }
            rem->fn(y, x, y, NULL); /* in place of the divisors */
            ck_assert_int_eq(memcmp(y, rest, sizeof y), 0);
        }
}
END_TEST

START_TEST(every_row_is_found_by_its_name_and_is_canonical)
{
    const struct form *form;
    char buffer[96];
    for (size_t i = 0; (form = form_at(i)); i++) {
        ck_assert_msg(form_find(form->name) == form, "%s has two rows", form->name);
        ck_assert_str_eq(form_canonical(form->name, buffer, sizeof buffer), form->name);
        ck_assert(form->meaning && form->meaning[0] && form->fn);
        ck_assert(form->signature[0] && form->signature[1] == '=');
    }
    ck_assert(!form_find("add.f33"));
    ck_assert(!form_find(""));
}
END_TEST

static const struct {
    const char *spelling, *row;
} spellings[] = {
    {"add.f32", "add.rn.f32"},
    {"add.ftz.f32", "add.rn.ftz.f32"},
    {"add.sat.f32", "add.rn.sat.f32"},
    {"mul.f64", "mul.rn.f64"},
    {"sub.f16x2", "sub.rn.f16x2"},
    {"mul.bf16x2", "mul.rn.bf16x2"},
    {"mad.rn.f32", "fma.rn.f32"},
    {"mad.f32", "fma.rn.f32"},
    {"mad.rz.f64", "fma.rz.f64"},
    {"add.s32", "add.u32"},
    {"add.sat.s32", "add.sat.s32"},
    {"add.s16x2", "add.u16x2"},
    {"mul.lo.s64", "mul.lo.u64"},
    {"mul.hi.s32", "mul.hi.s32"},
    {"mad.lo.s32", "mad.lo.u32"},
    {"mad.wide.s32", "mad.wide.s32"},
    {"add.cc.s32", "add.cc.u32"},
    {"madc.hi.s32", "madc.hi.s32"},
    {"mov.u32", "mov.b32"},
    {"mov.s64", "mov.b64"},
    {"mov.f32", "mov.f32"},
    {"selp.s32", "selp.b32"},
    {"slct.u32.s32", "slct.b32.s32"},
    {"shr.b32", "shr.u32"},
    {"setp.eq.s32", "setp.eq.b32"},
    {"setp.ne.u64", "setp.ne.b64"},
    {"setp.lo.u32", "setp.lt.u32"},
    {"setp.hs.u16", "setp.ge.u16"},
    {"set.eq.s32.u32", "set.eq.u32.b32"},
    {"set.lt.s32.f32", "set.lt.u32.f32"},
    {"cvt.s32.s64", "cvt.u32.s64"},
    {"cvt.s64.s32", "cvt.u64.s32"},
    {"cvt.s8.s32", "cvt.s8.s32"},
    {"cvt.sat.s16.s32", "cvt.sat.s16.s32"},
    {"cvt.rzi.sat.s32.f32", "cvt.rzi.s32.f32"},
    {"cvt.rzi.ftz.s32.f32", "cvt.rzi.ftz.s32.f32"},
    {"cvt.rn.ftz.f32.s32", "cvt.rn.f32.s32"},
    {"max.s32.relu", "max.relu.s32"},
};

START_TEST(every_spelling_leads_to_its_row)
{
    char buffer[96];
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        ck_assert_str_eq(form_canonical(spellings[i].spelling, buffer, sizeof buffer), spellings[i].row);
        ck_assert_msg(form_find(spellings[i].row) != NULL, "%s has no row", spellings[i].row);
    }
}
END_TEST

START_TEST(a_name_that_is_too_long_is_left_alone)
{
    char name[4096], buffer[8];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ck_assert_ptr_eq(form_canonical(name, buffer, sizeof buffer), name);
    memset(name, '.', sizeof name - 1);
    ck_assert_ptr_eq(form_canonical(name, buffer, sizeof buffer), name);
    ck_assert_str_eq(form_canonical("add.f32", buffer, sizeof buffer), "add.f32");
    ck_assert_str_eq(form_canonical("add", buffer, sizeof buffer), "add");
    ck_assert_str_eq(form_canonical("", buffer, sizeof buffer), "");
}
END_TEST

START_TEST(operations_are_counted_as_the_literature_does)
{
    static const struct {
        const char *name;
        uint8_t flops;
    } rows[] = {{"add.rn.f32", 1},     {"fma.rn.f32", 2}, {"fma.rn.f64", 2}, {"fma.rn.f16x2", 4},
                {"add.f16x2", 2},      {"mul.f16", 1},    {"min.f32", 0},    {"setp.lt.f32", 0},
                {"ex2.approx.f32", 1}, {"add.s32", 0},    {"mad.lo.s32", 0}, {"mov.b32", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char canonical[160];
        const struct form *form = form_find(form_canonical(rows[i].name, canonical, sizeof canonical));
        ck_assert_msg(form != NULL, "%s", rows[i].name);
        ck_assert_msg(form_flops(form) == rows[i].flops, "%s: %u", rows[i].name, form_flops(form));
    }
}
END_TEST

START_TEST(traits_tell_carries_zeros_and_logic)
{
    static const struct {
        const char *name;
        unsigned traits;
    } rows[] = {{"addc.cc.u32", FORM_READS_CARRY | FORM_WRITES_CARRY},
                {"addc.u32", FORM_READS_CARRY},
                {"add.cc.u32", FORM_WRITES_CARRY},
                {"and.b32", FORM_ZERO_SETTLES},
                {"mul.wide.u32", FORM_ZERO_SETTLES},
                {"mad.lo.s32", FORM_ZERO_SETTLES},
                {"and.pred", FORM_ZERO_SETTLES | FORM_AND},
                {"or.pred", FORM_OR},
                {"or.b32", 0},
                {"add.s32", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char canonical[160];
        const struct form *form = form_find(form_canonical(rows[i].name, canonical, sizeof canonical));
        ck_assert_msg(form != NULL, "%s", rows[i].name);
        ck_assert_msg(form_traits(form) == rows[i].traits, "%s: %u", rows[i].name, form_traits(form));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("forms");
    TCase *tcase = tcase_create("rows");
    tcase_add_test(tcase, operations_are_counted_as_the_literature_does);
    tcase_add_test(tcase, traits_tell_carries_zeros_and_logic);
    tcase_add_test(tcase, every_row_computes_what_the_hardware_computed);
    tcase_add_test(tcase, every_row_may_overwrite_its_first_operand);
    tcase_add_test(tcase, one_divisor_for_all_lanes_divides_as_c_does);
    tcase_add_test(tcase, every_row_is_found_by_its_name_and_is_canonical);
    tcase_add_test(tcase, every_spelling_leads_to_its_row);
    tcase_add_test(tcase, a_name_that_is_too_long_is_left_alone);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
