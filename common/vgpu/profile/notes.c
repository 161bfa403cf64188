/* notes.c - see notes.h. Each note says what is true of a register whichever of its values is looked at: which array it is an address
 * of, where it is stored to, which loop ends by comparing it. What two instructions contradict each other about is not said. */
#include "profile/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/loops.h"
#include "decode/provenance.h"
#include "profile/listing.h"
#include "report/names.h"

enum { NAME = 64 };

struct note {
    uint32_t ndefs;                    /* instructions that write it */
    char alias[NAME];                  /* if there is one such, and what it writes has a name */
    char address[NAME], stored[NAME];  /* arrays */
    uint32_t stored_line, counts_line; /* 0: unknown, or not one */
    bool has_addresses, has_stores;    /* of several arrays, or of unknown ones: nothing is said */
};

struct notes {
    const struct launch *launch;
    const struct function *function;
    struct note *list; /* by number in function->ptx->regs */
};

static struct note *note_of(const struct notes *notes, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OP_REG && operand->reg < notes->function->ptx->nregs
               ? &notes->list[operand->reg]
               : NULL;
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static uint32_t line_of(const struct notes *notes, uint32_t loc)
{
    const struct ptx_module *ptx = notes->function->module->ptx;
    const uint32_t own = own_loc(ptx, loc);
    return own && own < ptx->nlocs ? ptx->locs[own].line : 0;
}

/* ------------------------------------------------------------------------------------------- arrays */

static bool is_access(const struct ptx_insn *insn)
{
    return (begins(insn->name, "ld.") && !begins(insn->name, "ld.param")) ||
           (begins(insn->name, "st.") && !begins(insn->name, "st.param")) || begins(insn->name, "atom.") ||
           begins(insn->name, "red.");
}

/* The array that an access means; "": unknown. */
static void name_array(const struct notes *notes, const struct ptx_insn *insn, char *out)
{
    const struct function *function = notes->function;
    const struct ptx_var *var = provenance_variable(function, insn);
    const int number = !var && function == notes->launch->kernel ? provenance_parameter(function, insn) : -1;
    char kernel[200];
    *out = '\0';
    if (var)
        name_short(var->name, out, NAME);
    if (number < 0)
        return;
    name_of_function(notes->launch->kernel_name, kernel, sizeof kernel);
    if (!source_parameter(source_file_of(notes->launch->kernel), kernel, (unsigned)number, out, NAME))
        *out = '\0';
}

/* A second name, or none, takes the first one away. */
static void set_name(char *to, bool *has_some, const char *name)
{
    if (!*has_some)
        snprintf(to, NAME, "%s", name);
    else if (strcmp(to, name) != 0)
        *to = '\0';
    *has_some = true;
}

static void note_stored(struct notes *notes, const struct ptx_operand *value, const char *array,
                        uint32_t line)
{
    struct note *note = note_of(notes, value);
    for (uint32_t i = 0; value->kind == PTX_OP_LIST && i < value->count; i++)
        note_stored(notes, &value->list[i], array, line);
    if (!note)
        return;
    note->stored_line = note->has_stores && note->stored_line != line ? 0 : line;
    set_name(note->stored, &note->has_stores, array);
}

static void note_access(struct notes *notes, const struct ptx_insn *insn)
{
    char array[NAME];
    name_array(notes, insn, array);
    for (uint32_t i = 0; i < insn->noperands; i++) {
        const struct ptx_operand *operand = &insn->operands[i];
        struct note *note =
            operand->kind == PTX_OP_ADDRESS && operand->count ? note_of(notes, &operand->list[0]) : NULL;
        if (note)
            set_name(note->address, &note->has_addresses, array);
    }
    if (begins(insn->name, "st.") && insn->noperands > 1)
        note_stored(notes, &insn->operands[1], array, line_of(notes, insn->loc));
}

/* ------------------------------------------------------------------------------------------- definitions */

/* The first operand is what most instructions write; of those that write nothing it is no register. */
static void count_defs(struct notes *notes, const struct ptx_operand *to)
{
    struct note *note = note_of(notes, to);
    for (uint32_t i = 0; (to->kind == PTX_OP_LIST || to->kind == PTX_OP_PAIR) && i < to->count; i++)
        count_defs(notes, &to->list[i]);
    if (note)
        note->ndefs++;
}

/* A copy has its original's name, if neither is ever written again. */
static void name_copy(struct notes *notes, const struct ptx_insn *insn)
{
    if (insn->noperands != 2 || !(begins(insn->name, "mov.") || begins(insn->name, "cvta.to.")))
        return;
    struct note *to = note_of(notes, &insn->operands[0]);
    const struct note *from = note_of(notes, &insn->operands[1]);
    if (to && from && to->ndefs == 1 && from->ndefs == 1 && !insn->operands[1].is_negated)
        memcpy(to->alias, from->alias, sizeof to->alias);
}

static void name_definitions(struct notes *notes)
{
    const struct function *function = notes->function;
    for (uint32_t i = 0; i < function->ncode; i++) {
        const struct ptx_insn *source = function->code[i].source;
        struct note *note = source && source->noperands ? note_of(notes, &source->operands[0]) : NULL;
        if (note && note->ndefs == 1 && function->code[i].id)
            listing_alias(notes->launch, function, &function->code[i], note->alias, sizeof note->alias);
        if (source && function->code[i].id)
            name_copy(notes, source);
    }
}

/* ------------------------------------------------------------------------------------------- loops */

static bool is_in_loop(const struct loops *loops, uint32_t code, uint32_t loop)
{
    uint32_t inner = loops->innermost[code];
    while (inner && inner != loop)
        inner = loops->list[inner - 1].outer;
    return inner != 0;
}

static bool is_register(const struct ptx_operand *operand, uint32_t reg)
{
    return operand->kind == PTX_OP_REG && operand->reg == reg;
}

/* The only instruction of a loop that writes the register; NULL: there is none, or more than one. */
static const struct ptx_insn *only_writer(const struct function *function, uint32_t loop, uint32_t reg)
{
    const struct ptx_insn *found = NULL;
    for (uint32_t i = 0; i < function->ncode; i++) {
        const struct ptx_insn *source = function->code[i].source;
        if (!source || !function->code[i].id || !source->noperands ||
            !is_register(&source->operands[0], reg) || !is_in_loop(function->loops, i, loop))
            continue;
        if (found)
            return NULL;
        found = source;
    }
    return found;
}

/* It moves by a literal in each round, from its own value or from one that it is copied to at the end of a round. */
static bool is_counter(const struct function *function, uint32_t loop, uint32_t reg, uint32_t *copy)
{
    const struct ptx_insn *writer = only_writer(function, loop, reg);
    if (!writer || writer->guard >= 0 || writer->noperands != 3 ||
        !(begins(writer->name, "add.") || begins(writer->name, "sub.")) ||
        writer->operands[2].kind != PTX_OP_INT || writer->operands[1].kind != PTX_OP_REG)
        return false;
    *copy = writer->operands[1].reg;
    if (*copy == reg)
        return true;
    const struct ptx_insn *back = only_writer(function, loop, *copy);
    return back && back->guard < 0 && back->noperands == 2 && begins(back->name, "mov.") &&
           is_register(&back->operands[1], reg);
}

static void note_counter(struct notes *notes, uint32_t number)
{
    const struct function *function = notes->function;
    const struct insn *back = &function->code[function->loops->list[number - 1].back];
    const struct ptx_insn *test = back->source && back->flow == FLOW_BRANCH && back->source->guard >= 0
                                      ? only_writer(function, number, (uint32_t)back->source->guard)
                                      : NULL;
    if (!test || !begins(test->name, "setp."))
        return;
    for (uint32_t i = 1; i < test->noperands; i++) {
        uint32_t copy;
        struct note *note = note_of(notes, &test->operands[i]);
        if (!note || !is_counter(function, number, test->operands[i].reg, &copy))
            continue;
        note->counts_line = notes->list[copy].counts_line = line_of(notes, back->loc);
    }
}

/* ------------------------------------------------------------------------------------------- the whole */

struct notes *notes_make(const struct launch *launch, const struct function *function)
{
    struct notes *notes = calloc(1, sizeof *notes);
    if (!notes)
        return NULL;
    *notes = (struct notes){launch, function, calloc(function->ptx->nregs + 1, sizeof *notes->list)};
    if (!notes->list) {
        free(notes);
        return NULL;
    }
    for (size_t i = 0; i < function->ptx->ninsns; i++) {
        const struct ptx_insn *insn = &function->ptx->insns[i];
        if (insn->noperands)
            count_defs(notes, &insn->operands[0]);
        if (is_access(insn))
            note_access(notes, insn);
    }
    name_definitions(notes);
    for (uint32_t i = 0; function->loops && i < function->loops->count; i++)
        note_counter(notes, i + 1);
    return notes;
}

void notes_free(struct notes *notes)
{
    if (notes)
        free(notes->list);
    free(notes);
}

static const struct note *destination(const struct notes *notes, const struct insn *insn, uint32_t i)
{
    const int32_t reg = notes && insn->source ? listing_register(insn, i) : -1;
    return reg < 0 || (size_t)reg >= notes->function->ptx->nregs ? NULL : &notes->list[reg];
}

void notes_alias(const struct notes *notes, const struct insn *insn, char *out, size_t size)
{
    const struct note *note = destination(notes, insn, 0);
    *out = '\0';
    if (note && *note->alias)
        snprintf(out, size, "%s", note->alias);
    else if (notes)
        listing_alias(notes->launch, notes->function, insn, out, size);
}

static void add(char *out, size_t size, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used ? "; " : "", text);
}

void notes_text(const struct notes *notes, const struct insn *insn, uint32_t i, char *out, size_t size)
{
    const struct note *note = destination(notes, insn, i);
    char array[NAME] = "", text[2 * NAME];
    *out = '\0';
    if (!note)
        return;
    if (is_access(insn->source) && !begins(insn->source->name, "st."))
        name_array(notes, insn->source, array);
    if (*array) {
        snprintf(text, sizeof text, "from %s[...]", array);
        add(out, size, text);
    }
    if (*note->address) {
        snprintf(text, sizeof text, "address in %s", note->address);
        add(out, size, text);
    }
    if (note->counts_line) {
        snprintf(text, sizeof text, "counter of the loop of line %u", note->counts_line);
        add(out, size, text);
    }
    if (*note->stored && note->stored_line) {
        snprintf(text, sizeof text, "line %u stores this register to %s[...]", note->stored_line,
                 note->stored);
        add(out, size, text);
    }
}
