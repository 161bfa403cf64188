/* code.c - see code.h. */
#include "profile/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "core/loops.h"
#include "core/record.h"
#include "profile/found.h"
#include "profile/listing.h"
#include "profile/notes.h"
#include "report/names.h"
#include "report/report.h"

size_t code_file(struct code_files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->names[i], name))
            return i;
    const char **grown = list_reserve(files->names, &files->capacity, files->count + 1, sizeof *grown);
    if (!grown)
        return 0;
    files->names = grown;
    grown[files->count++] = name;
    return files->count - 1;
}

/* ------------------------------------------------------------------------------------------- instructions */

struct code {
    struct json *json;
    struct code_files *files;
    const struct profile *profile;
    uint32_t *numbers; /* by insn->id: its number, from 1 */
    uint32_t count;
    const struct function *function; /* of the last one */
    char *kinds;                     /* of its registers; NULL: no memory */
    struct notes *notes;             /* about its registers; NULL: no memory */
    struct code_loop *loops;         /* that were gone through */
    uint32_t nloops;
    size_t loops_capacity;
};

struct code_loop {
    const struct function *function;
    uint32_t loop; /* in function->loops, from 1 */
};

/* The number of a loop in the list, from 1; 0: it is not there. */
static uint32_t number_of_loop(const struct code *code, const struct function *function, uint32_t loop)
{
    for (uint32_t i = 0; i < code->nloops; i++)
        if (code->loops[i].function == function && code->loops[i].loop == loop)
            return i + 1;
    return 0;
}

/* With those around it. Without memory it is not there. */
static void add_loop(struct code *code, const struct function *function, uint32_t loop)
{
    for (; loop && !number_of_loop(code, function, loop); loop = function->loops->list[loop - 1].outer) {
        struct code_loop *grown =
            list_reserve(code->loops, &code->loops_capacity, code->nloops + 1, sizeof *grown);
        if (!grown)
            return;
        code->loops = grown;
        grown[code->nloops++] = (struct code_loop){function, loop};
    }
}

static void put_destinations(struct json *json, const struct code *code, const struct function *function,
                             const struct insn *insn)
{
    char alias[120], kind[MAX_OPERANDS + 1] = "";
    uint32_t count = 0;
    json_list(json, "to");
    for (uint32_t i = 0; i < insn->ndefs && i < MAX_OPERANDS; i++) {
        const int32_t reg = insn->o[i] & (SLOT_CONSTANT | SLOT_PRED) ? -1 : listing_register(insn, i);
        json_text(json, NULL, reg < 0 ? "" : function->ptx->regs[reg].name);
        kind[count++] = (char)(reg < 0 || !code->kinds ? 'x' : code->kinds[reg]);
    }
    json_end_list(json);
    kind[count] = '\0';
    json_text(json, "kinds", kind);
    json_count(json, "bits", 8u * insn->dsize);
    notes_alias(code->notes, insn, alias, sizeof alias);
    if (*alias)
        json_text(json, "alias", alias);
}

/* What is known of the registers that an instruction writes, in the order of "to"; left out where nothing is. */
static void put_notes(struct json *json, const struct code *code, const struct insn *insn)
{
    char text[300];
    bool is_any = false;
    for (uint32_t i = 0; i < insn->ndefs && i < MAX_OPERANDS; i++) {
        notes_text(code->notes, insn, i, text, sizeof text);
        is_any |= *text;
    }
    if (!is_any)
        return;
    json_list(json, "notes");
    for (uint32_t i = 0; i < insn->ndefs && i < MAX_OPERANDS; i++) {
        notes_text(code->notes, insn, i, text, sizeof text);
        json_text(json, NULL, text);
    }
    json_end_list(json);
}

/* Kinds of registers are found once for each function. */
static void put_insn(const struct found *found, void *context)
{
    struct code *code = context;
    const struct insn *insn = found->insn;
    const double *parts = found_spent(code->profile->estimate, insn->id);
    struct json *json = code->json;
    const struct loops *loops = found->function->loops;
    const uint32_t innermost = loops ? loops->innermost[insn - found->function->code] : 0;
    char text[300];
    double spent = 0;
    if (!insn->source)
        return;
    if (code->function != found->function) {
        free(code->kinds);
        notes_free(code->notes);
        code->kinds = listing_kinds(found->function);
        code->notes = notes_make(found->launch, found->function);
        code->function = found->function;
    }
    for (int on = 0; on < VGPU_SPENTS; on++)
        spent += parts[on];
    listing_text(found->function, insn, text, sizeof text);
    code->numbers[insn->id] = ++code->count;
    json_line(json);
    json_object(json, NULL);
    json_count(json, "file", code_file(code->files, found->file));
    json_count(json, "line", found->loc->line);
    json_text(json, "text", text);
    json_count(json, "warps", found->stat->warps);
    json_fixed(json, "lanes", (double)LANES - (double)found->stat->idle / (double)found->stat->warps, 2);
    json_fixed(json, "spent", spent, 5);
    if (found->function != found->launch->kernel) /* whose registers are others */
        json_count(json, "function", found->function->index + 1);
    if (insn->flow == FLOW_BARRIER)
        json_bool(json, "is_barrier", true);
    add_loop(code, found->function, innermost);
    if (innermost)
        json_count(json, "loop", number_of_loop(code, found->function, innermost));
    put_destinations(json, code, found->function, insn);
    put_notes(json, code, insn);
    json_end_object(json);
}

/* Of each loop the one around it, and where it is in the program: the file, and the line of the branch back. */
static void put_loops(const struct code *code)
{
    const struct ptx_module *ptx = code->profile->launch->kernel->module->ptx;
    json_list(code->json, "loops");
    for (uint32_t i = 0; i < code->nloops; i++) {
        const struct function *function = code->loops[i].function;
        const struct loop *loop = &function->loops->list[code->loops[i].loop - 1];
        const uint32_t own = own_loc(ptx, function->code[loop->back].loc);
        const struct ptx_loc *loc = own && own < ptx->nlocs ? &ptx->locs[own] : NULL;
        json_list(code->json, NULL);
        json_count(code->json, NULL, number_of_loop(code, function, loop->outer));
        json_count(code->json, NULL,
                   loc && loc->file < ptx->nfiles ? code_file(code->files, ptx->files[loc->file]) : 0);
        json_count(code->json, NULL, loc ? loc->line : 0);
        json_end_list(code->json);
    }
    json_end_list(code->json);
}

/* ------------------------------------------------------------------------------------------- values */

static uint64_t lane_value(const uint32_t *words, uint32_t nwords, int lane)
{
    return nwords == 2 ? words[2 * lane] | (uint64_t)words[2 * lane + 1] << 32 : words[lane];
}

/* In hexadecimal; gives its end. There are hundred thousands of them, and printf() takes its time. */
static char *write_hex(char *out, uint64_t value)
{
    const int digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;
    for (int i = digits - 1; i >= 0; i--, value >>= 4)
        out[i] = "0123456789abcdef"[value & 15];
    return out + digits;
}

enum { LANES_TEXT = LANES * 17 + 1 }; /* each has 16 digits and a comma */

/* What the lanes of a mask hold, in hexadecimal: "2a" for all of them; "10+4" where each has so much more than the lane before
 * (first that of lane 0); else one after another, with commas between. */
static void write_lanes(char out[LANES_TEXT], const uint32_t *words, uint32_t nwords, uint32_t mask)
{
    const uint64_t whole = nwords == 2 ? UINT64_MAX : UINT32_MAX;
    const int first = __builtin_ctz(mask),
              second = mask & (mask - 1) ? __builtin_ctz(mask & (mask - 1)) : first;
    const uint64_t start = lane_value(words, nwords, first);
    const int64_t apart = second > first ? second - first : 1;
    const uint64_t grown = lane_value(words, nwords, second) - start;
    const int64_t signed_step = nwords == 2 ? (int64_t)grown : (int32_t)(uint32_t)grown;
    const uint64_t step =
        (uint64_t)(signed_step / apart); /* as the machine adds: without signs, around the end */
    bool is_even = signed_step % apart == 0;
    for (uint32_t rest = mask; is_even && rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        is_even = lane_value(words, nwords, lane) == ((start + step * (uint64_t)(lane - first)) & whole);
    }
    if (is_even && !step) {
        out = write_hex(out, start);
    } else if (is_even) {
        out = write_hex(out, (start - step * (uint64_t)first) & whole);
        *out++ = signed_step < 0 ? '-' : '+';
        out = write_hex(out, signed_step < 0 ? 0 - step : step);
    } else {
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            out = write_hex(out, lane_value(words, nwords, __builtin_ctz(rest)));
            *out++ = ',';
        }
        out--; /* none behind the last */
    }
    *out = '\0';
}

static void put_lanes(struct json *json, const uint32_t *words, uint32_t nwords, uint32_t mask)
{
    char text[LANES_TEXT];
    write_lanes(text, words, nwords, mask);
    json_text(json, NULL, text);
}

/* ------------------------------------------------------------------------------------------- the tape */

static void put_pairs(struct json *json, const uint32_t *pairs, uint32_t count)
{
    json_list(json, NULL);
    for (uint32_t i = 0; i < 2 * count; i++)
        json_count(json, NULL, pairs[i]);
    json_end_list(json);
}

/* [warp, instruction, active lanes, lanes that it is for, slots, their values, predicates, shared memory, addresses]; what is
 * empty at the end is left out. */
static void put_step(const struct code *code, const struct tape *tape, const struct tape_step *step)
{
    struct json *json = code->json;
    json_list(json, NULL);
    json_count(json, NULL, step->warp);
    json_count(json, NULL, code->numbers[step->insn->id] - 1);
    json_count(json, NULL, step->active);
    json_count(json, NULL, step->mask);
    if (step->ndefs || step->npreds || step->nshared || step->has_addresses) {
        json_list(json, NULL);
        for (uint32_t i = 0; i < step->ndefs; i++)
            json_count(json, NULL, *tape_def(tape, step, i));
        json_end_list(json);
        json_list(json, NULL);
        for (uint32_t i = 0; i < step->ndefs; i++)
            put_lanes(json, tape_def(tape, step, i) + 1, step->def_words, step->mask);
        json_end_list(json);
    }
    if (step->npreds || step->nshared || step->has_addresses)
        put_pairs(json, tape_preds(tape, step), step->npreds);
    if (step->nshared || step->has_addresses)
        put_pairs(json, tape_shared(tape, step), step->nshared);
    if (step->has_addresses && step->mask)
        put_lanes(json, tape_addresses(tape, step), 2, step->mask);
    json_end_list(json);
}

static bool is_listed(const struct code *code, const struct tape_step *step)
{
    return step->insn->id && step->insn->id < code->profile->launch->nstats && code->numbers[step->insn->id];
}

static void put_shared_arrays(struct json *json, const struct function *kernel)
{
    char name[120];
    json_list(json, "arrays");
    for (uint32_t i = 0; i < kernel->nshared_arrays; i++) {
        name_short(kernel->shared_arrays[i].var->name, name, sizeof name);
        json_object(json, NULL);
        json_text(json, "name", name);
        json_count(json, "at", kernel->shared_arrays[i].offset);
        json_count(json, "bytes", kernel->shared_arrays[i].var->size);
        json_end_object(json);
    }
    json_end_list(json);
}

/* {what was left out; registers as [instruction, its destination, slot, lanes, values]; predicates as [function, number, lanes]} */
static void put_gap(const struct code *code, const struct tape *tape, const struct tape_step *step)
{
    struct json *json = code->json;
    const struct tape_gap *gap = tape_gap(tape, step);
    json_list(json, NULL);
    json_count(json, NULL, step->warp);
    json_number(json, NULL, -1);
    json_count(json, NULL, step->active);
    json_count(json, NULL, 0);
    json_object(json, NULL);
    json_count(json, "steps", gap->nsteps);
    json_count(json, "barriers", gap->nbarriers);
    json_count(json, "visit", gap->visit);
    json_count(json, "from", gap->from);
    json_count(json, "to", gap->to);
    json_number(json, "last", (double)code->numbers[step->insn->id] - 1);
    json_list(json, "registers");
    for (uint32_t i = 0; i < step->ndefs; i++) {
        const struct tape_gap_def *def = &tape_gap_defs(tape, step)[i];
        if (!code->numbers[def->insn_id] || !def->mask)
            continue;
        json_list(json, NULL);
        json_count(json, NULL, code->numbers[def->insn_id] - 1);
        json_count(json, NULL, def->def);
        json_count(json, NULL, def->offset);
        json_count(json, NULL, def->mask);
        put_lanes(json, def->lanes, def->nwords, def->mask);
        json_end_list(json);
    }
    json_end_list(json);
    json_list(json, "preds");
    for (uint32_t i = 0; i < step->npreds; i++) {
        const struct tape_gap_pred *pred = &tape_gap_preds(tape, step)[i];
        json_list(json, NULL);
        json_count(json, NULL,
                   pred->function == code->profile->launch->kernel->index ? 0 : pred->function + 1);
        json_count(json, NULL, pred->number);
        json_count(json, NULL, pred->lanes);
        json_end_list(json);
    }
    json_end_list(json);
    json_end_object(json);
    json_end_list(json);
}

/* A step that can be gone to. */
static bool is_shown(const struct code *code, const struct tape_step *step)
{
    return step->kind != TAPE_QUIET && is_listed(code, step);
}

static void put_steps(const struct code *code, const struct tape *tape)
{
    json_list(code->json, "steps");
    for (uint32_t i = 0; i < tape->nsteps; i++) {
        if (!is_shown(code, &tape->steps[i]))
            continue;
        json_line(code->json);
        if (tape->steps[i].kind == TAPE_GAP)
            put_gap(code, tape, &tape->steps[i]);
        else
            put_step(code, tape, &tape->steps[i]);
    }
    json_end_list(code->json);
}

/* Shared memory that steps which were left out have written: [steps before it, warp, words]. */
static void put_quiet(const struct code *code, const struct tape *tape)
{
    uint32_t shown = 0;
    json_list(code->json, "quiet");
    for (uint32_t i = 0; i < tape->nsteps; i++) {
        const struct tape_step *step = &tape->steps[i];
        shown += is_shown(code, step);
        if (step->kind != TAPE_QUIET)
            continue;
        json_list(code->json, NULL);
        json_count(code->json, NULL, shown);
        json_count(code->json, NULL, step->warp);
        put_pairs(code->json, tape_shared(tape, step), step->nshared);
        json_end_list(code->json);
    }
    json_end_list(code->json);
}

/* True if a warp is still in it where the tape ends. */
static bool is_open(const struct tape *tape, uint32_t visit)
{
    const uint32_t warp = tape->visits[visit].warp;
    for (uint32_t lane = 0; tape->is_cut[warp] && lane < LANES; lane++)
        for (uint32_t trip = tape->trip_of[warp * LANES + lane]; trip;
             trip = tape->visits[tape->trips[trip].visit].outer)
            if (tape->trips[trip].visit == visit)
                return true;
    return false;
}

/* Rounds of loops. visits: [loop, the round of another loop around it, rounds, there may be more]; trips: [visit, number, it is only
 * the test that ends the loop]; in: of each step its round. All are numbered from 1; 0: none. */
static void put_trips(const struct code *code, const struct tape *tape)
{
    struct json *json = code->json;
    json_list(json, "visits");
    for (uint32_t i = 1; i < tape->nvisits; i++) {
        const struct tape_visit *visit = &tape->visits[i];
        json_list(json, NULL);
        json_count(json, NULL, number_of_loop(code, visit->function, visit->loop));
        json_count(json, NULL, visit->outer);
        json_count(json, NULL, visit->trips);
        json_count(json, NULL, is_open(tape, i));
        json_end_list(json);
    }
    json_end_list(json);
    json_list(json, "trips");
    for (uint32_t i = 1; i < tape->ntrips; i++) {
        json_list(json, NULL);
        json_count(json, NULL, tape->trips[i].visit);
        json_count(json, NULL, tape->trips[i].number);
        json_count(json, NULL, !tape->trips[i].has_body);
        json_end_list(json);
    }
    json_end_list(json);
    json_list(json, "in");
    for (uint32_t i = 0; i < tape->nsteps; i++)
        if (is_shown(code, &tape->steps[i]))
            json_count(json, NULL, tape->steps[i].trip);
    json_end_list(json);
}

static void put_all_steps(const struct code *code, const struct tape *tape)
{
    put_trips(code, tape);
    put_quiet(code, tape);
    put_steps(code, tape);
}

/* To be freed; NULL: no memory. */
static char *text_of_steps(const struct code *code, const struct tape *tape, size_t *bytes)
{
    char *text = NULL;
    struct json json = {.file = open_memstream(&text, bytes)};
    struct code copy = *code;
    *bytes = 0;
    if (!json.file)
        return NULL;
    copy.json = &json;
    put_all_steps(&copy, tape);
    fclose(json.file);
    return text;
}

/* By warp: its steps. NULL: no memory. */
static uint32_t *steps_of_warps(const struct tape *tape)
{
    uint32_t *taken = calloc(tape->nwarps + 1, sizeof *taken);
    for (uint32_t i = 0; taken && i < tape->nsteps; i++)
        taken[tape->steps[i].warp] += tape->steps[i].kind == TAPE_STEP;
    return taken;
}

/* The warp in which something was found wrong comes first, then they come in order. */
static uint32_t nth_warp(const struct tape *tape, uint32_t n)
{
    const uint32_t first = tape->nmarks ? tape->marks[0].thread / LANES % tape->nwarps : 0;
    return n == 0 ? first : n <= first ? n - 1 : n;
}

/* Whole warps, as many as there is room for; of the others the begin. One that is too long even so is cut. */
static void shorten(struct tape *tape, uint32_t room)
{
    enum { BEGIN = 24 };
    uint32_t *steps = steps_of_warps(tape), left = room;
    for (uint32_t n = 0; steps && n < tape->nwarps; n++) {
        uint32_t *own = &steps[nth_warp(tape, n)];
        const uint32_t others = (tape->nwarps - n - 1) * BEGIN,
                       free_for_it = left > others ? left - others : 0;
        if (*own > free_for_it)
            *own = n == 0 ? (free_for_it > BEGIN ? free_for_it : BEGIN) : BEGIN;
        left -= *own < left ? *own : left;
    }
    if (steps)
        tape_shorten(tape, steps);
    free(steps);
}

/* A page has room for so much: rounds of loops are left out first. Returns the steps as they will stand there, to be freed. */
static char *fit_tape(const struct code *code, struct tape *tape)
{
    enum { ROOM = 500000, LEAST = 30 /* bytes of a step */ };
    size_t bytes;
    while (tape->nsteps > ROOM / LEAST && tape_tighten(tape))
        ;
    char *text = text_of_steps(code, tape, &bytes);
    while (bytes > ROOM && tape_tighten(tape)) {
        free(text);
        text = text_of_steps(code, tape, &bytes);
    }
    for (double part = 0.95; bytes > ROOM && part > 0.1; part *= 0.8) {
        shorten(tape, (uint32_t)(part * tape->nsteps * ROOM / (double)bytes));
        free(text);
        text = text_of_steps(code, tape, &bytes);
    }
    return text;
}

/* The last that is shown of those up to this one, from 1. */
static uint32_t shown_step(const struct code *code, const struct tape *tape, uint32_t serial)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < tape->nsteps; i++)
        shown += is_shown(code, &tape->steps[i]) && tape->steps[i].serial <= serial;
    return shown;
}

static void put_marks(const struct code *code, const struct launch *launch, const struct tape *tape)
{
    struct json *json = code->json;
    const struct ptx_module *ptx = launch->kernel->module->ptx;
    char place[200];
    json_list(json, "marks");
    for (uint32_t i = 0; i < tape->nmarks; i++) {
        const struct tape_mark *mark = &tape->marks[i];
        json_object(json, NULL);
        json_count(json, "step", shown_step(code, tape, mark->serial));
        json_text(json, "kind", report_name(mark->kind));
        name_of_loc(ptx, mark->loc, place, sizeof place);
        json_text(json, "place", place);
        *place = '\0';
        if (mark->other_loc)
            name_of_loc(ptx, mark->other_loc, place, sizeof place);
        json_text(json, "other_place", place);
        json_count(json, "thread", mark->thread);
        json_text(json, "what", mark->what);
        json_end_object(json);
    }
    json_end_list(json);
}

/* The block in which something was found; else the first. NULL: there is none. */
static struct tape *tape_of(const struct launch *launch)
{
    struct tape *first = NULL;
    for (uint32_t b = 0; launch->records && b < RECORD_BLOCKS; b++) {
        struct tape *tape = launch->records[b] ? launch->records[b]->tape : NULL;
        if (tape && tape->nmarks)
            return tape;
        first = first ? first : tape;
    }
    return first;
}

bool code_has_marks(const struct launch *launch)
{
    const struct tape *tape = tape_of(launch);
    return tape && tape->nmarks;
}

static void put_tape(const struct code *code, struct tape *tape)
{
    struct json *json = code->json;
    char *steps = fit_tape(code, tape);
    const struct tape_level level = tape_level(tape);
    json_object(json, "tape");
    json_count(json, "block", tape->block);
    json_count(json, "warps", tape->nwarps);
    json_count(json, "shared_bytes", tape->shared_bytes);
    if (tape->level) { /* of each loop that has more rounds these are shown */
        json_list(json, "ends");
        json_count(json, NULL, level.first);
        json_count(json, NULL, level.last);
        json_end_list(json);
    }
    put_shared_arrays(json, code->profile->launch->kernel);
    put_marks(code, code->profile->launch, tape);
    json_list(json, "cut"); /* of each warp: it goes on where the tape ends */
    for (uint32_t w = 0; w < tape->nwarps; w++)
        json_count(json, NULL, tape->is_cut[w]);
    json_end_list(json);
    if (steps)
        json_raw(json, NULL, steps);
    json_end_object(json);
    free(steps);
}

void code_put(struct json *json, struct code_files *files, const struct profile *profile)
{
    const struct launch *launch = profile->launch;
    struct code code = {.json = json,
                        .files = files,
                        .profile = profile,
                        .numbers = calloc(launch->nstats + 1, sizeof *code.numbers)};
    if (!code.numbers)
        return;
    json_list(json, "code");
    found_each(launch, put_insn, &code);
    json_end_list(json);
    if (tape_of(launch))
        put_tape(&code, tape_of(launch));
    put_loops(&code);
    free(code.loops);
    free(code.kinds);
    notes_free(code.notes);
    free(code.numbers);
}
