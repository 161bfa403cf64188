/* race.c - races and reads of unwritten memory in words.
 * Both places are named: the access that was caught, and the earlier one it collides with.
 * Titles are static texts, because they tell repeats of a place. */
#include <stdio.h>
#include <string.h>

#include "report/explain.h"
#include "check/shadow.h"

struct race_text {
    const char *title, *verb, *other_verb, *cause;
};

/* By enum race_kind; within a warp a different synchronisation is missing. */
static const struct race_text between_warps[] = {
    [RACE_READ_AFTER_WRITE] = {"race in shared memory: read after write without a barrier", "reads", "wrote",
                               "a __syncthreads() is missing between the write and this read"},
    [RACE_WRITE_AFTER_READ] =
        {"race in shared memory: write after read without a barrier", "overwrites", "read",
         "a __syncthreads() is missing between the read and this write (often at a loop's end)"},
    [RACE_WRITE_AFTER_WRITE] =
        {"race in shared memory: two threads write different values", "overwrites", "wrote",
         "two threads use the same element; use an atomic, or a __syncthreads() between the writes"},
};
static const struct race_text within_warp[] = {
    [RACE_READ_AFTER_WRITE] =
        {"race within a warp: read after write without __syncwarp()", "reads", "wrote",
         "lanes of a warp do not run in lockstep; a __syncwarp() is missing before this read"},
    [RACE_WRITE_AFTER_READ] =
        {"race within a warp: write after read without __syncwarp()", "overwrites", "read",
         "lanes of a warp do not run in lockstep; a __syncwarp() is missing before this write"},
    [RACE_WRITE_AFTER_WRITE] =
        {"race within a warp: two lanes write different values", "overwrites", "wrote",
         "several lanes store to one element at once; use an atomic, or let one lane write"},
};

void report_shared_race(struct warp *warp, const struct insn *insn, int lane, enum race_kind kind,
                        uint32_t offset, uint32_t bytes, uint32_t other_thread, uint16_t other_site)
{
    const struct launch *launch = warp->block->launch;
    const struct race_text *texts = other_thread / LANES == warp->index ? within_warp : between_warps;
    const struct race_text *text = &texts[kind];
    struct site other = site_find(launch, other_site);
    struct diagnostic d = {.severity = SEVERITY_RACE,
                           .title = text->title,
                           .loc = insn->loc,
                           .other_loc = other.insn ? other.insn->loc : 0,
                           .block = warp->block->index,
                           .thread = thread_of(warp, lane)};
    if (!warp->block->diagnostics || diagnostics_repeat(warp->block->diagnostics, &d))
        return;
    struct array_place place;
    char index[160], where[300] = "an unknown line";
    uint32_t at[3] = {0, 0, 0};
    place_find(warp, insn, PTX_SHARED, offset, &place);
    place_element(&place, insn->width ? insn->width : bytes, index, sizeof index);
    thread_coordinates(launch, other_thread, at);
    if (other.insn)
        name_of_loc(launch->kernel->module->ptx, other.insn->loc, where, sizeof where);
    snprintf(d.array, sizeof d.array, "%s", place.name);
    snprintf(d.what, sizeof d.what, "%s %s, which thread (%u,%u,%u) %s at %s", text->verb, index, at[0],
             at[1], at[2], text->other_verb, where);
    snprintf(d.cause, sizeof d.cause, "%s", text->cause);
    diagnostics_add(warp->block->diagnostics, &d);
}

struct unwritten_text {
    const char *title, *cause;
};

static const struct unwritten_text unwritten[PTX_SPACES] = {
    [PTX_SHARED] = {"read of uninitialised shared memory",
                    "no thread stored to this element before; shared memory starts with arbitrary contents"},
    [PTX_LOCAL] = {"read of uninitialised local memory",
                   "the thread's own array or variable is used before it is given a value"},
    [PTX_GLOBAL] = {"read of uninitialised global memory",
                    "nothing was copied or stored there since cudaMalloc, which does not clear memory"},
};

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
    struct diagnostic d = {.severity = SEVERITY_ERROR,
                           .title = unwritten[space].title,
                           .loc = insn->loc,
                           .block = warp->block->index,
                           .thread = thread_of(warp, lane)};
    if (!warp->block->diagnostics || diagnostics_repeat(warp->block->diagnostics, &d))
        return;
    struct array_place place;
    char index[160];
    place_find(warp, insn, space, address, &place);
    place_index(&place, bytes, index, sizeof index);
    snprintf(d.array, sizeof d.array, "%s", place.name);
    snprintf(d.what, sizeof d.what, "reads %u bytes at %s, which nobody has written", bytes, index);
    snprintf(d.cause, sizeof d.cause, "%s", unwritten[space].cause);
    diagnostics_add(warp->block->diagnostics, &d);
}
