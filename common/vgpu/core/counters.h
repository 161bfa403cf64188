/* counters.h - what a launch did, in numbers: from instruction statistics to named counters, per launch and per line. */
#ifndef VGPU_COUNTERS_H
#define VGPU_COUNTERS_H

#include "core/gpu.h"
#include "core/machine.h"

/* Every counter is a row of counters.def: name, unit, meaning. */
struct counters {
#define COUNTER(name, unit, meaning) uint64_t name;
#include "core/counters.def"
#undef COUNTER
};

void counters_collect(struct counters *out, const struct launch *launch);

/* Per source line: calls visit for each line of the kernel that executed, in file and line order. */
struct line_counters {
    uint32_t file, line; /* of the module */
    struct counters counters;
};
void counters_per_line(const struct launch *launch, void (*visit)(const struct line_counters *, void *),
                       void *context);

#endif
