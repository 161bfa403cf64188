/* knowledge.c - what is known of instructions, whatever block or lane executed them: see inside.h. */
#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "core/warp.h"
#include "feeds/inside.h"

/* ------------------------------------------------------------------------------------------- functions */

/* Who waits in a loop for somebody else goes on because of what it reads there. */
static bool is_awaited(const struct insn *insn)
{
    const bool is_read =
        insn->class == CLASS_ATOMIC ? insn->ndefs > 0 : insn->is_volatile && !insn->is_store && insn->ndefs;
    return (is_read && insn->space != PTX_SHARED) || insn_begins(insn, "mbarrier");
}

static void mark_polling(struct feeds *feeds, struct notes *notes)
{
    const struct function *function = notes->function;
    for (uint32_t i = 0; i < function->ncode; i++) {
        const struct insn *insn = &function->code[i];
        bool is_polling = !notes->has_control && insn->guard;
        if (insn->flow == FLOW_BRANCH && insn->branch.target <= i && i - insn->branch.target < 256)
            for (uint32_t k = insn->branch.target; k < i && !is_polling; k++)
                is_polling = is_awaited(&function->code[k]);
        if (is_polling && (insn->flow == FLOW_BRANCH || !notes->has_control))
            note_decides(feeds, notes, insn);
    }
}

struct notes *feeds_notes_of(struct feeds *feeds, const struct function *function)
{
    struct notes **known = feeds->notes.items;
    for (size_t i = 0; i < feeds->notes.count; i++)
        if (known[i]->function == function)
            return known[i];
    struct notes *notes = calloc(1, sizeof *notes), **place = list_push(&feeds->notes, sizeof notes);
    if (!notes || !place) {
        free(notes);
        feeds->notes.count -= place != NULL;
        return NULL;
    }
    *place = notes;
    notes->function = function;
    notes->nplaces = places_of(function);
    notes->flags = calloc((size_t)function->ncode + 1, 1);

    notes->shared_first = UINT32_MAX;
    notes->has_control = control_make(&notes->control, function);
    if (!notes->flags) {
        feeds->notes.count--;
        feeds_notes_free(notes);
        return NULL;
    }
    mark_polling(feeds, notes);
    return notes;
}

void feeds_notes_free(struct notes *notes)
{
    free(notes->flags);
    free(notes->begins);
    control_free(&notes->control);
    free(notes);
}

/* ------------------------------------------------------------------------------------------- what matters */

static void use_memory(struct notes *notes, const struct insn *insn)
{
    const bool is_load = insn->width && !insn->is_store &&
                         (insn->class == CLASS_SHARED || insn->class == CLASS_ATOMIC ||
                          insn->class == CLASS_LOCAL || insn->space == PTX_GENERIC);
    if (!is_load)
        return;
    if (insn->space == PTX_LOCAL || insn->space == PTX_GENERIC)
        notes->reads_local = true;
    if (insn->space == PTX_LOCAL)
        return;
    notes->shared_first = insn->bounds.first < notes->shared_first ? insn->bounds.first : notes->shared_first;
    notes->shared_end = insn->bounds.end > notes->shared_end ? insn->bounds.end : notes->shared_end;
}

/* What is found is looked at one after the other: hostile code may nest as deep as it is long. */
struct found {
    struct notes *notes;
    const struct insn *insn;
};

static void find(struct feeds *feeds, struct notes *notes, const struct insn *insn)
{
    uint8_t *flags = &notes->flags[insn - notes->function->code];
    if (*flags & NOTE_MATTERS)
        return;
    *flags |= NOTE_MATTERS;
    notes->changes++;
    feeds->has_changed = true;
    struct found *found = list_push(&feeds->found, sizeof *found);
    if (found)
        *found = (struct found){notes, insn};
    else
        feeds->has_failed = true;
}

static void decide(struct feeds *feeds, struct notes *notes, const struct insn *insn)
{
    uint8_t *flags = &notes->flags[insn - notes->function->code];
    if (*flags & NOTE_DECIDES)
        return;
    *flags |= NOTE_DECIDES;
    feeds->has_changed = true;
    find(feeds, notes, insn);
}

static void follow(struct feeds *feeds, struct notes *notes, const struct insn *insn)
{
    use_memory(notes, insn);
    if (insn->guard)
        decide(feeds, notes, insn);
    if (!notes->has_control)
        return;
    const uint32_t block = notes->control.block_of[insn - notes->function->code];
    for (uint32_t i = notes->control.start[block]; i < notes->control.start[block + 1]; i++)
        decide(feeds, notes, &notes->function->code[notes->control.list[i]]);
}

static void follow_all(struct feeds *feeds)
{
    while (feeds->found.count) {
        const struct found found = ((struct found *)feeds->found.items)[--feeds->found.count];
        follow(feeds, found.notes, found.insn);
    }
}

void note_matters(struct feeds *feeds, struct notes *notes, const struct insn *insn)
{
    find(feeds, notes, insn);
    follow_all(feeds);
}

void note_decides(struct feeds *feeds, struct notes *notes, const struct insn *insn)
{
    decide(feeds, notes, insn);
    follow_all(feeds);
}

/* ------------------------------------------------------------------------------------------- in no trail */

static bool leaves_block(const struct insn *insn, const struct insn_stat *stat)
{
    if (insn->class == CLASS_ATOMIC || insn->is_store)
        return insn->class == CLASS_PARAM || stat->requests || stat->local_requests || stat->shared_requests;
    return insn->flow == FLOW_CALL || insn->is_async || (insn->class == CLASS_TEXTURE && !insn->ndefs);
}

static bool has_cut(const struct kept_launch *launch)
{
    bool is_cut = false;
    for (uint32_t i = 0; i < launch->ntrails; i++)
        is_cut |= launch->trails[i]->is_cut;
    return is_cut;
}

/* Where trails are cut, what is in them is executed behind the cut as well. */
static void add_unseen(struct feeds *feeds, struct notes *notes, const struct kept_launch *launch)
{
    const bool is_solved = liveness_solve(notes), is_cut = has_cut(launch);
    uint64_t *live = malloc((notes->nwords + 1) * sizeof *live);
    feeds->has_failed |= !live;
    for (uint32_t i = notes->function->ncode; i-- > 0 && live;) {
        const uint32_t block = is_solved ? notes->control.block_of[i] : 0;
        const struct insn *insn = &notes->function->code[i];
        if (is_solved && notes->control.graph.blocks[block].end == i + 1)
            liveness_at_end(notes, block, live);
        const struct insn_stat *stat =
            insn->id && insn->id < launch->nstats ? &launch->stats[insn->id] : NULL;
        const bool is_seen = notes->flags[i] & NOTE_SEEN;
        const bool is_asked = stat && stat->warps && !(notes->flags[i] & NOTE_MATTERS) &&
                              (!is_seen || is_cut) && insn->flow != FLOW_BRANCH && insn->flow != FLOW_TABLE;
        if (is_asked &&
            (!is_solved || (!is_seen && leaves_block(insn, stat)) || liveness_has_def(notes, insn, live))) {
            note_matters(feeds, notes, insn);
            if (!is_seen && insn->width && !insn->is_store && stat->requests && insn->class != CLASS_CONST)
                make_all_live(feeds); /* it may read what this launch wrote */
        }
        if (is_solved)
            liveness_step(notes, insn, live);
    }
    free(live);
}

void feeds_add_unseen(struct feeds *feeds, const struct kept_launch *launch)
{
    const struct module *module = launch->kernel->module;
    bool has_changed = feeds->has_changed;
    do {
        feeds->has_changed = false;
        for (uint32_t f = 0; f < module->nfunctions; f++) {
            const struct function *function = &module->functions[f];
            if (!function->code || (function->ptx->is_entry && function != launch->kernel))
                continue;
            struct notes *notes = feeds_notes_of(feeds, function);
            if (notes)
                add_unseen(feeds, notes, launch);
            else
                feeds->has_failed = true;
        }
        has_changed |= feeds->has_changed;
    } while (feeds->has_changed);
    feeds->has_changed = has_changed;
}
