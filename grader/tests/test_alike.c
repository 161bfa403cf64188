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

static char *const given[] = {SKELETON};

static size_t own_of(const char *text)
{
    struct alike_text one = {.text = text};
    ck_assert(alike_read(&one, 1, given, 1));
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

/* What a copy may change, and what is the same after it. */
START_TEST(a_disguise_makes_no_difference)
{
    static const char *const same[][2] = {
        {OWN, "float x=1.5f; // a\nfor(int q=tid.z;q<m;q+=d.y) if(p[q]>7) /* b */ x+=f(p[q]);"},
        {"x = threadIdx.x;", "#define TX threadIdx.x\ny = TX;"},
        {"x = a * 32 + b;", "#define AT(p, q) \\\n  ((p) * (32) + (q))\ny = AT(a, b);"},
        {"f(a, b); f(c, d);", "#define TWICE(g, x) g(x, b); g(x, d)\nTWICE(f, a);"},
        {"float x; unsigned int y;", "typedef float real; using whole = unsigned; real x; whole y;"},
        {"i++;", "i += 1;"},
        {"++i;", "i = i + 1;"},
        {"a[i]--;", "a[i] -= 1;"},
        {"x = a.b * c + d;", "x = d + c * a.b;"},
        {"x = (a + b[i]) * c;", "x = c * (b[i] + a);"},
        {"if (a.x < b && c < d) return;", "if (d > c && b > a.x) { return; }"},
        {"if (a == b.x) { f(); }", "if (b.x == a) f();"},
        {"const float *p = in;", "float *__restrict__ p = (in);"},
        {"std::min(a, b);", "min(a, b);"},
        {"p->x = 1;", "p.x = 1;"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct alike_text two[] = {{.text = same[i][0]}, {.text = same[i][1]}};
        ck_assert(alike_read_tokens(&two[0]) && alike_read_tokens(&two[1]));
        ck_assert_msg(two[0].ntokens == two[1].ntokens, "%s: %zu and %zu tokens", same[i][1], two[0].ntokens,
                      two[1].ntokens);
        for (size_t k = 0; k < two[0].ntokens; k++)
            ck_assert_msg(two[0].tokens[k].kind == two[1].tokens[k].kind, "%s: token %zu", same[i][1], k);
        alike_free(two, 2);
    }
}
END_TEST

/* The other way round: what computes something else is something else. */
START_TEST(another_program_is_another)
{
    static const char *const different[][2] = {{"x = a - b.c;", "x = b.c - a;"},
                                               {"x = a / b.c;", "x = b.c / a;"},
                                               {"if (a < b.c) f();", "if (b.c < a) f();"},
                                               {"i++;", "i--;"},
                                               {"x = a + b;", "x = a * b;"}};
    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        struct alike_text two[] = {{.text = different[i][0]}, {.text = different[i][1]}};
        size_t same = 0;
        ck_assert(alike_read_tokens(&two[0]) && alike_read_tokens(&two[1]));
        for (size_t k = 0; k < two[0].ntokens && k < two[1].ntokens; k++)
            same += two[0].tokens[k].kind == two[1].tokens[k].kind;
        ck_assert_msg(same < two[0].ntokens, "%s", different[i][0]);
        alike_free(two, 2);
    }
}
END_TEST

static size_t count_common(const struct alike_text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->ntokens; i++)
        count += text->tokens[i].is_common;
    return count;
}

/* Six with one statement in different files: it is common. Six copies of one file are one, and nothing is. */
START_TEST(what_many_have_is_common_but_copies_are_one)
{
    static const char *const rests[] = {"if (a) { b(c, d[1]); return; } while (e < f.g) { h(i, j) ; }",
                                        "switch (a) { case 1: b[2] = c; break; default: d(e + f * g); }",
                                        "do { a[b][c] = d(e); f -= g; } while (h(i, j, k) != l); return m;",
                                        "for (;;) { a = b(c); if (!d) break; e[f] ^= g << h; } i(j)(k);",
                                        "return a(b, c(d, e(f, g(h, i)))) / j % k - l; m: goto m; n(o);",
                                        "a.b.c.d = e[f[g[h]]]; i(); j(); k(); l = m ? n : o; p(q, r, s);"};
    struct alike_text six[6];
    char texts[6][600];
    for (int is_copied = 0; is_copied < 2; is_copied++) {
        for (int i = 0; i < 6; i++) {
            snprintf(texts[i], sizeof texts[i], "%s%s", OWN, rests[is_copied ? 0 : i]);
            six[i] = (struct alike_text){.text = texts[i]};
        }
        ck_assert(alike_read(six, 6, given, 1));
        ck_assert_int_eq(count_common(&six[3]) > 20, !is_copied);
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
                                        "é = ü;",
                                        "#define",
                                        "#define (",
                                        "#define X(",
                                        "#define X(a, ...\nX(",
                                        "#define X X X\nX",
                                        "#define A B(A)\n#define B(x) A x A\nA B(A B(A))",
                                        "#define X(a) a ## a # a\nX(1) X() X(1, 2)",
                                        "typedef",
                                        "using {",
                                        "++",
                                        "i = i",
                                        "a > ",
                                        "+ + + * * (",
                                        ")]}",
                                        "a::",
                                        "if (",
                                        "a.b.",
                                        "<<<>>>"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct alike_text one = {.text = texts[i]};
        char *const same[] = {(char *)texts[i]};
        ck_assert(alike_read(&one, 1, same, 1));
        alike_free(&one, 1);
    }
}
END_TEST

/* Macros that double thirty times, and brackets that nest for ever: both end soon. */
START_TEST(bombs_end)
{
    char *text = calloc(1, 100000), *at = text;
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < 30; i++)
        at += sprintf(at, "#define A%d A%d A%d\n", i, i + 1, i + 1);
    at += sprintf(at, "#define A30\nA0\n");
    memset(at, '(', 40000);
    struct alike_text one = {.text = text};
    ck_assert(alike_read(&one, 1, NULL, 0));
    ck_assert_uint_le(one.ntokens, ALIKE_MOST);
    alike_free(&one, 1);
    free(text);
}
END_TEST

#define LONG OWN "if (n > 7) { out[n] = sum * 3; return; }\nwhile (sum < 4) { sum += out[n - 1] / 2; n--; }\n"

START_TEST(groups_and_runs)
{
    struct alike_text texts[] = {{.text = "\n\n" LONG},
                                 {.text = "a(b)[c] = !d ? e : f | g ^ h;"},
                                 {.text = LONG "switch (n) { case 1: break; }"},
                                 {.text = LONG}};
    struct alike_groups groups;
    size_t npairs, nruns;
    ck_assert(alike_read(texts, 4, given, 1));
    struct alike_pair *pairs = alike_rank(texts, 4, 50, &npairs);
    ck_assert_uint_eq(npairs, 3);
    ck_assert(alike_group(texts, 4, pairs, npairs, &groups));
    ck_assert_uint_eq(groups.count, 1);
    ck_assert_uint_eq(groups.list[0].nmembers, 3);
    ck_assert_uint_eq(groups.list[0].members[2], 3);
    ck_assert_ptr_eq(groups.list[0].strongest, &pairs[0]);
    const struct alike_pair pair = alike_compare(texts, 0, 2, false);
    struct alike_run *runs = alike_find_runs(texts, &pair, &nruns);
    ck_assert_uint_eq(nruns, 1);
    ck_assert_uint_eq(runs[0].a_from, 2);
    ck_assert_uint_eq(runs[0].b_from, 0);
    ck_assert(!texts[0].lines[4].is_apart && texts[2].lines[5].is_apart);
    free(runs);
    free(pairs);
    alike_free_groups(&groups);
    alike_free(texts, 4);
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
        pages_file_name("salt", ids[i], names[i]);
        ck_assert_msg(strspn(names[i], "abcdef0123456789") == 20 && strcmp(names[i] + 20, ".html") == 0, "%s",
                      names[i]);
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(names[i], names[k]);
    }
    char again[PAGES_NAME], other[PAGES_NAME];
    pages_file_name("salt", "anna", again);
    pages_file_name("another", "anna", other);
    ck_assert_str_eq(names[0], again);
    ck_assert_str_ne(names[0], other);
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
    tcase_add_test(tests, a_disguise_makes_no_difference);
    tcase_add_test(tests, another_program_is_another);
    tcase_add_test(tests, what_many_have_is_common_but_copies_are_one);
    tcase_add_test(tests, any_bytes_are_a_text);
    tcase_add_test(tests, bombs_end);
    tcase_add_test(tests, groups_and_runs);
    tcase_add_test(tests, every_id_has_a_file_of_its_own);
    tcase_add_test(tests, pseudonyms_follow_the_salt);
    return run_tests("alike", tests);
}
