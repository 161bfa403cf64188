/* race.c - races and reads of unwritten memory in words.
 * Both places are named: the access that was caught, and the earlier one it collides with.
 * When two accesses race is decided in shared.c and clocks.c. */
#include <stdio.h>
#include <string.h>

#include "report/explain.h"
#include "report/names.h"
#include "check/shadow.h"
#include "core/budget.h"
#include "decode/provenance.h"

static const struct race_words {
    enum vgpu_finding between_warps, within_warp; /* another synchronisation is missing within a warp */
    const char *verb, *other_verb;
} race_words[] = {
    [RACE_READ_AFTER_WRITE] = {VGPU_RACE_READ_AFTER_WRITE, VGPU_WARP_READ_AFTER_WRITE, "reads", "wrote"},
    [RACE_WRITE_AFTER_READ] = {VGPU_RACE_WRITE_AFTER_READ, VGPU_WARP_WRITE_AFTER_READ, "overwrites", "read"},
    [RACE_WRITE_AFTER_WRITE] = {VGPU_RACE_WRITE_WRITE, VGPU_WARP_WRITE_WRITE, "overwrites", "wrote"},
    [RACE_ATOMIC_AFTER_WRITE] = {VGPU_RACE_STORE_ATOMIC, VGPU_RACE_STORE_ATOMIC, "changes with an atomic",
                                 "stored"},
    [RACE_WRITE_AFTER_ATOMIC] = {VGPU_RACE_STORE_ATOMIC, VGPU_RACE_STORE_ATOMIC, "overwrites",
                                 "changed with an atomic"},
    [RACE_READ_BEFORE_COPY] = {VGPU_READ_BEFORE_COPY, VGPU_READ_BEFORE_COPY, "reads", "began to copy"},
};

/* `x += v` by several threads: one of the two accesses is the store, the other the load or the store of the same
 * statement. */
static bool is_update(const struct function *function, const struct insn *insn, enum race_kind kind,
                      struct site other)
{
    if (!other.insn || other.function != function)
        return false;
    if (kind == RACE_READ_AFTER_WRITE)
        return insn->source && provenance_updated(function, other.insn->source) == insn->source;
    const struct ptx_insn *load = provenance_updated(function, insn->source);
    return load && (kind == RACE_WRITE_AFTER_WRITE ? other.insn == insn : other.insn->source == load);
}

/* What two threads did to one place of shared memory. */
struct collision {
    struct warp *warp;
    const struct insn *insn;
    uint32_t offset, bytes, other_thread;
    struct site other;
};

static void describe_race(const struct collision *race, const char *verb, const char *other_verb,
                          struct finding *found)
{
    const struct launch *launch = race->warp->block->launch;
    struct array_place place;
    char index[160], where[300] = "an unknown line";
    uint32_t at[3] = {0, 0, 0};
    place_find(race->warp, race->insn, PTX_SHARED, race->offset, &place);
    place_element(&place, race->insn->width ? race->insn->width : race->bytes, index, sizeof index);
    thread_coordinates(launch, race->other_thread, at);
    if (race->other.insn)
        name_of_loc(launch->kernel->module->ptx, race->other.insn->loc, where, sizeof where);
    snprintf(found->array, sizeof found->array, "%s", place.name);
    snprintf(found->what, sizeof found->what, "%s %s, which thread (%u,%u,%u) %s at %s", verb, index, at[0],
             at[1], at[2], other_verb, where);
    if (race->other.insn == race->insn &&
        !place_is_past_row(&place, launch, race->other_thread, found->cause, sizeof found->cause))
        place_is_past_row(&place, launch, found->thread, found->cause, sizeof found->cause);
}

void report_shared_race(struct warp *warp, const struct insn *insn, int lane, enum race_kind kind,
                        uint32_t offset, uint32_t bytes, uint32_t other_thread, uint16_t other_site)
{
    struct findings *list = warp->block->findings;
    const struct race_words *words = &race_words[kind];
    const bool is_within = other_thread / LANES == warp->index;
    const struct site other = site_find(warp->block->launch, other_site);
    const struct collision race = {warp, insn, offset, bytes, other_thread, other};
    struct finding found =
        finding_of(warp, insn, lane, is_within ? words->within_warp : words->between_warps);
    found.other_loc = other.insn ? other.insn->loc : 0;
    found.other_insn = other.insn ? other.insn->id : 0;
    struct finding lost = finding_of(warp, insn, lane, VGPU_LOST_UPDATE);
    lost.space = PTX_SHARED;
    if (kind == RACE_READ_AFTER_WRITE && other.insn)
        lost.loc = other.insn->loc; /* the statement is one place, whichever of its accesses was seen */
    warp->extra += COST_REPEAT;
    if (!list || findings_repeat(list, &found) || findings_repeat(list, &lost))
        return;
    if (is_update(warp->frame->function, insn, kind, other)) {
        describe_race(&race, "changes", "changes as well", &lost);
        findings_add(list, &lost);
    } else {
        describe_race(&race, words->verb, words->other_verb, &found);
        findings_add(list, &found);
    }
}

static const char *const unwritten[PTX_SPACES] = {
    [PTX_LOCAL] = "the thread's own array or variable is used before it is given a value",
    [PTX_GLOBAL] = "nothing was copied or stored there since cudaMalloc, which does not clear memory",
};

static unsigned count_returned(const struct block *block)
{
    unsigned returned = 0;
    for (uint32_t i = 0; i < block->nwarps; i++)
        returned += (unsigned)__builtin_popcount(block->warps[i].exited & block->warps[i].lanes);
    return returned;
}

/* Why an element of a shared array holds nothing: what of the array was stored, and by whom it was not. */
static void explain_shared(const struct warp *warp, const struct array_place *place, uint64_t address,
                           uint32_t bytes, char *out, size_t size)
{
    const struct block *block = warp->block;
    const uint64_t first = place->is_known ? (address - (uint64_t)place->offset) / 4 : 0;
    const uint64_t words = place->is_known ? place->size / 4 : 0;
    const unsigned returned = count_returned(block);
    uint64_t stored = 0;
    for (uint64_t i = first; i < first + words && i < block->shadow->nwords; i++)
        stored += (block->shadow->valid[i] & VALID_BYTES) == VALID_BYTES;
    const unsigned long long elements = words * 4 / bytes, filled = stored * 4 / bytes;
    const char *also = block->shadow->floor > block->shadow->begun ? ", and a barrier was passed" : "";
    if (returned)
        snprintf(out, size, "%u of the block's %u threads have returned before this read, and store nothing",
                 returned, block->nthreads);
    else if (elements > 1)
        snprintf(out, size,
                 "%llu of the array's %llu elements are stored so far%s; shared memory starts with arbitrary "
                 "contents",
                 filled, elements, also);
    else
        snprintf(out, size,
                 "no thread stored to this element before; shared memory starts with arbitrary contents");
}

/* The first instruction after insn, in straight-line code, that reads what insn loaded; NULL: none. */
static const struct insn *first_use(const struct warp *warp, const struct insn *insn)
{
    const struct function *function = warp->frame->function;
    for (const struct insn *next = insn + 1; next < function->code + function->ncode; next++) {
        for (int i = next->ndefs; i < next->ndefs + next->nuses; i++)
            if (next->o[i] == insn->o[0])
                return next;
        if (next->class == CLASS_CONTROL && next->kind != INSN_JOIN)
            return NULL;
    }
    return NULL;
}

static bool sets_pred(const struct insn *insn, uint32_t operand)
{
    return insn->kind == INSN_SETP &&
           ((SLOT_PRED | insn->preds[0]) == operand || (SLOT_PRED | insn->preds[1]) == operand);
}

/* Compilers turn `is_there ? slot : -1` into a load for all and a selection: what a lane does not select it has not read.
 * A predicate that is computed only after the load cannot be asked yet: silence is the safe answer. */
static bool is_selected_away(const struct warp *warp, const struct insn *insn, int lane)
{
    const struct insn *use = insn->ndefs == 1 ? first_use(warp, insn) : NULL;
    if (!use || use->kind != INSN_SELP || use->nuses != 3 || use->ndefs != 1)
        return false;
    for (const struct insn *between = insn + 1; between < use; between++)
        if (sets_pred(between, use->o[3]))
            return true;
    const bool takes_first = warp->preds[use->o[3] & ~SLOT_PRED] >> lane & 1;
    return use->o[takes_first ? 1 : 2] != insn->o[0];
}

void report_uninitialised(struct warp *warp, const struct insn *insn, int lane, enum ptx_space space,
                          uint64_t address, uint32_t bytes)
{
    if (is_selected_away(warp, insn, lane))
        return;
    struct finding found = finding_of(warp, insn, lane, VGPU_UNINITIALISED);
    found.space = space;
    if (!warp->block->findings || findings_repeat(warp->block->findings, &found))
        return;
    struct array_place place;
    char index[160];
    place_find(warp, insn, space, address, &place);
    place_index(&place, bytes, index, sizeof index);
    snprintf(found.array, sizeof found.array, "%s", place.name);
    snprintf(found.what, sizeof found.what, "reads %u bytes at %s, which nobody has written", bytes, index);
    if (space == PTX_SHARED)
        explain_shared(warp, &place, address, bytes, found.cause, sizeof found.cause);
    else
        snprintf(found.cause, sizeof found.cause, "%s", unwritten[space]);
    findings_add(warp->block->findings, &found);
}
