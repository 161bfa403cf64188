/* test_profile.c - where the time of a launch goes: pictures of accesses, time by lines, and the words about both.
 * What is expected follows from the addresses that the PTX below computes: sectors have 32 bytes, banks 4, of which there are 32. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tests/run.h"
#include "vgpu.h"

/* Thread t of its block loads the word at 128 t of the block's part (line 11), goes through shared memory, where it stores at
 * 128 t and loads what thread 0 has stored (lines 20 and 21), and stores side by side with its neighbours (line 12). */
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.file 1 \"/nowhere/strides.cu\"\n"
    ".visible .entry strides(.param .u64 out, .param .u64 in)\n{\n.shared .align 4 .b8 tile[4096];\n"
    ".reg .b32 %r<12>;\n.reg .b64 %rd<8>;\n"
    ".loc 1 10 0\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.u32 %r3, %r1, 32, %r2;\n"
    "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n"
    ".loc 1 11 0\n"
    "mul.wide.u32 %rd3, %r3, 128;\nadd.u64 %rd4, %rd1, %rd3;\nld.global.u32 %r4, [%rd4];\n"
    ".loc 1 20 0\n"
    "mov.u32 %r5, tile;\nmad.lo.u32 %r6, %r2, 128, %r5;\nst.shared.u32 [%r6], %r4;\n"
    "bar.sync 0;\n"
    ".loc 1 21 0\n"
    "ld.shared.u32 %r8, [%r5];\n"
    ".loc 1 12 0\n"
    "mul.wide.u32 %rd5, %r3, 4;\nadd.u64 %rd6, %rd2, %rd5;\nst.global.u32 [%rd6], %r8;\n"
    "ret;\n}\n"
    /* Each warp of a block reads the same 4096 lines, one after another. */
    ".visible .entry together(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<6>;\n"
    "mov.u32 %r1, %laneid;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n"
    "mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd1, %rd1, %rd3;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
    "again: ld.global.u32 %r4, [%rd1];\nadd.u32 %r3, %r3, %r4;\nadd.u64 %rd1, %rd1, 128;\n"
    "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 4096;\n@%p1 bra again;\n"
    "add.u64 %rd2, %rd2, %rd3;\nst.global.u32 [%rd2], %r3;\nret;\n}\n";

enum { BLOCKS = 4096, THREADS = 32, LANE_COUNT = 32 };

static struct {
    double time_us, line_sum, spent_sum;
    size_t naccesses;
    struct vgpu_access load, store, shared_load, shared_store;
    char *words, *json;
    bool has_profile;
} seen;

static void keep(const struct vgpu_access *access)
{
    const bool is_shared = !strcmp(access->space, "shared"), is_store = !strcmp(access->verb, "store");
    *(is_shared  ? is_store ? &seen.shared_store : &seen.shared_load
      : is_store ? &seen.store
                 : &seen.load) = *access;
}

/* What is said of the launch as if it had another grid and limit; limiter NULL: as it is. */
static struct {
    unsigned beyond; /* blocks beyond those that fit on the GPU at once */
    const char *limiter;
} as_if;

static struct vgpu_launch changed(const struct vgpu_launch *launch)
{
    struct vgpu_launch other = *launch;
    for (size_t i = 0; as_if.limiter && i < launch->ncounters; i++)
        if (!strcmp(launch->names[i], "blocks_per_sm"))
            other.grid[0] = (unsigned)launch->values[i] * launch->profile->sms + as_if.beyond;
    other.limiter = as_if.limiter ? as_if.limiter : launch->limiter;
    return other;
}

static void launched(void *context, const struct vgpu_launch *launch)
{
    size_t size;
    (void)context;
    seen.time_us = launch->time_us;
    seen.has_profile = launch->profile != NULL;
    if (!launch->profile)
        return;
    for (size_t i = 0; i < launch->nlines; i++)
        for (int on = 0; on < VGPU_SPENTS; on++)
            seen.line_sum += launch->profile->spent[i][on];
    for (int on = 0; on < VGPU_SPENTS; on++)
        seen.spent_sum += launch->profile->spent_on[on];
    seen.naccesses = launch->profile->naccesses;
    for (size_t i = 0; i < launch->profile->naccesses; i++)
        keep(&launch->profile->accesses[i]);
    FILE *file = open_memstream(&seen.words, &size);
    const struct vgpu_launch told = changed(launch);
    vgpu_explain(file, &told, &(struct vgpu_page){.columns = as_if.limiter ? 400 : 80});
    fclose(file);
    file = open_memstream(&seen.json, &size);
    vgpu_profile_json(file, launch, false);
    fclose(file);
}

static void *in, *out;

/* Also where no test is under way. */
static void must(cudaError_t error)
{
    if (error)
        abort();
}

static void run_kernel(bool wants_profile, const char *name, unsigned blocks, unsigned threads)
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    void *args[] = {&out, &in};
    free(seen.words);
    free(seen.json);
    memset(&seen, 0, sizeof seen);
    vgpu_watch(&(struct vgpu_watcher){.launched = launched, .wants_profile = wants_profile});
    must(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    must(cudaLibraryGetKernel(&kernel, library, name));
    must(cudaMalloc(&in, (size_t)BLOCKS * THREADS * 128));
    must(cudaMalloc(&out, (size_t)BLOCKS * THREADS * 4));
    cudaMemset(in, 0, (size_t)BLOCKS * THREADS * 128);
    must(cudaLaunchKernel((const void *)kernel, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, args, 0, NULL));
    must(cudaDeviceSynchronize());
    vgpu_watch(NULL);
    cudaFree(in);
    cudaFree(out);
    cudaLibraryUnload(library);
}

static void run(bool wants_profile)
{
    run_kernel(wants_profile, "strides", BLOCKS, THREADS);
}

START_TEST(a_profile_changes_no_time_and_is_there_only_if_wanted)
{
    run(false);
    const double before = seen.time_us;
    ck_assert(!seen.has_profile);
    run(true);
    ck_assert(seen.has_profile);
    ck_assert_double_eq(seen.time_us, before);
}
END_TEST

START_TEST(the_parts_of_the_time_are_all_of_it)
{
    run(true);
    ck_assert_double_eq_tol(seen.spent_sum, 1, 1e-9);
    ck_assert_double_eq_tol(seen.line_sum, 1, 1e-9);
}
END_TEST

static unsigned long long of_json(const char *name)
{
    char key[60];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(seen.json, key);
    ck_assert_ptr_nonnull(at);
    return strtoull(at + strlen(key), NULL, 10);
}

/* A load's 32 lanes ask for a sector each, which nobody has asked for before; a store's for four together. DRAM gives two sectors at
 * least: it delivers more than misses, on an H200, too. */
START_TEST(what_caches_find_and_do_not_find_is_all_that_was_asked_for)
{
    run(true);
    ck_assert_uint_eq(of_json("l1_loads"), 32 * BLOCKS);
    ck_assert_uint_eq(of_json("l1_hits"), 0);
    ck_assert_uint_eq(of_json("l1_misses"), 32 * BLOCKS);
    ck_assert_uint_eq(of_json("l2_reads"), 32 * BLOCKS);
    ck_assert_uint_eq(of_json("l2_writes"), 4 * BLOCKS);
    ck_assert_uint_eq(of_json("l2_misses") + of_json("l2_hits"), 36 * BLOCKS);
    ck_assert_uint_eq(of_json("l2_misses"), 32 * BLOCKS);
    ck_assert_uint_eq(of_json("dram_reads"), 2 * 32 * BLOCKS);
    ck_assert_uint_eq(of_json("dram_reads") * 32, of_json("dram_read_bytes"));
    ck_assert_uint_eq(of_json("dram_writes") * 32, of_json("dram_write_bytes"));
}
END_TEST

/* Half a megabyte is more than L1 has. Eight warps that go through it together find what the first has brought: on a GPU, and so here,
 * though blocks are executed warp after warp. */
START_TEST(what_warps_use_together_is_found_in_l1)
{
    enum { WARPS = 8, LINES = 4096 };
    run_kernel(true, "together", 1, WARPS * LANE_COUNT);
    ck_assert_uint_eq(of_json("l1_loads"), 4 * LINES * WARPS);
    ck_assert_uint_eq(of_json("l1_hits") + of_json("l1_misses"), 4 * LINES * WARPS);
    ck_assert_uint_eq(of_json("l1_misses"), 4 * LINES);
    ck_assert_uint_eq(of_json("l2_reads"), 4 * LINES);
}
END_TEST

START_TEST(every_access_has_its_line_array_and_cost)
{
    const struct {
        const struct vgpu_access *access;
        unsigned line;
        const char *array;
        double each, ideal;
    } rows[] = {{&seen.load, 11, "argument 2", 32, 4},
                {&seen.store, 12, "argument 1", 4, 4},
                {&seen.shared_store, 20, "tile", 32, 1},
                {&seen.shared_load, 21, "tile", 1, 1}};
    run(true);
    ck_assert_uint_eq(seen.naccesses, 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_uint_eq(rows[i].access->line, rows[i].line);
        ck_assert_str_eq(rows[i].access->array, rows[i].array);
        ck_assert_double_eq(rows[i].access->requests, BLOCKS);
        ck_assert_double_eq(rows[i].access->parts, rows[i].each * BLOCKS);
        ck_assert_double_eq(rows[i].access->ideal, rows[i].ideal * BLOCKS);
        ck_assert_uint_gt(rows[i].access->seen, 0);
        ck_assert_uint_eq(rows[i].access->worst.cost, rows[i].each);
    }
}
END_TEST

START_TEST(a_picture_has_the_addresses_of_its_lanes)
{
    run(true);
    const struct vgpu_picture *load = &seen.load.first, *store = &seen.shared_store.first;
    ck_assert_uint_eq(load->mask, UINT32_MAX);
    ck_assert_uint_eq(load->bytes, 4);
    for (uint64_t lane = 0; lane < LANE_COUNT; lane++) {
        ck_assert_uint_eq(load->address[lane],
                          (uint64_t)(uintptr_t)in + (load->block * THREADS + lane) * 128);
        ck_assert_uint_eq(store->address[lane] - store->address[0], lane * 128);
    }
}
END_TEST

START_TEST(the_words_name_lines_costs_and_banks)
{
    static const char *const texts[] = {"Kernel strides, 4096 blocks of 32 threads",
                                        "The most expensive lines of strides.cu",
                                        "32.0 sectors a request, 4.0", "by warp 0 of block", "Limited by "};
    run(true);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(strstr(seen.words, texts[i]), "\"%s\" is not in:\n%s", texts[i], seen.words);
    for (const char *line = seen.words; *line; line += strcspn(line, "\n") + 1)
        ck_assert_uint_le(strcspn(line, "\n"), 80);
}
END_TEST

static const struct {
    unsigned beyond;
    const char *limiter;
    bool is_tail;
} grids[] = {{4, "latency", true},
             {4, "barrier", true},
             {4, "dram", false},
             {0, "latency", false},
             {3000, "latency", false}};

START_TEST(a_last_wave_of_a_few_blocks_is_named)
{
    as_if.beyond = grids[_i].beyond;
    as_if.limiter = grids[_i].limiter;
    run(true);
    as_if.limiter = NULL;
    ck_assert_msg(!strstr(seen.words, "a second wave") != grids[_i].is_tail, "%s", seen.words);
    ck_assert_msg(!strstr(seen.words, "Limited by its last blocks") != grids[_i].is_tail, "%s", seen.words);
    ck_assert_msg(!strstr(seen.words, "Have more under way") || !grids[_i].is_tail, "%s", seen.words);
}
END_TEST

/* This program once more, with one launch and nobody who watches: what VGPU_EXPLAIN makes it say. */
static void said_by_program(const char *setting, char *out, size_t size)
{
    char self[400] = "", command[500];
    ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    snprintf(command, sizeof command, "%s '%s' once 2>&1", setting, self);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    out[fread(out, 1, size - 1, pipe)] = '\0';
    ck_assert_int_eq(pclose(pipe), 0);
}

START_TEST(a_program_tells_of_its_kernels_if_asked_to)
{
    static char said[20000];
    said_by_program("VGPU_EXPLAIN=1", said, sizeof said);
    ck_assert_msg(strstr(said, "vgpu: strides: 1 launch, "), "%s", said);
    ck_assert_msg(strstr(said, "The most expensive lines of strides.cu"), "%s", said);
    said_by_program("VGPU_EXPLAIN=off", said, sizeof said);
    ck_assert_msg(!strstr(said, "strides.cu, by"), "%s", said);
}
END_TEST

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        run(false);
        return 0;
    }
    TCase *tests = tcase_create("profile");
    tcase_add_test(tests, a_profile_changes_no_time_and_is_there_only_if_wanted);
    tcase_add_test(tests, the_parts_of_the_time_are_all_of_it);
    tcase_add_test(tests, what_caches_find_and_do_not_find_is_all_that_was_asked_for);
    tcase_add_test(tests, what_warps_use_together_is_found_in_l1);
    tcase_add_test(tests, every_access_has_its_line_array_and_cost);
    tcase_add_test(tests, a_picture_has_the_addresses_of_its_lanes);
    tcase_add_test(tests, the_words_name_lines_costs_and_banks);
    tcase_add_loop_test(tests, a_last_wave_of_a_few_blocks_is_named, 0, sizeof grids / sizeof *grids);
    tcase_add_test(tests, a_program_tells_of_its_kernels_if_asked_to);
    return run_tests("profile", tests);
}
