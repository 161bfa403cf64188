/* undefined_rules.c - how each kind of instruction passes on the marks of undefined values, and which uses matter.
 * A destination's lane is marked if a source's is, except where the value cannot depend on that source: the side of a
 * selection that was not taken, the other side of a settled "and" or "or", a factor of zero.
 * Where marks lie is undefined.c's affair. */
#include <string.h>

#include "check/undefined.h"
#include "memory/memory.h"

/* Lanes and where their marks come from, while a rule collects them. */
struct found {
    uint32_t lanes;
    uint16_t origins[LANES];
};

static void add_operand(const struct warp *warp, uint32_t operand, uint32_t mask, struct found *found)
{
    const struct frame *frame = warp->frame;
    const uint32_t place = undefined_place(frame->function, operand);
    found->lanes |= undefined_get(frame->marks, place, mask & ~found->lanes, found->origins);
}

static void add_pred(const struct warp *warp, uint32_t number, uint32_t mask, struct found *found)
{
    if (number != PRED_NONE)
        add_operand(warp, SLOT_PRED | number, mask, found);
}

static void add_sources(const struct warp *warp, const struct insn *insn, uint32_t mask, struct found *found)
{
    for (uint32_t k = insn->ndefs; k < (uint32_t)insn->ndefs + insn->nuses; k++)
        add_operand(warp, insn->o[k], mask, found);
}

static void set_dests(struct warp *warp, const struct insn *insn, uint32_t mask, const struct found *found)
{
    for (uint32_t k = 0; k < insn->ndefs; k++)
        undefined_set(warp, undefined_place(warp->frame->function, insn->o[k]), mask, found->lanes,
                      found->origins);
}

static uint32_t marks_of(const struct warp *warp, uint32_t operand)
{
    struct found found = {0};
    add_operand(warp, operand, FULL_MASK, &found);
    return found.lanes;
}

/* ------------------------------------------------------------------------------------------- arithmetic */

/* The lanes in which a source of the form is defined and zero. */
static uint32_t zero_lanes(const struct warp *warp, const struct insn *insn, uint32_t source)
{
    const char letter = insn->form->signature[2 + source];
    const uint32_t operand = insn->o[insn->ndefs + source];
    const uint32_t size = letter == 'h' ? 2 : letter == 'd' ? 8 : 4;
    const uint8_t *values = slot(warp, operand);
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        uint64_t value = 0;
        memcpy(&value, values + i * size, size);
        lanes |= (uint32_t)(value == 0) << i;
    }
    return lanes & ~marks_of(warp, operand);
}

/* Bitwise "and" and integer products: a defined zero settles them. mad adds its third source. */
static void rule_form(struct warp *warp, const struct insn *insn, uint32_t mask, struct found *found)
{
    add_sources(warp, insn, mask, found);
    if (!found->lanes || insn->nuses < 2 || !(insn->traits & FORM_ZERO_SETTLES))
        return;
    found->lanes &= ~(zero_lanes(warp, insn, 0) | zero_lanes(warp, insn, 1));
    if (insn->nuses > 2)
        add_operand(warp, insn->o[insn->ndefs + 2], mask, found);
}

/* addc and its kin read the carry; .cc writes it. */
static void rule_carry(struct warp *warp, const struct insn *insn, uint32_t mask, struct found *found)
{
    const uint32_t carry = undefined_carry_place(warp->frame->function);
    add_sources(warp, insn, mask, found);
    if (insn->traits & FORM_READS_CARRY)
        found->lanes |= undefined_get(warp->frame->marks, carry, mask & ~found->lanes, found->origins);
    if (insn->traits & FORM_WRITES_CARRY)
        undefined_set(warp, carry, mask, found->lanes, found->origins);
}

/* selp: the side that was taken, and the predicate. */
static void rule_select(struct warp *warp, const struct insn *insn, uint32_t mask, struct found *found)
{
    const uint32_t *use = &insn->o[insn->ndefs];
    const uint32_t choice = warp->preds[use[2] & ~SLOT_PRED];
    add_operand(warp, use[2], mask, found);
    add_operand(warp, use[0], mask & choice, found);
    add_operand(warp, use[1], mask & ~choice, found);
}

enum { AND = 1, OR = 2 }; /* as setp's insn->op */

/* Lanes in which x op y is settled by a defined x. */
static uint32_t settled(uint32_t op, uint32_t value, uint32_t marks)
{
    return ~marks & (op == AND ? ~value : op == OR ? value : 0);
}

/* and.pred, or.pred: one side may settle the result. */
static void rule_logic(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t op)
{
    struct found found = {0};
    uint32_t fixed = 0;
    add_sources(warp, insn, mask, &found);
    for (int k = 0; k < 2; k++)
        fixed |= settled(op, warp->preds[insn->o[k] & ~SLOT_PRED], marks_of(warp, insn->o[k]));
    undefined_set_pred(warp, insn->preds[0], mask, found.lanes & ~fixed, found.origins);
}

static const void *operand_of(const struct warp *warp, uint32_t o)
{
    const bool is_pred = (o & (SLOT_CONSTANT | SLOT_PRED)) == SLOT_PRED;
    return is_pred ? (const void *)&warp->preds[o & ~SLOT_PRED] : slot(warp, o);
}

/* setp p|q, a, b, c: p = (a < b) op c, q = !(a < b) op c. */
static void rule_compare(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    struct found compared = {0}, all;
    add_sources(warp, insn, mask, &compared);
    all = compared;
    uint32_t fixed[2] = {0, 0};
    if (insn->op)
        add_pred(warp, insn->preds[2], mask, &all);
    if (insn->op && all.lanes) {
        uint32_t result = 0;
        insn->fn(&result, operand_of(warp, insn->o[0]), operand_of(warp, insn->o[1]),
                 operand_of(warp, insn->o[2]));
        const uint32_t unknown = marks_of(warp, SLOT_PRED | insn->preds[2]);
        const uint32_t other = settled(insn->op, warp->preds[insn->preds[2]], unknown);
        fixed[0] = other | settled(insn->op, result, compared.lanes);
        fixed[1] = other | settled(insn->op, ~result, compared.lanes);
    }
    undefined_set_pred(warp, insn->preds[0], mask, all.lanes & ~fixed[0], all.origins);
    undefined_set_pred(warp, insn->preds[1], mask, all.lanes & ~fixed[1], all.origins);
}

static void rule_pred(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint32_t op = insn->traits & FORM_AND ? AND : insn->traits & FORM_OR ? OR : 0;
    if (op)
        rule_logic(warp, insn, mask, op);
    else
        rule_compare(warp, insn, mask);
}

/* ------------------------------------------------------------------------------------------- memory */

static void use_sources(struct warp *warp, const struct insn *insn, uint32_t first, uint32_t mask,
                        const char *use)
{
    for (uint32_t k = insn->ndefs + first; k < (uint32_t)insn->ndefs + insn->nuses; k++)
        undefined_use(warp, insn, insn->o[k], mask, use);
}

/* The lanes whose store leaves the thread: not to local memory, and not to the .param block of a call. */
static uint32_t leaving_lanes(const struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (insn->space == PTX_LOCAL || insn->space == PTX_PARAM)
        return 0;
    if (insn->space != PTX_GENERIC || insn->o[0] == SLOT_NONE || !insn->is_wide)
        return mask;
    const uint64_t *address = slot(warp, insn->o[0]),
                   window = memory_local_window(warp->block->launch->memory);
    for (uint32_t i = 0; i < LANES; i++)
        if (address[i] + (uint64_t)insn->imm - window < WINDOW_BYTES)
            mask &= ~(1u << i);
    return mask;
}

/* Loads and stores; what local memory and parameters hold follows in undefined_access(). */
static void rule_memory(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const struct found clean = {0};
    undefined_use(warp, insn, insn->o[insn->ndefs], mask, "is used as an address");
    if (insn->is_store)
        use_sources(warp, insn, 1, leaving_lanes(warp, insn, mask), "is stored");
    else
        use_sources(warp, insn, 1, mask, "decides what is copied");
    set_dests(warp, insn, mask, &clean);
}

/* ------------------------------------------------------------------------------------------- all instructions */

/* What an instruction does with values that are not simply passed on; NULL: it passes them on. */
static const char *const uses[CLASS_COUNT] = {
    [CLASS_CONTROL] = "decides where lanes go",
    [CLASS_SYNC] = "decides about a barrier",
    [CLASS_ATOMIC] = "goes into an atomic operation",
    [CLASS_TEXTURE] = "is used as a coordinate or stored",
};

static bool is_memory(const struct insn *insn)
{
    return insn->class >= CLASS_GLOBAL && insn->class <= CLASS_PARAM;
}

static void rule_step(struct warp *warp, const struct insn *insn, uint32_t mask, struct found *found)
{
    const char *use = uses[insn->class];
    if (is_memory(insn))
        rule_memory(warp, insn, mask);
    else if (use)
        use_sources(warp, insn, 0, mask, use);
    else
        add_sources(warp, insn, mask, found);
}

/* A guard that is undefined decides whether something happens that others see, or else what the destinations hold. */
static void rule_guard(struct warp *warp, const struct insn *insn, struct found *found)
{
    const uint32_t pred = SLOT_PRED | (insn->guard - 1u);
    const char *use = insn->class == CLASS_CONTROL ? "decides a branch"
                      : insn->is_store             ? "decides whether lanes store"
                      : insn->class == CLASS_WARP  ? "decides which lanes take part"
                      : insn->kind == INSN_STEP    ? uses[insn->class]
                                                   : NULL;
    if (use)
        undefined_use(warp, insn, pred, warp->active, use);
    else
        add_operand(warp, pred, warp->active, found);
}

static bool is_marked(const struct warp *warp, uint32_t operand)
{
    const struct frame *frame = warp->frame;
    const uint32_t place = undefined_place(frame->function, operand);
    return place < frame->marks->count && frame->marks->lanes[place];
}

/* Most instructions of a warp that has marks have nothing to do with them. */
static bool touches_marks(const struct warp *warp, const struct insn *insn)
{
    if (insn->kind == INSN_CARRY || (insn->guard && is_marked(warp, SLOT_PRED | (insn->guard - 1u))))
        return true;
    for (uint32_t k = 0; k < (uint32_t)insn->ndefs + insn->nuses; k++)
        if (is_marked(warp, insn->o[k]))
            return true;
    for (int k = 0; k < 3 && insn->kind == INSN_SETP; k++)
        if (insn->preds[k] != PRED_NONE && is_marked(warp, SLOT_PRED | insn->preds[k]))
            return true;
    return false;
}

static void follow(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (!warp->frame->marks || insn->kind == INSN_JOIN || !touches_marks(warp, insn))
        return;
    struct found guard = {0}, found = {0};
    if (insn->guard)
        rule_guard(warp, insn, &guard);
    if (insn->kind == INSN_SETP) {
        rule_pred(warp, insn, mask);
        undefined_set_pred(warp, insn->preds[0], guard.lanes, guard.lanes, guard.origins);
        undefined_set_pred(warp, insn->preds[1], guard.lanes, guard.lanes, guard.origins);
        return;
    }
    if (insn->kind == INSN_SELP)
        rule_select(warp, insn, mask, &found);
    else if (insn->kind == INSN_CARRY)
        rule_carry(warp, insn, mask, &found);
    else if (insn->kind != INSN_STEP)
        rule_form(warp, insn, mask, &found);
    else if (insn->class != CLASS_WARP)
        rule_step(warp, insn, mask, &found);
    else
        return;
    set_dests(warp, insn, mask, &found);
    set_dests(warp, insn, guard.lanes, &guard);
}

/* ------------------------------------------------------------------------------------------- lanes together */

static void follow_exchange(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const struct found clean = {0};
    use_sources(warp, insn, 0, mask, "goes into a match or reduction of the warp");
    if (insn->preds[1] != PRED_NONE)
        undefined_use(warp, insn, SLOT_PRED | insn->preds[1], mask, "goes into a vote");
    set_dests(warp, insn, mask, &clean);
    undefined_set_pred(warp, insn->preds[0], mask, 0, clean.origins);
}

static void follow_barrier(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint16_t none[LANES] = {0};
    undefined_use(warp, insn, SLOT_PRED | insn->preds[1], mask, "goes into a vote of the block");
    undefined_set_pred(warp, insn->preds[0], mask, 0, none);
}

/* A lane that reads nonsense gets a mark of its own; the others inherit their source's. */
static void follow_shuffle(struct warp *warp, const struct insn *insn, const struct shuffle *shuffle)
{
    const uint32_t *use = &insn->o[insn->ndefs];
    struct found values = {0}, found = {0}, index = {0};
    if (insn->nuses > 3)
        undefined_use(warp, insn, use[3], shuffle->mask, "is the mask of a shuffle");
    add_operand(warp, use[0], FULL_MASK, &values);
    add_operand(warp, use[1], shuffle->mask, &index);
    add_operand(warp, use[2], shuffle->mask, &index);
    found = index;
    for (uint32_t rest = shuffle->mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest), source = shuffle->sources[lane];
        const bool is_undefined = shuffle->undefined >> lane & 1;
        if (!is_undefined && !(values.lanes >> source & 1))
            continue;
        found.origins[lane] = is_undefined
                                  ? undefined_origin(warp, insn, lane, source, shuffle->members[lane])
                                  : values.origins[source];
        found.lanes |= (uint32_t)(found.origins[lane] != 0) << lane;
    }
    set_dests(warp, insn, shuffle->mask, &found);
    undefined_set_pred(warp, insn->preds[0], shuffle->mask, index.lanes, index.origins);
}

const struct undefined_rules undefined_rules = {
    .before = follow,
    .shuffle = follow_shuffle,
    .exchange = follow_exchange,
    .barrier = follow_barrier,
    .access = undefined_access,
    .read_local = undefined_read_local,
    .pass_arguments = undefined_pass_arguments,
    .pass_results = undefined_pass_results,
    .use_arguments = undefined_use_arguments,
    .leave = undefined_leave,
    .end = undefined_end,
};
