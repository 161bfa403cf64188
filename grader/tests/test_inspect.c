/* test_inspect.c - objects made by the C compiler here: what a submission may define and what is refused, and that no
 * damaged object makes the reader leave the file. A made-up .nv_fatbin section stands for device code. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tests/run.h"
#include "grader/files.h"
#include "grader/inspect.h"

#define FATBIN                                                                                               \
    "__attribute__((section(\".nv_fatbin\"))) static const char _ZL3fat[] = \"device code\";"                \
    "static const char *_ZL3use(void) { return _ZL3fat; }"
#define ENTRY "const char *entry(void) { return _ZL3use(); }"

static const char *const entries[] = {"entry", "second"};
static struct inspection found;

static uint8_t *compile(const char *source, size_t *size)
{
    char folder[] = "/tmp/inspect.XXXXXX", command[2000], path[100];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.c", folder);
    ck_assert(files_write(path, source, strlen(source)));
    snprintf(command, sizeof command, "${CC:-cc} -O1 -w -c %s/a.c -o %s/a.o", folder, folder);
    ck_assert_int_eq(system(command), 0);
    snprintf(path, sizeof path, "%s/a.o", folder);
    uint8_t *bytes = files_read(path, 1 << 20, true, size);
    files_remove_tree(folder);
    ck_assert_ptr_nonnull(bytes);
    return bytes;
}

static bool inspect(const char *source)
{
    size_t size;
    uint8_t *bytes = compile(source, &size);
    bool is_fine = inspect_object(bytes, size, entries, 2, &found);
    if (is_fine)
        ck_assert(found.fatbin >= bytes && found.fatbin + found.fatbin_bytes <= bytes + size);
    if (is_fine)
        ck_assert_str_eq((const char *)found.fatbin, "device code");
    free(bytes);
    return is_fine;
}

static const char *const accepted[] = {
    FATBIN ENTRY,
    FATBIN ENTRY "static int counter; int *_ZN4mine5countE(void) { return &counter; }",
    FATBIN ENTRY "void _Z6helperi(int i) { }",
    FATBIN ENTRY "__attribute__((weak)) void _Z8templateIiEvT_(void) { }",
    FATBIN ENTRY
    "extern int printf(const char *, ...); static int malloc_count(void) { return printf(\"x\"); }"
    "int second(void) { return malloc_count(); }",
    FATBIN ENTRY
    "__attribute__((constructor)) static void _ZL24__sti____cudaRegisterAllv(void) { static volatile "
    "int n; n = 1; }",
    FATBIN ENTRY "int counter;",
    FATBIN ENTRY "void helper(void) { }",
    FATBIN ENTRY "int layout, stages; void reference(void) { }",
    FATBIN ENTRY "__attribute__((constructor)) static void early(void) { static volatile int n; n = 1; }",
    FATBIN ENTRY "__attribute__((constructor(101))) void first(void) { static volatile int n; n = 1; }",
};

START_TEST(honest_objects_pass)
{
    ck_assert_msg(inspect(accepted[_i]), "%s: %s", accepted[_i], found.problem);
    ck_assert(found.defined & 1);
}
END_TEST

static const struct {
    const char *source, *says, *also;
} refused[] = {
    {FATBIN ENTRY "void *malloc(unsigned long n) { return 0; }", "`malloc`", "the C library"},
    {FATBIN ENTRY "__attribute__((weak)) int puts(const char *s) { return 0; }", "`puts`", "the C library"},
    {FATBIN ENTRY "int clock_gettime(int a, void *b) { return 0; }", "`clock_gettime`", "the C library"},
    {FATBIN ENTRY "int cudaEventElapsedTime(void) { return 0; }", "`cudaEventElapsedTime`",
     "the CUDA runtime"},
    {FATBIN ENTRY "int __cudaLaunchKernel(void) { return 0; }", "`__cudaLaunchKernel`", "the CUDA runtime"},
    {FATBIN ENTRY "int main(void) { return 0; }", "`main`", "harness"},
    {FATBIN ENTRY "int lab_fill(void) { return 0; }", "`lab_fill`", "harness"},
    {FATBIN ENTRY "int vgpu_watch;", "variable `vgpu_watch`", "the virtual GPU"},
    {FATBIN ENTRY "__attribute__((destructor)) static void late(void) { static volatile int n; n = 1; }",
     "after the program's end", ".fini_array"},
    {FATBIN ENTRY "__attribute__((section(\".ctors\"), used)) static void *p = (void *)1;", ".ctors",
     "before"},
    {FATBIN ENTRY "__attribute__((section(\".preinit_array\"), used)) static void *p = (void *)1;",
     ".preinit_array", "before"},
    {FATBIN ENTRY "__attribute__((section(\".init\"), used)) static void f(void) { }", ".init", "before"},
    {FATBIN ENTRY "static void f(void) { } static void *choose(void) { return f; }"
                  "void _Z6chosenv(void) __attribute__((ifunc(\"choose\")));",
     "ifunc", "_Z6chosenv"},
    {FATBIN "static const char *keep(void) { return _ZL3use(); } const char *_Z1kv(void) { return keep(); }",
     "none of the entry points", "entry, second"},
    {"int entry(void) { return 1; }", "no kernel", ""},
};

START_TEST(what_could_replace_ours_is_refused_and_named)
{
    ck_assert_msg(!inspect(refused[_i].source), "taken: %s", refused[_i].source);
    ck_assert_msg(strstr(found.problem, refused[_i].says) != NULL, "says: %s", found.problem);
    ck_assert_msg(strstr(found.problem, refused[_i].also) != NULL, "says: %s", found.problem);
}
END_TEST

START_TEST(what_is_no_object_is_refused)
{
    static const uint8_t script[] = "INPUT(/etc/passwd)";
    ck_assert(!inspect_object(script, sizeof script, entries, 2, &found));
    ck_assert(!inspect_object(script, 0, entries, 2, &found));
    ck_assert_ptr_nonnull(strstr(found.problem, "not an object file"));
}
END_TEST

/* Each prefix and each damaged byte in a copy that ends where its memory does: a sanitizer or a fault tells. */
START_TEST(damaged_objects_do_not_lead_out_of_the_file)
{
    size_t size;
    uint8_t *bytes = compile(
        FATBIN ENTRY "__attribute__((constructor)) static void early(void) { static volatile int n; n = 1; }",
        &size);
    for (size_t length = 0; length < size; length += 7) {
        uint8_t *copy = malloc(length ? length : 1);
        memcpy(copy, bytes, length);
        ck_assert(!inspect_object(copy, length, entries, 2, &found));
        free(copy);
    }
    uint8_t *copy = malloc(size);
    for (size_t i = 0; i < size; i++) {
        memcpy(copy, bytes, size);
        copy[i] ^= 0xff;
        inspect_object(copy, size, entries, 2, &found);
    }
    free(copy);
    free(bytes);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("inspect");
    tcase_add_loop_test(tests, honest_objects_pass, 0, sizeof accepted / sizeof *accepted);
    tcase_add_loop_test(tests, what_could_replace_ours_is_refused_and_named, 0,
                        sizeof refused / sizeof *refused);
    tcase_add_test(tests, what_is_no_object_is_refused);
    tcase_add_test(tests, damaged_objects_do_not_lead_out_of_the_file);
    return run_tests("inspect", tests);
}
