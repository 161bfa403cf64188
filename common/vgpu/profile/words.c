/* words.c - see words.h. */
#include "profile/words.h"

#include <string.h>

static const struct limit_words limits[] = {
    {"dram", "the memory of the device (DRAM)",
     "Move fewer bytes: use all of every sector that is fetched, keep what is used again in registers or "
     "shared memory, "
     "take smaller types.",
     false},
    {"l2", "the L2 cache",
     "Ask L2 for less: whole sectors for neighbouring lanes, and what is used again in shared memory or "
     "registers.",
     false},
    {"l1", "the memory pipe of the SM (L1), which splits requests into lines and sectors",
     "Fewer or wider requests: let neighbouring lanes use neighbouring addresses, or load two or four values "
     "at a time.",
     false},
    {"shared", "the banks of shared memory",
     "Fewer passes: take bank conflicts away, read wider values, or keep values in registers.", false},
    {"issue", "the slots for instructions, one per scheduler and clock",
     "Fewer instructions for each result: unroll, compute indexes once, give each thread more than one "
     "result.",
     true},
    {"fp32", "the units for floats",
     "Fewer operations, or fused ones; what does not depend on the data can be computed before.", true},
    {"int", "the units for integers",
     "Compute indexes once and step on from there; shift where a size is a power of two.", true},
    {"imul", "the integer multipliers", "Fewer products in indexes: add a step to the last one.", true},
    {"fp64", "the units for doubles",
     "Use floats where they are enough: 1.0f and sqrtf(), not 1.0 and sqrt().", true},
    {"fp16", "the units for half precision", "Take two at a time (half2).", true},
    {"sfu", "the units for special functions and conversions",
     "Fewer divisions, roots and conversions: multiply by an inverse, compute it once.", true},
    {"shuffle", "shuffles between lanes", "Let each lane add up several values before lanes exchange them.",
     true},
    {"const", "constant memory, which serves one word at a time",
     "Constant memory serves one word at a time: an index per lane belongs in shared or global memory.",
     true},
    {"texture", "the texture units", "Fewer fetches, or plain loads where no filtering is needed.", true},
    {"atomic", "atomics that meet at the same place",
     "Let a block or a warp add up its part first, and one thread do the atomic.", true},
    {"jump", "calls through pointers", "Call functions by name, so that they can be inlined.", true},
    {"latency", "latency: no unit is busy all the time, warps wait for results",
     "Have more under way at a time: more warps per SM, or several independent loads per thread.", false},
    {"barrier", "barriers: warps wait for the rest of their block",
     "Fewer __syncthreads(), or smaller blocks, of which more fit on an SM.", false},
    {"start", "the start of blocks: they do too little each",
     "Let each block do more: a loop over several elements per thread.", false},
    {"tail", "its last blocks, which leave most SMs idle",
     "Take more and smaller blocks, or as many as fit at once with an equal share each.", false},
    {"launch", "the launch itself: the kernel does too little", "Do more in one launch, or fuse launches.",
     false},
};

const struct limit_words *words_of_limit(const char *limiter)
{
    static const struct limit_words unknown = {"", "something that has no name here", "", false};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!strcmp(limits[i].name, limiter))
            return &limits[i];
    return &unknown;
}

const char *words_of_advice(const char *limiter, double busy, bool is_needed)
{
    const double nearly_all = 0.9, hardly = 0.8;
    const bool is_memory = !strcmp(limiter, "dram") || !strcmp(limiter, "l2");
    if (is_memory && busy < hardly && is_needed)
        return "It is not busy all the time, and all that it moves is needed: have more loads under way at a "
               "time, with more warps per SM or "
               "several independent loads per thread, and no barrier between them.";
    if (!strcmp(limiter, "dram") && busy >= nearly_all && is_needed)
        return "All that it moves is needed, and it moves it nearly as fast as it can: only a kernel that "
               "needs fewer bytes would be faster.";
    return words_of_limit(limiter)->advice;
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
