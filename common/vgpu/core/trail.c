/* trail.c - see trail.h. Addresses of lanes mostly lie at equal distances: then three words stand for them. Without memory a trail
 * is cut. */
#include "core/trail.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "core/access.h"
#include "memory/memory.h"

enum lane_form { FORM_EVEN, FORM_ALL };

struct trail *trail_new(const struct block *block)
{
    const struct memory_layout *layout = memory_layout(block->launch->memory);
    struct trail *trail = calloc(1, sizeof *trail);
    if (!trail)
        return NULL;
    trail->nwarps = block->nwarps;
    trail->most = block->launch->trail_steps;
    trail->shared_bytes = block->shared_bytes;
    trail->shared_window = layout->shared_window;
    trail->local_window = layout->local_window;
    return trail;
}

void trail_free(struct trail *trail)
{
    if (!trail)
        return;
    free(trail->steps);
    free(trail->words);
    free(trail->frames);
    free(trail);
}

/* ------------------------------------------------------------------------------------------- frames */

static uint32_t add_frame(struct trail *trail, const struct warp *warp, struct frame *frame)
{
    struct trail_frame *frames =
        list_reserve(trail->frames, &trail->frames_capacity, trail->nframes + (size_t)1, sizeof *frames);
    if (!frames || trail->nframes == TRAIL_FRAMES) {
        trail->is_cut = true;
        return NO_FRAME;
    }
    trail->frames = frames;
    frames[trail->nframes] =
        (struct trail_frame){.function = frame->function,
                             .call = frame->return_to,
                             .caller = frame->caller ? frame->caller->trail - 1 : NO_FRAME,
                             .warp = warp->index,
                             .first = trail->nsteps};
    frame->trail = ++trail->nframes;
    return trail->nframes - 1;
}

static inline uint32_t frame_of(struct trail *trail, const struct warp *warp)
{
    return warp->frame->trail ? warp->frame->trail - 1 : add_frame(trail, warp, warp->frame);
}

/* ------------------------------------------------------------------------------------------- words */

static void put(struct trail *trail, uint32_t word)
{
    trail->words[trail->nwords + trail->npending++] = word;
}

static void put_addresses(struct trail *trail, const uint64_t *address, uint32_t mask)
{
    const int first = __builtin_ctz(mask);
    const uint32_t rest = mask & (mask - 1);
    const int second = rest ? __builtin_ctz(rest) : first + 1;
    const uint64_t step = rest ? (address[second] - address[first]) / (uint64_t)(second - first) : 0,
                   base = address[first] - (uint64_t)first * step;
    uint64_t uneven = 0;
    for (int i = 0; i < LANES; i++)
        uneven |= (address[i] ^ (base + (uint64_t)i * step)) & -(uint64_t)(mask >> i & 1);
    put(trail, uneven || (uint64_t)(int64_t)(int32_t)step != step ? FORM_ALL : FORM_EVEN);
    if (trail->words[trail->nwords + trail->npending - 1] == FORM_EVEN) {
        put(trail, (uint32_t)base);
        put(trail, (uint32_t)(base >> 32));
        put(trail, (uint32_t)step);
        return;
    }
    memcpy(trail->words + trail->nwords + trail->npending, address, LANES * sizeof *address);
    trail->npending += 2 * LANES;
}

static void put_operand(struct trail *trail, const struct warp *warp, uint32_t operand, int64_t imm,
                        bool is_wide, uint32_t mask)
{
    uint64_t address[LANES];
    const uint32_t *narrow = operand == SLOT_NONE ? NULL : slot(warp, operand);
    const uint64_t *wide = operand == SLOT_NONE ? NULL : slot(warp, operand);
    for (int i = 0; i < LANES; i++)
        address[i] = operand == SLOT_NONE ? (uint64_t)imm
                     : is_wide            ? wide[i] + (uint64_t)imm
                                          : (uint32_t)(narrow[i] + (uint32_t)imm);
    put_addresses(trail, address, mask);
}

static void put_lanes(struct trail *trail, const uint32_t *lanes)
{
    uint32_t other = 0;
    for (int i = 0; i < LANES; i++)
        other |= lanes[i] ^ lanes[0];
    put(trail, other ? FORM_ALL : FORM_EVEN);
    for (int i = 0; i < (other ? LANES : 1); i++)
        put(trail, lanes[i]);
}

const uint32_t *trail_addresses(const uint32_t *words, uint64_t address[LANES])
{
    if (words[0] == FORM_ALL) {
        memcpy(address, words + 1, LANES * sizeof *address);
        return words + 1 + 2 * LANES;
    }
    const uint64_t base = (uint64_t)words[2] << 32 | words[1], step = (uint64_t)(int64_t)(int32_t)words[3];
    for (int i = 0; i < LANES; i++)
        address[i] = base + (uint64_t)i * step;
    return words + 4;
}

const uint32_t *trail_lanes(const uint32_t *words, uint32_t lanes[LANES])
{
    const bool is_all = words[0] == FORM_ALL;
    for (int i = 0; i < LANES; i++)
        lanes[i] = words[is_all ? 1 + i : 1];
    return words + 1 + (is_all ? LANES : 1);
}

/* ------------------------------------------------------------------------------------------- steps */

static bool has_room(struct trail *trail)
{
    if (trail->is_cut || trail->nsteps == trail->most || trail->nwords > TRAIL_WORDS) {
        trail->is_cut = true;
        return false;
    }
    struct trail_step *steps =
        list_reserve(trail->steps, &trail->steps_capacity, trail->nsteps + (size_t)1, sizeof *steps);
    uint32_t *words = list_reserve(trail->words, &trail->words_capacity,
                                   trail->nwords + (size_t)TRAIL_MOST_WORDS, sizeof *words);
    trail->steps = steps ? steps : trail->steps;
    trail->words = words ? words : trail->words;
    trail->is_cut = !steps || !words;
    return !trail->is_cut;
}

static bool has_addresses(const struct insn *insn)
{
    return insn->width &&
           (insn->class == CLASS_GLOBAL || insn->class == CLASS_SHARED || insn->class == CLASS_LOCAL ||
            insn->class == CLASS_CONST || insn->class == CLASS_PARAM || insn->class == CLASS_ATOMIC);
}

uint32_t trail_begin(struct trail *trail, const struct warp *warp, const struct insn *insn, uint32_t mask)
{
    trail->npending = 0;
    if (!has_room(trail))
        return NO_FRAME;
    if (mask && insn->is_async && insn->nuses) {
        put_operand(trail, warp, insn->o[0], insn->copy->dest_imm, insn->copy->dest_is_wide, mask);
        put_operand(trail, warp, insn->o[1], insn->imm, insn->is_wide, mask);
    } else if (mask && has_addresses(insn)) {
        put_operand(trail, warp, insn->o[insn->is_store ? 0 : insn->ndefs], insn->imm, insn->is_wide, mask);
    } else if (mask && insn->class == CLASS_WARP && insn->nuses > 2) {
        put_lanes(trail, slot(warp, insn->o[insn->ndefs + 1]));
        put_lanes(trail, slot(warp, insn->o[insn->ndefs + 2]));
    }
    return frame_of(trail, warp);
}

void trail_end(struct trail *trail, const struct insn *insn, uint32_t active, uint32_t mask, uint32_t frame)
{
    if (trail->is_cut || frame == NO_FRAME)
        return;
    trail->steps[trail->nsteps++] = (struct trail_step){insn, active, mask, frame, trail->nwords};
    trail->nwords += trail->npending;
    trail->npending = 0;
}

void trail_arithmetic(struct trail *trail, const struct warp *warp, const struct insn *insn, uint32_t active,
                      uint32_t mask)
{
    if (!has_room(trail))
        return;
    const uint32_t frame = frame_of(trail, warp);
    const bool has_choice = insn->kind == INSN_SELP && insn->nuses == 3 && insn->o[3] & SLOT_PRED;
    const uint32_t data = has_choice ? warp->preds[insn->o[3] & ~SLOT_PRED] : 0;
    if (frame != NO_FRAME)
        trail->steps[trail->nsteps++] = (struct trail_step){insn, active, mask, frame, data};
}
