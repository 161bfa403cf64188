/* test_fatbin.c - the fatbin and cubin readers, on containers built here byte by byte.
 * Each container stands in a heap block of exactly its size, so that the sanitizer sees a read past the end.
 * That nvcc's own files are read is shown by every CUDA program in the test suite. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "ptx/cubin.h"
#include "ptx/fatbin.h"

struct buffer {
    uint8_t bytes[8192];
    size_t size;
};

static char message[200];

static void put(struct buffer *buffer, uint64_t value, size_t size)
{
    memcpy(buffer->bytes + buffer->size, &value, size);
    buffer->size += size;
}

static void put_at(struct buffer *buffer, size_t offset, uint64_t value, size_t size)
{
    memcpy(buffer->bytes + offset, &value, size);
}

static void start_container(struct buffer *buffer)
{
    memset(buffer, 0, sizeof *buffer);
    put(buffer, 0xBA55ED50, 4);
    put(buffer, 1, 2);
    put(buffer, 16, 2);
    put(buffer, 0, 8);
}

static void add_entry(struct buffer *buffer, unsigned kind, unsigned arch, uint64_t flags, const void *data,
                      size_t size)
{
    size_t start = buffer->size, padded = (size + 7) / 8 * 8;
    buffer->size += 80;
    put_at(buffer, start, kind, 2);
    put_at(buffer, start + 4, 80, 4);
    put_at(buffer, start + 8, padded, 8);
    put_at(buffer, start + 16, flags & 0xa000 ? size : 0, 4);
    put_at(buffer, start + 28, arch, 4);
    put_at(buffer, start + 40, flags, 8);
    memcpy(buffer->bytes + buffer->size, data, size);
    buffer->size += padded;
    put_at(buffer, 8, buffer->size - 16, 8);
}

static uint8_t *exact_copy(const struct buffer *buffer, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, buffer->bytes, size);
    return copy;
}

static void build_sample(struct buffer *buffer)
{
    start_container(buffer);
    add_entry(buffer, 1, 75, 0x11, ".version 9.0\n", 13);
    add_entry(buffer, 2, 90, 0x11, "cubin", 5);
    add_entry(buffer, 64, 75, 0x11, "unknown kind", 12);
    add_entry(buffer, 1, 90, 0x2011, "lz4 bytes", 9);
    add_entry(buffer, 1, 80, 0x8011, "zstd bytes", 10);
}

START_TEST(entries_are_found_with_kind_and_arch)
{
    struct buffer buffer;
    struct fatbin fatbin;
    build_sample(&buffer);
    for (int knows_size = 0; knows_size < 2; knows_size++) {
        ck_assert_msg(
            fatbin_read(&fatbin, buffer.bytes, knows_size ? buffer.size : 0, message, sizeof message), "%s",
            message);
        ck_assert_uint_eq(fatbin.count, 4);
        ck_assert_int_eq(fatbin.entries[0].kind, FATBIN_PTX);
        ck_assert_uint_eq(fatbin.entries[0].arch, 75);
        ck_assert_mem_eq(fatbin.entries[0].data, ".version", 8);
        ck_assert_int_eq(fatbin.entries[1].kind, FATBIN_CUBIN);
        ck_assert(!fatbin.entries[0].is_compressed && !fatbin.entries[1].is_compressed);
        ck_assert(fatbin.entries[2].is_compressed && fatbin.entries[2].size == 9);
        ck_assert(fatbin.entries[3].is_compressed && fatbin.entries[3].size == 10);
        fatbin_free(&fatbin);
    }
}
END_TEST

START_TEST(the_best_entry_is_the_highest_not_above_the_device)
{
    struct buffer buffer;
    struct fatbin fatbin;
    build_sample(&buffer);
    ck_assert(fatbin_read(&fatbin, buffer.bytes, buffer.size, message, sizeof message));
    ck_assert_uint_eq(fatbin_best_ptx(&fatbin, 90)->arch, 90);
    ck_assert_uint_eq(fatbin_best_ptx(&fatbin, 89)->arch, 80);
    ck_assert_uint_eq(fatbin_best_ptx(&fatbin, 60)->arch, 75);
    ck_assert_uint_eq(fatbin_best_cubin(&fatbin, 75)->arch, 90);
    fatbin_free(&fatbin);
    start_container(&buffer);
    ck_assert(fatbin_read(&fatbin, buffer.bytes, buffer.size, message, sizeof message));
    ck_assert_ptr_null(fatbin_best_ptx(&fatbin, 90));
    fatbin_free(&fatbin);
}
END_TEST

START_TEST(what_is_for_one_device_alone_is_best_there_and_nowhere_else)
{
    struct buffer buffer;
    struct fatbin fatbin;
    enum { FLAGS = 0x11, FLAGS_OF_90A = 0x100011 }; /* as nvcc -arch=sm_90a sets them */
    start_container(&buffer);
    add_entry(&buffer, FATBIN_PTX, 90, FLAGS, "general", 8);
    add_entry(&buffer, FATBIN_PTX, 90, FLAGS_OF_90A, "special", 8);
    ck_assert(fatbin_read(&fatbin, buffer.bytes, buffer.size, message, sizeof message));
    ck_assert_str_eq((const char *)fatbin_best_ptx(&fatbin, 90)->data, "special");
    ck_assert_str_eq((const char *)fatbin_best_ptx(&fatbin, 100)->data, "general");
    fatbin_free(&fatbin);
}
END_TEST

START_TEST(what_is_no_fatbin_is_named)
{
    struct fatbin fatbin;
    static const uint8_t zeros[64];
    ck_assert(!fatbin_read(&fatbin, zeros, sizeof zeros, message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "no fatbin"));
    fatbin_free(&fatbin);
    ck_assert(!fatbin_read(&fatbin, NULL, 0, message, sizeof message));
    fatbin_free(&fatbin);
}
END_TEST

START_TEST(a_fatbin_cut_at_any_byte_is_refused)
{
    struct buffer buffer;
    struct fatbin fatbin;
    build_sample(&buffer);
    for (size_t cut = 1; cut < buffer.size; cut++) {
        uint8_t *copy = exact_copy(&buffer, cut);
        message[0] = 0;
        ck_assert(!fatbin_read(&fatbin, copy, cut, message, sizeof message));
        ck_assert(message[0]);
        fatbin_free(&fatbin);
        free(copy);
    }
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void read_all_entries(const struct fatbin *fatbin)
{
    struct cubin_kernel kernel;
    for (size_t i = 0; i < fatbin->count; i++)
        cubin_find(fatbin->entries[i].data, fatbin->entries[i].size, "k", &kernel);
}

START_TEST(flipped_bytes_in_a_fatbin_do_no_harm)
{
    struct buffer buffer;
    struct fatbin fatbin;
    uint32_t state = 7;
    for (int round = 0; round < 20000; round++) {
        build_sample(&buffer);
        for (uint32_t i = 0; i < 1 + (uint32_t)round % 4; i++)
            buffer.bytes[next_random(&state) % buffer.size] = (uint8_t)next_random(&state);
        uint8_t *copy = exact_copy(&buffer, buffer.size);
        fatbin_read(&fatbin, copy, buffer.size, message, sizeof message);
        read_all_entries(&fatbin);
        fatbin_free(&fatbin);
        free(copy);
    }
}
END_TEST

struct section {
    const char *name;
    uint32_t type, info;
    uint64_t size;
    const void *data;
};

/* An ELF64 file with these sections; the name table is the first of them. */
static void build_cubin(struct buffer *buffer, struct section *sections, size_t count)
{
    memset(buffer, 0, sizeof *buffer);
    memcpy(buffer->bytes,
           "\x7f"
           "ELF\2\1",
           6);
    size_t names = buffer->size = 64;
    uint64_t offsets[16], name_offsets[16];
    put(buffer, 0, 1);
    for (size_t i = 0; i < count; i++) {
        name_offsets[i] = buffer->size - names;
        memcpy(buffer->bytes + buffer->size, sections[i].name, strlen(sections[i].name) + 1);
        buffer->size += strlen(sections[i].name) + 1;
    }
    sections[0].size = buffer->size - names;
    offsets[0] = names;
    for (size_t i = 1; i < count; i++) {
        offsets[i] = buffer->size;
        if (sections[i].data)
            memcpy(buffer->bytes + buffer->size, sections[i].data, sections[i].size);
        buffer->size += sections[i].data ? sections[i].size : 0;
    }
    put_at(buffer, 40, buffer->size, 8);
    put_at(buffer, 58, 64, 2);
    put_at(buffer, 60, count, 2);
    for (size_t i = 0; i < count; i++, buffer->size += 64) {
        put_at(buffer, buffer->size, name_offsets[i], 4);
        put_at(buffer, buffer->size + 4, sections[i].type, 4);
        put_at(buffer, buffer->size + 24, offsets[i], 8);
        put_at(buffer, buffer->size + 32, sections[i].size, 8);
        put_at(buffer, buffer->size + 44, sections[i].info, 4);
    }
}

enum { STRINGS = 3, PROGRAM = 1, INFO = 0x70000000, EMPTY = 8 };

static const uint32_t module_info[] = {
    0x00082f04, 9,   99,         0x00082f04, 5,   40,        0x00081104,
    5,          104, 0x00081204, 5,          112, 0x00011704}; /* the last record is cut */
static const uint32_t kernel_info[] = {0x00010203, 0x000c0504, 128, 2, 1};

/* A cubin as ptxas writes it for sm_75 (registers in sh_info too) or sm_90 (reserved shared memory). */
static void build_kernel(struct buffer *buffer, bool is_hopper)
{
    struct section sections[] = {
        {".shstrtab", STRINGS, 0, 0, NULL},
        {".text.k2", PROGRAM, 30u << 24 | 9, 4, "code"},
        {".text.k", PROGRAM, is_hopper ? 5 : 40u << 24 | 5, 4, "code"},
        {".nv.info", INFO, 0, sizeof module_info, module_info},
        {".nv.info.k", INFO, 0, sizeof kernel_info, kernel_info},
        {".nv.shared.k", EMPTY, 0, is_hopper ? 1024 + 272 : 272, NULL},
        {".nv.shared.reserved.0", EMPTY, 0, 0, NULL},
    };
    build_cubin(buffer, sections, is_hopper ? 7 : 6);
}

START_TEST(a_cubin_tells_registers_stack_and_block_limit)
{
    struct buffer buffer;
    struct cubin_kernel kernel;
    for (int is_hopper = 0; is_hopper < 2; is_hopper++) {
        build_kernel(&buffer, is_hopper);
        ck_assert(cubin_find(buffer.bytes, buffer.size, "k", &kernel));
        ck_assert_uint_eq(kernel.registers, 40);
        ck_assert_uint_eq(kernel.local_bytes, 112);
        ck_assert_uint_eq(kernel.max_threads, 256);
        ck_assert(!cubin_find(buffer.bytes, buffer.size, "other", &kernel));
    }
}
END_TEST

START_TEST(damaged_cubins_do_no_harm)
{
    struct buffer buffer;
    struct cubin_kernel kernel;
    uint32_t state = 99;
    build_kernel(&buffer, true);
    for (size_t cut = 0; cut < buffer.size; cut++) {
        uint8_t *copy = exact_copy(&buffer, cut);
        ck_assert(!cubin_find(copy, cut, "k", &kernel));
        free(copy);
    }
    for (int round = 0; round < 20000; round++) {
        build_kernel(&buffer, true);
        for (int i = 0; i < 1 + round % 3; i++)
            buffer.bytes[next_random(&state) % buffer.size] = (uint8_t)next_random(&state);
        uint8_t *copy = exact_copy(&buffer, buffer.size);
        cubin_find(copy, buffer.size, "k", &kernel);
        free(copy);
    }
}
END_TEST

START_TEST(ten_megabytes_of_garbage_are_refused)
{
    size_t size = 10 << 20;
    uint8_t *garbage = malloc(size);
    struct fatbin fatbin;
    struct cubin_kernel kernel;
    uint32_t state = 3;
    for (size_t i = 0; i < size; i++)
        garbage[i] = (uint8_t)next_random(&state);
    ck_assert(!fatbin_read(&fatbin, garbage, size, message, sizeof message));
    ck_assert(!cubin_find(garbage, size, "k", &kernel));
    fatbin_free(&fatbin);
    struct buffer buffer; /* a right beginning, then garbage */
    start_container(&buffer);
    put_at(&buffer, 8, size - 16, 8);
    memcpy(garbage, buffer.bytes, buffer.size);
    ck_assert(!fatbin_read(&fatbin, garbage, size, message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "entry 1"));
    fatbin_free(&fatbin);
    free(garbage);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("readers");
    tcase_add_test(tests, entries_are_found_with_kind_and_arch);
    tcase_add_test(tests, the_best_entry_is_the_highest_not_above_the_device);
    tcase_add_test(tests, what_is_for_one_device_alone_is_best_there_and_nowhere_else);
    tcase_add_test(tests, what_is_no_fatbin_is_named);
    tcase_add_test(tests, a_fatbin_cut_at_any_byte_is_refused);
    tcase_add_test(tests, flipped_bytes_in_a_fatbin_do_no_harm);
    tcase_add_test(tests, a_cubin_tells_registers_stack_and_block_limit);
    tcase_add_test(tests, damaged_cubins_do_no_harm);
    tcase_add_test(tests, ten_megabytes_of_garbage_are_refused);
    return run_tests("fatbin", tests);
}
