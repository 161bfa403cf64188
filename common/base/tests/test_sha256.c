/* test_sha256.c - digests of bytes of many lengths. Expected ones are those of sha256sum(1) and of the standard. */
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "base/tests/run.h"

static void digest_of(const void *bytes, size_t size, size_t step, char text[2 * SHA256_BYTES + 1])
{
    struct sha256 sha;
    uint8_t digest[SHA256_BYTES];
    sha256_begin(&sha);
    for (size_t at = 0; at < size; at += step)
        sha256_add(&sha, (const char *)bytes + at, size - at < step ? size - at : step);
    sha256_end(&sha, digest);
    for (int i = 0; i < SHA256_BYTES; i++)
        sprintf(text + 2 * i, "%02x", digest[i]);
}

/* Byte i is 7 i + 1. Lengths lie about those at which the padding needs one more block. */
static const struct {
    size_t size;
    const char *digest;
} rows[] = {
    {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {3, "ce562c676ea7aba9812f54db146b0096011bf3e423edfb0a6f8fb2b02674a801"},
    {55, "16fa57a0a3423a715d594516339f36189d6b5f93754a9714fef202616a9fabfe"},
    {56, "c37b44e5f1b18554b36966f4f8e08bfbf3164c4b6c10374d12d89850892073c5"},
    {63, "bbba992d2c85af960fb2987a1fd05e0aa82a3db3c740dd8982a9e273b75e36a3"},
    {64, "66bd4633ed6f71c4ecfa4763bf7ba1c8ec7612de9aa6c0578a7b675207c71e0b"},
    {65, "9f7dc47107b750a1f3d35db5d9547f24ef40da5b731b9540d4f43710a154f6c9"},
    {119, "a3ed307b730fa77c07531300c6e4a282330011d4d4caf6bb7b63ae05950f4b66"},
    {120, "8e3b15d9fea7472655aa069620b7f8c2e55ee1499f763200a7515fe826e99d20"},
    {1000, "095ecb62e30793ab4b954cd6a0586d0cc91f7ea5b1332694d8da780e98676d78"},
};

START_TEST(bytes_have_their_digest)
{
    uint8_t bytes[1000];
    char text[2 * SHA256_BYTES + 1];
    static const size_t steps[] = {1, 7, 64, 1000};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(7 * i + 1);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        digest_of(bytes, rows[_i].size, steps[i], text);
        ck_assert_str_eq(text, rows[_i].digest);
    }
}
END_TEST

START_TEST(the_standards_example_has_its_digest)
{
    char text[2 * SHA256_BYTES + 1];
    digest_of("abc", 3, 3, text);
    ck_assert_str_eq(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
END_TEST

/* printf '\1\0\0\0\0\0\0\0abc' | sha256sum */
START_TEST(a_seed_is_the_digests_begin)
{
    ck_assert_uint_eq(sha256_seed(1, "abc", 3), 0x22a5c7045bc36a32u);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("sha256");
    tcase_add_loop_test(tests, bytes_have_their_digest, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tests, the_standards_example_has_its_digest);
    tcase_add_test(tests, a_seed_is_the_digests_begin);
    return run_tests("sha256", tests);
}
