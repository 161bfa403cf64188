/* origin.c - which inputs the values come from that a trail moves: forward through it, a set of inputs for each register of a warp, each
 * word of shared memory, each allocation. Values count, not the addresses and branches that led to them. */
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "decode/decode_internal.h"
#include "feeds/inside.h"

enum { LOCAL_WORDS = 1 << 10 };

struct origins {
    struct feeds *feeds;
    const struct kept_launch *launch;
    const struct trail *trail;
    uint8_t **values; /* by frame and place */
    uint8_t *shared, *local;
    const struct trail_step *step;
    const struct insn *insn;
    const struct function *function;
    uint8_t *here; /* values[frame] */
};

/* ------------------------------------------------------------------------------------------- allocations */

static uint8_t *stored_in(struct feeds *feeds, uint64_t serial)
{
    struct stored *stored = feeds->stored.items;
    for (size_t i = 0; i < feeds->stored.count; i++)
        if (stored[i].serial == serial)
            return &stored[i].inputs;
    stored = list_push(&feeds->stored, sizeof *stored);
    if (!stored) {
        feeds->has_failed = true;
        return NULL;
    }
    stored->serial = serial;
    return &stored->inputs;
}

static uint8_t inputs_at(const struct feeds *feeds, uint64_t serial, uint64_t offset, uint64_t bytes)
{
    const struct stored *stored = feeds->stored.items;
    const struct copied *copied = feeds->copied.items;
    uint8_t inputs = 0;
    for (size_t i = 0; i < feeds->stored.count; i++)
        inputs |= stored[i].serial == serial ? stored[i].inputs : 0;
    for (size_t i = 0; i < feeds->copied.count; i++)
        if (copied[i].serial == serial && offset < copied[i].offset + copied[i].bytes &&
            copied[i].offset < offset + bytes)
            inputs |= copied[i].inputs;
    return inputs;
}

/* An output's memory is no source: what lies there was put there. */
static uint8_t sources_of(const struct feeds *feeds, const struct area *area)
{
    uint8_t inputs = 0;
    for (size_t k = 0; k < feeds->roots->nsources; k++)
        if (feeds->roots->sources[k] - area->base < area->end - area->base)
            inputs |= (uint8_t)(1u << k);
    return inputs || is_root(feeds, area) ? inputs : 1u << FEEDS_OWN;
}

void origin_of_areas(struct feeds *feeds, const struct kept_launch *launch)
{
    for (uint32_t i = 0; i < launch->nareas; i++) {
        const uint8_t sources = sources_of(feeds, &launch->areas[i]);
        uint8_t *stored = sources ? stored_in(feeds, launch->areas[i].serial) : NULL;
        if (stored)
            *stored |= sources;
    }
}

void origin_of_copy(struct feeds *feeds, const struct kept_copy *copy)
{
    const uint8_t inputs = copy->from ? inputs_at(feeds, copy->from, copy->from_offset, copy->bytes) : 0;
    if (!inputs || !copy->to)
        return;
    struct copied *copied = list_push(&feeds->copied, sizeof *copied);
    if (copied)
        *copied = (struct copied){copy->to, copy->to_offset, copy->bytes, inputs};
}

/* ------------------------------------------------------------------------------------------- places */

static void set_place(const struct origins *origins, uint32_t place, uint8_t inputs)
{
    if (place == NO_PLACE)
        return;
    if (origins->step->mask == FULL_MASK)
        origins->here[place] = inputs;
    else
        origins->here[place] |= inputs;
}

static uint8_t of_operand(const struct origins *origins, uint32_t operand)
{
    const uint32_t place = place_of(origins->function, operand);
    return place == NO_PLACE || operand & SLOT_PRED ? 0 : origins->here[place];
}

static uint8_t of_sources(const struct origins *origins, uint32_t from)
{
    uint8_t inputs = 0;
    for (uint32_t k = from; k < (uint32_t)origins->insn->ndefs + origins->insn->nuses; k++)
        inputs |= of_operand(origins, origins->insn->o[k]);
    return inputs;
}

static void set_defs(const struct origins *origins, uint8_t inputs)
{
    for (uint32_t k = 0; k < origins->insn->ndefs; k++)
        set_place(origins, place_of(origins->function, origins->insn->o[k]), inputs);
}

/* ------------------------------------------------------------------------------------------- memory */

static uint8_t *local_word(const struct origins *origins, uint64_t offset)
{
    return &origins->local[origins->trail->frames[origins->step->frame].warp * LOCAL_WORDS +
                           offset / 4 % LOCAL_WORDS];
}

static uint8_t of_area(const struct origins *origins, uint64_t address, uint32_t bytes)
{
    const struct area *area = area_at(origins->launch, address);
    return area ? inputs_at(origins->feeds, area->serial, address - area->base, bytes) : 0;
}

/* What lanes read; most of them read from one allocation that others have written as a whole. */
static uint8_t read(const struct origins *origins, const uint64_t *address, uint32_t bytes)
{
    const struct insn *insn = origins->insn;
    uint8_t inputs = 0;
    uint64_t last = 0;
    for (uint32_t rest = origins->step->mask; rest; rest &= rest - 1) {
        uint64_t at = address[__builtin_ctz(rest)];
        const enum ptx_space space = feeds_space(origins->trail, insn, &at);
        if (space == PTX_SHARED)
            for (uint32_t i = 0; i < bytes && at + i < origins->trail->shared_bytes; i += 4)
                inputs |= origins->shared[(at + i) / 4];
        else if (space == PTX_LOCAL)
            inputs |= *local_word(origins, at);
        else if (space == PTX_PARAM)
            inputs |= origins->here[place_of_param(origins->function, insn->is_argument, at)];
        else if (at / 32 != last) {
            inputs |= of_area(origins, at, bytes);
            last = at / 32;
        }
    }
    return inputs;
}

static void write_shared(const struct origins *origins, uint64_t at, uint32_t bytes, uint8_t inputs,
                         bool is_added)
{
    for (uint32_t i = 0; i < bytes && at + i < origins->trail->shared_bytes; i += 4) {
        uint8_t *word = &origins->shared[(at + i) / 4];
        *word = (uint8_t)(inputs | (is_added || bytes < 4 ? *word : 0));
    }
}

static void write(struct origins *origins, const uint64_t *address, uint32_t bytes, uint8_t inputs)
{
    const struct insn *insn = origins->insn;
    for (uint32_t rest = origins->step->mask; rest; rest &= rest - 1) {
        uint64_t at = address[__builtin_ctz(rest)];
        const enum ptx_space space = feeds_space(origins->trail, insn, &at);
        if (space == PTX_SHARED) {
            write_shared(origins, at, bytes, inputs, insn->is_atomic);
        } else if (space == PTX_LOCAL) {
            *local_word(origins, at) |= inputs;
        } else if (space == PTX_PARAM) {
            for (uint32_t i = 0; i < bytes; i += 4)
                set_place(origins, place_of_param(origins->function, insn->is_argument, at + i), inputs);
        } else if (inputs) {
            const struct area *area = area_at(origins->launch, at);
            uint8_t *stored = area ? stored_in(origins->feeds, area->serial) : NULL;
            if (stored)
                *stored |= inputs;
        }
    }
}

static uint8_t step_memory(struct origins *origins)
{
    const struct insn *insn = origins->insn;
    const uint32_t bytes = access_bytes(insn);
    uint64_t address[LANES], from[LANES];
    uint8_t inputs;
    if (!origins->step->mask ||
        (insn->space == PTX_PARAM && !insn->is_argument && origins->function->ptx->is_entry)) {
        set_defs(origins, 0);
        return 0;
    }
    const uint32_t *words = trail_addresses(origins->trail->words + origins->step->data, address);
    if (insn->is_async) {
        trail_addresses(words, from);
        inputs = read(origins, from, bytes);
        for (uint32_t rest = origins->step->mask; rest; rest &= rest - 1)
            write_shared(origins, address[__builtin_ctz(rest)], bytes, inputs, false);
        return inputs;
    }
    if (insn->is_store) {
        inputs = of_sources(origins, 1);
        write(origins, address, bytes, inputs);
        return inputs;
    }
    inputs = read(origins, address, bytes);
    if (insn->is_atomic)
        write(origins, address, bytes, of_sources(origins, insn->ndefs + 1u));
    set_defs(origins, inputs);
    return (uint8_t)(inputs | (insn->is_atomic ? of_sources(origins, insn->ndefs + 1u) : 0));
}

/* ------------------------------------------------------------------------------------------- steps */

static void pass(const uint8_t *from, const struct function *source, bool from_args, uint8_t *to,
                 const struct function *target, const struct call_copy *copies, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t at = 0; at < copies[k].size; at += 4)
            to[place_of_param(target, !from_args, copies[k].to + at)] |=
                from[place_of_param(source, from_args, copies[k].from + at)];
}

static void enter_frame(struct origins *origins, uint32_t number)
{
    const struct trail_frame *frame = &origins->trail->frames[number];
    if (frame->caller == NO_FRAME || !frame->call)
        return;
    pass(origins->values[frame->caller], origins->trail->frames[frame->caller].function, true,
         origins->values[number], frame->function, frame->call->call->args, frame->call->call->nargs);
}

static void leave_frame(struct origins *origins)
{
    const struct trail_frame *frame = &origins->trail->frames[origins->step->frame];
    if (frame->caller == NO_FRAME || !frame->call)
        return;
    pass(origins->here, frame->function, false, origins->values[frame->caller],
         origins->trail->frames[frame->caller].function, frame->call->call->returns,
         frame->call->call->nreturns);
}

static uint8_t step_forward(struct origins *origins)
{
    const struct insn *insn = origins->insn;
    uint8_t inputs;
    if (insn->kind == INSN_STEP && insn->width &&
        ((insn->class >= CLASS_GLOBAL && insn->class <= CLASS_PARAM) || insn->class == CLASS_ATOMIC))
        return step_memory(origins);
    if (insn->flow == FLOW_RETURN)
        leave_frame(origins);
    if (insn->class == CLASS_TEXTURE)
        inputs = UINT8_MAX; /* of whatever is behind it */
    else if (insn->class == CLASS_WARP)
        inputs = insn->nuses ? of_operand(origins, insn->o[insn->ndefs]) : 0;
    else if (is_selection(insn))
        inputs =
            (uint8_t)((origins->step->data & origins->step->mask ? of_operand(origins, insn->o[1]) : 0) |
                      (~origins->step->data & origins->step->mask ? of_operand(origins, insn->o[2]) : 0));
    else
        inputs = of_sources(origins, insn->ndefs);
    if (origins->step->mask)
        set_defs(origins, inputs);
    return inputs;
}

uint8_t *origin_walk(struct feeds *feeds, const struct kept_launch *launch, const struct trail *trail)
{
    struct origins origins = {.feeds = feeds, .launch = launch, .trail = trail};
    uint8_t *out = malloc(trail->nsteps + 1u);
    origins.values = calloc(trail->nframes + 1u, sizeof *origins.values);
    origins.shared = calloc(1, trail->shared_bytes / 4 + 2u);
    origins.local = calloc(trail->nwarps, LOCAL_WORDS);
    bool is_fine = out && origins.values && origins.shared && origins.local;
    for (uint32_t f = 0; is_fine && f < trail->nframes; f++)
        is_fine = (origins.values[f] = calloc(places_of(trail->frames[f].function) + 1u, 1)) != NULL;
    uint32_t frame = 0;
    for (uint32_t i = 0; is_fine && i < trail->nsteps; i++) {
        origins.step = &trail->steps[i];
        origins.insn = origins.step->insn;
        origins.function = trail->frames[origins.step->frame].function;
        origins.here = origins.values[origins.step->frame];
        while (frame <= origins.step->frame)
            enter_frame(&origins, frame++);
        out[i] = step_forward(&origins);
    }
    for (uint32_t f = 0; origins.values && f < trail->nframes; f++)
        free(origins.values[f]);
    free(origins.values);
    free(origins.shared);
    free(origins.local);
    if (!is_fine) {
        feeds->has_failed = true;
        free(out);
        return NULL;
    }
    return out;
}
