/* test_sample.c - samples of blocks: memory is filled in where somebody comes to it, and no block works twice.
 * The device code is PTX text, so that nothing here needs nvcc. */
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "base/tests/run.h"
#include "vgpu.h"

/* Each thread of a 2-D grid, one warp to a block, adds 1 to a word of its own: with a load and a store, with atomics, with 16-byte
 * accesses (to the first of four), and with 4-byte accesses 64 bytes apart; and where a quarter of the blocks take ten times as
 * long as the others, so that a sample is taken in several rounds, of which the last one counts. shift: of the words' distance in bytes. */
#define PLAIN "ld.global.u32 %r5, [%rd3];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%rd3], %r5;\n"
#define LOOP(rounds)                                                                                         \
    "mov.u32 %r7, 0;\nAGAIN" rounds ":\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, " rounds                 \
    ";\n@%p2 bra AGAIN" rounds ";\n"
#define UNEVEN                                                                                               \
    "sub.u32 %r4, %r4, %r1;\nmul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"                        \
    "ld.global.u32 %r6, [%rd2];\nand.b32 %r6, %r6, 0x3000;\nsetp.ne.u32 %p1, %r6, 0;\n"                      \
    "@%p1 bra SHORT;\n" LOOP("3000") "SHORT:\n"
#define KERNEL(name, shift, work)                                                                            \
    ".visible .entry " name "(.param .u64 data)\n{\n"                                                        \
    ".reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n.reg .pred %p<3>;\n"                                               \
    "ld.param.u64 %rd1, [data];\ncvta.to.global.u64 %rd1, %rd1;\n"                                           \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %nctaid.x;\n"                              \
    "mad.lo.u32 %r4, %r2, %r3, %r1;\nshl.b32 %r4, %r4, 5;\nmov.u32 %r1, %tid.x;\n"                           \
    "add.u32 %r4, %r4, %r1;\nmul.wide.u32 %rd2, %r4, " shift ";\nadd.u64 %rd3, %rd1, %rd2;\n" LOOP("300")    \
        work "ret;\n}\n"
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n" KERNEL("plain", "4", PLAIN)
    KERNEL("atomic", "4", "red.global.add.u32 [%rd3], 1;\n")
        KERNEL("wide", "16",
               "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd3];\nadd.u32 %r5, %r5, 1;\n"
               "st.global.v4.u32 [%rd3], {%r5, %r6, %r7, %r8};\n") KERNEL("apart", "64", PLAIN)
            KERNEL("uneven", "4", UNEVEN PLAIN);

static const struct {
    const char *name;
    unsigned words; /* from one thread's to the next's */
} kernels[] = {{"plain", 1}, {"atomic", 1}, {"wide", 4}, {"apart", 16}, {"uneven", 1}};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const dim3 grids[] = {{33, 61, 1}, {8, 300, 1}, {1, 900, 1}, {257, 9, 1}};
enum { GRIDS = sizeof grids / sizeof *grids, LANES = 32 };

static unsigned *data;
static uint64_t made; /* bytes that were asked for */

static unsigned given(uint64_t i)
{
    return (unsigned)(i * 2654435761u) | 0x100;
}

static void fill(void *context, int which, uint64_t offset, uint64_t bytes, void *out)
{
    unsigned *words = out;
    ck_assert_ptr_eq(context, &made);
    ck_assert_int_eq(which, 7);
    for (uint64_t i = 0; i < bytes / 4; i++)
        words[i] = given(offset / 4 + i);
    made += bytes;
}

static void open_data(size_t bytes)
{
    made = 0;
    ck_assert_int_eq(cudaMalloc((void **)&data, bytes), cudaSuccess);
    ck_assert(vgpu_fill_late(data, fill, &made, 7));
}

static void launch(const char *name, dim3 grid)
{
    cudaLibrary_t own;
    cudaKernel_t found;
    void *args[] = {&data};
    ck_assert_int_eq(cudaLibraryLoadData(&own, ptx, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    ck_assert_int_eq(cudaLibraryGetKernel(&found, own, name), cudaSuccess);
    ck_assert_int_eq(cudaLaunchKernel((const void *)found, grid, (dim3){LANES, 1, 1}, args, 0, NULL),
                     cudaSuccess);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
    ck_assert_int_eq(cudaLibraryUnload(own), cudaSuccess);
}

/* 5 kernels on 4 grids: of every word that a sample has stored, 1 more than was there; of every other, what was there. */
START_TEST(no_block_of_a_sample_works_twice)
{
    const dim3 grid = grids[_i % GRIDS];
    const unsigned each = kernels[_i / GRIDS].words, nblocks = grid.x * grid.y;
    const uint64_t count = (uint64_t)nblocks * LANES * each;
    unsigned *host = malloc(count * 4);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t stored = 0;
        vgpu_set_use(true);
        open_data(count * 4);
        vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
        vgpu_set_sample_seed(seed * 0x9e3779b97f4a7c15u);
        launch(kernels[_i / GRIDS].name, grid);
        vgpu_set_sample_seed(0);
        const uint64_t asked = made;
        ck_assert_int_eq(cudaMemcpy(host, data, count * 4, cudaMemcpyDeviceToHost), cudaSuccess);
        const uint64_t *words = vgpu_words_stored((uint64_t)(uintptr_t)data);
        for (uint64_t i = 0; i < count; i++) {
            const bool is_stored = words[i / 64] >> i % 64 & 1, is_first = i % each == 0;
            if (host[i] != given(i) + (is_stored && is_first))
                ck_abort_msg("word %llu of seed %llu", (unsigned long long)i, (unsigned long long)seed);
            stored += is_stored && is_first;
        }
        ck_assert_uint_gt(stored, 0);
        ck_assert_uint_eq(stored % LANES, 0);
        ck_assert_uint_eq(made, count * 4); /* nothing twice */
        if (_i / GRIDS <
            KERNELS - 1) { /* what blocks came to, in pieces, and one block to see what they cost */
            ck_assert_uint_lt(stored, (uint64_t)nblocks * LANES);
            ck_assert_uint_le(asked, (stored / LANES + 1) * (LANES * each * 4 + 512));
        }
        cudaFree(data);
        vgpu_set_use(false);
    }
    free(host);
}
END_TEST

/* A grid that is executed as a whole, with no checks at all. */
START_TEST(memory_is_filled_late_for_every_launch)
{
    enum { COUNT = 4096 };
    unsigned host[COUNT];
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    vgpu_set_check(_i ? VGPU_CHECK_FULL : VGPU_CHECK_OFF);
    open_data(sizeof host);
    launch("plain", (dim3){COUNT / LANES / 2, 1, 1});
    ck_assert_uint_eq(made, sizeof host / 2);
    ck_assert_int_eq(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (unsigned i = 0; i < COUNT; i++)
        ck_assert_uint_eq(host[i], given(i) + (i < COUNT / 2));
    cudaFree(data);
    vgpu_set_check(VGPU_CHECK_BOUNDS);
}
END_TEST

/* Copies, settings and kernels in any order; the last 12 bytes are less than a piece. */
START_TEST(copies_and_settings_come_to_memory_that_is_filled_late)
{
    enum { COUNT = 1027 };
    unsigned host[COUNT], *other;
    open_data(sizeof host);
    ck_assert_int_eq(cudaMalloc((void **)&other, sizeof host), cudaSuccess);
    ck_assert_int_eq(cudaMemset(data + 3, 0xee, 8), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(data + 700, &(unsigned){5}, 4, cudaMemcpyHostToDevice), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy2D(other, 40, data, 40, 12, 100, cudaMemcpyDeviceToDevice), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(host, other, 4000, cudaMemcpyDeviceToHost), cudaSuccess);
    for (unsigned row = 1; row < 100; row++)
        for (unsigned i = 10 * row; i < 10 * row + 3; i++)
            ck_assert_uint_eq(host[i], i == 700 ? 5 : given(i));
    ck_assert_int_eq(cudaMemcpy(other, data, sizeof host, cudaMemcpyDeviceToDevice), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(host, other, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (unsigned i = 0; i < COUNT; i++)
        ck_assert_uint_eq(host[i], i == 3 || i == 4 ? 0xeeeeeeee : i == 700 ? 5 : given(i));
    cudaFree(other);
    cudaFree(data);
}
END_TEST

START_TEST(only_memory_can_be_filled_late)
{
    ck_assert(!vgpu_fill_late(NULL, fill, &made, 7));
    ck_assert(!vgpu_fill_late(&made, fill, &made, 7));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("sample");
    tcase_add_loop_test(tests, no_block_of_a_sample_works_twice, 0, KERNELS * GRIDS);
    tcase_add_loop_test(tests, memory_is_filled_late_for_every_launch, 0, 2);
    tcase_add_test(tests, copies_and_settings_come_to_memory_that_is_filled_late);
    tcase_add_test(tests, only_memory_can_be_filled_late);
    return run_tests("sample", tests);
}
