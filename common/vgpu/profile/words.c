/* words.c - see words.h. */
#include "profile/words.h"

#include <stdio.h>
#include <string.h>

static const struct limit_words limits[] = {
    {"dram", "the memory of the device (DRAM)"},
    {"l2", "the L2 cache"},
    {"l1", "the memory pipe of the SM (L1), which splits requests into lines and sectors"},
    {"shared", "the banks of shared memory"},
    {"issue", "the slots for instructions, one per scheduler and clock"},
    {"fp32", "the units for floats"},
    {"int", "the units for integers"},
    {"imul", "the integer multipliers"},
    {"fp64", "the units for doubles"},
    {"fp16", "the units for half precision"},
    {"sfu", "the units for special functions and conversions"},
    {"shuffle", "shuffles between lanes"},
    {"const", "constant memory, which serves one word at a time"},
    {"texture", "the texture units"},
    {"atomic", "atomics that meet at the same place"},
    {"jump", "calls through pointers"},
    {"latency", "latency: no unit is busy all the time, warps wait for results"},
    {"barrier", "barriers: warps wait for the rest of their block"},
    {"start", "the start of blocks: they do too little each"},
    {"tail", "its last blocks, which leave most SMs idle"},
    {"launch", "the launch itself: the kernel does too little"},
};

const struct limit_words *words_of_limit(const char *limiter)
{
    static const struct limit_words unknown = {"", "something that has no name here"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!strcmp(limits[i].name, limiter))
            return &limits[i];
    return &unknown;
}

const char *words_of_spent(enum vgpu_spent spent)
{
    static const char *const words[VGPU_SPENTS] = {
        [VGPU_SPENT_ARITHMETIC] = "waiting for a result that is computed",
        [VGPU_SPENT_SHARED] = "waiting for shared memory",
        [VGPU_SPENT_MEMORY] = "waiting for memory",
        [VGPU_SPENT_BARRIER] = "waiting at a barrier",
        [VGPU_SPENT_START] = "waiting for the block's start",
        [VGPU_SPENT_QUEUE] = "waiting in line for a unit",
        [VGPU_SPENT_ISSUE] = "issuing",
    };
    return words[spent];
}

bool words_of_sample(const struct vgpu_launch *launch, char *out, size_t size)
{
    if (launch->blocks >= launch->of)
        return false;
    snprintf(out, size, "Estimated from %llu of %llu blocks: what others leave in L2 is not counted.",
             launch->blocks, launch->of);
    return true;
}

/* Those that tests/counters compares with a GPU's, and what has the same meaning. */
static const struct {
    const char *counter, *metric;
} metrics[] = {
    {"warp_instructions", "smsp__inst_executed.sum"},
    {"thread_instructions", "smsp__thread_inst_executed.sum"},
    {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"global_atomic_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
    {"global_atomic_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"},
    {"shared_load_requests", "smsp__inst_executed_op_shared_ld.sum"},
    {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"shared_store_requests", "smsp__inst_executed_op_shared_st.sum"},
    {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {"shared_atomic_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
    {"local_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
    {"local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
    {"divergent_branches", "smsp__sass_branch_targets_threads_divergent.sum"},
    {"texture_requests", "smsp__inst_executed_op_texture.sum"},
    {"const_requests", "smsp__inst_executed_op_ldc.sum"},
    {"l2_sectors", "lts__t_sectors_srcunit_tex.sum"},
    {"dram_read_bytes", "dram__bytes_read.sum"},
    {"dram_write_bytes", "dram__bytes_write.sum"},
    {"registers_per_thread", "launch__registers_per_thread"},
    {"occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"time_us", "gpu__time_duration.sum"},
};

const char *metric_of_counter(const char *counter)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (!strcmp(metrics[i].counter, counter))
            return metrics[i].metric;
    return NULL;
}
