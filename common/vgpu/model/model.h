/* model.h - how long a launch takes on the profile's GPU. The face of this room: what the runtime needs of it.
 * A launch's records (core/record.h) run through one simulated SM (sm.h); the rest of the grid follows from that. The
 * same launch gives the same time on every machine. */
#ifndef VGPU_MODEL_H
#define VGPU_MODEL_H

#include "core/gpu.h"
#include "core/machine.h"
#include "model/timeline.h"

/* Where a launch stands under the roofline of its GPU. */
struct roofline {
    double flop, bytes;           /* that it did; that it moved from and to DRAM */
    double intensity, gflops;     /* its coordinates: flop per byte, 1e9 flop per second */
    double peak_gflops, dram_gbs; /* the roof: of the precision that it uses most */
    double ceiling_gflops;        /* the roof at its intensity */
};

enum { MODEL_RESOURCES = 17, MODEL_WAITS = 6, MODEL_SPENT = MODEL_WAITS + 1 };

struct estimate_part {
    const char *name;
    double part;
};

struct estimate {
    double time_us;
    const char *
        limiter; /* a resource ("dram", "l2", "shared", "issue", "fp64", ...), or "latency", "barrier", "start",
                            "tail", "launch" */
    double issued;     /* machine instructions, once per warp */
    double launch_us;  /* of the time: the launch itself */
    double tail;       /* part of the time in which the last blocks leave SMs idle */
    double without_us; /* the time if the limiter were no limit; 0: was not asked for */
    struct estimate_part busy[MODEL_RESOURCES]; /* of the time that a resource was taken: 1 is its peak */
    size_t nbusy;
    /* parts of what the whole GPU has of each resource, while the launch lasts: kernels that run at a time have 1 of it */
    double shares[MODEL_RESOURCES];
    struct estimate_part waits[MODEL_WAITS]; /* of the time that warps are there: what they wait for */
    size_t nwaits;
    double active_warps; /* on an SM that has work, on average */
    /* sectors of loads of global memory that the simulated SM looked up in L1, and those that were not there; 0: none were simulated */
    uint64_t l1_sectors, l1_missed;
    struct roofline roofline;
    /* By insn->id: parts of the time that warps are there, spent on the instruction: waiting for what it makes, by waits above,
     * and issuing it, which is the last. NULL: was not asked for. */
    double (*spent)[MODEL_SPENT];
    uint32_t nspent;
    struct timeline *timeline; /* of the simulated SM; NULL: was not asked for */
};

enum model_detail {
    MODEL_ROUGHLY, /* its time, from the beginnings of long warps */
    MODEL_TIME,
    MODEL_EXPLAINED, /* without_us too, which takes a second simulation */
    MODEL_PROFILED   /* and all else */
};

/* estimate_free() when it is no longer needed. */
void model_estimate(struct estimate *out, const struct launch *launch, const struct occupancy *occupancy,
                    enum model_detail detail);
void estimate_free(struct estimate *estimate);
/* A kernel that were changed: what would its time be? For advice that says what it gains. */
struct model_change {
    struct estimate_part
        left[6]; /* resources of memory ("l1", "shared", "const", "texture", "l2", "dram", "atomic"), and the
                                     part of what accesses take of them now that would be left */
    size_t nleft;
    const float *
        kept; /* by insn->id: the part of its machine operations that would be left; of those from nkept on, all */
    uint32_t nkept;
    uint32_t memory_overlap,
        compute_overlap;    /* so many latencies would pass at a time where one does; 0: one */
    uint32_t blocks_per_sm; /* 0: as many as now */
    bool is_without_barriers, is_without_starts, is_without_spills;
};

/* Of a launch whose records are still there. NULL: nothing was recorded, or no memory. */
struct model_trial;
struct model_trial *model_trial_begin(const struct launch *launch);
/* In microseconds; of no change, the time of the launch. 0: no memory. */
double model_trial_time(const struct model_trial *trial, const struct model_change *change);
void model_trial_end(struct model_trial *trial);

/* Before a module is freed. */
void model_forget(struct module *module);

#endif
