/* make.c - a launch's profile: time by lines, and every memory instruction with its pictures. See profile.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "core/pictures.h"
#include "feeds/feeds.h"
#include "profile/code.h"
#include "profile/found.h"
#include "profile/profile.h"
#include "report/explain.h"
#include "report/names.h"

_Static_assert((int)VGPU_SPENTS == (int)MODEL_SPENT, "what warps spend their time on is what the model says");

/* ------------------------------------------------------------------------------------------- lines */

struct line_walk {
    const struct estimate *estimate;
    const struct vgpu_line *lines;
    size_t nlines;
    double (*spent)[VGPU_SPENTS];
};

static void add_to_line(const struct found *found, void *context)
{
    const struct line_walk *walk = context;
    const double *spent = found_spent(walk->estimate, found->insn->id);
    for (size_t i = 0; i < walk->nlines; i++)
        if (walk->lines[i].line == found->loc->line && !strcmp(walk->lines[i].file, found->file)) {
            for (int on = 0; on < VGPU_SPENTS; on++)
                walk->spent[i][on] += spent[on];
            return;
        }
}

/* ------------------------------------------------------------------------------------------- accesses */

/* What was counted of an instruction, by the space that it went to. */
struct space_row {
    const char *name;
    uint64_t requests, parts;
    enum ptx_space space;
};

static struct space_row space_of(const struct found *found)
{
    const struct insn_stat *stat = found->stat;
    if (found->insn->class == CLASS_CONST || found->insn->space == PTX_CONST)
        return (struct space_row){"constant", stat->requests, stat->sectors, PTX_CONST};
    if (stat->shared_requests && !found->insn->is_async)
        return (struct space_row){"shared", stat->shared_requests, stat->wavefronts, PTX_SHARED};
    if (stat->local_requests)
        return (struct space_row){"local", stat->local_requests, stat->local_sectors, PTX_LOCAL};
    return (struct space_row){"global", stat->requests, stat->sectors, PTX_GLOBAL};
}

/* Sectors that hold as many bytes as lanes asked for; passes for words of four bytes; one word for all. */
static double ideal_of(const struct found *found, const struct space_row *row, uint32_t bytes)
{
    const double requests = (double)row->requests;
    const double lanes = (double)LANES * (double)found->stat->warps - (double)found->stat->idle;
    if (row->space == PTX_CONST)
        return requests;
    if (row->space == PTX_SHARED)
        return requests * (bytes > 4 ? (double)bytes / 4 : 1);
    const double sectors = lanes * bytes / 32;
    return sectors > requests ? sectors : requests;
}

static void name_array(const struct found *found, enum ptx_space space, uint64_t address, char *out,
                       size_t size)
{
    struct array_place place = {.name = ""};
    if (space == PTX_SHARED)
        place_shared_name(found->launch->kernel, address, out, size);
    if (space != PTX_GLOBAL && space != PTX_CONST)
        return;
    place_find_global(found->launch, found->function, found->insn->source, address, &place);
    snprintf(out, size, "%s", place.name);
}

static struct vgpu_picture copy_of(const struct picture *picture)
{
    struct vgpu_picture copy = {.block = picture->block,
                                .warp = picture->warp,
                                .mask = picture->mask,
                                .bytes = picture->bytes,
                                .cost = picture->cost};
    memcpy(copy.address, picture->address, sizeof copy.address);
    return copy;
}

static void add_pictures(struct vgpu_access *access, const struct found *found)
{
    struct picture_choice choice;
    pictures_choose(&choice, found->launch, found->insn->id);
    access->seen = choice.seen;
    if (!choice.seen)
        return;
    access->first = copy_of(choice.first);
    access->worst = copy_of(choice.worst);
    access->typical = copy_of(choice.typical);
}

struct access_walk {
    const struct estimate *estimate;
    struct list accesses; /* of struct vgpu_access */
};

static bool is_same_thing(const struct vgpu_access *a, const struct vgpu_access *b)
{
    return a->line == b->line && a->bytes == b->bytes && !strcmp(a->file, b->file) &&
           !strcmp(a->space, b->space) && !strcmp(a->verb, b->verb) && !strcmp(a->array, b->array);
}

/* Loops are unrolled and functions inlined: several instructions do what one place of the program says. */
static void join(struct vgpu_access *into, const struct vgpu_access *more)
{
    into->requests += more->requests;
    into->parts += more->parts;
    into->ideal += more->ideal;
    into->spent += more->spent;
    into->unused = into->unused < 0 || more->unused < 0
                       ? -1
                       : (into->unused * (into->requests - more->requests) + more->unused * more->requests) /
                             into->requests;
    if (more->seen && (!into->seen || more->worst.cost > into->worst.cost))
        into->worst = more->worst;
    if (more->seen > into->seen)
        into->typical = more->typical;
    if (!into->seen)
        into->first = more->first;
    into->seen += more->seen;
}

static void keep_access(struct access_walk *walk, const struct vgpu_access *access)
{
    struct vgpu_access *known = walk->accesses.items;
    for (size_t i = walk->accesses.count; i-- > 0;)
        if (is_same_thing(&known[i], access)) {
            join(&known[i], access);
            return;
        }
    struct vgpu_access *fresh = list_push(&walk->accesses, sizeof *fresh);
    if (fresh)
        *fresh = *access;
}

static void add_access(const struct found *found, void *context)
{
    struct access_walk *walk = context;
    const struct insn *insn = found->insn;
    const struct space_row row = space_of(found);
    const double *spent = found_spent(walk->estimate, insn->id);
    if (!row.requests || !row.parts || insn->class == CLASS_TEXTURE)
        return;
    struct vgpu_access access = {.file = found->file,
                                 .line = found->loc->line,
                                 .space = row.name,
                                 .verb = insn->is_atomic                     ? "atomic"
                                         : insn->is_store && !insn->is_async ? "store"
                                                                             : "load",
                                 .bytes = (unsigned)insn->width * (insn->count ? insn->count : 1),
                                 .requests = (double)row.requests,
                                 .parts = (double)row.parts};
    access.ideal = ideal_of(found, &row, access.bytes);
    for (int on = 0; on < VGPU_SPENTS; on++)
        access.spent += spent[on];
    access.unused = feeds_unused(found->launch->feeds, insn);
    add_pictures(&access, found);
    if (access.seen)
        name_array(found, row.space, access.first.address[__builtin_ctz(access.first.mask)], access.array,
                   sizeof access.array);
    keep_access(walk, &access);
}

static int expensive_first(const void *a, const void *b)
{
    const struct vgpu_access *x = a, *y = b;
    if (x->spent != y->spent)
        return x->spent < y->spent ? 1 : -1;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : strcmp(x->space, y->space);
}

/* ------------------------------------------------------------------------------------------- the whole */

static void copy_estimate(struct vgpu_profile *out, const struct estimate *estimate)
{
    *out = (struct vgpu_profile){.launch_us = estimate->launch_us,
                                 .tail = estimate->tail,
                                 .without_us = estimate->without_us,
                                 .flop = estimate->roofline.flop,
                                 .bytes = estimate->roofline.bytes,
                                 .peak_gflops = estimate->roofline.peak_gflops,
                                 .dram_gbs = estimate->roofline.dram_gbs};
    for (size_t i = 0; i < estimate->nbusy; i++)
        out->busy[out->nbusy++] = (struct vgpu_part){estimate->busy[i].name, estimate->busy[i].part};
    for (uint32_t id = 0; id < estimate->nspent; id++)
        for (int on = 0; on < VGPU_SPENTS; on++)
            out->spent_on[on] += estimate->spent[id][on];
}

/* A few registers that a kernel saves once, outside of its loops, cost nothing. */
static double spilled_of(const struct function *kernel)
{
    const double often = 0.01; /* accesses per instruction */
    return kernel->spill_loads + kernel->spill_stores > often ? kernel->spill_bytes : 0;
}

void profile_make(struct profile *out, const struct launch *launch, const struct estimate *estimate,
                  const struct vgpu_line *lines, size_t nlines)
{
    struct access_walk accesses = {.estimate = estimate};
    *out = (struct profile){.spent = calloc(nlines + 1, sizeof *out->spent),
                            .launch = launch,
                            .estimate = estimate,
                            .timeline = estimate->timeline};
    copy_estimate(&out->told, estimate);
    out->told.sms = launch->gpu->sms;
    out->told.spilled = spilled_of(launch->kernel);
    out->told.inside = out;
    out->told.has_moment = code_has_marks(launch);
    if (!out->spent)
        return;
    struct line_walk walk = {estimate, lines, nlines, out->spent};
    found_each(launch, add_to_line, &walk);
    found_each(launch, add_access, &accesses);
    out->accesses = accesses.accesses.items;
    if (out->accesses)
        qsort(out->accesses, accesses.accesses.count, sizeof *out->accesses, expensive_first);
    out->told.spent = (const double(*)[VGPU_SPENTS])out->spent;
    out->told.accesses = out->accesses;
    out->told.naccesses = accesses.accesses.count;
}

double profile_busy(const struct vgpu_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->nbusy; i++)
        if (!strcmp(profile->busy[i].name, name))
            return profile->busy[i].part;
    return 0;
}

void profile_free(struct profile *profile)
{
    free(profile->spent);
    free(profile->accesses);
    free(profile->rules);
    *profile = (struct profile){.spent = NULL};
}
