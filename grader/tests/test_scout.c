/* test_scout.c - scouts hold none of the functions that know what is right.
 * Which functions these are is asked of each lab's lab.so, where they all are; then scouts are searched for their names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "base/tests/run.h"
#include "grader/files.h"
#include "grader/labs.h"

enum { MOST_ANSWERS = 100 };
#define MOST_BYTES ((size_t)64 << 20)

static const struct kit kit = {.root = ".", .build = GRADE_BUILD};
static struct labs all;

/* An ELF file of a lab in the build folder. */
struct object {
    uint8_t *bytes;
    size_t size;
    struct elf elf;
};

static struct object open_object(const struct labs_entry *lab, const char *name)
{
    struct object object;
    char path[3000];
    snprintf(path, sizeof path, "%s/labs/%s/%s", kit.build, lab->id, name);
    object.bytes = files_read(path, MOST_BYTES, true, &object.size);
    ck_assert_msg(object.bytes && elf_open(&object.elf, object.bytes, object.size) && object.elf.has_symbols,
                  "%s cannot be read", path);
    return object;
}

/* The function with this name, or, if name is NULL, at this address. */
static bool find_function(const struct object *object, const char *name, uint64_t address,
                          struct elf_symbol *out)
{
    for (uint32_t i = 0; i < object->elf.nsymbols; i++) {
        if (elf_read_symbol(&object->elf, i, out) && out->section && out->type == STT_FUNC &&
            (name ? strcmp(out->name, name) == 0 : out->value == address))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------- answers */

static int add_answer(uintptr_t *answers, int count, uintptr_t answer)
{
    bool is_known = !answer;
    for (int i = 0; i < count; i++)
        is_known = is_known || answers[i] == answer;
    if (!is_known)
        answers[count] = answer;
    ck_assert_int_lt(count, MOST_ANSWERS - 1);
    return count + !is_known;
}

/* The lab's and its stages', each once. */
static int list_answers(const struct lab *lab, uintptr_t *answers)
{
    int count = add_answer(answers, 0, (uintptr_t)lab->reference);
    count = add_answer(answers, count, (uintptr_t)lab->element);
    count = add_answer(answers, count, (uintptr_t)lab->recognise);
    for (int i = 0; i < lab->nstages; i++) {
        count = add_answer(answers, count, (uintptr_t)lab->stages[i].reference);
        count = add_answer(answers, count, (uintptr_t)lab->stages[i].element);
        count = add_answer(answers, count, (uintptr_t)lab->stages[i].recognise);
    }
    return count;
}

/* ------------------------------------------------------------------------------------------- tests */

static void expect_none_of(const struct labs_entry *entry, const char *scout)
{
    char error[300];
    uintptr_t answers[MOST_ANSWERS];
    Dl_info place;
    struct elf_symbol answer, found;
    const struct lab *lab = labs_open(&kit, entry, error, sizeof error);
    ck_assert_msg(lab && dladdr(lab, &place), "%s", error);
    struct object library = open_object(entry, "lab.so"), program = open_object(entry, scout);
    const int count = list_answers(lab, answers);
    ck_assert_int_gt(count, 0);
    for (int i = 0; i < count; i++) {
        ck_assert(find_function(&library, NULL, answers[i] - (uintptr_t)place.dli_fbase, &answer));
        ck_assert_msg(!find_function(&program, answer.name, 0, &found), "%s of %s holds %s()", scout,
                      entry->id, answer.name);
    }
    free(library.bytes);
    free(program.bytes);
}

START_TEST(what_submissions_are_linked_with_knows_no_answer)
{
    expect_none_of(&all.list[_i], "scout.o");
}
END_TEST

START_TEST(a_linked_scout_knows_no_answer)
{
    expect_none_of(&all.list[_i], "baseline-scout");
}
END_TEST

/* The kit's own ways to tell right from wrong are no part of it either. */
START_TEST(a_scout_compares_nothing)
{
    static const char *const names[] = {"lab_reference", "lab_element", "lab_compare",
                                        "lab_recognise", "lab_fill",    "lab_at"};
    struct elf_symbol found;
    struct object library = open_object(&all.list[_i], "lab.so");
    struct object program = open_object(&all.list[_i], "scout.o");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_msg(find_function(&library, names[i], 0, &found), "there is no %s() any more", names[i]);
        ck_assert_msg(!find_function(&program, names[i], 0, &found), "it holds %s()", names[i]);
    }
    free(library.bytes);
    free(program.bytes);
}
END_TEST

/* Of lab 1's files, those that can count are not there at all. */
START_TEST(no_name_of_a_generator_is_left)
{
    struct object library = open_object(labs_by_id(&all, "lab1"), "lab.so");
    struct object program = open_object(labs_by_id(&all, "lab1"), "scout.o");
    static const char *const words[] = {"xorwow", "philox"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ck_assert(memmem(library.bytes, library.size, words[i], strlen(words[i])));
        ck_assert(!memmem(program.bytes, program.size, words[i], strlen(words[i])));
    }
    free(library.bytes);
    free(program.bytes);
}
END_TEST

int main(void)
{
    labs_find(&kit, &all);
    TCase *tests = tcase_create("scout");
    tcase_add_loop_test(tests, what_submissions_are_linked_with_knows_no_answer, 0, all.count);
    tcase_add_loop_test(tests, a_linked_scout_knows_no_answer, 0, all.count);
    tcase_add_loop_test(tests, a_scout_compares_nothing, 0, all.count);
    tcase_add_test(tests, no_name_of_a_generator_is_left);
    return run_tests("scout", tests);
}
