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

/* Their numbers, in that order. */
enum counter {
#define COUNTER(name, unit, meaning) COUNTER_##name,
#include "core/counters.def"
#undef COUNTER
    COUNTERS_COUNT
};

/* What one instruction did. */
void counters_add(struct counters *out, const struct insn *insn, const struct insn_stat *stat);
void counters_add_to(double values[COUNTERS_COUNT], const struct counters *counters);
void counters_collect(struct counters *out, const struct launch *launch);

/* The same by source lines. What is known of the launch as a whole only (L2, DRAM) is 0 in all of them; each other
 * counter is the sum of its lines. */
struct line_counters {
    const char *file; /* as the compiler was given it; "" where the PTX does not say */
    uint32_t line;
    struct counters counters;
};
struct line_list {
    struct line_counters *lines; /* that were executed, by file and line */
    size_t count;
};
/* own: which position of an instruction counts (inlined code has several); NULL: the innermost. False: no memory. The
 * caller frees lines. */
typedef uint32_t own_loc_fn(const struct ptx_module *module, uint32_t loc);
bool counters_by_line(struct line_list *out, const struct launch *launch, own_loc_fn *own);

#endif
