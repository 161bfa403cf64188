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
    struct roofline roofline;
    double without_shared_us; /* the time if shared memory were no limit; 0: was not asked for */
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
/* Before a module is freed. */
void model_forget(struct module *module);

#endif
