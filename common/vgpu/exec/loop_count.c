/* loop_count.c - loops that count: a test that is passed in every round, and a counter that moves there by the same step towards
 * a value that stays.
 * Between them lie sums and products with values that stay, moves and conversions, once in each round and always in the same
 * order. They are executed on a copy of the registers: what the test would compare in the next rounds tells the step and the
 * rounds that are left.
 * Other ways out of the loop only end it sooner. Whatever is not understood does not count. */
#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "exec/loop_exit.h"

enum { MOST_STEPS = 32, MOST_FRAMES = 8, MOST_DEPTH = 4, PASSES = 3, NOWHERE = -1 };

/* ------------------------------------------------------------------------------------------- once in each round */

struct walk {
    const struct slice *slice;
    const uint8_t *stops; /* by number: it is not passed */
    uint32_t from;
    uint8_t *is_seen; /* by number */
    uint32_t *rest, nrest;
    int64_t stop; /* the number of the one that it stopped at; NOWHERE: none */
    bool is_split, goes_round;
};

static void walk_to(void *context, uint32_t to)
{
    struct walk *walk = context;
    const struct slice *slice = walk->slice;
    const bool is_head = to == slice->head;
    if (to >= slice->function->ncode || !slice->member[to] || (is_head && walk->from < to))
        return;
    walk->goes_round |= is_head;
    const uint32_t number = slice->member[to] - 1;
    if (walk->stops[number]) {
        walk->is_split |= walk->stop != NOWHERE && walk->stop != number;
        walk->stop = number;
    } else if (!walk->is_seen[number]) {
        walk->is_seen[number] = 1;
        walk->rest[walk->nrest++] = to;
    }
}

/* From an instruction on, itself or what follows it, within the loop, until one of those that stop it. False: out of memory. */
static bool walk_from(struct walk *walk, uint32_t at, bool is_behind)
{
    const struct slice *slice = walk->slice;
    walk->is_seen = calloc(slice->ncode, 1);
    walk->rest = calloc(slice->ncode, sizeof *walk->rest);
    walk->stop = NOWHERE;
    const bool is_ready = walk->is_seen && walk->rest;
    walk->from = at;
    if (is_ready && is_behind)
        insn_each_next(slice->function, at, walk_to, walk);
    else if (is_ready)
        walk_to(walk, at);
    walk->goes_round &= is_behind;
    while (is_ready && walk->nrest) {
        walk->from = walk->rest[--walk->nrest];
        insn_each_next(slice->function, walk->from, walk_to, walk);
    }
    free(walk->is_seen);
    free(walk->rest);
    return is_ready;
}

/* The number of the relevant instruction that always comes next; NOWHERE: there is none, or more than one. */
static int64_t next_relevant(const struct slice *slice, uint32_t at, bool is_behind)
{
    struct walk walk = {.slice = slice, .stops = slice->is_relevant};
    return walk_from(&walk, at, is_behind) && !walk.is_split ? walk.stop : NOWHERE;
}

/* No way leads from the head to itself that does not pass it. */
static bool is_in_every_round(const struct slice *slice, uint32_t number)
{
    uint8_t *stops = calloc(slice->ncode, 1);
    struct walk walk = {.slice = slice, .stops = stops};
    if (stops)
        stops[number] = 1;
    const bool is_passed = stops && (slice->code[number] == slice->head ||
                                     (walk_from(&walk, slice->head, true) && !walk.goes_round));
    free(stops);
    return is_passed;
}

/* ------------------------------------------------------------------------------------------- steps of a counter */

struct counter {
    struct slice *slice;
    const struct frame *frame;
    uint32_t from; /* the instruction that is executed next */
    uint32_t
        steps[MOST_STEPS]; /* numbers of the slice's instructions, as they follow each other from there */
    uint32_t nsteps;
};

static const struct insn *insn_of(const struct slice *slice, uint32_t number)
{
    return &slice->function->code[slice->code[number]];
}

/* Whether a register changes from round to round. */
static bool is_moving(const struct slice *slice, uint32_t operand, int depth)
{
    bool moves = false;
    for (uint32_t n = 0; n < slice->ncode && !moves && is_register(operand); n++) {
        const struct insn *insn = insn_of(slice, n);
        if (!slice->is_relevant[n] || insn->ndefs != 1 || insn->o[0] != operand)
            continue;
        const bool is_known = !insn->guard && (insn->kind == INSN_ALU || decode_is_constant(insn));
        moves = !is_known || depth == MOST_DEPTH;
        for (uint32_t k = 1; k <= insn->nuses && !moves; k++)
            moves = is_moving(slice, insn->o[k], depth + 1);
    }
    return moves;
}

static bool has_name(const struct insn *insn, const char *const *names, size_t count)
{
    bool is_found = false;
    for (size_t i = 0; i < count; i++)
        is_found |= strcmp(insn->form->name, names[i]) == 0;
    return is_found;
}

/* Products, and the lower half of 64 bits: what moves by a step still does, but may soon go past the last of its numbers to the
 * first. */
static bool may_wrap(const struct insn *insn)
{
    static const char *const names[] = {"cvt.u32.u64", "cvt.u32.s64", "shl.b32",
                                        "shl.b64",     "mul.lo.u32",  "mul.lo.u64"};
    return insn->kind == INSN_ALU && has_name(insn, names, sizeof names / sizeof *names);
}

/* d stays, or is one moving value to which something is added that stays, or that is multiplied by it. Names are canonical. */
static bool is_linear(const struct slice *slice, const struct insn *insn)
{
    static const char *const names[] = {"add.u16", "add.u32", "add.u64",     "sub.u16",
                                        "sub.u32", "sub.u64", "cvt.u64.s32", "cvt.u64.u32"};
    if (insn->guard || insn->ndefs != 1 || insn->kind != INSN_ALU)
        return !insn->guard && insn->kind == INSN_STEP && decode_is_constant(insn);
    const bool is_sum = strncmp(insn->form->name, "mov.", 4) == 0 || may_wrap(insn) ||
                        has_name(insn, names, sizeof names / sizeof *names);
    bool moves[3] = {false, false, false};
    for (uint32_t k = 0; k < insn->nuses && k < 3; k++)
        moves[k] = is_moving(slice, insn->o[1 + k], 0);
    if (!is_sum)
        return insn->nuses <= 3 && !moves[0] && !moves[1] && !moves[2];
    return !(moves[1] && (moves[0] || insn->form->name[0] == 's'));
}

/* The slice of a test, in order. False: it is no chain of sums that is passed once in each round. */
static bool find_steps(struct counter *counter, uint32_t test)
{
    struct slice *slice = counter->slice;
    uint32_t count = 0;
    slice_clear(slice);
    slice->is_relevant[test] = 1;
    while (slice_update(slice))
        ;
    for (uint32_t n = 0; n < slice->ncode; n++)
        count += slice->is_relevant[n];
    if (slice->needs_others || slice->needs_warp || count > MOST_STEPS || !is_in_every_round(slice, test))
        return false;
    counter->nsteps = 0;
    int64_t at = next_relevant(slice, counter->from, false);
    while (at != NOWHERE && counter->nsteps < count) {
        if (at != test && !is_linear(slice, insn_of(slice, (uint32_t)at)))
            return false;
        counter->steps[counter->nsteps++] = (uint32_t)at;
        at = next_relevant(slice, slice->code[at], true);
    }
    for (uint32_t i = 0; i < counter->nsteps; i++)
        for (uint32_t k = 0; k < i; k++)
            if (counter->steps[i] == counter->steps[k])
                return false;
    return counter->nsteps == count && at == counter->steps[0];
}

/* ------------------------------------------------------------------------------------------- tests */

enum relation { RELATION_LESS, RELATION_LESS_EQUAL, RELATION_EQUAL, RELATION_NOT_EQUAL };

/* A comparison of whole numbers, as the loop goes on while it is true. */
struct test {
    enum relation relation;
    bool is_swapped, is_signed;
    uint32_t bytes;
};

static bool read_test(const struct insn *insn, bool leaves_when, struct test *out)
{
    static const struct {
        const char *name;
        enum relation relation, inverse;
        bool is_swapped, is_swapped_inverse;
    } rows[] = {
        {"setp.lt.", RELATION_LESS, RELATION_LESS_EQUAL, false, true},
        {"setp.le.", RELATION_LESS_EQUAL, RELATION_LESS, false, true},
        {"setp.gt.", RELATION_LESS, RELATION_LESS_EQUAL, true, false},
        {"setp.ge.", RELATION_LESS_EQUAL, RELATION_LESS, true, false},
        {"setp.eq.", RELATION_EQUAL, RELATION_NOT_EQUAL, false, false},
        {"setp.ne.", RELATION_NOT_EQUAL, RELATION_EQUAL, false, false},
    };
    static const char *const types[] = {"s32", "s64", "u32", "u64", "b32", "b64"};
    const char *name = insn->form->name, *type = strrchr(name, '.') + 1;
    bool is_whole = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        is_whole |= strcmp(type, types[i]) == 0;
    for (size_t i = 0; is_whole && i < sizeof rows / sizeof *rows; i++)
        if (strncmp(name, rows[i].name, strlen(rows[i].name)) == 0) {
            *out = (struct test){leaves_when ? rows[i].inverse : rows[i].relation,
                                 leaves_when ? rows[i].is_swapped_inverse : rows[i].is_swapped,
                                 type[0] == 's', type[1] == '3' ? 4 : 8};
            return true;
        }
    return false;
}

/* What a test compares in one round, lane by lane. */
struct compared {
    uint64_t side[2][LANES];
};

static const uint8_t *source_of(const struct slice *slice, const uint8_t *regs, uint32_t operand)
{
    return (is_register(operand) ? regs : slice->function->constants) + (operand & 0x7fffffffu);
}

static void keep_compared(const struct slice *slice, const uint8_t *regs, const struct insn *insn,
                          uint32_t bytes, struct compared *out)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < LANES; i++) {
            out->side[side][i] = 0;
            memcpy(&out->side[side][i], source_of(slice, regs, insn->o[side]) + (size_t)i * bytes, bytes);
        }
}

/* Executes the steps on a copy of the registers. False: out of memory. */
static bool pass_rounds(const struct counter *counter, uint32_t test, uint32_t bytes, struct compared *out)
{
    const struct slice *slice = counter->slice;
    const size_t size = slice->function->register_bytes;
    uint8_t *regs = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    if (!regs)
        return false;
    memcpy(regs, counter->frame->regs, size);
    for (uint32_t k = 0; k < PASSES * counter->nsteps; k++) {
        const uint32_t number = counter->steps[k % counter->nsteps];
        const struct insn *insn = insn_of(slice, number);
        const void *sources[3] = {NULL, NULL, NULL};
        for (uint32_t s = 0; number != test && s < insn->nuses && s < 3; s++)
            sources[s] = source_of(slice, regs, insn->o[1 + s]);
        if (number == test)
            keep_compared(slice, regs, insn, bytes, &out[k / counter->nsteps]);
        else if (insn->kind == INSN_STEP)
            decode_special_value((struct warp *)slice->warp, insn, regs + insn->o[0]);
        else
            insn->fn(regs + insn->o[0], sources[0], sources[1], sources[2]);
    }
    free(regs);
    return true;
}

/* Until a counter, which moves by a step, is no longer less than its end; as numbers round a circle of so many bits. */
static int64_t rounds_below(uint64_t counter, uint64_t end, uint64_t step, const struct test *test,
                            bool is_low)
{
    const uint64_t all = test->bytes == 4 ? UINT32_MAX : UINT64_MAX, sign = all / 2 + 1;
    const bool falls = step & sign;
    const uint64_t pace = falls ? (0 - step) & all : step;
    if (test->is_signed)
        counter ^= sign, end ^= sign;
    const bool goes_on = is_low ? counter < end || (counter == end && test->relation == RELATION_LESS_EQUAL)
                                : end < counter || (counter == end && test->relation == RELATION_LESS_EQUAL);
    if (!goes_on)
        return 0;
    if (is_low == falls && test->is_signed)
        return ROUNDS_NEVER;
    /* unsigned numbers that go past 0 or the highest one are at the other end then */
    const uint64_t way = is_low != falls ? (is_low ? end - counter : counter - end)
                         : is_low        ? counter
                                         : all - counter;
    return (int64_t)(way / pace >= INT64_MAX ? INT64_MAX : way / pace + 1);
}

static int64_t rounds_unequal(uint64_t counter, uint64_t end, uint64_t step, const struct test *test)
{
    const uint64_t all = test->bytes == 4 ? UINT32_MAX : UINT64_MAX, sign = all / 2 + 1;
    const bool falls = step & sign;
    const uint64_t pace = falls ? (0 - step) & all : step,
                   way = (falls ? counter - end : end - counter) & all;
    if (way & (((step & (0 - step)) - 1) & all))
        return ROUNDS_NEVER; /* even numbers never become odd, ... */
    return way % pace ? ROUNDS_UNKNOWN : (int64_t)(way / pace >= INT64_MAX ? INT64_MAX : way / pace);
}

static int64_t rounds_of_lane(const struct test *test, const struct compared *rounds, uint32_t lane,
                              int moving)
{
    const uint64_t all = test->bytes == 4 ? UINT32_MAX : UINT64_MAX;
    const uint64_t first = rounds[0].side[moving][lane], step = (rounds[1].side[moving][lane] - first) & all;
    const uint64_t end = rounds[0].side[!moving][lane];
    if (!step || ((rounds[2].side[moving][lane] - rounds[1].side[moving][lane]) & all) != step)
        return ROUNDS_UNKNOWN;
    if (test->relation == RELATION_EQUAL)
        return 1;
    if (test->relation == RELATION_NOT_EQUAL)
        return rounds_unequal(first, end, step, test);
    return rounds_below(first, end, step, test, (moving == 0) != test->is_swapped);
}

/* The lane that stays longest. */
static int64_t rounds_of_test(struct counter *counter, uint32_t number, bool leaves_when)
{
    const struct insn *insn = insn_of(counter->slice, number);
    struct compared rounds[PASSES];
    struct test test;
    if (insn->guard || !read_test(insn, leaves_when, &test) || !find_steps(counter, number))
        return ROUNDS_UNKNOWN;
    const bool moves[2] = {is_moving(counter->slice, insn->o[0], 0),
                           is_moving(counter->slice, insn->o[1], 0)};
    if (moves[0] == moves[1] || !pass_rounds(counter, number, test.bytes, rounds))
        return ROUNDS_UNKNOWN;
    int64_t most = 0;
    bool is_never = false, is_known = true, wraps = false;
    for (uint32_t lanes = counter->slice->warp->active; lanes; lanes &= lanes - 1) {
        const int64_t lane = rounds_of_lane(&test, rounds, (uint32_t)__builtin_ctz(lanes), moves[1]);
        is_never |= lane == ROUNDS_NEVER;
        is_known &= lane != ROUNDS_UNKNOWN;
        most = lane > most ? lane : most;
    }
    for (uint32_t i = 0; i < counter->nsteps; i++)
        wraps |= may_wrap(insn_of(counter->slice, counter->steps[i]));
    if (is_never)
        return wraps ? ROUNDS_UNKNOWN : ROUNDS_NEVER; /* it may come back from the other side */
    return is_known ? most : ROUNDS_UNKNOWN;
}

/* ------------------------------------------------------------------------------------------- exits */

/* The only instruction of a branch's slice that sets a predicate; NOWHERE: there is none, or more than one. */
static int64_t setter_of(const struct slice *slice, const uint8_t *is_relevant, uint32_t predicate)
{
    int64_t found = NOWHERE;
    for (uint32_t n = 0; n < slice->ncode; n++) {
        const struct insn *insn = insn_of(slice, n);
        for (uint32_t k = 0; k < set_predicates(insn) && is_relevant[n]; k++)
            if (insn->preds[k] == predicate) {
                if (found != NOWHERE)
                    return NOWHERE;
                found = n;
            }
    }
    return found;
}

/* The fewer rounds of two ways out. */
static int64_t sooner(int64_t a, int64_t b)
{
    if (a < 0 || b < 0)
        return a >= 0 ? a : b >= 0 ? b : ROUNDS_UNKNOWN;
    return a < b ? a : b;
}

/* The loop is left when a predicate has a value: by the comparison that sets it, or by one of two that are combined. */
static int64_t rounds_of_predicate(struct counter *counter, const uint8_t *is_relevant, uint32_t predicate,
                                   bool leaves_when, int depth)
{
    enum { AND = 1, OR = 2 }; /* of insn->op */
    const int64_t number = setter_of(counter->slice, is_relevant, predicate);
    if (number == NOWHERE || depth > MOST_DEPTH)
        return ROUNDS_UNKNOWN;
    const struct insn *insn = insn_of(counter->slice, (uint32_t)number);
    if (insn->kind != INSN_SETP || insn->guard)
        return ROUNDS_UNKNOWN;
    const char *name = insn->form->name;
    const bool is_enough = strcmp(name, leaves_when ? "or.pred" : "and.pred") == 0,
               is_not = strcmp(name, "not.pred") == 0;
    if (insn->op == 0 && (is_enough || is_not || strcmp(name, "mov.pred") == 0)) {
        const bool value = is_not ? !leaves_when : leaves_when;
        int64_t rounds = rounds_of_predicate(counter, is_relevant, insn->o[0] & ~SLOT_PRED, value, depth + 1);
        if (is_enough)
            rounds = sooner(
                rounds, rounds_of_predicate(counter, is_relevant, insn->o[1] & ~SLOT_PRED, value, depth + 1));
        return rounds == ROUNDS_NEVER && is_enough ? ROUNDS_UNKNOWN : rounds;
    }
    if (insn->op && insn->op != (leaves_when ? OR : AND))
        return ROUNDS_UNKNOWN;
    const bool is_inverse = insn->preds[0] != predicate;
    const int64_t rounds = rounds_of_test(counter, (uint32_t)number, leaves_when != is_inverse);
    if (!insn->op)
        return rounds;
    return sooner(rounds, rounds_of_predicate(counter, is_relevant, insn->preds[2], leaves_when, depth + 1));
}

static int64_t rounds_of_exit(struct counter *counter, uint32_t number)
{
    struct slice *slice = counter->slice;
    const uint32_t at = slice->code[number];
    const struct insn *insn = insn_of(slice, number);
    if (!is_in_every_round(slice, number))
        return ROUNDS_UNKNOWN;
    slice_clear(slice);
    slice->is_relevant[number] = 1;
    while (slice_update(slice))
        ;
    uint8_t *is_relevant = malloc(slice->ncode);
    if (!is_relevant)
        return ROUNDS_UNKNOWN;
    memcpy(is_relevant, slice->is_relevant, slice->ncode);
    const uint32_t target = insn->branch.target;
    const bool is_back = target == slice->head && target <= at,
               jumps_out = !is_back && (target == slice->head || !slice->member[target]);
    const int64_t rounds =
        rounds_of_predicate(counter, is_relevant, insn->guard - 1u, jumps_out != (insn->guard_not != 0), 0);
    free(is_relevant);
    return rounds;
}

int64_t loop_rounds(struct slice *slice, const struct frame *frame, uint32_t from)
{
    struct counter counter = {.slice = slice, .frame = frame, .from = from};
    int64_t last = ROUNDS_UNKNOWN, rounds = ROUNDS_UNKNOWN;
    uint32_t exits = 0;
    for (uint32_t n = 0; n < slice->ncode; n++) {
        const struct insn *insn = insn_of(slice, n);
        const struct into next = slice_next(slice, slice->code[n]);
        if (!next.is_out && !insn_leaves(insn))
            continue;
        const bool is_test = insn->flow == FLOW_BRANCH && insn->guard && next.is_in && next.is_out;
        last = is_test ? rounds_of_exit(&counter, n) : ROUNDS_UNKNOWN;
        rounds = sooner(rounds, last);
        exits++;
    }
    return exits == 1 ? last : rounds;
}

/* ------------------------------------------------------------------------------------------- loops within loops */

static bool is_head_before(const struct function *function, uint32_t head, uint32_t end)
{
    for (uint32_t j = head; j < end; j++)
        if (function->code[j].flow == FLOW_BRANCH && function->code[j].branch.target == head)
            return true;
    return false;
}

/* The largest loop around an instruction that is smaller than a given one; size 0: there is none. False: not understood. */
static bool next_inner(const struct warp *warp, const struct function *function, uint32_t at, uint32_t below,
                       uint32_t *found, uint32_t *size)
{
    bool is_understood = true;
    *size = 0;
    for (uint32_t j = 0; j < function->ncode; j++) {
        const struct insn *insn = &function->code[j];
        const uint32_t head = insn->branch.target;
        if (insn->flow != FLOW_BRANCH || head > j || is_head_before(function, head, j))
            continue;
        struct slice slice;
        is_understood &= slice_begin(&slice, warp, function, head);
        if (is_understood && slice.member[at] && slice.ncode < below && slice.ncode > *size) {
            *size = slice.ncode;
            *found = head;
        }
        slice_end(&slice);
    }
    return is_understood;
}

/* False: a loop does not count, or there is no room for more. */
static bool add_counts(const struct warp *warp, const struct frame *frame, uint32_t at,
                       struct loop_counts *out)
{
    const struct function *function = frame->function;
    uint32_t size = UINT32_MAX, head = 0;
    while (next_inner(warp, function, at, size, &head, &size)) {
        struct slice slice;
        if (!size)
            return true;
        const int64_t rounds =
            slice_begin(&slice, warp, function, head) ? loop_rounds(&slice, frame, at) : ROUNDS_UNKNOWN;
        slice_end(&slice);
        if (rounds < 0 || out->count == COUNTED_LOOPS)
            return false;
        out->loops[out->count].head = &function->code[head];
        out->loops[out->count++].rounds = (uint64_t)rounds;
    }
    return false;
}

void loop_counts_find(const struct warp *warp, const struct insn *branch, struct loop_counts *out)
{
    const struct frame *frames[MOST_FRAMES], *frame = warp->frame;
    uint32_t count = 0;
    out->count = 0;
    for (; frame && count < MOST_FRAMES; frame = frame->caller)
        frames[count++] = frame;
    bool goes_on = !frame;
    for (uint32_t i = count; i-- > 0 && goes_on;) {
        const struct insn *at =
            i ? frames[i - 1]->return_to : frames[i]->function->code + branch->branch.target;
        goes_on = add_counts(warp, frames[i], (uint32_t)(at - frames[i]->function->code), out);
    }
}
