/* feeds.c - see feeds.h: what is kept of a pass, and the way back through its launches and copies.
 * What is found only grows, so the way is gone until nothing new is found; the last time counts. */
#include "feeds/feeds.h"

#include <stdlib.h>
#include <string.h>

#include "core/record.h"
#include "decode/decode_internal.h"
#include "feeds/inside.h"

enum {
    FULL_LAUNCHES = 4,     /* of one kernel that keep trails as long as they are: */
    SHORT_STEPS = 1 << 10, /* others tell little more */
    MOST_STEPS = 1 << 18,  /* of all */
    MOST_ROUNDS = 16
};

struct feeds *feeds_new(void)
{
    return calloc(1, sizeof(struct feeds));
}

static void free_launch(struct kept_launch *launch)
{
    for (uint32_t i = 0; i < launch->ntrails; i++) {
        trail_free(launch->trails[i]);
        free(launch->origins[i]);
    }
    list_free(&launch->reads);
    free(launch->stats);
    free(launch->params);
    free(launch->areas);
    free(launch->tally);
}

void feeds_free(struct feeds *feeds)
{
    if (!feeds)
        return;
    for (size_t i = 0; i < feeds->kept.count; i++)
        free_launch(&((struct kept *)feeds->kept.items)[i].launch);
    for (size_t i = 0; i < feeds->notes.count; i++)
        feeds_notes_free(((struct notes **)feeds->notes.items)[i]);
    list_free(&feeds->kept);
    list_free(&feeds->notes);
    list_free(&feeds->found);
    list_free(&feeds->live);
    list_free(&feeds->stored);
    list_free(&feeds->copied);
    free(feeds);
}

static bool is_serial_root(const struct feeds *feeds, uint64_t serial)
{
    const struct kept *kept = feeds->kept.items;
    for (size_t i = 0; i < feeds->kept.count; i++)
        for (uint32_t k = 0; kept[i].is_launch && k < kept[i].launch.nareas; k++)
            if (kept[i].launch.areas[k].serial == serial &&
                (kept[i].launch.areas[k].is_seen || is_root(feeds, &kept[i].launch.areas[k])))
                return true;
    return false;
}

/* ------------------------------------------------------------------------------------------- what is kept */

static bool is_of(const struct kept *kept, const struct function *kernel)
{
    return kept->is_launch && kept->launch.kernel == kernel;
}

uint32_t feeds_wants(const struct feeds *feeds, const struct launch *launch)
{
    const struct kept *kept = feeds->kept.items;
    unsigned count = 0;
    for (size_t i = 0; i < feeds->kept.count; i++)
        count += is_of(&kept[i], launch->kernel);
    return feeds->nsteps >= MOST_STEPS ? 0 : count < FULL_LAUNCHES ? TRAIL_STEPS : SHORT_STEPS;
}

struct areas {
    struct kept_launch *launch;
    size_t capacity;
    bool has_failed;
};

static void add_area(struct allocation *allocation, void *context)
{
    struct areas *areas = context;
    struct kept_launch *launch = areas->launch;
    if (allocation->is_freed)
        return;
    struct area *grown =
        list_reserve(launch->areas, &areas->capacity, launch->nareas + (size_t)1, sizeof *grown);
    if (!grown) {
        areas->has_failed = true;
        return;
    }
    launch->areas = grown;
    launch->areas[launch->nareas++] =
        (struct area){.base = allocation->base,
                      .end = allocation->base + allocation->size,
                      .serial = allocation->serial,
                      .is_variable = allocation->kind == ALLOC_SYMBOL,
                      .is_seen = allocation->kind == ALLOC_PINNED || allocation->kind == ALLOC_MANAGED ||
                                 allocation->kind == ALLOC_HEAP};
}

static int compare_areas(const void *a, const void *b)
{
    const struct area *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

void feeds_launch(struct feeds *feeds, struct launch *launch, double time_us)
{
    struct kept *kept = launch->stats ? list_push(&feeds->kept, sizeof *kept) : NULL;
    if (!kept) {
        feeds->has_failed |= launch->stats != NULL;
        return;
    }
    struct kept_launch *one = &kept->launch;
    struct areas areas = {.launch = one};
    kept->is_launch = true;
    one->kernel = launch->kernel;
    one->time_us = time_us;
    one->nstats = launch->nstats;
    one->stats = malloc(launch->nstats * sizeof *one->stats);
    one->tally = calloc(launch->nstats, sizeof *one->tally);
    one->params = malloc(launch->kernel->param_bytes + 1u);
    one->ntrails = record_take_trails(launch, one->trails);
    memory_each(launch->memory, add_area, &areas);
    if (one->areas)
        qsort(one->areas, one->nareas, sizeof *one->areas, compare_areas);
    feeds->has_failed |= !one->stats || !one->tally || !one->params || areas.has_failed;
    if (one->stats)
        memcpy(one->stats, launch->stats, launch->nstats * sizeof *one->stats);
    if (one->params)
        memcpy(one->params, launch->params, launch->kernel->param_bytes);
    for (uint32_t i = 0; i < one->ntrails; i++)
        feeds->nsteps += one->trails[i]->nsteps;
}

void feeds_move(struct feeds *feeds, struct feeds *from)
{
    struct kept *kept = from->kept.items;
    for (size_t i = 0; i < from->kept.count; i++) {
        struct kept *place = list_push(&feeds->kept, sizeof *place);
        if (place)
            *place = kept[i];
        else
            free_launch(&kept[i].launch);
        feeds->has_failed |= !place;
    }
    feeds->nsteps += from->nsteps;
    from->kept.count = 0;
}

void feeds_copy(struct feeds *feeds, const struct allocation *to, uint64_t to_offset,
                const struct allocation *from, uint64_t from_offset, uint64_t bytes)
{
    struct kept *kept = list_push(&feeds->kept, sizeof *kept);
    if (kept)
        kept->copy =
            (struct kept_copy){to ? to->serial : 0, from ? from->serial : 0, to_offset, from_offset, bytes};
    else
        feeds->has_failed = true;
}

/* ------------------------------------------------------------------------------------------- the way back */

static void go_back_copy(struct feeds *feeds, const struct kept_copy *copy)
{
    const bool is_needed =
        copy->to ? is_live(feeds, copy->to) || is_serial_root(feeds, copy->to) : feeds->roots->host_reads;
    if (copy->from && is_needed)
        make_live(feeds, copy->from);
}

static bool matters(const struct feeds *feeds, const struct area *area)
{
    return area && (area->is_seen || is_root(feeds, area) || is_live(feeds, area->serial));
}

/* Through a pointer that it found in memory. */
static bool stores_to_live(const struct feeds *feeds, const struct kept_launch *launch)
{
    bool is_found = false;
    for (uint32_t k = 0; k < launch->ntrails; k++)
        for (uint32_t i = 0; i < launch->trails[k]->nsteps && !is_found; i++) {
            const struct trail_step *step = &launch->trails[k]->steps[i];
            const struct insn *insn = step->insn;
            uint64_t address[LANES];
            if (!step->mask || !insn->width || (insn->class != CLASS_ATOMIC && insn->class != CLASS_GLOBAL) ||
                !(insn->is_store || insn->is_atomic))
                continue;
            trail_addresses(launch->trails[k]->words + step->data, address);
            is_found = matters(feeds, area_at(launch, address[__builtin_ctz(step->mask)]));
        }
    return is_found;
}

/* Whether it can have stored to what is read later. */
static bool may_matter(const struct feeds *feeds, const struct kept_launch *launch)
{
    bool is_found = false;
    for (uint32_t at = 0; at + 8 <= launch->kernel->param_bytes && !is_found; at += 4) {
        uint64_t word;
        memcpy(&word, launch->params + at, sizeof word);
        is_found = matters(feeds, area_at(launch, word));
    }
    for (uint32_t i = 0; i < launch->nareas && !is_found; i++)
        is_found = launch->areas[i].is_variable && matters(feeds, &launch->areas[i]);
    return is_found || feeds->all_live || feeds->roots->all_global || stores_to_live(feeds, launch);
}

static void begin_launch(struct feeds *feeds, struct kept_launch *launch)
{
    const uint64_t *reads = launch->reads.items;
    memset(launch->tally, 0, launch->nstats * sizeof *launch->tally);
    launch->may_matter = may_matter(feeds, launch);
    for (size_t i = 0; i < launch->reads.count && launch->may_matter; i++)
        make_live(feeds, reads[i]);
    feeds->all_live |= launch->may_matter && launch->reads_all;
    feeds->launch = launch;
}

static void go_back(struct feeds *feeds)
{
    struct kept *kept = feeds->kept.items;
    feeds->live.count = 0;
    feeds->all_live = false;
    for (size_t i = feeds->kept.count; i-- > 0 && !feeds->has_failed;) {
        struct kept_launch *launch = &kept[i].launch;
        if (!kept[i].is_launch) {
            go_back_copy(feeds, &kept[i].copy);
            continue;
        }
        begin_launch(feeds, launch);
        for (uint32_t k = 0; k < launch->ntrails && launch->may_matter; k++)
            feeds->has_failed |= !walk_back(feeds, launch, k);
        if (launch->may_matter)
            feeds_add_unseen(feeds, launch);
        feeds->launch = NULL;
    }
}

static void go_forward(struct feeds *feeds)
{
    struct kept *kept = feeds->kept.items;
    for (size_t i = 0; i < feeds->kept.count && feeds->roots->nsources && !feeds->has_failed; i++) {
        struct kept_launch *launch = &kept[i].launch;
        if (!kept[i].is_launch) {
            origin_of_copy(feeds, &kept[i].copy);
            continue;
        }
        for (uint32_t k = 0; k < launch->ntrails && !launch->origins[k]; k++)
            launch->origins[k] = origin_walk(feeds, launch, launch->trails[k]);
    }
}

/* ------------------------------------------------------------------------------------------- counters */

/* Of a launch without a trail, or of an instruction that its trails do not have: what other launches of the kernel say. */
static struct tally tally_of(const struct feeds *feeds, const struct kept_launch *launch, uint32_t id)
{
    const struct kept *kept = feeds->kept.items;
    struct tally sum = launch->tally[id];
    for (size_t i = 0; !sum.steps && i < feeds->kept.count; i++)
        if (is_of(&kept[i], launch->kernel) && id < kept[i].launch.nstats)
            sum = kept[i].launch.tally[id];
    return sum;
}

static uint64_t part(uint64_t value, double share)
{
    return (uint64_t)((double)value * share + 0.5);
}

/* What is left of an instruction's statistics if only a part of its steps, and of their lanes, counts. */
static struct insn_stat part_of(const struct insn_stat *stat, double steps, double lanes)
{
    const uint64_t active = stat->warps * LANES - stat->idle;
    struct insn_stat out = {.warps = part(stat->warps, steps),
                            .requests = part(stat->requests, steps),
                            .sectors = part(stat->sectors, steps),
                            .shared_requests = part(stat->shared_requests, steps),
                            .wavefronts = part(stat->wavefronts, steps),
                            .conflicts = part(stat->conflicts, steps),
                            .shared_bytes = part(stat->shared_bytes, lanes),
                            .local_requests = part(stat->local_requests, steps),
                            .local_sectors = part(stat->local_sectors, steps),
                            .meanwhile = part(stat->meanwhile, steps)};
    const uint64_t left = part(active, lanes), most = out.warps * LANES;
    out.idle = most > left ? most - left : 0;
    return out;
}

static void add_insn(struct feeds *feeds, const struct kept_launch *launch, const struct notes *notes,
                     const struct insn *insn, struct feeds_counters *out)
{
    const struct insn_stat *stat = &launch->stats[insn->id];
    if (!launch->may_matter)
        return;
    const struct tally tally = tally_of(feeds, launch, insn->id);
    const bool matters = notes->flags[insn - notes->function->code] & NOTE_MATTERS;
    const double steps = tally.steps ? (double)tally.mattered / tally.steps : matters,
                 lanes = tally.lanes ? (double)tally.lanes_mattered / tally.lanes : matters;
    const struct insn_stat all = part_of(stat, steps, lanes);
    struct counters counters = {0};
    counters_add(&counters, insn, &all);
    counters_add_to(out->all, &counters);
    out->lanes += (double)all.idle;
    for (size_t k = 0; k < FEEDS_SOURCES && tally.mattered; k++) {
        const double of = (double)tally.of[k] / tally.steps;
        const struct insn_stat one = part_of(stat, of, lanes * of / steps);
        memset(&counters, 0, sizeof counters);
        counters_add(&counters, insn, &one);
        if (tally.of[k])
            counters_add_to(out->of[k], &counters);
    }
}

/* Its stores fed nothing, and where none is in a trail, nothing that it could have stored to is read later. */
static bool is_idle(const struct kept_launch *launch)
{
    const struct module *module = launch->kernel->module;
    bool mattered = false, is_unknown = launch->ntrails == 0;
    for (uint32_t f = 0; f < module->nfunctions; f++)
        for (uint32_t i = 0; module->functions[f].code && i < module->functions[f].ncode; i++) {
            const struct insn *insn = &module->functions[f].code[i];
            const bool leaves = insn->class == CLASS_ATOMIC ||
                                (insn->is_store && insn->class == CLASS_GLOBAL) ||
                                (insn->class == CLASS_TEXTURE && !insn->ndefs) ||
                                (insn->flow == FLOW_CALL && insn->call->builtin);
            if (!leaves || insn->id >= launch->nstats || !launch->stats[insn->id].warps)
                continue;
            mattered |= launch->tally[insn->id].mattered != 0;
            is_unknown |= !launch->tally[insn->id].steps && insn->flow != FLOW_CALL;
            mattered |= insn->flow == FLOW_CALL;
        }
    return !launch->may_matter || (!mattered && !is_unknown);
}

static void add_launch(struct feeds *feeds, const struct kept_launch *launch, struct feeds_counters *out)
{
    if (is_idle(launch)) {
        out->idle_launches++;
        out->idle_us += launch->time_us;
    }
    const struct module *module = launch->kernel->module;
    for (uint32_t f = 0; f < module->nfunctions; f++) {
        const struct function *function = &module->functions[f];
        struct notes *notes = NULL;
        for (uint32_t i = 0; function->code && i < function->ncode; i++) {
            const struct insn *insn = &function->code[i];
            if (!insn->id || insn->id >= launch->nstats || !launch->stats[insn->id].warps)
                continue;
            notes = notes ? notes : feeds_notes_of(feeds, function);
            if (notes)
                add_insn(feeds, launch, notes, insn, out);
        }
    }
}

static void see(struct feeds *feeds, const struct kept_launch *launch)
{
    for (uint32_t k = 0; k < launch->ntrails; k++)
        for (uint32_t i = 0; i < launch->trails[k]->nsteps; i++) {
            const struct trail_step *step = &launch->trails[k]->steps[i];
            const struct function *function = launch->trails[k]->frames[step->frame].function;
            struct notes *notes = feeds_notes_of(feeds, function);
            feeds->has_failed |= !notes;
            if (notes)
                notes->flags[step->insn - function->code] |= NOTE_SEEN;
        }
}

void feeds_solve(struct feeds *feeds, const struct feeds_roots *roots, struct feeds_counters *out)
{
    const struct kept *kept = feeds->kept.items;
    feeds->roots = roots;
    feeds->has_changed = feeds->nsteps > 0;
    for (size_t i = 0; i < feeds->kept.count; i++)
        if (kept[i].is_launch)
            origin_of_areas(feeds, &kept[i].launch);
    go_forward(feeds);
    for (size_t i = 0; i < feeds->kept.count && !feeds->has_failed; i++)
        if (kept[i].is_launch)
            see(feeds, &kept[i].launch);

    for (int round = 0; round < MOST_ROUNDS && feeds->has_changed && !feeds->has_failed; round++) {
        feeds->has_changed = false;
        go_back(feeds);
    }
    *out = (struct feeds_counters){.is_known = feeds->nsteps && !feeds->has_changed && !feeds->has_failed};
    for (size_t i = 0; out->is_known && i < feeds->kept.count; i++)
        if (kept[i].is_launch)
            add_launch(feeds, &kept[i].launch, out);
    feeds->roots = NULL;
}

double feeds_unused(const struct feeds *feeds, const struct insn *insn)
{
    const struct kept *kept = feeds ? feeds->kept.items : NULL;
    if (!kept || feeds->kept.count != 1 || insn->id >= kept->launch.nstats || feeds->has_failed ||
        feeds->has_changed)
        return -1;
    const struct tally *tally = &kept->launch.tally[insn->id];
    return tally->steps ? 1 - (double)tally->mattered / tally->steps : -1;
}
