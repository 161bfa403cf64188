/* warpops.c - instructions by which the lanes of a warp exchange values: shuffles, votes, matches, reductions.
 * A .sync instruction runs only when every lane that its mask names and that has not exited has arrived.
 * Which lanes run together is decided in core/warp.c; the arithmetic of lanes is warp_lanes.c's. */
#include "exec/warpops.h"

#include <string.h>

#include "core/checker.h"
#include "core/findings.h"
#include "core/warp.h"
#include "exec/instructions.h"
#include "alu/lanes.h"

/* Fields of struct insn: op is the operation within the family, preds[0] the destination predicate, preds[1] the source
 * predicate of a vote, count != 0 marks the forms without .sync, width the bytes of a matched value. The sources are in
 * PTX's order, the member mask (if any) last. */

/* ------------------------------------------------------------------------------------------- membership */

/* Lanes that pass the same mask work together. */
struct groups {
    uint32_t count;
    uint32_t masks[LANES];   /* what they pass */
    uint32_t members[LANES]; /* who executes: calling lanes with that mask */
};

static void group_lanes(struct groups *groups, const uint32_t *masks, uint32_t mask)
{
    groups->count = 0;
    for (uint32_t rest = mask; rest;) {
        const uint32_t member = masks[__builtin_ctz(rest)];
        uint32_t same = 0;
        for (int i = 0; i < LANES; i++)
            same |= (uint32_t)(masks[i] == member) << i;
        same &= rest;
        groups->masks[groups->count] = member;
        groups->members[groups->count++] = same;
        rest &= ~same;
    }
}

static void report_outsiders(struct warp *warp, const struct insn *insn, uint32_t member, uint32_t callers)
{
    const uint32_t outside = callers & ~member;
    if (outside)
        finding_add(warp, insn, __builtin_ctz(outside), VGPU_MASK_WITHOUT_CALLER,
                    "lane %d calls with mask 0x%08x, which does not name it", __builtin_ctz(outside), member);
}

/* Lanes that come with another mask; those that do not come at all were told when the others gave up waiting for them. */
static void report_missing(struct warp *warp, const struct insn *insn, uint32_t member, uint32_t callers)
{
    const uint32_t told = warp->state->is_forced ? ~warp->active : 0;
    const uint32_t missing = member & warp->lanes & ~warp->exited & ~callers & ~told;
    if (missing && callers)
        finding_add(warp, insn, __builtin_ctz(callers), VGPU_MASK_NAMES_ABSENT,
                    "mask 0x%08x names lane %d, which does not execute this call with the same mask", member,
                    __builtin_ctz(missing));
}

/* Sorts the calling lanes into groups and waits for those that are missing. STEP_NEXT: all are here. */
static enum step gather(struct warp *warp, const struct insn *insn, uint32_t mask, struct groups *groups)
{
    const uint32_t *masks = insn->count ? NULL : slot(warp, insn->o[insn->ndefs + insn->nuses - 1]);
    if (!masks) { /* the old forms: whoever executes takes part */
        *groups = (struct groups){.count = mask ? 1 : 0, .masks = {mask}, .members = {mask}};
        return STEP_NEXT;
    }
    group_lanes(groups, masks, mask);
    const uint32_t absent = ~warp->active & warp->lanes & ~warp->exited;
    uint32_t awaited = 0;
    for (uint32_t g = 0; g < groups->count; g++)
        awaited |= groups->masks[g] & absent ? groups->masks[g] : 0;
    if (awaited) {
        const enum step step = warp_converge(warp, insn, awaited);
        if (step != STEP_NEXT)
            return step;
    }
    for (uint32_t g = 0; g < groups->count && warp->worker->check != CHECK_OFF; g++) {
        report_outsiders(warp, insn, groups->masks[g], groups->members[g]);
        report_missing(warp, insn, groups->masks[g], groups->members[g]);
        if (warp->worker->check == CHECK_FULL)
            checker_of(warp)->warp_sync(warp, groups->members[g]);
    }
    return STEP_NEXT;
}

static void set_pred(struct warp *warp, uint16_t number, uint32_t mask, uint32_t value)
{
    if (number != PRED_NONE)
        warp->preds[number] = (warp->preds[number] & ~mask) | (value & mask);
}

static void set_lanes(struct warp *warp, uint32_t operand, uint32_t mask, const uint32_t *values)
{
    if (operand == SLOT_NONE)
        return;
    uint32_t *out = slot(warp, operand);
    if (mask == FULL_MASK) {
        memcpy(out, values, LANES * sizeof *out);
        return;
    }
    EACH_LANE(i)
    {
        out[i] = mask >> i & 1 ? values[i] : out[i];
    }
}

static void fill_members(uint32_t *values, uint32_t members, uint32_t value)
{
    for (; members; members &= members - 1)
        values[__builtin_ctz(members)] = value;
}

/* ------------------------------------------------------------------------------------------- shfl */

/* Who read from a lane that is not there: reading is no fault as long as nobody uses the value, see check/undefined.h. */
static void follow_sources(struct warp *warp, const struct insn *insn, const struct groups *groups,
                           struct shuffle *shuffle)
{
    shuffle->undefined = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        const uint32_t present = groups->members[g] & groups->masks[g];
        for (uint32_t rest = present == FULL_MASK ? 0 : groups->members[g]; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest), source = shuffle->sources[lane];
            shuffle->members[lane] = groups->masks[g];
            shuffle->undefined |= (uint32_t)(source != lane && !(present >> source & 1)) << lane;
        }
    }
    if (shuffle->undefined || warp->undefined)
        checker_of(warp)->undefined->shuffle(warp, insn, shuffle);
}

/* PTX leaves open what a lane that does not execute the shuffle gives; the hardware gives 0. */
static enum step step_shfl(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    struct groups groups;
    const enum step step = gather(warp, insn, mask, &groups);
    if (step != STEP_NEXT)
        return step;
    const uint32_t *use = &insn->o[insn->ndefs];
    const uint32_t *a = slot(warp, use[0]), *b = slot(warp, use[1]), *c = slot(warp, use[2]);
    uint32_t values[LANES];
    struct shuffle shuffle;
    shuffle.mask = mask;
    const uint32_t in_range = shuffle_sources((enum shuffle_mode)insn->op, b, c, shuffle.sources);
    for (int i = 0; i < LANES; i++) {
        const int source = shuffle.sources[i];
        values[i] = mask >> source & 1 ? a[source] : 0;
    }
    const bool was_clean = !warp->undefined;
    if (warp->worker->check != CHECK_OFF)
        follow_sources(warp, insn, &groups, &shuffle);
    set_lanes(warp, insn->o[0], mask, values);
    set_pred(warp, insn->preds[0], mask, in_range);
    return was_clean && warp->undefined ? STEP_UNDEFINED : STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- vote, match, redux */

static enum step step_vote(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    struct groups groups;
    const enum step step = gather(warp, insn, mask, &groups);
    if (step != STEP_NEXT)
        return step;
    if (warp->undefined)
        checker_of(warp)->undefined->exchange(warp, insn, mask);
    const uint32_t votes =
        insn->preds[1] == PRED_NONE ? (insn->imm ? FULL_MASK : 0) : warp->preds[insn->preds[1]];
    uint32_t values[LANES] = {0}, truth = 0;
    for (uint32_t g = 0; g < groups.count; g++) {
        const uint32_t members = groups.members[g];
        const uint32_t result = vote_result((enum vote_mode)insn->op, votes, members);
        fill_members(values, members, result);
        truth |= result ? members : 0;
    }
    if (insn->op == VOTE_BALLOT)
        set_lanes(warp, insn->o[0], mask, values);
    else
        set_pred(warp, insn->preds[0], mask, truth);
    return STEP_NEXT;
}

static void load_values(const struct warp *warp, const struct insn *insn, uint64_t *values)
{
    const void *from = slot(warp, insn->o[insn->ndefs]);
    if (insn->width == 8) {
        memcpy(values, from, LANES * sizeof *values);
        return;
    }
    const uint32_t *words = from;
    for (int i = 0; i < LANES; i++)
        values[i] = words[i];
}

static enum step step_match(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    struct groups groups;
    const enum step step = gather(warp, insn, mask, &groups);
    if (step != STEP_NEXT)
        return step;
    if (warp->undefined)
        checker_of(warp)->undefined->exchange(warp, insn, mask);
    uint64_t values[LANES];
    uint32_t results[LANES] = {0}, truth = 0;
    load_values(warp, insn, values);
    for (uint32_t g = 0; g < groups.count; g++) {
        const uint32_t members = groups.members[g];
        for (uint32_t rest = members; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            const uint32_t same = match_lanes(values, values[lane], members);
            results[lane] = insn->op == MATCH_ANY || same == members ? same : 0;
            truth |= (uint32_t)(same == members) << lane;
        }
    }
    set_lanes(warp, insn->o[0], mask, results);
    set_pred(warp, insn->preds[0], mask, truth);
    return STEP_NEXT;
}

static enum step step_redux(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    struct groups groups;
    const enum step step = gather(warp, insn, mask, &groups);
    if (step != STEP_NEXT)
        return step;
    if (warp->undefined)
        checker_of(warp)->undefined->exchange(warp, insn, mask);
    uint32_t values[LANES], results[LANES] = {0};
    memcpy(values, slot(warp, insn->o[insn->ndefs]), sizeof values);
    for (int i = 0; i < LANES && insn->imm; i++) /* .abs */
        values[i] &= 0x7fffffff;
    for (uint32_t g = 0; g < groups.count; g++)
        fill_members(results, groups.members[g],
                     redux_lanes((enum redux_mode)insn->op, values, groups.members[g]));
    set_lanes(warp, insn->o[0], mask, results);
    return STEP_NEXT;
}

static enum step step_elect(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    struct groups groups;
    const enum step step = gather(warp, insn, mask, &groups);
    if (step != STEP_NEXT)
        return step;
    if (warp->undefined)
        checker_of(warp)->undefined->exchange(warp, insn, mask);
    uint32_t results[LANES] = {0}, leaders = 0;
    for (uint32_t g = 0; g < groups.count; g++) {
        const uint32_t leader = (uint32_t)__builtin_ctz(groups.members[g]);
        fill_members(results, groups.members[g], leader);
        leaders |= 1u << leader;
    }
    set_lanes(warp, insn->o[0], mask, results);
    set_pred(warp, insn->preds[0], mask, leaders);
    return STEP_NEXT;
}

static enum step step_activemask(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t values[LANES] = {0};
    if (warp->undefined)
        checker_of(warp)->undefined->exchange(warp, insn, mask);
    fill_members(values, mask, mask);
    set_lanes(warp, insn->o[0], mask, values);
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- decoding */

struct mode_name {
    const char *part;
    int mode;
};

static int find_mode(const struct opcode *opcode, const struct mode_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (opcode_has(opcode, names[i].part))
            return names[i].mode;
    return -1;
}
#define FIND_MODE(opcode, names) find_mode(opcode, names, sizeof names / sizeof *names)

static void prepare(struct insn *out, step_fn *step, int mode, const struct opcode *opcode)
{
    out->kind = INSN_STEP;
    out->class = CLASS_WARP;
    out->step = step;
    out->op = (uint8_t)mode;
    out->dsize = 4;
    out->count = !opcode_has(opcode, "sync");
    out->preds[0] = out->preds[1] = PRED_NONE;
}

static bool expect_operands(struct decoder *decoder, const struct ptx_insn *in, uint32_t count)
{
    return in->noperands == count ||
           decode_error(decoder, "%s takes %u operands, not %u", in->name, count, in->noperands);
}

/* d or d|p; either may be the sink. */
static bool decode_pair(struct decoder *decoder, const struct ptx_operand *operand, struct insn *out)
{
    if (operand->kind != PTX_OP_PAIR)
        return decode_dest(decoder, out, operand, 'w');
    return operand->count == 2 && decode_dest(decoder, out, &operand->list[0], 'w') &&
           decode_pred_dest(decoder, &operand->list[1], &out->preds[0]);
}

bool decode_shfl(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                 struct insn *out)
{
    static const struct mode_name modes[] = {
        {"up", SHUFFLE_UP}, {"down", SHUFFLE_DOWN}, {"bfly", SHUFFLE_BFLY}, {"idx", SHUFFLE_IDX}};
    const int mode = FIND_MODE(opcode, modes);
    if (mode < 0)
        return decode_error(decoder, "%s: up, down, bfly or idx is missing", in->name);
    prepare(out, step_shfl, mode, opcode);
    const uint32_t operands = out->count ? 4 : 5;
    if (!expect_operands(decoder, in, operands) || !decode_pair(decoder, &in->operands[0], out))
        return false;
    for (uint32_t i = 1; i < operands; i++)
        if (!decode_source(decoder, out, &in->operands[i], 'w'))
            return false;
    return true;
}

static bool decode_vote_source(struct decoder *decoder, const struct ptx_operand *operand, struct insn *out)
{
    if (operand->kind != PTX_OP_INT)
        return decode_pred_source(decoder, operand, &out->preds[1]);
    out->imm = (operand->bits != 0) != operand->is_negated;
    return true;
}

bool decode_vote(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                 struct insn *out)
{
    static const struct mode_name modes[] = {
        {"all", VOTE_ALL}, {"any", VOTE_ANY}, {"uni", VOTE_UNI}, {"ballot", VOTE_BALLOT}};
    const int mode = FIND_MODE(opcode, modes);
    if (mode < 0)
        return decode_error(decoder, "%s: all, any, uni or ballot is missing", in->name);
    prepare(out, step_vote, mode, opcode);
    if (!expect_operands(decoder, in, out->count ? 2 : 3))
        return false;
    const bool has_dest = mode == VOTE_BALLOT ? decode_dest(decoder, out, &in->operands[0], 'w')
                                              : decode_pred_dest(decoder, &in->operands[0], &out->preds[0]);
    return has_dest && decode_vote_source(decoder, &in->operands[1], out) &&
           (out->count || decode_source(decoder, out, &in->operands[2], 'w'));
}

bool decode_match(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                  struct insn *out)
{
    static const struct mode_name modes[] = {{"any", MATCH_ANY}, {"all", MATCH_ALL}};
    const int mode = FIND_MODE(opcode, modes);
    if (mode < 0)
        return decode_error(decoder, "%s: any or all is missing", in->name);
    prepare(out, step_match, mode, opcode);
    out->width = (uint8_t)ptx_type_size(opcode_type(opcode));
    if (out->width != 4 && out->width != 8)
        return decode_error(decoder, "%s: the type must be b32 or b64", in->name);
    return expect_operands(decoder, in, 3) && decode_pair(decoder, &in->operands[0], out) &&
           decode_source(decoder, out, &in->operands[1], out->width == 8 ? 'd' : 'w') &&
           decode_source(decoder, out, &in->operands[2], 'w');
}

static int redux_mode(const struct opcode *opcode)
{
    static const struct mode_name bits[] = {
        {"add", REDUX_ADD}, {"and", REDUX_AND}, {"or", REDUX_OR}, {"xor", REDUX_XOR}};
    static const struct mode_name s32[] = {{"min", REDUX_MIN_S32}, {"max", REDUX_MAX_S32}};
    static const struct mode_name u32[] = {{"min", REDUX_MIN_U32}, {"max", REDUX_MAX_U32}};
    static const struct mode_name f32[] = {{"min", REDUX_FMIN}, {"max", REDUX_FMAX}};
    static const struct mode_name nan[] = {{"min", REDUX_FMIN_NAN}, {"max", REDUX_FMAX_NAN}};
    switch (opcode_type(opcode)) {
    case PTX_F32:
        return opcode_has(opcode, "NaN") ? FIND_MODE(opcode, nan) : FIND_MODE(opcode, f32);
    case PTX_S32:
        return FIND_MODE(opcode, s32) >= 0 ? FIND_MODE(opcode, s32) : FIND_MODE(opcode, bits);
    case PTX_U32:
        return FIND_MODE(opcode, u32) >= 0 ? FIND_MODE(opcode, u32) : FIND_MODE(opcode, bits);
    case PTX_B32:
        return FIND_MODE(opcode, bits);
    default:
        return -1;
    }
}

bool decode_redux(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                  struct insn *out)
{
    const int mode = redux_mode(opcode);
    if (mode < 0)
        return decode_error(decoder, "%s: no such reduction", in->name);
    prepare(out, step_redux, mode, opcode);
    out->imm = opcode_has(opcode, "abs");
    return expect_operands(decoder, in, 3) && decode_dest(decoder, out, &in->operands[0], 'w') &&
           decode_source(decoder, out, &in->operands[1], 'w') &&
           decode_source(decoder, out, &in->operands[2], 'w');
}

bool decode_elect(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                  struct insn *out)
{
    prepare(out, step_elect, 0, opcode);
    return expect_operands(decoder, in, 2) && decode_pair(decoder, &in->operands[0], out) &&
           decode_source(decoder, out, &in->operands[1], 'w');
}

bool decode_activemask(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                       struct insn *out)
{
    prepare(out, step_activemask, 0, opcode);
    return expect_operands(decoder, in, 1) && decode_dest(decoder, out, &in->operands[0], 'w');
}
