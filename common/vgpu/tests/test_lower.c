/* test_lower.c - what the static pass makes of a kernel, against what ptxas made of it.
 * The figures are those of ptxas 13.0 for sm_90, counted in its disassembly of tests/ptx/lower.ptx: everything that a warp
 * can come by without a subroutine for rare operands, and without the padding at the end.
 * Order is judged by what must hold in any order of issue, and where ptxas's own is plain to see. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "core/machine.h"
#include "core/record.h"
#include "exec/instructions.h"
#include "memory/memory.h"
#include "model/lower.h"

static const struct golden {
    const char *kernel;
    uint32_t all, fp32, fp64, sfu, global, shared, barriers; /* sfu: with conversions of 64 bits */
} golden[] = {
    /* kernel, all, fp32, fp64, sfu, global, shared, barriers */
    {"reduce_shared", 72, 9, 0, 0, 3, 26, 9},   {"transpose_naive", 23, 0, 0, 0, 2, 0, 0},
    {"histogram", 38, 0, 0, 0, 2, 3, 2},        {"pi_integer", 132, 0, 0, 0, 1, 0, 0},
    {"naive_kernel", 25, 0, 0, 0, 2, 0, 0},     {"tiled_kernel", 42, 0, 0, 0, 2, 2, 1},
    {"padded_kernel", 42, 0, 0, 0, 2, 2, 1},    {"tree_strided", 55, 0, 0, 0, 2, 5, 2},
    {"tree_sequential", 49, 0, 0, 0, 2, 5, 2},  {"tree_last_warp", 90, 0, 0, 0, 3, 16, 2},
    {"loads_in_flight", 49, 0, 0, 0, 16, 0, 0}, {"compute_only", 46, 34, 0, 0, 1, 0, 0},
    {"shared_tiles", 137, 32, 0, 0, 3, 42, 2},  {"transposed_tile", 195, 64, 0, 0, 6, 52, 2},
    {"filter_constant", 63, 9, 0, 0, 10, 0, 0}, {"k_i64mul", 17, 0, 0, 0, 3, 0, 0},
    {"k_i64min", 17, 0, 0, 0, 3, 0, 0},         {"k_u32div", 31, 0, 0, 3, 3, 0, 0},
    {"k_f32div", 24, 5, 0, 2, 3, 0, 0},         {"k_f32sqrt", 25, 5, 0, 1, 3, 0, 0},
    {"k_f32exp", 19, 4, 0, 1, 3, 0, 0},         {"k_f64div", 29, 1, 8, 1, 3, 0, 0},
    {"k_f64toi", 16, 0, 1, 2, 3, 0, 0},         {"k_i32logic", 15, 0, 0, 0, 3, 0, 0},
    {"k_u32rem", 30, 0, 0, 3, 3, 0, 0},         {"k_atomconst", 10, 0, 0, 1, 1, 0, 0},
    {"k_atomaddr", 11, 0, 0, 0, 2, 0, 0},       {"k_smem4", 31, 8, 0, 0, 5, 3, 1},
    {"k_shfl", 15, 0, 0, 0, 3, 0, 0},           {"k_fence", 16, 0, 0, 0, 2, 0, 0},
    {"cube_naive", 108, 7, 0, 0, 8, 0, 0},      {"swap_selected", 106, 8, 0, 0, 9, 0, 0},
};
enum { KERNELS = sizeof golden / sizeof *golden };

static char *text;
static struct ptx_module *ptx;
static struct memory *memory;
static struct module *module;

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void set_up(void)
{
    struct ptx_error error;
    char message[200];
    size_t size;
    text = read_text("common/vgpu/tests/ptx/lower.ptx", &size);
    ptx = ptx_parse(text, size, &error);
    ck_assert_msg(ptx != NULL, "line %u: %s", error.line, error.text);
    memory = memory_new(false);
    module = module_load(ptx, memory, message, sizeof message);
    ck_assert_msg(module != NULL, "%s", message);
}

static void tear_down(void)
{
    module_free(module, memory);
    memory_free_all(memory);
    ptx_free(ptx);
    free(text);
}

static struct lowered *lowered_kernel(const char *name, const struct function **function)
{
    struct refusal why;
    struct function *kernel = module_find(module, name);
    ck_assert_msg(kernel && function_decode(kernel, &instruction_set, &why), "%s: %s", name, why.text);
    kernel->registers = 30;
    struct lowered *lowered = lower_function(kernel);
    ck_assert_ptr_nonnull(lowered);
    *function = kernel;
    return lowered;
}

static uint32_t count_class(const struct lowered *lowered, enum op_class class)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lowered->nops; i++)
        count += lowered->ops[i].class == class ? lowered->ops[i].count : 0;
    return count;
}

static uint32_t count_all(const struct lowered *lowered)
{
    uint32_t count = 0;
    for (int class = 0; class < OP_CLASSES; class ++)
        count += count_class(lowered, class);
    return count;
}

START_TEST(a_kernel_issues_as_many_operations_as_ptxas_gave_it)
{
    const struct function *function;
    const struct golden *row = &golden[_i];
    struct lowered *lowered = lowered_kernel(row->kernel, &function);
    const uint32_t all = count_all(lowered);
    ck_assert_msg(10 * all >= 9 * row->all && 10 * all <= 11 * row->all, "%s: %u operations, ptxas has %u",
                  row->kernel, all, row->all);
    lower_free(lowered);
}
END_TEST

START_TEST(units_that_matter_most_are_counted_exactly)
{
    const struct function *function;
    const struct golden *row = &golden[_i];
    struct lowered *lowered = lowered_kernel(row->kernel, &function);
    ck_assert_uint_eq(count_class(lowered, OP_FP32), row->fp32);
    ck_assert_uint_eq(count_class(lowered, OP_FP64), row->fp64);
    ck_assert_uint_eq(count_class(lowered, OP_SFU) + count_class(lowered, OP_CVT64), row->sfu);
    ck_assert_uint_eq(count_class(lowered, OP_GLOBAL), row->global);
    ck_assert_uint_eq(count_class(lowered, OP_SHARED), row->shared);
    ck_assert_uint_eq(count_class(lowered, OP_BARRIER), row->barriers);
    lower_free(lowered);
}
END_TEST

/* ------------------------------------------------------------------------------------------- segments */

/* IMAD in all its kinds, and moves that are multiplications of halves: what went to the multiplier in ptxas's code. */
static const struct products {
    const char *kernel;
    uint32_t products;
} products[] = {
    {"tree_strided", 5}, {"tree_sequential", 6}, {"tree_last_warp", 15}, {"naive_kernel", 4},
    {"tiled_kernel", 9}, {"padded_kernel", 10},  {"cube_naive", 30},
};

START_TEST(two_units_are_kept_in_balance)
{
    const struct function *function;
    const struct products *row = &products[_i];
    const uint32_t near = row->products > 20 ? row->products / 5 : 4; /* others merge and vanish, too */
    struct lowered *lowered = lowered_kernel(row->kernel, &function);
    const uint32_t count = count_class(lowered, OP_IMAD) + count_class(lowered, OP_IMAD_WIDE);
    ck_assert_msg(count + near >= row->products && count <= row->products + near,
                  "%s has %u products, ptxas %u", row->kernel, count, row->products);
    lower_free(lowered);
}
END_TEST

START_TEST(nothing_is_left_open_between_two_units)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel(golden[_i].kernel, &function);
    for (uint32_t i = 0; i < lowered->nops; i++)
        ck_assert_uint_lt(lowered->ops[i].class, OP_CLASSES);
    lower_free(lowered);
}
END_TEST

START_TEST(guarded_operations_know_their_guard)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("cube_naive", &function);
    uint32_t loads = 0;
    for (uint32_t s = 0; s < lowered->nsegments; s++) {
        const struct segment *segment = &lowered->segments[s];
        for (uint32_t i = segment->first_op; i < segment->first_op + segment->nops; i++) {
            if (!segment->is_guarded || lowered->ops[i].class != OP_GLOBAL)
                continue;
            ck_assert_uint_ne(lowered->ops[i].guard, NO_REGISTER);
            loads++;
        }
    }
    ck_assert_uint_eq(loads, 6); /* of the neighbours on six sides */
    lower_free(lowered);
}
END_TEST

START_TEST(segments_follow_each_other_and_cover_the_code)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel(golden[_i].kernel, &function);
    uint32_t code = 0, ops = 0;
    for (uint32_t s = 0; s < lowered->nsegments; s++) {
        const struct segment *segment = &lowered->segments[s];
        ck_assert_uint_eq(segment->first_insn, code);
        ck_assert_uint_eq(segment->first_op, ops);
        uint32_t costs = 0;
        for (uint32_t i = code; i < code + segment->ninsns; i++) {
            ck_assert_uint_eq(lowered->segment_of[i], s);
            costs += record_has_cost(&function->code[i]);
        }
        ck_assert_uint_eq(segment->nmemory, costs);
        code += segment->ninsns;
        ops += segment->nops;
    }
    ck_assert_uint_eq(code, function->ncode);
    ck_assert_uint_eq(ops, lowered->nops);
    lower_free(lowered);
}
END_TEST

static void take_place(uint8_t *taken, const struct segment *segment, uint16_t place)
{
    ck_assert_uint_lt(place, segment->nmemory);
    ck_assert_msg(!taken[place], "place %u is taken twice", place);
    taken[place] = 1;
}

START_TEST(every_access_belongs_to_one_operation)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel(golden[_i].kernel, &function);
    for (uint32_t s = 0; s < lowered->nsegments; s++) {
        const struct segment *segment = &lowered->segments[s];
        uint8_t *taken = calloc(segment->nmemory + 1, 1);
        uint32_t count = 0;
        for (uint32_t k = 0; k < segment->nops; k++) {
            const struct op *op = &lowered->ops[segment->first_op + k];
            ck_assert_int_eq(op->memory != NO_PLACE, op->class >= OP_GLOBAL);
            if (op->memory != NO_PLACE)
                take_place(taken, segment, op->memory);
            for (uint32_t m = 0; m < OP_MERGED && op->merged[m] != NO_PLACE; m++)
                take_place(taken, segment, op->merged[m]);
        }
        for (uint32_t i = 0; i < segment->nmemory; i++)
            count += taken[i];
        const bool has_constants =
            strcmp(golden[_i].kernel, "filter_constant") == 0; /* at fixed places: free */
        ck_assert_msg(has_constants || count == segment->nmemory, "segment %u: %u of %u", s, count,
                      segment->nmemory);
        free(taken);
    }
    lower_free(lowered);
}
END_TEST

/* ------------------------------------------------------------------------------------------- order */

static bool defines(const struct op *op, uint16_t reg)
{
    for (uint32_t k = 0; k < OP_DEFS && op->def[k] != NO_REGISTER; k++)
        if (op->def[k] == reg)
            return true;
    return false;
}

static uint32_t definitions(const struct lowered *lowered, uint16_t reg)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lowered->nops; i++)
        count += defines(&lowered->ops[i], reg);
    return count;
}

/* A register that is written once is not read before, in the segment that writes it. */
START_TEST(no_operation_comes_before_its_operands)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel(golden[_i].kernel, &function);
    uint32_t checked = 0;
    for (uint32_t s = 0; s < lowered->nsegments; s++) {
        const struct segment *segment = &lowered->segments[s];
        const struct op *ops = lowered->ops + segment->first_op;
        for (uint32_t k = 0; k < segment->nops; k++)
            for (uint32_t u = 0; u < OP_USES && ops[k].use[u] != NO_REGISTER; u++, checked++)
                for (uint32_t later = k; later < segment->nops; later++)
                    ck_assert_msg(!defines(&ops[later], ops[k].use[u]) ||
                                      definitions(lowered, ops[k].use[u]) > 1,
                                  "segment %u: operation %u reads what %u writes", s, k, later);
    }
    ck_assert_uint_gt(checked, 0);
    lower_free(lowered);
}
END_TEST

START_TEST(stores_to_one_space_stay_in_order)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel(golden[_i].kernel, &function);
    for (uint32_t s = 0; s < lowered->nsegments; s++) {
        const struct segment *segment = &lowered->segments[s];
        const struct op *ops = lowered->ops + segment->first_op;
        uint32_t last[OP_CLASSES] = {0};
        for (uint32_t k = 0; k < segment->nops; k++) {
            if (ops[k].class < OP_GLOBAL || !ops[k].is_store || function->code[ops[k].insn].is_atomic)
                continue;
            ck_assert_uint_ge(ops[k].insn, last[ops[k].class]);
            last[ops[k].class] = ops[k].insn;
        }
    }
    lower_free(lowered);
}
END_TEST

/* Four bodies of four words are more than 32 registers hold beside the sums: ptxas loads two, and the others when it has
 * added the first. */
START_TEST(loads_wait_until_there_are_registers)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("pull_float4", &function);
    uint32_t s = 0, before = 0, between = 0, loads = 0;
    while (s < lowered->nsegments && lowered->segments[s].nmemory != 4)
        s++;
    ck_assert_uint_lt(s, lowered->nsegments);
    for (uint32_t k = 0; k < lowered->segments[s].nops; k++) {
        const struct op *op = &lowered->ops[lowered->segments[s].first_op + k];
        loads += op->class == OP_GLOBAL;
        before += op->class == OP_GLOBAL && !between;
        between += op->class == OP_FP32 && loads < 4;
    }
    ck_assert_uint_eq(before, 2);
    ck_assert_uint_gt(between, 10);
    lower_free(lowered);
}
END_TEST

/* Cells outside of a cube count as zero: some are an if, some an if with an else. ptxas makes guards of all of them. */
START_TEST(short_ways_become_guards)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("cube_naive", &function);
    uint32_t guarded = 0;
    ck_assert_uint_eq(count_class(lowered, OP_BRANCH), 2); /* both ends of the kernel */
    for (uint32_t s = 0; s < lowered->nsegments; s++)
        guarded += lowered->segments[s].is_guarded && lowered->segments[s].nmemory > 0;
    ck_assert_uint_eq(guarded, 6);
    lower_free(lowered);
}
END_TEST

/* Eight elements are copied one by one; ptxas begins all loads before the first store. */
START_TEST(independent_loads_come_first)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("loads_in_flight", &function);
    uint32_t loads = 0, stores = 0;
    for (uint32_t i = 0; i < lowered->nops; i++) {
        const struct op *op = &lowered->ops[i];
        loads += op->class == OP_GLOBAL && !op->is_store;
        stores += op->class == OP_GLOBAL && op->is_store;
        ck_assert_msg(!stores || loads == 8, "a store after %u loads", loads);
    }
    ck_assert_uint_eq(stores, 8);
    lower_free(lowered);
}
END_TEST

/* ------------------------------------------------------------------------------------------- merging */

static uint32_t count_merged(const struct lowered *lowered, bool is_store)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lowered->nops; i++)
        for (uint32_t m = 0; m < OP_MERGED; m++)
            count += lowered->ops[i].is_store == is_store && lowered->ops[i].merged[m] != NO_PLACE;
    return count;
}

/* STS.128, and two LDS.128. */
START_TEST(neighbours_in_shared_memory_become_vectors)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("k_smem4", &function);
    ck_assert_uint_eq(count_merged(lowered, true), 3);
    ck_assert_uint_eq(count_merged(lowered, false), 6);
    lower_free(lowered);
}
END_TEST

/* Rows of 132 bytes are not aligned to 16: only the other array's 64 elements are read four at a time. */
START_TEST(unaligned_neighbours_stay_alone)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("transposed_tile", &function);
    ck_assert_uint_eq(count_merged(lowered, false), 48);
    lower_free(lowered);
}
END_TEST

/* A loop over 16 words moves its address on by 64: four LDS.128. */
START_TEST(a_counter_keeps_its_alignment)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("k_walk_shared", &function);
    ck_assert_uint_eq(count_merged(lowered, false), 12);
    lower_free(lowered);
}
END_TEST

/* ULDC.64: two of 16 words at a time. */
START_TEST(neighbours_among_constants_become_pairs)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("k_walk_constant", &function);
    uint32_t loads = 0;
    for (uint32_t i = 0; i < lowered->nops; i++)
        loads += function->code[lowered->ops[i].insn].class == CLASS_CONST &&
                 lowered->ops[i].class == OP_UNIFORM &&
                 !strncmp(function->code[lowered->ops[i].insn].source->name, "ld.const", 8);
    ck_assert_uint_eq(loads, 8);
    lower_free(lowered);
}
END_TEST

/* A root has a branch to its rare cases: the second one is not mixed with the first. */
START_TEST(nothing_goes_past_the_branch_of_a_root)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("k_two_roots", &function);
    uint32_t pins = 0, last = 0;
    for (uint32_t i = 0; i < lowered->nops; i++) {
        const struct op *op = &lowered->ops[i];
        ck_assert_msg(!pins || op->insn >= last, "operation %u of instruction %u comes after %u", i, op->insn,
                      last);
        if (op->class != OP_BRANCH)
            continue;
        last = op->insn;
        pins++;
    }
    ck_assert_uint_ge(pins, 2);
    lower_free(lowered);
}
END_TEST

/* ------------------------------------------------------------------------------------------- loops */

static const struct segment *unrolled_segment(const struct lowered *lowered)
{
    for (uint32_t s = 0; s < lowered->nsegments; s++)
        if (lowered->segments[s].unroll)
            return &lowered->segments[s];
    return NULL;
}

/* The inner product of a matrix multiplication, which nvcc has unrolled by four already: ptxas's loop has 73 instructions,
 * among them 32 loads, 16 FFMA and one branch, and 17 loads come before the first FFMA with 30 registers. */
START_TEST(a_counted_loop_is_unrolled_by_four)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("coalesced", &function);
    const struct segment *segment = unrolled_segment(lowered);
    ck_assert_ptr_nonnull(segment);
    ck_assert_uint_eq(segment->unroll, 4);
    uint32_t all = 0, loads = 0, sums = 0, branches = 0, early = 0;
    for (uint32_t k = 0; k < segment->nunrolled; k++) {
        const struct op *op = &lowered->ops[segment->first_unrolled + k];
        all += op->count;
        loads += op->class == OP_GLOBAL;
        branches += op->class == OP_BRANCH;
        sums += op->class == OP_FP32;
        early += op->class == OP_GLOBAL && !sums;
    }
    ck_assert_msg(all >= 70 && all <= 76, "%u operations", all);
    ck_assert_uint_eq(loads, 32);
    ck_assert_uint_eq(sums, 16);
    ck_assert_uint_eq(branches, 1);
    ck_assert_msg(early >= 13 && early <= 21, "%u loads come first", early);
    lower_free(lowered);
}
END_TEST

START_TEST(the_executions_of_an_unrolled_loop_have_places_of_their_own)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("coalesced", &function);
    const struct segment *segment = unrolled_segment(lowered);
    ck_assert_ptr_nonnull(segment);
    uint32_t taken = 0;
    for (uint32_t k = 0; k < segment->nunrolled; k++) {
        const uint16_t place = lowered->ops[segment->first_unrolled + k].memory;
        if (place == NO_PLACE)
            continue;
        ck_assert_uint_lt(place, 4 * segment->nmemory);
        ck_assert_uint_eq(taken >> place & 1, 0);
        taken |= 1u << place;
    }
    ck_assert_uint_eq(taken, 0xffffffff);
    lower_free(lowered);
}
END_TEST

/* A reduction's loop has a barrier in it. */
START_TEST(other_loops_are_left_alone)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("tree_strided", &function);
    ck_assert_ptr_null(unrolled_segment(lowered));
    lower_free(lowered);
}
END_TEST

static bool has_aggregate(const char *kernel)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel(kernel, &function);
    bool is_aggregated = false;
    for (uint32_t i = 0; i < lowered->nops; i++)
        is_aggregated |= lowered->ops[i].is_aggregated;
    lower_free(lowered);
    return is_aggregated;
}

START_TEST(atomics_on_one_address_are_added_up_first)
{
    ck_assert(has_aggregate("k_atomconst"));
    ck_assert(!has_aggregate("k_atomaddr"));
    ck_assert(!has_aggregate("pi_integer")); /* 64 bits wide */
}
END_TEST

/* ptxas makes loops of three atomics there (LDS, ATOMS.CAST, BRA), and leaves a load before, between and behind them. */
START_TEST(atomics_that_are_loops_let_nothing_pass)
{
    const struct function *function;
    struct lowered *lowered = lowered_kernel("k_atomshared", &function);
    char order[32] = "";
    for (uint32_t i = 0; i < lowered->nops; i++) {
        const struct op *op = &lowered->ops[i];
        const bool is_load = op->class == OP_GLOBAL && !op->is_store;
        if (is_load || op->is_loop)
            strcat(order, is_load ? "load " : "loop ");
    }
    ck_assert_str_eq(order, "load loop load loop loop load ");
    lower_free(lowered);
}
END_TEST

int main(void)
{
    TCase *kernels = tcase_create("kernels");
    tcase_add_checked_fixture(kernels, set_up, tear_down);
    tcase_add_loop_test(kernels, a_kernel_issues_as_many_operations_as_ptxas_gave_it, 0, KERNELS);
    tcase_add_loop_test(kernels, units_that_matter_most_are_counted_exactly, 0, KERNELS);
    tcase_add_loop_test(kernels, two_units_are_kept_in_balance, 0, sizeof products / sizeof *products);
    tcase_add_loop_test(kernels, nothing_is_left_open_between_two_units, 0, KERNELS);
    tcase_add_test(kernels, guarded_operations_know_their_guard);
    tcase_add_loop_test(kernels, segments_follow_each_other_and_cover_the_code, 0, KERNELS);
    tcase_add_loop_test(kernels, every_access_belongs_to_one_operation, 0, KERNELS);
    tcase_add_loop_test(kernels, no_operation_comes_before_its_operands, 0, KERNELS);
    tcase_add_loop_test(kernels, stores_to_one_space_stay_in_order, 0, KERNELS);
    tcase_add_test(kernels, short_ways_become_guards);
    tcase_add_test(kernels, loads_wait_until_there_are_registers);
    tcase_add_test(kernels, independent_loads_come_first);
    tcase_add_test(kernels, neighbours_in_shared_memory_become_vectors);
    tcase_add_test(kernels, unaligned_neighbours_stay_alone);
    tcase_add_test(kernels, a_counter_keeps_its_alignment);
    tcase_add_test(kernels, neighbours_among_constants_become_pairs);
    tcase_add_test(kernels, nothing_goes_past_the_branch_of_a_root);
    tcase_add_test(kernels, a_counted_loop_is_unrolled_by_four);
    tcase_add_test(kernels, the_executions_of_an_unrolled_loop_have_places_of_their_own);
    tcase_add_test(kernels, other_loops_are_left_alone);
    tcase_add_test(kernels, atomics_on_one_address_are_added_up_first);
    tcase_add_test(kernels, atomics_that_are_loops_let_nothing_pass);
    return run_tests("lower", kernels);
}
