/* test_ptx.c - the PTX reader: what each construct becomes, and that no text whatever can break it.
 * The files under tests/ptx are nvcc's output for the .cu files beside them.
 * Opcodes are not judged here: the reader knows none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/tests/run.h"
#include "ptx/ptx.h"

#define HEAD         ".version 9.0\n.target sm_75\n.address_size 64\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 a, .param .align 8 .b8 s[24])\n{\n" body "\n}\n"

static struct ptx_error error;

/* Parses a copy that ends exactly where the text ends: the sanitizer sees any read beyond. */
static struct ptx_module *parse_bytes(const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    if (size)
        memcpy(copy, text, size);
    struct ptx_module *module = ptx_parse(copy, size, &error);
    free(copy);
    return module;
}

static struct ptx_module *parse(const char *text)
{
    struct ptx_module *module = parse_bytes(text, strlen(text));
    ck_assert_msg(module != NULL, "%u:%u: %s", error.line, error.column, error.text);
    return module;
}

static void refuse(const char *text, unsigned line, unsigned column, const char *words)
{
    struct ptx_module *module = parse_bytes(text, strlen(text));
    ck_assert_msg(!module, "this was accepted: %s", text);
    ck_assert_msg(strstr(error.text, words) != NULL, "'%s' does not say '%s'", error.text, words);
    ck_assert_uint_eq(error.line, line);
    if (column)
        ck_assert_uint_eq(error.column, column);
}

static char *read_whole(const char *name, size_t *size)
{
    char path[512];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*s/ptx/%s", slash ? (int)(slash - __FILE__) : 1, slash ? __FILE__ : ".",
             name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    char *text = malloc(1 << 20);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

static struct ptx_module *parse_file(const char *name)
{
    size_t size;
    char *text = read_whole(name, &size);
    struct ptx_module *module = parse_bytes(text, size);
    ck_assert_msg(module != NULL, "%s:%u:%u: %s", name, error.line, error.column, error.text);
    free(text);
    return module;
}

static const struct ptx_insn *insn(const struct ptx_module *module, size_t index)
{
    const struct ptx_func *function = ptx_find_func(module, "k");
    ck_assert_ptr_nonnull(function);
    ck_assert_uint_lt(index, function->ninsns);
    return &function->insns[index];
}

static const struct ptx_operand *operand(const struct ptx_module *module, size_t index, size_t which)
{
    ck_assert_uint_lt(which, insn(module, index)->noperands);
    return &insn(module, index)->operands[which];
}

static const char *reg_name(const struct ptx_module *module, const struct ptx_operand *operand)
{
    ck_assert_int_eq(operand->kind, PTX_OP_REG);
    return ptx_find_func(module, "k")->regs[operand->reg].name;
}

START_TEST(the_head_gives_version_and_target)
{
    struct ptx_module *module = parse(".version 8.10\n.target sm_90a, debug\n.address_size 64\n");
    ck_assert_int_eq(module->version_major, 8);
    ck_assert_int_eq(module->version_minor, 10);
    ck_assert_int_eq(module->target, 90);
    ptx_free(module);
}
END_TEST

START_TEST(padding_around_the_text_is_ignored)
{
    static const char text[] = "\0\0\n\n" HEAD "\0\0\0";
    struct ptx_module *module = parse_bytes(text, sizeof text - 1);
    ck_assert_ptr_nonnull(module);
    ptx_free(module);
}
END_TEST

START_TEST(registers_of_ranges_names_and_vectors_are_resolved)
{
    struct ptx_module *module =
        parse(KERNEL(".reg .b32 %r<10>, %r1<4>, x; .reg .v4 .f32 v;\n"
                     "mov.b32 %r9, %r13; mov.b32 x, %r0; mov.f32 v.x, v.w; ld.v4 v, [x];"));
    ck_assert_str_eq(reg_name(module, operand(module, 0, 0)), "%r9");
    ck_assert_str_eq(reg_name(module, operand(module, 0, 1)), "%r13");
    ck_assert_str_eq(reg_name(module, operand(module, 1, 0)), "x");
    ck_assert_str_eq(reg_name(module, operand(module, 2, 0)), "v.x");
    ck_assert_str_eq(reg_name(module, operand(module, 2, 1)), "v.w");
    ck_assert_int_eq(operand(module, 3, 0)->kind, PTX_OP_LIST);
    ck_assert_uint_eq(operand(module, 3, 0)->count, 4);
    ck_assert_uint_eq(ptx_find_func(module, "k")->nregs, 19);
    ptx_free(module);
}
END_TEST

START_TEST(a_name_with_percent_that_is_no_register_is_special)
{
    struct ptx_module *module = parse(KERNEL(".reg .b32 %r<2>; mov.u32 %r0, %tid.x; mov.u32 %r1, WARP_SZ;"));
    ck_assert_int_eq(operand(module, 0, 1)->kind, PTX_OP_SREG);
    ck_assert_str_eq(operand(module, 0, 1)->name, "%tid.x");
    ck_assert_int_eq(operand(module, 1, 1)->kind, PTX_OP_SREG);
    ck_assert_str_eq(operand(module, 1, 1)->name, "WARP_SZ");
    ptx_free(module);
}
END_TEST

START_TEST(selectors_stay_with_their_register)
{
    struct ptx_module *module = parse(KERNEL(".reg .b32 %r<3>; vadd.u32.u32.u32 %r0, %r1.b0, %r2.h1;"));
    ck_assert_str_eq(operand(module, 0, 1)->selector, ".b0");
    ck_assert_str_eq(operand(module, 0, 2)->selector, ".h1");
    ptx_free(module);
}
END_TEST

static const struct {
    const char *text;
    enum ptx_operand_kind kind;
    uint64_t bits;
} literals[] = {
    {"12", PTX_OP_INT, 12},
    {"-12", PTX_OP_INT, (uint64_t)-12},
    {"0x1Fu", PTX_OP_INT, 31},
    {"017", PTX_OP_INT, 15},
    {"0b101U", PTX_OP_INT, 5},
    {"'a'", PTX_OP_INT, 97},
    {"'\\n'", PTX_OP_INT, 10},
    {"18446744073709551615", PTX_OP_INT, UINT64_MAX},
    {"-9223372036854775808", PTX_OP_INT, UINT64_C(1) << 63},
    {"0f3F800000", PTX_OP_F32, 0x3F800000},
    {"-0f3F800000", PTX_OP_F32, 0xBF800000},
    {"0F7fC00001", PTX_OP_F32, 0x7FC00001},
    {"0d3FF0000000000000", PTX_OP_F64, UINT64_C(0x3FF0000000000000)},
    {"1.0", PTX_OP_F64, UINT64_C(0x3FF0000000000000)},
    {"5e-1", PTX_OP_F64, UINT64_C(0x3FE0000000000000)},
    {".5", PTX_OP_F64, UINT64_C(0x3FE0000000000000)},
    {"1.5 + 0.5", PTX_OP_F64, UINT64_C(0x4000000000000000)},
    {"(1+2)*3 - 4/2", PTX_OP_INT, 7},
    {"-7/2", PTX_OP_INT, (uint64_t)-3},
    {"-7 % 3", PTX_OP_INT, 0}, /* unsigned, says ptxas */
    {"1 << 4 | 3 ^ 1 & ~0", PTX_OP_INT, 18},
    {"-1 >> 1", PTX_OP_INT, UINT64_MAX},
    {"0xffffffffffffffffU >> 63", PTX_OP_INT, 1},
    {"-1 < 1", PTX_OP_INT, 1},
    {"-1 < 1U", PTX_OP_INT, 0},
    {"(.u64)-1 > 1", PTX_OP_INT, 1},
    {"3 > 2 && !0 || 0", PTX_OP_INT, 1},
    {"1 == 2 ? 5 : 6", PTX_OP_INT, 6},
    {"WARP_SZ - 1", PTX_OP_INT, 31},
    {"(-9223372036854775807 - 1) / -1", PTX_OP_INT, UINT64_C(1) << 63},
    {"1 << 65", PTX_OP_INT, 2}, /* modulo 64, says ptxas */
};

START_TEST(every_literal_and_operator_has_its_value)
{
    char text[256];
    snprintf(text, sizeof text, KERNEL("mov.b64 %%q, %s;"), literals[_i].text);
    struct ptx_module *module = parse(text);
    ck_assert_int_eq(operand(module, 0, 1)->kind, literals[_i].kind);
    ck_assert_msg(operand(module, 0, 1)->bits == literals[_i].bits, "%s gave 0x%llx", literals[_i].text,
                  (unsigned long long)operand(module, 0, 1)->bits);
    ptx_free(module);
}
END_TEST

START_TEST(addresses_have_a_base_an_offset_and_further_items)
{
    struct ptx_module *module =
        parse(KERNEL(".reg .b64 %rd<3>; .reg .f32 %f<9>;\n"
                     "ld.f32 %f1, [%rd1+-4]; ld.f32 %f1, [%rd1 + 8 - 2*3]; ld.param.u64 %rd1, [s+8];\n"
                     "ld.global.u32 %f1, [g+4]; ld.shared.f32 %f1, [16];\n"
                     "tex.2d.v4.f32.f32 {%f1, _, %f3, %f4}, [%rd1, %rd2, {%f5, %f6}];"));
    ck_assert_int_eq(operand(module, 0, 1)->offset, -4);
    ck_assert_int_eq(operand(module, 1, 1)->offset, 2);
    ck_assert_int_eq(operand(module, 2, 1)->list[0].kind, PTX_OP_VAR);
    ck_assert_uint_eq(operand(module, 2, 1)->list[0].var->size, 24);
    ck_assert_int_eq(operand(module, 2, 1)->offset, 8);
    ck_assert_int_eq(operand(module, 3, 1)->list[0].kind, PTX_OP_SYMBOL);
    ck_assert_int_eq(operand(module, 4, 1)->list[0].kind, PTX_OP_INT);
    ck_assert_uint_eq(operand(module, 5, 1)->count, 3);
    ck_assert_int_eq(operand(module, 5, 1)->list[2].kind, PTX_OP_LIST);
    ck_assert_int_eq(operand(module, 5, 0)->list[1].kind, PTX_OP_SINK);
    ptx_free(module);
}
END_TEST

START_TEST(pairs_guards_and_negations_are_kept)
{
    struct ptx_module *module = parse(KERNEL(".reg .pred %p<3>; .reg .b32 %r<3>;\n"
                                             "@!%p2 shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;\n"
                                             "@%p1 selp.b32 %r1, -%r2, 3, !%p0;"));
    ck_assert(insn(module, 0)->guard_negated);
    ck_assert_str_eq(ptx_find_func(module, "k")->regs[insn(module, 0)->guard].name, "%p2");
    ck_assert_int_eq(operand(module, 0, 0)->kind, PTX_OP_PAIR);
    ck_assert_str_eq(reg_name(module, &operand(module, 0, 0)->list[1]), "%p1");
    ck_assert(!insn(module, 1)->guard_negated);
    ck_assert(operand(module, 1, 1)->is_negated && operand(module, 1, 3)->is_negated);
    ptx_free(module);
}
END_TEST

START_TEST(opcodes_are_kept_whole_even_with_blanks)
{
    struct ptx_module *module =
        parse(KERNEL("ld.global.L2::cache_hint.v2.f32 %a, [0]; add .s32 %a, 1, 2; ret;"));
    ck_assert_str_eq(insn(module, 0)->name, "ld.global.L2::cache_hint.v2.f32");
    ck_assert_str_eq(insn(module, 1)->name, "add.s32");
    ck_assert_str_eq(insn(module, 2)->name, "ret");
    ck_assert_uint_eq(insn(module, 2)->noperands, 0);
    ptx_free(module);
}
END_TEST

START_TEST(labels_belong_to_their_scope)
{
    struct ptx_module *module = parse(KERNEL("L: bra L; { bra L; bra M; L: bra L; } M: bra L; bra nowhere;"));
    const struct ptx_func *function = ptx_find_func(module, "k");
    const uint32_t targets[] = {0, 3, 4, 3, 0};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_int_eq(operand(module, i, 0)->kind, PTX_OP_LABEL);
        ck_assert_uint_eq(function->labels[operand(module, i, 0)->label].target, targets[i]);
    }
    ck_assert_int_eq(operand(module, 5, 0)->kind, PTX_OP_SYMBOL);
    ptx_free(module);
}
END_TEST

START_TEST(inner_names_hide_outer_ones)
{
    struct ptx_module *module =
        parse(KERNEL(".reg .b32 x, %r<3>; mov x, %r1; { .reg .f64 x, %r1; mov x, %r1; } mov x, %r1;"));
    const struct ptx_func *function = ptx_find_func(module, "k");
    ck_assert_int_eq(function->regs[operand(module, 0, 0)->reg].type, PTX_B32);
    ck_assert_int_eq(function->regs[operand(module, 1, 0)->reg].type, PTX_F64);
    ck_assert_int_eq(function->regs[operand(module, 1, 1)->reg].type, PTX_F64);
    ck_assert_int_eq(function->regs[operand(module, 2, 1)->reg].type, PTX_B32);
    ptx_free(module);
}
END_TEST

START_TEST(indexed_branches_and_calls_find_their_lists)
{
    struct ptx_module *module = parse(
        HEAD ".func (.param .b32 r) f (.param .b32 x);\n.entry k() { .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
             "ts: .branchtargets A, B, A; brx.idx %r1, ts; A: ret; B: ret;\n"
             "ct: .calltargets f, g; pr : .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n"
             "{ .param .b32 p0; .param .b32 r0; call (r0), %rd1, (p0, 5), pr; call.uni f, (p0); }\n}");
    const struct ptx_func *function = ptx_find_func(module, "k");
    const struct ptx_label *list = &function->labels[operand(module, 0, 1)->label];
    ck_assert_uint_eq(list->nbranch_targets, 3);
    ck_assert_str_eq(function->labels[list->branch_targets[1]].name, "B");
    const struct ptx_operand *prototype = operand(module, 3, 3);
    ck_assert_uint_eq(function->labels[prototype->label].nproto_params, 2);
    ck_assert_uint_eq(function->labels[prototype->label].nproto_returns, 1);
    ck_assert_int_eq(operand(module, 3, 2)->list[0].kind, PTX_OP_VAR);
    ck_assert_int_eq(operand(module, 3, 2)->list[1].kind, PTX_OP_INT);
    ck_assert_int_eq(operand(module, 4, 0)->kind, PTX_OP_SYMBOL);
    ptx_free(module);
}
END_TEST

START_TEST(initialisers_fill_arrays_vectors_and_scalars)
{
    struct ptx_module *module = parse(
        HEAD ".global .u32 m[2][3] = {{1}, {2, 0x10}}; .global .v4 .f32 v[] = {{1.0}, {0f40000000, 2}};\n"
             ".const .f64 d = 1.5; .global .u16 h[4] = {1, -1}; .global .f16 half = 1.5;\n"
             ".global .b8 text[] = {97, 98, 0};");
    const uint32_t want[6] = {1, 0, 0, 2, 16, 0};
    struct ptx_var *m = ptx_find_var(module, "m"), *v = ptx_find_var(module, "v");
    ck_assert_uint_eq(m->size, 24);
    ck_assert_mem_eq(m->init, want, m->init_size);
    ck_assert_uint_eq(v->size, 32);
    ck_assert_uint_eq(v->align, 16);
    ck_assert_float_eq(((float *)v->init)[4], 2.0f);
    ck_assert_double_eq(*(double *)ptx_find_var(module, "d")->init, 1.5);
    ck_assert_int_eq(ptx_find_var(module, "d")->space, PTX_CONST);
    ck_assert_uint_eq(((uint16_t *)ptx_find_var(module, "h")->init)[1], 0xffff);
    ck_assert_uint_eq(*(uint16_t *)ptx_find_var(module, "half")->init, 0x3e00);
    ck_assert_uint_eq(ptx_find_var(module, "text")->size, 3);
    ptx_free(module);
}
END_TEST

START_TEST(addresses_in_initialisers_become_relocations)
{
    struct ptx_module *module = parse(
        HEAD ".global .u64 p[4] = {f, generic(x)+12, x-4, 7};\n"
             ".global .b8 bytes[3] = {0xff(x), 0xff00(generic(x)+4), mask(0xff0000)(x)}; .global .u32 x;\n"
             ".global .u64 generic, mask, q[2] = {mask, generic};");
    const struct ptx_var *p = ptx_find_var(module, "p"), *bytes = ptx_find_var(module, "bytes");
    ck_assert_uint_eq(p->nrelocs, 3);
    ck_assert_str_eq(p->relocs[0].symbol, "f");
    ck_assert(p->relocs[1].addend == 12 && p->relocs[1].offset == 8);
    ck_assert_int_eq(p->relocs[2].addend, -4);
    ck_assert_uint_eq(p->relocs[2].size, 8);
    ck_assert_str_eq(ptx_find_var(module, "q")->relocs[1].symbol, "generic");
    ck_assert_uint_eq(bytes->nrelocs, 3);
    ck_assert_uint_eq(bytes->relocs[1].shift, 8);
    ck_assert_uint_eq(bytes->relocs[1].size, 1);
    ck_assert_uint_eq(bytes->relocs[2].shift, 16);
    ptx_free(module);
}
END_TEST

START_TEST(a_definition_completes_its_declaration)
{
    struct ptx_module *module = parse(
        HEAD ".func f(.param .b32 a); .extern .global .u32 x; .extern .shared .align 16 .b8 dyn[];\n"
             ".func f(.param .b32 a) { ret; } .global .u32 x = 5; .func g(.param .b32 a); .alias g, f;");
    ck_assert_uint_eq(module->nfuncs, 2);
    ck_assert(ptx_find_func(module, "f")->has_body);
    ck_assert_uint_eq(ptx_find_func(module, "g")->ninsns, 1);
    ck_assert(!ptx_find_var(module, "x")->is_extern);
    ck_assert(ptx_find_var(module, "dyn")->is_extern);
    ck_assert_uint_eq(ptx_find_var(module, "dyn")->size, 0);
    ptx_free(module);
}
END_TEST

START_TEST(kernel_directives_and_parameter_attributes_are_read)
{
    struct ptx_module *module = parse(
        HEAD ".weak .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24])\n"
             ".maxntid 128, 2 .minnctapersm 4 .maxnreg 40 .explicitcluster .reqnctapercluster 2, 1, 1 {}");
    const struct ptx_func *function = ptx_find_func(module, "k");
    ck_assert_uint_eq(function->maxntid[0] * function->maxntid[1] * function->maxntid[2], 256);
    ck_assert_uint_eq(function->reqntid[0], 0);
    ck_assert_uint_eq(function->params[0]->align, 8);
    ck_assert_uint_eq(function->params[1]->align, 8);
    ptx_free(module);
}
END_TEST

START_TEST(positions_follow_loc_and_name_the_inlined_function)
{
    struct ptx_module *module = parse(
        HEAD
        ".entry k() { nop; .loc 1 5 2 nop; .loc 1 0 9 nop; .loc 2 7 1, function_name $s1, inlined_at 1 5 2 "
        "nop; .loc 2 8 1, function_name .debug_str+3, inlined_at 2 7 1 nop; }\n"
        ".file 1 \"a \\\"b\\\".cu\"\n.file 2 \"c.h\", 1, 2\n"
        ".section .debug_str { $s0: .b8 102,49,0 $s1: .b8 103 .b8 50 .b8 0 }\n.section .debug_x { ;;; }");
    const struct ptx_loc *locs = module->locs;
    ck_assert_str_eq(module->files[1], "a \"b\".cu");
    ck_assert_uint_eq(insn(module, 0)->loc, 0);
    ck_assert_uint_eq(locs[insn(module, 1)->loc].line, 5);
    ck_assert_uint_eq(insn(module, 2)->loc, insn(module, 1)->loc);
    const struct ptx_loc *inlined = &locs[insn(module, 3)->loc];
    ck_assert_str_eq(module->files[inlined->file], "c.h");
    ck_assert_str_eq(inlined->function, "g2");
    ck_assert_uint_eq(inlined->inlined_at, insn(module, 1)->loc);
    ck_assert_uint_eq(locs[insn(module, 4)->loc].inlined_at, insn(module, 3)->loc);
    ck_assert_str_eq(locs[insn(module, 4)->loc].function, "g2");
    ptx_free(module);
}
END_TEST

START_TEST(a_global_inside_a_function_joins_the_module)
{
    struct ptx_module *module =
        parse(KERNEL(".global .u32 count = 3; .shared .b32 tile[4]; mov.u64 %q, count;"));
    ck_assert_uint_eq(module->nvars, 1);
    ck_assert_int_eq(operand(module, 0, 1)->kind, PTX_OP_SYMBOL);
    ck_assert_ptr_eq(ptx_find_var(module, operand(module, 0, 1)->name), module->vars[0]);
    ck_assert_uint_eq(ptx_find_func(module, "k")->nvars, 1);
    ptx_free(module);
}
END_TEST

static const struct {
    const char *text;
    unsigned line, column;
    const char *words;
} errors[] = {
    {"", 1, 1, "expected .version"},
    {"int main() { return 0; }", 1, 1, "found 'int', expected .version"},
    {".version 9.0\n", 2, 1, "expected .target"},
    {".version 9\n.target sm_75\n", 1, 10, "a version such as"},
    {HEAD ".address_size 32\n", 4, 15, "only 64-bit"},
    {HEAD ".entry k() { add.s32 %r1, ; }", 4, 27, "found ';', expected an operand"},
    {HEAD ".entry k() { ret }", 4, 18, "expected an operand"},
    {HEAD ".entry k() { ret;\n", 5, 1, "the end of the text, expected '}'"},
    {HEAD ".entry k() { .reg .b32 %r<5>; mov.u32 %r7, 1; }", 4, 39, "%r7' is not declared"},
    {HEAD ".entry k() { .reg .b32 x; .reg .b64 x; }", 4, 37, "already declared"},
    {HEAD ".entry k() { L: L: ret; }", 4, 17, "already declared"},
    {HEAD ".entry k() { .reg .b32 %r<4000000000>; }", 4, 26, "the limit is 1000000"},
    {HEAD ".entry k() { @%r1 ret; }", 4, 15, "predicate register"},
    {HEAD ".entry k() { t: .branchtargets A; }", 4, 32, "label 'A' is not defined"},
    {HEAD ".entry k() {} .entry k() {}", 4, 22, "two bodies"},
    {HEAD ".global .u32 x = 1/0;", 4, 19, "divides by zero"},
    {HEAD ".global .u32 x[2] = {1,2,3};", 4, 14, "larger than the variable"},
    {HEAD ".global .u32 x[2] = {{1}};", 4, 22, "more braces"},
    {HEAD ".global .u32 x[99999999999][99999999999];", 4, 14, "larger than 2^40"},
    {HEAD ".global .align 3 .u32 x;", 4, 16, "power of two"},
    {HEAD ".global .pred x;", 4, 15, ".pred"},
    {HEAD ".global .u32 x = 99999999999999999999;", 4, 18, "64 bits"},
    {HEAD ".global .u32 x = 0f3F80;", 4, 18, "8 hexadecimal digits"},
    {HEAD ".global .u32 x = 12abc;", 4, 18, "runs into"},
    {HEAD "/* never ends", 4, 1, "expected */"},
    {HEAD ".file 1 \"never ends\n", 4, 9, "expected \""},
    {HEAD ".file 1 \"a.h\"\n.file 1 \"b.cu\"\n", 5, 9, "has a name already: \"a.h\""},
    {HEAD "\x01", 4, 1, "0x01"},
    {HEAD ".unknown 5;", 4, 1, "found '.unknown'"},
};

START_TEST(every_error_has_its_place_and_a_sentence)
{
    refuse(errors[_i].text, errors[_i].line, errors[_i].column, errors[_i].words);
}
END_TEST

static const char *const files[] = {"data.ptx",     "calls.ptx",    "inline.ptx",
                                    "branches.ptx", "textures.ptx", "debug.ptx"};

START_TEST(what_nvcc_writes_is_read)
{
    struct ptx_module *module = parse_file(files[_i]);
    ck_assert_uint_ge(module->nfuncs, 1);
    ck_assert_uint_ge(module->nfiles, 2);
    ptx_free(module);
}
END_TEST

START_TEST(the_data_file_has_its_tables)
{
    struct ptx_module *module = parse_file("data.ptx");
    const struct ptx_var *words = ptx_find_var(module, "words"), *root = ptx_find_var(module, "root");
    ck_assert_uint_eq(words->nrelocs, 3);
    ck_assert_str_eq(root->relocs[0].symbol, "cells");
    ck_assert_int_eq(root->relocs[0].addend, 12);
    ck_assert(ptx_find_var(module, "shared_with_host")->is_managed);
    ck_assert_uint_eq(ptx_find_var(module, "weights")->size, 20);
    ptx_free(module);
}
END_TEST

START_TEST(text_cut_at_any_byte_does_no_harm)
{
    size_t size;
    char *text = read_whole(files[_i], &size);
    for (size_t cut = 0; cut < size; cut++) {
        struct ptx_module *module = parse_bytes(text, cut);
        ck_assert_msg(module || error.text[0], "cut at %zu: no error", cut);
        ptx_free(module);
    }
    free(text);
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

START_TEST(flipped_bytes_do_no_harm)
{
    size_t size;
    char *text = read_whole(files[_i], &size);
    uint32_t state = 12345 + (uint32_t)_i;
    for (int round = 0; round < 2000; round++) {
        size_t place = next_random(&state) % size;
        char old = text[place];
        text[place] = (char)next_random(&state);
        ptx_free(parse_bytes(text, size));
        if (round % 4) /* damage piles up slowly */
            text[place] = old;
    }
    free(text);
}
END_TEST

/* unit repeated to 10 MB, after a head that is right. */
static void feed(const char *head, const char *unit, bool is_error)
{
    size_t size = 10 << 20, used = strlen(head), unit_size = strlen(unit);
    char *text = malloc(size);
    memcpy(text, head, used);
    for (; used + unit_size <= size; used += unit_size)
        memcpy(text + used, unit, unit_size);
    struct ptx_module *module = ptx_parse(text, used, &error);
    ck_assert_msg(!is_error || !module, "10 MB of '%s' were accepted", unit);
    ck_assert(module || error.text[0]);
    ptx_free(module);
    free(text);
}

static const char *const floods[][2] = {
    {"", "garbage "},
    {"", "\n"},
    {"", "\xff\xfe"},
    {HEAD, "/*"},
    {HEAD, "{"},
    {HEAD, ".file 1 \""},
    {HEAD ".entry k() ", "{"},
    {HEAD ".entry k() {", "{}"},
    {HEAD ".entry k() {", "a."},
    {HEAD ".entry k() { ", "x"},
    {HEAD ".entry k() { mov ", "["},
    {HEAD ".entry k() { mov ", "{"},
    {HEAD ".entry k() { mov ", "("},
    {HEAD ".entry k() { mov ", "-"},
    {HEAD ".entry k() { mov ", "a|"},
    {HEAD ".entry k() { mov ", "a,"},
    {HEAD ".entry k() { mov ", "1?"},
    {HEAD ".entry k() {", ".reg .b32 %r<900000>; "},
    {HEAD ".entry k() {", "{ .reg .b32 %r<900000>; } "},
    {HEAD ".global .u32 x = ", "("},
    {HEAD ".global .u32 x", "[2]"},
    {HEAD ".global .u32 x[1] = ", "{"},
    {HEAD ".global .u32 x[2][90000000] = {", "{1},"},
    {HEAD ".global .u32 x[] = {", "1,"},
    {HEAD ".func f(", ".param .b32 _,"},
    {HEAD ".global .attribute", "("},
    {HEAD, ".section .debug_str { .b8 1 "},
    {HEAD, ".entry k() { .reg .b32 %r<900000>; } "},
};

START_TEST(ten_megabytes_of_anything_end_in_an_error)
{
    feed(floods[_i][0], floods[_i][1], true);
}
END_TEST

START_TEST(a_large_module_is_read_quickly)
{
    size_t size = 0, limit = 1 << 20;
    char *text = malloc(limit + 4096);
    size += (size_t)sprintf(text, HEAD ".global .u32 table[] = {0");
    while (size < limit / 2)
        size += (size_t)sprintf(text + size, ", %zu", size * 2654435761u % 4294967296u);
    size += (size_t)sprintf(text + size, "};\n.entry k() { .reg .b32 %%r<100>; .reg .pred %%p<9>;\n");
    for (int i = 0; size < limit; i++)
        size += (size_t)sprintf(text + size, "L%d: mad.lo.s32 %%r%d, %%r%d, 17, %%r7; @%%p1 bra L%d;\n", i,
                                i % 100, (i + 1) % 100, i);
    size += (size_t)sprintf(text + size, "}\n");
    clock_t start = clock();
    struct ptx_module *module = ptx_parse(text, size, &error);
    double ms = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
    ck_assert_msg(module != NULL, "%s", error.text);
    ck_assert_msg(ms < 2000, "1 MB took %.0f ms", ms); /* generous: sanitizers and busy machines */
    ptx_free(module);
    free(text);
}
END_TEST

/* PTX ISA, fundamental types; references to textures are 64-bit handles. */
static const struct {
    const char *name;
    enum ptx_type type;
    uint32_t size;
} types[] = {
    {"pred", PTX_PRED, 0},
    {"b8", PTX_B8, 1},
    {"b16", PTX_B16, 2},
    {"b32", PTX_B32, 4},
    {"b64", PTX_B64, 8},
    {"b128", PTX_B128, 16},
    {"u8", PTX_U8, 1},
    {"u16", PTX_U16, 2},
    {"u32", PTX_U32, 4},
    {"u64", PTX_U64, 8},
    {"s8", PTX_S8, 1},
    {"s16", PTX_S16, 2},
    {"s32", PTX_S32, 4},
    {"s64", PTX_S64, 8},
    {"f16", PTX_F16, 2},
    {"bf16", PTX_BF16, 2},
    {"f16x2", PTX_F16X2, 4},
    {"bf16x2", PTX_BF16X2, 4},
    {"f32", PTX_F32, 4},
    {"f64", PTX_F64, 8},
    {"texref", PTX_TEXREF, 8},
    {"surfref", PTX_SURFREF, 8},
    {"samplerref", PTX_SAMPLERREF, 8},
};

START_TEST(types_know_their_names_and_sizes)
{
    ck_assert_uint_eq(sizeof types / sizeof *types, PTX_TYPES - 1);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        ck_assert_int_eq(ptx_type_find(types[i].name, strlen(types[i].name)), types[i].type);
        ck_assert_uint_eq(ptx_type_size(types[i].type), types[i].size);
    }
    ck_assert_int_eq(ptx_type_find("f33", 3), PTX_NONE);
    ck_assert_int_eq(ptx_type_find("u", 1), PTX_NONE);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, the_head_gives_version_and_target);
    tcase_add_test(tests, padding_around_the_text_is_ignored);
    tcase_add_test(tests, registers_of_ranges_names_and_vectors_are_resolved);
    tcase_add_test(tests, a_name_with_percent_that_is_no_register_is_special);
    tcase_add_test(tests, selectors_stay_with_their_register);
    tcase_add_loop_test(tests, every_literal_and_operator_has_its_value, 0, COUNT(literals));
    tcase_add_test(tests, addresses_have_a_base_an_offset_and_further_items);
    tcase_add_test(tests, pairs_guards_and_negations_are_kept);
    tcase_add_test(tests, opcodes_are_kept_whole_even_with_blanks);
    tcase_add_test(tests, labels_belong_to_their_scope);
    tcase_add_test(tests, inner_names_hide_outer_ones);
    tcase_add_test(tests, indexed_branches_and_calls_find_their_lists);
    tcase_add_test(tests, initialisers_fill_arrays_vectors_and_scalars);
    tcase_add_test(tests, addresses_in_initialisers_become_relocations);
    tcase_add_test(tests, a_definition_completes_its_declaration);
    tcase_add_test(tests, kernel_directives_and_parameter_attributes_are_read);
    tcase_add_test(tests, positions_follow_loc_and_name_the_inlined_function);
    tcase_add_test(tests, a_global_inside_a_function_joins_the_module);
    tcase_add_loop_test(tests, every_error_has_its_place_and_a_sentence, 0, COUNT(errors));
    tcase_add_loop_test(tests, what_nvcc_writes_is_read, 0, COUNT(files));
    tcase_add_test(tests, the_data_file_has_its_tables);
    tcase_add_loop_test(tests, text_cut_at_any_byte_does_no_harm, 0, COUNT(files));
    tcase_add_loop_test(tests, flipped_bytes_do_no_harm, 0, COUNT(files));
    tcase_add_loop_test(tests, ten_megabytes_of_anything_end_in_an_error, 0, COUNT(floods));
    tcase_add_test(tests, a_large_module_is_read_quickly);
    tcase_add_test(tests, types_know_their_names_and_sizes);
}

int main(void)
{
    TCase *tests = tcase_create("reader");
    add_tests(tests);
    return run_tests("ptx", tests);
}
