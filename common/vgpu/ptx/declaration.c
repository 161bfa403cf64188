/* declaration.c - declarations: registers, variables of every space, parameters.
 * A name is declared once per scope; an .extern variable may be declared again, the definition wins.
 * Initialisers are read by initialiser.c; functions themselves by parse.c. */
#include "ptx/reader.h"

#include <stdio.h>
#include <string.h>

/* What stands before a name. */
struct declaration {
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align, vector;
    bool is_extern, is_managed;
};

enum { MAX_ALIGN = 1 << 20 };
static const uint64_t max_variable_size = UINT64_C(1) << 40;

uint32_t current_scope(const struct reader *reader)
{
    return reader->nscopes;
}

bool name_is_free(struct reader *reader, const struct token *token, bool is_range)
{
    char words[64];
    struct name *name = names_find(&reader->names, token->text, token->size, token->hash, is_range);
    if (!name || name->scope != current_scope(reader))
        return true;
    fail_at(reader, token, "%s is already declared in this scope", token_words(token, words, sizeof words));
    return false;
}

static void read_align(struct reader *reader, uint32_t *align)
{
    struct token start = reader->token;
    uint64_t value = 0;
    if (!read_unsigned(reader, "an alignment", MAX_ALIGN, &value))
        return;
    if (!value || (value & (value - 1)))
        fail_at(reader, &start, "an alignment must be a power of two, found %llu", (unsigned long long)value);
    *align = (uint32_t)value;
}

/* .attribute(.managed) and the like. */
static void read_attribute(struct reader *reader, struct declaration *declaration)
{
    if (!is_punct(reader, '(')) {
        fail_expected(reader, "'(' after .attribute");
        return;
    }
    reader_next(reader);
    if (is_directive(reader, ".managed"))
        declaration->is_managed = true;
    skip_brackets(reader, 1, '(', ')', "')' after .attribute");
}

static bool is_space(const struct reader *reader)
{
    static const char *const spaces[] = {".global", ".const",       ".shared",          ".local",
                                         ".param",  ".shared::cta", ".shared::cluster", ".generic"};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (is_directive(reader, spaces[i]))
            return true;
    return false;
}

static bool read_vector(struct reader *reader, struct declaration *declaration)
{
    const struct token *token = &reader->token;
    if (token->size != 3 || token->text[1] != 'v' || !strchr("248", token->text[2]))
        return false;
    declaration->vector = (uint32_t)(token->text[2] - '0');
    reader_next(reader);
    return true;
}

/* Everything between the space and the first name, in any order. What follows .ptr describes the pointee. */
static void read_type(struct reader *reader, struct declaration *declaration)
{
    bool is_pointee = false;
    uint32_t pointee_align;
    while (reader->token.kind == TOKEN_DIRECTIVE && !reader_failed(reader)) {
        enum ptx_type type = ptx_type_find(reader->token.text + 1, reader->token.size - 1);
        if (type != PTX_NONE && declaration->type == PTX_NONE) {
            declaration->type = type;
            reader_next(reader);
        } else if (accept_directive(reader, ".align")) {
            read_align(reader, is_pointee ? &pointee_align : &declaration->align);
        } else if (accept_directive(reader, ".ptr")) {
            is_pointee = true;
        } else if (is_pointee && is_space(reader)) {
            reader_next(reader);
        } else if (accept_directive(reader, ".attribute")) {
            read_attribute(reader, declaration);
        } else if (!read_vector(reader, declaration)) {
            fail_expected(reader, "a type, .align or a name");
        }
    }
    if (declaration->type == PTX_NONE)
        fail_expected(reader, "a type");
}

/* The number in %r<100>; the token after it is current. */
static bool read_count(struct reader *reader, uint64_t limit, uint64_t *count)
{
    struct token start = reader->token;
    reader_next(reader);
    if (reader->token.kind != TOKEN_INT) {
        fail_expected(reader, "the number of registers");
        return false;
    }
    *count = reader->token.bits;
    if (*count > limit)
        fail_at(reader, &start, "%llu declared at once: the limit is %llu", (unsigned long long)*count,
                (unsigned long long)limit);
    reader_next(reader);
    return expect_punct(reader, '>', "after the number of registers");
}

/* Adds count registers; the name of each is the stem and, of a range, its number; of a vector, .x to .w. */
static bool add_registers(struct reader *reader, const struct token *stem, enum ptx_type type, uint64_t count,
                          enum name_kind kind)
{
    static const char *const elements[] = {".x", ".y", ".z", ".w", ".4", ".5", ".6", ".7"};
    size_t stride = stem->size + 8;
    reader->registers += count;
    reader->register_name_bytes += count * stride;
    if (reader->function_registers.count + count > MAX_REGISTERS ||
        reader->registers > MAX_MODULE_REGISTERS || reader->register_name_bytes > MAX_REGISTER_NAMES) {
        fail_at(reader, stem, "more than %d registers in one function, or too many in all", MAX_REGISTERS);
        return false;
    }
    char *names = count ? reader_alloc(reader, count * stride) : NULL;
    for (uint64_t i = 0; i < count && names; i++, names += stride) {
        struct ptx_reg *reg = reader_push(reader, &reader->function_registers, sizeof *reg);
        if (!reg)
            return false;
        memcpy(names, stem->text, stem->size);
        if (kind == NAME_RANGE)
            snprintf(names + stem->size, 8, "%u", (unsigned)i);
        else if (kind == NAME_VECTOR)
            snprintf(names + stem->size, 8, "%s", elements[i]);
        *reg = (struct ptx_reg){.name = names, .type = type};
    }
    return !reader_failed(reader);
}

static void declare_registers(struct reader *reader, const struct token *token,
                              const struct declaration *type, uint64_t count, enum name_kind kind)
{
    uint32_t first = (uint32_t)reader->function_registers.count;
    if (!name_is_free(reader, token, kind == NAME_RANGE) ||
        !add_registers(reader, token, type->type, count, kind))
        return;
    struct name *name =
        names_add(&reader->names, token->text, token->size, token->hash, kind, current_scope(reader));
    if (!name) {
        fail_memory(reader);
        return;
    }
    name->index = first;
    name->count = (uint32_t)count;
}

static void read_register(struct reader *reader, const struct declaration *type)
{
    struct token token = reader->token;
    if (token.kind != TOKEN_NAME) {
        fail_expected(reader, "the name of a register");
        return;
    }
    reader_next(reader);
    uint64_t count = 1;
    if (is_punct(reader, '<')) {
        if (type->vector)
            fail_at(reader, &token, "a range of vector registers cannot be declared");
        if (read_count(reader, MAX_REGISTERS, &count))
            declare_registers(reader, &token, type, count, NAME_RANGE);
    } else if (type->vector) {
        declare_registers(reader, &token, type, type->vector, NAME_VECTOR);
    } else {
        declare_registers(reader, &token, type, 1, NAME_REGISTER);
    }
}

void read_registers(struct reader *reader)
{
    struct declaration type = {0};
    read_type(reader, &type);
    do
        read_register(reader, &type);
    while (accept_punct(reader, ','));
    expect_punct(reader, ';', "after .reg");
}

/* [4][8]; an empty first dimension is left open as 0. */
static size_t read_dimensions(struct reader *reader, uint64_t *dims, bool *is_open)
{
    size_t ndims = 0;
    while (is_punct(reader, '[') && !reader_failed(reader)) {
        if (ndims == MAX_DIMENSIONS) {
            fail_at(reader, &reader->token, "more than %d dimensions", MAX_DIMENSIONS);
            return ndims;
        }
        reader_next(reader);
        dims[ndims] = 0;
        if (!is_punct(reader, ']'))
            read_unsigned(reader, "the size of an array", max_variable_size, &dims[ndims]);
        else if (ndims)
            fail_expected(reader, "a size: only the first dimension may be open");
        else
            *is_open = true;
        ndims++;
        expect_punct(reader, ']', "after the size of an array");
    }
    return ndims;
}

static bool compute_size(struct reader *reader, const struct token *token, uint64_t element_size,
                         const uint64_t *dims, size_t ndims, uint64_t *size)
{
    *size = element_size;
    for (size_t i = 0; i < ndims; i++) {
        if (dims[i] && *size > max_variable_size / dims[i]) {
            fail_at(reader, token, "this array is larger than 2^40 bytes");
            return false;
        }
        *size *= dims[i];
    }
    return true;
}

static void read_shape(struct reader *reader, const struct token *token, struct ptx_var *var, uint32_t vector)
{
    uint64_t dims[MAX_DIMENSIONS + 1], element_size = ptx_type_size(var->type);
    bool is_open = false;
    size_t ndims = read_dimensions(reader, dims, &is_open), shape_dims = ndims;
    if (!element_size)
        fail_at(reader, token, "a variable in memory cannot be of type .pred");
    if (vector)
        dims[shape_dims++] = vector;
    if (!var->align)
        var->align = (uint32_t)element_size * (vector ? vector : 1);
    uint64_t outer = 0;
    if (accept_punct(reader, '='))
        read_initialiser(reader, var, (uint32_t)element_size, dims, shape_dims, &outer);
    if (is_open)
        dims[0] = outer;
    if (!reader_failed(reader))
        compute_size(reader, token, element_size, dims, shape_dims, &var->size);
    if (var->init_size > var->size)
        fail_at(reader, token, "the initialiser is larger than the variable");
}

static struct ptx_var *new_variable(struct reader *reader, const struct declaration *type, const char *name)
{
    struct ptx_var *var = reader_alloc(reader, sizeof *var);
    if (var)
        *var = (struct ptx_var){.name = name,
                                .space = type->space,
                                .type = type->type,
                                .align = type->align,
                                .is_extern = type->is_extern,
                                .is_managed = type->is_managed};
    return var;
}

static void list_variable(struct reader *reader, struct list *list, struct ptx_var *var)
{
    struct ptx_var **slot = reader_push(reader, list, sizeof *slot);
    if (slot)
        *slot = var;
}

static void add_module_variable(struct reader *reader, const struct token *token, struct ptx_var *var)
{
    size_t size = strlen(var->name);
    uint32_t hash = hash_text(var->name, size);
    struct name *name = names_find(reader->module->names, var->name, size, hash, false);
    struct ptx_var *old = name && name->kind == NAME_VARIABLE ? name->item : NULL;
    char words[64];
    if (name && !(old && (old->is_extern || var->is_extern))) {
        fail_at(reader, token, "%s is already declared", token_words(token, words, sizeof words));
    } else if (name) {
        if (old->is_extern)
            *old = *var;
    } else if (!(name = names_add(reader->module->names, var->name, size, hash, NAME_VARIABLE, 0))) {
        fail_memory(reader);
    } else {
        name->item = var;
        list_variable(reader, &reader->variables, var);
    }
}

static void add_local_name(struct reader *reader, const struct token *token, const char *text,
                           struct ptx_var *var)
{
    struct token named = *token;
    named.text = text;
    named.size = strlen(text);
    named.hash = hash_text(text, named.size);
    if (!name_is_free(reader, &named, false))
        return;
    struct name *name =
        names_add(&reader->names, text, named.size, named.hash, NAME_VARIABLE, current_scope(reader));
    if (name)
        name->item = var;
    else
        fail_memory(reader);
}

/* A .global inside a function outlives it: it joins the module under a name of its own. */
static const char *unique_name(struct reader *reader, const char *text)
{
    const char *function = reader->function->name;
    size_t size = strlen(function) + strlen(text) + 24;
    char *name = reader_alloc(reader, size);
    if (name)
        snprintf(name, size, "%s$%s$%zu", function, text, reader->variables.count);
    return name ? name : "";
}

static void add_variable(struct reader *reader, const struct token *token, struct ptx_var *var)
{
    if (!reader->function) {
        add_module_variable(reader, token, var);
        return;
    }
    const char *text = var->name;
    bool is_static = var->space == PTX_GLOBAL || var->space == PTX_CONST;
    if (is_static && !var->is_extern) {
        var->name = unique_name(reader, text);
        add_module_variable(reader, token, var);
    } else if (is_static) {
        add_module_variable(reader, token, var);
    } else {
        list_variable(reader, &reader->function_variables, var);
    }
    if (!reader_failed(reader))
        add_local_name(reader, token, text, var);
}

static void add_numbered_variables(struct reader *reader, const struct token *token,
                                   const struct declaration *type, uint64_t count)
{
    for (uint64_t i = 0; i < count && !reader_failed(reader); i++) {
        char *text = reader_alloc(reader, token->size + 8);
        if (!text)
            return;
        memcpy(text, token->text, token->size);
        snprintf(text + token->size, 8, "%u", (unsigned)i);
        struct ptx_var *var = new_variable(reader, type, text);
        if (!var)
            return;
        read_shape(reader, token, var, type->vector);
        add_variable(reader, token, var);
    }
}

static void read_variable(struct reader *reader, const struct declaration *type)
{
    struct token token = reader->token;
    if (token.kind != TOKEN_NAME) {
        fail_expected(reader, "the name of a variable");
        return;
    }
    reader_next(reader);
    uint64_t count;
    if (is_punct(reader, '<')) {
        if (read_count(reader, MAX_NUMBERED_VARIABLES, &count))
            add_numbered_variables(reader, &token, type, count);
        return;
    }
    struct ptx_var *var = new_variable(reader, type, reader_text(reader, token.text, token.size, token.hash));
    if (!var)
        return;
    read_shape(reader, &token, var, type->vector);
    add_variable(reader, &token, var);
}

void read_variables(struct reader *reader, enum ptx_space space, bool is_extern)
{
    struct declaration type = {.space = space, .is_extern = is_extern};
    read_type(reader, &type);
    do
        read_variable(reader, &type);
    while (accept_punct(reader, ','));
    expect_punct(reader, ';', "after a variable");
}

static void declare_parameter(struct reader *reader, const struct token *token, struct ptx_var *var)
{
    if (var->is_register) {
        struct declaration type = {.type = var->type};
        var->reg = (uint32_t)reader->function_registers.count;
        declare_registers(reader, token, &type, 1, NAME_REGISTER);
    } else {
        add_local_name(reader, token, var->name, var);
    }
}

static struct ptx_var *read_parameter(struct reader *reader, bool declares)
{
    bool is_register = accept_directive(reader, ".reg");
    if (!is_register && !accept_directive(reader, ".param")) {
        fail_expected(reader, ".param");
        return NULL;
    }
    struct declaration type = {.space = PTX_PARAM};
    read_type(reader, &type);
    struct token token = reader->token;
    if (token.kind != TOKEN_NAME) {
        fail_expected(reader, "the name of a parameter");
        return NULL;
    }
    reader_next(reader);
    struct ptx_var *var =
        new_variable(reader, &type, reader_text(reader, token.text, token.size, token.hash));
    if (!var)
        return NULL;
    var->is_register = is_register;
    if (is_register)
        var->size = var->align = ptx_type_size(var->type);
    else
        read_shape(reader, &token, var, type.vector);
    if (declares && !reader_failed(reader) && !(token.size == 1 && *token.text == '_'))
        declare_parameter(reader, &token, var);
    return var;
}

void read_parameters(struct reader *reader, struct ptx_var ***params, size_t *count, bool declares)
{
    struct list list = {0};
    *params = NULL;
    *count = 0;
    reader_next(reader);
    if (!is_punct(reader, ')'))
        do
            list_variable(reader, &list, read_parameter(reader, declares));
        while (accept_punct(reader, ',') && !reader_failed(reader));
    expect_punct(reader, ')', "after the parameters");
    if (!reader_failed(reader)) {
        *params = reader_keep(reader, &list, 0, sizeof **params);
        *count = list.count;
    }
    list_free(&list);
}
