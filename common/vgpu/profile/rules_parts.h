/* rules_parts.h - what rules are made of, for rules*.c alone: facts (rules_facts.c), what a fix would gain and how it is told
 * (rules_gains.c), and the rules: about memory (rules_memory.c), instructions (rules_kinds.c), threads, grid and waits (rules_work.c). */
#ifndef VGPU_PROFILE_RULES_PARTS_H
#define VGPU_PROFILE_RULES_PARTS_H

#include "base/list.h"
#include "profile/found.h"
#include "profile/profile.h"
#include "vgpu.h"

struct rules {
    const struct vgpu_launch *launch;
    const struct vgpu_profile *profile;
    const struct launch *inside;
    const struct estimate *estimate;
    const struct model_trial *trial;
    float *kept; /* by insn->id, all 1 between rules */
    struct list told;
    const char *name; /* of the rule under way */
};

/* ------------------------------------------------------------------------------------------- the rules */

/* A name, and what looks: it tells if the counters show what it is about. */
#define RULES(X)                                                                                             \
    X("coalescing", coalescing)                                                                              \
    X("bank-conflicts", bank_conflicts)                                                                      \
    X("constant-index", constant_index)                                                                      \
    X("narrow", narrow)                                                                                      \
    X("atomics", atomics)                                                                                    \
    X("blocks-of-atomics", blocks_of_atomics)                                                                \
    X("divergence", divergence)                                                                              \
    X("block-size", block_size)                                                                              \
    X("few-blocks", few_blocks)                                                                              \
    X("tail", tail)                                                                                          \
    X("launch", launch)                                                                                      \
    X("block-starts", block_starts)                                                                          \
    X("occupancy", occupancy)                                                                                \
    X("loads-in-flight", loads_in_flight)                                                                    \
    X("independent-work", independent_work)                                                                  \
    X("barriers", barriers)                                                                                  \
    X("spills", spills)                                                                                      \
    X("reuse", reuse)                                                                                        \
    X("register-tile", register_tile)                                                                        \
    X("texture", texture)                                                                                    \
    X("unused", unused)
#define X(name, look) void rule_##look(struct rules *rules);
RULES(X)
#undef X

/* Rules about instructions of some kind, which could be fewer; the last has no name. */
struct rule_kind {
    const char *name;
    bool (*is_one)(const struct found *found);
    bool (*goes_too)(const struct found *found); /* instructions that would not be needed then; NULL: none */
    double kept;                                 /* the part of their machine operations that would be left */
    const char *unit;                            /* that must have something to do; NULL: any */
    const char *words;                           /* after "12 % of the instructions are" */
};
extern const struct rule_kind rule_kinds[];
void rule_of_kind(struct rules *rules, const struct rule_kind *kind);

/* ------------------------------------------------------------------------------------------- facts */

double fact_total(const struct rules *rules, const char *name);
double fact_blocks(const struct rules *rules);
unsigned fact_threads(const struct rules *rules);
unsigned fact_warps(const struct rules *rules);
double fact_busy(const struct rules *rules, const char *unit);
double fact_spent(const struct rules *rules, enum vgpu_spent on);
int fact_percent(double part);
bool fact_is_space(const struct vgpu_access *access, const char *space);
bool fact_is_verb(const struct vgpu_access *access, const char *verb);
/* The line that warps spend most of such time on; NULL: none is known. */
const struct vgpu_line *fact_line_of_most(const struct rules *rules, enum vgpu_spent on);
/* Sectors or passes of all accesses of some spaces; ideal: no more than would do. */
double fact_parts(const struct rules *rules, bool is_shared, bool is_ideal);
/* Bytes from each lane to the next; 0: not all alike. */
int64_t fact_stride(const struct vgpu_picture *picture);
/* The most lanes that mean the same address. */
int fact_most_alike(const struct vgpu_picture *picture);
bool fact_has_waste(const struct vgpu_access *access);
/* Of lanes of all requests, as far as the counters of its line tell. */
double fact_lanes(const struct vgpu_access *access);
/* The allocation that an access goes to first; NULL: unknown. */
const struct allocation *fact_allocation(const struct rules *rules, const struct vgpu_access *access);
/* Lanes of a warp that the block's size leaves without a thread are no divergence. */
double fact_lanes_of_block(const struct rules *rules);
/* No instruction has this time, so that it is not among what is spent on them. */
double fact_waits_for_start(const struct rules *rules);
double fact_most_busy_memory(const struct rules *rules);
/* Bytes that the launch's accesses can have touched: of each array no more than it has used so far, or than was asked for. */
double fact_bytes_touched(const struct rules *rules);
/* The load that asks for most sectors or passes. */
const struct vgpu_access *fact_largest_load(const struct rules *rules, const char *space);
/* " of `tile`"; "" where its name is not known. */
const char *fact_of_array(const struct vgpu_access *access, char *out, size_t size);

/* ------------------------------------------------------------------------------------------- gains */

/* What a rule points at. */
struct rule_place {
    const char *file, *array;
    unsigned line;
};
#define RULE_NOWHERE ((struct rule_place){"", "", 0})
struct rule_place rule_at_line(const struct vgpu_line *line);
struct rule_place rule_at_access(const struct vgpu_access *access);
/* The rule holds; words: of what was counted, and what to do. */
void rule_tell(struct rules *rules, struct rule_place place, double gain, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* How many times as fast the changed launch would be. */
double rule_gain(const struct rules *rules, const struct model_change *change);
/* The same of a change that is about one unit only: no more than if there were no end of that unit. */
double rule_gain_of_unit(const struct rules *rules, const struct model_change *change, const char *unit);
/* What is left of some sectors if so many are not needed, of which `needed` are in any case. */
double rule_left(double sectors, double needed, double spared);
/* L1, L2 and DRAM without some sectors that accesses ask for. Caches may have kept them from going further: no more can be
 * spared there than is beyond what is needed. */
struct model_change rule_without_sectors(const struct rules *rules, double spared);
void rule_keep_all(struct rules *rules);
struct model_change rule_with_kept(const struct rules *rules);
#endif
