/* undefined.c - marks of undefined values: where they lie, and what is said when one is used (see undefined.h).
 * A mark is one lane of one place; a place is a register, a predicate, the carry, or a word of a .param block or of
 * local memory. warp->undefined is set exactly while there are marks.
 * The rules by which instructions pass marks on are in undefined_rules.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "core/findings.h"
#include "report/names.h"
#include "decode/decode_internal.h"
#include "check/undefined.h"
#include "core/warp.h"

enum { MAX_ORIGINS = 4096 };

/* ------------------------------------------------------------------------------------------- places */

static uint32_t slot_count(const struct function *function)
{
    return function->register_bytes / 64;
}
static uint32_t word_count(uint32_t bytes)
{
    return (bytes + 3) / 4;
}
static uint32_t pred_place(const struct function *function, uint32_t number)
{
    return slot_count(function) + number;
}

static uint32_t param_place(const struct function *function, bool is_argument, uint32_t offset)
{
    uint32_t args = pred_place(function, function->npreds);
    return args + (is_argument ? 0 : word_count(function->arg_bytes)) + offset / 4;
}

uint32_t undefined_carry_place(const struct function *function)
{
    return param_place(function, false, 0) + word_count(function->param_bytes);
}

uint32_t undefined_place(const struct function *function, uint32_t operand)
{
    if (operand & SLOT_CONSTANT)
        return NO_PLACE;
    return operand & SLOT_PRED ? pred_place(function, operand & ~SLOT_PRED) : operand / 64;
}

/* ------------------------------------------------------------------------------------------- marks */

static struct undefined_values *undefined_of(struct warp *warp)
{
    if (!warp->state->undefined)
        warp->state->undefined = calloc(1, sizeof *warp->state->undefined);
    return warp->state->undefined;
}

static bool grow(struct marks *marks, uint32_t count)
{
    if (count <= marks->count)
        return true;
    uint32_t *lanes = realloc(marks->lanes, count * sizeof *lanes);
    if (lanes)
        marks->lanes = lanes;
    uint16_t(*origins)[LANES] = realloc(marks->origins, count * sizeof *origins);
    if (origins)
        marks->origins = origins;
    if (!lanes || !origins)
        return false;
    memset(lanes + marks->count, 0, (count - marks->count) * sizeof *lanes);
    marks->count = count;
    return true;
}

/* NULL: out of memory; then values are followed no further. */
static struct marks *marks_of(struct warp *warp, struct frame *frame)
{
    if (frame->marks)
        return frame->marks;
    struct undefined_values *undefined = undefined_of(warp);
    struct marks *marks = undefined ? calloc(1, sizeof *marks) : NULL;
    if (!marks)
        return NULL;
    marks->next = undefined->frames;
    undefined->frames = frame->marks = marks;
    return grow(marks, undefined_carry_place(frame->function) + 1) ? marks : NULL;
}

static void count_marks(struct warp *warp, uint32_t before, uint32_t after)
{
    struct undefined_values *undefined = warp->state->undefined;
    undefined->count += (after != 0) - (before != 0);
    warp->undefined = undefined->count ? undefined : NULL;
    if (!undefined->count)
        undefined->norigins = 0;
}

uint32_t undefined_get(const struct marks *marks, uint32_t place, uint32_t mask, uint16_t *origins)
{
    if (!marks || place >= marks->count)
        return 0;
    uint32_t lanes = marks->lanes[place] & mask;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        origins[__builtin_ctz(rest)] = marks->origins[place][__builtin_ctz(rest)];
    return lanes;
}

static void set_place(struct warp *warp, struct marks *marks, uint32_t place, uint32_t mask, uint32_t lanes,
                      const uint16_t *origins)
{
    if (!marks || place >= marks->count)
        return;
    uint32_t before = marks->lanes[place];
    lanes &= mask;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        marks->origins[place][__builtin_ctz(rest)] = origins[__builtin_ctz(rest)];
    marks->lanes[place] = (before & ~mask) | lanes;
    if (before != marks->lanes[place])
        count_marks(warp, before, marks->lanes[place]);
}

void undefined_set(struct warp *warp, uint32_t place, uint32_t mask, uint32_t lanes, const uint16_t *origins)
{
    if (place != NO_PLACE && (warp->frame->marks || (lanes & mask)))
        set_place(warp, marks_of(warp, warp->frame), place, mask, lanes, origins);
}

void undefined_set_pred(struct warp *warp, uint32_t number, uint32_t mask, uint32_t lanes,
                        const uint16_t *origins)
{
    if (number != PRED_NONE)
        undefined_set(warp, pred_place(warp->frame->function, number), mask, lanes, origins);
}

/* ------------------------------------------------------------------------------------------- origins */

/* The number of an origin, 0 if there are too many: a warp with thousands of them will be told of the first. */
static uint16_t find_origin(struct undefined_values *undefined, const struct origin *wanted)
{
    for (uint32_t i = 0; i < undefined->norigins; i++) {
        uint32_t at = (undefined->last_origin + i) % undefined->norigins; /* lanes ask in order */
        const struct origin *origin = &undefined->origins[at];
        if (origin->insn == wanted->insn && origin->lane == wanted->lane &&
            origin->source == wanted->source && origin->mask == wanted->mask &&
            origin->state == wanted->state) {
            undefined->last_origin = at + 1;
            return (uint16_t)(at + 1);
        }
    }
    struct origin *origins = NULL;
    if (undefined->norigins < MAX_ORIGINS)
        origins = list_reserve(undefined->origins, &undefined->capacity, undefined->norigins + (size_t)1,
                               sizeof *origins);
    if (!origins)
        return 0;
    undefined->origins = origins;
    undefined->origins[undefined->norigins] = *wanted;
    return (uint16_t)++undefined->norigins;
}

static const char *state_of(const struct warp *warp, int lane, uint32_t member)
{
    const uint32_t bit = 1u << lane;
    const bool is_named = member & bit, is_here = warp->active & bit;
    return !(warp->lanes & bit)   ? "does not exist: the block has no such thread"
           : warp->exited & bit   ? "has left the kernel"
           : !is_named && is_here ? "is not named in the mask"
           : !is_named ? "is not named in the mask and went another way (a branch, an early return)"
           : !is_here  ? "took another branch and does not execute this call"
                       : "does not execute this call with the same mask";
}

uint16_t undefined_origin(struct warp *warp, const struct insn *insn, int lane, int source, uint32_t member)
{
    struct undefined_values *undefined = undefined_of(warp);
    const struct origin origin = {insn, state_of(warp, source, member), member, (uint8_t)lane,
                                  (uint8_t)source};
    return undefined ? find_origin(undefined, &origin) : 0;
}

/* ------------------------------------------------------------------------------------------- uses */

static void drop_from(struct warp *warp, struct marks *marks, const struct insn *insn)
{
    const struct undefined_values *undefined = warp->state->undefined;
    for (uint32_t place = 0; place < marks->count; place++) {
        uint32_t gone = 0;
        for (uint32_t rest = marks->lanes[place]; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            if (undefined->origins[marks->origins[place][lane] - 1].insn == insn)
                gone |= 1u << lane;
        }
        if (gone)
            set_place(warp, marks, place, gone, 0, NULL);
    }
}

static void drop_origin(struct warp *warp, const struct insn *insn)
{
    drop_from(warp, &warp->state->undefined->local, insn);
    for (struct marks *marks = warp->state->undefined->frames; marks; marks = marks->next)
        drop_from(warp, marks, insn);
}

static void report_use(struct warp *warp, const struct insn *insn, int lane, uint16_t number, const char *use)
{
    const struct origin origin = warp->state->undefined->origins[number - 1];
    const struct finding missed = finding_of(warp, origin.insn, origin.lane, VGPU_MASK_MISSES_LANES);
    char where[160], who[32] = "";
    if (findings_has(warp->block->findings, &missed)) { /* one mistake, told already */
        drop_origin(warp, origin.insn);
        return;
    }
    name_of_loc(warp->frame->function->module->ptx, insn->loc, where, sizeof where);
    if (lane != origin.lane)
        snprintf(who, sizeof who, " in lane %d", lane);
    finding_add(warp, origin.insn, origin.lane, VGPU_SHUFFLE_INACTIVE,
                "lane %d reads from lane %d, which %s (mask 0x%08x); the undefined value %s at %s%s",
                origin.lane, origin.source, origin.state, origin.mask, use, where, who);
    drop_origin(warp, origin.insn);
}

static void use_place(struct warp *warp, const struct insn *insn, const struct marks *marks, uint32_t place,
                      uint32_t mask, const char *use)
{
    uint16_t origins[LANES];
    for (uint32_t lanes; (lanes = undefined_get(marks, place, mask, origins)) != 0;)
        report_use(warp, insn, __builtin_ctz(lanes), origins[__builtin_ctz(lanes)], use);
}

void undefined_use(struct warp *warp, const struct insn *insn, uint32_t operand, uint32_t mask,
                   const char *use)
{
    use_place(warp, insn, warp->frame->marks, undefined_place(warp->frame->function, operand), mask, use);
}

/* ------------------------------------------------------------------------------------------- memory of a thread */

/* What an access to thread memory sees: the table and the place of its first word, in one lane. */
struct window {
    struct marks *marks;
    uint32_t place;
};

static struct window window_of(struct warp *warp, const struct insn *insn, uint32_t offset,
                               enum ptx_space space)
{
    if (space != PTX_LOCAL)
        return (struct window){warp->frame->marks,
                               param_place(warp->frame->function, insn->is_argument, offset)};
    struct undefined_values *undefined = warp->undefined;
    if (insn->is_store)
        grow(&undefined->local, word_count(warp->local_bytes));
    return (struct window){&undefined->local, offset / 4};
}

static uint32_t words_of(const struct insn *insn)
{
    return insn->width > 4 ? insn->width / 4u : 1;
}

static void store_lane(struct warp *warp, const struct insn *insn, const struct window *window, int lane)
{
    for (uint32_t k = 0; k < insn->count; k++) {
        uint16_t origins[LANES];
        uint32_t operand = undefined_place(warp->frame->function, insn->o[1 + k]);
        uint32_t lanes = undefined_get(warp->frame->marks, operand, 1u << lane, origins);
        for (uint32_t w = 0; w < words_of(insn); w++)
            set_place(warp, window->marks, window->place + k * insn->width / 4 + w, 1u << lane, lanes,
                      origins);
    }
}

static void load_lane(struct warp *warp, const struct insn *insn, const struct window *window, int lane)
{
    for (uint32_t k = 0; k < insn->count; k++) {
        uint16_t origins[LANES];
        uint32_t lanes = 0;
        for (uint32_t w = 0; w < words_of(insn); w++)
            lanes |=
                undefined_get(window->marks, window->place + k * insn->width / 4 + w, 1u << lane, origins);
        undefined_set(warp, undefined_place(warp->frame->function, insn->o[k]), 1u << lane, lanes, origins);
    }
}

void undefined_access(struct warp *warp, const struct insn *insn, uint32_t mask, const uint32_t *offset,
                      enum ptx_space space)
{
    for (uint32_t rest = mask; rest && warp->undefined; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const struct window window = window_of(warp, insn, offset[lane], space);
        if (insn->is_store)
            store_lane(warp, insn, &window, lane);
        else
            load_lane(warp, insn, &window, lane);
    }
}

void undefined_read_local(struct warp *warp, const struct insn *insn, int lane, uint64_t offset, size_t bytes)
{
    if (offset >= warp->local_bytes) /* it is not local memory */
        return;
    for (uint64_t word = offset / 4; warp->undefined && word < (offset + bytes + 3) / 4; word++)
        use_place(warp, insn, &warp->undefined->local, (uint32_t)word, 1u << lane, "is printed");
}

/* ------------------------------------------------------------------------------------------- calls */

static void pass(struct warp *warp, const struct frame *from, bool from_args, struct frame *to, bool to_args,
                 const struct call_copy *copies, uint32_t count, uint32_t mask)
{
    if (!from->marks && !to->marks)
        return;
    struct marks *marks = marks_of(warp, to);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t at = 0; at < copies[k].size; at += 4) {
            uint16_t origins[LANES];
            uint32_t source = param_place(from->function, from_args, copies[k].from + at);
            uint32_t lanes = undefined_get(from->marks, source, mask, origins);
            set_place(warp, marks, param_place(to->function, to_args, copies[k].to + at), mask, lanes,
                      origins);
        }
}

void undefined_pass_arguments(struct warp *warp, const struct frame *caller, struct frame *callee,
                              const struct call_copy *copies, uint32_t count, uint32_t mask)
{
    pass(warp, caller, true, callee, false, copies, count, mask);
}

void undefined_pass_results(struct warp *warp, const struct frame *callee, struct frame *caller,
                            const struct call_copy *copies, uint32_t count, uint32_t mask)
{
    pass(warp, callee, false, caller, true, copies, count, mask);
}

void undefined_use_arguments(struct warp *warp, const struct insn *insn, const struct call_copy *copies,
                             uint32_t count, uint32_t mask)
{
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t at = 0; at < copies[k].size; at += 4)
            use_place(warp, insn, warp->frame->marks,
                      param_place(warp->frame->function, true, copies[k].from + at), mask,
                      "is passed to a function");
}

/* ------------------------------------------------------------------------------------------- life */

static void free_marks(struct marks *marks)
{
    free(marks->lanes);
    free(marks->origins);
}

void undefined_leave(struct warp *warp, struct frame *frame)
{
    struct marks *marks = frame->marks, **link = &warp->state->undefined->frames;
    for (uint32_t place = 0; place < marks->count; place++)
        set_place(warp, marks, place, FULL_MASK, 0, NULL);
    while (*link != marks)
        link = &(*link)->next;
    *link = marks->next;
    free_marks(marks);
    free(marks);
    frame->marks = NULL;
}

void undefined_end(struct warp *warp)
{
    struct undefined_values *undefined = warp->state->undefined;
    for (struct marks *marks = undefined->frames, *next; marks; marks = next) {
        next = marks->next;
        free_marks(marks);
        free(marks);
    }
    free_marks(&undefined->local);
    free(undefined->origins);
    free(undefined);
    warp->state->undefined = warp->undefined = NULL;
}
