/* feeds.h - which instructions feed a result: what a kernel does for show, it does not do for its points.
 *
 * Of a pass (some launches and copies) the trails of a few blocks (core/trail.h) are kept. When the pass is over they are walked
 * back, from the stores to what somebody reads: what such a store needs, matters, and what that needs, through registers,
 * predicates, shuffles, shared and local memory, and through memory that an earlier launch wrote. A branch matters if it decides
 * about something that does, in some block, in some lane; one that never led to it decides nothing. Where a walk is in doubt,
 * something matters: what a kernel really needs is never left out. */
#ifndef VGPU_FEEDS_H
#define VGPU_FEEDS_H

#include "core/counters.h"
#include "core/machine.h"

/* Where values come from: an input, or memory that is neither input nor output. */
enum { FEEDS_INPUTS = 7, FEEDS_OWN = FEEDS_INPUTS, FEEDS_SOURCES };

struct feeds; /* a pass */

/* NULL: no memory. */
struct feeds *feeds_new(void);
void feeds_free(struct feeds *feeds);

/* The steps of one more launch of this kernel that the pass has room for in a trail; 0: none. */
uint32_t feeds_wants(const struct feeds *feeds, const struct launch *launch);
/* The launch was executed, and took so long: its trails are the pass's from here on. */
void feeds_launch(struct feeds *feeds, struct launch *launch, double time_us);
/* The same for one that another pass has, which is then empty. */
void feeds_move(struct feeds *feeds, struct feeds *from);
/* Bytes went from one allocation to another; NULL: the host, or an array. */
void feeds_copy(struct feeds *feeds, const struct allocation *to, uint64_t to_offset,
                const struct allocation *from, uint64_t from_offset, uint64_t bytes);

/* What somebody reads when the pass is over, or while it goes on. */
struct feeds_roots {
    const uint64_t *addresses; /* in allocations that are read */
    size_t count;
    bool host_reads;         /* what is copied to the host */
    bool all_global;         /* whatever is stored to global memory */
    const uint64_t *sources; /* addresses of inputs: what comes from them is counted by itself */
    size_t nsources;         /* up to FEEDS_INPUTS */
};

/* The counters of what mattered. */
struct feeds_counters {
    double all[COUNTERS_COUNT];
    double of[FEEDS_SOURCES][COUNTERS_COUNT]; /* of them: what moves values of a source */
    double idle_launches, idle_us;            /* of which nothing mattered */
    double lanes;  /* that were idle, or busy with what did not matter, in instructions that mattered */
    bool is_known; /* false: there is no trail, or no memory; then it all mattered */
};

/* Walks back through all of it. */
void feeds_solve(struct feeds *feeds, const struct feeds_roots *roots, struct feeds_counters *out);

/* After feeds_solve(), of the only launch of a pass: the part of an instruction's executions that changed nothing. Negative: nobody
 * knows. */
double feeds_unused(const struct feeds *feeds, const struct insn *insn);

#endif
