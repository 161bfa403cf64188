/* walk.c - one trail, back from its end: which steps fed what matters, in which lanes.
 * Of each frame the live lanes of every place are kept, of shared memory the live bytes, of local memory the live words. A step that
 * sets what is live matters in those lanes; what it sets is live no longer, and what it reads is. */
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "core/warp.h"
#include "decode/decode_internal.h"
#include "exec/warpops.h"
#include "feeds/inside.h"

/* Words of local memory, by warp: which lanes' are live. */
struct local_word {
    uint64_t key; /* 0: none */
    uint32_t lanes;
};

struct walk {
    struct feeds *feeds;
    struct kept_launch *launch;
    const struct trail *trail;
    struct notes **notes; /* by frame */
    uint32_t **live;      /* by frame and place */
    uint8_t *is_live;     /* by frame: something in it matters */
    uint8_t *shared;
    struct local_word *local;
    uint32_t nlocal, local_room; /* room: a power of two */
    bool local_is_live;          /* all of it: the trail is cut */
    /* the step under way */
    const struct trail_step *step;
    const struct insn *insn;
    struct notes *here;
    uint32_t *lanes; /* live[frame] */
};

/* ------------------------------------------------------------------------------------------- places */

static inline uint32_t live_in(const struct walk *walk, uint32_t place)
{
    return place == NO_PLACE ? 0 : walk->lanes[place];
}

static inline void kill_place(const struct walk *walk, uint32_t place, uint32_t lanes)
{
    if (place != NO_PLACE)
        walk->lanes[place] &= ~lanes;
}

static inline void use_place(const struct walk *walk, uint32_t place, uint32_t lanes)
{
    if (place != NO_PLACE)
        walk->lanes[place] |= lanes;
}

static inline void use_operand(const struct walk *walk, uint32_t operand, uint32_t lanes)
{
    use_place(walk, place_of(walk->here->function, operand), lanes);
}

static void use_pred(const struct walk *walk, uint32_t number, uint32_t lanes)
{
    use_place(walk, place_of_pred(walk->here->function, number), lanes);
}

static void use_sources(const struct walk *walk, uint32_t from, uint32_t lanes)
{
    for (uint32_t k = from; k < (uint32_t)walk->insn->ndefs + walk->insn->nuses; k++)
        use_operand(walk, walk->insn->o[k], lanes);
}

static bool decides(const struct walk *walk)
{
    return walk->here->flags[walk->insn - walk->here->function->code] & NOTE_DECIDES;
}

/* All frames that the lanes are in are called by something that matters. */
static void mark_frame(struct walk *walk, uint32_t frame)
{
    while (frame != NO_FRAME && !walk->is_live[frame]) {
        walk->is_live[frame] = 1;
        const struct trail_frame *at = &walk->trail->frames[frame];
        if (at->caller != NO_FRAME && at->call)
            note_matters(walk->feeds, walk->notes[at->caller], at->call);
        frame = at->caller;
    }
}

/* The step matters in these lanes; wanted: those in which it might have, if its guard had let it. */
static void matter(struct walk *walk, uint32_t lanes, uint32_t wanted)
{
    const struct insn *insn = walk->insn;
    if (lanes) {
        if (!(walk->here->flags[insn - walk->here->function->code] & NOTE_MATTERS))
            note_matters(walk->feeds, walk->here, insn);
        if (!walk->is_live[walk->step->frame])
            mark_frame(walk, walk->step->frame);
    }
    if (insn->guard && decides(walk))
        use_pred(walk, guard_of(insn), wanted);
}

/* ------------------------------------------------------------------------------------------- values */

/* The live lanes of all that the step sets, which are so no longer. *wanted: also those that its guard kept. */
static uint32_t take_defs(const struct walk *walk, uint32_t *wanted)
{
    const struct insn *insn = walk->insn;
    const struct function *function = walk->here->function;
    const uint32_t mask = walk->step->mask;
    uint32_t lanes = 0;
    for (uint32_t k = 0; k < insn->ndefs; k++) {
        const uint32_t place = place_of(function, insn->o[k]);
        lanes |= live_in(walk, place);
        kill_place(walk, place, mask);
    }
    *wanted = lanes & walk->step->active;
    return lanes & mask;
}

static uint32_t take_preds(const struct walk *walk, const struct pred_operands *preds, uint32_t *wanted)
{
    const struct function *function = walk->here->function;
    uint32_t lanes = 0;
    for (int k = 0; k < 2; k++) {
        const uint32_t place = place_of_pred(function, preds->defs[k]);
        lanes |= live_in(walk, place);
        kill_place(walk, place, walk->step->mask);
    }
    *wanted |= lanes & walk->step->active;
    return lanes & walk->step->mask;
}

static uint32_t step_values(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    uint32_t wanted, lanes = take_defs(walk, &wanted);
    if (insn->kind == INSN_CARRY) {
        const uint32_t carry = place_of_carry(walk->here->function);
        if (insn->traits & FORM_WRITES_CARRY) {
            lanes |= live_in(walk, carry) & walk->step->mask;
            kill_place(walk, carry, walk->step->mask);
        }
        if (insn->traits & FORM_READS_CARRY)
            use_place(walk, carry, lanes);
    }
    if (lanes)
        use_sources(walk, insn->ndefs, lanes);
    matter(walk, lanes, wanted);
    return lanes;
}

/* The predicate decides if both sources were chosen some time, where it mattered. */
static uint32_t step_selection(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    uint8_t *flags = &walk->here->flags[insn - walk->here->function->code];
    uint32_t wanted;
    const uint32_t lanes = take_defs(walk, &wanted), first = lanes & walk->step->data;
    const uint8_t chosen = (uint8_t)((first ? NOTE_FIRST : 0) | (lanes & ~first ? NOTE_SECOND : 0) |
                                     (*flags & (NOTE_FIRST | NOTE_SECOND)));
    *flags |= chosen;
    use_operand(walk, insn->o[1], first);
    use_operand(walk, insn->o[2], lanes & ~first);
    if (chosen == (NOTE_FIRST | NOTE_SECOND))
        note_decides(walk->feeds, walk->here, insn);
    if (decides(walk))
        use_operand(walk, insn->o[3], lanes);
    matter(walk, lanes, wanted);
    return lanes;
}

static uint32_t step_compare(struct walk *walk)
{
    const struct pred_operands preds = preds_of(walk->insn);
    uint32_t wanted = 0;
    const uint32_t lanes = take_preds(walk, &preds, &wanted);
    if (lanes) {
        use_sources(walk, walk->insn->ndefs, lanes);
        use_pred(walk, preds.use, lanes);
    }
    matter(walk, lanes, wanted);
    return lanes;
}

/* ------------------------------------------------------------------------------------------- lanes together */

static uint32_t step_shuffle(struct walk *walk, const struct pred_operands *preds)
{
    const struct insn *insn = walk->insn;
    const uint32_t *use = &insn->o[insn->ndefs];
    uint32_t wanted, lanes = take_defs(walk, &wanted), b[LANES], c[LANES], read = 0;
    if (walk->step->mask)
        trail_lanes(trail_lanes(walk->trail->words + walk->step->data, b), c);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        bool is_inside;
        read |= 1u << shuffle_source((enum shuffle_mode)insn->op, lane, b[lane], c[lane], &is_inside);
    }
    lanes |= take_preds(walk, preds, &wanted);
    use_operand(walk, use[0], read);
    use_sources(walk, insn->ndefs + 1u, lanes);
    matter(walk, lanes, wanted);
    return lanes;
}

/* Votes, matches, reductions: each lane's result comes from all. */
static uint32_t step_exchange(struct walk *walk)
{
    const struct pred_operands preds = preds_of(walk->insn);
    const struct insn *insn = walk->insn;
    if (insn->nuses > 2)
        return step_shuffle(walk, &preds);
    uint32_t wanted, lanes = take_defs(walk, &wanted);
    lanes |= take_preds(walk, &preds, &wanted);
    if (lanes) {
        use_sources(walk, insn->ndefs, walk->step->mask);
        use_pred(walk, preds.use, walk->step->mask);
    }
    matter(walk, lanes, wanted);
    return lanes;
}

/* ------------------------------------------------------------------------------------------- local memory */

static struct local_word *local_at(struct walk *walk, uint64_t offset, bool is_made)
{
    const uint64_t key = ((uint64_t)walk->trail->frames[walk->step->frame].warp << 40 | offset / 4) + 1;
    uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40);
    if (is_made && 2 * walk->nlocal >= walk->local_room) {
        struct walk old = *walk;
        walk->local_room = old.local_room ? 2 * old.local_room : 1024;
        walk->local = calloc(walk->local_room, sizeof *walk->local);
        walk->nlocal = 0;
        if (!walk->local) {
            walk->local = old.local;
            walk->local_room = old.local_room;
            walk->nlocal = old.nlocal;
            walk->feeds->has_failed = true;
            return NULL;
        }
        for (uint32_t i = 0; i < old.local_room; i++) {
            uint32_t to = (uint32_t)(old.local[i].key * UINT64_C(0x9e3779b97f4a7c15) >> 40);
            while (old.local[i].key && walk->local[to & (walk->local_room - 1)].key)
                to++;
            if (old.local[i].key) {
                walk->local[to & (walk->local_room - 1)] = old.local[i];
                walk->nlocal++;
            }
        }
        free(old.local);
    }
    while (walk->local_room && walk->local[at & (walk->local_room - 1)].key) {
        struct local_word *word = &walk->local[at++ & (walk->local_room - 1)];
        if (word->key == key)
            return word;
    }
    if (!is_made || !walk->local_room)
        return NULL;
    struct local_word *word = &walk->local[at & (walk->local_room - 1)];
    *word = (struct local_word){key, walk->local_is_live ? FULL_MASK : 0};
    walk->nlocal++;
    return word;
}

static bool local_take(struct walk *walk, uint64_t offset, uint32_t bytes, uint32_t lane)
{
    bool is_live = false;
    for (uint64_t at = offset & ~UINT64_C(3); at < offset + bytes; at += 4) {
        struct local_word *word = local_at(walk, at, walk->local_is_live);
        is_live |= word && word->lanes >> lane & 1;
        if (word && at >= offset && at + 4 <= offset + bytes)
            word->lanes &= ~(1u << lane);
    }
    return is_live;
}

static void local_use(struct walk *walk, uint64_t offset, uint32_t bytes, uint32_t lane)
{
    for (uint64_t at = offset & ~UINT64_C(3); at < offset + bytes; at += 4) {
        struct local_word *word = local_at(walk, at, true);
        if (word)
            word->lanes |= 1u << lane;
    }
}

/* ------------------------------------------------------------------------------------------- memory */

static bool shared_is_live(const struct walk *walk, uint64_t offset, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        if (offset + i < walk->trail->shared_bytes && walk->shared[offset + i])
            return true;
    return false;
}

static void shared_set(const struct walk *walk, uint64_t offset, uint32_t bytes, uint8_t value)
{
    if (offset < walk->trail->shared_bytes)
        memset(walk->shared + offset, value,
               offset + bytes <= walk->trail->shared_bytes ? bytes : walk->trail->shared_bytes - offset);
}

/* Of global memory, by allocations: whether something that matters is read there. */
static bool area_matters(const struct walk *walk, uint64_t address, const struct area **last)
{
    if (!*last || address < (*last)->base || address >= (*last)->end)
        *last = area_at(walk->launch, address);
    return !*last || (*last)->is_seen || is_root(walk->feeds, *last) || is_live(walk->feeds, (*last)->serial);
}

static void read_area(const struct walk *walk, uint64_t address, const struct area **last)
{
    const struct area *before = *last;
    if (!*last || address < (*last)->base || address >= (*last)->end)
        *last = area_at(walk->launch, address);
    if (*last && *last != before)
        make_live(walk->feeds, (*last)->serial);
}

static uint32_t element_lanes(const struct walk *walk, uint32_t k)
{
    return live_in(walk, place_of(walk->here->function, walk->insn->o[k]));
}

static void use_param(const struct walk *walk, uint64_t offset, uint32_t bytes, uint32_t lanes)
{
    for (uint32_t at = 0; at < bytes; at += 4)
        use_place(walk, place_of_param(walk->here->function, walk->insn->is_argument, offset + at), lanes);
}

static void read_lane(struct walk *walk, uint64_t address, uint32_t lane, const struct area **area)
{
    const struct insn *insn = walk->insn;
    const enum ptx_space space = feeds_space(walk->trail, walk->insn, &address);
    if (space == PTX_GLOBAL || space == PTX_CONST) {
        read_area(walk, address, area);
        return;
    }
    for (uint32_t k = 0; k < insn->count; k++) {
        const uint64_t at = address + k * insn->width;
        if (!(element_lanes(walk, k) >> lane & 1))
            continue;
        if (space == PTX_SHARED)
            shared_set(walk, at, insn->width, 1);
        else if (space == PTX_LOCAL)
            local_use(walk, at, insn->width, lane);
        else
            use_param(walk, at, insn->width, 1u << lane);
    }
}

static uint32_t step_load(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    const struct area *area = NULL;
    const uint32_t mask = walk->step->mask;
    uint64_t address[LANES];
    uint32_t lanes = 0, wanted;
    for (uint32_t k = 0; k < insn->ndefs; k++)
        lanes |= element_lanes(walk, k) & mask;
    if (lanes && !(insn->space == PTX_PARAM && walk->here->function->ptx->is_entry && !insn->is_argument)) {
        trail_addresses(walk->trail->words + walk->step->data, address);
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            read_lane(walk, address[lane], (uint32_t)lane, &area);
        }
    }
    take_defs(walk, &wanted);
    if (lanes)
        use_sources(walk, insn->ndefs, lanes);
    matter(walk, lanes, wanted);
    return lanes;
}

/* Whether what a lane stores is read by something that matters; what it sets is set, then. */
static bool write_lane(struct walk *walk, uint64_t address, uint32_t lane, const struct area **area)
{
    const uint32_t bytes = access_bytes(walk->insn);
    const enum ptx_space space = feeds_space(walk->trail, walk->insn, &address);
    if (space == PTX_SHARED)
        return shared_is_live(walk, address, bytes);
    if (space == PTX_LOCAL)
        return local_take(walk, address, bytes, lane);
    if (space != PTX_PARAM)
        return area_matters(walk, address, area);
    uint32_t live = 0;
    for (uint32_t at = 0; at < bytes; at += 4) {
        const uint32_t place = place_of_param(walk->here->function, walk->insn->is_argument, address + at);
        live |= live_in(walk, place);
        if (bytes >= 4)
            kill_place(walk, place, 1u << lane);
    }
    return live >> lane & 1;
}

static uint32_t step_store(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    const struct area *area = NULL;
    const uint32_t mask = walk->step->mask;
    uint64_t address[LANES];
    uint32_t lanes = 0;
    if (mask)
        trail_addresses(walk->trail->words + walk->step->data, address);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        lanes |= (uint32_t)write_lane(walk, address[lane], (uint32_t)lane, &area) << lane;
    }
    for (uint32_t rest = insn->space == PTX_SHARED || insn->space == PTX_GENERIC ? lanes : 0; rest;
         rest &= rest - 1) {
        uint64_t at = address[__builtin_ctz(rest)];
        if (feeds_space(walk->trail, walk->insn, &at) == PTX_SHARED)
            shared_set(walk, at, access_bytes(insn), 0);
    }
    use_sources(walk, 0, lanes);
    matter(walk, lanes, walk->step->active);
    return lanes;
}

/* Reads, combines, writes: what was there before is read as well. */
static uint32_t step_atomic(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    const struct area *area = NULL;
    const uint32_t mask = walk->step->mask, bytes = access_bytes(insn);
    uint64_t address[LANES];
    uint32_t wanted, lanes = take_defs(walk, &wanted);
    const uint32_t returned = lanes;
    if (mask)
        trail_addresses(walk->trail->words + walk->step->data, address);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        uint64_t at = address[lane];
        const bool is_read = returned >> lane & 1,
                   is_shared = feeds_space(walk->trail, walk->insn, &at) == PTX_SHARED;
        const bool is_needed =
            is_read || (is_shared ? shared_is_live(walk, at, bytes) : area_matters(walk, at, &area));
        lanes |= (uint32_t)is_needed << lane;
        if (is_read && !is_shared)
            read_area(walk, at, &area);
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t at = address[__builtin_ctz(rest)];
        if (feeds_space(walk->trail, walk->insn, &at) == PTX_SHARED)
            shared_set(walk, at, bytes, 1);
    }
    use_sources(walk, insn->ndefs, lanes);
    matter(walk, lanes, walk->step->active);
    return lanes;
}

/* A copy from global to shared memory: as if it were there at once, for nobody may look before it is. */
static uint32_t step_copy(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    const struct area *area = NULL;
    uint64_t to[LANES], from[LANES];
    uint32_t lanes = 0;
    if (walk->step->mask)
        trail_addresses(trail_addresses(walk->trail->words + walk->step->data, to), from);
    for (uint32_t rest = walk->step->mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        lanes |= (uint32_t)shared_is_live(walk, to[lane], insn->width) << lane;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        shared_set(walk, to[lane], insn->width, 0);
        read_area(walk, from[lane], &area);
    }
    use_sources(walk, 0, lanes);
    use_pred(walk, preds_of(insn).use, lanes);
    matter(walk, lanes, walk->step->active);
    return lanes;
}

static uint32_t step_memory(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    return insn->is_async    ? step_copy(walk)
           : insn->is_atomic ? step_atomic(walk)
           : insn->is_store  ? step_store(walk)
                             : step_load(walk);
}

/* ------------------------------------------------------------------------------------------- everything else */

/* Textures may show what any kernel has written, and surfaces are written for whoever reads them. */
static uint32_t step_texture(struct walk *walk)
{
    uint32_t wanted, lanes = take_defs(walk, &wanted);
    if (!walk->insn->ndefs)
        lanes = wanted = walk->step->mask;
    if (lanes) {
        use_sources(walk, walk->insn->ndefs, lanes);
        if (walk->insn->ndefs)
            make_all_live(walk->feeds);
    }
    matter(walk, lanes, wanted);
    return lanes;
}

/* Of what is not followed, all sources count. */
static uint32_t step_anything(struct walk *walk)
{
    uint32_t wanted;
    take_defs(walk, &wanted);
    use_sources(walk, walk->insn->ndefs, walk->step->mask);
    use_pred(walk, preds_of(walk->insn).use, walk->step->mask);
    matter(walk, walk->step->mask, walk->step->active);
    return walk->step->mask;
}

static uint32_t step_sync(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    use_sources(walk, insn->ndefs, walk->step->mask);
    use_pred(walk, preds_of(insn).use, walk->step->mask);
    return walk->step->mask;
}

/* What a function has left for its caller: the parts of its own parameters that the call takes. */
static void step_return(struct walk *walk)
{
    const struct trail_frame *frame = &walk->trail->frames[walk->step->frame];
    if (frame->caller == NO_FRAME || !frame->call)
        return;
    const struct call_info *call = frame->call->call;
    uint32_t *caller = walk->live[frame->caller];
    const struct function *from = frame->function, *to = walk->trail->frames[frame->caller].function;
    for (uint32_t k = 0; k < call->nreturns; k++)
        for (uint32_t at = 0; at < call->returns[k].size; at += 4) {
            uint32_t *live = &caller[place_of_param(to, true, call->returns[k].to + at)];
            walk->lanes[place_of_param(from, false, call->returns[k].from + at)] |= *live & walk->step->mask;
            *live &= ~walk->step->mask;
        }
}

/* The lanes had returned already in all of what comes later. */
static void enter_frame(struct walk *walk, uint32_t number)
{
    const struct trail_frame *frame = &walk->trail->frames[number];
    if (frame->caller == NO_FRAME || !frame->call)
        return;
    const struct call_info *call = frame->call->call;
    const struct function *to = walk->trail->frames[frame->caller].function;
    for (uint32_t k = 0; k < call->nargs; k++)
        for (uint32_t at = 0; at < call->args[k].size; at += 4)
            walk->live[frame->caller][place_of_param(to, true, call->args[k].from + at)] |=
                walk->live[number][place_of_param(frame->function, false, call->args[k].to + at)];
}

static void use_arguments(const struct walk *walk, const struct call_info *call)
{
    for (uint32_t k = 0; k < call->nargs; k++)
        for (uint32_t at = 0; at < call->args[k].size; at += 4)
            use_place(walk, place_of_param(walk->here->function, true, call->args[k].from + at),
                      walk->step->mask);
}

static uint32_t step_control(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    if (insn->flow == FLOW_CALL) {
        use_sources(walk, 0, walk->step->mask);
        if (insn->call->builtin || insn_calls_pointer(insn))
            use_arguments(walk, insn->call);
        if (insn->call->builtin)
            matter(walk, walk->step->mask, walk->step->active);
        return walk->step->mask;
    }
    if (insn->flow == FLOW_RETURN)
        step_return(walk);
    if (!decides(walk))
        return insn->guard || insn->flow == FLOW_TABLE ? 0 : walk->step->mask;
    use_pred(walk, guard_of(insn), walk->step->active);
    use_sources(walk, 0, walk->step->active);
    if (!walk->is_live[walk->step->frame])
        mark_frame(walk, walk->step->frame);
    return walk->step->active;
}

static uint32_t (*const steps[CLASS_COUNT])(struct walk *walk) = {
    [CLASS_CONTROL] = step_control, [CLASS_SYNC] = step_sync,      [CLASS_WARP] = step_exchange,
    [CLASS_GLOBAL] = step_memory,   [CLASS_SHARED] = step_memory,  [CLASS_LOCAL] = step_memory,
    [CLASS_CONST] = step_memory,    [CLASS_PARAM] = step_memory,   [CLASS_ATOMIC] = step_memory,
    [CLASS_TEXTURE] = step_texture, [CLASS_OTHER] = step_anything,
};

static uint32_t step_back(struct walk *walk)
{
    const struct insn *insn = walk->insn;
    if (insn->kind == INSN_SETP)
        return step_compare(walk);
    if (insn->kind != INSN_STEP)
        return is_selection(insn) ? step_selection(walk) : step_values(walk);
    if (steps[insn->class])
        return steps[insn->class](walk);
    return insn->ndefs ? step_values(walk) : step_anything(walk);
}

/* ------------------------------------------------------------------------------------------- a trail */

/* Each lane of a frame is behind the last step that it took there. */
static bool place_lanes(struct walk *walk)
{
    const struct trail *trail = walk->trail;
    uint32_t *known = calloc(trail->nframes + 1u, sizeof *known), nwords = 0;
    for (uint32_t f = 0; known && f < trail->nframes; f++) {
        if (!liveness_solve(walk->notes[f])) {
            memset(walk->live[f], 0xff, walk->notes[f]->nplaces * sizeof *walk->live[f]);
            known[f] = FULL_MASK;
        }
        nwords = walk->notes[f]->nwords > nwords ? walk->notes[f]->nwords : nwords;
    }
    uint64_t *live = malloc((nwords + 1) * sizeof *live);
    for (uint32_t i = trail->nsteps; i-- > 0 && known && live;) {
        const struct trail_step *last = &trail->steps[i];
        const struct notes *notes = walk->notes[last->frame];
        const uint32_t lanes = last->active & ~known[last->frame];
        if (!lanes)
            continue;
        known[last->frame] |= lanes;
        liveness_behind(notes, (uint32_t)(last->insn - notes->function->code), live);
        for (uint32_t p = 0; p < notes->nplaces; p++)
            if (live[p / 64] >> p % 64 & 1)
                walk->live[last->frame][p] |= lanes;
    }
    const bool is_fine = known && live;
    free(known);
    free(live);
    return is_fine;
}

/* Behind a cut, what any instruction that matters reads is live. */
static bool begin_at_cut(struct walk *walk)
{
    const uint32_t bytes = walk->trail->shared_bytes;
    if (!place_lanes(walk))
        return false;
    for (size_t i = 0; i < walk->feeds->notes.count; i++) {
        const struct notes *notes = ((struct notes **)walk->feeds->notes.items)[i];
        const uint32_t end = notes->shared_end < bytes ? notes->shared_end : bytes;
        if (notes->shared_first < end)
            memset(walk->shared + notes->shared_first, 1, end - notes->shared_first);
        walk->local_is_live |= notes->reads_local;
    }
    return true;
}

static bool begin(struct walk *walk)
{
    const struct trail *trail = walk->trail;
    bool is_fine = true;
    walk->notes = calloc(trail->nframes + 1u, sizeof *walk->notes);
    walk->live = calloc(trail->nframes + 1u, sizeof *walk->live);
    walk->is_live = calloc(trail->nframes + 1u, 1);
    walk->shared = calloc(1, trail->shared_bytes + 1u);
    if (!walk->notes || !walk->live || !walk->is_live || !walk->shared)
        return false;
    for (uint32_t f = 0; f < trail->nframes && is_fine; f++) {
        walk->notes[f] = feeds_notes_of(walk->feeds, trail->frames[f].function);
        if (walk->notes[f])
            walk->live[f] = calloc(walk->notes[f]->nplaces + 1u, sizeof *walk->live[f]);
        is_fine = walk->live[f] != NULL;
    }
    return is_fine && (!trail->is_cut || begin_at_cut(walk));
}

static void end(struct walk *walk)
{
    for (uint32_t f = 0; walk->live && f < walk->trail->nframes; f++)
        free(walk->live[f]);
    free(walk->notes);
    free(walk->live);
    free(walk->is_live);
    free(walk->shared);
    free(walk->local);
}

static void count(struct walk *walk, uint32_t lanes, uint8_t inputs)
{
    const struct insn *insn = walk->insn;
    if (!insn->id || insn->id >= walk->launch->nstats || !walk->step->mask)
        return;
    struct tally *tally = &walk->launch->tally[insn->id];
    tally->steps++;
    tally->mattered += lanes != 0;
    tally->lanes += (uint32_t)__builtin_popcount(walk->step->active);
    tally->lanes_mattered += (uint32_t)__builtin_popcount(lanes);
    for (uint32_t rest = lanes ? inputs : 0; rest; rest &= rest - 1)
        tally->of[__builtin_ctz(rest)]++;
}

bool walk_back(struct feeds *feeds, struct kept_launch *launch, uint32_t number)
{
    const struct trail *trail = launch->trails[number];
    const uint8_t *origins = launch->origins[number];
    struct walk walk = {.feeds = feeds, .launch = launch, .trail = trail};
    const bool is_fine = begin(&walk);
    uint32_t frame = trail->nframes;
    for (uint32_t i = is_fine ? trail->nsteps : 0; i-- > 0;) {
        walk.step = &trail->steps[i];
        walk.insn = walk.step->insn;
        walk.here = walk.notes[walk.step->frame];
        walk.lanes = walk.live[walk.step->frame];

        count(&walk, step_back(&walk), origins ? origins[i] : 0);
        while (frame > 0 && trail->frames[frame - 1].first >= i)
            enter_frame(&walk, --frame);
    }
    end(&walk);
    return is_fine;
}
