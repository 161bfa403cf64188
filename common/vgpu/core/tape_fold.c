/* tape_fold.c - leaves steps out of a tape, and keeps what they wrote: see tape.h.
 * Between two steps that stay, what was written to shared memory in between comes before the second, whoever wrote it; what a warp
 * wrote to its own registers and predicates comes before its own next step. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "core/tape.h"

/* Rounds at a loop's begin and end that stay. */
static const struct tape_level levels[] = {
    {UINT32_MAX, UINT32_MAX}, {32, 16}, {16, 8}, {8, 4}, {4, 2}, {2, 2}, {1, 1}};
enum { LEVELS = sizeof levels / sizeof *levels, FURTHEST = 16 /* the longest end */ };

struct tape_level tape_level(const struct tape *tape)
{
    return levels[tape->level];
}

/* ------------------------------------------------------------------------------------------- what is left out */

/* Of a warp: what it wrote in steps that were left out, since its last one that stays. */
struct pending {
    struct tape_gap gap;
    struct tape_step last; /* that was left out */
    struct tape_gap_def *defs;
    uint32_t ndefs;
    size_t defs_capacity;
    uint32_t next_def; /* behind the one found last: rounds write the same registers in the same order */
    struct tape_gap_pred *preds;
    uint32_t npreds;
    size_t preds_capacity;
};

struct fold {
    struct tape *tape;    /* as it was */
    struct tape made;     /* its new steps and words */
    struct pending *gaps; /* by warp */
    uint32_t *writer;     /* by word of shared memory that is pending: the warp that wrote it last, from 1 */
    uint32_t *value;
    uint32_t *touched; /* those words */
    uint32_t ntouched;
    uint32_t *taken; /* by warp: steps that stay */
    bool has_failed;
};

/* The outermost round around a step that is to be left out; 0: it stays. */
static uint32_t dropped_trip(const struct tape *tape, uint32_t trip)
{
    uint32_t found = 0;
    for (; trip; trip = tape->visits[tape->trips[trip].visit].outer)
        found = tape->trips[trip].is_dropped ? trip : found;
    return found;
}

static uint32_t nesting(const struct tape *tape, uint32_t visit)
{
    uint32_t count = 0;
    for (uint32_t trip = tape->visits[visit].outer; trip; count++)
        trip = tape->visits[tape->trips[trip].visit].outer;
    return count;
}

/* A gap is named after the outermost loop of which rounds are left out. */
static void extend(const struct tape *tape, struct tape_gap *gap, uint32_t visit, uint32_t from, uint32_t to)
{
    if (!visit)
        return;
    if (!gap->visit || (gap->visit != visit && nesting(tape, visit) < nesting(tape, gap->visit))) {
        gap->visit = visit;
        gap->from = from;
        gap->to = to;
    }
    if (gap->visit != visit)
        return;
    gap->from = from < gap->from ? from : gap->from;
    gap->to = to > gap->to ? to : gap->to;
}

/* ------------------------------------------------------------------------------------------- putting together */

static struct tape_gap_def *find_def(struct pending *pending, uint32_t function, uint32_t offset)
{
    uint32_t at = pending->next_def < pending->ndefs ? pending->next_def : 0;
    for (uint32_t i = 0; i < pending->ndefs; i++, at = at + 1 < pending->ndefs ? at + 1 : 0)
        if (pending->defs[at].offset == offset && pending->defs[at].function == function) {
            pending->next_def = at + 1;
            return &pending->defs[at];
        }
    return NULL;
}

/* lanes: of the registers, all of them. */
static void add_def(struct fold *fold, struct pending *pending, const struct tape_gap_def *def,
                    const uint32_t *lanes)
{
    struct tape_gap_def *found = find_def(pending, def->function, def->offset);
    if (!found) {
        struct tape_gap_def *grown =
            list_reserve(pending->defs, &pending->defs_capacity, pending->ndefs + 1, sizeof *grown);
        fold->has_failed |= !grown;
        if (!grown)
            return;
        pending->defs = grown;
        found = &grown[pending->ndefs++];
        *found = (struct tape_gap_def){.offset = def->offset, .function = def->function};
    }
    found->insn_id = def->insn_id;
    found->def = def->def;
    found->nwords = def->nwords;
    found->mask |= def->mask;
    if (def->mask == UINT32_MAX)
        memcpy(found->lanes, lanes, (size_t)def->nwords * LANES * sizeof *lanes);
    for (uint32_t lane = 0; lane < LANES && def->mask != UINT32_MAX; lane++)
        if (def->mask >> lane & 1)
            memcpy(&found->lanes[lane * def->nwords], &lanes[lane * def->nwords],
                   def->nwords * sizeof *lanes);
}

static void add_pred(struct fold *fold, struct pending *pending, const struct tape_gap_pred *pred)
{
    for (uint32_t i = 0; i < pending->npreds; i++)
        if (pending->preds[i].number == pred->number && pending->preds[i].function == pred->function) {
            pending->preds[i].lanes = pred->lanes;
            return;
        }
    struct tape_gap_pred *grown =
        list_reserve(pending->preds, &pending->preds_capacity, pending->npreds + 1, sizeof *grown);
    fold->has_failed |= !grown;
    if (!grown)
        return;
    pending->preds = grown;
    grown[pending->npreds++] = *pred;
}

static void add_shared(struct fold *fold, const struct tape_step *step)
{
    const uint32_t *pairs = tape_shared(fold->tape, step);
    for (uint32_t i = 0; i < step->nshared; i++) {
        const uint32_t word = pairs[2 * i];
        if (!fold->writer[word])
            fold->touched[fold->ntouched++] = word;
        fold->writer[word] = step->warp + 1;
        fold->value[word] = pairs[2 * i + 1];
    }
}

/* The number of a step's i-th destination among its instruction's, some of which are none. */
static uint32_t number_of_def(const struct insn *insn, uint32_t i)
{
    uint32_t number = 0;
    while (number < insn->ndefs && ((insn->o[number] & (SLOT_CONSTANT | SLOT_PRED)) || i-- > 0))
        number++;
    return number;
}

static void leave_out_step(struct fold *fold, const struct tape_step *step, uint32_t trip)
{
    const struct tape *tape = fold->tape;
    struct pending *pending = &fold->gaps[step->warp];
    const uint32_t *pairs = tape_preds(tape, step);
    struct tape_gap_def def = {.function = step->function->index,
                               .insn_id = step->insn->id,
                               .nwords = step->def_words,
                               .mask = step->mask};
    for (uint32_t i = 0; i < step->ndefs; i++) {
        const uint32_t *words = tape_def(tape, step, i);
        def.def = number_of_def(step->insn, i);
        def.offset = words[0];
        add_def(fold, pending, &def, words + 1);
    }
    for (uint32_t i = 0; i < step->npreds; i++)
        add_pred(fold, pending,
                 &(struct tape_gap_pred){step->function->index, pairs[2 * i], pairs[2 * i + 1]});
    add_shared(fold, step);
    pending->gap.nsteps++;
    pending->gap.nbarriers += step->insn->flow == FLOW_BARRIER;
    pending->last = *step;
    if (trip)
        extend(tape, &pending->gap, tape->trips[trip].visit, tape->trips[trip].number,
               tape->trips[trip].number);
}

/* It may have become longer. */
static void leave_out_gap(struct fold *fold, const struct tape_step *step)
{
    const struct tape *tape = fold->tape;
    const struct tape_gap *gap = tape_gap(tape, step);
    struct pending *pending = &fold->gaps[step->warp];
    const uint32_t trip = dropped_trip(tape, tape->visits[gap->visit].outer);
    for (uint32_t i = 0; i < step->ndefs; i++)
        add_def(fold, pending, &tape_gap_defs(tape, step)[i], tape_gap_defs(tape, step)[i].lanes);
    for (uint32_t i = 0; i < step->npreds; i++)
        add_pred(fold, pending, &tape_gap_preds(tape, step)[i]);
    pending->gap.nsteps += gap->nsteps;
    pending->gap.nbarriers += gap->nbarriers;
    pending->last = *step;
    if (trip)
        extend(tape, &pending->gap, tape->trips[trip].visit, tape->trips[trip].number,
               tape->trips[trip].number);
    else
        extend(tape, &pending->gap, gap->visit, gap->from, gap->to);
}

/* ------------------------------------------------------------------------------------------- what stays */

static void put(struct fold *fold, const void *words, size_t bytes)
{
    const uint32_t count = (uint32_t)(bytes / sizeof(uint32_t));
    uint32_t *grown =
        list_reserve(fold->made.words, &fold->made.words_capacity, fold->made.nwords + count, sizeof *grown);
    fold->has_failed |= !grown;
    if (!grown || !count)
        return;
    fold->made.words = grown;
    memcpy(grown + fold->made.nwords, words, bytes);
    fold->made.nwords += count;
}

static void put_step(struct fold *fold, struct tape_step step)
{
    struct tape_step *grown =
        list_reserve(fold->made.steps, &fold->made.steps_capacity, fold->made.nsteps + 1, sizeof *grown);
    fold->has_failed |= !grown;
    if (!grown)
        return;
    fold->made.steps = grown;
    grown[fold->made.nsteps++] = step;
}

static int by_word(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

/* One step for each warp that wrote. */
static void flush_shared(struct fold *fold)
{
    if (!fold->ntouched)
        return;
    qsort(fold->touched, fold->ntouched, sizeof *fold->touched, by_word);
    for (uint32_t w = 0; w < fold->tape->nwarps; w++) {
        struct tape_step step = {.kind = TAPE_QUIET, .warp = w, .first = fold->made.nwords};
        for (uint32_t i = 0; i < fold->ntouched; i++) {
            const uint32_t word = fold->touched[i];
            if (fold->writer[word] != w + 1)
                continue;
            put(fold, (uint32_t[2]){word, fold->value[word]}, 2 * sizeof word);
            step.nshared++;
        }
        if (step.nshared)
            put_step(fold, step);
    }
    for (uint32_t i = 0; i < fold->ntouched; i++)
        fold->writer[fold->touched[i]] = 0;
    fold->ntouched = 0;
}

static void flush_gap(struct fold *fold, uint32_t warp)
{
    struct pending *pending = &fold->gaps[warp];
    struct tape_step step = pending->last;
    if (!pending->gap.nsteps)
        return;
    step.kind = TAPE_GAP;
    step.first = fold->made.nwords;
    step.mask = 0;
    step.trip = pending->gap.visit ? fold->tape->visits[pending->gap.visit].outer : 0;
    step.ndefs = pending->ndefs;
    step.npreds = pending->npreds;
    step.nshared = 0;
    step.has_addresses = false;
    put(fold, &pending->gap, sizeof pending->gap);
    put(fold, pending->defs, pending->ndefs * sizeof *pending->defs);
    put(fold, pending->preds, pending->npreds * sizeof *pending->preds);
    put_step(fold, step);
    pending->gap = (struct tape_gap){.nsteps = 0};
    pending->ndefs = pending->npreds = 0;
}

static void keep(struct fold *fold, const struct tape_step *step)
{
    const struct tape *tape = fold->tape;
    const uint32_t *end = tape_addresses(tape, step) + (step->has_addresses ? 2 * LANES : 0);
    struct tape_step moved = *step;
    flush_shared(fold);
    flush_gap(fold, step->warp);
    moved.first = fold->made.nwords;
    put(fold, tape->words + step->first, (size_t)(end - (tape->words + step->first)) * sizeof *end);
    put_step(fold, moved);
    fold->taken[step->warp]++;
}

static void visit_steps(struct fold *fold, const uint32_t *most)
{
    struct tape *tape = fold->tape;
    for (uint32_t i = 0; i < tape->nsteps && !fold->has_failed; i++) {
        const struct tape_step *step = &tape->steps[i];
        const bool is_too_late = most && fold->taken[step->warp] >= most[step->warp];
        const uint32_t trip = step->kind == TAPE_STEP ? dropped_trip(tape, step->trip) : 0;
        if (step->kind == TAPE_QUIET)
            add_shared(fold, step);
        else if (step->kind == TAPE_GAP)
            leave_out_gap(fold, step);
        else if (is_too_late || trip)
            leave_out_step(fold, step, trip);
        else
            keep(fold, step);
        if (is_too_late && step->kind != TAPE_QUIET)
            tape->is_full[step->warp] = tape->is_cut[step->warp] = 1;
    }
    flush_shared(fold);
    for (uint32_t w = 0; w < tape->nwarps; w++)
        if (!tape->is_full[w])
            flush_gap(fold, w);
}

/* ------------------------------------------------------------------------------------------- rounds */

/* What is still needed: of steps that stay, and of lanes where they are. */
struct needs {
    uint32_t *trips, *visits; /* first whether they are, then their new numbers */
};

static void need_visit(const struct tape *tape, struct needs *needs, uint32_t visit);

static void need_trip(const struct tape *tape, struct needs *needs, uint32_t trip)
{
    while (trip && !needs->trips[trip]) {
        const uint32_t visit = tape->trips[trip].visit;
        needs->trips[trip] = 1;
        needs->visits[visit] = 1;
        trip = tape->visits[visit].outer;
    }
}

static void need_visit(const struct tape *tape, struct needs *needs, uint32_t visit)
{
    needs->visits[visit] = 1;
    need_trip(tape, needs, tape->visits[visit].outer);
}

static void need_lanes(const struct tape *tape, struct needs *needs)
{
    for (uint32_t lane = 0; lane < tape->nwarps * LANES; lane++)
        for (uint32_t outer = tape->trip_of[lane]; outer;
             outer = tape->visits[tape->trips[outer].visit].outer) {
            uint32_t trip = outer;
            for (int i = 0; i <= FURTHEST && trip; i++, trip = tape->trips[trip].before)
                need_trip(tape, needs, trip);
        }
}

static void number_needs(uint32_t *needs, uint32_t count)
{
    uint32_t next = 1;
    for (uint32_t i = 1; i < count; i++)
        needs[i] = needs[i] ? next++ : 0;
}

static void move_trips(struct tape *tape, const struct needs *needs)
{
    uint32_t count = tape->ntrips ? 1 : 0;
    for (uint32_t i = 1; i < tape->ntrips; i++)
        if (!needs->trips[i])
            tape->trips[tape->trips[i].before].is_far = true;
    for (uint32_t i = 1; i < tape->ntrips; i++) {
        if (!needs->trips[i])
            continue;
        tape->trips[i].visit = needs->visits[tape->trips[i].visit];
        tape->trips[i].before = needs->trips[tape->trips[i].before];
        tape->trips[count++] = tape->trips[i];
    }
    tape->ntrips = count;
    count = tape->nvisits ? 1 : 0;
    for (uint32_t i = 1; i < tape->nvisits; i++) {
        if (!needs->visits[i])
            continue;
        tape->visits[i].outer = needs->trips[tape->visits[i].outer];
        tape->visits[count++] = tape->visits[i];
    }
    tape->nvisits = count;
}

static void rename_steps(struct tape *tape, const struct needs *needs)
{
    for (uint32_t i = 0; i < tape->nsteps; i++) {
        struct tape_step *step = &tape->steps[i];
        step->trip = needs->trips[step->trip];
        if (step->kind == TAPE_GAP) {
            struct tape_gap *gap = (struct tape_gap *)(void *)(tape->words + step->first);
            gap->visit = needs->visits[gap->visit];
        }
    }
    for (uint32_t lane = 0; lane < tape->nwarps * LANES; lane++)
        tape->trip_of[lane] = needs->trips[tape->trip_of[lane]];
}

/* Rounds that no step and no lane is in are forgotten. */
static bool forget_trips(struct tape *tape)
{
    struct needs needs = {calloc((size_t)tape->ntrips + 1, sizeof *needs.trips),
                          calloc((size_t)tape->nvisits + 1, sizeof *needs.visits)};
    const bool is_fine = needs.trips && needs.visits;
    for (uint32_t i = 0; is_fine && i < tape->nsteps; i++) {
        need_trip(tape, &needs, tape->steps[i].trip);
        if (tape->steps[i].kind == TAPE_GAP)
            need_visit(tape, &needs, tape_gap(tape, &tape->steps[i])->visit);
    }
    if (is_fine) {
        need_lanes(tape, &needs);
        needs.visits[0] = 0;
        number_needs(needs.trips, tape->ntrips);
        number_needs(needs.visits, tape->nvisits);
        move_trips(tape, &needs);
        rename_steps(tape, &needs);
    }
    free(needs.trips);
    free(needs.visits);
    return is_fine;
}

/* ------------------------------------------------------------------------------------------- the whole */

static bool begin(struct fold *fold, struct tape *tape)
{
    const size_t words = tape->shared_bytes / 4 + 1;
    *fold = (struct fold){.tape = tape,
                          .gaps = calloc(tape->nwarps, sizeof *fold->gaps),
                          .writer = calloc(words, sizeof *fold->writer),
                          .value = calloc(words, sizeof *fold->value),
                          .touched = calloc(words, sizeof *fold->touched),
                          .taken = calloc(tape->nwarps, sizeof *fold->taken),
                          .made = {.steps = tape->spare_steps,
                                   .steps_capacity = tape->spare_steps_capacity,
                                   .words = tape->spare_words,
                                   .words_capacity = tape->spare_words_capacity}};
    tape->spare_steps = NULL;
    tape->spare_words = NULL;
    return fold->gaps && fold->writer && fold->value && fold->touched && fold->taken;
}

static void end(struct fold *fold)
{
    fold->tape->spare_steps = fold->made.steps;
    fold->tape->spare_steps_capacity = fold->made.steps_capacity;
    fold->tape->spare_words = fold->made.words;
    fold->tape->spare_words_capacity = fold->made.words_capacity;
    for (uint32_t w = 0; fold->gaps && w < fold->tape->nwarps; w++) {
        free(fold->gaps[w].defs);
        free(fold->gaps[w].preds);
    }
    free(fold->gaps);
    free(fold->writer);
    free(fold->value);
    free(fold->touched);
    free(fold->taken);
}

/* Without memory the tape stays as it is, and ends. most: NULL, or steps of each warp that stay at most. */
static void fold_tape(struct tape *tape, const uint32_t *most)
{
    struct fold fold;
    fold.has_failed = !begin(&fold, tape);
    if (!fold.has_failed)
        visit_steps(&fold, most);
    if (!fold.has_failed) {
        const struct tape old = *tape;
        tape->steps = fold.made.steps;
        tape->nsteps = fold.made.nsteps;
        tape->steps_capacity = fold.made.steps_capacity;
        tape->words = fold.made.words;
        tape->nwords = fold.made.nwords;
        tape->words_capacity = fold.made.words_capacity;
        fold.made = old;
        fold.has_failed = !forget_trips(tape);
        tape->nfolds++;
    }
    tape->is_over |= fold.has_failed;
    end(&fold);
}

/* Rounds that are neither among the first nor among the last of their lanes. */
static bool drop_trips(struct tape *tape)
{
    const struct tape_level level = levels[tape->level];
    uint32_t *ahead = calloc((size_t)tape->ntrips + 1, sizeof *ahead);
    for (uint32_t i = tape->ntrips; ahead && i-- > 1;) {
        struct tape_trip *trip = &tape->trips[i];
        const uint32_t own = trip->is_far ? FURTHEST + 1 : ahead[i];
        if (own + 1 > ahead[trip->before])
            ahead[trip->before] = own + 1;
        if (trip->number > level.first && own >= level.last && !trip->is_pinned)
            trip->is_dropped = true;
    }
    free(ahead);
    return ahead != NULL;
}

bool tape_tighten(struct tape *tape)
{
    if (tape->level + 1 >= LEVELS)
        return false;
    tape->level++;
    if (!drop_trips(tape))
        return false;
    fold_tape(tape, NULL);
    return true;
}

void tape_shorten(struct tape *tape, const uint32_t *most)
{
    fold_tape(tape, most);
}

static bool is_below(const struct tape *tape, uint32_t eighths)
{
    return tape->nsteps <= TAPE_STEPS / 8 * eighths && tape->nwords <= TAPE_WORDS / 8 * eighths &&
           tape->ntrips <= TAPE_TRIPS / 8 * eighths;
}

/* Who has more than an equal part of half the tape gets no more. */
static void close_shares(struct tape *tape)
{
    uint32_t *taken = calloc(tape->nwarps, sizeof *taken), *words = calloc(tape->nwarps, sizeof *words);
    for (uint32_t i = 0; taken && words && i < tape->nsteps; i++) {
        const uint32_t next = i + 1 < tape->nsteps ? tape->steps[i + 1].first : tape->nwords;
        taken[tape->steps[i].warp]++;
        words[tape->steps[i].warp] += next - tape->steps[i].first;
    }
    for (uint32_t w = 0; taken && words && w < tape->nwarps; w++)
        tape->is_full[w] |=
            taken[w] > TAPE_STEPS / 2 / tape->nwarps || words[w] > TAPE_WORDS / 2 / tape->nwarps;
    free(taken);
    free(words);
}

void tape_make_room(struct tape *tape)
{
    fold_tape(tape, NULL);
    while (!tape->is_over && !is_below(tape, 4))
        if (!tape_tighten(tape)) {
            close_shares(tape);
            tape->is_over |= !is_below(tape, 7);
            return;
        }
}
