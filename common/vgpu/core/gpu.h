/* gpu.h - a GPU profile: the figures of one GPU, read from gpus/NAME.gpu (key = value, a source in each comment). */
#ifndef VGPU_GPU_H
#define VGPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { L1_QUEUE_MAX = 256 };

struct gpu {
    char id[32];   /* "h200" */
    char name[64]; /* "NVIDIA H200" */
    uint32_t cc_major, cc_minor;
    uint32_t sms, clock_mhz, schedulers_per_sm;
    /* occupancy limits, per SM */
    uint32_t max_threads, max_warps, max_blocks, registers, register_granule;
    uint32_t shared_bytes, shared_per_block, shared_per_block_optin, shared_granule, shared_reserved;
    /* memory */
    uint64_t memory_bytes, l2_bytes;
    uint32_t l1_bytes;
    uint32_t l1_global, l1_local; /* 1: L1 keeps what plain loads of global memory, of local memory fetch */
    uint32_t l1_apart;            /* 1: it is no part of shared memory, and has a pipe of its own */
    uint32_t l1_queue;     /* accesses that its pipe keeps in line; 0: as much work as the other pipes do */
    uint32_t shared_packs; /* 1: a wide load by all lanes of one place takes fewer passes than words */
    double dram_gbs, l2_gbs, l2_write_gbs; /* attained, GB/s */
    double dram_scattered_gbs;             /* where every line of 128 bytes lies in another DRAM page */
    double l2_lone_sectors; /* what a lone sector of a line costs L2, in sectors of whole lines, */
    double l2_lone_writes;  /* and what one that is written does, in those that are written */
    double memory_clock_mhz;
    uint32_t memory_bus_bits;
    /* host link, GB/s, and overheads */
    double pinned_gbs, pageable_gbs, copy_overhead_us, launch_overhead_us;
    /* lanes per SM and clock that finish an operation of this kind: what the model's arithmetic limits use */
    uint32_t fp32_lanes, int_lanes, fp64_lanes, fp16_lanes, sfu_lanes;
    uint32_t imul_lanes, wide_lanes; /* 32-bit multiply-add; 32 x 32 to 64 bits */
    uint32_t shuffle_lanes, cvt64_lanes;
    /* SM clocks from issue to the first use of the result; memory as a single unloaded access sees it */
    uint32_t alu_latency, imul_latency, fp64_latency, sfu_latency, shuffle_latency;
    uint32_t shared_latency, l1_latency, l2_latency, dram_latency, barrier_latency;
    /* what one SM can draw */
    uint32_t l1_bytes_per_clock, l2_bytes_per_clock_sm;
    /* blocks: clocks between two starts on the whole GPU, and from a free place to the first instruction */
    double block_launch_cycles, block_start_cycles;
    double atomic_cycles;  /* GPU-wide, per operation on one address */
    uint32_t copy_engines; /* 1: copies of both directions share it; more: one per direction */
};

/* By id ("h200", any case) or by path to a .gpu file. NULL with a sentence in message. */
const struct gpu *gpu_find(const char *name, char *message, size_t size);
const struct gpu *gpu_default(void);
/* The built-in profiles, in order; NULL at the end. */
const struct gpu *gpu_at(size_t index);
/* Reads the text of a profile. False with a sentence in message that names origin and line. */
bool gpu_parse(struct gpu *out, const char *text, const char *origin, char *message, size_t size);

/* The bytes that L2 keeps of what all SMs use. */
uint64_t gpu_l2_kept(const struct gpu *gpu);

/* What can keep more blocks from an SM: what a block takes of it as it is allocated, what the SM has, and the blocks that it would
 * hold if nothing else were short. */
enum { OCCUPANCY_LIMITS = 4 };
struct occupancy_limit {
    const char *name; /* "threads", "registers", "shared memory", "blocks" */
    const char *unit; /* "warps", "registers", "bytes", "blocks" */
    uint32_t needs, has;
    uint32_t blocks; /* UINT32_MAX: a block takes none of it */
};

/* Occupancy of a kernel. */
struct occupancy {
    uint32_t blocks_per_sm, warps_per_sm;
    double fraction;
    const char *limiter; /* the name of the least of limits */
    struct occupancy_limit limits[OCCUPANCY_LIMITS];
};
void gpu_occupancy(const struct gpu *gpu, uint32_t registers, uint32_t shared_bytes, uint32_t threads,
                   struct occupancy *out);

#endif
