/* body.c - function bodies: instructions, labels, nested scopes.
 * A name that no declaration explains waits in a fixup: when its scope ends it becomes a label of that scope,
 * or waits for the scope around it; at the end of the function it is a symbol. Opcodes are not interpreted. */
#include "ptx/reader.h"

#include <string.h>

static void open_scope(struct reader *reader)
{
    if (reader->nscopes == MAX_SCOPES) {
        fail_at(reader, &reader->token, "more than %d nested scopes", MAX_SCOPES);
        return;
    }
    reader->scopes[reader->nscopes++] =
        (struct scope){.first_name = reader->names.count, .first_fixup = (uint32_t)reader->fixups.count};
}

static bool apply_fixup(struct reader *reader, const struct fixup *fixup)
{
    struct name *name = names_find(&reader->names, fixup->text, fixup->size, fixup->hash, false);
    if (!name || name->kind != NAME_LABEL || name->scope != current_scope(reader))
        return false;
    if (fixup->target) {
        *fixup->target = name->index;
    } else {
        fixup->operand->kind = PTX_OP_LABEL;
        fixup->operand->label = name->index;
    }
    return true;
}

static void close_scope(struct reader *reader)
{
    const struct scope *scope = &reader->scopes[reader->nscopes - 1];
    struct fixup *fixups = reader->fixups.items;
    size_t kept = scope->first_fixup;
    for (size_t i = kept; i < reader->fixups.count; i++)
        if (!apply_fixup(reader, &fixups[i]))
            fixups[kept++] = fixups[i];
    reader->fixups.count = kept;
    names_drop(&reader->names, scope->first_name);
    reader->nscopes--;
}

static void add_fixup(struct reader *reader, const struct token *token, struct ptx_operand *operand,
                      uint32_t *target)
{
    struct fixup *fixup = reader_push(reader, &reader->fixups, sizeof *fixup);
    if (fixup)
        *fixup = (struct fixup){.text = token->text,
                                .size = (uint32_t)token->size,
                                .hash = token->hash,
                                .line = token->line,
                                .column = token->column,
                                .operand = operand,
                                .target = target};
}

/* Operands are in their final place: symbols among them may yet be labels. An address never is. */
static void add_operand_fixups(struct reader *reader, struct ptx_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct ptx_operand *operand = &operands[i];
        if (operand->kind == PTX_OP_SYMBOL && !operand->offset && !operand->selector) {
            size_t size = strlen(operand->name);
            struct token token = {
                .text = operand->name, .size = size, .hash = hash_text(operand->name, size)};
            add_fixup(reader, &token, operand, NULL);
        } else if (operand->kind == PTX_OP_LIST || operand->kind == PTX_OP_PAIR) {
            add_operand_fixups(reader, operand->list, operand->count);
        }
    }
}

static void keep_operands(struct reader *reader, struct ptx_insn *insn)
{
    insn->noperands = (uint32_t)reader->operands.count;
    insn->operands = reader_keep(reader, &reader->operands, 0, sizeof *insn->operands);
    reader->operands.count = 0;
    if (insn->operands)
        add_operand_fixups(reader, insn->operands, insn->noperands);
}

static void read_operands(struct reader *reader, bool is_call)
{
    reader->operands.count = 0;
    if (is_punct(reader, ';'))
        return;
    do {
        struct ptx_operand operand = {0}, *slot;
        if (!read_operand(reader, &operand, is_call))
            return;
        slot = reader_push(reader, &reader->operands, sizeof *slot);
        if (!slot)
            return;
        *slot = operand;
    } while (accept_punct(reader, ','));
}

/* Blanks before a modifier ("add .s32") are legal and rare: the pieces are joined. */
static const char *join_opcode(struct reader *reader, const char *start)
{
    char text[512] = "";
    size_t size = strlen(start);
    if (size >= sizeof text) {
        fail_at(reader, &reader->token, "this opcode is longer than 511 characters");
        return start;
    }
    memcpy(text, start, size + 1);
    while (reader->token.kind == TOKEN_DIRECTIVE && size + reader->token.size < sizeof text) {
        memcpy(text + size, reader->token.text, reader->token.size);
        size += reader->token.size;
        reader_next(reader);
    }
    return reader_text(reader, text, size, hash_text(text, size));
}

/* The opcode is the current name and the dotted tail that touches it. */
static const char *read_opcode(struct reader *reader)
{
    struct token token = reader->token;
    size_t size = token.size + lex_tail(&reader->lexer);
    uint32_t hash = size == token.size ? token.hash : hash_text(token.text, size);
    const char *opcode = reader_text(reader, token.text, size, hash);
    reader_next(reader);
    return reader->token.kind == TOKEN_DIRECTIVE ? join_opcode(reader, opcode) : opcode;
}

static void read_instruction(struct reader *reader, int32_t guard, bool guard_negated)
{
    struct ptx_insn insn = {.guard = guard,
                            .guard_negated = guard_negated,
                            .loc = reader->loc,
                            .ptx_line = reader->token.line,
                            .is_rolled = reader->is_rolled};
    reader->is_rolled = false;
    insn.name = read_opcode(reader);
    bool is_call = !strncmp(insn.name, "call", 4) && (!insn.name[4] || insn.name[4] == '.');
    read_operands(reader, is_call);
    if (!is_punct(reader, ';'))
        fail_expected(reader, "',' or ';' after an operand");
    if (reader_failed(reader))
        return;
    reader_next(reader);
    keep_operands(reader, &insn);
    struct ptx_insn *slot = reader_push(reader, &reader->instructions, sizeof *slot);
    if (slot)
        *slot = insn;
}

/* @p or @!p; '@' is current. */
static void read_guarded(struct reader *reader)
{
    reader_next(reader);
    bool is_negated = accept_punct(reader, '!');
    struct token token = reader->token;
    uint32_t reg = 0;
    struct name *name = token.kind == TOKEN_NAME ? find_register(reader, &token, &reg) : NULL;
    struct ptx_reg *regs = reader->function_registers.items;
    if (reader_failed(reader))
        return;
    if (!name || (name->kind != NAME_REGISTER && name->kind != NAME_RANGE) || regs[reg].type != PTX_PRED) {
        fail_expected(reader, "a declared predicate register after @");
        return;
    }
    reader_next(reader);
    if (reader->token.kind != TOKEN_NAME) {
        fail_expected(reader, "an instruction after its guard");
        return;
    }
    read_instruction(reader, (int32_t)reg, is_negated);
}

static void read_branch_targets(struct reader *reader, struct ptx_label *label)
{
    struct list tokens = {0};
    do {
        struct token *token = reader_push(reader, &tokens, sizeof *token);
        if (token && reader->token.kind == TOKEN_NAME)
            *token = reader->token;
        else
            fail_expected(reader, "a label");
        reader_next(reader);
    } while (accept_punct(reader, ',') && !reader_failed(reader));
    uint32_t *targets = reader_alloc(reader, tokens.count * sizeof *targets);
    for (size_t i = 0; i < tokens.count && targets && !reader_failed(reader); i++)
        add_fixup(reader, &((struct token *)tokens.items)[i], NULL, &targets[i]);
    label->branch_targets = targets;
    label->nbranch_targets = tokens.count;
    list_free(&tokens);
}

/* The functions that an indirect call may reach: whoever calls looks its target up anyway. */
static void skip_call_targets(struct reader *reader)
{
    do {
        if (reader->token.kind != TOKEN_NAME)
            fail_expected(reader, "the name of a function");
        reader_next(reader);
    } while (accept_punct(reader, ',') && !reader_failed(reader));
}

/* (returns) _ (parameters) .noreturn .abi_preserve n */
static void read_prototype(struct reader *reader, struct ptx_label *label)
{
    uint64_t ignored;
    if (is_punct(reader, '('))
        read_parameters(reader, &label->proto_returns, &label->nproto_returns, false);
    if (reader->token.kind != TOKEN_NAME) {
        fail_expected(reader, "_ in .callprototype");
        return;
    }
    reader_next(reader);
    if (is_punct(reader, '('))
        read_parameters(reader, &label->proto_params, &label->nproto_params, false);
    while (reader->token.kind == TOKEN_DIRECTIVE && !reader_failed(reader)) {
        reader_next(reader);
        if (reader->token.kind == TOKEN_INT)
            read_unsigned(reader, "a number", UINT32_MAX, &ignored);
    }
}

static void add_label(struct reader *reader, const struct token *token, struct ptx_label label)
{
    if (reader_failed(reader) || !name_is_free(reader, token, false))
        return;
    struct ptx_label *slot = reader_push(reader, &reader->labels, sizeof *slot);
    struct name *name =
        names_add(&reader->names, token->text, token->size, token->hash, NAME_LABEL, current_scope(reader));
    if (!slot || !name) {
        fail_memory(reader);
        return;
    }
    label.name = reader_text(reader, token->text, token->size, token->hash);
    label.target = (uint32_t)reader->instructions.count;
    *slot = label;
    name->index = (uint32_t)reader->labels.count - 1;
}

/* A label, and the list that may belong to it; ':' is current. */
static void read_label(struct reader *reader, const struct token *token)
{
    struct ptx_label label = {0};
    reader_next(reader);
    bool has_list = true;
    if (accept_directive(reader, ".branchtargets"))
        read_branch_targets(reader, &label);
    else if (accept_directive(reader, ".calltargets"))
        skip_call_targets(reader);
    else if (accept_directive(reader, ".callprototype"))
        read_prototype(reader, &label);
    else
        has_list = false;
    if (has_list)
        expect_punct(reader, ';', "after the list of a label");
    add_label(reader, token, label);
}

/* A label or an instruction begins with a name: a colon decides. */
static void read_named_statement(struct reader *reader)
{
    struct token token = reader->token, next;
    const struct lexer *lexer = &reader->lexer;
    if (lexer->pos < lexer->end && *lexer->pos == '.') {
        read_instruction(reader, -1, false);
        return;
    }
    next = peek_token(reader);
    if (next.kind == TOKEN_PUNCT && next.punct == ':') {
        reader_next(reader);
        read_label(reader, &token);
    } else {
        read_instruction(reader, -1, false);
    }
}

static void read_pragma(struct reader *reader)
{
    do {
        if (reader->token.kind != TOKEN_STRING)
            fail_expected(reader, "a string after .pragma");
        else if (reader->token.size == strlen("nounroll") && !memcmp(reader->token.text, "nounroll", 8))
            reader->is_rolled = true;
        reader_next(reader);
    } while (accept_punct(reader, ','));
    expect_punct(reader, ';', "after .pragma");
}

static void read_body_directive(struct reader *reader)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } spaces[] = {{".param", PTX_PARAM},
                  {".local", PTX_LOCAL},
                  {".shared", PTX_SHARED},
                  {".global", PTX_GLOBAL},
                  {".const", PTX_CONST}};
    if (accept_directive(reader, ".loc")) {
        read_loc(reader);
        return;
    }
    if (accept_directive(reader, ".reg")) {
        read_registers(reader);
        return;
    }
    bool is_extern = accept_directive(reader, ".extern");
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (accept_directive(reader, spaces[i].word)) {
            read_variables(reader, spaces[i].space, is_extern);
            return;
        }
    if (accept_directive(reader, ".pragma"))
        read_pragma(reader);
    else if (accept_directive(reader, ".file"))
        read_file(reader);
    else
        fail_expected(reader, "an instruction, a label or a declaration");
}

static void read_statement(struct reader *reader)
{
    if (reader->token.kind == TOKEN_NAME)
        read_named_statement(reader);
    else if (reader->token.kind == TOKEN_DIRECTIVE)
        read_body_directive(reader);
    else if (is_punct(reader, '@'))
        read_guarded(reader);
    else if (!accept_punct(reader, ';'))
        fail_expected(reader, "an instruction, a label or a declaration");
}

/* Scopes are counted, not recursed into. */
void read_body(struct reader *reader, struct ptx_func *function)
{
    uint32_t outer = reader->nscopes;
    function->has_body = true;
    reader->loc = 0;
    do {
        if (is_punct(reader, '{')) {
            open_scope(reader);
            reader_next(reader);
        } else if (is_punct(reader, '}')) {
            close_scope(reader);
            reader_next(reader);
        } else if (reader->token.kind == TOKEN_END) {
            fail_expected(reader, "'}' at the end of the function");
        } else {
            read_statement(reader);
        }
    } while (reader->nscopes > outer && !reader_failed(reader));
}

static void check_branch_targets(struct reader *reader)
{
    const struct fixup *fixups = reader->fixups.items;
    for (size_t i = 0; i < reader->fixups.count; i++) {
        struct token token = {.kind = TOKEN_NAME,
                              .text = fixups[i].text,
                              .size = fixups[i].size,
                              .line = fixups[i].line,
                              .column = fixups[i].column};
        char words[64];
        if (fixups[i].target)
            fail_at(reader, &token, "label %s is not defined", token_words(&token, words, sizeof words));
    }
}

/* Moves what the body has collected into the arena and forgets its names. */
void finish_function(struct reader *reader)
{
    struct ptx_func *function = reader->function;
    check_branch_targets(reader);
    if (!reader_failed(reader) && function->has_body) {
        function->regs = reader_keep(reader, &reader->function_registers, 0, sizeof *function->regs);
        function->nregs = reader->function_registers.count;
        function->vars = reader_keep(reader, &reader->function_variables, 0, sizeof *function->vars);
        function->nvars = reader->function_variables.count;
        function->insns = reader_keep(reader, &reader->instructions, 0, sizeof *function->insns);
        function->ninsns = reader->instructions.count;
        function->labels = reader_keep(reader, &reader->labels, 0, sizeof *function->labels);
        function->nlabels = reader->labels.count;
    }
    reader->function_registers.count = reader->function_variables.count = 0;
    reader->instructions.count = reader->labels.count = reader->fixups.count = 0;
    names_drop(&reader->names, 0);
    reader->nscopes = 0;
    reader->function = NULL;
}
