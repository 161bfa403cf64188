/* test_garbage.c - what memory holds before it is written: zeros, or garbage of a seed, whatever the number of host threads.
 * Kernels that count on zeros (a sum in shared memory that nobody clears, an array of a thread, a register) are right
 * without garbage and wrong with it. */
#include <check.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "core/garbage.h"
#include "core/gpu.h"
#include "core/machine.h"
#include "exec/instructions.h"
#include "memory/memory.h"
#include "vgpu.h"

enum { BLOCKS = 300, THREADS = 64 };

/* Each block's result: the number of its threads, if what it adds to was 0. */
#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"                 \
    ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n"                             \
    "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, "    \
    "%rd2;\n"                                                                                                \
    "mov.u32 %r2, %tid.x;\n"
static const char *const kernels[] = {
    /* __shared__ float sum; atomicAdd(&sum, 1); __syncthreads(); out[blockIdx.x] = sum; */
    HEAD ".shared .align 4 .f32 sum;\nred.shared.add.f32 [sum], 0f3F800000;\nbar.sync 0;\n"
         "ld.shared.f32 %f1, [sum];\nst.global.f32 [%rd3], %f1;\nret;\n}\n",
    /* extern __shared__ float sum[]; */
    HEAD "red.shared.add.f32 [dynamic+8], 0f3F800000;\nbar.sync 0;\n"
         "ld.shared.f32 %f1, [dynamic+8];\nst.global.f32 [%rd3], %f1;\nret;\n}\n"
         ".extern .shared .align 16 .b8 dynamic[];\n",
    /* float part[16]; out[blockIdx.x] = part[5] + 64; */
    HEAD ".local .align 4 .b8 part[64];\nld.local.f32 %f1, [part+20];\nadd.f32 %f1, %f1, 0f42800000;\n"
         "st.global.f32 [%rd3], %f1;\nret;\n}\n",
    /* float sum; out[blockIdx.x] = sum + 64; */
    HEAD "add.f32 %f1, %f2, 0f42800000;\nst.global.f32 [%rd3], %f1;\nret;\n}\n",
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void launch_kernel(const struct function *function, struct memory *memory, uint64_t seed,
                          unsigned threads, uint64_t out)
{
    uint8_t *params = calloc(1, function->param_bytes + 16);
    ck_assert_ptr_nonnull(params);
    memcpy(params, &out, sizeof out);
    struct launch launch = {.kernel = function,
                            .kernel_name = "k",
                            .gpu = gpu_default(),
                            .memory = memory,
                            .grid = {BLOCKS, 1, 1},
                            .dim = {THREADS, 1, 1},
                            .dynamic_shared = 64,
                            .params = params,
                            .checker = &check_levels[CHECK_OFF],
                            .check = CHECK_OFF,
                            .budget = 10000,
                            .work = UINT64_MAX,
                            .garbage = seed,
                            .blocks_per_sm = 1,
                            .resident_blocks = 132};
    ck_assert_int_eq(launch_run(&launch, threads), 0);
    launch_release(&launch);
    free(params);
}

static void run(const char *text, uint64_t seed, unsigned threads, float *result)
{
    struct ptx_error error;
    char message[300] = "";
    struct memory *memory = memory_new(false);
    struct ptx_module *ptx = ptx_parse(text, strlen(text), &error);
    ck_assert_msg(ptx != NULL, "%s", error.text);
    struct module *module = module_load(ptx, memory, message, sizeof message);
    ck_assert_msg(module != NULL, "%s", message);
    struct function *function = module_find(module, "k");
    struct refusal why;
    ck_assert_msg(function_decode(function, &instruction_set, &why), "%s", why.text);
    struct allocation *out = memory_alloc(memory, BLOCKS * sizeof *result, ALLOC_DEVICE);
    launch_kernel(function, memory, seed, threads, out->base);
    memcpy(result, out->host, BLOCKS * sizeof *result);
    module_free(module, memory);
    ptx_free(ptx);
    memory_free_all(memory);
}

START_TEST(without_a_seed_memory_begins_with_zeros)
{
    float result[BLOCKS];
    run(kernels[_i], 0, 2, result);
    for (int b = 0; b < BLOCKS; b++)
        ck_assert_float_eq(result[b], THREADS);
}
END_TEST

START_TEST(with_a_seed_who_counts_on_zeros_is_wrong_in_every_block)
{
    float result[BLOCKS];
    run(kernels[_i], 7, 2, result);
    for (int b = 0; b < BLOCKS; b++)
        ck_assert_msg(isfinite(result[b]) && fabsf(result[b] - THREADS) > 1000, "block %d: %g", b, result[b]);
}
END_TEST

START_TEST(garbage_depends_on_the_seed_and_the_block_alone)
{
    float one[BLOCKS], two[BLOCKS], other[BLOCKS];
    int same = 0, neighbours = 0;
    run(kernels[_i], 7, 1, one);
    run(kernels[_i], 7, 2, two);
    run(kernels[_i], 8, 2, other);
    ck_assert_mem_eq(one, two, sizeof one);
    for (int b = 0; b < BLOCKS; b++) {
        same += one[b] == other[b];
        neighbours += b && one[b] == one[b - 1];
    }
    ck_assert_int_lt(same, 3);
    ck_assert_int_lt(neighbours, 3);
}
END_TEST

START_TEST(garbage_is_large_numbers_of_either_sign)
{
    float words[4096];
    int negative = 0;
    garbage_fill(words, 0, sizeof words, 1, 2);
    for (int i = 0; i < 4096; i++) {
        ck_assert_msg(fabsf(words[i]) >= 2097152 && fabsf(words[i]) < 8388608, "%g", words[i]);
        negative += words[i] < 0;
    }
    ck_assert_msg(negative > 1900 && negative < 2200, "%d of 4096 are negative", negative);
}
END_TEST

START_TEST(a_piece_of_garbage_is_the_same_as_in_the_whole)
{
    uint8_t whole[101], piece[101] = {0};
    garbage_fill(whole, 0, 101, 3, 4);
    garbage_fill(piece, 40, 101, 3, 4);
    ck_assert_mem_eq(piece + 40, whole + 40, 61);
    for (int i = 0; i < 40; i++)
        ck_assert_uint_eq(piece[i], 0);
}
END_TEST

START_TEST(device_memory_that_nobody_wrote_is_garbage_of_the_seed)
{
    enum { COUNT = 1000 };
    float host[3][COUNT];
    static const uint64_t seeds[3] = {0, 5, 6};
    for (int i = 0; i < 3; i++) {
        float *device;
        vgpu_set_garbage(seeds[i]);
        ck_assert_int_eq(cudaMalloc((void **)&device, sizeof host[i]), cudaSuccess);
        ck_assert_int_eq(cudaMemcpy(host[i], device, sizeof host[i], cudaMemcpyDeviceToHost), cudaSuccess);
        cudaFree(device);
    }
    for (int k = 0; k < COUNT; k++) {
        ck_assert_float_eq(host[0][k], 0);
        ck_assert(fabsf(host[1][k]) > 1000 && fabsf(host[2][k]) > 1000);
    }
    ck_assert_mem_ne(host[1], host[2], sizeof host[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("garbage");
    TCase *tests = tcase_create("garbage");
    tcase_add_loop_test(tests, without_a_seed_memory_begins_with_zeros, 0, KERNELS);
    tcase_add_loop_test(tests, with_a_seed_who_counts_on_zeros_is_wrong_in_every_block, 0, KERNELS);
    tcase_add_loop_test(tests, garbage_depends_on_the_seed_and_the_block_alone, 0, KERNELS);
    tcase_add_test(tests, garbage_is_large_numbers_of_either_sign);
    tcase_add_test(tests, a_piece_of_garbage_is_the_same_as_in_the_whole);
    tcase_add_test(tests, device_memory_that_nobody_wrote_is_garbage_of_the_seed);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
