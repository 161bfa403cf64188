/* counters.c - sums instruction statistics into named counters, per launch and per source line.
 * Every figure is a sum over decoded instructions, so it depends on neither host threads nor the order of blocks.
 * What the figures mean in time is model/'s business. */
#include "core/counters.h"

#include <stdlib.h>
#include <string.h>

#include "core/warp.h"

#include "base/list.h"

/* ------------------------------------------------------------------------------------------- collecting */

#define AT(name) offsetof(struct counters, name)
#define NOWHERE  ((size_t)-1)

static const size_t class_counters[CLASS_COUNT] = {
    [CLASS_INT] = AT(int_instructions),       [CLASS_IMUL] = AT(imul_instructions),
    [CLASS_INT64] = AT(int64_instructions),   [CLASS_IDIV] = AT(idiv_instructions),
    [CLASS_FP32] = AT(fp32_instructions),     [CLASS_FP64] = AT(fp64_instructions),
    [CLASS_FP16] = AT(fp16_instructions),     [CLASS_SFU] = AT(sfu_instructions),
    [CLASS_CVT] = AT(cvt_instructions),       [CLASS_CONTROL] = AT(control_instructions),
    [CLASS_SYNC] = AT(sync_instructions),     [CLASS_WARP] = AT(warp_op_instructions),
    [CLASS_GLOBAL] = AT(memory_instructions), [CLASS_SHARED] = AT(memory_instructions),
    [CLASS_LOCAL] = AT(memory_instructions),  [CLASS_CONST] = AT(memory_instructions),
    [CLASS_PARAM] = AT(memory_instructions),  [CLASS_TEXTURE] = AT(memory_instructions),
    [CLASS_ATOMIC] = AT(memory_instructions), [CLASS_OTHER] = NOWHERE,
};

enum direction { LOAD, STORE, ATOMIC, DIRECTIONS };

/* Requests and their sectors or wavefronts, by direction. Local memory knows no atomics: generic ones count as stores. */
struct request_counters {
    size_t requests, parts;
};
static const struct request_counters global_counters[DIRECTIONS] = {
    [LOAD] = {AT(global_load_requests), AT(global_load_sectors)},
    [STORE] = {AT(global_store_requests), AT(global_store_sectors)},
    [ATOMIC] = {AT(global_atomic_requests), AT(global_atomic_sectors)},
};
static const struct request_counters shared_counters[DIRECTIONS] = {
    [LOAD] = {AT(shared_load_requests), AT(shared_load_wavefronts)},
    [STORE] = {AT(shared_store_requests), AT(shared_store_wavefronts)},
    [ATOMIC] = {AT(shared_atomic_requests), AT(shared_atomic_wavefronts)},
};
static const struct request_counters local_counters[DIRECTIONS] = {
    [LOAD] = {AT(local_load_requests), AT(local_load_sectors)},
    [STORE] = {AT(local_store_requests), AT(local_store_sectors)},
    [ATOMIC] = {AT(local_store_requests), AT(local_store_sectors)},
};

static void add(struct counters *out, size_t where, uint64_t value)
{
    if (where != NOWHERE)
        *(uint64_t *)(void *)((char *)out + where) += value;
}

static bool is_branch(const struct insn *insn)
{
    return insn->flow == FLOW_BRANCH || insn->flow == FLOW_TABLE;
}

static bool is_block_barrier(const struct insn *insn)
{
    return insn->is_arrival || (insn->flow == FLOW_BARRIER && insn->op != BAR_CLUSTER);
}

static enum direction direction_of(const struct insn *insn)
{
    return insn->is_atomic ? ATOMIC : insn->is_store ? STORE : LOAD;
}

/* Those that were active when it was issued: a guard of its own does not count. */
static uint64_t lanes_of(const struct insn_stat *stat)
{
    return stat->warps * LANES - stat->idle;
}

static void add_memory(struct counters *out, const struct insn *insn, const struct insn_stat *stat)
{
    /* An asynchronous copy is a global load and a shared store in one instruction. */
    enum direction global = insn->is_async ? LOAD : direction_of(insn),
                   shared = insn->is_async ? STORE : direction_of(insn);
    add(out, global_counters[global].requests, stat->requests);
    add(out, global_counters[global].parts, stat->sectors);
    add(out, shared_counters[shared].requests, stat->shared_requests);
    add(out, shared_counters[shared].parts, stat->wavefronts);
    out->shared_conflicts += stat->conflicts;
    out->shared_written_bytes += shared == LOAD ? 0 : stat->shared_bytes;
    out->async_copy_bytes += insn->is_async ? stat->shared_bytes : 0;
    out->read_only_requests += insn->cache == LOAD_READ_ONLY ? stat->requests : 0;
    add(out, local_counters[global].requests, stat->local_requests);
    add(out, local_counters[global].parts, stat->local_sectors);
    if (stat->requests || stat->shared_requests || stat->local_requests)
        out->access_lanes += lanes_of(stat);
}

void counters_add(struct counters *out, const struct insn *insn, const struct insn_stat *stat)
{
    out->warp_instructions += stat->warps;
    out->async_instructions += stat->meanwhile;
    out->thread_instructions += lanes_of(stat);
    add(out, class_counters[insn->class], stat->warps);
    if (is_branch(insn)) {
        out->branches += stat->warps;
        out->divergent_branches += stat->divergent;
    } else if (is_block_barrier(insn)) {
        out->barriers += stat->warps;
    } else if (insn->class == CLASS_TEXTURE) {
        out->texture_requests += stat->requests;
        out->texture_sectors += stat->sectors;
    } else if (insn->class == CLASS_CONST || insn->space == PTX_CONST) {
        out->const_requests += stat->requests;
        out->const_words += stat->sectors;
    } else {
        add_memory(out, insn, stat);
    }
}

void counters_add_to(double values[COUNTERS_COUNT], const struct counters *counters)
{
#define COUNTER(name, unit, meaning) values[COUNTER_##name] += (double)counters->name;
#include "core/counters.def"
#undef COUNTER
}

/* Calls visit for every counted instruction that was issued. */
static void each_insn(const struct launch *launch,
                      void (*visit)(const struct insn *, const struct insn_stat *, void *), void *context)
{
    const struct module *module = launch->kernel->module;
    for (uint32_t f = 0; launch->stats && f < module->nfunctions; f++) {
        const struct function *function = &module->functions[f];
        for (uint32_t i = 0; function->code && i < function->ncode; i++) {
            const struct insn *insn = &function->code[i];
            const struct insn_stat *stat = launch_stat(launch, insn->id);
            if (insn->id && stat->warps)
                visit(insn, stat, context);
        }
    }
}

static void visit_total(const struct insn *insn, const struct insn_stat *stat, void *context)
{
    counters_add(context, insn, stat);
}

void counters_collect(struct counters *out, const struct launch *launch)
{
    memset(out, 0, sizeof *out);
    each_insn(launch, visit_total, out);
    out->l2_sectors = launch->traffic.l2_read_sectors + launch->traffic.l2_write_sectors;
    out->dram_read_bytes = launch->traffic.dram_read_sectors * 32;
    out->dram_write_bytes = launch->traffic.dram_write_sectors * 32;
}

/* ------------------------------------------------------------------------------------------- lines */

struct line_walk {
    const struct ptx_module *ptx;
    own_loc_fn *own;
    struct list lines; /* of struct line_counters */
    bool has_failed;
};

static const struct ptx_loc *loc_of(const struct line_walk *walk, const struct insn *insn)
{
    static const struct ptx_loc nowhere;
    const uint32_t loc = walk->own ? walk->own(walk->ptx, insn->loc) : insn->loc;
    return loc && loc < walk->ptx->nlocs ? &walk->ptx->locs[loc] : &nowhere;
}

static const char *file_of(const struct line_walk *walk, const struct ptx_loc *loc)
{
    return loc->file && loc->file < walk->ptx->nfiles ? walk->ptx->files[loc->file] : "";
}

/* Neighbouring instructions mostly share a line: look from the end. */
static struct line_counters *line_of(struct line_walk *walk, const char *file, uint32_t line)
{
    struct line_counters *lines = walk->lines.items;
    for (size_t i = walk->lines.count; i-- > 0;)
        if (lines[i].line == line && strcmp(lines[i].file, file) == 0)
            return &lines[i];
    struct line_counters *fresh = list_push(&walk->lines, sizeof *fresh);
    if (fresh)
        *fresh = (struct line_counters){.file = file, .line = line};
    return fresh;
}

static void visit_line(const struct insn *insn, const struct insn_stat *stat, void *context)
{
    struct line_walk *walk = context;
    const struct ptx_loc *loc = loc_of(walk, insn);
    struct line_counters *line = line_of(walk, file_of(walk, loc), loc->line);
    if (line)
        counters_add(&line->counters, insn, stat);
    else
        walk->has_failed = true;
}

static int compare_lines(const void *a, const void *b)
{
    const struct line_counters *x = a, *y = b;
    const int by_file = strcmp(x->file, y->file);
    return by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

bool counters_by_line(struct line_list *out, const struct launch *launch, own_loc_fn *own)
{
    struct line_walk walk = {.ptx = launch->kernel->module->ptx, .own = own};
    each_insn(launch, visit_line, &walk);
    *out = (struct line_list){walk.lines.items, walk.lines.count};
    if (out->count)
        qsort(out->lines, out->count, sizeof *out->lines, compare_lines);
    return !walk.has_failed;
}
