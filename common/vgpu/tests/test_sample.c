/* test_sample.c - samples of blocks: memory is filled in where somebody comes to it, and no block works twice.
 * The device code is PTX text, so that nothing here needs nvcc. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
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
            KERNEL("uneven", "4", UNEVEN PLAIN) KERNEL("long", "4", LOOP("400000") PLAIN)
                KERNEL("longer", "128",
                       "mov.u32 %r8, 0;\nON:\nadd.u32 %r8, %r8, 1;\n"
                       "ld.global.u32 %r5, [%rd3];\nadd.u32 %r5, %r5, 1;\n"
                       "st.global.u32 [%rd3], %r5;\nsetp.lt.u32 %p1, %r8, 40000;\n"
                       "@%p1 bra ON;\n")
                    KERNEL("corner", "4",
                           LOOP("5000") "mov.u32 %r5, %ctaid.x;\nor.b32 %r5, %r5, %r2;\n"
                                        "setp.ge.u32 %p1, %r5, 32;\n@%p1 bra NOTHING;\n" PLAIN "NOTHING:\n");

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

/* out[i] = texel i % 8192, by the i-th thread: both halves of the blocks come to the same ones. */
static const char texels_ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry texels(.param .u64 out, .param .u64 texture)\n{\n"
    ".reg .b32 %r<9>;\n.reg .b64 %rd<5>;\n.reg .pred %p<3>;\n"
    "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd1, %rd1;\nld.param.u64 %rd4, [texture];\n"
    "mov.u32 %r1, %ctaid.x;\nshl.b32 %r1, %r1, 5;\nmov.u32 %r2, %tid.x;\nadd.u32 %r4, %r1, %r2;\n" LOOP(
        "2000") "and.b32 %r3, %r4, 8191;\ntex.1d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%rd4, {%r3}];\n"
                "mul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], "
                "%r5;\nret;\n}\n";

/* Blocks on several host threads come to the same texels at the same time: neither sees them before they are there. */
START_TEST(texels_are_there_for_all_threads)
{
    enum { TEXELS = 1 << 13, COUNT = 2 * TEXELS };
    static unsigned host[COUNT];
    unsigned *out;
    cudaTextureObject_t texture;
    cudaLibrary_t own;
    cudaKernel_t found;
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    open_data(TEXELS * sizeof *host);
    ck_assert_int_eq(cudaMalloc((void **)&out, sizeof host), cudaSuccess);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = (struct cudaChannelFormatDesc){32, 0, 0, 0, cudaChannelFormatKindUnsigned};
    resource.res.linear.sizeInBytes = TEXELS * sizeof *host;
    const struct cudaTextureDesc sampling = {.readMode = cudaReadModeElementType};
    ck_assert_int_eq(cudaCreateTextureObject(&texture, &resource, &sampling, NULL), cudaSuccess);
    void *args[] = {&out, &texture};
    ck_assert_int_eq(cudaLibraryLoadData(&own, texels_ptx, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    ck_assert_int_eq(cudaLibraryGetKernel(&found, own, "texels"), cudaSuccess);
    ck_assert_int_eq(cudaLaunchKernel((const void *)found, (dim3){COUNT / LANES, 1, 1}, (dim3){LANES, 1, 1},
                                      args, 0, NULL),
                     cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (unsigned i = 0; i < COUNT; i++)
        ck_assert_uint_eq(host[i], given(i % TEXELS));
    ck_assert_int_eq(cudaDestroyTextureObject(texture), cudaSuccess);
    ck_assert_int_eq(cudaLibraryUnload(own), cudaSuccess);
    cudaFree(out);
    cudaFree(data);
}
END_TEST

/* Where all blocks but those of a corner do nothing, as with a grid that is too large, a wide sample has its share of that corner. */
START_TEST(a_wide_sample_has_blocks_of_every_patch)
{
    const unsigned side = 64, corner = 32;
    const uint64_t count = (uint64_t)side * side * LANES;
    vgpu_set_use(true);
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_sample_seed(5 + (uint64_t)_i);
    open_data(count * 4);
    vgpu_set_sample_least(128);
    launch("corner", (dim3){side, side, 1});
    vgpu_set_sample_least(0);
    vgpu_set_sample_seed(0);
    const double due = (double)corner * corner * LANES * 4;
    const double stored = vgpu_bytes_stored((uint64_t)(uintptr_t)data);
    ck_assert_double_ge(stored, 0.8 * due);
    ck_assert_double_le(stored, 1.2 * due);
    cudaFree(data);
    vgpu_set_use(false);
}
END_TEST

/* Of blocks that take long, one is enough if it hardly comes to memory, and else two; unless a wide sample is asked for. */
START_TEST(a_sample_of_long_blocks_has_few)
{
    static const struct {
        const char *name;
        unsigned least, blocks, words;
    } rows[] = {{"long", 0, 1, 1}, {"longer", 0, 2, 32}, {"long", 16, 16, 1}, {"plain", 0, 0, 1}};
    const unsigned nblocks = 100;
    const uint64_t count = (uint64_t)nblocks * LANES * rows[_i].words;
    vgpu_set_use(true);
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_sample_seed(9);
    open_data(count * 4);
    vgpu_set_sample_least(rows[_i].least);
    launch(rows[_i].name, (dim3){nblocks, 1, 1});
    vgpu_set_sample_least(0);
    vgpu_set_sample_seed(0);
    const uint64_t *words = vgpu_words_stored((uint64_t)(uintptr_t)data);
    unsigned stored = 0;
    for (uint64_t i = 0; i < count / 64; i++)
        stored += (unsigned)__builtin_popcountll(words[i]);
    ck_assert_uint_eq(stored, LANES * (rows[_i].blocks ? rows[_i].blocks : nblocks));
    cudaFree(data);
    vgpu_set_use(false);
}
END_TEST

/* ------------------------------------------------------------------------------------------- copies */

/* Memories of device and host, some made late, beside what they must hold. The program comes to those of the host by copies alone. */
enum { MEMORIES = 6, FIRST_HOST = 4, WORDS = 80000 };
static struct {
    uint8_t *bytes, *must;
} memories[MEMORIES];
static uint64_t drawn;

static uint64_t draw(uint64_t below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (drawn >> 33) % below;
}

static void open_memories(void)
{
    for (int m = 0; m < MEMORIES; m++) {
        const bool is_host = m >= FIRST_HOST;
        memories[m].must = calloc(WORDS, 4);
        if (is_host)
            memories[m].bytes = calloc(WORDS, 4);
        else
            ck_assert_int_eq(cudaMalloc((void **)&memories[m].bytes, (size_t)WORDS * 4), cudaSuccess);
        if (m >= 1 && m <= 2) /* the runtime's own: what it holds is what is found there */
            ck_assert_int_eq(
                cudaMemcpy(memories[m].must, memories[m].bytes, (size_t)WORDS * 4, cudaMemcpyDeviceToHost),
                cudaSuccess);
        else
            fill(&made, 7, 0, (uint64_t)WORDS * 4, memories[m].must);
        if (m == 0 || m == 3)
            ck_assert(vgpu_fill_late(memories[m].bytes, fill, &made, 7));
        if (is_host)
            ck_assert(vgpu_fill_host_late(memories[m].bytes, (uint64_t)WORDS * 4, fill, &made, 7));
    }
}

static void close_memories(void)
{
    for (int m = 0; m < MEMORIES; m++) {
        if (m >= FIRST_HOST) {
            vgpu_end_late(memories[m].bytes);
            free(memories[m].bytes);
        } else {
            cudaFree(memories[m].bytes);
        }
        free(memories[m].must);
    }
}

static void copy_some(void)
{
    const int to = (int)draw(MEMORIES), from = (int)draw(MEMORIES);
    const uint64_t height = draw(3) ? 1 : 1 + draw(40), most = WORDS / height,
                   to_pitch = most - draw(most / 8), from_pitch = most - draw(most / 8),
                   width = smaller_of(to_pitch, from_pitch) - draw(most / 8),
                   align = draw(2) ? 64 : 1; /* whole groups, and pieces of them */
    const uint64_t a = draw(WORDS - (height - 1) * to_pitch - width + 1) / align * align,
                   b = draw(WORDS - (height - 1) * from_pitch - width + 1) / align * align;
    if (to == from)
        return;
    ck_assert_int_eq(cudaMemcpy2D(memories[to].bytes + 4 * a, 4 * to_pitch, memories[from].bytes + 4 * b,
                                  4 * from_pitch, 4 * width, height, cudaMemcpyDefault),
                     cudaSuccess);
    for (uint64_t row = 0; row < height; row++)
        memcpy(memories[to].must + 4 * (a + row * to_pitch), memories[from].must + 4 * (b + row * from_pitch),
               4 * width);
}

/* As a kernel or a step of the host would. */
static void change_some(void)
{
    const int m = (int)draw(MEMORIES);
    const uint64_t count = 1 + draw(300), at = draw(WORDS - count);
    for (uint64_t i = at; i < at + count; i++)
        ((unsigned *)(void *)memories[m].must)[i] = (unsigned)draw(1 << 30);
    if (m >= FIRST_HOST) {
        vgpu_bring(memories[m].bytes + 4 * at, 4 * count);
        memcpy(memories[m].bytes + 4 * at, memories[m].must + 4 * at, 4 * count);
    } else {
        ck_assert_int_eq(cudaMemcpy(memories[m].bytes + 4 * at, memories[m].must + 4 * at, 4 * count,
                                    cudaMemcpyHostToDevice),
                         cudaSuccess);
    }
}

static void expect_some(uint64_t at, uint64_t count, int m)
{
    static uint8_t found[WORDS * 4];
    if (m >= FIRST_HOST) {
        vgpu_bring(memories[m].bytes + 4 * at, 4 * count);
        memcpy(found, memories[m].bytes + 4 * at, 4 * count);
    } else {
        ck_assert_int_eq(cudaMemcpy(found, memories[m].bytes + 4 * at, 4 * count, cudaMemcpyDeviceToHost),
                         cudaSuccess);
    }
    ck_assert_mem_eq(found, memories[m].must + 4 * at, 4 * count);
}

/* Whatever comes before and after it, a copy brings what was there when it was asked for. */
START_TEST(copies_of_what_is_not_there_bring_it)
{
    drawn = (uint64_t)_i + 1;
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_sample_seed(5);
    vgpu_set_garbage(_i % 2 ? 3 : 0);
    open_memories();
    for (int step = 0; step < 60; step++) {
        copy_some();
        for (uint64_t k = draw(4); k > 0; k--)
            change_some();
        const uint64_t count = 1 + draw(200);
        expect_some(draw(WORDS - count), count, (int)draw(MEMORIES));
    }
    for (int m = 0; m < MEMORIES; m++)
        expect_some(0, WORDS, m);
    close_memories();
    vgpu_set_garbage(0);
    vgpu_set_sample_seed(0);
}
END_TEST

/* From the host to the device, through memory of its own and back: who looks at a few words makes these. */
START_TEST(little_of_a_copy_is_made_where_little_is_used)
{
    enum { BYTES = 1 << 20 };
    unsigned *own, word, *host = calloc(1, BYTES), *back = calloc(1, BYTES);
    vgpu_set_execution(VGPU_EXECUTE_SAMPLE);
    vgpu_set_sample_seed(5);
    made = 0;
    ck_assert_int_eq(cudaMalloc((void **)&data, BYTES), cudaSuccess);
    ck_assert_int_eq(cudaMalloc((void **)&own, BYTES), cudaSuccess);
    ck_assert(vgpu_fill_host_late(host, BYTES, fill, &made, 7));
    ck_assert(vgpu_fill_host_late(back, BYTES, fill, &made, 7));
    ck_assert_int_eq(cudaHostRegister(host, BYTES, cudaHostRegisterDefault), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(data, host, BYTES, cudaMemcpyHostToDevice), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy2D(own, 1024, data, 2048, 1000, BYTES / 2048, cudaMemcpyDeviceToDevice),
                     cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(back, own, BYTES / 2, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_uint_eq(made, 0);
    vgpu_bring(back + 256 * 7 + 3, 4);
    ck_assert_uint_eq(back[256 * 7 + 3], given(512 * 7 + 3));
    ck_assert_int_eq(cudaMemcpy(&word, data + 99, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_uint_eq(word, given(99));
    ck_assert_uint_lt(made, 1024);
    ck_assert_int_eq(cudaHostUnregister(host), cudaSuccess);
    vgpu_end_late(host);
    vgpu_end_late(back);
    cudaFree(data);
    cudaFree(own);
    free(host);
    free(back);
    vgpu_set_sample_seed(0);
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
    tcase_add_loop_test(tests, texels_are_there_for_all_threads, 0, 10);
    tcase_add_loop_test(tests, a_sample_of_long_blocks_has_few, 0, 4);
    tcase_add_loop_test(tests, a_wide_sample_has_blocks_of_every_patch, 0, 8);
    tcase_add_loop_test(tests, copies_of_what_is_not_there_bring_it, 0, 40);
    tcase_add_test(tests, little_of_a_copy_is_made_where_little_is_used);
    tcase_add_test(tests, only_memory_can_be_filled_late);
    return run_tests("sample", tests);
}
