/* test_origin.c - whose work a kernel is: which headers count as a library's algorithm, and that a kernel's lines give it away
 * wherever they were inlined. The device code here is written by hand; real headers are used by attacks (lab4/library-*). */
#include <check.h>
#include <string.h>

#include "base/tests/run.h"
#include "grader/judge/judge.h"
#include "vgpu/vgpu.h"

static struct vgpu_code *code;

static void begin(void)
{
    code = NULL;
}

static void end(void)
{
    vgpu_code_free(code);
}

START_TEST(headers_of_whole_algorithms_are_known_by_their_place)
{
    static const struct {
        const char *path, *header;
    } rows[] = {
        {"/usr/local/cuda-13.0/include/cccl/cub/device/dispatch/kernels/reduce.cuh",
         "cub/device/dispatch/kernels/reduce.cuh"},
        {"/opt/cuda/targets/sbsa-linux/include/cub/agent/agent_scan.cuh", "cub/agent/agent_scan.cuh"},
        {"/usr/include/cub/./agent//agent_scan.cuh", "cub/agent/agent_scan.cuh"},
        {"/usr/include/cub/block/../agent/agent_scan.cuh", "cub/agent/agent_scan.cuh"},
        {"/proc/self/root/usr/include/cub/agent/agent_scan.cuh", "cub/agent/agent_scan.cuh"},
        {"/usr/include/thrust/system/cuda/detail/core/agent_launcher.h",
         "thrust/system/cuda/detail/core/agent_launcher.h"},
        {"/usr/include/cub/agent/../block/block_scan.cuh", NULL},
        {"/usr/include/cub/block/block_scan.cuh", NULL},
        {"/usr/include/cub/warp/warp_reduce.cuh", NULL},
        {"/usr/include/thrust/system/cuda/detail/get_value.h", NULL},
        {"/usr/include/thrust/functional.h", NULL},
        {"/usr/include/cooperative_groups/details/reduce.h", NULL},
        {"/box/lab4.cu", NULL},
        {"cub", NULL},
        {"../../..", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *header = judge_library_header(rows[i].path);
        ck_assert_msg(!header == !rows[i].header, "%s", rows[i].path);
        if (header)
            ck_assert_str_eq(header, rows[i].header);
    }
}
END_TEST

/* The text in a container of its own. */
static void read_code(const char *ptx)
{
    enum { HEADER = 16, ENTRY = 64, PTX = 1 };
    static char container[4096];
    const uint64_t size = (strlen(ptx) + 7) / 8 * 8;
    ck_assert_uint_lt(HEADER + ENTRY + size, sizeof container);
    memset(container, 0, sizeof container);
    memcpy(container, "\x50\xed\x55\xba\x01\0\x10\0", 8);
    memcpy(container + 8, &(uint64_t){ENTRY + size}, 8);
    memcpy(container + HEADER, &(uint16_t){PTX}, 2);
    memcpy(container + HEADER + 4, &(uint32_t){ENTRY}, 4);
    memcpy(container + HEADER + 8, &size, 8);
    memcpy(container + HEADER + 28, &(uint32_t){75}, 4);
    memset(container + HEADER + ENTRY, ' ', size);
    memcpy(container + HEADER + ENTRY, ptx, strlen(ptx));
    code = vgpu_code_read(container, HEADER + ENTRY + size);
}

static bool is_library(const char *path)
{
    return judge_library_header(path) != NULL;
}

#define HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"
#define FILES                                                                                                \
    ".file 1 \"/box/lab4.cu\"\n.file 2 \"/cuda/cub/agent/agent_scan.cuh\"\n.file 3 "                         \
    "\"/cuda/cub/block/block_scan.cuh\"\n"

START_TEST(a_kernel_is_a_librarys_by_the_lines_that_were_inlined_in_it_or_that_it_can_call)
{
    static const struct {
        const char *kernel;
        bool is_library;
    } rows[] = {{"plain", false}, {"block", false}, {"inlined", true}, {"calls", true}, {"nobody", false}};
    read_code(
        HEAD
        ".func inner()\n{\n.loc 2 7 1\nret;\n}\n"
        ".func outer()\n{\n.loc 1 8 1\ncall inner, ();\nret;\n}\n"
        ".visible .entry plain()\n{\n.loc 1 1 1\nret;\n}\n"
        ".visible .entry block()\n{\n.loc 1 2 1\n.loc 3 9 1, function_name f, inlined_at 1 2 1\nret;\n}\n"
        ".visible .entry inlined()\n{\n.reg .b32 %r<2>;\n.loc 1 3 1\nmov.b32 %r1, 0;\n"
        ".loc 2 9 1, function_name f, inlined_at 1 3 1\nmov.b32 %r1, 1;\n.loc 1 3 9\nret;\n}\n"
        ".visible .entry calls()\n{\n.loc 1 4 1\ncall outer, ();\nret;\n}\n" FILES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(!vgpu_code_file(code, rows[i].kernel, is_library) == !rows[i].is_library, "%s",
                      rows[i].kernel);
}
END_TEST

START_TEST(code_that_renames_a_file_of_the_line_table_is_no_code)
{
    read_code(HEAD ".visible .entry inlined()\n{\n.file 2 \"/box/lab4.cu\"\n.loc 2 3 1\nret;\n}\n" FILES);
    ck_assert_ptr_null(vgpu_code_file(code, "inlined", is_library));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("origin");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, headers_of_whole_algorithms_are_known_by_their_place);
    tcase_add_test(tests, a_kernel_is_a_librarys_by_the_lines_that_were_inlined_in_it_or_that_it_can_call);
    tcase_add_test(tests, code_that_renames_a_file_of_the_line_table_is_no_code);
    return run_tests("origin", tests);
}
