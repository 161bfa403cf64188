/* test_feeds.c - what of a kernel's work feeds a result: small kernels in PTX, and how many of their warp instructions do by hand.
 * Each has one block, `out` that is read in the end, `in`, and `scratch` that only another launch can read. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "vgpu.h"

#define HEAD                                                                                                 \
    "(.param .u64 out, .param .u64 in, .param .u64 scratch)\n{\n"                                            \
    ".reg .b32 %r<20>;\n.reg .f32 %f<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<8>;\n"                          \
    "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nld.param.u64 %rd3, [scratch];\n"                   \
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd4, %r1, 4;\n"                                                     \
    "add.u64 %rd5, %rd1, %rd4;\nadd.u64 %rd6, %rd2, %rd4;\nadd.u64 %rd7, %rd3, %rd4;\n"
#define SHARED(bytes)                                                                                        \
    ".shared .align 16 .b8 tile[" #bytes "];\nmov.u32 %r2, tile;\nmad.lo.u32 %r3, %r1, 4, %r2;\n"
#define END "ret;\n}\n"

static const char ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".const .align 4 .f32 taps[4] = {0f3F800000, 0f3F800000, 0f3F800000, 0f3F800000};\n"

    /* stored, never read */
    ".visible .entry dead_store" HEAD SHARED(
        256) "ld.global.f32 %f1, [%rd6];\nst.shared.f32 [%r3], %f1;\nst.global.f32 [%rd5], %f1;\n" END

             /* of 32 words that are stored one is read, by all */
             ".visible .entry one_word" HEAD SHARED(
                 256) "ld.global.f32 %f1, [%rd6];\nst.shared.f32 [%r3], %f1;\nbar.sync 0;\nld.shared.f32 "
                      "%f2, [tile];\n"
                      "st.global.f32 [%rd5], %f2;\n" END

                      /* through shared memory to another lane, and the same place written again before that */
                      ".visible .entry written_twice" HEAD SHARED(
                          256) "ld.global.f32 %f1, [%rd6];\nld.global.f32 %f3, [%rd6+128];\nst.shared.f32 "
                               "[%r3], %f3;\n"
                               "st.shared.f32 [%r3], %f1;\nbar.sync 0;\n"
                               "xor.b32 %r4, %r1, 1;\nmad.lo.u32 %r4, %r4, 4, %r2;\nld.shared.f32 %f2, "
                               "[%r4];\n"
                               "st.global.f32 [%rd5], %f2;\n" END

                               /* a tree of shuffles of which lane 0 stores the sum; the sum of another one goes nowhere */
                               ".visible .entry shuffles" HEAD
                               "ld.global.f32 %f1, [%rd6];\nmov.f32 %f5, %f1;\n"
                               "shfl.sync.down.b32 %f2, %f1, 2, 31, -1;\nadd.f32 %f1, %f1, %f2;\n"
                               "shfl.sync.down.b32 %f2, %f1, 1, 31, -1;\nadd.f32 %f1, %f1, %f2;\n"
                               "shfl.sync.bfly.b32 %f6, %f5, 1, 31, -1;\nadd.f32 %f5, %f5, %f6;\n"
                               "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nst.global.f32 [%rd1], "
                               "%f1;\nDONE:\n" END

                               /* the second source is never chosen, so what it loads and what decides about it change nothing */
                               ".visible .entry never_chosen" HEAD
                               "ld.global.f32 %f1, [%rd6];\nld.global.f32 %f2, [%rd6+128];\nld.const.f32 "
                               "%f3, [taps];\n"
                               "setp.lt.f32 %p1, %f2, 0f7F000000;\nselp.f32 %f4, %f1, %f3, "
                               "%p1;\nst.global.f32 [%rd5], %f4;\n" END

                               /* each is chosen by half of the lanes */
                               ".visible .entry chosen" HEAD "ld.global.f32 %f1, [%rd6];\nld.const.f32 %f3, "
                               "[taps];\nsetp.lt.u32 %p1, %r1, 16;\n"
                               "selp.f32 %f4, %f1, %f3, %p1;\nst.global.f32 [%rd5], %f4;\n" END

                               /* a sum over a loop, and beside it one that is only looked at where it is absurd */
                               ".visible .entry loop" HEAD
                               "mov.u32 %r4, 0;\nmov.f32 %f1, 0f00000000;\nmov.f32 %f2, 0f00000000;\n"
                               "AGAIN:\nld.global.f32 %f3, [%rd6];\nadd.f32 %f1, %f1, %f3;\nld.const.f32 "
                               "%f4, [taps];\n"
                               "add.f32 %f2, %f2, %f4;\nadd.u64 %rd6, %rd6, 4;\nadd.u32 %r4, %r4, 1;\n"
                               "setp.lt.u32 %p1, %r4, 8;\n@%p1 bra AGAIN;\n"
                               "setp.gt.f32 %p2, %f2, 0f7F000000;\n@!%p2 bra FINE;\nmov.f32 %f1, "
                               "%f2;\nFINE:\n"
                               "st.global.f32 [%rd5], %f1;\n" END

                               /* a value that is loaded decides how often another is added */
                               ".visible .entry decides" HEAD
                               "ld.global.u32 %r5, [%rd6];\nand.b32 %r5, %r5, 3;\nmov.u32 %r4, 0;\nmov.f32 "
                               "%f1, 0f00000000;\n"
                               "AGAIN:\nsetp.ge.u32 %p1, %r4, %r5;\n@%p1 bra FINE;\nadd.f32 %f1, %f1, "
                               "0f3F800000;\n"
                               "add.u32 %r4, %r4, 1;\nbra AGAIN;\nFINE:\nst.global.f32 [%rd5], %f1;\n" END

                               /* a predicate guards a store, and another one loads for nothing */
                               ".visible .entry predicates" HEAD
                               "ld.global.u32 %r5, [%rd6];\nand.b32 %r6, %r5, 1;\nsetp.eq.u32 %p1, %r6, 0;\n"
                               "@%p1 st.global.u32 [%rd5], %r1;\nsetp.lt.u32 %p2, %r1, 8;\n@%p2 "
                               "ld.global.u32 %r7, [%rd6+128];\n" END

                               /* counts in shared memory, of which the first 8 are stored; the others are counted for nothing */
                               ".visible .entry atomics" HEAD SHARED(
                                   256) "mov.u32 %r4, 0;\nst.shared.u32 [%r3], %r4;\nbar.sync 0;\n"
                                        "and.b32 %r5, %r1, 7;\nmad.lo.u32 %r5, %r5, 4, "
                                        "%r2;\nred.shared.add.u32 [%r5], 1;\n"
                                        "red.shared.add.u32 [%r3+128], 1;\nbar.sync 0;\nsetp.gt.u32 %p1, "
                                        "%r1, 7;\n@%p1 bra DONE;\n"
                                        "ld.shared.u32 %r6, [%r3];\nst.global.u32 [%rd5], %r6;\nDONE:\n" END

                                        /* two asynchronous copies, of which one is read */
                                        ".visible .entry copies" HEAD SHARED(
                                            512) "cp.async.ca.shared.global [%r3], [%rd6], "
                                                 "4;\ncp.async.ca.shared.global [%r3+256], [%rd6+128], 4;\n"
                                                 "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync "
                                                 "0;\nld.shared.f32 %f1, [%r3];\n"
                                                 "st.global.f32 [%rd5], %f1;\n" END

                                                 /* an array of the thread's own: two are stored, one is read */
                                                 ".visible .entry local" HEAD
                                                 ".local .align 4 .b8 mine[16];\nmov.u64 %rd8, "
                                                 "mine;\nand.b32 %r5, %r1, 1;\nmul.wide.u32 %rd9, %r5, 4;\n"
                                                 "add.u64 %rd9, %rd8, %rd9;\nld.global.f32 %f1, "
                                                 "[%rd6];\nst.local.f32 [%rd9], %f1;\n"
                                                 "st.local.f32 [%rd9+8], %f1;\nld.local.f32 %f2, "
                                                 "[%rd9];\nst.global.f32 [%rd5], %f2;\n" END

                                                 /* what only `last` can read */
                                                 ".visible .entry first" HEAD
                                                 "ld.global.f32 %f1, [%rd6];\nst.global.f32 [%rd7], "
                                                 "%f1;\n" END ".visible .entry last" HEAD
                                                 "ld.global.f32 %f1, [%rd7];\nst.global.f32 [%rd5], "
                                                 "%f1;\n" END

                                                 /* a function that gives one of its two arguments back */
                                                 ".func (.param .b32 back) pick(.param .b32 a, .param .b32 "
                                                 "b)\n{\n.reg .f32 %f<3>;\n"
                                                 "ld.param.f32 %f1, [a];\nld.param.f32 %f2, "
                                                 "[b];\nst.param.f32 [back], %f1;\nret;\n}\n"
                                                 ".visible .entry call" HEAD
                                                 "ld.global.f32 %f1, [%rd6];\nld.const.f32 %f2, [taps];\n"
                                                 "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 "
                                                 "z;\nst.param.f32 [x], %f1;\nst.param.f32 [y], %f2;\n"
                                                 "call (z), pick, (x, y);\nld.param.f32 %f3, "
                                                 "[z];\n}\nst.global.f32 [%rd5], %f3;\n" END

                                                 /* lane 0 waits for what another one has set */
                                                 ".visible .entry votes" HEAD
                                                 "ld.global.u32 %r5, [%rd6];\nsetp.gt.u32 %p1, %r5, "
                                                 "7;\nvote.sync.ballot.b32 %r6, %p1, -1;\n"
                                                 "vote.sync.ballot.b32 %r7, %p1, -1;\nst.global.u32 [%rd5], "
                                                 "%r6;\n" END

                                                 /* of two inputs, each through a part of shared memory of its own, and one through a shuffle */
                                                 ".visible .entry two_inputs" HEAD SHARED(
                                                     512) "ld.global.f32 %f1, [%rd6];\nst.shared.f32 [%r3], "
                                                          "%f1;\nld.global.f32 %f2, [%rd7];\n"
                                                          "st.shared.f32 [%r3+256], %f2;\nbar.sync "
                                                          "0;\nld.shared.f32 %f3, [%r3];\nld.shared.f32 %f4, "
                                                          "[%r3+256];\n"
                                                          "add.f32 %f5, %f3, %f4;\nmov.b32 %r8, "
                                                          "%f3;\nshfl.sync.idx.b32 %r9, %r8, 0, 31, "
                                                          "-1;\nmov.b32 %f6, %r9;\n"
                                                          "add.f32 %f5, %f5, %f6;\nst.global.f32 [%rd5], "
                                                          "%f5;\n" END

                                                          /* longer than a trail: what is added for nothing is found all the same */
                                                          ".visible .entry long" HEAD
                                                          "mov.u32 %r4, 0;\nmov.f32 %f1, "
                                                          "0f00000000;\nmov.f32 %f2, 0f00000000;\n"
                                                          "AGAIN:\nld.global.f32 %f3, [%rd6];\nadd.f32 %f1, "
                                                          "%f1, %f3;\nld.const.f32 %f4, [taps];\n"
                                                          "add.f32 %f2, %f2, %f4;\nadd.u32 %r4, %r4, 1;\n"
                                                          "setp.lt.u32 %p1, %r4, 10000;\n@%p1 bra AGAIN;\n"
                                                          "setp.gt.f32 %p2, %f2, 0f7F000000;\n@!%p2 bra "
                                                          "FINE;\nmov.f32 %f1, %f2;\nFINE:\n"
                                                          "st.global.f32 [%rd5], %f1;\n" END;

enum { WORDS = 1024 };

static cudaLibrary_t library;
static uint32_t *memory[3];

static void begin(void)
{
    uint32_t words[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
    ck_assert_int_eq(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(cudaMalloc((void **)&memory[i], sizeof words), cudaSuccess);
        cudaMemcpy(memory[i], words, sizeof words, cudaMemcpyHostToDevice);
    }
    vgpu_follow(true);
}

static void end(void)
{
    for (int i = 0; i < 3; i++)
        cudaFree(memory[i]);
    cudaLibraryUnload(library);
}

static void launch(const char *name)
{
    cudaKernel_t kernel;
    void *args[] = {&memory[0], &memory[1], &memory[2]};
    ck_assert_int_eq(cudaLibraryGetKernel(&kernel, library, name), cudaSuccess);
    ck_assert_int_eq(cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL),
                     cudaSuccess);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
}

static struct vgpu_mattered solve(bool host_reads)
{
    struct vgpu_mattered out;
    const uint64_t outputs[] = {(uintptr_t)memory[0]},
                   inputs[] = {(uintptr_t)memory[1], (uintptr_t)memory[2]};
    vgpu_mattered(&(struct vgpu_wanted){outputs, host_reads ? 0 : 1, inputs, 2, host_reads}, &out);
    ck_assert(out.is_known);
    return out;
}

static double value(const struct vgpu_mattered *out, const double *values, const char *name)
{
    for (size_t i = 0; i < out->ncounters; i++)
        if (!strcmp(out->names[i], name))
            return values[i];
    ck_abort_msg("no counter %s", name);
}

static const struct expected {
    const char *kernel, *counter;
    double value;
} expected[] = {
    {"dead_store", "global_load_requests", 1},
    {"dead_store", "shared_store_requests", 0},
    {"dead_store", "global_store_requests", 1},
    {"one_word", "shared_store_requests", 1},
    {"one_word", "shared_written_bytes", 4},
    {"one_word", "global_load_requests", 1},
    {"written_twice", "shared_store_requests", 1},
    {"written_twice", "global_load_requests", 1},
    {"shuffles", "warp_op_instructions", 2},
    {"shuffles", "global_load_requests", 1},
    {"shuffles", "fp32_instructions", 2},
    {"never_chosen", "global_load_requests", 1},
    {"never_chosen", "const_requests", 0},
    {"chosen", "global_load_requests", 1},
    {"chosen", "const_requests", 1},
    {"loop", "global_load_requests", 8},
    {"loop", "const_requests", 0},
    {"loop", "fp32_instructions", 8},
    {"decides", "global_load_requests", 1},
    {"predicates", "global_load_requests", 1},
    {"predicates", "global_store_requests", 1},
    {"atomics", "shared_atomic_requests", 1},
    {"atomics", "shared_store_requests", 1},
    {"atomics", "shared_load_requests", 1},
    {"copies", "async_copy_bytes", 128},
    {"copies", "global_load_requests", 1},
    {"local", "local_store_requests", 1},
    {"local", "local_load_requests", 1},
    {"first", "global_load_requests", 0},
    {"last", "global_load_requests", 1},
    {"call", "global_load_requests", 1},
    {"call", "const_requests", 0},
    {"votes", "warp_op_instructions", 1},
    {"long", "global_load_requests", 10000},
    {"long", "const_requests", 0},
    {"long", "global_store_requests", 1},
};

START_TEST(what_feeds_no_result_is_not_counted)
{
    const struct expected *row = &expected[_i];
    begin();
    launch(row->kernel);
    const struct vgpu_mattered out = solve(false);
    const double got = value(&out, out.all, row->counter);
    const bool is_right =
        !strcmp(row->kernel, "long") ? got >= row->value && got < row->value + 1 : got == row->value;
    ck_assert_msg(is_right, "%s: %g %s, not %g", row->kernel, got, row->counter, row->value);
    end();
}
END_TEST

START_TEST(what_one_launch_writes_matters_if_a_later_one_reads_it)
{
    begin();
    launch("first");
    launch("last");
    struct vgpu_mattered out = solve(false);
    ck_assert_double_eq(value(&out, out.all, "global_load_requests"), 2);
    vgpu_follow(true);
    launch("last");
    launch("first");
    out = solve(false);
    ck_assert_double_eq(value(&out, out.all, "global_load_requests"), 1);
    end();
}
END_TEST

START_TEST(what_is_copied_on_matters_if_the_copy_is_read)
{
    uint32_t words[32];
    for (int reads = 0; reads < 2; reads++) {
        begin();
        launch("first");
        cudaMemcpy(words, memory[2], sizeof words, cudaMemcpyDeviceToHost);
        const struct vgpu_mattered out = solve(reads);
        ck_assert_double_eq(value(&out, out.all, "global_load_requests"), reads);
        end();
    }
    begin();
    launch("first");
    cudaMemcpy(memory[0], memory[2], sizeof words, cudaMemcpyDeviceToDevice);
    const struct vgpu_mattered out = solve(false);
    ck_assert_double_eq(value(&out, out.all, "global_load_requests"), 1);
    end();
}
END_TEST

START_TEST(what_comes_from_an_input_is_counted_by_itself)
{
    begin();
    launch("two_inputs");
    const struct vgpu_mattered out = solve(false);
    for (int k = 0; k < 2; k++) {
        ck_assert_double_eq(value(&out, out.of[k], "global_load_requests"), 1);
        ck_assert_double_eq(value(&out, out.of[k], "shared_load_requests"), 1);
        ck_assert_double_eq(value(&out, out.of[k], "shared_store_requests"), 1);
        ck_assert_double_eq(value(&out, out.of[k], "warp_op_instructions"), k == 0);
    }
    ck_assert_double_eq(value(&out, out.all, "shared_load_requests"), 2);
    end();
}
END_TEST

START_TEST(lanes_that_do_nothing_that_matters_are_idle)
{
    begin();
    launch("shuffles");
    const struct vgpu_mattered out = solve(false);
    /* lanes 0 to 3 load, 0 and 1 add 2 and 3, 0 adds 1: of the additions alone 30 and 31 lanes are idle */
    ck_assert_double_ge(out.idle_lanes, 28 + 30 + 31);
    end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("feeds");
    tcase_add_loop_test(tests, what_feeds_no_result_is_not_counted, 0, sizeof expected / sizeof *expected);
    tcase_add_test(tests, what_one_launch_writes_matters_if_a_later_one_reads_it);
    tcase_add_test(tests, what_is_copied_on_matters_if_the_copy_is_read);
    tcase_add_test(tests, what_comes_from_an_input_is_counted_by_itself);
    tcase_add_test(tests, lanes_that_do_nothing_that_matters_are_idle);
    return run_tests("feeds", tests);
}
