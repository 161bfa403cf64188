/* counters.h - what a launch did, in numbers: from instruction statistics to named counters, per launch and per line. */
#ifndef VGPU_COUNTERS_H
#define VGPU_COUNTERS_H

#include <stdio.h>

#include "core/gpu.h"
#include "core/machine.h"

/* Every counter is a row of counters.def: name, unit, meaning. */
struct counters {
#define COUNTER(name, unit, meaning) uint64_t name;
#include "core/counters.def"
#undef COUNTER
};

void counters_collect(struct counters *out, const struct launch *launch);

/* The seam of the timing model: counters and a profile give a time and the name of what limits it. */
struct estimate {
    double time_us;
    const char *limiter; /* "dram", "l2", "shared", "issue", "launch", ...: the rows of model.c */
};
void model_estimate(struct estimate *out, const struct counters *counters, const struct launch *launch,
                    const struct occupancy *occupancy);

/* One JSON object, one line: the VGPU_COUNTERS format of common/vgpu/README.md. */
void counters_write_json(FILE *file, const struct counters *counters, const struct launch *launch,
                         const struct occupancy *occupancy, const struct estimate *estimate);

/* Per source line: calls visit for each line of the kernel that executed, in file and line order. */
struct line_counters {
    uint32_t file, line; /* of the module */
    struct counters counters;
};
void counters_per_line(const struct launch *launch, void (*visit)(const struct line_counters *, void *),
                       void *context);

#endif
