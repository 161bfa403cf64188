/* parse.c - a PTX module from its text: module directives, functions, and the public face of the reader.
 * The first error ends the reading and nothing of the module survives it.
 * No opcode and no special register is known here: see decode/decode.c. */
#include "ptx/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 9.0 and 8.10: two numbers that look like a fraction. */
static void read_version(struct reader *reader)
{
    const struct token *token = &reader->token;
    char text[16] = "";
    if (token->kind == TOKEN_F64 && token->size < sizeof text)
        memcpy(text, token->text, token->size);
    if (sscanf(text, "%4d.%4d", &reader->module->version_major, &reader->module->version_minor) != 2)
        fail_expected(reader, "a version such as 9.0");
    reader->has_version = true;
    reader_next(reader);
}

static void read_target(struct reader *reader)
{
    do {
        const struct token *token = &reader->token;
        if (token->kind != TOKEN_NAME) {
            fail_expected(reader, "a target such as sm_75");
            return;
        }
        if (token->size > 3 && token->size < 12 && !memcmp(token->text, "sm_", 3)) {
            char digits[12] = "";
            memcpy(digits, token->text + 3, token->size - 3);
            reader->module->target = atoi(digits);
            reader->has_target = true;
        }
        reader_next(reader);
    } while (accept_punct(reader, ','));
    if (!reader->has_target)
        fail_expected(reader, "a target such as sm_75");
}

static void read_address_size(struct reader *reader)
{
    if (reader->token.kind != TOKEN_INT || reader->token.bits != 64)
        fail_expected(reader, "64: only 64-bit addresses are known");
    reader_next(reader);
}

static void read_module_pragma(struct reader *reader)
{
    while (reader->token.kind == TOKEN_STRING || is_punct(reader, ','))
        reader_next(reader);
    expect_punct(reader, ';', "after .pragma");
}

static const char *read_text(struct reader *reader, const char *expected)
{
    const struct token *token = &reader->token;
    if (token->kind != TOKEN_NAME) {
        fail_expected(reader, expected);
        return "";
    }
    const char *text = reader_text(reader, token->text, token->size, token->hash);
    reader_next(reader);
    return text;
}

/* .alias name, target; */
static void read_alias(struct reader *reader)
{
    struct alias alias = {.line = reader->token.line, .column = reader->token.column};
    alias.name = read_text(reader, "the name of a function");
    expect_punct(reader, ',', "in .alias");
    alias.target = read_text(reader, "the name of a function");
    expect_punct(reader, ';', "after .alias");
    struct alias *slot = reader_push(reader, &reader->aliases, sizeof *slot);
    if (slot)
        *slot = alias;
}

/* .maxntid 128, 1, 1 */
static void read_extent(struct reader *reader, uint32_t extent[3])
{
    uint64_t value = 1;
    for (int i = 0; i < 3; i++)
        extent[i] = 1;
    for (int i = 0; i < 3 && (i == 0 || accept_punct(reader, ',')); i++) {
        if (!read_unsigned(reader, "a number of threads", UINT32_MAX, &value))
            return;
        extent[i] = (uint32_t)value;
    }
}

static bool accept_one(struct reader *reader, const char *const *directives, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (accept_directive(reader, directives[i]))
            return true;
    return false;
}

/* Directives between the parameters and the body. Those about registers are ptxas's business, clusters the launch's. */
static bool read_tuning(struct reader *reader, struct ptx_func *function)
{
    static const char *const numbers[] = {".minnctapersm",   ".maxnctapersm", ".maxnreg",
                                          ".maxclusterrank", ".abi_preserve", ".abi_preserve_control"};
    static const char *const words[] = {".noreturn", ".explicitcluster", ".blocksareclusters", ".unified"};
    uint32_t ignored[3];
    uint64_t number;
    if (accept_directive(reader, ".maxntid"))
        read_extent(reader, function->maxntid);
    else if (accept_directive(reader, ".reqntid"))
        read_extent(reader, function->reqntid);
    else if (accept_one(reader, numbers, sizeof numbers / sizeof *numbers))
        read_unsigned(reader, "a number", UINT32_MAX, &number);
    else if (accept_directive(reader, ".reqnctapercluster"))
        read_extent(reader, ignored);
    else if (accept_directive(reader, ".pragma"))
        read_module_pragma(reader);
    else if (accept_directive(reader, ".attribute"))
        skip_brackets(reader, 0, '(', ')', "')'");
    else
        return accept_one(reader, words, sizeof words / sizeof *words);
    return true;
}

static struct ptx_func *new_function(struct reader *reader, const char *text, size_t size)
{
    struct name *name = names_add(reader->module->names, text, size, hash_text(text, size), NAME_FUNCTION, 0);
    struct ptx_func *function = reader_alloc(reader, sizeof *function);
    struct ptx_func **slot = reader_push(reader, &reader->functions, sizeof *slot);
    if (!name || !function || !slot) {
        fail_memory(reader);
        return NULL;
    }
    name->item = function;
    function->name = text;
    *slot = function;
    return function;
}

/* The function of this name, declared before or not. */
static struct ptx_func *find_or_add_function(struct reader *reader, const struct token *token)
{
    char words[64];
    const char *text = reader_text(reader, token->text, token->size, token->hash);
    struct name *name = names_find(reader->module->names, text, token->size, token->hash, false);
    if (!name)
        return new_function(reader, text, token->size);
    if (name->kind == NAME_FUNCTION)
        return name->item;
    fail_at(reader, token, "%s is already declared as a variable", token_words(token, words, sizeof words));
    return NULL;
}

/* What the new declaration says replaces what an older one said; a body is kept. */
static void merge_function(struct reader *reader, const struct token *token, struct ptx_func *known,
                           const struct ptx_func *read, bool has_body)
{
    char words[64];
    if (has_body && known->has_body) {
        fail_at(reader, token, "function %s has two bodies", token_words(token, words, sizeof words));
        return;
    }
    if (known->has_body)
        return;
    const char *name = known->name;
    *known = *read;
    known->name = name;
}

/* After .func or .entry. */
static void read_function(struct reader *reader, bool is_entry)
{
    struct ptx_func *read = reader_alloc(reader, sizeof *read);
    if (!read)
        return;
    *read = (struct ptx_func){.is_entry = is_entry, .name = ""};
    reader->function = read;
    if (accept_directive(reader, ".attribute"))
        skip_brackets(reader, 0, '(', ')', "')'");
    if (!is_entry && is_punct(reader, '('))
        read_parameters(reader, &read->returns, &read->nreturns, true);
    struct token token = reader->token;
    if (token.kind != TOKEN_NAME)
        fail_expected(reader, "the name of a function");
    reader_next(reader);
    if (is_punct(reader, '('))
        read_parameters(reader, &read->params, &read->nparams, true);
    while (!reader_failed(reader) && read_tuning(reader, read))
        ;
    bool has_body = is_punct(reader, '{');
    struct ptx_func *function = reader_failed(reader) ? NULL : find_or_add_function(reader, &token);
    if (function) {
        merge_function(reader, &token, function, read, has_body);
        reader->function = function;
    }
    if (reader_failed(reader))
        return;
    if (has_body) {
        read_body(reader, function);
        finish_function(reader);
    } else {
        *read = (struct ptx_func){0}; /* takes what belongs to no body */
        reader->function = read;
        finish_function(reader);
        expect_punct(reader, ';', "or a body after the head of a function");
    }
}

static void read_entry(struct reader *reader)
{
    read_function(reader, true);
}

static void read_func(struct reader *reader)
{
    read_function(reader, false);
}

static void skip_linkage(struct reader *reader)
{
    (void)reader; /* .visible, .weak and .common change nothing for a module that stands alone */
}

static const struct {
    const char *word;
    void (*read)(struct reader *reader);
} directives[] = {
    {".version", read_version},
    {".target", read_target},
    {".address_size", read_address_size},
    {".file", read_file},
    {".loc", read_loc},
    {".section", read_section},
    {".pragma", read_module_pragma},
    {".alias", read_alias},
    {".entry", read_entry},
    {".func", read_func},
    {".visible", skip_linkage},
    {".weak", skip_linkage},
    {".common", skip_linkage},
};

static bool read_module_variable(struct reader *reader, bool is_extern)
{
    if (accept_directive(reader, ".global") || accept_directive(reader, ".tex"))
        read_variables(reader, PTX_GLOBAL, is_extern);
    else if (accept_directive(reader, ".const"))
        read_variables(reader, PTX_CONST, is_extern);
    else if (accept_directive(reader, ".shared"))
        read_variables(reader, PTX_SHARED, is_extern);
    else if (accept_directive(reader, ".local"))
        read_variables(reader, PTX_LOCAL, is_extern);
    else
        return false;
    return true;
}

static void read_module_directive(struct reader *reader)
{
    bool is_extern = false;
    while (accept_directive(reader, ".extern"))
        is_extern = true;
    bool needs_head = !reader->has_version && !is_directive(reader, ".version");
    if (needs_head) {
        fail_expected(reader, ".version: PTX begins with it");
        return;
    }
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (accept_directive(reader, directives[i].word)) {
            directives[i].read(reader);
            return;
        }
    if (!read_module_variable(reader, is_extern))
        fail_expected(reader, "a module directive, a variable or a function");
}

static void apply_aliases(struct reader *reader)
{
    const struct alias *aliases = reader->aliases.items;
    for (size_t i = 0; i < reader->aliases.count; i++) {
        struct token place = {.line = aliases[i].line, .column = aliases[i].column};
        struct ptx_func *function = ptx_find_func(reader->module, aliases[i].name);
        const struct ptx_func *target = ptx_find_func(reader->module, aliases[i].target);
        if (!target || !target->has_body) {
            fail_at(reader, &place, ".alias %.80s: there is no function %.80s", aliases[i].name,
                    aliases[i].target);
            return;
        }
        if (!function)
            function = new_function(reader, aliases[i].name, strlen(aliases[i].name));
        if (!function)
            return;
        *function = *target;
        function->name = aliases[i].name;
    }
}

static void finish_module(struct reader *reader)
{
    struct ptx_module *module = reader->module;
    if (!reader_failed(reader) && (!reader->has_version || !reader->has_target))
        fail_expected(reader, reader->has_version ? ".target" : ".version: PTX begins with it");
    if (reader_failed(reader))
        return;
    apply_aliases(reader);
    finish_positions(reader);
    module->vars = reader_keep(reader, &reader->variables, 0, sizeof *module->vars);
    module->nvars = reader->variables.count;
    module->funcs = reader_keep(reader, &reader->functions, 0, sizeof *module->funcs);
    module->nfuncs = reader->functions.count;
}

static void read_module(struct reader *reader)
{
    /* index 0 is "unknown" in both lists */
    const char **file = reader_push(reader, &reader->files, sizeof *file);
    if (file)
        *file = "";
    reader_push(reader, &reader->locs, sizeof(struct ptx_loc));
    reader_push(reader, &reader->loc_extras, sizeof(struct loc_extra));
    reader_next(reader);
    while (reader->token.kind != TOKEN_END) {
        if (reader->token.kind == TOKEN_DIRECTIVE)
            read_module_directive(reader);
        else if (!reader->has_version || !accept_punct(reader, ';'))
            fail_expected(reader, reader->has_version ? "a module directive, a variable or a function"
                                                      : ".version: PTX begins with it");
    }
    finish_module(reader);
}

static void free_reader(struct reader *reader)
{
    struct list *lists[] = {&reader->files,
                            &reader->locs,
                            &reader->loc_extras,
                            &reader->variables,
                            &reader->functions,
                            &reader->aliases,
                            &reader->debug_strings,
                            &reader->function_registers,
                            &reader->function_variables,
                            &reader->instructions,
                            &reader->labels,
                            &reader->operands,
                            &reader->fixups};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        list_free(lists[i]);
    names_free(&reader->texts);
    names_free(&reader->strings);
    names_free(&reader->names);
    free(reader);
}

static struct reader *new_reader(void)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->arena = arena_new();
    struct ptx_module *module = reader->arena ? arena_alloc(reader->arena, sizeof *module) : NULL;
    struct ptx_names *names = module ? arena_alloc(reader->arena, sizeof *names) : NULL;
    if (!names) {
        arena_free(reader->arena);
        free(reader);
        return NULL;
    }
    module->arena = reader->arena;
    module->names = names;
    reader->module = module;
    return reader;
}

struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *error)
{
    /* a fatbin pads its texts with NULs, in front or behind */
    while (size && !*text)
        text++, size--;
    while (size && !text[size - 1])
        size--;
    *error = (struct ptx_error){0};
    struct reader *reader = size < UINT32_MAX ? new_reader() : NULL;
    if (!reader) {
        snprintf(error->text, sizeof error->text,
                 size < UINT32_MAX ? "not enough memory" : "more than 4 GB of PTX");
        return NULL;
    }
    struct ptx_module *module = reader->module;
    lex_start(&reader->lexer, text, size, error);
    read_module(reader);
    if (reader_failed(reader)) {
        ptx_free(module);
        module = NULL;
    }
    free_reader(reader);
    return module;
}

void ptx_free(struct ptx_module *module)
{
    if (!module)
        return;
    names_free(module->names);
    arena_free(module->arena);
}

static void *find_named(const struct ptx_module *module, const char *text, enum name_kind kind)
{
    size_t size = strlen(text);
    struct name *name = names_find(module->names, text, size, hash_text(text, size), false);
    return name && name->kind == kind ? name->item : NULL;
}

struct ptx_func *ptx_find_func(const struct ptx_module *module, const char *name)
{
    return find_named(module, name, NAME_FUNCTION);
}

struct ptx_var *ptx_find_var(const struct ptx_module *module, const char *name)
{
    return find_named(module, name, NAME_VARIABLE);
}
