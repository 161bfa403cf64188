/* barrier.c - barriers that some threads miss: under a condition that differs in the block, or skipped in a loop.
 * Three signs: threads of one block wait at different barriers at once; threads come to a barrier after different
 * numbers of rounds of its loop; threads leave the kernel while the others wait, by a way round the barrier.
 * A thread that returns early is no error: what it left behind is not the barrier's branch but the kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain.h"
#include "report/names.h"
#include "check/shadow.h"
#include "base/arena.h"

/* ------------------------------------------------------------------------------------------- static knowledge */

enum { MAX_GUARDS = 64, MAX_NODES = 3000, NO_GUARD = 0xff };

/* A branch that decides whether a barrier is reached. */
struct guard {
    uint32_t insn;      /* PTX instruction */
    bool away_if_taken; /* which way leads round the barrier */
    bool
        is_skip; /* both ways meet again before the kernel ends; else the way round leads out of the kernel */
};

struct barrier_map {
    uint32_t ninsns;
    uint8_t *guard_at;   /* per PTX instruction: its guard's number, or NO_GUARD */
    bool *is_round;      /* per PTX instruction: a backward branch of a loop that holds a barrier */
    uint64_t *guards_of; /* per PTX instruction: for barriers, the set of guards */
    struct guard guards[MAX_GUARDS];
    uint32_t nguards;
};

/* The control-flow graph: a node per basic block, and one for the end. */
struct graph {
    const struct ptx_func *func;
    uint32_t *node_of;      /* per instruction */
    uint32_t *first, *last; /* instructions of a node */
    uint32_t (*next)[2];    /* successors; equal if there is one */
    uint32_t nnodes;        /* the end is number nnodes - 1 */
    uint64_t *posts;        /* [node * words]: the nodes that every way from node to the end passes */
    uint32_t words;
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_barrier(const struct ptx_insn *insn)
{
    bool is_named = starts_with(insn->name, "bar.sync") || starts_with(insn->name, "barrier.sync") ||
                    starts_with(insn->name, "barrier.cta.sync");
    bool is_reducing = starts_with(insn->name, "bar.red") || starts_with(insn->name, "bar.cta.red") ||
                       starts_with(insn->name, "barrier.red") || starts_with(insn->name, "barrier.cta.red") ||
                       starts_with(insn->name, "bar.cta.sync");
    return is_named || is_reducing;
}

static bool is_branch(const struct ptx_insn *insn)
{
    return starts_with(insn->name, "bra") && insn->noperands == 1 && insn->operands[0].kind == PTX_OP_LABEL;
}

static bool is_end(const struct ptx_insn *insn)
{
    return strcmp(insn->name, "ret") == 0 || starts_with(insn->name, "ret.") ||
           strcmp(insn->name, "exit") == 0 || strcmp(insn->name, "trap") == 0;
}

static uint32_t branch_target(const struct ptx_func *func, const struct ptx_insn *insn)
{
    uint32_t label = insn->operands[0].label;
    return label < func->nlabels ? func->labels[label].target : (uint32_t)func->ninsns;
}

static bool make_nodes(struct graph *graph)
{
    const struct ptx_func *func = graph->func;
    size_t n = func->ninsns;
    bool *starts = calloc(n + 1, sizeof *starts);
    graph->node_of = calloc(n + 1, sizeof *graph->node_of);
    if (!starts || !graph->node_of) {
        free(starts);
        return false;
    }
    for (size_t i = 0; i < func->nlabels; i++)
        if (func->labels[i].target <= n)
            starts[func->labels[i].target] = true;
    for (size_t i = 0; i < n; i++)
        if (is_branch(&func->insns[i]) || is_end(&func->insns[i]))
            starts[i + 1] = true;
    uint32_t node = 0;
    for (size_t i = 0; i < n; i++) {
        node += i > 0 && starts[i];
        graph->node_of[i] = node;
    }
    graph->nnodes = node + 2;
    graph->node_of[n] = node + 1;
    free(starts);
    return graph->nnodes <= MAX_NODES;
}

static bool make_edges(struct graph *graph)
{
    const struct ptx_func *func = graph->func;
    uint32_t end = graph->nnodes - 1;
    graph->first = calloc(graph->nnodes, sizeof *graph->first);
    graph->last = calloc(graph->nnodes, sizeof *graph->last);
    graph->next = calloc(graph->nnodes, sizeof *graph->next);
    if (!graph->first || !graph->last || !graph->next)
        return false;
    for (uint32_t i = (uint32_t)func->ninsns; i-- > 0;)
        graph->first[graph->node_of[i]] = i;
    for (uint32_t i = 0; i < func->ninsns; i++)
        graph->last[graph->node_of[i]] = i;
    for (uint32_t node = 0; node < end; node++) {
        const struct ptx_insn *last = &func->insns[graph->last[node]];
        uint32_t after = node + 1, target = after;
        if (starts_with(last->name, "brx"))
            return false; /* many ways: not looked at */
        if (is_branch(last))
            target = graph->node_of[branch_target(func, last)];
        else if (is_end(last))
            target = end;
        bool is_sure = (is_branch(last) || is_end(last)) && last->guard < 0;
        graph->next[node][0] = is_sure ? target : after;
        graph->next[node][1] = target;
    }
    graph->next[end][0] = graph->next[end][1] = end;
    return true;
}

static bool has_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> bit % 64 & 1;
}

/* Post-dominators by iteration: what both ways pass, and the node itself. */
static bool make_posts(struct graph *graph)
{
    uint32_t n = graph->nnodes, words = graph->words = (n + 63) / 64;
    graph->posts = malloc((size_t)n * words * sizeof *graph->posts);
    if (!graph->posts)
        return false;
    memset(graph->posts, 0xff, (size_t)n * words * sizeof *graph->posts);
    uint64_t *end = graph->posts + (size_t)(n - 1) * words;
    memset(end, 0, words * sizeof *end);
    end[(n - 1) / 64] |= 1ull << (n - 1) % 64;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t node = n - 1; node-- > 0;) {
            uint64_t *own = graph->posts + (size_t)node * words;
            const uint64_t *a = graph->posts + (size_t)graph->next[node][0] * words;
            const uint64_t *b = graph->posts + (size_t)graph->next[node][1] * words;
            for (uint32_t w = 0; w < words; w++) {
                uint64_t both = (a[w] & b[w]) | (w == node / 64 ? 1ull << node % 64 : 0);
                has_changed |= both != own[w];
                own[w] = both;
            }
        }
    }
    return true;
}

static bool passes(const struct graph *graph, uint32_t from, uint32_t node)
{
    return has_bit(graph->posts + (size_t)from * graph->words, node);
}

/* True if the node does nothing but leave the kernel. */
static bool is_way_out(const struct graph *graph, uint32_t node)
{
    if (node == graph->nnodes - 1)
        return true;
    return graph->first[node] == graph->last[node] && is_end(&graph->func->insns[graph->last[node]]);
}

/* True if both ways of a branch meet in code that does something before the kernel ends. */
static bool meet_again(const struct graph *graph, uint32_t branch)
{
    for (uint32_t node = 0; node < graph->nnodes; node++)
        if (node != branch && passes(graph, branch, node) && !is_way_out(graph, node))
            return true;
    return false;
}

static uint32_t add_guard(struct barrier_map *map, const struct graph *graph, uint32_t node,
                          bool away_if_taken)
{
    uint32_t insn = graph->last[node];
    if (map->guard_at[insn] != NO_GUARD)
        return map->guard_at[insn];
    if (map->nguards == MAX_GUARDS)
        return NO_GUARD;
    map->guards[map->nguards] = (struct guard){insn, away_if_taken, meet_again(graph, node)};
    map->guard_at[insn] = (uint8_t)map->nguards;
    return map->nguards++;
}

/* The guards on which reaching `node` depends, directly and through other guards. */
static uint64_t collect_guards(struct barrier_map *map, const struct graph *graph, uint32_t node, bool *seen)
{
    uint64_t set = 0;
    seen[node] = true;
    for (uint32_t branch = 0; branch + 1 < graph->nnodes; branch++) {
        const uint32_t *next = graph->next[branch];
        bool falls_to = passes(graph, next[0], node), jumps_to = passes(graph, next[1], node);
        if (next[0] == next[1] || falls_to == jumps_to)
            continue;
        uint32_t guard = add_guard(map, graph, branch, falls_to);
        set |= guard < MAX_GUARDS ? 1ull << guard : 0;
        if (!seen[branch])
            set |= collect_guards(map, graph, branch, seen);
    }
    return set;
}

/* A backward branch over a barrier goes round a loop that holds it. */
static void find_rounds(struct barrier_map *map, const struct ptx_func *func)
{
    for (uint32_t i = 0; i < func->ninsns; i++) {
        if (!is_branch(&func->insns[i]) || branch_target(func, &func->insns[i]) > i)
            continue;
        for (uint32_t k = branch_target(func, &func->insns[i]); k < i && !map->is_round[i]; k++)
            map->is_round[i] = is_barrier(&func->insns[k]);
    }
}

static void graph_free(struct graph *graph)
{
    free(graph->node_of);
    free(graph->first);
    free(graph->last);
    free(graph->next);
    free(graph->posts);
}

static struct barrier_map *map_new(struct arena *arena, const struct ptx_func *func)
{
    struct barrier_map *map = arena_alloc(arena, sizeof *map);
    if (!map)
        return NULL;
    map->ninsns = (uint32_t)func->ninsns;
    map->guard_at = arena_alloc(arena, func->ninsns + 1);
    map->is_round = arena_alloc(arena, (func->ninsns + 1) * sizeof *map->is_round);
    map->guards_of = arena_alloc(arena, (func->ninsns + 1) * sizeof *map->guards_of);
    if (!map->guard_at || !map->is_round || !map->guards_of)
        return NULL;
    memset(map->guard_at, NO_GUARD, func->ninsns + 1);
    return map;
}

static void map_fill(struct barrier_map *map, const struct ptx_func *func)
{
    struct graph graph = {.func = func};
    find_rounds(map, func);
    if (make_nodes(&graph) && make_edges(&graph) && make_posts(&graph)) {
        bool *seen = malloc(graph.nnodes);
        for (uint32_t i = 0; seen && i < func->ninsns; i++)
            if (is_barrier(&func->insns[i])) {
                memset(seen, 0, graph.nnodes);
                map->guards_of[i] = collect_guards(map, &graph, graph.node_of[i], seen);
            }
        free(seen);
    }
    graph_free(&graph);
}

/* Makes the function's map, unless it has no barrier. Called when the first block of a launch begins. */
static void map_make(struct function *function)
{
    static struct barrier_map none;
    const struct ptx_func *func = function->ptx;
    bool has_barrier = false;
    for (size_t i = 0; i < func->ninsns; i++)
        has_barrier |= is_barrier(&func->insns[i]);
    struct barrier_map *map = has_barrier ? map_new(function->module->arena, func) : NULL;
    if (map)
        map_fill(map, func);
    function->barrier_map = map ? map : &none;
}

void barrier_maps_make(const struct launch *launch)
{
    struct module *module = launch->kernel->module;
    for (uint32_t i = 0; i < module->nfunctions; i++)
        if (module->functions[i].code && !module->functions[i].barrier_map)
            map_make(&module->functions[i]);
}

/* ------------------------------------------------------------------------------------------- what threads did */

enum { BARRIER_NUMBERS = 17 };

struct arrival {
    const struct insn *insn; /* of the first to arrive; NULL: nobody has */
    uint32_t thread, rounds;
};

struct lane_watch {
    uint32_t rounds; /* rounds of a loop with a barrier since the last barrier */
    uint16_t away;   /* guard + 1: the last way round a barrier it took since the last barrier */
};

struct barrier_watch {
    struct arrival arrivals[BARRIER_NUMBERS];
    uint32_t judged[MAX_WARPS]; /* exited lanes that were looked at */
    bool is_dirty[MAX_WARPS];   /* lanes[] of this warp is not all zero */
    struct lane_watch lanes[MAX_WARPS][LANES];
};

void barrier_watch_begin(struct block *block)
{
    struct shadow *shadow = block->shadow;
    if (!shadow->watch)
        shadow->watch = malloc(sizeof *shadow->watch);
    if (shadow->watch)
        memset(shadow->watch, 0, sizeof *shadow->watch);
}

static const struct barrier_map *map_at(const struct function *function, const struct ptx_insn *source,
                                        uint32_t *index)
{
    const struct barrier_map *map = function->barrier_map;
    if (!map || !map->ninsns || !source)
        return NULL;
    size_t i = (size_t)(source - function->ptx->insns);
    *index = (uint32_t)i;
    return i < map->ninsns ? map : NULL;
}

void check_branch(struct warp *warp, const struct insn *insn, uint32_t taken, uint32_t fallen)
{
    uint32_t i;
    const struct barrier_map *map = map_at(warp->frame->function, insn->source, &i);
    struct shadow *shadow = warp->block->shadow;
    if (!map || !shadow || !shadow->watch || (!map->is_round[i] && map->guard_at[i] == NO_GUARD))
        return;
    struct lane_watch *lanes = shadow->watch->lanes[warp->index];
    shadow->watch->is_dirty[warp->index] = true;
    for (uint32_t rest = map->is_round[i] ? taken : 0; rest; rest &= rest - 1)
        lanes[__builtin_ctz(rest)].rounds++;
    if (map->guard_at[i] == NO_GUARD)
        return;
    uint32_t away = map->guards[map->guard_at[i]].away_if_taken ? taken : fallen;
    for (uint32_t rest = away; rest; rest &= rest - 1)
        lanes[__builtin_ctz(rest)].away = (uint16_t)(map->guard_at[i] + 1);
}

/* ------------------------------------------------------------------------------------------- judgement */

static void line_of(const struct launch *launch, uint32_t loc, char *out, size_t size)
{
    name_of_loc(launch->kernel->module->ptx, loc, out, size);
}

static void report_barrier(struct warp *warp, const struct insn *insn, uint32_t thread, uint32_t other_loc,
                           const char *title, const char *cause, const char *what)
{
    struct diagnostic d = {.severity = SEVERITY_ERROR,
                           .title = title,
                           .loc = insn->loc,
                           .other_loc = other_loc,
                           .block = warp->block->index,
                           .thread = thread};
    if (!warp->block->diagnostics || diagnostics_repeat(warp->block->diagnostics, &d))
        return;
    snprintf(d.what, sizeof d.what, "%s", what);
    snprintf(d.cause, sizeof d.cause, "%s", cause);
    diagnostics_add(warp->block->diagnostics, &d);
}

static const char skip_title[] = "barrier skipped by some threads of the block";
static const char skip_cause[] = "a condition that differs between threads (a continue, an if) leads round "
                                 "__syncthreads(); all threads must reach it";

static void report_different(struct warp *warp, const struct insn *insn, uint32_t thread,
                             const struct arrival *first)
{
    char here[300], there[300], what[500];
    uint32_t at[3] = {0, 0, 0};
    const struct launch *launch = warp->block->launch;
    line_of(launch, insn->loc, here, sizeof here);
    line_of(launch, first->insn->loc, there, sizeof there);
    thread_coordinates(launch, first->thread, at);
    snprintf(what, sizeof what,
             "waits here while thread (%u,%u,%u) of the same block waits at the barrier of %.200s", at[0],
             at[1], at[2], there);
    if (strcmp(here, there) == 0)
        report_barrier(warp, insn, thread, 0, skip_title, skip_cause,
                       "threads wait at this barrier in different rounds of its loop");
    else
        report_barrier(
            warp, insn, thread, first->insn->loc, "barrier under divergent control flow",
            "__syncthreads() stands in a branch that not all threads of the block take; move it out", what);
}

void check_barrier_arrive(struct warp *warp, const struct insn *insn, uint32_t lanes, uint32_t barrier)
{
    struct shadow *shadow = warp->block->shadow;
    if (!shadow || !shadow->watch || barrier >= BARRIER_NUMBERS || !insn->source ||
        insn->source->noperands > 1)
        return; /* a count of threads was given: they may come from anywhere */
    struct barrier_watch *watch = shadow->watch;
    struct arrival *first = &watch->arrivals[barrier];
    const struct lane_watch *own = watch->lanes[warp->index];
    int lane = __builtin_ctz(lanes);
    if (!first->insn)
        *first = (struct arrival){insn, thread_of(warp, lane), own[lane].rounds};
    if (first->insn->source != insn->source) {
        report_different(warp, insn, thread_of(warp, lane), first);
        return;
    }
    if (!watch->is_dirty[warp->index] && first->rounds == 0)
        return;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        lane = __builtin_ctz(rest);
        if (own[lane].rounds == first->rounds)
            continue;
        report_barrier(warp, insn, thread_of(warp, lane), 0, skip_title, skip_cause,
                       "threads come to this barrier in different rounds of its loop");
        return;
    }
}

static bool encloses(const struct launch *launch, uint32_t outer_loc, uint32_t inner_loc)
{
    char outer[400], inner[400];
    line_of(launch, outer_loc, outer, sizeof outer);
    line_of(launch, inner_loc, inner, sizeof inner);
    char *outer_line = strrchr(outer, ':'), *inner_line = strrchr(inner, ':');
    if (!outer_line || !inner_line)
        return false;
    *outer_line++ = *inner_line++ = '\0';
    return strcmp(outer, inner) == 0 && source_encloses(outer, (uint32_t)strtoul(outer_line, NULL, 10),
                                                        (uint32_t)strtoul(inner_line, NULL, 10));
}

/* True if going round the barrier by this guard is the error, not a return from the kernel. */
static bool is_wrong_way(const struct launch *launch, const struct ptx_func *func, const struct guard *guard,
                         const struct insn *barrier)
{
    return guard->is_skip || encloses(launch, func->insns[guard->insn].loc, barrier->loc);
}

/* A thread left the kernel without this barrier, for which others waited. Was it an early return? */
static bool has_skipped(const struct launch *launch, const struct function *function,
                        const struct insn *barrier, const struct lane_watch *lane)
{
    uint32_t i;
    const struct barrier_map *map = map_at(function, barrier->source, &i);
    if (!map || !map->guards_of[i])
        return false;
    uint64_t guards = map->guards_of[i];
    if (lane->away && guards >> (lane->away - 1) & 1)
        return is_wrong_way(launch, function->ptx, &map->guards[lane->away - 1], barrier);
    if (lane->away)
        return false;
    for (; guards; guards &= guards - 1) /* which one it took was not seen: all must be wrong ways */
        if (!is_wrong_way(launch, function->ptx, &map->guards[__builtin_ctzll(guards)], barrier))
            return false;
    return true;
}

static const struct function *function_of(const struct module *module, const struct insn *insn)
{
    for (uint32_t i = 0; i < module->nfunctions; i++) {
        const struct function *function = &module->functions[i];
        if (function->code && insn >= function->code && insn < function->code + function->ncode)
            return function;
    }
    return NULL;
}

static void judge_exited(struct block *block, const struct insn *barrier)
{
    struct barrier_watch *watch = block->shadow->watch;
    const struct function *function = NULL;
    for (uint32_t w = 0; w < block->nwarps; w++) {
        struct warp *warp = &block->warps[w];
        uint32_t left = warp->exited & warp->lanes & ~watch->judged[w];
        watch->judged[w] |= left;
        for (; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            function = function ? function : function_of(block->launch->kernel->module, barrier);
            if (!function || !has_skipped(block->launch, function, barrier, &watch->lanes[w][lane]))
                continue;
            report_barrier(
                warp, barrier, thread_of(warp, lane), 0, "barrier under divergent control flow",
                "__syncthreads() stands in a branch or loop that not all threads of the block take; move it "
                "out",
                "this thread has ended without the barrier, at which other threads of its block wait");
        }
    }
}

void barrier_watch_done(struct block *block, uint32_t barrier, const uint32_t *lanes_by_warp)
{
    struct barrier_watch *watch = block->shadow->watch;
    if (!watch || barrier >= BARRIER_NUMBERS)
        return;
    if (watch->arrivals[barrier].insn)
        judge_exited(block, watch->arrivals[barrier].insn);
    watch->arrivals[barrier].insn = NULL;
    for (uint32_t w = 0; w < block->nwarps; w++) {
        if (!watch->is_dirty[w])
            continue;
        for (uint32_t rest = lanes_by_warp[w]; rest; rest &= rest - 1)
            watch->lanes[w][__builtin_ctz(rest)] = (struct lane_watch){0, 0};
        uint32_t present = block->warps[w].lanes & ~block->warps[w].exited;
        watch->is_dirty[w] = (lanes_by_warp[w] & present) != present;
    }
}
