/* barrier.c - barriers that some threads miss: under a condition that differs in the block, or skipped in a loop.
 * Three signs: threads of one block wait at different barriers at once; threads come to a barrier after different
 * numbers of rounds of its loop; threads leave the kernel while the others wait, by a way round the barrier.
 * A thread that returns early is no error: what it left behind is not the barrier's branch but the kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/shadow.h"
#include "core/warp.h"
#include "decode/flow_graph.h"
#include "report/names.h"

/* ------------------------------------------------------------------------------------------- static knowledge */

enum { MAX_GUARDS = 64, MAX_BLOCKS = 3000, NO_GUARD = 0xff };

/* A branch that decides whether a barrier is reached. */
struct guard {
    uint32_t insn;      /* code index */
    bool away_if_taken; /* which way leads round the barrier */
    bool
        is_skip; /* both ways meet again before the kernel ends; else the way round leads out of the kernel */
};

/* By code index of a function. */
struct barrier_map {
    uint32_t ncode;
    uint8_t *guard_at;   /* its guard's number, or NO_GUARD */
    bool *is_round;      /* the branch at the end of a round of a loop that holds a barrier */
    uint64_t *guards_of; /* for barriers, the set of guards */
    struct guard guards[MAX_GUARDS];
    uint32_t nguards;
};

/* A function while its map is made. */
struct survey {
    const struct insn *code;
    struct flow_graph graph;
    uint32_t *meets; /* by block: its immediate post-dominator */
    uint32_t *heads; /* by block: its immediate dominator */
    bool *is_seen;   /* by block, for one question at a time */
    uint32_t *stack;
    uint64_t steps; /* from block to block, so far */
};

/* A second or two of work. What takes longer is no code that a student wrote: nothing is known of it then. */
#define MAX_STEPS (1ull << 28)

static bool is_too_long(const struct survey *survey)
{
    return survey->steps > MAX_STEPS;
}

/* One that waits for the whole block. */
static bool is_barrier(const struct insn *insn)
{
    return insn->flow == FLOW_BARRIER && insn->op != BAR_ARRIVE && insn->op != BAR_CLUSTER;
}

static bool leaves(const struct insn *insn)
{
    return is_return(insn) || insn->flow == FLOW_TRAP;
}

/* True if every way from a block to the exit passes another. A block without a way to the exit passes everything. */
static bool passes(struct survey *survey, uint32_t from, uint32_t block)
{
    for (; from != block && from != survey->graph.nblocks && survey->meets[from] != NO_BLOCK; survey->steps++)
        from = survey->meets[from];
    return from == block || (from != survey->graph.nblocks && survey->meets[from] == NO_BLOCK);
}

static bool dominates(struct survey *survey, uint32_t head, uint32_t block)
{
    for (; block != head && block != 0 && survey->heads[block] != NO_BLOCK; survey->steps++)
        block = survey->heads[block];
    return block == head;
}

/* True if the block does nothing but leave the kernel. */
static bool is_way_out(const struct survey *survey, uint32_t block)
{
    if (block == survey->graph.nblocks)
        return true;
    const struct basic_block *range = &survey->graph.blocks[block];
    uint32_t first = range->first;
    while (first + 1 < range->end && survey->code[first].kind == INSN_JOIN)
        first++;
    return first + 1 == range->end && leaves(&survey->code[first]);
}

/* True if both ways of a branch meet in code that does something before the kernel ends. */
static bool meet_again(const struct survey *survey, uint32_t branch)
{
    for (uint32_t block = survey->meets[branch]; block != NO_BLOCK && block != survey->graph.nblocks;
         block = survey->meets[block])
        if (!is_way_out(survey, block))
            return true;
    return false;
}

/* ---- branches that lead round a barrier ---- */

static uint32_t add_guard(struct barrier_map *map, const struct survey *survey, uint32_t block,
                          bool away_if_taken)
{
    const uint32_t insn = survey->graph.blocks[block].end - 1;
    if (map->guard_at[insn] != NO_GUARD)
        return map->guard_at[insn];
    if (map->nguards == MAX_GUARDS)
        return NO_GUARD;
    map->guards[map->nguards] = (struct guard){insn, away_if_taken, meet_again(survey, block)};
    map->guard_at[insn] = (uint8_t)map->nguards;
    return map->nguards++;
}

/* The guard on which reaching `block` depends directly: of the two ways of `branch`, one leads there for sure. */
static uint32_t guard_between(struct barrier_map *map, struct survey *survey, uint32_t branch, uint32_t block)
{
    const struct edges *next = &survey->graph.next;
    const uint32_t *ways = next->list + next->start[branch];
    if (next->start[branch + 1] - next->start[branch] != 2 || ways[0] == ways[1])
        return NO_GUARD;
    const bool jumps_to = passes(survey, ways[0], block), falls_to = passes(survey, ways[1], block);
    return falls_to == jumps_to ? NO_GUARD : add_guard(map, survey, branch, falls_to);
}

/* The guards on which reaching a barrier's block depends, directly and through other guards. */
static uint64_t collect_guards(struct barrier_map *map, struct survey *survey, uint32_t barrier)
{
    uint32_t depth = 0;
    uint64_t set = 0;
    memset(survey->is_seen, 0, survey->graph.nblocks);
    survey->is_seen[barrier] = true;
    survey->stack[depth++] = barrier;
    while (depth && !is_too_long(survey)) {
        const uint32_t block = survey->stack[--depth];
        survey->steps += survey->graph.nblocks;
        for (uint32_t branch = 0; branch < survey->graph.nblocks; branch++) {
            const uint32_t guard = guard_between(map, survey, branch, block);
            if (guard == NO_GUARD)
                continue;
            set |= 1ull << guard;
            if (!survey->is_seen[branch])
                survey->stack[depth++] = branch;
            survey->is_seen[branch] = true;
        }
    }
    return set;
}

/* ---- rounds of loops ---- */

static bool has_barrier(const struct survey *survey, uint32_t block)
{
    const struct basic_block *range = &survey->graph.blocks[block];
    for (uint32_t i = range->first; i < range->end; i++)
        if (is_barrier(&survey->code[i]))
            return true;
    return false;
}

/* The loop that goes round from `last` to `head`: all blocks that reach `last` without passing `head`. Where the
 * compiler put them in memory says nothing. */
static bool loop_has_barrier(struct survey *survey, uint32_t head, uint32_t last)
{
    const struct edges *before = &survey->graph.before;
    bool is_found = has_barrier(survey, head);
    uint32_t depth = 0;
    survey->steps += survey->graph.nblocks;
    memset(survey->is_seen, 0, survey->graph.nblocks);
    survey->is_seen[head] = true;
    if (last != head)
        survey->stack[depth++] = last;
    survey->is_seen[last] = true;
    while (depth && !is_found) {
        const uint32_t block = survey->stack[--depth];
        is_found = has_barrier(survey, block);
        for (uint32_t e = before->start[block]; e < before->start[block + 1]; e++) {
            if (!survey->is_seen[before->list[e]])
                survey->stack[depth++] = before->list[e];
            survey->is_seen[before->list[e]] = true;
        }
    }
    return is_found;
}

/* A branch to a block that dominates it goes round a loop. */
static void find_rounds(struct barrier_map *map, struct survey *survey)
{
    for (uint32_t b = 0; b < survey->graph.nblocks && !is_too_long(survey); b++) {
        const uint32_t i = survey->graph.blocks[b].end - 1;
        if (survey->code[i].flow != FLOW_BRANCH)
            continue;
        const uint32_t head = survey->graph.block_of[survey->code[i].branch.target];
        if (head < survey->graph.nblocks && dominates(survey, head, b))
            map->is_round[i] = loop_has_barrier(survey, head, b);
    }
}

/* ---- the map ---- */

static void map_clear(struct barrier_map *map)
{
    map->nguards = 0;
    memset(map->guard_at, NO_GUARD, map->ncode + 1);
    memset(map->is_round, 0, (map->ncode + 1) * sizeof *map->is_round);
    memset(map->guards_of, 0, (map->ncode + 1) * sizeof *map->guards_of);
}

static struct barrier_map *map_new(struct arena *arena, uint32_t ncode)
{
    struct barrier_map *map = arena_alloc(arena, sizeof *map);
    if (!map)
        return NULL;
    map->ncode = ncode;
    map->guard_at = arena_alloc(arena, ncode + 1);
    map->is_round = arena_alloc(arena, (ncode + 1) * sizeof *map->is_round);
    map->guards_of = arena_alloc(arena, (ncode + 1) * sizeof *map->guards_of);
    if (!map->guard_at || !map->is_round || !map->guards_of)
        return NULL;
    map_clear(map);
    return map;
}

static bool survey_make(struct survey *survey, const struct function *function)
{
    survey->code = function->code;
    if (!flow_graph_make(&survey->graph, function->code, function->ncode))
        return false;
    const size_t n = survey->graph.nblocks + (size_t)1;
    survey->meets = flow_graph_postdominators(&survey->graph);
    survey->heads = flow_graph_dominators(&survey->graph);
    survey->is_seen = malloc(n * sizeof *survey->is_seen);
    survey->stack = malloc(n * sizeof *survey->stack);
    return survey->meets && survey->heads && survey->is_seen && survey->stack;
}

static void survey_free(struct survey *survey)
{
    flow_graph_free(&survey->graph);
    free(survey->meets);
    free(survey->heads);
    free(survey->is_seen);
    free(survey->stack);
}

/* Jumps through tables have many ways: guards are not looked for then, nor in functions of enormous size. */
static bool can_find_guards(const struct survey *survey)
{
    for (uint32_t i = 0; i < survey->graph.ncode; i++)
        if (survey->code[i].flow == FLOW_TABLE)
            return false;
    return survey->graph.nblocks <= MAX_BLOCKS;
}

static void map_fill(struct barrier_map *map, const struct function *function)
{
    struct survey survey = {0};
    if (survey_make(&survey, function)) {
        find_rounds(map, &survey);
        const bool has_guards = can_find_guards(&survey);
        for (uint32_t i = 0; has_guards && i < function->ncode; i++)
            if (is_barrier(&function->code[i]))
                map->guards_of[i] = collect_guards(map, &survey, survey.graph.block_of[i]);
        if (is_too_long(&survey))
            map_clear(map);
    }
    survey_free(&survey);
}

/* Makes the function's map, unless it has no barrier. Called when the first block of a launch begins. */
static void map_make(struct function *function)
{
    static struct barrier_map none;
    bool is_needed = false;
    for (uint32_t i = 0; i < function->ncode; i++)
        is_needed |= is_barrier(&function->code[i]);
    struct barrier_map *map = is_needed ? map_new(function->module->arena, function->ncode) : NULL;
    if (map)
        map_fill(map, function);
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

static const struct barrier_map *map_at(const struct function *function, const struct insn *insn,
                                        uint32_t *index)
{
    const struct barrier_map *map = function->barrier_map;
    *index = (uint32_t)(insn - function->code);
    return map && map->ncode ? map : NULL;
}

void check_branch(struct warp *warp, const struct insn *insn, uint32_t taken, uint32_t fallen)
{
    uint32_t i;
    const struct barrier_map *map = map_at(warp->frame->function, insn, &i);
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

/* cause "": the kind's own. */
static void report_barrier(struct warp *warp, const struct insn *insn, uint32_t thread, uint32_t other_loc,
                           enum vgpu_finding kind, const char *cause, const char *what)
{
    struct finding finding = finding_of(warp, insn, (int)(thread % LANES), kind);
    finding.other_loc = other_loc;
    if (!warp->block->findings || findings_repeat(warp->block->findings, &finding))
        return;
    snprintf(finding.what, sizeof finding.what, "%s", what);
    snprintf(finding.cause, sizeof finding.cause, "%s", cause);
    findings_add(warp->block->findings, &finding);
}

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
        report_barrier(warp, insn, thread, 0, VGPU_BARRIER_SKIPPED, "",
                       "threads wait at this barrier in different rounds of its loop");
    else
        report_barrier(
            warp, insn, thread, first->insn->loc, VGPU_BARRIER_DIVERGENT,
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
        report_barrier(warp, insn, thread_of(warp, lane), 0, VGPU_BARRIER_SKIPPED, "",
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
static bool is_wrong_way(const struct launch *launch, const struct function *function,
                         const struct guard *guard, const struct insn *barrier)
{
    return guard->is_skip || encloses(launch, function->code[guard->insn].loc, barrier->loc);
}

/* A thread left the kernel without this barrier, for which others waited. Was it an early return? */
static bool has_skipped(const struct launch *launch, const struct function *function,
                        const struct insn *barrier, const struct lane_watch *lane)
{
    uint32_t i;
    const struct barrier_map *map = map_at(function, barrier, &i);
    if (!map || !map->guards_of[i])
        return false;
    uint64_t guards = map->guards_of[i];
    if (lane->away && guards >> (lane->away - 1) & 1)
        return is_wrong_way(launch, function, &map->guards[lane->away - 1], barrier);
    if (lane->away)
        return false;
    for (; guards; guards &= guards - 1) /* which one it took was not seen: all must be wrong ways */
        if (!is_wrong_way(launch, function, &map->guards[__builtin_ctzll(guards)], barrier))
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
                warp, barrier, thread_of(warp, lane), 0, VGPU_BARRIER_DIVERGENT,
                "a thread returns, or leaves a branch or loop, before this __syncthreads(): the others go on "
                "without it, and what it should do is missing; let all threads stay, and skip only their "
                "work",
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
