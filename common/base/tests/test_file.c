/* test_file.c - whole files: every byte of plain ones, and a reason where there is none to give. */
#define _GNU_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

static char folder[] = "/tmp/base.file.XXXXXX", path[64];

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

START_TEST(all_bytes_come_and_a_nul_behind_them)
{
    size_t size = 99;
    write_file("a\0b\n", 4);
    char *bytes = file_read(path, 4, true, &size);
    ck_assert_uint_eq(size, 4);
    ck_assert_mem_eq(bytes, "a\0b\n\0", 5);
    free(bytes);
    write_file("", 0);
    bytes = file_read(path, 0, true, &size);
    ck_assert_uint_eq(size, 0);
    ck_assert_str_eq(bytes, "");
    free(bytes);
}
END_TEST

START_TEST(a_large_file_is_read_whole)
{
    enum { LARGE = 3 << 20 };
    size_t size;
    char *written = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        written[i] = (char)(i * 2654435761u >> 24);
    write_file(written, LARGE);
    char *bytes = file_read(path, LARGE, false, &size);
    ck_assert_uint_eq(size, LARGE);
    ck_assert_mem_eq(bytes, written, LARGE);
    free(bytes);
    free(written);
}
END_TEST

static void refuses(const char *name, size_t limit, bool follows_links, int reason)
{
    size_t size;
    errno = 0;
    ck_assert_ptr_null(file_read(name, limit, follows_links, &size));
    ck_assert_int_eq(errno, reason);
}

START_TEST(what_cannot_be_read_gives_its_reason)
{
    char other[80];
    write_file("12345", 5);
    refuses(path, 4, true, EFBIG);
    refuses(folder, 4, true, EISDIR);
    refuses("/dev/zero", 4, true, EINVAL);
    refuses("/tmp/there is no such file", 4, true, ENOENT);
    snprintf(other, sizeof other, "%s/link", folder);
    ck_assert_int_eq(symlink(path, other), 0);
    refuses(other, 5, false, ELOOP);
    size_t size;
    char *bytes = file_read(other, 5, true, &size);
    ck_assert_str_eq(bytes, "12345");
    free(bytes);
    unlink(other);
    snprintf(other, sizeof other, "%s/pipe", folder);
    ck_assert_int_eq(mkfifo(other, 0600), 0);
    refuses(other, 5, true, EINVAL); /* and does not wait for a writer */
    unlink(other);
}
END_TEST

int main(void)
{
    if (!mkdtemp(folder))
        return EXIT_FAILURE;
    snprintf(path, sizeof path, "%s/file", folder);
    TCase *tests = tcase_create("file");
    tcase_add_test(tests, all_bytes_come_and_a_nul_behind_them);
    tcase_add_test(tests, a_large_file_is_read_whole);
    tcase_add_test(tests, what_cannot_be_read_gives_its_reason);
    int status = run_tests("file", tests);
    unlink(path);
    rmdir(folder);
    return status;
}
