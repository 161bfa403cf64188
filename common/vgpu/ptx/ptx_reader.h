/* ptx_reader.h - what the files of the PTX parser share; nobody else includes it.
 * One token of lookahead in reader->token. After the first error it is TOKEN_END for ever: loops end by themselves.
 * Growing lists live on the heap until their function or module is complete, then move into the arena. */
#ifndef VGPU_PTX_READER_H
#define VGPU_PTX_READER_H

#include "base/arena.h"
#include "ptx/ptx_lex.h"

/* Limits against hostile input; real programs stay far below. */
enum {
    MAX_REGISTERS = 1000000,        /* of one function */
    MAX_MODULE_REGISTERS = 4000000, /* of a module: every one costs memory */
    MAX_REGISTER_NAMES = 64 << 20,  /* bytes of their names, of a module */
    MAX_NUMBERED_VARIABLES = 4096,  /* .local .b32 x<n> */
    MAX_SCOPES = 256,               /* nested { } */
    MAX_DIMENSIONS = 16,            /* x[2][3]... */
    MAX_INITIALISERS = 64 << 20,    /* bytes, of a module */
    MAX_EXPRESSION_DEPTH = 64,
    MAX_OPERAND_DEPTH = 4, /* lists within lists */
    MAX_FILE_NUMBER = 65535,
};

struct list {
    void *items;
    size_t count, capacity;
};

enum name_kind {
    NAME_REGISTER, /* index */
    NAME_RANGE,    /* %r<count>: index is the first; text is the stem */
    NAME_VECTOR,   /* .v2/.v4 register: index is the first, count the width */
    NAME_VARIABLE, /* item: struct ptx_var */
    NAME_LABEL,    /* index */
    NAME_FUNCTION, /* item: struct ptx_func */
    NAME_TEXT      /* item: a string in the arena */
};

struct name {
    const char *text;
    uint32_t size, hash, scope, next; /* next: 1 + index of an older name in the same bucket */
    enum name_kind kind;
    uint32_t index, count;
    void *item;
};

/* A stack of names with a hash table over it: a newer name hides an older one until it is dropped. */
struct ptx_names {
    struct name *items;
    uint32_t count, capacity;
    uint32_t *buckets;
    uint32_t nbuckets; /* a power of two, or 0 */
};

struct scope {
    uint32_t first_name, first_fixup;
};

/* A name that may turn out to be a label once its scope is complete. */
struct fixup {
    const char *text;
    uint32_t size, hash, line, column;
    struct ptx_operand *operand; /* stays a symbol if no label has the name */
    uint32_t *target;            /* of .branchtargets: must be a label */
};

/* The function name that a .loc gives by a label in .debug_str. */
struct loc_extra {
    const char *function;
    uint32_t function_size, function_hash;
    uint64_t function_offset;
    uint32_t next; /* 1 + index of an older position in the same bucket */
};

struct alias {
    const char *name, *target;
    uint32_t line, column;
};

enum { LOC_BUCKETS = 4096 };

struct reader {
    struct lexer lexer;
    struct token token;
    struct arena *arena;
    struct ptx_module *module;
    struct ptx_names texts;   /* opcodes and symbols: every spelling is kept once */
    struct ptx_names strings; /* labels in .debug_str, index is the offset */

    /* the module */
    struct list files, locs, loc_extras, variables, functions, aliases, debug_strings;
    uint32_t loc_buckets[LOC_BUCKETS]; /* 1 + index into locs */
    uint64_t initialiser_bytes, register_name_bytes;
    size_t registers;
    int depth; /* of expressions and operands */
    bool has_version, has_target;

    /* the function being read */
    struct ptx_func *function;
    struct ptx_names names;
    struct list function_registers, function_variables, instructions, labels, operands, fixups;
    struct scope scopes[MAX_SCOPES];
    uint32_t nscopes;
    uint32_t loc;
    bool is_rolled; /* .pragma "nounroll" stands before the next instruction */
};

/* ptx_names.c */
struct name *names_add(struct ptx_names *names, const char *text, size_t size, uint32_t hash,
                       enum name_kind kind, uint32_t scope); /* NULL: no memory */
struct name *names_find(const struct ptx_names *names, const char *text, size_t size, uint32_t hash,
                        bool is_range);
void names_drop(struct ptx_names *names, uint32_t count); /* all but the oldest count */
void names_free(struct ptx_names *names);
void *list_push(struct reader *reader, struct list *list, size_t item_size); /* zeroed; NULL: failed */
void *list_keep(struct reader *reader, const struct list *list, size_t first, size_t item_size);
void list_free(struct list *list);
void *reader_alloc(struct reader *reader, size_t size);
const char *reader_text(struct reader *reader, const char *text, size_t size, uint32_t hash);

/* ptx_parse.c: tokens and errors */
void reader_next(struct reader *reader);
struct token peek_token(const struct reader *reader); /* the one after reader->token */
bool reader_failed(const struct reader *reader);
bool is_punct(const struct reader *reader, int punct);
bool is_directive(const struct reader *reader, const char *directive);
bool accept_punct(struct reader *reader, int punct);
bool accept_directive(struct reader *reader, const char *directive);
bool expect_punct(struct reader *reader, char punct, const char *where);
void fail_at(struct reader *reader, const struct token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fail_expected(struct reader *reader, const char *expected); /* "found X, expected Y" */
void fail_memory(struct reader *reader);
const char *token_words(const struct token *token, char *buffer, size_t size);

/* ptx_expr.c */
struct constant {
    enum token_kind kind; /* TOKEN_INT, TOKEN_F32 or TOKEN_F64 */
    bool is_unsigned;
    uint64_t bits;
};
bool is_constant_start(const struct token *token);
bool read_constant(struct reader *reader, struct constant *value);
bool read_term(struct reader *reader, struct constant *value); /* binds tighter than + and - */
bool read_unsigned(struct reader *reader, const char *what, uint64_t limit, uint64_t *value);
bool read_offset(struct reader *reader, int64_t *offset); /* any number of + term and - term */
double constant_number(const struct constant *value);

/* ptx_decl.c */
struct declaration {
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align, vector;
    bool is_extern, is_managed, is_register;
};
void read_type(struct reader *reader, struct declaration *declaration);
void read_registers(struct reader *reader);
void read_variables(struct reader *reader, enum ptx_space space, bool is_extern);
void read_parameters(struct reader *reader, struct ptx_var ***params, size_t *count, bool declares);
void skip_parentheses(struct reader *reader);
bool name_is_free(struct reader *reader, const struct token *token, bool is_range);
uint32_t current_scope(const struct reader *reader);

/* ptx_init.c */
void read_initialiser(struct reader *reader, struct ptx_var *var, uint32_t element_size, const uint64_t *dims,
                      size_t ndims, uint64_t *outer_count);

/* ptx_operand.c */
bool read_operand(struct reader *reader, struct ptx_operand *operand, bool is_call);
struct name *find_register(struct reader *reader, const struct token *token, uint32_t *reg);

/* ptx_body.c */
void read_body(struct reader *reader, struct ptx_func *function);
void open_scope(struct reader *reader);
void close_scope(struct reader *reader);
void finish_function(struct reader *reader);

/* ptx_debug.c */
void read_file(struct reader *reader);
void read_loc(struct reader *reader);
void read_section(struct reader *reader);
void finish_positions(struct reader *reader);

#endif
