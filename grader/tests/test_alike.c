/* test_alike.c - what submissions have in common, names of pages, pseudonyms. */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "grader/course/alike.h"
#include "grader/course/pages.h"

#define SKELETON                                                                                             \
    "void launch(float *out, const float *in, int n)\n{\n    kernel<<<n / 256 + 1, 256>>>(out, in, n);\n}\n"
#define OWN                                                                                                  \
    "float sum = 0;\nfor (int i = threadIdx.x; i < n; i += blockDim.x)\n    if (in[i] > 0) sum += "          \
    "sqrtf(in[i]);\n"

static size_t own_of(const char *text)
{
    struct alike_text one = {.text = text};
    ck_assert(alike_read(&one, 1, SKELETON));
    const size_t own = one.own;
    alike_free(&one, 1);
    return own;
}

START_TEST(a_skeleton_has_nothing_of_its_own)
{
    ck_assert_uint_eq(own_of(SKELETON), 0);
    ck_assert_uint_eq(
        own_of("/* mine */ void go(float *a,const float *b,int k){k2<<<k/128+1,128>>>(a,b,k);}"), 0);
    ck_assert_uint_gt(own_of(OWN), 20);
    ck_assert_uint_eq(own_of(SKELETON OWN), own_of(OWN));
}
END_TEST

START_TEST(names_numbers_comments_and_layout_make_no_difference)
{
    struct alike_text two[] = {
        {.text = OWN},
        {.text = "float x=1.5f; // a\nfor(int q=tid.z;q<m;q+=d.y) if(p[q]>7) /* b */ x+=f(p[q]);"}};
    ck_assert(alike_read(two, 2, SKELETON));
    ck_assert_uint_eq(two[0].ntokens, two[1].ntokens - 2); /* 1.5f is two numbers and a dot */
    for (size_t i = 4; i < two[0].ntokens; i++)
        ck_assert_uint_eq(two[0].tokens[i].kind, two[1].tokens[i + 2].kind);
    alike_free(two, 2);
}
END_TEST

/* Six who differ in the end: it is known. Six with the same tokens are one, and it is not. */
START_TEST(what_many_have_is_known_but_copies_are_one)
{
    static const char *const ends[] = {"a();", "a[1];", "a + b;", "a - b;", "a * b;", "a / b;"};
    struct alike_text six[6];
    char texts[6][400];
    for (int is_copied = 0; is_copied < 2; is_copied++) {
        for (int i = 0; i < 6; i++) {
            snprintf(texts[i], sizeof texts[i], "%s%s", OWN, ends[is_copied ? 0 : i]);
            six[i] = (struct alike_text){.text = texts[i]};
        }
        ck_assert(alike_read(six, 6, SKELETON));
        ck_assert_int_eq(six[3].own > 20, is_copied);
        alike_free(six, 6);
    }
}
END_TEST

START_TEST(any_bytes_are_a_text)
{
    static const char *const texts[] = {"",
                                        "\"",
                                        "'\\",
                                        "/*",
                                        "//",
                                        "\xff\xfe(",
                                        "\n\n\n",
                                        "#include",
                                        "{{{{",
                                        "\"\\\n\"",
                                        "#define X \\\n 1",
                                        "é = ü;"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct alike_text one = {.text = texts[i]};
        FILE *file = fopen("/dev/null", "w");
        ck_assert(alike_read(&one, 1, texts[i]));
        alike_write(&one, file);
        fclose(file);
        alike_free(&one, 1);
    }
}
END_TEST

START_TEST(runs_are_read_and_forged_ones_are_not)
{
    struct alike_text two[] = {{.text = OWN}, {.text = OWN}};
    size_t count, pairs;
    ck_assert(alike_read(two, 2, SKELETON));
    struct alike_run *runs = alike_read_runs("Total input: 2 files\n\n"
                                             "/tmp/x/2.c: line 1-3      |/tmp/x/1.c: line 1-3     [37]\n"
                                             "/tmp/x/1.c: line 1-3      |/tmp/x/1.c: line 1-3     [37]\n"
                                             "/tmp/x/3.c: line 1-3      |/tmp/x/1.c: line 1-3     [37]\n"
                                             "/tmp/x/0.c: line 1-3      |/tmp/x/1.c: line 1-3     [37]\n"
                                             "/tmp/x/1.c: line 1-99     |/tmp/x/2.c: line 1-3     [37]\n"
                                             "/tmp/x/1.c: line 3-1      |/tmp/x/2.c: line 1-3     [37]\n"
                                             "/tmp/x/1.c: line 0-1      |/tmp/x/2.c: line 1-3     [37]\n"
                                             "a | b [1]\n|\n[",
                                             two, 2, &count);
    ck_assert_uint_eq(count, 1);
    struct alike_pair *pair = alike_rank(two, runs, count, &pairs);
    ck_assert_uint_eq(pairs, 1);
    ck_assert_uint_eq(pair->a, 0);
    ck_assert_uint_eq(pair->b, 1);
    ck_assert_int_eq(pair->common, (long)two[0].own);
    ck_assert_int_eq(pair->percent, (int)two[0].own); /* of so little at least a hundred tokens are wanted */
    free(pair);
    free(runs);
    alike_free(two, 2);
}
END_TEST

START_TEST(every_id_has_a_file_of_its_own)
{
    static const char *const ids[] = {"anna", "Anna",  "ANNA",  "anna ",    "a/../b", "a-..-b",   "",
                                      ".",    "..",    "-rf",   "_rf",      "con",    "CON",      "_on",
                                      "com1", "x\xff", "x\xfe", "nul.html", "äöü",    "anna.html"};
    enum { COUNT = sizeof ids / sizeof *ids };
    char names[COUNT][PAGES_NAME];
    for (int i = 0; i < COUNT; i++) {
        pages_file_name(ids[i], names[i]);
        ck_assert_msg(strspn(names[i], "abcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(names[i]), "%s",
                      names[i]);
        ck_assert(*names[i] != '-' && strncmp(names[i], "con.", 4) != 0 &&
                  strncmp(names[i], "com1.", 5) != 0);
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(names[i], names[k]);
    }
    ck_assert_str_eq(names[0], "anna.html");
}
END_TEST

START_TEST(pseudonyms_follow_the_salt)
{
    char a[PAGES_NAME], b[PAGES_NAME];
    pages_pseudonym("one", "anna", a);
    pages_pseudonym("one", "anna", b);
    ck_assert_str_eq(a, b);
    pages_pseudonym("two", "anna", b);
    ck_assert_str_ne(a, b);
    pages_pseudonym("onea", "nna", b); /* where the salt ends is not for ids to choose */
    ck_assert_str_ne(a, b);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("alike");
    tcase_add_test(tests, a_skeleton_has_nothing_of_its_own);
    tcase_add_test(tests, names_numbers_comments_and_layout_make_no_difference);
    tcase_add_test(tests, what_many_have_is_known_but_copies_are_one);
    tcase_add_test(tests, any_bytes_are_a_text);
    tcase_add_test(tests, runs_are_read_and_forged_ones_are_not);
    tcase_add_test(tests, every_id_has_a_file_of_its_own);
    tcase_add_test(tests, pseudonyms_follow_the_salt);
    return run_tests("alike", tests);
}
