/* test_report.c - names, places and repeats in messages; which array an access means; what the source encloses.
 * Works on fabricated modules and small files: no kernel runs here (tests/diagnostics does that). */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/explain.h"
#include "report/names.h"
#include "decode/provenance.h"
#include "report/report.h"
#include "base/arena.h"
#include "memory/memory.h"

/* ------------------------------------------------------------------------------------------- names */

static const struct {
    const char *mangled, *text;
} functions[] = {
    {"_Z5scalePfi", "scale(float*, int)"},
    {"_Z1kv", "k()"},
    {"_Z1rPfPKf", "r(float*, float const*)"},
    {"_ZN3lab5scaleEPfi", "lab::scale(float*, int)"},
    {"_Z1kIfEvPT_PKS0_i", "k<float>(float*, float const*, int)"},
    {"_Z6reduceIfLi256ELb1EEvPT_PKS0_j", "reduce<float, 256, true>(float*, float const*, unsigned int)"},
    {"_ZN2ns1kIfEEvPT_PKS1_", "ns::k<float>(float*, float const*)"},
    {"_Z1kPA4_fRK6float4", "k(float [4]*, float4 const&)"},
    {"_Z5applyIN2op3AddIiEEEvT_Pi", "apply<op::Add<int>>(op::Add<int>, int*)"},
    {"_Z1kPFiiE", "k(int (int)*)"},
    {"_Z5otherIfLb0EEvPT_iSt17integral_constantIbXT0_EES2_IiLi4EE",
     "other<float, false>(float*, int, std::integral_constant<bool, false>, std::integral_constant<int, 4>)"},
    {"_Z2fpIXadL_Z4pastPfEEEvS0_", "fp<&past>(float*)"},
    {"_Z4growILi3EdEvPT0_3boxIXplT_Li1EEES2_IXstS0_EES2_IXntgtT_Li2EEE",
     "grow<3, double>(double*, box<(3 + 1)>, box<sizeof(double)>, box<!(3 > 2)>)"},
    {"_Z4onlyIiENSt9enable_ifIXsrSt11is_integralIT_E5valueEvE4typeEPS2_i", "only<int>(int*, int)"},
    {"_Z4ternIiLi5EEvPT_3boxIXqugtT0_Li4ET0_Li4EEES2_IXcviT0_EES2_IXngT0_EE",
     "tern<int, 5>(int*, box<((5 > 4) ? 5 : 4)>, box<(int)5>, box<-5>)"},
    {"_Z5countIJifEEv3boxIXsZT_EE", "count<int, float>(box<sizeof...(int, float)>)"},
    {"plain_c", "plain_c"},
    {"_Z", "_Z"},
    {"_Z99short", "_Z99short"},
};

START_TEST(function_names_are_demangled)
{
    char text[256];
    name_demangle(functions[_i].mangled, text, sizeof text);
    ck_assert_str_eq(text, functions[_i].text);
}
END_TEST

static const struct {
    const char *mangled, *text;
} variables[] = {
    {"_ZZ1kPfPKfifE4tile", "tile"},
    {"_ZZ1kIfEvPT_PKS0_iE4tile", "tile"},
    {"_ZL5table", "table"},
    {"_ZN2ns4tileE", "tile"},
    {"dyn", "dyn"},
    {"_ZZN3lab5scaleEPfiE3buf_0", "buf"},
};

START_TEST(variable_names_lose_their_scope)
{
    char text[80];
    name_short(variables[_i].mangled, text, sizeof text);
    ck_assert_str_eq(text, variables[_i].text);
}
END_TEST

START_TEST(any_cut_of_a_mangled_name_is_survived)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (size_t size = strlen(functions[i].mangled); size > 0; size--) {
            char cut[128], text[64];
            snprintf(cut, sizeof cut, "%.*s", (int)size, functions[i].mangled);
            name_demangle(cut, text, sizeof text);
            ck_assert_uint_gt(strlen(text), 0);
        }
}
END_TEST

START_TEST(a_name_that_nests_without_end_is_left_alone)
{
    enum { SIZE = 1 << 20 };
    static const char *const starts[] = {"_ZZ", "_Z1kIJ", "_Z1kP", "_Z1kF", "_Z1kN1aI"};
    char *name = malloc(SIZE), text[64];
    for (size_t i = 0; name && i < sizeof starts / sizeof *starts; i++) {
        size_t size = strlen(starts[i]);
        memset(name, starts[i][size - 1], SIZE - 1);
        name[SIZE - 1] = '\0';
        memcpy(name, starts[i], size);
        name_demangle(name, text, sizeof text);
        ck_assert_int_eq(strncmp(text, starts[i], size), 0);
    }
    free(name);
}
END_TEST

/* ------------------------------------------------------------------------------------------- the source */

static const char source[] = "#define TILE 32\n"
                             "// __global__ void scale(float *wrong)\n"
                             "template <typename T>\n"
                             "__global__ void scale(T *__restrict__ out,\n"
                             "                      const T *in, /* a, b */ int n = 4)\n"
                             "{\n"
                             "    __shared__ float tile[TILE][TILE + 1];\n"
                             "    if (n >= 4) return;\n"
                             "    tile[0][0] = 1;\n"
                             "    if (n < 16) {\n"
                             "        __syncthreads();\n"
                             "    }\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        __syncthreads();\n"
                             "    __syncthreads();\n"
                             "    if (n) { out[0] = 0; __syncthreads(); }\n"
                             "}\n";

static char path[] = "/tmp/vgpu-report-XXXXXX";

static void write_source(void)
{
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, source, sizeof source - 1), (ssize_t)sizeof source - 1);
    close(file);
}

static void remove_source(void)
{
    unlink(path);
}

START_TEST(parameters_are_named_as_declared)
{
    char name[64];
    ck_assert(source_parameter(path, "scale", 0, name, sizeof name));
    ck_assert_str_eq(name, "out");
    ck_assert(source_parameter(path, "scale", 1, name, sizeof name));
    ck_assert_str_eq(name, "in");
    ck_assert(source_parameter(path, "scale", 2, name, sizeof name));
    ck_assert_str_eq(name, "n");
    ck_assert(!source_parameter(path, "scale", 3, name, sizeof name));
    ck_assert(!source_parameter(path, "other", 0, name, sizeof name));
    ck_assert(!source_parameter("/nowhere/at/all.cu", "scale", 0, name, sizeof name));
}
END_TEST

START_TEST(dimensions_are_worked_out_from_definitions)
{
    uint64_t dims[4];
    ck_assert_uint_eq(source_shape(path, "tile", dims, 4), 2);
    ck_assert_uint_eq(dims[0], 32);
    ck_assert_uint_eq(dims[1], 33);
}
END_TEST

START_TEST(a_branch_encloses_its_body_and_an_early_return_does_not)
{
    ck_assert(source_encloses(path, 10, 11));
    ck_assert(source_encloses(path, 13, 14));
    ck_assert(source_encloses(path, 16, 16));
    ck_assert(!source_encloses(path, 8, 11));
    ck_assert(!source_encloses(path, 10, 15));
    ck_assert(!source_encloses(path, 13, 15));
}
END_TEST

/* ------------------------------------------------------------------------------------------- hostile names and texts */

static void make_file(char *name, const char *text, size_t size)
{
    int file = mkstemp(name);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, size), (ssize_t)size);
    close(file);
}

START_TEST(a_chain_of_else_ifs_may_be_as_long_as_the_file)
{
    enum { LINKS = 260000 };
    static const char first[] = "if (n == 0) a();\n", link[] = "else if (n == 1) b();\n", last[] = "c();\n";
    char name[] = "/tmp/vgpu-chain-XXXXXX", *text = malloc(LINKS * sizeof link + 100), *at = text;
    ck_assert_ptr_nonnull(text);
    at = stpcpy(at, first);
    for (int i = 0; i < LINKS; i++)
        at = stpcpy(at, link);
    at = stpcpy(at, last);
    make_file(name, text, (size_t)(at - text));
    ck_assert(source_encloses(name, 1, LINKS + 1));
    ck_assert(!source_encloses(name, 1, LINKS + 2));
    unlink(name);
    free(text);
}
END_TEST

/* A name of a line table may be a pipe that nobody fills, or a device without end. */
START_TEST(what_is_no_plain_file_is_no_source)
{
    char name[64], folder[] = "/tmp/vgpu-pipe-XXXXXX", pipe_name[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(pipe_name, sizeof pipe_name, "%s/pipe", folder);
    ck_assert_int_eq(mkfifo(pipe_name, 0600), 0);
    alarm(60);
    ck_assert(!source_parameter(pipe_name, "scale", 0, name, sizeof name));
    ck_assert(!source_parameter("/dev/zero", "scale", 0, name, sizeof name));
    ck_assert(!source_parameter(folder, "scale", 0, name, sizeof name));
    alarm(0);
    unlink(pipe_name);
    rmdir(folder);
}
END_TEST

/* The last test of its case: there is no way back. */
START_TEST(once_there_is_an_only_file_no_other_one_is_read)
{
    char name[64], other[] = "/tmp/vgpu-other-XXXXXX", link[] = "/tmp/vgpu-link-XXXXXX";
    make_file(other, source, sizeof source - 1);
    make_file(link, "", 0);
    ck_assert_int_eq(unlink(link), 0);
    ck_assert_int_eq(symlink(other, link), 0);
    vgpu_set_source(path, "lab.cu");
    ck_assert(source_parameter("lab.cu", "scale", 0, name, sizeof name));
    ck_assert_str_eq(name, "out");
    ck_assert(source_parameter("/any/where/lab.cu", "scale", 0, name, sizeof name));
    ck_assert(!source_parameter("other_lab.cu", "scale", 0, name, sizeof name));
    ck_assert(!source_parameter(other, "scale", 0, name, sizeof name));
    vgpu_set_source(link, "lab.cu");
    ck_assert(!source_parameter("lab.cu", "scale", 0, name, sizeof name));
    unlink(link);
    unlink(other);
}
END_TEST

/* Bad accesses near a variable that is gone are explained too. */
START_TEST(a_variable_of_unloaded_code_keeps_no_name_of_the_code)
{
    static const char text[] =
        ".version 8.0\n.target sm_75\n.address_size 64\n.global .align 4 .b8 table[400];\n";
    char message[200];
    struct ptx_error error;
    struct memory *memory = memory_new(false);
    struct ptx_module *ptx = ptx_parse(text, sizeof text - 1, &error);
    struct module *module = module_load(ptx, memory, message, sizeof message);
    ck_assert_ptr_nonnull(module);
    const uint64_t address = module->symbols[0].address;
    ck_assert_str_eq(memory_nearest(memory, address)->name, "table");
    module_free(module, memory);
    ptx_free(ptx);
    ck_assert_str_eq(memory_nearest(memory, address)->name, "a variable of unloaded code");
    memory_free_all(memory);
}
END_TEST

/* ------------------------------------------------------------------------------------------- the list */

START_TEST(repeats_of_a_place_are_counted_and_merged)
{
    struct findings *first = findings_new(), *second = findings_new();
    struct finding finding = {.kind = VGPU_PRINTS_TOO_MUCH, .loc = 3};
    uint64_t times;
    findings_add(first, &finding);
    findings_add(first, &finding);
    ck_assert_uint_eq(findings_count(first), 1);
    finding.loc = 4;
    findings_add(second, &finding);
    ck_assert(findings_repeat(second, &finding));
    findings_merge(first, second);
    ck_assert_uint_eq(findings_count(first), 2);
    ck_assert_uint_eq(findings_count(second), 0);
    ck_assert_uint_eq(findings_at(first, 1, &times)->loc, 4);
    ck_assert_uint_eq(times, 2);
    findings_free(first);
    findings_free(second);
}
END_TEST

START_TEST(the_list_stays_short_whatever_is_added)
{
    struct findings *list = findings_new();
    for (uint32_t i = 0; i < 10000; i++) {
        struct finding finding = {.kind = VGPU_TRAP, .loc = i};
        findings_add(list, &finding);
    }
    ck_assert_uint_le(findings_count(list), 1000);
    ck_assert_uint_eq(findings_count(list) + findings_dropped(list), 10000);
    findings_free(list);
}
END_TEST

/* ------------------------------------------------------------------------------------------- words */

START_TEST(every_kind_has_a_title_without_braces_left_and_a_name)
{
    for (int space = PTX_GENERIC; space < PTX_SPACES; space++)
        for (int is_write = 0; is_write < 2; is_write++) {
            struct finding finding = {
                .kind = (enum vgpu_finding)_i, .space = (enum ptx_space)space, .is_write = is_write};
            char title[120];
            report_title(&finding, title, sizeof title);
            ck_assert_uint_gt(strlen(title), 3);
            ck_assert_uint_lt(strlen(title), sizeof title - 1);
            ck_assert_ptr_null(strpbrk(title, "{}|"));
        }
    ck_assert_uint_gt(strlen(vgpu_finding_name((enum vgpu_finding)_i)), 3);
    ck_assert_ptr_nonnull(vgpu_severity_name(vgpu_finding_severity((enum vgpu_finding)_i)));
}
END_TEST

START_TEST(titles_say_what_was_done_and_where)
{
    static const struct {
        struct finding finding;
        const char *title;
    } rows[] = {
        {{.kind = VGPU_OUT_OF_BOUNDS, .space = PTX_SHARED}, "out of bounds read in shared memory"},
        {{.kind = VGPU_OUT_OF_BOUNDS, .space = PTX_GLOBAL, .is_write = true},
         "out of bounds write in global memory"},
        {{.kind = VGPU_MISALIGNED, .space = PTX_PARAM}, "misaligned read of a parameter"},
        {{.kind = VGPU_USE_AFTER_FREE, .is_write = true}, "write to freed memory (use after free)"},
        {{.kind = VGPU_UNINITIALISED, .space = PTX_LOCAL}, "read of uninitialised local memory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char title[120];
        report_title(&rows[i].finding, title, sizeof title);
        ck_assert_str_eq(title, rows[i].title);
    }
    ck_assert_str_eq(vgpu_finding_name(VGPU_OUT_OF_BOUNDS), "out-of-bounds");
}
END_TEST

/* ------------------------------------------------------------------------------------------- provenance */

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".extern .shared .align 16 .b8 dyn[];\n"
    ".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n{\n"
    ".reg .pred %p<3>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"
    ".shared .align 4 .b8 first[128];\n.shared .align 4 .b8 second[256];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, first;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r4, %r2, %r3;\n"
    "ld.shared.f32 %f1, [%r4+4];\n"                                                       /* 4: first */
    "mov.u32 %r5, second;\nmad.lo.s32 %r6, %r1, 12, %r5;\nst.shared.f32 [%r6], %f1;\n"    /* 7: second */
    "setp.eq.s32 %p1, %r1, 0;\nselp.b32 %r7, %r4, %r6, %p1;\nld.shared.f32 %f2, [%r7];\n" /* 10: either */
    "mov.u32 %r8, dyn;\nadd.s32 %r9, %r8, %r3;\nst.shared.f32 [%r9], %f2;\n"              /* 13: dyn */
    "ld.param.u64 %rd1, [k_param_0];\ncvta.to.global.u64 %rd2, %rd1;\nmul.wide.s32 %rd3, %r1, 4;\n"
    "add.s64 %rd4, %rd2, %rd3;\nst.global.f32 [%rd4], %f2;\n" /* 18: parameter 0 */
    "ld.shared.f32 %f3, [second+8];\n"                        /* 19: second */
    "ret;\n}\n";

static struct ptx_module *parsed;
static struct module module;
static struct function function;
static uint32_t offsets[8];

static void parse(void)
{
    struct ptx_error error;
    parsed = ptx_parse(ptx, sizeof ptx - 1, &error);
    ck_assert_msg(parsed != NULL, "%s", parsed ? "" : error.text);
    memset(&module, 0, sizeof module);
    memset(&function, 0, sizeof function);
    module.ptx = parsed;
    module.arena = arena_new();
    function.module = &module;
    function.ptx = ptx_find_func(parsed, "k");
    uint32_t next = 0;
    for (size_t i = 0; i < function.ptx->nvars; i++) {
        offsets[i] = next;
        next += (uint32_t)function.ptx->vars[i]->size;
    }
    function.local_offsets = offsets;
}

static void drop(void)
{
    arena_free(module.arena);
    ptx_free(parsed);
}

static const struct {
    uint32_t insn, first, end;
} bounds[] = {{4, 0, 128}, {7, 128, 384}, {19, 128, 384}};

START_TEST(an_access_is_bounded_by_the_array_its_address_came_from)
{
    uint32_t first, end;
    ck_assert(provenance_bounds(&function, &function.ptx->insns[bounds[_i].insn], &first, &end));
    ck_assert_uint_eq(first, bounds[_i].first);
    ck_assert_uint_eq(end, bounds[_i].end);
}
END_TEST

START_TEST(an_access_that_may_mean_two_arrays_has_no_bounds)
{
    uint32_t first, end;
    ck_assert(!provenance_bounds(&function, &function.ptx->insns[10], &first, &end));
}
END_TEST

START_TEST(a_pointer_is_traced_to_its_parameter)
{
    provenance_analyse(&function);
    ck_assert_int_eq(provenance_parameter(&function, &function.ptx->insns[18]), 0);
    ck_assert_int_eq(provenance_parameter(&function, &function.ptx->insns[4]), -1);
    ck_assert_str_eq(provenance_variable(&function, &function.ptx->insns[13])->name, "dyn");
}
END_TEST

/* What a function writes to stderr, in a buffer of our own. */
static void print_twice_into(char *text, size_t size)
{
    struct launch launch = {.kernel = &function, .kernel_name = "k", .grid = {1, 1, 1}, .dim = {32, 1, 1}};
    struct finding finding = {.kind = VGPU_RACE_WRITE_WRITE};
    FILE *file = tmpfile();
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    for (int launches = 0; launches < 2; launches++) {
        struct findings *list = findings_new();
        findings_add(list, &finding);
        report_launch(list, &launch);
        findings_free(list);
    }
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

START_TEST(a_place_that_two_launches_find_is_printed_once)
{
    char text[2048];
    print_twice_into(text, sizeof text);
    const char *first = strstr(text, "two threads write different values");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "two threads write different values"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report");
    TCase *names = tcase_create("names"), *text = tcase_create("source"), *flow = tcase_create("provenance");
    tcase_add_loop_test(names, function_names_are_demangled, 0, sizeof functions / sizeof *functions);
    tcase_add_loop_test(names, variable_names_lose_their_scope, 0, sizeof variables / sizeof *variables);
    tcase_add_test(names, any_cut_of_a_mangled_name_is_survived);
    tcase_add_test(names, a_name_that_nests_without_end_is_left_alone);
    tcase_add_test(names, repeats_of_a_place_are_counted_and_merged);
    tcase_add_test(names, the_list_stays_short_whatever_is_added);
    tcase_add_loop_test(names, every_kind_has_a_title_without_braces_left_and_a_name, VGPU_NOTHING + 1,
                        VGPU_FINDINGS);
    tcase_add_test(names, titles_say_what_was_done_and_where);
    tcase_add_unchecked_fixture(text, write_source, remove_source);
    tcase_add_test(text, parameters_are_named_as_declared);
    tcase_add_test(text, dimensions_are_worked_out_from_definitions);
    tcase_add_test(text, a_branch_encloses_its_body_and_an_early_return_does_not);
    tcase_add_test(text, a_chain_of_else_ifs_may_be_as_long_as_the_file);
    tcase_add_test(text, what_is_no_plain_file_is_no_source);
    tcase_add_test(text, once_there_is_an_only_file_no_other_one_is_read);
    tcase_add_test(flow, a_variable_of_unloaded_code_keeps_no_name_of_the_code);
    tcase_add_checked_fixture(flow, parse, drop);
    tcase_add_loop_test(flow, an_access_is_bounded_by_the_array_its_address_came_from, 0, 3);
    tcase_add_test(flow, an_access_that_may_mean_two_arrays_has_no_bounds);
    tcase_add_test(flow, a_pointer_is_traced_to_its_parameter);
    tcase_add_test(flow, a_place_that_two_launches_find_is_printed_once);
    suite_add_tcase(suite, names);
    suite_add_tcase(suite, text);
    suite_add_tcase(suite, flow);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
