/* test_elf.c - an object that the C compiler makes here, read; and whatever is damaged in it, no step outside the file. */
#define _GNU_SOURCE
#include "base/elf.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "run.h"

static const char source[] = "extern int far(int);"
                             "__attribute__((section(\".marked.one\"))) const char text[] = \"hello\";"
                             "static int numbers[1000];"
                             "int near(int i) { return far(i) + numbers[i]++; }";

static uint8_t *object;
static size_t object_size;
static struct elf elf;

static void compile(void)
{
    char folder[] = "/tmp/base.elf.XXXXXX", path[64], command[400];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.c", folder);
    FILE *file = fopen(path, "w");
    fputs(source, file);
    fclose(file);
    snprintf(command, sizeof command, "${CC:-cc} -O1 -fno-pic -ffunction-sections -c %s -o %s/a.o", path,
             folder);
    ck_assert_int_eq(system(command), 0);
    snprintf(path, sizeof path, "%s/a.o", folder);
    object = file_read(path, 1 << 20, true, &object_size);
    ck_assert_ptr_nonnull(object);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void forget(void)
{
    free(object);
}

static uint32_t find_symbol(const char *name, struct elf_symbol *symbol)
{
    for (uint32_t i = 1; elf_read_symbol(&elf, i, symbol); i++)
        if (!strcmp(symbol->name, name))
            return i;
    return 0;
}

START_TEST(sections_and_symbols_are_what_the_source_says)
{
    struct elf_section section;
    struct elf_symbol symbol;
    ck_assert(elf_open(&elf, object, object_size));
    ck_assert_uint_eq(elf.type, ET_REL);
    ck_assert(elf.has_symbols);
    ck_assert(elf_find_section(&elf, ".marked.", "one", &section));
    ck_assert_uint_eq(section.size, 6);
    ck_assert_str_eq((const char *)section.content, "hello");
    ck_assert(!elf_find_section(&elf, ".marked.", "two", &section));
    ck_assert(elf_find_section(&elf, ".bss", "", &section));
    ck_assert_ptr_null(section.content);
    ck_assert_uint_ge(section.size, 4000);
    ck_assert_uint_ne(find_symbol("near", &symbol), 0);
    ck_assert_uint_eq(symbol.type, STT_FUNC);
    ck_assert_uint_eq(symbol.binding, STB_GLOBAL);
    ck_assert_uint_ne(find_symbol("numbers", &symbol), 0);
    ck_assert_uint_eq(symbol.size, 4000);
    ck_assert_uint_eq(symbol.binding, STB_LOCAL);
    ck_assert_uint_ne(find_symbol("far", &symbol), 0);
    ck_assert_uint_eq(symbol.section, SHN_UNDEF);
}
END_TEST

START_TEST(relocations_name_what_is_called)
{
    struct elf_section relocations;
    struct elf_relocation relocation;
    struct elf_symbol near, symbol;
    ck_assert(elf_open(&elf, object, object_size));
    ck_assert_uint_ne(find_symbol("near", &near), 0);
    ck_assert(elf_find_relocations(&elf, near.section, &relocations));
    int calls = 0;
    for (uint64_t i = 0; elf_read_relocation(&relocations, i, &relocation); i++) {
        ck_assert(elf_read_symbol(&elf, relocation.symbol, &symbol));
        ck_assert_uint_lt(relocation.offset, near.size);
        calls += !strcmp(symbol.name, "far");
    }
    ck_assert_int_eq(calls, 1);
    ck_assert(!elf_find_relocations(&elf, elf.nsections, &relocations));
}
END_TEST

START_TEST(what_is_no_such_file_is_refused)
{
    uint8_t copy[64];
    ck_assert(!elf_open(&elf, NULL, 0));
    ck_assert(!elf_open(&elf, "\177ELF", 4));
    memcpy(copy, object, sizeof copy);
    copy[EI_CLASS] = ELFCLASS32;
    ck_assert(!elf_open(&elf, copy, sizeof copy));
    ck_assert(!elf_open(&elf, object, 64)); /* its sections lie behind the end */
}
END_TEST

/* Everything that can be read of a file; every byte that is given must be there: a sanitizer or a fault tells. */
static uint64_t read_all(const uint8_t *bytes, size_t size)
{
    struct elf_section section, relocations;
    struct elf_relocation relocation;
    struct elf_symbol symbol;
    uint64_t sum = 0;
    if (!elf_open(&elf, bytes, size))
        return 0;
    for (uint32_t i = 0; i < elf.nsections; i++) {
        if (!elf_read_section(&elf, i, &section))
            continue;
        sum += strlen(section.name);
        for (uint64_t k = 0; section.content && k < section.size; k++)
            sum += section.content[k];
        for (uint64_t k = 0; elf_find_relocations(&elf, i, &relocations) &&
                             elf_read_relocation(&relocations, k, &relocation) && k < 1000;
             k++)
            sum += relocation.offset;
    }
    for (uint32_t i = 0; elf_read_symbol(&elf, i, &symbol); i++)
        sum += strlen(symbol.name);
    return sum;
}

START_TEST(damage_does_not_lead_out_of_the_file)
{
    ck_assert_uint_ne(read_all(object, object_size), 0);
    for (size_t length = 0; length < object_size; length += 5) {
        uint8_t *copy = malloc(length ? length : 1);
        memcpy(copy, object, length);
        read_all(copy, length);
        free(copy);
    }
    uint8_t *copy = malloc(object_size + 1); /* at an odd address too: nothing needs to be aligned */
    for (size_t i = 0; i < object_size; i++)
        for (int mask = 0x80; mask; mask >>= 3) {
            memcpy(copy + 1, object, object_size);
            copy[1 + i] ^= (uint8_t)mask;
            read_all(copy + 1, object_size);
        }
    free(copy);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("elf");
    tcase_add_checked_fixture(tests, compile, forget);
    tcase_add_test(tests, sections_and_symbols_are_what_the_source_says);
    tcase_add_test(tests, relocations_name_what_is_called);
    tcase_add_test(tests, what_is_no_such_file_is_refused);
    tcase_add_test(tests, damage_does_not_lead_out_of_the_file);
    return run_tests("elf", tests);
}
